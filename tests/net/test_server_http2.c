#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <cmocka.h>

#include "net/grpc_frame.h"
#include "tests/support/h2_kit.h"

#define GRPC "content-type: application/grpc\nte: trailers\n"

struct pair {
    struct kit kit;
    struct h2_kit h2;
};

static void
begin_with(struct pair *p, const struct server_limits *limits)
{
    kit_session(&p->kit, http2_new, limits);
    h2_begin(&p->h2, &p->kit);
}

static struct pair *
begin(void)
{
    struct pair *p = calloc(1, sizeof(*p));

    assert_non_null(p);
    begin_with(p, NULL);
    return p;
}

static void
end(struct pair *p)
{
    h2_end(&p->h2);
    kit_session_fini(&p->kit);
    free(p);
}

/* The answer of |id| once all has moved. */
static struct h2_answer *
moved(struct pair *p, int32_t id)
{
    h2_move(&p->h2, id);
    return h2_answer(&p->h2, id);
}

static void
a_request_is_answered(void **state)
{
    struct pair *p = begin();
    int32_t get = h2_call(&p->h2, "GET", "/echo?x=1", "x-a: b\n");
    int32_t post =
        h2_post(&p->h2, "/echo", "content-length: 5\n", STR("hello"), false);
    int32_t head = h2_call(&p->h2, "HEAD", "/echo", NULL);
    int32_t none = h2_call(&p->h2, "GET", "/none", NULL);

    (void)state;
    struct h2_answer *a = moved(p, get);
    assert_true(kit_has(&a->head, ":status: 200\n"));
    assert_true(kit_has(&a->head, "content-type: text/plain\n"));
    assert_true(kit_has(&a->head, "content-length: 14\n"));
    assert_true(kit_has(&a->head, "x-kit: yes  x-evil: 1\n"));
    assert_true(kit_has(&a->head, "date: "));
    assert_string_equal(buf_cstr(&a->body), "GET /echo?x=1 ");
    a = h2_answer(&p->h2, post);
    assert_string_equal(buf_cstr(&a->body), "POST /echo? hello");
    assert_true(a->is_closed && a->error == 0);
    a = h2_answer(&p->h2, head);
    assert_true(kit_has(&a->head, "content-length: "));
    assert_int_equal(a->body.len, 0);
    a = h2_answer(&p->h2, none);
    assert_true(kit_has(&a->head, ":status: 204\n"));
    assert_false(kit_has(&a->head, "content-length"));
    assert_int_equal(p->kit.requests, 4);
    end(p);
}

static void
the_authority_is_the_host(void **state)
{
    struct pair *p = begin();
    int32_t id = h2_call(&p->h2, "GET", "/echo", "host: elsewhere\nx: y\n");

    (void)state;
    moved(p, id);
    assert_string_equal(buf_cstr(&p->kit.seen), "host: here\nx: y\n");
    end(p);
}

static void
a_session_is_the_same_however_it_is_cut(void **state)
{
    struct pair *p = begin();
    struct buf all = {.cap_max = 0};
    const uint8_t *bytes;
    ssize_t len;

    (void)state;
    h2_call(&p->h2, "GET", "/echo", NULL);
    h2_post(&p->h2, "/echo", GRPC, STR("\0\0\0\0\3abc"), false);
    while ((len = nghttp2_session_mem_send(p->h2.ng, &bytes)) > 0)
        buf_add(&all, (str){(const char *)bytes, (size_t)len});
    end(p);
    for (size_t step = 1; step < all.len; step += 3) {
        struct kit kit;

        kit_session(&kit, http2_new, NULL);
        for (size_t at = 0; at < all.len; at += step)
            kit_feed(&kit, str_cut(buf_str(&all), at, at + step));
        assert_int_equal(kit.requests, 2);
        assert_string_equal(buf_cstr(&kit.body), "abc");
        kit_session_fini(&kit);
    }
    buf_fini(&all);
}

static void
a_grpc_call_is_answered_in_frames_and_trailers(void **state)
{
    struct pair *p = begin();
    int32_t id = h2_post(&p->h2, "/a.B/C", GRPC, STR("\0\0\0\0\5hello"), false);

    (void)state;
    struct h2_answer *a = moved(p, id);
    assert_int_equal(p->kit.protocol, REQUEST_GRPC);
    assert_int_equal(p->kit.problem, REQUEST_WHOLE);
    assert_string_equal(buf_cstr(&p->kit.body), "hello");
    assert_int_equal(a->heads, 2);
    assert_true(kit_has(&a->head, ":status: 200\n"
                                  "content-type: application/grpc\n"
                                  "grpc-accept-encoding: "
                                  "identity,gzip,deflate,zstd\n"));
    assert_true(kit_has(&a->head, "grpc-status: 0\n"
                                  "grpc-message: 50%25 caf%C3%A9\n"
                                  "grpc-status-details-bin: AQIDBA\n"));
    assert_int_equal(a->body.len, 5 + 18);
    assert_memory_equal(a->body.ptr, "\0\0\0\0\x12POST /a.B/C? hello", 23);
    assert_true(a->is_closed && a->error == 0);
    end(p);
}

static void
a_grpc_failure_is_trailers_only(void **state)
{
    struct pair *p = begin();
    int32_t id = h2_post(&p->h2, "/echo", GRPC, STR("\0\0\0"), false);

    (void)state;
    struct h2_answer *a = moved(p, id);
    assert_int_equal(p->kit.problem, REQUEST_BAD_FRAME);
    assert_int_equal(a->heads, 1);
    assert_int_equal(a->body.len, 0);
    assert_true(kit_has(&a->head, "grpc-status: 3\n"));
    assert_true(kit_has(&a->head, "grpc-message: 50%25"));
    assert_true(kit_has(&a->head, "grpc-accept-encoding: "));
    end(p);
}

static void
only_one_whole_message_is_a_call(void **state)
{
    static const struct {
        str bytes;
        const char *encoding;
        enum request_problem problem;
        const char *body;
    } calls[] = {
        {{"\0\0\0\0\0", 5}, "", REQUEST_WHOLE, ""},
        {{"\0\0\0\0\1a", 6}, "", REQUEST_WHOLE, "a"},
        {{"\0\0\0\0\1a", 6}, "grpc-encoding: gzip\n", REQUEST_WHOLE, "a"},
        {{"\0\0\0\0\1a", 6}, "grpc-encoding: identity\n", REQUEST_WHOLE, "a"},
        {{"\1\0\0\0\1a", 6}, "grpc-encoding: gzip\n", REQUEST_BAD_ENCODING, ""},
        {{"\1\0\0\0\1a", 6}, "", REQUEST_BAD_FRAME, ""},
        {{"\1\0\0\0\1a", 6},
         "grpc-encoding: identity\n",
         REQUEST_BAD_FRAME,
         ""},
        {{"\0\0\0\0\1a", 6},
         "grpc-encoding: br\n",
         REQUEST_UNSUPPORTED_ENCODING,
         ""},
        {{"\2\0\0\0\1a", 6}, "", REQUEST_BAD_FRAME, ""},
        {{"", 0}, "", REQUEST_BAD_FRAME, ""},
        {{"\0\0\0\0", 4}, "", REQUEST_BAD_FRAME, ""},
        {{"\0\0\0\0\2a", 6}, "", REQUEST_BAD_FRAME, ""},
        {{"\0\0\0\0\1ab", 7}, "", REQUEST_BAD_FRAME, ""},
        {{"\0\0\0\0\0\0\0\0\0\0", 10}, "", REQUEST_BAD_FRAME, ""},
        {{"\0\xff\xff\xff\xff\0", 6}, "", REQUEST_TOO_LARGE, ""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
        struct pair *p = begin();
        char headers[128];

        (void)snprintf(headers, sizeof(headers), "%s%s", GRPC,
                       calls[i].encoding);
        int32_t id = h2_post(&p->h2, "/echo", headers, calls[i].bytes, false);
        struct h2_answer *a = moved(p, id);
        if (p->kit.problem != calls[i].problem)
            fail_msg("call %zu: problem %d", i, (int)p->kit.problem);
        assert_int_equal(p->kit.requests, 1);
        assert_string_equal(buf_cstr(&p->kit.body), calls[i].body);
        assert_true(kit_has(&a->head, calls[i].problem ? "grpc-status: 3\n"
                                                       : "grpc-status: 0\n"));
        assert_true(a->is_closed && a->error == 0);
        end(p);
    }
}

static void
a_compressed_call_comes_out_plain(void **state)
{
    static const char gz[] = "\x1\0\0\0\x19"
                             "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xcb\x48"
                             "\xcd\xc9\xc9\x07\x00\x86\xa6\x10\x36\x05\x00\x00"
                             "\x00";
    struct pair *p = begin();
    int32_t id = h2_post(&p->h2, "/echo", GRPC "grpc-encoding: gzip\n",
                         (str){gz, 30}, false);

    (void)state;
    moved(p, id);
    assert_int_equal(p->kit.problem, REQUEST_WHOLE);
    assert_string_equal(buf_cstr(&p->kit.body), "hello");
    id = h2_post(&p->h2, "/echo", "content-encoding: gzip\n", (str){gz + 5, 25},
                 false);
    moved(p, id);
    assert_int_equal(p->kit.problem, REQUEST_WHOLE);
    assert_int_equal(p->kit.protocol, REQUEST_HTTP);
    assert_string_equal(buf_cstr(&p->kit.body), "hello");
    end(p);
}

static void
content_types_of_grpc_are_told_from_others(void **state)
{
    (void)state;
    assert_true(grpc_is_content_type(STR("application/grpc")));
    assert_true(grpc_is_content_type(STR("Application/GRPC+proto")));
    assert_true(grpc_is_content_type(STR("application/grpc;charset=utf-8")));
    assert_false(grpc_is_content_type(STR("application/grpc+json")));
    assert_false(grpc_is_content_type(STR("application/grpc-web")));
    assert_false(grpc_is_content_type(STR("application/grp")));
    assert_false(grpc_is_content_type(STR("")));
}

static void
timeouts_are_read_as_written(void **state)
{
    static const struct {
        const char *text;
        uint64_t ms;
    } good[] = {{"1H", 3600000},
                {"2M", 120000},
                {"3S", 3000},
                {"100m", 100},
                {"1500u", 2},
                {"1n", 1},
                {"0m", 0},
                {"99999999n", 100},
                {"99999999S", UINT64_C(31622400000)}};
    static const char *const bad[] = {"",   "1",   "S",   "1s",        "-1S",
                                      "1.", "1 S", "1SS", "123456789S"};
    uint64_t ms = 0;

    (void)state;
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        assert_true(grpc_timeout_parse(str_of(good[i].text), &ms));
        assert_int_equal(ms, good[i].ms);
    }
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_false(grpc_timeout_parse(str_of(bad[i]), &ms));
}

static void
base64_is_as_in_the_rfc(void **state)
{
    static const char *const pairs[][2] = {
        {"", ""},
        {"f", "Zg"},
        {"fo", "Zm8"},
        {"foo", "Zm9v"},
        {"foob", "Zm9vYg"},
        {"fooba", "Zm9vYmE"},
        {"foobar", "Zm9vYmFy"},
        {"\xff\xfe", "//4"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        struct buf out = {.cap_max = 0};

        grpc_binary_encode(&out, str_of(pairs[i][0]));
        assert_string_equal(buf_cstr(&out), pairs[i][1]);
        buf_fini(&out);
    }
}

static void
a_deadline_ends_the_call_and_cancels(void **state)
{
    struct pair *p = begin();
    int32_t id = h2_post(&p->h2, "/hold", GRPC "grpc-timeout: 100m\n",
                         STR("\0\0\0\0\0"), false);

    (void)state;
    moved(p, id);
    kit_pass(&p->kit, 100);
    assert_int_equal(p->kit.cancels, 0);
    kit_pass(&p->kit, 1);
    assert_int_equal(p->kit.cancels, 1);
    struct h2_answer *a = moved(p, id);
    assert_true(kit_has(&a->head, "grpc-status: 4\n"));
    assert_true(a->is_closed);
    request_reply(p->kit.held[0], &(struct reply){.status = GRPC_CODE_OK});
    moved(p, id);
    end(p);

    /* answered in time: nothing happens later */
    p = begin();
    id = h2_post(&p->h2, "/hold", GRPC "grpc-timeout: 100m\n",
                 STR("\0\0\0\0\0"), false);
    moved(p, id);
    request_reply(p->kit.held[0], &(struct reply){.status = GRPC_CODE_OK});
    kit_pass(&p->kit, 200);
    a = moved(p, id);
    assert_true(kit_has(&a->head, "grpc-status: 0\n"));
    assert_int_equal(p->kit.cancels, 0);
    end(p);
}

static void
a_reset_cancels_once(void **state)
{
    struct pair *p = begin();
    int32_t id = h2_call(&p->h2, "GET", "/hold", NULL);

    (void)state;
    moved(p, id);
    nghttp2_submit_rst_stream(p->h2.ng, 0, id, NGHTTP2_CANCEL);
    moved(p, id);
    assert_int_equal(p->kit.cancels, 1);
    request_reply(p->kit.held[0], &(struct reply){.status = 200});
    id = h2_call(&p->h2, "GET", "/echo", NULL);
    assert_true(moved(p, id)->is_closed);
    assert_int_equal(p->kit.cancels, 1);
    end(p);
}

static void
answers_come_in_any_order(void **state)
{
    struct pair *p = begin();
    int32_t a = h2_call(&p->h2, "GET", "/hold", NULL);
    int32_t b = h2_call(&p->h2, "GET", "/hold", NULL);

    (void)state;
    moved(p, a);
    request_reply(p->kit.held[1], &(struct reply){.status = 202});
    moved(p, b);
    assert_false(h2_answer(&p->h2, a)->is_closed);
    assert_true(h2_answer(&p->h2, b)->is_closed);
    request_reply(p->kit.held[0], &(struct reply){.status = 201});
    moved(p, a);
    assert_true(kit_has(&h2_answer(&p->h2, a)->head, ":status: 201"));
    end(p);
}

static void
big_bodies_pass_both_ways(void **state)
{
    enum { LEN = 4400000 };
    struct pair *p = begin();
    char *body = malloc(LEN + 5);

    (void)state;
    assert_non_null(body);
    for (size_t i = 0; i < LEN; i++)
        body[i + 5] = (char)(i % 251);
    static const char prefix[] = {0, 0x00, 0x43, 0x23, (char)0x80};
    memcpy(body, prefix, sizeof(prefix));
    int32_t id = h2_post(&p->h2, "/none", GRPC, (str){body, LEN + 5}, false);
    moved(p, id);
    assert_int_equal(p->kit.problem, REQUEST_WHOLE);
    assert_int_equal(p->kit.body.len, LEN);
    assert_memory_equal(p->kit.body.ptr, body + 5, LEN);
    id = h2_call(&p->h2, "GET", "/big", NULL);
    assert_int_equal(moved(p, id)->body.len, 1 << 20);
    free(body);
    end(p);
}

static void
draining_serves_what_is_under_way(void **state)
{
    struct pair *p = begin();
    int32_t id = h2_call(&p->h2, "GET", "/hold", NULL);

    (void)state;
    moved(p, id);
    session_drain(p->kit.session, p->kit.now_ms);
    int32_t next = h2_call(&p->h2, "GET", "/echo", NULL);
    moved(p, next);
    assert_int_equal(p->h2.goaways, 1);
    assert_int_equal(p->h2.last_id, INT32_MAX);
    assert_true(h2_answer(&p->h2, next)->is_closed);
    kit_pass(&p->kit, 100);
    moved(p, id);
    assert_int_equal(p->h2.goaways, 2);
    assert_int_equal(p->h2.goaway, NGHTTP2_NO_ERROR);
    assert_int_equal(p->h2.last_id, next);
    assert_false(p->kit.session->is_over);
    request_reply(p->kit.held[0], &(struct reply){.status = 200});
    assert_true(moved(p, id)->is_closed);
    assert_true(p->kit.session->is_over);
    end(p);
}

static void
who_shuts_its_half_is_answered_what_came_whole(void **state)
{
    struct pair *p = begin();
    int32_t whole = h2_call(&p->h2, "GET", "/hold", NULL);
    int32_t part = h2_post(&p->h2, "/echo", GRPC, STR("\0\0\0"), true);

    (void)state;
    moved(p, part);
    session_eof(p->kit.session, p->kit.now_ms);
    assert_int_equal(p->kit.cancels, 1);
    assert_true(moved(p, part)->is_closed);
    assert_false(p->kit.session->is_over);
    request_reply(p->kit.held[0], &(struct reply){.status = 204});
    assert_true(kit_has(&moved(p, whole)->head, ":status: 204"));
    assert_true(p->kit.session->is_over);
    assert_int_equal(p->kit.requests, 1);
    end(p);
}

static void
a_server_speaks_http2_on_the_same_port(void **state)
{
    enum { CALLS = 100 };
    struct pair *p = calloc(1, sizeof(*p));

    (void)state;
    assert_non_null(p);
    kit_start(&p->kit, NULL);
    h2_begin(&p->h2, &p->kit);
    int32_t ids[CALLS];
    for (size_t i = 0; i < CALLS; i++)
        ids[i] = h2_post(&p->h2, "/later", GRPC, STR("\0\0\0\0\3abc"), false);
    for (size_t i = 0; i < CALLS; i++) {
        h2_move(&p->h2, ids[i]);
        assert_true(
            kit_has(&h2_answer(&p->h2, ids[i])->head, "grpc-status: 0\n"));
    }
    h2_end(&p->h2);
    kit_stop(&p->kit);
    free(p);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_is_answered),
        cmocka_unit_test(the_authority_is_the_host),
        cmocka_unit_test(a_session_is_the_same_however_it_is_cut),
        cmocka_unit_test(a_grpc_call_is_answered_in_frames_and_trailers),
        cmocka_unit_test(a_grpc_failure_is_trailers_only),
        cmocka_unit_test(only_one_whole_message_is_a_call),
        cmocka_unit_test(a_compressed_call_comes_out_plain),
        cmocka_unit_test(content_types_of_grpc_are_told_from_others),
        cmocka_unit_test(timeouts_are_read_as_written),
        cmocka_unit_test(base64_is_as_in_the_rfc),
        cmocka_unit_test(a_deadline_ends_the_call_and_cancels),
        cmocka_unit_test(a_reset_cancels_once),
        cmocka_unit_test(answers_come_in_any_order),
        cmocka_unit_test(big_bodies_pass_both_ways),
        cmocka_unit_test(draining_serves_what_is_under_way),
        cmocka_unit_test(who_shuts_its_half_is_answered_what_came_whole),
        cmocka_unit_test(a_server_speaks_http2_on_the_same_port),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
