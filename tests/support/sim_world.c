#include "tests/support/sim_world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include <sqlite3.h>

#include "tests/support/fault_vfs.h"
#include "tests/support/size.h"

struct sim_world world;

/* The sizes of hash tables and their order are of the seed, too. */
uint64_t __wrap_hash_seed(void);
uint64_t
__wrap_hash_seed(void)
{
    return world.seed * UINT64_C(0x9e3779b97f4a7c15);
}

uint64_t
sim_below(uint64_t n)
{
    return size_roll(&world.random) % n;
}

bool
sim_one_in(uint64_t n)
{
    return sim_below(n) == 0;
}

struct digest128
sim_digest(uint32_t batch)
{
    return (struct digest128){batch + 1, ~world.seed};
}

void
sim_expect(const char *what, uint64_t is, uint64_t want)
{
    if (is != want)
        fail_msg("SEED=%lu, after %u crashes: %s: %lu and not %lu", world.seed,
                 world.crashes, what, is, want);
}

void
sim_compare(void)
{
    static struct pair_sums is, want;

    world.compared++;
    pair_model_sums(&world.model, &want);
    for (uint32_t i = 0; i < want.len; i++)
        want.sum[i].at = want.sum[i].versions = 0; /* not stored as sums */
    sim_core_read(&is);
    if (pair_sums_differ(&is, &want))
        fail_msg("SEED=%lu, after %u crashes: other sums are stored",
                 world.seed, world.crashes);
    sim_expect("spans", (uint64_t)stored_counter("spans"), world.model.len);
    sim_expect("requests", (uint64_t)stored_counter("requests"),
               (uint64_t)world.requests);
}

/* The machine has |batch| since |now_ns|: what the model makes of it. */
void
sim_keep(struct sim_batch *batch, uint64_t now_ns)
{
    bool is_retry = batch->is_kept && batch->kept_ns + SIM_DIGEST_NS > now_ns;

    world.model.now_ns = now_ns;
    if (is_retry)
        return;
    batch->is_kept = true;
    batch->kept_ns = now_ns;
    world.requests++;
    for (uint32_t i = 0; i < batch->len; i++) {
        uint32_t at = batch->span[i];
        pair_model_add(&world.model, &world.span[at], world.link[at]);
    }
}

static void
see_row(struct digest128 digest, uint64_t received_ns)
{
    sim_expect("a digest", digest.lo, ~world.seed);
    world.batch[digest.hi - 1].seen_ns = received_ns;
}

/* What the journal knows: all that was acknowledged, and some that was not. */
void
sim_look_into_journal(void)
{
    for (uint32_t i = 0; i < world.batches; i++)
        world.batch[i].seen_ns = 0;
    sim_core_journal(see_row);
    for (uint32_t i = 0; i < world.batches; i++) {
        struct sim_batch *batch = &world.batch[i];
        bool must = batch->is_kept &&
                    batch->kept_ns + SIM_DIGEST_NS > sim_core_now(&world.core);
        if (must)
            sim_expect("an acknowledged request is kept", batch->seen_ns,
                       batch->kept_ns);
        else if (batch->is_doubtful && batch->seen_ns != 0)
            sim_keep(batch, batch->seen_ns);
        batch->is_doubtful = false;
    }
}

static void
make_spans(bool shares)
{
    uint64_t random = world.seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    uint32_t forests = 1 + (uint32_t)sim_below(SIM_FORESTS);

    for (uint32_t f = 0; f < forests; f++) {
        struct pair_forest *forest = &world.forest[f];
        pair_forest_make(&random, forest);
        if (shares)
            pair_forest_share(&random, forest, false);
        for (uint32_t i = 0; i < forest->len; i++) {
            struct stub *stub = &forest->span[i];
            stub->trace_lo += f * 1000;
            stub->trace_hi += stub->trace_hi ? f * 11000 : 0;
            stub->start_ns += sim_below(7) * 1800 * NS_PER_S;
            for (uint32_t n = 0; n < stub->link_len; n++) {
                struct span_link *link = &forest->link[i][n];
                link->trace_lo += f * 1000;
                link->trace_hi += link->trace_hi ? f * 11000 : 0;
            }
            world.span[world.spans] = *stub;
            world.link[world.spans++] = forest->link[i];
        }
    }
}

void
sim_world_begin(uint64_t seed, bool shares)
{
    static const uint32_t flush_ms[] = {0, 1000, 20000, 300000};
    static const uint32_t part_edges[] = {1, 3, 10, 256};

    memset(&world, 0, sizeof(world));
    world.seed = seed;
    world.random = seed;
    world.now_ns = PAIR_FOREST_START_NS;
    world.model.wait_ns = SIM_WAIT_NS;
    world.model.user = PAIR_FOREST_USER;
    world.core.cfg = engine_cfg_default;
    world.core.cfg.flush_ms = flush_ms[sim_below(4)];
    world.core.cfg.part_edges = part_edges[sim_below(4)];
    world.core.cfg.max_edges = 4000;
    world.core.cfg.pair = (struct pair_cfg){
        .wait_ns = SIM_WAIT_NS,
        .horizon_ns = UINT64_C(86400) * NS_PER_S,
        .link_horizon_ns = UINT64_C(86400) * NS_PER_S,
        .max_spans = 64,
        .max_producers = 64,
    };
    stored_empty();
    fault_vfs_heal();
    fault_vfs_seed(seed);
    fault_vfs_record();
    make_spans(shares);
}

void
sim_break_disk(void)
{
    static const int codes[] = {SQLITE_IOERR_WRITE, SQLITE_FULL,
                                SQLITE_IOERR_FSYNC, SQLITE_IOERR_TRUNCATE};
    uint64_t at = fault_vfs_count() + 1 + sim_below(25);

    if (sim_one_in(8)) {
        fault_vfs_fill();
    } else if (sim_one_in(3)) {
        fault_vfs_die_at(at);
    } else {
        int code = codes[sim_below(4)];
        fault_vfs_fail_at(at, code, sim_one_in(2));
    }
}

void
sim_open_again(void)
{
    enum err err = OK;

    if (sim_one_in(6)) { /* first on a disk that fails */
        uint64_t at = 1 + sim_below(12);
        fault_vfs_fail_at(at, SQLITE_IOERR_WRITE, sim_one_in(2));
        err = sim_core_open(&world.core, world.now_ns);
        sim_expect("opening on a bad disk", err == OK || err == ERR_STORE,
                   true);
        fault_vfs_heal();
    }
    if (sim_one_in(4)) /* a clock that was set */
        world.now_ns -= sim_below(7200 * NS_PER_S);
    if (!world.core.engine) {
        sim_core_end(&world.core, 0);
        err = sim_core_open(&world.core, world.now_ns);
    }
    if (err)
        fail_msg("SEED=%lu, after %u crashes: %s: %s", world.seed,
                 world.crashes, err_str(err), buf_cstr(&stored.why));
}
