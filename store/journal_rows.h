/*
 * journal_rows - the journal of the accepted requests, and how far the stored
 * edges cover it.
 *
 * Errors     As of store/store.h.
 * Threads    The owner thread only.
 */
#ifndef STORE_JOURNAL_ROWS_H
#define STORE_JOURNAL_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/hash.h"
#include "model/stub.h"
#include "store/store.h"

/*
 * Rows go into files beside the database (store/journal_log.h) and need no
 * transaction; the nodes whose ids they hold must have been committed.
 * store_append_journal gives the row its |seq|, rising; store_commit_journal
 * has all of them on disk, or with the system; with STORE_SYNC_OS, too, it has
 * on disk before them what nodes were committed since the last time.
 * After an error of either none of them is stored, and their numbers come
 * again.
 */
enum err store_append_journal(struct store *st, const struct stub_batch *batch,
                              struct digest128 digest, uint64_t *seq);
enum err store_commit_journal(struct store *st);

struct journal_entry {
    uint64_t seq;
    struct digest128 digest;
    struct stub_batch batch; /* valid during the call */
    uint32_t stubs;          /* what the row says it holds */
    bool damaged;
};
typedef enum err store_journal_fn(void *ctx, const struct journal_entry *entry);

/* store_each_journal goes by rising seq.  A row that cannot be trusted is
 * passed without batch and |damaged|, as is what was put aside because it
 * speaks of nodes that are not stored (store/journal_log.h); it has its digest
 * if it was counted: what was not is known to the next store_put_covered, and
 * has none ever after. */
enum err store_each_journal(struct store *st, store_journal_fn *fn, void *ctx);

/*
 * store_trim_journal, in a transaction, drops rows up to |covered_seq|: those
 * received before |before_ns| whole; of the others the oldest lose their stubs,
 * as long as |max_stubs| are left beside the |uncovered_stubs| of later rows,
 * and keep their digest until |digest_before_ns|.  Files go as a whole, so that
 * some may be kept that need not be.  A call looks at STORE_TRIM_ROWS of each
 * sort at most; |more| says that there may be others.
 */
enum { STORE_TRIM_ROWS = 512 };

struct journal_trim {
    uint64_t before_ns;
    uint64_t digest_before_ns;
    uint64_t max_stubs;
    uint64_t uncovered_stubs; /* of rows behind |covered_seq| */
    uint64_t covered_seq;
};
enum err store_trim_journal(struct store *st, const struct journal_trim *trim,
                            bool *more);

/* How far the stored edges cover the journal, and the time up to which waits
 * had ended; zeros in a new store. */
enum err store_put_covered(struct store *st, uint64_t seq, uint64_t now_ns);
enum err store_get_covered(struct store *st, uint64_t *seq, uint64_t *now_ns);

/* The time up to which all is in the edges that is covered: the same, or while
 * parts of a flush are still to be added that of the flush before. */
enum err store_put_added(struct store *st, uint64_t now_ns);

/* Up to which row of the journal all waits were ended at once, because the
 * input had ended; 0: none. */
enum err store_put_finished(struct store *st, uint64_t seq);
enum err store_get_finished(struct store *st, uint64_t *seq);

#endif
