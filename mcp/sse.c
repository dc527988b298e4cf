/*
 * One lock guards the table and every write to a stream.  A stream that ends is
 * taken out of the table under the lock and closed after it: the end of an
 * answer waits for a transport that may be telling us, in on_gone, that the
 * client is gone.
 */
#include "mcp/sse.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/metrics.h"
#include "base/thread.h"
#include "mcp/call.h"
#include "mcp/http_parts.h"

void
sse_init(struct sse *sse, uint64_t idle_ns)
{
    pthread_condattr_t attr;

    sse->idle_ns = idle_ns;
    pthread_mutex_init(&sse->mutex, NULL);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&sse->stop, &attr);
    pthread_condattr_destroy(&attr);
}

void
sse_fini(struct sse *sse)
{
    pthread_cond_destroy(&sse->stop);
    pthread_mutex_destroy(&sse->mutex);
}

/* ---- the end of a session ---- */

/* Streams taken out of the table, to be closed once the lock is released. */
struct ended {
    struct request *reqs[SSE_MAX];
    size_t len;
};

static void
take_out(struct sse_session *session, enum metric why, struct ended *ended)
{
    ended->reqs[ended->len++] = session->req;
    session->req = NULL;
    for (struct mcp_call *call = session->calls; call; call = call->next)
        atomic_store(&call->cancelled, true);
    metrics_add(why, 1);
    metrics_add(METRIC_SSE_SESSIONS, -1);
}

static void
close_all(const struct ended *ended)
{
    for (size_t i = 0; i < ended->len; i++)
        request_stream_close(ended->reqs[i]);
}

static void
on_gone(void *ctx, struct request *req)
{
    struct mcp *mcp = ctx;
    struct ended ended = {.len = 0};

    pthread_mutex_lock(&mcp->sse.mutex);
    for (size_t i = 0; i < SSE_MAX; i++)
        if (mcp->sse.sessions[i].req == req)
            take_out(&mcp->sse.sessions[i], METRIC_SSE_ENDED_CLIENT, &ended);
    pthread_mutex_unlock(&mcp->sse.mutex);
    close_all(&ended);
    pending_wake(&mcp->pending);
}

void
sse_check(struct sse *sse, uint64_t now_mono_ns)
{
    struct ended ended = {.len = 0};

    pthread_mutex_lock(&sse->mutex);
    for (size_t i = 0; i < SSE_MAX; i++) {
        struct sse_session *one = &sse->sessions[i];
        bool is_idle =
            !one->calls && now_mono_ns >= one->used_mono_ns + sse->idle_ns;
        if (!one->req)
            continue;
        if (is_idle)
            take_out(one, METRIC_SSE_ENDED_IDLE, &ended);
        else if (!request_stream_write(one->req, STR(":\n\n")))
            take_out(one, METRIC_SSE_ENDED_SLOW, &ended);
    }
    pthread_mutex_unlock(&sse->mutex);
    close_all(&ended);
}

static void *
run_beat(void *arg)
{
    struct sse *sse = arg;
    uint64_t period = SSE_BEAT_MS * NS_PER_MS;

    thread_set_name("mcp-sse");
    if (sse->idle_ns / 2 < period)
        period = sse->idle_ns / 2 + NS_PER_MS;
    pthread_mutex_lock(&sse->mutex);
    while (!sse->stopped) {
        uint64_t next = clock_mono_ns() + period;
        struct timespec until = {
            .tv_sec = (time_t)(next / NS_PER_S),
            .tv_nsec = (long)(next % NS_PER_S),
        };
        if (pthread_cond_timedwait(&sse->stop, &sse->mutex, &until) == 0)
            continue;
        pthread_mutex_unlock(&sse->mutex);
        sse_check(sse, clock_mono_ns());
        pthread_mutex_lock(&sse->mutex);
    }
    pthread_mutex_unlock(&sse->mutex);
    return NULL;
}

void
sse_stop(struct sse *sse)
{
    struct ended ended = {.len = 0};

    pthread_mutex_lock(&sse->mutex);
    bool had_beat = sse->has_beat;
    sse->stopped = true;
    sse->has_beat = false;
    pthread_cond_broadcast(&sse->stop);
    for (size_t i = 0; i < SSE_MAX; i++)
        if (sse->sessions[i].req && !sse->sessions[i].calls)
            take_out(&sse->sessions[i], METRIC_SSE_ENDED_STOP, &ended);
    pthread_mutex_unlock(&sse->mutex);
    close_all(&ended);
    if (had_beat)
        pthread_join(sse->beat, NULL);
}

/* ---- the channel ---- */

/* Writes an event to the stream, if there is one; the lock is held. */
static bool
write_event(struct sse_session *session, str event, struct ended *ended)
{
    if (!session->req)
        return false;
    if (request_stream_write(session->req, event))
        return true;
    take_out(session, METRIC_SSE_ENDED_SLOW, ended);
    return false;
}

static bool
sse_send(struct mcp_call *call, str json)
{
    struct sse *sse = &call->mcp->sse;
    struct ended ended = {.len = 0};
    struct buf event = {0};
    bool ok = false;

    if (json.len <= HTTP_EVENT_MAX)
        http_add_event(&event, json);
    pthread_mutex_lock(&sse->mutex);
    if (event.len && !event.failed && !atomic_load(&call->cancelled))
        ok = write_event(call->channel_ctx, buf_str(&event), &ended);
    pthread_mutex_unlock(&sse->mutex);
    close_all(&ended);
    buf_fini(&event);
    return ok;
}

/* What a call agreed on for all that come after it. */
static void
keep_agreed(struct sse_session *session, const struct mcp_call *call)
{
    if (strcmp(call->msg.method, "initialize") == 0)
        session->rev = (int)call->rev;
    else if (strcmp(call->msg.method, "logging/setLevel") == 0)
        session->log_level = call->log_level;
}

/* Ends |call| with |event|, or without one if it is empty. */
static void
end_call(struct mcp_call *call, str event)
{
    struct sse *sse = &call->mcp->sse;
    struct sse_session *session = call->channel_ctx;
    struct mcp_call **link = &session->calls;
    struct ended ended = {.len = 0};

    pthread_mutex_lock(&sse->mutex);
    while (*link != call)
        link = &(*link)->next;
    *link = call->next;
    session->call_len--;
    session->used_mono_ns = clock_mono_ns();
    keep_agreed(session, call);
    if (event.len && !atomic_load(&call->cancelled))
        (void)write_event(session, event, &ended);
    if (session->req && !session->calls && sse->stopped)
        take_out(session, METRIC_SSE_ENDED_STOP, &ended);
    pthread_mutex_unlock(&sse->mutex);
    close_all(&ended);
}

static void
sse_answer(struct mcp_call *call, int status, str json)
{
    struct buf event = {0};
    struct buf brief = {0};

    (void)status;
    if (json.len > HTTP_EVENT_MAX) {
        rpc_add_error(&brief, call->msg.id, RPC_INTERNAL_ERROR,
                      STR("the answer is larger than a stream carries; ask "
                          "for less, or ask on /mcp"),
                      NULL);
        json = buf_str(&brief);
    }
    http_add_event(&event, json);
    end_call(call, event.failed ? (str){0} : buf_str(&event));
    buf_fini(&event);
    buf_fini(&brief);
}

static void
sse_drop(struct mcp_call *call)
{
    end_call(call, (str){0});
}

/* Nothing of this revision stays open that would need it. */
static bool
sse_beat(struct mcp_call *call)
{
    return !atomic_load(&call->cancelled);
}

static const struct channel sse_channel = {
    .send = sse_send,
    .answer = sse_answer,
    .drop = sse_drop,
    .beat = sse_beat,
};

/* ---- entering ---- */

/* A free session, or NULL; the lock is held. */
static struct sse_session *
find_free(struct sse *sse)
{
    if (sse->stopped)
        return NULL;
    for (size_t i = 0; i < SSE_MAX; i++)
        if (!sse->sessions[i].req && !sse->sessions[i].calls)
            return &sse->sessions[i];
    return NULL;
}

static void
begin(struct sse *sse, struct sse_session *session, struct request *req)
{
    struct buf event = {0};

    if (!sse->has_beat)
        sse->has_beat = pthread_create(&sse->beat, NULL, run_beat, sse) == 0;
    *session = (struct sse_session){
        .req = req,
        .used_mono_ns = clock_mono_ns(),
        .rev = REV_2024_11_05,
        .log_level = -1,
    };
    (void)snprintf(session->id, sizeof(session->id), "%016llx%016llx",
                   (unsigned long long)hash_seed(),
                   (unsigned long long)hash_seed());
    buf_printf(&event, "event: endpoint\ndata: %.*s?sessionId=%s\n\n",
               (int)req->path.len, req->path.ptr, session->id);
    http_open_stream(req, buf_str(&event));
    metrics_add(METRIC_SSE_SESSIONS, 1);
    buf_fini(&event);
}

bool
sse_open(struct mcp *mcp, struct request *req)
{
    struct sse *sse = &mcp->sse;

    pthread_mutex_lock(&sse->mutex);
    struct sse_session *session = find_free(sse);
    if (session) {
        req->on_cancel = on_gone;
        req->on_cancel_ctx = mcp;
        begin(sse, session, req);
    }
    pthread_mutex_unlock(&sse->mutex);
    if (!session)
        metrics_add(METRIC_SSE_REFUSED, 1);
    return session != NULL;
}

/* Takes as long for any id of the right length.  The lock is held. */
static struct sse_session *
find_session(struct sse *sse, str id)
{
    struct sse_session *found = NULL;

    for (size_t i = 0; i < SSE_MAX && id.len == SSE_ID_LEN; i++) {
        struct sse_session *one = &sse->sessions[i];
        unsigned differ = 0;
        for (size_t j = 0; j < SSE_ID_LEN; j++)
            differ |= (unsigned)(one->id[j] ^ id.ptr[j]);
        if (!differ && one->req)
            found = one;
    }
    return found;
}

/* Enters |call| into |session|; the lock is held. */
static enum err
join(struct sse_session *session, struct mcp_call *call)
{
    if (call->msg.kind == RPC_REQUEST) {
        if (session->call_len >= SSE_CALLS_MAX)
            return ERR_FULL;
        call->next = session->calls;
        session->calls = call;
        session->call_len++;
    }
    call->channel = &sse_channel;
    call->channel_ctx = session;
    call->can_stream = true;
    call->rev = (enum mcp_rev)session->rev;
    call->log_level = session->log_level;
    session->used_mono_ns = clock_mono_ns();
    return OK;
}

enum err
sse_enter(struct mcp_call *call, str id)
{
    struct sse *sse = &call->mcp->sse;

    pthread_mutex_lock(&sse->mutex);
    struct sse_session *session = sse->stopped ? NULL : find_session(sse, id);
    enum err err = session ? join(session, call) : ERR_NOT_FOUND;
    pthread_mutex_unlock(&sse->mutex);
    if (err == ERR_FULL)
        metrics_add(METRIC_SSE_REFUSED, 1);
    return err;
}

void
sse_cancel(struct mcp_call *notice, str id)
{
    struct sse *sse = &notice->mcp->sse;
    const char *asked = rpc_cancelled(&notice->msg);

    if (!asked)
        return;
    pthread_mutex_lock(&sse->mutex);
    const struct sse_session *session = find_session(sse, id);
    for (struct mcp_call *call = session ? session->calls : NULL; call;
         call = call->next)
        if (strcmp(call->msg.id, asked) == 0)
            atomic_store(&call->cancelled, true);
    pthread_mutex_unlock(&sse->mutex);
    pending_wake(&notice->mcp->pending);
}
