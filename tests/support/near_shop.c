#include "tests/support/near_shop.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "knowledge/entity.h"
#include "knowledge/links.h"
#include "knowledge/resolve.h"
#include "store/knowledge_store.h"

struct near_shop near_shop;

static uint32_t
fixed_now(void *ctx)
{
    (void)ctx;
    return FIXTURE_NOW_S;
}

static int64_t
add(struct moment *moment, const char *type, const char *title, int64_t project)
{
    const struct entity_new made = {.type = type,
                                    .title = str_of(title),
                                    .content = STR("What it is about."),
                                    .project = project};
    struct object object;
    bool is_new;

    assert_int_equal(entity_add(moment, &made, &object, &is_new), OK);
    int64_t oid = object.oid;
    if (strcmp(type, "task") == 0) {
        assert_int_equal(ks_run(moment->store, KS_TASK_ADD,
                                KS_ARGS(ks_int(oid), ks_int(0), ks_cstr("todo"),
                                        ks_cstr("high"), ks_int(0), ks_int(0),
                                        ks_cstr("medium"), ks_cstr(""))),
                         OK);
        for (int i = 0; i < 3; i++)
            if (!near_shop.task[i][0]) {
                snprintf(near_shop.task[i], sizeof(near_shop.task[i]), "%s",
                         buf_cstr(&object.gid));
                break;
            }
    }
    object_fini(&object);
    return oid;
}

void
near_shop_link(struct moment *moment, int64_t src, int64_t dst,
               const char *type)
{
    assert_int_equal(link_add(moment, (struct link_ends){src, dst}, type, 1,
                              "declared", NULL),
                     OK);
}

static void
fill_knowledge(void)
{
    struct query_view *view;
    struct object route;

    assert_int_equal(query_begin(near_shop.query, FIXTURE_NOW_S, &view), OK);
    struct moment moment = {
        .view = view, .now_s = FIXTURE_NOW_S, .why = &near_shop.why};
    assert_int_equal(knowledge_write(near_shop.knowledge, &moment), OK);
    int64_t project = add(&moment, "project", "Shop", 0);
    int64_t first = add(&moment, "task", "Remove it", project);
    int64_t second = add(&moment, "task", "Tell people", project);
    int64_t third = add(&moment, "task", "Find people", project);
    add(&moment, "pattern", "Retry with care", 0);
    near_shop_link(&moment, first, second, "DEPENDS_ON");
    near_shop_link(&moment, second, third, "DEPENDS_ON");
    assert_int_equal(object_resolve(&moment, STR("route:checkout:POST /buy"),
                                    IN_ANY_WORLD, &route),
                     OK);
    assert_int_equal(object_register(&moment, &route), OK);
    near_shop_link(&moment, first, route.oid, "TOUCHES");
    object_fini(&route);
    assert_int_equal(knowledge_end(near_shop.knowledge, &moment, OK), OK);
    query_end(view);
}

int
near_shop_setup(void **state)
{
    struct db_fixture *db = &near_shop.db;
    struct buf why = {0};

    (void)state;
    memset(&near_shop, 0, sizeof(near_shop));
    db_fixture_open(db);
    uint32_t web = db_service(db, "web");
    uint32_t checkout = db_service(db, "checkout");
    uint32_t pay = db_service(db, "pay");
    uint32_t cart = db_route(db, web, "GET /cart/{}");
    uint32_t buy = db_route(db, checkout, "POST /buy");
    uint32_t charge = db_node(db, NODE_RPC, pay, "pay.Pay/Charge", "");
    db_edge(db, cart, buy, EDGE_CALL, 20);
    db_edge(db, buy, charge, EDGE_CALL, 18);
    uint32_t seen = db_edge(db, 0, checkout, EDGE_SEEN, 40);
    uint32_t traffic = db_edge(db, 0, buy, EDGE_TRAFFIC, 20);
    db_daily(db, seen, FIXTURE_DAY - 60, FIXTURE_DAY, 10, 1);
    db_daily(db, traffic, FIXTURE_DAY - 60, FIXTURE_DAY, 10, 1);
    db_declare(db, checkout, "POST", "/buy", 1);
    db_declare(db, checkout, "GET", "/old", 1);
    assert_int_equal(
        query_open(&near_shop.query, db->dir, &query_cfg_default, &why), OK);
    assert_int_equal(world_open(&near_shop.world, db->dir), OK);
    assert_int_equal(
        knowledge_open(&near_shop.knowledge, db->dir, &knowledge_cfg_default),
        OK);
    const struct tools_cfg cfg = {.query = near_shop.query,
                                  .world = near_shop.world,
                                  .knowledge = near_shop.knowledge,
                                  .toolsets = "all",
                                  .version = "1.0"};
    assert_int_equal(tools_new(&near_shop.tools, &cfg, &why), OK);
    tools_set_clock(near_shop.tools, fixed_now, NULL);
    fill_knowledge();
    return 0;
}

int
near_shop_teardown(void **state)
{
    (void)state;
    tools_free(near_shop.tools);
    knowledge_close(near_shop.knowledge);
    world_close(near_shop.world);
    query_close(near_shop.query);
    buf_fini(&near_shop.why);
    db_fixture_close(&near_shop.db);
    return 0;
}
