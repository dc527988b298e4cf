/*
 * The whole way of a span, by one seed: senders, a network that delays, loses,
 * repeats and mixes up, a clock that jumps, a disk that fails, and a machine
 * that is killed or loses its power at any moment, again and again.
 *
 * What is stored must be what a model makes of the spans that were
 * acknowledged, each once (tests/support/pair_model.h, which shares no line
 * with the product).  The model is asked after crashes, not only at the end.
 * Of a request that was refused, the journal may be asked after a crash whether
 * it is there all the same; of one that was acknowledged, it must be.
 *
 * SEED=n runs one seed again, exactly, in every build: so no two draws stand in
 * one expression without an order.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include <sqlite3.h>

#include "base/log.h"
#include "tests/support/fault_vfs.h"
#include "tests/support/sim_world.h"
#include "tests/support/size.h"

enum {
    EVENTS = 1024,
    GROUP = 6,
    REBATCHES = 20,
    CRASHES = 4, /* and those that a bad disk brings */
    STEPS = 400, /* then the network and the disk are good */
};

enum what { ARRIVE, ANSWERED, GIVE_UP, CRASH, BREAK_DISK, MEND_DISK };

struct event {
    uint64_t at_ns;
    enum what what;
    uint32_t batch;
};

static struct network {
    struct event event[EVENTS];
    uint32_t events;
    uint32_t rebatches;
} network;

static struct {
    uint64_t crashes;
    uint64_t compared;
    uint64_t spans;
} totals;

/* ---- events ---- */

static void
plan(enum what what, uint32_t batch, uint64_t in_ns)
{
    if (network.events < EVENTS)
        network.event[network.events++] =
            (struct event){world.now_ns + in_ns, what, batch};
}

static uint64_t
delay(void)
{
    uint64_t ns = sim_below(3 * NS_PER_S);

    return sim_one_in(8) ? ns * 60 : ns;
}

/* A sender sends, and will send again if it hears nothing. */
static void
send(uint32_t batch)
{
    uint64_t copies = sim_one_in(8) ? 0 : sim_one_in(6) ? 2 : 1;

    for (uint64_t i = 0; i < copies; i++)
        plan(ARRIVE, batch, delay());
    plan(GIVE_UP, batch, 5 * NS_PER_S + sim_below(20 * NS_PER_S));
}

static uint32_t
new_batch(const uint32_t *spans, uint32_t len)
{
    struct sim_batch *batch = &world.batch[world.batches];

    assert_true(world.batches < SIM_BATCHES);
    *batch = (struct sim_batch){.len = len};
    memcpy(batch->span, spans, len * sizeof(*spans));
    return world.batches++;
}

/* Nobody has answered: once more, perhaps in other batches. */
static void
send_again(uint32_t number)
{
    struct sim_batch *batch = &world.batch[number];

    if (batch->is_over)
        return;
    if (batch->len < 2 || network.rebatches == REBATCHES || !sim_one_in(6)) {
        send(number);
        return;
    }
    network.rebatches++;
    batch->is_over = true;
    uint32_t half = 1 + (uint32_t)sim_below(batch->len - 1);
    send(new_batch(batch->span, half));
    send(new_batch(batch->span + half, batch->len - half));
}

static void
take(uint32_t *numbers, uint32_t len)
{
    struct sim_request requests[GROUP];
    const struct span_link *links[GROUP][SIM_BATCH_SPANS];
    struct stub spans[GROUP][SIM_BATCH_SPANS];

    for (uint32_t i = 0; i < len; i++) {
        const struct sim_batch *batch = &world.batch[numbers[i]];
        for (uint32_t n = 0; n < batch->len; n++) {
            spans[i][n] = world.span[batch->span[n]];
            links[i][n] = world.link[batch->span[n]];
        }
        requests[i] = (struct sim_request){.spans = spans[i],
                                           .links = links[i],
                                           .len = batch->len,
                                           .digest = sim_digest(numbers[i])};
    }
    sim_core_take(&world.core, requests, len, world.now_ns);
    for (uint32_t i = 0; i < len; i++) {
        struct sim_batch *batch = &world.batch[numbers[i]];
        if (requests[i].answer == OK)
            sim_keep(batch, sim_core_now(&world.core));
        else
            batch->is_doubtful = true;
        sim_expect("answer",
                   requests[i].answer == OK || requests[i].answer == ERR_STORE,
                   true);
        if (requests[i].answer == OK && !sim_one_in(6))
            plan(ANSWERED, numbers[i], delay());
    }
}

/* What arrives is alone, or in a group with what would have come later. */
static void
arrive(uint32_t number)
{
    uint32_t numbers[GROUP] = {number};
    uint32_t len = 1;
    uint64_t more = sim_one_in(2) ? 0 : sim_below(GROUP);

    for (uint32_t i = 0; i < network.events && len <= more;) {
        if (network.event[i].what != ARRIVE || sim_one_in(3)) {
            i++;
            continue;
        }
        numbers[len++] = network.event[i].batch;
        network.event[i] = network.event[--network.events];
    }
    take(numbers, len);
}

/* Lets the machine write all it has, and compares. */
static void
settle(void)
{
    struct sim_request empty = {.len = 0};

    fault_vfs_heal();
    world.now_ns = sim_core_now(&world.core);
    world.now_ns += world.core.cfg.flush_ms * NS_PER_MS + NS_PER_S;
    sim_core_take(&world.core, &empty, 1, world.now_ns);
    sim_expect("a probe", empty.answer, OK);
    sim_expect("flushed", sim_core_is_flushed(&world.core), true);
    world.requests++;
    world.model.now_ns = sim_core_now(&world.core);
    sim_compare();
}

static void
crash(void)
{
    world.crashes++;
    sim_core_end(&world.core, sim_one_in(2) ? world.random | 1 : 0);
    uint64_t pause = sim_below(100);
    world.now_ns += pause * sim_below(100) * NS_PER_S / 10;
    sim_open_again();
    sim_look_into_journal();
    if (sim_one_in(3))
        settle();
    if (world.crashes < CRASHES)
        plan(CRASH, 0, sim_below(90 * NS_PER_S));
}

static void
break_disk(void)
{
    sim_break_disk();
    enum what next = sim_one_in(2) ? CRASH : MEND_DISK;
    plan(next, 0, sim_below(10 * NS_PER_S));
    if (world.crashes < CRASHES)
        plan(BREAK_DISK, 0, sim_below(120 * NS_PER_S));
}

static void
happen(struct event event)
{
    switch (event.what) {
    case ARRIVE:
        arrive(event.batch);
        break;
    case ANSWERED:
        world.batch[event.batch].is_over = true;
        break;
    case GIVE_UP:
        send_again(event.batch);
        break;
    case CRASH:
        crash();
        break;
    case BREAK_DISK:
        break_disk();
        break;
    case MEND_DISK:
        fault_vfs_heal();
        if (sim_one_in(3))
            settle();
        break;
    }
}

static struct event
next_event(void)
{
    uint32_t first = 0;

    for (uint32_t i = 1; i < network.events; i++) {
        if (network.event[i].at_ns < network.event[first].at_ns)
            first = i;
    }
    struct event event = network.event[first];
    network.event[first] = network.event[--network.events];
    return event;
}

/* ---- a world ---- */

/* Spans in any order, some of them twice, over the first minutes. */
static void
send_all(void)
{
    uint32_t order[SIM_SPANS + SIM_SPANS / 8];
    uint32_t len = 0;

    for (uint32_t i = 0; i < world.spans; i++)
        order[len++] = i;
    for (uint32_t i = 0; i < world.spans / 8; i++)
        order[len++] = (uint32_t)sim_below(world.spans);
    for (uint32_t i = len; i > 1; i--) {
        uint32_t other = (uint32_t)sim_below(i);
        uint32_t swap = order[i - 1];
        order[i - 1] = order[other];
        order[other] = swap;
    }
    for (uint32_t i = 0; i < len;) {
        uint32_t some = 1 + (uint32_t)sim_below(SIM_BATCH_SPANS);
        some = some < len - i ? some : len - i;
        plan(GIVE_UP, new_batch(&order[i], some), sim_below(200 * NS_PER_S));
        i += some;
    }
}

static void
begin(uint64_t seed)
{
    network = (struct network){0};
    sim_world_begin(seed, seed % 2 == 0);
    send_all();
    if (sim_one_in(2))
        plan(CRASH, 0, sim_below(120 * NS_PER_S));
    if (sim_one_in(2))
        plan(BREAK_DISK, 0, sim_below(120 * NS_PER_S));
}

static void
end(void)
{
    fault_vfs_heal();
    for (uint32_t i = 0; i < world.batches; i++) {
        if (!world.batch[i].is_over)
            take(&i, 1);
    }
    for (int round = 0; round < 2; round++) {
        assert_int_equal(engine_finish(world.core.engine), OK);
        /* Arrivals are known in whole milliseconds, rounded up. */
        world.model.now_ns =
            sim_core_now(&world.core) + SIM_WAIT_NS + NS_PER_MS;
        sim_compare();
        sim_core_end(&world.core, world.random | 1);
        assert_int_equal(sim_core_open(&world.core, world.now_ns), OK);
    }
    sim_expect(
        "damage",
        (uint64_t)stored_ask("SELECT count(*) FROM pragma_integrity_check"
                             " WHERE integrity_check <> 'ok'"),
        0);
    sim_core_end(&world.core, 0);
    fault_vfs_lose_power(1); /* nothing is remembered of these files */
}

/* Returns what is the same for the same seed: what was drawn and written. */
static uint64_t
run_seed(uint64_t seed, enum store_sync sync)
{
    begin(seed);
    world.core.sync = sync;
    assert_int_equal(sim_core_open(&world.core, world.now_ns), OK);
    for (int step = 0; step < STEPS && network.events > 0; step++) {
        struct event event = next_event();
        if (world.now_ns < event.at_ns)
            world.now_ns = event.at_ns;
        happen(event);
    }
    end();
    totals.crashes += world.crashes;
    totals.compared += world.compared;
    totals.spans += world.model.len;
    return hash_mix(fault_vfs_story(), world.random);
}

static void
what_was_acknowledged_is_stored_each_once_whatever_fails(void **state)
{
    struct seeds seeds = size_seeds(1000, 100000, 1000000);

    (void)state;
    for (uint64_t seed = seeds.first; seed <= seeds.last; seed++) {
        uint64_t story = run_seed(seed, STORE_SYNC_FULL);
        if (size_is_one())
            printf("SEED=%lu is run %016lx\n", seed, story);
    }
    printf("%lu crashes, %lu spans, compared %lu times\n", totals.crashes,
           totals.spans, totals.compared);
    assert_true(size_is_one() || totals.crashes > seeds.last);
}

/* The same where a commit is with the system, which outlives the machine. */
static void
a_process_that_ends_loses_nothing_that_the_system_has(void **state)
{
    struct seeds seeds = size_seeds(250, 20000, 200000);
    uint64_t crashes = totals.crashes;

    (void)state;
    for (uint64_t seed = seeds.first; seed <= seeds.last; seed++)
        (void)run_seed(seed, STORE_SYNC_OS);
    assert_true(size_is_one() || totals.crashes - crashes > seeds.last);
}

/* tests/e2e/test_replay.sh compares builds. */
static void
a_seed_is_the_same_run_whatever_ran_before_it(void **state)
{
    uint64_t first[10];

    (void)state;
    if (size_is_one())
        return; /* that seed alone */
    for (uint64_t i = 0; i < 10; i++)
        first[i] = run_seed(380 + i, STORE_SYNC_FULL);
    for (uint64_t i = 10; i-- > 0;)
        assert_int_equal(run_seed(380 + i, STORE_SYNC_FULL), first[i]);
    assert_int_not_equal(first[0], first[1]);
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            a_seed_is_the_same_run_whatever_ran_before_it, stored_setup,
            stored_teardown),
        cmocka_unit_test_setup_teardown(
            what_was_acknowledged_is_stored_each_once_whatever_fails,
            stored_setup, stored_teardown),
        cmocka_unit_test_setup_teardown(
            a_process_that_ends_loses_nothing_that_the_system_has, stored_setup,
            stored_teardown),
    };

    size_args(argc, argv);
    log_configure((struct log_cfg){.level = LOG_ERROR + 1});
    fault_vfs_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
