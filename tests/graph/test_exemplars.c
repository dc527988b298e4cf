#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "graph/exemplars.h"

enum { NOW_S = 1700000000 / 60 * 60 };

static struct exemplars *exemplars;
static struct exemplar found[EXEMPLARS_EDGE_MAX];

static int
setup(void **state)
{
    (void)state;
    exemplars = exemplars_new();
    exemplars_end_take(exemplars, NOW_S);
    return exemplars == NULL;
}

static int
teardown(void **state)
{
    (void)state;
    exemplars_free(exemplars);
    return 0;
}

/* Of edge |dst|: |count| calls, which failed or not, in trace |trace|. */
static void
note(uint32_t dst, int count, bool failed, uint64_t trace)
{
    const struct edge_obs obs = {
        .key = {1, dst, EDGE_CALL},
        .count = count,
        .errors = failed ? count : 0,
        .at_s = NOW_S + (uint32_t)trace,
    };

    exemplars_note(exemplars, &obs, 7, trace);
}

static uint32_t
find(uint32_t dst)
{
    return exemplars_find(exemplars, (struct edge_key){1, dst, EDGE_CALL},
                          found);
}

static void
one_that_failed_and_one_that_did_not_in_a_minute(void **state)
{
    (void)state;
    assert_int_equal(find(2), 0);
    note(2, 1, false, 11);
    note(2, 1, true, 12);
    note(2, 1, false, 13);
    note(2, 1, false, 10);
    note(3, 1, true, 14);
    assert_int_equal(find(2), 2);
    assert_int_equal(found[0].trace_hi, 7);
    assert_int_equal(found[0].trace_lo, 13); /* the latest */
    assert_int_equal(found[0].at_s, NOW_S + 13);
    assert_false(found[0].failed);
    assert_int_equal(found[1].trace_lo, 12);
    assert_true(found[1].failed);
    assert_int_equal(find(3), 1);
    assert_int_equal(found[0].trace_lo, 14);
    assert_int_equal(find(4), 0);
}

static void
what_was_taken_comes_once_and_the_next_a_minute_later(void **state)
{
    (void)state;
    note(2, 1, false, 11);
    exemplars_end_take(exemplars, NOW_S + 30);
    assert_int_equal(find(2), 0);
    note(2, 1, false, 12);
    assert_int_equal(find(2), 0);
    exemplars_end_take(exemplars, NOW_S + 59);
    note(2, 1, false, 13);
    assert_int_equal(find(2), 0);
    exemplars_end_take(exemplars, NOW_S + 60);
    note(2, 1, false, 14);
    assert_int_equal(find(2), 1);
    assert_int_equal(found[0].trace_lo, 14);
}

static void
what_is_taken_back_in_time_leaves_its_place(void **state)
{
    (void)state;
    note(2, 1, false, 11);
    note(2, -1, false, 12); /* another trace */
    note(2, -1, true, 11);  /* another outcome */
    assert_int_equal(find(2), 1);
    note(2, -1, false, 11);
    assert_int_equal(find(2), 0);
    note(2, 1, false, 13);
    assert_int_equal(find(2), 1);
    assert_int_equal(found[0].trace_lo, 13);
    exemplars_end_take(exemplars, NOW_S + 1);
    note(2, -1, false, 13); /* too late */
    note(2, 1, false, 14);
    assert_int_equal(find(2), 0);
}

static void
a_minute_has_no_more_than_its_bound(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < EXEMPLARS_MAX; i++)
        note(10 + i, 1, false, 1);
    assert_int_equal(find(10 + EXEMPLARS_MAX - 1), 1);
    note(10 + EXEMPLARS_MAX, 1, false, 1);
    assert_int_equal(find(10 + EXEMPLARS_MAX), 0);
    note(10, -1, false, 1); /* what has a place keeps it */
    note(10, 1, false, 2);
    assert_int_equal(find(10), 1);
    exemplars_end_take(exemplars, NOW_S + 60);
    note(10 + EXEMPLARS_MAX, 1, false, 1);
    assert_int_equal(find(10 + EXEMPLARS_MAX), 1);
}

static void
a_clock_at_its_beginning_has_a_minute_too(void **state)
{
    (void)state;
    exemplars_free(exemplars);
    exemplars = exemplars_new();
    exemplars_end_take(exemplars, 0);
    assert_int_equal(find(2), 0);
    note(2, 1, false, 1);
    assert_int_equal(find(2), 1);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            one_that_failed_and_one_that_did_not_in_a_minute, setup, teardown),
        cmocka_unit_test_setup_teardown(
            what_was_taken_comes_once_and_the_next_a_minute_later, setup,
            teardown),
        cmocka_unit_test_setup_teardown(
            what_is_taken_back_in_time_leaves_its_place, setup, teardown),
        cmocka_unit_test_setup_teardown(
            a_clock_at_its_beginning_has_a_minute_too, setup, teardown),
        cmocka_unit_test_setup_teardown(a_minute_has_no_more_than_its_bound,
                                        setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
