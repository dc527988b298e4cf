/* The room that a connection takes beside bodies and whole answers: streams
 * that cannot be answered, requests ahead of their turn, and what the socket
 * does not take. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/metrics.h"
#include "tests/support/h2_kit.h"

enum {
    FREE = 16 << 10,  /* that each connection has */
    SMALL = 2 << 10,  /* less than any stream takes */
    STREAMS = 128,    /* as many as there may be */
    HEADER = 14 << 10 /* of the 16 KiB there may be */
};

static size_t
reserved(void)
{
    return (size_t)metrics_get(METRIC_MEMORY_RESERVED);
}

/* No body may be sent on any stream. */
static void
shut(struct h2_kit *h2)
{
    const nghttp2_settings_entry none = {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE,
                                         0};

    nghttp2_submit_settings(h2->ng, NGHTTP2_FLAG_NONE, &none, 1);
}

static void
begin_shut(struct h2_kit *h2, struct kit *kit, size_t budget)
{
    struct server_limits limits = server_limits_default;

    limits.budget_bytes = budget;
    kit_session(kit, http2_new, &limits);
    h2_begin(h2, kit);
    shut(h2);
    h2_move(h2, 0);
}

/* How many of |len| calls are answered; the others are to be tried again. */
static size_t
count_answered(struct h2_kit *h2, size_t len, const char *headers)
{
    size_t answered = 0;

    for (size_t i = 0; i < len; i++) {
        int32_t id = h2_call(h2, "GET", "/echo", headers);

        h2_move(h2, id);
        const struct h2_answer *answer = h2_answer(h2, id);
        assert_int_equal(answer->is_closed, answer->heads == 0);
        if (answer->is_closed)
            assert_int_equal(answer->error, NGHTTP2_REFUSED_STREAM);
        answered += answer->heads != 0;
    }
    return answered;
}

static void
reset_streams(struct h2_kit *h2, int32_t from, int32_t to)
{
    for (int32_t i = from; i < to; i++)
        nghttp2_submit_rst_stream(h2->ng, NGHTTP2_FLAG_NONE, 2 * i + 1,
                                  NGHTTP2_CANCEL);
    h2_move(h2, 0);
}

static void
streams_that_cannot_be_answered_have_a_bound(void **state)
{
    enum { BUDGET = 128 << 10 };
    uint64_t full = metrics_get(METRIC_REFUSED_FULL);
    struct h2_kit h2;
    struct kit kit;

    (void)state;
    begin_shut(&h2, &kit, BUDGET);
    size_t answered = count_answered(&h2, STREAMS, NULL);
    assert_in_range(answered, 1, (FREE + BUDGET) / SMALL);
    assert_true(answered < STREAMS);
    assert_in_range(reserved(), BUDGET / 2, BUDGET);
    assert_int_equal(metrics_get(METRIC_REFUSED_FULL) - full,
                     STREAMS - answered);
    h2_end(&h2);
    kit_session_fini(&kit);
    assert_int_equal(reserved(), 0);
}

/* Without any room there is still some for a few. */
static void
a_few_streams_need_no_room(void **state)
{
    struct h2_kit h2;
    struct kit kit;

    (void)state;
    begin_shut(&h2, &kit, 1);
    size_t answered = count_answered(&h2, STREAMS / 4, NULL);
    assert_in_range(answered, 3, FREE / SMALL);
    assert_int_equal(reserved(), 0);
    /* One less makes place for one, and for no more. */
    reset_streams(&h2, 0, 1);
    assert_int_equal(count_answered(&h2, 2, NULL), 1);
    h2_end(&h2);
    kit_session_fini(&kit);
}

static void
room_is_given_back_with_the_streams(void **state)
{
    enum { OPENED = 80 }; /* more resets are a flood */
    struct h2_kit h2;
    struct kit kit;
    size_t most;

    (void)state;
    begin_shut(&h2, &kit, server_limits_default.budget_bytes);
    assert_int_equal(count_answered(&h2, OPENED, NULL), OPENED);
    most = reserved();
    assert_in_range(most, OPENED * SMALL - FREE, OPENED * 2 * SMALL);
    reset_streams(&h2, 0, OPENED / 2);
    assert_in_range(reserved(), most / 3, most * 2 / 3);
    reset_streams(&h2, OPENED / 2, OPENED);
    assert_int_equal(h2.goaways, 0);
    assert_int_equal(reserved(), 0);
    h2_end(&h2);
    kit_session_fini(&kit);
}

/* HPACK makes a large header of a few bytes. */
static void
large_headers_count_for_what_they_are(void **state)
{
    enum { BUDGET = 512 << 10 };
    struct buf headers = {.cap_max = 0};
    struct h2_kit h2;
    struct kit kit;

    (void)state;
    buf_add(&headers, STR("x-large: "));
    while (headers.len < HEADER)
        buf_add_char(&headers, 'x');
    buf_add_char(&headers, '\0');
    begin_shut(&h2, &kit, BUDGET);
    size_t answered = count_answered(&h2, STREAMS, headers.ptr);
    assert_in_range(answered, 1, (FREE + BUDGET) / HEADER);
    h2_end(&h2);
    kit_session_fini(&kit);
    buf_fini(&headers);
}

/* Who is refused again and again is told to calm down. */
static void
refusals_without_end_end_the_connection(void **state)
{
    struct h2_kit h2;
    struct kit kit;

    (void)state;
    begin_shut(&h2, &kit, 1);
    for (size_t i = 0; i < H2_STREAMS_MAX / 2 && !h2.goaways; i++) {
        h2_call(&h2, "GET", "/echo", NULL);
        h2_move(&h2, 0);
    }
    assert_int_equal(h2.goaway, NGHTTP2_ENHANCE_YOUR_CALM);
    h2_end(&h2);
    kit_session_fini(&kit);
}

static void
what_comes_ahead_of_its_turn_has_a_bound(void **state)
{
    static char more[8 << 10];
    const size_t budgets[] = {1, 1 << 20};
    struct kit kit;

    (void)state;
    memset(more, 'm', sizeof(more));
    for (size_t i = 0; i < 2; i++) {
        struct server_limits limits = server_limits_default;
        size_t ahead = 0;

        limits.budget_bytes = budgets[i];
        kit_session(&kit, http1_new, &limits);
        kit_feed(&kit, STR("GET /hold HTTP/1.1\r\nHost: h\r\n\r\n"));
        kit_feed(&kit, STR("GET /echo HTTP/1.1\r\nHost: h\r\nx: "));
        for (; !kit.session->is_full; ahead += sizeof(more))
            kit_feed(&kit, (str){more, sizeof(more)});
        assert_in_range(ahead, i ? 64 << 10 : FREE / 2,
                        i ? 72 << 10 : FREE + sizeof(more));
        assert_in_range(reserved(), i ? 32 << 10 : 0, i ? 128 << 10 : 0);
        request_reply(kit_held(&kit, 1), &(struct reply){.status = 200});
        kit_pass(&kit, 0); /* the header behind it is too large, or not whole */
        assert_true(kit_has(&kit.out, "HTTP/1.1 200"));
        assert_false(kit.session->is_full);
        assert_int_equal(reserved(), 0);
        kit_session_fini(&kit);
    }
}

enum { ANSWER = 250 << 10, READERS = 8, LITTLE = (512 << 10) + 258000 };

/* Asks for an answer of ANSWER bytes, more than the sockets take. */
static int
ask_without_reading(const struct kit *kit)
{
    int fd = kit_connect(kit);
    char *body = malloc(ANSWER);

    assert_non_null(body);
    memset(body, 'b', ANSWER);
    kit_send(fd, STR("POST /echo HTTP/1.1\r\nHost: h\r\nConnection: close\r\n"
                     "Content-Length: 256000\r\n\r\n"));
    kit_send(fd, (str){body, ANSWER});
    free(body);
    return fd;
}

static void
wait_for_requests(struct kit *kit, int count)
{
    uint64_t end = clock_mono_ns() + KIT_WAIT_MS * NS_PER_MS;
    int seen = 0;

    while (seen < count && clock_mono_ns() < end) {
        usleep(1000);
        pthread_mutex_lock(&kit->mutex);
        seen = kit->requests;
        pthread_mutex_unlock(&kit->mutex);
    }
    assert_int_equal(seen, count);
    usleep(20000); /* and its answer is on its way */
}

/* The answer is a whole one no more, nor with the peer: it lies in between. */
static void
what_the_socket_does_not_take_is_counted(void **state)
{
    struct kit kit;
    int fds[READERS];

    (void)state;
    kit_start(&kit, NULL);
    for (int i = 0; i < READERS; i++) {
        fds[i] = ask_without_reading(&kit);
        wait_for_requests(&kit, i + 1);
        assert_in_range(reserved(), (size_t)(i + 1) * ANSWER / 2,
                        (size_t)(i + 1) * ANSWER * 3);
    }
    for (int i = 0; i < READERS; i++) {
        struct buf got = {.cap_max = 0};

        if (i < READERS / 2) {
            assert_true(kit_recv_all(fds[i], &got));
            assert_true(got.len > ANSWER);
        }
        close(fds[i]);
        buf_fini(&got);
    }
    uint64_t end = clock_mono_ns() + KIT_WAIT_MS * NS_PER_MS;
    while (reserved() && clock_mono_ns() < end)
        usleep(1000);
    assert_int_equal(reserved(), 0);
    kit_stop(&kit);
}

static void
little_room(struct server_listener *listener)
{
    /* For one on its way, and another whole, and not that on its way. */
    listener->limits.budget_bytes = LITTLE;
}

/* Whoever finds no room is told so at once; what has it is not cut. */
static void
too_many_that_do_not_read_are_refused_and_none_is_cut(void **state)
{
    struct kit kit;
    int fds[READERS];
    int whole = 0;

    (void)state;
    kit_start(&kit, little_room);
    for (int i = 0; i < READERS; i++) {
        fds[i] = ask_without_reading(&kit);
        wait_for_requests(&kit, i + 1);
    }
    assert_in_range(reserved(), ANSWER, LITTLE);
    for (int i = 0; i < READERS; i++) {
        struct buf got = {.cap_max = 0};

        assert_true(kit_recv_all(fds[i], &got));
        bool is_whole = kit_has(&got, "HTTP/1.1 200");
        whole += is_whole;
        /* 400 + REQUEST_NO_ROOM, as the handler says it. */
        assert_true(is_whole ? got.len > ANSWER
                             : kit_has(&got, "HTTP/1.1 404") ||
                                   kit_has(&got, "HTTP/1.1 503"));
        close(fds[i]);
        buf_fini(&got);
    }
    assert_in_range(whole, 2, READERS - 1);
    kit_stop(&kit);
    assert_int_equal(reserved(), 0);
}

enum { BIG = 1 << 20 };
static size_t big_and;

static void
room_for_big(struct server_listener *listener)
{
    listener->limits.budget_bytes = BIG + big_and;
}

static size_t
big_by_http1(struct kit *kit)
{
    struct buf got = {.cap_max = 0};
    int fd = kit_connect(kit);

    kit_send(fd, STR("GET /big HTTP/1.1\r\nHost: h\r\nConnection: close\r\n"
                     "\r\n"));
    assert_true(kit_recv_all(fd, &got));
    assert_true(kit_has(&got, "HTTP/1.1 200"));
    size_t len = kit_count(&got, STR("b"));
    close(fd);
    buf_fini(&got);
    return len;
}

static size_t
big_by_http2(struct kit *kit)
{
    struct h2_kit h2;

    h2_begin(&h2, kit);
    int32_t id = h2_call(&h2, "GET", "/big", NULL);
    nghttp2_session_set_local_window_size(h2.ng, NGHTTP2_FLAG_NONE, 0, 2 * BIG);
    nghttp2_session_set_local_window_size(h2.ng, NGHTTP2_FLAG_NONE, id,
                                          2 * BIG);
    h2_move(&h2, id);
    assert_int_equal(h2_answer(&h2, id)->error, 0);
    size_t len = h2_answer(&h2, id)->body.len;
    h2_end(&h2);
    return len;
}

/* It goes out by as much as there is room for beside it. */
static void
an_answer_that_has_its_room_is_sent_whole(void **state)
{
    const size_t more[] = {0, 1, 64 << 10, (512 << 10) - 1, 512 << 10};

    (void)state;
    for (size_t i = 0; i < sizeof(more) / sizeof(more[0]); i++) {
        struct kit kit;

        big_and = more[i];
        kit_start(&kit, room_for_big);
        assert_in_range(big_by_http1(&kit), BIG, BIG + 16); /* and the head */
        for (int j = 0; j < KIT_WAIT_MS && reserved(); j++)
            usleep(1000);
        assert_int_equal(big_by_http2(&kit), BIG);
        kit_stop(&kit);
        assert_int_equal(reserved(), 0);
    }
}

static void
room_for_eight(struct server_listener *listener)
{
    listener->limits.budget_bytes = 8 << 20;
}

/* 1 MiB each, on as many streams as there may be. */
static void
one_connection_of_this_machine_leaves_room_for_another(void **state)
{
    const str ask = STR("GET /big HTTP/1.1\r\nHost: h\r\n\r\n");
    struct buf got = {.cap_max = 0};
    struct h2_kit h2;
    struct kit kit;

    (void)state;
    kit_start(&kit, room_for_eight);
    h2_begin(&h2, &kit);
    shut(&h2);
    for (int i = 0; i < 16; i++)
        h2_call(&h2, "GET", "/big", NULL);
    h2_frame(&h2, NGHTTP2_PING, 0, 0, STR("12345678"));
    for (int i = 0; i < KIT_WAIT_MS && reserved() < 4 << 20; i++)
        usleep(1000);
    usleep(20000); /* for more, if there were more */
    assert_in_range(reserved(), 4 << 20, 5 << 20);
    int fd = kit_connect(&kit);
    kit_send(fd, ask);
    kit_recv(fd, &got, STR("\r\n\r\n"), 1);
    assert_true(kit_has(&got, "HTTP/1.1 200"));
    close(fd);
    h2_end(&h2);
    buf_fini(&got);
    kit_stop(&kit);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(streams_that_cannot_be_answered_have_a_bound),
        cmocka_unit_test(a_few_streams_need_no_room),
        cmocka_unit_test(room_is_given_back_with_the_streams),
        cmocka_unit_test(large_headers_count_for_what_they_are),
        cmocka_unit_test(refusals_without_end_end_the_connection),
        cmocka_unit_test(what_comes_ahead_of_its_turn_has_a_bound),
        cmocka_unit_test(what_the_socket_does_not_take_is_counted),
        cmocka_unit_test(too_many_that_do_not_read_are_refused_and_none_is_cut),
        cmocka_unit_test(an_answer_that_has_its_room_is_sent_whole),
        cmocka_unit_test(
            one_connection_of_this_machine_leaves_room_for_another),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
