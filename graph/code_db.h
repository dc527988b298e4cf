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

struct code_graph;

const char *code_db_dir(const struct code_db *db);

/* code_db_load reads |when| by a connection of its own. */
enum err code_db_load(const struct code_db *db, struct code_when when,
                      struct code_graph **out, struct buf *why);

#endif
