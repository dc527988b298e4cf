/*
 * Rows of the journal carry rising numbers that are never used again, even
 * when all rows are gone: "covered up to 100" must not come to mean another
 * hundred.  How many stubs all rows hold is kept in memory, and counted anew
 * after a rollback.
 *
 * A row that is over the bound on stubs but still young loses its stubs and
 * keeps its digest.
 */
#include "store/impl.h"

#include "base/log.h"
#include "store/journal.h"

enum { DIGEST_BYTES = 16 };

static enum err
set_meta(struct store *st, enum statement id, const char *key, uint64_t value)
{
    sqlite3_stmt *stmt = st->stmt[id];

    sqlite3_bind_int64(stmt, 1, (int64_t)value);
    sqlite3_bind_text(stmt, 2, key, -1, SQLITE_STATIC);
    return store_run(st, stmt);
}

static enum err
put_meta(struct store *st, const char *key, uint64_t value)
{
    return set_meta(st, STMT_PUT_META, key, value);
}

static enum err
get_meta(struct store *st, const char *key, uint64_t *out)
{
    sqlite3_stmt *stmt = st->stmt[STMT_GET_META];
    enum err err = OK;

    *out = 0;
    sqlite3_bind_text(stmt, 1, key, -1, SQLITE_STATIC);
    while (store_next(st, stmt, &err))
        *out = (uint64_t)sqlite3_column_int64(stmt, 0);
    return err;
}

enum err
store_put_covered(struct store *st, uint64_t seq, uint64_t now_ns)
{
    enum err err = put_meta(st, "covered_seq", seq);

    return err ? err : put_meta(st, "covered_ns", now_ns);
}

enum err
store_get_covered(struct store *st, uint64_t *seq, uint64_t *now_ns)
{
    enum err err = get_meta(st, "covered_seq", seq);

    return err ? err : get_meta(st, "covered_ns", now_ns);
}

enum err
store_put_finished(struct store *st, uint64_t seq)
{
    return put_meta(st, "finished_seq", seq);
}

enum err
store_get_finished(struct store *st, uint64_t *seq)
{
    return get_meta(st, "finished_seq", seq);
}

enum err
store_put_added(struct store *st, uint64_t now_ns)
{
    return put_meta(st, "added_ns", now_ns);
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
    return put_meta(st, "covered_flush", flush);
}

enum err
store_get_flush(struct store *st, uint64_t *flush)
{
    return get_meta(st, "covered_flush", flush);
}

enum err
store_load_sums(struct store *st)
{
    sqlite3_stmt *stmt = st->stmt[STMT_JOURNAL_SUMS];
    uint64_t covered = 0, covered_ns = 0, last = 0;
    enum err err = OK;

    while (store_next(st, stmt, &err)) {
        last = (uint64_t)sqlite3_column_int64(stmt, 0);
        st->journal_stubs = (uint64_t)sqlite3_column_int64(stmt, 1);
    }
    if (err || (err = store_get_covered(st, &covered, &covered_ns)))
        return err;
    if (last < covered)
        last = covered;
    if (st->next_seq <= last)
        st->next_seq = last + 1;
    st->emptied_seq = 0; /* known anew as rows are trimmed */
    st->sums_stale = false;
    return OK;
}

enum err
store_append_journal(struct store *st, const struct stub_batch *batch,
                     struct digest128 digest, uint64_t *seq)
{
    bool has_digest = digest.hi || digest.lo;
    sqlite3_stmt *stmt = store_bind(
        st, STMT_APPEND,
        (const int64_t[]){(int64_t)st->next_seq, (int64_t)batch->received_ns,
                          batch->stub_len},
        3);

    buf_reset(&st->packed);
    journal_pack(batch, &st->packed);
    if (st->packed.failed)
        return ERR_NOMEM;
    sqlite3_bind_blob(stmt, 4, has_digest ? &digest : NULL,
                      has_digest ? DIGEST_BYTES : 0, SQLITE_STATIC);
    sqlite3_bind_blob(stmt, 5, st->packed.ptr, (int)st->packed.len,
                      SQLITE_STATIC);
    enum err err = store_run(st, stmt);
    if (err)
        return err;
    *seq = st->next_seq++;
    st->journal_stubs += batch->stub_len;
    return OK;
}

static enum err
read_entry(sqlite3_stmt *row, struct journal_entry *entry)
{
    str digest = store_column_str(row, 3);
    str data = store_column_str(row, 4);
    enum err err = OK;

    *entry = (struct journal_entry){
        .seq = (uint64_t)sqlite3_column_int64(row, 0),
        .stubs = (uint32_t)sqlite3_column_int64(row, 2),
    };
    uint64_t received_ns = (uint64_t)sqlite3_column_int64(row, 1);
    if (digest.len == DIGEST_BYTES)
        memcpy(&entry->digest, digest.ptr, DIGEST_BYTES);
    if (data.len > 0 || entry->stubs > 0)
        err = journal_unpack(&entry->batch, data);
    if (!err && data.len > 0 &&
        (entry->batch.received_ns != received_ns ||
         entry->batch.stub_len != entry->stubs)) {
        journal_batch_fini(&entry->batch);
        err = ERR_CORRUPT;
    }
    entry->batch.received_ns = received_ns;
    entry->damaged = err == ERR_CORRUPT;
    return entry->damaged ? OK : err;
}

enum err
store_each_journal(struct store *st, store_journal_fn *fn, void *ctx)
{
    sqlite3_stmt *row = st->stmt[STMT_EACH_JOURNAL];
    enum err err = OK;

    while (store_next(st, row, &err)) {
        struct journal_entry entry;
        if (!(err = read_entry(row, &entry))) {
            if (entry.damaged)
                log_error("a row of the journal is damaged", "seq", "%llu",
                          (unsigned long long)entry.seq);
            err = fn(ctx, &entry);
            journal_batch_fini(&entry.batch);
        }
        if (err) {
            sqlite3_reset(row);
            break;
        }
    }
    return err;
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

/* Finds how far rows are too many. */
static enum err
find_excess(struct store *st, const struct journal_trim *trim, struct cut *out)
{
    const int64_t bounds[] = {(int64_t)trim->covered_seq, STORE_TRIM_ROWS,
                              (int64_t)st->emptied_seq};
    sqlite3_stmt *row = store_bind(st, STMT_JOURNAL_FULL_OLDEST, bounds, 3);
    enum err err = OK;

    while (st->journal_stubs - out->stubs > trim->max_stubs) {
        if (!store_next(st, row, &err))
            return err;
        out->upto = (uint64_t)sqlite3_column_int64(row, 0);
        out->stubs += (uint64_t)sqlite3_column_int64(row, 2);
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
    if (digests.upto > st->emptied_seq)
        digests.upto = 0; /* some of these have stubs still */
    if (digests.upto > old.upto)
        old = digests;
    if (old.upto == 0)
        return OK;
    if ((err = STORE_RUN(st, STMT_DROP_JOURNAL, (int64_t)old.upto)))
        return err;
    *more = old.rows == STORE_TRIM_ROWS;
    st->journal_stubs -= old.stubs;
    return OK;
}

enum err
store_trim_journal(struct store *st, const struct journal_trim *trim,
                   bool *more)
{
    struct cut excess = {0};
    enum err err;

    *more = false;
    if (st->sums_stale && (err = store_load_sums(st)))
        return err;
    if ((err = drop_old(st, trim, more)) ||
        (err = find_excess(st, trim, &excess)))
        return err;
    if (excess.upto == 0)
        return OK;
    if ((err = STORE_RUN(st, STMT_EMPTY_JOURNAL, (int64_t)st->emptied_seq,
                         (int64_t)excess.upto)))
        return err;
    *more |= excess.rows == STORE_TRIM_ROWS;
    st->journal_stubs -= excess.stubs;
    st->emptied_seq = excess.upto;
    return OK;
}
