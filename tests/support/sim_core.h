/*
 * sim_core - graph, engine and store as one machine that is driven from
 * outside: its time is given, its disk is fault_vfs, and it ends when told.
 *
 * Spans speak of names by the numbers of tests/support/pair_forest.h; the
 * machine gives them ids of its own, other ones after each crash perhaps, as
 * it does with names that come over the network.
 *
 * Memory     The files are in stored.dir.
 * Threads    None.
 */
#ifndef TESTS_SUPPORT_SIM_CORE_H
#define TESTS_SUPPORT_SIM_CORE_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/engine.h"
#include "tests/support/pair_sums.h"
#include "tests/support/stored.h"

struct sim_core {
    struct engine_cfg cfg;
    enum store_sync sync; /* STORE_SYNC_OS: it never loses its power */
    struct store *store;
    struct nodes *nodes;
    struct routes *routes;
    struct engine *engine; /* NULL: down */
};

/* A request as the network brings it. */
struct sim_request {
    const struct stub *spans;
    const struct span_link *const *links; /* of each span */
    uint32_t len;
    struct digest128 digest;
    enum err answer; /* out */
};

enum err sim_core_open(struct sim_core *core, uint64_t now_ns);

/* sim_core_end ends the machine as it stands; with |power_seed| (not 0) and
 * STORE_SYNC_FULL the power goes too.  The disk is healthy afterwards. */
void sim_core_end(struct sim_core *core, uint64_t power_seed);

/* sim_core_take takes |len| requests in one group, received at |now_ns|. */
void sim_core_take(struct sim_core *core, struct sim_request *requests,
                   uint32_t len, uint64_t now_ns);

/* sim_core_now is the time as the engine knows it. */
uint64_t sim_core_now(const struct sim_core *core);

/* sim_core_is_flushed: all that was taken is in the stored edges. */
bool sim_core_is_flushed(const struct sim_core *core);

/* sim_core_read adds up what is stored of all edges; what is not stored
 * (pair_sum.at, .versions) stays 0. */
void sim_core_read(struct pair_sums *out);

/* sim_core_journal calls |fn| for each request in the journal, by rising seq.
 */
typedef void sim_row_fn(struct digest128 digest, uint64_t received_ns);
void sim_core_journal(sim_row_fn *fn);

#endif
