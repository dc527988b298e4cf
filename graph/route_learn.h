/*
 * route_learn - which positions of a service's paths hold values (rule 6).
 *
 * Paths of one service, method and depth are put into a trie.  A position with
 * more than LEARN_VALUES different words, in paths that agree in at least half
 * of their segments, holds a value: it becomes `{}`, for those that came and
 * for those to come.  Where the words are more likely names than values, at the
 * front or behind `api`, `v1` and the like, it takes LEARN_NAMES of them.
 *
 * Memory     Bounded; when it is used up nothing new is learnt, and what was
 *            learnt is still applied.  It starts anew from the node table.
 * Threads    Any; one at a time gets in.
 */
#ifndef GRAPH_ROUTE_LEARN_H
#define GRAPH_ROUTE_LEARN_H

#include "base/buf.h"
#include "base/err.h"
#include "graph/nodes.h"

enum { LEARN_VALUES = 5, LEARN_NAMES = 50 };

struct route_learn;

/* route_learn_new returns NULL when memory is short. */
struct route_learn *route_learn_new(struct nodes *nodes);
void route_learn_free(struct route_learn *learn);

/* route_learn_template: see routes_template. */
void route_learn_template(struct route_learn *learn, uint32_t service,
                          str method, str pattern, struct buf *out);

#endif
