/*
 * A small shop: web calls checkout calls pay, checkout writes to pg1 and sends
 * to kafka:orders, which stock consumes; somebody calls web from outside.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "graph/query.h"
#include "graph/query_edges.h"
#include "graph/query_stats.h"
#include "tests/support/db_fixture.h"

enum { TODAY = FIXTURE_DAY };

struct shop {
    struct db_fixture db;
    struct query *query;
    struct query_view *view;
    uint32_t web, checkout, pay, stock, cart, buy, charge, topic, pg, user;
    uint32_t consume, old, symbol;
    uint32_t cart_to_buy, buy_to_charge;
};

static struct shop shop;

static void
begin(uint32_t now_s)
{
    struct buf why = {0};

    if (!shop.query)
        assert_int_equal(
            query_open(&shop.query, shop.db.dir, &query_cfg_default, &why), OK);
    assert_int_equal(query_begin(shop.query, now_s, &shop.view), OK);
    buf_fini(&why);
}

static int
open_shop(void **state)
{
    struct db_fixture *db = &shop.db;

    (void)state;
    shop = (struct shop){0};
    db_fixture_open(db);
    shop.web = db_service(db, "web");
    shop.checkout = db_service(db, "checkout");
    shop.pay = db_node(db, NODE_SERVICE, 0, "pay", "prod");
    shop.stock = db_service(db, "stock");
    shop.cart = db_route(db, shop.web, "GET /cart/{}");
    shop.buy = db_route(db, shop.checkout, "POST /buy");
    shop.charge = db_node(db, NODE_RPC, shop.pay, "pay.Pay/Charge", "");
    shop.topic = db_node(db, NODE_TOPIC, 0, "kafka:orders", "");
    shop.consume = db_node(db, NODE_CONSUMER, shop.stock, "kafka:orders", "");
    shop.pg = db_node(db, NODE_DATABASE, 0, "pg1:5432", "");
    shop.user = db_node(db, NODE_EXTERNAL, 0, "user", "");
    shop.old = db_route(db, shop.checkout, "POST /buy/17");
    shop.symbol = db_node(db, NODE_SYMBOL, shop.checkout, "buy.Handler", "");
    db_fixture_sql(db, "UPDATE node SET alias = %u WHERE id = %u", shop.buy,
                   shop.old);
    db_edge(db, shop.user, shop.cart, EDGE_VIRTUAL_IN, 50);
    shop.cart_to_buy = db_edge(db, shop.cart, shop.buy, EDGE_CALL, 20);
    db_edge(db, shop.cart, shop.old, EDGE_CALL, 3);
    shop.buy_to_charge = db_edge(db, shop.buy, shop.charge, EDGE_CALL, 18);
    db_edge(db, shop.symbol, shop.pg, EDGE_DB, 7);
    db_edge(db, shop.symbol, shop.pg, EDGE_CODE_CALL, 7);
    db_edge(db, shop.buy, shop.symbol, EDGE_HANDLED, 23);
    db_edge(db, shop.buy, shop.topic, EDGE_MSG_PUB, 9);
    db_edge(db, shop.topic, shop.consume, EDGE_MSG_SUB, 9);
    db_edge(db, shop.buy, shop.consume, EDGE_MSG, 9);
    db_edge(db, shop.buy, shop.pay, EDGE_CALL, 0);
    db_edge(db, 0, shop.buy, EDGE_TRAFFIC, 23);
    db_edge(db, 0, shop.checkout, EDGE_SEEN, 40);
    begin(FIXTURE_NOW_S);
    return 0;
}

static int
close_shop(void **state)
{
    (void)state;
    query_end(shop.view);
    query_close(shop.query);
    db_fixture_close(&shop.db);
    return 0;
}

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
    assert_int_equal(query_edges(shop.view, &filter, &edges), OK);
    assert_int_equal(edges.len, 7);
    assert_int_equal(find(&edges, shop.user, shop.web, EDGE_VIRTUAL_IN)->count,
                     50);
    assert_int_equal(find(&edges, shop.web, shop.checkout, EDGE_CALL)->count,
                     23);
    assert_int_equal(find(&edges, shop.checkout, shop.pg, EDGE_DB)->count, 7);
    assert_int_equal(find(&edges, shop.checkout, shop.stock, EDGE_MSG)->count,
                     9);
    assert_int_equal(find(&edges, shop.topic, shop.stock, EDGE_MSG_SUB)->count,
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
    assert_int_equal(query_edges(shop.view, &filter, &edges), OK);
    assert_int_equal(find(&edges, shop.cart, shop.buy, EDGE_CALL)->count, 23);
    assert_non_null(find(&edges, shop.checkout, shop.pg, EDGE_DB));
    query_edges_fini(&edges);
    filter.level = LEVEL_SYMBOL;
    assert_int_equal(query_edges(shop.view, &filter, &edges), OK);
    assert_non_null(find(&edges, shop.symbol, shop.pg, EDGE_DB));
    query_edges_fini(&edges);
}

static size_t
count_edges(const struct query_filter *filter)
{
    struct query_edges edges;

    assert_int_equal(query_edges(shop.view, filter, &edges), OK);
    size_t len = edges.len;
    query_edges_fini(&edges);
    return len;
}

static void
each_filter_keeps_what_it_says(void **state)
{
    uint32_t one[] = {shop.checkout};
    uint32_t two[] = {shop.checkout, shop.stock};
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

    assert_int_equal(query_edges(shop.view, filter, &edges), OK);
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
    db_day(&shop.db, shop.cart_to_buy, TODAY - 4, 6, 1, 0);
    db_day(&shop.db, shop.cart_to_buy, TODAY - 9, 5, 1, 0);
    db_fixture_sql(&shop.db, "INSERT INTO edge_hour VALUES (%u, %u, 2, 0, 0)",
                   shop.cart_to_buy, FIXTURE_NOW_S / S_PER_H - 3);
    query_end(shop.view);
    begin(FIXTURE_NOW_S);
    assert_int_equal(query_edges(shop.view, &filter, &edges), OK);
    assert_int_equal(edges.len, 1);
    assert_int_equal(edges.rows[0].count, 6);
    assert_string_equal(edges.window.unit, "day");
    query_edges_fini(&edges);
    filter.since_s = FIXTURE_NOW_S - 5 * S_PER_H;
    assert_int_equal(query_edges(shop.view, &filter, &edges), OK);
    assert_int_equal(edges.len, 1);
    assert_int_equal(edges.rows[0].count, 2);
    assert_string_equal(edges.window.unit, "hour");
    assert_int_equal(edges.window.from_s % S_PER_H, 0);
    query_edges_fini(&edges);
    filter.since_s = FIXTURE_NOW_S - 2 * S_PER_H;
    assert_int_equal(count_edges(&filter), 0);
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
    db_day(&shop.db, shop.cart_to_buy, TODAY, 6, 1, 0);
    db_fixture_sql(&shop.db,
                   "INSERT INTO edge_hour VALUES (%u, %u, 2, 0, 0);"
                   "INSERT INTO meta VALUES ('first_hour', %u),"
                   " ('first_day', %u)",
                   shop.cart_to_buy, hour - 1, hour - 1, TODAY - 3);
    query_end(shop.view);
    begin(FIXTURE_NOW_S);
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
        db_fixture_sql(&shop.db,
                       "INSERT INTO edge_hour VALUES (%u, %u, 4, %lld, 0)",
                       shop.cart_to_buy, hour - ago, heavy);
        db_fixture_sql(&shop.db,
                       "INSERT INTO edge_day VALUES (%u, %u, 4, %lld, 0, 1, "
                       "NULL)",
                       shop.cart_to_buy, TODAY - ago, heavy);
    }
    db_edge(&shop.db, shop.pay, shop.buy, EDGE_CALL, 5);
    db_fixture_sql(&shop.db, "UPDATE edge SET weighted = %lld", heavy);
    query_end(shop.view);
    begin(FIXTURE_NOW_S);
    for (size_t i = 0; i < 3; i++) {
        struct query_filter filter = {.level = LEVEL_SERVICE,
                                      .since_s = since_s[i]};
        struct query_edges edges;

        assert_int_equal(query_edges(shop.view, &filter, &edges), OK);
        const struct query_edge *row =
            find(&edges, shop.web, shop.checkout, EDGE_CALL);
        assert_non_null(row);
        assert_int_equal(row->count, since_s[i] ? 8 : 23);
        assert_int_equal(row->weighted, INT64_MAX);
        query_edges_by_target(&edges);
        row = find(&edges, 0, shop.checkout, EDGE_CALL);
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
    uint32_t v1 = db_node(&shop.db, NODE_VERSION, shop.web, "1.0", "");
    uint32_t v2 = db_node(&shop.db, NODE_VERSION, shop.web, "2.0", "");

    (void)state;
    db_day(&shop.db, shop.cart_to_buy, TODAY - 4, 90, 1, 10 * NS_PER_MS);
    db_day(&shop.db, shop.cart_to_buy, TODAY - 20, 10, 1, 1000 * NS_PER_MS);
    db_fixture_sql(&shop.db,
                   "INSERT INTO edge_version VALUES (%u,0,%u,1,10), "
                   "(%u,0,%u,1,20)",
                   shop.cart_to_buy, v1, shop.cart_to_buy, v2);
    query_end(shop.view);
    begin(FIXTURE_NOW_S);
    assert_int_equal(query_edges(shop.view, &filter, &edges), OK);
    assert_int_equal(edges.rows[0].source, shop.web);
    assert_int_equal(query_detail(shop.view, &edges, 0, &detail), OK);
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
    assert_int_equal(query_edges(shop.view, &filter, &edges), OK);
    assert_int_equal(query_detail(shop.view, &edges, 0, &detail), OK);
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
    db_fixture_sql(&shop.db,
                   "INSERT INTO edge_day VALUES (%u,%u,1,1,0,1,"
                   "x'ffffffffffffffffffffffff')",
                   shop.cart_to_buy, TODAY);
    query_end(shop.view);
    begin(FIXTURE_NOW_S);
    assert_int_equal(query_edges(shop.view, &filter, &edges), OK);
    assert_int_equal(query_detail(shop.view, &edges, 0, &detail), ERR_CORRUPT);
    query_edges_fini(&edges);
}

static struct ids
found(struct query_find find)
{
    struct ids ids = {0};

    assert_int_equal(query_find(shop.view, &find, &ids), OK);
    return ids;
}

static void
nodes_are_found_by_name_prefix_and_hash(void **state)
{
    struct ids ids = found((struct query_find){.prefix = STR("check")});

    (void)state;
    assert_int_equal(ids.len, 3);
    assert_int_equal(ids.ids[0], shop.checkout);
    assert_int_equal(ids.ids[1], shop.buy);
    ids_fini(&ids);
    ids = found((struct query_find){.qualified = STR("checkout POST /buy")});
    assert_int_equal(ids.len, 1);
    assert_int_equal(ids.ids[0], shop.buy);
    ids_fini(&ids);
    ids = found(
        (struct query_find){.name = STR("*o*"), .kinds = 1u << NODE_SERVICE});
    assert_int_equal(ids.len, 2);
    ids_fini(&ids);
    ids = found(
        (struct query_find){.hash = query_node(shop.view, shop.pay)->hash});
    assert_int_equal(ids.len, 1);
    assert_int_equal(ids.ids[0], shop.pay);
    ids_fini(&ids);
    ids = found((struct query_find){.owner = shop.stock});
    assert_int_equal(ids.len, 1);
    ids_fini(&ids);
    ids = found((struct query_find){.name = STR("nobody")});
    assert_int_equal(ids.len, 0);
    ids_fini(&ids);
}

static void
the_nearest_name_is_the_one_mistyped(void **state)
{
    struct ids ids = {0};

    (void)state;
    assert_int_equal(
        query_nearest(shop.view, 1u << NODE_SERVICE, STR("chekout"), 3, &ids),
        OK);
    assert_true(ids.len >= 1);
    assert_int_equal(ids.ids[0], shop.checkout);
    ids_fini(&ids);
    assert_int_equal(query_nearest(shop.view, 1u << NODE_SERVICE,
                                   STR("zzzzzzzzzz"), 3, &ids),
                     OK);
    assert_int_equal(ids.len, 0);
    ids_fini(&ids);
}

static void
a_loop_of_aliases_ends(void **state)
{
    struct query_filter filter = {.level = LEVEL_ENDPOINT};

    (void)state;
    db_fixture_sql(&shop.db, "UPDATE node SET alias = %u WHERE id = %u",
                   shop.old, shop.buy);
    query_end(shop.view);
    begin(FIXTURE_NOW_S);
    assert_true(count_edges(&filter) > 0);
}

static void
a_view_does_not_change_under_the_question(void **state)
{
    struct query_filter filter = {.level = LEVEL_SERVICE};
    size_t before = count_edges(&filter);

    (void)state;
    db_edge(&shop.db, shop.pay, shop.web, EDGE_CALL, 5);
    assert_int_equal(count_edges(&filter), before);
    query_end(shop.view);
    begin(FIXTURE_NOW_S);
    assert_int_equal(count_edges(&filter), before + 1);
    assert_int_equal(query_as_of_s(shop.view), FIXTURE_NOW_S);
}

static void
totals_class_edges_by_age(void **state)
{
    struct query_stats stats;
    uint32_t one[] = {shop.stock};
    const struct ids stock = {one, 1, 1};

    (void)state;
    db_times(&shop.db, shop.cart_to_buy, 1, FIXTURE_NOW_S - 40 * S_PER_DAY);
    db_times(&shop.db, shop.buy_to_charge, 1, FIXTURE_NOW_S - 100 * S_PER_DAY);
    query_end(shop.view);
    begin(FIXTURE_NOW_S);
    assert_int_equal(query_stats(shop.view, NULL, &stats), OK);
    assert_int_equal(stats.edges, 8);
    assert_int_equal(stats.by_age[AGE_ACTIVE], 6);
    assert_int_equal(stats.by_age[AGE_STALE], 1);
    assert_int_equal(stats.by_age[AGE_ELIGIBLE], 1);
    assert_int_equal(stats.by_kind[EDGE_CALL], 3);
    assert_int_equal(stats.services, 4);
    assert_int_equal(stats.nodes, 12);
    assert_int_equal(query_stats(shop.view, &stock, &stats), OK);
    assert_int_equal(stats.edges, 2);
}

struct told {
    int64_t spans, orphans, rejected, extra;
    int len;
};

static enum err
tell(void *ctx, str name, int64_t value)
{
    struct told *told = ctx;

    told->len++;
    if (str_eq(name, STR("spans")))
        told->spans = value;
    if (str_eq(name, STR("orphan_ingress")))
        told->orphans = value;
    if (str_eq(name, STR("rejected")))
        told->rejected = value;
    if (str_eq(name, STR("clamped")))
        told->extra = value;
    return OK;
}

static void
counters_are_always_all_there(void **state)
{
    struct told told = {0};

    (void)state;
    assert_int_equal(query_counters(shop.view, tell, &told), OK);
    assert_int_equal(told.len, 9);
    assert_int_equal(told.spans, 40);
    db_edge(&shop.db, 0, shop.web, EDGE_ORPHAN, 4);
    db_fixture_sql(&shop.db, "INSERT INTO counter VALUES ('rejected', 3), "
                             "('spans', 77), ('clamped', 1)");
    query_end(shop.view);
    begin(FIXTURE_NOW_S);
    told = (struct told){0};
    assert_int_equal(query_counters(shop.view, tell, &told), OK);
    assert_int_equal(told.len, 10);
    assert_int_equal(told.spans, 77);
    assert_int_equal(told.orphans, 4);
    assert_int_equal(told.rejected, 3);
    assert_int_equal(told.extra, 1);
}

static void
reasons_name_the_scope(void **state)
{
    uint32_t scope = db_node(&shop.db, NODE_SCOPE, 0, "otel.kafka", "");
    struct query_reasons reasons;

    (void)state;
    db_edge(&shop.db, scope, shop.stock, EDGE_ORPHAN, 4);
    db_edge(&shop.db, scope, shop.stock, EDGE_SEEN_BY, 12);
    query_end(shop.view);
    begin(FIXTURE_NOW_S);
    assert_int_equal(query_explain(shop.view, shop.stock, &reasons), OK);
    assert_int_equal(reasons.len, 2);
    assert_int_equal(reasons.rows[0].kind, EDGE_SEEN_BY);
    assert_int_equal(reasons.rows[1].count, 4);
    assert_int_equal(reasons.rows[1].scope, scope);
    query_reasons_fini(&reasons);
}

static void *
ask_often(void *arg)
{
    const struct query_filter filter = {.level = LEVEL_SERVICE};

    for (int i = 0; i < 50; i++) {
        struct query_view *view;
        struct query_edges edges;

        if (query_begin(arg, FIXTURE_NOW_S, &view))
            return arg;
        if (query_edges(view, &filter, &edges))
            return arg;
        query_edges_fini(&edges);
        query_end(view);
    }
    return NULL;
}

static void
many_threads_share_few_connections(void **state)
{
    pthread_t threads[8];
    void *failed;

    (void)state;
    for (size_t i = 0; i < 8; i++)
        pthread_create(&threads[i], NULL, ask_often, shop.query);
    for (uint32_t i = 0; i < 20; i++)
        db_edge(&shop.db, shop.pay, shop.web, EDGE_CALL, 5);
    for (size_t i = 0; i < 8; i++) {
        pthread_join(threads[i], &failed);
        assert_null(failed);
    }
}

#define SHOP(test) cmocka_unit_test_setup_teardown(test, open_shop, close_shop)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        SHOP(services_sum_what_their_endpoints_did),
        SHOP(endpoints_join_aliases_and_symbols_count_for_their_service),
        SHOP(each_filter_keeps_what_it_says),
        SHOP(a_window_counts_its_buckets_alone),
        SHOP(a_window_is_of_what_is_kept),
        SHOP(weights_beyond_the_scale_are_its_end),
        SHOP(details_merge_the_days_of_the_window),
        SHOP(a_damaged_sketch_is_told_and_not_shown),
        SHOP(nodes_are_found_by_name_prefix_and_hash),
        SHOP(the_nearest_name_is_the_one_mistyped),
        SHOP(a_loop_of_aliases_ends),
        SHOP(a_view_does_not_change_under_the_question),
        SHOP(totals_class_edges_by_age),
        SHOP(counters_are_always_all_there),
        SHOP(reasons_name_the_scope),
        SHOP(many_threads_share_few_connections),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
