/* Bodies that are read to where they stay, and what follows them closely. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "net/grpc_frame.h"
#include "tests/support/h2_kit.h"

static void
begin(struct kit *kit)
{
    kit_session(kit, http1_new, NULL);
}

enum { PLACED = 300000, BEHIND = 4096, SPARE = 65536 };

/* Has the session tell where to read to. */
static struct session_room
place(struct kit *kit, char *spare)
{
    struct session_room room = {.spare = spare, .spare_len = SPARE};

    session_place(kit->session, kit->now_ms, &room);
    assert_ptr_equal(room.spare, spare);
    assert_in_range(room.spare_len, 1, SPARE);
    return room;
}

/* Reads |bytes| as a connection does; they must fit. */
static void
read_in(struct kit *kit, str bytes)
{
    char *spare = malloc(SPARE);
    struct session_room room = place(kit, spare);
    size_t placed = bytes.len < room.place_len ? bytes.len : room.place_len;
    str behind = str_cut(bytes, placed, bytes.len);

    assert_true(behind.len <= room.spare_len);
    if (placed)
        memcpy(room.place, bytes.ptr, placed);
    if (behind.len)
        memcpy(spare, behind.ptr, behind.len);
    if (placed)
        session_feed(kit->session, kit->now_ms, (str){room.place, placed});
    if (behind.len)
        session_feed(kit->session, kit->now_ms, (str){spare, behind.len});
    free(spare);
    for (size_t had = SIZE_MAX; kit->out.len != had;) {
        struct buf more = {.cap_max = 0};

        had = kit->out.len;
        session_produce(kit->session, kit->now_ms, &more);
        buf_add(&kit->out, buf_str(&more));
        buf_fini(&more);
    }
}

/* Adds |len| bytes of a body of which there are |at| already. */
static void
add_body(struct buf *out, size_t at, size_t len)
{
    for (size_t i = 0; i < len; i++)
        buf_add_char(out, (char)('a' + (at + i) % 23));
}

static void
read_body(struct kit *kit, size_t at, size_t len)
{
    struct buf bytes = {.cap_max = 0};

    add_body(&bytes, at, len);
    read_in(kit, buf_str(&bytes));
    buf_fini(&bytes);
}

/* Reads a body of PLACED bytes to its place, but for its last |part| ones. */
static void
read_to_place(struct kit *kit, str path, size_t part)
{
    static char spare[SPARE];
    size_t at = 0;

    kit_feed(kit, STR("POST "));
    kit_feed(kit, path);
    kit_feed(kit,
             STR(" HTTP/1.1\r\nHost: h\r\nContent-Length: 300000\r\n\r\n"));
    while (at < PLACED - part) {
        size_t len = PLACED - part - at;
        struct session_room room = place(kit, spare);

        assert_int_equal(room.place_len, PLACED - at);
        if (room.place_len >= SPARE / 4)
            assert_int_equal(room.spare_len, BEHIND);
        len = len < 70001 ? len : 70001;
        read_body(kit, at, len);
        at += len;
    }
}

static void
check_placed(const struct kit *kit)
{
    assert_int_equal(kit->body.len, PLACED);
    for (size_t i = 0; i < PLACED; i++)
        assert_int_equal(kit->body.ptr[i], 'a' + i % 23);
}

static void
a_body_read_to_its_place_is_whole(void **state)
{
    static char spare[SPARE];
    struct kit kit;

    (void)state;
    begin(&kit);
    read_to_place(&kit, STR("/echo"), 0);
    check_placed(&kit);
    assert_null(place(&kit, spare).place);
    kit_session_fini(&kit);
}

/* Reads the last byte of a placed body together with |more|. */
static void
read_end_and(struct kit *kit, str more)
{
    struct buf bytes = {.cap_max = 0};

    add_body(&bytes, PLACED - 1, 1);
    buf_add(&bytes, more);
    read_in(kit, buf_str(&bytes));
    buf_fini(&bytes);
}

static void
what_is_read_behind_a_body_is_the_next_request(void **state)
{
    struct kit kit;
    struct buf many = {.cap_max = 0};
    str one = STR("POST /echo HTTP/1.1\r\nHost: h\r\n"
                  "Content-Length: 2\r\n\r\nhi");

    (void)state;
    begin(&kit);
    read_to_place(&kit, STR("/echo"), 1);
    read_end_and(&kit, str_cut(one, 0, 30));
    check_placed(&kit);
    buf_reset(&kit.out);
    kit_feed(&kit, str_cut(one, 30, one.len));
    assert_true(kit_has(&kit.out, "POST /echo? hi"));

    /* As much as there is room for, the last of it cut off. */
    while (many.len + one.len <= SPARE / 4)
        buf_add(&many, one);
    size_t whole = many.len / one.len;
    buf_add(&many, str_cut(one, 0, SPARE / 4 - many.len));
    read_to_place(&kit, STR("/echo"), 1);
    buf_reset(&kit.out);
    read_end_and(&kit, buf_str(&many));
    assert_int_equal(kit_count(&kit.out, STR("POST /echo? hi")), whole);
    buf_fini(&many);
    kit_session_fini(&kit);
}

/* The handler reads the body when the next request is here already. */
static void
a_body_that_is_held_keeps_what_was_read_behind_it(void **state)
{
    struct kit kit;

    (void)state;
    begin(&kit);
    read_to_place(&kit, STR("/hold"), 1);
    read_end_and(&kit, STR("GET /none HTTP/1.1\r\nHost: h\r\n\r\n"));
    struct request *req = kit_held(&kit, 1);
    assert_int_equal(kit.requests, 1);
    assert_int_equal(req->body.len, PLACED);
    for (size_t i = 0; i < PLACED; i++)
        assert_int_equal(req->body.ptr[i], 'a' + i % 23);
    for (size_t i = 0; i < REQUEST_PAD; i++)
        assert_int_equal(req->body.ptr[PLACED + i], 0);
    request_reply(req, &(struct reply){.status = 200});
    kit_pass(&kit, 0);
    assert_int_equal(kit.requests, 2);
    assert_int_equal(kit_count(&kit.out, STR("HTTP/1.1 200")), 1);
    assert_int_equal(kit_count(&kit.out, STR("HTTP/1.1 204")), 1);
    kit_session_fini(&kit);
}

/* A read that is filled to its last byte looks as if more was to come. */
static void
an_answer_does_not_wait_for_what_may_never_come(void **state)
{
    enum { READ = 16 << 10, REQUESTS = 40 };
    struct kit kit;
    struct buf one = {.cap_max = 0};
    struct buf many = {.cap_max = 0};

    (void)state;
    buf_add(&one, STR("POST /none HTTP/1.1\r\nHost: h\r\n"
                      "Content-Length: 16329\r\n\r\n"));
    while (one.len < READ)
        buf_add_char(&one, 'x');
    kit_start(&kit, NULL);
    for (size_t requests = 1; requests <= REQUESTS; requests += 13) {
        struct buf out = {.cap_max = 0};
        int fd = kit_connect(&kit);

        buf_reset(&many);
        for (size_t i = 0; i < requests; i++)
            buf_add(&many, buf_str(&one));
        kit_send(fd, buf_str(&many));
        kit_recv(fd, &out, STR("HTTP/1.1 204"), requests);
        assert_int_equal(kit_count(&out, STR("HTTP/1.1 204")), requests);
        close(fd);
        buf_fini(&out);
    }
    kit_stop(&kit);
    buf_fini(&one);
    buf_fini(&many);
}

/* ---- HTTP/2 ---- */

#define GRPC "content-type: application/grpc\nte: trailers\n"

struct pair {
    struct kit kit;
    struct h2_kit h2;
};

static struct pair *
begin_h2(void)
{
    struct pair *p = calloc(1, sizeof(*p));

    assert_non_null(p);
    kit_session(&p->kit, http2_new, NULL);
    h2_begin(&p->h2, &p->kit);
    return p;
}

static void
end_h2(struct pair *p)
{
    h2_end(&p->h2);
    kit_session_fini(&p->kit);
    free(p);
}

/* Sends the header of a request whose body the test sends. */
static int32_t
open_call(struct pair *p, const char *path, const char *headers)
{
    int32_t id = h2_post(&p->h2, path, headers, STR(""), true);

    h2_move(&p->h2, id);
    return id;
}

static void
add_frame(struct buf *out, size_t len, uint8_t type, uint8_t flags, int32_t id)
{
    const char head[] = {(char)(len >> 16),
                         (char)(len >> 8),
                         (char)len,
                         (char)type,
                         (char)flags,
                         0,
                         0,
                         0,
                         (char)id};

    buf_add(out, (str){head, sizeof(head)});
}

/* The gRPC prefix of a message of PLACED bytes. */
static void
add_prefix(struct buf *out)
{
    const char prefix[] = {0, 0, (char)(PLACED >> 16),
                           (char)(PLACED >> 8 & 255), (char)(PLACED & 255)};

    buf_add(out, (str){prefix, sizeof(prefix)});
}

/* Reads a frame of DATA of stream |id|, of |len| bytes behind the prefix that
 * it begins with if |at| is 0, but not its last |part| bytes. */
static void
read_data(struct pair *p, int32_t id, size_t at, size_t len, size_t part)
{
    struct buf bytes = {.cap_max = 0};
    bool is_end = at + len == PLACED;

    add_frame(&bytes, len + (at ? 0 : GRPC_PREFIX_LEN), NGHTTP2_DATA, is_end,
              id);
    if (at == 0)
        add_prefix(&bytes);
    add_body(&bytes, at, len - part);
    read_in(&p->kit, buf_str(&bytes));
    buf_fini(&bytes);
}

static void
the_rest_of_a_frame_of_data_has_its_place(void **state)
{
    static char spare[SPARE];
    struct pair *p = begin_h2();
    int32_t id = open_call(p, "/echo", GRPC);

    (void)state;
    assert_null(place(&p->kit, spare).place);
    read_data(p, id, 0, PLACED, PLACED - 100);
    struct session_room room = place(&p->kit, spare);
    assert_non_null(room.place);
    assert_int_equal(room.place_len, PLACED - 100);
    assert_int_equal(room.spare_len, BEHIND);
    read_body(&p->kit, 100, PLACED - 101);
    room = place(&p->kit, spare);
    assert_int_equal(room.place_len, 1);
    assert_int_equal(room.spare_len, SPARE);
    assert_int_equal(p->kit.requests, 0);
    read_body(&p->kit, PLACED - 1, 1);
    assert_int_equal(p->kit.requests, 1);
    assert_int_equal(p->kit.problem, REQUEST_WHOLE);
    check_placed(&p->kit);
    assert_null(place(&p->kit, spare).place);
    end_h2(p);
}

/* Three bodies come at once, frame by frame; each read ends in a frame. */
static void
bodies_that_come_at_once_each_have_their_place(void **state)
{
    enum { STREAMS = 3, FRAME = 30000 };
    static char spare[SPARE];
    struct pair *p = begin_h2();
    int32_t ids[STREAMS];

    (void)state;
    for (int i = 0; i < STREAMS; i++)
        ids[i] = open_call(p, "/hold", GRPC);
    for (size_t at = 0; at < PLACED; at += FRAME) {
        for (int i = 0; i < STREAMS; i++) {
            read_data(p, ids[i], at, FRAME, FRAME - 7);
            assert_int_equal(place(&p->kit, spare).place_len, FRAME - 7);
            read_body(&p->kit, at + 7, FRAME - 7);
        }
    }
    for (int i = 0; i < STREAMS; i++) {
        struct request *req = p->kit.held[i];

        assert_int_equal(req->body.len, PLACED);
        for (size_t j = 0; j < PLACED; j++)
            assert_int_equal(req->body.ptr[j], 'a' + j % 23);
        request_reply(req, &(struct reply){.status = 0});
    }
    p->kit.held_len = 0;
    end_h2(p);
}

static void
what_is_read_behind_a_frame_is_the_next_one(void **state)
{
    struct pair *p = begin_h2();
    int32_t first = open_call(p, "/echo", GRPC);
    int32_t second = open_call(p, "/echo", GRPC);
    struct buf bytes = {.cap_max = 0};

    (void)state;
    read_data(p, first, 0, PLACED, PLACED - 100);
    read_body(&p->kit, 100, PLACED - 110);
    add_body(&bytes, PLACED - 10, 10);
    add_frame(&bytes, 0, NGHTTP2_DATA, NGHTTP2_FLAG_END_STREAM, second);
    read_in(&p->kit, buf_str(&bytes));
    assert_int_equal(p->kit.requests, 2);
    assert_int_equal(p->kit.problem, REQUEST_BAD_FRAME);
    h2_move(&p->h2, first);
    struct buf *body = &h2_answer(&p->h2, first)->body;
    assert_true(body->len > PLACED);
    buf_fini(&bytes);
    end_h2(p);
}

static void
a_padded_frame_has_no_place(void **state)
{
    static char spare[SPARE];
    struct pair *p = begin_h2();
    int32_t id = open_call(p, "/echo", GRPC);
    struct buf bytes = {.cap_max = 0};

    (void)state;
    read_data(p, id, 0, 1000, 0);
    add_frame(&bytes, 1000, NGHTTP2_DATA, NGHTTP2_FLAG_PADDED, id);
    buf_add(&bytes, STR("\x09hello"));
    read_in(&p->kit, buf_str(&bytes));
    assert_null(place(&p->kit, spare).place);
    buf_fini(&bytes);
    end_h2(p);
}

/* The length was a lie, and nghttp2 ignores the rest of the frame without
 * telling us.  What is behind that ends the stream: read to the place of its
 * body, it would be freed while it is read. */
static void
a_frame_that_is_ignored_has_no_place(void **state)
{
    static char spare[SPARE];
    struct pair *p = begin_h2();
    int32_t id = open_call(p, "/echo", "content-length: 20000\n");
    struct buf bytes = {.cap_max = 0};

    (void)state;
    add_frame(&bytes, 40000, NGHTTP2_DATA, 0, id);
    add_body(&bytes, 0, 15000);
    session_feed(p->kit.session, p->kit.now_ms, buf_str(&bytes));
    assert_int_equal(place(&p->kit, spare).place_len, 5000);
    buf_reset(&bytes);
    add_body(&bytes, 15000, 24000);
    session_feed(p->kit.session, p->kit.now_ms, buf_str(&bytes));
    assert_null(place(&p->kit, spare).place);
    buf_reset(&bytes);
    add_body(&bytes, 39000, 1000);
    add_frame(&bytes, 4, NGHTTP2_RST_STREAM, 0, id);
    buf_add(&bytes, (str){"\0\0\0\x08", 4});
    read_in(&p->kit, buf_str(&bytes));
    assert_int_equal(p->kit.requests, 0);
    h2_move(&p->h2, id);
    assert_int_equal(p->h2.goaways, 0);
    buf_fini(&bytes);
    end_h2(p);
}

/* A message larger than it says is refused, and what comes is thrown away. */
static void
a_body_that_was_refused_has_no_place(void **state)
{
    static char spare[SPARE];
    struct pair *p = begin_h2();
    int32_t id = open_call(p, "/echo", GRPC);
    struct buf bytes = {.cap_max = 0};

    (void)state;
    add_frame(&bytes, 1000, NGHTTP2_DATA, 0, id);
    buf_add(&bytes, (str){"\0\0\0\0\x0a"
                          "0123456789x",
                          16});
    read_in(&p->kit, buf_str(&bytes));
    assert_int_equal(p->kit.requests, 1);
    assert_int_equal(p->kit.problem, REQUEST_BAD_FRAME);
    assert_null(place(&p->kit, spare).place);
    buf_fini(&bytes);
    end_h2(p);
}

/* Whatever part of it a socket gives at a time. */
static void
large_frames_are_announced_and_taken(void **state)
{
    struct pair *p = calloc(1, sizeof(*p));

    (void)state;
    assert_non_null(p);
    kit_start(&p->kit, NULL);
    h2_begin(&p->h2, &p->kit);
    int32_t get = h2_call(&p->h2, "GET", "/none", NULL);
    h2_move(&p->h2, get);
    assert_int_equal(nghttp2_session_get_remote_settings(
                         p->h2.ng, NGHTTP2_SETTINGS_MAX_FRAME_SIZE),
                     1 << 20);
    int32_t id = open_call(p, "/echo", GRPC);
    struct buf message = {.cap_max = 0};
    add_prefix(&message);
    add_body(&message, 0, PLACED);
    h2_frame(&p->h2, NGHTTP2_DATA, NGHTTP2_FLAG_END_STREAM, id,
             buf_str(&message));
    h2_move(&p->h2, id);
    assert_true(h2_answer(&p->h2, id)->body.len > PLACED);
    check_placed(&p->kit);
    buf_fini(&message);
    h2_end(&p->h2);
    kit_stop(&p->kit);
    free(p);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_body_read_to_its_place_is_whole),
        cmocka_unit_test(what_is_read_behind_a_body_is_the_next_request),
        cmocka_unit_test(a_body_that_is_held_keeps_what_was_read_behind_it),
        cmocka_unit_test(an_answer_does_not_wait_for_what_may_never_come),
        cmocka_unit_test(the_rest_of_a_frame_of_data_has_its_place),
        cmocka_unit_test(bodies_that_come_at_once_each_have_their_place),
        cmocka_unit_test(what_is_read_behind_a_frame_is_the_next_one),
        cmocka_unit_test(a_padded_frame_has_no_place),
        cmocka_unit_test(a_frame_that_is_ignored_has_no_place),
        cmocka_unit_test(a_body_that_was_refused_has_no_place),
        cmocka_unit_test(large_frames_are_announced_and_taken),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
