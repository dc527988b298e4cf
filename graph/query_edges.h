/*
 * query_edges - the edges of a view: which, in what window of time, how often
 * and how long.
 *
 *     query_edges(view, &filter, &edges);
 *     query_detail(view, &edges, i, &detail);    ... for those that are shown
 *     query_edges_fini(&edges);
 *
 * Windows    since_s within the last 47 hours is answered by whole hours, if
 *            the store keeps as many, else by whole days (UTC), from the first
 *            that is kept; see query_window.
 * Memory     What a call fills is freed by its _fini.
 * Errors     ERR_STORE, ERR_CORRUPT, ERR_NOMEM, from every function that
 *            returns enum err.
 * Threads    The view's.
 */
#ifndef GRAPH_QUERY_EDGES_H
#define GRAPH_QUERY_EDGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/ids.h"
#include "base/str.h"
#include "graph/query.h"
#include "model/edge.h"
#include "model/stub.h"

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
/* The first since_s that is answered by hours; it may be after now. */
uint32_t query_hours_from_s(const struct query_view *view);

/* An edge at some level.  first and last are of all time, also where a stored
 * edge in it has no call in the window; the other numbers are of the window. */
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
    const struct ids *services; /* one of its ends, at service level */
    const struct ids *sources;  /* nodes, with all that they own */
    const struct ids *targets;
    str env;         /* of a service at one of its ends */
    str target_like; /* the target's name or, behind the method, its path */
    size_t first;    /* rows that come in order, the others in any; 0: all */
    bool by_target;  /* one row, of source 0, of all with one target and kind */
    bool by_name;    /* nodes of one name are one, the first of them */
    bool by_pair; /* one row, of EDGE_CALL, of all kinds between two nodes, and
                     none of one with itself */
};
enum err query_edges(struct query_view *view, const struct query_filter *filter,
                     struct query_edges *out);

/* query_edges_twice reads the edges of two windows, in place of the filter's,
 * with one walk: row i of either is the same edge.  A row has a call in one of
 * them at least; where it has none, its member is UINT32_MAX.  In no order. */
struct query_times {
    uint32_t since_s;
    uint32_t until_s;
};
enum err
query_edges_twice(struct query_view *view, const struct query_filter *filter,
                  const struct query_times *times, struct query_edges out[2]);
void query_edges_fini(struct query_edges *edges);

/*
 * query_usage adds what was observed of nodes, in arrays by node: when an edge
 * at it was seen last, and how often it was called since |since_s|, as
 * query_edges has it of services and of endpoints.  Of few nodes it reads
 * their edges alone.
 */
struct query_usage {
    const struct ids *nodes; /* NULL: all */
    uint32_t *last_s;        /* NULL: not asked for */
    int64_t *calls;          /* NULL: likewise */
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

/* query_exemplars gives traces a row was observed in within the window, if the
 * store keeps any: at most half of them failed, and so the others; latest
 * first. Returns how many they are in |len|. */
enum { QUERY_EXEMPLARS_MAX = 4 };
enum err query_exemplars(struct query_view *view,
                         const struct query_edges *edges, size_t index,
                         struct exemplar out[QUERY_EXEMPLARS_MAX], size_t *len);

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

#endif
