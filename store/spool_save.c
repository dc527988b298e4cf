/*
 * SQLite is shown the damaged database under another name, and beside that a
 * log that it reads to the end (store/wal.h): so what it makes of the two
 * changes neither.  A database that is gone is shown as a page of zeros, for
 * its log may have all of it.
 *
 * A damaged page of the log can hide all that it leads to, and so can the one
 * that was there before: both are tried, and that which shows more is taken.
 *
 * Rows are read by rising seq, one at a time.  Where SQLite meets damage the
 * next seq is tried: so what a damaged page held is left out, and no more.
 */
#include "store/spool_save.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/log.h"
#include "store/files.h"
#include "store/migrate.h"
#include "store/spool.h"
#include "store/wal.h"

#define LOOK_FILE   SPOOL_FILE ".look"
#define SAVED_FILE  SPOOL_FILE ".saved"
#define SECOND_FILE SPOOL_FILE ".second"

enum {
    EMPTY_PAGE = 4096,
    TRIES_MAX = 65536, /* seqs in a row that cannot be read */
};

struct saving {
    char *look;  /* path */
    char *saved; /* path */
    sqlite3 *from;
    sqlite3 *to;
    uint64_t parts;
};

/* Removes what SQLite has of the database |path|. */
static void
remove_files(const char *path)
{
    static const char *const suffixes[] = {"", "-wal", "-shm", "-journal"};
    struct buf name = {0};

    for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
        buf_reset(&name);
        buf_printf(&name, "%s%s", path, suffixes[i]);
        if (!name.failed)
            (void)unlink(buf_cstr(&name));
    }
    buf_fini(&name);
}

/* ---- what is shown ---- */

static enum err
make_empty(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    bool is_made = fd >= 0 && ftruncate(fd, EMPTY_PAGE) == 0;

    if (fd >= 0)
        close(fd);
    return is_made ? OK : ERR_STORE;
}

static enum err
show(const struct dbfile *file, const char *look, bool with_damaged)
{
    struct buf from = {0};
    struct buf to = {0};
    enum err err;

    remove_files(look);
    if (files_size(file->path) > 0)
        err = link(file->path, look) == 0 ? OK : ERR_UNSUPPORTED;
    else
        err = make_empty(look);
    buf_printf(&from, "%s-wal", file->path);
    buf_printf(&to, "%s-wal", look);
    if (!err && (from.failed || to.failed))
        err = ERR_NOMEM;
    if (!err)
        err = wal_mend(buf_cstr(&from), buf_cstr(&to), with_damaged);
    buf_fini(&from);
    buf_fini(&to);
    return err == ERR_NOT_FOUND ? OK : err;
}

/* ---- copying ---- */

#define COLUMNS "seq, batch, at_ns, raw, spans, hash, data"
enum { COLUMN_COUNT = 7 };

struct table {
    const char *select;
    const char *insert;
};

static const struct table parts = {
    "SELECT " COLUMNS " FROM part WHERE seq >= ?1 ORDER BY seq LIMIT 1",
    "INSERT INTO part (" COLUMNS ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
};
static const struct table asides = {
    "SELECT " COLUMNS " FROM aside WHERE seq >= ?1 ORDER BY seq LIMIT 1",
    "INSERT INTO aside (" COLUMNS ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
};

static int
copy_row(sqlite3_stmt *row, sqlite3_stmt *insert)
{
    for (int i = 0; i < COLUMN_COUNT; i++)
        sqlite3_bind_value(insert, i + 1, sqlite3_column_value(row, i));
    int rc = sqlite3_step(insert);
    sqlite3_clear_bindings(insert);
    return sqlite3_reset(insert) == SQLITE_OK ? SQLITE_OK : rc & 0xff;
}

/* Whether the new database failed, and not a row that makes no sense. */
static bool
is_fatal(int rc)
{
    return rc != SQLITE_OK && rc != SQLITE_CONSTRAINT && rc != SQLITE_MISMATCH;
}

static int
copy_rows(struct saving *saving, sqlite3_stmt *select, sqlite3_stmt *insert)
{
    int64_t seq = 1;
    int tries = 0;
    int rc = SQLITE_OK;

    while (tries < TRIES_MAX && !is_fatal(rc)) {
        sqlite3_bind_int64(select, 1, seq);
        int found = sqlite3_step(select);
        int64_t at = sqlite3_column_int64(select, 0);
        if (found == SQLITE_DONE)
            break;
        if (found == SQLITE_ROW && at >= seq && at < INT64_MAX) {
            rc = copy_row(select, insert);
            saving->parts += rc == SQLITE_OK;
            seq = at + 1;
            tries = 0;
        } else {
            seq++;
            tries++;
        }
        sqlite3_reset(select);
    }
    sqlite3_reset(select);
    return is_fatal(rc) ? rc : SQLITE_OK;
}

static int
copy_table(struct saving *saving, const struct table *table)
{
    sqlite3_stmt *select = NULL;
    sqlite3_stmt *insert = NULL;
    int rc = sqlite3_prepare_v2(saving->to, table->insert, -1, &insert, NULL);

    /* Tables that cannot be made out have no rows for us. */
    if (rc == SQLITE_OK && sqlite3_prepare_v2(saving->from, table->select, -1,
                                              &select, NULL) == SQLITE_OK)
        rc = copy_rows(saving, select, insert);
    sqlite3_finalize(select);
    sqlite3_finalize(insert);
    return rc;
}

/* Requests that came before are known as far as that can be read. */
static int
copy_seen(struct saving *saving)
{
    sqlite3_stmt *select = NULL;
    sqlite3_stmt *insert = NULL;
    int rc = sqlite3_prepare_v2(
        saving->to,
        "INSERT OR IGNORE INTO seen (digest, at_ns) VALUES (?1, ?2)", -1,
        &insert, NULL);

    if (rc == SQLITE_OK &&
        sqlite3_prepare_v2(saving->from,
                           "SELECT digest, at_ns FROM seen ORDER BY id", -1,
                           &select, NULL) == SQLITE_OK)
        while (!is_fatal(rc) && sqlite3_step(select) == SQLITE_ROW) {
            sqlite3_bind_value(insert, 1, sqlite3_column_value(select, 0));
            sqlite3_bind_value(insert, 2, sqlite3_column_value(select, 1));
            (void)sqlite3_step(insert);
            rc = sqlite3_reset(insert) & 0xff;
        }
    sqlite3_finalize(select);
    sqlite3_finalize(insert);
    return is_fatal(rc) ? rc : SQLITE_OK;
}

static int
copy_all(struct saving *saving, const struct dbfile_spec *spec)
{
    int rc = migrate_run(saving->to, spec->migrations, spec->migration_len, 0);

    if (rc == SQLITE_OK)
        rc = sqlite3_exec(saving->to, "BEGIN", NULL, NULL, NULL);
    if (rc == SQLITE_OK)
        rc = copy_table(saving, &parts);
    if (rc == SQLITE_OK)
        rc = copy_table(saving, &asides);
    if (rc == SQLITE_OK)
        rc = copy_seen(saving);
    if (rc == SQLITE_OK)
        rc = sqlite3_exec(saving->to, "COMMIT", NULL, NULL, NULL);
    return rc;
}

/* ---- all of it ---- */

static enum err
open_both(struct saving *saving)
{
    struct buf why = {0};
    enum err err = files_touch(saving->saved, &why);

    buf_fini(&why);
    if (err)
        return err;
    if (sqlite3_open_v2(saving->look, &saving->from, SQLITE_OPEN_READWRITE,
                        NULL) ||
        sqlite3_db_config(saving->from, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1,
                          NULL) ||
        sqlite3_db_config(saving->from, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL) ||
        sqlite3_db_config(saving->from, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0,
                          NULL) ||
        sqlite3_exec(saving->from,
                     "PRAGMA query_only = ON; PRAGMA cell_size_check = ON",
                     NULL, NULL, NULL) ||
        sqlite3_open_v2(saving->saved, &saving->to, SQLITE_OPEN_READWRITE,
                        NULL))
        return ERR_STORE;
    return OK;
}

/* Saves to |name| what is read of the log |with_damaged| pages. */
static enum err
save(const struct dbfile *file, const char *name, bool with_damaged,
     uint64_t *parts_saved)
{
    struct saving saving = {
        .look = files_path(file->dir, LOOK_FILE),
        .saved = files_path(file->dir, name),
    };
    enum err err = saving.look && saving.saved ? OK : ERR_NOMEM;

    if (err)
        goto out;
    remove_files(saving.saved);
    if ((err = show(file, saving.look, with_damaged)) ||
        (err = open_both(&saving)))
        goto out;
    int rc = copy_all(&saving, file->spec);
    if (rc != SQLITE_OK) {
        log_error("what is left of the spool cannot be saved", "sqlite",
                  "%s (%d)", sqlite3_errmsg(saving.to), rc);
        err = ERR_STORE;
    }
    *parts_saved = saving.parts;
out:
    sqlite3_close(saving.from);
    sqlite3_close(saving.to);
    if (saving.look)
        remove_files(saving.look);
    if (err && saving.saved)
        remove_files(saving.saved);
    free(saving.look);
    free(saving.saved);
    return err;
}

enum err
spool_save(const struct dbfile *file, uint64_t *parts_saved)
{
    char *first = files_path(file->dir, SAVED_FILE);
    char *second = files_path(file->dir, SECOND_FILE);
    uint64_t without = 0;
    enum err err = first && second ? OK : ERR_NOMEM;

    *parts_saved = 0;
    if (!err)
        err = save(file, SAVED_FILE, true, parts_saved);
    if (!err)
        err = save(file, SECOND_FILE, false, &without);
    if (!err && without > *parts_saved) {
        *parts_saved = without;
        err = rename(second, first) == 0 ? OK : ERR_STORE;
    }
    if (second)
        remove_files(second);
    free(first);
    free(second);
    return err;
}

enum err
spool_take_saved(const char *dir)
{
    char *path = files_path(dir, SPOOL_FILE);
    char *saved = files_path(dir, SAVED_FILE);
    enum err err = path && saved ? OK : ERR_NOMEM;

    if (!err && access(path, F_OK) != 0 && access(saved, F_OK) == 0) {
        if (rename(saved, path) != 0 || files_sync_name(path) != 0)
            err = ERR_STORE;
    }
    free(path);
    free(saved);
    return err;
}
