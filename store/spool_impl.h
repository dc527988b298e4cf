/*
 * spool_impl - what the parts of the spool share.  Private to store/spool*.c.
 *
 * Threads    One at a time.
 */
#ifndef STORE_SPOOL_IMPL_H
#define STORE_SPOOL_IMPL_H

#include "store/dbfile.h"
#include "store/spool.h"

enum spool_stmt {
    SPOOL_BEGIN,
    SPOOL_COMMIT,
    SPOOL_ROLLBACK,
    SPOOL_PUT,
    SPOOL_OLDEST,
    SPOOL_PARTS,
    SPOOL_DROP,
    SPOOL_COUNT_WAITING,
    SPOOL_COUNT_ASIDE,
    SPOOL_LAST,
    SPOOL_SIZE,
    SPOOL_ASIDE,
    SPOOL_ASIDE_OLDEST,
    SPOOL_ASIDE_DROP,
    SPOOL_BACK,
    SPOOL_ASIDE_CLEAR,
    SPOOL_SEEN,
    SPOOL_NOTE,
    SPOOL_FORGET_OLD,
    SPOOL_FORGET_MANY,
    SPOOL_COUNT
};

struct spool {
    struct spool_cfg cfg;
    struct dbfile file;
    sqlite3_stmt *stmt[SPOOL_COUNT];
    struct spool_stats stats;
    int64_t last_seq;
    int64_t batch; /* the open one */
    uint64_t open_raw;
    uint64_t open_ns; /* when its first part came */
    bool is_open;     /* it has parts */
    bool is_dirty;    /* the transaction has put some */
    bool is_stale;    /* the rows are to be counted anew */
};

/* spool_count reads what is counted from the rows. */
enum err spool_count(struct spool *spool);

enum err spool_run(struct spool *spool, enum spool_stmt which);
enum err
spool_run_with(struct spool *spool, enum spool_stmt which, int64_t value);

/* spool_finish commits, or rolls back if |err|. */
enum err spool_finish(struct spool *spool, enum err err);

/* spool_is_aged: the open batch is old enough to be closed. */
bool spool_is_aged(const struct spool *spool, uint64_t now_ns);
void spool_close_batch(struct spool *spool);

#endif
