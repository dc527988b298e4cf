/*
 * routes_wrapped - functions of a repository that put routes for others.
 *
 *     function add(app, path, h) { app.get(path, wrap(h)) }
 *     add(app, '/users', list)        GET /users, here, and no other
 *
 * Limits     Three functions that hand on to each other; TURNS_OF_CALL
 *            calls of each, WRAPPED_OF_ALL in all.
 *            Of JavaScript, Python, Go and PHP; of methods those that are
 *            called on their own class, not on one below it.
 * Threads    None.
 */
#ifndef INDEX_ROUTES_WRAPPED_H
#define INDEX_ROUTES_WRAPPED_H

#include "index/routes_turns.h"

enum { WRAPPED_OF_ALL = 1 << 15 };

/*
 * wrapped_each calls |fn| for each call of the function around |call| that
 * gives |call| its path or method, in a turn in which parameters are what it
 * gives; entries that |fn| adds stand where the path does.  False if there is
 * none, or more than are gone up to: then |call| is to be told as it stands,
 * too.
 */
bool wrapped_each(struct parts *p, struct at call, turn_fn *fn, void *ctx);

#endif
