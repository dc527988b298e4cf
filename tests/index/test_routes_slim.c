/*
 * Slim's paths with optional ends.
 */
#include "tests/index/routes_fixture.h"

LINK_LANG(php);

#define APP                            \
    "<?php\n"                          \
    "use Slim\\Factory\\AppFactory;\n" \
    "$app = AppFactory::create();\n"

static void
ends_may_begin_without_a_slash(void **state)
{
    (void)state;
    assert_routes(
        FILES({"i.php", APP "$app->get('/items[{id}]', function () {});\n"
                            "$app->get('/a[.{ext:[a-z]{2,3}}]', "
                            "function () {});\n"
                            "$app->group('/h', function ($g) {\n"
                            "    $g->get('[/{id}]', function () {});\n"
                            "});\n"}),
        "GET /items -> /items slim lambda i.php:4\n"
        "GET /items{id} -> /items{} slim lambda i.php:4\n"
        "GET /a -> /a slim lambda i.php:5\n"
        "GET /a.{ext:[a-z]{2,3}} -> /a.{} slim lambda i.php:5\n"
        "GET /h -> /h slim lambda i.php:7\n"
        "GET /h/{id} -> /h/{} slim lambda i.php:7\n");
}

static void
what_the_framework_refuses_is_not_told(void **state)
{
    (void)state;
    assert_routes(
        FILES({"i.php", APP "$app->get('/c[/d]/e', function () {});\n"
                            "$app->get('/f[', function () {});\n"
                            "$app->get('/g[]', function () {});\n"
                            "$app->get('/j]', function () {});\n"
                            "$app->get('/k[[/a]]', function () {});\n"}),
        "");
}

static void
many_ends_are_one_that_is_anything(void **state)
{
    (void)state;
    assert_routes(
        FILES({"i.php", APP "$app->get('/p[/a[/b[/c[/d[/e[/f[/g[/h"
                            "]]]]]]]]', function () {});\n"}),
        "GET /p -> /p slim lambda i.php:4\n"
        "GET /p/a -> /p/a slim lambda i.php:4\n"
        "GET /p/a/b -> /p/a/b slim lambda i.php:4\n"
        "GET /p/a/b/c -> /p/a/b/c slim lambda i.php:4\n"
        "GET /p/a/b/c/d -> /p/a/b/c/d slim lambda i.php:4\n"
        "GET /p/a/b/c/d/e -> /p/a/b/c/d/e slim lambda i.php:4\n"
        "GET /p/a/b/c/d/e/f -> /p/a/b/c/d/e/f slim lambda i.php:4\n"
        "GET /p/a/b/c/d/e/f/g -> /p/a/b/c/d/e/f/g slim lambda i.php:4\n"
        "GET /p/a/b/c/d/e/f/g/h -> /p/a/b/c/d/e/f/g/h slim lambda i.php:4\n");
    assert_routes(
        FILES({"i.php", APP "$app->get('/p[/a[/b[/c[/d[/e[/f[/g[/h"
                            "[/i]]]]]]]]]', function () {});\n"}),
        "GET /p -> /p slim lambda i.php:4\n"
        "GET /p/a -> /p/a slim lambda i.php:4\n"
        "GET /p/a/b -> /p/a/b slim lambda i.php:4\n"
        "GET /p/a/b/c -> /p/a/b/c slim lambda i.php:4\n"
        "GET /p/a/b/c/d -> /p/a/b/c/d slim lambda i.php:4\n"
        "GET /p/a/b/c/d/e -> /p/a/b/c/d/e slim lambda i.php:4\n"
        "GET /p/a/b/c/d/e/f -> /p/a/b/c/d/e/f slim lambda i.php:4\n"
        "GET /p/a/b/c/d/e/f/g -> /p/a/b/c/d/e/f/g slim lambda i.php:4\n"
        "GET /p/a/b/c/d/e/f/g/h -> /p/a/b/c/d/e/f/g/h slim lambda i.php:4\n"
        "GET /p/a/b/c/d/e/f/g/h/{rest:.*} -> /p/a/b/c/d/e/f/g/h/{**} slim "
        "lambda i.php:4\n");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_may_begin_without_a_slash),
        cmocka_unit_test(what_the_framework_refuses_is_not_told),
        cmocka_unit_test(many_ends_are_one_that_is_anything),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
