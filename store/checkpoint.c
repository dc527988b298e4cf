/*
 * Checkpoints happen where the caller says and nowhere else.  A passive one
 * copies what no reader holds back; when readers overlap without a gap the WAL
 * would still grow, so beyond WAL_MAX_PAGES one waits a moment for them.  Where
 * that is too short, they make a gap (graph/query.c): others wait for us.
 *
 * What commits wait for is not that there are checkpoints but how long one is:
 * its pages are read, written and synced.  So one is made of each
 * WAL_MIN_PAGES, and the log stays so short that it is in the system's cache.
 */
#include "store/checkpoint.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/metrics.h"
#include "store/moved.h"

enum {
    WAL_MIN_PAGES = 1000,  /* less is not worth a checkpoint; 4 MB */
    WAL_MAX_PAGES = 16384, /* 64 MB */
    WAL_WAIT_MS = 20,      /* others wait for the writer meanwhile */
};

/* Before pages come into the database that the log may not have: power that
 * fails between two of them would leave it neither old nor new. */
static enum err
settle_in_doubt(struct dbfile *file)
{
    return file->in_doubt ? dbfile_settle(file) : OK;
}

static int
move_by(struct dbfile *file, int mode)
{
    int all = -1;
    int frames = -1;
    int rc = moved_begin(file);
    if (rc != SQLITE_OK)
        return rc;
    rc = sqlite3_wal_checkpoint_v2(file->db, NULL, mode, &all, &frames);
    if (rc == SQLITE_OK || (rc & 0xff) == SQLITE_BUSY)
        moved_end(file, all, frames);
    return rc;
}

/* Moves it, and where |cuts| only all of it, and then cuts the log: power that
 * fails meanwhile may leave some of that, which must be known by then to be in
 * the database.  An SQLite result code. */
static int
move(struct dbfile *file, bool cuts)
{
    int rc = move_by(file,
                     cuts ? SQLITE_CHECKPOINT_FULL : SQLITE_CHECKPOINT_PASSIVE);

    if (rc == SQLITE_OK && cuts)
        rc = sqlite3_wal_checkpoint_v2(file->db, NULL,
                                       SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
    if (rc == SQLITE_OK && cuts)
        file->wal_pages = file->wal_moved = 0;
    return rc;
}

static enum err
checkpoint(struct dbfile *file, bool cuts)
{
    uint64_t begin_ns = clock_mono_ns();
    enum err err = settle_in_doubt(file);

    if (err)
        return err;
    file->wal_moved = file->wal_pages;
    int rc = move(file, cuts);
    metrics_observe(METRIC_CHECKPOINT_SECONDS, clock_mono_ns() - begin_ns);
    if ((rc & 0xff) == SQLITE_BUSY) {
        log_warn("readers hold back the write-ahead log", "pages", "%d",
                 file->wal_pages);
        return OK;
    }
    return dbfile_fail(file, rc);
}

bool
dbfile_checkpoint_is_due(const struct dbfile *file)
{
    return file->wal_pages - file->wal_moved >= WAL_MIN_PAGES;
}

enum err
dbfile_checkpoint_step(struct dbfile *file)
{
    return dbfile_checkpoint_is_due(file) ? checkpoint(file, false) : OK;
}

enum err
dbfile_checkpoint(struct dbfile *file)
{
    if (file->wal_pages <= WAL_MAX_PAGES)
        return dbfile_checkpoint_step(file);
    sqlite3_busy_timeout(file->db, WAL_WAIT_MS);
    enum err err = checkpoint(file, true);
    sqlite3_busy_timeout(file->db, DBFILE_BUSY_MS);
    return err;
}

/* The log is that of a process that may have ended after a sync that failed,
 * whatever ours are to do: so it is settled before a page of it is moved. */
enum err
checkpoint_first(struct dbfile *file)
{
    file->in_doubt = true;
    enum err err = dbfile_settle(file);

    if (err)
        return err;
    sqlite3_busy_timeout(file->db, WAL_WAIT_MS);
    err = checkpoint(file, true);
    sqlite3_busy_timeout(file->db, DBFILE_BUSY_MS);
    return err == ERR_STORE ? OK : err;
}

bool
checkpoint_last(struct dbfile *file)
{
    if (file->in_doubt && dbfile_settle(file) != OK)
        return false;
    int rc = move(file, true);
    if (rc == SQLITE_OK)
        moved_forget(file);
    else if (rc != SQLITE_BUSY) /* a reader is left */
        (void)dbfile_fail(file, rc);
    return rc == SQLITE_OK;
}
