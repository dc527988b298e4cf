/*
 * wire - protobuf on the wire, read as protobuf-c 1.4.1 reads it.
 *
 * The reference decides what is accepted, also where it is odd: a tag has at
 * most 5 bytes and may not start with a byte below 8, a length has at most 5,
 * a varint at most 10 and bits beyond its type are lost; groups are refused.
 *
 * A reader takes the position and the end and returns the position behind what
 * it read, or NULL.  It looks at most 16 bytes beyond |end|, which must be
 * readable (decode.h).
 *
 * Threads    Any thread; no state.
 */
#ifndef OTLP_WIRE_H
#define OTLP_WIRE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/str.h"

enum wire_type {
    WIRE_VARINT = 0,
    WIRE_FIXED64 = 1,
    WIRE_BYTES = 2,
    WIRE_FIXED32 = 5,
};

/* One field.  |body| is the content of WIRE_BYTES, else the bytes of the
 * number itself; |value| is that number. */
struct wire_field {
    uint32_t number;
    uint32_t type; /* enum wire_type */
    uint64_t value;
    const uint8_t *body;
    size_t len;
};

static inline uint64_t
wire_load64(const uint8_t *p)
{
    uint64_t word;

    memcpy(&word, p, sizeof(word));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

static inline uint32_t
wire_load32(const uint8_t *p)
{
    uint32_t word;

    memcpy(&word, p, sizeof(word));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap32(word);
#endif
    return word;
}

/* wire_id64 reads eight bytes of an id, the first the most significant. */
static inline uint64_t
wire_id64(const uint8_t *p)
{
    return __builtin_bswap64(wire_load64(p));
}

static inline str
wire_str(const struct wire_field *field)
{
    return (str){(const char *)field->body, field->len};
}

/* wire_varint reads a number of at most |max_len| bytes into |out|. */
static inline const uint8_t *
wire_varint(const uint8_t *p, const uint8_t *end, int max_len, uint64_t *out)
{
    uint64_t value = 0;

    for (int i = 0; i < max_len && p < end; i++, p++) {
        value |= (uint64_t)(*p & 0x7f) << (7 * i);
        if (*p < 0x80) {
            *out = value;
            return p + 1;
        }
    }
    return NULL;
}

/* wire_bytes reads a length and returns where its |len| bytes start; all of
 * them lie before |end|. */
static inline const uint8_t *
wire_bytes(const uint8_t *p, const uint8_t *end, size_t *len)
{
    uint64_t value = 0;

    if (p < end && *p < 0x80)
        value = *p++;
    else if (!(p = wire_varint(p, end, 5, &value)))
        return NULL;
    if (value > (size_t)(end - p))
        return NULL;
    *len = (size_t)value;
    return p;
}

/* wire_next reads one field of any kind, with its content. */
const uint8_t *
wire_next(const uint8_t *p, const uint8_t *end, struct wire_field *out);

#endif
