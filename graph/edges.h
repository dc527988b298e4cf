/*
 * edges - observations into edges, in memory, until the next flush.
 *
 * The one place where counts are kept between two flushes.  Adding is a hash
 * look-up and a few additions; flushing writes what changed, nearly in the
 * order of edge ids, inside the caller's transaction.
 *
 *     edges_add(edges, &obs) ... many
 *     edges_flush(edges, tx) ... once a second; then edges_flushed() or
 *                                edges_flush_failed(), as the commit went
 *
 * Only what adds up to something is written: an observation that is taken back
 * before the next flush leaves no trace.  What cannot be taken back any more
 * once it is written: first and last, versions, and the bits of a day's hours.
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
 * Order      Observations commute; the stored result does not depend on it.
 * Threads    The graph thread only.
 */
#ifndef GRAPH_EDGES_H
#define GRAPH_EDGES_H

#include <stdint.h>

#include "base/err.h"
#include "graph/nodes.h"
#include "model/edge.h"
#include "store/store.h"

enum { EDGES_OVERFLOW_MAX = 4096 };

struct edges;

struct edges_cfg {
    uint32_t max_edges; /* default 1,000,000 */
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

/* What of the buckets is kept: those before are not written. */
struct edges_window {
    uint32_t first_hour;
    uint32_t first_day;
};

/*
 * edges_flush writes into the open transaction of |store|, whose nodes must be
 * written before.  Then say how it went: edges_flushed forgets what was
 * written, edges_flush_failed keeps it for the next time.
 */
enum err edges_flush(struct edges *edges, struct store *store,
                     struct edges_window window);
void edges_flushed(struct edges *edges);
void edges_flush_failed(struct edges *edges);

#endif
