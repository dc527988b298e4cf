/*
 * Services asked for by a name without its namespace, as code declares them
 * and people say them; routes asked for by a path, as logs have them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/support/ask_tools.h"
#include "tests/support/tool_shop.h"

/* `shop/stock` is called 7 times by web; `stock` is in the code alone. */
static void
namespaced_stock(void)
{
    struct db_fixture *db = &tool_shop.db;
    uint32_t stock = db_service(db, "shop/stock");
    uint32_t take = db_route(db, stock, "POST /take");

    db_edge(db, tool_shop.cart, take, EDGE_CALL, 7);
    db_edge(db, 0, stock, EDGE_SEEN, 7);
    db_declare(db, db_service(db, "stock"), "POST", "/take", 1);
}

static void
a_name_of_the_code_is_asked_for_where_it_was_observed(void **state)
{
    (void)state;
    namespaced_stock();
    cJSON *out = ask(tool_shop.tools, "who_calls", "{\"service\":\"stock\"}");
    assert_int_equal(ask_len(out, "callers"), 1);
    assert_int_equal((int)number_at(out, "callers|0|count"), 7);
    assert_false(ask_hints(out, "no telemetry"));
    cJSON_Delete(out);
    out =
        ask(tool_shop.tools, "runtime_traffic", "{\"service_name\":\"stock\"}");
    assert_int_equal(ask_len(out, "edges"), 1);
    cJSON_Delete(out);
    out = ask(tool_shop.tools, "service_map", "{\"service\":\"stock\"}");
    assert_int_equal(ask_len(out, "rows"), 1);
    cJSON_Delete(out);
}

static void
a_name_without_its_namespace_is_known(void **state)
{
    struct db_fixture *db = &tool_shop.db;

    (void)state;
    for (int i = 0; i < 2; i++) {
        uint32_t mail = db_service(db, i ? "b/mail" : "a/mail");
        db_edge(db, tool_shop.cart, mail, EDGE_CALL, i + 1);
        db_edge(db, 0, mail, EDGE_SEEN, 1);
    }
    cJSON *out = ask(tool_shop.tools, "who_calls", "{\"service\":\"mail\"}");
    assert_int_equal(ask_len(out, "callers"), 2);
    cJSON_Delete(out);
    ask_refused(tool_shop.tools, "who_calls", "{\"service\":\"ail\"}",
                "unknown");
}

static void
a_service_of_that_very_name_is_meant_alone(void **state)
{
    struct db_fixture *db = &tool_shop.db;
    uint32_t other = db_service(db, "shop/checkout");

    (void)state;
    db_edge(db, tool_shop.cart, other, EDGE_CALL, 7);
    db_edge(db, 0, other, EDGE_SEEN, 7);
    cJSON *out =
        ask(tool_shop.tools, "who_calls", "{\"service\":\"checkout\"}");
    assert_int_equal(ask_len(out, "callers"), 1);
    assert_int_equal((int)number_at(out, "callers|0|count"), 20);
    cJSON_Delete(out);
}

/* What nobody observed keeps its hint, and its routes their verdicts. */
static void
a_silent_service_stays_silent(void **state)
{
    (void)state;
    db_declare(&tool_shop.db, db_service(&tool_shop.db, "quiet"), "GET", "/q",
               1);
    db_service(&tool_shop.db, "shop/quiet");
    cJSON *out = ask(tool_shop.tools, "who_calls", "{\"service\":\"quiet\"}");
    assert_int_equal(ask_len(out, "callers"), 0);
    assert_true(ask_hints(out, "no telemetry"));
    cJSON_Delete(out);
}

/* Edge n of these is of n calls; -1: refused. */
static void
a_path_of_a_log_finds_its_route(void **state)
{
    static const char *const names[] = {
        "GET /orders/{}",  "DELETE /orders/{}",       "GET /orders/new",
        "GET /files/{**}", "GET /orders/{}/items/{}", "ANY /ws/{}"};
    static const struct {
        const char *route;
        int calls; /* in all */
    } cases[] = {
        {"/orders/42", 3},
        {"GET /orders/42", 1},
        {" delete  /orders/42/ ", 2},
        {"/orders/42?deep=1#top", 3},
        {"get /orders/new", 3},
        {"/orders/new", 3},
        {"/files/a/b/c", 4},
        {"https://api/orders/42", -1},
        {"/orders/42/items/7", 5},
        {"/orders/42/items", -1},
        {"PUT /orders/42", -1},
        {"GET /ws/42", 6},
        {"any /orders/new", 3},
        {"orders.Orders/Get", -1},
    };
    struct db_fixture *db = &tool_shop.db;
    uint32_t api = db_service(db, "api");
    char args[120];

    (void)state;
    for (int i = 0; i < 6; i++)
        db_edge(db, tool_shop.cart, db_route(db, api, names[i]), EDGE_CALL,
                i + 1);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        int calls = 0;
        const cJSON *row = NULL;

        (void)snprintf(args, sizeof(args),
                       "{\"service\":\"api\",\"route\":\"%s\"}",
                       cases[i].route);
        if (cases[i].calls < 0) {
            ask_refused(tool_shop.tools, "who_calls", args, "no route");
            continue;
        }
        cJSON *out = ask(tool_shop.tools, "who_calls", args);
        cJSON_ArrayForEach(row, cJSON_GetObjectItem(out, "callers"))
        {
            calls += (int)ask_number(row, "count");
        }
        if (calls != cases[i].calls)
            fail_msg("%s: %d calls", cases[i].route, calls);
        cJSON_Delete(out);
    }
    cJSON *out = ask(tool_shop.tools, "who_calls",
                     "{\"service\":\"api\",\"route\":\"GET /orders/42\"}");
    assert_true(ask_hints(out, "'GET /orders/42' is a path of GET /orders/{}"));
    cJSON_Delete(out);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TOOL_SHOP(a_name_of_the_code_is_asked_for_where_it_was_observed),
        TOOL_SHOP(a_name_without_its_namespace_is_known),
        TOOL_SHOP(a_service_of_that_very_name_is_meant_alone),
        TOOL_SHOP(a_silent_service_stays_silent),
        TOOL_SHOP(a_path_of_a_log_finds_its_route),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
