/*
 * Messages that are told twice, and that looking at them is no square of the
 * edges of a hub.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/clock.h"
#include "graph/query_ways.h"
#include "tests/support/fail_alloc.h"

enum { TOPIC = 1, SENDER = 2, TAKER = 3, OTHER = 4, HUB = 200000 };

static struct query_edge
edge(uint32_t source, uint32_t target, enum edge_kind kind)
{
    return (struct query_edge){
        .source = source, .target = target, .kind = (uint8_t)kind};
}

static void
what_a_topic_tells_is_twice_from_end_to_end(void **state)
{
    struct query_edge rows[] = {
        edge(SENDER, TOPIC, EDGE_MSG_PUB), edge(TOPIC, TAKER, EDGE_MSG_SUB),
        edge(SENDER, TAKER, EDGE_MSG),     edge(OTHER, SENDER, EDGE_MSG),
        edge(SENDER, TAKER, EDGE_CALL),    edge(TOPIC, OTHER, EDGE_MSG_SUB),
    };
    const struct query_edges edges = {.rows = rows, .len = 6};
    struct query_ways ways;

    (void)state;
    assert_int_equal(query_ways_make(&edges, &ways), OK);
    assert_true(query_ways_is_twice(&ways, &rows[2], true));
    assert_true(query_ways_is_twice(&ways, &rows[2], false));
    /* Nothing is taken by SENDER, and nothing published by OTHER. */
    assert_false(query_ways_is_twice(&ways, &rows[3], true));
    assert_false(query_ways_is_twice(&ways, &rows[3], false));
    for (int i = 0; i < 2; i++)
        assert_false(query_ways_is_twice(&ways, &rows[i], true) ||
                     query_ways_is_twice(&ways, &rows[i], false));
    assert_false(query_ways_is_twice(&ways, &rows[4], true));
    assert_true(query_ways_is_way(&ways, &rows[1]));
    assert_false(query_ways_is_way(&ways, &rows[5]));
    assert_false(query_ways_is_way(&ways, &rows[2]));
    query_ways_fini(&ways);
}

/* Each row against all others would be 40,000 million looks. */
static void
a_hub_takes_no_longer_a_row_than_a_leaf(void **state)
{
    struct query_edge *rows = calloc(2 * (size_t)HUB, sizeof(*rows));
    const struct query_edges edges = {.rows = rows, .len = 2 * (size_t)HUB};
    struct query_ways ways;
    size_t twice = 0;
    size_t is_way = 0;

    (void)state;
    assert_non_null(rows);
    for (uint32_t i = 0; i < HUB; i++) {
        rows[i] = edge(HUB + i, i + 1, EDGE_MSG);
        rows[HUB + i] = edge(2 * HUB + i, i + 2, EDGE_MSG_SUB);
    }
    uint64_t begun_ns = clock_mono_ns();
    assert_int_equal(query_ways_make(&edges, &ways), OK);
    for (size_t i = 0; i < edges.len; i++) {
        twice += query_ways_is_twice(&ways, &rows[i], true);
        is_way += query_ways_is_way(&ways, &rows[i]);
    }
    assert_true(clock_mono_ns() - begun_ns < 5 * NS_PER_S);
    assert_int_equal(twice, HUB - 1);
    assert_int_equal(is_way, HUB - 1);
    query_ways_fini(&ways);
    free(rows);
}

static void
without_memory_there_is_none(void **state)
{
    struct query_edge rows[] = {edge(SENDER, TOPIC, EDGE_MSG_PUB),
                                edge(TOPIC, TAKER, EDGE_MSG_SUB),
                                edge(SENDER, TAKER, EDGE_MSG)};
    const struct query_edges edges = {.rows = rows, .len = 3};
    struct query_ways ways;

    (void)state;
    for (size_t at = 1; at <= 3; at++) {
        fail_alloc_at(at, false);
        assert_int_equal(query_ways_make(&edges, &ways), ERR_NOMEM);
        assert_true(fail_alloc_end());
        assert_null(ways.taken.words);
        assert_null(ways.published.words);
        assert_null(ways.ended.words);
    }
    assert_int_equal(query_ways_make(&edges, &ways), OK);
    query_ways_fini(&ways);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_topic_tells_is_twice_from_end_to_end),
        cmocka_unit_test(a_hub_takes_no_longer_a_row_than_a_leaf),
        cmocka_unit_test(without_memory_there_is_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
