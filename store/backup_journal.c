/*
 * The rows of a group are on the disk after the nodes that they speak of.  So
 * the first row with an id that the copy does not know came after its moment,
 * as did all behind it, and there it ends: the ids would come to mean others.
 *
 * It is looked at before the pages are copied and after it: what is dropped
 * meanwhile was seen before.  What both came and went meanwhile was not; what
 * the second look has behind such a hole is left out.
 */
#include "store/backup_journal.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "store/journal.h"
#include "store/journal_log.h"
#include "store/journal_read.h"
#include "store/journal_rows.h"
#include "store/store.h"

/* The last that was written into the table, or dropped. */
#define LAST_SEQ                                                        \
    "SELECT max((SELECT coalesce(max(seq), 0) FROM journal), coalesce(" \
    "(SELECT value FROM meta WHERE key = 'covered_seq'), 0))"

struct backup_journal {
    char *dir;
    struct journal_owner owner;
    struct journal_log *log; /* as it was at first */
};

/* Reads one number of |sql|, or |missing|. */
static int
read_number(sqlite3 *db, const char *sql, int64_t *out)
{
    sqlite3_stmt *stmt = NULL;
    int rc = sqlite3_prepare_v2(db, sql, -1, &stmt, NULL);

    if (rc == SQLITE_OK)
        rc = sqlite3_step(stmt);
    if (rc == SQLITE_ROW)
        *out = sqlite3_column_int64(stmt, 0);
    sqlite3_finalize(stmt);
    return rc == SQLITE_ROW || rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static enum err
fail(struct buf *why, const char *what, enum err err)
{
    buf_printf(why, "%s: %s", what, err_str(err));
    return err;
}

/* File |at|, which had something before they were looked at, is there or was
 * dropped: that is said in |db| before it is done. */
static enum err
check_last(const struct backup_journal *journal, int64_t at, sqlite3 *db,
           struct buf *why)
{
    int64_t from = 0;

    if (read_number(db, "SELECT value FROM meta WHERE key = 'journal_from'",
                    &from))
        return ERR_STORE;
    if (at < from || journal_log_last_number(journal->log) >= (uint64_t)at)
        return OK;
    buf_printf(why,
               "%s%s-seg%lld is missing or empty, and with it what was not "
               "counted yet; start the service to go on without, and keep "
               "earlier backups",
               journal->dir, STORE_FILE, (long long)at);
    return ERR_CORRUPT;
}

enum err
backup_journal_open(struct backup_journal **out, const char *path, sqlite3 *db,
                    struct buf *why)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    struct backup_journal *journal = NULL;
    int64_t store = 0;
    int64_t from = 0;
    int64_t last = 0;
    int64_t at = 0;
    enum err err = ERR_NOMEM;

    *out = NULL;
    if (strcmp(base, STORE_FILE) != 0)
        return OK;
    if (read_number(db, "SELECT value FROM meta WHERE key = 'store_id'",
                    &store) ||
        read_number(db, "SELECT value FROM meta WHERE key = 'journal_from'",
                    &from) ||
        read_number(db, "SELECT value FROM meta WHERE key = 'journal_at'",
                    &at) ||
        read_number(db, LAST_SEQ, &last) || store == 0)
        return OK; /* no tables, or those of a version without segments */
    if (!(journal = calloc(1, sizeof(*journal))) ||
        !(journal->dir =
              slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".")))
        goto out;
    journal->owner = (struct journal_owner){
        .dir = journal->dir,
        .base = STORE_FILE,
        .store = (uint64_t)store,
        .from = (uint64_t)from,
    };
    if ((err = journal_log_open(&journal->log, &journal->owner)) ||
        (err = check_last(journal, at, db, why)))
        goto out;
    journal_log_begin_at(journal->log, (uint64_t)last + 1);
    *out = journal;
    journal = NULL;
out:
    backup_journal_close(journal);
    return err && why->len == 0 ? fail(why, path, err) : err;
}

void
backup_journal_close(struct backup_journal *journal)
{
    if (!journal)
        return;
    journal_log_close(journal->log);
    free(journal->dir);
    free(journal);
}

struct copying {
    sqlite3_stmt *insert;
    struct buf packed;
    uint64_t before; /* rows from there on are not wanted */
    struct journal_look look;
    struct buf lost;
};

/* What is damaged stays so: without stubs, and it says how many it had. */
static enum err
copy_row(void *ctx, const struct journal_entry *entry)
{
    struct copying *copying = ctx;
    sqlite3_stmt *insert = copying->insert;
    bool has_digest = entry->digest.hi || entry->digest.lo;

    if (entry->seq >= copying->before)
        return OK;
    buf_reset(&copying->packed);
    if (!entry->damaged)
        journal_pack(&entry->batch, &copying->packed);
    if (copying->packed.failed)
        return ERR_NOMEM;
    sqlite3_bind_int64(insert, 1, (int64_t)entry->seq);
    sqlite3_bind_int64(insert, 2, (int64_t)entry->batch.received_ns);
    sqlite3_bind_blob(insert, 3, has_digest ? &entry->digest : NULL,
                      has_digest ? sizeof(entry->digest) : 0, SQLITE_STATIC);
    sqlite3_bind_int64(insert, 4, entry->stubs);
    sqlite3_bind_blob(insert, 5, copying->packed.ptr ? copying->packed.ptr : "",
                      (int)copying->packed.len, SQLITE_STATIC);
    int rc = sqlite3_step(insert);
    sqlite3_reset(insert);
    return rc == SQLITE_DONE ? OK : ERR_STORE;
}

/* What is in |old| and no more in |now|, then that. */
static enum err
copy_rows(struct journal_log *old, struct journal_log *now,
          struct copying *copying)
{
    uint64_t first = journal_log_first_seq(now);

    size_t known = copying->lost.len;

    copying->before = first;
    enum err err = journal_log_each(old, &copying->look, copy_row, copying);
    if (err || first > journal_log_next_seq(old))
        return err;
    copying->before = UINT64_MAX;
    copying->lost.len = known;
    return journal_log_each(now, &copying->look, copy_row, copying);
}

/* The copy is one file.  As the log of another, what is written would go to it
 * as the copy is closed, and nobody would hear that it failed. */
static enum err
use_one_file(sqlite3 *to)
{
    sqlite3_stmt *stmt = NULL;
    int rc =
        sqlite3_prepare_v2(to, "PRAGMA journal_mode = MEMORY", -1, &stmt, NULL);

    if (rc == SQLITE_OK)
        rc = sqlite3_step(stmt);
    bool done =
        rc == SQLITE_ROW &&
        strcmp((const char *)sqlite3_column_text(stmt, 0), "memory") == 0;
    return sqlite3_finalize(stmt) == SQLITE_OK && done ? OK : ERR_STORE;
}

enum err
backup_journal_copy(struct backup_journal *journal, sqlite3 *to,
                    struct buf *why)
{
    static const char insert[] =
        "INSERT OR REPLACE INTO journal (seq, received_ns, digest, stubs, data)"
        " VALUES (?1, ?2, ?3, ?4, ?5)";
    struct copying copying = {.look.expected = INT64_MAX};
    int64_t nodes = 0, covered = 0;
    struct journal_log *now = NULL;
    enum err err = journal_log_open(&now, &journal->owner);

    if (err)
        return fail(why, "the journal", err);
    if (use_one_file(to) ||
        read_number(to, "SELECT coalesce(max(id), 0) FROM node", &nodes) ||
        read_number(to, "SELECT value FROM meta WHERE key = 'covered_seq'",
                    &covered) ||
        sqlite3_exec(to, "BEGIN", NULL, NULL, NULL) ||
        sqlite3_prepare_v2(to, insert, -1, &copying.insert, NULL))
        err = ERR_STORE;
    copying.look.nodes = (uint64_t)nodes;
    copying.look.covered = (uint64_t)covered;
    copying.look.lost = &copying.lost;
    if (!err)
        err = journal_lost_read(&copying.lost, to, 0);
    if (!err)
        err = copy_rows(journal->log, now, &copying);
    sqlite3_finalize(copying.insert);
    if (!err && sqlite3_exec(to,
                             "UPDATE meta SET value = random()"
                             " WHERE key = 'store_id';"
                             "DELETE FROM meta"
                             " WHERE key IN ('journal_from', 'journal_at');"
                             "COMMIT",
                             NULL, NULL, NULL))
        err = ERR_STORE;
    if (err)
        buf_printf(why, "the journal cannot be copied: %s",
                   err == ERR_STORE ? sqlite3_errmsg(to) : err_str(err));
    journal_log_close(now);
    buf_fini(&copying.packed);
    buf_fini(&copying.lost);
    return err;
}
