/*
 * What changed between two windows, and how far a migration is.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "model/stub.h"
#include "tests/support/ask_tools.h"
#include "tests/support/context_shop.h"

#define WEEKS "\"at\":\"7d\",\"span\":\"7d\""
#define MOVE \
    "{\"old\":\"checkout POST /old-buy\",\"new\":\"checkout POST /buy\"}"

/* Days of one edge: |count| a day with |errors| and a latency. */
static void
days(uint32_t edge, uint32_t from, uint32_t to, int count, int errors,
     uint64_t latency_ns)
{
    for (uint32_t back = from + 1; back-- > to;) {
        db_day(&context_shop.db, edge, FIXTURE_DAY - back, count, 1,
               latency_ns);
        db_fixture_sql(&context_shop.db,
                       "UPDATE edge_day SET errors = %d WHERE edge = %u AND "
                       "day = %u",
                       errors, edge, FIXTURE_DAY - back);
    }
    db_times(&context_shop.db, edge, (FIXTURE_DAY - from) * 86400,
             (FIXTURE_DAY - to) * 86400 + 3600);
}

static void
two_weeks(void)
{
    struct db_fixture *db = &context_shop.db;
    uint32_t gone = db_route(db, context_shop.checkout, "POST /old-buy");
    uint32_t fresh = db_route(db, context_shop.checkout, "POST /new-buy");
    uint32_t slow = db_route(db, context_shop.checkout, "GET /slow");

    days(context_shop.cart_to_buy, 14, 1, 100, 0, 5000000);
    days(db_edge(db, context_shop.cart, gone, EDGE_CALL, 700), 14, 8, 100, 0,
         5000000);
    days(db_edge(db, context_shop.cart, fresh, EDGE_CALL, 70), 7, 1, 10, 0,
         5000000);
    uint32_t edge = db_edge(db, context_shop.cart, slow, EDGE_CALL, 1400);
    days(edge, 14, 8, 100, 1, 5000000);
    days(edge, 7, 1, 300, 60, 50000000);
    db_times(db, edge, (FIXTURE_DAY - 14) * 86400, FIXTURE_NOW_S - 60);
}

static void
compare_tells_new_vanished_and_changed(void **state)
{
    (void)state;
    two_weeks();
    cJSON *out = ask(context_shop.tools, "compare", "{" WEEKS "}");
    assert_string_equal(ask_text(out, "summary"),
                        "1 new, 1 vanished, 1 changed, 1 as before");
    assert_int_equal(ask_len(out, "rows"), 3);
    const cJSON *row = ask_row(out, "rows", 0);
    assert_string_equal(ask_text(row, "change"), "vanished");
    assert_string_equal(ask_text(row, "target"), "checkout POST /old-buy");
    assert_string_equal(ask_text(row, "source"), "web GET /cart/{}");
    assert_int_equal(
        (int)ask_number(cJSON_GetObjectItem(row, "before"), "calls"), 700);
    assert_int_equal(
        (int)ask_number(cJSON_GetObjectItem(row, "after"), "calls"), 0);
    row = ask_row(out, "rows", 1);
    assert_string_equal(ask_text(row, "change"), "new");
    assert_string_equal(ask_text(row, "target"), "checkout POST /new-buy");
    row = ask_row(out, "rows", 2);
    assert_string_equal(ask_text(row, "change"), "changed");
    assert_string_equal(ask_text(row, "target"), "checkout GET /slow");
    assert_int_equal(ask_len(row, "in"), 3);
    const cJSON *before = cJSON_GetObjectItem(row, "before");
    const cJSON *after = cJSON_GetObjectItem(row, "after");
    assert_int_equal((int)ask_number(before, "calls"), 700);
    assert_int_equal((int)ask_number(after, "calls"), 2100);
    assert_true(ask_number(before, "error_rate") == 0.01);
    assert_true(ask_number(after, "error_rate") == 0.2);
    assert_true(ask_number(before, "p95_ms") > 4.8 &&
                ask_number(before, "p95_ms") < 5.2);
    assert_true(ask_number(after, "p95_ms") > 48 &&
                ask_number(after, "p95_ms") < 52);
    const cJSON *window = cJSON_GetObjectItem(out, "before");
    assert_int_equal((int)ask_number(window, "from"),
                     (FIXTURE_DAY - 14) * 86400);
    assert_int_equal((int)ask_number(window, "to"), (FIXTURE_DAY - 7) * 86400);
    assert_string_equal(ask_text(window, "resolution"), "day");
    cJSON_Delete(out);
}

/* So many that the latencies of all are not looked up: of the busiest both
 * windows' are. */
static void
compare_tells_latencies_of_the_busiest(void **state)
{
    enum { ROUTES = 2500 };
    struct db_fixture *db = &context_shop.db;
    char name[32];

    (void)state;
    db_fixture_sql(db, "BEGIN");
    for (int i = 0; i < ROUTES; i++) {
        snprintf(name, sizeof(name), "GET /many/%d", i);
        uint32_t route = db_route(db, context_shop.checkout, name);
        int calls = i == ROUTES / 2 ? 100 : 50;
        uint32_t edge =
            db_edge(db, context_shop.cart, route, EDGE_CALL, calls * 14);

        days(edge, 8, 8, calls, 0, 5000000);
        days(edge, 1, 1, calls, 0, calls == 100 ? 50000000 : 5000000);
    }
    db_fixture_sql(db, "COMMIT");
    cJSON *out = ask(context_shop.tools, "compare", "{" WEEKS "}");
    assert_int_equal(
        (int)ask_number(cJSON_GetObjectItem(out, "by_change"), "changed"), 1);
    const cJSON *row = ask_row(out, "rows", 0);
    assert_string_equal(ask_text(row, "target"), "checkout GET /many/1250");
    assert_string_equal(
        cJSON_GetArrayItem(cJSON_GetObjectItem(row, "in"), 0)->valuestring,
        "latency");
    assert_true(ask_number(cJSON_GetObjectItem(row, "after"), "p95_ms") > 48);
    assert_true(ask_hints(out, "2000 busiest"));
    cJSON_Delete(out);
}

static void
compare_can_be_narrowed(void **state)
{
    static const struct {
        const char *args;
        int rows;
    } cases[] = {
        {"{" WEEKS ",\"change\":\"all\"}", 4},
        {"{" WEEKS ",\"change\":\"same\"}", 1},
        {"{" WEEKS ",\"change\":\"vanished\"}", 1},
        {"{" WEEKS ",\"service\":\"pay\"}", 0},
        {"{" WEEKS ",\"by\":\"route\"}", 3},
        {"{" WEEKS ",\"level\":\"service\",\"change\":\"all\"}", 1},
        {"{" WEEKS ",\"limit\":2}", 2},
    };

    (void)state;
    two_weeks();
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        cJSON *out = ask(context_shop.tools, "compare", cases[i].args);
        if (ask_len(out, "rows") != cases[i].rows)
            fail_msg("%s: %s", cases[i].args, cJSON_Print(out));
        cJSON_Delete(out);
    }
}

static void
by_route_all_callers_are_one(void **state)
{
    (void)state;
    two_weeks();
    uint32_t other = db_route(&context_shop.db, context_shop.web, "GET /other");
    days(db_edge(&context_shop.db, other, context_shop.buy, EDGE_CALL, 1750), 7,
         1, 250, 0, 0);
    cJSON *out =
        ask(context_shop.tools, "compare", "{" WEEKS ",\"by\":\"route\"}");
    const cJSON *row = ask_row(out, "rows", 2);
    /* By edge, the second caller would be new. */
    assert_string_equal(ask_text(row, "change"), "changed");
    assert_string_equal(ask_text(row, "target"), "checkout POST /buy");
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(row, "source")));
    const cJSON *after = cJSON_GetObjectItem(row, "after");
    assert_int_equal((int)ask_number(after, "calls"), 2450);
    assert_true(ask_number(after, "p95_ms") > 4.8);
    cJSON_Delete(out);
}

/* A route whose callers' spans never come is called without being in a row. */
static void
compare_tells_what_its_rows_leave_out(void **state)
{
    struct db_fixture *db = &context_shop.db;

    (void)state;
    two_weeks();
    cJSON *out = ask(context_shop.tools, "compare", "{" WEEKS "}");
    assert_false(ask_hints(out, "sampled"));
    assert_false(ask_hints(out, "by whom is not known"));
    cJSON_Delete(out);
    uint32_t scope = db_node(db, NODE_SCOPE, 0, "otel.more", "");
    uint32_t edge = db_edge(db, scope, context_shop.checkout, EDGE_ORPHAN, 90);
    db_times(db, edge, 1, FIXTURE_NOW_S - 60);
    db_fixture_sql(db, "INSERT INTO counter VALUES ('orphan_ingress', 90) ON "
                       "CONFLICT DO UPDATE SET value = 90");
    db_fixture_sql(db,
                   "UPDATE edge_day SET "
                   "weighted = count * 4 * %lld",
                   (long long)WEIGHT_ONE);
    out = ask(context_shop.tools, "compare", "{" WEEKS ",\"by\":\"route\"}");
    assert_true(ask_hints(out, "they stand for, 4 times as much"));
    assert_true(ask_hints(out, "90 calls of all time by whom is not known"));
    cJSON_Delete(out);
    out = ask(context_shop.tools, "compare",
              "{" WEEKS ",\"service\":\"checkout\"}");
    assert_true(ask_hints(out, "by whom is not known, 90 times"));
    cJSON_Delete(out);
    out = ask(context_shop.tools, "service_map", "{\"service\":\"checkout\"}");
    assert_true(ask_hints(out, "by whom is not known, 90 times"));
    cJSON_Delete(out);
}

static void
compare_refuses_windows_that_are_none(void **state)
{
    (void)state;
    ask_refused(context_shop.tools, "compare", "{\"span\":\"soon\"}",
                "no duration");
    ask_refused(context_shop.tools, "compare", "{\"span\":\"0h\"}",
                "no duration");
    ask_refused(context_shop.tools, "compare", "{\"at\":\"never\"}", "no time");
    ask_refused(context_shop.tools, "compare", "{\"at\":\"2099-01-01\"}",
                "at must be in the past");
    ask_refused(context_shop.tools, "compare",
                "{\"at\":\"7d\",\"baseline\":\"1d\"}", "baseline");
    ask_refused(context_shop.tools, "compare",
                "{\"at\":\"7d\",\"span\":\"1h\"}", "whole days");
    ask_refused(context_shop.tools, "compare",
                "{\"at\":\"10m\",\"span\":\"10m\"}", "whole hours");
    ask_refused(context_shop.tools, "compare", "{\"by\":\"name\"}",
                "\"edge\" or \"route\"");
    ask_refused(context_shop.tools, "compare", "{\"change\":\"some\"}",
                "vanished");
    ask_refused(context_shop.tools, "compare", "{\"service\":\"nobody\"}",
                "unknown");
    cJSON *out = ask(context_shop.tools, "compare", "{}");
    assert_int_equal(ask_len(out, "rows"), 0);
    cJSON_Delete(out);
}

/* Since when and until when, in hours before the fixture's 12:30. */
static void
assert_side(const cJSON *out, const char *name, double from_h, double to_h,
            const char *unit)
{
    const cJSON *window = cJSON_GetObjectItem(out, name);

    assert_string_equal(ask_text(window, "resolution"), unit);
    assert_int_equal((int)ask_number(window, "from"),
                     FIXTURE_NOW_S - (uint32_t)(from_h * 3600));
    assert_int_equal((int)ask_number(window, "to"),
                     FIXTURE_NOW_S - (uint32_t)(to_h * 3600));
}

static bool
has_hint(const cJSON *out, const char *part)
{
    const cJSON *hint;

    cJSON_ArrayForEach(hint, cJSON_GetObjectItem(out, "hints"))
    {
        if (strstr(hint->valuestring, part))
            return true;
    }
    return false;
}

static void
a_deploy_of_yesterday_is_compared_by_hours(void **state)
{
    (void)state;
    cJSON *out = ask(context_shop.tools, "compare", "{\"at\":\"1d\"}");
    assert_side(out, "before", 47.5, 24.5, "hour");
    assert_side(out, "after", 24.5, 0, "hour");
    assert_false(has_hint(out, "midnight"));
    cJSON_Delete(out);
    /* Hours for half of the span, and for less. */
    out =
        ask(context_shop.tools, "compare", "{\"at\":\"23h\",\"span\":\"2d\"}");
    assert_side(out, "before", 47.5, 23.5, "hour");
    cJSON_Delete(out);
    out =
        ask(context_shop.tools, "compare", "{\"at\":\"24h\",\"span\":\"2d\"}");
    assert_side(out, "before", 84.5, 36.5, "day");
    assert_side(out, "after", 24.5, 0, "hour");
    assert_true(has_hint(out, "before ends at midnight (UTC), 12 hours early"));
    cJSON_Delete(out);
}

static void
compare_tells_what_whole_days_do_to_a_window(void **state)
{
    (void)state;
    cJSON *out = ask(context_shop.tools, "compare", "{\"at\":\"3d\"}");
    assert_side(out, "before", 108.5, 84.5, "day");
    assert_true(has_hint(out, "before ends at midnight (UTC), 12 hours early"));
    assert_true(has_hint(out, "after begins at midnight (UTC), 12 hours"));
    cJSON_Delete(out);
    out =
        ask(context_shop.tools, "compare", "{\"at\":\"2025-12-26T00:00:00Z\"}");
    assert_false(has_hint(out, "midnight"));
    cJSON_Delete(out);
}

static void
migrate(uint32_t old_last)
{
    struct db_fixture *db = &context_shop.db;
    uint32_t from = db_route(db, context_shop.checkout, "POST /old-buy");
    uint32_t cron = db_service(db, "cron");

    days(db_edge(db, context_shop.cart, from, EDGE_CALL, 90), 10, old_last + 1,
         30, 0, 0);
    days(db_edge(db, cron, from, EDGE_CALL, 10), 10, old_last, 10, 1, 0);
    days(context_shop.cart_to_buy, 6, 1, 60, 0, 0);
}

static void
migration_tells_shares_by_day_and_who_still_calls(void **state)
{
    (void)state;
    migrate(2);
    cJSON *out = ask(context_shop.tools, "migration_progress", MOVE);
    assert_string_equal(ask_text(out, "state"), "in_progress");
    assert_int_equal((int)ask_number(out, "old_calls"), 8 * 30 + 9 * 10);
    assert_int_equal((int)ask_number(out, "new_calls"), 6 * 60);
    assert_true(ask_number(out, "share") > 0.52 &&
                ask_number(out, "share") < 0.53);
    const cJSON *day = ask_row(out, "days", 0);
    assert_string_equal(ask_text(day, "date"), "2025-12-19");
    assert_int_equal((int)ask_number(day, "old_calls"), 40);
    assert_int_equal((int)ask_number(day, "old_errors"), 1);
    assert_true(ask_number(day, "share") == 0);
    day = ask_row(out, "days", 5);
    assert_int_equal((int)ask_number(day, "new_calls"), 60);
    assert_true(ask_number(day, "share") == 0.6);
    assert_int_equal(ask_len(out, "days"), 11);
    assert_int_equal(ask_len(out, "old_callers"), 2);
    const cJSON *last = cJSON_GetObjectItem(out, "last_caller");
    assert_string_equal(ask_text(last, "caller"), "cron");
    assert_int_equal((int)ask_number(last, "last_observed"),
                     (FIXTURE_DAY - 2) * 86400 + 3600);
    cJSON_Delete(out);
}

static void
a_migration_is_done_when_old_is_quiet_for_a_week(void **state)
{
    (void)state;
    migrate(8);
    cJSON *out = ask(context_shop.tools, "migration_progress", MOVE);
    assert_string_equal(ask_text(out, "state"), "done");
    cJSON_Delete(out);
    out = ask(context_shop.tools, "migration_progress",
              "{\"new\":\"checkout POST /old-buy\",\"old\":\"checkout POST "
              "/buy\",\"since\":\"5d\"}");
    assert_string_equal(ask_text(out, "state"), "not_begun");
    cJSON_Delete(out);
}

static void
who_calls_the_old_in_the_code_is_told_too(void **state)
{
    (void)state;
    cJSON *out = ask(context_shop.tools, "migration_progress",
                     "{\"old\":\"chargeCard\",\"new\":\"kafka:orders\"}");
    assert_string_equal(ask_text(out, "state"), "no_traffic");
    const cJSON *row = ask_row(out, "code_callers", 0);
    assert_string_equal(ask_text(row, "symbol"),
                        "github.com/acme/shop://checkout.Buy");
    assert_string_equal(ask_text(row, "file"), "checkout/buy.go");
    assert_true(cJSON_IsFalse(cJSON_GetObjectItem(row, "observed")));
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(out, "last_caller")));
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(out, "share")));
    cJSON_Delete(out);
}

static void
a_migration_of_nothing_known_is_refused(void **state)
{
    (void)state;
    ask_refused(context_shop.tools, "migration_progress", "{\"new\":\"web\"}",
                "old is required");
    ask_refused(context_shop.tools, "migration_progress", "{\"old\":\"web\"}",
                "new is required");
    ask_refused(context_shop.tools, "migration_progress",
                "{\"old\":\"POST /bux\",\"new\":\"web\"}", "/buy");
    ask_refused(context_shop.tools, "migration_progress",
                "{\"old\":\"web\",\"new\":\"pay\",\"since\":\"500d\"}",
                "last 400 days");
    ask_refused(context_shop.tools, "migration_progress",
                "{\"old\":\"web\",\"new\":\"pay\",\"since\":\"2099-01-01\"}",
                "last 400 days");
    ask_refused(context_shop.tools, "migration_progress",
                "{\"old\":\"web\",\"new\":\"pay\",\"env\":\"nowhere\"}",
                "no service is seen in env 'nowhere'");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        CONTEXT_SHOP(compare_tells_new_vanished_and_changed),
        CONTEXT_SHOP(compare_tells_latencies_of_the_busiest),
        CONTEXT_SHOP(compare_can_be_narrowed),
        CONTEXT_SHOP(by_route_all_callers_are_one),
        CONTEXT_SHOP(compare_tells_what_its_rows_leave_out),
        CONTEXT_SHOP(compare_refuses_windows_that_are_none),
        CONTEXT_SHOP(a_deploy_of_yesterday_is_compared_by_hours),
        CONTEXT_SHOP(compare_tells_what_whole_days_do_to_a_window),
        CONTEXT_SHOP(migration_tells_shares_by_day_and_who_still_calls),
        CONTEXT_SHOP(a_migration_is_done_when_old_is_quiet_for_a_week),
        CONTEXT_SHOP(who_calls_the_old_in_the_code_is_told_too),
        CONTEXT_SHOP(a_migration_of_nothing_known_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
