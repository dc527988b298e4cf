/*
 * Whom the tools about code mean by a name, and what they say of one that is
 * of nothing or of several.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/support/ask_tools.h"
#include "tests/support/code_shop.h"
#include "tests/support/code_tools.h"

static void
a_symbol_has_many_names(void **state)
{
    static const char *const names[] = {
        "loadUser",
        "store.loadUser",
        (SHOP_QUALIFIED("src/store.loadUser")),
        "src/store.js:4",
        "src/store.js:5",
        "func:" SHOP_QUALIFIED("src/store.loadUser")};
    static const char *const routes[] = {"GET /users/{}",
                                         "GET /users/:id",
                                         "shop GET /users/{}",
                                         "getUser",
                                         "route:shop GET /users/{}",
                                         "route:shop:GET /users/{}"};
    char args[256];
    char hash[65] = "";

    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        snprintf(args, sizeof(args), "{\"target_hash\":\"%s\"}", names[i]);
        cJSON *out = code_tools_ask("blast_radius", args);
        assert_string_equal(text_at(out, "Target|QualifiedName"),
                            SHOP_QUALIFIED("src/store.loadUser"));
        snprintf(hash, sizeof(hash), "%s", text_at(out, "Target|NodeHash"));
        cJSON_Delete(out);
    }
    for (size_t i = 0; i < sizeof(routes) / sizeof(routes[0]); i++) {
        snprintf(args, sizeof(args), "{\"source_hash\":\"%s\"}", routes[i]);
        cJSON *out = code_tools_ask("trace_dataflow", args);
        assert_string_equal(text_at(out, "source|QualifiedName"),
                            SHOP_QUALIFIED("src/app.getUser"));
        cJSON_Delete(out);
    }
    snprintf(args, sizeof(args), "{\"target_hash\":\"%s\"}", hash);
    cJSON_Delete(code_tools_ask("blast_radius", args));
}

static void
of_two_environments_each_has_a_name(void **state)
{
    (void)state;
    db_node(&code_tools.db, NODE_SERVICE, 0, "pay", "prod");
    uint32_t pay = db_node(&code_tools.db, NODE_SERVICE, 0, "pay", "test");
    db_route(&code_tools.db, pay, "GET /fee");
    code_tools_refuse("cross_repo_callers", "{\"target_hash\":\"pay\"}",
                      "fits 2; use one of: \"service:pay@prod\", "
                      "\"service:pay@test\"");
    code_tools_refuse("cross_repo_callers", "{\"target_hash\":\"pai\"}",
                      "closest: \"service:pay@prod\"");
    cJSON_Delete(code_tools_ask("cross_repo_callers",
                                "{\"target_hash\":\"service:pay@prod\"}"));
    cJSON_Delete(code_tools_ask(
        "blast_radius", "{\"target_hash\":\"route:pay@test:GET /fee\"}"));
}

static void
a_service_in_another_case_is_nearer_than_a_function(void **state)
{
    (void)state;
    db_service(&code_tools.db, "loadusr");
    code_tools_refuse("cross_repo_callers", "{\"target_hash\":\"LoadUsr\"}",
                      "closest: \"service:loadusr\", \"" SHOP_QUALIFIED(
                          "src/store.loadUser") "\"");
    /* One that was seen after the graph was made is not found by any name. */
    db_service(&code_tools.db, "loadusrs");
    code_tools_refuse(
        "cross_repo_callers", "{\"target_hash\":\"LoadUsr\"}",
        "closest: \"service:loadusr\", \"" SHOP_QUALIFIED(
            "src/store.loadUser") "\", \"" SHOP_QUALIFIED("src/"
                                                          "store.test.loads") "\"; ");
}

static void
a_name_with_a_star_is_no_pattern_where_there_is_one(void **state)
{
    cJSON *out;

    (void)state;
    db_node(&code_tools.db, NODE_TOPIC, 0, "kafka:a.*", "");
    db_node(&code_tools.db, NODE_TOPIC, 0, "kafka:a.b", "");
    out = code_tools_ask("graph_node", "{\"nodeId\":\"topic:kafka:a.*\"}");
    assert_string_equal(text_at(out, "node|name"), "kafka:a.*");
    cJSON_Delete(out);
    cJSON_Delete(code_tools_ask("cross_repo_callers",
                                "{\"target_hash\":\"kafka:a.*\"}"));
    code_tools_refuse("cross_repo_callers", "{\"target_hash\":\"kafka:*\"}",
                      "fits 2");
}

static void
unknown_and_ambiguous_names_are_told_what_there_is(void **state)
{
    (void)state;
    code_tools_refuse("blast_radius", "{\"target_hash\":\"loadUsr\"}",
                      "closest: \"" SHOP_QUALIFIED("src/store.loadUser") "\"");
    code_tools_refuse("blast_radius", "{}",
                      "missing required argument: target_hash");
    code_tools_refuse("blast_radius",
                      "{\"target_hash\":\"loadUser\",\"repo_url\":\"x\"}",
                      "repo_url 'x' names none");
    code_tools_refuse("blast_radius",
                      "{\"target_hash\":\"" SHOP_FIRST
                      "aaaaaaaaaaaaaaaaaaaaaaaa\"}",
                      "unknown");
    code_tools_refuse("blast_radius", "{\"target_hash\":\"a1b2c3d4\"}",
                      "invalid hash \"a1b2c3d4\": expected 32 bytes, got 4");
    code_tools_refuse("blast_radius", "{\"target_hash\":\"face\"}",
                      "target_hash 'face' unknown");
    /* Several of one last name. */
    code_tools_refuse("trace_dataflow", "{\"source_hash\":\"adds\"}",
                      "fits 3; use one of: \"" SHOP_QUALIFIED(
                          "j.CartTest.adds") "\" (method, "
                                             "j/CartTest.");
    code_tools_refuse("blast_radius",
                      "{\"target_hash\":\"query\",\"evidence\":\"hope\"}",
                      "static, observed, both");
    code_tools_refuse("cross_repo_callers",
                      "{\"target_hash\":\"query\",\"max_depth\":0}",
                      "from 1 to 100");
    code_tools_refuse("blast_radius",
                      "{\"target_hash\":\"query\",\"snapshot_hash\":\"ffff\"}",
                      "snapshot_hash 'ffff'");
    code_tools_refuse("repo_graph", "{\"repo_hash\":\"nothing\"}", SHOP_URL);
    code_tools_refuse("test_scope", "{\"files\":\"none.js\"}", "repo_graph");
    code_tools_refuse("test_scope",
                      "{\"files\":\"src/app.js\",\"output\":\"all\"}",
                      "packages, functions, run");
    code_tools_refuse("drift", "{\"kind\":\"sea\"}", "never_observed");
}

/* Who reads the code knows the function that answers, not its route. */
static void
a_route_is_asked_for_by_the_function_that_handles_it(void **state)
{
    static const char *const names[] = {"getUser", "app.getUser",
                                        SHOP_QUALIFIED("src/app.getUser")};
    char args[256];

    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        snprintf(args, sizeof(args), "{\"service\":\"shop\",\"route\":\"%s\"}",
                 names[i]);
        cJSON *out = code_tools_ask("who_calls", args);
        assert_int_equal((int)number_at(out, "total"), 1);
        assert_string_equal(text_at(out, "callers|0|caller"), "web GET /");
        assert_string_equal(text_at(out, "callers|0|target"),
                            "shop GET /users/{}");
        cJSON_Delete(out);
    }
    /* It handles none of that service. */
    code_tools_refuse("who_calls",
                      "{\"service\":\"web\",\"route\":\"getUser\"}",
                      "no route 'getUser' is known there");
    code_tools_refuse("who_calls",
                      "{\"service\":\"shop\",\"route\":\"loadUser\"}",
                      "no route 'loadUser' is known there");
}

static void
a_function_that_is_taken_for_a_service_is_told_where_to_ask(void **state)
{
    (void)state;
    code_tools_refuse(
        "who_calls", "{\"service\":\"store.loadUser\"}",
        "is no service, but a function of the code. Try graph_query{\"query\":"
        "\"who calls " SHOP_QUALIFIED("src/store.loadUser") "\"}");
    cJSON *out = code_tools_ask(
        "graph_query",
        "{\"query\":\"who calls " SHOP_QUALIFIED("src/store.loadUser") "\"}");
    assert_string_equal(text_at(out, "nodes|0|id"),
                        "func:" SHOP_QUALIFIED("src/store.loadUser"));
    cJSON_Delete(out);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        CODE_SHOP(a_symbol_has_many_names),
        CODE_SHOP(of_two_environments_each_has_a_name),
        CODE_SHOP(a_service_in_another_case_is_nearer_than_a_function),
        CODE_SHOP(a_name_with_a_star_is_no_pattern_where_there_is_one),
        CODE_SHOP(a_route_is_asked_for_by_the_function_that_handles_it),
        CODE_SHOP(a_function_that_is_taken_for_a_service_is_told_where_to_ask),
        CODE_SHOP(unknown_and_ambiguous_names_are_told_what_there_is),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
