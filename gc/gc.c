/*
 * Sweeping goes in transactions of SWEEP_MAX edges, so that a large backlog
 * does not hold up the commits between them.
 */
#include "gc/gc.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"
#include "store/edge_rows.h"

enum { SWEEP_MAX = 2000 };

#define CLOCK_SLACK_NS (3600 * NS_PER_S)

struct sweep {
    uint32_t before_s;
    uint32_t now_s;
    uint32_t swept;
};

static enum err
sweep_some(void *ctx, struct store *store)
{
    struct sweep *sweep = ctx;

    return store_sweep(store, sweep->before_s, sweep->now_s, SWEEP_MAX,
                       &sweep->swept);
}

static bool
is_believable(const struct gc_state *state, uint64_t now_ns, uint64_t mono_ns)
{
    if (state->now_ns == 0 || now_ns <= state->now_ns)
        return true;
    return now_ns - state->now_ns <= mono_ns - state->mono_ns + CLOCK_SLACK_NS;
}

enum err
gc_step(struct gc_state *state, const struct gc_cfg *cfg, uint64_t now_ns,
        uint64_t mono_ns, gc_write_fn *write, void *ctx)
{
    uint64_t age_ns = cfg->eligible_after_ns + cfg->grace_ns;
    bool believed = is_believable(state, now_ns, mono_ns);
    enum err err = OK;

    state->now_ns = now_ns;
    state->mono_ns = mono_ns;
    if (!believed)
        log_warn("the clock has jumped ahead, nothing is swept", NULL, NULL);
    if (!believed || !cfg->sweep || now_ns <= age_ns)
        return OK;
    struct sweep sweep = {
        .before_s = (uint32_t)((now_ns - age_ns) / NS_PER_S),
        .now_s = (uint32_t)(now_ns / NS_PER_S),
    };
    do {
        sweep.swept = 0;
        err = write(ctx, sweep_some, &sweep);
        state->swept += err ? 0 : sweep.swept;
    } while (!err && sweep.swept == SWEEP_MAX);
    return err;
}

struct gc {
    struct gc_cfg cfg;
    gc_write_fn *write;
    void *ctx;
    struct gc_state state;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool stopping;
};

/* Sleeps for the interval; false when it is time to end. */
static bool
wait_interval(struct gc *gc)
{
    struct timespec until;
    uint64_t at = clock_mono_ns() + gc->cfg.interval_ns;
    int timed_out = 0;

    until.tv_sec = (time_t)(at / NS_PER_S);
    until.tv_nsec = (long)(at % NS_PER_S);
    pthread_mutex_lock(&gc->lock);
    while (!gc->stopping && !timed_out)
        timed_out = pthread_cond_timedwait(&gc->wake, &gc->lock, &until);
    bool go_on = !gc->stopping;
    pthread_mutex_unlock(&gc->lock);
    return go_on;
}

static void *
run(void *ctx)
{
    struct gc *gc = ctx;

    thread_set_name("gc");
    do {
        uint64_t before = gc->state.swept;
        enum err err = gc_step(&gc->state, &gc->cfg, clock_wall_ns(),
                               clock_mono_ns(), gc->write, gc->ctx);
        if (err)
            log_warn("sweeping failed, it goes on at the next look", "why",
                     "%s", err_str(err));
        if (gc->state.swept > before)
            log_info("swept", "edges", "%llu",
                     (unsigned long long)(gc->state.swept - before));
    } while (wait_interval(gc));
    return NULL;
}

enum err
gc_start(struct gc **out, const struct gc_cfg *cfg, gc_write_fn *write,
         void *ctx)
{
    struct gc *gc = calloc(1, sizeof(*gc));
    pthread_condattr_t attr;

    *out = NULL;
    if (!gc)
        return ERR_NOMEM;
    gc->cfg = *cfg;
    gc->write = write;
    gc->ctx = ctx;
    pthread_mutex_init(&gc->lock, NULL);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&gc->wake, &attr);
    pthread_condattr_destroy(&attr);
    if (pthread_create(&gc->thread, NULL, run, gc)) {
        pthread_cond_destroy(&gc->wake);
        pthread_mutex_destroy(&gc->lock);
        free(gc);
        return ERR_NOMEM;
    }
    *out = gc;
    return OK;
}

void
gc_stop(struct gc *gc)
{
    if (!gc)
        return;
    pthread_mutex_lock(&gc->lock);
    gc->stopping = true;
    pthread_cond_signal(&gc->wake);
    pthread_mutex_unlock(&gc->lock);
    pthread_join(gc->thread, NULL);
    pthread_cond_destroy(&gc->wake);
    pthread_mutex_destroy(&gc->lock);
    free(gc);
}
