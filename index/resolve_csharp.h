/*
 * resolve_csharp - what is C#'s own about names: namespaces around, a property
 * with the name of its type, overloads by how much they take, extension
 * methods.
 *
 * resolve_csharp.c            namespaces, types, methods
 * resolve_csharp_extension.c  extension methods
 *
 * Threads    None.
 */
#ifndef INDEX_RESOLVE_CSHARP_H
#define INDEX_RESOLVE_CSHARP_H

#include "index/resolve_impl.h"

/* csharp_module is what the dotted |names| are that |file| writes: of the
 * namespaces around first where they are there, else VAL_NONE. */
struct val csharp_module(struct resolver *r, uint32_t file, str names);

/* csharp_type_named is the type |name| of |scope| and those around it, where
 * nothing but types can be meant; VAL_NONE: none is ours. */
struct val
csharp_type_named(struct resolver *r, uint32_t file, uint32_t scope, sym name);

/* csharp_member is the member |name| of a type or its bases that |use| means:
 * of methods that are called, the nearest that takes so many arguments, and
 * VAL_FOREIGN where only one of a base that is not ours may. */
struct val csharp_member(struct resolver *r, uint32_t type, sym name,
                         bool skip_self, struct at use);

/* csharp_takes says whether a method takes the arguments of a call, by number
 * and names; |skip| of them are for its receiver. */
bool csharp_takes(const struct resolver *r, struct at method, struct at call,
                  uint32_t skip);

/* csharp_fits is false where an argument is of a type of ours that the
 * parameter's is no base of. */
bool csharp_fits(struct resolver *r, struct at method, struct at call);

/* csharp_is_taken: it is no method that the arguments of the call |use| do not
 * fit, and no property that is called. */
bool csharp_is_taken(struct resolver *r, struct val val, struct at use);

/* csharp_is_within says whether |type| is one of a lineage, which may be NULL.
 */
bool csharp_is_within(const struct resolver *r, const struct lineage *lineage,
                      uint32_t type);

/* csharp_extension_name is the name by which a namespace knows its extension
 * methods |name|, apart from all else. */
sym csharp_extension_name(struct resolver *r, sym name);

/* csharp_extension is the extension method that the member expression |expr|
 * calls on the value |of|, which has no such member; VAL_NONE: none fits, or
 * which is not known. */
struct val csharp_extension(struct resolver *r, uint32_t file, uint32_t expr,
                            struct val of);

#endif
