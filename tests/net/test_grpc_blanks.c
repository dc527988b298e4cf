/* Frames that say nothing, through gRPC core and before it. */
#include "net/grpc_frames.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <unistd.h>

#include <netinet/in.h>
#include <sys/socket.h>

#include "tests/support/echo_server.h"

enum {
    DATA = 0,
    HEADERS = 1,
    PRIORITY = 2,
    SETTINGS = 4,
    PING = 6,
    GOAWAY = 7,
    WINDOW_UPDATE = 8,
    OTHER = 99,
    ACK = 1,
    END_STREAM = 1,
    END_HEADERS = 4
};

static const struct kind {
    uint8_t type;
    uint8_t flags;
    uint32_t stream;
    str payload;
    bool is_bounded;
} kinds[] = {
    {DATA, 0, 1, STR_INIT(""), true},
    {SETTINGS, 0, 0, STR_INIT(""), true},
    {PRIORITY, 0, 1, STR_INIT("\0\0\0\0\x10"), true},
    {WINDOW_UPDATE, 0, 0, STR_INIT("\0\0\0\1"), true},
    {GOAWAY, 0, 0, STR_INIT("\0\0\0\0\0\0\0\0"), true},
    {DATA, 0, 1, STR_INIT("x"), false},
    {SETTINGS, ACK, 0, STR_INIT(""), false},
    {OTHER, 0, 1, STR_INIT(""), false}, /* core skips it, and fast */
    {PING, ACK, 0, STR_INIT("12345678"), false},
};
enum { KINDS = sizeof(kinds) / sizeof(*kinds) };

static bool
takes(struct frames *f, const struct kind *kind, int count)
{
    struct buf frame = {.cap_max = 0};
    bool is_good = true;

    grpc_raw_frame(&frame, kind->type, kind->flags, kind->stream,
                   kind->payload);
    for (int i = 0; i < count; i++)
        is_good = frames_take(f, (uint8_t *)frame.ptr, frame.len);
    buf_fini(&frame);
    return is_good;
}

static struct frames
greeted(void)
{
    static uint8_t preface[] = FRAMES_PREFACE;
    struct frames f = {.is_sent = true, .is_acknowledged = true};

    assert_true(frames_take(&f, preface, FRAMES_PREFACE_LEN));
    return f;
}

static void
what_says_nothing_is_bounded_for_each_connection(void **state)
{
    (void)state;
    for (int i = 0; i < KINDS; i++) {
        struct frames f = greeted();

        assert_true(takes(&f, &kinds[i], FRAMES_BLANKS_MAX));
        assert_int_equal(takes(&f, &kinds[i], 1), !kinds[i].is_bounded);
        frames_end(&f);
    }
}

/* Core keeps the answers that it owes; it ends who pings too often later, once
 * it has read what there is. */
static void
pings_that_core_has_not_answered_are_bounded(void **state)
{
    static const struct kind ping = {PING, 0, 0, STR_INIT("12345678"), true};
    struct frames f = greeted();
    struct buf answer = {.cap_max = 0};

    (void)state;
    grpc_raw_frame(&answer, PING, ACK, 0, STR("12345678"));
    for (int i = 0; i < 100000; i++) {
        assert_true(takes(&f, &ping, 1));
        frames_sent(&f, (uint8_t *)answer.ptr, answer.len, 1);
    }
    /* More answers than pings are no credit. */
    frames_sent(&f, (uint8_t *)answer.ptr, answer.len, 1);
    assert_true(takes(&f, &ping, FRAMES_PINGS_MAX));
    frames_sent(&f, (uint8_t *)answer.ptr, answer.len, 1);
    assert_true(takes(&f, &ping, 1));
    assert_false(takes(&f, &ping, 1));
    frames_end(&f);
    buf_fini(&answer);
}

/* Whatever their order, and however long the connection. */
static void
calls_allow_some_more(void **state)
{
    struct frames f = greeted();
    uint32_t stream = 1;

    (void)state;
    for (int i = 0; i < 10000; i++, stream += 2) {
        const struct kind call = {HEADERS, END_HEADERS, stream, STR_INIT(""),
                                  false};
        const struct kind end = {DATA, END_STREAM, stream, STR_INIT(""), false};

        assert_true(takes(&f, &call, 1));
        assert_true(takes(&f, &end, 1));
        assert_true(takes(&f, &kinds[i % 4], FRAMES_BLANKS_CALL));
    }
    assert_false(takes(&f, &kinds[0], FRAMES_BLANKS_MAX));
    frames_end(&f);
}

/* Sends |kind| until the connection ends, |most| of them at most. */
static int
flood(int fd, const struct kind *kind, int most)
{
    enum { BATCH = 64 };
    struct buf out = {.cap_max = 0};
    int sent = 0;

    buf_add(&out, STR(FRAMES_PREFACE));
    grpc_raw_frame(&out, SETTINGS, 0, 0, STR(""));
    grpc_raw_frame(&out, HEADERS, END_HEADERS, 1,
                   STR("\x83\x86\x04\x3b" EXPORT_PATH "\x01\x01x\x0f\x10\x10"
                       "application/grpc\x00\x02te\x08trailers"));
    while (sent < most && send(fd, out.ptr, out.len, MSG_NOSIGNAL) > 0) {
        buf_reset(&out);
        for (int i = 0; i < BATCH; i++)
            grpc_raw_frame(&out, kind->type, kind->flags, kind->stream,
                           kind->payload);
        sent += BATCH;
    }
    buf_fini(&out);
    return sent;
}

static void
a_flood_of_them_ends_its_connection(void **state)
{
    enum { MOST = 10000000 };
    struct echo_server fix = echo_server_with(ECHO_BACK);

    (void)state;
    echo_server_open(&fix);
    for (int i = 0; i < KINDS; i++) {
        struct sockaddr_in to = {.sin_family = AF_INET,
                                 .sin_port =
                                     htons(grpc_endpoint_port(fix.endpoint)),
                                 .sin_addr = {htonl(INADDR_LOOPBACK)}};

        if (!kinds[i].is_bounded)
            continue;
        int fd = socket(AF_INET, SOCK_STREAM, 0);
        assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof(to)), 0);
        if (flood(fd, &kinds[i], MOST) >= MOST)
            fail_msg("frames of type %d without end", kinds[i].type);
        close(fd);
    }
    struct grpc_answer answer =
        echo_server_call(&fix, EXPORT_PATH, STR("whole"), false);
    assert_int_equal(answer.status, 0);
    assert_int_equal(fix.handled, 1);
    grpc_answer_fini(&answer);
    echo_server_close(&fix);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_says_nothing_is_bounded_for_each_connection),
        cmocka_unit_test(pings_that_core_has_not_answered_are_bounded),
        cmocka_unit_test(calls_allow_some_more),
        cmocka_unit_test(a_flood_of_them_ends_its_connection),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
