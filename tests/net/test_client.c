#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "net/client.h"
#include "tests/support/fake_gateway.h"

struct fixture {
    struct fake_gateway gateway;
    struct client *client;
    struct client_answer answer;
    struct buf why;
};

static void
open_client(struct fixture *f, const struct fake_step *steps, size_t len)
{
    *f = (struct fixture){0};
    fake_gateway_start(&f->gateway, steps, len, 0);
    const struct client_cfg cfg = {.url = f->gateway.url, .stop_fd = -1};
    assert_int_equal(client_open(&f->client, &cfg, &f->why), OK);
}

static void
close_client(struct fixture *f)
{
    client_close(f->client);
    fake_gateway_stop(&f->gateway);
    buf_fini(&f->answer.body);
    buf_fini(&f->answer.retry_after);
    buf_fini(&f->why);
}

static enum err
post(struct fixture *f, str body, uint32_t timeout_ms)
{
    const struct client_request req = {.method = "POST",
                                       .headers = "X-Test: yes\r\n",
                                       .body = body,
                                       .timeout_ms = timeout_ms};

    buf_reset(&f->why);
    return client_send(f->client, &req, &f->answer, &f->why);
}

static bool
holds(const struct buf *text, const char *what)
{
    return text->len && memmem(text->ptr, text->len, what, strlen(what));
}

static void
one_connection_carries_many_requests(void **state)
{
    struct fixture f;

    (void)state;
    open_client(&f, NULL, 0);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(post(&f, STR("hello"), 5000), OK);
        assert_int_equal(f.answer.status, 200);
        assert_true(f.answer.is_sent);
    }
    assert_true(fake_gateway_wait(&f.gateway, 5));
    assert_int_equal(f.gateway.connections, 1);
    assert_true(holds(&f.gateway.got[4].head, "POST / HTTP/1.1\r\nHost: 127."));
    assert_true(holds(&f.gateway.got[4].head, "\r\nX-Test: yes\r\n"));
    assert_true(str_eq(buf_str(&f.gateway.got[4].body), STR("hello")));
    close_client(&f);
}

static void
a_large_body_arrives_whole(void **state)
{
    struct fixture f;
    struct buf body = {0};

    (void)state;
    open_client(&f, NULL, 0);
    for (uint32_t i = 0; i < 1 << 20; i++)
        buf_add(&body, (str){(const char *)&i, sizeof(i)});
    assert_int_equal(post(&f, buf_str(&body), 20000), OK);
    assert_true(fake_gateway_wait(&f.gateway, 1));
    assert_true(str_eq(buf_str(&f.gateway.got[0].body), buf_str(&body)));
    buf_fini(&body);
    close_client(&f);
}

static void
the_answer_comes_with_its_body_and_when_to_come_back(void **state)
{
    static const struct fake_step steps[] = {
        {.status = 503,
         .headers = "X-Other: 1\r\nretry-AFTER: 17\r\nX-More: 2\r\n",
         .body = STR_INIT("later")},
        {.status = 200, .headers = "Retry-Afterwards: 3\r\n"},
    };
    struct fixture f;

    (void)state;
    open_client(&f, steps, 2);
    assert_int_equal(post(&f, STR(""), 5000), OK);
    assert_int_equal(f.answer.status, 503);
    assert_string_equal(buf_cstr(&f.answer.retry_after), "17");
    assert_string_equal(buf_cstr(&f.answer.body), "later");
    assert_int_equal(post(&f, STR(""), 5000), OK);
    assert_int_equal(f.answer.status, 200);
    assert_int_equal(f.answer.retry_after.len, 0);
    assert_int_equal(f.answer.body.len, 0);
    close_client(&f);
}

static void
a_connection_that_was_closed_meanwhile_is_made_anew(void **state)
{
    static const struct fake_step steps[] = {
        {.act = FAKE_LEAVE},
        {.act = FAKE_ANSWER, .headers = "Connection: close\r\n"},
        {.act = FAKE_LEAVE},
    };
    struct fixture f;

    (void)state;
    open_client(&f, steps, 3);
    for (int i = 0; i < 4; i++)
        assert_int_equal(post(&f, STR("x"), 5000), OK);
    assert_int_equal(fake_gateway_got(&f.gateway), 4);
    assert_int_equal(f.gateway.connections, 4);
    close_client(&f);
}

/* What went out whole may have been taken, and the caller is told. */
static void
an_answer_that_does_not_come_whole_is_none(void **state)
{
    static const struct fake_step steps[] = {
        {.act = FAKE_HANG_UP},
        {.act = FAKE_CUT, .body = STR_INIT("0123456789012345678901234567")},
        {.act = FAKE_NOISE, .body = STR_INIT("220 mail.example ESMTP\r\n")},
        {.act = FAKE_NOISE,
         .body = STR_INIT("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc")},
        {.act = FAKE_LATE, .ms = 400},
    };
    static const char *const why[] = {"without an answer; if TLS", "cut off",
                                      "not HTTP", "cut off", "no whole answer"};
    struct fixture f;

    (void)state;
    open_client(&f, steps, 5);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(post(&f, STR("x"), i == 4 ? 100 : 5000), ERR_IO);
        if (!strstr(buf_cstr(&f.why), why[i]))
            fail_msg("%d: %s", i, buf_cstr(&f.why));
        assert_true(f.answer.is_sent);
    }
    /* The late answer is not taken for that of the next request. */
    assert_int_equal(post(&f, STR("x"), 5000), OK);
    close_client(&f);
}

/* The second try finds nobody, and that does not take back the first. */
static void
what_was_sent_before_the_server_died_was_sent(void **state)
{
    static const struct fake_step steps[] = {{.act = FAKE_ANSWER},
                                             {.act = FAKE_DIE}};
    struct fixture f;

    (void)state;
    open_client(&f, steps, 2);
    assert_int_equal(post(&f, STR("x"), 5000), OK);
    assert_int_equal(post(&f, STR("x"), 5000), ERR_IO);
    assert_true(holds(&f.why, "Connection refused"));
    assert_true(f.answer.is_sent);
    assert_int_equal(post(&f, STR("x"), 5000), ERR_IO);
    assert_false(f.answer.is_sent);
    close_client(&f);
}

static void
what_stands_before_the_answer_is_passed_over(void **state)
{
    static const struct fake_step steps[] = {
        {.act = FAKE_NOISE,
         .body = STR_INIT("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 429 Slow\r\n"
                          "Content-Length: 2\r\n\r\nno")},
        {.act = FAKE_NOISE, /* ends with the connection */
         .body = STR_INIT("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nall")},
    };
    struct fixture f;

    (void)state;
    open_client(&f, steps, 2);
    assert_int_equal(post(&f, STR("x"), 5000), OK);
    assert_int_equal(f.answer.status, 429);
    assert_string_equal(buf_cstr(&f.answer.body), "no");
    assert_int_equal(post(&f, STR("x"), 5000), OK);
    assert_string_equal(buf_cstr(&f.answer.body), "all");
    close_client(&f);
}

static void
an_answer_over_the_limit_is_refused(void **state)
{
    static const struct fake_step steps[] = {
        {.body = STR_INIT("0123456789")},
        {.body = STR_INIT("0123456789a")},
    };
    struct fixture f;

    (void)state;
    open_client(&f, steps, 2);
    f.answer.body.cap_max = 10;
    assert_int_equal(post(&f, STR("x"), 5000), OK);
    assert_int_equal(post(&f, STR("x"), 5000), ERR_TOO_LARGE);
    close_client(&f);
}

/* The rest of the request cannot be sent then; it was answered all the same. */
static void
who_answers_before_all_is_read_is_heard(void **state)
{
    enum { BIG = 16 << 20 };
    static char body[BIG];
    static const struct fake_step steps[] = {
        {.act = FAKE_EARLY, .status = 413, .body = STR_INIT("0123456789")},
        {.act = FAKE_EARLY, .status = 413, .body = STR_INIT("0123456789a")},
    };
    struct fixture f;

    (void)state;
    open_client(&f, steps, 2);
    f.answer.body.cap_max = 10;
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(post(&f, (str){body, BIG}, 5000),
                         i == 0 ? OK : ERR_TOO_LARGE);
        assert_int_equal(f.answer.status, 413);
        assert_false(f.answer.is_sent);
    }
    close_client(&f);
}

static void *
stop_soon(void *fd)
{
    const uint64_t one = 1;

    usleep(100000);
    assert_int_equal(write(*(int *)fd, &one, sizeof(one)), sizeof(one));
    return NULL;
}

static void
a_wait_ends_when_it_is_told_to(void **state)
{
    static const struct fake_step steps[] = {{.act = FAKE_LATE, .ms = 3000}};
    struct fixture f = {0};
    int stop = eventfd(0, 0);
    pthread_t thread;

    (void)state;
    fake_gateway_start(&f.gateway, steps, 1, 0);
    const struct client_cfg cfg = {.url = f.gateway.url, .stop_fd = stop};
    assert_int_equal(client_open(&f.client, &cfg, &f.why), OK);
    assert_int_equal(pthread_create(&thread, NULL, stop_soon, &stop), 0);
    uint64_t begin_ns = clock_mono_ns();
    assert_int_equal(post(&f, STR("x"), 20000), ERR_CANCELLED);
    assert_true(clock_mono_ns() - begin_ns < 2 * NS_PER_S);
    pthread_join(thread, NULL);
    close_client(&f);
    close(stop);
}

static void
nobody_there_is_said(void **state)
{
    struct fixture f;

    (void)state;
    open_client(&f, NULL, 0);
    fake_gateway_stop(&f.gateway);
    assert_int_equal(post(&f, STR("x"), 5000), ERR_IO);
    assert_false(f.answer.is_sent);
    assert_non_null(strstr(buf_cstr(&f.why), "refused"));
    client_close(f.client);
    /* A name that is none (RFC 6761). */
    const struct client_cfg cfg = {.url = "http://none.invalid", .stop_fd = -1};
    assert_int_equal(client_open(&f.client, &cfg, &f.why), OK);
    assert_int_equal(post(&f, STR("x"), 5000), ERR_IO);
    assert_non_null(strstr(buf_cstr(&f.why), "none.invalid:80: "));
    client_close(f.client);
    buf_fini(&f.why);
    buf_fini(&f.answer.body);
}

static void
what_is_no_url_is_refused(void **state)
{
    static const char *const bad[] = {"",
                                      "gateway:4318",
                                      "ftp://gateway",
                                      "http://",
                                      "http://me:secret@gateway",
                                      "http://gate way",
                                      "http://gateway:99999"};
    struct client *client;
    struct buf why = {0};
    char host[CLIENT_HOST_CAP];
    uint16_t port;

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        const struct client_cfg cfg = {.url = bad[i], .stop_fd = -1};
        buf_reset(&why);
        assert_int_equal(client_open(&client, &cfg, &why), ERR_INVALID);
        assert_null(client);
        assert_non_null(
            strstr(buf_cstr(&why), "is no http:// or https:// URL"));
        assert_int_equal(client_host(bad[i], host), ERR_INVALID);
        assert_string_equal(host, "");
        assert_int_equal(client_port(bad[i], &port), ERR_INVALID);
    }
    assert_int_equal(client_port("http://gateway", &port), OK);
    assert_int_equal(port, 80);
    assert_int_equal(client_port("https://gateway/", &port), OK);
    assert_int_equal(port, 443);
    assert_int_equal(client_port("https://[::1]:4318/v1/traces", &port), OK);
    assert_int_equal(port, 4318);
    assert_int_equal(client_host("https://[::1]:4318/v1/traces", host), OK);
    assert_string_equal(host, "::1");
    buf_fini(&why);
}

/* Nor is the connection believed any more. */
static void
what_comes_behind_an_answer_is_not_of_it(void **state)
{
#define TAKEN "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    static const struct fake_step steps[] = {
        {.act = FAKE_NOISE, .body = STR_INIT(TAKEN "\0junk\r\n")},
        {.act = FAKE_NOISE, .body = STR_INIT(TAKEN TAKEN)},
        {.act = FAKE_NOISE,
         .body = STR_INIT(TAKEN "HTTP/1.1 500 No\r\nRetry-After: 9\r\n"
                                "Content-Length: 3\r\n\r\nbad")},
        {.act = FAKE_NOISE,
         .body = STR_INIT("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n"
                          "\r\n2\r\nok\r\n0\r\n\r\njunk")},
    };
    enum { STEPS = sizeof(steps) / sizeof(*steps) };
    struct fixture f;

    (void)state;
    open_client(&f, steps, STEPS);
    for (size_t i = 0; i < STEPS; i++) {
        assert_int_equal(post(&f, STR("x"), 5000), OK);
        assert_int_equal(f.answer.status, 200);
        assert_true(str_eq(buf_str(&f.answer.body), STR("ok")));
        assert_int_equal(f.answer.retry_after.len, 0);
        assert_int_equal(fake_gateway_got(&f.gateway), i + 1);
    }
    close_client(&f);
#undef TAKEN
}

static void
a_single_fetch_closes_behind_itself(void **state)
{
    static const struct fake_step steps[] = {{.body = STR_INIT("a graph")}};
    struct fake_gateway gateway;
    struct buf body = {0};
    struct buf why = {0};
    char url[96];
    int status;

    (void)state;
    fake_gateway_start(&gateway, steps, 1, 0);
    (void)snprintf(url, sizeof(url), "%s/some?thing=1", gateway.url);
    const struct client_request req = {
        .method = "GET", .url = url, .timeout_ms = 5000};
    assert_int_equal(client_fetch(&req, &status, &body, &why), OK);
    assert_int_equal(status, 200);
    assert_string_equal(buf_cstr(&body), "a graph");
    assert_true(fake_gateway_wait(&gateway, 1));
    assert_true(holds(&gateway.got[0].head, "GET /some?thing=1 HTTP/1.1\r\n"));
    assert_true(holds(&gateway.got[0].head, "\r\nConnection: close\r\n"));
    fake_gateway_stop(&gateway);
    buf_fini(&body);
    buf_fini(&why);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_connection_carries_many_requests),
        cmocka_unit_test(a_large_body_arrives_whole),
        cmocka_unit_test(the_answer_comes_with_its_body_and_when_to_come_back),
        cmocka_unit_test(a_connection_that_was_closed_meanwhile_is_made_anew),
        cmocka_unit_test(an_answer_that_does_not_come_whole_is_none),
        cmocka_unit_test(what_was_sent_before_the_server_died_was_sent),
        cmocka_unit_test(what_stands_before_the_answer_is_passed_over),
        cmocka_unit_test(an_answer_over_the_limit_is_refused),
        cmocka_unit_test(who_answers_before_all_is_read_is_heard),
        cmocka_unit_test(a_wait_ends_when_it_is_told_to),
        cmocka_unit_test(nobody_there_is_said),
        cmocka_unit_test(what_is_no_url_is_refused),
        cmocka_unit_test(what_comes_behind_an_answer_is_not_of_it),
        cmocka_unit_test(a_single_fetch_closes_behind_itself),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
