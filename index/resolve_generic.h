/*
 * resolve_generic - what the generic types of libraries and languages are for
 * us, by name: collections, what may be absent, what is waited for.
 *
 * Threads    None.
 */
#ifndef INDEX_RESOLVE_GENERIC_H
#define INDEX_RESOLVE_GENERIC_H

#include "index/resolve_impl.h"

enum generic_use {
    USE_NONE = 0,
    USE_ITSELF,  /* its argument: Optional[T], Readonly<T>, pointers */
    USE_CLASS,   /* the type as a value: Type[T] */
    USE_FIRST,   /* holds its first argument */
    USE_MAP,     /* holds its second under its first */
    USE_ENTRY,   /* of a map: its key and its value */
    USE_AWAITED, /* its last argument is waited for */
    USE_FIRST_ARM,
};

/* generic_use_of is that of the type expression |expr|, a GENERIC. */
enum generic_use
generic_use_of(struct resolver *r, uint32_t file, uint32_t expr);

#endif
