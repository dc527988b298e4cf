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

/* Series of one scrape, the busiest first: of counters and of histograms. */
enum { LINKS_MAX = 10000, LINKS_TIMED_MAX = 1000 };

/*
 * links_metrics appends the families traces_service_graph_request,
 * ..._request_failed, ..._request_server_seconds and ..._client_seconds as
 * OpenMetrics, without the end: at most |max| series of each counter and
 * LINKS_TIMED_MAX of both histograms; the clients' has what they measured.
 * They count for all time, or as long as days are kept, so a restart is no
 * reset.  Topics are left out; who sends over one and who receives is an edge
 * itself.
 */
enum err links_metrics(struct query_view *view, size_t max, struct buf *out);

/* links_dependencies appends the answer of Jaeger's GET /api/dependencies for
 * what was seen since |since_s|: service to service, calls and messages, at
 * most |max| pairs, the busiest first.  If there are more, `total` and `limit`
 * say so; else they are 0, as Jaeger's. */
enum err links_dependencies(struct query_view *view, uint32_t since_s,
                            size_t max, struct buf *out);

#endif
