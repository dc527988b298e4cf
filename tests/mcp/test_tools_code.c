/*
 * The tools about code, on a repository of two commits and its traffic: what
 * they say, where they stop; and on nothing at all.  Whom they mean is in
 * test_tools_code_names.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "mcp/tools.h"
#include "tests/support/ask_tools.h"
#include "tests/support/code_shop.h"
#include "tests/support/code_tools.h"

static void
callers_come_nearest_first_and_say_how_they_are_known(void **state)
{
    cJSON *out =
        code_tools_ask("cross_repo_callers", "{\"target_hash\":\"loadUser\"}");

    (void)state;
    assert_string_equal(text_at(out, "target|QualifiedName"),
                        SHOP_QUALIFIED("src/store.loadUser"));
    assert_string_equal(text_at(out, "callers|0|Node|QualifiedName"),
                        SHOP_QUALIFIED("src/app.getUser"));
    assert_int_equal((int)number_at(out, "callers|0|Depth"), 1);
    assert_string_equal(text_at(out, "callers|0|Node|Signature"), "getUser()");
    assert_string_equal(text_at(out, "callers|0|Node|Kind"), "function");
    assert_int_equal((int)number_at(out, "callers|0|Node|Line"), 1);
    assert_string_equal(text_at(out, "callers|0|evidence"), "static");
    assert_string_equal(text_at(out, "callers|0|repo"), SHOP_URL);
    /* getUser, the test, its route, and web's endpoint that was seen. */
    assert_int_equal((int)number_at(out, "total"), 4);
    cJSON_Delete(out);
    out = code_tools_ask(
        "cross_repo_callers",
        "{\"target_hash\":\"loadUser\",\"evidence\":\"static\"}");
    assert_int_equal((int)number_at(out, "total"), 3);
    cJSON_Delete(out);
    out = code_tools_ask("cross_repo_callers",
                         "{\"target_hash\":\"loadUser\",\"max_depth\":1}");
    assert_int_equal((int)number_at(out, "total"), 2);
    assert_true(ask_hints(out, "beyond max_depth 1"));
    cJSON_Delete(out);
}

static void
an_observed_caller_reaches_the_function_that_handles(void **state)
{
    cJSON *out = code_tools_ask("cross_repo_callers",
                                "{\"target_hash\":\"GET /users/{}\","
                                "\"evidence\":\"observed\"}");

    (void)state;
    assert_string_equal(text_at(out, "target|QualifiedName"),
                        SHOP_QUALIFIED("src/app.getUser"));
    assert_int_equal(len_at(out, "callers"), 1);
    assert_string_equal(text_at(out, "callers|0|Node|QualifiedName"),
                        "web GET /");
    assert_string_equal(text_at(out, "callers|0|evidence"), "observed");
    assert_string_equal(text_at(out, "callers|0|repo"), "service:web");
    cJSON_Delete(out);
}

static void
a_blast_radius_ends_in_cycles_and_counts_all(void **state)
{
    cJSON *out = code_tools_ask("blast_radius", "{\"target_hash\":\"retry\"}");

    (void)state;
    assert_int_equal((int)number_at(out, "TotalCount"), 1);
    assert_true(cJSON_IsFalse(at(out, "Truncated")));
    assert_string_equal(
        text_at(out, "ByRepo|" SHOP_URL "|0|Caller|QualifiedName"),
        SHOP_QUALIFIED("src/store.again"));
    cJSON_Delete(out);
    /* As it was: saveUser called it, putUser calls saveUser, and so does
     * worker; and the route of putUser. */
    out =
        code_tools_ask("blast_radius", "{\"target_hash\":\"retry\","
                                       "\"snapshot_hash\":\"" SHOP_FIRST "\"}");
    assert_int_equal((int)number_at(out, "TotalCount"), 5);
    assert_true(ask_hints(out, "as it was at aaaaaaaaaaaa"));
    cJSON_Delete(out);
}

static const cJSON *
caller_of(const cJSON *out, const char *name)
{
    const cJSON *row;

    cJSON_ArrayForEach(row, at(out, "ByRepo|" SHOP_URL))
    {
        if (strcmp(text_at(row, "Caller|QualifiedName"), name) == 0)
            return row;
    }
    fail_msg("%s is no caller", name);
    return NULL;
}

static void
confidence_is_of_the_best_way_and_so_is_the_chain(void **state)
{
    cJSON *out = code_tools_ask("blast_radius", "{\"target_hash\":\"query\"}");
    const cJSON *worker = caller_of(out, SHOP_QUALIFIED("src/store.worker"));

    (void)state;
    /* One guess away, or two calls that are sure. */
    assert_int_equal((int)number_at(worker, "Depth"), 1);
    assert_true(number_at(worker, "Confidence") > 0.98);
    assert_int_equal(len_at(worker, "Provenance"), 2);
    assert_string_equal(text_at(worker, "Provenance|0|Source"), "lexical");
    assert_string_equal(text_at(worker, "Provenance|0|SourceCommit"),
                        SHOP_SECOND);
    assert_string_equal(text_at(worker, "Provenance|0|IndexerVersion"), "1.0");
    assert_int_equal((int)number_at(worker, "Provenance|0|Timestamp"),
                     FIXTURE_NOW_S);
    cJSON_Delete(out);
}

static void
a_flow_names_each_step_and_what_leads_to_the_next(void **state)
{
    cJSON *out =
        code_tools_ask("flow_between", "{\"source_symbol\":\"web GET /\","
                                       "\"target_symbol\":\"query\"}");

    (void)state;
    assert_string_equal(text_at(out, "source"), "route:web GET /");
    assert_string_equal(text_at(out, "target"),
                        SHOP_QUALIFIED("src/store.query"));
    assert_int_equal((int)number_at(out, "path_count"), 1);
    assert_int_equal(len_at(out, "paths|0|steps"), 4);
    assert_string_equal(text_at(out, "paths|0|steps|0|edge_type"),
                        "runtime_calls");
    assert_string_equal(text_at(out, "paths|0|steps|1|edge_type"), "calls");
    assert_string_equal(text_at(out, "paths|0|steps|3|edge_type"), "");
    cJSON_Delete(out);
    out = code_tools_ask("flow_between", "{\"source_symbol\":\"web GET /\","
                                         "\"target_symbol\":\"query\","
                                         "\"evidence\":\"static\"}");
    assert_int_equal((int)number_at(out, "path_count"), 0);
    assert_true(cJSON_IsFalse(at(out, "truncated")));
    cJSON_Delete(out);
    /* From whatever a service serves. */
    out = code_tools_ask("flow_between", "{\"source_symbol\":\"service:web\","
                                         "\"target_symbol\":\"query\"}");
    assert_int_equal((int)number_at(out, "path_count"), 1);
    assert_string_equal(text_at(out, "source"), "service:web");
    cJSON_Delete(out);
    /* And to that. */
    out = code_tools_ask("flow_between", "{\"source_symbol\":\"web GET /\","
                                         "\"target_symbol\":\"service:shop\"}");
    assert_int_equal((int)number_at(out, "path_count"), 1);
    assert_string_equal(text_at(out, "target"), "service:shop");
    assert_string_equal(text_at(out, "paths|0|steps|1|symbol"),
                        SHOP_QUALIFIED("src/app.getUser"));
    assert_int_equal(len_at(out, "paths|0|steps"), 2);
    cJSON_Delete(out);
    out = code_tools_ask("blast_radius", "{\"target_hash\":\"service:shop\"}");
    assert_true(ask_hints(out, "stand in it"));
    cJSON_Delete(out);
    code_tools_refuse("flow_between", "{\"source_symbol\":\"query\"}",
                      "target_symbol");
}

static void
graph_query_finds_both_worlds(void **state)
{
    cJSON *out = code_tools_ask(
        "graph_query", "{\"prefix\":\"" SHOP_QUALIFIED("src/store.l") "\"}");

    (void)state;
    assert_int_equal((int)number_at(out, "total"), 1);
    assert_string_equal(text_at(out, "nodes|0|file"), "src/store.js");
    assert_int_equal(strlen(text_at(out, "nodes|0|FileHash")), 64);
    cJSON_Delete(out);
    out = code_tools_ask("graph_query", "{\"prefix\":\"shop\"}");
    assert_string_equal(text_at(out, "nodes|0|QualifiedName"), "shop");
    cJSON_Delete(out);
    out = code_tools_ask("graph_query", "{\"prefix\":\"loadUser\"}");
    assert_int_equal((int)number_at(out, "total"), 1);
    assert_true(ask_hints(out, "these end so"));
    cJSON_Delete(out);
    out = code_tools_ask("graph_query", "{\"prefix\":\"loadUsr\"}");
    assert_true(ask_hints(out, SHOP_QUALIFIED("src/store.loadUser")));
    cJSON_Delete(out);
    /* What is near is told in one hint. */
    out = code_tools_ask("graph_query", "{\"prefix\":\"GET /usres/{}\"}");
    assert_string_equal(text_at(out, "hints|0"),
                        "closest: 'GET /users/{}', 'PUT /users/{}', '" SHOP_URL
                        "://src.GET /users/{}', '" SHOP_URL
                        "://src.PUT /users/{}'");
    cJSON_Delete(out);
}

static void
observed_nodes_tell_their_function(void **state)
{
    cJSON *out =
        code_tools_ask("graph_node", "{\"nodeId\":\"shop GET /users/{}\"}");

    (void)state;
    assert_string_equal(text_at(out, "node|code|function"),
                        SHOP_QUALIFIED("src/app.getUser"));
    assert_string_equal(text_at(out, "node|code|file"), "src/app.js");
    assert_string_equal(text_at(out, "node|code|how"), "route");
    cJSON_Delete(out);
    out = code_tools_ask("graph_node",
                         "{\"nodeId\":\"loadUser\",\"disclosureLevel\":4}");
    assert_string_equal(text_at(out, "node|id"),
                        SHOP_QUALIFIED("src/store.loadUser"));
    assert_int_equal((int)number_at(out, "node|edges_in"), 2);
    assert_int_equal(strlen(text_at(out, "node|NodeHash")), 64);
    cJSON_Delete(out);
    code_tools_refuse("graph_node", "{\"nodeId\":\"adds\"}", "fits 3");
    code_tools_refuse("graph_node", "{\"nodeId\":\"nothing of it\"}",
                      "unknown");
    out = code_tools_ask("who_calls", "{\"service\":\"shop\"}");
    assert_string_equal(text_at(out, "callers|0|target_code|function"),
                        SHOP_QUALIFIED("src/app.getUser"));
    cJSON_Delete(out);
    out = code_tools_ask("explain", "{\"service\":\"web\",\"peer\":\"shop\"}");
    assert_string_equal(text_at(out, "edges|0|target_code|how"), "route");
    cJSON_Delete(out);
}

static void
files_have_their_symbols_owners_and_authors(void **state)
{
    cJSON *out = code_tools_ask("repo_graph", "{\"repo_hash\":\"shop\"}");

    (void)state;
    assert_int_equal((int)number_at(out, "total"), 14);
    assert_string_equal(text_at(out, "files|0|Path"), "c/CartTests.cs");
    assert_int_equal(strlen(text_at(out, "files|0|RepoHash")), 64);
    assert_int_equal(strlen(text_at(out, "files|0|ContentHash")), 40);
    assert_int_equal(len_at(out, "files|0|nodes"), 1);
    cJSON_Delete(out);
    out = code_tools_ask("ownership", "{}");
    const cJSON *row = NULL;
    cJSON_ArrayForEach(row, at(out, "files"))
    {
        bool is_src = strncmp(text_at(row, "file|Path"), "src/", 4) == 0;

        assert_int_equal(len_at(row, "owners"), is_src);
        assert_string_equal(text_at(row, "authors|0|name"), "ann");
        if (is_src)
            assert_string_equal(at(row, "owners|0")->valuestring, "@team");
    }
    cJSON_Delete(out);
}

static void
nothing_is_indexed_unless_it_is_allowed(void **state)
{
    static const char *const allowed[] = {"/usr/share"};
    struct buf why = {0};
    struct tools *tools = NULL;
    struct tools_cfg cfg = {.query = code_tools.query,
                            .world = code_tools.world,
                            .data = code_tools.db.dir,
                            .index_paths = allowed,
                            .index_path_len = 1,
                            .index_anywhere = true};

    (void)state;
    code_tools_refuse("index_repo",
                      "{\"repo_url\":\"u\",\"repo_path\":\"/tmp\"}",
                      "query.index_paths");
    code_tools_refuse("index_repo", "{\"repo_url\":\"u\"}",
                      "missing required argument: repo_path");
    assert_int_equal(tools_new(&tools, &cfg, &why), OK);
    ask_refused(tools, "index_repo",
                "{\"repo_url\":\"u\",\"repo_path\":\"/usr/share/../lib\"}",
                "not in the folders");
    ask_refused(tools, "index_repo",
                "{\"repo_url\":\"u\",\"repo_path\":\"/usr/sharenot\"}",
                "not in the folders");
    tools_free(tools);
    cfg.index_path_len = 0;
    assert_int_equal(tools_new(&tools, &cfg, &why), OK);
    ask_refused(tools, "index_repo",
                "{\"repo_url\":\"u\",\"repo_path\":\"/nowhere/at/all\"}",
                "no folder here");
    ask_refused(tools, "index_repo",
                "{\"repo_url\":\"u\",\"repo_path\":\"/\","
                "\"commit_hash\":\"--upload\"}",
                "is none");
    tools_free(tools);
    buf_fini(&why);
}

static void
several_repositories_must_be_named(void **state)
{
    (void)state;
    code_shop_wide(&code_tools.db, 3);
    code_tools_refuse("ownership", "{}", "\"github.com/acme/wide\"");
    code_tools_refuse("stale_edges", "{\"snapshot_hash\":\"latest\"}",
                      "several");
    code_tools_refuse("snapshot_diff",
                      "{\"old_snapshot\":\"aaaa\",\"new_snapshot\":\"bbbb\"}",
                      "old_snapshot 'aaaa'");
    cJSON_Delete(code_tools_ask("repo_graph", "{\"repo_hash\":\"wide\"}"));
    cJSON *out =
        code_tools_ask("semantic_diff", "{\"old_snapshot\":\"previous\","
                                        "\"new_snapshot\":\"latest\","
                                        "\"repo_url\":\"" SHOP_URL "\"}");
    assert_int_equal((int)number_at(out, "summary|nodes_added"), 1);
    cJSON_Delete(out);
    out = code_tools_ask("test_scope", "{\"files\":\"store.js\","
                                       "\"repo_url\":\"acme/shop\"}");
    assert_int_equal((int)number_at(out, "count"), 1);
    cJSON_Delete(out);
}

static void
lists_are_cut_at_their_limit_and_say_so(void **state)
{
    cJSON *out = code_tools_ask("cross_repo_callers",
                                "{\"target_hash\":\"hub\",\"limit\":61}");

    (void)state;
    assert_int_equal((int)number_at(out, "total"), 61);
    cJSON_Delete(out);
    out = code_tools_ask("cross_repo_callers",
                         "{\"target_hash\":\"hub\",\"limit\":10}");
    assert_int_equal(len_at(out, "callers"), 10);
    assert_true(cJSON_IsTrue(at(out, "truncated")));
    assert_true(cJSON_IsString(at(out, "next_cursor")));
    cJSON_Delete(out);
    out = code_tools_ask("blast_radius",
                         "{\"target_hash\":\"hub\",\"limit\":10}");
    assert_int_equal((int)number_at(out, "TotalCount"), 61);
    assert_true(cJSON_IsTrue(at(out, "Truncated")));
    assert_int_equal(len_at(out, "ByRepo|github.com/acme/wide"), 10);
    cJSON_Delete(out);
    out = code_tools_ask("flow_between", "{\"source_symbol\":\"from\","
                                         "\"target_symbol\":\"hub\"}");
    assert_int_equal((int)number_at(out, "path_count"), 10);
    assert_true(cJSON_IsTrue(at(out, "truncated")));
    cJSON_Delete(out);
    out = code_tools_ask("repo_graph", "{}");
    assert_int_equal(len_at(out, "files|0|nodes"), 40);
    assert_int_equal((int)number_at(out, "files|0|nodes_total"), 65);
    cJSON_Delete(out);
}

static void
what_is_passed_on_is_of_the_code_and_has_its_place(void **state)
{
    cJSON *out = code_tools_ask("blast_radius", "{\"target_hash\":\"saved\"}");
    const char *const rows = "ByRepo|github.com/acme/wide|1|";
    char path[96];

    (void)state;
    assert_int_equal((int)number_at(out, "TotalCount"), 2);
    snprintf(path, sizeof(path), "%sevidence", rows);
    assert_string_equal(text_at(out, path), "static");
    snprintf(path, sizeof(path), "%sProvenance|0|Source", rows);
    assert_string_equal(text_at(out, path), "lexical");
    snprintf(path, sizeof(path), "%sProvenance|0|line", rows);
    assert_int_equal((int)number_at(out, path), 900);
    cJSON_Delete(out);
}

static void
an_empty_graph_says_how_to_fill_it(void **state)
{
    (void)state;
    code_tools_refuse("blast_radius", "{\"target_hash\":\"x\"}",
                      "spangraph index");
    code_tools_refuse("cross_repo_callers", "{\"target_hash\":\"x\"}",
                      "spangraph index");
    code_tools_refuse("trace_dataflow", "{\"source_hash\":\"x\"}",
                      "spangraph index");
    code_tools_refuse("flow_between",
                      "{\"source_symbol\":\"x\",\"target_symbol\":\"y\"}",
                      "spangraph index");
    code_tools_refuse("repo_graph", "{}", "spangraph index");
    code_tools_refuse("ownership", "{\"repo_hash\":\"x\"}", "spangraph index");
    code_tools_refuse("test_scope", "{\"files\":\"x.go\"}", "spangraph index");
    code_tools_refuse("stale_edges", "{\"snapshot_hash\":\"latest\"}",
                      "snapshot_hash");
    code_tools_refuse(
        "snapshot_diff",
        "{\"old_snapshot\":\"previous\",\"new_snapshot\":\"latest\"}",
        "old_snapshot");
    code_tools_refuse(
        "semantic_diff",
        "{\"old_snapshot\":\"previous\",\"new_snapshot\":\"latest\"}",
        "old_snapshot");
    code_tools_refuse(
        "pr_impact",
        "{\"old_snapshot\":\"previous\",\"new_snapshot\":\"latest\"}",
        "old_snapshot");
    cJSON *out = code_tools_ask("drift", "{}");
    assert_int_equal((int)number_at(out, "total"), 0);
    assert_true(ask_hints(out, "spangraph index"));
    cJSON_Delete(out);
    out = code_tools_ask("graph_query", "{\"prefix\":\"\"}");
    assert_int_equal((int)number_at(out, "total"), 0);
    cJSON_Delete(out);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        CODE_SHOP(callers_come_nearest_first_and_say_how_they_are_known),
        CODE_SHOP(an_observed_caller_reaches_the_function_that_handles),
        CODE_SHOP(a_blast_radius_ends_in_cycles_and_counts_all),
        CODE_SHOP(confidence_is_of_the_best_way_and_so_is_the_chain),
        CODE_SHOP(a_flow_names_each_step_and_what_leads_to_the_next),
        CODE_SHOP(graph_query_finds_both_worlds),
        CODE_SHOP(observed_nodes_tell_their_function),
        CODE_SHOP(files_have_their_symbols_owners_and_authors),
        CODE_SHOP(nothing_is_indexed_unless_it_is_allowed),
        CODE_SHOP(several_repositories_must_be_named),
        CODE_WIDE(lists_are_cut_at_their_limit_and_say_so),
        CODE_WIDE(what_is_passed_on_is_of_the_code_and_has_its_place),
        CODE_EMPTY(an_empty_graph_says_how_to_fill_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
