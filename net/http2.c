/*
 * HTTP/2 on nghttp2, which is given bytes and asked for bytes; the frames in
 * between are in net/http2_in.c and net/http2_out.c.  Here: settings, time,
 * and the end.
 *
 * Flow control is opened wide, for a body is paid for from the budget and not
 * by making its sender wait: the windows are larger than any usual batch.
 *
 * A stream whose answer cannot be sent, or whose body does not come, is held
 * for as long as the peer pleases, and its header costs the peer next to
 * nothing: a few have their place for nothing, many are paid for like bodies.
 *
 * To drain, a first GOAWAY names no stream, so that what is on its way is
 * still served, and a second one follows when it must have come.
 */
#include "net/http2.h"

#include <stdlib.h>

#include "net/answer.h"

enum {
    FRAME_MAX = 1 << 20, /* of DATA, if heeded: one for most bodies */
    STREAM_WINDOW = 8 << 20,
    SESSION_WINDOW = 16 << 20,
    OUTBOUND_ACKS = 256,
    RESETS = 100,
    RESETS_PER_S = 10,
    GOAWAY_MS = 100,
    MILLI = 1000,
    STREAM_COST = 3 << 10, /* with what nghttp2 has of it, and a short answer */
    STREAMS_FREE = 16 << 10,
    STREAMS_STEP = 16 << 10,
};

static struct http2 *
http2_of(struct session *session)
{
    return (struct http2 *)(void *)session;
}

/* What all streams have to have reserved. */
static size_t
streams_due(size_t held)
{
    return held > STREAMS_FREE ? held - STREAMS_FREE : 0;
}

bool
http2_hold(struct http2_stream *stream)
{
    struct http2 *h = stream->session;
    const struct exchange *ex = stream->ex;
    size_t cost = STREAM_COST + ex->text.cap + ex->fields.cap +
                  ex->field_len * sizeof(*ex->headers);
    size_t due = streams_due(h->held + cost);

    if (due > h->claim.held && !hub_reserve(h->base.env->hub, &h->claim,
                                            due - h->claim.held + STREAMS_STEP))
        return false;
    stream->held = cost;
    h->held += cost;
    return true;
}

void
http2_let_go(struct http2_stream *stream)
{
    struct http2 *h = stream->session;

    h->held -= stream->held;
    stream->held = 0;
    size_t due = streams_due(h->held);
    if (!h->streams)
        hub_release(h->base.env->hub, &h->claim);
    else if (h->claim.held > due + 2 * (size_t)STREAMS_STEP)
        hub_shrink(h->base.env->hub, &h->claim, due + STREAMS_STEP);
}

/* The rest of a frame of DATA goes straight to its place: whose it is and how
 * much, its header has told.  Never more than that rest, for what is behind may
 * end the stream, and with it the place that it is read from. */
static void
http2_place(struct session *session, struct session_room *room)
{
    struct http2 *h = http2_of(session);
    struct http2_stream *stream =
        h->data_left
            ? nghttp2_session_get_stream_user_data(h->ng, h->data_stream)
            : NULL;

    if (stream && stream->ex && !stream->is_dispatched && !stream->is_reset)
        exchange_place(stream->ex, h->data_left, room);
}

static void
http2_feed(struct session *session, str bytes)
{
    struct http2 *h = http2_of(session);

    if (session->is_over || h->is_terminated)
        return;
    h->data_end = NULL;
    ssize_t used =
        nghttp2_session_mem_recv(h->ng, (const uint8_t *)bytes.ptr, bytes.len);
    /* Of a frame that is ignored, from its header on or from somewhere in it,
     * nobody told us all: what is left of it is not known. */
    if (h->data_end != bytes.ptr + bytes.len)
        h->data_left = 0;
    /* Flooded, out of memory, or no HTTP/2 at all: not to be mended. */
    if (used < 0)
        http2_terminate(h, used == NGHTTP2_ERR_FLOODED
                               ? NGHTTP2_ENHANCE_YOUR_CALM
                               : NGHTTP2_PROTOCOL_ERROR);
}

/* What came whole is answered, for some peers close their half only. */
static void
http2_eof(struct session *session)
{
    struct http2 *h = http2_of(session);

    h->is_eof = true;
    for (struct http2_stream *s = h->streams; s; s = s->next)
        if (!s->is_received && (!s->is_dispatched || s->is_sent))
            http2_reset(s, NGHTTP2_NO_ERROR);
        else if (s->ex)
            exchange_cancel(s->ex);
}

static uint64_t
earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static bool
is_stalled(const struct http2_stream *stream)
{
    return stream->ex && stream->is_submitted && stream->ex->pending;
}

static uint64_t
stream_deadline(const struct http2_stream *stream)
{
    uint64_t at = SESSION_NEVER;

    if (stream->is_reset || !stream->ex)
        return at;
    if (!stream->is_received)
        at = exchange_rate_deadline(stream->ex);
    if (stream->due_ms && !stream->ex->answer)
        at = earlier(at, stream->due_ms);
    if (is_stalled(stream))
        at = earlier(at, stream->progress_ms +
                             stream->session->base.env->limits.write_ms);
    return at;
}

static uint64_t
http2_deadline(const struct session *session)
{
    const struct http2 *h = (const struct http2 *)(const void *)session;
    const struct server_limits *limits = &session->env->limits;
    uint64_t at = SESSION_NEVER;

    if (h->goaway_ms)
        at = h->goaway_ms;
    if (h->head_ms)
        at = earlier(at, h->head_ms + limits->header_ms);
    if (!h->streams)
        at = earlier(at, h->idle_ms + limits->idle_ms);
    for (const struct http2_stream *s = h->streams; s; s = s->next)
        at = earlier(at, stream_deadline(s));
    return at;
}

static void
expire_stream(struct http2_stream *stream, uint64_t now)
{
    const struct server_limits *limits = &stream->session->base.env->limits;

    if (now < stream_deadline(stream))
        return;
    if (stream->due_ms && now >= stream->due_ms && !stream->ex->answer) {
        struct exchange *ex = stream->ex;

        stream->ex = NULL;
        stream->is_dispatched = true;
        exchange_release(ex);
        http2_submit_late(stream);
        return;
    }
    bool is_slow = !stream->is_received && exchange_is_slow(stream->ex, now);
    if (is_slow ||
        (is_stalled(stream) && now >= stream->progress_ms + limits->write_ms))
        http2_reset(stream,
                    stream->is_sent ? NGHTTP2_NO_ERROR : NGHTTP2_CANCEL);
}

static void
http2_expire(struct session *session)
{
    struct http2 *h = http2_of(session);
    const struct server_limits *limits = &session->env->limits;
    uint64_t now = session->now_ms;
    struct http2_stream *next;

    if (h->goaway_ms && now >= h->goaway_ms) {
        h->goaway_ms = 0;
        nghttp2_submit_goaway(h->ng, NGHTTP2_FLAG_NONE,
                              nghttp2_session_get_last_proc_stream_id(h->ng),
                              NGHTTP2_NO_ERROR, NULL, 0);
    }
    if (h->head_ms && now >= h->head_ms + limits->header_ms) {
        h->head_ms = 0;
        nghttp2_session_terminate_session(h->ng, NGHTTP2_ENHANCE_YOUR_CALM);
    } else if (!h->streams && now >= h->idle_ms + limits->idle_ms) {
        h->idle_ms = now;
        nghttp2_session_terminate_session(h->ng, NGHTTP2_NO_ERROR);
    }
    for (struct http2_stream *s = h->streams; s; s = next) {
        next = s->next;
        expire_stream(s, now);
    }
}

static void
http2_drain(struct session *session)
{
    struct http2 *h = http2_of(session);

    if (h->is_draining)
        return;
    h->is_draining = true;
    h->goaway_ms = session->now_ms + GOAWAY_MS;
    nghttp2_submit_shutdown_notice(h->ng);
}

static void
http2_free(struct session *session)
{
    struct http2 *h = http2_of(session);

    while (h->streams) {
        struct http2_stream *stream = h->streams;

        h->streams = stream->next;
        exchange_release(stream->ex);
        free(stream);
    }
    hub_release(h->base.env->hub, &h->claim);
    nghttp2_session_del(h->ng);
    free(h);
}

static size_t
http2_under_way(const struct session *session)
{
    const struct http2 *h = (const struct http2 *)(const void *)session;
    size_t count = 0;

    for (const struct http2_stream *at = h->streams; at; at = at->next)
        count += !at->is_sent;
    return count;
}

static const struct session_ops ops = {
    .name = "HTTP/2",
    .place = http2_place,
    .feed = http2_feed,
    .eof = http2_eof,
    .produce = http2_produce,
    .answered = http2_answered,
    .deadline = http2_deadline,
    .expire = http2_expire,
    .drain = http2_drain,
    .under_way = http2_under_way,
    .free = http2_free,
};

static int
new_session(struct http2 *h)
{
    nghttp2_session_callbacks *callbacks = NULL;
    nghttp2_option *option = NULL;
    int code = http2_callbacks(&callbacks);

    if (!code)
        code = nghttp2_option_new(&option);
    if (!code) {
        nghttp2_option_set_no_closed_streams(option, 1);
        nghttp2_option_set_max_outbound_ack(option, OUTBOUND_ACKS);
        nghttp2_option_set_stream_reset_rate_limit(option, RESETS,
                                                   RESETS_PER_S);
        code = nghttp2_session_server_new2(&h->ng, callbacks, h, option);
    }
    nghttp2_option_del(option);
    nghttp2_session_callbacks_del(callbacks);
    return code;
}

static int
submit_settings(struct http2 *h)
{
    const struct server_limits *limits = &h->base.env->limits;
    const nghttp2_settings_entry settings[] = {
        {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, limits->streams},
        {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, STREAM_WINDOW},
        {NGHTTP2_SETTINGS_MAX_FRAME_SIZE, FRAME_MAX},
        {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, (uint32_t)limits->header_bytes},
        {NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES, 1},
    };
    int code = nghttp2_submit_settings(h->ng, NGHTTP2_FLAG_NONE, settings,
                                       sizeof(settings) / sizeof(settings[0]));

    if (!code)
        code = nghttp2_session_set_local_window_size(h->ng, NGHTTP2_FLAG_NONE,
                                                     0, SESSION_WINDOW);
    return code;
}

struct session *
http2_new(const struct session_env *env, const struct session_peer *peer,
          uint64_t now_ms)
{
    struct http2 *h = calloc(1, sizeof(*h));

    if (!h)
        return NULL;
    h->base.ops = &ops;
    h->base.env = env;
    h->base.peer = *peer;
    h->base.now_ms = now_ms;
    h->base.out_high = SESSION_OUT_HIGH;
    h->idle_ms = now_ms;
    h->glitches = h->refusals = (struct http2_account){
        .as_of_ms = now_ms, .left = HTTP2_GLITCHES * MILLI};
    h->claim.share = peer->share;
    if (new_session(h) || submit_settings(h)) {
        http2_free(&h->base);
        return NULL;
    }
    return &h->base;
}
