/*
 * What tools tell of two commits of code, of its tests, and of code beside its
 * traffic.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/ask_tools.h"
#include "tests/support/code_shop.h"
#include "tests/support/code_tools.h"

static void
a_diff_is_of_the_two_that_were_asked(void **state)
{
    cJSON *out =
        code_tools_ask("snapshot_diff", "{\"old_snapshot\":\"" SHOP_FIRST "\","
                                        "\"new_snapshot\":\"bbbb\"}");

    (void)state;
    assert_int_equal(len_at(out, "NodesAdded"), 1);
    assert_string_equal(text_at(out, "NodesAdded|0|QualifiedName"),
                        SHOP_QUALIFIED("src/store.dropUser"));
    assert_int_equal(len_at(out, "NodesRemoved"), 0);
    assert_int_equal(len_at(out, "EdgesAdded"), 1);
    assert_int_equal(len_at(out, "EdgesRemoved"), 1);
    assert_string_equal(text_at(out, "EdgesRemoved|0|EdgeType"), "calls");
    cJSON_Delete(out);
    /* The other way round. */
    out = code_tools_ask("snapshot_diff", "{\"old_snapshot\":\"latest\","
                                          "\"new_snapshot\":\"previous\"}");
    assert_int_equal(len_at(out, "NodesAdded"), 0);
    assert_int_equal(len_at(out, "NodesRemoved"), 1);
    cJSON_Delete(out);
    out = code_tools_ask("snapshot_diff", "{\"old_snapshot\":\"latest\","
                                          "\"new_snapshot\":\"latest\"}");
    assert_int_equal((int)number_at(out, "total"), 0);
    cJSON_Delete(out);
    code_tools_refuse("snapshot_diff", "{\"old_snapshot\":\"latest\"}",
                      "new_snapshot");
    code_tools_refuse("semantic_diff",
                      "{\"old_snapshot\":\"zz\",\"new_snapshot\":\"latest\"}",
                      "latest");
}

/* What cannot be found says which there are. */
static void
a_snapshot_that_is_not_there_names_those_that_are(void **state)
{
    static const char *const wrong[] = {"HEAD~1", "main", "cccccccc"};

    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        char args[100];

        (void)snprintf(args, sizeof(args),
                       "{\"old_snapshot\":\"%s\",\"new_snapshot\":\"latest\"}",
                       wrong[i]);
        code_tools_refuse("semantic_diff", args,
                          "; there are: bbbbbbbbbbbb (latest), aaaaaaaaaaaa");
    }
    code_shop_wide(&code_tools.db, 2);
    code_tools_refuse("blast_radius",
                      "{\"target_hash\":\"saveUser\",\"snapshot_hash\":"
                      "\"latest\"}",
                      "'latest': there are several repositories: name one; "
                      "repo_url is one of \"github.com/acme/shop\", "
                      "\"github.com/acme/wide\"");
    code_tools_refuse("stale_edges",
                      "{\"snapshot_hash\":\"previous\",\"repo_url\":"
                      "\"github.com/acme/wide\"}",
                      "there is no earlier snapshot; there are: aaaaaaaaaaaa "
                      "(latest); index another commit to compare with");
}

static void
a_semantic_diff_says_what_was_modified_and_how(void **state)
{
    cJSON *out =
        code_tools_ask("semantic_diff", "{\"old_snapshot\":\"previous\","
                                        "\"new_snapshot\":\"latest\"}");

    (void)state;
    assert_int_equal((int)number_at(out, "summary|nodes_added"), 1);
    assert_int_equal((int)number_at(out, "summary|nodes_modified"), 1);
    assert_int_equal((int)number_at(out, "summary|edges_removed"), 1);
    assert_string_equal(text_at(out, "nodes_modified|0|qualified_name"),
                        SHOP_QUALIFIED("src/store.saveUser"));
    assert_string_equal(at(out, "nodes_modified|0|changed|0")->valuestring,
                        "signature");
    assert_string_equal(
        text_at(out, "nodes_modified|0|edges_removed|0|target_name"),
        SHOP_QUALIFIED("src/store.retry"));
    cJSON_Delete(out);
    /* A page at a time, each row once. */
    int rows = 0;
    out = code_tools_ask("semantic_diff",
                         "{\"old_snapshot\":\"previous\","
                         "\"new_snapshot\":\"latest\",\"limit\":1}");
    for (;;) {
        const cJSON *cursor = at(out, "next_cursor");
        char args[256];

        rows += (int)number_at(out, "returned");
        if (!cJSON_IsString(cursor))
            break;
        snprintf(args, sizeof(args),
                 "{\"old_snapshot\":\"previous\",\"new_snapshot\":\"latest\","
                 "\"limit\":1,\"cursor\":\"%s\"}",
                 cursor->valuestring);
        cJSON_Delete(out);
        out = code_tools_ask("semantic_diff", args);
    }
    assert_int_equal(rows, 4);
    cJSON_Delete(out);
}

static void
an_impact_states_its_risk_and_the_rule(void **state)
{
    cJSON *out = code_tools_ask("pr_impact", "{\"old_snapshot\":\"previous\","
                                             "\"new_snapshot\":\"latest\"}");

    (void)state;
    assert_int_equal((int)number_at(out, "summary|total_symbols_changed"), 2);
    /* putUser, its route, worker. */
    assert_int_equal((int)number_at(out, "summary|total_callers_affected"), 3);
    assert_string_equal(text_at(out, "summary|risk_level"), "medium");
    assert_non_null(strstr(text_at(out, "summary|risk_rule"), "medium:"));
    assert_string_equal(text_at(out, "changed_symbols|0|change_type"),
                        "modified");
    assert_int_equal((int)number_at(out, "changed_symbols|0|caller_count"), 3);
    assert_int_equal(len_at(out, "affected_edges"), 2);
    cJSON_Delete(out);
    out = code_tools_ask("pr_impact", "{\"old_snapshot\":\"latest\","
                                      "\"new_snapshot\":\"latest\"}");
    assert_string_equal(text_at(out, "summary|risk_level"), "low");
    cJSON_Delete(out);
}

static void
stale_edges_were_there_before(void **state)
{
    cJSON *out =
        code_tools_ask("stale_edges", "{\"snapshot_hash\":\"latest\"}");

    (void)state;
    assert_int_equal((int)number_at(out, "total"), 1);
    assert_string_equal(text_at(out, "edges|0|last_commit"), SHOP_FIRST);
    assert_int_equal(strlen(text_at(out, "edges|0|SourceHash")), 64);
    cJSON_Delete(out);
    out = code_tools_ask("stale_edges", "{\"snapshot_hash\":\"previous\"}");
    assert_int_equal((int)number_at(out, "total"), 0);
    cJSON_Delete(out);
}

static bool
results_have(const cJSON *out, const char *line)
{
    const cJSON *result;

    cJSON_ArrayForEach(result, at(out, "results"))
    {
        if (strcmp(result->valuestring, line) == 0)
            return true;
    }
    return false;
}

static void
tests_are_run_as_their_runner_wants_it(void **state)
{
    static const char *const lines[] = {
        "go test ./pay -run '^(TestCharge)$'",
        ("pytest py/test_cart.py::TestCart::test_add "
         "'q/it'\\''s test.py::test_quote'"),
        "mvn -Dtest='CartTest#adds' test",
        "./gradlew test --tests '*CartTest.sums'",
        "dotnet test --filter 'FullyQualifiedName~CartTests.Adds'",
        "bundle exec rspec r/cart_spec.rb:5",
        "vendor/bin/phpunit --filter testAdd",
        "cargo test -- tests::adds",
    };
    cJSON *out = code_tools_ask(
        "test_scope", "{\"files\":\"pay/pay.go\",\"output\":\"run\"}");

    (void)state;
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
        if (!results_have(out, lines[i]))
            fail_msg("%s is not in %s", lines[i],
                     cJSON_Print(at(out, "results")));
    assert_true(ask_hints(out, "1 tests have no runner"));
    cJSON_Delete(out);
    out = code_tools_ask("test_scope", "{\"files\":\"pay/pay.go\"}");
    assert_string_equal(text_at(out, "mode"), "packages");
    assert_true(results_have(out, "./pay"));
    assert_int_equal((int)number_at(out, "count"), 10);
    cJSON_Delete(out);
    out = code_tools_ask("test_scope",
                         "{\"files\":\"src/store.js\",\"output\":\"run\"}");
    assert_true(results_have(out, "npx jest src/store.test.js"));
    cJSON_Delete(out);
    out = code_tools_ask("test_scope",
                         "{\"files\":\"src/store.test.js, gone.js\","
                         "\"output\":\"functions\"}");
    assert_true(results_have(out, SHOP_QUALIFIED("src/store.test.loads")));
    assert_true(ask_hints(out, "no file \"gone.js\""));
    cJSON_Delete(out);
}

static void
drift_is_told_in_both_directions(void **state)
{
    cJSON *out = code_tools_ask("drift", "{}");

    (void)state;
    assert_int_equal((int)number_at(out, "undocumented"), 1);
    assert_int_equal((int)number_at(out, "never_observed"), 1);
    assert_string_equal(text_at(out, "drift|0|target"), "audit POST /log");
    assert_string_equal(text_at(out, "drift|0|handler"),
                        SHOP_QUALIFIED("src/app.putUser"));
    assert_string_equal(text_at(out, "drift|0|file"), "src/app.js");
    assert_string_equal(text_at(out, "drift|1|target"),
                        "POST http://pay/charge");
    assert_string_equal(text_at(out, "drift|1|file"), "src/app.js");
    /* web's code is not known. */
    assert_true(ask_hints(out, "1 observed calls"));
    cJSON_Delete(out);
    out = code_tools_ask("drift",
                         "{\"kind\":\"undocumented\",\"service\":\"web\"}");
    assert_int_equal((int)number_at(out, "total"), 0);
    cJSON_Delete(out);
}

/* The same code runs as several services; a row says of which environment it
 * is. */
static void
drift_is_of_all_environments_of_the_code(void **state)
{
    struct db_fixture *db = &code_tools.db;
    uint32_t prod = db_node(db, NODE_SERVICE, 0, "shop", "prod");
    uint32_t put = db_route(db, prod, "PUT /users/{}");
    uint32_t pay = db_service(db, "pay");
    uint32_t audit = db_node(db, NODE_SERVICE, 0, "audit", "prod");

    (void)state;
    db_edge(db, 0, prod, EDGE_SEEN, 40);
    db_edge(db, put, db_route(db, audit, "POST /log"), EDGE_CALL, 4);
    cJSON *out = code_tools_ask("drift", "{}");
    assert_int_equal((int)number_at(out, "undocumented"), 2);
    assert_int_equal((int)number_at(out, "never_observed"), 1);
    assert_false(cJSON_HasObjectItem(ask_row(out, "drift", 0), "env"));
    assert_string_equal(text_at(out, "drift|1|env"), "prod");
    cJSON_Delete(out);
    db_edge(db, put, db_route(db, pay, "POST /charge"), EDGE_CALL, 3);
    out = code_tools_ask("drift", "{}");
    assert_int_equal((int)number_at(out, "undocumented"), 2);
    assert_int_equal((int)number_at(out, "never_observed"), 0);
    cJSON_Delete(out);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        CODE_SHOP(a_diff_is_of_the_two_that_were_asked),
        CODE_SHOP(a_snapshot_that_is_not_there_names_those_that_are),
        CODE_SHOP(a_semantic_diff_says_what_was_modified_and_how),
        CODE_SHOP(an_impact_states_its_risk_and_the_rule),
        CODE_SHOP(stale_edges_were_there_before),
        CODE_SHOP(tests_are_run_as_their_runner_wants_it),
        CODE_SHOP(drift_is_told_in_both_directions),
        CODE_SHOP(drift_is_of_all_environments_of_the_code),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
