/*
 * decode_span_fast - a span as it usually comes, compiled once for each
 * instruction set (decode_span_fast*.c), from this one text.
 *
 * Mispredicted branches are the cost, not bytes.  Hence: the fields are
 * expected in the order in which every sender writes them; whether a key is
 * known, whether its value is a string or a number, and whether there are a
 * parent and flags, is computed without a branch.  An unknown key's value goes
 * to the slot behind the last.  Text is checked for bytes above 0x7f by or-ing
 * those of a whole span; only where one was seen, or where anything is
 * unusual, the exact decoder reads it (again).
 *
 * Before including: DECODE_SPAN_FN, the name; for which instructions, as
 * bytes64.h says.
 */
#include "otlp/attr_find.h"
#include "otlp/decode_state.h"

#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

#define INLINE BYTES64_INLINE

/* The bits of a string's address are stored where a number's are. */
_Static_assert(sizeof(uintptr_t) <= sizeof(int64_t), "an address is a number");

/* Tags of the attributes of a span and of its events. */
enum { SPAN_ATTRIBUTE = 0x4a, EVENT_ATTRIBUTE = 0x1a };

/* What is found out of a span beside s->span. */
struct found {
    struct bytes64_text text; /* all bytes of all texts */
    struct bytes64_pair mask; /* of the attributes */
};

/* Of |len| <= 128 bytes, 128 readable. */
INLINE void
add_text(struct found *found, const uint8_t *p, size_t len)
{
    if (unlikely(len > 64)) {
        bytes64_text_add(&found->text, p, 64);
        p += 64;
        len -= 64;
    }
    bytes64_text_add(&found->text, p, len);
}

/*
 * One attribute: |field| len 0a len key 12 len tag value, each length one byte,
 * and the value a string, an integer of up to eight bytes, a bool or a double.
 * Returns the position behind it, or NULL if it is not so.  It is kept only if
 * it is one of the span.
 *
 * |bits| come before the last bit of the value: of a number that is where it
 * stops, of a string what its length says.
 */
INLINE const uint8_t *
attribute(struct decode_scratch *s, const uint8_t *p, const uint8_t *end,
          uint8_t field, struct found *found)
{
    /* By the tag of an AnyValue's field; 0: not one of these. */
    static const uint8_t types[256] = {
        [0x0a] = ATTR_STR, [0x10] = ATTR_BOOL, [0x18] = ATTR_INT};
    uint64_t head = wire_load64(p);
    uint64_t begin = head >> 24; /* of the key, with its length */
    size_t len = head >> 8 & 0xff;
    size_t key_len = begin & 0xff;
    const uint8_t *key = p + 4;
    const uint8_t *next = p + 2 + len;
    const uint8_t *q = key + key_len;
    uint32_t tail = wire_load32(q);
    uint32_t value_len = tail >> 8 & 0xff;
    uint32_t tag = tail >> 16 & 0xff;
    uint64_t content = wire_load64(q + 3);
    uint64_t stops = ~content & UINT64_C(0x8080808080808080);
    uint64_t number = bytes64_pack(content & (stops ^ (stops - 1)));
    uint64_t bits = bytes64_zeros(stops);
    uint32_t is_other = tag ^ 0x0a; /* than a string */
    uint8_t type = types[tag];

    if (unlikely((head & 0x80ff80ff) != (0x000a0000 | field) || next > end ||
                 (tail & 0xff) != 0x12 || key_len + value_len + 4 != len))
        return NULL;
    bits = attr_choose(is_other, bits, 8 * (content & 0xff) + 7);
    number = attr_choose(is_other, number, (uintptr_t)(q + 4));
    if (unlikely(type == ATTR_NONE)) {
        if (tag != 0x21 || value_len != 9)
            return NULL;
        type = ATTR_DOUBLE;
        number = content;
    } else if (unlikely(bits + 9 != 8 * (uint64_t)value_len)) {
        return NULL;
    }
    add_text(found, key, attr_choose(is_other, key_len, len - 2));
    if (field != SPAN_ATTRIBUTE)
        return next;
    size_t slot = attr_slot_sized(&s->index, p + 3, begin, key_len);
    struct attr_value *value = &s->attrs.value[slot];
    bytes64_pair_add(&found->mask, attr_keys[slot].bits);
    value->len = content & 0xff; /* of a string */
    value->type = type;
    value->i = (int64_t)number;
    return next;
}

/* The name, and behind it kind, start and end if they follow at once. */
INLINE const uint8_t *
name_and_times(struct decode_scratch *s, const uint8_t *p, const uint8_t *end,
               struct found *found)
{
    size_t len = p[1];

    if (unlikely(len > 0x7f || len + 2 > (size_t)(end - p)))
        return decode_span_field(s, p, end);
    s->span.name = (str){(const char *)p + 2, len};
    add_text(found, p + 2, len);
    p += 2 + len;
    if (likely(end - p >= 20 && p[0] == 0x30 && p[1] <= SPAN_CONSUMER &&
               p[2] == 0x39 && p[11] == 0x41)) {
        s->span.kind = p[1];
        s->span.start_ns = wire_load64(p + 3);
        s->span.end_ns = wire_load64(p + 12);
        p += 20;
    }
    return p;
}

/* The ids of trace and span, and of the parent if it follows at once. */
INLINE const uint8_t *
ids(struct decode_scratch *s, const uint8_t *p, const uint8_t *end)
{
    if (unlikely(end - p < 28 || p[1] != 16 || p[18] != 0x12 || p[19] != 8))
        return decode_span_field(s, p, end);
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

INLINE const uint8_t *
parent_id(struct decode_scratch *s, const uint8_t *p, const uint8_t *end)
{
    if (unlikely(end - p < 10 || p[1] != 8))
        return decode_span_field(s, p, end);
    s->span.parent_id = wire_id64(p + 2);
    s->bad_parent = false;
    return p + 10;
}

INLINE const uint8_t *
trace_state(struct decode_scratch *s, const uint8_t *p, const uint8_t *end,
            struct found *found)
{
    size_t len = p[1];

    if (unlikely(len > 0x7f || len + 2 > (size_t)(end - p)))
        return decode_span_field(s, p, end);
    s->span.trace_state = (str){(const char *)p + 2, len};
    add_text(found, p + 2, len);
    return p + 2 + len;
}

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

/* Text with |tag| and a length of one byte, if that is what is at |p|. */
INLINE const uint8_t *
short_text(const uint8_t *p, const uint8_t *end, uint8_t tag,
           struct found *found)
{
    size_t len = p[1];

    if (p[0] != tag || len > 0x7f || end - p < (ptrdiff_t)len + 2)
        return p;
    add_text(found, p + 2, len);
    return p + 2 + len;
}

/* An event of up to 127 bytes, of which nothing is kept. */
INLINE const uint8_t *
event(struct decode_scratch *s, const uint8_t *p, const uint8_t *end,
      struct found *found)
{
    const uint8_t *stop = p + 2 + p[1];
    const uint8_t *q = p + 2;
    const uint8_t *next;

    if (unlikely(p[1] > 0x7f || stop > end))
        return decode_span_field(s, p, end);
    if (likely(stop - q >= 9 && q[0] == 0x09))
        q += 9;
    q = short_text(q, stop, 0x12, found);
    while ((next = attribute(s, q, stop, EVENT_ATTRIBUTE, found)))
        q = next;
    return likely(q == stop) ? stop : decode_span_field(s, p, end);
}

/* A status, which most SDKs send empty, and flags if they follow at once. */
INLINE const uint8_t *
status(struct decode_scratch *s, const uint8_t *p, const uint8_t *end,
       struct found *found)
{
    const uint8_t *stop = p + 2 + p[1];
    const uint8_t *q = p + 2;
    uint8_t code = SPAN_UNSET;

    if (unlikely(p[1] > 0x7f || stop > end))
        return decode_span_field(s, p, end);
    if (unlikely(p[1] != 0)) {
        q = short_text(q, stop, 0x12, found);
        if (stop - q == 2 && q[0] == 0x18 && q[1] <= SPAN_ERROR) {
            code = q[1];
            q = stop;
        }
        if (q != stop)
            return decode_span_field(s, p, end);
    }
    s->span.status = code;
    p = stop;
    bool has_flags = ((wire_load32(p) & 0xffff) == 0x0185) & (end - p >= 6);
    s->span.flags =
        (uint32_t)attr_choose(has_flags, wire_load32(p + 2), s->span.flags);
    return p + attr_choose(has_flags, 6, 0);
}

INLINE const uint8_t *
field(struct decode_scratch *s, const uint8_t *p, const uint8_t *end,
      struct found *found)
{
    switch (*p) {
    case 0x0a:
        return ids(s, p, end);
    case 0x1a:
        return trace_state(s, p, end, found);
    case 0x22:
        return parent_id(s, p, end);
    case 0x2a:
        return name_and_times(s, p, end, found);
    case SPAN_ATTRIBUTE:
        return attributes(s, p, end, found);
    case 0x5a:
        return event(s, p, end, found);
    case 0x7a:
        return status(s, p, end, found);
    case 0x85:
        if (likely(end - p >= 6 && p[1] == 0x01)) {
            s->span.flags = wire_load32(p + 2);
            return p + 6;
        }
        return decode_span_field(s, p, end);
    default:
        return decode_span_field(s, p, end);
    }
}

BYTES64_TARGET bool
DECODE_SPAN_FN(struct decode_scratch *s, const uint8_t *p, const uint8_t *end)
{
    struct found found = {bytes64_text_none(), bytes64_pair_none()};
    const uint8_t *start = p;

    decode_span_reset(s);
    while (p < end)
        if (unlikely(!(p = field(s, p, end, &found))))
            return false;
    if (unlikely(!bytes64_text_is_ascii(found.text)))
        return decode_span_exact(s, start, end);
    /* Beside those of decode_span_field. */
    bytes64_pair_add(&found.mask, s->attrs.mask);
    bytes64_pair_put(found.mask, s->attrs.mask);
    decode_span_done(s);
    return true;
}
