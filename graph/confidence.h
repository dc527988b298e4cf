/*
 * confidence - how far an observed edge can be relied on now.
 *
 * From what was seen in the last seven days, not ever: a call after a year of
 * silence does not make an old edge trusted again.  What was not seen this week
 * loses confidence day by day.
 *
 * Threads    Any thread; a pure function.
 */
#ifndef GRAPH_CONFIDENCE_H
#define GRAPH_CONFIDENCE_H

#include <stdint.h>

enum edge_age { AGE_ACTIVE, AGE_RECENT, AGE_STALE, AGE_ELIGIBLE };

/* Ages in days: an edge is active up to and with active_days, stale beyond
 * stale_days, eligible for collection beyond eligible_days. */
struct confidence_cfg {
    uint32_t active_days;   /* 7; also the window in which calls count */
    uint32_t stale_days;    /* 30 */
    uint32_t eligible_days; /* 90 */
};

extern const struct confidence_cfg confidence_cfg_default;

/* confidence_age classes an edge last seen at |last_s|. */
enum edge_age confidence_age(const struct confidence_cfg *cfg, uint32_t last_s,
                             uint32_t now_s);
const char *edge_age_str(enum edge_age age);

/* confidence is 0 to 1.  |recent| is how often the edge was seen in the last
 * active_days. */
double confidence(const struct confidence_cfg *cfg, int64_t recent,
                  uint32_t last_s, uint32_t now_s);

#endif
