/*
 * pair_beside - a call of which a library and its driver both tell.
 *
 * An SDK span around a call is the parent of the one within, and they are one
 * call (R13).  Some libraries above a database's driver do not go so far as to
 * make theirs the parent: Python's SQLAlchemy and PHP's Laravel leave it beside
 * the driver's, which is a child of the same span.  So where a parent has a
 * query by a driver, what such a library (STUB_ABOVE) says of the same database
 * is no call of its own.  So it is of a model whose SDK tells of each call and
 * is instrumented by another, too.
 *
 * Without a parent, as in a script or a job, each of the two is alone in a
 * trace of its own.  So those of a service and a database, or another peer, are
 * children of one entry that no span is for.
 *
 * Bound      Of the children of one parent the 256 that were joined last are
 *            looked through.
 * Threads    None.
 */
#ifndef RUNTIME_PAIR_BESIDE_H
#define RUNTIME_PAIR_BESIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/pair_state.h"

/* pair_asks says whether |entry| may be a call of a database or a model. */
static inline bool
pair_asks(const struct pair_entry *entry)
{
    const uint32_t others = PAIR_PUBLISH | PAIR_CREATE | PAIR_SYNTHETIC;

    return (entry->flags & (PAIR_EGRESS | others)) == PAIR_EGRESS;
}

/* pair_is_alone says whether |stub| is such a call, of a known peer, that has
 * no parent. */
static inline bool
pair_is_alone(const struct stub *stub)
{
    const uint32_t others = STUB_PUBLISH | STUB_CREATE;

    return (stub->parent_id == 0) & (stub->peer != 0) &
           ((stub->flags & (STUB_EGRESS | others)) == STUB_EGRESS);
}

/* pair_stand_alone is called for each such |id| that is no one's child; it may
 * need an entry of the pool. */
void pair_stand_alone(struct pair *pair, uint32_t id);

/* pair_stand_beside is called once |child|, which asks, is first among the
 * children of |parent|, which is of its service and no egress. */
void pair_stand_beside(struct pair *pair, uint32_t child, uint32_t parent);

#endif
