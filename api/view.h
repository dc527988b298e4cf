/*
 * view - what the web page asks: JSON under /api/v1/.
 *
 *     graph    focus, depth, level, from, to, env, limit: a part of
 *              the graph that can be drawn, and what was left out
 *     search   q, limit: names to focus on, as one types
 *     dead     stale_days, service, env, owner, verdict, limit: the audit
 *     health   limit: what arrives, what was refused, what spans lack
 *
 * Each answers from one moment of the store.  A part never holds more nodes
 * than `limit`, whatever the graph holds: around a focus it grows step by step,
 * busiest first, and no node brings more than VIEW_HUB neighbours a direction;
 * without one it is the busiest part.  An unknown parameter is an error.
 *
 * Bound      VIEW_NODES_MAX nodes, VIEW_EDGES_A_NODE times as many edges,
 *            VIEW_ROWS_MAX rows.
 * Threads    Any that may block.
 */
#ifndef API_VIEW_H
#define API_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"
#include "graph/query.h"
#include "graph/query_stop.h"
#include "graph/world.h"

enum {
    VIEW_NODES_MAX = 5000,
    VIEW_NODES_DEFAULT = 100,
    VIEW_EDGES_MAX = 20000, /* and so many a node: */
    VIEW_EDGES_A_NODE = 4,
    VIEW_DEPTH_MAX = 6,
    VIEW_DEPTH_DEFAULT = 2,
    VIEW_HUB = 24,
    VIEW_ROWS_MAX = 5000,
    VIEW_FOUND_MAX = 50,
};

/* What the process knows of itself, and when it is asked. */
struct view_state {
    uint32_t now_s;
    bool is_writable;
    bool is_draining;
};

struct view_cfg {
    struct query *query;
    struct world *world; /* NULL: traces only */
    struct query_stop stop;
};

/* view_has says whether |path| is one of the above. */
bool view_has(str path);

/*
 * view_answer appends the JSON for |path| and |query_string|.
 *
 * ERR_INVALID    a parameter is wrong: |why|
 * ERR_NOT_FOUND  nothing has the name to focus on: |why|
 * others         as graph/query.h
 */
enum err
view_answer(const struct view_cfg *cfg, struct view_state state, str path,
            str query_string, struct buf *out, struct buf *why);

#endif
