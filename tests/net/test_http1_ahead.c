#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/net_kit.h"

enum { ROOM = 64 << 10, ROOM_SMALL = 16 << 10, BRIEF = 48 << 10 };

static void
begin(struct kit *kit)
{
    kit_session(kit, http1_new, NULL);
}

/* Adds GET |path|?|first| to |path|?|last|. */
static void
add_gets(struct buf *out, const char *path, int first, int last)
{
    for (int i = first; i <= last; i++)
        buf_printf(out, "GET %s?%d. HTTP/1.1\r\nHost: h\r\n\r\n", path, i);
}

/* The answers of /echo to |first| to |last|, and no others, in their order,
 * from |at| on. */
static const char *
check_answers(const char *at, int first, int last)
{
    char want[64];

    for (int i = first; i <= last; i++) {
        snprintf(want, sizeof(want), "GET /echo?%d. ", i);
        const char *next = strstr(at, "GET /echo?");
        assert_non_null(next);
        assert_memory_equal(next, want, strlen(want));
        at = next + strlen(want);
    }
    return at;
}

static void
answers_to_what_came_in_one_read_keep_their_order(void **state)
{
    enum { REQUESTS = 500 };

    (void)state;
    for (size_t step = 1000; step <= ROOM; step += 9000) {
        struct buf many = {.cap_max = 0};
        struct kit kit;

        begin(&kit);
        add_gets(&many, "/echo", 1, REQUESTS);
        for (size_t at = 0; at < many.len; at += step)
            kit_feed(&kit, str_cut(buf_str(&many), at, at + step));
        assert_int_equal(kit.requests, REQUESTS);
        const char *end = check_answers(buf_cstr(&kit.out), 1, REQUESTS);
        assert_null(strstr(end, "HTTP/1.1"));
        buf_fini(&many);
        kit_session_fini(&kit);
    }
}

static void
an_answer_that_is_late_holds_up_those_behind_it(void **state)
{
    enum { BEFORE = 100, AFTER = 200 };
    struct buf many = {.cap_max = 0};
    struct kit kit;

    (void)state;
    begin(&kit);
    add_gets(&many, "/echo", 1, BEFORE);
    add_gets(&many, "/hold", 0, 0);
    add_gets(&many, "/echo", BEFORE + 1, AFTER);
    kit_feed(&kit, buf_str(&many));
    assert_int_equal(kit.requests, BEFORE + 1);
    check_answers(buf_cstr(&kit.out), 1, BEFORE);
    assert_int_equal(kit_count(&kit.out, STR("HTTP/1.1 200")), BEFORE);

    request_reply(kit_held(&kit, 1),
                  &(struct reply){.status = 200, .body = STR("held")});
    kit_pass(&kit, 0);
    assert_int_equal(kit.requests, AFTER + 1);
    const char *at = check_answers(buf_cstr(&kit.out), 1, BEFORE);
    const char *held = strstr(at, "\r\n\r\nheld");
    assert_non_null(held);
    assert_true(held < strstr(at, "GET /echo"));
    check_answers(at, BEFORE + 1, AFTER);
    buf_fini(&many);
    kit_session_fini(&kit);
}

/* Who does not read its answers has only so many made. */
static void
answers_nobody_asked_for_are_few(void **state)
{
    enum { REQUESTS = 1000, FEW = 60 };
    struct buf many = {.cap_max = 0};
    struct buf out = {.cap_max = 0};
    struct kit kit;

    (void)state;
    begin(&kit);
    add_gets(&many, "/echo", 1, REQUESTS);
    session_feed(kit.session, kit.now_ms, buf_str(&many));
    assert_in_range(kit.requests, 2, FEW);
    for (size_t had = SIZE_MAX; out.len != had;) {
        had = out.len;
        session_produce(kit.session, kit.now_ms, &out);
    }
    assert_int_equal(kit.requests, REQUESTS);
    check_answers(buf_cstr(&out), 1, REQUESTS);

    /* A long one is not made before it is asked for. */
    buf_reset(&many);
    add_gets(&many, "/big", 1, 2);
    session_feed(kit.session, kit.now_ms, buf_str(&many));
    assert_int_equal(kit.requests, REQUESTS + 1);
    buf_fini(&many);
    buf_fini(&out);
    kit_session_fini(&kit);
}

static void
what_is_behind_the_last_request_is_not_read(void **state)
{
    struct kit kit;

    (void)state;
    begin(&kit);
    kit_feed(&kit, STR("GET /echo?1. HTTP/1.1\r\nHost: h\r\n\r\n"
                       "GET /echo?2. HTTP/1.1\r\nHost: h\r\n"
                       "Connection: close\r\n\r\n"
                       "GET /echo?3. HTTP/1.1\r\nHost: h\r\n\r\n"));
    assert_int_equal(kit.requests, 2);
    const char *end = check_answers(buf_cstr(&kit.out), 1, 2);
    assert_null(strstr(end, "HTTP/1.1"));
    assert_true(kit.session->is_over);
    kit_session_fini(&kit);
}

/* A socket closed over what nobody has read is reset, and its answers lost. */
static void
who_sends_ahead_is_closed_gently(void **state)
{
    static const str last = STR_INIT("GET /echo?1. HTTP/1.1\r\nHost: h\r\n"
                                     "Connection: close\r\n\r\n");
    static const str next =
        STR_INIT("GET /echo?2. HTTP/1.1\r\nHost: h\r\n\r\n");
    struct kit kit;

    (void)state;
    begin(&kit);
    kit_feed(&kit, last);
    assert_true(kit.session->is_over);
    assert_false(kit.session->must_drain);
    kit_feed(&kit, next); /* late, and too late */
    assert_true(kit.session->must_drain);
    assert_int_equal(kit.requests, 1);
    kit_session_fini(&kit);

    begin(&kit);
    session_feed(kit.session, kit.now_ms, next);
    session_feed(kit.session, kit.now_ms, next);
    session_drain(kit.session, kit.now_ms);
    kit_pass(&kit, 0);
    assert_true(kit.session->is_over);
    assert_true(kit.session->must_drain);
    kit_session_fini(&kit);

    begin(&kit);
    kit_feed(&kit, next);
    session_drain(kit.session, kit.now_ms);
    assert_true(kit.session->is_over);
    assert_false(kit.session->must_drain);
    kit_session_fini(&kit);
}

/* What is read at once beside a place there may be. */
static size_t
room_of(struct kit *kit)
{
    static char spare[ROOM];
    struct session_room room = {.spare = spare, .spare_len = sizeof(spare)};

    session_place(kit->session, kit->now_ms, &room);
    return room.spare_len;
}

static void
post(struct kit *kit, const char *path, size_t len)
{
    struct buf bytes = {.cap_max = 0};

    buf_printf(&bytes,
               "POST %s HTTP/1.1\r\nHost: h\r\nContent-Length: %zu\r\n\r\n",
               path, len);
    memset(buf_grow(&bytes, len), 'x', len);
    bytes.len += len;
    kit_feed(kit, buf_str(&bytes));
    buf_fini(&bytes);
}

static void
small_requests_answered_at_once_are_read_many_at_a_time(void **state)
{
    struct kit kit;

    (void)state;
    begin(&kit);
    assert_int_equal(room_of(&kit), ROOM_SMALL);
    post(&kit, "/none", 100);
    assert_int_equal(room_of(&kit), ROOM);
    post(&kit, "/none", BRIEF + 1);
    assert_int_equal(room_of(&kit), ROOM_SMALL);
    post(&kit, "/none", BRIEF);
    assert_int_equal(room_of(&kit), ROOM);

    /* Behind the rest of a large body no more than a header. */
    kit_feed(&kit, STR("POST /none HTTP/1.1\r\nHost: h\r\n"
                       "Content-Length: 49153\r\n\r\n"));
    assert_true(room_of(&kit) < ROOM_SMALL);
    kit_session_fini(&kit);

    begin(&kit);
    post(&kit, "/none", 100);
    post(&kit, "/hold", 100);
    assert_int_equal(room_of(&kit), ROOM_SMALL);
    request_reply(kit_held(&kit, 1), &(struct reply){.status = 200});
    kit_pass(&kit, 0);
    kit_session_fini(&kit);
}

/* Whether answers wait for others, or are made early; a last one that is not
 * whole is none. */
static void
what_came_before_the_peer_shut_its_half_is_answered(void **state)
{
    static const char *const rests[] = {"", "GET /echo?4. HTTP/1.1\r\nHos"};

    (void)state;
    for (size_t i = 0; i < sizeof(rests) / sizeof(rests[0]); i++) {
        struct buf many = {.cap_max = 0};
        struct kit kit;

        begin(&kit);
        add_gets(&many, "/hold", 1, 1);
        add_gets(&many, "/echo", 1, 3);
        buf_add(&many, str_of(rests[i]));
        kit_feed(&kit, buf_str(&many));
        session_eof(kit.session, kit.now_ms);
        assert_int_equal(kit.cancels, 0);
        assert_false(kit.session->is_over);
        request_reply(kit.held[0], &(struct reply){.status = 204});
        kit_pass(&kit, 1);
        assert_int_equal(kit.requests, 4);
        assert_null(strstr(check_answers(buf_cstr(&kit.out), 1, 3), "GET "));
        assert_true(kit.session->is_over);
        kit_session_fini(&kit);
        buf_fini(&many);
    }
}

static void
the_last_of_them_is_told_that_the_peer_has_left(void **state)
{
    struct buf two = {.cap_max = 0};
    struct kit kit;

    (void)state;
    begin(&kit);
    add_gets(&two, "/hold", 1, 2);
    kit_feed(&kit, buf_str(&two));
    session_eof(kit.session, kit.now_ms);
    request_reply(kit.held[0], &(struct reply){.status = 200});
    kit_pass(&kit, 1);
    assert_int_equal(kit.requests, 2);
    assert_int_equal(kit.cancels, 1);
    assert_false(kit.session->is_over);
    request_reply(kit.held[1], &(struct reply){.status = 200});
    kit_pass(&kit, 1);
    assert_int_equal(kit_count(&kit.out, STR("HTTP/1.1 200 OK")), 2);
    assert_true(kit.session->is_over);
    kit_session_fini(&kit);
    buf_fini(&two);
}

static void
what_is_no_request_ahead_is_told_so_all_the_same(void **state)
{
    struct buf bytes = {.cap_max = 0};
    struct kit kit;

    (void)state;
    begin(&kit);
    add_gets(&bytes, "/hold", 1, 1);
    buf_add(&bytes, STR("GET /echo HTTP/1.1\r\n\r\n"));
    kit_feed(&kit, buf_str(&bytes));
    session_eof(kit.session, kit.now_ms);
    request_reply(kit.held[0], &(struct reply){.status = 204});
    kit_pass(&kit, 1);
    assert_int_equal(kit.requests, 1);
    assert_int_equal(kit_count(&kit.out, STR("HTTP/1.1 204")), 1);
    assert_int_equal(kit_count(&kit.out, STR("HTTP/1.1 400")), 1);
    assert_true(kit.session->is_over);
    kit_session_fini(&kit);
    buf_fini(&bytes);
}

static void
an_empty_line_ahead_keeps_nobody_from_leaving(void **state)
{
    struct kit kit;

    (void)state;
    begin(&kit);
    kit_feed(&kit, STR("GET /hold HTTP/1.1\r\nHost: h\r\n\r\n\r\n"));
    session_eof(kit.session, kit.now_ms);
    assert_int_equal(kit.cancels, 1);
    request_reply(kit.held[0], &(struct reply){.status = 204});
    kit_pass(&kit, 1);
    assert_int_equal(kit_count(&kit.out, STR("HTTP/1.1 204")), 1);
    assert_true(kit.session->is_over);
    kit_session_fini(&kit);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_to_what_came_in_one_read_keep_their_order),
        cmocka_unit_test(an_answer_that_is_late_holds_up_those_behind_it),
        cmocka_unit_test(answers_nobody_asked_for_are_few),
        cmocka_unit_test(what_is_behind_the_last_request_is_not_read),
        cmocka_unit_test(who_sends_ahead_is_closed_gently),
        cmocka_unit_test(
            small_requests_answered_at_once_are_read_many_at_a_time),
        cmocka_unit_test(what_came_before_the_peer_shut_its_half_is_answered),
        cmocka_unit_test(the_last_of_them_is_told_that_the_peer_has_left),
        cmocka_unit_test(what_is_no_request_ahead_is_told_so_all_the_same),
        cmocka_unit_test(an_empty_line_ahead_keeps_nobody_from_leaving),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
