/*
 * session - the graph, opened for writing: store, names, routes, engine.
 *
 * What serve, ingest and import-routes have in common.  Errors come as a line
 * for the operator.
 *
 * Threads    None.
 */
#ifndef CMD_SESSION_H
#define CMD_SESSION_H

#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "cmd/config.h"
#include "graph/nodes.h"
#include "graph/routes.h"
#include "runtime/engine.h"
#include "runtime/intake.h"
#include "store/store.h"

struct session {
    struct store *store;
    struct nodes *nodes;
    struct routes *routes;
    struct engine *engine;
    struct intake_cfg intake; /* of |cfg|, for lanes */
    const char **agents;      /* of probes: the built-in ones and cfg's */
};

/*
 * session_open opens all of it as |cfg| says; |cfg| must outlive it.  A damaged
 * store is set aside, said in the log, and a new one is begun.
 *
 * ERR_BUSY, ERR_DENIED, ERR_INVALID, ERR_STORE, ERR_NOMEM: |why| says what
 */
enum err session_open(struct session *session, const struct config *cfg,
                      uint64_t now_ns, struct buf *why);
void session_close(struct session *session);

/* session_has_code: was code indexed into |dir|? */
bool session_has_code(const char *dir);

/* session_ensure makes an empty store in |dir| where only code was indexed, so
 * that what reads both can be asked.  That neither is there is left to whoever
 * reads.  On failure it has said why. */
enum err session_ensure(const char *dir);

/* session_can_read: |path|, a folder or a file as |is_folder| says, is there
 * and may be read; else it has said why, for |command|.  What is named wrongly
 * is so told before a store is made for it. */
bool session_can_read(const char *command, const char *path, bool is_folder);

/* session_log sets up the log anew: as |cfg| says, or as JSON. */
void session_log(const struct config *cfg, const char *command, bool json);

/* session_load_config reads |file| (may be NULL) and |dir| (may be NULL) over
 * the defaults and sets up the log, which only `serve` writes news to; errors
 * are printed for |command|. */
enum err session_load_config(struct config *cfg, const char *command,
                             const char *file, const char *dir);

/*
 * session_reread reads cfg->file again, if there was one, as SIGHUP asks for:
 * what can be taken over is, what needs a restart is said in the log.  If the
 * file is not good, the log says why and |cfg| is as it was.
 */
void session_reread(struct config *cfg);

#endif
