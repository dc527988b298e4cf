/*
 * The tools of context on a shop whose code and traces are joined: what they
 * say, in which format, within which budget.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "graph/pack.h"
#include "mcp/context_format.h"
#include "tests/support/ask_tools.h"
#include "tests/support/context_ask.h"
#include "tests/support/context_shop.h"

static const char *const formats[] = {"xml", "json", "markdown", "gcf", "gcb"};

static cJSON *
for_task(const char *task)
{
    char args[300];

    snprintf(args, sizeof(args),
             "{\"task_description\":\"%s\",\"format\":\"json\"}", task);
    return ask(context_shop.tools, "context_for_task", args);
}

/* The row of the symbol whose name ends so; NULL: it is not there. */
static const cJSON *
symbol(const cJSON *json, const char *end)
{
    const cJSON *row;

    cJSON_ArrayForEach(row, cJSON_GetObjectItem(json, "symbols"))
    {
        const char *name = ask_text(row, "qualified_name");
        if (strlen(name) >= strlen(end) &&
            strcmp(name + strlen(name) - strlen(end), end) == 0)
            return row;
    }
    return NULL;
}

static double
score(const cJSON *json, const char *end)
{
    const cJSON *row = symbol(json, end);

    return row ? ask_number(row, "score") : 0;
}

/* ---- what is said ---- */

static void
files_give_their_symbols_and_what_reaches_them(void **state)
{
    cJSON *out = context_ask_files("checkout/buy.go", "gcf", 50000);

    (void)state;
    assert_string_equal(
        ask_text(out, "content"),
        "GCF profile=graph tool=context_for_files budget=50000 tokens=338 "
        "symbols=14 edges=15\n"
        "## targets\n"
        "@0 fn github.com/acme/shop://checkout.Buy 1.00 both "
        "checkout/buy.go:3\n"
        "@1 fn github.com/acme/shop://checkout.OldBuy 0.74 static "
        "checkout/buy.go:33\n"
        "@2 route github.com/acme/shop://checkout.POST%20/old-buy 0.74 static "
        "checkout/buy.go:1\n"
        "@3 fn github.com/acme/shop://checkout.chargeCard 0.60 static "
        "checkout/buy.go:13\n"
        "@4 route github.com/acme/shop://checkout.POST%20/buy 0.57 static "
        "checkout/buy.go:1\n"
        "@5 type github.com/acme/shop://checkout.Order 0.57 static "
        "checkout/buy.go:23\n"
        "## related\n"
        "@6 fn github.com/acme/shop://web.ShowCart 0.72 both web/cart.go:3\n"
        "@7 fn github.com/acme/shop://pay.Charge 0.62 both pay/pay.go:3\n"
        "@8 fn github.com/acme/shop://util.Log 0.46 static util/log.go:3\n"
        "@9 topic kafka:orders 0.38 observed\n"
        "@10 fn github.com/acme/shop://checkout.TestBuy 0.13 static "
        "checkout/buy_test.go:3\n"
        "## extended\n"
        "@11 ext user 0.37 observed\n"
        "@12 route github.com/acme/shop://web.GET%20/cart/{} 0.30 static "
        "web/cart.go:1\n"
        "@13 rpc github.com/acme/shop://pay.pay.Pay/Charge 0.23 static "
        "pay/pay.go:1\n"
        "## edges [15]\n"
        "@5<@0 references\n"
        "@3<@0 calls\n"
        "@7<@0 runtime_rpc\n"
        "@8<@0 calls\n"
        "@9<@0 runtime_produces\n"
        "@1<@2 handles_route\n"
        "@0<@6 runtime_calls\n"
        "@8<@6 calls\n"
        "@8<@7 calls\n"
        "@8<@3 calls\n"
        "@0<@4 handles_route\n"
        "@6<@11 runtime_calls\n"
        "@6<@12 handles_route\n"
        "@7<@13 handles_route\n"
        "@0<@10 tests\n");
    assert_int_equal((int)ask_number(out, "token_count"), 338);
    assert_int_equal((int)ask_number(out, "symbols_included"), 14);
    assert_int_equal((int)ask_number(out, "symbols_available"), 14);
    assert_string_equal(ask_text(out, "summary"),
                        "14 of 14 symbols, 15 edges, 338 tokens (4 bytes "
                        "each) of 50000");
    cJSON_Delete(out);
}

static void
a_caller_that_only_traffic_knows_is_there(void **state)
{
    cJSON *json = context_ask_content(
        context_ask_files("checkout/buy.go", "json", 50000));
    const cJSON *row = symbol(json, "web.ShowCart");

    (void)state;
    assert_non_null(row);
    assert_string_equal(ask_text(row, "relation"), "caller");
    assert_string_equal(ask_text(row, "evidence"), "both");
    assert_int_equal((int)ask_number(row, "calls"), 50);
    assert_string_equal(ask_text(symbol(json, "pay.Charge"), "relation"),
                        "callee");
    assert_string_equal(ask_text(symbol(json, "checkout.Buy"), "relation"),
                        "target");
    cJSON_Delete(json);
}

static void
what_is_busy_comes_before_what_is_idle(void **state)
{
    cJSON *json = context_ask_content(
        context_ask_files("checkout/buy.go", "json", 50000));

    (void)state;
    assert_true(score(json, "pay.Charge") > score(json, "util.Log"));
    assert_true(score(json, "checkout.Buy") > score(json, "checkout.OldBuy"));
    /* Tests come last, unless one is what was changed. */
    assert_true(score(json, "checkout.TestBuy") < 0.2);
    cJSON_Delete(json);
    json = context_ask_content(
        context_ask_files("checkout/buy_test.go", "json", 50000));
    assert_true(score(json, "checkout.TestBuy") > 0.5);
    cJSON_Delete(json);
}

static void
a_review_and_a_blast_differ_in_callers_and_budget(void **state)
{
    cJSON *out = ask(context_shop.tools, "context_for_pr",
                     "{\"files\":\"checkout/buy.go\",\"format\":\"json\"}");

    (void)state;
    assert_non_null(strstr(ask_text(out, "summary"), "of 8000"));
    cJSON *review = context_ask_content(out);
    cJSON *blast = context_ask_content(
        context_ask_files("checkout/buy.go", "json", 50000));
    assert_true(score(review, "web.ShowCart") < score(blast, "web.ShowCart"));
    assert_true(score(review, "pay.Charge") == score(blast, "pay.Charge"));
    cJSON_Delete(review);
    cJSON_Delete(blast);
    out = ask(context_shop.tools, "context_for_files",
              "{\"files\":\"web/cart.go\"}");
    assert_non_null(strstr(ask_text(out, "summary"), "of 8000"));
    assert_string_equal(ask_text(out, "format"), "xml");
    cJSON_Delete(out);
}

static void
several_files_and_their_ends_are_understood(void **state)
{
    cJSON *out = context_ask_files(" checkout/buy.go , cart.go, nothing.go",
                                   "json", 50000);

    (void)state;
    assert_true(ask_hints(out, "no file \"nothing.go\""));
    cJSON *json = context_ask_content(out);
    assert_string_equal(ask_text(symbol(json, "web.ShowCart"), "relation"),
                        "target");
    cJSON_Delete(json);
}

/* ---- for tasks ---- */

static void
words_of_a_task_find_their_symbols(void **state)
{
    cJSON *json = context_ask_content(for_task("why is charging a card slow"));

    (void)state;
    assert_string_equal(ask_text(symbol(json, "chargeCard"), "relation"),
                        "target");
    assert_non_null(symbol(json, "checkout.Buy"));
    assert_true(score(json, "chargeCard") > score(json, "checkout.OldBuy"));
    cJSON_Delete(json);
}

static void
what_a_task_names_exactly_comes_first(void **state)
{
    static const char *const tasks[][2] = {
        {"change checkout.OldBuy", "checkout.OldBuy"},
        {"what does `OldBuy` do", "checkout.OldBuy"},
        {"look at POST /old-buy please", "checkout.OldBuy"},
        {"rename things in web/cart.go", "web.ShowCart"},
        {"who reads kafka:orders", "kafka:orders"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(tasks) / sizeof(tasks[0]); i++) {
        cJSON *json = context_ask_content(for_task(tasks[i][0]));
        const cJSON *first = ask_row(json, "symbols", 0);
        const char *name = ask_text(first, "qualified_name");
        if (!strstr(name, tasks[i][1]))
            fail_msg("'%s' begins with %s", tasks[i][0], name);
        cJSON_Delete(json);
    }
}

static void
a_task_that_fits_nothing_says_so(void **state)
{
    cJSON *out = for_task("zzzz qqqq");

    (void)state;
    assert_int_equal((int)ask_number(out, "symbols_included"), 0);
    assert_int_equal((int)ask_number(out, "symbols_available"), 0);
    assert_string_equal(ask_text(out, "content"),
                        "{\"symbols\":[],\"edges\":[]}");
    assert_non_null(strstr(ask_text(out, "summary"), "nothing in the graph"));
    cJSON_Delete(out);
}

/* ---- budgets ---- */

static void
no_budget_is_ever_exceeded(void **state)
{
    static const int budgets[] = {100, 101, 120, 200, 333, 1000, 5000};

    (void)state;
    context_shop_index(&context_shop, 0, 400);
    for (size_t f = 0; f < sizeof(formats) / sizeof(formats[0]); f++)
        for (size_t b = 0; b < sizeof(budgets) / sizeof(budgets[0]); b++) {
            cJSON *out = context_ask_files("bulk/bulk.go,checkout/buy.go",
                                           formats[f], budgets[b]);
            size_t bytes = strlen(ask_text(out, "content"));
            int tokens = (int)ask_number(out, "token_count");

            assert_true(tokens <= budgets[b]);
            assert_int_equal(tokens, pack_tokens(bytes));
            assert_true(ask_number(out, "symbols_included") <
                        ask_number(out, "symbols_available"));
            assert_true(ask_hints(out, "did not fit"));
            /* Nor is much of it left unused. */
            if (budgets[b] >= 1000)
                assert_true(tokens * 10 > budgets[b] * 8);
            cJSON_Delete(out);
        }
}

/* Clients keep what is larger out of the model's sight, or in a file. */
static void
unasked_a_context_is_one_that_a_client_takes(void **state)
{
    enum { CLIENT_CHARACTERS = 50000 };
    static const char *const tools[] = {"context_for_files", "context_for_pr",
                                        "context_for_task"};

    (void)state;
    context_shop_index(&context_shop, 0, 1200);
    for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]) * 5; i++) {
        const char *tool = tools[i / 5];
        struct buf why = {0};
        cJSON *args = cJSON_CreateObject();
        cJSON *out = NULL;

        cJSON_AddStringToObject(args, i / 5 < 2 ? "files" : "task_description",
                                "bulk/bulk.go");
        cJSON_AddStringToObject(args, "format", formats[i % 5]);
        assert_int_equal(tools_call(context_shop.tools, tool, args, &out, &why),
                         OK);
        char *text = cJSON_PrintUnformatted(out);
        if (strlen(text) > CLIENT_CHARACTERS)
            fail_msg("%s as %s: %zu", tool, formats[i % 5], strlen(text));
        assert_true(ask_number(out, "token_count") <= 8000);
        if (ask_number(out, "symbols_included") <
            ask_number(out, "symbols_available"))
            assert_true(ask_hints(out, "raise token_budget (at most 200000)"));
        cJSON_free(text);
        cJSON_Delete(out);
        cJSON_Delete(args);
        buf_fini(&why);
    }
}

static void
rows_end_at_their_bound_and_the_rest_is_counted(void **state)
{
    (void)state;
    context_shop_index(&context_shop, 0, CONTEXT_ROWS_MAX + 50);
    cJSON *out = context_ask_files("bulk/bulk.go", "gcf", 200000);
    assert_int_equal((int)ask_number(out, "symbols_included"),
                     CONTEXT_ROWS_MAX);
    assert_int_equal((int)ask_number(out, "symbols_available"),
                     CONTEXT_ROWS_MAX + 50);
    cJSON_Delete(out);
}

/* ---- what is refused ---- */

static void
wrong_arguments_are_told_what_is_right(void **state)
{
    const char *name = "context_for_files";

    (void)state;
    ask_refused(context_shop.tools, name, "{}", "files");
    ask_refused(context_shop.tools, name, "{\"files\":\"no/such.go\"}",
                "indexed");
    ask_refused(context_shop.tools, name,
                "{\"files\":\"web/cart.go\",\"format\":\"yaml\"}",
                "xml, json, markdown, gcf, gcb");
    ask_refused(context_shop.tools, name,
                "{\"files\":\"web/cart.go\",\"token_budget\":99}", "100");
    ask_refused(context_shop.tools, name,
                "{\"files\":\"web/cart.go\",\"token_budget\":200001}",
                "200000");
    ask_refused(context_shop.tools, name,
                "{\"files\":\"web/cart.go\",\"repo_url\":\"no/where\"}",
                "acme/shop");
    ask_refused(context_shop.tools, name, "{\"fils\":\"web/cart.go\"}",
                "did you mean 'files'");
    ask_refused(context_shop.tools, "context_for_task", "{}",
                "task_description is required");
    ask_refused(context_shop.tools, "context_for_task",
                "{\"task_description\":7}", "must be a string");
    ask_refused(context_shop.tools, "context_for_pr", "{}", "files");
}

static void
an_empty_graph_says_what_to_do(void **state)
{
    (void)state;
    cJSON *out = for_task("anything at all");
    assert_int_equal((int)ask_number(out, "symbols_included"), 0);
    assert_true(ask_hints(out, "spangraph index"));
    cJSON_Delete(out);
    ask_refused(context_shop.tools, "context_for_files", "{\"files\":\"a.go\"}",
                "spangraph index");
    ask_refused(context_shop.tools, "context_for_pr", "{\"files\":\"a.go\"}",
                "spangraph index");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        CONTEXT_SHOP(files_give_their_symbols_and_what_reaches_them),
        CONTEXT_SHOP(a_caller_that_only_traffic_knows_is_there),
        CONTEXT_SHOP(what_is_busy_comes_before_what_is_idle),
        CONTEXT_SHOP(a_review_and_a_blast_differ_in_callers_and_budget),
        CONTEXT_SHOP(several_files_and_their_ends_are_understood),
        CONTEXT_SHOP(words_of_a_task_find_their_symbols),
        CONTEXT_SHOP(what_a_task_names_exactly_comes_first),
        CONTEXT_SHOP(a_task_that_fits_nothing_says_so),
        CONTEXT_SHOP(no_budget_is_ever_exceeded),
        CONTEXT_SHOP(unasked_a_context_is_one_that_a_client_takes),
        CONTEXT_SHOP(rows_end_at_their_bound_and_the_rest_is_counted),
        CONTEXT_SHOP(wrong_arguments_are_told_what_is_right),
        CONTEXT_EMPTY(an_empty_graph_says_what_to_do),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
