/*
 * knock - asks a service the same thing again and again, many at once.
 *
 *     knock HOST:PORT PID CALLS CONNECTIONS PATH [TOOL ARGUMENTS]
 *
 * Keeps one request under way on each connection of HTTP/1.1: a GET of PATH, or
 * with TOOL a tools/call of revision 2026-07-28.  Each call has an id of its
 * own, which the answer must repeat.  A tenth of the calls warms up.  Prints
 * how many of the rest were answered a second of wall time and a CPU second of
 * process PID (all its threads, by the scheduler's accounting), and the bytes
 * of one answer.
 */
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"

enum { CONNS_MAX = 256, IN_CAP = 1 << 18, OUT_CAP = 4096 };

struct knocker {
    const char *path;
    const char *tool; /* NULL: GET */
    const char *args;
    size_t next;
    size_t answered;
    size_t answer_len;
};

struct conn {
    int fd;
    size_t number; /* of the call under way */
    size_t len;
    char in[IN_CAP];
};

static void
die(const char *what)
{
    fprintf(stderr, "knock: %s (%s)\n", what, strerror(errno));
    exit(1);
}

static double
cpu_s(const char *pid)
{
    char path[512];
    double total = 0;

    snprintf(path, sizeof(path), "/proc/%s/task", pid);
    DIR *dir = opendir(path);
    if (!dir)
        die("no such process");
    for (struct dirent *entry; (entry = readdir(dir));) {
        double ns = 0;

        snprintf(path, sizeof(path), "/proc/%s/task/%s/schedstat", pid,
                 entry->d_name);
        FILE *file = entry->d_name[0] == '.' ? NULL : fopen(path, "r");
        if (file && fscanf(file, "%lf", &ns) == 1)
            total += ns / 1e9;
        if (file)
            fclose(file);
    }
    closedir(dir);
    return total;
}

static int
dial(const char *to)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    const char *colon = strrchr(to, ':');
    const int on = 1;
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons((uint16_t)atoi(colon ? colon + 1 : to));
    if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof(address)))
        die("cannot connect");
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    return fd;
}

static void
ask(struct knocker *knocker, struct conn *conn)
{
    char body[OUT_CAP / 2];
    char out[OUT_CAP];
    int len = 0;

    conn->number = knocker->next++;
    conn->len = 0;
    if (!knocker->tool) {
        len = snprintf(out, sizeof(out),
                       "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n",
                       knocker->path);
    } else {
        int body_len = snprintf(
            body, sizeof(body),
            "{\"jsonrpc\":\"2.0\",\"id\":%zu,\"method\":\"tools/call\","
            "\"params\":{\"name\":\"%s\",\"arguments\":%s,\"_meta\":{"
            "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
            "\"io.modelcontextprotocol/clientInfo\":{\"name\":\"knock\","
            "\"version\":\"1\"},"
            "\"io.modelcontextprotocol/clientCapabilities\":{}}}}",
            conn->number, knocker->tool, knocker->args);
        len = snprintf(out, sizeof(out),
                       "POST %s HTTP/1.1\r\nHost: localhost\r\n"
                       "Content-Type: application/json\r\n"
                       "Accept: application/json, text/event-stream\r\n"
                       "MCP-Protocol-Version: 2026-07-28\r\n"
                       "Mcp-Method: tools/call\r\nMcp-Name: %s\r\n"
                       "Content-Length: %d\r\n\r\n%s",
                       knocker->path, knocker->tool, body_len, body);
    }
    if (len >= (int)sizeof(out) || write(conn->fd, out, (size_t)len) != len)
        die("cannot send");
}

/* Whether the whole answer is there; dies if it is not the right one. */
static bool
is_answered(struct knocker *knocker, struct conn *conn)
{
    char id[40];
    char *end = memmem(conn->in, conn->len, "\r\n\r\n", 4);

    if (!end)
        return false;
    char *length =
        memmem(conn->in, (size_t)(end - conn->in), "ontent-length: ", 15);
    size_t head = (size_t)(end - conn->in) + 4;
    size_t body = length ? strtoul(length + 15, NULL, 10) : 0;
    if (head + body > IN_CAP)
        die("the answer is too long");
    if (conn->len < head + body)
        return false;
    int id_len = snprintf(id, sizeof(id), "\"id\":%zu,", conn->number);
    if (memcmp(conn->in + 9, "200", 3) != 0 || conn->len != head + body ||
        (knocker->tool && (!memmem(end, body + 4, id, (size_t)id_len) ||
                           memmem(end, body + 4, "\"isError\":true", 14)))) {
        fprintf(stderr, "%.*s\n", (int)(conn->len < 2000 ? conn->len : 2000),
                conn->in);
        die("not the answer");
    }
    knocker->answer_len = body;
    knocker->answered++;
    return true;
}

static void
receive(struct knocker *knocker, struct conn *conn)
{
    ssize_t got = read(conn->fd, conn->in + conn->len, IN_CAP - conn->len);

    if (got <= 0)
        die("the server closed the connection");
    conn->len += (size_t)got;
    if (is_answered(knocker, conn))
        ask(knocker, conn);
}

static void
knock(struct knocker *knocker, struct conn *conns, size_t len, size_t calls)
{
    struct pollfd fds[CONNS_MAX];

    for (size_t i = 0; i < len; i++)
        fds[i] = (struct pollfd){.fd = conns[i].fd, .events = POLLIN};
    while (knocker->answered < calls) {
        if (poll(fds, len, 30000) <= 0)
            die("no answer in 30 s");
        for (size_t i = 0; i < len; i++)
            if (fds[i].revents)
                receive(knocker, &conns[i]);
    }
}

int
main(int argc, char **argv)
{
    if (argc < 6) {
        fprintf(stderr, "knock HOST:PORT PID CALLS CONNECTIONS PATH [TOOL "
                        "ARGUMENTS]\n");
        return 2;
    }
    size_t calls = strtoul(argv[3], NULL, 10);
    size_t len = strtoul(argv[4], NULL, 10);
    struct knocker knocker = {
        .path = argv[5],
        .tool = argc > 6 ? argv[6] : NULL,
        .args = argc > 7 ? argv[7] : "{}",
    };
    struct conn *conns = calloc(CONNS_MAX, sizeof(*conns));

    if (!conns || len < 1 || len > CONNS_MAX || calls < 1)
        die("so many calls or connections cannot be");
    for (size_t i = 0; i < len; i++) {
        conns[i].fd = dial(argv[1]);
        ask(&knocker, &conns[i]);
    }
    knock(&knocker, conns, len, calls / 10);
    size_t warm = knocker.answered;
    double cpu = cpu_s(argv[2]);
    uint64_t begin_ns = clock_mono_ns();
    knock(&knocker, conns, len, warm + calls);
    double wall = (double)(clock_mono_ns() - begin_ns) / 1e9;
    cpu = cpu_s(argv[2]) - cpu;
    double done = (double)(knocker.answered - warm);
    printf("%.0f %.0f %zu\n", done / wall, done / cpu, knocker.answer_len);
    free(conns);
    return 0;
}
