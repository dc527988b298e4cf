/* Client and server that share an id: what is a repeat, and the bounds.  The
 * rest is in tests/support/pair_examples.c, in every order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runtime/pair_state.h"
#include "tests/support/pair_check.h"
#include "tests/support/pair_rig.h"

enum { PARENT = 500, SHARED = 501 };

static void
send(struct pair_rig *rig, uint8_t kind, uint64_t id, uint64_t parent,
     uint32_t service)
{
    pair_rig_send(rig, pair_rig_span(kind, id, parent, service), 0);
    pair_check(rig->pair);
}

static uint64_t
duplicates(const struct pair_rig *rig)
{
    return pair_stats(rig->pair).duplicates;
}

static void
other_spans_with_one_id_are_repeats(void **state)
{
    static const struct {
        uint8_t first;
        uint8_t second;
        uint32_t service; /* of the second; the first is of API */
    } cases[] = {
        {SPAN_CLIENT, SPAN_SERVER, API},      {SPAN_SERVER, SPAN_CLIENT, API},
        {SPAN_PRODUCER, SPAN_SERVER, WEB},    {SPAN_SERVER, SPAN_PRODUCER, WEB},
        {SPAN_PRODUCER, SPAN_CONSUMER, WEB},  {SPAN_CONSUMER, SPAN_CLIENT, WEB},
        {SPAN_CLIENT, SPAN_CONSUMER, WEB},    {SPAN_SERVER, SPAN_SERVER, WEB},
        {SPAN_INTERNAL, SPAN_SERVER, WEB},    {SPAN_CLIENT, SPAN_CLIENT, WEB},
        {SPAN_CLIENT, SPAN_UNSPECIFIED, WEB},
    };
    struct pair_cfg cfg = pair_rig_cfg();
    struct pair_rig rig;

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        pair_rig_open(&rig, &cfg);
        send(&rig, cases[i].first, SHARED, 0, API);
        send(&rig, cases[i].second, SHARED, 0, cases[i].service);
        assert_int_equal(duplicates(&rig), 1);
        assert_int_equal(pair_stats(rig.pair).spans, 1);
        pair_rig_close(&rig);
    }
}

static void
a_second_server_is_a_repeat(void **state)
{
    struct pair_cfg cfg = pair_rig_cfg();
    struct pair_rig rig;

    (void)state;
    pair_rig_open(&rig, &cfg);
    send(&rig, SPAN_SERVER, SHARED, 0, API);
    send(&rig, SPAN_CLIENT, SHARED, 0, WEB);
    send(&rig, SPAN_SERVER, SHARED, 0, WORKER);
    assert_int_equal(duplicates(&rig), 1);
    assert_int_equal(pair_rig_count(&rig, WEB, API, EDGE_CALL), 1);
    assert_int_equal(pair_rig_count(&rig, USER, API, EDGE_VIRTUAL_IN), 0);
    pair_rig_close(&rig);
}

/* Below a parent, a |kind|, of |others| others. */
static void
send_below(struct pair_rig *rig, uint8_t kind, uint64_t others)
{
    struct pair_cfg cfg = pair_rig_cfg();

    pair_rig_open(rig, &cfg);
    pair_rig_send(rig, pair_rig_span(kind, PARENT, 0, WEB), 0);
    for (uint64_t i = 0; i < others; i++)
        pair_rig_send(rig, pair_rig_span(SPAN_SERVER, 1000 + i, PARENT, WORKER),
                      0);
    send(rig, SPAN_SERVER, SHARED, PARENT, API);
    send(rig, SPAN_CLIENT, SHARED, PARENT, WEB);
    assert_int_equal(pair_rig_count(rig, WEB, WORKER, EDGE_CALL), others);
    assert_int_equal(pair_rig_count(rig, WEB, API, EDGE_CALL), 1);
}

static void
a_server_leaves_a_parent_of_256_or_a_call_of_16(void **state)
{
    struct pair_rig rig;

    (void)state;
    send_below(&rig, SPAN_SERVER, 255);
    assert_int_equal(duplicates(&rig), 0);
    pair_rig_close(&rig);
    send_below(&rig, SPAN_CLIENT, 15);
    assert_int_equal(duplicates(&rig), 0);
    pair_rig_close(&rig);
}

static void
it_stays_with_one_of_more(void **state)
{
    struct pair_rig rig;

    (void)state;
    send_below(&rig, SPAN_SERVER, 256);
    assert_int_equal(duplicates(&rig), 1);
    pair_rig_close(&rig);
    send_below(&rig, SPAN_CLIENT, 16);
    assert_int_equal(duplicates(&rig), 1);
    pair_rig_close(&rig);
}

static void
it_stays_with_one_that_is_forgotten(void **state)
{
    struct pair_cfg cfg = pair_rig_cfg();
    struct pair_rig rig;

    (void)state;
    pair_rig_open(&rig, &cfg);
    send(&rig, SPAN_SERVER, PARENT, 0, WEB);
    pair_rig_pass(&rig, 800 * S);
    send(&rig, SPAN_SERVER, SHARED, PARENT, API);
    pair_rig_pass(&rig, 200 * S);
    send(&rig, SPAN_CLIENT, SHARED, PARENT, WEB);
    assert_int_equal(duplicates(&rig), 1);
    assert_int_equal(pair_rig_count(&rig, WEB, API, EDGE_CALL), 1);
    pair_rig_close(&rig);
}

/* A call that was answered stays so: only for who takes the answer's place. */
static void
it_stays_with_a_call_that_its_client_does_not_name(void **state)
{
    struct pair_cfg cfg = pair_rig_cfg();
    struct pair_rig rig;

    (void)state;
    pair_rig_open(&rig, &cfg);
    send(&rig, SPAN_CLIENT, PARENT, 0, WEB);
    send(&rig, SPAN_SERVER, SHARED, PARENT, API);
    send(&rig, SPAN_CLIENT, SHARED, 0, WEB);
    assert_int_equal(duplicates(&rig), 1);
    assert_int_equal(pair_rig_count(&rig, WEB, API, EDGE_CALL), 1);
    pair_rig_close(&rig);
}

/* Whoever of them is forgotten first. */
static void
halves_are_forgotten_one_after_another(void **state)
{
    const uint8_t kind[] = {SPAN_SERVER, SPAN_CLIENT};
    const uint32_t service[] = {API, WEB};
    struct pair_cfg cfg = pair_rig_cfg();
    struct pair_rig rig;

    (void)state;
    for (int first = 0; first < 2; first++) {
        pair_rig_open(&rig, &cfg);
        send(&rig, kind[first], SHARED, 0, service[first]);
        pair_rig_pass(&rig, 600 * S);
        send(&rig, kind[!first], SHARED, 0, service[!first]);
        send(&rig, SPAN_CLIENT, 7, SHARED, API);
        pair_rig_pass(&rig, 400 * S);
        assert_int_equal(pair_stats(rig.pair).live, 2);
        assert_int_equal(pair_rig_count(&rig, WEB, API, EDGE_CALL), 1);
        send(&rig, SPAN_CLIENT, 8, SHARED, API);
        send(&rig, kind[!first], SHARED, 0, service[!first]);
        pair_rig_close(&rig);
    }
}

/* A replay of spans that are held forgets nobody. */
static void
repeats_of_halves_forget_nobody_at_the_bound(void **state)
{
    struct pair_cfg cfg = pair_rig_cfg();
    struct pair_rig rig;

    (void)state;
    cfg.max_spans = 16;
    pair_rig_open(&rig, &cfg);
    send(&rig, SPAN_CLIENT, SHARED, 0, WEB);
    send(&rig, SPAN_SERVER, SHARED, 0, API);
    pair_rig_crowd(&rig, 1, 14);
    send(&rig, SPAN_SERVER, SHARED, 0, API);
    send(&rig, SPAN_CLIENT, SHARED, 0, WEB);
    assert_int_equal(duplicates(&rig), 2);
    assert_int_equal(pair_stats(rig.pair).evicted, 0);
    pair_rig_crowd(&rig, 100, 1);
    assert_int_equal(pair_stats(rig.pair).evicted, 1);
    pair_rig_close(&rig);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(other_spans_with_one_id_are_repeats),
        cmocka_unit_test(a_second_server_is_a_repeat),
        cmocka_unit_test(a_server_leaves_a_parent_of_256_or_a_call_of_16),
        cmocka_unit_test(it_stays_with_one_of_more),
        cmocka_unit_test(it_stays_with_one_that_is_forgotten),
        cmocka_unit_test(it_stays_with_a_call_that_its_client_does_not_name),
        cmocka_unit_test(halves_are_forgotten_one_after_another),
        cmocka_unit_test(repeats_of_halves_forget_nobody_at_the_bound),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
