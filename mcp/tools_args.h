/*
 * tools_args - the arguments of a tool's call.  On a wrong one the run has
 * failed, and says what would have been right.
 *
 * Threads    The run's.
 */
#ifndef MCP_TOOLS_ARGS_H
#define MCP_TOOLS_ARGS_H

#include <stdint.h>

#include "base/buf.h"
#include "base/ids.h"
#include "base/str.h"
#include "graph/query.h"
#include "mcp/tools_parts.h"

str tool_str(struct tool_run *run, const char *name);
/* tool_route gives argument |name| as routes are told, in |text|: the variables
 * of its path without their names, `/users/{id}`, `/users/:id` or Django's
 * `users/<int:id>/` as `/users/{}`.  Segments with a `*` or `%` stay. */
str tool_route(struct tool_run *run, const char *name, struct buf *text);
/* tool_fail_route refuses argument `route`, of which |services| have none, with
 * those of their routes whose names are nearest; if none is near, with those
 * that end so, or some. */
void tool_fail_route(struct tool_run *run, const struct ids *services);
/* tool_of_path appends the routes of |services| that argument `route`, a path
 * as it was called (`GET /users/42?x=1`), is of, and hints them. */
void
tool_of_path(struct tool_run *run, const struct ids *services, struct ids *out);
/* tool_handled appends the routes of |services| that a function of the code
 * handles which is called |function|. */
void tool_handled(struct tool_run *run, const struct ids *services,
                  str function, struct ids *out);
int64_t tool_int(struct tool_run *run, const char *name, int64_t otherwise,
                 int64_t least, int64_t most);
/* tool_since is when a window of calls begins; one that is yet to come is
 * refused.  Read as tool_time does. */
uint32_t tool_since(struct tool_run *run);
/* tool_time reads "15m", "24h", "7d", "2w", the like in words ("2 hours ago",
 * "last week", "yesterday"), RFC 3339 or Unix seconds; 0: all time.
 * tool_duration reads a length. */
uint32_t tool_time(struct tool_run *run, const char *name);
uint32_t
tool_duration(struct tool_run *run, const char *name, uint32_t otherwise);
enum query_level tool_level(struct tool_run *run, enum query_level otherwise);
uint32_t tool_kinds(struct tool_run *run);
/* tool_services finds the services (or other |kinds|, bits) that argument
 * |name| names in |env|; all fitting it if it holds a `*`.  None is a failure
 * that names the nearest, or what else it is. */
void tool_services(struct tool_run *run, const char *name, uint32_t kinds,
                   struct ids *out);
#define TOOL_SERVICE (UINT32_C(1) << NODE_SERVICE)
#define TOOL_PARTY                                                             \
    (TOOL_SERVICE | UINT32_C(1) << NODE_TOPIC | UINT32_C(1) << NODE_DATABASE | \
     UINT32_C(1) << NODE_EXTERNAL)

/* tool_scope is what the optional arguments `service` (of |kinds|) and `env`
 * leave over: |out|, or NULL for all.  An unknown name is a failure. */
const struct ids *
tool_scope(struct tool_run *run, uint32_t kinds, struct ids *out);

#endif
