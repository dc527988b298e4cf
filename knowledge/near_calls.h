/*
 * near_calls - the calls of one service as a whole, of many asked in turn.
 *
 * Of the first few services each one's own edges are read; who goes on asking
 * walks the graph, and then all edges are read, once, and laid out by service,
 * so that a thousand services do not look through all of them each.
 *
 *     struct near_calls calls = {0};
 *     near_calls_each(&calls, view, service, fn, ctx) ...
 *     near_calls_fini(&calls);
 *
 * Memory     Of all edges once all are read, until near_calls_fini.
 * Order      As query_edges has them; one way or the other, the same rows come.
 * Errors     As query_edges.  After one there is nothing to go on with.
 * Threads    The view's, of which there is one.
 */
#ifndef KNOWLEDGE_NEAR_CALLS_H
#define KNOWLEDGE_NEAR_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "graph/query_edges.h"

struct near_calls {
    struct query_edges edges; /* between whole services, once |is_read| */
    uint32_t *rows;           /* of them, by service: */
    size_t *at;               /* those of n are rows[at[n]..at[n + 1]) */
    bool is_read;
    uint32_t asked; /* services, before that */
};

typedef void near_call_fn(void *ctx, const struct query_edge *edge);

/* near_calls_each tells each edge that leaves or enters |service|, a node of
 * |view|: calls of its own, of its endpoints and its functions. */
enum err near_calls_each(struct near_calls *calls, struct query_view *view,
                         uint32_t service, near_call_fn *fn, void *ctx);
void near_calls_fini(struct near_calls *calls);

#endif
