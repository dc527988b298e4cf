#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "runtime/pair_producers.h"
#include "tests/support/pair_rig.h"

static struct pair_producer
producer(uint64_t id, uint32_t until_s)
{
    struct pair_producer producer = {
        .key = {.trace_hi = 1, .trace_lo = 2, .span_id = id},
        .until_s = until_s,
        .site = (uint32_t)id + 100,
        .code = 3,
        .version = 4,
    };

    producer.weight = WEIGHT_ONE;
    producer.flags = PAIR_PRODUCER_WEIGHTED;
    return producer;
}

static const struct pair_producer *
find(const struct pair_producers *set, uint64_t id, uint32_t now_s)
{
    return pair_producers_find(set, (struct pair_key){1, 2, id}, now_s);
}

static void
add(struct pair_producers *set, uint64_t id, uint32_t until_s)
{
    struct pair_producer one = producer(id, until_s);

    pair_producers_add(set, &one, 0);
}

/* Ids of 64 bits are those of any trace whose low half they are. */
static void
one_that_may_be_either_replaces_both(void **state)
{
    struct pair_producers set;

    (void)state;
    assert_int_equal(pair_producers_init(&set, 4), OK);
    for (uint64_t i = 0; i < 3; i++) {
        struct pair_producer one = producer(7, i < 2 ? 40 : 41);
        one.key.trace_hi = (i + 1) % 3;
        pair_producers_add(&set, &one, 0);
        assert_int_equal(set.used, i < 2 ? i + 1 : 1);
    }
    for (uint64_t id = 10; id < 20; id++) {
        add(&set, id, 50);
        assert_non_null(find(&set, id, 0));
    }
    assert_int_equal(set.used, 4);
    assert_null(find(&set, 7, 0));
    pair_producers_expire(&set, 51);
    assert_int_equal(set.used, 0);
    pair_producers_fini(&set);
}

static void
many_are_found_until_they_go(void **state)
{
    enum { CAP = 5000, LAST = 3 * CAP };
    struct pair_producers set;

    (void)state;
    assert_int_equal(pair_producers_init(&set, CAP), OK);
    for (uint64_t id = 1; id <= LAST; id++) {
        uint64_t again = id > 7 ? id - 7 : id;
        add(&set, id, (uint32_t)id + 100);
        add(&set, again, (uint32_t)again + 107); /* replaces it */
        assert_non_null(find(&set, again, 0));
    }
    assert_in_range(set.used, CAP / 2, CAP);
    for (uint64_t id = LAST - CAP / 2 + 7; id <= LAST; id++)
        assert_int_equal(find(&set, id, 0)->key.span_id, id);
    for (uint64_t id = 1; id < LAST - CAP; id++)
        assert_null(find(&set, id, 0));
    pair_producers_expire(&set, UINT32_MAX);
    assert_int_equal(set.used, 0);
    pair_producers_fini(&set);
}

static void
the_newest_of_one_id_counts(void **state)
{
    struct pair_producers set;
    struct pair_producer one = producer(7, 50);

    (void)state;
    assert_int_equal(pair_producers_init(&set, 4), OK);
    add(&set, 7, 40);
    one.site = 9;
    pair_producers_add(&set, &one, 0);
    assert_int_equal(set.used, 1);
    assert_int_equal(find(&set, 7, 0)->site, 9);
    pair_producers_add(&set, &one, 0);
    assert_int_equal(set.head, 2); /* the same again is no news */
    one.site = 5; /* from a replay that no longer knew its parent */
    pair_producers_add(&set, &one, 0);
    assert_int_equal(find(&set, 7, 0)->site, 9);
    assert_int_equal(set.head, 2);
    pair_producers_expire(&set, 41);
    assert_non_null(find(&set, 7, 41));
    pair_producers_expire(&set, 51);
    assert_null(find(&set, 7, 41));
    pair_producers_fini(&set);
}

static void
a_producer_lives_through_its_last_second(void **state)
{
    struct pair_producers set;
    struct pair_producer late = producer(8, 9);

    (void)state;
    assert_int_equal(pair_producers_init(&set, 4), OK);
    add(&set, 7, 40);
    assert_non_null(find(&set, 7, 40));
    assert_null(find(&set, 7, 41));
    pair_producers_add(&set, &late, 10);
    assert_int_equal(set.used, 1);
    pair_producers_fini(&set);
}

/* As a plain array would: the last |CAP| distinct ones. */
static void
it_holds_what_a_plain_list_would(void **state)
{
    enum { CAP = 64, IDS = 400, STEPS = 20000 };
    static uint32_t last[IDS]; /* step in which each came, from 1 */
    struct pair_producers set;

    (void)state;
    srand(1);
    assert_int_equal(pair_producers_init(&set, CAP), OK);
    for (uint32_t step = 1; step <= STEPS; step++) {
        uint32_t id = 1 + (uint32_t)rand() % (IDS - 1);
        add(&set, id, 1000000 + step);
        last[id] = step;
        if (step % 50)
            continue;
        for (uint32_t i = 1; i < IDS; i++) {
            const struct pair_producer *found = find(&set, i, 0);
            bool should = last[i] && step - last[i] < CAP;
            assert_int_equal(found != NULL, should);
            assert_true(!found || found->until_s == 1000000 + last[i]);
        }
    }
    pair_producers_fini(&set);
}

/* ---- bytes ---- */

static void
what_is_saved_is_what_came_since(void **state)
{
    struct pair_producers set;
    struct pair_producers back;
    struct buf bytes = {0};
    uint32_t until;

    (void)state;
    assert_int_equal(pair_producers_init(&set, 8), OK);
    assert_int_equal(pair_producers_init(&back, 8), OK);
    pair_producers_save(&set, &bytes, &until);
    assert_int_equal(bytes.len, 0);
    assert_int_equal(until, 0);

    add(&set, 1, 40);
    add(&set, 2, 60);
    pair_producers_save(&set, &bytes, &until);
    assert_int_equal(until, 60);
    assert_int_equal(pair_producers_load(&back, buf_str(&bytes), 0), OK);
    assert_int_equal(back.used, 2);
    const struct pair_producer *found = find(&back, 1, 0);
    struct pair_producer one = producer(1, 40);
    assert_memory_equal(found, &one, sizeof(one));

    buf_reset(&bytes);
    add(&set, 3, 70);
    pair_producers_save(&set, &bytes, &until);
    assert_int_equal(pair_producers_load(&back, buf_str(&bytes), 0), OK);
    assert_int_equal(back.used, 3);

    /* What was loaded is saved already. */
    buf_reset(&bytes);
    pair_producers_save(&back, &bytes, &until);
    assert_int_equal(bytes.len, 0);
    buf_fini(&bytes);
    pair_producers_fini(&set);
    pair_producers_fini(&back);
}

/* Format 1 is what the version before functions had names wrote. */
static void
producers_of_the_format_before_are_loaded_without_code(void **state)
{
    struct pair_producers set;
    struct pair_producers back;
    struct buf bytes = {0};
    uint32_t until;

    (void)state;
    assert_int_equal(pair_producers_init(&set, 8), OK);
    assert_int_equal(pair_producers_init(&back, 8), OK);
    add(&set, 1, 40);
    pair_producers_save(&set, &bytes, &until);
    for (char format = 0; format <= 3; format++) {
        pair_producers_fini(&back);
        assert_int_equal(pair_producers_init(&back, 8), OK);
        bytes.ptr[7] = format;
        uint64_t sum =
            hash_digest(str_cut(buf_str(&bytes), 0, bytes.len - 8)).lo;
        for (int i = 0; i < 8; i++)
            bytes.ptr[bytes.len - 8 + (size_t)i] = (char)(sum >> (8 * i));
        enum err err = pair_producers_load(&back, buf_str(&bytes), 0);
        assert_int_equal(err, format == 1 || format == 2 ? OK : ERR_CORRUPT);
        struct pair_producer one = producer(1, 40);
        one.code = format == 1 ? 0 : 3;
        if (!err)
            assert_memory_equal(find(&back, 1, 0), &one, sizeof(one));
    }
    buf_fini(&bytes);
    pair_producers_fini(&set);
    pair_producers_fini(&back);
}

static void
what_has_expired_is_not_loaded(void **state)
{
    struct pair_producers set;
    struct pair_producers back;
    struct buf bytes = {0};
    uint32_t until;

    (void)state;
    assert_int_equal(pair_producers_init(&set, 8), OK);
    assert_int_equal(pair_producers_init(&back, 8), OK);
    add(&set, 1, 40);
    add(&set, 2, 60);
    pair_producers_save(&set, &bytes, &until);
    assert_int_equal(pair_producers_load(&back, buf_str(&bytes), 50), OK);
    assert_int_equal(back.used, 1);
    buf_fini(&bytes);
    pair_producers_fini(&set);
    pair_producers_fini(&back);
}

static void
a_failed_save_is_made_good_by_the_next(void **state)
{
    struct pair_producers set;
    struct buf small = {.cap_max = 60};
    struct buf bytes = {0};
    uint32_t until;

    (void)state;
    assert_int_equal(pair_producers_init(&set, 8), OK);
    add(&set, 1, 40);
    pair_producers_save(&set, &small, &until);
    assert_true(small.failed);
    pair_producers_save(&set, &bytes, &until);
    assert_int_equal(until, 40);
    assert_int_equal(bytes.len, 12 + 48 + 8);
    buf_fini(&small);
    buf_fini(&bytes);
    pair_producers_fini(&set);
}

static void
damaged_bytes_are_refused_and_add_nothing(void **state)
{
    struct pair_producers set;
    struct pair_producers back;
    struct buf bytes = {0};
    uint32_t until;

    (void)state;
    assert_int_equal(pair_producers_init(&set, 8), OK);
    assert_int_equal(pair_producers_init(&back, 8), OK);
    add(&set, 1, 40);
    add(&set, 2, 60);
    pair_producers_save(&set, &bytes, &until);
    for (size_t len = 0; len < bytes.len; len++)
        assert_int_equal(pair_producers_load(&back, (str){bytes.ptr, len}, 0),
                         ERR_CORRUPT);
    for (size_t bit = 0; bit < 8 * bytes.len; bit++) {
        bytes.ptr[bit / 8] = (char)(bytes.ptr[bit / 8] ^ 1 << bit % 8);
        assert_int_equal(pair_producers_load(&back, buf_str(&bytes), 0),
                         ERR_CORRUPT);
        bytes.ptr[bit / 8] = (char)(bytes.ptr[bit / 8] ^ 1 << bit % 8);
    }
    buf_add_char(&bytes, 0);
    assert_int_equal(pair_producers_load(&back, buf_str(&bytes), 0),
                     ERR_CORRUPT);
    assert_int_equal(back.used, 0);
    buf_fini(&bytes);
    pair_producers_fini(&set);
    pair_producers_fini(&back);
}

/* A right checksum does not make a record right. */
static void
impossible_records_are_refused(void **state)
{
    static const struct {
        size_t at;
        char byte;
    } bad[] = {
        {12 + 16, 0},    /* span id 0 */
        {12 + 31, 0x7f}, /* flags nobody has */
        {12 + 30, 0x1f}, /* a weight above the largest */
        {12 + 26, 0},    /* a weight of 0 */
    };

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        struct pair_producers set;
        struct buf bytes = {0};
        uint32_t until;

        assert_int_equal(pair_producers_init(&set, 8), OK);
        add(&set, 1, 40);
        pair_producers_save(&set, &bytes, &until);
        bytes.ptr[bad[i].at] = bad[i].byte;
        uint64_t sum = hash_digest(str_cut(buf_str(&bytes), 0, 60)).lo;
        for (int n = 0; n < 8; n++)
            bytes.ptr[60 + n] = (char)(sum >> (8 * n));
        assert_int_equal(pair_producers_load(&set, buf_str(&bytes), 0),
                         ERR_CORRUPT);
        buf_fini(&bytes);
        pair_producers_fini(&set);
    }
}

static void
links_find_producers_of_an_earlier_run(void **state)
{
    struct pair_cfg cfg = pair_rig_cfg();
    struct pair_rig before;
    struct pair_rig after;
    struct buf bytes = {0};
    uint64_t until;

    (void)state;
    pair_rig_open(&before, &cfg);
    pair_rig_send(&before, pair_rig_span(SPAN_PRODUCER, 1, 0, WEB), 0);
    pair_rig_pass(&before, 900 * NS_PER_S);
    assert_int_equal(pair_save_producers(before.pair, &bytes, &until), 1);
    assert_int_equal(until, START_NS + 86401 * NS_PER_S);

    pair_rig_open(&after, &cfg);
    pair_rig_pass(&after, 3600 * NS_PER_S);
    assert_int_equal(pair_load_producers(after.pair, buf_str(&bytes)), OK);
    assert_int_equal(pair_load_producers(after.pair, STR("nonsense")),
                     ERR_CORRUPT);
    assert_int_equal(pair_stats(after.pair).producers, 1);
    pair_rig_send(&after, pair_rig_span(SPAN_CONSUMER, 2, 0, WORKER), 1);
    assert_int_equal(pair_rig_count(&after, WEB, WORKER, EDGE_MSG), 1);
    buf_fini(&bytes);
    pair_rig_close(&before);
    pair_rig_close(&after);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_that_may_be_either_replaces_both),
        cmocka_unit_test(many_are_found_until_they_go),
        cmocka_unit_test(the_newest_of_one_id_counts),
        cmocka_unit_test(a_producer_lives_through_its_last_second),
        cmocka_unit_test(it_holds_what_a_plain_list_would),
        cmocka_unit_test(what_is_saved_is_what_came_since),
        cmocka_unit_test(
            producers_of_the_format_before_are_loaded_without_code),
        cmocka_unit_test(what_has_expired_is_not_loaded),
        cmocka_unit_test(a_failed_save_is_made_good_by_the_next),
        cmocka_unit_test(damaged_bytes_are_refused_and_add_nothing),
        cmocka_unit_test(impossible_records_are_refused),
        cmocka_unit_test(links_find_producers_of_an_earlier_run),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
