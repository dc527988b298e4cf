/*
 * The guarantee all others rest on: whatever comes, in whatever order, the
 * sums are those of a model that keeps everything and works it out anew.
 *
 * PAIR_SEED=n runs one seed, PAIR_SEEDS=n so many.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "runtime/pair.h"
#include "tests/support/pair_model.h"

enum { SPANS_MAX = 16, SEEDS = 4000, USER = 1 };

#define START_NS (UINT64_C(1700000000) * NS_PER_S)
#define WAIT_NS  (60 * NS_PER_S)

struct forest {
    struct stub span[SPANS_MAX];
    struct span_link link[SPANS_MAX][PAIR_MODEL_LINKS];
    uint32_t len;
};

static uint64_t
next(uint64_t *random)
{
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    return *random * UINT64_C(2685821657736338717) >> 16;
}

static bool
one_in(uint64_t *random, uint32_t n)
{
    return next(random) % n == 0;
}

static uint32_t
kind_flags(uint64_t *random, struct stub *stub)
{
    static const uint8_t kinds[] = {
        SPAN_UNSPECIFIED, SPAN_INTERNAL, SPAN_INTERNAL, SPAN_SERVER,
        SPAN_SERVER,      SPAN_CLIENT,   SPAN_CLIENT,   SPAN_CLIENT,
        SPAN_PRODUCER,    SPAN_PRODUCER, SPAN_CONSUMER, SPAN_CONSUMER};
    uint32_t db = one_in(random, 3) ? STUB_DB : 0;
    uint32_t send = one_in(random, 3) ? STUB_CREATE : STUB_PUBLISH;

    stub->kind = kinds[next(random) % sizeof(kinds)];
    switch (stub->kind) {
    case SPAN_SERVER:
        return STUB_INGRESS | (one_in(random, 9) ? STUB_DENIED : 0);
    case SPAN_CONSUMER:
        return STUB_INGRESS | (one_in(random, 3) ? STUB_RECEIVE : 0);
    case SPAN_CLIENT:
        if (one_in(random, 4))
            return one_in(random, 4) ? 0 : STUB_RECEIVE;
        return STUB_EGRESS | db | (one_in(random, 9) ? STUB_PUBLISH : 0);
    case SPAN_PRODUCER:
        return STUB_EGRESS | (one_in(random, 5) ? 0 : send);
    default:
        return one_in(random, 8) ? STUB_INPROC_DB : 0;
    }
}

static void
make_span(uint64_t *random, struct stub *stub, uint32_t services)
{
    uint32_t service = 10 + (uint32_t)(next(random) % services);

    stub->span_id = 1 + next(random) % 1000000;
    stub->service = service;
    stub->flags = kind_flags(random, stub);
    stub->start_ns = START_NS + next(random) % (300 * NS_PER_S);
    if (one_in(random, 2))
        stub->start_ns = START_NS; /* so that some are seen together */
    stub->duration_ns = next(random) >> (16 + next(random) % 24);
    stub->version = one_in(random, 3) ? 0 : 50 + (uint32_t)next(random) % 2;
    stub->scope = 60 + (uint32_t)(next(random) % 2);
    stub->weight = WEIGHT_ONE;
    if (stub->flags & STUB_INGRESS && !one_in(random, 8))
        stub->endpoint = 100 + service * 2 + (uint32_t)(next(random) % 2);
    if (!one_in(random, 3))
        stub->peer = 200 + (uint32_t)(next(random) % 3);
    if (one_in(random, 4))
        stub->symbol = 300 + service * 2 + (uint32_t)(next(random) % 2);
    if (one_in(random, 4))
        stub->flags |= STUB_FAILED;
    if (one_in(random, 12))
        stub->flags |= STUB_SYNTHETIC;
    if (one_in(random, 10))
        stub->flags |= STUB_BACKWARDS;
    if (one_in(random, 6))
        stub->flags |=
            STUB_REMOTE_KNOWN | (one_in(random, 2) ? STUB_REMOTE : 0);
    if (one_in(random, 3)) {
        stub->flags |= STUB_WEIGHT_KNOWN;
        stub->weight = 1 + next(random) % (8 * WEIGHT_ONE);
    }
}

static void
make_links(uint64_t *random, struct forest *forest, uint32_t i)
{
    struct stub *stub = &forest->span[i];

    if (!one_in(random,
                stub->kind == SPAN_CONSUMER || stub->flags & STUB_RECEIVE ? 2
                                                                          : 12))
        return;
    stub->link_len = (uint16_t)(1 + next(random) % 4);
    for (int n = 0; n < stub->link_len; n++) {
        const struct stub *to = &forest->span[next(random) % forest->len];
        forest->link[i][n] = (struct span_link){
            one_in(random, 8) ? 0 : to->trace_hi, to->trace_lo, to->span_id};
        if (one_in(random, 6))
            forest->link[i][n].span_id =
                3000000 + next(random) % 2; /* never comes */
    }
}

/* Two trees or three, grown together; some parents are missing, and some are
 * anybody, so that there are rings. */
static void
make_forest(uint64_t *random, struct forest *forest)
{
    uint32_t services = 1 + (uint32_t)(next(random) % 4);
    uint32_t traces = 1 + (uint32_t)(next(random) % 2);
    uint32_t wildness = one_in(random, 3) ? 3 : 40;

    memset(forest, 0, sizeof(*forest));
    forest->len = 1 + (uint32_t)(next(random) % SPANS_MAX);
    for (uint32_t i = 0; i < forest->len; i++) {
        struct stub *stub = &forest->span[i];
        make_span(random, stub, services);
        stub->trace_lo = 7 + next(random) % traces;
        stub->trace_hi = one_in(random, 5) ? 0 : stub->trace_lo * 11;
    }
    for (uint32_t i = 0; i < forest->len; i++) {
        struct stub *stub = &forest->span[i];
        uint32_t from = one_in(random, wildness) ? forest->len : i;
        const struct stub *to =
            from ? &forest->span[next(random) % from] : stub;
        if (to != stub || one_in(random, 9)) {
            stub->parent_id = to->span_id;
            stub->trace_lo = to->trace_lo;
            stub->trace_hi = one_in(random, 5) ? 0 : stub->trace_lo * 11;
        }
        if (one_in(random, 12))
            stub->parent_id = 3000000 + next(random) % 2; /* never comes */
    }
    for (uint32_t i = 0; i < forest->len; i++)
        make_links(random, forest, i);
}

struct run {
    struct pair *pair;
    struct pair_sums sums;
    struct pair_model model;
    uint64_t seed;
    uint64_t random;
};

static void
compare(const struct run *run)
{
    static struct pair_sums should;
    struct edge_key key;

    pair_model_sums(&run->model, &should);
    if (run->sums.went_below)
        fail_msg("PAIR_SEED=%lu: less than nothing", run->seed);
    if (!pair_sums_differ(&run->sums, &should, &key))
        return;
    struct pair_sum is = pair_sums_get(&run->sums, key);
    struct pair_sum want = pair_sums_get(&should, key);
    fail_msg("PAIR_SEED=%lu, after %u spans: %u -> %u kind %u: count %ld not "
             "%ld, errors %ld not %ld, weight %ld not %ld, samples %ld not "
             "%ld, latency %ld not %ld, at %ld not %ld",
             run->seed, run->model.len, key.src, key.dst, key.kind, is.count,
             want.count, is.errors, want.errors, is.weight, want.weight,
             is.samples, want.samples, is.latency, want.latency, is.at,
             want.at);
}

/* Sends |len| spans as one request. */
static void
send_spans(struct run *run, const struct forest *forest, const uint32_t *which,
           uint32_t len)
{
    struct stub stubs[SPANS_MAX * 2];
    struct span_link links[SPANS_MAX * 2 * PAIR_MODEL_LINKS];
    struct stub_batch batch = {
        .stubs = stubs,
        .links = links,
        .stub_len = len,
        .received_ns = run->model.now_ns,
    };

    for (uint32_t i = 0; i < len; i++) {
        stubs[i] = forest->span[which[i]];
        stubs[i].link_at = batch.link_len;
        for (int n = 0; n < stubs[i].link_len; n++)
            links[batch.link_len++] = forest->link[which[i]][n];
        pair_model_add(&run->model, &stubs[i], forest->link[which[i]]);
    }
    pair_add(run->pair, &batch);
    compare(run);
}

static void
wait_some(struct run *run)
{
    switch (next(&run->random) % 4) {
    case 0:
        run->model.now_ns += next(&run->random) % WAIT_NS;
        break;
    case 1:
        run->model.now_ns += WAIT_NS;
        break;
    default:
        return;
    }
    pair_advance(run->pair, run->model.now_ns);
    compare(run);
}

static void
run_seed(uint64_t seed, const struct pair_cfg *cfg)
{
    static struct run run;
    struct forest forest;
    uint32_t order[SPANS_MAX * 2];
    uint32_t len = 0;

    memset(&run, 0, sizeof(run));
    run.seed = seed;
    run.random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    run.model.now_ns = START_NS;
    run.model.wait_ns = cfg->wait_ns;
    run.model.user = cfg->user;
    make_forest(&run.random, &forest);
    for (uint32_t i = 0; i < forest.len; i++) {
        order[len++] = i;
        if (one_in(&run.random, 10))
            order[len++] = i;
    }
    for (uint32_t i = len; i > 1; i--) {
        uint32_t other = (uint32_t)(next(&run.random) % i);
        uint32_t swap = order[i - 1];
        order[i - 1] = order[other];
        order[other] = swap;
    }
    assert_int_equal(pair_new(&run.pair, cfg, pair_sums_add, &run.sums), OK);
    for (uint32_t i = 0; i < len;) {
        uint32_t step = 1 + (uint32_t)(next(&run.random) % 4);
        step = step < len - i ? step : len - i;
        send_spans(&run, &forest, &order[i], step);
        wait_some(&run);
        i += step;
    }
    pair_finish(run.pair);
    run.model.now_ns += WAIT_NS + NS_PER_MS;
    compare(&run);
    pair_free(run.pair);
}

static uint64_t
number_of(const char *name, uint64_t otherwise)
{
    const char *value = getenv(name);

    return value ? strtoull(value, NULL, 10) : otherwise;
}

static void
the_sums_depend_on_what_came_and_nothing_else(void **state)
{
    const struct pair_cfg cfg = {
        .wait_ns = WAIT_NS,
        .horizon_ns = UINT64_C(86400) * NS_PER_S,
        .link_horizon_ns = UINT64_C(86400) * NS_PER_S,
        .max_spans = 256,
        .max_producers = 16,
        .user = USER,
    };
    uint64_t only = number_of("PAIR_SEED", 0);
    uint64_t seeds = number_of("PAIR_SEEDS", SEEDS);

    (void)state;
    if (only) {
        run_seed(only, &cfg);
        return;
    }
    for (uint64_t seed = 1; seed <= seeds; seed++)
        run_seed(seed, &cfg);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_sums_depend_on_what_came_and_nothing_else),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
