/*
 * resolve_rust - what expressions of Rust are worth where no other language has
 * the like: fields beside methods of one name, what is derived, roots of paths.
 *
 * Threads    None.
 */
#ifndef INDEX_RESOLVE_RUST_H
#define INDEX_RESOLVE_RUST_H

#include "index/resolve_impl.h"

/* rust_field tells what a field is worth that a member expression reads; false:
 * there is none of that name.  A field and a method may have one name, and only
 * what is called is the method. */
bool
rust_field(struct resolver *r, uint32_t file, uint32_t expr, struct val *out);

/* rust_derived is what a call gives of what is derived and so written nowhere:
 * `T::default()`, `x.clone()`; VAL_NONE: it is nothing of that. */
struct val rust_derived(struct resolver *r, uint32_t file, uint32_t expr);

/* rust_root is the module that a name is as the beginning of a path,
 * `crate::a::f()`; `self` and `super` are those of the file, not of a module
 * that is written in it.  VAL_NONE: it is no root. */
struct val rust_root(struct resolver *r, uint32_t file, uint32_t expr);

#endif
