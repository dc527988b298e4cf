#include "cmd/dead_remote.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/ask.h"
#include "net/client.h"

enum { TIMEOUT_MS = 60000, TOKEN_MAX = 4096, PAGE = 500, PAGES_MAX = 2000 };

static int
fail(const char *what, const char *why)
{
    fprintf(stderr, "spangraph dead-routes: %s: %s\n", what, why);
    return EXIT_CANNOT_RUN;
}

/* The first line of the file, or the environment's. */
static int
read_token(const char *file, struct buf *out)
{
    const char *env = getenv("SPANGRAPH_TOKEN");
    char line[TOKEN_MAX];
    FILE *in = file ? fopen(file, "rb") : NULL;

    if (!file) {
        buf_add(out, str_of(env));
        return EXIT_CLEAN;
    }
    if (!in)
        return fail(file, strerror(errno));
    if (fgets(line, sizeof(line), in))
        buf_add(out, (str){line, strcspn(line, "\r\n")});
    (void)fclose(in);
    return out->len ? EXIT_CLEAN : fail(file, "has no token");
}

static char *
make_call(const struct dead_remote *remote, const char *cursor)
{
    cJSON *call = cJSON_CreateObject();
    cJSON *params;
    cJSON *args;
    char *text;

    cJSON_AddStringToObject(call, "jsonrpc", "2.0");
    cJSON_AddNumberToObject(call, "id", 1);
    cJSON_AddStringToObject(call, "method", "tools/call");
    params = cJSON_AddObjectToObject(call, "params");
    cJSON_AddStringToObject(params, "name", "dead_routes");
    args = cJSON_AddObjectToObject(params, "arguments");
    cJSON_AddStringToObject(args, "verdict", "all");
    cJSON_AddNumberToObject(args, "limit", PAGE);
    cJSON_AddNumberToObject(args, "stale_days", (double)remote->stale_days);
    if (remote->service)
        cJSON_AddStringToObject(args, "service", remote->service);
    if (remote->env)
        cJSON_AddStringToObject(args, "env", remote->env);
    if (remote->owner)
        cJSON_AddStringToObject(args, "owner", remote->owner);
    if (cursor)
        cJSON_AddStringToObject(args, "cursor", cursor);
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

static int
read_result(const struct dead_remote *remote, struct buf *body, cJSON **out)
{
    cJSON *answer = parse_answer(body);
    cJSON *result = cJSON_GetObjectItemCaseSensitive(answer, "result");
    cJSON *error = cJSON_GetObjectItemCaseSensitive(answer, "error");
    cJSON *content =
        cJSON_GetObjectItemCaseSensitive(result, "structuredContent");
    const char *why = cJSON_GetStringValue(
        cJSON_GetObjectItemCaseSensitive(error, "message"));
    int rc = EXIT_CLEAN;

    if (cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(result, "isError"))) {
        const cJSON *text = cJSON_GetArrayItem(
            cJSON_GetObjectItemCaseSensitive(result, "content"), 0);

        why = cJSON_GetStringValue(
            cJSON_GetObjectItemCaseSensitive(text, "text"));
        rc = EXIT_USAGE;
    }
    if (rc == EXIT_CLEAN &&
        cJSON_IsArray(cJSON_GetObjectItemCaseSensitive(content, "routes"))) {
        *out = cJSON_DetachItemViaPointer(result, content);
    } else {
        (void)fail(remote->server,
                   why ? why : "the answer is not that of dead_routes");
        rc = rc == EXIT_USAGE ? EXIT_USAGE : EXIT_CANNOT_RUN;
    }
    cJSON_Delete(answer);
    return rc;
}

static int
fetch_page(const struct dead_remote *remote, const char *token,
           const char *cursor, cJSON **out)
{
    size_t len = strlen(remote->server);
    bool is_whole = len > 4 && strcmp(remote->server + len - 4, "/mcp") == 0;
    struct buf url = {0};
    struct buf headers = {0};
    struct buf body = {0};
    struct buf why = {0};
    char *call = make_call(remote, cursor);
    int status = 0;
    int rc = EXIT_CLEAN;

    while (len && remote->server[len - 1] == '/')
        len--;
    buf_add(&url, (str){remote->server, len});
    buf_add(&url, is_whole ? STR("") : STR("/mcp"));
    buf_add(&headers, STR("Content-Type: application/json\r\n"
                          "Accept: application/json, text/event-stream\r\n"
                          "MCP-Protocol-Version: 2025-11-25\r\n"));
    if (*token)
        buf_printf(&headers, "Authorization: Bearer %s\r\n", token);
    const struct client_request req = {
        .method = "POST",
        .url = buf_cstr(&url),
        .headers = buf_cstr(&headers),
        .body = str_of(call),
        .timeout_ms = TIMEOUT_MS,
    };
    enum err err = call ? client_fetch(&req, &status, &body, &why) : ERR_NOMEM;
    if (!err && status != 200)
        buf_printf(&why, "answered %d%s", status,
                   status == 401 ? "; see --token-file" : "");
    if (err || why.len)
        rc = fail(remote->server, why.len ? buf_cstr(&why) : err_str(err));
    if (err == ERR_INVALID)
        rc = EXIT_USAGE;
    if (rc == EXIT_CLEAN)
        rc = read_result(remote, &body, out);
    cJSON_free(call);
    buf_fini(&url);
    buf_fini(&headers);
    buf_fini(&body);
    buf_fini(&why);
    return rc;
}

/* ---- judging and printing ---- */

static void
rename_item(cJSON *row, const char *from, const char *to)
{
    cJSON *item = cJSON_DetachItemFromObjectCaseSensitive(row, from);

    if (item)
        cJSON_AddItemToObject(row, to, item);
}

static str
text_of(const cJSON *row, const char *name)
{
    return str_of(
        cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(row, name)));
}

static bool
take_row(struct gate *gate, cJSON *row, struct buf *text)
{
    enum verdict verdict = verdict_of(text_of(row, "verdict"));
    const cJSON *coverage = cJSON_GetObjectItemCaseSensitive(row, "coverage");

    rename_item(row, "ServiceName", "service");
    rename_item(row, "RoutePattern", "route");
    const struct gate_key key = {text_of(row, "service"), text_of(row, "env"),
                                 text_of(row, "method"), text_of(row, "route")};

    if (verdict == VERDICT_COUNT || !cJSON_IsNumber(coverage))
        return false;
    enum gate_mark mark =
        gate_take(gate, verdict, coverage->valuedouble, &key, text);
    cJSON_AddStringToObject(row, "gate", gate_mark_str(mark));
    return true;
}

static void
print_table(const cJSON *rows)
{
    static const char *const heads[] = {
        "SERVICE", "METHOD", "ROUTE", "VERDICT", "COVERAGE", "LAST", "GATE"};
    static const char *const names[] = {"service", "method", "route",
                                        "verdict"};
    struct table *table = table_new(heads, 7);
    const cJSON *row;

    cJSON_ArrayForEach(row, rows)
    {
        const cJSON *last =
            cJSON_GetObjectItemCaseSensitive(row, "last_observed");

        for (size_t i = 0; i < 4; i++) {
            str text = text_of(row, names[i]);
            table_add(table, "%.*s", (int)text.len, text.len ? text.ptr : "");
        }
        table_add(
            table, "%.3f",
            cJSON_GetObjectItemCaseSensitive(row, "coverage")->valuedouble);
        table_add_time(table,
                       cJSON_IsNumber(last) ? (uint32_t)last->valuedouble : 0);
        str mark = text_of(row, "gate");
        table_add(table, "%.*s", (int)mark.len, mark.len ? mark.ptr : "");
    }
    table_print(table, stdout);
}

static int
take_page(const struct dead_remote *remote, struct gate *gate, cJSON *page,
          cJSON *rows)
{
    cJSON *routes = cJSON_GetObjectItemCaseSensitive(page, "routes");
    struct buf text = {0};
    int rc = EXIT_CLEAN;

    while (rc == EXIT_CLEAN && cJSON_GetArraySize(routes) > 0) {
        cJSON *row = cJSON_DetachItemFromArray(routes, 0);

        cJSON_AddItemToArray(rows, row);
        if (!take_row(gate, row, &text))
            rc = fail(remote->server, "a row is not one of dead_routes");
    }
    buf_fini(&text);
    return rc;
}

int
dead_remote_run(const struct dead_remote *remote, struct gate *gate)
{
    cJSON *root = cJSON_CreateObject();
    cJSON *rows = cJSON_AddArrayToObject(root, "routes");
    struct buf token = {0};
    struct buf cursor = {0};
    int rc = read_token(remote->token_file, &token);

    for (int i = 0; rc == EXIT_CLEAN && i < PAGES_MAX; i++) {
        cJSON *page = NULL;

        rc = fetch_page(remote, buf_cstr(&token),
                        cursor.len ? buf_cstr(&cursor) : NULL, &page);
        if (rc == EXIT_CLEAN)
            rc = take_page(remote, gate, page, rows);
        buf_reset(&cursor);
        buf_add(&cursor, text_of(page, "next_cursor"));
        cJSON_Delete(page);
        if (cursor.len == 0)
            break;
    }
    if (rc == EXIT_CLEAN && cursor.len)
        rc = fail(remote->server, "there is no end to its pages");
    if (rc == EXIT_CLEAN && remote->json) {
        rc = ask_print_json(root);
        root = NULL;
    } else if (rc == EXIT_CLEAN) {
        print_table(rows);
        rc = fflush(stdout) == 0 ? EXIT_CLEAN : EXIT_CANNOT_RUN;
    }
    cJSON_Delete(root);
    buf_fini(&token);
    buf_fini(&cursor);
    return rc;
}
