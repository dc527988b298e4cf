/*
 * Code beside traffic, the board of dead routes, and health, as the web page
 * asks for them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "graph/audit.h"
#include "graph/code_build.h"
#include "tests/support/ask_tools.h"
#include "tests/support/code_fixture.h"
#include "tests/support/view_rig.h"

/* web asks shop for POST /buy (seen) and pay for POST /charge (never seen). */
static void
make_code(void)
{
    struct code_fixture f;
    uint32_t web, shop, pay, page, buy, edge;

    db_fixture_open(&view_rig.db);
    code_fixture_open(&f, view_rig.db.dir);
    fixture_service(&f, "web", "web");
    fixture_service(&f, "shop", "shop");
    fixture_service(&f, "pay", "pay");
    fixture_owner(&f, "/shop/", "@acme/shop");
    web = fixture_file(&f, "web/app.py");
    shop = fixture_file(&f, "shop/app.py");
    pay = fixture_file(&f, "pay/app.py");
    page = fixture_function(&f, web, "page", 10, 0);
    buy = fixture_function(&f, shop, "buy", 10, 0);
    fixture_route(&f, web, "GET", "/page", page, 0);
    fixture_route(&f, web, "POST", "/buy", page, ROUTE_IS_CLIENT);
    fixture_route(&f, web, "POST", "/charge", page, ROUTE_IS_CLIENT);
    fixture_route(&f, shop, "POST", "/buy", buy, 0);
    fixture_call(&f, buy, fixture_function(&f, shop, "total", 20, 0));
    fixture_route(&f, pay, "POST", "/charge",
                  fixture_function(&f, pay, "charge", 10, 0), 0);
    code_drop(code_fixture_load(&f));

    uint32_t ids[] = {db_service(&view_rig.db, "web"),
                      db_service(&view_rig.db, "shop"),
                      db_service(&view_rig.db, "pay")};
    edge = db_edge(&view_rig.db, db_route(&view_rig.db, ids[0], "GET /page"),
                   db_route(&view_rig.db, ids[1], "POST /buy"), EDGE_CALL, 0);
    db_daily(&view_rig.db, edge, FIXTURE_DAY - 5, FIXTURE_DAY, 24, 1);
    db_route(&view_rig.db, ids[2], "POST /charge");
    edge = db_edge(&view_rig.db, ids[0],
                   db_node(&view_rig.db, NODE_EXTERNAL, 0, "stripe", ""),
                   EDGE_VIRTUAL_OUT, 0);
    db_daily(&view_rig.db, edge, FIXTURE_DAY - 5, FIXTURE_DAY, 2, 1);
}

static void
evidence_tells_code_and_traffic_apart(void **state)
{
    cJSON *json;

    (void)state;
    make_code();
    view_rig_open(true);
    json = view_rig_get("/api/v1/graph", "");
    assert_true(cJSON_IsTrue(at(json, "has_code")));
    assert_string_equal(view_rig_edge(json, "service:web", "service:shop"),
                        "both 144");
    assert_string_equal(view_rig_edge(json, "service:web", "service:pay"),
                        "static 0");
    assert_string_equal(view_rig_edge(json, "service:web", "external:stripe"),
                        "observed 12");
    cJSON_Delete(json);
    json = view_rig_get("/api/v1/graph", "focus=service:pay");
    assert_string_equal(view_rig_edge(json, "service:web", "service:pay"),
                        "static 0");
    assert_string_equal(view_rig_edge(json, "service:web", "service:shop"),
                        "both 144");
    cJSON_Delete(json);
    json = view_rig_get("/api/v1/graph", "level=endpoint");
    assert_string_equal(
        view_rig_edge(json, "route:web GET /page", "route:shop POST /buy"),
        "both 144");
    assert_string_equal(
        view_rig_edge(json, "service:web", "route:pay POST /charge"),
        "static 0");
    cJSON_Delete(json);
    /* No room for what only the code tells of is told, too. */
    json = view_rig_get("/api/v1/graph", "limit=3");
    assert_int_equal(len_at(json, "nodes"), 3);
    assert_int_equal(number_at(json, "left_out|edges"), 1);
    cJSON_Delete(json);
    view_rig_close();
}

static void
functions_are_walked_over_code_and_traffic(void **state)
{
    char query[128];
    cJSON *json;

    (void)state;
    make_code();
    view_rig_open(true);
    json = view_rig_get("/api/v1/graph",
                        "level=symbol&focus=service:shop&depth=1");
    const cJSON *buy = view_rig_node(json, text_at(json, "nodes|0|key"));
    assert_string_equal(text_at(buy, "name"), "buy");
    assert_string_equal(text_at(buy, "serves"), "POST /buy");
    assert_string_equal(text_at(buy, "file"), "shop/app.py");
    assert_int_equal(number_at(buy, "line"), 10);
    assert_int_equal(len_at(json, "focus"), 1);
    (void)snprintf(query, sizeof(query), "level=symbol&depth=1&focus=%s",
                   text_at(buy, "key"));
    cJSON_Delete(json);
    json = view_rig_get("/api/v1/graph", query);
    assert_int_equal(len_at(json, "focus"), 1);
    /* Who calls it, and what it calls. */
    assert_int_equal(len_at(json, "nodes"), 3);
    cJSON_Delete(json);
    json = view_rig_get("/api/v1/graph", "level=symbol");
    assert_int_equal(number_at(json, "edges|0|count"), 144);
    assert_true(len_at(json, "nodes") >= 5);
    cJSON_Delete(json);
    json = view_rig_get("/api/v1/graph", "level=symbol&limit=2");
    assert_int_equal(len_at(json, "nodes"), 2);
    assert_true(cJSON_IsTrue(at(json, "left_out|by_limit")));
    cJSON_Delete(json);
    /* Seen before the window: only what the code tells is left. */
    (void)snprintf(query, sizeof(query), "level=symbol&from=%u",
                   FIXTURE_NOW_S + 86400);
    json = view_rig_get("/api/v1/graph", query);
    assert_int_equal(number_at(json, "edges|0|count"), 0);
    cJSON_Delete(json);
    view_rig_refused(ERR_NOT_FOUND, "/api/v1/graph",
                     "level=symbol&focus=code:nothing",
                     "nothing is called code:nothing");
    json = view_rig_get("/api/v1/search", "q=total");
    assert_string_equal(text_at(json, "found|0|kind"), "function");
    assert_string_equal(text_at(json, "found|0|file"), "shop/app.py");
    cJSON_Delete(json);
    view_rig_close();
}

static void
without_code_functions_are_no_failure_of_the_rest(void **state)
{
    (void)state;
    view_rig_chain();
    view_rig_open(false);
    view_rig_refused(ERR_STORE, "/api/v1/graph", "level=symbol",
                     "no code is read here");
    cJSON_Delete(view_rig_get("/api/v1/graph", ""));
    view_rig_close();
    view_rig_chain();
    view_rig_open(true);
    cJSON *json =
        view_rig_get("/api/v1/graph", "level=symbol&focus=service:a&depth=1");
    assert_true(cJSON_IsFalse(at(json, "has_code")));
    assert_int_equal(len_at(json, "nodes"), 2);
    cJSON_Delete(json);
    view_rig_close();
}

/* shop serves GET /live, and declares GET /dead with a handler. */
static void
make_dead(void)
{
    struct code_fixture f;
    uint32_t shop, file, node, edge;

    db_fixture_open(&view_rig.db);
    code_fixture_open(&f, view_rig.db.dir);
    shop = db_service(&view_rig.db, "shop");
    fixture_service(&f, "shop", "shop");
    fixture_owner(&f, "/shop/", "@acme/shop");
    file = fixture_file(&f, "shop/app.py");
    fixture_route(&f, file, "GET", "/live",
                  fixture_function(&f, file, "on_live", 10, 0), 0);
    fixture_route(&f, file, "GET", "/dead",
                  fixture_function(&f, file, "on_dead", 20, 0), 0);
    db_declare(&view_rig.db, shop, "GET", "/live", FIXTURE_NOW_S - 90 * 86400);
    db_declare(&view_rig.db, shop, "GET", "/dead", FIXTURE_NOW_S - 90 * 86400);
    node = db_route(&view_rig.db, shop, "GET /live");
    edge = db_edge(&view_rig.db, 0, node, EDGE_TRAFFIC, 0);
    db_daily(&view_rig.db, edge, FIXTURE_DAY - 60, FIXTURE_DAY, 24, 1);
    edge = db_edge(&view_rig.db, 0, shop, EDGE_SEEN, 0);
    db_daily(&view_rig.db, edge, FIXTURE_DAY - 60, FIXTURE_DAY, 24, 1);
    node = db_route(&view_rig.db, shop, "GET /dead");
    db_fixture_sql(&view_rig.db,
                   "UPDATE route SET node = %u WHERE pattern = '/dead'", node);
    code_drop(code_fixture_load(&f));
}

static void
the_board_is_the_audit_with_owner_and_place(void **state)
{
    struct query_view *view = NULL;
    struct audit audit = {0};
    cJSON *json;

    (void)state;
    make_dead();
    view_rig_open(true);
    assert_int_equal(query_begin(view_rig.query, FIXTURE_NOW_S, &view), OK);
    assert_int_equal(audit_run(view, &audit_cfg_default, &audit), OK);
    query_end(view);
    json = view_rig_get("/api/v1/dead", "");
    assert_int_equal(audit.len, 2);
    assert_int_equal(len_at(json, "routes"), audit.len);
    for (size_t i = 0; i < audit.len; i++) {
        const cJSON *row = cJSON_GetArrayItem(at(json, "routes"), (int)i);

        assert_string_equal(text_at(row, "verdict"),
                            verdict_str(audit.routes[i].verdict));
        assert_int_equal(number_at(row, "count"), audit.routes[i].count);
        assert_int_equal(number_at(at(json, "by_verdict"),
                                   verdict_str(audit.routes[i].verdict)),
                         audit.by_verdict[audit.routes[i].verdict]);
    }
    audit_fini(&audit);
    cJSON_Delete(json);
    json = view_rig_get("/api/v1/dead",
                        "verdict=dead&owner=@acme/shop&service=shop");
    assert_int_equal(len_at(json, "routes"), 1);
    assert_string_equal(text_at(json, "routes|0|route"), "/dead");
    assert_string_equal(text_at(json, "routes|0|verdict"), "never_observed");
    assert_string_equal(text_at(json, "routes|0|owners|0"), "@acme/shop");
    assert_string_equal(text_at(json, "routes|0|file"), "shop/app.py");
    assert_int_equal(number_at(json, "routes|0|line"), 20);
    assert_non_null(strstr(text_at(json, "routes|0|handler"), "on_dead"));
    cJSON_Delete(json);
    json = view_rig_get("/api/v1/dead", "limit=1");
    assert_int_equal(len_at(json, "routes"), 1);
    assert_int_equal(number_at(json, "total"), 2);
    assert_true(cJSON_IsTrue(at(json, "truncated")));
    cJSON_Delete(json);
    json = view_rig_get("/api/v1/dead", "owner=nobody");
    assert_int_equal(len_at(json, "routes"), 0);
    cJSON_Delete(json);
    view_rig_close();
}

static void
health_tells_what_arrives_and_what_is_lacking(void **state)
{
    uint32_t svc, silent, scope, edge;
    cJSON *json;

    (void)state;
    db_fixture_open(&view_rig.db);
    svc = db_service(&view_rig.db, "svc");
    scope = db_node(&view_rig.db, NODE_SCOPE, 0, "http", "");
    silent = db_service(&view_rig.db, "silent");
    db_edge(&view_rig.db, svc, silent, EDGE_CALL, 3);
    db_route(&view_rig.db, svc, "GET /x");
    db_node(&view_rig.db, NODE_ROUTE, svc, "GET /y", "");
    edge = db_edge(&view_rig.db, 0, svc, EDGE_SEEN, 10);
    db_times(&view_rig.db, edge, FIXTURE_NOW_S - 500, FIXTURE_NOW_S - 5);
    db_edge(&view_rig.db, scope, svc, EDGE_ORPHAN, 4);
    view_rig_open(false);
    json = view_rig_get("/api/v1/health", "");
    assert_true(cJSON_IsTrue(at(json, "writable")));
    assert_int_equal(number_at(json, "last_span"), FIXTURE_NOW_S - 5);
    assert_int_equal(number_at(json, "first_span"), FIXTURE_NOW_S - 500);
    assert_string_equal(text_at(json, "services|0|name"), "svc");
    assert_int_equal(number_at(json, "services|0|spans"), 10);
    assert_int_equal(number_at(json, "services|0|routes"), 2);
    assert_int_equal(number_at(json, "services|0|reasons|0|count"), 4);
    assert_string_equal(text_at(json, "services|0|reasons|0|scope"), "http");
    assert_true(cJSON_IsNull(at(json, "services|1|last")));
    assert_true(number_at(json, "counts|accepted") >= 0);
    /* As `stats` counts: no account, no scope. */
    assert_int_equal(number_at(json, "counts|edges"), 1);
    assert_int_equal(number_at(json, "counts|nodes"), 4);
    assert_true(number_at(json, "refused|denied") >= 0);
    cJSON_Delete(json);
    json = view_rig_get("/api/v1/health", "limit=1");
    assert_int_equal(len_at(json, "services"), 1);
    assert_int_equal(number_at(json, "total"), 2);
    cJSON_Delete(json);
    view_rig_close();
}

static void
code_that_cannot_be_read_is_told_beside_the_traces(void **state)
{
    char path[128];
    cJSON *json;

    (void)state;
    view_rig_chain();
    (void)snprintf(path, sizeof(path), "%s/code.db", view_rig.db.dir);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs("this is no database, and long enough to be one", file) >=
                0);
    assert_int_equal(fclose(file), 0);
    view_rig_open(true);
    json = view_rig_get("/api/v1/graph", "");
    assert_int_equal(len_at(json, "nodes"), 6);
    assert_true(cJSON_IsFalse(at(json, "has_code")));
    assert_true(strlen(text_at(json, "no_code_why")) > 0);
    cJSON_Delete(json);
    cJSON_Delete(view_rig_get("/api/v1/dead", ""));
    cJSON_Delete(view_rig_get("/api/v1/search", "q=a"));
    view_rig_close();
}

static void
a_broken_store_is_told(void **state)
{
    static const char *const paths[] = {"/api/v1/graph", "/api/v1/dead",
                                        "/api/v1/health"};

    (void)state;
    view_rig_chain();
    view_rig_open(false);
    db_fixture_sql(&view_rig.db, "DROP TABLE edge");
    for (size_t i = 0; i < 3; i++) {
        struct buf out = {0};
        struct buf why = {0};
        enum err err = view_rig_try(paths[i], "", &out, &why);

        assert_true(err == ERR_STORE || err == ERR_CORRUPT);
        buf_fini(&out);
        buf_fini(&why);
    }
    view_rig_close();
}

static void
an_empty_store_has_an_empty_answer(void **state)
{
    cJSON *json;

    (void)state;
    db_fixture_open(&view_rig.db);
    view_rig_open(true);
    json = view_rig_get("/api/v1/graph", "");
    assert_int_equal(len_at(json, "nodes"), 0);
    cJSON_Delete(json);
    json = view_rig_get("/api/v1/graph", "level=symbol");
    assert_int_equal(len_at(json, "nodes"), 0);
    cJSON_Delete(json);
    json = view_rig_get("/api/v1/dead", "");
    assert_int_equal(len_at(json, "routes"), 0);
    cJSON_Delete(json);
    json = view_rig_get("/api/v1/health", "");
    assert_true(cJSON_IsNull(at(json, "last_span")));
    cJSON_Delete(json);
    json = view_rig_get("/api/v1/search", "q=x");
    assert_int_equal(len_at(json, "found"), 0);
    cJSON_Delete(json);
    view_rig_close();
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(evidence_tells_code_and_traffic_apart),
        cmocka_unit_test(functions_are_walked_over_code_and_traffic),
        cmocka_unit_test(without_code_functions_are_no_failure_of_the_rest),
        cmocka_unit_test(the_board_is_the_audit_with_owner_and_place),
        cmocka_unit_test(health_tells_what_arrives_and_what_is_lacking),
        cmocka_unit_test(code_that_cannot_be_read_is_told_beside_the_traces),
        cmocka_unit_test(a_broken_store_is_told),
        cmocka_unit_test(an_empty_store_has_an_empty_answer),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
