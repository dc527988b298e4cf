/*
 * The file itself is store/dbfile.h.  A part is a row; its batch is a number,
 * given when it is put, and no row is added to a batch that spool_next has
 * closed or that an earlier process began.  So a batch needs no row of its own,
 * and to close one is only to begin the next.
 *
 * What is counted of the rows is counted in memory: read when the spool is
 * opened, changed with each row, and read again after a rollback.
 */
#include "store/spool_impl.h"

#include <stdlib.h>

#include "store/checkpoint.h"
#include "store/spool_save.h"

#define COLUMNS "seq, batch, at_ns, raw, spans, hash, data"

static const char *const sql[SPOOL_COUNT] = {
    [SPOOL_BEGIN] = "BEGIN IMMEDIATE",
    [SPOOL_COMMIT] = "COMMIT",
    [SPOOL_ROLLBACK] = "ROLLBACK",
    [SPOOL_PUT] =
        "INSERT INTO part (" COLUMNS ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    [SPOOL_OLDEST] =
        "SELECT batch, at_ns FROM part ORDER BY batch, seq LIMIT 1",
    [SPOOL_PARTS] = "SELECT at_ns, raw, spans, hash, data FROM part"
                    " WHERE batch = ?1 ORDER BY seq",
    [SPOOL_DROP] = "DELETE FROM part WHERE batch = ?1",
    [SPOOL_COUNT_WAITING] = "SELECT ifnull(sum(length(data)), 0),"
                            " count(DISTINCT batch), ifnull(min(at_ns), 0)"
                            " FROM part",
    [SPOOL_COUNT_ASIDE] =
        "SELECT ifnull(sum(length(data)), 0), 0, 0 FROM aside",
    [SPOOL_LAST] = "SELECT max(seq), max(batch) FROM (SELECT seq, batch FROM"
                   " part UNION ALL SELECT seq, batch FROM aside)",
    [SPOOL_SIZE] =
        "SELECT ifnull(sum(length(data)), 0) FROM part WHERE batch = ?1",
    [SPOOL_ASIDE] = "INSERT INTO aside (" COLUMNS ") SELECT " COLUMNS
                    " FROM part WHERE batch = ?1",
    [SPOOL_ASIDE_OLDEST] = "SELECT batch, sum(length(data)), sum(spans) FROM"
                           " aside GROUP BY batch ORDER BY batch LIMIT 1",
    [SPOOL_ASIDE_DROP] = "DELETE FROM aside WHERE batch = ?1",
    [SPOOL_BACK] =
        "INSERT INTO part (" COLUMNS ") SELECT " COLUMNS " FROM aside",
    [SPOOL_ASIDE_CLEAR] = "DELETE FROM aside",
    [SPOOL_SEEN] = "SELECT at_ns FROM seen WHERE digest = ?1",
    [SPOOL_NOTE] =
        "INSERT OR REPLACE INTO seen (digest, at_ns) VALUES (?1, ?2)",
    [SPOOL_FORGET_OLD] = "DELETE FROM seen WHERE at_ns < ?1 AND id IN"
                         " (SELECT id FROM seen ORDER BY id LIMIT 4)",
    [SPOOL_FORGET_MANY] =
        "DELETE FROM seen WHERE id <= (SELECT max(id) FROM seen) - ?1",
};

static const char *const migrations[] = {
    "CREATE TABLE part (seq INTEGER PRIMARY KEY, batch INTEGER NOT NULL,"
    " at_ns INTEGER NOT NULL, raw INTEGER NOT NULL, spans INTEGER NOT NULL,"
    " hash INTEGER NOT NULL, data BLOB NOT NULL);"
    "CREATE INDEX part_batch ON part (batch, seq);"
    "CREATE TABLE aside (seq INTEGER PRIMARY KEY, batch INTEGER NOT NULL,"
    " at_ns INTEGER NOT NULL, raw INTEGER NOT NULL, spans INTEGER NOT NULL,"
    " hash INTEGER NOT NULL, data BLOB NOT NULL);"
    "CREATE TABLE seen (id INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE,"
    " at_ns INTEGER NOT NULL);",
};

static const struct dbfile_spec spool_spec = {
    .file = SPOOL_FILE,
    .lock = SPOOL_LOCK,
    .migrations = migrations,
    .migration_len = sizeof(migrations) / sizeof(migrations[0]),
    .check_max = 8 << 20,
    .is_saved = true,
};

/* ---- opening ---- */

static enum err
count_rows(struct spool *spool, int which, uint64_t out[3])
{
    enum err err = OK;

    if (!dbfile_next(&spool->file, spool->stmt[which], &err))
        return err ? err : ERR_CORRUPT;
    for (int i = 0; i < 3; i++)
        out[i] = (uint64_t)sqlite3_column_int64(spool->stmt[which], i);
    sqlite3_reset(spool->stmt[which]);
    return OK;
}

enum err
spool_count(struct spool *spool)
{
    uint64_t waiting[3];
    uint64_t aside[3];
    enum err err = count_rows(spool, SPOOL_COUNT_WAITING, waiting);

    if (!err)
        err = count_rows(spool, SPOOL_COUNT_ASIDE, aside);
    if (err)
        return err;
    spool->stats = (struct spool_stats){
        .bytes = waiting[0],
        .batches = waiting[1],
        .oldest_ns = waiting[2],
        .aside_bytes = aside[0],
    };
    spool->is_stale = false;
    return OK;
}

static enum err
find_last(struct spool *spool)
{
    sqlite3_stmt *stmt = spool->stmt[SPOOL_LAST];
    enum err err = OK;

    if (!dbfile_next(&spool->file, stmt, &err))
        return err ? err : ERR_CORRUPT;
    spool->last_seq = sqlite3_column_int64(stmt, 0);
    spool->batch = sqlite3_column_int64(stmt, 1) + 1;
    sqlite3_reset(stmt);
    return OK;
}

static void
release(struct spool *spool)
{
    dbfile_finalize(spool->stmt, SPOOL_COUNT);
    dbfile_drop(&spool->file);
    free(spool);
}

/* What can be read of it is the next spool; where the file system cannot do
 * what that takes, an empty one is. */
static enum err
begin_anew(struct spool *spool, uint64_t now_ns, struct buf *why)
{
    uint64_t parts;

    dbfile_finalize(spool->stmt, SPOOL_COUNT);
    sqlite3_close(spool->file.db); /* the files are opened otherwise */
    spool->file.db = NULL;
    enum err err = spool_save(&spool->file, &parts);
    if (err && err != ERR_UNSUPPORTED) {
        buf_printf(why,
                   "; what can be read of it cannot be saved (%s): that takes "
                   "as much room again",
                   err_str(err));
        return err;
    }
    if (dbfile_set_aside(&spool->file, now_ns, why))
        return ERR_STORE; /* asking again would find it again */
    buf_printf(why, "; %llu parts could be read and are kept",
               (unsigned long long)parts);
    return ERR_CORRUPT;
}

enum err
spool_open(struct spool **out, const char *dir, const struct spool_cfg *cfg,
           uint64_t now_ns, struct buf *why)
{
    struct spool *spool = calloc(1, sizeof(*spool));
    enum err err;

    *out = NULL;
    if (!spool)
        return ERR_NOMEM;
    spool->cfg = *cfg;
    spool->file.lock_fd = -1;
    err = spool_take_saved(dir);
    if (!err)
        err = dbfile_open(&spool->file, dir, &spool_spec,
                          cfg->is_durable ? DBFILE_SYNC_FULL : DBFILE_SYNC_OS,
                          why);
    /* Parts are read once: there is nothing to keep in memory. */
    if (!err)
        err = dbfile_exec(&spool->file, "PRAGMA cache_size = -512");
    if (!err)
        err = dbfile_prepare(&spool->file, sql, SPOOL_COUNT, spool->stmt);
    if (!err && !(err = spool_count(spool)))
        err = find_last(spool);
    if (err == ERR_CORRUPT)
        err = begin_anew(spool, now_ns, why);
    if (err) {
        release(spool);
        return err;
    }
    *out = spool;
    return OK;
}

void
spool_close(struct spool *spool)
{
    if (!spool)
        return;
    spool_rollback(spool);
    dbfile_finalize(spool->stmt, SPOOL_COUNT);
    dbfile_close(&spool->file);
    free(spool);
}

/* ---- transactions ---- */

enum err
spool_run(struct spool *spool, enum spool_stmt which)
{
    return dbfile_run(&spool->file, spool->stmt[which]);
}

enum err
spool_run_with(struct spool *spool, enum spool_stmt which, int64_t value)
{
    sqlite3_bind_int64(spool->stmt[which], 1, value);
    return spool_run(spool, which);
}

enum err
spool_begin(struct spool *spool)
{
    enum err err = dbfile_ready(&spool->file);

    if (!err && spool->is_stale)
        err = spool_count(spool);
    return err ? err : spool_run(spool, SPOOL_BEGIN);
}

enum err
spool_commit(struct spool *spool)
{
    enum err err = spool_run(spool, SPOOL_COMMIT);

    if (!err) {
        spool->is_dirty = false;
        (void)dbfile_checkpoint(&spool->file);
    }
    return err;
}

/* SQLite may have rolled back by itself.  A batch that had parts in it is not
 * gone on with. */
void
spool_rollback(struct spool *spool)
{
    if (!sqlite3_get_autocommit(spool->file.db))
        (void)spool_run(spool, SPOOL_ROLLBACK);
    if (!spool->is_dirty)
        return;
    spool->is_dirty = false;
    spool->is_stale = true;
    spool_close_batch(spool);
    (void)spool_count(spool);
}

enum err
spool_finish(struct spool *spool, enum err err)
{
    if (!err)
        err = spool_commit(spool);
    if (err)
        spool_rollback(spool);
    return err;
}

/* ---- in ---- */

enum err
spool_note(struct spool *spool, struct digest128 digest, uint64_t now_ns,
           bool *is_new)
{
    sqlite3_stmt *seen = spool->stmt[SPOOL_SEEN];
    sqlite3_stmt *note = spool->stmt[SPOOL_NOTE];
    uint64_t least = now_ns > SPOOL_SEEN_NS ? now_ns - SPOOL_SEEN_NS : 0;
    enum err err = OK;

    *is_new = true;
    sqlite3_bind_blob(seen, 1, &digest, sizeof(digest), SQLITE_STATIC);
    if (dbfile_next(&spool->file, seen, &err)) {
        *is_new = (uint64_t)sqlite3_column_int64(seen, 0) < least;
        sqlite3_reset(seen);
    }
    sqlite3_clear_bindings(seen);
    if (err || !*is_new)
        return err;
    sqlite3_bind_blob(note, 1, &digest, sizeof(digest), SQLITE_STATIC);
    sqlite3_bind_int64(note, 2, (int64_t)now_ns);
    err = spool_run(spool, SPOOL_NOTE);
    sqlite3_clear_bindings(note);
    if (!err)
        err = spool_run_with(spool, SPOOL_FORGET_OLD, (int64_t)least);
    if (!err)
        err = spool_run_with(spool, SPOOL_FORGET_MANY, SPOOL_SEEN_MAX);
    return err;
}

bool
spool_is_aged(const struct spool *spool, uint64_t now_ns)
{
    return now_ns < spool->open_ns ||
           now_ns - spool->open_ns >= spool->cfg.batch_age_ns;
}

void
spool_close_batch(struct spool *spool)
{
    if (spool->is_open)
        spool->batch++;
    spool->is_open = false;
}

bool
spool_has_room(const struct spool *spool, uint64_t len)
{
    return len <= spool->cfg.max_bytes &&
           spool->stats.bytes <= spool->cfg.max_bytes - len;
}

/* Makes room for |len| bytes among what is set aside. */
static enum err
drop_asides(struct spool *spool, uint64_t len, uint64_t *lost)
{
    sqlite3_stmt *stmt = spool->stmt[SPOOL_ASIDE_OLDEST];
    struct spool_stats *stats = &spool->stats;
    enum err err = OK;

    while (!err && stats->aside_bytes > 0 &&
           stats->bytes + stats->aside_bytes + len > spool->cfg.max_bytes) {
        if (!dbfile_next(&spool->file, stmt, &err))
            return err ? err : ERR_CORRUPT;
        int64_t id = sqlite3_column_int64(stmt, 0);
        stats->aside_bytes -= (uint64_t)sqlite3_column_int64(stmt, 1);
        *lost += (uint64_t)sqlite3_column_int64(stmt, 2);
        sqlite3_reset(stmt);
        spool->is_dirty = true;
        err = spool_run_with(spool, SPOOL_ASIDE_DROP, id);
    }
    return err;
}

static void
note_put(struct spool *spool, uint64_t len, uint64_t raw_len, uint64_t now_ns)
{
    if (!spool->is_open) {
        spool->is_open = true;
        spool->open_raw = 0;
        spool->open_ns = now_ns;
        spool->stats.batches++;
    }
    if (!spool->stats.oldest_ns)
        spool->stats.oldest_ns = now_ns;
    spool->open_raw += raw_len;
    spool->stats.bytes += len;
    spool->last_seq++;
    spool->is_dirty = true;
}

enum err
spool_put(struct spool *spool, str packed, uint64_t raw_len, uint32_t spans,
          uint64_t now_ns, uint64_t *lost)
{
    sqlite3_stmt *stmt = spool->stmt[SPOOL_PUT];

    *lost = 0;
    if (packed.len > spool->cfg.max_bytes)
        return ERR_TOO_LARGE;
    if (!spool_has_room(spool, packed.len))
        return ERR_FULL;
    enum err err = drop_asides(spool, packed.len, lost);
    if (err)
        return err;
    if (spool->is_open && (raw_len > spool->cfg.batch_bytes ||
                           spool->open_raw > spool->cfg.batch_bytes - raw_len ||
                           spool_is_aged(spool, now_ns)))
        spool_close_batch(spool);
    sqlite3_bind_int64(stmt, 1, spool->last_seq + 1);
    sqlite3_bind_int64(stmt, 2, spool->batch);
    sqlite3_bind_int64(stmt, 3, (int64_t)now_ns);
    sqlite3_bind_int64(stmt, 4, (int64_t)raw_len);
    sqlite3_bind_int64(stmt, 5, spans);
    sqlite3_bind_int64(stmt, 6, (int64_t)hash_digest(packed).lo);
    sqlite3_bind_blob64(stmt, 7, packed.ptr, packed.len, SQLITE_STATIC);
    err = spool_run(spool, SPOOL_PUT);
    sqlite3_clear_bindings(stmt);
    if (!err)
        note_put(spool, packed.len, raw_len, now_ns);
    return err;
}

struct spool_stats
spool_get_stats(const struct spool *spool)
{
    struct spool_stats stats = spool->stats;

    if (spool->is_open && spool->open_ns)
        stats.due_ns = spool->open_ns + spool->cfg.batch_age_ns;
    return stats;
}
