/*
 * Bytes from the network to the HTTP handler and to the line handler.
 *
 * The first byte chooses the headers, so that the fuzzer reaches both eras, and
 * the checks that come before the message.  Whatever comes, the request must be
 * answered exactly once, and what is answered must be JSON in UTF-8.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/utf8.h"
#include "mcp/json.h"
#include "mcp/stdio.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

enum { NEW = 1 << 0, NO_STREAM = 1 << 1, ONLY_STREAM = 1 << 2, NAMED = 1 << 3 };

struct fake {
    struct request req;
    unsigned answers;
};

static void
check_json(str body)
{
    const char *why = NULL;

    if (!utf8_valid(body))
        abort();
    if (str_starts(body, STR("event: "))) {
        const char *from = memchr(body.ptr, '{', body.len);
        size_t at = from ? (size_t)(from - body.ptr) : body.len;
        body = str_cut(body, at, body.len - 2);
    }
    if (body.len && !json_scan(body, NULL, &why))
        abort();
}

static void
fake_reply(struct request *req, const struct reply *reply)
{
    struct fake *fake = (struct fake *)(void *)req;

    check_json(reply->body);
    fake->answers++;
}

static void
fake_open(struct request *req, const struct reply *head)
{
    (void)req;
    check_json(head->body);
}

static bool
fake_write(struct request *req, str bytes)
{
    (void)req;
    check_json(bytes);
    return true;
}

static void
fake_close(struct request *req)
{
    struct fake *fake = (struct fake *)(void *)req;

    fake->answers++;
}

static const struct request_ops ops = {
    .reply = fake_reply,
    .stream_open = fake_open,
    .stream_write = fake_write,
    .stream_close = fake_close,
};

/* ---- the offer ---- */

static cJSON *
echo(void *ctx, struct mcp_call *call, const cJSON *args)
{
    (void)ctx;
    mcp_progress(call, 1, 2, NULL);
    mcp_log(call, "info", "echo");
    return cJSON_Duplicate(args, true);
}

static cJSON *
again(void *ctx, struct mcp_call *call, const char *uri)
{
    cJSON *contents = cJSON_CreateArray();
    cJSON *item = cJSON_CreateObject();

    (void)ctx, (void)call;
    cJSON_AddStringToObject(item, "uri", uri);
    cJSON_AddItemToArray(contents, item);
    return contents;
}

static cJSON *
greet(void *ctx, struct mcp_call *call, const cJSON *args)
{
    cJSON *messages = cJSON_CreateArray();

    (void)ctx, (void)call;
    cJSON_AddItemToArray(messages, cJSON_Duplicate(args, true));
    return messages;
}

static cJSON *
complete(void *ctx, const char *ref, const char *argument, const char *value,
         const cJSON *chosen)
{
    const char *words[] = {ref, argument, value,
                           chosen && chosen->child ? chosen->child->string
                                                   : ""};

    (void)ctx;
    return cJSON_CreateStringArray(words, 4);
}

static const struct mcp_tool tools[] = {
    {
        .name = "echo",
        .input_schema =
            "{\"type\":\"object\",\"properties\":{\"s\":{\"type\":\"string\","
            "\"maxLength\":9,\"x-mcp-header\":\"S\"},\"n\":{\"type\":"
            "\"integer\",\"minimum\":0,\"maximum\":9,\"default\":3},\"e\":{"
            "\"enum\":[\"a\",1,null]},\"a\":{\"type\":\"array\",\"maxItems\":2,"
            "\"items\":{\"type\":\"string\"}}},\"required\":[\"s\"],"
            "\"additionalProperties\":false}",
        .fn = echo,
    },
    {.name = "any", .input_schema = "{\"type\":\"object\"}", .fn = echo},
};
static const struct mcp_resource resources[] = {
    {.uri = "x://a", .name = "a", .read = again},
    {.uri = "x://b/{n}/c", .name = "b", .is_template = true, .read = again},
};
static const struct mcp_prompt_arg args[] = {{"who", "whom", true}};
static const struct mcp_prompt prompts[] = {
    {.name = "greet", .args = args, .arg_len = 1, .get = greet},
};
static const struct mcp_offer offer = {
    .name = "fuzz",
    .version = "1",
    .tools = tools,
    .tool_len = 2,
    .resources = resources,
    .resource_len = 2,
    .prompts = prompts,
    .prompt_len = 1,
    .complete = complete,
    .logging = true,
    .subscribe = true,
};

static struct mcp *
the_mcp(void)
{
    static const struct mcp_cfg cfg = {.reply_bytes = 1 << 16};
    static struct mcp *mcp;

    if (!mcp && mcp_new(&mcp, &offer, &cfg))
        abort();
    return mcp;
}

/* The string behind |key| in |body|, as a client would repeat it in a header.
 */
static str
find_value(str body, const char *key)
{
    const char *at = memmem(body.ptr, body.len, key, strlen(key));
    size_t from = at ? (size_t)(at - body.ptr) + strlen(key) : body.len;
    str rest = str_cut(body, from, body.len);
    const char *end = rest.len ? memchr(rest.ptr, '"', rest.len) : NULL;

    return str_cut(rest, 0, end ? (size_t)(end - rest.ptr) : 0);
}

static void
post(struct mcp *mcp, uint8_t choice, str body)
{
    struct header headers[8] = {
        {STR("host"), STR("localhost")},
        {STR("content-type"), STR("application/json")},
    };
    size_t len = 2;

    headers[len++] = (struct header){
        STR("accept"), choice & ONLY_STREAM ? STR("text/event-stream")
                       : choice & NO_STREAM ? STR("application/json")
                                            : STR("*/*")};
    if (choice & NEW) {
        headers[len++] =
            (struct header){STR("mcp-protocol-version"), STR("2026-07-28")};
        headers[len++] = (struct header){STR("mcp-method"),
                                         find_value(body, "\"method\":\"")};
    }
    if (choice & NAMED) {
        headers[len++] =
            (struct header){STR("mcp-name"), find_value(body, "\"name\":\"")};
        headers[len++] =
            (struct header){STR("mcp-param-s"), find_value(body, "\"s\":\"")};
    }
    struct fake fake = {
        .req = {.ops = &ops,
                .method = STR("POST"),
                .path = STR("/mcp"),
                .body = body,
                .headers = headers,
                .header_len = len},
    };
    mcp_http_handle(mcp, &fake.req);
    if (fake.answers != 1)
        abort();
}

static void
take_lines(struct mcp *mcp, str text)
{
    static int null_fd = -1;
    struct stdio s;

    if (null_fd < 0)
        null_fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
    stdio_init(&s, mcp, null_fd);
    while (text.len) {
        const char *end = memchr(text.ptr, '\n', text.len);
        size_t len = end ? (size_t)(end - text.ptr) : text.len;
        stdio_take(&s, str_cut(text, 0, len));
        (void)stdio_run_next(&s, false);
        text = str_cut(text, end ? len + 1 : len, text.len);
    }
    stdio_fini(&s);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct mcp *mcp = the_mcp();
    uint8_t choice = len ? data[0] : 0;
    size_t body_len = len ? len - 1 : 0;
    char *body = calloc(1, body_len + REQUEST_PAD);

    if (!body)
        abort();
    if (body_len)
        memcpy(body, data + 1, body_len);
    post(mcp, choice, (str){body, body_len});
    take_lines(mcp, (str){body, body_len});
    free(body);
    return 0;
}
