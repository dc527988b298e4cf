#include "mcp/extra.h"

#include <string.h>

#include "base/clock.h"
#include "mcp/call.h"
#include "mcp/json.h"
#include "mcp/method.h"

#define META_PREFIX "io.modelcontextprotocol/"

static const char *const levels[] = {"debug",   "info",     "notice",
                                     "warning", "error",    "critical",
                                     "alert",   "emergency"};

/* The place of |level| among the eight, or -1. */
static int
level_of(const char *level)
{
    for (size_t i = 0; level && i < sizeof(levels) / sizeof(levels[0]); i++)
        if (strcmp(levels[i], level) == 0)
            return (int)i;
    return -1;
}

const cJSON *
mcp_params(const struct mcp_call *call)
{
    return call->msg.params;
}

bool
mcp_is_stateless(const struct mcp_call *call)
{
    return call->rev >= REV_FIRST_STATELESS;
}

bool
mcp_client_can(const struct mcp_call *call, const char *name)
{
    if (!mcp_is_stateless(call))
        return true;
    return cJSON_IsObject(
        json_member(call_meta(call, META_PREFIX "clientCapabilities"), name));
}

bool
mcp_need(struct mcp_call *call, const char *name)
{
    if (mcp_client_can(call, name))
        return true;
    mcp_fail(call, "this needs a client with the capability \"%s\"", name);
    call->refusal = RPC_MISSING_CAPABILITY;
    cJSON_Delete(call->refusal_data);
    call->refusal_data = cJSON_CreateObject();
    cJSON *required =
        cJSON_AddObjectToObject(call->refusal_data, "requiredCapabilities");
    cJSON_AddObjectToObject(required, name);
    return false;
}

void
mcp_refuse(struct mcp_call *call, const char *message)
{
    mcp_fail(call, "%s", message);
    call->refusal = RPC_INVALID_PARAMS;
}

/* Since 2026-07-28 a request says itself what it wants to hear.  Before, a
 * client that set no level hears everything. */
static bool
is_wanted(const struct mcp_call *call, int level)
{
    if (!mcp_is_stateless(call))
        return level >= call->log_level;
    int least =
        level_of(cJSON_GetStringValue(call_meta(call, META_PREFIX "logLevel")));
    return least >= 0 && level >= least;
}

void
mcp_log(struct mcp_call *call, const char *level, const char *text)
{
    int index = level_of(level);

    if (index < 0 || !is_wanted(call, index))
        return;
    cJSON *params = cJSON_CreateObject();
    cJSON_AddStringToObject(params, "level", level);
    cJSON_AddStringToObject(params, "data", text);
    (void)call_notify(call, "notifications/message", params);
}

void
method_set_level(struct mcp_call *call)
{
    int level = level_of(json_text(call->msg.params, "level"));

    if (level < 0) {
        call_error(call, 200, RPC_INVALID_PARAMS, NULL,
                   "\"level\" is one of debug, info, notice, warning, error, "
                   "critical, alert, emergency");
        return;
    }
    call->log_level = level; /* kept by a transport that knows its client */
    call_result(call, STR(""));
}

static bool
send_question(struct mcp_call *call, const char *id, const char *method,
              const cJSON *params)
{
    struct buf out = {.cap_max = call->mcp->reply_bytes};

    buf_printf(&out,
               "{\"jsonrpc\":\"2.0\",\"id\":\"%s\",\"method\":\"%s\","
               "\"params\":",
               id, method);
    json_add_tree(&out, params);
    buf_add_char(&out, '}');
    bool sent = !out.failed && call->channel->send(call, buf_str(&out));
    buf_fini(&out);
    return sent;
}

cJSON *
mcp_ask(struct mcp_call *call, const char *method, cJSON *params)
{
    struct pending *pending = &call->mcp->pending;
    const char *id = NULL;
    cJSON *answer = NULL;
    cJSON *result = NULL;
    uint64_t until = clock_mono_ns() + MCP_ASK_TIMEOUT_MS * NS_PER_MS;

    if (mcp_is_stateless(call) || pending_open(pending, call, &id)) {
        mcp_fail(call, "the client cannot be asked now");
        cJSON_Delete(params);
        return NULL;
    }
    if (!send_question(call, id, method, params))
        until = 0;
    answer = pending_wait(pending, id, until);
    if (!answer)
        mcp_fail(call, "the client did not answer %s", method);
    else if (json_member(answer, "error"))
        mcp_fail(call, "the client refused %s", method);
    else
        result = cJSON_DetachItemFromObjectCaseSensitive(answer, "result");
    cJSON_Delete(answer);
    cJSON_Delete(params);
    return result;
}

void
mcp_list_changed(struct mcp_call *call, enum mcp_list list)
{
    listen_send(&call->mcp->listen, list);
}
