/*
 * http_parts - what the ways to a tool over HTTP share.  Not for others.
 *
 * Threads    As mcp_http_handle.
 */
#ifndef MCP_HTTP_PARTS_H
#define MCP_HTTP_PARTS_H

#include <stdbool.h>

#include "mcp/call.h"
#include "net/request.h"

/* http_check says whether |req| is a POST of JSON by somebody who may ask; if
 * not, it has been answered.  |json|, |events|: what the client takes. */
bool http_check(const struct mcp *mcp, struct request *req, bool *json,
                bool *events);

/* http_call is a call for |req|, which answers through |channel|; NULL: there
 * are too many, and that has been answered. */
struct mcp_call *
http_call(struct mcp *mcp, struct request *req, const struct channel *channel);

/* http_take parses |text| as the call's message and runs it; |checks|, what
 * the headers say of it is held against it.  The call is taken. */
void http_take(struct mcp_call *call, str text, bool checks, bool on_worker);

/* http_detach: the request is about to be answered, and not ours then. */
void http_detach(struct mcp_call *call);

/* http_reply answers with |json|; a 503 says to try again. */
void http_reply(struct request *req, int status, str json);

#endif
