/*
 * Bucket i holds the durations in (g^(i-1), g^i] us, so its number is
 * ceil(log_g(us)); the value it stands for is 2 g^i / (g + 1), which is 2 %
 * away from both ends.  A rough logarithm, of the first six bits, gives the
 * bucket or the one below, and its top decides: faster than a good logarithm,
 * and the same on every machine.
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

#include "base/coded.h"

#define GROWTH (1.02 / 0.98)

/* Logarithms are to the base of GROWTH and in 1/2^20, rounded down: of 2, and
 * of 1 to 2 in 32 parts.  ORIGIN is that of 1000, less 1, rounded up. */
enum { PART_BITS = 5, FRACTION_BITS = 20 };
#define OCTAVE UINT32_C(18168014)
#define ORIGIN UINT32_C(180009939)
static const uint32_t PART[1 << PART_BITS] = {
    0,        806553,   1589026,  2348815,  3087199,  3805351,  4504350,
    5185191,  5848794,  6496009,  7127628,  7744384,  8346960,  8935994,
    9512081,  10075778, 10627607, 11168057, 11697588, 12216633, 12725598,
    13224869, 13714807, 14195754, 14668035, 15131957, 15587811, 16035871,
    16476401, 16909649, 17335852, 17755235,
};

enum { STEPS = 32 };

/* The top of bucket i, in ns, is TOP[i / STEPS] * STEP[i % STEPS]. */
static const double STEP[STEPS] = {
    1,
    1.0408163265306123,
    1.083298625572678,
    1.1275148960042158,
    1.1735359121676534,
    1.2214353371540883,
    1.271289840711398,
    1.3231792219649243,
    1.377186537147166,
    1.433398232540928,
    1.491904282848721,
    1.5527983352098933,
    1.6161778590960114,
    1.68214430232442,
    1.7508032534397024,
    1.8222646107229556,
    1.8966427580994027,
    1.974056748225909,
    2.0546304930514565,
    2.1384929621555973,
    2.2257783891823566,
    2.3166264867000037,
    2.411182669830616,
    2.509598289007376,
    2.612030872232167,
    2.718644377221235,
    2.82960945384251,
    2.945103717264653,
    3.065312032255047,
    3.1904268090817833,
    3.3206483114932848,
    3.456184977268521,
};
static const double TOP[SKETCH_BUCKETS / STEPS] = {
    1000,
    3597.25375185091,
    12940.234555205445,
    46549.307303543574,
    167449.67034373307,
    602358.9548901918,
    2166838.0104397354,
    7794666.162707498,
    28039392.098224882,
    100864808.4249582,
    362836310.53640413,
    1305214279.3848214,
    4695186963.48643,
    16889778920.043041,
    60756820588.057236,
    218557700810.92148,
    786207509237.9958,
    2828187912339.7393,
    10173709578603.518,
    36597414951873.05,
    131650188243669.88,
    473579133591420,
};

static double
top_ns(unsigned bucket)
{
    return TOP[bucket / STEPS] * STEP[bucket % STEPS];
}

/* Which bucket it is nobody can predict: no branches. */
uint16_t
sketch_bucket(uint64_t duration_ns)
{
    const unsigned last = SKETCH_BUCKETS - 2; /* that has a top */
    uint64_t ns = duration_ns < 1000 ? 1000 : duration_ns;
    unsigned zeros = (unsigned)__builtin_clzll(ns);
    uint64_t part = ns << zeros >> (63 - PART_BITS);

    part &= (1 << PART_BITS) - 1;
    unsigned rough = (63 - zeros) * OCTAVE + PART[part] - ORIGIN;
    unsigned bucket = rough >> FRACTION_BITS;
    bucket = bucket < last ? bucket : last;
    /* Beyond the scale the sign does not matter any more. */
    ns = ns < INT64_MAX ? ns : INT64_MAX;
    return (uint16_t)(bucket + ((double)(int64_t)ns > top_ns(bucket)));
}

uint64_t
sketch_value_ns(uint16_t bucket)
{
    return (uint64_t)(2 * top_ns(bucket) / (GROWTH + 1) + 0.5);
}

/* Takes one number off the front of |bytes|. */
static bool
take_varint(str *bytes, uint64_t *out)
{
    uint64_t value = 0;

    for (size_t i = 0; i < bytes->len && i < CODED_VARINT_MAX; i++) {
        unsigned char byte = (unsigned char)bytes->ptr[i];
        if (i == CODED_VARINT_MAX - 1 && byte > 1)
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
    *count = (int64_t)coded_unzigzag(zigzag);
    return true;
}

/* Bytes there is room for; the bucket written last. */
struct encoder {
    char *at;
    int last;
};

static void
put_bucket(struct encoder *to, int bucket, int64_t count)
{
    if (count == 0)
        return;
    to->at = coded_put_varint(to->at, (uint64_t)(bucket - to->last));
    to->at = coded_put_varint(to->at, coded_zigzag((uint64_t)count));
    to->last = bucket;
}

enum err
sketch_merge(str stored, const struct sketch_count *counts, size_t len,
             struct buf *out)
{
    const struct sketch_count *end = counts + len;
    char *begin = buf_grow(out, stored.len + len * (2 + CODED_VARINT_MAX));
    struct encoder to = {.at = begin, .last = -1};
    int bucket = -1;
    int64_t count;

    if (!begin)
        return ERR_NOMEM;
    while (stored.len > 0) {
        if (!take_bucket(&stored, &bucket, &count))
            return ERR_CORRUPT;
        for (; counts < end && counts->bucket < bucket; counts++)
            put_bucket(&to, counts->bucket, counts->count);
        if (counts < end && counts->bucket == bucket &&
            __builtin_add_overflow(count, (counts++)->count, &count))
            return ERR_CORRUPT;
        put_bucket(&to, bucket, count);
    }
    for (; counts < end; counts++)
        put_bucket(&to, counts->bucket, counts->count);
    out->len += (size_t)(to.at - begin);
    return OK;
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

    double rank = ceil(q * total) - 1; /* q = 0: the least */
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
