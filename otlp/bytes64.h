/*
 * bytes64 - look at many bytes at once; one bit a byte, the lowest the first.
 *
 * For the including file's instruction set: AVX2 where DECODE_AVX2 is defined,
 * SSE2 on any other x86-64, plain words elsewhere or where BYTES64_PLAIN asks
 * for them.  Private to the fast decoders.
 *
 * Threads    Any thread; no state.
 */
#ifndef OTLP_BYTES64_H
#define OTLP_BYTES64_H

#include <stddef.h>
#include <stdint.h>

#if defined(__x86_64__) && !defined(BYTES64_PLAIN)
#define BYTES64_SSE2
#include <immintrin.h>
#else
#include "otlp/wire.h"
#endif

#if defined(DECODE_AVX2)
#define BYTES64_INLINE \
    static inline __attribute__((always_inline, target("avx2,bmi,bmi2")))
#else
#define BYTES64_INLINE static inline __attribute__((always_inline))
#endif

#if defined(DECODE_AVX2)

BYTES64_INLINE uint64_t
bytes64_high(const uint8_t *p)
{
    __m256i a = _mm256_loadu_si256((const __m256i *)(const void *)p);
    __m256i b = _mm256_loadu_si256((const __m256i *)(const void *)(p + 32));

    return (uint32_t)_mm256_movemask_epi8(a) |
           (uint64_t)(uint32_t)_mm256_movemask_epi8(b) << 32;
}

BYTES64_INLINE uint32_t
bytes64_equal32(const uint8_t *p, const uint8_t *q)
{
    __m256i a = _mm256_loadu_si256((const __m256i *)(const void *)p);
    __m256i b = _mm256_loadu_si256((const __m256i *)(const void *)q);

    return (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(a, b));
}

#elif defined(BYTES64_SSE2)

BYTES64_INLINE uint64_t
bytes64_high(const uint8_t *p)
{
    uint64_t bits = 0;

    for (unsigned i = 0; i < 64; i += 16) {
        __m128i a = _mm_loadu_si128((const __m128i *)(const void *)(p + i));

        bits |= (uint64_t)(uint32_t)_mm_movemask_epi8(a) << i;
    }
    return bits;
}

BYTES64_INLINE uint32_t
bytes64_equal32(const uint8_t *p, const uint8_t *q)
{
    uint32_t bits = 0;

    for (unsigned i = 0; i < 32; i += 16) {
        __m128i a = _mm_loadu_si128((const __m128i *)(const void *)(p + i));
        __m128i b = _mm_loadu_si128((const __m128i *)(const void *)(q + i));

        bits |= (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(a, b)) << i;
    }
    return bits;
}

#else

/* Gathers the top bits of eight bytes into one byte. */
BYTES64_INLINE uint64_t
bytes64_gather(uint64_t top_bits)
{
    return top_bits * UINT64_C(0x0002040810204081) >> 56;
}

BYTES64_INLINE uint64_t
bytes64_high(const uint8_t *p)
{
    const uint64_t tops = UINT64_C(0x8080808080808080);
    uint64_t bits = 0;

    for (unsigned i = 0; i < 64; i += 8)
        bits |= bytes64_gather(wire_load64(p + i) & tops) << i;
    return bits;
}

BYTES64_INLINE uint32_t
bytes64_equal32(const uint8_t *p, const uint8_t *q)
{
    const uint64_t tops = UINT64_C(0x8080808080808080);
    uint32_t bits = 0;

    for (unsigned i = 0; i < 32; i += 8) {
        uint64_t x = wire_load64(p + i) ^ wire_load64(q + i);
        uint64_t differ = (((x & ~tops) + ~tops) | x) & tops;

        bits |= (uint32_t)bytes64_gather(differ ^ tops) << i;
    }
    return bits;
}

#endif

#endif
