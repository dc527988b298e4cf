/*
 * A file that is not there says nothing: all may have been dropped.  So the
 * database names the last one.  It does so once the first group of the file is
 * on the disk, and before that is acknowledged: the other way about, a crash
 * between the two would look as if a file were missing.
 */
#include "store/impl.h"

#include "base/log.h"
#include "store/files.h"

enum err
store_put_journal_at(struct store *st, uint64_t number)
{
    enum err err = store_put_meta(st, "journal_at", number);

    /* Rolled back, it is too small, and the next group says it again. */
    if (!err && number < st->journal_at)
        st->journal_at = number;
    return err;
}

static enum err
note_file(void *ctx, uint64_t number)
{
    struct store *st = ctx;
    enum err err;

    if (number <= st->journal_at)
        return OK;
    if (!(err = store_begin(st)) &&
        !(err = store_put_meta(st, "journal_at", number)))
        err = store_commit(st);
    if (err)
        store_rollback(st);
    else
        st->journal_at = number;
    return err;
}

/* What was in the file had numbers, and at least one of them is not given
 * again: so it is missing at each start until a flush has covered it. */
static void
find_missing(struct store *st, uint64_t from)
{
    if (st->journal_at < from ||
        journal_log_last_number(st->log) >= st->journal_at)
        return;
    log_error("a file of the journal is missing or empty: what it held and "
              "was not counted is lost",
              "file", "%s-seg%llu", STORE_FILE,
              (unsigned long long)st->journal_at);
    st->lost_file = journal_log_next_seq(st->log);
    journal_log_begin_at(st->log, st->lost_file + 1);
}

enum err
store_open_journal(struct store *st, uint64_t now_ns)
{
    struct journal_owner owner = {
        .dir = st->file.dir,
        .base = STORE_FILE,
        .db = &st->file,
        .now_ns = now_ns,
        .note = note_file,
        .ctx = st,
    };
    enum err err;

    if ((err = store_get_meta(st, "store_id", &owner.store)) ||
        (err = store_get_meta(st, "journal_from", &owner.from)) ||
        (err = store_get_meta(st, "journal_at", &st->journal_at)) ||
        (err = journal_log_open(&st->log, &owner)))
        return err;
    /* What an earlier process committed is settled with DBFILE_SYNC_FULL. */
    st->nodes_are_soft = st->file.sync != DBFILE_SYNC_FULL;
    if ((err = store_load_sums(st)))
        return err;
    find_missing(st, owner.from);
    return OK;
}

enum err
store_tell_lost_file(struct store *st, store_journal_fn *fn, void *ctx)
{
    const struct journal_entry entry = {
        .seq = st->lost_file,
        .stubs = 1,
        .damaged = true,
    };

    if (st->lost_file == 0)
        return OK;
    journal_log_begin_at(st->log, entry.seq + 1);
    return fn(ctx, &entry);
}
