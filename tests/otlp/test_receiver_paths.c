#include "otlp/receiver.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/metrics.h"
#include "otlp/proto/grpc_health.pb-c.h"
#include "tests/support/fake_sink.h"

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
    struct sink_fixture fix = {.sink.begun = 0};

    (void)state;
    fake_sink_open(&fix);
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct fake_request fake = fake_sink_ask(
            &fix, REQUEST_HTTP, "/v1/traces", cases[i].type, STR("{}"));
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
    struct sink_fixture fix = {.sink.begun = 0};

    (void)state;
    fake_sink_open(&fix);
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
    struct sink_fixture fix = {.cfg.traces_path = "/in/here"};

    (void)state;
    fake_sink_open(&fix);
    fake_request_expect_status(
        fake_sink_ask(&fix, REQUEST_HTTP, "/in/here", JSON, STR("{}")), 200);
    fake_request_expect_status(
        fake_sink_ask(&fix, REQUEST_HTTP, "/v1/traces", JSON, STR("{}")), 404);
    fake_request_expect_status(
        fake_sink_ask(&fix, REQUEST_HTTP, GRPC_PATH, JSON, STR("{}")), 404);
    fake_request_expect_status(
        fake_sink_ask(&fix, REQUEST_GRPC, "/in/here", NULL, STR("")), 12);
    fake_request_expect_status(fake_sink_ask(&fix, REQUEST_GRPC,
                                             "/grpc.health.v1.Health/Watch",
                                             NULL, STR("")),
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
    struct sink_fixture fix = {.sink.begun = 0};

    (void)state;
    fake_sink_open(&fix);
    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
        fake_request_expect_status(
            fake_sink_ask(&fix, others[i].protocol, others[i].path, PROTOBUF,
                          STR("any")),
            others[i].protocol == REQUEST_HTTP ? 404 : 12);
    receiver_free(fix.receiver);
}

static void
other_signals_may_be_discarded_and_the_first_is_warned(void **state)
{
    struct sink_fixture fix = {.cfg.other_signals = OTHER_SIGNALS_DISCARD};
    int64_t discarded = metrics_get(METRIC_DISCARDED_OTHER);

    (void)state;
    fake_sink_open(&fix);
    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
        struct fake_request fake = fake_sink_ask(
            &fix, others[i].protocol, others[i].path, PROTOBUF, STR("any"));
        assert_int_equal(fake.status,
                         others[i].protocol == REQUEST_HTTP ? 200 : 0);
        assert_int_equal(fake.body.len > 0, i == 0);
        fake_request_fini(&fake);
    }
    fake_request_expect(
        fake_sink_ask(&fix, REQUEST_HTTP, "/v1/logs", JSON, STR("{}")), 200,
        STR("{}"));
    fake_request_expect_status(
        fake_sink_ask(&fix, REQUEST_HTTP, "/v1/logs", "text/x", STR("{}")),
        415);
    assert_int_equal(metrics_get(METRIC_DISCARDED_OTHER), discarded + 7);
    assert_int_equal(fix.sink.begun, 0);
    receiver_free(fix.receiver);
}

static int
status_with_token(struct sink_fixture *fix, enum request_protocol protocol,
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
    struct sink_fixture fix = {.cfg.tokens = first, .cfg.token_len = 2};

    (void)state;
    fake_sink_open(&fix);
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
health_of(struct sink_fixture *fix, str body)
{
    struct fake_request fake = fake_sink_ask(
        fix, REQUEST_GRPC, "/grpc.health.v1.Health/Check", NULL, body);
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
    struct sink_fixture fix = {.cfg.tokens = tokens, .cfg.token_len = 1};
    struct buf named = {.cap_max = 0};

    (void)state;
    buf_add_char(&named, '\x0a');
    buf_add_char(&named, (char)(sizeof(service) - 1));
    buf_add(&named, str_of(service));
    fake_sink_open(&fix);
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
what_is_refused_by_its_header_has_no_body_read(void **state)
{
    static const struct {
        enum request_protocol protocol;
        const char *path;
        const char *type;
        const char *method;
        const char *token;
        size_t most;
    } cases[] = {
        {REQUEST_HTTP, "/v1/traces", JSON, "POST", "Bearer t", SIZE_MAX},
        {REQUEST_HTTP, "/v1/traces", PROTOBUF, "POST", "Bearer t", SIZE_MAX},
        {REQUEST_GRPC, GRPC_PATH, PROTOBUF, "POST", "Bearer t", SIZE_MAX},
        {REQUEST_HTTP, "/v1/trace", JSON, "POST", "Bearer t", 0},
        {REQUEST_HTTP, "/v1/logs", JSON, "POST", "Bearer t", 0},
        {REQUEST_HTTP, "/v1/traces", "text/plain", "POST", "Bearer t", 0},
        {REQUEST_HTTP, "/v1/traces", JSON, "PUT", "Bearer t", 0},
        {REQUEST_HTTP, "/v1/traces", JSON, "POST", "Bearer u", 0},
        {REQUEST_GRPC, "/a/B", PROTOBUF, "POST", "Bearer t", 0},
        {REQUEST_GRPC, "/grpc.health.v1.Health/Check", PROTOBUF, "POST", "",
         4096},
    };
    static const char *const tokens[] = {"t"};
    struct sink_fixture fix = {.cfg = {.tokens = tokens, .token_len = 1}};

    (void)state;
    fake_sink_open(&fix);
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct fake_request fake;

        fake_request_init(&fake, cases[i].protocol, cases[i].path, STR(""));
        fake_request_header(&fake, "content-type", cases[i].type);
        fake_request_header(&fake, "authorization", cases[i].token);
        fake.req.method = str_of(cases[i].method);
        if (receiver_body_most(fix.receiver, &fake.req) != cases[i].most)
            fail_msg("case %zu", i);
        assert_int_equal(fake.replies, 0);
        fake_request_fini(&fake);
    }
    receiver_free(fix.receiver);
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
        cmocka_unit_test(content_types_have_no_case_and_may_have_parameters),
        cmocka_unit_test(only_post_is_allowed_and_the_answer_says_so),
        cmocka_unit_test(an_unknown_path_is_not_found_or_unimplemented),
        cmocka_unit_test(other_signals_are_rejected_by_default),
        cmocka_unit_test(
            other_signals_may_be_discarded_and_the_first_is_warned),
        cmocka_unit_test(only_a_known_token_passes),
        cmocka_unit_test(health_needs_no_token_and_tells_whether_it_serves),
        cmocka_unit_test(what_is_refused_by_its_header_has_no_body_read),
        cmocka_unit_test(an_empty_token_is_no_configuration),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
