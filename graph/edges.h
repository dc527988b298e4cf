/*
 * edges - observations into edges, in memory, until the next flush.
 *
 * The one place where counts are kept between two flushes.  Adding is a hash
 * look-up and a few additions; flushing writes what changed, sorted by edge id,
 * inside the caller's transaction.
 *
 *     edges_add(edges, &obs) ... many
 *     edges_flush(edges, tx) ... once a second; then edges_flushed() or
 *                                edges_flush_failed(), as the commit went
 *
 * Bound      max_edges distinct edges.  Beyond, a new edge goes to the same
 *            kind between the overflow nodes of its ends' services, then is
 *            dropped and counted; it never fails.
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

struct edges;

struct edges_cfg {
    uint32_t max_edges; /* default 1,000,000 */
};

/* edges_open loads what |store| holds. */
enum err edges_open(struct edges **out, struct edges_cfg cfg,
                    struct store *store, struct nodes *nodes);
void edges_free(struct edges *edges);

void edges_add(struct edges *edges, const struct edge_obs *obs);

/* edges_dirty is how many edges a flush would write. */
uint32_t edges_dirty(const struct edges *edges);

/* edges_flush writes into the open transaction of |store|.  On an error roll
 * back and call edges_flush_failed: nothing is lost. */
enum err edges_flush(struct edges *edges, struct store *store);
void edges_flushed(struct edges *edges);
void edges_flush_failed(struct edges *edges);

#endif
