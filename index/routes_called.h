/*
 * routes_called - the calls of a file that a rule may be about, by the names
 * that are called: of routes, of clients and of topics.  A file is gone through
 * once for all of them.
 *
 * Threads    None.
 */
#ifndef INDEX_ROUTES_CALLED_H
#define INDEX_ROUTES_CALLED_H

#include "index/routes_parts.h"

enum { CALLED_VERB = 1, CALLED_CLIENT = 2, CALLED_TOPIC = 4 };

struct called {
    uint32_t expr;
    uint8_t rules; /* CALLED_..., those that may be about it */
};

struct called_file {
    struct called *calls; /* in the order of the file */
    uint32_t len, cap;
    bool is_made;
    bool has_loops; /* a list is gone through */
};

/* called_in is owned by |p|; where memory runs out it has none, and p->failed
 * is set. */
const struct called_file *called_in(struct parts *p, uint32_t file);
void called_fini(struct parts *p);

/* The last names of what rules are about, from 0 on; behind the last an empty
 * one (index/routes_clients.c, index/routes_topics.c). */
str client_word(size_t i);
str topic_word(size_t i);

#endif
