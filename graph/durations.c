/*
 * Open addressing with linear probing, at most half full.  Reading in order is
 * a radix sort by bytes: most keys differ in three or four of their eight, and
 * a byte that is the same in all is not sorted by.
 */
#include "graph/durations.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

enum { CAP_MIN = 1024, RADIX = 256 };

void
durations_fini(struct durations *durations)
{
    free(durations->slots);
    *durations = (struct durations){0};
}

static size_t
home(const struct durations *durations, uint64_t key)
{
    return hash_mix(key, durations->seed) & (durations->cap - 1);
}

static struct duration_count *
find(const struct durations *durations, uint64_t key)
{
    size_t i = home(durations, key);

    while (durations->slots[i].key != 0 && durations->slots[i].key != key)
        i = (i + 1) & (durations->cap - 1);
    return &durations->slots[i];
}

/* Only while nothing waits. */
static enum err
grow(struct durations *durations)
{
    struct durations bigger = {
        .cap = durations->cap ? 2 * durations->cap : CAP_MIN,
        .len = durations->len,
        .seed = durations->cap ? durations->seed : hash_seed(),
    };

    bigger.slots = calloc(bigger.cap, sizeof(*bigger.slots));
    if (!bigger.slots)
        return ERR_NOMEM;
    for (size_t i = 0; i < durations->cap; i++) {
        if (durations->slots[i].key != 0)
            *find(&bigger, durations->slots[i].key) = durations->slots[i];
    }
    free(durations->slots);
    *durations = bigger;
    return OK;
}

/* There is room for all that waits. */
static void
settle(struct durations *durations)
{
    for (uint32_t i = 0; i < durations->waiting_len; i++) {
        const struct duration_count *it = &durations->waiting[i];
        struct duration_count *slot = find(durations, it->key);
        if (slot->key == 0) {
            slot->key = it->key;
            durations->len++;
        }
        slot->count += it->count;
    }
    durations->waiting_len = 0;
}

enum err
durations_add(struct durations *durations, uint64_t key, int64_t count)
{
    if (durations->waiting_len == DURATIONS_WAITING)
        settle(durations);
    if (2 * (durations->len + durations->waiting_len) >= durations->cap) {
        settle(durations);
        if (2 * durations->len >= durations->cap && grow(durations))
            return ERR_NOMEM;
    }
    durations->waiting[durations->waiting_len++] =
        (struct duration_count){.key = key, .count = count};
    __builtin_prefetch(&durations->slots[home(durations, key)], 1);
    return OK;
}

/* Sorts |from| by one byte of the key into |to|; false if all have the same
 * and nothing was done. */
static bool
sort_by_byte(const struct duration_count *from, struct duration_count *to,
             size_t len, unsigned shift)
{
    size_t at[RADIX] = {0};
    size_t sum = 0;

    for (size_t i = 0; i < len; i++)
        at[from[i].key >> shift & 0xff]++;
    if (at[from[0].key >> shift & 0xff] == len)
        return false;
    for (size_t i = 0; i < RADIX; i++) {
        size_t count = at[i];
        at[i] = sum;
        sum += count;
    }
    for (size_t i = 0; i < len; i++)
        to[at[from[i].key >> shift & 0xff]++] = from[i];
    return true;
}

enum err
durations_sorted(struct durations *durations, struct duration_count **out,
                 size_t *out_len)
{
    settle(durations);

    size_t size = (durations->len + 1) * sizeof(struct duration_count);
    struct duration_count *sorted = malloc(size);
    struct duration_count *other = malloc(size);
    size_t len = 0;

    if (!sorted || !other) {
        free(sorted);
        free(other);
        return ERR_NOMEM;
    }
    for (size_t i = 0; i < durations->cap; i++) {
        if (durations->slots[i].count != 0)
            sorted[len++] = durations->slots[i];
    }
    for (unsigned shift = 0; len > 1 && shift < 64; shift += 8) {
        if (!sort_by_byte(sorted, other, len, shift))
            continue;
        struct duration_count *swap = sorted;
        sorted = other;
        other = swap;
    }
    free(other);
    *out = sorted;
    *out_len = len;
    return OK;
}

void
durations_clear(struct durations *durations)
{
    durations->waiting_len = 0;
    if (durations->cap > CAP_MIN && durations->len < durations->cap / 64)
        durations_fini(durations);
    else if (durations->len)
        memset(durations->slots, 0, durations->cap * sizeof(*durations->slots));
    durations->len = 0;
}
