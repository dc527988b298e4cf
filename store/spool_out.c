/*
 * The way out of the spool: read whole, then dropped or set aside.
 */
#include "store/spool_impl.h"

/* The oldest batch, or 0; and when it came. */
static enum err
find_oldest(struct spool *spool, int64_t *out)
{
    sqlite3_stmt *stmt = spool->stmt[SPOOL_OLDEST];
    enum err err = OK;

    *out = 0;
    spool->stats.oldest_ns = 0;
    if (dbfile_next(&spool->file, stmt, &err)) {
        *out = sqlite3_column_int64(stmt, 0);
        spool->stats.oldest_ns = (uint64_t)sqlite3_column_int64(stmt, 1);
        sqlite3_reset(stmt);
    }
    return err;
}

static enum err
add_part(sqlite3_stmt *stmt, struct spool_batch *out)
{
    const void *data = sqlite3_column_blob(stmt, 4);
    str packed = {data, (size_t)sqlite3_column_bytes(stmt, 4)};

    if (out->at_ns == 0)
        out->at_ns = (uint64_t)sqlite3_column_int64(stmt, 0);
    out->raw_len += (uint64_t)sqlite3_column_int64(stmt, 1);
    out->spans += (uint64_t)sqlite3_column_int64(stmt, 2);
    if ((int64_t)hash_digest(packed).lo != sqlite3_column_int64(stmt, 3))
        return ERR_CORRUPT;
    buf_add(&out->bytes, packed);
    return out->bytes.failed ? ERR_NOMEM : OK;
}

static enum err
read_batch(struct spool *spool, int64_t id, struct spool_batch *out)
{
    sqlite3_stmt *stmt = spool->stmt[SPOOL_PARTS];
    enum err err = OK;
    enum err worst = OK;

    out->id = (uint64_t)id;
    out->at_ns = out->raw_len = out->spans = 0;
    buf_reset(&out->bytes);
    sqlite3_bind_int64(stmt, 1, id);
    while (dbfile_next(&spool->file, stmt, &err)) {
        enum err part = add_part(stmt, out);
        worst = worst ? worst : part;
    }
    return err ? err : worst;
}

enum err
spool_next(struct spool *spool, uint64_t now_ns, bool is_last,
           struct spool_batch *out)
{
    int64_t id;
    enum err err = find_oldest(spool, &id);

    out->id = 0;
    if (err)
        return err;
    if (id == 0)
        return ERR_NOT_FOUND;
    if (spool->is_open && id == spool->batch) {
        if (!is_last && spool->open_raw < spool->cfg.batch_bytes &&
            !spool_is_aged(spool, now_ns))
            return ERR_NOT_FOUND;
        spool_close_batch(spool);
    }
    return read_batch(spool, id, out);
}

static enum err
measure(struct spool *spool, uint64_t id, uint64_t *len)
{
    sqlite3_stmt *stmt = spool->stmt[SPOOL_SIZE];
    enum err err = OK;

    sqlite3_bind_int64(stmt, 1, (int64_t)id);
    if (!dbfile_next(&spool->file, stmt, &err))
        return err ? err : ERR_CORRUPT;
    *len = (uint64_t)sqlite3_column_int64(stmt, 0);
    sqlite3_reset(stmt);
    return OK;
}

/* A batch of |len| bytes is no longer in line. */
static enum err
note_gone(struct spool *spool, uint64_t len)
{
    int64_t oldest;

    spool->stats.bytes -= len;
    spool->stats.batches--;
    return find_oldest(spool, &oldest);
}

enum err
spool_drop(struct spool *spool, uint64_t id)
{
    uint64_t len = 0;
    enum err err = spool_begin(spool);

    if (!err)
        err = measure(spool, id, &len);
    if (!err)
        err = spool_run_with(spool, SPOOL_DROP, (int64_t)id);
    err = spool_finish(spool, err);
    return err ? err : note_gone(spool, len);
}

enum err
spool_set_aside(struct spool *spool, uint64_t id)
{
    enum err err = spool_begin(spool);

    if (!err)
        err = spool_run_with(spool, SPOOL_ASIDE, (int64_t)id);
    if (!err)
        err = spool_run_with(spool, SPOOL_DROP, (int64_t)id);
    err = spool_finish(spool, err);
    return err ? err : spool_count(spool);
}

enum err
spool_take_back(struct spool *spool, uint64_t *batches)
{
    uint64_t before = spool->stats.batches;
    enum err err;

    *batches = 0;
    if (spool->stats.aside_bytes == 0)
        return OK;
    err = spool_begin(spool);
    if (!err)
        err = spool_run(spool, SPOOL_BACK);
    if (!err)
        err = spool_run(spool, SPOOL_ASIDE_CLEAR);
    err = spool_finish(spool, err);
    if (!err && !(err = spool_count(spool)))
        *batches = spool->stats.batches - before;
    return err;
}
