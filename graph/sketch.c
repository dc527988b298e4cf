/*
 * Bucket i holds the durations in (g^(i-1), g^i] us, so its number is
 * ceil(log_g(us)); the value it stands for is 2 g^i / (g + 1), which is 2 %
 * away from both ends.  A polynomial says which, save near a border, where
 * libm is asked.  Its log2 is correct to the last bit or so, hence a
 * duration can land in the wrong bucket only if it is on the border anyway.
 *
 * Encoded: for each non-zero bucket in rising order, the distance from the
 * bucket before (the first: from -1) and the count, zigzag, both as LEB128.
 * A count of zero, a distance of zero and a number with more bytes than it
 * needs are refused, so one sketch has one encoding.
 */
#include "graph/sketch.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* 1 / log2(1.02 / 0.98) */
#define BUCKETS_PER_OCTAVE 17.326368776892767
#define GROWTH             (1.02 / 0.98)
#define NS_PER_US          1000.0
#define ROUGH_MAX          0.001
#define MANTISSA_MASK      ((UINT64_C(1) << MANTISSA_BITS) - 1)

enum { MANTISSA_BITS = 52, EXPONENT_BIAS = 1023 };

enum { VARINT_MAX = 10 };

/* log2 of x > 1, wrong by less than ROUGH_MAX / BUCKETS_PER_OCTAVE. */
static double
rough_log2(double x)
{
    uint64_t bits;
    double m;

    memcpy(&bits, &x, sizeof(bits));
    int exponent = (int)(bits >> MANTISSA_BITS) - EXPONENT_BIAS;
    bits = (bits & MANTISSA_MASK) | (uint64_t)EXPONENT_BIAS << MANTISSA_BITS;
    memcpy(&m, &bits, sizeof(m));
    double p =
        ((((-0.034436006 * m + 0.31821337) * m - 1.2315303) * m + 2.5988452) *
             m -
         3.3241990) *
            m +
        3.1157899;
    return exponent + p * (m - 1);
}

uint16_t
sketch_bucket(uint64_t duration_ns)
{
    double us = (double)duration_ns / NS_PER_US;

    if (us <= 1)
        return 0;
    double at = rough_log2(us) * BUCKETS_PER_OCTAVE;
    double bucket = (double)(int)at + 1;
    if (bucket - at < ROUGH_MAX || bucket - at > 1 - ROUGH_MAX)
        bucket = ceil(log2(us) * BUCKETS_PER_OCTAVE);
    return bucket < SKETCH_BUCKETS - 1 ? (uint16_t)bucket : SKETCH_BUCKETS - 1;
}

uint64_t
sketch_value_ns(uint16_t bucket)
{
    double top_us = exp2((double)bucket / BUCKETS_PER_OCTAVE);

    return (uint64_t)(2 * top_us / (GROWTH + 1) * NS_PER_US + 0.5);
}

static void
add_varint(struct buf *out, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        buf_add_char(out, (char)(value | 0x80));
    buf_add_char(out, (char)value);
}

void
sketch_encode(const struct sketch *sketch, struct buf *out)
{
    int last = -1;

    for (int i = 0; i < SKETCH_BUCKETS; i++) {
        int64_t count = sketch->count[i];
        if (count == 0)
            continue;
        add_varint(out, (uint64_t)(i - last));
        add_varint(out, (uint64_t)count << 1 ^ (uint64_t)(count >> 63));
        last = i;
    }
}

/* Takes one number off the front of |bytes|. */
static bool
take_varint(str *bytes, uint64_t *out)
{
    uint64_t value = 0;

    for (size_t i = 0; i < bytes->len && i < VARINT_MAX; i++) {
        unsigned char byte = (unsigned char)bytes->ptr[i];
        if (i == VARINT_MAX - 1 && byte > 1)
            return false;
        value |= (uint64_t)(byte & 0x7f) << (7 * i);
        if (byte & 0x80)
            continue;
        if (i > 0 && byte == 0)
            return false;
        *bytes = str_cut(*bytes, i + 1, bytes->len);
        *out = value;
        return true;
    }
    return false;
}

static bool
take_bucket(str *bytes, int *bucket, int64_t *count)
{
    uint64_t step;
    uint64_t zigzag;

    if (!take_varint(bytes, &step) || !take_varint(bytes, &zigzag))
        return false;
    if (step == 0 || step > (uint64_t)(SKETCH_BUCKETS - 1 - *bucket) ||
        zigzag == 0)
        return false;
    *bucket += (int)step;
    *count = (int64_t)(zigzag >> 1 ^ -(zigzag & 1));
    return true;
}

enum err
sketch_add_encoded(struct sketch *sketch, str bytes)
{
    str rest = bytes;
    int bucket = -1;
    int64_t count;
    int64_t sum;

    while (rest.len > 0) {
        if (!take_bucket(&rest, &bucket, &count) ||
            __builtin_add_overflow(sketch->count[bucket], count, &sum))
            return ERR_CORRUPT;
    }
    bucket = -1;
    while (bytes.len > 0 && take_bucket(&bytes, &bucket, &count))
        sketch->count[bucket] += count;
    return OK;
}

uint64_t
sketch_quantile_ns(const struct sketch *sketch, double q)
{
    double total = 0;

    for (int i = 0; i < SKETCH_BUCKETS; i++)
        total += sketch->count[i] > 0 ? (double)sketch->count[i] : 0;
    if (total <= 0)
        return 0;

    double rank = floor(q * (total - 1));
    double below = 0;
    int last = 0;
    for (int i = 0; i < SKETCH_BUCKETS; i++) {
        if (sketch->count[i] <= 0)
            continue;
        last = i;
        below += (double)sketch->count[i];
        if (below > rank)
            break;
    }
    return sketch_value_ns((uint16_t)last);
}
