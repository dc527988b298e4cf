/*
 * store - the one connection that writes.
 *
 * A directory holds the database `spangraph.db` and a lock.  Whoever opens the
 * store holds the lock: a second process gets ERR_BUSY.  This connection alone
 * writes and alone checkpoints (SQLite before 3.51.3 can corrupt a WAL that two
 * do); readers open store/reader.h.
 *
 *     store_begin(st); store_put_...(st, ...) ...; store_commit(st);
 *
 * What is put in and read is in the headers of each kind of rows: node_rows.h,
 * edge_rows.h, journal_rows.h, flush_rows.h.
 *
 * After a failed statement or commit, roll back; the store stays usable.
 *
 * Errors     ERR_STORE: the disk is full or failed, try later.  ERR_CORRUPT:
 *            what was read is not what was written.
 * Threads    The owner thread only.
 */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

#define STORE_FILE "spangraph.db"
#define STORE_LOCK "lock"

struct store;

enum store_sync {
    STORE_SYNC_FULL, /* a commit is on disk */
    STORE_SYNC_OS,   /* a commit is with the system */
};

/*
 * store_open opens or makes the store in |dir| (made too, mode 0700) and brings
 * its schema up to date.  |why| says what happened, in words for the operator.
 *
 * ERR_BUSY     another process holds it
 * ERR_DENIED   no permission
 * ERR_CORRUPT  damaged, or not ours: it was renamed to `*.corrupt-<time>` and
 *              nothing was opened; call again for an empty one
 * ERR_INVALID  written by a newer version of the program
 * ERR_STORE    the disk
 */
enum err store_open(struct store **out, const char *dir, enum store_sync sync,
                    uint64_t now_ns, struct buf *why);

/* store_set_up has connections, readers' too, take their caches page by page.
 * SQLite gives each twenty pages at once, 87 KB, of which one that only looks
 * needs a few.  Before the first is opened, while there is one thread. */
void store_set_up(void);

/* store_close moves the WAL into the database and releases the lock. */
void store_close(struct store *st);

/* store_set_aside closes |st| and renames its files as store_open does with
 * damaged ones, for damage found later.  |why| as there. */
void store_set_aside(struct store *st, uint64_t now_ns, struct buf *why);

/* store_begin_lazily is for what nobody waits for: the commit is on disk when
 * the next one of store_begin is, and is lost only together with all that came
 * after it. */
enum err store_begin(struct store *st);
enum err store_begin_lazily(struct store *st);
enum err store_commit(struct store *st);
void store_rollback(struct store *st);

/*
 * store_checkpoint moves committed pages from the WAL into the database and,
 * when the WAL has grown beyond its bound, cuts it, for which it waits 200 ms
 * for readers at most.  Call it between transactions, now and then.
 */
enum err store_checkpoint(struct store *st);

/* store_checkpoint_step is for between two commits: it moves what has gathered
 * since the last time, if that is some 4 MB, and waits for nobody. */
enum err store_checkpoint_step(struct store *st);
bool store_checkpoint_is_due(const struct store *st); /* it is that much */

/* store_size_bytes is the size of the database file and of the journal. */
int64_t store_size_bytes(const struct store *st);

/* store_wal_bytes is the size of the database's write-ahead log: what was
 * committed to it and is not moved yet, and room that is used again. */
int64_t store_wal_bytes(const struct store *st);

#endif
