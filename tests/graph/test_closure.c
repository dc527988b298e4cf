/*
 * An audit of a service whose code is known.  /dead and /gone were never
 * called, /live is called every hour.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "graph/closure.h"
#include "graph/closure_impl.h"
#include "tests/support/code_fixture.h"
#include "tests/support/db_fixture.h"

static struct {
    struct db_fixture db;
    struct code_fixture fixture;
    const struct code *code;
    struct query *query;
    struct query_view *view;
    struct joined *joined;
    struct audit audit;
    struct closure *closure;
    uint32_t shop;
    uint32_t file;
    uint32_t live, dead, gone; /* handlers */
    uint32_t line;
} it;

static uint32_t
function(const char *name, uint32_t flags)
{
    return fixture_function(&it.fixture, it.file, name, it.line += 10, flags);
}

static void
traffic(const char *route, uint32_t days_ago)
{
    uint32_t node = db_route(&it.db, it.shop, route);
    uint32_t edge = db_edge(&it.db, 0, node, EDGE_TRAFFIC, 0);

    db_daily(&it.db, edge, FIXTURE_DAY - 60, FIXTURE_DAY - days_ago, 24, 1);
}

static uint32_t
declared(const char *path, const char *handler)
{
    uint32_t vertex = function(handler, 0);
    char name[64];

    (void)snprintf(name, sizeof(name), "GET %s", path);
    fixture_route(&it.fixture, it.file, "GET", path, vertex, 0);
    db_declare(&it.db, it.shop, "GET", path, FIXTURE_NOW_S - 90 * S_PER_DAY);
    return vertex;
}

static int
setup(void **state)
{
    (void)state;
    memset(&it, 0, sizeof(it));
    db_fixture_open(&it.db);
    code_fixture_open(&it.fixture, it.db.dir);
    it.shop = db_service(&it.db, "shop");
    fixture_service(&it.fixture, "shop", "shop");
    it.file = fixture_file(&it.fixture, "shop/app.py");
    it.live = declared("/live", "on_live");
    it.dead = declared("/dead", "on_dead");
    it.gone = declared("/gone", "on_gone");
    traffic("GET /live", 0);
    uint32_t seen = db_edge(&it.db, 0, it.shop, EDGE_SEEN, 0);
    db_daily(&it.db, seen, FIXTURE_DAY - 60, FIXTURE_DAY, 24, 1);
    return 0;
}

static int
teardown(void **state)
{
    (void)state;
    closure_free(it.closure);
    audit_fini(&it.audit);
    joined_free(it.joined);
    code_drop(it.code);
    query_end(it.view);
    query_close(it.query);
    db_fixture_close(&it.db);
    return 0;
}

/* The declared routes are nodes, as the link between code and traces makes
 * them (cmd/link.c). */
static void
make_for(const struct audit_cfg *cfg)
{
    struct buf why = {0};

    static const char *const paths[] = {"/dead", "/gone"};
    for (size_t i = 0; i < 2; i++) {
        char name[64];
        (void)snprintf(name, sizeof(name), "GET %s", paths[i]);
        uint32_t node = db_route(&it.db, it.shop, name);
        db_fixture_sql(&it.db, "UPDATE route SET node = %u WHERE pattern = %Q",
                       node, paths[i]);
    }
    it.code = code_fixture_load(&it.fixture);
    assert_int_equal(query_open(&it.query, it.db.dir, &query_cfg_default, &why),
                     OK);
    assert_int_equal(query_begin(it.query, FIXTURE_NOW_S, &it.view), OK);
    assert_int_equal(joined_make(&it.joined, it.view, it.code), OK);
    assert_int_equal(audit_run(it.view, cfg, &it.audit), OK);
    assert_int_equal(
        closure_make(&it.closure, it.joined, it.view, &it.audit, cfg), OK);
    buf_fini(&why);
}

static void
make(void)
{
    make_for(&audit_cfg_default);
}

static size_t
row_of(const char *path)
{
    for (size_t i = 0; i < it.audit.len; i++)
        if (str_eq(it.audit.routes[i].pattern, str_of(path)))
            return i;
    fail_msg("no route %s", path);
    return 0;
}

static void
add_names(struct buf *text, const struct closure_list *list)
{
    for (size_t i = 0; i < list->len; i++) {
        const struct closure_code *row = &list->rows[i];
        buf_add(text, code_node(it.code, row->vertex)->name);
        buf_printf(text, "%s%s%s%s ", row->is_live ? "+" : "",
                   row->is_test ? "t" : "", row->is_tested ? "T" : "",
                   row->is_open ? "?" : "");
    }
}

static void
expect_code(const char *path, const char *names)
{
    struct closure_list list;
    struct buf text = {0};

    assert_int_equal(closure_code(it.closure, row_of(path), 100, &list), OK);
    add_names(&text, &list);
    assert_string_equal(buf_cstr(&text), names);
    assert_int_equal(list.total, list.len);
    closure_list_fini(&list);
    buf_fini(&text);
}

static void
expect_callers(const char *path, const char *names)
{
    struct closure_list list;
    struct buf text = {0};

    assert_int_equal(closure_callers(it.closure, row_of(path), 100, &list), OK);
    add_names(&text, &list);
    assert_string_equal(buf_cstr(&text), names);
    assert_int_equal(list.total,
                     closure_row(it.closure, row_of(path))->caller_len);
    closure_list_fini(&list);
    buf_fini(&text);
}

static void
expect_verdict(const char *path, enum verdict verdict, enum trust trust)
{
    const struct audit_route *route = &it.audit.routes[row_of(path)];

    assert_string_equal(verdict_str(route->verdict), verdict_str(verdict));
    assert_string_equal(trust_str(route->trust), trust_str(trust));
}

static bool
has_reason(const char *path, enum audit_reason reason)
{
    return it.audit.routes[row_of(path)].reasons >> reason & 1;
}

static void
a_dead_route_has_its_function_and_place(void **state)
{
    (void)state;
    uint32_t line;
    str file;

    make();
    size_t i = row_of("/dead");
    expect_verdict("/dead", VERDICT_NEVER_OBSERVED, TRUST_HIGH);
    expect_verdict("/live", VERDICT_ACTIVE, TRUST_HIGH);
    assert_int_equal(closure_row(it.closure, i)->handler,
                     fixture_vertex(it.code, "on_dead"));
    assert_true(closure_place(it.closure, i, &file, &line));
    assert_true(str_eq(file, STR("shop/app.py")));
    assert_int_equal(line, 20);
    assert_int_equal(closure_row(it.closure, 1000)->handler, 0);
    assert_int_equal(closure_row(NULL, 0)->handler, 0);
}

static void
what_only_dead_routes_need_goes_with_them(void **state)
{
    (void)state;
    uint32_t own = function("own", 0);
    uint32_t deeper = function("deeper", 0);
    uint32_t shared = function("shared", 0);
    uint32_t both = function("both", 0);

    fixture_call(&it.fixture, it.dead, own);
    fixture_call(&it.fixture, own, deeper);
    fixture_call(&it.fixture, it.dead, shared);
    fixture_call(&it.fixture, it.live, shared);
    fixture_call(&it.fixture, it.dead, both);
    fixture_call(&it.fixture, it.gone, both);
    make();
    expect_code("/dead", "on_dead both own deeper ");
    expect_code("/gone", "on_gone both ");
    expect_code("/live", "");
    assert_int_equal(it.closure->dead_functions, 5);
    assert_int_equal(it.closure->dead_lines, 5 * 4);
}

static void
a_cycle_is_walked_once(void **state)
{
    (void)state;
    uint32_t a = function("a", 0);
    uint32_t b = function("b", 0);

    fixture_call(&it.fixture, it.dead, a);
    fixture_call(&it.fixture, a, b);
    fixture_call(&it.fixture, b, a);
    fixture_call(&it.fixture, b, it.dead);
    make();
    expect_code("/dead", "on_dead a b ");
    expect_callers("/dead", "b ");
    expect_verdict("/dead", VERDICT_NEVER_OBSERVED, TRUST_HIGH);
}

static void
a_live_caller_lowers_the_trust_and_shows_the_way(void **state)
{
    (void)state;
    uint32_t between = function("between", 0);
    uint32_t *path;
    size_t len;

    fixture_call(&it.fixture, it.live, between);
    fixture_call(&it.fixture, between, it.dead);
    make();
    expect_verdict("/dead", VERDICT_NEVER_OBSERVED, TRUST_LOW);
    assert_true(has_reason("/dead", AUDIT_CALLED));
    assert_false(has_reason("/gone", AUDIT_CALLED));
    expect_callers("/dead", "between+ ");
    expect_code("/dead", "");
    assert_int_equal(closure_path(it.closure, row_of("/dead"), &path, &len),
                     OK);
    assert_int_equal(len, 3);
    assert_int_equal(path[0], fixture_vertex(it.code, "on_live"));
    assert_int_equal(path[1], fixture_vertex(it.code, "between"));
    assert_int_equal(path[2], fixture_vertex(it.code, "on_dead"));
    free(path);
    assert_int_equal(closure_path(it.closure, row_of("/gone"), &path, &len),
                     OK);
    assert_int_equal(len, 0);
    /* The surer one is told first. */
    assert_true(row_of("/gone") < row_of("/dead"));
}

static void
a_dead_caller_lowers_nothing(void **state)
{
    (void)state;
    fixture_call(&it.fixture, it.gone, it.dead);
    make();
    expect_verdict("/dead", VERDICT_NEVER_OBSERVED, TRUST_HIGH);
    expect_callers("/dead", "on_gone ");
    expect_code("/gone", "on_gone on_dead ");
}

static void
a_client_in_live_code_is_a_caller(void **state)
{
    (void)state;
    fixture_route(&it.fixture, it.file, "GET", "/dead", it.live,
                  ROUTE_IS_CLIENT);
    make();
    expect_verdict("/dead", VERDICT_NEVER_OBSERVED, TRUST_LOW);
    expect_callers("/dead", "on_live+ ");
}

static void
registering_a_handler_is_no_call(void **state)
{
    (void)state;
    uint32_t module = fixture_module(&it.fixture, it.file);
    uint32_t main = function("main", 0);
    uint32_t used = function("used", 0);

    fixture_edge(&it.fixture, module, it.dead, CODE_REFERENCES, 990);
    fixture_edge(&it.fixture, main, it.gone, CODE_REFERENCES, 990);
    fixture_edge(&it.fixture, main, used, CODE_REFERENCES, 990);
    fixture_call(&it.fixture, it.dead, used);
    make();
    expect_verdict("/dead", VERDICT_NEVER_OBSERVED, TRUST_HIGH);
    expect_code("/dead", "on_dead ");
    expect_code("/gone", "on_gone ");
}

static void
guesses_keep_alive_and_never_condemn(void **state)
{
    (void)state;
    uint32_t saved = function("saved", 0);
    uint32_t guessed = function("guessed", 0);

    fixture_call(&it.fixture, it.dead, saved);
    fixture_edge(&it.fixture, it.live, saved, CODE_MAY_CALL, 400);
    fixture_edge(&it.fixture, it.dead, guessed, CODE_MAY_CALL, 400);
    make();
    expect_code("/dead", "on_dead ");
}

static void
tests_and_exports_are_told_not_decided(void **state)
{
    (void)state;
    uint32_t tested = function("tested", 0);
    uint32_t offered = function("offered", 0);
    uint32_t outer = function("outer", CODE_EXPORTED);
    uint32_t check = function("check_it", CODE_TEST);

    fixture_call(&it.fixture, it.dead, tested);
    fixture_call(&it.fixture, it.dead, offered);
    fixture_call(&it.fixture, check, tested);
    fixture_call(&it.fixture, check, it.dead);
    fixture_call(&it.fixture, outer, offered);
    make();
    expect_code("/dead", "on_deadT offeredT? testedT ");
    expect_callers("/dead", "check_ittT ");
    expect_verdict("/dead", VERDICT_NEVER_OBSERVED, TRUST_HIGH);
}

static void
a_handler_of_a_live_route_too_keeps_all(void **state)
{
    (void)state;
    uint32_t own = function("own", 0);

    fixture_route(&it.fixture, it.file, "POST", "/live", it.dead, 0);
    traffic("POST /live", 0);
    fixture_call(&it.fixture, it.dead, own);
    make();
    expect_code("/dead", "");
    expect_verdict("/dead", VERDICT_NEVER_OBSERVED, TRUST_HIGH);
}

static void
a_consumer_keeps_all_that_it_needs(void **state)
{
    (void)state;
    uint32_t own = function("own", 0);
    uint32_t consumer = function("consume", 0);

    fixture_topic(&it.fixture, it.file, "kafka:orders", consumer);
    fixture_call(&it.fixture, consumer, own);
    fixture_call(&it.fixture, it.dead, own);
    make();
    expect_code("/dead", "on_dead ");
}

static void
traffic_that_is_not_in_the_code_is_a_finding(void **state)
{
    (void)state;
    traffic("GET /elsewhere", 0);
    make();
    expect_verdict("/elsewhere", VERDICT_UNDOCUMENTED, TRUST_HIGH);
    assert_true(has_reason("/elsewhere", AUDIT_UNKNOWN));
    assert_true(closure_row(it.closure, row_of("/elsewhere"))->is_unknown);
    assert_false(has_reason("/live", AUDIT_UNKNOWN));
    assert_false(has_reason("/dead", AUDIT_UNKNOWN));
}

static void
lists_are_cut_and_say_so(void **state)
{
    (void)state;
    struct closure_list list;
    char name[16];

    for (int i = 0; i < 5; i++) {
        (void)snprintf(name, sizeof(name), "part%d", i);
        uint32_t part = function(name, 0);
        fixture_call(&it.fixture, it.dead, part);
        fixture_call(&it.fixture, part, it.gone);
    }
    make();
    assert_int_equal(closure_code(it.closure, row_of("/dead"), 3, &list), OK);
    assert_int_equal(list.len, 3);
    assert_int_equal(list.total, 7);
    closure_list_fini(&list);
    assert_int_equal(closure_callers(it.closure, row_of("/gone"), 5, &list),
                     OK);
    assert_int_equal(list.len, 5);
    assert_int_equal(list.total, 5);
    closure_list_fini(&list);
    assert_int_equal(closure_callers(it.closure, row_of("/gone"), 4, &list),
                     OK);
    assert_int_equal(list.len, 4);
    assert_int_equal(list.total, 5);
    closure_list_fini(&list);
}

static void
owners_are_those_of_the_file(void **state)
{
    (void)state;
    struct buf text = {0};

    fixture_owner(&it.fixture, "*", "@shop/all");
    fixture_owner(&it.fixture, "/shop/", "@shop/web");
    fixture_owner(&it.fixture, "/shop/", "@ada");
    make();
    closure_owners(it.closure, row_of("/dead"), ", ", &text);
    assert_string_equal(buf_cstr(&text), "@shop/web, @ada");
    buf_fini(&text);
    closure_keep_owner(it.closure, &it.audit, STR("web"));
    assert_int_equal(it.audit.len, 3);
    assert_int_equal(it.audit.by_verdict[VERDICT_NEVER_OBSERVED], 2);
    closure_keep_owner(it.closure, &it.audit, STR("@shop/all"));
    assert_int_equal(it.audit.len, 0);
    assert_int_equal(it.audit.by_verdict[VERDICT_NEVER_OBSERVED], 0);
}

/* Who asks for one service is not told that another's code is dead. */
static void
what_another_service_needs_lives_whoever_is_asked(void **state)
{
    uint32_t only[] = {it.shop};
    const struct ids services = {only, 1, 1};
    uint32_t shop = it.shop;
    struct audit_cfg cfg = audit_cfg_default;

    (void)state;
    it.shop = db_node(&it.db, NODE_SERVICE, 0, "shop", "prod");
    traffic("GET /dead", 0);
    uint32_t seen = db_edge(&it.db, 0, it.shop, EDGE_SEEN, 0);
    db_daily(&it.db, seen, FIXTURE_DAY - 60, FIXTURE_DAY, 24, 1);
    it.shop = shop;
    cfg.services = &services;
    make_for(&cfg);
    assert_int_equal(it.audit.len, 3);
    uint32_t handler = closure_row(it.closure, row_of("/dead"))->handler;
    assert_true(it.closure->marks[handler] & CLOSURE_LIVE);
    handler = closure_row(it.closure, row_of("/gone"))->handler;
    assert_true(it.closure->marks[handler] & CLOSURE_GONE);
    assert_int_equal(it.closure->dead_functions, 1);
}

#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        T(a_dead_route_has_its_function_and_place),
        T(what_only_dead_routes_need_goes_with_them),
        T(a_cycle_is_walked_once),
        T(a_live_caller_lowers_the_trust_and_shows_the_way),
        T(a_dead_caller_lowers_nothing),
        T(a_client_in_live_code_is_a_caller),
        T(registering_a_handler_is_no_call),
        T(guesses_keep_alive_and_never_condemn),
        T(tests_and_exports_are_told_not_decided),
        T(a_handler_of_a_live_route_too_keeps_all),
        T(what_another_service_needs_lives_whoever_is_asked),
        T(a_consumer_keeps_all_that_it_needs),
        T(traffic_that_is_not_in_the_code_is_a_finding),
        T(lists_are_cut_and_say_so),
        T(owners_are_those_of_the_file),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
