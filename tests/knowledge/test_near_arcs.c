/*
 * The arcs of a service are the same whether its own edges were read, as those
 * of the first services that are asked for, or all.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "graph/world.h"
#include "knowledge/near.h"
#include "tests/support/db_fixture.h"

enum { SERVICES = 20 };

static struct {
    struct db_fixture db;
    struct query *query;
    struct query_view *view;
    struct world *world;
    const struct joined *joined;
    struct moment moment;
    struct buf why;
    uint32_t services[SERVICES];
} it;

/* Each calls the next and the one three on, as a whole and a route of it; some
 * ask a database and write to a topic that others read. */
static void
fill(void)
{
    uint32_t routes[SERVICES];
    char name[16];
    uint32_t base = db_node(&it.db, NODE_DATABASE, 0, "pg:5432", "");
    uint32_t topic = db_node(&it.db, NODE_TOPIC, 0, "kafka:orders", "");

    for (uint32_t i = 0; i < SERVICES; i++) {
        snprintf(name, sizeof(name), "s%02u", i);
        it.services[i] = db_service(&it.db, name);
        routes[i] = db_route(&it.db, it.services[i], "GET /x");
    }
    for (uint32_t i = 0; i < SERVICES; i++) {
        uint32_t self = it.services[i];

        db_edge(&it.db, self, it.services[(i + 1) % SERVICES], EDGE_CALL, i);
        db_edge(&it.db, routes[i], routes[(i + 3) % SERVICES], EDGE_CALL, 7);
        if (i % 2)
            db_edge(&it.db, routes[i], base, EDGE_DB, 2);
        if (i % 3 == 0)
            db_edge(&it.db, routes[i], topic, EDGE_MSG_PUB, 4);
    }
}

static int
setup(void **state)
{
    (void)state;
    memset(&it, 0, sizeof(it));
    db_fixture_open(&it.db);
    fill();
    assert_int_equal(
        query_open(&it.query, it.db.dir, &query_cfg_default, &it.why), OK);
    assert_int_equal(query_begin(it.query, FIXTURE_NOW_S, &it.view), OK);
    assert_int_equal(world_open(&it.world, it.db.dir), OK);
    assert_int_equal(world_hold(it.world, it.view, &it.joined, &it.why), OK);
    it.moment = (struct moment){.view = it.view,
                                .joined = it.joined,
                                .now_s = FIXTURE_NOW_S,
                                .why = &it.why};
    return 0;
}

static int
teardown(void **state)
{
    (void)state;
    world_drop(it.joined);
    world_close(it.world);
    query_end(it.view);
    query_close(it.query);
    db_fixture_close(&it.db);
    buf_fini(&it.why);
    return 0;
}

static void
read_arcs(struct near *near, uint32_t service, enum near_way way,
          struct near_arcs *out)
{
    const struct object object = {.node = service, .world = WORLD_RUNTIME};
    struct near_types types;

    *out = (struct near_arcs){0};
    assert_int_equal(near_types_of(&it.moment, NULL, &types), OK);
    assert_int_equal(
        near_arcs_of(near, near_spot_of(&object), way, &types, out), OK);
}

static void
assert_same_arcs(const struct near_arcs *a, const struct near_arcs *b)
{
    assert_int_equal(a->len, b->len);
    for (size_t i = 0; i < a->len; i++) {
        assert_true(a->items[i].spot == b->items[i].spot);
        assert_string_equal(a->items[i].type, b->items[i].type);
        assert_true(a->items[i].is_out == b->items[i].is_out);
        assert_true(a->items[i].count == b->items[i].count);
        assert_true(a->items[i].errors == b->items[i].errors);
        assert_int_equal(a->items[i].last_s, b->items[i].last_s);
    }
}

static void
a_service_has_the_same_arcs_read_alone_and_with_all(void **state)
{
    static const enum near_way ways[] = {NEAR_OUT, NEAR_IN, NEAR_BOTH};
    struct near *with_all;
    struct near_arcs alone, among;
    size_t met = 0;

    (void)state;
    assert_int_equal(near_open(&with_all, &it.moment), OK);
    for (uint32_t i = 0; i < SERVICES; i++) {
        read_arcs(with_all, it.services[i], NEAR_BOTH, &among);
        near_arcs_fini(&among);
    }
    for (uint32_t i = 0; i < SERVICES * 3; i++) {
        struct near *own;

        assert_int_equal(near_open(&own, &it.moment), OK);
        read_arcs(own, it.services[i / 3], ways[i % 3], &alone);
        read_arcs(with_all, it.services[i / 3], ways[i % 3], &among);
        assert_same_arcs(&alone, &among);
        met += alone.len;
        near_arcs_fini(&alone);
        near_arcs_fini(&among);
        near_close(own);
    }
    assert_true(met > 5 * SERVICES * 2);
    near_close(with_all);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            a_service_has_the_same_arcs_read_alone_and_with_all, setup,
            teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
