/*
 * query_view - what the files of graph/query share: one view's inside.
 *
 * Threads    A view belongs to one thread.
 */
#ifndef GRAPH_QUERY_VIEW_H
#define GRAPH_QUERY_VIEW_H

#include "graph/catalog.h"
#include "graph/query.h"
#include "store/reader.h"

struct query_view {
    struct query *query;
    struct reader *reader;
    struct catalog *catalog; /* held */
    int64_t version;         /* of the database when |catalog| was loaded */
    uint32_t now_s;
    uint32_t as_of_s;
    struct confidence_cfg ages;
};

#endif
