/*
 * Every number in a summary of graph_query can be traced: it stands by name in
 * `facts`.
 */
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "knowledge/knowledge.h"
#include "tests/support/ask_tools.h"
#include "tests/support/context_shop.h"

static struct {
    struct context_shop shop;
    size_t numbers;
    size_t questions;
} rig;

static int
open_shop(void **state)
{
    (void)state;
    context_shop_open(&rig.shop);
    context_shop_index(&rig.shop, 0, 60);
    for (int i = 0; i < 3; i++) {
        const uint32_t routes[] = {rig.shop.cart, rig.shop.buy,
                                   rig.shop.charge};
        uint32_t edge = db_edge(&rig.shop.db, 0, routes[i], EDGE_TRAFFIC, 20);

        db_daily(&rig.shop.db, edge, FIXTURE_DAY - 60, FIXTURE_DAY, 10, 1);
    }
    uint32_t seen = db_edge(&rig.shop.db, 0, rig.shop.checkout, EDGE_SEEN, 40);
    db_daily(&rig.shop.db, seen, FIXTURE_DAY - 60, FIXTURE_DAY, 10, 1);
    db_declare(&rig.shop.db, rig.shop.checkout, "POST", "/old-buy", 1);
    db_declare(&rig.shop.db, rig.shop.checkout, "GET", "/older", 1);
    context_shop_know(&rig.shop);
    cJSON_Delete(
        ask(rig.shop.tools, "manage", "{\"action\":\"rebuild_index\"}"));
    return 0;
}

static int
close_shop(void **state)
{
    (void)state;
    context_shop_close(&rig.shop);
    return 0;
}

static bool
is_fact(const cJSON *facts, double number)
{
    const cJSON *fact;

    cJSON_ArrayForEach(fact, facts)
    {
        if (cJSON_IsNumber(fact) && fact->valuedouble == number)
            return true;
    }
    return false;
}

/* A number is digits that no letter, sign of a name or point touches. */
static bool
next_number(const char **at, double *number)
{
    const char *text = *at;

    for (; *text; text++) {
        const char *end = text;

        if (!isdigit((unsigned char)*text))
            continue;
        while (isdigit((unsigned char)*end))
            end++;
        bool starts = text == *at || strchr(" (:", text[-1]);
        bool ends = !*end || strchr(" ,;)", *end);
        *number = strtod(text, NULL);
        text = end - 1;
        if (!starts || !ends)
            continue;
        *at = end;
        return true;
    }
    return false;
}

/* The facts count what is shown, where all of it is. */
static void
check_facts(const cJSON *out)
{
    const cJSON *facts = at(out, "facts");
    const char *intent = text_at(out, "interpretation|intent");
    bool is_walk = strcmp(intent, "overview") != 0 &&
                   cJSON_HasObjectItem(facts, "reached");
    int shown = len_at(out, "nodes");

    assert_int_equal(shown, (int)number_at(out, "returned"));
    if (cJSON_HasObjectItem(facts, "shown"))
        assert_int_equal(shown, (int)number_at(facts, "shown"));
    if (cJSON_IsTrue(at(out, "truncated")))
        return;
    if (is_walk)
        assert_int_equal(shown, 1 + (int)number_at(facts, "reached"));
    if (cJSON_HasObjectItem(facts, "steps"))
        assert_int_equal(shown, 1 + (int)number_at(facts, "steps"));
    if (cJSON_HasObjectItem(facts, "candidates"))
        assert_int_equal(shown, (int)number_at(facts, "candidates"));
    if (cJSON_HasObjectItem(facts, "communities"))
        assert_int_equal(shown, (int)number_at(facts, "communities"));
}

static void
trace(const char *question, int most, int level)
{
    char args[300];
    double number;

    snprintf(args, sizeof(args),
             "{\"query\":\"%s\",\"maxNodes\":%d,\"disclosureLevel\":%d}",
             question, most, level);
    cJSON *out = ask(rig.shop.tools, "graph_query", args);
    const char *text = text_at(out, "summary");

    assert_true(*text);
    while (next_number(&text, &number)) {
        rig.numbers++;
        if (!is_fact(at(out, "facts"), number))
            fail_msg("%s: %g stands nowhere: %s", args, number,
                     cJSON_PrintUnformatted(out));
    }
    check_facts(out);
    rig.questions++;
    cJSON_Delete(out);
}

static void
every_number_of_a_summary_stands_in_the_answer(void **state)
{
    static const char *const phrases[] = {
        "who calls %s",
        "callers of %s",
        "what does %s call",
        "blast radius of %s",
        "what depends on %s",
        "what does %s depend on",
        "overview of %s",
        "tell me about %s",
        "what is %s",
        "which routes are dead in %s",
        "path from %s to util.Log",
        "how does service:web reach %s",
        "%s",
        "something about %s and more",
    };
    static const char *const names[] = {
        "service:checkout",
        "service:web",
        "service:pay",
        "POST /buy",
        "GET /cart/{}",
        "pay.Pay/Charge",
        "kafka:orders",
        "external:user",
        "checkout.Buy",
        "checkout.chargeCard",
        "util.Log",
        "web.ShowCart",
        "bulk.fn3",
        "checkout.Order",
        ("repo:" CONTEXT_SHOP_URL),
        "nobody",
    };
    static const int most[] = {1, 3, 20, 100};

    (void)state;
    for (size_t i = 0; i < sizeof(phrases) / sizeof(phrases[0]); i++)
        for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
            const char *hole = strstr(phrases[i], "%s");
            char question[200];

            snprintf(question, sizeof(question), "%.*s%s%s",
                     (int)(hole - phrases[i]), phrases[i], names[k], hole + 2);
            trace(question, most[(i + k) % 4], (int)((i + k) % 3));
        }
    trace("dead routes", 20, 1);
    trace("overview", 20, 1);
    trace("overview", 2, 1);
    assert_true(rig.questions > 200 && rig.numbers > 150);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_number_of_a_summary_stands_in_the_answer),
    };

    return cmocka_run_group_tests(tests, open_shop, close_shop);
}
