/*
 * query_view - what the files of graph/query share: one view's inside.
 *
 * Threads    A view belongs to one thread.
 */
#ifndef GRAPH_QUERY_VIEW_H
#define GRAPH_QUERY_VIEW_H

#include "graph/catalog.h"
#include "graph/query_edges.h"
#include "graph/query_stats.h"
#include "graph/query_stop.h"
#include "store/reader.h"

/* What one walk over all edges says. */
struct query_totals {
    struct query_stats stats;
    int64_t account[UINT8_MAX + 1]; /* observations, by kind of edge */
    int64_t rows;                   /* walked; 0: none yet */
    uint32_t now_s;
};

struct query_view {
    struct query *query;
    struct reader *reader;
    struct catalog *catalog; /* held */
    int64_t version;         /* of the database when |catalog| was loaded */
    uint64_t graph_version;  /* of nodes, edges and routes; 0: not known */
    uint64_t begun_ns;       /* of the clock that is never set */
    uint32_t now_s;
    uint32_t as_of_s;
    struct reader_kept kept;
    struct confidence_cfg ages;
    struct query_totals totals; /* of this loan */
    struct query_stop stop;
};

/* query_span is the buckets that answer for the time from |since_s| to
 * |until_s|, 0: now. */
struct reader_span
query_span(const struct query_view *view, uint32_t since_s, uint32_t until_s);

/* query_edges_sort puts the most calls first, then by the names of both ends
 * and their ids; more than so many in a way of their own, of which at least the
 * |first| come in order, 0: all.  ERR_NOMEM. */
enum { QUERY_SORT_FEW = 1000 };
enum err query_edges_sort(struct query_view *view, struct query_edges *edges,
                          size_t first);

/* query_one_of_name has each node in |rolled|, which is by node id, be the
 * first of those there that have its name.  ERR_NOMEM. */
enum err query_one_of_name(struct query_view *view, uint32_t *rolled);

/* query_totals_find gives what was counted within the last second, in a graph
 * so large that counting is most of a query; query_totals_keep is how that is
 * known.  Of a small graph nothing is kept: it is counted anew each time. */
bool query_totals_find(const struct query_view *view, struct query_totals *out);
void query_totals_keep(const struct query_view *view,
                       const struct query_totals *totals);

#endif
