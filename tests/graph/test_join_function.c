/*
 * The functions that spans name, and those of others, which they name as well.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "graph/join.h"
#include "tests/support/join_rig.h"

static void
the_function_that_spans_name_beats_a_route_in_part(void **state)
{
    (void)state;
    join_rig_route("GET", "/a", "routed", 0);
    (void)join_rig_function(join_rig.app, "Told.run");
    uint32_t node = db_route(&join_rig.db, join_rig.shop, "GET /api/a");
    uint32_t told = db_node(&join_rig.db, NODE_SYMBOL, join_rig.shop,
                            "com.x.Told$1.run(int)", "");
    db_edge(&join_rig.db, node, told, EDGE_HANDLED, 5);
    join_rig_make();
    join_rig_expect(node, JOIN_FUNCTION, "Told.run");
    assert_int_not_equal(join_of(join_rig.join, node)->route, 0);
}

/* Spans name the first function met, a middleware or what the handler calls. */
static void
the_handler_of_the_route_beats_what_spans_meet(void **state)
{
    (void)state;
    join_rig_route("GET", "/a", "show", 0);
    fixture_route(&join_rig.fixture, join_rig.app, "GET", "/b", 0, 0);
    (void)join_rig_function(join_rig.app, "Auth.check");
    uint32_t a = db_route(&join_rig.db, join_rig.shop, "GET /a");
    uint32_t b = db_route(&join_rig.db, join_rig.shop, "GET /b");
    uint32_t check =
        db_node(&join_rig.db, NODE_SYMBOL, join_rig.shop, "Auth.check", "");
    db_edge(&join_rig.db, a, check, EDGE_HANDLED, 5);
    db_edge(&join_rig.db, b, check, EDGE_HANDLED, 5);
    join_rig_make();
    join_rig_expect(a, JOIN_ROUTE, "show");
    join_rig_expect(b, JOIN_FUNCTION, "Auth.check");
}

/* Functions as spans name them, and whose they are; NULL: nobody's of ours. */
static const struct {
    const char *told;
    const char *ours;
} told[] = {
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
    {"requests/api.py:handle", NULL},
    {"/root/.pyenv/versions/3.11.4/lib/python3.11/json/decoder.py:handle",
     NULL},
    {"/root/.rbenv/versions/3.2.0/lib/ruby/3.2.0/net/http.rb:handle", NULL},
    {"/usr/share/php/Slim/App.php:handle", NULL},
    {"C:\\Python311\\Lib\\json\\decoder.py:handle", NULL},
    {"node:internal/timers:handle", NULL},
    {"/root/.cargo/git/checkouts/x/src/lib.rs:handle", NULL},
    {"celery:handle", NULL},
    {"Auth:handle", "Auth.handle"},
    {"shop:handle", "Auth.handle"},
    {"Object.handle", NULL},
    {"Object.built", NULL},
    {"Object.<anonymous>", NULL},
    {"/srv/dist/cart.js:built", "built"},
    {"/srv/dist/other.js:built", NULL},
    {"/srv/cart.js:built", NULL},
    {"/srv/shop/dist/bundle.js:built", "built"},
    {"/srv/shop/.next/server/bundle.js:built", "built"},
    {"/srv/node_modules/x/dist/cart.js:built", NULL},
    {"/srv/shop/dist/bundle.js:handle", NULL}, /* of no script */
    {"/srv/dist/app.py:handle", "Auth.handle"},
    {"/usr/lib/python3/site-packages/requests/api.py:handle", NULL},
    {"/usr/lib/python3/site-packages/shop/app.py:500", "Auth.handle"},
    {"/usr/lib/python3/site-packages/shop/app.py:handle", "Auth.handle"},
    {"/usr/lib/python3/site-packages/app.py:500", NULL},
    {"/usr/lib/python3/site-packages/x/shop/app.py:500", NULL},
    {"/usr/lib/shop/app.py:500", "Auth.handle"},
    {"/usr/lib/python3/site-packages/pack/deep.py:700", "deep"},
    {"/srv/pack/deep.py:700", NULL},
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

static void
functions_of_libraries_are_not_ours(void **state)
{
    (void)state;
    enum { ROWS = sizeof(told) / sizeof(told[0]) };
    uint32_t nodes[ROWS];
    uint32_t lib = fixture_file(&join_rig.fixture, "shop/lib.rs");
    fixture_function(&join_rig.fixture, join_rig.app, "Auth.handle", 500, 0);
    fixture_function(&join_rig.fixture, lib, "marked", 605, 0);
    fixture_function(&join_rig.fixture,
                     fixture_file(&join_rig.fixture, "shop/cart.ts"), "built",
                     10, 0);
    fixture_function(&join_rig.fixture,
                     fixture_file(&join_rig.fixture, "shop/src/pack/deep.py"),
                     "deep", 700, 0);
    for (size_t i = 0; i < ROWS; i++) {
        char name[32];
        (void)snprintf(name, sizeof(name), "GET /%zu", i);
        nodes[i] = db_route(&join_rig.db, join_rig.shop, name);
        db_edge(
            &join_rig.db, nodes[i],
            db_node(&join_rig.db, NODE_SYMBOL, join_rig.shop, told[i].told, ""),
            EDGE_HANDLED, 1);
    }
    join_rig_make();
    for (size_t i = 0; i < ROWS; i++) {
        if (join_of(join_rig.join, nodes[i])->how !=
            (told[i].ours ? JOIN_FUNCTION : JOIN_NONE))
            print_error("told: %s\n", told[i].told);
        join_rig_expect(nodes[i], told[i].ours ? JOIN_FUNCTION : JOIN_NONE,
                        told[i].ours);
    }
}

/* Of two files of one name, and functions of one name in them. */
static void
a_built_script_is_made_of_the_source_of_its_path(void **state)
{
    static const struct {
        const char *told;
        const char *ours;
    } rows[] = {
        {"/srv/dist/admin/cart.js:show", "admin.cart.show"},
        {"/srv/dist/user/cart.js:show", "user.cart.show"},
        {"/srv/dist/src/user/cart.js:show", "user.cart.show"},
        {"/srv/lib/user/cart.cjs:show", "user.cart.show"},
        {"/srv/.output/server/user/cart.mjs:show", "user.cart.show"},
        {"/srv/.next/server/app/x/[id]/route.js:GET", "x.route.GET"},
        {"/srv/.next/server/app/y/route.js:GET", "y.route.GET"},
        {"/srv/.next/server/app/z/route.js:GET", NULL},
        {"/srv/dist/cart.js:show", NULL}, /* which? */
        {"/srv/dist/other/cart.js:show", NULL},
        {"/srv/dist/user/cart.js:lost", NULL},
        {"/srv/dist/user/cart.py:show", NULL},
        {"/srv/target/user/cart.js:show", NULL},
        {"/srv/node_modules/user/dist/user/cart.js:show", NULL},
        {"/srv/dist/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/user/cart.js:show",
         "user.cart.show"},
        {"/srv/dist/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/user/cart.js:show", NULL},
    };
    static const struct {
        const char *path;
        const char *name;
    } ours[] = {
        {"shop/src/admin/cart.ts", "admin.cart.show"},
        {"shop/src/user/cart.ts", "user.cart.show"},
        {"shop/src/app/x/[id]/route.ts", "x.route.GET"},
        {"shop/src/app/y/route.js", "y.route.GET"},
    };
    enum { ROWS = sizeof(rows) / sizeof(rows[0]) };
    uint32_t nodes[ROWS];

    (void)state;
    for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
        fixture_function(&join_rig.fixture,
                         fixture_file(&join_rig.fixture, ours[i].path),
                         ours[i].name, 10, 0);
    for (size_t i = 0; i < ROWS; i++) {
        char name[32];
        (void)snprintf(name, sizeof(name), "GET /%zu", i);
        nodes[i] = db_route(&join_rig.db, join_rig.shop, name);
        db_edge(
            &join_rig.db, nodes[i],
            db_node(&join_rig.db, NODE_SYMBOL, join_rig.shop, rows[i].told, ""),
            EDGE_HANDLED, 1);
    }
    join_rig_make();
    for (size_t i = 0; i < ROWS; i++) {
        if (join_of(join_rig.join, nodes[i])->how !=
            (rows[i].ours ? JOIN_FUNCTION : JOIN_NONE))
            print_error("told: %s\n", rows[i].told);
        join_rig_expect(nodes[i], rows[i].ours ? JOIN_FUNCTION : JOIN_NONE,
                        rows[i].ours);
    }
}

static void
a_bare_name_of_a_service_without_a_folder_is_nobodys(void **state)
{
    (void)state;
    (void)join_rig_function(join_rig.app, "Auth.handle");
    uint32_t lost = db_service(&join_rig.db, "lost");
    uint32_t bare = db_route(&join_rig.db, lost, "GET /bare");
    uint32_t full = db_route(&join_rig.db, lost, "GET /full");
    db_edge(&join_rig.db, bare,
            db_node(&join_rig.db, NODE_SYMBOL, lost, "handle", ""),
            EDGE_HANDLED, 1);
    db_edge(&join_rig.db, full,
            db_node(&join_rig.db, NODE_SYMBOL, lost, "Auth.handle", ""),
            EDGE_HANDLED, 1);
    join_rig_make();
    join_rig_expect(bare, JOIN_NONE, NULL);
    join_rig_expect(full, JOIN_FUNCTION, "Auth.handle");
}

/* Ruby's files are not in its names. */
static void
of_two_classes_the_one_named_as_a_whole_is_meant(void **state)
{
    (void)state;
    uint32_t items = fixture_file(&join_rig.fixture, "shop/items.rb");
    uint32_t admin = fixture_file(&join_rig.fixture, "shop/admin.rb");
    fixture_function(&join_rig.fixture, items, "items.Items.show", 1, 0);
    fixture_function(&join_rig.fixture, admin, "admin.Admin.Items.show", 1, 0);
    uint32_t one = db_route(&join_rig.db, join_rig.shop, "GET /one");
    uint32_t two = db_route(&join_rig.db, join_rig.shop, "GET /two");
    db_edge(&join_rig.db, one,
            db_node(&join_rig.db, NODE_SYMBOL, join_rig.shop, "Items.show", ""),
            EDGE_HANDLED, 1);
    db_edge(&join_rig.db, two,
            db_node(&join_rig.db, NODE_SYMBOL, join_rig.shop,
                    "Admin::Items#show", ""),
            EDGE_HANDLED, 1);
    join_rig_make();
    join_rig_expect(one, JOIN_FUNCTION, "items.Items.show");
    join_rig_expect(two, JOIN_FUNCTION, "admin.Admin.Items.show");
}

static void
of_two_functions_most_spans_decide(void **state)
{
    (void)state;
    (void)join_rig_function(join_rig.app, "rare");
    (void)join_rig_function(join_rig.app, "usual");
    uint32_t node = db_route(&join_rig.db, join_rig.shop, "GET /a");
    uint32_t rare =
        db_node(&join_rig.db, NODE_SYMBOL, join_rig.shop, "rare", "");
    uint32_t usual =
        db_node(&join_rig.db, NODE_SYMBOL, join_rig.shop, "usual", "");
    uint32_t lost =
        db_node(&join_rig.db, NODE_SYMBOL, join_rig.shop, "nowhere", "");
    db_edge(&join_rig.db, node, usual, EDGE_HANDLED, 9);
    db_edge(&join_rig.db, node, rare, EDGE_HANDLED, 2);
    db_edge(&join_rig.db, node, lost, EDGE_HANDLED, 50);
    join_rig_make();
    join_rig_expect(node, JOIN_FUNCTION, "usual");
}

static void
a_file_and_line_are_the_function_around(void **state)
{
    (void)state;
    fixture_function(&join_rig.fixture, join_rig.app, "around", 500, 0);
    uint32_t node = db_route(&join_rig.db, join_rig.shop, "GET /a");
    uint32_t at = db_node(&join_rig.db, NODE_SYMBOL, join_rig.shop,
                          "/srv/shop/app.py:502", "");
    uint32_t other = db_route(&join_rig.db, join_rig.shop, "GET /b");
    uint32_t past = db_node(&join_rig.db, NODE_SYMBOL, join_rig.shop,
                            "/srv/shop/app.py:504", "");
    db_edge(&join_rig.db, node, at, EDGE_HANDLED, 1);
    db_edge(&join_rig.db, other, past, EDGE_HANDLED, 1);
    join_rig_make();
    join_rig_expect(node, JOIN_FUNCTION, "around");
    join_rig_expect(other, JOIN_NONE, NULL);
}

static void
calls_told_of_one_function_are_summed(void **state)
{
    (void)state;
    (void)join_rig_function(join_rig.app, "Repo.save");
    uint32_t pg = db_node(&join_rig.db, NODE_DATABASE, 0, "pg", "");
    uint32_t a =
        db_node(&join_rig.db, NODE_SYMBOL, join_rig.shop, "x.Repo.save", "");
    uint32_t b =
        db_node(&join_rig.db, NODE_SYMBOL, join_rig.shop, "Repo::save", "");
    db_edge(&join_rig.db, a, pg, EDGE_CODE_CALL, 3);
    db_edge(&join_rig.db, b, pg, EDGE_CODE_CALL, 4);
    join_rig_make();
    assert_int_equal(join_rig.join->call_len, 1);
    const struct join_call *call = join_rig.join->calls;
    assert_int_equal(call->vertex, fixture_vertex(join_rig.code, "Repo.save"));
    assert_int_equal(call->target, pg);
    assert_int_equal(call->count, 7);
}

/* Of all that fit, none is told; the whole path is one of them. */
static void
a_file_among_many_of_its_name_needs_its_folder(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 300; i++) {
        char path[64];
        char name[32];
        (void)snprintf(path, sizeof(path), "shop/p%u/deep/index.js", i);
        (void)snprintf(name, sizeof(name), "run%u", i);
        fixture_function(&join_rig.fixture,
                         fixture_file(&join_rig.fixture, path), name, 10, 0);
    }
    static const char *const symbols[] = {
        "/srv/deep/index.js:run7", "deep/index.js:run7",
        "/srv/p7/deep/index.js:run7", "/srv/shop/p299/deep/index.js:11",
        "/srv/p7/deep/index.js:run8"};
    static const char *const ours[] = {NULL, NULL, "run7", "run299", NULL};
    uint32_t nodes[5];
    for (size_t i = 0; i < 5; i++) {
        char name[32];
        (void)snprintf(name, sizeof(name), "GET /%zu", i);
        nodes[i] = db_route(&join_rig.db, join_rig.shop, name);
        db_edge(
            &join_rig.db, nodes[i],
            db_node(&join_rig.db, NODE_SYMBOL, join_rig.shop, symbols[i], ""),
            EDGE_HANDLED, 1);
    }
    join_rig_make();
    for (size_t i = 0; i < 5; i++)
        join_rig_expect(nodes[i], ours[i] ? JOIN_FUNCTION : JOIN_NONE, ours[i]);
}

#define T(name) \
    cmocka_unit_test_setup_teardown(name, join_rig_open, join_rig_close)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        T(the_function_that_spans_name_beats_a_route_in_part),
        T(the_handler_of_the_route_beats_what_spans_meet),
        T(functions_of_libraries_are_not_ours),
        T(a_built_script_is_made_of_the_source_of_its_path),
        T(a_bare_name_of_a_service_without_a_folder_is_nobodys),
        T(of_two_classes_the_one_named_as_a_whole_is_meant),
        T(of_two_functions_most_spans_decide),
        T(a_file_and_line_are_the_function_around),
        T(calls_told_of_one_function_are_summed),
        T(a_file_among_many_of_its_name_needs_its_folder),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
