/*
 * durations - how long the calls of an edge took, until the next flush.
 *
 * What graph/edges counts in an hour of an edge beside the plain sums.  The
 * last few stand in the hour's own place in memory, which is at hand when they
 * come; those before them in lines of a pool that all share, and the hour that
 * has seen very many has a count for each bucket there.  Nothing is sorted or
 * looked up until somebody asks.
 *
 *     durations_add(pool, &log, bucket, 1) ... many
 *     durations_gather(pool, &log); ...        all logs of a day
 *     len = durations_take(pool, &counts)      what they come to
 *     durations_clear(pool)                    empties all logs
 *
 * Memory     None of its own for an hour with DURATIONS_RECENT of them; then
 *            some 2.4 bytes each, up to 11 KiB.  Kept for the next time unless
 *            hardly any was used.
 * Bound      None of its own; it is emptied with each flush.
 * Threads    The graph thread only.
 */
#ifndef GRAPH_DURATIONS_H
#define GRAPH_DURATIONS_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/err.h"
#include "graph/sketch.h"

enum {
    DURATIONS_RECENT = 3,
    DURATION_LINE_LEN = 28,
    DURATION_WORDS = SKETCH_BUCKETS / 64,
};

/* Of duration_log.lines: there are counts, and |recent| is passed by. */
#define DURATION_COUNTS UINT32_C(0x80000000)

/* The durations of one hour of an edge; all zero: none. */
struct duration_log {
    uint32_t lines; /* index + 1 into the pool, of those before |recent| */
    uint16_t recent[DURATIONS_RECENT]; /* the last one first; 0: none */
} __attribute__((packed, aligned(2)));

struct duration_line {
    uint32_t next; /* index + 1, of those before */
    uint16_t len;
    uint16_t depth; /* of the chain */
    uint16_t entry[DURATION_LINE_LEN];
};

struct durations {
    struct duration_line *lines;
    size_t len;
    size_t cap;
    uint32_t unused; /* index + 1 of a line to use again, by next */
    struct {
        int64_t count[SKETCH_BUCKETS];
        uint64_t seen[DURATION_WORDS];
        struct sketch_count list[SKETCH_BUCKETS];
    } sums; /* what was gathered and not taken */
};

void durations_fini(struct durations *pool);

/* durations_try counts one call, |count| being 1, or takes one back, -1, if
 * there is a place for it beside the hour; else, and where there are counts, it
 * is false and nothing was counted.  Whether there is nobody can predict, so it
 * has no branch. */
static inline bool
durations_try(struct duration_log *log, uint16_t bucket, int64_t count)
{
    _Static_assert(DURATIONS_RECENT == 3, "one moves behind two");
    uint64_t entry = (uint64_t)((bucket + 1) << 1 | (count < 0));
    uint32_t newer;
    uint16_t last = log->recent[2];

    assert(bucket < SKETCH_BUCKETS);
    memcpy(&newer, log->recent, sizeof(newer));
    uint64_t recent = newer | (uint64_t)last << 32;
    uint64_t is_one = (count == 1) | (count == -1);
    uint64_t is_free = is_one & (last == 0) & !(log->lines & DURATION_COUNTS);
    uint64_t changed = (recent ^ (recent << 16 | entry)) & -is_free;
    recent ^= changed;
    newer = (uint32_t)recent;
    memcpy(log->recent, &newer, sizeof(newer));
    log->recent[2] = (uint16_t)(recent >> 32);
    return is_free;
}

/* durations_count is the count of |bucket| of a |log| that has counts. */
static inline int64_t *
durations_count(const struct durations *pool, const struct duration_log *log,
                uint16_t bucket)
{
    uint32_t line = log->lines & ~DURATION_COUNTS;

    return (int64_t *)(void *)&pool->lines[line - 1] + bucket;
}

/* durations_expect asks for the memory that |bucket| will need once there is no
 * place beside the hour. */
static inline void
durations_expect(const struct durations *pool, const struct duration_log *log,
                 uint16_t bucket)
{
    if (log->lines & DURATION_COUNTS)
        __builtin_prefetch(durations_count(pool, log, bucket), 1);
    else if (log->lines != 0)
        __builtin_prefetch(&pool->lines[log->lines - 1], 1);
}

/* durations_put counts |count| calls, taken back if negative, in |bucket| of a
 * |log| that may be without counts.  durations_add is the same for any.
 * ERR_NOMEM: nothing was counted. */
enum err durations_put(struct durations *pool, struct duration_log *log,
                       uint16_t bucket, int64_t count);
static inline enum err
durations_add(struct durations *pool, struct duration_log *log, uint16_t bucket,
              int64_t count)
{
    if (!(log->lines & DURATION_COUNTS))
        return durations_put(pool, log, bucket, count);
    *durations_count(pool, log, bucket) += count;
    return OK;
}

/* durations_gather adds up what |log| holds with what was gathered before. */
void durations_gather(struct durations *pool, const struct duration_log *log);

/* durations_take gives what was gathered: the counts that are not 0, by rising
 * bucket, and how many they are; good until the next call.  The next gather
 * begins anew. */
size_t durations_take(struct durations *pool, const struct sketch_count **out);

/* durations_clear forgets all, and memory that was hardly used. */
void durations_clear(struct durations *pool);

#endif
