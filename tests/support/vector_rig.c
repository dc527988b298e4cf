#include "tests/support/vector_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cjson/cJSON.h>
#include <cmocka.h>

#include "knowledge/entity.h"
#include "knowledge/search.h"
#include "store/knowledge_store.h"
#include "tests/support/code_fixture.h"

struct vector_rig vector_rig;
struct vector_endpoint vector_endpoint = {.lock = PTHREAD_MUTEX_INITIALIZER};

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
        add_vector(text->valuestring, vector_endpoint.dim, out);
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
        if (vector_endpoint.unwanted &&
            strstr(text->valuestring, vector_endpoint.unwanted))
            return true;
    }
    return false;
}

enum err
vector_rig_post(void *ctx, str body, uint32_t timeout_ms,
                struct embed_answer *answer, struct buf *why)
{
    char *text = strndup(body.ptr, body.len);
    cJSON *ask = cJSON_Parse(text);
    const cJSON *input = cJSON_GetObjectItem(ask, "input");
    enum err err = OK;

    (void)ctx;
    assert_non_null(ask);
    pthread_mutex_lock(&vector_endpoint.lock);
    struct vector_endpoint now = vector_endpoint;
    vector_endpoint.requests++;
    vector_endpoint.texts += cJSON_GetArraySize(input);
    if ((size_t)cJSON_GetArraySize(input) > vector_endpoint.largest)
        vector_endpoint.largest = (size_t)cJSON_GetArraySize(input);
    (void)snprintf(vector_endpoint.last, sizeof(vector_endpoint.last), "%s",
                   cJSON_GetArrayItem(input, 0)->valuestring);
    pthread_mutex_unlock(&vector_endpoint.lock);
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

void
vector_rig_answers(enum vector_answer mode, int status)
{
    pthread_mutex_lock(&vector_endpoint.lock);
    vector_endpoint.mode = mode;
    vector_endpoint.status = status;
    vector_endpoint.requests = 0;
    vector_endpoint.texts = 0;
    vector_endpoint.largest = 0;
    pthread_mutex_unlock(&vector_endpoint.lock);
}

enum err
vector_rig_begin(void *ctx, struct moment *moment, bool writes,
                 const struct code **code)
{
    (void)ctx;
    *moment = (struct moment){.view = vector_rig.view,
                              .now_s = FIXTURE_NOW_S,
                              .why = &vector_rig.why};
    if (writes && vector_rig.is_locked_out) {
        buf_add(&vector_rig.why, STR("process 1 writes"));
        return ERR_BUSY;
    }
    if (code)
        assert_int_equal(
            code_db_hold(world_code(vector_rig.world), code, &vector_rig.why),
            OK);
    return writes ? knowledge_write(vector_rig.knowledge, moment)
                  : knowledge_read(vector_rig.knowledge, moment);
}

enum err
vector_rig_end(void *ctx, struct moment *moment, enum err err)
{
    (void)ctx;
    return knowledge_end(vector_rig.knowledge, moment, err);
}

void
vector_rig_reopen(void)
{
    struct knowledge_cfg cfg = knowledge_cfg_default;

    assert_int_equal(vectors_open(&vector_rig.vectors, &vector_rig.cfg), OK);
    cfg.vectors = vector_rig.vectors;
    assert_int_equal(
        knowledge_open(&vector_rig.knowledge, vector_rig.db.dir, &cfg), OK);
}

void
vector_rig_shut(void)
{
    knowledge_close(vector_rig.knowledge);
    vectors_close(vector_rig.vectors);
}

int
vector_rig_open(void **state)
{
    struct code_fixture f;

    (void)state;
    memset(&vector_rig, 0, sizeof(vector_rig));
    vector_endpoint =
        (struct vector_endpoint){.lock = PTHREAD_MUTEX_INITIALIZER, .dim = 8};
    db_fixture_open(&vector_rig.db);
    uint32_t checkout = db_service(&vector_rig.db, "checkout");
    db_edge(&vector_rig.db, 0,
            db_route(&vector_rig.db, checkout, "POST /trolley"), EDGE_TRAFFIC,
            20);
    code_fixture_open(&f, vector_rig.db.dir);
    fixture_function(&f, fixture_file(&f, "shop/pay.go"), "repayCustomer", 3,
                     0);
    code_drop(code_fixture_load(&f));
    assert_int_equal(query_open(&vector_rig.query, vector_rig.db.dir,
                                &query_cfg_default, &vector_rig.why),
                     OK);
    assert_int_equal(
        query_begin(vector_rig.query, FIXTURE_NOW_S, &vector_rig.view), OK);
    assert_int_equal(world_open(&vector_rig.world, vector_rig.db.dir), OK);
    vector_rig.host =
        (struct vectors_host){.begin = vector_rig_begin, .end = vector_rig_end};
    vector_rig.now_ms = 1000;
    vector_rig.cfg = (struct vectors_cfg){
        .model = "topics",
        .worlds = VECTOR_WORLDS,
        .max_bytes = 1 << 20,
        .max_text = 400,
        .batch = 16,
        .pause_ms = 100,
        .timeout_ms = 1000,
        .query_ms = 300,
        .is_filling = true,
        .fill = {.post = vector_rig_post},
        .ask = {.post = vector_rig_post},
    };
    vector_rig_reopen();
    return 0;
}

int
vector_rig_close(void **state)
{
    (void)state;
    vector_rig_shut();
    query_end(vector_rig.view);
    query_close(vector_rig.query);
    world_close(vector_rig.world);
    buf_fini(&vector_rig.why);
    db_fixture_close(&vector_rig.db);
    return 0;
}

int64_t
vector_rig_add(const char *title, const char *content)
{
    struct object object = {0};
    struct moment moment;
    bool is_new;
    const struct entity_new entity = {
        .type = "rule", .title = str_of(title), .content = str_of(content)};

    assert_int_equal(vector_rig_begin(NULL, &moment, true, NULL), OK);
    enum err err = entity_add(&moment, &entity, &object, &is_new);
    if (!err)
        err = entity_index(&moment, object.oid);
    assert_int_equal(vector_rig_end(NULL, &moment, err), OK);
    int64_t oid = object.oid;
    object_fini(&object);
    return oid;
}

void
vector_rig_drop(int64_t oid)
{
    struct moment moment;

    assert_int_equal(vector_rig_begin(NULL, &moment, true, NULL), OK);
    enum err err = entity_unindex(&moment, oid);
    if (!err)
        err = ks_run(moment.store, KS_OBJECT_DELETE, KS_ARGS(ks_int(oid)));
    assert_int_equal(vector_rig_end(NULL, &moment, err), OK);
}

void
vector_rig_run(uint64_t ms)
{
    uint64_t until_ms = vector_rig.now_ms + ms;

    while (vector_rig.now_ms < until_ms) {
        uint32_t wait_ms = vectors_step(vector_rig.vectors, &vector_rig.host,
                                        vector_rig.now_ms);

        vector_rig.now_ms += wait_ms ? wait_ms : 1;
        buf_reset(&vector_rig.why);
    }
}

struct vectors_status
vector_rig_tell(void)
{
    struct vectors_status status;

    vectors_tell(vector_rig.vectors, &status);
    return status;
}

void
vector_rig_counts(size_t vectors, size_t pending, size_t refused,
                  size_t left_out)
{
    struct vectors_status status = vector_rig_tell();

    if (status.vectors != vectors || status.pending != pending ||
        status.refused != refused || status.left_out != left_out)
        fail_msg("%zu vectors, %zu pending, %zu refused, %zu left out (%s)",
                 status.vectors, status.pending, status.refused,
                 status.left_out, buf_cstr(&status.why));
    vectors_status_fini(&status);
}

int64_t
vector_rig_stored(void)
{
    struct moment moment;
    int64_t count = 0;

    assert_int_equal(vector_rig_begin(NULL, &moment, false, NULL), OK);
    enum err err = OK;
    if (moment.store)
        err = ks_number(moment.store, KS_EMBEDDING_COUNT, NULL, 0, &count);
    assert_int_equal(vector_rig_end(NULL, &moment, err), OK);
    return count;
}

int
vector_rig_rank(const char *question, const char *name, unsigned *degraded)
{
    struct moment moment;
    struct search_hits hits;
    struct near *near = NULL;
    int rank = 0;

    assert_int_equal(vector_rig_begin(NULL, &moment, false, NULL), OK);
    assert_int_equal(world_hold(vector_rig.world, vector_rig.view,
                                &moment.joined, &vector_rig.why),
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
    assert_int_equal(vector_rig_end(NULL, &moment, OK), OK);
    return rank;
}
