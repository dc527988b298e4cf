/*
 * edges_rig - edges, the nodes they are between and the store they are written
 * to, for tests of what is in it after all that can happen.
 *
 * Threads    None.
 */
#ifndef TESTS_SUPPORT_EDGES_RIG_H
#define TESTS_SUPPORT_EDGES_RIG_H

#include <stdint.h>

#include "base/clock.h"
#include "graph/edge_writer.h"
#include "graph/edges.h"
#include "graph/nodes.h"
#include "graph/sketch.h"
#include "store/store.h"

#define RIG_HOUR UINT32_C(472222)
#define RIG_AT   (RIG_HOUR * S_PER_H) /* the begin of an hour, not of a day */

enum { RIG_PART = 3 }; /* edges of a part that is taken */

struct edges_rig {
    struct nodes *nodes;
    struct store *store;
    struct edges *edges;
    struct edge_writer *writer;
    struct edge_parts taken; /* and those before |taken_at| are stored */
    uint32_t taken_at;
    uint32_t service[8];
    uint32_t route[8]; /* of each service */
};

/* The one of the test that runs, its set-up and its tear-down. */
extern struct edges_rig rig;
int edges_rig_setup(void **state);
int edges_rig_teardown(void **state);
#define EDGES_RIG(test) \
    cmocka_unit_test_setup_teardown(test, edges_rig_setup, edges_rig_teardown)

extern const struct edges_window rig_keep_all;

/* rig_obs is |count| calls of weight 3, and rig_add adds an observation. */
struct edge_obs rig_obs(uint32_t src, uint32_t dst, int count, uint32_t at_s);
void rig_add(struct edge_obs obs);

/* rig_try stores what was taken, as far as the disk lets it; rig_flush_in
 * stores that and all there is, and must succeed; rig_flush keeps all. */
enum err rig_try(struct edges_window window);
void rig_flush_in(struct edges_window window);
void rig_flush(void);

/* rig_reopen is a restart. */
void rig_reopen(uint32_t max_edges);

/* rig_sketch reads the durations that are stored of an edge and a day. */
void rig_sketch(struct sketch *out, uint32_t edge, uint32_t day);

#endif
