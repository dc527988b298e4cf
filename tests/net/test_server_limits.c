#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/metrics.h"
#include "tests/support/h2_kit.h"

#define GET(path) "GET " path " HTTP/1.1\r\nHost: h\r\n\r\n"

enum { BODY = 1000, ROOM = 512 };

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

static void
begin(struct kit *kit, const struct server_limits *limits)
{
    struct server_limits small = small_limits();

    kit_session(kit, http1_new, limits ? limits : &small);
}

static struct buf
post_of(size_t len, const char *more)
{
    struct buf out = {.cap_max = 0};

    buf_printf(
        &out, "POST /echo HTTP/1.1\r\nHost: h\r\n%sContent-Length: %zu\r\n\r\n",
        more, len);
    for (size_t i = 0; i < len; i++)
        buf_add_char(&out, 'x');
    return out;
}

static void
feed_post(struct kit *kit, size_t len)
{
    struct buf post = post_of(len, "");

    buf_reset(&kit->out);
    kit_feed(kit, buf_str(&post));
    buf_fini(&post);
}

static void
a_body_at_the_limit_passes_and_one_byte_more_does_not(void **state)
{
    struct kit kit;

    (void)state;
    begin(&kit, NULL);
    feed_post(&kit, BODY);
    assert_int_equal(kit.problem, REQUEST_WHOLE);
    assert_int_equal(kit.body.len, BODY);
    feed_post(&kit, BODY + 1);
    assert_int_equal(kit.problem, REQUEST_TOO_LARGE);
    assert_int_equal(kit.body.len, 0);
    assert_true(kit_has(&kit.out, "HTTP/1.1 401"));
    /* and the connection stays usable */
    feed_post(&kit, BODY);
    assert_int_equal(kit.problem, REQUEST_WHOLE);
    assert_false(kit.session->is_over);
    kit_session_fini(&kit);
}

static void
a_chunked_body_has_the_same_limit(void **state)
{
    for (size_t len = BODY; len <= BODY + 1; len++) {
        struct kit kit;
        char chunk[2048];

        (void)state;
        begin(&kit, NULL);
        kit_feed(&kit, STR("POST /echo HTTP/1.1\r\nHost: h\r\n"
                           "Transfer-Encoding: chunked\r\n\r\n"));
        (void)snprintf(chunk, sizeof(chunk), "%zx\r\n%0*d\r\n0\r\n\r\n", len,
                       (int)len, 0);
        kit_feed(&kit, str_of(chunk));
        assert_int_equal(kit.requests, 1);
        assert_int_equal(kit.problem,
                         len > BODY ? REQUEST_TOO_LARGE : REQUEST_WHOLE);
        assert_int_equal(kit.session->is_over, len > BODY);
        kit_session_fini(&kit);
    }
}

static void
a_refused_body_is_read_only_so_far(void **state)
{
    struct kit kit;
    char junk[65536];
    size_t fed = 0;

    (void)state;
    memset(junk, 'x', sizeof(junk));
    begin(&kit, NULL);
    kit_feed(&kit, STR("POST /hold HTTP/1.1\r\nHost: h\r\n"
                       "Content-Length: 99999999\r\n\r\n"));
    assert_int_equal(kit.problem, REQUEST_TOO_LARGE);
    while (!kit.session->is_over && fed < ((size_t)4 << 20)) {
        kit_feed(&kit, (str){junk, sizeof(junk)});
        fed += sizeof(junk);
        if (fed > ((size_t)2 << 20) && kit.held_len) {
            request_reply(kit.held[0], &(struct reply){.status = 413});
            kit.held_len = 0;
        }
    }
    kit_pass(&kit, 0);
    assert_true(kit.session->is_over);
    assert_true(kit_has(&kit.out, "HTTP/1.1 413"));
    assert_true(kit_has(&kit.out, "connection: close"));
    kit_session_fini(&kit);
}

static void
a_decompressed_body_has_the_same_limit(void **state)
{
    /* 1,000 and 1,001 zeros */
    static const struct {
        str bytes;
        enum request_problem problem;
    } bodies[] = {
        {{"\x78\xda\x63\x60\x18\x05\xa3\x60\x14\x0c\x77\x00\x00\x03\xe8\x00"
          "\x01",
          17},
         REQUEST_WHOLE},
        {{"\x78\xda\x63\x60\x18\x05\xa3\x60\x14\x0c\x7b\x00\x00\x03\xe9\x00"
          "\x01",
          17},
         REQUEST_TOO_LARGE},
    };

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct kit kit;
        char head[128];

        begin(&kit, NULL);
        (void)snprintf(head, sizeof(head),
                       "POST /echo HTTP/1.1\r\nHost: h\r\n"
                       "Content-Encoding: deflate\r\n"
                       "Content-Length: %zu\r\n\r\n",
                       bodies[i].bytes.len);
        kit_feed(&kit, str_of(head));
        kit_feed(&kit, bodies[i].bytes);
        assert_int_equal(kit.problem, bodies[i].problem);
        assert_int_equal(kit.body.len, i ? 0 : BODY);
        kit_session_fini(&kit);
    }
}

static void
bodies_share_one_budget(void **state)
{
    struct server_limits limits = small_limits();
    struct kit kit;
    struct session_peer peer = {.is_loopback = true};
    struct buf out = {.cap_max = 0};

    (void)state;
    limits.budget_bytes = 2 * (BODY + REQUEST_PAD) + ROOM;
    begin(&kit, &limits);
    kit_feed(&kit, STR("POST /echo HTTP/1.1\r\nHost: h\r\n"
                       "Content-Length: 1000\r\n\r\n"));
    assert_int_equal(metrics_get(METRIC_MEMORY_RESERVED), BODY + REQUEST_PAD);
    struct session *second = http1_new(&kit.env, &peer, kit.now_ms);
    session_feed(second, kit.now_ms,
                 STR("POST /echo HTTP/1.1\r\nHost: h\r\n"
                     "Content-Length: 1000\r\n\r\n"));
    struct session *third = http1_new(&kit.env, &peer, kit.now_ms);
    session_feed(third, kit.now_ms,
                 STR("POST /echo HTTP/1.1\r\nHost: h\r\n"
                     "Content-Length: 1000\r\n\r\n"));
    assert_int_equal(kit.requests, 1);
    assert_int_equal(kit.problem, REQUEST_NO_ROOM);
    session_produce(third, kit.now_ms, &out);
    assert_true(kit_has(&out, "HTTP/1.1 404")); /* 400 + REQUEST_NO_ROOM */
    /* one that goes makes room for another */
    session_free(second);
    session_free(third);
    third = http1_new(&kit.env, &peer, kit.now_ms);
    session_feed(third, kit.now_ms,
                 STR("POST /echo HTTP/1.1\r\nHost: h\r\n"
                     "Content-Length: 1000\r\n\r\n"));
    assert_int_equal(kit.requests, 1);
    session_free(third);
    buf_fini(&out);
    kit_session_fini(&kit);
    assert_int_equal(metrics_get(METRIC_MEMORY_RESERVED), 0);
}

static void
a_header_over_the_limit_is_431(void **state)
{
    bool seen_ok = false;
    bool seen_431 = false;

    (void)state;
    for (int len = 300; len < 600; len++) {
        struct kit kit;
        char head[1024];

        begin(&kit, NULL);
        (void)snprintf(head, sizeof(head),
                       "GET /echo HTTP/1.1\r\nHost: h\r\nX: %0*d\r\n\r\n", len,
                       0);
        kit_feed(&kit, str_of(head));
        bool is_ok = kit_has(&kit.out, "HTTP/1.1 200");
        assert_true(is_ok || kit_has(&kit.out, "HTTP/1.1 431"));
        assert_false(is_ok && seen_431); /* one threshold */
        seen_ok = seen_ok || is_ok;
        seen_431 = seen_431 || !is_ok;
        kit_session_fini(&kit);
    }
    assert_true(seen_ok && seen_431);
}

static void
a_header_without_end_is_431(void **state)
{
    struct kit kit;

    (void)state;
    kit_session(&kit, http1_new, NULL);
    kit_feed(&kit, STR("GET /"));
    for (size_t i = 0; i < 20000 && !kit.session->is_over; i++)
        kit_feed(&kit, STR("aaaaaaaaaa"));
    assert_true(kit_has(&kit.out, "HTTP/1.1 431"));
    kit_session_fini(&kit);

    kit_session(&kit, http1_new, NULL);
    kit_feed(&kit, STR("GET / HTTP/1.1\r\n"));
    for (size_t i = 0; i < 20000 && !kit.session->is_over; i++)
        kit_feed(&kit, STR("a:\r\n"));
    assert_true(kit_has(&kit.out, "HTTP/1.1 431"));
    kit_session_fini(&kit);
}

static void
a_slow_header_is_408_and_silence_is_closed(void **state)
{
    struct kit kit;

    (void)state;
    begin(&kit, NULL);
    kit_feed(&kit, STR("GET /echo HT"));
    for (int i = 0; i < 9; i++) {
        kit_pass(&kit, 100);
        kit_feed(&kit, STR(""));
        assert_int_equal(kit.out.len, 0);
    }
    kit_pass(&kit, 100);
    assert_true(kit_has(&kit.out, "HTTP/1.1 408"));
    assert_true(kit.session->is_over);
    kit_session_fini(&kit);

    /* blank lines do not begin it anew */
    begin(&kit, NULL);
    for (int i = 0; i < 11; i++) {
        kit_feed(&kit, STR("\r\n"));
        kit_pass(&kit, 100);
    }
    assert_true(kit.session->is_over);
    kit_session_fini(&kit);

    /* nothing at all, not even a complaint */
    begin(&kit, NULL);
    kit_pass(&kit, 999);
    assert_false(kit.session->is_over);
    kit_pass(&kit, 1);
    assert_true(kit.session->is_over);
    assert_int_equal(kit.out.len, 0);
    kit_session_fini(&kit);
}

static void
an_idle_connection_is_closed_in_time(void **state)
{
    struct kit kit;

    (void)state;
    begin(&kit, NULL);
    kit_feed(&kit, STR(GET("/echo")));
    kit_pass(&kit, 2999);
    assert_false(kit.session->is_over);
    kit_feed(&kit, STR(GET("/echo")));
    kit_pass(&kit, 2999);
    assert_false(kit.session->is_over);
    kit_pass(&kit, 1);
    assert_true(kit.session->is_over);
    kit_session_fini(&kit);

    /* but not one whose answer is not ready */
    begin(&kit, NULL);
    kit_feed(&kit, STR(GET("/hold")));
    kit_pass(&kit, 1000000);
    assert_false(kit.session->is_over);
    request_reply(kit.held[0], &(struct reply){.status = 200});
    kit_session_fini(&kit);
}

static void
a_slow_body_is_408_and_a_steady_one_is_not(void **state)
{
    struct server_limits limits = small_limits();
    struct kit kit;
    char piece[1024];

    (void)state;
    memset(piece, 'x', sizeof(piece));
    limits.body_bytes = 1 << 20;
    begin(&kit, &limits);
    kit_feed(&kit, STR("POST /echo HTTP/1.1\r\nHost: h\r\n"
                       "Content-Length: 100000\r\n\r\n"));
    for (int i = 0; i < 20; i++) { /* at the rate */
        kit_feed(&kit, (str){piece, 1024});
        kit_pass(&kit, 1000);
    }
    assert_int_equal(kit.out.len, 0);
    for (int i = 0; i < 10; i++) { /* just under */
        kit_feed(&kit, (str){piece, 1023});
        kit_pass(&kit, 1000);
    }
    assert_true(kit_has(&kit.out, "HTTP/1.1 408"));
    assert_true(kit.session->is_over);
    assert_int_equal(kit.requests, 0);
    kit_session_fini(&kit);

    /* a stall after a fast start */
    begin(&kit, &limits);
    kit_feed(&kit, STR("POST /echo HTTP/1.1\r\nHost: h\r\n"
                       "Content-Length: 100000\r\n\r\n"));
    for (int i = 0; i < 90; i++)
        kit_feed(&kit, (str){piece, 1024});
    kit_pass(&kit, 4999);
    kit_pass(&kit, 1);
    assert_false(kit.session->is_over);
    kit_pass(&kit, 5000);
    assert_true(kit.session->is_over);
    kit_session_fini(&kit);
}

static void
what_is_sent_ahead_is_bounded(void **state)
{
    struct kit kit;
    size_t fed = 0;

    (void)state;
    begin(&kit, NULL);
    kit_feed(&kit, STR(GET("/hold")));
    while (!kit.session->is_full && fed < ((size_t)1 << 20)) {
        kit_feed(&kit, STR(GET("/echo")));
        fed += sizeof(GET("/echo")) - 1;
    }
    assert_true(fed < ((size_t)128 << 10));
    request_reply(kit.held[0], &(struct reply){.status = 200});
    kit_pass(&kit, 1);
    assert_false(kit.session->is_full);
    assert_int_equal(kit.requests, 1 + fed / (sizeof(GET("/echo")) - 1));
    kit_session_fini(&kit);
}

/* HTTP/2 */

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

/* With sockets. */

static void
two_connections(struct server_listener *listener)
{
    listener->limits.connections = 2;
}

static void
one_connection_too_many_is_closed(void **state)
{
    struct kit kit;
    struct buf out = {.cap_max = 0};

    (void)state;
    kit_start(&kit, two_connections);
    int a = kit_connect(&kit);
    int b = kit_connect(&kit);
    kit_send(a, STR(GET("/echo")));
    kit_recv(a, &out, STR("GET /echo"), 1);
    kit_send(b, STR(GET("/echo")));
    kit_recv(b, &out, STR("GET /echo"), 2);
    assert_int_equal(metrics_get(METRIC_CONNECTIONS), 2);
    buf_reset(&out);
    int c = kit_connect(&kit);
    assert_true(kit_recv_all(c, &out));
    assert_int_equal(out.len, 0);
    /* one that goes makes room for another */
    close(a);
    close(c);
    for (int i = 0; i < 100 && out.len == 0; i++) {
        usleep(10000);
        c = kit_connect(&kit);
        kit_send(c, STR(GET("/echo")));
        kit_recv(c, &out, STR("GET /echo"), 1);
        close(c);
    }
    assert_true(kit_has(&out, "GET /echo"));
    close(b);
    buf_fini(&out);
    kit_stop(&kit);
    assert_int_equal(metrics_get(METRIC_CONNECTIONS), 0);
}

static void
without_descriptors_newcomers_are_closed_and_others_served(void **state)
{
    struct kit kit;
    struct rlimit old;
    struct rlimit low;
    struct buf out = {.cap_max = 0};

    (void)state;
    kit_start(&kit, NULL);
    int first = kit_connect(&kit);
    kit_send(first, STR(GET("/echo")));
    kit_recv(first, &out, STR("GET /echo"), 1);
    int next = socket(AF_INET, SOCK_STREAM, 0);
    getrlimit(RLIMIT_NOFILE, &old);
    low = old;
    low.rlim_cur = (rlim_t)next + 1;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
    close(next);
    next = kit_connect(&kit); /* takes the last one */
    assert_true(kit_recv_all(next, &out));
    kit_send(first, STR(GET("/echo")));
    kit_recv(first, &out, STR("GET /echo"), 2);
    assert_int_equal(kit_count(&out, STR("GET /echo")), 2);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
    close(next);
    next = kit_connect(&kit);
    kit_send(next, STR(GET("/echo")));
    kit_recv(next, &out, STR("GET /echo"), 3);
    assert_int_equal(kit_count(&out, STR("GET /echo")), 3);
    close(next);
    close(first);
    buf_fini(&out);
    kit_stop(&kit);
}

static void
short_times(struct server_listener *listener)
{
    listener->limits.header_ms = 200;
    listener->limits.idle_ms = 300;
    listener->limits.write_ms = 300;
}

static void
a_socket_that_is_slow_or_silent_is_closed(void **state)
{
    struct kit kit;
    struct buf out = {.cap_max = 0};

    (void)state;
    kit_start(&kit, short_times);
    int silent = kit_connect(&kit);
    int slow = kit_connect(&kit);
    int idle = kit_connect(&kit);
    kit_send(slow, STR("GET /ec"));
    kit_send(idle, STR(GET("/echo")));
    assert_true(kit_recv_all(silent, &out));
    assert_int_equal(out.len, 0);
    assert_true(kit_recv_all(slow, &out));
    assert_true(kit_has(&out, "HTTP/1.1 408"));
    assert_true(kit_recv_all(idle, &out));
    assert_true(kit_has(&out, "HTTP/1.1 200"));
    close(silent);
    close(slow);
    close(idle);
    buf_fini(&out);
    kit_stop(&kit);
}

static void
a_peer_that_does_not_read_is_closed(void **state)
{
    struct kit kit;
    uint64_t end = clock_mono_ns() + 5 * NS_PER_S;

    (void)state;
    kit_start(&kit, short_times);
    int fd = kit_connect(&kit);
    for (int i = 0; i < 40; i++)
        kit_send(fd, STR(GET("/big")));
    usleep(50000);
    assert_int_equal(metrics_get(METRIC_CONNECTIONS), 1);
    while (metrics_get(METRIC_CONNECTIONS) && clock_mono_ns() < end)
        usleep(10000);
    assert_int_equal(metrics_get(METRIC_CONNECTIONS), 0);
    close(fd);
    kit_stop(&kit);
}

static void
young(struct server_listener *listener)
{
    listener->limits.max_age_ms = 200;
}

static void
an_old_connection_is_closed_after_its_answer(void **state)
{
    struct kit kit;
    struct buf out = {.cap_max = 0};

    (void)state;
    kit_start(&kit, young);
    int busy = kit_connect(&kit);
    int idle = kit_connect(&kit);
    kit_send(busy, STR(GET("/hold")));
    kit_send(idle, STR(GET("/echo")));
    struct request *req = kit_held(&kit, 1);
    assert_true(kit_recv_all(idle, &out));
    usleep(100000);
    request_reply(req, &(struct reply){.status = 200});
    assert_true(kit_recv_all(busy, &out));
    assert_int_equal(kit_count(&out, STR("HTTP/1.1 200")), 2);
    assert_int_equal(kit_count(&out, STR("connection: close")), 1);
    close(busy);
    close(idle);
    buf_fini(&out);
    kit_stop(&kit);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_body_at_the_limit_passes_and_one_byte_more_does_not),
        cmocka_unit_test(a_chunked_body_has_the_same_limit),
        cmocka_unit_test(a_refused_body_is_read_only_so_far),
        cmocka_unit_test(a_decompressed_body_has_the_same_limit),
        cmocka_unit_test(bodies_share_one_budget),
        cmocka_unit_test(a_header_over_the_limit_is_431),
        cmocka_unit_test(a_header_without_end_is_431),
        cmocka_unit_test(a_slow_header_is_408_and_silence_is_closed),
        cmocka_unit_test(an_idle_connection_is_closed_in_time),
        cmocka_unit_test(a_slow_body_is_408_and_a_steady_one_is_not),
        cmocka_unit_test(what_is_sent_ahead_is_bounded),
        cmocka_unit_test(http2_bodies_and_messages_have_the_limit),
        cmocka_unit_test(an_answered_http2_body_is_thrown_away_only_so_far),
        cmocka_unit_test(streams_at_once_are_limited),
        cmocka_unit_test(an_http2_header_over_the_limit_is_431),
        cmocka_unit_test(an_hpack_bomb_costs_one_header),
        cmocka_unit_test(floods_end_in_calm_and_a_few_frames_do_not),
        cmocka_unit_test(rapid_resets_of_either_side_end_in_calm),
        cmocka_unit_test(continuations_without_end_are_refused),
        cmocka_unit_test(glitches_are_forgiven_with_time_and_with_answers),
        cmocka_unit_test(http2_times_are_limited),
        cmocka_unit_test(one_connection_too_many_is_closed),
        cmocka_unit_test(
            without_descriptors_newcomers_are_closed_and_others_served),
        cmocka_unit_test(a_socket_that_is_slow_or_silent_is_closed),
        cmocka_unit_test(a_peer_that_does_not_read_is_closed),
        cmocka_unit_test(an_old_connection_is_closed_after_its_answer),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
