/*
 * Texts get vectors behind those who add, and questions find by them; and what
 * becomes of both when the endpoint fails in each of its ways.  Time is told.
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
#include <pthread.h>
#include <unistd.h>

#include "base/clock.h"
#include "graph/world.h"
#include "knowledge/entity.h"
#include "knowledge/search.h"
#include "knowledge/upkeep.h"
#include "knowledge/vectors.h"
#include "store/knowledge_store.h"
#include "tests/support/code_fixture.h"
#include "tests/support/db_fixture.h"
#include "tests/support/dir.h"

enum mode { ANSWER, NO_ANSWER, SLOW, STATUS, GARBAGE };

/* An endpoint.  A vector has a number for each of three topics. */
static struct endpoint {
    pthread_mutex_t lock;
    enum mode mode;
    int status;
    uint32_t retry_s;
    uint32_t dim;
    uint32_t sleep_ms;
    const char *unwanted; /* texts with it are refused */
    int requests;
    int texts;
    size_t largest; /* batch */
    char last[512]; /* text */
} end_point = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct {
    struct db_fixture db;
    struct query *query;
    struct query_view *view;
    struct world *world;
    struct knowledge *knowledge;
    struct vectors *vectors;
    struct vectors_cfg cfg;
    struct vectors_host host;
    struct buf why;
    uint64_t now_ms;
    bool is_locked_out; /* another process writes */
} it;

/* ---- the endpoint ---- */

static bool
has_word_of(const char *text, const char *const *words)
{
    for (; *words; words++)
        if (strstr(text, *words))
            return true;
    return false;
}

static void
add_vector(const char *text, uint32_t dim, struct buf *out)
{
    static const char *const topics[][4] = {
        {"refund", "repay", "money", NULL},
        {"outage", "downtime", "dead", NULL},
        {"cart", "trolley", "basket", NULL}};

    buf_add_char(out, '[');
    for (uint32_t i = 0; i < dim; i++)
        buf_printf(out, "%s%s", i ? "," : "",
                   i < 3 && has_word_of(text, topics[i]) ? "1"
                   : i == dim - 1                        ? "0.3"
                                                         : "0.01");
    buf_add_char(out, ']');
}

static void
answer_all(const cJSON *input, struct buf *out)
{
    const cJSON *text;
    int at = 0;

    buf_add(out, STR("{\"data\":["));
    cJSON_ArrayForEach(text, input)
    {
        buf_printf(out, "%s{\"index\":%d,\"embedding\":", at ? "," : "", at);
        add_vector(text->valuestring, end_point.dim, out);
        buf_add_char(out, '}');
        at++;
    }
    buf_add(out, STR("]}"));
}

static bool
is_unwanted(const cJSON *input)
{
    const cJSON *text;

    cJSON_ArrayForEach(text, input)
    {
        if (end_point.unwanted && strstr(text->valuestring, end_point.unwanted))
            return true;
    }
    return false;
}

static enum err
post(void *ctx, str body, uint32_t timeout_ms, struct embed_answer *answer,
     struct buf *why)
{
    char *text = strndup(body.ptr, body.len);
    cJSON *ask = cJSON_Parse(text);
    const cJSON *input = cJSON_GetObjectItem(ask, "input");
    enum err err = OK;

    (void)ctx;
    assert_non_null(ask);
    pthread_mutex_lock(&end_point.lock);
    struct endpoint now = end_point;
    end_point.requests++;
    end_point.texts += cJSON_GetArraySize(input);
    if ((size_t)cJSON_GetArraySize(input) > end_point.largest)
        end_point.largest = (size_t)cJSON_GetArraySize(input);
    (void)snprintf(end_point.last, sizeof(end_point.last), "%s",
                   cJSON_GetArrayItem(input, 0)->valuestring);
    pthread_mutex_unlock(&end_point.lock);
    answer->status = now.mode == STATUS ? now.status : 200;
    answer->retry_s = now.retry_s;
    if (now.mode == SLOW)
        usleep((now.sleep_ms < timeout_ms ? now.sleep_ms : timeout_ms) * 1000);
    if (now.mode == NO_ANSWER ||
        (now.mode == SLOW && now.sleep_ms >= timeout_ms)) {
        buf_add(why, STR("no whole answer came in time"));
        err = ERR_IO;
    } else if (now.mode == GARBAGE) {
        buf_add(&answer->body, STR("<html>"));
    } else if (now.mode == STATUS || is_unwanted(input)) {
        answer->status = now.mode == STATUS ? now.status : 400;
        buf_add(&answer->body, STR("{\"error\":{\"message\":\"not so\"}}"));
    } else {
        answer_all(input, &answer->body);
    }
    cJSON_Delete(ask);
    free(text);
    return err;
}

static void
set_mode(enum mode mode, int status)
{
    pthread_mutex_lock(&end_point.lock);
    end_point.mode = mode;
    end_point.status = status;
    end_point.requests = 0;
    end_point.texts = 0;
    end_point.largest = 0;
    pthread_mutex_unlock(&end_point.lock);
}

/* ---- the host ---- */

static enum err
begin(void *ctx, struct moment *moment, bool writes, const struct code **code)
{
    (void)ctx;
    *moment = (struct moment){
        .view = it.view, .now_s = FIXTURE_NOW_S, .why = &it.why};
    if (writes && it.is_locked_out) {
        buf_add(&it.why, STR("process 1 writes"));
        return ERR_BUSY;
    }
    if (code)
        assert_int_equal(code_db_hold(world_code(it.world), code, &it.why), OK);
    return writes ? knowledge_write(it.knowledge, moment)
                  : knowledge_read(it.knowledge, moment);
}

static enum err
end(void *ctx, struct moment *moment, enum err err)
{
    (void)ctx;
    return knowledge_end(it.knowledge, moment, err);
}

static void
open_vectors(void)
{
    struct knowledge_cfg cfg = knowledge_cfg_default;

    assert_int_equal(vectors_open(&it.vectors, &it.cfg), OK);
    cfg.vectors = it.vectors;
    assert_int_equal(knowledge_open(&it.knowledge, it.db.dir, &cfg), OK);
}

static void
close_vectors(void)
{
    knowledge_close(it.knowledge);
    vectors_close(it.vectors);
}

static int
open_all(void **state)
{
    struct code_fixture f;

    (void)state;
    memset(&it, 0, sizeof(it));
    end_point = (struct endpoint){.lock = PTHREAD_MUTEX_INITIALIZER, .dim = 8};
    db_fixture_open(&it.db);
    uint32_t checkout = db_service(&it.db, "checkout");
    db_edge(&it.db, 0, db_route(&it.db, checkout, "POST /trolley"),
            EDGE_TRAFFIC, 20);
    code_fixture_open(&f, it.db.dir);
    fixture_function(&f, fixture_file(&f, "shop/pay.go"), "repayCustomer", 3,
                     0);
    code_drop(code_fixture_load(&f));
    assert_int_equal(
        query_open(&it.query, it.db.dir, &query_cfg_default, &it.why), OK);
    assert_int_equal(query_begin(it.query, FIXTURE_NOW_S, &it.view), OK);
    assert_int_equal(world_open(&it.world, it.db.dir), OK);
    it.host = (struct vectors_host){.begin = begin, .end = end};
    it.now_ms = 1000;
    it.cfg = (struct vectors_cfg){
        .model = "topics",
        .worlds = VECTOR_WORLDS,
        .max_bytes = 1 << 20,
        .max_text = 400,
        .batch = 16,
        .pause_ms = 100,
        .timeout_ms = 1000,
        .query_ms = 300,
        .is_filling = true,
        .fill = {.post = post},
        .ask = {.post = post},
    };
    open_vectors();
    return 0;
}

static int
close_all(void **state)
{
    (void)state;
    close_vectors();
    query_end(it.view);
    query_close(it.query);
    world_close(it.world);
    buf_fini(&it.why);
    db_fixture_close(&it.db);
    return 0;
}

/* ---- doing ---- */

static int64_t
add(const char *title, const char *content)
{
    struct object object = {0};
    struct moment moment;
    bool is_new;
    const struct entity_new entity = {
        .type = "rule", .title = str_of(title), .content = str_of(content)};

    assert_int_equal(begin(NULL, &moment, true, NULL), OK);
    enum err err = entity_add(&moment, &entity, &object, &is_new);
    if (!err)
        err = entity_index(&moment, object.oid);
    assert_int_equal(end(NULL, &moment, err), OK);
    int64_t oid = object.oid;
    object_fini(&object);
    return oid;
}

static void
drop(int64_t oid)
{
    struct moment moment;

    assert_int_equal(begin(NULL, &moment, true, NULL), OK);
    enum err err = entity_unindex(&moment, oid);
    if (!err)
        err = ks_run(moment.store, KS_OBJECT_DELETE, KS_ARGS(ks_int(oid)));
    assert_int_equal(end(NULL, &moment, err), OK);
}

/* Steps until |ms| have gone by. */
static void
run(uint64_t ms)
{
    uint64_t until_ms = it.now_ms + ms;

    while (it.now_ms < until_ms) {
        uint32_t wait_ms = vectors_step(it.vectors, &it.host, it.now_ms);

        it.now_ms += wait_ms ? wait_ms : 1;
        buf_reset(&it.why);
    }
}

static struct vectors_status
tell(void)
{
    struct vectors_status status;

    vectors_tell(it.vectors, &status);
    return status;
}

static void
counts_are(size_t vectors, size_t pending, size_t refused, size_t left_out)
{
    struct vectors_status status = tell();

    if (status.vectors != vectors || status.pending != pending ||
        status.refused != refused || status.left_out != left_out)
        fail_msg("%zu vectors, %zu pending, %zu refused, %zu left out (%s)",
                 status.vectors, status.pending, status.refused,
                 status.left_out, buf_cstr(&status.why));
    vectors_status_fini(&status);
}

static int64_t
stored(void)
{
    struct moment moment;
    int64_t count = 0;

    assert_int_equal(begin(NULL, &moment, false, NULL), OK);
    enum err err = OK;
    if (moment.store)
        err = ks_number(moment.store, KS_EMBEDDING_COUNT, NULL, 0, &count);
    assert_int_equal(end(NULL, &moment, err), OK);
    return count;
}

/* The rank in the vector lane of the first result by |name|; 0: not there. */
static int
ask(const char *question, const char *name, unsigned *degraded)
{
    struct moment moment;
    struct search_hits hits;
    struct near *near = NULL;
    int rank = 0;

    assert_int_equal(begin(NULL, &moment, false, NULL), OK);
    assert_int_equal(world_hold(it.world, it.view, &moment.joined, &it.why),
                     OK);
    assert_int_equal(near_open(&near, &moment), OK);
    const struct search_ask search = {.query = str_of(question)};
    assert_int_equal(search_find(near, &moment, &search, &hits), OK);
    for (size_t i = 0; i < hits.len && !rank; i++) {
        struct object object;

        assert_int_equal(near_object(&moment, hits.rows[i].spot, &object), OK);
        if (strcmp(buf_cstr(&object.name), name) == 0)
            rank = hits.rows[i].ranks[LANE_VECTOR];
        object_fini(&object);
    }
    *degraded = hits.degraded;
    search_hits_fini(&hits);
    near_close(near);
    world_drop(moment.joined);
    assert_int_equal(end(NULL, &moment, OK), OK);
    return rank;
}

/* ---- what fills ---- */

static void
texts_of_all_worlds_are_found_by_words_they_have_not(void **state)
{
    unsigned degraded;

    (void)state;
    add("Escalation", "Who to call about downtime.");
    add("Holidays", "Nobody works in August.");
    run(20000);
    struct vectors_status status = tell();
    assert_int_equal(status.pending, 0);
    assert_int_equal(status.dim, 8);
    assert_int_equal(status.vectors, stored());
    vectors_status_fini(&status);
    assert_int_equal(ask("outage", "Escalation", &degraded), 1);
    assert_int_equal(degraded, 0);
    assert_int_equal(ask("outage", "Holidays", &degraded), 0);
    assert_int_equal(ask("basket", "POST /trolley", &degraded), 1);
    assert_int_equal(ask("refund money", "repayCustomer", &degraded), 1);
    assert_int_equal(degraded, 0);
}

static void
what_is_stored_is_not_asked_for_again(void **state)
{
    unsigned degraded;

    (void)state;
    add("Escalation", "Who to call about downtime.");
    add("Twin", "The same.");
    add("Twin", "The same."); /* one text, or one object: one vector */
    run(20000);
    int64_t count = stored();
    assert_true(count > 3);
    assert_int_equal(end_point.texts, count);
    close_vectors();
    set_mode(ANSWER, 0);
    it.now_ms = 0;
    open_vectors();
    run(60000);
    assert_int_equal(end_point.requests, 0);
    assert_int_equal(ask("outage", "Escalation", &degraded), 1);
    counts_are((size_t)count, 0, 0, 0);
}

static void
what_went_away_or_changed_loses_its_vector(void **state)
{
    unsigned degraded;

    (void)state;
    int64_t oid = add("Escalation", "Who to call about downtime.");
    run(20000);
    int64_t count = stored();
    drop(oid);
    assert_int_equal(ask("outage", "Escalation", &degraded), 0);
    run(6000);
    assert_int_equal(stored(), count - 1);
    counts_are((size_t)count - 1, 0, 0, 0);
    set_mode(ANSWER, 0);
    add("Escalation", "Who to call about a trolley.");
    run(6000);
    assert_int_equal(end_point.texts, 1);
    assert_int_equal(stored(), count);
    assert_true(ask("basket", "Escalation", &degraded) > 0);
}

static void
another_model_or_length_makes_all_anew_and_keeps_the_old_until_then(
    void **state)
{
    (void)state;
    add("Escalation", "Who to call about downtime.");
    run(20000);
    int64_t count = stored();

    for (int round = 0; round < 2; round++) {
        close_vectors();
        it.cfg.model = round ? "others" : "topics";
        it.cfg.dim = 12;
        open_vectors();
        set_mode(NO_ANSWER, 0);
        end_point.dim = 12;
        it.now_ms = 0;
        run(6000);
        counts_are(0, (size_t)count, 0, 0);
        assert_int_equal(stored(), count);
        set_mode(ANSWER, 0);
        run(60000);
        counts_are((size_t)count, 0, 0, 0);
        assert_int_equal(stored(), count);
        assert_int_equal(end_point.texts, count);
    }
    /* Those nobody has are gone, too, of whatever model. */
    close_vectors();
    it.cfg.model = "third";
    it.cfg.worlds = VECTOR_KNOWLEDGE;
    it.cfg.dim = 0;
    open_vectors();
    it.now_ms = 0;
    run(60000);
    counts_are(1, 0, 0, 0);
    assert_int_equal(stored(), 1);
}

static void
an_answer_of_another_length_is_no_answer_and_nothing_is_lost(void **state)
{
    unsigned degraded;

    (void)state;
    add("Escalation", "Who to call about downtime.");
    run(20000);
    int64_t count = stored();
    pthread_mutex_lock(&end_point.lock);
    end_point.dim = 9;
    pthread_mutex_unlock(&end_point.lock);
    add("Later", "Is not given a vector.");
    run(20000);
    counts_are((size_t)count, 1, 0, 0);
    struct vectors_status status = tell();
    assert_non_null(strstr(buf_cstr(&status.why), "9 numbers, not 8"));
    vectors_status_fini(&status);
    assert_int_equal(ask("outage", "Escalation", &degraded), 0);
    assert_int_equal(degraded, 1U << LANE_VECTOR);
    pthread_mutex_lock(&end_point.lock);
    end_point.dim = 8;
    pthread_mutex_unlock(&end_point.lock);
    run(120000);
    counts_are((size_t)count + 1, 0, 0, 0);
    status = tell();
    assert_int_equal(status.why.len, 0);
    vectors_status_fini(&status);
}

static void
a_busy_endpoint_is_left_alone_for_as_long_as_it_asks(void **state)
{
    (void)state;
    set_mode(STATUS, 429);
    end_point.retry_s = 90;
    add("Escalation", "Who to call about downtime.");
    run(89000);
    assert_int_equal(end_point.requests, 1);
    run(10000);
    assert_int_equal(end_point.requests, 2);
    set_mode(ANSWER, 0);
    run(100000);
    struct vectors_status status = tell();
    assert_int_equal(status.pending, 0);
    vectors_status_fini(&status);
}

static void
a_failing_endpoint_is_asked_less_and_less(void **state)
{
    static const struct {
        enum mode mode;
        int status;
    } ways[] = {{NO_ANSWER, 0}, {STATUS, 500}, {GARBAGE, 0}, {STATUS, 401}};

    (void)state;
    add("Escalation", "Who to call about downtime.");
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        set_mode(ways[i].mode, ways[i].status);
        vectors_poke(it.vectors);
        run(3600000);
        assert_in_range(end_point.requests, 10, 20);
        struct vectors_status status = tell();
        assert_true(status.why.len > 0);
        assert_true(status.pending > 0);
        vectors_status_fini(&status);
    }
    assert_int_equal(stored(), 0);
}

static void
one_text_that_is_not_taken_keeps_no_other_back(void **state)
{
    (void)state;
    for (int i = 0; i < 40; i++) {
        char title[32];

        (void)snprintf(title, sizeof(title), "Note %d", i);
        add(title, i == 17 ? "This one is poisonous." : "This one is not.");
    }
    end_point.unwanted = "poisonous";
    run(60000);
    struct vectors_status status = tell();
    assert_int_equal(status.refused, 1);
    assert_int_equal(status.pending, 0);
    vectors_status_fini(&status);
    assert_in_range(end_point.requests, 5, 25);
    assert_int_equal(end_point.largest, 16);
    /* It is tried again only when somebody asks for it. */
    set_mode(ANSWER, 0);
    run(60000);
    assert_int_equal(end_point.requests, 0);
    end_point.unwanted = NULL;
    vectors_poke(it.vectors);
    run(6000);
    assert_int_equal(end_point.texts, 1);
    status = tell();
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
        add(title, "No model takes this.");
    }
    set_mode(STATUS, 400);
    run(30000);
    assert_in_range(end_point.requests, 8, 14);
    struct vectors_status status = tell();
    assert_int_equal(status.refused, 0);
    assert_non_null(strstr(buf_cstr(&status.why), "not so"));
    vectors_status_fini(&status);
}

static void
beyond_the_memory_texts_are_left_out_those_of_code_first(void **state)
{
    unsigned degraded;

    (void)state;
    close_vectors();
    it.cfg.max_bytes = 3 * 36; /* three rows of 8 numbers */
    it.cfg.batch = 1;
    open_vectors();
    add("Escalation", "Who to call about downtime.");
    run(60000);
    struct vectors_status status = tell();
    assert_int_equal(status.vectors, 3);
    assert_true(status.left_out > 0);
    assert_int_equal(status.pending, 0);
    vectors_status_fini(&status);
    assert_int_equal(stored(), 3);
    assert_int_equal(ask("outage", "Escalation", &degraded), 1);
    assert_int_equal(ask("refund", "repayCustomer", &degraded), 0);
}

static void
where_another_process_writes_nothing_is_paid_for(void **state)
{
    (void)state;
    add("Escalation", "Who to call about downtime.");
    it.is_locked_out = true;
    run(60000);
    assert_int_equal(end_point.requests, 0);
    it.is_locked_out = false;
    run(300000);
    struct vectors_status status = tell();
    assert_int_equal(status.pending, 0);
    vectors_status_fini(&status);
}

static void
who_does_not_fill_reads_what_others_stored(void **state)
{
    unsigned degraded;

    (void)state;
    add("Escalation", "Who to call about downtime.");
    run(20000);
    int64_t count = stored();
    close_vectors();
    it.cfg.is_filling = false;
    set_mode(ANSWER, 0);
    it.now_ms = 0;
    open_vectors();
    int64_t oid = add("Later", "Who to call about a trolley.");
    run(60000);
    assert_int_equal(end_point.requests, 0);
    counts_are((size_t)count, 1, 0, 0);
    assert_int_equal(ask("outage", "Escalation", &degraded), 1);
    drop(oid);
    run(60000);
    assert_int_equal(stored(), count);
    add("Later", "Who to call about a basket.");
    vectors_poke(it.vectors);
    run(6000);
    counts_are((size_t)count + 1, 0, 0, 0);
}

static void
a_long_text_is_sent_up_to_its_limit(void **state)
{
    char text[1000];

    (void)state;
    it.cfg.worlds = VECTOR_KNOWLEDGE;
    close_vectors();
    open_vectors();
    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    add("Long", text);
    run(6000);
    assert_int_equal(strlen(end_point.last), 400);
    counts_are(1, 0, 0, 0);
    /* What comes behind the limit makes no other text. */
    text[600] = 'y';
    add("Long", text);
    run(6000);
    counts_are(1, 0, 0, 0);
    text[100] = 'y';
    add("Long", text);
    run(6000);
    counts_are(2, 0, 0, 0);
}

/* ---- questions ---- */

static void
fill_one(void)
{
    add("Escalation", "Who to call about downtime.");
    run(20000);
    set_mode(ANSWER, 0);
}

static void
the_same_question_is_asked_once(void **state)
{
    unsigned degraded;

    (void)state;
    fill_one();
    for (int i = 0; i < 5; i++)
        assert_int_equal(ask("outage", "Escalation", &degraded), 1);
    assert_int_equal(end_point.requests, 1);
    assert_string_equal(end_point.last, "outage");
    /* As many others as are remembered, and it is forgotten. */
    for (int i = 0; i < EMBED_QUERIES; i++) {
        struct embed_ticket ticket;
        struct vectors_hits *hits = malloc(sizeof(*hits));
        struct moment moment;
        char question[32];

        assert_non_null(hits);
        (void)snprintf(question, sizeof(question), "outage %d", i);
        vectors_ask(it.vectors, str_of(question), &ticket);
        assert_int_equal(begin(NULL, &moment, false, NULL), OK);
        assert_int_equal(vectors_find(it.vectors, &moment, &ticket, hits), OK);
        assert_int_equal(end(NULL, &moment, OK), OK);
        free(hits);
    }
    set_mode(ANSWER, 0);
    assert_int_equal(ask("outage", "Escalation", &degraded), 1);
    assert_int_equal(end_point.requests, 1);
}

static void
a_dead_endpoint_costs_one_question_its_time_and_no_other(void **state)
{
    unsigned degraded;

    (void)state;
    fill_one();
    set_mode(SLOW, 0);
    end_point.sleep_ms = 100000;
    uint64_t begin_ns = clock_mono_ns();
    assert_int_equal(ask("outage", "Escalation", &degraded), 0);
    uint64_t first_ms = (clock_mono_ns() - begin_ns) / NS_PER_MS;
    assert_int_equal(degraded, 1U << LANE_VECTOR);
    assert_in_range(first_ms, 250, 3000);
    for (int i = 0; i < 20; i++) {
        char question[32];

        (void)snprintf(question, sizeof(question), "outage %d", i);
        begin_ns = clock_mono_ns();
        (void)ask(question, "Escalation", &degraded);
        assert_int_equal(degraded, 1U << LANE_VECTOR);
        assert_true((clock_mono_ns() - begin_ns) / NS_PER_MS < 250);
    }
    assert_int_equal(end_point.requests, 1);
    struct vectors_status status = tell();
    assert_true(status.query.is_resting);
    assert_int_equal(status.query.skipped, 20);
    assert_non_null(strstr(buf_cstr(&status.query.why), "in time"));
    vectors_status_fini(&status);
}

static void
each_failure_degrades_and_fails_no_question(void **state)
{
    static const struct {
        enum mode mode;
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
            .ops = {.post = post},
            .model = {"topics", 0, 0},
            .timeout_ms = 300,
            .rest_ms = 50,
            .rest_most_ms = 100,
        };
        bool is_resting = ways[i].status != 400;

        set_mode(ways[i].mode, ways[i].status);
        assert_int_equal(embed_query_start(&query, &cfg), OK);
        embed_query_ask(query, STR("outage"), &ticket);
        assert_int_equal(embed_query_take(query, &ticket, 8, unit), ERR_BUSY);
        set_mode(ANSWER, 0);
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
    set_mode(NO_ANSWER, 0);
    add("Escalation", "Who to call about downtime.");
    run(6000);
    set_mode(NO_ANSWER, 0);
    (void)ask("outage", "Escalation", &degraded);
    assert_int_equal(degraded, 1U << LANE_VECTOR);
    assert_int_equal(end_point.requests, 0); /* the question is not sent */
}

/* ---- telling ---- */

static void
stats_health_and_rebuild_tell_of_it(void **state)
{
    struct moment moment;
    cJSON *data = cJSON_CreateObject();

    (void)state;
    fill_one();
    assert_int_equal(begin(NULL, &moment, false, NULL), OK);
    assert_int_equal(end(NULL, &moment, upkeep_stats(&moment, data)), OK);
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
    set_mode(STATUS, 500);
    add("Later", "Waits.");
    run(6000);
    assert_int_equal(begin(NULL, &moment, true, NULL), OK);
    assert_int_equal(end(NULL, &moment, upkeep_rebuild(&moment, data)), OK);
    assert_int_equal(cJSON_GetObjectItem(data, "vectors_pending")->valueint, 1);
    set_mode(ANSWER, 0);
    run(1000);
    assert_int_equal(end_point.texts, 1);
    cJSON_Delete(data);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, open_all, close_all)
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
        T(the_same_question_is_asked_once),
        T(a_dead_endpoint_costs_one_question_its_time_and_no_other),
        T(each_failure_degrades_and_fails_no_question),
        T(without_any_vector_the_lane_is_told_as_missing),
        T(stats_health_and_rebuild_tell_of_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
