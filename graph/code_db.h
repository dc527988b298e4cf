/*
 * code_db - what the files behind graph/code.h and graph/code_history.h share
 * of a code_db.  Not for others.
 *
 * Threads    Any.
 */
#ifndef GRAPH_CODE_DB_H
#define GRAPH_CODE_DB_H

#include "base/buf.h"
#include "base/err.h"
#include "graph/code.h"
#include "store/code_store.h"

const char *code_db_dir(const struct code_db *db);

/* code_db_explain says in |why|, if nothing does yet, what failed; what is
 * damaged is marked, for the next one who writes.  |cs| may be NULL. */
void code_db_explain(const struct code_db *db, struct code_store *cs,
                     enum err err, struct buf *why);

/* A store opened for one snapshot, in a transaction; close it in any case. */
struct code_past {
    struct code_store *store;
    struct code_when when;
};
enum err
code_history_begin(struct code_db *db, const struct code *code, uint32_t index,
                   struct code_past *out, struct buf *why);

#endif
