/*
 * The cases X1 to X7, X14 and X15 of the specification, each with the facts it
 * names: what was called, when and by whom.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "model/stub.h"
#include "tests/support/audit_scene.h"

static void
x1_never_hit_and_well_observed_is_never_observed(void **state)
{
    struct scene *s = scene_of(60, 1);

    (void)state;
    scene_declare(s, "GET", "/old");
    scene_audit(s);
    const struct audit_route *old =
        scene_expect(s, "GET", "/old", VERDICT_NEVER_OBSERVED, TRUST_HIGH);
    assert_true(old->coverage > 0.99);
    assert_true(old->hidden_per_day > 0.09 && old->hidden_per_day < 0.11);
    scene_expect(s, "GET", "/", VERDICT_ACTIVE, TRUST_HIGH);
    assert_ptr_equal(old, &s->audit.routes[0]);
    scene_end(s);
}

static void
x2_two_days_of_observation_are_no_verdict(void **state)
{
    struct scene *s = scene_of(2, 1);

    (void)state;
    scene_declare(s, "GET", "/old");
    scene_audit(s);
    const struct audit_route *old =
        scene_expect(s, "GET", "/old", VERDICT_INSUFFICIENT, TRUST_NONE);
    assert_true(scene_has(old, AUDIT_SHORT));
    scene_end(s);
}

static void
x3_one_percent_sampling_cannot_tell(void **state)
{
    struct scene *s = scene_of(60, 100);

    (void)state;
    scene_declare(s, "GET", "/old");
    scene_audit(s);
    const struct audit_route *old =
        scene_expect(s, "GET", "/old", VERDICT_LOW, TRUST_LOW);
    assert_true(old->keep > 0.0099 && old->keep < 0.0101);
    assert_true(old->hidden_per_day > 9);
    scene_end(s);
}

/* A year of all calls, and since the window began one in a hundred. */
static void
sampling_that_began_lately_cannot_tell_either(void **state)
{
    struct scene *s = scene_of(365, 1);
    uint32_t since = TODAY - 40;

    (void)state;
    scene_declare(s, "GET", "/old");
    db_fixture_sql(&s->db,
                   "UPDATE edge_day SET count = 1, weighted = %lld"
                   " WHERE day >= %u",
                   100 * (long long)WEIGHT_ONE, since);
    db_fixture_sql(&s->db, "UPDATE edge SET count = count - 99 * 41,"
                           " known = known - 99 * 41");
    scene_audit(s);
    const struct audit_route *old =
        scene_expect(s, "GET", "/old", VERDICT_LOW, TRUST_LOW);
    assert_true(old->keep > 0.0099 && old->keep < 0.0101);
    assert_true(old->hidden_per_day > 9);
    scene_end(s);
}

/* A year of one call in a hundred, and since the window began all. */
static void
sampling_that_ended_before_the_window_hides_nothing(void **state)
{
    struct scene *s = scene_of(365, 100);
    uint32_t since = TODAY - 40;

    (void)state;
    scene_declare(s, "GET", "/old");
    db_fixture_sql(&s->db,
                   "UPDATE edge_day SET weighted = count * %lld"
                   " WHERE day >= %u",
                   (long long)WEIGHT_ONE, since);
    db_fixture_sql(&s->db,
                   "UPDATE edge SET weighted = weighted - 99 * 41 * 100 * %lld",
                   (long long)WEIGHT_ONE);
    scene_audit(s);
    const struct audit_route *old =
        scene_expect(s, "GET", "/old", VERDICT_NEVER_OBSERVED, TRUST_HIGH);
    assert_true(old->keep > 0.9999);
    scene_end(s);
}

/* The same, but of one call in all those the weight is not known. */
static void
where_a_weight_is_unknown_the_lesser_share_counts(void **state)
{
    struct scene *s = scene_of(365, 100);

    (void)state;
    scene_declare(s, "GET", "/old");
    db_fixture_sql(&s->db,
                   "UPDATE edge_day SET weighted = count * %lld"
                   " WHERE day >= %u",
                   (long long)WEIGHT_ONE, TODAY - 40);
    db_fixture_sql(&s->db, "UPDATE edge SET known = known - 1");
    scene_audit(s);
    const struct audit_route *old =
        scene_expect(s, "GET", "/old", VERDICT_LOW, TRUST_LOW);
    assert_true(old->keep < 0.011);
    scene_end(s);
}

static void
an_unknown_sampling_rate_gives_low_trust_unless_told(void **state)
{
    struct scene *s = scene_of(60, 0);

    (void)state;
    scene_declare(s, "GET", "/old");
    scene_audit(s);
    const struct audit_route *old =
        scene_expect(s, "GET", "/old", VERDICT_NEVER_OBSERVED, TRUST_LOW);
    assert_true(scene_has(old, AUDIT_SAMPLING_UNKNOWN));
    assert_true(old->keep < 0 && old->hidden_per_day < 0);
    audit_fini(&s->audit);
    s->cfg.assume_unsampled = true;
    assert_int_equal(audit_run(s->view, &s->cfg, &s->audit), OK);
    scene_expect(s, "GET", "/old", VERDICT_NEVER_OBSERVED, TRUST_HIGH);
    scene_end(s);
}

static void
declared_rpc_methods_are_judged_by_the_calls_of_that_method(void **state)
{
    struct scene *s = scene_of(60, 1);
    static const char *const called[] = {"shop.Cart/Add", "shop.Cart/Other",
                                         "grpc.health.v1.Health/Check",
                                         "grpc.examples.Echo/Say"};

    (void)state;
    for (size_t i = 0; i < sizeof(called) / sizeof(called[0]); i++) {
        uint32_t rpc = db_node(&s->db, NODE_RPC, s->shop, called[i], "");
        uint32_t calls = db_edge(&s->db, 0, rpc, EDGE_TRAFFIC, 1);
        db_daily(&s->db, calls, TODAY - 60, TODAY, 100, 1);
        db_times(&s->db, calls, (TODAY - 60) * S_PER_DAY, FIXTURE_NOW_S);
    }
    scene_declare(s, "", "shop.Cart/Add");
    scene_declare(s, "", "shop.Cart/Remove");
    scene_audit(s);
    scene_expect(s, "", "shop.Cart/Add", VERDICT_ACTIVE, TRUST_HIGH);
    const struct audit_route *dead = scene_expect(
        s, "", "shop.Cart/Remove", VERDICT_NEVER_OBSERVED, TRUST_HIGH);
    assert_int_equal(dead->kind, NODE_RPC);
    scene_expect(s, "", "shop.Cart/Other", VERDICT_UNDOCUMENTED, TRUST_HIGH);
    /* A library's, and one that may call its package so. */
    scene_expect(s, "", called[2], VERDICT_ACTIVE, TRUST_HIGH);
    scene_expect(s, "", called[3], VERDICT_UNDOCUMENTED, TRUST_HIGH);
    scene_end(s);
}

static void
without_any_rpc_call_a_declared_rpc_method_is_not_accused(void **state)
{
    struct scene *s = scene_of(60, 1);

    (void)state;
    scene_declare(s, "", "shop.Cart/Add");
    scene_audit(s);
    scene_expect(s, "", "shop.Cart/Add", VERDICT_NOT_OBSERVABLE, TRUST_NONE);
    scene_end(s);
}

static void
x4_weekly_until_forty_days_ago_has_stopped(void **state)
{
    struct scene *s = scene_of(200, 1);

    (void)state;
    scene_rhythm(s, "GET /weekly", 180, 40, 7);
    scene_declare(s, "GET", "/weekly");
    scene_audit(s);
    const struct audit_route *weekly =
        scene_expect(s, "GET", "/weekly", VERDICT_STOPPED, TRUST_HIGH);
    assert_int_equal(weekly->usual_gap_days, 7);
    assert_int_equal(weekly->last_s, (TODAY - 40) * S_PER_DAY + 9 * S_PER_H);
    scene_end(s);
}

/* All calls until the window began, and since then one in a hundred: a daily
 * call is not missed yet, one that came a hundred times a day is. */
static void
what_sampling_that_began_since_may_hide_has_not_stopped(void **state)
{
    struct scene *s = scene_of(200, 1);

    (void)state;
    db_fixture_sql(&s->db,
                   "UPDATE edge_day SET count = 1, weighted = %lld"
                   " WHERE day >= %u",
                   100 * (long long)WEIGHT_ONE, TODAY - 40);
    scene_rhythm(s, "GET /daily", 180, 41, 1);
    scene_rhythm(s, "GET /busy", 180, 41, 1);
    db_fixture_sql(&s->db,
                   "UPDATE edge SET count = 100 * count, known = 100 * known,"
                   " weighted = 100 * weighted WHERE id = %u",
                   s->db.edges);
    scene_audit(s);
    const struct audit_route *daily =
        scene_expect(s, "GET", "/daily", VERDICT_LOW, TRUST_LOW);
    assert_true(scene_has(daily, AUDIT_SAMPLED));
    scene_expect(s, "GET", "/busy", VERDICT_STOPPED, TRUST_HIGH);
    scene_end(s);
}

static void
x5_once_a_year_is_seasonal(void **state)
{
    struct scene *s = scene_of(350, 1);

    (void)state;
    scene_rhythm(s, "GET /tax", 300, 300, 1);
    scene_declare(s, "GET", "/tax");
    scene_rhythm(s, "GET /monthly", 160, 40, 30);
    scene_audit(s);
    const struct audit_route *tax =
        scene_expect(s, "GET", "/tax", VERDICT_SEASONAL, TRUST_LOW);
    assert_true(scene_has(tax, AUDIT_ONCE));
    scene_expect(s, "GET", "/monthly", VERDICT_SEASONAL, TRUST_LOW);
    scene_end(s);
}

static void
also_called_daily(struct scene *s, uint32_t first, uint32_t last)
{
    for (uint32_t ago = last; ago <= first; ago++)
        db_day(&s->db, s->db.edges, TODAY - ago, 1, 1 << 9, 0);
}

/* Two weeks of each term, daily, and then silent for 87 days, or 86. */
static void
silences_it_came_back_from_twice_are_seasonal(void **state)
{
    struct scene *s = scene_of(200, 1);

    (void)state;
    scene_rhythm(s, "GET /enrol", 100, 87, 1);
    also_called_daily(s, 200, 187);
    also_called_daily(s, 300, 287);
    scene_rhythm(s, "GET /gone", 101, 88, 1);
    also_called_daily(s, 200, 187);
    also_called_daily(s, 300, 287);
    scene_audit(s);
    const struct audit_route *enrol =
        scene_expect(s, "GET", "/enrol", VERDICT_SEASONAL, TRUST_LOW);
    assert_true(scene_has(enrol, AUDIT_RHYTHM));
    scene_expect(s, "GET", "/gone", VERDICT_STOPPED, TRUST_HIGH);
    scene_end(s);
}

/* Nothing was received for 80 days, half a year ago; one was tried 190 days
 * before it was in use. */
static void
one_long_silence_is_no_rhythm(void **state)
{
    struct scene *s = scene_of(60, 1);

    (void)state;
    scene_rhythm(s, "GET /outage", 140, 40, 1);
    also_called_daily(s, 300, 220);
    scene_rhythm(s, "GET /tried", 70, 40, 1);
    also_called_daily(s, 260, 260);
    scene_audit(s);
    scene_expect(s, "GET", "/outage", VERDICT_STOPPED, TRUST_HIGH);
    scene_expect(s, "GET", "/tried", VERDICT_STOPPED, TRUST_HIGH);
    scene_end(s);
}

static void
stopped_stays_stopped_when_its_buckets_are_gone(void **state)
{
    struct scene *s = scene_of(60, 1);
    uint32_t route = db_route(&s->db, s->shop, "GET /ancient");
    uint32_t edge = db_edge(&s->db, 0, route, EDGE_TRAFFIC, 50);

    (void)state;
    db_times(&s->db, edge, (TODAY - 700) * S_PER_DAY,
             (TODAY - 600) * S_PER_DAY);
    scene_declare(s, "GET", "/ancient");
    scene_audit(s);
    scene_expect(s, "GET", "/ancient", VERDICT_STOPPED, TRUST_HIGH);
    scene_end(s);
}

static void
x6_probes_and_tests_alone_are_synthetic_only(void **state)
{
    struct scene *s = scene_of(60, 1);
    uint32_t route = db_route(&s->db, s->shop, "GET /ready");
    uint32_t edge = db_edge(&s->db, 0, route, EDGE_SYNTHETIC, 1);

    (void)state;
    db_daily(&s->db, edge, TODAY - 30, TODAY, 1000, 1);
    scene_declare(s, "GET", "/ready");
    scene_audit(s);
    scene_expect(s, "GET", "/ready", VERDICT_SYNTHETIC_ONLY, TRUST_HIGH);
    scene_end(s);
}

static void
x7_refused_calls_alone_are_probe_only(void **state)
{
    struct scene *s = scene_of(60, 1);
    uint32_t route = db_route(&s->db, s->shop, "POST /wp-login");
    uint32_t all = db_edge(&s->db, 0, route, EDGE_TRAFFIC, 1);
    uint32_t denied = db_edge(&s->db, 0, route, EDGE_DENIED, 1);

    (void)state;
    db_daily(&s->db, all, TODAY - 20, TODAY, 3, 1);
    db_daily(&s->db, denied, TODAY - 20, TODAY, 3, 1);
    scene_declare(s, "POST", "/wp-login");
    scene_audit(s);
    scene_expect(s, "POST", "/wp-login", VERDICT_PROBE_ONLY, TRUST_HIGH);
    scene_end(s);
}

static void
x14_traffic_on_what_is_not_declared_is_undocumented(void **state)
{
    struct scene *s = scene_of(60, 1);

    (void)state;
    scene_calls(s, "GET /secret", ROUTE_SOURCE_ATTR);
    scene_audit(s);
    scene_expect(s, "GET", "/secret", VERDICT_UNDOCUMENTED, TRUST_HIGH);
    scene_end(s);
}

static void
x15_alive_in_staging_is_dead_in_production(void **state)
{
    struct scene *s = scene_of(0, 1);
    uint32_t prod = db_node(&s->db, NODE_SERVICE, 0, "shop", "prod");
    uint32_t staging = db_node(&s->db, NODE_SERVICE, 0, "shop", "staging");

    (void)state;
    scene_service(s, prod, TODAY - 60, 1);
    scene_service(s, staging, TODAY - 60, 1);
    db_fixture_sql(&s->db, "DELETE FROM route");
    uint32_t route = db_route(&s->db, staging, "GET /beta");
    uint32_t edge = db_edge(&s->db, 0, route, EDGE_TRAFFIC, 1);
    db_daily(&s->db, edge, TODAY - 20, TODAY, 3, 1);
    scene_declare(s, "GET", "/");
    scene_declare(s, "GET", "/beta");
    scene_audit(s);
    scene_check(scene_route(s, "GET", "/beta", "prod"), VERDICT_NEVER_OBSERVED,
                TRUST_HIGH);
    scene_check(scene_route(s, "GET", "/beta", "staging"), VERDICT_ACTIVE,
                TRUST_HIGH);
    assert_null(scene_route(s, "GET", "/beta", ""));
    scene_end(s);
}

/* Its calls, and who made them last, are those of the environment. */
static void
a_route_that_was_spread_is_the_one_called_there(void **state)
{
    struct scene *s = scene_of(0, 1);
    uint32_t prod = db_node(&s->db, NODE_SERVICE, 0, "shop", "prod");
    uint32_t app = db_service(&s->db, "app");
    uint32_t user = db_node(&s->db, NODE_EXTERNAL, 0, "user", "");
    uint32_t here = db_route(&s->db, s->shop, "GET /buy");
    uint32_t there = db_route(&s->db, prod, "GET /buy");
    uint32_t caller;

    (void)state;
    scene_service(s, s->shop, TODAY - 60, 1);
    scene_service(s, prod, TODAY - 60, 1);
    db_daily(&s->db, db_edge(&s->db, 0, here, EDGE_TRAFFIC, 1), TODAY - 20,
             TODAY, 3, 1);
    db_daily(&s->db, db_edge(&s->db, 0, there, EDGE_TRAFFIC, 1), TODAY - 20,
             TODAY, 3, 1);
    db_daily(&s->db,
             db_edge(&s->db, 0, db_route(&s->db, prod, "HEAD /buy"),
                     EDGE_TRAFFIC, 1),
             TODAY - 20, TODAY, 3, 1);
    db_edge(&s->db, user, here, EDGE_VIRTUAL_IN, 60);
    db_edge(&s->db, app, there, EDGE_CALL, 60);
    scene_declare(s, "GET", "/buy");
    db_fixture_sql(&s->db, "UPDATE route SET node = %u WHERE pattern = '/buy'",
                   here);
    scene_audit(s);
    const struct audit_route *buy = scene_route(s, "GET", "/buy", "prod");
    scene_check(buy, VERDICT_ACTIVE, TRUST_HIGH);
    assert_int_equal(buy->node, there);
    assert_int_equal(audit_last_caller(s->view, buy, &caller), OK);
    assert_int_equal(caller, app);
    buy = scene_expect(s, "GET", "/buy", VERDICT_ACTIVE, TRUST_HIGH);
    assert_int_equal(buy->node, here);
    assert_int_equal(audit_last_caller(s->view, buy, &caller), OK);
    assert_int_equal(caller, user);
    scene_end(s);
}

/* A document names no environment; of the code each has rows of its own. */
static void
a_route_declared_twice_for_an_environment_is_one(void **state)
{
    struct scene *s = scene_of(0, 1);
    uint32_t prod = db_node(&s->db, NODE_SERVICE, 0, "shop", "prod");
    uint32_t days_ago = FIXTURE_NOW_S - 20 * S_PER_DAY;

    (void)state;
    scene_service(s, prod, TODAY - 60, 1);
    scene_declare(s, "GET", "/old");
    scene_declare(s, "POST", "/old");
    scene_declare(s, "GET", "/");
    db_declare(&s->db, prod, "GET", "/old", days_ago);
    scene_audit(s);
    assert_int_equal(s->audit.len, 3);
    const struct audit_route *old = scene_route(s, "GET", "/old", "prod");
    scene_check(old, VERDICT_NEVER_OBSERVED, TRUST_HIGH);
    assert_int_equal(old->created_s, FIXTURE_NOW_S - 90 * S_PER_DAY);
    scene_check(scene_route(s, "POST", "/old", "prod"), VERDICT_NEVER_OBSERVED,
                TRUST_HIGH);
    scene_end(s);
}

static void
an_empty_store_has_no_routes_and_no_verdict(void **state)
{
    struct scene *s = scene_of(0, 1);

    (void)state;
    scene_audit(s);
    assert_int_equal(s->audit.len, 0);
    scene_end(s);
}

static void
every_verdict_and_reason_has_a_word(void **state)
{
    (void)state;
    for (int i = 0; i < VERDICT_COUNT; i++)
        assert_int_equal(verdict_of(str_of(verdict_str((enum verdict)i))), i);
    assert_int_equal(verdict_of(STR("dead")), VERDICT_COUNT);
    for (int i = 0; i < AUDIT_REASON_COUNT; i++)
        assert_true(strlen(audit_reason_str((enum audit_reason)i)) > 3);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(x1_never_hit_and_well_observed_is_never_observed),
        cmocka_unit_test(x2_two_days_of_observation_are_no_verdict),
        cmocka_unit_test(x3_one_percent_sampling_cannot_tell),
        cmocka_unit_test(sampling_that_began_lately_cannot_tell_either),
        cmocka_unit_test(sampling_that_ended_before_the_window_hides_nothing),
        cmocka_unit_test(where_a_weight_is_unknown_the_lesser_share_counts),
        cmocka_unit_test(an_unknown_sampling_rate_gives_low_trust_unless_told),
        cmocka_unit_test(
            declared_rpc_methods_are_judged_by_the_calls_of_that_method),
        cmocka_unit_test(
            without_any_rpc_call_a_declared_rpc_method_is_not_accused),
        cmocka_unit_test(x4_weekly_until_forty_days_ago_has_stopped),
        cmocka_unit_test(
            what_sampling_that_began_since_may_hide_has_not_stopped),
        cmocka_unit_test(x5_once_a_year_is_seasonal),
        cmocka_unit_test(silences_it_came_back_from_twice_are_seasonal),
        cmocka_unit_test(one_long_silence_is_no_rhythm),
        cmocka_unit_test(stopped_stays_stopped_when_its_buckets_are_gone),
        cmocka_unit_test(x6_probes_and_tests_alone_are_synthetic_only),
        cmocka_unit_test(x7_refused_calls_alone_are_probe_only),
        cmocka_unit_test(x14_traffic_on_what_is_not_declared_is_undocumented),
        cmocka_unit_test(x15_alive_in_staging_is_dead_in_production),
        cmocka_unit_test(a_route_that_was_spread_is_the_one_called_there),
        cmocka_unit_test(a_route_declared_twice_for_an_environment_is_one),
        cmocka_unit_test(an_empty_store_has_no_routes_and_no_verdict),
        cmocka_unit_test(every_verdict_and_reason_has_a_word),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
