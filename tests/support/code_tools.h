/*
 * code_tools - the tools on a code_shop, for tests of what they say about code.
 *
 * Threads    None.
 */
#ifndef TESTS_SUPPORT_CODE_TOOLS_H
#define TESTS_SUPPORT_CODE_TOOLS_H

#include <cjson/cJSON.h>

#include "graph/query.h"
#include "graph/world.h"
#include "mcp/tools.h"
#include "tests/support/db_fixture.h"

struct code_tools {
    struct db_fixture db;
    struct query *query;
    struct world *world;
    struct tools *tools;
};

/* The one of the test that runs. */
extern struct code_tools code_tools;

/* Set-ups and the tear-down of a test: on the shop, on a wide repository, on
 * nothing at all. */
int code_tools_shop(void **state);
int code_tools_wide(void **state);
int code_tools_empty(void **state);
int code_tools_close(void **state);

/* A test of cmocka's on each of them. */
#define CODE_SHOP(test) \
    cmocka_unit_test_setup_teardown(test, code_tools_shop, code_tools_close)
#define CODE_WIDE(test) \
    cmocka_unit_test_setup_teardown(test, code_tools_wide, code_tools_close)
#define CODE_EMPTY(test) \
    cmocka_unit_test_setup_teardown(test, code_tools_empty, code_tools_close)

/* ask and ask_refused (ask_tools.h) of these tools. */
cJSON *code_tools_ask(const char *name, const char *args);
void code_tools_refuse(const char *name, const char *args, const char *says);

#endif
