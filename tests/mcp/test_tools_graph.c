/*
 * The nodes of a small shop over MCP: their names, counts and overflow.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/ask_tools.h"
#include "tests/support/tool_shop.h"

static void
graph_query_and_graph_node_agree_on_names(void **state)
{
    cJSON *out = ask(tool_shop.tools, "graph_query", "{\"prefix\":\"check\"}");

    (void)state;
    assert_int_equal(ask_len(out, "nodes"), 2);
    assert_string_equal(ask_text(ask_row(out, "nodes", 1), "QualifiedName"),
                        "checkout POST /buy");
    char args[128];
    snprintf(args, sizeof(args), "{\"nodeId\":\"%s\"}",
             ask_text(ask_row(out, "nodes", 1), "NodeHash"));
    cJSON *by_hash = ask(tool_shop.tools, "graph_node", args);
    snprintf(args, sizeof(args), "{\"nodeId\":\"%s\",\"disclosureLevel\":4}",
             ask_text(ask_row(out, "nodes", 1), "id"));
    cJSON *by_id = ask(tool_shop.tools, "graph_node", args);
    assert_string_equal(ask_text(cJSON_GetObjectItem(by_hash, "node"), "id"),
                        ask_text(cJSON_GetObjectItem(by_id, "node"), "id"));
    const cJSON *callers =
        cJSON_GetObjectItem(cJSON_GetObjectItem(by_id, "node"), "callers");
    assert_int_equal((int)ask_number(callers, "count"), 20);
    cJSON_Delete(by_hash);
    cJSON_Delete(by_id);
    cJSON_Delete(out);
    out = ask(tool_shop.tools, "graph_node",
              "{\"nodeId\":\"kafka:orders\",\"disclosureLevel\":0}");
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(out, "node")), 3);
    cJSON_Delete(out);
    ask_refused(tool_shop.tools, "graph_node", "{\"nodeId\":\"chekout\"}",
                "\"service:checkout\"");
    ask_refused(tool_shop.tools, "graph_node", "{}",
                "try graph_node{\"nodeId\":\"service:checkout\"}");
    out = ask(tool_shop.tools, "graph_query", "{\"prefix\":\"%\"}");
    assert_int_equal(ask_len(out, "nodes"), 0);
    cJSON_Delete(out);
}

/* Of services that are in several environments, one after the other. */
static void
a_refusal_lists_each_name_and_environment_once(void **state)
{
    (void)state;
    db_node(&tool_shop.db, NODE_SERVICE, 0, "ace", "prod");
    db_node(&tool_shop.db, NODE_SERVICE, 0, "ace", "qa");
    db_node(&tool_shop.db, NODE_SERVICE, 0, "axe", "prod");
    db_node(&tool_shop.db, NODE_SERVICE, 0, "axe", "test");
    ask_refused(tool_shop.tools, "service_map",
                "{\"service\":\"a*\",\"env\":\"moon\"}",
                "but in: 'prod', 'qa', 'test'");
    ask_refused(tool_shop.tools, "service_map", "{\"env\":\"moon\"}",
                "seen in: 'prod', 'qa', 'test'; ");
    ask_refused(tool_shop.tools, "service_map", "{\"service\":\"%%%\"}",
                "known: ace, axe, checkout, ...; service_map shows more");
    db_node(&tool_shop.db, NODE_SERVICE, 0, "aye", "");
    ask_refused(tool_shop.tools, "service_map",
                "{\"service\":\"a*\",\"env\":\"moon\"}",
                "but in: 'prod', 'qa', 'test', and without one. Try "
                "service_map{\"service\":\"a*\",\"env\":\"prod\"}");
    ask_refused(tool_shop.tools, "service_map",
                "{\"service\":\"aye\",\"env\":\"moon\"}",
                "but only without one. Try service_map{\"service\":\"aye\"}");
}

static void
assert_envs(const cJSON *out, const char *rows)
{
    assert_int_equal(ask_len(out, rows), 2);
    assert_string_equal(ask_text(ask_row(out, rows, 0), "env"), "qa");
    assert_string_equal(ask_text(ask_row(out, rows, 1), "env"), "prod");
}

/* Of one name in two environments, which is told apart by nothing else. */
static void
explain_and_compare_tell_the_environment(void **state)
{
    struct db_fixture *db = &tool_shop.db;
    uint32_t scope = db_node(db, NODE_SCOPE, 0, "otel.sql", "");

    (void)state;
    for (int i = 0; i < 2; i++) {
        uint32_t ace = db_node(db, NODE_SERVICE, 0, "ace", i ? "prod" : "qa");
        uint32_t pg = db_node(db, NODE_DATABASE, 0, "pg:5432", "");
        uint32_t edge = db_edge(db, ace, pg, EDGE_DB, 9 - i);
        db_day(db, edge, FIXTURE_DAY - 1, 9 - i, 1, 0);
        db_edge(db, scope, ace, EDGE_UNRESOLVED, 2 - i);
    }
    cJSON *out = ask(tool_shop.tools, "explain", "{\"service\":\"ace\"}");
    assert_envs(out, "edges");
    assert_int_equal(ask_len(out, "reasons"), 2);
    assert_string_equal(ask_text(ask_row(out, "reasons", 0), "env"), "prod");
    assert_string_equal(ask_text(ask_row(out, "reasons", 1), "env"), "qa");
    cJSON_Delete(out);
    out = ask(tool_shop.tools, "compare",
              "{\"service\":\"ace\",\"span\":\"7d\"}");
    assert_envs(out, "rows");
    cJSON_Delete(out);
}

static void
a_migration_tells_the_environment_of_each_caller(void **state)
{
    struct db_fixture *db = &tool_shop.db;

    (void)state;
    for (int i = 0; i < 2; i++) {
        const char *env = i ? "prod" : "qa";
        uint32_t ace = db_node(db, NODE_SERVICE, 0, "ace", env);
        uint32_t pad = db_node(db, NODE_SERVICE, 0, "pad", env);
        uint32_t edge =
            db_edge(db, pad, db_route(db, ace, "GET /v1"), EDGE_CALL, 9);
        db_day(db, edge, FIXTURE_DAY - 1, 9, 1, 0);
        db_times(db, edge, FIXTURE_NOW_S - 86400, FIXTURE_NOW_S - 9000 + i);
        db_route(db, ace, "GET /v2");
    }
    cJSON *out = ask(tool_shop.tools, "migration_progress",
                     "{\"old\":\"GET /v1\",\"new\":\"GET /v2\"}");
    assert_string_equal(
        ask_text(cJSON_GetObjectItem(out, "last_caller"), "env"), "prod");
    assert_string_equal(ask_text(ask_row(out, "old_callers", 0), "env"),
                        "prod");
    assert_string_equal(ask_text(ask_row(out, "old_callers", 1), "env"), "qa");
    cJSON_Delete(out);
}

static void
a_route_that_is_none_is_refused_with_the_nearest(void **state)
{
    struct db_fixture *db = &tool_shop.db;

    (void)state;
    for (int i = 0; i < 2; i++) {
        uint32_t ace = db_node(db, NODE_SERVICE, 0, "ace", i ? "prod" : "qa");
        db_route(db, ace, "DELETE /all/of/it");
        db_route(db, ace, "GET /what/ever/{}");
        db_route(db, ace, "POST /charge");
    }
    db_route(db, db_service(db, "other"), "GET /charge");
    ask_refused(tool_shop.tools, "who_calls",
                "{\"service\":\"ace\",\"route\":\"charge\"}",
                "no route 'charge' is known there; closest: 'POST /charge'");
    ask_refused(tool_shop.tools, "who_calls",
                "{\"service\":\"ace\",\"route\":\"#\"}",
                "; known: 'DELETE /all/of/it', 'GET /what/ever/{}', "
                "'POST /charge'");
    /* A router that is mounted below another, and what has no routes. */
    ask_refused(tool_shop.tools, "who_calls",
                "{\"service\":\"ace\",\"route\":\"/ever/:id\"}",
                "closest: 'GET /what/ever/{}'");
    db_node(db, NODE_DATABASE, 0, "ace-db", "");
    ask_refused(tool_shop.tools, "who_calls",
                "{\"service\":\"ace-db\",\"route\":\"orders\"}",
                "no route of 'ace-db' was seen; ask without route. Try "
                "who_calls{\"service\":\"ace-db\"}");
}

/* So that the next question is not a guess. */
static void
a_question_about_one_of_several_is_told_their_ids(void **state)
{
    cJSON *out;

    (void)state;
    db_node(&tool_shop.db, NODE_SERVICE, 0, "ace", "prod");
    db_node(&tool_shop.db, NODE_SERVICE, 0, "ace", "qa");
    out = ask(tool_shop.tools, "graph_query", "{\"query\":\"who calls ace\"}");
    assert_string_equal(
        cJSON_GetArrayItem(cJSON_GetObjectItem(out, "hints"), 0)->valuestring,
        "'ace' names several: service:ace@prod, service:ace@qa, so its words "
        "are searched; ids are unique");
    cJSON_Delete(out);
}

static int
count_of(const char *node, const char *direction)
{
    char args[128];

    snprintf(args, sizeof(args), "{\"nodeId\":\"%s\"}", node);
    cJSON *out = ask(tool_shop.tools, "graph_node", args);
    int count = (int)ask_number(
        cJSON_GetObjectItem(cJSON_GetObjectItem(out, "node"), direction),
        "count");
    cJSON_Delete(out);
    return count;
}

static void
a_message_counts_once_at_a_node(void **state)
{
    uint32_t mail = db_service(&tool_shop.db, "mail");
    uint32_t cron = db_service(&tool_shop.db, "cron");

    (void)state;
    db_edge(&tool_shop.db, tool_shop.buy, mail, EDGE_MSG, 9);
    db_edge(&tool_shop.db, cron, mail, EDGE_MSG, 4);
    assert_int_equal(count_of("service:checkout", "callees"), 18 + 9);
    assert_int_equal(count_of("service:cron", "callees"), 4);
    assert_int_equal(count_of("service:mail", "callers"), 9 + 4);
    uint32_t topic = db_node(&tool_shop.db, NODE_TOPIC, 0, "kafka:mail", "");
    db_edge(&tool_shop.db, topic, mail, EDGE_MSG_SUB, 11);
    assert_int_equal(count_of("service:mail", "callers"), 11);
}

static void
check_summary(const char *tool, const char *args, const char *expected)
{
    cJSON *out = ask(tool_shop.tools, tool, args);

    if (!strstr(ask_text(out, "summary"), expected))
        fail_msg("%s: %s", tool, ask_text(out, "summary"));
    cJSON_Delete(out);
}

/* Of two consumers one tells where its messages come from. */
static void
a_message_of_no_known_topic_counts_from_end_to_end(void **state)
{
    uint32_t mail = db_service(&tool_shop.db, "mail");
    uint32_t cron = db_service(&tool_shop.db, "cron");
    uint32_t bare = db_route(&tool_shop.db, mail, "bare");
    uint32_t told = db_route(&tool_shop.db, mail, "told");
    uint32_t topic = db_node(&tool_shop.db, NODE_TOPIC, 0, "kafka:mail", "");

    (void)state;
    db_edge(&tool_shop.db, cron, bare, EDGE_MSG, 50);
    check_summary("who_calls", "{\"service\":\"mail\"}", "1 caller, 50 calls");
    check_summary("runtime_traffic", "{\"service_name\":\"mail\"}",
                  ": 50 calls in, 0 out");
    check_summary("runtime_traffic", "{\"service_name\":\"cron\"}",
                  ": 0 calls in, 50 out");
    db_edge(&tool_shop.db, cron, told, EDGE_MSG, 7);
    db_edge(&tool_shop.db, topic, told, EDGE_MSG_SUB, 7);
    check_summary("who_calls", "{\"service\":\"mail\"}", ", 57 calls");
    check_summary("runtime_traffic", "{\"service_name\":\"mail\"}",
                  ": 57 calls in, 0 out");
}

/* A caller of two routes has two rows; a topic is the way from its producer. */
static void
a_caller_of_two_routes_is_one(void **state)
{
    uint32_t mail = db_service(&tool_shop.db, "mail");
    uint32_t told = db_route(&tool_shop.db, mail, "told");
    uint32_t topic = db_node(&tool_shop.db, NODE_TOPIC, 0, "kafka:mail", "");
    uint32_t sell = db_route(&tool_shop.db, tool_shop.checkout, "POST /sell");

    (void)state;
    db_edge(&tool_shop.db, tool_shop.cart, sell, EDGE_CALL, 5);
    check_summary("who_calls", "{\"service\":\"checkout\"}",
                  "1 caller, 25 calls");
    db_edge(&tool_shop.db, topic, told, EDGE_MSG_SUB, 7);
    check_summary("who_calls", "{\"service\":\"mail\"}", "1 caller, 7 calls");
    db_edge(&tool_shop.db, tool_shop.buy, told, EDGE_MSG, 4);
    check_summary("who_calls", "{\"service\":\"mail\"}", "1 caller, 7 calls");
    db_edge(&tool_shop.db, tool_shop.cart, told, EDGE_MSG, 3);
    check_summary("who_calls", "{\"service\":\"mail\"}", "2 callers, 7 calls");
}

static void
check_hint(const char *tool, const char *args, const char *hint, bool is_there)
{
    cJSON *out = ask(tool_shop.tools, tool, args);

    if (ask_hints(out, hint) != is_there)
        fail_msg("%s %s: %s", tool, args, hint);
    cJSON_Delete(out);
}

/* Of ten calls one was received: who reads its count is told so. */
static void
what_was_sampled_is_said_to_be(void **state)
{
    static const char *const tools[][2] = {
        {"who_calls", "{\"service\":\"checkout\"}"},
        {"runtime_traffic", "{\"service_name\":\"checkout\"}"},
        {"service_map", "{}"}};

    (void)state;
    for (int i = 0; i < 3; i++)
        check_hint(tools[i][0], tools[i][1], "sampled", false);
    db_fixture_sql(&tool_shop.db, "UPDATE edge SET weighted = 10 * weighted");
    for (int i = 0; i < 3; i++)
        check_hint(tools[i][0], tools[i][1], "stands for, 10 times as much",
                   true);
}

/* A route without calls is not passed over since sampling could hide them. */
static void
dead_routes_tells_of_what_is_low(void **state)
{
    (void)state;
    check_hint("dead_routes", "{\"service\":\"checkout\"}", "verdict=low",
               false);
    db_fixture_sql(&tool_shop.db, "UPDATE edge SET weighted = 1000 * weighted, "
                                  "known = count");
    db_fixture_sql(&tool_shop.db,
                   "UPDATE edge_day SET weighted = 1000 * weighted");
    check_hint("dead_routes", "{\"service\":\"checkout\"}",
               "verdict=low lists 1 more", true);
    check_hint("dead_routes", "{\"service\":\"checkout\",\"verdict\":\"low\"}",
               "verdict=low lists", false);
}

static void
a_route_is_asked_for_as_the_code_has_it(void **state)
{
    static const char *const routes[] = {
        "/cart/{id}",    "GET /cart/:id",         "/cart/<int:id>/",
        "/cart/{}",      "GET /cart/{id}",        "cart/<int:id>/",
        "GET cart/{id}", "^cart/(?P<id>[0-9]+)/$"};
    char args[128];

    (void)state;
    for (size_t i = 0; i < sizeof(routes) / sizeof(routes[0]); i++) {
        snprintf(args, sizeof(args),
                 "{\"service_name\":\"web\",\"route_pattern\":\"%s\"}",
                 routes[i]);
        check_summary("runtime_traffic", args, "1 observed edge of web");
        snprintf(args, sizeof(args), "{\"service\":\"web\",\"route\":\"%s\"}",
                 routes[i]);
        check_summary("who_calls", args, "1 caller, 50 calls");
    }
    check_summary("runtime_traffic",
                  "{\"service_name\":\"web\",\"route_pattern\":\"/c%/{}\"}",
                  "1 observed edge of web");
    check_summary("who_calls", "{\"service\":\"web\",\"route\":\"/*/{id}\"}",
                  "1 caller, 50 calls");
    check_summary("runtime_traffic",
                  "{\"service_name\":\"pay\",\"route_pattern\":"
                  "\"pay.Pay/Charge\"}",
                  "1 observed edge of pay");
    check_hint("runtime_traffic",
               "{\"service_name\":\"web\",\"route_pattern\":\"/cart/17\"}",
               "nothing fits '/cart/17'; % stands for anything", true);
}

/* No caller is known is not no call. */
static void
calls_whose_callers_never_came_are_told(void **state)
{
    static const char *const args[][2] = {
        {"who_calls", "{\"service\":\"mail\"}"},
        {"runtime_traffic", "{\"service_name\":\"mail\"}"}};
    uint32_t mail = db_service(&tool_shop.db, "mail");
    uint32_t scope = db_node(&tool_shop.db, NODE_SCOPE, 0, "otel.http", "");

    (void)state;
    db_edge(&tool_shop.db, 0, mail, EDGE_SEEN, 7);
    for (int i = 0; i < 2; i++) {
        check_hint(args[i][0], args[i][1], "no traffic", true);
        check_hint(args[i][0], args[i][1], "was called", false);
    }
    db_edge(&tool_shop.db, scope, mail, EDGE_ORPHAN, 7);
    for (int i = 0; i < 2; i++) {
        check_hint(args[i][0], args[i][1], "no traffic", false);
        check_hint(args[i][0], args[i][1],
                   "mail was called, but by whom is not known, 7 times", true);
    }
    /* Beside callers that are known, too; but none of before the window. */
    check_hint("who_calls", "{\"service\":\"checkout\"}",
               "by whom is not known, 3 times", true);
    db_fixture_sql(&tool_shop.db,
                   "UPDATE edge SET last_s = 1000 WHERE kind = %d",
                   (int)EDGE_ORPHAN);
    check_hint("who_calls", "{\"service\":\"mail\",\"since\":\"7d\"}",
               "was called", false);
}

static void
an_overflow_node_tells_how_many_names_it_stands_for(void **state)
{
    uint32_t other = db_route(&tool_shop.db, tool_shop.web, "{other}");

    (void)state;
    db_fixture_sql(&tool_shop.db, "INSERT INTO overflow VALUES (%u, 1234, x'')",
                   other);
    cJSON *out = ask(tool_shop.tools, "graph_node",
                     "{\"nodeId\":\"route:web {other}\"}");
    assert_int_equal(
        (int)ask_number(cJSON_GetObjectItem(out, "node"), "distinct_estimate"),
        1234);
    cJSON_Delete(out);
    out = ask(tool_shop.tools, "graph_node", "{\"nodeId\":\"service:web\"}");
    assert_null(cJSON_GetObjectItem(cJSON_GetObjectItem(out, "node"),
                                    "distinct_estimate"));
    cJSON_Delete(out);
    out = ask(tool_shop.tools, "trace_stats", "{}");
    assert_true(ask_hints(out, "web {other} stands for about 1234 names"));
    cJSON_Delete(out);
    out = ask(tool_shop.tools, "trace_stats", "{\"service\":\"checkout\"}");
    assert_false(ask_hints(out, "stands for"));
    cJSON_Delete(out);
}

static void
one_of_a_kind_is_said_so(void **state)
{
    cJSON *out = ask(tool_shop.tools, "graph_query", "{\"prefix\":\"kafka\"}");

    (void)state;
    assert_string_equal(ask_text(out, "summary"), "1 node begins with 'kafka'");
    cJSON_Delete(out);
    out = ask(tool_shop.tools, "trace_stats", "{\"service\":\"web\"}");
    assert_non_null(strstr(ask_text(out, "summary"), " of 1 service;"));
    cJSON_Delete(out);
}

/* As JavaScript and Python write instants. */
static void
since_is_read_with_fractions_and_offsets(void **state)
{
    static const char *const same[] = {
        "2025-12-29T11:00:00Z",      "2025-12-29T11:00:00+00:00",
        "2025-12-29T11:00:00.500Z",  "2025-12-29T11:00:00.123456+00:00",
        "2025-12-29T13:00:00+02:00", "2025-12-29T05:30:00.9-05:30"};
    static const char *const bad[] = {
        "2025-02-30", "2025-02-30T00:00:00Z", "2025-12-29T11:00:00",
        "2025-12-29T11:00:00.Z", "2025-12-29T11:00:00Zx"};
    char ask_with[96];

    (void)state;
    for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
        snprintf(ask_with, sizeof(ask_with), "{\"since\":\"%s\"}", same[i]);
        cJSON *out = ask(tool_shop.tools, "service_map", ask_with);
        const cJSON *window = cJSON_GetObjectItem(out, "window");
        assert_int_equal(ask_number(window, "from"), 1767006000);
        cJSON_Delete(out);
    }
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        snprintf(ask_with, sizeof(ask_with), "{\"since\":\"%s\"}", bad[i]);
        ask_refused(tool_shop.tools, "service_map", ask_with, "is no time");
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TOOL_SHOP(graph_query_and_graph_node_agree_on_names),
        TOOL_SHOP(explain_and_compare_tell_the_environment),
        TOOL_SHOP(a_refusal_lists_each_name_and_environment_once),
        TOOL_SHOP(a_migration_tells_the_environment_of_each_caller),
        TOOL_SHOP(a_route_that_is_none_is_refused_with_the_nearest),
        TOOL_SHOP(a_question_about_one_of_several_is_told_their_ids),
        TOOL_SHOP(a_message_counts_once_at_a_node),
        TOOL_SHOP(a_message_of_no_known_topic_counts_from_end_to_end),
        TOOL_SHOP(a_caller_of_two_routes_is_one),
        TOOL_SHOP(what_was_sampled_is_said_to_be),
        TOOL_SHOP(dead_routes_tells_of_what_is_low),
        TOOL_SHOP(a_route_is_asked_for_as_the_code_has_it),
        TOOL_SHOP(calls_whose_callers_never_came_are_told),
        TOOL_SHOP(an_overflow_node_tells_how_many_names_it_stands_for),
        TOOL_SHOP(one_of_a_kind_is_said_so),
        TOOL_SHOP(since_is_read_with_fractions_and_offsets),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
