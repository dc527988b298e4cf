/*
 * context_shop - a small shop, as code and as traces, for tests of what joins
 * them.
 *
 *     web/cart.go       web.ShowCart      GET /cart/{}      asks POST /buy
 *     checkout/buy.go   checkout.Buy      POST /buy         calls chargeCard,
 *                       checkout.chargeCard                 asks pay
 *                       checkout.Order    a type Buy refers to
 *                       checkout.OldBuy   POST /old-buy     dead
 *     checkout/buy_test.go  checkout.TestBuy                tests Buy
 *     pay/pay.go        pay.Charge        pay.Pay/Charge
 *     util/log.go       util.Log          called by all
 *
 * Observed: user -> GET /cart/{} -> POST /buy -> pay.Pay/Charge, and
 * POST /buy -> kafka:orders.
 *
 * Threads    None.
 */
#ifndef TESTS_SUPPORT_CONTEXT_SHOP_H
#define TESTS_SUPPORT_CONTEXT_SHOP_H

#include <stdbool.h>
#include <stdint.h>

#include "graph/query.h"
#include "graph/world.h"
#include "knowledge/knowledge.h"
#include "mcp/tools.h"
#include "tests/support/db_fixture.h"

#define CONTEXT_SHOP_URL "github.com/acme/shop"

struct context_shop {
    struct db_fixture db;
    struct query *query;
    struct world *world;
    struct knowledge *knowledge; /* NULL until context_shop_know */
    struct tools *tools;
    uint32_t web, checkout, pay; /* observed nodes */
    uint32_t cart, buy, charge, topic, user;
    uint32_t cart_to_buy, buy_to_charge; /* observed edges */
};

/* context_shop_open makes all of it; with neither code nor traces,
 * context_shop_empty. Time stands at FIXTURE_NOW_S, and all toolsets are
 * offered.
 */
void context_shop_open(struct context_shop *shop);
void context_shop_empty(struct context_shop *shop);
void context_shop_close(struct context_shop *shop);

/* The one of the test that runs, its set-ups and its tear-down. */
extern struct context_shop context_shop;
int context_shop_setup(void **state);
int context_shop_setup_empty(void **state);
int context_shop_teardown(void **state);

/* A test of cmocka's on it, and one where it is empty. */
#define CONTEXT_SHOP(test)                                    \
    cmocka_unit_test_setup_teardown(test, context_shop_setup, \
                                    context_shop_teardown)
#define CONTEXT_EMPTY(test)                                         \
    cmocka_unit_test_setup_teardown(test, context_shop_setup_empty, \
                                    context_shop_teardown)

/* context_shop_know opens the knowledge beside it; |tools| are new and have
 * it. */
void context_shop_know(struct context_shop *shop);

/* context_shop_index stores the code, as it is after |edits| changes of
 * chargeCard.  |extra| functions `bulk.fnN` call one another, in a file of
 * their own. */
void
context_shop_index(struct context_shop *shop, uint32_t edits, uint32_t extra);

#endif
