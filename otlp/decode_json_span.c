/*
 * A span in JSON.  What makes only this span unacceptable (R12) does not stop
 * the reading: a bad id becomes zero, a bad enum is remembered.
 */
#include "otlp/decode_json_state.h"
#include "otlp/json_scan.h"

static int
base64_digit(char c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrs"
                                 "tuvwxyz0123456789+/";
    const char *at = c ? strchr(digits, c) : NULL;

    if (c == '-' || c == '_') /* the alphabet for URLs */
        return c == '-' ? 62 : 63;
    return at ? (int)(at - digits) : -1;
}

/* |len| bytes written as base64, padded or not. */
static bool
base64(str text, uint8_t *out, size_t len)
{
    size_t written = 0;
    uint32_t bits = 0;
    unsigned held = 0;

    while (text.len > 0 && text.ptr[text.len - 1] == '=')
        text.len--;
    if (text.len != (len * 4 + 2) / 3)
        return false;
    for (size_t i = 0; i < text.len; i++) {
        int digit = base64_digit(text.ptr[i]);
        if (digit < 0)
            return false;
        bits = bits << 6 | (uint32_t)digit;
        held += 6;
        if (held >= 8 && written < len)
            out[written++] = (uint8_t)(bits >> (held -= 8));
    }
    return written == len;
}

/* An id of |len| <= 2 words; zeros if it is not one. */
static bool
id_words(const struct decode_scratch *s, str text, uint64_t *words, size_t len)
{
    uint8_t bytes[16];
    bool is_hex = text.len == 16 * len;

    for (size_t i = 0; i < len && is_hex; i++)
        is_hex = json_hex16((const uint8_t *)text.ptr + 16 * i, &words[i]);
    if (is_hex)
        return true;
    memset(words, 0, len * sizeof(*words));
    if (!s->lenient || !base64(text, bytes, 8 * len))
        return false;
    for (size_t i = 0; i < len; i++)
        words[i] = wire_id64(bytes + 8 * i);
    return true;
}

static bool
trace_id(struct decode_scratch *s, struct json_str raw, uint64_t *hi,
         uint64_t *lo)
{
    uint64_t words[2] = {0};
    str text;

    if (!decode_json_text(s, raw, &text))
        return false;
    id_words(s, text, words, 2);
    *hi = words[0];
    *lo = words[1];
    return true;
}

static bool
span_id(struct decode_scratch *s, struct json_str raw, uint64_t *id, bool *bad)
{
    str text;

    if (!decode_json_text(s, raw, &text))
        return false;
    *bad = !id_words(s, text, id, 1) && text.len > 0;
    return true;
}

static const struct json_shape event_shape = {
    4,
    "usaw",
    {JSON_NAME("timeUnixNano"), JSON_NAME("name"), JSON_NAME("attributes"),
     JSON_NAME("droppedAttributesCount")}};

static const struct json_shape link_shape = {
    6,
    "sssaww",
    {JSON_NAME("traceId"), JSON_NAME("spanId"), JSON_NAME("traceState"),
     JSON_NAME("attributes"), JSON_NAME("droppedAttributesCount"),
     JSON_NAME("flags")}};

static const struct json_shape status_shape = {
    2, "sm", {JSON_NAME("message"), JSON_NAME("code")}};

static const struct json_shape span_shape = {
    16,
    "sssssmuummmmwwww",
    {JSON_NAME("traceId"), JSON_NAME("spanId"), JSON_NAME("traceState"),
     JSON_NAME("parentSpanId"), JSON_NAME("name"), JSON_NAME("kind"),
     JSON_NAME("startTimeUnixNano"), JSON_NAME("endTimeUnixNano"),
     JSON_NAME("attributes"), JSON_NAME("events"), JSON_NAME("links"),
     JSON_NAME("status"), JSON_NAME("flags"),
     JSON_NAME("droppedAttributesCount"), JSON_NAME("droppedEventsCount"),
     JSON_NAME("droppedLinksCount")}};

static const str kind_names[] = {
    STR_INIT("SPAN_KIND_UNSPECIFIED"), STR_INIT("SPAN_KIND_INTERNAL"),
    STR_INIT("SPAN_KIND_SERVER"),      STR_INIT("SPAN_KIND_CLIENT"),
    STR_INIT("SPAN_KIND_PRODUCER"),    STR_INIT("SPAN_KIND_CONSUMER"),
};

static const str status_names[] = {
    STR_INIT("STATUS_CODE_UNSET"),
    STR_INIT("STATUS_CODE_OK"),
    STR_INIT("STATUS_CODE_ERROR"),
};

/*
 * Reads an enum whose |names| stand for 0 and up.  A whole number that is none
 * of them is 0; anything else rejects the span, and |bad| is why.
 */
static const uint8_t *
enumeration(struct decode_scratch *s, const uint8_t *p, const str *names,
            uint8_t len, uint8_t *out, const char *bad)
{
    struct json_str raw;
    bool negative;
    uint64_t value;
    uint8_t c;
    str text;

    *out = 0;
    p = json_peek(&s->json, p, &c);
    if (c == '-' || (c >= '0' && c <= '9')) {
        p = json_number(&s->json, p, &text);
        if (p && !json_integer(text, &negative, &value))
            s->bad_enum = bad;
        else if (p && !negative && value < len)
            *out = (uint8_t)value;
        return p;
    }
    s->bad_enum = bad;
    if (c != '"' || !s->lenient)
        return json_skip(&s->json, p);
    if (!(p = json_string(&s->json, p, &raw)) ||
        !decode_json_text(s, raw, &text))
        return NULL;
    for (uint8_t i = 0; i < len; i++) {
        if (!str_eq(names[i], text))
            continue;
        s->bad_enum = NULL;
        *out = i;
    }
    return p;
}

static const uint8_t *
status(struct decode_scratch *s, const uint8_t *p)
{
    struct json_walk walk = {0};

    while ((p = decode_json_member(s, p, &status_shape, &walk)) &&
           walk.index >= 0)
        if (walk.index == 1)
            p = enumeration(s, p, status_names, SPAN_ERROR + 1, &s->span.status,
                            "status code is not an integer");
    return p;
}

static const uint8_t *
event(struct decode_scratch *s, const uint8_t *p)
{
    struct json_walk walk = {0};

    while ((p = decode_json_member(s, p, &event_shape, &walk)) &&
           walk.index >= 0)
        continue;
    return p;
}

static const uint8_t *
link_of(struct decode_scratch *s, const uint8_t *p)
{
    struct json_walk walk = {0};
    struct span_link link = {0};
    bool bad;

    while ((p = decode_json_member(s, p, &link_shape, &walk)) &&
           walk.index >= 0) {
        if (walk.index == 0 &&
            !trace_id(s, walk.text, &link.trace_hi, &link.trace_lo))
            return NULL;
        if (walk.index == 1 && !span_id(s, walk.text, &link.span_id, &bad))
            return NULL;
    }
    if (p)
        decode_link_add(s, link);
    return p;
}

static const uint8_t *
each(struct decode_scratch *s, const uint8_t *p,
     const uint8_t *(*read)(struct decode_scratch *s, const uint8_t *p))
{
    bool first = true;
    bool done = false;

    p = json_open(&s->json, p, '[');
    while (p && (p = json_next(&s->json, p, &first, ']', &done)) && !done)
        p = read(s, p);
    return p;
}

/* The members that are objects, arrays or enums, which read themselves. */
static const uint8_t *
compound_member(struct decode_scratch *s, const struct json_walk *walk)
{
    switch (walk->index) {
    case SPAN_MEMBER_KIND:
        return enumeration(s, walk->at, kind_names, SPAN_CONSUMER + 1,
                           &s->span.kind, "span kind is not an integer");
    case SPAN_MEMBER_ATTRIBUTES:
        return decode_json_attributes(s, walk->at, &s->attrs);
    case SPAN_MEMBER_EVENTS:
        return each(s, walk->at, event);
    case SPAN_MEMBER_LINKS:
        return each(s, walk->at, link_of);
    default:
        return status(s, walk->at);
    }
}

static bool
plain_member(struct decode_scratch *s, const struct json_walk *walk)
{
    struct span *span = &s->span;
    bool bad;

    switch (walk->index) {
    case SPAN_MEMBER_TRACE_ID:
        return trace_id(s, walk->text, &span->trace_hi, &span->trace_lo);
    case SPAN_MEMBER_SPAN_ID:
        return span_id(s, walk->text, &span->span_id, &bad);
    case SPAN_MEMBER_PARENT_SPAN_ID:
        return span_id(s, walk->text, &span->parent_id, &s->bad_parent);
    case SPAN_MEMBER_TRACE_STATE:
        return decode_json_text(s, walk->text, &span->trace_state);
    case SPAN_MEMBER_NAME:
        return decode_json_text(s, walk->text, &span->name);
    case SPAN_MEMBER_START:
        span->start_ns = walk->number;
        return true;
    case SPAN_MEMBER_END:
        span->end_ns = walk->number;
        return true;
    case SPAN_MEMBER_FLAGS:
        span->flags = (uint32_t)walk->number;
        return true;
    default:
        return true;
    }
}

const uint8_t *
decode_json_span(struct decode_scratch *s, const uint8_t *p)
{
    struct json_walk walk = {0};

    decode_span_reset(s);
    p = decode_json_usual(s, p, &walk);
    while (p && !walk.ended &&
           (p = decode_json_member(s, p, &span_shape, &walk)) &&
           walk.index >= 0) {
        if (span_shape.types[walk.index] == 'm')
            p = compound_member(s, &walk);
        else if (!plain_member(s, &walk))
            p = NULL;
        if (!p)
            return NULL;
    }
    if (p)
        decode_span_done(s);
    return p;
}
