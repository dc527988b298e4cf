/*
 * Edges day by day, and all edges to one target as one.
 */
#include <stdlib.h>

#include "base/clock.h"
#include "graph/query_edges.h"
#include "graph/query_view.h"
#include "store/edge_rows.h"

static int
compare_targets(const void *left, const void *right)
{
    const struct query_edge *a = left;
    const struct query_edge *b = right;

    if (a->target != b->target)
        return a->target < b->target ? -1 : 1;
    return (a->kind > b->kind) - (a->kind < b->kind);
}

static int
compare_counts(const void *left, const void *right)
{
    const struct query_edge *a = left;
    const struct query_edge *b = right;

    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    return compare_targets(left, right);
}

/* Hangs the members of |from| before those of |to|. */
static void
join_rows(struct query_edges *edges, struct query_edge *to,
          const struct query_edge *from)
{
    uint32_t last = from->member;

    while (last != UINT32_MAX && edges->members[last].next != UINT32_MAX)
        last = edges->members[last].next;
    if (last != UINT32_MAX) {
        edges->members[last].next = to->member;
        to->member = from->member;
    }
    to->count += from->count;
    to->weighted = weights_add(to->weighted, from->weighted);
    to->known += from->known;
    to->errors += from->errors;
    to->first_s = from->first_s < to->first_s ? from->first_s : to->first_s;
    to->last_s = from->last_s > to->last_s ? from->last_s : to->last_s;
}

void
query_edges_by_target(struct query_edges *edges)
{
    size_t kept = 0;

    if (edges->len == 0)
        return;
    qsort(edges->rows, edges->len, sizeof(*edges->rows), compare_targets);
    for (size_t i = 0; i < edges->len; i++) {
        struct query_edge *row = &edges->rows[i];

        row->source = 0;
        if (i == 0)
            continue;
        if (compare_targets(row, &edges->rows[kept]) == 0)
            join_rows(edges, &edges->rows[kept], row);
        else
            edges->rows[++kept] = *row;
    }
    edges->len = kept + 1;
    qsort(edges->rows, edges->len, sizeof(*edges->rows), compare_counts);
}

struct days {
    query_day_fn *fn;
    void *ctx;
};

static enum err
take_day(void *ctx, const struct bucket_delta *day)
{
    const struct days *days = ctx;

    return days->fn(days->ctx, day->number, day->count, day->errors);
}

enum err
query_each_day(struct query_view *view, const struct query_edges *edges,
               size_t index, query_day_fn *fn, void *ctx)
{
    struct days days = {fn, ctx};
    uint32_t from = edges->window.from_s / S_PER_DAY;
    uint32_t to = edges->window.to_s < view->now_s
                      ? (edges->window.to_s - 1) / S_PER_DAY
                      : UINT32_MAX;
    enum err err = OK;

    for (uint32_t i = edges->rows[index].member; !err && i != UINT32_MAX;
         i = edges->members[i].next)
        err = reader_each_day(view->reader, edges->members[i].edge, from, to,
                              take_day, &days);
    return err;
}
