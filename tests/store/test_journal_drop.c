/*
 * Segments of the journal that are dropped, while the disk fails: what comes
 * after what was dropped stays.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include <sqlite3.h>

#include "store/journal_rows.h"
#include "tests/support/dir.h"
#include "tests/support/fault_vfs.h"
#include "tests/support/size.h"
#include "tests/support/stored.h"

/* All is covered and old; the digests are young. */
static const struct journal_trim all = {
    .before_ns = STORED_NOW + 1,
    .digest_before_ns = STORED_NOW,
    .max_stubs = 100,
    .covered_seq = 1,
};

static enum err
trim(struct store *st)
{
    bool more = false;
    enum err err = store_begin(st);

    if (!err)
        err = store_trim_journal(st, &all, &more);
    if (!err)
        err = store_commit(st);
    if (err)
        store_rollback(st);
    return err;
}

static void
cover_first_row(struct store *st)
{
    assert_int_equal(stored_append(st, 3, STORED_NOW, 1), 1);
    assert_int_equal(store_begin(st), OK);
    assert_int_equal(store_put_covered(st, 1, STORED_NOW), OK);
    assert_int_equal(store_commit(st), OK);
}

/* The only segment is said to be dead, and groups still come. */
static void
rows_behind_a_failing_trim_are_there_after_a_crash(void **state)
{
    static const int codes[] = {SQLITE_IOERR_WRITE, SQLITE_FULL,
                                SQLITE_IOERR_FSYNC};
    int failed = 0;

    (void)state;
    for (uint64_t seed = 0; seed < 24; seed++) {
        bool clean = false;
        for (uint64_t at = 1; !clean; at++) {
            stored_empty();
            fault_vfs_heal();
            fault_vfs_seed(seed);
            struct store *st = stored_open();
            cover_first_row(st);
            fault_vfs_heal();
            fault_vfs_fail_at(at, codes[seed % 3], seed % 2);
            enum err err = trim(st);
            clean = fault_vfs_count() < at;
            failed += err != OK;
            fault_vfs_heal();
            assert_int_equal(stored_append(st, 5, STORED_NOW + 2, 2), 2);
            fault_vfs_die_at(1);
            store_close(st);
            fault_vfs_heal();
            st = stored_open();
            struct stored_journal seen = stored_journal(st);
            if (seen.last != 2 || seen.stubs < 5 || seen.damaged > 0 ||
                seen.digests != 3)
                fail_msg("operation %lu, seed %lu: %lu stubs up to %lu", at,
                         seed, seen.stubs, seen.last);
            store_close(st);
        }
    }
    assert_true(failed > 0);
}

/* However few come: what is old does not wait for the file to be full. */
static void
a_segment_ends_once_its_first_row_is_old(void **state)
{
    struct store *st = stored_open();
    bool more;

    (void)state;
    stored_append(st, 1, STORED_NOW, 1);
    stored_append(st, 1, STORED_NOW + 10, 2);
    assert_int_equal(store_begin(st), OK);
    assert_int_equal(store_put_covered(st, 3, STORED_NOW), OK);
    assert_int_equal(store_commit(st), OK);
    for (uint64_t now = 0; now < 30; now += 10) {
        const struct journal_trim trim = {
            .before_ns = STORED_NOW + now, .max_stubs = 1000, .covered_seq = 3};
        do {
            assert_int_equal(store_begin(st), OK);
            assert_int_equal(store_trim_journal(st, &trim, &more), OK);
            assert_int_equal(store_commit(st), OK);
        } while (more);
        stored_append(st, 1, STORED_NOW + 10 + now, 4);
        struct stored_journal seen = stored_journal(st);
        /* All in one; then in another; then the first goes. */
        assert_int_equal(dir_count(stored.dir, STORE_FILE "-seg"),
                         now == 10 ? 2 : 1);
        assert_int_equal(seen.rows, now == 20 ? 2 : 3 + now / 10);
    }
    store_close(st);
}

/* ---- power ---- */

/* Two segments, of which the first is covered; the digests are 1 and 2. */
static void
fill_two(void)
{
    static const struct journal_trim small = {.max_stubs = 0};
    struct store *st = stored_open();
    bool more;

    stored_append(st, 3, STORED_NOW, 1);
    assert_int_equal(store_trim_journal(st, &small, &more), OK);
    stored_append(st, 3, STORED_NOW, 2);
    assert_int_equal(store_begin(st), OK);
    assert_int_equal(store_put_covered(st, 1, STORED_NOW), OK);
    assert_int_equal(store_commit(st), OK);
    store_close(st);
}

static void
drop_first_lazily(struct store *st)
{
    static const struct journal_trim one = {
        .digest_before_ns = STORED_NOW, .max_stubs = 1, .covered_seq = 1};
    bool more = true;

    while (more) {
        if (store_begin_lazily(st) || store_trim_journal(st, &one, &more) ||
            store_commit(st))
            break;
    }
}

static void
die(struct store *st)
{
    fault_vfs_die_at(1);
    store_close(st);
    fault_vfs_heal();
}

/* They are carried, and on the disk, before their file goes: in this process,
 * and in the next if this one ends with operation |at|. */
static void
digests_outlive_their_segment_whatever_loses_power(void **state)
{
    struct seeds seeds = size_seeds(400, 5000, 20000);

    (void)state;
    for (uint64_t seed = seeds.first; seed <= seeds.last; seed++) {
        enum store_sync sync = seed % 2 ? STORE_SYNC_FULL : STORE_SYNC_OS;
        stored_empty();
        fault_vfs_heal();
        fault_vfs_record();
        fault_vfs_seed(seed);
        fill_two();
        struct store *st = stored_open_as(sync);
        fault_vfs_heal();
        if (seed / 2 % 2)
            fault_vfs_die_at(1 + seed / 4 % 10);
        drop_first_lazily(st);
        die(st);
        if (seed / 2 % 2)
            die(stored_open_as(sync));
        fault_vfs_lose_power(seed);
        st = stored_open_as(sync);
        if (stored_journal(st).digests != 3)
            fail_msg("SEED=%lu: digests %lu", seed, stored_journal(st).digests);
        store_close(st);
        fault_vfs_lose_power(0);
    }
}

/* ---- a sector that cannot be read ---- */

static enum err
trim_four(struct store *st)
{
    static const struct journal_trim four = {
        .before_ns = STORED_NOW,
        .digest_before_ns = STORED_NOW,
        .max_stubs = 1,
        .covered_seq = 4,
    };
    bool more = true;
    enum err err = OK;

    while (more && !err) {
        if (!(err = store_begin(st)) &&
            !(err = store_put_covered(st, 4, STORED_NOW)) &&
            !(err = store_trim_journal(st, &four, &more)))
            err = store_commit(st);
    }
    return err;
}

/* Four groups in one segment, |ends| behind each, and one in the next. */
static void
fill_two_segments(int64_t *ends)
{
    static const struct journal_trim small = {.max_stubs = 0};
    struct store *st = stored_open();
    bool more;

    for (int i = 0; i < 4; i++) {
        stored_append(st, 1000, STORED_NOW, UINT64_C(1) << i);
        struct stored_bytes bytes = stored_read(STORE_FILE "-seg1");
        ends[i] = (int64_t)bytes.len;
        free(bytes.ptr);
    }
    assert_true(ends[3] - ends[2] > 4096);
    assert_int_equal(store_trim_journal(st, &small, &more), OK);
    stored_append(st, 1, STORED_NOW + 2, 16);
    store_close(st);
    assert_int_equal(dir_count(stored.dir, STORE_FILE "-seg"), 2);
}

/* Where it lies in the second group; the third may begin in its sector. */
static void
what_a_bad_sector_leaves_is_read_and_carried(void **state)
{
    (void)state;
    for (int in_index = 0; in_index < 2; in_index++) {
        int64_t ends[4];
        stored_empty();
        fault_vfs_heal();
        fill_two_segments(ends);
        fault_vfs_break("-seg1",
                        in_index ? ends[1] - 20 : (ends[0] + ends[1]) / 2, 1);
        struct store *st = stored_open();
        struct stored_journal seen = stored_journal(st);
        assert_int_equal(seen.damaged, 1);
        assert_int_equal(seen.last, 5);
        assert_true(seen.stubs == 3001 || (in_index && seen.stubs == 2001));
        assert_int_equal(seen.digests & ~UINT64_C(4), 25);
        assert_int_equal(trim_four(st), OK);
        assert_int_equal(dir_count(stored.dir, STORE_FILE "-seg"), 1);
        assert_int_equal(stored_journal(st).digests, seen.digests);
        store_close(st);
        fault_vfs_heal();
    }
}

/* At the end of all it may be what was acknowledged last. */
static void
a_bad_sector_at_the_end_is_no_torn_tail(void **state)
{
    struct store *st = stored_open();

    (void)state;
    stored_append(st, 3, STORED_NOW, 1);
    stored_append(st, 3, STORED_NOW, 2);
    store_close(st);
    struct stored_bytes bytes = stored_read(STORE_FILE "-seg1");
    free(bytes.ptr);
    fault_vfs_break("-seg1", (int64_t)bytes.len - 1, 1);
    buf_reset(&stored.why);
    assert_int_equal(
        store_open(&st, stored.dir, STORE_SYNC_FULL, STORED_NOW, &stored.why),
        ERR_STORE);
    fault_vfs_heal();
    st = stored_open();
    assert_int_equal(stored_journal(st).digests, 3);
    store_close(st);
}

/* ---- a start on a full disk ---- */

/* It reads what there is and refuses what is new, until there is room. */
static void
a_store_opens_on_a_full_disk_and_heals(void **state)
{
    struct store *st = stored_open();
    struct stub_batch batch = stored_batch(3, STORED_NOW);
    uint64_t seq = 0;

    (void)state;
    stored_fill(st);
    fault_vfs_die_at(1); /* its log is left as it is */
    store_close(st);
    fault_vfs_heal();
    fault_vfs_fill();
    st = stored_open();
    assert_int_equal(stored_journal(st).stubs, 40);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(
            store_append_journal(st, &batch, (struct digest128){1, 1}, &seq),
            OK);
        assert_int_equal(store_commit_journal(st), ERR_STORE);
    }
    fault_vfs_heal();
    assert_int_equal(stored_append(st, 3, STORED_NOW, 1), 2);
    store_close(st);
    assert_int_equal(stored_look().stubs, 43);
    free(batch.stubs);
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        STORED_TEST(a_segment_ends_once_its_first_row_is_old),
        STORED_TEST(digests_outlive_their_segment_whatever_loses_power),
        STORED_TEST(what_a_bad_sector_leaves_is_read_and_carried),
        STORED_TEST(a_bad_sector_at_the_end_is_no_torn_tail),
        STORED_TEST(rows_behind_a_failing_trim_are_there_after_a_crash),
        STORED_TEST(a_store_opens_on_a_full_disk_and_heals),
    };

    size_args(argc, argv);
    fault_vfs_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
