/*
 * Nodes as they are looked for, the sums over all of a store, and what many
 * threads share who ask for it.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "graph/query_edges.h"
#include "graph/query_stats.h"
#include "tests/support/query_shop.h"

static struct ids
found(struct query_find find)
{
    struct ids ids = {0};

    assert_int_equal(query_find(query_shop.view, &find, &ids), OK);
    return ids;
}

static void
nodes_are_found_by_name_prefix_and_hash(void **state)
{
    struct ids ids = found((struct query_find){.prefix = STR("check")});

    (void)state;
    assert_int_equal(ids.len, 3);
    assert_int_equal(ids.ids[0], query_shop.checkout);
    assert_int_equal(ids.ids[1], query_shop.buy);
    ids_fini(&ids);
    ids = found((struct query_find){.qualified = STR("checkout POST /buy")});
    assert_int_equal(ids.len, 1);
    assert_int_equal(ids.ids[0], query_shop.buy);
    ids_fini(&ids);
    ids = found(
        (struct query_find){.name = STR("*o*"), .kinds = 1u << NODE_SERVICE});
    assert_int_equal(ids.len, 2);
    ids_fini(&ids);
    ids = found((struct query_find){
        .hash = query_node(query_shop.view, query_shop.pay)->hash});
    assert_int_equal(ids.len, 1);
    assert_int_equal(ids.ids[0], query_shop.pay);
    ids_fini(&ids);
    ids = found((struct query_find){.owner = query_shop.stock});
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
    assert_int_equal(query_nearest(query_shop.view, 1u << NODE_SERVICE,
                                   STR("chekout"), 3, &ids),
                     OK);
    assert_true(ids.len >= 1);
    assert_int_equal(ids.ids[0], query_shop.checkout);
    ids_fini(&ids);
    assert_int_equal(query_nearest(query_shop.view, 1u << NODE_SERVICE,
                                   STR("zzzzzzzzzz"), 3, &ids),
                     OK);
    assert_int_equal(ids.len, 0);
    ids_fini(&ids);
}

static void
totals_class_edges_by_age(void **state)
{
    struct query_stats stats;
    uint32_t one[] = {query_shop.stock};
    const struct ids stock = {one, 1, 1};

    (void)state;
    db_times(&query_shop.db, query_shop.cart_to_buy, 1,
             FIXTURE_NOW_S - 40 * S_PER_DAY);
    db_times(&query_shop.db, query_shop.buy_to_charge, 1,
             FIXTURE_NOW_S - 100 * S_PER_DAY);
    query_end(query_shop.view);
    query_shop_begin(FIXTURE_NOW_S);
    assert_int_equal(query_stats(query_shop.view, NULL, &stats), OK);
    assert_int_equal(stats.edges, 8);
    assert_int_equal(stats.by_age[AGE_ACTIVE], 6);
    assert_int_equal(stats.by_age[AGE_STALE], 1);
    assert_int_equal(stats.by_age[AGE_ELIGIBLE], 1);
    assert_int_equal(stats.by_kind[EDGE_CALL], 3);
    assert_int_equal(stats.services, 4);
    assert_int_equal(stats.nodes, 12);
    assert_int_equal(query_stats(query_shop.view, &stock, &stats), OK);
    assert_int_equal(stats.edges, 2);
}

static int64_t
edges_of(uint32_t *services, size_t len)
{
    const struct ids ids = {services, len, len};
    struct query_stats stats;

    assert_int_equal(query_stats(query_shop.view, &ids, &stats), OK);
    assert_int_equal(stats.last_s, FIXTURE_NOW_S - 5);
    return stats.edges;
}

/* cart calls buy and old, each of another service. */
static void
an_edge_between_two_of_the_services_counts_once(void **state)
{
    uint32_t both[] = {query_shop.web, query_shop.checkout};
    uint32_t seen[] = {db_edge(&query_shop.db, 0, both[0], EDGE_SEEN, 1),
                       db_edge(&query_shop.db, 0, both[1], EDGE_SEEN, 1)};

    (void)state;
    for (int i = 0; i < 2; i++)
        db_times(&query_shop.db, seen[i], 1, FIXTURE_NOW_S - 5);
    query_end(query_shop.view);
    query_shop_begin(FIXTURE_NOW_S);
    assert_int_equal(edges_of(&both[0], 1) + edges_of(&both[1], 1),
                     edges_of(both, 2) + 2);
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
    assert_int_equal(query_counters(query_shop.view, tell, &told), OK);
    assert_int_equal(told.len, 9);
    assert_int_equal(told.spans, 40);
    db_edge(&query_shop.db, 0, query_shop.web, EDGE_ORPHAN, 4);
    db_fixture_sql(&query_shop.db,
                   "INSERT INTO counter VALUES ('rejected', 3), "
                   "('spans', 77), ('clamped', 1)");
    query_end(query_shop.view);
    query_shop_begin(FIXTURE_NOW_S);
    told = (struct told){0};
    assert_int_equal(query_counters(query_shop.view, tell, &told), OK);
    assert_int_equal(told.len, 10);
    assert_int_equal(told.spans, 77);
    assert_int_equal(told.orphans, 4);
    assert_int_equal(told.rejected, 3);
    assert_int_equal(told.extra, 1);
}

static void
reasons_name_the_scope(void **state)
{
    uint32_t scope = db_node(&query_shop.db, NODE_SCOPE, 0, "otel.kafka", "");
    struct query_reasons reasons;

    (void)state;
    db_edge(&query_shop.db, scope, query_shop.stock, EDGE_ORPHAN, 4);
    db_edge(&query_shop.db, scope, query_shop.stock, EDGE_SEEN_BY, 12);
    query_end(query_shop.view);
    query_shop_begin(FIXTURE_NOW_S);
    assert_int_equal(query_explain(query_shop.view, query_shop.stock, &reasons),
                     OK);
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
        pthread_create(&threads[i], NULL, ask_often, query_shop.query);
    for (uint32_t i = 0; i < 20; i++)
        db_edge(&query_shop.db, query_shop.pay, query_shop.web, EDGE_CALL, 5);
    for (size_t i = 0; i < 8; i++) {
        pthread_join(threads[i], &failed);
        assert_null(failed);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        QUERY_SHOP(nodes_are_found_by_name_prefix_and_hash),
        QUERY_SHOP(the_nearest_name_is_the_one_mistyped),
        QUERY_SHOP(totals_class_edges_by_age),
        QUERY_SHOP(an_edge_between_two_of_the_services_counts_once),
        QUERY_SHOP(counters_are_always_all_there),
        QUERY_SHOP(reasons_name_the_scope),
        QUERY_SHOP(many_threads_share_few_connections),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
