/*
 * pack - what to take when not all of it fits.
 *
 * Items of the lowest tier go first; within a tier those that give most score
 * for a token, as long as they fit; small ones may still go in behind a large
 * one that did not.  If one item alone would score more than all that was taken
 * of its tier, it is taken in their place: so a tier packed alone has at least
 * half of the best score there is.
 *
 * Order      The same items give the same choice; ties go to the first.
 * Threads    Any.
 */
#ifndef GRAPH_PACK_H
#define GRAPH_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct pack_item {
    double score; /* >= 0 */
    uint32_t tokens;
    uint8_t tier;
    bool is_in; /* set by pack_greedy; those set before stay and are not
                   counted again */
};

/* A token is taken to be four bytes, rounded up. */
enum { PACK_TOKEN_BYTES = 4 };
static inline size_t
pack_tokens(size_t bytes)
{
    return (bytes + PACK_TOKEN_BYTES - 1) / PACK_TOKEN_BYTES;
}

/* pack_greedy chooses among the items that are not in yet; those it takes have
 * at most |budget| tokens together; |used| is how many.  ERR_NOMEM. */
enum err
pack_greedy(struct pack_item *items, size_t len, size_t budget, size_t *used);

#endif
