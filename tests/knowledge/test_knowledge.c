/*
 * The file, its lock, and what an id names.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "knowledge/entity.h"
#include "knowledge/evidence.h"
#include "knowledge/links.h"
#include "knowledge/resolve.h"
#include "knowledge/task.h"
#include "tests/support/db_fixture.h"

static struct {
    struct db_fixture db;
    struct query *query;
    struct query_view *view;
    struct knowledge *knowledge;
    struct moment moment;
    struct buf why;
    uint32_t traffic;
} shop;

static void
look(void)
{
    query_end(shop.view);
    assert_int_equal(query_begin(shop.query, FIXTURE_NOW_S, &shop.view), OK);
    shop.moment = (struct moment){
        .view = shop.view, .now_s = FIXTURE_NOW_S, .why = &shop.why};
    buf_reset(&shop.why);
}

static int
open_shop(void **state)
{
    struct db_fixture *db = &shop.db;

    (void)state;
    memset(&shop, 0, sizeof(shop));
    db_fixture_open(db);
    uint32_t checkout = db_service(db, "checkout");
    uint32_t old = db_route(db, checkout, "GET /old/{}");
    (void)db_node(db, NODE_SERVICE, 0, "pay", "prod");
    (void)db_node(db, NODE_SERVICE, 0, "pay", "test");
    (void)db_node(db, NODE_TOPIC, 0, "kafka:orders.{region}", "");
    uint32_t seen = db_edge(db, 0, checkout, EDGE_SEEN, 40);
    shop.traffic = db_edge(db, 0, old, EDGE_TRAFFIC, 20);
    db_daily(db, seen, FIXTURE_DAY - 60, FIXTURE_DAY, 10, 1);
    db_daily(db, shop.traffic, FIXTURE_DAY - 60, FIXTURE_DAY - 50, 10, 1);
    assert_int_equal(
        query_open(&shop.query, db->dir, &query_cfg_default, &shop.why), OK);
    assert_int_equal(
        knowledge_open(&shop.knowledge, db->dir, &knowledge_cfg_default), OK);
    look();
    return 0;
}

static int
close_shop(void **state)
{
    (void)state;
    query_end(shop.view);
    query_close(shop.query);
    knowledge_close(shop.knowledge);
    buf_fini(&shop.why);
    db_fixture_close(&shop.db);
    return 0;
}

static void
names(const char *text, const char *gid)
{
    struct object object = {0};

    assert_int_equal(knowledge_read(shop.knowledge, &shop.moment), OK);
    enum err err =
        object_resolve(&shop.moment, str_of(text), IN_ANY_WORLD, &object);
    if (err)
        fail_msg("%s: %s", text, buf_cstr(&shop.why));
    assert_string_equal(buf_cstr(&object.gid), gid);
    object_fini(&object);
    assert_int_equal(knowledge_end(shop.knowledge, &shop.moment, OK), OK);
}

static void
an_id_may_be_written_in_several_ways(void **state)
{
    (void)state;
    names("service:checkout", "service:checkout");
    names("checkout", "service:checkout");
    names("route:checkout:GET /old/{}", "route:checkout:GET /old/{}");
    names("route:checkout GET /old/{id}", "route:checkout:GET /old/{}");
    names("endpoint:GET /old/:id", "route:checkout:GET /old/{}");
    names("checkout GET /old/{}", "route:checkout:GET /old/{}");
    names("service:pay@test", "service:pay@test");
    names("topic:kafka:orders.{region}", "topic:kafka:orders.{region}");
    names("kafka:orders.{region}", "topic:kafka:orders.{region}");
}

static void
fails(const char *text, enum err wanted, const char *why)
{
    struct object object = {0};

    look();
    assert_int_equal(knowledge_read(shop.knowledge, &shop.moment), OK);
    assert_int_equal(
        object_resolve(&shop.moment, str_of(text), IN_ANY_WORLD, &object),
        wanted);
    if (!strstr(buf_cstr(&shop.why), why))
        fail_msg("%s is not in: %s", why, buf_cstr(&shop.why));
    object_fini(&object);
    assert_int_equal(knowledge_end(shop.knowledge, &shop.moment, OK), OK);
}

static void
a_name_of_none_or_several_tells_what_is_near(void **state)
{
    (void)state;
    fails("service:pay", ERR_AMBIGUOUS,
          "ambiguous: 2 candidates: service:pay@prod, service:pay@test");
    fails("service:chekout", ERR_NOT_FOUND,
          "Entity not found: service:chekout; closest: service:checkout");
    fails("", ERR_NOT_FOUND, "Entity not found: ");
}

static enum err
add(const char *title, int64_t project, struct object *out)
{
    const struct entity_new what = {.type = "note",
                                    .title = str_of(title),
                                    .content = STR("c"),
                                    .project = project};
    bool is_new;

    return entity_add(&shop.moment, &what, out, &is_new);
}

static void
a_name_of_any_length_is_not_found(void **state)
{
    static char name[60001];
    struct object note = {0};

    (void)state;
    assert_int_equal(knowledge_write(shop.knowledge, &shop.moment), OK);
    assert_int_equal(add("a note", 0, &note), OK);
    assert_int_equal(knowledge_end(shop.knowledge, &shop.moment, OK), OK);
    object_fini(&note);
    memset(name, 'a', sizeof(name) - 1);
    fails(name, ERR_NOT_FOUND, "Entity not found: aaa");
}

static void
a_title_keeps_all_its_letters_beside_what_may_not_be_shown(void **state)
{
    struct object note = {0};

    (void)state;
    assert_int_equal(knowledge_write(shop.knowledge, &shop.moment), OK);
    assert_int_equal(add("fix\ttimeouts", 0, &note), OK);
    assert_string_equal(buf_cstr(&note.name), "fix\xef\xbf\xbdtimeouts");
    assert_int_equal(knowledge_end(shop.knowledge, &shop.moment, OK), OK);
    object_fini(&note);
}

static void
the_same_title_never_takes_an_id_twice(void **state)
{
    struct object one = {0};
    struct object two = {0};
    struct object three = {0};

    (void)state;
    assert_int_equal(knowledge_write(shop.knowledge, &shop.moment), OK);
    assert_int_equal(add("t", 0, &one), OK);
    assert_int_equal(add("t", 0, &two), OK);
    assert_int_equal(add("t", one.oid, &three), OK);
    assert_string_not_equal(buf_cstr(&one.gid), buf_cstr(&two.gid));
    assert_string_not_equal(buf_cstr(&one.gid), buf_cstr(&three.gid));
    assert_int_equal(knowledge_end(shop.knowledge, &shop.moment, OK), OK);
    object_fini(&one);
    object_fini(&two);
    object_fini(&three);
}

static void
what_was_given_up_is_not_there(void **state)
{
    struct object one = {0};
    struct object again = {0};

    (void)state;
    assert_int_equal(knowledge_write(shop.knowledge, &shop.moment), OK);
    assert_int_equal(add("t", 0, &one), OK);
    assert_int_equal(knowledge_end(shop.knowledge, &shop.moment, ERR_CANCELLED),
                     ERR_CANCELLED);
    assert_int_equal(knowledge_read(shop.knowledge, &shop.moment), OK);
    assert_int_equal(object_find(&shop.moment, buf_str(&one.gid), IN_ANY_WORLD,
                                 &again, NULL),
                     ERR_NOT_FOUND);
    assert_int_equal(knowledge_end(shop.knowledge, &shop.moment, OK), OK);
    object_fini(&one);
    object_fini(&again);
}

static void
another_process_that_writes_is_named_and_reading_goes_on(void **state)
{
    struct knowledge *other = NULL;
    struct buf why = {0};
    struct moment moment = {.why = &why};

    (void)state;
    assert_int_equal(knowledge_write(shop.knowledge, &shop.moment), OK);
    assert_int_equal(knowledge_end(shop.knowledge, &shop.moment, OK), OK);
    assert_int_equal(
        knowledge_open(&other, shop.db.dir, &knowledge_cfg_default), OK);
    assert_int_equal(knowledge_write(other, &moment), ERR_BUSY);
    assert_true(why.len > 0);
    assert_int_equal(knowledge_read(other, &moment), OK);
    assert_non_null(moment.store);
    assert_int_equal(knowledge_end(other, &moment, OK), OK);
    knowledge_close(other);
    buf_fini(&why);
}

static void
before_the_first_write_there_is_nothing_and_no_file(void **state)
{
    char path[128];

    (void)state;
    assert_int_equal(knowledge_read(shop.knowledge, &shop.moment), OK);
    assert_null(shop.moment.store);
    assert_int_equal(knowledge_end(shop.knowledge, &shop.moment, OK), OK);
    snprintf(path, sizeof(path), "%s/knowledge.db", shop.db.dir);
    assert_int_not_equal(access(path, F_OK), 0);
}

static const char *
status_of(const cJSON *evidence)
{
    return cJSON_GetObjectItem(evidence, "status")->valuestring;
}

static void
a_route_that_came_back_is_told(void **state)
{
    struct object task = {0};
    struct object route = {0};
    cJSON *frozen;
    cJSON *now;

    (void)state;
    assert_int_equal(knowledge_write(shop.knowledge, &shop.moment), OK);
    assert_int_equal(add("remove it", 0, &task), OK);
    assert_int_equal(object_resolve(&shop.moment,
                                    STR("route:checkout:GET /old/{}"),
                                    IN_ANY_WORLD, &route),
                     OK);
    assert_int_equal(object_register(&shop.moment, &route), OK);
    assert_int_equal(link_add(&shop.moment,
                              (struct link_ends){task.oid, route.oid},
                              "TOUCHES", 1, "declared", NULL),
                     OK);
    assert_int_equal(evidence_freeze(&shop.moment, task.oid, &frozen), OK);
    assert_non_null(frozen);
    const struct task_event event = {
        .action = "created", .from = "", .to = "todo", .evidence = frozen};
    assert_int_equal(task_event_add(&shop.moment, task.oid, &event), OK);
    assert_int_equal(evidence_check(&shop.moment, task.oid, &now), OK);
    assert_string_not_equal(status_of(now), "resurrected");
    assert_int_equal(knowledge_end(shop.knowledge, &shop.moment, OK), OK);
    cJSON_Delete(now);
    cJSON_Delete(frozen);

    db_daily(&shop.db, shop.traffic, FIXTURE_DAY - 49, FIXTURE_DAY - 1, 10, 1);
    look();
    assert_int_equal(knowledge_read(shop.knowledge, &shop.moment), OK);
    assert_int_equal(evidence_check(&shop.moment, task.oid, &now), OK);
    assert_string_equal(status_of(now), "resurrected");
    assert_int_equal(knowledge_end(shop.knowledge, &shop.moment, OK), OK);
    cJSON_Delete(now);
    object_fini(&task);
    object_fini(&route);
}

#define SHOP(test) cmocka_unit_test_setup_teardown(test, open_shop, close_shop)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        SHOP(an_id_may_be_written_in_several_ways),
        SHOP(a_name_of_none_or_several_tells_what_is_near),
        SHOP(a_name_of_any_length_is_not_found),
        SHOP(a_title_keeps_all_its_letters_beside_what_may_not_be_shown),
        SHOP(the_same_title_never_takes_an_id_twice),
        SHOP(what_was_given_up_is_not_there),
        SHOP(another_process_that_writes_is_named_and_reading_goes_on),
        SHOP(before_the_first_write_there_is_nothing_and_no_file),
        SHOP(a_route_that_came_back_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
