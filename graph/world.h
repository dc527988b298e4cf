/*
 * world - the joined graph (graph/joined.h) as it is now, shared by all who
 * ask.
 *
 * It is made anew when the code was indexed again, and when spans were stored
 * since, but then at most every WORLD_AGE_MAX_S seconds: making it reads all
 * edges.  Who holds one may use it as long as it likes.
 *
 *     world_hold(world, view, &joined, &why);
 *     ...
 *     world_drop(joined);
 *
 * Threads    Any.  One makes it; the others meanwhile are given the one before,
 *            and wait only if there is none.
 */
#ifndef GRAPH_WORLD_H
#define GRAPH_WORLD_H

#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "graph/code.h"
#include "graph/joined.h"
#include "graph/query.h"

enum { WORLD_AGE_MAX_S = 5 };

struct world;

/* world_open: ERR_NOMEM.  |dir| holds both databases; that nothing was indexed
 * is no error. */
enum err world_open(struct world **out, const char *dir);
void world_close(struct world *world);

/* world_hold: ERR_NOMEM, ERR_STORE, ERR_CORRUPT, and those of code_db_hold;
 * |why| says what to do. */
enum err world_hold(struct world *world, struct query_view *view,
                    const struct joined **out, struct buf *why);
void world_drop(const struct joined *joined);

/* world_code is the database of the code, for its history. */
struct code_db *world_code(struct world *world);

#endif
