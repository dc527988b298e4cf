/*
 * When nodes were seen last, and how often of late: one walk over the edges,
 * or a look-up for each node where that is less.
 */
#include <stdlib.h>

#include "base/clock.h"
#include "graph/query_edges.h"
#include "graph/query_view.h"
#include "store/edge_rows.h"

/* A look-up costs as much as so many edges of a walk. */
enum { LOOKUP = 10 };

struct seeing {
    struct query_view *view;
    const struct query_usage *ask;
    unsigned char *asked; /* by node; NULL: all */
    struct reader_span span;
};

static bool
is_asked(const struct seeing *s, uint32_t node)
{
    return node && (!s->asked || s->asked[node]);
}

/* An end of an edge counts for itself, or its service for a symbol, and for
 * its service as a whole. */
static void
ends_of(const struct seeing *s, uint32_t id, uint32_t out[2])
{
    const struct catalog *catalog = s->view->catalog;

    out[0] = catalog_rollup(catalog, id, LEVEL_ENDPOINT);
    out[1] = catalog_rollup(catalog, id, LEVEL_SERVICE);
    if (query_node(s->view, out[0])->kind == NODE_SERVICE)
        out[0] = 0;
    if (query_node(s->view, out[1])->kind != NODE_SERVICE)
        out[1] = 0;
}

static void
see_end(const struct seeing *s, uint32_t id, const struct reader_edge *edge)
{
    uint32_t ends[2];

    ends_of(s, id, ends);
    for (size_t i = 0; i < 2; i++)
        if (is_asked(s, ends[i]) && edge->last_s > s->ask->last_s[ends[i]])
            s->ask->last_s[ends[i]] = edge->last_s;
}

static enum err
take_last(void *ctx, const struct reader_edge *edge)
{
    const struct seeing *s = ctx;
    const struct catalog *catalog = s->view->catalog;

    if (!catalog_rollup(catalog, edge->key.src, LEVEL_SYMBOL) ||
        !catalog_rollup(catalog, edge->key.dst, LEVEL_SYMBOL))
        return OK;
    see_end(s, edge->key.src, edge);
    see_end(s, edge->key.dst, edge);
    return OK;
}

/* Calls count for what is called. */
static enum err
take_calls(void *ctx, const struct reader_edge *edge)
{
    const struct seeing *s = ctx;
    struct bucket_delta sum = {0};
    uint32_t ends[2];
    enum err err;

    ends_of(s, edge->key.dst, ends);
    if ((!is_asked(s, ends[0]) && !is_asked(s, ends[1])) ||
        !catalog_rollup(s->view->catalog, edge->key.src, LEVEL_SYMBOL))
        return OK;
    err = reader_sum(s->view->reader, edge->id, s->span, &sum);
    for (size_t i = 0; i < 2 && !err && sum.count > 0; i++)
        if (is_asked(s, ends[i]))
            s->ask->calls[ends[i]] += sum.count;
    return err;
}

static enum err
walk(struct seeing *s, enum reader_side side, reader_edge_fn *fn)
{
    const struct catalog *catalog = s->view->catalog;
    struct reader_edges what = {.side = side,
                                .from_kind = EDGE_CALL,
                                .to_kind = EDGE_KIND_SHOWN_END - 1};
    uint32_t len = catalog_len(catalog);
    enum err err = OK;

    if (side == READER_ALL)
        return reader_each_edge(s->view->reader, &what, fn, s);
    for (what.node = 1; what.node <= len && !err; what.node++) {
        uint32_t ends[2];

        ends_of(s, what.node, ends);
        if (is_asked(s, ends[0]) || is_asked(s, ends[1]))
            err = reader_each_edge(s->view->reader, &what, fn, s);
    }
    return err;
}

static enum err
mark_asked(struct seeing *s, bool *is_few)
{
    uint32_t len = catalog_len(s->view->catalog);
    uint64_t edges = 0;
    uint64_t found = 0;

    *is_few = false;
    if (!s->ask->nodes)
        return OK;
    s->asked = calloc((size_t)len + 1, 1);
    if (!s->asked)
        return ERR_NOMEM;
    for (size_t i = 0; i < s->ask->nodes->len; i++)
        if (s->ask->nodes->ids[i] <= len)
            s->asked[s->ask->nodes->ids[i]] = 1;
    for (uint32_t id = 1; id <= len; id++) {
        uint32_t ends[2];

        ends_of(s, id, ends);
        found += is_asked(s, ends[0]) || is_asked(s, ends[1]);
    }
    enum err err = reader_edge_most(s->view->reader, &edges);
    *is_few = found * LOOKUP < edges;
    return err;
}

enum err
query_usage(struct query_view *view, const struct query_usage *ask)
{
    struct seeing s = {.view = view, .ask = ask};
    bool is_few;
    enum err err = mark_asked(&s, &is_few);

    if (!err && ask->last_s) {
        err = walk(&s, is_few ? READER_TO : READER_ALL, take_last);
        if (!err && is_few)
            err = walk(&s, READER_FROM, take_last);
    }
    if (!err && ask->calls) {
        s.span = query_span(view, ask->since_s, 0);
        err = walk(&s, is_few ? READER_TO : READER_ALL, take_calls);
    }
    free(s.asked);
    return err;
}
