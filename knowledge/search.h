/*
 * search - from words to objects of all worlds.
 *
 * Lanes rank on their own, and are fused by reciprocal rank: a hit counts
 * weight / (SEARCH_K + rank) in each lane that has it, and its score is that
 * over the most it could be, times how much of the question it covers.  A lane
 * that fails, or comes after the deadline, is left out and told.
 *
 * Lanes      bm25    texts of what was added (FTS5, porter, weighted columns)
 *            names   words of code and traces: names, signatures, paths, what
 *                    functions say and call (graph/code_terms.h)
 *            ngram   the same, by words that have the same runs of letters
 *            ident   what the question names exactly: ids, names, error
 *                    strings, keys, flags, what stands in quotes
 *            vector  what means the same, where a model outside is configured
 *                    (knowledge/vectors.h)
 *            cover   what the others found, by how much of the question each
 *                    covers: one scale for all worlds
 *            graph   the best so far and what a random walk from them meets
 * Documents  A hit in a chunk is told as its document, once, with the chunk.
 * Threads    As the moment.
 */
#ifndef KNOWLEDGE_SEARCH_H
#define KNOWLEDGE_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "knowledge/near.h"

/* In the order in which they run. */
enum search_lane {
    LANE_BM25,
    LANE_NAMES,
    LANE_NGRAM,
    LANE_IDENT,
    LANE_VECTOR,
    LANE_COVER,
    LANE_GRAPH,
    LANE_COUNT,
};
const char *search_lane_str(enum search_lane lane);

enum { SEARCH_K = 60, SEARCH_LANE_MAX = 100, SEARCH_KEYS = 8 };

struct search_ask {
    str query;
    bool is_plain;        /* BM25 alone: lanes bm25 and names */
    uint64_t deadline_ns; /* of the monotonic clock: what is not done by then
                             is left out; 0: none */
    unsigned broken;      /* bits of lanes that fail, for tests */
};

struct search_hit {
    near_spot spot;
    double score;               /* 0 to 1 */
    double cover;               /* how much of the question it covers, 0 to 1 */
    double meaning;             /* how near its vector is, 0 to 1 */
    int64_t chunk;              /* oid of the best of a document; 0: none */
    unsigned keys;              /* bits of search_hits.keys that it has */
    uint16_t ranks[LANE_COUNT]; /* from 1; 0: not in that lane */
};
struct search_hits {
    struct search_hit *rows; /* best first, then by spot */
    size_t len;
    size_t cap;
    str keys[SEARCH_KEYS]; /* of the query: what only an exact hit can mean */
    size_t key_len;
    double exact;      /* how much of the query names something, 0 to 1 */
    unsigned used;     /* bits of lanes that were asked */
    unsigned degraded; /* and of those that failed or came too late */
};

/* search_find: that nothing fits is no error, nor that a lane failed.
 * ERR_BUSY: the deadline came before the end of the first lane. */
enum err search_find(struct near *near, struct moment *moment,
                     const struct search_ask *ask, struct search_hits *out);
void search_hits_fini(struct search_hits *hits);

/* search_is_over: |object| was superseded, or is a document that is gone.  It
 * still has its id, but is no answer. */
enum err
search_is_over(struct moment *moment, const struct object *object, bool *out);

/* search_is_ident: |word| looks like an identifier, not like a word. */
bool search_is_ident(str word);
/* search_like is how far two words have the same runs of three letters in any
 * case, 0 to 1. */
double search_like(str a, str b);

#endif
