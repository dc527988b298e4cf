/*
 * Calls that nobody waits for: what only reads ends, what writes goes on.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "mcp/call.h"
#include "mcp/stdio.h"
#include "mcp/tools_parts.h"
#include "tests/support/mcp_peer.h"
#include "tests/support/tool_shop.h"

static struct mcp *mcp;
static struct mcp_call call;

static int
setup(void **state)
{
    const struct mcp_cfg cfg = {.reply_bytes = 1 << 20, .answer_ms = 60000};

    tool_shop_open(state);
    assert_int_equal(mcp_new(&mcp, &peer_offer, &cfg), OK);
    call = (struct mcp_call){.mcp = mcp, .begun_ns = clock_mono_ns()};
    return 0;
}

static int
teardown(void **state)
{
    mcp_stop(mcp);
    mcp_free(mcp);
    return tool_shop_close(state);
}

static enum err
run(const char *name, struct buf *why)
{
    cJSON *args = cJSON_Parse(tool_find(name)->example);
    cJSON *out = NULL;
    enum err err =
        tool_run_call(tool_shop.tools, tool_find(name), &call, args, &out, why);

    cJSON_Delete(args);
    cJSON_Delete(out);
    return err;
}

static void
a_call_is_over_once_it_has_had_its_time(void **state)
{
    (void)state;
    assert_false(mcp_is_over(&call));
    call.begun_ns = clock_mono_ns() - 59 * NS_PER_S;
    assert_false(mcp_is_over(&call));
    call.begun_ns = clock_mono_ns() - 60 * NS_PER_S;
    assert_true(mcp_is_over(&call));
}

/* Also before 2026-07-28, where only what it does goes on. */
static void
it_is_over_when_its_client_has_gone(void **state)
{
    (void)state;
    call.rev = REV_2025_11_25;
    atomic_store(&call.gone, true);
    assert_true(mcp_is_over(&call));
    assert_false(mcp_is_cancelled(&call));
    atomic_store(&call.gone, false);
    atomic_store(&call.cancelled, true);
    assert_true(mcp_is_over(&call));
}

static void
what_reads_is_refused_with_what_to_do(void **state)
{
    static const char *const names[] = {"trace_stats", "service_map",
                                        "dead_routes", "who_calls", "explain"};
    struct buf why = {0};

    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        assert_int_equal(run(names[i], &why), OK);
        call.begun_ns = 0;
        assert_int_equal(run(names[i], &why), ERR_CANCELLED);
        assert_non_null(strstr(buf_cstr(&why), names[i]));
        assert_non_null(strstr(buf_cstr(&why), "query.timeout"));
        assert_non_null(strstr(buf_cstr(&why), "ask for less"));
        call.begun_ns = clock_mono_ns();
        buf_reset(&why);
    }
    buf_fini(&why);
}

/* It says that there is no knowledge here, not that its time is over. */
static void
what_writes_is_not_stopped(void **state)
{
    struct buf why = {0};

    (void)state;
    call.begun_ns = 0;
    assert_true(tool_find("manage")->writes);
    (void)run("manage", &why);
    assert_null(strstr(buf_cstr(&why), "query.timeout"));
    buf_fini(&why);
}

/* A text of as many bytes as are read, and one more. */
static void
a_text_is_read_up_to_its_bound(void **state)
{
    static char args[TOOLS_TEXT_BYTES + 64];
    struct buf why = {0};
    cJSON *out = NULL;

    (void)state;
    for (int more = 0; more < 2; more++) {
        int len = snprintf(args, sizeof(args), "{\"prefix\":\"");
        memset(args + len, 'x', (size_t)TOOLS_TEXT_BYTES + (size_t)more);
        memcpy(args + len + TOOLS_TEXT_BYTES + more, "\"}", 3);
        cJSON *json = cJSON_Parse(args);
        enum err err =
            tools_call(tool_shop.tools, "graph_query", json, &out, &why);
        assert_int_equal(err, more ? ERR_INVALID : OK);
        cJSON_Delete(json);
        cJSON_Delete(out);
    }
    assert_string_equal(buf_cstr(&why), "argument 'prefix' has 200001 bytes; "
                                        "at most 200000 are read");
    buf_fini(&why);
}

/* |revision| is what initialize asks for.  Its end is there before the first
 * call runs, as with a pipe. */
static void
ask_through_a_pipe(const char *revision, FILE *out)
{
    static const char *const rest[] = {
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\","
        "\"params\":{\"name\":\"trace_stats\"}}",
    };
    char first[160];
    struct mcp *shop = NULL;
    struct stdio s;
    const struct mcp_cfg cfg = {.reply_bytes = 1 << 20, .answer_ms = 60000};

    assert_int_equal(mcp_new(&shop, tools_offer(tool_shop.tools), &cfg), OK);
    stdio_init(&s, shop, fileno(out));
    (void)snprintf(first, sizeof(first),
                   "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\","
                   "\"params\":{\"protocolVersion\":\"%s\"}}",
                   revision);
    stdio_take(&s, str_of(first));
    for (size_t i = 0; i < sizeof(rest) / sizeof(rest[0]); i++)
        stdio_take(&s, str_of(rest[i]));
    stdio_end(&s, false);
    while (stdio_run_next(&s, true))
        ;
    stdio_fini(&s);
    mcp_stop(shop);
    mcp_free(shop);
}

/* The end of the input says that it asks no more, not that it has gone. */
static void
a_client_on_a_pipe_is_answered_after_its_last_word(void **state)
{
    static const char *const revisions[] = {"2025-11-25", "2024-11-05"};
    static char line[1 << 18];

    (void)state;
    for (size_t i = 0; i < sizeof(revisions) / sizeof(revisions[0]); i++) {
        FILE *out = tmpfile();
        assert_non_null(out);
        ask_through_a_pipe(revisions[i], out);
        rewind(out);
        assert_non_null(fgets(line, sizeof(line), out));
        assert_non_null(strstr(line, revisions[i]));
        assert_non_null(fgets(line, sizeof(line), out));
        assert_non_null(strstr(line, "\"id\":2"));
        assert_null(strstr(line, "isError"));
        assert_non_null(strstr(line, "summary"));
        assert_null(fgets(line, sizeof(line), out));
        (void)fclose(out);
    }
}

#define OVER(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        OVER(a_call_is_over_once_it_has_had_its_time),
        OVER(it_is_over_when_its_client_has_gone),
        OVER(a_client_on_a_pipe_is_answered_after_its_last_word),
        OVER(what_reads_is_refused_with_what_to_do),
        OVER(what_writes_is_not_stopped),
        OVER(a_text_is_read_up_to_its_bound),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
