/*
 * decode_attr_fast - an attribute as it usually comes, for the fast decoders of
 * what has them, compiled for the instruction set of each (bytes64.h).
 *
 * Whether a key is known, and whether its value is a string or a number, is
 * computed without a branch; an unknown key's value goes to the slot behind the
 * last.  All that an attribute asks for lies in the scratch, at a fixed
 * distance from its begin.
 *
 * Threads    As decode_state.h.
 */
#ifndef OTLP_DECODE_ATTR_FAST_H
#define OTLP_DECODE_ATTR_FAST_H

#include "otlp/attr_find.h"
#include "otlp/decode_state.h"

#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

#define INLINE BYTES64_INLINE

/* The bits of a string's address are stored where a number's are. */
_Static_assert(sizeof(uintptr_t) <= sizeof(int64_t), "an address is a number");

/* Tags of the attributes of a span, of its events, and of a resource. */
enum {
    SPAN_ATTRIBUTE = 0x4a,
    EVENT_ATTRIBUTE = 0x1a,
    RESOURCE_ATTRIBUTE = 0x0a,
};

/* What is found out of attributes beside their values. */
struct found {
    struct bytes64_text text; /* all bytes of all texts */
    struct bytes64_pair mask; /* of the attributes */
};

/* Of |len| <= 127 bytes, 128 readable. */
INLINE void
add_text(struct found *found, const uint8_t *p, size_t len)
{
    bytes64_text_add(&found->text, p, len);
    if (unlikely(len > 64))
        bytes64_text_add(&found->text, p + 64, len - 64);
}

/* The same |s|, of which the compiler is to know nothing.  What it knew of it
 * before, addresses in it above all, it would keep for the next attribute, in
 * more registers than there are. */
INLINE struct decode_scratch *
at_hand(struct decode_scratch *s)
{
    __asm__ volatile("" : "+r"(s));
    return s;
}

/*
 * One attribute: |field| len 0a len key 12 len tag value, each length one byte,
 * and the value a string, an integer of up to eight bytes, a bool or a double.
 * Returns the position behind it, or NULL if it is not so.  It is kept unless
 * it is one of an event.
 *
 * |rest| is all of it but the key: the value, and the tag and length of both.
 * So one comparison tells that the value comes next and ends with the
 * attribute.  |bits| come before the last bit of the value: of a number that is
 * where it stops, of a string what its length says.
 */
INLINE const uint8_t *
attribute(struct decode_scratch *s, const uint8_t *p, const uint8_t *end,
          uint8_t field, struct found *found)
{
    s = at_hand(s);
    uint64_t head = wire_load64(p);
    size_t len = head >> 8 & 0xff;
    size_t key_len = head >> 24 & 0xff;
    size_t rest = len - key_len;
    const uint8_t *q = p + 4 + key_len;
    const uint8_t *next = p + 2 + len;
    size_t place = attr_place_sized(&s->index, p + 3, head >> 24, key_len);
    uint32_t tail = wire_load32(q);

    if (unlikely((head & 0x80ff80ff) != (0x000a0000 | field) || next > end ||
                 (uint16_t)(tail - (rest << 8)) != (uint16_t)(0x12 - 0x400)))
        return NULL;
    uint32_t tag = tail >> 16 & 0xff;
    uint64_t content = wire_load64(q + 3);
    uint64_t stops = ~content & s->fast.high_bits;
    uint64_t number =
        bytes64_pack(content & (stops ^ (stops - 1)), s->fast.low_bits);
    struct attr_three value = attr_choose3(
        tag, ATTR_STR,
        (struct attr_three){8 * (content & 0xff) + 7, (uintptr_t)(q + 4),
                            len - 2},
        (struct attr_three){bytes64_zeros(stops), number, key_len});
    uint64_t bits = value.a;
    uint64_t text_len = value.c;

    if (unlikely(bits + s->fast.around[tag] != 8 * rest)) {
        if (tag != ATTR_DOUBLE || rest != 4 + 9)
            return NULL;
        value.b = content;
    }
    add_text(found, p + 4, text_len);
    if (field == EVENT_ATTRIBUTE)
        return next;
    s = at_hand(s);
    struct attr_value *out = attr_value_at(
        field == SPAN_ATTRIBUTE ? &s->attrs : &s->resource, place);
    bytes64_pair_add(&found->mask, attr_key_at(&s->index, place)->bits);
    out->len = content & 0xff; /* of a string */
    out->type = (uint8_t)tag;
    out->i = (int64_t)value.b;
    return next;
}

#endif
