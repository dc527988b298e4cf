/*
 * Two tools without the protocol around them: a message is made of the body,
 * and what is answered to it is unwrapped again.
 */
#include <string.h>

#include "mcp/http_parts.h"
#include "mcp/json.h"

enum { ARGS_MAX = 64 << 10 }; /* parsed where requests are taken */

static const struct {
    str path;
    const char *tool;
} routes[] = {
    {STR_INIT("/api/search"), "search"},
    {STR_INIT("/api/search/explore"), "explore"},
};

static const char *
tool_of(str path)
{
    for (size_t i = 0; i < sizeof(routes) / sizeof(routes[0]); i++)
        if (str_eq(path, routes[i].path))
            return routes[i].tool;
    return NULL;
}

bool
mcp_is_rest(str path)
{
    return tool_of(path) != NULL;
}

static void
fail(const struct mcp *mcp, struct request *req, int status, const char *words)
{
    struct buf out = {0};

    buf_add(&out, STR("{\"error\":"));
    json_add_string(&out, str_of(words));
    buf_add_char(&out, '}');
    http_reply(mcp, req, status, buf_str(&out));
    buf_fini(&out);
}

/* What the protocol says of a failure is told as HTTP does. */
static void
unwrap(const struct mcp *mcp, struct request *req, int status,
       const cJSON *root)
{
    const cJSON *result = json_member(root, "result");
    const cJSON *error = json_member(root, "error");
    const cJSON *content = json_member(result, "structuredContent");
    const char *words = json_text(
        cJSON_GetArrayItem(json_member(result, "content"), 0), "text");
    struct buf out = {0};

    if (error && json_text(error, "message")) {
        fail(mcp, req, status == 503 ? 503 : 404, json_text(error, "message"));
    } else if (cJSON_IsTrue(json_member(result, "isError")) || !content) {
        fail(mcp, req, 400, words ? words : "the tool gave no answer");
    } else {
        json_add_tree(&out, content);
        http_reply(mcp, req, out.failed ? 503 : 200, buf_str(&out));
    }
    buf_fini(&out);
}

static void
rest_drop(struct mcp_call *call)
{
    http_detach(call);
    fail(call->mcp, call->channel_ctx, 503, "the call was cancelled");
}

static void
rest_answer(struct mcp_call *call, int status, str json)
{
    struct request *req = call->channel_ctx;

    if (mcp_is_cancelled(call)) {
        rest_drop(call);
        return;
    }
    cJSON *root = cJSON_ParseWithLength(json.ptr, json.len);
    http_detach(call);
    if (root)
        unwrap(call->mcp, req, status, root);
    else
        fail(call->mcp, req, 503, "too little memory");
    cJSON_Delete(root);
}

/* Nobody listens before the answer. */
static bool
rest_send(struct mcp_call *call, str json)
{
    (void)call;
    (void)json;
    return false;
}

static bool
rest_beat(struct mcp_call *call)
{
    return !atomic_load(&call->gone);
}

static const struct channel rest_channel = {
    .send = rest_send,
    .answer = rest_answer,
    .drop = rest_drop,
    .beat = rest_beat,
};

void
mcp_rest_handle(void *ctx, struct request *req)
{
    struct mcp *mcp = ctx;
    const char *why = "the body is no JSON object";
    struct buf text = {0};
    bool takes_json = false;
    bool takes_events = false;

    if (!http_check(mcp, req, &takes_json, &takes_events))
        return;
    if (req->body.len > ARGS_MAX) {
        fail(mcp, req, 413, "the body is larger than 64 KiB");
        return;
    }
    cJSON *args = json_parse(req->body, &why);
    if (!cJSON_IsObject(args)) {
        fail(mcp, req, 400, why ? why : "the body is no JSON object");
        cJSON_Delete(args);
        return;
    }
    buf_printf(&text,
               "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\","
               "\"params\":{\"name\":\"%s\",\"arguments\":",
               tool_of(req->path));
    json_add_tree(&text, args);
    buf_add(&text, STR("}}"));
    cJSON_Delete(args);
    struct mcp_call *call =
        text.failed ? NULL : http_call(mcp, req, &rest_channel);
    if (call) {
        call->rev = REV_2025_11_25;
        http_take(call, buf_str(&text), false, false);
    } else if (text.failed) {
        fail(mcp, req, 503, "too little memory");
    }
    buf_fini(&text);
}
