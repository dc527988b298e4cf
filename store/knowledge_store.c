/*
 * The file itself is store/dbfile.h.  Statements are prepared when first used,
 * since most processes use few of them.  A failure stays with its statement
 * until ks_end, so that a loop need not ask at each step.
 */
#include "store/knowledge_store.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "store/checkpoint.h"
#include "store/dbfile.h"
#include "store/files.h"
#include "store/knowledge_schema.h"

struct knowledge_store {
    struct dbfile file;
    struct dbfile_spec spec;
    bool is_reader;
    sqlite3_stmt *stmts[KS_SQL_COUNT];
    enum err errs[KS_SQL_COUNT];
    struct ks_value rows[KS_SQL_COUNT][KS_COLUMNS_MAX];
    uint64_t deadline_ns;
};

static void
release(struct knowledge_store *ks)
{
    dbfile_finalize(ks->stmts, KS_SQL_COUNT);
    dbfile_drop(&ks->file);
    free(ks);
}

static struct knowledge_store *
make(bool is_reader)
{
    struct knowledge_store *ks = calloc(1, sizeof(*ks));

    if (!ks)
        return NULL;
    ks->is_reader = is_reader;
    ks->file.lock_fd = -1;
    ks->spec = (struct dbfile_spec){
        .file = KNOWLEDGE_STORE_FILE,
        .lock = KNOWLEDGE_STORE_LOCK,
        .migrations = knowledge_schema_migrations,
        .migration_len = knowledge_schema_len,
        .check_max = 8 << 20,
    };
    return ks;
}

enum err
knowledge_store_open(struct knowledge_store **out, const char *dir,
                     bool is_durable, uint64_t now_ns, struct buf *why)
{
    struct knowledge_store *ks = make(false);
    enum err err;

    *out = NULL;
    if (!ks)
        return ERR_NOMEM;
    err = dbfile_open(&ks->file, dir, &ks->spec,
                      is_durable ? DBFILE_SYNC_FULL : DBFILE_SYNC_OS, why);
    if (!err)
        err = dbfile_exec(&ks->file, "PRAGMA foreign_keys = ON");
    if (err == ERR_CORRUPT && dbfile_set_aside(&ks->file, now_ns, why))
        err = ERR_STORE; /* asking again would find it again */
    if (err) {
        release(ks);
        return err;
    }
    *out = ks;
    return OK;
}

enum err
knowledge_store_open_read(struct knowledge_store **out, const char *dir,
                          struct buf *why)
{
    struct knowledge_store *ks = make(true);
    enum err err;

    *out = NULL;
    if (!ks)
        return ERR_NOMEM;
    err = dbfile_open_read(&ks->file, dir, &ks->spec, why);
    if (err)
        release(ks);
    else
        *out = ks;
    return err;
}

void
knowledge_store_close(struct knowledge_store *ks)
{
    if (!ks)
        return;
    ks_rollback(ks);
    dbfile_finalize(ks->stmts, KS_SQL_COUNT);
    if (!ks->is_reader)
        dbfile_close(&ks->file);
    release(ks);
}

/* A reader's deferred transaction begins with its first read; reading at once
 * makes the moment the caller's. */
enum err
ks_begin(struct knowledge_store *ks)
{
    enum err err = ks->is_reader ? OK : dbfile_ready(&ks->file);

    if (!err)
        err = dbfile_exec(&ks->file, ks->is_reader ? "BEGIN; SELECT 1 FROM meta"
                                                   : "BEGIN IMMEDIATE");
    if (err)
        ks_rollback(ks);
    return err;
}

enum err
ks_commit(struct knowledge_store *ks)
{
    enum err err = dbfile_exec(&ks->file, "COMMIT");

    if (err)
        ks_rollback(ks);
    else if (!ks->is_reader)
        (void)dbfile_checkpoint(&ks->file); /* said there; all is committed */
    return err;
}

void
ks_rollback(struct knowledge_store *ks)
{
    for (int i = 0; i < KS_SQL_COUNT; i++) {
        if (ks->stmts[i])
            sqlite3_reset(ks->stmts[i]);
        ks->errs[i] = OK;
    }
    if (ks->file.db && !sqlite3_get_autocommit(ks->file.db))
        (void)dbfile_exec(&ks->file, "ROLLBACK");
}

static int
bind(sqlite3_stmt *stmt, int at, const struct ks_value *value)
{
    switch (value->type) {
    case KS_INT:
        return sqlite3_bind_int64(stmt, at, value->num);
    case KS_REAL:
        return sqlite3_bind_double(stmt, at, value->real);
    case KS_TEXT:
        return sqlite3_bind_text64(
            stmt, at, value->text.ptr ? value->text.ptr : "", value->text.len,
            SQLITE_TRANSIENT, SQLITE_UTF8);
    case KS_BLOB:
        return sqlite3_bind_blob64(stmt, at,
                                   value->text.ptr ? value->text.ptr : "",
                                   value->text.len, SQLITE_TRANSIENT);
    case KS_NULL:
        break;
    }
    return sqlite3_bind_null(stmt, at);
}

void
ks_ask(struct knowledge_store *ks, enum ks_sql sql, const struct ks_value *args,
       size_t len)
{
    enum err err = OK;

    if (!ks->stmts[sql])
        err =
            dbfile_prepare(&ks->file, &knowledge_sql[sql], 1, &ks->stmts[sql]);
    else
        sqlite3_reset(ks->stmts[sql]);
    if (!err)
        sqlite3_clear_bindings(ks->stmts[sql]);
    for (size_t i = 0; i < len && !err; i++)
        err =
            dbfile_fail(&ks->file, bind(ks->stmts[sql], (int)i + 1, &args[i]));
    ks->errs[sql] = err;
}

static struct ks_value
column(sqlite3_stmt *stmt, int at)
{
    struct ks_value value = {.type = KS_NULL, .text = {"", 0}};

    switch (sqlite3_column_type(stmt, at)) {
    case SQLITE_INTEGER:
        value.type = KS_INT;
        value.num = sqlite3_column_int64(stmt, at);
        value.real = (double)value.num;
        break;
    case SQLITE_FLOAT:
        value.type = KS_REAL;
        value.real = sqlite3_column_double(stmt, at);
        value.num = (int64_t)value.real;
        break;
    case SQLITE_TEXT:
        value.type = KS_TEXT;
        value.text.ptr = (const char *)sqlite3_column_text(stmt, at);
        value.text.len = (size_t)sqlite3_column_bytes(stmt, at);
        break;
    case SQLITE_BLOB:
        value.type = KS_BLOB;
        value.text.ptr = sqlite3_column_blob(stmt, at);
        value.text.len = (size_t)sqlite3_column_bytes(stmt, at);
        break;
    default:
        break;
    }
    return value;
}

bool
ks_next(struct knowledge_store *ks, enum ks_sql sql,
        const struct ks_value **row)
{
    sqlite3_stmt *stmt = ks->stmts[sql];

    if (ks->errs[sql])
        return false;
    if (!dbfile_next(&ks->file, stmt, &ks->errs[sql]))
        return false;
    int columns = sqlite3_column_count(stmt);
    for (int i = 0; i < columns && i < KS_COLUMNS_MAX; i++)
        ks->rows[sql][i] = column(stmt, i);
    *row = ks->rows[sql];
    return true;
}

enum err
ks_end(struct knowledge_store *ks, enum ks_sql sql)
{
    enum err err = ks->errs[sql];

    if (ks->stmts[sql])
        sqlite3_reset(ks->stmts[sql]);
    ks->errs[sql] = OK;
    return err;
}

enum err
ks_run(struct knowledge_store *ks, enum ks_sql sql, const struct ks_value *args,
       size_t len)
{
    const struct ks_value *row;

    ks_ask(ks, sql, args, len);
    while (ks_next(ks, sql, &row))
        ;
    return ks_end(ks, sql);
}

enum err
ks_number(struct knowledge_store *ks, enum ks_sql sql,
          const struct ks_value *args, size_t len, int64_t *out)
{
    const struct ks_value *row;

    *out = 0;
    ks_ask(ks, sql, args, len);
    if (ks_next(ks, sql, &row))
        *out = row[0].num;
    return ks_end(ks, sql);
}

int64_t
ks_last_id(const struct knowledge_store *ks)
{
    return sqlite3_last_insert_rowid(ks->file.db);
}

int64_t
ks_changes(const struct knowledge_store *ks)
{
    return sqlite3_changes64(ks->file.db);
}

const char *
ks_message(const struct knowledge_store *ks)
{
    return sqlite3_errmsg(ks->file.db);
}

static int
is_over(void *ctx)
{
    const struct knowledge_store *ks = ctx;

    return clock_mono_ns() > ks->deadline_ns;
}

void
ks_until(struct knowledge_store *ks, uint64_t deadline_ns)
{
    enum { STEPS = 2000 }; /* of its machine, between two looks at the clock */

    ks->deadline_ns = deadline_ns;
    sqlite3_progress_handler(ks->file.db, deadline_ns ? STEPS : 0,
                             deadline_ns ? is_over : NULL, ks);
}

int64_t
ks_bytes(const struct knowledge_store *ks)
{
    return files_size(ks->file.path);
}
