/*
 * journal_impl - what the files behind store/journal_log.h share.  Not for
 * others.
 *
 * Threads    The owner of the store only.
 */
#ifndef STORE_JOURNAL_IMPL_H
#define STORE_JOURNAL_IMPL_H

#include "store/journal_log.h"
#include "store/segment_file.h"

struct journal_log {
    struct journal_owner owner;
    struct buf list;      /* of struct journal_segment, by rising number */
    sqlite3_file *active; /* where groups go; NULL: to the next */
    uint64_t next_number;
    uint64_t next_seq;
    uint64_t stubs;
    int64_t bytes;
    struct segment_group group;
    int dir;   /* its descriptor; -1: the journal is only read */
    int spare; /* another, given up for a file when there is no third; or -1 */
};

static inline size_t
journal_log_len(const struct journal_log *log)
{
    return log->list.len / sizeof(struct journal_segment);
}

static inline struct journal_segment *
journal_log_at(const struct journal_log *log, size_t i)
{
    return (struct journal_segment *)(void *)log->list.ptr + i;
}

static inline struct journal_segment *
journal_log_newest(const struct journal_log *log)
{
    size_t len = journal_log_len(log);

    return len ? journal_log_at(log, len - 1) : NULL;
}

/* journal_log_open_file opens segment |number|, whatever else has descriptors:
 * the store goes on when clients have all. */
enum err journal_log_open_file(struct journal_log *log, sqlite3_file **out,
                               uint64_t number, enum segment_how how);

/* journal_log_scan takes in the segments whose |numbers| these are. */
enum err journal_log_scan(struct journal_log *log, const struct buf *numbers);

/*
 * journal_log_cut ends what is in the log before row |seq|, which is in segment
 * |at| of the list, and adds a row of that number which says what is lost.
 *
 * That row is in a segment of its own, and from its number on those before do
 * not count: once it is on the disk it is done, all at once.  Then the segments
 * of which nothing counts are put aside.
 */
struct journal_cut {
    size_t at;
    uint64_t seq;
    bool is_part;   /* rows of segment |at| before that count */
    uint64_t kept;  /* their stubs */
    uint32_t stubs; /* that are lost */
};
enum err
journal_log_cut(struct journal_log *log, const struct journal_cut *cut);

#endif
