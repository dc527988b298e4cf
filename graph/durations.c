/*
 * An entry is a bucket and a sign.  Three of them are moved at once from the
 * hour to the first line of its chain, so that line is written to for every
 * third call only.  A chain gets as long as what one count for each bucket
 * would take; then it becomes that, and its lines are used again.
 *
 * Sums are made where all buckets have a place, with a bit for each that was
 * touched: what is asked for comes in order without a sort, and clearing costs
 * what was used.
 */
#include "graph/durations.h"

#include <stdlib.h>

#include "graph/lines.h"

enum {
    CAP_MIN = 64,
    COUNT_LINES = SKETCH_BUCKETS * sizeof(int64_t) / LINE_BYTES,
    DEPTH_MAX = COUNT_LINES,
    HARDLY = 64, /* a part of the memory */
};

_Static_assert(sizeof(struct duration_line) == LINE_BYTES, "a cache line");
_Static_assert(SKETCH_BUCKETS * sizeof(int64_t) % LINE_BYTES == 0 &&
                   SKETCH_BUCKETS % 64 == 0,
               "whole lines and words");

void
durations_fini(struct durations *pool)
{
    free(pool->lines);
    pool->lines = NULL;
    pool->len = pool->cap = 0;
    pool->unused = 0;
}

/* ---- lines ---- */

/* Takes |count| lines in a row.  Returns the index + 1 of the first; 0: no
 * memory. */
static uint32_t
take_lines(struct durations *pool, size_t count)
{
    size_t cap = pool->cap ? pool->cap : CAP_MIN;

    while (cap < pool->len + count)
        cap *= 2;
    if (cap > UINT32_MAX / 2)
        return 0;
    if (cap > pool->cap) {
        struct duration_line *lines =
            lines_grow(pool->lines, pool->len, cap, sizeof(*lines));
        if (!lines)
            return 0;
        pool->lines = lines;
        pool->cap = cap;
    }
    pool->len += count;
    return (uint32_t)(pool->len - count) + 1;
}

static uint32_t
take_line(struct durations *pool)
{
    uint32_t line = pool->unused;

    if (line == 0)
        return take_lines(pool, 1);
    pool->unused = pool->lines[line - 1].next;
    return line;
}

static void
give_back_lines(struct durations *pool, uint32_t line)
{
    while (line != 0) {
        uint32_t next = pool->lines[line - 1].next;
        pool->lines[line - 1].next = pool->unused;
        pool->unused = line;
        line = next;
    }
}

/* ---- adding ---- */

static void
add_entries(int64_t *counts, const uint16_t *entries, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (entries[i] != 0)
            counts[(entries[i] >> 1) - 1] += entries[i] & 1 ? -1 : 1;
    }
}

/* Makes counts of the chain of |log|, and of what stands beside the hour. */
static enum err
make_counts(struct durations *pool, struct duration_log *log)
{
    uint32_t line = take_lines(pool, COUNT_LINES);
    struct duration_log counts = {.lines = line | DURATION_COUNTS};

    if (line == 0)
        return ERR_NOMEM;
    int64_t *count = durations_count(pool, &counts, 0);
    memset(count, 0, SKETCH_BUCKETS * sizeof(*count));
    for (uint32_t at = log->lines; at != 0; at = pool->lines[at - 1].next)
        add_entries(count, pool->lines[at - 1].entry, pool->lines[at - 1].len);
    add_entries(count, log->recent, DURATIONS_RECENT);
    give_back_lines(pool, log->lines);
    *log = counts;
    return OK;
}

/* Begins a line of |log|. */
static enum err
begin_line(struct durations *pool, struct duration_log *log)
{
    uint32_t before = log->lines;
    uint32_t fresh = take_line(pool);

    if (fresh == 0)
        return ERR_NOMEM;
    struct duration_line *line = &pool->lines[fresh - 1];
    line->next = before;
    line->len = 0;
    line->depth = before ? (uint16_t)(pool->lines[before - 1].depth + 1) : 1;
    log->lines = fresh;
    return OK;
}

/* Moves those beside the hour to a line that has room. */
static enum err
put_away(struct durations *pool, struct duration_log *log)
{
    uint32_t last = log->lines;

    if (last == 0 ||
        pool->lines[last - 1].len + DURATIONS_RECENT > DURATION_LINE_LEN) {
        enum err err = begin_line(pool, log);
        if (err)
            return err;
    }
    struct duration_line *line = &pool->lines[log->lines - 1];
    memcpy(line->entry + line->len, log->recent, sizeof(log->recent));
    line->len += DURATIONS_RECENT;
    memset(log->recent, 0, sizeof(log->recent));
    return OK;
}

/* Whether the last line of the longest chain is full. */
static bool
is_full(const struct durations *pool, const struct duration_log *log)
{
    const struct duration_line *line;

    if (log->lines == 0)
        return false;
    line = &pool->lines[log->lines - 1];
    return line->depth == DEPTH_MAX &&
           line->len + DURATIONS_RECENT > DURATION_LINE_LEN;
}

enum err
durations_put(struct durations *pool, struct duration_log *log, uint16_t bucket,
              int64_t count)
{
    bool is_one = count == 1 || count == -1;
    enum err err;

    if (durations_try(log, bucket, count))
        return OK;
    if (is_one && !is_full(pool, log)) {
        if (!(err = put_away(pool, log)))
            (void)durations_try(log, bucket, count);
        return err;
    }
    if ((err = make_counts(pool, log)))
        return err;
    *durations_count(pool, log, bucket) += count;
    return OK;
}

/* ---- asking ---- */

static void
gather(struct durations *pool, size_t bucket, int64_t count)
{
    pool->sums.count[bucket] += count;
    pool->sums.seen[bucket / 64] |= UINT64_C(1) << bucket % 64;
}

static void
gather_entries(struct durations *pool, const uint16_t *entries, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (entries[i] != 0)
            gather(pool, (entries[i] >> 1) - 1, entries[i] & 1 ? -1 : 1);
    }
}

void
durations_gather(struct durations *pool, const struct duration_log *log)
{
    if (log->lines & DURATION_COUNTS) {
        const int64_t *count = durations_count(pool, log, 0);
        for (size_t i = 0; i < SKETCH_BUCKETS; i++)
            gather(pool, i, count[i]);
        return;
    }
    gather_entries(pool, log->recent, DURATIONS_RECENT);
    for (uint32_t at = log->lines; at != 0; at = pool->lines[at - 1].next)
        gather_entries(pool, pool->lines[at - 1].entry,
                       pool->lines[at - 1].len);
}

size_t
durations_take(struct durations *pool, const struct sketch_count **out)
{
    size_t len = 0;

    for (size_t word = 0; word < DURATION_WORDS; word++) {
        for (uint64_t left = pool->sums.seen[word]; left; left &= left - 1) {
            size_t bucket = word * 64 + (size_t)__builtin_ctzll(left);
            int64_t count = pool->sums.count[bucket];
            pool->sums.count[bucket] = 0;
            if (count != 0)
                pool->sums.list[len++] =
                    (struct sketch_count){(uint16_t)bucket, count};
        }
        pool->sums.seen[word] = 0;
    }
    *out = pool->sums.list;
    return len;
}

void
durations_clear(struct durations *pool)
{
    if (pool->cap > CAP_MIN && pool->len < pool->cap / HARDLY)
        durations_fini(pool);
    pool->len = 0;
    pool->unused = 0;
}
