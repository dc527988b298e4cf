/*
 * Held back is what a log is made of, one behind the other: the header of a
 * frame and its page, the header of a log and its first frame.  A write that
 * does not go on from the one before, or that follows a read, begins a new
 * piece; so checksums that SQLite writes anew (it reads a frame, then writes
 * its header and nothing behind it) are not waited for.
 */
#include "store/gather.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <sqlite3.h>

enum {
    FRAME_HEADER = 24,
    COMMIT_AT = 4,         /* of it; four bytes, 0 unless the frame commits */
    HELD_MAX = 120 * 1024, /* SQLite's own writes are cut at 128 KiB */
};

struct log_file {
    sqlite3_file base;
    sqlite3_file *below;
    char *held; /* HELD_MAX bytes, or NULL: nothing is held back */
    int len;
    sqlite3_int64 at;   /* where what is held goes */
    sqlite3_int64 next; /* behind the last write; -1: it was a read */
    bool commits;       /* the last header was that of a commit */
};

static sqlite3_vfs layer;
static sqlite3_vfs *below;

static struct log_file *
log_of(sqlite3_file *file)
{
    return (void *)file;
}

static sqlite3_file *
below_of(sqlite3_file *file)
{
    return log_of(file)->below;
}

static int
let_go(sqlite3_file *file)
{
    struct log_file *log = log_of(file);
    int len = log->len;

    log->len = 0;
    return len == 0 ? SQLITE_OK
                    : log->below->pMethods->xWrite(log->below, log->held, len,
                                                   log->at);
}

/* ---- the methods of a log ---- */

static int
log_close(sqlite3_file *file)
{
    int held = let_go(file);
    int rc = below_of(file)->pMethods->xClose(below_of(file));

    free(log_of(file)->held);
    return held ? held : rc;
}

static int
log_read(sqlite3_file *file, void *out, int len, sqlite3_int64 at)
{
    int rc = let_go(file);

    log_of(file)->next = -1;
    return rc ? rc
              : below_of(file)->pMethods->xRead(below_of(file), out, len, at);
}

/* Whether the transaction may end with these bytes. */
static bool
is_end(struct log_file *log, const unsigned char *bytes, int len)
{
    if (len != FRAME_HEADER)
        return log->commits;
    log->commits = bytes[COMMIT_AT] || bytes[COMMIT_AT + 1] ||
                   bytes[COMMIT_AT + 2] || bytes[COMMIT_AT + 3];
    return false;
}

static int
log_write(sqlite3_file *file, const void *bytes, int len, sqlite3_int64 at)
{
    struct log_file *log = log_of(file);
    bool goes_on = log->next == at && log->held;
    bool ends = is_end(log, bytes, len);
    int rc = SQLITE_OK;

    log->next = at + len;
    if (!goes_on || len > HELD_MAX - log->len)
        rc = let_go(file);
    if (rc)
        return rc;
    if (!goes_on || len > HELD_MAX)
        return log->below->pMethods->xWrite(log->below, bytes, len, at);
    if (log->len == 0)
        log->at = at;
    memcpy(log->held + log->len, bytes, (size_t)len);
    log->len += len;
    return ends ? let_go(file) : SQLITE_OK;
}

static int
log_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    int rc = let_go(file);

    return rc ? rc : below_of(file)->pMethods->xTruncate(below_of(file), size);
}

static int
log_sync(sqlite3_file *file, int flags)
{
    int rc = let_go(file);

    return rc ? rc : below_of(file)->pMethods->xSync(below_of(file), flags);
}

static int
log_size(sqlite3_file *file, sqlite3_int64 *out)
{
    int rc = let_go(file);

    return rc ? rc : below_of(file)->pMethods->xFileSize(below_of(file), out);
}

static int
log_lock(sqlite3_file *file, int level)
{
    return below_of(file)->pMethods->xLock(below_of(file), level);
}

static int
log_unlock(sqlite3_file *file, int level)
{
    return below_of(file)->pMethods->xUnlock(below_of(file), level);
}

static int
log_check_lock(sqlite3_file *file, int *out)
{
    return below_of(file)->pMethods->xCheckReservedLock(below_of(file), out);
}

static int
log_control(sqlite3_file *file, int op, void *arg)
{
    return below_of(file)->pMethods->xFileControl(below_of(file), op, arg);
}

static int
log_sector_size(sqlite3_file *file)
{
    return below_of(file)->pMethods->xSectorSize(below_of(file));
}

static int
log_traits(sqlite3_file *file)
{
    return below_of(file)->pMethods->xDeviceCharacteristics(below_of(file));
}

static const sqlite3_io_methods methods = {
    .iVersion = 1,
    .xClose = log_close,
    .xRead = log_read,
    .xWrite = log_write,
    .xTruncate = log_truncate,
    .xSync = log_sync,
    .xFileSize = log_size,
    .xLock = log_lock,
    .xUnlock = log_unlock,
    .xCheckReservedLock = log_check_lock,
    .xFileControl = log_control,
    .xSectorSize = log_sector_size,
    .xDeviceCharacteristics = log_traits,
};

/* ---- the layer ---- */

static int
open_log(const char *name, struct log_file *log, int flags, int *out_flags)
{
    *log = (struct log_file){.below = (sqlite3_file *)(log + 1), .next = -1};
    int rc = below->xOpen(below, name, log->below, flags, out_flags);
    if (rc != SQLITE_OK) {
        /* SQLite closes what has methods; then that is still to be done. */
        log->base.pMethods = log->below->pMethods ? &methods : NULL;
        return rc;
    }
    log->held = malloc(HELD_MAX); /* without it each write goes through */
    log->base.pMethods = &methods;
    return SQLITE_OK;
}

static int
open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags,
          int *out_flags)
{
    (void)vfs;
    return flags & SQLITE_OPEN_WAL
               ? open_log(name, log_of(file), flags, out_flags)
               : below->xOpen(below, name, file, flags, out_flags);
}

static void
put_layer(void)
{
    below = sqlite3_vfs_find(NULL);
    layer = *below;
    layer.zName = "spangraph-gather";
    layer.pNext = NULL;
    layer.szOsFile += (int)sizeof(struct log_file);
    layer.xOpen = open_file;
    (void)sqlite3_vfs_register(&layer, 0);
}

const char *
gather_vfs(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    (void)pthread_once(&once, put_layer);
    return layer.zName;
}
