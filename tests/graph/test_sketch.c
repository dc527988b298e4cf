#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "graph/sketch.h"

#define DAY_NS (UINT64_C(86400) * 1000000000)

static uint64_t
next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* 2 %, and the nanosecond that whole numbers cost. */
static void
assert_close(uint64_t is, uint64_t should)
{
    double off = fabs((double)is - (double)should);

    if (off > 0.02 * (double)should * (1 + 1e-9) + 1)
        fail_msg("%lu is not within 2 %% of %lu", is, should);
}

static void
a_bucket_stands_for_its_durations_within_two_percent(void **state)
{
    uint64_t random = 7;

    (void)state;
    for (double ns = 1000; ns < 18.0 * DAY_NS; ns *= 1.0003)
        assert_close(sketch_value_ns(sketch_bucket((uint64_t)ns)),
                     (uint64_t)ns);
    for (int i = 0; i < 100000; i++) {
        uint64_t ns = 1000 + (next(&random) >> (14 + i % 40)) % (18 * DAY_NS);
        assert_close(sketch_value_ns(sketch_bucket(ns)), ns);
    }
}

static void
buckets_rise_with_the_duration(void **state)
{
    uint16_t last = 0;

    (void)state;
    for (double ns = 1; ns < 1.8e19; ns *= 1.01) {
        uint16_t bucket = sketch_bucket((uint64_t)ns);
        assert_true(bucket >= last && bucket < SKETCH_BUCKETS);
        last = bucket;
    }
    assert_int_equal(last, SKETCH_BUCKETS - 1);
}

static void
the_ends_of_the_scale_take_what_is_beyond_them(void **state)
{
    (void)state;
    assert_int_equal(sketch_bucket(0), 0);
    assert_int_equal(sketch_bucket(1), 0);
    assert_int_equal(sketch_bucket(1000), 0);
    assert_int_equal(sketch_bucket(1001), 1);
    assert_int_equal(sketch_bucket(UINT64_MAX), SKETCH_BUCKETS - 1);
    assert_int_equal(sketch_bucket(30 * DAY_NS), SKETCH_BUCKETS - 1);
    assert_true(sketch_bucket(18 * DAY_NS) < SKETCH_BUCKETS - 1);
}

/* The definition, with the logarithm of the C library. */
static void
a_bucket_is_the_logarithm_rounded_up(void **state)
{
    uint64_t random = 5;

    (void)state;
    for (int i = 0; i < 1000000; i++) {
        uint64_t ns = next(&random) >> (next(&random) % 64);
        double exact = log((double)ns / 1000) / log(1.02 / 0.98);
        double bucket = ns <= 1000 ? 0 : ceil(exact);
        if (fabs(exact - nearbyint(exact)) < 1e-9)
            continue;
        bucket = bucket < SKETCH_BUCKETS - 1 ? bucket : SKETCH_BUCKETS - 1;
        assert_int_equal(sketch_bucket(ns), (int)bucket);
    }
}

static int
by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a;
    uint64_t y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static void
quantiles_are_within_two_percent_of_the_exact_ones(void **state)
{
    static uint64_t values[5000];
    static const double asked[] = {0, 0.01, 0.5, 0.9, 0.95, 0.99, 1};
    uint64_t random = 1;

    (void)state;
    for (int round = 0; round < 50; round++) {
        struct sketch sketch = {0};
        size_t len = 1 + next(&random) % 5000;

        for (size_t i = 0; i < len; i++) {
            values[i] = 1000 + (next(&random) >> (20 + next(&random) % 30));
            sketch.count[sketch_bucket(values[i])]++;
        }
        qsort(values, len, sizeof(*values), by_value);
        for (size_t i = 0; i < sizeof(asked) / sizeof(*asked); i++) {
            size_t rank = (size_t)ceil(asked[i] * (double)len);
            assert_close(sketch_quantile_ns(&sketch, asked[i]),
                         values[rank ? rank - 1 : 0]);
        }
    }
}

static void
of_few_durations_the_slowest_is_the_high_quantile(void **state)
{
    struct sketch sketch = {0};

    (void)state;
    sketch.count[sketch_bucket(1000000)] = 1;
    sketch.count[sketch_bucket(2000000)] = 1;
    sketch.count[sketch_bucket(9000000)] = 1;
    assert_close(sketch_quantile_ns(&sketch, 0), 1000000);
    assert_close(sketch_quantile_ns(&sketch, 0.5), 2000000);
    assert_close(sketch_quantile_ns(&sketch, 0.95), 9000000);
    /* The hundredth part may be above, no more of them. */
    sketch.count[sketch_bucket(1000000)] = 98;
    assert_close(sketch_quantile_ns(&sketch, 0.99), 2000000);
    sketch.count[sketch_bucket(1000000)] = 97;
    assert_close(sketch_quantile_ns(&sketch, 0.99), 9000000);
}

static void
an_empty_sketch_has_no_quantile(void **state)
{
    struct sketch sketch = {0};

    (void)state;
    assert_int_equal(sketch_quantile_ns(&sketch, 0.5), 0);
    sketch.count[5] = -1;
    assert_int_equal(sketch_quantile_ns(&sketch, 0.5), 0);
}

static void
fill(struct sketch *sketch, uint64_t *random)
{
    int len = (int)(next(random) % 40);

    memset(sketch, 0, sizeof(*sketch));
    for (int i = 0; i < len; i++) {
        int64_t count = (int64_t)(next(random) >> (2 + next(random) % 62));
        sketch->count[next(random) % SKETCH_BUCKETS] =
            next(random) % 2 ? count : -count;
    }
}

/* Appends the encoding of |sketch|. */
static void
encode(const struct sketch *sketch, struct buf *out)
{
    struct sketch_count counts[SKETCH_BUCKETS];
    size_t len = 0;

    for (uint16_t i = 0; i < SKETCH_BUCKETS; i++) {
        if (sketch->count[i] != 0 || i % 7 == 0) /* zeros leave no trace */
            counts[len++] = (struct sketch_count){i, sketch->count[i]};
    }
    assert_int_equal(sketch_merge(STR(""), counts, len, out), OK);
}

static void
what_is_encoded_comes_back_and_adds_up(void **state)
{
    uint64_t random = 3;

    (void)state;
    for (int round = 0; round < 500; round++) {
        struct sketch a;
        struct sketch b;
        struct sketch sum = {0};
        struct buf bytes = {0};

        fill(&a, &random);
        encode(&a, &bytes);
        assert_int_equal(sketch_add_encoded(&sum, buf_str(&bytes)), OK);
        assert_memory_equal(&sum, &a, sizeof(a));

        fill(&b, &random);
        for (int i = 0; i < SKETCH_BUCKETS; i++)
            b.count[i] /= 2, sum.count[i] /= 2, a.count[i] /= 2;
        buf_reset(&bytes);
        encode(&b, &bytes);
        assert_int_equal(sketch_add_encoded(&sum, buf_str(&bytes)), OK);
        for (int i = 0; i < SKETCH_BUCKETS; i++)
            assert_int_equal(sum.count[i], a.count[i] + b.count[i]);
        buf_fini(&bytes);
    }
}

static void
what_is_merged_is_encoded_as_its_sum(void **state)
{
    uint64_t random = 23;

    (void)state;
    for (int round = 0; round < 2000; round++) {
        struct sketch_count more[SKETCH_BUCKETS];
        struct sketch sum;
        struct buf stored = {0};
        struct buf merged = {0};
        struct buf should = {0};
        size_t len = 0;

        fill(&sum, &random);
        for (int i = 0; i < SKETCH_BUCKETS; i++)
            sum.count[i] /= 2;
        encode(&sum, &stored);
        for (uint16_t i = 0; i < SKETCH_BUCKETS; i++) {
            uint64_t dice = next(&random) % 40;
            int64_t count = (int64_t)next(&random) / 2;
            if (dice > 1 && (sum.count[i] == 0 || dice > 20))
                continue;
            if (dice % 2) /* what is there is taken back to nothing */
                count = -sum.count[i];
            more[len++] = (struct sketch_count){i, count};
            sum.count[i] += count;
        }
        encode(&sum, &should);
        buf_add(&merged, STR("before"));
        assert_int_equal(sketch_merge(buf_str(&stored), more, len, &merged),
                         OK);
        assert_int_equal(merged.len, 6 + should.len);
        assert_memory_equal(merged.ptr, "before", 6);
        assert_true(should.len == 0 ||
                    !memcmp(merged.ptr + 6, should.ptr, should.len));
        buf_fini(&stored);
        buf_fini(&merged);
        buf_fini(&should);
    }
}

static void
what_cannot_be_merged_leaves_the_bytes_before_it(void **state)
{
    const struct sketch_count one = {700, 1};
    const struct sketch_count most = {3, INT64_MAX};
    struct buf stored = {0};
    struct buf out = {.cap_max = 64};

    (void)state;
    buf_add(&out, STR("before"));
    assert_int_equal(sketch_merge(STR("\x01\x02\x01"), &one, 1, &out),
                     ERR_CORRUPT);
    assert_int_equal(sketch_merge(STR(""), &most, 1, &stored), OK);
    assert_int_equal(sketch_merge(buf_str(&stored), &most, 1, &out),
                     ERR_CORRUPT);
    assert_int_equal(out.len, 6);
    assert_false(out.failed);
    assert_int_equal(sketch_merge(buf_str(&stored), &one, 1, &out), OK);
    size_t len = out.len;
    assert_true(len > 6);
    for (int i = 0; i < 9; i++)
        buf_add(&stored, STR("\x01\x02\x01\x02\x01\x02"));
    assert_int_equal(sketch_merge(buf_str(&stored), &one, 1, &out), ERR_NOMEM);
    assert_int_equal(out.len, len);
    buf_fini(&stored);
    buf_fini(&out);
}

static void
both_ends_of_the_buckets_and_of_the_counts_are_encoded(void **state)
{
    struct sketch sketch = {0};
    struct sketch back = {0};
    struct buf bytes = {0};

    (void)state;
    sketch.count[0] = INT64_MIN;
    sketch.count[SKETCH_BUCKETS - 1] = INT64_MAX;
    encode(&sketch, &bytes);
    assert_int_equal(sketch_add_encoded(&back, buf_str(&bytes)), OK);
    assert_memory_equal(&sketch, &back, sizeof(back));
    /* Once more would not fit. */
    assert_int_equal(sketch_add_encoded(&back, buf_str(&bytes)), ERR_CORRUPT);
    assert_memory_equal(&sketch, &back, sizeof(back));
    buf_fini(&bytes);
}

static void
bytes_that_no_sketch_gives_are_refused_whole(void **state)
{
    static const struct {
        const char *bytes;
        size_t len;
    } bad[] = {
        {"\x01", 1},                 /* no count */
        {"\x01\x80", 2},             /* cut */
        {"\x00\x02", 2},             /* no distance */
        {"\x01\x00", 2},             /* a count of zero */
        {"\xc1\x05\x02", 3},         /* bucket 704 */
        {"\x81\x00\x02", 3},         /* more bytes than needed */
        {"\x01\x02\x01", 3},         /* a good one, then a cut one */
        {"\x01\x02\xc0\x05\x02", 5}, /* a good one, then one too far */
        {"\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 11},
        {"\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x81\x00", 12},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        struct sketch sketch = {.count = {1, 2, 3}};
        struct sketch before = sketch;
        str bytes = {bad[i].bytes, bad[i].len};

        assert_int_equal(sketch_add_encoded(&sketch, bytes), ERR_CORRUPT);
        assert_memory_equal(&sketch, &before, sizeof(before));
    }
}

static void
any_bytes_are_taken_or_refused_without_harm(void **state)
{
    uint64_t random = 11;

    (void)state;
    for (int round = 0; round < 20000; round++) {
        struct sketch sketch = {0};
        char bytes[24];
        size_t len = next(&random) % sizeof(bytes);
        struct buf again = {0};

        for (size_t i = 0; i < len; i++)
            bytes[i] = (char)(next(&random) >> (next(&random) % 8));
        if (sketch_add_encoded(&sketch, (str){bytes, len}) == OK) {
            encode(&sketch, &again);
            assert_int_equal(again.len, len);
            assert_true(len == 0 || memcmp(again.ptr, bytes, len) == 0);
        }
        buf_fini(&again);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bucket_stands_for_its_durations_within_two_percent),
        cmocka_unit_test(a_bucket_is_the_logarithm_rounded_up),
        cmocka_unit_test(buckets_rise_with_the_duration),
        cmocka_unit_test(the_ends_of_the_scale_take_what_is_beyond_them),
        cmocka_unit_test(quantiles_are_within_two_percent_of_the_exact_ones),
        cmocka_unit_test(of_few_durations_the_slowest_is_the_high_quantile),
        cmocka_unit_test(an_empty_sketch_has_no_quantile),
        cmocka_unit_test(what_is_encoded_comes_back_and_adds_up),
        cmocka_unit_test(what_is_merged_is_encoded_as_its_sum),
        cmocka_unit_test(what_cannot_be_merged_leaves_the_bytes_before_it),
        cmocka_unit_test(
            both_ends_of_the_buckets_and_of_the_counts_are_encoded),
        cmocka_unit_test(bytes_that_no_sketch_gives_are_refused_whole),
        cmocka_unit_test(any_bytes_are_taken_or_refused_without_harm),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
