/*
 * The way of a message: http.c, sse_http.c or stdio.c parses it and decides its
 * revision; here the method is found in one table and run; lists.c, methods.c,
 * extra.c and listen.c hold the methods.
 *
 * Which revision: a request whose `_meta` names a version, or whose HTTP header
 * names 2026-07-28, is stateless; all others belong to the older revisions.
 */
#include "mcp/mcp.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "mcp/call.h"
#include "mcp/json.h"
#include "mcp/kept.h"
#include "mcp/method.h"

#define META_PREFIX "io.modelcontextprotocol/"

enum { ENVELOPE = 128 }; /* bytes around a result */

enum { OLD = 1 << 0, NEW = 1 << 1, BOTH = OLD | NEW };

struct method {
    const char *name;
    method_fn *run;
    unsigned eras;
    enum offered needs;
    bool may_block;
};

static void
method_empty(struct mcp_call *call)
{
    call_result(call, STR(""));
}

static const struct method methods[] = {
    {"tools/call", method_tools_call, BOTH, OFFERS_TOOLS, true},
    {"tools/list", method_tools_list, BOTH, OFFERS_TOOLS, false},
    {"resources/read", method_resources_read, BOTH, OFFERS_RESOURCES, true},
    {"resources/list", method_resources_list, BOTH, OFFERS_RESOURCES, false},
    {"resources/templates/list", method_templates_list, BOTH, OFFERS_RESOURCES,
     false},
    {"prompts/get", method_prompts_get, BOTH, OFFERS_PROMPTS, true},
    {"prompts/list", method_prompts_list, BOTH, OFFERS_PROMPTS, false},
    {"completion/complete", method_complete, BOTH, OFFERS_COMPLETIONS, true},
    {"server/discover", method_discover, NEW, OFFERS_NOTHING, false},
    {"subscriptions/listen", method_listen, NEW, OFFERS_CHANGES, false},
    {"initialize", method_initialize, OLD, OFFERS_NOTHING, false},
    {"ping", method_empty, OLD, OFFERS_NOTHING, false},
    {"logging/setLevel", method_set_level, OLD, OFFERS_LOGGING, false},
    {"resources/subscribe", method_empty, OLD, OFFERS_SUBSCRIBE, false},
    {"resources/unsubscribe", method_empty, OLD, OFFERS_SUBSCRIBE, false},
};

static const char *const rev_names[REV_COUNT] = {
    [REV_2024_11_05] = "2024-11-05", [REV_2025_03_26] = "2025-03-26",
    [REV_2025_06_18] = "2025-06-18", [REV_2025_11_25] = "2025-11-25",
    [REV_2026_07_28] = "2026-07-28",
};

bool
mcp_has_method(const char *name)
{
    for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
        if (strcmp(methods[i].name, name) == 0)
            return true;
    }
    return false;
}

const char *
rev_name(enum mcp_rev rev)
{
    return rev_names[rev];
}

int
rev_of(const char *name)
{
    for (int i = 0; i < REV_COUNT; i++)
        if (strcmp(rev_names[i], name) == 0)
            return i;
    return -1;
}

static unsigned
what_is_offered(const struct mcp_offer *offer)
{
    unsigned offered = 0;

    offered |= offer->tool_len ? OFFERS_TOOLS : 0;
    offered |= offer->resource_len ? OFFERS_RESOURCES : 0;
    offered |= offer->prompt_len ? OFFERS_PROMPTS : 0;
    offered |= offer->complete ? OFFERS_COMPLETIONS : 0;
    offered |= offer->logging ? OFFERS_LOGGING : 0;
    offered |= offer->list_changed ? OFFERS_CHANGES : 0;
    offered |= offer->subscribe ? OFFERS_SUBSCRIBE : 0;
    return offered;
}

enum err
mcp_set_tokens(struct mcp *mcp, const char *const *tokens, size_t len)
{
    return tokens_set(mcp->tokens, tokens, len);
}

enum err
mcp_new(struct mcp **out, const struct mcp_offer *offer,
        const struct mcp_cfg *cfg)
{
    enum { REPLY_BYTES = 4 << 20 };
    enum err err = ERR_NOMEM;
    struct mcp *mcp = calloc(1, sizeof(*mcp));

    *out = NULL;
    if (!mcp)
        return ERR_NOMEM;
    json_count_failures();
    mcp->own_offer = *offer;
    mcp->own_cfg = *cfg;
    mcp->offer = &mcp->own_offer;
    mcp->cfg = &mcp->own_cfg;
    mcp->reply_bytes = cfg->reply_bytes ? cfg->reply_bytes : REPLY_BYTES;
    mcp->offered = what_is_offered(offer);
    live_init(&mcp->live);
    pending_init(&mcp->pending);
    listen_init(&mcp->listen);
    sse_init(&mcp->sse, cfg->sse_idle_ms * NS_PER_MS);
    if (!(mcp->tokens = tokens_new()))
        goto out;
    if (cfg->kept_bytes && offer->data_version &&
        !(mcp->kept = kept_new(cfg->kept_bytes)))
        goto out;
    if ((err = mcp_set_tokens(mcp, cfg->tokens, cfg->token_len)))
        goto out;
    if ((err = state_prepare(mcp)))
        goto out;

    *out = mcp;
    mcp = NULL;
out:
    mcp_free(mcp);
    return err;
}

void
mcp_stop(struct mcp *mcp)
{
    if (!mcp)
        return;
    pending_stop(&mcp->pending);
    listen_stop(&mcp->listen);
    sse_stop(&mcp->sse);
}

void
mcp_free(struct mcp *mcp)
{
    if (!mcp)
        return;
    mcp_stop(mcp);
    listen_fini(&mcp->listen);
    sse_fini(&mcp->sse);
    pending_fini(&mcp->pending);
    live_fini(&mcp->live);
    for (size_t i = 0; i < REV_COUNT; i++) {
        for (size_t j = 0; j < LISTS; j++)
            buf_fini(&mcp->prepared[i].lists[j]);
        buf_fini(&mcp->prepared[i].about);
        buf_fini(&mcp->prepared[i].tail);
    }
    for (size_t i = 0; mcp->inputs && i < mcp->offer->tool_len; i++)
        cJSON_Delete(mcp->inputs[i].schema);
    free(mcp->inputs);
    tokens_free(mcp->tokens);
    kept_free(mcp->kept);
    free(mcp);
}

void
mcp_set_server(struct mcp *mcp, struct server *server)
{
    mcp->server = server;
}

struct mcp_call *
call_new(struct mcp *mcp, const struct channel *channel, void *channel_ctx)
{
    struct mcp_call *call = NULL;

    if (atomic_fetch_add(&mcp->calls, 1) < MCP_CALLS_MAX)
        call = calloc(1, sizeof(*call));
    if (!call) {
        atomic_fetch_sub(&mcp->calls, 1);
        return NULL;
    }
    call->mcp = mcp;
    call->channel = channel;
    call->channel_ctx = channel_ctx;
    call->progress = -1;
    call->begun_ns = clock_mono_ns();
    call->log_level = -1;
    return call;
}

void
call_free(struct mcp_call *call)
{
    if (!call)
        return;
    live_remove(&call->mcp->live, &call->live);
    atomic_fetch_sub(&call->mcp->calls, 1);
    rpc_fini(&call->msg);
    cJSON_Delete(call->refusal_data);
    buf_fini(&call->fault);
    buf_fini(&call->question);
    free(call);
}

cJSON *
call_meta(const struct mcp_call *call, const char *name)
{
    return json_member(json_member(call->msg.params, "_meta"), name);
}

bool
call_claims_version(const struct mcp_call *call)
{
    return call_meta(call, META_PREFIX "protocolVersion") != NULL;
}

bool
call_check_meta(struct mcp_call *call)
{
    static const char version[] = META_PREFIX "protocolVersion";
    static const char can[] = META_PREFIX "clientCapabilities";
    const cJSON *meta = json_member(call->msg.params, "_meta");
    cJSON *missing = NULL;

    if (!json_is_unique(call->msg.params, "_meta") ||
        !json_is_unique(meta, version) || !json_is_unique(meta, can)) {
        call_error(call, 400, RPC_INVALID_PARAMS, NULL,
                   "a member of _meta appears twice");
        return false;
    }
    bool has_version = cJSON_IsString(json_member(meta, version));
    bool has_can = cJSON_IsObject(json_member(meta, can));
    if (has_version && has_can)
        return true;

    cJSON *data = cJSON_CreateObject();
    missing = cJSON_AddArrayToObject(data, "missing");
    if (!has_version)
        json_push(missing, cJSON_CreateString(version));
    if (!has_can)
        json_push(missing, cJSON_CreateString(can));
    call_error(call, 400, RPC_INVALID_PARAMS, data, "params._meta needs %s%s%s",
               has_version ? "" : version,
               has_version || has_can ? "" : " (a string) and ",
               has_can ? "" : can);
    return false;
}

bool
call_check_version(struct mcp_call *call)
{
    cJSON *requested = call_meta(call, META_PREFIX "protocolVersion");

    if (rev_of(requested->valuestring) >= REV_FIRST_STATELESS)
        return true;

    const char *newest = rev_name(REV_FIRST_STATELESS);
    cJSON *data = cJSON_CreateObject();
    json_give(data, "supported", cJSON_CreateStringArray(&newest, 1));
    json_give(data, "requested", cJSON_Duplicate(requested, true));
    call_error(call, 400, RPC_UNSUPPORTED_VERSION, data,
               "this protocol version is not supported; %s is", newest);
    return false;
}

static const struct method *
find_method(const struct mcp_call *call)
{
    unsigned era = call->rev >= REV_FIRST_STATELESS ? NEW : OLD;

    for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
        const struct method *method = &methods[i];
        if (strcmp(method->name, call->msg.method) == 0 &&
            (method->eras & era) &&
            (method->needs & call->mcp->offered) == method->needs)
            return method;
    }
    return NULL;
}

bool
call_find(struct mcp_call *call)
{
    int status = call->rev >= REV_FIRST_STATELESS ? 404 : 200;

    call->method = find_method(call);
    if (!call->method)
        call_error(call, status, RPC_METHOD_NOT_FOUND, NULL,
                   "there is no method \"%.64s\" here", call->msg.method);
    return call->method != NULL;
}

bool
call_may_block(const struct mcp_call *call)
{
    return call->method->may_block;
}

bool
call_answer_kept(struct mcp_call *call)
{
    return call->method->run == method_tools_call && method_answer_kept(call);
}

void
call_run(struct mcp_call *call)
{
    call->method->run(call);
}

static void
answer(struct mcp_call *call, int status, const struct buf *out)
{
    if (!out->failed) {
        call->channel->answer(call, status, buf_str(out));
        return;
    }
    struct buf brief = {0};
    rpc_add_error(&brief, call->msg.id, RPC_INTERNAL_ERROR,
                  STR("the answer is larger than this server sends"), NULL);
    call->channel->answer(call, 200, buf_str(&brief));
    buf_fini(&brief);
}

void
call_result_as(struct mcp_call *call, const char *type, str members)
{
    const struct buf *tail = &call->mcp->prepared[call->rev].tail;
    struct buf out = {.cap_max = call->mcp->reply_bytes};

    size_t room = members.len + tail->len + RPC_ID_MAX + ENVELOPE;

    if (room <= out.cap_max)
        (void)buf_grow(&out, room);
    rpc_add_head(&out, call->msg.id);
    buf_add(&out, STR("\"result\":{"));
    buf_add(&out, members);
    if (call->rev >= REV_FIRST_STATELESS) {
        buf_add(&out, members.len ? STR(",\"resultType\":\"")
                                  : STR("\"resultType\":\""));
        buf_add(&out, str_of(type));
        buf_add(&out, STR("\","));
        buf_add(&out, buf_str(tail));
    }
    buf_add(&out, STR("}}"));
    answer(call, 200, &out);
    buf_fini(&out);
}

void
call_result(struct mcp_call *call, str members)
{
    call_result_as(call, "complete", members);
}

void
call_error(struct mcp_call *call, int status, enum rpc_code code, cJSON *data,
           const char *format, ...)
{
    struct buf message = {0};
    struct buf out = {.cap_max = call->mcp->reply_bytes};
    va_list args;

    va_start(args, format);
    buf_vprintf(&message, format, args);
    va_end(args);
    rpc_add_error(&out, call->msg.id, code, buf_str(&message), data);
    answer(call, status, &out);
    buf_fini(&message);
    buf_fini(&out);
    cJSON_Delete(data);
}

bool
call_notify(struct mcp_call *call, const char *method, cJSON *params)
{
    struct buf out = {.cap_max = call->mcp->reply_bytes};

    rpc_add_notice(&out, method, params);
    cJSON_Delete(params);
    bool sent = !out.failed && call->channel->send(call, buf_str(&out));
    buf_fini(&out);
    return sent;
}

void
mcp_fail(struct mcp_call *call, const char *format, ...)
{
    va_list args;

    call->failed = true;
    buf_reset(&call->fault);
    va_start(args, format);
    buf_vprintf(&call->fault, format, args);
    va_end(args);
}

void
mcp_missing(struct mcp_call *call, str why)
{
    buf_reset(&call->fault);
    buf_add(&call->fault, why);
}

void
mcp_progress(struct mcp_call *call, double done, double total,
             const char *message)
{
    cJSON *token = call_meta(call, "progressToken");

    if (!(cJSON_IsString(token) || cJSON_IsRaw(token)) ||
        !(done > call->progress))
        return;
    call->progress = done;
    cJSON *params = cJSON_CreateObject();
    json_give(params, "progressToken", cJSON_Duplicate(token, true));
    cJSON_AddNumberToObject(params, "progress", done);
    if (total > 0)
        cJSON_AddNumberToObject(params, "total", total);
    if (message)
        cJSON_AddStringToObject(params, "message", message);
    (void)call_notify(call, "notifications/progress", params);
}

bool
mcp_is_cancelled(const struct mcp_call *call)
{
    /* Before 2026-07-28 a lost connection did not cancel what it had asked. */
    return atomic_load(&call->cancelled) ||
           (call->rev >= REV_FIRST_STATELESS && atomic_load(&call->gone));
}

bool
mcp_is_over(const struct mcp_call *call)
{
    uint64_t limit_ms = call->mcp->cfg->answer_ms;

    return atomic_load(&call->cancelled) || atomic_load(&call->gone) ||
           (limit_ms &&
            clock_mono_ns() - call->begun_ns >= limit_ms * NS_PER_MS);
}
