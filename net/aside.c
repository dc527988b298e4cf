/*
 * A lane for each sender.  Its |used| is the time of the thread that it had; of
 * those with jobs the one is next that would have had the least when its first
 * job is done, if that takes what is expected, and of several the one that has
 * waited longest.  Who comes back is counted as having had no less than whoever
 * waits, so that nobody saves up.  Nobody waits for ever: each lane that goes
 * before another has used more afterwards, and there are HUB_SHARES.
 */
#include "net/aside.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/clock.h"
#include "net/hub.h"

struct lane {
    struct aside_job *first; /* NULL: it does not wait */
    struct aside_job *last;
    struct lane *next; /* of those that wait */
    uint64_t used_ns;
};

struct aside {
    struct inflater *inflater;
    pthread_t thread;
    pthread_mutex_t lock; /* for all below */
    pthread_cond_t come;
    struct lane *waiting; /* a list, in the order they came */
    struct lane **end;    /* of it */
    uint64_t reached_ns;  /* what all that wait, or did, have used */
    bool is_stopping;
    bool is_started; /* the owner's */
    struct lane lanes[HUB_SHARES];
};

enum err
aside_new(struct aside **out)
{
    struct aside *aside = calloc(1, sizeof(*aside));

    *out = NULL;
    if (!aside)
        return ERR_NOMEM;
    aside->inflater = inflater_new();
    if (!aside->inflater) {
        free(aside);
        return ERR_NOMEM;
    }
    aside->end = &aside->waiting;
    pthread_mutex_init(&aside->lock, NULL);
    pthread_cond_init(&aside->come, NULL);
    *out = aside;
    return OK;
}

/* Has |lane| wait, behind those that do. */
static void
line_up(struct aside *aside, struct lane *lane)
{
    lane->next = NULL;
    *aside->end = lane;
    aside->end = &lane->next;
}

/* What |lane|, which waits, is expected to have used after its first job. */
static uint64_t
due_ns(const struct lane *lane)
{
    return lane->used_ns + lane->first->cost_ns;
}

/* Takes the lane whose turn it is out of those that wait; there is one. */
static struct lane *
next_lane(struct aside *aside)
{
    struct lane **best = &aside->waiting;
    uint64_t least_ns = UINT64_MAX;

    for (struct lane **at = best; *at; at = &(*at)->next) {
        if (due_ns(*at) < due_ns(*best))
            best = at;
        if ((*at)->used_ns < least_ns)
            least_ns = (*at)->used_ns;
    }
    if (aside->reached_ns < least_ns)
        aside->reached_ns = least_ns;
    struct lane *lane = *best;
    *best = lane->next;
    if (!lane->next)
        aside->end = best;
    return lane;
}

/* The next job, and the lane it is of; NULL: there will be none. */
static struct aside_job *
await_job(struct aside *aside, struct lane **of)
{
    while (!aside->waiting && !aside->is_stopping)
        pthread_cond_wait(&aside->come, &aside->lock);
    if (!aside->waiting)
        return NULL;

    struct lane *lane = next_lane(aside);
    struct aside_job *job = lane->first;
    lane->first = job->next;
    if (lane->first)
        line_up(aside, lane);
    *of = lane;
    return job;
}

static void *
run(void *ctx)
{
    struct aside *aside = ctx;
    struct aside_job *job;
    struct lane *lane;

    pthread_mutex_lock(&aside->lock);
    while ((job = await_job(aside, &lane))) {
        pthread_mutex_unlock(&aside->lock);
        uint64_t begin_ns = clock_mono_ns();
        job->run(job, aside->inflater);
        uint64_t took_ns = clock_mono_ns() - begin_ns;
        pthread_mutex_lock(&aside->lock);
        lane->used_ns += took_ns;
    }
    pthread_mutex_unlock(&aside->lock);
    return NULL;
}

enum err
aside_start(struct aside *aside)
{
    if (pthread_create(&aside->thread, NULL, run, aside))
        return ERR_NOMEM;
    aside->is_started = true;
    return OK;
}

bool
aside_is_for(const struct aside *aside, enum encoding encoding, size_t len)
{
    size_t max = encoding == ENCODING_IDENTITY ? ASIDE_PLAIN : ASIDE_PACKED;

    return aside && len > max;
}

uint64_t
aside_cost_ns(enum encoding encoding, size_t len)
{
    enum { NS_PER_BYTE = 8, RATIO = 32 };

    if (encoding == ENCODING_IDENTITY)
        return (uint64_t)len * NS_PER_BYTE;
    return (uint64_t)(len < ASIDE_PACKED ? ASIDE_PACKED : len) * RATIO *
           NS_PER_BYTE;
}

void
aside_post(struct aside *aside, struct aside_job *job)
{
    struct lane *lane = &aside->lanes[job->share];

    job->next = NULL;
    pthread_mutex_lock(&aside->lock);
    if (lane->first) {
        lane->last->next = job;
    } else {
        lane->first = job;
        if (lane->used_ns < aside->reached_ns)
            lane->used_ns = aside->reached_ns;
        line_up(aside, lane);
    }
    lane->last = job;
    pthread_cond_signal(&aside->come);
    pthread_mutex_unlock(&aside->lock);
}

void
aside_stop(struct aside *aside)
{
    if (!aside || !aside->is_started)
        return;
    pthread_mutex_lock(&aside->lock);
    aside->is_stopping = true;
    pthread_cond_signal(&aside->come);
    pthread_mutex_unlock(&aside->lock);
    pthread_join(aside->thread, NULL);
    aside->is_started = false;
}

void
aside_free(struct aside *aside)
{
    if (!aside)
        return;
    aside_stop(aside);
    inflater_free(aside->inflater);
    pthread_cond_destroy(&aside->come);
    pthread_mutex_destroy(&aside->lock);
    free(aside);
}
