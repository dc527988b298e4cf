#include "tests/support/query_shop.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

struct query_shop query_shop;

void
query_shop_begin(uint32_t now_s)
{
    struct buf why = {0};

    if (!query_shop.query)
        assert_int_equal(query_open(&query_shop.query, query_shop.db.dir,
                                    &query_cfg_default, &why),
                         OK);
    assert_int_equal(query_begin(query_shop.query, now_s, &query_shop.view),
                     OK);
    buf_fini(&why);
}

int
query_shop_setup(void **state)
{
    struct db_fixture *db = &query_shop.db;

    (void)state;
    query_shop = (struct query_shop){0};
    db_fixture_open(db);
    query_shop.web = db_service(db, "web");
    query_shop.checkout = db_service(db, "checkout");
    query_shop.pay = db_node(db, NODE_SERVICE, 0, "pay", "prod");
    query_shop.stock = db_service(db, "stock");
    query_shop.cart = db_route(db, query_shop.web, "GET /cart/{}");
    query_shop.buy = db_route(db, query_shop.checkout, "POST /buy");
    query_shop.charge =
        db_node(db, NODE_RPC, query_shop.pay, "pay.Pay/Charge", "");
    query_shop.topic = db_node(db, NODE_TOPIC, 0, "kafka:orders", "");
    query_shop.consume =
        db_node(db, NODE_CONSUMER, query_shop.stock, "kafka:orders", "");
    query_shop.pg = db_node(db, NODE_DATABASE, 0, "pg1:5432", "");
    query_shop.user = db_node(db, NODE_EXTERNAL, 0, "user", "");
    query_shop.old = db_route(db, query_shop.checkout, "POST /buy/17");
    query_shop.symbol =
        db_node(db, NODE_SYMBOL, query_shop.checkout, "buy.Handler", "");
    db_fixture_sql(db, "UPDATE node SET alias = %u WHERE id = %u",
                   query_shop.buy, query_shop.old);
    db_edge(db, query_shop.user, query_shop.cart, EDGE_VIRTUAL_IN, 50);
    query_shop.cart_to_buy =
        db_edge(db, query_shop.cart, query_shop.buy, EDGE_CALL, 20);
    db_edge(db, query_shop.cart, query_shop.old, EDGE_CALL, 3);
    query_shop.buy_to_charge =
        db_edge(db, query_shop.buy, query_shop.charge, EDGE_CALL, 18);
    db_edge(db, query_shop.symbol, query_shop.pg, EDGE_DB, 7);
    db_edge(db, query_shop.symbol, query_shop.pg, EDGE_CODE_CALL, 7);
    db_edge(db, query_shop.buy, query_shop.symbol, EDGE_HANDLED, 23);
    db_edge(db, query_shop.buy, query_shop.topic, EDGE_MSG_PUB, 9);
    db_edge(db, query_shop.topic, query_shop.consume, EDGE_MSG_SUB, 9);
    db_edge(db, query_shop.buy, query_shop.consume, EDGE_MSG, 9);
    db_edge(db, query_shop.buy, query_shop.pay, EDGE_CALL, 0);
    db_edge(db, 0, query_shop.buy, EDGE_TRAFFIC, 23);
    db_edge(db, 0, query_shop.checkout, EDGE_SEEN, 40);
    query_shop_begin(FIXTURE_NOW_S);
    return 0;
}

int
query_shop_teardown(void **state)
{
    (void)state;
    query_end(query_shop.view);
    query_close(query_shop.query);
    db_fixture_close(&query_shop.db);
    return 0;
}
