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

/* pair_is_held says whether |parent| is there for |child|, which was not joined
 * to it: it was held and |child| is a consumer, which may come long after its
 * producer. */
static inline bool
pair_is_held(const struct pair_entry *parent, const struct pair_entry *child)
{
    if (child->parent == 0 || parent->flags & PAIR_ABSENT)
        return false;
    return !(parent->flags & PAIR_GHOST) || child->flags & PAIR_CONSUMER;
}

/* What |id|, made of |stub|, stands for whatever else comes, beside that it was
 * seen.  Of a server that is not synthetic it is pair_tell_traffic and, if it
 * has no parent, pair_tell_caller; the latter is taken back if its client turns
 * out to share its id (pair_shared.h), else nothing of it ever is. */
void pair_tell_arrival(struct pair *pair, uint32_t id, const struct stub *stub);
void pair_tell_traffic(struct pair *pair, uint32_t id, bool is_denied);
void pair_tell_caller(struct pair *pair, uint32_t id, int sign);

/* The rules behind the functions below, which ask first, without a call,
 * whether there is anything to say: mostly there is not. */
void pair_rule_parent(struct pair *pair, uint32_t id, int sign);
void pair_rule_joined(struct pair *pair, uint32_t id, int sign);
void pair_rule_outcome(struct pair *pair, uint32_t id, int sign);
void pair_rule_publish(struct pair *pair, uint32_t id, int sign);
void pair_rule_receive(struct pair *pair, uint32_t id, int sign);
void pair_rule_handled(struct pair *pair, uint32_t id, int sign);

/* The call from its parent, or that its parent is missed (R2, R3). */
static inline void
pair_tell_parent(struct pair *pair, uint32_t id, int sign)
{
    uint32_t flags = pair_at(&pair->table, id)->flags;
    bool speaks = (flags & (PAIR_TOLD | PAIR_SYNTHETIC)) == PAIR_TOLD;

    speaks &= (flags & (PAIR_INGRESS | PAIR_INFERRED)) != 0;
    if (speaks)
        pair_rule_parent(pair, id, sign);
}

/* The call nobody answered (R5, R13). */
static inline void
pair_tell_outcome(struct pair *pair, uint32_t id, int sign)
{
    const uint32_t always = PAIR_EGRESS | PAIR_WAITED | PAIR_TOLD;
    const uint32_t never = PAIR_NESTED | PAIR_ANSWERED | PAIR_SYNTHETIC;
    uint32_t flags = pair_at(&pair->table, id)->flags;

    if ((flags & (always | never)) == always)
        pair_rule_outcome(pair, id, sign);
}

/* The message to a topic (R6). */
static inline void
pair_tell_publish(struct pair *pair, uint32_t id, int sign)
{
    const uint32_t always = PAIR_EGRESS | PAIR_TOLD;
    const uint32_t never = PAIR_SYNTHETIC | PAIR_REPEATED;
    uint32_t flags = pair_at(&pair->table, id)->flags;
    bool speaks = (flags & (always | never)) == always;

    speaks &= (flags & (PAIR_PUBLISH | PAIR_CREATE)) != 0;
    if (speaks)
        pair_rule_publish(pair, id, sign);
}

/* The message from a topic, of a receive (R6, R7). */
static inline void
pair_tell_receive(struct pair *pair, uint32_t id, int sign)
{
    const uint32_t always =
        PAIR_TOLD | PAIR_RECEIVE | PAIR_CONSUMER | PAIR_INGRESS;
    const uint32_t never = PAIR_SHADOWED | PAIR_SYNTHETIC;
    uint32_t flags = pair_at(&pair->table, id)->flags;

    if ((flags & (always | never)) == always)
        pair_rule_receive(pair, id, sign);
}

/* The function that handles what came in at its site. */
static inline void
pair_tell_handled(struct pair *pair, uint32_t id, int sign)
{
    const uint32_t always = PAIR_TOLD | PAIR_SYMBOL;
    const uint32_t never = PAIR_EGRESS | PAIR_SYNTHETIC;
    uint32_t flags = pair_at(&pair->table, id)->flags;

    if ((flags & (always | never)) == always)
        pair_rule_handled(pair, id, sign);
}

/* One link (R7). */
void pair_tell_link(struct pair *pair, uint32_t link, int sign);

/* The account of those that were forgotten while something was awaited; a
 * repeat of a span. */
void pair_tell_evicted(struct pair *pair, uint32_t id);
void pair_tell_duplicate(struct pair *pair, const struct stub *stub);

#endif
