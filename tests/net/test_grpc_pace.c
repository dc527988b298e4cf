#include "net/grpc_pace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <poll.h>
#include <string.h>
#include <unistd.h>

#include <sys/socket.h>

#include "base/clock.h"
#include "net/grpc_frames.h"
#include "tests/support/echo_server.h"

enum {
    DATA = 0,
    HEADERS = 1,
    RST_STREAM = 3,
    SETTINGS = 4,
    WINDOW_UPDATE = 8,
    END_STREAM = 1,
    END_HEADERS = 4,
    RATE = 1024
};

static const uint64_t second_ns = NS_PER_S;

/* ---- what is slow ---- */

static void
less_than_the_rate_is_slow_after_a_time(void **state)
{
    (void)state;
    for (size_t bytes = RATE - 1; bytes <= RATE; bytes++) {
        struct pace pace = {.since_ns = 0};
        bool is_good = pace_take(&pace, 0, second_ns, true, RATE);

        for (uint64_t s = 2; s <= 5; s++)
            is_good &= pace_take(&pace, bytes, s * second_ns, true, RATE);
        assert_true(is_good);
        assert_int_equal(
            pace_take(&pace, bytes, second_ns + PACE_NS, true, RATE),
            bytes == RATE);
    }
}

static void
each_time_is_judged_for_itself(void **state)
{
    struct pace pace = {.since_ns = 0};

    (void)state;
    assert_true(pace_take(&pace, 1, second_ns, true, RATE));
    assert_true(pace_take(&pace, 1 << 20, 6 * second_ns, true, RATE));
    assert_true(pace_take(&pace, 1, 10 * second_ns, true, RATE));
    assert_false(pace_take(&pace, 1, 11 * second_ns, true, RATE));
}

static void
nothing_is_judged_while_nothing_is_waited_for(void **state)
{
    struct pace pace = {.since_ns = 0};

    (void)state;
    for (uint64_t s = 1; s < 100; s += 10)
        assert_true(pace_take(&pace, 1, s * second_ns, false, RATE));
    assert_true(pace_take(&pace, 1, 100 * second_ns, true, RATE));
    assert_true(pace_take(&pace, 1, 104 * second_ns, true, RATE));
    assert_true(pace_take(&pace, 1, 106 * second_ns, false, RATE));
    assert_true(pace_take(&pace, 1, 107 * second_ns, true, RATE));
    pace_restart(&pace, 112 * second_ns);
    assert_true(pace_take(&pace, 1, 200 * second_ns, true, RATE));
    assert_false(pace_take(&pace, 1, 205 * second_ns, true, RATE));
}

static void
room_given_within_the_time_makes_nobody_fast(void **state)
{
    struct pace pace = {.since_ns = 0};

    (void)state;
    assert_true(pace_take(&pace, 1, second_ns, true, RATE));
    for (uint64_t s = 2; s <= 5; s++) {
        assert_true(pace_take(&pace, 1, s * second_ns, true, RATE));
        pace_restart(&pace, s * second_ns);
    }
    assert_false(pace_take(&pace, 1, 6 * second_ns, true, RATE));
}

static void
without_a_rate_nobody_is_slow(void **state)
{
    struct pace pace = {.since_ns = 0};

    (void)state;
    assert_true(pace_take(&pace, 0, second_ns, true, 0));
    assert_true(pace_take(&pace, 0, 1000 * second_ns, true, 0));
}

/* ---- which connections wait for a message ---- */

/* Whether a connection that has taken |in|, and sent |out| after that, is ended
 * when a byte a second follows. */
static bool
is_ended(const struct buf *in, const struct buf *out)
{
    static uint8_t preface[] = FRAMES_PREFACE;
    struct frames f = {.is_acknowledged = true};
    bool is_good;

    frames_rate(RATE);
    assert_true(frames_take(&f, preface, FRAMES_PREFACE_LEN));
    assert_true(frames_take(&f, (uint8_t *)in->ptr, in->len));
    is_good = frames_pace(&f, in->len, second_ns);
    frames_sent(&f, (const uint8_t *)out->ptr, out->len, second_ns);
    for (uint64_t s = 2; s <= 6; s++)
        is_good = frames_pace(&f, 1, s * second_ns);
    assert_int_equal(frames_take(&f, NULL, 0), is_good);
    frames_end(&f);
    frames_rate(0);
    return !is_good;
}

static void
a_message_is_waited_for_until_it_is_whole_or_its_call_over(void **state)
{
    static const struct {
        uint8_t in_type; /* after HEADERS */
        uint8_t out_type;
        str in;
        bool is_ended;
    } rows[] = {
        {DATA, SETTINGS, STR_INIT(""), true},
        {DATA, SETTINGS, STR_INIT("\0\0\0\0"), true},
        {DATA, SETTINGS, STR_INIT("\0\0\0\0\1"), true},
        {DATA, SETTINGS, STR_INIT("\0\0\0\0\1x"), false},
        {DATA, SETTINGS, STR_INIT("\0\0\0\0\1xyz"), false},
        {DATA, SETTINGS, STR_INIT("\7\0\0\0\1x"), true},
        {RST_STREAM, SETTINGS, STR_INIT("\0\0\0\x08"), false},
        {DATA, RST_STREAM, STR_INIT("\0\0"), false},
        {DATA, HEADERS, STR_INIT("\0\0"), false},
        {DATA, WINDOW_UPDATE, STR_INIT("\0\0"), true},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct buf in = {.cap_max = 0};
        struct buf out = {.cap_max = 0};

        grpc_raw_frame(&in, HEADERS, END_HEADERS, 1, STR(""));
        grpc_raw_frame(&in, rows[i].in_type, 0, 1, rows[i].in);
        grpc_raw_frame(&out, rows[i].out_type, END_STREAM, 1, STR("\0\0\0\0"));
        if (is_ended(&in, &out) != rows[i].is_ended)
            fail_msg("row %zu", i);
        buf_fini(&in);
        buf_fini(&out);
    }
}

/* ---- through core ---- */

static void
put(int fd, struct buf *out)
{
    (void)send(fd, out->ptr, out->len, MSG_NOSIGNAL);
    buf_reset(out);
}

/* Of a message of 2 MiB, of which core says again and again what it takes. */
static void
begin_message(int fd)
{
    struct buf out = {.cap_max = 0};

    buf_add(&out, STR(FRAMES_PREFACE));
    grpc_raw_frame(&out, SETTINGS, 0, 0, STR(""));
    grpc_raw_frame(&out, SETTINGS, END_STREAM, 0, STR(""));
    grpc_raw_frame(&out, HEADERS, END_HEADERS, 1,
                   STR("\x83\x86\x04\x3b" EXPORT_PATH "\x01\x01x\x0f\x10\x10"
                       "application/grpc\x00\x02te\x08trailers"));
    grpc_raw_frame(&out, DATA, 0, 1, STR("\0\0\x20\0\0"));
    put(fd, &out);
    buf_fini(&out);
}

/* Whether the peer is still there, once what it has sent was read. */
static bool
is_there(int fd)
{
    char room[4096];
    ssize_t got;

    while ((got = recv(fd, room, sizeof(room), MSG_DONTWAIT)) > 0)
        continue;
    return got < 0;
}

/* A byte at a time, beside 2 KiB a second. */
static void
who_sends_a_message_too_slowly_is_left(void **state)
{
    enum { FRAME = 256, STEP_MS = 125, STEPS = 60 };
    static char zeros[FRAME];
    struct echo_server fix = echo_server_with(ECHO_BACK);
    struct buf out = {.cap_max = 0};

    (void)state;
    fix.listener.limits.body_rate = RATE;
    echo_server_open(&fix);
    int slow = echo_server_dial(&fix);
    int fast = echo_server_dial(&fix);
    begin_message(slow);
    begin_message(fast);
    int step = 0;
    for (; step < STEPS && is_there(slow); step++) {
        assert_true(is_there(fast));
        grpc_raw_frame(&out, DATA, 0, 1, (str){zeros, FRAME});
        put(fast, &out);
        if (step % 4 == 0)
            grpc_raw_frame(&out, DATA, 0, 1, (str){zeros, 1});
        put(slow, &out);
        poll(NULL, 0, STEP_MS);
    }
    assert_in_range(step, PACE_NS / NS_PER_MS / STEP_MS - 2, STEPS - 1);
    assert_true(is_there(fast));
    struct grpc_answer answer =
        echo_server_call(&fix, EXPORT_PATH, STR("whole"), false);
    assert_int_equal(answer.status, 0);
    grpc_answer_fini(&answer);
    close(slow);
    close(fast);
    buf_fini(&out);
    echo_server_close(&fix);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(less_than_the_rate_is_slow_after_a_time),
        cmocka_unit_test(each_time_is_judged_for_itself),
        cmocka_unit_test(nothing_is_judged_while_nothing_is_waited_for),
        cmocka_unit_test(room_given_within_the_time_makes_nobody_fast),
        cmocka_unit_test(without_a_rate_nobody_is_slow),
        cmocka_unit_test(
            a_message_is_waited_for_until_it_is_whole_or_its_call_over),
        cmocka_unit_test(who_sends_a_message_too_slowly_is_left),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
