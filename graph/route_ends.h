/*
 * route_ends - which declared route ends with a pattern, behind literal
 * segments.
 *
 * A service whose routes are declared with a prefix that its spans lack is
 * found by what they have in common.  Anybody may send patterns that are not
 * declared, so each must cost the same however many are.
 *
 * Memory     A slot of 8 bytes for each place where a declared route may be
 *            cut, at most half of them used; route_ends_fini.
 * Threads    As route_table: one writes, which asking is.
 */
#ifndef GRAPH_ROUTE_ENDS_H
#define GRAPH_ROUTE_ENDS_H

#include "graph/route_table.h"

/* What is longer, but for its first slash, is not found. */
enum { ROUTE_ENDS_FRONT_MAX = 128 };

/* Zero-initialise to start. */
struct route_ends {
    struct route_end *slots;
    uint32_t cap;
    uint32_t len;
    uint32_t seen; /* routes of the table that are in it */
};

void route_ends_fini(struct route_ends *ends);

/*
 * route_ends_find is what stands before |pattern| in the first route of |table|
 * that ends with it, for |method| or ANY: literal segments, at least one.
 * Empty: there is none, or no memory.  |table| is the same in each call; what
 * was added to it since the last is taken in first.
 */
str route_ends_find(struct route_ends *ends, const struct route_table *table,
                    str method, str pattern);

#endif
