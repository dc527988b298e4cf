/*
 * journal_log - the journal in files of its own, beside the database.
 *
 * What is accepted is written once, read only after a restart, and dropped in
 * the order it came: a file that is only appended to does that with one write
 * and one sync a group, where a table costs pages, a log of them, copies of
 * that and deletions.  The files are segments (store/segment.h); a group goes
 * to the end of the last, and the first go as a whole.
 *
 *     journal_log_add(log, ...) ...; journal_log_commit(log);
 *
 * What is on the disk between two calls of the system, and what a start makes
 * of it:
 *
 *     a group is written, not synced    without its index it was never there.
 *                                       With it, its rows count that are what
 *                                       was written: nobody was answered, and a
 *                                       retry is known.  The others are
 *                                       damaged, as are those of any group: it
 *                                       may be that they were acknowledged
 *     its write or sync fails           it was refused; the segment is given up
 *                                       and the next one begins with the same
 *                                       seq, from which on the old one does not
 *                                       count.  Before there is such a one: as
 *                                       above, and a retry is known
 *     a segment is made, is empty       nothing is in it, the next is another
 *     its first group is synced, its    it is as any other.  What is named in
 *     number not yet in `meta`          `meta` and not there is missing
 *     digests are carried to the table  rows there that a live segment has,
 *                                       too, are left out
 *     that is committed, the segment    it is older than the first that the
 *     is not yet removed                table `meta` names: it is removed
 *     a row speaks of nodes that are    a segment is made that begins with its
 *     not known (journal_read.h)        seq, and ends those before it
 *
 * What counts at a start is written again and synced (store/settle.c says why)
 * before anybody is answered.
 *
 * Errors     ERR_STORE: the disk.  ERR_NOMEM.
 * Threads    The owner of the store only.
 */
#ifndef STORE_JOURNAL_LOG_H
#define STORE_JOURNAL_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/hash.h"
#include "store/dbfile.h"
#include "store/journal_owner.h"
#include "store/segment.h"

/* A segment that is so large is followed by another. */
enum { JOURNAL_SEGMENT_BYTES = 16 << 20 };

struct journal_log;

/* journal_log_open looks through the segments that are there, puts aside those
 * of another database, and settles the rest.  When it is only read it leaves
 * them as they are, and what it has found stays readable if it is removed. */
enum err
journal_log_open(struct journal_log **out, const struct journal_owner *owner);
void journal_log_close(struct journal_log *log);

/* journal_log_begin_at: the next row is |seq| or, if there are rows, the next
 * after them. */
void journal_log_begin_at(struct journal_log *log, uint64_t seq);

/* journal_log_add gives the row the seq it will have; journal_log_commit writes
 * and, with DBFILE_SYNC_FULL, syncs what was added.  After an error of either
 * nothing of it counts and the next row has the same seq again. */
enum err
journal_log_add(struct journal_log *log, const struct stub_batch *batch,
                struct digest128 digest, uint64_t *seq);
enum err journal_log_commit(struct journal_log *log);
void journal_log_forget(struct journal_log *log); /* what was added */

struct journal_segment {
    uint64_t number;
    uint64_t first;    /* seq */
    uint64_t last;     /* seq; 0: no rows */
    uint64_t first_ns; /* of its first row */
    uint64_t last_ns;  /* the latest of its rows */
    uint64_t stubs;
    int64_t end;        /* behind the last group that counts */
    sqlite3_file *kept; /* open as long as the log, or NULL */
};

/* journal_log_last_number is that of the last segment with a row; 0: none. */
uint64_t journal_log_last_number(const struct journal_log *log);

const struct journal_segment *
journal_log_oldest(const struct journal_log *log); /* NULL: there is none */
/* The seq of the first row; INT64_MAX: there is none.  And of the next. */
uint64_t journal_log_first_seq(const struct journal_log *log);
uint64_t journal_log_next_seq(const struct journal_log *log);
uint64_t journal_log_stubs(const struct journal_log *log);
int64_t journal_log_bytes(const struct journal_log *log);

/* journal_log_roll has the next group begin a segment if the last has more than
 * |stubs|, or begins before |before_ns|. */
void
journal_log_roll(struct journal_log *log, uint64_t stubs, uint64_t before_ns);

/* journal_log_seal_oldest: no group goes to the oldest segment any more;
 * journal_log_drop forgets it, once that is so, and removes its file. */
void journal_log_seal_oldest(struct journal_log *log);
void journal_log_drop(struct journal_log *log);

#endif
