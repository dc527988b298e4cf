/*
 * The guarantee all others rest on: whatever comes, in whatever order, the
 * sums are those of a model that keeps everything and works it out anew.
 *
 * tests/support/size.h: SEED=n runs one of its seeds.
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
#include "tests/support/pair_forest.h"
#include "tests/support/pair_model.h"
#include "tests/support/size.h"

#define WAIT_NS (60 * NS_PER_S)

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

    pair_model_sums(&run->model, &should);
    if (run->sums.went_below)
        fail_msg("SEED=%lu: less than nothing", run->seed);
    if (pair_sums_differ(&run->sums, &should))
        fail_msg("SEED=%lu, after %u spans: other sums", run->seed,
                 run->model.len);
}

/* Sends |len| spans as one request. */
static void
send_spans(struct run *run, const struct pair_forest *forest,
           const uint32_t *which, uint32_t len)
{
    struct stub stubs[PAIR_FOREST_SPANS * 2];
    struct span_link links[PAIR_FOREST_SPANS * 2 * PAIR_MODEL_LINKS];
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
    switch (pair_random(&run->random) % 4) {
    case 0:
        run->model.now_ns += pair_random(&run->random) % WAIT_NS;
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
    struct pair_forest forest;
    uint32_t order[PAIR_FOREST_SPANS * 2];
    uint32_t len = 0;

    memset(&run, 0, sizeof(run));
    run.seed = seed;
    run.random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    run.model.now_ns = PAIR_FOREST_START_NS;
    run.model.wait_ns = cfg->wait_ns;
    run.model.user = cfg->user;
    pair_forest_make(&run.random, &forest);
    if (seed % 2 == 0)
        pair_forest_share(&run.random, &forest, seed % 4 == 0);
    for (uint32_t i = 0; i < forest.len; i++) {
        order[len++] = i;
        if (pair_one_in(&run.random, 10))
            order[len++] = i;
    }
    for (uint32_t i = len; i > 1; i--) {
        uint32_t other = (uint32_t)(pair_random(&run.random) % i);
        uint32_t swap = order[i - 1];
        order[i - 1] = order[other];
        order[other] = swap;
    }
    assert_int_equal(pair_new(&run.pair, cfg, pair_sums_add, &run.sums), OK);
    for (uint32_t i = 0; i < len;) {
        uint32_t step = 1 + (uint32_t)(pair_random(&run.random) % 4);
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

static void
the_sums_depend_on_what_came_and_nothing_else(void **state)
{
    const struct pair_cfg cfg = {
        .wait_ns = WAIT_NS,
        .horizon_ns = UINT64_C(86400) * NS_PER_S,
        .link_horizon_ns = UINT64_C(86400) * NS_PER_S,
        .max_spans = 256,
        .max_producers = 16,
        .user = PAIR_FOREST_USER,
    };
    struct seeds seeds = size_seeds(4000, 400000, 4000000);

    (void)state;
    for (uint64_t seed = seeds.first; seed <= seeds.last; seed++)
        run_seed(seed, &cfg);
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_sums_depend_on_what_came_and_nothing_else),
    };

    size_args(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
