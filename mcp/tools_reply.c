/*
 * The envelope.  A cursor says which question it belongs to, the last row that
 * was shown and where that stood; the next page begins behind that row, or if
 * it is gone, where it stood.  It means nothing to a client and survives a
 * restart, because rows are told apart by stored ids.
 */
#include "mcp/tools_reply.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/digits.h"
#include "base/hash.h"
#include "graph/query_edges.h"
#include "graph/query_stats.h"
#include "mcp/json.h"
#include "mcp/tools_args.h"
#include "mcp/tools_parts.h"

/* Room for the members beside the rows. */
enum {
    ROW_BYTES = TOOLS_REPLY_BYTES - 4000,
    CURSOR_LEN = 40,
    HINTED_MAX = 5,
    LIMIT_MAX = 500,
};

cJSON *
json_str(str value)
{
    struct buf text = {0};
    cJSON *json;

    buf_add(&text, value);
    json = cJSON_CreateString(buf_cstr(&text));
    buf_fini(&text);
    return json;
}

void
put_str(cJSON *object, const char *name, str value)
{
    json_give(object, name, json_str(value));
}

void
put_num(cJSON *object, const char *name, double value)
{
    cJSON_AddNumberToObject(object, name, value);
}

void
put_round(cJSON *object, const char *name, double value)
{
    if (value < 0 || !isfinite(value))
        cJSON_AddNullToObject(object, name);
    else
        put_num(object, name, digits_three(value));
}

void
put_time(cJSON *object, const char *name, uint32_t at_s)
{
    if (at_s)
        put_num(object, name, at_s);
    else
        cJSON_AddNullToObject(object, name);
}

void
put_hash(cJSON *object, const char *name, const unsigned char hash[32])
{
    struct buf hex = {0};

    buf_add_hex(&hex, (str){(const char *)hash, 32});
    cJSON_AddStringToObject(object, name, buf_cstr(&hex));
    buf_fini(&hex);
}

void
put_name(struct tool_run *run, cJSON *object, const char *name, uint32_t node)
{
    put_str(object, name, query_node(run->view, node)->name);
}

void
put_qualified(struct tool_run *run, cJSON *object, const char *name,
              uint32_t node)
{
    struct buf text = {0};

    query_qualified(run->view, node, &text);
    put_str(object, name, buf_str(&text));
    buf_fini(&text);
}

str
reply_env(struct tool_run *run, uint32_t source, uint32_t target)
{
    str env = query_node(run->view, target)->env;

    return env.len ? env : query_node(run->view, source)->env;
}

void
put_env(struct tool_run *run, cJSON *object, uint32_t source, uint32_t target)
{
    str env = reply_env(run, source, target);

    if (env.len)
        put_str(object, "env", env);
}

void
put_versions(struct tool_run *run, cJSON *object, const char *name,
             const uint32_t versions[QUERY_VERSIONS_MAX])
{
    cJSON *array = cJSON_AddArrayToObject(object, name);

    for (size_t i = 0; i < QUERY_VERSIONS_MAX && versions[i]; i++)
        json_push(array, json_str(query_node(run->view, versions[i])->name));
}

void
put_latency(cJSON *object, const struct query_detail *detail)
{
    bool has_any = detail->p50_ns != 0;

    put_round(object, "p50_ms", has_any ? (double)detail->p50_ns / 1e6 : -1);
    put_round(object, "p95_ms", has_any ? (double)detail->p95_ns / 1e6 : -1);
    put_round(object, "p99_ms", has_any ? (double)detail->p99_ns / 1e6 : -1);
}

static cJSON *
exemplar_row(const struct exemplar *exemplar)
{
    char id[EXEMPLAR_ID_LEN + 1];
    cJSON *row = cJSON_CreateObject();

    cJSON_AddStringToObject(row, "trace_id", exemplar_id(exemplar, id));
    put_num(row, "at", exemplar->at_s);
    cJSON_AddBoolToObject(row, "failed", exemplar->failed);
    return row;
}

void
put_exemplars(struct tool_run *run, cJSON *object,
              const struct query_edges *edges, size_t i)
{
    struct exemplar rows[QUERY_EXEMPLARS_MAX];
    size_t len = 0;
    enum err err = query_exemplars(run->view, edges, i, rows, &len);

    if (err)
        tool_fail(run, err, "the traces of an edge cannot be read");
    if (err || len == 0)
        return;
    cJSON *array = cJSON_AddArrayToObject(object, "exemplars");
    for (size_t r = 0; r < len; r++)
        json_push(array, exemplar_row(&rows[r]));
}

uint64_t
edge_row_key(const void *edges, size_t i)
{
    const struct query_edge *row =
        &((const struct query_edges *)edges)->rows[i];

    return hash_mix((uint64_t)row->source << 32 | row->target, row->kind);
}

/* The question, without what turns its pages. */
static uint64_t
question(const struct tool_run *run)
{
    cJSON *args = cJSON_Duplicate(run->args, true);
    uint64_t hash = hash_bytes(str_of(run->tool->name), 0);

    if (args) {
        cJSON_DeleteItemFromObject(args, "cursor");
        cJSON_DeleteItemFromObject(args, "limit");
        for (cJSON *arg = args->child; arg; arg = arg->next) {
            char *value = cJSON_PrintUnformatted(arg);

            /* Arguments are a set: their order does not count. */
            hash += hash_mix(hash_bytes(str_of(arg->string), 1),
                             hash_bytes(str_of(value), 2));
            cJSON_free(value);
        }
    }
    cJSON_Delete(args);
    return hash;
}

static bool
read_hex(str text, uint64_t *out)
{
    char digits[17] = "";

    for (size_t i = 0; text.ptr && i < text.len && i < sizeof(digits) - 1; i++)
        digits[i] = text.ptr[i];
    if (strspn(digits, "0123456789abcdef") != text.len)
        return false;
    *out = strtoull(digits, NULL, 16);
    return true;
}

static void
seek(struct tool_page *page, str cursor)
{
    struct tool_run *run = page->run;
    uint64_t asked = 0;
    uint64_t key = 0;
    uint64_t at = 0;

    if (cursor.len != CURSOR_LEN || !read_hex(str_cut(cursor, 0, 16), &asked) ||
        !read_hex(str_cut(cursor, 16, 32), &key) ||
        !read_hex(str_cut(cursor, 32, CURSOR_LEN), &at) ||
        asked != question(run)) {
        tool_fail(run, ERR_INVALID,
                  "this cursor is not from a call of %s with the same "
                  "arguments; leave it out to begin at the first page",
                  run->tool->name);
        return;
    }
    for (size_t i = 0; i < page->total; i++) {
        if (page->key(page->ctx, i) == key) {
            page->first = i + 1;
            return;
        }
    }
    page->first = at < page->total ? at : page->total;
}

size_t
page_reach(struct tool_run *run, int64_t limit)
{
    return tool_str(run, "cursor").len
               ? 0
               : (size_t)tool_int(run, "limit", limit, 1, LIMIT_MAX);
}

void
page_open(struct tool_page *page, int64_t limit)
{
    struct tool_run *run = page->run;
    size_t most = (size_t)tool_int(run, "limit", limit, 1, LIMIT_MAX);
    str cursor = tool_str(run, "cursor");

    if (cursor.len)
        seek(page, cursor);
    page->array = cJSON_AddArrayToObject(run->reply, page->name);
    page->at = page->first;
    page->end =
        page->total - page->first < most ? page->total : page->first + most;
}

bool
page_more(const struct tool_page *page)
{
    return !page->run->err && page->at < page->end &&
           (page->bytes < ROW_BYTES || page->at == page->first);
}

void
page_add(struct tool_page *page, cJSON *row)
{
    char *text = cJSON_PrintUnformatted(row);
    size_t len = text ? strlen(text) + 1 : 0;

    cJSON_free(text);
    /* The row that does not fit any more is the next page's first. */
    if (page->bytes + len > ROW_BYTES && page->at > page->first) {
        cJSON_Delete(row);
        page->end = page->at;
        return;
    }
    json_push(page->array, row);
    page->bytes += len;
    page->at++;
}

void
page_close(struct tool_page *page)
{
    struct tool_run *run = page->run;
    char cursor[CURSOR_LEN + 1];

    if (run->err)
        return;
    put_num(run->reply, "total", (double)page->total);
    put_num(run->reply, "returned", (double)(page->at - page->first));
    cJSON_AddBoolToObject(run->reply, "truncated", page->at < page->total);
    if (page->at >= page->total || page->at == 0) {
        cJSON_AddNullToObject(run->reply, "next_cursor");
        return;
    }
    snprintf(cursor, sizeof(cursor), "%016" PRIx64 "%016" PRIx64 "%08" PRIx32,
             question(run), page->key(page->ctx, page->at - 1),
             (uint32_t)page->at);
    cJSON_AddStringToObject(run->reply, "next_cursor", cursor);
    tool_hint(run,
              "%zu more: call again with next_cursor as cursor, or narrow the "
              "question",
              page->total - page->at);
}

void
reply_window(struct tool_run *run, struct query_window window)
{
    cJSON *object = cJSON_AddObjectToObject(run->reply, "window");

    put_time(object, "from", window.from_s);
    put_num(object, "to", window.to_s);
    cJSON_AddStringToObject(object, "resolution", window.unit);
}

void
reply_summary(struct tool_run *run, const char *format, ...)
{
    struct buf text = {0};
    va_list args;

    va_start(args, format);
    buf_vprintf(&text, format, args);
    va_end(args);
    cJSON *summary = cJSON_CreateString(buf_cstr(&text));
    if (!cJSON_ReplaceItemInObject(run->reply, "summary", summary))
        cJSON_Delete(summary);
    buf_fini(&text);
}

/* "90 seconds", "68 minutes", "30 hours", "12 days" */
static void
add_age(struct buf *out, uint32_t seconds)
{
    static const struct {
        uint32_t seconds;
        const char *unit;
    } units[] = {{S_PER_DAY, "days"}, {S_PER_H, "hours"}, {60, "minutes"}};

    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        if (seconds >= 2 * units[i].seconds) {
            buf_printf(out, "%" PRIu32 " %s", seconds / units[i].seconds,
                       units[i].unit);
            return;
        }
    }
    buf_printf(out, "%" PRIu32 " seconds", seconds);
}

/* "pay", "pay (prod)": one name may be of several. */
static void
add_service(struct buf *out, const struct query_node *node)
{
    buf_add(out, node->name);
    if (node->env.len > 0)
        buf_printf(out, " (%.*s)", (int)node->env.len, node->env.ptr);
}

static void
hint_quiet(struct tool_run *run, const struct query_node *node, uint32_t last_s)
{
    uint32_t now_s = query_now_s(run->view);
    struct buf name = {0};
    struct buf age = {0};

    add_age(&age, last_s < now_s ? now_s - last_s : 0);
    if (node) {
        add_service(&name, node);
        tool_hint(run,
                  "no traffic: %s sends spans (last %s ago), so there was "
                  "none that fits",
                  buf_cstr(&name), buf_cstr(&age));
    } else {
        tool_hint(run,
                  "spans do come (last %s ago), but none fits this "
                  "question",
                  buf_cstr(&age));
    }
    buf_fini(&name);
    buf_fini(&age);
}

static void
hint_deaf(struct tool_run *run, const struct query_node *node)
{
    struct buf name = {0};

    add_service(&name, node);
    tool_hint(run,
              "no telemetry: %s sends no spans itself; silence says nothing of "
              "its traffic",
              buf_cstr(&name));
    buf_fini(&name);
}

static void
hint_services(struct tool_run *run, const struct ids *services, bool is_empty)
{
    for (size_t i = 0; !run->err && i < services->len && i < HINTED_MAX; i++) {
        const struct query_node *node = query_node(run->view, services->ids[i]);
        struct query_seen seen;

        run->err = query_seen(run->view, node->id, &seen);
        if (run->err)
            return;
        if (seen.last_s == 0)
            hint_deaf(run, node);
        else if (is_empty)
            hint_quiet(run, node, seen.last_s);
    }
}

void
reply_blind(struct tool_run *run, const struct ids *services)
{
    hint_services(run, services, false);
}

uint32_t
reply_last(struct tool_run *run)
{
    struct query_stats stats = {0};

    if (run->err)
        return 0;
    run->err = query_stats(run->view, NULL, &stats);
    if (!run->err && stats.last_s == 0)
        tool_hint(run,
                  "no telemetry: no span was received yet; send OTLP to %s",
                  tool_receives(run));
    return stats.last_s;
}

/* Calls to |service| since |from_s| of which no caller is known. */
static int64_t
count_orphans(struct tool_run *run, uint32_t service, uint32_t from_s)
{
    struct query_reasons reasons = {0};
    int64_t count = 0;

    run->err = query_explain(run->view, service, &reasons);
    for (size_t i = 0; i < reasons.len; i++)
        if (reasons.rows[i].kind == EDGE_ORPHAN &&
            reasons.rows[i].last_s >= from_s)
            count += reasons.rows[i].count;
    query_reasons_fini(&reasons);
    return count;
}

bool
reply_orphans(struct tool_run *run, const struct ids *services, uint32_t from_s)
{
    bool has_some = false;

    for (size_t i = 0; !run->err && i < services->len && i < HINTED_MAX; i++) {
        const struct query_node *node = query_node(run->view, services->ids[i]);
        int64_t count = count_orphans(run, node->id, from_s);
        struct buf name = {0};

        if (count == 0)
            continue;
        has_some = true;
        add_service(&name, node);
        tool_hint(run,
                  "%s was called, but by whom is not known, %lld time%s in "
                  "all: parent spans that never came (explain); dead_routes "
                  "verdict=all counts calls by route",
                  buf_cstr(&name), (long long)count, count == 1 ? "" : "s");
        buf_fini(&name);
    }
    return has_some;
}

void
reply_silence(struct tool_run *run, const struct ids *services)
{
    uint32_t last_s = reply_last(run);

    if (last_s && services)
        hint_services(run, services, true);
    else if (last_s)
        hint_quiet(run, NULL, last_s);
}
