/*
 * edges - observations into edges, in memory, until the next flush.
 *
 * The one place where counts are kept between two flushes.  Adding is a hash
 * look-up and a few additions.
 *
 *     edges_add(edges, &obs) ... many
 *     edges_take(edges, ...) ... once a second: what changed, nearly in the
 *                                order of edge ids, for graph/edge_writer.h
 *
 * Only what adds up to something is taken: an observation that is taken back
 * before the next flush leaves no trace.  What cannot be taken back any more
 * once it is taken: first and last, versions, and the bits of a day's hours.
 * They are those of hours in which more came than was taken back, so where one
 * of an hour is replaced by another of it they stay as they are.
 *
 * Bound      max_edges distinct edges.  From when they are reached, a new edge
 *            goes to the same kind between the overflow nodes of its ends,
 *            of which there may be EDGES_OVERFLOW_MAX more; beyond, it is
 *            dropped.  Both are counted; nothing fails.
 * Observations wait in a small batch for their memory, and are added up when
 * it is full or somebody asks.
 *
 * Memory     64 bytes an edge and 8 to 16 of index; it grows with the edges.
 *            Until the next flush durations, where there are many of an edge
 *            (graph/durations.h).
 *            A take makes all it hands out at once, some 60 bytes an edge.
 * Order      Observations commute; the stored result does not depend on it,
 *            but for those.
 * Threads    The graph thread only.
 */
#ifndef GRAPH_EDGES_H
#define GRAPH_EDGES_H

#include <stdint.h>

#include "base/err.h"
#include "graph/edge_part.h"
#include "graph/exemplars.h"
#include "graph/nodes.h"
#include "model/edge.h"
#include "store/store.h"

enum { EDGES_OVERFLOW_MAX = 4096 };

struct edges;

struct edges_cfg {
    uint32_t max_edges;                /* default 1,000,000 */
    const struct exemplars *exemplars; /* what a take finds there goes with
                                          its edges; NULL: none */
};

/* edges_open loads what |store| holds; |nodes| holds its nodes already.
 * ERR_CORRUPT, ERR_STORE, ERR_NOMEM. */
enum err edges_open(struct edges **out, struct edges_cfg cfg,
                    struct store *store, struct nodes *nodes);
void edges_free(struct edges *edges);

void edges_add(struct edges *edges, const struct edge_obs *obs);

/* Kinds of what could not be resolved: EDGE_ORPHAN and the two after it. */
enum { EDGES_UNRESOLVED = 3 };

struct edges_stats {
    uint32_t edges;
    uint32_t dirty;      /* touched since the last flush */
    uint32_t last_id;    /* the highest given */
    uint64_t overflowed; /* observations that went to an overflow edge */
    uint64_t dropped;    /* observations that went nowhere */
    int64_t unresolved[EDGES_UNRESOLVED]; /* from EDGE_ORPHAN on, in all */
};
struct edges_stats edges_stats(struct edges *edges);

/*
 * edges_take appends what was added since the last take to |out|, in parts of
 * |part_edges| edges, and counts anew.  Parts must be added to the store in the
 * order in which they were taken, all of them.  ERR_NOMEM: |out| is empty and
 * nothing was taken.
 */
enum err
edges_take(struct edges *edges, uint32_t part_edges, struct edge_parts *out);

/* edges_load_taken says, after edges_open, that |entry| was taken before and is
 * still to be added to the store.  ERR_CORRUPT: not with that id. */
enum err edges_load_taken(struct edges *edges, const struct edge_entry *entry);

#endif
