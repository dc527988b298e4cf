/*
 * A flush in several steps, cut short between and within them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sqlite3.h>

#include "runtime/engine_impl.h"
#include "store/journal_rows.h"
#include "tests/support/fault_vfs.h"
#include "tests/support/traffic.h"

#define NOW STORED_NOW
#define S   NS_PER_S

enum { PAIRS = 3, ROUNDS_MAX = 2000 };

static int
setup(void **state)
{
    traffic = (struct traffic){.cfg = engine_cfg_default};
    traffic.cfg.flush_ms = 1 << 30;
    traffic.cfg.part_edges = 1;
    traffic.cfg.pair.max_spans = 2000;
    traffic.cfg.pair.max_producers = 10;
    return stored_setup(state);
}

/* No flush is due before somebody asks for one. */
static void
open_at(uint64_t now_ns)
{
    traffic_open(&traffic, now_ns);
    traffic.engine->flushed_ns = traffic.engine->now_ns;
}

static enum err
send(uint32_t number)
{
    return traffic_send(&traffic, number, PAIRS, TRAFFIC_BOTH,
                        NOW + number * S);
}

static void
expect_all(uint32_t requests)
{
    for (uint32_t n = 1; n <= requests; n++) {
        assert_int_equal(traffic_stored(n), PAIRS);
        assert_int_equal(traffic_calls(n), PAIRS);
    }
    assert_int_equal(stored_counter("spans"), 2 * PAIRS * requests);
    assert_int_equal(stored_ask("SELECT count(*) FROM flush_part"), 0);
}

/* The process ends with operation |at| of the disk, and with |power_seed| the
 * power goes; then it is opened again.  Returns how the flush ended. */
static enum err
flush_and_die(uint64_t at, uint64_t power_seed, uint64_t now_ns)
{
    fault_vfs_heal();
    fault_vfs_die_at(at);
    enum err err = engine_finish(traffic.engine);
    fault_vfs_die_at(1);
    traffic_close(&traffic);
    fault_vfs_heal();
    if (power_seed) {
        fault_vfs_lose_power(power_seed);
        fault_vfs_record();
    }
    open_at(now_ns);
    return err;
}

static void
die_everywhere(bool power)
{
    uint32_t number = 0;
    uint32_t cut_short = 0; /* with parts that were whole in the store */
    enum err err = ERR_STORE;

    if (power)
        fault_vfs_record();
    open_at(NOW);
    for (uint64_t at = 1; err; at++) {
        number++;
        assert_true(number < ROUNDS_MAX);
        assert_int_equal(send(number), OK);
        err = flush_and_die(at, power ? at : 0, NOW + number * S);
        cut_short += traffic.engine->flush.phase == FLUSH_ADD;
        if (number % 3 == 0) {
            assert_int_equal(engine_finish(traffic.engine), OK);
            expect_all(number);
        }
    }
    assert_int_equal(engine_finish(traffic.engine), OK);
    expect_all(number);
    assert_true(cut_short > 3);
}

static void
dying_at_any_operation_loses_and_repeats_nothing(void **state)
{
    (void)state;
    die_everywhere(false);
}

static void
neither_does_the_power_going(void **state)
{
    (void)state;
    die_everywhere(true);
}

static void
a_step_that_fails_is_done_again(void **state)
{
    uint32_t number = 0;
    enum err err = ERR_STORE;

    (void)state;
    open_at(NOW);
    for (uint64_t at = 1; err; at++) {
        number++;
        assert_int_equal(send(number), OK);
        fault_vfs_heal();
        fault_vfs_fail_at(at, at % 2 ? SQLITE_IOERR_WRITE : SQLITE_FULL, true);
        err = engine_finish(traffic.engine);
        assert_true(!err || err == ERR_STORE);
        fault_vfs_heal();
    }
    assert_true(number > 20);
    expect_all(number);
}

/* Takes steps until those of |phase| are next. */
static void
step_to(enum flush_phase phase)
{
    while (traffic.engine->flush.phase != phase)
        assert_int_equal(engine_flush_step(traffic.engine, 0), OK);
}

static void
what_comes_between_the_steps_is_in_the_next_flush(void **state)
{
    (void)state;
    open_at(NOW);
    assert_int_equal(send(1), OK);
    assert_int_equal(send(2), OK);
    assert_int_equal(engine_flush_begin(traffic.engine), OK);
    assert_int_equal(traffic.engine->flush.phase, FLUSH_STAGE);
    for (uint32_t n = 3; traffic.engine->flush.phase != FLUSH_NONE; n++) {
        assert_int_equal(send(n), OK);
        assert_int_equal(traffic_stored(n), 0);
        assert_int_equal(engine_flush_step(traffic.engine, 0), OK);
        assert_int_equal(traffic_stored(n), 0);
    }
    expect_all(2);
    traffic_close(&traffic);
    open_at(NOW + 100 * S);
    assert_int_equal(engine_finish(traffic.engine), OK);
    assert_int_equal(traffic_stored(3), PAIRS);
    assert_int_equal(traffic_stored(12), PAIRS);
}

static void
a_small_flush_is_one_step_and_leaves_no_part(void **state)
{
    (void)state;
    traffic.cfg.part_edges = 256;
    open_at(NOW);
    assert_int_equal(send(1), OK);
    assert_int_equal(send(2), OK);
    assert_int_equal(engine_flush_begin(traffic.engine), OK);
    assert_int_equal(traffic.engine->flush.phase, FLUSH_COVER);
    assert_int_equal(engine_flush_step(traffic.engine, 0), OK);
    expect_all(2);
    assert_int_equal(traffic.engine->flush.phase, FLUSH_TRIM);
    step_to(FLUSH_NONE);
}

static void
a_flush_trims_the_journal_until_nothing_is_left_to_trim(void **state)
{
    const uint32_t requests = 3 * STORE_TRIM_ROWS + 1;

    (void)state;
    traffic.cfg.pair.horizon_ns = S;
    traffic.cfg.pair.wait_ns = S;
    open_at(NOW);
    for (uint32_t n = 1; n <= requests; n++)
        assert_int_equal(traffic_send(&traffic, n, 0, TRAFFIC_BOTH, NOW), OK);
    traffic_close(&traffic);
    stored_into_table();
    open_at(NOW);
    assert_int_equal(traffic_send(&traffic, requests + 1, 0, TRAFFIC_BOTH,
                                  NOW + ENGINE_DIGEST_NS + S),
                     OK);
    assert_int_equal(stored_ask("SELECT count(*) FROM journal"), requests + 1);
    assert_int_equal(engine_finish(traffic.engine), OK);
    assert_int_equal(stored_ask("SELECT count(*) FROM journal"), 1);
}

static int told;
static enum err told_err;

static void
on_flush(void *ctx, uint64_t duration_ns, enum err err)
{
    (void)ctx;
    (void)duration_ns;
    told++;
    told_err = err;
}

static void
a_flush_without_memory_is_told_and_tried_again(void **state)
{
    (void)state;
    told = 0;
    open_at(NOW);
    engine_on_flush(traffic.engine, on_flush, NULL);
    assert_int_equal(send(1), OK);
    traffic.engine->flush.parts.bytes.cap_max = 8;
    assert_int_equal(engine_flush_begin(traffic.engine), ERR_NOMEM);
    assert_int_equal(told, 1);
    assert_int_equal(told_err, ERR_NOMEM);
    assert_false(engine_is_writable(traffic.engine));
    assert_int_equal(engine_finish(traffic.engine), OK);
    assert_int_equal(told_err, OK);
    assert_true(engine_is_writable(traffic.engine));
    expect_all(1);
}

static int64_t
seconds_added(void)
{
    return stored_ask("SELECT value / 1000000000 FROM meta"
                      " WHERE key = 'added_ns'");
}

static void
what_is_not_yet_in_the_edges_is_not_said_to_be(void **state)
{
    (void)state;
    open_at(NOW);
    assert_int_equal(send(1), OK);
    assert_int_equal(engine_finish(traffic.engine), OK);
    int64_t before_s = seconds_added();
    assert_int_equal(send(50), OK);
    assert_int_equal(engine_flush_begin(traffic.engine), OK);
    step_to(FLUSH_ADD);
    assert_int_equal(seconds_added(), before_s);
    traffic_close(&traffic);
    open_at(NOW + 60 * S);
    assert_int_equal(seconds_added(), before_s);
    step_to(FLUSH_TRIM);
    assert_int_equal(seconds_added(), NOW / S + 50);
}

static void
a_damaged_part_is_left_out_and_told(void **state)
{
    (void)state;
    open_at(NOW);
    assert_int_equal(send(1), OK);
    assert_int_equal(engine_finish(traffic.engine), OK);
    assert_int_equal(send(2), OK);
    assert_int_equal(engine_flush_begin(traffic.engine), OK);
    step_to(FLUSH_ADD);
    int64_t parts = stored_ask("SELECT count(*) FROM flush_part");
    assert_true(parts > 3);
    traffic_close(&traffic);
    stored_tell("UPDATE flush_part SET data = substr(data, 2) WHERE seq = 1;"
                "UPDATE flush_part SET data = 7 WHERE seq = 2;"
                "DELETE FROM flush_part WHERE seq = 3");
    open_at(NOW + 9 * S);
    assert_int_equal(edge_parts_len(&traffic.engine->flush.parts), parts);
    for (int64_t added = 1; added < parts; added++) { /* each by its number */
        assert_int_equal(engine_flush_step(traffic.engine, 0), OK);
        assert_int_equal(stored_ask("SELECT min(seq) FROM flush_part"),
                         added == 2 ? 4 : added + 1);
    }
    assert_int_equal(engine_finish(traffic.engine), OK);
    assert_int_equal(traffic_loss("edges_dropped"), 3);
    assert_int_equal(traffic_stored(1), PAIRS);
    assert_int_equal(stored_ask("SELECT count(*) FROM flush_part"), 0);
    assert_int_equal(send(3), OK);
    assert_int_equal(engine_finish(traffic.engine), OK);
    assert_int_equal(traffic_stored(3), PAIRS);
}

#define TEST(name) \
    cmocka_unit_test_setup_teardown(name, setup, traffic_teardown)

/* Clients, and in other requests their servers, after so many others that some
 * come just before the client is forgotten and some just after. */
static void
send_late(uint32_t number)
{
    uint64_t now_ns = NOW + number * S;

    assert_int_equal(
        traffic_send(&traffic, number, 1 + number % 4, TRAFFIC_CLIENTS, now_ns),
        OK);
    for (uint32_t n = 1; n < number; n++) {
        if (n + 3 + n * 7 % 11 == number)
            assert_int_equal(
                traffic_send(&traffic, n, 1 + n % 4, TRAFFIC_SERVERS, now_ns),
                OK);
    }
}

/* Flushed with each |period|th request, and opened anew now and then; 0:
 * never. */
static void
run_at_the_bound(uint32_t period, struct buf *dump)
{
    stored_empty();
    open_at(NOW);
    for (uint32_t n = 1; n <= 150; n++) {
        send_late(n);
        if (period && n % period == 0)
            assert_int_equal(engine_flush(traffic.engine), OK);
        if (period && n % (period + 2) == 0) {
            traffic_close(&traffic);
            open_at(NOW + n * S);
        }
    }
    assert_int_equal(engine_finish(traffic.engine), OK);
    traffic_dump(dump);
    assert_true(stored_counter("evicted") > 300);
    traffic_close(&traffic);
}

static void
who_is_evicted_does_not_depend_on_how_often_it_was_opened(void **state)
{
    struct buf calm = {0};

    (void)state;
    traffic.cfg.pair.max_spans = 50;
    run_at_the_bound(0, &calm);
    for (uint32_t period = 1; period <= 12; period++) {
        struct buf dump = {0};
        run_at_the_bound(period, &dump);
        assert_int_equal(dump.len, calm.len);
        assert_memory_equal(dump.ptr, calm.ptr, calm.len);
        buf_fini(&dump);
    }
    buf_fini(&calm);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(dying_at_any_operation_loses_and_repeats_nothing),
        TEST(a_step_that_fails_is_done_again),
        TEST(what_comes_between_the_steps_is_in_the_next_flush),
        TEST(a_small_flush_is_one_step_and_leaves_no_part),
        TEST(a_flush_trims_the_journal_until_nothing_is_left_to_trim),
        TEST(a_damaged_part_is_left_out_and_told),
        TEST(a_flush_without_memory_is_told_and_tried_again),
        TEST(what_is_not_yet_in_the_edges_is_not_said_to_be),
        TEST(who_is_evicted_does_not_depend_on_how_often_it_was_opened),
        /* the last: from here on all files are watched */
        TEST(neither_does_the_power_going),
    };

    fault_vfs_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
