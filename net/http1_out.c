/*
 * The way out of HTTP/1.1: heads, bodies and chunks.  http1_produce is asked
 * whenever there is room, and does what can be done now; what remains shows in
 * the session's state, so nothing is queued twice.
 */
#include "net/http1.h"

#include "base/clock.h"
#include "net/answer.h"
#include "net/http_date.h"

enum {
    PULL_MAX = 64 << 10,
    EARLY_MAX = 4 << 10, /* an answer that goes early, and those before it */
};

static str
reason_of(int status)
{
    return str_of(http_status_str((enum http_status)status));
}

static void
add_status(struct buf *out, int status)
{
    buf_add(out, STR("HTTP/1.1 "));
    buf_add_u64(out, (uint64_t)status);
    buf_add_char(out, ' ');
    buf_add(out, reason_of(status));
    buf_add(out, STR("\r\ndate: "));
    http_date_add(out, clock_wall_ns());
    buf_add(out, STR("\r\n"));
}

static void
add_field(struct buf *out, str name, str value)
{
    buf_add(out, name);
    buf_add(out, STR(": "));
    buf_add(out, value);
    buf_add(out, STR("\r\n"));
}

static bool
has_no_body(const struct http1 *h, int status)
{
    return status == 204 || status == 304 || status < 200 ||
           h->parser.method == HTTP_HEAD;
}

static void
add_head(struct http1 *h, struct buf *out)
{
    const struct session_env *env = h->base.env;
    const struct reply *answer = h->ex->answer;
    bool is_stream = h->ex->is_stream;
    bool is_bare = answer->status == 204 || answer->status < 200;

    h->is_chunking = is_stream && h->is_1_1;
    if (h->is_draining || (is_stream && !h->is_1_1))
        h->keep_alive = false;
    add_status(out, answer->status);
    if (answer->content_type.len)
        add_field(out, STR("content-type"), answer->content_type);
    for (size_t i = 0; i < answer->header_len; i++)
        add_field(out, answer->headers[i].name, answer->headers[i].value);
    str exposed = cors_exposed(env->cors, answer);
    if (exposed.len)
        add_field(out, STR("access-control-expose-headers"), exposed);
    for (size_t i = 0; i < env->header_len; i++)
        if (!reply_has(answer, env->headers[i].name))
            add_field(out, env->headers[i].name, env->headers[i].value);
    if (h->is_chunking && !is_bare) {
        buf_add(out, STR("transfer-encoding: chunked\r\n"));
    } else if (!is_stream && !is_bare && answer->status != 304) {
        buf_add(out, STR("content-length: "));
        buf_add_u64(out, answer->body.len);
        buf_add(out, STR("\r\n"));
    }
    if (!h->keep_alive)
        buf_add(out, STR("connection: close\r\n"));
    else if (!h->is_1_1)
        buf_add(out, STR("connection: keep-alive\r\n"));
    buf_add(out, STR("\r\n"));
}

/* Moves what is there of the body; false when |out| has had enough. */
static bool
add_body(struct http1 *h, struct buf *out)
{
    struct exchange *ex = h->ex;
    bool is_dropped = has_no_body(h, ex->answer->status);

    size_t most = h->base.out_high < PULL_MAX ? h->base.out_high : PULL_MAX;

    while (ex->pending && out->len < h->base.out_high) {
        size_t len = ex->pending < most ? ex->pending : most;
        bool is_chunk = h->is_chunking && !is_dropped;

        if (is_chunk)
            buf_printf(out, "%zx\r\n", len);
        char *to = buf_grow(out, len);
        if (!to)
            return false;
        len = exchange_pull(ex, to, len);
        if (!is_dropped)
            out->len += len;
        if (is_chunk)
            buf_add(out, STR("\r\n"));
    }
    return ex->pending == 0;
}

/* A few words for bytes that are no request. */
static void
add_failure(struct http1 *h, struct buf *out)
{
    const struct session_env *env = h->base.env;
    int status = h->fail_status;
    str reason = reason_of(status);

    add_status(out, status);
    for (size_t i = 0; i < env->header_len; i++)
        add_field(out, env->headers[i].name, env->headers[i].value);
    buf_add(out, STR("content-type: text/plain\r\nconnection: close\r\n"
                     "content-length: "));
    buf_add_u64(out, reason.len + 1);
    buf_add(out, STR("\r\n\r\n"));
    buf_add(out, reason);
    buf_add_char(out, '\n');
    h->base.is_over = true;
    h->base.must_drain = true;
}

void
http1_next(struct http1 *h)
{
    h->phase = HTTP1_IDLE;
    h->since_ms = h->base.now_ms;
    h->is_dispatched = h->is_received = h->is_answered = false;
    if (h->is_draining)
        http1_end(h);
}

/* The whole answer is out. */
static void
end_answer(struct http1 *h, struct buf *out)
{
    bool is_broken = atomic_load(&h->ex->is_broken);

    if (h->is_chunking && !is_broken && !has_no_body(h, h->ex->answer->status))
        buf_add(out, STR("0\r\n\r\n"));
    exchange_release(h->ex);
    h->ex = NULL;
    h->is_answered = true;
    h->is_head_sent = false;
    if (h->keep_alive && !is_broken) {
        if (h->is_received)
            http1_next(h);
        else
            h->since_ms = h->base.now_ms;
        return;
    }
    h->base.is_over = true;
    h->base.must_drain = !is_broken && (!h->is_received || h->is_ahead);
}

/* One step of the way out; false when there is nothing to do now. */
static bool
step(struct http1 *h, struct buf *out)
{
    if (h->want_continue) {
        h->want_continue = false;
        buf_add(out, STR("HTTP/1.1 100 Continue\r\n\r\n"));
    }
    /* An answer that is owed goes first, a failure behind it. */
    if (h->fail_status && !(h->ex && h->is_dispatched)) {
        add_failure(h, out);
        return false;
    }
    if (!h->ex || !h->ex->answer)
        return false;
    if (!h->is_head_sent) {
        add_head(h, out);
        h->is_head_sent = true;
    }
    if (!add_body(h, out) || !h->ex->is_whole)
        return false;
    end_answer(h, out);
    http1_parse_ahead(h);
    return true;
}

bool
http1_answer_early(struct http1 *h)
{
    const struct exchange *ex = h->ex;

    if (h->phase != HTTP1_ANSWER || h->ahead.len || h->fail_status || !ex ||
        !ex->answer || !ex->is_whole || ex->pending > EARLY_MAX ||
        h->early.len > EARLY_MAX)
        return false;
    bool is_done = step(h, &h->early);
    h->base.is_over |= h->early.failed;
    return is_done;
}

/* Moves the answers that went early: they are before any other. */
static void
put_early(struct http1 *h, struct buf *out)
{
    if (!h->early.cap)
        return;
    buf_add(out, buf_str(&h->early));
    buf_fini(&h->early);
}

void
http1_produce(struct session *session, struct buf *out)
{
    struct http1 *h = (struct http1 *)(void *)session;

    /* A step may go on with what came ahead, and so answer early again. */
    do
        put_early(h, out);
    while (!session->is_over && out->len < session->out_high && step(h, out));
    if (out->failed)
        session->is_over = true;
}
