#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sqlite3.h>

#include "store/edge_rows.h"
#include "store/flush_rows.h"
#include "store/journal_rows.h"
#include "store/node_rows.h"
#include "store/store.h"
#include "tests/support/dir.h"
#include "tests/support/fault_vfs.h"
#include "tests/support/size.h"
#include "tests/support/stored.h"

enum { ROWS_MAX = 20 };

/* An edge, and so much that the log grows by two pages. */
static enum err
one_transaction(struct store *st, uint32_t id)
{
    static const char part[4000];
    struct edge_delta delta = stored_edge(id, 1, 5, 5);
    enum err err;

    if (!(err = store_begin(st)) && !(err = store_add_edge(st, &delta)) &&
        !(err = store_put_part(st, 1, id, (str){part, sizeof(part)})))
        err = store_commit(st);
    if (err)
        store_rollback(st);
    return err;
}

/* What the log says of it, past SQLite as well: before it is held back. */
static void
what_failed_is_said(void **state)
{
    struct store *st = stored_open_as(STORE_SYNC_OS);
    struct node node = {.id = 1, .kind = NODE_SERVICE, .name = STR("service")};
    char *path = stored_name("said");
    int kept = dup(STDERR_FILENO);
    int said = open(path, O_CREAT | O_RDWR, 0600);

    (void)state;
    assert_true(kept >= 0 && said >= 0);
    assert_int_equal(store_put_node(st, &node, stored_hash, 1), OK);
    store_rollback(st);
    assert_int_equal(dup2(said, STDERR_FILENO), STDERR_FILENO);
    fault_vfs_fail_at(1, SQLITE_IOERR_FSYNC, true);
    enum err err = stored_try_append(st, 200, 1);
    fault_vfs_heal();
    assert_int_equal(dup2(kept, STDERR_FILENO), STDERR_FILENO);
    close(said);
    close(kept);
    assert_int_equal(err, ERR_STORE);
    struct stored_bytes text = stored_read("said");
    text.ptr[text.len] = '\0';
    assert_non_null(strstr(text.ptr, "the database refused"));
    assert_non_null(strstr(text.ptr, "disk I/O error"));
    assert_null(strstr(text.ptr, "not an error"));
    free(text.ptr);
    free(path);
    store_close(st);
}

static void
every_failing_operation_leaves_all_or_nothing(void **state)
{
    static const int codes[] = {SQLITE_IOERR_WRITE, SQLITE_FULL,
                                SQLITE_IOERR_FSYNC};
    struct store *st = stored_open();
    uint32_t edges = 0, rows = 0, id = 0;

    (void)state;
    for (int round = 0; round < 6; round++) {
        bool clean = false;
        for (uint64_t at = 1; !clean; at++) {
            fault_vfs_heal();
            fault_vfs_fail_at(at, codes[round % 3], round >= 3);
            enum err row = stored_try_append(st, 200, ++id);
            enum err edge = one_transaction(st, id);
            (void)store_checkpoint(st);
            clean = fault_vfs_count() < at;
            fault_vfs_heal();
            assert_true(!row || row == ERR_STORE);
            assert_true(!edge || edge == ERR_STORE);
            rows += row == OK;
            edges += edge == OK;
            assert_int_equal(stored_ask("SELECT count(*) FROM edge"), edges);
            assert_int_equal(stored_journal(st).rows, rows);
            assert_int_equal(stored_try_append(st, 200, ++id), OK);
            assert_int_equal(one_transaction(st, id), OK);
            rows++;
            edges++;
            assert_int_equal(stored_ask("SELECT count(*) FROM journal"), rows);
        }
    }
    store_close(st);
    st = stored_open();
    assert_int_equal(stored_ask("SELECT count(*) FROM edge"), edges);
    assert_int_equal(stored_journal(st).rows, rows);
    assert_int_equal(stored_journal(st).stubs, 200 * rows);
    assert_int_equal(stored_journal(st).damaged, 0);
    store_close(st);
}

static void
a_full_disk_is_readable_and_heals(void **state)
{
    struct store *st = stored_open();
    enum err err = OK;

    (void)state;
    stored_fill(st);
    fault_vfs_fill();
    for (int i = 0; i < 3; i++) {
        err = stored_try_append(st, 200, 1);
        assert_int_equal(err, ERR_STORE);
        assert_int_equal(one_transaction(st, 1), ERR_STORE);
        struct stored_journal seen = stored_journal(st);
        assert_int_equal(seen.stubs, 40);
    }
    (void)store_checkpoint(st);
    fault_vfs_heal();
    assert_int_equal(stored_try_append(st, 200, 1), OK);
    assert_int_equal(one_transaction(st, 1), OK);
    assert_int_equal(stored_journal(st).stubs, 240);
    store_close(st);
}

static void
opening_on_a_failing_disk_says_so_and_loses_nothing(void **state)
{
    struct store *st = stored_open();

    (void)state;
    stored_fill(st);
    store_close(st);
    for (uint64_t at = 1; at < 12; at++) {
        fault_vfs_heal();
        fault_vfs_fail_at(at, SQLITE_IOERR_WRITE, true);
        buf_reset(&stored.why);
        enum err err = store_open(&st, stored.dir, STORE_SYNC_FULL, STORED_NOW,
                                  &stored.why);
        assert_true(!err || err == ERR_STORE);
        if (err)
            assert_true(stored.why.len > 0);
        store_close(st);
    }
    fault_vfs_heal();
    st = stored_open();
    assert_int_equal(stored_journal(st).stubs, 40);
    assert_int_equal(dir_count(stored.dir, STORE_FILE ".corrupt-"), 0);
    store_close(st);
}

/* What cannot be read is not damaged: a sound database is not set aside. */
static void
every_failing_read_is_said_and_loses_nothing(void **state)
{
    struct store *st = stored_open();
    bool clean = false;
    int64_t done = 0;

    (void)state;
    stored_fill(st);
    store_close(st);
    for (uint64_t at = 1; !clean; at++) {
        fault_vfs_heal();
        fault_vfs_fail_read_at(at, at % 2);
        buf_reset(&stored.why);
        enum err err = store_open(&st, stored.dir, STORE_SYNC_FULL, STORED_NOW,
                                  &stored.why);
        if (!err && done < ROWS_MAX) { /* more rows are more reads */
            err = stored_try_append(st, 200, at);
            done += err == OK;
            if (!err)
                err = one_transaction(st, (uint32_t)at);
        } else if (err) {
            assert_true(stored.why.len > 0);
        }
        assert_true(!err || err == ERR_STORE);
        clean = fault_vfs_reads() < at;
        fault_vfs_heal();
        store_close(st);
        assert_int_equal(dir_count(stored.dir, STORE_FILE ".corrupt-"), 0);
    }
    assert_true(done > 0);
    st = stored_open();
    assert_int_equal(stored_journal(st).stubs, 40 + 200 * done);
    store_close(st);
}

static void
a_new_store_survives_any_failure_while_it_is_made(void **state)
{
    struct store *st = NULL;
    enum err err = ERR_STORE;

    (void)state;
    for (uint64_t at = 1; err; at++) {
        fault_vfs_heal();
        fault_vfs_fail_at(at, SQLITE_FULL, true);
        err = store_open(&st, stored.dir, STORE_SYNC_FULL, STORED_NOW,
                         &stored.why);
        assert_true(!err || err == ERR_STORE);
        fault_vfs_heal();
        store_close(st);
        store_close(stored_open());
        if (err) {
            stored_empty();
        }
    }
    assert_int_equal(dir_count(stored.dir, STORE_FILE ".corrupt-"), 0);
}

/* What was acknowledged at synchronous=FULL is there after any loss of power,
 * and every transaction is there whole or not at all. */
static void
acknowledged_transactions_survive_a_loss_of_power(void **state)
{
    struct seeds seeds = size_seeds(200, 5000, 20000);

    (void)state;
    for (uint64_t seed = seeds.first; seed <= seeds.last; seed++) {
        stored_empty();
        fault_vfs_heal();
        fault_vfs_record();
        struct store *st = stored_open();
        uint32_t acked = 0, sent = 0;
        /* Some go on until there was a checkpoint, or some, and fail around it;
         * not longer with each seed: 20,000 of these would take days. */
        uint64_t last = seed % 10 ? seed * 7 % 90 : 4000 + seed * 13 % 9001;

        fault_vfs_fail_at(fault_vfs_count() + 1 + last, SQLITE_IOERR_WRITE,
                          true);
        uint32_t rows = 0;
        while (stored_try_append(st, 200, ++sent) == OK) {
            rows++;
            if (one_transaction(st, sent) != OK)
                break;
            acked++;
            (void)store_checkpoint(st);
        }
        store_close(st);
        fault_vfs_heal();
        fault_vfs_lose_power(seed);

        st = stored_open();
        int64_t edges = stored_ask("SELECT count(*) FROM edge");
        if (edges < acked || edges > sent)
            fail_msg("SEED=%d: %d acknowledged, %d stored, %d sent", (int)seed,
                     (int)acked, (int)edges, (int)sent);
        struct stored_journal seen = stored_journal(st);
        if (seen.rows - seen.damaged < (int)rows || seen.rows > (int)sent)
            fail_msg("SEED=%d: %d acknowledged, %d in the journal, %d sent",
                     (int)seed, (int)rows, seen.rows, (int)sent);
        assert_int_equal(seen.stubs, (seen.rows - seen.damaged) * 200);
        assert_int_equal(
            stored_ask("SELECT count(*) FROM pragma_integrity_check"
                       " WHERE integrity_check <> 'ok'"),
            0);
        store_close(st);
    }
}

/* A process dies between writing and syncing; what its successor reads, and
 * perhaps acknowledges a second time, must not go with the power then. */
static void
what_was_read_after_a_crash_stays(void **state)
{
    struct seeds seeds = size_seeds(60, 2000, 10000);
    int found = 0, rows_found = 0;

    (void)state;
    for (uint64_t seed = seeds.first; seed <= seeds.last; seed++) {
        stored_empty();
        fault_vfs_heal();
        fault_vfs_record();
        struct store *st = stored_open();
        assert_int_equal(stored_try_append(st, 200, 1), OK);
        assert_int_equal(one_transaction(st, 1), OK);
        fault_vfs_die_at(fault_vfs_count() + 1 + seed % 24);
        bool row_was_refused = stored_try_append(st, 200, 2) != OK;
        bool was_refused = one_transaction(st, 2) != OK;
        fault_vfs_die_at(1);
        store_close(st);

        fault_vfs_heal();
        st = stored_open();
        int64_t seen = stored_ask("SELECT count(*) FROM edge");
        int rows = stored_journal(st).rows;
        fault_vfs_die_at(1);
        store_close(st);
        fault_vfs_heal();
        fault_vfs_lose_power(seed);
        st = stored_open();
        if (stored_ask("SELECT count(*) FROM edge") != seen)
            fail_msg("SEED=%lu: %ld edges were seen", seed, seen);
        if (stored_journal(st).rows != rows)
            fail_msg("SEED=%lu: %d rows were seen", seed, rows);
        found += was_refused && seen == 2;
        rows_found += row_was_refused && rows == 2;
        store_close(st);
    }
    assert_true(size_is_one() || (found > 0 && rows_found > 0));
}

/* ---- ids of nodes, where a commit is with the system ---- */

struct ids {
    int64_t nodes;
    int rows;
};

static enum err
see_ids(void *ctx, const struct journal_entry *entry)
{
    struct ids *ids = ctx;

    for (uint32_t i = 0; i < entry->batch.stub_len; i++)
        assert_true(entry->batch.stubs[i].service <= ids->nodes);
    ids->rows += !entry->damaged;
    return OK;
}

/* Nodes are committed before they are spoken of, long before perhaps, and in a
 * process before this one: whatever of it the power takes, no row is left whose
 * ids would come to mean others. */
static void
no_row_outlives_the_nodes_that_it_speaks_of(void **state)
{
    struct seeds seeds = size_seeds(200, 5000, 20000);
    int rows = 0;

    (void)state;
    for (uint64_t seed = seeds.first; seed <= seeds.last; seed++) {
        stored_empty();
        fault_vfs_heal();
        fault_vfs_record();
        store_close(stored_open()); /* the tables are on the disk */
        struct store *st = stored_open_as(STORE_SYNC_OS);
        for (uint32_t id = 1; id <= 3; id++) {
            stored_put_node(st, id);
            if (id == seed % 4) {
                fault_vfs_die_at(1);
                store_close(st);
                fault_vfs_heal();
                st = stored_open_as(STORE_SYNC_OS);
            }
            stored_append_of(st, id, 3);
        }
        fault_vfs_die_at(1);
        store_close(st);
        fault_vfs_heal();
        fault_vfs_lose_power(seed);
        st = stored_open_as(STORE_SYNC_OS);
        struct ids ids = {
            .nodes = stored_ask("SELECT coalesce(max(id), 0) FROM node")};
        assert_int_equal(store_each_journal(st, see_ids, &ids), OK);
        rows += ids.rows;
        store_close(st);
    }
    assert_true(size_is_one() || rows > 0);
}

static void
the_log_is_bounded_and_moved_into_the_database(void **state)
{
    struct store *st = stored_open();
    char wal[340];
    struct stat info;

    (void)state;
    snprintf(wal, sizeof(wal), "%s-wal", stored.path);
    for (uint32_t i = 1; i < 4000; i++) {
        assert_int_equal(one_transaction(st, i), OK);
        if (i % 100 == 0)
            assert_int_equal(store_checkpoint(st), OK);
    }
    assert_int_equal(stat(wal, &info), 0);
    assert_true(info.st_size < 8 << 20);
    assert_true(store_size_bytes(st) > 1 << 20);
    store_close(st);
    assert_int_equal(stat(wal, &info), 0);
    assert_int_equal(info.st_size, 0);
}

static void
steps_keep_the_log_short_and_wait_for_no_reader(void **state)
{
    struct store *st = stored_open();
    sqlite3 *reader = NULL;
    char wal[340];
    struct stat info;
    uint32_t id = 1;

    (void)state;
    snprintf(wal, sizeof(wal), "%s-wal", stored.path);
    assert_int_equal(one_transaction(st, id++), OK);
    int64_t before = store_size_bytes(st);
    assert_int_equal(store_checkpoint_step(st), OK);
    assert_int_equal(store_size_bytes(st), before); /* not worth it yet */
    for (; id < 2000; id++) {
        assert_int_equal(one_transaction(st, id), OK);
        assert_int_equal(store_checkpoint_step(st), OK);
    }
    assert_int_equal(stat(wal, &info), 0);
    assert_true(info.st_size < 5 << 20);
    assert_true(store_size_bytes(st) > before + (4 << 20));

    assert_int_equal(
        sqlite3_open_v2(stored.path, &reader, SQLITE_OPEN_READONLY, NULL),
        SQLITE_OK);
    assert_int_equal(sqlite3_exec(reader, "BEGIN; SELECT count(*) FROM edge",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    for (; id < 4000; id++) {
        assert_int_equal(one_transaction(st, id), OK);
        assert_int_equal(store_checkpoint_step(st), OK);
    }
    assert_int_equal(stat(wal, &info), 0);
    assert_true(info.st_size > 8 << 20);
    sqlite3_close(reader);
    store_close(st);
    assert_int_equal(stat(wal, &info), 0);
    assert_int_equal(info.st_size, 0);
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        STORED_TEST(what_failed_is_said),
        STORED_TEST(every_failing_operation_leaves_all_or_nothing),
        STORED_TEST(a_full_disk_is_readable_and_heals),
        STORED_TEST(opening_on_a_failing_disk_says_so_and_loses_nothing),
        STORED_TEST(every_failing_read_is_said_and_loses_nothing),
        STORED_TEST(a_new_store_survives_any_failure_while_it_is_made),
        STORED_TEST(acknowledged_transactions_survive_a_loss_of_power),
        STORED_TEST(what_was_read_after_a_crash_stays),
        STORED_TEST(no_row_outlives_the_nodes_that_it_speaks_of),
        STORED_TEST(the_log_is_bounded_and_moved_into_the_database),
        STORED_TEST(steps_keep_the_log_short_and_wait_for_no_reader),
    };

    size_args(argc, argv);
    fault_vfs_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
