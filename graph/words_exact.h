/*
 * words_exact - what a text names as it is written in the code: identifiers,
 * paths, routes, services.  For graph/words.c, and for who fills in arguments.
 *
 * Threads    As the view.
 */
#ifndef GRAPH_WORDS_EXACT_H
#define GRAPH_WORDS_EXACT_H

#include "base/err.h"
#include "base/ids.h"
#include "base/str.h"
#include "graph/code_find.h"
#include "graph/joined.h"
#include "graph/query.h"

enum words_kind {
    WORD_PLAIN,
    WORD_IDENTIFIER, /* has parts: `Cart.Add`, `parse_header`, `getUser` */
    WORD_PATH,       /* `src/cart.go`, `src/cart.go:12` */
    WORD_ROUTE,      /* `/users/{id}` */
};

/* Words of a task that are looked up: each is held against all names. */
enum { WORDS_READ_MAX = 256 };

/* words_next cuts the next word off |rest|, without what quotes or ends it;
 * false: there is none. */
bool words_next(str *rest, str *word, enum words_kind *kind);

/* words_find_exact appends the places that |task| names, at most
 * WORDS_EXACT_MAX, each once; what is behind the first WORDS_READ_MAX words is
 * not looked at.  ERR_NOMEM. */
enum err words_find_exact(const struct joined *joined, struct query_view *view,
                          str task, struct ids *out);

#endif
