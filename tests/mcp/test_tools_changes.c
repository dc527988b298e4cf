/*
 * What belongs together, what users said, which tool to call, what changed
 * between two windows, and how far a migration is.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mcp/tools_parts.h"
#include "store/code_store.h"
#include "tests/support/ask_tools.h"
#include "tests/support/context_shop.h"

static struct context_shop shop;

static int
open_shop(void **state)
{
    (void)state;
    context_shop_open(&shop);
    return 0;
}

static int
open_empty(void **state)
{
    (void)state;
    context_shop_empty(&shop);
    return 0;
}

static int
close_shop(void **state)
{
    (void)state;
    context_shop_close(&shop);
    return 0;
}

static cJSON *
call(const char *name, const char *args)
{
    return ask(shop.tools, name, args);
}

static void
refuse(const char *name, const char *args, const char *says)
{
    ask_refused(shop.tools, name, args, says);
}

/* ---- communities ---- */

static void
communities_are_listed_largest_first(void **state)
{
    cJSON *out = call("communities", "{}");
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
    cJSON *out = call("communities", args);
    double id = ask_number(cJSON_GetObjectItem(out, "community"), "id");
    cJSON_Delete(out);
    return id;
}

static void
the_community_of_a_symbol_has_neighbours_and_a_lasting_id(void **state)
{
    cJSON *out =
        call("communities", "{\"action\":\"for_symbol\",\"symbol\":\"Buy\"}");

    (void)state;
    assert_string_equal(ask_text(out, "symbol"),
                        "github.com/acme/shop://checkout.Buy");
    assert_int_equal(
        (int)ask_number(cJSON_GetObjectItem(out, "community"), "size"), 7);
    assert_int_equal(ask_len(out, "neighbors"), 2);
    assert_true(ask_number(ask_row(out, "neighbors", 0), "weight") >
                ask_number(ask_row(out, "neighbors", 1), "weight"));
    cJSON_Delete(out);
    double before[] = {id_of("Buy"), id_of("ShowCart"), id_of("OldBuy")};
    assert_true(before[0] == id_of("Order"));
    assert_true(before[0] != before[1] && before[1] != before[2]);
    context_shop_index(&shop, 3, 0);
    assert_true(id_of("Buy") == before[0]);
    assert_true(id_of("ShowCart") == before[1]);
    assert_true(id_of("OldBuy") == before[2]);
    context_shop_index(&shop, 3, 20);
    assert_true(id_of("OldBuy") == before[2]);
}

static void
communities_can_be_of_the_code_or_of_one_repository(void **state)
{
    cJSON *out = call("communities", "{\"evidence\":\"static\"}");

    (void)state;
    assert_int_equal((int)ask_number(out, "observed_edge_count"), 0);
    cJSON_Delete(out);
    out = call("communities", "{\"repo_url\":\"github.com/acme\"}");
    assert_int_equal((int)ask_number(out, "node_count"), 12);
    cJSON_Delete(out);
    out = call("communities", "{\"repo_url\":\"acme/shop\"}");
    assert_int_equal((int)ask_number(out, "node_count"), 12);
    cJSON_Delete(out);
    refuse("communities", "{\"repo_url\":\"github.com/nobody\"}", "acme/shop");
}

static void
communities_come_in_pages(void **state)
{
    char args[120] = "{\"limit\":3}";

    (void)state;
    cJSON *out = call("communities", args);
    assert_int_equal(ask_len(out, "communities"), 3);
    assert_true(cJSON_IsTrue(cJSON_GetObjectItem(out, "truncated")));
    snprintf(args, sizeof(args), "{\"limit\":3,\"cursor\":\"%s\"}",
             ask_text(out, "next_cursor"));
    cJSON_Delete(out);
    out = call("communities", args);
    assert_int_equal(ask_len(out, "communities"), 1);
    assert_true(cJSON_IsFalse(cJSON_GetObjectItem(out, "truncated")));
    cJSON_Delete(out);
}

static void
what_communities_cannot_answer_is_said(void **state)
{
    (void)state;
    refuse("communities", "{\"action\":\"all\"}", "for_symbol");
    refuse("communities", "{\"action\":\"for_symbol\"}", "symbol");
    refuse("communities", "{\"action\":\"for_symbol\",\"symbol\":\"Bux\"}",
           "Buy");
    cJSON *out = call("communities", "{\"action\":\"for_symbol\",\"symbol\":"
                                     "\"service:checkout\"}");
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(out, "community")));
    cJSON_Delete(out);
}

/* ---- feedback ---- */

static void
say(const char *symbol, const char *session, const char *useful)
{
    char args[300];

    snprintf(args, sizeof(args),
             "{\"action\":\"record\",\"symbol_hash\":\"%s\",\"session_id\":"
             "\"%s\",\"useful\":%s}",
             symbol, session, useful);
    cJSON *out = call("feedback", args);
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
    cJSON *out = call("feedback", args);
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
    context_shop_index(&shop, 2, 0);
    assert_said("chargeCard", 0, 0, 3);
    assert_said("Buy", 0, 1, 0);
    say("chargeCard", "s4", "true");
    assert_said("chargeCard", 1, 0, 3);
}

static double
score_of(const char *end)
{
    cJSON *out = call("context_for_files",
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
    context_shop_index(&shop, 1, 0);
    assert_true(score_of("chargeCard") == before);
}

static void
feedback_waits_for_an_index_and_then_says_so(void **state)
{
    struct code_store *cs;
    struct buf why = {0};

    (void)state;
    assert_int_equal(code_store_open(&cs, shop.db.dir, 1, &why), OK);
    refuse("feedback",
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
    refuse("feedback", "{\"symbol_hash\":\"Buy\"}", "record");
    refuse("feedback", "{\"action\":\"query\"}", "symbol_hash");
    refuse("feedback", "{\"action\":\"query\",\"symbol_hash\":\"Nothing\"}",
           "Nothing");
    refuse("feedback",
           "{\"action\":\"query\",\"symbol_hash\":\"kafka:orders\"}",
           "traces only");
    refuse("feedback",
           "{\"action\":\"record\",\"symbol_hash\":\"Buy\",\"useful\":true}",
           "session_id");
    refuse("feedback",
           "{\"action\":\"record\",\"symbol_hash\":\"Buy\",\"session_id\":"
           "\"s\"}",
           "useful");
    snprintf(args, sizeof(args),
             "{\"action\":\"record\",\"symbol_hash\":\"Buy\",\"useful\":true,"
             "\"session_id\":\"%0129d\"}",
             1);
    refuse("feedback", args, "1 to 128 bytes");
    assert_said("Buy", 0, 0, 0);
}

/* ---- plan_turn ---- */

/* All that is suggested can be called as it is, once it is filled. */
static void
check_suggestions(const cJSON *out)
{
    const cJSON *row;
    const cJSON *arg;
    const cJSON *required;

    assert_true(ask_len(out, "suggestions") >= 1 &&
                ask_len(out, "suggestions") <= 4);
    cJSON_ArrayForEach(row, cJSON_GetObjectItem(out, "suggestions"))
    {
        const struct tool *tool = tool_find(ask_text(row, "tool"));
        assert_non_null(tool);
        assert_true(strlen(ask_text(row, "reason")) > 5);
        cJSON *schema = cJSON_Parse(tool->input_schema);
        const cJSON *args = cJSON_GetObjectItem(row, "args");
        cJSON_ArrayForEach(arg, args)
        {
            assert_true(cJSON_IsString(arg) && *arg->valuestring);
            assert_non_null(cJSON_GetObjectItemCaseSensitive(
                cJSON_GetObjectItem(schema, "properties"), arg->string));
        }
        cJSON_ArrayForEach(required, cJSON_GetObjectItem(schema, "required"))
        {
            assert_non_null(
                cJSON_GetObjectItemCaseSensitive(args, required->valuestring));
        }
        cJSON_Delete(schema);
    }
}

static cJSON *
plan(const char *task)
{
    char args[400];

    snprintf(args, sizeof(args), "{\"task\":\"%s\"}", task);
    cJSON *out = call("plan_turn", args);
    check_suggestions(out);
    return out;
}

static void
a_task_gets_the_tool_that_answers_it(void **state)
{
    static const struct {
        const char *task, *tool, *key, *value;
    } cases[] = {
        {"which routes are dead", "dead_routes", NULL, NULL},
        {"who calls checkout on /buy", "who_calls", "service", "checkout"},
        {"who calls checkout on /buy", "who_calls", "route", "/buy"},
        {"is checkout slower since the deploy? compare before and after",
         "compare", "service", "checkout"},
        {"blast radius of renaming Cart.Add", "blast_radius", "target_hash",
         "Cart.Add"},
        {"how far is the migration from /v1/users to /v2/users",
         "migration_progress", "old", "/v1/users"},
        {"how far is the migration from /v1/users to /v2/users",
         "migration_progress", "new", "/v2/users"},
        {"find the path between web.ShowCart and pay.Charge", "flow_between",
         "target_symbol", "pay.Charge"},
        {"I edit the files src/a.go and src/b.go", "context_for_files", "files",
         "src/a.go,src/b.go"},
        {"review this pull request, it changed src/a.go", "context_for_pr",
         "files", "src/a.go"},
        {"show the architecture as a map of services", "service_map", NULL,
         NULL},
        {"which modules belong together? communities", "communities", "action",
         "list"},
        {"hello", "context_for_task", "task_description", "hello"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        cJSON *out = plan(cases[i].task);
        const cJSON *first = ask_row(out, "suggestions", 0);
        if (strcmp(ask_text(first, "tool"), cases[i].tool) != 0)
            fail_msg("'%s' gets %s", cases[i].task, ask_text(first, "tool"));
        if (cases[i].key)
            assert_string_equal(
                ask_text(cJSON_GetObjectItem(first, "args"), cases[i].key),
                cases[i].value);
        cJSON_Delete(out);
    }
}

/* Asked in the words of its own title and name, each tool is suggested. */
static void
every_tool_can_be_suggested(void **state)
{
    (void)state;
    for (size_t k = 0; tool_lists[k]; k++)
        for (size_t i = 0; i < tool_lists[k]->len; i++) {
            const struct tool *tool = &tool_lists[k]->tools[i];
            char task[200];
            bool is_there = false;
            const cJSON *row;
            if (strcmp(tool->name, "plan_turn") == 0)
                continue;
            snprintf(task, sizeof(task), "%s %s", tool->name, tool->name);
            for (char *c = task; *c; c++)
                if (*c == '_')
                    *c = ' ';
            snprintf(task + strlen(task), sizeof(task) - strlen(task), " %s",
                     tool->title);
            cJSON *out = plan(task);
            cJSON_ArrayForEach(row, cJSON_GetObjectItem(out, "suggestions"))
            {
                is_there |= strcmp(ask_text(row, "tool"), tool->name) == 0;
            }
            if (!is_there)
                fail_msg("%s is never suggested: %s", tool->name,
                         cJSON_PrintUnformatted(out));
            cJSON_Delete(out);
        }
}

static void
what_is_not_offered_is_said(void **state)
{
    struct buf why = {0};
    struct tools *few;
    const struct tools_cfg cfg = {.query = shop.query,
                                  .world = shop.world,
                                  .version = "1",
                                  .toolsets = "context"};

    (void)state;
    assert_int_equal(tools_new(&few, &cfg, &why), OK);
    cJSON *out = ask(few, "plan_turn", "{\"task\":\"dead routes\"}");
    assert_true(ask_hints(out, "dead_routes is not offered"));
    cJSON_Delete(out);
    tools_free(few);
    refuse("plan_turn", "{}", "task is required");
}

/* ---- compare ---- */

/* Days of one edge: |count| a day with |errors| and a latency. */
static void
days(uint32_t edge, uint32_t from, uint32_t to, int count, int errors,
     uint64_t latency_ns)
{
    for (uint32_t back = from + 1; back-- > to;) {
        db_day(&shop.db, edge, FIXTURE_DAY - back, count, 1, latency_ns);
        db_fixture_sql(&shop.db,
                       "UPDATE edge_day SET errors = %d WHERE edge = %u AND "
                       "day = %u",
                       errors, edge, FIXTURE_DAY - back);
    }
    db_times(&shop.db, edge, (FIXTURE_DAY - from) * 86400,
             (FIXTURE_DAY - to) * 86400 + 3600);
}

static void
two_weeks(void)
{
    struct db_fixture *db = &shop.db;
    uint32_t gone = db_route(db, shop.checkout, "POST /old-buy");
    uint32_t fresh = db_route(db, shop.checkout, "POST /new-buy");
    uint32_t slow = db_route(db, shop.checkout, "GET /slow");

    days(shop.cart_to_buy, 14, 1, 100, 0, 5000000);
    days(db_edge(db, shop.cart, gone, EDGE_CALL, 700), 14, 8, 100, 0, 5000000);
    days(db_edge(db, shop.cart, fresh, EDGE_CALL, 70), 7, 1, 10, 0, 5000000);
    uint32_t edge = db_edge(db, shop.cart, slow, EDGE_CALL, 1400);
    days(edge, 14, 8, 100, 1, 5000000);
    days(edge, 7, 1, 300, 60, 50000000);
    db_times(db, edge, (FIXTURE_DAY - 14) * 86400, FIXTURE_NOW_S - 60);
}

#define WEEKS "\"at\":\"7d\",\"span\":\"7d\""

static void
compare_tells_new_vanished_and_changed(void **state)
{
    (void)state;
    two_weeks();
    cJSON *out = call("compare", "{" WEEKS "}");
    assert_string_equal(ask_text(out, "summary"),
                        "1 new, 1 vanished, 1 changed, 1 as before");
    assert_int_equal(ask_len(out, "rows"), 3);
    const cJSON *row = ask_row(out, "rows", 0);
    assert_string_equal(ask_text(row, "change"), "vanished");
    assert_string_equal(ask_text(row, "target"), "checkout POST /old-buy");
    assert_string_equal(ask_text(row, "source"), "web GET /cart/{}");
    assert_int_equal(
        (int)ask_number(cJSON_GetObjectItem(row, "before"), "calls"), 700);
    assert_int_equal(
        (int)ask_number(cJSON_GetObjectItem(row, "after"), "calls"), 0);
    row = ask_row(out, "rows", 1);
    assert_string_equal(ask_text(row, "change"), "new");
    assert_string_equal(ask_text(row, "target"), "checkout POST /new-buy");
    row = ask_row(out, "rows", 2);
    assert_string_equal(ask_text(row, "change"), "changed");
    assert_string_equal(ask_text(row, "target"), "checkout GET /slow");
    assert_int_equal(ask_len(row, "in"), 3);
    const cJSON *before = cJSON_GetObjectItem(row, "before");
    const cJSON *after = cJSON_GetObjectItem(row, "after");
    assert_int_equal((int)ask_number(before, "calls"), 700);
    assert_int_equal((int)ask_number(after, "calls"), 2100);
    assert_true(ask_number(before, "error_rate") == 0.01);
    assert_true(ask_number(after, "error_rate") == 0.2);
    assert_true(ask_number(before, "p95_ms") > 4.8 &&
                ask_number(before, "p95_ms") < 5.2);
    assert_true(ask_number(after, "p95_ms") > 48 &&
                ask_number(after, "p95_ms") < 52);
    const cJSON *window = cJSON_GetObjectItem(out, "before");
    assert_int_equal((int)ask_number(window, "from"),
                     (FIXTURE_DAY - 14) * 86400);
    assert_int_equal((int)ask_number(window, "to"), (FIXTURE_DAY - 7) * 86400);
    assert_string_equal(ask_text(window, "resolution"), "day");
    cJSON_Delete(out);
}

static void
compare_can_be_narrowed(void **state)
{
    static const struct {
        const char *args;
        int rows;
    } cases[] = {
        {"{" WEEKS ",\"change\":\"all\"}", 4},
        {"{" WEEKS ",\"change\":\"same\"}", 1},
        {"{" WEEKS ",\"change\":\"vanished\"}", 1},
        {"{" WEEKS ",\"service\":\"pay\"}", 0},
        {"{" WEEKS ",\"by\":\"route\"}", 3},
        {"{" WEEKS ",\"level\":\"service\",\"change\":\"all\"}", 1},
        {"{" WEEKS ",\"limit\":2}", 2},
    };

    (void)state;
    two_weeks();
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        cJSON *out = call("compare", cases[i].args);
        if (ask_len(out, "rows") != cases[i].rows)
            fail_msg("%s: %s", cases[i].args, cJSON_Print(out));
        cJSON_Delete(out);
    }
}

static void
by_route_all_callers_are_one(void **state)
{
    (void)state;
    two_weeks();
    uint32_t other = db_route(&shop.db, shop.web, "GET /other");
    days(db_edge(&shop.db, other, shop.buy, EDGE_CALL, 1750), 7, 1, 250, 0, 0);
    cJSON *out = call("compare", "{" WEEKS ",\"by\":\"route\"}");
    const cJSON *row = ask_row(out, "rows", 2);
    /* By edge, the second caller would be new. */
    assert_string_equal(ask_text(row, "change"), "changed");
    assert_string_equal(ask_text(row, "target"), "checkout POST /buy");
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(row, "source")));
    const cJSON *after = cJSON_GetObjectItem(row, "after");
    assert_int_equal((int)ask_number(after, "calls"), 2450);
    assert_true(ask_number(after, "p95_ms") > 4.8);
    cJSON_Delete(out);
}

static void
compare_refuses_windows_that_are_none(void **state)
{
    (void)state;
    refuse("compare", "{\"span\":\"soon\"}", "no duration");
    refuse("compare", "{\"span\":\"0h\"}", "no duration");
    refuse("compare", "{\"at\":\"never\"}", "no time");
    refuse("compare", "{\"at\":\"2099-01-01\"}", "at must be in the past");
    refuse("compare", "{\"at\":\"7d\",\"baseline\":\"1d\"}", "baseline");
    refuse("compare", "{\"at\":\"7d\",\"span\":\"1h\"}", "whole days");
    refuse("compare", "{\"by\":\"name\"}", "\"edge\" or \"route\"");
    refuse("compare", "{\"change\":\"some\"}", "vanished");
    refuse("compare", "{\"service\":\"nobody\"}", "unknown");
    cJSON *out = call("compare", "{}");
    assert_int_equal(ask_len(out, "rows"), 0);
    cJSON_Delete(out);
}

/* ---- migration_progress ---- */

static void
migrate(uint32_t old_last)
{
    struct db_fixture *db = &shop.db;
    uint32_t from = db_route(db, shop.checkout, "POST /old-buy");
    uint32_t cron = db_service(db, "cron");

    days(db_edge(db, shop.cart, from, EDGE_CALL, 90), 10, old_last + 1, 30, 0,
         0);
    days(db_edge(db, cron, from, EDGE_CALL, 10), 10, old_last, 10, 1, 0);
    days(shop.cart_to_buy, 6, 1, 60, 0, 0);
}

#define MOVE \
    "{\"old\":\"checkout POST /old-buy\",\"new\":\"checkout POST /buy\"}"

static void
migration_tells_shares_by_day_and_who_still_calls(void **state)
{
    (void)state;
    migrate(2);
    cJSON *out = call("migration_progress", MOVE);
    assert_string_equal(ask_text(out, "state"), "in_progress");
    assert_int_equal((int)ask_number(out, "old_calls"), 8 * 30 + 9 * 10);
    assert_int_equal((int)ask_number(out, "new_calls"), 6 * 60);
    assert_true(ask_number(out, "share") > 0.52 &&
                ask_number(out, "share") < 0.53);
    const cJSON *day = ask_row(out, "days", 0);
    assert_string_equal(ask_text(day, "date"), "2025-12-19");
    assert_int_equal((int)ask_number(day, "old_calls"), 40);
    assert_int_equal((int)ask_number(day, "old_errors"), 1);
    assert_true(ask_number(day, "share") == 0);
    day = ask_row(out, "days", 5);
    assert_int_equal((int)ask_number(day, "new_calls"), 60);
    assert_true(ask_number(day, "share") == 0.6);
    assert_int_equal(ask_len(out, "days"), 11);
    assert_int_equal(ask_len(out, "old_callers"), 2);
    const cJSON *last = cJSON_GetObjectItem(out, "last_caller");
    assert_string_equal(ask_text(last, "caller"), "cron");
    assert_int_equal((int)ask_number(last, "last_observed"),
                     (FIXTURE_DAY - 2) * 86400 + 3600);
    cJSON_Delete(out);
}

static void
a_migration_is_done_when_old_is_quiet_for_a_week(void **state)
{
    (void)state;
    migrate(8);
    cJSON *out = call("migration_progress", MOVE);
    assert_string_equal(ask_text(out, "state"), "done");
    cJSON_Delete(out);
    out = call("migration_progress",
               "{\"new\":\"checkout POST /old-buy\",\"old\":\"checkout POST "
               "/buy\",\"since\":\"5d\"}");
    assert_string_equal(ask_text(out, "state"), "not_begun");
    cJSON_Delete(out);
}

static void
who_calls_the_old_in_the_code_is_told_too(void **state)
{
    (void)state;
    cJSON *out = call("migration_progress",
                      "{\"old\":\"chargeCard\",\"new\":\"kafka:orders\"}");
    assert_string_equal(ask_text(out, "state"), "no_traffic");
    const cJSON *row = ask_row(out, "code_callers", 0);
    assert_string_equal(ask_text(row, "symbol"),
                        "github.com/acme/shop://checkout.Buy");
    assert_string_equal(ask_text(row, "file"), "checkout/buy.go");
    assert_true(cJSON_IsFalse(cJSON_GetObjectItem(row, "observed")));
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(out, "last_caller")));
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(out, "share")));
    cJSON_Delete(out);
}

static void
a_migration_of_nothing_known_is_refused(void **state)
{
    (void)state;
    refuse("migration_progress", "{\"new\":\"web\"}", "old is required");
    refuse("migration_progress", "{\"old\":\"web\"}", "new is required");
    refuse("migration_progress", "{\"old\":\"POST /bux\",\"new\":\"web\"}",
           "/buy");
    refuse("migration_progress",
           "{\"old\":\"web\",\"new\":\"pay\",\"since\":\"500d\"}",
           "last 400 days");
    refuse("migration_progress",
           "{\"old\":\"web\",\"new\":\"pay\",\"since\":\"2099-01-01\"}",
           "last 400 days");
}

/* ---- nothing there ---- */

static void
an_empty_graph_is_no_failure(void **state)
{
    (void)state;
    cJSON *out = call("communities", "{}");
    assert_int_equal(ask_len(out, "communities"), 0);
    assert_true(ask_hints(out, "spangraph index"));
    cJSON_Delete(out);
    out = call("compare", "{}");
    assert_true(ask_hints(out, "no telemetry"));
    cJSON_Delete(out);
    cJSON_Delete(plan("dead routes"));
    refuse("feedback", "{\"action\":\"query\",\"symbol_hash\":\"a\"}", "a");
    refuse("migration_progress", "{\"old\":\"a\",\"new\":\"b\"}", "a");
}

#define SHOP(test) cmocka_unit_test_setup_teardown(test, open_shop, close_shop)
#define EMPTY(test) \
    cmocka_unit_test_setup_teardown(test, open_empty, close_shop)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        SHOP(communities_are_listed_largest_first),
        SHOP(the_community_of_a_symbol_has_neighbours_and_a_lasting_id),
        SHOP(communities_can_be_of_the_code_or_of_one_repository),
        SHOP(communities_come_in_pages),
        SHOP(what_communities_cannot_answer_is_said),
        SHOP(feedback_is_kept_until_the_code_changes),
        SHOP(feedback_moves_the_ranking),
        SHOP(feedback_waits_for_an_index_and_then_says_so),
        SHOP(feedback_without_what_it_needs_is_refused),
        SHOP(a_task_gets_the_tool_that_answers_it),
        SHOP(every_tool_can_be_suggested),
        SHOP(what_is_not_offered_is_said),
        SHOP(compare_tells_new_vanished_and_changed),
        SHOP(compare_can_be_narrowed),
        SHOP(by_route_all_callers_are_one),
        SHOP(compare_refuses_windows_that_are_none),
        SHOP(migration_tells_shares_by_day_and_who_still_calls),
        SHOP(a_migration_is_done_when_old_is_quiet_for_a_week),
        SHOP(who_calls_the_old_in_the_code_is_told_too),
        SHOP(a_migration_of_nothing_known_is_refused),
        EMPTY(an_empty_graph_is_no_failure),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
