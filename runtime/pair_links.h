/*
 * pair_links - messages: from producers to consumers, and within their trace.
 *
 * A consumer's span links to the spans that sent what it got, in any trace and
 * up to a day later (R7); which of those that have one message counts is said
 * in pair_message.h.  A message that is made and sent by two spans is published
 * once (R6): all publishes of a trace are tied to its marker, an entry whose
 * span id is 0.
 *
 * Threads    None.
 */
#ifndef RUNTIME_PAIR_LINKS_H
#define RUNTIME_PAIR_LINKS_H

#include <stdint.h>

#include "model/stub.h"
#include "runtime/pair_state.h"

/* Both come before PAIR_TOLD; what |id| stands for by them is told with the
 * rest, what others stand for is set right at once. */

/* pair_mark_publish ties a publish to the marker of its trace. */
void pair_mark_publish(struct pair *pair, uint32_t id);

/* pair_link_producers ties |id| to what |stub| links to. */
void
pair_link_producers(struct pair *pair, uint32_t id, const struct stub *stub,
                    const struct span_link *links);

/* pair_find_or_await is the entry of |key|: one that is held, one made of a
 * producer that is kept (if |of_consumer|), or a new absent one; 0: no room.
 */
uint32_t pair_find_or_await(struct pair *pair, struct pair_key key,
                            uint64_t hash, bool of_consumer);

/* pair_release_idle returns |id| to the pool if nobody refers to it. */
void pair_release_idle(struct pair *pair, uint32_t id);

/* pair_unlink takes back all links of |id|; pair_retire, when |id| has neither
 * parent nor children nor links any more, those to |id|: a producer becomes a
 * ghost for as long as it is linked to.  True: it did, and took its place in
 * the index. */
void pair_unlink(struct pair *pair, uint32_t id);
bool pair_retire(struct pair *pair, uint32_t id);

#endif
