/*
 * Endpoints and names that the web page asks for, and what it may not ask.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "api/view.h"
#include "tests/support/ask_tools.h"
#include "tests/support/view_rig.h"

/* Two services with a route each, in two environments, and a route whose name
 * is a pattern. */
static void
make_routes(void)
{
    uint32_t web, shop, dev, page, star;

    db_fixture_open(&view_rig.db);
    web = db_node(&view_rig.db, NODE_SERVICE, 0, "web", "prod");
    shop = db_node(&view_rig.db, NODE_SERVICE, 0, "shop", "prod");
    dev = db_node(&view_rig.db, NODE_SERVICE, 0, "shop", "dev");
    page = db_route(&view_rig.db, web, "GET /page");
    star = db_route(&view_rig.db, web, "GET /*");
    db_edge(&view_rig.db, page, db_route(&view_rig.db, shop, "POST /buy"),
            EDGE_CALL, 8);
    db_edge(&view_rig.db, page, db_route(&view_rig.db, dev, "POST /buy"),
            EDGE_CALL, 4);
    db_edge(&view_rig.db, star, db_route(&view_rig.db, shop, "GET /x"),
            EDGE_CALL, 2);
}

static void
endpoints_are_found_by_service_name_and_environment(void **state)
{
    cJSON *json;

    (void)state;
    make_routes();
    view_rig_open(false);
    json =
        view_rig_get("/api/v1/graph",
                     "level=endpoint&focus=route:shop%20POST%20/buy&depth=1");
    assert_int_equal(len_at(json, "focus"), 2);
    assert_int_equal(len_at(json, "nodes"), 3);
    cJSON_Delete(json);
    json = view_rig_get("/api/v1/graph",
                        "level=endpoint&env=dev&depth=1&focus=route:"
                        "shop+POST+/buy");
    assert_int_equal(len_at(json, "focus"), 1);
    assert_int_equal(len_at(json, "nodes"), 2);
    assert_string_equal(
        text_at(view_rig_node(json, "route:shop POST /buy"), "env"), "dev");
    cJSON_Delete(json);
    /* A name that is a pattern is itself; the other is not meant. */
    json = view_rig_get("/api/v1/graph",
                        "level=endpoint&depth=1&focus=route:web%20GET%20/%2A");
    assert_int_equal(len_at(json, "focus"), 1);
    assert_non_null(view_rig_node(json, "route:shop GET /x"));
    assert_null(view_rig_node(json, "route:shop POST /buy"));
    cJSON_Delete(json);
    /* A service is shown by its endpoints, not by itself too. */
    json = view_rig_get("/api/v1/graph",
                        "level=endpoint&depth=1&focus=service:web");
    assert_null(view_rig_node(json, "service:web"));
    assert_int_equal(len_at(json, "nodes"), 5);
    assert_int_equal(len_at(json, "focus"), 2);
    cJSON_Delete(json);
    /* At service level an endpoint means its service. */
    json =
        view_rig_get("/api/v1/graph", "focus=route:web%20GET%20/page&env=prod");
    assert_int_equal(number_at(json, "focus|0"),
                     number_at(view_rig_node(json, "service:web"), "id"));
    cJSON_Delete(json);
    view_rig_close();
}

static void
what_is_wrong_is_refused_by_name(void **state)
{
    static const struct {
        const char *path;
        const char *query;
        const char *says; /* NULL: it is good */
    } rows[] = {
        {"/api/v1/graph", "depth=1", NULL},
        {"/api/v1/graph", "depth=6", NULL},
        {"/api/v1/graph", "depth=0", "depth and limit are at least 1"},
        {"/api/v1/graph", "depth=7", "depth is a whole number, at most 6"},
        {"/api/v1/graph", "depth=two", "depth is a whole number"},
        {"/api/v1/graph", "depth=-1", "depth is a whole number"},
        {"/api/v1/graph", "depth=&limit=", NULL},
        {"/api/v1/graph", "limit=1", NULL},
        {"/api/v1/graph", "limit=5000", NULL},
        {"/api/v1/graph", "limit=0", "at least 1"},
        {"/api/v1/graph", "limit=5001", "limit is a whole number, at most"},
        {"/api/v1/graph", "limit=9999999999999999999", "limit is a whole"},
        {"/api/v1/graph", "level=symbols", "service, endpoint or symbol"},
        {"/api/v1/graph", "from=4294967295", NULL},
        {"/api/v1/graph", "from=4294967296", "from is a whole number"},
        {"/api/v1/graph", "from=10&to=11", NULL},
        {"/api/v1/graph", "from=10&to=10", "to is not after from"},
        {"/api/v1/graph", "colour=red", "no parameter colour"},
        {"/api/v1/graph", "focus=%zz", "bad % escape"},
        {"/api/v1/graph", "focus=%4", "bad % escape"},
        {"/api/v1/graph", "focus=a%00b", "bad % escape"},
        {"/api/v1/graph", "&&&depth=1&&", NULL},
        {"/api/v1/search", "q=a&limit=50", NULL},
        {"/api/v1/search", "q=a&limit=51", "limit is a whole number"},
        {"/api/v1/search", "q=a&limit=0", "limit is at least 1"},
        {"/api/v1/search", "focus=a", "no parameter focus"},
        {"/api/v1/dead", "stale_days=400", NULL},
        {"/api/v1/dead", "stale_days=401", "stale_days is a whole number"},
        {"/api/v1/dead", "stale_days=0", "at least 1"},
        {"/api/v1/dead", "limit=5000", NULL},
        {"/api/v1/dead", "limit=5001", "limit is a whole number"},
        {"/api/v1/dead", "verdict=all", NULL},
        {"/api/v1/dead", "verdict=stopped", NULL},
        {"/api/v1/dead", "verdict=gone", "verdict is dead, all"},
        {"/api/v1/dead", "owner=@team", "owner needs the code"},
        {"/api/v1/health", "limit=2000", NULL},
        {"/api/v1/health", "limit=2001", "limit is a whole number"},
        {"/api/v1/health", "limit=0", "at least 1"},
    };
    char many[200] = "";

    (void)state;
    view_rig_chain();
    view_rig_open(false);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (rows[i].says)
            view_rig_refused(ERR_INVALID, rows[i].path, rows[i].query,
                             rows[i].says);
        else
            cJSON_Delete(view_rig_get(rows[i].path, rows[i].query));
    }
    for (int i = 0; i < 32; i++)
        strcat(many, i ? "&env" : "env");
    cJSON_Delete(view_rig_get("/api/v1/graph", many));
    strcat(many, "&env");
    view_rig_refused(ERR_INVALID, "/api/v1/graph", many, "more than 32 parts");
    view_rig_refused(ERR_NOT_FOUND, "/api/v1/graph", "focus=service:nobody",
                     "nothing is called service:nobody");
    view_rig_refused(ERR_NOT_FOUND, "/api/v1/graph",
                     "focus=service:", "nothing is called");
    view_rig_refused(ERR_NOT_FOUND, "/api/v1/dead", "service=nobody",
                     "no service is called nobody");
    view_rig_close();
}

static void
a_long_question_is_refused_at_one_byte_too_many(void **state)
{
    char query[300] = "q=";

    (void)state;
    view_rig_chain();
    view_rig_open(false);
    memset(query + 2, 'a', 256);
    cJSON_Delete(view_rig_get("/api/v1/search", query));
    query[258] = 'a';
    view_rig_refused(ERR_INVALID, "/api/v1/search", query,
                     "more than 256 bytes");
    view_rig_close();
}

static void
search_finds_every_word_and_what_begins_so_first(void **state)
{
    cJSON *json;

    (void)state;
    make_routes();
    db_service(&view_rig.db, "bigshop");
    view_rig_open(false);
    json = view_rig_get("/api/v1/search", "q=SHOP");
    assert_string_equal(text_at(json, "found|0|key"), "service:shop");
    assert_int_equal(number_at(json, "total"), 6);
    assert_string_equal(text_at(json, "found|5|key"), "service:bigshop");
    cJSON_Delete(json);
    json = view_rig_get("/api/v1/search", "q=buy+shop&limit=1");
    assert_int_equal(len_at(json, "found"), 1);
    assert_int_equal(number_at(json, "total"), 2);
    assert_string_equal(text_at(json, "found|0|key"), "route:shop POST /buy");
    cJSON_Delete(json);
    json = view_rig_get("/api/v1/search", "q=+");
    assert_int_equal(len_at(json, "found"), 0);
    cJSON_Delete(json);
    json = view_rig_get("/api/v1/search", "q=nowhere");
    assert_int_equal(len_at(json, "found"), 0);
    cJSON_Delete(json);
    view_rig_close();
}

static void
any_name_is_text(void **state)
{
    static const char hostile[] = "</script>\"\\\x01\x1f\xff<img src=x>";
    cJSON *json;

    (void)state;
    db_fixture_open(&view_rig.db);
    db_edge(&view_rig.db, db_service(&view_rig.db, "a"),
            db_service(&view_rig.db, hostile), EDGE_CALL, 1);
    view_rig_open(false);
    json = view_rig_get("/api/v1/graph", "");
    assert_string_equal(text_at(json, "nodes|1|name"),
                        "</script>\"\\\x01\x1f\xef\xbf\xbd<img src=x>");
    cJSON_Delete(json);
    view_rig_close();
}

static void
a_service_is_found_without_its_namespace(void **state)
{
    static const struct {
        const char *query;
        int found; /* of them in focus; 0: refused */
    } cases[] = {
        {"focus=orders", 1},
        {"focus=service:orders", 1},
        {"focus=shop/orders", 1},
        {"level=endpoint&focus=orders%20GET%20/x", 1},
        {"level=endpoint&focus=route:orders%20GET%20/x", 1},
        {"focus=database:orders", 0},
        {"focus=rders", 0},
        {"level=endpoint&focus=orders%20GET%20/y", 0},
        {"focus=web", 1}, /* of the two the one of that very name */
    };

    (void)state;
    db_fixture_open(&view_rig.db);
    uint32_t web = db_service(&view_rig.db, "web");
    uint32_t orders = db_service(&view_rig.db, "shop/orders");
    db_edge(&view_rig.db, db_route(&view_rig.db, web, "GET /orders"),
            db_route(&view_rig.db, orders, "GET /x"), EDGE_CALL, 3);
    db_edge(&view_rig.db, db_service(&view_rig.db, "shop/web"), orders,
            EDGE_CALL, 2);
    db_edge(&view_rig.db, 0, orders, EDGE_SEEN, 3);
    db_edge(&view_rig.db, 0, web, EDGE_SEEN, 3);
    view_rig_open(false);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (!cases[i].found) {
            view_rig_refused(ERR_NOT_FOUND, "/api/v1/graph", cases[i].query,
                             "nothing is called");
            continue;
        }
        cJSON *json = view_rig_get("/api/v1/graph", cases[i].query);
        if (len_at(json, "focus") != cases[i].found)
            fail_msg("%s: %d", cases[i].query, len_at(json, "focus"));
        cJSON_Delete(json);
    }
    view_rig_close();
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(endpoints_are_found_by_service_name_and_environment),
        cmocka_unit_test(a_service_is_found_without_its_namespace),
        cmocka_unit_test(what_is_wrong_is_refused_by_name),
        cmocka_unit_test(a_long_question_is_refused_at_one_byte_too_many),
        cmocka_unit_test(search_finds_every_word_and_what_begins_so_first),
        cmocka_unit_test(any_name_is_text),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
