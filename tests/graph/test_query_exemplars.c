#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "graph/query_edges.h"
#include "tests/support/query_shop.h"

enum { NOW = FIXTURE_NOW_S, HOUR = NOW / S_PER_H * S_PER_H - S_PER_H };

/* Of the calls from web to checkout, which are two stored edges: a trace at
 * |at_s| and one before it. */
static void
put(bool is_old, bool failed, uint32_t at_s, int trace, uint32_t before_s,
    int before)
{
    db_fixture_sql(&query_shop.db,
                   "INSERT INTO edge_exemplar SELECT id, %d, %u, x'%032d', %u,"
                   " x'%032d' FROM edge WHERE src = %u AND kind = 1"
                   " AND dst = %u",
                   failed, at_s, trace, before_s, before, query_shop.cart,
                   is_old ? query_shop.old : query_shop.buy);
}

static void
expect(const struct query_filter *filter, const uint32_t *traces, size_t len)
{
    struct exemplar found[QUERY_EXEMPLARS_MAX];
    struct query_edges edges;
    size_t found_len = 0;
    size_t row = 0;

    query_end(query_shop.view);
    query_shop_begin(NOW);
    assert_int_equal(query_edges(query_shop.view, filter, &edges), OK);
    while (edges.rows[row].source != query_shop.web)
        assert_true(++row < edges.len);
    assert_int_equal(
        query_exemplars(query_shop.view, &edges, row, found, &found_len), OK);
    assert_int_equal(found_len, len);
    for (size_t i = 0; i < len; i++)
        assert_int_equal(found[i].trace_lo, traces[i]);
    query_edges_fini(&edges);
}

static void
a_row_has_the_latest_two_of_each_sort_each_trace_once(void **state)
{
    const struct query_filter filter = {.level = LEVEL_SERVICE,
                                        .kinds = 1u << EDGE_CALL};
    const uint32_t traces[] = {0x15, 0x13, 0x12, 0x11};

    (void)state;
    put(false, false, NOW - 20, 12, NOW - 30, 11);
    put(true, false, NOW - 20, 12, NOW - 40, 10);
    put(false, true, NOW - 15, 13, NOW - 50, 14);
    put(true, true, NOW - 5, 15, NOW - 60, 16);
    expect(&filter, traces, 4);
}

static void
a_row_has_those_of_its_window(void **state)
{
    struct query_filter filter = {.level = LEVEL_SERVICE,
                                  .kinds = 1u << EDGE_CALL,
                                  .since_s = HOUR - S_PER_H,
                                  .until_s = HOUR};
    const uint32_t before[] = {0x10}, now[] = {0x11, 0x10};

    (void)state;
    db_fixture_sql(&query_shop.db,
                   "INSERT INTO edge_hour VALUES (%u, %u, 1, 1, 0)",
                   query_shop.cart_to_buy, HOUR / S_PER_H - 1);
    put(false, false, HOUR + 1, 11, HOUR - 1, 10);
    put(true, false, HOUR - 3 * S_PER_H, 12, HOUR - 4 * S_PER_H, 13);
    expect(&filter, before, 1);
    filter.until_s = 0;
    expect(&filter, now, 2);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        QUERY_SHOP(a_row_has_the_latest_two_of_each_sort_each_trace_once),
        QUERY_SHOP(a_row_has_those_of_its_window),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
