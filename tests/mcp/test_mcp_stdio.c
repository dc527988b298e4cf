#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "base/clock.h"
#include "mcp/json.h"
#include "mcp/stdio.h"
#include "tests/support/mcp_peer.h"

#define OLD(id, method, rest) \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"" method "\"" rest "}\n"
#define META                                                                 \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"," \
    "\"io.modelcontextprotocol/clientCapabilities\":{}}"
#define NEW(id, method, rest) OLD(id, method, ",\"params\":{" rest META "}")
#define NOTICE(method, rest) \
    "{\"jsonrpc\":\"2.0\",\"method\":\"" method "\"" rest "}\n"
#define INITIALIZE(version) \
    OLD("0", "initialize", ",\"params\":{\"protocolVersion\":\"" version "\"}")

enum { LINES_MAX = 32 };

static struct mcp *mcp;
static struct buf output;
static cJSON *lines[LINES_MAX];
static size_t line_len;

static int
setup(void **state)
{
    static const struct mcp_cfg cfg = {0};

    (void)state;
    peer_meanwhile = NULL;
    return mcp_new(&mcp, &peer_offer, &cfg) ? -1 : 0;
}

static void
forget_lines(void)
{
    for (size_t i = 0; i < line_len; i++)
        cJSON_Delete(lines[i]);
    line_len = 0;
    buf_fini(&output);
}

static int
teardown(void **state)
{
    (void)state;
    forget_lines();
    mcp_free(mcp);
    return 0;
}

static int
temporary_file(void)
{
    FILE *file = tmpfile();

    assert_non_null(file);
    int fd = dup(fileno(file));
    (void)fclose(file);
    assert_true(fd >= 0);
    return fd;
}

/* Every line that is written must be one JSON object. */
static void
read_lines(int fd)
{
    char chunk[4096];
    ssize_t len = 0;

    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    while ((len = read(fd, chunk, sizeof(chunk))) > 0)
        buf_add(&output, (str){chunk, (size_t)len});
    char *text = buf_grow(&output, 1);
    *text = '\0';
    text = output.ptr;
    while (*text) {
        char *end = strchr(text, '\n');
        assert_non_null(end);
        *end = '\0';
        lines[line_len] = cJSON_Parse(text);
        assert_true(cJSON_IsObject(lines[line_len]));
        assert_true(++line_len < LINES_MAX);
        text = end + 1;
    }
}

/* Sends |input|, and then its end; what comes back is in |lines|. */
static void
converse(str input)
{
    int in = temporary_file();
    int out = temporary_file();

    forget_lines();
    while (input.len) {
        ssize_t len = write(in, input.ptr, input.len);
        assert_true(len > 0);
        input = str_cut(input, (size_t)len, input.len);
    }
    assert_int_equal(lseek(in, 0, SEEK_SET), 0);
    assert_int_equal(mcp_stdio_run(mcp, in, out), OK);
    read_lines(out);
    (void)close(in);
    (void)close(out);
}

#define CONVERSE(text) converse(STR(text))

static const cJSON *
result(size_t index)
{
    assert_true(index < line_len);
    return json_member(lines[index], "result");
}

static int
code(size_t index)
{
    assert_true(index < line_len);
    const cJSON *value =
        json_member(json_member(lines[index], "error"), "code");
    return value ? value->valueint : 0;
}

static void
a_new_client_opens_with_discover_and_stays(void **state)
{
    (void)state;
    CONVERSE(NEW("0", "server/discover", "") NEW("1", "tools/list", "")
                 NEW("\"c\"", "tools/call",
                     "\"name\":\"echo\",\"arguments\":{\"text\":\"a\"},"));
    assert_int_equal(line_len, 3);
    assert_non_null(json_member(result(0), "supportedVersions"));
    assert_string_equal(json_text(result(1), "resultType"), "complete");
    assert_string_equal(json_text(lines[2], "id"), "c");
    assert_non_null(json_member(result(2), "structuredContent"));
}

static void
a_client_of_2025_06_18_opens_with_initialize(void **state)
{
    (void)state;
    CONVERSE(INITIALIZE("2025-06-18") NOTICE("notifications/initialized", "")
                 OLD("1", "tools/list", "")
                     OLD("2", "tools/call", ",\"params\":{\"name\":\"wait\"}"));
    assert_int_equal(line_len, 3);
    assert_string_equal(json_text(result(0), "protocolVersion"), "2025-06-18");
    assert_null(json_member(result(1), "resultType"));
    assert_non_null(json_member(result(2), "structuredContent"));
}

static void
a_client_may_probe_notify_and_then_initialize(void **state)
{
    (void)state;
    CONVERSE(OLD("0", "server/discover", "")
                 NOTICE("notifications/roots/list_changed", "")
                     INITIALIZE("2025-11-25") OLD("1", "ping", ""));
    assert_int_equal(line_len, 3);
    assert_int_equal(code(0), -32601);
    assert_string_equal(json_text(result(1), "protocolVersion"), "2025-11-25");
    assert_non_null(result(2));
}

static void
any_first_message_is_survived(void **state)
{
    (void)state;
    CONVERSE("garbage\n"
             "[]\n"
             "\n"
             "  \r\n"
             "{\"jsonrpc\":\"2.0\",\"id\":9,\"result\":{}}\n" OLD(
                 "1", "no/such/method", "") NEW("2", "ping", "")
                 OLD("3", "tools/list",
                     ",\"params\":{\"_meta\":{\"io.modelcontextprotocol/"
                     "protocolVersion\":\"3000-01-01\",\"io."
                     "modelcontextprotocol/clientCapabilities\":{}}}")
                     OLD("4", "tools/list",
                         ",\"params\":{\"_meta\":{\"io."
                         "modelcontextprotocol/protocolVersion\":\"2026-"
                         "07-28\"}}") OLD("5", "ping", ""));
    assert_int_equal(line_len, 7);
    assert_int_equal(code(0), -32700);
    assert_int_equal(code(1), -32600);
    assert_int_equal(code(2), -32601);
    assert_int_equal(code(3), -32601);
    assert_int_equal(code(4), -32022);
    assert_int_equal(code(5), -32602);
    assert_non_null(result(6));
}

static void
the_last_line_needs_no_end(void **state)
{
    (void)state;
    CONVERSE("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}");
    assert_int_equal(line_len, 1);
    CONVERSE("");
    assert_int_equal(line_len, 0);
}

static void
a_line_has_a_limit_and_the_next_one_is_read(void **state)
{
    static const char ping[] = OLD("1", "ping", "");
    struct buf text = {0};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        static const size_t overs[] = {0, 1, 300000};
        size_t over = overs[i];
        size_t len = STDIO_LINE_MAX + over;
        buf_reset(&text);
        char *to = buf_grow(&text, len + 1);
        memset(to, ' ', STDIO_LINE_MAX);
        memset(to + STDIO_LINE_MAX, 'x', over);
        memcpy(to, ping, sizeof(ping) - 2);
        to[len] = '\n';
        text.len = len + 1;
        buf_add(&text, STR(OLD("2", "ping", "")));
        converse(buf_str(&text));
        assert_int_equal(line_len, 2);
        assert_int_equal(code(0), over ? -32600 : 0);
        assert_non_null(result(1));
    }
    buf_fini(&text);
}

static void
rest_a_while(void)
{
    (void)usleep(100000);
}

static void
a_cancelled_call_that_waits_is_not_run(void **state)
{
    (void)state;
    peer_meanwhile = rest_a_while;
    peer_echoes = 0;
    CONVERSE(INITIALIZE("2025-11-25") OLD("1", "tools/call",
                                          ",\"params\":{\"name\":\"wait\"}")
                 OLD("\"x\"", "tools/call",
                     ",\"params\":{\"name\":\"echo\",\"arguments\":{\"text\":"
                     "\"a\"}}") NOTICE("notifications/cancelled",
                                       ",\"params\":{\"requestId\":\"x\"}")
                     NOTICE("notifications/cancelled",
                            ",\"params\":{\"requestId\":77}")
                         NOTICE("notifications/cancelled", "")
                             OLD("3", "ping", ""));
    assert_int_equal(peer_echoes, 0);
    assert_int_equal(line_len, 3);
    assert_int_equal(json_member(lines[1], "id")->valueint, 1);
    assert_int_equal(json_member(lines[2], "id")->valueint, 3);
}

/* Neither fits a double or is spelled as we would. */
static void
an_id_is_cancelled_as_it_was_written(void **state)
{
    (void)state;
    peer_meanwhile = rest_a_while;
    CONVERSE(
        INITIALIZE("2025-11-25") OLD("1", "tools/call",
                                     ",\"params\":{\"name\":\"wait\"}")
            OLD("9007199254740993", "ping", "") OLD("\"\\u00e9\"", "ping", "")
                OLD("9007199254740992", "ping", "")
                    NOTICE("notifications/cancelled",
                           ",\"params\":{\"requestId\":9007199254740993}")
                        NOTICE("notifications/cancelled",
                               ",\"params\":{\"requestId\":\"\\u00e9\"}"));
    assert_int_equal(line_len, 3);
    assert_int_equal(json_member(lines[1], "id")->valueint, 1);
    assert_true(json_member(lines[2], "id")->valuedouble == 9007199254740992.0);
}

static void
a_cancelled_call_that_runs_is_told_and_not_answered(void **state)
{
    (void)state;
    peer_meanwhile = rest_a_while;
    CONVERSE(NEW("1", "tools/call", "\"name\":\"wait\",") NOTICE(
        "notifications/cancelled", ",\"params\":{\"requestId\":1}")
                 NEW("2", "tools/list", ""));
    assert_int_equal(line_len, 1);
    assert_int_equal(json_member(lines[0], "id")->valueint, 2);
}

static void
progress_and_logs_come_before_the_answer(void **state)
{
    (void)state;
    CONVERSE(INITIALIZE("2025-11-25")
                 OLD("1", "tools/call",
                     ",\"params\":{\"name\":\"steps\",\"_meta\":{"
                     "\"progressToken\":9007199254740993}}")
                     OLD("2", "tools/call", ",\"params\":{\"name\":\"tell\"}")
                         OLD("3", "logging/setLevel",
                             ",\"params\":{\"level\":\"error\"}")
                             OLD("4", "tools/call",
                                 ",\"params\":{\"name\":\"tell\"}"));
    assert_int_equal(line_len, 8);
    assert_string_equal(json_text(lines[1], "method"),
                        "notifications/progress");
    /* What a double makes of the token; printed and read again it is less. */
    const cJSON *params = json_member(lines[1], "params");
    assert_true(json_member(params, "progressToken")->valuedouble ==
                9007199254740992.0);
    assert_string_equal(json_text(lines[4], "method"), "notifications/message");
    assert_int_equal(json_member(lines[7], "id")->valueint, 4);
}

static void
a_subscription_ends_when_it_is_cancelled(void **state)
{
    (void)state;
    CONVERSE(NEW("1", "subscriptions/listen",
                 "\"notifications\":{\"toolsListChanged\":true},")
                 NEW("2", "tools/call", "\"name\":\"change\","));
    assert_int_equal(line_len, 3);
    assert_string_equal(json_text(lines[0], "method"),
                        "notifications/subscriptions/acknowledged");
    assert_string_equal(json_text(lines[1], "method"),
                        "notifications/tools/list_changed");
    assert_false(listen_cancel(&mcp->listen, mcp, "1"));
}

/* ---- with a client that is there ---- */

struct dialogue {
    int to_server[2];
    int from_server[2];
    enum err err;
    pthread_t thread;
};

static void *
run_dialogue(void *arg)
{
    struct dialogue *d = arg;

    d->err = mcp_stdio_run(mcp, d->to_server[0], d->from_server[1]);
    return NULL;
}

static void
open_dialogue(struct dialogue *d)
{
    assert_int_equal(pipe(d->to_server), 0);
    assert_int_equal(pipe(d->from_server), 0);
    assert_int_equal(pthread_create(&d->thread, NULL, run_dialogue, d), 0);
}

static enum err
join_dialogue(struct dialogue *d)
{
    pthread_join(d->thread, NULL);
    (void)close(d->to_server[0]);
    (void)close(d->from_server[1]);
    return d->err;
}

static void
say(struct dialogue *d, const char *text)
{
    assert_int_equal(write(d->to_server[1], text, strlen(text)), strlen(text));
}

static cJSON *
hear(struct dialogue *d)
{
    char line[4096];
    size_t len = 0;

    while (len < sizeof(line) - 1 &&
           read(d->from_server[0], line + len, 1) == 1 && line[len] != '\n')
        len++;
    line[len] = '\0';
    return cJSON_Parse(line);
}

static void
a_question_is_answered_in_the_middle_of_a_call(void **state)
{
    struct dialogue d;
    char text[256];

    (void)state;
    open_dialogue(&d);
    say(&d, OLD("1", "tools/call", ",\"params\":{\"name\":\"ask\"}"));
    cJSON *question = hear(&d);
    assert_string_equal(json_text(question, "method"), "roots/list");
    (void)snprintf(text, sizeof(text),
                   "{\"jsonrpc\":\"2.0\",\"id\":\"%s\",\"result\":{\"a\":1}}\n",
                   json_text(question, "id"));
    say(&d, text);
    cJSON *reply = hear(&d);
    assert_int_equal(json_member(reply, "id")->valueint, 1);
    assert_null(json_member(json_member(reply, "result"), "isError"));
    cJSON_Delete(question);
    cJSON_Delete(reply);
    (void)close(d.to_server[1]);
    assert_int_equal(join_dialogue(&d), OK);
    (void)close(d.from_server[0]);
}

static void
the_end_of_the_input_ends_a_question(void **state)
{
    struct dialogue d;
    uint64_t from = clock_mono_ns();

    (void)state;
    open_dialogue(&d);
    say(&d, OLD("1", "tools/call", ",\"params\":{\"name\":\"ask\"}"));
    cJSON_Delete(hear(&d));
    (void)close(d.to_server[1]);
    cJSON *reply = hear(&d);
    assert_true(
        cJSON_IsTrue(json_member(json_member(reply, "result"), "isError")));
    cJSON_Delete(reply);
    assert_int_equal(join_dialogue(&d), OK);
    (void)close(d.from_server[0]);
    assert_true(clock_mono_ns() - from < 10 * NS_PER_S);
}

static void
a_client_that_reads_no_more_ends_the_run_and_not_the_process(void **state)
{
    struct dialogue d;

    (void)state;
    open_dialogue(&d);
    (void)close(d.from_server[0]);
    ssize_t sent = write(d.to_server[1], OLD("1", "ping", ""),
                         strlen(OLD("1", "ping", "")));
    assert_true(sent > 0);
    assert_int_equal(join_dialogue(&d), ERR_IO);
    (void)close(d.to_server[1]);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
        TEST(a_new_client_opens_with_discover_and_stays),
        TEST(a_client_of_2025_06_18_opens_with_initialize),
        TEST(a_client_may_probe_notify_and_then_initialize),
        TEST(any_first_message_is_survived),
        TEST(the_last_line_needs_no_end),
        TEST(a_line_has_a_limit_and_the_next_one_is_read),
        TEST(a_cancelled_call_that_waits_is_not_run),
        TEST(an_id_is_cancelled_as_it_was_written),
        TEST(a_cancelled_call_that_runs_is_told_and_not_answered),
        TEST(progress_and_logs_come_before_the_answer),
        TEST(a_subscription_ends_when_it_is_cancelled),
        TEST(a_question_is_answered_in_the_middle_of_a_call),
        TEST(the_end_of_the_input_ends_a_question),
        TEST(a_client_that_reads_no_more_ends_the_run_and_not_the_process),
    };

    (void)signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
