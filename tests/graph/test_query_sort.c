/*
 * Many rows come in the order in which few do: most calls first, then by name.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "graph/query_edges.h"
#include "graph/query_view.h"
#include "tests/support/query_shop.h"

enum { FIRST = 1000, NODES = 700, FEW = 3, COUNTS = 5 };

/* |rows| edges between nodes whose names are in no order of theirs, and of
 * which each third has that of the one before. */
static void
add_edges(int rows)
{
    db_fixture_sql(
        &query_shop.db,
        "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE "
        "i < %d) INSERT INTO node SELECT %d + i, %d, 0, printf('%%x', (i - "
        "(i %% 3 = 2)) * 7919 %% 65537), '', 0, 0, zeroblob(32), 5 FROM n",
        NODES - 1, FIRST, NODE_SERVICE);
    db_fixture_sql(
        &query_shop.db,
        "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE "
        "i < %d) INSERT INTO edge SELECT 100000 + i, %d + i %% %d, %d + i / "
        "%d %% %d, %d, 1000 + i * 31 %% %d, 1024, 1, 0, 5, 6, 0, NULL FROM n",
        rows - 1, FIRST, NODES, FIRST, NODES, NODES, EDGE_CALL, COUNTS);
    query_end(query_shop.view);
    query_shop_begin(FIXTURE_NOW_S);
}

static int
compare_ends(uint32_t a, uint32_t b)
{
    str left = query_node(query_shop.view, a)->name;
    str right = query_node(query_shop.view, b)->name;
    size_t len = left.len < right.len ? left.len : right.len;
    int order = memcmp(left.ptr, right.ptr, len);

    if (order == 0)
        order = (left.len > right.len) - (left.len < right.len);
    return order ? order : (a > b) - (a < b);
}

static void
check_order(const struct query_edge *a, const struct query_edge *b)
{
    assert_true(a->count >= b->count);
    if (a->count > b->count)
        return;
    int order = compare_ends(a->source, b->source);
    if (order == 0)
        order = compare_ends(a->target, b->target);
    assert_true(order < 0 || (order == 0 && a->kind < b->kind));
}

/* Each row is there once, with the edge it was made of. */
static void
check(int rows)
{
    const struct query_filter filter = {.level = LEVEL_SYMBOL,
                                        .kinds = 1u << EDGE_CALL};
    struct query_edges edges;
    int made = 0;

    assert_int_equal(query_edges(query_shop.view, &filter, &edges), OK);
    for (size_t i = 0; i < edges.len; i++) {
        const struct query_edge *row = &edges.rows[i];
        const struct query_member *member = &edges.members[row->member];

        if (i > 0)
            check_order(row - 1, row);
        if (row->source < FIRST)
            continue;
        int at = (int)(row->source - FIRST + NODES * (row->target - FIRST));
        assert_int_equal(member->edge, 100000 + at);
        assert_int_equal(row->count, 1000 + at * 31 % COUNTS);
        made++;
    }
    assert_int_equal(made, rows);
    query_edges_fini(&edges);
}

static void
few_are_in_order(void **state)
{
    (void)state;
    add_edges(FEW);
    check(FEW);
}

/* As many as are still few, of which the shop has some, and more. */
static void
many_are_in_the_same_order(void **state)
{
    (void)state;
    add_edges(QUERY_SORT_FEW - 10);
    check(QUERY_SORT_FEW - 10);
    db_fixture_sql(&query_shop.db, "DELETE FROM edge WHERE id >= 100000");
    db_fixture_sql(&query_shop.db, "DELETE FROM node WHERE id >= %d", FIRST);
    add_edges(20 * QUERY_SORT_FEW);
    check(20 * QUERY_SORT_FEW);
}

/* The first |first| rows are those of all in order, and the others are there.
 */
static void
check_first(size_t first)
{
    struct query_filter filter = {.level = LEVEL_SYMBOL,
                                  .kinds = 1u << EDGE_CALL};
    struct query_edges all;
    struct query_edges some;
    int64_t calls[2] = {0, 0};

    assert_int_equal(query_edges(query_shop.view, &filter, &all), OK);
    filter.first = first;
    assert_int_equal(query_edges(query_shop.view, &filter, &some), OK);
    assert_int_equal(some.len, all.len);
    for (size_t i = 0; i < first && i < all.len; i++) {
        assert_int_equal(some.rows[i].source, all.rows[i].source);
        assert_int_equal(some.rows[i].target, all.rows[i].target);
        assert_int_equal(some.members[some.rows[i].member].edge,
                         all.members[all.rows[i].member].edge);
    }
    for (size_t i = 0; i < all.len; i++) {
        calls[0] += all.rows[i].count * all.rows[i].source;
        calls[1] += some.rows[i].count * some.rows[i].source;
    }
    assert_int_equal(calls[0], calls[1]);
    query_edges_fini(&all);
    query_edges_fini(&some);
}

static void
the_first_of_many_are_in_order(void **state)
{
    (void)state;
    add_edges(QUERY_SORT_FEW - 10);
    check_first(7);
    db_fixture_sql(&query_shop.db, "DELETE FROM edge WHERE id >= 100000");
    db_fixture_sql(&query_shop.db, "DELETE FROM node WHERE id >= %d", FIRST);
    add_edges(20 * QUERY_SORT_FEW);
    for (size_t first = 1; first < 5000; first = 3 * first + 1)
        check_first(first);
    check_first(20 * QUERY_SORT_FEW - 1);
    check_first(30 * QUERY_SORT_FEW);
}

/* ---- nodes of one name ---- */

/* What it is told by, in a filter with by_name. */
static uint32_t
first_of_name(uint32_t id)
{
    str name = query_node(query_shop.view, id)->name;
    uint32_t first = 1;

    while (!str_eq(query_node(query_shop.view, first)->name, name))
        first++;
    return first;
}

static size_t
find_row(const struct query_edges *edges, uint32_t source, uint32_t target,
         uint8_t kind)
{
    size_t i = 0;

    while (i < edges->len &&
           (edges->rows[i].source != source ||
            edges->rows[i].target != target || edges->rows[i].kind != kind))
        i++;
    return i;
}

/* Each row that there is without is in the one of its names, and that has no
 * other calls. */
static void
check_one_of_name(bool by_pair)
{
    struct query_filter filter = {.level = LEVEL_SYMBOL};
    struct query_edges apart;
    struct query_edges one;

    assert_int_equal(query_edges(query_shop.view, &filter, &apart), OK);
    filter.by_name = true;
    filter.by_pair = by_pair;
    assert_int_equal(query_edges(query_shop.view, &filter, &one), OK);
    assert_true(one.len < apart.len);
    for (size_t i = 0; i < apart.len; i++) {
        const struct query_edge *row = &apart.rows[i];
        uint32_t source = first_of_name(row->source);
        uint32_t target = first_of_name(row->target);
        size_t at = find_row(&one, source, target,
                             by_pair ? (uint8_t)EDGE_CALL : row->kind);

        assert_int_equal(at == one.len, by_pair && source == target);
        if (at < one.len) {
            one.rows[at].count -= row->count;
            one.rows[at].errors -= row->errors;
        }
    }
    for (size_t i = 0; i < one.len; i++) {
        assert_int_equal(one.rows[i].count, 0);
        assert_int_equal(one.rows[i].errors, 0);
    }
    query_edges_fini(&apart);
    query_edges_fini(&one);
}

static void
nodes_of_one_name_are_one_if_asked(void **state)
{
    (void)state;
    add_edges(3 * QUERY_SORT_FEW);
    check_one_of_name(false);
    check_one_of_name(true);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        QUERY_SHOP(few_are_in_order),
        QUERY_SHOP(many_are_in_the_same_order),
        QUERY_SHOP(the_first_of_many_are_in_order),
        QUERY_SHOP(nodes_of_one_name_are_one_if_asked),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
