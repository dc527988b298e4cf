/* Waits, horizons and repeats. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "tests/support/pair_rig.h"

/* ---- waits ---- */

static void
a_server_waits_for_its_client(void **state)
{
    struct pair_cfg cfg = pair_rig_cfg();
    struct pair_rig rig;

    (void)state;
    pair_rig_open(&rig, &cfg);
    pair_rig_send(&rig, pair_rig_span(SPAN_SERVER, 2, 1, API), 0);
    assert_int_equal(pair_stats(rig.pair).pending, 1);
    pair_rig_pass(&rig, 30 * S);
    pair_rig_send(&rig, pair_rig_span(SPAN_CLIENT, 1, 0, WEB), 0);
    assert_int_equal(pair_rig_count(&rig, WEB, API, EDGE_CALL), 1);
    pair_rig_pass(&rig, 60 * S);
    assert_int_equal(pair_stats(rig.pair).pending, 0);
    assert_int_equal(pair_rig_count(&rig, SCOPE, API, EDGE_ORPHAN), 0);
    assert_int_equal(pair_rig_count(&rig, SCOPE, WEB, EDGE_UNRESOLVED), 0);
    pair_rig_close(&rig);
}

static void
a_wait_ends_to_the_nanosecond(void **state)
{
    struct pair_cfg cfg = pair_rig_cfg();
    struct pair_rig rig;

    (void)state;
    pair_rig_open(&rig, &cfg);
    pair_rig_send(&rig, pair_rig_span(SPAN_SERVER, 2, 1, API), 0);
    pair_rig_pass(&rig, 60 * S - 1);
    assert_int_equal(pair_rig_count(&rig, SCOPE, API, EDGE_ORPHAN), 0);
    pair_rig_pass(&rig, 1);
    assert_int_equal(pair_rig_count(&rig, SCOPE, API, EDGE_ORPHAN), 1);
    pair_rig_close(&rig);
}

static void
a_late_server_takes_back_the_virtual_edge(void **state)
{
    struct pair_cfg cfg = pair_rig_cfg();
    struct stub client = pair_rig_span(SPAN_CLIENT, 1, 0, WEB);
    struct pair_rig rig;

    (void)state;
    client.peer = PAY;
    pair_rig_open(&rig, &cfg);
    pair_rig_send(&rig, client, 0);
    pair_rig_pass(&rig, 60 * S);
    assert_int_equal(pair_rig_count(&rig, WEB, PAY, EDGE_VIRTUAL_OUT), 1);
    pair_rig_pass(&rig, 300 * S);
    pair_rig_send(&rig, pair_rig_span(SPAN_SERVER, 2, 1, API), 0);
    assert_int_equal(pair_rig_count(&rig, WEB, PAY, EDGE_VIRTUAL_OUT), 0);
    assert_int_equal(pair_rig_count(&rig, WEB, API, EDGE_CALL), 1);
    pair_rig_close(&rig);
    assert_int_equal(pair_rig_count(&rig, WEB, API, EDGE_CALL), 1);
}

static void
a_client_exported_after_ten_minutes_still_pairs(void **state)
{
    struct pair_cfg cfg = pair_rig_cfg();
    struct pair_rig rig;

    (void)state;
    pair_rig_open(&rig, &cfg);
    pair_rig_send(&rig, pair_rig_span(SPAN_SERVER, 2, 1, API), 0);
    pair_rig_pass(&rig, 600 * S);
    assert_int_equal(pair_rig_count(&rig, SCOPE, API, EDGE_ORPHAN), 1);
    pair_rig_send(&rig, pair_rig_span(SPAN_CLIENT, 1, 0, WEB), 0);
    assert_int_equal(pair_rig_count(&rig, SCOPE, API, EDGE_ORPHAN), 0);
    assert_int_equal(pair_rig_count(&rig, WEB, API, EDGE_CALL), 1);
    pair_rig_close(&rig);
}

static void
what_was_told_stays_when_the_horizon_ends(void **state)
{
    struct pair_cfg cfg = pair_rig_cfg();
    struct pair_rig rig;

    (void)state;
    pair_rig_open(&rig, &cfg);
    pair_rig_send(&rig, pair_rig_span(SPAN_CLIENT, 1, 0, WEB), 0);
    pair_rig_pass(&rig, 600 * S);
    pair_rig_send(&rig, pair_rig_span(SPAN_SERVER, 2, 1, API), 0);
    pair_rig_pass(&rig, 300 * S);
    assert_int_equal(pair_stats(rig.pair).live, 1);
    assert_int_equal(pair_rig_count(&rig, WEB, API, EDGE_CALL), 1);
    pair_rig_pass(&rig, 60 * S);
    /* Its client is forgotten, but it had one. */
    assert_int_equal(pair_rig_count(&rig, SCOPE, API, EDGE_ORPHAN), 0);
    assert_int_equal(pair_rig_count(&rig, WEB, API, EDGE_CALL), 1);
    pair_rig_close(&rig);
}

static void
a_waiting_child_outlives_those_that_waited_with_it(void **state)
{
    struct pair_cfg cfg = pair_rig_cfg();
    struct pair_rig rig;

    (void)state;
    pair_rig_open(&rig, &cfg);
    pair_rig_send(&rig, pair_rig_span(SPAN_SERVER, 2, 1, API), 0);
    pair_rig_pass(&rig, 800 * S);
    pair_rig_send(&rig, pair_rig_span(SPAN_SERVER, 3, 1, API), 0);
    pair_rig_pass(&rig, 400 * S);
    pair_rig_send(&rig, pair_rig_span(SPAN_CLIENT, 1, 0, WEB), 0);
    assert_int_equal(pair_rig_count(&rig, SCOPE, API, EDGE_ORPHAN), 1);
    assert_int_equal(pair_rig_count(&rig, WEB, API, EDGE_CALL), 1);
    pair_rig_close(&rig);
}

static void
a_sampled_latency_is_not_sampled_again(void **state)
{
    struct pair_cfg cfg = pair_rig_cfg();
    struct edge_key key = {WEB, API, EDGE_CALL};
    struct pair_rig rig;

    (void)state;
    pair_rig_open(&rig, &cfg);
    pair_rig_send(&rig, pair_rig_span(SPAN_SERVER, 3, 1, API), 0);
    pair_rig_pass(&rig, 600 * S);
    pair_rig_send(&rig, pair_rig_span(SPAN_CLIENT, 1, 0, WEB), 0);
    pair_rig_pass(&rig, 300 * S); /* span 3 is forgotten */
    pair_rig_send(&rig, pair_rig_span(SPAN_SERVER, 2, 1, API), 0);
    assert_int_equal(pair_sums_get(&rig.sums, key).count, 2);
    assert_int_equal(pair_sums_get(&rig.sums, key).samples, 1);
    pair_rig_close(&rig);
}

static void
time_never_goes_back(void **state)
{
    struct pair_cfg cfg = pair_rig_cfg();
    struct pair_rig rig;

    (void)state;
    pair_rig_open(&rig, &cfg);
    pair_rig_pass(&rig, 100 * S);
    rig.now_ns -= 50 * S;
    pair_rig_send(&rig, pair_rig_span(SPAN_SERVER, 2, 1, API), 0);
    pair_rig_pass(&rig, 109 * S);
    assert_int_equal(pair_rig_count(&rig, SCOPE, API, EDGE_ORPHAN), 0);
    pair_rig_pass(&rig, 1 * S);
    assert_int_equal(pair_rig_count(&rig, SCOPE, API, EDGE_ORPHAN), 1);
    pair_rig_close(&rig);
}

static void
finish_ends_all_waits_and_forgets_nothing(void **state)
{
    struct pair_cfg cfg = pair_rig_cfg();
    struct pair_rig rig;

    (void)state;
    pair_rig_open(&rig, &cfg);
    pair_rig_send(&rig, pair_rig_span(SPAN_SERVER, 2, 1, API), 0);
    pair_finish(rig.pair);
    assert_int_equal(pair_rig_count(&rig, SCOPE, API, EDGE_ORPHAN), 1);
    assert_int_equal(pair_stats(rig.pair).live, 1);
    pair_rig_send(&rig, pair_rig_span(SPAN_CLIENT, 1, 0, WEB), 0);
    assert_int_equal(pair_rig_count(&rig, WEB, API, EDGE_CALL), 1);
    pair_rig_close(&rig);
}

static void
a_horizon_shorter_than_the_wait_ends_the_wait_first(void **state)
{
    struct pair_cfg cfg = pair_rig_cfg();
    struct pair_rig rig;

    (void)state;
    cfg.horizon_ns = 10 * S;
    pair_rig_open(&rig, &cfg);
    pair_rig_send(&rig, pair_rig_span(SPAN_SERVER, 2, 1, API), 0);
    pair_rig_pass(&rig, 10 * S);
    assert_int_equal(pair_rig_count(&rig, SCOPE, API, EDGE_ORPHAN), 1);
    pair_rig_close(&rig);
}

/* ---- repeats ---- */

static void
the_same_batch_after_half_a_minute_counts_once(void **state)
{
    struct pair_cfg cfg = pair_rig_cfg();
    struct pair_rig rig;

    (void)state;
    pair_rig_open(&rig, &cfg);
    for (int i = 0; i < 2; i++) {
        pair_rig_send(&rig, pair_rig_span(SPAN_CLIENT, 1, 0, WEB), 0);
        pair_rig_send(&rig, pair_rig_span(SPAN_SERVER, 2, 1, API), 0);
        pair_rig_pass(&rig, 30 * S);
    }
    assert_int_equal(pair_rig_count(&rig, WEB, API, EDGE_CALL), 1);
    assert_int_equal(pair_rig_count(&rig, 0, API, EDGE_TRAFFIC), 1);
    assert_int_equal(pair_rig_count(&rig, SCOPE, WEB, EDGE_DUPLICATE), 1);
    assert_int_equal(pair_stats(rig.pair).duplicates, 2);
    assert_int_equal(pair_stats(rig.pair).spans, 2);
    pair_rig_close(&rig);
}

static void
a_repeat_beyond_the_horizon_counts_anew(void **state)
{
    struct pair_cfg cfg = pair_rig_cfg();
    struct pair_rig rig;

    (void)state;
    pair_rig_open(&rig, &cfg);
    pair_rig_send(&rig, pair_rig_span(SPAN_SERVER, 2, 0, API), 0);
    pair_rig_pass(&rig, 900 * S - 1);
    pair_rig_send(&rig, pair_rig_span(SPAN_SERVER, 2, 0, API), 0);
    assert_int_equal(pair_rig_count(&rig, 0, API, EDGE_TRAFFIC), 1);
    pair_rig_pass(&rig, 1);
    pair_rig_send(&rig, pair_rig_span(SPAN_SERVER, 2, 0, API), 0);
    assert_int_equal(pair_rig_count(&rig, 0, API, EDGE_TRAFFIC), 2);
    pair_rig_close(&rig);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_server_waits_for_its_client),
        cmocka_unit_test(a_wait_ends_to_the_nanosecond),
        cmocka_unit_test(a_late_server_takes_back_the_virtual_edge),
        cmocka_unit_test(a_client_exported_after_ten_minutes_still_pairs),
        cmocka_unit_test(what_was_told_stays_when_the_horizon_ends),
        cmocka_unit_test(a_waiting_child_outlives_those_that_waited_with_it),
        cmocka_unit_test(a_sampled_latency_is_not_sampled_again),
        cmocka_unit_test(time_never_goes_back),
        cmocka_unit_test(finish_ends_all_waits_and_forgets_nothing),
        cmocka_unit_test(a_horizon_shorter_than_the_wait_ends_the_wait_first),
        cmocka_unit_test(the_same_batch_after_half_a_minute_counts_once),
        cmocka_unit_test(a_repeat_beyond_the_horizon_counts_anew),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
