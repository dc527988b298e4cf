/*
 * pair_index - which entry has a span id.
 *
 * Exact: what was added is found until it is removed or gone, whatever the
 * load.  Spans that are gone (pair_ids.h) need not be removed, but for those
 * that pair_index_add says so of: their places are used again.
 * Small at first, so that a service at rest is small, too; four times as large
 * whenever it is a third full, until it is empty again.
 *
 * Memory     16 to 64 bytes an entry, at the bound 16; reserved in
 *            pair_index_init.
 * Bound      |cap| entries; the caller keeps to it.
 * Threads    None.
 */
#ifndef RUNTIME_PAIR_INDEX_H
#define RUNTIME_PAIR_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/hash.h"
#include "runtime/pair_bucket.h"
#include "runtime/pair_entry.h"
#include "runtime/pair_ids.h"

enum { PAIR_INDEX_SMALL = 16384 };

/* Spans told apart by the high half of their trace id alone. */
enum { PAIR_CROWD_MAX = 64 };

struct pair_index {
    struct pair_bucket *buckets; /* |small| or one of |large| */
    struct pair_bucket *small;
    struct pair_bucket *large[2]; /* by turns */
    const struct pair_ids *ids;
    struct pair_entry *entries; /* of which it sets PAIR_PASSED */
    uint64_t seed[2];
    uint32_t bucket_len;
    uint32_t small_len;
    uint32_t full_len;
    uint32_t grow_at; /* for more entries, or UINT32_MAX */
};

/* pair_index_init: ERR_NOMEM; may be given to fini in any case.  |ids| says
 * which ids are gone, and where in |entries| the others are. */
enum err
pair_index_init(struct pair_index *index, uint32_t cap,
                const struct pair_ids *ids, struct pair_entry *entries);
void pair_index_fini(struct pair_index *index);

/* pair_index_fit makes it as large as it is to be for |len| entries; to be
 * called before there are as many.  pair_index_clear empties it when none is
 * held, and makes it small. */
void pair_index_grow(struct pair_index *index);
static inline void
pair_index_fit(struct pair_index *index, uint32_t len)
{
    while (len > index->grow_at)
        pair_index_grow(index);
}
void pair_index_clear(struct pair_index *index);

/* pair_hash is where a key belongs until the index grows: the low half is the
 * number of its bucket, the high byte its tag (pair_bucket.h).  Trace ids of 64
 * and of 128 bits meet: the index knows the low half only.  Both words have a
 * seed: who knew one that makes a factor 0 could send as many spans as he likes
 * to one bucket. */
static inline uint64_t
pair_hash(const struct pair_index *index, uint64_t trace_lo, uint64_t span_id)
{
    uint64_t hash =
        hash_mix(trace_lo ^ index->seed[0], span_id ^ index->seed[1]);
    uint64_t home = (hash & UINT32_MAX) * index->bucket_len >> 32;
    uint64_t tag = hash >> 56;

    return (tag + !tag) << 56 | home;
}

/* pair_index_find is where the id of |key| is kept, or NULL. */
uint32_t *pair_index_find(const struct pair_index *index, uint64_t hash,
                          struct pair_key key);
/* pair_index_is says of an id that is not gone whether it has |key|. */
static inline bool
pair_index_is(const struct pair_index *index, uint32_t id, struct pair_key key)
{
    const struct pair_entry *entry = &index->entries[id & index->ids->mask];

    return ((entry->span_id ^ key.span_id) | (entry->trace_lo ^ key.trace_lo) |
            (entry->trace_hi ^ key.trace_hi)) == 0;
}

/* pair_index_slot is where |id| is kept; it must be there. */
uint32_t *
pair_index_slot(const struct pair_index *index, uint64_t hash, uint32_t id);
/* pair_index_is_home says whether |slot| is where a key is that did not pass a
 * full bucket. */
bool pair_index_is_home(const struct pair_index *index, uint64_t hash,
                        const uint32_t *slot);
/* pair_index_remove takes out an id that is there. */
void pair_index_remove(struct pair_index *index, uint64_t hash, uint32_t id);

/* pair_index_add_far puts in an id whose key is not there yet, wherever there
 * is room; the rest as pair_index_add (pair_place.h), for the common case. */
bool pair_index_add_far(struct pair_index *index, uint64_t hash, uint32_t id);

#endif
