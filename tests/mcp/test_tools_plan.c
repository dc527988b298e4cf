/*
 * What belongs together, and what users said.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "store/code_store.h"
#include "tests/support/ask_tools.h"
#include "tests/support/context_shop.h"

static void
communities_are_listed_largest_first(void **state)
{
    cJSON *out = ask(context_shop.tools, "communities", "{}");
    const cJSON *first = ask_row(out, "communities", 0);

    (void)state;
    assert_string_equal(ask_text(out, "summary"),
                        "4 communities of 14 symbols, 15 edges (4 observed), "
                        "modularity 0.23");
    assert_int_equal((int)ask_number(out, "node_count"), 14);
    assert_int_equal((int)ask_number(out, "edge_count"), 15);
    assert_int_equal((int)ask_number(out, "observed_edge_count"), 4);
    assert_int_equal((int)ask_number(first, "size"), 7);
    assert_string_equal(ask_text(first, "dominant_package"), "checkout");
    assert_int_equal(ask_len(first, "top_symbols"), 5);
    assert_string_equal(
        cJSON_GetArrayItem(cJSON_GetObjectItem(first, "top_symbols"), 0)
            ->valuestring,
        "github.com/acme/shop://checkout.Buy");
    assert_int_equal((int)ask_number(first, "observed_edges"), 2);
    assert_true(ask_number(first, "cohesion") > 0.5 &&
                ask_number(first, "cohesion") < 0.6);
    /* A dead route and its handler touch nothing else. */
    assert_true(ask_number(ask_row(out, "communities", 2), "cohesion") == 1);
    cJSON_Delete(out);
}

static double
id_of(const char *symbol)
{
    char args[200];

    snprintf(args, sizeof(args),
             "{\"action\":\"for_symbol\",\"symbol\":\"%s\"}", symbol);
    cJSON *out = ask(context_shop.tools, "communities", args);
    double id = ask_number(cJSON_GetObjectItem(out, "community"), "id");
    cJSON_Delete(out);
    return id;
}

static void
the_community_of_a_symbol_has_neighbours_and_a_lasting_id(void **state)
{
    cJSON *out = ask(context_shop.tools, "communities",
                     "{\"action\":\"for_symbol\",\"symbol\":\"Buy\"}");

    (void)state;
    assert_string_equal(ask_text(out, "symbol"),
                        "github.com/acme/shop://checkout.Buy");
    assert_int_equal(
        (int)ask_number(cJSON_GetObjectItem(out, "community"), "size"), 7);
    assert_int_equal(ask_len(out, "neighbors"), 2);
    assert_true(ask_number(ask_row(out, "neighbors", 0), "weight") >
                ask_number(ask_row(out, "neighbors", 1), "weight"));
    cJSON_Delete(out);
    /* A symbol is asked about, whether or not an action is said. */
    ask_refused(context_shop.tools, "communities", "{\"symbol\":\"Bux\"}",
                "unknown");
    double before[] = {id_of("Buy"), id_of("ShowCart"), id_of("OldBuy")};
    assert_true(before[0] == id_of("Order"));
    assert_true(before[0] != before[1] && before[1] != before[2]);
    context_shop_index(&context_shop, 3, 0);
    assert_true(id_of("Buy") == before[0]);
    assert_true(id_of("ShowCart") == before[1]);
    assert_true(id_of("OldBuy") == before[2]);
    context_shop_index(&context_shop, 3, 20);
    assert_true(id_of("OldBuy") == before[2]);
}

static void
communities_can_be_of_the_code_or_of_one_repository(void **state)
{
    cJSON *out =
        ask(context_shop.tools, "communities", "{\"evidence\":\"static\"}");

    (void)state;
    assert_int_equal((int)ask_number(out, "observed_edge_count"), 0);
    cJSON_Delete(out);
    out = ask(context_shop.tools, "communities",
              "{\"repo_url\":\"github.com/acme\"}");
    assert_int_equal((int)ask_number(out, "node_count"), 12);
    cJSON_Delete(out);
    out =
        ask(context_shop.tools, "communities", "{\"repo_url\":\"acme/shop\"}");
    assert_int_equal((int)ask_number(out, "node_count"), 12);
    cJSON_Delete(out);
    ask_refused(context_shop.tools, "communities",
                "{\"repo_url\":\"github.com/nobody\"}", "acme/shop");
}

static void
communities_come_in_pages(void **state)
{
    char args[120] = "{\"limit\":3}";

    (void)state;
    cJSON *out = ask(context_shop.tools, "communities", args);
    assert_int_equal(ask_len(out, "communities"), 3);
    assert_true(cJSON_IsTrue(cJSON_GetObjectItem(out, "truncated")));
    snprintf(args, sizeof(args), "{\"limit\":3,\"cursor\":\"%s\"}",
             ask_text(out, "next_cursor"));
    cJSON_Delete(out);
    out = ask(context_shop.tools, "communities", args);
    assert_int_equal(ask_len(out, "communities"), 1);
    assert_true(cJSON_IsFalse(cJSON_GetObjectItem(out, "truncated")));
    cJSON_Delete(out);
}

static void
what_communities_cannot_answer_is_said(void **state)
{
    (void)state;
    ask_refused(context_shop.tools, "communities", "{\"action\":\"all\"}",
                "for_symbol");
    ask_refused(context_shop.tools, "communities",
                "{\"action\":\"for_symbol\"}",
                "try communities{\"action\":\"for_symbol\",\"symbol\":");
    ask_refused(context_shop.tools, "communities",
                "{\"action\":\"for_symbol\",\"symbol\":\"Bux\"}", "Buy");
    cJSON *out = ask(context_shop.tools, "communities",
                     "{\"action\":\"for_symbol\",\"symbol\":"
                     "\"service:checkout\"}");
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(out, "community")));
    cJSON_Delete(out);
}

static void
say(const char *symbol, const char *session, const char *useful)
{
    char args[300];

    snprintf(args, sizeof(args),
             "{\"action\":\"record\",\"symbol_hash\":\"%s\",\"session_id\":"
             "\"%s\",\"useful\":%s}",
             symbol, session, useful);
    cJSON *out = ask(context_shop.tools, "feedback", args);
    assert_string_equal(ask_text(out, "status"), "recorded");
    assert_int_equal(strlen(ask_text(out, "symbol_hash")), 64);
    cJSON_Delete(out);
}

static void
assert_said(const char *symbol, int useful, int not_useful, int expired)
{
    char args[200];

    snprintf(args, sizeof(args),
             "{\"action\":\"query\",\"symbol_hash\":\"%s\"}", symbol);
    cJSON *out = ask(context_shop.tools, "feedback", args);
    assert_int_equal((int)ask_number(out, "useful_count"), useful);
    assert_int_equal((int)ask_number(out, "not_useful_count"), not_useful);
    assert_int_equal((int)ask_number(out, "expired_count"), expired);
    if (useful + not_useful)
        assert_true(ask_number(out, "usefulness_ratio") > 0 || !useful);
    else
        assert_true(cJSON_IsNull(cJSON_GetObjectItem(out, "usefulness_ratio")));
    cJSON_Delete(out);
}

static void
feedback_is_kept_until_the_code_changes(void **state)
{
    (void)state;
    assert_said("chargeCard", 0, 0, 0);
    say("chargeCard", "s1", "true");
    say("chargeCard", "s2", "true");
    say("chargeCard", "s3", "false");
    say("Buy", "s1", "false");
    assert_said("chargeCard", 2, 1, 0);
    assert_said("Buy", 0, 1, 0);
    /* Whoever changes his mind is counted once. */
    say("chargeCard", "s3", "true");
    assert_said("chargeCard", 3, 0, 0);
    context_shop_index(&context_shop, 2, 0);
    assert_said("chargeCard", 0, 0, 3);
    assert_said("Buy", 0, 1, 0);
    say("chargeCard", "s4", "true");
    assert_said("chargeCard", 1, 0, 3);
}

static double
score_of(const char *end)
{
    cJSON *out = ask(context_shop.tools, "context_for_files",
                     "{\"files\":\"web/cart.go\",\"format\":\"json\"}");
    cJSON *json = cJSON_Parse(ask_text(out, "content"));
    const cJSON *row;
    double score = 0;

    cJSON_ArrayForEach(row, cJSON_GetObjectItem(json, "symbols"))
    {
        if (strstr(ask_text(row, "qualified_name"), end))
            score = ask_number(row, "score");
    }
    cJSON_Delete(json);
    cJSON_Delete(out);
    return score;
}

static void
feedback_moves_the_ranking(void **state)
{
    double before = score_of("chargeCard");
    double other = score_of("util.Log");

    (void)state;
    say("chargeCard", "s1", "true");
    say("util.Log", "s1", "false");
    assert_true(score_of("chargeCard") > before);
    assert_true(score_of("util.Log") < other);
    context_shop_index(&context_shop, 1, 0);
    assert_true(score_of("chargeCard") == before);
}

static void
feedback_waits_for_an_index_and_then_says_so(void **state)
{
    struct code_store *cs;
    struct buf why = {0};

    (void)state;
    assert_int_equal(code_store_open(&cs, context_shop.db.dir, 1, &why), OK);
    ask_refused(context_shop.tools, "feedback",
                "{\"action\":\"record\",\"symbol_hash\":\"Buy\",\"session_id\":"
                "\"s\",\"useful\":true}",
                "an index is being written");
    code_store_close(cs);
    say("Buy", "s", "true");
    assert_said("Buy", 1, 0, 0);
    buf_fini(&why);
}

static void
feedback_without_what_it_needs_is_refused(void **state)
{
    char args[400];

    (void)state;
    ask_refused(context_shop.tools, "feedback", "{\"symbol_hash\":\"Buy\"}",
                "record");
    ask_refused(context_shop.tools, "feedback", "{\"action\":\"query\"}",
                "symbol_hash");
    ask_refused(context_shop.tools, "feedback",
                "{\"action\":\"query\",\"symbol_hash\":\"Nothing\"}",
                "Nothing");
    ask_refused(context_shop.tools, "feedback",
                "{\"action\":\"query\",\"symbol_hash\":\"kafka:orders\"}",
                "traces only");
    ask_refused(
        context_shop.tools, "feedback",
        "{\"action\":\"record\",\"symbol_hash\":\"Buy\",\"useful\":true}",
        "session_id");
    ask_refused(context_shop.tools, "feedback",
                "{\"action\":\"record\",\"symbol_hash\":\"Buy\",\"session_id\":"
                "\"s\"}",
                "useful");
    snprintf(args, sizeof(args),
             "{\"action\":\"record\",\"symbol_hash\":\"Buy\",\"useful\":true,"
             "\"session_id\":\"%0129d\"}",
             1);
    ask_refused(context_shop.tools, "feedback", args, "1 to 128 bytes");
    assert_said("Buy", 0, 0, 0);
}

static void
an_empty_graph_is_no_failure(void **state)
{
    (void)state;
    cJSON *out = ask(context_shop.tools, "communities", "{}");
    assert_int_equal(ask_len(out, "communities"), 0);
    assert_true(ask_hints(out, "spangraph index"));
    cJSON_Delete(out);
    out = ask(context_shop.tools, "compare", "{}");
    assert_true(ask_hints(out, "no telemetry"));
    cJSON_Delete(out);
    ask_refused(context_shop.tools, "feedback",
                "{\"action\":\"query\",\"symbol_hash\":\"a\"}", "a");
    ask_refused(context_shop.tools, "migration_progress",
                "{\"old\":\"a\",\"new\":\"b\"}", "a");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        CONTEXT_SHOP(communities_are_listed_largest_first),
        CONTEXT_SHOP(the_community_of_a_symbol_has_neighbours_and_a_lasting_id),
        CONTEXT_SHOP(communities_can_be_of_the_code_or_of_one_repository),
        CONTEXT_SHOP(communities_come_in_pages),
        CONTEXT_SHOP(what_communities_cannot_answer_is_said),
        CONTEXT_SHOP(feedback_is_kept_until_the_code_changes),
        CONTEXT_SHOP(feedback_moves_the_ranking),
        CONTEXT_SHOP(feedback_waits_for_an_index_and_then_says_so),
        CONTEXT_SHOP(feedback_without_what_it_needs_is_refused),
        CONTEXT_EMPTY(an_empty_graph_is_no_failure),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
