/*
 * kept - answers that are still good, so that asking again costs a look.
 *
 * Agents ask the same things again and again, and between two changes of the
 * data the answer is the same.  An answer is found by its whole question and
 * the version of the data it was made from, and only for KEPT_AGE_NS: answers
 * speak of windows that end now, and of files that nobody watches.
 *
 *     found = kept_find(kept, question, version, now_ns, &renews);
 *     if (found) ... kept_text(found) ..., kept_drop(found);
 *     else       ... answer ..., kept_add(kept, &(struct kept_item){...});
 *
 * |version| is read before the answer is made.  Then what changes meanwhile
 * leaves an answer that nobody finds, never one that is too old.
 *
 * Memory     At most the bytes of kept_new, with questions and bookkeeping; the
 *            oldest go first.  What is past its age goes with the next add.
 * Threads    Any.
 */
#ifndef MCP_KEPT_H
#define MCP_KEPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

#define KEPT_AGE_NS   UINT64_C(1000000000)
#define KEPT_RENEW_NS UINT64_C(750000000)

struct kept;
struct kept_answer;

struct kept_item {
    str question; /* bytes; equal ones are the same question */
    str answer;
    uint64_t version;  /* of the data */
    uint64_t asked_ns; /* monotonic, when the version was read */
};

/* kept_new keeps at most |bytes|; NULL: no memory. */
struct kept *kept_new(size_t bytes);
void kept_free(struct kept *kept);

/* kept_find is the answer to |question|, to be given to kept_drop, or NULL.
 * One of those who ask after KEPT_RENEW_NS gets NULL and |renews|: it is to
 * make it anew, so that they do not all have to a little later. */
struct kept_answer *kept_find(struct kept *kept, str question, uint64_t version,
                              uint64_t now_ns, bool *renews);
str kept_text(const struct kept_answer *answer);
void kept_drop(struct kept_answer *answer);

/* kept_add copies |item|, in place of an older one of the same question.  What
 * is larger than all that may be kept, or finds no memory, is not kept. */
void kept_add(struct kept *kept, const struct kept_item *item);

/* kept_bytes is what is held now; kept_cost is what an item needs of it. */
size_t kept_bytes(struct kept *kept);
size_t kept_cost(str question, str answer);

#endif
