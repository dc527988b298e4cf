/*
 * bench_pair - pairing, in ns a span, against a limit and a naive table.
 *
 *     bench_pair [spans [held [apart [batch]]]]
 *
 * Spans of small traces come shuffled, up to |apart| spans from where they
 * belong, which is the wait; |held| of them are held, |batch| come with a
 * request.  The limit touches two
 * random cache lines a span in as much memory, all at once; the naive table is
 * one open-addressed array of spans that is asked for the span and for its
 * parent, one after the other.  All three are measured in one run, on the same
 * spans.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "runtime/pair.h"
#include "tests/support/cpu.h"

enum {
    BATCH = 512, /* spans a request, at most ... */
    BATCH_FEW = 64,
    TRACE_MAX = 24,
    SERVICES = 600,
    ROUNDS = 3,
    BUDGET_NS = 100,
};

#define START_NS (UINT64_C(1700000000) * NS_PER_S)
#define BATCH_NS (5 * NS_PER_MS) /* ... and the time of so many */

/* Of one run, in spans. */
struct shape {
    size_t len;
    size_t held;
    size_t apart;
    size_t batch;
};

static uint64_t random_state = 88172645463325252;

static uint64_t
next(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state * UINT64_C(2685821657736338717) >> 8;
}

static size_t
resident_bytes(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    unsigned long pages = 0;

    if (file && fscanf(file, "%*u %lu", &pages) != 1)
        pages = 0;
    if (file)
        fclose(file);
    return pages * 4096;
}

/* ---- spans ---- */

struct place {
    uint64_t at;
    uint32_t span;
};

static int
by_place(const void *a, const void *b)
{
    uint64_t x = ((const struct place *)a)->at;
    uint64_t y = ((const struct place *)b)->at;

    return (x > y) - (x < y);
}

/* A child of an egress is an ingress elsewhere; others stay in the service. */
static void
make_child(struct stub *stub, const struct stub *parent, uint64_t number)
{
    bool is_called = parent->flags & STUB_EGRESS;

    stub->trace_hi = parent->trace_hi;
    stub->trace_lo = parent->trace_lo;
    stub->parent_id = parent->span_id;
    stub->service = parent->service;
    stub->kind = next() % 10 < 2    ? SPAN_INTERNAL
                 : next() % 20 == 0 ? SPAN_PRODUCER
                                    : SPAN_CLIENT;
    if (is_called) {
        stub->kind =
            parent->kind == SPAN_PRODUCER ? SPAN_CONSUMER : SPAN_SERVER;
        stub->service =
            1 + (parent->service * 7 + (uint32_t)(next() % 10)) % SERVICES;
        stub->endpoint = SERVICES + stub->service * 8 + (uint32_t)(next() % 8);
        stub->flags = STUB_INGRESS;
    } else if (stub->kind != SPAN_INTERNAL) {
        stub->flags = STUB_EGRESS;
    }
    if (stub->kind == SPAN_PRODUCER) {
        stub->flags |= STUB_PUBLISH;
        stub->peer = 10000 + stub->service;
    }
    if (number % 50 == 0)
        stub->flags |= STUB_FAILED;
}

static struct stub *
make_spans(size_t len, size_t apart)
{
    struct stub *tree = calloc(len + TRACE_MAX, sizeof(*tree));
    struct stub *out = malloc(len * sizeof(*out));
    struct place *place = malloc((len + TRACE_MAX) * sizeof(*place));
    size_t have = 0;

    if (!tree || !out || !place)
        exit(1);
    while (have < len) {
        size_t root = have;
        size_t size = 4 + next() % (TRACE_MAX - 4);
        for (size_t i = 0; i < size; i++, have++) {
            struct stub *stub = &tree[have];
            stub->span_id = next() | 1;
            stub->start_ns = START_NS + have * 1000;
            stub->duration_ns = next() >> 20;
            stub->weight = WEIGHT_ONE;
            stub->scope = 9000;
            if (i == 0) {
                stub->trace_hi = next();
                stub->trace_lo = next();
                stub->service = 1 + (uint32_t)(next() % 20);
                stub->endpoint = SERVICES + stub->service * 8;
                stub->kind = SPAN_SERVER;
                stub->flags = STUB_INGRESS;
            } else {
                make_child(stub, &tree[root + next() % i], have);
            }
            place[have] = (struct place){root + (apart ? next() % apart : 0),
                                         (uint32_t)have};
        }
    }
    qsort(place, have, sizeof(*place), by_place);
    for (size_t i = 0; i < len; i++)
        out[i] = tree[place[i].span];
    free(place);
    free(tree);
    return out;
}

/* ---- measured ---- */

/* The time of a thread is asked of the system, for a microsecond, which would
 * be 20 ns a span of a small request. */
static double
clock_cost(void)
{
    double cost = 1;

    for (int i = 0; i < 1000; i++) {
        double start = cpu_seconds();
        double took = cpu_seconds() - start;
        cost = took < cost ? took : cost;
    }
    return cost;
}

static void
count(void *ctx, const struct edge_obs *obs)
{
    uint64_t *sums = ctx;

    sums[obs->key.kind & 63] += (uint64_t)(int64_t)obs->count;
}

static struct pair *
new_pair(const struct shape *shape, uint64_t *sums)
{
    struct pair_cfg cfg = {
        .horizon_ns = shape->held / BATCH * BATCH_NS,
        .wait_ns = shape->apart / BATCH * BATCH_NS,
        .link_horizon_ns = UINT64_C(86400) * NS_PER_S,
        .max_spans = 4000000,
        .max_producers = 1000000,
        .user = 1,
    };
    struct pair *pair;

    if (pair_new(&pair, &cfg, count, sums))
        exit(1);
    return pair;
}

static double
run_pair(const struct stub *spans, const struct shape *shape, bool report)
{
    static struct stub hot[BATCH];
    size_t before = resident_bytes();
    uint64_t sums[64] = {0};
    struct pair *pair = new_pair(shape, sums);
    size_t warm = shape->len / 3 / BATCH * BATCH;
    double clock = clock_cost();
    double spent = 0;

    for (size_t i = 0; i + shape->batch <= shape->len; i += shape->batch) {
        struct stub_batch batch = {.stubs = hot,
                                   .stub_len = (uint32_t)shape->batch,
                                   .received_ns =
                                       START_NS + i / BATCH * BATCH_NS};
        memcpy(hot, &spans[i], shape->batch * sizeof(*hot));
        double start = cpu_seconds();
        pair_add(pair, &batch);
        spent += i < warm ? 0 : cpu_seconds() - start - clock;
    }
    struct pair_stats stats = pair_stats(pair);
    double bytes = (double)(resident_bytes() - before);
    if (report) {
        printf("held at the end: %" PRIu32 " spans, %" PRIu32
               " producers; resident %.0f MB = %.0f bytes a span\n",
               stats.live, stats.producers, bytes / 1e6, bytes / stats.live);
        printf("told: call %" PRIu64 ", msg %" PRIu64 ", traffic %" PRIu64
               ", orphans %" PRIu64 ", seen %" PRIu64 "\n",
               sums[EDGE_CALL], sums[EDGE_MSG], sums[EDGE_TRAFFIC],
               sums[EDGE_ORPHAN], sums[EDGE_SEEN]);
    }
    pair_free(pair);
    return spent / (double)(shape->len - warm) * 1e9;
}

struct naive {
    struct stub stub;
    uint64_t round; /* 0: empty */
};

struct naive_table {
    struct naive *slots;
    size_t mask;
    size_t apart; /* what is older is simply taken over */
};

static void
add_naive(struct naive_table *table, const struct stub *stub, size_t round,
          uint64_t *sums)
{
    struct naive *slots = table->slots;
    size_t mask = table->mask;
    size_t at = hash_mix(stub->trace_lo, stub->parent_id) & mask;

    while (slots[at].round + table->apart > round && slots[at].round &&
           (slots[at].stub.span_id != stub->parent_id ||
            slots[at].stub.trace_lo != stub->trace_lo))
        at = (at + 1) & mask;
    struct edge_obs obs = {
        .key = {slots[at].stub.service, stub->service, EDGE_CALL},
        .count = slots[at].stub.span_id == stub->parent_id};
    count(sums, &obs);
    at = hash_mix(stub->trace_lo, stub->span_id) & mask;
    while (slots[at].round + table->apart > round && slots[at].round)
        at = (at + 1) & mask;
    slots[at] = (struct naive){*stub, round + 1};
}

static double
run_naive(const struct stub *spans, size_t len, size_t apart)
{
    static struct stub hot[BATCH];
    struct naive_table table = {.mask = 1, .apart = apart};
    size_t warm = len / 3 / BATCH * BATCH;
    uint64_t sums[64] = {0};
    double clock = clock_cost();
    double spent = 0;

    while (table.mask < 2 * apart)
        table.mask *= 2;
    table.slots = calloc(table.mask--, sizeof(*table.slots));
    if (!table.slots)
        exit(1);
    for (size_t i = 0; i + BATCH <= len; i += BATCH) {
        memcpy(hot, &spans[i], sizeof(hot));
        double start = cpu_seconds();
        for (size_t n = 0; n < BATCH; n++)
            add_naive(&table, &hot[n], i + n, sums);
        spent += i < warm ? 0 : cpu_seconds() - start - clock;
    }
    free(table.slots);
    return spent / (double)(len - warm) * 1e9;
}

/* Two lines a span that depend on nothing, in |apart| entries' memory. */
static double
run_limit(size_t len, size_t apart)
{
    size_t lines = apart * 2;
    uint64_t *memory = malloc(lines * 64);
    uint64_t sum = 0;

    if (!memory)
        exit(1);
    memset(memory, 1, lines * 64);
    double start = cpu_seconds();
    for (size_t i = 0; i < 2 * len; i++)
        sum += memory[(hash_mix(i, 7) % lines) * 8]++;
    double ns = (cpu_seconds() - start) / (double)len * 1e9;
    if (sum == 1)
        puts("");
    free(memory);
    return ns;
}

static double
least(double a, double b)
{
    return a < b ? a : b;
}

static void
run_all(struct shape shape)
{
    struct stub *spans = make_spans(shape.len, shape.apart);
    double pair = 1e9;
    double naive = 1e9;
    double limit = 1e9;

    printf("-- %zu spans, %zu held, up to %zu apart, %zu a request\n",
           shape.len, shape.held, shape.apart, shape.batch);
    for (int i = 0; i < ROUNDS; i++) {
        pair = least(pair, run_pair(spans, &shape, i == 0));
        naive = least(naive, run_naive(spans, shape.len, shape.held));
        limit = least(limit, run_limit(shape.len, shape.held));
    }
    printf("pair %.0f ns a span; naive table %.0f (ratio %.2f); limit %.0f "
           "(ratio %.2f); budget %d (ratio %.2f)\n",
           pair, naive, pair / naive, limit, pair / limit, BUDGET_NS,
           pair / BUDGET_NS);
    free(spans);
}

int
main(int argc, char **argv)
{
    struct shape shape = {
        .len = argc > 1 ? strtoull(argv[1], NULL, 10) : 4000000,
        .held = argc > 2 ? strtoull(argv[2], NULL, 10) : 1000000,
        .batch = argc > 4 ? strtoull(argv[4], NULL, 10) : BATCH,
    };

    if (shape.batch < 1 || shape.batch > BATCH) {
        fprintf(stderr, "bench_pair: batch: 1 to %d\n", BATCH);
        return 2;
    }
    /* A few seconds of a quarter hour, unless it is said. */
    shape.apart = argc > 3 ? strtoull(argv[3], NULL, 10) : shape.held / 1000;
    run_all(shape);
    if (argc > 3)
        return 0;
    shape.batch = BATCH_FEW;
    run_all(shape);
    shape.batch = BATCH;
    shape.apart = shape.held; /* the worst */
    run_all(shape);
    return 0;
}
