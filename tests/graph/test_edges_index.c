#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "graph/edges.h"
#include "tests/support/store_edges.h"
#include "tests/support/stored.h"

#define AT (UINT32_C(472222) * S_PER_H)

/* As many edges as the index takes before it grows, so that many of its
 * buckets are full and had to be passed. */
enum { SIDE = 64, EDGES = SIDE * SIDE };

static struct nodes *nodes;
static struct store *store;
static struct edges *edges;
static uint32_t node[SIDE];

static int
setup(void **state)
{
    stored_setup(state);
    store = stored_open();
    nodes_new(&nodes, (struct nodes_cfg){1000, 10, 10});
    for (uint32_t i = 0; i < SIDE; i++) {
        char name[16];
        int len = snprintf(name, sizeof(name), "n%u", i);
        node[i] = nodes_intern(nodes, NODE_SERVICE, 0, (str){name, (size_t)len},
                               STR(""));
    }
    const struct edges_cfg cfg = {.max_edges = EDGES};
    assert_int_equal(edges_open(&edges, cfg, store, nodes), OK);
    return 0;
}

static int
teardown(void **state)
{
    edges_free(edges);
    store_close(store);
    nodes_free(nodes);
    return stored_teardown(state);
}

static void
add(uint32_t edge, int count)
{
    const struct edge_obs obs = {
        .key = {node[edge / SIDE], node[edge % SIDE], EDGE_CALL},
        .count = count,
        .weight = count,
        .at_s = AT,
        .latency = EDGE_NO_LATENCY,
    };

    edges_add(edges, &obs);
}

static void
flush(void)
{
    assert_int_equal(store_edges(edges, store, nodes, (struct edges_window){0}),
                     OK);
}

static void
edges_that_come_and_go_do_not_hide_each_other(void **state)
{
    static bool kept[EDGES];
    unsigned seed = 7;

    (void)state;
    for (int round = 0; round < 6; round++) {
        uint32_t len = 0;
        for (uint32_t i = 0; i < EDGES; i++)
            add(i, 1);
        assert_int_equal(edges_stats(edges).edges, EDGES);
        assert_int_equal(edges_stats(edges).overflowed, 0);
        for (uint32_t i = 0; i < EDGES; i++) {
            if (kept[i] || rand_r(&seed) % 4)
                add(i, -1);
            else
                kept[i] = true;
            len += kept[i];
        }
        flush();
        assert_int_equal(edges_stats(edges).edges, len);
        /* While there are gaps where the others were. */
        for (uint32_t i = 0; i < 2 * EDGES; i++) {
            if (kept[i / 2])
                add(i / 2, i % 2 ? -1 : 1);
        }
        assert_int_equal(edges_stats(edges).edges, len);
        assert_int_equal(stored_ask("SELECT count(*) FROM edge"), len);
        assert_int_equal(stored_ask("SELECT sum(count) FROM edge"), len);
        assert_int_equal(stored_ask("SELECT max(count) FROM edge"), 1);
    }
}

static void
all_are_found_again_after_a_restart(void **state)
{
    const struct edges_cfg cfg = {.max_edges = EDGES};

    (void)state;
    for (uint32_t i = 0; i < EDGES; i++)
        add(i, 1);
    flush();
    edges_free(edges);
    assert_int_equal(edges_open(&edges, cfg, store, nodes), OK);
    assert_int_equal(edges_stats(edges).edges, EDGES);
    for (uint32_t i = 0; i < EDGES; i++)
        add(i, 2);
    assert_int_equal(edges_stats(edges).edges, EDGES);
    flush();
    assert_int_equal(stored_ask("SELECT count(*) FROM edge"), EDGES);
    assert_int_equal(stored_ask("SELECT min(count) FROM edge"), 3);
    assert_int_equal(stored_ask("SELECT max(count) FROM edge"), 3);
}

/* Room is made for all rows at once, or for as many as there may be. */
static void
any_number_of_rows_is_loaded(void **state)
{
    static const uint32_t lens[] = {1, 255, 256, 257, 512, 513, EDGES};
    static const uint32_t mosts[] = {1, EDGES};
    uint32_t len = 0;

    (void)state;
    for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
        while (len < lens[i])
            add(len++, 1);
        flush();
        for (size_t j = 0; j < 2; j++) {
            const struct edges_cfg cfg = {.max_edges = mosts[j]};
            edges_free(edges);
            assert_int_equal(edges_open(&edges, cfg, store, nodes), OK);
            assert_int_equal(edges_stats(edges).edges, len);
        }
    }
    for (uint32_t i = 0; i < EDGES; i++)
        add(i, 1);
    assert_int_equal(edges_stats(edges).edges, EDGES);
    flush();
    assert_int_equal(stored_ask("SELECT min(count) FROM edge"), 2);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(edges_that_come_and_go_do_not_hide_each_other),
        TEST(all_are_found_again_after_a_restart),
        TEST(any_number_of_rows_is_loaded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
