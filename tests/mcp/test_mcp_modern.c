#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mcp/json.h"
#include "tests/support/mcp_peer.h"

static struct mcp *mcp;
static struct peer peer;

static int
setup(void **state)
{
    static const struct mcp_cfg cfg = {.reply_bytes = 64 << 10};

    (void)state;
    peer_echoes = 0;
    if (mcp_new(&mcp, &peer_offer, &cfg))
        return -1;
    peer_init(&peer, mcp);
    return 0;
}

static int
teardown(void **state)
{
    (void)state;
    peer_fini(&peer);
    mcp_free(mcp);
    return 0;
}

static const cJSON *
at(const cJSON *object, const char *first, const char *second)
{
    return json_member(json_member(object, first), second);
}

static void
discover_tells_versions_capabilities_and_instructions(void **state)
{
    (void)state;
    peer_new(&peer, "server/discover", NULL, "");
    const cJSON *result = peer_result(&peer);
    assert_int_equal(peer.status, 200);
    assert_string_equal(
        cJSON_GetArrayItem(json_member(result, "supportedVersions"), 0)
            ->valuestring,
        "2026-07-28");
    assert_int_equal(
        cJSON_GetArraySize(json_member(result, "supportedVersions")), 1);
    assert_string_equal(json_text(result, "instructions"), "Ask.");
    assert_string_equal(json_text(result, "resultType"), "complete");
    assert_true(cJSON_IsNumber(json_member(result, "ttlMs")));
    assert_string_equal(json_text(result, "cacheScope"), "public");
    assert_true(cJSON_IsTrue(
        json_member(at(result, "capabilities", "tools"), "listChanged")));
    assert_non_null(at(result, "capabilities", "completions"));
    const cJSON *info =
        at(result, "_meta", "io.modelcontextprotocol/serverInfo");
    assert_string_equal(json_text(info, "name"), "test");
    assert_string_equal(json_text(info, "version"), "1.2.3");
}

static void
every_result_says_complete_and_by_whom(void **state)
{
    static const char *const calls[][3] = {
        {"tools/list", NULL, ""},
        {"resources/list", NULL, ""},
        {"resources/templates/list", NULL, ""},
        {"prompts/list", NULL, ""},
        {"tools/call", "echo",
         "\"name\":\"echo\",\"arguments\":{\"text\":"
         "\"a\"}"},
        {"tools/call", "fail", "\"name\":\"fail\""},
        {"resources/read", "test://one", "\"uri\":\"test://one\""},
        {"prompts/get", "greet",
         "\"name\":\"greet\",\"arguments\":{\"who\":\"x\"}"},
        {"completion/complete", NULL,
         "\"ref\":{\"type\":\"ref/prompt\",\"name\":\"greet\"},"
         "\"argument\":{\"name\":\"who\",\"value\":\"a\"}"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
        peer_new(&peer, calls[i][0], calls[i][1], calls[i][2]);
        assert_int_equal(peer.status, 200);
        assert_int_equal(peer.answers, 1);
        assert_string_equal(json_text(peer_result(&peer), "resultType"),
                            "complete");
        assert_non_null(at(peer_result(&peer), "_meta",
                           "io.modelcontextprotocol/serverInfo"));
    }
}

static void
lists_and_reads_can_be_cached(void **state)
{
    static const char *const lists[] = {"tools/list", "resources/list",
                                        "resources/templates/list",
                                        "prompts/list"};

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        peer_new(&peer, lists[i], NULL, "");
        assert_true(json_member(peer_result(&peer), "ttlMs")->valueint > 0);
    }
    peer_new(&peer, "resources/read", "test://one", "\"uri\":\"test://one\"");
    assert_int_equal(json_member(peer_result(&peer), "ttlMs")->valueint, 0);
    assert_string_equal(json_text(peer_result(&peer), "cacheScope"), "private");
}

static void
incomplete_meta_is_refused_and_says_what_is_missing(void **state)
{
    static const char *const bodies[] = {
        "{\"jsonrpc\":\"2.0\",\"id\":\"i\",\"method\":\"tools/list\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":\"i\",\"method\":\"tools/list\","
        "\"params\":{\"_meta\":{}}}",
        "{\"jsonrpc\":\"2.0\",\"id\":\"i\",\"method\":\"tools/list\","
        "\"params\":{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":"
        "\"2026-07-28\"}}}",
        "{\"jsonrpc\":\"2.0\",\"id\":\"i\",\"method\":\"tools/list\","
        "\"params\":{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":"
        "1,\"io.modelcontextprotocol/clientCapabilities\":{}}}}",
        "{\"jsonrpc\":\"2.0\",\"id\":\"i\",\"method\":\"tools/list\","
        "\"params\":{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":"
        "\"2026-07-28\",\"io.modelcontextprotocol/clientCapabilities\":[]}}}",
    };
    static const int missing[] = {2, 2, 1, 1, 1};

    (void)state;
    peer_header(&peer, "mcp-protocol-version", "2026-07-28");
    peer_header(&peer, "mcp-method", "tools/list");
    for (size_t i = 0; i < 5; i++) {
        peer_post(&peer, bodies[i]);
        assert_int_equal(peer.status, 400);
        assert_int_equal(peer_code(&peer), -32602);
        assert_string_equal(json_text(peer_json(&peer), "id"), "i");
        assert_int_equal(cJSON_GetArraySize(json_member(
                             at(peer_json(&peer), "error", "data"), "missing")),
                         missing[i]);
    }
}

static void
meta_given_twice_is_refused(void **state)
{
    (void)state;
    peer_header(&peer, "mcp-protocol-version", "2026-07-28");
    peer_header(&peer, "mcp-method", "tools/list");
    peer_post(&peer,
              "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\","
              "\"params\":{\"_meta\":{\"io.modelcontextprotocol/"
              "protocolVersion\":\"2026-07-28\",\"io.modelcontextprotocol/"
              "protocolVersion\":\"1\",\"io.modelcontextprotocol/"
              "clientCapabilities\":{}}}}");
    assert_int_equal(peer.status, 400);
    assert_int_equal(peer_code(&peer), -32602);
}

static void
an_unknown_version_lists_what_is_supported(void **state)
{
    (void)state;
    peer_header(&peer, "mcp-protocol-version", "v999");
    peer_header(&peer, "mcp-method", "tools/list");
    peer_post(&peer, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\","
                     "\"params\":{\"_meta\":{\"io.modelcontextprotocol/"
                     "protocolVersion\":\"v999\",\"io.modelcontextprotocol/"
                     "clientCapabilities\":{}}}}");
    const cJSON *data = at(peer_json(&peer), "error", "data");
    assert_int_equal(peer.status, 400);
    assert_int_equal(peer_code(&peer), -32022);
    assert_string_equal(json_text(data, "requested"), "v999");
    assert_string_equal(
        cJSON_GetArrayItem(json_member(data, "supported"), 0)->valuestring,
        "2026-07-28");
}

static void
methods_of_the_other_era_do_not_exist(void **state)
{
    static const char *const gone[] = {"initialize",
                                       "ping",
                                       "logging/setLevel",
                                       "resources/subscribe",
                                       "resources/unsubscribe",
                                       "unknown/method"};

    (void)state;
    for (size_t i = 0; i < sizeof(gone) / sizeof(gone[0]); i++) {
        peer_new(&peer, gone[i], NULL, "");
        assert_int_equal(peer.status, 404);
        assert_int_equal(peer_code(&peer), -32601);
    }
}

static void
a_tool_answers_structured_content_and_the_same_text(void **state)
{
    (void)state;
    peer_new(&peer, "tools/call", "echo",
             "\"name\":\"echo\",\"arguments\":{\"text\":\"a\"}");
    const cJSON *content = json_member(peer_result(&peer), "structuredContent");
    char *text = cJSON_PrintUnformatted(content);
    assert_string_equal(text, "{\"text\":\"a\",\"times\":1}");
    assert_string_equal(peer_text(&peer), text);
    assert_null(json_member(peer_result(&peer), "isError"));
    cJSON_free(text);
}

static void
absent_arguments_are_an_empty_object(void **state)
{
    (void)state;
    peer_new(&peer, "tools/call", "wait", "\"name\":\"wait\"");
    assert_non_null(json_member(peer_result(&peer), "structuredContent"));
    peer_new(&peer, "tools/call", "wait",
             "\"name\":\"wait\",\"arguments\":null");
    assert_non_null(json_member(peer_result(&peer), "structuredContent"));
}

static void
bad_arguments_teach_and_the_tool_does_not_run(void **state)
{
    (void)state;
    peer_new(&peer, "tools/call", "echo",
             "\"name\":\"echo\",\"arguments\":{\"txt\":\"a\",\"times\":6}");
    assert_int_equal(peer.status, 200);
    assert_true(cJSON_IsTrue(json_member(peer_result(&peer), "isError")));
    assert_non_null(strstr(peer_text(&peer), "did you mean \"text\"?"));
    assert_non_null(strstr(peer_text(&peer), "at most 5"));
    assert_int_equal(peer_echoes, 0);
}

static void
malformed_calls_are_invalid_params(void **state)
{
    static const char *const members[] = {
        "",
        "\"name\":1",
        "\"name\":\"echo\",\"arguments\":[]",
        "\"name\":\"echo\",\"arguments\":\"x\"",
        "\"name\":\"nope\"",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
        const char *name = i < 2 ? NULL : i < 4 ? "echo" : "nope";
        peer_new(&peer, "tools/call", name, members[i]);
        assert_int_equal(peer.status, 200);
        assert_int_equal(peer_code(&peer), -32602);
    }
    peer_new(&peer, "tools/call", "eco", "\"name\":\"eco\"");
    assert_non_null(strstr(buf_cstr(&peer.body), "did you mean"));
}

static void
a_failed_tool_is_a_result_that_says_why(void **state)
{
    (void)state;
    peer_new(&peer, "tools/call", "fail", "\"name\":\"fail\"");
    assert_true(cJSON_IsTrue(json_member(peer_result(&peer), "isError")));
    assert_string_equal(peer_text(&peer), "service \"chekout\" unknown");
    peer_new(&peer, "tools/call", "nothing", "\"name\":\"nothing\"");
    assert_true(cJSON_IsTrue(json_member(peer_result(&peer), "isError")));
    assert_non_null(strstr(peer_text(&peer), "internal error"));
}

static void
hostile_names_leave_as_harmless_text(void **state)
{
    (void)state;
    peer_new(&peer, "tools/call", "hostile", "\"name\":\"hostile\"");
    assert_string_equal(
        json_text(json_member(peer_result(&peer), "structuredContent"), "name"),
        "a\xef\xbf\xbd\xef\xbf\xbd"
        "b\xef\xbf\xbd"
        "c\xef\xbf\xbd[31m\nd\"\\");
    assert_null(strchr(buf_cstr(&peer.body), 0x1b));
    assert_null(strchr(buf_cstr(&peer.body), '\n'));
    assert_non_null(peer_json(&peer));
}

static void
an_answer_over_the_bound_becomes_advice(void **state)
{
    (void)state;
    peer_new(&peer, "tools/call", "large",
             "\"name\":\"large\",\"arguments\":{\"bytes\":30000}");
    assert_null(json_member(peer_result(&peer), "isError"));
    peer_new(&peer, "tools/call", "large",
             "\"name\":\"large\",\"arguments\":{\"bytes\":40000}");
    assert_true(cJSON_IsTrue(json_member(peer_result(&peer), "isError")));
    assert_non_null(strstr(peer_text(&peer), "ask for less"));
    assert_true(peer.body.len < 1000);
}

static void
a_missing_capability_is_named(void **state)
{
    (void)state;
    peer_new(&peer, "tools/call", "need", "\"name\":\"need\"");
    assert_int_equal(peer.status, 400);
    assert_int_equal(peer_code(&peer), -32021);
    assert_true(cJSON_IsObject(
        json_member(json_member(at(peer_json(&peer), "error", "data"),
                                "requiredCapabilities"),
                    "sampling")));
}

static void
a_client_is_not_asked_in_the_middle_of_a_call(void **state)
{
    (void)state;
    peer_new(&peer, "tools/call", "ask", "\"name\":\"ask\"");
    assert_true(cJSON_IsTrue(json_member(peer_result(&peer), "isError")));
    assert_false(peer.is_stream);
}

static void
logs_are_only_sent_to_who_asked(void **state)
{
    static const char body[] =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{"
        "\"name\":\"tell\",\"_meta\":{\"io.modelcontextprotocol/"
        "protocolVersion\":\"2026-07-28\",\"io.modelcontextprotocol/"
        "clientCapabilities\":{},\"io.modelcontextprotocol/logLevel\":"
        "\"%s\"}}}";
    char text[512];

    (void)state;
    peer_new(&peer, "tools/call", "tell", "\"name\":\"tell\"");
    assert_false(peer.is_stream);
    (void)snprintf(text, sizeof(text), body, "info");
    peer_post(&peer, text);
    assert_true(peer.is_stream);
    assert_non_null(strstr(buf_cstr(&peer.body), "notifications/message"));
    assert_null(strstr(buf_cstr(&peer.body), "never told"));
    (void)snprintf(text, sizeof(text), body, "warning");
    peer_post(&peer, text);
    assert_false(peer.is_stream);
}

static void
missing_resources_are_errors_with_their_uri(void **state)
{
    static const char *const uris[] = {
        "test://two", "test://item/", "test://item/a/b", "test://item/missing"};
    char members[128];

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        (void)snprintf(members, sizeof(members), "\"uri\":\"%s\"", uris[i]);
        peer_new(&peer, "resources/read", uris[i], members);
        assert_int_equal(peer_code(&peer), -32602);
        assert_string_equal(
            json_text(at(peer_json(&peer), "error", "data"), "uri"), uris[i]);
    }
    peer_new(&peer, "resources/read", "test://item/x",
             "\"uri\":\"test://item/x\"");
    assert_int_equal(peer_code(&peer), 0);
    peer_new(&peer, "resources/read", "test://item/broken",
             "\"uri\":\"test://item/broken\"");
    assert_int_equal(peer_code(&peer), -32603);
    peer_new(&peer, "resources/read", NULL, "");
    assert_int_equal(peer_code(&peer), -32602);
}

static void
prompts_need_their_arguments(void **state)
{
    (void)state;
    peer_new(&peer, "prompts/get", "greet",
             "\"name\":\"greet\",\"arguments\":{\"who\":\"you\"}");
    assert_int_equal(
        cJSON_GetArraySize(json_member(peer_result(&peer), "messages")), 1);
    assert_string_equal(json_text(peer_result(&peer), "description"),
                        "Greets.");
    peer_new(&peer, "prompts/get", "greet", "\"name\":\"greet\"");
    assert_int_equal(peer_code(&peer), -32602);
    assert_non_null(strstr(buf_cstr(&peer.body), "whom to greet"));
    peer_new(&peer, "prompts/get", "greet",
             "\"name\":\"greet\",\"arguments\":{\"who\":1}");
    assert_int_equal(peer_code(&peer), -32602);
    peer_new(&peer, "prompts/get", "greet",
             "\"name\":\"greet\",\"arguments\":{\"who\":\"nobody\"}");
    assert_int_equal(peer_code(&peer), -32602);
    peer_new(&peer, "prompts/get", "other", "\"name\":\"other\"");
    assert_int_equal(peer_code(&peer), -32602);
}

static void
completions_are_at_most_a_hundred(void **state)
{
    (void)state;
    peer_new(&peer, "completion/complete", NULL,
             "\"ref\":{\"type\":\"ref/resource\",\"uri\":"
             "\"test://item/{name}\"},\"argument\":{\"name\":\"name\","
             "\"value\":\"x\"}");
    const cJSON *completion = json_member(peer_result(&peer), "completion");
    assert_int_equal(cJSON_GetArraySize(json_member(completion, "values")),
                     100);
    assert_int_equal(json_member(completion, "total")->valueint, 150);
    assert_true(cJSON_IsTrue(json_member(completion, "hasMore")));
    peer_new(&peer, "completion/complete", NULL,
             "\"ref\":{\"type\":\"ref/prompt\",\"name\":\"none\"},"
             "\"argument\":{\"name\":\"a\",\"value\":\"\"}");
    assert_int_equal(peer_code(&peer), -32602);
    peer_new(&peer, "completion/complete", NULL, "\"ref\":{}");
    assert_int_equal(peer_code(&peer), -32602);
}

static void
completion_is_told_what_was_chosen(void **state)
{
    static const struct {
        const char *context, *first;
    } cases[] = {
        {"{\"arguments\":{\"who\":\"y\"}}", "y0"},
        {"{\"arguments\":{}}", "x0"},
        {"{\"arguments\":[\"who\"]}", "x0"},
        {"7", "x0"},
    };
    char params[256];

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        (void)snprintf(params, sizeof(params),
                       "\"ref\":{\"type\":\"ref/resource\",\"uri\":"
                       "\"test://item/{name}\"},\"argument\":{\"name\":"
                       "\"name\",\"value\":\"x\"},\"context\":%s",
                       cases[i].context);
        peer_new(&peer, "completion/complete", NULL, params);
        const cJSON *values = json_member(
            json_member(peer_result(&peer), "completion"), "values");
        assert_string_equal(cJSON_GetArrayItem(values, 0)->valuestring,
                            cases[i].first);
    }
}

static void
a_list_has_one_page(void **state)
{
    (void)state;
    peer_new(&peer, "tools/list", NULL, "\"cursor\":\"\"");
    assert_non_null(peer_result(&peer));
    peer_new(&peer, "tools/list", NULL, "\"cursor\":\"abc\"");
    assert_int_equal(peer_code(&peer), -32602);
    peer_new(&peer, "tools/list", NULL, "\"cursor\":1");
    assert_int_equal(peer_code(&peer), -32602);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
        TEST(discover_tells_versions_capabilities_and_instructions),
        TEST(every_result_says_complete_and_by_whom),
        TEST(lists_and_reads_can_be_cached),
        TEST(incomplete_meta_is_refused_and_says_what_is_missing),
        TEST(meta_given_twice_is_refused),
        TEST(an_unknown_version_lists_what_is_supported),
        TEST(methods_of_the_other_era_do_not_exist),
        TEST(a_tool_answers_structured_content_and_the_same_text),
        TEST(absent_arguments_are_an_empty_object),
        TEST(bad_arguments_teach_and_the_tool_does_not_run),
        TEST(malformed_calls_are_invalid_params),
        TEST(a_failed_tool_is_a_result_that_says_why),
        TEST(hostile_names_leave_as_harmless_text),
        TEST(an_answer_over_the_bound_becomes_advice),
        TEST(a_missing_capability_is_named),
        TEST(a_client_is_not_asked_in_the_middle_of_a_call),
        TEST(logs_are_only_sent_to_who_asked),
        TEST(missing_resources_are_errors_with_their_uri),
        TEST(prompts_need_their_arguments),
        TEST(completions_are_at_most_a_hundred),
        TEST(completion_is_told_what_was_chosen),
        TEST(a_list_has_one_page),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
