/*
 * turns - whose work is next, of that which waits for a thread.
 *
 * Few threads do what takes long, and anybody may ask for hundreds of it.  So
 * they are not served as they come: next is whoever has the fewest at work, of
 * those who had the least time, of those who waits longest.  A newcomer waits
 * for one that runs, and for one of each other that had no more; not for all
 * that somebody else has waiting.  What one sends keeps its order.
 *
 *     if (turns_enter(turns, item)) ... run it ...
 *     next = turns_leave(turns, item, took_ns);     when it is done
 *     if (next) ... run it ...
 *
 * Bound      Whoever enters has counted (net/server.c).
 * Threads    None.
 */
#ifndef NET_TURNS_H
#define NET_TURNS_H

#include <stdbool.h>
#include <stdint.h>

struct turns;

/* The caller's, from turns_enter to turns_leave. */
struct turns_item {
    struct turns_item *next;
    uint32_t share; /* whose it is, below HUB_SHARES; 0: not known */
};

/* turns_new: |most| run at once.  NULL: no memory. */
struct turns *turns_new(uint32_t most);
void turns_free(struct turns *turns);

/* turns_enter: true: |item| is to run now; otherwise turns_leave will give it.
 */
bool turns_enter(struct turns *turns, struct turns_item *item);

/* turns_leave: |item| has run for |took_ns|.  Gives the next to run, or NULL.
 */
struct turns_item *turns_leave(struct turns *turns,
                               const struct turns_item *item, uint64_t took_ns);

#endif
