/*
 * pair_place - what of the index of pair is settled by a key's own bucket.
 *
 * Nearly all is, and a span goes through five of these, so they are inline.
 *
 * Threads    None.
 */
#ifndef RUNTIME_PAIR_PLACE_H
#define RUNTIME_PAIR_PLACE_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/pair_index.h"

static inline struct pair_bucket *
pair_index_home(const struct pair_index *index, uint64_t hash)
{
    return &index->buckets[(uint32_t)hash];
}

PAIR_PREFETCH
pair_index_prefetch(const struct pair_index *index, uint64_t hash)
{
    __builtin_prefetch(pair_index_home(index, hash), 1);
}

/* pair_index_put puts in |id| if the bucket of |hash| alone says, without
 * doubt, that nothing has it, and has room. */
static inline bool
pair_index_put(const struct pair_index *index, uint64_t hash, uint32_t id)
{
    struct pair_bucket *bucket = pair_index_home(index, hash);
    uint8_t tag = pair_bucket_tag(hash);
    uint32_t empty = pair_bucket_match(bucket, 0);
    uint32_t doubts = pair_bucket_match(bucket, tag) | bucket->overflow;

    if ((doubts != 0) | (empty == 0))
        return false;
    int slot = __builtin_ctz(empty);
    bucket->tag[slot] = tag;
    bucket->id[slot] = id;
    return true;
}

/* pair_index_peek is a likely id that is not gone, or 0; it reads no entry, and
 * has no branch: whether it is there nobody can predict. */
static inline uint32_t
pair_index_peek(const struct pair_index *index, uint64_t hash)
{
    const struct pair_bucket *bucket = pair_index_home(index, hash);
    uint32_t mask = pair_bucket_match(bucket, pair_bucket_tag(hash));
    int slot = __builtin_ctz(mask | 1 << (PAIR_BUCKET_LEN - 1));

    return pair_ids_live_any(index->ids,
                             bucket->id[slot] & -(uint32_t)(mask != 0));
}

/* pair_index_add puts in an id whose key is not there yet.  True: it went past
 * a full bucket, which PAIR_PASSED of its entry says, too; a span of that sort
 * must be removed before it is gone. */
static inline bool
pair_index_add(struct pair_index *index, uint64_t hash, uint32_t id)
{
    struct pair_bucket *bucket = pair_index_home(index, hash);
    uint32_t empty = pair_bucket_match(bucket, 0);

    if (!empty)
        return pair_index_add_far(index, hash, id);
    int slot = __builtin_ctz(empty);
    bucket->tag[slot] = pair_bucket_tag(hash);
    bucket->id[slot] = id;
    return false;
}

#endif
