/*
 * edges_impl - what graph/edges*.c share.  Not for others.
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
#include "graph/lines.h"

#define DELTA_NEVER UINT16_MAX

/* What was observed since the last take of one edge, in one hour, between
 * two versions. */
struct delta {
    uint32_t hour; /* since the epoch */
    uint32_t src_version;
    uint32_t dst_version;
    int32_t count;
    int32_t errors;
    int32_t known;
    int64_t weight;
    uint16_t first_s; /* in the hour, of what was added, not of what was taken
                         back; DELTA_NEVER */
    uint16_t last_s;  /* likewise; 0 */
    struct duration_log durations;
} __attribute__((packed, aligned(2)));

enum {
    RECORD_USED = 1 << 0,
    RECORD_STORED = 1 << 1, /* its row is in the store, or in a part that is
                               added before any other */
    RECORD_TAKEN = 1 << 2,  /* by the take that is under way */
    RECORD_DIRTY = 1 << 3,  /* it has a bit in |dirty| */
};

/* One edge, one cache line.  |now| is the delta touched last; others of the
 * same edge are chained behind it. */
struct record {
    uint32_t src;
    uint32_t dst;
    uint32_t id;   /* 0: none yet */
    uint32_t next; /* index + 1 into extras */
    struct delta now;
    uint8_t kind;
    uint8_t flags;
};

_Static_assert(sizeof(struct record) == LINE_BYTES, "a record is a cache line");

struct extra {
    struct delta delta;
    uint32_t next; /* index + 1 */
};

/* An observation that waits for its memory. */
struct waiting {
    struct edge_obs obs;
    uint64_t hash;
};

struct timed {
    struct duration_log *log; /* of a record; it is not yet in there */
    int32_t count;
    uint16_t latency;
};

enum { EDGES_WAITING = 128, WORD = 64 /* bits of |dirty| in one */ };

struct edges {
    struct waiting waiting[EDGES_WAITING];
    struct timed timed[EDGES_WAITING];
    uint32_t waiting_len, timed_len;
    uint32_t bucket_mask;
    struct edge_bucket *buckets; /* graph/edges_index.h */
    struct record *records;
    uint64_t *dirty; /* a bit for each record */
    uint32_t record_len;
    uint32_t record_cap;
    uint32_t unused; /* index + 1 of a record to use again, by id */
    struct extra *extras;
    uint32_t extra_len;
    uint32_t extra_cap;
    struct durations durations;
    struct nodes *nodes;
    const struct exemplars *exemplars; /* or NULL */
    uint64_t seed;
    uint32_t max_edges;
    uint32_t next_id;
    bool overflowing; /* once full, no new edge gets a place of its own */
    struct edges_stats stats;

    /* scratch of a take */
    struct delta *deltas;
    uint32_t delta_cap;
    struct part_delta *sums;
    struct part_duration *times;
    size_t time_cap;
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
