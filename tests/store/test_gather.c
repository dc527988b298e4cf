/*
 * The log of a database that is opened through store/gather.h: written in few
 * pieces, and seen whole by whoever reads it beside, synced or not.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdbool.h>
#include <stdio.h>

#include <sqlite3.h>

#include "store/gather.h"
#include "tests/support/dir.h"
#include "tests/support/fault_vfs.h"

enum { BLOB = 20000, ROWS = 8, PAGES_MIN = BLOB * ROWS / 4096 };

static struct {
    char dir[64];
    sqlite3 *writer;
    sqlite3 *reader;
} world;

static int
execute(sqlite3 *db, const char *sql)
{
    return sqlite3_exec(db, sql, NULL, NULL, NULL);
}

static int64_t
ask(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *stmt = NULL;

    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &stmt, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
    int64_t answer = sqlite3_column_int64(stmt, 0);
    sqlite3_finalize(stmt);
    return answer;
}

static int
setup(void **state)
{
    char path[128];

    (void)state;
    fault_vfs_heal();
    dir_make(world.dir);
    snprintf(path, sizeof(path), "%s/log.db", world.dir);
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    if (sqlite3_open_v2(path, &world.writer, flags, gather_vfs()) ||
        execute(world.writer, "PRAGMA journal_mode = WAL;"
                              "PRAGMA wal_autocheckpoint = 0;"
                              "CREATE TABLE t (id INTEGER PRIMARY KEY, n, b)"))
        return -1;
    return sqlite3_open_v2(path, &world.reader, SQLITE_OPEN_READONLY, NULL);
}

static int
teardown(void **state)
{
    (void)state;
    fault_vfs_heal();
    sqlite3_close(world.reader);
    sqlite3_close(world.writer);
    dir_remove(world.dir);
    return 0;
}

static int
add_rows(void)
{
    char sql[128];
    int rc = execute(world.writer, "BEGIN");

    snprintf(sql, sizeof(sql),
             "INSERT INTO t (n, b) VALUES (1, randomblob(%d))", BLOB);
    for (int i = 0; i < ROWS && !rc; i++)
        rc = execute(world.writer, sql);
    return rc ? rc : execute(world.writer, "COMMIT");
}

static void
a_transaction_is_written_in_few_pieces(void **state)
{
    (void)state;
    fault_vfs_heal();
    assert_int_equal(add_rows(), SQLITE_OK);
    assert_int_equal(ask(world.reader, "SELECT sum(n) FROM t"), ROWS);
    /* SQLite alone: two for each page */
    assert_in_range(fault_vfs_count(), 1, PAGES_MIN / 4);
}

/* Not synced, so nothing but the commit itself says that it is time. */
static void
who_reads_beside_sees_each_commit_whole(void **state)
{
    int64_t rows = 0;

    (void)state;
    assert_int_equal(execute(world.writer, "PRAGMA synchronous = NORMAL"),
                     SQLITE_OK);
    for (int n = 1; n <= 60; n++) {
        const char *sql = n % 5 == 0 ? "DELETE FROM t WHERE id % 3 = 0"
                                     : "INSERT INTO t (n, b) VALUES (1, "
                                       "zeroblob(300))";
        assert_int_equal(execute(world.writer, sql), SQLITE_OK);
        rows = ask(world.writer, "SELECT count(*) FROM t");
        assert_int_equal(ask(world.reader, "SELECT count(*) FROM t"), rows);
        if (n % 20 == 0) /* the log begins anew */
            assert_int_equal(execute(world.writer, "PRAGMA wal_checkpoint"),
                             SQLITE_OK);
    }
    assert_true(rows > 0);
}

/* A cache of ten pages: pages go to the log before the commit, some of them
 * several times, for which SQLite writes checksums anew. */
static void
what_is_spilled_and_written_twice_is_seen_whole(void **state)
{
    (void)state;
    assert_int_equal(execute(world.writer, "PRAGMA synchronous = NORMAL;"
                                           "PRAGMA cache_size = 10"),
                     SQLITE_OK);
    for (int n = 0; n < 10; n++) {
        assert_int_equal(add_rows(), SQLITE_OK);
        assert_int_equal(
            execute(world.writer,
                    "BEGIN; UPDATE t SET n = n + 1; UPDATE t SET n = n + 1;"
                    "UPDATE t SET b = randomblob(9000) WHERE id % 2;"
                    "UPDATE t SET n = n - 2; COMMIT"),
            SQLITE_OK);
        assert_int_equal(ask(world.reader, "SELECT sum(n) FROM t"),
                         (n + 1) * ROWS);
        assert_int_equal(execute(world.writer,
                                 "BEGIN; UPDATE t SET n = 7, b = zeroblob(1);"
                                 "ROLLBACK"),
                         SQLITE_OK);
    }
    assert_int_equal(ask(world.reader, "SELECT count(*) FROM"
                                       " pragma_integrity_check WHERE"
                                       " integrity_check <> 'ok'"),
                     0);
    sqlite3_close(world.reader);
    world.reader = NULL;
    assert_int_equal(ask(world.writer, "SELECT sum(n) FROM t"), 10 * ROWS);
}

static void
a_write_that_fails_fails_its_commit(void **state)
{
    int64_t done = 0;
    bool clean = false;

    (void)state;
    for (uint64_t at = 1; !clean; at++) {
        fault_vfs_heal();
        fault_vfs_fail_at(at, at % 2 ? SQLITE_FULL : SQLITE_IOERR_WRITE,
                          at % 3 == 0);
        int rc = add_rows();
        clean = fault_vfs_count() < at;
        fault_vfs_heal();
        done += rc == SQLITE_OK;
        assert_true(clean ? rc == SQLITE_OK : rc != SQLITE_OK);
        if (!sqlite3_get_autocommit(world.writer))
            assert_int_equal(execute(world.writer, "ROLLBACK"), SQLITE_OK);
        assert_int_equal(ask(world.reader, "SELECT count(*) FROM t"),
                         done * ROWS);
        assert_int_equal(ask(world.writer, "SELECT count(*) FROM t"),
                         done * ROWS);
    }
    assert_int_equal(done, 1);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_transaction_is_written_in_few_pieces,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(who_reads_beside_sees_each_commit_whole,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(
            what_is_spilled_and_written_twice_is_seen_whole, setup, teardown),
        cmocka_unit_test_setup_teardown(a_write_that_fails_fails_its_commit,
                                        setup, teardown),
    };

    fault_vfs_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
