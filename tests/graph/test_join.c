/*
 * Each way an observed node finds its function, and each case in which it must
 * find none.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "graph/join.h"
#include "tests/support/code_fixture.h"
#include "tests/support/db_fixture.h"

static struct {
    struct db_fixture db;
    struct code_fixture fixture;
    const struct code *code;
    struct query *query;
    struct query_view *view;
    struct join *join;
    uint32_t shop;           /* service */
    uint32_t app, lib, test; /* files */
} it;

static int
setup(void **state)
{
    (void)state;
    memset(&it, 0, sizeof(it));
    db_fixture_open(&it.db);
    code_fixture_open(&it.fixture, it.db.dir);
    it.shop = db_service(&it.db, "shop");
    fixture_service(&it.fixture, "shop", "shop");
    it.app = fixture_file(&it.fixture, "shop/app.py");
    it.lib = fixture_file(&it.fixture, "other/app.py");
    return 0;
}

static int
teardown(void **state)
{
    (void)state;
    join_free(it.join);
    code_drop(it.code);
    query_end(it.view);
    query_close(it.query);
    db_fixture_close(&it.db);
    return 0;
}

static uint32_t
function(uint32_t file, const char *name)
{
    return fixture_function(&it.fixture, file, name,
                            10 * it.fixture.build.node_len, 0);
}

static void
route(const char *method, const char *path, const char *handler, uint32_t flags)
{
    fixture_route(&it.fixture, it.app, method, path, function(it.app, handler),
                  flags);
}

static void
make(void)
{
    struct buf why = {0};

    it.code = code_fixture_load(&it.fixture);
    assert_int_equal(query_open(&it.query, it.db.dir, &query_cfg_default, &why),
                     OK);
    assert_int_equal(query_begin(it.query, FIXTURE_NOW_S, &it.view), OK);
    assert_int_equal(join_make(&it.join, it.view, it.code), OK);
    buf_fini(&why);
}

static void
expect(uint32_t node, enum join_how how, const char *handler)
{
    const struct join_row *row = join_of(it.join, node);

    assert_string_equal(join_how_str(row->how), join_how_str((uint8_t)how));
    assert_int_equal(row->vertex,
                     handler ? fixture_vertex(it.code, handler) : 0);
    assert_int_equal(row->permille > 0, how != JOIN_NONE);
}

static void
method_and_route_are_the_surest(void **state)
{
    (void)state;
    route("GET", "/a/{}", "get", 0);
    route("POST", "/a/{}", "post", 0);
    uint32_t get = db_route(&it.db, it.shop, "GET /a/{}");
    uint32_t post = db_route(&it.db, it.shop, "POST /a/{}");
    uint32_t none = db_route(&it.db, it.shop, "DELETE /a/{}");
    make();
    expect(get, JOIN_ROUTE, "get");
    expect(post, JOIN_ROUTE, "post");
    expect(none, JOIN_NONE, NULL);
}

static void
any_method_and_head_fit_but_less(void **state)
{
    (void)state;
    route("ANY", "/any", "any", 0);
    route("GET", "/get", "get", 0);
    route("ANY", "/both", "both", 0);
    route("PUT", "/both", "put", 0);
    uint32_t any = db_route(&it.db, it.shop, "PATCH /any");
    uint32_t head = db_route(&it.db, it.shop, "HEAD /get");
    uint32_t put = db_route(&it.db, it.shop, "PUT /both");
    make();
    expect(any, JOIN_ANY, "any");
    expect(head, JOIN_ANY, "get");
    expect(put, JOIN_ROUTE, "put");
    assert_true(join_of(it.join, any)->permille <
                join_of(it.join, put)->permille);
}

static void
rpc_methods_and_topics_fit_by_name(void **state)
{
    (void)state;
    fixture_route(&it.fixture, it.app, "", "shop.Cart/Add",
                  function(it.app, "Add"), 0);
    fixture_topic(&it.fixture, it.app, "kafka:orders",
                  function(it.app, "consume"));
    uint32_t add = db_node(&it.db, NODE_RPC, it.shop, "shop.Cart/Add", "");
    uint32_t bare = db_node(&it.db, NODE_RPC, it.shop, "Cart/Add", "");
    uint32_t other = db_node(&it.db, NODE_RPC, it.shop, "art/Add", "");
    uint32_t orders =
        db_node(&it.db, NODE_CONSUMER, it.shop, "kafka:orders", "");
    uint32_t bills = db_node(&it.db, NODE_CONSUMER, it.shop, "kafka:bills", "");
    make();
    expect(add, JOIN_RPC, "Add");
    expect(bare, JOIN_MOUNTED, "Add");
    expect(other, JOIN_NONE, NULL);
    expect(orders, JOIN_TOPIC, "consume");
    expect(bills, JOIN_NONE, NULL);
}

static void
a_prefix_more_on_either_side_fits(void **state)
{
    (void)state;
    route("GET", "/users/{}", "user", 0);
    route("GET", "/tail/{}", "tail", ROUTE_PREFIX_UNKNOWN);
    uint32_t user = db_route(&it.db, it.shop, "GET /api/v1/users/{}");
    uint32_t tail = db_route(&it.db, it.shop, "GET /some/tail/{}");
    uint32_t exact = db_route(&it.db, it.shop, "GET /tail/{}");
    make();
    expect(user, JOIN_MOUNTED, "user");
    expect(tail, JOIN_MOUNTED, "tail");
    expect(exact, JOIN_MOUNTED, "tail");
}

static void
a_variable_more_fits_in_what_was_called_alone(void **state)
{
    (void)state;
    route("GET", "/news/{}", "news", 0);
    route("GET", "/{}/status", "order_status", 0);
    uint32_t news = db_route(&it.db, it.shop, "GET /{}/news/{}");
    uint32_t status = db_route(&it.db, it.shop, "GET /status");
    make();
    expect(news, JOIN_MOUNTED, "news");
    expect(status, JOIN_NONE, NULL);
}

static void
a_guessed_template_is_a_guess(void **state)
{
    (void)state;
    route("GET", "/users/{}/{}", "pair", 0);
    uint32_t guess = db_route(&it.db, it.shop, "GET /users/{}/cart");
    uint32_t told = db_route(&it.db, it.shop, "GET /users/{}/bill");
    db_source(&it.db, guess, ROUTE_SOURCE_HEURISTIC);
    make();
    expect(guess, JOIN_GUESSED, "pair");
    expect(told, JOIN_NONE, NULL);
}

static void
the_name_of_a_span_is_a_literal_of_one_function(void **state)
{
    (void)state;
    fixture_literal(&it.fixture, function(it.app, "nightly"), "tidy up");
    fixture_literal(&it.fixture, function(it.app, "one"), "twice");
    fixture_literal(&it.fixture, function(it.app, "two"), "twice");
    fixture_literal(&it.fixture, function(it.lib, "far"), "elsewhere");
    uint32_t once = db_node(&it.db, NODE_RPC, it.shop, "tidy up", "");
    uint32_t twice = db_node(&it.db, NODE_RPC, it.shop, "twice", "");
    uint32_t other = db_node(&it.db, NODE_RPC, it.shop, "elsewhere", "");
    make();
    expect(once, JOIN_LITERAL, "nightly");
    expect(twice, JOIN_NONE, NULL);
    expect(other, JOIN_NONE, NULL);
}

static void
of_two_that_fit_none_is_taken(void **state)
{
    (void)state;
    route("GET", "/a", "first", 0);
    route("GET", "/a", "second", 0);
    uint32_t node = db_route(&it.db, it.shop, "GET /a");
    make();
    expect(node, JOIN_NONE, NULL);
}

static void
one_handler_registered_twice_is_no_rival(void **state)
{
    (void)state;
    uint32_t handler = function(it.app, "once");
    fixture_route(&it.fixture, it.app, "GET", "/a", handler, 0);
    fixture_route(&it.fixture, it.app, "GET", "/a", handler, 0);
    fixture_route(&it.fixture, it.app, "GET", "/a", 0, ROUTE_FROM_DOCUMENT);
    uint32_t node = db_route(&it.db, it.shop, "GET /a");
    make();
    expect(node, JOIN_ROUTE, "once");
}

static void
what_is_asked_for_is_not_served(void **state)
{
    (void)state;
    route("GET", "/asked", "client", ROUTE_IS_CLIENT);
    uint32_t node = db_route(&it.db, it.shop, "GET /asked");
    make();
    expect(node, JOIN_NONE, NULL);
}

static void
routes_of_another_folder_are_not_ours(void **state)
{
    (void)state;
    fixture_route(&it.fixture, it.lib, "GET", "/other",
                  function(it.lib, "other"), 0);
    uint32_t node = db_route(&it.db, it.shop, "GET /other");
    make();
    expect(node, JOIN_NONE, NULL);
}

static void
a_service_without_a_folder_takes_the_only_route(void **state)
{
    (void)state;
    uint32_t lost = db_service(&it.db, "lost");
    route("GET", "/only", "only", 0);
    route("GET", "/under", "under", 0);
    uint32_t only = db_route(&it.db, lost, "GET /only");
    uint32_t under = db_route(&it.db, lost, "GET /api/under");
    make();
    expect(only, JOIN_UNIQUE, "only");
    expect(under, JOIN_NONE, NULL);
}

static void
the_deeper_folder_is_the_other_services(void **state)
{
    (void)state;
    uint32_t file = fixture_file(&it.fixture, "shop/cart/app.py");
    uint32_t cart = db_service(&it.db, "org/cart");
    fixture_service(&it.fixture, "cart", "shop/cart");
    fixture_route(&it.fixture, file, "GET", "/cart", function(file, "cart"), 0);
    uint32_t ours = db_route(&it.db, it.shop, "GET /cart");
    uint32_t theirs = db_route(&it.db, cart, "GET /cart");
    make();
    expect(ours, JOIN_NONE, NULL);
    expect(theirs, JOIN_ROUTE, "cart");
}

static void
the_function_that_spans_name_beats_a_route_in_part(void **state)
{
    (void)state;
    route("GET", "/a", "routed", 0);
    (void)function(it.app, "Told.run");
    uint32_t node = db_route(&it.db, it.shop, "GET /api/a");
    uint32_t told =
        db_node(&it.db, NODE_SYMBOL, it.shop, "com.x.Told$1.run(int)", "");
    db_edge(&it.db, node, told, EDGE_HANDLED, 5);
    make();
    expect(node, JOIN_FUNCTION, "Told.run");
    assert_int_not_equal(join_of(it.join, node)->route, 0);
}

/* Spans name the first function met, a middleware or what the handler calls. */
static void
the_handler_of_the_route_beats_what_spans_meet(void **state)
{
    (void)state;
    route("GET", "/a", "show", 0);
    fixture_route(&it.fixture, it.app, "GET", "/b", 0, 0);
    (void)function(it.app, "Auth.check");
    uint32_t a = db_route(&it.db, it.shop, "GET /a");
    uint32_t b = db_route(&it.db, it.shop, "GET /b");
    uint32_t check = db_node(&it.db, NODE_SYMBOL, it.shop, "Auth.check", "");
    db_edge(&it.db, a, check, EDGE_HANDLED, 5);
    db_edge(&it.db, b, check, EDGE_HANDLED, 5);
    make();
    expect(a, JOIN_ROUTE, "show");
    expect(b, JOIN_FUNCTION, "Auth.check");
}

/* Functions as spans name them, and whose they are; NULL: nobody's of ours. */
static void
functions_of_libraries_are_not_ours(void **state)
{
    (void)state;
    static const struct {
        const char *told;
        const char *ours;
    } rows[] = {
        {"Illuminate\\Foundation\\Http\\Kernel::handle", NULL},
        {"App\\Auth::handle", "Auth.handle"},
        {"handle", "Auth.handle"},
        {"main.handle", "Auth.handle"},
        {"shop.handle", "Auth.handle"},
        {"app.handle", "Auth.handle"},
        {"AppKt.handle", "Auth.handle"},
        {"github.com/other/lib.(*Client).handle", NULL},
        {"Auth.handle.func1", "Auth.handle"},
        {"Auth.handle.func2.1", "Auth.handle"},
        {"Auth.funcs.1", NULL},
        {"requests/api.py:handle", "Auth.handle"}, /* made of ours, perhaps */
        {"/usr/lib/python3/site-packages/requests/api.py:handle", NULL},
        {"/usr/lib/python3/site-packages/shop/app.py:500", NULL},
        {"/srv/app.py:502", "Auth.handle"},
        {"app.py:502", "Auth.handle"},
        {"C:\\src\\app.py:502", "Auth.handle"},
        {"file:///srv/shop/app.py:502", "Auth.handle"},
        {"/srv/node_modules/x/app.py:502", NULL},
        {"/srv/app.py:handle", "Auth.handle"},
        {"/srv/app.py:andle", NULL},
        {"/srv/app.py:499", NULL},
        {"/srv/lib.rs:601", "marked"},
        {"/srv/lib.rs:570", NULL},
        {"/srv/lib.rs:620", NULL},
    };
    enum { ROWS = sizeof(rows) / sizeof(rows[0]) };
    uint32_t nodes[ROWS];
    uint32_t lib = fixture_file(&it.fixture, "shop/lib.rs");
    fixture_function(&it.fixture, it.app, "Auth.handle", 500, 0);
    fixture_function(&it.fixture, lib, "marked", 605, 0);
    for (size_t i = 0; i < ROWS; i++) {
        char name[32];
        (void)snprintf(name, sizeof(name), "GET /%zu", i);
        nodes[i] = db_route(&it.db, it.shop, name);
        db_edge(&it.db, nodes[i],
                db_node(&it.db, NODE_SYMBOL, it.shop, rows[i].told, ""),
                EDGE_HANDLED, 1);
    }
    make();
    for (size_t i = 0; i < ROWS; i++) {
        if (join_of(it.join, nodes[i])->how !=
            (rows[i].ours ? JOIN_FUNCTION : JOIN_NONE))
            print_error("told: %s\n", rows[i].told);
        expect(nodes[i], rows[i].ours ? JOIN_FUNCTION : JOIN_NONE,
               rows[i].ours);
    }
}

static void
a_bare_name_of_a_service_without_a_folder_is_nobodys(void **state)
{
    (void)state;
    (void)function(it.app, "Auth.handle");
    uint32_t lost = db_service(&it.db, "lost");
    uint32_t bare = db_route(&it.db, lost, "GET /bare");
    uint32_t full = db_route(&it.db, lost, "GET /full");
    db_edge(&it.db, bare, db_node(&it.db, NODE_SYMBOL, lost, "handle", ""),
            EDGE_HANDLED, 1);
    db_edge(&it.db, full, db_node(&it.db, NODE_SYMBOL, lost, "Auth.handle", ""),
            EDGE_HANDLED, 1);
    make();
    expect(bare, JOIN_NONE, NULL);
    expect(full, JOIN_FUNCTION, "Auth.handle");
}

/* Ruby's files are not in its names. */
static void
of_two_classes_the_one_named_as_a_whole_is_meant(void **state)
{
    (void)state;
    uint32_t items = fixture_file(&it.fixture, "shop/items.rb");
    uint32_t admin = fixture_file(&it.fixture, "shop/admin.rb");
    fixture_function(&it.fixture, items, "items.Items.show", 1, 0);
    fixture_function(&it.fixture, admin, "admin.Admin.Items.show", 1, 0);
    uint32_t one = db_route(&it.db, it.shop, "GET /one");
    uint32_t two = db_route(&it.db, it.shop, "GET /two");
    db_edge(&it.db, one,
            db_node(&it.db, NODE_SYMBOL, it.shop, "Items.show", ""),
            EDGE_HANDLED, 1);
    db_edge(&it.db, two,
            db_node(&it.db, NODE_SYMBOL, it.shop, "Admin::Items#show", ""),
            EDGE_HANDLED, 1);
    make();
    expect(one, JOIN_FUNCTION, "items.Items.show");
    expect(two, JOIN_FUNCTION, "admin.Admin.Items.show");
}

static void
of_two_functions_most_spans_decide(void **state)
{
    (void)state;
    (void)function(it.app, "rare");
    (void)function(it.app, "usual");
    uint32_t node = db_route(&it.db, it.shop, "GET /a");
    uint32_t rare = db_node(&it.db, NODE_SYMBOL, it.shop, "rare", "");
    uint32_t usual = db_node(&it.db, NODE_SYMBOL, it.shop, "usual", "");
    uint32_t lost = db_node(&it.db, NODE_SYMBOL, it.shop, "nowhere", "");
    db_edge(&it.db, node, usual, EDGE_HANDLED, 9);
    db_edge(&it.db, node, rare, EDGE_HANDLED, 2);
    db_edge(&it.db, node, lost, EDGE_HANDLED, 50);
    make();
    expect(node, JOIN_FUNCTION, "usual");
}

static void
a_file_and_line_are_the_function_around(void **state)
{
    (void)state;
    fixture_function(&it.fixture, it.app, "around", 500, 0);
    uint32_t node = db_route(&it.db, it.shop, "GET /a");
    uint32_t at =
        db_node(&it.db, NODE_SYMBOL, it.shop, "/srv/shop/app.py:502", "");
    uint32_t other = db_route(&it.db, it.shop, "GET /b");
    uint32_t past =
        db_node(&it.db, NODE_SYMBOL, it.shop, "/srv/shop/app.py:504", "");
    db_edge(&it.db, node, at, EDGE_HANDLED, 1);
    db_edge(&it.db, other, past, EDGE_HANDLED, 1);
    make();
    expect(node, JOIN_FUNCTION, "around");
    expect(other, JOIN_NONE, NULL);
}

static void
calls_told_of_one_function_are_summed(void **state)
{
    (void)state;
    (void)function(it.app, "Repo.save");
    uint32_t pg = db_node(&it.db, NODE_DATABASE, 0, "pg", "");
    uint32_t a = db_node(&it.db, NODE_SYMBOL, it.shop, "x.Repo.save", "");
    uint32_t b = db_node(&it.db, NODE_SYMBOL, it.shop, "Repo::save", "");
    db_edge(&it.db, a, pg, EDGE_CODE_CALL, 3);
    db_edge(&it.db, b, pg, EDGE_CODE_CALL, 4);
    make();
    assert_int_equal(it.join->call_len, 1);
    const struct join_call *call = it.join->calls;
    assert_int_equal(call->vertex, fixture_vertex(it.code, "Repo.save"));
    assert_int_equal(call->target, pg);
    assert_int_equal(call->count, 7);
}

static void
served_lists_what_a_function_handles(void **state)
{
    (void)state;
    uint32_t len = 0;
    uint32_t handler = function(it.app, "both");
    fixture_route(&it.fixture, it.app, "GET", "/a", handler, 0);
    fixture_route(&it.fixture, it.app, "GET", "/b", handler, 0);
    uint32_t a = db_route(&it.db, it.shop, "GET /a");
    uint32_t b = db_route(&it.db, it.shop, "GET /b");
    make();
    const uint32_t *served =
        join_served(it.join, fixture_vertex(it.code, "both"), &len);
    assert_int_equal(len, 2);
    assert_int_equal(served[0], a);
    assert_int_equal(served[1], b);
    (void)join_served(it.join, 0, &len);
    assert_int_equal(len, 0);
}

static void
catch_alls_are_no_route(void **state)
{
    (void)state;
    route("GET", "/{**}", "spa", 0);
    uint32_t other = db_route(&it.db, it.shop, "GET " NODE_NAME_OTHER);
    make();
    expect(other, JOIN_NONE, NULL);
    expect(UINT32_MAX, JOIN_NONE, NULL);
}

#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        T(method_and_route_are_the_surest),
        T(any_method_and_head_fit_but_less),
        T(rpc_methods_and_topics_fit_by_name),
        T(a_prefix_more_on_either_side_fits),
        T(a_variable_more_fits_in_what_was_called_alone),
        T(a_guessed_template_is_a_guess),
        T(the_name_of_a_span_is_a_literal_of_one_function),
        T(of_two_that_fit_none_is_taken),
        T(one_handler_registered_twice_is_no_rival),
        T(what_is_asked_for_is_not_served),
        T(routes_of_another_folder_are_not_ours),
        T(a_service_without_a_folder_takes_the_only_route),
        T(the_deeper_folder_is_the_other_services),
        T(the_function_that_spans_name_beats_a_route_in_part),
        T(the_handler_of_the_route_beats_what_spans_meet),
        T(functions_of_libraries_are_not_ours),
        T(a_bare_name_of_a_service_without_a_folder_is_nobodys),
        T(of_two_classes_the_one_named_as_a_whole_is_meant),
        T(of_two_functions_most_spans_decide),
        T(a_file_and_line_are_the_function_around),
        T(calls_told_of_one_function_are_summed),
        T(served_lists_what_a_function_handles),
        T(catch_alls_are_no_route),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
