/* What a message costs in as many pieces as it has bytes. */
#include "net/grpc_frames.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/echo_server.h"

enum {
    DATA = 0,
    HEADERS = 1,
    SETTINGS = 4,
    ACK = 1,
    END_STREAM = 1,
    END_HEADERS = 4
};
enum { CALL_KIB = 12 };

/* Behind the preface, with a call of one message of |len| bytes. */
static struct frames
begin(uint32_t len)
{
    static uint8_t preface[] = FRAMES_PREFACE;
    struct frames f = {.is_acknowledged = true};
    struct buf out = {0};
    const char prefix[] = {0, (char)(len >> 24), (char)(len >> 16),
                           (char)(len >> 8), (char)len};

    assert_true(frames_take(&f, preface, FRAMES_PREFACE_LEN));
    grpc_raw_frame(&out, HEADERS, END_HEADERS, 1, STR(""));
    grpc_raw_frame(&out, DATA, 0, 1, (str){prefix, sizeof(prefix)});
    assert_true(frames_take(&f, (uint8_t *)out.ptr, out.len));
    buf_fini(&out);
    return f;
}

/* How many of |most| pieces of |len| bytes are let through. */
static size_t
let_through(struct frames *f, size_t len, size_t most)
{
    static const char zeros[16384];
    struct buf piece = {0};
    size_t count = 0;

    grpc_raw_frame(&piece, DATA, 0, 1, (str){zeros, len});
    while (count < most && frames_take(f, (uint8_t *)piece.ptr, piece.len))
        count++;
    buf_fini(&piece);
    return count;
}

static void
pieces_count_for_what_core_makes_of_them(void **state)
{
    enum { LIMIT = 4 << 20, MESSAGE = 64 << 20 };
    struct frames f = begin(MESSAGE);

    (void)state;
    frames_limit(LIMIT);
    size_t count = let_through(&f, 1, LIMIT);
    assert_in_range(count, LIMIT / 64, LIMIT / 42);
    assert_int_equal(let_through(&f, 1, 1), 0); /* for ever */
    frames_end(&f);

    /* As clients send it, the largest message is 192 KiB. */
    f = begin(MESSAGE);
    assert_int_equal(let_through(&f, 16384, MESSAGE / 16384), MESSAGE / 16384);
    assert_in_range(f.held_kib, CALL_KIB + 1, CALL_KIB + 200);
    frames_end(&f);
    frames_limit(SIZE_MAX);
}

static void
a_call_that_ends_holds_no_pieces(void **state)
{
    struct frames f = begin(1000);
    struct buf end = {0};

    (void)state;
    assert_int_equal(let_through(&f, 1, 1000), 1000);
    assert_in_range(f.held_kib, CALL_KIB + 40, CALL_KIB + 48);
    grpc_raw_frame(&end, HEADERS, END_HEADERS | END_STREAM, 1, STR(""));
    frames_sent(&f, (uint8_t *)end.ptr, end.len, 1);
    assert_int_equal(f.held_kib, 0);
    buf_fini(&end);
    frames_end(&f);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_count_for_what_core_makes_of_them),
        cmocka_unit_test(a_call_that_ends_holds_no_pieces),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
