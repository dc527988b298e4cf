/*
 * attr_find - attr_find without a branch.
 *
 * Whether a key is one that is read is a coin toss that no predictor wins; left
 * to itself, a compiler makes a branch of it.  For the including file's
 * instruction set (bytes64.h).  Private to the fast decoders.
 *
 * Threads    Any thread; constants.
 */
#ifndef OTLP_ATTR_FIND_H
#define OTLP_ATTR_FIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "otlp/attr_hash.h"
#include "otlp/bytes64.h"

/* attr_choose is |yes| if |which| is not 0, else |no|; both are made
 * beforehand. */
BYTES64_INLINE uint64_t
attr_choose(uint32_t which, uint64_t yes, uint64_t no)
{
#if defined(__x86_64__)
    __asm__("testl\t%1, %1\n\tcmovne\t%2, %0"
            : "+r"(no)
            : "r"(which), "r"(yes)
            : "cc");
    return no;
#else
    uint64_t mask = 0 - (uint64_t)(which != 0);

    __asm__("" : "+r"(mask));
    return no ^ ((no ^ yes) & mask);
#endif
}

/* attr_slot is attr_find for a |key| of any length.  Seven bytes before it and
 * 32 behind its start must be readable. */
BYTES64_INLINE size_t
attr_slot(const struct attr_index *index, const uint8_t *key, size_t len)
{
    size_t slot = index->slot[attr_hash_key(key, len, ATTR_HASH_SEED)];
    const struct attr_key *known = &attr_keys[slot];
    uint32_t differ = bytes64_differ(key, (const uint8_t *)known->text, len) |
                      (known->len ^ (uint32_t)len);

    return attr_choose(differ, ATTR_COUNT, slot);
}

/* attr_slot_sized is the same for a key with its length, |len|, in the byte
 * before it, which is at |sized|; |begin| is that byte and the four behind it.
 */
BYTES64_INLINE size_t
attr_slot_sized(const struct attr_index *index, const uint8_t *sized,
                uint64_t begin, size_t len)
{
    uint64_t end = wire_load64(sized + 1 + len - 8);
    size_t slot = index->slot[attr_hash(begin, end, ATTR_HASH_SEED)];
    uint32_t differ = bytes64_differ(sized, &attr_keys[slot].len, 1 + len);

    return attr_choose(differ, ATTR_COUNT, slot);
}

#endif
