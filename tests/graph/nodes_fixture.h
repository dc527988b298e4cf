/*
 * nodes_fixture - what the tests of the node table share.
 */
#ifndef TESTS_GRAPH_NODES_FIXTURE_H
#define TESTS_GRAPH_NODES_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/nodes.h"

#define NONE ((str){NULL, 0})

static inline struct nodes *
new_nodes(uint32_t max_nodes, uint32_t max_routes)
{
    struct nodes *nodes;
    struct nodes_cfg cfg = {.max_nodes = max_nodes,
                            .max_routes = max_routes,
                            .max_symbols = max_routes};

    assert_int_equal(nodes_new(&nodes, cfg), OK);
    return nodes;
}

static inline uint32_t
service(struct nodes *nodes, const char *name)
{
    return nodes_intern(nodes, NODE_SERVICE, 0, str_of(name), NONE);
}

static inline uint32_t
route(struct nodes *nodes, uint32_t owner, const char *name,
      enum route_source source)
{
    return nodes_intern_route(nodes, owner, str_of(name), source);
}

static inline void
assert_name(const struct nodes *nodes, uint32_t id, const char *want)
{
    struct node node = nodes_get(nodes, id);

    assert_true(str_eq(node.name, str_of(want)));
}

#define TEST(name) cmocka_unit_test(name)

#endif
