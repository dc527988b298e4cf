/*
 * routes_tornado - lists of rules, of which each is a router.
 *
 * Threads    None.
 */
#ifndef INDEX_ROUTES_TORNADO_H
#define INDEX_ROUTES_TORNADO_H

#include "index/routes_router.h"

/* tornado_is: |expr| is one of the library's names |paths|, up to NULL;
 * tornado_descends: so is a base of |type|, whatever is between. */
bool tornado_is(struct parts *p, struct at expr, const char *const *paths);
bool
tornado_descends(struct parts *p, struct at type, const char *const *paths);

/* tornado_rule: |item| is `(pattern, target, ...)`, or a call that makes one.
 */
bool tornado_rule(struct parts *p, struct at item, struct at *pattern,
                  struct at *target);
/* tornado_list is the router of a list; tornado_is_served: something takes it.
 */
uint32_t tornado_list(struct parts *p, struct at list);
bool tornado_is_served(const struct parts *p, struct at list);
/* tornado_list_of is the list that |expr| is or names, or id 0. */
struct at tornado_list_of(struct parts *p, struct at expr);
/* tornado_grown is the list, as it stands in the code, that |into| names, to
 * which something is added; or id 0. */
struct at tornado_grown(struct parts *p, struct at into);
/* tornado_appended is what |call| puts at the end or at a place of |*into|; or
 * id 0. */
struct at tornado_appended(struct parts *p, struct at call, struct at *into);
/* tornado_may_have: a file may have rules, though it need not import Tornado
 * for them. */
bool tornado_may_have(struct parts *p, uint32_t file);

#endif
