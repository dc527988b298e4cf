#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/traffic.h"

#define NOW STORED_NOW
#define S   NS_PER_S

static enum err
send(uint32_t number, uint32_t pairs, uint64_t at_ns)
{
    return traffic_send(&traffic, number, pairs, TRAFFIC_BOTH, at_ns);
}

/* ---- exactly once ---- */

static void
what_was_flushed_is_stored_once_whatever_comes_after(void **state)
{
    (void)state;
    traffic_open(&traffic, NOW);
    assert_int_equal(send(1, 10, NOW), OK);
    assert_int_equal(engine_finish(traffic.engine), OK);
    for (int round = 0; round < 4; round++) {
        assert_int_equal(traffic_stored(1), 10);
        assert_int_equal(traffic_calls(1), 10);
        assert_int_equal(stored_counter("spans"), 20);
        traffic_reopen(&traffic, NOW + S);
        if (round % 2)
            assert_int_equal(engine_finish(traffic.engine), OK);
    }
}

static void
what_was_acknowledged_and_not_flushed_counts_after_a_restart(void **state)
{
    (void)state;
    traffic.cfg = engine_cfg_default;
    traffic.cfg.flush_ms = 1000000;
    traffic.cfg.pair.max_spans = 1000;
    traffic.cfg.pair.max_producers = 10;
    traffic_open(&traffic, NOW);
    traffic_flush_by(&traffic, NOW); /* the first is always due */
    assert_int_equal(send(1, 10, NOW + S), OK);
    assert_int_equal(send(2, 7, NOW + 2 * S), OK);
    assert_int_equal(traffic_stored(1), 0);
    for (int round = 0; round < 3; round++)
        traffic_reopen(
            &traffic,
            NOW + 3 * S); /* again and again before anything is flushed */
    assert_int_equal(engine_finish(traffic.engine), OK);
    assert_int_equal(traffic_stored(1), 10);
    assert_int_equal(traffic_calls(2), 7);
    assert_int_equal(stored_counter("spans"), 34);
    assert_int_equal(stored_counter("requests"), 3);
}

static void
halves_find_each_other_over_a_restart(void **state)
{
    (void)state;
    for (uint32_t n = 0; n < 2; n++) {
        enum traffic_half first = n ? TRAFFIC_SERVERS : TRAFFIC_CLIENTS;
        enum traffic_half second = n ? TRAFFIC_CLIENTS : TRAFFIC_SERVERS;
        uint64_t at = NOW + n * 100 * S;
        traffic_open(&traffic, at);
        assert_int_equal(traffic_send(&traffic, n, 5, first, at), OK);
        traffic_flush_by(&traffic, at + 2 * S);
        traffic_reopen(&traffic, at + 3 * S);
        assert_int_equal(traffic_send(&traffic, n, 5, second, at + 4 * S), OK);
        assert_int_equal(engine_finish(traffic.engine), OK);
        assert_int_equal(traffic_calls(n), 5);
        assert_int_equal(traffic_stored(n), 5);
        traffic_close(&traffic);
    }
    assert_int_equal(stored_ask("SELECT coalesce(sum(count), 0) FROM edge"
                                " WHERE kind = 3"),
                     0);
}

static void
a_late_half_takes_back_what_was_stored_before_the_restart(void **state)
{
    (void)state;
    traffic_open(&traffic, NOW);
    assert_int_equal(traffic_send(&traffic, 1, 5, TRAFFIC_CLIENTS, NOW), OK);
    traffic_flush_by(&traffic, NOW + 90 * S);
    assert_int_equal(stored_ask("SELECT sum(count) FROM edge WHERE kind = 3"),
                     5);
    traffic_reopen(&traffic, NOW + 100 * S);
    assert_int_equal(
        traffic_send(&traffic, 1, 5, TRAFFIC_SERVERS, NOW + 300 * S), OK);
    traffic_flush_by(&traffic, NOW + 302 * S);
    assert_int_equal(stored_ask("SELECT sum(count) FROM edge WHERE kind = 3"),
                     0);
    assert_int_equal(traffic_calls(1), 5);
}

static void
what_the_end_of_an_input_settled_stays_settled(void **state)
{
    (void)state;
    traffic_open(&traffic, NOW);
    for (uint32_t n = 0; n < 4; n++) {
        /* Halves that find nobody: told when the input ends, and only then. */
        assert_int_equal(
            traffic_send(&traffic, n, 5, TRAFFIC_CLIENTS, NOW + n * S), OK);
        if (n % 2 == 0)
            assert_int_equal(engine_finish(traffic.engine), OK);
        traffic_reopen(&traffic, NOW + n * S);
    }
    assert_int_equal(engine_finish(traffic.engine), OK);
    assert_int_equal(stored_ask("SELECT sum(count) FROM edge WHERE kind = 3"),
                     20);
    /* And what comes after all takes it back. */
    assert_int_equal(traffic_send(&traffic, 0, 5, TRAFFIC_SERVERS, NOW + 9 * S),
                     OK);
    assert_int_equal(engine_finish(traffic.engine), OK);
    assert_int_equal(stored_ask("SELECT sum(count) FROM edge WHERE kind = 3"),
                     15);
    assert_int_equal(traffic_calls(0), 5);
}

static void
an_exact_retry_counts_once(void **state)
{
    (void)state;
    traffic_open(&traffic, NOW);
    assert_int_equal(send(1, 10, NOW), OK);
    assert_int_equal(send(1, 10, NOW + 30 * S), OK);
    traffic_reopen(&traffic, NOW + 40 * S);
    assert_int_equal(send(1, 10, NOW + 60 * S), OK);
    /* By then its digest is forgotten; its spans are not: nothing is counted
     * twice within the horizon. */
    assert_int_equal(engine_finish(traffic.engine), OK);
    assert_int_equal(traffic_stored(1), 10);
    assert_int_equal(stored_counter("requests"), 1);
    assert_int_equal(stored_counter("requests_duplicate"), 2);
    assert_int_equal(stored_counter("duplicates"), 40);
    assert_int_equal(stored_ask("SELECT count(*) FROM journal"), 1);
}

static void
a_retry_that_counted_anew_is_known_from_then_on(void **state)
{
    (void)state;
    traffic.cfg = engine_cfg_default;
    traffic.cfg.flush_ms = 10000000;
    traffic.cfg.pair.horizon_ns = 4000 * S;
    traffic.cfg.pair.max_spans = 1000;
    traffic.cfg.pair.max_producers = 10;
    traffic_open(&traffic, NOW);
    assert_int_equal(send(1, 3, NOW), OK);
    assert_int_equal(send(2, 3, NOW + 800 * S), OK);
    assert_int_equal(send(1, 3, NOW + 910 * S), OK); /* forgotten by now */
    traffic_reopen(&traffic, NOW); /* with a clock that was set back */
    assert_int_equal(send(1, 3, NOW + 1700 * S), OK);
    assert_int_equal(engine_finish(traffic.engine), OK);
    assert_int_equal(stored_counter("requests"), 3);
    assert_int_equal(stored_counter("requests_duplicate"), 1);
    assert_int_equal(traffic_stored(1), 3);
}

static void
a_rebatched_retry_is_known_by_its_spans(void **state)
{
    (void)state;
    traffic_open(&traffic, NOW);
    assert_int_equal(send(1, 10, NOW), OK);
    assert_int_equal(traffic_send(&traffic, 1, 10, TRAFFIC_SERVERS, NOW + S),
                     OK);
    assert_int_equal(engine_finish(traffic.engine), OK);
    assert_int_equal(traffic_stored(1), 10);
    assert_int_equal(stored_counter("duplicates"), 10);
    assert_int_equal(stored_counter("requests"), 2);
}

static void
a_request_without_digest_is_never_a_retry(void **state)
{
    (void)state;
    traffic_open(&traffic, NOW);
    for (uint32_t n = 0; n < 3; n++) {
        enum err err = ERR_CANCELLED;
        struct stub_batch *batch =
            traffic_batch(&traffic, n, 1, TRAFFIC_BOTH, NOW);
        engine_submit(traffic.engine, batch, (struct digest128){0},
                      traffic_note, &err);
        assert_int_equal(err, OK);
    }
    assert_int_equal(stored_ask("SELECT count(*) FROM journal"), 3);
    assert_int_equal(
        stored_ask("SELECT count(*) FROM journal WHERE digest IS NULL"), 3);
}

/* ---- every point of a crash ---- */

enum { STEPS = 26 };

/* Clients long before servers and the other way round, waits that end between
 * and are taken back, repeats, and flushes at odd moments. */
static void
take_step(int step)
{
    uint64_t at = NOW + (uint64_t)step * 13 * S;
    uint32_t number = (uint32_t)step % 5;

    switch (step % 4) {
    case 0:
        (void)traffic_send(&traffic, number, 6, TRAFFIC_CLIENTS, at);
        break;
    case 1:
        (void)traffic_send(&traffic, number + 1, 6, TRAFFIC_SERVERS, at);
        break;
    case 2:
        (void)send(100 + (uint32_t)step / 8, 3, at);
        break;
    default:
        (void)traffic_send(&traffic, (uint32_t)step % 7, 4,
                           step % 8 == 3 ? TRAFFIC_CLIENTS : TRAFFIC_SERVERS,
                           at);
        break;
    }
}

static void
run_script(int crash_after, uint32_t flush_ms, uint64_t horizon_ns,
           struct buf *out)
{
    stored_empty();
    traffic = (struct traffic){.cfg = engine_cfg_default};
    traffic.cfg.flush_ms = flush_ms;
    traffic.cfg.pair.horizon_ns = horizon_ns;
    traffic.cfg.pair.wait_ns = 60 * S;
    traffic.cfg.pair.max_spans = 2000;
    traffic.cfg.pair.max_producers = 10;
    traffic_open(&traffic, NOW);
    for (int step = 0; step < STEPS; step++) {
        take_step(step);
        if (step == crash_after || crash_after == STEPS)
            traffic_reopen(&traffic, NOW + (uint64_t)step * 13 * S + S);
    }
    assert_int_equal(engine_finish(traffic.engine), OK);
    traffic_close(&traffic);
    traffic_dump(out);
}

static void
crash_everywhere(uint64_t horizon_ns)
{
    static const uint32_t flush_ms[] = {0, 20000, 70000, 4000000};
    struct buf want = {0};

    run_script(-1, 0, horizon_ns, &want);
    assert_true(want.len > 500);
    for (int i = 0; i < 4; i++) {
        for (int at = -1; at <= STEPS; at++) {
            struct buf got = {0};
            run_script(at, flush_ms[i], horizon_ns, &got);
            if (!str_eq(buf_str(&want), buf_str(&got)))
                fail_msg("crash after step %d, flush every %u ms, horizon of "
                         "%lu s:\n%s\n%s",
                         at, flush_ms[i], horizon_ns / S, buf_cstr(&want),
                         buf_cstr(&got));
            buf_fini(&got);
        }
    }
    buf_fini(&want);
}

static void
a_crash_at_any_point_changes_nothing(void **state)
{
    (void)state;
    crash_everywhere(900 * S); /* no span is forgotten */
    crash_everywhere(61 * S);
    crash_everywhere(120 * S);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TRAFFIC_TEST(what_was_flushed_is_stored_once_whatever_comes_after),
        TRAFFIC_TEST(
            what_was_acknowledged_and_not_flushed_counts_after_a_restart),
        TRAFFIC_TEST(halves_find_each_other_over_a_restart),
        TRAFFIC_TEST(a_late_half_takes_back_what_was_stored_before_the_restart),
        TRAFFIC_TEST(what_the_end_of_an_input_settled_stays_settled),
        TRAFFIC_TEST(an_exact_retry_counts_once),
        TRAFFIC_TEST(a_retry_that_counted_anew_is_known_from_then_on),
        TRAFFIC_TEST(a_rebatched_retry_is_known_by_its_spans),
        TRAFFIC_TEST(a_request_without_digest_is_never_a_retry),
        TRAFFIC_TEST(a_crash_at_any_point_changes_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
