/*
 * dbfile - one database file of the directory: opened with doubt, locked,
 * brought up to date, checkpointed.  Not for others than store/.
 *
 * What is true of every file of ours: one connection writes and alone
 * checkpoints, under a lock of its own; readers are read-only; what is damaged
 * is renamed, never repaired.  Which file, which lock and which tables is the
 * spec.
 *
 * Errors     As store/store.h.
 * Threads    The owner thread only.
 */
#ifndef STORE_DBFILE_H
#define STORE_DBFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sqlite3.h>

#include "base/buf.h"
#include "base/err.h"
#include "store/wal.h"

struct dbfile_spec {
    const char *file;
    const char *lock;
    const char *const *migrations;
    size_t migration_len;
    int64_t check_max; /* larger files are checked only when suspect */
    bool is_sealed;    /* store/whole.h */
    bool is_saved;     /* store/remains.h */
    bool is_alone;     /* it is opened before any reader of this process */
};

enum { DBFILE_BUSY_MS = 1000 }; /* that it waits for others */

enum dbfile_sync {
    DBFILE_SYNC_FULL, /* a commit is on disk */
    DBFILE_SYNC_OS,   /* a commit is with the system */
};

struct dbfile {
    const struct dbfile_spec *spec;
    sqlite3 *db;
    char *dir;
    char *path;
    int lock_fd;
    enum dbfile_sync sync;
    bool is_lazy;    /* commits are not synced for now: dbfile_sync_commits */
    bool in_doubt;   /* a write or a sync failed: dbfile_settle */
    bool is_settled; /* since the last dbfile_settle nothing was committed */
    int wal_pages;   /* after the last commit */
    int wal_moved;   /* of them, when they were last copied */
    struct moved moved; /* store/moved.h */
};

/* dbfile_open: as store_open, but leaves files that are damaged where they
 * are.  After any result dbfile_close, or dbfile_set_aside and dbfile_close. */
enum err dbfile_open(struct dbfile *file, const char *dir,
                     const struct dbfile_spec *spec, enum dbfile_sync sync,
                     struct buf *why);
/* dbfile_open_read: ERR_NOT_FOUND, ERR_INVALID (not of this version). */
enum err dbfile_open_read(struct dbfile *file, const char *dir,
                          const struct dbfile_spec *spec, struct buf *why);

/* Statements must have been finalised before these.  dbfile_close moves the
 * WAL into the file and seals it (store/whole.h); dbfile_drop does not. */
void dbfile_close(struct dbfile *file);
void dbfile_drop(struct dbfile *file);
/* dbfile_set_aside closes the connection and renames the files; ERR_STORE if
 * it could not. */
enum err
dbfile_set_aside(struct dbfile *file, uint64_t now_ns, struct buf *why);

/* dbfile_settle puts the log on the disk as it reads: when it is opened, which
 * with DBFILE_SYNC_OS is nobody's wish, and when in doubt before a transaction
 * and before the log is moved into the database. */
enum err dbfile_settle(struct dbfile *db);

/* dbfile_ready is before what is to be kept: the file is still at its path, or
 * ERR_STORE, and what was in doubt is settled. */
enum err dbfile_ready(struct dbfile *db);

/* dbfile_sync_log has on the disk what was committed, whatever the commits
 * were to do. */
enum err dbfile_sync_log(struct dbfile *db);

/* dbfile_rewrite writes |file| from |from| to |to| again, as it reads, and
 * syncs it.  An SQLite result code. */
int dbfile_rewrite(sqlite3_file *file, int64_t from, int64_t to);

/* dbfile_log is the file of the log, once something was read; NULL: there is
 * none. */
sqlite3_file *dbfile_log(const struct dbfile *file);

/* dbfile_fail maps |rc| of the last call and logs what SQLite says of it. */
enum err dbfile_fail(struct dbfile *file, int rc);

/* dbfile_prepare prepares |len| statements.  ERR_CORRUPT if the tables are not
 * ours. */
enum err dbfile_prepare(struct dbfile *file, const char *const *sql, size_t len,
                        sqlite3_stmt **out);
void dbfile_finalize(sqlite3_stmt **stmts, size_t len);

/* dbfile_run runs a bound statement that gives no rows. */
enum err dbfile_run(struct dbfile *file, sqlite3_stmt *stmt);
/* dbfile_next steps a query; false at the end or on |err|, and it is reset. */
bool dbfile_next(struct dbfile *file, sqlite3_stmt *stmt, enum err *err);
enum err dbfile_exec(struct dbfile *file, const char *sql);
/* dbfile_query_int runs |sql|, which gives one integer. */
enum err dbfile_query_int(struct dbfile *file, const char *sql, int64_t *out);

/* dbfile_sync_commits says, between transactions, whether the commits that
 * follow are synced, as DBFILE_SYNC_FULL wants it.  Those before then are on
 * disk with the first that is. */
enum err dbfile_sync_commits(struct dbfile *file, bool synced);

#endif
