/*
 * resolve_script - objects of JavaScript that are put together as they go:
 * what `this` is in their functions, and what is set on them later.
 *
 *     const app = { start() { this.stop(); } };    this is the object
 *     app.stop = function () {};                   and has what is set on it
 *
 * Threads    None.
 */
#ifndef INDEX_RESOLVE_SCRIPT_H
#define INDEX_RESOLVE_SCRIPT_H

#include "index/resolve_impl.h"

/* script_prepare notes what `this` is in each function. */
void script_prepare(struct resolver *r);

/* script_self is what `this` is in |def| itself, as what it belongs to says;
 * VAL_NONE: what it is around. */
struct val script_self(struct resolver *r, uint32_t file, uint32_t def);

/* script_assigned is the member |name| that the file of |of| sets on it. */
struct val script_assigned(struct resolver *r, struct val of, sym name);

/* script_exported is the member |expr| of CommonJS' exports: `exports.f` is
 * what the file assigns to it, and what is set on the function that the whole
 * module is, |of|, `module.exports.f`, is the module's.  VAL_NONE: it is none.
 */
struct val script_exported(struct resolver *r, uint32_t file, uint32_t expr,
                           struct val of);

#endif
