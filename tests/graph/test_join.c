/*
 * Each way an observed node finds its function, and each case in which it must
 * find none.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "graph/join.h"
#include "tests/support/join_rig.h"

static void
method_and_route_are_the_surest(void **state)
{
    (void)state;
    join_rig_route("GET", "/a/{}", "get", 0);
    join_rig_route("POST", "/a/{}", "post", 0);
    uint32_t get = db_route(&join_rig.db, join_rig.shop, "GET /a/{}");
    uint32_t post = db_route(&join_rig.db, join_rig.shop, "POST /a/{}");
    uint32_t none = db_route(&join_rig.db, join_rig.shop, "DELETE /a/{}");
    join_rig_make();
    join_rig_expect(get, JOIN_ROUTE, "get");
    join_rig_expect(post, JOIN_ROUTE, "post");
    join_rig_expect(none, JOIN_NONE, NULL);
}

static void
any_method_and_head_fit_but_less(void **state)
{
    (void)state;
    join_rig_route("ANY", "/any", "any", 0);
    join_rig_route("GET", "/get", "get", 0);
    join_rig_route("ANY", "/both", "both", 0);
    join_rig_route("PUT", "/both", "put", 0);
    uint32_t any = db_route(&join_rig.db, join_rig.shop, "PATCH /any");
    uint32_t head = db_route(&join_rig.db, join_rig.shop, "HEAD /get");
    uint32_t put = db_route(&join_rig.db, join_rig.shop, "PUT /both");
    join_rig_make();
    join_rig_expect(any, JOIN_ANY, "any");
    join_rig_expect(head, JOIN_ANY, "get");
    join_rig_expect(put, JOIN_ROUTE, "put");
    assert_true(join_of(join_rig.join, any)->permille <
                join_of(join_rig.join, put)->permille);
}

static void
rpc_methods_and_topics_fit_by_name(void **state)
{
    (void)state;
    fixture_route(&join_rig.fixture, join_rig.app, "", "shop.Cart/Add",
                  join_rig_function(join_rig.app, "Add"), 0);
    fixture_topic(&join_rig.fixture, join_rig.app, "kafka:orders",
                  join_rig_function(join_rig.app, "consume"));
    uint32_t add =
        db_node(&join_rig.db, NODE_RPC, join_rig.shop, "shop.Cart/Add", "");
    uint32_t bare =
        db_node(&join_rig.db, NODE_RPC, join_rig.shop, "Cart/Add", "");
    uint32_t other =
        db_node(&join_rig.db, NODE_RPC, join_rig.shop, "art/Add", "");
    uint32_t orders =
        db_node(&join_rig.db, NODE_CONSUMER, join_rig.shop, "kafka:orders", "");
    uint32_t bills =
        db_node(&join_rig.db, NODE_CONSUMER, join_rig.shop, "kafka:bills", "");
    join_rig_make();
    join_rig_expect(add, JOIN_RPC, "Add");
    join_rig_expect(bare, JOIN_MOUNTED, "Add");
    join_rig_expect(other, JOIN_NONE, NULL);
    join_rig_expect(orders, JOIN_TOPIC, "consume");
    join_rig_expect(bills, JOIN_NONE, NULL);
}

static void
a_prefix_more_on_either_side_fits(void **state)
{
    (void)state;
    join_rig_route("GET", "/users/{}", "user", 0);
    join_rig_route("GET", "/tail/{}", "tail", ROUTE_PREFIX_UNKNOWN);
    uint32_t user =
        db_route(&join_rig.db, join_rig.shop, "GET /api/v1/users/{}");
    uint32_t tail = db_route(&join_rig.db, join_rig.shop, "GET /some/tail/{}");
    uint32_t exact = db_route(&join_rig.db, join_rig.shop, "GET /tail/{}");
    join_rig_make();
    join_rig_expect(user, JOIN_MOUNTED, "user");
    join_rig_expect(tail, JOIN_MOUNTED, "tail");
    join_rig_expect(exact, JOIN_MOUNTED, "tail");
}

static void
a_variable_more_fits_in_what_was_called_alone(void **state)
{
    (void)state;
    join_rig_route("GET", "/news/{}", "news", 0);
    join_rig_route("GET", "/{}/status", "order_status", 0);
    uint32_t news = db_route(&join_rig.db, join_rig.shop, "GET /{}/news/{}");
    uint32_t status = db_route(&join_rig.db, join_rig.shop, "GET /status");
    join_rig_make();
    join_rig_expect(news, JOIN_MOUNTED, "news");
    join_rig_expect(status, JOIN_NONE, NULL);
}

static void
a_guessed_template_is_a_guess(void **state)
{
    (void)state;
    join_rig_route("GET", "/users/{}/{}", "pair", 0);
    uint32_t guess =
        db_route(&join_rig.db, join_rig.shop, "GET /users/{}/cart");
    uint32_t told = db_route(&join_rig.db, join_rig.shop, "GET /users/{}/bill");
    db_source(&join_rig.db, guess, ROUTE_SOURCE_HEURISTIC);
    join_rig_make();
    join_rig_expect(guess, JOIN_GUESSED, "pair");
    join_rig_expect(told, JOIN_NONE, NULL);
}

static void
the_name_of_a_span_is_a_literal_of_one_function(void **state)
{
    (void)state;
    fixture_literal(&join_rig.fixture,
                    join_rig_function(join_rig.app, "nightly"), "tidy up");
    fixture_literal(&join_rig.fixture, join_rig_function(join_rig.app, "one"),
                    "twice");
    fixture_literal(&join_rig.fixture, join_rig_function(join_rig.app, "two"),
                    "twice");
    fixture_literal(&join_rig.fixture, join_rig_function(join_rig.lib, "far"),
                    "elsewhere");
    uint32_t once =
        db_node(&join_rig.db, NODE_RPC, join_rig.shop, "tidy up", "");
    uint32_t twice =
        db_node(&join_rig.db, NODE_RPC, join_rig.shop, "twice", "");
    uint32_t other =
        db_node(&join_rig.db, NODE_RPC, join_rig.shop, "elsewhere", "");
    join_rig_make();
    join_rig_expect(once, JOIN_LITERAL, "nightly");
    join_rig_expect(twice, JOIN_NONE, NULL);
    join_rig_expect(other, JOIN_NONE, NULL);
}

static void
of_two_that_fit_none_is_taken(void **state)
{
    (void)state;
    join_rig_route("GET", "/a", "first", 0);
    join_rig_route("GET", "/a", "second", 0);
    uint32_t node = db_route(&join_rig.db, join_rig.shop, "GET /a");
    join_rig_make();
    join_rig_expect(node, JOIN_NONE, NULL);
}

static void
one_handler_registered_twice_is_no_rival(void **state)
{
    (void)state;
    uint32_t handler = join_rig_function(join_rig.app, "once");
    fixture_route(&join_rig.fixture, join_rig.app, "GET", "/a", handler, 0);
    fixture_route(&join_rig.fixture, join_rig.app, "GET", "/a", handler, 0);
    fixture_route(&join_rig.fixture, join_rig.app, "GET", "/a", 0,
                  ROUTE_FROM_DOCUMENT);
    uint32_t node = db_route(&join_rig.db, join_rig.shop, "GET /a");
    join_rig_make();
    join_rig_expect(node, JOIN_ROUTE, "once");
}

static void
what_is_asked_for_is_not_served(void **state)
{
    (void)state;
    join_rig_route("GET", "/asked", "client", ROUTE_IS_CLIENT);
    uint32_t node = db_route(&join_rig.db, join_rig.shop, "GET /asked");
    join_rig_make();
    join_rig_expect(node, JOIN_NONE, NULL);
}

static void
routes_of_another_folder_are_not_ours(void **state)
{
    (void)state;
    fixture_route(&join_rig.fixture, join_rig.lib, "GET", "/other",
                  join_rig_function(join_rig.lib, "other"), 0);
    uint32_t node = db_route(&join_rig.db, join_rig.shop, "GET /other");
    join_rig_make();
    join_rig_expect(node, JOIN_NONE, NULL);
}

static void
a_service_without_a_folder_takes_the_only_route(void **state)
{
    (void)state;
    uint32_t lost = db_service(&join_rig.db, "lost");
    join_rig_route("GET", "/only", "only", 0);
    join_rig_route("GET", "/under", "under", 0);
    uint32_t only = db_route(&join_rig.db, lost, "GET /only");
    uint32_t under = db_route(&join_rig.db, lost, "GET /api/under");
    join_rig_make();
    join_rig_expect(only, JOIN_UNIQUE, "only");
    join_rig_expect(under, JOIN_NONE, NULL);
}

static void
the_deeper_folder_is_the_other_services(void **state)
{
    (void)state;
    uint32_t file = fixture_file(&join_rig.fixture, "shop/cart/app.py");
    uint32_t cart = db_service(&join_rig.db, "org/cart");
    fixture_service(&join_rig.fixture, "cart", "shop/cart");
    fixture_route(&join_rig.fixture, file, "GET", "/cart",
                  join_rig_function(file, "cart"), 0);
    uint32_t ours = db_route(&join_rig.db, join_rig.shop, "GET /cart");
    uint32_t theirs = db_route(&join_rig.db, cart, "GET /cart");
    join_rig_make();
    join_rig_expect(ours, JOIN_NONE, NULL);
    join_rig_expect(theirs, JOIN_ROUTE, "cart");
}

static void
served_lists_what_a_function_handles(void **state)
{
    (void)state;
    uint32_t len = 0;
    uint32_t handler = join_rig_function(join_rig.app, "both");
    fixture_route(&join_rig.fixture, join_rig.app, "GET", "/a", handler, 0);
    fixture_route(&join_rig.fixture, join_rig.app, "GET", "/b", handler, 0);
    uint32_t a = db_route(&join_rig.db, join_rig.shop, "GET /a");
    uint32_t b = db_route(&join_rig.db, join_rig.shop, "GET /b");
    join_rig_make();
    const uint32_t *served =
        join_served(join_rig.join, fixture_vertex(join_rig.code, "both"), &len);
    assert_int_equal(len, 2);
    assert_int_equal(served[0], a);
    assert_int_equal(served[1], b);
    (void)join_served(join_rig.join, 0, &len);
    assert_int_equal(len, 0);
}

static void
catch_alls_are_no_route(void **state)
{
    (void)state;
    join_rig_route("GET", "/{**}", "spa", 0);
    uint32_t other =
        db_route(&join_rig.db, join_rig.shop, "GET " NODE_NAME_OTHER);
    join_rig_make();
    join_rig_expect(other, JOIN_NONE, NULL);
    join_rig_expect(UINT32_MAX, JOIN_NONE, NULL);
}

#define T(name) \
    cmocka_unit_test_setup_teardown(name, join_rig_open, join_rig_close)

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
        T(served_lists_what_a_function_handles),
        T(catch_alls_are_no_route),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
