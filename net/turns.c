/*
 * A lane for each share, and a list of those that wait, in the order they came
 * to it; who goes and has more goes behind.  Who comes back is counted as
 * having had no less time than whoever was served last, so that nobody saves
 * up; and as having had no more than AHEAD_MAX_NS beyond that, so that one long
 * question does not keep the next, a short one, behind those of all others for
 * as long.  Nobody waits for ever: a lane that goes before another has used
 * more afterwards, and there are HUB_SHARES; and all places but one are for
 * whoever waits.
 */
#include "net/turns.h"

#include <stdbool.h>
#include <stdlib.h>

#include "net/hub.h"

#define AHEAD_MAX_NS (5 * NS_PER_S)

struct lane {
    struct turns_item *first; /* NULL: it does not wait */
    struct turns_item *last;
    struct lane *next; /* of those that wait */
    uint64_t used_ns;
    uint64_t lately_ns; /* the longest of late; 0: nothing is known */
    uint64_t since_ns;  /* when it was that; halved since by the clock alone */
    uint32_t running;
};

struct turns {
    uint32_t most;
    uint32_t running;
    uint32_t longs; /* of these: all but the only one of who asks short ones */
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
come_back(const struct turns *turns, struct lane *lane)
{
    if (lane->used_ns < turns->reached_ns)
        lane->used_ns = turns->reached_ns;
    if (lane->used_ns > turns->reached_ns + AHEAD_MAX_NS)
        lane->used_ns = turns->reached_ns + AHEAD_MAX_NS;
}

void
turns_enter(struct turns *turns, struct turns_item *item)
{
    struct lane *lane = &turns->lanes[item->share];

    item->next = NULL;
    if (lane->first) {
        lane->last->next = item;
    } else {
        come_back(turns, lane);
        lane->first = item;
        line_up(turns, lane);
    }
    lane->last = item;
}

/* What was long is so for a while only: whoever asked one such question hours
 * ago is a stranger.  Not by what was asked since: cheap questions make nobody
 * short. */
static void
forget(struct lane *lane, uint64_t now_ns)
{
    uint64_t times = (now_ns - lane->since_ns) / TURNS_HALF_NS;

    lane->lately_ns = times < 64 ? lane->lately_ns >> times : 0;
    lane->since_ns += times * TURNS_HALF_NS;
}

void
turns_leave(struct turns *turns, const struct turns_item *item,
            uint64_t took_ns, uint64_t now_ns)
{
    struct lane *lane = &turns->lanes[item->share];

    turns->longs -= item->is_long;
    turns->running--;
    lane->running--;
    lane->used_ns += took_ns;
    forget(lane, now_ns);
    if (lane->lately_ns <= took_ns) {
        lane->lately_ns = took_ns;
        lane->since_ns = now_ns;
    }
}

static bool
is_before(const struct lane *a, const struct lane *b)
{
    if (a->running != b->running)
        return a->running < b->running;
    return a->used_ns < b->used_ns;
}

static bool
is_short(const struct lane *lane)
{
    return lane->lately_ns <= TURNS_LONG_NS;
}

/* Whoever has one at work may not have the last place; who asked what was long
 * not the last but those of who asks short ones.  Of a stranger, who may have
 * it, nobody knows. */
static bool
may_begin(const struct turns *turns, const struct lane *lane)
{
    if (turns->most == 1)
        return true;
    if (lane->running)
        return turns->running + 1 < turns->most;
    return is_short(lane) || turns->longs + 1 < turns->most;
}

/* Takes the lane whose turn it is out of those that wait; NULL: none may. */
static struct lane *
next_lane(struct turns *turns, uint64_t now_ns)
{
    struct lane **best = NULL;
    uint64_t least_ns = UINT64_MAX;

    for (struct lane **at = &turns->waiting; *at; at = &(*at)->next) {
        forget(*at, now_ns);
        if (may_begin(turns, *at) && (!best || is_before(*at, *best)))
            best = at;
        if ((*at)->used_ns < least_ns)
            least_ns = (*at)->used_ns;
    }
    if (!best)
        return NULL;
    if (turns->reached_ns < least_ns)
        turns->reached_ns = least_ns;
    struct lane *lane = *best;
    *best = lane->next;
    if (!lane->next)
        turns->end = best;
    return lane;
}

struct turns_item *
turns_next(struct turns *turns, uint64_t now_ns)
{
    struct lane *lane =
        turns->running < turns->most ? next_lane(turns, now_ns) : NULL;

    if (!lane)
        return NULL;
    struct turns_item *item = lane->first;
    lane->first = item->next;
    if (lane->first)
        line_up(turns, lane);
    item->is_long = lane->running || lane->lately_ns == 0 || !is_short(lane);
    turns->longs += item->is_long;
    turns->running++;
    lane->running++;
    return item;
}
