#include "tests/runtime/intake_fixture.h"

static void
http_servers_by_old_and_new_attributes(void **state)
{
    struct fixture *f = *state;
    /* clang-format off */
    static const struct row rows[] = {
        {SPAN_SERVER, "x", {"http.request.method=GET", "http.route=/u/:id"},
         "route GET /u/{}", NULL, IN},
        {SPAN_SERVER, "x", {"http.method=get", "http.route=/u/:id"},
         "route GET /u/{}", NULL, IN},
        {SPAN_SERVER, "x", {"http.request.method=PUT", "http.method=GET",
         "http.route=u/{id}/"}, "route PUT /u/{}", NULL, IN},
        {SPAN_SERVER, "x", {"http.request.method=_OTHER",
         "http.request.method_original=patch", "http.route=/u"},
         "route PATCH /u", NULL, IN},
        {SPAN_SERVER, "x", {"http.request.method=PROPFIND", "http.route=/u"},
         "route PROPFIND /u", NULL, IN},
        {SPAN_SERVER, "x", {"http.request.method=_OTHER",
         "http.request.method_original=purge", "http.route=/u"},
         "route PURGE /u", NULL, IN},
        {SPAN_SERVER, "x", {"http.request.method=_OTHER",
         "http.request.method_original=XYZZY", "http.route=/u"},
         "route _OTHER /u", NULL, IN},
        /* An unknown method is not one that nobody says. */
        {SPAN_SERVER, "HTTP /u", {"http.request.method=_OTHER",
         "http.route=/u"}, "route _OTHER /u", NULL, IN},
        {SPAN_SERVER, "HTTP /o/{id}", {"http.request.method=_OTHER"},
         "route _OTHER /o/{}", NULL, IN},
        {SPAN_SERVER, "HTTP", {"http.request.method=_OTHER",
         "url.path=/o/7"}, "route _OTHER /o/{}", NULL, IN},
        {SPAN_SERVER, "SEARCH /u/{id}", {"http.route=/u"}, "route _OTHER /u",
         NULL, IN},
        {SPAN_SERVER, "DELETE /u", {"http.route=/u"}, "route DELETE /u", NULL,
         IN},
        /* A WebSocket of Starlette, now and before. */
        {SPAN_SERVER, "/ws/{room}", {"http.url=ws://h/ws/1",
         "http.route=/ws/{room}"}, "route ANY /ws/{}", NULL, IN},
        {SPAN_SERVER, "HTTP /ws/{room}", {"url.path=/ws/1",
         "http.route=/ws/{room}"}, "route ANY /ws/{}", NULL, IN},
        {SPAN_SERVER, "HTTP /bare/{id}", {NULL}, "route ANY /bare/{}", NULL,
         IN},
        {SPAN_SERVER, "http get /owners/{o}", {NULL}, "route GET /owners/{}",
         NULL, IN},
        {SPAN_SERVER, "x", {"http.request.method=GET",
         "url.template=/t/{id}?q={q}"}, "route GET /t/{}", NULL, IN},
        {SPAN_SERVER, "GET /n/:id", {"http.request.method=GET",
         "url.path=/n/ann"}, "route GET /n/{}", NULL, IN},
        {SPAN_SERVER, "/n/<int:id>", {"http.method=POST"}, "route POST /n/{}",
         NULL, IN},
        {SPAN_SERVER, "GET /u", {"http.method=GET"}, "route GET /u", NULL, IN},
        {SPAN_SERVER, "GET", {"http.request.method=GET", "url.path=/p/17"},
         "route GET /p/{}", NULL, IN},
        {SPAN_SERVER, "GET", {"http.method=GET", "http.target=/p/17?x=1"},
         "route GET /p/{}", NULL, IN},
        {SPAN_SERVER, "GET", {"http.method=GET", "http.target=/q/17",
         "url.path=/p/17"}, "route GET /p/{}", NULL, IN},
        {SPAN_SERVER, "GET", {"http.method=GET",
         "http.target=http://h:1/p/17"}, "route GET /p/{}", NULL, IN},
        {SPAN_SERVER, "get", {"http.method=GET", "http.path=/p/17"},
         "route GET /p/{}", NULL, IN},
        {SPAN_SERVER, "GET", {"http.method=GET",
         "http.url=https://u:p@h:1/p/17#z"}, "route GET /p/{}", NULL, IN},
        {SPAN_SERVER, "GET", {"http.method=GET", "url.full=https://h"},
         "route GET /", NULL, IN},
        {SPAN_SERVER, "GET /users/joe@x.com", {NULL}, "route GET /users/{}",
         NULL, IN},
        {SPAN_SERVER, "GET", {"http.method=GET"}, "service s", NULL, IN},
        {SPAN_SERVER, "do it", {NULL}, "service s", NULL, IN},
        /* A path in place of a route. */
        {SPAN_SERVER, "GET", {"http.method=GET", "http.route=/w/17",
         "url.path=/w/17"}, "route GET /w/{}", NULL, IN},
        {SPAN_SERVER, "GET", {"http.method=GET", "http.route=/w/me",
         "url.path=/w/me"}, "route GET /w/me", NULL, IN},
    };
    /* clang-format on */

    CHECK(rows);
}

static uint8_t
source_of(struct fixture *f, uint32_t id)
{
    return nodes_get(f->nodes, id).source;
}

static void
each_route_says_how_it_was_found(void **state)
{
    struct fixture *f = *state;
    uint32_t s = nodes_intern(f->nodes, NODE_SERVICE, 0, STR("s"), NONE);
    static const struct {
        const char *name;
        const char *attrs[ATTRS_MAX];
        uint8_t source;
    } rows[] = {
        {"a", {"http.method=GET", "http.route=/a"}, ROUTE_SOURCE_ATTR},
        {"a", {"http.method=GET", "url.path=/d/me"}, ROUTE_SOURCE_STATIC},
        {"a", {"http.method=HEAD", "url.path=/d/me"}, ROUTE_SOURCE_STATIC},
        {"GET /n/{x}", {"http.method=GET"}, ROUTE_SOURCE_NAME},
        {"a", {"http.method=GET", "url.path=/h"}, ROUTE_SOURCE_HEURISTIC},
        {"a",
         {"http.method=GET", "url.path=/z", "http.status_code=404"},
         ROUTE_SOURCE_OVERFLOW},
    };

    assert_int_equal(routes_declare(f->routes, s, STR("GET"), STR("/d/{}")),
                     OK);
    set_all(&f->resource, (const char *const[]){"service.name=s", NULL});
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        set_all(&f->attrs, rows[i].attrs);
        struct stub stub = send(f, (struct span){.kind = SPAN_SERVER,
                                                 .name = str_of(rows[i].name)});
        assert_int_equal(source_of(f, stub.endpoint), rows[i].source);
    }
    check_node(f, "declared",
               nodes_find(f->nodes, NODE_ROUTE, s, STR("GET /d/{}"), NONE),
               "route GET /d/{}");
    /* Seen with a route, a guess becomes known. */
    set_all(&f->attrs,
            (const char *const[]){"http.method=GET", "http.route=/h", NULL});
    struct stub stub = send(f, (struct span){.kind = SPAN_SERVER});
    assert_int_equal(source_of(f, stub.endpoint), ROUTE_SOURCE_ATTR);
}

/* What Starlette, FastAPI and Express tell of an application in another. */
static void
a_route_that_is_a_mount_is_told_by_its_path(void **state)
{
    struct fixture *f = *state;
    uint32_t s = nodes_intern(f->nodes, NODE_SERVICE, 0, STR("s"), NONE);
    static const char *const declared[] = {"/sub/things/{}", "/sub/{}/x",
                                           "/t/{}/info", "/plain", "/deep/{}"};
    /* clang-format off */
    static const struct row rows[] = {
        {SPAN_SERVER, "x", {"http.method=GET", "http.route=/sub",
         "http.target=/sub/things/3?q=/1"}, "route GET /sub/things/{}", NULL,
         IN},
        {SPAN_SERVER, "x", {"http.method=GET", "http.route=/sub",
         "url.path=/sub/7/x"}, "route GET /sub/{}/x", NULL, IN},
        {SPAN_SERVER, "x", {"http.method=GET", "http.route=/sub",
         "url.path=/sub/nothing"}, "route GET /sub", NULL, IN},
        {SPAN_SERVER, "x", {"http.method=GET", "http.route=/sub",
         "url.path=/sub/things/4"}, "route GET /sub/things/{}", NULL, IN},
        {SPAN_SERVER, "x", {"http.method=GET", "http.route=/sub",
         "url.path=/sub/"}, "route GET /sub", NULL, IN},
        {SPAN_SERVER, "x", {"http.method=GET", "http.route=/t/{t}",
         "url.path=/t/acme/info"}, "route GET /t/{}/info", NULL, IN},
        {SPAN_SERVER, "x", {"http.method=GET", "http.route=/",
         "url.path=/plain"}, "route GET /plain", NULL, IN},
        /* The path is of another route, or the route takes all of it. */
        {SPAN_SERVER, "x", {"http.method=GET", "http.route=/dee",
         "url.path=/deep/1"}, "route GET /dee", NULL, IN},
        {SPAN_SERVER, "x", {"http.method=GET", "http.route=/deep/{rest:path}",
         "url.path=/deep/1"}, "route GET /deep/{**}", NULL, IN},
    };
    /* clang-format on */

    for (size_t i = 0; i < sizeof(declared) / sizeof(*declared); i++)
        assert_int_equal(
            routes_declare(f->routes, s, STR("GET"), str_of(declared[i])), OK);
    CHECK(rows);
}

static void
mounts_are_learnt_from_routes(void **state)
{
    struct fixture *f = *state;
    uint32_t s = nodes_intern(f->nodes, NODE_SERVICE, 0, STR("s"), NONE);
    /* clang-format off */
    static const struct row rows[] = {
        {SPAN_SERVER, "x", {"http.method=GET", "http.route=/api/users/{id}"},
         "route GET /api/users/{}", NULL, IN},
        {SPAN_SERVER, "x", {"http.method=GET", "url.path=/api/users/me"},
         "route GET /users/{}", NULL, IN},
    };
    /* clang-format on */

    assert_int_equal(routes_declare(f->routes, s, STR("GET"), STR("/users/{}")),
                     OK);
    CHECK(rows);
}

static void
what_is_told_in_part_is_the_declared_route_of_the_path(void **state)
{
    struct fixture *f = *state;
    uint32_t s = nodes_intern(f->nodes, NODE_SERVICE, 0, STR("s"), NONE);
    /* clang-format off */
    static const struct row rows[] = {
        /* Hapi's plugins do not know their prefix. */
        {SPAN_SERVER, "GET /{id}", {"http.method=GET", "http.route=/{id}",
         "url.path=/carts/7"}, "route GET /carts/{}", NULL, IN},
        {SPAN_SERVER, "GET /{id}", {"http.method=GET", "http.route=/{id}",
         "url.path=/users/7"}, "route GET /users/{}", NULL, IN},
        {SPAN_SERVER, "GET /", {"http.method=GET", "http.route=/",
         "url.path=/users"}, "route GET /users", NULL, IN},
        {SPAN_SERVER, "GET /", {"http.method=GET", "http.route=/",
         "url.path=/"}, "route GET /", NULL, IN},
        {SPAN_SERVER, "GET /", {"http.method=GET", "http.route=/",
         "http.target=/?a"}, "route GET /", NULL, IN},
        /* What is declared as it stands is believed. */
        {SPAN_SERVER, "GET /all", {"http.method=GET", "http.route=/all",
         "url.path=/users/all"}, "route GET /all", NULL, IN},
        /* So is what the path does not end with. */
        {SPAN_SERVER, "GET", {"http.method=GET", "http.route=/{a}/{b}",
         "url.path=/users/7"}, "route GET /{}/{}", NULL, IN},
    };
    /* clang-format on */
    static const char *const declared[] = {"/", "/users", "/users/{}",
                                           "/carts/{}", "/all"};

    for (size_t i = 0; i < sizeof(declared) / sizeof(*declared); i++)
        assert_int_equal(
            routes_declare(f->routes, s, STR("GET"), str_of(declared[i])), OK);
    CHECK(rows);
}

/* As Express's instrumentation told it in 2024. */
static void
a_404_with_the_root_as_its_route_has_none(void **state)
{
    struct fixture *f = *state;
    /* clang-format off */
    static const struct row rows[] = {
        {SPAN_SERVER, "GET /", {"http.method=GET", "http.route=/",
         "http.target=/wp-admin", "http.status_code=404"},
         "route GET {unmatched}", NULL, IN | STUB_DENIED},
        {SPAN_SERVER, "GET /", {"http.method=GET", "http.route=/",
         "http.target=/?a=1", "http.status_code=404"},
         "route GET /", NULL, IN | STUB_DENIED},
        {SPAN_SERVER, "GET /", {"http.method=GET", "http.route=/",
         "http.target=/wp-admin", "http.status_code=404.0"},
         "route GET {unmatched}", NULL, IN | STUB_DENIED},
        {SPAN_SERVER, "GET /", {"http.method=GET", "http.route=/",
         "http.target=/app/", "http.status_code=200"},
         "route GET /", NULL, IN},
    };
    /* clang-format on */

    CHECK(rows);
}

/* As Hono's and Spring's tell it, of a middleware or the static files. */
static void
a_404_with_every_path_as_its_route_has_none(void **state)
{
    struct fixture *f = *state;
    uint32_t s = nodes_intern(f->nodes, NODE_SERVICE, 0, STR("s"), NONE);
    /* clang-format off */
    static const struct row rows[] = {
        {SPAN_SERVER, "GET /*", {"http.method=GET", "http.route=/*",
         "http.target=/wp-admin", "http.status_code=404"},
         "route GET {unmatched}", NULL, IN | STUB_DENIED},
        {SPAN_SERVER, "GET /*", {"http.method=GET", "http.route=/*",
         "http.target=/app.js", "http.status_code=200"},
         "route GET /{**}", NULL, IN},
        {SPAN_SERVER, "GET /**", {"http.method=GET", "http.route=/**",
         "http.target=/favicon.ico", "http.status_code=404"},
         "route GET {unmatched}", NULL, IN | STUB_DENIED},
        /* Declared, it has a function that answers so. */
        {SPAN_SERVER, "PUT /*", {"http.method=PUT", "http.route=/*",
         "http.target=/wp-admin", "http.status_code=404"},
         "route PUT /{**}", NULL, IN | STUB_DENIED},
    };
    /* clang-format on */

    assert_int_equal(routes_declare(f->routes, s, STR("PUT"), STR("/{**}")),
                     OK);
    CHECK(rows);
}

static void
answers_that_deny_are_marked_and_404_makes_no_route(void **state)
{
    struct fixture *f = *state;
    /* clang-format off */
    static const struct row rows[] = {
        {SPAN_SERVER, "GET", {"http.method=GET", "url.path=/wp-admin",
         "http.response.status_code=404"}, "route GET {unmatched}", NULL,
         IN | STUB_DENIED},
        {SPAN_SERVER, "GET", {"http.method=GET", "http.status_code=404"},
         "route GET {unmatched}", NULL, IN | STUB_DENIED},
        {SPAN_SERVER, "GET", {"http.method=GET", "http.route=/r",
         "http.status_code=404"}, "route GET /r", NULL, IN | STUB_DENIED},
        {SPAN_SERVER, "GET", {"http.method=GET", "http.route=/r",
         "http.response.status_code=401", "http.status_code=200"},
         "route GET /r", NULL, IN | STUB_DENIED},
        {SPAN_SERVER, "GET", {"http.method=GET", "http.route=/r",
         "http.response.status_code=403"}, "route GET /r", NULL,
         IN | STUB_DENIED},
        {SPAN_SERVER, "GET", {"http.method=GET", "http.route=/r",
         "http.response.status_code=405"}, "route GET /r", NULL,
         IN | STUB_DENIED},
        {SPAN_SERVER, "GET", {"http.method=GET", "http.route=/r",
         "http.response.status_code=400"}, "route GET /r", NULL, IN},
        {SPAN_CLIENT, "GET", {"http.method=GET", "http.status_code=404"}, NULL,
         NULL, OUT},
    };
    /* clang-format on */

    CHECK(rows);
}

static void
rpc_answers_that_deny_are_marked(void **state)
{
    struct fixture *f = *state;
    /* clang-format off */
    static const struct row rows[] = {
        {SPAN_SERVER, "x", {"rpc.system=grpc", "rpc.service=p.S",
         "rpc.method=M", "rpc.grpc.status_code=12"}, "rpc p.S/M", NULL,
         IN | STUB_DENIED},
        {SPAN_SERVER, "x", {"rpc.system=grpc", "rpc.service=p.S",
         "rpc.method=M", "rpc.grpc.status_code=7"}, "rpc p.S/M", NULL,
         IN | STUB_DENIED},
        {SPAN_SERVER, "x", {"rpc.system.name=grpc", "rpc.method=p.S/M",
         "rpc.response.status_code=UNAUTHENTICATED",
         "rpc.grpc.status_code=0"}, "rpc p.S/M", NULL, IN | STUB_DENIED},
        {SPAN_SERVER, "x", {"rpc.system.name=connectrpc", "rpc.method=p.S/M",
         "rpc.response.status_code=unimplemented"}, "rpc p.S/M", NULL,
         IN | STUB_DENIED},
        /* The method was called, and says so of what it was to look for. */
        {SPAN_SERVER, "x", {"rpc.system=grpc", "rpc.service=p.S",
         "rpc.method=M", "rpc.grpc.status_code=5"}, "rpc p.S/M", NULL, IN},
        {SPAN_SERVER, "x", {"rpc.system.name=grpc", "rpc.method=p.S/M",
         "rpc.response.status_code=NOT_FOUND"}, "rpc p.S/M", NULL, IN},
        {SPAN_SERVER, "x", {"rpc.system.name=grpc", "rpc.method=p.S/M",
         "rpc.response.status_code=OK", "rpc.grpc.status_code=12"},
         "rpc p.S/M", NULL, IN},
        {SPAN_SERVER, "x", {"rpc.system.name=grpc", "rpc.method=p.S/M",
         "rpc.status_code=PERMISSION_DENIED",
         "rpc.response.status_code=OK"}, "rpc p.S/M", NULL, IN | STUB_DENIED},
        {SPAN_SERVER, "x", {"rpc.system=connect_rpc", "rpc.service=p.S",
         "rpc.method=M", "rpc.connect_rpc.error_code=unauthenticated"},
         "rpc p.S/M", NULL, IN | STUB_DENIED},
        {SPAN_SERVER, "x", {"rpc.system=jsonrpc", "rpc.method=m",
         "rpc.jsonrpc.error_code=-32601"}, "rpc m", NULL, IN | STUB_DENIED},
        {SPAN_SERVER, "x", {"rpc.system=jsonrpc", "rpc.method=m",
         "rpc.jsonrpc.error_code=7"}, "rpc m", NULL, IN},
        {SPAN_CLIENT, "x", {"rpc.system=grpc", "rpc.service=p.S",
         "rpc.method=M", "rpc.grpc.status_code=12"}, NULL, NULL, OUT},
    };
    /* clang-format on */

    CHECK(rows);
}

static void
rpc_servers_by_old_and_new_attributes(void **state)
{
    struct fixture *f = *state;
    /* clang-format off */
    static const struct row rows[] = {
        {SPAN_SERVER, "x", {"rpc.system.name=grpc", "rpc.method=p.S/M"},
         "rpc p.S/M", NULL, IN},
        {SPAN_SERVER, "x", {"rpc.system=grpc", "rpc.service=p.S",
         "rpc.method=M"}, "rpc p.S/M", NULL, IN},
        {SPAN_SERVER, "x", {"rpc.system=grpc", "rpc.service=old",
         "rpc.method=p.S/M"}, "rpc p.S/M", NULL, IN},
        {SPAN_SERVER, "x", {"rpc.method=_OTHER", "rpc.method_original=p.S/X"},
         "rpc p.S/X", NULL, IN},
        {SPAN_SERVER, "x", {"rpc.service=p.S", "rpc.method=_OTHER"},
         "rpc p.S/_OTHER", NULL, IN},
        {SPAN_SERVER, "/p.S/M", {"rpc.system=grpc"}, "rpc p.S/M", NULL, IN},
        {SPAN_SERVER, "grpc.p.S/M", {"rpc.system=grpc"}, "rpc p.S/M", NULL,
         IN},
        /* A package may be called grpc: nothing is in front of a method. */
        {SPAN_SERVER, "grpc.p.S/M", {"rpc.system.name=grpc",
         "rpc.method=grpc.p.S/M"}, "rpc grpc.p.S/M", NULL, IN},
        {SPAN_SERVER, "x", {"rpc.system.name=grpc", "rpc.method=/grpc.p.S/M"},
         "rpc grpc.p.S/M", NULL, IN},
        {SPAN_SERVER, "S/M", {"rpc.system=grpc"}, "rpc S/M", NULL, IN},
        {SPAN_SERVER, "/p.S/M", {NULL}, "rpc p.S/M", NULL, IN},
        {SPAN_SERVER, "x", {"rpc.system=jsonrpc", "rpc.method=add"}, "rpc add",
         NULL, IN},
        {SPAN_SERVER, "x", {"rpc.method=p.S/M", "http.request.method=POST",
         "http.route=/p.S/M"}, "rpc p.S/M", NULL, IN},
        {SPAN_SERVER, "x y", {"rpc.system=grpc"}, "service s", NULL, IN},
    };
    /* clang-format on */

    CHECK(rows);
}

static void
functions_are_endpoints_when_nothing_else_is(void **state)
{
    struct fixture *f = *state;
    /* clang-format off */
    static const struct row rows[] = {
        {SPAN_SERVER, "x", {"faas.trigger=timer", "faas.name=fn"}, "rpc fn",
         NULL, IN},
        {SPAN_CONSUMER, "x", {"faas.trigger=pubsub", "faas.name=fn"}, "rpc fn",
         NULL, IN},
        {SPAN_SERVER, "x", {"faas.name=fn", "http.method=GET",
         "http.route=/a"}, "route GET /a", NULL, IN},
    };
    /* clang-format on */

    CHECK(rows);
    set_all(&f->resource,
            (const char *const[]){"service.name=s", "faas.name=res", NULL});
    set_all(&f->attrs, (const char *const[]){"faas.trigger=timer", NULL});
    struct stub stub = send(f, (struct span){.kind = SPAN_SERVER});
    check_node(f, "faas", stub.endpoint, "rpc res");
}

static void
distinct_paths_are_bounded_and_estimated(void **state)
{
    struct fixture *f = *state;
    char pair[64];
    uint32_t other = 0;

    set_all(&f->resource, (const char *const[]){"service.name=s", NULL});
    for (unsigned i = 0; i < 100000; i++) {
        size_t len = (size_t)snprintf(pair, sizeof(pair), "url.path=/");
        for (unsigned n = i + 400000; n; n /= 13)
            pair[len++] = (char)('g' + n % 13);
        pair[len] = '\0';
        set_all(&f->attrs,
                (const char *const[]){"http.method=GET", pair, NULL});
        struct stub stub = send(f, (struct span){.kind = SPAN_SERVER});
        if (i >= 3000)
            other = stub.endpoint;
    }
    check_node(f, "flood", other, "route {other}");
    assert_true(nodes_len(f->nodes) < 3010);
    assert_in_range(nodes_overflow_estimate(f->nodes, other), 97000 * 97 / 100,
                    97000 * 103 / 100);
}

static void
values_in_paths_become_variables(void **state)
{
    struct fixture *f = *state;
    static const char *const names[] = {"ann", "bob", "cyd", "dan",
                                        "eve", "fay", "gil"};
    char pair[64];
    uint32_t first = 0;
    uint32_t last = 0;

    set_all(&f->resource, (const char *const[]){"service.name=s", NULL});
    for (size_t i = 0; i < 7; i++) {
        (void)snprintf(pair, sizeof(pair), "url.path=/users/%s/cart", names[i]);
        set_all(&f->attrs,
                (const char *const[]){"http.method=GET", pair, NULL});
        last = send(f, (struct span){.kind = SPAN_SERVER}).endpoint;
        first = i == 0 ? last : first;
    }
    check_node(f, "first", first, "route GET /users/ann/cart");
    check_node(f, "last", last, "route GET /users/{}/cart");
    assert_int_equal(nodes_get(f->nodes, first).alias, last);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(http_servers_by_old_and_new_attributes),
        TEST(each_route_says_how_it_was_found),
        TEST(a_route_that_is_a_mount_is_told_by_its_path),
        TEST(mounts_are_learnt_from_routes),
        TEST(what_is_told_in_part_is_the_declared_route_of_the_path),
        TEST(a_404_with_the_root_as_its_route_has_none),
        TEST(a_404_with_every_path_as_its_route_has_none),
        TEST(answers_that_deny_are_marked_and_404_makes_no_route),
        TEST(rpc_answers_that_deny_are_marked),
        TEST(rpc_servers_by_old_and_new_attributes),
        TEST(functions_are_endpoints_when_nothing_else_is),
        TEST(distinct_paths_are_bounded_and_estimated),
        TEST(values_in_paths_become_variables),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
