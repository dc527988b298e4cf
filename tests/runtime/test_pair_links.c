/* Links, within the horizon and long after it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "runtime/pair_state.h"
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

/* Its call by parentage was told and stays, whatever its links turn out to
 * be. */
static void
a_forgotten_parent_keeps_its_call_when_a_link_is_shadowed(void **state)
{
    struct pair_cfg cfg = pair_rig_cfg();
    struct stub receive = pair_rig_span(SPAN_CONSUMER, 3, 1, WORKER);
    struct pair_rig rig;

    (void)state;
    receive.flags |= STUB_RECEIVE;
    pair_rig_open(&rig, &cfg);
    pair_rig_send(&rig, pair_rig_span(SPAN_CLIENT, 1, 0, API), 0);
    pair_rig_pass(&rig, 600 * NS_PER_S);
    pair_rig_send(&rig, pair_rig_span(SPAN_PRODUCER, 2, 0, WEB), 0);
    pair_rig_send(&rig, receive, 2);
    pair_rig_pass(&rig, 400 * NS_PER_S);
    pair_rig_send(&rig, pair_rig_span(SPAN_CONSUMER, 4, 0, WORKER), 2);
    assert_int_equal(pair_rig_count(&rig, API, WORKER, EDGE_MSG), 1);
    assert_int_equal(pair_rig_count(&rig, WEB, WORKER, EDGE_MSG), 1);
    pair_rig_close(&rig);
}

/* The receive comes before the process, or after it. */
static void
check_latency(bool is_first)
{
    struct pair_cfg cfg = pair_rig_cfg();
    struct stub receive = pair_rig_span(SPAN_CONSUMER, 2, 1, WORKER);
    struct stub process = pair_rig_span(SPAN_CONSUMER, 3, 1, WORKER);
    struct pair_rig rig;

    receive.flags |= STUB_RECEIVE;
    pair_rig_open(&rig, &cfg);
    pair_rig_send(&rig, pair_rig_span(SPAN_PRODUCER, 1, 0, WEB), 0);
    pair_rig_send(&rig, is_first ? receive : process, 0);
    pair_rig_send(&rig, is_first ? process : receive, 0);
    struct pair_sum sum =
        pair_sums_get(&rig.sums, (struct edge_key){WEB, WORKER, EDGE_MSG});
    assert_int_equal(sum.count, 1);
    assert_int_equal(sum.samples, 1);
    pair_rig_close(&rig);
}

static void
a_hidden_receive_does_not_take_the_latency_with_it(void **state)
{
    (void)state;
    check_latency(true);
    check_latency(false);
}

/* ---- producers that are loaded when somebody waits for them already ---- */

static void
load_producer(struct pair_rig *rig, uint64_t id)
{
    struct pair_cfg cfg = pair_rig_cfg();
    struct pair_rig other;
    struct buf bytes = {0};
    uint64_t until;

    pair_rig_open(&other, &cfg);
    pair_rig_send(&other, pair_rig_span(SPAN_PRODUCER, id, 0, WEB), 0);
    pair_rig_pass(&other, 900 * NS_PER_S);
    assert_int_equal(pair_save_producers(other.pair, &bytes, &until), 1);
    assert_int_equal(pair_load_producers(rig->pair, buf_str(&bytes)), OK);
    buf_fini(&bytes);
    pair_rig_close(&other);
}

static void
a_loaded_producer_resolves_who_waited(void **state)
{
    struct pair_cfg cfg = pair_rig_cfg();
    struct pair_rig rig;

    (void)state;
    pair_rig_open(&rig, &cfg);
    pair_rig_send(&rig, pair_rig_span(SPAN_CONSUMER, 2, 0, WORKER), 1);
    pair_rig_send(&rig, pair_rig_span(SPAN_CONSUMER, 3, 1, WORKER), 0);
    pair_rig_pass(&rig, 60 * NS_PER_S);
    assert_int_equal(pair_rig_count(&rig, SCOPE, WORKER, EDGE_UNRESOLVED_LINK),
                     1);
    assert_int_equal(pair_rig_count(&rig, SCOPE, WORKER, EDGE_ORPHAN), 1);
    load_producer(&rig, 1);
    pair_rig_send(&rig, pair_rig_span(SPAN_CONSUMER, 4, 0, API), 1);
    assert_int_equal(pair_rig_count(&rig, SCOPE, WORKER, EDGE_UNRESOLVED_LINK),
                     0);
    assert_int_equal(pair_rig_count(&rig, SCOPE, WORKER, EDGE_ORPHAN), 0);
    assert_int_equal(pair_rig_count(&rig, WEB, WORKER, EDGE_MSG), 2);
    assert_int_equal(pair_rig_count(&rig, WEB, API, EDGE_MSG), 1);
    pair_rig_close(&rig);
}

static void
a_loaded_producer_shows_that_a_waiting_child_is_its_process(void **state)
{
    struct pair_cfg cfg = pair_rig_cfg();
    struct stub receive = pair_rig_span(SPAN_CONSUMER, 3, 0, WORKER);
    struct pair_rig rig;

    (void)state;
    receive.flags |= STUB_RECEIVE;
    pair_rig_open(&rig, &cfg);
    pair_rig_send(&rig, pair_rig_span(SPAN_CONSUMER, 2, 1, WORKER), 0);
    load_producer(&rig, 1);
    pair_rig_send(&rig, receive, 1);
    assert_int_equal(pair_rig_count(&rig, WEB, WORKER, EDGE_MSG), 1);
    pair_rig_close(&rig);
}

static void
a_loaded_producer_keeps_in_mind_who_received_from_it(void **state)
{
    struct pair_cfg cfg = pair_rig_cfg();
    struct stub receive = pair_rig_span(SPAN_CONSUMER, 3, 0, WORKER);
    struct pair_rig rig;

    (void)state;
    receive.flags |= STUB_RECEIVE;
    pair_rig_open(&rig, &cfg);
    pair_rig_send(&rig, receive, 1);
    load_producer(&rig, 1);
    pair_rig_send(&rig, pair_rig_span(SPAN_CONSUMER, 4, 0, WORKER), 1);
    assert_int_equal(pair_rig_count(&rig, WEB, WORKER, EDGE_MSG), 1);
    pair_rig_close(&rig);
}

/* The first to go, when all others are held. */
static void
an_evicted_producer_is_still_linked_to(void **state)
{
    struct pair_cfg cfg = pair_rig_cfg();
    struct pair_rig rig;

    (void)state;
    cfg.max_spans = 8;
    pair_rig_open(&rig, &cfg);
    pair_rig_send(&rig, pair_rig_span(SPAN_PRODUCER, 1, 0, WEB), 0);
    pair_rig_send(&rig, pair_rig_span(SPAN_CONSUMER, 2, 0, WORKER), 1);
    pair_rig_crowd(&rig, 100, 7);
    assert_int_equal(pair_stats(rig.pair).evicted, 1);
    assert_int_equal(rig.pair->table.pool_used, 1);
    assert_int_equal(pair_rig_count(&rig, WEB, WORKER, EDGE_MSG), 1);
    pair_rig_close(&rig);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_evicted_producer_is_still_linked_to),
        cmocka_unit_test(a_consumer_links_a_producer_within_the_link_horizon),
        cmocka_unit_test(beyond_the_link_horizon_a_link_is_unresolved),
        cmocka_unit_test(a_producer_that_comes_late_resolves_the_link),
        cmocka_unit_test(a_hidden_receive_does_not_take_the_latency_with_it),
        cmocka_unit_test(
            a_receive_is_taken_back_after_its_producer_was_forgotten),
        cmocka_unit_test(
            a_consumer_finds_its_parent_among_producers_of_long_ago),
        cmocka_unit_test(a_producer_that_comes_again_takes_its_own_place),
        cmocka_unit_test(weight_and_kind_of_a_producer_are_kept),
        cmocka_unit_test(
            a_forgotten_parent_keeps_its_call_when_a_link_is_shadowed),
        cmocka_unit_test(a_loaded_producer_resolves_who_waited),
        cmocka_unit_test(
            a_loaded_producer_shows_that_a_waiting_child_is_its_process),
        cmocka_unit_test(a_loaded_producer_keeps_in_mind_who_received_from_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
