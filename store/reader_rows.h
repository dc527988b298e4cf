/*
 * reader_rows - what the files of store/reader.h share.
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
    READER_NODES_VERSION,
    READER_GRAPH_VERSION,
    READER_EDGE_MOST,
    READER_ADDED,
    READER_KEPT,
    READER_NODES,
    READER_OVERFLOW,
    READER_EDGES_ALL,
    READER_EDGES_FROM,
    READER_EDGES_TO,
    READER_TALLIES,
    READER_SUM_HOURS,
    READER_SUM_DAYS,
    READER_DAY_ROWS,
    READER_VERSIONS,
    READER_EXEMPLARS,
    READER_ROUTES,
    READER_COUNTERS,
    READER_LOSS,
    READER_UPTIME,
    READER_STMTS,
};

/* Where the statement of reader_sum stopped. */
struct reader_place {
    bool is_set;
    uint64_t low;
    uint64_t at; /* UINT64_MAX: at the end */
};

struct reader {
    sqlite3 *db;
    sqlite3_stmt *stmts[READER_STMTS];
    struct reader_place places[READER_DAYS + 1]; /* by unit */
    reader_over_fn *is_over;                     /* NULL: nobody is asked */
    void *is_over_ctx;
};

/* reader_err is what a result code of SQLite means to a caller. */
enum err reader_err(int rc);

/* reader_prepare gives statement |which|, prepared from |sql| at first. */
enum err reader_prepare(struct reader *r, enum reader_stmt which,
                        const char *sql, sqlite3_stmt **out);

/* reader_sum_end lets go of what reader_sum has open. */
void reader_sum_end(struct reader *r);

#endif
