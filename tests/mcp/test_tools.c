/*
 * Each tool on a small shop: its fields, its envelope, its errors, its limits;
 * and every reply fits the output schema that the tool declares.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "graph/query_edges.h"
#include "mcp/tools.h"
#include "mcp/tools_parts.h"
#include "tests/support/ask_tools.h"
#include "tests/support/tool_shop.h"

static void
runtime_traffic_has_knowings_fields_and_names(void **state)
{
    cJSON *out = ask(tool_shop.tools, "runtime_traffic",
                     "{\"service_name\":\"checkout\"}");
    const cJSON *edge = ask_row(out, "edges", 0);

    (void)state;
    assert_int_equal((int)ask_number(out, "total"), 3);
    assert_int_equal(strlen(ask_text(edge, "EdgeHash")), 64);
    assert_int_equal(strlen(ask_text(edge, "SourceHash")), 64);
    assert_int_equal(strlen(ask_text(edge, "TargetHash")), 64);
    assert_string_equal(ask_text(edge, "EdgeType"), "call");
    assert_string_equal(ask_text(edge, "Provenance"), "otel_trace");
    assert_string_equal(ask_text(edge, "CallSiteFile"), "");
    assert_int_equal((int)ask_number(edge, "ObservationCount"), 20);
    assert_int_equal((int)ask_number(edge, "LastObserved"), FIXTURE_NOW_S - 60);
    assert_string_equal(ask_text(edge, "source"), "GET /cart/{}");
    assert_string_equal(ask_text(edge, "target_service"), "checkout");
    assert_true(ask_number(edge, "p50_ms") > 4.8 &&
                ask_number(edge, "p50_ms") < 5.2);
    assert_int_equal((int)ask_number(out, "data_as_of"), FIXTURE_NOW_S);
    cJSON_Delete(out);
    out = ask(tool_shop.tools, "runtime_traffic",
              "{\"service_name\":\"checkout\","
              "\"route_pattern\":\"/bu%\","
              "\"response_format\":\"concise\"}");
    assert_int_equal(ask_len(out, "edges"), 1);
    assert_null(cJSON_GetObjectItem(ask_row(out, "edges", 0), "EdgeHash"));
    cJSON_Delete(out);
}

static void
an_edge_hash_is_the_recipes(void **state)
{
    unsigned char hash[32];
    struct buf hex = {0};
    struct query_view *view;
    struct query_edge edge = {.kind = EDGE_CALL};

    (void)state;
    assert_int_equal(query_begin(tool_shop.query, FIXTURE_NOW_S, &view), OK);
    edge.source = tool_shop.cart;
    edge.target = tool_shop.buy;
    query_edge_hash(view, &edge, hash);
    buf_add_hex(&hex, (str){(const char *)hash, 32});
    assert_int_equal(hex.len, 64);
    edge.kind = EDGE_MSG;
    unsigned char other[32];
    query_edge_hash(view, &edge, other);
    assert_memory_not_equal(hash, other, 32);
    buf_fini(&hex);
    query_end(view);
}

static void
dead_routes_gives_candidates_and_what_it_could_not_judge(void **state)
{
    cJSON *out = ask(tool_shop.tools, "dead_routes", "{}");
    const cJSON *route = ask_row(out, "routes", 0);

    (void)state;
    assert_int_equal(ask_len(out, "routes"), 1);
    assert_string_equal(ask_text(route, "ServiceName"), "checkout");
    assert_string_equal(ask_text(route, "RoutePattern"), "/old");
    assert_string_equal(ask_text(route, "MappingType"), "http_route");
    assert_int_equal((int)ask_number(route, "CreatedAt"), 1);
    assert_string_equal(ask_text(route, "verdict"), "never_observed");
    assert_string_equal(ask_text(route, "confidence"), "high");
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(route, "handler")));
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(route, "file")));
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(route, "line")));
    assert_int_equal(ask_len(route, "owners"), 0);
    assert_int_equal(ask_len(out, "not_judged"), 1);
    const cJSON *line = ask_row(out, "not_judged", 0);
    assert_string_equal(ask_text(line, "service"), "web");
    assert_int_equal((int)ask_number(line, "routes"), ask_len(line, "names"));
    assert_true(ask_hints(out, "could not be judged"));
    assert_non_null(strstr(ask_text(out, "summary"), "1 could not be judged"));
    cJSON_Delete(out);
    out = ask(tool_shop.tools, "dead_routes",
              "{\"verdict\":\"all\",\"stale_days\":60}");
    assert_int_equal(ask_len(out, "routes"), 3);
    cJSON_Delete(out);
    out = ask(tool_shop.tools, "dead_routes", "{\"verdict\":\"active\"}");
    assert_int_equal(ask_len(out, "routes"), 1);
    assert_string_equal(ask_text(ask_row(out, "routes", 0), "last_caller"),
                        "web GET /cart/{}");
    cJSON_Delete(out);
    ask_refused(tool_shop.tools, "dead_routes", "{\"stale_days\":0}",
                "from 1 to 400");
    ask_refused(tool_shop.tools, "dead_routes", "{\"stale_days\":401}",
                "from 1 to 400");
    ask_refused(tool_shop.tools, "dead_routes", "{\"verdict\":\"gone\"}",
                "never_observed");
}

static void
ignored_routes_are_shown_as_suppressed(void **state)
{
    static const char *const ignore[] = {"/old"};

    (void)state;
    tools_set_ignore(tool_shop.tools, ignore, 1);
    cJSON *out =
        ask(tool_shop.tools, "dead_routes", "{\"verdict\":\"suppressed\"}");
    assert_int_equal(ask_len(out, "routes"), 1);
    cJSON_Delete(out);
}

static void
trace_stats_has_knowings_fields(void **state)
{
    cJSON *out = ask(tool_shop.tools, "trace_stats", "{}");

    (void)state;
    assert_int_equal((int)ask_number(out, "TotalEdges"), 4);
    assert_int_equal((int)ask_number(out, "ActiveEdges"), 4);
    assert_int_equal((int)ask_number(out, "StaleEdges"), 0);
    assert_int_equal((int)ask_number(out, "GCEligible"), 0);
    assert_int_equal(
        (int)ask_number(cJSON_GetObjectItem(out, "ByEdgeType"), "call"), 2);
    assert_int_equal(
        (int)ask_number(cJSON_GetObjectItem(out, "counters"), "orphan_ingress"),
        3);
    cJSON_Delete(out);
    out = ask(tool_shop.tools, "trace_stats", "{\"service\":\"web\"}");
    assert_int_equal((int)ask_number(out, "TotalEdges"), 2);
    assert_true(ask_hints(out, "no telemetry"));
    assert_true(ask_hints(out, "of all services"));
    cJSON_Delete(out);
    out = ask(tool_shop.tools, "trace_stats", "{\"service\":\"checkout\"}");
    assert_false(ask_hints(out, "no traffic"));
    cJSON_Delete(out);
}

static void
an_environment_nobody_is_seen_in_is_refused(void **state)
{
    (void)state;
    ask_refused(tool_shop.tools, "trace_stats", "{\"env\":\"moon\"}",
                "env 'moon'");
    ask_refused(tool_shop.tools, "service_map", "{\"env\":\"moon\"}",
                "env 'moon'");
    ask_refused(tool_shop.tools, "dead_routes", "{\"env\":\"moon\"}",
                "leave env out");
}

static void
a_suggested_call_keeps_the_other_arguments(void **state)
{
    (void)state;
    ask_refused(tool_shop.tools, "explain",
                "{\"service\":\"web\",\"peer\":\"checkot\"}",
                "Try explain{\"service\":\"web\",\"peer\":\"checkout\"}");
    ask_refused(tool_shop.tools, "who_calls",
                "{\"service\":\"checkot\",\"limit\":20,\"cursor\":\"x\"}",
                "Try who_calls{\"service\":\"checkout\"}");
    ask_refused(tool_shop.tools, "graph_node",
                "{\"nodeId\":\"service:checkot\"}",
                "closest: \"service:checkout\"");
}

static void
service_map_names_its_columns(void **state)
{
    cJSON *out = ask(tool_shop.tools, "service_map", "{}");
    const cJSON *first = ask_row(out, "rows", 0);

    (void)state;
    assert_int_equal(ask_len(out, "rows"), 4);
    assert_int_equal(ask_len(out, "columns"), cJSON_GetArraySize(first));
    assert_string_equal(cJSON_GetArrayItem(first, 0)->valuestring, "user");
    assert_string_equal(cJSON_GetArrayItem(first, 1)->valuestring, "web");
    cJSON_Delete(out);
    out = ask(tool_shop.tools, "service_map",
              "{\"level\":\"endpoint\",\"kind\":\"call\","
              "\"response_format\":\"detailed\"}");
    assert_int_equal(ask_len(out, "rows"), 2);
    assert_int_equal(ask_len(out, "nodes"), 3);
    assert_int_equal(ask_len(out, "columns"),
                     cJSON_GetArraySize(ask_row(out, "rows", 0)));
    cJSON_Delete(out);
    out = ask(tool_shop.tools, "service_map", "{\"env\":\"prod\"}");
    assert_int_equal(ask_len(out, "rows"), 1);
    int last = ask_len(out, "columns") - 1;
    assert_string_equal(
        cJSON_GetArrayItem(cJSON_GetObjectItem(out, "columns"), last)
            ->valuestring,
        "env");
    assert_string_equal(
        cJSON_GetArrayItem(ask_row(out, "rows", 0), last)->valuestring, "prod");
    cJSON_Delete(out);
    out = ask(tool_shop.tools, "service_map",
              "{\"kind\":\"virtual_in\"}"); /* of no environment */
    assert_int_equal(ask_len(out, "columns"), last);
    cJSON_Delete(out);
    out = ask(tool_shop.tools, "service_map", "{\"since\":\"24h\"}");
    assert_int_equal(ask_len(out, "rows"), 0);
    cJSON_Delete(out);
    ask_refused(tool_shop.tools, "service_map", "{\"level\":\"galaxy\"}",
                "endpoint");
    ask_refused(tool_shop.tools, "service_map", "{\"kind\":\"phone\"}",
                "msg_pub");
    ask_refused(tool_shop.tools, "service_map", "{\"since\":\"soon\"}", "24h");
    ask_refused(tool_shop.tools, "service_map", "{\"since\":\"2099-01-01\"}",
                "yet to come");
    ask_refused(tool_shop.tools, "service_map", "{\"since\":\"9999-01-01\"}",
                "yet to come");
    out = ask(tool_shop.tools, "service_map", "{\"since\":\"1960-01-01\"}");
    assert_string_equal(
        ask_text(cJSON_GetObjectItem(out, "window"), "resolution"), "day");
    cJSON_Delete(out);
}

/* Without that line of SQL nothing is said of traces. */
static void
rows_tell_the_traces_they_were_observed_in(void **state)
{
    static const struct {
        const char *tool, *args, *rows;
    } asked[] = {
        {"who_calls", "{\"service\":\"checkout\"}", "callers"},
        {"runtime_traffic", "{\"service_name\":\"checkout\"}", "edges"},
        {"explain", "{\"service\":\"web\",\"peer\":\"checkout\"}", "edges"},
    };

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        cJSON *out = ask(tool_shop.tools, asked[i].tool, asked[i].args);
        assert_null(
            cJSON_GetObjectItem(ask_row(out, asked[i].rows, 0), "exemplars"));
        cJSON_Delete(out);
    }
    db_fixture_sql(&tool_shop.db,
                   "INSERT INTO edge_exemplar SELECT id, 0, 40,"
                   " x'000102030405060708090a0b0c0d0e0f', 10, x'%032d'"
                   " FROM edge WHERE src = %u AND kind = 1",
                   11, tool_shop.cart);
    db_fixture_sql(&tool_shop.db,
                   "INSERT INTO edge_exemplar SELECT id, 1, 30, x'%032d',"
                   " NULL, NULL FROM edge WHERE src = %u AND kind = 1",
                   12, tool_shop.cart);
    for (size_t i = 0; i < 3; i++) {
        cJSON *out = ask(tool_shop.tools, asked[i].tool, asked[i].args);
        const cJSON *row = ask_row(out, asked[i].rows, 0);
        assert_int_equal(len_at(row, "exemplars"), 3);
        assert_string_equal(text_at(row, "exemplars|0|trace_id"),
                            "000102030405060708090a0b0c0d0e0f");
        assert_int_equal(number_at(row, "exemplars|0|at"), 40);
        assert_true(cJSON_IsFalse(at(row, "exemplars|0|failed")));
        assert_string_equal(text_at(row, "exemplars|1|trace_id"),
                            "00000000000000000000000000000012");
        assert_true(cJSON_IsTrue(at(row, "exemplars|1|failed")));
        assert_int_equal(number_at(row, "exemplars|2|at"), 10);
        cJSON_Delete(out);
    }
}

static void
who_calls_gives_callers_with_latency_and_versions(void **state)
{
    cJSON *out =
        ask(tool_shop.tools, "who_calls", "{\"service\":\"checkout\"}");
    const cJSON *caller = ask_row(out, "callers", 0);

    (void)state;
    assert_int_equal(ask_len(out, "callers"), 1);
    assert_string_equal(ask_text(caller, "caller"), "web GET /cart/{}");
    assert_string_equal(ask_text(caller, "target"), "checkout POST /buy");
    assert_true(ask_number(caller, "p95_ms") > 4.8);
    assert_string_equal(
        cJSON_GetArrayItem(cJSON_GetObjectItem(caller, "caller_versions"), 0)
            ->valuestring,
        "1.2.3");
    cJSON_Delete(out);
    out = ask(tool_shop.tools, "who_calls",
              "{\"service\":\"checkout\",\"route\":\"/buy\"}");
    assert_int_equal(ask_len(out, "callers"), 1);
    cJSON_Delete(out);
    out = ask(tool_shop.tools, "who_calls",
              "{\"service\":\"checkout\",\"route\":\"POST /b*\"}");
    assert_int_equal(ask_len(out, "callers"), 1);
    cJSON_Delete(out);
    out = ask(tool_shop.tools, "who_calls", "{\"service\":\"kafka:orders\"}");
    assert_int_equal(ask_len(out, "callers"), 1);
    cJSON_Delete(out);
    out = ask(tool_shop.tools, "who_calls",
              "{\"service\":\"pay\",\"response_format\":\"concise\"}");
    assert_string_equal(ask_text(ask_row(out, "callers", 0), "env"), "prod");
    cJSON_Delete(out);
    ask_refused(tool_shop.tools, "who_calls",
                "{\"service\":\"checkout\",\"route\":\"/sell\"}",
                "'POST /buy'");
}

static void
explain_tells_reasons_with_their_scope(void **state)
{
    cJSON *out = ask(tool_shop.tools, "explain", "{\"service\":\"checkout\"}");
    const cJSON *reason = ask_row(out, "reasons", 1);

    (void)state;
    assert_int_equal(ask_len(out, "edges"), 3);
    assert_string_equal(ask_text(reason, "reason"), "orphan_ingress");
    assert_string_equal(ask_text(reason, "scope"), "otel.http");
    assert_int_equal((int)ask_number(reason, "count"), 3);
    cJSON_Delete(out);
    out = ask(tool_shop.tools, "explain",
              "{\"service\":\"web\",\"peer\":\"checkout\"}");
    assert_int_equal(ask_len(out, "edges"), 1);
    assert_int_equal(ask_len(out, "services"), 2);
    cJSON_Delete(out);
    out = ask(tool_shop.tools, "explain",
              "{\"service\":\"web\",\"peer\":\"pay\"}");
    assert_int_equal(ask_len(out, "edges"), 0);
    assert_true(ask_hints(out, "no telemetry"));
    assert_true(ask_hints(out, "flow_between{\"source_symbol\":\"web\","));
    cJSON_Delete(out);
}

static void
explain_counts_once_what_both_sides_hold(void **state)
{
    cJSON *one = ask(tool_shop.tools, "explain", "{\"service\":\"*\"}");
    cJSON *both =
        ask(tool_shop.tools, "explain", "{\"service\":\"*\",\"peer\":\"*\"}");
    (void)state;
    assert_true(ask_number(one, "total") > 0);
    assert_true(ask_number(one, "total") == ask_number(both, "total"));
    assert_int_equal(ask_len(one, "services"), ask_len(both, "services"));
    cJSON_Delete(one);
    cJSON_Delete(both);
}

static void
explain_counts_what_it_does_not_list(void **state)
{
    uint32_t scope = db_node(&tool_shop.db, NODE_SCOPE, 0, "http", "");
    char name[16];

    (void)state;
    for (int i = 0; i < 11; i++) {
        snprintf(name, sizeof(name), "many%d", i);
        db_edge(&tool_shop.db, scope, db_service(&tool_shop.db, name),
                EDGE_ORPHAN, 1);
    }
    cJSON *out = ask(tool_shop.tools, "explain", "{\"service\":\"*\"}");
    assert_int_equal(ask_len(out, "services"), 10);
    assert_non_null(strstr(ask_text(out, "summary"), "11 spans"));
    assert_true(ask_hints(out, "only the first 10 of 11 services"));
    assert_true(ask_hints(out, "1 more reason is left out"));
    cJSON_Delete(out);
}

static void
an_unknown_service_is_told_the_nearest(void **state)
{
    (void)state;
    ask_refused(tool_shop.tools, "runtime_traffic",
                "{\"service_name\":\"chekout\"}", "closest: checkout");
    ask_refused(tool_shop.tools, "runtime_traffic",
                "{\"service_name\":\"chekout\"}",
                "Try runtime_traffic{\"service_name\":\"checkout\"}");
    ask_refused(tool_shop.tools, "runtime_traffic", "{}",
                "service_name is required");
    ask_refused(tool_shop.tools, "runtime_traffic", "{\"service_name\":3}",
                "must be a string");
    ask_refused(tool_shop.tools, "runtime_traffic",
                "{\"service_name\":\"pay\",\"env\":\"dev\"}", "'prod'");
    ask_refused(tool_shop.tools, "runtime_traffic", "{\"srvice_name\":\"web\"}",
                "did you mean 'service_name'");
    /* Not the nearest of all, where none is near. */
    ask_refused(tool_shop.tools, "runtime_traffic", "{\"targt\":\"web\"}",
                "takes no argument 'targt'; try ");
    /* As other tools call it. */
    ask_refused(tool_shop.tools, "runtime_traffic", "{\"service\":\"chekout\"}",
                "Try runtime_traffic{\"service_name\":\"checkout\"}");
    ask_refused(tool_shop.tools, "runtime_traffic",
                "{\"service_name\":\"web\",\"limit\":501}", "from 1 to 500");
    ask_refused(tool_shop.tools, "runtime_trafic", "{}",
                "closest: runtime_traffic");
}

static void
pages_follow_one_another_without_gap(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 25; i++) {
        char name[32];

        snprintf(name, sizeof(name), "GET /r%02u", i);
        uint32_t route = db_route(&tool_shop.db, tool_shop.web, name);
        db_edge(&tool_shop.db, route, tool_shop.buy, EDGE_CALL, 1);
    }
    char args[256] = "{\"service\":\"checkout\",\"limit\":10}";
    int seen = 0;
    cJSON *out;
    for (int page = 0; page < 3; page++) {
        out = ask(tool_shop.tools, "who_calls", args);
        seen += ask_len(out, "callers");
        assert_int_equal((int)ask_number(out, "total"), 26);
        const cJSON *next = cJSON_GetObjectItem(out, "next_cursor");
        assert_int_equal(cJSON_IsNull(next), page == 2);
        assert_int_equal(cJSON_IsTrue(cJSON_GetObjectItem(out, "truncated")),
                         page < 2);
        if (page < 2)
            snprintf(args, sizeof(args),
                     "{\"limit\":10,\"cursor\":\"%s\","
                     "\"service\":\"checkout\"}",
                     next->valuestring);
        cJSON_Delete(out);
    }
    assert_int_equal(seen, 26);
    ask_refused(tool_shop.tools, "who_calls",
                "{\"service\":\"checkout\",\"cursor\":\"x\"}", "first page");
    char *other = strstr(args, "checkout");
    memcpy(other, "web\"}   ", 8);
    other[5] = '\0';
    ask_refused(tool_shop.tools, "who_calls", args, "not from a call");
}

static void
a_long_list_is_cut_at_the_size_of_a_reply(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 300; i++) {
        char name[220];

        snprintf(name, sizeof(name), "GET /%0200u", i);
        uint32_t route = db_route(&tool_shop.db, tool_shop.web, name);
        db_edge(&tool_shop.db, route, tool_shop.buy, EDGE_CALL, 1);
    }
    cJSON *out = ask(tool_shop.tools, "runtime_traffic",
                     "{\"service_name\":\"checkout\",\"limit\":500}");
    assert_true(ask_len(out, "edges") > 10 && ask_len(out, "edges") < 303);
    assert_true(cJSON_IsTrue(cJSON_GetObjectItem(out, "truncated")));
    assert_true(cJSON_IsString(cJSON_GetObjectItem(out, "next_cursor")));
    cJSON_Delete(out);
}

static void
an_empty_graph_says_there_is_no_telemetry(void **state)
{
    (void)state;
    cJSON *out = ask(tool_shop.tools, "trace_stats", "{}");
    assert_true(ask_hints(out, "no telemetry"));
    cJSON_Delete(out);
    out = ask(tool_shop.tools, "service_map", "{}");
    assert_true(ask_hints(out, "no telemetry"));
    cJSON_Delete(out);
    out = ask(tool_shop.tools, "dead_routes", "{}");
    assert_true(ask_hints(out, "no routes are known"));
    cJSON_Delete(out);
    out = ask(tool_shop.tools, "graph_query", "{\"prefix\":\"\"}");
    assert_int_equal(ask_len(out, "nodes"), 0);
    cJSON_Delete(out);
    ask_refused(tool_shop.tools, "runtime_traffic", "{\"service_name\":\"x\"}",
                "no service has been seen yet");
    ask_refused(tool_shop.tools, "explain", "{\"service\":\"x\"}",
                "no service has been seen yet");
}

static void
hostile_names_stay_data(void **state)
{
    const char *hostile = "x\\\"}],\\\"isError\\\":true %s%n' OR 1=1 --";
    char args[256];

    (void)state;
    db_service(&tool_shop.db, "x\"}],\"isError\":true %s%n' OR 1=1 --");
    snprintf(args, sizeof(args), "{\"service\":\"%s\"}", hostile);
    cJSON *out = ask(tool_shop.tools, "explain", args);
    assert_string_equal(ask_text(ask_row(out, "services", 0), "service"),
                        "x\"}],\"isError\":true %s%n' OR 1=1 --");
    cJSON_Delete(out);
    ask_refused(tool_shop.tools, "explain", "{\"service\":\"%s%n%x\"}",
                "'%s%n%x' unknown");
    ask_refused(tool_shop.tools, "who_calls",
                "{\"service\":\"********************a\"}", "unknown");
}

static void
a_service_that_sends_nothing_is_told_from_one_that_is_quiet(void **state)
{
    (void)state;
    db_fixture_sql(&tool_shop.db, "DELETE FROM edge WHERE kind = %d",
                   (int)EDGE_ORPHAN);
    cJSON *out = ask(tool_shop.tools, "who_calls",
                     "{\"service\":\"pay\",\"since\":\"1h\"}");
    assert_int_equal(ask_len(out, "callers"), 0);
    assert_true(ask_hints(out, "no telemetry: pay"));
    cJSON_Delete(out);
    out = ask(tool_shop.tools, "who_calls",
              "{\"service\":\"checkout\",\"since\":\"1h\"}");
    assert_true(ask_hints(out, "no traffic: checkout sends"));
    cJSON_Delete(out);
    (void)db_node(&tool_shop.db, NODE_SERVICE, 0, "checkout", "staging");
    out = ask(tool_shop.tools, "who_calls",
              "{\"service\":\"checkout\",\"since\":\"1h\"}");
    assert_true(ask_hints(out, "no traffic: checkout sends"));
    assert_true(ask_hints(out, "no telemetry: checkout (staging) sends no"));
    cJSON_Delete(out);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TOOL_SHOP(runtime_traffic_has_knowings_fields_and_names),
        TOOL_SHOP(an_edge_hash_is_the_recipes),
        TOOL_SHOP(dead_routes_gives_candidates_and_what_it_could_not_judge),
        TOOL_SHOP(ignored_routes_are_shown_as_suppressed),
        TOOL_SHOP(trace_stats_has_knowings_fields),
        TOOL_SHOP(service_map_names_its_columns),
        TOOL_SHOP(rows_tell_the_traces_they_were_observed_in),
        TOOL_SHOP(who_calls_gives_callers_with_latency_and_versions),
        TOOL_SHOP(explain_tells_reasons_with_their_scope),
        TOOL_SHOP(explain_counts_once_what_both_sides_hold),
        TOOL_EMPTY(explain_counts_what_it_does_not_list),
        TOOL_SHOP(an_environment_nobody_is_seen_in_is_refused),
        TOOL_SHOP(a_suggested_call_keeps_the_other_arguments),
        TOOL_SHOP(an_unknown_service_is_told_the_nearest),
        TOOL_SHOP(pages_follow_one_another_without_gap),
        TOOL_SHOP(a_long_list_is_cut_at_the_size_of_a_reply),
        TOOL_EMPTY(an_empty_graph_says_there_is_no_telemetry),
        TOOL_SHOP(hostile_names_stay_data),
        TOOL_SHOP(a_service_that_sends_nothing_is_told_from_one_that_is_quiet),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
