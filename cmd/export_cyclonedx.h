/*
 * export_cyclonedx - the services of the graph as a CycloneDX 1.6 document, for
 * tools that keep an inventory (https://cyclonedx.org).
 *
 * Services, databases, topics and what is outside are `services`, which of them
 * is in the property spangraph:kind; `dependencies` has on whom each depends: a
 * caller on the called, a sender and a receiver on the topic.  A reference is
 * of kind, name and environment, so that it is the same in the next document.
 *
 * Threads    The view's.
 */
#ifndef CMD_EXPORT_CYCLONEDX_H
#define CMD_EXPORT_CYCLONEDX_H

#include "base/buf.h"
#include "base/err.h"
#include "base/ids.h"
#include "graph/query_edges.h"

/* export_cyclonedx_print appends |edges| of the level of services between
 * |nodes|, which are their ends; the document is of query_now_s.  ERR_NOMEM. */
enum err export_cyclonedx_print(const struct query_view *view,
                                const struct query_edges *edges,
                                const struct ids *nodes, struct buf *out);

#endif
