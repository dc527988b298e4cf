#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "base/grow.h"
#include "tests/support/fail_alloc.h"

struct wide {
    uint64_t *rows;
    size_t len;
    size_t cap;
};

struct narrow {
    struct {
        char bytes[24];
    } * rows;
    uint32_t len;
    uint32_t cap;
};

static void
what_is_there_stays_as_the_array_grows(void **state)
{
    struct wide list = {.len = 0};
    size_t grown = 0;

    (void)state;
    for (uint64_t i = 0; i < 1000; i++) {
        size_t before = list.cap;
        assert_true(grow_room(list.rows, list.len, list.cap));
        assert_true(list.cap > list.len);
        grown += list.cap != before;
        list.rows[list.len++] = i * 3;
    }
    assert_true(grown > 1 && grown < 10);
    for (uint64_t i = 0; i < 1000; i++)
        assert_int_equal(list.rows[i], i * 3);
    free(list.rows);
}

static void
an_array_of_any_items_is_counted_in_either_type(void **state)
{
    struct narrow list = {.len = 0};

    (void)state;
    for (int i = 0; i < 100; i++) {
        assert_true(grow_room(list.rows, list.len, list.cap));
        list.rows[list.len].bytes[0] = list.rows[list.len].bytes[23] = (char)i;
        list.len++;
    }
    assert_true(list.cap >= 100 && list.cap < 200);
    assert_int_equal(list.rows[99].bytes[23], 99);
    free(list.rows);
}

/* At the most that can be counted memory is asked for, past it none. */
static void
more_than_can_be_counted_is_refused(void **state)
{
    struct narrow narrow = {.len = UINT32_MAX / 2, .cap = UINT32_MAX / 2};
    struct wide wide = {.len = SIZE_MAX / 16, .cap = SIZE_MAX / 16};

    (void)state;
    fail_alloc_at(1, false);
    assert_false(grow_room(narrow.rows, narrow.len, narrow.cap));
    assert_true(fail_alloc_end());
    fail_alloc_at(1, false);
    assert_false(grow_room(wide.rows, wide.len, wide.cap));
    assert_true(fail_alloc_end());
    assert_int_equal(narrow.cap, UINT32_MAX / 2);
    assert_int_equal(wide.cap, SIZE_MAX / 16);

    narrow.len = ++narrow.cap;
    wide.len = ++wide.cap;
    fail_alloc_at(1, true);
    assert_false(grow_room(narrow.rows, narrow.len, narrow.cap));
    assert_false(grow_room(wide.rows, wide.len, wide.cap));
    wide.len = wide.cap = SIZE_MAX / 2 + 1; /* twice that is 0 */
    assert_false(grow_room(wide.rows, wide.len, wide.cap));
    assert_false(fail_alloc_end());
}

/* The first that needs room, and the first that needs more. */
static void
without_memory_the_array_is_as_it_was(void **state)
{
    struct narrow list = {.len = 0};
    struct narrow before;

    (void)state;
    for (int i = 0; i < 2; i++) {
        while (list.len < list.cap)
            list.len++;
        before = list;
        fail_alloc_at(1, false);
        assert_false(grow_room(list.rows, list.len, list.cap));
        assert_true(fail_alloc_end());
        assert_memory_equal(&list, &before, sizeof(list));
        assert_true(grow_room(list.rows, list.len, list.cap));
    }
    free(list.rows);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_there_stays_as_the_array_grows),
        cmocka_unit_test(an_array_of_any_items_is_counted_in_either_type),
        cmocka_unit_test(more_than_can_be_counted_is_refused),
        cmocka_unit_test(without_memory_the_array_is_as_it_was),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
