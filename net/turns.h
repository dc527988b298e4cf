/*
 * turns - whose work is next, of that which waits for a thread.
 *
 * Few threads do what takes long, and anybody may ask for hundreds of it.  So
 * they are not served as they come: next is whoever has the fewest at work, of
 * those who had the least time, of those who waits longest.  A newcomer does
 * not wait for what somebody else has waiting.  One place is kept for those who
 * have none at work, and whose work of late was short: who asks what takes a
 * minute leaves it free for all others.  What one sends keeps its order.
 *
 *     turns_enter(turns, item);                     or, when it is done,
 *     turns_leave(turns, item, took_ns, now_ns);
 *     while ((next = turns_next(turns, now_ns)))  ... run it ...
 *
 * Bound      Whoever enters has counted (net/server.c).
 * Threads    None.
 */
#ifndef NET_TURNS_H
#define NET_TURNS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"

struct turns;

/* The caller's, from turns_enter to turns_leave. */
struct turns_item {
    struct turns_item *next;
    uint32_t share; /* whose it is, below HUB_SHARES; 0: not known */
    bool is_long;   /* turns' own */
};

/* turns_new: |most| run at once; of more than one, one place is kept as above.
 * NULL: no memory. */
struct turns *turns_new(uint32_t most);
void turns_free(struct turns *turns);

/* turns_enter: turns_next will give |item|. */
void turns_enter(struct turns *turns, struct turns_item *item);

/* turns_leave: |item|, which turns_next gave, has run for |took_ns|,
 * and ends at |now_ns| of a clock that never goes back. */
void turns_leave(struct turns *turns, const struct turns_item *item,
                 uint64_t took_ns, uint64_t now_ns);

/* turns_next: the next that is to run now, NULL: none.  There may be several
 * after each of the calls above. */
struct turns_item *turns_next(struct turns *turns, uint64_t now_ns);

/* Who has had longer than TURNS_LONG_NS is not let in to the last place; what
 * is known of it halves each TURNS_HALF_NS, so that a minute is forgotten in
 * one. */
#define TURNS_LONG_NS NS_PER_S
#define TURNS_HALF_NS (10 * NS_PER_S)

#endif
