/*
 * search_parts - what the lanes of search share.  Not for others.
 *
 * Threads    As the moment.
 */
#ifndef KNOWLEDGE_SEARCH_PARTS_H
#define KNOWLEDGE_SEARCH_PARTS_H

#include "base/ids.h"
#include "base/texts.h"
#include "graph/code_runs.h"
#include "graph/code_terms.h"
#include "graph/words.h"
#include "knowledge/search.h"

struct embed_ticket;

enum { SEARCH_WORDS = 24, SEARCH_SAME = 40 };

/* A word of the question, as graph/words.h cuts and stems it. */
struct search_word {
    char text[WORD_LEN_MAX];
    size_t len;
    double places;         /* objects of code and traces that have it */
    double texts;          /* of what was added */
    double rarity;         /* over all worlds */
    str same[SEARCH_SAME]; /* what stands for it: `err` for `error`; stems */
    size_t same_len;
    char joined[WORD_LEN_MAX]; /* with the word behind it, one of |same| */
    size_t joined_len;
};

struct search_words {
    struct search_word items[SEARCH_WORDS];
    size_t len;
    double places; /* objects of code and traces */
    double texts;
};
void search_words_read(str query, struct search_words *out);
/* search_words_weigh fills rarity of what the lanes counted. */
void search_words_weigh(struct search_words *words);
/* search_is_stop: |part| says how a question is put, not what it is about. */
bool search_is_stop(str part);

/* search_find_same fills what stands for |word|. */
void search_find_same(struct search_word *word);
static inline bool
search_is_same(const struct search_word *word, str part)
{
    for (size_t i = 0; i < word->same_len; i++)
        if (str_eq(word->same[i], part))
            return true;
    return false;
}

/* The words of what is observed, as graph/code_terms.h has those of code. */
struct search_observed {
    struct ids ids;
    struct texts texts;          /* parts; one of each */
    uint32_t *at;                /* of part t: places[at[t]..at[t + 1]) */
    struct code_term_at *places; /* |node|: index in |ids| */
    uint64_t *marks;             /* by part */
    uint32_t *parts;             /* by index in |ids|: how many */
    double mean;                 /* of them */
};
/* search_observe: ERR_NOMEM.  After either search_observed_fini. */
enum err
search_observe(const struct moment *moment, struct search_observed *out);
void search_observed_fini(struct search_observed *observed);

struct scored {
    near_spot spot;
    double score;
    int64_t chunk;
    unsigned keys;
};

/* One lane in the making. */
struct lane {
    struct near *near;
    struct moment *moment;
    const struct search_ask *ask;
    struct search_words *words;
    struct search_hits *hits;       /* of the lanes before */
    const struct code_terms *terms; /* NULL: there is no code */
    const struct code_runs *runs;   /* likewise */
    const struct search_observed *observed;
    const struct embed_ticket *ticket; /* of vectors */
    struct scored *rows;
    size_t len;
    size_t cap;
};
enum err lane_add(struct lane *lane, const struct scored *row);
/* lane_is_late: the deadline is over. */
bool lane_is_late(const struct lane *lane);
/* lane_text_spot is the spot of row |oid| of the texts: a chunk's is that of
 * |document|. */
near_spot lane_text_spot(int64_t oid, int64_t document);

/* search_by_score orders hits for qsort: the best first, then by spot. */
int search_by_score(const void *a, const void *b);

/* search_group puts what stands for the same as a better hit behind it. */
enum err search_group(const struct lane *lane);

typedef enum err lane_fn(struct lane *lane);
lane_fn search_texts, search_names, search_ngrams, search_idents,
    search_vectors, search_cover, search_graph;

#endif
