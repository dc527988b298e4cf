#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/metrics.h"
#include "tests/support/net_kit.h"

#define GET(path) "GET " path " HTTP/1.1\r\nHost: h\r\n\r\n"

enum { BODY = 1000, ROOM = 512 };

static struct server_limits
small_limits(void)
{
    struct server_limits limits = server_limits_default;

    limits.body_bytes = BODY;
    limits.header_bytes = 512;
    limits.header_ms = 1000;
    limits.idle_ms = 3000;
    limits.write_ms = 2000;
    return limits;
}

static void
begin(struct kit *kit, const struct server_limits *limits)
{
    struct server_limits small = small_limits();

    kit_session(kit, http1_new, limits ? limits : &small);
}

static struct buf
post_of(size_t len, const char *more)
{
    struct buf out = {.cap_max = 0};

    buf_printf(
        &out, "POST /echo HTTP/1.1\r\nHost: h\r\n%sContent-Length: %zu\r\n\r\n",
        more, len);
    for (size_t i = 0; i < len; i++)
        buf_add_char(&out, 'x');
    return out;
}

static void
feed_post(struct kit *kit, size_t len)
{
    struct buf post = post_of(len, "");

    buf_reset(&kit->out);
    kit_feed(kit, buf_str(&post));
    buf_fini(&post);
}

static void
a_body_at_the_limit_passes_and_one_byte_more_does_not(void **state)
{
    struct kit kit;

    (void)state;
    begin(&kit, NULL);
    feed_post(&kit, BODY);
    assert_int_equal(kit.problem, REQUEST_WHOLE);
    assert_int_equal(kit.body.len, BODY);
    feed_post(&kit, BODY + 1);
    assert_int_equal(kit.problem, REQUEST_TOO_LARGE);
    assert_int_equal(kit.body.len, 0);
    assert_true(kit_has(&kit.out, "HTTP/1.1 401"));
    /* and the connection stays usable */
    feed_post(&kit, BODY);
    assert_int_equal(kit.problem, REQUEST_WHOLE);
    assert_false(kit.session->is_over);
    kit_session_fini(&kit);
}

static void
a_chunked_body_has_the_same_limit(void **state)
{
    for (size_t len = BODY; len <= BODY + 1; len++) {
        struct kit kit;
        char chunk[2048];

        (void)state;
        begin(&kit, NULL);
        kit_feed(&kit, STR("POST /echo HTTP/1.1\r\nHost: h\r\n"
                           "Transfer-Encoding: chunked\r\n\r\n"));
        (void)snprintf(chunk, sizeof(chunk), "%zx\r\n%0*d\r\n0\r\n\r\n", len,
                       (int)len, 0);
        kit_feed(&kit, str_of(chunk));
        assert_int_equal(kit.requests, 1);
        assert_int_equal(kit.problem,
                         len > BODY ? REQUEST_TOO_LARGE : REQUEST_WHOLE);
        assert_int_equal(kit.session->is_over, len > BODY);
        kit_session_fini(&kit);
    }
}

static void
a_refused_body_is_read_only_so_far(void **state)
{
    struct kit kit;
    char junk[65536];
    size_t fed = 0;

    (void)state;
    memset(junk, 'x', sizeof(junk));
    begin(&kit, NULL);
    kit_feed(&kit, STR("POST /hold HTTP/1.1\r\nHost: h\r\n"
                       "Content-Length: 99999999\r\n\r\n"));
    assert_int_equal(kit.problem, REQUEST_TOO_LARGE);
    while (!kit.session->is_over && fed < ((size_t)4 << 20)) {
        kit_feed(&kit, (str){junk, sizeof(junk)});
        fed += sizeof(junk);
        if (fed > ((size_t)2 << 20) && kit.held_len) {
            request_reply(kit.held[0], &(struct reply){.status = 413});
            kit.held_len = 0;
        }
    }
    kit_pass(&kit, 0);
    assert_true(kit.session->is_over);
    assert_true(kit_has(&kit.out, "HTTP/1.1 413"));
    assert_true(kit_has(&kit.out, "connection: close"));
    kit_session_fini(&kit);
}

static void
a_decompressed_body_has_the_same_limit(void **state)
{
    /* 1,000 and 1,001 zeros */
    static const struct {
        str bytes;
        enum request_problem problem;
    } bodies[] = {
        {{"\x78\xda\x63\x60\x18\x05\xa3\x60\x14\x0c\x77\x00\x00\x03\xe8\x00"
          "\x01",
          17},
         REQUEST_WHOLE},
        {{"\x78\xda\x63\x60\x18\x05\xa3\x60\x14\x0c\x7b\x00\x00\x03\xe9\x00"
          "\x01",
          17},
         REQUEST_TOO_LARGE},
    };

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct kit kit;
        char head[128];

        begin(&kit, NULL);
        (void)snprintf(head, sizeof(head),
                       "POST /echo HTTP/1.1\r\nHost: h\r\n"
                       "Content-Encoding: deflate\r\n"
                       "Content-Length: %zu\r\n\r\n",
                       bodies[i].bytes.len);
        kit_feed(&kit, str_of(head));
        kit_feed(&kit, bodies[i].bytes);
        assert_int_equal(kit.problem, bodies[i].problem);
        assert_int_equal(kit.body.len, i ? 0 : BODY);
        kit_session_fini(&kit);
    }
}

static void
bodies_share_one_budget(void **state)
{
    struct server_limits limits = small_limits();
    struct kit kit;
    struct session_peer peer = {.is_loopback = true};
    struct buf out = {.cap_max = 0};

    (void)state;
    limits.budget_bytes = 2 * (BODY + REQUEST_PAD) + ROOM;
    begin(&kit, &limits);
    assert_int_equal(metrics_get(METRIC_MEMORY_LIMIT), limits.budget_bytes);
    kit_feed(&kit, STR("POST /echo HTTP/1.1\r\nHost: h\r\n"
                       "Content-Length: 1000\r\n\r\n"));
    assert_int_equal(metrics_get(METRIC_MEMORY_RESERVED), BODY + REQUEST_PAD);
    struct session *second = http1_new(&kit.env, &peer, kit.now_ms);
    session_feed(second, kit.now_ms,
                 STR("POST /echo HTTP/1.1\r\nHost: h\r\n"
                     "Content-Length: 1000\r\n\r\n"));
    struct session *third = http1_new(&kit.env, &peer, kit.now_ms);
    session_feed(third, kit.now_ms,
                 STR("POST /echo HTTP/1.1\r\nHost: h\r\n"
                     "Content-Length: 1000\r\n\r\n"));
    assert_int_equal(kit.requests, 1);
    assert_int_equal(kit.problem, REQUEST_NO_ROOM);
    session_produce(third, kit.now_ms, &out);
    assert_true(kit_has(&out, "HTTP/1.1 404")); /* 400 + REQUEST_NO_ROOM */
    /* one that goes makes room for another */
    session_free(second);
    session_free(third);
    third = http1_new(&kit.env, &peer, kit.now_ms);
    session_feed(third, kit.now_ms,
                 STR("POST /echo HTTP/1.1\r\nHost: h\r\n"
                     "Content-Length: 1000\r\n\r\n"));
    assert_int_equal(kit.requests, 1);
    session_free(third);
    buf_fini(&out);
    kit_session_fini(&kit);
    assert_int_equal(metrics_get(METRIC_MEMORY_RESERVED), 0);
    assert_int_equal(metrics_get(METRIC_MEMORY_LIMIT), 0);
}

static void
a_header_over_the_limit_is_431(void **state)
{
    bool seen_ok = false;
    bool seen_431 = false;

    (void)state;
    for (int len = 300; len < 600; len++) {
        struct kit kit;
        char head[1024];

        begin(&kit, NULL);
        (void)snprintf(head, sizeof(head),
                       "GET /echo HTTP/1.1\r\nHost: h\r\nX: %0*d\r\n\r\n", len,
                       0);
        kit_feed(&kit, str_of(head));
        bool is_ok = kit_has(&kit.out, "HTTP/1.1 200");
        assert_true(is_ok || kit_has(&kit.out, "HTTP/1.1 431"));
        assert_false(is_ok && seen_431); /* one threshold */
        seen_ok = seen_ok || is_ok;
        seen_431 = seen_431 || !is_ok;
        kit_session_fini(&kit);
    }
    assert_true(seen_ok && seen_431);
}

static void
a_header_without_end_is_431(void **state)
{
    struct kit kit;

    (void)state;
    kit_session(&kit, http1_new, NULL);
    kit_feed(&kit, STR("GET /"));
    for (size_t i = 0; i < 20000 && !kit.session->is_over; i++)
        kit_feed(&kit, STR("aaaaaaaaaa"));
    assert_true(kit_has(&kit.out, "HTTP/1.1 431"));
    kit_session_fini(&kit);

    kit_session(&kit, http1_new, NULL);
    kit_feed(&kit, STR("GET / HTTP/1.1\r\n"));
    for (size_t i = 0; i < 20000 && !kit.session->is_over; i++)
        kit_feed(&kit, STR("a:\r\n"));
    assert_true(kit_has(&kit.out, "HTTP/1.1 431"));
    kit_session_fini(&kit);
}

static void
a_slow_header_is_408_and_silence_is_closed(void **state)
{
    struct kit kit;

    (void)state;
    begin(&kit, NULL);
    kit_feed(&kit, STR("GET /echo HT"));
    for (int i = 0; i < 9; i++) {
        kit_pass(&kit, 100);
        kit_feed(&kit, STR(""));
        assert_int_equal(kit.out.len, 0);
    }
    kit_pass(&kit, 100);
    assert_true(kit_has(&kit.out, "HTTP/1.1 408"));
    assert_true(kit.session->is_over);
    kit_session_fini(&kit);

    /* blank lines do not begin it anew */
    begin(&kit, NULL);
    for (int i = 0; i < 11; i++) {
        kit_feed(&kit, STR("\r\n"));
        kit_pass(&kit, 100);
    }
    assert_true(kit.session->is_over);
    kit_session_fini(&kit);

    /* nothing at all, not even a complaint */
    begin(&kit, NULL);
    kit_pass(&kit, 999);
    assert_false(kit.session->is_over);
    kit_pass(&kit, 1);
    assert_true(kit.session->is_over);
    assert_int_equal(kit.out.len, 0);
    kit_session_fini(&kit);
}

static void
an_idle_connection_is_closed_in_time(void **state)
{
    struct kit kit;

    (void)state;
    begin(&kit, NULL);
    kit_feed(&kit, STR(GET("/echo")));
    kit_pass(&kit, 2999);
    assert_false(kit.session->is_over);
    kit_feed(&kit, STR(GET("/echo")));
    kit_pass(&kit, 2999);
    assert_false(kit.session->is_over);
    kit_pass(&kit, 1);
    assert_true(kit.session->is_over);
    kit_session_fini(&kit);

    /* but not one whose answer is not ready */
    begin(&kit, NULL);
    kit_feed(&kit, STR(GET("/hold")));
    kit_pass(&kit, 1000000);
    assert_false(kit.session->is_over);
    request_reply(kit.held[0], &(struct reply){.status = 200});
    kit_session_fini(&kit);
}

static void
a_slow_body_is_408_and_a_steady_one_is_not(void **state)
{
    struct server_limits limits = small_limits();
    struct kit kit;
    char piece[1024];

    (void)state;
    memset(piece, 'x', sizeof(piece));
    limits.body_bytes = 1 << 20;
    begin(&kit, &limits);
    kit_feed(&kit, STR("POST /echo HTTP/1.1\r\nHost: h\r\n"
                       "Content-Length: 100000\r\n\r\n"));
    for (int i = 0; i < 20; i++) { /* at the rate */
        kit_feed(&kit, (str){piece, 1024});
        kit_pass(&kit, 1000);
    }
    assert_int_equal(kit.out.len, 0);
    for (int i = 0; i < 10; i++) { /* just under */
        kit_feed(&kit, (str){piece, 1023});
        kit_pass(&kit, 1000);
    }
    assert_true(kit_has(&kit.out, "HTTP/1.1 408"));
    assert_true(kit.session->is_over);
    assert_int_equal(kit.requests, 0);
    kit_session_fini(&kit);

    /* a stall after a fast start */
    begin(&kit, &limits);
    kit_feed(&kit, STR("POST /echo HTTP/1.1\r\nHost: h\r\n"
                       "Content-Length: 100000\r\n\r\n"));
    for (int i = 0; i < 90; i++)
        kit_feed(&kit, (str){piece, 1024});
    kit_pass(&kit, 4999);
    kit_pass(&kit, 1);
    assert_false(kit.session->is_over);
    kit_pass(&kit, 5000);
    assert_true(kit.session->is_over);
    kit_session_fini(&kit);
}

static void
what_is_sent_ahead_is_bounded(void **state)
{
    struct kit kit;
    size_t fed = 0;

    (void)state;
    begin(&kit, NULL);
    kit_feed(&kit, STR(GET("/hold")));
    while (!kit.session->is_full && fed < ((size_t)1 << 20)) {
        kit_feed(&kit, STR(GET("/echo")));
        fed += sizeof(GET("/echo")) - 1;
    }
    assert_true(fed < ((size_t)128 << 10));
    request_reply(kit.held[0], &(struct reply){.status = 200});
    kit_pass(&kit, 1);
    assert_false(kit.session->is_full);
    assert_int_equal(kit.requests, 1 + fed / (sizeof(GET("/echo")) - 1));
    kit_session_fini(&kit);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_body_at_the_limit_passes_and_one_byte_more_does_not),
        cmocka_unit_test(a_chunked_body_has_the_same_limit),
        cmocka_unit_test(a_refused_body_is_read_only_so_far),
        cmocka_unit_test(a_decompressed_body_has_the_same_limit),
        cmocka_unit_test(bodies_share_one_budget),
        cmocka_unit_test(a_header_over_the_limit_is_431),
        cmocka_unit_test(a_header_without_end_is_431),
        cmocka_unit_test(a_slow_header_is_408_and_silence_is_closed),
        cmocka_unit_test(an_idle_connection_is_closed_in_time),
        cmocka_unit_test(a_slow_body_is_408_and_a_steady_one_is_not),
        cmocka_unit_test(what_is_sent_ahead_is_bounded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
