/*
 * pair_state - what the files of pair share: the struct behind pair.h.
 *
 * pair_batch.c takes batches in, pair_join.c and pair_links.c tie entries
 * together, pair_wait.c lets them go, pair_rules.c says what each stands for.
 *
 * Threads    None.
 */
#ifndef RUNTIME_PAIR_STATE_H
#define RUNTIME_PAIR_STATE_H

#include "runtime/pair.h"
#include "runtime/pair_producers.h"
#include "runtime/pair_table.h"

struct pair {
    struct pair_cfg cfg;
    pair_sink_fn *sink;
    void *ctx;
    uint64_t now_ns;
    uint64_t seen_ms; /* of the last arrival that was possible, rounded up */
    struct pair_table table;
    struct pair_producers producers;
    struct edge_obs seen;    /* EDGE_SEEN_BY of a run of spans, not told yet */
    struct edge_obs obs;     /* what is being told ... */
    uint32_t told;           /* ... and of which entry */
    struct pair_stats stats; /* the counters; sizes are asked for */
};

/* Entries keep the low half of their arrival.  None is older than the horizon
 * was at |seen_ms|, so the rest is known. */
static inline uint64_t
pair_arrived_ms(const struct pair *pair, uint32_t id)
{
    uint32_t low = pair_facts(&pair->table, id)->arrived_ms;

    return pair->seen_ms - (uint32_t)(pair->seen_ms - low);
}

#endif
