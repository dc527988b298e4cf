#include "net/grpc_portion.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/spare.h"
#include "tests/support/echo_server.h"

enum { PIECE = 32 << 10, WAIT_MS = 5000 };

static int
listen_here(struct sockaddr_in *at)
{
    socklen_t len = sizeof(*at);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);

    *at = (struct sockaddr_in){.sin_family = AF_INET};
    at->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_int_equal(bind(fd, (struct sockaddr *)at, len), 0);
    assert_int_equal(listen(fd, 16), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)at, &len), 0);
    return fd;
}

static int
connect_to(const struct sockaddr_in *at)
{
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    assert_int_equal(connect(fd, (const struct sockaddr *)at, sizeof(*at)), 0);
    return fd;
}

/* Reads as core does: until there is no more. */
static size_t
read_all(int fd, int *out_errno)
{
    static char room[4][PIECE];
    size_t all = 0;
    ssize_t got;

    for (;;) {
        struct iovec parts[4];
        for (size_t i = 0; i < 4; i++)
            parts[i] = (struct iovec){room[i], PIECE};
        struct msghdr message = {.msg_iov = parts, .msg_iovlen = 4};
        got = recvmsg(fd, &message, MSG_DONTWAIT);
        assert_int_equal(message.msg_iovlen, 4);
        if (got <= 0)
            break;
        all += (size_t)got;
    }
    *out_errno = got < 0 ? errno : 0;
    return all;
}

struct writer {
    int fd;
    size_t len;
};

static void *
write_much(void *ctx)
{
    static char piece[PIECE];
    struct writer *writer = ctx;

    for (size_t sent = 0; sent < writer->len; sent += PIECE)
        assert_int_equal(send(writer->fd, piece, PIECE, MSG_NOSIGNAL), PIECE);
    close(writer->fd);
    return NULL;
}

static void
what_is_left_of_a_flood_is_told_anew(void **state)
{
    enum { PORTIONS = 8 };
    struct sockaddr_in at;
    int listener = listen_here(&at);
    struct writer writer = {connect_to(&at), PORTIONS * (size_t)PORTION_BYTES};
    int fd = accept(listener, NULL, NULL);
    int epoll = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.fd = fd};
    size_t all = 0;
    int code = EAGAIN;
    pthread_t thread;

    (void)state;
    portion_learn(16, 0, false);
    assert_int_equal(epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event), 0);
    portion_learnt();
    assert_int_equal(pthread_create(&thread, NULL, write_much, &writer), 0);
    while (code == EAGAIN) {
        assert_int_equal(epoll_wait(epoll, &event, 1, WAIT_MS), 1);
        assert_int_equal(event.data.fd, fd);
        size_t got = read_all(fd, &code);
        assert_true(got < PORTION_BYTES + PIECE);
        all += got;
    }
    assert_int_equal(code, 0); /* the end */
    assert_int_equal(all, writer.len);
    pthread_join(thread, NULL);
    close(fd);
    close(epoll);
    close(listener);
}

/* Nothing tells of an end twice. */
static void
portions_are_of_one_socket_and_an_end_is_always_seen(void **state)
{
    struct sockaddr_in at;
    int listener = listen_here(&at);
    struct writer writers[2];
    int fds[2];
    int epoll = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN | EPOLLET};
    pthread_t threads[2];
    int code;

    (void)state;
    portion_learn(16, 0, false);
    for (int i = 0; i < 2; i++) {
        writers[i] = (struct writer){connect_to(&at), PORTION_BYTES};
        fds[i] = accept(listener, NULL, NULL);
        assert_int_equal(epoll_ctl(epoll, EPOLL_CTL_ADD, fds[i], &event), 0);
        assert_int_equal(
            pthread_create(&threads[i], NULL, write_much, &writers[i]), 0);
    }
    portion_learnt();
    assert_int_equal(epoll_wait(epoll, &event, 1, WAIT_MS), 1);
    for (int i = 0; i < 2; i++) {
        size_t all = 0;
        while (all < PORTION_BYTES)
            all += read_all(fds[i], &code);
        pthread_join(threads[i], NULL);
        assert_int_equal(read_all(fds[i], &code), 0);
        assert_int_equal(code, 0);
        close(fds[i]);
    }
    close(epoll);
    close(listener);
}

static void
only_listeners_of_core_accept_without_errors(void **state)
{
    int pipes[2];
    int epoll = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN | EPOLLET};

    (void)state;
    assert_int_equal(pipe(pipes), 0);
    assert_int_equal(accept4(pipes[0], NULL, NULL, 0), -1);
    assert_int_equal(errno, ENOTSOCK);
    portion_learn(16, 0, false);
    assert_int_equal(epoll_ctl(epoll, EPOLL_CTL_ADD, pipes[0], &event), 0);
    portion_learnt();
    assert_int_equal(epoll_ctl(epoll, EPOLL_CTL_ADD, pipes[1], &event), 0);
    assert_int_equal(accept4(pipes[0], NULL, NULL, 0), -1);
    assert_int_equal(errno, EAGAIN);
    assert_int_equal(accept4(pipes[1], NULL, NULL, 0), -1);
    assert_int_equal(errno, ENOTSOCK);
    close(pipes[0]);
    close(pipes[1]);
    close(epoll);
}

static struct rlimit
set_files(rlim_t most)
{
    struct rlimit old;

    assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
    struct rlimit now = {most, old.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &now), 0);
    return old;
}

static void
some_descriptors_are_not_for_connections(void **state)
{
    struct rlimit old = set_files(1024);

    (void)state;
    assert_true(spare_is_left(1023 - SPARE_FILES, 1));
    assert_false(spare_is_left(1024 - SPARE_FILES, 1));
    (void)set_files(256);
    assert_true(spare_is_left(223, 1));
    assert_false(spare_is_left(224, 1));
    assert_true(spare_is_left(191, 2));
    assert_false(spare_is_left(192, 2));
    (void)set_files(old.rlim_cur);
}

/* ---- through core ---- */

static bool
is_closed(int fd)
{
    const struct timeval wait = {.tv_sec = WAIT_MS / 1000};
    char byte;

    assert_int_equal(
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait)), 0);
    /* Core says its settings first. */
    return recv(fd, &byte, 1, 0) <= 0;
}

static struct sockaddr_in
address_of(const struct echo_server *fix)
{
    struct sockaddr_in at = {.sin_family = AF_INET};

    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    at.sin_port = htons(grpc_endpoint_port(fix->endpoint));
    return at;
}

static void
expect_an_answer(struct echo_server *fix)
{
    struct grpc_answer answer =
        echo_server_call(fix, EXPORT_PATH, STR("x"), false);

    assert_int_equal(answer.status, 0);
    grpc_answer_fini(&answer);
}

static void
who_comes_when_descriptors_lack_is_closed_and_the_next_served(void **state)
{
    struct echo_server fix = echo_server_with(ECHO_BACK);

    (void)state;
    echo_server_open(&fix);
    struct sockaddr_in at = address_of(&fix);
    int next = connect_to(&at);
    close(next); /* the number that is free */
    struct rlimit old = set_files((rlim_t)next + 2);
    int refused = connect_to(&at);
    assert_true(is_closed(refused));
    close(refused);
    (void)set_files(old.rlim_cur);
    expect_an_answer(&fix);
    echo_server_close(&fix);
}

static void
one_too_many_is_closed_until_another_has_gone(void **state)
{
    enum { MOST = 3 };
    struct echo_server fix = echo_server_with(ECHO_BACK);
    int fds[MOST];

    (void)state;
    fix.listener.limits.connections = MOST;
    echo_server_open(&fix);
    struct sockaddr_in at = address_of(&fix);
    for (int i = 0; i < MOST; i++)
        fds[i] = connect_to(&at);
    for (int round = 0; round < 2; round++) {
        int refused = connect_to(&at);
        assert_true(is_closed(refused));
        close(refused);
    }
    for (int i = 0; i < MOST; i++) {
        assert_false(is_closed(fds[i]));
        close(fds[i]);
    }
    for (int i = 0; i < MOST; i++) {
        usleep(100000); /* for core to see the end */
        expect_an_answer(&fix);
    }
    echo_server_close(&fix);
}

static int
connect_from(const struct sockaddr_in *at, uint32_t address)
{
    struct sockaddr_in from = {.sin_family = AF_INET};
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    from.sin_addr.s_addr = htonl(address);
    assert_int_equal(bind(fd, (struct sockaddr *)&from, sizeof(from)), 0);
    assert_int_equal(connect(fd, (const struct sockaddr *)at, sizeof(*at)), 0);
    return fd;
}

static void
an_address_has_its_number_and_others_theirs(void **state)
{
    enum { MOST = 2, ADDRESSES = 3 };
    struct echo_server fix = echo_server_with(ECHO_BACK);
    int fds[ADDRESSES][MOST];

    (void)state;
    fix.listener.limits.address_connections = MOST;
    echo_server_open(&fix);
    struct sockaddr_in at = address_of(&fix);
    for (uint32_t a = 0; a < ADDRESSES; a++) {
        for (int i = 0; i < MOST; i++)
            fds[a][i] = connect_from(&at, INADDR_LOOPBACK + 1 + a);
        for (int round = 0; round < 2; round++) {
            int refused = connect_from(&at, INADDR_LOOPBACK + 1 + a);
            assert_true(is_closed(refused));
            close(refused);
        }
    }
    expect_an_answer(&fix); /* from an address of its own */
    for (uint32_t a = 0; a < ADDRESSES; a++)
        assert_false(is_closed(fds[a][0]));
    close(fds[0][0]);
    usleep(100000); /* for core to see the end */
    fds[0][0] = connect_from(&at, INADDR_LOOPBACK + 1);
    assert_false(is_closed(fds[0][0]));
    for (uint32_t a = 0; a < ADDRESSES; a++)
        for (int i = 0; i < MOST; i++)
            close(fds[a][i]);
    echo_server_close(&fix);
}

struct acceptor {
    int listener;
    pthread_barrier_t *begin;
    int fds[16];
    size_t len;
};

static void *
accept_all(void *ctx)
{
    struct acceptor *acceptor = ctx;
    int fd;

    acceptor->len = 0;
    (void)pthread_barrier_wait(acceptor->begin);
    while ((fd = accept4(acceptor->listener, NULL, NULL, SOCK_CLOEXEC)) >= 0)
        acceptor->fds[acceptor->len++] = fd;
    return NULL;
}

/* Accepts one connection behind |count| descriptors: all of them are looked at
 * for each that comes later. */
static void
accept_far_off(int listener, const struct sockaddr_in *at, size_t count)
{
    int *fds = calloc(count, sizeof(*fds));
    int client = connect_to(at);

    assert_non_null(fds);
    for (size_t i = 0; i < count; i++)
        assert_true((fds[i] = dup(listener)) >= 0);
    int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    assert_true(fd >= (int)count);
    close(fd);
    for (size_t i = 0; i < count; i++)
        close(fds[i]);
    close(client);
    free(fds);
}

/* Core accepts on whichever of its threads is told. */
static void
an_address_has_no_more_when_threads_accept_at_once(void **state)
{
    enum { MOST = 6, THREADS = 4, CONNECTIONS = 12, ROUNDS = 300, FAR = 3000 };
    struct rlimit old = set_files(FAR + 1000);
    struct sockaddr_in at;
    int listener = listen_here(&at);
    int epoll = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN, .data.fd = listener};
    struct acceptor acceptors[THREADS];
    pthread_barrier_t begin;

    (void)state;
    portion_learn(1000, MOST, false);
    assert_int_equal(epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &event), 0);
    portion_learnt();
    assert_int_equal(pthread_barrier_init(&begin, NULL, THREADS), 0);
    accept_far_off(listener, &at, FAR);
    for (int round = 0; round < ROUNDS; round++) {
        pthread_t threads[THREADS];
        int clients[CONNECTIONS];
        size_t let_in = 0;

        for (int i = 0; i < CONNECTIONS; i++)
            clients[i] = connect_to(&at);
        for (int i = 0; i < THREADS; i++) {
            acceptors[i] =
                (struct acceptor){.listener = listener, .begin = &begin};
            assert_int_equal(
                pthread_create(&threads[i], NULL, accept_all, &acceptors[i]),
                0);
        }
        for (int i = 0; i < THREADS; i++)
            pthread_join(threads[i], NULL);
        for (int i = 0; i < THREADS; i++)
            for (let_in += acceptors[i].len; acceptors[i].len > 0;)
                close(acceptors[i].fds[--acceptors[i].len]);
        for (int i = 0; i < CONNECTIONS; i++)
            close(clients[i]);
        assert_int_equal(let_in, MOST);
    }
    pthread_barrier_destroy(&begin);
    close(epoll);
    close(listener);
    (void)set_files(old.rlim_cur);
}

/* Accept itself fails. */
static void
a_listener_hears_again_once_there_are_descriptors(void **state)
{
    struct echo_server fix = echo_server_with(ECHO_BACK);

    (void)state;
    echo_server_open(&fix);
    struct sockaddr_in at = address_of(&fix);
    int waits = socket(AF_INET, SOCK_STREAM, 0);
    struct rlimit old = set_files(3); /* below all that are open */
    assert_int_equal(connect(waits, (struct sockaddr *)&at, sizeof(at)), 0);
    usleep(100000); /* for core to try */
    (void)set_files(old.rlim_cur);
    expect_an_answer(&fix);
    assert_int_equal(send(waits, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 24, 0),
                     24);
    assert_false(is_closed(waits));
    close(waits);
    echo_server_close(&fix);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_left_of_a_flood_is_told_anew),
        cmocka_unit_test(portions_are_of_one_socket_and_an_end_is_always_seen),
        cmocka_unit_test(only_listeners_of_core_accept_without_errors),
        cmocka_unit_test(some_descriptors_are_not_for_connections),
        cmocka_unit_test(
            who_comes_when_descriptors_lack_is_closed_and_the_next_served),
        cmocka_unit_test(one_too_many_is_closed_until_another_has_gone),
        cmocka_unit_test(an_address_has_its_number_and_others_theirs),
        cmocka_unit_test(an_address_has_no_more_when_threads_accept_at_once),
        cmocka_unit_test(a_listener_hears_again_once_there_are_descriptors),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
