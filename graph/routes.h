/*
 * routes - what a service says it serves, and how a raw path finds it.
 *
 * Declared routes (OpenAPI, lists, later the code) and the canonical form in
 * which they and the spans' routes are compared (spec/attributes.md, "Route
 * when http.route is missing").
 *
 * Threads    Any; readers see a table whole or not at all.
 */
#ifndef GRAPH_ROUTES_H
#define GRAPH_ROUTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "graph/nodes.h"
#include "model/node.h"

/* Where a declared route is from: the code of a repository, whose url follows;
 * there below an application that is mounted, of which spans may tell no more
 * than where.  What begins otherwise is of a document. */
#define ROUTES_OF_CODE  STR("code:")
#define ROUTES_OF_MOUNT STR("code.mounted:")
bool routes_is_of_code(str origin);

struct routes;

/* routes_new: ERR_NOMEM. */
enum err routes_new(struct routes **out, struct nodes *nodes);
void routes_free(struct routes *routes);

/*
 * route_canonical appends the canonical form of a framework's route pattern:
 * `:id`, `{id}`, `<int:id>`, `[id]`, `(?P<id>...)` become `{}`, catch-alls
 * `{**}`; one leading slash, none at the end.  A pattern with an optional last
 * part has two forms; |variant| 0 is the one with it, 1 the one without.
 * False: there is no such variant.
 */
bool route_canonical(str pattern, unsigned variant, struct buf *out);

/* route_heuristic appends the template guessed from a raw path (rule 5). */
void route_heuristic(str path, struct buf *out);

/* routes_declare adds `METHOD pattern` (canonical; method ANY fits all) to a
 * service's table.  ERR_NOMEM; ERR_FULL beyond 100,000 routes a service. */
enum err routes_declare(struct routes *routes, uint32_t service, str method,
                        str pattern);

/* routes_withdraw takes `METHOD pattern` out of it, should it be there: a raw
 * path is then another declared route, or none. */
void routes_withdraw(struct routes *routes, uint32_t service, str method,
                     str pattern);

/*
 * routes_match finds the declared route for a raw path: exact, then fewest
 * variables, longest literals, order of declaration; then with the known
 * mount prefixes stripped or added.  Appends its pattern to |out|.
 */
bool routes_match(const struct routes *routes, uint32_t service, str method,
                  str path, struct buf *out);

/*
 * routes_mount says that |service| is reached under |prefix|, which its
 * declared routes lack, or that they have it and it is not reached so.
 * ERR_NOMEM; ERR_FULL beyond 16 of them; ERR_INVALID: over 128 bytes.
 */
enum err routes_mount(struct routes *routes, uint32_t service, str prefix);

/* routes_learn_mount finds such prefixes by itself, from a canonical route
 * that was observed and is declared but for a literal prefix. */
void routes_learn_mount(struct routes *routes, uint32_t service, str method,
                        str pattern);

/* routes_is_declared says whether `METHOD pattern` is one, as it stands. */
bool routes_is_declared(const struct routes *routes, uint32_t service,
                        str method, str pattern);

/* routes_may_go_on says whether a path that goes on where the observed
 * |pattern| ends may be of another declared route: of one below it or, where it
 * is none itself, of one that ends with it. */
bool routes_may_go_on(const struct routes *routes, uint32_t service, str method,
                      str pattern);

/*
 * routes_generation is another one once a route was declared that was not, or
 * withdrawn: what somebody remembers of routes_is_declared and routes_may_go_on
 * is then to be asked again, if it was asked after reading the generation.
 * Prefixes do not change it.  Any thread, without a lock.
 */
uint64_t routes_generation(const struct routes *routes);

/*
 * routes_template is rule 6: given a heuristic template, the wider one it
 * belongs to, learnt from how many values stood at each position.  Appends the
 * template to use; when learning something makes known routes one, their nodes
 * are given the new one as alias.
 */
void routes_template(struct routes *routes, uint32_t service, str method,
                     str pattern, struct buf *out);

#endif
