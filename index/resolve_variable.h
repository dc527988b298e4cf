/*
 * resolve_variable - type parameters of Java: what bounds them, and what is put
 * in their place where they are used.
 *
 * A value whose type is told by a parameter is an instance of what bounds it,
 * and remembers the parameter (val.variable); whoever knows what it was read
 * from, or by which call, asks here for more.
 *
 * Threads    None.
 */
#ifndef INDEX_RESOLVE_VARIABLE_H
#define INDEX_RESOLVE_VARIABLE_H

#include "index/resolve_impl.h"

/* variable_instance is an instance of the type parameter that |variable|, a
 * VAL_VARIABLE, is. */
struct val variable_instance(struct resolver *r, struct val variable);

/* variable_of is |val|, read from |of|: of the type that its arguments say, or
 * that a type on the way to the base says which declares the parameter. */
struct val variable_of(struct resolver *r, struct val val, struct val of);

/* variable_seen is |val|, named without an object in |scope|. */
struct val variable_seen(struct resolver *r, struct val val, uint32_t file,
                         uint32_t scope);

/* variable_called is |val|, which a call of |method| gives: where the method
 * declares the parameter, the arguments say its type. */
struct val variable_called(struct resolver *r, struct val val, struct at method,
                           struct at call);

#endif
