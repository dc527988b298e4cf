/*
 * export_gexf - the graph in GEXF 1.3 (https://gexf.net), as Gephi reads it.
 *
 * Nodes are numbered and names are their labels; an edge's weight is its count,
 * and its `kind` keeps several between two nodes apart.  Instants are Unix
 * seconds.
 *
 * Threads    The view's.
 */
#ifndef CMD_EXPORT_GEXF_H
#define CMD_EXPORT_GEXF_H

#include "base/buf.h"
#include "base/ids.h"
#include "graph/query_edges.h"

/* export_gexf_print appends |edges| between |nodes|, which are their ends. */
void export_gexf_print(const struct query_view *view,
                       const struct query_edges *edges, const struct ids *nodes,
                       struct buf *out);

#endif
