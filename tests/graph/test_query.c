/*
 * Edges and services as they are asked for: what filters keep, what a window
 * counts, what is told of one edge.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "graph/query_edges.h"
#include "graph/query_stats.h"
#include "tests/support/query_shop.h"

enum { TODAY = FIXTURE_DAY };

static const struct query_edge *
find(const struct query_edges *edges, uint32_t source, uint32_t target,
     enum edge_kind kind)
{
    for (size_t i = 0; i < edges->len; i++) {
        const struct query_edge *row = &edges->rows[i];

        if (row->source == source && row->target == target && row->kind == kind)
            return row;
    }
    return NULL;
}

static void
services_sum_what_their_endpoints_did(void **state)
{
    struct query_filter filter = {.level = LEVEL_SERVICE};
    struct query_edges edges;

    (void)state;
    assert_int_equal(query_edges(query_shop.view, &filter, &edges), OK);
    assert_int_equal(edges.len, 7);
    assert_int_equal(
        find(&edges, query_shop.user, query_shop.web, EDGE_VIRTUAL_IN)->count,
        50);
    assert_int_equal(
        find(&edges, query_shop.web, query_shop.checkout, EDGE_CALL)->count,
        23);
    assert_int_equal(
        find(&edges, query_shop.checkout, query_shop.pg, EDGE_DB)->count, 7);
    assert_int_equal(
        find(&edges, query_shop.checkout, query_shop.stock, EDGE_MSG)->count,
        9);
    assert_int_equal(
        find(&edges, query_shop.topic, query_shop.stock, EDGE_MSG_SUB)->count,
        9);
    assert_int_equal(edges.rows[0].count, 50);
    query_edges_fini(&edges);
}

static void
endpoints_join_aliases_and_symbols_count_for_their_service(void **state)
{
    struct query_filter filter = {.level = LEVEL_ENDPOINT};
    struct query_edges edges;

    (void)state;
    assert_int_equal(query_edges(query_shop.view, &filter, &edges), OK);
    assert_int_equal(
        find(&edges, query_shop.cart, query_shop.buy, EDGE_CALL)->count, 23);
    assert_non_null(find(&edges, query_shop.checkout, query_shop.pg, EDGE_DB));
    query_edges_fini(&edges);
    filter.level = LEVEL_SYMBOL;
    assert_int_equal(query_edges(query_shop.view, &filter, &edges), OK);
    assert_non_null(find(&edges, query_shop.symbol, query_shop.pg, EDGE_DB));
    query_edges_fini(&edges);
}

static size_t
count_edges(const struct query_filter *filter)
{
    struct query_edges edges;

    assert_int_equal(query_edges(query_shop.view, filter, &edges), OK);
    size_t len = edges.len;
    query_edges_fini(&edges);
    return len;
}

static void
each_filter_keeps_what_it_says(void **state)
{
    uint32_t one[] = {query_shop.checkout};
    uint32_t two[] = {query_shop.checkout, query_shop.stock};
    const struct ids checkout = {one, 1, 1};
    const struct ids both = {two, 2, 2};
    struct query_filter filter = {.level = LEVEL_SERVICE};

    (void)state;
    filter.kinds = 1u << EDGE_CALL;
    assert_int_equal(count_edges(&filter), 2);
    filter.kinds = 0;
    filter.services = &checkout;
    assert_int_equal(count_edges(&filter), 5);
    filter.services = &both;
    assert_int_equal(count_edges(&filter), 6);
    filter.services = NULL;
    filter.targets = &checkout;
    assert_int_equal(count_edges(&filter), 1);
    filter.sources = &checkout;
    assert_int_equal(count_edges(&filter), 0);
    filter.targets = NULL;
    assert_int_equal(count_edges(&filter), 4);
    filter.sources = NULL;
    filter.env = STR("prod");
    assert_int_equal(count_edges(&filter), 1);
    filter.env = (str){0};
    filter.target_like = STR("/CART/%");
    assert_int_equal(count_edges(&filter), 1);
    filter.target_like = STR("pay.%");
    assert_int_equal(count_edges(&filter), 1);
}

static int64_t
sum_of(const struct query_filter *filter, struct query_window *window)
{
    struct query_edges edges;
    int64_t sum = 0;

    assert_int_equal(query_edges(query_shop.view, filter, &edges), OK);
    for (size_t i = 0; i < edges.len; i++)
        sum += edges.rows[i].count;
    *window = edges.window;
    query_edges_fini(&edges);
    return sum;
}

static void
a_window_counts_its_buckets_alone(void **state)
{
    struct query_filter filter = {.level = LEVEL_SERVICE,
                                  .since_s = FIXTURE_NOW_S - 5 * S_PER_DAY};
    struct query_edges edges;

    (void)state;
    db_day(&query_shop.db, query_shop.cart_to_buy, TODAY - 4, 6, 1, 0);
    db_day(&query_shop.db, query_shop.cart_to_buy, TODAY - 9, 5, 1, 0);
    db_fixture_sql(&query_shop.db,
                   "INSERT INTO edge_hour VALUES (%u, %u, 2, 0, 0)",
                   query_shop.cart_to_buy, FIXTURE_NOW_S / S_PER_H - 3);
    query_end(query_shop.view);
    query_shop_begin(FIXTURE_NOW_S);
    assert_int_equal(query_edges(query_shop.view, &filter, &edges), OK);
    assert_int_equal(edges.len, 1);
    assert_int_equal(edges.rows[0].count, 6);
    assert_string_equal(edges.window.unit, "day");
    query_edges_fini(&edges);
    filter.since_s = FIXTURE_NOW_S - 5 * S_PER_H;
    assert_int_equal(query_edges(query_shop.view, &filter, &edges), OK);
    assert_int_equal(edges.len, 1);
    assert_int_equal(edges.rows[0].count, 2);
    assert_string_equal(edges.window.unit, "hour");
    assert_int_equal(edges.window.from_s % S_PER_H, 0);
    query_edges_fini(&edges);
    filter.since_s = FIXTURE_NOW_S - 2 * S_PER_H;
    assert_int_equal(count_edges(&filter), 0);
}

/* Of all edges in the row, whichever were called in the window. */
static void
first_and_last_are_of_all_time(void **state)
{
    struct query_filter filter = {.level = LEVEL_SERVICE,
                                  .since_s = FIXTURE_NOW_S - 5 * S_PER_DAY};
    uint32_t old = (TODAY - 300) * S_PER_DAY;
    uint32_t late = FIXTURE_NOW_S + 300;
    struct db_fixture *db = &query_shop.db;
    struct query_edges edges;

    (void)state;
    db_day(db, query_shop.cart_to_buy, TODAY - 4, 6, 1, 0);
    db_times(db, db_edge(db, query_shop.web, query_shop.checkout, EDGE_CALL, 1),
             old, late);
    db_edge(db, query_shop.stock, query_shop.web, EDGE_CALL, 5);
    query_end(query_shop.view);
    query_shop_begin(FIXTURE_NOW_S);
    assert_int_equal(query_edges(query_shop.view, &filter, &edges), OK);
    assert_int_equal(edges.len, 1);
    assert_int_equal(edges.rows[0].count, 6);
    assert_int_equal(edges.rows[0].first_s, old);
    assert_int_equal(edges.rows[0].last_s, late);
    query_edges_fini(&edges);
}

/* What is not kept was not nothing: the store says from where on it is whole.
 */
static void
a_window_is_of_what_is_kept(void **state)
{
    struct query_filter filter = {.level = LEVEL_SERVICE};
    uint32_t hour = FIXTURE_NOW_S / S_PER_H;
    struct query_window window;

    (void)state;
    db_day(&query_shop.db, query_shop.cart_to_buy, TODAY, 6, 1, 0);
    db_fixture_sql(&query_shop.db,
                   "INSERT INTO edge_hour VALUES (%u, %u, 2, 0, 0);"
                   "INSERT INTO meta VALUES ('first_hour', %u),"
                   " ('first_day', %u)",
                   query_shop.cart_to_buy, hour - 1, hour - 1, TODAY - 3);
    query_end(query_shop.view);
    query_shop_begin(FIXTURE_NOW_S);
    filter.since_s = (hour - 1) * S_PER_H;
    assert_int_equal(sum_of(&filter, &window), 2);
    assert_string_equal(window.unit, "hour");
    filter.since_s--;
    assert_int_equal(sum_of(&filter, &window), 6);
    assert_string_equal(window.unit, "day");
    filter.since_s = (TODAY - 3) * S_PER_DAY;
    assert_int_equal(sum_of(&filter, &window), 6);
    assert_int_equal(window.from_s, (TODAY - 3) * S_PER_DAY);
    filter.since_s--;
    assert_int_equal(sum_of(&filter, &window), 6);
    assert_int_equal(window.from_s, (TODAY - 3) * S_PER_DAY);
    filter.until_s = (TODAY - 9) * S_PER_DAY; /* all of it before that */
    filter.since_s = (TODAY - 12) * S_PER_DAY;
    assert_int_equal(sum_of(&filter, &window), 0);
    assert_true(window.from_s < window.to_s);
}

/* Two buckets, and two edges in a row, each nearly as heavy as can be. */
static void
weights_beyond_the_scale_are_its_end(void **state)
{
    const uint32_t since_s[] = {0, FIXTURE_NOW_S - 5 * S_PER_H,
                                FIXTURE_NOW_S - 5 * S_PER_DAY};
    uint32_t hour = FIXTURE_NOW_S / S_PER_H;
    long long heavy = INT64_MAX / 3 * 2;

    (void)state;
    for (uint32_t ago = 1; ago <= 2; ago++) {
        db_fixture_sql(&query_shop.db,
                       "INSERT INTO edge_hour VALUES (%u, %u, 4, %lld, 0)",
                       query_shop.cart_to_buy, hour - ago, heavy);
        db_fixture_sql(&query_shop.db,
                       "INSERT INTO edge_day VALUES (%u, %u, 4, %lld, 0, 1, "
                       "NULL)",
                       query_shop.cart_to_buy, TODAY - ago, heavy);
    }
    db_edge(&query_shop.db, query_shop.pay, query_shop.buy, EDGE_CALL, 5);
    db_fixture_sql(&query_shop.db, "UPDATE edge SET weighted = %lld", heavy);
    query_end(query_shop.view);
    query_shop_begin(FIXTURE_NOW_S);
    for (size_t i = 0; i < 3; i++) {
        struct query_filter filter = {.level = LEVEL_SERVICE,
                                      .since_s = since_s[i]};
        struct query_edges edges;

        assert_int_equal(query_edges(query_shop.view, &filter, &edges), OK);
        const struct query_edge *row =
            find(&edges, query_shop.web, query_shop.checkout, EDGE_CALL);
        assert_non_null(row);
        assert_int_equal(row->count, since_s[i] ? 8 : 23);
        assert_int_equal(row->weighted, INT64_MAX);
        query_edges_by_target(&edges);
        row = find(&edges, 0, query_shop.checkout, EDGE_CALL);
        assert_int_equal(row->count, since_s[i] ? 8 : 28);
        assert_int_equal(row->weighted, INT64_MAX);
        query_edges_fini(&edges);
    }
}

static void
details_merge_the_days_of_the_window(void **state)
{
    struct query_filter filter = {.level = LEVEL_SERVICE,
                                  .kinds = 1u << EDGE_CALL};
    struct query_edges edges;
    struct query_detail detail;
    uint32_t v1 =
        db_node(&query_shop.db, NODE_VERSION, query_shop.web, "1.0", "");
    uint32_t v2 =
        db_node(&query_shop.db, NODE_VERSION, query_shop.web, "2.0", "");

    (void)state;
    db_day(&query_shop.db, query_shop.cart_to_buy, TODAY - 4, 90, 1,
           10 * NS_PER_MS);
    db_day(&query_shop.db, query_shop.cart_to_buy, TODAY - 20, 10, 1,
           1000 * NS_PER_MS);
    db_fixture_sql(&query_shop.db,
                   "INSERT INTO edge_version VALUES (%u,0,%u,1,10), "
                   "(%u,0,%u,1,20)",
                   query_shop.cart_to_buy, v1, query_shop.cart_to_buy, v2);
    query_end(query_shop.view);
    query_shop_begin(FIXTURE_NOW_S);
    assert_int_equal(query_edges(query_shop.view, &filter, &edges), OK);
    assert_int_equal(edges.rows[0].source, query_shop.web);
    assert_int_equal(query_detail(query_shop.view, &edges, 0, &detail), OK);
    assert_true(detail.p50_ns > 9 * NS_PER_MS &&
                detail.p50_ns < 11 * NS_PER_MS);
    assert_true(detail.p99_ns > 970 * NS_PER_MS);
    assert_int_equal(detail.recent, 90);
    assert_true(detail.confidence > 0.69 && detail.confidence < 0.71);
    assert_int_equal(detail.source_versions[0], v2);
    assert_int_equal(detail.source_versions[1], v1);
    assert_int_equal(detail.source_versions[2], 0);
    query_edges_fini(&edges);
    filter.since_s = FIXTURE_NOW_S - 7 * S_PER_DAY;
    assert_int_equal(query_edges(query_shop.view, &filter, &edges), OK);
    assert_int_equal(query_detail(query_shop.view, &edges, 0, &detail), OK);
    assert_true(detail.p99_ns < 11 * NS_PER_MS);
    query_edges_fini(&edges);
}

static void
a_damaged_sketch_is_told_and_not_shown(void **state)
{
    struct query_filter filter = {.level = LEVEL_SERVICE,
                                  .kinds = 1u << EDGE_CALL};
    struct query_edges edges;
    struct query_detail detail;

    (void)state;
    db_fixture_sql(&query_shop.db,
                   "INSERT INTO edge_day VALUES (%u,%u,1,1,0,1,"
                   "x'ffffffffffffffffffffffff')",
                   query_shop.cart_to_buy, TODAY);
    query_end(query_shop.view);
    query_shop_begin(FIXTURE_NOW_S);
    assert_int_equal(query_edges(query_shop.view, &filter, &edges), OK);
    assert_int_equal(query_detail(query_shop.view, &edges, 0, &detail),
                     ERR_CORRUPT);
    query_edges_fini(&edges);
}

static void
a_loop_of_aliases_ends(void **state)
{
    struct query_filter filter = {.level = LEVEL_ENDPOINT};

    (void)state;
    db_fixture_sql(&query_shop.db, "UPDATE node SET alias = %u WHERE id = %u",
                   query_shop.old, query_shop.buy);
    query_end(query_shop.view);
    query_shop_begin(FIXTURE_NOW_S);
    assert_true(count_edges(&filter) > 0);
}

static void
a_view_does_not_change_under_the_question(void **state)
{
    struct query_filter filter = {.level = LEVEL_SERVICE};
    size_t before = count_edges(&filter);

    (void)state;
    db_edge(&query_shop.db, query_shop.pay, query_shop.web, EDGE_CALL, 5);
    assert_int_equal(count_edges(&filter), before);
    query_end(query_shop.view);
    query_shop_begin(FIXTURE_NOW_S);
    assert_int_equal(count_edges(&filter), before + 1);
    assert_int_equal(query_as_of_s(query_shop.view), FIXTURE_NOW_S);
}

static str
name_of_web_after(const char *sql)
{
    db_fixture_sql(&query_shop.db, "%s", sql);
    query_end(query_shop.view);
    query_shop_begin(FIXTURE_NOW_S);
    return query_node(query_shop.view, query_shop.web)->name;
}

static void
names_are_read_again_when_nodes_have_changed(void **state)
{
    (void)state;
    assert_true(str_eq(name_of_web_after("INSERT INTO meta VALUES "
                                         "('nodes_version', 7)"),
                       STR("web")));
    /* Not with each commit: there is one for every flush. */
    assert_true(str_eq(name_of_web_after("UPDATE node SET name = 'front' "
                                         "WHERE name = 'web'"),
                       STR("web")));
    assert_true(str_eq(name_of_web_after("UPDATE meta SET value = 8 "
                                         "WHERE key = 'nodes_version'"),
                       STR("front")));
    /* A store that does not say is read again with each. */
    assert_true(str_eq(name_of_web_after("DELETE FROM meta "
                                         "WHERE key = 'nodes_version'"),
                       STR("front")));
    assert_true(str_eq(name_of_web_after("UPDATE node SET name = 'web' "
                                         "WHERE name = 'front'"),
                       STR("web")));
}

static void *
begin_another(void *ctx)
{
    struct query_view *view = NULL;
    atomic_bool *has_begun = ctx;
    enum err err = query_begin(query_shop.query, FIXTURE_NOW_S, &view);

    query_end(view);
    atomic_store(has_begun, !err);
    return NULL;
}

static void
take_a_nap(void)
{
    const struct timespec nap = {.tv_nsec = 200 * (long)NS_PER_MS};

    (void)nanosleep(&nap, NULL);
}

/* As those do who ask without end: each begins before the last has ended, so
 * the writer never finds a moment in which nobody reads its log. */
static void
views_make_a_gap_for_a_log_that_is_long(void **state)
{
    atomic_bool has_begun = false;
    pthread_t other;
    char log[128];

    (void)state;
    (void)snprintf(log, sizeof(log), "%s/" STORE_FILE "-wal",
                   query_shop.db.dir);
    assert_int_equal(truncate(log, 200 << 20), 0);
    assert_int_equal(pthread_create(&other, NULL, begin_another, &has_begun),
                     0);
    take_a_nap();
    assert_false(atomic_load(&has_begun));
    query_end(query_shop.view);
    query_shop.view = NULL;
    take_a_nap();
    assert_false(atomic_load(&has_begun));
    db_fixture_sql(&query_shop.db, "PRAGMA wal_checkpoint(TRUNCATE)");
    (void)pthread_join(other, NULL);
    assert_true(atomic_load(&has_begun));
}

/* It may be somebody else who holds it: nobody waits for that without end. */
static void
a_log_that_stays_long_is_waited_for_once(void **state)
{
    char log[128];

    (void)state;
    (void)snprintf(log, sizeof(log), "%s/" STORE_FILE "-wal",
                   query_shop.db.dir);
    assert_int_equal(truncate(log, 200 << 20), 0);
    query_end(query_shop.view);
    query_shop_begin(FIXTURE_NOW_S);
    query_end(query_shop.view);
    uint64_t begun_ns = clock_mono_ns();
    query_shop_begin(FIXTURE_NOW_S);
    assert_true(clock_mono_ns() - begun_ns < NS_PER_S);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        QUERY_SHOP(services_sum_what_their_endpoints_did),
        QUERY_SHOP(endpoints_join_aliases_and_symbols_count_for_their_service),
        QUERY_SHOP(each_filter_keeps_what_it_says),
        QUERY_SHOP(a_window_counts_its_buckets_alone),
        QUERY_SHOP(first_and_last_are_of_all_time),
        QUERY_SHOP(a_window_is_of_what_is_kept),
        QUERY_SHOP(weights_beyond_the_scale_are_its_end),
        QUERY_SHOP(details_merge_the_days_of_the_window),
        QUERY_SHOP(a_damaged_sketch_is_told_and_not_shown),
        QUERY_SHOP(a_loop_of_aliases_ends),
        QUERY_SHOP(a_view_does_not_change_under_the_question),
        QUERY_SHOP(names_are_read_again_when_nodes_have_changed),
        QUERY_SHOP(views_make_a_gap_for_a_log_that_is_long),
        QUERY_SHOP(a_log_that_stays_long_is_waited_for_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
