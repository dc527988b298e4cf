#include "cmd/self_span.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/hash.h"
#include "base/utf8.h"
#include "cmd/version.h"
#include "mcp/mcp.h"
#include "mcp/tools.h"

/* Larger calls are told without their tool: to look is not to work. */
enum { CALL_MAX = 1 << 16, KIND_INTERNAL = 1, KIND_SERVER = 2, ERROR = 2 };

/* ---- ids ---- */

/* A random id; zero is none. */
static uint64_t
new_id(void)
{
    uint64_t id = hash_seed();

    return id ? id : 1;
}

static bool
read_hex(str text, uint64_t *out)
{
    *out = 0;
    for (size_t i = 0; i < text.len; i++) {
        static const char digits[] = "0123456789abcdef";
        const char *digit = memchr(digits, text.ptr[i], sizeof(digits) - 1);

        if (!digit)
            return false;
        *out = *out << 4 | (uint64_t)(digit - digits);
    }
    return true;
}

/* 00-<32 hex>-<16 hex>-<2 hex> */
static bool
read_traceparent(str text, struct self_span *span)
{
    enum { LEN = 55 };
    struct self_span got;

    if (text.len != LEN || !str_starts(text, STR("00-")) ||
        text.ptr[35] != '-' || text.ptr[52] != '-' ||
        !read_hex(str_cut(text, 3, 19), &got.trace_hi) ||
        !read_hex(str_cut(text, 19, 35), &got.trace_lo) ||
        !read_hex(str_cut(text, 36, 52), &got.parent_id) ||
        (got.trace_hi | got.trace_lo) == 0 || got.parent_id == 0)
        return false;
    span->trace_hi = got.trace_hi;
    span->trace_lo = got.trace_lo;
    span->parent_id = got.parent_id;
    return true;
}

void
self_span_begin(struct self_span *span, str traceparent, uint64_t start_ns)
{
    *span = (struct self_span){.start_ns = start_ns, .id = new_id()};
    if (!read_traceparent(traceparent, span)) {
        span->trace_hi = new_id();
        span->trace_lo = new_id();
    }
}

/* ---- requests ---- */

static void
copy(char *out, size_t cap, const char *text)
{
    struct buf clean = {0};

    utf8_clean(&clean, str_of(text), cap - 1);
    (void)snprintf(out, cap, "%s", buf_cstr(&clean));
    buf_fini(&clean);
}

/* Paths that are ours are few; one that somebody made up is not told. */
static bool
copy_route(struct self_span *span, str path)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyz0123456789/_-";

    if (!str_eq(path, STR("/mcp")) && !str_eq(path, STR("/metrics")) &&
        !str_starts(path, STR("/api/")))
        return false;
    for (size_t i = 0; i < path.len; i++) {
        if (!memchr(plain, path.ptr[i], sizeof(plain) - 1))
            return false;
    }
    if (path.len >= sizeof(span->route))
        return false;
    memcpy(span->route, path.ptr, path.len);
    span->route[path.len] = '\0';
    return true;
}

static void
read_call(struct self_span *span, str body)
{
    cJSON *call = body.len && body.len <= CALL_MAX
                      ? cJSON_ParseWithLength(body.ptr, body.len)
                      : NULL;
    const cJSON *params = cJSON_GetObjectItemCaseSensitive(call, "params");
    const char *method =
        cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(call, "method"));
    const char *tool =
        cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(params, "name"));

    /* What others make up is not told. */
    if (method && mcp_has_method(method))
        copy(span->method, sizeof(span->method), method);
    if (tool && tools_has(tool))
        copy(span->tool, sizeof(span->tool), tool);
    cJSON_Delete(call);
}

bool
self_span_of_request(struct self_span *span, const struct request *req)
{
    if (req->protocol != REQUEST_HTTP || !copy_route(span, req->path))
        return false;
    span->is_server = true;
    (void)snprintf(span->verb, sizeof(span->verb), "%.*s",
                   (int)(req->method.len < 7 ? req->method.len : 7),
                   req->method.ptr);
    if (req->problem == REQUEST_WHOLE && str_eq(req->path, STR("/mcp")))
        read_call(span, req->body);
    return true;
}

/* ---- an OTLP request ---- */

static void
add_text(cJSON *attributes, const char *key, const char *value)
{
    cJSON *row;

    if (!*value)
        return;
    row = cJSON_CreateObject();
    cJSON_AddStringToObject(row, "key", key);
    cJSON_AddStringToObject(cJSON_AddObjectToObject(row, "value"),
                            "stringValue", value);
    cJSON_AddItemToArray(attributes, row);
}

static void
add_number(cJSON *attributes, const char *key, int value)
{
    cJSON *row;

    if (value == 0)
        return;
    row = cJSON_CreateObject();
    cJSON_AddStringToObject(row, "key", key);
    cJSON_AddNumberToObject(cJSON_AddObjectToObject(row, "value"), "intValue",
                            value);
    cJSON_AddItemToArray(attributes, row);
}

static void
add_id(cJSON *row, const char *name, uint64_t hi, uint64_t lo, bool is_trace)
{
    char text[40];

    if (is_trace)
        (void)snprintf(text, sizeof(text), "%016" PRIx64 "%016" PRIx64, hi, lo);
    else
        (void)snprintf(text, sizeof(text), "%016" PRIx64, lo);
    cJSON_AddStringToObject(row, name, text);
}

static void
add_time(cJSON *row, const char *name, uint64_t at_ns)
{
    char text[24];

    (void)snprintf(text, sizeof(text), "%" PRIu64, at_ns);
    cJSON_AddStringToObject(row, name, text);
}

static cJSON *
span_json(const struct self_span *span)
{
    cJSON *row = cJSON_CreateObject();
    char name[2 * SELF_TEXT_CAP];

    (void)snprintf(name, sizeof(name), "%s%s%s",
                   span->is_server ? span->verb : span->name,
                   span->is_server ? " " : "", span->route);
    add_id(row, "traceId", span->trace_hi, span->trace_lo, true);
    add_id(row, "spanId", 0, span->id, false);
    if (span->parent_id)
        add_id(row, "parentSpanId", 0, span->parent_id, false);
    cJSON_AddStringToObject(row, "name", name);
    cJSON_AddNumberToObject(row, "kind",
                            span->is_server ? KIND_SERVER : KIND_INTERNAL);
    add_time(row, "startTimeUnixNano", span->start_ns);
    add_time(row, "endTimeUnixNano", span->end_ns);
    cJSON *attributes = cJSON_AddArrayToObject(row, "attributes");
    add_text(attributes, "http.request.method", span->verb);
    add_text(attributes, "http.route", span->route);
    add_number(attributes, "http.response.status_code", span->status);
    add_text(attributes, "mcp.method.name", span->method);
    add_text(attributes, "gen_ai.tool.name", span->tool);
    if (span->has_failed)
        cJSON_AddNumberToObject(cJSON_AddObjectToObject(row, "status"), "code",
                                ERROR);
    return row;
}

bool
self_span_json(const struct self_span *spans, size_t len, const char *service,
               struct buf *out)
{
    cJSON *root = cJSON_CreateObject();
    cJSON *resource = cJSON_CreateObject();
    cJSON *scoped = cJSON_CreateObject();
    cJSON *attributes;
    cJSON *rows;
    char *text;

    cJSON_AddItemToArray(cJSON_AddArrayToObject(root, "resourceSpans"),
                         resource);
    attributes = cJSON_AddArrayToObject(
        cJSON_AddObjectToObject(resource, "resource"), "attributes");
    add_text(attributes, "service.name", service);
    add_text(attributes, "service.version", SPANGRAPH_VERSION);
    cJSON_AddItemToArray(cJSON_AddArrayToObject(resource, "scopeSpans"),
                         scoped);
    cJSON_AddStringToObject(cJSON_AddObjectToObject(scoped, "scope"), "name",
                            "spangraph");
    rows = cJSON_AddArrayToObject(scoped, "spans");
    for (size_t i = 0; i < len; i++)
        cJSON_AddItemToArray(rows, span_json(&spans[i]));
    text = cJSON_PrintUnformatted(root);
    buf_add(out, str_of(text));
    bool done = text && !out->failed;
    cJSON_free(text);
    cJSON_Delete(root);
    return done;
}
