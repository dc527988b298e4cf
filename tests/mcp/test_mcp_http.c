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
#include "tests/support/mcp_peer.h"

#define PING "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}"

static struct mcp *mcp;
static struct peer peer;

static int
start(const struct mcp_cfg *cfg)
{
    if (mcp_new(&mcp, &peer_offer, cfg))
        return -1;
    peer_init(&peer, mcp);
    return 0;
}

static int
setup(void **state)
{
    static const struct mcp_cfg cfg = {0};

    (void)state;
    return start(&cfg);
}

static int
setup_named(void **state)
{
    static const char *const hosts[] = {"mcp.example.com", "other:8443"};
    static const char *const origins[] = {"https://app.example.org"};
    static const char *const tokens[] = {"secret-one", "secret-two"};
    static const struct mcp_cfg cfg = {
        .allowed_hosts = hosts,
        .allowed_host_len = 2,
        .allowed_origins = origins,
        .allowed_origin_len = 1,
        .tokens = tokens,
        .token_len = 2,
    };

    (void)state;
    return start(&cfg);
}

static int
teardown(void **state)
{
    (void)state;
    peer_fini(&peer);
    mcp_free(mcp);
    return 0;
}

/* The status of a ping with the header |name| set to |value|. */
static int
ping_with(const char *name, const char *value)
{
    peer_header(&peer, name, value);
    peer_post(&peer, PING);
    assert_int_equal(peer.answers, 1);
    return peer.status;
}

static void
only_loopback_hosts_are_served(void **state)
{
    static const char *const good[] = {"localhost", "LOCALHOST:80",
                                       "127.0.0.1", "127.0.0.1:65535",
                                       "[::1]",     "[::1]:8080"};
    static const char *const bad[] = {"evil.example.com",
                                      "localhost.evil.com",
                                      "127.0.0.1.evil.com",
                                      "0.0.0.0",
                                      "",
                                      "localhost:",
                                      "localhost:123456",
                                      "127.0.0.1:80:80",
                                      "::1",
                                      "evil.com:80",
                                      "localhost@evil.com",
                                      "127.0.0.2"};

    (void)state;
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
        assert_int_equal(ping_with("host", good[i]), 200);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_int_equal(ping_with("host", bad[i]), 403);
    assert_int_equal(ping_with("host", NULL), 403);
    assert_int_equal(ping_with(":authority", "localhost"), 200);
    assert_int_equal(ping_with("host", "127.0.0.1"), 403);
}

static void
only_loopback_origins_are_served(void **state)
{
    static const char *const good[] = {"http://localhost:3000",
                                       "https://127.0.0.1", "http://[::1]:1"};
    static const char *const bad[] = {"http://evil.example.com",
                                      "null",
                                      "",
                                      "http://localhost.evil.com",
                                      "file://localhost",
                                      "localhost",
                                      "http://evil.com/localhost"};

    (void)state;
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
        assert_int_equal(ping_with("origin", good[i]), 200);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_int_equal(ping_with("origin", bad[i]), 403);
}

static void
configured_names_are_served_with_a_token(void **state)
{
    (void)state;
    peer_header(&peer, "authorization", "Bearer secret-two");
    assert_int_equal(ping_with("host", "mcp.example.com"), 200);
    assert_int_equal(ping_with("host", "mcp.example.com:99"), 200);
    assert_int_equal(ping_with("host", "other:8443"), 200);
    assert_int_equal(ping_with("host", "other:8444"), 403);
    assert_int_equal(ping_with("host", "127.0.0.1"), 200);
    assert_int_equal(ping_with("origin", "https://app.example.org"), 200);
    assert_int_equal(ping_with("origin", "https://mcp.example.com"), 200);
    assert_int_equal(ping_with("origin", "http://app.example.org"), 403);
}

static void
a_token_is_needed_when_there_are_any(void **state)
{
    static const char *const bad[] = {"Bearer secret-on",  "Bearer secret-oneX",
                                      "Bearer ",           "Basic secret-one",
                                      "secret-one",        "Bearer",
                                      "Bearer SECRET-ONE", ""};

    (void)state;
    assert_int_equal(ping_with("authorization", NULL), 401);
    assert_non_null(strstr(buf_cstr(&peer.extra), "www-authenticate: Bearer"));
    assert_null(strstr(buf_cstr(&peer.extra), "invalid_token"));
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_int_equal(ping_with("authorization", bad[i]), 401);
    assert_int_equal(ping_with("authorization", "Bearer nope"), 401);
    assert_non_null(strstr(buf_cstr(&peer.extra), "invalid_token"));
    assert_int_equal(ping_with("authorization", "Bearer secret-one"), 200);
    assert_int_equal(ping_with("authorization", "bearer  secret-two "), 200);
}

static void
only_post_is_allowed(void **state)
{
    static const char *const methods[] = {"GET",     "DELETE", "PUT",
                                          "OPTIONS", "HEAD",   "post"};

    (void)state;
    for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
        peer.req.method = str_of(methods[i]);
        peer_post(&peer, "");
        assert_int_equal(peer.status, 405);
        assert_non_null(strstr(buf_cstr(&peer.extra), "allow: POST"));
    }
}

static void
only_json_is_taken(void **state)
{
    (void)state;
    assert_int_equal(ping_with("content-type", "text/plain"), 415);
    assert_int_equal(ping_with("content-type", NULL), 415);
    assert_int_equal(ping_with("content-type", "application/jsonx"), 415);
    assert_int_equal(
        ping_with("content-type", "application/json; charset=latin1"), 415);
    assert_int_equal(
        ping_with("content-type", "Application/JSON; charset=\"UTF-8\""), 200);
}

static void
accept_decides_the_form_of_the_answer(void **state)
{
    static const char *const json[] = {"application/json", "*/*",
                                       "application/*;q=0.1",
                                       "text/html, application/json", NULL};

    (void)state;
    for (size_t i = 0; i < sizeof(json) / sizeof(json[0]); i++) {
        assert_int_equal(ping_with("accept", json[i]), 200);
        assert_false(peer.is_stream);
    }
    assert_int_equal(ping_with("accept", "text/html"), 406);
    assert_int_equal(ping_with("accept", "application/json;q=0"), 406);
    assert_int_equal(ping_with("accept", "text/event-stream"), 200);
    assert_true(peer.is_stream);
    assert_non_null(peer_result(&peer));
}

static void
progress_streams_and_ends_with_the_answer(void **state)
{
    (void)state;
    peer_post(&peer, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\","
                     "\"params\":{\"name\":\"steps\",\"_meta\":{"
                     "\"progressToken\":\"t\"}}}");
    const char *body = buf_cstr(&peer.body);
    assert_true(peer.is_stream);
    assert_string_equal(buf_cstr(&peer.type), "text/event-stream");
    assert_non_null(strstr(buf_cstr(&peer.extra), "x-accel-buffering: no"));
    assert_non_null(strstr(body, "\"progressToken\":\"t\",\"progress\":1"));
    assert_null(strstr(body, "no step further"));
    assert_non_null(strstr(body, "\"message\":\"done\""));
    assert_non_null(peer_result(&peer));
    assert_int_equal(peer.answers, 1);
}

static void
progress_is_not_told_without_token_or_stream(void **state)
{
    (void)state;
    peer_post(&peer, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\","
                     "\"params\":{\"name\":\"steps\"}}");
    assert_false(peer.is_stream);
    peer_header(&peer, "accept", "application/json");
    peer_post(&peer, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\","
                     "\"params\":{\"name\":\"steps\",\"_meta\":{"
                     "\"progressToken\":\"t\"}}}");
    assert_false(peer.is_stream);
    assert_non_null(peer_result(&peer));
}

static void
malformed_messages_are_bad_requests(void **state)
{
    static const struct {
        const char *body;
        int code;
    } bad[] = {
        {"", -32700},
        {"{", -32700},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"p\xff\"}", -32700},
        {"[" PING "]", -32600},
        {"{\"id\":1,\"method\":\"ping\"}", -32600},
        {"{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}", -32600},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        peer_post(&peer, bad[i].body);
        assert_int_equal(peer.status, 400);
        assert_int_equal(peer_code(&peer), bad[i].code);
    }
}

static void
a_body_that_is_not_whole_is_refused(void **state)
{
    static const struct {
        enum request_problem problem;
        int status;
    } cases[] = {{REQUEST_TOO_LARGE, 413},
                 {REQUEST_BAD_ENCODING, 400},
                 {REQUEST_UNSUPPORTED_ENCODING, 415},
                 {REQUEST_NO_ROOM, 503},
                 {REQUEST_BAD_FRAME, 400}};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        peer.req.problem = cases[i].problem;
        peer_post(&peer, PING);
        assert_int_equal(peer.status, cases[i].status);
    }
}

static void
a_body_has_a_limit(void **state)
{
    enum { LIMIT = 4 << 20 };
    char *body = malloc(LIMIT + 2);

    (void)state;
    assert_non_null(body);
    memset(body, ' ', LIMIT + 1);
    body[LIMIT + 1] = '\0';
    memcpy(body, PING, strlen(PING));
    peer_post(&peer, body);
    assert_int_equal(peer.status, 413);
    body[LIMIT] = '\0';
    peer_post(&peer, body);
    assert_int_equal(peer.status, 200);
    free(body);
}

/* ---- headers that repeat the body ---- */

/* Sends tools/call echo with the three headers and returns the status. */
static int
call_with(const char *version, const char *method, const char *name)
{
    static const char body[] =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{"
        "\"name\":\"echo\",\"arguments\":{\"text\":\"a\"},\"_meta\":{"
        "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
        "\"io.modelcontextprotocol/clientCapabilities\":{}}}}";

    peer_header(&peer, "mcp-protocol-version", version);
    peer_header(&peer, "mcp-method", method);
    peer_header(&peer, "mcp-name", name);
    peer_post(&peer, body);
    if (peer.status != 200)
        assert_int_equal(peer_code(&peer), -32020);
    return peer.status;
}

static void
headers_must_say_what_the_body_says(void **state)
{
    static const char *const names[] = {"Echo",
                                        "ech",
                                        "echo2",
                                        "",
                                        "e cho",
                                        "\"echo\"",
                                        "=?base64?ZWNob1?=",
                                        "=?base64?ZWN!bw==?=",
                                        "=?base64?ZWNobw=?=",
                                        "echo\x01",
                                        "=?base64?ZWNobx==?=",
                                        NULL};

    (void)state;
    assert_int_equal(call_with("2026-07-28", "tools/call", "echo"), 200);
    assert_int_equal(call_with("2026-07-28", "tools/call", " \techo "), 200);
    assert_int_equal(
        call_with("2026-07-28", "tools/call", "=?base64?ZWNobw==?="), 200);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        assert_int_equal(call_with("2026-07-28", "tools/call", names[i]), 400);
    assert_int_equal(call_with("2026-07-28", "TOOLS/CALL", "echo"), 400);
    assert_int_equal(call_with("2026-07-28", "tools/list", "echo"), 400);
    assert_int_equal(call_with("2026-07-28", NULL, "echo"), 400);
    assert_int_equal(call_with("2025-11-25", "tools/call", "echo"), 400);
    assert_int_equal(call_with(NULL, "tools/call", "echo"), 400);
}

static void
a_header_given_twice_is_refused(void **state)
{
    (void)state;
    assert_int_equal(call_with("2026-07-28", "tools/call", "echo"), 200);
    peer.headers[peer.req.header_len++] =
        (struct header){STR("mcp-name"), STR("fail")};
    peer_post(&peer, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\","
                     "\"params\":{\"name\":\"echo\",\"_meta\":{"
                     "\"io.modelcontextprotocol/protocolVersion\":"
                     "\"2026-07-28\",\"io.modelcontextprotocol/"
                     "clientCapabilities\":{}}}}");
    assert_int_equal(peer.status, 400);
    assert_int_equal(peer_code(&peer), -32020);
    peer_header(&peer, "mcp-name", NULL);
    peer.headers[peer.req.header_len++] =
        (struct header){STR("host"), STR("localhost")};
    peer_post(&peer, PING);
    assert_int_equal(peer.status, 403);
}

static void
mirrored_arguments_must_match(void **state)
{
    static const struct {
        const char *header;
        const char *args;
        int status;
    } cases[] = {
        {"5", "{\"n\":5}", 200},     {"5.0", "{\"n\":5}", 200},
        {"0.1", "{\"n\":0.1}", 200}, {"6", "{\"n\":5}", 400},
        {NULL, "{\"n\":5}", 400},    {"5", "{}", 400},
        {NULL, "{}", 200},           {NULL, "{\"n\":null}", 200},
    };
    char members[128];

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        (void)snprintf(members, sizeof(members),
                       "\"name\":\"mirror\",\"arguments\":%s", cases[i].args);
        peer_header(&peer, "mcp-param-count", cases[i].header);
        peer_new(&peer, "tools/call", "mirror", members);
        assert_int_equal(peer.status, cases[i].status);
    }
}

static void
a_new_client_sends_no_responses_and_its_notifications_agree(void **state)
{
    (void)state;
    peer_header(&peer, "mcp-protocol-version", "2026-07-28");
    peer_post(&peer, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
    assert_int_equal(peer.status, 400);
    assert_int_equal(peer_code(&peer), -32600);
    peer_post(&peer, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}");
    assert_int_equal(peer.status, 400);
    peer_header(&peer, "mcp-method", "notifications/x");
    peer_post(&peer, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}");
    assert_int_equal(peer.status, 202);
}

static void
calls_under_way_have_a_limit(void **state)
{
    (void)state;
    atomic_store(&mcp->calls, MCP_CALLS_MAX - 1);
    peer_post(&peer, PING);
    assert_int_equal(peer.status, 200);
    atomic_store(&mcp->calls, MCP_CALLS_MAX);
    peer_post(&peer, PING);
    assert_int_equal(peer.status, 503);
    assert_non_null(strstr(buf_cstr(&peer.extra), "retry-after: 1"));
    assert_int_equal(atomic_load(&mcp->calls), MCP_CALLS_MAX);
    atomic_store(&mcp->calls, 0);
}

static void
questions_have_a_limit(void **state)
{
    const char *id = NULL;

    (void)state;
    for (size_t i = 0; i < PENDING_MAX; i++)
        assert_int_equal(pending_open(&mcp->pending, NULL, &id), OK);
    assert_int_equal(pending_open(&mcp->pending, NULL, &id), ERR_FULL);
    peer_old(&peer, "2025-11-25",
             "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\","
             "\"params\":{\"name\":\"ask\"}}");
    assert_true(cJSON_IsTrue(json_member(peer_result(&peer), "isError")));
}

static void
lose_connection(void)
{
    peer.req.on_cancel(peer.req.on_cancel_ctx, &peer.req);
}

static void
a_lost_connection_cancels_new_calls_and_not_old_ones(void **state)
{
    (void)state;
    peer_meanwhile = lose_connection;
    peer_new(&peer, "tools/call", "wait", "\"name\":\"wait\"");
    assert_int_equal(peer.answers, 1);
    assert_int_equal(peer.body.len, 0);
    peer_old(&peer, "2025-11-25",
             "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\","
             "\"params\":{\"name\":\"wait\"}}");
    assert_string_equal(peer_text(&peer), "{\"cancelled\":false}");
    peer_meanwhile = NULL;

    /* Afterwards there is nothing to cancel. */
    lose_connection();
    assert_int_equal(peer.answers, 1);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name)  cmocka_unit_test_setup_teardown(name, setup, teardown)
#define NAMED(name) cmocka_unit_test_setup_teardown(name, setup_named, teardown)
        TEST(only_loopback_hosts_are_served),
        TEST(only_loopback_origins_are_served),
        NAMED(configured_names_are_served_with_a_token),
        NAMED(a_token_is_needed_when_there_are_any),
        TEST(only_post_is_allowed),
        TEST(only_json_is_taken),
        TEST(accept_decides_the_form_of_the_answer),
        TEST(progress_streams_and_ends_with_the_answer),
        TEST(progress_is_not_told_without_token_or_stream),
        TEST(malformed_messages_are_bad_requests),
        TEST(a_body_that_is_not_whole_is_refused),
        TEST(a_body_has_a_limit),
        TEST(headers_must_say_what_the_body_says),
        TEST(a_header_given_twice_is_refused),
        TEST(mirrored_arguments_must_match),
        TEST(a_new_client_sends_no_responses_and_its_notifications_agree),
        TEST(calls_under_way_have_a_limit),
        TEST(questions_have_a_limit),
        TEST(a_lost_connection_cancels_new_calls_and_not_old_ones),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
