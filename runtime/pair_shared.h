/*
 * pair_shared - client and server that share one span id.
 *
 * Zipkin's B3 has the server go on with the client's span, and where such spans
 * are translated to OTLP, as the Collector's zipkin receiver does, both come
 * with the same trace and span id.  They are two spans all the same: a call
 * from one to the other (R1, R2), each of which counts once (R8).
 *
 * The client keeps the id, and the server has one made of it and the client as
 * its parent, whichever came first.  Who names the id as parent is the
 * client's child if it is of its service and no ingress, else the server's.
 *
 * Bound      A server that came before its client is moved from a parent of at
 *            most 256 children, and only from one that is still held; from a
 *            call only if that has at most 16, and the client is not synthetic
 *            and names it, too.  Else the client counts as a repeat.  So does
 *            the second half if both are of one service, and a second server.
 *            A server that comes again when its client is forgotten and it is
 *            not counts anew.
 * Threads    None.
 */
#ifndef RUNTIME_PAIR_SHARED_H
#define RUNTIME_PAIR_SHARED_H

#include <stdbool.h>
#include <stdint.h>

#include "model/stub.h"
#include "runtime/pair_state.h"

/* pair_shares_id says whether |held| and |stub|, which have one id, are client
 * and server, not the same span twice. */
static inline bool
pair_shares_id(const struct pair_entry *held, const struct stub *stub)
{
    const uint32_t sides = PAIR_INGRESS | PAIR_EGRESS;
    const uint32_t messages = PAIR_PUBLISH | PAIR_CREATE | PAIR_RECEIVE |
                              PAIR_CONSUMER | PAIR_PRODUCER;
    bool is_call = stub->kind == SPAN_SERVER || stub->kind == SPAN_CLIENT;
    uint32_t flags = stub->flags & PAIR_OF_STUB;

    return is_call & (((held->flags ^ flags) & sides) == sides) &
           (((held->flags | flags) & messages) == 0) &
           (held->service != stub->service);
}

/* pair_shared_server is the server that shares the id of |key|, a client's; 0:
 * none is held. */
uint32_t
pair_shared_server(const struct pair_table *table, struct pair_key key);

/* pair_shared_parent is whose child |child| of |parent| is: that one's, or, if
 * that shares its id, its server's. */
uint32_t pair_shared_parent_of(const struct pair_table *table, uint32_t child,
                               uint32_t parent);
static inline uint32_t
pair_shared_parent(const struct pair_table *table, uint32_t child,
                   uint32_t parent)
{
    bool may_share = pair_at(table, parent)->flags & PAIR_SHARED;

    return may_share ? pair_shared_parent_of(table, child, parent) : parent;
}

/* pair_take_half takes in |stub|, whose id a held span of the other side has
 * (pair_shares_id), and ties all of them anew; its links are |links|.  It
 * returns its entry, which is to tell what it stands for by |stub| as that is
 * then, or 0: it is a repeat, and counted. */
uint32_t pair_take_half(struct pair *pair, struct stub *stub,
                        const struct span_link *links);

#endif
