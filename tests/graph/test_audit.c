/*
 * The cases X1 to X16 of the specification, each with the facts it names, and
 * the ways in which a match could accuse falsely.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "graph/audit.h"
#include "graph/audit_parts.h"
#include "tests/support/db_fixture.h"

enum { TODAY = FIXTURE_DAY };

struct scene {
    struct db_fixture db;
    struct query *query;
    struct query_view *view;
    struct audit audit;
    struct audit_cfg cfg;
    uint32_t shop;
};

/* A service that was observed from |first_day| on, each hour, on one route that
 * it declares. */
static void
make_service(struct scene *s, uint32_t service, uint32_t first_day,
             double weight)
{
    uint32_t sibling = db_route(&s->db, service, "GET /");
    uint32_t seen = db_edge(&s->db, 0, service, EDGE_SEEN, 1);
    uint32_t traffic = db_edge(&s->db, 0, sibling, EDGE_TRAFFIC, 1);

    db_daily(&s->db, seen, first_day, TODAY, 100, weight);
    db_daily(&s->db, traffic, first_day, TODAY, 100, weight);
    db_times(&s->db, traffic, first_day * S_PER_DAY, FIXTURE_NOW_S);
    db_declare(&s->db, service, "GET", "/", FIXTURE_NOW_S - 90 * S_PER_DAY);
}

static struct scene *
scene_of(uint32_t days, double weight)
{
    static struct scene scene;

    scene = (struct scene){.cfg = audit_cfg_default};
    db_fixture_open(&scene.db);
    scene.shop = db_service(&scene.db, "shop");
    if (days)
        make_service(&scene, scene.shop, TODAY - days, weight);
    return &scene;
}

static void
declare(struct scene *s, const char *method, const char *pattern)
{
    db_declare(&s->db, s->shop, method, pattern,
               FIXTURE_NOW_S - 90 * S_PER_DAY);
}

static void
run_audit(struct scene *s)
{
    struct buf why = {0};

    assert_int_equal(query_open(&s->query, s->db.dir, &query_cfg_default, &why),
                     OK);
    assert_int_equal(query_begin(s->query, FIXTURE_NOW_S, &s->view), OK);
    assert_int_equal(audit_run(s->view, &s->cfg, &s->audit), OK);
    buf_fini(&why);
}

static void
end(struct scene *s)
{
    audit_fini(&s->audit);
    query_end(s->view);
    query_close(s->query);
    db_fixture_close(&s->db);
}

static const struct audit_route *
route_in(struct scene *s, const char *method, const char *pattern,
         const char *env)
{
    for (size_t i = 0; i < s->audit.len; i++) {
        const struct audit_route *route = &s->audit.routes[i];

        if (str_eq(route->method, str_of(method)) &&
            str_eq(route->pattern, str_of(pattern)) &&
            str_eq(query_node(s->view, route->service)->env, str_of(env)))
            return route;
    }
    return NULL;
}

static bool
has(const struct audit_route *route, enum audit_reason reason)
{
    return route->reasons >> reason & 1;
}

static void
check(const struct audit_route *route, enum verdict verdict, enum trust trust)
{
    assert_non_null(route);
    assert_string_equal(verdict_str(route->verdict), verdict_str(verdict));
    assert_string_equal(trust_str(route->trust), trust_str(trust));
}

static void
x1_never_hit_and_well_observed_is_never_observed(void **state)
{
    struct scene *s = scene_of(60, 1);

    (void)state;
    declare(s, "GET", "/old");
    run_audit(s);
    const struct audit_route *old = route_in(s, "GET", "/old", "");
    check(old, VERDICT_NEVER_OBSERVED, TRUST_HIGH);
    assert_true(old->coverage > 0.99);
    assert_true(old->hidden_per_day > 0.09 && old->hidden_per_day < 0.11);
    check(route_in(s, "GET", "/", ""), VERDICT_ACTIVE, TRUST_HIGH);
    assert_ptr_equal(old, &s->audit.routes[0]);
    end(s);
}

static void
x2_two_days_of_observation_are_no_verdict(void **state)
{
    struct scene *s = scene_of(2, 1);

    (void)state;
    declare(s, "GET", "/old");
    run_audit(s);
    const struct audit_route *old = route_in(s, "GET", "/old", "");
    check(old, VERDICT_INSUFFICIENT, TRUST_NONE);
    assert_true(has(old, AUDIT_SHORT));
    end(s);
}

static void
x3_one_percent_sampling_cannot_tell(void **state)
{
    struct scene *s = scene_of(60, 100);

    (void)state;
    declare(s, "GET", "/old");
    run_audit(s);
    const struct audit_route *old = route_in(s, "GET", "/old", "");
    check(old, VERDICT_LOW, TRUST_LOW);
    assert_true(old->keep > 0.0099 && old->keep < 0.0101);
    assert_true(old->hidden_per_day > 9);
    end(s);
}

/* A year of all calls, and since the window began one in a hundred. */
static void
sampling_that_began_lately_cannot_tell_either(void **state)
{
    struct scene *s = scene_of(365, 1);
    uint32_t since = TODAY - 40;

    (void)state;
    declare(s, "GET", "/old");
    db_fixture_sql(&s->db,
                   "UPDATE edge_day SET count = 1, weighted = %lld"
                   " WHERE day >= %u",
                   100 * (long long)WEIGHT_ONE, since);
    db_fixture_sql(&s->db, "UPDATE edge SET count = count - 99 * 41,"
                           " known = known - 99 * 41");
    run_audit(s);
    const struct audit_route *old = route_in(s, "GET", "/old", "");
    check(old, VERDICT_LOW, TRUST_LOW);
    assert_true(old->keep > 0.0099 && old->keep < 0.0101);
    assert_true(old->hidden_per_day > 9);
    end(s);
}

static void
an_unknown_sampling_rate_gives_low_trust_unless_told(void **state)
{
    struct scene *s = scene_of(60, 0);

    (void)state;
    declare(s, "GET", "/old");
    run_audit(s);
    const struct audit_route *old = route_in(s, "GET", "/old", "");
    check(old, VERDICT_NEVER_OBSERVED, TRUST_LOW);
    assert_true(has(old, AUDIT_SAMPLING_UNKNOWN));
    assert_true(old->keep < 0 && old->hidden_per_day < 0);
    audit_fini(&s->audit);
    s->cfg.assume_unsampled = true;
    assert_int_equal(audit_run(s->view, &s->cfg, &s->audit), OK);
    check(route_in(s, "GET", "/old", ""), VERDICT_NEVER_OBSERVED, TRUST_HIGH);
    end(s);
}

/* Calls every |every| days from |first| to |last| days ago. */
static uint32_t
rhythm(struct scene *s, const char *name, uint32_t first, uint32_t last,
       uint32_t every)
{
    uint32_t route = db_route(&s->db, s->shop, name);
    uint32_t edge =
        db_edge(&s->db, 0, route, EDGE_TRAFFIC, (first - last) / every + 1);

    for (uint32_t ago = first;; ago -= every) {
        db_day(&s->db, edge, TODAY - ago, 1, 1 << 9, 0);
        if (ago < last + every)
            break;
    }
    db_times(&s->db, edge, (TODAY - first) * S_PER_DAY + 9 * S_PER_H,
             (TODAY - last) * S_PER_DAY + 9 * S_PER_H);
    return route;
}

static void
declared_rpc_methods_are_judged_by_the_calls_of_that_method(void **state)
{
    struct scene *s = scene_of(60, 1);

    (void)state;
    for (int i = 0; i < 2; i++) {
        uint32_t rpc = db_node(&s->db, NODE_RPC, s->shop,
                               i ? "shop.Cart/Other" : "shop.Cart/Add", "");
        uint32_t calls = db_edge(&s->db, 0, rpc, EDGE_TRAFFIC, 1);
        db_daily(&s->db, calls, TODAY - 60, TODAY, 100, 1);
        db_times(&s->db, calls, (TODAY - 60) * S_PER_DAY, FIXTURE_NOW_S);
    }
    declare(s, "", "shop.Cart/Add");
    declare(s, "", "shop.Cart/Remove");
    run_audit(s);
    check(route_in(s, "", "shop.Cart/Add", ""), VERDICT_ACTIVE, TRUST_HIGH);
    const struct audit_route *dead = route_in(s, "", "shop.Cart/Remove", "");
    check(dead, VERDICT_NEVER_OBSERVED, TRUST_HIGH);
    assert_int_equal(dead->kind, NODE_RPC);
    check(route_in(s, "", "shop.Cart/Other", ""), VERDICT_UNDOCUMENTED,
          TRUST_HIGH);
    end(s);
}

static void
without_any_rpc_call_a_declared_rpc_method_is_not_accused(void **state)
{
    struct scene *s = scene_of(60, 1);

    (void)state;
    declare(s, "", "shop.Cart/Add");
    run_audit(s);
    check(route_in(s, "", "shop.Cart/Add", ""), VERDICT_NOT_OBSERVABLE,
          TRUST_NONE);
    end(s);
}

static void
x4_weekly_until_forty_days_ago_has_stopped(void **state)
{
    struct scene *s = scene_of(200, 1);

    (void)state;
    rhythm(s, "GET /weekly", 180, 40, 7);
    declare(s, "GET", "/weekly");
    run_audit(s);
    const struct audit_route *weekly = route_in(s, "GET", "/weekly", "");
    check(weekly, VERDICT_STOPPED, TRUST_HIGH);
    assert_int_equal(weekly->usual_gap_days, 7);
    assert_int_equal(weekly->last_s, (TODAY - 40) * S_PER_DAY + 9 * S_PER_H);
    end(s);
}

static void
x5_once_a_year_is_seasonal(void **state)
{
    struct scene *s = scene_of(350, 1);

    (void)state;
    rhythm(s, "GET /tax", 300, 300, 1);
    declare(s, "GET", "/tax");
    rhythm(s, "GET /monthly", 160, 40, 30);
    run_audit(s);
    const struct audit_route *tax = route_in(s, "GET", "/tax", "");
    check(tax, VERDICT_SEASONAL, TRUST_LOW);
    assert_true(has(tax, AUDIT_ONCE));
    check(route_in(s, "GET", "/monthly", ""), VERDICT_SEASONAL, TRUST_LOW);
    end(s);
}

/* Two weeks of a term, daily, and then silent for 87 days, for 86 the other. */
static void
a_silence_it_came_back_from_is_seasonal(void **state)
{
    struct scene *s = scene_of(200, 1);

    (void)state;
    rhythm(s, "GET /enrol", 100, 87, 1);
    for (uint32_t ago = 187; ago <= 200; ago++)
        db_day(&s->db, s->db.edges, TODAY - ago, 1, 1 << 9, 0);
    rhythm(s, "GET /gone", 101, 88, 1);
    for (uint32_t ago = 187; ago <= 200; ago++)
        db_day(&s->db, s->db.edges, TODAY - ago, 1, 1 << 9, 0);
    run_audit(s);
    const struct audit_route *enrol = route_in(s, "GET", "/enrol", "");
    check(enrol, VERDICT_SEASONAL, TRUST_LOW);
    assert_true(has(enrol, AUDIT_RHYTHM));
    check(route_in(s, "GET", "/gone", ""), VERDICT_STOPPED, TRUST_HIGH);
    end(s);
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
    declare(s, "GET", "/ancient");
    run_audit(s);
    check(route_in(s, "GET", "/ancient", ""), VERDICT_STOPPED, TRUST_HIGH);
    end(s);
}

static void
x6_probes_and_tests_alone_are_synthetic_only(void **state)
{
    struct scene *s = scene_of(60, 1);
    uint32_t route = db_route(&s->db, s->shop, "GET /ready");
    uint32_t edge = db_edge(&s->db, 0, route, EDGE_SYNTHETIC, 1);

    (void)state;
    db_daily(&s->db, edge, TODAY - 30, TODAY, 1000, 1);
    declare(s, "GET", "/ready");
    run_audit(s);
    check(route_in(s, "GET", "/ready", ""), VERDICT_SYNTHETIC_ONLY, TRUST_HIGH);
    end(s);
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
    declare(s, "POST", "/wp-login");
    run_audit(s);
    check(route_in(s, "POST", "/wp-login", ""), VERDICT_PROBE_ONLY, TRUST_HIGH);
    end(s);
}

static void
x8_a_service_without_spans_is_not_observable(void **state)
{
    struct scene *s = scene_of(0, 1);

    (void)state;
    declare(s, "GET", "/a");
    declare(s, "GET", "/b");
    run_audit(s);
    assert_int_equal(s->audit.by_verdict[VERDICT_NOT_OBSERVABLE], 2);
    assert_true(has(route_in(s, "GET", "/a", ""), AUDIT_NO_SPANS));
    end(s);
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
    declare(s, "GET", "/");
    declare(s, "GET", "/other");
    run_audit(s);
    check(route_in(s, "GET", "/", ""), VERDICT_NOT_OBSERVABLE, TRUST_NONE);
    assert_true(has(route_in(s, "GET", "/other", ""), AUDIT_SILENT));
    end(s);
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
    db_fixture_sql(&s->db, "UPDATE node SET source = %d WHERE id = %u",
                   ROUTE_SOURCE_HEURISTIC, guess);
    db_daily(&s->db, seen, TODAY - 60, TODAY, 9, 1);
    db_daily(&s->db, a, TODAY - 60, TODAY, 9, 1);
    db_daily(&s->db, b, TODAY - 60, TODAY, 9, 1);
    declare(s, "GET", "/old");
    run_audit(s);
    const struct audit_route *old = route_in(s, "GET", "/old", "");
    check(old, VERDICT_NOT_OBSERVABLE, TRUST_NONE);
    assert_true(has(old, AUDIT_NO_ROUTES));
    check(route_in(s, "GET", "/x/{}", ""), VERDICT_ACTIVE, TRUST_HIGH);
    end(s);
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
    declare(s, "GET", "/old");
    run_audit(s);
    const struct audit_route *old = route_in(s, "GET", "/old", "");
    check(old, VERDICT_NOT_OBSERVABLE, TRUST_NONE);
    assert_true(has(old, AUDIT_NO_ROUTES));
    assert_true(old->coverage > 0);
    end(s);
}

static void
spans_without_a_route_could_have_been_any_route(void **state)
{
    struct scene *s = scene_of(60, 1);
    uint32_t traffic = db_edge(&s->db, 0, s->shop, EDGE_TRAFFIC, 1);

    (void)state;
    db_daily(&s->db, traffic, TODAY - 60, TODAY, INT64_C(216), 1);
    declare(s, "GET", "/old");
    run_audit(s);
    const struct audit_route *old = route_in(s, "GET", "/old", "");
    check(old, VERDICT_NEVER_OBSERVED, TRUST_LOW);
    assert_true(has(old, AUDIT_UNTRUSTED));
    end(s);
}

static void
x10_declared_yesterday_is_too_new(void **state)
{
    struct scene *s = scene_of(60, 1);

    (void)state;
    db_declare(&s->db, s->shop, "GET", "/fresh", FIXTURE_NOW_S - S_PER_DAY);
    run_audit(s);
    check(route_in(s, "GET", "/fresh", ""), VERDICT_TOO_NEW, TRUST_NONE);
    end(s);
}

static void
the_first_import_makes_no_route_new(void **state)
{
    struct scene *s = scene_of(60, 1);

    (void)state;
    db_fixture_sql(&s->db, "UPDATE route SET created_s = %u", FIXTURE_NOW_S);
    db_declare(&s->db, s->shop, "GET", "/old", FIXTURE_NOW_S);
    run_audit(s);
    check(route_in(s, "GET", "/old", ""), VERDICT_NEVER_OBSERVED, TRUST_HIGH);
    end(s);
}

static void
x11_a_gap_of_ten_days_lowers_coverage_and_trust(void **state)
{
    struct scene *s = scene_of(60, 1);

    (void)state;
    db_fixture_sql(&s->db, "DELETE FROM edge_day WHERE day BETWEEN %d AND %d",
                   TODAY - 19, TODAY - 10);
    declare(s, "GET", "/old");
    run_audit(s);
    const struct audit_route *old = route_in(s, "GET", "/old", "");
    check(old, VERDICT_NEVER_OBSERVED, TRUST_MEDIUM);
    assert_true(old->coverage > 0.65 && old->coverage < 0.68);
    end(s);
}

static void
downtime_inside_an_observed_hour_is_taken_off(void **state)
{
    struct scene *s = scene_of(60, 1);
    uint32_t hour_s = (TODAY - 3) * S_PER_DAY;

    (void)state;
    db_fixture_sql(&s->db, "INSERT INTO uptime VALUES (%u, %u), (%u, %u)",
                   hour_s - 40 * S_PER_DAY, hour_s + 600, hour_s + 2400,
                   FIXTURE_NOW_S);
    declare(s, "GET", "/old");
    run_audit(s);
    const struct audit_route *old = route_in(s, "GET", "/old", "");
    check(old, VERDICT_NEVER_OBSERVED, TRUST_MEDIUM);
    assert_true(has(old, AUDIT_DOWNTIME));
    end(s);
}

static void
x12_lost_spans_lower_trust(void **state)
{
    struct scene *s = scene_of(60, 1);

    (void)state;
    db_fixture_sql(&s->db, "INSERT INTO loss VALUES (%d, 'evicted', 3)",
                   TODAY - 2);
    declare(s, "GET", "/old");
    run_audit(s);
    const struct audit_route *old = route_in(s, "GET", "/old", "");
    check(old, VERDICT_NEVER_OBSERVED, TRUST_MEDIUM);
    assert_true(has(old, AUDIT_LOSS));
    assert_int_equal(s->audit.lost, 3);
    end(s);
}

static void
x14_traffic_on_what_is_not_declared_is_undocumented(void **state)
{
    struct scene *s = scene_of(60, 1);
    uint32_t route = db_route(&s->db, s->shop, "GET /secret");
    uint32_t edge = db_edge(&s->db, 0, route, EDGE_TRAFFIC, 1);

    (void)state;
    db_daily(&s->db, edge, TODAY - 20, TODAY, 3, 1);
    run_audit(s);
    check(route_in(s, "GET", "/secret", ""), VERDICT_UNDOCUMENTED, TRUST_HIGH);
    end(s);
}

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
    declare(s, "GET", "/v1");
    run_audit(s);
    const struct audit_route *zombie = route_in(s, "GET", "/v1", "");
    check(zombie, VERDICT_ZOMBIE, TRUST_HIGH);
    assert_int_equal(zombie->last_version, v1);
    end(s);
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

/* make_service gives the edge of all its spans the first number. */
enum { SEEN = 1 };

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
    declare(s, "GET", "/live");
    declare(s, "GET", "/left");
    run_audit(s);
    check(route_in(s, "GET", "/live", ""), VERDICT_ACTIVE, TRUST_HIGH);
    check(route_in(s, "GET", "/left", ""), VERDICT_ZOMBIE, TRUST_HIGH);
    end(s);
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
    declare(s, "GET", "/live");
    run_audit(s);
    check(route_in(s, "GET", "/live", ""), VERDICT_ACTIVE, TRUST_HIGH);
    end(s);
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
    declare(s, "GET", "/live");
    declare(s, "GET", "/odd");
    run_audit(s);
    check(route_in(s, "GET", "/live", ""), VERDICT_ACTIVE, TRUST_HIGH);
    check(route_in(s, "GET", "/odd", ""), VERDICT_ZOMBIE, TRUST_HIGH);
    end(s);
}

static void
x15_alive_in_staging_is_dead_in_production(void **state)
{
    struct scene *s = scene_of(0, 1);
    uint32_t prod = db_node(&s->db, NODE_SERVICE, 0, "shop", "prod");
    uint32_t staging = db_node(&s->db, NODE_SERVICE, 0, "shop", "staging");

    (void)state;
    make_service(s, prod, TODAY - 60, 1);
    make_service(s, staging, TODAY - 60, 1);
    db_fixture_sql(&s->db, "DELETE FROM route");
    uint32_t route = db_route(&s->db, staging, "GET /beta");
    uint32_t edge = db_edge(&s->db, 0, route, EDGE_TRAFFIC, 1);
    db_daily(&s->db, edge, TODAY - 20, TODAY, 3, 1);
    declare(s, "GET", "/");
    declare(s, "GET", "/beta");
    run_audit(s);
    check(route_in(s, "GET", "/beta", "prod"), VERDICT_NEVER_OBSERVED,
          TRUST_HIGH);
    check(route_in(s, "GET", "/beta", "staging"), VERDICT_ACTIVE, TRUST_HIGH);
    assert_null(route_in(s, "GET", "/beta", ""));
    end(s);
}

static void
x16_the_ignore_list_shows_and_does_not_accuse(void **state)
{
    static const char *const ignore[] = {"* /intern/*", "/x"};
    struct scene *s = scene_of(60, 1);

    (void)state;
    s->cfg.ignore = ignore;
    s->cfg.ignore_len = 2;
    declare(s, "GET", "/intern/a");
    declare(s, "POST", "/x");
    declare(s, "POST", "/xy");
    run_audit(s);
    check(route_in(s, "GET", "/intern/a", ""), VERDICT_SUPPRESSED, TRUST_NONE);
    check(route_in(s, "POST", "/x", ""), VERDICT_SUPPRESSED, TRUST_NONE);
    check(route_in(s, "POST", "/xy", ""), VERDICT_NEVER_OBSERVED, TRUST_HIGH);
    end(s);
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
a_likely_match_clears_and_never_accuses(void **state)
{
    struct scene *s = scene_of(60, 1);

    (void)state;
    declare(s, "GET", "/users/{}");
    declare(s, "ANY", "/any");
    declare(s, "GET", "/slash/");
    declare(s, "GET", "/head");
    declare(s, "GET", "/mounted/{}");
    declare(s, "GET", "/news/{}");
    declare(s, "GET", "/files/{**}");
    calls(s, "GET /users/bob", ROUTE_SOURCE_HEURISTIC);
    calls(s, "PATCH /any", ROUTE_SOURCE_ATTR);
    calls(s, "GET /slash", ROUTE_SOURCE_ATTR);
    calls(s, "HEAD /head", ROUTE_SOURCE_ATTR);
    calls(s, "GET /api/v1/mounted/{}", ROUTE_SOURCE_ATTR);
    calls(s, "GET /{}/news/{}", ROUTE_SOURCE_ATTR); /* a language first */
    calls(s, "GET /files/a/b", ROUTE_SOURCE_ATTR);
    run_audit(s);
    assert_int_equal(s->audit.by_verdict[VERDICT_ACTIVE], 8);
    assert_int_equal(s->audit.len, 8);
    assert_true(has(route_in(s, "GET", "/news/{}", ""), AUDIT_MOUNTED));
    assert_true(has(route_in(s, "GET", "/mounted/{}", ""), AUDIT_MOUNTED));
    assert_true(has(route_in(s, "GET", "/users/{}", ""), AUDIT_GUESSED));
    end(s);
}

static void
a_shadowed_or_implied_route_says_so(void **state)
{
    struct scene *s = scene_of(60, 1);

    (void)state;
    declare(s, "GET", "/users/{}");
    declare(s, "GET", "/users/me");
    declare(s, "HEAD", "/users/{}");
    calls(s, "GET /users/{}", ROUTE_SOURCE_ATTR);
    run_audit(s);
    const struct audit_route *me = route_in(s, "GET", "/users/me", "");
    check(me, VERDICT_NEVER_OBSERVED, TRUST_HIGH);
    assert_true(has(me, AUDIT_SHADOWED));
    assert_true(me->shadowed_by != 0);
    const struct audit_route *head = route_in(s, "HEAD", "/users/{}", "");
    check(head, VERDICT_NEVER_OBSERVED, TRUST_LOW);
    assert_true(has(head, AUDIT_IMPLIED));
    end(s);
}

static void
an_alias_counts_for_its_template(void **state)
{
    struct scene *s = scene_of(60, 1);

    (void)state;
    declare(s, "GET", "/p/{}");
    uint32_t to = db_route(&s->db, s->shop, "GET /p/{}");
    calls(s, "GET /p/red", ROUTE_SOURCE_HEURISTIC);
    db_fixture_sql(&s->db,
                   "UPDATE node SET alias = %u WHERE name = "
                   "'GET /p/red'",
                   to);
    run_audit(s);
    check(route_in(s, "GET", "/p/{}", ""), VERDICT_ACTIVE, TRUST_HIGH);
    assert_null(route_in(s, "GET", "/p/red", ""));
    end(s);
}

static void
a_periodic_name_lowers_trust_in_a_short_window(void **state)
{
    struct scene *s = scene_of(60, 1);

    (void)state;
    declare(s, "POST", "/admin/close-year");
    run_audit(s);
    check(route_in(s, "POST", "/admin/close-year", ""), VERDICT_NEVER_OBSERVED,
          TRUST_MEDIUM);
    end(s);
}

static void
an_empty_store_has_no_routes_and_no_verdict(void **state)
{
    struct scene *s = scene_of(0, 1);

    (void)state;
    run_audit(s);
    assert_int_equal(s->audit.len, 0);
    end(s);
}

static void
coverage_of_patterns_is_by_segment(void **state)
{
    (void)state;
    assert_true(route_covers(STR("a/{}"), STR("a/b")));
    assert_true(route_covers(STR("a/{}"), STR("a/{}")));
    assert_false(route_covers(STR("a/{}"), STR("a/b/c")));
    assert_false(route_covers(STR("a/b"), STR("a/{}")));
    assert_true(route_covers(STR("{**}"), STR("a/b/c")));
    assert_true(route_covers(STR("a/{**}"), STR("a")));
    assert_false(route_covers(STR("a/{}"), STR("a/{**}")));
    assert_true(route_covers(STR(""), STR("")));
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
        cmocka_unit_test(an_unknown_sampling_rate_gives_low_trust_unless_told),
        cmocka_unit_test(
            declared_rpc_methods_are_judged_by_the_calls_of_that_method),
        cmocka_unit_test(
            without_any_rpc_call_a_declared_rpc_method_is_not_accused),
        cmocka_unit_test(x4_weekly_until_forty_days_ago_has_stopped),
        cmocka_unit_test(x5_once_a_year_is_seasonal),
        cmocka_unit_test(a_silence_it_came_back_from_is_seasonal),
        cmocka_unit_test(stopped_stays_stopped_when_its_buckets_are_gone),
        cmocka_unit_test(x6_probes_and_tests_alone_are_synthetic_only),
        cmocka_unit_test(x7_refused_calls_alone_are_probe_only),
        cmocka_unit_test(x8_a_service_without_spans_is_not_observable),
        cmocka_unit_test(a_service_that_fell_silent_is_not_observable),
        cmocka_unit_test(x9_spans_that_never_name_a_route_are_not_observable),
        cmocka_unit_test(
            x9_spans_without_any_route_show_that_the_service_lives),
        cmocka_unit_test(spans_without_a_route_could_have_been_any_route),
        cmocka_unit_test(x10_declared_yesterday_is_too_new),
        cmocka_unit_test(the_first_import_makes_no_route_new),
        cmocka_unit_test(x11_a_gap_of_ten_days_lowers_coverage_and_trust),
        cmocka_unit_test(downtime_inside_an_observed_hour_is_taken_off),
        cmocka_unit_test(x12_lost_spans_lower_trust),
        cmocka_unit_test(x14_traffic_on_what_is_not_declared_is_undocumented),
        cmocka_unit_test(x14_traffic_of_a_replaced_version_alone_is_a_zombie),
        cmocka_unit_test(a_new_version_every_other_day_makes_no_zombies),
        cmocka_unit_test(a_version_that_was_taken_back_replaces_none),
        cmocka_unit_test(a_route_new_to_an_old_version_deploys_nothing),
        cmocka_unit_test(x15_alive_in_staging_is_dead_in_production),
        cmocka_unit_test(x16_the_ignore_list_shows_and_does_not_accuse),
        cmocka_unit_test(a_likely_match_clears_and_never_accuses),
        cmocka_unit_test(a_shadowed_or_implied_route_says_so),
        cmocka_unit_test(an_alias_counts_for_its_template),
        cmocka_unit_test(a_periodic_name_lowers_trust_in_a_short_window),
        cmocka_unit_test(an_empty_store_has_no_routes_and_no_verdict),
        cmocka_unit_test(coverage_of_patterns_is_by_segment),
        cmocka_unit_test(every_verdict_and_reason_has_a_word),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
