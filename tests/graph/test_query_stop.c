/*
 * Questions that nobody waits for end, wherever they are, and leave the view as
 * good as it was.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "graph/audit.h"
#include "graph/communities.h"
#include "graph/query_edges.h"
#include "graph/query_stats.h"
#include "graph/query_stop.h"
#include "graph/world.h"
#include "tests/support/query_shop.h"

enum { MANY = 30000 };

static int looks;
static int over_at; /* the look that says so; 0: none */

static bool
is_over(void *ctx)
{
    (void)ctx;
    looks++;
    return over_at && looks >= over_at;
}

/* So many that the database is at work for more than a look. */
static void
add_edges(void)
{
    db_fixture_sql(
        &query_shop.db,
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE "
        "i < %d) INSERT INTO edge SELECT 1000 + i, %u, 1000 + i, %d, 1, 1024, "
        "1, 0, 5, 6, 0, NULL FROM n",
        MANY, query_shop.web, EDGE_CALL);
    query_end(query_shop.view);
    query_shop_begin(FIXTURE_NOW_S);
}

static enum err
ask_until(int at)
{
    struct query_filter filter = {.level = LEVEL_SYMBOL};
    struct query_edges edges;

    looks = 0;
    over_at = at;
    enum err err = query_edges(query_shop.view, &filter, &edges);
    query_edges_fini(&edges);
    return err;
}

static void
a_walk_ends_at_each_look(void **state)
{
    (void)state;
    add_edges();
    query_stop_when(query_shop.view, (struct query_stop){is_over, NULL});
    assert_int_equal(ask_until(0), OK);
    int all = looks;
    assert_true(all > 10);
    for (int at = 1; at <= all; at++) {
        assert_int_equal(ask_until(at), ERR_CANCELLED);
        assert_int_equal(looks, at);
    }
    assert_int_equal(ask_until(0), OK);
    query_end(query_shop.view);
    query_shop_begin(FIXTURE_NOW_S);
    assert_int_equal(ask_until(1), OK); /* nothing is in force any more */
    assert_int_equal(looks, 0);
}

static void
what_was_in_force_is_given_back(void **state)
{
    const struct query_stop stop = {is_over, &looks};

    (void)state;
    over_at = 1;
    assert_null(query_stop_when(query_shop.view, stop).is_over);
    assert_int_equal(query_check(query_shop.view), ERR_CANCELLED);
    struct query_stop was =
        query_stop_when(query_shop.view, (struct query_stop){0});
    assert_true(was.is_over == is_over && was.ctx == &looks);
    assert_int_equal(query_check(query_shop.view), OK);
}

/* Totals that were cut short are not kept for others. */
static void
half_a_count_is_not_kept(void **state)
{
    struct query_stats stats;

    (void)state;
    add_edges();
    query_stop_when(query_shop.view, (struct query_stop){is_over, NULL});
    looks = 0;
    over_at = 3;
    assert_int_equal(query_stats(query_shop.view, NULL, &stats), ERR_CANCELLED);
    over_at = 0;
    assert_int_equal(query_stats(query_shop.view, NULL, &stats), OK);
    assert_true(stats.edges >= MANY);
}

/* The joined graph is for all, so whoever asks first does not end it. */
static void
the_joined_graph_is_made_though_its_asker_has_gone(void **state)
{
    struct world *world;
    const struct joined *joined;
    struct buf why = {0};

    (void)state;
    add_edges();
    query_stop_when(query_shop.view, (struct query_stop){is_over, NULL});
    looks = 0;
    over_at = 1;
    assert_int_equal(world_open(&world, query_shop.db.dir), OK);
    assert_int_equal(world_hold(world, query_shop.view, &joined, &why), OK);
    assert_int_equal(looks, 0);
    assert_int_equal(query_check(query_shop.view), ERR_CANCELLED);
    world_drop(joined);
    world_close(world);
    buf_fini(&why);
}

/* A chain, of which each service calls the next, and a declared route of each.
 */
static const struct joined *
add_chain(struct world **world)
{
    const struct joined *joined;
    struct buf why = {0};

    db_fixture_sql(
        &query_shop.db,
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE "
        "i < %d) INSERT INTO node SELECT 1000 + i, %d, 0, 's' || i, '', 0, 0, "
        "zeroblob(32), 5 FROM n",
        MANY, NODE_SERVICE);
    db_fixture_sql(
        &query_shop.db,
        "INSERT INTO edge SELECT id, id, id + 1, %d, 1, 1024, 1, 0, %u, %u, 0, "
        "NULL FROM node WHERE id > 1000 AND id < 1000 + %d",
        EDGE_CALL, FIXTURE_NOW_S - 9, FIXTURE_NOW_S - 5, MANY);
    query_end(query_shop.view);
    query_shop_begin(FIXTURE_NOW_S);
    assert_int_equal(world_open(world, query_shop.db.dir), OK);
    assert_int_equal(world_hold(*world, query_shop.view, &joined, &why), OK);
    buf_fini(&why);
    return joined;
}

static enum err
walk_chain(const struct joined *joined)
{
    uint32_t from = joined_place(joined, 1001);
    const struct joined_ask ask = {.from = &from,
                                   .from_len = 1,
                                   .max_depth = UINT32_MAX,
                                   .view = query_shop.view};
    struct joined_walk walk;
    enum err err = joined_reach(joined, &ask, &walk);

    if (!err)
        assert_int_equal(walk.len, MANY);
    joined_walk_fini(&walk);
    return err;
}

static enum err
group_chain(const struct joined *joined)
{
    const struct communities_ask ask = {.evidence = 0};
    struct communities found;
    enum err err = communities_make(joined, query_shop.view, &ask, &found);

    if (!err)
        assert_true(found.member_len >= MANY);
    communities_fini(&found);
    return err;
}

/* Neither reads the store. */
static void
work_in_memory_ends_at_each_look(void **state)
{
    enum err (*const works[])(const struct joined *) = {walk_chain,
                                                        group_chain};
    struct world *world;
    const struct joined *joined = add_chain(&world);

    (void)state;
    query_stop_when(query_shop.view, (struct query_stop){is_over, NULL});
    for (size_t i = 0; i < sizeof(works) / sizeof(works[0]); i++) {
        looks = over_at = 0;
        assert_int_equal(works[i](joined), OK);
        int all = looks;
        assert_true(all >= MANY / QUERY_CHECK_EVERY);
        for (over_at = 1; over_at <= all; over_at += 1 + all / 20) {
            looks = 0;
            assert_int_equal(works[i](joined), ERR_CANCELLED);
            assert_int_equal(looks, over_at);
        }
    }
    world_drop(joined);
    world_close(world);
}

static enum err
audit_of(const char *env)
{
    struct audit_cfg cfg = audit_cfg_default;
    struct audit found;

    cfg.env = str_of(env);
    looks = 0;
    enum err err = audit_run(query_shop.view, &cfg, &found);
    audit_fini(&found);
    return err;
}

static void
declare_many(void)
{
    for (int i = 0; i < 3 * QUERY_CHECK_EVERY; i++) {
        char pattern[32];

        snprintf(pattern, sizeof(pattern), "/r%d", i);
        db_declare(&query_shop.db, query_shop.web, "GET", pattern, 5);
    }
    query_end(query_shop.view);
    query_shop_begin(FIXTURE_NOW_S);
    query_stop_when(query_shop.view, (struct query_stop){is_over, NULL});
}

/* Of the looks at many routes each one ends it, the last ones in memory. */
static void
an_audit_ends_at_each_look(void **state)
{
    (void)state;
    declare_many();
    over_at = 0;
    assert_int_equal(audit_of(""), OK);
    int all = looks;
    assert_true(all >= 2 * 3);
    for (int at = 1; at <= all; at++) {
        over_at = at;
        assert_int_equal(audit_of(""), ERR_CANCELLED);
        assert_int_equal(looks, at);
    }
}

/* Passing over what is not asked for takes its time, too. */
static void
an_audit_looks_also_at_what_it_passes_over(void **state)
{
    (void)state;
    declare_many();
    over_at = 0;
    assert_int_equal(audit_of("nowhere"), OK);
    assert_true(looks >= 2 * 3);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        QUERY_SHOP(a_walk_ends_at_each_look),
        QUERY_SHOP(what_was_in_force_is_given_back),
        QUERY_SHOP(half_a_count_is_not_kept),
        QUERY_SHOP(the_joined_graph_is_made_though_its_asker_has_gone),
        QUERY_SHOP(work_in_memory_ends_at_each_look),
        QUERY_SHOP(an_audit_ends_at_each_look),
        QUERY_SHOP(an_audit_looks_also_at_what_it_passes_over),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
