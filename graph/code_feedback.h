/*
 * code_feedback - what users said of symbols, as long as it is of this code.
 *
 * What was said of a symbol counts until its code changes: it is kept with the
 * fingerprint of then (graph/code_history.h).
 *
 * Threads    Any; each call opens the store for itself.
 */
#ifndef GRAPH_CODE_FEEDBACK_H
#define GRAPH_CODE_FEEDBACK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "graph/code.h"

struct code_opinion {
    uint32_t useful;
    uint32_t useless;
    uint32_t expired; /* said of code that is no longer there */
};

struct code_said {
    uint32_t node;
    str session;
    bool useful;
    uint32_t now_s;
};
/* code_feedback_add keeps it.  ERR_BUSY: an index is being stored, try again;
 * ERR_NOT_FOUND: no such vertex; ERR_STORE; |why|. */
enum err code_feedback_add(struct code_db *db, const struct code *code,
                           const struct code_said *said, struct buf *why);

/* code_feedback_all makes, by vertex, what was said of each: node_len of them,
 * to be freed.  ERR_STORE, ERR_CORRUPT, ERR_NOMEM; |why|. */
enum err code_feedback_all(struct code_db *db, const struct code *code,
                           struct code_opinion **out, struct buf *why);

#endif
