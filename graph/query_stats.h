/*
 * query_stats - the totals of a view, and why an edge is or is not there.
 *
 * Memory     What a call fills is freed by its _fini.
 * Errors     ERR_STORE, ERR_CORRUPT, ERR_NOMEM, from every function that
 *            returns enum err.
 * Threads    The view's.
 */
#ifndef GRAPH_QUERY_STATS_H
#define GRAPH_QUERY_STATS_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/ids.h"
#include "base/str.h"
#include "graph/confidence.h"
#include "graph/query.h"
#include "model/edge.h"

/* Ages are disjoint here; kinds are indexed by enum edge_kind. */
struct query_stats {
    int64_t edges;
    int64_t by_age[AGE_ELIGIBLE + 1];
    int64_t by_kind[EDGE_KIND_SHOWN_END];
    int64_t nodes;
    int64_t services;
    uint32_t first_s; /* of any span */
    uint32_t last_s;
};
/* query_stats counts stored edges; |services| may be NULL. */
enum err query_stats(struct query_view *view, const struct ids *services,
                     struct query_stats *out);

typedef enum err query_counter_fn(void *ctx, str name, int64_t value);
/* query_counters tells the totals of `stats`: first those that are always
 * there, then the others that the store holds. */
enum err
query_counters(struct query_view *view, query_counter_fn *fn, void *ctx);

/* When a service was heard of; zeros: never. */
struct query_seen {
    int64_t spans;
    int64_t synthetic;
    uint32_t first_s;
    uint32_t last_s;
};
enum err
query_seen(struct query_view *view, uint32_t service, struct query_seen *out);

/* ---- why an edge is or is not there ---- */

struct query_reason {
    uint8_t kind; /* EDGE_SEEN_BY and EDGE_ORPHAN .. EDGE_DUPLICATE */
    uint32_t scope;
    int64_t count;
    uint32_t first_s;
    uint32_t last_s;
};
struct query_reasons {
    struct query_reason *rows; /* by count */
    size_t len;
    size_t cap;
};
enum err query_explain(struct query_view *view, uint32_t service,
                       struct query_reasons *out);
void query_reasons_fini(struct query_reasons *reasons);
const char *query_reason_str(uint8_t kind);

#endif
