/* Whatever is written and fails, the store holds what a naive model holds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <sqlite3.h>

#include "base/clock.h"
#include "tests/support/edges_rig.h"
#include "tests/support/fault_vfs.h"
#include "tests/support/stored.h"

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
    uint32_t hour = (obs.at_s - RIG_AT) / S_PER_H;

    rig_add(obs);
    model.count[edge][hour] += obs.count;
    if (obs.latency != EDGE_NO_LATENCY)
        model.latency[edge][obs.latency] += obs.count;
}

static void
say_something(unsigned *seed)
{
    uint32_t edge = (uint32_t)rand_r(seed) % MODEL_EDGES;
    struct edge_obs obs =
        rig_obs(rig.service[edge / 6], rig.route[4 + edge % 4], 1,
                RIG_AT + (uint32_t)rand_r(seed) % (MODEL_HOURS * S_PER_H));

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
                 rig.service[e / 6], rig.route[4 + e % 4], kind);
        uint32_t id = (uint32_t)stored_ask(sql);
        for (uint32_t h = 0; h < MODEL_HOURS; h++) {
            snprintf(sql, sizeof(sql),
                     "SELECT coalesce(sum(count), 0) FROM edge_hour"
                     " WHERE edge = %u AND hour = %u",
                     id, RIG_HOUR + h);
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
            rig_sketch(&sketch, id, RIG_HOUR / 24 + d);
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
            if (rig.taken_at == edge_parts_len(&rig.taken))
                assert_int_equal(edges_take(rig.edges, RIG_PART, &rig.taken),
                                 OK);
            (void)rig_try(rig_keep_all);
            fault_vfs_heal();
        }
        if (round % 4 == 3)
            rig_flush();
        if (round % 8 == 7) {
            assert_int_equal(rig.taken_at, edge_parts_len(&rig.taken));
            rig_reopen(1000);
            expect_model();
        }
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        EDGES_RIG(whatever_comes_and_fails_the_sums_are_those_of_a_naive_model),
    };

    fault_vfs_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
