#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "otlp/decode.h"
#include "otlp/json.h"

#define IDS                                             \
    "\"traceId\":\"0102030405060708090a0b0c0d0e0f10\"," \
    "\"spanId\":\"1112131415161718\""
#define AROUND(spans) \
    "{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[" spans "]}]}]}"

/* What the visitor saw of the last span, and how often it was called.  Text is
 * copied, because it may stand in the scratch. */
struct seen {
    struct decode_scratch *scratch;
    struct decode_result result;
    bool lenient;
    struct span span;
    struct attr_set attrs;
    struct attr_set resource;
    struct span_link links[SPAN_LINKS_MAX];
    char calls[256]; /* r, s and a dot for each */
    char scope[64];
    char name[256];
    char state[64];
    char text[256];    /* of http.route */
    char service[256]; /* service.name, as it is when the span comes */
};

static void
note(struct seen *seen, const char *call)
{
    if (strlen(seen->calls) + 2 < sizeof(seen->calls))
        strcat(seen->calls, call);
}

static void
copy(char *out, size_t cap, str text)
{
    snprintf(out, cap, "%.*s", (int)text.len, text.ptr ? text.ptr : "");
}

static void
on_resource(void *ctx, const struct attr_set *resource)
{
    struct seen *seen = ctx;

    note(seen, "r");
    seen->resource = *resource;
}

static void
on_scope(void *ctx, str name, str version)
{
    struct seen *seen = ctx;

    note(seen, "s");
    snprintf(seen->scope, sizeof(seen->scope), "%.*s/%.*s", (int)name.len,
             name.ptr ? name.ptr : "", (int)version.len,
             version.ptr ? version.ptr : "");
}

static void
on_span(void *ctx, const struct span *span)
{
    struct seen *seen = ctx;

    note(seen, ".");
    seen->span = *span;
    seen->attrs = *span->attrs;
    copy(seen->name, sizeof(seen->name), span->name);
    copy(seen->state, sizeof(seen->state), span->trace_state);
    copy(seen->text, sizeof(seen->text),
         attr_str(span->attrs, ATTR_HTTP_ROUTE));
    copy(seen->service, sizeof(seen->service),
         attr_str(&seen->resource, ATTR_SERVICE_NAME));
    memcpy(seen->links, span->links, span->link_len * sizeof(*span->links));
}

static int
setup(void **state)
{
    struct seen *seen = calloc(1, sizeof(*seen));

    *state = seen;
    return seen && (seen->scratch = decode_scratch_new()) ? 0 : -1;
}

static int
teardown(void **state)
{
    struct seen *seen = *state;

    decode_scratch_free(seen->scratch);
    free(seen);
    return 0;
}

static enum err
decode(struct seen *seen, str bytes)
{
    struct span_visitor visitor = {seen, on_resource, on_scope, on_span};
    char *memory = malloc(bytes.len + 512);

    assert_non_null(memory);
    memset(memory, '"', bytes.len + 512);
    if (bytes.len > 0)
        memcpy(memory, bytes.ptr, bytes.len);
    seen->calls[0] = '\0';
    enum err err = decode_json(seen->scratch, (str){memory, bytes.len},
                               seen->lenient, &visitor, &seen->result);
    free(memory);
    return err;
}

static enum err
decode_text(struct seen *seen, const char *text)
{
    return decode(seen, str_of(text));
}

/* One span with valid ids and |members|, which start with a comma. */
static enum err
decode_span(struct seen *seen, const char *members)
{
    struct buf text = {0};

    buf_printf(&text, AROUND("{" IDS "%s}"), members);
    enum err err = decode(seen, buf_str(&text));
    buf_fini(&text);
    return err;
}

static enum err
decode_value(struct seen *seen, const char *any_value)
{
    struct buf text = {0};

    buf_printf(&text, ",\"attributes\":[{\"key\":\"http.route\",\"value\":%s}]",
               any_value);
    enum err err = decode_span(seen, buf_cstr(&text));
    buf_fini(&text);
    return err;
}

static const struct attr_value *
route(struct seen *seen)
{
    assert_true(attr_has(&seen->attrs, ATTR_HTTP_ROUTE));
    return &seen->attrs.value[ATTR_HTTP_ROUTE];
}

static void
an_empty_object_is_a_good_request(void **state)
{
    static const char *const good[] = {
        "{}", " {\t}\r\n", "{\"resourceSpans\":[]}", "{\"resourceSpans\":null}",
        "{\"other\":{\"a\":[1,2,{\"b\":null}]}}"};
    struct seen *seen = *state;

    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        assert_int_equal(decode_text(seen, good[i]), OK);
        assert_string_equal(seen->calls, "");
    }
    assert_int_equal(decode_text(seen, "{\"resourceSpans\":[{}]}"), OK);
    assert_string_equal(seen->calls, "r");
    assert_int_equal(
        decode_text(seen, "{\"resourceSpans\":[{\"scopeSpans\":[{}]}]}"), OK);
    assert_string_equal(seen->calls, "rs");
    assert_string_equal(seen->scope, "/");
}

static void
what_is_not_strict_json_is_refused(void **state)
{
    static const char *const bad[] = {
        "",
        " ",
        "null",
        "[]",
        "1",
        "{",
        "{}x",
        "{} {}",
        "{,}",
        "{\"a\":1,}",
        "{\"a\" 1}",
        "{\"a\":}",
        "{a:1}",
        "{'a':1}",
        "{\"a\":1 \"b\":2}",
        "{\"a\":[1,]}",
        "{\"a\":[1 2]}",
        "{\"a\":[1}",
        "{\"a\":{\"b\":1]}",
        "{\"a\":01}",
        "{\"a\":-}",
        "{\"a\":+1}",
        "{\"a\":1.}",
        "{\"a\":.5}",
        "{\"a\":1e}",
        "{\"a\":1e+}",
        "{\"a\":0x10}",
        "{\"a\":NaN}",
        "{\"a\":nul}",
        "{\"a\":True}",
        "{\"a\":falsey}",
        "{\"a\":\"\n\"}",
        "{\"a\":\"\x01\"}",
        "{\"a\":\"\\x\"}",
        "{\"a\":\"\\u12\"}",
        "{\"a\":\"\\u12g4\"}",
        "{\"a\":\"\\ud800\"}",
        "{\"a\":\"\\ud800\\u0041\"}",
        "{\"a\":\"\\ud800x\"}",
        "{\"a\":\"\\udc00\"}",
        "{\"a\":\"\xff\"}",
        "{\"a\":\"\xed\xa0\x80\"}",
        "{\"\xc3\":1}",
        "{\"a\":1}//",
        "\xef\xbb\xbf{}",
    };
    struct seen *seen = *state;

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        if (decode_text(seen, bad[i]) != ERR_INVALID)
            fail_msg("accepted: %s", bad[i]);
        assert_non_null(seen->result.error);
        assert_true(seen->result.error_at <= strlen(bad[i]));
    }
    assert_int_equal(decode_text(seen, "{}"), OK); /* the scratch is as new */
    assert_null(seen->result.error);
}

static void
known_members_of_another_type_are_refused(void **state)
{
    static const char *const bad[] = {
        "{\"resourceSpans\":{}}",
        "{\"resourceSpans\":[null]}",
        "{\"resourceSpans\":[1]}",
        "{\"resourceSpans\":[{\"resource\":[]}]}",
        "{\"resourceSpans\":[{\"resource\":{\"attributes\":{}}}]}",
        "{\"resourceSpans\":[{\"resource\":{\"entityRefs\":[{\"type\":1}]}}]}",
        "{\"resourceSpans\":[{\"resource\":{\"entityRefs\":[{\"idKeys\":[1]}]}}"
        "]}",
        "{\"resourceSpans\":[{\"schemaUrl\":1}]}",
        "{\"resourceSpans\":[{\"scopeSpans\":{}}]}",
        "{\"resourceSpans\":[{\"scopeSpans\":[{\"scope\":{\"name\":1}}]}]}",
        AROUND("[]"),
        AROUND("null"),
        AROUND("{\"traceId\":1}"),
        AROUND("{\"name\":1}"),
        AROUND("{\"startTimeUnixNano\":true}"),
        AROUND("{\"startTimeUnixNano\":\"\"}"),
        AROUND("{\"startTimeUnixNano\":\"1 \"}"),
        AROUND("{\"startTimeUnixNano\":\"0x1\"}"),
        AROUND("{\"attributes\":[1]}"),
        AROUND("{\"attributes\":[{\"key\":1}]}"),
        AROUND("{\"attributes\":[{\"value\":1}]}"),
        AROUND("{\"attributes\":[{\"value\":{\"stringValue\":1}}]}"),
        AROUND("{\"attributes\":[{\"value\":{\"boolValue\":\"true\"}}]}"),
        AROUND("{\"attributes\":[{\"value\":{\"boolValue\":1}}]}"),
        AROUND("{\"attributes\":[{\"value\":{\"intValue\":1.5}}]}"),
        AROUND("{\"attributes\":[{\"value\":{\"intValue\":\"x\"}}]}"),
        AROUND("{\"attributes\":[{\"value\":{\"doubleValue\":\"x\"}}]}"),
        AROUND("{\"attributes\":[{\"value\":{\"doubleValue\":true}}]}"),
        AROUND("{\"attributes\":[{\"value\":{\"arrayValue\":[]}}]}"),
        AROUND("{\"attributes\":[{\"value\":{\"bytesValue\":1}}]}"),
        AROUND("{\"attributes\":[{\"value\":{\"intValue\":1,"
               "\"boolValue\":true}}]}"),
        AROUND("{\"events\":[{\"name\":1}]}"),
        AROUND("{\"events\":[{\"timeUnixNano\":-1}]}"),
        AROUND("{\"links\":[{\"traceId\":1}]}"),
        AROUND("{\"links\":[1]}"),
        AROUND("{\"status\":[]}"),
        AROUND("{\"status\":{\"message\":1}}"),
        AROUND("{\"flags\":4294967296}"),
        AROUND("{\"flags\":-1}"),
        AROUND("{\"droppedLinksCount\":1e10}"),
    };
    struct seen *seen = *state;

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        if (decode_text(seen, bad[i]) != ERR_INVALID)
            fail_msg("accepted: %s", bad[i]);
}

static void
a_known_member_may_come_once(void **state)
{
    static const char *const bad[] = {
        "{\"resourceSpans\":[],\"resourceSpans\":[]}",
        "{\"resourceSpans\":[{\"resource\":{},\"resource\":{}}]}",
        AROUND("{\"name\":\"a\",\"name\":\"a\"}"),
        AROUND("{\"attributes\":[{\"key\":\"a\",\"key\":\"a\"}]}"),
    };
    struct seen *seen = *state;

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_int_equal(decode_text(seen, bad[i]), ERR_INVALID);
        assert_string_equal(seen->result.error, "a JSON member comes twice");
    }
    assert_int_equal(decode_text(seen, "{\"x\":1,\"x\":2}"), OK);
}

static void
hex_ids_are_read_in_either_case(void **state)
{
    struct seen *seen = *state;

    assert_int_equal(
        decode_text(seen, AROUND("{\"traceId\":"
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
        {"{" IDS ",\"parentSpanId\":\"12\"}", parent},
        {"{" IDS ",\"parentSpanId\":\"xxxxxxxxxxxxxxxx\"}", parent},
        {"{" IDS ",\"kind\":\"SPAN_KIND_SERVER\"}", kind},
        {"{" IDS ",\"kind\":\"2\"}", kind},
        {"{" IDS ",\"kind\":2.5}", kind},
        {"{" IDS ",\"kind\":{\"a\":[]}}", kind},
        {"{" IDS ",\"kind\":true}", kind},
        {"{" IDS ",\"status\":{\"code\":\"STATUS_CODE_ERROR\"}}", status},
    };
    struct seen *seen = *state;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct buf text = {0};

        buf_printf(&text, AROUND("{" IDS "},%s,{" IDS "}"), cases[i].span);
        assert_int_equal(decode(seen, buf_str(&text)), OK);
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
        AROUND("{\"traceId\":\"AQIDBAUGBwgJCgsMDQ4PEA==\","
               "\"spanId\":\"ERITFBUWFxg=\",\"kind\":\"SPAN_KIND_SERVER\","
               "\"status\":{\"code\":\"STATUS_CODE_ERROR\"}}"),
        AROUND("{\"traceId\":\"AQIDBAUGBwgJCgsMDQ4PEA\","
               "\"spanId\":\"ERITFBUWFxg\",\"kind\":2,"
               "\"status\":{\"code\":2}}"),
        AROUND("{" IDS ",\"kind\":\"SPAN_KIND_SERVER\","
               "\"status\":{\"code\":\"STATUS_CODE_ERROR\"}}"),
    };
    static const char *const bad[] = {
        AROUND("{" IDS ",\"kind\":\"SERVER\"}"),
        AROUND("{" IDS ",\"parentSpanId\":\"AQ==\"}"),
        AROUND("{" IDS ",\"parentSpanId\":\"ERITFBUWF!g=\"}"),
        AROUND("{" IDS ",\"status\":{\"code\":\"\"}}"),
    };
    struct seen *seen = *state;

    seen->lenient = true;
    for (size_t i = 0; i < sizeof(spans) / sizeof(spans[0]); i++) {
        assert_int_equal(decode_text(seen, spans[i]), OK);
        assert_int_equal(seen->result.accepted, 1);
        assert_int_equal(seen->span.trace_hi, UINT64_C(0x0102030405060708));
        assert_int_equal(seen->span.trace_lo, UINT64_C(0x090a0b0c0d0e0f10));
        assert_int_equal(seen->span.span_id, UINT64_C(0x1112131415161718));
        assert_int_equal(seen->span.kind, SPAN_SERVER);
        assert_int_equal(seen->span.status, SPAN_ERROR);
    }
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_int_equal(decode_text(seen, bad[i]), OK);
        assert_int_equal(seen->result.rejected, 1);
    }
    seen->lenient = false;
}

static void
an_unknown_enum_number_is_the_unspecified_one(void **state)
{
    struct seen *seen = *state;

    assert_int_equal(decode_span(seen, ",\"kind\":5,\"status\":{\"code\":2.0}"),
                     OK);
    assert_int_equal(seen->span.kind, SPAN_CONSUMER);
    assert_int_equal(seen->span.status, SPAN_ERROR);
    assert_int_equal(decode_span(seen, ",\"kind\":6,\"status\":{\"code\":-1}"),
                     OK);
    assert_int_equal(seen->result.accepted, 1);
    assert_int_equal(seen->span.kind, SPAN_UNSPECIFIED);
    assert_int_equal(seen->span.status, SPAN_UNSET);
}

static void
null_is_as_good_as_absent(void **state)
{
    struct seen *seen = *state;

    assert_int_equal(
        decode_text(seen,
                    "{\"resourceSpans\":[{\"resource\":null,\"scopeSpans\":["
                    "{\"scope\":null,\"spans\":[{" IDS ",\"traceState\":null,"
                    "\"parentSpanId\":null,\"name\":null,\"kind\":null,"
                    "\"startTimeUnixNano\":null,\"attributes\":null,"
                    "\"events\":null,\"links\":null,\"status\":null,"
                    "\"flags\":null}],\"schemaUrl\":null}]}]}"),
        OK);
    assert_string_equal(seen->calls, "rs.");
    assert_int_equal(decode_value(seen, "null"), OK);
    assert_int_equal(route(seen)->type, ATTR_NONE);
    assert_int_equal(decode_value(seen, "{\"intValue\":null}"), OK);
    assert_int_equal(route(seen)->type, ATTR_NONE);
    assert_int_equal(
        decode_value(seen, "{\"intValue\":null,\"boolValue\":true}"), OK);
    assert_int_equal(route(seen)->type, ATTR_BOOL);
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
        if (decode_value(seen, value) != OK)
            fail_msg("refused: %s", good[i].text);
        assert_int_equal(route(seen)->type, ATTR_INT);
        assert_int_equal(route(seen)->i, good[i].value);
    }
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        char value[64];

        snprintf(value, sizeof(value), "{\"intValue\":%s}", bad[i]);
        if (decode_value(seen, value) != ERR_INVALID)
            fail_msg("accepted: %s", bad[i]);
    }
}

static void
times_use_all_of_64_bits(void **state)
{
    struct seen *seen = *state;

    assert_int_equal(
        decode_span(seen, ",\"startTimeUnixNano\":\"18446744073709551615\","
                          "\"endTimeUnixNano\":18446744073709551615,"
                          "\"flags\":\"257\""),
        OK);
    assert_int_equal(seen->span.start_ns, UINT64_MAX);
    assert_int_equal(seen->span.end_ns, UINT64_MAX);
    assert_int_equal(seen->span.flags, 257);
    assert_int_equal(decode_span(seen, ",\"startTimeUnixNano\":-0"), OK);
    assert_int_equal(
        decode_span(seen, ",\"startTimeUnixNano\":18446744073709551616"),
        ERR_INVALID);
    assert_int_equal(decode_span(seen, ",\"startTimeUnixNano\":-1"),
                     ERR_INVALID);
}

static void
floating_numbers_are_read_as_number_or_text(void **state)
{
    struct seen *seen = *state;

    assert_int_equal(decode_value(seen, "{\"doubleValue\":0.1}"), OK);
    assert_int_equal(route(seen)->type, ATTR_DOUBLE);
    assert_true(route(seen)->d == 0.1);
    assert_int_equal(decode_value(seen, "{\"doubleValue\":\"-2.5e-3\"}"), OK);
    assert_true(route(seen)->d == -2.5e-3);
    assert_int_equal(decode_value(seen, "{\"doubleValue\":7}"), OK);
    assert_true(route(seen)->d == 7.0);
    assert_int_equal(decode_value(seen, "{\"doubleValue\":\"\\u0037\"}"), OK);
    assert_true(route(seen)->d == 7.0);
    assert_int_equal(decode_value(seen, "{\"doubleValue\":\"NaN\"}"), OK);
    assert_true(isnan(route(seen)->d));
    assert_int_equal(decode_value(seen, "{\"doubleValue\":\"-Infinity\"}"), OK);
    assert_true(isinf(route(seen)->d) && route(seen)->d < 0);
    assert_int_equal(decode_value(seen, "{\"doubleValue\":\"inf\"}"),
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
        assert_int_equal(decode_value(seen, values[i]), OK);
        assert_int_equal(route(seen)->type, ATTR_NONE);
    }
    assert_int_equal(
        decode_span(seen, ",\"attributes\":[{\"key\":\"http.route\"}]"), OK);
    assert_int_equal(route(seen)->type, ATTR_NONE);
}

static void
text_with_escapes_is_unescaped(void **state)
{
    struct seen *seen = *state;

    assert_int_equal(
        decode_text(
            seen,
            "{\"resourceSpans\":[{\"resource\":{\"attributes\":[{\"key\":"
            "\"service\\u002ename\",\"value\":{\"stringValue\":\"a\\tb\"}}]},"
            "\"scopeSpans\":[{\"scope\":{\"name\":\"l\\u0069b\","
            "\"version\":\"\\u0031\"},\"spans\":[{" IDS
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

        buf_printf(&body, AROUND("{%s\\/%s%s}"), places[i].before, text,
                   places[i].after);
        assert_int_equal(decode(seen, buf_str(&body)), places[i].err);
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
        buf_printf(&text, "%s{" IDS ",\"name\":\"n\\u0061me %d\"}",
                   i ? "," : "", i);
    buf_printf(&text, "]}]}]}");
    assert_int_equal(decode(seen, buf_str(&text)), OK);
    assert_int_equal(seen->result.accepted, 100);
    assert_string_equal(seen->name, "name 99");
    assert_string_equal(seen->service, "shop");
    buf_fini(&text);
}

static void
text_is_checked_at_every_byte(void **state)
{
    struct seen *seen = *state;

    for (size_t at = 0; at < 100; at++) {
        char name[140];

        memset(name, 'a', sizeof(name));
        memcpy(name, ",\"name\":\"", 9);
        memcpy(name + 9 + at, "\xc3\xa9", 2);
        memcpy(name + 120, "\"", 2);
        assert_int_equal(decode_span(seen, name), OK);
        assert_int_equal(seen->span.name.len, 111);
        name[9 + at] = 'a'; /* the second byte alone */
        assert_int_equal(decode_span(seen, name), ERR_INVALID);
        assert_string_equal(seen->result.error, "text is not UTF-8");
        name[10 + at] = '\x1f';
        assert_int_equal(decode_span(seen, name), ERR_INVALID);
    }
}

static void
resource_and_scope_come_first_wherever_they_were_sent(void **state)
{
    struct seen *seen = *state;

    assert_int_equal(
        decode_text(
            seen, "{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[{" IDS
                  "},{" IDS "}],\"scope\":{\"version\":\"1\",\"name\":\"lib\"}}"
                  "],\"resource\":{\"attributes\":[{\"value\":{\"stringValue\":"
                  "\"shop\"},\"key\":\"service.name\"}]}}]}"),
        OK);
    assert_string_equal(seen->calls, "rs..");
    assert_string_equal(seen->scope, "lib/1");
    assert_string_equal(seen->service, "shop");
    /* What is malformed in them is seen as well. */
    assert_int_equal(
        decode_text(seen, "{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[{"
                          "\"name\":1}]}]}]}"),
        ERR_INVALID);
}

static void
links_with_valid_ids_are_kept_up_to_the_limit(void **state)
{
    struct seen *seen = *state;

    for (size_t len = SPAN_LINKS_MAX - 1; len <= SPAN_LINKS_MAX + 1; len++) {
        struct buf text = {0};

        buf_printf(&text, AROUND("{" IDS ",\"links\":[{},{\"traceId\":\"x\"}"));
        text.len -= strlen("]}]}]}");
        for (size_t i = 0; i < len; i++)
            buf_printf(&text, ",{" IDS ",\"flags\":1,\"attributes\":[]}");
        buf_printf(&text, "]}]}]}]}");
        assert_int_equal(decode(seen, buf_str(&text)), OK);
        size_t kept = len < SPAN_LINKS_MAX ? len : SPAN_LINKS_MAX;
        assert_int_equal(seen->span.link_len, kept);
        assert_int_equal(seen->span.links_dropped, 2 + len - kept);
        assert_int_equal(seen->links[kept - 1].span_id,
                         UINT64_C(0x1112131415161718));
        buf_fini(&text);
    }
}

static void
unknown_members_are_skipped_at_every_level(void **state)
{
    struct seen *seen = *state;

    assert_int_equal(
        decode_text(
            seen,
            "{\"a\":[],\"resourceSpans\":[{\"b\":{},\"scopeSpans\":[{\"c\":1e5,"
            "\"spans\":[{\"d\":[[[{\"x\":\"\\u00e9\"}]]]," IDS
            ",\"span_id\":5,\"Name\":false,\"status\":{\"e\":true},"
            "\"events\":[{\"f\":null}],\"links\":[]}]}]}],\"g\":\"\"}"),
        OK);
    assert_int_equal(seen->result.accepted, 1);
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
    enum err err = decode_value(seen, buf_cstr(&text));
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
        assert_int_equal(route(seen)->type, ATTR_NONE);
        assert_int_equal(decode_nested(seen, 33, open[i], close[i]),
                         ERR_INVALID);
        assert_string_equal(seen->result.error,
                            "attribute value nested too deep");
    }
}

static void
unknown_members_may_nest_200_deep(void **state)
{
    struct seen *seen = *state;

    for (int depth = JSON_DEPTH_MAX; depth <= JSON_DEPTH_MAX + 1; depth++) {
        struct buf text = {0};

        buf_printf(&text, "{\"x\":");
        for (int i = 0; i < depth; i++)
            buf_add_char(&text, '[');
        for (int i = 0; i < depth; i++)
            buf_add_char(&text, ']');
        buf_add_char(&text, '}');
        assert_int_equal(decode(seen, buf_str(&text)),
                         depth == JSON_DEPTH_MAX ? OK : ERR_INVALID);
        buf_fini(&text);
    }
}

static void
every_prefix_of_a_request_is_refused(void **state)
{
    const str request =
        STR("{\"resourceSpans\":[{\"resource\":{\"attributes\":[{\"key\":"
            "\"service.name\",\"value\":{\"stringValue\":\"sh\\u006fp\"}},"
            "{\"key\":\"x\",\"value\":{\"intValue\":\"12\"}}]},\"scopeSpans\":["
            "{\"scope\":{\"name\":\"lib\"},\"spans\":[{" IDS
            ",\"name\":\"n\\n\",\"kind\":2,\"attributes\":[{\"key\":\"a\","
            "\"value\":{\"doubleValue\":1.5e3}},{ \"key\" : \"b\" , \"value\" "
            ": { \"boolValue\" : true } }],\"events\":[{\"name\":\"e\"}],"
            "\"links\":[{}],\"status\":{\"code\":1},\"flags\":null}]}]}]}");
    struct span_visitor visitor = {*state, on_resource, on_scope, on_span};
    struct seen *seen = *state;
    char *memory = calloc(1, request.len + 512);

    assert_non_null(memory);
    memcpy(memory, request.ptr, request.len); /* the rest stands behind it */
    for (size_t len = 0; len < request.len; len++) {
        assert_int_equal(decode(seen, str_cut(request, 0, len)), ERR_INVALID);
        assert_true(seen->result.error_at <= len);
        assert_int_equal(decode_json(seen->scratch, (str){memory, len}, false,
                                     &visitor, &seen->result),
                         ERR_INVALID);
        assert_true(seen->result.error_at <= len);
    }
    free(memory);
    assert_int_equal(decode(seen, request), OK);
    assert_int_equal(seen->result.accepted, 1);
}

/* Lets malloc fail where the address sanitizer would stop. */
const char *__asan_default_options(void);

const char *
__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}

static void
no_memory_for_escapes_is_told_apart(void **state)
{
    static const char text[1024] = "{\"\\u0061\":1}";
    struct span_visitor visitor = {*state, on_resource, on_scope, on_span};
    struct seen *seen = *state;

    /* Never read to its end: memory for that much text is asked for before. */
    assert_int_equal(decode_json(seen->scratch, (str){text, (size_t)1 << 62},
                                 false, &visitor, &seen->result),
                     ERR_NOMEM);
    assert_int_equal(decode_text(seen, "{\"\\u0061\":1}"), OK);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_object_is_a_good_request),
        cmocka_unit_test(what_is_not_strict_json_is_refused),
        cmocka_unit_test(known_members_of_another_type_are_refused),
        cmocka_unit_test(a_known_member_may_come_once),
        cmocka_unit_test(hex_ids_are_read_in_either_case),
        cmocka_unit_test(a_bad_id_or_enum_rejects_that_span_alone),
        cmocka_unit_test(
            the_lenient_reader_takes_base64_ids_and_names_of_enums),
        cmocka_unit_test(an_unknown_enum_number_is_the_unspecified_one),
        cmocka_unit_test(null_is_as_good_as_absent),
        cmocka_unit_test(whole_numbers_are_exact_in_every_form),
        cmocka_unit_test(times_use_all_of_64_bits),
        cmocka_unit_test(floating_numbers_are_read_as_number_or_text),
        cmocka_unit_test(
            a_value_without_a_plain_type_is_present_and_unreadable),
        cmocka_unit_test(text_with_escapes_is_unescaped),
        cmocka_unit_test(long_text_with_one_escape_fits_wherever_it_stands),
        cmocka_unit_test(a_resource_with_escapes_outlives_its_spans),
        cmocka_unit_test(text_is_checked_at_every_byte),
        cmocka_unit_test(resource_and_scope_come_first_wherever_they_were_sent),
        cmocka_unit_test(links_with_valid_ids_are_kept_up_to_the_limit),
        cmocka_unit_test(unknown_members_are_skipped_at_every_level),
        cmocka_unit_test(values_may_nest_32_deep),
        cmocka_unit_test(unknown_members_may_nest_200_deep),
        cmocka_unit_test(every_prefix_of_a_request_is_refused),
        cmocka_unit_test(no_memory_for_escapes_is_told_apart),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
