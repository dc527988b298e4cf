/*
 * self_span: what is told of a request, and that it is OTLP.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <cjson/cJSON.h>

#include "cmd/config.h"
#include "cmd/self_span.h"
#include "cmd/self_trace.h"
#include "otlp/decode.h"
#include "tests/support/span_count.h"

static bool
ask(struct self_span *span, const char *method, const char *path,
    const char *body)
{
    const struct request req = {.protocol = REQUEST_HTTP,
                                .method = str_of(method),
                                .path = str_of(path),
                                .body = str_of(body)};

    self_span_begin(span, (str){0}, 1000);
    return self_span_of_request(span, &req);
}

static void
ids_are_new_unless_the_caller_has_some(void **state)
{
    static const char *const bad[] = {
        "",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0",
        "01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
        "00-00000000000000000000000000000000-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
        "00_0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01x"};
    struct self_span one;
    struct self_span two;

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        self_span_begin(&one, str_of(bad[i]), 1);
        self_span_begin(&two, str_of(bad[i]), 1);
        assert_true(one.parent_id == 0 && one.id != 0);
        assert_true(one.id != two.id && one.trace_lo != two.trace_lo);
        assert_true(one.trace_lo != UINT64_C(0x8448eb211c80319c));
    }
    self_span_begin(
        &one, STR("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"),
        1);
    assert_true(one.trace_hi == UINT64_C(0x0af7651916cd43dd));
    assert_true(one.trace_lo == UINT64_C(0x8448eb211c80319c));
    assert_true(one.parent_id == UINT64_C(0xb7ad6b7169203331));
}

static void
only_what_is_ours_to_answer_is_told(void **state)
{
    static const char *const none[] = {
        "/",        "/healthz", "/readyz", "/favicon.ico",      "/metrics/",
        "/api/%41", "/api/A",   "/mcp/x",  "/api/graph/data?x", "/api/a\nb"};
    char longest[80] = "/api/";
    struct self_span span;

    (void)state;
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
        assert_false(ask(&span, "GET", none[i], ""));
    assert_true(ask(&span, "GET", "/metrics", ""));
    assert_true(ask(&span, "GET", "/api/graph/data", ""));
    assert_string_equal(span.route, "/api/graph/data");
    memset(longest + 5, 'x', SELF_TEXT_CAP - 1 - 5);
    assert_true(ask(&span, "GET", longest, ""));
    longest[SELF_TEXT_CAP - 1] = 'x';
    assert_false(ask(&span, "GET", longest, ""));
    const struct request rpc = {.protocol = REQUEST_GRPC, .path = STR("/mcp")};
    assert_false(self_span_of_request(&span, &rpc));
}

static void
a_call_is_told_by_method_and_tool_alone(void **state)
{
    static const char call[] =
        "{\"method\":\"tools/call\",\"params\":{\"name\":\"trace_stats\","
        "\"arguments\":{\"secret\":\"hunter2\"}}}";
    struct self_span span;
    struct buf json = {0};

    (void)state;
    assert_true(ask(&span, "POST", "/mcp", call));
    assert_string_equal(span.method, "tools/call");
    assert_string_equal(span.tool, "trace_stats");
    assert_true(self_span_json(&span, 1, "spangraph", &json));
    assert_null(strstr(buf_cstr(&json), "hunter2"));
    buf_fini(&json);
    assert_true(ask(&span, "POST", "/mcp", "no JSON"));
    assert_string_equal(span.method, "");
    assert_true(ask(&span, "POST", "/mcp",
                    "{\"method\":\"x\\u001b[2J\\u0000y\",\"params\":7}"));
    assert_string_equal(span.method, "");
    assert_true(ask(&span, "POST", "/mcp",
                    "{\"method\":\"tools/call\","
                    "\"params\":{\"name\":\"hunter2\"}}"));
    assert_string_equal(span.tool, "");
}

/* ---- what is sent, read by our own decoder ---- */

struct seen {
    char service[64];
    size_t spans;
    struct span first;
    char name[128];
};

static void
see_resource(void *ctx, const struct attr_set *resource)
{
    struct seen *seen = ctx;
    str name = attr_str(resource, ATTR_SERVICE_NAME);

    (void)snprintf(seen->service, sizeof(seen->service), "%.*s", (int)name.len,
                   name.ptr);
}

static void
see_span(void *ctx, const struct span *span)
{
    struct seen *seen = ctx;

    if (seen->spans++ == 0) {
        seen->first = *span;
        (void)snprintf(seen->name, sizeof(seen->name), "%.*s",
                       (int)span->name.len, span->name.ptr);
    }
}

static void
what_is_sent_is_a_strict_otlp_request(void **state)
{
    static const char pad[REQUEST_PAD];
    struct self_span spans[2];
    struct seen seen = {.spans = 0};
    struct span_visitor visitor = span_count(NULL);
    struct decode_scratch *scratch = decode_scratch_new();
    struct decode_result result = {0};
    struct buf json = {0};

    (void)state;
    visitor.ctx = &seen;
    visitor.resource = see_resource;
    visitor.span = see_span;
    assert_non_null(scratch);
    assert_true(ask(&spans[0], "GET", "/metrics", ""));
    spans[0].end_ns = 3000;
    spans[0].status = 503;
    spans[0].has_failed = true;
    self_span_begin(&spans[1], (str){0}, 5);
    (void)snprintf(spans[1].name, sizeof(spans[1].name), "flush");
    assert_true(self_span_json(spans, 2, "a \"name\"", &json));
    size_t len = json.len;
    buf_add(&json, (str){pad, sizeof(pad)});
    assert_int_equal(
        decode_json(scratch, (str){json.ptr, len}, false, &visitor, &result),
        OK);
    assert_int_equal(result.accepted, 2);
    assert_int_equal(result.rejected, 0);
    assert_string_equal(seen.service, "a \"name\"");
    assert_string_equal(seen.name, "GET /metrics");
    assert_true(seen.first.span_id == spans[0].id);
    assert_true(seen.first.trace_hi == spans[0].trace_hi);
    assert_int_equal(seen.first.kind, SPAN_SERVER);
    assert_int_equal(seen.first.status, SPAN_ERROR);
    assert_int_equal(seen.first.start_ns, 1000);
    assert_int_equal(seen.first.end_ns, 3000);
    buf_fini(&json);
    decode_scratch_free(scratch);
}

static void
assert_url(const struct config *cfg, const char *expected)
{
    struct buf url = {0};

    self_trace_url(cfg, &url);
    assert_string_equal(buf_cstr(&url), expected);
    buf_fini(&url);
}

static void
the_configuration_comes_before_the_environment(void **state)
{
    struct config cfg = {0};

    (void)state;
    unsetenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT");
    unsetenv("OTEL_EXPORTER_OTLP_ENDPOINT");
    assert_url(&cfg, "http://localhost:4318/v1/traces");
    setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://a:1/", 1);
    assert_url(&cfg, "http://a:1/v1/traces");
    setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://b:2/as/it/is", 1);
    assert_url(&cfg, "http://b:2/as/it/is");
    cfg.self_trace.endpoint = "https://c";
    assert_url(&cfg, "https://c/v1/traces");
    cfg.self_trace.endpoint = "https://c/v1/traces/";
    assert_url(&cfg, "https://c/v1/traces");
}

static void
off_is_off_and_no_url_is_said(void **state)
{
    struct self_trace *trace = (struct self_trace *)&state;
    struct config cfg = {.self_trace = {.service_name = "x", .one_in = 1}};
    struct request req = {.protocol = REQUEST_HTTP, .path = STR("/metrics")};
    struct buf why = {0};

    (void)state;
    assert_int_equal(self_trace_start(&trace, &cfg, &why), OK);
    assert_null(trace);
    self_trace_request(NULL, &req);
    assert_null(req.ops);
    self_trace_flushed(NULL, 1, OK);
    self_trace_stop(NULL);
    cfg.self_trace.enabled = true;
    cfg.self_trace.endpoint = "ftp://x";
    assert_int_equal(self_trace_start(&trace, &cfg, &why), ERR_INVALID);
    assert_non_null(strstr(buf_cstr(&why), "ftp://x"));
    buf_fini(&why);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_are_new_unless_the_caller_has_some),
        cmocka_unit_test(only_what_is_ours_to_answer_is_told),
        cmocka_unit_test(a_call_is_told_by_method_and_tool_alone),
        cmocka_unit_test(what_is_sent_is_a_strict_otlp_request),
        cmocka_unit_test(the_configuration_comes_before_the_environment),
        cmocka_unit_test(off_is_off_and_no_url_is_said),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
