/*
 * The bounds of sessions over /sse: how many there are, how much they carry,
 * and how they end.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "mcp/state.h"
#include "tests/support/sse_rig.h"

static void
sessions_have_a_limit_and_their_room_is_used_again(void **state)
{
    static struct sse_client clients[SSE_MAX + 1];

    (void)state;
    for (size_t i = 0; i <= SSE_MAX; i++) {
        sse_client_init(&clients[i]);
        assert_int_equal(sse_client_open(&clients[i]), i < SSE_MAX);
    }
    assert_int_equal(clients[SSE_MAX].stream.status, 503);
    assert_null(
        strstr(buf_cstr(&clients[SSE_MAX].stream.extra), "retry-after"));
    sse_client_go(&clients[3]);
    assert_int_equal(clients[3].stream.answers, 1);
    assert_true(sse_client_open(&clients[SSE_MAX]));
    assert_int_equal(sse_client_post(&clients[3], SSE_MESSAGE("1", "ping", "")),
                     404);
    assert_int_equal(
        sse_client_post(&clients[SSE_MAX], SSE_MESSAGE("1", "ping", "")), 202);
    mcp_stop(sse.mcp);
    for (size_t i = 0; i <= SSE_MAX; i++) {
        assert_int_equal(clients[i].stream.answers, 1);
        sse_client_fini(&clients[i]);
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
    peer_init(&poster, sse.mcp);
    poster.req.path = STR("/sse");
    poster.req.query = str_of(sse.client.query);
    peer_post(&poster, SSE_CALL("1", "wait", ""));
    if (poster.status != 202)
        refused = poster.status;
    peer_fini(&poster);
}

static void
calls_of_a_session_have_a_limit(void **state)
{
    (void)state;
    assert_true(sse_client_open(&sse.client));
    depth = 0;
    refused = 0;
    peer_meanwhile = ask_more;
    assert_int_equal(sse_client_post(&sse.client, SSE_CALL("1", "wait", "")),
                     202);
    assert_int_equal(depth, SSE_CALLS_MAX);
    assert_int_equal(refused, 503);
    peer_meanwhile = NULL;
    assert_int_equal(sse_client_post(&sse.client, SSE_CALL("2", "wait", "")),
                     202);
    assert_true(sse_client_got(&sse.client, "\"id\":2"));
}

static void
an_answer_larger_than_a_stream_carries_is_an_error(void **state)
{
    (void)state;
    assert_true(sse_client_open(&sse.client));
    sse_client_post(&sse.client, SSE_CALL("1", "large", "\"bytes\":1000000"));
    (void)sse_client_last(&sse.client);
    assert_int_equal(peer_code(&sse.client.stream), -32603);
    assert_int_equal(sse.client.stream.answers, 0);
    sse_client_post(&sse.client, SSE_CALL("2", "large", "\"bytes\":400000"));
    (void)sse_client_last(&sse.client);
    assert_int_equal(peer_code(&sse.client.stream), 0);
}

/* ---- the end of a session ---- */

static void
a_client_that_does_not_read_loses_its_session(void **state)
{
    (void)state;
    assert_true(sse_client_open(&sse.client));
    sse.client.stream.is_gone = true;
    assert_int_equal(sse_client_post(&sse.client, SSE_CALL("1", "steps", "")),
                     202);
    assert_int_equal(sse.client.stream.answers, 1);
    assert_int_equal(sse_client_post(&sse.client, SSE_MESSAGE("2", "ping", "")),
                     404);
    sse.client.stream.is_gone = false;
    assert_true(sse_client_open(&sse.client));
    sse.client.stream.is_gone = true;
    sse_check(&sse.mcp->sse, clock_mono_ns());
    assert_int_equal(sse.client.stream.answers, 1);
}

static void
leave(void)
{
    sse_client_go(&sse.client);
}

static void
what_a_client_that_goes_has_asked_is_cancelled(void **state)
{
    (void)state;
    assert_true(sse_client_open(&sse.client));
    size_t len = sse.client.stream.body.len;
    peer_meanwhile = leave;
    assert_int_equal(sse_client_post(&sse.client, SSE_CALL("1", "wait", "")),
                     202);
    assert_int_equal(sse.client.stream.answers, 1);
    assert_int_equal(sse.client.stream.body.len, len);
    peer_meanwhile = NULL;
    assert_true(sse_client_open(&sse.client));
    assert_int_equal(sse_client_post(&sse.client, SSE_MESSAGE("1", "ping", "")),
                     202);
    assert_true(sse_client_got(&sse.client, "\"result\":{}"));
}

static void
call_it_off(void)
{
    struct peer poster;

    peer_init(&poster, sse.mcp);
    poster.req.path = STR("/sse");
    poster.req.query = str_of(sse.client.query);
    peer_post(&poster, "{\"jsonrpc\":\"2.0\",\"method\":"
                       "\"notifications/cancelled\",\"params\":{"
                       "\"requestId\":1732762018123456789}}");
    peer_fini(&poster);
}

static void
a_cancelled_call_is_not_answered(void **state)
{
    (void)state;
    assert_true(sse_client_open(&sse.client));
    peer_meanwhile = call_it_off;
    assert_int_equal(
        sse_client_post(&sse.client,
                        SSE_CALL("1732762018123456789", "wait", "")),
        202);
    assert_false(sse_client_got(&sse.client, "1732762018123456789"));
    assert_int_equal(
        sse_client_post(&sse.client, SSE_CALL("\"two\"", "wait", "")), 202);
    assert_true(sse_client_got(&sse.client, "\"two\""));
}

static uint64_t
idle_at(void)
{
    return clock_mono_ns() + SSE_RIG_IDLE_MS * NS_PER_MS;
}

static void
check_idle(void)
{
    sse_check(&sse.mcp->sse, idle_at());
}

static void
a_session_that_asks_nothing_ends(void **state)
{
    (void)state;
    assert_true(sse_client_open(&sse.client));
    sse_check(&sse.mcp->sse, idle_at() - 30 * NS_PER_S);
    assert_true(sse_client_got(&sse.client, ":\n\n"));
    assert_int_equal(sse.client.stream.answers, 0);
    /* What is still under way is no idleness. */
    peer_meanwhile = check_idle;
    sse_client_post(&sse.client, SSE_CALL("1", "wait", ""));
    assert_int_equal(sse.client.stream.answers, 0);
    assert_true(sse_client_got(&sse.client, "\"id\":1"));
    sse_check(&sse.mcp->sse, idle_at());
    assert_int_equal(sse.client.stream.answers, 1);
    assert_int_equal(sse_client_post(&sse.client, SSE_MESSAGE("2", "ping", "")),
                     404);
}

static void
stop(void)
{
    mcp_stop(sse.mcp);
    assert_int_equal(sse.client.stream.answers, 0);
}

static void
a_stop_lets_answers_through_and_ends_all(void **state)
{
    struct sse_client other;

    (void)state;
    sse_client_init(&other);
    assert_true(sse_client_open(&sse.client));
    assert_true(sse_client_open(&other));
    peer_meanwhile = stop;
    sse_client_post(&sse.client, SSE_CALL("1", "wait", ""));
    assert_int_equal(other.stream.answers, 1);
    assert_int_equal(sse.client.stream.answers, 1);
    assert_true(sse_client_got(&sse.client, "\"id\":1"));
    assert_int_equal(sse_client_post(&sse.client, SSE_MESSAGE("2", "ping", "")),
                     404);
    assert_false(sse_client_open(&other));
    assert_int_equal(other.stream.status, 503);
    sse_client_fini(&other);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        SSE_TEST(sessions_have_a_limit_and_their_room_is_used_again),
        SSE_TEST(calls_of_a_session_have_a_limit),
        SSE_TEST(an_answer_larger_than_a_stream_carries_is_an_error),
        SSE_TEST(a_client_that_does_not_read_loses_its_session),
        SSE_TEST(what_a_client_that_goes_has_asked_is_cancelled),
        SSE_TEST(a_cancelled_call_is_not_answered),
        SSE_TEST(a_session_that_asks_nothing_ends),
        SSE_TEST(a_stop_lets_answers_through_and_ends_all),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
