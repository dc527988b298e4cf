/*
 * resolve_kotlin - what expressions of Kotlin are worth where no other language
 * has the like: scope functions (`x.apply { ... }`), whose lambdas may have a
 * `this` of their own, `it`, and extensions of types that are not ours.
 *
 * Threads    None.
 */
#ifndef INDEX_RESOLVE_KOTLIN_H
#define INDEX_RESOLVE_KOTLIN_H

#include "index/resolve_impl.h"

/* kotlin_is_scope_call: a call of `apply`, `also`, `let`, `run`, `with` or
 * `takeIf` as the library has them, not of one of the repository. */
bool kotlin_is_scope_call(struct resolver *r, uint32_t file, uint32_t call);
/* kotlin_scope_value is what such a call gives. */
struct val kotlin_scope_value(struct resolver *r, uint32_t file, uint32_t call);

/* kotlin_receiver is the `this` that a lambda brings along; VAL_NONE: none. */
struct val kotlin_receiver(struct resolver *r, uint32_t file, uint32_t def);

/* kotlin_passed is what the first parameter of a lambda is given by a scope
 * function; VAL_NONE: its call is another. */
struct val kotlin_passed(struct resolver *r, uint32_t file, uint32_t def);

/* kotlin_it is what `it` is in |scope|. */
struct val kotlin_it(struct resolver *r, uint32_t file, uint32_t scope);

/* kotlin_unqualified is the extension of the name of |val| that is called
 * without an object in |scope|; VAL_NONE: which of several is not known. */
struct val kotlin_unqualified(struct resolver *r, uint32_t file, uint32_t scope,
                              struct val val);

/* kotlin_extension is the extension that the member expression |expr| of
 * something of the value |of| names, which has no such member; VAL_NONE: none
 * is seen there, or several are and which is not known. */
struct val kotlin_extension(struct resolver *r, uint32_t file, uint32_t expr,
                            struct val of);

#endif
