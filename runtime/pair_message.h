/*
 * pair_message - which of the spans that have one message counts.
 *
 * A receive is one look into the queue, a process the work on one message:
 * where a service has both of one message, the process counts (R7).  They know
 * it by the span that sent it, which they link to or are children of.
 *
 * A library above the one that sends has a span of its own around that one's,
 * and they are one send (R13).  Each of them may have put its id on the
 * message, and readers differ in which one they take: those of a span, of the
 * ones around it and of the ones within it that send the same, are of one
 * message.  Two beside each other within one are two.
 *
 * Bound      256 spans that have or send a message are looked through when
 *            another one comes; beyond, a receive and a process may both count.
 *            A span that was forgotten is in no other any more.
 * Threads    None.
 */
#ifndef RUNTIME_PAIR_MESSAGE_H
#define RUNTIME_PAIR_MESSAGE_H

#include <stdint.h>

#include "runtime/pair_state.h"

/* pair_meet_parent is to be called when |id| has come to its parent, or that
 * to it: if it is a producer, or a receive of what |id| processes, it may now
 * be known that a receive and a process tell of one message.  A link says so
 * even if the producer never comes; being a child says so only once it is known
 * of whom. */
void pair_meet_parent(struct pair *pair, uint32_t id);

/* pair_meet_link is to be called when |link|, to a producer, is tied. */
void pair_meet_link(struct pair *pair, uint32_t link);

/* pair_meet_repeat is to be called when |id| has become PAIR_REPEATED, or has
 * taken what was linked to another entry. */
void pair_meet_repeat(struct pair *pair, uint32_t id);

#endif
