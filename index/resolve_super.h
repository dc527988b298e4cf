/*
 * resolve_super - members of what is above the type at hand.
 *
 * Threads    None.
 */
#ifndef INDEX_RESOLVE_SUPER_H
#define INDEX_RESOLVE_SUPER_H

#include "index/resolve_impl.h"

/* is_super: `super`; in Python that is a call. */
bool is_super(const struct resolver *r, uint32_t file, uint32_t expr);
/* super_member is the member that expression |expr| names of it. */
struct val super_member(struct resolver *r, uint32_t file, uint32_t expr);

#endif
