/*
 * regroup - derives the communities (knowledge/groups.h) anew when the code
 * was indexed again, and when edges were observed that there were not, but then
 * at most once in |traffic_s|.
 *
 * Only where there are some: the first are made by manage rebuild_index.  What
 * they were made of is stored with them, so a restart forgets nothing.  While
 * another process writes the knowledge it is tried again; writes of this one
 * wait meanwhile, about a second at 100,000 functions.
 *
 * Threads    regroup_start, regroup_stop: the owner.
 */
#ifndef CMD_REGROUP_H
#define CMD_REGROUP_H

#include <stdint.h>

#include "base/err.h"
#include "graph/query.h"
#include "graph/world.h"
#include "knowledge/knowledge.h"

struct regroup;

struct regroup_cfg {
    struct query *query;
    struct world *world;
    struct knowledge *knowledge;
    uint32_t traffic_s; /* 0: REGROUP_TRAFFIC_S */
};

enum { REGROUP_TRAFFIC_S = 15 * 60 };

/* regroup_once does it if it is due; |count| is how many there are then, 0: it
 * was not.  ERR_BUSY: the knowledge is being written; others as knowledge_write
 * and world_hold. */
enum err
regroup_once(const struct regroup_cfg *cfg, size_t *count, struct buf *why);

/* regroup_pause_s is how many seconds the thread waits after |err| at least,
 * when it waited |before_s| the last time: longer after each failure, at most
 * traffic_s; not after OK and ERR_BUSY. */
uint32_t
regroup_pause_s(const struct regroup_cfg *cfg, uint32_t before_s, enum err err);

/* regroup_start: ERR_NOMEM. */
enum err regroup_start(struct regroup **out, const struct regroup_cfg *cfg);
/* regroup_stop joins the thread. */
void regroup_stop(struct regroup *regroup);

#endif
