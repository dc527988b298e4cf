#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/support/net_kit.h"

static void
begin(struct kit *kit)
{
    kit_session(kit, http1_new, NULL);
}

/* What one connection says to |bytes|, fed in pieces of |step|. */
static void
say(struct kit *kit, str bytes, size_t step)
{
    begin(kit);
    for (size_t at = 0; at < bytes.len; at += step)
        kit_feed(kit, str_cut(bytes, at, at + step));
}

static void
a_request_is_the_same_however_it_is_cut(void **state)
{
    str bytes = STR("\r\nPOST /echo?a=1&b=2 HTTP/1.1\r\nHost: here\r\n"
                    "X-Mixed-Case:   two words \t\r\nEmpty:\r\n"
                    "Content-Length: 5\r\n\r\nhello"
                    "GET http://there:80/echo HTTP/1.1\r\nHost: b\r\n\r\n");

    (void)state;
    for (size_t step = 1; step <= bytes.len; step++) {
        struct kit kit;

        say(&kit, bytes, step);
        assert_int_equal(kit.requests, 2);
        assert_int_equal(kit_count(&kit.out, STR("HTTP/1.1 200 OK\r\n")), 2);
        assert_true(kit_has(&kit.out, "\r\n\r\nPOST /echo?a=1&b=2 hello"));
        assert_true(kit_has(&kit.out, "\r\n\r\nGET /echo? "));
        assert_true(kit_has(&kit.out, "content-length: 24\r\n"));
        assert_true(kit_has(&kit.out, "\r\ndate: "));
        assert_string_equal(buf_cstr(&kit.seen), "host: there:80\n");
        assert_false(kit.session->is_over);
        kit_session_fini(&kit);
    }
}

static void
what_is_no_request_is_refused_behind_one_as_before(void **state)
{
    str bytes = STR("GET /none HTTP/1.1\r\nHost: h\r\n\r\nno request\r\n\r\n");

    (void)state;
    for (size_t step = 1; step <= bytes.len; step++) {
        struct kit kit;

        say(&kit, bytes, step);
        assert_int_equal(kit.requests, 1);
        assert_int_equal(kit_count(&kit.out, STR("HTTP/1.1 204")), 1);
        assert_int_equal(kit_count(&kit.out, STR("HTTP/1.1 400")), 1);
        assert_true(kit.session->is_over);
        kit_session_fini(&kit);
    }
}

static void
headers_reach_the_handler_in_lower_case(void **state)
{
    struct kit kit;

    (void)state;
    say(&kit, STR("GET /echo HTTP/1.1\r\nHost: h\r\nX-A:  b \r\nX-B: \r\n\r\n"),
        99);
    assert_string_equal(buf_cstr(&kit.seen), "host: h\nx-a: b\nx-b: \n");
    kit_session_fini(&kit);
}

static void
no_header_of_an_answer_can_end_its_line(void **state)
{
    struct kit kit;

    (void)state;
    say(&kit, STR("GET /echo HTTP/1.1\r\nHost: h\r\n\r\n"), 99);
    assert_true(kit_has(&kit.out, "\r\nx-kit: yes  x-evil: 1\r\n"));
    kit_session_fini(&kit);
}

/* Requests and the status that refuses them. */
static const struct {
    const char *bytes;
    const char *status;
} bad[] = {
    {"POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n"
     "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
     "400"},
    {"POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n"
     "Content-Length: 4\r\n\r\n0\r\n\r\n",
     "400"},
    {"POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n"
     "Content-Length: 4\r\n\r\nabcd",
     "400"},
    {"POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 4, 4\r\n\r\nabcd",
     "400"},
    {"POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: -4\r\n\r\nabcd", "400"},
    {"POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: +4\r\n\r\nabcd", "400"},
    {"POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: "
     "18446744073709551617\r\n\r\nabcd",
     "400"},
    {"POST /echo HTTP/1.1\r\nHost: h\r\n"
     "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
     "501"},
    {"POST /echo HTTP/1.1\r\nHost: h\r\n"
     "Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n",
     "501"},
    {"POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n"
     "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
     "400"},
    {"POST /echo HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
     "400"},
    {"POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
     "zz\r\n\r\n",
     "400"},
    {"POST /echo HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
     "fffffffffffffffff\r\n\r\n",
     "400"},
    {"POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length : 4\r\n\r\nabcd", "400"},
    {"GET /echo HTTP/1.1\r\n\r\n", "400"},
    {"GET /echo HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "400"},
    {"GET /echo HTTP/1.1\r\nHost: a\r\nBad Name: b\r\n\r\n", "400"},
    {"GET /echo HTTP/1.1\r\nHost: a\r\nX: a\001b\r\n\r\n", "400"},
    {"GET /ec\001ho HTTP/1.1\r\nHost: a\r\n\r\n", "400"},
    {"GET /echo HTTP/2.0\r\nHost: a\r\n\r\n", "505"},
    {"GET /echo HTTP/1.2\r\nHost: a\r\n\r\n", "505"},
    {"NONSENSE /echo HTTP/1.1\r\nHost: a\r\n\r\n", "400"},
    {"\x16\x03\x01\x02", "400"},
    {"CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n", "501"},
    {"GET /echo HTTP/1.1\r\nHost: a\r\nExpect: magic\r\n\r\n", "417"},
};

static void
what_two_readers_could_read_differently_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct kit kit;

        say(&kit, str_of(bad[i].bytes), 4096);
        if (!str_starts(buf_str(&kit.out), STR("HTTP/1.1 ")) ||
            memcmp(kit.out.ptr + 9, bad[i].status, 3) != 0)
            fail_msg("%s -> %s", bad[i].bytes, buf_cstr(&kit.out));
        assert_true(kit_has(&kit.out, "connection: close\r\n"));
        assert_true(kit_has(&kit.out, "content-type: text/plain\r\n"));
        assert_true(kit.session->is_over);
        assert_int_equal(kit.requests, 0);
        assert_int_equal(kit_count(&kit.out, STR("HTTP/1.1")), 1);
        kit_session_fini(&kit);
    }
}

static void
a_value_in_two_lines_is_refused_however_it_comes(void **state)
{
    static const struct {
        str fields;
        bool is_folded;
    } cases[] = {
        {STR_INIT("X: a\r\n b\r\n"), true},
        {STR_INIT("X: a\r\n\tb\r\n"), true},
        {STR_INIT("X: a \r\n \t \r\n b\r\n"), true},
        {STR_INIT("X: a\n b\r\n"), true},
        {STR_INIT("Content-Length:\r\n 4\r\n"), true},
        {STR_INIT("Y:\r\nX: \t a \t b \t \r\nZ: \r\nW:v\r\n"), false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        for (size_t step = 1; step < 70; step++) {
            struct kit kit;
            struct buf bytes = {.cap_max = 0};

            buf_add(&bytes, STR("GET /echo HTTP/1.1\r\nHost: h\r\n"));
            buf_add(&bytes, cases[i].fields);
            buf_add(&bytes, STR("\r\n"));
            say(&kit, buf_str(&bytes), step);
            assert_int_equal(kit_has(&kit.out, "HTTP/1.1 400"),
                             cases[i].is_folded);
            assert_int_equal(kit.requests, !cases[i].is_folded);
            if (!cases[i].is_folded)
                assert_true(kit_has(&kit.seen, "x: a \t b\n"));
            kit_session_fini(&kit);
            buf_fini(&bytes);
        }
    }
}

static void
chunks_are_put_together(void **state)
{
    str bytes = STR("POST /echo HTTP/1.1\r\nHost: h\r\n"
                    "Transfer-Encoding: Chunked\r\n\r\n"
                    "5;ext=1\r\nhello\r\n1\r\n \r\n5\r\nworld\r\n"
                    "0\r\nTrailer: x\r\n\r\n"
                    "GET /echo HTTP/1.1\r\nHost: h\r\n\r\n");

    (void)state;
    for (size_t step = 1; step < 40; step++) {
        struct kit kit;

        say(&kit, bytes, step);
        assert_true(kit_has(&kit.out, "POST /echo? hello world"));
        assert_int_equal(kit.requests, 2);
        kit_session_fini(&kit);
    }
}

static void
a_compressed_body_comes_out_plain(void **state)
{
    /* printf hello | gzip -n */
    static const char gz[] = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xcb\x48"
                             "\xcd\xc9\xc9\x07\x00\x86\xa6\x10\x36\x05\x00\x00"
                             "\x00";
    struct kit kit;

    (void)state;
    say(&kit,
        STR("POST /echo HTTP/1.1\r\nHost: h\r\nContent-Encoding: GZIP\r\n"
            "Content-Length: 25\r\n\r\n"),
        4096);
    kit_feed(&kit, (str){gz, 25});
    assert_true(kit_has(&kit.out, "POST /echo? hello"));
    buf_reset(&kit.out);
    kit_feed(&kit, STR("POST /echo HTTP/1.1\r\nHost: h\r\n"
                       "Content-Encoding: identity\r\n"
                       "Content-Length: 2\r\n\r\nhi"));
    assert_true(kit_has(&kit.out, "POST /echo? hi"));
    buf_reset(&kit.out);
    kit_feed(&kit, STR("POST /echo HTTP/1.1\r\nHost: h\r\n"
                       "Content-Encoding: gzip\r\n"
                       "Content-Length: 2\r\n\r\nhi"));
    assert_int_equal(kit.problem, REQUEST_BAD_ENCODING);
    assert_int_equal(kit.body.len, 0);
    kit_feed(&kit, STR("POST /echo HTTP/1.1\r\nHost: h\r\n"
                       "Content-Encoding: gzip, gzip\r\n"
                       "Content-Length: 2\r\n\r\nhi"));
    assert_int_equal(kit.problem, REQUEST_UNSUPPORTED_ENCODING);
    kit_feed(&kit, STR("POST /echo HTTP/1.1\r\nHost: h\r\n"
                       "Content-Encoding: br\r\n"
                       "Content-Length: 2\r\n\r\nhi"));
    assert_int_equal(kit.problem, REQUEST_UNSUPPORTED_ENCODING);
    assert_false(kit.session->is_over);
    kit_session_fini(&kit);
}

static void
continue_is_said_when_asked_for(void **state)
{
    struct kit kit;

    (void)state;
    say(&kit,
        STR("POST /echo HTTP/1.1\r\nHost: h\r\nExpect: 100-Continue\r\n"
            "Content-Length: 2\r\n\r\n"),
        4096);
    assert_string_equal(buf_cstr(&kit.out), "HTTP/1.1 100 Continue\r\n\r\n");
    kit_feed(&kit, STR("hi"));
    assert_true(kit_has(&kit.out, "POST /echo? hi"));
    kit_session_fini(&kit);

    /* it did not wait: no word of it */
    say(&kit,
        STR("POST /echo HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\n"
            "Content-Length: 2\r\n\r\nhi"),
        4096);
    assert_false(kit_has(&kit.out, "100 Continue"));
    kit_session_fini(&kit);

    /* what will not be read is not asked for */
    say(&kit,
        STR("POST /echo HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\n"
            "Content-Length: 99999999999\r\n\r\n"),
        4096);
    assert_false(kit_has(&kit.out, "100 Continue"));
    assert_true(kit_has(&kit.out, "HTTP/1.1 401"));
    assert_true(kit_has(&kit.out, "connection: close"));
    kit_session_fini(&kit);
}

static void
head_and_204_have_no_body(void **state)
{
    struct kit kit;

    (void)state;
    say(&kit,
        STR("HEAD /echo HTTP/1.1\r\nHost: h\r\n\r\n"
            "GET /none HTTP/1.1\r\nHost: h\r\n\r\n"
            "OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n"),
        4096);
    assert_int_equal(kit.requests, 3);
    assert_false(kit_has(&kit.out, "HEAD /echo"));
    assert_true(kit_has(&kit.out, "content-length: 12\r\n"));
    assert_true(kit_has(&kit.out, "HTTP/1.1 204 No Content\r\n"));
    assert_true(kit_has(&kit.out, "OPTIONS *? "));
    assert_int_equal(kit_count(&kit.out, STR("content-length")), 2);
    kit_session_fini(&kit);
}

static void
a_connection_is_kept_or_closed_as_asked(void **state)
{
    struct kit kit;

    (void)state;
    say(&kit, STR("GET /echo HTTP/1.1\r\nHost: h\r\n\r\n"), 4096);
    assert_false(kit.session->is_over);
    kit_session_fini(&kit);
    say(&kit, STR("GET /echo HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"),
        4096);
    assert_true(kit.session->is_over);
    assert_true(kit_has(&kit.out, "connection: close\r\n"));
    kit_session_fini(&kit);
    say(&kit, STR("GET /echo HTTP/1.0\r\n\r\n"), 4096);
    assert_true(kit.session->is_over);
    kit_session_fini(&kit);
    say(&kit, STR("GET /echo HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"),
        4096);
    assert_false(kit.session->is_over);
    assert_true(kit_has(&kit.out, "connection: keep-alive\r\n"));
    kit_session_fini(&kit);
    /* an offer of h2c is not taken */
    say(&kit,
        STR("GET /echo HTTP/1.1\r\nHost: h\r\nConnection: Upgrade, "
            "HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n"
            "GET /echo HTTP/1.1\r\nHost: h\r\n\r\n"),
        4096);
    assert_int_equal(kit_count(&kit.out, STR("HTTP/1.1 200")), 2);
    kit_session_fini(&kit);
}

static void
answers_come_in_the_order_of_requests(void **state)
{
    struct kit kit;

    (void)state;
    say(&kit,
        STR("GET /hold HTTP/1.1\r\nHost: h\r\n\r\n"
            "GET /echo?2 HTTP/1.1\r\nHost: h\r\n\r\n"
            "GET /hold HTTP/1.1\r\nHost: h\r\n\r\n"
            "GET /echo?4 HTTP/1.1\r\nHost: h\r\n\r\n"),
        7);
    assert_int_equal(kit.requests, 1);
    assert_int_equal(kit.out.len, 0);
    request_reply(kit.held[0], &(struct reply){.status = 201});
    kit_pass(&kit, 1);
    assert_int_equal(kit.requests, 3);
    assert_true(kit_has(&kit.out, "?2"));
    assert_false(kit_has(&kit.out, "?4"));
    request_reply(kit.held[1], &(struct reply){.status = 202});
    kit_pass(&kit, 1);
    assert_true(kit_has(&kit.out, "?4"));
    assert_int_equal(kit_count(&kit.out, STR("HTTP/1.1 20")), 4);
    kit_session_fini(&kit);
}

static void
a_peer_that_leaves_cancels_once_and_may_be_answered(void **state)
{
    struct kit kit;

    (void)state;
    say(&kit, STR("GET /hold HTTP/1.1\r\nHost: h\r\n\r\n"), 99);
    session_eof(kit.session, kit.now_ms);
    assert_int_equal(kit.cancels, 1);
    assert_false(kit.session->is_over);
    request_reply(kit.held[0], &(struct reply){.status = 200});
    kit_pass(&kit, 1);
    assert_true(kit_has(&kit.out, "HTTP/1.1 200 OK"));
    assert_true(kit.session->is_over);
    kit_session_fini(&kit);

    /* gone altogether, and answered later */
    say(&kit, STR("GET /hold HTTP/1.1\r\nHost: h\r\n\r\n"), 99);
    session_free(kit.session);
    assert_int_equal(kit.cancels, 1);
    request_reply(kit.held[0], &(struct reply){.status = 200});
    kit.session = NULL;
    kit_session_fini(&kit);

    /* an answer in time: no cancel */
    say(&kit, STR("GET /hold HTTP/1.1\r\nHost: h\r\n\r\n"), 99);
    request_reply(kit.held[0], &(struct reply){.status = 200});
    session_free(kit.session);
    assert_int_equal(kit.cancels, 0);
    kit.session = NULL;
    kit_session_fini(&kit);
}

static void
a_server_answers_from_other_threads(void **state)
{
    struct kit kit;
    struct buf out = {.cap_max = 0};

    (void)state;
    kit_start(&kit, NULL);
    int fd = kit_connect(&kit);
    for (size_t i = 1; i <= 200; i++)
        kit_send(fd, STR("POST /later HTTP/1.1\r\nHost: h\r\n"
                         "Content-Length: 3\r\n\r\nabc"));
    kit_recv(fd, &out, STR("POST /later? abc"), 200);
    assert_int_equal(kit_count(&out, STR("POST /later? abc")), 200);
    close(fd);
    buf_fini(&out);
    kit_stop(&kit);
}

static void
a_large_answer_arrives_whole(void **state)
{
    struct kit kit;
    struct buf out = {.cap_max = 0};

    (void)state;
    kit_start(&kit, NULL);
    int fd = kit_connect(&kit);
    kit_send(fd, STR("GET /big HTTP/1.1\r\nHost: h\r\nConnection: close\r\n"
                     "\r\n"));
    assert_true(kit_recv_all(fd, &out));
    assert_true(kit_has(&out, "content-length: 1048576\r\n"));
    assert_int_equal(kit_count(&out, STR("bbbbbbbb")), (1 << 20) / 8);
    close(fd);
    buf_fini(&out);
    kit_stop(&kit);
}

static void
a_closed_socket_cancels_what_is_held(void **state)
{
    struct kit kit;

    (void)state;
    kit_start(&kit, NULL);
    int fd = kit_connect(&kit);
    kit_send(fd, STR("GET /hold HTTP/1.1\r\nHost: h\r\n\r\n"));
    struct request *req = kit_held(&kit, 1);
    close(fd);
    assert_true(kit_wait_cancels(&kit, 1));
    request_reply(req, &(struct reply){.status = 200});
    kit_stop(&kit);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_is_the_same_however_it_is_cut),
        cmocka_unit_test(what_is_no_request_is_refused_behind_one_as_before),
        cmocka_unit_test(headers_reach_the_handler_in_lower_case),
        cmocka_unit_test(no_header_of_an_answer_can_end_its_line),
        cmocka_unit_test(what_two_readers_could_read_differently_is_refused),
        cmocka_unit_test(a_value_in_two_lines_is_refused_however_it_comes),
        cmocka_unit_test(chunks_are_put_together),
        cmocka_unit_test(a_compressed_body_comes_out_plain),
        cmocka_unit_test(continue_is_said_when_asked_for),
        cmocka_unit_test(head_and_204_have_no_body),
        cmocka_unit_test(a_connection_is_kept_or_closed_as_asked),
        cmocka_unit_test(answers_come_in_the_order_of_requests),
        cmocka_unit_test(a_peer_that_leaves_cancels_once_and_may_be_answered),
        cmocka_unit_test(a_server_answers_from_other_threads),
        cmocka_unit_test(a_large_answer_arrives_whole),
        cmocka_unit_test(a_closed_socket_cancels_what_is_held),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
