/*
 * json_scan - 32 bytes of JSON at a time.
 *
 * Private to the JSON decoder.  All of it may look 32 bytes beyond the text.
 *
 * Threads    Any thread; no state.
 */
#ifndef OTLP_JSON_SCAN_H
#define OTLP_JSON_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "otlp/bytes64.h"

/* One bit a byte, of 32. */
struct json_marks {
    uint32_t special; /* quote, backslash, control character */
    uint32_t high;    /* above 0x7f */
};

#if defined(BYTES64_SSE2)

static inline uint32_t
json_special16(__m128i bytes)
{
    __m128i quote = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"'));
    __m128i slash = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'));
    __m128i low = _mm_min_epu8(bytes, _mm_set1_epi8(0x1f));
    __m128i control = _mm_cmpeq_epi8(bytes, low);

    return (uint32_t)_mm_movemask_epi8(
        _mm_or_si128(_mm_or_si128(quote, slash), control));
}

static inline struct json_marks
json_look(const uint8_t *p)
{
    __m128i a = _mm_loadu_si128((const __m128i *)(const void *)p);
    __m128i b = _mm_loadu_si128((const __m128i *)(const void *)(p + 16));

    return (struct json_marks){
        .special = json_special16(a) | json_special16(b) << 16,
        .high = (uint32_t)_mm_movemask_epi8(a) | (uint32_t)_mm_movemask_epi8(b)
                                                     << 16,
    };
}

#else

static inline struct json_marks
json_look(const uint8_t *p)
{
    struct json_marks marks = {0, 0};

    for (unsigned i = 0; i < 32; i++) {
        bool special = p[i] == '"' || p[i] == '\\' || p[i] < 0x20;

        marks.special |= (uint32_t)special << i;
        marks.high |= (uint32_t)(p[i] >> 7) << i;
    }
    return marks;
}

#endif

/* json_scan_plain returns the quote that ends the text at |p|, or NULL if that
 * does not come before |end| or the text is not plain: ASCII, no escapes. */
static inline const uint8_t *
json_scan_plain(const uint8_t *p, const uint8_t *end)
{
    struct json_marks marks = json_look(p);

    while (marks.special == 0) {
        if (marks.high != 0 || end - p <= 32)
            return NULL;
        p += 32;
        marks = json_look(p);
    }
    uint32_t first = marks.special & -marks.special;
    p += __builtin_ctz(first);
    return (marks.high & (first - 1)) == 0 && p < end && *p == '"' ? p : NULL;
}

/* json_starts says whether |p| starts with the |len| <= 32 bytes of |word|,
 * of which 32 are readable. */
static inline bool
json_starts(const uint8_t *p, const char *word, size_t len)
{
    return bytes64_differ(p, (const uint8_t *)word, len) == 0;
}

#endif
