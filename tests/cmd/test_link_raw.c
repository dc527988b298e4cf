/*
 * What spans call a route of the code.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cmd/link_raw.h"

#define ROUTE(of_repo, of_handler, of_line, fw, text)                  \
    {                                                                  \
        .repo = (of_repo), .handler = (of_handler), .line = (of_line), \
        .framework = {fw, strlen(fw)}, .raw = {                        \
            text,                                                      \
            strlen(text)                                               \
        }                                                              \
    }

static void
a_route_of_symfony_is_the_first_path_of_its_registration(void **state)
{
    struct code_route routes[] = {
        ROUTE(1, 7, 3, "symfony", "show_cart"), /* its name */
        ROUTE(1, 7, 3, "symfony", "/panier/{id}"),
        ROUTE(1, 7, 3, "symfony", "/cart/{id}"),
        ROUTE(2, 7, 3, "symfony", "/other"), /* of another repository, */
        ROUTE(1, 7, 4, "symfony", "/line"),  /* line, */
        ROUTE(1, 8, 3, "symfony", "/hand"),  /* handler, */
        ROUTE(1, 7, 3, "slim", "/slim"),     /* framework */
        ROUTE(1, 9, 3, "symfony", "no_path"),
    };
    static const char *const expected[] = {
        "/panier/{id}", "/panier/{id}", "/panier/{id}", "/other",
        "/line",        "/hand",        "/slim",        "no_path"};
    struct code code = {.routes = routes,
                        .route_len = sizeof(routes) / sizeof(routes[0])};
    struct link_raw raws;

    (void)state;
    assert_int_equal(link_raw_make(&raws, &code), OK);
    for (uint32_t i = 0; i < code.route_len; i++)
        assert_true(
            str_eq(link_raw_of(&raws, &routes[i]), str_of(expected[i])));
    link_raw_fini(&raws);
}

static void
code_without_routes_has_none(void **state)
{
    const struct code code = {0};
    const struct code_route other = ROUTE(1, 1, 1, "symfony", "name");
    struct link_raw raws;

    (void)state;
    assert_int_equal(link_raw_make(&raws, &code), OK);
    assert_true(str_eq(link_raw_of(&raws, &other), STR("name")));
    link_raw_fini(&raws);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            a_route_of_symfony_is_the_first_path_of_its_registration),
        cmocka_unit_test(code_without_routes_has_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
