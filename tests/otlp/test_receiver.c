#include "otlp/receiver.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/metrics.h"
#include "otlp/proto/grpc_health.pb-c.h"
#include "otlp/proto/trace_response.pb-c.h"
#include "tests/support/fake_request.h"

#define GRPC_PATH "/opentelemetry.proto.collector.trace.v1.TraceService/Export"
#define PROTOBUF  "application/x-protobuf"
#define JSON      "application/json"

/* A sink that counts, and answers as it is told. */
struct fake_sink {
    enum err begin_err;
    enum err done_err;
    bool is_later; /* keeps the answer for finish */
    int begun;
    int aborted;
    int submitted;
    int spans;
    uint32_t rejected;
    struct digest128 digest;
    void (*done)(void *ctx, enum err err);
    void *done_ctx;
};

static void
see_resource(void *ctx, const struct attr_set *resource)
{
    (void)ctx;
    (void)resource;
}

static void
see_scope(void *ctx, str name, str version)
{
    (void)ctx;
    (void)name;
    (void)version;
}

static void
see_span(void *ctx, const struct span *span)
{
    struct fake_sink *sink = ctx;

    assert_true(span->span_id != 0);
    sink->spans++;
}

static enum err
sink_begin(void *ctx, size_t lane, struct span_visitor *out)
{
    struct fake_sink *sink = ctx;

    assert_int_equal(lane, 0);
    *out = (struct span_visitor){sink, see_resource, see_scope, see_span};
    sink->begun++;
    return sink->begin_err;
}

static void
sink_abort(void *ctx, size_t lane)
{
    struct fake_sink *sink = ctx;

    assert_int_equal(lane, 0);
    sink->aborted++;
}

static void
sink_submit(void *ctx, size_t lane, struct digest128 digest, uint32_t rejected,
            void (*done)(void *done_ctx, enum err), void *done_ctx)
{
    struct fake_sink *sink = ctx;

    assert_int_equal(lane, 0);
    sink->submitted++;
    sink->digest = digest;
    sink->rejected = rejected;
    sink->done = done;
    sink->done_ctx = done_ctx;
    if (!sink->is_later)
        done(done_ctx, sink->done_err);
}

static uint32_t
sink_retry_ms(void *ctx)
{
    (void)ctx;
    return 5000;
}

struct fixture {
    struct fake_sink sink;
    struct receiver_cfg cfg;
    struct receiver *receiver;
};

static void
open_fixture(struct fixture *fix)
{
    const struct trace_sink sink = {&fix->sink, sink_begin, sink_abort,
                                    sink_submit, sink_retry_ms};

    if (!fix->cfg.traces_path)
        fix->cfg.traces_path = "/v1/traces";
    fix->cfg.lanes = 1;
    assert_int_equal(receiver_new(&fix->receiver, &fix->cfg, &sink), OK);
}

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

/* Sends a request and returns it with its answer. */
static struct fake_request
ask(struct fixture *fix, enum request_protocol protocol, const char *path,
    const char *type, str body)
{
    struct fake_request fake;

    fake_request_init(&fake, protocol, path, body);
    if (type)
        fake_request_header(&fake, "content-type", type);
    fake.req.headers = fake.headers;
    receiver_handle(fix->receiver, &fake.req);
    assert_int_equal(fake.replies, 1);
    return fake;
}

/* The status that a request with |problem| is answered with. */
static int
status_of_problem(enum request_protocol protocol, enum request_problem problem)
{
    struct fixture fix = {.sink.begun = 0};
    struct fake_request fake;

    open_fixture(&fix);
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
expect(struct fake_request fake, int status, str body)
{
    assert_int_equal(fake.status, status);
    assert_true(str_eq(buf_str(&fake.body), body));
    fake_request_fini(&fake);
}

static void
expect_status(struct fake_request fake, int status)
{
    assert_int_equal(fake.status, status);
    fake_request_fini(&fake);
}

static void
spans_reach_the_sink_in_each_shape_and_success_is_empty(void **state)
{
    struct fixture fix = {.sink.begun = 0};
    struct buf body = {.cap_max = 0};

    (void)state;
    open_fixture(&fix);
    add_spans(&body, 2, 0);
    expect(
        ask(&fix, REQUEST_GRPC, GRPC_PATH, "application/grpc", buf_str(&body)),
        0, STR(""));
    assert_int_equal(fix.sink.spans, 2);
    struct digest128 digest = fix.sink.digest;
    expect(ask(&fix, REQUEST_HTTP, "/v1/traces", PROTOBUF, buf_str(&body)), 200,
           STR(""));
    assert_int_equal(fix.sink.spans, 4);
    assert_true(digest.hi == fix.sink.digest.hi &&
                digest.lo == fix.sink.digest.lo);
    expect(ask(&fix, REQUEST_HTTP, "/v1/traces", JSON, STR(JSON_GOOD)), 200,
           STR("{}"));
    assert_int_equal(fix.sink.spans, 5);
    assert_int_equal(fix.sink.submitted, 3);
    assert_int_equal(fix.sink.aborted, 0);
    receiver_free(fix.receiver);
    buf_fini(&body);
}

static void
an_empty_request_is_a_success_and_submits_nothing(void **state)
{
    struct fixture fix = {.sink.begun = 0};

    (void)state;
    open_fixture(&fix);
    expect(ask(&fix, REQUEST_GRPC, GRPC_PATH, NULL, STR("")), 0, STR(""));
    expect(ask(&fix, REQUEST_HTTP, "/v1/traces", PROTOBUF, STR("")), 200,
           STR(""));
    expect(ask(&fix, REQUEST_HTTP, "/v1/traces", PROTOBUF, STR("\x0a\0")), 200,
           STR(""));
    expect(ask(&fix, REQUEST_HTTP, "/v1/traces", JSON, STR("{}")), 200,
           STR("{}"));
    expect(ask(&fix, REQUEST_HTTP, "/v1/traces", JSON,
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
    struct fixture fix = {.sink.begun = 0};
    struct buf body = {.cap_max = 0};
    int64_t accepted = metrics_get(METRIC_SPANS_ACCEPTED);
    int64_t rejected = metrics_get(METRIC_SPANS_REJECTED);

    (void)state;
    open_fixture(&fix);
    add_spans(&body, 1, 2);
    struct fake_request fake =
        ask(&fix, REQUEST_GRPC, GRPC_PATH, NULL, buf_str(&body));
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

    fake = ask(&fix, REQUEST_HTTP, "/v1/traces", JSON, STR(JSON_BAD));
    assert_int_equal(fake.status, 200);
    buf_cstr(&fake.body);
    assert_non_null(strstr(fake.body.ptr, "\"rejectedSpans\":\"1\""));
    assert_non_null(strstr(fake.body.ptr, "\"errorMessage\":\"1 of 1 "));
    fake_request_fini(&fake);
    receiver_free(fix.receiver);
    buf_fini(&body);
}

static void
malformed_bytes_are_refused_with_their_place_and_leave_nothing(void **state)
{
    struct fixture fix = {.sink.begun = 0};

    (void)state;
    open_fixture(&fix);
    struct fake_request fake =
        ask(&fix, REQUEST_GRPC, GRPC_PATH, NULL, STR("\x0a\x05no"));
    assert_int_equal(fake.status, GRPC_CODE_INVALID_ARGUMENT);
    assert_non_null(strstr(buf_cstr(&fake.message), "at byte "));
    assert_true(fake.details.len > 0);
    fake_request_fini(&fake);
    fake = ask(&fix, REQUEST_HTTP, "/v1/traces", JSON, STR("{\"a\":"));
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
        struct fixture fix = {.sink.begin_err = cases[i].begin,
                              .sink.done_err = cases[i].done};
        open_fixture(&fix);
        struct fake_request fake =
            ask(&fix, REQUEST_GRPC, GRPC_PATH, NULL, buf_str(&body));
        assert_int_equal(fake.status, GRPC_CODE_UNAVAILABLE);
        assert_non_null(memmem(fake.details.ptr, fake.details.len,
                               "google.rpc.RetryInfo", 20));
        fake_request_fini(&fake);
        fake = ask(&fix, REQUEST_HTTP, "/v1/traces", PROTOBUF, buf_str(&body));
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
    struct fixture fix = {.sink.is_later = true};
    struct fake_request first;
    struct buf body = {.cap_max = 0};

    (void)state;
    open_fixture(&fix);
    add_spans(&body, 1, 0);
    fake_request_init(&first, REQUEST_GRPC, GRPC_PATH, buf_str(&body));
    receiver_handle(fix.receiver, &first.req);
    assert_int_equal(first.replies, 0);
    void *first_ctx = fix.sink.done_ctx;
    fix.sink.is_later = false;
    expect_status(ask(&fix, REQUEST_GRPC, GRPC_PATH, NULL, buf_str(&body)), 0);
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

static void
content_types_have_no_case_and_may_have_parameters(void **state)
{
    static const struct {
        const char *type;
        int status;
        const char *answered;
    } cases[] = {
        {"application/json; charset=utf-8", 200, JSON},
        {"APPLICATION/JSON", 200, JSON},
        {"application/json ;x=y", 200, JSON},
        {"Application/X-Protobuf", 400, PROTOBUF},
        {"text/plain", 415, PROTOBUF},
        {"application/jsonx", 415, PROTOBUF},
        {"application/grpc", 415, PROTOBUF},
        {"", 415, PROTOBUF},
        {NULL, 415, PROTOBUF},
    };
    struct fixture fix = {.sink.begun = 0};

    (void)state;
    open_fixture(&fix);
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct fake_request fake =
            ask(&fix, REQUEST_HTTP, "/v1/traces", cases[i].type, STR("{}"));
        assert_int_equal(fake.status, cases[i].status);
        assert_true(str_eq(buf_str(&fake.type), str_of(cases[i].answered)));
        if (fake.status == 415)
            assert_non_null(memmem(fake.body.ptr, fake.body.len, PROTOBUF,
                                   sizeof(PROTOBUF) - 1));
        fake_request_fini(&fake);
    }
    receiver_free(fix.receiver);
}

static void
only_post_is_allowed_and_the_answer_says_so(void **state)
{
    static const char *const methods[] = {"GET", "PUT", "OPTIONS", "post"};
    struct fixture fix = {.sink.begun = 0};

    (void)state;
    open_fixture(&fix);
    for (size_t i = 0; i < 4; i++) {
        struct fake_request fake;
        fake_request_init(&fake, REQUEST_HTTP, "/v1/traces", STR(""));
        fake_request_header(&fake, "content-type", JSON);
        fake.req.method = str_of(methods[i]);
        receiver_handle(fix.receiver, &fake.req);
        assert_int_equal(fake.status, 405);
        assert_true(fake_request_has(&fake, "allow: POST\n"));
        assert_non_null(strstr(buf_cstr(&fake.body), "\"code\":12"));
        fake_request_fini(&fake);
    }
    receiver_free(fix.receiver);
}

static void
an_unknown_path_is_not_found_or_unimplemented(void **state)
{
    struct fixture fix = {.cfg.traces_path = "/in/here"};

    (void)state;
    open_fixture(&fix);
    expect_status(ask(&fix, REQUEST_HTTP, "/in/here", JSON, STR("{}")), 200);
    expect_status(ask(&fix, REQUEST_HTTP, "/v1/traces", JSON, STR("{}")), 404);
    expect_status(ask(&fix, REQUEST_HTTP, GRPC_PATH, JSON, STR("{}")), 404);
    expect_status(ask(&fix, REQUEST_GRPC, "/in/here", NULL, STR("")), 12);
    expect_status(
        ask(&fix, REQUEST_GRPC, "/grpc.health.v1.Health/Watch", NULL, STR("")),
        12);
    receiver_free(fix.receiver);
}

static const struct {
    enum request_protocol protocol;
    const char *path;
} others[] = {
    {REQUEST_HTTP, "/v1/logs"},
    {REQUEST_HTTP, "/v1/metrics"},
    {REQUEST_HTTP, "/v1development/profiles"},
    {REQUEST_GRPC, "/opentelemetry.proto.collector.logs.v1.LogsService/Export"},
    {REQUEST_GRPC,
     "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export"},
    {REQUEST_GRPC, "/opentelemetry.proto.collector.profiles.v1development."
                   "ProfilesService/Export"},
};

static void
other_signals_are_rejected_by_default(void **state)
{
    struct fixture fix = {.sink.begun = 0};

    (void)state;
    open_fixture(&fix);
    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
        expect_status(
            ask(&fix, others[i].protocol, others[i].path, PROTOBUF, STR("any")),
            others[i].protocol == REQUEST_HTTP ? 404 : 12);
    receiver_free(fix.receiver);
}

static void
other_signals_may_be_discarded_and_the_first_is_warned(void **state)
{
    struct fixture fix = {.cfg.other_signals = OTHER_SIGNALS_DISCARD};
    int64_t discarded = metrics_get(METRIC_DISCARDED_OTHER);

    (void)state;
    open_fixture(&fix);
    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
        struct fake_request fake =
            ask(&fix, others[i].protocol, others[i].path, PROTOBUF, STR("any"));
        assert_int_equal(fake.status,
                         others[i].protocol == REQUEST_HTTP ? 200 : 0);
        assert_int_equal(fake.body.len > 0, i == 0);
        fake_request_fini(&fake);
    }
    expect(ask(&fix, REQUEST_HTTP, "/v1/logs", JSON, STR("{}")), 200,
           STR("{}"));
    expect_status(ask(&fix, REQUEST_HTTP, "/v1/logs", "text/x", STR("{}")),
                  415);
    assert_int_equal(metrics_get(METRIC_DISCARDED_OTHER), discarded + 7);
    assert_int_equal(fix.sink.begun, 0);
    receiver_free(fix.receiver);
}

static int
status_with_token(struct fixture *fix, enum request_protocol protocol,
                  const char *authorization)
{
    struct fake_request fake;

    fake_request_init(&fake, protocol,
                      protocol == REQUEST_GRPC ? GRPC_PATH : "/v1/traces",
                      STR(""));
    fake_request_header(&fake, "content-type", PROTOBUF);
    if (authorization)
        fake_request_header(&fake, "authorization", authorization);
    receiver_handle(fix->receiver, &fake.req);
    int status = fake.status;
    if (status == 401)
        assert_true(fake_request_has(&fake, "www-authenticate: Bearer"));
    fake_request_fini(&fake);
    return status;
}

static void
only_a_known_token_passes(void **state)
{
    static const char *const first[] = {"alpha", "beta"};
    static const char *const second[] = {"gamma"};
    static const char *const empty[] = {""};
    struct fixture fix = {.cfg.tokens = first, .cfg.token_len = 2};

    (void)state;
    open_fixture(&fix);
    assert_int_equal(status_with_token(&fix, REQUEST_HTTP, NULL), 401);
    assert_int_equal(status_with_token(&fix, REQUEST_GRPC, NULL), 16);
    assert_int_equal(status_with_token(&fix, REQUEST_HTTP, "Bearer "), 401);
    assert_int_equal(status_with_token(&fix, REQUEST_HTTP, "alpha"), 401);
    assert_int_equal(status_with_token(&fix, REQUEST_HTTP, "Bearer alph"), 401);
    assert_int_equal(status_with_token(&fix, REQUEST_HTTP, "Bearer alphab"),
                     401);
    assert_int_equal(status_with_token(&fix, REQUEST_HTTP, "Basic alpha"), 401);
    assert_int_equal(status_with_token(&fix, REQUEST_HTTP, "Bearer alpha"),
                     200);
    assert_int_equal(status_with_token(&fix, REQUEST_GRPC, "bearer  beta "), 0);
    assert_int_equal(receiver_set_tokens(fix.receiver, second, 1), OK);
    assert_int_equal(status_with_token(&fix, REQUEST_GRPC, "Bearer beta"), 16);
    assert_int_equal(status_with_token(&fix, REQUEST_GRPC, "Bearer gamma"), 0);
    assert_int_equal(receiver_set_tokens(fix.receiver, empty, 1), ERR_INVALID);
    assert_int_equal(status_with_token(&fix, REQUEST_GRPC, "Bearer gamma"), 0);
    assert_int_equal(receiver_set_tokens(fix.receiver, NULL, 0), OK);
    assert_int_equal(status_with_token(&fix, REQUEST_GRPC, NULL), 0);
    receiver_free(fix.receiver);
}

/* -1: the service is unknown; -2: malformed; else the serving status. */
static int
health_of(struct fixture *fix, str body)
{
    struct fake_request fake =
        ask(fix, REQUEST_GRPC, "/grpc.health.v1.Health/Check", NULL, body);
    int result = fake.status == 5 ? -1 : -2;

    if (fake.status == 0) {
        Spangraph__Wire__HealthCheckResponse *response =
            spangraph__wire__health_check_response__unpack(
                NULL, fake.body.len, (const uint8_t *)fake.body.ptr);
        assert_non_null(response);
        result = (int)response->status;
        spangraph__wire__health_check_response__free_unpacked(response, NULL);
    }
    fake_request_fini(&fake);
    return result;
}

static void
health_needs_no_token_and_tells_whether_it_serves(void **state)
{
    static const char *const tokens[] = {"alpha"};
    static const char service[] =
        "opentelemetry.proto.collector.trace.v1.TraceService";
    static char big[5000];
    struct fixture fix = {.cfg.tokens = tokens, .cfg.token_len = 1};
    struct buf named = {.cap_max = 0};

    (void)state;
    buf_add_char(&named, '\x0a');
    buf_add_char(&named, (char)(sizeof(service) - 1));
    buf_add(&named, str_of(service));
    open_fixture(&fix);
    assert_int_equal(health_of(&fix, STR("")), 2);
    receiver_set_serving(fix.receiver, true);
    assert_int_equal(health_of(&fix, STR("")), 1);
    assert_int_equal(health_of(&fix, buf_str(&named)), 1);
    assert_int_equal(health_of(&fix, STR("\x0a\x02no")), -1);
    assert_int_equal(health_of(&fix, STR("\x0a\x09no")), -2);
    assert_int_equal(health_of(&fix, (str){big, sizeof(big)}), -2);
    receiver_set_serving(fix.receiver, false);
    assert_int_equal(health_of(&fix, buf_str(&named)), 2);
    receiver_free(fix.receiver);
    buf_fini(&named);
}

static void
an_empty_token_is_no_configuration(void **state)
{
    static const char *const empty[] = {"alpha", ""};
    const struct receiver_cfg cfg = {
        .traces_path = "/", .tokens = empty, .token_len = 2, .lanes = 1};
    const struct trace_sink sink = {.ctx = NULL};
    struct receiver *receiver;

    (void)state;
    assert_int_equal(receiver_new(&receiver, &cfg, &sink), ERR_INVALID);
    assert_null(receiver);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            spans_reach_the_sink_in_each_shape_and_success_is_empty),
        cmocka_unit_test(an_empty_request_is_a_success_and_submits_nothing),
        cmocka_unit_test(rejected_spans_are_counted_and_the_rest_is_taken),
        cmocka_unit_test(
            malformed_bytes_are_refused_with_their_place_and_leave_nothing),
        cmocka_unit_test(
            a_sink_that_is_full_or_fails_makes_the_client_come_back),
        cmocka_unit_test(a_lane_is_free_again_while_an_answer_is_awaited),
        cmocka_unit_test(
            a_request_that_is_not_whole_is_refused_in_its_own_words),
        cmocka_unit_test(content_types_have_no_case_and_may_have_parameters),
        cmocka_unit_test(only_post_is_allowed_and_the_answer_says_so),
        cmocka_unit_test(an_unknown_path_is_not_found_or_unimplemented),
        cmocka_unit_test(other_signals_are_rejected_by_default),
        cmocka_unit_test(
            other_signals_may_be_discarded_and_the_first_is_warned),
        cmocka_unit_test(only_a_known_token_passes),
        cmocka_unit_test(health_needs_no_token_and_tells_whether_it_serves),
        cmocka_unit_test(an_empty_token_is_no_configuration),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
