/*
 * reader_rows - what store/reader.c and store/reader_rows.c share.
 *
 * Threads    As store/reader.h.
 */
#ifndef STORE_READER_ROWS_H
#define STORE_READER_ROWS_H

#include <sqlite3.h>

#include "base/err.h"
#include "store/reader.h"
#include "store/reader_stop.h"

enum reader_stmt {
    READER_BEGIN,
    READER_LOOK,
    READER_ROLLBACK,
    READER_VERSION,
    READER_EDGE_MOST,
    READER_ADDED,
    READER_KEPT,
    READER_NODES,
    READER_OVERFLOW,
    READER_EDGES_ALL,
    READER_EDGES_FROM,
    READER_EDGES_TO,
    READER_SUM_HOURS,
    READER_SUM_DAYS,
    READER_DAY_ROWS,
    READER_VERSIONS,
    READER_ROUTES,
    READER_COUNTERS,
    READER_LOSS,
    READER_UPTIME,
    READER_STMTS,
};

struct reader {
    sqlite3 *db;
    sqlite3_stmt *stmts[READER_STMTS];
    reader_over_fn *is_over; /* NULL: nobody is asked */
    void *is_over_ctx;
};

/* reader_err is what a result code of SQLite means to a caller. */
enum err reader_err(int rc);

/* reader_prepare gives statement |which|, prepared from |sql| at first. */
enum err reader_prepare(struct reader *r, enum reader_stmt which,
                        const char *sql, sqlite3_stmt **out);

#endif
