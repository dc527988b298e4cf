/*
 * The memory of questions is also the queue: an entry that is wanted is what
 * the thread looks for.  Whoever waits looks its entry up again by the text, so
 * an entry that was given away meanwhile is a miss and no wrong answer.
 */
#include "knowledge/embed_query.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/metrics.h"
#include "base/steady.h"
#include "base/thread.h"

enum state { FREE, WANTED, ASKED, KNOWN };

struct entry {
    enum state state;
    struct digest128 digest;
    struct buf text; /* while it is wanted */
    float *vector;
    uint32_t dim;
    uint64_t used; /* of embed_query.uses */
};

struct embed_query {
    struct embed_query_cfg cfg;
    pthread_t thread;
    pthread_mutex_t lock; /* of all that follows */
    pthread_cond_t wanted;
    pthread_cond_t done;
    bool is_stopped;
    bool is_trying; /* a request is out while the endpoint rests */
    uint32_t failures;
    uint64_t rest_until_ns;
    uint64_t uses;
    struct embed_query_status status;
    struct entry entries[EMBED_QUERIES];
};

static struct entry *
find(struct embed_query *q, struct digest128 digest)
{
    for (size_t i = 0; i < EMBED_QUERIES; i++) {
        struct entry *entry = &q->entries[i];

        if (entry->state != FREE && entry->digest.hi == digest.hi &&
            entry->digest.lo == digest.lo)
            return entry;
    }
    return NULL;
}

static void
release(struct entry *entry)
{
    buf_fini(&entry->text);
    free(entry->vector);
    *entry = (struct entry){0};
}

/* A free one, or the one that was longest not used; NULL: all are wanted. */
static struct entry *
make_room(struct embed_query *q)
{
    struct entry *oldest = NULL;

    for (size_t i = 0; i < EMBED_QUERIES; i++) {
        struct entry *entry = &q->entries[i];

        if (entry->state == FREE)
            return entry;
        if (entry->state == KNOWN && (!oldest || entry->used < oldest->used))
            oldest = entry;
    }
    if (oldest)
        release(oldest);
    return oldest;
}

/* ---- the endpoint's health ---- */

static void
note_failure(struct embed_query *q, str why)
{
    q->status.failed++;
    metrics_add(METRIC_EMBED_QUERY_FAILED, 1);
    buf_reset(&q->status.why);
    buf_add(&q->status.why, why);
}

static void
rest(struct embed_query *q, uint32_t retry_s)
{
    uint64_t rest_ms = q->cfg.rest_ms;
    uint64_t most_ms = q->cfg.rest_most_ms;

    for (uint32_t i = 0; i < q->failures && rest_ms < most_ms; i++)
        rest_ms *= 2;
    if (rest_ms < retry_s * UINT64_C(1000))
        rest_ms = retry_s * UINT64_C(1000);
    rest_ms = rest_ms < most_ms ? rest_ms : most_ms;
    q->failures++;
    q->rest_until_ns = clock_mono_ns() + rest_ms * NS_PER_MS;
}

static void
note_success(struct embed_query *q)
{
    q->failures = 0;
    q->rest_until_ns = 0;
    buf_reset(&q->status.why);
}

/* ---- the thread ---- */

static void
work(struct embed_query *q, struct entry *entry)
{
    struct embed_reply reply;
    struct buf text = entry->text;
    struct buf why = {0};

    entry->state = ASKED;
    entry->text = (struct buf){0};
    q->status.asked++;
    pthread_mutex_unlock(&q->lock);
    const str asked = buf_str(&text);
    const struct embed_ask ask = {&asked, 1, q->cfg.timeout_ms};
    enum err err = embed_texts(&q->cfg.ops, &q->cfg.model, &ask, &reply, &why);
    pthread_mutex_lock(&q->lock);
    q->is_trying = false;
    if (!err) {
        note_success(q);
        entry->state = KNOWN;
        entry->vector = reply.vectors.values;
        entry->dim = reply.vectors.dim;
        reply.vectors.values = NULL;
        metrics_add(METRIC_EMBED_QUERY_OK, 1);
    } else {
        if (err != ERR_CANCELLED)
            note_failure(q, why.len ? buf_str(&why) : str_of(err_str(err)));
        /* One text it does not take says nothing of the next. */
        if (err != ERR_CANCELLED && err != ERR_INVALID)
            rest(q, reply.retry_s);
        release(entry);
    }
    embed_vectors_fini(&reply.vectors);
    buf_fini(&text);
    buf_fini(&why);
}

static struct entry *
next_wanted(struct embed_query *q)
{
    struct entry *first = NULL;

    for (size_t i = 0; i < EMBED_QUERIES; i++)
        if (q->entries[i].state == WANTED &&
            (!first || q->entries[i].used < first->used))
            first = &q->entries[i];
    return first;
}

/* While the endpoint fails, what waits behind the failure is let go. */
static void
drop_wanted(struct embed_query *q)
{
    for (size_t i = 0; i < EMBED_QUERIES; i++)
        if (q->entries[i].state == WANTED)
            release(&q->entries[i]);
}

static void *
run(void *ctx)
{
    struct embed_query *q = ctx;

    thread_set_name("ask-vector");
    pthread_mutex_lock(&q->lock);
    while (!q->is_stopped) {
        struct entry *entry = next_wanted(q);

        if (!entry) {
            pthread_cond_wait(&q->wanted, &q->lock);
            continue;
        }
        work(q, entry);
        if (q->failures)
            drop_wanted(q);
        pthread_cond_broadcast(&q->done);
    }
    pthread_mutex_unlock(&q->lock);
    return NULL;
}

/* ---- questions ---- */

void
embed_query_ask(struct embed_query *q, str text, struct embed_ticket *ticket)
{
    uint64_t now_ns = clock_mono_ns();

    text = embed_wire_cut(text, EMBED_QUERY_TEXT);
    *ticket = (struct embed_ticket){
        .text = hash_digest(text),
        .until_ns = now_ns + q->cfg.timeout_ms * NS_PER_MS,
    };
    pthread_mutex_lock(&q->lock);
    struct entry *entry = find(q, ticket->text);
    bool is_resting = q->failures > 0;
    bool may_try = !is_resting || (now_ns >= q->rest_until_ns && !q->is_trying);

    if (entry) {
        entry->used = ++q->uses;
        q->status.cached += entry->state == KNOWN;
        if (entry->state == KNOWN)
            metrics_add(METRIC_EMBED_QUERY_CACHED, 1);
        ticket->is_waited = entry->state == KNOWN || !is_resting;
    } else if (may_try && (entry = make_room(q)) != NULL) {
        entry->state = WANTED;
        entry->digest = ticket->text;
        entry->used = ++q->uses;
        buf_add(&entry->text, text);
        if (entry->text.failed) {
            release(entry);
        } else {
            q->is_trying = is_resting;
            ticket->is_waited = !is_resting;
            pthread_cond_signal(&q->wanted);
        }
    }
    if (!ticket->is_waited) {
        q->status.skipped++;
        metrics_add(METRIC_EMBED_QUERY_SKIPPED, 1);
    }
    pthread_mutex_unlock(&q->lock);
}

static bool
is_coming(struct embed_query *q, const struct embed_ticket *ticket)
{
    const struct entry *entry = find(q, ticket->text);

    return !q->is_stopped && entry && entry->state != KNOWN;
}

enum err
embed_query_take(struct embed_query *q, const struct embed_ticket *ticket,
                 uint32_t dim, float *out)
{
    enum err err = ERR_BUSY;

    if (!ticket->is_waited)
        return err;
    pthread_mutex_lock(&q->lock);
    while (is_coming(q, ticket) &&
           steady_wait(&q->done, &q->lock, ticket->until_ns))
        continue;
    /* The thread has the same time; beyond that it is stuck. */
    if (is_coming(q, ticket) && !q->failures) {
        note_failure(q, STR("no whole answer came in time"));
        rest(q, 0);
    }
    const struct entry *entry = find(q, ticket->text);
    if (entry && entry->state == KNOWN) {
        err = entry->dim == dim ? OK : ERR_CORRUPT;
        if (!err)
            memcpy(out, entry->vector, dim * sizeof(*out));
    }
    if (err == ERR_CORRUPT) {
        buf_reset(&q->status.why);
        buf_printf(&q->status.why,
                   "a question came back as %u numbers, what is stored has %u",
                   entry->dim, dim);
    }
    pthread_mutex_unlock(&q->lock);
    return err;
}

void
embed_query_tell(struct embed_query *q, struct embed_query_status *out)
{
    pthread_mutex_lock(&q->lock);
    *out = q->status;
    out->why = (struct buf){0};
    buf_add(&out->why, buf_str(&q->status.why));
    out->is_resting = q->failures > 0;
    pthread_mutex_unlock(&q->lock);
}

/* ---- beginning and end ---- */

static void
free_all(struct embed_query *q)
{
    for (size_t i = 0; i < EMBED_QUERIES; i++)
        release(&q->entries[i]);
    buf_fini(&q->status.why);
    pthread_cond_destroy(&q->wanted);
    pthread_cond_destroy(&q->done);
    pthread_mutex_destroy(&q->lock);
    free(q);
}

enum err
embed_query_start(struct embed_query **out, const struct embed_query_cfg *cfg)
{
    struct embed_query *q = calloc(1, sizeof(*q));

    *out = NULL;
    if (!q)
        return ERR_NOMEM;
    q->cfg = *cfg;
    pthread_mutex_init(&q->lock, NULL);
    pthread_cond_init(&q->wanted, NULL);
    steady_init(&q->done);
    if (pthread_create(&q->thread, NULL, run, q) != 0) {
        free_all(q);
        return ERR_NOMEM;
    }
    *out = q;
    return OK;
}

void
embed_query_stop(struct embed_query *q)
{
    if (!q)
        return;
    pthread_mutex_lock(&q->lock);
    q->is_stopped = true;
    pthread_cond_signal(&q->wanted);
    pthread_cond_broadcast(&q->done);
    pthread_mutex_unlock(&q->lock);
    (void)pthread_join(q->thread, NULL);
    free_all(q);
}
