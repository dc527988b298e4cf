/*
 * A socket and between it and the requests a session that knows no socket.
 *
 * Reading goes straight to where the session wants it, and what follows into
 * one room that all connections share, with one call: so libuv, which knows one
 * place at a time, only says when.  Which protocol it is is known by ALPN, or
 * else by the first bytes.  The way out and the timer are in net/conn_out.c.
 */
#include "net/conn.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/log.h"
#include "base/metrics.h"

enum {
    LINGER_SHORT_MS = 500, /* when the server stops */
    READS_MAX = 32,        /* in one turn */
    TURN_BYTES = 1 << 20,  /* and of those, about */
    UNSENT_MAX = 32 << 10, /* that the kernel holds, about */
    TLS_ROOM = 16 << 10,   /* read at once to be decrypted */
};

static const str preface = {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", PREFACE_LEN};

uint64_t
conn_now(const struct conn *conn)
{
    return server_now_ms(conn->listener->server);
}

struct conn *
conn_next(const struct conn *conn)
{
    return conn->next;
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
    if (conn->peer)
        peers_leave(conn->listener->peers, conn->peer);
    metrics_add(METRIC_CONNECTIONS, -1);
    conn_forget_writing(conn);
    tls_stream_free(conn->tls);
    free(conn);
    server_conn_gone(server);
}

void
conn_undirty(struct conn *conn)
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
    conn_undirty(conn);
    /* Now: many may close in one turn of the loop, and be gone at its end. */
    buf_fini(&conn->out);
    buf_fini(&conn->plain);
    if (!conn->is_writing)
        conn_forget_writing(conn);
    uv_close(&conn->io.handle, handle_closed);
    uv_close((uv_handle_t *)&conn->timer, handle_closed);
}

void
conn_mark_dirty(void *owner)
{
    struct conn *conn = owner;
    struct server *server = conn->listener->server;

    if (conn->is_dirty || conn->is_closing)
        return;
    conn->is_dirty = true;
    conn->next_dirty = server->dirty;
    server->dirty = conn;
}

void
conn_drain(struct conn *conn)
{
    if (conn->is_draining || conn->is_closing)
        return;
    conn->is_draining = true;
    if (conn->session) {
        session_drain(conn->session, conn_now(conn));
        conn_mark_dirty(conn);
    } else if (!conn->is_lingering) {
        conn_close(conn);
    } else {
        uint64_t soon = conn_now(conn) + LINGER_SHORT_MS;

        conn->linger_ms = conn->linger_ms < soon ? conn->linger_ms : soon;
        conn_schedule(conn);
    }
}

static void
begin_session(struct conn *conn, bool is_http2)
{
    struct session_peer peer = {
        .is_tls = conn->tls != NULL,
        .is_loopback = conn->is_loopback,
        .tls_name = conn->tls ? tls_stream_peer(conn->tls) : (str){NULL, 0},
        .share = conn->claim.share,
    };

    conn->session =
        is_http2 ? http2_new(&conn->listener->env, &peer, conn_now(conn))
                 : http1_new(&conn->listener->env, &peer, conn_now(conn));
    if (!conn->session) {
        conn_close(conn);
        return;
    }
    conn->session->wake = conn_mark_dirty;
    conn->session->owner = conn;
    if (conn->is_draining)
        session_drain(conn->session, conn_now(conn));
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
    if (!conn->tls && stranger_is_tls((uint8_t)seen.ptr[0]))
        stranger_speaks_tls(&conn->listener->strangers, conn->listener->port);
    begin_session(conn, is_http2);
    if (conn->session)
        session_feed(conn->session, conn_now(conn), seen);
    if (conn->session && len < bytes.len)
        session_feed(conn->session, conn_now(conn),
                     str_cut(bytes, len, bytes.len));
}

static void
feed(struct conn *conn, str bytes)
{
    if (conn->is_lingering || conn->is_closing)
        return;
    if (conn->session)
        session_feed(conn->session, conn_now(conn), bytes);
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

/* What comes behind an end said in TLS is nothing: it stays where it is. */
static void
peer_ended(struct conn *conn)
{
    uv_read_stop(&conn->io.stream);
    conn->is_reading = false;
    conn->is_eof = true;
    if (conn->session && !conn->is_lingering)
        session_eof(conn->session, conn_now(conn));
    else
        conn_close(conn);
}

static void
log_failed_handshake(struct conn *conn)
{
    struct listener *listener = conn->listener;

    if (conn->is_plain)
        stranger_speaks_plain(&listener->strangers, listener->port);
    else
        log_warn("TLS handshake failed", "why", "port %u: %s",
                 (unsigned)listener->port, tls_why());
}

/* Decrypts all that came, as far as the session takes it. */
void
conn_pump_tls(struct conn *conn)
{
    struct server *server = conn->listener->server;

    while (!conn->is_closing && !conn->is_lingering) {
        struct session_room room = {.spare = server->room,
                                    .spare_len = READ_ROOM};
        size_t got = 0;

        if (conn->session && conn->session->is_full)
            return;
        if (conn->session)
            session_place(conn->session, conn_now(conn), &room);
        char *to = room.place ? room.place : room.spare;
        size_t len = room.place ? room.place_len : room.spare_len;
        enum err err = tls_stream_read(conn->tls, to, len, &got);
        if (!err && !conn->session && tls_stream_is_ready(conn->tls))
            begin_by_alpn(conn);
        if (err == ERR_CANCELLED) {
            peer_ended(conn);
            return;
        }
        if (err) {
            if (!tls_stream_is_ready(conn->tls))
                log_failed_handshake(conn);
            tls_stream_take(conn->tls, &conn->out);
            if (conn->out.len && !conn->is_writing)
                conn_send(conn); /* an alert, if it goes at once */
            conn_close(conn);
            return;
        }
        if (!got)
            return;
        feed(conn, (str){to, got});
    }
}

/* Nothing: we read by ourselves, to two places at once. */
static void
on_alloc(uv_handle_t *handle, size_t size, uv_buf_t *out)
{
    (void)handle;
    (void)size;
    *out = uv_buf_init(NULL, 0);
}

/* Bytes of the wire: |got| of them, in |room|. */
static enum err
take_in(struct conn *conn, const struct session_room *room, size_t got)
{
    size_t placed = got < room->place_len ? got : room->place_len;
    str spare = {room->spare, got - placed};

    if (conn->is_lingering)
        return OK; /* thrown away as it comes, and not kept to be decrypted */
    if (conn->tls) {
        enum err err = tls_stream_put(conn->tls, spare);

        if (!conn->has_spoken)
            conn->is_plain = !stranger_is_tls((uint8_t)spare.ptr[0]);
        conn->has_spoken = true;
        if (!err)
            conn_pump_tls(conn);
        return err;
    }
    if (placed)
        feed(conn, (str){room->place, placed});
    if (spare.len)
        feed(conn, spare);
    return OK;
}

/* Reads once, and adds what came to |turn|; false when there is likely no more.
 * Under TLS not much at a time: where OpenSSL keeps what is not decrypted yet
 * grows with what is put there at once, and stays so for the connection. */
static bool
read_once(struct conn *conn, size_t *turn)
{
    struct server *server = conn->listener->server;
    struct session_room room = {.spare = server->room,
                                .spare_len = conn->tls ? TLS_ROOM : READ_ROOM};
    uv_os_fd_t fd;

    if (conn->session && !conn->tls)
        session_place(conn->session, conn_now(conn), &room);
    struct iovec parts[2] = {{room.place, room.place_len},
                             {room.spare, room.spare_len}};
    ssize_t got = uv_fileno(&conn->io.handle, &fd) ? -1 : readv(fd, parts, 2);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return errno == EINTR;
    if (got == 0) {
        peer_ended(conn);
        return false;
    }
    if (got < 0 || take_in(conn, &room, (size_t)got)) {
        conn_close(conn);
        return false;
    }
    *turn += (size_t)got;
    return (size_t)got == room.place_len + room.spare_len;
}

/* A read that was filled has likely another behind it, whose answer can go with
 * this one's; after so many it is the turn of others. */
static void
on_readable(uv_stream_t *stream, ssize_t status, const uv_buf_t *none)
{
    struct conn *conn = stream->data;
    struct server *server = conn->listener->server;
    bool is_filled = true;
    size_t turn = 0;

    (void)none;
    if (status != UV_ENOBUFS && status != 0)
        conn_close(conn);
    for (int i = 0; i < READS_MAX && turn < TURN_BYTES && is_filled; i++) {
        if (conn->is_closing || !conn->is_reading)
            break;
        is_filled = read_once(conn, &turn);
        if (is_filled && !conn->is_closing && !conn_gather(conn))
            conn_flush(conn);
    }
    if (!conn->is_closing)
        conn_flush(conn);
    server_flush(server);
}

void
conn_read_start(struct conn *conn)
{
    if (uv_read_start(&conn->io.stream, on_alloc, on_readable))
        conn_close(conn);
    else
        conn->is_reading = true;
}

static bool
is_loopback(const struct sockaddr_storage *addr)
{
    const struct sockaddr_in *v4 = (const void *)addr;
    const struct sockaddr_in6 *v6 = (const void *)addr;

    if (addr->ss_family == AF_INET)
        return (ntohl(v4->sin_addr.s_addr) >> 24) == 127;
    return IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr) ||
           (IN6_IS_ADDR_V4MAPPED(&v6->sin6_addr) &&
            v6->sin6_addr.s6_addr[12] == 127);
}

/* When |listener|'s next connection is to be closed.  Those that came at once,
 * after a restart, are not to go and come at once for ever: ages are up to a
 * tenth off, and steps of the golden ratio spread however many there are. */
static uint64_t
next_old_ms(struct listener *listener)
{
    uint64_t age = listener->env.limits.max_age_ms;
    uint32_t step = listener->aged++ * UINT32_C(2654435769);

    if (age == 0)
        return SESSION_NEVER;
    return server_now_ms(listener->server) + age - age / 10 +
           ((age / 5 * step) >> 32);
}

static void
conn_init(struct conn *conn, struct listener *listener)
{
    struct server *server = listener->server;

    *conn = (struct conn){.listener = listener, .timer_ms = SESSION_NEVER};
    conn->born_ms = server_now_ms(server);
    conn->old_ms = next_old_ms(listener);
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

/* Notes who is there, and counts |conn| among those of its address; false:
 * there are too many. */
static bool
enter(struct conn *conn)
{
    struct peers *peers = conn->listener->peers;
    struct sockaddr_storage addr;
    int len = sizeof(addr);

    /* Behind an address of this machine, and a path, may be everybody: each
     * connection stands for itself, and is not taken for one that has gone
     * until as many others came. */
    conn->claim.share =
        1 + conn->listener->server->entered++ % (HUB_SHARES - 1);
    conn->is_loopback = conn->listener->is_unix;
    if (conn->is_loopback)
        return true;
    if (uv_tcp_getpeername(&conn->io.tcp, (struct sockaddr *)&addr, &len))
        return false; /* gone already */
    uint64_t key = peers_key(conn->listener->server->peer_seed, &addr);
    conn->is_loopback = is_loopback(&addr);
    if (!conn->is_loopback)
        conn->claim.share = 1 + (uint32_t)(key % (HUB_SHARES - 1));
    if (peers && key && !peers_enter(peers, key))
        return false;
    conn->peer = peers ? key : 0;
    return true;
}

/* What is not yet on its way stays with us, where it is counted: the kernel
 * would take megabytes for each peer that does not read. */
static void
set_up_tcp(struct conn *conn)
{
    int unsent = UNSENT_MAX;
    uv_os_fd_t fd;

    uv_tcp_nodelay(&conn->io.tcp, 1);
    if (!uv_fileno(&conn->io.handle, &fd))
        (void)setsockopt(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &unsent,
                         sizeof(unsent));
}

/* |fd| is closed with |conn|, or now. */
static bool
adopt(struct conn *conn, int fd)
{
    int code = conn->listener->is_unix ? uv_pipe_open(&conn->io.pipe, fd)
                                       : uv_tcp_open(&conn->io.tcp, fd);

    if (code)
        close(fd);
    return code == 0;
}

void
conn_accept(struct listener *listener, int fd)
{
    struct conn *conn = NULL;

    if (listener->conn_len < listener->env.limits.connections)
        conn = malloc(sizeof(*conn));
    if (!conn) {
        close(fd);
        return;
    }
    conn_init(conn, listener);
    if (!adopt(conn, fd) || !enter(conn)) {
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
        set_up_tcp(conn);
    conn_read_start(conn);
    if (!conn->is_closing)
        conn_schedule(conn);
}
