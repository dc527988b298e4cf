/*
 * A span is given room for as much as it can take, then written without looking
 * at the room again.  Messages whose length is not known before they are
 * written get one byte for it, and what was written moves up when it needs
 * more; so lengths stay as short as they can be, and nothing grows by being
 * stripped.
 */
#include "relay/strip.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "otlp/fields.h"
#include "otlp/wire.h"

struct strip {
    struct buf out;
    size_t resource_at; /* where an open message's content begins; 0: none */
    size_t scope_at;
    uint32_t spans;
};

struct strip *
strip_new(void)
{
    return calloc(1, sizeof(struct strip));
}

void
strip_free(struct strip *strip)
{
    if (strip)
        buf_fini(&strip->out);
    free(strip);
}

/* ---- fields: each writes at |p| and returns the place behind ---- */

static size_t
varint_len(uint64_t value)
{
    return (70 - (size_t)__builtin_clzll(value | 1)) / 7;
}

static char *
put_varint(char *p, uint64_t value)
{
    for (; value > 0x7f; value >>= 7)
        *p++ = (char)(value | 0x80);
    *p++ = (char)value;
    return p;
}

static char *
put_tag(char *p, uint32_t field, enum wire_type type)
{
    return put_varint(p, field << 3 | (uint32_t)type);
}

/* The head of a message or text of |len| bytes. */
static char *
put_head(char *p, uint32_t field, size_t len)
{
    return put_varint(put_tag(p, field, WIRE_BYTES), len);
}

static char *
put_number(char *p, uint32_t field, uint64_t value)
{
    return put_varint(put_tag(p, field, WIRE_VARINT), value);
}

static char *
put_bytes(char *p, str bytes)
{
    if (bytes.len)
        memcpy(p, bytes.ptr, bytes.len);
    return p + bytes.len;
}

static char *
put_text(char *p, uint32_t field, str text)
{
    return put_bytes(put_head(p, field, text.len), text);
}

/* |len| bytes of |value|, the first one the least. */
static char *
put_fixed(char *p, uint32_t field, uint64_t value, size_t len)
{
    p = put_tag(p, field, len == 8 ? WIRE_FIXED64 : WIRE_FIXED32);
    for (size_t i = 0; i < len; i++)
        *p++ = (char)(value >> (8 * i));
    return p;
}

/* Ids are numbers whose first byte on the wire counts most. */
static char *
put_word(char *p, uint64_t value)
{
    for (int shift = 56; shift >= 0; shift -= 8)
        *p++ = (char)(value >> shift);
    return p;
}

static char *
put_trace_id(char *p, uint32_t field, uint64_t hi, uint64_t lo)
{
    return put_word(put_word(put_head(p, field, 16), hi), lo);
}

static char *
put_span_id(char *p, uint32_t field, uint64_t id)
{
    return put_word(put_head(p, field, 8), id);
}

/* ---- attributes ---- */

#define ATTR_NAME(id, key) STR_INIT(key),
static const str attr_names[] = {ATTRS(ATTR_NAME)};
#undef ATTR_NAME

/* Tags, lengths and a number: no attribute has more besides its texts. */
enum { ATTR_HEADS = 32 };

/* As many bytes as |attrs| take at most. */
static size_t
attributes_bound(const struct attr_set *attrs)
{
    size_t len = 0;

    for (unsigned word = 0; word < 2; word++) {
        for (uint64_t rest = attrs->mask[word]; rest; rest &= rest - 1) {
            unsigned id = 64 * word + (unsigned)__builtin_ctzll(rest);
            len += ATTR_HEADS + attr_names[id].len;
            if (attrs->value[id].type == ATTR_STR)
                len += attrs->value[id].len;
        }
    }
    return len;
}

static size_t
value_len(const struct attr_value *value)
{
    switch (value->type) {
    case ATTR_STR:
        return 1 + varint_len(value->len) + value->len;
    case ATTR_INT:
        return 1 + varint_len((uint64_t)value->i);
    case ATTR_BOOL:
        return 2;
    case ATTR_DOUBLE:
        return 9;
    default:
        return 0;
    }
}

static char *
put_value(char *p, const struct attr_value *value)
{
    uint64_t bits;

    switch (value->type) {
    case ATTR_STR:
        return put_text(p, VALUE_STRING, (str){value->str, value->len});
    case ATTR_INT:
        return put_number(p, VALUE_INT, (uint64_t)value->i);
    case ATTR_BOOL:
        return put_number(p, VALUE_BOOL, value->i != 0);
    case ATTR_DOUBLE:
        memcpy(&bits, &value->d, sizeof(bits));
        return put_fixed(p, VALUE_DOUBLE, bits, sizeof(bits));
    default:
        return p;
    }
}

/* A value that cannot be read is there all the same. */
static char *
put_attribute(char *p, uint32_t field, str key, const struct attr_value *value)
{
    size_t len = value_len(value);
    bool has_value = value->type != ATTR_NONE;

    p = put_head(p, field,
                 1 + varint_len(key.len) + key.len +
                     (has_value ? 1 + varint_len(len) + len : 0));
    p = put_text(p, ATTRIBUTE_KEY, key);
    return has_value ? put_value(put_head(p, ATTRIBUTE_VALUE, len), value) : p;
}

static char *
put_attributes(char *p, uint32_t field, const struct attr_set *attrs)
{
    for (unsigned word = 0; word < 2; word++) {
        for (uint64_t rest = attrs->mask[word]; rest; rest &= rest - 1) {
            unsigned id = 64 * word + (unsigned)__builtin_ctzll(rest);
            p = put_attribute(p, field, attr_names[id], &attrs->value[id]);
        }
    }
    return p;
}

/* ---- spans ---- */

/* A link without its head; a head of any length; all of a span that is neither
 * text nor attribute nor link. */
enum { LINK_LEN = 28, HEAD_MAX = 16, SPAN_HEADS = 128 };

static char *
put_links(char *p, const struct span *span)
{
    for (uint16_t i = 0; i < span->link_len; i++) {
        const struct span_link *link = &span->links[i];
        p = put_head(p, SPAN_LINKS, LINK_LEN);
        p = put_trace_id(p, LINK_TRACE_ID, link->trace_hi, link->trace_lo);
        p = put_span_id(p, LINK_SPAN_ID, link->span_id);
    }
    return p;
}

static size_t
span_bound(const struct span *span)
{
    return SPAN_HEADS + span->name.len + span->trace_state.len +
           attributes_bound(span->attrs) +
           (size_t)span->link_len * (LINK_LEN + HEAD_MAX);
}

/* In the order of the fields, which decoders are quickest at. */
static char *
put_span(char *p, const struct span *span)
{
    p = put_trace_id(p, SPAN_TRACE_ID, span->trace_hi, span->trace_lo);
    p = put_span_id(p, SPAN_SPAN_ID, span->span_id);
    if (span->trace_state.len)
        p = put_text(p, SPAN_TRACE_STATE, span->trace_state);
    if (span->parent_id)
        p = put_span_id(p, SPAN_PARENT_ID, span->parent_id);
    if (span->name.len)
        p = put_text(p, SPAN_NAME, span->name);
    if (span->kind)
        p = put_number(p, SPAN_KIND, span->kind);
    if (span->start_ns)
        p = put_fixed(p, SPAN_START, span->start_ns, 8);
    if (span->end_ns)
        p = put_fixed(p, SPAN_END, span->end_ns, 8);
    p = put_attributes(p, SPAN_ATTRIBUTES, span->attrs);
    p = put_links(p, span);
    if (span->status)
        p = put_number(put_head(p, SPAN_STATUS, 2), STATUS_CODE, span->status);
    if (span->flags)
        p = put_fixed(p, SPAN_FLAGS, span->flags, 4);
    return p;
}

/* ---- messages ---- */

/* Begins a message and returns where its content begins. */
static size_t
open_message(struct buf *out, uint32_t field)
{
    char *p = buf_grow(out, HEAD_MAX);

    if (p)
        out->len += (size_t)(put_head(p, field, 0) - p);
    return out->len;
}

static void
close_message(struct buf *out, size_t at)
{
    size_t len = out->len - at;
    size_t more = varint_len(len) - 1;

    if (out->failed || (more > 0 && !buf_grow(out, more)))
        return;
    if (more > 0)
        memmove(out->ptr + at + more, out->ptr + at, len);
    (void)put_varint(out->ptr + at - 1, len);
    out->len += more;
}

static void
close_scope(struct strip *strip)
{
    if (strip->scope_at)
        close_message(&strip->out, strip->scope_at);
    strip->scope_at = 0;
}

static void
close_resource(struct strip *strip)
{
    close_scope(strip);
    if (strip->resource_at)
        close_message(&strip->out, strip->resource_at);
    strip->resource_at = 0;
}

static void
on_resource(void *ctx, const struct attr_set *attrs)
{
    struct strip *strip = ctx;

    close_resource(strip);
    strip->resource_at = open_message(&strip->out, REQUEST_RESOURCE_SPANS);
    if (!(attrs->mask[0] | attrs->mask[1]))
        return;
    size_t at = open_message(&strip->out, RESOURCE_SPANS_RESOURCE);
    char *p = buf_grow(&strip->out, attributes_bound(attrs));
    if (p)
        strip->out.len +=
            (size_t)(put_attributes(p, RESOURCE_ATTRIBUTES, attrs) - p);
    close_message(&strip->out, at);
}

static void
on_scope(void *ctx, str name, str version)
{
    struct strip *strip = ctx;
    struct buf *out = &strip->out;

    close_scope(strip);
    strip->scope_at = open_message(out, RESOURCE_SPANS_SCOPE_SPANS);
    if (name.len + version.len == 0)
        return;
    size_t at = open_message(out, SCOPE_SPANS_SCOPE);
    char *p = buf_grow(out, (size_t)2 * HEAD_MAX + name.len + version.len);
    char *end = p;
    if (p && name.len)
        end = put_text(end, SCOPE_NAME, name);
    if (p && version.len)
        end = put_text(end, SCOPE_VERSION, version);
    out->len += (size_t)(end - p);
    close_message(out, at);
}

/* A span is written behind room for a head of three bytes, which is what nearly
 * all have, and moves if its own is another. */
static void
on_span(void *ctx, const struct span *span)
{
    enum { USUAL_HEAD = 3 };
    struct strip *strip = ctx;
    char *p = buf_grow(&strip->out, HEAD_MAX + span_bound(span));

    if (!p)
        return;
    size_t len = (size_t)(put_span(p + USUAL_HEAD, span) - p) - USUAL_HEAD;
    size_t head = 1 + varint_len(len);
    if (head != USUAL_HEAD)
        memmove(p + head, p + USUAL_HEAD, len);
    (void)put_head(p, SCOPE_SPANS_SPANS, len);
    strip->out.len += head + len;
    strip->spans++;
}

void
strip_begin(struct strip *strip, struct span_visitor *out)
{
    if (strip->out.cap > STRIP_KEEP)
        buf_fini(&strip->out);
    buf_reset(&strip->out);
    strip->resource_at = 0;
    strip->scope_at = 0;
    strip->spans = 0;
    *out = (struct span_visitor){
        .ctx = strip,
        .resource = on_resource,
        .scope = on_scope,
        .span = on_span,
    };
}

enum err
strip_take(struct strip *strip, struct buf *out, uint32_t *spans)
{
    size_t len = out->len;

    close_resource(strip);
    *spans = strip->spans;
    if (!strip->out.failed)
        buf_add(out, buf_str(&strip->out));
    if (!strip->out.failed && !out->failed)
        return OK;
    out->len = len;
    return ERR_NOMEM;
}
