#include "tests/support/mcp_peer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define META                                                                 \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"," \
    "\"io.modelcontextprotocol/clientCapabilities\":{}}"

unsigned peer_echoes;
void (*peer_meanwhile)(void);

/* ---- operations ---- */

static void
keep_head(struct peer *peer, const struct reply *reply)
{
    peer->status = reply->status;
    buf_add(&peer->type, reply->content_type);
    for (size_t i = 0; i < reply->header_len; i++) {
        buf_add(&peer->extra, reply->headers[i].name);
        buf_add(&peer->extra, STR(": "));
        buf_add(&peer->extra, reply->headers[i].value);
        buf_add_char(&peer->extra, '\n');
    }
    buf_add(&peer->body, reply->body);
}

static void
take_reply(struct request *req, const struct reply *reply)
{
    struct peer *peer = (struct peer *)(void *)req;

    pthread_mutex_lock(&peer->mutex);
    keep_head(peer, reply);
    peer->answers++;
    pthread_mutex_unlock(&peer->mutex);
}

static void
take_open(struct request *req, const struct reply *head)
{
    struct peer *peer = (struct peer *)(void *)req;

    pthread_mutex_lock(&peer->mutex);
    keep_head(peer, head);
    peer->is_stream = true;
    pthread_mutex_unlock(&peer->mutex);
}

static bool
take_write(struct request *req, str bytes)
{
    struct peer *peer = (struct peer *)(void *)req;

    pthread_mutex_lock(&peer->mutex);
    if (!peer->is_gone)
        buf_add(&peer->body, bytes);
    pthread_mutex_unlock(&peer->mutex);
    return !peer->is_gone;
}

static void
take_close(struct request *req)
{
    struct peer *peer = (struct peer *)(void *)req;

    pthread_mutex_lock(&peer->mutex);
    peer->answers++;
    pthread_mutex_unlock(&peer->mutex);
}

static const struct request_ops ops = {
    .reply = take_reply,
    .stream_open = take_open,
    .stream_write = take_write,
    .stream_close = take_close,
};

/* ---- the client ---- */

void
peer_init(struct peer *peer, struct mcp *mcp)
{
    *peer = (struct peer){.mcp = mcp};
    pthread_mutex_init(&peer->mutex, NULL);
    peer->req.ops = &ops;
    peer->req.method = STR("POST");
    peer->req.path = STR("/mcp");
    peer->req.headers = peer->headers;
    peer_header(peer, "host", "127.0.0.1:8080");
    peer_header(peer, "content-type", "application/json");
    peer_header(peer, "accept", "application/json, text/event-stream");
}

static void
forget_answer(struct peer *peer)
{
    pthread_mutex_lock(&peer->mutex);
    buf_reset(&peer->type);
    buf_reset(&peer->extra);
    buf_reset(&peer->body);
    cJSON_Delete(peer->json);
    peer->json = NULL;
    peer->answers = 0;
    peer->status = 0;
    peer->is_stream = false;
    pthread_mutex_unlock(&peer->mutex);
}

void
peer_fini(struct peer *peer)
{
    forget_answer(peer);
    pthread_mutex_destroy(&peer->mutex);
    buf_fini(&peer->type);
    buf_fini(&peer->extra);
    buf_fini(&peer->body);
}

void
peer_header(struct peer *peer, const char *name, const char *value)
{
    size_t len = peer->req.header_len;
    size_t kept = 0;

    for (size_t i = 0; i < len; i++)
        if (!str_eq(peer->headers[i].name, str_of(name)))
            peer->headers[kept++] = peer->headers[i];
    if (value && kept < PEER_HEADERS)
        peer->headers[kept++] = (struct header){str_of(name), str_of(value)};
    peer->req.header_len = kept;
}

void
peer_post(struct peer *peer, const char *body)
{
    size_t len = strlen(body);
    char *padded = calloc(1, len + REQUEST_PAD);

    forget_answer(peer);
    if (!padded)
        abort();
    memcpy(padded, body, len);
    peer->req.body = (str){padded, len};
    if (mcp_is_sse(peer->req.path))
        mcp_sse_handle(peer->mcp, &peer->req);
    else if (mcp_is_rest(peer->req.path))
        mcp_rest_handle(peer->mcp, &peer->req);
    else
        mcp_http_handle(peer->mcp, &peer->req);
    peer->req.body = (str){NULL, 0};
    free(padded);
}

void
peer_old(struct peer *peer, const char *version, const char *body)
{
    peer_header(peer, "mcp-protocol-version", version);
    peer_post(peer, body);
}

void
peer_new(struct peer *peer, const char *method, const char *name,
         const char *members)
{
    char body[4096];

    peer_header(peer, "mcp-protocol-version", "2026-07-28");
    peer_header(peer, "mcp-method", method);
    peer_header(peer, "mcp-name", name);
    (void)snprintf(body, sizeof(body),
                   "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\","
                   "\"params\":{%s%s" META "}}",
                   method, members, *members ? "," : "");
    peer_post(peer, body);
}

bool
peer_await(struct peer *peer, const char *words, char *rest, size_t cap)
{
    bool found = false;

    for (int i = 0; i < 500 && !found; i++) {
        pthread_mutex_lock(&peer->mutex);
        const char *at = strstr(buf_cstr(&peer->body), words);
        found = at != NULL;
        if (found)
            (void)snprintf(rest, cap, "%s", at + strlen(words));
        pthread_mutex_unlock(&peer->mutex);
        if (!found)
            (void)usleep(2000);
    }
    return found;
}

const cJSON *
peer_json(struct peer *peer)
{
    const char *text = buf_cstr(&peer->body);
    const char *event = text;

    if (peer->json)
        return peer->json;
    for (const char *at = text; (at = strstr(at, "\ndata: ")); at++)
        event = at + strlen("\ndata: ");
    peer->json = cJSON_Parse(event);
    return peer->json;
}

const cJSON *
peer_result(struct peer *peer)
{
    return cJSON_GetObjectItemCaseSensitive(peer_json(peer), "result");
}

int
peer_code(struct peer *peer)
{
    const cJSON *error =
        cJSON_GetObjectItemCaseSensitive(peer_json(peer), "error");
    const cJSON *code = cJSON_GetObjectItemCaseSensitive(error, "code");

    return code ? code->valueint : 0;
}

const char *
peer_text(struct peer *peer)
{
    const cJSON *content =
        cJSON_GetObjectItemCaseSensitive(peer_result(peer), "content");
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(
        cJSON_GetArrayItem(content, 0), "text"));

    return text ? text : "";
}

/* ---- the offer ---- */

static cJSON *
tool_echo(void *ctx, struct mcp_call *call, const cJSON *args)
{
    (void)ctx, (void)call;
    peer_echoes++;
    return cJSON_Duplicate(args, true);
}

static cJSON *
tool_fail(void *ctx, struct mcp_call *call, const cJSON *args)
{
    (void)ctx, (void)args;
    mcp_fail(call, "service \"%s\" unknown", "chekout");
    return cJSON_CreateObject();
}

static cJSON *
tool_nothing(void *ctx, struct mcp_call *call, const cJSON *args)
{
    (void)ctx, (void)call, (void)args;
    return NULL;
}

static cJSON *
tool_hostile(void *ctx, struct mcp_call *call, const cJSON *args)
{
    cJSON *result = cJSON_CreateObject();

    (void)ctx, (void)call, (void)args;
    cJSON_AddStringToObject(result, "name",
                            "a\xff\xfe"
                            "b\xe2\x80\xae"
                            "c\x1b[31m\nd\"\\");
    return result;
}

static cJSON *
tool_large(void *ctx, struct mcp_call *call, const cJSON *args)
{
    const cJSON *bytes = cJSON_GetObjectItemCaseSensitive(args, "bytes");
    size_t len = (size_t)bytes->valuedouble;
    char *text = malloc(len + 1);
    cJSON *result = cJSON_CreateObject();

    (void)ctx, (void)call;
    if (!text)
        abort();
    memset(text, 'x', len);
    text[len] = '\0';
    cJSON_AddStringToObject(result, "text", text);
    free(text);
    return result;
}

static cJSON *
tool_steps(void *ctx, struct mcp_call *call, const cJSON *args)
{
    (void)ctx, (void)args;
    mcp_progress(call, 1, 3, NULL);
    mcp_progress(call, 1, 3, "no step further");
    mcp_progress(call, 3, 3, "done");
    return cJSON_CreateObject();
}

static cJSON *
tool_ask(void *ctx, struct mcp_call *call, const cJSON *args)
{
    (void)ctx, (void)args;
    return mcp_ask(call, "roots/list", cJSON_CreateObject());
}

static cJSON *
tool_tell(void *ctx, struct mcp_call *call, const cJSON *args)
{
    (void)ctx, (void)args;
    mcp_log(call, "info", "told");
    mcp_log(call, "nonsense", "never told");
    return cJSON_CreateObject();
}

static cJSON *
tool_change(void *ctx, struct mcp_call *call, const cJSON *args)
{
    (void)ctx, (void)args;
    mcp_list_changed(call, MCP_LIST_TOOLS);
    return cJSON_CreateObject();
}

static cJSON *
tool_need(void *ctx, struct mcp_call *call, const cJSON *args)
{
    (void)ctx, (void)args;
    return mcp_need(call, "sampling") ? cJSON_CreateObject() : NULL;
}

static cJSON *
tool_wait(void *ctx, struct mcp_call *call, const cJSON *args)
{
    cJSON *result = cJSON_CreateObject();

    (void)ctx, (void)args;
    if (peer_meanwhile)
        peer_meanwhile();
    cJSON_AddBoolToObject(result, "cancelled", mcp_is_cancelled(call));
    return result;
}

#define NONE "{\"type\":\"object\",\"additionalProperties\":false}"

static const struct mcp_tool tools[] = {
    {
        .name = "echo",
        .title = "Echo",
        .description = "Says it again.",
        .input_schema =
            "{\"type\":\"object\",\"properties\":{\"text\":{\"type\":"
            "\"string\",\"minLength\":1,\"maxLength\":4,\"description\":"
            "\"what to say\"},\"times\":{\"type\":\"integer\",\"minimum\":1,"
            "\"maximum\":5,\"default\":1},\"kind\":{\"type\":\"string\","
            "\"enum\":[\"a\",\"b\"]}},\"required\":[\"text\"],"
            "\"additionalProperties\":false}",
        .output_schema = "{\"type\":\"object\"}",
        .read_only = true,
        .idempotent = true,
        .fn = tool_echo,
    },
    {.name = "fail", .input_schema = NONE, .fn = tool_fail},
    {.name = "nothing", .input_schema = NONE, .fn = tool_nothing},
    {.name = "hostile", .input_schema = NONE, .fn = tool_hostile},
    {
        .name = "large",
        .input_schema = "{\"type\":\"object\",\"properties\":{\"bytes\":{"
                        "\"type\":\"integer\"}},\"required\":[\"bytes\"]}",
        .fn = tool_large,
    },
    {.name = "steps", .input_schema = NONE, .fn = tool_steps},
    {.name = "ask", .input_schema = NONE, .fn = tool_ask},
    {.name = "tell", .input_schema = NONE, .fn = tool_tell},
    {.name = "change", .input_schema = NONE, .fn = tool_change},
    {.name = "need", .input_schema = NONE, .fn = tool_need},
    {.name = "wait", .input_schema = NONE, .fn = tool_wait},
    {
        .name = "mirror",
        .input_schema = "{\"type\":\"object\",\"properties\":{\"n\":{"
                        "\"type\":\"number\",\"x-mcp-header\":\"Count\"}}}",
        .fn = tool_echo,
    },
};

static cJSON *
read_resource(void *ctx, struct mcp_call *call, const char *uri)
{
    cJSON *contents = cJSON_CreateArray();
    cJSON *item = cJSON_CreateObject();

    (void)ctx;
    if (strstr(uri, "broken")) {
        mcp_fail(call, "the store is closed");
        cJSON_Delete(item);
        return contents;
    }
    if (strstr(uri, "missing")) {
        cJSON_Delete(item);
        return contents;
    }
    cJSON_AddStringToObject(item, "uri", uri);
    cJSON_AddStringToObject(item, "text", "content");
    cJSON_AddItemToArray(contents, item);
    return contents;
}

static const struct mcp_resource resources[] = {
    {
        .uri = "test://one",
        .name = "one",
        .title = "One",
        .description = "The one.",
        .mime_type = "text/plain",
        .read = read_resource,
    },
    {
        .uri = "test://item/{name}",
        .name = "item",
        .is_template = true,
        .read = read_resource,
    },
};

static cJSON *
get_prompt(void *ctx, struct mcp_call *call, const cJSON *args)
{
    const char *who =
        cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(args, "who"));

    (void)ctx;
    if (strcmp(who, "nobody") == 0) {
        mcp_fail(call, "there is nobody");
        return NULL;
    }
    return cJSON_Parse("[{\"role\":\"user\",\"content\":{\"type\":\"text\","
                       "\"text\":\"hello\"}}]");
}

static const struct mcp_prompt_arg prompt_args[] = {
    {"who", "whom to greet", true},
    {"how", "politely or not", false},
};

static const struct mcp_prompt prompts[] = {
    {
        .name = "greet",
        .title = "Greet",
        .description = "Greets.",
        .args = prompt_args,
        .arg_len = 2,
        .get = get_prompt,
    },
};

static cJSON *
complete(void *ctx, const char *ref, const char *argument, const char *value,
         const cJSON *chosen)
{
    const cJSON *who = cJSON_GetObjectItemCaseSensitive(chosen, "who");
    cJSON *values = cJSON_CreateArray();
    char text[32];

    (void)ctx, (void)ref, (void)argument;
    for (int i = 0; i < 150; i++) {
        (void)snprintf(text, sizeof(text), "%.16s%d",
                       who ? who->valuestring : value, i);
        cJSON_AddItemToArray(values, cJSON_CreateString(text));
    }
    return values;
}

const struct mcp_offer peer_offer = {
    .name = "test",
    .title = "Test",
    .version = "1.2.3",
    .instructions = "Ask.",
    .tools = tools,
    .tool_len = sizeof(tools) / sizeof(tools[0]),
    .resources = resources,
    .resource_len = 2,
    .prompts = prompts,
    .prompt_len = 1,
    .complete = complete,
    .logging = true,
    .list_changed = true,
    .subscribe = true,
};
