#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <unistd.h>

#include <cmocka.h>

#include "tests/support/h2_kit.h"
#include "tests/support/net_kit.h"

/* X-Kit the handler of the kit says itself. */
static const struct header more[] = {
    {STR_INIT("X-Team"), STR_INIT("shop")},
    {STR_INIT("X-Kit"), STR_INIT("no")},
    {STR_INIT("Strict-Transport-Security"), STR_INIT("max-age=1")},
};

enum { MORE = sizeof(more) / sizeof(more[0]) };

/* A copy that is gone once the server has started. */
static struct {
    struct header headers[MORE];
    char texts[2 * MORE][40];
} passing;

static str
pass(size_t at, str text)
{
    memcpy(passing.texts[at], text.ptr, text.len);
    return (str){passing.texts[at], text.len};
}

static void
add_more(struct server_listener *listener)
{
    for (size_t i = 0; i < MORE; i++)
        passing.headers[i] = (struct header){pass(2 * i, more[i].name),
                                             pass(2 * i + 1, more[i].value)};
    listener->headers = passing.headers;
    listener->header_len = MORE;
}

static void
start(struct kit *kit)
{
    kit_start(kit, add_more);
    memset(&passing, 0, sizeof(passing));
}

static void
expect_more(const struct buf *text)
{
    assert_int_equal(kit_count(text, STR("x-team: shop")), 1);
    assert_int_equal(kit_count(text, STR("strict-transport-security: "
                                         "max-age=1")),
                     1);
}

static void
http1_says_them(void **state)
{
    struct kit kit = {0};
    struct buf text = {0};

    (void)state;
    start(&kit);
    int fd = kit_connect(&kit);
    kit_send(fd, STR("GET /echo HTTP/1.1\r\nHost: h\r\n\r\n"));
    kit_recv(fd, &text, STR("GET /echo? "), 1);
    expect_more(&text);
    assert_int_equal(kit_count(&text, STR("x-kit: ")), 1);
    assert_int_equal(kit_count(&text, STR("x-kit: no")), 0);
    /* From another thread, and without a body. */
    buf_reset(&text);
    kit_send(fd, STR("GET /later HTTP/1.1\r\nHost: h\r\n\r\n"));
    kit_recv(fd, &text, STR("GET /later? "), 1);
    expect_more(&text);
    buf_reset(&text);
    kit_send(fd, STR("GET /none HTTP/1.1\r\nHost: h\r\n\r\n"));
    kit_recv(fd, &text, STR("\r\n\r\n"), 1);
    expect_more(&text);
    /* To what is no request. */
    buf_reset(&text);
    kit_send(fd, STR("no request\r\n\r\n"));
    kit_recv(fd, &text, STR("Bad Request\n"), 1);
    expect_more(&text);
    buf_fini(&text);
    close(fd);
    kit_stop(&kit);
}

static void
http2_says_them(void **state)
{
    struct kit kit = {0};
    struct h2_kit *h2 = calloc(1, sizeof(*h2));

    (void)state;
    assert_non_null(h2);
    start(&kit);
    h2_begin(h2, &kit);
    int32_t get = h2_call(h2, "GET", "/echo", NULL);
    h2_move(h2, get);
    struct h2_answer *answer = h2_answer(h2, get);
    assert_true(kit_has(&answer->head, ":status: 200\n"));
    expect_more(&answer->head);
    assert_int_equal(kit_count(&answer->head, STR("x-kit: ")), 1);

    /* gRPC has metadata, not these. */
    int32_t call =
        h2_post(h2, "/s.S/M", "content-type: application/grpc\nte: trailers\n",
                STR("\0\0\0\0\0"), false);
    h2_move(h2, call);
    assert_false(kit_has(&h2_answer(h2, call)->head, "x-team"));
    h2_end(h2);
    free(h2);
    kit_stop(&kit);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(http1_says_them),
        cmocka_unit_test(http2_says_them),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
