/*
 * code_store - the rows of the static graph, in a file of their own.
 *
 * `code.db` lies beside the store of what traces tell (store/store.h) and has
 * its own lock and its own single writer, so that an index never waits for the
 * service and the service never for an index.  All of it can be made again
 * from the sources: damage is set aside and the next index starts anew.
 *
 * Rows are temporal.  Each snapshot of a repository has a generation, from 1;
 * a row is good for the generations [born, died), and what is there now has
 * died = 0.  So any kept snapshot can be read, and two be compared, exactly.
 * A vertex or file keeps its number through all its versions.
 *
 *     code_store_open(&cs, dir, now_ns, &why);      or _open_read
 *     code_store_begin(cs); code_store_add(cs, ...) ...; code_store_commit(cs);
 *
 * Memory     Views handed to a callback are good during the call.
 * Errors     As store/store.h: ERR_STORE, ERR_CORRUPT, ERR_NOMEM.
 * Threads    One at a time.
 */
#ifndef STORE_CODE_STORE_H
#define STORE_CODE_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/hash.h"
#include "store/code_rows.h"

#define CODE_STORE_FILE "code.db"
#define CODE_STORE_LOCK "code.lock"

struct code_store;

/* code_store_open makes or opens it for writing: errors as store_open. */
enum err code_store_open(struct code_store **out, const char *dir,
                         uint64_t now_ns, struct buf *why);
/* code_store_open_read: ERR_NOT_FOUND (nothing was indexed yet), ERR_INVALID,
 * ERR_DENIED, ERR_CORRUPT, ERR_STORE.  Only functions that read may follow. */
enum err
code_store_open_read(struct code_store **out, const char *dir, struct buf *why);
/* code_store_close moves the WAL into the file and releases the lock. */
void code_store_close(struct code_store *cs);
/* code_store_set_aside closes |cs| and renames its files, for damage found
 * later. */
void
code_store_set_aside(struct code_store *cs, uint64_t now_ns, struct buf *why);
/* code_store_suspect has the next one who writes look at the whole file. */
void code_store_suspect(struct code_store *cs);

/* A reader sees one moment between begin and commit or rollback. */
enum err code_store_begin(struct code_store *cs);
enum err code_store_commit(struct code_store *cs);
void code_store_rollback(struct code_store *cs);
/* code_store_version changes when another connection has committed. */
enum err code_store_version(struct code_store *cs, int64_t *out);
int64_t code_store_size_bytes(const struct code_store *cs);

/* ---- repositories and their snapshots ---- */

enum err code_store_put_repo(struct code_store *cs, const struct repo_row *row);
typedef enum err repo_row_fn(void *ctx, const struct repo_row *row);
enum err
code_store_each_repo(struct code_store *cs, repo_row_fn *fn, void *ctx);

/* code_store_put_snapshot replaces the one of the same generation. */
enum err
code_store_put_snapshot(struct code_store *cs, const struct snapshot_row *row);
typedef enum err snapshot_row_fn(void *ctx, const struct snapshot_row *row);
/* By repository, newest first; |repo| 0: all. */
enum err code_store_each_snapshot(struct code_store *cs, uint32_t repo,
                                  snapshot_row_fn *fn, void *ctx);
/* code_store_drop_before drops the snapshots before |generation| and the rows
 * that none of the others holds; facts of files that no row names. */
enum err code_store_drop_before(struct code_store *cs, uint32_t repo,
                                uint32_t generation);

/* ---- rows ---- */

/* code_store_add makes a row; row->id is of its repository's counter. */
enum err code_store_add(struct code_store *cs, enum code_table table,
                        const struct code_row *row);
/* code_store_end ends a row at |died|; code_store_remove takes back one that
 * no snapshot holds but the one that is being replaced. */
enum err code_store_end(struct code_store *cs, enum code_table table,
                        uint64_t id, uint32_t died);
enum err
code_store_remove(struct code_store *cs, enum code_table table, uint64_t id);

/* Which rows: of |repo|, or of all (0); good for |generation|, or now (0), or
 * (CODE_ALL) of any time. */
#define CODE_ALL UINT32_MAX
struct code_when {
    uint32_t repo;
    uint32_t generation;
};
typedef enum err code_row_fn(void *ctx, const struct code_row *row);
/* code_store_each goes by repository and id; any result but OK ends it. */
enum err code_store_each(struct code_store *cs, enum code_table table,
                         struct code_when when, code_row_fn *fn, void *ctx);

/* ---- facts of files, by git blob id (index/facts.h) ---- */

enum { FACT_BLOB_LEN = 20 };
struct fact_key {
    const unsigned char *blob; /* FACT_BLOB_LEN bytes */
    uint8_t lang;
    uint32_t version; /* FACTS_VERSION */
};
enum err
code_store_put_fact(struct code_store *cs, struct fact_key key, str data);
/* code_store_get_fact appends them to |out|; ERR_NOT_FOUND. */
enum err code_store_get_fact(struct code_store *cs, struct fact_key key,
                             struct buf *out);

/* ---- what users said of symbols ---- */

enum err
code_store_add_feedback(struct code_store *cs, const struct feedback_row *row);
typedef enum err feedback_row_fn(void *ctx, const struct feedback_row *row);
/* Of the symbol |hash|, or of all (NULL); oldest first. */
enum err
code_store_each_feedback(struct code_store *cs, const unsigned char *hash,
                         feedback_row_fn *fn, void *ctx);

#endif
