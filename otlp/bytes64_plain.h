/*
 * bytes64_plain - bytes64 by words, for any machine.
 *
 * Included by bytes64.h alone, which says what all of it does.
 *
 * Threads    Any thread; no state.
 */
#ifndef OTLP_BYTES64_PLAIN_H
#define OTLP_BYTES64_PLAIN_H

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
    const uint8_t *mask = bytes64_mask + 128 - len;

    for (unsigned i = 0; i < 64; i += 8)
        text->seen |= wire_load64(p + i) & wire_load64(mask + i);
}

BYTES64_INLINE bool
bytes64_text_is_ascii(struct bytes64_text text)
{
    return (text.seen & UINT64_C(0x8080808080808080)) == 0;
}

BYTES64_INLINE uint32_t
bytes64_differ(const uint8_t *p, const uint8_t *q, size_t len, uint32_t mask)
{
    const uint8_t *bytes = bytes64_mask + 128 - (len < 32 ? len : 32);
    uint64_t differ = 0;

    (void)mask;
    for (unsigned i = 0; i < 32; i += 8)
        differ |=
            (wire_load64(p + i) ^ wire_load64(q + i)) & wire_load64(bytes + i);
    return (uint32_t)(differ | differ >> 32);
}

#endif
