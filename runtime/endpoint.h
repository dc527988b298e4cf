/*
 * endpoint - what an ingress serves, by spec/attributes.md rules 1 to 7.
 *
 * A SERVER span serves a request of MCP (`tools/call add`), an RPC method, else
 * an HTTP route, else a function (faas.*); a CONSUMER the consumption of its
 * topic.  What names none of them
 * is served by the service itself.  The raw path of a request is looked at and
 * not kept: what leaves here is a pattern.
 *
 * Threads    A lane belongs to one thread at a time.
 */
#ifndef RUNTIME_ENDPOINT_H
#define RUNTIME_ENDPOINT_H

#include "model/span.h"
#include "runtime/lane.h"

/* endpoint_of_server gives the node; |flags| gets STUB_SYNTHETIC when its name
 * fits one of cfg->exclude_routes. */
uint32_t endpoint_of_server(struct intake_lane *lane, const struct span *span,
                            uint32_t *flags);

/* endpoint_of_consumer does it for the consumption of |topic|, or 0. */
uint32_t endpoint_of_consumer(struct intake_lane *lane, const struct span *span,
                              uint32_t topic, uint32_t *flags);

/* endpoint_refused: the answer was that nobody may, or can, ask for this: HTTP
 * 401, 403, 404 or 405, or what is the same of RPC.  Not NOT_FOUND, which a
 * method says that was called. */
bool endpoint_refused(const struct attr_set *attrs);

#endif
