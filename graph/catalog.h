/*
 * catalog - every node's name, as a reader sees it at one moment.
 *
 * Queries work with ids and turn them into names at the end; rolling up needs
 * the owner and alias of each node on the way.  A catalog is read once and
 * shared by all queries until the graph has changed.
 *
 * Memory     About 150 bytes a node and its name; freed with the last hold.
 * Threads    Immutable: any.  hold and drop: any.
 */
#ifndef GRAPH_CATALOG_H
#define GRAPH_CATALOG_H

#include "base/err.h"
#include "graph/query.h"
#include "store/reader.h"

struct catalog;

/* catalog_load reads all nodes; the caller holds the result.  ERR_CORRUPT,
 * ERR_STORE, ERR_NOMEM. */
enum err catalog_load(struct catalog **out, struct reader *r);
struct catalog *catalog_hold(struct catalog *catalog);
void catalog_drop(struct catalog *catalog);

/* catalog_len is the last id. */
uint32_t catalog_len(const struct catalog *catalog);

/* catalog_get is node |id| as it is stored, or NULL. */
const struct query_node *
catalog_get(const struct catalog *catalog, uint32_t id);

/* catalog_order gives all ids as |compare| has them, made by the first who asks
 * for |which|: all ask for it with the same.  NULL without memory. */
enum catalog_order { ORDER_QUALIFIED, ORDER_NAME, ORDERS };
typedef int catalog_compare_fn(const void *a, const void *b, void *ctx);
const uint32_t *catalog_order(struct catalog *catalog, enum catalog_order which,
                              catalog_compare_fn *compare, void *ctx);

/* catalog_rollup is the node that stands for |id| at |level|, aliases
 * followed; 0 if there is none.  A symbol has no endpoint of its own in the
 * store, so at endpoint level it counts for its service. */
uint32_t catalog_rollup(const struct catalog *catalog, uint32_t id,
                        enum query_level level);

#endif
