#include "tests/support/echo_server.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include <netinet/in.h>
#include <sys/socket.h>

static void
nap(void)
{
    usleep(2000);
}

bool
echo_server_reaches(atomic_int *value, int wanted)
{
    for (int i = 0; i < 2500 && atomic_load(value) != wanted; i++)
        nap();
    return atomic_load(value) == wanted;
}

static void
on_cancel(void *ctx, struct request *req)
{
    struct echo_server *fix = ctx;

    (void)req;
    atomic_fetch_add(&fix->cancelled, 1);
}

static void
note(struct echo_server *fix, const struct request *req)
{
    buf_reset(&fix->path);
    buf_reset(&fix->header);
    buf_reset(&fix->echo);
    buf_add(&fix->path, req->path);
    for (size_t i = 0; i < req->header_len; i++)
        if (str_eq(req->headers[i].name, STR("authorization")))
            buf_add(&fix->header, req->headers[i].value);
    buf_add(&fix->echo, req->body);
    fix->is_loopback = req->is_loopback;
    fix->wire_len = req->wire_len;
    fix->is_padded = true;
    for (size_t i = 0; req->body.ptr && i < REQUEST_PAD; i++)
        fix->is_padded &= req->body.ptr[req->body.len + i] == 0;
    atomic_store(&fix->problem, (int)req->problem);
}

void
echo_server_echo(struct request *req)
{
    req->ops->reply(req,
                    &(struct reply){.status = GRPC_CODE_OK, .body = req->body});
}

static void *
answer_later(void *req)
{
    nap();
    echo_server_echo(req);
    return NULL;
}

static void
handle(void *ctx, struct request *req)
{
    static const struct header headers[] = {
        {{"x-note", 6}, {"kept", 4}},
        {{"grpc-encoding", 13}, {"dropped", 7}},
        {{"Not Legal", 9}, {"dropped", 7}},
    };
    static const struct header accepted = {{"grpc-accept-encoding", 20},
                                           {"gzip, deflate, zstd", 19}};
    struct echo_server *fix = ctx;
    pthread_t thread;

    note(fix, req);
    atomic_fetch_add(&fix->handled, 1);
    switch (atomic_load(&fix->mode)) {
    case ECHO_BACK:
        echo_server_echo(req);
        break;
    case ECHO_REFUSE:
        req->ops->reply(req,
                        &(struct reply){.status = GRPC_CODE_INVALID_ARGUMENT,
                                        .grpc_message = STR("50% \xc3\xbc no"),
                                        .grpc_details = {"\0\1\xff", 3},
                                        .headers = headers,
                                        .header_len = 3});
        break;
    case ECHO_REFUSE_ENCODING:
        req->ops->reply(req, &(struct reply){.status = GRPC_CODE_UNIMPLEMENTED,
                                             .headers = &accepted,
                                             .header_len = 1});
        break;
    case ECHO_LATER:
        assert_int_equal(pthread_create(&thread, NULL, answer_later, req), 0);
        pthread_detach(thread);
        break;
    case ECHO_NEVER:
        req->on_cancel_ctx = fix;
        req->on_cancel = on_cancel;
        atomic_store(&fix->held, req);
        break;
    case ECHO_STREAM:
        req->ops->stream_open(req, &(struct reply){.status = 0});
        break;
    }
}

void
echo_server_open(struct echo_server *fix)
{
    struct buf why = {.cap_max = 1024};

    if (!fix->listener.handler)
        fix->listener.handler = handle;
    fix->listener.ctx = fix;
    if (!fix->listener.address)
        fix->listener.address = "127.0.0.1";
    assert_int_equal(grpc_endpoint_new(&fix->endpoint, &fix->listener, &why),
                     OK);
    assert_int_equal(grpc_endpoint_start(fix->endpoint), OK);
    snprintf(fix->target, sizeof(fix->target), "127.0.0.1:%u",
             grpc_endpoint_port(fix->endpoint));
    buf_fini(&why);
}

struct echo_server
echo_server_with(enum echo_mode mode)
{
    return (struct echo_server){.mode = mode,
                                .listener.limits = server_limits_default};
}

void
echo_server_close(struct echo_server *fix)
{
    if (fix->endpoint)
        grpc_endpoint_stop(fix->endpoint, 2000);
    grpc_endpoint_free(fix->endpoint);
    buf_fini(&fix->path);
    buf_fini(&fix->header);
    buf_fini(&fix->echo);
}

struct grpc_answer
echo_server_call(struct echo_server *fix, const char *path, str body, bool gzip)
{
    struct grpc_client client;
    static const struct header headers[] = {
        {{"authorization", 13}, {"Bearer t", 8}}};

    grpc_client_open(&client, fix->target, NULL, gzip);
    struct grpc_answer answer =
        grpc_client_call(&client, path, body, headers, 1, 10000);
    grpc_client_close(&client);
    return answer;
}

int
echo_server_dial(const struct echo_server *fix)
{
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port =
                                 htons(grpc_endpoint_port(fix->endpoint)),
                             .sin_addr = {htonl(INADDR_LOOPBACK)}};
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof(to)), 0);
    return fd;
}
