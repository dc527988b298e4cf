/*
 * The cases X8 to X12 of the specification, each with the facts it names: what
 * could have been seen at all.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "tests/support/audit_scene.h"

static void
x8_a_service_without_spans_is_not_observable(void **state)
{
    struct scene *s = scene_of(0, 1);

    (void)state;
    scene_declare(s, "GET", "/a");
    scene_declare(s, "GET", "/b");
    scene_audit(s);
    assert_int_equal(s->audit.by_verdict[VERDICT_NOT_OBSERVABLE], 2);
    assert_true(scene_has(scene_route(s, "GET", "/a", ""), AUDIT_NO_SPANS));
    scene_end(s);
}

static void
a_service_that_fell_silent_is_not_observable(void **state)
{
    struct scene *s = scene_of(0, 1);
    uint32_t route = db_route(&s->db, s->shop, "GET /");
    uint32_t seen = db_edge(&s->db, 0, s->shop, EDGE_SEEN, 1);
    uint32_t traffic = db_edge(&s->db, 0, route, EDGE_TRAFFIC, 1);

    (void)state;
    db_daily(&s->db, seen, TODAY - 100, TODAY - 50, 9, 1);
    db_daily(&s->db, traffic, TODAY - 100, TODAY - 50, 9, 1);
    scene_declare(s, "GET", "/");
    scene_declare(s, "GET", "/other");
    scene_audit(s);
    scene_expect(s, "GET", "/", VERDICT_NOT_OBSERVABLE, TRUST_NONE);
    assert_true(scene_has(scene_route(s, "GET", "/other", ""), AUDIT_SILENT));
    scene_end(s);
}

static void
x9_spans_that_never_name_a_route_are_not_observable(void **state)
{
    struct scene *s = scene_of(0, 1);
    uint32_t other = db_route(&s->db, s->shop, "GET {other}");
    uint32_t guess = db_route(&s->db, s->shop, "GET /x/{}");
    uint32_t seen = db_edge(&s->db, 0, s->shop, EDGE_SEEN, 1);
    uint32_t a = db_edge(&s->db, 0, other, EDGE_TRAFFIC, 1);
    uint32_t b = db_edge(&s->db, 0, guess, EDGE_TRAFFIC, 1);

    (void)state;
    db_source(&s->db, guess, ROUTE_SOURCE_HEURISTIC);
    db_daily(&s->db, seen, TODAY - 60, TODAY, 9, 1);
    db_daily(&s->db, a, TODAY - 60, TODAY, 9, 1);
    db_daily(&s->db, b, TODAY - 60, TODAY, 9, 1);
    scene_declare(s, "GET", "/old");
    scene_audit(s);
    const struct audit_route *old =
        scene_expect(s, "GET", "/old", VERDICT_NOT_OBSERVABLE, TRUST_NONE);
    assert_true(scene_has(old, AUDIT_NO_ROUTES));
    scene_expect(s, "GET", "/x/{}", VERDICT_ACTIVE, TRUST_HIGH);
    scene_end(s);
}

/* Of {other} a silent route may be a part; what was not found is none. */
static void
what_was_not_found_weakens_no_silence(void **state)
{
    (void)state;
    for (int lumped = 0; lumped < 2; lumped++) {
        struct scene *s = scene_of(0, 1);
        uint32_t rest = db_route(&s->db, s->shop,
                                 lumped ? "GET {other}" : "GET {unmatched}");
        uint32_t route = db_route(&s->db, s->shop, "GET /");
        uint32_t seen = db_edge(&s->db, 0, s->shop, EDGE_SEEN, 1);
        uint32_t a = db_edge(&s->db, 0, route, EDGE_TRAFFIC, 1);
        uint32_t b = db_edge(&s->db, 0, rest, EDGE_TRAFFIC, 1);

        db_fixture_sql(&s->db, "UPDATE node SET source = %d WHERE id = %u",
                       ROUTE_SOURCE_OVERFLOW, rest);
        db_daily(&s->db, seen, TODAY - 60, TODAY, 9, 1);
        db_daily(&s->db, a, TODAY - 60, TODAY, 9, 1);
        db_daily(&s->db, b, TODAY - 60, TODAY, 9, 1);
        scene_declare(s, "GET", "/old");
        scene_audit(s);
        const struct audit_route *old = scene_route(s, "GET", "/old", "");
        assert_int_equal(old->verdict, VERDICT_NEVER_OBSERVED);
        assert_int_equal(scene_has(old, AUDIT_OVERFLOW), lumped == 1);
        assert_int_equal(old->trust == TRUST_LOW, lumped == 1);
        scene_end(s);
    }
}

static void
x9_spans_without_any_route_show_that_the_service_lives(void **state)
{
    struct scene *s = scene_of(0, 1);
    uint32_t seen = db_edge(&s->db, 0, s->shop, EDGE_SEEN, 1);
    uint32_t traffic = db_edge(&s->db, 0, s->shop, EDGE_TRAFFIC, 1);

    (void)state;
    db_daily(&s->db, seen, TODAY - 60, TODAY, 9, 1);
    db_daily(&s->db, traffic, TODAY - 60, TODAY, 9, 1);
    scene_declare(s, "GET", "/old");
    scene_audit(s);
    const struct audit_route *old =
        scene_expect(s, "GET", "/old", VERDICT_NOT_OBSERVABLE, TRUST_NONE);
    assert_true(scene_has(old, AUDIT_NO_ROUTES));
    assert_true(old->coverage > 0);
    scene_end(s);
}

static void
spans_without_a_route_could_have_been_any_route(void **state)
{
    struct scene *s = scene_of(60, 1);
    uint32_t traffic = db_edge(&s->db, 0, s->shop, EDGE_TRAFFIC, 1);

    (void)state;
    db_daily(&s->db, traffic, TODAY - 60, TODAY, INT64_C(216), 1);
    scene_declare(s, "GET", "/old");
    scene_audit(s);
    const struct audit_route *old =
        scene_expect(s, "GET", "/old", VERDICT_NEVER_OBSERVED, TRUST_LOW);
    assert_true(scene_has(old, AUDIT_UNTRUSTED));
    scene_end(s);
}

/* A few are enough, but only for what may have no name. */
static void
spans_without_a_route_may_be_of_the_root(void **state)
{
    (void)state;
    for (uint32_t days_ago = 10; days_ago <= 40; days_ago += 30) {
        struct scene *s = scene_of(0, 1);
        uint32_t route = db_route(&s->db, s->shop, "GET /live");
        uint32_t seen = db_edge(&s->db, 0, s->shop, EDGE_SEEN, 1);
        uint32_t named = db_edge(&s->db, 0, route, EDGE_TRAFFIC, 1);
        uint32_t nameless = db_edge(&s->db, 0, s->shop, EDGE_TRAFFIC, 1);
        uint32_t day = TODAY - days_ago;
        bool in_window = days_ago == 10;

        db_daily(&s->db, seen, TODAY - 60, TODAY, 9, 1);
        db_daily(&s->db, named, TODAY - 60, TODAY, 9, 1);
        db_daily(&s->db, nameless, day, day, 1, 1);
        scene_declare(s, "GET", "/");
        scene_declare(s, "GET", "/old");
        scene_audit(s);
        const struct audit_route *root = scene_expect(
            s, "GET", "/",
            in_window ? VERDICT_NOT_OBSERVABLE : VERDICT_NEVER_OBSERVED,
            in_window ? TRUST_NONE : TRUST_HIGH);
        assert_int_equal(scene_has(root, AUDIT_NO_ROUTES), in_window);
        scene_expect(s, "GET", "/old", VERDICT_NEVER_OBSERVED, TRUST_HIGH);
        scene_end(s);
    }
}

static void
x10_declared_yesterday_is_too_new(void **state)
{
    struct scene *s = scene_of(60, 1);

    (void)state;
    db_declare(&s->db, s->shop, "GET", "/fresh", FIXTURE_NOW_S - S_PER_DAY);
    scene_audit(s);
    scene_expect(s, "GET", "/fresh", VERDICT_TOO_NEW, TRUST_NONE);
    scene_end(s);
}

static void
the_first_import_makes_no_route_new(void **state)
{
    struct scene *s = scene_of(60, 1);

    (void)state;
    db_fixture_sql(&s->db, "UPDATE route SET created_s = %u", FIXTURE_NOW_S);
    db_declare(&s->db, s->shop, "GET", "/old", FIXTURE_NOW_S);
    scene_audit(s);
    scene_expect(s, "GET", "/old", VERDICT_NEVER_OBSERVED, TRUST_HIGH);
    scene_end(s);
}

static void
new_paths_of_all_routes_are_no_first_import(void **state)
{
    struct scene *s = scene_of(60, 1);

    (void)state;
    scene_declare(s, "GET", "/v1/old");
    db_fixture_sql(&s->db, "UPDATE route SET removed_s = %u", FIXTURE_NOW_S);
    db_declare(&s->db, s->shop, "GET", "/v2/old", FIXTURE_NOW_S - S_PER_H);
    scene_audit(s);
    assert_null(scene_route(s, "GET", "/v1/old", ""));
    scene_expect(s, "GET", "/v2/old", VERDICT_TOO_NEW, TRUST_NONE);
    scene_end(s);
}

/* A document's are those of each environment; rows of the code give way to
 * rows of these. */
static void
new_paths_of_a_document_are_new_in_each_environment(void **state)
{
    (void)state;
    for (int is_code = 0; is_code <= 1; is_code++) {
        struct scene *s = scene_of(0, 1);
        uint32_t prod = db_node(&s->db, NODE_SERVICE, 0, "shop", "prod");

        scene_service(s, prod, TODAY - 60, 1);
        db_fixture_sql(&s->db, "DELETE FROM route");
        scene_declare(s, "GET", "/v1/old");
        db_fixture_sql(&s->db, "UPDATE route SET removed_s = %u",
                       FIXTURE_NOW_S);
        if (is_code)
            db_fixture_sql(&s->db, "UPDATE route SET origin = 'code:t'");
        db_declare(&s->db, is_code ? prod : s->shop, "GET", "/v2/old",
                   FIXTURE_NOW_S - S_PER_H);
        scene_audit(s);
        scene_check(scene_route(s, "GET", "/v2/old", "prod"),
                    is_code ? VERDICT_NEVER_OBSERVED : VERDICT_TOO_NEW,
                    is_code ? TRUST_HIGH : TRUST_NONE);
        scene_end(s);
    }
}

static void
x11_a_gap_of_ten_days_lowers_coverage_and_trust(void **state)
{
    struct scene *s = scene_of(60, 1);

    (void)state;
    db_fixture_sql(&s->db, "DELETE FROM edge_day WHERE day BETWEEN %d AND %d",
                   TODAY - 19, TODAY - 10);
    scene_declare(s, "GET", "/old");
    scene_audit(s);
    const struct audit_route *old =
        scene_expect(s, "GET", "/old", VERDICT_NEVER_OBSERVED, TRUST_MEDIUM);
    assert_true(old->coverage > 0.65 && old->coverage < 0.68);
    scene_end(s);
}

/* Whether |down_s| in one hour of 30 days weaken what is said of a route. */
static bool
is_weakened_by(uint32_t down_s)
{
    struct scene *s = scene_of(60, 1);
    uint32_t hour_s = (TODAY - 3) * S_PER_DAY;

    db_fixture_sql(&s->db, "INSERT INTO uptime VALUES (%u, %u), (%u, %u)",
                   hour_s - 40 * S_PER_DAY, hour_s + 600, hour_s + 600 + down_s,
                   FIXTURE_NOW_S);
    scene_declare(s, "GET", "/old");
    scene_audit(s);
    const struct audit_route *old = scene_route(s, "GET", "/old", "");
    bool is_noted = scene_has(old, AUDIT_DOWNTIME);

    scene_check(old, VERDICT_NEVER_OBSERVED,
                is_noted ? TRUST_MEDIUM : TRUST_HIGH);
    assert_true(old->coverage < 1);
    scene_end(s);
    return is_noted;
}

static void
downtime_inside_an_observed_hour_is_taken_off(void **state)
{
    (void)state;
    assert_true(is_weakened_by(2600)); /* a thousandth of 30 days is 2592 s */
}

static void
restarts_leave_the_evidence_as_it_is(void **state)
{
    (void)state;
    assert_false(is_weakened_by(2580));
}

static void
x12_lost_spans_lower_trust(void **state)
{
    struct scene *s = scene_of(60, 1);

    (void)state;
    db_fixture_sql(&s->db, "INSERT INTO loss VALUES (%d, 'evicted', 3)",
                   TODAY - 2);
    scene_declare(s, "GET", "/old");
    scene_audit(s);
    const struct audit_route *old =
        scene_expect(s, "GET", "/old", VERDICT_NEVER_OBSERVED, TRUST_MEDIUM);
    assert_true(scene_has(old, AUDIT_LOSS));
    assert_int_equal(s->audit.lost, 3);
    scene_end(s);
}

/* A tool of MCP, a function and a method of JSON-RPC are called, but show no
 * method of an RPC service, nor are they a route that is called alike. */
static void
what_is_called_by_no_rpc_service_proves_nothing_of_one(void **state)
{
    struct scene *s = scene_of(60, 1);
    static const char *const called[] = {"tools/list", "orders",
                                         "tools/call add", "tools/call old"};

    (void)state;
    for (size_t i = 0; i < sizeof(called) / sizeof(called[0]); i++) {
        uint32_t rpc = db_node(&s->db, NODE_RPC, s->shop, called[i], "");
        uint32_t calls = db_edge(&s->db, 0, rpc, EDGE_TRAFFIC, 1);
        db_fixture_sql(&s->db, "UPDATE node SET source = %d WHERE id = %u",
                       strchr(called[i], '/') ? ROUTE_SOURCE_HEURISTIC
                                              : ROUTE_SOURCE_NONE,
                       rpc);
        db_daily(&s->db, calls, TODAY - 60, TODAY - (i == 3 ? 40 : 0), 100, 1);
        db_times(&s->db, calls, (TODAY - 60) * S_PER_DAY,
                 i == 3 ? (TODAY - 40) * S_PER_DAY : FIXTURE_NOW_S);
    }
    scene_declare(s, "", "shop.Cart/Remove");
    scene_declare(s, "GET", "/orders");
    scene_declare(s, "ANY", "/add");
    scene_audit(s);
    scene_expect(s, "", "shop.Cart/Remove", VERDICT_NOT_OBSERVABLE, TRUST_NONE);
    scene_expect(s, "GET", "/orders", VERDICT_NEVER_OBSERVED, TRUST_HIGH);
    scene_expect(s, "ANY", "/add", VERDICT_NEVER_OBSERVED, TRUST_HIGH);
    for (size_t i = 0; i < 3; i++)
        scene_expect(s, "", called[i], VERDICT_ACTIVE, TRUST_HIGH);
    scene_expect(s, "", called[3], VERDICT_STOPPED, TRUST_HIGH);
    scene_end(s);
}

/* An RPC method of the shop that is called by what is no RPC service, daily,
 * until |last| days ago. */
static void
call_as_asked(struct scene *s, const char *name, uint32_t last)
{
    uint32_t rpc = db_node(&s->db, NODE_RPC, s->shop, name, "");
    uint32_t calls = db_edge(&s->db, 0, rpc, EDGE_TRAFFIC, 1);

    db_source(&s->db, rpc, ROUTE_SOURCE_HEURISTIC);
    db_daily(&s->db, calls, TODAY - 60, TODAY - last, 100, 1);
    db_times(&s->db, calls, (TODAY - 60) * S_PER_DAY,
             last ? (TODAY - last) * S_PER_DAY : FIXTURE_NOW_S);
}

/* JSON-RPC names a method as the code declares it: one verdict, by the calls.
 * Of a method that is not called, they show nothing. */
static void
a_declared_method_has_the_calls_of_its_name(void **state)
{
    struct scene *s = scene_of(60, 1);

    (void)state;
    call_as_asked(s, "shop.Cart/Add", 0);
    call_as_asked(s, "shop.Cart/Old", 40);
    call_as_asked(s, "tools/call shop.Cart/Sum", 0);
    scene_declare(s, "", "shop.Cart/Add");
    scene_declare(s, "", "shop.Cart/Old");
    scene_declare(s, "", "shop.Cart/Sum");
    scene_declare(s, "GET", "/shop.Cart/Add");
    scene_audit(s);
    scene_expect(s, "", "shop.Cart/Add", VERDICT_ACTIVE, TRUST_HIGH);
    scene_expect(s, "", "shop.Cart/Old", VERDICT_STOPPED, TRUST_HIGH);
    scene_expect(s, "", "shop.Cart/Sum", VERDICT_NOT_OBSERVABLE, TRUST_NONE);
    scene_expect(s, "GET", "/shop.Cart/Add", VERDICT_NEVER_OBSERVED,
                 TRUST_HIGH);
    assert_true(scene_route(s, "", "shop.Cart/Old", "")->is_declared);
    assert_int_equal(s->audit.len, 6);
    scene_end(s);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(x8_a_service_without_spans_is_not_observable),
        cmocka_unit_test(a_service_that_fell_silent_is_not_observable),
        cmocka_unit_test(x9_spans_that_never_name_a_route_are_not_observable),
        cmocka_unit_test(what_was_not_found_weakens_no_silence),
        cmocka_unit_test(
            x9_spans_without_any_route_show_that_the_service_lives),
        cmocka_unit_test(spans_without_a_route_could_have_been_any_route),
        cmocka_unit_test(spans_without_a_route_may_be_of_the_root),
        cmocka_unit_test(x10_declared_yesterday_is_too_new),
        cmocka_unit_test(the_first_import_makes_no_route_new),
        cmocka_unit_test(new_paths_of_all_routes_are_no_first_import),
        cmocka_unit_test(new_paths_of_a_document_are_new_in_each_environment),
        cmocka_unit_test(x11_a_gap_of_ten_days_lowers_coverage_and_trust),
        cmocka_unit_test(downtime_inside_an_observed_hour_is_taken_off),
        cmocka_unit_test(restarts_leave_the_evidence_as_it_is),
        cmocka_unit_test(x12_lost_spans_lower_trust),
        cmocka_unit_test(
            what_is_called_by_no_rpc_service_proves_nothing_of_one),
        cmocka_unit_test(a_declared_method_has_the_calls_of_its_name),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
