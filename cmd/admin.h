/*
 * admin - the listener for whoever looks after a service: /debug/connections,
 * /debug/memory, /debug/store and /debug/threads (api/debug.h).
 *
 * Off unless it is asked for, on this machine alone unless it is told
 * otherwise, and then for those with a token or a certificate only: tokens of
 * its own, for who may send or ask need not see this.  It has a loop and a
 * thread of its own, and answers on that one alone, so that it tells of the
 * others when they hang.
 *
 *     admin_check; admin_start; ... admin_reload ... ; admin_stop
 *
 * Memory     What |parts| names outlives the admin.
 * Threads    The owner thread only.
 */
#ifndef CMD_ADMIN_H
#define CMD_ADMIN_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "cmd/config.h"
#include "net/server.h"

struct admin;
struct inlet;

struct admin_parts {
    const struct inlet *inlet;
    struct server *answer; /* of query */
    bool (*is_writable)(void *ctx);
    void *ctx;
};

/* admin_check: ERR_DENIED, |cfg| would answer other machines without a token or
 * a certificate; |why| says what to set.  Files of tokens are not looked into.
 */
enum err admin_check(const struct config *cfg, struct buf *why);

/*
 * admin_start listens as |cfg| says, which outlives it; |out| is NULL if it is
 * off.  |why| says what went wrong.
 *
 * ERR_DENIED  as admin_check
 * others      as tokens_read and server_listen
 */
enum err admin_start(struct admin **out, const struct config *cfg,
                     const struct admin_parts *parts, struct buf *why);

/* admin_reload reads tokens and certificates again; on failure the old tokens
 * stay and |why| says why.  NULL is fine here and below. */
enum err admin_reload(struct admin *admin, struct buf *why);

void admin_stop(struct admin *admin);

#endif
