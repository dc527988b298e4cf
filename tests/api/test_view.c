/*
 * The map that the web page draws: around a focus, of a window, within bounds.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "api/view.h"
#include "tests/support/ask_tools.h"
#include "tests/support/view_rig.h"

static void
a_focus_shows_so_many_steps_around_it(void **state)
{
    static const struct {
        const char *query;
        int nodes;
        int edges;
    } rows[] = {
        {"focus=service:a&depth=1", 2, 1}, {"focus=service:a", 3, 2},
        {"focus=service:a&depth=6", 6, 5}, {"focus=service:c&depth=1", 3, 2},
        {"focus=c&depth=2", 5, 4},         {"focus=service%3Ae", 4, 3},
    };

    (void)state;
    view_rig_chain();
    view_rig_open(false);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        cJSON *json = view_rig_get("/api/v1/graph", rows[i].query);

        assert_int_equal(len_at(json, "nodes"), rows[i].nodes);
        assert_int_equal(len_at(json, "edges"), rows[i].edges);
        assert_int_equal(number_at(json, "left_out|edges"), 0);
        assert_int_equal(len_at(json, "focus"), 1);
        cJSON_Delete(json);
    }
    cJSON *json = view_rig_get("/api/v1/graph", "focus=service:a&depth=1");
    assert_int_equal(number_at(view_rig_node(json, "service:a"), "depth"), 0);
    assert_true(cJSON_IsFalse(at(view_rig_node(json, "service:a"), "rim")));
    assert_int_equal(number_at(view_rig_node(json, "service:b"), "depth"), 1);
    assert_true(cJSON_IsTrue(at(view_rig_node(json, "service:b"), "rim")));
    assert_string_equal(view_rig_edge(json, "service:a", "service:b"),
                        "observed 200");
    cJSON_Delete(json);
    view_rig_close();
}

static void
an_edge_tells_the_traces_it_was_observed_in(void **state)
{
    cJSON *json;
    int named = 0;

    (void)state;
    view_rig_chain();
    db_fixture_sql(&view_rig.db,
                   "INSERT INTO edge_exemplar SELECT min(id), 1, 30,"
                   " x'%032d', NULL, NULL FROM edge WHERE kind = 1",
                   12);
    view_rig_open(false);
    json = view_rig_get("/api/v1/graph", "focus=service:a&depth=2");
    assert_int_equal(len_at(json, "edges"), 2);
    for (int i = 0; i < 2; i++) {
        const cJSON *edge = ask_row(json, "edges", i);
        if (!cJSON_GetObjectItem(edge, "exemplars"))
            continue;
        named++;
        assert_string_equal(text_at(edge, "exemplars|0|trace_id"),
                            "00000000000000000000000000000012");
        assert_true(cJSON_IsTrue(at(edge, "exemplars|0|failed")));
        assert_int_equal(number_at(edge, "count"), 200);
    }
    assert_int_equal(named, 1);
    cJSON_Delete(json);
    view_rig_close();
}

static void
without_a_focus_the_busiest_part_is_shown(void **state)
{
    cJSON *json;

    (void)state;
    view_rig_chain();
    view_rig_open(false);
    json = view_rig_get("/api/v1/graph", "");
    assert_int_equal(len_at(json, "nodes"), 6);
    assert_int_equal(len_at(json, "edges"), 5);
    assert_int_equal(len_at(json, "focus"), 0);
    cJSON_Delete(json);
    json = view_rig_get("/api/v1/graph", "limit=3");
    assert_int_equal(len_at(json, "nodes"), 3);
    assert_non_null(view_rig_node(json, "service:c"));
    assert_non_null(view_rig_node(json, "service:d"));
    assert_non_null(view_rig_node(json, "service:e"));
    assert_int_equal(number_at(json, "left_out|edges"), 3);
    assert_true(cJSON_IsTrue(at(json, "left_out|by_limit")));
    assert_int_equal(number_at(view_rig_node(json, "service:c"), "hidden"), 1);
    assert_int_equal(number_at(view_rig_node(json, "service:c"), "in"), 400);
    cJSON_Delete(json);
    view_rig_close();
}

static void
a_window_leaves_out_what_was_not_seen_in_it(void **state)
{
    char query[128];
    cJSON *json;

    (void)state;
    view_rig_chain();
    db_daily(&view_rig.db,
             db_edge(&view_rig.db, db_service(&view_rig.db, "old"),
                     db_service(&view_rig.db, "er"), EDGE_CALL, 0),
             FIXTURE_DAY - 20, FIXTURE_DAY - 19, 7, 1);
    view_rig_open(false);
    json = view_rig_get("/api/v1/graph", "");
    assert_string_equal(view_rig_edge(json, "service:old", "service:er"),
                        "observed 14");
    assert_string_equal(text_at(json, "window|unit"), "all");
    cJSON_Delete(json);
    (void)snprintf(query, sizeof(query), "from=%u", FIXTURE_NOW_S - 7 * 86400);
    json = view_rig_get("/api/v1/graph", query);
    assert_null(view_rig_node(json, "service:old"));
    assert_non_null(view_rig_node(json, "service:a"));
    assert_string_equal(text_at(json, "window|unit"), "day");
    cJSON_Delete(json);
    (void)snprintf(query, sizeof(query), "from=%u&to=%u",
                   (FIXTURE_DAY - 20) * 86400, (FIXTURE_DAY - 19) * 86400);
    json = view_rig_get("/api/v1/graph", query);
    assert_string_equal(view_rig_edge(json, "service:old", "service:er"),
                        "observed 7");
    assert_null(view_rig_node(json, "service:a"));
    cJSON_Delete(json);
    view_rig_close();
}

/* A window that ends in the middle of a day, or now, has what that day has. */
static void
the_day_a_window_ends_in_is_told_whole(void **state)
{
    char query[128];
    cJSON *json;
    uint32_t edge;

    (void)state;
    view_rig_chain();
    edge = db_edge(&view_rig.db, db_service(&view_rig.db, "old"),
                   db_service(&view_rig.db, "er"), EDGE_CALL, 0);
    db_daily(&view_rig.db, edge, FIXTURE_DAY - 20, FIXTURE_DAY - 19, 7, 1);
    db_day(&view_rig.db, edge, FIXTURE_DAY, 4, 0, 0);
    view_rig_open(false);
    (void)snprintf(query, sizeof(query), "from=%u&to=%u",
                   (FIXTURE_DAY - 20) * 86400, (FIXTURE_DAY - 19) * 86400 + 1);
    json = view_rig_get("/api/v1/graph", query);
    assert_string_equal(view_rig_edge(json, "service:old", "service:er"),
                        "observed 14");
    assert_int_equal(number_at(json, "window|to"), (FIXTURE_DAY - 18) * 86400);
    cJSON_Delete(json);
    (void)snprintf(query, sizeof(query), "from=%u&to=%u",
                   FIXTURE_NOW_S - 7 * 86400, FIXTURE_NOW_S);
    json = view_rig_get("/api/v1/graph", query);
    assert_string_equal(view_rig_edge(json, "service:old", "service:er"),
                        "observed 4");
    assert_int_equal(number_at(json, "window|to"), FIXTURE_NOW_S);
    cJSON_Delete(json);
    view_rig_close();
}

static void
make_hub(uint32_t callers)
{
    char name[32];
    uint32_t hub;

    db_fixture_open(&view_rig.db);
    hub = db_service(&view_rig.db, "hub");
    for (uint32_t i = 0; i < callers; i++) {
        (void)snprintf(name, sizeof(name), "caller-%03u", i);
        db_edge(&view_rig.db, db_service(&view_rig.db, name), hub, EDGE_CALL,
                1000 - i);
    }
}

static void
a_hub_brings_so_many_neighbours_and_says_how_many_more(void **state)
{
    (void)state;
    for (uint32_t more = 0; more < 2; more++) {
        make_hub(VIEW_HUB + more);
        view_rig_open(false);
        cJSON *json = view_rig_get("/api/v1/graph", "focus=service:hub");

        assert_int_equal(len_at(json, "nodes"), VIEW_HUB + 1);
        assert_int_equal(number_at(json, "left_out|edges"), more);
        assert_int_equal(cJSON_IsTrue(at(json, "left_out|by_hub")), more);
        assert_int_equal(
            number_at(view_rig_node(json, "service:hub"), "hidden"), more);
        /* Busiest first; and the sum is of all callers. */
        assert_non_null(view_rig_node(json, "service:caller-000"));
        assert_int_equal(number_at(view_rig_node(json, "service:hub"), "in"),
                         VIEW_HUB * 1000 - VIEW_HUB * (VIEW_HUB - 1) / 2 +
                             more * (1000 - VIEW_HUB));
        cJSON_Delete(json);
        view_rig_close();
    }
}

static void
there_are_never_more_edges_than_so_many_a_node(void **state)
{
    char name[32];
    uint32_t ids[12];
    cJSON *json;

    (void)state;
    db_fixture_open(&view_rig.db);
    for (uint32_t i = 0; i < 12; i++) {
        (void)snprintf(name, sizeof(name), "s%u", i);
        ids[i] = db_service(&view_rig.db, name);
    }
    for (uint32_t i = 0; i < 12; i++) {
        for (uint32_t k = 0; k < 12; k++) {
            if (i != k)
                db_edge(&view_rig.db, ids[i], ids[k], EDGE_CALL, 5);
        }
    }
    view_rig_open(false);
    json = view_rig_get("/api/v1/graph", "limit=12");
    assert_int_equal(len_at(json, "edges"), 12 * VIEW_EDGES_A_NODE);
    assert_int_equal(number_at(json, "left_out|edges"),
                     12 * 11 - 12 * VIEW_EDGES_A_NODE);
    cJSON_Delete(json);
    json = view_rig_get("/api/v1/graph", "limit=1&focus=s3");
    assert_int_equal(len_at(json, "nodes"), 1);
    assert_int_equal(len_at(json, "edges"), 0);
    cJSON_Delete(json);
    view_rig_close();
}

static void
a_message_counts_once_for_who_receives_it(void **state)
{
    uint32_t from, topic, to, consumer;
    cJSON *json;

    (void)state;
    db_fixture_open(&view_rig.db);
    from = db_service(&view_rig.db, "from");
    to = db_service(&view_rig.db, "to");
    topic = db_node(&view_rig.db, NODE_TOPIC, 0, "kafka:orders", "");
    consumer = db_node(&view_rig.db, NODE_CONSUMER, to, "kafka:orders", "");
    db_edge(&view_rig.db, from, topic, EDGE_MSG_PUB, 9);
    db_edge(&view_rig.db, topic, consumer, EDGE_MSG_SUB, 9);
    db_edge(&view_rig.db, from, consumer, EDGE_MSG, 9);
    view_rig_open(false);
    json = view_rig_get("/api/v1/graph", "focus=topic:kafka:orders");
    assert_int_equal(number_at(view_rig_node(json, "service:to"), "in"), 9);
    assert_int_equal(number_at(view_rig_node(json, "topic:kafka:orders"), "in"),
                     9);
    assert_int_equal(len_at(json, "edges"), 3);
    cJSON_Delete(json);
    view_rig_close();
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_focus_shows_so_many_steps_around_it),
        cmocka_unit_test(an_edge_tells_the_traces_it_was_observed_in),
        cmocka_unit_test(without_a_focus_the_busiest_part_is_shown),
        cmocka_unit_test(a_window_leaves_out_what_was_not_seen_in_it),
        cmocka_unit_test(the_day_a_window_ends_in_is_told_whole),
        cmocka_unit_test(
            a_hub_brings_so_many_neighbours_and_says_how_many_more),
        cmocka_unit_test(there_are_never_more_edges_than_so_many_a_node),
        cmocka_unit_test(a_message_counts_once_for_who_receives_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
