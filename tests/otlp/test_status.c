#include "otlp/status.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include <cjson/cJSON.h>

#include "otlp/proto/google_rpc.pb-c.h"
#include "otlp/proto/grpc_health.pb-c.h"
#include "otlp/proto/trace_response.pb-c.h"
#include "tests/support/fake_request.h"

/* What OTLP and security.md ask, written down a second time. */
static const struct {
    int http;
    int code;
    const char *header; /* HTTP */
    const char *detail;
} wanted[REFUSE_COUNT] = {
    [REFUSE_MALFORMED] = {400, 3, NULL, "BadRequest"},
    [REFUSE_TOO_LARGE] = {413, 8, NULL, NULL},
    [REFUSE_ENCODING] = {415, 12, "accept-encoding: gzip, deflate, zstd", NULL},
    [REFUSE_MEDIA_TYPE] = {415, 3, "accept: application/x-protobuf, ", NULL},
    [REFUSE_METHOD] = {405, 12, "allow: POST\n", NULL},
    [REFUSE_PATH] = {404, 12, NULL, NULL},
    [REFUSE_DENIED] = {401, 16, "www-authenticate: Bearer\n", NULL},
    [REFUSE_UNKNOWN] = {404, 5, NULL, NULL},
    [REFUSE_FULL] = {503, 14, "retry-after: 6\n", "RetryInfo"},
    [REFUSE_STORE] = {503, 14, "retry-after: 6\n", "RetryInfo"},
};

enum { WAIT_MS = 5250 };

static Spangraph__Wire__Status *
unpack_status(const struct buf *bytes)
{
    Spangraph__Wire__Status *status = spangraph__wire__status__unpack(
        NULL, bytes->len, (const uint8_t *)bytes->ptr);

    assert_non_null(status);
    return status;
}

static void
check_status_pb(const struct buf *bytes, enum refusal why, const char *message)
{
    Spangraph__Wire__Status *status = unpack_status(bytes);

    assert_int_equal(status->code, wanted[why].code);
    if (message)
        assert_string_equal(status->message, message);
    assert_true(*status->message != '\0');
    assert_int_equal(status->n_details, wanted[why].detail != NULL);
    if (wanted[why].detail) {
        const char *url = status->details[0]->type_url;
        assert_string_equal(strrchr(url, '.') + 1, wanted[why].detail);
        assert_memory_equal(url, "type.googleapis.com/google.rpc.", 31);
    }
    spangraph__wire__status__free_unpacked(status, NULL);
}

static void
check_status_json(const struct buf *text, enum refusal why)
{
    cJSON *json = cJSON_ParseWithLength(text->ptr, text->len);

    assert_non_null(json);
    assert_int_equal(cJSON_GetObjectItem(json, "code")->valueint,
                     wanted[why].code);
    assert_true(cJSON_IsString(cJSON_GetObjectItem(json, "message")));
    const cJSON *details = cJSON_GetObjectItem(json, "details");
    assert_int_equal(details != NULL, wanted[why].detail != NULL);
    if (details) {
        const char *url =
            cJSON_GetObjectItem(cJSON_GetArrayItem(details, 0), "@type")
                ->valuestring;
        assert_string_equal(strrchr(url, '.') + 1, wanted[why].detail);
    }
    cJSON_Delete(json);
}

static void
each_refusal_over_http_has_its_status_header_and_body(void **state)
{
    (void)state;
    for (enum refusal why = 0; why < REFUSE_COUNT; why++) {
        for (enum body_format format = 0; format <= BODY_JSON; format++) {
            struct fake_request fake;
            fake_request_init(&fake, REQUEST_HTTP, "/", STR(""));
            status_refuse(&fake.req, format, why, STR(""), WAIT_MS);
            assert_int_equal(fake.replies, 1);
            assert_int_equal(fake.status, wanted[why].http);
            if (wanted[why].header)
                assert_true(fake_request_has(&fake, wanted[why].header));
            else
                assert_int_equal(fake.answer_headers.len, 0);
            assert_true(str_eq(buf_str(&fake.type),
                               format == BODY_JSON
                                   ? STR("application/json")
                                   : STR("application/x-protobuf")));
            if (format == BODY_JSON)
                check_status_json(&fake.body, why);
            else
                check_status_pb(&fake.body, why, NULL);
            fake_request_fini(&fake);
        }
    }
}

static void
each_refusal_over_grpc_has_its_code_and_details(void **state)
{
    (void)state;
    for (enum refusal why = 0; why < REFUSE_COUNT; why++) {
        struct fake_request fake;
        fake_request_init(&fake, REQUEST_GRPC, "/", STR(""));
        status_refuse(&fake.req, BODY_PROTOBUF, why, STR("because"), WAIT_MS);
        assert_int_equal(fake.status, wanted[why].code);
        assert_true(str_eq(buf_str(&fake.message), STR("because")));
        assert_int_equal(fake.body.len, 0);
        if (wanted[why].detail)
            check_status_pb(&fake.details, why, "because");
        else
            assert_int_equal(fake.details.len, 0);
        assert_int_equal(fake_request_has(&fake, "grpc-accept-encoding: "
                                                 "identity, gzip"),
                         why == REFUSE_ENCODING);
        fake_request_fini(&fake);
    }
}

static void
a_client_is_told_how_long_to_wait(void **state)
{
    struct fake_request fake;

    (void)state;
    fake_request_init(&fake, REQUEST_GRPC, "/", STR(""));
    status_refuse(&fake.req, BODY_PROTOBUF, REFUSE_FULL, STR(""), WAIT_MS);
    Spangraph__Wire__Status *status = unpack_status(&fake.details);
    Spangraph__Wire__RetryInfo *info = spangraph__wire__retry_info__unpack(
        NULL, status->details[0]->value.len, status->details[0]->value.data);
    assert_non_null(info);
    assert_int_equal(info->retry_delay->seconds, 5);
    assert_int_equal(info->retry_delay->nanos, 250000000);
    spangraph__wire__retry_info__free_unpacked(info, NULL);
    spangraph__wire__status__free_unpacked(status, NULL);
    fake_request_fini(&fake);

    fake_request_init(&fake, REQUEST_HTTP, "/", STR(""));
    status_refuse(&fake.req, BODY_JSON, REFUSE_FULL, STR(""), WAIT_MS);
    buf_cstr(&fake.body);
    assert_non_null(strstr(fake.body.ptr, "\"retryDelay\":\"5.250s\""));
    fake_request_fini(&fake);
}

static void
retry_after_is_whole_seconds_rounded_up_and_never_zero(void **state)
{
    static const struct {
        uint32_t wait_ms;
        const char *line;
    } cases[] = {
        {0, "retry-after: 1\n"},
        {1, "retry-after: 1\n"},
        {1000, "retry-after: 1\n"},
        {1001, "retry-after: 2\n"},
        {UINT32_MAX, "retry-after: 4294968\n"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct fake_request fake;
        fake_request_init(&fake, REQUEST_HTTP, "/", STR(""));
        status_refuse(&fake.req, BODY_PROTOBUF, REFUSE_STORE, STR(""),
                      cases[i].wait_ms);
        assert_true(fake_request_has(&fake, cases[i].line));
        fake_request_fini(&fake);
    }
}

static void
a_bad_request_says_what_is_bad(void **state)
{
    struct fake_request fake;

    (void)state;
    fake_request_init(&fake, REQUEST_HTTP, "/", STR(""));
    status_refuse(&fake.req, BODY_PROTOBUF, REFUSE_MALFORMED, STR("at byte 7"),
                  0);
    Spangraph__Wire__Status *status = unpack_status(&fake.body);
    Spangraph__Wire__BadRequest *bad = spangraph__wire__bad_request__unpack(
        NULL, status->details[0]->value.len, status->details[0]->value.data);
    assert_non_null(bad);
    assert_string_equal(bad->field_violations[0]->field, "body");
    assert_string_equal(bad->field_violations[0]->description, "at byte 7");
    spangraph__wire__bad_request__free_unpacked(bad, NULL);
    spangraph__wire__status__free_unpacked(status, NULL);
    fake_request_fini(&fake);
}

static void
full_success_is_an_empty_message_or_an_empty_object(void **state)
{
    struct fake_request fake;

    (void)state;
    fake_request_init(&fake, REQUEST_HTTP, "/", STR(""));
    status_accept(&fake.req, BODY_PROTOBUF, 0, STR(""));
    assert_int_equal(fake.status, 200);
    assert_int_equal(fake.body.len, 0);
    assert_true(str_eq(buf_str(&fake.type), STR("application/x-protobuf")));
    fake_request_fini(&fake);

    fake_request_init(&fake, REQUEST_HTTP, "/", STR(""));
    status_accept(&fake.req, BODY_JSON, 0, STR(""));
    assert_true(str_eq(buf_str(&fake.body), STR("{}")));
    assert_true(str_eq(buf_str(&fake.type), STR("application/json")));
    fake_request_fini(&fake);

    fake_request_init(&fake, REQUEST_GRPC, "/", STR(""));
    status_accept(&fake.req, BODY_PROTOBUF, 0, STR(""));
    assert_int_equal(fake.status, 0);
    assert_int_equal(fake.body.len, 0);
    fake_request_fini(&fake);
}

static void
partial_success_counts_and_explains(void **state)
{
    struct fake_request fake;

    (void)state;
    fake_request_init(&fake, REQUEST_HTTP, "/", STR(""));
    status_accept(&fake.req, BODY_JSON, 3, STR("bad \"id\""));
    assert_int_equal(fake.status, 200);
    assert_true(str_eq(buf_str(&fake.body),
                       STR("{\"partialSuccess\":{\"rejectedSpans\":\"3\","
                           "\"errorMessage\":\"bad \\\"id\\\"\"}}")));
    fake_request_fini(&fake);

    fake_request_init(&fake, REQUEST_GRPC, "/", STR(""));
    status_accept(&fake.req, BODY_PROTOBUF, UINT64_C(5000000000), STR("why"));
    assert_int_equal(fake.status, 0);
    Spangraph__Wire__ExportResponse *response =
        spangraph__wire__export_response__unpack(
            NULL, fake.body.len, (const uint8_t *)fake.body.ptr);
    assert_non_null(response);
    assert_int_equal(response->partial_success->rejected, 5000000000);
    assert_string_equal(response->partial_success->error_message, "why");
    spangraph__wire__export_response__free_unpacked(response, NULL);
    fake_request_fini(&fake);
}

static void
a_warning_rejects_nothing(void **state)
{
    struct fake_request fake;

    (void)state;
    fake_request_init(&fake, REQUEST_HTTP, "/", STR(""));
    status_accept(&fake.req, BODY_JSON, 0, STR("w"));
    assert_true(str_eq(buf_str(&fake.body),
                       STR("{\"partialSuccess\":{\"errorMessage\":\"w\"}}")));
    fake_request_fini(&fake);
}

static void
a_long_or_hostile_message_is_cut_and_cleaned(void **state)
{
    static char text[100000];
    struct fake_request fake;

    (void)state;
    memset(text, '\1', sizeof(text));
    for (enum body_format format = 0; format <= BODY_JSON; format++) {
        fake_request_init(&fake, REQUEST_HTTP, "/", STR(""));
        status_refuse(&fake.req, format, REFUSE_MALFORMED,
                      (str){text, sizeof(text)}, 0);
        assert_int_equal(fake.status, 400);
        assert_true(fake.body.len > 0 &&
                    fake.body.len < 4 * STATUS_MESSAGE_MAX);
        assert_null(memchr(fake.body.ptr + 8, '\1', STATUS_MESSAGE_MAX));
        fake_request_fini(&fake);
    }
}

static void
errors_of_ours_are_worth_a_retry_and_of_theirs_are_not(void **state)
{
    (void)state;
    assert_int_equal(refusal_of_err(ERR_INVALID), REFUSE_MALFORMED);
    assert_int_equal(refusal_of_err(ERR_TOO_LARGE), REFUSE_TOO_LARGE);
    assert_int_equal(refusal_of_err(ERR_UNSUPPORTED), REFUSE_ENCODING);
    assert_int_equal(refusal_of_err(ERR_DENIED), REFUSE_DENIED);
    assert_int_equal(refusal_of_err(ERR_FULL), REFUSE_FULL);
    assert_int_equal(refusal_of_err(ERR_NOMEM), REFUSE_FULL);
    for (enum err err = ERR_CANCELLED; err <= ERR_STORE; err++) {
        bool is_ours =
            err != ERR_DENIED && err != ERR_UNSUPPORTED && err != ERR_TOO_LARGE;
        assert_int_equal(refusal_of_err(err) == REFUSE_STORE, is_ours);
    }
    assert_int_equal(refusal_of_problem(REQUEST_TOO_LARGE), REFUSE_TOO_LARGE);
    assert_int_equal(refusal_of_problem(REQUEST_NO_ROOM), REFUSE_FULL);
    assert_int_equal(refusal_of_problem(REQUEST_UNSUPPORTED_ENCODING),
                     REFUSE_ENCODING);
    assert_int_equal(refusal_of_problem(REQUEST_BAD_ENCODING),
                     REFUSE_MALFORMED);
    assert_int_equal(refusal_of_problem(REQUEST_BAD_FRAME), REFUSE_MALFORMED);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_refusal_over_http_has_its_status_header_and_body),
        cmocka_unit_test(each_refusal_over_grpc_has_its_code_and_details),
        cmocka_unit_test(a_client_is_told_how_long_to_wait),
        cmocka_unit_test(
            retry_after_is_whole_seconds_rounded_up_and_never_zero),
        cmocka_unit_test(a_bad_request_says_what_is_bad),
        cmocka_unit_test(full_success_is_an_empty_message_or_an_empty_object),
        cmocka_unit_test(partial_success_counts_and_explains),
        cmocka_unit_test(a_warning_rejects_nothing),
        cmocka_unit_test(a_long_or_hostile_message_is_cut_and_cleaned),
        cmocka_unit_test(
            errors_of_ours_are_worth_a_retry_and_of_theirs_are_not),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
