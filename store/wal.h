/*
 * wal - what a write-ahead log of SQLite has behind a damaged page.
 *
 * SQLite reads its log up to the first page whose checksum is wrong, and says
 * nothing: it takes what is there for the end, as a crash leaves it.  But each
 * checksum goes on from the one written before it, and so what is behind can be
 * told to be sound.
 *
 *     frame  page u32, pages u32 (of the database, if it commits; else 0),
 *            salt u64, checksum u64; then the page
 *
 * Errors     ERR_NOT_FOUND: there is no log, or nothing in it.  ERR_STORE,
 *            ERR_NOMEM.
 * Threads    None.  Nobody may write the log meanwhile.
 */
#ifndef STORE_WAL_H
#define STORE_WAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct wal_state {
    uint32_t frames;  /* up to the last that commits and was to be read */
    uint32_t used;    /* of them, which SQLite reads */
    uint32_t damaged; /* of them; 0: all is as it was written */
    uint32_t rest;    /* behind them: a transaction that was not to be read, or
                         is damaged */
};

enum err wal_look(const char *path, struct wal_state *out);

/* wal_mend writes to |to| a log that SQLite reads to the end of |from|.  A page
 * that is damaged and was not written again later is in it |with_damaged| as it
 * reads, else as it was before that: who reads the database must know by other
 * means what is right. */
enum err wal_mend(const char *from, const char *to, bool with_damaged);

#endif
