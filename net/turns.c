/*
 * A lane for each share, and a list of those that wait, in the order they came
 * to it; who goes and has more goes behind.  Who comes back is counted as
 * having had no less time than whoever was served last, so that nobody saves
 * up; and as having had no more than AHEAD_MAX_NS beyond that, so that one long
 * question does not keep the next, a short one, behind those of all others for
 * as long. Nobody waits for ever: a lane that goes before another has used more
 * afterwards, and there are HUB_SHARES.
 */
#include "net/turns.h"

#include <stdlib.h>

#include "base/clock.h"
#include "net/hub.h"

#define AHEAD_MAX_NS (5 * NS_PER_S)

struct lane {
    struct turns_item *first; /* NULL: it does not wait */
    struct turns_item *last;
    struct lane *next; /* of those that wait */
    uint64_t used_ns;
    uint32_t running;
};

struct turns {
    uint32_t most;
    uint32_t running;
    struct lane *waiting; /* a list, in the order they came */
    struct lane **end;    /* of it */
    uint64_t reached_ns;  /* what all that wait, or did, have used */
    struct lane lanes[HUB_SHARES];
};

struct turns *
turns_new(uint32_t most)
{
    struct turns *turns = calloc(1, sizeof(*turns));

    if (!turns)
        return NULL;
    turns->most = most;
    turns->end = &turns->waiting;
    return turns;
}

void
turns_free(struct turns *turns)
{
    free(turns);
}

static void
line_up(struct turns *turns, struct lane *lane)
{
    lane->next = NULL;
    *turns->end = lane;
    turns->end = &lane->next;
}

static void
begin(struct turns *turns, struct lane *lane)
{
    turns->running++;
    lane->running++;
}

static void
come_back(const struct turns *turns, struct lane *lane)
{
    if (lane->used_ns < turns->reached_ns)
        lane->used_ns = turns->reached_ns;
    if (lane->used_ns > turns->reached_ns + AHEAD_MAX_NS)
        lane->used_ns = turns->reached_ns + AHEAD_MAX_NS;
}

bool
turns_enter(struct turns *turns, struct turns_item *item)
{
    struct lane *lane = &turns->lanes[item->share];

    if (!lane->first)
        come_back(turns, lane);
    if (turns->running < turns->most) {
        turns->reached_ns = lane->used_ns;
        begin(turns, lane);
        return true;
    }
    item->next = NULL;
    if (lane->first) {
        lane->last->next = item;
    } else {
        lane->first = item;
        line_up(turns, lane);
    }
    lane->last = item;
    return false;
}

static bool
is_before(const struct lane *a, const struct lane *b)
{
    if (a->running != b->running)
        return a->running < b->running;
    return a->used_ns < b->used_ns;
}

/* Takes the lane whose turn it is out of those that wait; there is one. */
static struct lane *
next_lane(struct turns *turns)
{
    struct lane **best = &turns->waiting;
    uint64_t least_ns = UINT64_MAX;

    for (struct lane **at = best; *at; at = &(*at)->next) {
        if (is_before(*at, *best))
            best = at;
        if ((*at)->used_ns < least_ns)
            least_ns = (*at)->used_ns;
    }
    if (turns->reached_ns < least_ns)
        turns->reached_ns = least_ns;
    struct lane *lane = *best;
    *best = lane->next;
    if (!lane->next)
        turns->end = best;
    return lane;
}

struct turns_item *
turns_leave(struct turns *turns, const struct turns_item *item,
            uint64_t took_ns)
{
    struct lane *lane = &turns->lanes[item->share];

    turns->running--;
    lane->running--;
    lane->used_ns += took_ns;
    if (!turns->waiting)
        return NULL;

    struct lane *of = next_lane(turns);
    struct turns_item *next = of->first;
    of->first = next->next;
    if (of->first)
        line_up(turns, of);
    begin(turns, of);
    return next;
}
