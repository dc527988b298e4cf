/*
 * join_rig - a service, its code and what was observed of it, for tests of
 * graph/join.
 *
 * Threads    None: there is one.
 */
#ifndef TESTS_SUPPORT_JOIN_RIG_H
#define TESTS_SUPPORT_JOIN_RIG_H

#include "graph/join.h"
#include "tests/support/code_fixture.h"
#include "tests/support/db_fixture.h"

extern struct join_rig {
    struct db_fixture db;
    struct code_fixture fixture;
    const struct code *code;
    struct query *query;
    struct query_view *view;
    struct join *join;
    uint32_t shop; /* service, of the folder shop/ */
    uint32_t app;  /* shop/app.py */
    uint32_t lib;  /* other/app.py */
} join_rig;

/* join_rig_open and join_rig_close are set up and teardown of cmocka. */
int join_rig_open(void **state);
int join_rig_close(void **state);

uint32_t join_rig_function(uint32_t file, const char *name);
/* join_rig_route adds a route of shop/app.py. */
void join_rig_route(const char *method, const char *path, const char *handler,
                    uint32_t flags);

/* join_rig_make joins what was added until now. */
void join_rig_make(void);

/* join_rig_expect: observed |node| is the function |handler|, NULL: none. */
void join_rig_expect(uint32_t node, enum join_how how, const char *handler);

#endif
