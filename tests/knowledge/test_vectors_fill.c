/*
 * Texts get vectors behind those who add, whatever the vector_endpoint does;
 * and what is paid for is kept.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <pthread.h>

#include "knowledge/search.h"
#include "tests/support/vector_rig.h"

static void
texts_of_all_worlds_are_found_by_words_they_have_not(void **state)
{
    unsigned degraded;

    (void)state;
    vector_rig_add("Escalation", "Who to call about downtime.");
    vector_rig_add("Holidays", "Nobody works in August.");
    vector_rig_run(20000);
    struct vectors_status status = vector_rig_tell();
    assert_int_equal(status.pending, 0);
    assert_int_equal(status.dim, 8);
    assert_int_equal(status.vectors, vector_rig_stored());
    vectors_status_fini(&status);
    assert_int_equal(vector_rig_rank("outage", "Escalation", &degraded), 1);
    assert_int_equal(degraded, 0);
    assert_int_equal(vector_rig_rank("outage", "Holidays", &degraded), 0);
    assert_int_equal(vector_rig_rank("basket", "POST /trolley", &degraded), 1);
    assert_int_equal(
        vector_rig_rank("refund money", "repayCustomer", &degraded), 1);
    assert_int_equal(degraded, 0);
}

static void
what_is_stored_is_not_asked_for_again(void **state)
{
    unsigned degraded;

    (void)state;
    vector_rig_add("Escalation", "Who to call about downtime.");
    vector_rig_add("Twin", "The same.");
    vector_rig_add("Twin",
                   "The same."); /* one text, or one object: one vector */
    vector_rig_run(20000);
    int64_t count = vector_rig_stored();
    assert_true(count > 3);
    assert_int_equal(vector_endpoint.texts, count);
    vector_rig_shut();
    vector_rig_answers(ANSWER, 0);
    vector_rig.now_ms = 0;
    vector_rig_reopen();
    vector_rig_run(60000);
    assert_int_equal(vector_endpoint.requests, 0);
    assert_int_equal(vector_rig_rank("outage", "Escalation", &degraded), 1);
    vector_rig_counts((size_t)count, 0, 0, 0);
}

static void
what_went_away_or_changed_loses_its_vector(void **state)
{
    unsigned degraded;

    (void)state;
    int64_t oid = vector_rig_add("Escalation", "Who to call about downtime.");
    vector_rig_run(20000);
    int64_t count = vector_rig_stored();
    vector_rig_drop(oid);
    assert_int_equal(vector_rig_rank("outage", "Escalation", &degraded), 0);
    vector_rig_run(6000);
    assert_int_equal(vector_rig_stored(), count - 1);
    vector_rig_counts((size_t)count - 1, 0, 0, 0);
    vector_rig_answers(ANSWER, 0);
    vector_rig_add("Escalation", "Who to call about a trolley.");
    vector_rig_run(6000);
    assert_int_equal(vector_endpoint.texts, 1);
    assert_int_equal(vector_rig_stored(), count);
    assert_true(vector_rig_rank("basket", "Escalation", &degraded) > 0);
}

static void
another_model_or_length_makes_all_anew_and_keeps_the_old_until_then(
    void **state)
{
    (void)state;
    vector_rig_add("Escalation", "Who to call about downtime.");
    vector_rig_run(20000);
    int64_t count = vector_rig_stored();

    for (int round = 0; round < 2; round++) {
        vector_rig_shut();
        vector_rig.cfg.model = round ? "others" : "topics";
        vector_rig.cfg.dim = 12;
        vector_rig_reopen();
        vector_rig_answers(NO_ANSWER, 0);
        vector_endpoint.dim = 12;
        vector_rig.now_ms = 0;
        vector_rig_run(6000);
        vector_rig_counts(0, (size_t)count, 0, 0);
        assert_int_equal(vector_rig_stored(), count);
        vector_rig_answers(ANSWER, 0);
        vector_rig_run(60000);
        vector_rig_counts((size_t)count, 0, 0, 0);
        assert_int_equal(vector_rig_stored(), count);
        assert_int_equal(vector_endpoint.texts, count);
    }
    /* Those nobody has are gone, too, of whatever model. */
    vector_rig_shut();
    vector_rig.cfg.model = "third";
    vector_rig.cfg.worlds = VECTOR_KNOWLEDGE;
    vector_rig.cfg.dim = 0;
    vector_rig_reopen();
    vector_rig.now_ms = 0;
    vector_rig_run(60000);
    vector_rig_counts(1, 0, 0, 0);
    assert_int_equal(vector_rig_stored(), 1);
}

static void
an_answer_of_another_length_is_no_answer_and_nothing_is_lost(void **state)
{
    unsigned degraded;

    (void)state;
    vector_rig_add("Escalation", "Who to call about downtime.");
    vector_rig_run(20000);
    int64_t count = vector_rig_stored();
    pthread_mutex_lock(&vector_endpoint.lock);
    vector_endpoint.dim = 9;
    pthread_mutex_unlock(&vector_endpoint.lock);
    vector_rig_add("Later", "Is not given a vector.");
    vector_rig_run(20000);
    vector_rig_counts((size_t)count, 1, 0, 0);
    struct vectors_status status = vector_rig_tell();
    assert_non_null(strstr(buf_cstr(&status.why), "9 numbers, not 8"));
    vectors_status_fini(&status);
    assert_int_equal(vector_rig_rank("outage", "Escalation", &degraded), 0);
    assert_int_equal(degraded, 1U << LANE_VECTOR);
    pthread_mutex_lock(&vector_endpoint.lock);
    vector_endpoint.dim = 8;
    pthread_mutex_unlock(&vector_endpoint.lock);
    vector_rig_run(120000);
    vector_rig_counts((size_t)count + 1, 0, 0, 0);
    status = vector_rig_tell();
    assert_int_equal(status.why.len, 0);
    vectors_status_fini(&status);
}

static void
a_busy_endpoint_is_left_alone_for_as_long_as_it_asks(void **state)
{
    (void)state;
    vector_rig_answers(STATUS, 429);
    vector_endpoint.retry_s = 90;
    vector_rig_add("Escalation", "Who to call about downtime.");
    vector_rig_run(89000);
    assert_int_equal(vector_endpoint.requests, 1);
    vector_rig_run(10000);
    assert_int_equal(vector_endpoint.requests, 2);
    vector_rig_answers(ANSWER, 0);
    vector_rig_run(100000);
    struct vectors_status status = vector_rig_tell();
    assert_int_equal(status.pending, 0);
    vectors_status_fini(&status);
}

static void
a_failing_endpoint_is_asked_less_and_less(void **state)
{
    static const struct {
        enum vector_answer mode;
        int status;
    } ways[] = {{NO_ANSWER, 0}, {STATUS, 500}, {GARBAGE, 0}, {STATUS, 401}};

    (void)state;
    vector_rig_add("Escalation", "Who to call about downtime.");
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        vector_rig_answers(ways[i].mode, ways[i].status);
        vectors_poke(vector_rig.vectors);
        vector_rig_run(3600000);
        assert_in_range(vector_endpoint.requests, 10, 20);
        struct vectors_status status = vector_rig_tell();
        assert_true(status.why.len > 0);
        assert_true(status.pending > 0);
        vectors_status_fini(&status);
    }
    assert_int_equal(vector_rig_stored(), 0);
}

static void
one_text_that_is_not_taken_keeps_no_other_back(void **state)
{
    (void)state;
    for (int i = 0; i < 40; i++) {
        char title[32];

        (void)snprintf(title, sizeof(title), "Note %d", i);
        vector_rig_add(title,
                       i == 17 ? "This one is poisonous." : "This one is not.");
    }
    vector_endpoint.unwanted = "poisonous";
    vector_rig_run(60000);
    struct vectors_status status = vector_rig_tell();
    assert_int_equal(status.refused, 1);
    assert_int_equal(status.pending, 0);
    vectors_status_fini(&status);
    assert_in_range(vector_endpoint.requests, 5, 25);
    assert_int_equal(vector_endpoint.largest, 16);
    /* It is tried again only when somebody asks for vector_rig. */
    vector_rig_answers(ANSWER, 0);
    vector_rig_run(60000);
    assert_int_equal(vector_endpoint.requests, 0);
    vector_endpoint.unwanted = NULL;
    vectors_poke(vector_rig.vectors);
    vector_rig_run(6000);
    assert_int_equal(vector_endpoint.texts, 1);
    status = vector_rig_tell();
    assert_int_equal(status.refused, 0);
    vectors_status_fini(&status);
}

static void
an_endpoint_that_takes_no_text_is_not_asked_for_each(void **state)
{
    (void)state;
    for (int i = 0; i < 40; i++) {
        char title[32];

        (void)snprintf(title, sizeof(title), "Note %d", i);
        vector_rig_add(title, "No model takes this.");
    }
    vector_rig_answers(STATUS, 400);
    vector_rig_run(30000);
    assert_in_range(vector_endpoint.requests, 8, 14);
    struct vectors_status status = vector_rig_tell();
    assert_int_equal(status.refused, 0);
    assert_non_null(strstr(buf_cstr(&status.why), "not so"));
    vectors_status_fini(&status);
}

static void
beyond_the_memory_texts_are_left_out_those_of_code_first(void **state)
{
    unsigned degraded;

    (void)state;
    vector_rig_shut();
    vector_rig.cfg.max_bytes = 3 * 36; /* three rows of 8 numbers */
    vector_rig.cfg.batch = 1;
    vector_rig_reopen();
    vector_rig_add("Escalation", "Who to call about downtime.");
    vector_rig_run(60000);
    struct vectors_status status = vector_rig_tell();
    assert_int_equal(status.vectors, 3);
    assert_true(status.left_out > 0);
    assert_int_equal(status.pending, 0);
    vectors_status_fini(&status);
    assert_int_equal(vector_rig_stored(), 3);
    assert_int_equal(vector_rig_rank("outage", "Escalation", &degraded), 1);
    assert_int_equal(vector_rig_rank("refund", "repayCustomer", &degraded), 0);
}

static void
where_another_process_writes_nothing_is_paid_for(void **state)
{
    (void)state;
    vector_rig_add("Escalation", "Who to call about downtime.");
    vector_rig.is_locked_out = true;
    vector_rig_run(60000);
    assert_int_equal(vector_endpoint.requests, 0);
    vector_rig.is_locked_out = false;
    vector_rig_run(300000);
    struct vectors_status status = vector_rig_tell();
    assert_int_equal(status.pending, 0);
    vectors_status_fini(&status);
}

static void
who_does_not_fill_reads_what_others_stored(void **state)
{
    unsigned degraded;

    (void)state;
    vector_rig_add("Escalation", "Who to call about downtime.");
    vector_rig_run(20000);
    int64_t count = vector_rig_stored();
    vector_rig_shut();
    vector_rig.cfg.is_filling = false;
    vector_rig_answers(ANSWER, 0);
    vector_rig.now_ms = 0;
    vector_rig_reopen();
    int64_t oid = vector_rig_add("Later", "Who to call about a trolley.");
    vector_rig_run(60000);
    assert_int_equal(vector_endpoint.requests, 0);
    vector_rig_counts((size_t)count, 1, 0, 0);
    assert_int_equal(vector_rig_rank("outage", "Escalation", &degraded), 1);
    vector_rig_drop(oid);
    vector_rig_run(60000);
    assert_int_equal(vector_rig_stored(), count);
    vector_rig_add("Later", "Who to call about a basket.");
    vectors_poke(vector_rig.vectors);
    vector_rig_run(6000);
    vector_rig_counts((size_t)count + 1, 0, 0, 0);
}

static void
a_long_text_is_sent_up_to_its_limit(void **state)
{
    char text[1000];

    (void)state;
    vector_rig.cfg.worlds = VECTOR_KNOWLEDGE;
    vector_rig_shut();
    vector_rig_reopen();
    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    vector_rig_add("Long", text);
    vector_rig_run(6000);
    assert_int_equal(strlen(vector_endpoint.last), 400);
    vector_rig_counts(1, 0, 0, 0);
    /* What comes behind the limit makes no other text. */
    text[600] = 'y';
    vector_rig_add("Long", text);
    vector_rig_run(6000);
    vector_rig_counts(1, 0, 0, 0);
    text[100] = 'y';
    vector_rig_add("Long", text);
    vector_rig_run(6000);
    vector_rig_counts(2, 0, 0, 0);
}

#define T(name) \
    cmocka_unit_test_setup_teardown(name, vector_rig_open, vector_rig_close)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        T(texts_of_all_worlds_are_found_by_words_they_have_not),
        T(what_is_stored_is_not_asked_for_again),
        T(what_went_away_or_changed_loses_its_vector),
        T(another_model_or_length_makes_all_anew_and_keeps_the_old_until_then),
        T(an_answer_of_another_length_is_no_answer_and_nothing_is_lost),
        T(a_busy_endpoint_is_left_alone_for_as_long_as_it_asks),
        T(a_failing_endpoint_is_asked_less_and_less),
        T(one_text_that_is_not_taken_keeps_no_other_back),
        T(an_endpoint_that_takes_no_text_is_not_asked_for_each),
        T(beyond_the_memory_texts_are_left_out_those_of_code_first),
        T(where_another_process_writes_nothing_is_paid_for),
        T(who_does_not_fill_reads_what_others_stored),
        T(a_long_text_is_sent_up_to_its_limit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
