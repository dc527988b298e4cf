/*
 * code - the static graph, loaded: all repositories as they are now, or one as
 * it was.
 *
 * Immutable, in plain arrays: walk it as you like.  Vertices have ids from 1 in
 * the order of their qualified names, so the same graph has the same ids; an
 * id is good for one struct code.  Element 0 of nodes, files and repos stands
 * for none; their len counts it.
 *
 *     code_db_open(&db, dir);                  once
 *     code_db_hold(db, &code, &why);           for each question
 *     for (uint32_t i = code->out_at[v]; i < code->out_at[v + 1]; i++)
 *         code->out[i].node ...
 *     code_drop(code);
 *
 * Lookups are in graph/code_find.h, snapshots in graph/code_history.h.
 *
 * Memory     One block a graph, shared by who holds it; code->bytes tells it.
 * Threads    A held graph: any.  code_db_hold: any; one loads, the others
 *            take what was loaded before.
 */
#ifndef GRAPH_CODE_H
#define GRAPH_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "graph/code_parts.h"
#include "model/code.h"

struct code_index; /* graph/code_find.c */

struct code {
    const struct code_repo *repos;
    const struct code_file *files; /* by repository and path */
    const struct code_vertex *nodes;
    const struct code_link *out; /* of v: out_at[v] .. out_at[v + 1], */
    const uint32_t *out_at;      /*   by type, then id */
    const struct code_link *in;
    const uint32_t *in_at;
    const struct code_site *sites;
    const struct code_route *routes; /* by repository, as stored */
    const struct code_service *services;
    const struct code_exposure *exposures;
    const struct code_owner *owners; /* in the order of their file */
    const struct code_literal *literals;
    const struct code_author *authors;     /* by file */
    const struct code_snapshot *snapshots; /* by repository, newest first */
    const struct code_index *index;
    uint32_t repo_len, file_len, node_len, edge_len, site_len, route_len,
        service_len, exposure_len, owner_len, literal_len, author_len,
        snapshot_len;
    size_t bytes; /* of memory */
};

/* code_hold adds a holder; code_drop takes one away, and frees with the last.
 * NULL is allowed. */
const struct code *code_hold(const struct code *code);
void code_drop(const struct code *code);

/* code_node is never NULL: an id that is none gives element 0. */
static inline const struct code_vertex *
code_node(const struct code *code, uint32_t id)
{
    return &code->nodes[id < code->node_len ? id : 0];
}

/* ---- the present, shared between threads ---- */

struct code_db;

/* code_db_open: ERR_NOMEM; that nothing was indexed yet is no error. */
enum err code_db_open(struct code_db **out, const char *dir);
void code_db_close(struct code_db *db);

/*
 * code_db_hold gives the graph as it is stored now, the empty one if there is
 * none; drop it soon.  While another thread loads a newer one, the one before,
 * if that is large; of a small one the newer is waited for.
 *
 * ERR_CORRUPT, ERR_INVALID (of another version), ERR_DENIED, ERR_STORE,
 * ERR_NOMEM; |why| says what to do.
 */
enum err
code_db_hold(struct code_db *db, const struct code **out, struct buf *why);

/*
 * A large graph takes seconds to load.  After code_db_watch some thread calls
 * code_db_load about once a second, so that code_db_hold need not: it gives a
 * large graph as it was loaded last, and loads itself only what is small, or
 * when nothing was loaded yet.  code_db_load always gives what is stored now,
 * with its indexes of words (graph/code_terms.h, graph/code_runs.h).
 */
enum { CODE_SMALL_BYTES = 4 << 20 }; /* of the file; loads in some 50 ms */
void code_db_watch(struct code_db *db);
enum err
code_db_load(struct code_db *db, const struct code **out, struct buf *why);
/* code_db_is_behind: a newer one than |code| is loaded, or known to be stored.
 */
bool code_db_is_behind(struct code_db *db, const struct code *code);
/* code_is_older: |code| was loaded before |than|, both by one code_db. */
bool code_is_older(const struct code *code, const struct code *than);

#endif
