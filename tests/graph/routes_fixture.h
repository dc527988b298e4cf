/*
 * routes_fixture - what the tests of the routes share.
 */
#ifndef TESTS_GRAPH_ROUTES_FIXTURE_H
#define TESTS_GRAPH_ROUTES_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/routes.h"

#define NONE ((str){NULL, 0})

struct fixture {
    struct nodes *nodes;
    struct routes *routes;
    uint32_t service;
};

static inline int
set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    struct nodes_cfg cfg = {
        .max_nodes = 1000000, .max_routes = 3000, .max_symbols = 3000};

    assert_int_equal(nodes_new(&f->nodes, cfg), OK);
    assert_int_equal(routes_new(&f->routes, f->nodes), OK);
    f->service = nodes_intern(f->nodes, NODE_SERVICE, 0, STR("a"), NONE);
    *state = f;
    return 0;
}

static inline int
tear_down(void **state)
{
    struct fixture *f = *state;

    routes_free(f->routes);
    nodes_free(f->nodes);
    free(f);
    return 0;
}

static inline void
declare(struct fixture *f, const char *method, const char *pattern)
{
    assert_int_equal(
        routes_declare(f->routes, f->service, str_of(method), str_of(pattern)),
        OK);
}

static inline void
check_match(struct fixture *f, const char *method, const char *path,
            const char *want)
{
    struct buf out = {0};
    bool found =
        routes_match(f->routes, f->service, str_of(method), str_of(path), &out);

    if (found != (want != NULL) ||
        (found && want && strcmp(buf_cstr(&out), want) != 0))
        fail_msg("%s %s is %s, not %s", method, path,
                 found ? buf_cstr(&out) : "nothing", want ? want : "nothing");
    buf_fini(&out);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif
