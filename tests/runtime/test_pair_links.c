/* Links, within the horizon and long after it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "tests/support/pair_rig.h"

static void
a_consumer_links_a_producer_within_the_link_horizon(void **state)
{
    struct pair_cfg cfg = pair_rig_cfg();
    struct pair_rig rig;

    (void)state;
    pair_rig_open(&rig, &cfg);
    pair_rig_send(&rig, pair_rig_span(SPAN_PRODUCER, 1, 0, WEB), 0);
    pair_rig_pass(&rig, 86400 * S);
    assert_int_equal(pair_stats(rig.pair).producers, 1);
    pair_rig_send(&rig, pair_rig_span(SPAN_CONSUMER, 2, 0, WORKER), 1);
    assert_int_equal(pair_rig_count(&rig, WEB, WORKER, EDGE_MSG), 1);
    pair_rig_pass(&rig, 60 * S);
    assert_int_equal(pair_stats(rig.pair).producers, 0);
    assert_int_equal(pair_rig_count(&rig, SCOPE, WORKER, EDGE_UNRESOLVED_LINK),
                     0);
    pair_rig_send(&rig, pair_rig_span(SPAN_CONSUMER, 3, 0, API), 1);
    pair_rig_pass(&rig, 60 * S);
    /* It is still linked to, so it is still known. */
    assert_int_equal(pair_rig_count(&rig, WEB, API, EDGE_MSG), 1);
    pair_rig_close(&rig);
}

static void
beyond_the_link_horizon_a_link_is_unresolved(void **state)
{
    struct pair_cfg cfg = pair_rig_cfg();
    struct pair_rig rig;

    (void)state;
    pair_rig_open(&rig, &cfg);
    pair_rig_send(&rig, pair_rig_span(SPAN_PRODUCER, 1, 0, WEB), 0);
    pair_rig_pass(&rig, 86401 * S);
    pair_rig_send(&rig, pair_rig_span(SPAN_CONSUMER, 2, 0, WORKER), 1);
    assert_int_equal(pair_rig_count(&rig, WEB, WORKER, EDGE_MSG), 0);
    pair_rig_pass(&rig, 60 * S);
    assert_int_equal(pair_rig_count(&rig, SCOPE, WORKER, EDGE_UNRESOLVED_LINK),
                     1);
    pair_rig_close(&rig);
}

static void
a_producer_that_comes_late_resolves_the_link(void **state)
{
    struct pair_cfg cfg = pair_rig_cfg();
    struct pair_rig rig;

    (void)state;
    pair_rig_open(&rig, &cfg);
    pair_rig_send(&rig, pair_rig_span(SPAN_CONSUMER, 2, 0, WORKER), 1);
    pair_rig_pass(&rig, 60 * S);
    assert_int_equal(pair_rig_count(&rig, SCOPE, WORKER, EDGE_UNRESOLVED_LINK),
                     1);
    pair_rig_pass(&rig, 60 * S);
    pair_rig_send(&rig, pair_rig_span(SPAN_PRODUCER, 1, 0, WEB), 0);
    assert_int_equal(pair_rig_count(&rig, SCOPE, WORKER, EDGE_UNRESOLVED_LINK),
                     0);
    assert_int_equal(pair_rig_count(&rig, WEB, WORKER, EDGE_MSG), 1);
    pair_rig_close(&rig);
}

static void
a_receive_is_taken_back_after_its_producer_was_forgotten(void **state)
{
    struct pair_cfg cfg = pair_rig_cfg();
    struct stub receive = pair_rig_span(SPAN_CONSUMER, 2, 0, WORKER);
    struct pair_rig rig;

    (void)state;
    receive.flags |= STUB_RECEIVE;
    receive.peer = TOPIC;
    pair_rig_open(&rig, &cfg);
    pair_rig_send(&rig, pair_rig_span(SPAN_PRODUCER, 1, 0, WEB), 0);
    pair_rig_pass(&rig, 600 * S);
    pair_rig_send(&rig, receive, 1);
    assert_int_equal(pair_rig_count(&rig, TOPIC, WORKER, EDGE_MSG_SUB), 1);
    pair_rig_pass(&rig,
                  400 * S); /* the producer lives on because it is linked to */
    pair_rig_send(&rig, pair_rig_span(SPAN_CONSUMER, 3, 0, WORKER), 1);
    assert_int_equal(pair_rig_count(&rig, WEB, WORKER, EDGE_MSG), 1);
    assert_int_equal(pair_rig_count(&rig, TOPIC, WORKER, EDGE_MSG_SUB), 0);
    pair_rig_close(&rig);
}

static void
a_consumer_finds_its_parent_among_producers_of_long_ago(void **state)
{
    struct pair_cfg cfg = pair_rig_cfg();
    struct pair_rig rig;

    (void)state;
    pair_rig_open(&rig, &cfg);
    pair_rig_send(&rig, pair_rig_span(SPAN_PRODUCER, 1, 0, WEB), 0);
    pair_rig_pass(&rig, 3600 * S);
    pair_rig_send(&rig, pair_rig_span(SPAN_SERVER, 3, 1, API), 0);
    pair_rig_send(&rig, pair_rig_span(SPAN_CONSUMER, 2, 1, WORKER), 1);
    pair_rig_pass(&rig, 60 * S);
    assert_int_equal(pair_rig_count(&rig, WEB, WORKER, EDGE_MSG), 1);
    assert_int_equal(pair_rig_count(&rig, SCOPE, WORKER, EDGE_ORPHAN), 0);
    assert_int_equal(pair_rig_count(&rig, SCOPE, API, EDGE_ORPHAN), 1);
    pair_rig_close(&rig);
}

static void
a_producer_that_comes_again_takes_its_own_place(void **state)
{
    struct pair_cfg cfg = pair_rig_cfg();
    struct pair_rig rig;

    (void)state;
    pair_rig_open(&rig, &cfg);
    pair_rig_send(&rig, pair_rig_span(SPAN_PRODUCER, 1, 0, WEB), 0);
    pair_rig_pass(&rig, 3600 * S);
    pair_rig_send(&rig, pair_rig_span(SPAN_CONSUMER, 2, 1, WORKER), 0);
    pair_rig_send(&rig, pair_rig_span(SPAN_CONSUMER, 3, 0, WORKER), 1);
    assert_int_equal(pair_rig_count(&rig, WEB, WORKER, EDGE_MSG), 2);
    pair_rig_send(&rig, pair_rig_span(SPAN_PRODUCER, 1, 0, API), 0);
    assert_int_equal(pair_rig_count(&rig, WEB, WORKER, EDGE_MSG), 0);
    assert_int_equal(pair_rig_count(&rig, API, WORKER, EDGE_MSG), 2);
    pair_rig_close(&rig);
}

static void
weight_and_kind_of_a_producer_are_kept(void **state)
{
    struct pair_cfg cfg = pair_rig_cfg();
    struct stub producer = pair_rig_span(SPAN_PRODUCER, 1, 0, WEB);
    struct stub probe = pair_rig_span(SPAN_PRODUCER, 4, 0, WEB);
    struct pair_rig rig;

    (void)state;
    producer.flags |= STUB_WEIGHT_KNOWN | STUB_FAILED;
    producer.weight = 8 * WEIGHT_ONE;
    probe.flags |= STUB_SYNTHETIC;
    pair_rig_open(&rig, &cfg);
    pair_rig_send(&rig, producer, 0);
    pair_rig_send(&rig, probe, 0);
    pair_rig_pass(&rig, 3600 * S);
    pair_rig_send(&rig, pair_rig_span(SPAN_CONSUMER, 2, 0, WORKER), 1);
    pair_rig_send(&rig, pair_rig_span(SPAN_CONSUMER, 3, 0, WORKER), 4);
    struct pair_sum sum =
        pair_sums_get(&rig.sums, (struct edge_key){WEB, WORKER, EDGE_MSG});
    assert_int_equal(sum.count, 1);
    assert_int_equal(sum.weight, 8 * WEIGHT_ONE);
    assert_int_equal(sum.known, 1);
    assert_int_equal(sum.errors, 0);
    pair_rig_close(&rig);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_consumer_links_a_producer_within_the_link_horizon),
        cmocka_unit_test(beyond_the_link_horizon_a_link_is_unresolved),
        cmocka_unit_test(a_producer_that_comes_late_resolves_the_link),
        cmocka_unit_test(
            a_receive_is_taken_back_after_its_producer_was_forgotten),
        cmocka_unit_test(
            a_consumer_finds_its_parent_among_producers_of_long_ago),
        cmocka_unit_test(a_producer_that_comes_again_takes_its_own_place),
        cmocka_unit_test(weight_and_kind_of_a_producer_are_kept),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
