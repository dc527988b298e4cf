#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "tests/support/edges_rig.h"
#include "tests/support/fault_vfs.h"
#include "tests/support/stored.h"

static void
sums_are_stored_with_hours_and_days(void **state)
{
    struct edge_obs failed =
        rig_obs(rig.service[0], rig.route[1], 1, RIG_AT + 5);

    (void)state;
    failed.errors = 1;
    failed.weight_known = 1;
    rig_add(rig_obs(rig.service[0], rig.route[1], 1, RIG_AT + 100));
    rig_add(rig_obs(rig.service[0], rig.route[1], 1, RIG_AT + 3700));
    rig_add(failed);
    assert_int_equal(edges_stats(rig.edges).dirty, 1);
    rig_flush();
    assert_int_equal(stored_ask("SELECT count FROM edge"), 3);
    assert_int_equal(stored_ask("SELECT weighted FROM edge"), 9);
    assert_int_equal(stored_ask("SELECT errors FROM edge"), 1);
    assert_int_equal(stored_ask("SELECT known FROM edge"), 1);
    assert_int_equal(stored_ask("SELECT first_s FROM edge"), RIG_AT + 5);
    assert_int_equal(stored_ask("SELECT last_s FROM edge"), RIG_AT + 3700);
    assert_int_equal(stored_ask("SELECT count(*) FROM edge_hour"), 2);
    assert_int_equal(stored_ask("SELECT sum(count) FROM edge_hour"), 3);
    assert_int_equal(stored_ask("SELECT count FROM edge_day"), 3);
    assert_int_equal(stored_ask("SELECT hours FROM edge_day"),
                     3 << RIG_HOUR % 24);
    assert_int_equal(stored_ask("SELECT length(hash) FROM edge"), 32);
    rig_flush(); /* nothing more to write */
    assert_int_equal(stored_ask("SELECT count FROM edge"), 3);
}

static void
what_is_taken_back_before_a_flush_leaves_no_trace(void **state)
{
    (void)state;
    for (int round = 0; round < 3; round++) {
        rig_add(rig_obs(rig.service[0], rig.route[1], 1, RIG_AT));
        rig_add(rig_obs(rig.service[0], rig.route[1], -1, RIG_AT));
        rig_flush();
        assert_int_equal(stored_ask("SELECT count(*) FROM edge"), 0);
        assert_int_equal(edges_stats(rig.edges).edges, 0);
    }
    rig_add(rig_obs(rig.service[0], rig.route[1], 1, RIG_AT + 7));
    rig_flush();
    assert_int_equal(stored_ask("SELECT id FROM edge"), 1);
    assert_int_equal(stored_ask("SELECT first_s FROM edge"), RIG_AT + 7);
    rig_add(rig_obs(rig.service[0], rig.route[1], 1, RIG_AT - 500));
    rig_add(rig_obs(rig.service[0], rig.route[1], -1, RIG_AT - 500));
    rig_flush();
    assert_int_equal(stored_ask("SELECT first_s FROM edge"), RIG_AT + 7);
    assert_int_equal(stored_ask("SELECT count(*) FROM edge_hour"), 1);
}

static void
what_is_taken_back_later_leaves_zeros(void **state)
{
    struct edge_obs obs = rig_obs(rig.service[0], rig.route[1], 1, RIG_AT);

    (void)state;
    obs.latency = 40;
    rig_add(obs);
    rig_flush();
    assert_true(stored_ask("SELECT length(latency) FROM edge_day") > 0);
    obs.count = -1;
    obs.weight = -3;
    rig_add(obs);
    rig_flush();
    assert_int_equal(stored_ask("SELECT count(*) FROM edge"), 1);
    assert_int_equal(stored_ask("SELECT count + weighted FROM edge"), 0);
    assert_int_equal(stored_ask("SELECT count FROM edge_hour"), 0);
    assert_int_equal(stored_ask("SELECT count FROM edge_day"), 0);
    assert_int_equal(stored_ask("SELECT length(latency) FROM edge_day"), 0);
}

/* As where callers give up waiting for a callee whose spans come hours late: as
 * many are taken back as come anew. */
static void
what_comes_as_often_as_it_is_taken_back_is_seen(void **state)
{
    (void)state;
    rig_add(rig_obs(rig.service[0], rig.route[1], 1, RIG_AT));
    rig_flush();
    rig_add(rig_obs(rig.service[0], rig.route[1], 1, RIG_AT + 7200));
    rig_add(rig_obs(rig.service[0], rig.route[1], -1, RIG_AT));
    rig_flush();
    assert_int_equal(stored_ask("SELECT count FROM edge"), 1);
    assert_int_equal(stored_ask("SELECT sum(count) FROM edge_hour"), 1);
    assert_int_equal(stored_ask("SELECT first_s FROM edge"), RIG_AT);
    assert_int_equal(stored_ask("SELECT last_s FROM edge"), RIG_AT + 7200);
}

static void
durations_are_merged_into_the_sketch_of_their_day(void **state)
{
    static struct sketch sketch;

    (void)state;
    for (uint32_t i = 0; i < 60; i++) {
        struct edge_obs obs = rig_obs(rig.service[0], rig.route[1], 1,
                                      RIG_AT + (i % 3) * S_PER_DAY);
        obs.latency = (uint16_t)(i % 5 * 100);
        rig_add(obs);
        if (i % 20 == 19)
            rig_flush();
    }
    for (uint32_t day = 0; day < 3; day++) {
        rig_sketch(&sketch, 1, RIG_AT / S_PER_DAY + day);
        for (int b = 0; b < 5; b++)
            assert_int_equal(sketch.count[b * 100], 4);
    }
    /* The same call with another duration: no count changes, the sketch does.
     */
    struct edge_obs obs = rig_obs(rig.service[0], rig.route[1], -1, RIG_AT);
    obs.latency = 100;
    rig_add(obs);
    obs = rig_obs(rig.service[0], rig.route[1], 1, RIG_AT);
    obs.latency = 703;
    rig_add(obs);
    rig_flush();
    rig_sketch(&sketch, 1, RIG_AT / S_PER_DAY);
    assert_int_equal(sketch.count[100], 3);
    assert_int_equal(sketch.count[703], 1);
    assert_int_equal(stored_ask("SELECT count FROM edge"), 60);
}

static void
a_damaged_sketch_is_begun_anew(void **state)
{
    static struct sketch sketch;
    struct edge_obs obs = rig_obs(rig.service[0], rig.route[1], 1, RIG_AT);

    (void)state;
    obs.latency = 9;
    rig_add(obs);
    rig_flush();
    stored_tell("UPDATE edge_day SET latency = x'ffffffffffffffffffffff'");
    rig_add(obs);
    rig_flush();
    rig_sketch(&sketch, 1, RIG_AT / S_PER_DAY);
    assert_int_equal(sketch.count[9], 1);
    assert_int_equal(stored_ask("SELECT count FROM edge_day"), 2);
}

static void
versions_are_seen_from_first_to_last(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 40; i++) {
        struct edge_obs obs =
            rig_obs(rig.service[0], rig.route[1], 1, RIG_AT + i);
        obs.src_version = 70 + i % 2;
        obs.dst_version = i % 4 ? 80 : 0;
        rig_add(obs);
        if (i == 20)
            rig_flush();
    }
    rig_flush();
    assert_int_equal(stored_ask("SELECT count(*) FROM edge_version"), 3);
    assert_int_equal(stored_ask("SELECT first_s FROM edge_version"
                                " WHERE side = 0 AND version = 71"),
                     RIG_AT + 1);
    assert_int_equal(stored_ask("SELECT last_s FROM edge_version"
                                " WHERE side = 1 AND version = 80"),
                     RIG_AT + 39);
    assert_int_equal(stored_ask("SELECT count FROM edge"), 40);
    assert_int_equal(stored_ask("SELECT count(*) FROM edge_hour"), 1);
}

static void
accounts_carry_no_hash(void **state)
{
    struct edge_obs obs = rig_obs(0, rig.route[1], 1, RIG_AT);

    (void)state;
    obs.key.kind = EDGE_TRAFFIC;
    rig_add(obs);
    rig_flush();
    assert_int_equal(stored_ask("SELECT hash IS NULL FROM edge"), 1);
}

static void
what_is_unresolved_is_known_in_all_also_after_a_restart(void **state)
{
    struct edge_obs obs = rig_obs(0, rig.service[0], 1, RIG_AT);

    (void)state;
    for (uint8_t kind = EDGE_ORPHAN; kind <= EDGE_UNRESOLVED_LINK; kind++) {
        obs.key.kind = kind;
        rig_add(obs);
        rig_add(obs);
    }
    obs.key.kind = EDGE_INPROC_DB;
    rig_add(obs);
    obs = rig_obs(0, rig.service[0], -1, RIG_AT);
    obs.key.kind = EDGE_UNRESOLVED;
    rig_add(obs);
    for (int round = 0; round < 2; round++) {
        struct edges_stats stats = edges_stats(rig.edges);
        assert_int_equal(stats.unresolved[0], 2);
        assert_int_equal(stats.unresolved[1], 1);
        assert_int_equal(stats.unresolved[2], 2);
        rig_flush();
        rig_reopen(1000);
    }
}

static void
buckets_out_of_the_window_are_not_written(void **state)
{
    struct edges_window window = {.first_hour = RIG_HOUR,
                                  .first_day = RIG_HOUR / 24};

    (void)state;
    rig_add(rig_obs(rig.service[0], rig.route[1], 1, RIG_AT));
    rig_add(rig_obs(rig.service[0], rig.route[1], 1, RIG_AT - 1));
    rig_add(rig_obs(rig.service[0], rig.route[1], 1, RIG_AT - 2 * S_PER_DAY));
    rig_flush_in(window);
    assert_int_equal(stored_ask("SELECT count FROM edge"), 3);
    assert_int_equal(stored_ask("SELECT first_s FROM edge"),
                     RIG_AT - 2 * S_PER_DAY);
    assert_int_equal(stored_ask("SELECT sum(count) FROM edge_hour"), 1);
    assert_int_equal(stored_ask("SELECT sum(count) FROM edge_day"), 2);
}

static void
beyond_the_bound_edges_share_those_of_their_overflow_nodes(void **state)
{
    (void)state;
    rig_reopen(2);
    for (int round = 0; round < 2; round++) {
        for (uint32_t i = 1; i < 8; i++)
            rig_add(rig_obs(rig.service[0], rig.route[i], 1, RIG_AT));
    }
    assert_int_equal(edges_stats(rig.edges).overflowed, 10);
    assert_int_equal(edges_stats(rig.edges).dropped, 0);
    rig_flush();
    assert_int_equal(stored_ask("SELECT sum(count) FROM edge"), 14);
    assert_int_equal(stored_ask("SELECT max(count) FROM edge"), 2);
    uint32_t other = nodes_find(rig.nodes, NODE_ROUTE, rig.service[5],
                                STR(NODE_NAME_OTHER), STR(""));
    char sql[96];
    snprintf(sql, sizeof(sql), "SELECT count FROM edge WHERE dst = %u", other);
    assert_int_equal(stored_ask(sql), 2);

    /* What was counted there is taken back from there. */
    for (uint32_t i = 1; i < 8; i++)
        rig_add(rig_obs(rig.service[0], rig.route[i], -1, RIG_AT));
    rig_flush();
    assert_int_equal(stored_ask("SELECT min(count) FROM edge"), 1);
    rig_reopen(2);
    rig_add(rig_obs(rig.service[0], rig.route[7], -1, RIG_AT));
    rig_flush();
    assert_int_equal(stored_ask("SELECT min(count) FROM edge"), 0);
    assert_int_equal(stored_ask("SELECT sum(count) FROM edge"), 6);
}

static void
even_overflow_is_bounded(void **state)
{
    char name[32];

    (void)state;
    rig_reopen(1);
    for (int i = 0; i < EDGES_OVERFLOW_MAX + 10; i++) {
        snprintf(name, sizeof(name), "s%d", i);
        uint32_t id = nodes_intern(rig.nodes, NODE_SERVICE, 0,
                                   (str){name, strlen(name)}, STR(""));
        rig_add(rig_obs(
            rig.service[0],
            nodes_intern_route(rig.nodes, id, STR("GET /"), ROUTE_SOURCE_ATTR),
            1, RIG_AT));
    }
    assert_int_equal(edges_stats(rig.edges).edges, EDGES_OVERFLOW_MAX + 1);
    assert_int_equal(edges_stats(rig.edges).dropped, 9);
    rig_flush();
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
    rig_add(rig_obs(rig.service[0], rig.route[1], 1, RIG_AT));
    rig_flush();
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_int_equal(store_begin(rig.store), OK);
        store_rollback(rig.store);
        stored_tell("CREATE TABLE keep AS SELECT * FROM edge");
        stored_tell(bad[i]);
        assert_int_equal(edges_open(&other, (struct edges_cfg){.max_edges = 9},
                                    rig.store, rig.nodes),
                         ERR_CORRUPT);
        assert_null(other);
        stored_tell("DELETE FROM edge; INSERT INTO edge SELECT * FROM keep;"
                    "DROP TABLE keep");
    }
    assert_int_equal(edges_open(&other, (struct edges_cfg){.max_edges = 9},
                                rig.store, rig.nodes),
                     OK);
    edges_free(other);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        EDGES_RIG(sums_are_stored_with_hours_and_days),
        EDGES_RIG(what_is_taken_back_before_a_flush_leaves_no_trace),
        EDGES_RIG(what_is_taken_back_later_leaves_zeros),
        EDGES_RIG(what_comes_as_often_as_it_is_taken_back_is_seen),
        EDGES_RIG(durations_are_merged_into_the_sketch_of_their_day),
        EDGES_RIG(a_damaged_sketch_is_begun_anew),
        EDGES_RIG(versions_are_seen_from_first_to_last),
        EDGES_RIG(accounts_carry_no_hash),
        EDGES_RIG(what_is_unresolved_is_known_in_all_also_after_a_restart),
        EDGES_RIG(buckets_out_of_the_window_are_not_written),
        EDGES_RIG(beyond_the_bound_edges_share_those_of_their_overflow_nodes),
        EDGES_RIG(even_overflow_is_bounded),
        EDGES_RIG(stored_edges_that_make_no_sense_are_refused),
    };

    fault_vfs_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
