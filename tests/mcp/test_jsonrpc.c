#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/utf8.h"
#include "mcp/json.h"
#include "mcp/jsonrpc.h"

static enum rpc_code
parse(struct rpc_msg *msg, const char *text)
{
    const char *why = NULL;
    enum rpc_code code = rpc_parse(msg, str_of(text), &why);

    assert_true((code == RPC_OK) == (why == NULL));
    return code;
}

static bool
scans(const char *text, size_t len)
{
    const char *why = NULL;
    str id;

    return json_scan((str){text, len}, &id, &why);
}

#define SCANS(text) scans((text), strlen(text))

static void
only_rfc_8259_text_passes(void **state)
{
    static const char *const good[] = {"{}",
                                       "[]",
                                       "0",
                                       "-0",
                                       "1.5e+10",
                                       "1E-2",
                                       "\"\\u00e9\\n\"",
                                       "true",
                                       " [ 1 , {\"a\" : null} ] ",
                                       "\"\xc3\xa9\"",
                                       "[[],{}]"};
    static const char *const bad[] = {
        "",           "{",       "}",           "[1,]",  "{\"a\":}",
        "{\"a\"}",    "{a:1}",   "01",          "+1",    "1.",
        ".5",         "1e",      "-",           "nul",   "TRUE",
        "[1 2]",      "\"\\x\"", "\"\\u12\"",   "{} {}", "'a'",
        "\"a",        "\"\t\"",  "\"\xff\"",    "[1]]",  "\xef\xbb\xbf{}",
        "{\"a\":1,}", "NaN",     "\"\\u0000\"", "\"\\"};

    (void)state;
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
        assert_true(SCANS(good[i]));
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_false(SCANS(bad[i]));
    assert_false(scans("{}\0", 3));
    assert_false(scans(NULL, 0));
}

static void
every_prefix_of_a_message_is_refused(void **state)
{
    static const char text[] =
        "{\"jsonrpc\":\"2.0\",\"id\":-12,\"method\":\"a\\u0041\","
        "\"params\":{\"x\":[1.5e3,true,false,null,\"\xc3\xa9\"]}}";

    (void)state;
    for (size_t len = 0; len < sizeof(text) - 1; len++)
        assert_false(scans(text, len));
    assert_true(scans(text, sizeof(text) - 1));
}

static void
depth_has_a_limit(void **state)
{
    char text[2 * JSON_DEPTH_MAX + 3];

    (void)state;
    memset(text, '[', JSON_DEPTH_MAX);
    memset(text + JSON_DEPTH_MAX, ']', JSON_DEPTH_MAX);
    assert_true(scans(text, 2 * JSON_DEPTH_MAX));
    memset(text, '[', JSON_DEPTH_MAX + 1);
    memset(text + JSON_DEPTH_MAX + 1, ']', JSON_DEPTH_MAX + 1);
    assert_false(scans(text, 2 * JSON_DEPTH_MAX + 2));
}

static void
the_number_of_values_has_a_limit(void **state)
{
    struct buf text = {0};

    (void)state;
    buf_add(&text, STR("[0"));
    for (size_t i = 2; i < JSON_VALUES_MAX; i++)
        buf_add(&text, STR(",0"));
    buf_add(&text, STR("]"));
    assert_true(scans(text.ptr, text.len));
    text.len--;
    buf_add(&text, STR(",0]"));
    assert_false(scans(text.ptr, text.len));
    buf_fini(&text);
}

static void
ids_come_back_as_they_were_sent(void **state)
{
    static const char *const ids[] = {
        "1",     "-7",   "9007199254740993", "123456789012345678901234567890",
        "\"7\"", "\"\"", "\"\\u0041\\n\"",   "0"};

    (void)state;
    for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
        struct rpc_msg msg;
        struct buf text = {0};
        buf_printf(&text, "{\"jsonrpc\":\"2.0\",\"id\": %s ,\"method\":\"m\"}",
                   ids[i]);
        assert_int_equal(parse(&msg, buf_cstr(&text)), RPC_OK);
        assert_string_equal(msg.id, ids[i]);
        assert_int_equal(msg.kind, RPC_REQUEST);
        rpc_fini(&msg);
        buf_fini(&text);
    }
}

static void
an_id_is_a_string_or_an_integer_of_bounded_length(void **state)
{
    static const char *const ids[] = {"null", "1.5", "1e3",
                                      "true", "{}",  "[1]"};
    char text[RPC_ID_MAX + 128];
    struct rpc_msg msg;

    (void)state;
    for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
        (void)snprintf(text, sizeof(text),
                       "{\"jsonrpc\":\"2.0\",\"id\":%s,\"method\":\"m\"}",
                       ids[i]);
        assert_int_equal(parse(&msg, text), RPC_INVALID_REQUEST);
        assert_string_equal(msg.id, "null");
        rpc_fini(&msg);
    }
    for (int extra = 0; extra < 2; extra++) {
        char id[RPC_ID_MAX + 2] = "";
        memset(id, '1', RPC_ID_MAX + (size_t)extra);
        (void)snprintf(text, sizeof(text),
                       "{\"jsonrpc\":\"2.0\",\"id\":%s,\"method\":\"m\"}", id);
        assert_int_equal(parse(&msg, text),
                         extra ? RPC_INVALID_REQUEST : RPC_OK);
        rpc_fini(&msg);
    }
}

static void
what_is_no_message_is_an_invalid_request(void **state)
{
    static const char *const texts[] = {
        "[]",
        "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\"}]",
        "1",
        "\"x\"",
        "{}",
        "{\"id\":1,\"method\":\"m\"}",
        "{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"m\"}",
        "{\"jsonrpc\":2.0,\"id\":1,\"method\":\"m\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":1}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":1}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\",\"params\":[]}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\",\"params\":1}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\",\"result\":{}}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{},\"error\":{}}",
        "{\"jsonrpc\":\"2.0\",\"result\":{}}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"method\":\"m\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\",\"method\":\"n\"}",
        "{\"jsonrpc\":\"2.0\",\"\\u0069d\":1,\"method\":\"m\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"Method\":\"m\"}",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct rpc_msg msg;
        assert_int_equal(parse(&msg, texts[i]), RPC_INVALID_REQUEST);
        rpc_fini(&msg);
    }
}

static void
a_readable_id_is_kept_in_an_invalid_request(void **state)
{
    struct rpc_msg msg;

    (void)state;
    assert_int_equal(parse(&msg, "{\"id\":\"x\",\"method\":\"m\"}"),
                     RPC_INVALID_REQUEST);
    assert_string_equal(msg.id, "\"x\"");
    rpc_fini(&msg);
}

static void
half_a_surrogate_pair_is_a_parse_error(void **state)
{
    struct rpc_msg msg;

    (void)state;
    assert_int_equal(
        parse(&msg, "{\"jsonrpc\":\"2.0\",\"method\":\"\\ud800\"}"),
        RPC_PARSE_ERROR);
    rpc_fini(&msg);
}

/* Who asks finds the refusal by the id, and otherwise waits for an answer. */
static void
text_beyond_the_bounds_is_refused_by_its_id(void **state)
{
    static const struct {
        const char *text, *id;
    } cases[] = {
        {"{\"id\":7,\"method\":\"\\ud800\"}", "7"},
        {"{\"id\":7,\"method\":\"a\\u0000\"}", "7"},
        {"{\"method\":\"a\\u0000\",\"id\":\"x\"}", "\"x\""},
        {"{\"method\":\"a\\u0000\",\"id\":1.5}", "null"},
        {"{\"id\":7,\"method\":\"a\\u000\"}", "null"},
        {"{\"id\":7,\"method\":\"a\"", "null"},
        {"{\"id\":\"\\ud800\",\"method\":\"a\"}", "null"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct rpc_msg msg;

        assert_int_equal(parse(&msg, cases[i].text), RPC_PARSE_ERROR);
        assert_string_equal(msg.id, cases[i].id);
        rpc_fini(&msg);
    }
}

/* An id in what is no JSON may be anything's. */
static void
what_is_malformed_behind_a_nul_is_malformed(void **state)
{
    static const char *const texts[] = {
        "{\"id\":7,\"method\":\"a\\u0000\"",
        "{\"id\":7,\"method\":\"a\\u0000\"} x",
        "{\"id\":7,\"method\":\"a\\u0000\",\"b\":01}",
        "{\"id\":7,\"method\":\"a\\u0000\\u000\"}",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        const char *why = NULL;
        str id;

        assert_false(json_scan(str_of(texts[i]), &id, &why));
        assert_string_equal(why, "this is not JSON");
        assert_int_equal(id.len, 0);
    }
}

static void
kinds_are_told_apart(void **state)
{
    struct rpc_msg msg;

    (void)state;
    assert_int_equal(parse(&msg, "{\"jsonrpc\":\"2.0\",\"method\":\"m\","
                                 "\"params\":null}"),
                     RPC_OK);
    assert_int_equal(msg.kind, RPC_NOTIFICATION);
    assert_null(msg.params);
    rpc_fini(&msg);
    assert_int_equal(parse(&msg, "{\"jsonrpc\":\"2.0\",\"id\":\"a\","
                                 "\"error\":{\"code\":1}}"),
                     RPC_OK);
    assert_int_equal(msg.kind, RPC_RESPONSE);
    assert_null(msg.method);
    rpc_fini(&msg);
}

static void
what_is_written_is_clean_json(void **state)
{
    static const char hostile[] = "a\xff\xe2\x80\xae\x7f\n\t\x01\"\\\xc3\xa9";
    struct buf out = {0};

    (void)state;
    json_add_string(&out, str_of(hostile));
    assert_true(utf8_valid(buf_str(&out)));
    assert_true(scans(out.ptr, out.len));
    assert_string_equal(buf_cstr(&out),
                        "\"a\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\\n\\t"
                        "\xef\xbf\xbd\\\"\\\\\xc3\xa9\"");
    buf_fini(&out);
}

static void
trees_are_cleaned_when_written(void **state)
{
    cJSON *tree = cJSON_CreateObject();
    struct buf out = {0};

    (void)state;
    cJSON_AddStringToObject(tree, "k\xff", "plain text \xe2\x80\x8b\xf0\x28");
    cJSON_AddStringToObject(tree, "c", "\x1b[31m\b\r\n\t\\u001b\"");
    json_add_tree(&out, tree);
    assert_non_null(strstr(buf_cstr(&out), "\"c\":\"\xef\xbf\xbd[31m  \\n"
                                           "\\t\\\\u001b\\\"\""));
    out.len = strlen(out.ptr);
    assert_true(utf8_valid(buf_str(&out)));
    assert_true(scans(out.ptr, out.len));
    buf_fini(&out);
    cJSON_Delete(tree);
}

static void
a_reply_over_its_bound_is_marked(void **state)
{
    cJSON *tree = cJSON_Parse("{\"a\":\"0123456789\"}");

    (void)state;
    for (size_t cap = 1; cap < 32; cap++) {
        struct buf out = {.cap_max = cap};
        json_add_tree(&out, tree);
        assert_int_equal(out.failed, cap < strlen("{\"a\":\"0123456789\"}"));
        buf_fini(&out);
    }
    cJSON_Delete(tree);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_rfc_8259_text_passes),
        cmocka_unit_test(every_prefix_of_a_message_is_refused),
        cmocka_unit_test(depth_has_a_limit),
        cmocka_unit_test(the_number_of_values_has_a_limit),
        cmocka_unit_test(ids_come_back_as_they_were_sent),
        cmocka_unit_test(an_id_is_a_string_or_an_integer_of_bounded_length),
        cmocka_unit_test(what_is_no_message_is_an_invalid_request),
        cmocka_unit_test(a_readable_id_is_kept_in_an_invalid_request),
        cmocka_unit_test(half_a_surrogate_pair_is_a_parse_error),
        cmocka_unit_test(text_beyond_the_bounds_is_refused_by_its_id),
        cmocka_unit_test(what_is_malformed_behind_a_nul_is_malformed),
        cmocka_unit_test(kinds_are_told_apart),
        cmocka_unit_test(what_is_written_is_clean_json),
        cmocka_unit_test(trees_are_cleaned_when_written),
        cmocka_unit_test(a_reply_over_its_bound_is_marked),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
