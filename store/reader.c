/*
 * A read-only connection and its statements, prepared when first used.  The
 * connection never checkpoints: SQLITE_OPEN_READONLY sees to that, so the rule
 * of store/store.h (one connection writes and checkpoints) holds whoever reads.
 */
#include "store/reader.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sqlite3.h>

#include "store/lack.h"
#include "store/reader_rows.h"
#include "store/schema.h"

enum {
    BUSY_MS = 2000,
    PATH_CAP = 4096,
    LOG_LONG = 128 << 20, /* twice from where the writer begins it anew */
};

enum err
reader_err(int rc)
{
    switch (rc & 0xff) {
    case SQLITE_OK:
    case SQLITE_ROW:
    case SQLITE_DONE:
        return OK;
    case SQLITE_NOMEM:
        return ERR_NOMEM;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return ERR_CORRUPT;
    case SQLITE_INTERRUPT:
        return ERR_CANCELLED;
    case SQLITE_PERM:
    case SQLITE_AUTH:
        return ERR_DENIED;
    default:
        return ERR_STORE;
    }
}

enum err
reader_prepare(struct reader *r, enum reader_stmt which, const char *sql,
               sqlite3_stmt **out)
{
    if (!r->stmts[which]) {
        int rc = sqlite3_prepare_v3(r->db, sql, -1, SQLITE_PREPARE_PERSISTENT,
                                    &r->stmts[which], NULL);
        if (rc != SQLITE_OK)
            return reader_err(rc);
    }
    *out = r->stmts[which];
    return OK;
}

static enum err
read_pragma(struct reader *r, const char *sql, int64_t *out)
{
    sqlite3_stmt *stmt = NULL;
    int rc = sqlite3_prepare_v2(r->db, sql, -1, &stmt, NULL);

    *out = 0;
    if (rc == SQLITE_OK) {
        rc = sqlite3_step(stmt);
        if (rc == SQLITE_ROW)
            *out = sqlite3_column_int64(stmt, 0);
    }
    sqlite3_finalize(stmt);
    return reader_err(rc);
}

static enum err
check_ours(struct reader *r, const char *dir, struct buf *why)
{
    int64_t application = 0;
    int64_t version = 0;
    enum err err = read_pragma(r, "PRAGMA application_id", &application);

    if (!err)
        err = read_pragma(r, "PRAGMA user_version", &version);
    if (err) {
        char lack[LACK_TEXT_CAP];
        const char *lacking = lack_text(sqlite3_extended_errcode(r->db), lack);
        buf_printf(why, "cannot read %s/%s: %s%s", dir, STORE_FILE,
                   sqlite3_errmsg(r->db), lacking);
        return err;
    }
    if (version == 0 ||
        (application != 0 && application != SCHEMA_APPLICATION_ID)) {
        buf_printf(why,
                   "%s/%s holds no graph; fill it with `spangraph serve` or "
                   "`spangraph ingest FILE --data %s`",
                   dir, STORE_FILE, dir);
        return ERR_INVALID;
    }
    if (version != (int64_t)schema_len) {
        buf_printf(why, "%s/%s has schema %lld and this program %zu; %s", dir,
                   STORE_FILE, (long long)version, schema_len,
                   version > (int64_t)schema_len
                       ? "use the newer program that wrote it"
                       : "start `spangraph serve` once to bring it up to date");
        return ERR_INVALID;
    }
    return OK;
}

/* A missing store is told from one that cannot be read before SQLite is asked,
 * because it has one word for both. */
static enum err
check_file(const char *path, const char *dir, struct buf *why)
{
    if (access(path, R_OK) == 0)
        return OK;
    if (errno == ENOENT || errno == ENOTDIR) {
        buf_printf(why,
                   "no store in %s; make one with `spangraph serve --data %s` "
                   "or `spangraph ingest FILE --data %s`, or name another "
                   "with --data DIR",
                   dir, dir, dir);
        return ERR_NOT_FOUND;
    }
    buf_printf(why, "cannot read %s: %s", path, strerror(errno));
    return errno == EACCES ? ERR_DENIED : ERR_STORE;
}

/* Beforehand, because a transaction must end without memory, too: an open one
 * would hold back the writer's log. */
static enum err
prepare_tx(struct reader *r)
{
    sqlite3_stmt *stmt = NULL;
    enum err err;

    if ((err = reader_prepare(r, READER_BEGIN, "BEGIN", &stmt)) ||
        (err = reader_prepare(r, READER_LOOK, "SELECT 1 FROM meta LIMIT 1",
                              &stmt)))
        return err;
    return reader_prepare(r, READER_ROLLBACK, "ROLLBACK", &stmt);
}

static int
run(struct reader *r, enum reader_stmt which)
{
    int rc = sqlite3_step(r->stmts[which]);

    sqlite3_reset(r->stmts[which]);
    return rc == SQLITE_ROW || rc == SQLITE_DONE ? SQLITE_OK : rc;
}

enum err
reader_open(struct reader **out, const char *dir, struct buf *why)
{
    char path[PATH_CAP];
    int len = snprintf(path, sizeof(path), "%s/%s", dir, STORE_FILE);
    struct reader *r = NULL;
    enum err err = ERR_INVALID;
    int rc;

    *out = NULL;
    if (len < 0 || (size_t)len >= sizeof(path)) {
        buf_printf(why, "the path of the store is too long");
        return err;
    }
    if ((err = check_file(path, dir, why)))
        return err;
    r = calloc(1, sizeof(*r));
    if (!r)
        return ERR_NOMEM;
    rc = sqlite3_open_v2(path, &r->db,
                         SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_busy_timeout(r->db, BUSY_MS);
    if (rc == SQLITE_OK)
        rc = sqlite3_exec(r->db, "PRAGMA query_only=1", NULL, NULL, NULL);
    if ((err = reader_err(rc))) {
        char lack[LACK_TEXT_CAP];
        const char *lacking =
            lack_text(r->db ? sqlite3_extended_errcode(r->db) : rc, lack);
        buf_printf(why, "cannot open %s: %s%s", path, sqlite3_errstr(rc),
                   lacking);
        goto out;
    }
    if ((err = check_ours(r, dir, why)) || (err = prepare_tx(r)))
        goto out;
    *out = r;
    r = NULL;
out:
    reader_close(r);
    return err;
}

void
reader_close(struct reader *r)
{
    if (!r)
        return;
    for (size_t i = 0; i < READER_STMTS; i++)
        sqlite3_finalize(r->stmts[i]);
    sqlite3_close(r->db);
    free(r);
}

/* A deferred transaction begins with its first read; reading at once makes the
 * moment the caller's. */
enum err
reader_begin(struct reader *r)
{
    int rc;

    reader_end(r); /* one that could not be ended */
    rc = run(r, READER_BEGIN);
    if (rc == SQLITE_OK)
        rc = run(r, READER_LOOK);
    if (rc != SQLITE_OK)
        reader_end(r);
    return reader_err(rc);
}

static int
ask_whether_over(void *ctx)
{
    const struct reader *r = ctx;

    return r->is_over(r->is_over_ctx);
}

void
reader_stop_when(struct reader *r, reader_over_fn *is_over, void *ctx)
{
    enum { STEPS = 20000 }; /* of its machine, between two looks; under 1 ms */

    r->is_over = is_over;
    r->is_over_ctx = ctx;
    sqlite3_progress_handler(r->db, is_over ? STEPS : 0,
                             is_over ? ask_whether_over : NULL, r);
}

void
reader_end(struct reader *r)
{
    reader_stop_when(r, NULL, NULL); /* or the end itself would be stopped */
    reader_sum_end(r);
    if (!sqlite3_get_autocommit(r->db))
        (void)run(r, READER_ROLLBACK);
}

bool
reader_log_is_long(const struct reader *r)
{
    struct stat info;
    const char *db = sqlite3_db_filename(r->db, "main");

    return stat(sqlite3_filename_wal(db), &info) == 0 &&
           info.st_size > LOG_LONG;
}

enum err
reader_version(struct reader *r, int64_t *out)
{
    sqlite3_stmt *stmt = NULL;
    enum err err =
        reader_prepare(r, READER_VERSION, "PRAGMA data_version", &stmt);
    int rc;

    if (err)
        return err;
    rc = sqlite3_step(stmt);
    *out = sqlite3_column_int64(stmt, 0);
    sqlite3_reset(stmt);
    return reader_err(rc);
}

/* The number in the one row of a statement; 0: there is none. */
static enum err
read_number(struct reader *r, enum reader_stmt which, const char *sql,
            uint64_t *out)
{
    sqlite3_stmt *stmt = NULL;
    enum err err = reader_prepare(r, which, sql, &stmt);

    *out = 0;
    if (err)
        return err;
    int rc = sqlite3_step(stmt);
    if (rc == SQLITE_ROW)
        *out = (uint64_t)sqlite3_column_int64(stmt, 0);
    sqlite3_reset(stmt);
    return reader_err(rc);
}

enum err
reader_nodes_version(struct reader *r, uint64_t *out)
{
    return read_number(r, READER_NODES_VERSION,
                       "SELECT value FROM meta WHERE key = 'nodes_version'",
                       out);
}

enum err
reader_graph_version(struct reader *r, uint64_t *out)
{
    return read_number(r, READER_GRAPH_VERSION,
                       "SELECT value FROM meta WHERE key = 'graph_version'",
                       out);
}

enum err
reader_edge_most(struct reader *r, uint64_t *out)
{
    return read_number(r, READER_EDGE_MOST,
                       "SELECT coalesce(max(id), 0) FROM edge", out);
}

enum err
reader_added_ns(struct reader *r, uint64_t *out)
{
    /* Tables before 3 have the second alone. */
    return read_number(
        r, READER_ADDED,
        "SELECT value FROM meta WHERE key IN ('added_ns', 'covered_ns')"
        " ORDER BY key LIMIT 1",
        out);
}

enum err
reader_kept(struct reader *r, struct reader_kept *out)
{
    sqlite3_stmt *stmt = NULL;
    enum err err = reader_prepare(
        r, READER_KEPT,
        "SELECT coalesce((SELECT value FROM meta WHERE key = 'first_hour'), 0),"
        " coalesce((SELECT value FROM meta WHERE key = 'first_day'), 0)",
        &stmt);
    int rc;

    *out = (struct reader_kept){0};
    if (err)
        return err;
    rc = sqlite3_step(stmt);
    if (rc == SQLITE_ROW) {
        out->hour = (uint32_t)sqlite3_column_int64(stmt, 0);
        out->day = (uint32_t)sqlite3_column_int64(stmt, 1);
    }
    sqlite3_reset(stmt);
    return reader_err(rc);
}
