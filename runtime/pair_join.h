/*
 * pair_join - parents and children find each other.
 *
 * An entry keeps its children in two lists.  |reps| has one child for each
 * other service: an ingress child if there is one, else the child with the
 * least span id, which stands for the call that must have been (R2).  |kids|
 * has the rest.
 *
 * Bound      Beyond 256 other services below one span no more calls are
 *            inferred there, and a name is not passed up more than 256 nested
 *            egresses: only so far does the order of arrival not matter.
 *            Parents in a ring do no harm: nothing asks who is at the top.
 * Threads    None.
 */
#ifndef RUNTIME_PAIR_JOIN_H
#define RUNTIME_PAIR_JOIN_H

#include <stdint.h>

#include "runtime/pair_state.h"

/* pair_join makes |child| one of |parent|, which came.  |child| must be in no
 * list; whom it waited for so far may still be in its |parent|. */
void pair_join(struct pair *pair, uint32_t child, uint32_t parent);

/* pair_join_new does the same for a |child| that has not told anything yet and
 * was tied to nobody, and has it meet its parent (pair_links.h). */
void pair_join_new(struct pair *pair, uint32_t child, uint32_t parent);
/* pair_await makes |child| wait for |parent|, which is in the pool. */
void pair_await(struct pair *pair, uint32_t child, uint32_t parent);

/* pair_take_links and then pair_take_kids give |entry|, which came, what
 * referred to |absent|, which is in the pool and returned to it.  Links are to
 * be taken before |entry| is tied to anybody, kids after. */
void pair_take_links(struct pair *pair, uint32_t entry, uint32_t absent);
void pair_take_kids(struct pair *pair, uint32_t entry, uint32_t absent);
/* pair_answer says that the egress |id| has a callee, and so have those it is
 * nested in. */
void pair_answer(struct pair *pair, uint32_t id);

/* pair_leave takes |child| out of the list it is in. */
void pair_leave(struct pair *pair, uint32_t child);

#endif
