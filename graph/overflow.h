/*
 * overflow - what the overflow nodes stand for, kept and counted.
 *
 * The storage behind graph/nodes.c, and nobody else's business: one estimate
 * for each overflow node in use, and which of them have changed since they
 * were last saved.
 *
 * Memory     17 KiB a node in use, until overflow_fini.
 * Threads    Any thread counts.  overflow_each and what follows it: the graph
 *            thread.
 */
#ifndef GRAPH_OVERFLOW_H
#define GRAPH_OVERFLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "graph/node_index.h"
#include "graph/nodes.h"

struct overflow_node;

struct overflow {
    struct overflow_node *_Atomic first; /* newest first; they never go */
    uint32_t given;                      /* by overflow_each, not yet settled */
};

void overflow_fini(struct overflow *all);

/* overflow_count counts |key| for overflow node |id|, whose record that is.
 * Without memory for that it is not counted. */
void overflow_count(struct overflow *all, struct node_record *record,
                    uint32_t id, const struct node_key *key);

/* overflow_load puts back what was saved of node |id|, before others count:
 * ERR_CORRUPT, ERR_NOMEM, and nothing is known of it. */
enum err overflow_load(struct overflow *all, struct node_record *record,
                       uint32_t id, str saved);

/* overflow_estimate is how many distinct keys were counted; 0: none. */
uint64_t overflow_estimate(const struct node_record *record);

/* overflow_each gives those that changed; overflow_settle says whether they
 * are saved now, or are to be given again. */
enum err overflow_each(struct overflow *all, nodes_overflow_fn *fn, void *ctx);
void overflow_settle(struct overflow *all, bool saved);

#endif
