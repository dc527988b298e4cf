/* A receive and a process of what a library and the one below it sent. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/pair_rig.h"

enum { SPANS = 5, ORDERS = 120 };

static struct stub
consumer(uint64_t id, uint64_t parent, uint32_t flags)
{
    struct stub stub = pair_rig_span(SPAN_CONSUMER, id, parent, WORKER);

    stub.flags |= flags;
    stub.peer = TOPIC;
    return stub;
}

/* Sends |spans| in the |order|th of all orders, and gives how many messages
 * were taken from the topic; as many are from service to service. */
static int64_t
taken(const struct stub *spans, const uint64_t *links, int order)
{
    struct pair_cfg cfg = pair_rig_cfg();
    int at[SPANS] = {0, 1, 2, 3, 4};
    struct pair_rig rig;

    pair_rig_open(&rig, &cfg);
    for (int left = SPANS; left > 0; left--) {
        int pick = order % left;
        order /= left;
        pair_rig_send(&rig, spans[at[pick]], links[at[pick]]);
        for (int i = pick; i + 1 < left; i++)
            at[i] = at[i + 1];
    }
    int64_t count = pair_rig_count(&rig, TOPIC, WORKER, EDGE_MSG_SUB);
    assert_int_equal(pair_rig_count(&rig, WEB, WORKER, EDGE_MSG), count);
    assert_int_equal(pair_rig_count(&rig, WEB, TOPIC, EDGE_MSG_PUB), 1);
    pair_rig_close(&rig);
    return count;
}

static void
one_message_has_the_ids_of_all_that_sent_it(void **state)
{
    static const uint64_t pairs[][2] = {{1, 3}, {3, 1}, {1, 2}, {3, 2}};
    const uint64_t no_links[SPANS] = {0};

    (void)state;
    for (int i = 0; i < 4; i++) {
        const struct stub spans[SPANS] = {
            pair_rig_span(SPAN_PRODUCER, 1, 0, WEB),
            pair_rig_span(SPAN_PRODUCER, 2, 1, WEB),
            pair_rig_span(SPAN_PRODUCER, 3, 2, WEB),
            consumer(4, pairs[i][0], STUB_RECEIVE),
            consumer(5, pairs[i][1], 0),
        };
        for (int order = 0; order < ORDERS; order++)
            assert_int_equal(taken(spans, no_links, order), 1);
    }
}

static void
so_it_has_for_those_that_link_to_it(void **state)
{
    const struct stub spans[SPANS] = {
        pair_rig_span(SPAN_PRODUCER, 1, 0, WEB),
        pair_rig_span(SPAN_PRODUCER, 2, 1, WEB),
        pair_rig_span(SPAN_PRODUCER, 3, 2, WEB),
        consumer(4, 0, STUB_RECEIVE),
        consumer(5, 3, 0),
    };
    const uint64_t links[SPANS] = {0, 0, 0, 1, 0};
    const uint64_t other_way[SPANS] = {0, 0, 0, 3, 0};

    (void)state;
    for (int order = 0; order < ORDERS; order++) {
        assert_int_equal(taken(spans, links, order), 1);
        assert_int_equal(taken(spans, other_way, order), 1);
    }
}

static void
two_within_one_send_are_two_messages(void **state)
{
    const struct stub spans[SPANS] = {
        pair_rig_span(SPAN_PRODUCER, 1, 0, WEB),
        pair_rig_span(SPAN_PRODUCER, 2, 1, WEB),
        pair_rig_span(SPAN_PRODUCER, 3, 1, WEB),
        consumer(4, 2, STUB_RECEIVE),
        consumer(5, 3, 0),
    };
    const uint64_t no_links[SPANS] = {0};

    (void)state;
    for (int order = 0; order < ORDERS; order++)
        assert_int_equal(taken(spans, no_links, order), 2);
}

static void
a_ring_of_sends_ends(void **state)
{
    const struct stub spans[SPANS] = {
        pair_rig_span(SPAN_PRODUCER, 1, 3, WEB),
        pair_rig_span(SPAN_PRODUCER, 2, 1, WEB),
        pair_rig_span(SPAN_PRODUCER, 3, 2, WEB),
        consumer(4, 1, STUB_RECEIVE),
        consumer(5, 3, 0),
    };
    struct pair_cfg cfg = pair_rig_cfg();
    struct pair_rig rig;

    (void)state;
    pair_rig_open(&rig, &cfg);
    for (int i = 0; i < SPANS; i++)
        pair_rig_send(&rig, spans[i], 0);
    assert_int_equal(pair_rig_count(&rig, TOPIC, WORKER, EDGE_MSG_SUB), 1);
    pair_rig_close(&rig);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_message_has_the_ids_of_all_that_sent_it),
        cmocka_unit_test(so_it_has_for_those_that_link_to_it),
        cmocka_unit_test(two_within_one_send_are_two_messages),
        cmocka_unit_test(a_ring_of_sends_ends),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
