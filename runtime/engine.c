/*
 * The graph thread sleeps until one of four things: requests have gathered
 * long enough (group_ms) or are many enough (group_stubs), a flush is due,
 * somebody has work for it, or the end has come.  It takes all that is queued
 * at once, so that one fsync answers as many as were waiting.  While a flush is
 * under way it does not sleep: after each group comes a step of that.
 *
 * Waking it costs a receiving thread a system call and, on a busy core, its
 * turn.  So it is woken for the first request after a pause and for a group
 * that is full, once each; a group that is not is found by itself, for after
 * one it looks again when the next could have gathered.
 *
 * A request keeps its place in the queue until it is folded: the bound is on
 * what was accepted and not yet counted, wherever it is.
 */
#include "runtime/engine.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/metrics.h"
#include "base/thread.h"
#include "runtime/engine_impl.h"
#include "runtime/intake.h"

enum { RETRY_MIN_MS = 5000, RETRY_MAX_MS = 300000 };

/* Without a thread and with times that stand still (a file), this many stubs
 * are a reason to flush. */
enum { FLUSH_STUBS = 1 << 20 };

#define STEP_MIN_NS (2 * NS_PER_MS)
#define STEP_MAX_NS (8 * NS_PER_MS)

/* The thread looks once in a flush_ms; later than that by so much, the machine
 * was asleep, or the disk. */
#define ASLEEP_NS (60 * NS_PER_S)

const struct engine_cfg engine_cfg_default = {
    .durability = DURABILITY_COMMIT,
    .group_ms = 5,
    .group_stubs = 2000,
    .flush_ms = 1000,
    .part_edges = 256,
    .queue_stubs = 262144,
    .max_edges = 1000000,
    .hour_buckets = 48,
    .day_buckets = 400,
    .pair =
        {
            .wait_ns = 60 * NS_PER_S,
            .horizon_ns = 900 * NS_PER_S,
            .link_horizon_ns = 86400 * NS_PER_S,
            .max_spans = 4000000,
            .max_producers = 1000000,
        },
};

/* ---- opening and closing ---- */

static enum err
init_lock(struct engine *engine)
{
    pthread_condattr_t steady;

    if (pthread_condattr_init(&steady))
        return ERR_NOMEM;
    pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
    pthread_mutex_init(&engine->lock, NULL);
    pthread_cond_init(&engine->wake, &steady);
    pthread_cond_init(&engine->finished, &steady);
    pthread_condattr_destroy(&steady);
    return OK;
}

enum err
engine_open(struct engine **out, const struct engine_cfg *cfg,
            struct store *store, struct nodes *nodes, struct routes *routes,
            uint64_t now_ns)
{
    struct engine *engine = calloc(1, sizeof(*engine));
    enum err err = ERR_NOMEM;

    *out = NULL;
    if (!engine)
        return ERR_NOMEM;
    if (init_lock(engine)) {
        free(engine);
        return ERR_NOMEM;
    }
    engine->cfg = *cfg;
    engine->store = store;
    engine->nodes = nodes;
    engine->now_ns = now_ns;
    engine->queue_end = &engine->queue;
    atomic_init(&engine->writable, true);
    if ((err = digests_new(&engine->digests)) ||
        (err = engine_load(engine, routes)))
        goto out;
    *out = engine;
    engine = NULL;
out:
    engine_close(engine);
    return err;
}

void
engine_close(struct engine *engine)
{
    if (!engine)
        return;
    assert(!engine->running);
    pair_free(engine->pair);
    edge_writer_free(engine->writer);
    edges_free(engine->edges);
    exemplars_free(engine->exemplars);
    digests_free(engine->digests);
    edge_parts_fini(&engine->flush.parts);
    buf_fini(&engine->flush.producers);
    pthread_cond_destroy(&engine->finished);
    pthread_cond_destroy(&engine->wake);
    pthread_mutex_destroy(&engine->lock);
    free(engine);
}

/* ---- the thread ---- */

/* The time in the journal's terms. */
static uint64_t
thread_now(const struct engine *engine)
{
    return engine->start_wall_ns + clock_boot_ns() - engine->start_boot_ns;
}

/* Who was asleep received nothing: that gap shall be seen. */
static void
set_time(struct engine *engine)
{
    uint64_t late_ns = engine->cfg.flush_ms * NS_PER_MS + ASLEEP_NS;
    uint64_t now_ns = thread_now(engine);

    if (now_ns - engine->now_ns > late_ns)
        engine->uptime_start_s = 0;
    engine->now_ns = now_ns;
}

static void
wait_until(struct engine *engine, uint64_t mono_ns)
{
    const struct timespec until = {
        .tv_sec = (time_t)(mono_ns / NS_PER_S),
        .tv_nsec = (long)(mono_ns % NS_PER_S),
    };

    (void)pthread_cond_timedwait(&engine->wake, &engine->lock, &until);
}

/* Sleeps, with the lock, until there is something to do; after a group no
 * longer than the next takes to gather. */
static void
wait_for_work(struct engine *engine, bool is_busy)
{
    uint64_t group_ns = engine->cfg.group_ms * NS_PER_MS;
    uint64_t nap_ns = is_busy ? clock_mono_ns() + group_ns : 0;

    while (!engine->stopping && !engine->works) {
        uint64_t now = clock_mono_ns();
        uint64_t until = engine->next_flush_ns;

        if (engine->queue) {
            uint64_t gathered = engine->queue->queued_ns + group_ns;
            if (engine->queue_waiting >= engine->cfg.group_stubs ||
                now >= gathered)
                break;
            until = gathered < until ? gathered : until;
        }
        if (now >= engine->next_flush_ns)
            break;
        engine->dozing = !engine->queue && now >= nap_ns;
        if (!engine->dozing && !engine->queue && nap_ns < until)
            until = nap_ns;
        wait_until(engine, until);
    }
    engine->dozing = false;
}

static void
do_works(struct engine *engine, struct work *works)
{
    while (works) {
        struct work *work = works;
        enum err err = store_begin(engine->store);

        works = work->next;
        if (!err)
            err = engine_save_nodes(engine);
        if (!err)
            err = work->fn(work->ctx, engine->store);
        err = engine_end_tx(engine, err);
        pthread_mutex_lock(&engine->lock);
        work->err = err;
        work->finished = true; /* |work| may be gone from here on */
        pthread_cond_broadcast(&engine->finished);
        pthread_mutex_unlock(&engine->lock);
    }
}

/* What is done beside requests: for as long as the last group took, so that
 * under load neither starves, and no longer than the next may wait. */
static void
do_spare_step(struct engine *engine, uint64_t group_ns)
{
    uint64_t flush_ns = engine->cfg.flush_ms * NS_PER_MS;
    uint64_t now = clock_mono_ns();
    bool is_due = now >= engine->next_flush_ns;
    enum err err = OK;

    if (group_ns < STEP_MIN_NS)
        group_ns = STEP_MIN_NS;
    if (group_ns > STEP_MAX_NS)
        group_ns = STEP_MAX_NS;
    if (store_checkpoint_is_due(engine->store)) {
        (void)store_checkpoint_step(engine->store);
        return;
    }
    if (engine_flush_is_under_way(engine) ||
        (is_due && engine->flush.phase != FLUSH_NONE)) {
        err = engine_flush_step(engine, now + group_ns);
    } else if (is_due) {
        engine->next_flush_ns = now + flush_ns;
        err = engine_flush_begin(engine);
    }
    if (err)
        engine->next_flush_ns = now + flush_ns;
}

static void
tell_not_flushed(const struct engine *engine)
{
    if (engine->cfg.durability == DURABILITY_MEMORY)
        log_error("the last flush failed: what was not stored is lost", NULL,
                  NULL);
    else
        log_error("the last flush failed: what was acknowledged is in the "
                  "journal, and is counted at the next start",
                  "requests", "%llu",
                  (unsigned long long)(engine->seq - engine->covered_seq));
}

static void *
run(void *arg)
{
    struct engine *engine = arg;
    bool more = true;
    bool is_busy = false;

    thread_set_name("graph");
    while (more) {
        pthread_mutex_lock(&engine->lock);
        if (!engine_flush_is_under_way(engine))
            wait_for_work(engine, is_busy);
        struct request *queue = engine->queue;
        struct work *works = engine->works;
        more = !engine->stopping || queue || works;
        is_busy = queue != NULL;
        engine->queue = NULL;
        engine->queue_end = &engine->queue;
        engine->queue_waiting = 0;
        engine->works = NULL;
        pthread_mutex_unlock(&engine->lock);

        set_time(engine);
        uint64_t begin_ns = clock_mono_ns();
        engine_commit(engine, queue);
        do_works(engine, works);
        do_spare_step(engine, clock_mono_ns() - begin_ns);
    }
    if (engine->cfg.durability == DURABILITY_MEMORY) {
        pair_finish(engine->pair); /* nothing would remember what is pending */
        engine->finished_seq = engine->seq;
    }
    if (engine_flush(engine))
        tell_not_flushed(engine);
    return NULL;
}

enum err
engine_start(struct engine *engine)
{
    uint64_t wall = clock_wall_ns();

    assert(!engine->running);
    engine->start_boot_ns = clock_boot_ns();
    engine->start_wall_ns = wall > engine->now_ns ? wall : engine->now_ns;
    engine->next_flush_ns = clock_mono_ns();
    engine->uptime_start_s = 0;
    engine->running = true;
    if (pthread_create(&engine->thread, NULL, run, engine) == 0)
        return OK;
    engine->running = false;
    return ERR_NOMEM;
}

void
engine_stop(struct engine *engine)
{
    if (!engine || !engine->running)
        return;
    pthread_mutex_lock(&engine->lock);
    engine->stopping = true;
    pthread_cond_signal(&engine->wake);
    pthread_mutex_unlock(&engine->lock);
    (void)pthread_join(engine->thread, NULL);
    engine->stopped = true;
    engine->running = false;
}

/* ---- submitting ---- */

bool
engine_has_room(const struct engine *engine, uint32_t stubs)
{
    uint32_t queued =
        atomic_load_explicit(&engine->queued, memory_order_relaxed);

    return queued == 0 || (queued < engine->cfg.queue_stubs &&
                           stubs <= engine->cfg.queue_stubs - queued);
}

void
engine_note_refused(struct engine *engine)
{
    atomic_fetch_add(&engine->requests_refused, 1);
}

uint32_t
engine_retry_ms(const struct engine *engine)
{
    uint64_t queued =
        atomic_load_explicit(&engine->queued, memory_order_relaxed);
    uint64_t ms =
        RETRY_MIN_MS +
        queued * atomic_load_explicit(&engine->stub_ns, memory_order_relaxed) /
            NS_PER_MS;

    return ms < RETRY_MAX_MS ? (uint32_t)ms : RETRY_MAX_MS;
}

static bool
enqueue(struct engine *engine, struct request *request)
{
    uint32_t full = engine->cfg.group_stubs;
    bool must_wake = false;

    pthread_mutex_lock(&engine->lock);
    bool taken = !engine->stopping && engine_has_room(engine, request->cost);
    if (taken) {
        bool was_full = engine->queue_waiting >= full;
        *engine->queue_end = request;
        engine->queue_end = &request->next;
        engine->queue_waiting += request->cost;
        atomic_fetch_add(&engine->queued, request->cost);
        must_wake =
            engine->dozing || (!was_full && engine->queue_waiting >= full);
        engine->dozing = false;
    }
    pthread_mutex_unlock(&engine->lock);
    if (must_wake) /* without the lock, or it would wake to wait for that */
        pthread_cond_signal(&engine->wake);
    return taken;
}

static void
submit_now(struct engine *engine, struct request *request)
{
    uint64_t flush_ns = engine->cfg.flush_ms * NS_PER_MS;

    if (engine->now_ns < request->batch->received_ns)
        engine->now_ns = request->batch->received_ns;
    atomic_fetch_add(&engine->queued, request->cost);
    engine_commit(engine, request);
    (void)store_checkpoint_step(engine->store);
    if (engine->now_ns - engine->flushed_ns >= flush_ns ||
        engine->unflushed_stubs >= FLUSH_STUBS)
        (void)engine_flush(engine);
}

void
engine_submit(struct engine *engine, struct stub_batch *batch,
              struct digest128 digest, engine_done_fn *done, void *ctx)
{
    struct request *request = malloc(sizeof(*request));
    uint32_t stubs = batch->stub_len;
    enum err err = ERR_FULL;

    /* Nothing holds back what is kept in memory alone but this. */
    if (engine->cfg.durability == DURABILITY_MEMORY &&
        !engine_is_writable(engine) && engine->running)
        err = ERR_STORE;
    if (request && err != ERR_STORE) {
        /* What is kept in memory alone is taken in once it is queued. */
        bool is_waiting =
            engine->cfg.durability != DURABILITY_MEMORY || !engine->running;
        *request = (struct request){
            .batch = batch,
            .digest = digest,
            .done = is_waiting ? done : NULL,
            .ctx = ctx,
            .queued_ns = clock_mono_ns(),
            .cost = stubs ? stubs : 1,
        };
        if (!engine->running && !engine->stopped) {
            submit_now(engine, request);
            return;
        }
        if (enqueue(engine, request)) {
            if (!is_waiting)
                done(ctx, OK);
            return;
        }
    }
    if (err == ERR_FULL) {
        atomic_fetch_add(&engine->refused_full, stubs);
        engine_note_refused(engine);
    } else {
        atomic_fetch_add(&engine->refused_store, stubs);
    }
    free(request);
    stub_batch_free(batch);
    done(ctx, err);
}

enum err
engine_write(struct engine *engine,
             enum err (*work)(void *ctx, struct store *store), void *ctx)
{
    struct work mine = {.fn = work, .ctx = ctx};

    if (!engine->running && !engine->stopped) {
        do_works(engine, &mine);
        return mine.err;
    }
    pthread_mutex_lock(&engine->lock);
    if (engine->stopping) {
        mine.err = ERR_CANCELLED;
    } else {
        mine.next = engine->works;
        engine->works = &mine;
        pthread_cond_signal(&engine->wake);
        while (!mine.finished)
            pthread_cond_wait(&engine->finished, &engine->lock);
    }
    pthread_mutex_unlock(&engine->lock);
    return mine.err;
}

enum err
engine_finish(struct engine *engine)
{
    assert(!engine->running);
    pair_finish(engine->pair);
    engine->finished_seq = engine->seq;
    return engine_flush(engine);
}

bool
engine_is_writable(const struct engine *engine)
{
    return atomic_load_explicit(&engine->writable, memory_order_relaxed);
}
