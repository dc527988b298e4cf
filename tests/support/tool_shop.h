/*
 * tool_shop - a small shop that was observed, and the tools on it: web calls
 * checkout, which calls pay and tells a topic; two of its routes are dead.
 *
 * Threads    None.
 */
#ifndef TESTS_SUPPORT_TOOL_SHOP_H
#define TESTS_SUPPORT_TOOL_SHOP_H

#include <stdint.h>

#include "graph/query.h"
#include "mcp/tools.h"
#include "tests/support/db_fixture.h"

struct tool_shop {
    struct db_fixture db;
    struct query *query;
    struct tools *tools;
    struct buf why;
    uint32_t web, checkout, cart, buy;
};

/* The one of the test that runs. */
extern struct tool_shop tool_shop;

/* Set-ups and the tear-down of a test; an empty one was never observed. */
int tool_shop_open_empty(void **state);
int tool_shop_open(void **state);
int tool_shop_close(void **state);

/* A test of cmocka's on either. */
#define TOOL_SHOP(test) \
    cmocka_unit_test_setup_teardown(test, tool_shop_open, tool_shop_close)
#define TOOL_EMPTY(test) \
    cmocka_unit_test_setup_teardown(test, tool_shop_open_empty, tool_shop_close)

#endif
