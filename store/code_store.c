/*
 * The file itself is store/dbfile.h, the statements store/code_sql.c; here is
 * what is done with them.  Reading and writing are one struct, since a writer
 * must read what it is to change; a reader has no statement that writes.
 */
#include "store/code_store.h"

#include <stdlib.h>
#include <string.h>

#include "store/checkpoint.h"
#include "store/code_impl.h"
#include "store/code_schema.h"
#include "store/files.h"

static struct dbfile_spec
spec(void)
{
    return (struct dbfile_spec){
        .file = CODE_STORE_FILE,
        .lock = CODE_STORE_LOCK,
        .migrations = code_schema_migrations,
        .migration_len = code_schema_len,
        /* It is opened often and can be made again: looked at as a whole only
         * when something was wrong with it. */
        .check_max = 0,
    };
}

static void
release(struct code_store *cs)
{
    code_finalize(cs);
    dbfile_drop(&cs->file);
    free(cs);
}

static enum err
open_any(struct code_store *cs, const char *dir, struct buf *why)
{
    enum err err =
        cs->is_reader
            ? dbfile_open_read(&cs->file, dir, &cs->spec, why)
            : dbfile_open(&cs->file, dir, &cs->spec, DBFILE_SYNC_OS, why);

    if (err || !(err = code_prepare(cs)))
        return err;
    buf_printf(why, "%s: %s", cs->file.path, sqlite3_errmsg(cs->file.db));
    return err;
}

enum err
code_store_open(struct code_store **out, const char *dir, uint64_t now_ns,
                struct buf *why)
{
    struct code_store *cs = calloc(1, sizeof(*cs));

    *out = NULL;
    if (!cs)
        return ERR_NOMEM;
    cs->spec = spec();
    enum err err = open_any(cs, dir, why);
    if (err == ERR_CORRUPT) {
        code_finalize(cs);
        if (dbfile_set_aside(&cs->file, now_ns, why))
            err = ERR_STORE; /* asking again would find it again */
    }
    if (!err) {
        *out = cs;
        cs = NULL;
    }
    if (cs)
        release(cs);
    return err;
}

enum err
code_store_open_read(struct code_store **out, const char *dir, struct buf *why)
{
    struct code_store *cs = calloc(1, sizeof(*cs));

    *out = NULL;
    if (!cs)
        return ERR_NOMEM;
    cs->spec = spec();
    cs->is_reader = true;
    enum err err = open_any(cs, dir, why);
    if (err)
        release(cs);
    else
        *out = cs;
    return err;
}

void
code_store_close(struct code_store *cs)
{
    if (!cs)
        return;
    code_store_rollback(cs);
    code_finalize(cs);
    if (!cs->is_reader)
        dbfile_close(&cs->file);
    release(cs);
}

void
code_store_set_aside(struct code_store *cs, uint64_t now_ns, struct buf *why)
{
    if (!cs)
        return;
    buf_printf(why, "%s is damaged", cs->file.path);
    code_finalize(cs);
    (void)dbfile_set_aside(&cs->file, now_ns, why);
    release(cs);
}

void
code_store_suspect(struct code_store *cs)
{
    files_mark_suspect(cs->file.dir, CODE_STORE_FILE);
}

/* A reader's deferred transaction begins with its first read; reading at once
 * makes the moment the caller's. */
enum err
code_store_begin(struct code_store *cs)
{
    enum err err = cs->is_reader ? OK : dbfile_ready(&cs->file);

    if (!err)
        err = dbfile_exec(&cs->file, cs->is_reader ? "BEGIN; SELECT 1 FROM meta"
                                                   : "BEGIN IMMEDIATE");

    if (err)
        code_store_rollback(cs);
    return err;
}

enum err
code_store_commit(struct code_store *cs)
{
    enum err err = dbfile_exec(&cs->file, "COMMIT");

    if (err)
        code_store_rollback(cs);
    else if (!cs->is_reader)
        (void)dbfile_checkpoint(&cs->file); /* said there; all is committed */
    return err;
}

void
code_store_rollback(struct code_store *cs)
{
    if (cs->file.db && !sqlite3_get_autocommit(cs->file.db))
        (void)dbfile_exec(&cs->file, "ROLLBACK");
}

enum err
code_store_version(struct code_store *cs, int64_t *out)
{
    sqlite3_stmt *stmt = cs->stmt[CODE_VERSION];
    enum err err = OK;

    *out = 0;
    if (dbfile_next(&cs->file, stmt, &err))
        *out = sqlite3_column_int64(stmt, 0);
    sqlite3_reset(stmt);
    return err;
}

int64_t
code_store_size_bytes(const struct code_store *cs)
{
    return files_size(cs->file.path);
}

/* ---- rows ---- */

static int64_t
first_id(uint32_t repo)
{
    return (int64_t)((uint64_t)repo << CODE_ID_BITS);
}

static void
bind_range(sqlite3_stmt *stmt, uint32_t repo)
{
    sqlite3_bind_int64(stmt, 1, repo ? first_id(repo) : 0);
    sqlite3_bind_int64(stmt, 2, repo ? first_id(repo + 1) - 1 : INT64_MAX);
}

enum err
code_store_add(struct code_store *cs, enum code_table table,
               const struct code_row *row)
{
    const struct code_table_spec *shape = &code_tables[table];
    sqlite3_stmt *stmt = cs->rows[table][ROW_ADD];
    int at = 4;

    sqlite3_bind_int64(stmt, 1, (int64_t)row->id);
    sqlite3_bind_int64(stmt, 2, row->born);
    sqlite3_bind_int64(stmt, 3, row->died);
    for (int i = 0; i < shape->int_len; i++)
        sqlite3_bind_int64(stmt, at++, row->ints[i]);
    for (int i = 0; i < shape->text_len; i++, at++)
        if (shape->blobs >> i & 1)
            code_bind_blob(stmt, at, row->texts[i]);
        else
            code_bind_text(stmt, at, row->texts[i]);
    return dbfile_run(&cs->file, stmt);
}

enum err
code_store_end(struct code_store *cs, enum code_table table, uint64_t id,
               uint32_t died)
{
    sqlite3_stmt *stmt = cs->rows[table][ROW_END];

    sqlite3_bind_int64(stmt, 1, (int64_t)id);
    sqlite3_bind_int64(stmt, 3, died);
    return dbfile_run(&cs->file, stmt);
}

enum err
code_store_remove(struct code_store *cs, enum code_table table, uint64_t id)
{
    sqlite3_stmt *stmt = cs->rows[table][ROW_REMOVE];

    sqlite3_bind_int64(stmt, 1, (int64_t)id);
    return dbfile_run(&cs->file, stmt);
}

static void
read_row(sqlite3_stmt *stmt, const struct code_table_spec *shape,
         struct code_row *row)
{
    int at = 3;

    row->id = (uint64_t)sqlite3_column_int64(stmt, 0);
    row->born = (uint32_t)sqlite3_column_int64(stmt, 1);
    row->died = (uint32_t)sqlite3_column_int64(stmt, 2);
    for (int i = 0; i < shape->int_len; i++)
        row->ints[i] = sqlite3_column_int64(stmt, at++);
    for (int i = 0; i < shape->text_len; i++)
        row->texts[i] = code_column(stmt, at++);
}

enum err
code_store_each(struct code_store *cs, enum code_table table,
                struct code_when when, code_row_fn *fn, void *ctx)
{
    enum code_verb verb = when.generation == 0          ? ROWS_NOW
                          : when.generation == CODE_ALL ? ROWS_ALL
                                                        : ROWS_THEN;
    sqlite3_stmt *stmt = cs->rows[table][verb];
    struct code_row row = {0};
    enum err err = OK;

    bind_range(stmt, when.repo);
    if (verb == ROWS_THEN)
        sqlite3_bind_int64(stmt, 3, when.generation);
    while (!err && dbfile_next(&cs->file, stmt, &err)) {
        read_row(stmt, &code_tables[table], &row);
        err = fn(ctx, &row);
    }
    sqlite3_reset(stmt);
    return err;
}

static enum err
drop_rows(struct code_store *cs, enum code_verb verb, uint32_t repo,
          uint32_t generation)
{
    enum err err = OK;

    for (int table = 0; table < CODE_TABLES && !err; table++) {
        sqlite3_stmt *stmt = cs->rows[table][verb];
        bind_range(stmt, repo);
        if (verb == ROWS_DROP_ENDED)
            sqlite3_bind_int64(stmt, 3, generation);
        err = dbfile_run(&cs->file, stmt);
    }
    return err;
}

enum err
code_store_drop_before(struct code_store *cs, uint32_t repo,
                       uint32_t generation)
{
    enum err err = dbfile_run(
        &cs->file, CODE_BIND(cs, CODE_DROP_SNAPSHOTS, repo, generation));

    if (!err)
        err = drop_rows(cs, ROWS_DROP_ENDED, repo, generation);
    return err ? err : dbfile_run(&cs->file, cs->stmt[CODE_DROP_FACTS]);
}
