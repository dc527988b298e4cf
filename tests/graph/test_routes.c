#include "tests/graph/routes_fixture.h"
#include "tests/support/cpu.h"

static void
nothing_matches_where_nothing_is_declared(void **state)
{
    struct fixture *f = *state;

    check_match(f, "GET", "/", NULL);
    declare(f, "GET", "/a");
    check_match(f, "GET", "/b", NULL);
    f->service++;
    check_match(f, "GET", "/a", NULL);
}

static void
the_more_exact_route_wins(void **state)
{
    struct fixture *f = *state;

    declare(f, "GET", "/{**}");
    declare(f, "GET", "/users/{}");
    declare(f, "GET", "/users/{}/posts/{}");
    declare(f, "GET", "/users/{}/{}/{}");
    declare(f, "GET", "/users/me");
    declare(f, "GET", "/{}/me");
    declare(f, "GET", "/u{}/me");
    declare(f, "GET", "/files/{**}");
    declare(f, "GET", "/files/{}/{}");
    declare(f, "GET", "/files/{}.json");
    declare(f, "GET", "/");
    check_match(f, "GET", "/users/me", "/users/me");
    check_match(f, "GET", "/users/you", "/users/{}");
    check_match(f, "GET", "/u1/me", "/u{}/me");
    check_match(f, "GET", "/x/me", "/{}/me");
    check_match(f, "GET", "/users/1/posts/2", "/users/{}/posts/{}");
    check_match(f, "GET", "/users/1/likes/2", "/users/{}/{}/{}");
    check_match(f, "GET", "/files/a/b", "/files/{}/{}");
    check_match(f, "GET", "/files/a.json", "/files/{}.json");
    check_match(f, "GET", "/files/.json", "/files/{**}");
    check_match(f, "GET", "/files/a/b/c", "/files/{**}");
    check_match(f, "GET", "/files", "/files/{**}");
    check_match(f, "GET", "/", "/");
    check_match(f, "GET", "/else/where", "/{**}");
}

static void
equals_go_to_the_first_declared(void **state)
{
    struct fixture *f = *state;

    declare(f, "GET", "/a/{}/c");
    declare(f, "GET", "/{}/b/c");
    check_match(f, "GET", "/a/b/c", "/a/{}/c");
}

static void
slashes_queries_and_parameters_do_not_matter(void **state)
{
    struct fixture *f = *state;

    declare(f, "GET", "/a/{}");
    check_match(f, "GET", "/a/1/", "/a/{}");
    check_match(f, "GET", "//a//1", "/a/{}");
    check_match(f, "GET", "/a/1?x=/2", "/a/{}");
    check_match(f, "GET", "/a/1#y", "/a/{}");
    check_match(f, "GET", "/a;v=1/1;jsessionid=2", "/a/{}");
    check_match(f, "GET", "/A/1", NULL);
}

static void
catch_alls_may_stand_in_the_middle(void **state)
{
    struct fixture *f = *state;

    declare(f, "GET", "/a/{**}/z");
    check_match(f, "GET", "/a/b/c/z", "/a/{**}/z");
    check_match(f, "GET", "/a/z", "/a/{**}/z");
    check_match(f, "GET", "/a/b", NULL);
}

static void
head_and_options_fall_to_get_and_all_to_any(void **state)
{
    struct fixture *f = *state;

    declare(f, "GET", "/g");
    declare(f, "ANY", "/any");
    declare(f, "", "/none");
    declare(f, "POST", "/p");
    declare(f, "HEAD", "/both");
    declare(f, "ANY", "/both");
    check_match(f, "HEAD", "/g", "/g");
    check_match(f, "OPTIONS", "/g", "/g");
    check_match(f, "POST", "/g", NULL);
    check_match(f, "DELETE", "/any", "/any");
    check_match(f, "HEAD", "/any", "/any");
    check_match(f, "PUT", "/none", "/none");
    check_match(f, "HEAD", "/p", NULL);
    check_match(f, "HEAD", "/both", "/both");
}

static void
declared_is_what_was_declared(void **state)
{
    struct fixture *f = *state;
    uint32_t s = f->service;

    assert_false(routes_is_declared(f->routes, s, STR("GET"), STR("/a")));
    declare(f, "GET", "/a/{}");
    declare(f, "GET", "/a/{}");
    assert_true(routes_is_declared(f->routes, s, STR("GET"), STR("/a/{}")));
    assert_false(routes_is_declared(f->routes, s, STR("PUT"), STR("/a/{}")));
    assert_false(routes_is_declared(f->routes, s, STR("GET"), STR("/a/b")));
    assert_false(routes_is_declared(f->routes, s, STR("GET"), STR("/a")));
    assert_false(
        routes_is_declared(f->routes, s + 1, STR("GET"), STR("/a/{}")));
}

static bool
may_go_on(struct fixture *f, const char *method, const char *pattern)
{
    return routes_may_go_on(f->routes, f->service, str_of(method),
                            str_of(pattern));
}

static void
a_path_may_go_on_below_a_route_or_before_what_is_none(void **state)
{
    struct fixture *f = *state;

    assert_false(may_go_on(f, "GET", "/"));
    assert_false(may_go_on(f, "GET", "/a"));
    declare(f, "GET", "/a/{}");
    declare(f, "GET", "/a/{}/b");
    declare(f, "ANY", "/c");
    assert_true(may_go_on(f, "GET", "/"));
    assert_true(may_go_on(f, "GET", "/a"));
    assert_true(may_go_on(f, "GET", "/a/{}"));
    assert_false(may_go_on(f, "GET", "/a/{}/b"));
    assert_true(may_go_on(f, "PUT", "/a/{}/b"));
    assert_false(may_go_on(f, "PUT", "/c"));
    assert_true(may_go_on(f, "GET", "/b"));
    assert_false(
        routes_may_go_on(f->routes, f->service + 1, STR("GET"), STR("/b")));
}

static void
a_withdrawn_route_matches_nothing_until_declared_again(void **state)
{
    struct fixture *f = *state;

    routes_withdraw(f->routes, f->service, STR("GET"), STR("/a/b"));
    declare(f, "GET", "/a/{}");
    declare(f, "GET", "/a/b");
    declare(f, "PUT", "/a/b");
    declare(f, "GET", "/a/b/c");
    uint64_t before = routes_generation(f->routes);
    routes_withdraw(f->routes, f->service, STR("GET"), STR("/a/x"));
    routes_withdraw(f->routes, f->service, STR("POST"), STR("/a/b"));
    routes_withdraw(f->routes, f->service + 1, STR("GET"), STR("/a/b"));
    assert_int_equal(routes_generation(f->routes), before);
    routes_withdraw(f->routes, f->service, STR("GET"), STR("/a/b"));
    assert_int_not_equal(routes_generation(f->routes), before);
    assert_false(
        routes_is_declared(f->routes, f->service, STR("GET"), STR("/a/b")));
    check_match(f, "GET", "/a/b", "/a/{}");
    check_match(f, "PUT", "/a/b", "/a/b");
    check_match(f, "GET", "/a/b/c", "/a/b/c");
    declare(f, "GET", "/a/b");
    check_match(f, "GET", "/a/b", "/a/b");
}

static void
each_new_route_makes_a_generation_and_nothing_else_does(void **state)
{
    struct fixture *f = *state;
    uint64_t first = routes_generation(f->routes);

    declare(f, "GET", "/a/{}");
    uint64_t second = routes_generation(f->routes);
    assert_int_not_equal(second, first);
    declare(f, "GET", "/a/{}");
    assert_int_equal(routes_mount(f->routes, f->service, STR("m")), OK);
    routes_learn_mount(f->routes, f->service, STR("GET"), STR("/n/a/{}"));
    assert_int_equal(routes_generation(f->routes), second);
    declare(f, "PUT", "/a/{}");
    uint64_t third = routes_generation(f->routes);
    assert_int_not_equal(third, second);
    assert_int_not_equal(third, first);
    assert_int_equal(
        routes_declare(f->routes, f->service + 1, STR("GET"), STR("/a/{}")),
        OK);
    assert_int_not_equal(routes_generation(f->routes), third);
}

static void
mounts_are_given_or_learnt(void **state)
{
    struct fixture *f = *state;

    declare(f, "GET", "/users/{}");
    declare(f, "GET", "/v1/carts/{}");
    check_match(f, "GET", "/shop/users/1", NULL);
    assert_int_equal(routes_mount(f->routes, f->service, STR("shop/")), OK);
    check_match(f, "GET", "/shop/users/1", "/users/{}");
    check_match(f, "GET", "/shopping/users/1", NULL);
    check_match(f, "GET", "/carts/1", NULL);
    routes_learn_mount(f->routes, f->service, STR("GET"), STR("/carts/{}"));
    check_match(f, "GET", "/carts/1", "/v1/carts/{}");
    check_match(f, "GET", "/api/users/1", NULL);
    routes_learn_mount(f->routes, f->service, STR("GET"), STR("/{}"));
    routes_learn_mount(f->routes, f->service, STR("POST"),
                       STR("/api/users/{}"));
    check_match(f, "GET", "/api/users/1", NULL);
    routes_learn_mount(f->routes, f->service, STR("GET"), STR("/api/users/{}"));
    check_match(f, "GET", "/api/users/1", "/users/{}");
    check_match(f, "GET", "/users/1", "/users/{}");
}

static void
learn(struct fixture *f, const char *method, const char *pattern)
{
    routes_learn_mount(f->routes, f->service, str_of(method), str_of(pattern));
}

static void
mounts_are_learnt_of_the_first_route_that_ends_so(void **state)
{
    struct fixture *f = *state;
    char front[200];
    char path[32];

    declare(f, "POST", "/no/carts/{}");
    declare(f, "GET", "/x/{}/carts/{}");
    declare(f, "ANY", "/a/b/carts/{}");
    declare(f, "GET", "/late/carts/{}");
    learn(f, "GET", "/carts/{}");
    check_match(f, "GET", "/carts/1", "/a/b/carts/{}");
    learn(f, "GET", "/b/carts/{}");
    declare(f, "GET", "/v2/new/{}");
    check_match(f, "GET", "/new/1", NULL);
    learn(f, "GET", "/new/{}");
    check_match(f, "GET", "/new/1", "/v2/new/{}");
    for (int len = 128; len <= 129; len++) {
        (void)snprintf(front, sizeof(front), "/%0*d/l%d/{}", len, 7, len);
        declare(f, "GET", front);
        (void)snprintf(path, sizeof(path), "/l%d/{}", len);
        learn(f, "GET", path);
        (void)snprintf(path, sizeof(path), "/l%d/1", len);
        check_match(f, "GET", path, len == 128 ? front : NULL);
    }
}

/* What a thousand patterns cost that no declared route ends with. */
static double
cost_of_learning(struct fixture *f, int declared)
{
    double least = 1e9;
    char text[64];

    f->service++;
    for (int i = 0; i < declared; i++) {
        (void)snprintf(text, sizeof(text), "/api/v%d/things/{}", i);
        declare(f, "GET", text);
    }
    for (int turn = 0; turn < 3; turn++) {
        double from = cpu_seconds();
        for (int i = 0; i < 1000; i++) {
            (void)snprintf(text, sizeof(text), "/t%d-%d/things/{}", turn, i);
            learn(f, "GET", text);
        }
        double spent = cpu_seconds() - from;
        least = spent < least ? spent : least;
    }
    return least;
}

static void
learning_costs_the_same_however_many_are_declared(void **state)
{
    struct fixture *f = *state;
    double few = cost_of_learning(f, 100);
    double many = cost_of_learning(f, 10000);

    assert_true(many < 20 * few);
}

static void
mounts_are_bounded(void **state)
{
    struct fixture *f = *state;
    char prefix[200];

    for (int i = 0; i < 16; i++) {
        (void)snprintf(prefix, sizeof(prefix), "/m%d", i);
        assert_int_equal(routes_mount(f->routes, f->service, str_of(prefix)),
                         OK);
    }
    assert_int_equal(routes_mount(f->routes, f->service, STR("/m0")), OK);
    assert_int_equal(routes_mount(f->routes, f->service, STR("/n")), ERR_FULL);
    memset(prefix, 'x', sizeof(prefix));
    assert_int_equal(routes_mount(f->routes, f->service, (str){prefix, 129}),
                     ERR_INVALID);
}

static void
a_service_may_declare_100000_routes(void **state)
{
    struct fixture *f = *state;
    char pattern[64];

    for (int i = 0; i < 100000; i++) {
        (void)snprintf(pattern, sizeof(pattern), "/r%d/{}/x", i);
        declare(f, "GET", pattern);
    }
    declare(f, "GET", "/r0/{}/x");
    assert_int_equal(
        routes_declare(f->routes, f->service, STR("GET"), STR("/one/more")),
        ERR_FULL);
    check_match(f, "GET", "/r99999/5/x", "/r99999/{}/x");
    for (uint32_t s = 100; s < 300; s++)
        assert_int_equal(routes_declare(f->routes, s, STR("GET"), STR("/a")),
                         OK);
    f->service = 299;
    check_match(f, "GET", "/a", "/a");
}

static void
a_hostile_table_costs_a_bounded_time(void **state)
{
    struct fixture *f = *state;
    char pattern[256];

    for (unsigned i = 0; i < 1024; i++) {
        size_t len = 0;
        for (unsigned bit = 0; bit < 10; bit++)
            len += (size_t)snprintf(pattern + len, sizeof(pattern) - len, "/%s",
                                    i >> bit & 1 ? "{**}" : "a");
        (void)snprintf(pattern + len, sizeof(pattern) - len, "/z");
        declare(f, "GET", pattern);
    }
    for (int i = 0; i < 20; i++)
        check_match(f, "GET", "/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a", NULL);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(nothing_matches_where_nothing_is_declared),
        TEST(the_more_exact_route_wins),
        TEST(equals_go_to_the_first_declared),
        TEST(slashes_queries_and_parameters_do_not_matter),
        TEST(catch_alls_may_stand_in_the_middle),
        TEST(head_and_options_fall_to_get_and_all_to_any),
        TEST(declared_is_what_was_declared),
        TEST(a_path_may_go_on_below_a_route_or_before_what_is_none),
        TEST(a_withdrawn_route_matches_nothing_until_declared_again),
        TEST(each_new_route_makes_a_generation_and_nothing_else_does),
        TEST(mounts_are_given_or_learnt),
        TEST(mounts_are_learnt_of_the_first_route_that_ends_so),
        TEST(learning_costs_the_same_however_many_are_declared),
        TEST(mounts_are_bounded),
        TEST(a_service_may_declare_100000_routes),
        TEST(a_hostile_table_costs_a_bounded_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
