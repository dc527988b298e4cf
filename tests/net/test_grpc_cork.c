#include "net/grpc_cork.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"

enum { WAIT_MS = 5000, TRIES = 10 };

struct pair {
    struct cork cork;
    int fd;   /* ours */
    int peer; /* who reads */
};

static void
open_pair(struct pair *pair)
{
    struct sockaddr_in at = {.sin_family = AF_INET};
    socklen_t len = sizeof(at);
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    const int on = 1;

    *pair = (struct pair){.fd = socket(AF_INET, SOCK_STREAM, 0)};
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_int_equal(bind(listener, (struct sockaddr *)&at, len), 0);
    assert_int_equal(listen(listener, 1), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&at, &len), 0);
    assert_int_equal(connect(pair->fd, (struct sockaddr *)&at, len), 0);
    pair->peer = accept(listener, NULL, NULL);
    assert_true(pair->peer >= 0);
    assert_int_equal(
        setsockopt(pair->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)), 0);
    close(listener);
}

static void
close_pair(struct pair *pair)
{
    close(pair->fd);
    close(pair->peer);
}

static void
send_to(int fd, const char *text)
{
    struct iovec part = {(void *)(uintptr_t)text, strlen(text)};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};

    assert_int_equal(sendmsg(fd, &message, MSG_NOSIGNAL), strlen(text));
}

/* As core does it while a call with |len| bytes is worked on. */
static void
answer(struct pair *pair, size_t len, const char *text)
{
    cork_begin(&pair->cork, len);
    send_to(pair->fd, text);
    cork_end();
}

static void
expect(const struct pair *pair, const char *text)
{
    struct pollfd readable = {.fd = pair->peer, .events = POLLIN};
    char got[16] = "";
    size_t len = 0;

    while (len < strlen(text)) {
        assert_int_equal(poll(&readable, 1, WAIT_MS), 1);
        ssize_t more = recv(pair->peer, got + len, sizeof(got) - 1 - len, 0);
        assert_true(more > 0);
        len += (size_t)more;
    }
    assert_string_equal(got, text);
}

static int
unsent(const struct pair *pair)
{
    int bytes = 0;

    assert_int_equal(ioctl(pair->fd, SIOCOUTQNSD, &bytes), 0);
    return bytes;
}

static void
what_follows_the_first_of_a_round_waits_for_its_end(void **state)
{
    struct pair pair;
    int waiting = 0;

    (void)state;
    /* The system holds nothing back for more than 200 ms: who is not let run
     * for so long finds it sent. */
    for (int i = 0; i < TRIES && waiting != 2; i++) {
        open_pair(&pair);
        answer(&pair, 1, "a");
        assert_int_equal(pair.cork.held, 0);
        expect(&pair, "a");
        answer(&pair, 1, "b");
        answer(&pair, 1, "c");
        waiting = unsent(&pair);
        assert_int_equal(pair.cork.held, 2);
        cork_flush(&pair.cork);
        assert_int_equal(pair.cork.held, 0);
        assert_int_equal(unsent(&pair), 0);
        expect(&pair, "bc");
        close_pair(&pair);
    }
    assert_int_equal(waiting, 2);
}

static void
after_a_round_of_many_the_first_waits_too_and_of_one_no_longer(void **state)
{
    struct pair pair;

    (void)state;
    open_pair(&pair);
    answer(&pair, 1, "a");
    answer(&pair, 1, "b");
    cork_flush(&pair.cork);
    answer(&pair, 1, "c");
    assert_int_equal(pair.cork.held, 1);
    cork_flush(&pair.cork);
    answer(&pair, 1, "d");
    assert_int_equal(pair.cork.held, 0);
    expect(&pair, "abcd");
    close_pair(&pair);
}

static void
nothing_waits_while_long_work_is_done(void **state)
{
    struct pair pair;

    (void)state;
    open_pair(&pair);
    answer(&pair, CORK_WORK_BYTES, "a");
    answer(&pair, CORK_WORK_BYTES, "b");
    assert_int_equal(pair.cork.held, 1);
    cork_begin(&pair.cork, CORK_WORK_BYTES + 1);
    assert_int_equal(pair.cork.held, 0);
    expect(&pair, "ab");
    send_to(pair.fd, "c");
    send_to(pair.fd, "d");
    cork_end();
    assert_int_equal(pair.cork.held, 0);
    expect(&pair, "cd");
    close_pair(&pair);
}

static void
what_is_sent_at_other_times_goes_at_once(void **state)
{
    struct pair pair;

    (void)state;
    open_pair(&pair);
    answer(&pair, 1, "a");
    for (int i = 0; i < 3; i++)
        send_to(pair.fd, "b");
    assert_int_equal(pair.cork.held, 0);
    assert_int_equal(pair.cork.sockets[pair.fd % CORK_SOCKETS].sends, 1);
    expect(&pair, "abbb");
    close_pair(&pair);
}

static void
one_of_two_sockets_in_a_place_waits_the_other_does_not(void **state)
{
    struct pair pair;
    struct pair other;

    (void)state;
    open_pair(&pair);
    open_pair(&other);
    int same = dup2(other.fd, pair.fd + CORK_SOCKETS);
    assert_int_equal(same, pair.fd + CORK_SOCKETS);
    answer(&pair, 1, "a");
    cork_begin(&pair.cork, 1);
    send_to(same, "x");
    send_to(same, "y");
    cork_end();
    assert_int_equal(pair.cork.held, 0);
    expect(&other, "xy");
    cork_flush(&pair.cork);
    cork_begin(&pair.cork, 1); /* the place is free for the other one */
    send_to(same, "x");
    send_to(same, "y");
    cork_end();
    assert_int_equal(pair.cork.held, 1);
    cork_flush(&pair.cork);
    expect(&other, "xy");
    expect(&pair, "a");
    close(same);
    close_pair(&other);
    close_pair(&pair);
}

static void
a_socket_closed_meanwhile_has_sent_it_all(void **state)
{
    struct pair pair;
    char end;

    (void)state;
    open_pair(&pair);
    answer(&pair, 1, "a");
    answer(&pair, 1, "b");
    assert_int_equal(pair.cork.held, 1);
    close(pair.fd);
    expect(&pair, "ab");
    assert_int_equal(recv(pair.peer, &end, 1, 0), 0);
    cork_flush(&pair.cork);
    assert_int_equal(pair.cork.held, 0);
    close(pair.peer);
}

static void
it_is_due_after_its_time_if_something_waits(void **state)
{
    struct cork cork = {.since_ns = 1};
    bool is_early = true;

    (void)state;
    assert_false(cork_is_due(&cork));
    cork.held = 1;
    cork.since_ns = clock_mono_ns() - CORK_NS;
    assert_true(cork_is_due(&cork));
    for (int i = 0; i < TRIES && is_early; i++) {
        cork.since_ns = clock_mono_ns();
        is_early = cork_is_due(&cork);
    }
    assert_false(is_early);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_follows_the_first_of_a_round_waits_for_its_end),
        cmocka_unit_test(
            after_a_round_of_many_the_first_waits_too_and_of_one_no_longer),
        cmocka_unit_test(nothing_waits_while_long_work_is_done),
        cmocka_unit_test(what_is_sent_at_other_times_goes_at_once),
        cmocka_unit_test(
            one_of_two_sockets_in_a_place_waits_the_other_does_not),
        cmocka_unit_test(a_socket_closed_meanwhile_has_sent_it_all),
        cmocka_unit_test(it_is_due_after_its_time_if_something_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
