#include "cmd/remote.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "net/client.h"

enum { TOKEN_MAX = 4096 };

static enum err
say(struct buf *why, const char *what, enum err err)
{
    buf_add(why, str_of(what));
    return err;
}

enum err
remote_read_token(const char *file, struct buf *out, struct buf *why)
{
    const char *env = getenv("SPANGRAPH_TOKEN");
    char line[TOKEN_MAX];
    FILE *in = file ? fopen(file, "rb") : NULL;

    if (!file) {
        buf_add(out, str_of(env));
        return OK;
    }
    if (!in) {
        buf_printf(why, "%s: %s", file, strerror(errno));
        return ERR_IO;
    }
    if (fgets(line, sizeof(line), in))
        buf_add(out, (str){line, strcspn(line, "\r\n")});
    (void)fclose(in);
    if (out->len)
        return OK;
    buf_printf(why, "%s: has no token", file);
    return ERR_IO;
}

/* The server's URL without /mcp and slashes at its end, and |path|. */
static void
add_url(const struct remote *remote, const char *path, struct buf *out)
{
    static const char mcp[] = "/mcp";
    size_t tail = sizeof(mcp) - 1;
    size_t len = strlen(remote->server);

    while (len && remote->server[len - 1] == '/')
        len--;
    if (len > tail && memcmp(remote->server + len - tail, mcp, tail) == 0)
        len -= tail;
    buf_add(out, (str){remote->server, len});
    buf_add(out, str_of(path));
}

/* |body| is what is sent with POST; NULL: GET. */
static enum err
fetch(const struct remote *remote, const char *path, const char *sent,
      int *status, struct buf *body, struct buf *why)
{
    struct buf url = {0};
    struct buf headers = {0};

    add_url(remote, path, &url);
    if (sent)
        buf_add(&headers, STR("Content-Type: application/json\r\n"
                              "Accept: application/json, text/event-stream\r\n"
                              "MCP-Protocol-Version: 2025-11-25\r\n"));
    if (*remote->token)
        buf_printf(&headers, "Authorization: Bearer %s\r\n", remote->token);
    const struct client_request req = {
        .method = sent ? "POST" : "GET",
        .url = buf_cstr(&url),
        .headers = buf_cstr(&headers),
        .body = str_of(sent),
        .timeout_ms = remote->timeout_ms,
    };
    enum err err = client_fetch(&req, status, body, why);
    if (err && why->len == 0)
        buf_add(why, str_of(err_str(err)));
    buf_fini(&url);
    buf_fini(&headers);
    return err;
}

enum err
remote_get(const struct remote *remote, const char *path, int *status,
           struct buf *body, struct buf *why)
{
    return fetch(remote, path, NULL, status, body, why);
}

/* Frees |args|. */
static char *
make_call(const char *tool, cJSON *args)
{
    cJSON *call = cJSON_CreateObject();
    cJSON *params;
    char *text;

    cJSON_AddStringToObject(call, "jsonrpc", "2.0");
    cJSON_AddNumberToObject(call, "id", 1);
    cJSON_AddStringToObject(call, "method", "tools/call");
    params = cJSON_AddObjectToObject(call, "params");
    cJSON_AddStringToObject(params, "name", tool);
    if (!cJSON_AddItemToObject(params, "arguments", args))
        cJSON_Delete(args);
    text = cJSON_PrintUnformatted(call);
    cJSON_Delete(call);
    return text;
}

/* The JSON of an answer, which may be the last event of a stream. */
static cJSON *
parse_answer(struct buf *body)
{
    const char *text = buf_cstr(body);
    const char *at = strncmp(text, "event:", 6) == 0 ? text : NULL;
    const char *last = NULL;

    for (; at && (at = strstr(at, "\ndata: ")); at += 7)
        last = at + 7;
    return cJSON_Parse(last ? last : text);
}

static enum err
read_result(struct buf *body, const char *tool, const char *member, cJSON **out,
            struct buf *why)
{
    cJSON *answer = parse_answer(body);
    cJSON *result = cJSON_GetObjectItemCaseSensitive(answer, "result");
    cJSON *error = cJSON_GetObjectItemCaseSensitive(answer, "error");
    cJSON *content =
        cJSON_GetObjectItemCaseSensitive(result, "structuredContent");
    const char *said = cJSON_GetStringValue(
        cJSON_GetObjectItemCaseSensitive(error, "message"));
    enum err err = OK;

    if (cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(result, "isError"))) {
        const cJSON *text = cJSON_GetArrayItem(
            cJSON_GetObjectItemCaseSensitive(result, "content"), 0);

        said = cJSON_GetStringValue(
            cJSON_GetObjectItemCaseSensitive(text, "text"));
        err = say(why, said ? said : "the tool failed", ERR_INVALID);
    } else if (cJSON_IsArray(
                   cJSON_GetObjectItemCaseSensitive(content, member))) {
        *out = cJSON_DetachItemViaPointer(result, content);
    } else if (said) {
        err = say(why, said, ERR_IO);
    } else {
        buf_printf(why, "the answer is not that of %s", tool);
        err = ERR_IO;
    }
    cJSON_Delete(answer);
    return err;
}

enum err
remote_call(const struct remote *remote, const char *tool, cJSON *args,
            const char *member, cJSON **out, struct buf *why)
{
    struct buf body = {0};
    char *call = make_call(tool, args);
    int status = 0;
    enum err err = ERR_NOMEM;

    *out = NULL;
    if (!call)
        return say(why, err_str(err), err);
    err = fetch(remote, "/mcp", call, &status, &body, why);
    if (!err && status != 200) {
        buf_printf(why, "answered %d%s", status,
                   status == 401 ? "; see --token-file" : "");
        err = status == 401 ? ERR_DENIED : ERR_IO;
    }
    if (!err)
        err = read_result(&body, tool, member, out, why);
    cJSON_free(call);
    buf_fini(&body);
    return err;
}
