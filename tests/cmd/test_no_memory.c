/*
 * On each way that a request takes, every allocation fails in turn, once and
 * from then on.  Whoever asked is told something it can act on, nothing is
 * kept by half, nothing leaks (the sanitizer sees to that), and the same
 * request made again is answered.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "cmd/agent.h"
#include "cmd/config.h"
#include "cmd/session.h"
#include "cmd/sink.h"
#include "tests/support/dir.h"
#include "tests/support/fail_alloc.h"
#include "tests/support/fake_request.h"
#include "tests/support/payload.h"
#include "tests/support/size.h"
#include "tests/support/stored.h"

enum { SPANS = 24, ROUNDS_MAX = 200000 };

#define TRACES "/v1/traces"
#define EXPORT "/opentelemetry.proto.collector.trace.v1.TraceService/Export"

static struct config cfg;
static struct payload *payload;

/* The numbers that are tried: all of the first, ever fewer of the others. */
static uint64_t
next_number(uint64_t n)
{
    return n + 1 + n / size_of(40, 400, 1000000);
}

static int
setup(void **state)
{
    stored_setup(state);
    assert_int_equal(config_init(&cfg), OK);
    assert_int_equal(config_set(&cfg, "store.dir", stored.dir, &stored.why),
                     OK);
    payload = payload_new(1, SPANS, true);
    return 0;
}

static int
teardown(void **state)
{
    payload_free(payload);
    config_fini(&cfg);
    return stored_teardown(state);
}

/* ---- the service as a request sees it ---- */

struct service {
    struct session session;
    struct sink *sink;
    struct receiver *receiver;
};

static void
service_close(struct service *service)
{
    receiver_free(service->receiver);
    sink_free(service->sink);
    session_close(&service->session);
}

static enum err
service_open(struct service *service)
{
    static const struct receiver_cfg receiver = {.traces_path = TRACES,
                                                 .lanes = 1};
    struct trace_sink sink;
    enum err err;

    *service = (struct service){0};
    buf_reset(&stored.why);
    err = session_open(&service->session, &cfg, STORED_NOW, &stored.why);
    if (!err)
        err = sink_new(&service->sink, &service->session, 1, &sink);
    if (!err)
        err = receiver_new(&service->receiver, &receiver, &sink);
    if (err)
        service_close(service);
    return err;
}

struct way {
    const char *name;
    enum request_protocol protocol;
    const char *path;
    const char *type;
    bool json;
    int good;
    int later; /* the status that says: come back */
};

static const struct way ways[] = {
    {"protobuf over HTTP", REQUEST_HTTP, TRACES, "application/x-protobuf",
     false, 200, 503},
    {"JSON over HTTP", REQUEST_HTTP, TRACES, "application/json", true, 200,
     503},
    {"protobuf over gRPC", REQUEST_GRPC, EXPORT, "application/grpc", false,
     GRPC_CODE_OK, GRPC_CODE_UNAVAILABLE},
};

/* Sends the payload; the |number|-th allocation fails, 0: none. */
static int
export_it(struct service *service, const struct way *way, uint64_t number,
          bool stays, bool *failed)
{
    struct fake_request fake;

    fake_request_init(&fake, way->protocol, way->path,
                      way->json ? payload->json[0] : payload->batches[0]);
    fake_request_header(&fake, "content-type", way->type);
    fail_alloc_at(number, stays);
    receiver_handle(service->receiver, &fake.req);
    *failed = fail_alloc_end();
    assert_int_equal(fake.replies, 1);
    int status = fake.status;
    fake_request_fini(&fake);
    return status;
}

static int64_t
count_spans(void)
{
    return stored_ask("SELECT coalesce(sum(value), 0) FROM counter WHERE"
                      " name = 'spans'");
}

static void
expect_once(const struct way *way, uint64_t number)
{
    int64_t spans = count_spans();
    int64_t rows = stored_ask("SELECT count(*) FROM journal");
    int64_t lost = stored_ask("SELECT coalesce(sum(count), 0) FROM loss");
    int64_t seen = stored_ask("SELECT coalesce(sum(count), 0) FROM edge WHERE"
                              " kind IN (33, 35)"); /* synthetic, seen */

    if (spans != SPANS || rows != 1 || seen > SPANS || seen + lost < SPANS)
        fail_msg("%s, allocation %lu: %ld spans in %ld requests, %ld seen, "
                 "%ld lost",
                 way->name, number, spans, rows, seen, lost);
}

static bool
export_without(const struct way *way, uint64_t number, bool stays)
{
    struct service service;
    bool failed, ignored;

    stored_empty();
    assert_int_equal(service_open(&service), OK);
    int status = export_it(&service, way, number, stays, &failed);
    if (status != way->good && status != way->later)
        fail_msg("%s, allocation %lu: status %d", way->name, number, status);
    assert_true(failed || status == way->good);
    /* Told to come back, or perhaps the answer was lost: it comes back. */
    assert_int_equal(export_it(&service, way, 0, false, &ignored), way->good);
    assert_int_equal(engine_finish(service.session.engine), OK);
    expect_once(way, number);
    service_close(&service);
    return failed;
}

static void
a_request_is_taken_whole_or_not_at_all(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        for (int stays = 0; stays < 2; stays++) {
            uint64_t n = 1;
            while (export_without(&ways[i], n, stays) && n < ROUNDS_MAX)
                n = next_number(n);
            printf("%s%s: %lu allocations\n", ways[i].name,
                   stays ? ", for good" : "", n - 1);
        }
    }
}

/* ---- start ---- */

static void
a_start_fails_cleanly_and_the_next_one_has_it_all(void **state)
{
    struct service service;
    bool failed = true;

    (void)state;
    assert_int_equal(service_open(&service), OK);
    assert_int_equal(export_it(&service, &ways[0], 0, false, &failed), 200);
    service_close(&service); /* what is to be replayed */
    failed = true;
    for (uint64_t n = 1; failed && n < ROUNDS_MAX; n = next_number(n)) {
        fail_alloc_at(n, n % 2);
        enum err err = service_open(&service);
        failed = fail_alloc_end();
        if (err != OK && err != ERR_NOMEM && err != ERR_STORE)
            fail_msg("allocation %lu: %s: %s", n, err_str(err),
                     buf_cstr(&stored.why));
        assert_true(failed || err == OK);
        if (!err)
            service_close(&service);
        if (dir_count(stored.dir, STORE_FILE ".corrupt") != 0)
            fail_msg("allocation %lu: a sound database was set aside: %s", n,
                     buf_cstr(&stored.why));
    }
    assert_int_equal(service_open(&service), OK);
    assert_int_equal(engine_finish(service.session.engine), OK);
    expect_once(&ways[0], 0);
    service_close(&service);
}

/* ---- questions ---- */

static const char *const calls[] = {
    "service_map\",\"arguments\":{\"level\":\"service\"}",
    "trace_stats\",\"arguments\":{}",
    "who_calls\",\"arguments\":{\"service\":\"*\"}",
    "runtime_traffic\",\"arguments\":{\"service_name\":\"*\"}",
    "dead_routes\",\"arguments\":{}",
};

/* What an answer of 200 is: whole, as long as |whole|, or an error that says
 * so.  Of none that was kept (that takes memory too) nothing is known. */
static void
check_answer(const char *call, struct fake_request *fake, size_t whole)
{
    const char *body = buf_cstr(&fake->body);

    if (fake->body.failed || fake->body.len == 0 ||
        strstr(body, "\"isError\":true") || strstr(body, "\"error\":{"))
        return;
    if (fake->body.len != whole)
        fail_msg("%s: %zu bytes and not %zu: %s", call, fake->body.len, whole,
                 body);
}

/* Asks; the |number|-th allocation fails.  |whole| is the length of a whole
 * answer, 0: set it.  Returns the status. */
static int
ask(struct agent *agent, const char *call, uint64_t number, bool stays,
    size_t *whole)
{
    struct fake_request fake;
    char body[512];

    int len = snprintf(body, sizeof(body),
                       "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\""
                       ",\"params\":{\"name\":\"%s}}",
                       call);
    fake_request_init(&fake, REQUEST_HTTP, "/mcp", (str){body, (size_t)len});
    fake_request_header(&fake, "content-type", "application/json");
    fake_request_header(&fake, "host", "localhost");
    fake_request_header(&fake, "accept", "application/json, text/event-stream");
    fail_alloc_at(number, stays);
    agent_handle(agent, &fake.req);
    bool failed = fail_alloc_end();
    assert_int_equal(fake.replies, 1);
    if (*whole == 0)
        *whole = fake.body.len;
    if (!failed && !strstr(buf_cstr(&fake.body), "data_as_of"))
        fail_msg("%s: %s", call, buf_cstr(&fake.body));
    check_answer(call, &fake, *whole);
    int status = fake.status;
    fake_request_fini(&fake);
    return failed ? status : -status;
}

static void
ask_without(struct agent *agent, const char *call, bool stays)
{
    size_t whole = 0;
    uint64_t n = 1;
    int status = 0;

    assert_int_equal(ask(agent, call, 0, false, &whole), -200);
    for (; status >= 0 && n < ROUNDS_MAX; n = next_number(n)) {
        status = ask(agent, call, n, stays, &whole);
        if (status >= 0 && status != 200 && status != 503)
            fail_msg("%s, allocation %lu: status %d", call, n, status);
        assert_int_equal(ask(agent, call, 0, false, &whole), -200);
    }
    printf("%.11s%s: %lu allocations\n", call, stays ? ", for good" : "",
           n - 1);
}

static void
a_question_is_answered_or_refused_and_the_next_is_answered(void **state)
{
    struct service service;
    struct agent *agent = NULL;
    bool failed;

    (void)state;
    assert_int_equal(service_open(&service), OK);
    assert_int_equal(export_it(&service, &ways[0], 0, false, &failed), 200);
    assert_int_equal(engine_finish(service.session.engine), OK);
    assert_int_equal(
        agent_new(&agent, &cfg, &(struct agent_parts){0}, false, &stored.why),
        OK);
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
        ask_without(agent, calls[i], false);
        ask_without(agent, calls[i], true);
    }
    agent_stop(agent);
    agent_free(agent);
    service_close(&service);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        TEST(a_request_is_taken_whole_or_not_at_all),
        TEST(a_start_fails_cleanly_and_the_next_one_has_it_all),
        TEST(a_question_is_answered_or_refused_and_the_next_is_answered),
    };

    size_args(argc, argv);
    log_configure((struct log_cfg){.level = LOG_ERROR + 1});
    fail_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
