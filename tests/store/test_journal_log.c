/*
 * The files of the journal, through the store that has them: what is torn, what
 * is damaged, what is not ours, what was refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sqlite3.h>

#include "store/journal_log.h"
#include "store/journal_rows.h"
#include "tests/support/dir.h"
#include "tests/support/fault_vfs.h"
#include "tests/support/size.h"
#include "tests/support/stored.h"

#define SEGMENT(n) STORE_FILE "-seg" #n

enum { GROUPS = 3 };
enum { HEAD = 48, ROW = 32, HASH = 8 }; /* bytes of a group, but for its rows */

/* Groups of one, two and three rows of some stubs, |ends| behind each; digests
 * are the seqs. */
static void
append_groups(size_t ends[GROUPS])
{
    struct store *st = stored_open();
    uint64_t seq = 0;

    for (uint32_t rows = 1; rows <= GROUPS; rows++) {
        for (uint32_t i = 0; i < rows; i++) {
            struct stub_batch batch = stored_batch(2, STORED_NOW);
            struct digest128 digest = {seq + 1, seq + 1};
            assert_int_equal(store_append_journal(st, &batch, digest, &seq),
                             OK);
            free(batch.stubs);
        }
        assert_int_equal(store_commit_journal(st), OK);
        struct stored_bytes bytes = stored_read(SEGMENT(1));
        ends[rows - 1] = bytes.len;
        free(bytes.ptr);
    }
    assert_int_equal(seq, 6);
    store_close(st);
}

static bool
is_end(size_t at, const size_t ends[GROUPS])
{
    for (int i = 0; i < GROUPS; i++) {
        if (ends[i] == at)
            return true;
    }
    return false;
}

static void
rows_come_back_and_go_on_in_the_same_file(void **state)
{
    size_t ends[GROUPS];

    (void)state;
    append_groups(ends);
    struct stored_journal seen = stored_look();
    assert_int_equal(seen.rows, 6);
    assert_int_equal(seen.stubs, 12);
    assert_int_equal(seen.digests, 1 + 2 + 3 + 4 + 5 + 6);
    struct store *st = stored_open();
    assert_int_equal(stored_append(st, 1, STORED_NOW, 9), 7);
    assert_int_equal(dir_count(stored.dir, STORE_FILE "-seg"), 1);
    store_close(st);
    assert_int_equal(stored_look().rows, 7);
}

/* The database is as it was before the first group was there. */
static void
forget_file(void)
{
    stored_tell("DELETE FROM meta WHERE key = 'journal_at'");
}

/* Cut anywhere, whole groups are left, nothing is said to be damaged, and what
 * comes next is not confused with what was there. */
static void
a_torn_tail_was_never_there(void **state)
{
    size_t ends[GROUPS];

    append_groups(ends);
    struct stored_bytes whole = stored_read(SEGMENT(1));

    (void)state;
    for (size_t len = 0; len <= whole.len; len++) {
        stored_remove(SEGMENT(1));
        stored_remove(SEGMENT(2));
        stored_write(SEGMENT(1), whole.ptr, len);
        forget_file();
        struct stored_journal seen = stored_look();
        assert_int_equal(seen.damaged, 0);
        assert_true(seen.rows == 0 || seen.rows == 1 || seen.rows == 3 ||
                    seen.rows == 6);
        assert_int_equal(seen.rows == 6, len == whole.len);
        struct store *st = stored_open();
        assert_int_equal(stored_append(st, 2, STORED_NOW, 50), seen.rows + 1);
        /* Behind what is torn nothing is written: that may be damage. */
        assert_int_equal(dir_count(stored.dir, STORE_FILE "-seg"),
                         is_end(len, ends) ? 1 : 2);
        store_close(st);
        struct stored_journal after = stored_look();
        assert_int_equal(after.damaged, 0);
        assert_int_equal(after.rows, seen.rows + 1);
        assert_int_equal(after.digests, seen.digests + 50);
    }
    free(whole.ptr);
}

/* A group that failed left its rows, and of the one that was written in its
 * place all but the rows came to the disk. */
static void
rows_of_another_group_are_not_taken_for_its_own(void **state)
{
    enum { REST = ROW + HASH };
    struct stored_bytes was[2];

    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        struct store *st = stored_open();
        stored_append(st, 2, STORED_NOW + i, i + 1);
        store_close(st);
        was[i] = stored_read(SEGMENT(1));
        stored_remove(SEGMENT(1));
        forget_file();
    }
    assert_int_equal(was[0].len, was[1].len);
    memcpy(was[1].ptr + HEAD, was[0].ptr + HEAD, was[0].len - HEAD - REST);
    stored_write(SEGMENT(1), was[1].ptr, was[1].len);
    struct stored_journal seen = stored_look();
    assert_int_equal(seen.damaged, 1);
    assert_int_equal(seen.stubs, 0);
    assert_int_equal(seen.digests, 0);
    stored_write(SEGMENT(1), was[0].ptr, was[0].len);
    assert_int_equal(stored_look().digests, 1);
    free(was[0].ptr);
    free(was[1].ptr);
}

/* Whatever byte is damaged: what is passed is what was written, what follows is
 * found, and what is missing before it is said. */
static void
damage_is_said_and_what_follows_is_found(void **state)
{
    size_t ends[GROUPS];

    append_groups(ends);
    struct stored_bytes whole = stored_read(SEGMENT(1));
    int silent = 0;

    (void)state;
    for (size_t at = 0; at < whole.len; at++) {
        whole.ptr[at] ^= 0x20;
        stored_write(SEGMENT(1), whole.ptr, whole.len);
        struct stored_journal seen = stored_look();
        whole.ptr[at] ^= 0x20;
        if (dir_count(stored.dir, STORE_FILE ".stray") > 0)
            fail_msg("byte %zu makes it another's", at);
        if (seen.damaged == 0) {
            /* The last group is none: it may have been being written. */
            assert_int_equal(seen.rows, 3);
            assert_int_equal(seen.digests, 1 + 2 + 3);
            silent++;
        } else {
            assert_int_equal(seen.damaged, 1);
            assert_int_equal(seen.last, 6);
            assert_true(seen.stubs == 10 || seen.stubs == 8);
            assert_true(seen.digests < 1 + 2 + 3 + 4 + 5 + 6);
        }
    }
    assert_int_equal(silent, HEAD + 3 * ROW + HASH);
    free(whole.ptr);
}

static void
a_file_that_is_missing_is_said(void **state)
{
    static const struct journal_trim small = {.max_stubs = 0};
    bool more;

    (void)state;
    struct store *st = stored_open();
    for (uint64_t i = 1; i <= 4; i++) {
        stored_append(st, 3, STORED_NOW, i);
        assert_int_equal(store_trim_journal(st, &small, &more), OK);
    }
    store_close(st);
    stored_remove(SEGMENT(2));
    struct stored_journal seen = stored_look();
    assert_int_equal(seen.rows, 4);
    assert_int_equal(seen.damaged, 1);
    assert_int_equal(seen.digests, 1 + 3 + 4);
}

/* The last one too, from its first row on, though nothing was flushed yet; and
 * it goes on being said, whatever comes, until that is covered. */
static void
the_last_file_is_missed_from_its_first_row_on(void **state)
{
    struct store *st = stored_open();

    (void)state;
    stored_append(st, 3, STORED_NOW, 1);
    store_close(st);
    stored_remove(SEGMENT(1));
    for (int start = 0; start < 2; start++) {
        struct stored_journal seen = stored_look();
        assert_int_equal(seen.rows, 1);
        assert_int_equal(seen.damaged, 1);
        assert_int_equal(seen.told, 1);
        assert_int_equal(seen.last, 1);
    }
    st = stored_open();
    assert_int_equal(stored_append(st, 3, STORED_NOW, 2), 2);
    store_close(st);
    st = stored_open();
    struct stored_journal seen = stored_journal(st);
    assert_int_equal(seen.rows, 2);
    assert_int_equal(seen.damaged, 1);
    assert_int_equal(seen.digests, 2);
    assert_int_equal(store_begin(st), OK);
    assert_int_equal(store_put_covered(st, 1, STORED_NOW), OK);
    assert_int_equal(store_commit(st), OK);
    store_close(st);
    assert_int_equal(stored_look().damaged, 0);
}

/* So is one that was begun after another. */
static void
the_next_file_is_missed_too(void **state)
{
    struct store *st = stored_open();

    (void)state;
    stored_append(st, 3, STORED_NOW, 1);
    stored_roll(st);
    stored_append(st, 4, STORED_NOW, 2);
    store_close(st);
    stored_remove(SEGMENT(2));
    struct stored_journal seen = stored_look();
    assert_int_equal(seen.rows, 2);
    assert_int_equal(seen.damaged, 1);
    assert_int_equal(seen.stubs, 3);
    assert_int_equal(seen.last, 2);
}

/* Wherever the process ends: a file is missed only if it was there. */
static void
no_crash_looks_like_a_missing_file(void **state)
{
    bool was_whole = false;

    (void)state;
    for (uint64_t at = 1; !was_whole; at++) {
        stored_empty();
        fault_vfs_heal();
        struct store *st = stored_open();
        fault_vfs_heal();
        fault_vfs_die_at(at);
        bool acked = stored_try_append(st, 3, 1) == OK;
        was_whole = fault_vfs_count() < at;
        store_close(st);
        fault_vfs_heal();
        for (int start = 0; start < 2; start++) {
            struct stored_journal seen = stored_look();
            assert_int_equal(seen.damaged, 0);
            assert_true(seen.rows == 1 || !acked);
        }
        assert_true(at < 100);
    }
}

/* SQLite's file system cannot write or read all lengths at once. */
static void
groups_of_any_length_come_back(void **state)
{
    struct store *st = stored_open();
    uint64_t rows = 0, stubs = 0;

    (void)state;
    for (uint32_t len = 4600; len < 14000; len += 47) {
        stored_append(st, len, STORED_NOW, ++rows);
        stubs += len;
    }
    struct stored_journal seen = stored_journal(st);
    assert_int_equal(seen.rows, rows);
    assert_int_equal(seen.stubs, stubs);
    assert_int_equal(seen.damaged, 0);
    store_close(st);
}

/* One more group than fills a segment, one less. */
static void
a_segment_that_is_full_is_followed_by_another(void **state)
{
    struct store *st = stored_open();
    uint64_t rows = 0;
    int64_t empty = store_size_bytes(st);

    (void)state;
    while (store_size_bytes(st) - empty < JOURNAL_SEGMENT_BYTES) {
        assert_int_equal(dir_count(stored.dir, STORE_FILE "-seg"), rows > 0);
        stored_append(st, 40000, STORED_NOW, ++rows);
    }
    assert_int_equal(dir_count(stored.dir, STORE_FILE "-seg"), 1);
    stored_append(st, 1, STORED_NOW, ++rows);
    assert_int_equal(dir_count(stored.dir, STORE_FILE "-seg"), 2);
    store_close(st);
    assert_int_equal(stored_look().rows, rows);
}

/* ---- a disk that fails, and one that loses power ---- */

enum { ROWS_MAX = 40 };

static int times[ROWS_MAX];
static int damaged; /* one whose write was torn, perhaps */

static enum err
note_row(void *ctx, const struct journal_entry *entry)
{
    (void)ctx;
    if (entry->damaged) {
        damaged++;
        return OK;
    }
    assert_int_equal(entry->batch.stub_len, 3 + entry->digest.hi % 5);
    times[entry->digest.hi]++;
    return OK;
}

/* Rows are sent until they are acknowledged, the disk fails now and then, and
 * then the power goes: each is there once, and the last, if it was refused, at
 * most once. */
static void
each_acknowledged_row_is_there_once_whatever_failed(void **state)
{
    static const int codes[] = {SQLITE_IOERR_WRITE, SQLITE_FULL,
                                SQLITE_IOERR_FSYNC};
    struct seeds seeds = size_seeds(300, 5000, 20000);

    (void)state;
    for (uint64_t seed = seeds.first; seed <= seeds.last; seed++) {
        uint64_t random = seed * 77 + 1;
        stored_empty();
        fault_vfs_heal();
        fault_vfs_record();
        fault_vfs_seed(seed);
        struct store *st = stored_open();
        uint32_t id = 1;
        uint32_t last = 5 + (uint32_t)(size_roll(&random) % 30);
        for (bool acked = true; id < last; id += acked) {
            fault_vfs_heal();
            if (size_roll(&random) % 3 == 0)
                fault_vfs_fail_at(1 + size_roll(&random) % 4,
                                  codes[size_roll(&random) % 3],
                                  size_roll(&random) % 2);
            acked = stored_try_append(st, 3 + id % 5, id) == OK;
        }
        if (size_roll(&random) % 2) /* one more, of which nothing is known */
            (void)stored_try_append(st, 3 + id % 5, id);
        fault_vfs_die_at(1);
        store_close(st);
        fault_vfs_heal();
        if (size_roll(&random) % 4)
            fault_vfs_lose_power(seed);
        for (int start = 0; start < 2; start++) {
            st = stored_open();
            memset(times, 0, sizeof(times));
            damaged = 0;
            assert_int_equal(store_each_journal(st, note_row, NULL), OK);
            for (uint32_t i = 1; i < id; i++) {
                if (times[i] != 1)
                    fail_msg("SEED=%lu: row %u is there %d times", seed, i,
                             times[i]);
            }
            assert_true(times[id] + damaged <= 1);
            store_close(st);
        }
        fault_vfs_lose_power(0);
    }
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        STORED_TEST(rows_come_back_and_go_on_in_the_same_file),
        STORED_TEST(a_torn_tail_was_never_there),
        STORED_TEST(rows_of_another_group_are_not_taken_for_its_own),
        STORED_TEST(damage_is_said_and_what_follows_is_found),
        STORED_TEST(a_file_that_is_missing_is_said),
        STORED_TEST(the_last_file_is_missed_from_its_first_row_on),
        STORED_TEST(the_next_file_is_missed_too),
        STORED_TEST(no_crash_looks_like_a_missing_file),
        STORED_TEST(groups_of_any_length_come_back),
        STORED_TEST(a_segment_that_is_full_is_followed_by_another),
        STORED_TEST(each_acknowledged_row_is_there_once_whatever_failed),
    };

    size_args(argc, argv);
    fault_vfs_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
