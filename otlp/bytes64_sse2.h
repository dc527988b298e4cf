/*
 * bytes64_sse2 - the part of bytes64 that is different with SSE2.
 *
 * Included by bytes64.h alone, which says what all of it does.
 *
 * Threads    Any thread; no state.
 */
#ifndef OTLP_BYTES64_SSE2_H
#define OTLP_BYTES64_SSE2_H

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
    const uint8_t *mask = bytes64_mask + 128 - len;

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
bytes64_differ(const uint8_t *p, const uint8_t *q, size_t len, uint32_t mask)
{
    __m128i a = _mm_cmpeq_epi8(bytes64_load(p), bytes64_load(q));
    __m128i b = _mm_cmpeq_epi8(bytes64_load(p + 16), bytes64_load(q + 16));
    uint32_t equal =
        (uint32_t)_mm_movemask_epi8(a) | (uint32_t)_mm_movemask_epi8(b) << 16;

    (void)len;
    return ~equal & mask;
}

#endif
