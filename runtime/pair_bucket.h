/*
 * pair_bucket - twelve places of the index of pair, in one cache line.
 *
 * Threads    None; plain values.
 */
#ifndef RUNTIME_PAIR_BUCKET_H
#define RUNTIME_PAIR_BUCKET_H

#include <stdint.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* Asking for memory has no effect that a compiler can see: GCC drops calls of
 * functions that do only that, unless they are inlined at once. */
#define PAIR_PREFETCH static inline __attribute__((always_inline)) void

enum { PAIR_BUCKET_LEN = 12 };

struct pair_bucket {
    uint8_t tag[PAIR_BUCKET_LEN]; /* 0: empty */
    uint16_t overflow;            /* keys that went past a full bucket */
    uint16_t unused;
    uint32_t id[PAIR_BUCKET_LEN];
};

/* pair_bucket_tag is what of |hash| tells the keys of a bucket apart; pair_hash
 * (pair_index.h) sees to it that it is not 0. */
static inline uint8_t
pair_bucket_tag(uint64_t hash)
{
    return (uint8_t)(hash >> 56);
}

/* pair_bucket_match is the slots that hold |tag|, a bit each. */
static inline uint32_t
pair_bucket_match(const struct pair_bucket *bucket, uint8_t tag)
{
#ifdef __SSE2__
    __m128i tags = _mm_load_si128((const __m128i *)(const void *)bucket->tag);
    /* _mm_set1_epi8 may go through memory. */
    uint64_t eight = tag * UINT64_C(0x0101010101010101);
    __m128i same = _mm_cmpeq_epi8(tags, _mm_set1_epi64x((long long)eight));

    return (uint32_t)_mm_movemask_epi8(same) & ((1 << PAIR_BUCKET_LEN) - 1);
#else
    uint32_t mask = 0;

    for (uint32_t i = 0; i < PAIR_BUCKET_LEN; i++)
        mask |= (uint32_t)(bucket->tag[i] == tag) << i;
    return mask;
#endif
}

#endif
