/*
 * nodes - every name of the graph, as a small integer.
 *
 * Spans arrive by the million, names by the thousand.  Receiver threads turn
 * names into ids here, nearly always by finding them; everything behind works
 * with ids.  Nodes are never removed, so an id found once is good for ever.
 *
 *     id = nodes_intern(nodes, NODE_SERVICE, 0, STR("shop/cart"), STR("prod"))
 *
 * New nodes get ids in order; the graph thread stores those it has not stored
 * yet before it stores anything that speaks of them (nodes_next_unsaved).
 *
 * Bound      max_nodes, and per service max_routes names that are found by
 *            heuristics or by whoever asks, and max_symbols functions.
 *            Beyond, nodes_intern gives the overflow node of that kind and
 *            owner (NODE_NAME_OVERFLOW, for routes NODE_NAME_OTHER), and counts
 *            the distinct names that went there (nodes_overflow_estimate).
 * Memory     Names are copied and cleaned (utf8_clean, NODE_NAME_MAX bytes).
 * Threads    Any; finding takes no lock that a writer holds for long.
 */
#ifndef GRAPH_NODES_H
#define GRAPH_NODES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "model/node.h"

struct nodes;

struct nodes_cfg {
    uint32_t max_nodes;   /* of all kinds; default 2,000,000 */
    uint32_t max_routes;  /* heuristic ones per service; default 3,000 */
    uint32_t max_symbols; /* per service; default 3,000 */
};

/* nodes_new: ERR_NOMEM. */
enum err nodes_new(struct nodes **out, struct nodes_cfg cfg);
void nodes_free(struct nodes *nodes);

/* nodes_load puts back a stored node, ids rising by one from 1. */
enum err nodes_load(struct nodes *nodes, const struct node *node);

/* nodes_intern finds or adds; never 0.  |source| matters for a new NODE_ROUTE
 * only; a better source replaces a worse one. */
uint32_t nodes_intern(struct nodes *nodes, enum node_kind kind, uint32_t owner,
                      str name, str env);
uint32_t nodes_intern_route(struct nodes *nodes, uint32_t service, str name,
                            enum route_source source);

/* nodes_intern_asked finds or adds a NODE_RPC whose name is told by whoever
 * asks, as that of a tool, or is one of no RPC service: it counts against
 * max_routes, and its source is ROUTE_SOURCE_HEURISTIC.  Never 0. */
uint32_t nodes_intern_asked(struct nodes *nodes, uint32_t service, str name);

/* nodes_find is the id, or 0. */
uint32_t nodes_find(const struct nodes *nodes, enum node_kind kind,
                    uint32_t owner, str name, str env);

/* nodes_get copies node |id|; its views stay valid as long as |nodes|.
 * |id| must have come from here. */
struct node nodes_get(const struct nodes *nodes, uint32_t id);

/* nodes_len is the number of nodes; the last id. */
uint32_t nodes_len(const struct nodes *nodes);

/* nodes_set_alias makes |id| stand for |target| from now on. */
void nodes_set_alias(struct nodes *nodes, uint32_t id, uint32_t target);

/*
 * nodes_next_unsaved gives, one a call, the ids that were added or changed
 * since they were last marked saved; 0 when there are none.  nodes_unsave_all
 * takes back the marks since the last nodes_commit_saved, for a transaction
 * that failed.  Graph thread only.
 */
uint32_t nodes_next_unsaved(struct nodes *nodes);
bool nodes_have_unsaved(const struct nodes *nodes);
void nodes_commit_saved(struct nodes *nodes);
void nodes_unsave_all(struct nodes *nodes);

/* nodes_overflow_estimate is how many distinct names overflow node |id| holds,
 * within 3 %; 0 if it is none. */
uint64_t nodes_overflow_estimate(const struct nodes *nodes, uint32_t id);

/*
 * nodes_each_overflow gives the overflow nodes whose estimate changed since it
 * was saved, with what nodes_load_overflow takes back after the nodes are
 * loaded; marks as those of nodes_next_unsaved.  What was counted after the
 * last save before a crash is lost.  Graph thread only.
 *
 * nodes_each_overflow  ERR_NOMEM; any error of |fn|
 * nodes_load_overflow  ERR_CORRUPT, ERR_NOMEM; nothing was taken
 */
typedef enum err
nodes_overflow_fn(void *ctx, uint32_t id, uint64_t estimate, str saved);
enum err
nodes_each_overflow(struct nodes *nodes, nodes_overflow_fn *fn, void *ctx);
enum err nodes_load_overflow(struct nodes *nodes, uint32_t id, str saved);

#endif
