/*
 * code_history - the graph as it was, and what has changed.
 *
 * Compares exactly the two graphs it is given, by identity: so any two
 * snapshots, of any age and in either direction, also of two stores.
 *
 * Threads    Any; each call of code_snapshot_load opens a connection of its
 *            own.
 */
#ifndef GRAPH_CODE_HISTORY_H
#define GRAPH_CODE_HISTORY_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "graph/code.h"

/*
 * code_snapshot_find gives the index in code->snapshots of what |word| names:
 * a commit or the hash of a snapshot, or at least SNAPSHOT_PREFIX_MIN letters
 * of the front of one; `latest`; `previous`.  The newest of those that hold the
 * same graph.  |repo| 0: any.
 *
 * ERR_NOT_FOUND, ERR_AMBIGUOUS, ERR_INVALID (not hex, or too short); |why|.
 */
enum { SNAPSHOT_PREFIX_MIN = 4 };
enum err code_snapshot_find(const struct code *code, uint32_t repo, str word,
                            uint32_t *out, struct buf *why);

/* code_snapshot_load loads the repository of code->snapshots[index] as it was
 * then; to be dropped.  ERR_NOT_FOUND (gone meanwhile), and those of
 * code_db_hold. */
enum err
code_snapshot_load(struct code_db *db, const struct code *code, uint32_t index,
                   const struct code **out, struct buf *why);

/* Why a vertex that is in both counts as modified. */
#define CODE_MOD_SIGNATURE UINT32_C(1)
#define CODE_MOD_EDGES     UINT32_C(2) /* edges that leave it came or went */
#define CODE_MOD_BODY      UINT32_C(4) /* its length, or where in it it calls */

struct code_change {
    uint32_t old_node; /* 0: added */
    uint32_t new_node; /* 0: removed */
    uint32_t mod;      /* CODE_MOD_... */
};

struct code_edge_change {
    uint32_t src; /* in the graph that has the edge */
    uint32_t dst;
    uint8_t type;
    uint8_t provenance;
    unsigned char hash[SHA256_LEN];
};

/* All in the order of qualified names.  That lines moved is no change; nor are
 * may_call and may_dispatch. */
struct code_diff {
    struct code_change *added;
    struct code_change *removed;
    struct code_change *modified;
    struct code_edge_change *edges_added;   /* ids of the new graph */
    struct code_edge_change *edges_removed; /* ids of the old one */
    size_t added_len, removed_len, modified_len, edges_added_len,
        edges_removed_len;
};

/* code_diff_make: ERR_NOMEM. */
enum err code_diff_make(const struct code *old_code,
                        const struct code *new_code, struct code_diff *out);
void code_diff_fini(struct code_diff *diff);

/* An edge that was in an older kept snapshot and is not in the one asked. */
struct code_stale {
    unsigned char hash[SHA256_LEN];
    str src; /* `package.name` */
    str dst;
    str src_path;
    uint32_t src_line;
    uint32_t last_generation; /* the newest that had it */
    uint8_t type;
    uint8_t provenance;
};
struct code_graph;
struct code_stales {
    struct code_stale *rows; /* latest first, then by hash */
    size_t len;
    struct code_graph *memory; /* of the texts */
};
/* code_stale_edges: as code_snapshot_load; code_stales_fini after OK. */
enum err
code_stale_edges(struct code_db *db, const struct code *code, uint32_t index,
                 struct code_stales *out, struct buf *why);
void code_stales_fini(struct code_stales *stales);

/* code_edge_hash is the identity of an edge that leaves |src|. */
void code_edge_hash(const struct code *code, uint32_t src,
                    const struct code_link *link, unsigned char *out);

/* code_fingerprint changes when the code of a vertex does: its signature, its
 * length, what it calls and where in it.  For feedback, which expires then. */
void
code_fingerprint(const struct code *code, uint32_t node, unsigned char *out);

#endif
