/*
 * A tools/call that is answered with what is kept: only when nothing could be
 * another answer, and never to somebody else's question.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/metrics.h"
#include "mcp/call.h"
#include "mcp/json.h"
#include "tests/support/mcp_peer.h"

#define ARGS                                                               \
    "{\"type\":\"object\",\"properties\":{\"what\":{\"type\":\"string\"}," \
    "\"max_rows\":{\"type\":\"integer\",\"default\":3}},"                  \
    "\"additionalProperties\":false}"

static struct mcp *mcp;
static struct peer peer;
static uint64_t version;
static unsigned runs; /* of any tool */
static bool changes_meanwhile;
static bool leaves_meanwhile; /* who asks */

static cJSON *
answer(void *ctx, struct mcp_call *call, const cJSON *args)
{
    const char *what = json_text(args, "what");
    cJSON *out = cJSON_CreateObject();

    (void)ctx;
    runs++;
    if (changes_meanwhile)
        version++;
    if (leaves_meanwhile)
        atomic_store(&call->gone, true);
    if (what && strcmp(what, "fail") == 0)
        mcp_fail(call, "it failed");
    cJSON_AddStringToObject(out, "what", what ? what : "none");
    cJSON_AddNumberToObject(out, "run", runs);
    return out;
}

static uint64_t
version_of(void *ctx)
{
    (void)ctx;
    return version;
}

static const struct mcp_tool tools[] = {
    {.name = "read",
     .description = "Reads",
     .input_schema = ARGS,
     .read_only = true,
     .may_keep = true,
     .fn = answer},
    {.name = "other",
     .description = "Reads, too",
     .input_schema = ARGS,
     .read_only = true,
     .may_keep = true,
     .fn = answer},
    {.name = "watch",
     .description = "Reads what nobody can tell the version of",
     .input_schema = ARGS,
     .read_only = true,
     .fn = answer},
    {.name = "write",
     .description = "Writes",
     .input_schema = ARGS,
     .fn = answer},
};
static const struct mcp_offer offer = {
    .name = "kept",
    .version = "1",
    .tools = tools,
    .tool_len = sizeof(tools) / sizeof(tools[0]),
    .data_version = version_of,
};

static int
start(const struct mcp_offer *of, const struct mcp_cfg *cfg)
{
    runs = 0;
    changes_meanwhile = false;
    leaves_meanwhile = false;
    if (mcp_new(&mcp, of, cfg))
        return -1;
    peer_init(&peer, mcp);
    return 0;
}

static int
setup(void **state)
{
    (void)state;
    return start(&offer, &(struct mcp_cfg){.kept_bytes = 1 << 20});
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
ask_as(const char *revision, const char *tool, const char *id,
       const char *params)
{
    char body[512];

    (void)snprintf(body, sizeof(body),
                   "{\"jsonrpc\":\"2.0\",\"id\":%s,\"method\":\"tools/call\","
                   "\"params\":{\"name\":\"%s\"%s}}",
                   id, tool, params);
    peer_old(&peer, revision, body);
    assert_int_equal(peer.answers, 1);
}

static void
ask(const char *tool, const char *params)
{
    ask_as("2025-11-25", tool, "1", params);
    assert_int_equal(peer.status, 200);
}

/* Asks, and says which run it was that answered. */
static int
run_of(const char *tool, const char *params)
{
    ask(tool, params);
    return (int)cJSON_GetNumberValue(json_member(
        json_member(peer_result(&peer), "structuredContent"), "run"));
}

static void
the_same_question_is_answered_without_a_run(void **state)
{
    int64_t before = metrics_get(METRIC_MCP_KEPT);
    char first[1024];

    (void)state;
    assert_int_equal(run_of("read", ",\"arguments\":{\"what\":\"x\"}"), 1);
    (void)snprintf(first, sizeof(first), "%s", buf_cstr(&peer.body));
    assert_int_equal(run_of("read", ",\"arguments\":{\"what\":\"x\"}"), 1);
    assert_string_equal(buf_cstr(&peer.body), first);
    assert_int_equal(metrics_get(METRIC_MCP_KEPT) - before, 1);
    /* The id is the caller's, whatever it is. */
    ask_as("2025-11-25", "read", "\"a\\\"b\"",
           ",\"arguments\":{\"what\":\"x\"},\"_meta\":{\"progressToken\":7}");
    assert_non_null(strstr(buf_cstr(&peer.body), "\"id\":\"a\\\"b\""));
    assert_int_equal(runs, 1);
}

static void
names_are_spelt_alike_and_in_any_order(void **state)
{
    (void)state;
    assert_int_equal(
        run_of("read", ",\"arguments\":{\"what\":\"x\",\"max_rows\":2}"), 1);
    assert_int_equal(
        run_of("read", ",\"arguments\":{\"maxRows\":2,\"what\":\"x\"}"), 1);
    assert_int_equal(run_of("read", ""), 2);
    assert_int_equal(run_of("read", ",\"arguments\":null"), 2);
    assert_int_equal(run_of("read", ",\"arguments\":{}"), 2);
}

static void
other_arguments_and_other_tools_are_other_questions(void **state)
{
    (void)state;
    assert_int_equal(run_of("read", ",\"arguments\":{\"what\":\"x\"}"), 1);
    assert_int_equal(run_of("read", ",\"arguments\":{\"what\":\"y\"}"), 2);
    assert_int_equal(run_of("other", ",\"arguments\":{\"what\":\"x\"}"), 3);
    assert_int_equal(run_of("read", ",\"arguments\":{\"what\":\"x\"}"), 1);
}

static void
revisions_do_not_mix(void **state)
{
    (void)state;
    ask_as("2025-03-26", "read", "1", "");
    assert_null(strstr(buf_cstr(&peer.body), "structuredContent"));
    ask_as("2025-11-25", "read", "1", "");
    assert_non_null(strstr(buf_cstr(&peer.body), "structuredContent"));
    assert_null(strstr(buf_cstr(&peer.body), "resultType"));
    for (int i = 0; i < 2; i++) {
        peer_new(&peer, "tools/call", "read", "\"name\":\"read\"");
        assert_int_equal(peer.status, 200);
        assert_string_equal(json_text(peer_result(&peer), "resultType"),
                            "complete");
    }
    assert_int_equal(runs, 3);
    ask_as("2025-03-26", "read", "1", "");
    assert_null(strstr(buf_cstr(&peer.body), "structuredContent"));
    assert_int_equal(runs, 3);
}

static void
another_version_of_the_data_is_another_answer(void **state)
{
    (void)state;
    assert_int_equal(run_of("read", ""), 1);
    version++;
    assert_int_equal(run_of("read", ""), 2);
    assert_int_equal(run_of("read", ""), 2);
    /* What changes while it is answered leaves nothing to find. */
    changes_meanwhile = true;
    version++;
    assert_int_equal(run_of("read", ""), 3);
    assert_int_equal(run_of("read", ""), 4);
}

/* Who asks the same later gets an answer of its own, and a whole one. */
static void
who_leaves_leaves_nothing_to_others(void **state)
{
    (void)state;
    leaves_meanwhile = true;
    ask_as("2025-11-25", "read", "1", "");
    leaves_meanwhile = false;
    assert_int_equal(run_of("read", ""), 2);
    assert_int_equal(run_of("read", ""), 2);
}

static void
what_was_written_here_is_seen_at_once(void **state)
{
    (void)state;
    assert_int_equal(run_of("read", ""), 1);
    assert_int_equal(run_of("write", ""), 2);
    assert_int_equal(run_of("read", ""), 3);
    assert_int_equal(run_of("read", ""), 3);
}

static void
tools_with_effects_and_failures_are_run_each_time(void **state)
{
    (void)state;
    assert_int_equal(run_of("write", ""), 1);
    assert_int_equal(run_of("write", ""), 2);
    assert_int_equal(run_of("watch", ""), 3);
    assert_int_equal(run_of("watch", ""), 4);
    for (unsigned i = 5; i < 7; i++) {
        ask("read", ",\"arguments\":{\"what\":\"fail\"}");
        assert_true(cJSON_IsTrue(json_member(peer_result(&peer), "isError")));
        assert_int_equal(runs, i);
    }
}

static void
what_cannot_be_asked_is_refused_as_ever(void **state)
{
    (void)state;
    assert_int_equal(run_of("read", ""), 1);
    ask("read", ",\"arguments\":{\"what\":7}");
    assert_true(cJSON_IsTrue(json_member(peer_result(&peer), "isError")));
    ask("read", ",\"arguments\":7");
    assert_int_equal(peer_code(&peer), -32602);
    ask("read", ",\"name\":\"other\"");
    assert_int_equal(peer_code(&peer), -32602);
    ask("read", ",\"arguments\":{},\"arguments\":{\"what\":\"x\"}");
    assert_int_equal(peer_code(&peer), -32602);
    ask("reed", "");
    assert_int_equal(peer_code(&peer), -32602);
    assert_int_equal(runs, 1);
}

static void
who_may_not_ask_gets_no_kept_answer(void **state)
{
    static const char *const tokens[] = {"secret", "second"};
    static const struct mcp_cfg cfg = {
        .kept_bytes = 1 << 20, .tokens = tokens, .token_len = 2};

    (void)state;
    assert_int_equal(start(&offer, &cfg), 0);
    peer_header(&peer, "authorization", "Bearer secret");
    assert_int_equal(run_of("read", ""), 1);
    peer_header(&peer, "authorization", "Bearer guess");
    ask_as("2025-11-25", "read", "1", "");
    assert_int_equal(peer.status, 401);
    peer_header(&peer, "authorization", NULL);
    ask_as("2025-11-25", "read", "1", "");
    assert_int_equal(peer.status, 401);
    peer_header(&peer, "authorization", "Bearer second");
    assert_int_equal(run_of("read", ""), 1);
    peer_header(&peer, "host", "evil.example.com");
    ask_as("2025-11-25", "read", "1", "");
    assert_int_equal(peer.status, 403);
}

static void
another_set_of_tools_keeps_its_own(void **state)
{
    struct mcp_offer fewer = offer;
    struct mcp *all = NULL;

    (void)state;
    assert_int_equal(
        mcp_new(&all, &offer, &(struct mcp_cfg){.kept_bytes = 1 << 20}), OK);
    fewer.tool_len = 1;
    assert_int_equal(start(&fewer, &(struct mcp_cfg){.kept_bytes = 1 << 20}),
                     0);
    peer.mcp = all;
    assert_int_equal(run_of("other", ""), 1);
    peer.mcp = mcp;
    ask("other", "");
    assert_int_equal(peer_code(&peer), -32602);
    assert_int_equal(run_of("read", ""), 2);
    mcp_free(all);
}

static void
nothing_is_kept_unless_asked_for_and_known_to_be_good(void **state)
{
    struct mcp_offer unknown = offer;

    (void)state;
    assert_int_equal(start(&offer, &(struct mcp_cfg){0}), 0);
    assert_int_equal(run_of("read", ""), 1);
    assert_int_equal(run_of("read", ""), 2);
    teardown(NULL);
    unknown.data_version = NULL;
    assert_int_equal(start(&unknown, &(struct mcp_cfg){.kept_bytes = 1 << 20}),
                     0);
    assert_int_equal(run_of("read", ""), 1);
    assert_int_equal(run_of("read", ""), 2);
}

static void
an_answer_larger_than_the_room_is_made_each_time(void **state)
{
    (void)state;
    assert_int_equal(start(&offer, &(struct mcp_cfg){.kept_bytes = 64}), 0);
    assert_int_equal(run_of("read", ""), 1);
    assert_int_equal(run_of("read", ""), 2);
}

int
main(void)
{
    const struct CMUnitTest all[] = {
        cmocka_unit_test_setup_teardown(
            the_same_question_is_answered_without_a_run, setup, teardown),
        cmocka_unit_test_setup_teardown(names_are_spelt_alike_and_in_any_order,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(
            other_arguments_and_other_tools_are_other_questions, setup,
            teardown),
        cmocka_unit_test_setup_teardown(revisions_do_not_mix, setup, teardown),
        cmocka_unit_test_setup_teardown(
            another_version_of_the_data_is_another_answer, setup, teardown),
        cmocka_unit_test_setup_teardown(who_leaves_leaves_nothing_to_others,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(what_was_written_here_is_seen_at_once,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(
            tools_with_effects_and_failures_are_run_each_time, setup, teardown),
        cmocka_unit_test_setup_teardown(what_cannot_be_asked_is_refused_as_ever,
                                        setup, teardown),
        cmocka_unit_test_teardown(who_may_not_ask_gets_no_kept_answer,
                                  teardown),
        cmocka_unit_test_teardown(another_set_of_tools_keeps_its_own, teardown),
        cmocka_unit_test_teardown(
            nothing_is_kept_unless_asked_for_and_known_to_be_good, teardown),
        cmocka_unit_test_teardown(
            an_answer_larger_than_the_room_is_made_each_time, teardown),
    };

    return cmocka_run_group_tests(all, NULL, NULL);
}
