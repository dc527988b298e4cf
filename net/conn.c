/*
 * A socket, its timer, and between them a session that knows neither.
 *
 * Reading goes into one room that all connections share, or straight to where
 * the session wants it.  Writing is tried at once and handed to the loop only
 * when the socket is full; then nothing more is produced until it has been
 * sent, so a peer that does not read holds one buffer and no more.
 *
 * There is one timer, set for the earliest of all deadlines; when one moves
 * away the timer is left alone and looks again when it fires.  So requests
 * that come and go do not touch it.
 */
#include <stdlib.h>

#include "base/metrics.h"
#include "net/loop.h"

enum {
    LINGER_MS = 5000,     /* for a peer to read its answer and go */
    KEEP_CAP = 4 << 10,   /* an idle connection keeps no larger buffer */
    PREFACE_LEN = 24,     /* of HTTP/2 */
    PLAIN_MAX = 64 << 10, /* encrypted in one go */
};

static const str preface = {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", PREFACE_LEN};

struct conn {
    union io io;
    uv_timer_t timer;
    uv_write_t write;
    uv_shutdown_t shutdown;
    struct listener *listener;
    struct conn *prev;
    struct conn *next;
    struct conn *next_dirty;
    struct session *session; /* NULL until the protocol is known */
    struct tls_stream *tls;
    struct buf out;     /* not yet given to the socket */
    struct buf writing; /* given */
    struct buf plain;   /* not yet encrypted */
    char sniffed[PREFACE_LEN];
    size_t sniffed_len;
    uint64_t born_ms;
    uint64_t timer_ms;
    uint64_t progress_ms; /* the peer last took something */
    size_t write_left;
    uint64_t linger_ms;
    int handles;
    bool is_loopback;
    bool is_dirty;
    bool is_reading;
    bool is_writing;
    bool is_closing;
    bool is_draining;
    bool is_lingering;
    bool is_eof;
    bool is_ended; /* TLS: goodbye said */
};

static uint64_t
now_of(const struct conn *conn)
{
    return server_now_ms(conn->listener->server);
}

struct conn *
conn_next(const struct conn *conn)
{
    return conn->next;
}

/* Frees |conn|, or keeps its memory for the listener in need of it. */
static void
release(struct conn *conn)
{
    struct listener *listener = conn->listener;

    if (listener->spare) {
        free(conn);
        return;
    }
    listener->spare = conn;
    if (listener->is_stuck && listener->is_open) {
        listener->is_stuck = false;
        conn_accept(listener);
    }
}

enum err
conn_spare(struct listener *listener)
{
    listener->spare = malloc(sizeof(*listener->spare));
    return listener->spare ? OK : ERR_NOMEM;
}

static void
handle_closed(uv_handle_t *handle)
{
    struct conn *conn = handle->data;
    struct server *server = conn->listener->server;

    if (--conn->handles)
        return;
    if (conn->prev)
        conn->prev->next = conn->next;
    else
        server->conns = conn->next;
    if (conn->next)
        conn->next->prev = conn->prev;
    conn->listener->conn_len--;
    metrics_add(METRIC_CONNECTIONS, -1);
    buf_fini(&conn->out);
    buf_fini(&conn->writing);
    buf_fini(&conn->plain);
    tls_stream_free(conn->tls);
    release(conn);
    server_conn_gone(server);
}

static void
unlink_dirty(struct conn *conn)
{
    struct conn **at = &conn->listener->server->dirty;

    if (!conn->is_dirty)
        return;
    while (*at != conn)
        at = &(*at)->next_dirty;
    *at = conn->next_dirty;
    conn->is_dirty = false;
}

void
conn_close(struct conn *conn)
{
    if (conn->is_closing)
        return;
    conn->is_closing = true;

    struct session *session = conn->session;
    conn->session = NULL;
    session_free(session);
    unlink_dirty(conn);
    uv_close(&conn->io.handle, handle_closed);
    uv_close((uv_handle_t *)&conn->timer, handle_closed);
}

static void
mark_dirty(void *owner)
{
    struct conn *conn = owner;
    struct server *server = conn->listener->server;

    if (conn->is_dirty || conn->is_closing)
        return;
    conn->is_dirty = true;
    conn->next_dirty = server->dirty;
    server->dirty = conn;
}

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
    if (limits->max_age_ms && !conn->is_draining)
        at = earlier(at, conn->born_ms + limits->max_age_ms);
    return at;
}

static void on_timer(uv_timer_t *timer);

static void
schedule(struct conn *conn)
{
    uint64_t at = deadline(conn);
    uint64_t now = now_of(conn);

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
    uint64_t now = now_of(conn);

    conn->timer_ms = SESSION_NEVER;
    if (now >= deadline(conn)) {
        if (conn->is_lingering || (!conn->session && !conn->is_writing))
            conn_close(conn);
        if (conn->is_writing && !conn->is_closing)
            check_writing(conn, now);
        if (conn->session && now >= session_deadline(conn->session))
            session_expire(conn->session, now);
        uint32_t age = conn->listener->env.limits.max_age_ms;
        if (age && now >= conn->born_ms + age && !conn->is_closing)
            conn_drain(conn);
    }
    if (!conn->is_closing)
        conn_flush(conn);
    server_flush(server);
}

/* Turns what the session says next into bytes for the wire. */
static bool
produce(struct conn *conn)
{
    uint64_t now = now_of(conn);

    if (!conn->tls) {
        if (conn->session)
            session_produce(conn->session, now, &conn->out);
        return !conn->out.failed;
    }
    if (conn->session)
        session_produce(conn->session, now, &conn->plain);
    for (size_t at = 0; at < conn->plain.len; at += PLAIN_MAX)
        if (tls_stream_write(
                conn->tls, str_cut(buf_str(&conn->plain), at, at + PLAIN_MAX)))
            return false;
    buf_reset(&conn->plain);
    if (conn->plain.cap > KEEP_CAP)
        buf_fini(&conn->plain);
    if (conn->session && conn->session->is_over && !conn->is_ended) {
        conn->is_ended = true;
        tls_stream_end(conn->tls);
    }
    tls_stream_take(conn->tls, &conn->out);
    return !conn->out.failed;
}

static void
on_written(uv_write_t *write, int status)
{
    struct conn *conn = write->data;
    struct server *server = conn->listener->server;

    conn->is_writing = false;
    buf_fini(&conn->writing);
    if (conn->is_closing)
        return;
    if (status < 0)
        conn_close(conn);
    else
        conn_flush(conn);
    server_flush(server);
}

/* Sends |out|; false when the socket takes no more for now, or is broken. */
static bool
send_out(struct conn *conn)
{
    uv_buf_t bytes = uv_buf_init(conn->out.ptr, (unsigned)conn->out.len);
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
    bytes = uv_buf_init(conn->writing.ptr + sent,
                        (unsigned)(conn->writing.len - (size_t)sent));
    if (uv_write(&conn->write, &conn->io.stream, &bytes, 1, on_written)) {
        conn_close(conn);
        return false;
    }
    conn->is_writing = true;
    conn->progress_ms = now_of(conn);
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
    conn->linger_ms = now_of(conn) + LINGER_MS;
    schedule(conn);
}

static void read_start(struct conn *conn);
static void pump_tls(struct conn *conn);

static void
steer_reading(struct conn *conn)
{
    bool is_full = conn->session && conn->session->is_full;

    if (is_full && conn->is_reading) {
        uv_read_stop(&conn->io.stream);
        conn->is_reading = false;
    } else if (!is_full && !conn->is_reading && !conn->is_eof) {
        read_start(conn);
        if (conn->tls && !conn->is_closing)
            pump_tls(conn);
    }
}

void
conn_flush(struct conn *conn)
{
    unlink_dirty(conn);
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
        if (!send_out(conn))
            break;
    }
    if (conn->is_closing)
        return;
    steer_reading(conn);
    schedule(conn);
}

void
conn_drain(struct conn *conn)
{
    if (conn->is_draining || conn->is_closing)
        return;
    conn->is_draining = true;
    if (conn->session) {
        session_drain(conn->session, now_of(conn));
        mark_dirty(conn);
    } else if (!conn->is_lingering) {
        conn_close(conn);
    }
}

static void
begin_session(struct conn *conn, bool is_http2)
{
    struct session_peer peer = {
        .is_tls = conn->tls != NULL,
        .is_loopback = conn->is_loopback,
        .tls_name = conn->tls ? tls_stream_peer(conn->tls) : (str){NULL, 0},
    };

    conn->session = is_http2
                        ? http2_new(&conn->listener->env, &peer, now_of(conn))
                        : http1_new(&conn->listener->env, &peer, now_of(conn));
    if (!conn->session) {
        conn_close(conn);
        return;
    }
    conn->session->wake = mark_dirty;
    conn->session->owner = conn;
    if (conn->is_draining)
        session_drain(conn->session, now_of(conn));
}

/* Decides by the first bytes, which are then fed like all others. */
static void
sniff(struct conn *conn, str bytes)
{
    size_t len = PREFACE_LEN - conn->sniffed_len;

    if (len > bytes.len)
        len = bytes.len;
    memcpy(conn->sniffed + conn->sniffed_len, bytes.ptr, len);
    conn->sniffed_len += len;

    str seen = {conn->sniffed, conn->sniffed_len};
    bool is_http2 = str_starts(preface, seen);
    if (is_http2 && seen.len < PREFACE_LEN)
        return;
    begin_session(conn, is_http2);
    if (conn->session)
        session_feed(conn->session, now_of(conn), seen);
    if (conn->session && len < bytes.len)
        session_feed(conn->session, now_of(conn),
                     str_cut(bytes, len, bytes.len));
}

static void
feed(struct conn *conn, str bytes)
{
    if (conn->is_lingering || conn->is_closing)
        return;
    if (conn->session)
        session_feed(conn->session, now_of(conn), bytes);
    else
        sniff(conn, bytes);
}

static void
begin_by_alpn(struct conn *conn)
{
    str protocol = tls_stream_protocol(conn->tls);

    if (str_eq(protocol, STR("h2")))
        begin_session(conn, true);
    else if (str_eq(protocol, STR("http/1.1")))
        begin_session(conn, false);
}

static void
peer_ended(struct conn *conn)
{
    conn->is_eof = true;
    if (conn->session && !conn->is_lingering)
        session_eof(conn->session, now_of(conn));
    else
        conn_close(conn);
}

/* Decrypts all that came, as far as the session takes it. */
static void
pump_tls(struct conn *conn)
{
    struct server *server = conn->listener->server;

    while (!conn->is_closing && !conn->is_lingering) {
        struct session_room room = {server->room, READ_ROOM};
        size_t got = 0;

        if (conn->session && conn->session->is_full)
            return;
        if (conn->session)
            session_place(conn->session, now_of(conn), &room);
        enum err err = tls_stream_read(conn->tls, room.ptr, room.len, &got);
        if (!err && !conn->session && tls_stream_is_ready(conn->tls))
            begin_by_alpn(conn);
        if (err == ERR_CANCELLED) {
            peer_ended(conn);
            return;
        }
        if (err) {
            tls_stream_take(conn->tls, &conn->out);
            if (conn->out.len && !conn->is_writing)
                send_out(conn); /* an alert, if it goes at once */
            conn_close(conn);
            return;
        }
        if (!got)
            return;
        feed(conn, (str){room.ptr, got});
    }
}

static void
on_alloc(uv_handle_t *handle, size_t size, uv_buf_t *out)
{
    struct conn *conn = handle->data;
    struct session_room room = {conn->listener->server->room, READ_ROOM};

    (void)size;
    if (conn->session && !conn->tls)
        session_place(conn->session, now_of(conn), &room);
    *out = uv_buf_init(room.ptr, (unsigned)room.len);
}

static void
on_read(uv_stream_t *stream, ssize_t got, const uv_buf_t *buf)
{
    struct conn *conn = stream->data;
    struct server *server = conn->listener->server;

    if (got == 0 || conn->is_closing)
        return;
    if (got == UV_EOF) {
        uv_read_stop(stream);
        conn->is_reading = false;
        peer_ended(conn);
    } else if (got < 0) {
        conn_close(conn);
    } else if (!conn->tls) {
        feed(conn, (str){buf->base, (size_t)got});
    } else if (tls_stream_put(conn->tls, (str){buf->base, (size_t)got})) {
        conn_close(conn);
    } else {
        pump_tls(conn);
    }
    if (!conn->is_closing)
        conn_flush(conn);
    server_flush(server);
}

static void
read_start(struct conn *conn)
{
    if (uv_read_start(&conn->io.stream, on_alloc, on_read))
        conn_close(conn);
    else
        conn->is_reading = true;
}

static bool
is_loopback(const union io *io, bool is_unix)
{
    struct sockaddr_storage addr;
    int len = sizeof(addr);

    if (is_unix)
        return true;
    if (uv_tcp_getpeername(&io->tcp, (struct sockaddr *)&addr, &len))
        return false;
    if (addr.ss_family == AF_INET) {
        const struct sockaddr_in *v4 = (const void *)&addr;
        return (ntohl(v4->sin_addr.s_addr) >> 24) == 127;
    }
    const struct sockaddr_in6 *v6 = (const void *)&addr;
    return IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr) ||
           (IN6_IS_ADDR_V4MAPPED(&v6->sin6_addr) &&
            v6->sin6_addr.s6_addr[12] == 127);
}

static void
conn_init(struct conn *conn, struct listener *listener)
{
    struct server *server = listener->server;

    *conn = (struct conn){.listener = listener, .timer_ms = SESSION_NEVER};
    conn->born_ms = server_now_ms(server);
    conn->handles = 2;
    if (listener->is_unix)
        uv_pipe_init(&server->loop, &conn->io.pipe, 0);
    else
        uv_tcp_init(&server->loop, &conn->io.tcp);
    uv_timer_init(&server->loop, &conn->timer);
    conn->io.handle.data = conn;
    conn->timer.data = conn;
    conn->write.data = conn;
    conn->next = server->conns;
    if (server->conns)
        server->conns->prev = conn;
    server->conns = conn;
    listener->conn_len++;
    metrics_add(METRIC_CONNECTIONS, 1);
}

void
conn_accept(struct listener *listener)
{
    struct conn *conn = malloc(sizeof(*conn));
    bool is_refused = !conn;

    if (!conn) {
        /* The loop takes no other connection before this one is accepted. */
        conn = listener->spare;
        listener->spare = NULL;
        listener->is_stuck = !conn;
        if (!conn)
            return;
    }
    conn_init(conn, listener);
    if (uv_accept(&listener->io.stream, &conn->io.stream) || is_refused ||
        listener->conn_len > listener->env.limits.connections) {
        conn_close(conn);
        return;
    }
    if (listener->tls) {
        conn->tls = tls_stream_new(listener->tls);
        if (!conn->tls) {
            conn_close(conn);
            return;
        }
    }
    if (!listener->is_unix)
        uv_tcp_nodelay(&conn->io.tcp, 1);
    conn->is_loopback = is_loopback(&conn->io, listener->is_unix);
    read_start(conn);
    if (!conn->is_closing)
        schedule(conn);
}
