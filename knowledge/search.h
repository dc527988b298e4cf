/*
 * search - from words to objects of all worlds.
 *
 * Lanes rank on their own, and are fused by reciprocal rank: a hit counts
 * weight / (SEARCH_K + rank) in each lane that has it, and its score is that
 * over the most it could be.  A lane that fails is left out and told.
 *
 * Lanes      bm25    texts of what was added (FTS5, porter, weighted columns)
 *            names   parts of names, signatures and paths of code and traces
 *            ngram   hashed runs of three letters of names
 *            ident   what the words name exactly; only if they look so
 *            graph   the best so far and what is linked with them
 * Threads    As the moment.
 */
#ifndef KNOWLEDGE_SEARCH_H
#define KNOWLEDGE_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "knowledge/near.h"

enum search_lane {
    LANE_BM25,
    LANE_NAMES,
    LANE_NGRAM,
    LANE_IDENT,
    LANE_GRAPH,
    LANE_COUNT,
};
const char *search_lane_str(enum search_lane lane);

enum { SEARCH_K = 60, SEARCH_LANE_MAX = 100 };

struct search_ask {
    str query;
    bool is_plain;        /* BM25 alone: lanes bm25 and names */
    uint64_t deadline_ns; /* of the monotonic clock: later lanes are left out;
                             0: none */
};

struct search_hit {
    near_spot spot;
    double score;               /* 0 to 1 */
    uint16_t ranks[LANE_COUNT]; /* from 1; 0: not in that lane */
};
struct search_hits {
    struct search_hit *rows; /* best first, then by spot */
    size_t len;
    size_t cap;
    unsigned used;     /* bits of lanes that were asked */
    unsigned degraded; /* and of those that failed or came too late */
};

/* search_find: ERR_NOMEM; that nothing fits is no error. */
enum err search_find(struct near *near, struct moment *moment,
                     const struct search_ask *ask, struct search_hits *out);
void search_hits_fini(struct search_hits *hits);

/* search_is_ident: |word| looks like an identifier, not like a word. */
bool search_is_ident(str word);
/* search_like is how far two names have the same runs of three letters in any
 * case, 0 to 1. */
double search_like(str a, str b);

#endif
