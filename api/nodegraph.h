/*
 * nodegraph - the graph as Grafana's node graph panel draws it.
 *
 * The fields are those of the panel's data API (id, title, mainStat, arc__...),
 * the three answers those of the Node Graph API data source; Infinity takes the
 * two arrays as they are.  The panel draws some 1,500 nodes, so the busiest
 * edges are told until there are that many, or as many edges as below; what was
 * left out stands beside them: "truncated" and "total", of edges.
 *
 * Errors     As graph/query.h.
 * Threads    As the view.
 */
#ifndef API_NODEGRAPH_H
#define API_NODEGRAPH_H

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"
#include "graph/query_edges.h"

enum { NODEGRAPH_NODES_MAX = 1500, NODEGRAPH_EDGES_MAX = 5000 };

/* nodegraph_fields appends the answer of GET /api/graph/fields. */
void nodegraph_fields(struct buf *out);

/* nodegraph_data appends |edges|, as of |view|, as the answer of GET
 * /api/graph/data. */
enum err nodegraph_data(struct query_view *view,
                        const struct query_edges *edges, struct buf *out);

/*
 * nodegraph_answer does the same for a query string: service, env, level
 * (service or endpoint) and from, in milliseconds of Unix time (Grafana's
 * $__from).  A service nobody knows gives an empty graph.
 *
 * ERR_INVALID  |why| says which parameter
 */
enum err nodegraph_answer(struct query_view *view, str query_string,
                          struct buf *out, struct buf *why);

#endif
