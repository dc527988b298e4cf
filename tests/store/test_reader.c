/*
 * What a reader is given: a store, none, one that is not ours, one that is
 * damaged; and what it must never do, which is write.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "store/edge_rows.h"
#include "store/node_rows.h"
#include "store/reader.h"
#include "tests/support/db_fixture.h"

static struct db_fixture db;

static int
open_db(void **state)
{
    (void)state;
    db_fixture_open(&db);
    return 0;
}

static int
close_db(void **state)
{
    (void)state;
    db_fixture_close(&db);
    return 0;
}

static struct reader *
open_reader(void)
{
    struct reader *r;
    struct buf why = {0};

    assert_int_equal(reader_open(&r, db.dir, &why), OK);
    buf_fini(&why);
    return r;
}

static void
expect_refusal(const char *dir, enum err expected, const char *says)
{
    struct reader *r;
    struct buf why = {0};

    assert_int_equal(reader_open(&r, dir, &why), expected);
    assert_null(r);
    if (!strstr(buf_cstr(&why), says))
        fail_msg("'%s' does not say '%s'", buf_cstr(&why), says);
    buf_fini(&why);
}

static void
a_missing_store_is_told_with_what_to_do(void **state)
{
    char path[5000];

    (void)state;
    expect_refusal("/nonexistent/dir", ERR_NOT_FOUND, "spangraph serve");
    memset(path, 'x', sizeof(path) - 1);
    path[sizeof(path) - 1] = '\0';
    expect_refusal(path, ERR_INVALID, "too long");
}

static void
a_store_of_another_kind_or_version_is_refused(void **state)
{
    (void)state;
    db_fixture_sql(&db, "PRAGMA user_version=99");
    expect_refusal(db.dir, ERR_INVALID, "newer program");
    db_fixture_sql(&db, "PRAGMA user_version=0");
    expect_refusal(db.dir, ERR_INVALID, "holds no graph");
    db_fixture_sql(&db, "PRAGMA user_version=1; PRAGMA application_id=5");
    expect_refusal(db.dir, ERR_INVALID, "holds no graph");
}

static void
a_file_that_is_no_database_is_corrupt(void **state)
{
    struct db_fixture other;
    char path[128];

    (void)state;
    db_fixture_open(&other);
    snprintf(path, sizeof(path), "rm -f %s/*", other.dir);
    assert_int_equal(system(path), 0);
    snprintf(path, sizeof(path), "%s/%s", other.dir, STORE_FILE);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (int i = 0; i < 1000; i++)
        fputs("this is not a database ", file);
    fclose(file);
    expect_refusal(other.dir, ERR_CORRUPT, "cannot");
    db_fixture_close(&other);
}

static enum err
count(void *ctx, const struct reader_edge *edge)
{
    (void)edge;
    ++*(int *)ctx;
    return OK;
}

static enum err
stop(void *ctx, const struct reader_edge *edge)
{
    (void)edge;
    ++*(int *)ctx;
    return ERR_CANCELLED;
}

static void
edges_are_walked_by_kind_and_end_but_not_those_taken_back(void **state)
{
    struct reader *r;
    struct reader_edges what = {.from_kind = EDGE_CALL, .to_kind = EDGE_DB};
    int seen = 0;

    (void)state;
    db_edge(&db, 1, 2, EDGE_CALL, 3);
    db_edge(&db, 1, 3, EDGE_DB, 3);
    db_edge(&db, 2, 1, EDGE_MSG, 3);
    db_edge(&db, 1, 4, EDGE_CALL, 0);
    db_edge(&db, 1, 5, EDGE_CALL, -1);
    r = open_reader();
    assert_int_equal(reader_each_edge(r, &what, count, &seen), OK);
    assert_int_equal(seen, 2);
    seen = 0;
    what.side = READER_TO;
    what.node = 3;
    assert_int_equal(reader_each_edge(r, &what, count, &seen), OK);
    assert_int_equal(seen, 1);
    seen = 0;
    what.side = READER_FROM;
    what.node = 1;
    assert_int_equal(reader_each_edge(r, &what, stop, &seen), ERR_CANCELLED);
    assert_int_equal(seen, 1);
    /* A walk that was stopped can be walked again. */
    assert_int_equal(reader_each_edge(r, &what, count, &seen), OK);
    assert_int_equal(seen, 3);
    reader_close(r);
}

struct tallies {
    size_t len;
    struct reader_edge rows[8];
};

static enum err
keep(void *ctx, const struct reader_edge *edge)
{
    struct tallies *to = ctx;

    assert_true(to->len < sizeof(to->rows) / sizeof(to->rows[0]));
    to->rows[to->len++] = *edge;
    return OK;
}

static void
tallies_are_those_of_the_edges(void **state)
{
    const struct reader_edges all = {.from_kind = EDGE_CALL,
                                     .to_kind = UINT8_MAX};
    struct tallies edges = {0};
    struct tallies tallies = {0};
    struct reader *r;

    (void)state;
    db_times(&db, db_edge(&db, 1, 2, EDGE_CALL, 3), 100, 200);
    db_edge(&db, 1, 4, EDGE_CALL, 0);
    db_edge(&db, 1, 5, EDGE_CALL, -1);
    db_times(&db, db_edge(&db, 0, 3, EDGE_SEEN, 7), 50, 60);
    r = open_reader();
    assert_int_equal(reader_each_edge(r, &all, keep, &edges), OK);
    assert_int_equal(reader_each_tally(r, keep, &tallies), OK);
    assert_int_equal(edges.len, 2);
    assert_int_equal(tallies.len, edges.len);
    for (size_t i = 0; i < edges.len; i++) {
        assert_int_equal(tallies.rows[i].key.kind, edges.rows[i].key.kind);
        assert_int_equal(tallies.rows[i].count, edges.rows[i].count);
        assert_int_equal(tallies.rows[i].first_s, edges.rows[i].first_s);
        assert_int_equal(tallies.rows[i].last_s, edges.rows[i].last_s);
    }
    reader_close(r);
}

static void
one_moment_lasts_until_its_end(void **state)
{
    struct reader_edges what = {.from_kind = EDGE_CALL, .to_kind = EDGE_CALL};
    struct reader *r = open_reader();
    int64_t before;
    int64_t after;
    int seen = 0;

    (void)state;
    assert_int_equal(reader_begin(r), OK);
    assert_int_equal(reader_version(r, &before), OK);
    db_edge(&db, 1, 2, EDGE_CALL, 3);
    assert_int_equal(reader_each_edge(r, &what, count, &seen), OK);
    assert_int_equal(seen, 0);
    reader_end(r);
    reader_end(r);
    assert_int_equal(reader_begin(r), OK);
    assert_int_equal(reader_version(r, &after), OK);
    assert_true(before != after);
    assert_int_equal(reader_each_edge(r, &what, count, &seen), OK);
    assert_int_equal(seen, 1);
    reader_end(r);
    reader_close(r);
}

/* Days of edge |edge| that fall in 3..5, as add_days has them. */
static int64_t
naive_sum(uint32_t edge)
{
    int64_t sum = 0;

    for (uint32_t day = 0; day < 20; day++)
        if (edge % 4 != 0 && day % edge == 0 && day >= 3 && day <= 5)
            sum += edge + day;
    return sum;
}

/* Whatever was asked before, forwards, backwards, some twice, and beyond the
 * end. */
static void
sums_are_the_same_in_any_order(void **state)
{
    struct reader *r;
    struct bucket_delta sum;
    const struct reader_span span = {READER_DAYS, 3, 5};
    uint32_t asked = 0;

    (void)state;
    for (uint32_t edge = 1; edge < 30; edge++)
        for (uint32_t day = 0; day < 20; day++)
            if (edge % 4 != 0 && day % edge == 0)
                db_day(&db, edge, day, edge + day, 1, 0);
    r = open_reader();
    assert_int_equal(reader_begin(r), OK);
    for (uint32_t i = 0; i < 4000; i++) {
        asked = i < 40 ? i : i < 80 ? 80 - i : (asked * 7 + i) % 40;
        assert_int_equal(reader_sum(r, asked, span, &sum), OK);
        assert_int_equal(sum.count, asked ? naive_sum(asked) : 0);
        assert_int_equal(sum.edge, asked);
    }
    reader_end(r);
    /* What is added is seen by who begins after it. */
    db_day(&db, 8, 4, 5, 1, 0);
    assert_int_equal(reader_begin(r), OK);
    assert_int_equal(reader_sum(r, 7, span, &sum), OK);
    assert_int_equal(reader_sum(r, 8, span, &sum), OK);
    assert_int_equal(sum.count, 5);
    /* Nothing is open that would keep the log from being written back. */
    reader_end(r);
    db_fixture_sql(&db, "UPDATE edge_day SET count = 9 WHERE edge = 8");
    assert_int_equal(reader_begin(r), OK);
    assert_int_equal(reader_sum(r, 8, span, &sum), OK);
    assert_int_equal(sum.count, 9);
    reader_close(r);
}

static void
a_sum_that_no_number_holds_is_damage(void **state)
{
    struct reader *r;
    struct bucket_delta sum;

    (void)state;
    db_day(&db, 1, 3, 1, 1, 0);
    db_day(&db, 1, 4, 1, 1, 0);
    db_fixture_sql(&db, "UPDATE edge_day SET count = %lld WHERE day = 3",
                   (long long)INT64_MAX);
    r = open_reader();
    assert_int_equal(
        reader_sum(r, 1, (struct reader_span){READER_DAYS, 3, 3}, &sum), OK);
    assert_int_equal(sum.count, INT64_MAX);
    assert_int_equal(
        reader_sum(r, 1, (struct reader_span){READER_DAYS, 3, 4}, &sum),
        ERR_CORRUPT);
    reader_close(r);
}

static void
sums_take_both_ends_of_the_span(void **state)
{
    struct reader *r;
    struct bucket_delta sum;

    (void)state;
    for (uint32_t day = 10; day < 20; day++)
        db_day(&db, 1, day, 1, 1, 0);
    r = open_reader();
    assert_int_equal(
        reader_sum(r, 1, (struct reader_span){READER_DAYS, 12, 14}, &sum), OK);
    assert_int_equal(sum.count, 3);
    assert_int_equal(
        reader_sum(r, 1, (struct reader_span){READER_HOURS, 0, 99}, &sum), OK);
    assert_int_equal(sum.count, 0);
    assert_int_equal(
        reader_sum(r, 9, (struct reader_span){READER_DAYS, 0, 99}, &sum), OK);
    assert_int_equal(sum.count, 0);
    reader_close(r);
}

/* No store gives such numbers: the very last is no bucket's. */
static void
a_sum_of_the_last_edge_ends(void **state)
{
    const struct reader_span span = {READER_DAYS, 0, UINT32_MAX};
    struct reader *r;
    struct bucket_delta sum;

    (void)state;
    db_day(&db, UINT32_MAX, 3, 2, 1, 0);
    db_day(&db, UINT32_MAX, UINT32_MAX - 1, 3, 1, 0);
    r = open_reader();
    assert_int_equal(reader_sum(r, UINT32_MAX, span, &sum), OK);
    assert_int_equal(sum.count, 5);
    assert_int_equal(reader_sum(r, UINT32_MAX, span, &sum), OK);
    assert_int_equal(sum.count, 5);
    reader_end(r);
    db_day(&db, UINT32_MAX, UINT32_MAX, 4, 1, 0);
    assert_int_equal(reader_begin(r), OK);
    assert_int_equal(reader_sum(r, UINT32_MAX, span, &sum), ERR_CORRUPT);
    reader_close(r);
}

static enum err
take_node(void *ctx, const struct reader_node *node)
{
    *(struct reader_node *)ctx = *node;
    return OK;
}

static void
numbers_that_do_not_fit_are_corruption(void **state)
{
    struct reader_node node;
    struct reader_edges what = {.from_kind = 0, .to_kind = UINT8_MAX};
    struct reader *r;
    int seen = 0;

    (void)state;
    db_service(&db, "a");
    r = open_reader();
    assert_int_equal(reader_each_node(r, take_node, &node), OK);
    assert_int_equal(node.node.kind, NODE_SERVICE);
    assert_int_equal(node.created_s, FIXTURE_NOW_S - 100 * S_PER_DAY);
    db_fixture_sql(&db, "UPDATE node SET owner = -1");
    assert_int_equal(reader_each_node(r, take_node, &node), ERR_CORRUPT);
    db_edge(&db, 1, 2, EDGE_CALL, 3);
    db_fixture_sql(&db, "UPDATE edge SET last_s = 1 << 40");
    assert_int_equal(reader_each_edge(r, &what, count, &seen), ERR_CORRUPT);
    reader_close(r);
}

static enum err
take_counter(void *ctx, str name, int64_t value)
{
    (void)name;
    *(int64_t *)ctx += value;
    return OK;
}

static enum err
take_uptime(void *ctx, uint32_t start_s, uint32_t end_s)
{
    *(int64_t *)ctx += end_s - start_s;
    return OK;
}

static enum err
take_route(void *ctx, const struct route_row *row)
{
    assert_true(str_eq(row->method, STR("GET")));
    *(int64_t *)ctx += row->removed_s ? 10 : 1;
    return OK;
}

static void
the_small_tables_are_read_in_their_ranges(void **state)
{
    struct reader *r;
    int64_t sum = 0;
    uint64_t added;

    (void)state;
    db_fixture_sql(&db, "INSERT INTO counter VALUES ('a', 1), ('b', 2)");
    db_fixture_sql(&db, "INSERT INTO loss VALUES (5,'x',1), (6,'x',2), "
                        "(9,'x',4), (6,'y',0)");
    db_fixture_sql(&db, "INSERT INTO uptime VALUES (10, 20), (30, 45)");
    db_declare(&db, 1, "GET", "/a", 1);
    db_declare(&db, 1, "GET", "/b", 1);
    db_fixture_sql(&db, "UPDATE route SET removed_s = 7 WHERE pattern = '/b'");
    r = open_reader();
    assert_int_equal(reader_each_counter(r, take_counter, &sum), OK);
    assert_int_equal(sum, 3);
    sum = 0;
    assert_int_equal(reader_each_loss(r, 5, 6, take_counter, &sum), OK);
    assert_int_equal(sum, 3);
    sum = 0;
    assert_int_equal(reader_each_uptime(r, 20, take_uptime, &sum), OK);
    assert_int_equal(sum, 15);
    sum = 0;
    assert_int_equal(reader_each_route(r, take_route, &sum), OK);
    assert_int_equal(sum, 11);
    assert_int_equal(reader_added_ns(r, &added), OK);
    assert_int_equal(added / NS_PER_S, FIXTURE_NOW_S);
    db_fixture_sql(&db, "DELETE FROM meta");
    assert_int_equal(reader_added_ns(r, &added), OK);
    assert_int_equal(added, 0);
    reader_close(r);
}

#define WITH_DB(test) cmocka_unit_test_setup_teardown(test, open_db, close_db)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_DB(a_missing_store_is_told_with_what_to_do),
        WITH_DB(a_store_of_another_kind_or_version_is_refused),
        WITH_DB(a_file_that_is_no_database_is_corrupt),
        WITH_DB(edges_are_walked_by_kind_and_end_but_not_those_taken_back),
        WITH_DB(tallies_are_those_of_the_edges),
        WITH_DB(one_moment_lasts_until_its_end),
        WITH_DB(sums_take_both_ends_of_the_span),
        WITH_DB(a_sum_of_the_last_edge_ends),
        WITH_DB(sums_are_the_same_in_any_order),
        WITH_DB(a_sum_that_no_number_holds_is_damage),
        WITH_DB(numbers_that_do_not_fit_are_corruption),
        WITH_DB(the_small_tables_are_read_in_their_ranges),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
