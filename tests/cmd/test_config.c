#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "cmd/config.h"
#include "cmd/config_keys.h"
#include "tests/support/dir.h"

static char dir[64];
static char path[80];

static enum err
load(struct config *cfg, const char *text, struct buf *why)
{
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(config_init(cfg), OK);
    return config_load(cfg, path, why);
}

static void
expect_error(const char *text, const char *part)
{
    struct config cfg;
    struct buf why = {0};

    assert_int_equal(load(&cfg, text, &why), ERR_INVALID);
    if (!strstr(buf_cstr(&why), part))
        fail_msg("\"%s\" does not say \"%s\"", buf_cstr(&why), part);
    config_fini(&cfg);
    buf_fini(&why);
}

static void
without_a_file_everything_has_a_default(void **state)
{
    struct config cfg;

    (void)state;
    assert_int_equal(config_init(&cfg), OK);
    assert_string_equal(cfg.grpc.endpoint, "localhost:4317");
    assert_string_equal(cfg.http.endpoint, "localhost:4318");
    assert_string_equal(cfg.query.endpoint, "localhost:8080");
    assert_int_equal(cfg.http.body_bytes, 64 << 20);
    assert_int_equal(cfg.wait_ns, 60 * NS_PER_S);
    assert_int_equal(cfg.horizon_ns, 900 * NS_PER_S);
    assert_string_equal(cfg.durability, "commit");
    assert_string_equal(cfg.other_signals, "reject");
    assert_false(cfg.gc_sweep);
    assert_int_equal(cfg.exclude_routes.len, 0);
    config_fini(&cfg);
}

static void
a_file_in_the_collectors_shape_is_understood(void **state)
{
    struct config cfg;
    struct buf why = {0};

    (void)state;
    assert_int_equal(load(&cfg,
                          "receivers:\n"
                          "  otlp:\n"
                          "    protocols:\n"
                          "      grpc:\n"
                          "        endpoint: 0.0.0.0:4317\n"
                          "        tls: {cert_file: a.pem, key_file: b.pem}\n"
                          "      http:\n"
                          "        max_request_body_size: 1MiB\n"
                          "    other_signals: discard\n"
                          "pairing: {wait: 30s}\n"
                          "intake:\n"
                          "  exclude:\n"
                          "    routes: [GET /health*, 'GET /ready']\n"
                          "gc: {sweep: true}\n",
                          &why),
                     OK);
    assert_string_equal(cfg.grpc.endpoint, "0.0.0.0:4317");
    assert_string_equal(cfg.grpc.tls.key_file, "b.pem");
    assert_int_equal(cfg.http.body_bytes, 1 << 20);
    assert_string_equal(cfg.other_signals, "discard");
    assert_int_equal(cfg.wait_ns, 30 * NS_PER_S);
    assert_int_equal(cfg.exclude_routes.len, 2);
    assert_string_equal(cfg.exclude_routes.item[1], "GET /ready");
    assert_true(cfg.gc_sweep);
    config_fini(&cfg);
    buf_fini(&why);
}

/* Who checks a file of somebody else's has their terminal, or the log of a CI
 * job, before them. */
static void
what_a_file_says_is_quoted_without_controls(void **state)
{
    static const char *const files[] = {
        "\"a\\e[31m\\n::error::b\": 1\n",
        "pairing: {wait: \"a\\e[31m\\n::error::b\"}\n",
        "store: {dir: \"${a\\e[31m\\n::error::b}\"}\n",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
        struct config cfg;
        struct buf why = {0};

        assert_int_equal(load(&cfg, files[i], &why), ERR_INVALID);
        const char *said = buf_cstr(&why);
        assert_non_null(
            strstr(said, "a\xef\xbf\xbd[31m\xef\xbf\xbd::error::b"));
        assert_null(strpbrk(said, "\x1b\n"));
        buf_fini(&why);
        config_fini(&cfg);
    }
}

static void
a_section_without_content_changes_nothing(void **state)
{
    struct config cfg;
    struct buf why = {0};

    (void)state;
    assert_int_equal(load(&cfg,
                          "receivers:\n  otlp:\n    protocols:\n"
                          "      grpc:\n      http:\n"
                          "query:\n  endpoint: localhost:1\n",
                          &why),
                     OK);
    assert_true(cfg.grpc.enabled);
    assert_string_equal(cfg.http.endpoint, "localhost:4318");
    assert_string_equal(cfg.query.endpoint, "localhost:1");
    config_fini(&cfg);
    expect_error("recievers:\n", "unknown key recievers");
    expect_error("store: full\n", "store holds keys, and takes no value");
}

static void
what_the_collector_calls_otherwise_is_taken(void **state)
{
    static const char grpc[] = "receivers: {otlp: {protocols: {grpc:\n";
    struct buf text = {0};
    struct buf why = {0};
    struct config cfg;

    (void)state;
    buf_printf(&text,
               "%s {max_recv_msg_size_mib: 16,\n  keepalive: "
               "{server_parameters: {max_connection_age: 10m}}}}}}\n",
               grpc);
    if (load(&cfg, buf_cstr(&text), &why))
        fail_msg("%s", buf_cstr(&why));
    assert_int_equal(cfg.grpc.body_bytes, 16 << 20);
    assert_int_equal(cfg.grpc.max_age_ns, 600 * NS_PER_S);
    config_fini(&cfg);
    buf_reset(&text);
    buf_printf(&text,
               "%s {max_recv_msg_size_mib: 16, max_request_body_size: "
               "16MiB}}}}\n",
               grpc);
    expect_error(buf_cstr(&text), ":2: receivers.otlp.protocols.grpc."
                                  "max_request_body_size is said twice");
    expect_error("receivers: {otlp: {protocols: {grpc: {keepalive: 5s}}}}\n",
                 "keepalive holds keys");
    expect_error("receivers: {otlp: {protocols: {http: "
                 "{max_recv_msg_size_mib: 4}}}}\n",
                 "unknown key");
    buf_fini(&text);
    buf_fini(&why);
}

/* As the Collector's confignet says it, and as this program does. */
static void
a_socket_is_one_by_its_transport_or_its_endpoint(void **state)
{
    struct config cfg;
    struct buf why = {0};

    (void)state;
    assert_int_equal(
        load(&cfg,
             "receivers:\n  otlp:\n    protocols:\n"
             "      grpc: {endpoint: /run/s/grpc.sock, transport: unix}\n"
             "      http: {transport: unix, endpoint: \"unix:./http.sock\"}\n"
             "query: {endpoint: \"unix:/run/s/query.sock\"}\n",
             &why),
        OK);
    assert_string_equal(cfg.grpc.endpoint, "unix:/run/s/grpc.sock");
    assert_string_equal(cfg.grpc.transport, "unix");
    assert_string_equal(cfg.http.endpoint, "unix:./http.sock");
    assert_string_equal(cfg.query.transport, "unix");
    config_fini(&cfg);
    assert_int_equal(load(&cfg, "query: {transport: tcp}\n", &why), OK);
    assert_string_equal(cfg.query.endpoint, "localhost:8080");
    config_fini(&cfg);
    expect_error("query: {transport: unix}\n",
                 "query: with transport unix the endpoint is the socket's");
    expect_error("query: {transport: udp}\n",
                 "query.transport takes one of: tcp unix");
    buf_fini(&why);
}

static void
an_unknown_key_is_refused_with_line_and_nearest_key(void **state)
{
    (void)state;
    expect_error("pairing:\n  wait: 1s\n  horizont: 1m\n", ":3: unknown key");
    expect_error("pairing: {horizont: 1m}\n", "did you mean pairing.horizon?");
    expect_error("exporters: {otlp: x}\n", "unknown key exporters");
    expect_error("pairng: {wait: 1s}\n", "did you mean pairing?");
    expect_error("pairing: {wait: 1s}\npairing: {wait: 2s}\n",
                 ":2: pairing.wait is said twice");
    expect_error("intake: {exclude: {routes: [a], routes: [b]}}\n",
                 "intake.exclude.routes is said twice");
    expect_error("recievers: {}\n", "unknown key recievers");
    expect_error("store: {dir: {x: y}}\n", "store.dir takes one value");
}

/* The last as well as the first: the table has outgrown a bound before. */
static void
every_key_is_found_by_its_misspelling(void **state)
{
    char text[256];
    char said[256];

    (void)state;
    for (size_t i = 0; i < config_key_len; i++) {
        struct config cfg;
        struct buf why = {0};

        assert_int_equal(config_init(&cfg), OK);
        snprintf(text, sizeof(text), "%sx", config_keys[i].path);
        snprintf(said, sizeof(said), "did you mean %s?", config_keys[i].path);
        assert_int_equal(config_set(&cfg, text, "", &why), ERR_INVALID);
        if (!strstr(buf_cstr(&why), said))
            fail_msg("\"%s\" does not say \"%s\"", buf_cstr(&why), said);
        config_fini(&cfg);
        buf_fini(&why);
    }
}

static void
a_value_that_is_none_is_refused_with_what_it_takes(void **state)
{
    (void)state;
    expect_error("pairing: {wait: soon}\n", "a duration from 1ms");
    expect_error("store: {durability: maybe}\n", "one of: commit os memory");
    expect_error("gc: {sweep: yes}\n", "true or false");
    expect_error("gc: {active: 23h}\n", "a duration from 1d");
    expect_error("gc\n", "a key and a value, not \"gc\" alone");
    expect_error("query: {max_connection_age: 31d}\n", "to 30d");
    expect_error("store: {queue_spans: 64MiB}\n", "a whole number");
    expect_error("store: {queue_spans: ''}\n", "a whole number");
    expect_error("store:\n  dir: [a]\n", "store.dir takes one value");
    expect_error("store:\n  dir: &a b\n  durability: *a\n", "aliases");
    expect_error("gc:\n  sweep: \"true\n", ":3: found");
}

static void
numbers_are_taken_at_their_limits_and_refused_past_them(void **state)
{
    struct config cfg;
    struct buf why = {0};

    (void)state;
    assert_int_equal(config_init(&cfg), OK);
    assert_int_equal(config_set(&cfg, "store.queue_spans", "1024", &why), OK);
    assert_int_equal(config_set(&cfg, "store.queue_spans", "1023", &why),
                     ERR_INVALID);
    assert_int_equal(config_set(&cfg, "store.queue_spans", "100000000", &why),
                     OK);
    assert_int_equal(config_set(&cfg, "store.queue_spans", "100000001", &why),
                     ERR_INVALID);
    assert_int_equal(cfg.queue_spans, 100000000);
    config_fini(&cfg);
    buf_fini(&why);
}

static void
the_environment_is_read(void **state)
{
    struct config cfg;
    struct buf why = {0};

    (void)state;
    assert_int_equal(setenv("SPANGRAPH_TEST_DIR", "/srv/x", 1), 0);
    assert_int_equal(load(&cfg,
                          "store: {dir: \"${env:SPANGRAPH_TEST_DIR}/y\"}\n"
                          "query: {toolsets: \"${SPANGRAPH_NONE:-graph}\"}\n"
                          "pairing: {wait: \"${env:SPANGRAPH_NONE:-5s}\"}\n",
                          &why),
                     OK);
    assert_string_equal(cfg.dir, "/srv/x/y");
    assert_string_equal(cfg.toolsets, "graph");
    assert_int_equal(cfg.wait_ns, 5 * NS_PER_S);
    config_fini(&cfg);
    buf_fini(&why);
    expect_error("store: {dir: \"${env:SPANGRAPH_NONE}\"}\n",
                 "no SPANGRAPH_NONE");
    expect_error("store: {dir: \"${env:X\"}\n", "closing brace");
    expect_error("store: {dir: \"${SPANGRAPH_NONE}\"}\n",
                 ":1: the environment has no SPANGRAPH_NONE");
    expect_error("store: {dir: \"${file:/x}\"}\n",
                 "${file:/x} is no variable of the environment: write ${env:");
    expect_error("store: {dir: \"${}\"}\n", "is no variable");
    expect_error("store: {dir: \"${env:1X}\"}\n", "is no variable");
    expect_error("store: {dir: \"${env:X:5}\"}\n", "is no variable");
    expect_error("pairing: {wait: ${env:X}}\n",
                 "1d, not \"$\"; inside braces, quote it: \"${env:NAME}\"");
}

static void
what_is_in_force_is_printed_and_can_be_read_back(void **state)
{
    struct config cfg;
    struct buf out = {0};
    struct buf why = {0};

    (void)state;
    assert_int_equal(config_init(&cfg), OK);
    assert_int_equal(
        config_set(&cfg, "receivers.otlp.auth.tokens", "s3cret", &why), OK);
    assert_int_equal(config_set(&cfg, "pairing.wait", "7s", &why), OK);
    config_print(&cfg, &out);
    assert_null(strstr(buf_cstr(&out), "s3cret"));
    config_fini(&cfg);
    assert_int_equal(load(&cfg, buf_cstr(&out), &why), OK);
    assert_int_equal(cfg.wait_ns, 7 * NS_PER_S);
    config_fini(&cfg);
    buf_fini(&out);
    buf_fini(&why);
}

static void
a_missing_file_is_an_error(void **state)
{
    struct config cfg;
    struct buf why = {0};

    (void)state;
    assert_int_equal(config_init(&cfg), OK);
    assert_int_equal(config_load(&cfg, "/nonexistent/x.yaml", &why), ERR_IO);
    assert_non_null(strstr(buf_cstr(&why), "/nonexistent/x.yaml"));
    config_fini(&cfg);
    buf_fini(&why);
}

static void
endpoints_are_cut_into_host_and_port(void **state)
{
    char host[64];
    uint16_t port;

    (void)state;
    assert_int_equal(config_split_endpoint("localhost:4317", host, 64, &port),
                     OK);
    assert_string_equal(host, "127.0.0.1");
    assert_int_equal(port, 4317);
    assert_int_equal(config_split_endpoint("[::1]:1", host, 64, &port), OK);
    assert_string_equal(host, "::1");
    assert_int_equal(config_split_endpoint(":80", host, 64, &port), OK);
    assert_string_equal(host, "0.0.0.0");
    assert_int_equal(config_split_endpoint("unix:/run/s", host, 64, &port), OK);
    assert_string_equal(host, "unix:/run/s");
    assert_int_equal(config_split_endpoint("localhost", host, 64, &port),
                     ERR_INVALID);
    assert_int_equal(config_split_endpoint("h:65536", host, 64, &port),
                     ERR_INVALID);
    assert_int_equal(config_split_endpoint("h:1x", host, 64, &port),
                     ERR_INVALID);
    assert_int_equal(config_split_endpoint("unix:", host, 64, &port),
                     ERR_INVALID);
}

static void
the_reference_has_a_row_of_four_cells_for_each_key(void **state)
{
    struct buf out = {0};
    char row[256];

    (void)state;
    config_reference(&out);
    for (size_t i = 0; i < config_key_len; i++) {
        size_t bars = 0;

        (void)snprintf(row, sizeof(row), "\n| `%s` | ", config_keys[i].path);
        const char *at = strstr(buf_cstr(&out), row);
        assert_non_null(at);
        assert_null(strstr(at + 1, row));
        for (at++; *at != '\n'; at++)
            bars += *at == '|' && at[-1] != '\\';
        assert_int_equal(bars, 5);
    }
    /* A sign of Markdown in a help is text. */
    assert_non_null(strstr(buf_cstr(&out), "GET /health\\*"));
    buf_fini(&out);
}

static void
what_is_live_is_taken_and_the_rest_is_named(void **state)
{
    struct config cfg;
    struct config fresh;
    struct buf why = {0};
    struct buf waiting = {0};

    (void)state;
    assert_int_equal(load(&cfg,
                          "query: {auth: {tokens: [a, b]}}\n"
                          "forward: {headers: ['X: 1'], timeout: 3s}\n",
                          &why),
                     OK);
    assert_int_equal(load(&fresh,
                          "query: {auth: {tokens: [b, c]}}\n"
                          "forward: {timeout: 4s}\n"
                          "service: {log: {level: debug, format: json}}\n"
                          "pairing: {wait: 5s}\n"
                          "gc: {sweep: true}\n"
                          "intake: {exclude: {routes: [/x]}}\n",
                          &why),
                     OK);
    assert_int_equal(config_take(&cfg, &fresh, &waiting), OK);
    config_fini(&fresh);
    assert_int_equal(cfg.query_tokens.len, 2);
    assert_string_equal(cfg.query_tokens.item[0], "b");
    assert_string_equal(cfg.query_tokens.item[1], "c");
    assert_string_equal(cfg.log_level, "debug");
    assert_int_equal(cfg.forward.timeout_ns, 4 * NS_PER_S);
    /* Not live, and a list that would lose its last entry. */
    assert_string_equal(cfg.log_format, "logfmt");
    assert_int_equal(cfg.wait_ns, 60 * NS_PER_S);
    assert_false(cfg.gc_sweep);
    assert_int_equal(cfg.exclude_routes.len, 0);
    assert_int_equal(cfg.forward.headers.len, 1);
    assert_string_equal(
        buf_cstr(&waiting),
        "pairing.wait intake.exclude.routes gc.sweep forward.headers "
        "service.log.format");
    config_fini(&cfg);
    buf_fini(&waiting);
    buf_fini(&why);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_file_everything_has_a_default),
        cmocka_unit_test(a_file_in_the_collectors_shape_is_understood),
        cmocka_unit_test(what_a_file_says_is_quoted_without_controls),
        cmocka_unit_test(a_section_without_content_changes_nothing),
        cmocka_unit_test(what_the_collector_calls_otherwise_is_taken),
        cmocka_unit_test(a_socket_is_one_by_its_transport_or_its_endpoint),
        cmocka_unit_test(an_unknown_key_is_refused_with_line_and_nearest_key),
        cmocka_unit_test(every_key_is_found_by_its_misspelling),
        cmocka_unit_test(a_value_that_is_none_is_refused_with_what_it_takes),
        cmocka_unit_test(
            numbers_are_taken_at_their_limits_and_refused_past_them),
        cmocka_unit_test(the_environment_is_read),
        cmocka_unit_test(what_is_in_force_is_printed_and_can_be_read_back),
        cmocka_unit_test(a_missing_file_is_an_error),
        cmocka_unit_test(endpoints_are_cut_into_host_and_port),
        cmocka_unit_test(what_is_live_is_taken_and_the_rest_is_named),
        cmocka_unit_test(the_reference_has_a_row_of_four_cells_for_each_key),
    };

    dir_make(dir);
    (void)snprintf(path, sizeof(path), "%s/config", dir);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    dir_remove(dir);
    return failed;
}
