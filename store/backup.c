#include "store/backup.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sqlite3.h>

#include "store/backup_journal.h"
#include "store/code_schema.h"
#include "store/code_store.h"
#include "store/files.h"
#include "store/knowledge_schema.h"
#include "store/knowledge_store.h"
#include "store/lack.h"
#include "store/schema.h"
#include "store/store.h"

enum { WAIT_MS = 5000 };

static const char *const lock_names[BACKUP_FILES] = {
    STORE_LOCK, CODE_STORE_LOCK, KNOWLEDGE_STORE_LOCK};

const char *const backup_files[BACKUP_FILES] = {STORE_FILE, CODE_STORE_FILE,
                                                KNOWLEDGE_STORE_FILE};

static enum err
fail(const char *file, sqlite3 *db, int rc, struct buf *why)
{
    char lack[LACK_TEXT_CAP];
    const char *lacking = lack_text(rc, lack);

    buf_printf(why, "%s: %s%s", file,
               db ? sqlite3_errmsg(db) : sqlite3_errstr(rc), lacking);
    switch (rc & 0xff) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return ERR_CORRUPT;
    case SQLITE_PERM:
    case SQLITE_READONLY:
        return ERR_DENIED;
    default:
        return ERR_STORE;
    }
}

static int
open_read(const char *file, sqlite3 **db)
{
    int rc = sqlite3_open_v2(file, db, SQLITE_OPEN_READONLY, NULL);

    if (rc == SQLITE_OK) {
        (void)sqlite3_db_config(*db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
        (void)sqlite3_db_config(*db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
        rc = sqlite3_busy_timeout(*db, WAIT_MS);
    }
    return rc;
}

/* All pages in one step, which is one moment of the source. */
static int
copy_pages(sqlite3 *from, sqlite3 *to)
{
    sqlite3_backup *backup = sqlite3_backup_init(to, "main", from, "main");
    int rc = backup ? sqlite3_backup_step(backup, -1) : sqlite3_errcode(to);

    if (backup && rc == SQLITE_DONE)
        rc = SQLITE_OK;
    int end = sqlite3_backup_finish(backup);
    return rc == SQLITE_OK ? end : rc;
}

enum err
backup_copy(const char *from, const char *to, struct buf *why)
{
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    sqlite3 *source = NULL;
    sqlite3 *target = NULL;
    struct backup_journal *journal = NULL;
    enum err err = OK;
    int fd = -1;
    int rc = access(from, R_OK) == 0 ? open_read(from, &source)
             : errno == EACCES       ? SQLITE_PERM
                                     : SQLITE_CANTOPEN;

    if (rc != SQLITE_OK) {
        err = rc != SQLITE_PERM && access(from, F_OK)
                  ? ERR_NOT_FOUND
                  : fail(from, source, rc, why);
        goto out;
    }
    if ((err = backup_journal_open(&journal, from, source, why)))
        goto out;
    fd = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) {
        buf_printf(why, "%s: %s", to, strerror(errno));
        err = errno == EACCES || errno == EROFS ? ERR_DENIED : ERR_IO;
        goto out;
    }
    rc = sqlite3_open_v2(to, &target, flags, NULL);
    if (rc == SQLITE_OK)
        rc = copy_pages(source, target);
    if (rc != SQLITE_OK)
        err = fail(to, target, rc, why);
    else if (journal)
        err = backup_journal_copy(journal, target, why);
out:
    backup_journal_close(journal);
    sqlite3_close(source);
    if (sqlite3_close(target) != SQLITE_OK && !err)
        err = fail(to, NULL, SQLITE_BUSY, why);
    if (fd >= 0)
        close(fd);
    return err;
}

enum err
backup_check(const char *file, struct buf *why)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *stmt = NULL;
    enum err err = OK;
    int rc = open_read(file, &db);

    if (rc == SQLITE_OK)
        rc = sqlite3_prepare_v2(db, "PRAGMA quick_check(1)", -1, &stmt, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_step(stmt);
    if (rc != SQLITE_ROW) {
        err = fail(file, db, rc, why);
    } else if (strcmp((const char *)sqlite3_column_text(stmt, 0), "ok") != 0) {
        buf_printf(why, "%s is damaged", file);
        err = ERR_CORRUPT;
    }
    sqlite3_finalize(stmt);
    sqlite3_close(db);
    return err;
}

enum err
backup_check_version(const char *file, size_t which, struct buf *why)
{
    const size_t known[BACKUP_FILES] = {schema_len, code_schema_len,
                                        knowledge_schema_len};
    sqlite3 *db = NULL;
    sqlite3_stmt *stmt = NULL;
    enum err err = OK;
    int rc = open_read(file, &db);

    if (rc == SQLITE_OK)
        rc = sqlite3_prepare_v2(db, "PRAGMA user_version", -1, &stmt, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_step(stmt);
    if (rc != SQLITE_ROW) {
        err = fail(file, db, rc, why);
    } else if (sqlite3_column_int64(stmt, 0) == 0) {
        buf_printf(why, "%s has no tables of this program",
                   backup_files[which]);
        err = ERR_CORRUPT;
    } else if (sqlite3_column_int64(stmt, 0) > (int64_t)known[which]) {
        buf_printf(why,
                   "%s was written by a newer version of this program (tables "
                   "%lld, known %zu); use that one",
                   backup_files[which],
                   (long long)sqlite3_column_int64(stmt, 0), known[which]);
        err = ERR_UNSUPPORTED;
    }
    sqlite3_finalize(stmt);
    sqlite3_close(db);
    return err;
}

static bool
is_in(const char *dir, const char *name)
{
    char *path = files_path(dir, name);
    bool found = path && access(path, F_OK) == 0;

    free(path);
    return found;
}

enum err
backup_dir_lock(const char *dir, struct backup_locks *out, struct buf *why)
{
    enum err err;

    out->there = files_there(dir);
    for (size_t i = 0; i < BACKUP_FILES; i++) {
        out->fd[i] = -1;
        out->is_new[i] = !is_in(dir, lock_names[i]);
    }
    err = files_make_dir(dir, why);
    for (size_t i = 0; i < BACKUP_FILES && !err; i++)
        err = files_lock(dir, lock_names[i], &out->fd[i], why);
    if (err)
        backup_dir_abandon(dir, out);
    return err;
}

void
backup_dir_unlock(struct backup_locks *locks)
{
    for (size_t i = 0; i < BACKUP_FILES; i++) {
        if (locks->fd[i] >= 0)
            close(locks->fd[i]);
        locks->fd[i] = -1;
    }
}

void
backup_dir_abandon(const char *dir, struct backup_locks *locks)
{
    for (size_t i = 0; i < BACKUP_FILES; i++) {
        char *path = files_path(dir, lock_names[i]);

        if (path && locks->fd[i] >= 0 && locks->is_new[i])
            (void)unlink(path);
        free(path);
    }
    backup_dir_unlock(locks);
    files_remove_made(dir, locks->there);
}

bool
backup_is_there(const char *dir)
{
    bool found = false;

    for (size_t i = 0; i < BACKUP_FILES; i++)
        found |= is_in(dir, backup_files[i]);
    return found;
}
