/*
 * routes_find - what a repository serves, asks for, publishes and consumes.
 *
 * Rules about frameworks (spec/indexing.md, 3.1), each a file
 * `index/routes_<family>.c`, work on facts and on what the resolver says an
 * expression stands for.  A path, a URL or the key of a map is no route: a
 * call counts only when its receiver is known to be a framework's, by import,
 * construction or type.
 *
 * For each route: method, the raw pattern as the framework's OpenTelemetry
 * instrumentation would tell it in http.route (prefixes composed), canonical
 * form (graph/routes.h), framework, handler and where it is registered.
 *
 * Threads    None.
 */
#ifndef INDEX_ROUTES_FIND_H
#define INDEX_ROUTES_FIND_H

#include "base/err.h"
#include "graph/code_build.h"
#include "index/context.h"
#include "index/resolve.h"

/*
 * routes_find appends to |build| routes, their vertices, edges of type
 * handles_route, publishes, subscribes and consumes_endpoint, and the literals
 * that name spans.  After resolve_graph.  ERR_NOMEM.
 */
enum err
routes_find(struct resolver *r, const struct resolve_file *files, uint32_t len,
            const struct contexts *contexts, struct code_build *build);

#endif
