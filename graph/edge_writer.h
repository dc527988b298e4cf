/*
 * edge_writer - adds parts of a flush to the edges in the store.
 *
 * Between a part that was added and the next the transaction may end, so a
 * flush need not be one.
 *
 * Memory     Some 12 KB, and what the largest entry takes.
 * Threads    The graph thread only.
 */
#ifndef GRAPH_EDGE_WRITER_H
#define GRAPH_EDGE_WRITER_H

#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "graph/nodes.h"
#include "store/store.h"

/* What of the buckets is kept: those before are not written. */
struct edges_window {
    uint32_t first_hour;
    uint32_t first_day;
};

struct edge_writer;

/* edge_writer_new: ERR_NOMEM. */
enum err edge_writer_new(struct edge_writer **out, struct store *store,
                         const struct nodes *nodes);
void edge_writer_free(struct edge_writer *writer);

/*
 * edge_writer_add adds all of |part| (graph/edge_part.h) in the open
 * transaction, whose nodes are stored or will be in it.  After an error roll
 * back, and the same can be added again.
 */
enum err edge_writer_add(struct edge_writer *writer, str part,
                         struct edges_window window);

#endif
