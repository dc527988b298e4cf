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
 * What is cheap to send may take long all the same: a message is two bytes, and
 * a thousand of them a few bytes more once packed.  So what is packed becomes
 * no more on the loop than is usual; and whose bodies have taken milliseconds
 * longer than usual has the next ones here, too, be they small, until some have
 * been as usual.  While there is such a sender, and for ten seconds, so have
 * those whose bodies nobody has seen yet: the first.
 *
 * Bound      A job belongs to a request whose body is in the budget.
 * Threads    aside_new, _start, _stop, _free: the owner.  The rest: any.
 */
#ifndef NET_ASIDE_H
#define NET_ASIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "net/inflate.h"

struct aside;

/* A body as it came. */
struct aside_body {
    uint32_t share; /* whose it is, below HUB_SHARES; 0: not known */
    enum encoding encoding;
    size_t len;
};

/* Belongs to whoever posts it, until |run| is called. */
struct aside_job {
    struct aside_job *next;
    struct aside_body body;
    void (*run)(struct aside_job *job, struct inflater *inflater);
};

/* Bytes of a body that a loop has the time for: plain, or what it becomes,
 * which takes milliseconds, and thirty where all of it is empty messages; and
 * compressed, for small blocks cost more than they hold.  512 spans as JSON
 * stay below it: one more thread would take them an eighth longer.  Plain ones
 * of ASIDE_MINOR or less are always the loop's. */
enum {
    ASIDE_PLAIN = 1 << 20,
    ASIDE_PACKED = 128 << 10,
    ASIDE_MINOR = 4 << 10,
};

/* aside_new, aside_start: ERR_NOMEM.  Before aside_start jobs wait. */
enum err aside_new(struct aside **out);
enum err aside_start(struct aside *aside);

/* aside_is_wary: at |now_ns| it is worth knowing whose |body| is. */
bool aside_is_wary(const struct aside *aside, const struct aside_body *body,
                   uint64_t now_ns);

/* aside_is_for: |body| is for |aside|; never when that is NULL. */
bool aside_is_for(const struct aside *aside, const struct aside_body *body,
                  uint64_t now_ns);

/* aside_here_max: what a packed body of |len| bytes may become on the loop; if
 * it becomes more, it is for |aside| after all, and judged there only: what the
 * loop spent on it is not counted.  SIZE_MAX when that is NULL. */
size_t aside_here_max(const struct aside *aside, size_t len);

/* aside_judge: the loop has done its work on |body|, since |begin_ns|. */
void aside_judge(struct aside *aside, const struct aside_body *body,
                 uint64_t begin_ns);

/* aside_cost_ns: what |body| is expected to take.  What is packed counts for
 * 32 times its length, and for 4 MiB at least; and what its sender's took
 * beyond the usual of late is added. */
uint64_t
aside_cost_ns(const struct aside *aside, const struct aside_body *body);

/* aside_post has |job| run once. */
void aside_post(struct aside *aside, struct aside_job *job);

/* aside_stop returns when all that was posted has run; before it nothing more
 * may come.  aside_free: stopped, or never started. */
void aside_stop(struct aside *aside);
void aside_free(struct aside *aside);

#endif
