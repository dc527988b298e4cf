/*
 * Opening is a list of doubts, cheapest first: may we be here, is nobody else,
 * is it a database, is it ours, is it whole, is it of our time.
 */
#include "store/dbfile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/metrics.h"
#include "store/checkpoint.h"
#include "store/files.h"
#include "store/index_room.h"
#include "store/lack.h"
#include "store/migrate.h"
#include "store/moved.h"
#include "store/remains.h"
#include "store/schema.h"
#include "store/whole.h"

#define WAL_KEEP_BYTES "67108864"

static int
note_wal_pages(void *ctx, sqlite3 *db, const char *name, int pages)
{
    struct dbfile *file = ctx;

    (void)db;
    (void)name;
    file->is_settled = false;
    file->wal_pages = pages;
    if (pages < file->wal_moved) /* it has begun anew */
        file->wal_moved = 0;
    return SQLITE_OK;
}

/* What SQLite should not do for a file that somebody may have tampered with,
 * and what it should do for ours. */
static enum err
configure(struct dbfile *file)
{
    static const int switches[][2] = {
        {SQLITE_DBCONFIG_DEFENSIVE, 1},
        {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
        {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
        {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
        {SQLITE_DBCONFIG_DQS_DDL, 0},
        {SQLITE_DBCONFIG_DQS_DML, 0},
        {SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1},
    };

    for (size_t i = 0; i < sizeof(switches) / sizeof(switches[0]); i++)
        (void)sqlite3_db_config(file->db, switches[i][0], switches[i][1], NULL);
    sqlite3_busy_timeout(file->db, DBFILE_BUSY_MS);
    /* Stubs hold no text, so what is deleted needs no overwriting. */
    return dbfile_exec(file, "PRAGMA cell_size_check = ON;"
                             "PRAGMA mmap_size = 0;"
                             "PRAGMA secure_delete = OFF;"
                             "PRAGMA cache_size = -8192;"
                             "PRAGMA temp_store = MEMORY");
}

/* Says in |why| what SQLite says, and of a full disk what to do. */
static void
say(const struct dbfile *file, struct buf *why)
{
    int code = file->db ? lack_of(sqlite3_extended_errcode(file->db)) : 0;

    buf_printf(why, "%s: %s", file->path,
               file->db ? sqlite3_errmsg(file->db) : "out of memory");
    if (code)
        lack_advise(code, why);
}

/* What is asked at first is so plain that, if SQLite finds it wrong, it is the
 * file that is: a format it does not know, tables it cannot make out. */
static enum err
blame(const struct dbfile *file, enum err err)
{
    bool is_odd = err == ERR_STORE && file->db &&
                  (sqlite3_errcode(file->db) & 0xff) == SQLITE_ERROR;

    return is_odd ? ERR_CORRUPT : err;
}

static enum err
open_file(struct dbfile *file, struct buf *why)
{
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX |
                SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_EXRESCODE;
    enum err err = files_touch(file->path, why);

    if (err || (err = index_room_find(file->dir, file->path, why)))
        return err;
    if ((err = dbfile_fail(
             file, sqlite3_open_v2(file->path, &file->db, flags, NULL))) ||
        (err = configure(file)))
        say(file, why);
    return blame(file, err);
}

static enum err
read_version(struct dbfile *file, int64_t *version, struct buf *why)
{
    int64_t application = 0;
    int64_t tables = 0;
    enum err err;

    if ((err = dbfile_query_int(file, "PRAGMA application_id", &application)) ||
        (err = dbfile_query_int(file, "PRAGMA user_version", version)) ||
        (err = dbfile_query_int(file, "SELECT count(*) FROM sqlite_schema",
                                &tables))) {
        say(file, why);
        return blame(file, err);
    }
    if (application == 0 && *version == 0 && tables == 0)
        return OK; /* new */
    if (application != SCHEMA_APPLICATION_ID || *version <= 0) {
        buf_printf(why, "%s is a database of another program", file->path);
        return ERR_CORRUPT;
    }
    if (*version > (int64_t)file->spec->migration_len) {
        buf_printf(why,
                   "%s was written by a newer version of this program (tables "
                   "%lld, known %zu)",
                   file->path, (long long)*version, file->spec->migration_len);
        return ERR_INVALID;
    }
    return OK;
}

/* What the header says, four bytes, is held against what the tables say.  A
 * program that knows more than this one has said it in both, so a number that
 * is too high and stands alone is damage; as is one that is too low.  A program
 * of before that said it in the header only, and may have raised it there. */
static enum err
check_version(struct dbfile *file, int64_t version, enum err found,
              struct buf *why)
{
    int64_t stated = 0;
    int rc = migrate_stated(file->db, &stated);

    if (rc != SQLITE_OK) {
        say(file, why);
        return blame(file, dbfile_fail(file, rc));
    }
    if (found == ERR_INVALID ? stated == version : stated <= version)
        return found;
    buf_reset(why);
    buf_printf(why,
               "%s is damaged: its tables are those of version %lld, and its"
               " header says %lld",
               file->path, (long long)stated, (long long)version);
    return ERR_CORRUPT;
}

/* The file may be written (files_touch): what forbids it is in its header. */
static enum err
check_writable(const struct dbfile *file, struct buf *why)
{
    if (sqlite3_db_readonly(file->db, "main") != 1)
        return OK;
    buf_printf(why, "%s is in a format that cannot be written", file->path);
    return ERR_CORRUPT;
}

static enum err
update_tables(struct dbfile *file, int64_t version, struct buf *why)
{
    char name[64];
    int rc = SQLITE_OK;

    if (version == (int64_t)file->spec->migration_len) {
        (void)dbfile_fail(file, migrate_state(file->db, (size_t)version));
        return OK; /* it is as good without, but for damage */
    }
    if (version > 0) {
        snprintf(name, sizeof(name), "%s.v%lld.bak", file->spec->file,
                 (long long)version);
        char *backup = files_path(file->dir, name);
        rc = backup ? migrate_backup(file->db, backup) : SQLITE_NOMEM;
        free(backup);
    }
    if (rc == SQLITE_OK)
        rc = migrate_run(file->db, file->spec->migrations,
                         file->spec->migration_len, version);
    if (rc == SQLITE_OK)
        return OK;
    buf_printf(why, "%s: the tables could not be brought up to date: %s",
               file->path, sqlite3_errmsg(file->db));
    return dbfile_fail(file, rc);
}

static enum err
begin_wal(struct dbfile *file, struct buf *why)
{
    sqlite3_stmt *stmt = NULL;
    int rc = sqlite3_prepare_v2(file->db, "PRAGMA journal_mode = WAL", -1,
                                &stmt, NULL);

    if (rc == SQLITE_OK)
        rc = sqlite3_step(stmt);
    const char *mode =
        rc == SQLITE_ROW ? (const char *)sqlite3_column_text(stmt, 0) : NULL;
    enum err err = dbfile_fail(file, rc);
    if (!err && (!mode || strcmp(mode, "wal") != 0))
        err = ERR_STORE;
    sqlite3_finalize(stmt);
    if (!err)
        err = dbfile_exec(file, file->sync == DBFILE_SYNC_FULL
                                    ? "PRAGMA synchronous = FULL"
                                    : "PRAGMA synchronous = NORMAL");
    if (!err)
        err = dbfile_exec(file, "PRAGMA journal_size_limit = " WAL_KEEP_BYTES);
    if (err)
        buf_printf(why, "%s: cannot keep a write-ahead log: %s", file->path,
                   sqlite3_errmsg(file->db));
    sqlite3_wal_autocheckpoint(file->db, 0);
    sqlite3_wal_hook(file->db, note_wal_pages, file);
    return err;
}

enum err
dbfile_prepare(struct dbfile *file, const char *const *sql, size_t len,
               sqlite3_stmt **out)
{
    for (size_t i = 0; i < len; i++) {
        int rc = sqlite3_prepare_v3(file->db, sql[i], -1,
                                    SQLITE_PREPARE_PERSISTENT, &out[i], NULL);
        if (rc == SQLITE_OK)
            continue;
        enum err err = dbfile_fail(file, rc);
        return (rc & 0xff) == SQLITE_ERROR ? ERR_CORRUPT : err;
    }
    return OK;
}

void
dbfile_finalize(sqlite3_stmt **stmts, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        sqlite3_finalize(stmts[i]);
        stmts[i] = NULL;
    }
}

static enum err
begin(struct dbfile *file, const char *dir, const struct dbfile_spec *spec)
{
    *file = (struct dbfile){
        .spec = spec,
        .dir = strdup(dir),
        .path = files_path(dir, spec->file),
        .lock_fd = -1,
    };
    return file->dir && file->path ? OK : ERR_NOMEM;
}

enum err
dbfile_open(struct dbfile *file, const char *dir,
            const struct dbfile_spec *spec, enum dbfile_sync sync,
            struct buf *why)
{
    int64_t version = 0;
    enum err err = begin(file, dir, spec);

    file->sync = sync;
    if (err || (err = files_make_dir(dir, why)) ||
        (err = remains_lock(file, why)) || (err = open_file(file, why)))
        return err;
    err = read_version(file, &version, why);
    if (!err || err == ERR_INVALID)
        err = check_version(file, version, err, why);
    if (err || (err = check_writable(file, why)) ||
        (err = whole_check(file, why)) || (err = begin_wal(file, why)) ||
        (err = update_tables(file, version, why)))
        return err;
    if ((err = checkpoint_first(file))) {
        say(file, why);
        return err;
    }
    return index_room_take(file->dir, file->path, why);
}

/* A missing file is told from one that cannot be read before SQLite is asked,
 * because it has one word for both. */
static enum err
check_readable(const char *path, struct buf *why)
{
    if (access(path, R_OK) == 0)
        return OK;
    int code = errno;
    buf_printf(why, "cannot read %s: %s", path, strerror(code));
    if (code == ENOENT || code == ENOTDIR)
        return ERR_NOT_FOUND;
    return code == EACCES ? ERR_DENIED : ERR_STORE;
}

enum err
dbfile_open_read(struct dbfile *file, const char *dir,
                 const struct dbfile_spec *spec, struct buf *why)
{
    int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX |
                SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_EXRESCODE;
    int64_t version = 0;
    enum err err = begin(file, dir, spec);

    if (err || (err = check_readable(file->path, why)))
        return err;
    if ((err = dbfile_fail(
             file, sqlite3_open_v2(file->path, &file->db, flags, NULL))) ||
        (err = configure(file)) ||
        (err = dbfile_exec(file, "PRAGMA query_only = ON"))) {
        buf_printf(why, "cannot open %s: %s", file->path,
                   file->db ? sqlite3_errmsg(file->db) : "out of memory");
        return err;
    }
    if ((err = read_version(file, &version, why)))
        return err;
    if (version != (int64_t)spec->migration_len) {
        buf_printf(why, "%s has tables %lld, known %zu", file->path,
                   (long long)version, spec->migration_len);
        return version ? ERR_INVALID : ERR_NOT_FOUND;
    }
    return OK;
}

void
dbfile_drop(struct dbfile *file)
{
    sqlite3_close(file->db);
    if (file->lock_fd >= 0)
        close(file->lock_fd);
    free(file->path);
    free(file->dir);
    *file = (struct dbfile){.lock_fd = -1};
}

void
dbfile_close(struct dbfile *file)
{
    if (file->db && checkpoint_last(file))
        whole_seal(file);
    dbfile_drop(file);
}

enum err
dbfile_set_aside(struct dbfile *file, uint64_t now_ns, struct buf *why)
{
    metrics_add(METRIC_DATABASES_DAMAGED, 1);
    sqlite3_close(file->db);
    file->db = NULL;
    whole_unseal(file->dir, file->spec->file);
    moved_forget(file);
    return files_set_aside(file->dir, file->spec->file, now_ns / NS_PER_S, why);
}

/* What a file said that was asked past SQLite, that does not know of. */
static void
tell(const struct dbfile *file, int rc)
{
    char lack[LACK_TEXT_CAP];
    const char *lacking = lack_text(rc, lack);
    bool is_known = file->db && sqlite3_extended_errcode(file->db) == rc;

    log_error("the database refused", "sqlite", "%s (%d)%s",
              is_known ? sqlite3_errmsg(file->db) : sqlite3_errstr(rc), rc,
              lacking);
}

/* Whether a sync may be what failed: that there is no room, too, some systems
 * find out as late as that. */
static bool
may_have_lost(int code)
{
    return code == SQLITE_IOERR || code == SQLITE_FULL;
}

enum err
dbfile_fail(struct dbfile *file, int rc)
{
    int code = rc & 0xff;

    if (code == SQLITE_OK || code == SQLITE_ROW || code == SQLITE_DONE)
        return OK;
    tell(file, rc);
    if (code == SQLITE_NOMEM)
        return ERR_NOMEM;
    if (may_have_lost(code))
        file->in_doubt |= !file->is_settled;
    if (code != SQLITE_CORRUPT && code != SQLITE_NOTADB)
        return ERR_STORE;
    files_mark_suspect(file->dir, file->spec->file);
    return ERR_CORRUPT;
}

enum err
dbfile_run(struct dbfile *file, sqlite3_stmt *stmt)
{
    int rc = sqlite3_step(stmt);

    enum err err = rc == SQLITE_DONE ? OK : dbfile_fail(file, rc);
    sqlite3_reset(stmt);
    return err;
}

bool
dbfile_next(struct dbfile *file, sqlite3_stmt *stmt, enum err *err)
{
    int rc = sqlite3_step(stmt);

    if (rc == SQLITE_ROW)
        return true;
    *err = dbfile_fail(file, rc);
    sqlite3_reset(stmt);
    return false;
}

enum err
dbfile_exec(struct dbfile *file, const char *sql)
{
    return dbfile_fail(file, sqlite3_exec(file->db, sql, NULL, NULL, NULL));
}

enum err
dbfile_query_int(struct dbfile *file, const char *sql, int64_t *out)
{
    sqlite3_stmt *stmt = NULL;
    int rc = sqlite3_prepare_v2(file->db, sql, -1, &stmt, NULL);

    if (rc == SQLITE_OK)
        rc = sqlite3_step(stmt);
    *out = rc == SQLITE_ROW ? sqlite3_column_int64(stmt, 0) : 0;
    enum err err = dbfile_fail(file, rc);
    sqlite3_finalize(stmt);
    return err;
}

enum err
dbfile_sync_commits(struct dbfile *file, bool synced)
{
    bool lazy = file->sync == DBFILE_SYNC_FULL && !synced;
    enum err err = OK;

    if (lazy != file->is_lazy)
        err = dbfile_exec(file, lazy ? "PRAGMA synchronous = NORMAL"
                                     : "PRAGMA synchronous = FULL");
    if (!err)
        file->is_lazy = lazy;
    return err;
}
