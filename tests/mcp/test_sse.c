#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mcp/json.h"
#include "mcp/state.h"
#include "tests/support/sse_rig.h"

static void
a_message_is_accepted_and_answered_on_the_stream(void **state)
{
    (void)state;
    assert_true(sse_client_open(&sse.client));
    assert_string_equal(buf_cstr(&sse.client.stream.type), "text/event-stream");
    assert_int_equal(sse_client_post(&sse.client, SSE_CALL("\"a\"", "echo",
                                                           "\"text\":\"hi\"")),
                     202);
    assert_int_equal(sse.client.poster.body.len, 0);
    assert_true(sse_client_got(&sse.client, "\n\nevent: message\ndata: {"));
    assert_string_equal(json_text(sse_client_last(&sse.client), "id"), "a");
    assert_true(strstr(peer_text(&sse.client.stream), "hi") != NULL);
    assert_int_equal(sse.client.stream.answers, 0);
    assert_int_equal(
        sse_client_post(&sse.client, SSE_MESSAGE("2", "nonsense", "")), 202);
    (void)sse_client_last(&sse.client);
    assert_int_equal(peer_code(&sse.client.stream), -32601);
    assert_int_equal(
        sse_client_post(&sse.client, SSE_MESSAGE("3", "server/discover", "")),
        202);
    (void)sse_client_last(&sse.client);
    assert_int_equal(peer_code(&sse.client.stream), -32601);
}

static void
the_revision_is_agreed_for_the_session(void **state)
{
    static const struct {
        const char *asked;
        const char *agreed;
        bool annotated;  /* since 2025-03-26 */
        bool structured; /* since 2025-06-18 */
    } rows[] = {
        {"2024-11-05", "2024-11-05", false, false},
        {"2025-03-26", "2025-03-26", true, false},
        {"2025-06-18", "2025-06-18", true, true},
        {"2025-11-25", "2025-11-25", true, true},
        {"2026-07-28", "2025-11-25", true, true},
        {"2024-10-07", "2025-11-25", true, true},
    };
    char body[256];

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_true(sse_client_open(&sse.client));
        (void)snprintf(
            body, sizeof(body),
            SSE_MESSAGE("1", "initialize", "\"protocolVersion\":\"%s\""),
            rows[i].asked);
        assert_int_equal(sse_client_post(&sse.client, body), 202);
        (void)sse_client_last(&sse.client);
        assert_string_equal(
            json_text(peer_result(&sse.client.stream), "protocolVersion"),
            rows[i].agreed);
        const cJSON *can =
            json_member(peer_result(&sse.client.stream), "capabilities");
        assert_int_equal(json_member(can, "completions") != NULL,
                         rows[i].annotated);
        sse_client_post(&sse.client, SSE_MESSAGE("2", "tools/list", ""));
        (void)sse_client_last(&sse.client);
        const cJSON *tool = cJSON_GetArrayItem(
            json_member(peer_result(&sse.client.stream), "tools"), 0);
        assert_int_equal(json_member(tool, "annotations") != NULL,
                         rows[i].annotated);
        sse_client_post(&sse.client, SSE_CALL("3", "echo", "\"text\":\"hi\""));
        (void)sse_client_last(&sse.client);
        const cJSON *result = peer_result(&sse.client.stream);
        assert_int_equal(json_member(result, "structuredContent") != NULL,
                         rows[i].structured);
        sse_client_go(&sse.client);
        assert_int_equal(sse.client.stream.answers, 1);
    }
}

static void
who_agreed_on_nothing_is_served_as_the_oldest(void **state)
{
    (void)state;
    assert_true(sse_client_open(&sse.client));
    sse_client_post(&sse.client, SSE_MESSAGE("1", "tools/list", ""));
    (void)sse_client_last(&sse.client);
    const cJSON *tool = cJSON_GetArrayItem(
        json_member(peer_result(&sse.client.stream), "tools"), 0);
    assert_non_null(tool);
    assert_null(json_member(tool, "annotations"));
}

static void
sessions_do_not_mix(void **state)
{
    struct sse_client other;

    (void)state;
    sse_client_init(&other);
    assert_true(sse_client_open(&sse.client));
    assert_true(sse_client_open(&other));
    assert_string_not_equal(sse.client.query, other.query);
    sse_client_post(&sse.client, SSE_MESSAGE("1", "logging/setLevel",
                                             "\"level\":\"error\""));
    sse_client_post(&sse.client, SSE_CALL("2", "tell", ""));
    sse_client_post(&other, SSE_CALL("3", "tell", ""));
    assert_false(sse_client_got(&sse.client, "told"));
    assert_true(sse_client_got(&other, "told"));
    assert_true(sse_client_got(&sse.client, "\"id\":2"));
    assert_false(sse_client_got(&sse.client, "\"id\":3"));
    sse_client_go(&sse.client);
    sse_client_go(&other);
    sse_client_fini(&other);
}

static void
what_needs_no_answer_gets_none(void **state)
{
    (void)state;
    assert_true(sse_client_open(&sse.client));
    size_t len = sse.client.stream.body.len;
    assert_int_equal(sse_client_post(&sse.client,
                                     "{\"jsonrpc\":\"2.0\",\"method\":"
                                     "\"notifications/initialized\"}"),
                     202);
    assert_int_equal(
        sse_client_post(&sse.client,
                        "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"result\":{}}"),
        202);
    assert_int_equal(sse_client_post(&sse.client,
                                     "{\"jsonrpc\":\"2.0\",\"method\":"
                                     "\"notifications/cancelled\",\"params\":{"
                                     "\"requestId\":\"nobody\"}}"),
                     202);
    assert_int_equal(sse.client.stream.body.len, len);
}

static void *
post_ask(void *arg)
{
    sse_client_post(arg, SSE_CALL("1", "ask", ""));
    return NULL;
}

static void
the_client_can_be_asked(void **state)
{
    static const char head[] = "{\"jsonrpc\":\"2.0\",\"id\":\"";
    struct peer other;
    pthread_t thread;
    char id[SSE_ID_LEN + 1];
    char body[128];

    (void)state;
    assert_true(sse_client_open(&sse.client));
    assert_int_equal(pthread_create(&thread, NULL, post_ask, &sse.client), 0);
    assert_true(peer_await(&sse.client.stream, head, id, sizeof(id)));
    (void)snprintf(body, sizeof(body), "%s%s\",\"result\":{\"a\":1}}", head,
                   id);
    peer_init(&other, sse.mcp);
    other.req.path = STR("/sse");
    other.req.query = str_of(sse.client.query);
    peer_post(&other, body);
    assert_int_equal(other.status, 202);
    pthread_join(thread, NULL);
    (void)sse_client_last(&sse.client);
    assert_non_null(strstr(peer_text(&sse.client.stream), "{\"a\":1}"));
    peer_fini(&other);
}

/* ---- refusals ---- */

static void
a_post_without_a_session_is_refused(void **state)
{
    static const char *const queries[] = {
        "",
        "sessionId=",
        "sessionId=00000000000000000000000000000000",
        "sessionId=0000000000000000000000000000000",
        "id=1&sessionId",
        "&&",
    };
    char query[SSE_QUERY_CAP + 16];

    (void)state;
    for (size_t i = 0; i < sizeof(queries) / sizeof(queries[0]); i++) {
        sse.client.poster.req.query = str_of(queries[i]);
        assert_int_equal(
            sse_client_post(&sse.client, SSE_MESSAGE("1", "ping", "")), 404);
        assert_int_equal(peer_code(&sse.client.poster), -32600);
    }
    assert_true(sse_client_open(&sse.client));
    (void)snprintf(query, sizeof(query), "a=b&%s&c", sse.client.query);
    sse.client.poster.req.query = str_of(query);
    assert_int_equal(sse_client_post(&sse.client, SSE_MESSAGE("1", "ping", "")),
                     202);
    (void)snprintf(query, sizeof(query), "%s0", sse.client.query);
    sse.client.poster.req.query = str_of(query);
    assert_int_equal(sse_client_post(&sse.client, SSE_MESSAGE("1", "ping", "")),
                     404);
}

static void
what_is_no_message_is_refused_where_it_was_posted(void **state)
{
    (void)state;
    assert_true(sse_client_open(&sse.client));
    size_t len = sse.client.stream.body.len;
    assert_int_equal(sse_client_post(&sse.client, "{"), 400);
    assert_int_equal(peer_code(&sse.client.poster), -32700);
    assert_int_equal(
        sse_client_post(&sse.client, "[" SSE_MESSAGE("1", "ping", "") "]"),
        400);
    assert_int_equal(peer_code(&sse.client.poster), -32600);
    assert_int_equal(
        sse_client_post(&sse.client, "{\"id\":5,\"method\":\"ping\"}"), 400);
    assert_int_equal(json_member(peer_json(&sse.client.poster), "id")->valueint,
                     5);
    peer_header(&sse.client.poster, "content-type", "text/plain");
    assert_int_equal(sse_client_post(&sse.client, SSE_MESSAGE("1", "ping", "")),
                     415);
    assert_int_equal(sse.client.stream.body.len, len);
}

static void
both_ways_ask_for_host_origin_and_token(void **state)
{
    static const char *const tokens[] = {"open-sesame"};
    struct peer *const peers[] = {&sse.client.stream, &sse.client.poster};

    (void)state;
    assert_int_equal(mcp_set_tokens(sse.mcp, tokens, 1), OK);
    for (size_t i = 0; i < 2; i++) {
        peer_post(peers[i], SSE_MESSAGE("1", "ping", ""));
        assert_int_equal(peers[i]->status, 401);
        peer_header(peers[i], "authorization", "Bearer open-sesame");
        peer_header(peers[i], "origin", "http://evil.example.com");
        peer_post(peers[i], SSE_MESSAGE("1", "ping", ""));
        assert_int_equal(peers[i]->status, 403);
        peer_header(peers[i], "origin", NULL);
        peer_header(peers[i], "host", "evil.example.com");
        peer_post(peers[i], SSE_MESSAGE("1", "ping", ""));
        assert_int_equal(peers[i]->status, 403);
        peer_header(peers[i], "host", "localhost:8080");
    }
    assert_true(sse_client_open(&sse.client));
    assert_int_equal(sse_client_post(&sse.client, SSE_MESSAGE("1", "ping", "")),
                     202);
    peer_header(&sse.client.poster, "authorization", NULL);
    assert_int_equal(sse_client_post(&sse.client, SSE_MESSAGE("1", "ping", "")),
                     401);
}

static void
other_methods_and_who_reads_no_stream_are_refused(void **state)
{
    (void)state;
    sse.client.poster.req.method = STR("DELETE");
    assert_int_equal(sse_client_post(&sse.client, ""), 405);
    assert_non_null(
        strstr(buf_cstr(&sse.client.poster.extra), "allow: GET, POST"));
    peer_header(&sse.client.stream, "accept", "application/json");
    assert_false(sse_client_open(&sse.client));
    assert_int_equal(sse.client.stream.status, 406);
}

static void
it_can_be_turned_off(void **state)
{
    static const struct mcp_cfg cfg = {0};
    struct mcp *off = NULL;

    (void)state;
    assert_int_equal(mcp_new(&off, &peer_offer, &cfg), OK);
    sse.client.stream.mcp = sse.client.poster.mcp = off;
    assert_false(sse_client_open(&sse.client));
    assert_int_equal(sse.client.stream.status, 404);
    assert_int_equal(sse_client_post(&sse.client, SSE_MESSAGE("1", "ping", "")),
                     404);
    mcp_free(off);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        SSE_TEST(a_message_is_accepted_and_answered_on_the_stream),
        SSE_TEST(the_revision_is_agreed_for_the_session),
        SSE_TEST(who_agreed_on_nothing_is_served_as_the_oldest),
        SSE_TEST(sessions_do_not_mix),
        SSE_TEST(what_needs_no_answer_gets_none),
        SSE_TEST(the_client_can_be_asked),
        SSE_TEST(a_post_without_a_session_is_refused),
        SSE_TEST(what_is_no_message_is_refused_where_it_was_posted),
        SSE_TEST(both_ways_ask_for_host_origin_and_token),
        SSE_TEST(other_methods_and_who_reads_no_stream_are_refused),
        SSE_TEST(it_can_be_turned_off),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
