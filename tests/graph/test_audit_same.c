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
calls(struct scene *s, const char *name, enum route_source source)
{
    uint32_t route = db_route(&s->db, s->shop, name);
    uint32_t edge = db_edge(&s->db, 0, route, EDGE_TRAFFIC, 1);

    db_fixture_sql(&s->db, "UPDATE node SET source = %d WHERE id = %u",
                   (int)source, route);
    db_daily(&s->db, edge, TODAY - 20, TODAY, 3, 1);
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
    calls(s, "GET /users/{}", ROUTE_SOURCE_ATTR);
    calls(s, "GET /items/{}", ROUTE_SOURCE_ATTR);
    scene_audit(s);
    scene_check(scene_route(s, "GET", "/users/{}", ""), VERDICT_ACTIVE,
                TRUST_HIGH);
    const struct audit_route *bare = scene_route(s, "GET", "/users", "");
    scene_check(bare, VERDICT_ACTIVE, TRUST_HIGH);
    assert_true(scene_has(bare, AUDIT_GUESSED));
    scene_check(scene_route(s, "GET", "/items", ""), VERDICT_NEVER_OBSERVED,
                TRUST_HIGH);
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
    calls(s, "GET /a/{}/{}", ROUTE_SOURCE_ATTR);
    scene_audit(s);
    scene_check(scene_route(s, "ANY", "/a/{}", ""), VERDICT_ACTIVE, TRUST_HIGH);
    scene_end(s);
}

/* Where paths were matched, it is known which of the two was called; nor does
 * a call without the part say that there was one with it. */
static void
a_part_that_is_known_to_be_left_out_clears_nothing(void **state)
{
    struct scene *s = scene_of(60, 1);

    (void)state;
    declare_raw(s, "/users/{}", "/users/{id?}");
    declare_raw(s, "/users", "/users/{id?}");
    declare_raw(s, "/items/{}", "/items/{id?}");
    declare_raw(s, "/items", "/items/{id?}");
    calls(s, "GET /users", ROUTE_SOURCE_ATTR);
    calls(s, "GET /items/{}", ROUTE_SOURCE_STATIC);
    scene_audit(s);
    scene_check(scene_route(s, "GET", "/users/{}", ""), VERDICT_NEVER_OBSERVED,
                TRUST_HIGH);
    scene_check(scene_route(s, "GET", "/items", ""), VERDICT_NEVER_OBSERVED,
                TRUST_HIGH);
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
    calls(s, "GET /user_show", ROUTE_SOURCE_ATTR);
    calls(s, "GET /p", ROUTE_SOURCE_ATTR);
    scene_audit(s);
    scene_check(scene_route(s, "GET", "/p/{}", ""), VERDICT_ACTIVE, TRUST_HIGH);
    scene_check(scene_route(s, "GET", "/users/{}", ""), VERDICT_ACTIVE,
                TRUST_HIGH);
    scene_end(s);
}

static void
what_is_told_by_its_mount_alone_is_not_accused(void **state)
{
    struct scene *s = scene_of(60, 1);

    (void)state;
    scene_declare(s, "GET", "/sub/x/{}");
    scene_declare(s, "POST", "/sub/x");
    scene_declare(s, "GET", "/subway");
    calls(s, "GET /sub", ROUTE_SOURCE_ATTR);
    scene_audit(s);
    const struct audit_route *below = scene_route(s, "GET", "/sub/x/{}", "");
    scene_check(below, VERDICT_NOT_OBSERVABLE, TRUST_NONE);
    assert_true(scene_has(below, AUDIT_NO_ROUTES));
    scene_check(scene_route(s, "GET", "/sub", ""), VERDICT_ACTIVE, TRUST_HIGH);
    scene_check(scene_route(s, "POST", "/sub/x", ""), VERDICT_NEVER_OBSERVED,
                TRUST_HIGH);
    scene_check(scene_route(s, "GET", "/subway", ""), VERDICT_NEVER_OBSERVED,
                TRUST_HIGH);
    scene_end(s);
}

static void
a_prefix_is_no_mount_where_one_below_is_told(void **state)
{
    struct scene *s = scene_of(60, 1);

    (void)state;
    scene_declare(s, "GET", "/api/users/{}");
    scene_declare(s, "GET", "/api/old");
    calls(s, "GET /api", ROUTE_SOURCE_ATTR);
    calls(s, "GET /api/users/{}", ROUTE_SOURCE_ATTR);
    scene_audit(s);
    scene_check(scene_route(s, "GET", "/api/old", ""), VERDICT_NEVER_OBSERVED,
                TRUST_HIGH);
    scene_check(scene_route(s, "GET", "/api", ""), VERDICT_UNDOCUMENTED,
                TRUST_HIGH);
    scene_end(s);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_optional_part_is_called_with_the_pattern_it_is_of),
        cmocka_unit_test(so_it_is_where_any_method_is_declared),
        cmocka_unit_test(a_part_that_is_known_to_be_left_out_clears_nothing),
        cmocka_unit_test(a_route_and_its_name_are_one),
        cmocka_unit_test(what_is_told_by_its_mount_alone_is_not_accused),
        cmocka_unit_test(a_prefix_is_no_mount_where_one_below_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
