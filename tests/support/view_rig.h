/*
 * view_rig - a store made row by row, and what the web page asks of it.
 *
 * Threads    None.
 */
#ifndef TESTS_SUPPORT_VIEW_RIG_H
#define TESTS_SUPPORT_VIEW_RIG_H

#include <stdbool.h>

#include <cjson/cJSON.h>

#include "base/buf.h"
#include "base/err.h"
#include "graph/query.h"
#include "graph/world.h"
#include "tests/support/db_fixture.h"

struct view_rig {
    struct db_fixture db;
    struct query *query;
    struct world *world;
};

/* The one of the test that runs; its db is opened by the test. */
extern struct view_rig view_rig;

void view_rig_open(bool with_code);
void view_rig_close(void);
/* a -> b -> c -> d -> e, and z -> e: each seen yesterday and today. */
void view_rig_chain(void);

enum err view_rig_try(const char *path, const char *query, struct buf *out,
                      struct buf *why);
/* view_rig_get asks what must succeed; the caller deletes the answer. */
cJSON *view_rig_get(const char *path, const char *query);
/* view_rig_refused asks what must fail with a message that holds |says|. */
void view_rig_refused(enum err expected, const char *path, const char *query,
                      const char *says);

/* The node called |key|; NULL if it is not shown. */
const cJSON *view_rig_node(const cJSON *json, const char *key);
/* The edge between two, as `evidence count`; "" if it is not shown. */
const char *
view_rig_edge(const cJSON *json, const char *source, const char *target);

#endif
