/*
 * join_impl - what the files of graph/join share.
 *
 * Threads    None.
 */
#ifndef GRAPH_JOIN_IMPL_H
#define GRAPH_JOIN_IMPL_H

#include "base/ids.h"
#include "graph/code_find.h"
#include "graph/join.h"
#include "graph/join_index.h"
#include "graph/query_view.h"

struct joining {
    struct join *join;
    struct query_view *view;
    const struct code *code;
    struct join_index index;
    struct ids scratch;
    struct buf text;
    uint32_t call_cap;
    int64_t *handled; /* by observed endpoint: most spans of one function */
};

/* join_function finds the vertex that a NODE_SYMBOL is; 0 if none, or several
 * fit.  |permille| says how sure. */
enum err join_function(struct joining *j, const struct query_node *symbol,
                       uint32_t *vertex, uint16_t *permille);

/* join_endpoint finds the route of an observed endpoint. */
enum err join_endpoint(struct joining *j, const struct query_node *endpoint,
                       struct join_row *row);

/* join_has_folder: some folder is known to be |service|. */
bool join_has_folder(const struct join *join, uint32_t service);

/* join_stem is the last part of |path| up to its first dot. */
str join_stem(str path);

#endif
