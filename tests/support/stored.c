#include "tests/support/stored.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/edge_rows.h"
#include "store/files.h"
#include "store/journal.h"
#include "store/journal_log.h"
#include "store/journal_read.h"
#include "store/journal_rows.h"
#include "store/node_rows.h"
#include "store/segment_file.h"
#include "tests/support/dir.h"
#include "tests/support/fault_vfs.h"

struct stored stored;

const unsigned char stored_hash[SHA256_LEN] = {1, 2, 3};

int
stored_setup(void **state)
{
    (void)state;
    fault_vfs_heal();
    dir_make(stored.dir);
    snprintf(stored.path, sizeof(stored.path), "%s/" STORE_FILE, stored.dir);
    return 0;
}

int
stored_teardown(void **state)
{
    (void)state;
    fault_vfs_heal();
    dir_remove(stored.dir);
    buf_fini(&stored.why);
    return 0;
}

void
stored_empty(void)
{
    dir_remove(stored.dir);
    assert_int_equal(mkdir(stored.dir, 0700), 0);
}

struct store *
stored_open_as(enum store_sync sync)
{
    struct store *st = NULL;

    buf_reset(&stored.why);
    enum err err = store_open(&st, stored.dir, sync, STORED_NOW, &stored.why);
    if (err)
        fail_msg("store_open: %s: %s", err_str(err), buf_cstr(&stored.why));
    return st;
}

struct store *
stored_open(void)
{
    return stored_open_as(STORE_SYNC_FULL);
}

/* ---- files ---- */

char *
stored_name(const char *name)
{
    char *path = files_path(stored.dir, name);

    assert_non_null(path);
    return path;
}

struct stored_bytes
stored_read(const char *name)
{
    char *path = stored_name(name);
    FILE *in = fopen(path, "rb");
    struct stored_bytes bytes = {0};

    assert_non_null(in);
    (void)fseek(in, 0, SEEK_END);
    bytes.len = (size_t)ftell(in);
    rewind(in);
    bytes.ptr = malloc(bytes.len + 1);
    assert_int_equal(fread(bytes.ptr, 1, bytes.len, in), bytes.len);
    (void)fclose(in);
    free(path);
    return bytes;
}

void
stored_write(const char *name, const char *ptr, size_t len)
{
    char *path = stored_name(name);
    FILE *out = fopen(path, "wb");

    assert_non_null(out);
    assert_int_equal(fwrite(ptr, 1, len, out), len);
    (void)fclose(out);
    free(path);
}

void
stored_remove(const char *name)
{
    char *path = stored_name(name);

    (void)unlink(path);
    free(path);
}

/* ---- the database ---- */

static int64_t
ask(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *stmt = NULL;

    if (sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    int64_t value =
        sqlite3_step(stmt) == SQLITE_ROW ? sqlite3_column_int64(stmt, 0) : -1;
    sqlite3_finalize(stmt);
    return value;
}

static enum err
join_row(void *ctx, const struct journal_entry *entry)
{
    sqlite3_stmt *stmt = ctx;
    struct buf data = {0};
    bool has_digest = entry->digest.hi || entry->digest.lo;

    if (entry->damaged)
        buf_add(&data, STR("?"));
    else
        journal_pack(&entry->batch, &data);
    sqlite3_bind_int64(stmt, 1, (int64_t)entry->seq);
    sqlite3_bind_int64(stmt, 2, (int64_t)entry->batch.received_ns);
    sqlite3_bind_int64(stmt, 3, entry->stubs);
    sqlite3_bind_blob(stmt, 4, has_digest ? &entry->digest : NULL,
                      has_digest ? sizeof(entry->digest) : 0, SQLITE_STATIC);
    sqlite3_bind_blob(stmt, 5, data.ptr, (int)data.len, SQLITE_STATIC);
    assert_int_equal(sqlite3_step(stmt), SQLITE_DONE);
    sqlite3_reset(stmt);
    buf_fini(&data);
    return OK;
}

static void
remove_segments(void)
{
    struct buf list = {0};

    assert_int_equal(segment_files_list(stored.dir, STORE_FILE, &list), OK);
    for (size_t at = 0; at < list.len; at += sizeof(uint64_t)) {
        uint64_t number;
        memcpy(&number, list.ptr + at, sizeof(number));
        assert_int_equal(segment_file_remove(stored.dir, STORE_FILE, number),
                         OK);
    }
    buf_fini(&list);
}

static void
tell(sqlite3 *db, const char *sql)
{
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
}

/* Files that are no store of this version have no such thing. */
static void
join_journal(sqlite3 *db)
{
    struct journal_log *log = NULL;
    sqlite3_stmt *stmt = NULL;
    struct buf sql = {0};

    if (ask(db, "SELECT count(*) FROM sqlite_schema WHERE name IN"
                " ('meta', 'journal')") != 2)
        return;
    const struct journal_owner owner = {
        .dir = stored.dir,
        .base = STORE_FILE,
        .store =
            (uint64_t)ask(db, "SELECT value FROM meta WHERE key = 'store_id'"),
        .from =
            (uint64_t)ask(db, "SELECT coalesce((SELECT value FROM meta WHERE"
                              " key = 'journal_from'), 0)"),
    };
    assert_int_equal(journal_log_open(&log, &owner), OK);
    buf_printf(&sql,
               "CREATE TEMP TABLE journal AS SELECT * FROM main.journal"
               " WHERE seq < %lld",
               (long long)journal_log_first_seq(log));
    tell(db, buf_cstr(&sql));
    assert_int_equal(sqlite3_prepare_v2(db,
                                        "INSERT INTO temp.journal (seq,"
                                        " received_ns, stubs, digest, data)"
                                        " VALUES (?1, ?2, ?3, ?4, ?5)",
                                        -1, &stmt, NULL),
                     SQLITE_OK);
    struct buf lost = {0};
    const struct journal_look all = {
        .expected = INT64_MAX, .nodes = UINT32_MAX, .lost = &lost};
    assert_int_equal(journal_log_each(log, &all, join_row, stmt), OK);
    sqlite3_finalize(stmt);
    journal_log_close(log);
    buf_fini(&lost);
    buf_fini(&sql);
}

static sqlite3 *
open_to_read(const char *path)
{
    sqlite3 *db = NULL;

    assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL),
                     SQLITE_OK);
    return db;
}

sqlite3 *
stored_connect(void)
{
    sqlite3 *db = open_to_read(stored.path);

    join_journal(db);
    return db;
}

int64_t
stored_ask_of(const char *path, const char *sql)
{
    sqlite3 *db = open_to_read(path);
    int64_t value = ask(db, sql);

    sqlite3_close(db);
    return value;
}

int64_t
stored_ask(const char *sql)
{
    sqlite3 *db = stored_connect();
    int64_t value = ask(db, sql);

    sqlite3_close(db);
    return value;
}

int64_t
stored_counter(const char *name)
{
    char sql[128];

    snprintf(sql, sizeof(sql),
             "SELECT coalesce(sum(value), 0) FROM counter WHERE name = '%s'",
             name);
    return stored_ask(sql);
}

void
stored_tell(const char *sql)
{
    sqlite3 *db = NULL;

    assert_int_equal(sqlite3_open(stored.path, &db), SQLITE_OK);
    tell(db, sql);
    sqlite3_close(db);
}

void
stored_into_table(void)
{
    sqlite3 *db = NULL;

    assert_int_equal(sqlite3_open(stored.path, &db), SQLITE_OK);
    join_journal(db);
    tell(db, "DELETE FROM main.meta WHERE key = 'journal_at';"
             "DELETE FROM main.journal;"
             "INSERT INTO main.journal (seq, received_ns, digest, stubs, data)"
             " SELECT seq, received_ns, digest, stubs, data FROM temp.journal");
    sqlite3_close(db);
    remove_segments();
}

struct edge_delta
stored_edge(uint32_t id, int64_t count, uint32_t first_s, uint32_t last_s)
{
    return (struct edge_delta){
        .id = id,
        .key = {id, id + 1, EDGE_CALL},
        .count = count,
        .weighted = count * 10,
        .known = count,
        .errors = count / 2,
        .first_s = first_s,
        .last_s = last_s,
        .hash = stored_hash,
    };
}

struct stub_batch
stored_batch(uint32_t stubs, uint64_t received_ns)
{
    struct stub_batch batch = {
        .stubs = calloc(stubs + 1, sizeof(struct stub)),
        .stub_len = stubs,
        .received_ns = received_ns,
    };

    for (uint32_t i = 0; i < stubs; i++)
        batch.stubs[i] = (struct stub){.span_id = i + 1, .weight = WEIGHT_ONE};
    return batch;
}

/* Ends |batch|. */
static enum err
append(struct store *st, struct stub_batch *batch, struct digest128 digest,
       uint64_t *seq)
{
    enum err err = store_append_journal(st, batch, digest, seq);

    if (!err)
        err = store_commit_journal(st);
    free(batch->stubs);
    return err;
}

uint64_t
stored_append(struct store *st, uint32_t stubs, uint64_t received_ns,
              uint64_t digest)
{
    struct stub_batch batch = stored_batch(stubs, received_ns);
    struct digest128 both = {digest, digest};
    uint64_t seq = 0;

    assert_int_equal(append(st, &batch, both, &seq), OK);
    return seq;
}

enum err
stored_try_append(struct store *st, uint32_t stubs, uint64_t digest)
{
    struct stub_batch batch = stored_batch(stubs, STORED_NOW);
    struct digest128 both = {digest, digest};
    uint64_t seq;

    return append(st, &batch, both, &seq);
}

uint64_t
stored_append_of(struct store *st, uint32_t service, uint32_t stubs)
{
    struct stub_batch batch = stored_batch(stubs, STORED_NOW);
    struct digest128 digest = {service, 1};
    uint64_t seq = 0;

    batch.stubs[stubs - 1].service = service;
    assert_int_equal(append(st, &batch, digest, &seq), OK);
    return seq;
}

void
stored_roll(struct store *st)
{
    static const struct journal_trim small = {.max_stubs = 0};
    bool more;

    assert_int_equal(store_trim_journal(st, &small, &more), OK);
}

static enum err
see_entry(void *ctx, const struct journal_entry *entry)
{
    struct stored_journal *seen = ctx;

    assert_true(entry->seq > seen->last);
    seen->rows++;
    seen->last = entry->seq;
    seen->damaged += entry->damaged;
    seen->stubs += entry->batch.stub_len;
    seen->told += entry->stubs;
    seen->digests += entry->digest.hi;
    return OK;
}

struct stored_journal
stored_journal(struct store *st)
{
    struct stored_journal seen = {0};

    assert_int_equal(store_each_journal(st, see_entry, &seen), OK);
    return seen;
}

void
stored_fill(struct store *st)
{
    assert_int_equal(store_begin(st), OK);
    for (uint32_t i = 1; i <= 300; i++) {
        struct node node = {
            .id = i, .kind = NODE_SERVICE, .name = STR("service")};
        struct edge_delta delta = stored_edge(i, 1, 5, 5);
        assert_int_equal(store_put_node(st, &node, stored_hash, 1), OK);
        delta.is_new = true;
        assert_int_equal(store_add_edge(st, &delta), OK);
    }
    assert_int_equal(store_commit(st), OK);
    stored_append(st, 40, STORED_NOW, 3);
}

struct stored_journal
stored_look(void)
{
    struct store *st = stored_open();
    struct stored_journal seen = stored_journal(st);

    store_close(st);
    return seen;
}

void
stored_put_node(struct store *st, uint32_t id)
{
    struct node node = {.id = id, .kind = NODE_SERVICE, .name = STR("service")};

    assert_int_equal(store_begin(st), OK);
    assert_int_equal(store_put_node(st, &node, stored_hash, 1), OK);
    assert_int_equal(store_commit(st), OK);
}
