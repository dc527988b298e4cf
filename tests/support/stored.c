#include "tests/support/stored.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <sqlite3.h>

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
stored_open(void)
{
    struct store *st = NULL;

    buf_reset(&stored.why);
    enum err err =
        store_open(&st, stored.dir, STORE_SYNC_FULL, STORED_NOW, &stored.why);
    if (err)
        fail_msg("store_open: %s: %s", err_str(err), buf_cstr(&stored.why));
    return st;
}

int64_t
stored_ask(const char *sql)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *stmt = NULL;

    assert_int_equal(
        sqlite3_open_v2(stored.path, &db, SQLITE_OPEN_READONLY, NULL),
        SQLITE_OK);
    if (sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    int64_t value =
        sqlite3_step(stmt) == SQLITE_ROW ? sqlite3_column_int64(stmt, 0) : -1;
    sqlite3_finalize(stmt);
    sqlite3_close(db);
    return value;
}

void
stored_tell(const char *sql)
{
    sqlite3 *db = NULL;

    assert_int_equal(sqlite3_open(stored.path, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    sqlite3_close(db);
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

uint64_t
stored_append(struct store *st, uint32_t stubs, uint64_t received_ns,
              uint64_t digest)
{
    struct stub_batch batch = stored_batch(stubs, received_ns);
    struct digest128 both = {digest, digest};
    uint64_t seq = 0;

    assert_int_equal(store_begin(st), OK);
    assert_int_equal(store_append_journal(st, &batch, both, &seq), OK);
    assert_int_equal(store_commit(st), OK);
    free(batch.stubs);
    return seq;
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
