/*
 * rank - which places of the joined graph matter, given where one stands.
 *
 * A random walk with restart: at each step it goes back to the seeds with
 * probability |restart|, else along one of the arcs of where it is, in either
 * direction, chosen by weight.  The weight of an arc is that of its type times
 * its confidence; of an observed one it grows with the logarithm of its calls
 * and halves every RANK_HALF_LIFE_S since the last.  What is near the seeds and
 * busy has the highest share.
 *
 * Cost       O(rounds * arcs); two doubles a place, one float an arc and
 *            direction.
 * Bound      Each round brings the shares nearer to their limit by the factor
 *            1 - restart; it ends when they moved by less than |epsilon|
 *            together, at the latest after |rounds|.
 * Order      The same graph and seeds give the same bits.
 * Threads    Any; nothing is changed.
 */
#ifndef GRAPH_RANK_H
#define GRAPH_RANK_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "graph/joined.h"

#define RANK_HALF_LIFE_S (UINT32_C(14) * 86400)

struct rank_seed {
    uint32_t place;
    double weight; /* > 0; relative to the others */
};

struct rank_cfg {
    double restart;   /* 0 < restart <= 1 */
    double epsilon;   /* > 0 */
    uint32_t rounds;  /* at most */
    uint32_t now_s;   /* for the age of what was observed */
    uint8_t evidence; /* enum joined_evidence; 0: both */
};
extern const struct rank_cfg rank_cfg_default;

/* rank_arc_weight is how much |arc| draws; 0: it does not count. */
double
rank_arc_weight(const struct joined_arc *arc, uint32_t now_s, uint8_t evidence);

/*
 * rank_walk gives the share of each place, an array of joined->place_len that
 * the caller frees; shares sum to 1.  |rounds| (may be NULL) is how many it
 * took.  ERR_NOMEM; ERR_INVALID: there is no seed that is a place.
 */
enum err rank_walk(const struct joined *joined, const struct rank_seed *seeds,
                   size_t len, const struct rank_cfg *cfg, double **out,
                   uint32_t *rounds);

#endif
