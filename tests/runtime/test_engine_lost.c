/*
 * A row of the journal that was damaged before it was counted is lost.  Its
 * sender may come again, and is heard, whenever that is: the next flush covers
 * the row, but it was not counted.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "tests/support/dir.h"
#include "tests/support/fault_vfs.h"
#include "tests/support/traffic.h"

#define NOW STORED_NOW
#define S   NS_PER_S

enum {
    PAIRS = 10,
    LEN = 4, /* requests; the first brings a flush, and is covered */
    LOST = 2,
};

static long long ends[LEN + 1]; /* of the segment, behind each request */

static enum err
send(uint32_t number, uint64_t at_ns)
{
    return traffic_send(&traffic, number, PAIRS, TRAFFIC_BOTH, at_ns);
}

static long long
segment_bytes(void)
{
    char *name = stored_name(STORE_FILE "-seg1");
    struct stat st;

    assert_int_equal(stat(name, &st), 0);
    free(name);
    return st.st_size;
}

/* Each in a group of its own; then a crash. */
static void
send_all(void)
{
    traffic_open(&traffic, NOW);
    for (uint32_t n = 1; n <= LEN; n++) {
        assert_int_equal(send(n, NOW), OK);
        ends[n] = segment_bytes();
    }
    traffic_close(&traffic);
}

/* Changes a byte of the stubs of |number|, or changes it back. */
static void
damage(uint32_t number)
{
    enum { BEHIND_ROWS = 32 + 8 };
    struct stored_bytes bytes = stored_read(STORE_FILE "-seg1");

    bytes.ptr[ends[number] - BEHIND_ROWS - 20] ^= 1;
    stored_write(STORE_FILE "-seg1", bytes.ptr, bytes.len);
    free(bytes.ptr);
}

static void
start_and_flush(uint64_t at_ns)
{
    traffic_open(&traffic, at_ns);
    assert_int_equal(engine_finish(traffic.engine), OK);
    traffic_close(&traffic);
}

/* All of them come again, twice: each is in the edges, once. */
static void
expect_each_once(void)
{
    for (int round = 0; round < 2; round++) {
        traffic_open(&traffic, NOW + 10 * S);
        for (uint32_t n = 1; n <= LEN; n++)
            assert_int_equal(send(n, NOW + 10 * S), OK);
        assert_int_equal(engine_finish(traffic.engine), OK);
        traffic_close(&traffic);
        for (uint32_t n = 1; n <= LEN; n++) {
            assert_int_equal(traffic_stored(n), PAIRS);
            assert_int_equal(traffic_calls(n), PAIRS);
        }
    }
    assert_int_equal(stored_counter("requests"), LEN);
    assert_int_equal(traffic_loss("journal_damaged"), 2 * PAIRS);
}

static void
a_retry_counts_however_many_starts_later(void **state)
{
    (void)state;
    for (int starts = 0; starts < 4; starts++) {
        for (uint32_t number = LOST; number <= LEN; number++) {
            stored_empty();
            send_all();
            damage(number);
            for (int i = 0; i < starts; i++)
                start_and_flush(NOW + S);
            expect_each_once();
        }
    }
}

/* It is not counted then: what pairing knows of it are no duplicates. */
static void
so_it_does_if_the_row_can_be_read_again(void **state)
{
    (void)state;
    send_all();
    damage(LOST);
    start_and_flush(NOW + S);
    damage(LOST);
    expect_each_once();
}

/* What is known of it goes with the segment, into the table. */
static void
so_it_does_when_its_segment_was_dropped(void **state)
{
    (void)state;
    send_all();
    damage(LOST);
    start_and_flush(NOW + S);
    traffic.cfg.pair.max_spans = 2 * PAIRS;
    for (uint32_t i = 0; i < 2; i++) {
        traffic_open(&traffic, NOW + 2 * S);
        for (uint32_t n = 0; n < 4; n++)
            assert_int_equal(send(100 + 4 * i + n, NOW + (2 + n) * S), OK);
        assert_int_equal(engine_finish(traffic.engine), OK);
        traffic_close(&traffic);
    }
    assert_int_equal(dir_count(stored.dir, STORE_FILE "-seg1"), 0);
    traffic_open(&traffic, NOW + 10 * S);
    for (uint32_t n = 1; n <= LEN; n++)
        assert_int_equal(send(n, NOW + 10 * S), OK);
    assert_int_equal(engine_finish(traffic.engine), OK);
    for (uint32_t n = 1; n <= LEN; n++)
        assert_int_equal(traffic_stored(n), PAIRS);
    assert_int_equal(stored_counter("requests"), LEN + 8);
}

static void
so_it_does_for_a_row_of_the_table(void **state)
{
    (void)state;
    send_all();
    stored_into_table();
    stored_tell("UPDATE journal SET data = x'00' WHERE seq = 2");
    for (int i = 0; i < 2; i++)
        start_and_flush(NOW + S);
    expect_each_once();
}

static void
so_it_does_whatever_the_disk_refuses_meanwhile(void **state)
{
    bool failed = true;

    (void)state;
    for (uint64_t at = 1; failed; at++) {
        stored_empty();
        send_all();
        damage(LOST);
        traffic_open(&traffic, NOW + S);
        fault_vfs_fail_at(fault_vfs_count() + at,
                          at % 2 ? SQLITE_FULL : SQLITE_IOERR_WRITE, true);
        failed = engine_finish(traffic.engine) != OK;
        if (at % 3 == 0)
            traffic_close(&traffic);
        fault_vfs_heal();
        if (at % 3 == 1)
            assert_int_equal(engine_finish(traffic.engine), OK);
        traffic_close(&traffic);
        start_and_flush(NOW + 2 * S);
        expect_each_once();
        assert_true(at < 1000);
    }
}

/* Who sends again what it had is heard, and what it may have had beside is in
 * the losses, once. */
static void
a_file_that_is_missing_is_in_the_losses(void **state)
{
    (void)state;
    send_all();
    stored_remove(STORE_FILE "-seg1");
    for (int i = 0; i < 3; i++)
        start_and_flush(NOW + S);
    assert_int_equal(traffic_loss("journal_damaged"), 1);
    traffic_open(&traffic, NOW + 2 * S);
    assert_int_equal(send(LOST, NOW + 2 * S), OK);
    traffic_close(&traffic);
    start_and_flush(NOW + 3 * S);
    assert_int_equal(traffic_stored(LOST), PAIRS);
    assert_int_equal(traffic_loss("journal_damaged"), 1);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TRAFFIC_TEST(a_retry_counts_however_many_starts_later),
        TRAFFIC_TEST(so_it_does_if_the_row_can_be_read_again),
        TRAFFIC_TEST(so_it_does_when_its_segment_was_dropped),
        TRAFFIC_TEST(so_it_does_for_a_row_of_the_table),
        TRAFFIC_TEST(so_it_does_whatever_the_disk_refuses_meanwhile),
        TRAFFIC_TEST(a_file_that_is_missing_is_in_the_losses),
    };

    fault_vfs_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
