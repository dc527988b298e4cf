/*
 * node_rows - nodes and the routes that are declared of them, as they are
 * stored (store/schema.c).
 *
 * What is put is put within a transaction; errors as of store/store.h.
 *
 * Threads    The owner thread only.
 */
#ifndef STORE_NODE_ROWS_H
#define STORE_NODE_ROWS_H

#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "model/node.h"
#include "store/store.h"

/* |hash|: SHA256_LEN bytes, the node's identity (graph/identity.h). */
enum err store_put_node(struct store *st, const struct node *node,
                        const unsigned char *hash, uint64_t now_s);

/* store_put_overflow keeps how many names an overflow node stands for, and what
 * graph/hll.h saves of it. */
enum err store_put_overflow(struct store *st, uint32_t node, uint64_t estimate,
                            str registers);

/* What is stored, for a start. */
typedef enum err store_node_fn(void *ctx, const struct node *node);
enum err store_each_node(struct store *st, store_node_fn *fn, void *ctx);
typedef enum err store_overflow_fn(void *ctx, uint32_t node, str registers);
enum err
store_each_overflow(struct store *st, store_overflow_fn *fn, void *ctx);

/* ---- declared routes ---- */

struct route_row {
    uint32_t id;
    uint32_t service; /* node ids */
    uint32_t node;
    uint32_t created_s;
    uint32_t removed_s; /* 0: still declared */
    str method;         /* upper case, or ANY; empty: RPC */
    str pattern;        /* canonical, or package.Service/Method */
    str raw;            /* as declared */
    str origin;         /* "openapi:petstore.yaml", "list:routes.txt" */
};

/* store_put_route adds or renews by (service, method, pattern).  What was gone
 * for a week is new again; what an index missed once, and found, is not. */
enum err store_put_route(struct store *st, const struct route_row *row);
/* store_remove_route notes that route |id| is no longer declared. */
enum err store_remove_route(struct store *st, uint32_t id, uint32_t now_s);
typedef enum err store_route_fn(void *ctx, const struct route_row *row);
enum err store_each_route(struct store *st, store_route_fn *fn, void *ctx);

#endif
