/*
 * What a lane remembers of a route is true of each span it is taken for.
 */
#include "tests/runtime/intake_fixture.h"

/* As code is linked: to a service that was seen before. */
static void
what_is_declared_later_is_found_all_the_same(void **state)
{
    struct fixture *f = *state;
    uint32_t s = nodes_intern(f->nodes, NODE_SERVICE, 0, STR("s"), NONE);
    /* clang-format off */
    static const struct row before[] = {
        {SPAN_SERVER, "x", {"http.method=GET", "http.route=/sub",
         "url.path=/sub/"}, "route GET /sub", NULL, IN},
        {SPAN_SERVER, "x", {"http.method=GET", "http.route=/sub",
         "url.path=/sub/things/3"}, "route GET /sub", NULL, IN},
        {SPAN_SERVER, "x", {"http.method=GET", "http.route=/{id}",
         "url.path=/carts/7"}, "route GET /{}", NULL, IN},
        {SPAN_SERVER, "x", {"http.method=GET", "http.route=/api/users/{id}"},
         "route GET /api/users/{}", NULL, IN},
    };
    static const struct row after[] = {
        {SPAN_SERVER, "x", {"http.method=GET", "http.route=/sub",
         "url.path=/sub/"}, "route GET /sub", NULL, IN},
        {SPAN_SERVER, "x", {"http.method=GET", "http.route=/sub",
         "url.path=/sub/things/3"}, "route GET /sub/things/{}", NULL, IN},
        {SPAN_SERVER, "x", {"http.method=GET", "http.route=/{id}",
         "url.path=/carts/7"}, "route GET /carts/{}", NULL, IN},
        /* The prefix is learnt of what was seen before, too. */
        {SPAN_SERVER, "x", {"http.method=GET", "http.route=/api/users/{id}"},
         "route GET /api/users/{}", NULL, IN},
        {SPAN_SERVER, "x", {"http.method=GET", "url.path=/api/users/me"},
         "route GET /users/{}", NULL, IN},
    };
    /* clang-format on */
    static const char *const declared[] = {"/sub/things/{}", "/carts/{}",
                                           "/users/{}"};

    CHECK(before);
    for (size_t i = 0; i < sizeof(declared) / sizeof(*declared); i++)
        assert_int_equal(
            routes_declare(f->routes, s, STR("GET"), str_of(declared[i])), OK);
    CHECK(after);
}

/* Of spans that say the same route, in this order and then again. */
static void
a_route_is_not_remembered_for_another_path(void **state)
{
    struct fixture *f = *state;
    uint32_t s = nodes_intern(f->nodes, NODE_SERVICE, 0, STR("s"), NONE);
    /* clang-format off */
    static const struct row rows[] = {
        {SPAN_SERVER, "x", {"http.method=GET", "http.route=/{id}",
         "url.path=/7"}, "route GET /{}", NULL, IN},
        {SPAN_SERVER, "x", {"http.method=GET", "http.route=/{id}",
         "url.path=/carts/7"}, "route GET /carts/{}", NULL, IN},
        {SPAN_SERVER, "x", {"http.method=GET", "http.route=/me"},
         "route GET /me", NULL, IN},
        {SPAN_SERVER, "x", {"http.method=GET", "http.route=/me",
         "url.path=/users/me"}, "route GET /users/me", NULL, IN},
        /* Neither how it is written nor how long it is misleads. */
        {SPAN_SERVER, "x", {"http.method=GET", "http.route=/t/:t(a|b/c)",
         "url.path=/t/a"}, "route GET /t/{}", NULL, IN},
        {SPAN_SERVER, "x", {"http.method=GET", "http.route=/t/:t(a|b/c)",
         "url.path=/t/a/info"}, "route GET /t/{}/info", NULL, IN},
        /* The root, of what was found and of what was not. */
        {SPAN_SERVER, "x", {"http.method=PUT", "http.route=/",
         "url.path=/x"}, "route PUT /", NULL, IN},
        {SPAN_SERVER, "x", {"http.method=PUT", "http.route=/", "url.path=/x",
         "http.status_code=404"}, "route PUT {unmatched}", NULL,
         IN | STUB_DENIED},
        /* A path in place of a route, that was told without its path first. */
        {SPAN_SERVER, "x", {"http.method=GET", "http.route=/w/17"},
         "route GET /w/17", NULL, IN},
        {SPAN_SERVER, "x", {"http.method=GET", "http.route=/w/17",
         "url.path=/w/17"}, "route GET /w/{}", NULL, IN},
    };
    /* clang-format on */
    static const char *const declared[] = {"/carts/{}", "/users/me",
                                           "/t/{}/info"};

    for (size_t i = 0; i < sizeof(declared) / sizeof(*declared); i++)
        assert_int_equal(
            routes_declare(f->routes, s, STR("GET"), str_of(declared[i])), OK);
    CHECK(rows);
}

/* Of spans that say the same route and no method, in either order. */
static void
a_route_is_not_remembered_for_another_method(void **state)
{
    struct fixture *f = *state;
    /* clang-format off */
    static const struct row rows[] = {
        {SPAN_SERVER, "HTTP /u", {"http.route=/u"}, "route ANY /u", NULL, IN},
        {SPAN_SERVER, "SEARCH /u", {"http.route=/u"}, "route _OTHER /u", NULL,
         IN},
        {SPAN_SERVER, "SEARCH /v", {"http.route=/v"}, "route _OTHER /v", NULL,
         IN},
        {SPAN_SERVER, "HTTP /v", {"http.route=/v"}, "route ANY /v", NULL, IN},
        {SPAN_SERVER, "HTTP /v", {"http.method=ANY", "http.route=/v"},
         "route _OTHER /v", NULL, IN},
        {SPAN_SERVER, "GET /v", {"http.route=/v"}, "route GET /v", NULL, IN},
    };
    /* clang-format on */

    CHECK(rows);
}

/* That it is shows by what is done but once: asking the configuration. */
static bool
is_remembered(struct fixture *f, const char *route, const char *path)
{
    static const char *const all[] = {"/**"};

    set_all(&f->resource, (const char *const[]){"service.name=s", NULL});
    set_all(&f->attrs,
            (const char *const[]){"http.method=GET", route, path, NULL});
    (void)send(f, (struct span){.kind = SPAN_SERVER});
    f->cfg.exclude_routes = all;
    f->cfg.exclude_routes_len = 1;
    struct stub stub = send(f, (struct span){.kind = SPAN_SERVER});
    f->cfg.exclude_routes_len = 0;
    return !(stub.flags & STUB_SYNTHETIC);
}

/* As ASP.NET's PathBase and FastAPI's root_path have it. */
static void
a_route_without_the_prefix_of_its_path_is_remembered(void **state)
{
    struct fixture *f = *state;
    uint32_t s = nodes_intern(f->nodes, NODE_SERVICE, 0, STR("s"), NONE);

    assert_true(is_remembered(f, "http.route=/a/{id}", "url.path=/base/a/1"));
    assert_true(is_remembered(f, "http.route=/", "url.path=/base/"));
    assert_int_equal(routes_declare(f->routes, s, STR("GET"), STR("/a/{}")),
                     OK);
    assert_int_equal(routes_declare(f->routes, s, STR("GET"), STR("/b/c")), OK);
    assert_true(is_remembered(f, "http.route=/a/{id}", "url.path=/base/a/1"));
    assert_true(is_remembered(f, "http.route=/b", "url.path=/b"));
    assert_false(is_remembered(f, "http.route=/b", "url.path=/b/c"));
}

/* As FastAPI's instrumentation sends it of an included router, and what another
 * sends of a route of its own that no code has. */
static void
a_path_told_as_a_route_is_the_declared_route_of_it(void **state)
{
    struct fixture *f = *state;
    uint32_t s = nodes_intern(f->nodes, NODE_SERVICE, 0, STR("s"), NONE);
    /* clang-format off */
    static const struct row before[] = {
        {SPAN_SERVER, "GET /items/tea", {"http.method=GET",
         "http.route=/items/tea", "http.target=/items/tea"},
         "route GET /items/tea", NULL, IN},
    };
    static const struct row after[] = {
        {SPAN_SERVER, "GET /items/tea", {"http.method=GET",
         "http.route=/items/tea", "http.target=/items/tea"},
         "route GET /items/{}", NULL, IN},
        {SPAN_SERVER, "GET /items/cup", {"http.method=GET",
         "http.route=/items/cup", "http.target=/items/cup?q=1"},
         "route GET /items/{}", NULL, IN},
        {SPAN_SERVER, "GET /items/new", {"http.method=GET",
         "http.route=/items/new", "http.target=/items/new"},
         "route GET /items/new", NULL, IN},
        {SPAN_SERVER, "GET /items/", {"http.method=GET",
         "http.route=/items/{id}", "http.target=/items/new"},
         "route GET /items/{}", NULL, IN},
        {SPAN_SERVER, "GET /docs", {"http.method=GET",
         "http.route=/docs", "http.target=/docs"},
         "route GET /docs", NULL, IN},
    };
    static const struct row of_others[] = {
        {SPAN_SERVER, "GET /items/stats", {"http.method=GET",
         "http.route=/items/stats", "http.target=/items/stats"},
         "route GET /items/stats", NULL, IN},
    };
    /* clang-format on */

    f->scope = STR("opentelemetry.instrumentation.fastapi");
    CHECK(before);
    assert_int_equal(routes_declare(f->routes, s, STR("GET"), STR("/items/{}")),
                     OK);
    assert_int_equal(
        routes_declare(f->routes, s, STR("GET"), STR("/items/new")), OK);
    CHECK(after);
    f->scope = STR("opentelemetry.instrumentation.starlette");
    CHECK(after);
    f->scope = STR("io.opentelemetry.tomcat-10.0");
    CHECK(of_others);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_is_declared_later_is_found_all_the_same),
        TEST(a_route_is_not_remembered_for_another_path),
        TEST(a_route_is_not_remembered_for_another_method),
        TEST(a_route_without_the_prefix_of_its_path_is_remembered),
        TEST(a_path_told_as_a_route_is_the_declared_route_of_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
