/*
 * link - what the code serves, declared to the side of the traces.
 *
 * The graph of the code is in its own database (graph/code.h) and is joined on
 * reading.  Two things need its routes beside the traces: a raw path is matched
 * against them as it comes in, and an audit goes by what is declared.  So they
 * are declared like those of a document, under an origin that tells of the code
 * (graph/routes.h), whenever the code was indexed again or a service was seen
 * for the first time.
 *
 * A folder that no observed service is known to be is declared under the best
 * of its names, so that code that never ran is seen to be not observable.
 *
 * Threads    link_once: the owner of the session.  link_start, link_stop: the
 *            same; a thread of its own looks every few seconds.
 */
#ifndef CMD_LINK_H
#define CMD_LINK_H

#include "base/buf.h"
#include "base/err.h"
#include "cmd/session.h"
#include "graph/code.h"

struct changes;
struct link;

/* What linking needs; all outlives it. */
struct link_cfg {
    struct session *session;
    struct query *query;
    struct code_db *code;
    struct changes *changes; /* noted; NULL: nobody keeps answers */
};

/* link_once declares what is new and removes what is gone.  ERR_CORRUPT,
 * ERR_STORE, ERR_NOMEM, ERR_CANCELLED (the engine was stopped); |why|. */
enum err link_once(const struct link_cfg *cfg, struct buf *why);

/*
 * link_now does the same where no service runs, which does it by itself: it
 * opens all it needs in cfg->dir, if code was indexed there.  What it cannot do
 * it says on standard error in the words of |command|.
 */
void link_now(const struct config *cfg, const char *command);

/* link_start: ERR_NOMEM. */
enum err link_start(struct link **out, const struct link_cfg *cfg);
void link_stop(struct link *link);

#endif
