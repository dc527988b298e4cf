/*
 * decode_span_fast - a span as it usually comes, compiled once for each
 * instruction set (decode_span_fast*.c), from this one text.
 *
 * Mispredicted branches are the cost, not bytes.  Hence: the fields are
 * expected in the order in which every sender writes them; whether a key is
 * known is computed without a branch, and an unknown key's value goes to the
 * slot behind the last; the type of a value is a branch, because the types of
 * a sender's attributes follow a pattern.  Text is checked for bytes above
 * 0x7f by or-ing the bits of a whole span; only where one was seen, or where
 * anything is unusual, the exact decoder reads it (again).
 *
 * Before including: DECODE_SPAN_FN, the name; DECODE_TARGET, its attribute.
 */
#include "otlp/bytes64.h"
#include "otlp/decode_state.h"

#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

#define INLINE static inline __attribute__((always_inline)) DECODE_TARGET

/* The first |len| bits, 1 to 64; no branch. */
INLINE uint64_t
low_bits(size_t len)
{
    return UINT64_MAX >> (-len & 63);
}

/* Not 0 if any of |len| <= 128 bytes is no ASCII.  Of nothing it may say so
 * too, which costs a second look. */
INLINE uint64_t
non_ascii(const uint8_t *p, size_t len)
{
    uint64_t bits = bytes64_high(p);

    if (likely(len <= 64))
        return bits & low_bits(len);
    return bits | (bytes64_high(p + 64) & low_bits(len - 64));
}

/* attr_find without a branch, for |len| < 128. */
INLINE size_t
find_slot(const struct attr_index *index, const uint8_t *key, size_t len)
{
    size_t slot = index->slot[attr_hash(key, len, ATTR_HASH_SEED)];
    const uint8_t *known = (const uint8_t *)attr_key_text[slot];
    uint32_t mask = (UINT32_C(1) << (len & 31)) - 1; /* no key is longer */
    size_t differ = (~bytes64_equal32(key, known) & mask) |
                    (uint32_t)(attr_key_len[slot] ^ len);
    size_t other = 0 - (size_t)(differ != 0);

    __asm__("" : "+r"(other)); /* lest a compiler makes it a branch again */
    return slot ^ ((slot ^ ATTR_COUNT) & other);
}

/* A varint of |len| bytes, 1 to 8; false if it does not end there. */
INLINE bool
varint8(const uint8_t *p, size_t len, uint64_t *out)
{
    uint64_t word = wire_load64(p);
    uint64_t stops = ~word & UINT64_C(0x8080808080808080);

    if (unlikely(len - 1 > 7 || (stops & -stops) != UINT64_C(0x80)
                                                        << (8 * (len - 1))))
        return false;
    word &= UINT64_C(0x7f7f7f7f7f7f7f7f) >> (8 * (8 - len));
    word = (word & UINT64_C(0x7f007f007f007f00)) >> 1 |
           (word & UINT64_C(0x007f007f007f007f));
    word = (word & UINT64_C(0x3fff00003fff0000)) >> 2 |
           (word & UINT64_C(0x00003fff00003fff));
    *out = (word & UINT64_C(0x0fffffff00000000)) >> 4 |
           (word & UINT64_C(0x000000000fffffff));
    return true;
}

/* An AnyValue that is a number: its field has |tag|, and |len| bytes at |p|. */
INLINE bool
number_value(const uint8_t *p, size_t len, uint32_t tag, struct attr_value *out)
{
    uint64_t number;

    out->len = 0;
    if (tag == 0x21) {
        out->type = ATTR_DOUBLE;
        number = wire_load64(p);
        memcpy(&out->d, &number, sizeof(out->d));
        return len == 8;
    }
    if (unlikely((tag | 8) != 0x18 || !varint8(p, len, &number)))
        return false;
    out->type = tag == 0x18 ? ATTR_INT : ATTR_BOOL;
    out->i = (int64_t)(tag == 0x18 ? number : number != 0);
    return true;
}

/*
 * One attribute: 4a len 0a len key 12 len tag value, each length one byte.
 * Returns the position behind it, or NULL if it is not so.
 */
INLINE const uint8_t *
attribute(struct decode_scratch *s, const uint8_t *p, const uint8_t *end,
          uint64_t *text)
{
    uint64_t head = wire_load64(p);
    size_t len = head >> 8 & 0x7f;
    size_t key_len = head >> 24 & 0x7f;
    const uint8_t *key = p + 4;
    const uint8_t *next = p + 2 + len;
    const uint8_t *q = key + key_len;
    uint32_t tail = wire_load32(q);
    size_t value_len = tail >> 8 & 0xff;
    uint32_t tag = tail >> 16 & 0xff;
    size_t str_len = tail >> 24;
    struct attr_value value;

    if (unlikely((head & 0x80ff80ff) != 0x000a004a || next > end ||
                 (tail & 0xff) != 0x12 || value_len == 0 ||
                 key_len + value_len + 4 != len))
        return NULL;
    if (likely(tag == 0x0a)) {
        if (unlikely(str_len + 2 != value_len))
            return NULL;
        value.type = ATTR_STR;
        value.len = (uint32_t)str_len;
        value.str = (const char *)q + 4;
        *text |= non_ascii(key, len - 2);
    } else {
        if (unlikely(!number_value(q + 3, value_len - 1, tag, &value)))
            return NULL;
        *text |= non_ascii(key, key_len);
    }
    size_t slot = find_slot(&s->index, key, key_len);
    s->attrs.value[slot] = value;
    s->attrs.mask[slot / 64] |= UINT64_C(1) << (slot % 64);
    return next;
}

/* The name, and behind it kind, start and end if they follow at once. */
INLINE const uint8_t *
name_and_times(struct decode_scratch *s, const uint8_t *p, const uint8_t *end,
               uint64_t *text)
{
    size_t len = p[1];

    if (unlikely(len > 0x7f || len + 2 > (size_t)(end - p)))
        return decode_span_field(s, p, end);
    s->span.name = (str){(const char *)p + 2, len};
    *text |= non_ascii(p + 2, len);
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

INLINE const uint8_t *
trace_and_span_id(struct decode_scratch *s, const uint8_t *p,
                  const uint8_t *end)
{
    if (unlikely(end - p < 28 || p[1] != 16 || p[18] != 0x12 || p[19] != 8))
        return decode_span_field(s, p, end);
    s->span.trace_hi = wire_id64(p + 2);
    s->span.trace_lo = wire_id64(p + 10);
    s->span.span_id = wire_id64(p + 20);
    return p + 28;
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
attributes(struct decode_scratch *s, const uint8_t *p, const uint8_t *end,
           uint64_t *text)
{
    do {
        const uint8_t *next = attribute(s, p, end, text);

        p = likely(next != NULL) ? next : decode_span_field(s, p, end);
    } while (p && p < end && *p == 0x4a);
    return p;
}

INLINE const uint8_t *
field(struct decode_scratch *s, const uint8_t *p, const uint8_t *end,
      uint64_t *text)
{
    switch (*p) {
    case 0x0a:
        return trace_and_span_id(s, p, end);
    case 0x22:
        return parent_id(s, p, end);
    case 0x2a:
        return name_and_times(s, p, end, text);
    case 0x4a:
        return attributes(s, p, end, text);
    case 0x7a: /* an empty status, which most SDKs send */
        if (likely(end - p >= 2 && p[1] == 0)) {
            s->span.status = SPAN_UNSET;
            return p + 2;
        }
        return decode_span_field(s, p, end);
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

DECODE_TARGET bool
DECODE_SPAN_FN(struct decode_scratch *s, const uint8_t *p, const uint8_t *end)
{
    const uint8_t *start = p;
    uint64_t text = 0;

    decode_span_reset(s);
    while (p < end)
        if (unlikely(!(p = field(s, p, end, &text))))
            return false;
    if (unlikely(text != 0))
        return decode_span_exact(s, start, end);
    s->attrs.mask[ATTR_COUNT / 64] &= ~(UINT64_C(1) << (ATTR_COUNT % 64));
    decode_span_done(s);
    return true;
}
