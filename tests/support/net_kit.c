#include "tests/support/net_kit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"

enum { BIG_LEN = 1 << 20, NAP_NS = 2000000 };

static void
nap(void)
{
    nanosleep(&(struct timespec){.tv_nsec = NAP_NS}, NULL);
}

static void
note(struct kit *kit, struct request *req)
{
    pthread_mutex_lock(&kit->mutex);
    kit->requests++;
    kit->problem = req->problem;
    kit->protocol = req->protocol;
    buf_reset(&kit->seen);
    for (size_t i = 0; i < req->header_len; i++) {
        buf_add(&kit->seen, req->headers[i].name);
        buf_add(&kit->seen, STR(": "));
        buf_add(&kit->seen, req->headers[i].value);
        buf_add(&kit->seen, STR("\n"));
    }
    buf_reset(&kit->body);
    buf_add(&kit->body, req->body);
    pthread_mutex_unlock(&kit->mutex);
}

static void
on_cancel(void *ctx, struct request *req)
{
    struct kit *kit = ctx;

    (void)req;
    pthread_mutex_lock(&kit->mutex);
    kit->cancels++;
    pthread_mutex_unlock(&kit->mutex);
}

static void
echo(struct request *req)
{
    struct header extra = {STR("X-Kit"), STR("yes\r\nx-evil: 1")};
    struct buf body = {.cap_max = 0};
    bool is_grpc = req->protocol == REQUEST_GRPC;
    int status = req->problem ? 400 + (int)req->problem : 200;

    if (is_grpc)
        status = req->problem ? GRPC_CODE_INVALID_ARGUMENT : GRPC_CODE_OK;
    buf_add(&body, req->method);
    buf_add(&body, STR(" "));
    buf_add(&body, req->path);
    buf_add(&body, STR("?"));
    buf_add(&body, req->query);
    buf_add(&body, STR(" "));
    buf_add(&body, req->body);
    for (size_t i = 0; i < REQUEST_PAD; i++)
        assert_int_equal(req->body.ptr[req->body.len + i], 0);
    request_reply(req, &(struct reply){
                           .status = status,
                           .content_type = STR("text/plain"),
                           .body = buf_str(&body),
                           .grpc_message = STR("50% caf\xc3\xa9"),
                           .grpc_details = STR("\x01\x02\x03\x04"),
                           .headers = &extra,
                           .header_len = 1,
                       });
    buf_fini(&body);
}

static void
later(void *ctx)
{
    echo(ctx);
}

static void
hold(struct kit *kit, struct request *req)
{
    req->on_cancel = on_cancel;
    req->on_cancel_ctx = kit;
    pthread_mutex_lock(&kit->mutex);
    assert_true(kit->held_len < KIT_HELD_MAX);
    kit->held[kit->held_len++] = req;
    pthread_mutex_unlock(&kit->mutex);
}

static void
big(struct request *req)
{
    char *body = malloc(BIG_LEN);

    assert_non_null(body);
    memset(body, 'b', BIG_LEN);
    request_reply(req, &(struct reply){.status = 200, .body = {body, BIG_LEN}});
    free(body);
}

void
kit_handler(void *ctx, struct request *req)
{
    struct kit *kit = ctx;

    note(kit, req);
    if (str_eq(req->path, STR("/hold")))
        hold(kit, req);
    else if (str_eq(req->path, STR("/none")))
        request_reply(req, &(struct reply){.status = 204});
    else if (str_eq(req->path, STR("/big")))
        big(req);
    else if (!str_eq(req->path, STR("/later")) ||
             server_work(kit->server, req->share, later, req))
        echo(req);
}

void
kit_start(struct kit *kit, void (*change)(struct server_listener *))
{
    struct server_listener listener = {
        .address = "127.0.0.1",
        .limits = server_limits_default,
        .handler = kit_handler,
        .ctx = kit,
    };
    struct buf why = {.cap_max = 0};
    size_t index = 0;

    *kit = (struct kit){.now_ms = 0};
    pthread_mutex_init(&kit->mutex, NULL);
    if (change)
        change(&listener);
    assert_int_equal(server_new(&kit->server), OK);
    enum err err = server_listen(kit->server, &listener, &index, &why);
    if (err)
        print_error("%s\n", buf_cstr(&why));
    assert_int_equal(err, OK);
    kit->port = server_port(kit->server, index);
    assert_int_equal(server_start(kit->server), OK);
    buf_fini(&why);
}

static void
kit_fini(struct kit *kit)
{
    buf_fini(&kit->seen);
    buf_fini(&kit->body);
    buf_fini(&kit->out);
    pthread_mutex_destroy(&kit->mutex);
}

void
kit_stop(struct kit *kit)
{
    server_stop(kit->server, 2000);
    server_free(kit->server);
    kit_fini(kit);
}

/* As a connection does: until there is nothing more to send. */
static void
pull(struct kit *kit)
{
    struct buf part = {.cap_max = 0};

    do {
        buf_reset(&part);
        session_produce(kit->session, kit->now_ms, &part);
        buf_add(&kit->out, buf_str(&part));
    } while (part.len);
    assert_false(part.failed || kit->out.failed);
    buf_fini(&part);
}

void
kit_session(struct kit *kit, kit_session_fn *make,
            const struct server_limits *limits)
{
    struct session_peer peer = {.is_loopback = true};

    *kit = (struct kit){.now_ms = 1000};
    pthread_mutex_init(&kit->mutex, NULL);
    kit->env = (struct session_env){
        .hub = hub_new(),
        .inflater = inflater_new(),
        .limits = limits ? *limits : server_limits_default,
        .handler = kit_handler,
        .ctx = kit,
    };
    assert_non_null(kit->env.hub);
    assert_non_null(kit->env.inflater);
    hub_raise_budget(kit->env.hub, kit->env.limits.budget_bytes);
    hub_open(kit->env.hub, NULL, NULL);
    kit->session = make(&kit->env, &peer, kit->now_ms);
    assert_non_null(kit->session);
}

void
kit_feed(struct kit *kit, str bytes)
{
    session_feed(kit->session, kit->now_ms, bytes);
    pull(kit);
}

void
kit_pass(struct kit *kit, uint64_t ms)
{
    kit->now_ms += ms;
    if (session_deadline(kit->session) <= kit->now_ms)
        session_expire(kit->session, kit->now_ms);
    pull(kit);
}

void
kit_session_fini(struct kit *kit)
{
    session_free(kit->session);
    assert_true(hub_close(kit->env.hub));
    assert_int_equal(hub_left(kit->env.hub), kit->env.limits.budget_bytes);
    hub_unref(kit->env.hub);
    inflater_free(kit->env.inflater);
    kit_fini(kit);
}

struct request *
kit_held(struct kit *kit, size_t count)
{
    uint64_t end = clock_mono_ns() + KIT_WAIT_MS * NS_PER_MS;
    struct request *req = NULL;

    while (!req && clock_mono_ns() < end) {
        pthread_mutex_lock(&kit->mutex);
        if (kit->held_len >= count)
            req = kit->held[count - 1];
        pthread_mutex_unlock(&kit->mutex);
        if (!req)
            nap();
    }
    assert_non_null(req);
    return req;
}

bool
kit_wait_cancels(struct kit *kit, int count)
{
    uint64_t end = clock_mono_ns() + KIT_WAIT_MS * NS_PER_MS;
    bool is_done = false;

    while (!is_done && clock_mono_ns() < end) {
        pthread_mutex_lock(&kit->mutex);
        is_done = kit->cancels >= count;
        pthread_mutex_unlock(&kit->mutex);
        if (!is_done)
            nap();
    }
    return is_done;
}

int
kit_connect(const struct kit *kit)
{
    struct sockaddr_in addr = {
        .sin_family = AF_INET,
        .sin_port = htons(kit->port),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
    };
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
    return fd;
}

void
kit_send(int fd, str bytes)
{
    while (bytes.len) {
        struct pollfd wait = {.fd = fd, .events = POLLOUT};

        if (poll(&wait, 1, KIT_WAIT_MS) != 1)
            return;
        ssize_t sent = send(fd, bytes.ptr, bytes.len, MSG_NOSIGNAL);
        if (sent <= 0)
            return; /* closed on us: the caller will see */
        bytes = str_cut(bytes, (size_t)sent, bytes.len);
    }
}

/* 1: bytes came; 0: the end; -1: nothing in time. */
static int
recv_some(int fd, struct buf *out)
{
    enum { CHUNK = 65536 };
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    char *to = buf_grow(out, CHUNK);

    assert_non_null(to);
    if (poll(&wait, 1, KIT_WAIT_MS) != 1)
        return -1;
    ssize_t got = recv(fd, to, CHUNK, 0);
    if (got <= 0)
        return 0;
    out->len += (size_t)got;
    return 1;
}

void
kit_recv(int fd, struct buf *out, str until, size_t count)
{
    while (kit_count(out, until) < count && recv_some(fd, out) == 1)
        ;
}

bool
kit_recv_all(int fd, struct buf *out)
{
    int code;

    while ((code = recv_some(fd, out)) == 1)
        ;
    return code == 0;
}

/* Not by memmem: sanitizers check all that it may read at each call, and so a
 * long text of many hits by its square. */
size_t
kit_count(const struct buf *text, str what)
{
    str rest = buf_str(text);
    size_t count = 0;

    assert_true(what.len > 0);
    while (rest.len >= what.len) {
        const char *at = memchr(rest.ptr, what.ptr[0], rest.len - what.len + 1);
        if (!at)
            break;
        bool is_it = memcmp(at, what.ptr, what.len) == 0;
        count += is_it;
        rest = str_cut(rest, (size_t)(at - rest.ptr) + (is_it ? what.len : 1),
                       rest.len);
    }
    return count;
}

bool
kit_has(const struct buf *text, const char *what)
{
    return kit_count(text, str_of(what)) > 0;
}
