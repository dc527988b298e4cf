/*
 * The file is read through SQLite's own handle: a second one of ours would,
 * when it is closed, drop the locks of the first.  What is hashed is a chain:
 * each chunk behind the digest of all before it.
 *
 * The connection's cache is emptied before a file is looked through for its
 * seal, so that both look at the same bytes.
 */
#include "store/whole.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/log.h"
#include "store/files.h"

enum {
    CHUNK = 1 << 18, /* stays in a second-level cache */
    SEAL_CAP = 128,
};

/* ---- looking through ---- */

/* What |found|, the first line of quick_check, means.  It complains of pages it
 * could not read, too: then memory or the disk is short, and the file may be
 * sound. */
static enum err
judge(const char *found)
{
    const char *at = found ? strstr(found, "error code") : NULL;
    size_t skip = sizeof("error code") - 1;
    long code = at && at[skip] ? strtol(at + skip + 1, NULL, 10) & 0xff
                               : SQLITE_CORRUPT;

    if (!found || code == SQLITE_NOMEM)
        return ERR_NOMEM;
    if (strcmp(found, "ok") == 0)
        return OK;
    return code == SQLITE_IOERR ? ERR_STORE : ERR_CORRUPT;
}

static enum err
look_through(struct dbfile *file, struct buf *why)
{
    sqlite3_stmt *stmt = NULL;
    int rc =
        sqlite3_prepare_v2(file->db, "PRAGMA quick_check(1)", -1, &stmt, NULL);

    if (rc == SQLITE_OK)
        rc = sqlite3_step(stmt);
    const char *found = rc == SQLITE_ROW
                            ? (const char *)sqlite3_column_text(stmt, 0)
                            : sqlite3_errmsg(file->db);
    enum err err = dbfile_fail(file, rc);
    if (!err)
        err = judge(found);
    if (err)
        buf_printf(why, "%s %s: %s", file->path,
                   err == ERR_CORRUPT ? "is damaged" : "cannot be checked",
                   found ? found : "out of memory");
    sqlite3_finalize(stmt);
    return err;
}

/* ---- the bytes ---- */

static enum err
digest_bytes(sqlite3_file *from, sqlite3_int64 len, struct digest128 *out)
{
    const size_t head = sizeof(*out);
    char *chunk = malloc(head + CHUNK);
    enum err err = chunk ? OK : ERR_NOMEM;

    *out = (struct digest128){0, 0};
    for (sqlite3_int64 at = 0; at < len && !err; at += CHUNK) {
        int some = len - at < CHUNK ? (int)(len - at) : CHUNK;
        memcpy(chunk, out, head);
        if (from->pMethods->xRead(from, chunk + head, some, at) == SQLITE_OK)
            *out = hash_digest((str){chunk, head + (size_t)some});
        else
            err = ERR_STORE;
    }
    free(chunk);
    return err;
}

/* Writes to |out| what a seal of the file as it is would say.  ERR_INVALID:
 * |like|, if there is one, is of another length.  ERR_STORE, ERR_NOMEM. */
static enum err
describe(struct dbfile *file, const char *like, char out[SEAL_CAP])
{
    sqlite3_file *from = NULL;
    sqlite3_int64 len = 0;
    struct digest128 digest;
    int rc = sqlite3_file_control(file->db, "main", SQLITE_FCNTL_FILE_POINTER,
                                  (void *)&from);

    if (rc != SQLITE_OK || !from || !from->pMethods ||
        from->pMethods->xFileSize(from, &len) != SQLITE_OK)
        return ERR_STORE;
    int head = snprintf(out, SEAL_CAP, "whole 1: %lld bytes ", (long long)len);
    if (like && strncmp(out, like, (size_t)head) != 0)
        return ERR_INVALID;
    enum err err = digest_bytes(from, len, &digest);
    if (!err)
        snprintf(out + head, SEAL_CAP - (size_t)head,
                 "%016" PRIx64 "%016" PRIx64 "\n", digest.hi, digest.lo);
    return err;
}

/* Whether the database is what its file holds, and nothing is in the log. */
static bool
is_log_empty(const struct dbfile *file)
{
    sqlite3_file *log = dbfile_log(file);
    sqlite3_int64 len = 0;

    return !log ||
           (log->pMethods->xFileSize(log, &len) == SQLITE_OK && len == 0);
}

/* ---- the seal ---- */

static char *
seal_path(const char *dir, const char *file)
{
    char *path = NULL;

    return asprintf(&path, "%s/%s.seal", dir, file) < 0 ? NULL : path;
}

/* Reads the seal as a string, empty if there is none. */
static void
read_seal(const struct dbfile *file, char out[SEAL_CAP])
{
    char *path = seal_path(file->dir, file->spec->file);
    int fd =
        path ? open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK) : -1;
    ssize_t got = fd < 0 ? 0 : read(fd, out, SEAL_CAP - 1);

    out[got > 0 ? got : 0] = '\0';
    if (fd >= 0)
        close(fd);
    free(path);
}

static void
write_seal(const struct dbfile *file, const char *seal)
{
    char *path = seal_path(file->dir, file->spec->file);
    int fd = path ? open(path,
                         O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW |
                             O_NONBLOCK,
                         0600)
                  : -1;

    if (fd < 0 || write(fd, seal, strlen(seal)) != (ssize_t)strlen(seal))
        log_warn("the database could not be sealed; the next start looks "
                 "through it",
                 "file", "%s", file->spec->file);
    if (fd >= 0)
        close(fd);
    free(path);
}

void
whole_unseal(const char *dir, const char *file)
{
    char *path = seal_path(dir, file);

    if (path)
        (void)unlink(path);
    free(path);
}

/* Whether |seal| is that of the file as it is. */
static bool
is_sealed(struct dbfile *file, const char *seal)
{
    char now[SEAL_CAP];

    return *seal && is_log_empty(file) && !describe(file, seal, now) &&
           strcmp(seal, now) == 0;
}

enum err
whole_check(struct dbfile *file, struct buf *why)
{
    bool suspect = files_is_suspect(file->dir, file->spec->file);
    char seal[SEAL_CAP];

    if (!suspect && files_size(file->path) > file->spec->check_max)
        return OK;
    read_seal(file, seal);
    if (!suspect && file->spec->is_sealed && is_sealed(file, seal))
        return OK;
    enum err err = look_through(file, why);
    if (!err && suspect)
        files_clear_suspect(file->dir, file->spec->file);
    return err;
}

void
whole_seal(struct dbfile *file)
{
    struct buf why = {0};
    char before[SEAL_CAP];
    char now[SEAL_CAP];

    if (!file->spec->is_sealed || !is_log_empty(file) ||
        files_size(file->path) > file->spec->check_max ||
        files_is_suspect(file->dir, file->spec->file))
        return;
    read_seal(file, before);
    if (describe(file, NULL, now) || strcmp(before, now) == 0)
        return;
    (void)sqlite3_db_release_memory(file->db);
    enum err err = look_through(file, &why);
    if (!err)
        write_seal(file, now);
    else if (err == ERR_CORRUPT) {
        log_error("the database is damaged, the next start sets it aside",
                  "why", "%s", buf_cstr(&why));
        files_mark_suspect(file->dir, file->spec->file);
    }
    buf_fini(&why);
}
