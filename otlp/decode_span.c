/*
 * A span in any valid form: fields in any order, repeated, with long tags and
 * lengths.  The fast path (decode_span_fast.h) hands over to this one wherever
 * a span is not as usual, so that only one place has to be right about
 * everything.
 */
#include "otlp/decode_state.h"

enum span_number {
    FIELD_TRACE_ID = 1,
    FIELD_SPAN_ID = 2,
    FIELD_TRACE_STATE = 3,
    FIELD_PARENT_SPAN_ID = 4,
    FIELD_NAME = 5,
    FIELD_KIND = 6,
    FIELD_START = 7,
    FIELD_END = 8,
    FIELD_ATTRIBUTES = 9,
    FIELD_EVENTS = 11,
    FIELD_LINKS = 13,
    FIELD_STATUS = 15,
    FIELD_FLAGS = 16,
};

static bool
event(struct decode_scratch *s, const struct wire_field *body)
{
    const uint8_t *p = body->body;
    const uint8_t *end = p + body->len;
    struct wire_field field;

    while (p < end) {
        if (!(p = decode_next(s, p, end, "8sbv", &field)))
            return false;
        if (field.number == 3 && !decode_attribute(s, &field, NULL))
            return false;
    }
    return true;
}

static void
trace_id(const struct wire_field *field, uint64_t *hi, uint64_t *lo)
{
    *hi = field->len == 16 ? wire_id64(field->body) : 0;
    *lo = field->len == 16 ? wire_id64(field->body + 8) : 0;
}

static uint64_t
span_id(const struct wire_field *field)
{
    return field->len == 8 ? wire_id64(field->body) : 0;
}

static bool
link_of(struct decode_scratch *s, const struct wire_field *body)
{
    const uint8_t *p = body->body;
    const uint8_t *end = p + body->len;
    struct wire_field field;
    struct span_link link = {0};

    while (p < end) {
        if (!(p = decode_next(s, p, end, "bbsbv4", &field)))
            return false;
        if (field.number == 1)
            trace_id(&field, &link.trace_hi, &link.trace_lo);
        if (field.number == 2)
            link.span_id = span_id(&field);
        if (field.number == 4 && !decode_attribute(s, &field, NULL))
            return false;
    }
    decode_link_add(s, link);
    return true;
}

/* An enum is 32 bits wide, the rest of a longer number is lost. */
static uint8_t
enum_of(uint64_t value, uint32_t max)
{
    return (uint32_t)value <= max ? (uint8_t)value : 0;
}

/* Of two Status messages the reference merges the text, but takes the code of
 * the later one even where it has none. */
static bool
status(struct decode_scratch *s, const struct wire_field *body)
{
    const uint8_t *p = body->body;
    const uint8_t *end = p + body->len;
    struct wire_field field;

    s->span.status = SPAN_UNSET;
    while (p < end) {
        if (!(p = decode_next(s, p, end, ".sv", &field)))
            return false;
        if (field.number == 3)
            s->span.status = enum_of(field.value, SPAN_ERROR);
    }
    return true;
}

static bool
message_field(struct decode_scratch *s, const struct wire_field *field)
{
    switch (field->number) {
    case FIELD_ATTRIBUTES:
        return decode_attribute(s, field, &s->attrs);
    case FIELD_EVENTS:
        return event(s, field);
    case FIELD_LINKS:
        return link_of(s, field);
    case FIELD_STATUS:
        return status(s, field);
    default:
        return true;
    }
}

const uint8_t *
decode_span_field(struct decode_scratch *s, const uint8_t *p,
                  const uint8_t *end)
{
    struct span *span = &s->span;
    struct wire_field field;

    if (!(p = decode_next(s, p, end, "bbsbsv88bvbvbvb4", &field)))
        return NULL;
    switch (field.number) {
    case FIELD_TRACE_ID:
        trace_id(&field, &span->trace_hi, &span->trace_lo);
        return p;
    case FIELD_SPAN_ID:
        span->span_id = span_id(&field);
        return p;
    case FIELD_TRACE_STATE:
        span->trace_state = wire_str(&field);
        return p;
    case FIELD_PARENT_SPAN_ID:
        span->parent_id = span_id(&field);
        s->bad_parent = field.len != 0 && field.len != 8;
        return p;
    case FIELD_NAME:
        span->name = wire_str(&field);
        return p;
    case FIELD_KIND:
        span->kind = enum_of(field.value, SPAN_CONSUMER);
        return p;
    case FIELD_START:
        span->start_ns = field.value;
        return p;
    case FIELD_END:
        span->end_ns = field.value;
        return p;
    case FIELD_FLAGS:
        span->flags = (uint32_t)field.value;
        return p;
    default:
        return message_field(s, &field) ? p : NULL;
    }
}

bool
decode_span_exact(struct decode_scratch *s, const uint8_t *p,
                  const uint8_t *end)
{
    decode_span_reset(s);
    while (p < end)
        if (!(p = decode_span_field(s, p, end)))
            return false;
    decode_span_done(s);
    return true;
}
