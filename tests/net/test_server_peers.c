/* Peers that are too many, too slow, too old or do not read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/metrics.h"
#include "tests/support/net_kit.h"

#define GET(path) "GET " path " HTTP/1.1\r\nHost: h\r\n\r\n"

static void
two_connections(struct server_listener *listener)
{
    listener->limits.connections = 2;
}

static void
two_of_each_address(struct server_listener *listener)
{
    listener->limits.connections = 5;
    listener->limits.address_connections = 2;
}

static int
connect_from(const struct kit *kit, const char *address)
{
    struct sockaddr_in from = {.sin_family = AF_INET};
    struct sockaddr_in to = {
        .sin_family = AF_INET,
        .sin_port = htons(kit->port),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
    };
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    assert_int_equal(inet_pton(AF_INET, address, &from.sin_addr), 1);
    assert_int_equal(bind(fd, (struct sockaddr *)&from, sizeof(from)), 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof(to)), 0);
    return fd;
}

static bool
is_served(int fd)
{
    struct buf out = {.cap_max = 0};

    kit_send(fd, STR(GET("/echo")));
    kit_recv(fd, &out, STR("GET /echo"), 1);
    bool served = kit_has(&out, "GET /echo");
    buf_fini(&out);
    return served;
}

static void
one_address_has_so_many_and_leaves_the_others_theirs(void **state)
{
    struct kit kit;
    struct buf out = {.cap_max = 0};
    int fd[2];

    (void)state;
    kit_start(&kit, two_of_each_address);
    for (int i = 0; i < 2; i++)
        assert_true(is_served(fd[i] = connect_from(&kit, "127.0.0.1")));
    int more = connect_from(&kit, "127.0.0.1");
    assert_true(kit_recv_all(more, &out));
    assert_int_equal(out.len, 0);
    close(more);
    int other = connect_from(&kit, "127.0.0.2");
    assert_true(is_served(other));
    close(fd[0]); /* makes room for another */
    bool served = false;
    for (int i = 0; i < 100 && !served; i++) {
        usleep(10000);
        more = connect_from(&kit, "127.0.0.1");
        served = is_served(more);
        close(more);
    }
    assert_true(served);
    close(fd[1]);
    close(other);
    buf_fini(&out);
    kit_stop(&kit);
}

/* An address of this machine by which others would reach it. */
static bool
find_outer_address(struct sockaddr_in *out)
{
    struct ifaddrs *all = NULL;
    bool found = false;

    assert_int_equal(getifaddrs(&all), 0);
    for (struct ifaddrs *one = all; one && !found; one = one->ifa_next) {
        found = one->ifa_addr && one->ifa_addr->sa_family == AF_INET &&
                !(one->ifa_flags & IFF_LOOPBACK);
        if (found)
            memcpy(out, one->ifa_addr, sizeof(*out));
    }
    freeifaddrs(all);
    return found;
}

static void
room_for_two_bodies(struct server_listener *listener)
{
    listener->address = "0.0.0.0";
    listener->limits.budget_bytes = 2 * (1000 + REQUEST_PAD);
}

/* Declares a body, and another; is the second refused? */
static bool
is_second_refused(const struct kit *kit, struct sockaddr_in to)
{
    struct buf out = {.cap_max = 0};
    int fd[2];

    to.sin_port = htons(kit->port);
    for (int i = 0; i < 2; i++) {
        fd[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        assert_int_equal(connect(fd[i], (struct sockaddr *)&to, sizeof(to)), 0);
        kit_send(fd[i], STR("POST /echo HTTP/1.1\r\nHost: h\r\n"
                            "Content-Length: 1000\r\n\r\n"));
        while (i == 0 && metrics_get(METRIC_MEMORY_RESERVED) == 0)
            usleep(1000);
    }
    for (int i = 0; i < 1000; i++)
        kit_send(fd[1], STR("b"));
    kit_recv(fd[1], &out, STR("\r\n\r\n"), 1);
    bool is_refused = kit_has(&out, "HTTP/1.1 404"); /* 400 + NO_ROOM */
    assert_true(is_refused || kit_has(&out, "HTTP/1.1 200"));
    close(fd[0]);
    close(fd[1]);
    while (metrics_get(METRIC_MEMORY_RESERVED))
        usleep(1000);
    buf_fini(&out);
    return is_refused;
}

static void
bodies_of_an_address_share_room_but_for_those_of_this_machine(void **state)
{
    struct kit kit;
    struct sockaddr_in outer;
    struct sockaddr_in local = {.sin_family = AF_INET,
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};

    (void)state;
    kit_start(&kit, room_for_two_bodies);
    assert_false(is_second_refused(&kit, local));
    if (find_outer_address(&outer))
        assert_true(is_second_refused(&kit, outer));
    else
        print_message("no address but of this machine\n");
    kit_stop(&kit);
}

static void
one_connection_too_many_is_closed(void **state)
{
    struct kit kit;
    struct buf out = {.cap_max = 0};

    (void)state;
    kit_start(&kit, two_connections);
    int a = kit_connect(&kit);
    int b = kit_connect(&kit);
    kit_send(a, STR(GET("/echo")));
    kit_recv(a, &out, STR("GET /echo"), 1);
    kit_send(b, STR(GET("/echo")));
    kit_recv(b, &out, STR("GET /echo"), 2);
    assert_int_equal(metrics_get(METRIC_CONNECTIONS), 2);
    buf_reset(&out);
    int c = kit_connect(&kit);
    assert_true(kit_recv_all(c, &out));
    assert_int_equal(out.len, 0);
    /* one that goes makes room for another */
    close(a);
    close(c);
    for (int i = 0; i < 100 && out.len == 0; i++) {
        usleep(10000);
        c = kit_connect(&kit);
        kit_send(c, STR(GET("/echo")));
        kit_recv(c, &out, STR("GET /echo"), 1);
        close(c);
    }
    assert_true(kit_has(&out, "GET /echo"));
    close(b);
    buf_fini(&out);
    kit_stop(&kit);
    assert_int_equal(metrics_get(METRIC_CONNECTIONS), 0);
}

static void
without_descriptors_newcomers_wait_and_others_are_served(void **state)
{
    struct kit kit;
    struct sockaddr_in addr;
    socklen_t len = sizeof(addr);
    struct rlimit old;
    struct rlimit low;
    struct buf out = {.cap_max = 0};

    (void)state;
    kit_start(&kit, NULL);
    int first = kit_connect(&kit);
    kit_send(first, STR(GET("/echo")));
    kit_recv(first, &out, STR("GET /echo"), 1);
    int next = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(getpeername(first, (struct sockaddr *)&addr, &len), 0);
    getrlimit(RLIMIT_NOFILE, &old);
    low = old;
    low.rlim_cur = 3; /* below all that are open: one that closes helps none */
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
    assert_int_equal(connect(next, (struct sockaddr *)&addr, len), 0);
    kit_send(next, STR(GET("/echo")));
    usleep(150000);
    kit_send(first, STR(GET("/echo")));
    kit_recv(first, &out, STR("GET /echo"), 2);
    assert_int_equal(kit_count(&out, STR("GET /echo")), 2);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
    kit_recv(next, &out, STR("GET /echo"), 3);
    assert_int_equal(kit_count(&out, STR("GET /echo")), 3);
    close(next);
    close(first);
    buf_fini(&out);
    kit_stop(&kit);
}

static void
the_last_descriptors_are_not_for_connections(void **state)
{
    struct kit kit;
    struct rlimit old;
    struct buf out = {.cap_max = 0};

    (void)state;
    kit_start(&kit, NULL);
    int first = kit_connect(&kit);
    kit_send(first, STR(GET("/echo")));
    kit_recv(first, &out, STR("GET /echo"), 1);
    int free_fd = dup(first);
    close(free_fd);
    getrlimit(RLIMIT_NOFILE, &old);
    struct rlimit low = {(rlim_t)free_fd + 2, old.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
    int next = kit_connect(&kit);
    assert_int_equal(next, free_fd);
    buf_reset(&out);
    assert_true(kit_recv_all(next, &out));
    assert_int_equal(out.len, 0);
    close(next);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
    next = kit_connect(&kit);
    kit_send(next, STR(GET("/echo")));
    kit_recv(next, &out, STR("GET /echo"), 1);
    assert_int_equal(kit_count(&out, STR("GET /echo")), 1);
    close(next);
    close(first);
    buf_fini(&out);
    kit_stop(&kit);
}

static void
short_times(struct server_listener *listener)
{
    listener->limits.header_ms = 200;
    listener->limits.idle_ms = 300;
    listener->limits.write_ms = 300;
}

static void
a_socket_that_is_slow_or_silent_is_closed(void **state)
{
    struct kit kit;
    struct buf out = {.cap_max = 0};

    (void)state;
    kit_start(&kit, short_times);
    int silent = kit_connect(&kit);
    int slow = kit_connect(&kit);
    int idle = kit_connect(&kit);
    kit_send(slow, STR("GET /ec"));
    kit_send(idle, STR(GET("/echo")));
    assert_true(kit_recv_all(silent, &out));
    assert_int_equal(out.len, 0);
    assert_true(kit_recv_all(slow, &out));
    assert_true(kit_has(&out, "HTTP/1.1 408"));
    assert_true(kit_recv_all(idle, &out));
    assert_true(kit_has(&out, "HTTP/1.1 200"));
    close(silent);
    close(slow);
    close(idle);
    buf_fini(&out);
    kit_stop(&kit);
}

static void
a_peer_that_does_not_read_is_closed(void **state)
{
    struct kit kit;
    uint64_t end = clock_mono_ns() + 5 * NS_PER_S;

    (void)state;
    kit_start(&kit, short_times);
    int fd = kit_connect(&kit);
    for (int i = 0; i < 40; i++)
        kit_send(fd, STR(GET("/big")));
    usleep(50000);
    assert_int_equal(metrics_get(METRIC_CONNECTIONS), 1);
    while (metrics_get(METRIC_CONNECTIONS) && clock_mono_ns() < end)
        usleep(10000);
    assert_int_equal(metrics_get(METRIC_CONNECTIONS), 0);
    close(fd);
    kit_stop(&kit);
}

static void
young(struct server_listener *listener)
{
    listener->limits.max_age_ms = 200;
}

static void
an_old_connection_is_closed_after_its_answer(void **state)
{
    struct kit kit;
    struct buf out = {.cap_max = 0};

    (void)state;
    kit_start(&kit, young);
    int busy = kit_connect(&kit);
    int idle = kit_connect(&kit);
    kit_send(busy, STR(GET("/hold")));
    kit_send(idle, STR(GET("/echo")));
    struct request *req = kit_held(&kit, 1);
    assert_true(kit_recv_all(idle, &out));
    usleep(100000);
    request_reply(req, &(struct reply){.status = 200});
    assert_true(kit_recv_all(busy, &out));
    assert_int_equal(kit_count(&out, STR("HTTP/1.1 200")), 2);
    assert_int_equal(kit_count(&out, STR("connection: close")), 1);
    close(busy);
    close(idle);
    buf_fini(&out);
    kit_stop(&kit);
}

static void
aged(struct server_listener *listener)
{
    listener->limits.max_age_ms = 2000;
}

static void
connections_that_came_at_once_do_not_go_at_once(void **state)
{
    enum { CLIENTS = 8 };
    struct pollfd fds[CLIENTS];
    uint64_t gone_ns[CLIENTS];
    struct buf out = {.cap_max = 0};
    struct kit kit;
    size_t gone = 0;

    (void)state;
    kit_start(&kit, aged);
    for (size_t i = 0; i < CLIENTS; i++) {
        fds[i] = (struct pollfd){.fd = kit_connect(&kit), .events = POLLIN};
        kit_send(fds[i].fd, STR(GET("/echo")));
        kit_recv(fds[i].fd, &out, STR("HTTP/1.1 200"), i + 1);
    }
    uint64_t begin_ns = clock_mono_ns();
    while (gone < CLIENTS) {
        assert_true(poll(fds, CLIENTS, 10000) > 0);
        for (size_t i = 0; i < CLIENTS; i++) {
            if (fds[i].revents == 0)
                continue;
            gone_ns[gone++] = clock_mono_ns() - begin_ns;
            close(fds[i].fd);
            fds[i].fd = -1;
        }
    }
    assert_true(gone_ns[0] > 1700 * NS_PER_MS);
    assert_true(gone_ns[CLIENTS - 1] - gone_ns[0] > 150 * NS_PER_MS);
    buf_fini(&out);
    kit_stop(&kit);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_connection_too_many_is_closed),
        cmocka_unit_test(one_address_has_so_many_and_leaves_the_others_theirs),
        cmocka_unit_test(
            bodies_of_an_address_share_room_but_for_those_of_this_machine),
        cmocka_unit_test(
            without_descriptors_newcomers_wait_and_others_are_served),
        cmocka_unit_test(the_last_descriptors_are_not_for_connections),
        cmocka_unit_test(a_socket_that_is_slow_or_silent_is_closed),
        cmocka_unit_test(a_peer_that_does_not_read_is_closed),
        cmocka_unit_test(an_old_connection_is_closed_after_its_answer),
        cmocka_unit_test(connections_that_came_at_once_do_not_go_at_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
