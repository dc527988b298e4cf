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

/* kotlin_passed is what a parameter of a lambda is given by a scope function,
 * or by one of the repository; VAL_NONE: that is not known. */
struct val
kotlin_passed(struct resolver *r, uint32_t file, uint32_t def, uint32_t index);

/* kotlin_is_function_type: `A.(B) -> C`, whose parts are its arguments. */
bool kotlin_is_function_type(struct resolver *r, struct val type);

bool kotlin_writes_function_type(const struct resolver *r, uint32_t file,
                                 uint32_t expr);

/* kotlin_extended is the `this` of an extension, VAL_FOREIGN with the type's
 * name where that is not ours; VAL_NONE outside of Kotlin. */
struct val kotlin_extended(struct resolver *r, uint32_t file, uint32_t def);

/* kotlin_is_final: a type of the language of which all is known. */
bool kotlin_is_final(const struct resolver *r, sym type);

/* kotlin_hides_object: what every object has is called on the `this` of |def|,
 * which is not ours. */
bool
kotlin_hides_object(struct resolver *r, uint32_t file, uint32_t def, sym name);

/* kotlin_takes says whether a function takes the arguments of a call, as far as
 * their number and names tell. */
bool kotlin_takes(struct resolver *r, struct at method, struct at call);

/* kotlin_ctor is what a call of a class runs, one of its own constructors or
 * the `invoke` of its companion object; VAL_NONE: the primary one. */
struct val kotlin_ctor(struct resolver *r, struct at type, struct at call);

/* kotlin_member is the member |name| of a type or its bases that |use| means: a
 * function that takes the arguments where it is called, else a property. */
struct val kotlin_member(struct resolver *r, uint32_t type, sym name,
                         bool skip_self, struct at use);

/* kotlin_it is what `it` is in |scope|. */
struct val kotlin_it(struct resolver *r, uint32_t file, uint32_t scope);

/* kotlin_unqualified is the function of the name of |val| that the expression
 * |expr| means, which has no object: one that takes the arguments, and if it is
 * an extension, one of what is `this` there.  VAL_NONE: none is known. */
struct val kotlin_unqualified(struct resolver *r, uint32_t file, uint32_t expr,
                              struct val val);

/* kotlin_extension is the extension that the member expression |expr| of
 * something of the value |of| names, which has no such member; VAL_NONE: none
 * is seen there, or several are and which is not known. */
struct val kotlin_extension(struct resolver *r, uint32_t file, uint32_t expr,
                            struct val of);

#endif
