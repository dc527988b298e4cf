/*
 * closure - what the code says of the routes of an audit: who handles each,
 * who calls that function, and what nothing but dead routes needs.
 *
 * Live is what can be reached by calls from something that runs: handlers of
 * routes that are not dead, or were not judged; consumers; functions that spans
 * name; main; and what stands outside of functions, which runs when it is
 * loaded.  A handler is not live because it is registered, only because it is
 * called.  Reached from the handlers of dead routes and not live is what could
 * go with them.  Tests keep nothing alive; exported functions that nothing here
 * calls may have callers elsewhere, and both are told, not decided.
 *
 * A route of a framework and a file of which none was ever called, while others
 * of its service were, is not observable.  A dead route whose handler is called
 * by live code is no sure candidate: its trust is low, and the way is kept.  A
 * called one that its service's code lacks: route_unknown_at_this_snapshot.
 *
 *     closure_make(&closure, joined, view, &audit, &cfg);
 *     closure_row(closure, i)      of audit.routes[i], which were sorted anew
 *
 * Memory     closure_free.  |joined| must be held as long.
 * Threads    None.
 */
#ifndef GRAPH_CLOSURE_H
#define GRAPH_CLOSURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "graph/audit.h"
#include "graph/joined.h"

struct closure_row {
    uint32_t route;   /* index in code->routes + 1; 0: none known */
    uint32_t handler; /* vertex; 0: not known */
    uint16_t permille;
    uint8_t how;     /* enum join_how */
    bool is_unknown; /* has traffic, and its service's code does not have it */
    uint32_t caller; /* a live caller of the handler of a dead route, or 0 */
    size_t caller_len; /* in-graph callers, tests too */
};

struct closure {
    const struct joined *joined;
    struct closure_row *rows; /* by index in audit->routes */
    size_t len;
    uint8_t *marks;        /* by vertex */
    uint32_t *parents;     /* of live vertices: towards what runs */
    uint32_t *scratch;     /* by vertex: which list it was last put in */
    uint32_t list;         /* the last list */
    size_t dead_functions; /* that nothing but dead routes needs, in all */
    size_t dead_lines;
};

/* closure_make: |audit| is of |view|, by |cfg|; where that asks for some routes
 * alone, the others are judged once more for what they keep alive.  ERR_NOMEM;
 * ERR_CANCELLED by query_stop of |view|; as audit_run. */
enum err closure_make(struct closure **out, const struct joined *joined,
                      struct query_view *view, struct audit *audit,
                      const struct audit_cfg *cfg);
void closure_free(struct closure *closure);

/* closure_row is never NULL; without a closure, or past its end, all zeros. */
const struct closure_row *closure_row(const struct closure *closure, size_t i);

/* A function that calls, or one that nothing but dead routes needs. */
struct closure_code {
    uint32_t vertex;
    uint32_t line; /* of the call; 0: not known */
    bool is_live;
    bool is_test;
    bool is_tested; /* reached from tests */
    bool is_open;   /* reached from exported functions nobody here calls */
};

struct closure_list {
    struct closure_code *rows;
    size_t len;
    size_t total; /* more than len where |max| cut it */
};
void closure_list_fini(struct closure_list *list);

/* closure_callers lists who calls the handler of row |i|: live ones first, at
 * most |max|.  ERR_NOMEM. */
enum err closure_callers(const struct closure *closure, size_t i, size_t max,
                         struct closure_list *out);

/* closure_code lists what nothing but dead routes needs and the handler of row
 * |i| reaches, itself first; nothing for a route that is not dead.  ERR_NOMEM.
 */
enum err closure_code(struct closure *closure, size_t i, size_t max,
                      struct closure_list *out);

/* closure_path gives the way from what runs to the handler of row |i|, whose
 * trust was lowered: vertices.  |len| 0: there is none.  ERR_NOMEM. */
enum err closure_path(const struct closure *closure, size_t i, uint32_t **path,
                      size_t *len);

/* closure_place is where the handler of row |i| stands, else where its route is
 * registered; false: not known. */
bool closure_place(const struct closure *closure, size_t i, str *file,
                   uint32_t *line);

/* closure_each_owner tells who owns that file by CODEOWNERS, else who wrote
 * most of it, until |fn| returns true; closure_owners appends them, joined by
 * |sep|. */
typedef bool closure_owner_fn(void *ctx, str owner);
bool closure_each_owner(const struct closure *closure, size_t i,
                        closure_owner_fn *fn, void *ctx);
void closure_owners(const struct closure *closure, size_t i, const char *sep,
                    struct buf *out);

/* closure_keep_owner takes out of both what |owner| does not own; `@` and the
 * organisation may be left out. */
void
closure_keep_owner(struct closure *closure, struct audit *audit, str owner);

#endif
