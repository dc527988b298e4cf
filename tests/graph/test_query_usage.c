/*
 * What is read of some nodes is what is read of all: of stores drawn at random,
 * the traffic and the verdicts of a few against those of everything.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "graph/audit.h"
#include "graph/query.h"
#include "graph/query_edges.h"
#include "tests/support/db_fixture.h"
#include "tests/support/size.h"

enum {
    TODAY = FIXTURE_DAY,
    SERVICES = 6,
    ROUTES = 8,
    NODES = 200,
    RECENT_S = FIXTURE_NOW_S - 30 * S_PER_DAY,
};

static struct {
    struct db_fixture db;
    struct query *query;
    struct query_view *view;
    struct buf why;
    uint64_t state;
    uint32_t nodes[NODES];
    uint32_t len;
} it;

static uint32_t
draw(uint32_t below)
{
    it.state ^= it.state << 13;
    it.state ^= it.state >> 7;
    it.state ^= it.state << 17;
    return (uint32_t)(it.state >> 32) % below;
}

static void
add_edge(uint32_t src, uint32_t dst, enum edge_kind kind)
{
    uint32_t last = TODAY - draw(80);
    uint32_t first = last - draw(30);
    uint32_t edge = db_edge(&it.db, src, dst, kind, 1);

    db_daily(&it.db, edge, first, last, 1 + draw(9), draw(2));
    db_times(&it.db, edge, first * S_PER_DAY, last * S_PER_DAY + draw(3600));
}

static void
make_service(uint32_t i)
{
    /* Two and two have one name, in two environments. */
    char name[32], path[32];
    (void)snprintf(name, sizeof(name), "svc%u", i / 2);
    uint32_t service = db_node(&it.db, NODE_SERVICE, 0, name, i % 2 ? "b" : "");

    it.nodes[it.len++] = service;
    if (draw(4))
        add_edge(0, service, EDGE_SEEN);
    for (uint32_t k = 0; k < ROUTES; k++) {
        (void)snprintf(path, sizeof(path), "%s /r%u", k % 2 ? "GET" : "POST",
                       k);
        uint32_t route = db_route(&it.db, service, path);

        it.nodes[it.len++] = route;
        if (draw(3))
            add_edge(0, route, draw(5) ? EDGE_TRAFFIC : EDGE_DENIED);
        if (draw(4) == 0)
            add_edge(0, route, EDGE_SYNTHETIC);
        if (draw(3) == 0)
            db_declare(&it.db, service, k % 2 ? "GET" : "POST",
                       strchr(path, '/'), RECENT_S - draw(S_PER_DAY));
    }
    db_declare(&it.db, service, "GET", "/never", RECENT_S);
    it.nodes[it.len++] =
        db_node(&it.db, NODE_SYMBOL, service, "pkg.Handle", "");
}

static void
open_world(uint64_t seed)
{
    memset(&it, 0, sizeof(it));
    it.state = seed * 0x9e3779b97f4a7c15 + 1;
    db_fixture_open(&it.db);
    for (uint32_t i = 0; i < SERVICES; i++)
        make_service(i);
    it.nodes[it.len++] = db_node(&it.db, NODE_DATABASE, 0, "orders", "");
    it.nodes[it.len++] = db_node(&it.db, NODE_EXTERNAL, 0, "api.x", "");
    /* Sometimes so many that few nodes are looked up one by one. */
    for (uint32_t i = draw(2) ? 600 : 60; i > 0; i--)
        add_edge(it.nodes[draw(it.len)], it.nodes[draw(it.len)],
                 draw(4) ? EDGE_CALL : EDGE_DB);
    assert_int_equal(
        query_open(&it.query, it.db.dir, &query_cfg_default, &it.why), OK);
    assert_int_equal(query_begin(it.query, FIXTURE_NOW_S, &it.view), OK);
}

static void
close_world(void)
{
    query_end(it.view);
    query_close(it.query);
    db_fixture_close(&it.db);
    buf_fini(&it.why);
}

/* What query_edges says of |node|. */
static void
expect(uint32_t node, uint32_t *last_s, int64_t *calls)
{
    bool is_service = query_node(it.view, node)->kind == NODE_SERVICE;
    struct query_filter filter = {.level = is_service ? LEVEL_SERVICE
                                                      : LEVEL_ENDPOINT};

    *last_s = 0;
    *calls = 0;
    for (int pass = 0; pass < 2; pass++) {
        struct query_edges edges;

        filter.since_s = pass ? RECENT_S : 0;
        assert_int_equal(query_edges(it.view, &filter, &edges), OK);
        for (size_t i = 0; i < edges.len; i++) {
            const struct query_edge *edge = &edges.rows[i];

            if (pass && edge->target == node)
                *calls += edge->count;
            if (!pass && (edge->target == node || edge->source == node) &&
                edge->last_s > *last_s)
                *last_s = edge->last_s;
        }
        query_edges_fini(&edges);
    }
}

static void
read_usage(const struct ids *nodes, uint32_t *last_s, int64_t *calls)
{
    const struct query_usage ask = {
        .nodes = nodes, .last_s = last_s, .calls = calls, .since_s = RECENT_S};

    memset(last_s, 0, NODES * sizeof(*last_s));
    memset(calls, 0, NODES * sizeof(*calls));
    assert_true(query_node_last(it.view) < NODES);
    assert_int_equal(query_usage(it.view, &ask), OK);
}

static void
usage_of_some_nodes_is_what_edges_say_of_them(void **state)
{
    uint32_t all_last[NODES], last[NODES];
    int64_t all_calls[NODES], calls[NODES];
    const struct seeds seeds = size_seeds(6, 100, 500);

    (void)state;
    for (uint64_t seed = seeds.first; seed <= seeds.last; seed++) {
        open_world(seed);
        read_usage(NULL, all_last, all_calls);
        for (uint32_t i = 0; i < it.len; i++) {
            uint32_t node = it.nodes[i];
            uint32_t want_last;
            int64_t want_calls;

            if (query_node(it.view, node)->kind == NODE_SYMBOL)
                continue; /* counts for its service */
            expect(node, &want_last, &want_calls);
            assert_int_equal(all_last[node], want_last);
            assert_int_equal(all_calls[node], want_calls);
        }
        for (uint32_t len = 0; len < 12; len++) {
            struct ids some = {0};

            for (uint32_t i = 0; i < len; i++)
                assert_int_equal(ids_add(&some, it.nodes[draw(it.len)]), OK);
            read_usage(&some, last, calls);
            for (uint32_t id = 1; id < NODES; id++) {
                bool is_asked = ids_has(&some, id);

                assert_int_equal(last[id], is_asked ? all_last[id] : 0);
                assert_int_equal(calls[id], is_asked ? all_calls[id] : 0);
            }
            ids_fini(&some);
        }
        close_world();
    }
}

static const struct audit_route *
find(const struct audit *audit, const struct audit_route *route)
{
    for (size_t i = 0; i < audit->len; i++)
        if (audit->routes[i].service == route->service &&
            audit->routes[i].node == route->node &&
            audit->routes[i].created_s == route->created_s &&
            str_eq(audit->routes[i].method, route->method) &&
            str_eq(audit->routes[i].pattern, route->pattern))
            return &audit->routes[i];
    return NULL;
}

static void
assert_same(const struct audit_route *a, const struct audit_route *b)
{
    struct audit_route x = *a;
    struct audit_route y = *b;

    /* Their names lie elsewhere. */
    x.method = y.method = x.pattern = y.pattern = (str){0};
    assert_memory_equal(&x, &y, sizeof(x));
}

static size_t
count_asked(const struct audit *all, const struct audit_cfg *cfg)
{
    size_t len = 0;

    for (size_t i = 0; i < all->len; i++)
        len += ids_has(cfg->services, all->routes[i].service) &&
               (!cfg->nodes || ids_has(cfg->nodes, all->routes[i].node));
    return len;
}

static void
verdicts_of_some_services_are_those_of_all(void **state)
{
    const struct seeds seeds = size_seeds(6, 100, 500);

    (void)state;
    for (uint64_t seed = seeds.first; seed <= seeds.last; seed++) {
        struct audit all;

        open_world(seed);
        assert_int_equal(audit_run(it.view, &audit_cfg_default, &all), OK);
        assert_true(all.len > SERVICES);
        for (int round = 0; round < 12; round++) {
            struct audit_cfg cfg = audit_cfg_default;
            struct ids services = {0};
            struct ids nodes = {0};
            struct audit some;

            for (uint32_t i = 0; i <= draw(3); i++) {
                const struct audit_route *route =
                    &all.routes[draw((uint32_t)all.len)];
                assert_int_equal(ids_add(&services, route->service), OK);
                assert_int_equal(ids_add(&nodes, route->node), OK);
            }
            cfg.services = &services;
            cfg.nodes = round % 2 ? &nodes : NULL;
            assert_int_equal(audit_run(it.view, &cfg, &some), OK);
            assert_int_equal(some.len, count_asked(&all, &cfg));
            for (size_t i = 0; i < some.len; i++) {
                const struct audit_route *same = find(&all, &some.routes[i]);
                assert_non_null(same);
                assert_same(same, &some.routes[i]);
            }
            audit_fini(&some);
            ids_fini(&services);
            ids_fini(&nodes);
        }
        audit_fini(&all);
        close_world();
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(usage_of_some_nodes_is_what_edges_say_of_them),
        cmocka_unit_test(verdicts_of_some_services_are_those_of_all),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
