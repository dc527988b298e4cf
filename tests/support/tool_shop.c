#include "tests/support/tool_shop.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

struct tool_shop tool_shop;

static uint32_t
fixed_now(void *ctx)
{
    (void)ctx;
    return FIXTURE_NOW_S;
}

int
tool_shop_open_empty(void **state)
{
    struct buf why = {0};

    (void)state;
    tool_shop = (struct tool_shop){0};
    db_fixture_open(&tool_shop.db);
    assert_int_equal(query_open(&tool_shop.query, tool_shop.db.dir,
                                &query_cfg_default, &why),
                     OK);
    const struct tools_cfg cfg = {.query = tool_shop.query, .version = "1.0"};
    assert_int_equal(tools_new(&tool_shop.tools, &cfg, &why), OK);
    tools_set_clock(tool_shop.tools, fixed_now, NULL);
    return 0;
}

int
tool_shop_open(void **state)
{
    struct db_fixture *db = &tool_shop.db;

    tool_shop_open_empty(state);
    tool_shop.web = db_service(db, "web");
    tool_shop.checkout = db_service(db, "checkout");
    uint32_t pay = db_node(db, NODE_SERVICE, 0, "pay", "prod");
    tool_shop.cart = db_route(db, tool_shop.web, "GET /cart/{}");
    tool_shop.buy = db_route(db, tool_shop.checkout, "POST /buy");
    uint32_t charge = db_node(db, NODE_RPC, pay, "pay.Pay/Charge", "");
    uint32_t topic = db_node(db, NODE_TOPIC, 0, "kafka:orders", "");
    uint32_t user = db_node(db, NODE_EXTERNAL, 0, "user", "");
    uint32_t scope = db_node(db, NODE_SCOPE, 0, "otel.http", "");
    uint32_t version = db_node(db, NODE_VERSION, tool_shop.web, "1.2.3", "");

    db_edge(db, user, tool_shop.cart, EDGE_VIRTUAL_IN, 50);
    uint32_t call = db_edge(db, tool_shop.cart, tool_shop.buy, EDGE_CALL, 20);
    db_edge(db, tool_shop.buy, charge, EDGE_CALL, 18);
    db_edge(db, tool_shop.buy, topic, EDGE_MSG_PUB, 9);
    uint32_t seen = db_edge(db, 0, tool_shop.checkout, EDGE_SEEN, 40);
    uint32_t traffic = db_edge(db, 0, tool_shop.buy, EDGE_TRAFFIC, 20);
    db_edge(db, scope, tool_shop.checkout, EDGE_ORPHAN, 3);
    db_edge(db, scope, tool_shop.checkout, EDGE_SEEN_BY, 40);
    db_day(db, call, FIXTURE_DAY, 20, 1, 5000000);
    db_daily(db, seen, FIXTURE_DAY - 60, FIXTURE_DAY, 10, 1);
    db_daily(db, traffic, FIXTURE_DAY - 60, FIXTURE_DAY, 10, 1);
    db_fixture_sql(db, "INSERT INTO edge_version VALUES (%u, 0, %u, 1, 2)",
                   call, version);
    db_declare(db, tool_shop.checkout, "POST", "/buy", 1);
    db_declare(db, tool_shop.checkout, "GET", "/old", 1);
    db_declare(db, tool_shop.web, "GET", "/unseen", 1);
    return 0;
}

int
tool_shop_close(void **state)
{
    (void)state;
    tools_free(tool_shop.tools);
    query_close(tool_shop.query);
    buf_fini(&tool_shop.why);
    db_fixture_close(&tool_shop.db);
    return 0;
}
