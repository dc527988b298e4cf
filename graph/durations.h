/*
 * durations - how many calls of an edge, on a day, fell into a bucket.
 *
 * What graph/edges counts between two flushes beside the plain sums.  Kept
 * apart because most edges see few buckets and some see many: one flat table
 * of (edge, day, bucket), read out in order.
 *
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

enum { DURATIONS_WAITING = 32 };

struct durations {
    struct duration_count *slots;
    struct duration_count waiting[DURATIONS_WAITING];
    uint32_t waiting_len;
    size_t cap; /* a power of two, or 0 */
    size_t len;
    uint64_t seed;
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

/* durations_sorted gives those that are not 0, by rising key, in memory to be
 * freed; |out_len| is how many.  ERR_NOMEM. */
enum err durations_sorted(struct durations *durations,
                          struct duration_count **out, size_t *out_len);

/* durations_clear forgets all, and memory that was hardly used. */
void durations_clear(struct durations *durations);

#endif
