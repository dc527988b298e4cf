/*
 * routes_django_view - the methods that a view of Django answers.
 *
 * Threads    None.
 */
#ifndef INDEX_ROUTES_DJANGO_VIEW_H
#define INDEX_ROUTES_DJANGO_VIEW_H

#include "index/routes_verbs.h"

/* django_view enters a route for each method that |view| answers: a function,
 * by its decorators, `View.as_view()`, `ViewSet.as_view({'get': 'list'})`, or a
 * call that wraps one. */
void django_view(const struct verb_call *v, struct at view, struct at path);

/* django_method_names is what `http_method_names` of a class, or of its nearest
 * base that says it, is; id 0: nothing is said, or too much was asked for. */
struct at django_method_names(struct parts *p, struct at type);
/* django_allows: |names|, which may be none, lets |method| through. */
bool django_allows(struct parts *p, struct at names, str method);

#endif
