/*
 * A lane for each sender.  Its |used| is the time of the thread that it had; of
 * those with jobs the one is next that would have had the least when its first
 * job is done, if that takes what is expected, and of several the one that has
 * waited longest.  Who comes back is counted as having had no less than whoever
 * waits, so that nobody saves up.  Nobody waits for ever: each lane that goes
 * before another has used more afterwards, and there are HUB_SHARES.
 *
 * What a sender's bodies took beyond what is allowed for their length adds up,
 * and what they took less is taken off again.  The time is that of a clock, in
 * which others may have had the core: so no single body counts for much, and
 * what is allowed is four times what honest ones take.  But those of whom
 * nothing is known yet are tried here as long as somebody is found to send what
 * takes long: connections are many, and the first body of each is one too many.
 */
#include "net/aside.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/thread.h"
#include "net/hub.h"

enum {
    NS_PER_BYTE = 8,     /* expected of a large body */
    NS_ALLOWED = 4,      /* a byte; honest ones take a quarter of it */
    RATIO = 32,          /* to which packed bodies are expected to grow */
    RATIO_USUAL = 8,     /* to which they do */
    HERE_MIN = 16 << 10, /* plain bytes that any packed body may become */
    ALLOWED_NS = 50000,  /* for any body */
    /* Of excess_us. */
    KNOWN = -1,   /* as usual, the last time */
    STRANGER = 0, /* none was judged */
    FIRST_MAX_US = 1000,
    STEP_MAX_US = 5000, /* that one body of who is no stranger counts for */
    BEARABLE_US = 8000,
    EXCESS_MAX_US = 40000,
};
#define WARY_NS (10 * NS_PER_S)

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
    _Atomic uint64_t wary_until_ns;
    atomic_int
        excess_us[HUB_SHARES]; /* 0 to EXCESS_MAX_US; share 0: always 0 */
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
due_ns(const struct aside *aside, const struct lane *lane)
{
    return lane->used_ns + aside_cost_ns(aside, &lane->first->body);
}

/* Takes the lane whose turn it is out of those that wait; there is one. */
static struct lane *
next_lane(struct aside *aside)
{
    struct lane **best = &aside->waiting;
    uint64_t least_ns = UINT64_MAX;

    for (struct lane **at = best; *at; at = &(*at)->next) {
        if (due_ns(aside, *at) < due_ns(aside, *best))
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

static bool
is_minor(const struct aside_body *body)
{
    return body->encoding == ENCODING_IDENTITY && body->len <= ASIDE_MINOR;
}

static uint64_t
allowed_ns(const struct aside_body *body)
{
    bool is_plain = body->encoding == ENCODING_IDENTITY;

    return ALLOWED_NS +
           (uint64_t)body->len * NS_ALLOWED * (is_plain ? 1 : RATIO_USUAL);
}

/* What is known of a sender, now that a body took |beyond_us| beyond what is
 * allowed. */
static int
excess_after(int excess_us, int64_t beyond_us)
{
    int64_t after = beyond_us < STEP_MAX_US ? beyond_us : STEP_MAX_US;

    if (excess_us == STRANGER && beyond_us > FIRST_MAX_US)
        return BEARABLE_US + 1;
    after += excess_us;
    if (after < KNOWN)
        return KNOWN;
    return (int)(after < EXCESS_MAX_US ? after : EXCESS_MAX_US);
}

/* Of two threads that judge one sender at once, one may have judged in vain. */
static void
judge(struct aside *aside, const struct aside_body *body, uint64_t took_ns,
      uint64_t now_ns)
{
    int64_t beyond_us = ((int64_t)took_ns - (int64_t)allowed_ns(body)) / 1000;
    atomic_int *excess_us = &aside->excess_us[body->share];
    int before = atomic_load(excess_us);
    int after = excess_after(before, beyond_us);

    if (after > BEARABLE_US)
        atomic_store(&aside->wary_until_ns, now_ns + WARY_NS);
    if (after != before && body->share != 0)
        atomic_store(excess_us, after);
}

static void *
run(void *ctx)
{
    struct aside *aside = ctx;
    struct aside_job *job;
    struct lane *lane;

    thread_set_name("unpack");
    pthread_mutex_lock(&aside->lock);
    while ((job = await_job(aside, &lane))) {
        pthread_mutex_unlock(&aside->lock);
        const struct aside_body body = job->body;
        uint64_t begin_ns = clock_mono_ns();
        job->run(job, aside->inflater);
        uint64_t now_ns = clock_mono_ns();
        judge(aside, &body, now_ns - begin_ns, now_ns);
        pthread_mutex_lock(&aside->lock);
        lane->used_ns += now_ns - begin_ns;
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
aside_is_wary(const struct aside *aside, const struct aside_body *body,
              uint64_t now_ns)
{
    return aside && !is_minor(body) &&
           now_ns < atomic_load(&aside->wary_until_ns);
}

bool
aside_is_for(const struct aside *aside, const struct aside_body *body,
             uint64_t now_ns)
{
    size_t max =
        body->encoding == ENCODING_IDENTITY ? ASIDE_PLAIN : ASIDE_PACKED;

    if (!aside || is_minor(body))
        return false;
    int excess_us = atomic_load(&aside->excess_us[body->share]);
    return body->len > max || excess_us > BEARABLE_US ||
           (excess_us == STRANGER && aside_is_wary(aside, body, now_ns));
}

size_t
aside_here_max(const struct aside *aside, size_t len)
{
    if (!aside)
        return SIZE_MAX;
    if (len >= ASIDE_PLAIN / RATIO)
        return ASIDE_PLAIN;
    return len < HERE_MIN / RATIO ? HERE_MIN : len * RATIO;
}

void
aside_judge(struct aside *aside, const struct aside_body *body,
            uint64_t begin_ns)
{
    if (!aside || is_minor(body))
        return;
    uint64_t now_ns = clock_mono_ns();
    judge(aside, body, now_ns - begin_ns, now_ns);
}

uint64_t
aside_cost_ns(const struct aside *aside, const struct aside_body *body)
{
    uint64_t len = body->len;
    int excess_us = atomic_load(&aside->excess_us[body->share]);

    if (body->encoding != ENCODING_IDENTITY)
        len = (len < ASIDE_PACKED ? ASIDE_PACKED : len) * RATIO;
    return len * NS_PER_BYTE +
           (excess_us > 0 ? (uint64_t)excess_us * NS_PER_MS / 1000 : 0);
}

void
aside_post(struct aside *aside, struct aside_job *job)
{
    struct lane *lane = &aside->lanes[job->body.share];

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
