#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "knowledge/cycles.h"

static void
what_points_at_each_other_is_one_part(void **state)
{
    /* 0 -> 1 -> 2 -> 0, 2 -> 3, 4 -> 4 */
    static const uint32_t at[] = {0, 1, 2, 4, 4, 5};
    static const uint32_t to[] = {1, 2, 0, 3, 4};
    const struct arcs arcs = {at, to, 5};
    uint32_t part[5];
    uint32_t way[5];
    uint32_t len;

    (void)state;
    assert_int_equal(cycles_parts(&arcs, part, &len), OK);
    assert_int_equal(len, 3);
    assert_int_equal(part[0], part[1]);
    assert_int_equal(part[0], part[2]);
    assert_true(part[3] < part[0]);
    assert_int_equal(cycles_way(&arcs, part, 1, way, &len), OK);
    assert_int_equal(len, 3);
    assert_int_equal(way[0], 1);
    assert_int_equal(way[1], 2);
    assert_int_equal(way[2], 0);
    assert_int_equal(cycles_way(&arcs, part, 4, way, &len), OK);
    assert_int_equal(len, 1);
    assert_int_equal(way[0], 4);
    assert_int_equal(cycles_way(&arcs, part, 3, way, &len), OK);
    assert_int_equal(len, 0);
}

static void
a_chain_of_a_million_needs_no_deep_stack(void **state)
{
    enum { LEN = 1000000 };
    uint32_t *words = calloc(3 * (size_t)LEN + 1, sizeof(*words));
    uint32_t *at = words;
    uint32_t *to = words + LEN + 1;
    uint32_t *part = to + LEN;
    uint32_t len;

    (void)state;
    assert_non_null(words);
    for (uint32_t i = 0; i < LEN; i++) {
        at[i + 1] = i + 1;
        to[i] = i + 1 < LEN ? i + 1 : 0;
    }
    const struct arcs circle = {at, to, LEN};
    assert_int_equal(cycles_parts(&circle, part, &len), OK);
    assert_int_equal(len, 1);
    free(words);
}

static void
nothing_has_no_parts(void **state)
{
    static const uint32_t at[] = {0};
    const struct arcs arcs = {at, at, 0};
    uint32_t len = 7;

    (void)state;
    assert_int_equal(cycles_parts(&arcs, NULL, &len), OK);
    assert_int_equal(len, 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_points_at_each_other_is_one_part),
        cmocka_unit_test(a_chain_of_a_million_needs_no_deep_stack),
        cmocka_unit_test(nothing_has_no_parts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
