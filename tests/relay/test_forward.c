#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "net/inflate.h"
#include "relay/forward.h"
#include "relay/pack.h"
#include "tests/support/fake_gateway.h"

struct fixture {
    struct fake_gateway gateway;
    struct forward *forward;
    struct forward_answer answer;
    struct buf why;
};

static void
open_forward(struct fixture *f, const struct fake_step *steps, size_t len,
             uint32_t timeout_ms)
{
    *f = (struct fixture){0};
    fake_gateway_start(&f->gateway, steps, len, 0);
    const struct forward_cfg cfg = {
        .gateway = {.url = f->gateway.url, .stop_fd = -1},
        .headers = "Authorization: Bearer secret\r\n",
        .timeout_ms = timeout_ms,
    };
    assert_int_equal(forward_new(&f->forward, &cfg, &f->why), OK);
}

static void
close_forward(struct fixture *f)
{
    forward_free(f->forward);
    fake_gateway_stop(&f->gateway);
    buf_fini(&f->answer.why);
    buf_fini(&f->why);
}

static void
a_batch_is_sent_as_it_is(void **state)
{
    struct fixture f;

    (void)state;
    open_forward(&f, NULL, 0, 5000);
    forward_send(f.forward, STR("the batch"), &f.answer);
    assert_int_equal(f.answer.outcome, FORWARD_TAKEN);
    assert_int_equal(f.answer.rejected, 0);
    assert_true(fake_gateway_wait(&f.gateway, 1));
    const char *head = buf_cstr(&f.gateway.got[0].head);
    assert_non_null(strstr(head, "POST /v1/traces HTTP/1.1\r\n"));
    assert_non_null(strstr(head, "Content-Encoding: gzip\r\n"));
    assert_non_null(strstr(head, "Content-Type: application/x-protobuf\r\n"));
    assert_non_null(strstr(head, "Authorization: Bearer secret\r\n"));
    assert_true(str_eq(buf_str(&f.gateway.got[0].body), STR("the batch")));
    close_forward(&f);
}

static void
a_path_that_is_given_is_kept(void **state)
{
    static const char *const given[][2] = {
        {"", "/v1/traces"},
        {"/", "/v1/traces"},
        {"/otlp/v1/traces", "/otlp/v1/traces"}};
    struct fake_gateway gateway;
    struct buf why = {0};

    (void)state;
    fake_gateway_start(&gateway, NULL, 0, 0);
    for (size_t i = 0; i < 3; i++) {
        struct forward_answer answer = {0};
        struct forward *forward;
        char url[128];
        char want[64];
        (void)snprintf(url, sizeof(url), "%s%s", gateway.url, given[i][0]);
        const struct forward_cfg cfg = {.gateway = {.url = url, .stop_fd = -1},
                                        .timeout_ms = 5000};
        assert_int_equal(forward_new(&forward, &cfg, &why), OK);
        forward_send(forward, STR("x"), &answer);
        assert_true(fake_gateway_wait(&gateway, i + 1));
        (void)snprintf(want, sizeof(want), "POST %s HTTP/1.1", given[i][1]);
        assert_non_null(strstr(buf_cstr(&gateway.got[i].head), want));
        forward_free(forward);
        buf_fini(&answer.why);
    }
    fake_gateway_stop(&gateway);
    buf_fini(&why);
}

static void
an_answer_is_told_by_its_status(void **state)
{
    static const struct {
        int status;
        enum forward_outcome outcome;
        bool is_odd;
        bool is_doubtful;
    } cases[] = {
        {200, FORWARD_TAKEN, false, false},
        {202, FORWARD_TAKEN, false, false},
        {301, FORWARD_REFUSED, false, false},
        {400, FORWARD_REFUSED, false, false},
        {401, FORWARD_REFUSED, false, false},
        {403, FORWARD_REFUSED, false, false},
        {404, FORWARD_REFUSED, false, false},
        {408, FORWARD_LATER, true, false},
        {413, FORWARD_REFUSED, false, false},
        {415, FORWARD_REFUSED, false, false},
        {429, FORWARD_LATER, false, false},
        {500, FORWARD_LATER, true, true},
        {501, FORWARD_REFUSED, false, true},
        {502, FORWARD_LATER, false, true},
        {503, FORWARD_LATER, false, false},
        {504, FORWARD_LATER, false, true},
        {599, FORWARD_LATER, true, true},
    };
    enum { LEN = sizeof(cases) / sizeof(*cases) };
    struct fake_step steps[LEN];
    struct fixture f;

    (void)state;
    for (size_t i = 0; i < LEN; i++)
        steps[i] = (struct fake_step){.status = cases[i].status};
    open_forward(&f, steps, LEN, 5000);
    for (size_t i = 0; i < LEN; i++) {
        forward_send(f.forward, STR("x"), &f.answer);
        if (f.answer.status != cases[i].status ||
            f.answer.outcome != cases[i].outcome ||
            f.answer.is_odd != cases[i].is_odd ||
            (f.answer.outcome == FORWARD_LATER &&
             f.answer.is_doubtful != cases[i].is_doubtful))
            fail_msg("%d: outcome %d, odd %d, doubtful %d", cases[i].status,
                     f.answer.outcome, f.answer.is_odd, f.answer.is_doubtful);
    }
    close_forward(&f);
}

static void
what_the_gateway_says_is_passed_on(void **state)
{
    static const struct fake_step steps[] = {
        {.status = 200, /* partial_success: 300, "too old" */
         .body = STR_INIT("\x0a\x0c\x08\xac\x02\x12\x07too old")},
        {.status = 400, /* google.rpc.Status: 3, "malformed" */
         .body = STR_INIT("\x08\x03\x12\x09malformed")},
        {.status = 400, .body = STR_INIT("\x12\x03\xff\xfe\xfd")},
        {.status = 200, .body = STR_INIT("<html>")},
        {.status = 200, .body = STR_INIT("\x0a\x7f\x08")}, /* cut */
    };
    struct fixture f;

    (void)state;
    open_forward(&f, steps, 5, 5000);
    forward_send(f.forward, STR("x"), &f.answer);
    assert_int_equal(f.answer.outcome, FORWARD_TAKEN);
    assert_int_equal(f.answer.rejected, 300);
    assert_string_equal(buf_cstr(&f.answer.why), ": too old");
    forward_send(f.forward, STR("x"), &f.answer);
    assert_int_equal(f.answer.rejected, 0);
    assert_string_equal(buf_cstr(&f.answer.why), "400: malformed");
    forward_send(f.forward, STR("x"), &f.answer);
    assert_string_equal(buf_cstr(&f.answer.why), "400");
    for (int i = 0; i < 2; i++) {
        forward_send(f.forward, STR("x"), &f.answer);
        assert_int_equal(f.answer.outcome, FORWARD_TAKEN);
        assert_int_equal(f.answer.rejected, 0);
    }
    close_forward(&f);
}

static void
of_an_answer_that_is_too_long_the_status_counts(void **state)
{
    enum { MAX = 64 << 10 };
    static char page[MAX + 1];
    const struct fake_step steps[] = {
        {.status = 200, .body = {page, MAX}},
        {.status = 200, .body = {page, MAX + 1}},
        {.status = 400, .body = {page, MAX}},
        {.status = 400, .body = {page, MAX + 1}},
        {.status = 503,
         .headers = "Retry-After: 7\r\n",
         .body = {page, MAX + 1}},
        {.status = 200},
    };
    static const enum forward_outcome outcomes[] = {
        FORWARD_TAKEN,   FORWARD_LATER, FORWARD_REFUSED,
        FORWARD_REFUSED, FORWARD_LATER, FORWARD_TAKEN};
    struct fixture f;

    (void)state;
    memset(page, 'x', sizeof(page));
    open_forward(&f, steps, 6, 5000);
    for (size_t i = 0; i < 6; i++) {
        forward_send(f.forward, STR("x"), &f.answer);
        assert_int_equal(f.answer.status, steps[i].status);
        assert_int_equal(f.answer.outcome, outcomes[i]);
        assert_int_equal(f.answer.retry_ms, i == 4 ? 7000 : 0);
        /* A page of whoever stands between: not taken, nor for ever. */
        assert_int_equal(f.answer.is_odd, i == 1);
        assert_int_equal(f.answer.is_doubtful, i == 1);
        if (i == 1)
            assert_non_null(strstr(buf_cstr(&f.answer.why), "64 KiB"));
    }
    close_forward(&f);
}

/* Such as an ingress's, or that of an application for all paths. */
static void
a_page_is_no_answer_of_a_gateway(void **state)
{
    static const struct fake_step steps[] = {
        {.headers = "Content-TYPE: Text/HTML; charset=utf-8\r\n",
         .body = STR_INIT("<html>Welcome</html>")},
        {.headers = "Content-Type: application/x-protobuf\r\n"},
        {.headers = "X-Type: text/html\r\n"},
        {.status = 404,
         .headers = "Content-Type: text/html\r\n",
         .body = STR_INIT("<html>")},
    };
    static const enum forward_outcome outcomes[] = {
        FORWARD_LATER, FORWARD_TAKEN, FORWARD_TAKEN, FORWARD_REFUSED};
    struct fixture f;

    (void)state;
    open_forward(&f, steps, 4, 5000);
    for (size_t i = 0; i < 4; i++) {
        forward_send(f.forward, STR("x"), &f.answer);
        assert_int_equal(f.answer.outcome, outcomes[i]);
        assert_int_equal(f.answer.is_odd, i == 0);
        assert_int_equal(f.answer.is_doubtful, i == 0);
        if (i == 0)
            assert_string_equal(buf_cstr(&f.answer.why),
                                "200 with HTML, which no gateway says");
    }
    close_forward(&f);
}

static void
retry_after_is_read_in_both_forms(void **state)
{
    char in_a_minute[64];
    const struct fake_step steps[] = {
        {.status = 503, .headers = "Retry-After: 7\r\n"},
        {.status = 429, .headers = in_a_minute},
        {.status = 503, .headers = "Retry-After: 86400\r\n"},
        {.status = 503, .headers = "Retry-After: 99999999999999999999\r\n"},
        {.status = 503,
         .headers = "Retry-After: Sun, 06 Nov 1994 08:49:37 GMT\r\n"},
        {.status = 503, .headers = "Retry-After: soon\r\n"},
        {.status = 503, .headers = "Retry-After: -5\r\n"},
        {.status = 503},
    };
    time_t at = time(NULL) + 60;
    struct fixture f;

    (void)state;
    (void)strftime(in_a_minute, sizeof(in_a_minute),
                   "Retry-After: %a, %d %b %Y %H:%M:%S GMT\r\n", gmtime(&at));
    open_forward(&f, steps, 8, 5000);
    forward_send(f.forward, STR("x"), &f.answer);
    assert_int_equal(f.answer.retry_ms, 7000);
    forward_send(f.forward, STR("x"), &f.answer);
    assert_in_range(f.answer.retry_ms, 50000, 60000);
    for (int i = 0; i < 2; i++) {
        forward_send(f.forward, STR("x"), &f.answer);
        assert_int_equal(f.answer.retry_ms, FORWARD_WAIT_MAX_MS);
    }
    forward_send(f.forward, STR("x"), &f.answer);
    assert_int_equal(f.answer.retry_ms, 0);
    forward_send(f.forward, STR("x"), &f.answer);
    assert_int_equal(f.answer.retry_ms, 0);
    forward_send(f.forward, STR("x"), &f.answer);
    assert_int_equal(f.answer.retry_ms, 0);
    forward_send(f.forward, STR("x"), &f.answer);
    assert_int_equal(f.answer.retry_ms, 0);
    close_forward(&f);
}

static void
no_answer_leaves_the_batch_in_doubt(void **state)
{
    static const struct fake_step steps[] = {{.act = FAKE_HANG_UP},
                                             {.act = FAKE_CUT},
                                             {.act = FAKE_LATE, .ms = 400}};
    struct fixture f;

    (void)state;
    open_forward(&f, steps, 3, 150);
    for (int i = 0; i < 3; i++) {
        forward_send(f.forward, STR("x"), &f.answer);
        assert_int_equal(f.answer.outcome, FORWARD_LATER);
        assert_true(f.answer.is_doubtful);
        assert_int_equal(f.answer.status, 0);
        assert_true(f.answer.why.len > 0);
    }
    fake_gateway_stop(&f.gateway);
    /* Nobody was there: it surely was not taken. */
    forward_send(f.forward, STR("x"), &f.answer);
    assert_int_equal(f.answer.outcome, FORWARD_LATER);
    assert_false(f.answer.is_doubtful);
    forward_free(f.forward);
    buf_fini(&f.answer.why);
    buf_fini(&f.why);
}

static void
an_attempt_is_left_when_it_is_told_to(void **state)
{
    static const struct fake_step steps[] = {{.act = FAKE_LATE, .ms = 300}};
    const uint64_t one = 1;
    struct forward_answer answer = {0};
    struct fake_gateway gateway;
    struct forward *forward;
    struct buf why = {0};
    int stop = eventfd(0, 0);

    (void)state;
    fake_gateway_start(&gateway, steps, 1, 0);
    const struct forward_cfg cfg = {
        .gateway = {.url = gateway.url, .stop_fd = stop}, .timeout_ms = 5000};
    assert_int_equal(forward_new(&forward, &cfg, &why), OK);
    assert_int_equal(write(stop, &one, sizeof(one)), sizeof(one));
    forward_send(forward, STR("x"), &answer);
    assert_int_equal(answer.outcome, FORWARD_STOPPED);
    forward_free(forward);
    fake_gateway_stop(&gateway);
    close(stop);
    buf_fini(&answer.why);
}

static void
waits_grow_are_bounded_and_spread(void **state)
{
    uint32_t most = 0;
    uint32_t least = UINT32_MAX;

    (void)state;
    for (uint64_t random = 0; random < 1000; random++) {
        uint32_t wait = forward_wait_ms(1, 1000, 30000, 0, random);
        most = wait > most ? wait : most;
        least = wait < least ? wait : least;
    }
    assert_int_equal(least, 500);
    assert_int_equal(most, 1000);
    /* Without chance: half of 1000, 1501, 2252, ... */
    assert_int_equal(forward_wait_ms(2, 1000, 30000, 0, 0), 750);
    assert_int_equal(forward_wait_ms(3, 1000, 30000, 0, 0), 1126);
    assert_int_equal(forward_wait_ms(20, 1000, 30000, 0, 0), 15000);
    assert_int_equal(forward_wait_ms(UINT32_MAX, 1, 30000, 0, 15000), 30000);
    /* Never less than it was asked to. */
    assert_int_equal(forward_wait_ms(1, 1000, 30000, 7000, 0), 7000);
    assert_int_equal(forward_wait_ms(20, 1000, 30000, 7000, 0), 15000);
    assert_int_equal(forward_wait_ms(1, 1, 1, 0, 99), 0);
}

static void
a_url_that_is_none_is_refused(void **state)
{
    struct buf why = {0};
    struct forward *forward;
    const struct forward_cfg cfg = {
        .gateway = {.url = "gateway:4318", .stop_fd = -1}};

    (void)state;
    assert_int_equal(forward_new(&forward, &cfg, &why), ERR_INVALID);
    assert_null(forward);
    assert_non_null(strstr(buf_cstr(&why), "gateway:4318"));
    buf_fini(&why);
}

/* ---- packing ---- */

static void
check_unpacks(str packed, str want)
{
    struct inflater *inflater = inflater_new();
    size_t len = 0;
    char *out = NULL;

    assert_int_equal(
        inflate_whole(inflater, ENCODING_GZIP, packed, 64 << 20, &out, &len),
        OK);
    assert_true(str_eq((str){out, len}, want));
    free(out);
    inflater_free(inflater);
}

static void
parts_one_after_the_other_unpack_as_one(void **state)
{
    struct pack *pack = pack_new();
    struct buf all = {0};
    str part;

    (void)state;
    assert_int_equal(pack_gzip(pack, STR("one and "), &part), OK);
    buf_add(&all, part);
    assert_int_equal(pack_gzip(pack, STR("two"), &part), OK);
    buf_add(&all, part);
    check_unpacks(buf_str(&all), STR("one and two"));
    buf_fini(&all);
    pack_free(pack);
}

/* The receiver takes 200 to 1 for an attack. */
static void
what_packs_too_well_is_not_taken_for_a_bomb(void **state)
{
    enum { LEN = 8 << 20 };
    struct pack *pack = pack_new();
    char *same = calloc(1, LEN);
    str part;

    (void)state;
    assert_int_equal(pack_gzip(pack, (str){same, LEN}, &part), OK);
    assert_true(part.len >= LEN / PACK_RATIO);
    check_unpacks(part, (str){same, LEN});
    /* What is small is packed as well as it can be. */
    assert_int_equal(pack_gzip(pack, (str){same, 60000}, &part), OK);
    assert_true(part.len < 600);
    free(same);
    pack_free(pack);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_batch_is_sent_as_it_is),
        cmocka_unit_test(a_path_that_is_given_is_kept),
        cmocka_unit_test(an_answer_is_told_by_its_status),
        cmocka_unit_test(what_the_gateway_says_is_passed_on),
        cmocka_unit_test(of_an_answer_that_is_too_long_the_status_counts),
        cmocka_unit_test(a_page_is_no_answer_of_a_gateway),
        cmocka_unit_test(retry_after_is_read_in_both_forms),
        cmocka_unit_test(no_answer_leaves_the_batch_in_doubt),
        cmocka_unit_test(an_attempt_is_left_when_it_is_told_to),
        cmocka_unit_test(waits_grow_are_bounded_and_spread),
        cmocka_unit_test(a_url_that_is_none_is_refused),
        cmocka_unit_test(parts_one_after_the_other_unpack_as_one),
        cmocka_unit_test(what_packs_too_well_is_not_taken_for_a_bomb),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
