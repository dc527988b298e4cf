#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include <sqlite3.h>

#include "base/metrics.h"
#include "store/edge_rows.h"
#include "store/node_rows.h"
#include "tests/support/fault_vfs.h"
#include "tests/support/traffic.h"

#define NOW STORED_NOW
#define S   NS_PER_S

static enum err
send(uint32_t number, uint32_t pairs, uint64_t at_ns)
{
    return traffic_send(&traffic, number, pairs, TRAFFIC_BOTH, at_ns);
}

/* ---- failing disks ---- */

static void
a_full_disk_refuses_and_heals(void **state)
{
    (void)state;
    traffic_open(&traffic, NOW);
    assert_int_equal(send(1, 10, NOW), OK);
    assert_true(engine_is_writable(traffic.engine));
    fault_vfs_fill();
    for (uint32_t n = 2; n < 5; n++)
        assert_int_equal(send(n, 10, NOW + n * S), ERR_STORE);
    assert_false(engine_is_writable(traffic.engine));
    assert_true(engine_has_room(traffic.engine, 1));
    fault_vfs_heal();
    assert_int_equal(send(3, 10, NOW + 9 * S), OK); /* the same again */
    assert_true(engine_is_writable(traffic.engine));
    assert_int_equal(engine_finish(traffic.engine), OK);
    assert_int_equal(traffic_stored(1), 10);
    assert_int_equal(traffic_stored(2), 0);
    assert_int_equal(traffic_stored(3), 10);
    assert_int_equal(stored_counter("requests"), 2);
    assert_int_equal(stored_counter("requests_duplicate"), 0);
    assert_int_equal(stored_counter("refused_store"), 60);
}

static void
every_failing_operation_of_the_disk_counts_each_answer_once(void **state)
{
    int64_t sent[400] = {0};
    uint32_t number = 0;

    (void)state;
    traffic_open(&traffic, NOW);
    for (uint64_t at = 1; at <= 60; at++) {
        fault_vfs_heal();
        fault_vfs_fail_at(at % 30 + 1,
                          at % 2 ? SQLITE_IOERR_FSYNC : SQLITE_FULL, at > 30);
        for (int i = 0; i < 3; i++, number++) {
            enum err err = send(number, 3, NOW + number * S);
            assert_true(!err || err == ERR_STORE);
            sent[number] = err ? 0 : 3;
        }
        fault_vfs_heal();
        if (at % 10 == 0)
            traffic_reopen(&traffic, NOW + number * S);
    }
    assert_int_equal(engine_finish(traffic.engine), OK);
    for (uint32_t n = 0; n < number; n++)
        assert_int_equal(traffic_stored(n), sent[n]);
}

static void
expect_kept(uint32_t hours, uint32_t days)
{
    int64_t now_s = (int64_t)(NOW / S);

    assert_int_equal(
        stored_ask("SELECT value FROM meta WHERE key = 'first_hour'"),
        now_s / S_PER_H - hours + 1);
    assert_int_equal(
        stored_ask("SELECT value FROM meta WHERE key = 'first_day'"),
        now_s / S_PER_DAY - days + 1);
}

/* To keep more from now on brings nothing back. */
static void
the_first_bucket_that_is_whole_is_told_and_never_falls(void **state)
{
    static const uint32_t hours[] = {5, 48, 2};
    static const uint32_t days[] = {3, 400, 4};

    (void)state;
    traffic.cfg = engine_cfg_default;
    traffic.cfg.pair.max_spans = 1000;
    traffic.cfg.pair.max_producers = 10;
    for (uint32_t i = 0; i < 3; i++) {
        traffic.cfg.hour_buckets = hours[i];
        traffic.cfg.day_buckets = days[i];
        traffic_reopen(&traffic, NOW);
        assert_int_equal(send(i, 1, NOW), OK);
        assert_int_equal(engine_finish(traffic.engine), OK);
        expect_kept(i < 2 ? 5 : 2, 3);
    }
}

static void
a_damaged_row_is_left_out_and_told(void **state)
{
    (void)state;
    traffic.cfg = engine_cfg_default;
    traffic.cfg.flush_ms = 1000000;
    traffic.cfg.pair.max_spans = 1000;
    traffic.cfg.pair.max_producers = 10;
    traffic_open(&traffic, NOW);
    traffic_flush_by(&traffic, NOW);
    for (uint32_t n = 1; n < 5; n++)
        assert_int_equal(send(n, 10, NOW + S), OK);
    traffic_close(&traffic);
    stored_into_table();
    stored_tell("UPDATE journal SET data = x'00' WHERE seq = 3;"
                "DELETE FROM node WHERE name = 'GET /4'");
    traffic_open(&traffic, NOW + 2 * S);
    assert_int_equal(engine_finish(traffic.engine), OK);
    assert_int_equal(traffic_stored(1), 10);
    assert_int_equal(traffic_stored(2), 0);
    assert_int_equal(traffic_stored(3), 10);
    assert_int_equal(traffic_loss("journal_damaged"), 40);
    traffic_reopen(&traffic, NOW + 3 * S);
    assert_int_equal(engine_finish(traffic.engine), OK);
    assert_int_equal(traffic_loss("journal_damaged"), 40);
}

/* One byte of the rows of the last group, which is of one row. */
static void
damage_last_group(void)
{
    enum { BEHIND_ROWS = 32 + 8 };
    struct stored_bytes bytes = stored_read(STORE_FILE "-seg1");

    bytes.ptr[bytes.len - BEHIND_ROWS - 20] ^= 1;
    stored_write(STORE_FILE "-seg1", bytes.ptr, bytes.len);
    free(bytes.ptr);
}

/* Nobody knows whether the last group was acknowledged: it is told, and a
 * sender who comes again is heard, once. */
static void
damage_of_the_last_row_is_told_and_a_retry_of_it_counts(void **state)
{
    int64_t told = metrics_get(METRIC_JOURNAL_DAMAGED);

    (void)state;
    traffic_open(&traffic, NOW);
    for (uint32_t n = 1; n <= 3; n++)
        assert_int_equal(send(n, 10, NOW), OK);
    traffic_close(&traffic);
    damage_last_group();

    traffic_open(&traffic, NOW + S);
    assert_int_equal(metrics_get(METRIC_JOURNAL_DAMAGED), told + 20);
    for (int round = 0; round < 2; round++) {
        assert_int_equal(send(3, 10, NOW + 2 * S), OK);
        assert_int_equal(send(4, 10, NOW + 2 * S), OK);
        traffic_reopen(&traffic, NOW + 3 * S);
    }
    assert_int_equal(engine_finish(traffic.engine), OK);
    for (uint32_t n = 1; n <= 4; n++)
        assert_int_equal(traffic_stored(n), 10);
    assert_int_equal(traffic_loss("journal_damaged"), 20);
}

/* What the stored edges have is not lost with its row, and is known again, as
 * long as its digest would have been. */
static void
damage_of_a_row_that_was_counted_loses_nothing_and_a_retry_is_known(
    void **state)
{
    int64_t told = metrics_get(METRIC_JOURNAL_DAMAGED);

    (void)state;
    traffic_open(&traffic, NOW);
    for (uint32_t n = 1; n <= 3; n++)
        assert_int_equal(send(n, 10, NOW), OK);
    assert_int_equal(engine_finish(traffic.engine), OK);
    traffic_close(&traffic);
    damage_last_group();

    for (uint32_t round = 0; round < 2; round++) {
        traffic_open(&traffic, NOW + S);
        assert_int_equal(send(3, 10, NOW + 2 * S), OK);
        assert_int_equal(engine_finish(traffic.engine), OK);
        assert_int_equal(traffic_stored(3), 10);
        assert_int_equal(traffic_calls(3), 10);
        traffic_close(&traffic);
    }
    traffic_open(&traffic, NOW + S);
    assert_int_equal(stored_counter("requests"), 3);
    assert_int_equal(traffic_loss("journal_damaged"), 0);
    assert_int_equal(metrics_get(METRIC_JOURNAL_DAMAGED), told);
}

static void
damaged_nodes_and_edges_are_refused(void **state)
{
    (void)state;
    traffic_open(&traffic, NOW);
    assert_int_equal(send(1, 1, NOW), OK);
    assert_int_equal(engine_finish(traffic.engine), OK);
    traffic_close(&traffic);
    stored_tell("UPDATE edge SET dst = 99999 WHERE id = 1");
    traffic.cfg.max_edges = 10;
    assert_int_equal(traffic_try_open(&traffic, NOW), ERR_CORRUPT);
    assert_null(traffic.engine);
    traffic_close(&traffic);
    stored_tell("UPDATE node SET id = 99999 WHERE id = 2");
    assert_int_equal(traffic_try_open(&traffic, NOW), ERR_CORRUPT);
}

/* ---- durability, housekeeping ---- */

static void
memory_keeps_no_journal_and_stores_at_the_end(void **state)
{
    (void)state;
    traffic.cfg = engine_cfg_default;
    traffic.cfg.durability = DURABILITY_MEMORY;
    traffic.cfg.pair.max_spans = 1000;
    traffic.cfg.pair.max_producers = 10;
    traffic_open(&traffic, NOW);
    assert_int_equal(engine_start(traffic.engine), OK);
    static enum err answers[20];
    for (uint32_t n = 0; n < 20; n++)
        engine_submit(
            traffic.engine, traffic_batch(&traffic, n, 3, TRAFFIC_BOTH, NOW),
            traffic_digest(n, TRAFFIC_BOTH), traffic_note, &answers[n]);
    engine_stop(traffic.engine);
    traffic_close(&traffic);
    assert_int_equal(stored_ask("SELECT count(*) FROM journal"), 0);
    assert_int_equal(stored_ask("SELECT sum(count) FROM edge WHERE kind = 32"),
                     60);
    traffic_open(&traffic, NOW);
    assert_int_equal(engine_finish(traffic.engine), OK);
    assert_int_equal(traffic_stored(7), 3);
}

static void
the_journal_keeps_two_horizons_and_the_digests(void **state)
{
    (void)state;
    traffic.cfg = engine_cfg_default;
    traffic.cfg.pair.max_spans = 40; /* files end after an eighth of 80 stubs */
    traffic.cfg.pair.max_producers = 10;
    traffic_open(&traffic, NOW);
    for (uint32_t n = 0; n < 60; n++)
        assert_int_equal(send(n, 1, NOW + n * 60 * S), OK);
    int64_t kept = stored_ask("SELECT count(*) FROM journal");
    assert_true(kept >= 30 && kept <= 32 + 6);

    traffic.cfg.pair.max_spans = 10; /* so 20 stubs of history */
    traffic_reopen(&traffic, NOW + 3600 * S);
    assert_int_equal(send(70, 1, NOW + 3600 * S), OK);
    int64_t stubs = stored_ask("SELECT sum(stubs) FROM journal");
    assert_true(stubs >= 20 && stubs <= 20 + 12);
    assert_true(stored_ask("SELECT count(*) FROM journal") > 14);
    int64_t requests = stored_counter("requests");
    for (uint32_t n = 46; n < 60; n++)
        assert_int_equal(send(n, 1, NOW + 3600 * S), OK);
    assert_int_equal(engine_finish(traffic.engine), OK);
    assert_int_equal(stored_counter("requests"), requests);
}

static void
old_buckets_go_and_first_and_last_stay(void **state)
{
    (void)state;
    traffic_open(&traffic, NOW);
    assert_int_equal(send(1, 4, NOW), OK);
    traffic_flush_by(&traffic, NOW + 2 * S);
    assert_true(stored_ask("SELECT count(*) FROM edge_hour") > 0);
    stored_tell("INSERT INTO edge_version VALUES (1, 0, 900, 1, 10),"
                " (1, 0, 901, 1, 20), (1, 1, 900, 1, 10),"
                " (1, 1, 902, 1, 4000000000)");
    traffic_flush_by(&traffic, NOW + 49 * 3600 * S);
    assert_int_equal(stored_ask("SELECT count(*) FROM edge_hour"), 0);
    assert_true(stored_ask("SELECT count(*) FROM edge_day") > 0);
    traffic_flush_by(&traffic, NOW + 500 * UINT64_C(86400) * S);
    assert_int_equal(stored_ask("SELECT count(*) FROM edge_day"), 0);
    assert_int_equal(stored_ask("SELECT count(*) FROM edge_version"), 2);
    assert_int_equal(stored_ask("SELECT sum(version) FROM edge_version"),
                     901 + 902);
    assert_int_equal(traffic_stored(1), 4);
    assert_int_equal(stored_ask("SELECT max(last_s) FROM edge"), NOW / S - 5);
}

static enum err
put_route(void *ctx, struct store *store)
{
    struct route_row row = {.service = *(uint32_t *)ctx,
                            .node = *(uint32_t *)ctx,
                            .created_s = 1,
                            .method = STR("GET"),
                            .pattern = STR("/things/{}"),
                            .raw = STR("/things/:id"),
                            .origin = STR("list:x")};

    return store_put_route(store, &row);
}

static enum err
write_and_refuse(void *ctx, struct store *store)
{
    (void)ctx;
    (void)store_add_counter(store, STR("nonsense"), 1);
    return ERR_NOT_FOUND;
}

static void
work_is_one_transaction_with_its_nodes(void **state)
{
    (void)state;
    for (int started = 0; started < 2; started++) {
        stored_empty();
        traffic_open(&traffic, NOW);
        if (started)
            assert_int_equal(engine_start(traffic.engine), OK);
        uint32_t id =
            nodes_intern(traffic.nodes, NODE_SERVICE, 0, STR("new"), STR(""));
        assert_int_equal(engine_write(traffic.engine, put_route, &id), OK);
        assert_int_equal(stored_ask("SELECT count(*) FROM node JOIN route ON"
                                    " node.id = route.service"),
                         1);
        assert_int_equal(engine_write(traffic.engine, write_and_refuse, NULL),
                         ERR_NOT_FOUND);
        assert_true(engine_is_writable(traffic.engine));
        assert_int_equal(stored_counter("nonsense"), 0);
        engine_stop(traffic.engine);
        if (started)
            assert_int_equal(engine_write(traffic.engine, put_route, &id),
                             ERR_CANCELLED);
        traffic_reopen(&traffic, NOW);
        assert_true(routes_is_declared(traffic.routes, id, STR("GET"),
                                       STR("/things/{}")));
        stored_tell("UPDATE route SET removed_s = 5");
        traffic_reopen(&traffic, NOW);
        assert_false(routes_is_declared(traffic.routes, id, STR("GET"),
                                        STR("/things/{}")));
        traffic_close(&traffic);
    }
}

static void
a_route_of_an_unknown_node_is_refused(void **state)
{
    (void)state;
    traffic_open(&traffic, NOW);
    uint32_t id =
        nodes_intern(traffic.nodes, NODE_SERVICE, 0, STR("new"), STR(""));
    assert_int_equal(engine_write(traffic.engine, put_route, &id), OK);
    traffic_close(&traffic);
    stored_tell("UPDATE route SET node = 99999");
    assert_int_equal(traffic_try_open(&traffic, NOW), ERR_CORRUPT);
    assert_null(traffic.engine);
    traffic_close(&traffic);
}

static void
time_never_goes_back(void **state)
{
    (void)state;
    traffic_open(&traffic, NOW);
    assert_int_equal(send(1, 2, NOW + 100 * S), OK);
    assert_int_equal(send(2, 2, NOW - 100 * S), OK);
    traffic_reopen(&traffic, NOW - 3600 * S);
    assert_int_equal(send(3, 2, NOW - 3600 * S), OK);
    assert_int_equal(
        stored_ask("SELECT count(DISTINCT received_ns) FROM journal"), 1);
    assert_int_equal(engine_finish(traffic.engine), OK);
    assert_int_equal(traffic_stored(3), 2);
}

static void
send_producers(uint32_t number, uint32_t count, uint64_t at_ns)
{
    struct stub_batch *batch =
        traffic_batch(&traffic, number, count, TRAFFIC_CLIENTS, at_ns);
    enum err err = ERR_CANCELLED;

    for (uint32_t i = 0; i < batch->stub_len; i++)
        batch->stubs[i].kind = SPAN_PRODUCER;
    engine_submit(traffic.engine, batch,
                  traffic_digest(number, TRAFFIC_CLIENTS), traffic_note, &err);
    assert_int_equal(err, OK);
}

/* Ten are held; those of the rows that hold the last ten are stored. */
static void
of_producers_as_many_are_stored_as_are_held(void **state)
{
    uint64_t now = NOW;

    (void)state;
    traffic.cfg = engine_cfg_default;
    traffic.cfg.pair.max_spans = 1000;
    traffic.cfg.pair.max_producers = 10;
    traffic_open(&traffic, now);
    for (uint32_t n = 1; n <= 5; n++) {
        send_producers(n, 4, now);
        now += 3600 * S;
        traffic_flush_by(&traffic, now);
        assert_int_equal(stored_ask("SELECT max(seq) FROM producer"), 4 * n);
        assert_int_equal(stored_ask("SELECT count(*) FROM producer"),
                         n < 3 ? n : 3);
    }
    traffic_reopen(&traffic, now);
    assert_int_equal(stored_ask("SELECT min(seq) FROM producer"), 12);
    traffic_flush_by(&traffic, now + 25 * 3600 * S);
    assert_int_equal(stored_ask("SELECT count(*) FROM producer"), 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TRAFFIC_TEST(memory_keeps_no_journal_and_stores_at_the_end),
        TRAFFIC_TEST(the_journal_keeps_two_horizons_and_the_digests),
        TRAFFIC_TEST(old_buckets_go_and_first_and_last_stay),
        TRAFFIC_TEST(work_is_one_transaction_with_its_nodes),
        TRAFFIC_TEST(a_route_of_an_unknown_node_is_refused),
        TRAFFIC_TEST(time_never_goes_back),
        TRAFFIC_TEST(a_full_disk_refuses_and_heals),
        TRAFFIC_TEST(
            every_failing_operation_of_the_disk_counts_each_answer_once),
        TRAFFIC_TEST(the_first_bucket_that_is_whole_is_told_and_never_falls),
        TRAFFIC_TEST(a_damaged_row_is_left_out_and_told),
        TRAFFIC_TEST(damage_of_the_last_row_is_told_and_a_retry_of_it_counts),
        TRAFFIC_TEST(
            damage_of_a_row_that_was_counted_loses_nothing_and_a_retry_is_known),
        TRAFFIC_TEST(damaged_nodes_and_edges_are_refused),
        TRAFFIC_TEST(of_producers_as_many_are_stored_as_are_held),
    };

    fault_vfs_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
