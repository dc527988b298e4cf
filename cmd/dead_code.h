/*
 * dead_code - the graph of code for an audit on the command line, and what it
 * says of one route.
 *
 * Threads    The main thread.
 */
#ifndef CMD_DEAD_CODE_H
#define CMD_DEAD_CODE_H

#include "cmd/ask.h"
#include "graph/closure.h"
#include "graph/world.h"

/* dead_code_open finds what the code says of |audit|, made by |cfg|, which it
 * may sort anew and lower in trust.  |out| is NULL where nothing was indexed.
 * EXIT_CLEAN, or EXIT_CANNOT_RUN after saying why. */
struct dead_code {
    struct world *world;
    const struct joined *joined;
    struct closure *closure;
};
int dead_code_open(struct dead_code *code, struct ask *ask, struct audit *audit,
                   const struct audit_cfg *cfg);
void dead_code_close(struct dead_code *code);

/* dead_code_json adds the members; without a closure handler, file and line are
 * null, owners and static_callers empty, and there is no other. */
void dead_code_json(cJSON *row, struct closure *closure, size_t i);

/* dead_code_where appends `file:line`, dead_code_handler the function's name
 * without its repository; nothing where it is not known. */
void dead_code_where(const struct closure *closure, size_t i, struct buf *out);
void
dead_code_handler(const struct closure *closure, size_t i, struct buf *out);

#endif
