/*
 * Streamable HTTP without sessions: POST a message, get its answer.
 *
 * The checks go from the outside in: who asks (Host, Origin, token), how
 * (method, type, Accept), what (the message), and for 2026-07-28 whether the
 * headers say the same as the message.  Only then is a method looked up.
 *
 * What may block, and the parsing of large bodies, is done on the server's work
 * threads.  The answer is one JSON body, unless a tool had something to say
 * before it: then it is a stream of events, of which the answer is the last.
 */
#include <string.h>

#include "base/clock.h"
#include "mcp/call.h"
#include "mcp/headers.h"
#include "mcp/http_parts.h"
#include "mcp/json.h"
#include "net/request.h"

static const struct header stream_headers[] = {
    {STR_INIT("cache-control"), STR_INIT("no-cache, no-transform")},
    {STR_INIT("x-accel-buffering"), STR_INIT("no")},
};

/* ---- the channel ---- */

static struct request *
request_of(const struct mcp_call *call)
{
    return call->channel_ctx;
}

/* Nobody may tell this call any more that its client is gone: it is about to
 * be answered, and then the request is not ours. */
void
http_detach(struct mcp_call *call)
{
    live_remove(&call->mcp->live, &call->live);
}

void
http_add_event(struct buf *out, str json)
{
    buf_add(out, STR("event: message\ndata: "));
    buf_add(out, json);
    buf_add(out, STR("\n\n"));
}

void
http_open_stream(struct request *req, str first)
{
    request_stream_open(req, &(struct reply){
                                 .status = 200,
                                 .content_type = STR("text/event-stream"),
                                 .body = first,
                                 .headers = stream_headers,
                                 .header_len = sizeof(stream_headers) /
                                               sizeof(stream_headers[0]),
                             });
}

static bool
write_event(struct mcp_call *call, str json)
{
    struct request *req = request_of(call);
    struct buf event = {0};
    bool ok = false;

    http_add_event(&event, json);
    if (!event.failed && call->is_streaming) {
        ok = request_stream_write(req, buf_str(&event));
    } else if (!event.failed) {
        http_open_stream(req, buf_str(&event));
        call->is_streaming = true;
        ok = true;
    }
    buf_fini(&event);
    return ok;
}

static bool
http_send(struct mcp_call *call, str json)
{
    if (!call->can_stream || atomic_load(&call->gone))
        return false;
    return write_event(call, json);
}

static void
http_drop(struct mcp_call *call)
{
    http_detach(call);
    if (call->is_streaming)
        request_stream_close(request_of(call));
    else
        request_reply(request_of(call), &(struct reply){.status = 503});
}

static void
write_too_large(struct mcp_call *call)
{
    struct buf out = {0};

    rpc_add_error(&out, call->msg.id, RPC_INTERNAL_ERROR,
                  STR("the answer is larger than a stream carries; ask "
                      "without a progressToken"),
                  NULL);
    (void)write_event(call, buf_str(&out));
    buf_fini(&out);
}

static void
http_answer(struct mcp_call *call, int status, str json)
{
    if (mcp_is_cancelled(call)) {
        http_drop(call);
        return;
    }
    http_detach(call);
    if (call->is_streaming || (call->must_stream && status == 200)) {
        if (json.len <= HTTP_EVENT_MAX)
            (void)write_event(call, json);
        else
            write_too_large(call);
        request_stream_close(request_of(call));
        return;
    }
    http_reply(call->mcp, request_of(call), status, json);
}

static bool
http_beat(struct mcp_call *call)
{
    return request_stream_write(request_of(call), STR(":\n\n"));
}

static const struct channel http_channel = {
    .send = http_send,
    .answer = http_answer,
    .drop = http_drop,
    .beat = http_beat,
};

/* ---- refusals before there is a message ---- */

bool
http_is_allowed(const struct mcp *mcp, struct request *req)
{
    static const struct header challenge = {STR_INIT("www-authenticate"),
                                            STR_INIT("Bearer realm=\"mcp\"")};
    static const struct header rejected = {
        STR_INIT("www-authenticate"),
        STR_INIT("Bearer realm=\"mcp\", error=\"invalid_token\"")};

    if (!headers_is_host_allowed(mcp->cfg, req)) {
        http_refuse(
            req, 403, NULL,
            "this Host is not allowed here; see the list of allowed hosts");
        return false;
    }
    if (!headers_is_origin_allowed(mcp->cfg, req)) {
        http_refuse(req, 403, NULL, "this Origin is not allowed here");
        return false;
    }
    str token = headers_bearer(req);
    if (tokens_have(mcp->tokens, token))
        return true;
    http_refuse(req, 401, token.len ? &rejected : &challenge,
                "a bearer token is needed: Authorization: Bearer <token>");
    return false;
}

static bool
check_whole(const struct mcp *mcp, struct request *req)
{
    switch (req->problem) {
    case REQUEST_WHOLE:
        if (req->body.len <= MCP_BODY_MAX)
            return true;
        http_refuse(req, 413, NULL, "the body is larger than 4 MiB");
        return false;
    case REQUEST_TOO_LARGE:
        http_refuse(req, 413, NULL, "the body is too large");
        return false;
    case REQUEST_UNSUPPORTED_ENCODING:
        http_refuse(req, 415, NULL, "this Content-Encoding is not supported");
        return false;
    case REQUEST_NO_ROOM:
        http_refuse_full(mcp, req, "too much is under way; try again");
        return false;
    case REQUEST_BAD_ENCODING:
    case REQUEST_BAD_FRAME:
        break;
    }
    http_refuse(req, 400, NULL, "the body cannot be decompressed");
    return false;
}

static bool
check_form(const struct mcp *mcp, struct request *req, bool *json, bool *events)
{
    static const struct header allow = {STR_INIT("allow"), STR_INIT("POST")};

    if (!str_eq(req->method, STR("POST"))) {
        http_refuse(req, 405, &allow, "there are no sessions here; use POST");
        return false;
    }
    if (!check_whole(mcp, req))
        return false;
    if (!headers_is_json(req)) {
        http_refuse(req, 415, NULL, "Content-Type must be application/json");
        return false;
    }
    headers_accept(req, json, events);
    if (*json || *events)
        return true;
    http_refuse(req, 406, NULL,
                "Accept must allow application/json or text/event-stream");
    return false;
}

/* ---- messages ---- */

static void
answer_nothing(struct mcp_call *call)
{
    request_reply(request_of(call), &(struct reply){.status = 202});
}

static bool
header_error(struct mcp_call *call, struct buf *why)
{
    call_error(call, 400, RPC_HEADER_MISMATCH, NULL, "%s", buf_cstr(why));
    return false;
}

/* The member of params that the header Mcp-Name repeats, if any. */
static const char *
name_of(const struct mcp_call *call)
{
    const char *method = call->msg.method;

    if (strcmp(method, "tools/call") == 0 || strcmp(method, "prompts/get") == 0)
        return json_text(call->msg.params, "name");
    if (strcmp(method, "resources/read") == 0)
        return json_text(call->msg.params, "uri");
    return NULL;
}

static bool
match_mirrors(const struct mcp_call *call, const char *tool, struct buf *why)
{
    const struct mcp *mcp = call->mcp;

    if (strcmp(call->msg.method, "tools/call") != 0)
        return true;
    for (size_t i = 0; i < mcp->offer->tool_len; i++)
        if (mcp->inputs[i].has_mirrors &&
            strcmp(mcp->offer->tools[i].name, tool) == 0)
            return headers_mirrors(request_of(call), mcp->inputs[i].schema,
                                   json_member(call->msg.params, "arguments"),
                                   why);
    return true;
}

/* 2026-07-28: do the headers say what the body says?  If not, answers. */
static bool
check_headers(struct mcp_call *call)
{
    const struct request *req = request_of(call);
    const cJSON *version =
        call_meta(call, "io.modelcontextprotocol/protocolVersion");
    const char *name = name_of(call);
    struct buf why = {0};

    bool ok =
        (!version || headers_matches(req, STR("mcp-protocol-version"),
                                     str_of(version->valuestring), &why)) &&
        headers_matches(req, STR("mcp-method"), str_of(call->msg.method),
                        &why) &&
        (!name || headers_matches(req, STR("mcp-name"), str_of(name), &why)) &&
        (!name || match_mirrors(call, name, &why));
    if (!ok)
        header_error(call, &why);
    buf_fini(&why);
    return ok;
}

/* Before 2026-07-28 the header alone says the version. */
static bool
check_old_version(struct mcp_call *call, size_t count, str header)
{
    const char *method = call->msg.method;
    char name[16] = "";

    if (count == 0 || (method && strcmp(method, "initialize") == 0)) {
        call->rev = REV_2025_03_26;
        return true;
    }
    if (count == 1 && header.len && header.len < sizeof(name))
        memcpy(name, header.ptr, header.len);
    int rev = rev_of(name);
    if (rev >= 0) {
        call->rev = (enum mcp_rev)rev;
        return true;
    }
    call_error(
        call, 400, RPC_INVALID_REQUEST, NULL,
        "unsupported MCP-Protocol-Version; supported: %s, %s, %s, %s, %s",
        rev_name(REV_2026_07_28), rev_name(REV_2025_11_25),
        rev_name(REV_2025_06_18), rev_name(REV_2025_03_26),
        rev_name(REV_2024_11_05));
    return false;
}

/* Sets the revision and holds the message against it. */
static bool
check_version(struct mcp_call *call)
{
    str header;
    size_t count =
        headers_count(request_of(call), STR("mcp-protocol-version"), &header);
    bool claims = call->msg.kind == RPC_REQUEST && call_claims_version(call);
    bool is_new =
        count && str_eq(header, str_of(rev_name(REV_FIRST_STATELESS)));

    if (!claims && !is_new)
        return check_old_version(call, count, header);
    call->rev = REV_FIRST_STATELESS;
    if (call->msg.kind == RPC_RESPONSE) {
        call_error(call, 400, RPC_INVALID_REQUEST, NULL,
                   "this version has no requests that a client answers");
        return false;
    }
    if (call->msg.kind == RPC_NOTIFICATION)
        return check_headers(call);
    return call_check_meta(call) && check_headers(call) &&
           call_check_version(call);
}

/* The answer to a question of ours goes to who asked. */
void
http_take_response(struct mcp_call *call)
{
    const char *id = json_text(call->msg.root, "id");

    if (id && pending_answer(&call->mcp->pending, id, call->msg.root))
        call->msg.root = NULL;
}

static void
run_on_worker(void *ctx)
{
    struct mcp_call *call = ctx;

    /* While it waited, somebody else may have asked the same. */
    if (!call_answer_kept(call))
        call_run(call);
    stay_note(&call->mcp->stay, clock_mono_ns() - call->begun_ns);
    call_free(call);
}

void
http_run(struct mcp_call *call, bool on_worker)
{
    struct server *server = call->mcp->server;

    if (call_answer_kept(call)) {
        /* It needed nobody's time. */
    } else if (!on_worker && server && call_may_block(call)) {
        if (server_work(server, call->share, run_on_worker, call) == OK)
            return;
        call_error(call, 503, RPC_INTERNAL_ERROR, NULL,
                   "too many calls are under way; try again");
    } else {
        call_run(call);
    }
    call_free(call);
}

static void
on_gone(void *ctx, struct request *req)
{
    struct mcp *mcp = ctx;

    live_gone(&mcp->live, req);
    pending_wake(&mcp->pending);
    (void)listen_cancel(&mcp->listen, req, NULL);
}

void
http_take(struct mcp_call *call, str text, bool checks, bool on_worker)
{
    const char *why = NULL;
    enum rpc_code code = rpc_parse(&call->msg, text, &why);

    if (code) {
        call_error(call, code == RPC_INTERNAL_ERROR ? 503 : 400, code, NULL,
                   "%s", why);
    } else if (checks && !check_version(call)) {
        /* It has been answered. */
    } else if (call->msg.kind != RPC_REQUEST) {
        http_take_response(call);
        answer_nothing(call);
    } else if (call_find(call)) {
        http_run(call, on_worker);
        return;
    }
    call_free(call);
}

static void
take_on_worker(void *ctx)
{
    struct mcp_call *call = ctx;

    http_take(call, request_of(call)->body, true, true);
}

bool
http_check(const struct mcp *mcp, struct request *req, bool *json, bool *events)
{
    return http_is_allowed(mcp, req) && check_form(mcp, req, json, events);
}

struct mcp_call *
http_call(struct mcp *mcp, struct request *req, const struct channel *channel)
{
    struct mcp_call *call = call_new(mcp, channel, req);

    if (!call) {
        http_refuse_full(mcp, req, "too many calls are under way; try again");
        return NULL;
    }
    call->share = req->share;
    live_add(&mcp->live, &call->live, req, call);
    req->on_cancel = on_gone;
    req->on_cancel_ctx = mcp;
    return call;
}

void
mcp_http_handle(void *ctx, struct request *req)
{
    struct mcp *mcp = ctx;
    bool json = false;
    bool events = false;

    if (!http_check(mcp, req, &json, &events))
        return;
    struct mcp_call *call = http_call(mcp, req, &http_channel);
    if (!call)
        return;
    call->can_stream = events;
    call->must_stream = !json;
    if (!mcp->server || req->body.len <= HTTP_PARSE_HERE_MAX)
        http_take(call, req->body, true, false);
    else if (server_work(mcp->server, req->share, take_on_worker, call) != OK) {
        memcpy(call->msg.id, "null", sizeof("null"));
        call_error(call, 503, RPC_INTERNAL_ERROR, NULL,
                   "too many calls are under way; try again");
        call_free(call);
    }
}
