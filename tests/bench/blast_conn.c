#include "tests/bench/blast_conn.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
    FRAME_LEAST = 16384, /* that any server takes */
    READ_CAP = 1 << 16,
};

struct blast_conn {
    struct blast_how *how;
    int fd;
    uint8_t in[READ_CAP];
    size_t in_len;
    size_t outstanding;
    uint32_t stream;
    int64_t conn_window;
    int64_t stream_window;
    int64_t initial_window;
    size_t frame_max;
};

void
blast_die(const char *what)
{
    perror(what);
    exit(1);
}

/* ---- sockets ---- */

static void
send_all(int fd, struct iovec *iov, int len)
{
    while (len > 0) {
        ssize_t sent = writev(fd, iov, len < 64 ? len : 64);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0)
            blast_die("send");
        for (; len > 0 && (size_t)sent >= iov->iov_len; iov++, len--)
            sent -= (ssize_t)iov->iov_len;
        if (len > 0) {
            iov->iov_base = (char *)iov->iov_base + sent;
            iov->iov_len -= (size_t)sent;
        }
    }
}

static void
receive(struct blast_conn *conn)
{
    ssize_t got =
        recv(conn->fd, conn->in + conn->in_len, READ_CAP - conn->in_len, 0);

    if (got <= 0)
        blast_die("the server closed the connection");
    conn->in_len += (size_t)got;
}

static void
consume(struct blast_conn *conn, size_t len)
{
    conn->in_len -= len;
    memmove(conn->in, conn->in + len, conn->in_len);
}

/* ---- HTTP/1.1 ---- */

static void
h1_send(struct blast_conn *conn, str body)
{
    char head[512];
    int len = snprintf(head, sizeof(head),
                       "POST /v1/traces HTTP/1.1\r\nHost: localhost\r\n"
                       "Content-Type: application/%s\r\n%s"
                       "Content-Length: %zu\r\n\r\n",
                       conn->how->is_json ? "json" : "x-protobuf",
                       conn->how->is_gzip ? "Content-Encoding: gzip\r\n" : "",
                       body.len);
    struct iovec iov[2] = {{head, (size_t)len},
                           {(void *)(uintptr_t)body.ptr, body.len}};

    send_all(conn->fd, iov, 2);
}

/* Takes the answers that have come; waits for one if there is none. */
static void
h1_receive(struct blast_conn *conn)
{
    for (bool any = false; !any;) {
        uint8_t *end;
        receive(conn);
        while ((end = memmem(conn->in, conn->in_len, "\r\n\r\n", 4))) {
            size_t head = (size_t)(end - conn->in) + 4;
            char *length = memmem(conn->in, head, "ontent-", 7);
            size_t body = 0;
            for (; length; length = memmem(length + 1,
                                           head - (size_t)((uint8_t *)length +
                                                           1 - conn->in),
                                           "ength: ", 7)) {
                if (memcmp(length, "ength: ", 7) == 0) {
                    body = strtoul(length + 7, NULL, 10);
                    break;
                }
            }
            if (conn->in_len < head + body)
                break;
            if (memcmp(conn->in + 9, "200", 3) != 0)
                atomic_fetch_add(&conn->how->failed, 1);
            consume(conn, head + body);
            conn->outstanding--;
            any = true;
        }
    }
}

/* ---- HTTP/2 ---- */

static void
put32(uint8_t *to, uint32_t value)
{
    value = htonl(value);
    memcpy(to, &value, sizeof(value));
}

static void
frame_head(uint8_t *to, size_t len, uint8_t type, uint8_t flags, uint32_t id)
{
    to[0] = (uint8_t)(len >> 16);
    to[1] = (uint8_t)(len >> 8);
    to[2] = (uint8_t)len;
    to[3] = type;
    to[4] = flags;
    put32(to + 5, id);
}

static size_t
put_header(uint8_t *to, const char *name, const char *value)
{
    size_t n = strlen(name);
    size_t v = strlen(value);

    to[0] = 0;
    to[1] = (uint8_t)n;
    memcpy(to + 2, name, n);
    to[2 + n] = (uint8_t)v;
    memcpy(to + 3 + n, value, v);
    return 3 + n + v;
}

static void
h2_reply(struct blast_conn *conn, const uint8_t *frame, size_t len)
{
    uint8_t out[64];
    struct iovec iov = {out, 9 + len};

    memcpy(out, frame, 9 + len);
    out[4] = 1; /* ACK */
    send_all(conn->fd, &iov, 1);
}

static void
h2_settings(struct blast_conn *conn, const uint8_t *frame, size_t len)
{
    uint32_t value;

    for (size_t i = 0; i + 6 <= len; i += 6) {
        memcpy(&value, frame + 9 + i + 2, 4);
        value = ntohl(value);
        if (frame[9 + i + 1] == 4) {
            conn->stream_window += (int64_t)value - conn->initial_window;
            conn->initial_window = value;
        } else if (frame[9 + i + 1] == 5) {
            conn->frame_max =
                value < conn->how->frame_max ? value : conn->how->frame_max;
        }
    }
    uint8_t ack[9];
    frame_head(ack, 0, 4, 1, 0);
    struct iovec iov = {ack, 9};
    send_all(conn->fd, &iov, 1);
}

static void
h2_frame(struct blast_conn *conn, const uint8_t *frame, size_t len)
{
    uint32_t id;
    uint32_t value = 0;
    uint8_t type = frame[3];

    memcpy(&id, frame + 5, 4);
    id = ntohl(id);
    if (len >= 4)
        memcpy(&value, frame + 9, 4);
    if (type == 4 && !(frame[4] & 1))
        h2_settings(conn, frame, len);
    else if (type == 6 && !(frame[4] & 1))
        h2_reply(conn, frame, len);
    else if (type == 8 && id == 0)
        conn->conn_window += ntohl(value);
    else if (type == 8 && id == conn->stream)
        conn->stream_window += ntohl(value);
    else if (type == 7 || type == 3) {
        fprintf(stderr, "blast: the server ends the %s\n",
                type == 7 ? "connection" : "stream");
        exit(1);
    } else if ((type == 0 || type == 1) && (frame[4] & 1)) {
        conn->outstanding--;
    }
}

static void
h2_receive(struct blast_conn *conn)
{
    size_t at = 0;

    receive(conn);
    while (conn->in_len - at >= 9) {
        const uint8_t *frame = conn->in + at;
        size_t len = (size_t)frame[0] << 16 | (size_t)frame[1] << 8 | frame[2];
        if (conn->in_len - at < 9 + len)
            break;
        h2_frame(conn, frame, len);
        at += 9 + len;
    }
    consume(conn, at);
}

static void
h2_open(struct blast_conn *conn)
{
    static const char preface[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    uint8_t out[24 + 9 + 13];
    struct iovec iov = {out, sizeof(out)};

    memcpy(out, preface, 24);
    frame_head(out + 24, 0, 4, 0, 0);
    frame_head(out + 33, 4, 8, 0, 0);
    put32(out + 42, 0x7fff0000 - 65535);
    send_all(conn->fd, &iov, 1);
    conn->conn_window = conn->initial_window = 65535;
    conn->stream = UINT32_MAX;
    conn->frame_max = FRAME_LEAST;
    h2_receive(conn);
}

static void
h2_headers(struct blast_conn *conn)
{
    uint8_t out[512];
    size_t len = 9;

    len += put_header(out + len, ":method", "POST");
    len += put_header(out + len, ":scheme", "http");
    len += put_header(out + len, ":path",
                      "/opentelemetry.proto.collector.trace.v1.TraceService/"
                      "Export");
    len += put_header(out + len, ":authority", "localhost");
    len += put_header(out + len, "content-type", "application/grpc");
    len += put_header(out + len, "te", "trailers");
    if (conn->how->is_gzip)
        len += put_header(out + len, "grpc-encoding", "gzip");
    frame_head(out, len - 9, 1, 4, conn->stream);
    struct iovec iov = {out, len};
    send_all(conn->fd, &iov, 1);
}

static void
h2_send(struct blast_conn *conn, str body)
{
    uint8_t prefix[5] = {conn->how->is_gzip};
    size_t total = body.len + 5;

    conn->stream = conn->stream == UINT32_MAX ? 1 : conn->stream + 2;
    conn->stream_window = conn->initial_window;
    put32(prefix + 1, (uint32_t)body.len);
    h2_headers(conn);
    for (size_t at = 0; at < total;) {
        uint8_t head[9];
        struct iovec iov[3] = {{head, 9}};
        int len = 1;
        size_t max = conn->frame_max;
        size_t room = total - at < max ? total - at : max;
        int64_t window = conn->conn_window < conn->stream_window
                             ? conn->conn_window
                             : conn->stream_window;
        if (window <= 0) {
            h2_receive(conn);
            continue;
        }
        room = (int64_t)room > window ? (size_t)window : room;
        frame_head(head, room, 0, at + room == total, conn->stream);
        size_t from_prefix = at < 5 ? (5 - at < room ? 5 - at : room) : 0;
        if (from_prefix)
            iov[len++] = (struct iovec){prefix + at, from_prefix};
        if (room > from_prefix)
            iov[len++] = (struct iovec){
                (void *)(uintptr_t)(body.ptr + at + from_prefix - 5),
                room - from_prefix};
        send_all(conn->fd, iov, len);
        at += room;
        conn->conn_window -= (int64_t)room;
        conn->stream_window -= (int64_t)room;
    }
}

/* ---- either ---- */

struct blast_conn *
blast_conn_open(struct blast_how *how)
{
    struct blast_conn *conn = calloc(1, sizeof(*conn));
    int yes = 1;

    if (!conn)
        blast_die("memory");
    conn->how = how;
    conn->fd = socket(AF_INET, SOCK_STREAM, 0);
    if (conn->fd < 0 ||
        connect(conn->fd, (const void *)&how->address, sizeof(how->address)))
        blast_die("connect");
    (void)setsockopt(conn->fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
    if (how->is_grpc)
        h2_open(conn);
    return conn;
}

void
blast_conn_close(struct blast_conn *conn)
{
    (void)close(conn->fd);
    free(conn);
}

void
blast_conn_send(struct blast_conn *conn, str body)
{
    if (conn->how->is_grpc)
        h2_send(conn, body);
    else
        h1_send(conn, body);
    conn->outstanding++;
}

void
blast_conn_receive(struct blast_conn *conn)
{
    if (conn->how->is_grpc)
        h2_receive(conn);
    else
        h1_receive(conn);
}

size_t
blast_conn_outstanding(const struct blast_conn *conn)
{
    return conn->outstanding;
}
