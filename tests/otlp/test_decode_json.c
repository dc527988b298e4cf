#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "otlp/json.h"
#include "tests/support/decode_seen.h"

static void
an_empty_object_is_a_good_request(void **state)
{
    static const char *const good[] = {
        "{}", " {\t}\r\n", "{\"resourceSpans\":[]}", "{\"resourceSpans\":null}",
        "{\"other\":{\"a\":[1,2,{\"b\":null}]}}"};
    struct seen *seen = *state;

    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        assert_int_equal(seen_json_text(seen, good[i]), OK);
        assert_string_equal(seen->calls, "");
    }
    assert_int_equal(seen_json_text(seen, "{\"resourceSpans\":[{}]}"), OK);
    assert_string_equal(seen->calls, "r");
    assert_int_equal(
        seen_json_text(seen, "{\"resourceSpans\":[{\"scopeSpans\":[{}]}]}"),
        OK);
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
        "{\"a\":\"\\ud800\\u12\"}",
        "{\"a\":\"\\ud800\\x\"}",
        "{\"a\":\"\xff\"}",
        "{\"a\":\"\xed\xa0\x80\"}",
        "{\"\xc3\":1}",
        "{\"a\":1}//",
        "\xef\xbb\xbf{}",
    };
    struct seen *seen = *state;

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        if (seen_json_text(seen, bad[i]) != ERR_INVALID)
            fail_msg("accepted: %s", bad[i]);
        assert_non_null(seen->result.error);
        assert_true(seen->result.error_at <= strlen(bad[i]));
    }
    assert_int_equal(seen_json_text(seen, "{}"),
                     OK); /* the scratch is as new */
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
        SEEN_JSON_AROUND("[]"),
        SEEN_JSON_AROUND("null"),
        SEEN_JSON_AROUND("{\"traceId\":1}"),
        SEEN_JSON_AROUND("{\"name\":1}"),
        SEEN_JSON_AROUND("{\"startTimeUnixNano\":true}"),
        SEEN_JSON_AROUND("{\"startTimeUnixNano\":\"\"}"),
        SEEN_JSON_AROUND("{\"startTimeUnixNano\":\"1 \"}"),
        SEEN_JSON_AROUND("{\"startTimeUnixNano\":\"0x1\"}"),
        SEEN_JSON_AROUND("{\"attributes\":[1]}"),
        SEEN_JSON_AROUND("{\"attributes\":[{\"key\":1}]}"),
        SEEN_JSON_AROUND("{\"attributes\":[{\"value\":1}]}"),
        SEEN_JSON_AROUND("{\"attributes\":[{\"value\":{\"stringValue\":1}}]}"),
        SEEN_JSON_AROUND(
            "{\"attributes\":[{\"value\":{\"boolValue\":\"true\"}}]}"),
        SEEN_JSON_AROUND("{\"attributes\":[{\"value\":{\"boolValue\":1}}]}"),
        SEEN_JSON_AROUND("{\"attributes\":[{\"value\":{\"intValue\":1.5}}]}"),
        SEEN_JSON_AROUND("{\"attributes\":[{\"value\":{\"intValue\":\"x\"}}]}"),
        SEEN_JSON_AROUND(
            "{\"attributes\":[{\"value\":{\"doubleValue\":\"x\"}}]}"),
        SEEN_JSON_AROUND(
            "{\"attributes\":[{\"value\":{\"doubleValue\":true}}]}"),
        SEEN_JSON_AROUND("{\"attributes\":[{\"value\":{\"arrayValue\":[]}}]}"),
        SEEN_JSON_AROUND("{\"attributes\":[{\"value\":{\"bytesValue\":1}}]}"),
        SEEN_JSON_AROUND("{\"attributes\":[{\"value\":{\"intValue\":1,"
                         "\"boolValue\":true}}]}"),
        SEEN_JSON_AROUND("{\"events\":[{\"name\":1}]}"),
        SEEN_JSON_AROUND("{\"events\":[{\"timeUnixNano\":-1}]}"),
        SEEN_JSON_AROUND("{\"links\":[{\"traceId\":1}]}"),
        SEEN_JSON_AROUND("{\"links\":[1]}"),
        SEEN_JSON_AROUND("{\"status\":[]}"),
        SEEN_JSON_AROUND("{\"status\":{\"message\":1}}"),
        SEEN_JSON_AROUND("{\"flags\":4294967296}"),
        SEEN_JSON_AROUND("{\"flags\":-1}"),
        SEEN_JSON_AROUND("{\"droppedLinksCount\":1e10}"),
    };
    struct seen *seen = *state;

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        if (seen_json_text(seen, bad[i]) != ERR_INVALID)
            fail_msg("accepted: %s", bad[i]);
}

static void
a_known_member_may_come_once(void **state)
{
    static const char *const bad[] = {
        "{\"resourceSpans\":[],\"resourceSpans\":[]}",
        "{\"resourceSpans\":[{\"resource\":{},\"resource\":{}}]}",
        SEEN_JSON_AROUND("{\"name\":\"a\",\"name\":\"a\"}"),
        SEEN_JSON_AROUND("{\"attributes\":[{\"key\":\"a\",\"key\":\"a\"}]}"),
    };
    struct seen *seen = *state;

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_int_equal(seen_json_text(seen, bad[i]), ERR_INVALID);
        assert_string_equal(seen->result.error, "a JSON member comes twice");
    }
    assert_int_equal(seen_json_text(seen, "{\"x\":1,\"x\":2}"), OK);
}

static void
null_is_as_good_as_absent(void **state)
{
    struct seen *seen = *state;

    assert_int_equal(
        seen_json_text(seen,
                       "{\"resourceSpans\":[{\"resource\":null,\"scopeSpans\":["
                       "{\"scope\":null,\"spans\":[{" SEEN_JSON_IDS
                       ",\"traceState\":null,"
                       "\"parentSpanId\":null,\"name\":null,\"kind\":null,"
                       "\"startTimeUnixNano\":null,\"attributes\":null,"
                       "\"events\":null,\"links\":null,\"status\":null,"
                       "\"flags\":null}],\"schemaUrl\":null}]}]}"),
        OK);
    assert_string_equal(seen->calls, "rs.");
    assert_int_equal(seen_json_value(seen, "null"), OK);
    assert_int_equal(seen_attr(seen, ATTR_HTTP_ROUTE)->type, ATTR_NONE);
    assert_int_equal(seen_json_value(seen, "{\"intValue\":null}"), OK);
    assert_int_equal(seen_attr(seen, ATTR_HTTP_ROUTE)->type, ATTR_NONE);
    assert_int_equal(
        seen_json_value(seen, "{\"intValue\":null,\"boolValue\":true}"), OK);
    assert_int_equal(seen_attr(seen, ATTR_HTTP_ROUTE)->type, ATTR_BOOL);
}

static void
resource_and_scope_come_first_wherever_they_were_sent(void **state)
{
    struct seen *seen = *state;

    assert_int_equal(
        seen_json_text(
            seen,
            "{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[{" SEEN_JSON_IDS
            "},{" SEEN_JSON_IDS
            "}],\"scope\":{\"version\":\"1\",\"name\":\"lib\"}}"
            "],\"resource\":{\"attributes\":[{\"value\":{\"stringValue\":"
            "\"shop\"},\"key\":\"service.name\"}]}}]}"),
        OK);
    assert_string_equal(seen->calls, "rs..");
    assert_string_equal(seen->scope, "lib/1");
    assert_string_equal(seen->service, "shop");
    /* What is malformed in them is seen as well. */
    assert_int_equal(
        seen_json_text(seen,
                       "{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[{"
                       "\"name\":1}]}]}]}"),
        ERR_INVALID);
}

static void
links_with_valid_ids_are_kept_up_to_the_limit(void **state)
{
    struct seen *seen = *state;

    for (size_t len = SPAN_LINKS_MAX - 1; len <= SPAN_LINKS_MAX + 1; len++) {
        struct buf text = {0};

        buf_printf(&text,
                   SEEN_JSON_AROUND("{" SEEN_JSON_IDS
                                    ",\"links\":[{},{\"traceId\":\"x\"}"));
        text.len -= strlen("]}]}]}");
        for (size_t i = 0; i < len; i++)
            buf_printf(&text,
                       ",{" SEEN_JSON_IDS ",\"flags\":1,\"attributes\":[]}");
        buf_printf(&text, "]}]}]}]}");
        assert_int_equal(seen_json(seen, buf_str(&text)), OK);
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
        seen_json_text(
            seen,
            "{\"a\":[],\"resourceSpans\":[{\"b\":{},\"scopeSpans\":[{\"c\":1e5,"
            "\"spans\":[{\"d\":[[[{\"x\":\"\\u00e9\"}]]]," SEEN_JSON_IDS
            ",\"span_id\":5,\"Name\":false,\"status\":{\"e\":true},"
            "\"events\":[{\"f\":null}],\"links\":[]}]}]}],\"g\":\"\"}"),
        OK);
    assert_int_equal(seen->result.accepted, 1);
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
        assert_int_equal(seen_json(seen, buf_str(&text)),
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
            "{\"scope\":{\"name\":\"lib\"},\"spans\":[{" SEEN_JSON_IDS
            ",\"name\":\"n\\n\",\"kind\":2,\"attributes\":[{\"key\":\"a\","
            "\"value\":{\"doubleValue\":1.5e3}},{ \"key\" : \"b\" , \"value\" "
            ": { \"boolValue\" : true } }],\"events\":[{\"name\":\"e\"}],"
            "\"links\":[{}],\"status\":{\"code\":1},\"flags\":null}]}]}]}");
    struct span_visitor visitor = seen_visitor(*state);
    struct seen *seen = *state;
    char *memory = calloc(1, request.len + 512);

    assert_non_null(memory);
    memcpy(memory, request.ptr, request.len); /* the rest stands behind it */
    for (size_t len = 0; len < request.len; len++) {
        assert_int_equal(seen_json(seen, str_cut(request, 0, len)),
                         ERR_INVALID);
        assert_true(seen->result.error_at <= len);
        assert_int_equal(decode_json(seen->scratch, (str){memory, len}, false,
                                     &visitor, &seen->result),
                         ERR_INVALID);
        assert_true(seen->result.error_at <= len);
    }
    free(memory);
    assert_int_equal(seen_json(seen, request), OK);
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
    struct span_visitor visitor = seen_visitor(*state);
    struct seen *seen = *state;

    /* Never read to its end: memory for that much text is asked for before. */
    assert_int_equal(decode_json(seen->scratch, (str){text, (size_t)1 << 62},
                                 false, &visitor, &seen->result),
                     ERR_NOMEM);
    assert_int_equal(seen_json_text(seen, "{\"\\u0061\":1}"), OK);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_object_is_a_good_request),
        cmocka_unit_test(what_is_not_strict_json_is_refused),
        cmocka_unit_test(known_members_of_another_type_are_refused),
        cmocka_unit_test(a_known_member_may_come_once),
        cmocka_unit_test(null_is_as_good_as_absent),
        cmocka_unit_test(resource_and_scope_come_first_wherever_they_were_sent),
        cmocka_unit_test(links_with_valid_ids_are_kept_up_to_the_limit),
        cmocka_unit_test(unknown_members_are_skipped_at_every_level),
        cmocka_unit_test(unknown_members_may_nest_200_deep),
        cmocka_unit_test(every_prefix_of_a_request_is_refused),
        cmocka_unit_test(no_memory_for_escapes_is_told_apart),
    };

    return cmocka_run_group_tests(tests, seen_setup, seen_teardown);
}
