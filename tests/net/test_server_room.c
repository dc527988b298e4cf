/* The room that a body of a declared length is given as it comes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <zlib.h>

#include "base/metrics.h"
#include "net/exchange.h"
#include "net/grpc_frame.h"
#include "tests/support/h2_kit.h"

enum {
    FIRST = EXCHANGE_FIRST_MAX,
    LARGE = 3 * FIRST + 12345,
    FRAME = 1 << 20,
    SPARE = 16 << 10,
};

static void
begin(struct kit *kit, size_t budget)
{
    struct server_limits limits = server_limits_default;

    if (budget)
        limits.budget_bytes = budget;
    kit_session(kit, http1_new, &limits);
}

static void
declare(struct session *session, uint64_t now_ms, size_t len)
{
    struct buf head = {.cap_max = 0};

    buf_printf(&head,
               "POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: %zu\r\n\r\n",
               len);
    session_feed(session, now_ms, buf_str(&head));
    buf_fini(&head);
}

static void
add_body(struct buf *out, size_t at, size_t len)
{
    for (size_t i = at; i < at + len; i++)
        buf_add_char(out, (char)('a' + i % 23));
}

static void
feed_body(struct kit *kit, size_t at, size_t len)
{
    struct buf bytes = {.cap_max = 0};

    add_body(&bytes, at, len);
    kit_feed(kit, buf_str(&bytes));
    buf_fini(&bytes);
}

static void
check_body(const struct kit *kit, size_t len)
{
    assert_int_equal(kit->requests, 1);
    assert_int_equal(kit->problem, REQUEST_WHOLE);
    assert_int_equal(kit->body.len, len);
    for (size_t i = 0; i < len; i++)
        if (kit->body.ptr[i] != (char)('a' + i % 23))
            fail_msg("byte %zu is another", i);
}

static size_t
reserved(void)
{
    return (size_t)metrics_get(METRIC_MEMORY_RESERVED);
}

static void
slow_large_bodies_leave_room_to_others(void **state)
{
    enum { SLOW = 8 };
    struct session_peer peer = {.is_loopback = true};
    struct session *slow[SLOW];
    struct kit kit;

    (void)state;
    begin(&kit, 0);
    for (size_t i = 0; i < SLOW; i++) {
        slow[i] = http1_new(&kit.env, &peer, kit.now_ms);
        assert_non_null(slow[i]);
        declare(slow[i], kit.now_ms, server_limits_default.body_bytes);
        session_feed(slow[i], kit.now_ms, STR("slow"));
    }
    assert_int_equal(kit.requests, 0);
    assert_int_equal(reserved(), SLOW * (FIRST + REQUEST_PAD));
    declare(kit.session, kit.now_ms, LARGE);
    feed_body(&kit, 0, LARGE);
    check_body(&kit, LARGE);
    for (size_t i = 0; i < SLOW; i++)
        session_free(slow[i]);
    kit_session_fini(&kit);
    assert_int_equal(reserved(), 0);
}

static void
the_first_step_is_the_length_or_its_limit(void **state)
{
    static const size_t lens[] = {1, FIRST - 1, FIRST, FIRST + 1};

    (void)state;
    for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
        size_t first = lens[i] < FIRST ? lens[i] : FIRST;
        struct kit kit;

        begin(&kit, lens[i] + REQUEST_PAD);
        declare(kit.session, kit.now_ms, lens[i]);
        assert_int_equal(reserved(), first + REQUEST_PAD);
        feed_body(&kit, 0, lens[i]);
        check_body(&kit, lens[i]);
        kit_session_fini(&kit);
    }
}

static struct session *
declare_by(struct kit *kit, uint32_t share, size_t len)
{
    struct session_peer peer = {.share = share};
    struct session *session = http1_new(&kit->env, &peer, kit->now_ms);

    assert_non_null(session);
    declare(session, kit->now_ms, len);
    return session;
}

/* Doubled when it is full, but never beyond what was declared. */
static void
room_that_is_missing_is_told_when_it_is_needed(void **state)
{
    enum { OTHER = 1 + REQUEST_PAD };

    (void)state;
    for (size_t missing = 0; missing < 2; missing++) {
        struct kit kit;

        begin(&kit, OTHER + LARGE + REQUEST_PAD - missing);
        struct session *other = declare_by(&kit, 0, 1);
        declare(kit.session, kit.now_ms, LARGE);
        feed_body(&kit, 0, FIRST);
        assert_int_equal(reserved(), OTHER + FIRST + REQUEST_PAD);
        feed_body(&kit, FIRST, FIRST);
        assert_int_equal(reserved(), OTHER + 2 * FIRST + REQUEST_PAD);
        assert_int_equal(kit.requests, 0);
        feed_body(&kit, (size_t)2 * FIRST, 1);
        assert_int_equal(kit.requests, missing);
        if (missing) {
            assert_int_equal(kit.problem, REQUEST_NO_ROOM);
            assert_true(kit_has(&kit.out, "HTTP/1.1 404")); /* 400 + it */
            assert_int_equal(reserved(), OTHER);
        } else {
            assert_int_equal(reserved(), OTHER + LARGE + REQUEST_PAD);
            feed_body(&kit, (size_t)2 * FIRST + 1, LARGE - 2 * FIRST - 1);
            check_body(&kit, LARGE);
        }
        session_free(other);
        kit_session_fini(&kit);
    }
}

/* Is a body of |len| bytes given room, or refused at once? */
static bool
has_room(struct kit *kit, uint32_t share, size_t len)
{
    size_t before = reserved();
    struct session *session = declare_by(kit, share, len);
    bool has = reserved() == before + len + REQUEST_PAD;

    assert_true(has || kit->problem == REQUEST_NO_ROOM);
    session_free(session);
    assert_int_equal(reserved(), before);
    return has;
}

static void
bodies_of_one_share_leave_as_much_as_they_have(void **state)
{
    enum { LEN = 1000, EACH = LEN + REQUEST_PAD, ONE = 1, LAST = 1023 };

    (void)state;
    for (size_t missing = 0; missing < 2; missing++) {
        struct kit kit;

        begin(&kit, 4 * EACH - missing);
        struct session *first = declare_by(&kit, ONE, LEN);
        assert_int_equal(has_room(&kit, ONE, LEN), !missing);
        assert_true(has_room(&kit, ONE, LEN - 1));
        struct session *second = declare_by(&kit, ONE, LEN - 1);
        assert_int_equal(reserved(), 2 * EACH - 1);
        assert_false(has_room(&kit, ONE, LEN));
        /* What they left is for others. */
        struct session *third = declare_by(&kit, LAST, LEN);
        assert_int_equal(reserved(), 3 * EACH - 1);
        assert_false(has_room(&kit, LAST, LEN));
        assert_true(has_room(&kit, 0, LEN + 1 - missing));
        assert_false(has_room(&kit, 0, LEN + 2 - missing));
        session_free(first);
        assert_false(has_room(&kit, LAST, LEN));
        session_free(second);
        assert_int_equal(has_room(&kit, LAST, LEN), !missing);
        session_free(third);
        kit_session_fini(&kit);
    }
}

static void
an_only_body_may_have_all_and_this_machine_shares_nothing(void **state)
{
    enum { LEN = 1000, EACH = LEN + REQUEST_PAD };
    struct kit kit;

    (void)state;
    begin(&kit, 2 * EACH);
    assert_true(has_room(&kit, 1, 2 * EACH - REQUEST_PAD));
    struct session *first = declare_by(&kit, 0, LEN);
    assert_true(has_room(&kit, 0, LEN));
    assert_false(has_room(&kit, 0, LEN + 1));
    session_free(first);
    kit_session_fini(&kit);
}

/* Whoever is told to come again does, and such a body would never fit. */
static void
what_does_not_fit_alone_is_too_large(void **state)
{
    enum { LEN = 20000 };

    (void)state;
    for (size_t missing = 0; missing < 2; missing++)
        for (size_t is_chunked = 0; is_chunked < 2; is_chunked++) {
            struct kit kit;

            begin(&kit, LEN + REQUEST_PAD - missing);
            if (is_chunked)
                kit_feed(&kit, STR("POST /echo HTTP/1.1\r\nHost: h\r\n"
                                   "Transfer-Encoding: chunked\r\n\r\n"
                                   "4e20\r\n")); /* LEN */
            else
                declare(kit.session, kit.now_ms, LEN);
            feed_body(&kit, 0, LEN);
            if (is_chunked)
                kit_feed(&kit, STR("\r\n0\r\n\r\n"));
            if (!missing)
                check_body(&kit, LEN);
            assert_int_equal(kit.problem,
                             missing ? REQUEST_TOO_LARGE : REQUEST_WHOLE);
            kit_session_fini(&kit);
        }
}

static struct buf
deflated_zeros(size_t len)
{
    char *zeros = calloc(1, len);
    struct buf out = {.cap_max = 0};
    uLongf packed_len = compressBound(len);
    char *packed = malloc(packed_len);

    assert_true(zeros && packed);
    assert_int_equal(
        compress2((Bytef *)packed, &packed_len, (Bytef *)zeros, len, 9), Z_OK);
    buf_add(&out, (str){packed, packed_len});
    free(packed);
    free(zeros);
    return out;
}

/* The budget is that of |packed| and |room| more; another has |other| of it. */
static enum request_problem
problem_of(str packed, size_t room, size_t other)
{
    struct kit kit;
    struct session *session = NULL;
    struct buf head = {.cap_max = 0};

    begin(&kit, packed.len + REQUEST_PAD + room);
    if (other)
        session = declare_by(&kit, 0, other - REQUEST_PAD);
    buf_printf(&head,
               "POST /echo HTTP/1.1\r\nHost: h\r\nContent-Encoding: deflate"
               "\r\nContent-Length: %zu\r\n\r\n",
               packed.len);
    kit_feed(&kit, buf_str(&head));
    kit_feed(&kit, packed);
    assert_int_equal(kit.requests, 1);
    enum request_problem problem = kit.problem;
    buf_fini(&head);
    session_free(session);
    kit_session_fini(&kit);
    return problem;
}

static void
so_is_what_does_not_fit_alone_once_decompressed(void **state)
{
    enum { LEN = 50000, NEED = LEN + REQUEST_PAD, OTHER = 1 + REQUEST_PAD };
    struct buf packed = deflated_zeros(LEN);
    str body = buf_str(&packed);

    (void)state;
    assert_int_equal(problem_of(body, NEED, 0), REQUEST_WHOLE);
    assert_int_equal(problem_of(body, NEED - 1, 0), REQUEST_TOO_LARGE);
    assert_int_equal(problem_of(body, 0, 0), REQUEST_TOO_LARGE);
    /* Without the other there would be room. */
    assert_int_equal(problem_of(body, NEED + OTHER, OTHER), REQUEST_WHOLE);
    assert_int_equal(problem_of(body, NEED + OTHER - 1, OTHER),
                     REQUEST_NO_ROOM);
    assert_int_equal(problem_of(body, OTHER, OTHER), REQUEST_NO_ROOM);
    buf_fini(&packed);
}

static void
a_bomb_is_too_large_whatever_the_budget(void **state)
{
    enum { MIB = 1 << 20, FREE = MIB + REQUEST_PAD };
    struct buf packed = deflated_zeros(MIB + 1);
    str bomb = buf_str(&packed);

    (void)state;
    assert_in_range(bomb.len, 1, 2000); /* 200 of it are all in the first MiB */
    assert_int_equal(problem_of(bomb, 16 * MIB, 0), REQUEST_TOO_LARGE);
    assert_int_equal(problem_of(bomb, 16 * MIB, 8 * MIB), REQUEST_TOO_LARGE);
    assert_int_equal(problem_of(bomb, FREE + MIB, MIB), REQUEST_TOO_LARGE);
    assert_int_equal(problem_of(bomb, FREE - 1, 0), REQUEST_TOO_LARGE);
    /* Here a MiB would be refused, too. */
    assert_int_equal(problem_of(bomb, FREE + MIB - 1, MIB), REQUEST_NO_ROOM);
    buf_fini(&packed);
}

/* Reads as a connection does, which may lie anywhere; how much to its place? */
static size_t
read_in(struct kit *kit, str bytes)
{
    char *spare = malloc(SPARE);
    size_t placed = 0;

    assert_non_null(spare);
    while (bytes.len) {
        struct session_room room = {.spare = spare, .spare_len = SPARE};

        session_place(kit->session, kit->now_ms, &room);
        char *to = room.place ? room.place : room.spare;
        size_t len = room.place ? room.place_len : room.spare_len;
        len = len < bytes.len ? len : bytes.len;
        memcpy(to, bytes.ptr, len);
        placed += room.place ? len : 0;
        session_feed(kit->session, kit->now_ms, (str){to, len});
        bytes = str_cut(bytes, len, bytes.len);
    }
    free(spare);
    return placed;
}

static void
a_body_is_read_to_the_room_that_grows(void **state)
{
    struct buf bytes = {.cap_max = 0};
    struct kit kit;

    (void)state;
    begin(&kit, 0);
    declare(kit.session, kit.now_ms, LARGE);
    add_body(&bytes, 0, LARGE);
    size_t placed = read_in(&kit, buf_str(&bytes));
    assert_in_range(placed, LARGE - 2 * SPARE, LARGE);
    check_body(&kit, LARGE);
    buf_fini(&bytes);
    kit_session_fini(&kit);
}

/* |message| in frames of DATA. */
static struct buf
frames_of(int32_t id, str message)
{
    struct buf out = {.cap_max = 0};

    while (message.len) {
        size_t len = message.len < FRAME ? message.len : FRAME;
        const char head[] = {(char)(len >> 16),
                             (char)(len >> 8),
                             (char)len,
                             NGHTTP2_DATA,
                             len == message.len,
                             0,
                             0,
                             0,
                             (char)id};

        buf_add(&out, (str){head, sizeof(head)});
        buf_add(&out, str_cut(message, 0, len));
        message = str_cut(message, len, message.len);
    }
    return out;
}

static void
bodies_of_http2_and_grpc_are_too(void **state)
{
    static const char prefix[GRPC_PREFIX_LEN] = {0, 0, (char)(LARGE >> 16),
                                                 (char)(LARGE >> 8 & 255),
                                                 (char)(LARGE & 255)};
    static const char *const headers[] = {
        "content-length: 3158073\n",
        "content-type: application/grpc\nte: trailers\n"};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct h2_kit *h2 = calloc(1, sizeof(*h2));
        struct buf message = {.cap_max = 0};
        struct kit kit;

        assert_non_null(h2);
        kit_session(&kit, http2_new, NULL);
        h2_begin(h2, &kit);
        int32_t id = h2_post(h2, "/echo", headers[i], STR(""), true);
        h2_move(h2, id);
        if (i)
            buf_add(&message, (str){prefix, sizeof(prefix)});
        add_body(&message, 0, LARGE);
        struct buf frames = frames_of(id, buf_str(&message));
        size_t placed = read_in(&kit, buf_str(&frames));
        assert_in_range(placed, LARGE - 8 * SPARE, LARGE);
        check_body(&kit, LARGE);
        h2_end(h2);
        kit_session_fini(&kit);
        buf_fini(&frames);
        buf_fini(&message);
        free(h2);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slow_large_bodies_leave_room_to_others),
        cmocka_unit_test(the_first_step_is_the_length_or_its_limit),
        cmocka_unit_test(room_that_is_missing_is_told_when_it_is_needed),
        cmocka_unit_test(bodies_of_one_share_leave_as_much_as_they_have),
        cmocka_unit_test(
            an_only_body_may_have_all_and_this_machine_shares_nothing),
        cmocka_unit_test(what_does_not_fit_alone_is_too_large),
        cmocka_unit_test(so_is_what_does_not_fit_alone_once_decompressed),
        cmocka_unit_test(a_bomb_is_too_large_whatever_the_budget),
        cmocka_unit_test(a_body_is_read_to_the_room_that_grows),
        cmocka_unit_test(bodies_of_http2_and_grpc_are_too),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
