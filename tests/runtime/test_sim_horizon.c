/*
 * Where spans are forgotten the model of test_sim has no word: so one world is
 * run twice, once without a crash and once with many, and both must store the
 * same.  Half the horizon is as long as a digest is kept, so that the journal
 * holds no more than the two horizons it promises.
 *
 * No span comes twice, nor two with one id: one that comes again after it was
 * forgotten counts anew, and whose child an old one is then, its first parent's
 * or its second's, would need a third horizon to know.
 *
 * Once more with so few spans at once that most are forgotten before their
 * time, and the journal is dropped file by file as it is written; and with all
 * that test_sim does to disk and power, exact retries of what was dropped, and
 * disks that are lost and come back from a backup.  Each request is sent until
 * it is acknowledged, so the machine takes the same in the same order.
 *
 * SEED=n runs one seed again, exactly.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "store/backup.h"
#include "tests/support/fault_disk.h"
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

static struct {
    uint64_t dropped; /* files of the journal */
    uint64_t carried; /* digests of rows that were in them */
    uint64_t retries;
    uint64_t restored;
} hard;

/* |apart_s|: seconds between two of them, at most. */
static void
make_steps(uint64_t apart_s)
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
        now_ns += sim_below(apart_s) * NS_PER_S;
        now_ns += sim_below(NS_PER_S);
        *it = (struct step){.at_ns = now_ns, .crashes = sim_one_in(3)};
        uint64_t some = 1 + sim_below(4);
        while (it->len < some && i < len)
            it->span[it->len++] = order[i++];
    }
}

static enum err
take(const struct step *it, uint64_t now_ns)
{
    const struct span_link *links[SIM_BATCH_SPANS];
    struct stub spans[SIM_BATCH_SPANS];
    struct sim_request request = {.spans = spans,
                                  .links = links,
                                  .digest = sim_digest((uint32_t)(it - step))};

    for (uint32_t i = 0; i < it->len; i++) {
        spans[i] = world.span[it->span[i]];
        links[i] = world.link[it->span[i]];
    }
    request.len = it->len;
    sim_core_take(&world.core, &request, 1, now_ns);
    return request.answer;
}

static void
run(bool crashing, struct pair_sums *out)
{
    stored_empty();
    assert_int_equal(sim_core_open(&world.core, world.now_ns), OK);
    for (uint32_t i = 0; i < steps; i++) {
        sim_expect("answer", take(&step[i], step[i].at_ns), OK);
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

    (void)state;
    for (uint64_t seed = seeds.first; seed <= seeds.last; seed++) {
        sim_world_begin(seed, false);
        world.core.cfg.pair.horizon_ns = HORIZON_NS;
        make_steps(200);
        run(false, &without);
        run(true, &with);
        if (pair_sums_differ(&with, &without))
            fail_msg("SEED=%lu: other sums with crashes than without", seed);
    }
    printf("%lu crashes\n", crashes);
}

/* ---- where the journal is dropped ---- */

static void
count_dropped(void)
{
    int64_t from = stored_ask("SELECT coalesce((SELECT value FROM meta WHERE"
                              " key = 'journal_from'), 1)");

    hard.dropped += (uint64_t)from - 1;
    hard.carried += (uint64_t)stored_ask("SELECT count(*) FROM main.journal "
                                         "WHERE stubs = 0 AND digest NOT NULL");
}

static void
crash(uint64_t now_ns)
{
    crashes++;
    world.crashes++;
    world.now_ns = now_ns;
    sim_core_end(&world.core, sim_one_in(2) ? world.random | 1 : 0);
    sim_open_again();
}

/* The disk is lost, and what comes in its place has the copy alone, which was
 * on another one.  Both have lost their power. */
static void
restore(uint64_t now_ns)
{
    count_dropped();
    sim_core_end(&world.core, 0);
    fault_vfs_lose_power(world.random | 1);
    fault_vfs_record();
    struct stored_bytes copy = stored_read("copy.db");
    stored_empty();
    stored_write(STORE_FILE, copy.ptr, copy.len);
    free(copy.ptr);
    hard.restored++;
    world.now_ns = now_ns;
    sim_open_again();
}

static void
back_up_and_restore(uint64_t now_ns)
{
    char *path = stored_name("copy.db");

    if (sim_one_in(3))
        sim_break_disk();
    enum err err = backup_copy(stored.path, path, &stored.why);
    fault_vfs_heal();
    if (!err)
        restore(now_ns);
    else
        sim_expect("a backup that failed", err == ERR_STORE, true);
    stored_remove("copy.db");
    fault_disk_forget(path);
    free(path);
}

/* Sends until it is acknowledged. */
static void
take_at_last(const struct step *it)
{
    enum err err = ERR_STORE;

    for (int try = 0; err; try++) {
        if (try < 5 && sim_one_in(3))
            sim_break_disk();
        err = take(it, it->at_ns);
        sim_expect("answer", err == OK || err == ERR_STORE, true);
        fault_vfs_heal();
        if (sim_one_in(err ? 2 : 4))
            crash(it->at_ns);
    }
}

/* A sender that has not heard of it sends an earlier one again, as it was. */
static void
take_again(uint32_t upto)
{
    const struct step *it = &step[sim_below(upto + 1)];
    uint64_t now_ns = step[upto].at_ns;

    if (it->at_ns + SIM_DIGEST_NS <= now_ns)
        return;
    hard.retries++;
    sim_expect("a retry", take(it, now_ns), OK);
}

struct outcome {
    struct pair_sums sums;
    int64_t spans;
    int64_t requests;
    int64_t evicted;
};

static void
run_hard(bool is_hard, struct outcome *out)
{
    stored_empty();
    world.now_ns = PAIR_FOREST_START_NS;
    assert_int_equal(sim_core_open(&world.core, world.now_ns), OK);
    for (uint32_t i = 0; i < steps; i++) {
        if (!is_hard) {
            sim_expect("answer", take(&step[i], step[i].at_ns), OK);
            continue;
        }
        take_at_last(&step[i]);
        if (sim_one_in(2))
            take_again(i);
        if (sim_one_in(8))
            back_up_and_restore(step[i].at_ns);
    }
    assert_int_equal(engine_finish(world.core.engine), OK);
    sim_core_read(&out->sums);
    out->spans = stored_counter("spans");
    out->requests = stored_counter("requests");
    out->evicted = stored_counter("evicted");
    if (is_hard)
        count_dropped();
    sim_core_end(&world.core, 0);
    fault_vfs_lose_power(1);
    fault_vfs_record();
}

static void
begin_hard(uint64_t seed)
{
    static const uint32_t max_spans[] = {4, 6, 10};
    static const uint64_t apart_s[] = {5, 40, 200};
    static const uint32_t flush_ms[] = {0, 1000, 20000};

    sim_world_begin(seed, false);
    world.core.sync = sim_one_in(3) ? STORE_SYNC_OS : STORE_SYNC_FULL;
    world.core.cfg.pair.horizon_ns = HORIZON_NS;
    world.core.cfg.pair.max_spans = max_spans[sim_below(3)];
    world.core.cfg.flush_ms = flush_ms[sim_below(3)];
    /* At the bound of links it depends on when waits ended what is forgotten.
     */
    for (uint32_t i = 0; i < world.spans; i++)
        world.span[i].link_len = 0;
    make_steps(apart_s[sim_below(3)]);
}

static void
nothing_is_lost_or_twice_while_the_journal_is_dropped(void **state)
{
    static struct outcome smooth, rough;
    struct seeds seeds = size_seeds(200, 20000, 200000);

    (void)state;
    crashes = 0;
    for (uint64_t seed = seeds.first; seed <= seeds.last; seed++) {
        begin_hard(seed);
        run_hard(false, &smooth);
        run_hard(true, &rough);
        sim_expect("spans", (uint64_t)rough.spans, (uint64_t)smooth.spans);
        sim_expect("requests", (uint64_t)rough.requests,
                   (uint64_t)smooth.requests);
        sim_expect("evicted", (uint64_t)rough.evicted,
                   (uint64_t)smooth.evicted);
        if (pair_sums_differ(&rough.sums, &smooth.sums))
            fail_msg("SEED=%lu: other sums on a bad disk than on a good one",
                     seed);
    }
    printf("%lu crashes, %lu files dropped, %lu digests carried, %lu retries, "
           "%lu restored\n",
           crashes, hard.dropped, hard.carried, hard.retries, hard.restored);
    assert_true(size_is_one() ||
                (hard.dropped > seeds.last / 2 && hard.carried > seeds.last &&
                 hard.retries > seeds.last && hard.restored > seeds.last / 4));
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            nothing_is_lost_or_twice_while_the_journal_is_dropped, stored_setup,
            stored_teardown),
        cmocka_unit_test_setup_teardown(
            crashes_change_nothing_beyond_the_horizon, stored_setup,
            stored_teardown),
    };

    size_args(argc, argv);
    log_configure((struct log_cfg){.level = LOG_ERROR + 1});
    fault_vfs_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
