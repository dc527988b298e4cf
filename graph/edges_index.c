/*
 * Open addressing by buckets of a cache line: a key whose bucket is full goes
 * to the next that is not.  Up to eight of ten places are used, on the
 * average, so that a key is nearly always where it is looked for first, and one
 * comparison finds it there or does not.
 *
 * A search ends at the first bucket with an empty place.  Whoever leaves a full
 * bucket therefore draws back one that had to pass it by, and so on from there.
 */
#include "graph/edges_index.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "graph/lines.h"

enum {
    FILL = 8, /* of each bucket, on the average, at the most */
    AHEAD = 16,
    RECORDS_MIN = 256, /* that the index is made for */
};

static struct edge_key
key_of(const struct record *record)
{
    return (struct edge_key){record->src, record->dst, record->kind};
}

uint32_t
edges_find(const struct edges *edges, struct edge_key key, uint64_t hash)
{
    for (uint32_t i = (uint32_t)hash;; i++) {
        const struct edge_bucket *bucket =
            &edges->buckets[i & edges->bucket_mask];
        uint32_t match = edge_bucket_match(bucket, edge_bucket_tag(hash));
        for (; match; match &= match - 1) {
            uint32_t at = bucket->at[__builtin_ctz(match)];
            if (record_is(&edges->records[at - 1], key))
                return at;
        }
        if (!edge_bucket_is_full(bucket))
            return 0;
    }
}

void
edges_put(struct edges *edges, uint32_t at)
{
    uint64_t hash = edges_hash(edges, key_of(&edges->records[at]));
    struct edge_bucket *bucket;
    uint32_t i = (uint32_t)hash;

    do
        bucket = &edges->buckets[i++ & edges->bucket_mask];
    while (edge_bucket_is_full(bucket));
    uint32_t place = (uint32_t)__builtin_ctz(edge_bucket_match(bucket, 0));
    bucket->at[place] = at + 1;
    bucket->tag[place] = edge_bucket_tag(hash);
}

/* Makes empty buckets, |len| of them. */
static enum err
begin_anew(struct edges *edges, uint32_t len)
{
    struct edge_bucket *buckets = lines_grow(NULL, 0, len, sizeof(*buckets));

    if (!buckets)
        return ERR_NOMEM;
    memset(buckets, 0, len * sizeof(*buckets));
    free(edges->buckets);
    edges->buckets = buckets;
    edges->bucket_mask = len - 1;
    return OK;
}

static uint32_t
buckets_for(uint32_t records)
{
    uint32_t len = 1;

    while ((uint64_t)FILL * len < records)
        len *= 2;
    return len;
}

/* Asks for the bucket of a record that is to be put soon. */
static void
expect(const struct edges *edges, uint32_t at)
{
    if (at < edges->record_len)
        edges_expect(edges, edges_hash(edges, key_of(&edges->records[at])));
}

enum err
edges_make_room(struct edges *edges, uint32_t records)
{
    uint32_t len = buckets_for(records);

    if (len <= edges->bucket_mask + 1)
        return OK;
    if (begin_anew(edges, len))
        return ERR_NOMEM;
    for (uint32_t i = 0; i < edges->record_len; i++) {
        expect(edges, i + AHEAD);
        if (edges->records[i].flags & RECORD_USED)
            edges_put(edges, i);
    }
    return OK;
}

enum err
edges_index_all(struct edges *edges)
{
    uint32_t len = edges->record_len;

    if (begin_anew(edges, buckets_for(len < RECORDS_MIN ? RECORDS_MIN : len)))
        return ERR_NOMEM;
    for (uint32_t i = 0; i < len; i++) {
        struct edge_key key = key_of(&edges->records[i]);
        expect(edges, i + AHEAD);
        if (edges_find(edges, key, edges_hash(edges, key)) != 0) {
            log_error("an edge is stored twice", "id", "%u",
                      edges->records[i].id);
            return ERR_CORRUPT;
        }
        edges_put(edges, i);
    }
    return OK;
}

/* The place in bucket |from| of one that may stand in bucket |hole|, which is
 * before it; or EDGE_BUCKET_LEN. */
static uint32_t
find_passed(const struct edges *edges, uint32_t hole, uint32_t from)
{
    const struct edge_bucket *bucket = &edges->buckets[from];
    uint32_t mask = edges->bucket_mask;

    for (uint32_t i = 0; i < EDGE_BUCKET_LEN && bucket->tag[i] != 0; i++) {
        struct edge_key key = key_of(&edges->records[bucket->at[i] - 1]);
        uint32_t home = (uint32_t)edges_hash(edges, key) & mask;
        if (((from - home) & mask) >= ((from - hole) & mask))
            return i;
    }
    return EDGE_BUCKET_LEN;
}

void
edges_take_out(struct edges *edges, uint32_t at)
{
    uint64_t hash = edges_hash(edges, key_of(&edges->records[at]));
    uint32_t hole = (uint32_t)hash & edges->bucket_mask;
    struct edge_bucket *bucket = &edges->buckets[hole];
    uint32_t place = 0;

    while (bucket->at[place] != at + 1) {
        if (++place < EDGE_BUCKET_LEN)
            continue;
        hole = (hole + 1) & edges->bucket_mask;
        bucket = &edges->buckets[hole];
        place = 0;
    }
    for (uint32_t i = hole; edge_bucket_is_full(&edges->buckets[i]);) {
        i = (i + 1) & edges->bucket_mask;
        uint32_t passed = find_passed(edges, hole, i);
        if (passed == EDGE_BUCKET_LEN)
            continue;
        bucket->at[place] = edges->buckets[i].at[passed];
        bucket->tag[place] = edges->buckets[i].tag[passed];
        hole = i;
        bucket = &edges->buckets[hole];
        place = passed;
    }
    /* The last of the bucket fills the place: no gaps. */
    uint32_t last = EDGE_BUCKET_LEN - 1;
    while (bucket->tag[last] == 0)
        last--;
    bucket->at[place] = bucket->at[last];
    bucket->tag[place] = bucket->tag[last];
    bucket->at[last] = 0;
    bucket->tag[last] = 0;
}
