#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "graph/edge_part.h"
#include "graph/sketch.h"

enum { NODES = 1000, CHECKSUM_BYTES = 8 };

static const struct part_delta deltas[] = {
    {.hour = 9, .src_version = 3, .count = 1, .weight = 1},
    {.hour = 9,
     .src_version = UINT32_MAX,
     .dst_version = 1,
     .first_s = UINT32_MAX,
     .last_s = 7,
     .count = INT32_MIN,
     .errors = -1,
     .known = INT32_MAX,
     .weight = INT64_MIN},
    {.hour = UINT32_MAX, .count = -5, .weight = INT64_MAX},
};

static const struct part_duration durations[] = {
    {0, 5},
    {3, INT64_MIN},
    {UINT32_C(0xffff0000) | (SKETCH_BUCKETS - 1), 1},
};

static const struct edge_entry entries[] = {
    {1, {1, 1, 1}, true, deltas, 3, durations, 3, {{0}}, 0},
    {UINT32_MAX - 1,
     {0, NODES, UINT8_MAX},
     false,
     deltas + 2,
     1,
     NULL,
     0,
     {{UINT64_MAX, 1, UINT32_MAX, true}, {0, UINT64_MAX, 0, false}},
     2},
    {300, {NODES, 2, 0}, false, deltas, 2, durations + 1, 1, {{5, 6, 7, 0}}, 1},
};

enum { ENTRIES = sizeof(entries) / sizeof(entries[0]) };

static struct edge_reader reader;

static int
teardown(void **state)
{
    (void)state;
    edge_reader_fini(&reader);
    return 0;
}

static void
expect_same(const struct edge_entry *is, const struct edge_entry *should)
{
    assert_int_equal(is->id, should->id);
    assert_true(edge_key_eq(is->key, should->key));
    assert_int_equal(is->is_new, should->is_new);
    assert_int_equal(is->delta_len, should->delta_len);
    for (uint32_t i = 0; i < is->delta_len; i++)
        assert_memory_equal(&is->delta[i], &should->delta[i],
                            sizeof(struct part_delta));
    assert_int_equal(is->duration_len, should->duration_len);
    for (size_t i = 0; i < is->duration_len; i++) {
        assert_int_equal(is->duration[i].day_bucket,
                         should->duration[i].day_bucket);
        assert_int_equal(is->duration[i].count, should->duration[i].count);
    }
    assert_int_equal(is->exemplar_len, should->exemplar_len);
    for (uint32_t i = 0; i < is->exemplar_len; i++) {
        const struct exemplar *got = &is->exemplar[i];
        const struct exemplar *put = &should->exemplar[i];
        assert_int_equal(got->trace_hi, put->trace_hi);
        assert_int_equal(got->trace_lo, put->trace_lo);
        assert_int_equal(got->at_s, put->at_s);
        assert_int_equal(got->failed, put->failed);
    }
}

static struct edge_parts
some_parts(void)
{
    struct edge_parts parts = {0};

    edge_parts_put(&parts, &entries[0]);
    edge_parts_put(&parts, &entries[1]);
    edge_parts_end(&parts);
    edge_parts_end(&parts); /* nothing is open: no part */
    edge_parts_put(&parts, &entries[2]);
    edge_parts_end(&parts);
    assert_false(edge_parts_failed(&parts));
    return parts;
}

static void
what_was_put_is_read(void **state)
{
    struct edge_parts parts = some_parts();
    struct edge_entry entry;
    uint32_t seen = 0;
    enum err err;

    (void)state;
    assert_int_equal(edge_parts_len(&parts), 2);
    for (uint32_t i = 0; i < 2; i++) {
        str part = edge_parts_get(&parts, i);
        assert_int_equal(edge_part_check(&reader, part, NODES), OK);
        edge_part_begin(&reader, part);
        while (edge_part_next(&reader, &entry, &err))
            expect_same(&entry, &entries[seen++]);
        assert_int_equal(err, OK);
    }
    assert_int_equal(seen, ENTRIES);
    edge_parts_fini(&parts);
    assert_int_equal(edge_parts_len(&parts), 0);
}

static void
an_empty_part_has_no_entries(void **state)
{
    struct edge_parts parts = some_parts();
    struct edge_entry entry;
    enum err err;

    (void)state;
    edge_parts_add(&parts, (str){NULL, 0});
    assert_int_equal(edge_parts_len(&parts), 3);
    str part = edge_parts_get(&parts, 2);
    assert_int_equal(edge_part_check(&reader, part, 0), OK);
    edge_part_begin(&reader, part);
    assert_false(edge_part_next(&reader, &entry, &err));
    assert_int_equal(err, OK);
    edge_parts_fini(&parts);
}

static void
unknown_nodes_are_corrupt(void **state)
{
    struct edge_parts parts = some_parts();

    (void)state;
    for (uint32_t i = 0; i < 2; i++)
        assert_int_equal(
            edge_part_check(&reader, edge_parts_get(&parts, i), NODES - 1),
            ERR_CORRUPT);
    edge_parts_fini(&parts);
}

static void
every_cut_and_every_changed_byte_is_found(void **state)
{
    struct edge_parts parts = some_parts();
    str part = edge_parts_get(&parts, 0);

    (void)state;
    for (size_t len = 1; len < part.len; len++) {
        char *copy = malloc(len); /* so that reading beyond is seen */
        memcpy(copy, part.ptr, len);
        assert_int_equal(edge_part_check(&reader, (str){copy, len}, NODES),
                         ERR_CORRUPT);
        free(copy);
    }
    for (size_t i = 0; i < part.len; i++) {
        char *copy = malloc(part.len);
        memcpy(copy, part.ptr, part.len);
        copy[i] ^= (char)(1 << i % 8);
        assert_int_equal(edge_part_check(&reader, (str){copy, part.len}, NODES),
                         ERR_CORRUPT);
        free(copy);
    }
    edge_parts_fini(&parts);
}

/* Bytes with a checksum that is right: only the bounds can refuse them. */
static enum err
check_forged(const char *bytes, size_t len)
{
    char *copy = malloc(len + CHECKSUM_BYTES);

    memcpy(copy, bytes, len);
    (void)coded_put_u64(copy + len, hash_bytes((str){copy, len}, 0));
    enum err err =
        edge_part_check(&reader, (str){copy, len + CHECKSUM_BYTES}, NODES);
    free(copy);
    return err;
}

static void
forged_parts_are_refused_and_ask_for_no_memory(void **state)
{
    /* version; id, kind, src, dst; one delta of nine; two durations */
    static const char good[] = {1, 5, 2, 1, 1, 1, 9, 0, 0, 0,
                                0, 0, 0, 0, 0, 2, 7, 2, 1, 2};
    static const struct {
        size_t at;
        char value;
    } bad[] = {
        {0, 0}, /* version */
        {0, 2}, /* another, which has something behind the durations */
        {0, 3},    {1, 0}, /* no id */
        {4, 0},            /* no dst */
        {5, 0},            /* no delta */
        {5, 127},          /* more than there are bytes */
        {15, 127},         /* the same of durations */
        {18, 0},           /* a bucket twice */
    };
    char bytes[sizeof(good)];

    (void)state;
    assert_int_equal(check_forged(good, sizeof(good)), OK);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        memcpy(bytes, good, sizeof(good));
        bytes[bad[i].at] = bad[i].value;
        assert_int_equal(check_forged(bytes, sizeof(bytes)), ERR_CORRUPT);
    }
    assert_int_equal(check_forged(good, sizeof(good) - 1), ERR_CORRUPT);
}

static void
parts_of_before_there_were_exemplars_are_read(void **state)
{
    /* version; id, kind, src, dst; one delta; no durations; exemplars */
    static const char bytes[] = {1, 5, 2, 1, 1, 1, 9, 0, 0, 0, 0, 0,
                                 0, 0, 0, 0, 1, 3, 0, 0, 0, 0, 0, 0,
                                 0, 7, 0, 0, 0, 0, 0, 0, 0, 8};
    enum { BEFORE = 16, NUMBER = BEFORE, HIGH = 8 };
    char part[sizeof(bytes)];

    (void)state;
    assert_int_equal(check_forged(bytes, BEFORE), OK);
    memcpy(part, bytes, sizeof(bytes));
    part[0] = EDGE_PART_VERSION;
    assert_int_equal(check_forged(part, BEFORE), ERR_CORRUPT);
    assert_int_equal(check_forged(part, sizeof(part)), OK);
    assert_int_equal(check_forged(part, sizeof(part) - HIGH), ERR_CORRUPT);
    part[NUMBER] = 0;
    assert_int_equal(check_forged(part, NUMBER + 1), OK);
    part[NUMBER] = EXEMPLARS_EDGE_MAX + 1;
    assert_int_equal(check_forged(part, sizeof(part)), ERR_CORRUPT);
}

static void
random_bytes_are_never_more_than_refused(void **state)
{
    struct edge_parts parts = some_parts();
    str part = edge_parts_get(&parts, 0);
    char *bytes = malloc(part.len);
    unsigned seed = 11;

    (void)state;
    for (int i = 0; i < 20000; i++) {
        size_t len = part.len - CHECKSUM_BYTES;
        memcpy(bytes, part.ptr, len);
        for (int n = rand_r(&seed) % 4; n >= 0; n--)
            bytes[(size_t)rand_r(&seed) % len] = (char)rand_r(&seed);
        enum err err = check_forged(bytes, len - (size_t)rand_r(&seed) % 9);
        assert_true(err == OK || err == ERR_CORRUPT);
    }
    free(bytes);
    edge_parts_fini(&parts);
}

#define TEST(name) cmocka_unit_test_teardown(name, teardown)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_was_put_is_read),
        TEST(an_empty_part_has_no_entries),
        TEST(unknown_nodes_are_corrupt),
        TEST(every_cut_and_every_changed_byte_is_found),
        TEST(forged_parts_are_refused_and_ask_for_no_memory),
        TEST(parts_of_before_there_were_exemplars_are_read),
        TEST(random_bytes_are_never_more_than_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
