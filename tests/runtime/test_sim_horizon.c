/*
 * Where spans are forgotten the model of test_sim has no word: so one world is
 * run twice, once without a crash and once with many, and both must store the
 * same.  Half the horizon is as long as a digest is kept, so that the journal
 * holds no more than the two horizons it promises.
 *
 * No span comes twice: one that comes again after it was forgotten counts anew,
 * and whose child an old one is then, its first parent's or its second's,
 * would need a third horizon to know.
 *
 * SEED=n runs one seed again, exactly.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#include "base/log.h"
#include "tests/support/fault_vfs.h"
#include "tests/support/sim_world.h"
#include "tests/support/size.h"

#define HORIZON_NS (450 * NS_PER_S)

enum { STEPS_MAX = SIM_SPANS };

struct step {
    uint32_t span[SIM_BATCH_SPANS];
    uint32_t len;
    uint64_t at_ns;
    bool crashes; /* behind it */
};

static struct step step[STEPS_MAX];
static uint32_t steps;
static uint64_t crashes;

static void
make_steps(void)
{
    uint32_t order[STEPS_MAX];
    uint32_t len = 0;
    uint64_t now_ns = world.now_ns;

    for (uint32_t i = 0; i < world.spans; i++)
        order[len++] = i;
    for (uint32_t i = len; i > 1; i--) {
        uint32_t other = (uint32_t)sim_below(i);
        uint32_t swap = order[i - 1];
        order[i - 1] = order[other];
        order[other] = swap;
    }
    steps = 0;
    for (uint32_t i = 0; i < len;) {
        struct step *it = &step[steps++];
        now_ns += sim_below(200) * NS_PER_S;
        now_ns += sim_below(NS_PER_S);
        *it = (struct step){.at_ns = now_ns, .crashes = sim_one_in(3)};
        uint64_t some = 1 + sim_below(4);
        while (it->len < some && i < len)
            it->span[it->len++] = order[i++];
    }
}

static void
take(const struct step *it)
{
    const struct span_link *links[SIM_BATCH_SPANS];
    struct stub spans[SIM_BATCH_SPANS];
    struct sim_request request = {.spans = spans, .links = links};

    for (uint32_t i = 0; i < it->len; i++) {
        spans[i] = world.span[it->span[i]];
        links[i] = world.link[it->span[i]];
    }
    request.len = it->len;
    sim_core_take(&world.core, &request, 1, it->at_ns);
    sim_expect("answer", request.answer == OK, true);
}

static void
run(bool crashing, struct pair_sums *out)
{
    stored_empty();
    assert_int_equal(sim_core_open(&world.core, world.now_ns), OK);
    for (uint32_t i = 0; i < steps; i++) {
        take(&step[i]);
        if (!crashing || !step[i].crashes)
            continue;
        crashes++;
        sim_core_end(&world.core, 0);
        assert_int_equal(sim_core_open(&world.core, step[i].at_ns), OK);
    }
    assert_int_equal(engine_finish(world.core.engine), OK);
    sim_core_read(out);
    sim_core_end(&world.core, 0);
    fault_vfs_lose_power(1); /* nothing is remembered of these files */
    fault_vfs_record();
}

static void
crashes_change_nothing_beyond_the_horizon(void **state)
{
    static struct pair_sums without, with;
    struct seeds seeds = size_seeds(200, 20000, 200000);
    struct edge_key key;

    (void)state;
    for (uint64_t seed = seeds.first; seed <= seeds.last; seed++) {
        sim_world_begin(seed);
        world.core.cfg.pair.horizon_ns = HORIZON_NS;
        make_steps();
        run(false, &without);
        run(true, &with);
        if (pair_sums_differ(&without, &with, &key))
            fail_msg("SEED=%lu: %u -> %u kind %u: %ld without a crash, %ld "
                     "with",
                     seed, key.src, key.dst, key.kind,
                     pair_sums_get(&without, key).count,
                     pair_sums_get(&with, key).count);
    }
    printf("%lu crashes\n", crashes);
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            crashes_change_nothing_beyond_the_horizon, stored_setup,
            stored_teardown),
    };

    size_args(argc, argv);
    log_configure((struct log_cfg){.level = LOG_ERROR + 1});
    fault_vfs_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
