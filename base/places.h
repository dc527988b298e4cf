/*
 * places - where in an array something is, by the hash of its key.
 *
 * Open addressing, with the hash beside the place.  So what a place holds is
 * read only where it is likely the one that is looked for: anything else in a
 * large array is a cache miss.  Taking out shifts the ones behind back, so a
 * search ends at the first empty slot.
 *
 *     for (i = places_seek(p, hash, hash); p->slots[i].place;
 *          i = places_seek(p, hash, i + 1))
 *         if (is_it(&array[p->slots[i].place - 1])) ...
 *
 * Memory     The caller's: |mask| + 1 slots, a power of two, more than there
 *            are places in use; all 0: empty.
 * Threads    None.
 */
#ifndef BASE_PLACES_H
#define BASE_PLACES_H

#include <assert.h>
#include <stdint.h>

struct place_slot {
    uint32_t hash;  /* its low bits are the slot that is looked at first */
    uint32_t place; /* + 1; 0: empty */
};

struct places {
    struct place_slot *slots;
    uint32_t mask;
};

/* places_expect asks for the memory where |hash| will be looked for. */
static inline void
places_expect(const struct places *p, uint32_t hash)
{
    __builtin_prefetch(&p->slots[hash & p->mask], 1);
}

/* places_seek is the first slot from |from| on that has |hash| or is empty. */
static inline uint32_t
places_seek(const struct places *p, uint32_t hash, uint32_t from)
{
    uint32_t i = from & p->mask;

    while (p->slots[i].place != 0 && p->slots[i].hash != hash)
        i = (i + 1) & p->mask;
    return i;
}

/* places_slot is the slot of |place|, which is there with |hash|. */
static inline uint32_t
places_slot(const struct places *p, uint32_t hash, uint32_t place)
{
    uint32_t i = hash & p->mask;

    while (p->slots[i].place != place + 1) {
        assert(p->slots[i].place != 0);
        i = (i + 1) & p->mask;
    }
    return i;
}

/* places_add puts in |place|, beside others of that hash. */
static inline void
places_add(struct places *p, uint32_t hash, uint32_t place)
{
    uint32_t i = hash & p->mask;

    while (p->slots[i].place != 0)
        i = (i + 1) & p->mask;
    p->slots[i] = (struct place_slot){.hash = hash, .place = place + 1};
}

/* places_remove makes |slot| empty. */
static inline void
places_remove(struct places *p, uint32_t slot)
{
    uint32_t hole = slot;

    for (uint32_t i = (hole + 1) & p->mask; p->slots[i].place != 0;
         i = (i + 1) & p->mask) {
        if (((i - p->slots[i].hash) & p->mask) < ((i - hole) & p->mask))
            continue; /* would come before its home */
        p->slots[hole] = p->slots[i];
        hole = i;
    }
    p->slots[hole].place = 0;
}

#endif
