/*
 * edges_impl - what graph/edges.c and graph/edges_take.c share.  Not for
 * others.
 *
 * Threads    The graph thread only.
 */
#ifndef GRAPH_EDGES_IMPL_H
#define GRAPH_EDGES_IMPL_H

#include <stdbool.h>
#include <stdint.h>

#include "graph/durations.h"
#include "graph/edge_part.h"
#include "graph/edges.h"

enum {
    RECORD_USED = 1 << 0,
    RECORD_STORED = 1 << 1, /* its row is in the store, or in a part that is
                               added before any other */
    RECORD_TAKEN = 1 << 2,  /* by the take that is under way */
};

/* One edge, one cache line.  |now| is the delta touched last; others of the
 * same edge are chained behind it. */
struct record {
    uint32_t src;
    uint32_t dst;
    uint32_t id; /* 0: none yet */
    uint8_t kind;
    uint8_t flags;
    struct delta now;
    uint32_t next; /* index + 1 into extras */
};

_Static_assert(sizeof(struct record) <= 64, "a record is one cache line");

struct extra {
    struct delta delta;
    uint32_t next; /* index + 1 */
};

struct slot {
    uint32_t tag; /* of the hash, to skip most look-ups of the record */
    uint32_t at;  /* index + 1 into records; 0: empty */
};

/* An observation that waits for its memory. */
struct waiting {
    struct edge_obs obs;
    uint64_t hash;
};

enum { EDGES_WAITING = 128 };

struct edges {
    struct waiting waiting[EDGES_WAITING];
    uint32_t waiting_len;
    struct record *records;
    uint64_t *dirty; /* a bit for each record */
    uint32_t record_len;
    uint32_t record_cap;
    uint32_t unused; /* index + 1 of a record to use again, by id */
    struct slot *slots;
    uint32_t slot_mask;
    struct extra *extras;
    uint32_t extra_len;
    uint32_t extra_cap;
    struct durations durations;
    struct nodes *nodes;
    uint64_t seed;
    uint32_t max_edges;
    uint32_t next_id;
    bool overflowing; /* once full, no new edge gets a place of its own */
    struct edges_stats stats;

    struct delta *deltas; /* scratch of a take */
    uint32_t delta_cap;
};

/* edges_settle adds up what waits. */
void edges_settle(struct edges *edges);

/* edges_forget_taken begins to count anew; what came to nothing and has no row
 * leaves the table. */
void edges_forget_taken(struct edges *edges);

static inline bool
delta_is_zero(const struct delta *delta)
{
    return delta->count == 0 && delta->errors == 0 && delta->known == 0 &&
           delta->weight == 0;
}

#endif
