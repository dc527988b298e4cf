/*
 * Confidence counts what was seen this week, and only ever falls with age.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "graph/confidence.h"

enum { NOW_S = 1767011400 };

static double
at(int64_t recent, uint32_t age_s)
{
    return confidence(&confidence_cfg_default, recent, NOW_S - age_s, NOW_S);
}

static bool
near(double a, double b)
{
    return a - b < 1e-9 && b - a < 1e-9;
}

static void
steps_lie_where_they_were_calibrated(void **state)
{
    (void)state;
    assert_true(near(at(1, 0), 0.5));
    assert_true(near(at(9, 0), 0.5));
    assert_true(near(at(10, 0), 0.7));
    assert_true(near(at(99, 0), 0.7));
    assert_true(near(at(100, 0), 0.85));
    assert_true(near(at(1000, 0), 0.85));
    assert_true(near(at(1001, 0), 0.95));
}

static void
ages_end_where_they_say(void **state)
{
    const struct confidence_cfg *cfg = &confidence_cfg_default;
    const struct {
        uint32_t age_s;
        enum edge_age age;
    } cases[] = {
        {0, AGE_ACTIVE},
        {7 * S_PER_DAY, AGE_ACTIVE},
        {7 * S_PER_DAY + 1, AGE_RECENT},
        {30 * S_PER_DAY, AGE_RECENT},
        {30 * S_PER_DAY + 1, AGE_STALE},
        {90 * S_PER_DAY, AGE_STALE},
        {90 * S_PER_DAY + 1, AGE_ELIGIBLE},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_int_equal(confidence_age(cfg, NOW_S - cases[i].age_s, NOW_S),
                         cases[i].age);
    assert_int_equal(confidence_age(cfg, NOW_S + 600, NOW_S), AGE_ACTIVE);
}

static void
confidence_never_rises_with_age(void **state)
{
    double last = 1;

    (void)state;
    for (uint32_t hour = 0; hour < 24 * 100; hour++) {
        double now = at(5, hour * S_PER_H);

        assert_true(now <= last && now >= 0);
        last = now;
    }
    assert_true(near(last, 0));
    assert_true(near(at(0, 30 * S_PER_DAY), 0.2));
}

static void
one_call_after_a_year_is_one_call(void **state)
{
    (void)state;
    assert_true(near(at(1, 60), 0.5));
}

static void
thresholds_can_be_set_and_may_coincide(void **state)
{
    const struct confidence_cfg cfg = {
        .active_days = 1, .stale_days = 1, .eligible_days = 1};

    (void)state;
    assert_int_equal(confidence_age(&cfg, NOW_S - S_PER_DAY - 1, NOW_S),
                     AGE_ELIGIBLE);
    assert_true(near(confidence(&cfg, 0, NOW_S - 2 * S_PER_DAY, NOW_S), 0));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_lie_where_they_were_calibrated),
        cmocka_unit_test(ages_end_where_they_say),
        cmocka_unit_test(confidence_never_rises_with_age),
        cmocka_unit_test(one_call_after_a_year_is_one_call),
        cmocka_unit_test(thresholds_can_be_set_and_may_coincide),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
