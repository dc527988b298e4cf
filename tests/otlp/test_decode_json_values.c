#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/decode_seen.h"

static void
hex_ids_are_read_in_either_case(void **state)
{
    struct seen *seen = *state;

    assert_int_equal(
        seen_json_text(
            seen, SEEN_JSON_AROUND("{\"traceId\":"
                                   "\"ABCDEFabcdef01230000000000000001\","
                                   "\"spanId\":\"00f067AA0ba902B7\","
                                   "\"parentSpanId\":\"FFFFFFFFFFFFFFFF\"}")),
        OK);
    assert_int_equal(seen->span.trace_hi, UINT64_C(0xabcdefabcdef0123));
    assert_int_equal(seen->span.trace_lo, 1);
    assert_int_equal(seen->span.span_id, UINT64_C(0x00f067aa0ba902b7));
    assert_int_equal(seen->span.parent_id, UINT64_MAX);
}

static void
a_bad_id_or_enum_rejects_that_span_alone(void **state)
{
    static const char *const trace = "trace id is not 16 bytes or is all zeros";
    static const char *const id = "span id is not 8 bytes or is all zeros";
    static const char *const parent = "parent span id is not 8 bytes";
    static const char *const kind = "span kind is not an integer";
    static const char *const status = "status code is not an integer";
    const struct {
        const char *span;
        const char *reason;
    } cases[] = {
        {"{}", trace},
        {"{\"traceId\":\"\",\"spanId\":\"1112131415161718\"}", trace},
        {"{\"traceId\":\"0102030405060708090a0b0c0d0e0f1\","
         "\"spanId\":\"1112131415161718\"}",
         trace},
        {"{\"traceId\":\"0102030405060708090a0b0c0d0e0f1g\","
         "\"spanId\":\"1112131415161718\"}",
         trace},
        {"{\"traceId\":\"00000000000000000000000000000000\","
         "\"spanId\":\"1112131415161718\"}",
         trace},
        {"{\"traceId\":\"AQIDBAUGBwgJCgsMDQ4PEA==\","
         "\"spanId\":\"ERITFBUWFxg=\"}",
         trace},
        {"{\"trace_id\":\"0102030405060708090a0b0c0d0e0f10\","
         "\"spanId\":\"1112131415161718\"}",
         trace},
        {"{\"traceId\":\"0102030405060708090a0b0c0d0e0f10\"}", id},
        {"{\"traceId\":\"0102030405060708090a0b0c0d0e0f10\","
         "\"spanId\":\"0000000000000000\"}",
         id},
        {"{" SEEN_JSON_IDS ",\"parentSpanId\":\"12\"}", parent},
        {"{" SEEN_JSON_IDS ",\"parentSpanId\":\"xxxxxxxxxxxxxxxx\"}", parent},
        {"{" SEEN_JSON_IDS ",\"kind\":\"SPAN_KIND_SERVER\"}", kind},
        {"{" SEEN_JSON_IDS ",\"kind\":\"2\"}", kind},
        {"{" SEEN_JSON_IDS ",\"kind\":2.5}", kind},
        {"{" SEEN_JSON_IDS ",\"kind\":{\"a\":[]}}", kind},
        {"{" SEEN_JSON_IDS ",\"kind\":true}", kind},
        {"{" SEEN_JSON_IDS ",\"status\":{\"code\":\"STATUS_CODE_ERROR\"}}",
         status},
    };
    struct seen *seen = *state;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct buf text = {0};

        buf_printf(
            &text,
            SEEN_JSON_AROUND("{" SEEN_JSON_IDS "},%s,{" SEEN_JSON_IDS "}"),
            cases[i].span);
        assert_int_equal(seen_json(seen, buf_str(&text)), OK);
        if (seen->result.rejected != 1 || seen->result.accepted != 2)
            fail_msg("not rejected: %s", cases[i].span);
        assert_string_equal(seen->result.reject_reason, cases[i].reason);
        buf_fini(&text);
    }
}

static void
the_lenient_reader_takes_base64_ids_and_names_of_enums(void **state)
{
    static const char *const spans[] = {
        SEEN_JSON_AROUND(
            "{\"traceId\":\"AQIDBAUGBwgJCgsMDQ4PEA==\","
            "\"spanId\":\"ERITFBUWFxg=\",\"kind\":\"SPAN_KIND_SERVER\","
            "\"status\":{\"code\":\"STATUS_CODE_ERROR\"}}"),
        SEEN_JSON_AROUND("{\"traceId\":\"AQIDBAUGBwgJCgsMDQ4PEA\","
                         "\"spanId\":\"ERITFBUWFxg\",\"kind\":2,"
                         "\"status\":{\"code\":2}}"),
        SEEN_JSON_AROUND("{" SEEN_JSON_IDS ",\"kind\":\"SPAN_KIND_SERVER\","
                         "\"status\":{\"code\":\"STATUS_CODE_ERROR\"}}"),
    };
    static const char *const bad[] = {
        SEEN_JSON_AROUND("{" SEEN_JSON_IDS ",\"kind\":\"SERVER\"}"),
        SEEN_JSON_AROUND("{" SEEN_JSON_IDS ",\"parentSpanId\":\"AQ==\"}"),
        SEEN_JSON_AROUND("{" SEEN_JSON_IDS
                         ",\"parentSpanId\":\"ERITFBUWF!g=\"}"),
        SEEN_JSON_AROUND("{" SEEN_JSON_IDS ",\"status\":{\"code\":\"\"}}"),
    };
    struct seen *seen = *state;

    seen->lenient = true;
    for (size_t i = 0; i < sizeof(spans) / sizeof(spans[0]); i++) {
        assert_int_equal(seen_json_text(seen, spans[i]), OK);
        assert_int_equal(seen->result.accepted, 1);
        assert_int_equal(seen->span.trace_hi, UINT64_C(0x0102030405060708));
        assert_int_equal(seen->span.trace_lo, UINT64_C(0x090a0b0c0d0e0f10));
        assert_int_equal(seen->span.span_id, UINT64_C(0x1112131415161718));
        assert_int_equal(seen->span.kind, SPAN_SERVER);
        assert_int_equal(seen->span.status, SPAN_ERROR);
    }
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_int_equal(seen_json_text(seen, bad[i]), OK);
        assert_int_equal(seen->result.rejected, 1);
    }
    seen->lenient = false;
}

static void
an_unknown_enum_number_is_the_unspecified_one(void **state)
{
    struct seen *seen = *state;

    assert_int_equal(
        seen_json_span(seen, ",\"kind\":5,\"status\":{\"code\":2.0}"), OK);
    assert_int_equal(seen->span.kind, SPAN_CONSUMER);
    assert_int_equal(seen->span.status, SPAN_ERROR);
    assert_int_equal(
        seen_json_span(seen, ",\"kind\":6,\"status\":{\"code\":-1}"), OK);
    assert_int_equal(seen->result.accepted, 1);
    assert_int_equal(seen->span.kind, SPAN_UNSPECIFIED);
    assert_int_equal(seen->span.status, SPAN_UNSET);
}

static void
whole_numbers_are_exact_in_every_form(void **state)
{
    static const struct {
        const char *text;
        int64_t value;
    } good[] = {
        {"0", 0},
        {"-0", 0},
        {"1", 1},
        {"-1", -1},
        {"\"-1\"", -1},
        {"9007199254740993", INT64_C(9007199254740993)}, /* 2^53 + 1 */
        {"\"9007199254740993\"", INT64_C(9007199254740993)},
        {"9223372036854775807", INT64_MAX},
        {"-9223372036854775808", INT64_MIN},
        {"\"-9223372036854775808\"", INT64_MIN},
        {"9223372036854775807.0", INT64_MAX},
        {"922337203685477580.7e1", INT64_MAX},
        {"1.0e3", 1000},
        {"\"1e3\"", 1000},
        {"1E+3", 1000},
        {"1000e-3", 1},
        {"120.50e1", 1205},
        {"0.0e99999", 0},
        {"0e-99999", 0},
        {"100000000000000000000000e-20", 1000},
        {"999999999999999999", INT64_C(999999999999999999)},
        {"1000000000000000000", INT64_C(1000000000000000000)},
        {"\"\\u0031\"", 1},
    };
    static const char *const bad[] = {
        "9223372036854775808",
        "-9223372036854775809",
        "18446744073709551616",
        "99999999999999999999999",
        "1e19",
        "1e99999999999999999999",
        "1e-1",
        "1.5",
        "0.1",
        "12345e-6",
        "\"+1\"",
        "\" 1\"",
        "\"01\"",
        "01",
    };
    struct seen *seen = *state;

    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        char value[64];

        snprintf(value, sizeof(value), "{\"intValue\":%s}", good[i].text);
        if (seen_json_value(seen, value) != OK)
            fail_msg("refused: %s", good[i].text);
        assert_int_equal(seen_attr(seen, ATTR_HTTP_ROUTE)->type, ATTR_INT);
        assert_int_equal(seen_attr(seen, ATTR_HTTP_ROUTE)->i, good[i].value);
    }
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        char value[64];

        snprintf(value, sizeof(value), "{\"intValue\":%s}", bad[i]);
        if (seen_json_value(seen, value) != ERR_INVALID)
            fail_msg("accepted: %s", bad[i]);
    }
}

static void
times_use_all_of_64_bits(void **state)
{
    struct seen *seen = *state;

    assert_int_equal(
        seen_json_span(seen, ",\"startTimeUnixNano\":\"18446744073709551615\","
                             "\"endTimeUnixNano\":18446744073709551615,"
                             "\"flags\":\"257\""),
        OK);
    assert_int_equal(seen->span.start_ns, UINT64_MAX);
    assert_int_equal(seen->span.end_ns, UINT64_MAX);
    assert_int_equal(seen->span.flags, 257);
    assert_int_equal(seen_json_span(seen, ",\"startTimeUnixNano\":-0"), OK);
    assert_int_equal(
        seen_json_span(seen, ",\"startTimeUnixNano\":18446744073709551616"),
        ERR_INVALID);
    assert_int_equal(seen_json_span(seen, ",\"startTimeUnixNano\":-1"),
                     ERR_INVALID);
}

static void
floating_numbers_are_read_as_number_or_text(void **state)
{
    struct seen *seen = *state;

    assert_int_equal(seen_json_value(seen, "{\"doubleValue\":0.1}"), OK);
    assert_int_equal(seen_attr(seen, ATTR_HTTP_ROUTE)->type, ATTR_DOUBLE);
    assert_true(seen_attr(seen, ATTR_HTTP_ROUTE)->d == 0.1);
    assert_int_equal(seen_json_value(seen, "{\"doubleValue\":\"-2.5e-3\"}"),
                     OK);
    assert_true(seen_attr(seen, ATTR_HTTP_ROUTE)->d == -2.5e-3);
    assert_int_equal(seen_json_value(seen, "{\"doubleValue\":7}"), OK);
    assert_true(seen_attr(seen, ATTR_HTTP_ROUTE)->d == 7.0);
    assert_int_equal(seen_json_value(seen, "{\"doubleValue\":\"\\u0037\"}"),
                     OK);
    assert_true(seen_attr(seen, ATTR_HTTP_ROUTE)->d == 7.0);
    assert_int_equal(seen_json_value(seen, "{\"doubleValue\":\"NaN\"}"), OK);
    assert_true(isnan(seen_attr(seen, ATTR_HTTP_ROUTE)->d));
    assert_int_equal(seen_json_value(seen, "{\"doubleValue\":\"-Infinity\"}"),
                     OK);
    assert_true(isinf(seen_attr(seen, ATTR_HTTP_ROUTE)->d) &&
                seen_attr(seen, ATTR_HTTP_ROUTE)->d < 0);
    assert_int_equal(seen_json_value(seen, "{\"doubleValue\":\"inf\"}"),
                     ERR_INVALID);
}

static void
a_value_without_a_plain_type_is_present_and_unreadable(void **state)
{
    static const char *const values[] = {
        "{}",
        "{\"bytesValue\":\"AQI=\"}",
        "{\"arrayValue\":{}}",
        "{\"arrayValue\":{\"values\":[{\"intValue\":1},{}]}}",
        "{\"kvlistValue\":{\"values\":[{\"key\":\"a\",\"value\":{}}]}}",
        "{\"stringValueStrindex\":1}",
        "{\"string_value\":\"snake\"}",
    };
    struct seen *seen = *state;

    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        assert_int_equal(seen_json_value(seen, values[i]), OK);
        assert_int_equal(seen_attr(seen, ATTR_HTTP_ROUTE)->type, ATTR_NONE);
    }
    assert_int_equal(
        seen_json_span(seen, ",\"attributes\":[{\"key\":\"http.route\"}]"), OK);
    assert_int_equal(seen_attr(seen, ATTR_HTTP_ROUTE)->type, ATTR_NONE);
}

static void
text_with_escapes_is_unescaped(void **state)
{
    struct seen *seen = *state;

    assert_int_equal(
        seen_json_text(
            seen,
            "{\"resourceSpans\":[{\"resource\":{\"attributes\":[{\"key\":"
            "\"service\\u002ename\",\"value\":{\"stringValue\":\"a\\tb\"}}]},"
            "\"scopeSpans\":[{\"scope\":{\"name\":\"l\\u0069b\","
            "\"version\":\"\\u0031\"},\"spans\":[{" SEEN_JSON_IDS
            ",\"name\":\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u20ac\\ud83d\\ude00\","
            "\"traceState\":\"a\\u003db\",\"attributes\":[{\"k\\u0065y\":"
            "\"http.route\",\"value\":{\"string\\u0056alue\":\"\\/x\"}}]}]}"
            "]}]}"),
        OK);
    assert_string_equal(seen->calls, "rs.");
    assert_string_equal(seen->service, "a\tb");
    assert_string_equal(seen->scope, "lib/1");
    assert_string_equal(seen->name,
                        "\"\\/\b\f\n\r\t\xe2\x82\xac\xf0\x9f\x98\x80");
    assert_string_equal(seen->state, "a=b");
    assert_string_equal(seen->text, "/x");
}

/* What is left of a text that was cut in the middle of a pair: see json.h. */
static void
half_a_surrogate_pair_is_a_replacement_character(void **state)
{
#define LOST "\xef\xbf\xbd"
    static const char *const cases[][2] = {
        {"\\ud83d", LOST},
        {"\\ude00", LOST},
        {"cut \\ud83d", "cut " LOST},
        {"\\ud83dx", LOST "x"},
        {"\\ud83d\\n", LOST "\n"},
        {"\\ud83d\\u0041", LOST "A"},
        {"\\ude00\\ud83d", LOST LOST},
        {"\\ud83d\\ud83d\\ude00", LOST "\xf0\x9f\x98\x80"},
        {"\\udbff\\udfff", "\xf4\x8f\xbf\xbf"},
    };
#undef LOST
    struct seen *seen = *state;
    struct buf text = {0};

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        buf_reset(&text);
        buf_printf(&text,
                   "{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":["
                   "{" SEEN_JSON_IDS ",\"name\":\"%s\"}]}]}]}",
                   cases[i][0]);
        assert_int_equal(seen_json_text(seen, buf_cstr(&text)), OK);
        assert_string_equal(seen->name, cases[i][1]);
    }
    buf_fini(&text);
}

static void
long_text_with_one_escape_fits_wherever_it_stands(void **state)
{
    static const struct {
        const char *before;
        const char *after;
        enum err err;
    } places[] = {
        {"\"", "\":1", OK},
        {"\"name\":\"", "\"", OK},
        {"\"flags\":\"", "\"", ERR_INVALID},
        {"\"attributes\":[{\"value\":{\"doubleValue\":\"", "\"}}]",
         ERR_INVALID},
        {"\"attributes\":[{\"key\":\"", "\",\"value\":{}}]", OK},
    };
    struct seen *seen = *state;
    char text[4001];

    memset(text, 'a', sizeof(text));
    text[sizeof(text) - 1] = '\0';
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        struct buf body = {0};

        buf_printf(&body, SEEN_JSON_AROUND("{%s\\/%s%s}"), places[i].before,
                   text, places[i].after);
        assert_int_equal(seen_json(seen, buf_str(&body)), places[i].err);
        buf_fini(&body);
    }
}

static void
a_resource_with_escapes_outlives_its_spans(void **state)
{
    struct seen *seen = *state;
    struct buf text = {0};

    buf_printf(&text, "{\"resourceSpans\":[{\"resource\":{\"attributes\":[{"
                      "\"key\":\"service.name\",\"value\":{\"stringValue\":"
                      "\"sh\\u006fp\"}}]},\"scopeSpans\":[{\"spans\":[");
    for (int i = 0; i < 100; i++)
        buf_printf(&text, "%s{" SEEN_JSON_IDS ",\"name\":\"n\\u0061me %d\"}",
                   i ? "," : "", i);
    buf_printf(&text, "]}]}]}");
    assert_int_equal(seen_json(seen, buf_str(&text)), OK);
    assert_int_equal(seen->result.accepted, 100);
    assert_string_equal(seen->name, "name 99");
    assert_string_equal(seen->service, "shop");
    buf_fini(&text);
}

/* |before| and |after| stand around a text of 111 bytes in a span. */
static void
check_text_places(struct seen *seen, const char *before, const char *after)
{
    for (size_t at = 0; at < 110; at++) {
        struct buf body = {0};

        buf_printf(&body, "%s", before);
        size_t text = body.len;
        buf_printf(&body, "%0111d%s", 0, after);
        memcpy(body.ptr + text + at, "\xc3\xa9", 2);
        assert_int_equal(seen_json_span(seen, buf_cstr(&body)), OK);
        body.ptr[text + at] = 'a'; /* the second byte alone */
        assert_int_equal(seen_json_span(seen, buf_cstr(&body)), ERR_INVALID);
        assert_string_equal(seen->result.error, "text is not UTF-8");
        body.ptr[text + at + 1] = '\x1f';
        assert_int_equal(seen_json_span(seen, buf_cstr(&body)), ERR_INVALID);
        buf_fini(&body);
    }
}

static void
text_is_checked_at_every_byte(void **state)
{
    check_text_places(*state, ",\"name\":\"", "\"");
    check_text_places(*state, ",\"unknown\":\"", "\"");
    check_text_places(*state, ",\"", "\":1");
    check_text_places(*state,
                      ",\"attributes\":[{\"key\":\"http.route\",\"value\":{"
                      "\"stringValue\":\"",
                      "\"}}]");
    check_text_places(*state, ",\"attributes\":[{\"key\":\"",
                      "\",\"value\":{\"intValue\":1}}]");
    check_text_places(*state, ",\"attributes\":[{\"key\":\"",
                      "\",\"value\":{\"doubleValue\":1}}]");
}

static enum err
decode_nested(struct seen *seen, int levels, const char *open,
              const char *close)
{
    struct buf text = {0};

    for (int i = 1; i < levels; i++)
        buf_printf(&text, "%s", open);
    buf_printf(&text, "{}");
    for (int i = 1; i < levels; i++)
        buf_printf(&text, "%s", close);
    enum err err = seen_json_value(seen, buf_cstr(&text));
    buf_fini(&text);
    return err;
}

static void
values_may_nest_32_deep(void **state)
{
    static const char *const open[] = {
        "{\"arrayValue\":{\"values\":[",
        "{\"kvlistValue\":{\"values\":[{\"key\":\"k\",\"value\":"};
    static const char *const close[] = {"]}}", "}]}}"};
    struct seen *seen = *state;

    for (int i = 0; i < 2; i++) {
        assert_int_equal(decode_nested(seen, 32, open[i], close[i]), OK);
        assert_int_equal(seen_attr(seen, ATTR_HTTP_ROUTE)->type, ATTR_NONE);
        assert_int_equal(decode_nested(seen, 33, open[i], close[i]),
                         ERR_INVALID);
        assert_string_equal(seen->result.error,
                            "attribute value nested too deep");
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hex_ids_are_read_in_either_case),
        cmocka_unit_test(a_bad_id_or_enum_rejects_that_span_alone),
        cmocka_unit_test(
            the_lenient_reader_takes_base64_ids_and_names_of_enums),
        cmocka_unit_test(an_unknown_enum_number_is_the_unspecified_one),
        cmocka_unit_test(whole_numbers_are_exact_in_every_form),
        cmocka_unit_test(times_use_all_of_64_bits),
        cmocka_unit_test(floating_numbers_are_read_as_number_or_text),
        cmocka_unit_test(
            a_value_without_a_plain_type_is_present_and_unreadable),
        cmocka_unit_test(text_with_escapes_is_unescaped),
        cmocka_unit_test(half_a_surrogate_pair_is_a_replacement_character),
        cmocka_unit_test(long_text_with_one_escape_fits_wherever_it_stands),
        cmocka_unit_test(a_resource_with_escapes_outlives_its_spans),
        cmocka_unit_test(text_is_checked_at_every_byte),
        cmocka_unit_test(values_may_nest_32_deep),
    };

    return cmocka_run_group_tests(tests, seen_setup, seen_teardown);
}
