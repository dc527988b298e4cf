/*
 * query_shop - a small shop that was observed, for tests of the read side: web
 * calls checkout calls pay, checkout writes to pg1 and sends to kafka:orders,
 * which stock consumes; somebody calls web from outside.
 *
 * Threads    None.
 */
#ifndef TESTS_SUPPORT_QUERY_SHOP_H
#define TESTS_SUPPORT_QUERY_SHOP_H

#include <stdint.h>

#include "graph/query.h"
#include "tests/support/db_fixture.h"

struct query_shop {
    struct db_fixture db;
    struct query *query;
    struct query_view *view;
    uint32_t web, checkout, pay, stock, cart, buy, charge, topic, pg, user;
    uint32_t consume, old, symbol;
    uint32_t cart_to_buy, buy_to_charge;
};

/* The one of the test that runs, its set-up and its tear-down. */
extern struct query_shop query_shop;
int query_shop_setup(void **state);
int query_shop_teardown(void **state);
#define QUERY_SHOP(test) \
    cmocka_unit_test_setup_teardown(test, query_shop_setup, query_shop_teardown)

/* query_shop_begin begins its view at |now_s|, where there is none. */
void query_shop_begin(uint32_t now_s);

#endif
