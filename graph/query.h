/*
 * query - what is asked of the graph: nodes, edges, traffic, and why not.
 *
 * A query is a set of read-only connections.  One call works on one view: all
 * it sees is of one moment.  Names come in, names go out; ids are good within
 * a view.
 *
 *     query_begin(query, now_s, &view);
 *     query_edges(view, &filter, &edges);
 *     query_detail(view, &edges, i, &detail);    ... for those that are shown
 *     query_edges_fini(&edges);
 *     query_end(view);
 *
 * Levels     service: calls summed over whole services; topics, databases and
 *            outside parties stand for themselves.  endpoint: routes, RPC
 *            methods and consumers; a symbol counts for its service.  symbol:
 *            as stored.
 * Windows    since_s within the last 47 hours is answered by whole hours, if
 *            the store keeps as many, else by whole days (UTC), from the first
 *            that is kept; see query_window.
 * Memory     What a call fills is freed by its _fini.  Views of names are good
 *            until query_end.
 * Errors     ERR_STORE, ERR_CORRUPT, ERR_NOMEM, from every function that
 *            returns enum err.
 * Threads    query_begin: any; it waits while all connections are in use.  A
 *            view belongs to one thread.
 */
#ifndef GRAPH_QUERY_H
#define GRAPH_QUERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"
#include "graph/confidence.h"
#include "model/edge.h"
#include "model/node.h"
#include "model/stub.h"

struct query;
struct query_view;

struct query_cfg {
    uint32_t readers; /* connections; 4, at most QUERY_READERS_MAX */
    struct confidence_cfg ages;
};

enum { QUERY_READERS_MAX = 32 };
extern const struct query_cfg query_cfg_default;

/* query_open: ERR_NOT_FOUND, ERR_INVALID, ERR_DENIED as reader_open; |why|
 * says what to do. */
enum err query_open(struct query **out, const char *dir,
                    const struct query_cfg *cfg, struct buf *why);
void query_close(struct query *query);

enum err
query_begin(struct query *query, uint32_t now_s, struct query_view **out);
void query_end(struct query_view *view);
uint32_t query_now_s(const struct query_view *view);
/* query_as_of_s is the time up to which edges were stored; 0: nothing was. */
uint32_t query_as_of_s(const struct query_view *view);
const struct confidence_cfg *query_ages(const struct query_view *view);

/* ---- nodes ---- */

enum query_level { LEVEL_SERVICE, LEVEL_ENDPOINT, LEVEL_SYMBOL };

/* query_level_of reads "service", "endpoint" or "symbol". */
bool query_level_of(str word, enum query_level *out);

struct query_node {
    uint32_t id;
    uint32_t owner;  /* its service, or 0 */
    uint32_t target; /* the node it counts for; itself if it is no alias */
    uint32_t created_s;
    uint8_t kind;   /* enum node_kind */
    uint8_t source; /* enum route_source */
    str name;
    str env;     /* of its service */
    str service; /* name of its service; its own for a service */
    unsigned char hash[32];
};

/* query_node is never NULL: an id that is no node gives one without a name. */
const struct query_node *query_node(const struct query_view *view, uint32_t id);
/* query_node_last is the highest id there is. */
uint32_t query_node_last(const struct query_view *view);

/* query_qualified appends `service name` for what a service owns, else the
 * name alone. */
void
query_qualified(const struct query_view *view, uint32_t id, struct buf *out);

struct query_ids {
    uint32_t *ids;
    size_t len;
    size_t cap;
};
void query_ids_fini(struct query_ids *list);
enum err query_ids_add(struct query_ids *list, uint32_t id);
bool query_ids_has(const struct query_ids *list, uint32_t id);

/* Which nodes: all conditions that are set hold.  Aliases are left out. */
struct query_find {
    uint32_t kinds; /* bits 1 << enum node_kind; 0: all that are shown */
    str name;       /* equal, or fitting if it holds a `*` */
    str qualified;  /* name or qualified name, equal or fitting */
    str prefix;     /* of the name or the qualified name */
    str env;
    uint32_t owner;
    const unsigned char *hash; /* 32 bytes */
};
/* query_find appends the ids, by qualified name. */
enum err query_find(struct query_view *view, const struct query_find *find,
                    struct query_ids *out);

/* query_nearest appends at most |max| ids of the names most like |word|. */
enum err query_nearest(struct query_view *view, uint32_t kinds, str word,
                       size_t max, struct query_ids *out);

/* query_each_route walks the declared routes that were not removed. */
struct route_row;
typedef enum err query_route_fn(void *ctx, const struct route_row *row);
enum err
query_each_route(struct query_view *view, query_route_fn *fn, void *ctx);

typedef enum err query_overflow_fn(void *ctx, uint32_t node, uint64_t estimate);
/* query_overflow tells of each overflow node how many distinct names it stands
 * for, the largest first. */
enum err
query_overflow(struct query_view *view, query_overflow_fn *fn, void *ctx);

/* ---- edges ---- */

/* query_edge_last is the highest id there is: another one when edges came that
 * were not there before. */
enum err query_edge_last(const struct query_view *view, uint64_t *out);

struct query_window {
    uint32_t from_s; /* 0: all that is known */
    uint32_t to_s;
    const char *unit; /* "all", "hour", "day" */
};
struct query_window
query_window(const struct query_view *view, uint32_t since_s);
/* query_window_until ends at |until_s|, cut to the unit; 0: now. */
struct query_window query_window_until(const struct query_view *view,
                                       uint32_t since_s, uint32_t until_s);

/* An edge at some level.  first and last are of all time, the other numbers
 * of the window. */
struct query_edge {
    uint32_t source;
    uint32_t target;
    uint8_t kind;
    uint32_t first_s;
    uint32_t last_s;
    int64_t count;
    int64_t weighted; /* in 1/WEIGHT_ONE */
    int64_t known;    /* of all time: observations of known weight */
    int64_t errors;
    uint32_t member; /* stored edges it sums: see query_edges.members */
};

struct query_member {
    uint32_t edge; /* id in the store */
    uint32_t next; /* index, or UINT32_MAX */
};

struct query_edges {
    struct query_edge *rows; /* by count, then names */
    size_t len;
    struct query_member *members;
    struct query_window window;
};

/* Which edges: all conditions that are set hold. */
struct query_filter {
    enum query_level level;
    uint32_t kinds;   /* bits 1 << enum edge_kind; 0: all that are shown */
    uint32_t since_s; /* 0: all time */
    uint32_t until_s; /* 0: now; see query_window_until */
    const struct query_ids *services; /* one of its ends, at service level */
    const struct query_ids *sources;  /* nodes, with all that they own */
    const struct query_ids *targets;
    str env;         /* of a service at one of its ends */
    str target_like; /* the target's name or, behind the method, its path */
};
enum err query_edges(struct query_view *view, const struct query_filter *filter,
                     struct query_edges *out);
void query_edges_fini(struct query_edges *edges);

/*
 * query_usage adds what was observed of nodes, in arrays by node: when an edge
 * at it was seen last, and how often it was called since |since_s|, as
 * query_edges has it of services and of endpoints.  Of few nodes it reads
 * their edges alone.
 */
struct query_usage {
    const struct query_ids *nodes; /* NULL: all */
    uint32_t *last_s;              /* NULL: not asked for */
    int64_t *calls;                /* NULL: likewise */
    uint32_t since_s;
};
enum err query_usage(struct query_view *view, const struct query_usage *ask);

enum { QUERY_VERSIONS_MAX = 8 };
struct query_detail {
    uint64_t p50_ns; /* 0: no durations were seen in the window */
    uint64_t p95_ns;
    uint64_t p99_ns;
    int64_t recent; /* calls in the last active_days */
    double confidence;
    uint32_t source_versions[QUERY_VERSIONS_MAX]; /* latest first, then 0 */
    uint32_t target_versions[QUERY_VERSIONS_MAX];
};
enum err query_detail(struct query_view *view, const struct query_edges *edges,
                      size_t index, struct query_detail *out);

/* query_edges_by_target makes one row, of source 0, of all with the same target
 * and kind; busiest first. */
void query_edges_by_target(struct query_edges *edges);

typedef enum err
query_day_fn(void *ctx, uint32_t day, int64_t count, int64_t errors);
/* query_each_day walks the days of a row within the window (all of them, if it
 * has none); a day may come several times.  Days are whole, also at the ends of
 * a window of hours. */
enum err
query_each_day(struct query_view *view, const struct query_edges *edges,
               size_t index, query_day_fn *fn, void *ctx);

/* How long calls took: counts[i] is how many took at most bounds_ns[i] and more
 * than the bound before, the last how many took more than all. */
enum { QUERY_BOUNDS_MAX = 24 };
struct query_durations {
    const uint64_t *bounds_ns; /* rising */
    size_t bounds_len;
    int64_t counts[QUERY_BOUNDS_MAX + 1];
    double sum_ns;
};
/* query_durations adds those of the window of one edge, as the sketches hold
 * them: within 2 %. */
enum err
query_durations(struct query_view *view, const struct query_edges *edges,
                size_t index, struct query_durations *sum);

/* query_edge_hash is the identity of an edge by its ends' hashes and kind. */
void query_edge_hash(const struct query_view *view,
                     const struct query_edge *edge, unsigned char out[32]);

/* ---- totals ---- */

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
enum err query_stats(struct query_view *view, const struct query_ids *services,
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
