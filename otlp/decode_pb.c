/*
 * From the request down to the spans.
 *
 * A resource or scope may come behind the spans it belongs to, and more than
 * once: protobuf merges.  So the fields of a ResourceSpans and of a ScopeSpans
 * are walked twice, first past the spans, then over them.  The first walk is a
 * chain of loads, one a span, which would wait for memory every time; instead
 * it prefetches the bytes ahead of it, for itself and for the second walk.
 */
#include "otlp/decode_resource_fast.h"
#include "otlp/decode_state.h"

static void
resource_reset(struct decode_scratch *s)
{
    s->resource.mask[0] = 0;
    s->resource.mask[1] = 0;
}

static bool
entity_ref(struct decode_scratch *s, const struct wire_field *body)
{
    const uint8_t *p = body->body;
    const uint8_t *end = p + body->len;
    struct wire_field field;

    while (p < end)
        if (!(p = decode_next(s, p, end, "ssss", &field)))
            return false;
    return true;
}

/* One field of a resource in any valid form; the position behind it or NULL. */
static const uint8_t *
resource_field(struct decode_scratch *s, const uint8_t *p, const uint8_t *end)
{
    struct wire_field field;

    if (!(p = decode_next(s, p, end, "bvb", &field)))
        return NULL;
    if (field.number == 1 && !decode_attribute(s, &field, &s->resource))
        return NULL;
    if (field.number == 3 && !entity_ref(s, &field))
        return NULL;
    return p;
}

static bool
resource(struct decode_scratch *s, const struct wire_field *body)
{
    const uint8_t *p = body->body;
    const uint8_t *end = p + body->len;

    while (p < end) {
        bool is_plain;
        const uint8_t *run = decode_resource_fast(s, p, end, &is_plain);
        if (run > p && is_plain) {
            p = run;
            continue;
        }
        do {
            if (!(p = resource_field(s, p, end)))
                return false;
        } while (p < run);
    }
    return true;
}

static bool
scope(struct decode_scratch *s, const struct wire_field *body, str *name,
      str *version)
{
    const uint8_t *p = body->body;
    const uint8_t *end = p + body->len;
    struct wire_field field;

    while (p < end) {
        if (!(p = decode_next(s, p, end, "ssbv", &field)))
            return false;
        if (field.number == 1)
            *name = wire_str(&field);
        if (field.number == 2)
            *version = wire_str(&field);
        if (field.number == 3 && !decode_attribute(s, &field, NULL))
            return false;
    }
    return true;
}

/* If a span in its usual form is next, returns where its |len| bytes start,
 * else NULL. */
static inline const uint8_t *
span_at(const uint8_t *p, const uint8_t *end, size_t *len)
{
    enum { SPANS_TAG = 2 << 3 | WIRE_BYTES };

    if (p >= end || *p != SPANS_TAG)
        return NULL;
    *len = (size_t)(p[1] & 0x7f) | (size_t)p[2] << 7;
    if (p[1] < 0x80 || p[2] >= 0x80) /* not two bytes */
        return wire_bytes(p + 1, end, len);
    return end - p >= 3 && *len <= (size_t)(end - p) - 3 ? p + 3 : NULL;
}

static const uint8_t *
skip_spans(const uint8_t *p, const uint8_t *end)
{
    enum { AHEAD = 4096, SPAN_USUAL = 512, LINE = 64 };
    const uint8_t *body;
    size_t len;

    while ((body = span_at(p, end, &len))) {
        for (size_t i = 0; i < SPAN_USUAL; i += LINE)
            __builtin_prefetch(p + AHEAD + i);
        p = body + len;
    }
    return p;
}

static const uint8_t *
decode_spans(struct decode_scratch *s, const uint8_t *p, const uint8_t *end)
{
    const uint8_t *body;
    size_t len;

    while ((body = span_at(p, end, &len))) {
        p = body + len;
        if (!s->span_fn(s, body, p))
            return NULL;
    }
    return p;
}

static bool
scope_spans(struct decode_scratch *s, const struct wire_field *body)
{
    const uint8_t *end = body->body + body->len;
    struct wire_field field;
    str name = {NULL, 0};
    str version = {NULL, 0};

    for (const uint8_t *p = body->body; (p = skip_spans(p, end)) < end;) {
        if (!(p = decode_next(s, p, end, "bbs", &field)))
            return false;
        if (field.number == 1 && !scope(s, &field, &name, &version))
            return false;
    }
    s->visitor->scope(s->visitor->ctx, name, version);
    for (const uint8_t *p = body->body; p < end;) {
        if (!(p = decode_spans(s, p, end)))
            return false;
        if (p == end)
            break;
        p = wire_next(p, end, &field);
        if (field.number == 2 && !s->span_fn(s, field.body, p))
            return false;
    }
    return true;
}

static bool
resource_spans(struct decode_scratch *s, const struct wire_field *body)
{
    const uint8_t *end = body->body + body->len;
    struct wire_field field;

    resource_reset(s);
    for (const uint8_t *p = body->body; p < end;) {
        if (!(p = decode_next(s, p, end, "bbs", &field)))
            return false;
        if (field.number == 1 && !resource(s, &field))
            return false;
    }
    s->visitor->resource(s->visitor->ctx, &s->resource);
    for (const uint8_t *p = body->body; p < end;) {
        p = wire_next(p, end, &field);
        if (field.number == 2 && !scope_spans(s, &field))
            return false;
    }
    return true;
}

enum err
decode_protobuf(struct decode_scratch *scratch, str bytes,
                const struct span_visitor *visitor, struct decode_result *out)
{
    const uint8_t *p = (const uint8_t *)bytes.ptr;
    const uint8_t *end = p + bytes.len;
    struct wire_field field;

    *out = (struct decode_result){0};
    scratch->base = p;
    scratch->visitor = visitor;
    scratch->result = out;
    while (p < end) {
        if (!(p = decode_next(scratch, p, end, "b", &field)))
            return ERR_INVALID;
        if (field.number == 1 && !resource_spans(scratch, &field))
            return ERR_INVALID;
    }
    return OK;
}
