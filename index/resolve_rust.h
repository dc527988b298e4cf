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

/* rust_wraps says whether |name| is a type of the library around one other,
 * that is left out where `?`, `Some(x)` and dereferences are: Option, Pin, Ref.
 */
bool rust_wraps(const struct resolver *r, sym name);

/* rust_wrapped is the member |name| of what |of|, a VAL_GENERIC, wraps: what
 * the wrapper has itself is not ours.  VAL_NONE: it wraps nothing. */
struct val
rust_wrapped(struct resolver *r, struct val of, sym name, struct at use);

/* rust_dereferenced is the member |name| of what `Deref` of |of|, an instance
 * without such a member, gives. */
struct val
rust_dereferenced(struct resolver *r, struct val of, sym name, struct at use);

/* rust_through is what a call of the library's method |name| on |of| gives:
 * `x.unwrap()` of what holds an X, `xs.rev()`; VAL_NONE: nothing is known. */
struct val rust_through(struct resolver *r, struct val of, sym name);

/* rust_takes_element says whether the library's method |name| hands elements of
 * what it is called on to the function that it is given, first. */
bool rust_takes_element(str name);

/* rust_extends_import: |id| is `impl Show for Router` of what the file imports
 * and whose name means just that; asked once imports are in their scopes. */
bool rust_extends_import(struct resolver *r, uint32_t file, uint32_t id);

#endif
