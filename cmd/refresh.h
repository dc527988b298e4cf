/*
 * refresh - crawls sources when their schedule says that it is time.
 *
 * One at a time, by a thread.  What is due is told by what is stored, so a
 * restart forgets nothing: what was missed is made up for, what was interrupted
 * is done again.  A source that fails is tried again after a while that
 * doubles.
 *
 * Threads    refresh_start, refresh_stop: the owner.
 */
#ifndef CMD_REFRESH_H
#define CMD_REFRESH_H

#include "base/err.h"
#include "graph/query.h"
#include "graph/world.h"
#include "knowledge/knowledge.h"

struct refresh;

struct refresh_cfg {
    struct query *query;
    struct world *world;
    struct knowledge *knowledge;
};

/* refresh_start: ERR_NOMEM. */
enum err refresh_start(struct refresh **out, const struct refresh_cfg *cfg);

/* refresh_stop ends a crawl under way and joins the thread. */
void refresh_stop(struct refresh *refresh);

#endif
