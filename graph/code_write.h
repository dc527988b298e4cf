/*
 * code_write - make what an index found the present of its repository.
 *
 * The build is always the whole graph (graph/code_build.h).  It is compared
 * with what is stored: rows that are as they were keep their id, others end,
 * new ones are born, and a snapshot with its Merkle root is written, all in one
 * transaction.  What was stored before has no say in the result, only in the
 * ids: so an incremental index equals a fresh one.
 *
 * Identity   By the recipe of `knowing` (graph/identity.h); repo is the URL
 *            without scheme, user and `.git` - never a path of a checkout.
 *            Of several vertices with one (package, name, kind), the second
 *            and on in the order of (path, line, column) are called `name#2`,
 *            `name#3`.
 * Snapshot   Merkle tree over all edges but may_call and may_dispatch.  The
 *            commit and root of the newest snapshot again: no new one; the
 *            newest is replaced if lines or the like have changed.
 * Threads    The one that has the store.
 */
#ifndef GRAPH_CODE_WRITE_H
#define GRAPH_CODE_WRITE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/hash.h"
#include "graph/code_build.h"
#include "store/code_store.h"

enum { CODE_KEEP_DEFAULT = 20 };

/*
 * code_repo_url appends the name a repository has everywhere:
 * `https://user@github.com/Org/repo.git`, `git@github.com:Org/repo` and
 * `github.com/Org/repo/` are all `github.com/Org/repo`.  Of a path it is the
 * last part.  Empty if nothing is left.
 */
void code_repo_url(str raw, struct buf *out);

struct code_changes {
    uint32_t same;
    uint32_t added; /* with those that changed */
    uint32_t ended; /* with those that changed */
};

struct code_written {
    uint32_t repo;
    uint32_t generation;
    unsigned char hash[SHA256_LEN]; /* of the snapshot */
    unsigned char root[SHA256_LEN];
    bool is_new; /* a snapshot was made */
    uint32_t files;
    uint32_t nodes;
    uint32_t edges;
    uint32_t guesses; /* may_call, may_dispatch */
    struct code_changes changes[CODE_TABLES];
};

/*
 * code_write stores |build|, whose rows must be as code_build_unpack checks
 * them.  |why| says what is wrong, in words for the operator.
 *
 * ERR_INVALID  no repository, or none more can be stored
 * ERR_CORRUPT  what is stored cannot be trusted: code_store_set_aside it and
 *              write again
 * ERR_STORE, ERR_NOMEM; the store is as it was, for all.
 */
enum err code_write(struct code_store *cs, const struct code_build *build,
                    uint32_t now_s, struct code_written *out, struct buf *why);

/* code_gc drops the snapshots of |repo| (0: of all) beyond the |keep| newest,
 * at least one, and the rows that only they hold.  |dropped| may be NULL. */
enum err
code_gc(struct code_store *cs, uint32_t repo, uint32_t keep, uint32_t *dropped);

#endif
