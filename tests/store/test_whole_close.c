/*
 * What is sealed when a file is closed, and how large it may be.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sqlite3.h>

#include "store/dbfile.h"
#include "store/edge_rows.h"
#include "store/files.h"
#include "store/schema.h"
#include "store/store.h"
#include "tests/support/dir.h"
#include "tests/support/fault_vfs.h"
#include "tests/support/sealed.h"

static void
damage_met_when_closing_is_not_sealed(void **state)
{
    (void)state;
    sealed_make_filled();
    int64_t page = sealed_odd_page();
    struct store *st = stored_open();
    sealed_zero_page(page);
    store_close(st);
    sealed_assert(false);
    assert_true(files_is_suspect(stored.dir, STORE_FILE));
    assert_int_equal(sealed_try_open(), ERR_CORRUPT);
    assert_false(files_is_suspect(stored.dir, STORE_FILE));
}

static void
a_reader_that_holds_the_log_leaves_the_file_unsealed(void **state)
{
    sqlite3 *reader = NULL;

    (void)state;
    sealed_make_filled();
    struct store *st = stored_open();
    assert_int_equal(
        sqlite3_open_v2(stored.path, &reader, SQLITE_OPEN_READONLY, NULL),
        SQLITE_OK);
    assert_int_equal(
        sqlite3_exec(reader, "BEGIN; SELECT * FROM edge", NULL, NULL, NULL),
        SQLITE_OK);
    stored_append(st, 100, STORED_NOW, 7);
    struct stored_bytes before = sealed_read(sealed.path);
    store_close(st);
    struct stored_bytes after = sealed_read(sealed.path);
    assert_int_equal(before.len, after.len);
    assert_memory_equal(before.ptr, after.ptr, after.len);
    sqlite3_close(reader);
    free(before.ptr);
    free(after.ptr);
    assert_int_equal(sealed_try_open(), OK);
    sealed_assert(true);
    assert_int_equal(stored_ask("SELECT count(*) FROM journal"), 2);
}

static void
a_seal_that_cannot_be_written_costs_a_look(void **state)
{
    (void)state;
    assert_int_equal(mkdir(sealed.path, 0700), 0);
    sealed_make_filled();
    assert_int_equal(sealed_try_open(), OK);
    assert_int_equal(rmdir(sealed.path), 0);
    assert_int_equal(sealed_try_open(), OK);
    sealed_assert(true);
}

/* Reads that fail, when it is opened and when it is closed, are neither damage
 * nor is a seal made of what was not read. */
static void
fail_read(uint64_t at, bool stays)
{
    struct stored_bytes before = sealed_read(sealed.path);
    struct store *st = NULL;

    fault_vfs_fail_read_at(at, stays);
    enum err err =
        store_open(&st, stored.dir, STORE_SYNC_FULL, STORED_NOW, &stored.why);
    if (!err && !store_begin(st)) {
        struct edge_delta delta = stored_edge(400, 1, 5, 5);
        (void)store_add_edge(st, &delta);
        (void)store_commit(st);
    }
    store_close(st);
    assert_true(!err || err == ERR_STORE || err == ERR_NOMEM);
    assert_int_equal(dir_count(stored.dir, STORE_FILE ".corrupt-"), 0);
    assert_false(files_is_suspect(stored.dir, STORE_FILE));
    struct stored_bytes after = sealed_read(sealed.path);
    if (before.len != after.len ||
        memcmp(before.ptr, after.ptr, after.len) != 0)
        sealed_assert(true);
    free(before.ptr);
    free(after.ptr);
}

static void
a_read_that_fails_is_no_damage(void **state)
{
    (void)state;
    sealed_make_filled();
    for (int stays = 0; stays < 2; stays++) {
        bool clean = false;
        for (uint64_t at = 1; !clean; at++) {
            fault_vfs_heal();
            fail_read(at, stays);
            clean = fault_vfs_reads() < at;
            fault_vfs_heal();
            assert_int_equal(sealed_try_open(), OK);
            sealed_assert(true);
        }
    }
}

/* ---- bounds ---- */

static struct dbfile_spec
spec_of(int64_t check_max, bool is_sealed)
{
    return (struct dbfile_spec){
        .file = STORE_FILE,
        .lock = STORE_LOCK,
        .migrations = schema_migrations,
        .migration_len = schema_len,
        .check_max = check_max,
        .is_sealed = is_sealed,
    };
}

static void
open_and_close(int64_t check_max, bool is_sealed, enum err expected)
{
    const struct dbfile_spec spec = spec_of(check_max, is_sealed);
    struct dbfile file;

    enum err err =
        dbfile_open(&file, stored.dir, &spec, DBFILE_SYNC_FULL, &stored.why);
    assert_int_equal(err, expected);
    if (err)
        dbfile_drop(&file);
    else
        dbfile_close(&file);
}

static void
a_file_over_its_bound_is_neither_looked_through_nor_sealed(void **state)
{
    (void)state;
    sealed_make_filled();
    int64_t size = files_size(stored.path);
    assert_int_equal(unlink(sealed.path), 0);
    open_and_close(size - 1, true, OK);
    sealed_assert(false);
    open_and_close(size, true, OK);
    sealed_assert(true);
    sealed_zero_page(sealed_odd_page());
    open_and_close(size - 1, true, OK);
    open_and_close(size, true, ERR_CORRUPT);
}

static void
seals_are_for_whom_they_are_meant(void **state)
{
    char seal[SEALED_CAP];

    (void)state;
    sealed_make_filled();
    assert_int_equal(unlink(sealed.path), 0);
    open_and_close(SEALED_BYTES_MAX, false, OK);
    assert_int_not_equal(access(sealed.path, F_OK), 0);
    struct stored_bytes damaged = sealed_make_damaged(seal);
    sealed_write_text(sealed.path, seal);
    open_and_close(SEALED_BYTES_MAX, false, ERR_CORRUPT);
    free(damaged.ptr);
}

/* A page that the connection still remembers is looked at as it is on disk. */
static void
damage_under_the_cache_is_not_sealed(void **state)
{
    const struct dbfile_spec spec = spec_of(SEALED_BYTES_MAX, true);
    struct dbfile file;

    (void)state;
    sealed_make_filled();
    int64_t page = sealed_odd_page();
    assert_int_equal(
        dbfile_open(&file, stored.dir, &spec, DBFILE_SYNC_FULL, &stored.why),
        OK);
    assert_int_equal(
        dbfile_exec(&file, "SELECT dst FROM edge INDEXED BY edge_dst"), OK);
    sealed_zero_page(page);
    dbfile_close(&file);
    sealed_assert(false);
    assert_true(files_is_suspect(stored.dir, STORE_FILE));
    assert_int_equal(sealed_try_open(), ERR_CORRUPT);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        SEALED_TEST(damage_met_when_closing_is_not_sealed),
        SEALED_TEST(damage_under_the_cache_is_not_sealed),
        SEALED_TEST(a_reader_that_holds_the_log_leaves_the_file_unsealed),
        SEALED_TEST(a_seal_that_cannot_be_written_costs_a_look),
        SEALED_TEST(a_read_that_fails_is_no_damage),
        SEALED_TEST(a_file_over_its_bound_is_neither_looked_through_nor_sealed),
        SEALED_TEST(seals_are_for_whom_they_are_meant),
    };

    fault_vfs_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
