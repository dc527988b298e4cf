/*
 * Segments that are beside a database and not of it, or not of its past.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include <sqlite3.h>

#include "store/journal_rows.h"
#include "store/segment_file.h"
#include "tests/support/dir.h"
#include "tests/support/fault_vfs.h"
#include "tests/support/size.h"
#include "tests/support/stored.h"

#define STRAY      STORE_FILE ".stray-1700000000"
#define SEGMENT(n) STORE_FILE "-seg" #n

static void
append_some(void)
{
    struct store *st = stored_open();

    for (uint64_t i = 1; i <= 3; i++)
        stored_append(st, 2, STORED_NOW, i);
    store_close(st);
}

static void
the_journal_of_another_database_is_put_aside(void **state)
{
    (void)state;
    append_some();
    struct stored_bytes other = stored_read(SEGMENT(1));
    stored_empty();
    stored_write(SEGMENT(1), other.ptr, other.len);
    struct store *st = stored_open();
    assert_int_equal(stored_journal(st).rows, 0);
    assert_int_equal(dir_count(stored.dir, STORE_FILE "-seg"), 0);
    assert_int_equal(dir_count(stored.dir, STORE_FILE ".stray-"), 1);
    assert_int_equal(stored_append(st, 1, STORED_NOW, 1), 1);
    store_close(st);
    assert_int_equal(stored_look().rows, 1);
    free(other.ptr);
}

static void
what_follows_a_file_that_was_removed_is_kept(void **state)
{
    struct store *st = stored_open();

    (void)state;
    assert_int_equal(stored_append(st, 2, STORED_NOW, 1), 1);
    stored_remove(SEGMENT(1));
    assert_int_equal(stored_append(st, 3, STORED_NOW, 2), 2);
    assert_int_equal(dir_count(stored.dir, STORE_FILE "-seg"), 1);
    store_close(st);
    assert_int_equal(stored_look().stubs, 3);
}

/* Begins with a store whose journal goes on from segment 6. */
static void
begin_at_six(void)
{
    stored_empty();
    store_close(stored_open());
    stored_tell("INSERT INTO meta VALUES ('journal_from', 6)");
}

/* Those are dead by their numbers, if they were ours. */
static void
what_is_not_ours_is_not_removed_for_its_number(void **state)
{
    (void)state;
    append_some();
    struct stored_bytes other = stored_read(SEGMENT(1));
    begin_at_six();
    stored_write(SEGMENT(1), other.ptr, other.len);
    stored_write(SEGMENT(2), "garbage", 7);
    stored_write(SEGMENT(3), "", 0);
    assert_int_equal(stored_look().rows, 0);
    assert_int_equal(dir_count(stored.dir, STORE_FILE "-seg"), 0);
    assert_int_equal(dir_count(stored.dir, STORE_FILE ".stray-"), 2);
    free(other.ptr);
}

static void
what_is_ours_is_removed_for_its_number(void **state)
{
    (void)state;
    append_some();
    stored_tell("INSERT INTO meta VALUES ('journal_from', 2)");
    assert_int_equal(stored_look().rows, 0);
    assert_int_equal(dir_count(stored.dir, STORE_FILE "-seg"), 0);
    assert_int_equal(dir_count(stored.dir, STORE_FILE ".stray-"), 0);
}

/* ---- an older copy of the same database ---- */

/* The database is that of a moment when two nodes were known; rows speak of
 * 1, 2, 3 and 1.  There is a new segment before each row of which the
 * bit is set in |rolls|. */
static void
go_back(unsigned rolls)
{
    static const uint32_t speaks_of[] = {1, 2, 3, 1};
    struct store *st = stored_open();
    int segments = 1;

    stored_put_node(st, 1);
    stored_put_node(st, 2);
    store_close(st);
    struct stored_bytes old = stored_read(STORE_FILE);
    st = stored_open();
    for (uint32_t i = 0; i < 4; i++) {
        if (i == 2)
            stored_put_node(st, 3);
        if (i > 0 && rolls >> i & 1) {
            stored_roll(st);
            segments++;
        }
        stored_append_of(st, speaks_of[i], 3 + i);
    }
    store_close(st);
    stored_remove(STORE_FILE "-wal");
    stored_remove(STORE_FILE ".seal");
    stored_write(STORE_FILE, old.ptr, old.len);
    free(old.ptr);
    assert_int_equal(dir_count(stored.dir, STORE_FILE "-seg"), segments);
}

/* What |seen| has of that, and one that says what is left out. */
static void
assert_is_cut(const struct stored_journal *seen)
{
    assert_int_equal(seen->rows, 3);
    assert_int_equal(seen->damaged, 1);
    assert_int_equal(seen->stubs, 3 + 4);
    assert_int_equal(seen->told, 3 + 4 + 5 + 6);
    assert_int_equal(seen->last, 3);
}

static void
the_journal_ends_where_the_database_is_older(void **state)
{
    (void)state;
    for (unsigned rolls = 0; rolls < 16; rolls += 2) {
        int strays = 1 + (rolls >> 3 & 1);
        stored_empty();
        go_back(rolls);
        struct store *st = stored_open();
        struct stored_journal seen = stored_journal(st);
        assert_is_cut(&seen);
        assert_int_equal(dir_count(stored.dir, STORE_FILE ".stray-"), strays);
        assert_int_equal(dir_count(stored.dir, STORE_FILE "-seg"),
                         1 + (rolls >> 1 & 1) + 1);
        stored_put_node(st, 3); /* another one */
        assert_int_equal(stored_append_of(st, 3, 7), 4);
        for (int start = 0; start < 2; start++) {
            store_close(st);
            st = stored_open();
            seen = stored_journal(st);
            assert_int_equal(seen.rows, 4);
            assert_int_equal(seen.damaged, 1);
            assert_int_equal(seen.stubs, 3 + 4 + 7);
            assert_int_equal(seen.told, 3 + 4 + 5 + 6 + 7);
        }
        store_close(st);
        assert_int_equal(dir_count(stored.dir, STORE_FILE ".stray-"), strays);
        /* As if it had ended before they were put aside. */
        assert_int_equal(segment_files_move(stored.dir, STRAY, STORE_FILE), 0);
        assert_int_equal(stored_look().told, 3 + 4 + 5 + 6 + 7);
        assert_int_equal(dir_count(stored.dir, STORE_FILE ".stray-"),
                         (rolls >> 3 & 1) + !(rolls >> 2 & 1));
    }
}

static enum err
pass_over(void *ctx, const struct journal_entry *entry)
{
    (void)ctx;
    (void)entry;
    return OK;
}

/* As bits. */
static unsigned
segments_there(void)
{
    struct buf list = {0};
    unsigned there = 0;

    assert_int_equal(segment_files_list(stored.dir, STORE_FILE, &list), OK);
    for (size_t i = 0; i < list.len / sizeof(uint64_t); i++)
        there |= 1U << ((const uint64_t *)(const void *)list.ptr)[i];
    buf_fini(&list);
    return there;
}

static void
remove_segments(unsigned which)
{
    for (uint64_t number = 0; number < 32; number++) {
        if (which >> number & 1)
            assert_int_equal(
                segment_file_remove(stored.dir, STORE_FILE, number), OK);
    }
}

/* The power goes with operation |at| of the start that cuts the journal, or
 * after it: false. */
static bool
cut_and_lose_power(enum store_sync sync, uint64_t at, uint64_t seed)
{
    fault_vfs_record();
    fault_vfs_seed(seed);
    struct store *st = stored_open_as(sync);
    fault_vfs_heal();
    fault_vfs_die_at(at);
    enum err err = store_each_journal(st, pass_over, NULL);
    bool died = fault_vfs_count() >= at;
    assert_true(died || !err);
    fault_vfs_die_at(1);
    store_close(st);
    fault_vfs_heal();
    unsigned there = segments_there();
    fault_vfs_lose_power(seed);
    if (seed / 128 % 2) /* what was renamed is, on the disk, too */
        remove_segments(segments_there() & ~there);
    return died;
}

/* Nothing but the journal has what came before, until it is flushed. */
static void
what_came_before_is_there_wherever_the_power_goes(void **state)
{
    static const enum store_sync syncs[] = {STORE_SYNC_FULL, STORE_SYNC_OS};
    struct seeds seeds = size_seeds(320, 5000, 20000);
    uint64_t whole = 0;

    (void)state;
    for (uint64_t seed = seeds.first; seed <= seeds.last; seed++) {
        enum store_sync sync = syncs[seed % 2];
        stored_empty();
        go_back(2 * (seed / 2 % 8));
        whole += !cut_and_lose_power(sync, 1 + seed / 16 % 8, seed);
        for (int start = 0; start < 2; start++) {
            struct store *st = stored_open_as(sync);
            struct stored_journal seen = stored_journal(st);
            assert_is_cut(&seen);
            store_close(st);
        }
        fault_vfs_lose_power(0);
    }
    assert_true(size_is_one() || (whole > 0 && whole < seeds.last));
}

/* A journal that has rows up to 4 is not gone on with at 3, if these were
 * covered. */
static void
numbers_that_were_covered_do_not_come_again(void **state)
{
    (void)state;
    go_back(0);
    stored_tell("INSERT OR REPLACE INTO meta VALUES ('covered_seq', 9)");
    struct store *st = stored_open();
    struct stored_journal seen = stored_journal(st);
    assert_int_equal(seen.rows, 3);
    assert_int_equal(seen.told, 3 + 4 + 5 + 6);
    assert_int_equal(seen.last, 10); /* what is lost does count */
    assert_int_equal(stored_append_of(st, 1, 1), 11);
    store_close(st);
    assert_int_equal(stored_look().last, 11);
}

/* The journal has three rows, and what is stored covers nine. */
static void
a_segment_has_no_gap(void **state)
{
    (void)state;
    append_some();
    stored_tell("INSERT OR REPLACE INTO meta VALUES ('covered_seq', 9)");
    struct store *st = stored_open();
    assert_int_equal(stored_append_of(st, 0, 1), 10);
    assert_int_equal(stored_append_of(st, 0, 1), 11);
    assert_int_equal(dir_count(stored.dir, STORE_FILE "-seg"), 2);
    store_close(st);
    struct stored_journal seen = stored_look();
    assert_int_equal(seen.rows, 5 + 1);
    assert_int_equal(seen.damaged, 1); /* what is missing is said */
    assert_int_equal(seen.last, 11);
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        STORED_TEST(the_journal_of_another_database_is_put_aside),
        STORED_TEST(what_follows_a_file_that_was_removed_is_kept),
        STORED_TEST(what_is_not_ours_is_not_removed_for_its_number),
        STORED_TEST(what_is_ours_is_removed_for_its_number),
        STORED_TEST(the_journal_ends_where_the_database_is_older),
        STORED_TEST(what_came_before_is_there_wherever_the_power_goes),
        STORED_TEST(numbers_that_were_covered_do_not_come_again),
        STORED_TEST(a_segment_has_no_gap),
    };

    size_args(argc, argv);
    fault_vfs_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
