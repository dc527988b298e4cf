#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "cmd/dead_print.h"
#include "cmd/gate.h"
#include "tests/support/db_fixture.h"
#include "tests/support/dir.h"

static struct db_fixture fixture;
static struct ask ask;
static uint32_t shop;

static int
open_store(void **state)
{
    const struct query_cfg cfg = {.readers = 1, .ages = confidence_cfg_default};
    struct buf why = {0};

    (void)state;
    db_fixture_open(&fixture);
    shop = db_service(&fixture, "shop|<b>");
    assert_int_equal(query_open(&ask.query, fixture.dir, &cfg, &why), OK);
    assert_int_equal(query_begin(ask.query, FIXTURE_NOW_S, &ask.view), OK);
    return 0;
}

static int
close_store(void **state)
{
    (void)state;
    query_end(ask.view);
    query_close(ask.query);
    db_fixture_close(&fixture);
    return 0;
}

static struct audit_route
route(const char *pattern, enum verdict verdict, double coverage)
{
    return (struct audit_route){.service = shop,
                                .kind = NODE_ROUTE,
                                .is_declared = true,
                                .method = STR("GET"),
                                .pattern = str_of(pattern),
                                .verdict = verdict,
                                .trust = TRUST_HIGH,
                                .coverage = coverage};
}

static int
code_of(struct gate *gate, struct audit_route *routes, size_t len)
{
    const struct audit audit = {.routes = routes, .len = len};

    assert_int_equal(gate_judge(gate, ask.view, &audit), OK);
    return gate_code(gate);
}

static int
code_of_one(enum gate_fail_on fail_on, enum verdict verdict)
{
    struct audit_route rows[] = {route("/a", verdict, 1),
                                 route("/b", VERDICT_ACTIVE, 1)};
    struct gate gate = {.fail_on = fail_on};
    int code = code_of(&gate, rows, 2);

    gate_fini(&gate);
    return code;
}

static void
each_class_fails_on_its_verdicts_and_no_other(void **state)
{
    const uint32_t dead = 1u << VERDICT_NEVER_OBSERVED | 1u << VERDICT_STOPPED;
    const uint32_t any = dead | 1u << VERDICT_ZOMBIE |
                         1u << VERDICT_SYNTHETIC_ONLY |
                         1u << VERDICT_PROBE_ONLY | 1u << VERDICT_UNDOCUMENTED;

    (void)state;
    for (int i = 0; i < VERDICT_COUNT; i++) {
        enum verdict verdict = (enum verdict)i;
        assert_int_equal(code_of_one(FAIL_ON_DEAD, verdict), dead >> i & 1);
        assert_int_equal(code_of_one(FAIL_ON_ANY, verdict), any >> i & 1);
        assert_int_equal(code_of_one(FAIL_ON_NONE, verdict), EXIT_CLEAN);
    }
}

static void
findings_fail_when_there_are_more_than_may_be(void **state)
{
    struct audit_route rows[] = {route("/a", VERDICT_STOPPED, 1),
                                 route("/b", VERDICT_NEVER_OBSERVED, 1),
                                 route("/c", VERDICT_INSUFFICIENT, 0.1)};
    static const struct {
        size_t max_new;
        double min_coverage;
        int code;
    } cases[] = {
        {0, 0, EXIT_FINDINGS},     {1, 0, EXIT_FINDINGS},
        {2, 0, EXIT_CLEAN},        {2, 0.5, EXIT_NO_EVIDENCE},
        {SIZE_MAX, 0, EXIT_CLEAN},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct gate gate = {.max_new = cases[i].max_new,
                            .min_coverage = cases[i].min_coverage};
        assert_int_equal(code_of(&gate, rows, 3), cases[i].code);
        assert_int_equal(gate.count[GATE_NEW], 2);
        gate_fini(&gate);
    }
}

static void
coverage_is_enough_at_the_bound_and_not_below(void **state)
{
    struct audit_route at[] = {route("/a", VERDICT_STOPPED, 0.95)};
    struct audit_route below[] = {route("/a", VERDICT_STOPPED, 0.9499)};
    struct gate gate = {.min_coverage = 0.95};

    (void)state;
    assert_int_equal(code_of(&gate, at, 1), EXIT_FINDINGS);
    gate_fini(&gate);
    gate = (struct gate){.min_coverage = 0.95};
    assert_int_equal(code_of(&gate, below, 1), EXIT_NO_EVIDENCE);
    assert_int_equal(gate.count[GATE_WEAK], 1);
    gate_fini(&gate);
}

static void
calls_that_were_seen_need_no_coverage(void **state)
{
    struct audit_route rows[] = {route("/a", VERDICT_UNDOCUMENTED, 0.1),
                                 route("/b", VERDICT_ACTIVE, 0.1)};
    struct gate gate = {.fail_on = FAIL_ON_ANY, .min_coverage = 0.95};

    (void)state;
    assert_int_equal(code_of(&gate, rows, 2), EXIT_FINDINGS);
    gate_fini(&gate);
    gate = (struct gate){.fail_on = FAIL_ON_DEAD, .min_coverage = 0.95};
    assert_int_equal(code_of(&gate, rows, 2), EXIT_CLEAN);
    gate_fini(&gate);
}

static void
a_finding_goes_before_missing_evidence(void **state)
{
    struct audit_route rows[] = {route("/a", VERDICT_STOPPED, 1),
                                 route("/b", VERDICT_INSUFFICIENT, 0.1)};
    struct gate gate = {.min_coverage = 0.5};

    (void)state;
    assert_int_equal(code_of(&gate, rows, 2), EXIT_FINDINGS);
    gate_fini(&gate);
    gate = (struct gate){.min_coverage = 0.5};
    assert_int_equal(code_of(&gate, rows + 1, 1), EXIT_NO_EVIDENCE);
    gate_fini(&gate);
}

static void
no_routes_and_only_open_ones_are_no_evidence(void **state)
{
    struct audit_route rows[] = {route("/a", VERDICT_SUPPRESSED, 1),
                                 route("/b", VERDICT_TOO_NEW, 1)};
    struct gate gate = {0};

    (void)state;
    assert_int_equal(code_of(&gate, rows, 0), EXIT_NO_EVIDENCE);
    gate_fini(&gate);
    assert_int_equal(code_of(&gate, rows, 2), EXIT_NO_EVIDENCE);
    gate_fini(&gate);
}

static const char baseline[] =
    "{\"routes\":["
    "{\"service\":\"shop|<b>\",\"env\":\"\",\"method\":\"GET\","
    "\"route\":\"/known\",\"verdict\":\"never_observed\"},"
    "{\"service\":\"shop|<b>\",\"env\":\"\",\"method\":\"GET\","
    "\"route\":\"/alive\",\"verdict\":\"active\"},"
    "{\"service\":\"shop|<b>\",\"env\":\"prod\",\"method\":\"GET\","
    "\"route\":\"/elsewhere\",\"verdict\":\"stopped\"}]}";

static void
only_what_counted_in_the_baseline_is_known(void **state)
{
    struct audit_route rows[] = {route("/known", VERDICT_STOPPED, 1),
                                 route("/alive", VERDICT_STOPPED, 1),
                                 route("/elsewhere", VERDICT_STOPPED, 1)};
    struct gate gate = {0};

    (void)state;
    assert_int_equal(gate_baseline(&gate, str_of(baseline)), OK);
    assert_int_equal(code_of(&gate, rows, 3), EXIT_FINDINGS);
    assert_int_equal(gate.marks[0], GATE_KNOWN);
    assert_int_equal(gate.marks[1], GATE_NEW);
    assert_int_equal(gate.marks[2], GATE_NEW);
    gate_fini(&gate);
    assert_int_equal(gate_baseline(&gate, str_of(baseline)), OK);
    assert_int_equal(code_of(&gate, rows, 1), EXIT_CLEAN);
    gate_fini(&gate);
}

static void
a_baseline_that_is_none_is_refused(void **state)
{
    static const char *const texts[] = {
        "",
        "{",
        "[]",
        "{\"routes\":{}}",
        "{\"routes\":[7]}",
        "{\"routes\":[{\"service\":\"a\",\"env\":\"\",\"method\":\"GET\","
        "\"route\":\"/\",\"verdict\":\"odd\"}]}",
        "{\"routes\":[{\"service\":\"a\",\"env\":\"\",\"method\":\"GET\","
        "\"verdict\":\"stopped\"}]}",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct gate gate = {0};
        assert_int_equal(gate_baseline(&gate, str_of(texts[i])), ERR_INVALID);
        assert_false(gate.has_baseline);
        gate_fini(&gate);
    }
    struct gate gate = {0};
    assert_int_equal(gate_baseline(&gate, STR("{\"routes\":[]}")), OK);
    assert_true(gate.has_baseline);
    gate_fini(&gate);
}

static cJSON *
sarif_of(struct audit_route *rows, size_t len, size_t max, struct gate *gate)
{
    const struct audit audit = {.routes = rows, .len = len};
    const struct dead_report report = {
        .ask = &ask, .audit = &audit, .gate = gate, .sarif_max = max};

    assert_int_equal(gate_judge(gate, ask.view, &audit), OK);
    cJSON *sarif = dead_sarif(&report);
    assert_non_null(sarif);
    return sarif;
}

static const cJSON *
run_of(const cJSON *sarif)
{
    return cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(sarif, "runs"),
                              0);
}

static const cJSON *
results_of(const cJSON *sarif)
{
    return cJSON_GetObjectItemCaseSensitive(run_of(sarif), "results");
}

static const cJSON *
notices_of(const cJSON *sarif)
{
    const cJSON *list =
        cJSON_GetObjectItemCaseSensitive(run_of(sarif), "invocations");

    return cJSON_GetObjectItemCaseSensitive(cJSON_GetArrayItem(list, 0),
                                            "toolExecutionNotifications");
}

static const char *
print_of(const cJSON *sarif, int i)
{
    const cJSON *result = cJSON_GetArrayItem(results_of(sarif), i);
    const cJSON *prints =
        cJSON_GetObjectItemCaseSensitive(result, "partialFingerprints");

    return cJSON_GetStringValue(
        cJSON_GetObjectItemCaseSensitive(prints, "spangraphRoute/v1"));
}

static void
sarif_is_cut_at_its_limit_with_a_note_and_new_findings_stay(void **state)
{
    struct audit_route rows[] = {route("/known", VERDICT_STOPPED, 1),
                                 route("/a", VERDICT_STOPPED, 1),
                                 route("/b", VERDICT_STOPPED, 1)};
    struct gate gate = {0};

    (void)state;
    cJSON *whole = sarif_of(rows, 3, 3, &gate);
    assert_int_equal(cJSON_GetArraySize(results_of(whole)), 3);
    assert_null(notices_of(whole));
    gate_fini(&gate);
    assert_int_equal(gate_baseline(&gate, str_of(baseline)), OK);
    cJSON *cut = sarif_of(rows, 3, 2, &gate);
    assert_int_equal(cJSON_GetArraySize(results_of(cut)), 2);
    assert_int_equal(cJSON_GetArraySize(notices_of(cut)), 1);
    assert_string_equal(print_of(cut, 0), print_of(whole, 1));
    assert_string_equal(print_of(cut, 1), print_of(whole, 2));
    gate_fini(&gate);
    cJSON_Delete(whole);
    cJSON_Delete(cut);
}

static void
a_fingerprint_is_of_the_route_and_not_of_its_verdict(void **state)
{
    struct audit_route before[] = {route("/a", VERDICT_NEVER_OBSERVED, 1)};
    struct audit_route after[] = {route("/z", VERDICT_STOPPED, 1),
                                  route("/a", VERDICT_STOPPED, 0.5)};
    struct gate gate = {0};

    (void)state;
    cJSON *a = sarif_of(before, 1, 9, &gate);
    gate_fini(&gate);
    cJSON *b = sarif_of(after, 2, 9, &gate);
    gate_fini(&gate);
    assert_string_equal(print_of(a, 0), print_of(b, 1));
    assert_string_not_equal(print_of(b, 0), print_of(b, 1));
    cJSON_Delete(a);
    cJSON_Delete(b);
}

static int
line_of_first(const cJSON *sarif)
{
    const cJSON *at = cJSON_GetArrayItem(results_of(sarif), 0);

    at = cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(at, "locations"),
                            0);
    at = cJSON_GetObjectItemCaseSensitive(at, "physicalLocation");
    at = cJSON_GetObjectItemCaseSensitive(at, "region");
    at = cJSON_GetObjectItemCaseSensitive(at, "startLine");
    return at ? at->valueint : 0;
}

static void
a_route_stands_on_the_line_that_declares_it_however_written(void **state)
{
    static const char text[] = "paths:\n  /a/{id}/b/{x}:\n    get:\n"
                               "  \"/q/{id}\": {}\n"
                               "GET /u/:id\n/f/<int:id>/g\n/last/:x";
    static const struct {
        const char *pattern;
        int line;
    } rows[] = {{"/a/{}/b/{}", 2}, {"/q/{}", 4},    {"/u/{}", 5},
                {"/f/{}/g", 6},    {"/last/{}", 7}, {"/a/{}/b", 0},
                {"/a", 0},         {"/{}", 0},      {"/last/{}/x", 0}};
    char dir[64];
    char name[80];

    (void)state;
    dir_make(dir);
    (void)snprintf(name, sizeof(name), "%s/routes", dir);
    FILE *file = fopen(name, "wb");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct audit_route one[] = {route(rows[i].pattern, VERDICT_STOPPED, 1)};
        const struct audit audit = {.routes = one, .len = 1};
        struct gate gate = {0};
        const struct dead_report report = {.ask = &ask,
                                           .audit = &audit,
                                           .gate = &gate,
                                           .declared_in = name,
                                           .sarif_max = 9};

        assert_int_equal(gate_judge(&gate, ask.view, &audit), OK);
        cJSON *sarif = dead_sarif(&report);
        assert_int_equal(line_of_first(sarif), rows[i].line);
        cJSON_Delete(sarif);
        gate_fini(&gate);
    }
    dir_remove(dir);
}

static void
markdown_lists_what_is_marked_and_escapes_it(void **state)
{
    struct audit_route rows[] = {route("/a|b`", VERDICT_STOPPED, 1),
                                 route("/fine", VERDICT_ACTIVE, 1)};
    struct audit audit = {.routes = rows, .len = 2};
    struct gate gate = {0};
    const struct dead_report report = {
        .ask = &ask, .audit = &audit, .gate = &gate};
    struct buf out = {0};

    (void)state;
    assert_int_equal(gate_judge(&gate, ask.view, &audit), OK);
    dead_md(&report, &out);
    assert_non_null(strstr(
        buf_cstr(&out), "| new | shop\\|&lt;b&gt; | GET /a\\|b\\` | stopped"));
    assert_null(strstr(buf_cstr(&out), "/fine"));
    buf_reset(&out);
    dead_csv(&report, &out);
    assert_non_null(strstr(buf_cstr(&out), "\r\nshop|<b>,,GET,/fine,active,"));
    buf_fini(&out);
    gate_fini(&gate);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_class_fails_on_its_verdicts_and_no_other),
        cmocka_unit_test(findings_fail_when_there_are_more_than_may_be),
        cmocka_unit_test(coverage_is_enough_at_the_bound_and_not_below),
        cmocka_unit_test(calls_that_were_seen_need_no_coverage),
        cmocka_unit_test(a_finding_goes_before_missing_evidence),
        cmocka_unit_test(no_routes_and_only_open_ones_are_no_evidence),
        cmocka_unit_test(only_what_counted_in_the_baseline_is_known),
        cmocka_unit_test(a_baseline_that_is_none_is_refused),
        cmocka_unit_test(
            sarif_is_cut_at_its_limit_with_a_note_and_new_findings_stay),
        cmocka_unit_test(a_fingerprint_is_of_the_route_and_not_of_its_verdict),
        cmocka_unit_test(
            a_route_stands_on_the_line_that_declares_it_however_written),
        cmocka_unit_test(markdown_lists_what_is_marked_and_escapes_it),
    };

    return cmocka_run_group_tests(tests, open_store, close_store);
}
