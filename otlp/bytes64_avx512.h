/*
 * bytes64_avx512 - the part of bytes64 that is different with AVX-512.
 *
 * Included by bytes64.h alone, which says what all of it does.
 *
 * Threads    Any thread; no state.
 */
#ifndef OTLP_BYTES64_AVX512_H
#define OTLP_BYTES64_AVX512_H

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

BYTES64_INLINE uint32_t
bytes64_differ(const uint8_t *p, const uint8_t *q, size_t len, uint32_t mask)
{
    __m256i a = _mm256_loadu_si256((const __m256i *)(const void *)p);
    __m256i b = _mm256_loadu_si256((const __m256i *)(const void *)q);

    (void)len;
    return _mm256_cmpneq_epu8_mask(a, b) & mask;
}

#endif
