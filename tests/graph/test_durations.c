#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/hash.h"
#include "graph/durations.h"
#include "tests/support/fail_alloc.h"

enum {
    LOGS = 300,
    ADDED = 1000000,
    PUT_AWAY = DURATION_LINE_LEN / DURATIONS_RECENT * DURATIONS_RECENT,
    COUNT_LINES = SKETCH_BUCKETS / 8,
    CHAIN_MAX = COUNT_LINES * PUT_AWAY,
};

static struct durations pool;
static struct duration_log logs[LOGS];
static int64_t should[LOGS][SKETCH_BUCKETS];

static int
setup(void **state)
{
    (void)state;
    memset(&pool, 0, sizeof(pool));
    memset(logs, 0, sizeof(logs));
    memset(should, 0, sizeof(should));
    return 0;
}

static int
teardown(void **state)
{
    (void)state;
    durations_fini(&pool);
    return 0;
}

static void
add(uint32_t log, uint16_t bucket, int count)
{
    should[log][bucket] += count;
    assert_int_equal(durations_add(&pool, &logs[log], bucket, count), OK);
}

/* What was gathered is what the logs from |first| to |last| should hold. */
static void
expect_taken(uint32_t first, uint32_t last)
{
    const struct sketch_count *is;
    size_t len = durations_take(&pool, &is);
    size_t at = 0;

    for (uint16_t bucket = 0; bucket < SKETCH_BUCKETS; bucket++) {
        int64_t sum = 0;
        for (uint32_t log = first; log <= last; log++)
            sum += should[log][bucket];
        if (sum == 0)
            continue;
        assert_true(at < len);
        assert_int_equal(is[at].bucket, bucket);
        assert_int_equal(is[at++].count, sum);
    }
    assert_int_equal(at, len);
}

static void
expect_all(void)
{
    for (uint32_t log = 0; log < LOGS; log++) {
        durations_gather(&pool, &logs[log]);
        expect_taken(log, log);
    }
}

static void
counts_are_those_of_a_table_in_order_of_their_buckets(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < ADDED; i++) {
        uint64_t random = hash_mix(i, 99);
        /* Some logs see thousands, some a few. */
        uint32_t log = (uint32_t)(random >> 40) % LOGS;
        log = log * log / LOGS * log / LOGS;
        uint16_t bucket = (uint16_t)((random >> 16) % SKETCH_BUCKETS);
        add(log, bucket, random % 3 == 0 ? -1 : 1);
        if (i % 250000 == 7)
            expect_all(); /* and goes on */
    }
    expect_all();
    expect_all();
    for (uint32_t log = 10; log < 20; log++)
        durations_gather(&pool, &logs[log]);
    expect_taken(10, 19);
}

/* Where the last few are put away, where a line is full, and where counts take
 * the place of the lines. */
static void
no_step_of_a_log_loses_or_repeats(void **state)
{
    const uint32_t steps[] = {DURATIONS_RECENT, PUT_AWAY + DURATIONS_RECENT,
                              CHAIN_MAX + DURATIONS_RECENT,
                              CHAIN_MAX + 2 * DURATIONS_RECENT};

    (void)state;
    for (uint32_t i = 0; i < 4 * 5; i++) {
        for (uint32_t n = 0; n + 2 < steps[i / 5] + i % 5; n++)
            add(i, (uint16_t)(hash_mix(n, i) % SKETCH_BUCKETS), 1);
    }
    expect_all();
    for (int bucket = 0; bucket < SKETCH_BUCKETS; bucket++) {
        add(50, (uint16_t)bucket, 1);
        add(51, (uint16_t)bucket, -1);
    }
    expect_all();
}

static void
many_at_once_are_counted_too(void **state)
{
    (void)state;
    add(0, 3, 5);
    add(1, 3, 1);
    add(1, 703, INT32_MAX);
    add(1, 703, INT32_MAX);
    add(1, 0, INT32_MIN);
    add(1, 0, INT32_MIN);
    add(1, 3, -1);
    for (int i = 0; i < 10; i++)
        add(1, 8, 1);
    expect_all();
}

static void
what_is_taken_back_leaves_nothing(void **state)
{
    const struct sketch_count *is;

    (void)state;
    assert_int_equal(durations_take(&pool, &is), 0);
    for (uint32_t i = 0; i < 1000000; i++) {
        add(i % 7, (uint16_t)(i % SKETCH_BUCKETS), 1);
        add(i % 7, (uint16_t)(i % SKETCH_BUCKETS), -1);
    }
    for (uint32_t log = 0; log < 7; log++)
        durations_gather(&pool, &logs[log]);
    assert_int_equal(durations_take(&pool, &is), 0);
    /* Counts, not a list of all that came; and lines are used again. */
    assert_true(pool.len <= 7 * COUNT_LINES + 7 * COUNT_LINES);
}

static void
lines_that_became_counts_are_used_again(void **state)
{
    (void)state;
    for (uint32_t n = 0; n < CHAIN_MAX + 2 * DURATIONS_RECENT; n++)
        add(0, (uint16_t)(n % SKETCH_BUCKETS), 1);
    assert_int_equal(pool.len, COUNT_LINES + COUNT_LINES);
    for (uint32_t n = 0; n < CHAIN_MAX + DURATIONS_RECENT; n++)
        add(1, (uint16_t)(n % 11), -1);
    assert_int_equal(pool.len, COUNT_LINES + COUNT_LINES);
    expect_all();
}

static void
clearing_empties_the_logs_and_memory_that_was_hardly_used(void **state)
{
    (void)state;
    for (uint32_t log = 0; log < LOGS; log++) {
        for (int i = 0; i < 400; i++)
            add(log, 1, 1);
    }
    durations_clear(&pool);
    size_t cap = pool.cap;
    assert_true(cap > 2048);
    for (int round = 0; round < 2; round++) {
        assert_int_equal(pool.len, 0);
        memset(logs, 0, sizeof(logs));
        memset(should, 0, sizeof(should));
        for (uint32_t log = 0; log < cap / 64 - (uint32_t)round; log++) {
            for (int i = 0; i <= DURATIONS_RECENT; i++)
                add(log, 2, 1);
        }
        expect_all();
        durations_clear(&pool);
        assert_int_equal(pool.cap, round ? 0 : cap);
    }
}

/* And costs no more than the try: nothing is gone through again. */
static void
without_memory_nothing_is_counted_and_the_rest_stays(void **state)
{
    const uint32_t fails_at[] = {DURATIONS_RECENT, 64 * PUT_AWAY,
                                 CHAIN_MAX + DURATIONS_RECENT};

    (void)state;
    for (uint32_t log = 0; log < 3; log++) {
        uint32_t held = 0;
        durations_fini(&pool);
        memset(logs, 0, sizeof(logs));
        memset(should, 0, sizeof(should));
        for (; held < fails_at[log]; held++)
            add(log, (uint16_t)(held % 9), 1);
        /* Only what needs no memory still goes in. */
        fail_alloc_at(1, true);
        uint32_t lost = 0;
        for (int i = 0; i < 100000; i++) {
            enum err err = durations_add(&pool, &logs[log], 10, 1);
            should[log][10] += !err;
            lost += err == ERR_NOMEM;
        }
        assert_int_equal(durations_add(&pool, &logs[log], 1, 2), ERR_NOMEM);
        assert_true(fail_alloc_end());
        assert_true(lost > 99000);
        expect_all();
        add(log, 11, 1);
        add(log, 1, 2);
        expect_all();
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(counts_are_those_of_a_table_in_order_of_their_buckets),
        TEST(no_step_of_a_log_loses_or_repeats),
        TEST(many_at_once_are_counted_too),
        TEST(what_is_taken_back_leaves_nothing),
        TEST(lines_that_became_counts_are_used_again),
        TEST(clearing_empties_the_logs_and_memory_that_was_hardly_used),
        TEST(without_memory_nothing_is_counted_and_the_rest_stays),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
