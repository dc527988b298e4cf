/*
 * The index is built from the keys for each scratch and not committed as a
 * table: a constant seed and the list in model/attr.h say all there is to say.
 */
#include "otlp/attr_hash.h"

_Static_assert(ATTR_COUNT < 128, "a dummy slot needs a bit of its own");

#define KEY(id, key)                                          \
    [ATTR_##id] = {.text = "" key,                            \
                   .bits = {KEY_BIT(id, 0), KEY_BIT(id, 64)}, \
                   .len = sizeof(key) - 1,                    \
                   .mask = (uint32_t)((UINT64_C(1) << sizeof(key)) - 1)},
#define KEY_BIT(id, from) \
    ((uint64_t)(ATTR_##id / 64 == (from) / 64) << (ATTR_##id % 64))
#define KEY_FITS(id, key)                               \
    _Static_assert(sizeof(key) - 1 >= ATTR_KEY_MIN &&   \
                       sizeof(key) - 1 <= ATTR_KEY_MAX, \
                   "attribute key of this length is not supported");

ATTRS(KEY_FITS)

/* clang-format off */
const struct attr_key attr_keys[ATTR_COUNT + 1] = {
    ATTRS(KEY) [ATTR_COUNT] = {.len = UINT8_MAX, .mask = 1},
};
/* clang-format on */

bool
attr_index_build(struct attr_index *out, uint64_t seed)
{
    uint8_t padded[ATTR_KEY_MAX + 1] = {0};

    memcpy(out->keys, attr_keys, sizeof(out->keys));
    out->seed = seed;
    for (size_t hash = 0; hash < 1 << ATTR_HASH_BITS; hash++)
        out->place[hash] = ATTR_COUNT * ATTR_PLACE;
    for (size_t slot = 0; slot < ATTR_COUNT; slot++) {
        size_t len = attr_keys[slot].len;

        memcpy(padded, attr_keys[slot].text, ATTR_KEY_MAX);
        uint16_t *at = &out->place[attr_hash_key(padded, len, seed)];
        if (*at != ATTR_COUNT * ATTR_PLACE)
            return false;
        *at = (uint16_t)(slot * ATTR_PLACE);
    }
    return true;
}
