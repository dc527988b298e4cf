/*
 * Rows of the journal carry rising numbers that are never used again once one
 * was acknowledged, even when all rows are gone: "covered up to 100" must not
 * come to mean another hundred.
 *
 * They are in segments (store/journal_log.h).  The table has those that an
 * earlier version or a backup left, which lose their stubs when they are over
 * the bound and keep their digests while these are young; and the digests of
 * segments that were dropped.  What a live segment has is left out of it.  How
 * many stubs it holds is kept in memory, and counted anew after a rollback.
 */
#include "store/impl.h"

#include <string.h>

#include "base/log.h"
#include "store/edge_rows.h"
#include "store/flush_rows.h"
#include "store/journal.h"
#include "store/journal_read.h"
#include "store/journal_rows.h"

enum {
    DIGEST_BYTES = 16,
    SEGMENTS_MIN = 8, /* that a full journal has */
};

static enum err
set_meta(struct store *st, enum statement id, const char *key, uint64_t value)
{
    sqlite3_stmt *stmt = st->stmt[id];

    sqlite3_bind_int64(stmt, 1, (int64_t)value);
    sqlite3_bind_text(stmt, 2, key, -1, SQLITE_STATIC);
    return store_run(st, stmt);
}

enum err
store_put_meta(struct store *st, const char *key, uint64_t value)
{
    return set_meta(st, STMT_PUT_META, key, value);
}

enum err
store_get_meta(struct store *st, const char *key, uint64_t *out)
{
    sqlite3_stmt *stmt = st->stmt[STMT_GET_META];
    enum err err = OK;

    *out = 0;
    sqlite3_bind_text(stmt, 1, key, -1, SQLITE_STATIC);
    while (store_next(st, stmt, &err))
        *out = (uint64_t)sqlite3_column_int64(stmt, 0);
    return err;
}

/* Puts |row| into the table for its |digest| alone. */
static enum err
keep_digest(struct store *st, uint64_t seq, uint64_t received_ns, str digest)
{
    sqlite3_stmt *stmt =
        store_bind(st, STMT_KEEP_DIGEST,
                   (const int64_t[]){(int64_t)seq, (int64_t)received_ns}, 2);

    sqlite3_bind_blob(stmt, 3, digest.ptr, (int)digest.len, SQLITE_STATIC);
    return store_run(st, stmt);
}

/* What is lost is covered, too, as if it had been counted: that it was not is
 * in the table, as a row without a digest. */
static enum err
put_lost(struct store *st, uint64_t covered)
{
    enum err err = OK;

    while (st->lost_put < st->lost.len && !err) {
        struct journal_lost row;
        memcpy(&row, st->lost.ptr + st->lost_put, sizeof(row));
        if (row.seq > covered)
            break;
        err = keep_digest(st, row.seq, row.received_ns, STR(""));
        st->lost_put += sizeof(row);
        st->sums_stale = true; /* a row of the table may be gone */
    }
    return err;
}

enum err
store_put_covered(struct store *st, uint64_t seq, uint64_t now_ns)
{
    enum err err = put_lost(st, seq);

    if (!err)
        err = store_put_meta(st, "covered_seq", seq);
    if (!err)
        err = store_put_journal_at(st, journal_log_last_number(st->log));
    return err ? err : store_put_meta(st, "covered_ns", now_ns);
}

enum err
store_get_covered(struct store *st, uint64_t *seq, uint64_t *now_ns)
{
    enum err err = store_get_meta(st, "covered_seq", seq);

    return err ? err : store_get_meta(st, "covered_ns", now_ns);
}

enum err
store_put_finished(struct store *st, uint64_t seq)
{
    return store_put_meta(st, "finished_seq", seq);
}

enum err
store_get_finished(struct store *st, uint64_t *seq)
{
    return store_get_meta(st, "finished_seq", seq);
}

enum err
store_put_added(struct store *st, uint64_t now_ns)
{
    return store_put_meta(st, "added_ns", now_ns);
}

enum err
store_put_kept(struct store *st, uint32_t hour, uint32_t day)
{
    enum err err = set_meta(st, STMT_RAISE_META, "first_hour", hour);

    return err ? err : set_meta(st, STMT_RAISE_META, "first_day", day);
}

enum err
store_put_flush(struct store *st, uint64_t flush)
{
    return store_put_meta(st, "covered_flush", flush);
}

enum err
store_get_flush(struct store *st, uint64_t *flush)
{
    return store_get_meta(st, "covered_flush", flush);
}

enum err
store_load_sums(struct store *st)
{
    sqlite3_stmt *stmt = store_bind(
        st, STMT_JOURNAL_SUMS,
        (const int64_t[]){(int64_t)journal_log_first_seq(st->log)}, 1);
    uint64_t covered = 0, covered_ns = 0, last = 0;
    enum err err = OK;

    while (store_next(st, stmt, &err)) {
        last = (uint64_t)sqlite3_column_int64(stmt, 0);
        st->table_stubs = (uint64_t)sqlite3_column_int64(stmt, 1);
    }
    if (err || (err = store_get_covered(st, &covered, &covered_ns)))
        return err;
    journal_log_begin_at(st->log, (last < covered ? covered : last) + 1);
    st->emptied_seq = 0; /* known anew as rows are trimmed */
    st->carrying = 0;
    st->is_dropping = false;
    st->sums_stale = false;
    return OK;
}

enum err
store_append_journal(struct store *st, const struct stub_batch *batch,
                     struct digest128 digest, uint64_t *seq)
{
    return journal_log_add(st->log, batch, digest, seq);
}

/* The ids of a row are those of nodes that were committed: they come before it,
 * on the disk, too, or they would come to mean others. */
static enum err
harden_nodes(struct store *st)
{
    enum err err = dbfile_ready(&st->file);

    if (!err && st->nodes_are_soft)
        err = dbfile_sync_log(&st->file);
    if (!err)
        st->nodes_are_soft = false;
    return err;
}

enum err
store_commit_journal(struct store *st)
{
    enum err err = harden_nodes(st);

    if (!err)
        return journal_log_commit(st->log);
    journal_log_forget(st->log);
    return err;
}

static enum err
each_in_table(struct store *st, uint64_t covered, store_journal_fn *fn,
              void *ctx, uint64_t *last)
{
    sqlite3_stmt *stmt = store_bind(
        st, STMT_EACH_JOURNAL,
        (const int64_t[]){(int64_t)journal_log_first_seq(st->log)}, 1);
    enum err err = OK;

    while (store_next(st, stmt, &err)) {
        struct journal_entry entry;
        struct segment_row row = {
            .seq = (uint64_t)sqlite3_column_int64(stmt, 0),
            .received_ns = (uint64_t)sqlite3_column_int64(stmt, 1),
            .stubs = (uint32_t)sqlite3_column_int64(stmt, 2),
        };
        str digest = store_column_str(stmt, 3);
        if (digest.len == DIGEST_BYTES)
            memcpy(&row.digest, digest.ptr, DIGEST_BYTES);
        if (!(err = journal_entry_make(&entry, &row, store_column_str(stmt, 4),
                                       covered))) {
            if (entry.damaged && row.seq > covered)
                err = journal_lost_add(&st->lost, row.seq, row.received_ns);
            if (!err)
                err = fn(ctx, &entry);
            journal_batch_fini(&entry.batch);
        }
        *last = row.seq;
        if (err) {
            sqlite3_reset(stmt);
            break;
        }
    }
    return err;
}

enum err
store_each_journal(struct store *st, store_journal_fn *fn, void *ctx)
{
    uint64_t covered = 0, covered_ns = 0, last = 0;
    int64_t nodes = 0;
    enum err err = store_get_covered(st, &covered, &covered_ns);

    buf_reset(&st->lost);
    if (err || (err = journal_lost_read(&st->lost, st->file.db,
                                        journal_log_first_seq(st->log))))
        return err;
    st->lost_put = st->lost_kept = st->lost.len;
    if ((err = each_in_table(st, covered, fn, ctx, &last)) ||
        (err = dbfile_query_int(
             &st->file, "SELECT coalesce(max(id), 0) FROM node", &nodes)))
        return err;
    const struct journal_look look = {
        .expected = (last < covered ? covered : last) + 1,
        .nodes = (uint64_t)nodes,
        .covered = covered,
        .lost = &st->lost,
    };
    err = journal_log_each(st->log, &look, fn, ctx);
    return err ? err : store_tell_lost_file(st, fn, ctx);
}

/* Rows up to |upto| leave, and |stubs| stubs with them. */
struct cut {
    uint64_t upto;
    uint64_t stubs;
    uint32_t rows; /* that were looked at */
};

/* Finds how far rows are older than |before_ns|. */
static enum err
find_old(struct store *st, const struct journal_trim *trim, uint64_t before_ns,
         struct cut *out)
{
    const int64_t bounds[] = {(int64_t)trim->covered_seq, STORE_TRIM_ROWS};
    sqlite3_stmt *row = store_bind(st, STMT_JOURNAL_OLDEST, bounds, 2);
    enum err err = OK;

    while (store_next(st, row, &err)) {
        if ((uint64_t)sqlite3_column_int64(row, 1) >= before_ns) {
            sqlite3_reset(row);
            break;
        }
        out->upto = (uint64_t)sqlite3_column_int64(row, 0);
        out->stubs += (uint64_t)sqlite3_column_int64(row, 2);
        out->rows++;
    }
    return err;
}

/* What is counted anew after a crash must meet what was held when it came. */
static uint64_t
stubs_wanted(const struct journal_trim *trim)
{
    return trim->max_stubs + trim->uncovered_stubs;
}

/* Finds how far rows are too many: so many stubs are left as are wanted, for
 * what pairing forgets depends on them. */
static enum err
find_excess(struct store *st, const struct journal_trim *trim, struct cut *out)
{
    const int64_t bounds[] = {(int64_t)trim->covered_seq, STORE_TRIM_ROWS,
                              (int64_t)st->emptied_seq};
    sqlite3_stmt *row = store_bind(st, STMT_JOURNAL_FULL_OLDEST, bounds, 3);
    uint64_t all = st->table_stubs + journal_log_stubs(st->log);
    enum err err = OK;

    while (out->stubs < st->table_stubs &&
           all > out->stubs + stubs_wanted(trim)) {
        if (!store_next(st, row, &err))
            return err;
        uint64_t stubs = out->stubs + (uint64_t)sqlite3_column_int64(row, 2);
        if (all < stubs + stubs_wanted(trim))
            break;
        out->upto = (uint64_t)sqlite3_column_int64(row, 0);
        out->stubs = stubs;
        out->rows++;
    }
    sqlite3_reset(row);
    return OK;
}

static enum err
drop_old(struct store *st, const struct journal_trim *trim, bool *more)
{
    /* What was emptied is kept for its digest alone, and no longer. */
    struct cut old = {0};
    struct cut digests = {0};
    enum err err;

    if ((err = find_old(st, trim, trim->before_ns, &old)) ||
        (err = find_old(st, trim, trim->digest_before_ns, &digests)))
        return err;
    if (digests.upto > st->emptied_seq && st->table_stubs > 0)
        digests.upto = 0; /* some of these have stubs still */
    if (digests.upto > old.upto)
        old = digests;
    if (old.upto == 0)
        return OK;
    if ((err = STORE_RUN(st, STMT_DROP_JOURNAL, (int64_t)old.upto)))
        return err;
    *more = old.rows == STORE_TRIM_ROWS;
    st->table_stubs -= old.stubs;
    return OK;
}

static enum err
empty_excess(struct store *st, const struct journal_trim *trim, bool *more)
{
    struct cut excess = {0};
    enum err err = find_excess(st, trim, &excess);

    if (err || excess.upto == 0)
        return err;
    if ((err = STORE_RUN(st, STMT_EMPTY_JOURNAL, (int64_t)st->emptied_seq,
                         (int64_t)excess.upto)))
        return err;
    *more |= excess.rows == STORE_TRIM_ROWS;
    st->table_stubs -= excess.stubs;
    st->emptied_seq = excess.upto;
    return OK;
}

/* ---- segments ---- */

/* Whether the oldest segment is covered, and old or one too many. */
static bool
is_over(const struct store *st, const struct journal_trim *trim)
{
    const struct journal_segment *oldest = journal_log_oldest(st->log);
    uint64_t stubs = journal_log_stubs(st->log);

    /* What is in the table comes before it. */
    if (!oldest || st->table_stubs > 0 || oldest->last > trim->covered_seq)
        return false;
    return oldest->last_ns < trim->before_ns ||
           (stubs > stubs_wanted(trim) &&
            stubs - oldest->stubs >= stubs_wanted(trim));
}

/* Puts digests of the oldest segment into the table, some at a time. */
static enum err
carry(struct store *st, const struct journal_trim *trim)
{
    uint64_t number = journal_log_oldest(st->log)->number;
    enum err err = OK;

    if (st->carrying != number) {
        buf_reset(&st->carried);
        st->carried_at = 0;
        err = journal_log_digests(st->log, trim->digest_before_ns, &st->lost,
                                  &st->carried);
        st->carrying = err ? 0 : number;
    }
    for (int i = 0; i < STORE_TRIM_ROWS && !err; i++) {
        struct segment_row row;
        if (st->carried_at == st->carried.len)
            break;
        memcpy(&row, st->carried.ptr + st->carried_at, sizeof(row));
        err = keep_digest(st, row.seq, row.received_ns,
                          (str){(const char *)&row.digest, DIGEST_BYTES});
        st->carried_at += sizeof(row);
    }
    return err;
}

static enum err
drop_segment(struct store *st, const struct journal_trim *trim, bool *more)
{
    journal_log_roll(st->log, trim->max_stubs / SEGMENTS_MIN, trim->before_ns);
    if (!is_over(st, trim))
        return OK;
    *more = true;
    /* From here on no group may go to it: it is removed at the next start even
     * if the commit that says so fails, and is done all the same. */
    journal_log_seal_oldest(st->log);
    enum err err = carry(st, trim);
    if (err || st->carried_at < st->carried.len)
        return err;
    st->is_dropping = true;
    return store_put_meta(st, "journal_from", st->carrying + 1);
}

/* Its file is the last of it: so what says that it is dead is on the disk
 * before. */
void
store_drop_dead(struct store *st)
{
    if (!st->is_dropping)
        return;
    if (dbfile_sync_log(&st->file) == OK)
        journal_log_drop(st->log);
    buf_fini(&st->carried);
    st->carrying = 0;
    st->is_dropping = false;
}

enum err
store_trim_journal(struct store *st, const struct journal_trim *trim,
                   bool *more)
{
    enum err err;

    *more = false;
    if ((st->sums_stale && (err = store_load_sums(st))) ||
        (err = drop_old(st, trim, more)) ||
        (err = empty_excess(st, trim, more)))
        return err;
    return drop_segment(st, trim, more);
}
