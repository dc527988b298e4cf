/*
 * The forwarder: the oldest batch, until the gateway has taken it or will not,
 * then the next one.  A wait ends early when there is another gateway to try or
 * the relay is to stop; then it goes on without waiting for batches to age,
 * until there are none or the drain is over.
 */
#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/metrics.h"
#include "base/thread.h"
#include "relay/relay_impl.h"

enum { BATCH_KEEP = 1 << 20 };

/* Takes the gateway that was set last, and what was set aside under another. */
static void
take_gateway(struct relay *relay)
{
    struct forward *next;
    uint64_t batches = 0;

    pthread_mutex_lock(&relay->lock);
    next = relay->next_forward;
    relay->next_forward = NULL;
    pthread_mutex_unlock(&relay->lock);
    if (!next)
        return;
    forward_free(relay->forward);
    relay->forward = next;
    pthread_mutex_lock(&relay->spool_lock);
    enum err err = spool_take_back(relay->spool, &batches);
    relay_note_write(relay, err);
    pthread_mutex_unlock(&relay->spool_lock);
    if (batches || err)
        log_info(err ? "what was set aside stays there"
                     : "what was set aside is tried again",
                 "batches", "%llu", (unsigned long long)batches);
}

/* Is the drain over? */
static bool
is_over(struct relay *relay)
{
    bool is_over;

    pthread_mutex_lock(&relay->lock);
    is_over = relay->is_stopping && clock_mono_ns() >= relay->until_ns;
    pthread_mutex_unlock(&relay->lock);
    return is_over;
}

/* Waits |wait_ns|, unless something happens. */
static void
pause_for(struct relay *relay, uint64_t wait_ns)
{
    uint64_t end_ns = clock_mono_ns() + wait_ns;
    bool was_stopping;

    pthread_mutex_lock(&relay->lock);
    was_stopping = relay->is_stopping;
    for (;;) {
        uint64_t now_ns = clock_mono_ns();
        if (relay->is_stopping && end_ns > relay->until_ns)
            end_ns = relay->until_ns;
        if (now_ns >= end_ns || relay->next_forward ||
            relay->is_stopping != was_stopping)
            break;
        uint64_t left_ns = end_ns - now_ns;
        relay_wait(relay, &relay->wake_forwarder,
                   left_ns < NS_PER_S ? left_ns : NS_PER_S);
    }
    pthread_mutex_unlock(&relay->lock);
}

/* Waits for something to send. */
static void
wait_for_news(struct relay *relay, uint64_t wait_ns)
{
    pthread_mutex_lock(&relay->lock);
    if (!relay->has_news)
        relay_wait(relay, &relay->wake_forwarder, wait_ns);
    relay->has_news = false;
    pthread_mutex_unlock(&relay->lock);
}

/* ---- one batch ---- */

static void
set_aside(struct relay *relay, const char *why)
{
    uint64_t spans = relay->batch.spans;

    pthread_mutex_lock(&relay->spool_lock);
    enum err err = spool_set_aside(relay->spool, relay->batch.id);
    relay_note_write(relay, err);
    pthread_mutex_unlock(&relay->spool_lock);
    if (err) {
        pause_for(relay, NS_PER_S); /* and again: it will be refused again */
        return;
    }
    metrics_add(METRIC_FORWARD_REFUSED, 1);
    metrics_add(METRIC_FORWARDED_ASIDE, (int64_t)spans);
    log_error("a batch is set aside", "gateway", "%s (%llu spans)", why,
              (unsigned long long)spans);
}

/* It may have been taken so long ago that the gateway did not know it. */
static void
note_doubt(struct relay *relay)
{
    uint64_t now_ns = clock_wall_ns();

    if (relay->doubt_ns == 0 || now_ns < relay->doubt_ns + RELAY_KNOWN_NS)
        return;
    metrics_add(METRIC_FORWARDED_DOUBTFUL, (int64_t)relay->batch.spans);
    log_warn("a batch that got no answer for 15 minutes is sent again; if it "
             "was taken then, it counts twice",
             "spans", "%llu", (unsigned long long)relay->batch.spans);
}

/* Until it is done: the gateway would know the batch again for a while only. */
static void
drop_taken(struct relay *relay)
{
    enum err err;

    do {
        pthread_mutex_lock(&relay->spool_lock);
        err = spool_drop(relay->spool, relay->batch.id);
        relay_note_write(relay, err);
        pthread_mutex_unlock(&relay->spool_lock);
        if (err) {
            take_gateway(relay); /* or it would end the pause */
            pause_for(relay, NS_PER_S);
        }
    } while (err && !is_over(relay));
}

static void
note_taken(struct relay *relay, const struct forward_answer *answer)
{
    const struct spool_batch *batch = &relay->batch;
    uint64_t rejected =
        answer->rejected < batch->spans ? answer->rejected : batch->spans;

    note_doubt(relay);
    metrics_add(METRIC_FORWARD_TAKEN, 1);
    metrics_add(METRIC_FORWARDED_SPANS, (int64_t)batch->spans);
    metrics_add(METRIC_FORWARDED_BYTES, (int64_t)batch->bytes.len);
    metrics_add(METRIC_FORWARDED_REJECTED, (int64_t)rejected);
    if (rejected)
        log_warn("the gateway does not want some spans", "rejected",
                 "%llu of %llu%.*s", (unsigned long long)rejected,
                 (unsigned long long)batch->spans, (int)answer->why.len,
                 answer->why.ptr ? answer->why.ptr : "");
    drop_taken(relay);
}

static void
note_later(struct relay *relay, const struct forward_answer *answer,
           uint32_t tries)
{
    uint32_t wait_ms;

    relay->random = hash_mix(relay->random, tries);
    wait_ms = forward_wait_ms(tries, relay->cfg.retry_first_ms,
                              relay->cfg.retry_most_ms, answer->retry_ms,
                              relay->random);
    if (answer->is_doubtful && !relay->doubt_ns)
        relay->doubt_ns = clock_wall_ns();
    metrics_add(METRIC_FORWARD_RETRIED, 1);
    log_warn("the gateway did not take a batch, it is tried again", "why",
             "%.*s; in %u ms", (int)answer->why.len,
             answer->why.ptr ? answer->why.ptr : "", wait_ms);
    pthread_mutex_lock(&relay->spool_lock);
    relay_note_stats(relay);
    pthread_mutex_unlock(&relay->spool_lock);
    pause_for(relay, wait_ms * NS_PER_MS);
}

/* False: there is no more time. */
static bool
send_batch(struct relay *relay)
{
    struct forward_answer answer = {0};
    uint32_t tries = 0;
    uint32_t odd = 0;
    bool is_done = false;

    while (!is_done && !is_over(relay)) {
        take_gateway(relay);
        forward_send(relay->forward, buf_str(&relay->batch.bytes), &answer);
        odd = answer.is_odd ? odd + 1 : 0;
        if (answer.outcome == FORWARD_LATER && odd >= RELAY_ODD_MAX)
            answer.outcome = FORWARD_REFUSED;
        if (answer.outcome == FORWARD_STOPPED)
            break;
        is_done = answer.outcome != FORWARD_LATER;
        if (answer.outcome == FORWARD_TAKEN)
            note_taken(relay, &answer);
        else if (answer.outcome == FORWARD_REFUSED)
            set_aside(relay, buf_cstr(&answer.why));
        else
            note_later(relay, &answer, ++tries);
    }
    if (is_done)
        relay->doubt_ns = 0;
    buf_fini(&answer.why);
    return is_done;
}

/* ---- the loop ---- */

/* Reads the next batch.  ERR_NOT_FOUND: |wait_ns| says when to look again.
 * ERR_CANCELLED: there are no more, and nothing more comes. */
static enum err
next_batch(struct relay *relay, uint64_t *wait_ns)
{
    uint64_t now_ns = clock_wall_ns();
    bool is_last;

    pthread_mutex_lock(&relay->lock);
    is_last = relay->is_written; /* before it is looked for */
    pthread_mutex_unlock(&relay->lock);
    if (relay->batch.bytes.cap > BATCH_KEEP)
        buf_fini(&relay->batch.bytes);
    pthread_mutex_lock(&relay->spool_lock);
    enum err err = spool_next(relay->spool, now_ns, is_last, &relay->batch);
    struct spool_stats stats = spool_get_stats(relay->spool);
    relay_note_stats(relay);
    pthread_mutex_unlock(&relay->spool_lock);
    *wait_ns = NS_PER_S;
    if (stats.due_ns > now_ns && stats.due_ns - now_ns < NS_PER_S)
        *wait_ns = stats.due_ns - now_ns + NS_PER_MS;
    return err == ERR_NOT_FOUND && is_last ? ERR_CANCELLED : err;
}

void *
relay_forward(void *ctx)
{
    struct relay *relay = ctx;
    bool is_first = true;

    thread_set_name("forward");
    for (;;) {
        uint64_t wait_ns;
        take_gateway(relay);
        enum err err = next_batch(relay, &wait_ns);
        if (err == ERR_CANCELLED || is_over(relay))
            break;
        if (err == ERR_CORRUPT && relay->batch.id) {
            set_aside(relay, "damaged in the spool");
        } else if (err) {
            wait_for_news(relay, wait_ns);
        } else {
            /* An earlier process may have sent what it left first. */
            if (is_first)
                relay->doubt_ns = relay->batch.at_ns;
            if (!send_batch(relay))
                break;
        }
        is_first = is_first && err;
    }
    return NULL;
}
