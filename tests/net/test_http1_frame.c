#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "net/http1_frame.h"
#include "tests/support/net_kit.h"

#define HOST "Host: h\r\n"
#define CHUNKED \
    "POST /echo HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n"
#define NEXT "GET /echo HTTP/1.1\r\n" HOST "\r\n"

static void
say(struct kit *kit, str bytes, size_t step)
{
    kit_session(kit, http1_new, NULL);
    for (size_t at = 0; at < bytes.len; at += step)
        kit_feed(kit, str_cut(bytes, at, at + step));
}

/* What somebody who ends lines at LF, or knows where a chunk must end, reads
 * otherwise; most hide a request from him, or end one for him. */
static const str bad[] = {
    /* any two bytes behind data */
    STR_INIT(CHUNKED "3\r\nabcXY0\r\n\r\n" NEXT),
    STR_INIT(CHUNKED "3\r\nabc\n\n0\r\n\r\n" NEXT),
    STR_INIT(CHUNKED "3\r\nabc\rX0\r\n\r\n" NEXT),
    /* CR and any byte behind a size */
    STR_INIT(CHUNKED "3\rXabc\r\n0\r\n\r\n" NEXT),
    STR_INIT(CHUNKED "3\r\nabc\r\n0\rX\r\n" NEXT),
    STR_INIT(CHUNKED "3\nabc\r\n0\r\n\r\n" NEXT),
    /* extensions */
    STR_INIT(CHUNKED "3;a\nabc\r\nabc\r\n0\r\n\r\n" NEXT),
    STR_INIT(CHUNKED "2;\nxx\r\n23\r\n0\r\n\r\n" NEXT "\r\n0\r\n\r\n"),
    STR_INIT(CHUNKED "3;a\001\r\nabc\r\n0\r\n\r\n" NEXT),
    STR_INIT(CHUNKED "3;a\177\r\nabc\r\n0\r\n\r\n" NEXT),
    /* sizes */
    STR_INIT(CHUNKED "3 5\r\nabc\r\n0\r\n\r\n" NEXT),
    STR_INIT(CHUNKED " 3\r\nabc\r\n0\r\n\r\n" NEXT),
    STR_INIT(CHUNKED "+3\r\nabc\r\n0\r\n\r\n" NEXT),
    STR_INIT(CHUNKED "0x3\r\nabc\r\n0\r\n\r\n" NEXT),
    STR_INIT(CHUNKED ";a\r\nabc\r\n0\r\n\r\n" NEXT),
    STR_INIT(CHUNKED "\r\nabc\r\n0\r\n\r\n" NEXT),
    STR_INIT(CHUNKED "00000000000000003\r\nabc\r\n0\r\n\r\n" NEXT),
    /* trailers */
    STR_INIT(CHUNKED "3\r\nabc\r\n0\r\n\rX" NEXT),
    STR_INIT(CHUNKED "3\r\nabc\r\n0\r\nA: b\rX\r\n\r\n" NEXT),
    STR_INIT(CHUNKED "0\r\nTransfer-Encoding: x\r\n\rX" NEXT),
    STR_INIT(CHUNKED "0\r\nContent-Length: 3\r\n\rX" NEXT),
    /* headers */
    STR_INIT("\r" NEXT),
    STR_INIT("\r\r" NEXT),
    STR_INIT("GET /echo HTTP/1.1\r\n" HOST "\rX" NEXT),
    STR_INIT("GET /echo HTTP/1.1\rX" HOST "\r\n" NEXT),
    STR_INIT("GET /echo HTTP/1.1\r\n" HOST "A: b\rC: d\r\n\r\n" NEXT),
    STR_INIT("POST /echo HTTP/1.1\r\n" HOST
             "Content-Length: 3\r\n\r\r\nabc" NEXT),
};

static void
nothing_that_ends_otherwise_for_others_is_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        for (size_t step = 1; step <= bad[i].len; step++) {
            struct kit kit;

            say(&kit, bad[i], step);
            if (kit.requests != 0 || !kit.session->is_over ||
                kit_count(&kit.out, STR("HTTP/1.1 400 ")) != 1 ||
                kit_count(&kit.out, STR("HTTP/1.1 ")) != 1)
                fail_msg("%s, cut by %zu -> %s", bad[i].ptr, step,
                         buf_cstr(&kit.out));
            kit_session_fini(&kit);
        }
    }
}

static const str good[] = {
    STR_INIT(CHUNKED "3\r\nabc\r\n0\r\n\r\n" NEXT),
    STR_INIT(CHUNKED "0000000000000003\r\nabc\r\n000\r\n\r\n" NEXT),
    STR_INIT(CHUNKED "1\r\na\r\n2;x=\"y z\"\r\nbc\r\n0;\r\n\r\n" NEXT),
    STR_INIT(CHUNKED "3 \t;x\r\nabc\r\n0 \r\n\r\n" NEXT),
    STR_INIT(CHUNKED "3;\tx\r\nabc\r\n0\r\nA: b\r\nC: d\n\n" NEXT),
    STR_INIT("POST /echo HTTP/1.1\n" HOST "Content-Length: 3\n\nabc" NEXT),
    STR_INIT("\r\n\n\r\nPOST /echo HTTP/1.1\r\n" HOST
             "Content-Length: 3\r\n\r\nabc\r\n\r\n" NEXT "\r\n"),
    /* what is in a body is nobody's line */
    STR_INIT(CHUNKED "3\r\nabc\r\n6\r\n\r\r\n\r\n0\r\n0\r\n\r\n" NEXT),
};

static void
the_rest_is_read_however_it_is_cut(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        for (size_t step = 1; step <= good[i].len; step++) {
            struct kit kit;

            say(&kit, good[i], step);
            if (kit.requests != 2 || kit.session->is_over ||
                !kit_has(&kit.out, "POST /echo? abc") ||
                !kit_has(&kit.out, "GET /echo? "))
                fail_msg("%s, cut by %zu -> %s", good[i].ptr, step,
                         buf_cstr(&kit.out));
            kit_session_fini(&kit);
        }
    }
}

/* A request that is refused before its body has come is one answer, whatever
 * its chunks are. */
static void
chunks_of_a_refused_request_are_no_request(void **state)
{
    str bytes = STR("POST /echo HTTP/1.1\r\n" HOST "Content-Encoding: odd\r\n"
                    "Transfer-Encoding: chunked\r\n\r\n"
                    "3\r\nabcXY0\r\n\r\n" NEXT);

    (void)state;
    for (size_t step = 1; step <= bytes.len; step++) {
        struct kit kit;

        say(&kit, bytes, step);
        assert_int_equal(kit.requests, 1);
        assert_int_equal(kit_count(&kit.out, STR("HTTP/1.1 ")), 1);
        assert_true(kit.session->is_over);
        kit_session_fini(&kit);
    }
}

static void
an_empty_line_behind_a_request_begins_none(void **state)
{
    struct kit kit;

    (void)state;
    say(&kit, STR(NEXT "\r\n"), 4096);
    assert_int_equal(kit.requests, 1);
    uint64_t due_ms = kit.session->ops->deadline(kit.session);
    kit_pass(&kit, 1000);
    kit_feed(&kit, STR("\r\n"));
    assert_int_equal(kit.session->ops->deadline(kit.session), due_ms);
    kit_pass(&kit, due_ms - kit.now_ms);
    assert_true(kit.session->is_over);
    assert_int_equal(kit_count(&kit.out, STR("HTTP/1.1 ")), 1);
    kit_session_fini(&kit);
}

static void
a_size_of_sixteen_digits_is_the_largest(void **state)
{
    struct http1_frame frame = {0};
    str most = STR("ffffffffffffffff\r\nx");

    (void)state;
    assert_int_equal(http1_frame_chunks(&frame, most), most.len);
    assert_false(frame.is_bad);
    assert_true(frame.left == UINT64_MAX - 1);
    frame = (struct http1_frame){0};
    assert_int_equal(http1_frame_chunks(&frame, STR("00000000000000001")), 16);
    assert_true(frame.is_bad);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_that_ends_otherwise_for_others_is_read),
        cmocka_unit_test(the_rest_is_read_however_it_is_cut),
        cmocka_unit_test(chunks_of_a_refused_request_are_no_request),
        cmocka_unit_test(an_empty_line_behind_a_request_begins_none),
        cmocka_unit_test(a_size_of_sixteen_digits_is_the_largest),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
