/*
 * Whether a lock is held is told by asking for a shared one and giving it back
 * at once: the file says who held it last, not whether he still does.
 */
#include "store/look.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include <sqlite3.h>

#include "store/backup.h"
#include "store/code_schema.h"
#include "store/code_store.h"
#include "store/files.h"
#include "store/knowledge_schema.h"
#include "store/knowledge_store.h"
#include "store/schema.h"
#include "store/store.h"

static bool
read_version(const char *path, int64_t *out)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *stmt = NULL;
    bool done = false;

    if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK) {
        (void)sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
        done = sqlite3_prepare_v2(db, "PRAGMA user_version", -1, &stmt, NULL) ==
                   SQLITE_OK &&
               sqlite3_step(stmt) == SQLITE_ROW;
    }
    if (done)
        *out = sqlite3_column_int64(stmt, 0);
    sqlite3_finalize(stmt);
    sqlite3_close(db);
    return done;
}

static void
read_lock(const char *path, struct look *look)
{
    char text[32] = "";
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);

    if (fd < 0)
        return;
    if (flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        look->is_locked = true;
        if (pread(fd, text, sizeof(text) - 1, 0) > 0)
            look->holder = strtol(text, NULL, 10);
    }
    close(fd);
}

static enum err
look_at_file(const char *dir, const char *file, const char *lock,
             struct look *out)
{
    char *path = files_path(dir, file);
    char *lock_path = files_path(dir, lock);
    struct buf wal = {0};
    enum err err = ERR_NOMEM;

    if (!path || !lock_path)
        goto out;
    buf_printf(&wal, "%s-wal", path);
    out->file = file;
    out->is_there = access(path, F_OK) == 0;
    out->bytes = files_size(path);
    out->wal_bytes = files_size(buf_cstr(&wal));
    out->is_readable = out->is_there && read_version(path, &out->schema);
    out->is_suspect = files_is_suspect(dir, file);
    read_lock(lock_path, out);
    err = OK;
out:
    free(path);
    free(lock_path);
    buf_fini(&wal);
    return err;
}

enum err
look_at(const char *dir, struct look out[LOOK_FILES], struct buf *why)
{
    static const char *const locks[LOOK_FILES] = {STORE_LOCK, CODE_STORE_LOCK,
                                                  KNOWLEDGE_STORE_LOCK};
    const int64_t known[LOOK_FILES] = {(int64_t)schema_len,
                                       (int64_t)code_schema_len,
                                       (int64_t)knowledge_schema_len};
    bool found = false;
    enum err err = OK;

    if (access(dir, R_OK | X_OK) != 0) {
        buf_printf(why, "%s: %s", dir, strerror(errno));
        return errno == EACCES ? ERR_DENIED : ERR_NOT_FOUND;
    }
    for (size_t i = 0; i < LOOK_FILES && !err; i++) {
        out[i] = (struct look){.schema_known = known[i]};
        err = look_at_file(dir, backup_files[i], locks[i], &out[i]);
        found |= out[i].is_there;
    }
    if (!err && !found) {
        buf_printf(why, "there is no store in %s", dir);
        err = ERR_NOT_FOUND;
    }
    return err;
}
