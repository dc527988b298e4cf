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
            : "r"(which), "rm"(yes)
            : "cc");
    return no;
#else
    uint64_t mask = 0 - (uint64_t)(which != 0);

    __asm__("" : "+r"(mask));
    return no ^ ((no ^ yes) & mask);
#endif
}

struct attr_three {
    uint64_t a, b, c;
};

/* attr_choose3 is |same| if |a| and |b| are, else |other|. */
BYTES64_INLINE struct attr_three
attr_choose3(uint32_t a, uint32_t b, struct attr_three same,
             struct attr_three other)
{
#if defined(__x86_64__)
    __asm__("cmpl\t%4, %3\n\t"
            "cmovne\t%5, %0\n\tcmovne\t%6, %1\n\tcmovne\t%7, %2"
            : "+&r"(same.a), "+&r"(same.b), "+&r"(same.c)
            : "r"(a), "ri"(b), "rm"(other.a), "rm"(other.b), "rm"(other.c)
            : "cc");
    return same;
#else
    return (struct attr_three){attr_choose(a ^ b, other.a, same.a),
                               attr_choose(a ^ b, other.b, same.b),
                               attr_choose(a ^ b, other.c, same.c)};
#endif
}

/* attr_key_at is the key whose value is at |place|. */
BYTES64_INLINE const struct attr_key *
attr_key_at(const struct attr_index *index, size_t place)
{
    return (const void *)((const char *)index->keys + 4 * place);
}

/* attr_value_at is the value there. */
BYTES64_INLINE struct attr_value *
attr_value_at(struct attr_set *set, size_t place)
{
    return (void *)((char *)set->value + place);
}

/* attr_place is attr_find for a |key| of any length.  Seven bytes before it and
 * 32 behind its start must be readable. */
BYTES64_INLINE size_t
attr_place(const struct attr_index *index, const uint8_t *key, size_t len)
{
    size_t place = index->place[attr_hash_key(key, len, ATTR_HASH_SEED)];
    const struct attr_key *known = attr_key_at(index, place);
    uint32_t differ = bytes64_differ(key, (const uint8_t *)known->text, len,
                                     known->mask >> 1) |
                      (known->len ^ (uint32_t)len);

    return attr_choose(differ, (uint64_t)ATTR_COUNT * ATTR_PLACE, place);
}

/* attr_place_sized is the same for a key with its length, |len|, in the byte
 * before it, which is at |sized|, and 0x12 behind it; |begin| is the length and
 * the four bytes behind it. */
BYTES64_INLINE size_t
attr_place_sized(const struct attr_index *index, const uint8_t *sized,
                 uint64_t begin, size_t len)
{
    uint64_t end = wire_load64(sized + 1 + len - 7);
    size_t place = index->place[attr_hash(begin, end, index->seed)];
    const struct attr_key *known = attr_key_at(index, place);
    uint32_t differ = bytes64_differ(sized, &known->len, 1 + len, known->mask);

    return attr_choose(differ, (uint64_t)ATTR_COUNT * ATTR_PLACE, place);
}

#endif
