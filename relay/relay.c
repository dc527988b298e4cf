/*
 * The life of the relay, and what the receiver's threads do: strip and queue.
 * The two threads behind them are in relay_write.c and relay_forward.c.
 */
#include "relay/relay_impl.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/metrics.h"

/* As engine_retry_ms: what Tempo tells its clients, too. */
enum { RETRY_MS = 5000, QUEUE_BATCHES = 4, LAST_MS = 2000 };

/* ---- the sink ---- */

static enum err
begin(void *ctx, size_t lane, struct span_visitor *out)
{
    struct relay *relay = ctx;
    bool has_room;

    pthread_mutex_lock(&relay->lock);
    has_room =
        !relay->is_stopping &&
        relay->queued_bytes < QUEUE_BATCHES * relay->cfg.spool.batch_bytes;
    pthread_mutex_unlock(&relay->lock);
    if (!has_room || atomic_load(&relay->is_full))
        return ERR_FULL;
    strip_begin(relay->strips[lane], out);
    return OK;
}

static void
abandon(void *ctx, size_t lane)
{
    /* The next begin forgets what the lane holds. */
    (void)ctx;
    (void)lane;
}

static bool
enqueue(struct relay *relay, struct relay_item *item)
{
    bool is_taken;

    pthread_mutex_lock(&relay->lock);
    is_taken = !relay->is_stopping;
    if (is_taken) {
        *relay->tail = item;
        relay->tail = &item->next;
        relay->queued_bytes += item->bytes.len;
        pthread_cond_signal(&relay->wake_writer);
    }
    pthread_mutex_unlock(&relay->lock);
    return is_taken;
}

static void
submit(void *ctx, size_t lane, str bytes, uint32_t rejected,
       void (*done)(void *done_ctx, enum err), void *done_ctx)
{
    struct relay *relay = ctx;
    struct relay_item *item = calloc(1, sizeof(*item));
    bool at_once = relay->cfg.answer_at_once;
    enum err err = ERR_NOMEM;

    (void)rejected; /* the sender is told, and nobody else can do anything */
    if (item)
        err = strip_take(relay->strips[lane], &item->bytes, &item->spans);
    if (!err && item->spans > 0) {
        item->digest = hash_digest(bytes);
        item->done = at_once ? NULL : done;
        item->ctx = done_ctx;
        if (enqueue(relay, item)) {
            if (at_once)
                done(done_ctx, OK);
            return;
        }
        err = ERR_FULL;
    }
    if (item)
        buf_fini(&item->bytes);
    free(item);
    done(done_ctx, err);
}

static uint32_t
retry_ms(void *ctx)
{
    (void)ctx;
    return RETRY_MS;
}

void
relay_get_sink(struct relay *relay, struct trace_sink *out)
{
    *out = (struct trace_sink){
        .ctx = relay,
        .begin = begin,
        .abort = abandon,
        .submit = submit,
        .retry_ms = retry_ms,
    };
}

/* ---- between the threads ---- */

void
relay_wait(struct relay *relay, pthread_cond_t *cond, uint64_t wait_ns)
{
    uint64_t at_ns = clock_mono_ns() + wait_ns;
    struct timespec at = {.tv_sec = (time_t)(at_ns / NS_PER_S),
                          .tv_nsec = (long)(at_ns % NS_PER_S)};

    (void)pthread_cond_timedwait(cond, &relay->lock, &at);
}

void
relay_tell_forwarder(struct relay *relay)
{
    relay->has_news = true;
    pthread_cond_signal(&relay->wake_forwarder);
}

void
relay_note_write(struct relay *relay, enum err err)
{
    bool is_failed = err == ERR_STORE || err == ERR_CORRUPT || err == ERR_NOMEM;
    bool was_writable = atomic_exchange(&relay->is_writable, !is_failed);

    if (is_failed && was_writable)
        log_error("the spool cannot be written; requests are refused", "error",
                  "%s", err_str(err));
    if (!is_failed && !was_writable)
        log_info("the spool can be written again", NULL, NULL);
    relay_note_stats(relay);
}

void
relay_note_stats(struct relay *relay)
{
    struct spool_stats stats = spool_get_stats(relay->spool);
    uint64_t now_ns = clock_wall_ns();

    atomic_store(&relay->is_full, !spool_has_room(relay->spool, 1));
    metrics_set(METRIC_SPOOL_BATCHES, (int64_t)stats.batches);
    metrics_set(METRIC_SPOOL_BYTES, (int64_t)stats.bytes);
    metrics_set(METRIC_SPOOL_ASIDE_BYTES, (int64_t)stats.aside_bytes);
    metrics_set(METRIC_SPOOL_AGE,
                stats.oldest_ns && stats.oldest_ns < now_ns
                    ? (int64_t)((now_ns - stats.oldest_ns) / NS_PER_S)
                    : 0);
}

bool
relay_is_writable(const struct relay *relay)
{
    return atomic_load(&relay->is_writable);
}

/* ---- life ---- */

static enum err
open_spool(struct relay *relay, struct buf *why)
{
    const struct relay_cfg *cfg = &relay->cfg;
    uint64_t now_ns = clock_wall_ns();
    enum err err =
        spool_open(&relay->spool, cfg->dir, &cfg->spool, now_ns, why);

    if (err == ERR_CORRUPT) {
        log_error(
            "the spool is damaged or gone; what can be read of it is sent",
            "what", "%s", buf_cstr(why));
        buf_reset(why);
        err = spool_open(&relay->spool, cfg->dir, &cfg->spool, now_ns, why);
    }
    return err;
}

static void
init_threads(struct relay *relay)
{
    pthread_condattr_t steady;

    pthread_condattr_init(&steady);
    pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
    pthread_mutex_init(&relay->lock, NULL);
    pthread_mutex_init(&relay->spool_lock, NULL);
    pthread_cond_init(&relay->wake_writer, &steady);
    pthread_cond_init(&relay->wake_forwarder, &steady);
    pthread_condattr_destroy(&steady);
}

enum err
relay_open(struct relay **out, const struct relay_cfg *cfg, struct buf *why)
{
    struct relay *relay = calloc(1, sizeof(*relay));
    enum err err = ERR_NOMEM;

    assert(cfg->lanes <= RELAY_LANES_MAX);
    *out = NULL;
    if (!relay)
        return ERR_NOMEM;
    init_threads(relay);
    relay->cfg = *cfg;
    relay->tail = &relay->head;
    relay->random = hash_seed();
    atomic_init(&relay->is_writable, true);
    atomic_init(&relay->is_full, false);
    relay->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    relay->pack = pack_new();
    for (size_t i = 0; i < cfg->lanes; i++)
        if (!(relay->strips[i] = strip_new()))
            goto out;
    if (relay->stop_fd < 0 || !relay->pack || !(relay->dir = strdup(cfg->dir)))
        goto out;
    relay->cfg.dir = relay->dir;
    if ((err = open_spool(relay, why)))
        goto out;
    relay_note_stats(relay);
    *out = relay;
    relay = NULL;
out:
    relay_close(relay);
    return err;
}

int
relay_stop_fd(const struct relay *relay)
{
    return relay->stop_fd;
}

enum err
relay_set_gateway(struct relay *relay, const struct forward_cfg *cfg,
                  struct buf *why)
{
    struct forward *forward;
    struct forward *unused;
    enum err err = forward_new(&forward, cfg, why);

    if (err)
        return err;
    pthread_mutex_lock(&relay->lock);
    unused = relay->next_forward;
    relay->next_forward = forward;
    relay_tell_forwarder(relay);
    pthread_mutex_unlock(&relay->lock);
    forward_free(unused);
    return OK;
}

enum err
relay_start(struct relay *relay)
{
    relay->has_writer =
        pthread_create(&relay->writer, NULL, relay_write, relay) == 0;
    relay->has_forwarder =
        relay->has_writer &&
        pthread_create(&relay->forwarder, NULL, relay_forward, relay) == 0;
    return relay->has_forwarder ? OK : ERR_NOMEM;
}

/* Waits for the forwarder until the drain is over, then tells it to leave what
 * it does; false if even that takes too long, which only looking up a name
 * does. */
static bool
join_forwarder(struct relay *relay, uint32_t drain_ms)
{
    const uint64_t one = 1;
    struct timespec at;

    for (int last = 0; last < 2; last++) {
        clock_gettime(CLOCK_REALTIME, &at);
        uint64_t at_ns =
            (uint64_t)at.tv_nsec + (last ? LAST_MS : drain_ms) * NS_PER_MS;
        at.tv_sec += (time_t)(at_ns / NS_PER_S);
        at.tv_nsec = (long)(at_ns % NS_PER_S);
        if (pthread_timedjoin_np(relay->forwarder, NULL, &at) == 0)
            return true;
        if (write(relay->stop_fd, &one, sizeof(one)) < 0)
            return false;
    }
    return false;
}

void
relay_stop(struct relay *relay, uint32_t drain_ms)
{
    pthread_mutex_lock(&relay->lock);
    relay->is_stopping = true;
    relay->until_ns = clock_mono_ns() + drain_ms * NS_PER_MS;
    pthread_cond_signal(&relay->wake_writer);
    relay_tell_forwarder(relay);
    pthread_mutex_unlock(&relay->lock);
    if (relay->has_writer)
        pthread_join(relay->writer, NULL);
    relay->has_writer = false;
    if (relay->has_forwarder && join_forwarder(relay, drain_ms))
        relay->has_forwarder = false;
    pthread_mutex_lock(&relay->spool_lock);
    struct spool_stats stats = spool_get_stats(relay->spool);
    pthread_mutex_unlock(&relay->spool_lock);
    if (stats.batches)
        log_warn("left in the spool for the next start", "batches", "%llu",
                 (unsigned long long)stats.batches);
}

static void
free_items(struct relay *relay)
{
    while (relay->head) {
        struct relay_item *item = relay->head;
        relay->head = item->next;
        buf_fini(&item->bytes);
        free(item);
    }
}

/* A forwarder that could not be waited for goes with the process, and so does
 * what it uses. */
void
relay_close(struct relay *relay)
{
    if (!relay || relay->has_forwarder)
        return;
    spool_close(relay->spool);
    forward_free(relay->forward);
    forward_free(relay->next_forward);
    pack_free(relay->pack);
    for (size_t i = 0; i < RELAY_LANES_MAX; i++)
        strip_free(relay->strips[i]);
    free_items(relay);
    buf_fini(&relay->group);
    buf_fini(&relay->batch.bytes);
    if (relay->stop_fd >= 0)
        close(relay->stop_fd);
    pthread_cond_destroy(&relay->wake_writer);
    pthread_cond_destroy(&relay->wake_forwarder);
    pthread_mutex_destroy(&relay->lock);
    pthread_mutex_destroy(&relay->spool_lock);
    free(relay->dir);
    free(relay);
}
