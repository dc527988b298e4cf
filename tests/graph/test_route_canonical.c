#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/routes.h"

struct row {
    const char *pattern;
    const char *with;    /* variant 0 */
    const char *without; /* variant 1, or NULL: there is none */
};

static void
check(const struct row *row)
{
    struct buf out = {0};
    const char *want[] = {row->with, row->without, NULL};

    for (unsigned variant = 0; variant < 3; variant++) {
        buf_reset(&out);
        bool is = route_canonical(str_of(row->pattern), variant, &out);
        if (is != (want[variant] != NULL))
            fail_msg("%s: variant %u %s", row->pattern, variant,
                     is ? buf_cstr(&out) : "is missing");
        if (is && strcmp(buf_cstr(&out), want[variant]) != 0)
            fail_msg("%s: variant %u is %s, not %s", row->pattern, variant,
                     buf_cstr(&out), want[variant]);
    }
    buf_fini(&out);
}

#define CHECK_ALL(rows)                                           \
    do {                                                          \
        for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) \
            check(&(rows)[i]);                                    \
    } while (0)

static void
slashes_and_case_are_canonical(void **state)
{
    static const struct row rows[] = {
        {"", "/", NULL},
        {"/", "/", NULL},
        {"//", "/", NULL},
        {"users", "/users", NULL},
        {"/users/", "/users", NULL},
        {"//users///all//", "/users/all", NULL},
        {"/Users/AllOfThem", "/Users/AllOfThem", NULL},
        {"GET /users/{id}", "/users/{}", NULL},
        {"POST  users/{id}", "/users/{}", NULL},
        {"GET example.com/p/{id}", "/p/{}", NULL},
        {"https://example.com:8443/p/{id}", "/p/{}", NULL},
        {"/search?q={q}", "/search", NULL},
        {"shop/^list/<int:id>", "/shop/list/{}", NULL},
        {"^shop/^list/", "/shop/list", NULL},
        {"/caf\xc3\xa9/{id}", "/caf\xc3\xa9/{}", NULL},
    };

    (void)state;
    CHECK_ALL(rows);
}

static void
express_koa_gin_echo_chi(void **state)
{
    static const struct row rows[] = {
        {"/toto/:id", "/toto/{}", NULL},
        {"/users/:id?", "/users/{}", "/users"},
        {"/users/:id(\\d+)", "/users/{}", NULL},
        {"/users/:id(\\d+)?", "/users/{}", "/users"},
        {"/files/:path(.*)", "/files/{**}", NULL},
        {"/files/:path*", "/files/{**}", "/files"},
        {"/files/:path+", "/files/{**}", NULL},
        {"/flights/:from-:to", "/flights/{}-{}", NULL},
        {"/files/:name.:ext?", "/files/{}.{}", "/files/{}"},
        {"/a/*", "/a/{**}", NULL},
        {"*", "/{**}", NULL},
        {"(.*)", "/{**}", NULL},
        {"/a/(.*)", "/a/{**}", NULL},
        {"/a/.*", "/a/{**}", NULL},
        {"/a/.+/b", "/a/{**}/b", NULL},
        {"/a/.well-known", "/a/.well-known", NULL},
        {"/a/*/b", "/a/{}/b", NULL},
        {"/a/**/b", "/a/{**}/b", NULL},
        {"/a/*any", "/a/{**}", NULL},
        {"/users{/:id}", "/users/{}", "/users"},
        {"/users{/:id}/delete", "/users/{}/delete", NULL},
        {"/files/{*splat}", "/files/{**}", NULL},
        {"/{*splat}", "/{**}", NULL},
        {"/posts/:id{[0-9]+}", "/posts/{}", NULL},
        {"/posts/:file{.+\\.png}", "/posts/{**}", NULL},
        {"/v1/users:batchGet", "/v1/users:batchGet", NULL},
        {"/v1/{name=projects/*}:cancel", "/v1/projects/{}:cancel", NULL},
        {"/v1/{name=**}", "/v1/{**}", NULL},
        {"/articles/{slug:[a-z-]+}", "/articles/{}", NULL},
    };

    (void)state;
    CHECK_ALL(rows);
}

static void
braces_of_openapi_fastapi_spring_jaxrs_go(void **state)
{
    static const struct row rows[] = {
        {"/items/{id}", "/items/{}", NULL},
        {"/items/{ id }", "/items/{}", NULL},
        {"/items/{id:[0-9]{3}}", "/items/{}", NULL},
        {"/items/{id: \\d+}", "/items/{}", NULL},
        {"/files/{path:path}", "/files/{**}", NULL},
        {"/files/{path: .*}", "/files/{**}", NULL},
        {"/files/{rest:.+}", "/files/{**}", NULL},
        {"/files/{tail:.*}", "/files/{**}", NULL},
        {"/files/{tail:*}", "/files/{**}", NULL},
        {"/files/**", "/files/{**}", NULL},
        {"/files/{*path}", "/files/{**}", NULL},
        {"/files/{pathname...}", "/files/{**}", NULL},
        {"/posts/{$}", "/posts", NULL},
        {"/{$}", "/", NULL},
        {"/{id}.json", "/{}.json", NULL},
        {"/v{version}/x", "/v{}/x", NULL},
        {"/a-{b}", "/a-{}", NULL},
        {"/odata/Products({key})", "/odata/Products({})", NULL},
        {"/q{?page,size}", "/q", NULL},
        {"/files/{+path}", "/files/{**}", NULL},
        {"/{a}{b}", "/{}", NULL},
        {"/hapi/{p*}", "/hapi/{**}", NULL},
        {"/hapi/{p*2}", "/hapi/{**}", NULL},
        {"/hapi/{p?}", "/hapi/{}", "/hapi"},
        {"/lambda/{proxy+}", "/lambda/{**}", NULL},
        {"/ktor/{...}", "/ktor/{**}", NULL},
        {"/actuator/health/**", "/actuator/health/{**}", NULL},
    };

    (void)state;
    CHECK_ALL(rows);
}

static void
aspnet_symfony_laravel_rust(void **state)
{
    static const struct row rows[] = {
        {"users/{id:int}", "/users/{}", NULL},
        {"users/{id?}", "/users/{}", "/users"},
        {"users/{id:int?}", "/users/{}", "/users"},
        {"users/{id:min(1)?}", "/users/{}", "/users"},
        {"users{id: (/[0-9]+)?}", "/users{}", "/users"},
        {"users/{id: [0-9]+(/x)?}", "/users/{}", NULL},
        {"users/{id:(a)(b)?}", "/users/{}", NULL},
        {"users/{id:regex(^\\d{{3}}$)}", "/users/{}", NULL},
        {"files/{*rest}", "/files/{**}", NULL},
        {"files/{**rest}", "/files/{**}", NULL},
        {"files/{name}.{ext?}", "/files/{}.{}", "/files/{}"},
        {"{controller=Home}/{action=Index}/{id?}", "/{}/{}/{}", "/{}/{}"},
        {"/blog/{page<\\d+>}", "/blog/{}", NULL},
        {"/blog/{page<\\d+>?1}", "/blog/{}", "/blog"},
        {"/doc/{path<.+>}", "/doc/{**}", NULL},
        {"users/{user}/posts", "/users/{}/posts", NULL},
        {"/axum/{*rest}", "/axum/{**}", NULL},
        {"/axum/:id", "/axum/{}", NULL},
        {"/rocket/<id>/<rest..>", "/rocket/{}/{**}", NULL},
        {"/play/$id<[0-9]+>", "/play/{}", NULL},
        {"/play/*file", "/play/{**}", NULL},
    };

    (void)state;
    CHECK_ALL(rows);
}

static void
flask_django_tornado_bottle(void **state)
{
    static const struct row rows[] = {
        {"/hello/<int:helloid>", "/hello/{}", NULL},
        {"/hello/<name>", "/hello/{}", NULL},
        {"/hello/<string(length=2):lang>", "/hello/{}", NULL},
        {"/files/<path:p>", "/files/{**}", NULL},
        {"/files/<p:path>", "/files/{**}", NULL},
        {"/files/<p:re:.+>", "/files/{**}", NULL},
        {"users/<int:id>/", "/users/{}", NULL},
        {"^traced/", "/traced", NULL},
        {"^articles/(?P<year>[0-9]{4})/$", "/articles/{}", NULL},
        {"^api/^users/(?P<pk>[^/.]+)/$", "/api/users/{}", NULL},
        {"^users\\.(?P<format>[a-z0-9]+)/?$", "/users.{}", NULL},
        {"^media/(?P<path>.*)$", "/media/{**}", NULL},
        {"^comments/(?:page-(?P<n>\\d+)/)?$", "/comments/page-{}", "/comments"},
        {"^a/\\d+/b$", "/a/{}/b", NULL},
        {"^a\\/(\\w+)\\/?$", "/a/{}", NULL},
        {"\\Aa/(?P<x>\\d{1,3})\\Z", "/a/{}", NULL},
        {"^(?i)case/(?=x)(foo|bar)$", "/case/{}", NULL},
        {"^.*$", "/{**}", NULL},
        {"/^\\/files\\/(\\d+)\\.txt$/", "/files/{}.txt", NULL},
        {"/api/:v/^\\/files\\/(.*)$/i", "/api/{}/files/{**}", NULL},
        {"/^\\/a\\/", "/^/a", NULL}, /* its slash is escaped: no regex */
        {"/story/([0-9]+)", "/story/{}", NULL},
        {"/story/[0-9]+/x", "/story/{}/x", NULL},
        {"(?P<id>..)", "/{}", NULL},
    };

    (void)state;
    CHECK_ALL(rows);
}

static void
rails_sinatra_next_svelte(void **state)
{
    static const struct row rows[] = {
        {"/items/:id(.:format)", "/items/{}", NULL},
        {"/items(/:page)(.:format)", "/items/{}", "/items"},
        {"(/:locale)/users", "/{}/users", NULL},
        {"(:locale)/users", "/{}/users", NULL},
        {"/pages/*rest", "/pages/{**}", NULL},
        {"/books/*section/:title", "/books/{**}/{}", NULL},
        {"/api/v1/foo/:myname/?", "/api/v1/foo/{}", NULL},
        {"/api/products/[productId]", "/api/products/{}", NULL},
        {"/docs/[...slug]", "/docs/{**}", NULL},
        {"/docs/[[...slug]]", "/docs/{**}", "/docs"},
        {"/[[lang]]/about", "/{}/about", NULL},
        {"/(marketing)/about", "/about", NULL},
    };

    (void)state;
    CHECK_ALL(rows);
}

static void
broken_patterns_are_text(void **state)
{
    static const struct row rows[] = {
        {"/a{b", "/a{b", NULL}, {"/a<b", "/a<b", NULL}, {"/a[b", "/a[b", NULL},
        {"/a(b", "/a(b", NULL}, {"/a}b", "/a}b", NULL}, {"/a:", "/a:", NULL},
        {"/:", "/:", NULL},     {"/a\\", "/a", NULL},   {"/{}", "/{}", NULL},
        {"/()", "/", NULL},     {"/a$", "/a", NULL},    {"^", "/", NULL},
        {"^$", "/", NULL},
    };

    (void)state;
    CHECK_ALL(rows);
}

/* What is canonical is its own canonical form. */
static void
canonical_is_a_fixed_point(void **state)
{
    static const char *const patterns[] = {"/",        "/a/{}",  "/a/{**}",
                                           "/{}.json", "/v{}/x", "/a/{**}/{}"};
    struct row row = {0};

    (void)state;
    for (size_t i = 0; i < sizeof(patterns) / sizeof(*patterns); i++) {
        row.pattern = row.with = patterns[i];
        check(&row);
    }
}

/* Any bytes give some path, in bounds, quickly. */
static void
hostile_patterns_are_bounded(void **state)
{
    static const char signs[] = "/{}[]()<>:*?+.^$\\|a1-=,%? P";
    uint64_t rng = 42;
    char text[2000];
    struct buf out = {0};

    (void)state;
    for (int turn = 0; turn < 20000; turn++) {
        size_t len = turn % 100 ? (size_t)turn % 61 : sizeof(text);
        for (size_t i = 0; i < len; i++) {
            rng = rng * UINT64_C(6364136223846793005) + 1442695040888963407;
            text[i] = signs[(rng >> 33) % (sizeof(signs) - 1)];
        }
        char *exact = malloc(len ? len : 1); /* so that ASan sees its end */
        memcpy(exact, text, len);
        for (unsigned variant = 0; variant < 2; variant++) {
            buf_reset(&out);
            if (!route_canonical((str){exact, len}, variant, &out))
                continue;
            assert_true(out.len >= 1 && out.len <= 5000);
            assert_int_equal(out.ptr[0], '/');
            assert_true(out.len == 1 || out.ptr[out.len - 1] != '/');
        }
        free(exact);
    }
    memset(text, '(', sizeof(text));
    buf_reset(&out);
    assert_true(route_canonical((str){text, sizeof(text)}, 0, &out));
    for (size_t i = 0; i < sizeof(text); i++)
        text[i] = i < sizeof(text) / 2 ? '{' : '}';
    assert_true(route_canonical((str){text, sizeof(text)}, 0, &out));
    buf_fini(&out);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slashes_and_case_are_canonical),
        cmocka_unit_test(express_koa_gin_echo_chi),
        cmocka_unit_test(braces_of_openapi_fastapi_spring_jaxrs_go),
        cmocka_unit_test(aspnet_symfony_laravel_rust),
        cmocka_unit_test(flask_django_tornado_bottle),
        cmocka_unit_test(rails_sinatra_next_svelte),
        cmocka_unit_test(broken_patterns_are_text),
        cmocka_unit_test(canonical_is_a_fixed_point),
        cmocka_unit_test(hostile_patterns_are_bounded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
