/*
 * wal_moment - the last moment of a database that is known whole, from a log of
 * which not all is.
 *
 * A moment is the end of a transaction.  Each page is then as the last frame
 * before it has it, and as it is in the database if there is none: unless it
 * was moved there from behind that moment.
 *
 * Memory     A few pages and 8 bytes for each frame, to wal_moment_fini.
 * Threads    None.
 */
#ifndef STORE_WAL_MOMENT_H
#define STORE_WAL_MOMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "store/wal_scan.h"

struct wal_version {
    uint32_t page;
    uint32_t at; /* frame, from 0 */
};

struct wal_moment {
    struct wal_scan *scan;
    struct wal_version *versions; /* frames not lost, by page and place */
    size_t version_len;
    uint8_t *a; /* two pages, to compare them */
    uint8_t *b;
    uint32_t used;     /* frames that SQLite would read */
    uint32_t frames;   /* up to the last that commits and was to be read */
    uint32_t end;      /* behind the last that is of this log */
    uint32_t kept;     /* up to the moment that was chosen */
    bool is_end_known; /* nothing that was moved has been behind |frames| */
    enum err err;      /* a read failed */
};

/* wal_moment_find_end tells used, frames and end of |m->scan|; it reads
 * nothing. */
void wal_moment_find_end(struct wal_moment *m);

/*
 * wal_moment_choose tells what is to be kept, after wal_moment_find_end, of a
 * log that was looked through with its database.
 *
 * ERR_CORRUPT  no moment is known whole
 * ERR_STORE    a read failed; ERR_NOMEM
 */
enum err wal_moment_choose(struct wal_moment *m);
void wal_moment_fini(struct wal_moment *m);

/* wal_moment_version is the last frame with |page| before frame |end|, or NULL:
 * it is not in the log. */
const struct wal_version *
wal_moment_version(const struct wal_moment *m, uint32_t page, uint32_t end);

#endif
