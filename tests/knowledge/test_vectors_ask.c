/*
 * Questions find by vectors, and what becomes of them when the vector_endpoint
 * fails in each of its ways; and what is told of it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <cjson/cJSON.h>
#include <unistd.h>

#include "base/clock.h"
#include "knowledge/search.h"
#include "knowledge/upkeep.h"
#include "tests/support/vector_rig.h"

static void
fill_one(void)
{
    vector_rig_add("Escalation", "Who to call about downtime.");
    vector_rig_run(20000);
    vector_rig_answers(ANSWER, 0);
}

static void
the_same_question_is_asked_once(void **state)
{
    unsigned degraded;

    (void)state;
    fill_one();
    for (int i = 0; i < 5; i++)
        assert_int_equal(vector_rig_rank("outage", "Escalation", &degraded), 1);
    assert_int_equal(vector_endpoint.requests, 1);
    assert_string_equal(vector_endpoint.last, "outage");
    /* As many others as are remembered, and it is forgotten. */
    for (int i = 0; i < EMBED_QUERIES; i++) {
        struct embed_ticket ticket;
        struct vectors_hits *hits = malloc(sizeof(*hits));
        struct moment moment;
        char question[32];

        assert_non_null(hits);
        (void)snprintf(question, sizeof(question), "outage %d", i);
        vectors_ask(vector_rig.vectors, str_of(question), &ticket);
        assert_int_equal(vector_rig_begin(NULL, &moment, false, NULL), OK);
        assert_int_equal(
            vectors_find(vector_rig.vectors, &moment, &ticket, hits), OK);
        assert_int_equal(vector_rig_end(NULL, &moment, OK), OK);
        free(hits);
    }
    vector_rig_answers(ANSWER, 0);
    assert_int_equal(vector_rig_rank("outage", "Escalation", &degraded), 1);
    assert_int_equal(vector_endpoint.requests, 1);
}

static void
a_dead_endpoint_costs_one_question_its_time_and_no_other(void **state)
{
    unsigned degraded;

    (void)state;
    fill_one();
    vector_rig_answers(SLOW, 0);
    vector_endpoint.sleep_ms = 100000;
    uint64_t begin_ns = clock_mono_ns();
    assert_int_equal(vector_rig_rank("outage", "Escalation", &degraded), 0);
    uint64_t first_ms = (clock_mono_ns() - begin_ns) / NS_PER_MS;
    assert_int_equal(degraded, 1U << LANE_VECTOR);
    assert_in_range(first_ms, 250, 3000);
    for (int i = 0; i < 20; i++) {
        char question[32];

        (void)snprintf(question, sizeof(question), "outage %d", i);
        begin_ns = clock_mono_ns();
        (void)vector_rig_rank(question, "Escalation", &degraded);
        assert_int_equal(degraded, 1U << LANE_VECTOR);
        assert_true((clock_mono_ns() - begin_ns) / NS_PER_MS < 250);
    }
    assert_int_equal(vector_endpoint.requests, 1);
    struct vectors_status status = vector_rig_tell();
    assert_true(status.query.is_resting);
    assert_int_equal(status.query.skipped, 20);
    assert_non_null(strstr(buf_cstr(&status.query.why), "in time"));
    vectors_status_fini(&status);
}

static void
each_failure_degrades_and_fails_no_question(void **state)
{
    static const struct {
        enum vector_answer mode;
        int status;
    } ways[] = {{NO_ANSWER, 0}, {STATUS, 429}, {STATUS, 503},
                {STATUS, 401},  {STATUS, 400}, {GARBAGE, 0}};

    (void)state;
    fill_one();
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        struct embed_query *query;
        struct embed_ticket ticket;
        float unit[8];
        const struct embed_query_cfg cfg = {
            .ops = {.post = vector_rig_post},
            .model = {"topics", 0, 0},
            .timeout_ms = 300,
            .rest_ms = 50,
            .rest_most_ms = 100,
        };
        bool is_resting = ways[i].status != 400;

        vector_rig_answers(ways[i].mode, ways[i].status);
        assert_int_equal(embed_query_start(&query, &cfg), OK);
        embed_query_ask(query, STR("outage"), &ticket);
        assert_int_equal(embed_query_take(query, &ticket, 8, unit), ERR_BUSY);
        vector_rig_answers(ANSWER, 0);
        embed_query_ask(query, STR("outage"), &ticket);
        assert_int_equal(ticket.is_waited, !is_resting);
        /* When the rest is over, one question tries and does not wait. */
        usleep(120 * 1000);
        if (is_resting) {
            embed_query_ask(query, STR("outage"), &ticket);
            assert_false(ticket.is_waited);
        }
        for (int k = 0; k < 200 && !ticket.is_waited; k++) {
            usleep(10 * 1000);
            embed_query_ask(query, STR("outage"), &ticket);
        }
        assert_int_equal(embed_query_take(query, &ticket, 8, unit), OK);
        assert_int_equal(embed_query_take(query, &ticket, 9, unit),
                         ERR_CORRUPT);
        embed_query_stop(query);
    }
}

static void
without_any_vector_the_lane_is_told_as_missing(void **state)
{
    unsigned degraded;

    (void)state;
    vector_rig_answers(NO_ANSWER, 0);
    vector_rig_add("Escalation", "Who to call about downtime.");
    vector_rig_run(6000);
    vector_rig_answers(NO_ANSWER, 0);
    (void)vector_rig_rank("outage", "Escalation", &degraded);
    assert_int_equal(degraded, 1U << LANE_VECTOR);
    assert_int_equal(vector_endpoint.requests,
                     0); /* the question is not sent */
}

static void
stats_health_and_rebuild_tell_of_it(void **state)
{
    struct moment moment;
    cJSON *data = cJSON_CreateObject();

    (void)state;
    fill_one();
    assert_int_equal(vector_rig_begin(NULL, &moment, false, NULL), OK);
    assert_int_equal(vector_rig_end(NULL, &moment, upkeep_stats(&moment, data)),
                     OK);
    const cJSON *told = cJSON_GetObjectItem(data, "embeddings");
    assert_string_equal(cJSON_GetObjectItem(told, "state")->valuestring, "ok");
    assert_string_equal(cJSON_GetObjectItem(told, "model")->valuestring,
                        "topics");
    assert_true(cJSON_GetObjectItem(data, "vectors")->valuedouble ==
                cJSON_GetObjectItem(told, "vectors")->valuedouble);
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(told, "last_error")));
    cJSON_Delete(data);

    /* A row that was lost comes again when the index is rebuilt. */
    data = cJSON_CreateObject();
    vector_rig_answers(STATUS, 500);
    vector_rig_add("Later", "Waits.");
    vector_rig_run(6000);
    assert_int_equal(vector_rig_begin(NULL, &moment, true, NULL), OK);
    assert_int_equal(
        vector_rig_end(NULL, &moment, upkeep_rebuild(&moment, data)), OK);
    assert_int_equal(cJSON_GetObjectItem(data, "vectors_pending")->valueint, 1);
    vector_rig_answers(ANSWER, 0);
    vector_rig_run(1000);
    assert_int_equal(vector_endpoint.texts, 1);
    cJSON_Delete(data);
}

#define T(name) \
    cmocka_unit_test_setup_teardown(name, vector_rig_open, vector_rig_close)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        T(the_same_question_is_asked_once),
        T(a_dead_endpoint_costs_one_question_its_time_and_no_other),
        T(each_failure_degrades_and_fails_no_question),
        T(without_any_vector_the_lane_is_told_as_missing),
        T(stats_health_and_rebuild_tell_of_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
