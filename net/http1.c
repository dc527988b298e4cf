/*
 * HTTP/1.1 on libhttp_parser.  One exchange at a time: while a request waits
 * for its answer, what the peer sends ahead is kept, up to a bound, and parsed
 * when the answer is out.  So answers are in order by themselves.  Where the
 * answer is there at once and short, it is out at once, to be produced later:
 * then what was read behind its request is parsed where it lies.
 *
 * A message and its answer end independently: a request refused early (too
 * large, no room) is answered while its body still comes, and that body is
 * thrown away up to a bound, so that the peer reads the answer and not a
 * reset.  The next request begins when both are done.
 *
 * Parsing is in net/http1_in.c, the way out in net/http1_out.c.
 */
#include "net/http1.h"

#include <stdlib.h>

#include "net/answer.h"

enum {
    HEAD_READ = 16 << 10,  /* so that little of a body has to be copied */
    BRIEF_MAX = 48 << 10,  /* bodies of which several may come in one read */
    AHEAD_MAX = 64 << 10,  /* of requests sent ahead of their turn */
    AHEAD_FREE = 16 << 10, /* so much of it whatever there is room for */
    DRAIN_SLACK = 1 << 20, /* thrown away beyond body_bytes */
    STATUS_PROTOCOL = 400, /* what the parser could not read */
};

static struct http1 *
http1_of(struct session *session)
{
    return (struct http1 *)(void *)session;
}

void
http1_fail(struct http1 *h, int status)
{
    if (h->fail_status == 0)
        h->fail_status = status;
}

static bool
is_parsing(const struct http1 *h)
{
    return !h->base.is_over && h->phase != HTTP1_ANSWER &&
           h->phase != HTTP1_BROKEN;
}

void
http1_end(struct http1 *h)
{
    h->base.is_over = true;
    h->base.must_drain |= h->is_ahead;
}

static void
keep(struct http1 *h, str bytes)
{
    if (h->base.is_over)
        h->base.must_drain = true;
    if (h->base.is_over || h->phase == HTTP1_BROKEN)
        return;
    buf_add(&h->ahead, bytes);
    if (h->ahead.failed) {
        h->base.is_over = true;
        return;
    }
    size_t more = h->ahead.cap > AHEAD_FREE + h->claim.held
                      ? h->ahead.cap - AHEAD_FREE - h->claim.held
                      : 0;
    h->base.is_full = h->ahead.len >= AHEAD_MAX ||
                      (more && !hub_reserve(h->base.env->hub, &h->claim, more));
}

/* An empty line before a request is none of it (RFC 9112, 2.2). */
static str
skip_empty_lines(str bytes)
{
    size_t at = 0;

    for (;;) {
        str rest = str_cut(bytes, at, bytes.len);
        if (str_starts(rest, STR("\n")))
            at += 1;
        else if (str_starts(rest, STR("\r\n")))
            at += 2;
        else
            return rest;
    }
}

/* Reads one message, or what there is of it. */
static str
read_message(struct http1 *h, str bytes)
{
    if (h->phase == HTTP1_FRESH || h->phase == HTTP1_IDLE) {
        bytes = skip_empty_lines(bytes);
        if (bytes.len == 0)
            return bytes;
        h->phase = HTTP1_HEAD;
        h->since_ms = h->base.now_ms;
        h->frame = (struct http1_frame){0};
    }
    bytes = http1_parse(h, bytes);
    if (h->phase == HTTP1_ANSWER && h->ex)
        h->is_brief = h->ex->answer && h->ex->req.wire_len <= BRIEF_MAX;
    return bytes;
}

static void
http1_feed(struct session *session, str bytes)
{
    struct http1 *h = http1_of(session);

    while (bytes.len) {
        if (is_parsing(h)) {
            bytes = read_message(h, bytes);
            continue;
        }
        h->is_ahead = true;
        if (!http1_answer_early(h)) {
            keep(h, bytes);
            return;
        }
    }
}

static bool
has_ahead(const struct http1 *h)
{
    return skip_empty_lines(buf_str(&h->ahead)).len > 0;
}

/* The peer sends no more, and all it has sent is parsed. */
static void
leave(struct http1 *h)
{
    h->keep_alive = false;
    if (h->phase == HTTP1_BROKEN && h->fail_status)
        return; /* that is said first */
    if (h->phase != HTTP1_ANSWER || h->is_answered) {
        h->base.is_over = true;
        return;
    }
    /* The answer may still be read: some peers close their half only. */
    exchange_cancel(h->ex);
}

void
http1_parse_ahead(struct http1 *h)
{
    struct buf ahead = h->ahead;

    if (ahead.len == 0 || !is_parsing(h))
        return;
    h->ahead = (struct buf){.ptr = NULL};
    h->base.is_full = false;
    hub_release(h->base.env->hub, &h->claim);
    http1_feed(&h->base, buf_str(&ahead));
    buf_fini(&ahead);
    if (h->is_eof && !has_ahead(h))
        leave(h);
}

/* The body goes straight to its place, anything else in small reads: but not
 * where requests are small and answered at once, since a read costs more than
 * a small body that is copied. */
static void
http1_place(struct session *session, struct session_room *room)
{
    struct http1 *h = http1_of(session);
    size_t all = room->spare_len;
    bool is_brief = h->is_brief;

    if (room->spare_len > HEAD_READ &&
        (h->phase != HTTP1_BODY || h->has_length))
        room->spare_len = HEAD_READ;
    if (h->phase == HTTP1_BODY && !h->is_dispatched && h->has_length) {
        exchange_place(h->ex, SIZE_MAX, room);
        is_brief = is_brief && h->ex->expected <= BRIEF_MAX;
    }
    if (is_brief)
        room->spare_len = all;
}

/* What came ahead came whole, and is answered first; until then whoever answers
 * the request at hand is not told that its peer may have left. */
static void
http1_eof(struct session *session)
{
    struct http1 *h = http1_of(session);

    h->is_eof = true;
    if (!has_ahead(h))
        leave(h);
}

static uint64_t
http1_deadline(const struct session *session)
{
    const struct http1 *h = (const struct http1 *)(const void *)session;
    const struct server_limits *limits = &session->env->limits;

    switch (h->phase) {
    case HTTP1_FRESH:
    case HTTP1_HEAD:
        return h->since_ms + limits->header_ms;
    case HTTP1_IDLE:
        return h->since_ms + limits->idle_ms;
    case HTTP1_BODY:
        return h->ex ? exchange_rate_deadline(h->ex)
                     : h->since_ms + limits->write_ms;
    case HTTP1_ANSWER:
    case HTTP1_BROKEN:
        break;
    }
    return SESSION_NEVER;
}

static void
http1_expire(struct session *session)
{
    struct http1 *h = http1_of(session);

    if (session->now_ms < http1_deadline(session))
        return;
    switch (h->phase) {
    case HTTP1_FRESH:
    case HTTP1_IDLE:
        http1_end(h);
        break;
    case HTTP1_BODY:
        if (h->ex && !exchange_is_slow(h->ex, session->now_ms))
            break;
        session->must_drain = true;
        if (h->is_dispatched)
            session->is_over = true;
        else
            http1_fail(h, 408);
        h->phase = HTTP1_BROKEN;
        break;
    case HTTP1_HEAD:
        session->must_drain = true;
        h->phase = HTTP1_BROKEN;
        http1_fail(h, 408);
        break;
    case HTTP1_ANSWER:
    case HTTP1_BROKEN:
        break;
    }
}

static void
http1_drain(struct session *session)
{
    struct http1 *h = http1_of(session);

    h->is_draining = true;
    if (h->phase == HTTP1_FRESH || h->phase == HTTP1_IDLE)
        http1_end(h);
}

/* Nothing to do: produce looks at the exchange. */
static void
http1_answered(struct session *session, struct exchange *exchange)
{
    (void)session;
    (void)exchange;
}

static void
http1_free(struct session *session)
{
    struct http1 *h = http1_of(session);

    exchange_release(h->ex);
    buf_fini(&h->ahead);
    buf_fini(&h->early);
    hub_release(h->base.env->hub, &h->claim);
    free(h);
}

static size_t
http1_under_way(const struct session *session)
{
    return ((const struct http1 *)(const void *)session)->ex != NULL;
}

static const struct session_ops ops = {
    .name = "HTTP/1.1",
    .place = http1_place,
    .feed = http1_feed,
    .eof = http1_eof,
    .produce = http1_produce,
    .answered = http1_answered,
    .deadline = http1_deadline,
    .expire = http1_expire,
    .drain = http1_drain,
    .under_way = http1_under_way,
    .free = http1_free,
};

struct session *
http1_new(const struct session_env *env, const struct session_peer *peer,
          uint64_t now_ms)
{
    struct http1 *h = calloc(1, sizeof(*h));

    if (!h)
        return NULL;
    h->base.ops = &ops;
    h->base.env = env;
    h->base.peer = *peer;
    h->claim.share = peer->share;
    h->base.now_ms = now_ms;
    h->base.out_high = SESSION_OUT_HIGH;
    h->since_ms = now_ms;
    http_parser_init(&h->parser, HTTP_REQUEST);
    h->parser.data = h;
    return &h->base;
}
