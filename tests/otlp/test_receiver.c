#include "otlp/receiver.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/metrics.h"
#include "otlp/proto/trace_response.pb-c.h"
#include "tests/support/fake_sink.h"

/* One span of each kind asked for, as protobuf. */
static void
add_spans(struct buf *out, int good, int bad)
{
    static const char good_span[] =
        "\x12\x21\x0a\x10"
        "0123456789abcdef\x12\x08spanid01\x2a\x03get";
    static const char bad_span[] =
        "\x12\x21\x0a\x10"
        "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x12\x08spanid01\x2a\x03get";
    size_t len = (size_t)(good + bad) * (sizeof(good_span) - 1);

    assert_true(len < 120);
    buf_add_char(out, '\x0a');
    buf_add_char(out, (char)(len + 2));
    buf_add_char(out, '\x12');
    buf_add_char(out, (char)len);
    for (int i = 0; i < good; i++)
        buf_add(out, (str){good_span, sizeof(good_span) - 1});
    for (int i = 0; i < bad; i++)
        buf_add(out, (str){bad_span, sizeof(bad_span) - 1});
}

#define JSON_SPAN(trace)                                                     \
    "{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[{\"traceId\":\"" trace \
    "\",\"spanId\":\"00f067AA0ba902b7\",\"name\":\"get\"}]}]}]}"
#define JSON_GOOD JSON_SPAN("4BF92f3577b34da6a3ce929d0e0e4736")
#define JSON_BAD  JSON_SPAN("00000000000000000000000000000000")

/* The status that a request with |problem| is answered with. */
static int
status_of_problem(enum request_protocol protocol, enum request_problem problem)
{
    struct sink_fixture fix = {.sink.begun = 0};
    struct fake_request fake;

    fake_sink_open(&fix);
    fake_request_init(&fake, protocol,
                      protocol == REQUEST_GRPC ? GRPC_PATH : "/v1/traces",
                      STR(""));
    fake_request_header(&fake, "content-type", PROTOBUF);
    fake.req.problem = problem;
    receiver_handle(fix.receiver, &fake.req);
    assert_int_equal(fake.replies, 1);
    assert_int_equal(fix.sink.begun, 0);
    int status = fake.status;
    fake_request_fini(&fake);
    receiver_free(fix.receiver);
    return status;
}

static void
spans_reach_the_sink_in_each_shape_and_success_is_empty(void **state)
{
    struct sink_fixture fix = {.sink.begun = 0};
    struct buf body = {.cap_max = 0};

    (void)state;
    fake_sink_open(&fix);
    add_spans(&body, 2, 0);
    fake_request_expect(fake_sink_ask(&fix, REQUEST_GRPC, GRPC_PATH,
                                      "application/grpc", buf_str(&body)),
                        0, STR(""));
    assert_int_equal(fix.sink.spans, 2);
    struct digest128 digest = fix.sink.digest;
    fake_request_expect(fake_sink_ask(&fix, REQUEST_HTTP, "/v1/traces",
                                      PROTOBUF, buf_str(&body)),
                        200, STR(""));
    assert_int_equal(fix.sink.spans, 4);
    assert_true(digest.hi == fix.sink.digest.hi &&
                digest.lo == fix.sink.digest.lo);
    fake_request_expect(
        fake_sink_ask(&fix, REQUEST_HTTP, "/v1/traces", JSON, STR(JSON_GOOD)),
        200, STR("{}"));
    assert_int_equal(fix.sink.spans, 5);
    assert_int_equal(fix.sink.submitted, 3);
    assert_int_equal(fix.sink.aborted, 0);
    receiver_free(fix.receiver);
    buf_fini(&body);
}

static void
an_empty_request_is_a_success_and_submits_nothing(void **state)
{
    struct sink_fixture fix = {.sink.begun = 0};

    (void)state;
    fake_sink_open(&fix);
    fake_request_expect(
        fake_sink_ask(&fix, REQUEST_GRPC, GRPC_PATH, NULL, STR("")), 0,
        STR(""));
    fake_request_expect(
        fake_sink_ask(&fix, REQUEST_HTTP, "/v1/traces", PROTOBUF, STR("")), 200,
        STR(""));
    fake_request_expect(fake_sink_ask(&fix, REQUEST_HTTP, "/v1/traces",
                                      PROTOBUF, STR("\x0a\0")),
                        200, STR(""));
    fake_request_expect(
        fake_sink_ask(&fix, REQUEST_HTTP, "/v1/traces", JSON, STR("{}")), 200,
        STR("{}"));
    fake_request_expect(fake_sink_ask(&fix, REQUEST_HTTP, "/v1/traces", JSON,
                                      STR("{\"resourceSpans\":[{}]}")),
                        200, STR("{}"));
    assert_int_equal(fix.sink.begun, 5);
    assert_int_equal(fix.sink.aborted, 5);
    assert_int_equal(fix.sink.submitted, 0);
    receiver_free(fix.receiver);
}

static void
rejected_spans_are_counted_and_the_rest_is_taken(void **state)
{
    struct sink_fixture fix = {.sink.begun = 0};
    struct buf body = {.cap_max = 0};
    int64_t accepted = metrics_get(METRIC_SPANS_ACCEPTED);
    int64_t rejected = metrics_get(METRIC_SPANS_REJECTED);

    (void)state;
    fake_sink_open(&fix);
    add_spans(&body, 1, 2);
    struct fake_request fake =
        fake_sink_ask(&fix, REQUEST_GRPC, GRPC_PATH, NULL, buf_str(&body));
    assert_int_equal(fake.status, 0);
    Spangraph__Wire__ExportResponse *response =
        spangraph__wire__export_response__unpack(
            NULL, fake.body.len, (const uint8_t *)fake.body.ptr);
    assert_non_null(response);
    assert_int_equal(response->partial_success->rejected, 2);
    assert_non_null(strstr(response->partial_success->error_message,
                           "2 of 3 spans rejected"));
    spangraph__wire__export_response__free_unpacked(response, NULL);
    fake_request_fini(&fake);
    assert_int_equal(fix.sink.spans, 1);
    assert_int_equal(fix.sink.rejected, 2);
    assert_int_equal(metrics_get(METRIC_SPANS_ACCEPTED), accepted + 1);
    assert_int_equal(metrics_get(METRIC_SPANS_REJECTED), rejected + 2);

    fake = fake_sink_ask(&fix, REQUEST_HTTP, "/v1/traces", JSON, STR(JSON_BAD));
    assert_int_equal(fake.status, 200);
    buf_cstr(&fake.body);
    assert_non_null(strstr(fake.body.ptr, "\"rejectedSpans\":\"1\""));
    assert_non_null(strstr(fake.body.ptr, "\"errorMessage\":\"1 of 1 "));
    fake_request_fini(&fake);
    receiver_free(fix.receiver);
    buf_fini(&body);
}

static void
text_that_is_left_out_is_told_and_rejects_nothing(void **state)
{
    struct sink_fixture fix = {.sink.begun = 0};

    (void)state;
    fake_sink_open(&fix);
    struct fake_request fake =
        fake_sink_ask(&fix, REQUEST_GRPC, GRPC_PATH, NULL,
                      STR("\x0a\x23\x12\x21\x12\x1f\x0a\x10"
                          "0123456789abcdef"
                          "\x12\x08"
                          "01234567\x2a\x01\xff"));
    assert_int_equal(fake.status, 0);
    Spangraph__Wire__ExportResponse *response =
        spangraph__wire__export_response__unpack(
            NULL, fake.body.len, (const uint8_t *)fake.body.ptr);
    assert_non_null(response);
    assert_int_equal(response->partial_success->rejected, 0);
    assert_string_equal(response->partial_success->error_message,
                        "text that is not UTF-8 was left out");
    spangraph__wire__export_response__free_unpacked(response, NULL);
    fake_request_fini(&fake);
    assert_int_equal(fix.sink.spans, 1);
    receiver_free(fix.receiver);
}

static void
malformed_bytes_are_refused_with_their_place_and_leave_nothing(void **state)
{
    struct sink_fixture fix = {.sink.begun = 0};

    (void)state;
    fake_sink_open(&fix);
    struct fake_request fake =
        fake_sink_ask(&fix, REQUEST_GRPC, GRPC_PATH, NULL, STR("\x0a\x05no"));
    assert_int_equal(fake.status, GRPC_CODE_INVALID_ARGUMENT);
    assert_non_null(strstr(buf_cstr(&fake.message), "at byte "));
    assert_true(fake.details.len > 0);
    fake_request_fini(&fake);
    fake =
        fake_sink_ask(&fix, REQUEST_HTTP, "/v1/traces", JSON, STR("{\"a\":"));
    assert_int_equal(fake.status, 400);
    assert_non_null(strstr(buf_cstr(&fake.body), "at byte 5"));
    assert_non_null(strstr(buf_cstr(&fake.body), "BadRequest"));
    fake_request_fini(&fake);
    assert_int_equal(fix.sink.aborted, 2);
    assert_int_equal(fix.sink.submitted, 0);
    receiver_free(fix.receiver);
}

static void
a_sink_that_is_full_or_fails_makes_the_client_come_back(void **state)
{
    static const struct {
        enum err begin;
        enum err done;
    } cases[] = {{ERR_FULL, OK}, {OK, ERR_FULL}, {OK, ERR_STORE}};
    struct buf body = {.cap_max = 0};

    (void)state;
    add_spans(&body, 1, 0);
    for (size_t i = 0; i < 3; i++) {
        struct sink_fixture fix = {.sink.begin_err = cases[i].begin,
                                   .sink.done_err = cases[i].done};
        fake_sink_open(&fix);
        struct fake_request fake =
            fake_sink_ask(&fix, REQUEST_GRPC, GRPC_PATH, NULL, buf_str(&body));
        assert_int_equal(fake.status, GRPC_CODE_UNAVAILABLE);
        assert_non_null(memmem(fake.details.ptr, fake.details.len,
                               "google.rpc.RetryInfo", 20));
        fake_request_fini(&fake);
        fake = fake_sink_ask(&fix, REQUEST_HTTP, "/v1/traces", PROTOBUF,
                             buf_str(&body));
        assert_int_equal(fake.status, 503);
        assert_true(fake_request_has(&fake, "retry-after: 5\n"));
        fake_request_fini(&fake);
        receiver_free(fix.receiver);
    }
    buf_fini(&body);
}

static void
a_lane_is_free_again_while_an_answer_is_awaited(void **state)
{
    struct sink_fixture fix = {.sink.is_later = true};
    struct fake_request first;
    struct buf body = {.cap_max = 0};

    (void)state;
    fake_sink_open(&fix);
    add_spans(&body, 1, 0);
    fake_request_init(&first, REQUEST_GRPC, GRPC_PATH, buf_str(&body));
    receiver_handle(fix.receiver, &first.req);
    assert_int_equal(first.replies, 0);
    void *first_ctx = fix.sink.done_ctx;
    fix.sink.is_later = false;
    fake_request_expect_status(
        fake_sink_ask(&fix, REQUEST_GRPC, GRPC_PATH, NULL, buf_str(&body)), 0);
    fix.sink.done(first_ctx, OK);
    assert_int_equal(first.replies, 1);
    assert_int_equal(first.status, 0);
    fake_request_fini(&first);
    receiver_free(fix.receiver);
    buf_fini(&body);
}

static void
a_request_that_is_not_whole_is_refused_in_its_own_words(void **state)
{
    static const struct {
        enum request_problem problem;
        int http;
        int grpc;
    } cases[] = {
        {REQUEST_TOO_LARGE, 413, GRPC_CODE_RESOURCE_EXHAUSTED},
        {REQUEST_BAD_ENCODING, 400, GRPC_CODE_INVALID_ARGUMENT},
        {REQUEST_UNSUPPORTED_ENCODING, 415, GRPC_CODE_UNIMPLEMENTED},
        {REQUEST_NO_ROOM, 503, GRPC_CODE_UNAVAILABLE},
        {REQUEST_BAD_FRAME, 400, GRPC_CODE_INVALID_ARGUMENT},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        assert_int_equal(status_of_problem(REQUEST_HTTP, cases[i].problem),
                         cases[i].http);
        assert_int_equal(status_of_problem(REQUEST_GRPC, cases[i].problem),
                         cases[i].grpc);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            spans_reach_the_sink_in_each_shape_and_success_is_empty),
        cmocka_unit_test(an_empty_request_is_a_success_and_submits_nothing),
        cmocka_unit_test(rejected_spans_are_counted_and_the_rest_is_taken),
        cmocka_unit_test(text_that_is_left_out_is_told_and_rejects_nothing),
        cmocka_unit_test(
            malformed_bytes_are_refused_with_their_place_and_leave_nothing),
        cmocka_unit_test(
            a_sink_that_is_full_or_fails_makes_the_client_come_back),
        cmocka_unit_test(a_lane_is_free_again_while_an_answer_is_awaited),
        cmocka_unit_test(
            a_request_that_is_not_whole_is_refused_in_its_own_words),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
