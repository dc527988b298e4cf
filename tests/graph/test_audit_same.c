/*
 * Spans that tell less than the declarations: a pattern declared as two routes,
 * and an application mounted into another.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "tests/support/audit_scene.h"

static void
declare_raw(struct scene *s, const char *pattern, const char *raw)
{
    scene_declare(s, "GET", pattern);
    db_fixture_sql(&s->db, "UPDATE route SET raw = %Q WHERE pattern = %Q", raw,
                   pattern);
}

static void
an_optional_part_is_called_with_the_pattern_it_is_of(void **state)
{
    struct scene *s = scene_of(60, 1);

    (void)state;
    declare_raw(s, "/users/{}", "/users/{id?}");
    declare_raw(s, "/users", "/users/{id?}");
    declare_raw(s, "/items/{}", "/items/{id}");
    declare_raw(s, "/items", "/items");
    scene_calls(s, "GET /users/{}", ROUTE_SOURCE_ATTR);
    scene_calls(s, "GET /items/{}", ROUTE_SOURCE_ATTR);
    scene_audit(s);
    scene_expect(s, "GET", "/users/{}", VERDICT_ACTIVE, TRUST_HIGH);
    const struct audit_route *bare =
        scene_expect(s, "GET", "/users", VERDICT_ACTIVE, TRUST_HIGH);
    assert_true(scene_has(bare, AUDIT_GUESSED));
    scene_expect(s, "GET", "/items", VERDICT_NEVER_OBSERVED, TRUST_HIGH);
    scene_end(s);
}

static void
so_it_is_where_any_method_is_declared(void **state)
{
    struct scene *s = scene_of(60, 1);

    (void)state;
    scene_declare(s, "ANY", "/a/{}/{}");
    scene_declare(s, "ANY", "/a/{}");
    db_fixture_sql(&s->db, "UPDATE route SET raw = '/a/{b=c}/{id?}' "
                           "WHERE method = 'ANY'");
    scene_calls(s, "GET /a/{}/{}", ROUTE_SOURCE_ATTR);
    scene_audit(s);
    scene_expect(s, "ANY", "/a/{}", VERDICT_ACTIVE, TRUST_HIGH);
    scene_end(s);
}

/* Where paths were matched, it is known which of the two was called: that one
 * is the same line of the code. */
static void
one_form_of_a_pattern_keeps_the_other_alive(void **state)
{
    struct scene *s = scene_of(60, 1);

    (void)state;
    declare_raw(s, "/users/{}", "/users/{id?}");
    declare_raw(s, "/users", "/users/{id?}");
    declare_raw(s, "/items/{}", "/items/{id?}");
    declare_raw(s, "/items", "/items/{id?}");
    declare_raw(s, "/dead/{}", "/dead/{id?}");
    declare_raw(s, "/dead", "/dead/{id?}");
    scene_calls(s, "GET /users", ROUTE_SOURCE_ATTR);
    scene_calls(s, "GET /items/{}", ROUTE_SOURCE_STATIC);
    scene_audit(s);
    scene_expect(s, "GET", "/users/{}", VERDICT_ACTIVE, TRUST_HIGH);
    scene_expect(s, "GET", "/items", VERDICT_ACTIVE, TRUST_HIGH);
    scene_expect(s, "GET", "/dead", VERDICT_NEVER_OBSERVED, TRUST_HIGH);
    scene_expect(s, "GET", "/dead/{}", VERDICT_NEVER_OBSERVED, TRUST_HIGH);
    scene_end(s);
}

static void
a_route_and_its_name_are_one(void **state)
{
    struct scene *s = scene_of(60, 1);

    (void)state;
    declare_raw(s, "/user_show", "/users/{id}");
    declare_raw(s, "/users/{}", "/users/{id}");
    declare_raw(s, "/p", "/p/{id}"); /* a name like the path's begin */
    declare_raw(s, "/p/{}", "/p/{id}");
    scene_calls(s, "GET /user_show", ROUTE_SOURCE_ATTR);
    scene_calls(s, "GET /p", ROUTE_SOURCE_ATTR);
    scene_audit(s);
    scene_expect(s, "GET", "/p/{}", VERDICT_ACTIVE, TRUST_HIGH);
    scene_expect(s, "GET", "/users/{}", VERDICT_ACTIVE, TRUST_HIGH);
    scene_end(s);
}

/* Where |pattern| is from: the code, or a document that is named. */
static void
declare_from(struct scene *s, const char *pattern, const char *origin)
{
    scene_declare(s, "GET", pattern);
    db_fixture_sql(&s->db, "UPDATE route SET origin = %Q WHERE pattern = %Q",
                   origin, pattern);
}

/* The code says what is mounted: one path is enough, and others beside it are
 * no part of it. */
static void
what_the_code_mounts_is_not_accused_and_nothing_else(void **state)
{
    struct scene *s = scene_of(60, 1);

    (void)state;
    declare_from(s, "/sub/x", "code.mounted:shop");
    declare_from(s, "/sub/beside", "code:shop");
    declare_from(s, "/sub/beside/{}", "code:shop");
    declare_from(s, "/orders/{}/legacy", "code:shop");
    declare_from(s, "/orders/{}/older", "code:shop");
    declare_from(s, "/orders-x/a", "code.mounted:shop");
    scene_calls(s, "GET /sub", ROUTE_SOURCE_ATTR);
    scene_calls(s, "GET /orders", ROUTE_SOURCE_ATTR);
    scene_audit(s);
    scene_check(scene_route(s, "GET", "/sub/x", ""), VERDICT_NOT_OBSERVABLE,
                TRUST_NONE);
    scene_check(scene_route(s, "GET", "/sub", ""), VERDICT_UNDOCUMENTED,
                TRUST_LOW);
    scene_check(scene_route(s, "GET", "/orders", ""), VERDICT_UNDOCUMENTED,
                TRUST_HIGH);
    static const char *const dead[] = {"/sub/beside", "/sub/beside/{}",
                                       "/orders/{}/legacy", "/orders/{}/older",
                                       "/orders-x/a"};
    for (size_t i = 0; i < sizeof(dead) / sizeof(dead[0]); i++)
        scene_check(scene_route(s, "GET", dead[i], ""), VERDICT_NEVER_OBSERVED,
                    TRUST_HIGH);
    scene_end(s);
}

/* A router that hands on all below a path tells it with its catch-all; one at
 * the root tells that only. */
static void
a_catch_all_and_the_root_hide_what_the_code_mounts(void **state)
{
    struct scene *s = scene_of(60, 1);

    (void)state;
    declare_from(s, "/sub/x/{}", "code.mounted:shop");
    declare_from(s, "/all/y", "openapi:shop.yaml");
    declare_from(s, "/all/z", "openapi:shop.yaml");
    scene_calls(s, "GET /sub/{**}", ROUTE_SOURCE_ATTR);
    scene_calls(s, "GET /all/{**}", ROUTE_SOURCE_ATTR);
    scene_audit(s);
    scene_check(scene_route(s, "GET", "/sub/x/{}", ""), VERDICT_NOT_OBSERVABLE,
                TRUST_NONE);
    scene_check(scene_route(s, "GET", "/all/y", ""), VERDICT_NEVER_OBSERVED,
                TRUST_HIGH);
    scene_end(s);

    s = scene_of(60, 1); /* which declares the root */
    db_fixture_sql(&s->db, "UPDATE route SET origin = 'code.mounted:shop'");
    declare_from(s, "/inner", "code.mounted:shop");
    declare_from(s, "/health", "code:shop");
    declare_from(s, "/dead", "code:shop");
    scene_calls(s, "GET /", ROUTE_SOURCE_ATTR);
    scene_calls(s, "GET /health", ROUTE_SOURCE_ATTR);
    scene_audit(s);
    scene_check(scene_route(s, "GET", "/inner", ""), VERDICT_NOT_OBSERVABLE,
                TRUST_NONE);
    scene_check(scene_route(s, "GET", "/dead", ""), VERDICT_NEVER_OBSERVED,
                TRUST_HIGH);
    scene_end(s);
}

/* The application that is mounted may have a route at its own root, by whose
 * name all of it is told. */
static void
what_is_mounted_is_hidden_by_its_own_root(void **state)
{
    struct scene *s = scene_of(60, 1);

    (void)state;
    declare_from(s, "/sub", "code.mounted:shop");
    declare_from(s, "/sub/x", "code.mounted:shop");
    declare_from(s, "/own", "code:shop");
    declare_from(s, "/own/x", "code.mounted:shop");
    scene_calls(s, "GET /sub", ROUTE_SOURCE_ATTR);
    scene_calls(s, "GET /own", ROUTE_SOURCE_ATTR);
    scene_audit(s);
    scene_check(scene_route(s, "GET", "/sub", ""), VERDICT_ACTIVE, TRUST_HIGH);
    scene_check(scene_route(s, "GET", "/sub/x", ""), VERDICT_NOT_OBSERVABLE,
                TRUST_NONE);
    scene_check(scene_route(s, "GET", "/own/x", ""), VERDICT_NEVER_OBSERVED,
                TRUST_HIGH);
    scene_end(s);
}

/* What is mounted at /api tells its names, as those of users are told: calls of
 * a collection are then no calls of what is below it.  A root of another mount,
 * and what is told elsewhere, say nothing of it. */
static void
a_collection_of_what_is_mounted_hides_nothing(void **state)
{
    struct scene *s = scene_of(60, 1);

    (void)state;
    declare_from(s, "/api/users/{}", "code.mounted:shop");
    declare_from(s, "/api/items", "code.mounted:shop");
    declare_from(s, "/api/items/{}/tags", "code.mounted:shop");
    declare_from(s, "/in/one", "code.mounted:shop");
    declare_from(s, "/in/one/x", "code.mounted:shop");
    declare_from(s, "/in/two", "code.mounted:shop");
    declare_from(s, "/in/two/{}", "code.mounted:shop");
    scene_calls(s, "GET /api/users/{}", ROUTE_SOURCE_ATTR);
    scene_calls(s, "GET /api/items", ROUTE_SOURCE_ATTR);
    scene_calls(s, "GET /in/one", ROUTE_SOURCE_ATTR);
    scene_calls(s, "GET /in/two", ROUTE_SOURCE_ATTR);
    scene_audit(s);
    scene_check(scene_route(s, "GET", "/api/items/{}/tags", ""),
                VERDICT_NEVER_OBSERVED, TRUST_HIGH);
    scene_check(scene_route(s, "GET", "/in/one/x", ""), VERDICT_NOT_OBSERVABLE,
                TRUST_NONE);
    scene_check(scene_route(s, "GET", "/in/two/{}", ""), VERDICT_NOT_OBSERVABLE,
                TRUST_NONE);
    scene_end(s);
}

/* A route at the root of what mounts others is none of theirs. */
static void
a_root_that_is_not_mounted_hides_nothing(void **state)
{
    struct scene *s = scene_of(60, 1);

    (void)state;
    declare_from(s, "/sub/x", "code.mounted:shop");
    scene_calls(s, "GET /", ROUTE_SOURCE_ATTR);
    scene_audit(s);
    scene_check(scene_route(s, "GET", "/sub/x", ""), VERDICT_NEVER_OBSERVED,
                TRUST_HIGH);
    scene_end(s);
}

static void
what_is_mounted_at_the_root_and_told_hides_nothing(void **state)
{
    struct scene *s = scene_of(60, 1);

    (void)state;
    db_fixture_sql(&s->db, "UPDATE route SET origin = 'code.mounted:shop'");
    declare_from(s, "/inner", "code.mounted:shop");
    declare_from(s, "/other", "code.mounted:shop");
    scene_calls(s, "GET /", ROUTE_SOURCE_ATTR);
    scene_calls(s, "GET /inner", ROUTE_SOURCE_ATTR);
    scene_audit(s);
    scene_check(scene_route(s, "GET", "/other", ""), VERDICT_NEVER_OBSERVED,
                TRUST_HIGH);
    scene_end(s);
}

static void
a_document_leaves_open_what_is_mounted(void **state)
{
    struct scene *s = scene_of(60, 1);

    (void)state;
    declare_from(s, "/sub/x", "openapi:shop.yaml");
    declare_from(s, "/sub/y", "list:routes.txt");
    declare_from(s, "/sub/z", "code:shop");
    scene_calls(s, "GET /sub", ROUTE_SOURCE_ATTR);
    scene_audit(s);
    scene_check(scene_route(s, "GET", "/sub/x", ""), VERDICT_NOT_OBSERVABLE,
                TRUST_NONE);
    scene_check(scene_route(s, "GET", "/sub/y", ""), VERDICT_NOT_OBSERVABLE,
                TRUST_NONE);
    scene_check(scene_route(s, "GET", "/sub/z", ""), VERDICT_NEVER_OBSERVED,
                TRUST_HIGH);
    scene_end(s);
}

static void
what_is_told_by_its_mount_alone_is_not_accused(void **state)
{
    struct scene *s = scene_of(60, 1);

    (void)state;
    scene_declare(s, "GET", "/sub/x/{}");
    scene_declare(s, "GET", "/sub/y");
    scene_declare(s, "POST", "/sub/x");
    scene_declare(s, "GET", "/subway");
    scene_calls(s, "GET /sub", ROUTE_SOURCE_ATTR);
    scene_audit(s);
    const struct audit_route *below =
        scene_expect(s, "GET", "/sub/x/{}", VERDICT_NOT_OBSERVABLE, TRUST_NONE);
    assert_true(scene_has(below, AUDIT_NO_ROUTES));
    scene_expect(s, "GET", "/sub", VERDICT_UNDOCUMENTED, TRUST_LOW);
    scene_expect(s, "POST", "/sub/x", VERDICT_NEVER_OBSERVED, TRUST_HIGH);
    scene_expect(s, "GET", "/subway", VERDICT_NEVER_OBSERVED, TRUST_HIGH);
    scene_end(s);
}

static void
a_prefix_is_no_mount_where_one_below_is_told(void **state)
{
    struct scene *s = scene_of(60, 1);

    (void)state;
    scene_declare(s, "GET", "/api/users/{}");
    scene_declare(s, "GET", "/api/old");
    scene_declare(s, "GET", "/api/older");
    scene_calls(s, "GET /api", ROUTE_SOURCE_ATTR);
    scene_calls(s, "GET /api/users/{}", ROUTE_SOURCE_ATTR);
    scene_audit(s);
    scene_expect(s, "GET", "/api/old", VERDICT_NEVER_OBSERVED, TRUST_HIGH);
    scene_expect(s, "GET", "/api", VERDICT_UNDOCUMENTED, TRUST_HIGH);
    scene_end(s);
}

static void
nor_where_one_below_was_told_before(void **state)
{
    struct scene *s = scene_of(90, 1);

    (void)state;
    scene_declare(s, "GET", "/api/old");
    scene_declare(s, "GET", "/api/older");
    scene_calls(s, "GET /api", ROUTE_SOURCE_ATTR);
    uint32_t old = scene_rhythm(s, "GET /api/old", 80, 45, 1);
    db_source(&s->db, old, ROUTE_SOURCE_ATTR);
    scene_audit(s);
    scene_expect(s, "GET", "/api/old", VERDICT_STOPPED, TRUST_HIGH);
    scene_expect(s, "GET", "/api/older", VERDICT_NEVER_OBSERVED, TRUST_HIGH);
    scene_end(s);
}

/* |told|, which may be declared or not, clears no route of being dead. */
static void
check_told(const char *told)
{
    struct scene *s = scene_of(60, 1);

    scene_declare(s, "GET", "/api/old");
    scene_declare(s, "GET", "/api/{}/older");
    scene_declare(s, "POST", "/api/{}");
    scene_calls(s, "GET /api", ROUTE_SOURCE_ATTR);
    scene_calls(s, told, ROUTE_SOURCE_ATTR);
    scene_audit(s);
    scene_expect(s, "GET", "/api/old", VERDICT_NEVER_OBSERVED, TRUST_HIGH);
    scene_expect(s, "GET", "/api/{}/older", VERDICT_NEVER_OBSERVED, TRUST_HIGH);
    scene_end(s);
}

static void
nor_where_one_is_told_that_nobody_declared_or_by_another_method(void **state)
{
    (void)state;
    check_told("GET /api/new");
    check_told("POST /api/{}");
    check_told("DELETE /api/new");
}

/* A path that was matched is told by nobody. */
static void
what_was_only_matched_does_not_tell(void **state)
{
    struct scene *s = scene_of(60, 1);

    (void)state;
    scene_declare(s, "GET", "/sub/x");
    scene_declare(s, "GET", "/sub/y");
    scene_calls(s, "GET /sub", ROUTE_SOURCE_ATTR);
    scene_calls(s, "GET /sub/wp-login.php", ROUTE_SOURCE_HEURISTIC);
    scene_audit(s);
    scene_expect(s, "GET", "/sub/x", VERDICT_NOT_OBSERVABLE, TRUST_NONE);
    scene_end(s);
}

static void
one_route_below_makes_no_mount(void **state)
{
    struct scene *s = scene_of(60, 1);

    (void)state;
    scene_declare(s, "GET", "/orders/{}/legacy");
    scene_declare(s, "ANY", "/orders/{}/legacy");
    scene_calls(s, "GET /orders", ROUTE_SOURCE_ATTR);
    scene_audit(s);
    scene_expect(s, "GET", "/orders", VERDICT_UNDOCUMENTED, TRUST_HIGH);
    scene_expect(s, "GET", "/orders/{}/legacy", VERDICT_NEVER_OBSERVED,
                 TRUST_HIGH);
    scene_end(s);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_optional_part_is_called_with_the_pattern_it_is_of),
        cmocka_unit_test(so_it_is_where_any_method_is_declared),
        cmocka_unit_test(one_form_of_a_pattern_keeps_the_other_alive),
        cmocka_unit_test(a_route_and_its_name_are_one),
        cmocka_unit_test(what_the_code_mounts_is_not_accused_and_nothing_else),
        cmocka_unit_test(a_catch_all_and_the_root_hide_what_the_code_mounts),
        cmocka_unit_test(what_is_mounted_is_hidden_by_its_own_root),
        cmocka_unit_test(a_collection_of_what_is_mounted_hides_nothing),
        cmocka_unit_test(a_root_that_is_not_mounted_hides_nothing),
        cmocka_unit_test(what_is_mounted_at_the_root_and_told_hides_nothing),
        cmocka_unit_test(a_document_leaves_open_what_is_mounted),
        cmocka_unit_test(what_is_told_by_its_mount_alone_is_not_accused),
        cmocka_unit_test(a_prefix_is_no_mount_where_one_below_is_told),
        cmocka_unit_test(nor_where_one_below_was_told_before),
        cmocka_unit_test(
            nor_where_one_is_told_that_nobody_declared_or_by_another_method),
        cmocka_unit_test(what_was_only_matched_does_not_tell),
        cmocka_unit_test(one_route_below_makes_no_mount),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
