/*
 * bytes64 - look at many bytes at once.
 *
 * For the including file's instruction set: AVX-512 where DECODE_AVX512 is
 * defined (beside DECODE_AVX2), AVX2 where DECODE_AVX2 is, SSE2 on any other
 * x86-64, plain words elsewhere or where BYTES64_PLAIN asks for them;
 * DECODE_PEXT where that instruction is one.  Private to the fast decoders.
 *
 *     struct bytes64_text text = bytes64_text_none();
 *     bytes64_text_add(&text, p, len); ...
 *     if (bytes64_text_is_ascii(text))
 *
 * An addition looks at |len| <= 128 bytes, but at 64 of them at most, and reads
 * 64; whether one of them is above 0x7f is asked once, at the end.
 * bytes64_differ is not 0 if one of the first |len| bytes, or of 32 if those
 * are fewer, is not the same; |mask| has a bit for each of them, which is as
 * good to some.  It reads 32.  bytes64_pack puts the low seven bits of eight
 * bytes together, which |low| are and which is what a varint means.  A pair is
 * two words that are or-ed to.
 *
 * Threads    Any thread; no state.
 */
#ifndef OTLP_BYTES64_H
#define OTLP_BYTES64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "otlp/wire.h"

#if defined(__x86_64__) && !defined(BYTES64_PLAIN)
#define BYTES64_SSE2
#include <immintrin.h>
#endif

#if defined(DECODE_AVX512)
#define BYTES64_TARGET                                               \
    __attribute__((target("avx2,bmi,bmi2,avx512f,avx512bw,avx512vl," \
                          "avx512dq")))
#elif defined(DECODE_AVX2)
#define BYTES64_TARGET __attribute__((target("avx2,bmi,bmi2")))
#else
#define BYTES64_TARGET
#endif
#define BYTES64_INLINE \
    static inline __attribute__((always_inline)) BYTES64_TARGET

/* bytes64_zeros counts the low bits that are 0; 64 of nothing. */
BYTES64_INLINE uint64_t
bytes64_zeros(uint64_t word)
{
#if defined(DECODE_AVX2)
    return _tzcnt_u64(word);
#else
    return word ? (uint64_t)__builtin_ctzll(word) : 64;
#endif
}

#if defined(BYTES64_SSE2)

struct bytes64_pair {
    __m128i words;
};

BYTES64_INLINE struct bytes64_pair
bytes64_pair_none(void)
{
    return (struct bytes64_pair){_mm_setzero_si128()};
}

/* bytes64_pair_add ors two words to those of |pair|. */
BYTES64_INLINE void
bytes64_pair_add(struct bytes64_pair *pair, const uint64_t words[2])
{
    pair->words = _mm_or_si128(
        pair->words, _mm_loadu_si128((const __m128i *)(const void *)words));
}

BYTES64_INLINE void
bytes64_pair_put(struct bytes64_pair pair, uint64_t out[2])
{
    _mm_storeu_si128((__m128i *)(void *)out, pair.words);
}

#endif

#if defined(DECODE_AVX512)

#include "otlp/bytes64_avx512.h"

#else

/* 128 times 0xff, and 64 times 0. */
extern const uint8_t bytes64_mask[192];

#if defined(DECODE_AVX2)
#include "otlp/bytes64_avx2.h"
#elif defined(BYTES64_SSE2)
#include "otlp/bytes64_sse2.h"
#else
#include "otlp/bytes64_plain.h"
#endif

#endif

#include "otlp/bytes64_pack.h"

#endif
