/*
 * The case X14 of the specification and what is near it: what a replaced
 * version alone serves.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "graph/audit_parts.h"
#include "tests/support/audit_scene.h"

/* scene_service gives the edge of all its spans the first number. */
enum { SEEN = 1 };

static void
x14_traffic_of_a_replaced_version_alone_is_a_zombie(void **state)
{
    struct scene *s = scene_of(60, 1);
    uint32_t route = db_route(&s->db, s->shop, "GET /v1");
    uint32_t edge = db_edge(&s->db, 0, route, EDGE_TRAFFIC, 1);
    uint32_t v1 = db_node(&s->db, NODE_VERSION, s->shop, "1.0", "");
    uint32_t v2 = db_node(&s->db, NODE_VERSION, s->shop, "2.0", "");

    (void)state;
    db_daily(&s->db, edge, TODAY - 60, TODAY, 3, 1);
    db_times(&s->db, edge, FIXTURE_NOW_S - 60 * S_PER_DAY, FIXTURE_NOW_S);
    db_fixture_sql(&s->db,
                   "INSERT INTO edge_version VALUES (1, 1, %u, %u, %u), "
                   "(%u, 1, %u, %u, %u)",
                   v2, FIXTURE_NOW_S - 5 * S_PER_DAY, FIXTURE_NOW_S, edge, v1,
                   FIXTURE_NOW_S - 60 * S_PER_DAY, FIXTURE_NOW_S);
    scene_declare(s, "GET", "/v1");
    scene_audit(s);
    const struct audit_route *zombie =
        scene_expect(s, "GET", "/v1", VERDICT_ZOMBIE, TRUST_HIGH);
    assert_int_equal(zombie->last_version, v1);
    scene_end(s);
}

/* |edge| served calls by |version| from |first| to |last| days ago. */
static void
serve(struct scene *s, uint32_t edge, uint32_t version, uint32_t first,
      uint32_t last)
{
    db_fixture_sql(&s->db,
                   "INSERT INTO edge_version VALUES (%u, 1, %u, %u, %u)", edge,
                   version, FIXTURE_NOW_S - first * S_PER_DAY,
                   FIXTURE_NOW_S - last * S_PER_DAY);
}

static uint32_t
called_daily(struct scene *s, const char *route)
{
    uint32_t edge =
        db_edge(&s->db, 0, db_route(&s->db, s->shop, route), EDGE_TRAFFIC, 1);

    db_daily(&s->db, edge, TODAY - 60, TODAY, 3, 1);
    db_times(&s->db, edge, FIXTURE_NOW_S - 60 * S_PER_DAY, FIXTURE_NOW_S);
    return edge;
}

static uint32_t
version_of(struct scene *s, const char *name)
{
    return db_node(&s->db, NODE_VERSION, s->shop, name, "");
}

/* One more than are remembered of a route, each deployed two days after the one
 * before; one route is left to the last but one. */
static void
a_new_version_every_other_day_makes_no_zombies(void **state)
{
    struct scene *s = scene_of(60, 1);
    uint32_t live = called_daily(s, "GET /live");
    uint32_t left = called_daily(s, "GET /left");

    (void)state;
    for (uint32_t i = 0; i <= ENDPOINT_VERSIONS; i++) {
        uint32_t version = version_of(s, (char[]){(char)('a' + i), 0});
        uint32_t first = 2 * (ENDPOINT_VERSIONS - i) + 2;
        uint32_t last = i == ENDPOINT_VERSIONS ? 0 : first - 2;

        serve(s, SEEN, version, first, last);
        serve(s, live, version, first, last);
        if (i < ENDPOINT_VERSIONS)
            serve(s, left, version, first,
                  i == ENDPOINT_VERSIONS - 1 ? 0 : last);
    }
    scene_declare(s, "GET", "/live");
    scene_declare(s, "GET", "/left");
    scene_audit(s);
    scene_expect(s, "GET", "/live", VERDICT_ACTIVE, TRUST_HIGH);
    scene_expect(s, "GET", "/left", VERDICT_ZOMBIE, TRUST_HIGH);
    scene_end(s);
}

static void
a_version_that_was_taken_back_replaces_none(void **state)
{
    struct scene *s = scene_of(60, 1);
    uint32_t live = called_daily(s, "GET /live");
    uint32_t old = version_of(s, "1.0");
    uint32_t bad = version_of(s, "2.0");

    (void)state;
    serve(s, SEEN, old, 60, 0);
    serve(s, SEEN, bad, 6, 5);
    serve(s, live, old, 60, 0);
    scene_declare(s, "GET", "/live");
    scene_audit(s);
    scene_expect(s, "GET", "/live", VERDICT_ACTIVE, TRUST_HIGH);
    scene_end(s);
}

/* The same from its other side: back at 1.0 for two days, after six weeks of
 * 2.0, which served what is called each week, and what only it had. */
static void
what_a_version_served_before_it_was_taken_back_is_no_zombie(void **state)
{
    struct scene *s = scene_of(60, 1);
    uint32_t back = version_of(s, "1.0");
    uint32_t taken = version_of(s, "2.0");

    (void)state;
    (void)scene_rhythm(s, "GET /weekly", 60, 4, 7);
    uint32_t weekly = s->db.edges;
    (void)scene_rhythm(s, "GET /only", 44, 2, 1);
    uint32_t only = s->db.edges;
    serve(s, SEEN, back, 60, 0);
    serve(s, SEEN, taken, 45, 2);
    serve(s, weekly, back, 60, 46);
    serve(s, weekly, taken, 39, 4);
    serve(s, only, taken, 44, 2);
    scene_declare(s, "GET", "/weekly");
    scene_declare(s, "GET", "/only");
    scene_audit(s);
    scene_expect(s, "GET", "/weekly", VERDICT_ACTIVE, TRUST_HIGH);
    scene_expect(s, "GET", "/only", VERDICT_ACTIVE, TRUST_HIGH);
    scene_end(s);
}

/* 1.0 was stopped a week after 3.0 came: it is older, and hides no zombie of
 * the 2.0 that is left. */
static void
an_older_version_that_has_gone_hides_no_zombie(void **state)
{
    struct scene *s = scene_of(60, 1);
    uint32_t odd = called_daily(s, "GET /odd");
    uint32_t gone = version_of(s, "1.0");
    uint32_t left = version_of(s, "2.0");
    uint32_t latest = version_of(s, "3.0");

    (void)state;
    db_times(&s->db, odd, FIXTURE_NOW_S - 60 * S_PER_DAY,
             FIXTURE_NOW_S - 4 * S_PER_DAY);
    serve(s, SEEN, gone, 60, 4);
    serve(s, SEEN, left, 30, 0);
    serve(s, SEEN, latest, 10, 0);
    serve(s, odd, left, 30, 4);
    scene_declare(s, "GET", "/odd");
    scene_audit(s);
    scene_expect(s, "GET", "/odd", VERDICT_ZOMBIE, TRUST_HIGH);
    scene_end(s);
}

/* An old instance that is still there is asked for something for the first
 * time. */
static void
a_route_new_to_an_old_version_deploys_nothing(void **state)
{
    struct scene *s = scene_of(60, 1);
    uint32_t live = called_daily(s, "GET /live");
    uint32_t odd = called_daily(s, "GET /odd");
    uint32_t old = version_of(s, "1.0");
    uint32_t new = version_of(s, "2.0");

    (void)state;
    serve(s, SEEN, old, 60, 0);
    serve(s, SEEN, new, 20, 0);
    serve(s, live, new, 20, 0);
    serve(s, odd, old, 3, 0);
    scene_declare(s, "GET", "/live");
    scene_declare(s, "GET", "/odd");
    scene_audit(s);
    scene_expect(s, "GET", "/live", VERDICT_ACTIVE, TRUST_HIGH);
    scene_expect(s, "GET", "/odd", VERDICT_ZOMBIE, TRUST_HIGH);
    scene_end(s);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(x14_traffic_of_a_replaced_version_alone_is_a_zombie),
        cmocka_unit_test(a_new_version_every_other_day_makes_no_zombies),
        cmocka_unit_test(a_version_that_was_taken_back_replaces_none),
        cmocka_unit_test(
            what_a_version_served_before_it_was_taken_back_is_no_zombie),
        cmocka_unit_test(an_older_version_that_has_gone_hides_no_zombie),
        cmocka_unit_test(a_route_new_to_an_old_version_deploys_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
