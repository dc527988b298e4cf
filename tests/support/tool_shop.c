#include "tests/support/tool_shop.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

struct tool_shop shop;

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
    shop = (struct tool_shop){0};
    db_fixture_open(&shop.db);
    assert_int_equal(
        query_open(&shop.query, shop.db.dir, &query_cfg_default, &why), OK);
    const struct tools_cfg cfg = {.query = shop.query, .version = "1.0"};
    assert_int_equal(tools_new(&shop.tools, &cfg, &why), OK);
    tools_set_clock(shop.tools, fixed_now, NULL);
    return 0;
}

int
tool_shop_open(void **state)
{
    struct db_fixture *db = &shop.db;

    tool_shop_open_empty(state);
    shop.web = db_service(db, "web");
    shop.checkout = db_service(db, "checkout");
    uint32_t pay = db_node(db, NODE_SERVICE, 0, "pay", "prod");
    shop.cart = db_route(db, shop.web, "GET /cart/{}");
    shop.buy = db_route(db, shop.checkout, "POST /buy");
    uint32_t charge = db_node(db, NODE_RPC, pay, "pay.Pay/Charge", "");
    uint32_t topic = db_node(db, NODE_TOPIC, 0, "kafka:orders", "");
    uint32_t user = db_node(db, NODE_EXTERNAL, 0, "user", "");
    uint32_t scope = db_node(db, NODE_SCOPE, 0, "otel.http", "");
    uint32_t version = db_node(db, NODE_VERSION, shop.web, "1.2.3", "");

    db_edge(db, user, shop.cart, EDGE_VIRTUAL_IN, 50);
    uint32_t call = db_edge(db, shop.cart, shop.buy, EDGE_CALL, 20);
    db_edge(db, shop.buy, charge, EDGE_CALL, 18);
    db_edge(db, shop.buy, topic, EDGE_MSG_PUB, 9);
    uint32_t seen = db_edge(db, 0, shop.checkout, EDGE_SEEN, 40);
    uint32_t traffic = db_edge(db, 0, shop.buy, EDGE_TRAFFIC, 20);
    db_edge(db, scope, shop.checkout, EDGE_ORPHAN, 3);
    db_edge(db, scope, shop.checkout, EDGE_SEEN_BY, 40);
    db_day(db, call, FIXTURE_DAY, 20, 1, 5000000);
    db_daily(db, seen, FIXTURE_DAY - 60, FIXTURE_DAY, 10, 1);
    db_daily(db, traffic, FIXTURE_DAY - 60, FIXTURE_DAY, 10, 1);
    db_fixture_sql(db, "INSERT INTO edge_version VALUES (%u, 0, %u, 1, 2)",
                   call, version);
    db_declare(db, shop.checkout, "POST", "/buy", 1);
    db_declare(db, shop.checkout, "GET", "/old", 1);
    db_declare(db, shop.web, "GET", "/unseen", 1);
    return 0;
}

int
tool_shop_close(void **state)
{
    (void)state;
    tools_free(shop.tools);
    query_close(shop.query);
    buf_fini(&shop.why);
    db_fixture_close(&shop.db);
    return 0;
}
