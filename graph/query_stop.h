/*
 * query_stop - questions that end when nobody waits for them any more.
 *
 * A question about all edges of a large graph takes seconds, and there are few
 * views: whoever asked and went away, or has waited long enough, must not keep
 * one from the others.
 *
 * Threads    As the view; is_over is called by the thread that asks.
 */
#ifndef GRAPH_QUERY_STOP_H
#define GRAPH_QUERY_STOP_H

#include <stdbool.h>
#include <stddef.h>

#include "graph/query.h"

struct query_stop {
    bool (*is_over)(void *ctx); /* NULL: never */
    void *ctx;
};

/* query_stop_when makes what is read through |view| fail with ERR_CANCELLED
 * once |stop| says so; it is asked about every millisecond.  Good until
 * query_end.  Returns what was in force: after query_begin, nothing. */
struct query_stop
query_stop_when(struct query_view *view, struct query_stop stop);

/* query_check: OK, or ERR_CANCELLED; before what reads nothing and is long.
 * |view| NULL: of nobody's question. */
enum err query_check(const struct query_view *view);

/* query_check_at is for a loop that reads nothing: it looks at some of the
 * rounds |i| = 0, 1, ... */
enum { QUERY_CHECK_EVERY = 512 };
static inline enum err
query_check_at(const struct query_view *view, size_t i)
{
    return i % QUERY_CHECK_EVERY == QUERY_CHECK_EVERY - 1 ? query_check(view)
                                                          : OK;
}

#endif
