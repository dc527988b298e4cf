/*
 * store_edges - a flush of edges alone, as one transaction.
 *
 * Memory     None is kept.
 * Threads    The owner's.
 */
#ifndef TESTS_SUPPORT_STORE_EDGES_H
#define TESTS_SUPPORT_STORE_EDGES_H

#include "graph/edge_writer.h"
#include "graph/edges.h"

/* store_edges takes what was added to |edges| and stores it. */
enum err store_edges(struct edges *edges, struct store *store,
                     const struct nodes *nodes, struct edges_window window);

/* store_no_edges takes it and lets it go. */
void store_no_edges(struct edges *edges);

#endif
