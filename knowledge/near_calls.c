/*
 * Rows of a service are found as in a graph of compressed rows: how many each
 * has is counted, then each row is put where those of its ends have got to.
 */
#include "knowledge/near_calls.h"

#include <stdlib.h>

enum { ASKED_APART = 8 };

/* at[n + 2] counts, and is then where the rows of n + 1 begin: filling them in
 * moves at[n + 1] on to where those of n end. */
static enum err
lay_out(struct near_calls *calls, struct query_view *view)
{
    const struct query_edges *edges = &calls->edges;
    size_t len = (size_t)query_node_last(view) + 3;
    size_t *at = calloc(len, sizeof(*at));
    uint32_t *rows = malloc((2 * edges->len + 1) * sizeof(*rows));

    calls->at = at;
    calls->rows = rows;
    if (!at || !rows)
        return ERR_NOMEM;
    for (size_t i = 0; i < edges->len; i++) {
        const struct query_edge *row = &edges->rows[i];

        at[row->source + 2]++;
        at[row->target + 2] += row->target != row->source;
    }
    for (size_t n = 1; n < len; n++)
        at[n] += at[n - 1];
    for (size_t i = 0; i < edges->len; i++) {
        const struct query_edge *row = &edges->rows[i];

        rows[at[row->source + 1]++] = (uint32_t)i;
        if (row->target != row->source)
            rows[at[row->target + 1]++] = (uint32_t)i;
    }
    return OK;
}

static enum err
read_all(struct near_calls *calls, struct query_view *view)
{
    const struct query_filter filter = {.level = LEVEL_SERVICE};
    enum err err = query_edges(view, &filter, &calls->edges);

    if (!err)
        err = lay_out(calls, view);
    if (err)
        near_calls_fini(calls);
    calls->is_read = !err;
    return err;
}

static enum err
read_own(struct query_view *view, uint32_t service, near_call_fn *fn, void *ctx)
{
    uint32_t one[] = {service};
    const struct ids self = {one, 1, 1};
    const struct query_filter filter = {.level = LEVEL_SERVICE,
                                        .services = &self};
    struct query_edges own;
    enum err err = query_edges(view, &filter, &own);

    for (size_t i = 0; !err && i < own.len; i++)
        fn(ctx, &own.rows[i]);
    query_edges_fini(&own);
    return err;
}

enum err
near_calls_each(struct near_calls *calls, struct query_view *view,
                uint32_t service, near_call_fn *fn, void *ctx)
{
    enum err err = OK;

    if (!calls->is_read && calls->asked++ < ASKED_APART)
        return read_own(view, service, fn, ctx);
    if (!calls->is_read)
        err = read_all(calls, view);
    if (err)
        return err;
    for (size_t i = calls->at[service]; i < calls->at[service + 1]; i++)
        fn(ctx, &calls->edges.rows[calls->rows[i]]);
    return OK;
}

void
near_calls_fini(struct near_calls *calls)
{
    query_edges_fini(&calls->edges);
    free(calls->rows);
    free(calls->at);
    *calls = (struct near_calls){0};
}
