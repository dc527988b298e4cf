/*
 * http_route - the route of an HTTP request that a SERVER span tells of.
 *
 * Threads    A lane belongs to one thread at a time.
 */
#ifndef RUNTIME_HTTP_ROUTE_H
#define RUNTIME_HTTP_ROUTE_H

#include "model/span.h"
#include "runtime/lane.h"

/* http_route_find is the NODE_ROUTE and its STUB_SYNTHETIC flag; id 0 if the
 * span does not tell of HTTP, or of nothing that makes a route. */
struct memo_value
http_route_find(struct intake_lane *lane, const struct span *span);

/* http_route_status is the HTTP status the span tells of, or 0. */
int64_t http_route_status(const struct attr_set *attrs);

/* http_route_excluded says whether cfg->exclude_routes lists |name|: a glob
 * that starts with '/' is compared with the name behind its method. */
bool http_route_excluded(const struct intake_cfg *cfg, str name);

#endif
