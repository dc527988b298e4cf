/*
 * The file itself is store/dbfile.h; here are the tables of what traces tell.
 */
#include "store/store.h"

#include <stdlib.h>

#include "store/checkpoint.h"
#include "store/files.h"
#include "store/impl.h"
#include "store/schema.h"

/* A larger file is checked whole only after damage was met: reading it all
 * would take longer than a start may. */
#define CHECK_WHOLE_MAX ((int64_t)256 << 20)

static enum err
open_all(struct store *st, const char *dir, enum store_sync sync,
         uint64_t now_ns, struct buf *why)
{
    enum dbfile_sync how =
        sync == STORE_SYNC_FULL ? DBFILE_SYNC_FULL : DBFILE_SYNC_OS;
    enum err err = dbfile_open(&st->file, dir, &st->spec, how, why);

    if (err)
        return err;
    if ((err = store_prepare_all(st)))
        buf_printf(why, "%s: %s", st->file.path, sqlite3_errmsg(st->file.db));
    else if ((err = store_open_journal(st, now_ns)))
        buf_printf(why, "the journal of %s cannot be opened: %s", st->file.path,
                   err_str(err));
    return err;
}

static void
release(struct store *st)
{
    dbfile_finalize(st->stmt, STMT_COUNT);
    journal_log_close(st->log);
    dbfile_drop(&st->file);
    buf_fini(&st->carried);
    buf_fini(&st->lost);
    free(st);
}

enum err
store_open(struct store **out, const char *dir, enum store_sync sync,
           uint64_t now_ns, struct buf *why)
{
    struct store *st = calloc(1, sizeof(*st));

    *out = NULL;
    if (!st)
        return ERR_NOMEM;
    st->spec = (struct dbfile_spec){
        .file = STORE_FILE,
        .lock = STORE_LOCK,
        .migrations = schema_migrations,
        .migration_len = schema_len,
        .check_max = CHECK_WHOLE_MAX,
        .is_sealed = true,
        .is_alone = true,
    };
    enum err err = open_all(st, dir, sync, now_ns, why);
    if (err == ERR_CORRUPT) {
        dbfile_finalize(st->stmt, STMT_COUNT);
        if (dbfile_set_aside(&st->file, now_ns, why))
            err = ERR_STORE; /* asking again would find it again */
    }
    if (!err) {
        *out = st;
        st = NULL;
    }
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
    dbfile_finalize(st->stmt, STMT_COUNT);
    dbfile_close(&st->file);
    release(st);
}

void
store_set_aside(struct store *st, uint64_t now_ns, struct buf *why)
{
    if (!st)
        return;
    buf_printf(why, "%s is damaged", st->file.path);
    dbfile_finalize(st->stmt, STMT_COUNT);
    (void)dbfile_set_aside(&st->file, now_ns, why);
    release(st);
}

void
store_set_up(void)
{
    (void)sqlite3_config(SQLITE_CONFIG_PAGECACHE, NULL, 0, 0);
}

static enum err
begin(struct store *st, bool lazily)
{
    enum err err = dbfile_ready(&st->file);

    if (!err)
        err = dbfile_sync_commits(&st->file, !lazily);
    return err ? err : store_run(st, st->stmt[STMT_BEGIN]);
}

enum err
store_begin(struct store *st)
{
    return begin(st, false);
}

enum err
store_begin_lazily(struct store *st)
{
    return begin(st, true);
}

static enum err
note_change(struct store *st, const char *what)
{
    sqlite3_stmt *stmt = st->stmt[STMT_NOTE_CHANGE];

    sqlite3_bind_text(stmt, 1, what, -1, SQLITE_STATIC);
    return store_run(st, stmt);
}

/* There is a commit every second that only says that we are here. */
static enum err
note_changes(struct store *st)
{
    enum err err = OK;

    if (st->nodes_put || !st->is_noted)
        err = note_change(st, "nodes_version");
    if (!err && (st->nodes_put || st->graph_put || !st->is_noted))
        err = note_change(st, "graph_version");
    return err;
}

enum err
store_commit(struct store *st)
{
    enum err err = note_changes(st);

    if (!err)
        err = store_run(st, st->stmt[STMT_COMMIT]);
    if (err)
        return err;
    st->is_noted = true;
    st->graph_put = false;
    if (st->file.sync != DBFILE_SYNC_FULL || st->file.is_lazy)
        st->nodes_are_soft |= st->nodes_put;
    st->nodes_put = false;
    st->lost_kept = st->lost_put;
    store_drop_dead(st);
    return OK;
}

void
store_rollback(struct store *st)
{
    st->sums_stale = true;
    st->is_dropping = false;
    st->nodes_put = false;
    st->graph_put = false;
    st->lost_put = st->lost_kept;
    if (st->file.db && !sqlite3_get_autocommit(st->file.db))
        (void)store_run(st, st->stmt[STMT_ROLLBACK]);
}

enum err
store_checkpoint(struct store *st)
{
    return dbfile_checkpoint(&st->file);
}

bool
store_checkpoint_is_due(const struct store *st)
{
    return dbfile_checkpoint_is_due(&st->file);
}

enum err
store_checkpoint_step(struct store *st)
{
    return dbfile_checkpoint_step(&st->file);
}

int64_t
store_wal_bytes(const struct store *st)
{
    struct buf path = {0};
    int64_t bytes;

    buf_printf(&path, "%s-wal", st->file.path);
    bytes = path.failed ? 0 : files_size(buf_cstr(&path));
    buf_fini(&path);
    return bytes;
}

int64_t
store_size_bytes(const struct store *st)
{
    return files_size(st->file.path) + journal_log_bytes(st->log);
}
