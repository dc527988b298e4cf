/*
 * graph_score against graphs small enough to score by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "knowledge/entity.h"
#include "knowledge/links.h"
#include "knowledge/score.h"
#include "tests/support/ask_tools.h"
#include "tests/support/code_fixture.h"
#include "tests/support/context_shop.h"

static struct {
    struct context_shop shop;
} rig;

static void
with_knowledge(void)
{
    context_shop_know(&rig.shop);
}

static int
open_shop(void **state)
{
    (void)state;
    context_shop_open(&rig.shop);
    with_knowledge();
    return 0;
}

static int
open_empty(void **state)
{
    (void)state;
    context_shop_empty(&rig.shop);
    with_knowledge();
    return 0;
}

static int
close_shop(void **state)
{
    (void)state;
    context_shop_close(&rig.shop);
    return 0;
}

static cJSON *
score(const char *graph)
{
    char args[128];

    snprintf(args, sizeof(args), "{\"graphId\":\"%s\"}", graph);
    return ask(rig.shop.tools, "graph_score", args);
}

/* The count of class |type|. */
static int
count_of(const cJSON *out, const char *type)
{
    const cJSON *row;

    cJSON_ArrayForEach(row, at(out, "penalties"))
    {
        if (strcmp(text_at(row, "type"), type) == 0)
            return (int)number_at(row, "count");
    }
    fail_msg("no class %s", type);
    return -1;
}

static void
add(const char *type, const char *title, const char *category,
    const char *related, char id[64])
{
    char args[512];

    snprintf(args, sizeof(args),
             "{\"title\":\"%s\",\"content\":\"Words about it.\","
             "\"entity_type\":\"%s\",\"auto_link\":false,"
             "\"check_conflicts\":false,\"category\":\"%s\","
             "\"related_to\":[%s]}",
             title, type, category, related);
    cJSON *out = ask(rig.shop.tools, "add", args);
    snprintf(id, 64, "%s", text_at(out, "id"));
    cJSON_Delete(out);
}

/* Six of 100 points by hand: see each line. */
static void
knowledge_is_scored_as_by_hand(void **state)
{
    char id[5][64];
    char related[160];

    (void)state;
    add("pattern", "Alone", "", "", id[0]); /* orphan 3, no domain 1 */
    add("pattern", "Broken", "shop", "\"service:nowhere\",\"service:web\"",
        id[1]); /* broken link 10 */
    add("rule", "Two", "shop", "", id[2]);
    snprintf(related, sizeof(related), "\"%s\"", id[2]);
    add("rule", "Three", "shop", related, id[3]);
    cJSON *out = score("knowledge");
    /* Two and Three: linked one way only, which is no mutual pair. */
    assert_int_equal(count_of(out, "isolated_pair"), 0);
    assert_int_equal(count_of(out, "orphan"), 1);
    assert_int_equal(count_of(out, "broken_link"), 1);
    assert_int_equal(count_of(out, "missing_domain"), 1);
    assert_int_equal(count_of(out, "missing_description"), 0);
    assert_int_equal(count_of(out, "missing_type"), 0);
    assert_int_equal((int)number_at(out, "nodes"), 4);
    assert_int_equal((int)number_at(out, "edges"), 2);
    assert_int_equal((int)number_at(out, "score"), 100 - 10 - 3 - 1);
    assert_string_equal(text_at(out, "grade"), "Good");
    assert_int_equal((int)number_at(out, "bonuses|moc_coverage"), 0);
    assert_int_equal((int)number_at(out, "bonuses|link_density"), 0);
    assert_string_equal(text_at(out, "issues|0|type"), "broken_link");
    assert_string_equal(text_at(out, "issues|0|node"), id[1]);
    assert_string_equal(text_at(out, "issues|0|severity"), "error");
    assert_string_equal(text_at(out, "recommendations|0|type"), "broken_link");
    assert_string_equal(text_at(out, "profile"), "knowledge");
    cJSON *again = score("knowledge");
    assert_true(cJSON_Compare(out, again, true));
    cJSON_Delete(again);
    cJSON_Delete(out);

    /* A description that says no more than the name: 5. */
    out = ask(rig.shop.tools, "add",
              "{\"title\":\"Silent\",\"content\":\"silent\",\"auto_link\":"
              "false,\"category\":\"x\",\"related_to\":[\"service:web\"]}");
    cJSON_Delete(out);
    out = score("knowledge");
    assert_int_equal(count_of(out, "missing_description"), 1);
    assert_int_equal((int)number_at(out, "score"), 100 - 10 - 5 - 3 - 1);
    cJSON_Delete(out);
}

static void
a_pair_that_only_links_itself_is_told_once(void **state)
{
    struct moment moment = {.now_s = FIXTURE_NOW_S};
    struct buf why = {0};
    struct score got;

    (void)state;
    moment.why = &why;
    assert_int_equal(knowledge_write(rig.shop.knowledge, &moment), OK);
    int64_t oids[2];
    for (int i = 0; i < 2; i++) {
        const struct entity_new one = {.type = "rule",
                                       .title = i ? STR("B") : STR("A"),
                                       .category = STR("x"),
                                       .content = STR("Some words.")};
        struct object object;
        bool is_new;

        assert_int_equal(entity_add(&moment, &one, &object, &is_new), OK);
        oids[i] = object.oid;
        object_fini(&object);
    }
    for (int i = 0; i < 2; i++)
        assert_int_equal(link_add(&moment,
                                  (struct link_ends){oids[i], oids[!i]},
                                  "RELATED_TO", 1, "declared", NULL),
                         OK);
    assert_int_equal(score_knowledge(&moment, 0, &got), OK);
    assert_int_equal(got.issue_len, 1);
    assert_string_equal(got.classes[got.issues[0].class_at].type,
                        "isolated_pair");
    assert_true(got.value == 98 && got.raw_value == 100);
    score_fini(&got);
    assert_int_equal(knowledge_end(rig.shop.knowledge, &moment, OK), OK);
    buf_fini(&why);
}

/* A map covers nine of ten: the tenth hangs on another. */
static void
a_map_of_what_there_is_is_a_bonus_and_not_in_the_score(void **state)
{
    char related[700] = "";
    char id[64];

    (void)state;
    for (int i = 0; i < 9; i++) {
        char title[32];
        size_t len = strlen(related);

        snprintf(title, sizeof(title), "Part %d", i);
        add("concept", title, "x", i ? "" : "\"service:web\"", id);
        snprintf(related + len, sizeof(related) - len, "%s\"%s\"",
                 len ? "," : "", id);
    }
    add("concept", "Apart", "x", "\"service:web\"", id);
    struct buf args = {0};
    buf_printf(&args,
               "{\"title\":\"Map\",\"content\":\"Of all.\",\"entity_type\":"
               "\"moc\",\"category\":\"x\",\"auto_link\":false,"
               "\"related_to\":[%s]}",
               related);
    cJSON_Delete(ask(rig.shop.tools, "add", buf_cstr(&args)));
    buf_fini(&args);
    cJSON *out = score("knowledge");
    assert_int_equal((int)number_at(out, "score"), 100);
    assert_true(number_at(out, "bonuses|moc_coverage") == 9);
    /* 11 links of 11 nodes */
    assert_true(number_at(out, "bonuses|link_density") == 3);
    assert_true(number_at(out, "raw|score") == 100);
    assert_int_equal(len_at(out, "recommendations"), 0);
    cJSON_Delete(out);
}

static void
one_noisy_class_costs_its_cap_and_no_more(void **state)
{
    char id[64];

    (void)state;
    for (int i = 0; i < 12; i++) {
        char title[32];

        snprintf(title, sizeof(title), "Alone %d", i);
        add("concept", title, "x", "", id);
    }
    cJSON *out = score("knowledge"); /* 12 times 3, at most 25 */
    assert_int_equal((int)number_at(out, "score"), 75);
    assert_int_equal((int)number_at(out, "raw|penalty"), 36);
    assert_int_equal((int)number_at(out, "raw|score"), 64);
    assert_string_equal(text_at(out, "grade"), "Good");
    cJSON_Delete(out);
}

static void
a_project_and_a_source_are_graphs_of_their_own(void **state)
{
    char project[64];
    char args[256];

    (void)state;
    add("project", "Shop", "x", "", project);
    cJSON *out = score(project);
    assert_int_equal(count_of(out, "orphan"), 1);
    assert_string_equal(text_at(out, "graphId"), project);
    cJSON_Delete(out);
    snprintf(args, sizeof(args),
             "{\"title\":\"Do it\",\"content\":\"All of it.\",\"entity_type\":"
             "\"task\",\"project\":\"%s\"}",
             project);
    cJSON_Delete(ask(rig.shop.tools, "add", args));
    cJSON_Delete(ask(rig.shop.tools, "add",
                     "{\"title\":\"Other\",\"content\":\"Not of it.\"}"));
    out = score(project);
    assert_int_equal((int)number_at(out, "nodes"), 2);
    assert_int_equal(count_of(out, "orphan"), 0);
    assert_int_equal(count_of(out, "missing_domain"), 1);
    assert_int_equal((int)number_at(out, "score"), 99);
    cJSON_Delete(out);
}

/* context_shop: three services, three routes, all with code; nothing in the
 * code of one tells of another. */
static void
what_is_observed_is_scored_as_by_hand(void **state)
{
    struct db_fixture *db = &rig.shop.db;
    const uint32_t routes[] = {rig.shop.cart, rig.shop.buy, rig.shop.charge};

    (void)state;
    for (size_t i = 0; i < 3; i++)
        db_edge(db, 0, routes[i], EDGE_TRAFFIC, 20);
    cJSON *out = score("runtime");
    assert_int_equal((int)number_at(out, "nodes"), 6);
    assert_int_equal((int)number_at(out, "edges"), 3);
    assert_int_equal((int)number_at(out, "score"), 100);
    assert_string_equal(text_at(out, "grade"), "Excellent");
    assert_true(number_at(out, "bonuses|routes_observed") == 10);
    assert_true(number_at(out, "bonuses|calls_explained") == 0);
    cJSON_Delete(out);

    db_declare(db, rig.shop.checkout, "GET", "/old", 1); /* 5, and orphan: 3 */
    uint32_t ghost = db_route(db, rig.shop.pay, "GET /ghost"); /* 10 */
    db_edge(db, rig.shop.buy, ghost, EDGE_CALL, 4);
    db_edge(db, 0, ghost, EDGE_TRAFFIC, 4);
    uint32_t alone = db_service(db, "alone"); /* orphan: 3 */
    db_edge(db, 0, alone, EDGE_SEEN, 4);
    uint32_t nameless = db_service(db, "unknown_service:java"); /* 3 and 1 */
    db_edge(db, 0, nameless, EDGE_SEEN, 4);
    out = score("runtime");
    assert_int_equal(count_of(out, "route_without_handler"), 1);
    assert_int_equal(count_of(out, "unresolved_endpoint"), 1);
    assert_int_equal(count_of(out, "orphan"), 3);
    assert_int_equal(count_of(out, "missing_domain"), 1);
    assert_int_equal((int)number_at(out, "score"), 100 - 5 - 10 - 9 - 1);
    assert_string_equal(text_at(out, "issues|0|node"), "route:pay:GET /ghost");
    assert_true(number_at(out, "bonuses|routes_observed") == 7.5);
    cJSON_Delete(out);

    out = score("service:checkout");
    assert_int_equal((int)number_at(out, "nodes"), 3);
    assert_int_equal((int)number_at(out, "score"), 100 - 5 - 3);
    assert_string_equal(text_at(out, "issues|0|node"),
                        "route:checkout:GET /old");
    cJSON_Delete(out);
    out = score(CONTEXT_SHOP_URL); /* but for the two services it has not */
    assert_string_equal(text_at(out, "graphId"), "repo:" CONTEXT_SHOP_URL);
    assert_int_equal((int)number_at(out, "score"), 100 - 5 - 10 - 3);
    cJSON_Delete(out);
}

/* `ask` serves GET / and asks for POST /charge in the code; it did so long ago.
 */
static void
a_call_of_the_code_that_was_not_seen_for_long_is_stale(void **state)
{
    struct db_fixture *db = &rig.shop.db;
    struct code_fixture f;

    (void)state;
    code_fixture_open(&f, db->dir);
    uint32_t app = fixture_file(&f, "web/app.py");
    uint32_t ask_it = fixture_function(&f, app, "ask", 3, 0);
    fixture_route(&f, app, "GET", "/", ask_it, 0);
    fixture_route(&f, app, "POST", "/charge", ask_it, ROUTE_IS_CLIENT);
    uint32_t file = fixture_file(&f, "pay/app.py");
    fixture_route(&f, file, "POST", "/charge",
                  fixture_function(&f, file, "charge", 3, 0), 0);
    fixture_service(&f, "web", "web");
    fixture_service(&f, "pay", "pay");
    code_drop(code_fixture_load(&f));
    uint32_t home = db_route(db, db_service(db, "web"), "GET /");
    uint32_t charge = db_route(db, db_service(db, "pay"), "POST /charge");
    uint32_t edge = db_edge(db, home, charge, EDGE_CALL, 7);
    db_times(db, edge, FIXTURE_NOW_S - 90 * 86400, FIXTURE_NOW_S - 60 * 86400);
    db_edge(db, 0, home, EDGE_TRAFFIC, 7);
    db_edge(db, 0, charge, EDGE_TRAFFIC, 7);
    cJSON *out = score("runtime");
    assert_int_equal(count_of(out, "stale_edge"), 1);
    assert_int_equal((int)number_at(out, "edges"), 1);
    assert_true(number_at(out, "bonuses|calls_explained") == 10);
    assert_int_equal((int)number_at(out, "score"), 98);
    cJSON_Delete(out);
}

static void
nothing_is_worth_nothing(void **state)
{
    (void)state;
    cJSON *out = score("runtime");
    assert_int_equal((int)number_at(out, "score"), 0);
    assert_true(ask_hints(out, "nothing in this graph"));
    cJSON_Delete(out);
    out = score("Knowledge");
    assert_int_equal((int)number_at(out, "score"), 0);
    cJSON_Delete(out);
}

static void
an_unknown_graph_is_told_what_there_is(void **state)
{
    (void)state;
    ask_refused(rig.shop.tools, "graph_score", "{\"graphId\":\"nix\"}",
                "unknown graph 'nix'; there are: runtime, knowledge, "
                "repo:" CONTEXT_SHOP_URL ", service:checkout");
    ask_refused(rig.shop.tools, "graph_score",
                "{\"graphId\":\"route:checkout:POST /buy\"}", "unknown graph");
    ask_refused(rig.shop.tools, "graph_score", "{}", "graphId required");
    ask_refused(rig.shop.tools, "graph_score", "{\"graphId\":7}", "graphId");
}

static void
density_pays_most_between_two_and_four(void **state)
{
    static const struct {
        size_t edges;
        double bonus;
    } cases[] = {{0, 0},   {9, 0},  {10, 3}, {19, 3}, {20, 10},
                 {40, 10}, {41, 7}, {60, 7}, {61, 4}};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_true(score_density(cases[i].edges, 10) == cases[i].bonus);
    assert_true(score_density(5, 0) == 0);
}

static void
grades_change_where_the_rubric_says(void **state)
{
    (void)state;
    assert_string_equal(score_grade(90), "Excellent");
    assert_string_equal(score_grade(89.9), "Good");
    assert_string_equal(score_grade(75), "Good");
    assert_string_equal(score_grade(74.9), "Fair");
    assert_string_equal(score_grade(50), "Fair");
    assert_string_equal(score_grade(49.9), "Poor");
    assert_string_equal(score_grade(25), "Poor");
    assert_string_equal(score_grade(24.9), "Critical");
}

/* 2,000 nodes with 100 faults of weight 3: 300 of raw points, 15 as counted. */
static void
faults_weigh_less_in_a_large_graph(void **state)
{
    static const struct score_class one[] = {{"orphan", "link it", 3}};
    struct score large = {.classes = one, .class_len = 1, .nodes = 2000};

    (void)state;
    large.counts[0] = 100;
    score_settle(&large);
    assert_true(large.value == 85 && large.raw_penalty == 300 &&
                large.raw_value == 0);
    score_fini(&large);
}

#define WITH(open, test) cmocka_unit_test_setup_teardown(test, open, close_shop)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        WITH(open_shop, knowledge_is_scored_as_by_hand),
        WITH(open_shop, a_pair_that_only_links_itself_is_told_once),
        WITH(open_shop, a_map_of_what_there_is_is_a_bonus_and_not_in_the_score),
        WITH(open_shop, one_noisy_class_costs_its_cap_and_no_more),
        WITH(open_shop, a_project_and_a_source_are_graphs_of_their_own),
        WITH(open_shop, what_is_observed_is_scored_as_by_hand),
        WITH(open_empty,
             a_call_of_the_code_that_was_not_seen_for_long_is_stale),
        WITH(open_empty, nothing_is_worth_nothing),
        WITH(open_shop, an_unknown_graph_is_told_what_there_is),
        cmocka_unit_test(density_pays_most_between_two_and_four),
        cmocka_unit_test(grades_change_where_the_rubric_says),
        cmocka_unit_test(faults_weigh_less_in_a_large_graph),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
