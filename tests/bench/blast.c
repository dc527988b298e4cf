/*
 * blast - a load client for the receiver's benchmarks.
 *
 *     blast h1|grpc HOST:PORT PID [json|gzip|plain] [spans] [requests]
 *           [connections] [window] [warm]
 *
 * After |warm| requests that are not measured, sends |requests| batches once,
 * with trace ids of its own, keeps up to |window| of them unanswered on each
 * connection, and prints spans per second of wall time and per CPU second of
 * process PID (all its threads, from the scheduler's accounting) until it has
 * settled, so that what is folded after the answer counts.  Frames HTTP/2 by
 * hand, so that the client costs less than the server.
 *
 * With PACE=N in the environment it sends N requests a second instead, each on
 * a connection of its own at that moment (tests/bench/pace.h), and prints in a
 * second line how many milliseconds half of them took at most, 99 %, 99.9 % and
 * all.  With WIDE=N the spans are those of N services with a hundred edges each
 * (tests/bench/wide.h), whatever [spans] says, and not JSON.
 */
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include <libdeflate.h>

#include "base/clock.h"
#include "tests/bench/pace.h"
#include "tests/bench/wide.h"
#include "tests/support/payload.h"

enum {
    FRAME = 16384,
    READ_CAP = 1 << 16,
    BATCHES = 32,
    NAP_MS = 100,
    WAIT_MS = 20000,
};

struct load {
    bool is_grpc;
    bool is_json;
    bool is_gzip;
    struct sockaddr_in address;
    const struct payload *payload;
    str *ready; /* compressed requests, if any */
    size_t spans_per_batch;
    uint32_t first_pass;
    size_t requests; /* the warm ones, too */
    size_t end;      /* of those that are sent now */
    size_t window;
    atomic_size_t next;
    atomic_size_t failed;
    size_t warm; /* requests before the clock starts */
    struct pace pace;
};

struct conn {
    struct load *load;
    int fd;
    uint8_t in[READ_CAP];
    size_t in_len;
    char *body;
    size_t outstanding;
    uint32_t stream;
    int64_t conn_window;
    int64_t stream_window;
    int64_t initial_window;
};

static void
die(const char *what)
{
    perror(what);
    exit(1);
}

/* ---- payload ---- */

/* Gives every trace id of a copied batch the number of its pass, in the half
 * that tables are keyed by. */
static void
stamp(char *body, size_t len, bool json, uint32_t pass)
{
    char digits[9];
    char *end = body + len;

    (void)snprintf(digits, sizeof(digits), "%08x", pass);
    for (char *at = body; at < end - 40;) {
        if (json) {
            char *key = memmem(at, (size_t)(end - at), "\"traceId\":\"", 11);
            if (!key)
                return;
            memcpy(key + 35, digits, 8);
            at = key + 43;
        } else {
            char *key = memmem(at, (size_t)(end - at), "\x0a\x10", 2);
            if (!key)
                return;
            at = key + 2;
            if (end - at > 26 && at[16] == 0x12 && at[17] == 8) {
                memcpy(at + 12, &pass, sizeof(pass));
                at += 26;
            }
        }
    }
}

static str
batch_of(const struct load *load, size_t number)
{
    size_t i = number % load->payload->len;

    return load->is_json ? load->payload->json[i] : load->payload->batches[i];
}

/* Another one in each process: what was sent before would be known for a retry
 * and not be stored. */
static uint32_t
pass_of(const struct load *load, size_t number)
{
    return load->first_pass + (uint32_t)(number / load->payload->len);
}

static str
take_body(struct conn *conn, size_t number)
{
    struct load *load = conn->load;

    if (load->ready)
        return load->ready[number];
    str batch = batch_of(load, number);
    memcpy(conn->body, batch.ptr, batch.len);
    stamp(conn->body, batch.len, load->is_json, pass_of(load, number));
    return (str){conn->body, batch.len};
}

static void
compress_all(struct load *load)
{
    struct libdeflate_compressor *deflate = libdeflate_alloc_compressor(6);
    size_t cap = 0;

    load->ready = calloc(load->requests, sizeof(*load->ready));
    for (size_t i = 0; i < load->payload->len; i++)
        cap = batch_of(load, i).len > cap ? batch_of(load, i).len : cap;
    char *copy = malloc(cap);
    if (!deflate || !load->ready || !copy)
        die("memory");
    for (size_t i = 0; i < load->requests; i++) {
        str batch = batch_of(load, i);
        memcpy(copy, batch.ptr, batch.len);
        stamp(copy, batch.len, load->is_json, pass_of(load, i));
        size_t bound = libdeflate_gzip_compress_bound(deflate, batch.len);
        char *out = malloc(bound);
        if (!out)
            die("memory");
        size_t len =
            libdeflate_gzip_compress(deflate, copy, batch.len, out, bound);
        load->ready[i] = (str){realloc(out, len), len};
    }
    free(copy);
    libdeflate_free_compressor(deflate);
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
            die("send");
        for (; len > 0 && (size_t)sent >= iov->iov_len; iov++, len--)
            sent -= (ssize_t)iov->iov_len;
        if (len > 0) {
            iov->iov_base = (char *)iov->iov_base + sent;
            iov->iov_len -= (size_t)sent;
        }
    }
}

static void
receive(struct conn *conn)
{
    ssize_t got =
        recv(conn->fd, conn->in + conn->in_len, READ_CAP - conn->in_len, 0);

    if (got <= 0)
        die("the server closed the connection");
    conn->in_len += (size_t)got;
}

static void
consume(struct conn *conn, size_t len)
{
    conn->in_len -= len;
    memmove(conn->in, conn->in + len, conn->in_len);
}

/* ---- HTTP/1.1 ---- */

static void
h1_send(struct conn *conn, str body)
{
    char head[512];
    int len = snprintf(head, sizeof(head),
                       "POST /v1/traces HTTP/1.1\r\nHost: localhost\r\n"
                       "Content-Type: application/%s\r\n%s"
                       "Content-Length: %zu\r\n\r\n",
                       conn->load->is_json ? "json" : "x-protobuf",
                       conn->load->is_gzip ? "Content-Encoding: gzip\r\n" : "",
                       body.len);
    struct iovec iov[2] = {{head, (size_t)len},
                           {(void *)(uintptr_t)body.ptr, body.len}};

    send_all(conn->fd, iov, 2);
}

/* Takes the answers that have come; waits for one if there is none. */
static void
h1_receive(struct conn *conn)
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
                atomic_fetch_add(&conn->load->failed, 1);
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
h2_reply(struct conn *conn, const uint8_t *frame, size_t len)
{
    uint8_t out[64];
    struct iovec iov = {out, 9 + len};

    memcpy(out, frame, 9 + len);
    out[4] = 1; /* ACK */
    send_all(conn->fd, &iov, 1);
}

static void
h2_settings(struct conn *conn, const uint8_t *frame, size_t len)
{
    uint32_t value;

    for (size_t i = 0; i + 6 <= len; i += 6) {
        memcpy(&value, frame + 9 + i + 2, 4);
        if (frame[9 + i + 1] == 4) {
            conn->stream_window += (int64_t)ntohl(value) - conn->initial_window;
            conn->initial_window = ntohl(value);
        }
    }
    uint8_t ack[9];
    frame_head(ack, 0, 4, 1, 0);
    struct iovec iov = {ack, 9};
    send_all(conn->fd, &iov, 1);
}

static void
h2_frame(struct conn *conn, const uint8_t *frame, size_t len)
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
h2_receive(struct conn *conn)
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
h2_open(struct conn *conn)
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
    h2_receive(conn);
}

static void
h2_headers(struct conn *conn)
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
    if (conn->load->is_gzip)
        len += put_header(out + len, "grpc-encoding", "gzip");
    frame_head(out, len - 9, 1, 4, conn->stream);
    struct iovec iov = {out, len};
    send_all(conn->fd, &iov, 1);
}

static void
h2_send(struct conn *conn, str body)
{
    uint8_t prefix[5] = {conn->load->is_gzip};
    size_t total = body.len + 5;

    conn->stream = conn->stream == UINT32_MAX ? 1 : conn->stream + 2;
    conn->stream_window = conn->initial_window;
    put32(prefix + 1, (uint32_t)body.len);
    h2_headers(conn);
    for (size_t at = 0; at < total;) {
        uint8_t head[9];
        struct iovec iov[3] = {{head, 9}};
        int len = 1;
        size_t room = total - at < FRAME ? total - at : FRAME;
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

/* ---- the run ---- */

static void *
drive(void *ctx)
{
    struct conn *conn = ctx;
    struct load *load = conn->load;

    for (;;) {
        size_t number = atomic_fetch_add(&load->next, 1);
        if (number >= load->end)
            break;
        str body = take_body(conn, number);
        bool is_paced = load->pace.rate > 0;
        if (is_paced)
            pace_wait(&load->pace, number - load->warm);
        if (load->is_grpc)
            h2_send(conn, body);
        else
            h1_send(conn, body);
        conn->outstanding++;
        while (conn->outstanding >= load->window) {
            if (load->is_grpc)
                h2_receive(conn);
            else
                h1_receive(conn);
        }
        if (is_paced)
            pace_answered(&load->pace, number - load->warm);
    }
    while (conn->outstanding) {
        if (load->is_grpc)
            h2_receive(conn);
        else
            h1_receive(conn);
    }
    return NULL;
}

static struct conn *
conn_open(struct load *load)
{
    struct conn *conn = calloc(1, sizeof(*conn));
    size_t cap = 0;
    int yes = 1;

    for (size_t i = 0; i < load->payload->len; i++)
        cap = batch_of(load, i).len > cap ? batch_of(load, i).len : cap;
    if (!conn || !(conn->body = malloc(cap)))
        die("memory");
    conn->load = load;
    conn->fd = socket(AF_INET, SOCK_STREAM, 0);
    if (conn->fd < 0 ||
        connect(conn->fd, (void *)&load->address, sizeof(load->address)))
        die("connect");
    (void)setsockopt(conn->fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
    if (load->is_grpc)
        h2_open(conn);
    return conn;
}

/* CPU time of all threads of a process, in nanoseconds. */
static uint64_t
cpu_ns(const char *pid)
{
    char path[512];
    uint64_t sum = 0;
    struct dirent *entry;

    (void)snprintf(path, sizeof(path), "/proc/%s/task", pid);
    DIR *dir = opendir(path);
    if (!dir)
        die(path);
    while ((entry = readdir(dir))) {
        uint64_t spent = 0;
        (void)snprintf(path, sizeof(path), "/proc/%s/task/%s/schedstat", pid,
                       entry->d_name);
        FILE *file = fopen(path, "r");
        if (file && fscanf(file, "%" SCNu64, &spent) == 1)
            sum += spent;
        if (file)
            (void)fclose(file);
    }
    (void)closedir(dir);
    return sum;
}

/* Answers may come before the folding: returns what was spent once no more is,
 * or after WAIT_MS. */
static uint64_t
settled_cpu_ns(const char *pid)
{
    const struct timespec nap = {.tv_nsec = (long)(NAP_MS * NS_PER_MS)};
    uint64_t spent = cpu_ns(pid);

    for (int i = 0; i < WAIT_MS / NAP_MS; i++) {
        (void)nanosleep(&nap, NULL);
        uint64_t now = cpu_ns(pid);
        if (now - spent < NAP_MS * NS_PER_MS / 50)
            return now;
        spent = now;
    }
    return spent;
}

static void
run(struct load *load, size_t connections)
{
    pthread_t threads[64];
    struct conn *conns[64];

    for (size_t i = 0; i < connections; i++)
        conns[i] = conn_open(load);
    for (size_t i = 0; i < connections; i++) {
        if (pthread_create(&threads[i], NULL, drive, conns[i]))
            die("thread");
    }
    for (size_t i = 0; i < connections; i++) {
        pthread_join(threads[i], NULL);
        (void)close(conns[i]->fd);
        free(conns[i]->body);
        free(conns[i]);
    }
}

/* What WIDE asks for is of spans that are fewer in a batch, and not all alike:
 * |spans_per_batch| becomes the mean. */
static struct payload *
payload_of(struct load *load)
{
    const char *wide = getenv("WIDE");

    if (!wide)
        return payload_new(BATCHES, load->spans_per_batch, true);
    struct payload *payload =
        wide_new((uint32_t)strtoul(wide, NULL, 10), clock_wall_ns());
    load->spans_per_batch = payload->spans / payload->len;
    return payload;
}

int
main(int argc, char **argv)
{
    struct load load = {
        .window = 8,
        .spans_per_batch = 512,
        .first_pass = (uint32_t)(clock_wall_ns() / NS_PER_MS),
        .requests = 4096,
    };
    size_t connections = 2;
    size_t warm = 0;

    if (argc < 4) {
        fprintf(stderr, "usage: blast h1|grpc HOST:PORT PID [json|gzip|plain] "
                        "[spans] [requests] [connections] [window] [warm]\n");
        return 2;
    }
    load.is_grpc = strcmp(argv[1], "grpc") == 0;
    load.is_json = argc > 4 && strcmp(argv[4], "json") == 0;
    load.is_gzip = argc > 4 && strcmp(argv[4], "gzip") == 0;
    if (argc > 5)
        load.spans_per_batch = strtoul(argv[5], NULL, 10);
    if (argc > 6)
        load.requests = strtoul(argv[6], NULL, 10);
    if (argc > 7)
        connections = strtoul(argv[7], NULL, 10);
    if (argc > 8)
        load.window = strtoul(argv[8], NULL, 10);
    if (argc > 9)
        warm = strtoul(argv[9], NULL, 10);
    load.requests += warm;
    connections = connections < 64 ? connections : 64;
    load.address.sin_family = AF_INET;
    load.address.sin_port =
        htons((uint16_t)strtoul(strrchr(argv[2], ':') + 1, NULL, 10));
    load.address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    struct payload *payload = payload_of(&load);
    load.payload = payload;
    if (load.is_gzip)
        compress_all(&load);

    load.end = warm;
    run(&load, connections);
    load.next = warm;
    load.end = load.requests;
    uint64_t cpu = settled_cpu_ns(argv[3]);
    if (getenv("PACE")) {
        load.warm = warm;
        load.window = 1;
        pace_start(&load.pace, strtod(getenv("PACE"), NULL),
                   load.requests - warm);
    }
    uint64_t wall = clock_mono_ns();
    run(&load, connections);
    double wall_s = (double)(clock_mono_ns() - wall) / 1e9;
    double cpu_s = (double)(settled_cpu_ns(argv[3]) - cpu) / 1e9;
    double spans =
        (double)(load.requests - warm) * (double)load.spans_per_batch;
    printf("%.0f %.0f %.3f %.3f %zu\n", spans / wall_s, spans / cpu_s, wall_s,
           cpu_s, (size_t)load.failed);
    if (load.pace.rate > 0)
        pace_report(&load.pace);
    payload_free(payload);
    return load.failed != 0;
}
