#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <pthread.h>
#include <unistd.h>

#include "base/clock.h"
#include "mcp/json.h"
#include "mcp/state.h"
#include "tests/support/mcp_peer.h"

#define CALL(name, rest) \
    "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"" name "\"" rest "}"

enum { ID_CAP = 33 };

static struct mcp *mcp;
static struct peer peer;

static int
setup(void **state)
{
    static const struct mcp_cfg cfg = {.reply_bytes = 64 << 10};

    (void)state;
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

static void
initialize_answers_the_version_or_the_newest(void **state)
{
    static const char *const asked[][2] = {
        {"\"2025-03-26\"", "2025-03-26"}, {"\"2025-06-18\"", "2025-06-18"},
        {"\"2025-11-25\"", "2025-11-25"}, {"\"2026-07-28\"", "2025-11-25"},
        {"\"1999-01-01\"", "2025-11-25"}, {"1", "2025-11-25"},
        {"\"2024-11-05\"", "2024-11-05"},
    };
    char body[256];

    (void)state;
    for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
        (void)snprintf(body, sizeof(body),
                       CALL("initialize", ",\"params\":{\"protocolVersion\":%s,"
                                          "\"capabilities\":{}}"),
                       asked[i][0]);
        peer_old(&peer, NULL, body);
        assert_int_equal(peer.status, 200);
        assert_string_equal(json_text(peer_result(&peer), "protocolVersion"),
                            asked[i][1]);
        assert_string_equal(json_text(peer_result(&peer), "instructions"),
                            "Ask.");
        assert_string_equal(
            json_text(json_member(peer_result(&peer), "serverInfo"), "name"),
            "test");
    }
    peer_old(&peer, NULL, CALL("initialize", ""));
    assert_non_null(peer_result(&peer));
    peer_old(&peer, "1999-01-01", CALL("initialize", ""));
    assert_non_null(peer_result(&peer));
}

static void
results_have_nothing_of_the_new_era(void **state)
{
    static const char *const bodies[] = {
        CALL("ping", ""),
        CALL("tools/list", ""),
        CALL("resources/list", ""),
        CALL("resources/read", ",\"params\":{\"uri\":\"test://one\"}"),
        CALL("tools/call", ",\"params\":{\"name\":\"wait\"}"),
        CALL("prompts/get", ",\"params\":{\"name\":\"greet\",\"arguments\":"
                            "{\"who\":\"x\"}}"),
        CALL("logging/setLevel", ",\"params\":{\"level\":\"info\"}"),
        CALL("resources/subscribe", ",\"params\":{\"uri\":\"test://one\"}"),
        CALL("resources/unsubscribe", ",\"params\":{\"uri\":\"test://one\"}"),
    };

    (void)state;
    for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
        peer_old(&peer, "2025-11-25", bodies[i]);
        assert_int_equal(peer.status, 200);
        assert_true(cJSON_IsObject(peer_result(&peer)));
        assert_null(json_member(peer_result(&peer), "resultType"));
        assert_null(json_member(peer_result(&peer), "ttlMs"));
        assert_null(json_member(peer_result(&peer), "_meta"));
    }
}

static void
empty_results_are_empty(void **state)
{
    (void)state;
    peer_old(&peer, "2025-11-25", CALL("ping", ""));
    assert_string_equal(buf_cstr(&peer.body),
                        "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}");
}

static void
structured_content_came_with_2025_06_18(void **state)
{
    static const char body[] =
        CALL("tools/call", ",\"params\":{\"name\":\"echo\",\"arguments\":"
                           "{\"text\":\"a\"}}");

    (void)state;
    peer_old(&peer, "2025-06-18", body);
    assert_non_null(json_member(peer_result(&peer), "structuredContent"));
    peer_old(&peer, "2025-03-26", body);
    assert_null(json_member(peer_result(&peer), "structuredContent"));
    assert_string_equal(peer_text(&peer), "{\"text\":\"a\",\"times\":1}");
    peer_old(&peer, NULL, body);
    assert_null(json_member(peer_result(&peer), "structuredContent"));

    peer_old(&peer, "2025-06-18", CALL("tools/list", ""));
    assert_non_null(strstr(buf_cstr(&peer.body), "outputSchema"));
    peer_old(&peer, "2025-03-26", CALL("tools/list", ""));
    assert_null(strstr(buf_cstr(&peer.body), "outputSchema"));
}

static void
methods_of_the_new_era_do_not_exist(void **state)
{
    (void)state;
    peer_old(&peer, "2025-11-25", CALL("server/discover", ""));
    assert_int_equal(peer.status, 200);
    assert_int_equal(peer_code(&peer), -32601);
    peer_old(&peer, "2025-11-25", CALL("subscriptions/listen", ""));
    assert_int_equal(peer_code(&peer), -32601);
    peer_old(&peer, "2025-11-25", CALL("nope", ""));
    assert_int_equal(peer.status, 200);
    assert_int_equal(peer_code(&peer), -32601);
}

static void
an_unsupported_version_header_lists_the_supported(void **state)
{
    (void)state;
    peer_old(&peer, "2024-01-01", CALL("ping", ""));
    assert_int_equal(peer.status, 400);
    assert_non_null(strstr(buf_cstr(&peer.body), "2025-11-25"));
    assert_non_null(strstr(buf_cstr(&peer.body), "2026-07-28"));
    peer_old(&peer, "", CALL("ping", ""));
    assert_int_equal(peer.status, 400);
}

static void
missing_resources_have_their_old_code(void **state)
{
    (void)state;
    peer_old(&peer, "2025-11-25",
             CALL("resources/read", ",\"params\":{\"uri\":\"test://x\"}"));
    assert_int_equal(peer_code(&peer), -32002);
}

static void
a_bad_level_is_refused(void **state)
{
    (void)state;
    peer_old(&peer, "2025-11-25",
             CALL("logging/setLevel", ",\"params\":{\"level\":\"loud\"}"));
    assert_int_equal(peer_code(&peer), -32602);
}

static void
logs_go_to_a_client_that_set_no_level(void **state)
{
    (void)state;
    peer_old(&peer, "2025-11-25",
             CALL("tools/call", ",\"params\":{\"name\":\"tell\"}"));
    assert_true(peer.is_stream);
    assert_non_null(strstr(buf_cstr(&peer.body), "\"data\":\"told\""));
    assert_non_null(peer_result(&peer));
}

static void
notifications_and_stray_responses_are_accepted(void **state)
{
    (void)state;
    peer_old(&peer, "2025-11-25",
             "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
    assert_int_equal(peer.status, 202);
    assert_int_equal(peer.body.len, 0);
    peer_old(&peer, "2025-11-25",
             "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"result\":{}}");
    assert_int_equal(peer.status, 202);
    peer_old(&peer, "2025-11-25",
             "{\"jsonrpc\":\"2.0\",\"id\":3,\"error\":{\"code\":1,"
             "\"message\":\"no\"}}");
    assert_int_equal(peer.status, 202);
}

/* ---- questions to the client ---- */

static void *
post_ask(void *arg)
{
    peer_old(arg, "2025-11-25",
             CALL("tools/call", ",\"params\":{\"name\":\"ask\"}"));
    return NULL;
}

/* Waits for the question and sets |id| to its id. */
static void
await_question(char *id)
{
    assert_true(peer_await(&peer, "\"id\":\"", id, ID_CAP));
}

static void
answer(const char *id, const char *members)
{
    struct peer other;
    char body[256];

    (void)snprintf(body, sizeof(body), "{\"jsonrpc\":\"2.0\",\"id\":\"%s\",%s}",
                   id, members);
    peer_init(&other, mcp);
    peer_old(&other, "2025-11-25", body);
    assert_int_equal(other.status, 202);
    peer_fini(&other);
}

static void
an_answer_reaches_the_call_that_asked(void **state)
{
    pthread_t thread;
    char id[ID_CAP];

    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, post_ask, &peer), 0);
    await_question(id);
    answer("00000000000000000000000000000000", "\"result\":{\"a\":2}");
    answer(id, "\"result\":{\"a\":1}");
    pthread_join(thread, NULL);
    assert_int_equal(
        json_member(json_member(peer_result(&peer), "structuredContent"), "a")
            ->valueint,
        1);
}

static void
a_question_is_answered_once(void **state)
{
    const char *id = NULL;
    cJSON *first = cJSON_CreateObject();
    cJSON *second = cJSON_CreateObject();

    (void)state;
    assert_int_equal(pending_open(&mcp->pending, NULL, &id), OK);
    assert_true(pending_answer(&mcp->pending, id, first));
    assert_false(pending_answer(&mcp->pending, id, second));
    assert_false(pending_answer(&mcp->pending, "", second));
    assert_ptr_equal(pending_wait(&mcp->pending, id, 0), first);
    cJSON_Delete(first);
    cJSON_Delete(second);
}

static void
a_refusal_is_a_failed_call(void **state)
{
    pthread_t thread;
    char id[ID_CAP];

    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, post_ask, &peer), 0);
    await_question(id);
    answer(id, "\"error\":{\"code\":-1,\"message\":\"no\"}");
    pthread_join(thread, NULL);
    assert_true(cJSON_IsTrue(json_member(peer_result(&peer), "isError")));
}

static void
a_question_ends_when_the_client_goes_or_the_server_stops(void **state)
{
    uint64_t from = clock_mono_ns();
    pthread_t thread;
    char id[ID_CAP];

    (void)state;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(pthread_create(&thread, NULL, post_ask, &peer), 0);
        await_question(id);
        if (i == 0)
            peer.req.on_cancel(peer.req.on_cancel_ctx, &peer.req);
        else
            mcp_stop(mcp);
        pthread_join(thread, NULL);
        assert_int_equal(peer.answers, 1);
    }
    assert_true(clock_mono_ns() - from < 10 * NS_PER_S);
}

static void
who_reads_no_stream_is_not_asked(void **state)
{
    (void)state;
    peer_header(&peer, "accept", "application/json");
    peer_old(&peer, "2025-11-25",
             CALL("tools/call", ",\"params\":{\"name\":\"ask\"}"));
    assert_false(peer.is_stream);
    assert_true(cJSON_IsTrue(json_member(peer_result(&peer), "isError")));
}

/* ---- what is not offered does not exist ---- */

static void
methods_of_what_is_not_offered_do_not_exist(void **state)
{
    static const char *const bodies[] = {CALL("prompts/list", ""),
                                         CALL("resources/list", ""),
                                         CALL("completion/complete", ""),
                                         CALL("logging/setLevel", ""),
                                         CALL("resources/subscribe", ""),
                                         CALL("resources/read", ""),
                                         CALL("resources/templates/list", "")};
    struct mcp_offer offer = peer_offer;
    struct mcp_cfg cfg = {0};
    struct mcp *small = NULL;
    struct peer other;

    (void)state;
    offer.resource_len = offer.prompt_len = 0;
    offer.complete = NULL;
    offer.logging = offer.subscribe = offer.list_changed = false;
    assert_int_equal(mcp_new(&small, &offer, &cfg), OK);
    peer_init(&other, small);
    for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
        peer_old(&other, "2025-11-25", bodies[i]);
        assert_int_equal(peer_code(&other), -32601);
    }
    peer_new(&other, "subscriptions/listen", NULL, "\"notifications\":{}");
    assert_int_equal(other.status, 404);
    peer_new(&other, "server/discover", NULL, "");
    assert_non_null(
        strstr(buf_cstr(&other.body), "\"capabilities\":{\"tools\":{}}"));
    peer_fini(&other);
    mcp_free(small);
}

static void
a_bad_offer_is_refused(void **state)
{
    static const char *const schemas[] = {
        "", "{", "[]", "{}", "{\"type\":\"string\"}", NULL};
    struct mcp_tool tool = {.name = "x", .input_schema = "{}"};
    struct mcp_offer offer = {
        .name = "n", .version = "1", .tools = &tool, .tool_len = 1};
    struct mcp_cfg cfg = {0};
    struct mcp *none = NULL;

    (void)state;
    for (size_t i = 0; i < sizeof(schemas) / sizeof(schemas[0]); i++) {
        tool.input_schema = schemas[i];
        assert_int_equal(mcp_new(&none, &offer, &cfg), ERR_INVALID);
        assert_null(none);
    }
    tool.input_schema = "{\"type\":\"object\"}";
    tool.output_schema = "[]";
    assert_int_equal(mcp_new(&none, &offer, &cfg), ERR_INVALID);
    tool.output_schema = NULL;
    tool.name = "has space";
    assert_int_equal(mcp_new(&none, &offer, &cfg), ERR_INVALID);
    tool.name = "ok";
    assert_int_equal(mcp_new(&none, &offer, &cfg), OK);
    mcp_free(none);
    mcp_free(NULL);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
        TEST(initialize_answers_the_version_or_the_newest),
        TEST(results_have_nothing_of_the_new_era),
        TEST(empty_results_are_empty),
        TEST(structured_content_came_with_2025_06_18),
        TEST(methods_of_the_new_era_do_not_exist),
        TEST(an_unsupported_version_header_lists_the_supported),
        TEST(missing_resources_have_their_old_code),
        TEST(a_bad_level_is_refused),
        TEST(logs_go_to_a_client_that_set_no_level),
        TEST(notifications_and_stray_responses_are_accepted),
        TEST(an_answer_reaches_the_call_that_asked),
        TEST(a_question_is_answered_once),
        TEST(a_refusal_is_a_failed_call),
        TEST(a_question_ends_when_the_client_goes_or_the_server_stops),
        TEST(who_reads_no_stream_is_not_asked),
        TEST(methods_of_what_is_not_offered_do_not_exist),
        TEST(a_bad_offer_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
