/*
 * decode_span_fast - a span as it usually comes, compiled once for each
 * instruction set (decode_span_fast*.c), from this one text.
 *
 * Mispredicted branches are the cost, and then instructions, not bytes.  Hence:
 * the fields are expected in the order in which every sender writes them;
 * whether a key is known, whether its value is a string or a number, and
 * whether there are a parent and flags, is computed without a branch.  An
 * unknown key's value goes to the slot behind the last.  Text is checked for
 * bytes above 0x7f by or-ing those of a whole span; only where one was seen, or
 * where anything is unusual, the exact decoder reads it (again).  All that an
 * attribute asks for lies in the scratch, at a fixed distance from its begin.
 *
 * Before including: DECODE_SPAN_FN, the name; for which instructions, as
 * bytes64.h says.
 */
#include "otlp/decode_attr_fast.h"

/* The ids of trace and span, and of the parent if it follows at once. */
INLINE const uint8_t *
ids(struct decode_scratch *s, const uint8_t *p, const uint8_t *end)
{
    if (unlikely(end - p < 28 || p[0] != 0x0a || p[1] != 16 || p[18] != 0x12 ||
                 p[19] != 8))
        return p;
    s->span.trace_hi = wire_id64(p + 2);
    s->span.trace_lo = wire_id64(p + 10);
    s->span.span_id = wire_id64(p + 20);
    p += 28;
    bool has_parent = ((wire_load32(p) & 0xffff) == 0x0822) & (end - p >= 10);
    s->span.parent_id =
        attr_choose(has_parent, wire_id64(p + 2), s->span.parent_id);
    s->bad_parent &= !has_parent;
    return p + attr_choose(has_parent, 10, 0);
}

/* Text with |tag| and a length of one byte, which |out| then is. */
INLINE const uint8_t *
short_text(const uint8_t *p, const uint8_t *end, uint8_t tag,
           struct found *found, str *out)
{
    size_t len = p[1];

    if (p[0] != tag || len > 0x7f || end - p < (ptrdiff_t)len + 2)
        return p;
    *out = (str){(const char *)p + 2, len};
    add_text(found, p + 2, len);
    return p + 2 + len;
}

/* The parent's id, where it does not follow that of the span at once. */
INLINE const uint8_t *
parent_id(struct decode_scratch *s, const uint8_t *p, const uint8_t *end)
{
    if (end - p < 10 || p[0] != 0x22 || p[1] != 8)
        return p;
    s->span.parent_id = wire_id64(p + 2);
    s->bad_parent = false;
    return p + 10;
}

/* Kind, start and end. */
INLINE const uint8_t *
kind_and_times(struct decode_scratch *s, const uint8_t *p, const uint8_t *end)
{
    if (unlikely(end - p < 20 || p[0] != 0x30 || p[1] > SPAN_CONSUMER ||
                 p[2] != 0x39 || p[11] != 0x41))
        return p;
    s->span.kind = p[1];
    s->span.start_ns = wire_load64(p + 3);
    s->span.end_ns = wire_load64(p + 12);
    return p + 20;
}

/* Attributes, of which only some may be unusual. */
INLINE const uint8_t *
attributes(struct decode_scratch *s, const uint8_t *p, const uint8_t *end,
           struct found *found)
{
    const uint8_t *next;

    for (;;) {
        while (likely((next = attribute(s, p, end, SPAN_ATTRIBUTE, found)) !=
                      NULL))
            p = next;
        if (likely(p >= end || *p != SPAN_ATTRIBUTE))
            return p;
        if (!(p = decode_span_field(s, p, end)))
            return NULL;
    }
}

/* An event of up to 127 bytes, of which nothing is kept. */
INLINE const uint8_t *
event(struct decode_scratch *s, const uint8_t *p, const uint8_t *end,
      struct found *found)
{
    const uint8_t *stop = p + 2 + p[1];
    const uint8_t *q = p + 2;
    const uint8_t *next;
    str name;

    if (likely(p[0] != 0x5a) || p[1] > 0x7f || stop > end)
        return p;
    if (likely(stop - q >= 9 && q[0] == 0x09))
        q += 9;
    q = short_text(q, stop, 0x12, found, &name);
    while ((next = attribute(s, q, stop, EVENT_ATTRIBUTE, found)))
        q = next;
    return likely(q == stop) ? stop : p;
}

/* A status, which most SDKs send empty. */
INLINE const uint8_t *
status(struct decode_scratch *s, const uint8_t *p, const uint8_t *end,
       struct found *found)
{
    const uint8_t *stop = p + 2 + p[1];
    const uint8_t *q = p + 2;
    uint8_t code = SPAN_UNSET;
    str message;

    if (unlikely(p[0] != 0x7a || p[1] > 0x7f || stop > end))
        return p;
    if (unlikely(p[1] != 0)) {
        q = short_text(q, stop, 0x12, found, &message);
        if (stop - q == 2 && q[0] == 0x18 && q[1] <= SPAN_ERROR) {
            code = q[1];
            q = stop;
        }
        if (q != stop)
            return p;
    }
    s->span.status = code;
    return stop;
}

INLINE const uint8_t *
flags(struct decode_scratch *s, const uint8_t *p, const uint8_t *end)
{
    bool has_flags = ((wire_load32(p) & 0xffff) == 0x0185) & (end - p >= 6);

    s->span.flags =
        (uint32_t)attr_choose(has_flags, wire_load32(p + 2), s->span.flags);
    return p + attr_choose(has_flags, 6, 0);
}

/* Fields in the order of their numbers, each only if it is next and as usual:
 * so |p| comes back if the next one is not.  NULL if an attribute is wrong. */
INLINE const uint8_t *
fields(struct decode_scratch *s, const uint8_t *p, const uint8_t *end,
       struct found *found)
{
    p = ids(s, p, end);
    if (unlikely(*p == 0x1a)) {
        p = short_text(p, end, 0x1a, found, &s->span.trace_state);
        p = parent_id(s, p, end);
    }
    p = short_text(p, end, 0x2a, found, &s->span.name);
    p = kind_and_times(s, p, end);
    p = attributes(s, p, end, found);
    if (unlikely(!p))
        return NULL;
    p = event(s, p, end, found);
    p = status(s, p, end, found);
    return flags(s, p, end);
}

BYTES64_TARGET bool
DECODE_SPAN_FN(struct decode_scratch *s, const uint8_t *p, const uint8_t *end)
{
    struct found found = {bytes64_text_none(), bytes64_pair_none()};
    const uint8_t *start = p;

    decode_span_reset(s);
    while (p < end) {
        const uint8_t *next = fields(s, p, end, &found);
        if (unlikely(next == p))
            next = decode_span_field(s, p, end);
        if (unlikely(!next))
            return false;
        p = next;
    }
    if (unlikely(!bytes64_text_is_ascii(found.text)))
        return decode_span_exact(s, start, end);
    /* Beside those of decode_span_field. */
    bytes64_pair_add(&found.mask, s->attrs.mask);
    bytes64_pair_put(found.mask, s->attrs.mask);
    decode_span_done(s);
    return true;
}
