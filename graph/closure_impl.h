/*
 * closure_impl - what the files of graph/closure share.
 *
 * Threads    None.
 */
#ifndef GRAPH_CLOSURE_IMPL_H
#define GRAPH_CLOSURE_IMPL_H

#include "graph/closure.h"

/* Bits of closure.marks. */
enum {
    CLOSURE_HANDLER = 1, /* of some route: registering it is no call */
    CLOSURE_DEAD = 2,    /* handles dead routes only */
    CLOSURE_LIVE = 4,
    CLOSURE_TESTED = 8,
    CLOSURE_OPEN = 16,
    CLOSURE_GONE = 32, /* reached from dead handlers, and not live */
};

static inline bool
closure_is_function(const struct code *code, uint32_t vertex)
{
    uint8_t kind = code_node(code, vertex)->kind;

    return kind == CODE_FUNCTION || kind == CODE_METHOD;
}

/* closure_is_told: |vertex| is gone, and no part of a function that is. */
static inline bool
closure_is_told(const struct closure *closure, uint32_t vertex)
{
    const struct code *code = closure->joined->code;
    uint8_t mark = closure->marks[vertex];

    return mark & CLOSURE_GONE && closure_is_function(code, vertex) &&
           (mark & CLOSURE_HANDLER ||
            !(code_node(code, vertex)->flags & CODE_ANONYMOUS));
}

/* closure_carries: what reaches |from| reaches by |arc|, of its out-arcs.  A
 * |sure| arc is no guess. */
bool closure_carries(const struct closure *closure, uint32_t from,
                     const struct joined_arc *arc, bool sure);

/* closure_calls: |arc|, of the out- or in-arcs, is a call. */
static inline bool
closure_calls(const struct joined_arc *arc)
{
    return arc->type == CODE_CALLS || arc->type == CODE_CONSUMES;
}

/* closure_gate takes back the verdict on routes of |audit| that were never
 * called where, of what is in |whole|, others of their service were, but none
 * of their framework or file: they could not be seen.  It sorts |audit|.
 * ERR_NOMEM. */
enum err closure_gate(const struct joined *joined, struct query_view *view,
                      const struct audit *whole, struct audit *audit);

#endif
