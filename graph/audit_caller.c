#include "graph/audit.h"

#include "graph/catalog.h"
#include "graph/query_view.h"
#include "store/reader.h"

struct caller {
    uint32_t node;
    uint32_t last_s;
};

static enum err
take_caller(void *ctx, const struct reader_edge *edge)
{
    struct caller *caller = ctx;

    if (edge->last_s >= caller->last_s)
        *caller = (struct caller){edge->key.src, edge->last_s};
    return OK;
}

enum err
audit_last_caller(struct query_view *view, const struct audit_route *route,
                  uint32_t *out)
{
    struct reader_edges calls = {.side = READER_TO,
                                 .node = route->node,
                                 .from_kind = EDGE_CALL,
                                 .to_kind = EDGE_VIRTUAL_IN};
    struct caller caller = {0};
    enum err err = OK;

    if (route->total > 0)
        err = reader_each_edge(view->reader, &calls, take_caller, &caller);
    *out = catalog_rollup(view->catalog, caller.node, LEVEL_SYMBOL);
    return err;
}
