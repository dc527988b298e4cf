/*
 * pair_rules - what an entry stands for, as observations.
 *
 * Each function is a pure function of the table, with |sign| 1 to tell and -1
 * to take back.  Whoever changes something that one of them reads takes back
 * before and tells again after, so nothing needs to be remembered of what was
 * told.  Before PAIR_TOLD an entry stands for nothing.
 *
 * Threads    None.
 */
#ifndef RUNTIME_PAIR_RULES_H
#define RUNTIME_PAIR_RULES_H

#include <stdbool.h>
#include <stdint.h>

#include "model/stub.h"
#include "runtime/pair_state.h"

/* pair_is_held says whether |parent| is there for |child|: it is held, or was
 * and |child| is a consumer, which may come long after its producer. */
static inline bool
pair_is_held(const struct pair_entry *parent, const struct pair_entry *child)
{
    if (child->parent == 0 || parent->flags & PAIR_ABSENT)
        return false;
    return !(parent->flags & PAIR_GHOST) || child->flags & PAIR_CONSUMER;
}

/* pair_tell_arrival tells what |id|, made of |stub|, stands for whatever else
 * comes; it is never taken back. */
void pair_tell_arrival(struct pair *pair, uint32_t id, const struct stub *stub);
/* The call from its parent, or that its parent is missed (R2, R3). */
void pair_tell_parent(struct pair *pair, uint32_t id, int sign);
/* The call nobody answered (R5, R13). */
void pair_tell_outcome(struct pair *pair, uint32_t id, int sign);
/* The message to a topic (R6). */
void pair_tell_publish(struct pair *pair, uint32_t id, int sign);
/* The message from a topic, of a receive (R6, R7). */
void pair_tell_receive(struct pair *pair, uint32_t id, int sign);
/* The function that handles what came in at its site. */
void pair_tell_handled(struct pair *pair, uint32_t id, int sign);
/* One link (R7). */
void pair_tell_link(struct pair *pair, uint32_t link, int sign);

/* The account of those that were forgotten while something was awaited; a
 * repeat of a span. */
void pair_tell_evicted(struct pair *pair, uint32_t id);
void pair_tell_duplicate(struct pair *pair, const struct stub *stub);

#endif
