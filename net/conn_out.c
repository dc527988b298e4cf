/*
 * Writing is tried at once and handed to the loop only when the socket is
 * full; then nothing more is produced until it has been sent, so a peer that
 * does not read holds one buffer and no more.  That is paid for from the
 * hub's budget; where that has no place for a large one, the answer stays where
 * it is paid for already and goes out by small ones, for which there need be
 * none.
 *
 * There is one timer, set for the earliest of all deadlines; when one moves
 * away the timer is left alone and looks again when it fires.  So requests
 * that come and go do not touch it.
 */
#include "net/conn.h"

#include "base/clock.h"

enum {
    LINGER_MS = 5000,    /* for a peer to read its answer and go */
    KEEP_CAP = 4 << 10,  /* an idle connection keeps no larger buffer */
    OUT_FREE = 16 << 10, /* on its way, also where there is no room */
    OUT_LARGE = 2 * SESSION_OUT_HIGH, /* the memory that a round may take */
    PLAIN_MAX = 16 << 10,             /* encrypted in one go: a record */
    GATHER_BYTES = 4 << 10,           /* of answers that wait for others */
};

/* So long an answer waits for those to what has come behind its request. */
#define GATHER_NS (1 * NS_PER_MS)

static uint64_t
earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t
deadline(const struct conn *conn)
{
    const struct server_limits *limits = &conn->listener->env.limits;
    uint64_t at = SESSION_NEVER;

    if (conn->is_lingering)
        return conn->linger_ms;
    if (conn->is_writing)
        at = conn->progress_ms + limits->write_ms;
    else if (!conn->session)
        at = conn->born_ms + limits->header_ms;
    if (conn->session)
        at = earlier(at, session_deadline(conn->session));
    if (!conn->is_draining)
        at = earlier(at, conn->old_ms);
    return at;
}

static void on_timer(uv_timer_t *timer);

void
conn_schedule(struct conn *conn)
{
    uint64_t at = deadline(conn);
    uint64_t now = conn_now(conn);

    if (conn->is_closing || at == SESSION_NEVER || conn->timer_ms <= at)
        return;
    conn->timer_ms = at;
    uv_timer_start(&conn->timer, on_timer, at > now ? at - now : 0, 0);
}

static void
check_writing(struct conn *conn, uint64_t now)
{
    size_t left = uv_stream_get_write_queue_size(&conn->io.stream);

    if (left < conn->write_left) {
        conn->write_left = left;
        conn->progress_ms = now;
    } else if (now >= conn->progress_ms + conn->listener->env.limits.write_ms) {
        conn_close(conn);
    }
}

static void
on_timer(uv_timer_t *timer)
{
    struct conn *conn = timer->data;
    struct server *server = conn->listener->server;
    uint64_t now = conn_now(conn);

    conn->timer_ms = SESSION_NEVER;
    if (now >= deadline(conn)) {
        if (conn->is_lingering || (!conn->session && !conn->is_writing))
            conn_close(conn);
        if (conn->is_writing && !conn->is_closing)
            check_writing(conn, now);
        if (conn->session && now >= session_deadline(conn->session))
            session_expire(conn->session, now);
        if (now >= conn->old_ms && !conn->is_closing)
            conn_drain(conn);
    }
    if (!conn->is_closing)
        conn_flush(conn);
    server_flush(server);
}

/* Turns |plain| into bytes for the wire, by records: where OpenSSL puts them
 * grows with what is put there at once, and stays so for the connection. */
static bool
encrypt(struct conn *conn)
{
    for (size_t at = 0; at < conn->plain.len; at += PLAIN_MAX) {
        if (tls_stream_write(
                conn->tls, str_cut(buf_str(&conn->plain), at, at + PLAIN_MAX)))
            return false;
        tls_stream_take(conn->tls, &conn->out);
    }
    buf_reset(&conn->plain);
    if (conn->plain.cap > KEEP_CAP)
        buf_fini(&conn->plain);
    return true;
}

/* Turns what the session says next into bytes for the wire. */
static bool
produce(struct conn *conn)
{
    uint64_t now = conn_now(conn);

    if (conn->session)
        conn->session->out_high = hub_left(conn->listener->env.hub) < OUT_LARGE
                                      ? SESSION_OUT_LOW
                                      : SESSION_OUT_HIGH;
    if (!conn->tls) {
        if (conn->session)
            session_produce(conn->session, now, &conn->out);
        return !conn->out.failed;
    }
    if (conn->session)
        session_produce(conn->session, now, &conn->plain);
    if (!encrypt(conn))
        return false;
    if (conn->session && conn->session->is_over && !conn->is_ended) {
        conn->is_ended = true;
        tls_stream_end(conn->tls);
    }
    tls_stream_take(conn->tls, &conn->out);
    return !conn->out.failed;
}

void
conn_forget_writing(struct conn *conn)
{
    buf_fini(&conn->writing);
    hub_release(conn->listener->env.hub, &conn->claim);
}

static void
on_written(uv_write_t *write, int status)
{
    struct conn *conn = write->data;
    struct server *server = conn->listener->server;

    conn->is_writing = false;
    conn_forget_writing(conn);
    if (conn->is_closing)
        return;
    if (status < 0)
        conn_close(conn);
    else
        conn_flush(conn);
    server_flush(server);
}

/* Sends |out|; false when the socket takes no more for now, or is broken. */
bool
conn_send(struct conn *conn)
{
    uv_buf_t bytes = uv_buf_init(conn->out.ptr, (unsigned)conn->out.len);
    conn->gather_ns = 0;
    int sent = uv_try_write(&conn->io.stream, &bytes, 1);

    if (sent < 0 && sent != UV_EAGAIN) {
        conn_close(conn);
        return false;
    }
    if (sent > 0 && (size_t)sent == conn->out.len) {
        buf_reset(&conn->out);
        if (conn->out.cap > KEEP_CAP)
            buf_fini(&conn->out);
        return true;
    }
    if (sent < 0)
        sent = 0;
    conn->writing = conn->out;
    conn->out = (struct buf){.ptr = NULL};
    /* It lies here until the peer takes it, as an answer did before. */
    if (conn->writing.cap > KEEP_CAP &&
        !hub_follow(conn->listener->env.hub, &conn->claim, conn->writing.cap) &&
        conn->writing.cap > OUT_FREE) {
        conn_close(conn);
        return false;
    }
    bytes = uv_buf_init(conn->writing.ptr + sent,
                        (unsigned)(conn->writing.len - (size_t)sent));
    if (uv_write(&conn->write, &conn->io.stream, &bytes, 1, on_written)) {
        conn_close(conn);
        return false;
    }
    conn->is_writing = true;
    conn->progress_ms = conn_now(conn);
    conn->write_left = uv_stream_get_write_queue_size(&conn->io.stream);
    return false;
}

static void
on_shutdown(uv_shutdown_t *shutdown, int status)
{
    (void)shutdown;
    (void)status;
}

/* All is sent and nothing more will be. */
static void
finish(struct conn *conn)
{
    bool is_gentle = conn->session && conn->session->must_drain &&
                     !conn->is_eof && !conn->is_lingering;

    if (!is_gentle ||
        uv_shutdown(&conn->shutdown, &conn->io.stream, on_shutdown)) {
        conn_close(conn);
        return;
    }
    struct session *session = conn->session;
    conn->session = NULL;
    session_free(session);
    conn->is_lingering = true;
    conn->linger_ms = conn_now(conn) + LINGER_MS;
    conn_schedule(conn);
}

/* TLS itself answers some of what comes, such as new keys that are asked for:
 * who does not read that is not read either. */
static void
steer_reading(struct conn *conn)
{
    bool is_full = (conn->session && conn->session->is_full) ||
                   (conn->tls && tls_stream_due(conn->tls) > OUT_FREE);

    if (is_full && conn->is_reading) {
        uv_read_stop(&conn->io.stream);
        conn->is_reading = false;
    } else if (!is_full && !conn->is_reading && !conn->is_eof) {
        conn_read_start(conn);
        if (conn->tls && !conn->is_closing) {
            conn_pump_tls(conn);
            conn_mark_dirty(conn);
        }
    }
}

bool
conn_gather(struct conn *conn)
{
    if (conn->is_writing || conn->is_lingering || !conn->session ||
        !produce(conn) || conn->session->is_over ||
        conn->out.len >= GATHER_BYTES)
        return false;
    if (conn->out.len > 0) {
        uint64_t now_ns = clock_mono_ns();

        if (conn->gather_ns == 0)
            conn->gather_ns = now_ns;
        if (now_ns - conn->gather_ns >= GATHER_NS)
            return false;
    }
    steer_reading(conn);
    conn_schedule(conn);
    return !conn->is_closing;
}

void
conn_flush(struct conn *conn)
{
    conn_undirty(conn);
    while (!conn->is_closing && !conn->is_writing && !conn->is_lingering) {
        if (!produce(conn)) {
            conn_close(conn);
            return;
        }
        if (conn->out.len == 0) {
            if (conn->session && conn->session->is_over)
                finish(conn);
            break;
        }
        if (!conn_send(conn))
            break;
    }
    if (conn->is_closing)
        return;
    steer_reading(conn);
    conn_schedule(conn);
}
