/*
 * The note is written in place and carries its hash, so that one that was torn
 * is none.  Before a checkpoint it is not synced: power that fails may leave
 * the one of before, and of a log that is damaged as well go unseen that some
 * of that was moved.
 *
 * Where readers hold the log back, SQLite moves what they have seen, but not
 * the pages that were written again since, and does not sync it: then nothing
 * but that it began is noted.
 */
#include "store/moved.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/metrics.h"
#include "store/files.h"

enum { WAIT_MS = 1000, WAIT_STEP_MS = 10 };

#define NOTE_MAGIC "sgmoved1"

/* As it is in the file: of this machine, as is the database's own log. */
struct note {
    char magic[8];
    struct moved moved;
    uint64_t hash; /* of what is before it */
};

static uint64_t
hash_note(const struct note *note)
{
    return hash_bytes((str){(const char *)note, offsetof(struct note, hash)},
                      0);
}

static int
open_note(const struct dbfile *file, int flags)
{
    char *path = NULL;
    int fd = -1;

    if (asprintf(&path, "%s.moved", file->path) >= 0)
        fd = open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
    free(path);
    return fd;
}

static bool
read_note(const struct dbfile *file, struct moved *out)
{
    struct note note;
    int fd = open_note(file, O_RDONLY);
    bool is_whole = fd >= 0 &&
                    pread(fd, &note, sizeof(note), 0) == sizeof(note) &&
                    memcmp(note.magic, NOTE_MAGIC, sizeof(note.magic)) == 0 &&
                    note.hash == hash_note(&note);

    if (fd >= 0)
        close(fd);
    if (is_whole)
        *out = note.moved;
    return is_whole;
}

static bool
write_note(const struct dbfile *file, bool is_synced)
{
    struct note note;
    int fd = open_note(file, O_WRONLY | O_CREAT);

    if (fd < 0)
        return false;
    memset(&note, 0, sizeof(note)); /* its padding is hashed, too */
    memcpy(note.magic, NOTE_MAGIC, sizeof(note.magic));
    note.moved = file->moved;
    note.hash = hash_note(&note);
    bool is_done = pwrite(fd, &note, sizeof(note), 0) == sizeof(note) &&
                   (!is_synced || fdatasync(fd) == 0);
    close(fd);
    return is_done;
}

void
moved_forget(const struct dbfile *file)
{
    char *path = NULL;

    if (asprintf(&path, "%s.moved", file->path) >= 0)
        (void)unlink(path);
    free(path);
}

/* ---- while it is moved ---- */

static void
note_db(struct dbfile *file)
{
    struct stat db = {0};

    (void)stat(file->path, &db);
    file->moved.db_len = db.st_size;
    file->moved.db_time_ns =
        db.st_mtim.tv_sec * (int64_t)NS_PER_S + db.st_mtim.tv_nsec;
}

/* Whether nobody has written to the database since |moved->from| was moved.
 * What a loss of power left may be it, too, with an older time. */
static bool
is_db_as_moved(const struct dbfile *file, const struct moved *moved)
{
    struct dbfile now = {.path = file->path};

    note_db(&now);
    return now.moved.db_len == moved->db_len &&
           now.moved.db_time_ns == moved->db_time_ns;
}

/* Reads the log's beginning, and of the frame |place->frame| its checksum. */
static bool
read_log(const struct dbfile *file, uint8_t head[WAL_HEAD],
         struct wal_place *place)
{
    sqlite3_file *log = dbfile_log(file);
    uint8_t frame[WAL_FRAME_HEAD];

    if (!log || log->pMethods->xRead(log, head, WAL_HEAD, 0) != SQLITE_OK ||
        log->pMethods->xRead(log, frame, sizeof(frame),
                             wal_place_at(head, place->frame)) != SQLITE_OK)
        return false;
    memcpy(place->sum, frame + sizeof(frame) - WAL_SUM, WAL_SUM);
    return true;
}

/* That the log was to be moved must not be known before the log is, of which a
 * sync of its last commit may have left the last sector out. */
static int
sync_log(const struct dbfile *file)
{
    sqlite3_file *log = dbfile_log(file);

    return log ? log->pMethods->xSync(log, SQLITE_SYNC_NORMAL) : SQLITE_OK;
}

int
moved_begin(struct dbfile *file)
{
    struct moved *moved = &file->moved;
    struct wal_place to = {.frame = (uint32_t)file->wal_pages};
    uint8_t head[WAL_HEAD];

    if (to.frame == 0 || !read_log(file, head, &to))
        return SQLITE_OK;
    if (memcmp(moved->head, head, WAL_HEAD) != 0) {
        *moved = (struct moved){0};
        memcpy(moved->head, head, WAL_HEAD);
        note_db(file);
    }
    if (to.frame <= moved->from.frame)
        return SQLITE_OK;
    int rc = sync_log(file);
    if (rc == SQLITE_OK) {
        moved->to = to;
        (void)write_note(file, false);
    }
    return rc;
}

void
moved_end(struct dbfile *file, int all, int frames)
{
    struct moved *moved = &file->moved;
    struct moved was = *moved;
    struct wal_place end = {.frame = (uint32_t)frames};
    uint8_t head[WAL_HEAD];

    if (frames < 0 || was.to.frame == 0)
        return;
    if (end.frame <= was.from.frame)
        moved->to = was.from;
    else if (!read_log(file, head, &end) ||
             memcmp(moved->head, head, WAL_HEAD) != 0)
        return;
    else {
        moved->to = end;
        if (frames == all) {
            moved->from = end;
            note_db(file);
        }
    }
    /* That it was moved must not be unknown when the log is begun anew. */
    if (memcmp(&was, moved, sizeof(was)) != 0 && !write_note(file, true))
        moved_forget(file);
}

/* ---- when it is opened ---- */

/* Whoever has the database open goes by an index of the log as it is.  SQLite's
 * file is asked for the lock, since it knows of this process's own, too. */
static enum err
lock_all(sqlite3_file *db)
{
    const struct timespec step = {.tv_nsec = WAIT_STEP_MS * 1000000L};
    int rc = SQLITE_BUSY;

    for (int ms = 0; ms < WAIT_MS && rc == SQLITE_BUSY; ms += WAIT_STEP_MS) {
        rc = db->pMethods->xLock(db, SQLITE_LOCK_SHARED);
        if (rc == SQLITE_OK)
            rc = db->pMethods->xLock(db, SQLITE_LOCK_EXCLUSIVE);
        if (rc == SQLITE_OK)
            return OK;
        (void)db->pMethods->xUnlock(db, SQLITE_LOCK_NONE);
        nanosleep(&step, NULL);
    }
    return rc == SQLITE_BUSY ? ERR_BUSY : ERR_STORE;
}

static enum err
open_alone(const char *path, sqlite3 **db, sqlite3_file **out)
{
    sqlite3_file *file = NULL;

    if (sqlite3_open_v2(path, db,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX |
                            SQLITE_OPEN_PRIVATECACHE,
                        NULL) != SQLITE_OK ||
        sqlite3_file_control(*db, "main", SQLITE_FCNTL_FILE_POINTER,
                             (void *)&file) != SQLITE_OK ||
        !file || !file->pMethods)
        return ERR_STORE;
    enum err err = lock_all(file);
    if (!err)
        *out = file;
    return err;
}

static void
close_alone(sqlite3 *db, sqlite3_file *file)
{
    if (file)
        (void)file->pMethods->xUnlock(file, SQLITE_LOCK_NONE);
    sqlite3_close(db);
}

/* Puts what |log| has behind what was moved in the place of it, from |made|. */
static enum err
replace(const char *log, const char *made, const struct moved *moved,
        uint32_t end, struct buf *why)
{
    int fd =
        open(made, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    int code = fd < 0 ? errno : 0;
    enum err err =
        fd < 0 ? ERR_STORE : wal_cut(log, moved->head, &moved->from, end, fd);

    if (!err) {
        struct stat was;
        if (stat(log, &was) == 0) { /* as SQLite does, for its owner to read */
            (void)fchmod(fd, was.st_mode & 0666);
            (void)!fchown(fd, was.st_uid, was.st_gid);
        }
        err = fsync(fd) == 0 ? OK : ERR_STORE;
    }
    if (err && !code)
        code = errno;
    if (fd >= 0)
        close(fd);
    if (!err && rename(made, log) != 0) {
        code = errno;
        err = ERR_STORE;
    }
    if (err)
        (void)unlink(made);
    else if ((code = files_sync_name(log)) != 0)
        err = ERR_STORE; /* either may be in its place: they give the same */
    if (err == ERR_STORE)
        buf_printf(why, "%s is damaged, and cannot be written anew: %s", log,
                   strerror(code));
    return err;
}

static enum err
cut(const struct dbfile *file, const char *log, const struct moved *moved,
    uint32_t end, struct buf *why)
{
    struct buf made = {0};
    sqlite3 *db = NULL;
    sqlite3_file *alone = NULL;

    buf_printf(&made, "%s.cut", log);
    enum err err =
        made.failed ? ERR_NOMEM : open_alone(file->path, &db, &alone);
    if (!err)
        err = replace(log, buf_cstr(&made), moved, end, why);
    else if (err != ERR_NOMEM)
        buf_printf(why, "%s is damaged, and cannot be written anew: %s", log,
                   err == ERR_BUSY
                       ? "somebody reads the database, who must end first"
                       : "the database cannot be locked");
    close_alone(db, alone);
    buf_fini(&made);
    return err;
}

static void
tell_cut(const struct dbfile *file, const struct wal_state *was, uint32_t end)
{
    metrics_add(METRIC_DATABASES_DAMAGED, 1);
    if (end >= was->frames)
        log_warn("the log of a database was damaged where it is in the database"
                 " already: nothing is lost",
                 "file", "%s-wal", file->spec->file);
    else
        log_error("a database has lost what was in it: its log was damaged",
                  "file", "%s-wal, %u of %u pages", file->spec->file,
                  was->frames - end, was->frames);
}

static enum err
judge(struct dbfile *file, const char *log, const struct wal_state *was,
      bool *is_cut, struct buf *why)
{
    struct moved moved;
    struct wal_reach reach;

    if (!read_note(file, &moved))
        return OK;
    enum err err = wal_reach(log, moved.head, &moved.from, &moved.to, &reach);
    if (err || reach.is_other)
        return err;
    bool is_as_moved = is_db_as_moved(file, &moved);
    if (is_as_moved)
        moved.to = moved.from;
    if (was->used >= moved.to.frame) {
        file->moved = moved;
        return OK;
    }
    if (!reach.is_there && !is_as_moved)
        return OK; /* a copy of before that, as far as can be told */
    if (reach.end < moved.to.frame) {
        buf_printf(why,
                   "%s is damaged where it was being moved into the database as"
                   " the process ended",
                   log);
        return ERR_CORRUPT;
    }
    err = cut(file, log, &moved, reach.end, why);
    *is_cut = !err;
    if (!err)
        tell_cut(file, was, reach.end);
    return err;
}

enum err
moved_cure(struct dbfile *file, const struct wal_state *was, bool *is_cut,
           struct buf *why)
{
    struct buf log = {0};

    *is_cut = false;
    buf_printf(&log, "%s-wal", file->path);
    enum err err =
        log.failed ? ERR_NOMEM : judge(file, buf_cstr(&log), was, is_cut, why);
    buf_fini(&log);
    return err == ERR_NOT_FOUND ? OK : err;
}
