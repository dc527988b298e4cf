/*
 * http_parts - what the ways to a tool over HTTP share.  Not for others.
 *
 * Threads    As mcp_http_handle.
 */
#ifndef MCP_HTTP_PARTS_H
#define MCP_HTTP_PARTS_H

#include <stdbool.h>

#include "base/buf.h"
#include "mcp/call.h"
#include "net/request.h"

enum {
    HTTP_EVENT_MAX = 960 << 10, /* a transport holds little more than this */
    HTTP_PARSE_HERE_MAX = 32 << 10, /* longer bodies: on a work thread */
};

/* http_is_allowed says whether Host, Origin and token are ones that may ask; if
 * not, |req| has been answered. */
bool http_is_allowed(const struct mcp *mcp, struct request *req);

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

/* http_run runs the method found, here or on a work thread, and sees that
 * |call| is freed. */
void http_run(struct mcp_call *call, bool on_worker);

/* http_take_response hands the answer to a question of ours to who asked. */
void http_take_response(struct mcp_call *call);

/* http_add_event appends |json| as an event `message`; http_open_stream opens a
 * stream of events with the bytes |first|. */
void http_add_event(struct buf *out, str json);
void http_open_stream(struct request *req, str first);

/* http_refuse answers before there is a message; |header| may be NULL. */
void http_refuse(struct request *req, int status, const struct header *header,
                 const char *message);

/* http_refuse_full is that where there is no room, with when to come again. */
void http_refuse_full(const struct mcp *mcp, struct request *req,
                      const char *message);

/* http_reply answers with |json|; a 503 says when to come again. */
void
http_reply(const struct mcp *mcp, struct request *req, int status, str json);

#endif
