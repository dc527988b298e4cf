/*
 * coded - numbers as bytes, and back, for what is kept on disk.
 *
 * Writers take where the bytes go, which must have room, and return what is
 * behind them.  A reader never goes beyond its end: a number that is cut short
 * or larger than it may be is 0 and sets |bad|, which is looked at once, at the
 * end.  All little-endian.
 *
 * Threads    None.
 */
#ifndef BASE_CODED_H
#define BASE_CODED_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { CODED_VARINT_MAX = 10 };

struct coded {
    const unsigned char *at;
    const unsigned char *end;
    bool bad; /* read past the end, or a value out of its range */
};

static inline char *
coded_put_u64(char *to, uint64_t value)
{
    uint64_t little = htole64(value);

    memcpy(to, &little, sizeof(little));
    return to + sizeof(little);
}

/* coded_put_varint writes at most CODED_VARINT_MAX bytes, few for a small
 * |value|. */
static inline char *
coded_put_varint(char *to, uint64_t value)
{
    while (value >= 0x80) {
        *to++ = (char)(value | 0x80);
        value >>= 7;
    }
    *to++ = (char)value;
    return to;
}

/* coded_zigzag keeps what goes either way short. */
static inline uint64_t
coded_zigzag(uint64_t difference)
{
    return (difference << 1) ^ (uint64_t)((int64_t)difference >> 63);
}

static inline uint64_t
coded_unzigzag(uint64_t coded)
{
    return (coded >> 1) ^ (~(coded & 1) + 1);
}

static inline void
coded_get_bytes(struct coded *in, void *out, size_t len)
{
    if ((size_t)(in->end - in->at) < len) {
        in->bad = true;
        return;
    }
    memcpy(out, in->at, len);
    in->at += len;
}

static inline uint64_t
coded_get_u64(struct coded *in)
{
    uint64_t little = 0;

    coded_get_bytes(in, &little, sizeof(little));
    return le64toh(little);
}

static inline uint64_t
coded_get_varint(struct coded *in, uint64_t max)
{
    uint64_t value = 0;

    for (unsigned shift = 0; shift < 64 && in->at < in->end; shift += 7) {
        uint64_t byte = *in->at++;
        if (shift == 63 && byte > 1)
            break;
        value |= (byte & 0x7f) << shift;
        if (byte >= 0x80)
            continue;
        if (value <= max)
            return value;
        break;
    }
    in->bad = true;
    return 0;
}

#endif
