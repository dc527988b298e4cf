/*
 * Rows of the journal: their numbers, what trimming drops and what it spares,
 * and one that is damaged.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "store/journal_rows.h"
#include "store/store.h"
#include "tests/support/dir.h"
#include "tests/support/fault_vfs.h"
#include "tests/support/stored.h"

static bool more; /* to be trimmed */

static void
trim_once(struct store *st, const struct journal_trim *trim)
{
    assert_int_equal(store_begin(st), OK);
    assert_int_equal(store_put_covered(st, trim->covered_seq, STORED_NOW + 2),
                     OK);
    assert_int_equal(store_trim_journal(st, trim, &more), OK);
    assert_int_equal(store_commit(st), OK);
}

static void
trim_all(struct store *st, const struct journal_trim *trim)
{
    do
        trim_once(st, trim);
    while (more);
}

/* Appends a row, and what follows goes into the next segment. */
static uint64_t
append_alone(struct store *st, uint32_t stubs, uint64_t received_ns,
             uint64_t digest)
{
    static const struct journal_trim small = {.max_stubs = 8};
    uint64_t seq = stored_append(st, stubs, received_ns, digest);

    trim_once(st, &small);
    return seq;
}

static void
journal_numbers_are_never_used_again(void **state)
{
    struct store *st = stored_open();

    (void)state;
    uint64_t first = stored_append(st, 3, STORED_NOW, 1);
    uint64_t second = stored_append(st, 0, STORED_NOW + 1, 0);
    assert_true(first >= 1 && second > first);
    assert_int_equal(store_put_covered(st, second, STORED_NOW + 2), OK);
    struct journal_trim all = {
        .before_ns = UINT64_MAX / 2, .max_stubs = 100, .covered_seq = second};
    trim_all(st, &all);
    assert_int_equal(stored_journal(st).rows, 0);
    assert_int_equal(dir_count(stored.dir, STORE_FILE "-seg"), 0);
    store_close(st);

    st = stored_open();
    assert_true(stored_append(st, 1, STORED_NOW, 2) > second);
    uint64_t seq = 0, ns = 0;
    assert_int_equal(store_get_covered(st, &seq, &ns), OK);
    assert_int_equal(seq, second);
    assert_int_equal(ns, STORED_NOW + 2);
    store_close(st);
}

static void
trimming_spares_what_is_young_or_not_covered(void **state)
{
    struct store *st = stored_open();
    uint64_t seq[10];

    (void)state;
    for (uint64_t i = 0; i < 10; i++)
        seq[i] = append_alone(st, 10, STORED_NOW + i, i + 1);
    assert_int_equal(dir_count(stored.dir, STORE_FILE "-seg"), 10);
    struct journal_trim trim = {.before_ns = STORED_NOW + 6,
                                .digest_before_ns = STORED_NOW + 6,
                                .max_stubs = 1000,
                                .covered_seq = seq[2]};
    trim_all(st, &trim);
    assert_int_equal(stored_journal(st).rows, 7); /* 0 to 2 are gone */
    trim.covered_seq = seq[9];
    trim_all(st, &trim);
    assert_int_equal(stored_journal(st).rows, 4); /* 6 to 9 are young */

    trim.before_ns = trim.digest_before_ns = STORED_NOW;
    trim.max_stubs = 25;
    trim_all(st, &trim);
    struct stored_journal seen = stored_journal(st);
    assert_int_equal(seen.rows, 4);
    assert_int_equal(seen.stubs, 30); /* 20 would be too few */
    trim.max_stubs = 20;
    trim_all(st, &trim);
    seen = stored_journal(st);
    assert_int_equal(seen.stubs, 20);
    assert_int_equal(seen.digests, 7 + 8 + 9 + 10);
    assert_int_equal(dir_count(stored.dir, STORE_FILE "-seg"), 2);
    store_close(st);

    st = stored_open(); /* the table's are not young for another reason */
    assert_int_equal(stored_journal(st).digests, 7 + 8 + 9 + 10);
    trim.digest_before_ns = STORED_NOW + 7;
    trim_all(st, &trim);
    assert_int_equal(stored_journal(st).rows, 3);
    store_close(st);
}

static int64_t
stubs_left(struct store *st, struct journal_trim *trim, uint64_t uncovered)
{
    trim->uncovered_stubs = uncovered;
    trim_all(st, trim);
    return (int64_t)stored_journal(st).stubs;
}

/* So many stubs are wanted before what is counted anew, and not with it. */
static void
what_is_not_covered_takes_nobodys_room(void **state)
{
    struct store *st = stored_open();
    uint64_t seq[6];

    (void)state;
    for (uint64_t i = 0; i < 6; i++)
        seq[i] = append_alone(st, 10, STORED_NOW + i, i + 1);
    struct journal_trim trim = {.max_stubs = 20, .covered_seq = seq[3]};
    assert_int_equal(stubs_left(st, &trim, 21), 50);
    assert_int_equal(stubs_left(st, &trim, 20), 40);
    store_close(st);
    stored_into_table();
    st = stored_open();
    assert_int_equal(stubs_left(st, &trim, 11), 40);
    assert_int_equal(stubs_left(st, &trim, 10), 30);
    store_close(st);
}

/* Both kinds at once: some in the table, as a backup has them. */
static void
a_trim_that_is_rolled_back_did_not_happen(void **state)
{
    struct store *st = stored_open();
    uint64_t last = 0;

    (void)state;
    for (uint64_t i = 0; i < 6; i++)
        (void)stored_append(st, 10, STORED_NOW + i, i + 1);
    store_close(st);
    stored_into_table();
    st = stored_open();
    for (uint64_t i = 6; i < 9; i++)
        last = append_alone(st, 10, STORED_NOW + i, i + 1);
    struct journal_trim trim = {.before_ns = STORED_NOW + 2,
                                .max_stubs = 45, /* 40 would be too few */
                                .covered_seq = last};
    for (int round = 0; round < 3; round++) {
        assert_int_equal(store_begin(st), OK);
        assert_int_equal(store_trim_journal(st, &trim, &more), OK);
        assert_int_equal(stored_journal(st).stubs, 50);
        store_rollback(st);
        assert_int_equal(stored_journal(st).stubs, 90);
    }
    trim_all(st, &trim);
    assert_int_equal(stored_journal(st).stubs, 50);
    assert_int_equal(stored_journal(st).rows, 7);

    trim.max_stubs = 10;
    for (int round = 0; round < 3; round++) {
        assert_int_equal(store_begin(st), OK);
        assert_int_equal(store_trim_journal(st, &trim, &more), OK);
        store_rollback(st);
        assert_int_equal(store_begin(st), OK); /* means nothing of it */
        assert_int_equal(store_commit(st), OK);
        assert_int_equal(stored_journal(st).stubs, 50);
        assert_int_equal(dir_count(stored.dir, STORE_FILE "-seg"), 3);
    }
    trim_all(st, &trim);
    assert_int_equal(stored_journal(st).stubs, 10);
    assert_int_equal(stored_journal(st).rows, 7);
    assert_int_equal(dir_count(stored.dir, STORE_FILE "-seg"), 1);
    store_close(st);
}

static void
a_trim_looks_at_so_many_rows_and_says_when_there_are_more(void **state)
{
    struct store *st = stored_open();
    struct journal_trim trim = {.before_ns = STORED_NOW + 1,
                                .digest_before_ns = STORED_NOW + 1,
                                .max_stubs = 1 << 20};

    (void)state;
    for (int i = 0; i < 2 * STORE_TRIM_ROWS + 1; i++)
        trim.covered_seq = stored_append(st, 1, STORED_NOW, 0);
    store_close(st);
    stored_into_table();
    st = stored_open();
    trim_once(st, &trim);
    assert_true(more);
    assert_int_equal(stored_journal(st).rows, STORE_TRIM_ROWS + 1);
    trim.covered_seq--; /* as many as it looks at, and they were all */
    trim_once(st, &trim);
    assert_true(more);
    assert_int_equal(stored_journal(st).rows, 1);
    trim.covered_seq++;
    trim_once(st, &trim);
    assert_false(more);
    assert_int_equal(stored_journal(st).rows, 0);

    /* Too many stubs: those are emptied in steps, too. */
    for (int i = 0; i < STORE_TRIM_ROWS + 9; i++)
        trim.covered_seq = stored_append(st, 1, STORED_NOW + 2, 7);
    store_close(st);
    stored_into_table();
    st = stored_open();
    trim.max_stubs = 0;
    trim_once(st, &trim);
    assert_true(more);
    assert_int_equal(stored_journal(st).stubs, 9);
    trim_once(st, &trim);
    assert_false(more);
    assert_int_equal(stored_journal(st).stubs, 0);
    assert_int_equal(stored_journal(st).rows, STORE_TRIM_ROWS + 9);
    store_close(st);
}

/* Until all are there it is the segment that counts, whatever happens. */
static void
digests_are_carried_in_steps_and_each_is_there_once(void **state)
{
    enum { ROWS = 2 * STORE_TRIM_ROWS + 5 };
    struct journal_trim trim = {.digest_before_ns = STORED_NOW, .max_stubs = 1};

    (void)state;
    for (int steps = 0; steps < 4; steps++) {
        stored_empty();
        struct store *st = stored_open();
        for (int i = 0; i < ROWS; i++)
            trim.covered_seq = stored_append(st, 1, STORED_NOW, 3);
        trim_once(st, &trim);
        assert_false(more); /* it is the only one */
        trim.covered_seq = stored_append(st, 1, STORED_NOW, 3);
        for (int i = 0; i < steps; i++) {
            trim_once(st, &trim);
            assert_true(more);
        }
        struct stored_journal seen = stored_journal(st);
        assert_int_equal(seen.rows, ROWS + 1);
        assert_int_equal(seen.digests, 3 * (ROWS + 1));
        assert_int_equal(seen.stubs, steps < 3 ? ROWS + 1 : 1);
        store_close(st);
        st = stored_open();
        seen = stored_journal(st);
        assert_int_equal(seen.rows, ROWS + 1);
        assert_int_equal(seen.stubs, steps < 3 ? ROWS + 1 : 1);
        trim_all(st, &trim);
        seen = stored_journal(st);
        assert_int_equal(seen.digests, 3 * (ROWS + 1));
        assert_int_equal(seen.stubs, 1);
        assert_int_equal(stored_ask("SELECT count(*) FROM main.journal"), ROWS);
        assert_int_equal(dir_count(stored.dir, STORE_FILE "-seg"), 1);
        store_close(st);
    }
}

static void
a_damaged_row_is_passed_as_such(void **state)
{
    struct store *st = stored_open();

    (void)state;
    for (uint64_t i = 0; i < 5; i++)
        stored_append(st, 2, STORED_NOW + i, i + 1);
    store_close(st);
    stored_into_table();
    stored_tell("UPDATE journal SET data = substr(data, 2) WHERE seq = 2;"
                "UPDATE journal SET stubs = 7 WHERE seq = 3;"
                "UPDATE journal SET received_ns = 1 WHERE seq = 4;"
                "UPDATE journal SET data = x'' WHERE seq = 5");
    st = stored_open();
    struct stored_journal seen = stored_journal(st);
    assert_int_equal(seen.rows, 5);
    assert_int_equal(seen.damaged, 4);
    assert_int_equal(seen.stubs, 2);
    store_close(st);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        STORED_TEST(journal_numbers_are_never_used_again),
        STORED_TEST(trimming_spares_what_is_young_or_not_covered),
        STORED_TEST(what_is_not_covered_takes_nobodys_room),
        STORED_TEST(a_trim_that_is_rolled_back_did_not_happen),
        STORED_TEST(a_trim_looks_at_so_many_rows_and_says_when_there_are_more),
        STORED_TEST(digests_are_carried_in_steps_and_each_is_there_once),
        STORED_TEST(a_damaged_row_is_passed_as_such),
    };

    fault_vfs_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
