/*
 * The ways in which a match could accuse falsely, and case X16: what is
 * ignored.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "graph/audit_candidate.h"
#include "tests/support/audit_scene.h"

static void
x16_the_ignore_list_shows_and_does_not_accuse(void **state)
{
    static const char *const ignore[] = {"* /intern/*", "/x"};
    struct scene *s = scene_of(60, 1);

    (void)state;
    s->cfg.ignore = ignore;
    s->cfg.ignore_len = 2;
    scene_declare(s, "GET", "/intern/a");
    scene_declare(s, "POST", "/x");
    scene_declare(s, "POST", "/xy");
    scene_audit(s);
    scene_expect(s, "GET", "/intern/a", VERDICT_SUPPRESSED, TRUST_NONE);
    scene_expect(s, "POST", "/x", VERDICT_SUPPRESSED, TRUST_NONE);
    scene_expect(s, "POST", "/xy", VERDICT_NEVER_OBSERVED, TRUST_HIGH);
    scene_end(s);
}

static void
a_likely_match_clears_and_never_accuses(void **state)
{
    struct scene *s = scene_of(60, 1);

    (void)state;
    scene_declare(s, "GET", "/users/{}");
    scene_declare(s, "ANY", "/any");
    scene_declare(s, "GET", "/slash/");
    scene_declare(s, "GET", "/head");
    scene_declare(s, "GET", "/mounted/{}");
    scene_declare(s, "GET", "/news/{}");
    scene_declare(s, "GET", "/files/{**}");
    scene_calls(s, "GET /users/bob", ROUTE_SOURCE_HEURISTIC);
    scene_calls(s, "PATCH /any", ROUTE_SOURCE_ATTR);
    scene_calls(s, "GET /slash", ROUTE_SOURCE_ATTR);
    scene_calls(s, "HEAD /head", ROUTE_SOURCE_ATTR);
    scene_calls(s, "GET /api/v1/mounted/{}", ROUTE_SOURCE_ATTR);
    scene_calls(s, "GET /{}/news/{}", ROUTE_SOURCE_ATTR); /* a language first */
    scene_calls(s, "GET /files/a/b", ROUTE_SOURCE_ATTR);
    scene_audit(s);
    assert_int_equal(s->audit.by_verdict[VERDICT_ACTIVE], 8);
    assert_int_equal(s->audit.len, 8);
    assert_true(
        scene_has(scene_route(s, "GET", "/news/{}", ""), AUDIT_MOUNTED));
    assert_true(
        scene_has(scene_route(s, "GET", "/mounted/{}", ""), AUDIT_MOUNTED));
    assert_true(
        scene_has(scene_route(s, "GET", "/users/{}", ""), AUDIT_GUESSED));
    scene_end(s);
}

/* Spans that came before the code was known: what stood at a position was
 * learnt to be a value, and one of the values may have been this route. */
static void
a_guess_that_is_wider_clears_what_it_may_have_been(void **state)
{
    struct scene *s = scene_of(60, 1);

    (void)state;
    scene_declare(s, "GET", "/users/{}");
    scene_declare(s, "GET", "/users/me");
    scene_declare(s, "GET", "/users/me/x");
    scene_declare(s, "POST", "/users/new");
    scene_declare(s, "GET", "/items/all");
    scene_declare(s, "GET", "/{}/{}");
    scene_calls(s, "GET /users/{}", ROUTE_SOURCE_HEURISTIC);
    scene_calls(s, "GET /items/{}", ROUTE_SOURCE_STATIC);
    scene_calls(s, "GET /a/b/{**}", ROUTE_SOURCE_HEURISTIC);
    scene_declare(s, "GET", "/a/b/c");
    scene_audit(s);
    assert_int_equal(scene_route(s, "GET", "/users/{}", "")->verdict,
                     VERDICT_ACTIVE);
    const struct audit_route *me = scene_route(s, "GET", "/users/me", "");
    assert_int_equal(me->verdict, VERDICT_ACTIVE);
    assert_true(scene_has(me, AUDIT_GUESSED));
    static const char *const dead[][2] = {{"GET", "/users/me/x"},
                                          {"GET", "/{}/{}"},
                                          {"POST", "/users/new"},
                                          {"GET", "/items/all"},
                                          {"GET", "/a/b/c"}};
    for (size_t i = 0; i < sizeof(dead) / sizeof(dead[0]); i++)
        assert_int_equal(scene_route(s, dead[i][0], dead[i][1], "")->verdict,
                         VERDICT_NEVER_OBSERVED);
    scene_end(s);
}

/* Some frameworks serve a path in whatever case; a path that was answered and
 * is no other route's may be one of those.  A name of the framework's own, or
 * what is declared in its very case, is not. */
static void
a_path_in_another_case_clears_what_may_have_served_it(void **state)
{
    struct scene *s = scene_of(60, 1);

    (void)state;
    scene_declare(s, "GET", "/carts/{}");
    scene_declare(s, "GET", "/carts/{}/lines");
    scene_declare(s, "GET", "/orders");
    scene_declare(s, "GET", "/Orders");
    scene_declare(s, "GET", "/users");
    scene_calls(s, "GET /Carts/{}", ROUTE_SOURCE_HEURISTIC);
    scene_calls(s, "GET /Orders", ROUTE_SOURCE_HEURISTIC);
    scene_calls(s, "GET /Users", ROUTE_SOURCE_ATTR);
    scene_audit(s);
    const struct audit_route *carts =
        scene_expect(s, "GET", "/carts/{}", VERDICT_ACTIVE, TRUST_HIGH);
    assert_true(scene_has(carts, AUDIT_GUESSED));
    assert_null(scene_route(s, "GET", "/Carts/{}", ""));
    scene_expect(s, "GET", "/Orders", VERDICT_ACTIVE, TRUST_HIGH);
    static const char *const dead[] = {"/carts/{}/lines", "/orders", "/users"};
    for (size_t i = 0; i < sizeof(dead) / sizeof(dead[0]); i++)
        scene_expect(s, "GET", dead[i], VERDICT_NEVER_OBSERVED, TRUST_HIGH);
    scene_end(s);
}

/* A declared segment may hold a variable and a word.  A path that fits it, told
 * before it was declared, clears it. */
static void
a_path_clears_a_variable_beside_a_word(void **state)
{
    struct scene *s = scene_of(60, 1);

    (void)state;
    scene_declare(s, "GET", "/runs/{}:cancel");
    scene_declare(s, "GET", "/runs/{}:start");
    scene_declare(s, "GET", "/diff/{}...{}");
    scene_declare(s, "GET", "/reports/{}.pdf");
    scene_declare(s, "GET", "/named/{}:cancel");
    scene_calls(s, "GET /runs/seven:cancel", ROUTE_SOURCE_HEURISTIC);
    scene_calls(s, "GET /diff/one...two", ROUTE_SOURCE_HEURISTIC);
    scene_calls(s, "GET /reports/*.pdf", ROUTE_SOURCE_HEURISTIC);
    scene_calls(s, "GET /named/seven:cancel", ROUTE_SOURCE_ATTR);
    scene_audit(s);
    static const char *const live[] = {"/runs/{}:cancel", "/diff/{}...{}",
                                       "/reports/{}.pdf"};
    for (size_t i = 0; i < sizeof(live) / sizeof(live[0]); i++) {
        const struct audit_route *route =
            scene_expect(s, "GET", live[i], VERDICT_ACTIVE, TRUST_HIGH);
        assert_true(scene_has(route, AUDIT_GUESSED));
    }
    scene_expect(s, "GET", "/runs/{}:start", VERDICT_NEVER_OBSERVED,
                 TRUST_HIGH);
    scene_expect(s, "GET", "/named/{}:cancel", VERDICT_NEVER_OBSERVED,
                 TRUST_HIGH);
    scene_end(s);
}

/* Declaring a route makes the guess of its name a known one: that it was there
 * before tells that what it holds may be of others, for as long as it counts.
 */
static void
a_guess_that_was_declared_since_clears_what_it_may_have_been(void **state)
{
    enum { AGO_S = 10 * S_PER_DAY, LONG_AGO_S = 90 * S_PER_DAY };

    (void)state;
    for (int is_lately = 0; is_lately < 2; is_lately++) {
        struct scene *s = scene_of(60, 1);
        uint32_t at_s = FIXTURE_NOW_S - (is_lately ? AGO_S : LONG_AGO_S);

        db_declare(&s->db, s->shop, "GET", "/users/{}", at_s);
        db_declare(&s->db, s->shop, "GET", "/users/me", at_s);
        db_declare(&s->db, s->shop, "GET", "/teams/{}", at_s);
        db_declare(&s->db, s->shop, "GET", "/teams/me", at_s);
        db_declare(&s->db, s->shop, "GET", "/items/{}", at_s);
        db_declare(&s->db, s->shop, "GET", "/items/me", at_s);
        scene_calls(s, "GET /users/{}", ROUTE_SOURCE_STATIC);
        scene_calls(s, "GET /teams/{}", ROUTE_SOURCE_ATTR); /* said by spans */
        scene_calls(s, "GET /items/{}", ROUTE_SOURCE_STATIC);
        db_fixture_sql(
            &s->db,
            "UPDATE node SET created_s = %u WHERE name LIKE '%%items%%'",
            at_s); /* history of after the indexing */
        scene_audit(s);
        const struct audit_route *me = scene_route(s, "GET", "/users/me", "");
        assert_int_equal(me->verdict,
                         is_lately ? VERDICT_ACTIVE : VERDICT_NEVER_OBSERVED);
        assert_int_equal(scene_has(me, AUDIT_GUESSED), is_lately);
        scene_expect(s, "GET", "/teams/me", VERDICT_NEVER_OBSERVED, TRUST_HIGH);
        scene_expect(s, "GET", "/items/me", VERDICT_NEVER_OBSERVED, TRUST_HIGH);
        scene_end(s);
    }
}

/* `/status` is another route than `/{}/status`, which nobody calls. */
static void
a_declared_variable_in_front_is_not_left_out(void **state)
{
    struct scene *s = scene_of(60, 1);

    (void)state;
    scene_declare(s, "GET", "/{}/status");
    scene_declare(s, "GET", "/api/health");
    scene_calls(s, "GET /status", ROUTE_SOURCE_ATTR);
    scene_calls(s, "GET /health", ROUTE_SOURCE_ATTR); /* behind a gateway */
    scene_audit(s);
    scene_expect(s, "GET", "/{}/status", VERDICT_NEVER_OBSERVED, TRUST_HIGH);
    scene_expect(s, "GET", "/status", VERDICT_UNDOCUMENTED, TRUST_HIGH);
    scene_expect(s, "GET", "/api/health", VERDICT_ACTIVE, TRUST_HIGH);
    scene_end(s);
}

/* Hapi tells the path of a plugin without the plugin's prefix. */
static void
a_name_without_a_word_clears_what_ends_with_it(void **state)
{
    struct scene *s = scene_of(60, 1);

    (void)state;
    scene_declare(s, "GET", "/items/{}");
    scene_declare(s, "DELETE", "/items/{}");
    scene_declare(s, "GET", "/items/{}/pictures/{}");
    scene_declare(s, "GET", "/items");
    scene_calls(s, "GET /{}", ROUTE_SOURCE_ATTR);
    scene_audit(s);
    scene_expect(s, "GET", "/items/{}", VERDICT_ACTIVE, TRUST_HIGH);
    assert_true(
        scene_has(scene_route(s, "GET", "/items/{}", ""), AUDIT_MOUNTED));
    assert_null(scene_route(s, "GET", "/{}", ""));
    scene_expect(s, "DELETE", "/items/{}", VERDICT_NEVER_OBSERVED, TRUST_HIGH);
    scene_expect(s, "GET", "/items/{}/pictures/{}", VERDICT_NEVER_OBSERVED,
                 TRUST_HIGH);
    scene_expect(s, "GET", "/items", VERDICT_NEVER_OBSERVED, TRUST_HIGH);
    scene_end(s);
}

static void
a_declared_name_without_a_word_is_its_own(void **state)
{
    struct scene *s = scene_of(60, 1);

    (void)state;
    scene_declare(s, "GET", "/items/{}");
    scene_declare(s, "GET", "/{}");
    scene_calls(s, "GET /{}", ROUTE_SOURCE_ATTR);
    scene_audit(s);
    scene_expect(s, "GET", "/{}", VERDICT_ACTIVE, TRUST_HIGH);
    scene_expect(s, "GET", "/items/{}", VERDICT_NEVER_OBSERVED, TRUST_HIGH);
    scene_end(s);
}

static void
a_shadowed_or_implied_route_says_so(void **state)
{
    struct scene *s = scene_of(60, 1);

    (void)state;
    scene_declare(s, "GET", "/users/{}");
    scene_declare(s, "GET", "/users/me");
    scene_declare(s, "HEAD", "/users/{}");
    scene_calls(s, "GET /users/{}", ROUTE_SOURCE_ATTR);
    scene_audit(s);
    const struct audit_route *me =
        scene_expect(s, "GET", "/users/me", VERDICT_NEVER_OBSERVED, TRUST_HIGH);
    assert_true(scene_has(me, AUDIT_SHADOWED));
    assert_true(me->shadowed_by != 0);
    const struct audit_route *head =
        scene_expect(s, "HEAD", "/users/{}", VERDICT_NEVER_OBSERVED, TRUST_LOW);
    assert_true(scene_has(head, AUDIT_IMPLIED));
    scene_end(s);
}

static void
an_alias_counts_for_its_template(void **state)
{
    struct scene *s = scene_of(60, 1);

    (void)state;
    scene_declare(s, "GET", "/p/{}");
    uint32_t to = db_route(&s->db, s->shop, "GET /p/{}");
    scene_calls(s, "GET /p/red", ROUTE_SOURCE_HEURISTIC);
    db_fixture_sql(&s->db,
                   "UPDATE node SET alias = %u WHERE name = "
                   "'GET /p/red'",
                   to);
    scene_audit(s);
    scene_expect(s, "GET", "/p/{}", VERDICT_ACTIVE, TRUST_HIGH);
    assert_null(scene_route(s, "GET", "/p/red", ""));
    scene_end(s);
}

static void
a_periodic_name_lowers_trust_in_a_short_window(void **state)
{
    struct scene *s = scene_of(60, 1);

    (void)state;
    scene_declare(s, "POST", "/admin/close-year");
    scene_declare(s, "GET", "/Reports/Sales");
    scene_declare(s, "GET", "/sales");
    scene_audit(s);
    scene_expect(s, "POST", "/admin/close-year", VERDICT_NEVER_OBSERVED,
                 TRUST_MEDIUM);
    scene_expect(s, "GET", "/Reports/Sales", VERDICT_NEVER_OBSERVED,
                 TRUST_MEDIUM);
    scene_expect(s, "GET", "/sales", VERDICT_NEVER_OBSERVED, TRUST_HIGH);
    scene_end(s);
}

static void
a_window_holds_two_cycles_of_the_season_a_name_tells(void **state)
{
    static const struct {
        uint32_t window;
        const char *path;
        enum trust trust;
    } cases[] = {
        {13, "/digest/weekly", TRUST_MEDIUM},
        {14, "/digest/weekly", TRUST_HIGH},
        {27, "/BiweeklyDigest", TRUST_MEDIUM},
        {28, "/BiweeklyDigest", TRUST_HIGH},
        {61, "/admin/weekly", TRUST_MEDIUM}, /* the longest */
        {61, "/fortnightly-report", TRUST_MEDIUM},
        {30, "/monthlyish", TRUST_HIGH},
        {30, "/headquarters", TRUST_HIGH}, /* another word */
        {61, "/MonthEnd", TRUST_MEDIUM},
        {62, "/MonthEnd", TRUST_HIGH},
        {183, "/quarterly", TRUST_MEDIUM},
        {184, "/quarterly", TRUST_HIGH},
        {184, "/closeQuarter", TRUST_HIGH},
        {400, "/annual/fees", TRUST_MEDIUM}, /* no window is so long */
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct scene *s = scene_of(400, 1);
        s->cfg.stale_days = cases[i].window;
        scene_declare(s, "GET", cases[i].path);
        scene_audit(s);
        scene_expect(s, "GET", cases[i].path, VERDICT_NEVER_OBSERVED,
                     cases[i].trust);
        scene_end(s);
    }
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

/* Where spans tell the route, what has none and is answered 404 was of none. */
static void
unmatched_requests_weaken_only_what_was_matched(void **state)
{
    static const struct {
        enum route_source named;
        const char *overflow;
        enum trust trust;
    } rows[] = {
        {ROUTE_SOURCE_ATTR, "GET {unmatched}", TRUST_HIGH},
        {ROUTE_SOURCE_NAME, "GET {unmatched}", TRUST_HIGH},
        {ROUTE_SOURCE_STATIC, "GET {unmatched}", TRUST_LOW},
        {ROUTE_SOURCE_ATTR, "GET {other}", TRUST_LOW},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct scene *s = scene_of(60, 1);
        scene_declare(s, "GET", "/users");
        scene_declare(s, "GET", "/dead");
        scene_calls(s, "GET /users", rows[i].named);
        db_fixture_sql(&s->db, "UPDATE node SET source = %d WHERE kind = %d",
                       (int)rows[i].named, (int)NODE_ROUTE);
        scene_calls(s, rows[i].overflow, ROUTE_SOURCE_OVERFLOW);
        scene_audit(s);
        const struct audit_route *dead = scene_expect(
            s, "GET", "/dead", VERDICT_NEVER_OBSERVED, rows[i].trust);
        assert_int_equal(scene_has(dead, AUDIT_OVERFLOW),
                         rows[i].trust == TRUST_LOW);
        scene_end(s);
    }
}

/* A service of routes and RPC methods, of each kind one that is called and one
 * that is not. */
static struct scene *
scene_of_both(void)
{
    struct scene *s = scene_of(60, 1);
    uint32_t rpc = db_node(&s->db, NODE_RPC, s->shop, "shop.Cart/Add", "");

    db_daily(&s->db, db_edge(&s->db, 0, rpc, EDGE_TRAFFIC, 1), TODAY - 60,
             TODAY, 1000, 1);
    scene_declare(s, "", "shop.Cart/Add");
    scene_declare(s, "", "shop.Cart/Dead");
    scene_declare(s, "GET", "/dead");
    return s;
}

/* Names that whoever asks makes up, as of tools, run into the bound of names;
 * no call of a route is among those beyond it. */
static void
what_overflows_weakens_only_its_kind(void **state)
{
    (void)state;
    for (int is_rpc = 0; is_rpc < 2; is_rpc++) {
        struct scene *s = scene_of_both();
        uint32_t rest =
            is_rpc ? db_node(&s->db, NODE_RPC, s->shop, "__overflow__", "")
                   : db_route(&s->db, s->shop, "GET {other}");

        db_source(&s->db, rest, ROUTE_SOURCE_OVERFLOW);
        db_daily(&s->db, db_edge(&s->db, 0, rest, EDGE_TRAFFIC, 1), TODAY - 20,
                 TODAY, 3, 1);
        scene_audit(s);
        const struct audit_route *route =
            scene_expect(s, "GET", "/dead", VERDICT_NEVER_OBSERVED,
                         is_rpc ? TRUST_HIGH : TRUST_LOW);
        const struct audit_route *rpc =
            scene_expect(s, "", "shop.Cart/Dead", VERDICT_NEVER_OBSERVED,
                         is_rpc ? TRUST_LOW : TRUST_HIGH);
        assert_int_equal(scene_has(route, AUDIT_OVERFLOW), !is_rpc);
        assert_int_equal(scene_has(rpc, AUDIT_OVERFLOW), is_rpc);
        scene_end(s);
    }
}

/* A sender that tells a path of HTTP alone for an RPC method has it among them.
 */
static void
paths_beyond_the_bound_may_be_rpc_methods(void **state)
{
    (void)state;
    for (int guesses = 0; guesses < 2; guesses++) {
        struct scene *s = scene_of_both();
        uint32_t rest = db_route(&s->db, s->shop, "POST {other}");

        db_source(&s->db, rest, ROUTE_SOURCE_OVERFLOW);
        db_daily(&s->db, db_edge(&s->db, 0, rest, EDGE_TRAFFIC, 1), TODAY - 20,
                 TODAY, 3, 1);
        if (guesses) {
            uint32_t guess = db_route(&s->db, s->shop, "GET /orders/{}");
            db_source(&s->db, guess, ROUTE_SOURCE_HEURISTIC);
            db_daily(&s->db, db_edge(&s->db, 0, guess, EDGE_TRAFFIC, 1),
                     TODAY - 20, TODAY, 1, 1);
        }
        scene_audit(s);
        scene_expect(s, "", "shop.Cart/Dead", VERDICT_NEVER_OBSERVED,
                     guesses ? TRUST_LOW : TRUST_HIGH);
        scene_end(s);
    }
}

/* However many calls of RPC methods are told by name: of the routes' calls,
 * most are not. */
static void
names_of_rpc_methods_lend_guessed_routes_no_trust(void **state)
{
    struct scene *s = scene_of_both();
    uint32_t guess = db_route(&s->db, s->shop, "GET /orders/{}");

    (void)state;
    db_source(&s->db, guess, ROUTE_SOURCE_HEURISTIC);
    db_daily(&s->db, db_edge(&s->db, 0, guess, EDGE_TRAFFIC, 1), TODAY - 60,
             TODAY, 300, 1);
    scene_audit(s);
    const struct audit_route *dead =
        scene_expect(s, "GET", "/dead", VERDICT_NEVER_OBSERVED, TRUST_LOW);
    assert_true(scene_has(dead, AUDIT_UNTRUSTED));
    scene_expect(s, "", "shop.Cart/Dead", VERDICT_NEVER_OBSERVED, TRUST_HIGH);
    scene_end(s);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(x16_the_ignore_list_shows_and_does_not_accuse),
        cmocka_unit_test(a_likely_match_clears_and_never_accuses),
        cmocka_unit_test(a_guess_that_is_wider_clears_what_it_may_have_been),
        cmocka_unit_test(a_path_in_another_case_clears_what_may_have_served_it),
        cmocka_unit_test(a_path_clears_a_variable_beside_a_word),
        cmocka_unit_test(
            a_guess_that_was_declared_since_clears_what_it_may_have_been),
        cmocka_unit_test(a_declared_variable_in_front_is_not_left_out),
        cmocka_unit_test(a_name_without_a_word_clears_what_ends_with_it),
        cmocka_unit_test(a_declared_name_without_a_word_is_its_own),
        cmocka_unit_test(a_shadowed_or_implied_route_says_so),
        cmocka_unit_test(an_alias_counts_for_its_template),
        cmocka_unit_test(a_periodic_name_lowers_trust_in_a_short_window),
        cmocka_unit_test(a_window_holds_two_cycles_of_the_season_a_name_tells),
        cmocka_unit_test(coverage_of_patterns_is_by_segment),
        cmocka_unit_test(unmatched_requests_weaken_only_what_was_matched),
        cmocka_unit_test(what_overflows_weakens_only_its_kind),
        cmocka_unit_test(names_of_rpc_methods_lend_guessed_routes_no_trust),
        cmocka_unit_test(paths_beyond_the_bound_may_be_rpc_methods),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
