/*
 * bytes64 - look at many bytes at once.
 *
 * For the including file's instruction set: AVX-512 where DECODE_AVX512 is
 * defined (beside DECODE_AVX2), AVX2 where DECODE_AVX2 is, SSE2 on any other
 * x86-64, plain words elsewhere or where BYTES64_PLAIN asks for them.  Private
 * to the fast decoders.
 *
 *     struct bytes64_text text = bytes64_text_none();
 *     bytes64_text_add(&text, p, len); ...
 *     if (bytes64_text_is_ascii(text))
 *
 * An addition looks at |len| <= 64 bytes and reads 64; whether one of them is
 * above 0x7f is asked once, at the end.
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

#else

struct bytes64_pair {
    uint64_t words[2];
};

BYTES64_INLINE struct bytes64_pair
bytes64_pair_none(void)
{
    return (struct bytes64_pair){{0, 0}};
}

BYTES64_INLINE void
bytes64_pair_add(struct bytes64_pair *pair, const uint64_t words[2])
{
    pair->words[0] |= words[0];
    pair->words[1] |= words[1];
}

BYTES64_INLINE void
bytes64_pair_put(struct bytes64_pair pair, uint64_t out[2])
{
    out[0] = pair.words[0];
    out[1] = pair.words[1];
}

#endif

#if defined(DECODE_AVX512)

struct bytes64_text {
    __m512i seen;
};

BYTES64_INLINE struct bytes64_text
bytes64_text_none(void)
{
    return (struct bytes64_text){_mm512_setzero_si512()};
}

BYTES64_INLINE void
bytes64_text_add(struct bytes64_text *text, const uint8_t *p, size_t len)
{
    __mmask64 mask = _bzhi_u64(UINT64_MAX, (unsigned)len);

    text->seen = _mm512_or_si512(text->seen, _mm512_maskz_loadu_epi8(mask, p));
}

BYTES64_INLINE bool
bytes64_text_is_ascii(struct bytes64_text text)
{
    return _mm512_movepi8_mask(text.seen) == 0;
}

/* bytes64_differ is not 0 if one of |len| <= 32 bytes is not the same. */
BYTES64_INLINE uint32_t
bytes64_differ(const uint8_t *p, const uint8_t *q, size_t len)
{
    __m256i a = _mm256_loadu_si256((const __m256i *)(const void *)p);
    __m256i b = _mm256_loadu_si256((const __m256i *)(const void *)q);

    return _mm256_mask_cmpneq_epu8_mask(_bzhi_u32(UINT32_MAX, (unsigned)len), a,
                                        b);
}

/* bytes64_pack puts the low seven bits of eight bytes together. */
BYTES64_INLINE uint64_t
bytes64_pack(uint64_t word)
{
    return _pext_u64(word, UINT64_C(0x7f7f7f7f7f7f7f7f));
}

#else

/* 64 times 0xff, and 64 times 0. */
extern const uint8_t bytes64_mask[128];

#if defined(DECODE_AVX2)

struct bytes64_text {
    __m256i seen;
};

BYTES64_INLINE struct bytes64_text
bytes64_text_none(void)
{
    return (struct bytes64_text){_mm256_setzero_si256()};
}

BYTES64_INLINE __m256i
bytes64_load(const uint8_t *p)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)p);
}

BYTES64_INLINE void
bytes64_text_add(struct bytes64_text *text, const uint8_t *p, size_t len)
{
    const uint8_t *mask = bytes64_mask + 64 - len;
    __m256i a = _mm256_and_si256(bytes64_load(p), bytes64_load(mask));
    __m256i b = _mm256_and_si256(bytes64_load(p + 32), bytes64_load(mask + 32));

    text->seen = _mm256_or_si256(text->seen, _mm256_or_si256(a, b));
}

BYTES64_INLINE bool
bytes64_text_is_ascii(struct bytes64_text text)
{
    return _mm256_movemask_epi8(text.seen) == 0;
}

BYTES64_INLINE uint32_t
bytes64_differ(const uint8_t *p, const uint8_t *q, size_t len)
{
    __m256i equal = _mm256_cmpeq_epi8(bytes64_load(p), bytes64_load(q));

    return _bzhi_u32(~(uint32_t)_mm256_movemask_epi8(equal), (unsigned)len);
}

#elif defined(BYTES64_SSE2)

struct bytes64_text {
    __m128i seen;
};

BYTES64_INLINE struct bytes64_text
bytes64_text_none(void)
{
    return (struct bytes64_text){_mm_setzero_si128()};
}

BYTES64_INLINE __m128i
bytes64_load(const uint8_t *p)
{
    return _mm_loadu_si128((const __m128i *)(const void *)p);
}

BYTES64_INLINE void
bytes64_text_add(struct bytes64_text *text, const uint8_t *p, size_t len)
{
    const uint8_t *mask = bytes64_mask + 64 - len;

    for (unsigned i = 0; i < 64; i += 16)
        text->seen =
            _mm_or_si128(text->seen, _mm_and_si128(bytes64_load(p + i),
                                                   bytes64_load(mask + i)));
}

BYTES64_INLINE bool
bytes64_text_is_ascii(struct bytes64_text text)
{
    return _mm_movemask_epi8(text.seen) == 0;
}

BYTES64_INLINE uint32_t
bytes64_differ(const uint8_t *p, const uint8_t *q, size_t len)
{
    __m128i a = _mm_cmpeq_epi8(bytes64_load(p), bytes64_load(q));
    __m128i b = _mm_cmpeq_epi8(bytes64_load(p + 16), bytes64_load(q + 16));
    uint32_t equal =
        (uint32_t)_mm_movemask_epi8(a) | (uint32_t)_mm_movemask_epi8(b) << 16;

    return ~equal & (uint32_t)((UINT64_C(1) << (len < 32 ? len : 32)) - 1);
}

#else

struct bytes64_text {
    uint64_t seen;
};

BYTES64_INLINE struct bytes64_text
bytes64_text_none(void)
{
    return (struct bytes64_text){0};
}

BYTES64_INLINE void
bytes64_text_add(struct bytes64_text *text, const uint8_t *p, size_t len)
{
    const uint8_t *mask = bytes64_mask + 64 - len;

    for (unsigned i = 0; i < 64; i += 8)
        text->seen |= wire_load64(p + i) & wire_load64(mask + i);
}

BYTES64_INLINE bool
bytes64_text_is_ascii(struct bytes64_text text)
{
    return (text.seen & UINT64_C(0x8080808080808080)) == 0;
}

BYTES64_INLINE uint32_t
bytes64_differ(const uint8_t *p, const uint8_t *q, size_t len)
{
    const uint8_t *mask = bytes64_mask + 64 - (len < 32 ? len : 32);
    uint64_t differ = 0;

    for (unsigned i = 0; i < 32; i += 8)
        differ |=
            (wire_load64(p + i) ^ wire_load64(q + i)) & wire_load64(mask + i);
    return (uint32_t)(differ | differ >> 32);
}

#endif

/* Without an instruction for it, which some processors only pretend to have. */
BYTES64_INLINE uint64_t
bytes64_pack(uint64_t word)
{
    word &= UINT64_C(0x7f7f7f7f7f7f7f7f);
    word = (word & UINT64_C(0x7f007f007f007f00)) >> 1 |
           (word & UINT64_C(0x007f007f007f007f));
    word = (word & UINT64_C(0x3fff00003fff0000)) >> 2 |
           (word & UINT64_C(0x00003fff00003fff));
    return (word & UINT64_C(0x0fffffff00000000)) >> 4 |
           (word & UINT64_C(0x000000000fffffff));
}

#endif

#endif
