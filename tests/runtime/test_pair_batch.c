/* Spans of one request are taken in together, up to 512 at once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "tests/support/pair_rig.h"

enum { TOGETHER = 512 };

struct told {
    int64_t calls;
    int64_t traffic;
    int64_t seen;
    uint32_t taken_back;
};

static void
on_told(void *ctx, const struct edge_obs *obs)
{
    struct told *told = ctx;

    told->calls += obs->key.kind == EDGE_CALL ? obs->count : 0;
    told->traffic += obs->key.kind == EDGE_TRAFFIC ? obs->count : 0;
    told->seen += obs->key.kind == EDGE_SEEN ? obs->count : 0;
    told->taken_back += obs->count < 0;
}

/* Sends |calls| servers, and after them their clients, as one request, and it
 * again. */
static struct told
send_calls(uint32_t calls, struct pair_stats *stats)
{
    static struct stub stubs[2 * TOGETHER];
    struct pair_cfg cfg = pair_rig_cfg();
    struct stub_batch batch = {.stubs = stubs,
                               .stub_len = 2 * calls,
                               .received_ns = UINT64_C(1700000000) * NS_PER_S};
    struct told told = {0};
    struct pair *pair;

    cfg.max_spans = 100000;
    for (uint32_t i = 0; i < calls; i++) {
        stubs[i] = pair_rig_span(SPAN_SERVER, 2 * i + 2, 2 * i + 1, API);
        stubs[calls + i] = pair_rig_span(SPAN_CLIENT, 2 * i + 1, 0, WEB);
        stubs[i].trace_lo = stubs[calls + i].trace_lo = i + 1;
    }
    assert_int_equal(pair_new(&pair, &cfg, on_told, &told), OK);
    pair_add(pair, &batch);
    pair_add(pair, &batch);
    *stats = pair_stats(pair);
    pair_free(pair);
    return told;
}

static void
a_child_before_its_parent_is_told_once(void **state)
{
    struct pair_stats stats;
    struct told told = send_calls(TOGETHER / 2, &stats);

    (void)state;
    assert_int_equal(told.calls, TOGETHER / 2);
    assert_int_equal(told.traffic, TOGETHER / 2);
    assert_int_equal(told.seen, TOGETHER);
    assert_int_equal(told.taken_back, 0);
    assert_int_equal(stats.spans, TOGETHER);
    assert_int_equal(stats.duplicates, TOGETHER);
    assert_int_equal(stats.evicted, 0);
}

static void
a_request_of_more_spans_says_the_same(void **state)
{
    struct pair_stats stats;

    (void)state;
    for (uint32_t calls = TOGETHER / 2 + 1; calls <= TOGETHER; calls += 255) {
        struct told told = send_calls(calls, &stats);
        assert_int_equal(told.calls, calls);
        assert_int_equal(told.traffic, calls);
        assert_int_equal(told.seen, 2 * calls);
        assert_int_equal(stats.duplicates, 2 * calls);
    }
}

/* There is room for all of them and not one more. */
static void
repeats_without_room_make_nobody_go(void **state)
{
    static struct stub stubs[TOGETHER];
    struct pair_cfg cfg = pair_rig_cfg();
    struct stub_batch batch = {.stubs = stubs,
                               .stub_len = TOGETHER,
                               .received_ns = UINT64_C(1700000000) * NS_PER_S};
    struct told told = {0};
    struct pair *pair;

    (void)state;
    cfg.max_spans = TOGETHER;
    for (uint32_t i = 0; i < TOGETHER; i++)
        stubs[i] = pair_rig_span(SPAN_CLIENT, i + 1, 0, WEB);
    assert_int_equal(pair_new(&pair, &cfg, on_told, &told), OK);
    pair_add(pair, &batch);
    pair_add(pair, &batch);
    assert_int_equal(pair_stats(pair).duplicates, TOGETHER);
    assert_int_equal(pair_stats(pair).evicted, 0);
    assert_int_equal(pair_stats(pair).live, TOGETHER);
    stubs[0].span_id = TOGETHER + 1;
    pair_add(pair, &batch);
    assert_true(pair_stats(pair).evicted > 0);
    assert_int_equal(pair_stats(pair).live + pair_stats(pair).evicted,
                     pair_stats(pair).spans);
    pair_free(pair);
}

/* As many wait, and have links, as there is room for in the table: nobody goes
 * for what a request might have needed and did not. */
static void
a_pool_is_filled_to_its_bound_and_nobody_goes(void **state)
{
    enum { SPANS = 32 * TOGETHER, LINKS = SPANS / 2 - 1 };
    static struct stub stubs[TOGETHER];
    static struct span_link links[TOGETHER];
    struct pair_cfg cfg = pair_rig_cfg();
    struct stub_batch batch = {.stubs = stubs,
                               .links = links,
                               .stub_len = TOGETHER,
                               .received_ns = UINT64_C(1700000000) * NS_PER_S};
    struct told told = {0};
    struct pair *pair;

    (void)state;
    cfg.max_spans = SPANS;
    assert_int_equal(pair_new(&pair, &cfg, on_told, &told), OK);
    for (uint32_t sent = 0; sent <= SPANS; sent += TOGETHER) {
        assert_int_equal(pair_stats(pair).evicted, 0);
        batch.link_len = TOGETHER;
        for (uint32_t i = 0; i < TOGETHER; i++) {
            uint64_t id = 3 * (uint64_t)(sent + i) + 1;
            stubs[i] = pair_rig_span(SPAN_CONSUMER, id, id + 1, WORKER);
            stubs[i].link_at = i;
            stubs[i].link_len = sent + i < LINKS;
            links[i] = (struct span_link){5, 6, id + 2};
        }
        pair_add(pair, &batch);
    }
    assert_int_equal(pair_stats(pair).links_dropped, 0);
    assert_int_equal(pair_stats(pair).evicted, TOGETHER);
    assert_int_equal(pair_stats(pair).live, SPANS);
    pair_free(pair);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_child_before_its_parent_is_told_once),
        cmocka_unit_test(a_request_of_more_spans_says_the_same),
        cmocka_unit_test(repeats_without_room_make_nobody_go),
        cmocka_unit_test(a_pool_is_filled_to_its_bound_and_nobody_goes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
