/*
 * A thread that sleeps, and a step that does not know of it.  The step sweeps
 * in small transactions, so that requests wait at most for one of them.
 */
#include "gc/gc.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "base/log.h"

const struct gc_cfg gc_cfg_default = {
    .ages = {.active_days = 7, .stale_days = 30, .eligible_days = 90},
    .grace_days = 7,
    .every_ms = 600000,
    .batch = 1000,
};

struct sweep {
    uint32_t before_s;
    uint32_t now_s;
    uint32_t batch;
    uint32_t swept;
};

struct gc {
    struct gc_cfg cfg;
    gc_run_fn *run;
    void *run_ctx;
    pthread_t thread;
    pthread_mutex_t lock; /* is_stopping */
    pthread_cond_t wake;
    bool is_stopping;
};

uint32_t
gc_sweep_before(const struct gc_cfg *cfg, uint32_t now_s)
{
    uint64_t age_s =
        ((uint64_t)cfg->ages.eligible_days + cfg->grace_days) * S_PER_DAY;

    return cfg->sweep && age_s < now_s ? (uint32_t)(now_s - age_s) : 0;
}

static enum err
sweep_batch(void *ctx, struct store *store)
{
    struct sweep *sweep = ctx;

    sweep->swept = 0;
    return store_sweep(store, sweep->before_s, sweep->now_s, sweep->batch,
                       &sweep->swept);
}

enum err
gc_step(const struct gc_cfg *cfg, uint32_t now_s, gc_run_fn *run, void *run_ctx,
        uint32_t *swept)
{
    struct sweep sweep = {
        .before_s = gc_sweep_before(cfg, now_s),
        .now_s = now_s,
        .batch = cfg->batch,
    };
    enum err err = OK;

    *swept = 0;
    if (sweep.before_s == 0)
        return OK;
    do {
        err = run(run_ctx, sweep_batch, &sweep);
        if (!err)
            *swept += sweep.swept;
    } while (!err && sweep.swept == cfg->batch);
    return err;
}

/* Waits, at most until the next step is due; false: it is time to end. */
static bool
sleep_until_due(struct gc *gc)
{
    struct timespec until;
    bool go_on;
    int rc = 0;

    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += gc->cfg.every_ms / 1000;
    until.tv_nsec += (long)(gc->cfg.every_ms % 1000) * (long)NS_PER_MS;
    if (until.tv_nsec >= (long)NS_PER_S) {
        until.tv_nsec -= (long)NS_PER_S;
        until.tv_sec++;
    }
    pthread_mutex_lock(&gc->lock);
    while (!gc->is_stopping && rc != ETIMEDOUT)
        rc = pthread_cond_timedwait(&gc->wake, &gc->lock, &until);
    go_on = !gc->is_stopping;
    pthread_mutex_unlock(&gc->lock);
    return go_on;
}

static void *
run_steps(void *arg)
{
    struct gc *gc = arg;

    while (sleep_until_due(gc)) {
        uint32_t swept = 0;
        enum err err = gc_step(&gc->cfg, (uint32_t)(clock_wall_ns() / NS_PER_S),
                               gc->run, gc->run_ctx, &swept);

        if (swept)
            log_info("swept old edges", "edges", "%u", swept);
        if (err)
            log_warn("sweeping stopped; it goes on later", "error", "%s",
                     err_str(err));
    }
    return NULL;
}

enum err
gc_start(struct gc **out, const struct gc_cfg *cfg, gc_run_fn *run,
         void *run_ctx)
{
    const struct confidence_cfg *ages = &cfg->ages;
    pthread_condattr_t attr;
    struct gc *gc;

    *out = NULL;
    if (ages->active_days > ages->stale_days ||
        ages->stale_days > ages->eligible_days || cfg->batch == 0 ||
        cfg->every_ms == 0)
        return ERR_INVALID;
    gc = calloc(1, sizeof(*gc));
    if (!gc)
        return ERR_NOMEM;
    *gc = (struct gc){.cfg = *cfg, .run = run, .run_ctx = run_ctx};
    pthread_mutex_init(&gc->lock, NULL);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&gc->wake, &attr);
    pthread_condattr_destroy(&attr);
    if (pthread_create(&gc->thread, NULL, run_steps, gc) != 0) {
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
    gc->is_stopping = true;
    pthread_cond_signal(&gc->wake);
    pthread_mutex_unlock(&gc->lock);
    pthread_join(gc->thread, NULL);
    pthread_cond_destroy(&gc->wake);
    pthread_mutex_destroy(&gc->lock);
    free(gc);
}
