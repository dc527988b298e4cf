#include "tests/support/otlp_oracle.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "otlp/attr_hash.h"
#include "otlp/proto/opentelemetry_trace_service.pb-c.h"
#include "tests/support/otlp_json.h"

typedef Opentelemetry__Proto__Collector__Trace__V1__ExportTraceServiceRequest
    request_t;
typedef Opentelemetry__Proto__Trace__V1__ResourceSpans resource_spans_t;
typedef Opentelemetry__Proto__Trace__V1__ScopeSpans scope_spans_t;
typedef Opentelemetry__Proto__Trace__V1__Span span_t;
typedef Opentelemetry__Proto__Common__V1__EntityRef entity_t;
typedef Opentelemetry__Proto__Common__V1__AnyValue value_t;
typedef Opentelemetry__Proto__Common__V1__KeyValue key_value_t;

enum { READABLE_BEHIND = 512, HEADER = 16 };

void
otlp_seen_fini(struct otlp_seen *seen)
{
    buf_fini(&seen->log);
    buf_fini(&seen->json);
}

/* The log. */

static void
log_text(struct buf *log, str text)
{
    buf_printf(log, " %zu:", text.len);
    buf_add(log, text);
}

static void
log_attrs(struct buf *log, const struct attr_set *set)
{
    for (int id = 0; id < ATTR_COUNT; id++) {
        const struct attr_value *value = &set->value[id];
        uint64_t bits = 0;

        if (!attr_has(set, (enum attr)id))
            continue;
        buf_printf(log, " %d=%d", id, value->type);
        if (value->type == ATTR_STR)
            log_text(log, (str){value->str, value->len});
        if (value->type == ATTR_INT)
            buf_printf(log, ",%" PRId64, value->i);
        if (value->type == ATTR_BOOL)
            buf_printf(log, ",%d", value->i != 0);
        if (value->type != ATTR_DOUBLE)
            continue;
        memcpy(&bits, &value->d, sizeof(bits));
        buf_printf(log, ",%016" PRIx64, isnan(value->d) ? 0 : bits);
    }
    if (set->mask[ATTR_COUNT / 64] >> (ATTR_COUNT % 64))
        buf_printf(log, " a bit beyond the last key");
}

static void
on_resource(void *ctx, const struct attr_set *resource)
{
    buf_printf(ctx, "resource");
    log_attrs(ctx, resource);
    buf_add_char(ctx, '\n');
}

static void
on_scope(void *ctx, str name, str version)
{
    buf_printf(ctx, "scope");
    log_text(ctx, name);
    log_text(ctx, version);
    buf_add_char(ctx, '\n');
}

static void
on_span(void *ctx, const struct span *span)
{
    buf_printf(ctx,
               "span %016" PRIx64 "%016" PRIx64 " %016" PRIx64 " %016" PRIx64
               " %" PRIu64 " %" PRIu64 " %x %u %u",
               span->trace_hi, span->trace_lo, span->span_id, span->parent_id,
               span->start_ns, span->end_ns, span->flags, span->kind,
               span->status);
    log_text(ctx, span->name);
    log_text(ctx, span->trace_state);
    log_attrs(ctx, span->attrs);
    buf_printf(ctx, " dropped %u", span->links_dropped);
    for (size_t i = 0; i < span->link_len; i++)
        buf_printf(ctx, " link %016" PRIx64 "%016" PRIx64 " %016" PRIx64,
                   span->links[i].trace_hi, span->links[i].trace_lo,
                   span->links[i].span_id);
    buf_add_char(ctx, '\n');
}

/* Our side. */

static char *
copy_padded(str bytes)
{
    char *copy = malloc(bytes.len + READABLE_BEHIND);

    if (!copy)
        abort();
    for (size_t i = 0; i < bytes.len + READABLE_BEHIND; i++)
        copy[i] = (char)(bytes.len ? bytes.ptr[i % bytes.len] : 'x');
    return copy;
}

static void
decode(struct otlp_seen *out, struct decode_scratch *scratch, str bytes,
       bool json, bool lenient)
{
    char *copy = copy_padded(bytes);
    str view = {copy, bytes.len};
    struct span_visitor visitor = {&out->log, on_resource, on_scope, on_span};

    *out = (struct otlp_seen){.err = OK};
    out->err = json
                   ? decode_json(scratch, view, lenient, &visitor, &out->result)
                   : decode_protobuf(scratch, view, &visitor, &out->result);
    free(copy);
}

void
otlp_decode_protobuf(struct otlp_seen *out, struct decode_scratch *scratch,
                     str bytes)
{
    decode(out, scratch, bytes, false, false);
}

void
otlp_decode_json(struct otlp_seen *out, struct decode_scratch *scratch,
                 str bytes, bool lenient)
{
    decode(out, scratch, bytes, true, lenient);
}

/* The oracle's side. */

static void *
sized_alloc(void *ctx, size_t size)
{
    char *memory = malloc(HEADER + size);

    (void)ctx;
    if (!memory)
        return NULL;
    memcpy(memory, &size, sizeof(size));
    return memory + HEADER;
}

static void
sized_free(void *ctx, void *memory)
{
    (void)ctx;
    if (memory)
        free((char *)memory - HEADER);
}

static str
text_of(struct otlp_seen *seen, const char *text)
{
    size_t size;

    if (text == protobuf_c_empty_string)
        return (str){NULL, 0};
    memcpy(&size, text - HEADER, sizeof(size));
    if (!utf8_valid((str){text, size - 1})) {
        seen->has_bad_text = true;
        return (str){NULL, 0};
    }
    if (strlen(text) != size - 1)
        seen->has_nul = true;
    return (str){text, size - 1};
}

static size_t
slot_of(str key)
{
#define SAME_KEY(id, text)      \
    if (str_eq(key, STR(text))) \
        return ATTR_##id;
    ATTRS(SAME_KEY)
#undef SAME_KEY
    /* What is between their ends is not looked at (attr_hash.h). */
    static struct attr_index index;
    if (key.len > ATTR_KEY_COMPARED &&
        (index.seed || attr_index_build(&index, ATTR_HASH_SEED)))
        return attr_find(&index, key);
    return ATTR_COUNT;
}

static void attributes(struct otlp_seen *seen, key_value_t *const *list,
                       size_t len, int depth, struct attr_set *set);

static struct attr_value
value_of(struct otlp_seen *seen, const value_t *value, int depth)
{
    struct attr_value out = {.type = ATTR_NONE};
    str text;

    seen->depth = depth > seen->depth ? depth : seen->depth;
    switch (value->value_case) {
    case 1:
        text = text_of(seen, value->string_value);
        out.type = ATTR_STR;
        out.str = text.ptr;
        out.len = (uint32_t)text.len;
        break;
    case 2:
        out.type = ATTR_BOOL;
        out.i = value->bool_value;
        break;
    case 3:
        out.type = ATTR_INT;
        out.i = value->int_value;
        break;
    case 4:
        out.type = ATTR_DOUBLE;
        out.d = value->double_value;
        break;
    case 5:
        for (size_t i = 0; i < value->array_value->n_values; i++)
            value_of(seen, value->array_value->values[i], depth + 1);
        break;
    case 6:
        attributes(seen, value->kvlist_value->values,
                   value->kvlist_value->n_values, depth + 1, NULL);
        break;
    default:
        break;
    }
    return out;
}

static void
attributes(struct otlp_seen *seen, key_value_t *const *list, size_t len,
           int depth, struct attr_set *set)
{
    for (size_t i = 0; i < len; i++) {
        size_t slot = slot_of(text_of(seen, list[i]->key));
        struct attr_value value = {.type = ATTR_NONE};

        if (list[i]->value)
            value = value_of(seen, list[i]->value, depth);
        if (!set || slot == ATTR_COUNT)
            continue;
        set->value[slot] = value;
        set->mask[slot / 64] |= UINT64_C(1) << (slot % 64);
    }
}

static uint64_t
id_of(ProtobufCBinaryData id, size_t len, size_t word)
{
    uint64_t value = 0;

    if (id.len != len)
        return 0;
    for (size_t i = 0; i < 8; i++)
        value = value << 8 | id.data[8 * word + i];
    return value;
}

static uint32_t
links(struct otlp_seen *seen, const span_t *span, struct span_link *out,
      uint16_t *len)
{
    uint32_t dropped = 0;

    *len = 0;
    for (size_t i = 0; i < span->n_links; i++) {
        const Opentelemetry__Proto__Trace__V1__Span__Link *from =
            span->links[i];
        struct span_link link = {id_of(from->trace_id, 16, 0),
                                 id_of(from->trace_id, 16, 1),
                                 id_of(from->span_id, 8, 0)};

        text_of(seen, from->trace_state);
        attributes(seen, from->attributes, from->n_attributes, 1, NULL);
        if ((link.trace_hi | link.trace_lo) == 0 || link.span_id == 0 ||
            *len == SPAN_LINKS_MAX)
            dropped++;
        else
            out[(*len)++] = link;
    }
    return dropped;
}

static void
span_of(struct otlp_seen *seen, const span_t *from)
{
    static struct attr_set attrs;
    static struct span_link kept[SPAN_LINKS_MAX];
    struct span span = {.attrs = &attrs, .links = kept};

    attrs.mask[0] = attrs.mask[1] = 0;
    attributes(seen, from->attributes, from->n_attributes, 1, &attrs);
    for (size_t i = 0; i < from->n_events; i++) {
        text_of(seen, from->events[i]->name);
        attributes(seen, from->events[i]->attributes,
                   from->events[i]->n_attributes, 1, NULL);
    }
    span.links_dropped = links(seen, from, kept, &span.link_len);
    span.trace_hi = id_of(from->trace_id, 16, 0);
    span.trace_lo = id_of(from->trace_id, 16, 1);
    span.span_id = id_of(from->span_id, 8, 0);
    span.parent_id = id_of(from->parent_span_id, 8, 0);
    span.start_ns = from->start_time_unix_nano;
    span.end_ns = from->end_time_unix_nano;
    span.flags = from->flags;
    span.kind = from->kind >= 0 && from->kind <= 5 ? (uint8_t)from->kind : 0;
    span.name = text_of(seen, from->name);
    span.trace_state = text_of(seen, from->trace_state);
    if (from->status) {
        int code = (int)from->status->code;
        span.status = code >= 0 && code <= 2 ? (uint8_t)code : 0;
        text_of(seen, from->status->message);
    }
    if ((span.trace_hi | span.trace_lo) == 0 || span.span_id == 0 ||
        (from->parent_span_id.len != 0 && from->parent_span_id.len != 8)) {
        seen->result.rejected++;
        return;
    }
    seen->result.accepted++;
    on_span(&seen->log, &span);
}

static void
scope_spans_of(struct otlp_seen *seen, const scope_spans_t *from)
{
    str name = {NULL, 0};
    str version = {NULL, 0};

    text_of(seen, from->schema_url);
    if (from->scope) {
        name = text_of(seen, from->scope->name);
        version = text_of(seen, from->scope->version);
        attributes(seen, from->scope->attributes, from->scope->n_attributes, 1,
                   NULL);
    }
    on_scope(&seen->log, name, version);
    for (size_t i = 0; i < from->n_spans; i++)
        span_of(seen, from->spans[i]);
}

static void
entity_of(struct otlp_seen *seen, const entity_t *from)
{
    text_of(seen, from->schema_url);
    text_of(seen, from->type);
    for (size_t i = 0; i < from->n_id_keys; i++)
        text_of(seen, from->id_keys[i]);
    for (size_t i = 0; i < from->n_description_keys; i++)
        text_of(seen, from->description_keys[i]);
}

static void
resource_spans_of(struct otlp_seen *seen, const resource_spans_t *from)
{
    static struct attr_set attrs;

    attrs.mask[0] = attrs.mask[1] = 0;
    text_of(seen, from->schema_url);
    if (from->resource) {
        attributes(seen, from->resource->attributes,
                   from->resource->n_attributes, 1, &attrs);
        for (size_t i = 0; i < from->resource->n_entity_refs; i++)
            entity_of(seen, from->resource->entity_refs[i]);
    }
    on_resource(&seen->log, &attrs);
    for (size_t i = 0; i < from->n_scope_spans; i++)
        scope_spans_of(seen, from->scope_spans[i]);
}

void
otlp_oracle(struct otlp_seen *out, str bytes, bool json)
{
    ProtobufCAllocator allocator = {sized_alloc, sized_free, NULL};
    request_t *request =
        opentelemetry__proto__collector__trace__v1__export_trace_service_request__unpack(
            &allocator, bytes.len, (const uint8_t *)bytes.ptr);

    *out = (struct otlp_seen){.err = request ? OK : ERR_INVALID};
    if (!request)
        return;
    for (size_t i = 0; i < request->n_resource_spans; i++)
        resource_spans_of(out, request->resource_spans[i]);
    if (json)
        otlp_json_print(&out->json, request);
    opentelemetry__proto__collector__trace__v1__export_trace_service_request__free_unpacked(
        request, &allocator);
}

static bool
same(const struct otlp_seen *a, const struct otlp_seen *b)
{
    return a->result.accepted == b->result.accepted &&
           a->result.rejected == b->result.rejected &&
           str_eq(buf_str(&a->log), buf_str(&b->log));
}

static const char *
judge(const struct otlp_seen *ours, const struct otlp_seen *theirs)
{
    bool stricter = ours->err && !strcmp(ours->result.error,
                                         "attribute value nested too deep");

    if (theirs->err)
        return ours->err ? NULL : "protobuf-c refuses, the decoder accepts";
    if (ours->err)
        return stricter ? NULL : "protobuf-c accepts, the decoder refuses";
    if (theirs->has_bad_text && !ours->result.has_bad_text)
        return "the decoder does not tell of text that is not UTF-8";
    if (theirs->depth > 32)
        return "the decoder accepts values nested too deep";
    return same(ours, theirs) ? NULL : "the values differ";
}

const char *
otlp_difference(struct decode_scratch *scratch, str bytes, bool json)
{
    struct otlp_seen ours;
    struct otlp_seen theirs;
    struct otlp_seen again = {.err = OK};

    otlp_oracle(&theirs, bytes, json);
    otlp_decode_protobuf(&ours, scratch, bytes);
    const char *difference = judge(&ours, &theirs);
    if (!difference && json && !ours.err && !theirs.has_nul &&
        !theirs.has_bad_text) {
        otlp_decode_json(&again, scratch, buf_str(&theirs.json), false);
        if (again.err)
            difference = "JSON is refused";
        else if (!same(&ours, &again))
            difference = "JSON gives other values than protobuf";
    }
    if (difference && getenv("OTLP_DIFFERENCE"))
        fprintf(stderr, "ours (%s):\n%s\ntheirs:\n%s\njson (%s):\n%s\n%s\n",
                ours.err ? ours.result.error : "ok", buf_cstr(&ours.log),
                buf_cstr(&theirs.log), again.err ? again.result.error : "ok",
                buf_cstr(&again.log), buf_cstr(&theirs.json));
    otlp_seen_fini(&ours);
    otlp_seen_fini(&theirs);
    otlp_seen_fini(&again);
    return difference;
}
