/* The room that answers have which nobody takes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/metrics.h"
#include "tests/support/net_kit.h"

static size_t
reserved(void)
{
    return (size_t)metrics_get(METRIC_MEMORY_RESERVED);
}

/* Asks for an answer of |len| bytes. */
static void
ask_echo(struct kit *kit, size_t len)
{
    struct buf head = {.cap_max = 0};

    buf_add(&head, STR("GET /echo?"));
    while (head.len < len - 1) /* a space comes behind it */
        buf_add_char(&head, 'q');
    buf_add(&head, STR(" HTTP/1.1\r\nHost: h\r\n\r\n"));
    buf_reset(&kit->out);
    kit_feed(kit, buf_str(&head));
    buf_fini(&head);
}

/* An answer is in memory until its peer takes it. */
static void
answers_that_nobody_takes_have_a_bound(void **state)
{
    enum { BIG = 1 << 20, SLOW = 3 };
    const str ask = STR("GET /big HTTP/1.1\r\nHost: h\r\n\r\n");
    struct server_limits limits = server_limits_default;
    struct session_peer peer = {.is_loopback = true};
    struct session *slow[SLOW];
    struct kit kit;

    (void)state;
    limits.budget_bytes = (size_t)SLOW * BIG;
    kit_session(&kit, http1_new, &limits);
    for (size_t i = 0; i < SLOW; i++) {
        slow[i] = http1_new(&kit.env, &peer, kit.now_ms);
        assert_non_null(slow[i]);
        session_feed(slow[i], kit.now_ms, ask);
        assert_int_equal(reserved(), (i + 1) * BIG);
    }
    uint64_t full = metrics_get(METRIC_REFUSED_FULL);
    kit_feed(&kit, ask);
    assert_true(kit_has(&kit.out, "HTTP/1.1 503"));
    assert_true(kit_has(&kit.out, "\r\nretry-after: 1\r\n"));
    assert_true(kit_has(&kit.out, "\r\n\r\nno memory for the answer\n"));
    assert_true(kit.out.len < 1024);
    assert_int_equal(metrics_get(METRIC_REFUSED_FULL), full + 1);
    /* What says that something was done is said: that is short. */
    ask_echo(&kit, 1024);
    assert_true(kit_has(&kit.out, "HTTP/1.1 200"));
    ask_echo(&kit, 1025);
    assert_true(kit_has(&kit.out, "HTTP/1.1 503"));
    assert_int_equal(reserved(), SLOW * BIG);

    buf_reset(&kit.out);
    session_free(slow[0]);
    kit_feed(&kit, ask);
    assert_true(kit_has(&kit.out, "HTTP/1.1 200"));
    assert_true(kit.out.len > BIG);
    assert_int_equal(reserved(), (SLOW - 1) * BIG); /* it was taken */
    for (size_t i = 1; i < SLOW; i++)
        session_free(slow[i]);
    kit_session_fini(&kit);
    assert_int_equal(reserved(), 0);
}

/* Nobody is told to come again for what will never be. */
static void
an_answer_over_all_of_it_is_an_error(void **state)
{
    enum { BIG = 1 << 20 };
    const str ask = STR("GET /big HTTP/1.1\r\nHost: h\r\n\r\n");
    uint64_t refused = metrics_get(METRIC_REFUSED_TOO_LARGE);
    struct server_limits limits = server_limits_default;

    (void)state;
    for (size_t less = 0; less < 2; less++) {
        struct kit kit;
        limits.budget_bytes = BIG - less;
        kit_session(&kit, http1_new, &limits);
        kit_feed(&kit, ask);
        assert_true(kit_has(&kit.out, less ? "HTTP/1.1 500" : "HTTP/1.1 200"));
        assert_int_equal(kit_has(&kit.out, "larger than store.request_memory"),
                         less);
        assert_false(kit_has(&kit.out, "retry-after"));
        kit_session_fini(&kit);
    }
    assert_int_equal(metrics_get(METRIC_REFUSED_TOO_LARGE), refused + 1);
}

/* The second is told how long the first took to be gone. */
static void
one_without_room_stays_away_as_long_as_others_took(void **state)
{
    enum { BIG = 1 << 20, TAKES_S = 24 /* an eighth counts */ };
    const str ask = STR("GET /big HTTP/1.1\r\nHost: h\r\n\r\n");
    struct server_limits limits = server_limits_default;
    struct session_peer peer = {.is_loopback = true};
    struct session *slow[2];
    struct buf part = {0};
    struct kit kit;

    (void)state;
    limits.budget_bytes = BIG;
    kit_session(&kit, http1_new, &limits);
    for (size_t i = 0; i < 2; i++) {
        slow[i] = http1_new(&kit.env, &peer, kit.now_ms);
        assert_non_null(slow[i]);
        session_feed(slow[i], kit.now_ms, ask);
        if (i == 0) {
            kit.now_ms += (uint64_t)TAKES_S * 1000;
            do
                buf_reset(&part);
            while (session_produce(slow[i], kit.now_ms, &part), part.len);
        }
    }
    assert_int_equal(reserved(), BIG);
    kit_feed(&kit, ask);
    assert_true(kit_has(&kit.out, "\r\nretry-after: 3\r\n"));
    /* Those sent away took no time, and say nothing about others. */
    kit_feed(&kit, ask);
    assert_false(kit_has(&kit.out, "\r\nretry-after: 2\r\n"));
    for (size_t i = 0; i < 2; i++)
        session_free(slow[i]);
    buf_fini(&part);
    kit_session_fini(&kit);
    assert_int_equal(reserved(), 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_that_nobody_takes_have_a_bound),
        cmocka_unit_test(one_without_room_stays_away_as_long_as_others_took),
        cmocka_unit_test(an_answer_over_all_of_it_is_an_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
