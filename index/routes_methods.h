/*
 * routes_methods - methods of HTTP, as code spells them.
 *
 * Threads    None.
 */
#ifndef INDEX_ROUTES_METHODS_H
#define INDEX_ROUTES_METHODS_H

#include "index/routes_parts.h"

enum { METHODS_MAX = 16 };

/* method_word is what `'GET'`, `http.MethodGet`, `HttpMethod.GET` and
 * `Method::GET` say; of a name that says nothing, `ANY`; empty: it is none.
 * |text| is what it may be in. */
str method_word(struct parts *p, struct at expr, struct buf *text);
/* method_list adds to |out|, which has room for METHODS_MAX, what is in the
 * list |expr|; false: it is no list. */
bool
method_list(struct parts *p, struct at expr, struct at *out, uint32_t *len);

#endif
