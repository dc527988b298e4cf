/*
 * Opening is a list of doubts, cheapest first: may we be here, is nobody else,
 * is it a database, is it ours, is it whole, is it of our time.  Whatever is
 * damaged is renamed, never repaired and never deleted.
 *
 * Checkpoints happen where the caller says and nowhere else.  A passive one
 * copies what no reader holds back; when readers overlap without a gap the WAL
 * would still grow, so beyond WAL_MAX_PAGES one waits a moment for them.
 */
#include "store/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "store/files.h"
#include "store/impl.h"
#include "store/migrate.h"
#include "store/schema.h"

enum {
    BUSY_MS = 1000,
    WAL_MIN_PAGES = 1000,  /* less is not worth a checkpoint; 4 MB */
    WAL_MAX_PAGES = 16384, /* 64 MB */
    WAL_WAIT_MS = 200,
};

#define WAL_KEEP_BYTES "67108864"

/* A larger file is checked whole only after damage was met: reading it all
 * would take longer than a start may. */
#define CHECK_WHOLE_MAX ((int64_t)256 << 20)

static int
note_wal_pages(void *ctx, sqlite3 *db, const char *name, int pages)
{
    struct store *st = ctx;

    (void)db;
    (void)name;
    st->wal_pages = pages;
    return SQLITE_OK;
}

/* What SQLite should not do for a file that somebody may have tampered with,
 * and what it should do for ours. */
static enum err
configure(struct store *st)
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
        (void)sqlite3_db_config(st->db, switches[i][0], switches[i][1], NULL);
    sqlite3_busy_timeout(st->db, BUSY_MS);
    /* Stubs hold no text, so what is deleted needs no overwriting. */
    return store_exec(st, "PRAGMA cell_size_check = ON;"
                          "PRAGMA mmap_size = 0;"
                          "PRAGMA secure_delete = OFF;"
                          "PRAGMA cache_size = -8192;"
                          "PRAGMA temp_store = MEMORY");
}

/* What is asked at first is so plain that, if SQLite finds it wrong, it is the
 * file that is: a format it does not know, tables it cannot make out. */
static enum err
blame(const struct store *st, enum err err)
{
    bool is_odd = err == ERR_STORE && st->db &&
                  (sqlite3_errcode(st->db) & 0xff) == SQLITE_ERROR;

    return is_odd ? ERR_CORRUPT : err;
}

static enum err
open_file(struct store *st, struct buf *why)
{
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX |
                SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_EXRESCODE;
    enum err err = files_touch(st->path, why);

    if (err)
        return err;
    if ((err =
             store_fail(st, sqlite3_open_v2(st->path, &st->db, flags, NULL))) ||
        (err = configure(st)))
        buf_printf(why, "%s: %s", st->path,
                   st->db ? sqlite3_errmsg(st->db) : "out of memory");
    return blame(st, err);
}

static enum err
read_version(struct store *st, int64_t *version, struct buf *why)
{
    int64_t application = 0;
    int64_t tables = 0;
    enum err err;

    if ((err = store_query_int(st, "PRAGMA application_id", &application)) ||
        (err = store_query_int(st, "PRAGMA user_version", version)) ||
        (err = store_query_int(st, "SELECT count(*) FROM sqlite_schema",
                               &tables))) {
        buf_printf(why, "%s: %s", st->path, sqlite3_errmsg(st->db));
        return blame(st, err);
    }
    if (application == 0 && *version == 0 && tables == 0)
        return OK; /* new */
    if (application != SCHEMA_APPLICATION_ID || *version <= 0) {
        buf_printf(why, "%s is a database of another program", st->path);
        return ERR_CORRUPT;
    }
    if (*version > (int64_t)schema_len) {
        buf_printf(why,
                   "%s was written by a newer version of this program (tables "
                   "%lld, known %zu)",
                   st->path, (long long)*version, schema_len);
        return ERR_INVALID;
    }
    return OK;
}

static enum err
check_whole(struct store *st, struct buf *why)
{
    bool suspect = files_is_suspect(st->dir);
    sqlite3_stmt *stmt = NULL;

    if (!suspect && files_size(st->path) > CHECK_WHOLE_MAX)
        return OK;
    int rc =
        sqlite3_prepare_v2(st->db, "PRAGMA quick_check(1)", -1, &stmt, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_step(stmt);
    const char *found = rc == SQLITE_ROW
                            ? (const char *)sqlite3_column_text(stmt, 0)
                            : sqlite3_errmsg(st->db);
    enum err err = store_fail(st, rc);
    if (!err && (!found || strcmp(found, "ok") != 0))
        err = ERR_CORRUPT;
    if (err)
        buf_printf(why, "%s is damaged: %s", st->path, found ? found : "");
    sqlite3_finalize(stmt);
    if (!err && suspect)
        files_clear_suspect(st->dir);
    return err;
}

static enum err
update_tables(struct store *st, int64_t version, struct buf *why)
{
    char name[64];
    int rc = SQLITE_OK;

    if (version == (int64_t)schema_len)
        return OK;
    if (version > 0) {
        snprintf(name, sizeof(name), STORE_FILE ".v%lld.bak",
                 (long long)version);
        char *backup = files_path(st->dir, name);
        rc = backup ? migrate_backup(st->db, backup) : SQLITE_NOMEM;
        free(backup);
    }
    if (rc == SQLITE_OK)
        rc = migrate_run(st->db, schema_migrations, schema_len, version);
    if (rc == SQLITE_OK)
        return OK;
    buf_printf(why, "%s: the tables could not be brought up to date: %s",
               st->path, sqlite3_errmsg(st->db));
    return store_fail(st, rc);
}

static enum err
begin_wal(struct store *st, enum store_sync sync, struct buf *why)
{
    sqlite3_stmt *stmt = NULL;
    int rc = sqlite3_prepare_v2(st->db, "PRAGMA journal_mode = WAL", -1, &stmt,
                                NULL);

    if (rc == SQLITE_OK)
        rc = sqlite3_step(stmt);
    const char *mode =
        rc == SQLITE_ROW ? (const char *)sqlite3_column_text(stmt, 0) : NULL;
    enum err err = store_fail(st, rc);
    if (!err && (!mode || strcmp(mode, "wal") != 0))
        err = ERR_STORE;
    sqlite3_finalize(stmt);
    if (!err)
        err = store_exec(st, sync == STORE_SYNC_FULL
                                 ? "PRAGMA synchronous = FULL"
                                 : "PRAGMA synchronous = NORMAL");
    if (!err)
        err = store_exec(st, "PRAGMA journal_size_limit = " WAL_KEEP_BYTES);
    if (err)
        buf_printf(why, "%s: cannot keep a write-ahead log: %s", st->path,
                   sqlite3_errmsg(st->db));
    sqlite3_wal_autocheckpoint(st->db, 0);
    sqlite3_wal_hook(st->db, note_wal_pages, st);
    return err;
}

static enum err
open_all(struct store *st, enum store_sync sync, struct buf *why)
{
    int64_t version = 0;
    enum err err;

    if ((err = open_file(st, why)) || (err = read_version(st, &version, why)) ||
        (err = check_whole(st, why)) || (err = begin_wal(st, sync, why)) ||
        (err = update_tables(st, version, why)))
        return err;
    if ((err = store_settle(st)) || (err = store_prepare_all(st)) ||
        (err = store_load_sums(st)))
        buf_printf(why, "%s: %s", st->path, sqlite3_errmsg(st->db));
    return err;
}

static void
close_database(struct store *st)
{
    for (int i = 0; i < STMT_COUNT; i++) {
        sqlite3_finalize(st->stmt[i]);
        st->stmt[i] = NULL;
    }
    sqlite3_close(st->db);
    st->db = NULL;
}

static void
release(struct store *st)
{
    close_database(st);
    if (st->lock_fd >= 0)
        close(st->lock_fd);
    buf_fini(&st->packed);
    free(st->path);
    free(st->dir);
    free(st);
}

enum err
store_open(struct store **out, const char *dir, enum store_sync sync,
           uint64_t now_ns, struct buf *why)
{
    struct store *st = calloc(1, sizeof(*st));
    enum err err = ERR_NOMEM;

    *out = NULL;
    if (!st)
        return ERR_NOMEM;
    st->lock_fd = -1;
    st->sync = sync;
    st->dir = strdup(dir);
    st->path = files_path(dir, STORE_FILE);
    if (!st->dir || !st->path)
        goto out;
    if ((err = files_make_dir(dir, why)) ||
        (err = files_lock(dir, &st->lock_fd, why)))
        goto out;
    err = open_all(st, sync, why);
    if (err == ERR_CORRUPT) {
        close_database(st);
        if (files_set_aside(dir, now_ns / NS_PER_S, why))
            err = ERR_STORE; /* asking again would find it again */
    }
    if (err)
        goto out;
    *out = st;
    st = NULL;
out:
    if (st)
        release(st);
    return err;
}

void
store_close(struct store *st)
{
    if (!st)
        return;
    store_rollback(st);
    int rc = sqlite3_wal_checkpoint_v2(st->db, NULL, SQLITE_CHECKPOINT_TRUNCATE,
                                       NULL, NULL);
    if (rc != SQLITE_BUSY) /* a reader is left; the next start goes on */
        (void)store_fail(st, rc);
    release(st);
}

void
store_set_aside(struct store *st, uint64_t now_ns, struct buf *why)
{
    if (!st)
        return;
    buf_printf(why, "%s is damaged", st->path);
    close_database(st);
    (void)files_set_aside(st->dir, now_ns / NS_PER_S, why);
    release(st);
}

enum err
store_begin(struct store *st)
{
    enum err err = st->in_doubt ? store_settle(st) : OK;

    return err ? err : store_run(st, st->stmt[STMT_BEGIN]);
}

enum err
store_commit(struct store *st)
{
    return store_run(st, st->stmt[STMT_COMMIT]);
}

void
store_rollback(struct store *st)
{
    st->sums_stale = true;
    if (st->db && !sqlite3_get_autocommit(st->db))
        (void)store_run(st, st->stmt[STMT_ROLLBACK]);
}

enum err
store_checkpoint(struct store *st)
{
    int mode = st->wal_pages > WAL_MAX_PAGES ? SQLITE_CHECKPOINT_TRUNCATE
                                             : SQLITE_CHECKPOINT_PASSIVE;

    if (st->wal_pages < WAL_MIN_PAGES)
        return OK;
    sqlite3_busy_timeout(st->db, WAL_WAIT_MS);
    int rc = sqlite3_wal_checkpoint_v2(st->db, NULL, mode, NULL, NULL);
    sqlite3_busy_timeout(st->db, BUSY_MS);
    if ((rc & 0xff) == SQLITE_BUSY) {
        log_warn("readers hold back the write-ahead log", "pages", "%d",
                 st->wal_pages);
        return OK;
    }
    if (rc == SQLITE_OK && mode == SQLITE_CHECKPOINT_TRUNCATE)
        st->wal_pages = 0;
    return store_fail(st, rc);
}

int64_t
store_size_bytes(const struct store *st)
{
    return files_size(st->path);
}
