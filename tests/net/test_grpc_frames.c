#include "net/grpc_frames.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <openssl/crypto.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "net/client.h"
#include "net/dial.h"
#include "tests/support/dir.h"
#include "tests/support/echo_server.h"
#include "tests/support/test_cert.h"

enum {
    DATA = 0,
    HEADERS = 1,
    RST_STREAM = 3,
    SETTINGS = 4,
    CONTINUATION = 9,
    ACK = 1,
    END_HEADERS = 4,
    PIECE = 16000,
    WAIT_MS = 5000
};

/* ---- frame by frame ---- */

static uint8_t preface[] = FRAMES_PREFACE;

static void
add_block(struct buf *out, uint8_t type, uint8_t flags, size_t len)
{
    static char zeros[FRAMES_BLOCK_MAX + 1];

    grpc_raw_frame(out, type, flags, 1, (str){zeros, len});
}

/* Whether |frames| are let through behind |begun|, in pieces of any length. */
static bool
passes_after(struct frames begun, const struct buf *frames)
{
    static const size_t pieces[] = {SIZE_MAX, 1, 7, 10, 4096};
    bool first = true;

    for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
        struct frames h = begun;
        bool is_good = true;

        assert_true(frames_take(&h, preface, FRAMES_PREFACE_LEN));
        for (size_t at = 0; at < frames->len;) {
            size_t len = frames->len - at;
            len = len < pieces[i] ? len : pieces[i];
            is_good = frames_take(&h, (uint8_t *)frames->ptr + at, len);
            at += len;
        }
        assert_true(i == 0 || is_good == first);
        first = is_good;
        frames_end(&h);
    }
    return first;
}

static bool
passes(const struct buf *frames)
{
    return passes_after((struct frames){.is_acknowledged = true}, frames);
}

static void
a_block_has_its_most_in_one_frame_or_in_several(void **state)
{
    (void)state;
    for (size_t over = 0; over < 2; over++) {
        struct buf one = {.cap_max = 0};
        struct buf several = {.cap_max = 0};

        add_block(&one, HEADERS, END_HEADERS, FRAMES_BLOCK_MAX + over);
        assert_int_equal(passes(&one), !over);
        add_block(&several, HEADERS, 0, FRAMES_BLOCK_MAX / 2);
        add_block(&several, CONTINUATION, 0, FRAMES_BLOCK_MAX / 4);
        add_block(&several, CONTINUATION, END_HEADERS,
                  FRAMES_BLOCK_MAX / 4 + over);
        assert_int_equal(passes(&several), !over);
        buf_fini(&one);
        buf_fini(&several);
    }
}

static void
small_pieces_count_as_if_they_were_larger(void **state)
{
    struct buf frames = {.cap_max = 0};

    (void)state;
    add_block(&frames, HEADERS, 0, 1);
    for (int i = 1; i < FRAMES_BLOCK_MAX / FRAMES_PIECE; i++)
        add_block(&frames, CONTINUATION, 0, 0);
    assert_true(passes(&frames));
    add_block(&frames, CONTINUATION, 0, 0);
    assert_false(passes(&frames));
    buf_fini(&frames);
}

static void
each_block_has_a_count_of_its_own_and_data_has_none(void **state)
{
    struct buf frames = {.cap_max = 0};
    struct buf inner = {.cap_max = 0};

    (void)state;
    add_block(&inner, HEADERS, END_HEADERS, FRAMES_BLOCK_MAX + 1);
    for (int i = 0; i < 3; i++) {
        add_block(&frames, HEADERS, 0, FRAMES_BLOCK_MAX - FRAMES_PIECE);
        add_block(&frames, CONTINUATION, END_HEADERS, 2);
        grpc_raw_frame(&frames, DATA, 0, 1, buf_str(&inner));
        grpc_raw_frame(&frames, SETTINGS, 0, 0, STR(""));
    }
    assert_true(passes(&frames));
    buf_add(&frames, buf_str(&inner));
    assert_false(passes(&frames));
    buf_fini(&inner);
    buf_fini(&frames);
}

/* Headers before the acknowledgement, up to the bound. */
static void
add_early(struct buf *out)
{
    for (size_t sum = 0; sum < FRAMES_EARLY_MAX; sum += 1024)
        add_block(out, HEADERS, END_HEADERS, 1024 - FRAMES_EARLY_PIECE);
}

static void
headers_before_the_acknowledgement_are_bounded_together(void **state)
{
    struct buf frames = {.cap_max = 0};

    (void)state;
    add_early(&frames);
    assert_true(passes_after((struct frames){0}, &frames));
    add_block(&frames, HEADERS, END_HEADERS, 0);
    assert_false(passes_after((struct frames){0}, &frames));
    assert_true(passes(&frames));
    buf_fini(&frames);
}

static void
settings_are_acknowledged_once_they_were_sent(void **state)
{
    struct buf frames = {.cap_max = 0};

    (void)state;
    grpc_raw_frame(&frames, SETTINGS, 0, 0, STR(""));
    add_early(&frames);
    assert_true(passes_after((struct frames){.is_sent = true}, &frames));
    grpc_raw_frame(&frames, SETTINGS, ACK, 0, STR(""));
    add_early(&frames);
    assert_true(passes_after((struct frames){.is_sent = true}, &frames));
    assert_false(passes_after((struct frames){0}, &frames));
    buf_fini(&frames);
}

static void
add_calls(struct buf *out, uint32_t *stream, uint32_t count, bool is_reset)
{
    for (uint32_t i = 0; i < count; i++, *stream += 2) {
        grpc_raw_frame(out, HEADERS, END_HEADERS, *stream, STR(""));
        grpc_raw_frame(out, HEADERS, END_HEADERS, *stream, STR("trailers"));
        if (is_reset)
            grpc_raw_frame(out, RST_STREAM, 0, *stream, STR("\0\0\0\x08"));
    }
}

static void
calls_that_are_reset_are_bounded(void **state)
{
    struct buf frames = {.cap_max = 0};
    uint32_t stream = 1;

    (void)state;
    add_calls(&frames, &stream, FRAMES_RESETS_MAX, true);
    assert_true(passes(&frames));
    add_calls(&frames, &stream, 1, true);
    assert_false(passes(&frames));
    buf_fini(&frames);
}

static void
half_of_many_calls_may_be_reset_and_no_more(void **state)
{
    struct buf frames = {.cap_max = 0};
    uint32_t stream = 1;

    (void)state;
    for (int i = 0; i < 2 * FRAMES_LATELY; i++) {
        add_calls(&frames, &stream, 2, false);
        add_calls(&frames, &stream, 1, true);
    }
    assert_true(passes(&frames));
    add_calls(&frames, &stream, FRAMES_LATELY, true);
    assert_false(passes(&frames));
    buf_fini(&frames);
}

static void
what_is_no_http2_is_let_through(void **state)
{
    struct buf bytes = {.cap_max = 0};

    (void)state;
    add_block(&bytes, HEADERS, END_HEADERS, FRAMES_BLOCK_MAX + 1);
    for (size_t begun = 0; begun < FRAMES_PREFACE_LEN; begun++) {
        struct frames h = {0};

        assert_true(frames_take(&h, preface, begun));
        assert_true(frames_take(&h, (uint8_t *)bytes.ptr, bytes.len));
        frames_end(&h);
    }
    buf_fini(&bytes);
}

/* ---- calls under way ---- */

enum { END_STREAM = 1, CALL_KIB = 12, LIMIT = 10 };

static struct frames
greeted(void)
{
    struct frames f = {.is_acknowledged = true};

    assert_true(frames_take(&f, preface, FRAMES_PREFACE_LEN));
    return f;
}

static bool
takes(struct frames *f, uint8_t type, uint8_t flags, uint32_t stream)
{
    struct buf frame = {.cap_max = 0};

    grpc_raw_frame(&frame, type, flags, stream, STR(""));
    bool is_good = frames_take(f, (uint8_t *)frame.ptr, frame.len);

    buf_fini(&frame);
    return is_good;
}

static bool
begins(struct frames *f, uint32_t call)
{
    return takes(f, HEADERS, END_HEADERS, 2 * call + 1);
}

static void
calls_under_way_are_bounded_for_all_together(void **state)
{
    struct frames many = greeted();
    struct frames few = greeted();

    (void)state;
    frames_limit((size_t)LIMIT * CALL_KIB << 10);
    assert_true(begins(&few, 0));
    for (uint32_t i = 0; i < LIMIT - 1; i++)
        assert_true(begins(&many, i));
    assert_false(begins(&many, LIMIT));
    assert_false(begins(&many, LIMIT + 1)); /* for ever */
    /* Who has less than an equal share goes on. */
    for (uint32_t i = 1; i < LIMIT / 2; i++)
        assert_true(begins(&few, i));
    assert_false(begins(&few, LIMIT / 2));
    frames_end(&many);
    frames_end(&few);

    struct frames next = greeted();
    for (uint32_t i = 0; i < LIMIT; i++)
        assert_true(begins(&next, i));
    assert_false(begins(&next, LIMIT));
    frames_end(&next);
    frames_limit(SIZE_MAX);
}

static void
headers_count_for_what_core_makes_of_them(void **state)
{
    struct frames f = greeted();
    struct buf frame = {.cap_max = 0};

    (void)state;
    add_block(&frame, HEADERS, END_HEADERS, 64);
    assert_true(frames_take(&f, (uint8_t *)frame.ptr, frame.len));
    assert_int_equal(f.held_kib, CALL_KIB + 10);
    buf_reset(&frame);
    add_block(&frame, HEADERS, END_HEADERS, 30000); /* trailers, and no more */
    assert_true(frames_take(&f, (uint8_t *)frame.ptr, frame.len));
    assert_int_equal(f.held_kib, CALL_KIB + 10 + 80); /* of 16 KiB of fields */
    frames_end(&f);
    buf_fini(&frame);
}

static void
calls_that_end_hold_nothing(void **state)
{
    static const struct {
        uint8_t type;
        uint8_t flags;
        bool is_end;
    } rows[] = {
        {HEADERS, END_HEADERS, false},
        {DATA, 0, false},
        {DATA, END_STREAM, false}, /* core ends by trailers alone */
        {HEADERS, END_HEADERS | END_STREAM, true},
        {RST_STREAM, 0, true},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        for (size_t step = 1; step < 20; step++) {
            struct frames f = greeted();
            struct buf sent = {.cap_max = 0};

            assert_true(begins(&f, 0));
            assert_true(begins(&f, 1));
            grpc_raw_frame(&sent, SETTINGS, 0, 0, STR("\0\3\0\0\0\x80"));
            grpc_raw_frame(&sent, rows[i].type, rows[i].flags, 3, STR("some"));
            for (size_t at = 0; at < sent.len; at += step)
                frames_sent(&f, (const uint8_t *)sent.ptr + at,
                            at + step < sent.len ? step : sent.len - at, 1);
            assert_int_equal(f.held_kib,
                             rows[i].is_end ? CALL_KIB : 2 * CALL_KIB);
            frames_end(&f);
            buf_fini(&sent);
        }
    }
    struct frames f = greeted();
    assert_true(begins(&f, 0));
    assert_true(takes(&f, RST_STREAM, 0, 1));
    assert_int_equal(f.held_kib, 0);
    assert_true(takes(&f, HEADERS, END_HEADERS, 1)); /* trailers of none */
    assert_int_equal(f.held_kib, 0);
    frames_end(&f);
}

/* ---- through core ---- */

struct fixture {
    struct echo_server server;
    struct test_cert cert;
    char folder[64];
    char cert_file[80];
    char key_file[80];
    struct dial dial;
};

static void
open_fixture(struct fixture *fix, bool is_tls)
{
    struct buf why = {.cap_max = 0};
    char url[64];

    *fix = (struct fixture){.server = echo_server_with(ECHO_BACK)};
    dir_make(fix->folder);
    snprintf(fix->cert_file, sizeof(fix->cert_file), "%s/cert", fix->folder);
    snprintf(fix->key_file, sizeof(fix->key_file), "%s/key", fix->folder);
    fix->cert = test_cert_make("localhost", NULL);
    test_cert_write(fix->cert_file, &fix->cert.cert);
    test_cert_write(fix->key_file, &fix->cert.key);
    if (is_tls) {
        fix->server.listener.tls.cert_file = fix->cert_file;
        fix->server.listener.tls.key_file = fix->key_file;
    }
    echo_server_open(&fix->server);
    snprintf(url, sizeof(url), "%s://127.0.0.1:%u", is_tls ? "https" : "http",
             grpc_endpoint_port(fix->server.endpoint));
    const struct client_cfg cfg = {
        .url = url, .ca_file = fix->cert_file, .stop_fd = -1};
    assert_int_equal(dial_init(&fix->dial, &cfg, &why), OK);
    if (is_tls)
        SSL_CTX_set_alpn_protos(fix->dial.ctx, (const uint8_t *)"\2h2", 3);
    snprintf(fix->dial.name, sizeof(fix->dial.name), "localhost");
    fix->dial.deadline_ns = clock_mono_ns() + WAIT_MS * NS_PER_MS;
    assert_int_equal(dial_connect(&fix->dial, &why), OK);
    buf_fini(&why);
}

static void
close_fixture(struct fixture *fix)
{
    dial_disconnect(&fix->dial);
    dial_fini(&fix->dial);
    echo_server_close(&fix->server);
    test_cert_fini(&fix->cert);
    dir_remove(fix->folder);
}

/* Reads until the end. */
static void
read_all(struct fixture *fix)
{
    char some[4096];
    size_t got = 1;

    while (got) {
        enum err err = dial_recv(&fix->dial, some, sizeof(some), &got);
        if (err && !fix->dial.trouble)
            fail_msg("no end came in time");
        if (err)
            break;
    }
}

static void
add_field(struct buf *out, size_t len)
{
    static char value[PIECE];
    size_t rest = len - 127;

    memset(value, 'y', sizeof(value));
    buf_add(out, STR("\0\1x\x7f"));
    for (; rest >= 128; rest /= 128)
        buf_add_char(out, (char)(rest % 128 + 128));
    buf_add_char(out, (char)rest);
    buf_add(out, (str){value, len});
}

static void
begin(struct buf *out)
{
    buf_add(out, STR(FRAMES_PREFACE));
    grpc_raw_frame(out, SETTINGS, 0, 0, STR(""));
}

static void
begin_call(struct buf *out, uint8_t flags, uint32_t stream)
{
    grpc_raw_frame(out, HEADERS, flags, stream,
                   STR("\x83\x86\x04\x3b" EXPORT_PATH "\x01\x01x\x0f\x10\x10"
                       "application/grpc\x00\x02te\x08trailers"));
}

/* Sends |out|, of which nothing is to be handled, and waits for the end. */
static void
expect_an_end(const struct buf *out, bool is_tls)
{
    struct fixture fix;
    struct buf why = {.cap_max = 0};

    open_fixture(&fix, is_tls);
    (void)dial_send(&fix.dial, buf_str(out), &why);
    read_all(&fix);
    assert_int_equal(fix.server.handled, 0);
    buf_fini(&why);
    close_fixture(&fix);
}

static void
headers_without_end_end_the_connection(void **state)
{
    struct buf out = {.cap_max = 0};
    struct buf field = {.cap_max = 0};

    (void)state;
    begin(&out);
    begin_call(&out, 0, 1);
    add_field(&field, PIECE);
    for (int i = 0; i < 100; i++)
        grpc_raw_frame(&out, CONTINUATION, 0, 1, buf_str(&field));
    expect_an_end(&out, false);
    expect_an_end(&out, true);
    buf_fini(&out);
    buf_fini(&field);
}

/* Core holds who acknowledges before its settings are sent to none of them;
 * that comes in time with a handshake of TLS. */
static void
calls_of_who_acknowledges_nothing_end_the_connection(void **state)
{
    struct buf out = {.cap_max = 0};

    (void)state;
    for (int is_early = 0; is_early < 2; is_early++) {
        buf_reset(&out);
        begin(&out);
        if (is_early)
            grpc_raw_frame(&out, SETTINGS, ACK, 0, STR(""));
        for (uint32_t i = 0; i < 1000; i++)
            begin_call(&out, END_HEADERS, 2 * i + 1);
        expect_an_end(&out, false);
        expect_an_end(&out, true);
    }
    buf_fini(&out);
}

/* Whoever has many calls under way loses them, and others are served. */
static void
expect_a_bound_of_calls(bool is_tls)
{
    struct fixture fix;
    struct buf out = {.cap_max = 0};
    struct buf why = {.cap_max = 0};
    char settings[FRAMES_HEAD_LEN];
    size_t got;

    open_fixture(&fix, is_tls);
    frames_limit((size_t)512 << 10);
    begin(&out);
    assert_int_equal(dial_send(&fix.dial, buf_str(&out), &why), OK);
    assert_int_equal(dial_recv(&fix.dial, settings, sizeof(settings), &got),
                     OK);
    buf_reset(&out);
    grpc_raw_frame(&out, SETTINGS, ACK, 0, STR(""));
    for (uint32_t i = 0; i < 120; i++)
        begin_call(&out, END_HEADERS, 2 * i + 1);
    (void)dial_send(&fix.dial, buf_str(&out), &why);
    read_all(&fix);
    assert_int_equal(fix.server.handled, 0);
    if (!is_tls) {
        struct grpc_answer answer =
            echo_server_call(&fix.server, EXPORT_PATH, STR("x"), false);
        assert_int_equal(answer.status, 0);
        grpc_answer_fini(&answer);
    }
    buf_fini(&out);
    buf_fini(&why);
    close_fixture(&fix);
    frames_limit(SIZE_MAX);
}

static void
calls_whose_message_does_not_come_are_bounded(void **state)
{
    (void)state;
    expect_a_bound_of_calls(false);
    expect_a_bound_of_calls(true);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_has_its_most_in_one_frame_or_in_several),
        cmocka_unit_test(small_pieces_count_as_if_they_were_larger),
        cmocka_unit_test(each_block_has_a_count_of_its_own_and_data_has_none),
        cmocka_unit_test(
            headers_before_the_acknowledgement_are_bounded_together),
        cmocka_unit_test(settings_are_acknowledged_once_they_were_sent),
        cmocka_unit_test(calls_that_are_reset_are_bounded),
        cmocka_unit_test(half_of_many_calls_may_be_reset_and_no_more),
        cmocka_unit_test(calls_under_way_are_bounded_for_all_together),
        cmocka_unit_test(headers_count_for_what_core_makes_of_them),
        cmocka_unit_test(calls_that_end_hold_nothing),
        cmocka_unit_test(what_is_no_http2_is_let_through),
        cmocka_unit_test(headers_without_end_end_the_connection),
        cmocka_unit_test(calls_of_who_acknowledges_nothing_end_the_connection),
        cmocka_unit_test(calls_whose_message_does_not_come_are_bounded),
    };

    signal(SIGPIPE, SIG_IGN);
    /* Core's threads free connections while the process ends already. */
    OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
