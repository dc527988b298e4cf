/*
 * bytes64_avx2 - the part of bytes64 that is different with AVX2.
 *
 * Included by bytes64.h alone, which says what all of it does.
 *
 * Threads    Any thread; no state.
 */
#ifndef OTLP_BYTES64_AVX2_H
#define OTLP_BYTES64_AVX2_H

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
    const uint8_t *mask = bytes64_mask + 128 - len;
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
bytes64_differ(const uint8_t *p, const uint8_t *q, size_t len, uint32_t mask)
{
    __m256i equal = _mm256_cmpeq_epi8(bytes64_load(p), bytes64_load(q));

    (void)len;
    return ~(uint32_t)_mm256_movemask_epi8(equal) & mask;
}

#endif
