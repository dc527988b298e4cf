/*
 * attr_hash - which slot of an attr_set a key has.
 *
 * The keys of model/attr.h are known when the program is built, so their table
 * has no collisions: a multiply, one load of a slot, and one comparison of 32
 * bytes.  What is left to the caller is to compare without a branch, because
 * whether a key is known is a coin toss that no predictor wins.
 *
 * ATTR_HASH_SEED is a number found by trying; tests/otlp/test_attr_hash.c
 * proves that it is still free of collisions, and prints another one when a
 * new key needs it.
 *
 * Threads    Any thread; constants.
 */
#ifndef OTLP_ATTR_HASH_H
#define OTLP_ATTR_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/str.h"
#include "model/attr.h"
#include "otlp/wire.h"

#define ATTR_HASH_SEED UINT64_C(0x523a21fb2b599f27)

/*
 * A key longer than ATTR_KEY_COMPARED is known by its length, by so many bytes
 * of its begin, and by what the hash makes of its last seven: what is between
 * is not looked at.  No other key of the conventions begins and ends so, and
 * all decoders find the same.
 */
enum {
    ATTR_HASH_BITS = 9,
    ATTR_KEY_MIN = 7, /* bytes; attr_hash is defined from here on */
    ATTR_KEY_COMPARED = 31,
    ATTR_KEY_MAX = 43,
};

/* A key on a cache line of its own, with all that finding it asks for. */
struct attr_key {
    _Alignas(64) uint8_t len; /* right before the text, as on the wire */
    char text[ATTR_KEY_MAX];  /* padded with zeros */
    uint32_t mask;    /* a bit for each byte compared, the length among them */
    uint64_t bits[2]; /* of attr_set.mask */
};

/*
 * attr_index maps a hash to a place, that of ATTR_COUNT where no key is, and
 * holds the keys themselves: whoever has it at hand needs no other address.  A
 * place is how far behind the first value of an attr_set a value is, in bytes;
 * a fourth of how far its key is behind the first.  So it is multiplied by what
 * an address may be, and by no instruction.
 */
struct attr_index {
    struct attr_key keys[ATTR_COUNT + 1];
    uint64_t seed;
    uint16_t place[1 << ATTR_HASH_BITS];
};

enum { ATTR_PLACE = sizeof(struct attr_value) }; /* of one slot */

_Static_assert(4 * (size_t)ATTR_PLACE == sizeof(struct attr_key),
               "an address's scale");

/* By slot.  The one behind the last is no key: its length is one that no key
 * has, and it has no bit. */
extern const struct attr_key attr_keys[ATTR_COUNT + 1];

/*
 * attr_hash folds the length and the first four bytes of a key, which are the
 * five of |begin|, and |end|: its last seven and a byte 0x12, which is what
 * protobuf has behind it.  Shorter keys give some number, which the comparison
 * refuses.
 */
static inline size_t
attr_hash(uint64_t begin, uint64_t end, uint64_t seed)
{
    return (size_t)((begin ^ end) * seed >> (64 - ATTR_HASH_BITS));
}

/* attr_hash_key is that of |len| bytes, which reads from |key| + |len| - 7, but
 * nothing before a key of ATTR_KEY_MIN, to a byte behind the key. */
static inline size_t
attr_hash_key(const uint8_t *key, size_t len, uint64_t seed)
{
    uint64_t end = wire_load64(key + len - 7) & UINT64_MAX >> 8;

    return attr_hash(len | (uint64_t)wire_load32(key) << 8,
                     end | UINT64_C(0x12) << 56, seed);
}

/* attr_index_build fills |out|, and returns false if two keys collide. */
bool attr_index_build(struct attr_index *out, uint64_t seed);

/* attr_find returns the slot of |key|, or ATTR_COUNT.  A byte behind the key
 * must be readable. */
static inline size_t
attr_find(const struct attr_index *index, str key)
{
    size_t compared = key.len < ATTR_KEY_COMPARED ? key.len : ATTR_KEY_COMPARED;
    size_t slot;

    if (key.len < ATTR_KEY_MIN || key.len > ATTR_KEY_MAX)
        return ATTR_COUNT;
    slot = index->place[attr_hash_key((const uint8_t *)key.ptr, key.len,
                                      ATTR_HASH_SEED)] /
           ATTR_PLACE;
    if (attr_keys[slot].len != key.len ||
        memcmp(attr_keys[slot].text, key.ptr, compared) != 0)
        return ATTR_COUNT;
    return slot;
}

#endif
