/*
 * When nodes were seen last, and how often of late: one walk over the edges,
 * or a look-up for each node where that is less.  What an end counts for is
 * found once for each node, not at each of its edges.
 */
#include <stdlib.h>

#include "base/clock.h"
#include "graph/query_edges.h"
#include "graph/query_view.h"
#include "store/edge_rows.h"

/* A look-up costs as much as so many edges of a walk. */
enum { LOOKUP = 10 };

/* What an end of an edge counts for: itself, or its service for a symbol, and
 * its service as a whole; 0: none. */
struct ends {
    uint32_t own;
    uint32_t service;
    bool is_known;
};

struct seeing {
    struct query_view *view;
    const struct query_usage *ask;
    struct ends *ends;    /* by node */
    unsigned char *asked; /* by node; NULL: all */
    struct reader_span span;
};

static bool
is_asked(const struct seeing *s, uint32_t node)
{
    return node && (!s->asked || s->asked[node]);
}

static struct ends
ends_of(const struct seeing *s, uint32_t id)
{
    const struct catalog *catalog = s->view->catalog;
    struct ends out = {
        .own = catalog_rollup(catalog, id, LEVEL_ENDPOINT),
        .service = catalog_rollup(catalog, id, LEVEL_SERVICE),
        .is_known = catalog_rollup(catalog, id, LEVEL_SYMBOL) != 0,
    };

    if (query_node(s->view, out.own)->kind == NODE_SERVICE)
        out.own = 0;
    if (query_node(s->view, out.service)->kind != NODE_SERVICE)
        out.service = 0;
    return out;
}

static enum err
find_ends(struct seeing *s)
{
    uint32_t len = catalog_len(s->view->catalog);

    s->ends = calloc((size_t)len + 1, sizeof(*s->ends));
    for (uint32_t id = 1; s->ends && id <= len; id++)
        s->ends[id] = ends_of(s, id);
    return s->ends ? OK : ERR_NOMEM;
}

/* Of a node that came after the names were read: none. */
static const struct ends *
ends_at(const struct seeing *s, uint32_t id)
{
    return &s->ends[id <= catalog_len(s->view->catalog) ? id : 0];
}

static void
see(const struct seeing *s, uint32_t node, const struct reader_edge *edge)
{
    if (is_asked(s, node) && edge->last_s > s->ask->last_s[node])
        s->ask->last_s[node] = edge->last_s;
}

static enum err
take_last(void *ctx, const struct reader_edge *edge)
{
    const struct seeing *s = ctx;
    const struct ends *src = ends_at(s, edge->key.src);
    const struct ends *dst = ends_at(s, edge->key.dst);

    if (!src->is_known || !dst->is_known)
        return OK;
    see(s, src->own, edge);
    see(s, src->service, edge);
    see(s, dst->own, edge);
    see(s, dst->service, edge);
    return OK;
}

/* Calls count for what is called. */
static enum err
take_calls(void *ctx, const struct reader_edge *edge)
{
    const struct seeing *s = ctx;
    const struct ends *dst = ends_at(s, edge->key.dst);
    bool is_own = is_asked(s, dst->own);
    bool is_service = is_asked(s, dst->service);
    struct bucket_delta sum = {0};
    enum err err;

    if ((!is_own && !is_service) || !ends_at(s, edge->key.src)->is_known)
        return OK;
    err = reader_sum(s->view->reader, edge->id, s->span, &sum);
    if (err || sum.count <= 0)
        return err;
    if (is_own)
        s->ask->calls[dst->own] += sum.count;
    if (is_service)
        s->ask->calls[dst->service] += sum.count;
    return OK;
}

static enum err
take_both(void *ctx, const struct reader_edge *edge)
{
    enum err err = take_last(ctx, edge);

    return err ? err : take_calls(ctx, edge);
}

static enum err
walk(struct seeing *s, enum reader_side side, reader_edge_fn *fn)
{
    struct reader_edges what = {.side = side,
                                .from_kind = EDGE_CALL,
                                .to_kind = EDGE_KIND_SHOWN_END - 1};
    uint32_t len = catalog_len(s->view->catalog);
    enum err err = OK;

    if (side == READER_ALL)
        return reader_each_edge(s->view->reader, &what, fn, s);
    for (what.node = 1; what.node <= len && !err; what.node++) {
        const struct ends *ends = ends_at(s, what.node);

        if (is_asked(s, ends->own) || is_asked(s, ends->service))
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
    for (uint32_t id = 1; id <= len; id++)
        found +=
            is_asked(s, s->ends[id].own) || is_asked(s, s->ends[id].service);
    enum err err = reader_edge_most(s->view->reader, &edges);
    *is_few = found * LOOKUP < edges;
    return err;
}

enum err
query_usage(struct query_view *view, const struct query_usage *ask)
{
    struct seeing s = {
        .view = view, .ask = ask, .span = query_span(view, ask->since_s, 0)};
    reader_edge_fn *fn = !ask->calls    ? take_last
                         : !ask->last_s ? take_calls
                                        : take_both;
    bool is_few = false;
    enum err err = find_ends(&s);

    if (!err)
        err = mark_asked(&s, &is_few);
    if (!err && (ask->last_s || ask->calls))
        err = walk(&s, is_few ? READER_TO : READER_ALL, fn);
    if (!err && ask->last_s && is_few)
        err = walk(&s, READER_FROM, take_last);
    free(s.asked);
    free(s.ends);
    return err;
}
