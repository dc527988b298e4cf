#include "cmd/dead_remote.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/ask.h"
#include "cmd/dead_table.h"
#include "cmd/remote.h"

enum { TIMEOUT_MS = 60000, PAGE = 500, PAGES_MAX = 2000 };

static int
fail(const char *what, const char *why)
{
    fprintf(stderr, "spangraph dead-routes: %s: %s\n", what, why);
    return EXIT_CANNOT_RUN;
}

static cJSON *
make_args(const struct dead_remote *remote, const char *cursor)
{
    cJSON *args = cJSON_CreateObject();

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
    return args;
}

static int
fetch_page(const struct dead_remote *remote, const char *token,
           const char *cursor, cJSON **out)
{
    const struct remote at = {
        .server = remote->server, .token = token, .timeout_ms = TIMEOUT_MS};
    struct buf why = {0};
    enum err err = remote_call(&at, "dead_routes", make_args(remote, cursor),
                               "routes", out, &why);
    int rc = EXIT_CLEAN;

    if (err)
        rc = fail(remote->server, buf_cstr(&why));
    buf_fini(&why);
    return err == ERR_INVALID ? EXIT_USAGE : rc;
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

/* A function's own name, as the table of a store has it: with the classes that
 * it is of, which are written large and stand behind a package or a module; the
 * one of a path, behind `/`, is a module. */
static str
own_name(str qualified)
{
    size_t from = qualified.len;
    size_t part = qualified.len;

    while (part > 0) {
        while (part > 0 && !strchr("./", qualified.ptr[part - 1]))
            part--;
        bool is_class = qualified.ptr[part] >= 'A' &&
                        qualified.ptr[part] <= 'Z' && part > 0 &&
                        qualified.ptr[part - 1] == '.';
        if (from < qualified.len && !is_class)
            break;
        from = part;
        if (part == 0 || qualified.ptr[part - 1] == '/')
            break;
        part--;
    }
    return str_cut(qualified, from, qualified.len);
}

static void
add_row(struct dead_table *table, const cJSON *row)
{
    const cJSON *coverage = cJSON_GetObjectItemCaseSensitive(row, "coverage");
    const cJSON *last = cJSON_GetObjectItemCaseSensitive(row, "last_observed");
    const cJSON *line = cJSON_GetObjectItemCaseSensitive(row, "line");
    struct buf reasons = {0};
    struct buf where = {0};
    const cJSON *reason;

    cJSON_ArrayForEach(reason, cJSON_GetObjectItemCaseSensitive(row, "reasons"))
    {
        buf_printf(&reasons, "%s%s", reasons.len ? ", " : "",
                   cJSON_IsString(reason) ? reason->valuestring : "");
    }
    buf_add(&where, text_of(row, "file"));
    if (where.len && cJSON_IsNumber(line) && line->valueint > 0)
        buf_printf(&where, ":%d", line->valueint);
    dead_table_add(
        table,
        &(struct dead_row){
            .service = text_of(row, "service"),
            .env = text_of(row, "env"),
            .method = text_of(row, "method"),
            .route = text_of(row, "route"),
            .verdict = text_of(row, "verdict"),
            .confidence = text_of(row, "confidence"),
            .last_s = cJSON_IsNumber(last) ? (uint32_t)last->valuedouble : 0,
            .coverage = coverage->valuedouble,
            .reasons = buf_str(&reasons),
            .gate = text_of(row, "gate"),
            .handler = own_name(text_of(row, "handler")),
            .where = buf_str(&where),
        });
    buf_fini(&reasons);
    buf_fini(&where);
}

static int
print_table(const struct gate *gate, const cJSON *rows)
{
    struct dead_table table = {.with_gate = gate->has_baseline};
    const cJSON *row;

    cJSON_ArrayForEach(row, rows)
    {
        table.with_code |= text_of(row, "file").len > 0;
    }
    dead_table_begin(&table);
    cJSON_ArrayForEach(row, rows)
    {
        add_row(&table, row);
    }
    return dead_table_end(&table);
}

/* What is said of all routes, by the first page: the rest repeats it. */
static void
take_heads(cJSON *page, cJSON *root)
{
    static const char *const heads[] = {"total", "by_verdict", "window"};

    for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
        cJSON *item = cJSON_DetachItemFromObjectCaseSensitive(page, heads[i]);

        if (item && !cJSON_HasObjectItem(root, heads[i]))
            cJSON_AddItemToObject(root, heads[i], item);
        else
            cJSON_Delete(item);
    }
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
    struct buf why = {0};
    int rc = EXIT_CLEAN;

    if (remote_read_token(remote->token_file, &token, &why)) {
        fprintf(stderr, "spangraph dead-routes: %s\n", buf_cstr(&why));
        rc = EXIT_CANNOT_RUN;
    }
    for (int i = 0; rc == EXIT_CLEAN && i < PAGES_MAX; i++) {
        cJSON *page = NULL;

        rc = fetch_page(remote, buf_cstr(&token),
                        cursor.len ? buf_cstr(&cursor) : NULL, &page);
        if (rc == EXIT_CLEAN)
            rc = take_page(remote, gate, page, rows);
        if (rc == EXIT_CLEAN)
            take_heads(page, root);
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
        rc = print_table(gate, rows);
    }
    cJSON_Delete(root);
    buf_fini(&token);
    buf_fini(&cursor);
    buf_fini(&why);
    return rc;
}
