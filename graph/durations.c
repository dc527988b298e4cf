/*
 * A list that is sorted and added up when it is full, and grows if that leaves
 * it more than half full: so each count is sorted some three times in all.  A
 * table that is asked for each count would be one cache miss each.
 *
 * The sort is one by digits of up to eleven bits, from the lowest; digits begin
 * at a bit that is not the same in all keys, so mostly there are three of them:
 * the bucket, and two of the edge.
 */
#include "graph/durations.h"

#include <stdlib.h>
#include <string.h>

enum { CAP_MIN = 4096, DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };

void
durations_fini(struct durations *durations)
{
    free(durations->counts);
    free(durations->other);
    *durations = (struct durations){0};
}

/* Sorts |from| by the digit of the key that begins at bit |shift| into |to|. */
static void
sort_by_digit(const struct duration_count *from, struct duration_count *to,
              size_t len, int shift)
{
    size_t at[DIGITS] = {0};
    size_t sum = 0;

    for (size_t i = 0; i < len; i++)
        at[from[i].key >> shift & (DIGITS - 1)]++;
    for (size_t i = 0; i < DIGITS; i++) {
        size_t count = at[i];
        at[i] = sum;
        sum += count;
    }
    for (size_t i = 0; i < len; i++)
        to[at[from[i].key >> shift & (DIGITS - 1)]++] = from[i];
}

static void
sort(struct durations *durations)
{
    uint64_t differing = 0;

    for (size_t i = 1; i < durations->len; i++)
        differing |= durations->counts[i].key ^ durations->counts[0].key;
    while (differing) {
        int shift = __builtin_ctzll(differing);
        sort_by_digit(durations->counts, durations->other, durations->len,
                      shift);
        struct duration_count *swap = durations->counts;
        durations->counts = durations->other;
        durations->other = swap;
        differing &= ~((uint64_t)(DIGITS - 1) << shift);
    }
}

/* Sorts, and leaves one count of each key, if it is not 0. */
static void
add_up(struct durations *durations)
{
    struct duration_count *counts;
    size_t len = 0;

    sort(durations);
    counts = durations->counts;
    for (size_t i = 0; i < durations->len;) {
        struct duration_count sum = counts[i++];
        while (i < durations->len && counts[i].key == sum.key)
            sum.count += counts[i++].count;
        counts[len] = sum;
        len += sum.count != 0;
    }
    durations->len = len;
    if (durations->peak < len)
        durations->peak = len;
}

static enum err
grow(struct durations *durations)
{
    size_t cap = durations->cap ? 2 * durations->cap : CAP_MIN;
    struct duration_count *counts = malloc(cap * sizeof(*counts));
    struct duration_count *other = malloc(cap * sizeof(*other));

    if (!counts || !other) {
        free(counts);
        free(other);
        return ERR_NOMEM;
    }
    if (durations->len)
        memcpy(counts, durations->counts, durations->len * sizeof(*counts));
    free(durations->counts);
    free(durations->other);
    durations->counts = counts;
    durations->other = other;
    durations->cap = cap;
    return OK;
}

enum err
durations_add(struct durations *durations, uint64_t key, int64_t count)
{
    if (durations->len == durations->cap) {
        if (durations->len)
            add_up(durations);
        /* Without memory it goes on as long as there is any room. */
        if (2 * durations->len >= durations->cap && grow(durations) &&
            durations->len == durations->cap)
            return ERR_NOMEM;
    }
    durations->counts[durations->len++] =
        (struct duration_count){.key = key, .count = count};
    return OK;
}

void
durations_sorted(struct durations *durations, const struct duration_count **out,
                 size_t *out_len)
{
    if (durations->len)
        add_up(durations);
    *out = durations->counts;
    *out_len = durations->len;
}

void
durations_clear(struct durations *durations)
{
    if (durations->cap > CAP_MIN && durations->peak < durations->cap / 64)
        durations_fini(durations);
    durations->len = 0;
    durations->peak = 0;
}
