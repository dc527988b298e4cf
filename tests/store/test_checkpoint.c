/*
 * What a process left in the log is moved into the database by the next start,
 * and so survives whatever becomes of the log.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include <sqlite3.h>

#include "store/store.h"
#include "tests/support/fault_vfs.h"
#include "tests/support/size.h"
#include "tests/support/stored.h"

#define LOG STORE_FILE "-wal"

static void
crash(struct store *st)
{
    fault_vfs_heal();
    fault_vfs_die_at(1);
    store_close(st);
    fault_vfs_heal();
}

/* A store whose rows are in the log only. */
static void
leave_log(void)
{
    stored_empty();
    struct store *st = stored_open();

    stored_fill(st);
    crash(st);
    struct stored_bytes log = stored_read(LOG);
    assert_true(log.len > 0);
    free(log.ptr);
}

static void
expect_filled(void)
{
    struct store *st = stored_open();

    assert_int_equal(stored_ask("SELECT count(*) FROM edge"), 300);
    assert_int_equal(stored_ask("SELECT count(*) FROM node"), 300);
    store_close(st);
}

static void
what_a_crash_left_survives_the_log(void **state)
{
    (void)state;
    for (size_t at = 0; at < 200; at += 9) {
        leave_log();
        crash(stored_open());
        struct stored_bytes log = stored_read(LOG);
        if (at < log.len) {
            log.ptr[at] = (char)(log.ptr[at] ^ 0x10);
            stored_write(LOG, log.ptr, log.len);
        }
        free(log.ptr);
        expect_filled();
    }
}

/* Of a new store, too: its tables are there, whatever its first rows become. */
static void
the_tables_of_a_new_store_are_in_the_file(void **state)
{
    (void)state;
    crash(stored_open());
    stored_remove(LOG);
    assert_true(stored_ask("SELECT count(*) FROM sqlite_schema") > 10);
    struct store *st = stored_open();
    stored_fill(st);
    store_close(st);
    expect_filled();
}

static void
a_full_disk_is_no_reason_not_to_open(void **state)
{
    (void)state;
    leave_log();
    fault_vfs_fill();
    struct store *st = stored_open();
    assert_int_equal(stored_ask("SELECT count(*) FROM edge"), 300);
    fault_vfs_heal();
    stored_append(st, 1, STORED_NOW, 7);
    crash(st);
    expect_filled();
}

/* Wherever the disk fails meanwhile, nothing is lost. */
static void
a_start_loses_nothing_wherever_the_disk_fails(void **state)
{
    static const int codes[] = {SQLITE_FULL, SQLITE_IOERR_WRITE,
                                SQLITE_IOERR_FSYNC, SQLITE_IOERR_TRUNCATE};
    bool was_whole = false;
    int opened = 0;

    (void)state;
    for (uint64_t at = 1; !was_whole; at++) {
        for (int i = 0; i < 8; i++) {
            struct store *st = NULL;
            leave_log();
            fault_vfs_fail_at(at, codes[i / 2], i % 2);
            enum err err = store_open(&st, stored.dir, STORE_SYNC_FULL,
                                      STORED_NOW, &stored.why);
            was_whole = fault_vfs_count() < at;
            assert_true(err == OK || err == ERR_STORE);
            opened += err == OK;
            crash(st);
            expect_filled();
        }
        assert_true(at < 1000);
    }
    assert_true(opened > 8);
}

/* Nor wherever the power goes. */
static void
a_start_loses_nothing_wherever_the_power_goes(void **state)
{
    static const enum store_sync syncs[] = {STORE_SYNC_FULL, STORE_SYNC_OS};
    struct seeds seeds = size_seeds(150, 3000, 20000);

    (void)state;
    for (uint64_t seed = seeds.first; seed <= seeds.last; seed++) {
        struct store *st = NULL;
        leave_log();
        fault_vfs_record();
        fault_vfs_seed(seed);
        fault_vfs_die_at(1 + seed / 2 % 60);
        (void)store_open(&st, stored.dir, syncs[seed % 2], STORED_NOW,
                         &stored.why);
        crash(st);
        fault_vfs_lose_power(seed);
        expect_filled();
        fault_vfs_lose_power(0);
    }
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        STORED_TEST(what_a_crash_left_survives_the_log),
        STORED_TEST(the_tables_of_a_new_store_are_in_the_file),
        STORED_TEST(a_full_disk_is_no_reason_not_to_open),
        STORED_TEST(a_start_loses_nothing_wherever_the_disk_fails),
        STORED_TEST(a_start_loses_nothing_wherever_the_power_goes),
    };

    size_args(argc, argv);
    fault_vfs_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
