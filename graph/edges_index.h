/*
 * edges_index - finds the record of an edge by its key.  For graph/edges*.c.
 *
 * Memory     64 bytes for each eight to four edges, once there are many.
 * Threads    The graph thread only.
 */
#ifndef GRAPH_EDGES_INDEX_H
#define GRAPH_EDGES_INDEX_H

#include <stdbool.h>
#include <stdint.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/err.h"
#include "base/hash.h"
#include "graph/edges_impl.h"

enum { EDGE_BUCKET_LEN = 10 };

/* Places of the index, in one cache line, filled from the first on. */
struct edge_bucket {
    uint32_t at[EDGE_BUCKET_LEN];      /* index + 1 into records */
    uint16_t tag[EDGE_BUCKET_LEN + 2]; /* of the hash; 0: empty */
};

_Static_assert(sizeof(struct edge_bucket) == LINE_BYTES, "a cache line");

static inline uint64_t
edges_hash(const struct edges *edges, struct edge_key key)
{
    return hash_mix((uint64_t)key.src << 32 | key.dst, edges->seed + key.kind);
}

static inline bool
record_is(const struct record *record, struct edge_key key)
{
    return record->src == key.src && record->dst == key.dst &&
           record->kind == key.kind;
}

static inline uint16_t
edge_bucket_tag(uint64_t hash)
{
    return (uint16_t)(hash >> 48 | 1);
}

/* edge_bucket_match is the places that hold |tag|, a bit each. */
static inline uint32_t
edge_bucket_match(const struct edge_bucket *bucket, uint16_t tag)
{
#ifdef __SSE2__
    const void *low = bucket->tag;
    const void *high = bucket->tag + 8;
    __m128i wanted = _mm_set1_epi16((short)tag);
    __m128i same =
        _mm_packs_epi16(_mm_cmpeq_epi16(_mm_loadu_si128(low), wanted),
                        _mm_cmpeq_epi16(_mm_loadl_epi64(high), wanted));

    return (uint32_t)_mm_movemask_epi8(same) & ((1 << EDGE_BUCKET_LEN) - 1);
#else
    uint32_t mask = 0;

    for (uint32_t i = 0; i < EDGE_BUCKET_LEN; i++)
        mask |= (uint32_t)(bucket->tag[i] == tag) << i;
    return mask;
#endif
}

static inline bool
edge_bucket_is_full(const struct edge_bucket *bucket)
{
    return bucket->tag[EDGE_BUCKET_LEN - 1] != 0;
}

/* edges_expect asks for the memory where |hash| will be looked for. */
static inline void
edges_expect(const struct edges *edges, uint64_t hash)
{
    __builtin_prefetch(&edges->buckets[hash & edges->bucket_mask]);
}

/* edges_guess is the index + 1 of the first record with the tag of |hash|,
 * mostly the right one, without looking at it; 0: there is none. */
static inline uint32_t
edges_guess(const struct edges *edges, uint64_t hash)
{
    for (uint32_t i = (uint32_t)hash;; i++) {
        const struct edge_bucket *bucket =
            &edges->buckets[i & edges->bucket_mask];
        uint32_t match = edge_bucket_match(bucket, edge_bucket_tag(hash));
        if (match)
            return bucket->at[__builtin_ctz(match)];
        if (!edge_bucket_is_full(bucket))
            return 0;
    }
}

/* edges_find is the index + 1 of the record of |key|; 0: there is none. */
uint32_t
edges_find(const struct edges *edges, struct edge_key key, uint64_t hash);

/* edges_make_room makes the index fit for |records|.  ERR_NOMEM. */
enum err edges_make_room(struct edges *edges, uint32_t records);

/* edges_index_all makes the index, of all records there are.  ERR_NOMEM;
 * ERR_CORRUPT: two of them have the same key. */
enum err edges_index_all(struct edges *edges);

/* edges_put adds record |at|, for which there is room, by its key. */
void edges_put(struct edges *edges, uint32_t at);

/* edges_take_out takes record |at| out of the index. */
void edges_take_out(struct edges *edges, uint32_t at);

#endif
