/*
 * search_world - code that says something, a document, rules and traffic about
 * them, for tests of what search finds over all of it.
 *
 * Threads    None.
 */
#ifndef TESTS_SUPPORT_SEARCH_WORLD_H
#define TESTS_SUPPORT_SEARCH_WORLD_H

#include <stdint.h>

#include "base/buf.h"
#include "graph/query.h"
#include "graph/world.h"
#include "knowledge/knowledge.h"
#include "knowledge/search.h"
#include "tests/support/db_fixture.h"

struct search_world {
    struct db_fixture db;
    struct query *query;
    struct query_view *view;
    struct world *world;
    struct knowledge *knowledge;
    struct moment moment;
    struct near *near;
    struct search_hits hits;
    struct buf why;
    char docs[64];
    int64_t old;
};

/* The one of all tests, its set-up and its tear-down. */
extern struct search_world search_world;
int search_world_setup(void **state);
int search_world_teardown(void **state);

#endif
