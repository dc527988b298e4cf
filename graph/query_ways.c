#include "graph/query_ways.h"

enum err
query_ways_make(const struct query_edges *edges, struct query_ways *out)
{
    enum err err = OK;

    *out = (struct query_ways){0};
    for (size_t i = 0; !err && i < edges->len; i++) {
        const struct query_edge *edge = &edges->rows[i];

        if (edge->kind == EDGE_MSG_SUB)
            err = idset_add(&out->taken, edge->target);
        else if (edge->kind == EDGE_MSG_PUB)
            err = idset_add(&out->published, edge->source);
        else if (edge->kind == EDGE_MSG)
            err = idset_add(&out->ended, edge->target);
    }
    if (err)
        query_ways_fini(out);
    return err;
}

void
query_ways_fini(struct query_ways *ways)
{
    idset_fini(&ways->taken);
    idset_fini(&ways->published);
    idset_fini(&ways->ended);
}

bool
query_ways_is_twice(const struct query_ways *ways,
                    const struct query_edge *edge, bool is_in)
{
    return edge->kind == EDGE_MSG &&
           (is_in ? idset_has(&ways->taken, edge->target)
                  : idset_has(&ways->published, edge->source));
}

bool
query_ways_is_way(const struct query_ways *ways, const struct query_edge *edge)
{
    return edge->kind == EDGE_MSG_SUB && idset_has(&ways->ended, edge->target);
}
