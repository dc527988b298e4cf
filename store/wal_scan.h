/*
 * wal_scan - all frames of a log, and of each whether it is as it was written.
 *
 * A frame that does not fit its checksum is not lost yet.  Where one of its
 * fields is damaged and the others fit it, the field can be told; where its
 * page is, and it was moved into the database since, the page is there.  Only
 * what is proven by checksums is taken for sound.
 *
 * Memory     24 bytes for each frame, from wal_scan_open to wal_scan_close.
 * Threads    None.  Nobody may write the log or the database meanwhile.
 */
#ifndef STORE_WAL_SCAN_H
#define STORE_WAL_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sqlite3.h>

#include "base/err.h"
#include "store/wal_frame.h"

enum wal_state_of {
    WAL_LOST,
    WAL_SOUND,   /* its page is in the log */
    WAL_IN_FILE, /* the page of the database is what it was */
};

struct wal_found {
    uint32_t page; /* from 1; of one that is lost, what it says */
    uint32_t size; /* pages of the database, if it commits; else 0 */
    struct wal_sum sum;
    enum wal_state_of state;
    bool is_ours;  /* it has the salt of this log */
    bool is_plain; /* SQLite takes it, if it takes all before it */
};

struct wal_scan {
    int log;
    sqlite3_file *db;   /* is not ours; NULL: not to be asked */
    uint32_t page_len;  /* bytes */
    uint32_t db_pages;  /* whole ones */
    uint32_t page_most; /* no page can have a higher number */
    uint32_t moved;     /* so many frames are in the database, on the disk */
    uint32_t committed; /* so many were committed, at least */
    bool is_big;
    bool is_head_plain;     /* SQLite takes the log at all */
    uint8_t head[WAL_HEAD]; /* as it should be */
    struct wal_found *found;
    uint32_t len;
    uint8_t *frame; /* room for what is looked at: that, */
    uint8_t *last;  /* the one before, */
    uint8_t *page;  /* a page of the database */
};

/*
 * wal_scan_open looks through the log of the database |path|.  Without the
 * database what is only there is lost, and nothing is read but the log: who has
 * the database open and closes another file of it gives its locks back.  With
 * |db| nobody else has it open.  After any result wal_scan_close.
 *
 * ERR_NOT_FOUND  there is no log, or nothing in it
 * ERR_STORE      it could not be read
 * ERR_NOMEM
 */
enum err
wal_scan_open(struct wal_scan *scan, const char *path, sqlite3_file *db);
void wal_scan_close(struct wal_scan *scan);

/* wal_scan_read reads into |out| the page of frame |at|, and wal_scan_read_file
 * page |number| of the database.  ERR_NOT_FOUND: the database is shorter. */
enum err wal_scan_read(const struct wal_scan *scan, uint32_t at, uint8_t *out);
enum err
wal_scan_read_file(const struct wal_scan *scan, uint32_t number, uint8_t *out);

#endif
