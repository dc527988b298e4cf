#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sqlite3.h>

#include "base/clock.h"
#include "graph/edge_writer.h"
#include "graph/edges.h"
#include "graph/sketch.h"
#include "tests/support/fault_vfs.h"
#include "tests/support/stored.h"

#define HOUR UINT32_C(472222)
#define AT   (HOUR * S_PER_H) /* the begin of an hour, not of a day */

enum { PART_EDGES = 3 };

static const struct edges_window keep_all;

static struct nodes *nodes;
static struct store *store;
static struct edges *edges;
static struct edge_writer *writer;
static struct edge_parts taken; /* and those before |taken_at| are stored */
static uint32_t taken_at;
static uint32_t service[8];
static uint32_t route[8];

static void
open_edges(uint32_t max_edges)
{
    struct edges_cfg cfg = {.max_edges = max_edges};

    assert_int_equal(edges_open(&edges, cfg, store, nodes), OK);
    assert_int_equal(edge_writer_new(&writer, store, nodes), OK);
}

static void
close_edges(void)
{
    edge_writer_free(writer);
    edges_free(edges);
    edge_parts_fini(&taken);
    taken_at = 0;
}

static int
setup(void **state)
{
    stored_setup(state);
    store = stored_open();
    nodes_new(&nodes, (struct nodes_cfg){100000, 100, 100});
    for (uint32_t i = 0; i < 8; i++) {
        char name[] = {'s', (char)('0' + i), '\0'};
        service[i] =
            nodes_intern(nodes, NODE_SERVICE, 0, (str){name, 2}, STR(""));
        route[i] = nodes_intern_route(nodes, service[i], STR("GET /"),
                                      ROUTE_SOURCE_ATTR);
    }
    open_edges(1000);
    return 0;
}

static int
teardown(void **state)
{
    close_edges();
    store_close(store);
    nodes_free(nodes);
    return stored_teardown(state);
}

static struct edge_obs
obs_of(uint32_t src, uint32_t dst, int count, uint32_t at_s)
{
    return (struct edge_obs){
        .key = {src, dst, EDGE_CALL},
        .count = count,
        .weight = count * (int64_t)3,
        .at_s = at_s,
        .latency = EDGE_NO_LATENCY,
    };
}

static void
add(struct edge_obs obs)
{
    edges_add(edges, &obs);
}

static enum err
try_to_add(struct edges_window window)
{
    enum err err = OK;

    while (!err && taken_at < edge_parts_len(&taken)) {
        if (!(err = store_begin(store)) &&
            !(err = edge_writer_add(writer, edge_parts_get(&taken, taken_at),
                                    window)))
            err = store_commit(store);
        store_rollback(store);
        taken_at += err == OK;
    }
    return err;
}

/* What was taken, this time or before. */
static void
add_taken(struct edges_window window)
{
    assert_int_equal(try_to_add(window), OK);
    edge_parts_fini(&taken);
    taken_at = 0;
}

static void
flush_in(struct edges_window window)
{
    add_taken(window);
    assert_int_equal(edges_take(edges, PART_EDGES, &taken), OK);
    assert_int_equal(edges_stats(edges).dirty, 0);
    add_taken(window);
}

static void
flush(void)
{
    flush_in(keep_all);
}

static void
reopen(uint32_t max_edges)
{
    close_edges();
    store_close(store);
    store = stored_open();
    open_edges(max_edges);
}

static void
sums_are_stored_with_hours_and_days(void **state)
{
    struct edge_obs failed = obs_of(service[0], route[1], 1, AT + 5);

    (void)state;
    failed.errors = 1;
    failed.weight_known = 1;
    add(obs_of(service[0], route[1], 1, AT + 100));
    add(obs_of(service[0], route[1], 1, AT + 3700));
    add(failed);
    assert_int_equal(edges_stats(edges).dirty, 1);
    flush();
    assert_int_equal(stored_ask("SELECT count FROM edge"), 3);
    assert_int_equal(stored_ask("SELECT weighted FROM edge"), 9);
    assert_int_equal(stored_ask("SELECT errors FROM edge"), 1);
    assert_int_equal(stored_ask("SELECT known FROM edge"), 1);
    assert_int_equal(stored_ask("SELECT first_s FROM edge"), AT + 5);
    assert_int_equal(stored_ask("SELECT last_s FROM edge"), AT + 3700);
    assert_int_equal(stored_ask("SELECT count(*) FROM edge_hour"), 2);
    assert_int_equal(stored_ask("SELECT sum(count) FROM edge_hour"), 3);
    assert_int_equal(stored_ask("SELECT count FROM edge_day"), 3);
    assert_int_equal(stored_ask("SELECT hours FROM edge_day"), 3 << HOUR % 24);
    assert_int_equal(stored_ask("SELECT length(hash) FROM edge"), 32);
    flush(); /* nothing more to write */
    assert_int_equal(stored_ask("SELECT count FROM edge"), 3);
}

static void
what_is_taken_back_before_a_flush_leaves_no_trace(void **state)
{
    (void)state;
    for (int round = 0; round < 3; round++) {
        add(obs_of(service[0], route[1], 1, AT));
        add(obs_of(service[0], route[1], -1, AT));
        flush();
        assert_int_equal(stored_ask("SELECT count(*) FROM edge"), 0);
        assert_int_equal(edges_stats(edges).edges, 0);
    }
    add(obs_of(service[0], route[1], 1, AT + 7));
    flush();
    assert_int_equal(stored_ask("SELECT id FROM edge"), 1);
    assert_int_equal(stored_ask("SELECT first_s FROM edge"), AT + 7);
    add(obs_of(service[0], route[1], 1, AT - 500));
    add(obs_of(service[0], route[1], -1, AT - 500));
    flush();
    assert_int_equal(stored_ask("SELECT first_s FROM edge"), AT + 7);
    assert_int_equal(stored_ask("SELECT count(*) FROM edge_hour"), 1);
}

static void
what_is_taken_back_later_leaves_zeros(void **state)
{
    struct edge_obs obs = obs_of(service[0], route[1], 1, AT);

    (void)state;
    obs.latency = 40;
    add(obs);
    flush();
    assert_true(stored_ask("SELECT length(latency) FROM edge_day") > 0);
    obs.count = -1;
    obs.weight = -3;
    add(obs);
    flush();
    assert_int_equal(stored_ask("SELECT count(*) FROM edge"), 1);
    assert_int_equal(stored_ask("SELECT count + weighted FROM edge"), 0);
    assert_int_equal(stored_ask("SELECT count FROM edge_hour"), 0);
    assert_int_equal(stored_ask("SELECT count FROM edge_day"), 0);
    assert_int_equal(stored_ask("SELECT length(latency) FROM edge_day"), 0);
}

static void
read_sketch(struct sketch *out, uint32_t edge, uint32_t day)
{
    struct buf bytes = {0};

    memset(out, 0, sizeof(*out));
    assert_int_equal(store_get_latency(store, edge, day, &bytes), OK);
    assert_int_equal(sketch_add_encoded(out, buf_str(&bytes)), OK);
    buf_fini(&bytes);
}

static void
durations_are_merged_into_the_sketch_of_their_day(void **state)
{
    static struct sketch sketch;

    (void)state;
    for (uint32_t i = 0; i < 60; i++) {
        struct edge_obs obs =
            obs_of(service[0], route[1], 1, AT + (i % 3) * S_PER_DAY);
        obs.latency = (uint16_t)(i % 5 * 100);
        add(obs);
        if (i % 20 == 19)
            flush();
    }
    for (uint32_t day = 0; day < 3; day++) {
        read_sketch(&sketch, 1, AT / S_PER_DAY + day);
        for (int b = 0; b < 5; b++)
            assert_int_equal(sketch.count[b * 100], 4);
    }
    /* The same call with another duration: no count changes, the sketch does.
     */
    struct edge_obs obs = obs_of(service[0], route[1], -1, AT);
    obs.latency = 100;
    add(obs);
    obs = obs_of(service[0], route[1], 1, AT);
    obs.latency = 703;
    add(obs);
    flush();
    read_sketch(&sketch, 1, AT / S_PER_DAY);
    assert_int_equal(sketch.count[100], 3);
    assert_int_equal(sketch.count[703], 1);
    assert_int_equal(stored_ask("SELECT count FROM edge"), 60);
}

static void
a_damaged_sketch_is_begun_anew(void **state)
{
    static struct sketch sketch;
    struct edge_obs obs = obs_of(service[0], route[1], 1, AT);

    (void)state;
    obs.latency = 9;
    add(obs);
    flush();
    stored_tell("UPDATE edge_day SET latency = x'ffffffffffffffffffffff'");
    add(obs);
    flush();
    read_sketch(&sketch, 1, AT / S_PER_DAY);
    assert_int_equal(sketch.count[9], 1);
    assert_int_equal(stored_ask("SELECT count FROM edge_day"), 2);
}

static void
versions_are_seen_from_first_to_last(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 40; i++) {
        struct edge_obs obs = obs_of(service[0], route[1], 1, AT + i);
        obs.src_version = 70 + i % 2;
        obs.dst_version = i % 4 ? 80 : 0;
        add(obs);
        if (i == 20)
            flush();
    }
    flush();
    assert_int_equal(stored_ask("SELECT count(*) FROM edge_version"), 3);
    assert_int_equal(stored_ask("SELECT first_s FROM edge_version"
                                " WHERE side = 0 AND version = 71"),
                     AT + 1);
    assert_int_equal(stored_ask("SELECT last_s FROM edge_version"
                                " WHERE side = 1 AND version = 80"),
                     AT + 39);
    assert_int_equal(stored_ask("SELECT count FROM edge"), 40);
    assert_int_equal(stored_ask("SELECT count(*) FROM edge_hour"), 1);
}

static void
accounts_carry_no_hash(void **state)
{
    struct edge_obs obs = obs_of(0, route[1], 1, AT);

    (void)state;
    obs.key.kind = EDGE_TRAFFIC;
    add(obs);
    flush();
    assert_int_equal(stored_ask("SELECT hash IS NULL FROM edge"), 1);
}

static void
what_is_unresolved_is_known_in_all_also_after_a_restart(void **state)
{
    struct edge_obs obs = obs_of(0, service[0], 1, AT);

    (void)state;
    for (uint8_t kind = EDGE_ORPHAN; kind <= EDGE_UNRESOLVED_LINK; kind++) {
        obs.key.kind = kind;
        add(obs);
        add(obs);
    }
    obs.key.kind = EDGE_INPROC_DB;
    add(obs);
    obs = obs_of(0, service[0], -1, AT);
    obs.key.kind = EDGE_UNRESOLVED;
    add(obs);
    for (int round = 0; round < 2; round++) {
        struct edges_stats stats = edges_stats(edges);
        assert_int_equal(stats.unresolved[0], 2);
        assert_int_equal(stats.unresolved[1], 1);
        assert_int_equal(stats.unresolved[2], 2);
        flush();
        reopen(1000);
    }
}

static void
buckets_out_of_the_window_are_not_written(void **state)
{
    struct edges_window window = {.first_hour = HOUR, .first_day = HOUR / 24};

    (void)state;
    add(obs_of(service[0], route[1], 1, AT));
    add(obs_of(service[0], route[1], 1, AT - 1));
    add(obs_of(service[0], route[1], 1, AT - 2 * S_PER_DAY));
    flush_in(window);
    assert_int_equal(stored_ask("SELECT count FROM edge"), 3);
    assert_int_equal(stored_ask("SELECT first_s FROM edge"),
                     AT - 2 * S_PER_DAY);
    assert_int_equal(stored_ask("SELECT sum(count) FROM edge_hour"), 1);
    assert_int_equal(stored_ask("SELECT sum(count) FROM edge_day"), 2);
}

static void
beyond_the_bound_edges_share_those_of_their_overflow_nodes(void **state)
{
    (void)state;
    close_edges();
    open_edges(2);
    for (int round = 0; round < 2; round++) {
        for (uint32_t i = 1; i < 8; i++)
            add(obs_of(service[0], route[i], 1, AT));
    }
    assert_int_equal(edges_stats(edges).overflowed, 10);
    assert_int_equal(edges_stats(edges).dropped, 0);
    flush();
    assert_int_equal(stored_ask("SELECT sum(count) FROM edge"), 14);
    assert_int_equal(stored_ask("SELECT max(count) FROM edge"), 2);
    uint32_t other = nodes_find(nodes, NODE_ROUTE, service[5],
                                STR(NODE_NAME_OTHER), STR(""));
    char sql[96];
    snprintf(sql, sizeof(sql), "SELECT count FROM edge WHERE dst = %u", other);
    assert_int_equal(stored_ask(sql), 2);

    /* What was counted there is taken back from there. */
    for (uint32_t i = 1; i < 8; i++)
        add(obs_of(service[0], route[i], -1, AT));
    flush();
    assert_int_equal(stored_ask("SELECT min(count) FROM edge"), 1);
    reopen(2);
    add(obs_of(service[0], route[7], -1, AT));
    flush();
    assert_int_equal(stored_ask("SELECT min(count) FROM edge"), 0);
    assert_int_equal(stored_ask("SELECT sum(count) FROM edge"), 6);
}

static void
even_overflow_is_bounded(void **state)
{
    char name[32];

    (void)state;
    close_edges();
    open_edges(1);
    for (int i = 0; i < EDGES_OVERFLOW_MAX + 10; i++) {
        snprintf(name, sizeof(name), "s%d", i);
        uint32_t id = nodes_intern(nodes, NODE_SERVICE, 0,
                                   (str){name, strlen(name)}, STR(""));
        add(obs_of(
            service[0],
            nodes_intern_route(nodes, id, STR("GET /"), ROUTE_SOURCE_ATTR), 1,
            AT));
    }
    assert_int_equal(edges_stats(edges).edges, EDGES_OVERFLOW_MAX + 1);
    assert_int_equal(edges_stats(edges).dropped, 9);
    flush();
    assert_int_equal(stored_ask("SELECT sum(count) FROM edge"),
                     EDGES_OVERFLOW_MAX + 1);
}

static void
stored_edges_that_make_no_sense_are_refused(void **state)
{
    static const char *const bad[] = {
        "UPDATE edge SET dst = 4000",
        "UPDATE edge SET src = 'x'",
        "UPDATE edge SET dst = 0",
        "UPDATE edge SET kind = 256",
        "INSERT INTO edge SELECT id + 1, src, dst, kind, count, weighted,"
        " known, errors, first_s, last_s, 0, NULL FROM edge",
    };
    struct edges *other = NULL;

    (void)state;
    add(obs_of(service[0], route[1], 1, AT));
    flush();
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_int_equal(store_begin(store), OK);
        store_rollback(store);
        stored_tell("CREATE TABLE keep AS SELECT * FROM edge");
        stored_tell(bad[i]);
        assert_int_equal(
            edges_open(&other, (struct edges_cfg){9}, store, nodes),
            ERR_CORRUPT);
        assert_null(other);
        stored_tell("DELETE FROM edge; INSERT INTO edge SELECT * FROM keep;"
                    "DROP TABLE keep");
    }
    assert_int_equal(edges_open(&other, (struct edges_cfg){9}, store, nodes),
                     OK);
    edges_free(other);
}

/* ---- against a naive model ---- */

enum { MODEL_EDGES = 24, MODEL_HOURS = 60, MODEL_BUCKETS = 4 };

static struct {
    int64_t count[MODEL_EDGES][MODEL_HOURS];
    int64_t latency[MODEL_EDGES][MODEL_BUCKETS];
    struct edge_obs said[4096];
    uint32_t said_len;
} model;

static void
say(struct edge_obs obs, uint32_t edge)
{
    uint32_t hour = (obs.at_s - AT) / S_PER_H;

    add(obs);
    model.count[edge][hour] += obs.count;
    if (obs.latency != EDGE_NO_LATENCY)
        model.latency[edge][obs.latency] += obs.count;
}

static void
say_something(unsigned *seed)
{
    uint32_t edge = (uint32_t)rand_r(seed) % MODEL_EDGES;
    struct edge_obs obs =
        obs_of(service[edge / 6], route[4 + edge % 4], 1,
               AT + (uint32_t)rand_r(seed) % (MODEL_HOURS * S_PER_H));

    obs.key.kind = edge % 6 < 4 ? EDGE_CALL : EDGE_MSG;
    if (rand_r(seed) % 2)
        obs.latency = (uint16_t)(rand_r(seed) % MODEL_BUCKETS);
    obs.src_version = (uint32_t)rand_r(seed) % 3;
    obs.dst_version = edge + 1; /* so that a withdrawal finds its edge */
    if (rand_r(seed) % 3 && model.said_len < 4096) {
        model.said[model.said_len++] = obs;
        say(obs, edge);
    } else if (model.said_len > 0) {
        uint32_t at = (uint32_t)rand_r(seed) % model.said_len;
        obs = model.said[at];
        model.said[at] = model.said[--model.said_len];
        obs.count = -1;
        obs.weight = -3;
        say(obs, obs.dst_version - 1);
    }
}

static void
expect_model(void)
{
    static struct sketch sketch;
    char sql[256];

    for (uint32_t e = 0; e < MODEL_EDGES; e++) {
        uint32_t kind = e % 6 < 4 ? EDGE_CALL : EDGE_MSG;
        int64_t total = 0;
        snprintf(sql, sizeof(sql),
                 "SELECT coalesce(max(id), 0) FROM edge WHERE src = %u"
                 " AND dst = %u AND kind = %u",
                 service[e / 6], route[4 + e % 4], kind);
        uint32_t id = (uint32_t)stored_ask(sql);
        for (uint32_t h = 0; h < MODEL_HOURS; h++) {
            snprintf(sql, sizeof(sql),
                     "SELECT coalesce(sum(count), 0) FROM edge_hour"
                     " WHERE edge = %u AND hour = %u",
                     id, HOUR + h);
            assert_int_equal(stored_ask(sql), model.count[e][h]);
            total += model.count[e][h];
        }
        snprintf(sql, sizeof(sql),
                 "SELECT coalesce(sum(count), 0) FROM edge_day WHERE edge = %u",
                 id);
        assert_int_equal(stored_ask(sql), total);
        snprintf(sql, sizeof(sql),
                 "SELECT coalesce(sum(weighted), 0) FROM edge WHERE id = %u",
                 id);
        assert_int_equal(stored_ask(sql), total * 3);
        int64_t latency[MODEL_BUCKETS] = {0};
        for (uint32_t d = 0; d <= MODEL_HOURS / 24 + 1; d++) {
            read_sketch(&sketch, id, HOUR / 24 + d);
            for (int b = 0; b < MODEL_BUCKETS; b++)
                latency[b] += sketch.count[b];
        }
        for (int b = 0; b < MODEL_BUCKETS; b++)
            assert_int_equal(latency[b], model.latency[e][b]);
    }
}

static void
whatever_comes_and_fails_the_sums_are_those_of_a_naive_model(void **state)
{
    unsigned seed = 42;

    (void)state;
    for (int round = 0; round < 40; round++) {
        for (int i = rand_r(&seed) % 200; i > 0; i--)
            say_something(&seed);
        if (round % 3 == 0) {
            fault_vfs_heal();
            fault_vfs_fail_at(1 + (uint64_t)rand_r(&seed) % 4,
                              SQLITE_IOERR_WRITE, true);
            if (taken_at == edge_parts_len(&taken))
                assert_int_equal(edges_take(edges, PART_EDGES, &taken), OK);
            (void)try_to_add(keep_all);
            fault_vfs_heal();
        }
        if (round % 4 == 3)
            flush();
        if (round % 8 == 7) {
            assert_int_equal(taken_at, edge_parts_len(&taken));
            reopen(1000);
            expect_model();
        }
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(sums_are_stored_with_hours_and_days),
        TEST(what_is_taken_back_before_a_flush_leaves_no_trace),
        TEST(what_is_taken_back_later_leaves_zeros),
        TEST(durations_are_merged_into_the_sketch_of_their_day),
        TEST(a_damaged_sketch_is_begun_anew),
        TEST(versions_are_seen_from_first_to_last),
        TEST(accounts_carry_no_hash),
        TEST(what_is_unresolved_is_known_in_all_also_after_a_restart),
        TEST(buckets_out_of_the_window_are_not_written),
        TEST(beyond_the_bound_edges_share_those_of_their_overflow_nodes),
        TEST(even_overflow_is_bounded),
        TEST(stored_edges_that_make_no_sense_are_refused),
        TEST(whatever_comes_and_fails_the_sums_are_those_of_a_naive_model),
    };

    fault_vfs_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
