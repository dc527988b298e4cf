/*
 * wal_cure - all of a damaged log that can be had, in the place of it.
 *
 * SQLite reads its log up to the first frame that is wrong.  What was moved
 * into the database since is newer than what it reads then, page by page, and
 * pages of two moments beside one another are no database any more.  So before
 * SQLite sees it, the log is written anew: with the last of each page, if all
 * are known, from the log or from the database; else as it was after the last
 * transaction for which they are.
 *
 * A crash leaves the log as it was or the new one, and either gives the same.
 *
 * Threads    The owner of the database, before SQLite has it open.
 */
#ifndef STORE_WAL_CURE_H
#define STORE_WAL_CURE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

struct wal_cure {
    uint32_t frames;  /* up to the last that commits and was to be read */
    uint32_t kept;    /* of them, what the log gives now */
    uint32_t rest;    /* behind them: a transaction that was not to be read, or
                         is damaged */
    bool was_damaged; /* SQLite would have read less, or a mixture */
};

/*
 * wal_cure_run looks through the log of the database |path| and writes it anew
 * if it must.  No log, or nothing in it, is OK.
 *
 * ERR_CORRUPT  no moment is known whole: log and database are left
 * ERR_BUSY     it may have to be, and somebody reads the database
 * ERR_STORE    the disk; ERR_NOMEM
 * |why| says so, but for ERR_NOMEM.
 */
enum err wal_cure_run(const char *path, struct wal_cure *out, struct buf *why);

#endif
