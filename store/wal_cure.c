/*
 * The log is looked through twice: by itself, which is all there is to do for
 * one that is sound, and then with the database, that nobody else may have open
 * meanwhile.
 */
#include "store/wal_cure.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "store/files.h"
#include "store/wal_moment.h"
#include "store/wal_scan.h"

enum { WAIT_MS = 1000, WAIT_STEP_MS = 10 };

struct cure {
    struct wal_scan scan;
    struct wal_moment moment;
};

/* ---- writing ---- */

static enum err
write_all(FILE *to, const void *bytes, size_t len)
{
    return fwrite(bytes, 1, len, to) == len ? OK : ERR_STORE;
}

static bool
is_to_write(const struct cure *cure, uint32_t at, uint32_t end)
{
    const struct wal_found *found = &cure->scan.found[at];
    const struct wal_version *last =
        wal_moment_version(&cure->moment, found->page, end);

    return at >= cure->scan.moved && found->state == WAL_SOUND && last &&
           last->at == at;
}

/* One transaction, with the last of each page before |end|. */
static enum err
write_frames(struct cure *cure, uint32_t end, FILE *to)
{
    const struct wal_scan *scan = &cure->scan;
    uint8_t head[WAL_HEAD];
    uint8_t frame[WAL_FRAME_HEAD];
    uint32_t last = end;

    while (last > 0 && !is_to_write(cure, last - 1, end))
        last--;
    if (last == 0)
        return OK; /* all is in the database */
    memcpy(head, scan->head, WAL_HEAD);
    /* Another log, of which the index that is there says nothing. */
    wal_frame_put(head + WAL_HEAD_SALT,
                  wal_frame_get(head + WAL_HEAD_SALT) + 1);
    struct wal_sum sum = wal_frame_add((struct wal_sum){0, 0}, head,
                                       WAL_HEAD_SUMMED, scan->is_big);
    wal_frame_put_sum(head + WAL_HEAD_SUM, sum);
    enum err err = write_all(to, head, WAL_HEAD);
    for (uint32_t at = 0; at < last && !err; at++) {
        if (!is_to_write(cure, at, end))
            continue;
        err = wal_scan_read(scan, at, cure->moment.a);
        wal_frame_put(frame, scan->found[at].page);
        wal_frame_put(frame + 4,
                      at + 1 == last ? scan->found[end - 1].size : 0);
        memcpy(frame + WAL_FRAME_SALT, head + WAL_HEAD_SALT, WAL_SALT);
        sum = wal_frame_sum(sum, frame, cure->moment.a, scan->page_len,
                            scan->is_big);
        wal_frame_put_sum(frame + WAL_FRAME_SUM, sum);
        if (!err && !(err = write_all(to, frame, WAL_FRAME_HEAD)))
            err = write_all(to, cure->moment.a, scan->page_len);
    }
    return err;
}

static enum err
write_file(struct cure *cure, uint32_t end, const char *path)
{
    int fd =
        open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    FILE *to = fd < 0 ? NULL : fdopen(fd, "wb");

    if (!to) {
        if (fd >= 0)
            close(fd);
        return ERR_STORE;
    }
    enum err err = write_frames(cure, end, to);
    if (!err && (fflush(to) != 0 || fsync(fd) != 0))
        err = ERR_STORE;
    if (fclose(to) != 0 && !err)
        err = ERR_STORE;
    return err;
}

/* Puts the log of |path| as it was at |end| in the place of it. */
static enum err
replace(struct cure *cure, uint32_t end, const char *path, struct buf *why)
{
    struct buf log = {0};
    struct buf made = {0};
    enum err err = ERR_NOMEM;

    buf_printf(&log, "%s-wal", path);
    buf_printf(&made, "%s-wal.mended", path);
    if (log.failed || made.failed)
        goto out;
    err = write_file(cure, end, buf_cstr(&made));
    if (!err && rename(buf_cstr(&made), buf_cstr(&log)) != 0)
        err = ERR_STORE;
    if (err == ERR_STORE)
        buf_printf(why, "%s is damaged, and cannot be written anew: %s",
                   buf_cstr(&log), strerror(errno));
    if (err)
        (void)unlink(buf_cstr(&made));
    else if (files_sync_name(path) != 0)
        err = ERR_STORE;
out:
    buf_fini(&log);
    buf_fini(&made);
    return err;
}

/* ---- the lock ---- */

/* Whoever has the database open goes by an index of the log as it is.  SQLite's
 * file is asked for the lock, since it knows of our own, too. */
static enum err
lock_all(sqlite3_file *file)
{
    const struct timespec step = {.tv_nsec = WAIT_STEP_MS * 1000000L};
    int rc = SQLITE_BUSY;

    for (int ms = 0; ms < WAIT_MS && rc == SQLITE_BUSY; ms += WAIT_STEP_MS) {
        rc = file->pMethods->xLock(file, SQLITE_LOCK_SHARED);
        if (rc == SQLITE_OK)
            rc = file->pMethods->xLock(file, SQLITE_LOCK_EXCLUSIVE);
        if (rc == SQLITE_OK)
            return OK;
        (void)file->pMethods->xUnlock(file, SQLITE_LOCK_NONE);
        nanosleep(&step, NULL);
    }
    return rc == SQLITE_BUSY ? ERR_BUSY : ERR_STORE;
}

/* Opens the file of the database and no more: no statement is run. */
static enum err
open_alone(const char *path, sqlite3 **db, sqlite3_file **out, struct buf *why)
{
    sqlite3_file *file = NULL;
    enum err err = ERR_STORE;

    if (sqlite3_open_v2(path, db,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX |
                            SQLITE_OPEN_PRIVATECACHE,
                        NULL) == SQLITE_OK &&
        sqlite3_file_control(*db, "main", SQLITE_FCNTL_FILE_POINTER,
                             (void *)&file) == SQLITE_OK &&
        file && file->pMethods)
        err = lock_all(file);
    if (!err)
        *out = file;
    else
        buf_printf(
            why, "%s-wal is damaged, and cannot be written anew: %s", path,
            err == ERR_BUSY ? "somebody reads the database, who must end first"
                            : "the database cannot be locked");
    return err;
}

static void
close_alone(sqlite3 *db, sqlite3_file *file)
{
    if (file)
        (void)file->pMethods->xUnlock(file, SQLITE_LOCK_NONE);
    sqlite3_close(db);
}

/* ---- all of it ---- */

static enum err
run(struct cure *cure, const char *path, struct buf *why)
{
    struct wal_moment *moment = &cure->moment;
    enum err err = wal_moment_choose(moment);

    if (err == ERR_CORRUPT)
        buf_printf(why,
                   "%s-wal is damaged, and some of what was written behind "
                   "that is in the database already",
                   path);
    else if (err == ERR_STORE)
        buf_printf(why, "%s-wal cannot be read", path);
    if (err || moment->kept == moment->used)
        return err;
    return replace(cure, moment->kept, path, why);
}

/* Looks through the log, without or with the database. */
static enum err
look(struct cure *cure, const char *path, sqlite3_file *file, struct buf *why)
{
    enum err err = wal_scan_open(&cure->scan, path, file);

    if (err == ERR_STORE)
        buf_printf(why, "%s-wal cannot be read", path);
    cure->moment = (struct wal_moment){.scan = &cure->scan};
    if (!err)
        wal_moment_find_end(&cure->moment);
    return err;
}

static bool
is_used(const struct cure *cure)
{
    return cure->scan.is_head_plain && cure->moment.used == cure->moment.frames;
}

static enum err
look_beside(struct cure *cure, const char *path, struct buf *why)
{
    sqlite3 *db = NULL;
    sqlite3_file *file = NULL;
    bool was_used = is_used(cure);
    enum err err = open_alone(path, &db, &file, why);

    if (!err) {
        wal_moment_fini(&cure->moment);
        wal_scan_close(&cure->scan);
        err = look(cure, path, file, why);
    }
    if (!err)
        err = run(cure, path, why);
    close_alone(db, file);
    if (err == ERR_BUSY && was_used) {
        /* As a process leaves it that ends in the middle of a transaction. */
        buf_reset(why);
        return OK;
    }
    return err;
}

enum err
wal_cure_run(const char *path, struct wal_cure *out, struct buf *why)
{
    struct cure cure = {0};
    const struct wal_moment *moment = &cure.moment;
    enum err err = look(&cure, path, NULL, why);

    if (!err && !(is_used(&cure) && moment->frames == moment->end))
        err = look_beside(&cure, path, why);
    *out = (struct wal_cure){
        .frames = moment->frames,
        .kept = moment->kept,
        .rest = moment->end - moment->frames,
        .was_damaged = moment->used < moment->frames,
    };
    wal_moment_fini(&cure.moment);
    wal_scan_close(&cure.scan);
    return err == ERR_NOT_FOUND ? OK : err;
}
