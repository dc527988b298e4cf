#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/hash.h"
#include "graph/durations.h"

enum { EDGES = 3000, DAYS = 2, BUCKETS = 5, ADDED = 200000 };

static int64_t should[EDGES][DAYS][BUCKETS];

static void
expect_all(struct durations *durations)
{
    const struct duration_count *is;
    size_t at = 0;
    size_t len;

    durations_sorted(durations, &is, &len);
    for (uint32_t i = 0; i < EDGES * DAYS * BUCKETS; i++) {
        uint32_t edge = i / BUCKETS / DAYS;
        uint32_t day = i / BUCKETS % DAYS;
        uint16_t bucket = (uint16_t)(i % BUCKETS);
        if (should[edge][day][bucket] == 0)
            continue;
        assert_true(at < len);
        assert_int_equal(is[at].key, duration_key(edge, day, bucket));
        assert_int_equal(is[at++].count, should[edge][day][bucket]);
    }
    assert_int_equal(at, len);
}

static void
counts_are_those_of_a_table_in_order_of_their_keys(void **state)
{
    struct durations durations = {0};

    (void)state;
    for (uint32_t i = 0; i < ADDED; i++) {
        uint64_t random = hash_mix(i, 99);
        uint32_t edge = (uint32_t)(random >> 40) % EDGES;
        uint32_t day = (uint32_t)(random >> 8) % DAYS;
        uint16_t bucket = (uint16_t)((random >> 16) % BUCKETS);
        int count = random % 3 == 0 ? -1 : 1;
        should[edge][day][bucket] += count;
        assert_int_equal(
            durations_add(&durations, duration_key(edge, day, bucket), count),
            OK);
        if (i % 50000 == 7)
            expect_all(&durations); /* and goes on */
    }
    expect_all(&durations);
    expect_all(&durations);
    durations_fini(&durations);
}

static void
what_is_taken_back_leaves_nothing(void **state)
{
    const struct duration_count *is;
    struct durations durations = {0};
    size_t len;

    (void)state;
    durations_sorted(&durations, &is, &len);
    assert_int_equal(len, 0);
    for (uint32_t i = 0; i < 100000; i++) {
        (void)durations_add(&durations, duration_key(i % 7, 1, 2), 1);
        (void)durations_add(&durations, duration_key(i % 7, 1, 2), -1);
    }
    assert_true(durations.cap <= 8192); /* one list of what differs, no log */
    durations_sorted(&durations, &is, &len);
    assert_int_equal(len, 0);
    (void)durations_add(&durations, duration_key(UINT32_MAX - 1, 3, 4), 5);
    durations_clear(&durations);
    durations_sorted(&durations, &is, &len);
    assert_int_equal(len, 0);
    durations_fini(&durations);
}

static void
memory_that_was_hardly_used_is_given_back(void **state)
{
    struct durations durations = {0};

    (void)state;
    for (uint32_t i = 0; i < 1000000; i++)
        (void)durations_add(&durations, duration_key(i, 1, 2), 1);
    durations_clear(&durations);
    size_t cap = durations.cap;
    const struct duration_count *is;
    size_t len;
    for (uint32_t i = 0; i < cap / 64; i++)
        (void)durations_add(&durations, duration_key(i, 1, 2), 1);
    durations_sorted(&durations, &is, &len);
    durations_clear(&durations);
    assert_int_equal(durations.cap, cap);
    for (uint32_t i = 0; i < cap / 64 - 1; i++)
        (void)durations_add(&durations, duration_key(i, 1, 2), 1);
    durations_sorted(&durations, &is, &len);
    durations_clear(&durations);
    assert_int_equal(durations.cap, 0);
    durations_fini(&durations);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_are_those_of_a_table_in_order_of_their_keys),
        cmocka_unit_test(what_is_taken_back_leaves_nothing),
        cmocka_unit_test(memory_that_was_hardly_used_is_given_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
