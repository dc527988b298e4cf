/* What happens at the bounds, and what must hold whatever comes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "runtime/pair_order.h"
#include "runtime/pair_state.h"
#include "tests/support/pair_check.h"
#include "tests/support/pair_rig.h"

static uint64_t
next(uint64_t *random)
{
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    return *random * UINT64_C(2685821657736338717) >> 16;
}

/* ---- eviction ---- */

static void
max_spans_are_held_and_the_oldest_go_for_one_more(void **state)
{
    struct pair_cfg cfg = pair_rig_cfg();
    struct pair_rig rig;

    (void)state;
    cfg.max_spans = 16;
    pair_rig_open(&rig, &cfg);
    for (uint64_t i = 1; i <= 16; i++)
        pair_rig_send(&rig, pair_rig_span(SPAN_SERVER, i, 0, API), 0);
    assert_int_equal(pair_stats(rig.pair).live, 16);
    assert_int_equal(pair_stats(rig.pair).evicted, 0);
    pair_rig_send(&rig, pair_rig_span(SPAN_SERVER, 17, 0, API), 0);
    assert_int_equal(pair_stats(rig.pair).live, 16);
    assert_int_equal(pair_stats(rig.pair).evicted, 1);
    /* The oldest went, the newest stayed. */
    pair_rig_send(&rig, pair_rig_span(SPAN_SERVER, 17, 0, API), 0);
    assert_int_equal(pair_stats(rig.pair).duplicates, 1);
    pair_rig_send(&rig, pair_rig_span(SPAN_SERVER, 1, 0, API), 0);
    assert_int_equal(pair_stats(rig.pair).duplicates, 1);
    assert_int_equal(pair_rig_count(&rig, 0, API, EDGE_TRAFFIC), 18);
    pair_rig_close(&rig);
}

static void
what_the_evicted_waited_for_is_told_and_counted(void **state)
{
    struct pair_cfg cfg = pair_rig_cfg();
    struct stub client = pair_rig_span(SPAN_CLIENT, 2, 0, WEB);
    struct pair_rig rig;

    (void)state;
    cfg.max_spans = 8;
    client.peer = PAY;
    pair_rig_open(&rig, &cfg);
    pair_rig_send(&rig, client, 0);
    pair_rig_send(&rig, pair_rig_span(SPAN_SERVER, 3, 99, API), 0);
    pair_rig_send(&rig, pair_rig_span(SPAN_CONSUMER, 4, 0, WORKER), 98);
    pair_rig_crowd(&rig, 100, 20);
    assert_int_equal(pair_rig_count(&rig, WEB, PAY, EDGE_VIRTUAL_OUT), 1);
    assert_int_equal(pair_rig_count(&rig, SCOPE, API, EDGE_ORPHAN), 1);
    assert_int_equal(pair_rig_count(&rig, SCOPE, WORKER, EDGE_UNRESOLVED_LINK),
                     1);
    assert_int_equal(pair_rig_count(&rig, SCOPE, WEB, EDGE_EVICTED), 1);
    assert_int_equal(pair_rig_count(&rig, SCOPE, API, EDGE_EVICTED), 1);
    assert_int_equal(pair_rig_count(&rig, SCOPE, WORKER, EDGE_EVICTED), 1);
    pair_rig_close(&rig);
}

static void
who_waits_for_nothing_is_evicted_without_a_word(void **state)
{
    struct pair_cfg cfg = pair_rig_cfg();
    struct pair_rig rig;

    (void)state;
    cfg.max_spans = 8;
    pair_rig_open(&rig, &cfg);
    pair_rig_send(&rig, pair_rig_span(SPAN_CLIENT, 1, 0, WEB), 0);
    pair_rig_send(&rig, pair_rig_span(SPAN_SERVER, 2, 1, API), 0);
    pair_rig_crowd(&rig, 100, 20);
    assert_int_equal(pair_rig_count(&rig, WEB, API, EDGE_CALL), 1);
    assert_int_equal(pair_rig_count(&rig, SCOPE, WEB, EDGE_EVICTED), 0);
    assert_int_equal(pair_rig_count(&rig, SCOPE, API, EDGE_EVICTED), 0);
    assert_true(pair_stats(rig.pair).evicted > 0);
    pair_rig_close(&rig);
}

static void
an_evicted_producer_can_still_be_linked(void **state)
{
    struct pair_cfg cfg = pair_rig_cfg();
    struct pair_rig rig;

    (void)state;
    cfg.max_spans = 8;
    pair_rig_open(&rig, &cfg);
    pair_rig_send(&rig, pair_rig_span(SPAN_PRODUCER, 1, 0, WEB), 0);
    pair_rig_crowd(&rig, 100, 20);
    pair_rig_send(&rig, pair_rig_span(SPAN_CONSUMER, 2, 0, WORKER), 1);
    assert_int_equal(pair_rig_count(&rig, WEB, WORKER, EDGE_MSG), 1);
    pair_rig_close(&rig);
}

static void
the_oldest_producers_go_at_their_bound(void **state)
{
    struct pair_cfg cfg = pair_rig_cfg();
    struct pair_rig rig;

    (void)state;
    cfg.max_producers = 4;
    pair_rig_open(&rig, &cfg);
    for (uint64_t i = 1; i <= 5; i++)
        pair_rig_send(&rig, pair_rig_span(SPAN_PRODUCER, i, 0, WEB), 0);
    pair_rig_pass(&rig, 900 * NS_PER_S);
    assert_int_equal(pair_stats(rig.pair).producers, 4);
    pair_rig_send(&rig, pair_rig_span(SPAN_CONSUMER, 11, 0, WORKER), 1);
    pair_rig_send(&rig, pair_rig_span(SPAN_CONSUMER, 12, 0, WORKER), 2);
    assert_int_equal(pair_rig_count(&rig, WEB, WORKER, EDGE_MSG), 1);
    pair_rig_close(&rig);
}

static void
links_beyond_all_room_are_dropped_and_counted(void **state)
{
    struct pair_cfg cfg = pair_rig_cfg();
    struct span_link links[64];
    struct stub stub = pair_rig_span(SPAN_CONSUMER, 1, 0, WORKER);
    struct stub_batch batch = {
        .stubs = &stub, .links = links, .stub_len = 1, .link_len = 64};
    struct pair_rig rig;

    (void)state;
    cfg.max_spans = 16;
    pair_rig_open(&rig, &cfg);
    for (uint64_t i = 0; i < 64; i++)
        links[i] = (struct span_link){1, 2, 1000 + i};
    stub.link_len = 64;
    batch.received_ns = rig.now_ns;
    pair_add(rig.pair, &batch);
    assert_int_equal(pair_stats(rig.pair).live, 1);
    assert_int_equal(pair_stats(rig.pair).links_dropped, 64 - 24);
    pair_rig_pass(&rig, 60 * NS_PER_S);
    assert_int_equal(pair_rig_count(&rig, SCOPE, WORKER, EDGE_UNRESOLVED_LINK),
                     24);
    pair_rig_close(&rig);
}

/* ---- deep and wide ---- */

/* From the last to the first: all sites change once, without recursion. */
static void
a_chain_as_long_as_the_table_finds_its_endpoint(void **state)
{
    enum { LEN = 100000 };
    struct pair_cfg cfg = pair_rig_cfg();
    struct pair_rig rig;

    (void)state;
    cfg.max_spans = LEN + 16;
    pair_rig_open(&rig, &cfg);
    for (uint64_t i = LEN; i > 1; i--) {
        uint8_t kind = i == LEN ? SPAN_PRODUCER : SPAN_INTERNAL;
        pair_rig_send(&rig, pair_rig_span(kind, i, i - 1, WEB), 0);
    }
    assert_int_equal(pair_rig_count(&rig, WEB, TOPIC, EDGE_MSG_PUB), 1);
    struct stub top = pair_rig_span(SPAN_SERVER, 1, 0, WEB);
    top.endpoint = PAY;
    pair_rig_send(&rig, top, 0);
    assert_int_equal(pair_rig_count(&rig, WEB, TOPIC, EDGE_MSG_PUB), 0);
    assert_int_equal(pair_rig_count(&rig, PAY, TOPIC, EDGE_MSG_PUB), 1);
    pair_rig_close(&rig);
}

static void
a_nest_as_deep_as_the_table_is_answered_once(void **state)
{
    enum { LEN = 100000 };
    struct pair_cfg cfg = pair_rig_cfg();
    struct pair_rig rig;

    (void)state;
    cfg.max_spans = LEN + 16;
    pair_rig_open(&rig, &cfg);
    for (uint64_t i = LEN; i >= 1; i--)
        pair_rig_send(&rig, pair_rig_span(SPAN_CLIENT, i, i - 1, WEB), 0);
    pair_rig_pass(&rig, 60 * NS_PER_S);
    assert_int_equal(pair_rig_count(&rig, SCOPE, WEB, EDGE_UNRESOLVED), 1);
    pair_rig_send(&rig, pair_rig_span(SPAN_SERVER, LEN + 1, LEN, API), 0);
    assert_int_equal(pair_rig_count(&rig, SCOPE, WEB, EDGE_UNRESOLVED), 0);
    assert_int_equal(pair_rig_count(&rig, WEB, API, EDGE_CALL), 1);
    pair_rig_close(&rig);
}

static void
ten_thousand_children_of_one_parent_are_ten_thousand_calls(void **state)
{
    enum { LEN = 10000 };
    struct pair_cfg cfg = pair_rig_cfg();
    struct pair_rig rig;

    (void)state;
    cfg.max_spans = LEN + 16;
    pair_rig_open(&rig, &cfg);
    for (uint64_t i = 2; i < LEN + 2; i++) {
        if (i == LEN / 2)
            pair_rig_send(&rig, pair_rig_span(SPAN_CLIENT, 1, 0, WEB), 0);
        pair_rig_send(&rig, pair_rig_span(SPAN_SERVER, i, 1, API), 0);
    }
    struct pair_sum sum =
        pair_sums_get(&rig.sums, (struct edge_key){WEB, API, EDGE_CALL});
    assert_int_equal(sum.count, LEN);
    assert_int_equal(sum.samples, 1);
    pair_rig_close(&rig);
}

/* ---- memory ---- */

static size_t
resident_bytes(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    char line[128] = {0};
    char *rest = line;

    assert_non_null(file);
    assert_non_null(fgets(line, sizeof(line), file));
    fclose(file);
    (void)strtoul(line, &rest, 10);
    return strtoul(rest, NULL, 10) * (size_t)sysconf(_SC_PAGESIZE);
}

static void
memory_is_small_before_a_rush_and_falls_after_it(void **state)
{
    enum { LEN = 300000, ENTRY = 112, MIB = 1 << 20 };
    struct pair_cfg cfg = pair_rig_cfg();
    size_t before = resident_bytes();
    struct pair_rig rig;

    (void)state;
    cfg.max_spans = 4000000;
    cfg.max_producers = 1000000;
    pair_rig_open(&rig, &cfg);
    pair_rig_send(&rig, pair_rig_span(SPAN_SERVER, 1, 0, API), 0);
    assert_in_range(resident_bytes() - before, 0, MIB);
    pair_rig_crowd(&rig, 2, LEN - 1);
    size_t rush = resident_bytes();
    assert_true(rush - before > (size_t)LEN * ENTRY);
    pair_rig_pass(&rig, 900 * NS_PER_S);
    assert_true(resident_bytes() < rush - (size_t)LEN * ENTRY / 2);
    pair_free(rig.pair);
}

/* Slots are gone through in a ring of which only a part is held. */
static void
memory_is_that_of_the_spans_held_however_many_came(void **state)
{
    enum { HELD = 40000, LEN = 15 * HELD, MIB = 1 << 20 };
    struct pair_cfg cfg = pair_rig_cfg();
    size_t before = resident_bytes();
    struct pair_rig rig;

    (void)state;
    cfg.wait_ns = NS_PER_S;
    cfg.horizon_ns = (HELD / 100) * NS_PER_S;
    cfg.max_spans = 4000000;
    pair_rig_open(&rig, &cfg);
    for (uint64_t i = 1; i <= LEN; i++) {
        pair_rig_send(&rig, pair_rig_span(SPAN_INTERNAL, i, i - 1, API), 0);
        if (i % 100 == 0)
            pair_rig_pass(&rig, NS_PER_S);
    }
    assert_int_equal(pair_stats(rig.pair).live, HELD - 100);
    /* All that came would take four times as much. */
    assert_in_range(resident_bytes() - before, 0, 24 * MIB);
    pair_check(rig.pair);
    pair_rig_send(&rig, pair_rig_span(SPAN_INTERNAL, LEN - HELD + 100, 0, API),
                  0);
    assert_int_equal(pair_stats(rig.pair).duplicates, 0);
    pair_rig_send(&rig, pair_rig_span(SPAN_INTERNAL, LEN - HELD + 101, 0, API),
                  0);
    assert_int_equal(pair_stats(rig.pair).duplicates, 1);
    pair_rig_close(&rig);
}

/* Of mappings a process has few (vm.max_map_count); a chunk becomes two. */
static void
the_largest_table_has_few_chunks(void **state)
{
    const uint32_t sizes[] = {4000000, 600000000, 1000000000};

    (void)state;
    for (int i = 0; i < 3; i++) {
        struct pair_table table;
        assert_int_equal(pair_table_init(&table, sizes[i]), OK);
        assert_in_range(table.ids.span >> table.chunk_shift, 8, 8192);
        pair_table_fini(&table);
    }
}

/* ---- anything ---- */

/* Everything that can happen does, far beyond the bounds: nothing is taken back
 * that was not told, ingress counts stay exact, nothing is left behind. */
static struct stub
anything(uint64_t *random, uint64_t ids)
{
    static const uint32_t services[] = {WEB, API, WORKER};
    struct stub stub =
        pair_rig_span((uint8_t)(next(random) % 6), 1 + next(random) % ids,
                      next(random) % ids, services[next(random) % 3]);

    stub.trace_hi = next(random) % 4 ? 5 : 0;
    stub.endpoint = stub.flags & STUB_INGRESS && next(random) % 2 ? PAY : 0;
    stub.peer = next(random) % 3 ? TOPIC + (uint32_t)(next(random) % 2) : 0;
    stub.symbol = next(random) % 8 ? 0 : 40;
    if (stub.kind == SPAN_CONSUMER && next(random) % 2)
        stub.flags |= STUB_RECEIVE;
    if (stub.kind == SPAN_PRODUCER && next(random) % 2)
        stub.flags ^= STUB_CREATE | STUB_PUBLISH;
    if (next(random) % 4 == 0)
        stub.flags |= STUB_FAILED;
    if (next(random) % 16 == 0)
        stub.flags |= STUB_SYNTHETIC;
    return stub;
}

/* As if so many spans had come and gone. */
static void
begin_at(struct pair_table *table, uint64_t position)
{
    table->head = table->wait = table->tail = position;
    pair_table_forget(table, position);
}

static void
run_anything_from(uint64_t position, uint64_t seed, uint32_t max_spans,
                  struct pair_sums *out)
{
    struct pair_cfg cfg = pair_rig_cfg();
    uint64_t random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    uint64_t ids = max_spans * (1 + next(&random) % 3);
    uint64_t pause = 1 + next(&random) % 40;
    struct pair_rig rig;
    int64_t ingress = 0;

    cfg.max_spans = max_spans;
    cfg.max_producers = 8;
    cfg.horizon_ns = 300 * NS_PER_S;
    cfg.link_horizon_ns = 1000 * NS_PER_S;
    pair_rig_open(&rig, &cfg);
    begin_at(&rig.pair->table, position);
    for (int i = 0; i < 600; i++) {
        struct stub stub = anything(&random, ids);
        uint64_t before = pair_stats(rig.pair).spans;
        pair_rig_send(&rig, stub,
                      next(&random) % 2 ? 1 + next(&random) % ids : 0);
        if (pair_stats(rig.pair).spans > before &&
            (stub.flags & (STUB_INGRESS | STUB_SYNTHETIC)) == STUB_INGRESS)
            ingress++;
        assert_true(pair_stats(rig.pair).live <= max_spans);
        assert_true(rig.pair->table.pool_used <= rig.pair->table.pool_cap);
        pair_check(rig.pair);
        if (next(&random) % 4 == 0)
            pair_rig_pass(&rig, next(&random) % (pause * NS_PER_S));
    }
    pair_rig_close(&rig);
    int64_t traffic = 0;
    for (uint32_t i = 0; i < rig.sums.len; i++) {
        if (rig.sums.sum[i].key.kind == EDGE_TRAFFIC)
            traffic += rig.sums.sum[i].count;
    }
    assert_int_equal(traffic, ingress);
    *out = rig.sums;
}

static void
run_anything(uint64_t seed, uint32_t max_spans, struct pair_sums *out)
{
    run_anything_from(0, seed, max_spans, out);
}

static void
nothing_is_taken_back_that_was_not_told(void **state)
{
    static struct pair_sums sums;

    (void)state;
    for (uint64_t seed = 1; seed <= 150; seed++)
        run_anything(seed, 8 + (uint32_t)(seed % 120), &sums);
}

static void
the_same_calls_tell_the_same_in_the_same_order(void **state)
{
    static struct pair_sums one;
    static struct pair_sums two;

    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        run_anything(seed, 64, &one);
        run_anything(seed, 64, &two);
        /* Keys are in the order in which they were first told. */
        assert_int_equal(one.len, two.len);
        for (uint32_t i = 0; i < one.len; i++)
            assert_true(edge_key_eq(one.sum[i].key, two.sum[i].key));
        assert_false(pair_sums_differ(&one, &two));
    }
}

/* Slots, rounds and the 32 bits of an id end somewhere, and chunks anywhere. */
static void
how_many_came_before_does_not_matter(void **state)
{
    const uint64_t positions[] = {1,
                                  6,
                                  16,
                                  243,
                                  (UINT64_C(1) << 31) - 301,
                                  (UINT64_C(1) << 32) - 303,
                                  UINT64_C(1) << 40};
    static struct pair_sums one;
    static struct pair_sums two;

    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        run_anything(seed, 8 + (uint32_t)seed * 5, &one);
        for (size_t i = 0; i < sizeof(positions) / sizeof(*positions); i++) {
            run_anything_from(positions[i], seed, 8 + (uint32_t)seed * 5, &two);
            assert_false(pair_sums_differ(&one, &two));
        }
    }
}

/* What a sender who makes up ids could do: one span id, one low half. */
static void
ids_that_differ_in_the_high_half_alone_are_told_apart_up_to_a_bound(
    void **state)
{
    struct pair_cfg cfg = pair_rig_cfg();
    struct pair_rig rig;

    (void)state;
    cfg.max_spans = 100000;
    pair_rig_open(&rig, &cfg);
    for (uint64_t i = 1; i <= 50000; i++) {
        struct stub stub = pair_rig_span(SPAN_SERVER, 7, 0, API);
        stub.trace_hi = i;
        pair_rig_send(&rig, stub, 0);
        if (i == PAIR_CROWD_MAX)
            assert_int_equal(pair_stats(rig.pair).duplicates, 0);
    }
    assert_int_equal(pair_stats(rig.pair).spans, PAIR_CROWD_MAX);
    assert_int_equal(pair_stats(rig.pair).duplicates, 50000 - PAIR_CROWD_MAX);
    pair_rig_close(&rig);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(max_spans_are_held_and_the_oldest_go_for_one_more),
        cmocka_unit_test(what_the_evicted_waited_for_is_told_and_counted),
        cmocka_unit_test(who_waits_for_nothing_is_evicted_without_a_word),
        cmocka_unit_test(an_evicted_producer_can_still_be_linked),
        cmocka_unit_test(the_oldest_producers_go_at_their_bound),
        cmocka_unit_test(links_beyond_all_room_are_dropped_and_counted),
        cmocka_unit_test(a_chain_as_long_as_the_table_finds_its_endpoint),
        cmocka_unit_test(a_nest_as_deep_as_the_table_is_answered_once),
        cmocka_unit_test(
            ids_that_differ_in_the_high_half_alone_are_told_apart_up_to_a_bound),
        cmocka_unit_test(
            ten_thousand_children_of_one_parent_are_ten_thousand_calls),
        cmocka_unit_test(memory_is_small_before_a_rush_and_falls_after_it),
        cmocka_unit_test(memory_is_that_of_the_spans_held_however_many_came),
        cmocka_unit_test(the_largest_table_has_few_chunks),
        cmocka_unit_test(nothing_is_taken_back_that_was_not_told),
        cmocka_unit_test(the_same_calls_tell_the_same_in_the_same_order),
        cmocka_unit_test(how_many_came_before_does_not_matter),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
