/*
 * query - what is asked of the graph: the views of it, and its nodes.
 *
 * A query is a set of read-only connections.  One call works on one view: all
 * it sees is of one moment.  Names come in, names go out; ids are good within
 * a view.  Its edges are asked for in graph/query_edges.h, its totals and why
 * an edge is not there in graph/query_stats.h.
 *
 *     query_begin(query, now_s, &view);
 *     query_find(view, &find, &ids);
 *     query_end(view);
 *
 * Levels     service: calls summed over whole services; topics, databases and
 *            outside parties stand for themselves.  endpoint: routes, RPC
 *            methods and consumers; a symbol counts for its service.  symbol:
 *            as stored.
 * Memory     What a call fills is freed by its _fini.  Views of names are good
 *            until query_end.
 * Errors     ERR_STORE, ERR_CORRUPT, ERR_NOMEM, from every function that
 *            returns enum err.
 * Threads    query_begin: any; it waits while all connections are in use, and
 *            some seconds at most for those who keep the writer's log from
 *            being begun anew.  A view belongs to one thread.
 */
#ifndef GRAPH_QUERY_H
#define GRAPH_QUERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/ids.h"
#include "base/str.h"
#include "graph/confidence.h"
#include "model/node.h"
#include "store/node_rows.h"

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
                    struct ids *out);

/* query_nearest appends at most |max| ids of the names most like |word|. */
enum err query_nearest(struct query_view *view, uint32_t kinds, str word,
                       size_t max, struct ids *out);

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

#endif
