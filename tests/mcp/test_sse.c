#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <pthread.h>

#include "base/clock.h"
#include "mcp/json.h"
#include "mcp/state.h"
#include "tests/support/mcp_peer.h"

#define MESSAGE(id, name, rest)                                   \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"" name "\"," \
    "\"params\":{" rest "}}"
#define CALL(id, name, args)         \
    MESSAGE(id, "tools/call",        \
            "\"name\":\"" name "\"," \
            "\"arguments\":{" args "}")

enum { IDLE_MS = 60000, QUERY_CAP = 64 };

struct client {
    struct peer stream;
    struct peer poster;
    char query[QUERY_CAP];
};

static struct mcp *mcp;
static struct client client;

static void
client_init(struct client *one)
{
    peer_init(&one->stream, mcp);
    peer_init(&one->poster, mcp);
    one->stream.req.path = one->poster.req.path = STR("/sse");
    one->stream.req.method = STR("GET");
}

static void
client_fini(struct client *one)
{
    peer_fini(&one->stream);
    peer_fini(&one->poster);
}

/* Opens the stream; false when it is refused. */
static bool
open_stream(struct client *one)
{
    static const char event[] = "event: endpoint\ndata: /sse?";

    peer_post(&one->stream, "");
    if (!one->stream.is_stream)
        return false;
    const char *text = buf_cstr(&one->stream.body);
    assert_memory_equal(text, event, strlen(event));
    text += strlen(event);
    size_t len = strcspn(text, "\n");
    assert_int_equal(len, strlen("sessionId=") + SSE_ID_LEN);
    memcpy(one->query, text, len);
    one->query[len] = '\0';
    one->poster.req.query = str_of(one->query);
    return true;
}

/* Posts |body| to the session; the status of that. */
static int
post(struct client *one, const char *body)
{
    peer_post(&one->poster, body);
    assert_int_equal(one->poster.answers, 1);
    return one->poster.status;
}

/* What came on the stream last. */
static const cJSON *
last(struct client *one)
{
    cJSON_Delete(one->stream.json);
    one->stream.json = NULL;
    return peer_json(&one->stream);
}

static bool
has_come(struct client *one, const char *words)
{
    return strstr(buf_cstr(&one->stream.body), words) != NULL;
}

static void
go(struct client *one)
{
    one->stream.req.on_cancel(one->stream.req.on_cancel_ctx, &one->stream.req);
}

static int
setup(void **state)
{
    static const struct mcp_cfg cfg = {.sse_idle_ms = IDLE_MS};

    (void)state;
    if (mcp_new(&mcp, &peer_offer, &cfg))
        return -1;
    client_init(&client);
    return 0;
}

static int
teardown(void **state)
{
    (void)state;
    peer_meanwhile = NULL;
    mcp_free(mcp);
    client_fini(&client);
    return 0;
}

static void
a_message_is_accepted_and_answered_on_the_stream(void **state)
{
    (void)state;
    assert_true(open_stream(&client));
    assert_string_equal(buf_cstr(&client.stream.type), "text/event-stream");
    assert_int_equal(post(&client, CALL("\"a\"", "echo", "\"text\":\"hi\"")),
                     202);
    assert_int_equal(client.poster.body.len, 0);
    assert_true(has_come(&client, "\n\nevent: message\ndata: {"));
    assert_string_equal(json_text(last(&client), "id"), "a");
    assert_true(strstr(peer_text(&client.stream), "hi") != NULL);
    assert_int_equal(client.stream.answers, 0);
    assert_int_equal(post(&client, MESSAGE("2", "nonsense", "")), 202);
    (void)last(&client);
    assert_int_equal(peer_code(&client.stream), -32601);
    assert_int_equal(post(&client, MESSAGE("3", "server/discover", "")), 202);
    (void)last(&client);
    assert_int_equal(peer_code(&client.stream), -32601);
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
        assert_true(open_stream(&client));
        (void)snprintf(body, sizeof(body),
                       MESSAGE("1", "initialize", "\"protocolVersion\":\"%s\""),
                       rows[i].asked);
        assert_int_equal(post(&client, body), 202);
        (void)last(&client);
        assert_string_equal(
            json_text(peer_result(&client.stream), "protocolVersion"),
            rows[i].agreed);
        const cJSON *can =
            json_member(peer_result(&client.stream), "capabilities");
        assert_int_equal(json_member(can, "completions") != NULL,
                         rows[i].annotated);
        post(&client, MESSAGE("2", "tools/list", ""));
        (void)last(&client);
        const cJSON *tool = cJSON_GetArrayItem(
            json_member(peer_result(&client.stream), "tools"), 0);
        assert_int_equal(json_member(tool, "annotations") != NULL,
                         rows[i].annotated);
        post(&client, CALL("3", "echo", "\"text\":\"hi\""));
        (void)last(&client);
        const cJSON *result = peer_result(&client.stream);
        assert_int_equal(json_member(result, "structuredContent") != NULL,
                         rows[i].structured);
        go(&client);
        assert_int_equal(client.stream.answers, 1);
    }
}

static void
who_agreed_on_nothing_is_served_as_the_oldest(void **state)
{
    (void)state;
    assert_true(open_stream(&client));
    post(&client, MESSAGE("1", "tools/list", ""));
    (void)last(&client);
    const cJSON *tool = cJSON_GetArrayItem(
        json_member(peer_result(&client.stream), "tools"), 0);
    assert_non_null(tool);
    assert_null(json_member(tool, "annotations"));
}

static void
sessions_do_not_mix(void **state)
{
    struct client other;

    (void)state;
    client_init(&other);
    assert_true(open_stream(&client));
    assert_true(open_stream(&other));
    assert_string_not_equal(client.query, other.query);
    post(&client, MESSAGE("1", "logging/setLevel", "\"level\":\"error\""));
    post(&client, CALL("2", "tell", ""));
    post(&other, CALL("3", "tell", ""));
    assert_false(has_come(&client, "told"));
    assert_true(has_come(&other, "told"));
    assert_true(has_come(&client, "\"id\":2"));
    assert_false(has_come(&client, "\"id\":3"));
    go(&client);
    go(&other);
    client_fini(&other);
}

static void
what_needs_no_answer_gets_none(void **state)
{
    (void)state;
    assert_true(open_stream(&client));
    size_t len = client.stream.body.len;
    assert_int_equal(post(&client, "{\"jsonrpc\":\"2.0\",\"method\":"
                                   "\"notifications/initialized\"}"),
                     202);
    assert_int_equal(
        post(&client, "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"result\":{}}"), 202);
    assert_int_equal(post(&client, "{\"jsonrpc\":\"2.0\",\"method\":"
                                   "\"notifications/cancelled\",\"params\":{"
                                   "\"requestId\":\"nobody\"}}"),
                     202);
    assert_int_equal(client.stream.body.len, len);
}

static void *
post_ask(void *arg)
{
    post(arg, CALL("1", "ask", ""));
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
    assert_true(open_stream(&client));
    assert_int_equal(pthread_create(&thread, NULL, post_ask, &client), 0);
    assert_true(peer_await(&client.stream, head, id, sizeof(id)));
    (void)snprintf(body, sizeof(body), "%s%s\",\"result\":{\"a\":1}}", head,
                   id);
    peer_init(&other, mcp);
    other.req.path = STR("/sse");
    other.req.query = str_of(client.query);
    peer_post(&other, body);
    assert_int_equal(other.status, 202);
    pthread_join(thread, NULL);
    (void)last(&client);
    assert_non_null(strstr(peer_text(&client.stream), "{\"a\":1}"));
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
    char query[QUERY_CAP + 16];

    (void)state;
    for (size_t i = 0; i < sizeof(queries) / sizeof(queries[0]); i++) {
        client.poster.req.query = str_of(queries[i]);
        assert_int_equal(post(&client, MESSAGE("1", "ping", "")), 404);
        assert_int_equal(peer_code(&client.poster), -32600);
    }
    assert_true(open_stream(&client));
    (void)snprintf(query, sizeof(query), "a=b&%s&c", client.query);
    client.poster.req.query = str_of(query);
    assert_int_equal(post(&client, MESSAGE("1", "ping", "")), 202);
    (void)snprintf(query, sizeof(query), "%s0", client.query);
    client.poster.req.query = str_of(query);
    assert_int_equal(post(&client, MESSAGE("1", "ping", "")), 404);
}

static void
what_is_no_message_is_refused_where_it_was_posted(void **state)
{
    (void)state;
    assert_true(open_stream(&client));
    size_t len = client.stream.body.len;
    assert_int_equal(post(&client, "{"), 400);
    assert_int_equal(peer_code(&client.poster), -32700);
    assert_int_equal(post(&client, "[" MESSAGE("1", "ping", "") "]"), 400);
    assert_int_equal(peer_code(&client.poster), -32600);
    assert_int_equal(post(&client, "{\"id\":5,\"method\":\"ping\"}"), 400);
    assert_int_equal(json_member(peer_json(&client.poster), "id")->valueint, 5);
    peer_header(&client.poster, "content-type", "text/plain");
    assert_int_equal(post(&client, MESSAGE("1", "ping", "")), 415);
    assert_int_equal(client.stream.body.len, len);
}

static void
both_ways_ask_for_host_origin_and_token(void **state)
{
    static const char *const tokens[] = {"open-sesame"};
    struct peer *const peers[] = {&client.stream, &client.poster};

    (void)state;
    assert_int_equal(mcp_set_tokens(mcp, tokens, 1), OK);
    for (size_t i = 0; i < 2; i++) {
        peer_post(peers[i], MESSAGE("1", "ping", ""));
        assert_int_equal(peers[i]->status, 401);
        peer_header(peers[i], "authorization", "Bearer open-sesame");
        peer_header(peers[i], "origin", "http://evil.example.com");
        peer_post(peers[i], MESSAGE("1", "ping", ""));
        assert_int_equal(peers[i]->status, 403);
        peer_header(peers[i], "origin", NULL);
        peer_header(peers[i], "host", "evil.example.com");
        peer_post(peers[i], MESSAGE("1", "ping", ""));
        assert_int_equal(peers[i]->status, 403);
        peer_header(peers[i], "host", "localhost:8080");
    }
    assert_true(open_stream(&client));
    assert_int_equal(post(&client, MESSAGE("1", "ping", "")), 202);
    peer_header(&client.poster, "authorization", NULL);
    assert_int_equal(post(&client, MESSAGE("1", "ping", "")), 401);
}

static void
other_methods_and_who_reads_no_stream_are_refused(void **state)
{
    (void)state;
    client.poster.req.method = STR("DELETE");
    assert_int_equal(post(&client, ""), 405);
    assert_non_null(strstr(buf_cstr(&client.poster.extra), "allow: GET, POST"));
    peer_header(&client.stream, "accept", "application/json");
    assert_false(open_stream(&client));
    assert_int_equal(client.stream.status, 406);
}

static void
it_can_be_turned_off(void **state)
{
    static const struct mcp_cfg cfg = {0};
    struct mcp *off = NULL;

    (void)state;
    assert_int_equal(mcp_new(&off, &peer_offer, &cfg), OK);
    client.stream.mcp = client.poster.mcp = off;
    assert_false(open_stream(&client));
    assert_int_equal(client.stream.status, 404);
    assert_int_equal(post(&client, MESSAGE("1", "ping", "")), 404);
    mcp_free(off);
}

/* ---- limits ---- */

static void
sessions_have_a_limit_and_their_room_is_used_again(void **state)
{
    static struct client clients[SSE_MAX + 1];

    (void)state;
    for (size_t i = 0; i <= SSE_MAX; i++) {
        client_init(&clients[i]);
        assert_int_equal(open_stream(&clients[i]), i < SSE_MAX);
    }
    assert_int_equal(clients[SSE_MAX].stream.status, 503);
    assert_non_null(
        strstr(buf_cstr(&clients[SSE_MAX].stream.extra), "retry-after"));
    go(&clients[3]);
    assert_int_equal(clients[3].stream.answers, 1);
    assert_true(open_stream(&clients[SSE_MAX]));
    assert_int_equal(post(&clients[3], MESSAGE("1", "ping", "")), 404);
    assert_int_equal(post(&clients[SSE_MAX], MESSAGE("1", "ping", "")), 202);
    mcp_stop(mcp);
    for (size_t i = 0; i <= SSE_MAX; i++) {
        assert_int_equal(clients[i].stream.answers, 1);
        client_fini(&clients[i]);
    }
}

static unsigned depth;
static int refused;

/* Each call under way makes one more. */
static void
ask_more(void)
{
    struct peer poster;

    depth++;
    peer_init(&poster, mcp);
    poster.req.path = STR("/sse");
    poster.req.query = str_of(client.query);
    peer_post(&poster, CALL("1", "wait", ""));
    if (poster.status != 202)
        refused = poster.status;
    peer_fini(&poster);
}

static void
calls_of_a_session_have_a_limit(void **state)
{
    (void)state;
    assert_true(open_stream(&client));
    depth = 0;
    refused = 0;
    peer_meanwhile = ask_more;
    assert_int_equal(post(&client, CALL("1", "wait", "")), 202);
    assert_int_equal(depth, SSE_CALLS_MAX);
    assert_int_equal(refused, 503);
    peer_meanwhile = NULL;
    assert_int_equal(post(&client, CALL("2", "wait", "")), 202);
    assert_true(has_come(&client, "\"id\":2"));
}

static void
an_answer_larger_than_a_stream_carries_is_an_error(void **state)
{
    (void)state;
    assert_true(open_stream(&client));
    post(&client, CALL("1", "large", "\"bytes\":1000000"));
    (void)last(&client);
    assert_int_equal(peer_code(&client.stream), -32603);
    assert_int_equal(client.stream.answers, 0);
    post(&client, CALL("2", "large", "\"bytes\":400000"));
    (void)last(&client);
    assert_int_equal(peer_code(&client.stream), 0);
}

/* ---- the end of a session ---- */

static void
a_client_that_does_not_read_loses_its_session(void **state)
{
    (void)state;
    assert_true(open_stream(&client));
    client.stream.is_gone = true;
    assert_int_equal(post(&client, CALL("1", "steps", "")), 202);
    assert_int_equal(client.stream.answers, 1);
    assert_int_equal(post(&client, MESSAGE("2", "ping", "")), 404);
    client.stream.is_gone = false;
    assert_true(open_stream(&client));
    client.stream.is_gone = true;
    sse_check(&mcp->sse, clock_mono_ns());
    assert_int_equal(client.stream.answers, 1);
}

static void
leave(void)
{
    go(&client);
}

static void
what_a_client_that_goes_has_asked_is_cancelled(void **state)
{
    (void)state;
    assert_true(open_stream(&client));
    size_t len = client.stream.body.len;
    peer_meanwhile = leave;
    assert_int_equal(post(&client, CALL("1", "wait", "")), 202);
    assert_int_equal(client.stream.answers, 1);
    assert_int_equal(client.stream.body.len, len);
    peer_meanwhile = NULL;
    assert_true(open_stream(&client));
    assert_int_equal(post(&client, MESSAGE("1", "ping", "")), 202);
    assert_true(has_come(&client, "\"result\":{}"));
}

static void
call_it_off(void)
{
    struct peer poster;

    peer_init(&poster, mcp);
    poster.req.path = STR("/sse");
    poster.req.query = str_of(client.query);
    peer_post(&poster, "{\"jsonrpc\":\"2.0\",\"method\":"
                       "\"notifications/cancelled\",\"params\":{"
                       "\"requestId\":\"one\"}}");
    peer_fini(&poster);
}

static void
a_cancelled_call_is_not_answered(void **state)
{
    (void)state;
    assert_true(open_stream(&client));
    peer_meanwhile = call_it_off;
    assert_int_equal(post(&client, CALL("\"one\"", "wait", "")), 202);
    assert_false(has_come(&client, "\"one\""));
    assert_int_equal(post(&client, CALL("\"two\"", "wait", "")), 202);
    assert_true(has_come(&client, "\"two\""));
}

static uint64_t
idle_at(void)
{
    return clock_mono_ns() + IDLE_MS * NS_PER_MS;
}

static void
check_idle(void)
{
    sse_check(&mcp->sse, idle_at());
}

static void
a_session_that_asks_nothing_ends(void **state)
{
    (void)state;
    assert_true(open_stream(&client));
    sse_check(&mcp->sse, idle_at() - 30 * NS_PER_S);
    assert_true(has_come(&client, ":\n\n"));
    assert_int_equal(client.stream.answers, 0);
    /* What is still under way is no idleness. */
    peer_meanwhile = check_idle;
    post(&client, CALL("1", "wait", ""));
    assert_int_equal(client.stream.answers, 0);
    assert_true(has_come(&client, "\"id\":1"));
    sse_check(&mcp->sse, idle_at());
    assert_int_equal(client.stream.answers, 1);
    assert_int_equal(post(&client, MESSAGE("2", "ping", "")), 404);
}

static void
stop(void)
{
    mcp_stop(mcp);
    assert_int_equal(client.stream.answers, 0);
}

static void
a_stop_lets_answers_through_and_ends_all(void **state)
{
    struct client other;

    (void)state;
    client_init(&other);
    assert_true(open_stream(&client));
    assert_true(open_stream(&other));
    peer_meanwhile = stop;
    post(&client, CALL("1", "wait", ""));
    assert_int_equal(other.stream.answers, 1);
    assert_int_equal(client.stream.answers, 1);
    assert_true(has_come(&client, "\"id\":1"));
    assert_int_equal(post(&client, MESSAGE("2", "ping", "")), 404);
    assert_false(open_stream(&other));
    assert_int_equal(other.stream.status, 503);
    client_fini(&other);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
        TEST(a_message_is_accepted_and_answered_on_the_stream),
        TEST(the_revision_is_agreed_for_the_session),
        TEST(who_agreed_on_nothing_is_served_as_the_oldest),
        TEST(sessions_do_not_mix),
        TEST(what_needs_no_answer_gets_none),
        TEST(the_client_can_be_asked),
        TEST(a_post_without_a_session_is_refused),
        TEST(what_is_no_message_is_refused_where_it_was_posted),
        TEST(both_ways_ask_for_host_origin_and_token),
        TEST(other_methods_and_who_reads_no_stream_are_refused),
        TEST(it_can_be_turned_off),
        TEST(sessions_have_a_limit_and_their_room_is_used_again),
        TEST(calls_of_a_session_have_a_limit),
        TEST(an_answer_larger_than_a_stream_carries_is_an_error),
        TEST(a_client_that_does_not_read_loses_its_session),
        TEST(what_a_client_that_goes_has_asked_is_cancelled),
        TEST(a_cancelled_call_is_not_answered),
        TEST(a_session_that_asks_nothing_ends),
        TEST(a_stop_lets_answers_through_and_ends_all),
#undef TEST
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
