/*
 * Two tools without the protocol: arguments in, structured content out.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mcp/json.h"
#include "tests/support/mcp_peer.h"

static struct mcp *mcp;
static struct peer peer;

/* Answers what it was asked, or fails if that was `fail`. */
static cJSON *
search(void *ctx, struct mcp_call *call, const cJSON *args)
{
    (void)ctx;
    if (strcmp(json_text(args, "query"), "fail") == 0) {
        mcp_fail(call, "it failed");
        return NULL;
    }
    if (strcmp(json_text(args, "query"), "gone") == 0)
        peer.req.on_cancel(peer.req.on_cancel_ctx, &peer.req);
    mcp_progress(call, 1, 2, "half");
    return cJSON_Duplicate(args, true);
}

static const struct mcp_tool tools[] = {{
    .name = "search",
    .description = "Find",
    .input_schema = "{\"type\":\"object\",\"required\":[\"query\"],"
                    "\"properties\":{\"query\":{\"type\":\"string\"},"
                    "\"maxNodes\":{\"type\":\"integer\",\"default\":7}},"
                    "\"additionalProperties\":false}",
    .fn = search,
}};
static const struct mcp_offer offer = {
    .name = "rest", .version = "1", .tools = tools, .tool_len = 1};

static int
start(const struct mcp_cfg *cfg)
{
    if (mcp_new(&mcp, &offer, cfg))
        return -1;
    peer_init(&peer, mcp);
    peer.req.path = STR("/api/search");
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
setup_token(void **state)
{
    static const char *const tokens[] = {"secret"};
    static const struct mcp_cfg cfg = {.tokens = tokens, .token_len = 1};

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

static void
expect(const char *body, int status, const char *words)
{
    peer_post(&peer, body);
    assert_int_equal(peer.answers, 1);
    assert_false(peer.is_stream);
    assert_int_equal(peer.status, status);
    if (!strstr(buf_cstr(&peer.body), words))
        fail_msg("%s: no %s in %s", body, words, buf_cstr(&peer.body));
}

static void
the_answer_is_the_content_alone(void **state)
{
    (void)state;
    expect("{\"query\":\"x\"}", 200, "{\"query\":\"x\",\"maxNodes\":7}");
    expect("{\"query\":\"x\",\"max_nodes\":2}", 200, "\"maxNodes\":2");
}

static void
what_is_wrong_is_told_by_the_status(void **state)
{
    (void)state;
    expect("{\"query\":\"fail\"}", 400, "{\"error\":\"it failed\"}");
    expect("{}", 400, "query");
    expect("{\"query\":1}", 400, "query");
    expect("{\"query\":\"x\",\"nix\":1}", 400, "unknown");
    expect("[1]", 400, "object");
    expect("{\"query\":\"x\"}},\"id\":{", 400, "error");
    expect("", 400, "error");
    expect("{\"query\":\"gone\"}", 200, "gone"); /* to nobody, and once */
    peer.req.path = STR("/api/search/explore");
    expect("{}", 404, "explore");
}

static void
a_body_is_taken_up_to_its_limit(void **state)
{
    struct buf body = {0};

    (void)state;
    for (int over = 0; over < 2; over++) {
        size_t len = (64 << 10) - strlen("{\"query\":\"\"}") + (size_t)over;

        buf_reset(&body);
        buf_add(&body, STR("{\"query\":\""));
        for (size_t i = 0; i < len; i++)
            buf_add_char(&body, 'x');
        buf_add(&body, STR("\"}"));
        expect(buf_cstr(&body), over ? 413 : 200, over ? "64 KiB" : "xxx");
    }
    buf_fini(&body);
}

static void
who_may_not_ask_is_not_answered(void **state)
{
    (void)state;
    expect("{\"query\":\"x\"}", 401, "token");
    peer_header(&peer, "authorization", "Bearer secret");
    expect("{\"query\":\"x\"}", 200, "\"x\"");
    peer_header(&peer, "host", "evil.example.com");
    expect("{\"query\":\"x\"}", 403, "Host");
    peer_header(&peer, "host", "localhost");
    peer.req.method = STR("GET");
    expect("", 405, "POST");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_answer_is_the_content_alone, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(what_is_wrong_is_told_by_the_status,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(a_body_is_taken_up_to_its_limit, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(who_may_not_ask_is_not_answered,
                                        setup_token, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
