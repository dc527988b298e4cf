/*
 * aside - a thread for what would hold up a loop: large bodies.
 *
 * A loop serves thousands of connections, so no single body may have it for
 * long.  What is small is decompressed and handed over where it arrives; what
 * aside_is_for says goes here, one after the other: next is whoever had the
 * least of the thread's time, with what its next body is expected to take.  So
 * a newcomer waits for the one that runs, and for one of each other that had as
 * little and whose body is expected to take no longer: a plain one of less than
 * 4 MiB goes before packed ones of fresh senders, and so do those that follow
 * until their sender has had as much; but a packed one waits for such others:
 * what they become shows too late.  Those of one sender keep their order.
 *
 * Bound      A job belongs to a request whose body is in the budget.
 * Threads    aside_post: any.  The rest: the owner.
 */
#ifndef NET_ASIDE_H
#define NET_ASIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "net/inflate.h"

struct aside;

/* Belongs to whoever posts it, until |run| is called. */
struct aside_job {
    struct aside_job *next;
    uint32_t share;   /* whose it is, below HUB_SHARES */
    uint64_t cost_ns; /* what it is expected to take */
    void (*run)(struct aside_job *job, struct inflater *inflater);
};

/* Bytes of a body that a loop has the time for: plain, or what it becomes,
 * which takes milliseconds, and thirty where all of it is empty messages; and
 * compressed, for small blocks cost more than they hold.  512 spans as JSON
 * stay below it: one more thread would take them an eighth longer. */
enum { ASIDE_PLAIN = 1 << 20, ASIDE_PACKED = 128 << 10 };

/* aside_new, aside_start: ERR_NOMEM.  Before aside_start jobs wait. */
enum err aside_new(struct aside **out);
enum err aside_start(struct aside *aside);

/* aside_is_for: a body of |len| bytes, as it came, is for |aside|; never when
 * that is NULL. */
bool
aside_is_for(const struct aside *aside, enum encoding encoding, size_t len);

/* aside_cost_ns: what one of |len| bytes is expected to take.  What is packed
 * counts for 32 times its length, and for 4 MiB at least. */
uint64_t aside_cost_ns(enum encoding encoding, size_t len);

/* aside_post has |job| run once. */
void aside_post(struct aside *aside, struct aside_job *job);

/* aside_stop returns when all that was posted has run; before it nothing more
 * may come.  aside_free: stopped, or never started. */
void aside_stop(struct aside *aside);
void aside_free(struct aside *aside);

#endif
