/*
 * What HTTP says of the sessions of mcp/sse.h.  A POST is answered before the
 * message in it is: with 202, or with why it was not taken.
 */
#include <string.h>

#include "mcp/call.h"
#include "mcp/headers.h"
#include "mcp/http_parts.h"

static void
open_session(struct mcp *mcp, struct request *req)
{
    bool json = false;
    bool events = false;

    headers_accept(req, &json, &events);
    if (!events)
        http_refuse(req, 406, NULL, "Accept must allow text/event-stream");
    else if (!sse_open(mcp, req))
        /* Without a Retry-After: nobody knows when one of them will leave. */
        http_refuse(req, 503, NULL,
                    "too many sessions are open; POST to /mcp needs none");
}

/* The value of |name| in a query, as it stands there. */
static str
query_value(str query, str name)
{
    while (query.len) {
        const char *end = memchr(query.ptr, '&', query.len);
        size_t len = end ? (size_t)(end - query.ptr) : query.len;
        str pair = str_cut(query, 0, len);
        if (pair.len > name.len && pair.ptr[name.len] == '=' &&
            str_eq(str_cut(pair, 0, name.len), name))
            return str_cut(pair, name.len + 1, pair.len);
        query = str_cut(query, len + 1, query.len);
    }
    return (str){0};
}

static str
session_of(const struct request *req)
{
    return query_value(req->query, STR("sessionId"));
}

static void
refuse_message(struct request *req, const struct mcp_call *call,
               enum rpc_code code, const char *why)
{
    struct buf out = {0};

    rpc_add_error(&out, call->msg.id, code, str_of(why), NULL);
    http_reply(call->mcp, req, code == RPC_INTERNAL_ERROR ? 503 : 400,
               buf_str(&out));
    buf_fini(&out);
}

/* Enters |call| into its session; if that cannot be, |req| is answered. */
static bool
enter(struct mcp_call *call, struct request *req)
{
    switch (sse_enter(call, session_of(req))) {
    case OK:
        return true;
    case ERR_FULL:
        refuse_message(req, call, RPC_INTERNAL_ERROR,
                       "too many calls of this session are under way; wait "
                       "for their answers");
        return false;
    default:
        http_refuse(req, 404, NULL,
                    "there is no such session; GET this path opens one, and "
                    "POST to /mcp needs none");
        return false;
    }
}

static void
take_message(struct mcp *mcp, struct request *req, bool on_worker)
{
    struct mcp_call *call = call_new(mcp, NULL, NULL);
    const char *why = NULL;

    if (!call) {
        http_refuse_full(mcp, req, "too many calls are under way; try again");
        return;
    }
    enum rpc_code code = rpc_parse(&call->msg, req->body, &why);
    if (code || !enter(call, req)) {
        if (code)
            refuse_message(req, call, code, why);
        call_free(call);
        return;
    }
    call->share = req->share;
    /* While |req| is there, and so the name of its session. */
    if (call->msg.kind == RPC_NOTIFICATION &&
        strcmp(call->msg.method, "notifications/cancelled") == 0)
        sse_cancel(call, session_of(req));
    request_reply(req, &(struct reply){.status = 202});
    if (call->msg.kind == RPC_REQUEST && call_find(call)) {
        http_run(call, on_worker);
        return;
    }
    if (call->msg.kind == RPC_RESPONSE)
        http_take_response(call);
    call_free(call);
}

static void
take_on_worker(void *ctx)
{
    struct request *req = ctx;

    take_message(req->on_cancel_ctx, req, true);
}

/* Nothing hangs on the one who posts: the answer goes to the stream. */
static void
on_poster_gone(void *ctx, struct request *req)
{
    (void)ctx;
    (void)req;
}

static void
post(struct mcp *mcp, struct request *req)
{
    bool json = false;
    bool events = false;

    if (!http_check(mcp, req, &json, &events))
        return;
    if (!mcp->server || req->body.len <= HTTP_PARSE_HERE_MAX) {
        take_message(mcp, req, false);
        return;
    }
    req->on_cancel = on_poster_gone;
    req->on_cancel_ctx = mcp;
    if (server_work(mcp->server, req->share, take_on_worker, req) != OK)
        http_refuse_full(mcp, req, "too many calls are under way; try again");
}

bool
mcp_is_sse(str path)
{
    return str_eq(path, STR("/sse"));
}

void
mcp_sse_handle(void *ctx, struct request *req)
{
    static const struct header allow = {STR_INIT("allow"),
                                        STR_INIT("GET, POST")};
    struct mcp *mcp = ctx;

    if (!http_is_allowed(mcp, req))
        return;
    if (!mcp->sse.idle_ns)
        http_refuse(req, 404, NULL,
                    "the older transport is turned off here; POST to /mcp");
    else if (str_eq(req->method, STR("GET")))
        open_session(mcp, req);
    else if (str_eq(req->method, STR("POST")))
        post(mcp, req);
    else
        http_refuse(req, 405, &allow, "GET opens a session, POST asks in it");
}
