#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "tests/support/fault_vfs.h"
#include "tests/support/spooled.h"
#include "tests/support/stored.h"

/* ---- batches ---- */

static void
parts_gather_until_a_batch_is_large_or_old(void **state)
{
    struct spool_batch batch = {0};

    (void)state;
    assert_int_equal(spooled_put('a', 10, 400, SPOOLED_NOW), OK);
    assert_int_equal(spooled_put('b', 10, 600, SPOOLED_NOW),
                     OK); /* just fits */
    assert_string_equal(spooled_next(SPOOLED_NOW, false, &batch), "ab");
    assert_int_equal(batch.raw_len, 1000);
    assert_int_equal(batch.spans, 20);
    assert_true(batch.at_ns == SPOOLED_NOW);
    assert_int_equal(spooled_put('c', 10, 1, SPOOLED_NOW),
                     OK); /* a batch of its own now */
    assert_string_equal(spooled_next(SPOOLED_NOW, false, &batch), "ab");
    assert_int_equal(spool_drop(spooled.spool, batch.id), OK);
    assert_string_equal(spooled_next(SPOOLED_NOW + NS_PER_S - 1, false, &batch),
                        "");
    assert_true(spool_get_stats(spooled.spool).due_ns ==
                SPOOLED_NOW + NS_PER_S);
    assert_string_equal(spooled_next(SPOOLED_NOW + NS_PER_S, false, &batch),
                        "c");
    assert_int_equal(spool_drop(spooled.spool, batch.id), OK);
    assert_int_equal(spooled_put('d', 10, 1001, SPOOLED_NOW),
                     OK); /* large by itself */
    assert_string_equal(spooled_next(SPOOLED_NOW, false, &batch), "d");
    assert_int_equal(spool_drop(spooled.spool, batch.id), OK);
    assert_int_equal(spooled_put('e', 10, 1, SPOOLED_NOW), OK);
    assert_string_equal(spooled_next(SPOOLED_NOW, true, &batch),
                        "e"); /* the last */
    assert_int_equal(spool_drop(spooled.spool, batch.id), OK);
    assert_string_equal(spooled_next(SPOOLED_NOW + 9 * NS_PER_S, true, &batch),
                        "");
    assert_int_equal(spool_get_stats(spooled.spool).bytes, 0);
    assert_int_equal(spool_get_stats(spooled.spool).batches, 0);
    assert_true(spool_get_stats(spooled.spool).oldest_ns == 0);
    buf_fini(&batch.bytes);
}

/* A clock that was set back does not hold up what waits. */
static void
a_batch_from_the_future_is_old_enough(void **state)
{
    struct spool_batch batch = {0};

    (void)state;
    assert_int_equal(spooled_put('a', 10, 1, SPOOLED_NOW), OK);
    assert_string_equal(spooled_next(SPOOLED_NOW - 1, false, &batch), "a");
    buf_fini(&batch.bytes);
}

static void
a_batch_is_the_same_however_often_it_is_read(void **state)
{
    struct spool_batch batch = {0};
    struct buf first = {0};

    (void)state;
    assert_int_equal(spooled_put('a', 10, 1, SPOOLED_NOW), OK);
    assert_int_equal(spooled_put('b', 20, 1, SPOOLED_NOW), OK);
    assert_string_equal(spooled_next(SPOOLED_NOW + NS_PER_S, false, &batch),
                        "ab");
    buf_add(&first, buf_str(&batch.bytes));
    /* What comes now does not belong to it, nor what an heir is given. */
    assert_int_equal(spooled_put('c', 10, 1, SPOOLED_NOW), OK);
    assert_string_equal(spooled_next(SPOOLED_NOW, true, &batch), "ab");
    spooled_reopen(SPOOLED_NOW);
    assert_int_equal(spooled_put('d', 10, 1, SPOOLED_NOW), OK);
    assert_string_equal(spooled_next(SPOOLED_NOW, true, &batch), "ab");
    assert_true(str_eq(buf_str(&first), buf_str(&batch.bytes)));
    assert_int_equal(spool_get_stats(spooled.spool).batches, 3);
    assert_int_equal(spool_get_stats(spooled.spool).bytes, 50);
    assert_int_equal(spool_drop(spooled.spool, batch.id), OK);
    assert_string_equal(spooled_next(SPOOLED_NOW, true, &batch), "c");
    assert_int_equal(spool_drop(spooled.spool, batch.id), OK);
    assert_string_equal(spooled_next(SPOOLED_NOW, true, &batch), "d");
    buf_fini(&batch.bytes);
    buf_fini(&first);
}

static void
the_limit_holds_to_the_byte(void **state)
{
    struct spool_batch batch = {0};

    (void)state;
    assert_int_equal(spooled_put('a', SPOOLED_MAX + 1, 1, SPOOLED_NOW),
                     ERR_TOO_LARGE);
    assert_int_equal(spooled_put('b', SPOOLED_MAX - 10, 1, SPOOLED_NOW), OK);
    assert_int_equal(spooled_put('c', 11, 1, SPOOLED_NOW), ERR_FULL);
    assert_true(spool_has_room(spooled.spool, 10));
    assert_false(spool_has_room(spooled.spool, 11));
    assert_int_equal(spooled_put('d', 10, 1, SPOOLED_NOW), OK);
    assert_int_equal(spooled_put('e', 1, 1, SPOOLED_NOW), ERR_FULL);
    assert_false(spool_has_room(spooled.spool, 1));
    assert_int_equal(spool_get_stats(spooled.spool).bytes, SPOOLED_MAX);
    spooled_reopen(SPOOLED_NOW);
    assert_int_equal(spooled_put('e', 1, 1, SPOOLED_NOW), ERR_FULL);
    assert_string_equal(spooled_next(SPOOLED_NOW, true, &batch), "bd");
    assert_int_equal(spool_drop(spooled.spool, batch.id), OK);
    assert_int_equal(spooled_put('f', SPOOLED_MAX, 1, SPOOLED_NOW), OK);
    buf_fini(&batch.bytes);
}

static void
a_transaction_that_is_given_up_leaves_nothing(void **state)
{
    struct spool_batch batch = {0};
    bool is_fresh;

    (void)state;
    assert_int_equal(spooled_put('a', 10, 1, SPOOLED_NOW), OK);
    assert_int_equal(spool_begin(spooled.spool), OK);
    assert_int_equal(spool_note(spooled.spool, (struct digest128){7, 7},
                                SPOOLED_NOW, &is_fresh),
                     OK);
    uint64_t lost;
    assert_int_equal(
        spool_put(spooled.spool, STR("bbb"), 1, 1, SPOOLED_NOW, &lost), OK);
    spool_rollback(spooled.spool);
    assert_int_equal(spool_get_stats(spooled.spool).bytes, 10);
    assert_int_equal(spool_get_stats(spooled.spool).batches, 1);
    assert_true(spooled_is_new(7, SPOOLED_NOW));
    assert_string_equal(spooled_next(SPOOLED_NOW, true, &batch), "a");
    buf_fini(&batch.bytes);
}

static void
a_spool_that_was_removed_takes_nothing(void **state)
{
    char path[128];
    char away[128];

    (void)state;
    snprintf(path, sizeof(path), "%s/" SPOOL_FILE, spooled.dir);
    snprintf(away, sizeof(away), "%s/away", spooled.dir);
    assert_int_equal(spooled_put('a', 10, 1, SPOOLED_NOW), OK);
    assert_int_equal(rename(path, away), 0);
    assert_int_equal(spool_begin(spooled.spool), ERR_STORE);
    spool_rollback(spooled.spool);
    assert_int_equal(rename(away, path), 0);
    assert_int_equal(spooled_put('b', 10, 1, SPOOLED_NOW), OK);
}

/* ---- what came before ---- */

static void
a_request_is_known_for_fifteen_minutes(void **state)
{
    (void)state;
    assert_true(spooled_is_new(1, SPOOLED_NOW));
    assert_false(spooled_is_new(1, SPOOLED_NOW));
    spooled_reopen(SPOOLED_NOW);
    assert_false(spooled_is_new(1, SPOOLED_NOW + SPOOL_SEEN_NS));
    assert_true(spooled_is_new(1, SPOOLED_NOW + SPOOL_SEEN_NS + 1));
    assert_false(
        spooled_is_new(1, SPOOLED_NOW + SPOOL_SEEN_NS + 2)); /* known anew */
    assert_true(spooled_is_new(2, SPOOLED_NOW));
}

static void
what_was_known_is_forgotten(void **state)
{
    (void)state;
    for (uint64_t i = 1; i <= 100; i++)
        assert_true(spooled_is_new(i, SPOOLED_NOW));
    for (uint64_t i = 1; i <= 40; i++)
        assert_true(spooled_is_new(1000 + i, SPOOLED_NOW + 2 * SPOOL_SEEN_NS));
    assert_int_equal(stored_ask_of(spooled.path, "SELECT count(*) FROM seen"),
                     40);
}

static void
no_more_are_known_than_the_limit(void **state)
{
    bool is_fresh;

    (void)state;
    assert_int_equal(spool_begin(spooled.spool), OK);
    for (uint64_t i = 1; i <= SPOOL_SEEN_MAX + 1; i++)
        assert_int_equal(spool_note(spooled.spool, (struct digest128){i, i},
                                    SPOOLED_NOW, &is_fresh),
                         OK);
    assert_int_equal(spool_commit(spooled.spool), OK);
    assert_int_equal(stored_ask_of(spooled.path, "SELECT count(*) FROM seen"),
                     SPOOL_SEEN_MAX);
    assert_false(spooled_is_new(2, SPOOLED_NOW));
    assert_true(spooled_is_new(1, SPOOLED_NOW)); /* the oldest had to go */
}

/* ---- what nobody takes ---- */

static void
what_is_set_aside_is_out_of_the_way_and_comes_back(void **state)
{
    struct spool_batch batch = {0};
    uint64_t back = 0;

    (void)state;
    assert_int_equal(spooled_put('a', 10, SPOOLED_BATCH, SPOOLED_NOW), OK);
    assert_int_equal(spooled_put('b', 10, SPOOLED_BATCH, SPOOLED_NOW), OK);
    assert_string_equal(spooled_next(SPOOLED_NOW, true, &batch), "a");
    assert_int_equal(spool_set_aside(spooled.spool, batch.id), OK);
    assert_int_equal(spool_get_stats(spooled.spool).bytes, 10);
    assert_int_equal(spool_get_stats(spooled.spool).aside_bytes, 10);
    assert_string_equal(spooled_next(SPOOLED_NOW, true, &batch), "b");
    spooled_reopen(SPOOLED_NOW);
    assert_int_equal(spool_get_stats(spooled.spool).aside_bytes, 10);
    assert_int_equal(spooled_put('c', 10, 1, SPOOLED_NOW), OK);
    assert_int_equal(spool_take_back(spooled.spool, &back), OK);
    assert_int_equal(back, 1);
    assert_int_equal(spool_get_stats(spooled.spool).aside_bytes, 0);
    assert_int_equal(spool_get_stats(spooled.spool).bytes, 30);
    assert_string_equal(spooled_next(SPOOLED_NOW, true, &batch), "a");
    assert_int_equal(spool_take_back(spooled.spool, &back), OK);
    assert_int_equal(back, 0);
    buf_fini(&batch.bytes);
}

static void
what_is_set_aside_makes_room_the_oldest_first(void **state)
{
    struct spool_batch batch = {0};
    uint64_t back;

    (void)state;
    for (char name = 'a'; name < 'd'; name++) {
        assert_int_equal(
            spooled_put(name, SPOOLED_MAX / 4, SPOOLED_BATCH, SPOOLED_NOW), OK);
        assert_int_equal(spool_next(spooled.spool, SPOOLED_NOW, true, &batch),
                         OK);
        assert_int_equal(spool_set_aside(spooled.spool, batch.id), OK);
    }
    assert_int_equal(
        spooled_put('e', SPOOLED_MAX / 4, SPOOLED_BATCH, SPOOLED_NOW),
        OK); /* just fits */
    assert_int_equal(spooled.lost, 0);
    assert_int_equal(spool_get_stats(spooled.spool).aside_bytes,
                     SPOOLED_MAX / 4 * 3);
    assert_int_equal(spooled_put('f', 1, SPOOLED_BATCH, SPOOLED_NOW), OK);
    assert_int_equal(spooled.lost, 10); /* a */
    assert_int_equal(spool_get_stats(spooled.spool).aside_bytes,
                     SPOOLED_MAX / 4 * 2);
    spooled_reopen(SPOOLED_NOW);
    assert_int_equal(
        spooled_put('g', SPOOLED_MAX / 2 - 1, SPOOLED_BATCH, SPOOLED_NOW), OK);
    assert_int_equal(spooled.lost, 20); /* b */
    assert_int_equal(spool_take_back(spooled.spool, &back), OK);
    assert_int_equal(back, 1);
    assert_true(spool_get_stats(spooled.spool).bytes <= SPOOLED_MAX);
    assert_string_equal(spooled_next(SPOOLED_NOW, true, &batch), "c");
    assert_int_equal(
        spooled_put('h', SPOOLED_MAX / 2, SPOOLED_BATCH, SPOOLED_NOW),
        ERR_FULL);
    assert_int_equal(spooled.lost, 20);
    buf_fini(&batch.bytes);
}

/* What a transaction that fails would have dropped stays. */
static void
a_transaction_that_is_given_up_drops_nothing(void **state)
{
    struct spool_batch batch = {0};
    uint64_t lost;

    (void)state;
    assert_int_equal(spooled_put('a', SPOOLED_MAX, SPOOLED_BATCH, SPOOLED_NOW),
                     OK);
    assert_int_equal(spool_next(spooled.spool, SPOOLED_NOW, true, &batch), OK);
    assert_int_equal(spool_set_aside(spooled.spool, batch.id), OK);
    assert_int_equal(spool_begin(spooled.spool), OK);
    assert_int_equal(
        spool_put(spooled.spool, STR("b"), 1, 1, SPOOLED_NOW, &lost), OK);
    assert_int_equal(lost, 10);
    spool_rollback(spooled.spool);
    assert_int_equal(spool_get_stats(spooled.spool).aside_bytes, SPOOLED_MAX);
    assert_int_equal(stored_ask_of(spooled.path, "SELECT count(*) FROM aside"),
                     1);
    buf_fini(&batch.bytes);
}

static void
a_spool_has_one_owner(void **state)
{
    struct spool *other = NULL;

    (void)state;
    assert_int_equal(spool_open(&other, spooled.dir, &spooled_cfg, SPOOLED_NOW,
                                &spooled.why),
                     ERR_BUSY);
    assert_null(other);
}

/* What is forgotten makes room for what comes, and the log is cut. */
static void
the_files_do_not_grow(void **state)
{
    struct spool_batch batch = {0};
    struct stat info;
    char wal[160];

    (void)state;
    for (int i = 0; i < 4000; i++) {
        assert_int_equal(
            spooled_put('a', SPOOLED_MAX, SPOOLED_BATCH, SPOOLED_NOW), OK);
        assert_int_equal(spool_next(spooled.spool, SPOOLED_NOW, true, &batch),
                         OK);
        assert_int_equal(spool_drop(spooled.spool, batch.id), OK);
    }
    assert_int_equal(stat(spooled.path, &info), 0);
    assert_true(info.st_size < 200 << 10);
    (void)snprintf(wal, sizeof(wal), "%s-wal", spooled.path);
    assert_int_equal(stat(wal, &info), 0);
    assert_true(info.st_size < 8 << 20);
    buf_fini(&batch.bytes);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        SPOOLED_TEST(parts_gather_until_a_batch_is_large_or_old),
        SPOOLED_TEST(a_batch_from_the_future_is_old_enough),
        SPOOLED_TEST(a_batch_is_the_same_however_often_it_is_read),
        SPOOLED_TEST(the_limit_holds_to_the_byte),
        SPOOLED_TEST(a_spool_that_was_removed_takes_nothing),
        SPOOLED_TEST(a_transaction_that_is_given_up_leaves_nothing),
        SPOOLED_TEST(a_request_is_known_for_fifteen_minutes),
        SPOOLED_TEST(what_was_known_is_forgotten),
        SPOOLED_TEST(no_more_are_known_than_the_limit),
        SPOOLED_TEST(what_is_set_aside_is_out_of_the_way_and_comes_back),
        SPOOLED_TEST(what_is_set_aside_makes_room_the_oldest_first),
        SPOOLED_TEST(a_transaction_that_is_given_up_drops_nothing),
        SPOOLED_TEST(a_spool_has_one_owner),
        SPOOLED_TEST(the_files_do_not_grow),
    };

    fault_vfs_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
