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

static inline uint32_t
json_odd16(__m128i bytes)
{
    __m128i quote = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"'));
    __m128i slash = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'));
    __m128i other = _mm_cmplt_epi8(bytes, _mm_set1_epi8(0x20)); /* signed */

    return (uint32_t)_mm_movemask_epi8(
        _mm_or_si128(_mm_or_si128(quote, slash), other));
}

/* json_odd marks what is special or high. */
static inline uint32_t
json_odd(const uint8_t *p)
{
    __m128i a = _mm_loadu_si128((const __m128i *)(const void *)p);
    __m128i b = _mm_loadu_si128((const __m128i *)(const void *)(p + 16));

    return json_odd16(a) | json_odd16(b) << 16;
}

/* json_hex16 reads sixteen hex digits; false if they are not. */
static inline bool
json_hex16(const uint8_t *p, uint64_t *out)
{
    __m128i text = _mm_loadu_si128((const __m128i *)(const void *)p);
    __m128i lower = _mm_or_si128(text, _mm_set1_epi8(0x20));
    __m128i digit = _mm_sub_epi8(text, _mm_set1_epi8('0'));
    __m128i alpha = _mm_sub_epi8(lower, _mm_set1_epi8('a'));
    __m128i is_digit =
        _mm_cmpeq_epi8(_mm_min_epu8(digit, _mm_set1_epi8(9)), digit);
    __m128i is_alpha =
        _mm_cmpeq_epi8(_mm_min_epu8(alpha, _mm_set1_epi8(5)), alpha);
    __m128i value = _mm_or_si128(
        _mm_and_si128(digit, is_digit),
        _mm_and_si128(_mm_add_epi8(alpha, _mm_set1_epi8(10)), is_alpha));
    /* Of each pair the first is the higher half of a byte. */
    __m128i bytes = _mm_and_si128(
        _mm_or_si128(_mm_slli_epi16(value, 4), _mm_srli_epi16(value, 8)),
        _mm_set1_epi16(0xff));

    *out = __builtin_bswap64(
        (uint64_t)_mm_cvtsi128_si64(_mm_packus_epi16(bytes, bytes)));
    return _mm_movemask_epi8(_mm_or_si128(is_digit, is_alpha)) == 0xffff;
}

#else

static inline uint32_t
json_odd(const uint8_t *p)
{
    uint32_t odd = 0;

    for (unsigned i = 0; i < 32; i++) {
        bool is_odd = p[i] == '"' || p[i] == '\\' || p[i] < 0x20 || p[i] > 0x7f;
        odd |= (uint32_t)is_odd << i;
    }
    return odd;
}

static inline bool
json_hex16(const uint8_t *p, uint64_t *out)
{
    bool is_hex = true;

    *out = 0;
    for (unsigned i = 0; i < 16; i++) {
        uint8_t digit = (uint8_t)(p[i] - '0');
        uint8_t alpha = (uint8_t)((p[i] | 0x20) - 'a');

        is_hex &= digit <= 9 || alpha <= 5;
        *out = *out << 4 | ((digit <= 9 ? digit : alpha + 10) & 0x0f);
    }
    return is_hex;
}

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
    uint32_t odd = json_odd(p);

    while (odd == 0) {
        if (end - p <= 32)
            return NULL;
        p += 32;
        odd = json_odd(p);
    }
    p += __builtin_ctz(odd);
    return p < end && *p == '"' ? p : NULL;
}

/* json_starts says whether |p| starts with the |len| <= 32 bytes of |word|,
 * of which 32 are readable. */
static inline bool
json_starts(const uint8_t *p, const char *word, size_t len)
{
    uint32_t mask = (uint32_t)((UINT64_C(1) << len) - 1);

    return bytes64_differ(p, (const uint8_t *)word, len, mask) == 0;
}

/* json_digits8 reads up to eight digits into |out| and returns how many there
 * are. */
static inline size_t
json_digits8(const uint8_t *p, uint64_t *out)
{
    const uint64_t tops = UINT64_C(0x8080808080808080);
    uint64_t word = wire_load64(p) ^ UINT64_C(0x3030303030303030);
    /* A byte above 9 has its top bit set, at least the first that is. */
    uint64_t stops = ((word + UINT64_C(0x7676767676767676)) | word) & tops;
    size_t len = bytes64_zeros(stops) / 8;

    /* Zeros take the place of the digits that are not there. */
    word = len > 0 ? word << (64 - 8 * len) : 0;
    word = (word * 10 + (word >> 8)) & UINT64_C(0x00ff00ff00ff00ff);
    word = (word * 100 + (word >> 16)) & UINT64_C(0x0000ffff0000ffff);
    *out = (word * 10000 + (word >> 32)) & UINT32_MAX;
    return len;
}

#endif
