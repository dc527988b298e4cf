/*
 * The clock of the wall is set while requests come and edges are written: back
 * by a day, ahead by a year, and to and fro; and the machine is suspended.
 * Nothing is lost or counted twice, the engine's own time neither jumps nor
 * goes back, and no age is negative.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "base/log.h"
#include "cmd/config.h"
#include "cmd/session.h"
#include "cmd/sink.h"
#include "graph/query.h"
#include "mcp/tools.h"
#include "tests/support/fake_request.h"
#include "tests/support/stored.h"

#define DAY  ((int64_t)86400)
#define YEAR (365 * DAY)

static atomic_llong wall_ahead_s;
static atomic_llong boot_ahead_s;

uint64_t __real_clock_wall_ns(void);
uint64_t __wrap_clock_wall_ns(void);
uint64_t __real_clock_boot_ns(void);
uint64_t __wrap_clock_boot_ns(void);

uint64_t
__wrap_clock_wall_ns(void)
{
    return __real_clock_wall_ns() + (uint64_t)wall_ahead_s * NS_PER_S;
}

uint64_t
__wrap_clock_boot_ns(void)
{
    return __real_clock_boot_ns() + (uint64_t)boot_ahead_s * NS_PER_S;
}

static struct config cfg;
static struct session session;
static struct sink *sink;
static struct receiver *receiver;
static uint64_t sent;

static int
setup(void **state)
{
    static const struct receiver_cfg rc = {.traces_path = "/v1/traces",
                                           .lanes = 1};
    struct trace_sink ts;

    stored_setup(state);
    wall_ahead_s = boot_ahead_s = 0;
    sent = 0;
    assert_int_equal(config_init(&cfg), OK);
    assert_int_equal(config_set(&cfg, "store.dir", stored.dir, &stored.why),
                     OK);
    assert_int_equal(
        config_set(&cfg, "store.flush_interval", "10ms", &stored.why), OK);
    assert_int_equal(session_open(&session, &cfg, clock_wall_ns(), &stored.why),
                     OK);
    assert_int_equal(engine_start(session.engine), OK);
    assert_int_equal(sink_new(&sink, &session, 1, &ts), OK);
    assert_int_equal(receiver_new(&receiver, &rc, &ts), OK);
    return 0;
}

static int
teardown(void **state)
{
    engine_stop(session.engine);
    receiver_free(receiver);
    sink_free(sink);
    session_close(&session);
    config_fini(&cfg);
    return stored_teardown(state);
}

/* The answer comes from the graph thread. */
static atomic_int answered; /* its status; 0: not yet */

static void
note_reply(struct request *req, const struct reply *reply)
{
    (void)req;
    answered = reply->status;
}

static const struct request_ops ops = {.reply = note_reply};

/* One root span of the sender's time, which is right. */
static void
send(void)
{
    struct fake_request fake;
    char body[640];
    uint64_t now = __real_clock_wall_ns();

    int len = snprintf(
        body, sizeof(body),
        "{\"resourceSpans\":[{\"resource\":{\"attributes\":[{\"key\":"
        "\"service.name\",\"value\":{\"stringValue\":\"shop\"}}]},"
        "\"scopeSpans\":[{\"spans\":[{\"traceId\":\"%032lx\",\"spanId\":"
        "\"%016lx\",\"kind\":2,\"name\":\"GET /a\",\"startTimeUnixNano\":"
        "\"%lu\",\"endTimeUnixNano\":\"%lu\"}]}]}]}",
        sent + 1, sent + 1, now, now + 5);
    sent++;
    fake_request_init(&fake, REQUEST_HTTP, "/v1/traces",
                      (str){body, (size_t)len});
    fake_request_header(&fake, "content-type", "application/json");
    fake.req.ops = &ops;
    answered = 0;
    receiver_handle(receiver, &fake.req);
    for (int i = 0; i < 5000 && answered == 0; i++)
        usleep(1000);
    assert_int_equal(answered, 200);
    fake_request_fini(&fake);
}

static void
send_some(void)
{
    for (int i = 0; i < 8; i++) {
        send();
        usleep(3000);
    }
}

static void
expect_all_once(void)
{
    engine_stop(session.engine);
    assert_int_equal(stored_ask("SELECT sum(count) FROM edge WHERE kind = 2"),
                     (int64_t)sent);
    assert_int_equal(stored_counter("spans"), (int64_t)sent);
}

/* The journal never goes back and ends |ahead_s| ahead of the right time. */
static void
expect_steady_journal(int64_t ahead_s)
{
    int64_t now_s = (int64_t)(__real_clock_wall_ns() / NS_PER_S);
    int64_t last = stored_ask("SELECT max(received_ns) FROM journal");

    assert_in_range(last / (int64_t)NS_PER_S, now_s + ahead_s - 60,
                    now_s + ahead_s + 1);
    assert_int_equal(
        stored_ask("SELECT count(*) FROM journal a JOIN journal b ON"
                   " b.seq = a.seq + 1 WHERE b.received_ns < a.received_ns"),
        0);
}

static void
nothing_is_lost_while_the_clock_is_set(void **state)
{
    static const int64_t steps[] = {-DAY, YEAR, 0, -YEAR, DAY, 0};

    (void)state;
    send_some();
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        wall_ahead_s = steps[i];
        send_some();
    }
    expect_all_once();
    expect_steady_journal(0);
}

static void
time_goes_on_while_the_machine_sleeps(void **state)
{
    (void)state;
    send_some();
    boot_ahead_s = DAY; /* and CLOCK_MONOTONIC knows nothing of it */
    wall_ahead_s = DAY;
    send_some();
    expect_all_once();
    expect_steady_journal(DAY);
    /* Who slept received nothing, and does not say so. */
    assert_int_equal(stored_ask("SELECT count(*) FROM uptime"), 2);
    assert_int_equal(
        stored_ask("SELECT max(end_s - start_s) < 3600 FROM uptime"), 1);
    assert_int_equal(stored_ask("SELECT max(start_s) - min(end_s) > 86000"
                                " FROM uptime"),
                     1);
}

static uint32_t
clock_of_tools(void *ctx)
{
    return (uint32_t)(*(uint64_t *)ctx / NS_PER_S);
}

static void
no_age_is_negative_after_the_clock_was_ahead(void **state)
{
    static const char *const names[] = {"trace_stats", "dead_routes",
                                        "service_map"};
    struct query *query = NULL;
    struct tools *tools = NULL;
    uint64_t now = __real_clock_wall_ns();

    (void)state;
    wall_ahead_s = YEAR;
    send_some();
    wall_ahead_s = 0;
    send_some();
    expect_all_once();
    assert_int_equal(
        query_open(&query, stored.dir, &query_cfg_default, &stored.why), OK);
    assert_int_equal(
        tools_new(&tools,
                  &(const struct tools_cfg){.query = query, .version = "1"},
                  &stored.why),
        OK);
    tools_set_clock(tools, clock_of_tools, &now);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        cJSON *args = cJSON_CreateObject();
        cJSON *reply = NULL;
        assert_int_equal(tools_call(tools, names[i], args, &reply, &stored.why),
                         OK);
        char *text = cJSON_PrintUnformatted(reply);
        if (strstr(text, ":-") || strstr(text, "4294967"))
            fail_msg("%s: %s", names[i], text);
        cJSON_free(text);
        cJSON_Delete(reply);
        cJSON_Delete(args);
    }
    tools_free(tools);
    query_close(query);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(nothing_is_lost_while_the_clock_is_set),
        TEST(time_goes_on_while_the_machine_sleeps),
        TEST(no_age_is_negative_after_the_clock_was_ahead),
    };

    log_configure((struct log_cfg){.level = LOG_ERROR + 1});
    return cmocka_run_group_tests(tests, NULL, NULL);
}
