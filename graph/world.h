/*
 * world - the joined graph (graph/joined.h) as it is now, shared by all who
 * ask.
 *
 * It is made anew when the code was indexed again, and when spans were stored
 * since, but then at most every WORLD_AGE_MAX_S seconds: making it reads all
 * edges.  Where none were, it is made anew once it is WORLD_OLD_MAX_S old.  Who
 * holds one may use it as long as it likes.
 *
 *     world_hold(world, view, &joined, &why);
 *     ...
 *     world_drop(joined);
 *
 * Making a large one takes long: some 10 us a function when its code is new,
 * and a tenth of that when only spans are.  A service therefore watches
 * (world_watch): a thread loads new code as soon as it is stored, and makes the
 * joined graph anew while anybody asks.  Who asks meanwhile is given the one
 * before; he waits for a small one, when there is none, and after nobody asked
 * for so long that the one before is WORLD_OLD_MAX_S old.
 *
 * Memory     While a new graph is made the one before stays: at most two of
 *            them, and those that somebody still holds.
 * Threads    Any.  One makes it; the others meanwhile are given the one before,
 *            and wait only if there is none.  world_watch: the owner.
 */
#ifndef GRAPH_WORLD_H
#define GRAPH_WORLD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "graph/code.h"
#include "graph/joined.h"
#include "graph/query.h"

enum {
    WORLD_AGE_MAX_S = 5,
    WORLD_OLD_MAX_S = 60,
    WORLD_ASKED_S = 600,  /* how long after a question it is kept fresh */
    WORLD_SMALL = 50000,  /* places and arcs; made in some 10 ms */
    WORLD_LOOK_MS = 1000, /* how often is looked whether code is new */
};

struct world;

/* world_open: ERR_NOMEM.  |dir| holds both databases; that nothing was indexed
 * is no error. */
enum err world_open(struct world **out, const char *dir);
void world_close(struct world *world);

/* world_watch starts the thread, which asks |query| until world_close.
 * ERR_NOMEM. */
enum err world_watch(struct world *world, struct query *query);

/* world_hold: ERR_NOMEM, ERR_STORE, ERR_CORRUPT, and those of code_db_hold;
 * |why| says what to do. */
enum err world_hold(struct world *world, struct query_view *view,
                    const struct joined **out, struct buf *why);
void world_drop(const struct joined *joined);

/* world_hold_now waits for what is stored now.  It is no question: the graph is
 * not kept fresh for it.  world_load makes it what world_hold gives. */
enum err world_hold_now(struct world *world, struct query_view *view,
                        const struct joined **out, struct buf *why);
enum err
world_load(struct world *world, struct query_view *view, struct buf *why);

/* world_is_behind: |joined| is of code that has been indexed again since. */
bool world_is_behind(struct world *world, const struct joined *joined);

/* world_code is the database of the code, for its history. */
struct code_db *world_code(struct world *world);

#endif
