/*
 * words - from a task in somebody's words to the places it is about.
 *
 * First what the task names exactly: paths, routes, identifiers with parts
 * (`Cart.Add`, `parse_header`, `getUser`).  Then BM25 over the parts of names,
 * signatures, packages and paths: identifiers are split where their letters
 * change case, at `_` and the like; of words only the stem counts; a word of
 * four letters or more also fits a part it begins, for less.  Words that say
 * how and not what ("fix", "the") are left out.
 *
 * Cost       One pass over the names of all places.
 * Threads    As the view.
 */
#ifndef GRAPH_WORDS_H
#define GRAPH_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "graph/joined.h"
#include "graph/query.h"

enum { WORDS_MAX = 32, WORDS_EXACT_MAX = 64 };

struct words_hit {
    uint32_t place;
    double score;  /* of the best hit 1 */
    bool is_exact; /* the task names it */
};

struct words_hits {
    struct words_hit *rows; /* exact ones first, then by score, then place */
    size_t len;
    size_t matched; /* places that some word fits; |rows| are at most max */
};

/* words_find: ERR_NOMEM.  That nothing fits is no error. */
enum err words_find(const struct joined *joined, struct query_view *view,
                    str task, size_t max, struct words_hits *out);
void words_fini(struct words_hits *hits);

/* words_split passes each part of |text|, in lower case and as a stem;
 * for tests, and for comparing other texts in the same way. */
enum { WORD_LEN_MAX = 40 };
typedef void words_part_fn(void *ctx, str part);
void words_split(str text, words_part_fn *fn, void *ctx);
bool words_is_stop(str part);

#endif
