/*
 * A name that changes what it means between the look at it and the connection:
 * the address that was looked at is the one that is used, and no other.
 *
 * getaddrinfo of this program is found before that of libc, by libcurl too.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <dlfcn.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <unistd.h>

#include "crawl/http.h"

typedef int getaddrinfo_fn(const char *node, const char *service,
                           const struct addrinfo *hints, struct addrinfo **out);

static const char *answers[2]; /* of the first resolution, and of all others */
static atomic_uint resolved;

int
getaddrinfo(const char *node, const char *service, const struct addrinfo *hints,
            struct addrinfo **out)
{
    static getaddrinfo_fn *real;

    if (!real) {
        void *at = dlsym(RTLD_NEXT, "getaddrinfo");
        memcpy(&real, &at, sizeof(at));
    }
    if (node && strcmp(node, "rebind.test") == 0)
        node = answers[atomic_fetch_add(&resolved, 1) > 0];
    return real(node, service, hints, out);
}

/* ---- two machines that would answer, on one port ---- */

enum { MACHINES = 2 };

static struct {
    int listeners[MACHINES]; /* 127.0.0.1, 127.0.0.2 */
    int stop[2];
    pthread_t thread;
    atomic_uint asked[MACHINES];
    uint16_t port;
    struct http *http;
    struct http_cfg cfg;
    const char *allow[1];
} it;

static void
answer(int machine)
{
    static const char reply[] = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n"
                                "Connection: close\r\n\r\nok";
    char head[4096];
    int fd = accept(it.listeners[machine], NULL, NULL);

    atomic_fetch_add(&it.asked[machine], 1);
    if (read(fd, head, sizeof(head)) > 0)
        (void)!write(fd, reply, strlen(reply));
    close(fd);
}

static void *
serve(void *arg)
{
    struct pollfd fds[MACHINES + 1] = {{it.listeners[0], POLLIN, 0},
                                       {it.listeners[1], POLLIN, 0},
                                       {it.stop[0], POLLIN, 0}};

    (void)arg;
    while (poll(fds, MACHINES + 1, -1) > 0 && !fds[MACHINES].revents)
        for (int i = 0; i < MACHINES; i++)
            if (fds[i].revents)
                answer(i);
    return NULL;
}

static int
open_all(void **state)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t len = sizeof(address);
    struct buf why = {0};

    (void)state;
    memset(&it, 0, sizeof(it));
    for (int i = 0; i < MACHINES; i++) {
        it.listeners[i] = socket(AF_INET, SOCK_STREAM, 0);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK + (uint32_t)i);
        address.sin_port = htons(it.port);
        assert_int_equal(
            bind(it.listeners[i], (struct sockaddr *)&address, len), 0);
        assert_int_equal(listen(it.listeners[i], 8), 0);
        assert_int_equal(
            getsockname(it.listeners[i], (struct sockaddr *)&address, &len), 0);
        it.port = ntohs(address.sin_port);
    }
    assert_int_equal(pipe(it.stop), 0);
    assert_int_equal(pthread_create(&it.thread, NULL, serve, NULL), 0);
    it.allow[0] = "127.0.0.1";
    it.cfg = (struct http_cfg){
        .agent = "test/1",
        .allow = it.allow,
        .allow_len = 1,
        .timeout_ms = 5000,
        .control_fd = -1,
    };
    assert_int_equal(http_open(&it.http, &it.cfg, &why), OK);
    atomic_store(&resolved, 0);
    return 0;
}

static int
close_all(void **state)
{
    (void)state;
    http_close(it.http);
    close(it.stop[1]);
    pthread_join(it.thread, NULL);
    close(it.stop[0]);
    for (int i = 0; i < MACHINES; i++)
        close(it.listeners[i]);
    return 0;
}

static enum http_end
get(const char *first, const char *later, long *status)
{
    struct http_reply reply = {0};
    struct url url;
    char text[64];

    answers[0] = first;
    answers[1] = later;
    (void)snprintf(text, sizeof(text), "http://rebind.test:%u/", it.port);
    assert_int_equal(url_parse(str_of(text), &url, NULL), OK);
    const struct http_ask ask = {.url = &url, .max_bytes = 1000};
    assert_int_equal(http_get(it.http, &ask, &reply), OK);
    enum http_end end = reply.end;
    *status = reply.status;
    http_reply_fini(&reply);
    url_fini(&url);
    return end;
}

static void
the_address_that_was_allowed_is_the_one_that_is_asked(void **state)
{
    long status = 0;

    (void)state;
    assert_int_equal(get("127.0.0.1", "127.0.0.2", &status), HTTP_OK);
    assert_int_equal(status, 200);
    assert_int_equal(atomic_load(&resolved), 1);
    assert_int_equal(atomic_load(&it.asked[0]), 1);
    assert_int_equal(atomic_load(&it.asked[1]), 0);
    /* The next page: the old address, or the new one and that is refused. */
    enum http_end end = get("127.0.0.1", "127.0.0.2", &status);
    assert_true(end == HTTP_REFUSED ||
                (end == HTTP_OK && atomic_load(&it.asked[0]) == 2));
    assert_int_equal(atomic_load(&it.asked[1]), 0);
}

static void
an_address_that_is_refused_is_not_asked_for_again(void **state)
{
    long status = 0;

    (void)state;
    assert_int_equal(get("127.0.0.2", "127.0.0.1", &status), HTTP_REFUSED);
    assert_int_equal(atomic_load(&resolved), 1);
    assert_int_equal(atomic_load(&it.asked[0]), 0);
    assert_int_equal(atomic_load(&it.asked[1]), 0);
}

static void
each_new_look_is_checked_anew(void **state)
{
    long status = 0;
    struct buf why = {0};

    (void)state;
    assert_int_equal(get("127.0.0.1", "127.0.0.2", &status), HTTP_OK);
    /* Another handle knows nothing of the first, so it resolves again. */
    http_close(it.http);
    it.http = NULL;
    assert_int_equal(http_open(&it.http, &it.cfg, &why), OK);
    assert_int_equal(get("127.0.0.1", "127.0.0.2", &status), HTTP_REFUSED);
    assert_int_equal(atomic_load(&resolved), 2);
    assert_int_equal(atomic_load(&it.asked[1]), 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_all, close_all)
        TEST(the_address_that_was_allowed_is_the_one_that_is_asked),
        TEST(an_address_that_is_refused_is_not_asked_for_again),
        TEST(each_new_look_is_checked_anew),
#undef TEST
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
