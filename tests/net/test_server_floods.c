/* What an HTTP/2 peer may do too much of. */
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/h2_kit.h"

enum { BODY = 1000 };

static struct server_limits
small_limits(void)
{
    struct server_limits limits = server_limits_default;

    limits.body_bytes = BODY;
    limits.header_bytes = 512;
    limits.streams = 4;
    limits.header_ms = 1000;
    limits.idle_ms = 3000;
    limits.write_ms = 2000;
    return limits;
}

struct pair {
    struct kit kit;
    struct h2_kit h2;
};

static struct pair *
begin2(const struct server_limits *limits)
{
    struct pair *p = calloc(1, sizeof(*p));
    struct server_limits small = small_limits();

    assert_non_null(p);
    kit_session(&p->kit, http2_new, limits ? limits : &small);
    h2_begin(&p->h2, &p->kit);
    h2_move(&p->h2, 1);
    return p;
}

static void
end2(struct pair *p)
{
    h2_end(&p->h2);
    kit_session_fini(&p->kit);
    free(p);
}

static void
http2_bodies_and_messages_have_the_limit(void **state)
{
    static const char zeros[2 * BODY];
    static const struct {
        const char *headers;
        str body;
        enum request_problem problem;
    } posts[] = {
        {NULL, {zeros, BODY}, REQUEST_WHOLE},
        {NULL, {zeros, BODY + 1}, REQUEST_TOO_LARGE},
        {"content-length: 1001\n", {zeros, BODY + 1}, REQUEST_TOO_LARGE},
        {"content-type: application/grpc\n",
         {"\0\0\0\x03\xe9", 5},
         REQUEST_TOO_LARGE},
    };

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        struct pair *p = begin2(NULL);
        int32_t id =
            h2_post(&p->h2, "/echo", posts[i].headers, posts[i].body, false);
        h2_move(&p->h2, id);
        assert_int_equal(p->kit.problem, posts[i].problem);
        assert_true(h2_answer(&p->h2, id)->is_closed);
        assert_int_equal(h2_answer(&p->h2, id)->error, 0);
        id = h2_call(&p->h2, "GET", "/echo", NULL);
        h2_move(&p->h2, id);
        assert_true(h2_answer(&p->h2, id)->is_closed);
        end2(p);
    }
}

static void
an_answered_http2_body_is_thrown_away_only_so_far(void **state)
{
    struct pair *p = begin2(NULL);
    size_t len = (size_t)2 << 20;
    char *body = calloc(1, len);

    (void)state;
    int32_t id = h2_post(&p->h2, "/echo", NULL, (str){body, len}, false);
    h2_move(&p->h2, id);
    struct h2_answer *a = h2_answer(&p->h2, id);
    assert_true(kit_has(&a->head, ":status: 401\n"));
    assert_true(a->is_closed);
    assert_int_equal(a->error, NGHTTP2_NO_ERROR);
    free(body);
    end2(p);
}

static void
streams_at_once_are_limited(void **state)
{
    struct pair *p = begin2(NULL);
    int32_t ids[5];

    (void)state;
    for (size_t i = 0; i < 4; i++)
        ids[i] = h2_call(&p->h2, "GET", "/hold", NULL);
    h2_move(&p->h2, ids[3]);
    assert_int_equal(p->kit.held_len, 4);
    assert_int_equal(nghttp2_session_get_remote_settings(
                         p->h2.ng, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS),
                     4);
    /* a client that does not care */
    h2_frame(&p->h2, NGHTTP2_HEADERS, 5, 9, STR("\x82\x86\x84\x41\x01h"));
    kit_pass(&p->kit, 1);
    assert_int_equal(p->kit.requests, 4);
    for (size_t i = 0; i < 4; i++)
        request_reply(p->kit.held[i], &(struct reply){.status = 200});
    end2(p);
}

/* Sends |count| requests before the settings are known; |refused| is how many
 * of them may be sent again.  All others must be answered. */
static struct pair *
call_blindly(int count, int *refused)
{
    struct pair *p = calloc(1, sizeof(*p));
    struct server_limits small = small_limits();

    assert_non_null(p);
    kit_session(&p->kit, http2_new, &small);
    h2_begin(&p->h2, &p->kit);
    for (int i = 0; i < count; i++)
        (void)h2_call(&p->h2, "GET", "/hold", NULL);
    h2_move(&p->h2, 1);
    assert_int_equal(p->kit.held_len, 4);
    for (int i = 0; i < 4; i++)
        request_reply(p->kit.held[i], &(struct reply){.status = 200});
    h2_move(&p->h2, 1);
    *refused = 0;
    for (int i = 0; i < count; i++) {
        const struct h2_answer *answer = h2_answer(&p->h2, 2 * i + 1);
        if (answer->error == NGHTTP2_REFUSED_STREAM)
            ++*refused;
        else
            assert_true(kit_has(&answer->head, ":status: 200"));
    }
    return p;
}

static void
who_does_not_know_the_limit_yet_is_refused_the_rest(void **state)
{
    int refused;
    struct pair *p = call_blindly(4 + 90, &refused);

    (void)state;
    assert_int_equal(refused, 90);
    int32_t id = h2_call(&p->h2, "GET", "/echo", NULL);
    h2_move(&p->h2, id);
    assert_true(kit_has(&h2_answer(&p->h2, id)->head, ":status: 200"));
    end2(p);
    p = call_blindly(4 + 200, &refused);
    assert_int_equal(refused, 200);
    assert_int_equal(p->h2.goaways, 1);
    assert_int_equal(p->h2.goaway, NGHTTP2_NO_ERROR);
    end2(p);
}

static void
an_http2_header_over_the_limit_is_431(void **state)
{
    struct pair *p = begin2(NULL);
    char lines[700];

    (void)state;
    (void)snprintf(lines, sizeof(lines), "x: %0300d\n", 0);
    int32_t fits = h2_call(&p->h2, "GET", "/echo", lines);
    h2_move(&p->h2, fits);
    assert_true(kit_has(&h2_answer(&p->h2, fits)->head, ":status: 200"));
    (void)snprintf(lines, sizeof(lines), "x: %0500d\n", 0);
    int32_t over = h2_call(&p->h2, "GET", "/echo", lines);
    h2_move(&p->h2, over);
    assert_true(kit_has(&h2_answer(&p->h2, over)->head, ":status: 431"));
    assert_int_equal(p->kit.requests, 1);
    end2(p);
}

static void
an_hpack_bomb_costs_one_header(void **state)
{
    struct pair *p = begin2(NULL);
    struct buf block = {.cap_max = 0};

    (void)state;
    /* method, scheme, path; then one large field into the table and many
     * one-byte references to it */
    buf_add(&block, STR("\x82\x86\x84\x40\x01x\x7f\x81\x1e")); /* 4,000 */
    for (int i = 0; i < 4000; i++)
        buf_add_char(&block, 'a');
    for (int i = 0; i < 8000; i++)
        buf_add_char(&block, '\xbe');
    h2_frame(&p->h2, NGHTTP2_HEADERS, 5, 1, buf_str(&block));
    kit_pass(&p->kit, 1);
    assert_int_equal(p->kit.requests, 0);
    buf_fini(&block);
    end2(p);
}

/* Whether |out| has a GOAWAY frame with |code|. */
static bool
has_goaway(const struct buf *out, uint32_t code)
{
    const unsigned char *at = (const unsigned char *)out->ptr;
    size_t left = out->len;

    while (left >= 9) {
        size_t len = (size_t)at[0] << 16 | (size_t)at[1] << 8 | at[2];
        if (at[3] == NGHTTP2_GOAWAY && len >= 8 && at[16] == code)
            return true;
        assert_true(left >= 9 + len);
        at += 9 + len;
        left -= 9 + len;
    }
    return false;
}

/* Sends |count| frames of |type| and tells whether we were calmed. */
static bool
flood(uint8_t type, uint8_t flags, int32_t id, str payload, int count)
{
    struct pair *p = begin2(NULL);
    int32_t call = h2_call(&p->h2, "GET", "/hold", NULL);

    h2_move(&p->h2, call);
    for (int i = 0; i < count && !p->kit.session->is_over; i++)
        h2_frame(&p->h2, type, flags, id, payload);
    bool is_calmed = has_goaway(&p->kit.out, NGHTTP2_ENHANCE_YOUR_CALM);
    assert_int_equal(is_calmed, p->kit.session->is_over);
    session_free(p->kit.session);
    p->kit.session = NULL;
    assert_int_equal(p->kit.cancels, 1);
    request_reply(p->kit.held[0], &(struct reply){.status = 200});
    end2(p);
    return is_calmed;
}

static void
floods_end_in_calm_and_a_few_frames_do_not(void **state)
{
    static const struct {
        uint8_t type;
        uint8_t flags;
        int32_t id;
        str payload;
    } frames[] = {
        {NGHTTP2_PING, 0, 0, {"12345678", 8}},
        {NGHTTP2_SETTINGS, 0, 0, {"", 0}},
        {NGHTTP2_PRIORITY, 0, 3, {"\0\0\0\0\1", 5}},
        {NGHTTP2_WINDOW_UPDATE, 0, 0, {"\0\0\0\1", 4}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(frames) / sizeof(frames[0]); i++) {
        assert_false(flood(frames[i].type, frames[i].flags, frames[i].id,
                           frames[i].payload, 90));
        assert_true(flood(frames[i].type, frames[i].flags, frames[i].id,
                          frames[i].payload, 200));
    }
}

/* Opens and breaks |count| streams by |type|; was that too much? */
static bool
break_streams(uint8_t type, str payload, int count)
{
    struct pair *p = begin2(NULL);

    for (int i = 0; i < count && !p->kit.session->is_over; i++) {
        h2_frame(&p->h2, NGHTTP2_HEADERS, 4, 2 * i + 1,
                 STR("\x83\x86\x84\x41\x01h"));
        h2_frame(&p->h2, type, 0, 2 * i + 1, payload);
    }
    assert_int_equal(p->kit.requests, 0);
    bool is_over = p->kit.session->is_over;
    end2(p);
    return is_over;
}

static void
rapid_resets_of_either_side_end_in_calm(void **state)
{
    str cancel = {"\0\0\0\x08", 4};
    str overflow = {"\x7f\xff\xff\xff", 4};

    (void)state;
    assert_false(break_streams(NGHTTP2_RST_STREAM, cancel, 90));
    assert_true(break_streams(NGHTTP2_RST_STREAM, cancel, 200));
    /* MadeYouReset: the reset is ours */
    assert_false(break_streams(NGHTTP2_WINDOW_UPDATE, overflow, 40));
    assert_true(break_streams(NGHTTP2_WINDOW_UPDATE, overflow, 200));
    /* empty DATA frames without an end, on one stream */
    struct pair *p = begin2(NULL);
    h2_frame(&p->h2, NGHTTP2_HEADERS, 4, 1, STR("\x83\x86\x84\x41\x01h"));
    for (int i = 0; i < 200 && !p->kit.session->is_over; i++)
        h2_frame(&p->h2, NGHTTP2_DATA, 0, 1, STR(""));
    assert_true(p->kit.session->is_over);
    end2(p);
}

static void
continuations_without_end_are_refused(void **state)
{
    struct pair *p = begin2(NULL);

    (void)state;
    h2_frame(&p->h2, NGHTTP2_HEADERS, 0, 1, STR("\x82\x86\x84\x41\x01h"));
    for (int i = 0; i < 100 && !p->kit.session->is_over; i++)
        h2_frame(&p->h2, NGHTTP2_CONTINUATION, 0, 1, STR(""));
    assert_true(p->kit.session->is_over);
    assert_int_equal(p->kit.requests, 0);
    end2(p);
}

/* Nothing, under sanitizers. */
static size_t
allocated(void)
{
    struct mallinfo2 info = mallinfo2();

    return info.uordblks + info.hblkhd;
}

/* Feeds all of a frame but its last byte; how much more is then held? */
static size_t
held_by(struct pair *p, uint8_t type, size_t len)
{
    static char payload[1 << 20];
    char head[] = {(char)(len >> 16),
                   (char)(len >> 8),
                   (char)len,
                   (char)type,
                   NGHTTP2_FLAG_END_HEADERS,
                   0,
                   0,
                   0,
                   type == NGHTTP2_HEADERS};
    size_t before = allocated();

    /* no error, as GOAWAY; fields of one byte each, as HEADERS */
    memset(payload, type == NGHTTP2_HEADERS ? 0x82 : 0, sizeof(payload));
    kit_feed(&p->kit, (str){head, sizeof(head)});
    kit_feed(&p->kit, (str){payload, len - 1});
    size_t after = allocated();
    return after > before ? after - before : 0;
}

static void
only_frames_of_data_may_be_large(void **state)
{
    enum { MAX = 16384, LARGEST = 1 << 20 };
    static const uint8_t types[] = {NGHTTP2_GOAWAY, NGHTTP2_HEADERS};

    (void)state;
    for (size_t i = 0; i < sizeof(types); i++) {
        struct pair *p = begin2(NULL);

        assert_in_range(held_by(p, types[i], MAX), 0, 4 * MAX);
        kit_feed(&p->kit, STR("\x82"));
        assert_false(has_goaway(&p->kit.out, NGHTTP2_FRAME_SIZE_ERROR));
        end2(p);
        for (size_t len = MAX + 1; len <= LARGEST; len += LARGEST - MAX - 1) {
            p = begin2(NULL);
            assert_in_range(held_by(p, types[i], len), 0, MAX);
            assert_true(has_goaway(&p->kit.out, NGHTTP2_FRAME_SIZE_ERROR));
            assert_true(p->kit.session->is_over);
            assert_int_equal(p->kit.requests, 0);
            end2(p);
        }
    }
}

static void
glitches_are_forgiven_with_time_and_with_answers(void **state)
{
    struct pair *p = begin2(&server_limits_default);

    (void)state;
    for (int i = 0; i < 300; i++) {
        kit_pass(&p->kit, 100);
        h2_frame(&p->h2, NGHTTP2_PING, 0, 0, STR("12345678"));
    }
    assert_false(p->kit.session->is_over);
    for (int i = 0; i < 200; i++) { /* as gRPC clients measure */
        int32_t id = h2_call(&p->h2, "GET", "/echo", NULL);
        h2_move(&p->h2, id);
        h2_frame(&p->h2, NGHTTP2_PING, 0, 0, STR("12345678"));
        h2_frame(&p->h2, NGHTTP2_WINDOW_UPDATE, 0, 0, STR("\0\0\0\1"));
    }
    assert_false(p->kit.session->is_over);
    end2(p);
}

static void
http2_times_are_limited(void **state)
{
    struct pair *p = begin2(NULL);
    char zeros[600] = {0};

    (void)state;
    kit_pass(&p->kit, 2999);
    assert_false(p->kit.session->is_over);
    kit_pass(&p->kit, 1);
    assert_true(p->kit.session->is_over);
    end2(p);

    /* a header that does not end */
    p = begin2(NULL);
    h2_frame(&p->h2, NGHTTP2_HEADERS, 0, 1, STR("\x82\x86\x84\x41\x01h"));
    kit_pass(&p->kit, 999);
    assert_false(p->kit.session->is_over);
    kit_pass(&p->kit, 1);
    assert_true(p->kit.session->is_over);
    end2(p);

    /* a body that does not come */
    p = begin2(NULL);
    int32_t id = h2_post(&p->h2, "/echo", NULL, (str){zeros, 600}, true);
    h2_move(&p->h2, id);
    kit_pass(&p->kit, 5000);
    h2_move(&p->h2, id);
    assert_true(h2_answer(&p->h2, id)->is_closed);
    assert_int_equal(h2_answer(&p->h2, id)->error, NGHTTP2_CANCEL);
    assert_int_equal(p->kit.requests, 0);
    end2(p);

    /* an answer that is not taken: the client's window is 64 KiB */
    p = begin2(NULL);
    h2_frame(&p->h2, NGHTTP2_HEADERS, 5, 1,
             STR("\x82\x86\x04\x04/big\x41\x01h"));
    assert_int_equal(p->kit.requests, 1);
    kit_pass(&p->kit, 1999);
    size_t before = p->kit.out.len;
    kit_pass(&p->kit, 1);
    assert_int_equal(p->kit.out.len - before, 13); /* RST_STREAM */
    end2(p);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(http2_bodies_and_messages_have_the_limit),
        cmocka_unit_test(an_answered_http2_body_is_thrown_away_only_so_far),
        cmocka_unit_test(streams_at_once_are_limited),
        cmocka_unit_test(who_does_not_know_the_limit_yet_is_refused_the_rest),
        cmocka_unit_test(an_http2_header_over_the_limit_is_431),
        cmocka_unit_test(an_hpack_bomb_costs_one_header),
        cmocka_unit_test(floods_end_in_calm_and_a_few_frames_do_not),
        cmocka_unit_test(rapid_resets_of_either_side_end_in_calm),
        cmocka_unit_test(continuations_without_end_are_refused),
        cmocka_unit_test(only_frames_of_data_may_be_large),
        cmocka_unit_test(glitches_are_forgiven_with_time_and_with_answers),
        cmocka_unit_test(http2_times_are_limited),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
