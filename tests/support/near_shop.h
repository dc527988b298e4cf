/*
 * near_shop - a small shop that was observed, the tasks and the pattern
 * somebody wrote down about it, and all the tools on both.
 *
 * Observed: web GET /cart/{} -> checkout POST /buy -> pay.Pay/Charge.  Of the
 * project "Shop" are three tasks, each of which needs the next; the first
 * touches POST /buy.
 *
 * Threads    None.
 */
#ifndef TESTS_SUPPORT_NEAR_SHOP_H
#define TESTS_SUPPORT_NEAR_SHOP_H

#include <stdint.h>

#include "base/buf.h"
#include "graph/query.h"
#include "graph/world.h"
#include "knowledge/knowledge.h"
#include "mcp/tools.h"
#include "tests/support/db_fixture.h"

struct near_shop {
    struct db_fixture db;
    struct query *query;
    struct world *world;
    struct knowledge *knowledge;
    struct tools *tools;
    struct buf why;
    char task[3][64]; /* ids: 0 needs 1, 1 needs 2 */
};

/* The one of the test that runs, its set-up and its tear-down. */
extern struct near_shop near_shop;
int near_shop_setup(void **state);
int near_shop_teardown(void **state);
#define NEAR_SHOP(test) \
    cmocka_unit_test_setup_teardown(test, near_shop_setup, near_shop_teardown)

/* near_shop_link declares that |src| is linked to |dst|. */
void near_shop_link(struct moment *moment, int64_t src, int64_t dst,
                    const char *type);

#endif
