/*
 * engine_flush - what was folded goes to the store, in steps.
 *
 * A flush is of one moment: it takes what there is when it begins, with the
 * position of the journal and the time that covers.  Then it is stored, a
 * transaction a step, and groups are committed between the steps, so that no
 * request waits for a whole flush.  Until its parts are whole in the store none
 * of it counts; from then on all of it does, whatever happens: what is left is
 * added after a restart.  A small one is a single step.
 *
 * Not for others than the files behind runtime/engine.h.
 *
 * Threads    The graph thread; without it the owner.
 */
#ifndef RUNTIME_ENGINE_FLUSH_H
#define RUNTIME_ENGINE_FLUSH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "graph/edge_part.h"
#include "graph/edge_writer.h"

struct engine;

/* Totals kept under these names in the table `counter`. */
#define ENGINE_COUNTERS(X)                      \
    X(SPANS, "spans")                           \
    X(DUPLICATES, "duplicates")                 \
    X(REJECTED, "rejected")                     \
    X(CLAMPED, "clamped")                       \
    X(BACKWARDS, "backwards")                   \
    X(EVICTED, "evicted")                       \
    X(LINKS_DROPPED, "links_dropped")           \
    X(REQUESTS, "requests")                     \
    X(REQUESTS_DUPLICATE, "requests_duplicate") \
    X(REQUESTS_REFUSED, "requests_refused")     \
    X(REFUSED_FULL, "refused_full")             \
    X(REFUSED_STORE, "refused_store")           \
    X(EDGES_OVERFLOWED, "edges_overflowed")

/* What makes evidence incomplete, by day in the table `loss`.  What was refused
 * is not lost: the sender has it and was told so. */
#define ENGINE_LOSSES(X)              \
    X(EVICTED, "evicted")             \
    X(LINKS_DROPPED, "links_dropped") \
    X(EDGES_DROPPED, "edges_dropped") \
    X(JOURNAL_DAMAGED, "journal_damaged")

#define ENGINE_COUNTER_ID(id, name) COUNTER_##id,
enum engine_counter { ENGINE_COUNTERS(ENGINE_COUNTER_ID) COUNTER_COUNT };
#undef ENGINE_COUNTER_ID
#define ENGINE_LOSS_ID(id, name) LOSS_##id,
enum engine_loss { ENGINE_LOSSES(ENGINE_LOSS_ID) LOSS_COUNT };
#undef ENGINE_LOSS_ID

/* What a flush still has to do, in this order. */
enum flush_phase {
    FLUSH_NONE,  /* there is none */
    FLUSH_STAGE, /* put its parts into the store */
    FLUSH_COVER, /* say that they are whole, and how far they reach */
    FLUSH_ADD,   /* add them to the edges */
    FLUSH_TRIM,  /* drop rows of the journal */
    FLUSH_PRUNE, /* drop old buckets */
};

struct flush {
    enum flush_phase phase;
    bool failed; /* its last step; the next try is when a flush is due */
    uint64_t begin_ns;
    uint64_t number; /* rising, also over a restart */

    /* As it was when it began; only what came before is in it. */
    struct edge_parts parts;
    uint32_t staged;    /* parts that are in the store or need not be */
    uint32_t added;     /* parts that are in the edges */
    uint64_t first_seq; /* of the parts in the store */
    uint64_t seq;
    uint64_t now_ns;
    uint64_t finished_seq;
    int64_t counters[COUNTER_COUNT];
    int64_t losses[LOSS_COUNT];
    struct buf producers; /* saved by |pair| */
    uint32_t producers_count;
    uint64_t producers_until_ns;

    uint32_t kept_house; /* steps of that, so far */
};

/* engine_flush writes what was folded, if there is something to write or it is
 * time to say that we live; it goes on until all of it is done. */
enum err engine_flush(struct engine *engine);

/*
 * The same in steps, each a transaction: engine_flush_begin takes what there
 * is, then engine_flush_step while engine_flush_is_under_way; a step ends soon
 * after |until_ns| (monotonic).  One that fails is done again, never skipped.
 */
enum err engine_flush_begin(struct engine *engine);
bool engine_flush_is_under_way(const struct engine *engine);
enum err engine_flush_step(struct engine *engine, uint64_t until_ns);

/* engine_trim and engine_prune are steps of housekeeping inside a transaction:
 * |more|, there is more to do; engine_pruned, it was committed. */
enum err engine_trim(struct engine *engine, bool *more);
bool engine_prune_is_due(const struct engine *engine);
enum err engine_prune(struct engine *engine, bool *more);
void engine_pruned(struct engine *engine, bool more);

/* engine_gather_counters takes over what pairing and folding have counted;
 * engine_write_counters stores what |flush| took. */
void engine_gather_counters(struct engine *engine);
enum err engine_write_counters(struct engine *engine);

/* engine_window is what of the buckets is kept. */
struct edges_window engine_window(const struct engine *engine);

#endif
