/*
 * The rows of a group are on the disk after the nodes that they speak of.  So
 * the first row with an id that the copy does not know came after its moment,
 * as did all behind it, and there it ends: the ids would come to mean others.
 *
 * It is looked at before the pages are copied and after it: what is dropped
 * meanwhile was seen before.  What both came and went meanwhile was not; what
 * the second look has behind such a hole is left out, unless the copy covers
 * it. Where there were no tables at the first look, there was nothing to be
 * seen.
 *
 * What is missing or damaged is so in the copy, too: as rows without stubs that
 * say how many they had, so that whoever opens it knows what a start of the
 * service would have known.
 */
#include "store/backup_journal.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/journal.h"
#include "store/journal_log.h"
#include "store/journal_read.h"
#include "store/journal_rows.h"
#include "store/lack.h"
#include "store/store.h"

/* The last that was written into the table, or dropped. */
#define LAST_SEQ                                                        \
    "SELECT max((SELECT coalesce(max(seq), 0) FROM journal), coalesce(" \
    "(SELECT value FROM meta WHERE key = 'covered_seq'), 0))"

struct backup_journal {
    char *dir;
    struct journal_owner owner; /* |store| 0: it has no tables yet */
    struct journal_log *log;    /* as it was at first; NULL: likewise */
};

/* Reads one number of |sql| into |out|, which stays as it is if there is none.
 * ERR_STORE, ERR_NOMEM, ERR_CORRUPT. */
static enum err
read_number(sqlite3 *db, const char *sql, int64_t *out)
{
    sqlite3_stmt *stmt = NULL;
    int rc = sqlite3_prepare_v2(db, sql, -1, &stmt, NULL);

    if (rc == SQLITE_OK)
        rc = sqlite3_step(stmt);
    if (rc == SQLITE_ROW)
        *out = sqlite3_column_int64(stmt, 0);
    sqlite3_finalize(stmt);
    if (rc == SQLITE_ROW || rc == SQLITE_DONE)
        return OK;
    if ((rc & 0xff) == SQLITE_CORRUPT || (rc & 0xff) == SQLITE_NOTADB)
        return ERR_CORRUPT;
    return (rc & 0xff) == SQLITE_NOMEM ? ERR_NOMEM : ERR_STORE;
}

/* Reads whose journal it is.  No tables, or those of a version without
 * segments: it has none. */
static enum err
read_owner(struct journal_owner *owner, sqlite3 *db)
{
    int64_t tables = 0, store = 0, from = 0;
    enum err err = read_number(
        db, "SELECT count(*) FROM sqlite_schema WHERE name = 'meta'", &tables);

    if (!err && tables > 0)
        err = read_number(db, "SELECT value FROM meta WHERE key = 'store_id'",
                          &store);
    if (!err && store != 0)
        err = read_number(
            db, "SELECT value FROM meta WHERE key = 'journal_from'", &from);
    owner->store = (uint64_t)store;
    owner->from = (uint64_t)from;
    return err;
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
    enum err err = read_number(
        db, "SELECT value FROM meta WHERE key = 'journal_from'", &from);

    if (err || at < from ||
        journal_log_last_number(journal->log) >= (uint64_t)at)
        return err;
    buf_printf(why,
               "%s%s-seg%lld is missing or empty, and with it what was not "
               "counted yet; start the service to go on without, and keep "
               "earlier backups",
               journal->dir, STORE_FILE, (long long)at);
    return ERR_CORRUPT;
}

/* Says why |db| could not be read. */
static void
say(struct buf *why, const char *path, sqlite3 *db)
{
    char lack[LACK_TEXT_CAP];
    const char *lacking = lack_text(sqlite3_extended_errcode(db), lack);

    buf_printf(why, "%s: %s%s", path, sqlite3_errmsg(db), lacking);
}

static enum err
look_first(struct backup_journal *journal, sqlite3 *db, struct buf *why)
{
    int64_t last = 0;
    int64_t at = 0;
    enum err err = read_owner(&journal->owner, db);

    if (err || journal->owner.store == 0)
        return err;
    if ((err = read_number(
             db, "SELECT value FROM meta WHERE key = 'journal_at'", &at)) ||
        (err = read_number(db, LAST_SEQ, &last)))
        return err;
    if ((err = journal_log_open(&journal->log, &journal->owner)))
        return fail(why, "the journal", err);
    if ((err = check_last(journal, at, db, why)))
        return err;
    journal_log_begin_at(journal->log, (uint64_t)last + 1);
    return OK;
}

enum err
backup_journal_open(struct backup_journal **out, const char *path, sqlite3 *db,
                    struct buf *why)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    struct backup_journal *journal = NULL;
    enum err err = ERR_NOMEM;

    *out = NULL;
    if (strcmp(base, STORE_FILE) != 0)
        return OK;
    if (!(journal = calloc(1, sizeof(*journal))) ||
        !(journal->dir =
              slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".")))
        goto out;
    journal->owner = (struct journal_owner){
        .dir = journal->dir,
        .base = STORE_FILE,
    };
    if ((err = look_first(journal, db, why))) {
        if (why->len == 0)
            say(why, path, db);
        goto out;
    }
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
    uint64_t seen = copying->look.covered + 1;
    size_t known = copying->lost.len;

    copying->before = first;
    if (old) {
        enum err err = journal_log_each(old, &copying->look, copy_row, copying);
        if (err)
            return err;
        if (seen < journal_log_next_seq(old))
            seen = journal_log_next_seq(old);
        if (first > seen)
            return OK;
        copying->look.expected = first;
    }
    copying->before = UINT64_MAX;
    copying->lost.len = known;
    return journal_log_each(now, &copying->look, copy_row, copying);
}

/* Reads from the copy what it covers, and which row should be the first of the
 * files. */
static enum err
begin_rows(struct copying *copying, sqlite3 *to, uint64_t first)
{
    char last_sql[96];
    int64_t nodes = 0, covered = 0, last = 0;
    enum err err;

    snprintf(last_sql, sizeof(last_sql),
             "SELECT max(seq) FROM journal WHERE seq < %llu",
             (unsigned long long)first);
    if ((err = read_number(to, "SELECT coalesce(max(id), 0) FROM node",
                           &nodes)) ||
        (err =
             read_number(to, "SELECT value FROM meta WHERE key = 'covered_seq'",
                         &covered)) ||
        (err = read_number(to, last_sql, &last)))
        return err;
    copying->look = (struct journal_look){
        .expected = (uint64_t)(last < covered ? covered : last) + 1,
        .nodes = (uint64_t)nodes,
        .covered = (uint64_t)covered,
        .lost = &copying->lost,
    };
    return journal_lost_read(&copying->lost, to, 0);
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

/* What only a connection can tell is in |to|. */
static enum err
tell(enum err err, sqlite3 *to, struct buf *why)
{
    if (err)
        buf_printf(why, "the journal cannot be copied: %s",
                   err == ERR_STORE ? sqlite3_errmsg(to) : err_str(err));
    return err;
}

static enum err
copy_all(struct backup_journal *journal, struct journal_log *now, sqlite3 *to)
{
    static const char insert[] =
        "INSERT OR REPLACE INTO journal (seq, received_ns, digest, stubs, data)"
        " VALUES (?1, ?2, ?3, ?4, ?5)";
    struct journal_log *first = journal->log ? journal->log : now;
    struct copying copying = {0};
    enum err err = use_one_file(to);

    if (!err)
        err = begin_rows(&copying, to, journal_log_first_seq(first));
    if (!err && (sqlite3_exec(to, "BEGIN", NULL, NULL, NULL) ||
                 sqlite3_prepare_v2(to, insert, -1, &copying.insert, NULL)))
        err = ERR_STORE;
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
    buf_fini(&copying.packed);
    buf_fini(&copying.lost);
    return err;
}

enum err
backup_journal_copy(struct backup_journal *journal, sqlite3 *to,
                    struct buf *why)
{
    struct journal_log *now = NULL;
    enum err err = OK;

    if (!journal->log && (err = read_owner(&journal->owner, to)))
        return tell(err, to, why);
    if (journal->owner.store == 0)
        return OK;
    if ((err = journal_log_open(&now, &journal->owner)))
        return fail(why, "the journal", err);
    err = tell(copy_all(journal, now, to), to, why);
    journal_log_close(now);
    return err;
}
