#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mcp/json.h"
#include "mcp/listen.h"
#include "tests/support/mcp_peer.h"

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

static const cJSON *
at(const cJSON *object, const char *first, const char *second)
{
    return json_member(json_member(object, first), second);
}

static void
a_subscription_is_acknowledged_told_and_ended(void **state)
{
    struct peer other;

    (void)state;
    peer_init(&other, mcp);
    peer_new(&peer, "subscriptions/listen", NULL,
             "\"notifications\":{\"toolsListChanged\":true}");
    assert_true(peer.is_stream);
    assert_int_equal(peer.answers, 0);
    const cJSON *params = json_member(peer_json(&peer), "params");
    assert_string_equal(json_text(peer_json(&peer), "method"),
                        "notifications/subscriptions/acknowledged");
    assert_true(cJSON_IsTrue(at(params, "notifications", "toolsListChanged")));
    assert_int_equal(
        at(params, "_meta", "io.modelcontextprotocol/subscriptionId")->valueint,
        1);
    peer_new(&other, "tools/call", "change", "\"name\":\"change\"");
    assert_non_null(
        strstr(buf_cstr(&peer.body), "notifications/tools/list_changed"));
    mcp_stop(mcp);
    assert_int_equal(peer.answers, 1);
    cJSON_Delete(peer.json);
    peer.json = NULL;
    assert_string_equal(json_text(peer_result(&peer), "resultType"),
                        "complete");
    peer_new(&other, "subscriptions/listen", NULL, "\"notifications\":{}");
    assert_int_equal(other.status, 503);
    peer_fini(&other);
}

static void
a_subscription_is_told_only_what_it_wants(void **state)
{
    struct peer other;

    (void)state;
    peer_init(&other, mcp);
    peer_new(&peer, "subscriptions/listen", NULL,
             "\"notifications\":{\"promptsListChanged\":true,"
             "\"toolsListChanged\":false}");
    peer_new(&other, "tools/call", "change", "\"name\":\"change\"");
    assert_null(strstr(buf_cstr(&peer.body), "tools/list_changed"));
    peer.req.on_cancel(peer.req.on_cancel_ctx, &peer.req);
    assert_int_equal(peer.answers, 1);
    peer_new(&other, "subscriptions/listen", NULL, "\"notifications\":1");
    assert_int_equal(peer_code(&other), -32602);
    peer_fini(&other);
}

static void
a_subscriber_that_does_not_read_is_dropped(void **state)
{
    struct peer other;

    (void)state;
    peer_init(&other, mcp);
    peer_new(&peer, "subscriptions/listen", NULL,
             "\"notifications\":{\"toolsListChanged\":true}");
    peer.is_gone = true;
    peer_new(&other, "tools/call", "change", "\"name\":\"change\"");
    assert_int_equal(peer.answers, 1);
    peer_new(&other, "tools/call", "change", "\"name\":\"change\"");
    assert_int_equal(peer.answers, 1);
    peer_fini(&other);
}

static void
subscriptions_have_a_limit(void **state)
{
    static struct peer peers[LISTEN_MAX + 1];

    (void)state;
    for (size_t i = 0; i <= LISTEN_MAX; i++) {
        peer_init(&peers[i], mcp);
        peer_new(&peers[i], "subscriptions/listen", NULL,
                 "\"notifications\":{\"toolsListChanged\":true}");
        assert_int_equal(peers[i].is_stream, i < LISTEN_MAX);
    }
    assert_int_equal(peers[LISTEN_MAX].status, 503);
    mcp_stop(mcp);
    for (size_t i = 0; i <= LISTEN_MAX; i++) {
        assert_int_equal(peers[i].answers, 1);
        peer_fini(&peers[i]);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
        TEST(a_subscription_is_acknowledged_told_and_ended),
        TEST(a_subscription_is_told_only_what_it_wants),
        TEST(a_subscriber_that_does_not_read_is_dropped),
        TEST(subscriptions_have_a_limit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
