/*
 * journal_read - what is in the journal's files, row by row.
 *
 * Errors     ERR_STORE: the disk.  ERR_NOMEM.
 * Threads    The owner of the store only.
 */
#ifndef STORE_JOURNAL_READ_H
#define STORE_JOURNAL_READ_H

#include <stdint.h>

#include <sqlite3.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"
#include "store/journal_log.h"
#include "store/journal_rows.h"
#include "store/segment.h"

/*
 * journal_log_each passes all rows as store_each_journal does.  What is missing
 * before a row is passed as one damaged entry, the last of what is missing,
 * which holds a stub for each.  What is damaged and not |covered| is lost and
 * has no digest: its sender may come again, and shall be heard, also after it
 * was covered and the journal was opened anew: so |lost| is to be kept.  What
 * is covered otherwise was counted, and keeps it.
 *
 * It ends at the first row with an id that is not known: that and what follows
 * came after the moment that the database is of, a copy perhaps, and the ids
 * would come to mean others.  Unless the journal is only read, that is so for
 * good: a damaged entry is passed, and stands in the journal in their place,
 * which holds a stub for each of theirs; the segments are put aside.
 */
struct journal_look {
    uint64_t expected; /* the seq that the first row should have at most */
    uint64_t nodes;    /* the last id of a node that is known */
    uint64_t covered;  /* the last seq that is in the stored edges */
    struct buf *lost;  /* of struct journal_lost, by rising seq: those that are
                          known, to which others are added */
};

struct journal_lost {
    uint64_t seq;
    uint64_t received_ns;
};
enum err journal_lost_add(struct buf *lost, uint64_t seq, uint64_t received_ns);

/* journal_lost_read adds those that the table of |db| has, from row |first| on:
 * the rows without a digest. */
enum err journal_lost_read(struct buf *lost, sqlite3 *db, uint64_t first);

enum err
journal_log_each(struct journal_log *log, const struct journal_look *look,
                 store_journal_fn *fn, void *ctx);

/* journal_log_digests appends the rows of the oldest segment that have a digest
 * and were received at |since_ns| or later, as struct segment_row, but for
 * those that are |lost|. */
enum err journal_log_digests(struct journal_log *log, uint64_t since_ns,
                             const struct buf *lost, struct buf *out);

/* journal_entry_make reads |row|, whose stubs are packed in |data|; |covered|
 * as above.  Release entry->batch. */
enum err
journal_entry_make(struct journal_entry *entry, const struct segment_row *row,
                   str data, uint64_t covered);

#endif
