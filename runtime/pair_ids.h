/*
 * pair_ids - ids of entries that say by themselves whether they are held.
 *
 * The id of a span is its position in the order of arrival, spread so that one
 * bit is always set: below it is the slot of the span, above it how often all
 * slots were gone through.  So whether a span was forgotten is a comparison,
 * which reads no entry, and whoever has its id need not be told.
 *
 *     round | 1 | slot      of a span
 *         0 | 0 | number    in the pool (pair_table.h), or 0: none
 *
 * Bound      When the rounds are over they begin anew: an id that is kept for
 *            so long may be taken for another one's.  One that is kept by an
 *            entry is not: a slot is used again once at most while those are
 *            held that were held when it was left.
 * Threads    None; plain values.
 */
#ifndef RUNTIME_PAIR_IDS_H
#define RUNTIME_PAIR_IDS_H

#include <stdbool.h>
#include <stdint.h>

#define PAIR_SLOTS_MAX (UINT32_C(1) << 30)

struct pair_ids {
    uint32_t span; /* the bit; there are as many slots */
    uint32_t mask; /* what of an id is the index of its entry */
    uint32_t tail; /* the oldest span that is held ... */
    uint32_t held; /* ... and how far from it ids are those of held ones */
};

/* pair_ids_init gives ids for |slots| spans, a power of two up to
 * PAIR_SLOTS_MAX. */
static inline void
pair_ids_init(struct pair_ids *ids, uint32_t slots)
{
    *ids = (struct pair_ids){
        .span = slots,
        .mask = 2 * slots - 1,
        .tail = slots,
    };
}

static inline uint32_t
pair_ids_at(const struct pair_ids *ids, uint64_t position)
{
    uint64_t round = position & -(uint64_t)ids->span;

    return (uint32_t)(position + round) + ids->span;
}

/* pair_ids_is_gone says of any id whether it is that of a span that is no more
 * held. */
static inline bool
pair_ids_is_gone(const struct pair_ids *ids, uint32_t id)
{
    return ((id & ids->span) != 0) & (id - ids->tail >= ids->held);
}

/* pair_ids_live is |id|, of a span or 0, or 0 if it is gone.  By the sign of a
 * difference, since of comparisons compilers make branches, and who is gone
 * nobody can predict. */
static inline uint32_t
pair_ids_live(const struct pair_ids *ids, uint32_t id)
{
    int64_t beyond = (int64_t)(id - ids->tail) - ids->held;

    return id & (uint32_t)(beyond >> 63);
}

/* pair_ids_live_any is the same for any id: those of the pool are held. */
static inline uint32_t
pair_ids_live_any(const struct pair_ids *ids, uint32_t id)
{
    int64_t beyond = (int64_t)(id - ids->tail) - ids->held;
    int64_t pooled = (int64_t)(id & ids->span) - 1;

    return id & (uint32_t)((beyond | pooled) >> 63);
}

#endif
