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

#include "tests/support/net_kit.h"

static void
begin(struct kit *kit)
{
    kit_session(kit, http1_new, NULL);
}

enum { PLACED = 300000, BEHIND = 4096 };

/* Reads a body of PLACED bytes to its place, but for its last |part| ones. */
static void
read_to_place(struct kit *kit, str path, size_t part)
{
    struct session_room room;
    char scratch[65536];
    size_t at = 0;

    kit_feed(kit, STR("POST "));
    kit_feed(kit, path);
    kit_feed(kit,
             STR(" HTTP/1.1\r\nHost: h\r\nContent-Length: 300000\r\n\r\n"));
    while (at < PLACED - part) {
        size_t len = PLACED - part - at;

        room = (struct session_room){scratch, sizeof(scratch)};
        session_place(kit->session, kit->now_ms, &room);
        assert_ptr_not_equal(room.ptr, scratch);
        assert_int_equal(room.len, PLACED - at + BEHIND);
        len = len < 70001 ? len : 70001;
        for (size_t i = 0; i < len; i++)
            room.ptr[i] = (char)('a' + (at + i) % 23);
        kit_feed(kit, (str){room.ptr, len});
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
    struct session_room room;
    struct kit kit;
    char scratch[65536];

    (void)state;
    begin(&kit);
    read_to_place(&kit, STR("/echo"), 0);
    check_placed(&kit);
    room = (struct session_room){scratch, sizeof(scratch)};
    session_place(kit.session, kit.now_ms, &room);
    assert_ptr_equal(room.ptr, scratch);
    kit_session_fini(&kit);
}

/* Reads the last byte of a placed body together with |more|. */
static void
read_end_and(struct kit *kit, str more)
{
    struct session_room room = {NULL, 0};

    session_place(kit->session, kit->now_ms, &room);
    assert_int_equal(room.len, 1 + BEHIND);
    assert_true(more.len <= BEHIND);
    room.ptr[0] = (char)('a' + (PLACED - 1) % 23);
    memcpy(room.ptr + 1, more.ptr, more.len);
    kit_feed(kit, (str){room.ptr, 1 + more.len});
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
    while (many.len + one.len <= BEHIND)
        buf_add(&many, one);
    size_t whole = many.len / one.len;
    buf_add(&many, str_cut(one, 0, BEHIND - many.len));
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

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_body_read_to_its_place_is_whole),
        cmocka_unit_test(what_is_read_behind_a_body_is_the_next_request),
        cmocka_unit_test(a_body_that_is_held_keeps_what_was_read_behind_it),
        cmocka_unit_test(an_answer_does_not_wait_for_what_may_never_come),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
