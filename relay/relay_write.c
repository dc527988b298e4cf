/*
 * The writer: what is queued becomes parts of the spool, a group of requests in
 * one transaction, packed as one; then they are answered.  While one group is
 * on its way to the disk the next one gathers.
 *
 * A request that was answered already has no one to be refused to; its group is
 * tried until it fits, and the queue fills meanwhile.
 */
#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/metrics.h"
#include "base/thread.h"
#include "relay/relay_impl.h"

enum { AGAIN_MS = 200, GROUP_KEEP = 1 << 20 };

/* Takes a group off the queue; NULL when all is done. */
static struct relay_item *
take_group(struct relay *relay)
{
    uint64_t most = relay->cfg.spool.batch_bytes;
    struct relay_item *list;
    struct relay_item **end = &list;
    uint64_t len = 0;

    pthread_mutex_lock(&relay->lock);
    while (!relay->head && !relay->is_stopping)
        relay_wait(relay, &relay->wake_writer, NS_PER_S);
    for (uint64_t end_ns = clock_mono_ns() + relay->cfg.group_ms * NS_PER_MS,
                  now_ns;
         !relay->is_stopping && relay->queued_bytes < most &&
         (now_ns = clock_mono_ns()) < end_ns;)
        relay_wait(relay, &relay->wake_writer, end_ns - now_ns);
    list = relay->head;
    while (*end && (len == 0 || len + (*end)->bytes.len <= most)) {
        len += (*end)->bytes.len;
        end = &(*end)->next;
    }
    relay->head = *end;
    *end = NULL;
    if (!relay->head)
        relay->tail = &relay->head;
    relay->queued_bytes -= len;
    pthread_mutex_unlock(&relay->lock);
    return list;
}

/* Puts those of |list| that did not come before into relay->group. */
static enum err
gather(struct relay *relay, const struct relay_item *list, uint64_t now_ns,
       uint32_t *spans)
{
    enum err err = OK;

    *spans = 0;
    buf_reset(&relay->group);
    for (const struct relay_item *it = list; it && !err; it = it->next) {
        bool is_new;
        err = spool_note(relay->spool, it->digest, now_ns, &is_new);
        if (err)
            break;
        if (!is_new) {
            metrics_add(METRIC_SPANS_DUPLICATE, it->spans);
            continue;
        }
        buf_add(&relay->group, buf_str(&it->bytes));
        *spans += it->spans;
    }
    return relay->group.failed ? ERR_NOMEM : err;
}

static void
note_lost(uint64_t spans)
{
    metrics_add(METRIC_FORWARDED_LOST, (int64_t)spans);
    log_error("spans that were set aside are lost: their room is needed",
              "spans", "%llu", (unsigned long long)spans);
}

static enum err
store_group(struct relay *relay, const struct relay_item *list)
{
    uint64_t now_ns = clock_wall_ns();
    uint64_t begin_ns = clock_mono_ns();
    uint64_t lost = 0;
    uint32_t spans;
    str packed;

    pthread_mutex_lock(&relay->spool_lock);
    enum err err = spool_begin(relay->spool);
    if (!err)
        err = gather(relay, list, now_ns, &spans);
    if (!err && spans > 0 &&
        !(err = pack_gzip(relay->pack, buf_str(&relay->group), &packed)))
        err = spool_put(relay->spool, packed, relay->group.len, spans, now_ns,
                        &lost);
    if (!err)
        err = spool_commit(relay->spool);
    if (err)
        spool_rollback(relay->spool);
    else if (lost)
        note_lost(lost);
    relay_note_write(relay, err);
    pthread_mutex_unlock(&relay->spool_lock);
    metrics_observe(METRIC_COMMIT_SECONDS, clock_mono_ns() - begin_ns);
    metrics_add(err ? METRIC_COMMIT_FAILURES : METRIC_COMMITS, 1);
    if (relay->group.cap > GROUP_KEEP)
        buf_fini(&relay->group);
    return err;
}

static void
answer(struct relay_item *list, enum err err)
{
    while (list) {
        struct relay_item *item = list;
        list = item->next;
        if (item->done) {
            item->done(item->ctx, err);
        } else if (err) {
            metrics_add(METRIC_FORWARDED_LOST, item->spans);
            log_error("spans that were acknowledged are lost", "error", "%s",
                      err_str(err));
        }
        buf_fini(&item->bytes);
        free(item);
    }
}

/* Waits to try again; false if it is of no use. */
static bool
is_to_repeat(struct relay *relay, const struct relay_item *list, enum err err)
{
    bool is_worth_it = err && err != ERR_TOO_LARGE && !list->done;

    pthread_mutex_lock(&relay->lock);
    is_worth_it = is_worth_it && !relay->is_stopping;
    if (is_worth_it)
        relay_wait(relay, &relay->wake_writer, AGAIN_MS * NS_PER_MS);
    pthread_mutex_unlock(&relay->lock);
    return is_worth_it;
}

void *
relay_write(void *ctx)
{
    struct relay *relay = ctx;
    struct relay_item *list;

    thread_set_name("spool");
    while ((list = take_group(relay))) {
        enum err err;
        do {
            err = store_group(relay, list);
        } while (is_to_repeat(relay, list, err));
        answer(list, err == ERR_TOO_LARGE && list->next ? ERR_FULL : err);
        pthread_mutex_lock(&relay->lock);
        relay_tell_forwarder(relay);
        pthread_mutex_unlock(&relay->lock);
    }
    pthread_mutex_lock(&relay->lock);
    relay->is_written = true;
    relay_tell_forwarder(relay);
    pthread_mutex_unlock(&relay->lock);
    return NULL;
}
