/*
 * durations - how many calls of an edge, on a day, fell into a bucket.
 *
 * What graph/edges counts between two flushes beside the plain sums.  Kept
 * apart because most edges see few buckets and some see many: one flat list
 * of (edge, day, bucket), read out in order.  Adding appends to it, which is
 * as fast with a million edges as with ten.
 *
 * Memory     32 bytes for each that differs, up to twice as much while it
 *            grows, kept for the next time unless hardly any was used.
 * Bound      None of its own; it is emptied with each flush.
 * Threads    The graph thread only.
 */
#ifndef GRAPH_DURATIONS_H
#define GRAPH_DURATIONS_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct duration_count {
    uint64_t key; /* edge, day, bucket from the top; 0: none */
    int64_t count;
};

struct durations {
    struct duration_count *counts; /* as they came, some maybe added up */
    struct duration_count *other;  /* as many, to sort them into */
    size_t len;
    size_t cap;
    size_t peak; /* the most that differed since it was cleared */
};

#define DURATION_DAY_MAX UINT16_MAX

static inline uint64_t
duration_key(uint32_t edge, uint32_t day, uint16_t bucket)
{
    return ((uint64_t)edge + 1) << 32 | (uint64_t)(uint16_t)day << 16 | bucket;
}

void durations_fini(struct durations *durations);

/* durations_add: ERR_NOMEM, nothing was counted. */
enum err
durations_add(struct durations *durations, uint64_t key, int64_t count);

/* durations_sorted gives those that are not 0, each key once, by rising key;
 * |out_len| is how many.  Good until the next call. */
void durations_sorted(struct durations *durations,
                      const struct duration_count **out, size_t *out_len);

/* durations_clear forgets all, and memory that was hardly used. */
void durations_clear(struct durations *durations);

#endif
