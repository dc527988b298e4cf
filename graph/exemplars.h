/*
 * exemplars - a few of the traces that edges were observed in: of each edge one
 * a minute, and one that failed.
 *
 *     exemplars_note ...  observation by observation
 *     edges_take          asks for those of each edge: exemplars_find
 *     exemplars_end_take  what was found is not found again
 *
 * Those of a minute are all that is held; until it is taken, the latest by the
 * time of spans.  An observation that is taken back before that takes its trace
 * along, and the next one has its place; what is taken back later leaves the
 * trace where it was.
 *
 * Bound      EXEMPLARS_MAX a minute, 5 MiB once they were that many.  Whatever
 *            comes beyond has none in this minute.
 * Threads    The graph thread only.
 */
#ifndef GRAPH_EXEMPLARS_H
#define GRAPH_EXEMPLARS_H

#include <stdint.h>

#include "model/edge.h"

enum { EXEMPLARS_MAX = 65536 };

struct exemplars;

/* exemplars_new: NULL without memory. */
struct exemplars *exemplars_new(void);
void exemplars_free(struct exemplars *exemplars);

/* exemplars_note takes a look at |obs|, of one span or less one, observed in
 * the trace of those two words. */
void exemplars_note(struct exemplars *exemplars, const struct edge_obs *obs,
                    uint64_t trace_hi, uint64_t trace_lo);

/* exemplars_find gives those of |key| since the last take and returns how many
 * they are. */
uint32_t exemplars_find(const struct exemplars *exemplars, struct edge_key key,
                        struct exemplar out[EXEMPLARS_EDGE_MAX]);

/* exemplars_end_take also begins the minute of |now_s|, if it is another. */
void exemplars_end_take(struct exemplars *exemplars, uint32_t now_s);

#endif
