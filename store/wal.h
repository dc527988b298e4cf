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

enum { WAL_HEAD = 32, WAL_FRAME_HEAD = 24, WAL_SUM = 8 };

/* A place in a log, right behind a transaction: which frame was its last, and
 * the checksum that the next one goes on from. */
struct wal_place {
    uint32_t frame; /* 0: the log's beginning */
    uint8_t sum[WAL_SUM];
};

/* Of the log that begins with |head|: what is before |from| is in the database,
 * what is before |to| may be in part. */
struct moved {
    uint8_t head[WAL_HEAD];
    struct wal_place from;
    struct wal_place to;
    int64_t db_len; /* of the database, when |from| was moved */
    int64_t db_time_ns;
};

/* wal_place_at is where, in a log that begins with |head|, what a frame has
 * before its page begins. */
int64_t wal_place_at(const uint8_t head[WAL_HEAD], uint32_t frame);

/* What is there of a log that began with |head| and had reached two places. */
struct wal_reach {
    bool is_other; /* it was begun anew since; the rest is not known */
    bool is_there; /* what was at one of them, or right behind |from| */
    uint32_t end;  /* last sound frame behind |from| that commits, or |from| */
};

/* wal_reach looks from |from| on, whatever became of what is before it. */
enum err wal_reach(const char *path, const uint8_t head[WAL_HEAD],
                   const struct wal_place *from, const struct wal_place *far,
                   struct wal_reach *out);

/* wal_cut writes to |to|, open for writing and empty, a log of what |path| has
 * behind |from| up to frame |end|; nothing if that is nothing.  It is another
 * log: no index of the old one is right for it. */
enum err wal_cut(const char *path, const uint8_t head[WAL_HEAD],
                 const struct wal_place *from, uint32_t end, int to);

/* wal_mend writes to |to| a log that SQLite reads to the end of |from|.  A page
 * that is damaged and was not written again later is in it |with_damaged| as it
 * reads, else as it was before that: who reads the database must know by other
 * means what is right. */
enum err wal_mend(const char *from, const char *to, bool with_damaged);

#endif
