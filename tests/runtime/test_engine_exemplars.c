#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#include "tests/support/traffic.h"

#define NOW STORED_NOW
#define S   NS_PER_S

/* Whether call |pair| of request |number| is the trace of an edge, as one that
 * failed or not. */
static int64_t
kept(uint32_t number, uint32_t pair, bool failed)
{
    char sql[160];

    snprintf(sql, sizeof(sql),
             "SELECT count(*) FROM edge_exemplar WHERE failed = %d"
             " AND hex(trace) = '0000000000000007%08X%08X'",
             failed, number, pair + 1);
    return stored_ask(sql);
}

static void
open_with(bool exemplars)
{
    traffic.cfg = engine_cfg_default;
    traffic.cfg.exemplars = exemplars;
    traffic.cfg.pair.max_spans = 1000;
    traffic.cfg.pair.max_producers = 10;
    traffic_open(&traffic, NOW);
}

static void
send(uint32_t number, enum traffic_half half, uint64_t at_ns)
{
    assert_int_equal(traffic_send(&traffic, number, 3, half, at_ns), OK);
}

static void
none_are_kept_unless_asked_for(void **state)
{
    (void)state;
    open_with(false);
    send(1, TRAFFIC_BOTH, NOW);
    assert_int_equal(engine_finish(traffic.engine), OK);
    assert_int_equal(traffic_calls(1), 3);
    assert_int_equal(stored_ask("SELECT count(*) FROM edge_exemplar"), 0);
}

static void
an_edge_has_the_trace_it_was_observed_in(void **state)
{
    (void)state;
    open_with(true);
    send(1, TRAFFIC_BOTH, NOW);
    send(5, TRAFFIC_BOTH, NOW + S);
    assert_int_equal(engine_finish(traffic.engine), OK);
    assert_int_equal(kept(1, 0, true), 1); /* the first fails */
    assert_int_equal(kept(1, 1, false), 1);
    assert_int_equal(kept(5, 0, true), 1);
    assert_int_equal(kept(5, 1, false), 1);
    /* The calls of functions and the traffic of routes are no edges. */
    assert_int_equal(stored_ask("SELECT count(*) FROM edge_exemplar JOIN edge"
                                " ON id = edge WHERE kind <> 1"),
                     0);
    assert_int_equal(stored_ask("SELECT count(*) FROM edge_exemplar"), 4);
}

static void
what_was_not_flushed_keeps_its_trace_over_a_restart(void **state)
{
    (void)state;
    open_with(true);
    send(1, TRAFFIC_BOTH, NOW);
    traffic_reopen(&traffic, NOW + S);
    assert_int_equal(engine_finish(traffic.engine), OK);
    assert_int_equal(kept(1, 0, true), 1);
    assert_int_equal(kept(1, 1, false), 1);
}

static void
a_later_minute_has_another_and_the_first_stays_behind_it(void **state)
{
    (void)state;
    open_with(true);
    for (uint32_t n = 0; n < 3; n++) {
        uint64_t at = NOW + n * (61 * S);
        struct stub_batch *batch =
            traffic_batch(&traffic, 1, 1, TRAFFIC_BOTH, at);
        enum err err = ERR_STORE;
        for (uint32_t i = 0; i < batch->stub_len; i++)
            batch->stubs[i].trace_lo = (uint64_t)n + 1;
        engine_submit(traffic.engine, batch, (struct digest128){0},
                      traffic_note, &err);
        assert_int_equal(err, OK);
        traffic_flush_by(&traffic, at + 2 * S);
    }
    assert_int_equal(stored_ask("SELECT count(*) FROM edge_exemplar"), 1);
    assert_int_equal(stored_ask("SELECT substr(hex(trace), 32) || "
                                "substr(hex(before), 32) FROM edge_exemplar"),
                     32);
    assert_int_equal(stored_ask("SELECT at_s - before_s FROM edge_exemplar"),
                     61);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TRAFFIC_TEST(none_are_kept_unless_asked_for),
        TRAFFIC_TEST(an_edge_has_the_trace_it_was_observed_in),
        TRAFFIC_TEST(what_was_not_flushed_keeps_its_trace_over_a_restart),
        TRAFFIC_TEST(a_later_minute_has_another_and_the_first_stays_behind_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
