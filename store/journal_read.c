/*
 * Segments are read group by group.  What counts of one is known since it was
 * looked through, and is all that is read.
 */
#include "store/journal_read.h"

#include <stdlib.h>

#include "base/log.h"
#include "store/journal.h"
#include "store/journal_impl.h"
#include "store/journal_rows.h"
#include "store/segment_file.h"

enum err
journal_entry_make(struct journal_entry *entry, const struct segment_row *row,
                   str data, uint64_t covered)
{
    enum err err = OK;

    *entry = (struct journal_entry){
        .seq = row->seq, .digest = row->digest, .stubs = row->stubs};
    if (data.len > 0 || row->stubs > 0)
        err = journal_unpack(&entry->batch, data);
    if (!err && data.len > 0 &&
        (entry->batch.received_ns != row->received_ns ||
         entry->batch.stub_len != row->stubs)) {
        journal_batch_fini(&entry->batch);
        err = ERR_CORRUPT;
    }
    entry->batch.received_ns = row->received_ns;
    entry->damaged = err == ERR_CORRUPT;
    if (!entry->damaged)
        return err;
    if (row->seq > covered)
        entry->digest = (struct digest128){0};
    log_error("a row of the journal is damaged", "seq", "%llu",
              (unsigned long long)entry->seq);
    return OK;
}

static bool
ids_are_known(const struct stub_batch *batch, uint64_t nodes)
{
    for (uint32_t i = 0; i < batch->stub_len; i++) {
        const struct stub *stub = &batch->stubs[i];
        if (stub->service > nodes || stub->endpoint > nodes ||
            stub->peer > nodes || stub->version > nodes ||
            stub->scope > nodes || stub->symbol > nodes)
            return false;
    }
    return true;
}

struct reading {
    struct journal_log *log;
    struct journal_look look;
    store_journal_fn *fn;
    void *ctx;
    uint64_t rows;  /* that were passed, of this segment */
    uint64_t stubs; /* of these */
    uint64_t over;  /* the seq of the row with an id that is not known, or 0 */
};

static enum err
tell_missing(struct reading *reading, uint64_t seq)
{
    uint64_t expected = reading->look.expected;
    uint64_t missing = seq > expected ? seq - expected : 0;
    const struct journal_entry entry = {
        .seq = seq - 1,
        .stubs = missing < UINT32_MAX ? (uint32_t)missing : UINT32_MAX,
        .damaged = true,
    };

    if (missing == 0)
        return OK;
    log_error("rows of the journal are missing", "before", "%llu: %llu",
              (unsigned long long)seq, (unsigned long long)missing);
    reading->look.expected = seq;
    return reading->fn(reading->ctx, &entry);
}

static bool
is_lost(const struct reading *reading, const struct journal_entry *entry)
{
    return entry->damaged && entry->seq > reading->look.covered;
}

enum err
journal_lost_add(struct buf *lost, uint64_t seq, uint64_t received_ns)
{
    const struct journal_lost row = {seq, received_ns};

    buf_add(lost, (str){(const char *)&row, sizeof(row)});
    return lost->failed ? ERR_NOMEM : OK;
}

enum err
journal_lost_read(struct buf *lost, sqlite3 *db, uint64_t first)
{
    static const char sql[] =
        "SELECT seq, received_ns FROM journal WHERE seq >= ?1"
        " AND coalesce(length(digest), 0) = 0 ORDER BY seq";
    sqlite3_stmt *stmt = NULL;
    enum err err = OK;
    int rc = sqlite3_prepare_v2(db, sql, -1, &stmt, NULL);

    if (rc == SQLITE_OK)
        rc = sqlite3_bind_int64(stmt, 1, (int64_t)first);
    if (rc == SQLITE_OK)
        rc = sqlite3_step(stmt);
    for (; rc == SQLITE_ROW && !err; rc = sqlite3_step(stmt))
        err = journal_lost_add(lost, (uint64_t)sqlite3_column_int64(stmt, 0),
                               (uint64_t)sqlite3_column_int64(stmt, 1));
    sqlite3_finalize(stmt);
    if (err || rc == SQLITE_DONE)
        return err;
    return rc == SQLITE_NOMEM ? ERR_NOMEM : ERR_STORE;
}

static int
compare_seq(const void *a, const void *b)
{
    const struct journal_lost *x = a;
    const struct journal_lost *y = b;

    return (x->seq > y->seq) - (x->seq < y->seq);
}

static bool
was_lost(const struct buf *lost, uint64_t seq)
{
    const struct journal_lost wanted = {.seq = seq};

    return lost->len > 0 &&
           bsearch(&wanted, lost->ptr, lost->len / sizeof(wanted),
                   sizeof(wanted), compare_seq);
}

/* Remembers what is found to be lost now; what was lost before is so for good,
 * even if it can be read again: its sender may have been heard meanwhile. */
static enum err
note_lost(struct reading *reading, const struct segment_row *row,
          struct journal_entry *entry)
{
    struct buf *lost = reading->look.lost;

    if (is_lost(reading, entry))
        return journal_lost_add(lost, row->seq, row->received_ns);
    if (was_lost(lost, row->seq)) {
        journal_batch_fini(&entry->batch);
        entry->batch.received_ns = row->received_ns;
        entry->digest = (struct digest128){0};
        entry->damaged = true;
    }
    return OK;
}

/* Calls |see| for each group of |segment| that counts. */
typedef enum err group_fn(void *ctx, struct segment_walk *walk, uint64_t last);

static enum err
each_group(struct journal_log *log, const struct journal_segment *segment,
           group_fn *see, void *ctx)
{
    const struct journal_owner *owner = &log->owner;
    struct segment_walk walk = {0};
    sqlite3_file *file = segment->kept;
    enum err err = OK;

    if (segment->last == 0)
        return OK;
    if (!file)
        err = journal_log_open_file(log, &file, segment->number, SEGMENT_READ);
    if (!err)
        err = segment_walk_begin(&walk, file, owner->store, segment->number);
    while (!err && !(err = segment_walk_next(&walk)) &&
           walk.seq <= segment->last)
        err = see(ctx, &walk, segment->last);
    segment_walk_fini(&walk);
    if (file != segment->kept)
        segment_file_close(file);
    return err == ERR_NOT_FOUND ? OK : err;
}

static enum err
read_group(void *ctx, struct segment_walk *walk, uint64_t last)
{
    struct reading *reading = ctx;
    size_t at = 0;
    enum err err = tell_missing(reading, walk->seq);

    if (!err)
        err = segment_walk_load(walk);
    for (uint32_t i = 0; i < walk->rows && !err; i++) {
        struct segment_row row = segment_walk_row(walk, i);
        struct journal_entry entry;
        if (row.seq > last)
            break;
        if ((err = journal_entry_make(&entry, &row,
                                      segment_walk_data(walk, i, &at),
                                      reading->look.covered)))
            break;
        if (!ids_are_known(&entry.batch, reading->look.nodes)) {
            reading->over = row.seq;
            err = ERR_NOT_FOUND;
        } else {
            err = note_lost(reading, &row, &entry);
            if (!err)
                err = reading->fn(reading->ctx, &entry);
            reading->rows++;
            reading->stubs += row.bytes > 0 ? row.stubs : 0;
        }
        journal_batch_fini(&entry.batch);
        reading->look.expected = row.seq + 1;
    }
    return err;
}

/* Leaves out what was not read, from segment |at| on, and says so, as one of
 * those that were |expected|. */
static enum err
leave_out(struct journal_log *log, size_t at, const struct reading *reading,
          uint64_t expected)
{
    struct journal_cut cut = {.at = at,
                              .seq = reading->over,
                              .is_part = reading->rows > 0,
                              .kept = reading->stubs};
    uint64_t stubs = 0;

    for (size_t i = at; i < journal_log_len(log); i++)
        stubs += journal_log_at(log, i)->stubs;
    stubs -= stubs > reading->stubs ? reading->stubs : stubs;
    cut.stubs = stubs < UINT32_MAX ? (uint32_t)stubs : UINT32_MAX;
    const struct journal_entry entry = {
        .seq = cut.seq < expected ? expected : cut.seq,
        .stubs = cut.stubs,
        .damaged = true,
    };
    enum err err = journal_log_cut(log, &cut);

    if (err)
        return err;
    journal_log_begin_at(log, entry.seq + 1);
    return reading->fn(reading->ctx, &entry);
}

enum err
journal_log_each(struct journal_log *log, const struct journal_look *look,
                 store_journal_fn *fn, void *ctx)
{
    struct reading reading = {.log = log, .look = *look, .fn = fn, .ctx = ctx};
    enum err err = OK;

    for (size_t i = 0; i < journal_log_len(log) && !err; i++) {
        reading.rows = reading.stubs = 0;
        err = each_group(log, journal_log_at(log, i), read_group, &reading);
        if (reading.over && !err)
            return log->owner.db ? leave_out(log, i, &reading, look->expected)
                                 : OK;
        if (!err) /* it was there a moment ago, or its disk fails */
            err = tell_missing(&reading, journal_log_at(log, i)->last + 1);
    }
    return err;
}

struct digest_list {
    const struct buf *lost;
    uint64_t since_ns;
    struct buf *out;
};

static enum err
list_digests(void *ctx, struct segment_walk *walk, uint64_t last)
{
    const struct digest_list *list = ctx;

    for (uint32_t i = 0; i < walk->rows; i++) {
        struct segment_row row = segment_walk_row(walk, i);
        if (row.seq <= last && row.received_ns >= list->since_ns &&
            (row.digest.hi || row.digest.lo) && !was_lost(list->lost, row.seq))
            buf_add(list->out, (str){(const char *)&row, sizeof(row)});
    }
    return list->out->failed ? ERR_NOMEM : OK;
}

enum err
journal_log_digests(struct journal_log *log, uint64_t since_ns,
                    const struct buf *lost, struct buf *out)
{
    const struct journal_segment *oldest = journal_log_at(log, 0);
    struct digest_list list = {lost, since_ns, out};

    return oldest->last_ns < since_ns
               ? OK
               : each_group(log, oldest, list_digests, &list);
}
