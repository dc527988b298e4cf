/*
 * bench_edges - what an observation costs, by how many edges there are.
 *
 *     bench_edges
 *
 * Edges are met in random order, all equally often, which is the worst there is
 * for caches; each observation has a duration.  Measured is CPU time of a
 * million of them between two flushes, when all edges are stored and memory is
 * what the flush before has left; beside it what a random read and write of two
 * cache lines costs in as much memory as the edges have, the look-up and the
 * sums.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "graph/edges.h"
#include "graph/sketch.h"
#include "tests/support/cpu.h"
#include "tests/support/dir.h"
#include "tests/support/store_edges.h"

enum {
    NODES = 2000,
    EDGES_MIN = 1000,
    EDGES_MAX = 1000000,
    ROUNDS = 5,
    MEASURED = 1000000,
    LINE = 64,
};

#define AT_S UINT32_C(1700000000)

static void
check(bool ok, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "bench_edges: %s failed\n", what);
    exit(1);
}

static void
observe(struct edges *edges, uint32_t edge, uint64_t random)
{
    const struct edge_obs obs = {
        .key = {1 + edge / 1000, 1000 + edge % 1000, EDGE_CALL},
        .count = 1,
        .weight = 1 << 20,
        .at_s = AT_S + (uint32_t)(random >> 40) % 10,
        .latency = sketch_bucket(NS_PER_MS + (random >> 10) % (50 * NS_PER_MS)),
    };

    edges_add(edges, &obs);
}

static struct edges *
fill(struct store *store, struct nodes *nodes, uint32_t count)
{
    const struct edges_cfg cfg = {.max_edges = 4000000};
    struct edges *edges;

    check(!edges_open(&edges, cfg, store, nodes), "open");
    for (uint32_t i = 0; i < count; i++)
        observe(edges, i, hash_mix(i, 1));
    check(edges_stats(edges).edges == count, "all edges");
    check(!store_edges(edges, store, nodes, (struct edges_window){0}), "flush");
    return edges;
}

static double
run_edges(struct edges *edges, uint32_t count)
{
    uint64_t random = 42;
    double start = cpu_seconds();

    for (uint32_t i = 0; i < MEASURED; i++) {
        random = hash_mix(random, UINT64_C(0x2545f4914f6cdd1d));
        observe(edges, (uint32_t)((random >> 32) * count >> 32), random);
    }
    double ns = (cpu_seconds() - start) / MEASURED * 1e9;
    check(edges_stats(edges).edges == count, "all edges");
    store_no_edges(edges);
    return ns;
}

static double
run_limit(uint32_t count)
{
    size_t lines = 2 * (size_t)count;
    uint64_t *memory = malloc(lines * LINE);
    uint64_t random = 42;

    check(memory != NULL, "memory");
    memset(memory, 1, lines * LINE);
    double start = cpu_seconds();
    for (uint32_t i = 0; i < 2 * MEASURED; i++) {
        random = hash_mix(i, UINT64_C(0x2545f4914f6cdd1d));
        memory[((random >> 32) * lines >> 32) * (LINE / 8)]++;
    }
    double ns = (cpu_seconds() - start) / MEASURED * 1e9;
    check(memory[0] != 0, "a sum");
    free(memory);
    return ns;
}

int
main(void)
{
    const struct nodes_cfg cfg = {
        .max_nodes = 10000, .max_routes = 10, .max_symbols = 10};
    struct buf why = {0};
    struct store *store;
    struct nodes *nodes;
    double first = 0;
    char dir[64];

    dir_make(dir);
    check(!nodes_new(&nodes, cfg) &&
              !store_open(&store, dir, STORE_SYNC_OS, AT_S * NS_PER_S, &why),
          "open");
    for (uint32_t i = 0; i < NODES; i++) {
        char name[16];
        int len = snprintf(name, sizeof(name), "s%" PRIu32, i);
        nodes_intern(nodes, NODE_SERVICE, 0, (str){name, (size_t)len}, STR(""));
    }
    printf("    edges  ns an observation  two lines  times 1,000 edges\n");
    for (uint32_t count = EDGES_MIN; count <= EDGES_MAX; count *= 10) {
        double ns = 1e9;
        double limit = 1e9;
        struct edges *edges = fill(store, nodes, count);
        for (int i = 0; i < ROUNDS; i++) {
            double it = run_edges(edges, count);
            ns = it < ns ? it : ns;
            it = run_limit(count);
            limit = it < limit ? it : limit;
        }
        edges_free(edges);
        first = count == EDGES_MIN ? ns : first;
        printf("%9" PRIu32 " %18.1f %10.1f %18.2f\n", count, ns, limit,
               ns / first);
    }
    store_close(store);
    nodes_free(nodes);
    buf_fini(&why);
    dir_remove(dir);
    return 0;
}
