/*
 * louvain - groups of nodes with more between them than chance would put there.
 *
 * The method of Blondel, Guillaume, Lambiotte and Lefebvre (2008): nodes move
 * to the neighbour's group that raises modularity most, groups become nodes,
 * and so on until nothing is gained.  A group that fell apart on the way is
 * taken apart at the end, which never lowers modularity.
 *
 * Order      Edges are sorted and summed first, nodes visited by number, ties
 *            go to the lower group: so the order of edges does not matter, and
 *            the same graph gives the same groups.  Groups are numbered by
 *            their least node.
 * Cost       O(edges * log) a pass; 50 passes a level at most.
 * Threads    Any.
 */
#ifndef GRAPH_LOUVAIN_H
#define GRAPH_LOUVAIN_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* Undirected; several between the same two add up.  Weights <= 0 and edges to
 * no node do not count. */
struct louvain_edge {
    uint32_t a;
    uint32_t b;
    double weight;
};

struct louvain {
    uint32_t *group_of; /* by node */
    uint32_t node_len;
    uint32_t group_len;
    uint32_t levels;
    double modularity;
};

/* louvain_make: ERR_NOMEM; ERR_CANCELLED by query_stop of |view|, whose
 * question it is, or NULL. */
struct query_view;
enum err louvain_make(uint32_t node_len, const struct louvain_edge *edges,
                      size_t edge_len, const struct query_view *view,
                      struct louvain *out);
void louvain_fini(struct louvain *louvain);

#endif
