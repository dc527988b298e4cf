/*
 * links - who calls whom, in the words of Jaeger and of Grafana.
 *
 * Both know services by name alone: what is called the same in several
 * environments is summed.
 *
 * Errors     As graph/query.h.
 * Threads    As the view.
 */
#ifndef API_LINKS_H
#define API_LINKS_H

#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "graph/query.h"

enum { LINKS_MAX = 10000 }; /* series of one scrape, the busiest first */

/*
 * links_metrics appends the families traces_service_graph_request and
 * traces_service_graph_request_failed as OpenMetrics, without the end: at most
 * |max| series each.  They count for all time, so a restart is no reset.
 * Topics are left out; who sends over one and who receives is an edge itself.
 */
enum err links_metrics(struct query_view *view, size_t max, struct buf *out);

/* links_dependencies appends the answer of Jaeger's GET /api/dependencies for
 * what was seen since |since_s|: service to service, calls and messages. */
enum err
links_dependencies(struct query_view *view, uint32_t since_s, struct buf *out);

#endif
