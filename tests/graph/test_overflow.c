/*
 * What overflow nodes stand for outlives a restart.
 */
#include "tests/graph/nodes_fixture.h"

#include "base/buf.h"
#include "base/hash.h"
#include "graph/hll.h"

struct kept {
    uint32_t id;
    uint64_t estimate;
    unsigned given;
    struct buf bytes;
    enum err err; /* what the sink says */
};

static enum err
keep(void *ctx, uint32_t id, uint64_t estimate, str saved)
{
    struct kept *kept = ctx;

    kept->id = id;
    kept->estimate = estimate;
    kept->given++;
    buf_reset(&kept->bytes);
    buf_add(&kept->bytes, saved);
    return kept->err;
}

static uint32_t
topics(struct nodes *nodes, uint32_t from, uint32_t to)
{
    uint32_t id = 0;
    char name[32];

    for (uint32_t i = from; i < to; i++) {
        (void)snprintf(name, sizeof(name), "topic-%u", i);
        id = nodes_intern(nodes, NODE_TOPIC, 0, str_of(name), NONE);
    }
    return id;
}

/* A table like |old|, as a restart would make it. */
static struct nodes *
restart(const struct nodes *old, const struct kept *kept)
{
    struct nodes *nodes = new_nodes(1, 10);

    for (uint32_t id = 1; id <= nodes_len(old); id++) {
        struct node node = nodes_get(old, id);
        assert_int_equal(nodes_load(nodes, &node), OK);
    }
    assert_int_equal(
        nodes_load_overflow(nodes, kept->id, buf_str(&kept->bytes)), OK);
    return nodes;
}

static void
an_estimate_goes_on_after_a_restart(void **state)
{
    static const uint32_t sizes[] = {1, 100, 4000, 5000, 100000};

    (void)state;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct nodes *first = new_nodes(1, 10);
        struct kept kept = {0};
        uint32_t size = sizes[i];

        (void)service(first, "a");
        uint32_t other = topics(first, 0, size);
        assert_int_equal(nodes_each_overflow(first, keep, &kept), OK);
        assert_int_equal(kept.id, other);
        assert_int_equal(kept.estimate, nodes_overflow_estimate(first, other));
        assert_true(kept.bytes.len <= 8 + 12288);
        assert_true(size > 4000 || kept.bytes.len <= 8 + 3 * (size_t)size);

        struct nodes *second = restart(first, &kept);
        assert_int_equal(nodes_overflow_estimate(second, other), kept.estimate);
        /* The same names again, and as many new ones. */
        (void)topics(second, 0, size);
        assert_int_equal(nodes_overflow_estimate(second, other), kept.estimate);
        assert_int_equal(nodes_each_overflow(second, keep, &kept), OK);
        assert_int_equal(kept.given, 1);
        (void)topics(second, size, 2 * size);
        assert_in_range(nodes_overflow_estimate(second, other),
                        2 * size - 2 * size * 3 / 100,
                        2 * size + 2 * size * 3 / 100);
        nodes_free(second);
        nodes_free(first);
        buf_fini(&kept.bytes);
    }
}

static void
what_is_saved_is_given_again_only_when_it_changed(void **state)
{
    struct nodes *nodes = new_nodes(1, 10);
    struct kept kept = {0};

    (void)state;
    (void)service(nodes, "a");
    assert_int_equal(nodes_each_overflow(nodes, keep, &kept), OK);
    assert_int_equal(kept.given, 0);
    (void)topics(nodes, 0, 10);
    kept.err = ERR_STORE;
    assert_int_equal(nodes_each_overflow(nodes, keep, &kept), ERR_STORE);
    nodes_unsave_all(nodes);
    kept.err = OK;
    assert_int_equal(nodes_each_overflow(nodes, keep, &kept), OK);
    nodes_commit_saved(nodes);
    assert_int_equal(kept.given, 2);
    (void)topics(nodes, 0, 10);
    assert_int_equal(nodes_each_overflow(nodes, keep, &kept), OK);
    assert_int_equal(kept.given, 2);
    (void)topics(nodes, 10, 11);
    assert_int_equal(nodes_each_overflow(nodes, keep, &kept), OK);
    assert_int_equal(kept.given, 3);
    nodes_free(nodes);
    buf_fini(&kept.bytes);
}

static void
what_is_damaged_is_refused_and_counting_begins_again(void **state)
{
    static const char zeros[8 + 12288 + 3];
    static const char full[8 + 3] = "seedseed\x3f\x00\x00";
    static char high[8 + 12288];
    struct nodes *nodes = new_nodes(1, 10);
    uint32_t a = service(nodes, "a");
    const str bad[] = {
        {zeros, 0},           {zeros, 7},
        {zeros, 8 + 1},       {zeros, sizeof(zeros)},
        {full, sizeof(full)}, {high, sizeof(high)},
    };

    (void)state;
    memset(high, 0xff, sizeof(high));
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_int_equal(nodes_load_overflow(nodes, a, bad[i]), ERR_CORRUPT);
    const str good = {zeros, 8};
    assert_int_equal(nodes_load_overflow(nodes, 0, good), ERR_CORRUPT);
    assert_int_equal(nodes_load_overflow(nodes, a + 1, good), ERR_CORRUPT);
    assert_int_equal(nodes_overflow_estimate(nodes, a), 0);
    assert_int_equal(nodes_load_overflow(nodes, a, good), OK);
    assert_int_equal(nodes_load_overflow(nodes, a, good), ERR_CORRUPT);
    assert_int_equal(nodes_overflow_estimate(nodes, topics(nodes, 0, 1)), 1);
    nodes_free(nodes);
}

static void *
count_some(void *ctx)
{
    (void)topics(ctx, 0, 20000);
    return NULL;
}

static void
threads_count_while_it_is_saved(void **state)
{
    struct nodes *nodes = new_nodes(1, 10);
    struct kept kept = {0};
    pthread_t threads[3];

    (void)state;
    (void)service(nodes, "a");
    for (int i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, count_some, nodes),
                         0);
    for (int i = 0; i < 20; i++) {
        assert_int_equal(nodes_each_overflow(nodes, keep, &kept), OK);
        if (i % 2)
            nodes_commit_saved(nodes);
        else
            nodes_unsave_all(nodes);
    }
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    (void)nodes_each_overflow(nodes, keep, &kept);
    assert_in_range(kept.estimate, 20000 * 97 / 100, 20000 * 103 / 100);
    nodes_free(nodes);
    buf_fini(&kept.bytes);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_estimate_goes_on_after_a_restart),
        TEST(what_is_saved_is_given_again_only_when_it_changed),
        TEST(what_is_damaged_is_refused_and_counting_begins_again),
        TEST(threads_count_while_it_is_saved),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
