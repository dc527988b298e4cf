/*
 * Every object is printed as `{`, members that each end in a comma, and `}`,
 * which replaces the last comma.
 */
#include "tests/support/otlp_json.h"

#include <inttypes.h>
#include <math.h>

typedef Opentelemetry__Proto__Collector__Trace__V1__ExportTraceServiceRequest
    request_t;
typedef Opentelemetry__Proto__Trace__V1__ResourceSpans resource_spans_t;
typedef Opentelemetry__Proto__Trace__V1__ScopeSpans scope_spans_t;
typedef Opentelemetry__Proto__Trace__V1__Span span_t;
typedef Opentelemetry__Proto__Trace__V1__Span__Event event_t;
typedef Opentelemetry__Proto__Trace__V1__Span__Link link_t;
typedef Opentelemetry__Proto__Common__V1__AnyValue value_t;
typedef Opentelemetry__Proto__Common__V1__KeyValue key_value_t;

static void
close_with(struct buf *out, char bracket)
{
    if (out->len > 0 && out->ptr[out->len - 1] == ',')
        out->len--;
    buf_add_char(out, bracket);
    buf_add_char(out, ',');
}

static void
add_string(struct buf *out, const char *text)
{
    buf_add_char(out, '"');
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;

        if (c == '"' || c == '\\')
            buf_printf(out, "\\%c", c);
        else if (c < 0x20)
            buf_printf(out, "\\u%04x", c);
        else
            buf_add_char(out, *text);
    }
    buf_add(out, STR("\","));
}

static void
string_member(struct buf *out, const char *key, const char *text)
{
    if (*text == '\0')
        return;
    buf_printf(out, "\"%s\":", key);
    add_string(out, text);
}

static void
u64_member(struct buf *out, const char *key, uint64_t value)
{
    if (value != 0)
        buf_printf(out, "\"%s\":\"%" PRIu64 "\",", key, value);
}

static void
i64_member(struct buf *out, const char *key, int64_t value)
{
    if (value != 0)
        buf_printf(out, "\"%s\":%" PRId64 ",", key, value);
}

static void
id_member(struct buf *out, const char *key, ProtobufCBinaryData id)
{
    if (id.len == 0)
        return;
    buf_printf(out, "\"%s\":\"", key);
    buf_add_hex(out, (str){(const char *)id.data, id.len});
    buf_add(out, STR("\","));
}

static void
add_base64(struct buf *out, ProtobufCBinaryData data)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrs"
                                 "tuvwxyz0123456789+/";

    for (size_t i = 0; i < data.len; i += 3) {
        size_t left = data.len - i;
        uint32_t bits = (uint32_t)data.data[i] << 16;

        bits |= left > 1 ? (uint32_t)data.data[i + 1] << 8 : 0;
        bits |= left > 2 ? data.data[i + 2] : 0;
        buf_add_char(out, digits[bits >> 18]);
        buf_add_char(out, digits[bits >> 12 & 63]);
        buf_add_char(out, left > 1 ? digits[bits >> 6 & 63] : '=');
        buf_add_char(out, left > 2 ? digits[bits & 63] : '=');
    }
}

static void
add_double(struct buf *out, double value)
{
    if (isnan(value))
        buf_add(out, STR("\"NaN\","));
    else if (isinf(value))
        buf_printf(out, "\"%sInfinity\",", value < 0 ? "-" : "");
    else
        buf_printf(out, "%.17g,", value);
}

static void add_attributes(struct buf *out, const char *key,
                           key_value_t *const *list, size_t len);

static void
add_value(struct buf *out, const value_t *value)
{
    buf_add_char(out, '{');
    switch (value->value_case) {
    case 1:
        buf_add(out, STR("\"stringValue\":"));
        add_string(out, value->string_value);
        break;
    case 2:
        buf_printf(out, "\"boolValue\":%s,",
                   value->bool_value ? "true" : "false");
        break;
    case 3:
        buf_printf(out, "\"intValue\":\"%" PRId64 "\",", value->int_value);
        break;
    case 4:
        buf_add(out, STR("\"doubleValue\":"));
        add_double(out, value->double_value);
        break;
    case 5:
        buf_add(out, STR("\"arrayValue\":{\"values\":["));
        for (size_t i = 0; i < value->array_value->n_values; i++)
            add_value(out, value->array_value->values[i]);
        close_with(out, ']');
        close_with(out, '}');
        break;
    case 6:
        buf_add(out, STR("\"kvlistValue\":{"));
        add_attributes(out, "values", value->kvlist_value->values,
                       value->kvlist_value->n_values);
        close_with(out, '}');
        break;
    case 7:
        buf_add(out, STR("\"bytesValue\":\""));
        add_base64(out, value->bytes_value);
        buf_add(out, STR("\","));
        break;
    case 8:
        buf_printf(out, "\"stringValueStrindex\":%d,",
                   value->string_value_strindex);
        break;
    default:
        break;
    }
    close_with(out, '}');
}

static void
add_attributes(struct buf *out, const char *key, key_value_t *const *list,
               size_t len)
{
    if (len == 0)
        return;
    buf_printf(out, "\"%s\":[", key);
    for (size_t i = 0; i < len; i++) {
        buf_add_char(out, '{');
        string_member(out, "key", list[i]->key);
        if (list[i]->value) {
            buf_add(out, STR("\"value\":"));
            add_value(out, list[i]->value);
        }
        i64_member(out, "keyStrindex", list[i]->key_strindex);
        close_with(out, '}');
    }
    close_with(out, ']');
}

static void
add_events(struct buf *out, event_t *const *list, size_t len)
{
    if (len == 0)
        return;
    buf_add(out, STR("\"events\":["));
    for (size_t i = 0; i < len; i++) {
        buf_add_char(out, '{');
        u64_member(out, "timeUnixNano", list[i]->time_unix_nano);
        string_member(out, "name", list[i]->name);
        add_attributes(out, "attributes", list[i]->attributes,
                       list[i]->n_attributes);
        close_with(out, '}');
    }
    close_with(out, ']');
}

static void
add_links(struct buf *out, link_t *const *list, size_t len)
{
    if (len == 0)
        return;
    buf_add(out, STR("\"links\":["));
    for (size_t i = 0; i < len; i++) {
        buf_add_char(out, '{');
        id_member(out, "traceId", list[i]->trace_id);
        id_member(out, "spanId", list[i]->span_id);
        string_member(out, "traceState", list[i]->trace_state);
        add_attributes(out, "attributes", list[i]->attributes,
                       list[i]->n_attributes);
        i64_member(out, "flags", list[i]->flags);
        close_with(out, '}');
    }
    close_with(out, ']');
}

static void
add_span(struct buf *out, const span_t *span)
{
    buf_add_char(out, '{');
    id_member(out, "traceId", span->trace_id);
    id_member(out, "spanId", span->span_id);
    string_member(out, "traceState", span->trace_state);
    id_member(out, "parentSpanId", span->parent_span_id);
    string_member(out, "name", span->name);
    i64_member(out, "kind", span->kind);
    u64_member(out, "startTimeUnixNano", span->start_time_unix_nano);
    u64_member(out, "endTimeUnixNano", span->end_time_unix_nano);
    add_attributes(out, "attributes", span->attributes, span->n_attributes);
    i64_member(out, "droppedAttributesCount", span->dropped_attributes_count);
    add_events(out, span->events, span->n_events);
    add_links(out, span->links, span->n_links);
    if (span->status) {
        buf_add(out, STR("\"status\":{"));
        string_member(out, "message", span->status->message);
        i64_member(out, "code", span->status->code);
        close_with(out, '}');
    }
    i64_member(out, "flags", span->flags);
    close_with(out, '}');
}

static void
add_scope_spans(struct buf *out, const scope_spans_t *scope_spans)
{
    buf_add_char(out, '{');
    if (scope_spans->scope) {
        buf_add(out, STR("\"scope\":{"));
        string_member(out, "name", scope_spans->scope->name);
        string_member(out, "version", scope_spans->scope->version);
        add_attributes(out, "attributes", scope_spans->scope->attributes,
                       scope_spans->scope->n_attributes);
        close_with(out, '}');
    }
    buf_add(out, STR("\"spans\":["));
    for (size_t i = 0; i < scope_spans->n_spans; i++)
        add_span(out, scope_spans->spans[i]);
    close_with(out, ']');
    string_member(out, "schemaUrl", scope_spans->schema_url);
    close_with(out, '}');
}

static void
add_resource_spans(struct buf *out, const resource_spans_t *resource_spans)
{
    buf_add_char(out, '{');
    if (resource_spans->resource) {
        buf_add(out, STR("\"resource\":{"));
        add_attributes(out, "attributes", resource_spans->resource->attributes,
                       resource_spans->resource->n_attributes);
        close_with(out, '}');
    }
    buf_add(out, STR("\"scopeSpans\":["));
    for (size_t i = 0; i < resource_spans->n_scope_spans; i++)
        add_scope_spans(out, resource_spans->scope_spans[i]);
    close_with(out, ']');
    string_member(out, "schemaUrl", resource_spans->schema_url);
    close_with(out, '}');
}

void
otlp_json_print(struct buf *out, const request_t *request)
{
    buf_add(out, STR("{\"resourceSpans\":["));
    for (size_t i = 0; i < request->n_resource_spans; i++)
        add_resource_spans(out, request->resource_spans[i]);
    close_with(out, ']');
    close_with(out, '}');
    if (out->len > 0)
        out->len--; /* the comma behind the last bracket */
}
