/* Large bodies are no concern of the loop, nor of who else is on it. */
#include "net/aside.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <unistd.h>
#include <zlib.h>

#include "net/hub.h"
#include "tests/support/net_kit.h"

/* The handler: large bodies wait at the gate, all tell where they came. */
static struct {
    pthread_mutex_t gate;
    atomic_int small;
    atomic_int come; /* large ones, to the gate */
    atomic_int large;
    size_t body_len;
    pthread_t small_on;
    pthread_t large_on;
    enum request_problem problem;
    useconds_t takes_us; /* a large one */
} seen;

enum { LARGE = 100 }; /* bytes, from which on a body waits at the gate */

static void
handle(void *ctx, struct request *req)
{
    (void)ctx;
    if (req->body.len < LARGE) {
        seen.small_on = pthread_self();
        atomic_fetch_add(&seen.small, 1);
    } else {
        atomic_fetch_add(&seen.come, 1);
        pthread_mutex_lock(&seen.gate);
        seen.large_on = pthread_self();
        seen.body_len = req->body.len;
        seen.problem = req->problem;
        for (size_t i = 0; i < REQUEST_PAD; i++)
            assert_int_equal(req->body.ptr[req->body.len + i], 0);
        usleep(seen.takes_us);
        atomic_fetch_add(&seen.large, 1);
        pthread_mutex_unlock(&seen.gate);
    }
    request_reply(req, &(struct reply){.status = 200, .body = STR("done")});
}

static void
any_thread(struct server_listener *listener)
{
    listener->handler = handle;
    listener->is_any_thread = true;
}

static void
one_thread(struct server_listener *listener)
{
    listener->handler = handle;
}

static void
begin(struct kit *kit, void (*change)(struct server_listener *))
{
    memset(&seen, 0, sizeof(seen));
    pthread_mutex_init(&seen.gate, NULL);
    kit_start(kit, change);
}

static bool
reaches(atomic_int *value, int wanted)
{
    for (int i = 0; i < KIT_WAIT_MS && atomic_load(value) != wanted; i++)
        usleep(1000);
    return atomic_load(value) == wanted;
}

/* |len| bytes of a body that compress well, but not like a bomb. */
static void
add_plain(struct buf *out, size_t len)
{
    for (size_t i = 0; i < len; i++)
        buf_add_char(out, (char)('a' + (i / 50 * 2654435761U >> 13) % 23));
}

/* The same, by gzip; and where |wire_len| is not 0, of exactly that length, by
 * a name of a file in its header. */
static void
add_packed(struct buf *out, size_t len, size_t wire_len)
{
    struct buf plain = {.cap_max = 0};
    struct buf name = {.cap_max = 0};
    unsigned char *to = malloc(len + wire_len + 1000);
    z_stream z = {.next_out = to};
    gz_header head = {.os = 3};

    add_plain(&plain, len);
    assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, 31, 9, 0), Z_OK);
    for (size_t i = 1000; i < wire_len; i++)
        buf_add_char(&name, 'n');
    head.name = (Bytef *)(uintptr_t)buf_cstr(&name);
    if (wire_len)
        assert_int_equal(deflateSetHeader(&z, &head), Z_OK);
    z.next_in = (Bytef *)(void *)plain.ptr;
    z.avail_in = (uInt)len;
    z.avail_out = (uInt)(len + wire_len + 1000);
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    buf_add(out, (str){(char *)to, z.total_out});
    deflateEnd(&z);
    buf_fini(&plain);
    buf_fini(&name);
    free(to);
}

static void
post(int fd, str body, bool is_packed)
{
    struct buf head = {.cap_max = 0};

    buf_printf(&head,
               "POST / HTTP/1.1\r\nHost: h\r\n%sContent-Length: %zu\r\n\r\n",
               is_packed ? "Content-Encoding: gzip\r\n" : "", body.len);
    kit_send(fd, buf_str(&head));
    kit_send(fd, body);
    buf_fini(&head);
}

/* Sends it and waits for the answer. */
static void
exchange(const struct kit *kit, str body, bool is_packed)
{
    struct buf out = {.cap_max = 0};
    int fd = kit_connect(kit);

    post(fd, body, is_packed);
    kit_recv(fd, &out, STR("done"), 1);
    assert_true(kit_has(&out, "200 OK"));
    close(fd);
    buf_fini(&out);
}

static void
small_requests_are_answered_beside_large_ones(void **state)
{
    (void)state;
    for (int is_packed = 0; is_packed < 2; is_packed++) {
        struct kit kit;
        struct buf body = {.cap_max = 0};

        begin(&kit, any_thread);
        if (is_packed)
            add_packed(&body, 4 * ASIDE_PLAIN, 0);
        else
            add_plain(&body, 4 * ASIDE_PLAIN);
        pthread_mutex_lock(&seen.gate);
        int fd = kit_connect(&kit);
        post(fd, buf_str(&body), is_packed);
        for (int i = 1; i <= 20; i++) {
            exchange(&kit, STR("small"), false);
            assert_int_equal(seen.small, i);
        }
        assert_int_equal(seen.large, 0);
        pthread_mutex_unlock(&seen.gate);
        assert_true(reaches(&seen.large, 1));
        assert_int_equal(seen.body_len, 4 * ASIDE_PLAIN);
        assert_int_equal(seen.problem, REQUEST_WHOLE);
        close(fd);
        buf_fini(&body);
        kit_stop(&kit);
    }
}

/* Where a body is handled: |is_aside|, or where small ones are. */
static void
goes(void (*change)(struct server_listener *), str body, bool is_packed,
     bool is_aside)
{
    struct kit kit;

    begin(&kit, change);
    exchange(&kit, STR("small"), false);
    exchange(&kit, body, is_packed);
    assert_int_equal(seen.large, 1);
    assert_int_equal(seen.problem, REQUEST_WHOLE);
    assert_int_equal(!pthread_equal(seen.small_on, seen.large_on), is_aside);
    kit_stop(&kit);
}

static void
the_loop_has_what_is_small_enough(void **state)
{
    (void)state;
    for (size_t over = 0; over < 2; over++) {
        struct buf plain = {.cap_max = 0};
        struct buf becomes = {.cap_max = 0};
        struct buf packed = {.cap_max = 0};
        struct buf spare = {.cap_max = 0};

        add_plain(&plain, ASIDE_PLAIN + over);
        goes(any_thread, buf_str(&plain), false, over);
        goes(one_thread, buf_str(&plain), false, false);
        add_packed(&becomes, ASIDE_PLAIN + over, ASIDE_PACKED / 2);
        assert_in_range(becomes.len, ASIDE_PLAIN / 32, ASIDE_PACKED);
        goes(any_thread, buf_str(&becomes), true, over);
        goes(one_thread, buf_str(&becomes), true, false);
        add_packed(&spare, 5000, 1000);
        size_t rest = 1000 + ASIDE_PACKED + over - spare.len;
        add_packed(&packed, 5000, rest);
        assert_int_equal(packed.len, ASIDE_PACKED + over);
        goes(any_thread, buf_str(&packed), true, over);
        goes(one_thread, buf_str(&packed), true, false);
        buf_fini(&plain);
        buf_fini(&becomes);
        buf_fini(&packed);
        buf_fini(&spare);
    }
}

static bool
was_aside(void)
{
    return !pthread_equal(seen.small_on, seen.large_on);
}

/* On a connection of its own, which stands for its sender. */
static void
post_again(int fd, str body, bool is_packed, int answers)
{
    struct buf out = {.cap_max = 0};

    post(fd, body, is_packed);
    kit_recv(fd, &out, STR("done"), 1);
    assert_int_equal(seen.large, answers);
    buf_fini(&out);
}

/* Such as empty messages: from the second on, and until they are as usual. */
static void
small_bodies_that_take_long_have_the_loop_once(void **state)
{
    (void)state;
    for (int is_packed = 0; is_packed < 2; is_packed++) {
        struct kit kit;
        struct buf body = {.cap_max = 0};
        int answers = 0;

        begin(&kit, any_thread);
        if (is_packed)
            add_packed(&body, 100 << 10, 64 << 10);
        else
            add_plain(&body, 64 << 10);
        exchange(&kit, STR("small"), false);
        seen.takes_us = 20000;
        int fd = kit_connect(&kit);
        post_again(fd, buf_str(&body), is_packed, ++answers);
        assert_false(was_aside());
        for (int i = 0; i < 3; i++) {
            post_again(fd, buf_str(&body), is_packed, ++answers);
            assert_true(was_aside());
        }
        int other = kit_connect(&kit); /* a stranger, tried there, too */
        post_again(other, buf_str(&body), is_packed, ++answers);
        assert_true(was_aside());
        seen.takes_us = 0;
        while (was_aside() && answers < 10000)
            post_again(fd, buf_str(&body), is_packed, ++answers);
        assert_false(was_aside());
        close(fd);
        close(other);
        buf_fini(&body);
        kit_stop(&kit);
    }
}

/* A thousand bytes that become a MiB, which the loop has no part in. */
static void
what_becomes_unusually_much_is_not_for_the_loop(void **state)
{
    enum { USUAL = 16 << 10 };
    static char zeros[USUAL + 1];

    (void)state;
    for (size_t over = 0; over < 2; over++) {
        uLongf len = 1000;
        Bytef packed[1000];
        z_stream z = {.next_out = packed, .avail_out = 1000};

        assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, 31, 9, 0), Z_OK);
        z.next_in = (Bytef *)zeros;
        z.avail_in = (uInt)(USUAL + over);
        assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
        len = z.total_out;
        deflateEnd(&z);
        goes(any_thread, (str){(char *)packed, len}, true, over);
        assert_int_equal(seen.body_len, USUAL + over);
    }
}

static void
who_has_left_has_no_time_spent_on_it(void **state)
{
    enum { LEFT = 5 };
    struct kit kit;
    struct buf body = {.cap_max = 0};
    int fds[LEFT];

    (void)state;
    begin(&kit, any_thread);
    add_plain(&body, 2 * ASIDE_PLAIN);
    pthread_mutex_lock(&seen.gate);
    int first = kit_connect(&kit);
    post(first, buf_str(&body), false);
    exchange(&kit, STR("small"), false);
    for (int i = 0; i < LEFT; i++) {
        fds[i] = kit_connect(&kit);
        post(fds[i], buf_str(&body), false);
    }
    exchange(&kit, STR("small"), false);
    for (int i = 0; i < LEFT; i++) {
        const struct linger now = {.l_onoff = 1};
        setsockopt(fds[i], SOL_SOCKET, SO_LINGER, &now, sizeof(now));
        close(fds[i]);
    }
    for (int i = 0; i < 50; i++) /* rounds, in which the loop sees them gone */
        exchange(&kit, STR("small"), false);
    pthread_mutex_unlock(&seen.gate);
    int last = kit_connect(&kit);
    struct buf out = {.cap_max = 0};
    post(last, buf_str(&body), false);
    kit_recv(last, &out, STR("done"), 1);
    assert_int_equal(seen.large, 2);
    close(first);
    close(last);
    buf_fini(&out);
    buf_fini(&body);
    kit_stop(&kit);
}

/* Who has shut its half may still read. */
static void
who_has_shut_its_half_is_answered(void **state)
{
    (void)state;
    for (int is_packed = 0; is_packed < 2; is_packed++) {
        struct kit kit;
        struct buf body = {.cap_max = 0};
        struct buf out = {.cap_max = 0};

        begin(&kit, any_thread);
        if (is_packed)
            add_packed(&body, 16 * ASIDE_PLAIN, 0);
        else
            add_plain(&body, 2 * ASIDE_PLAIN);
        pthread_mutex_lock(&seen.gate);
        int first = kit_connect(&kit);
        post(first, buf_str(&body), is_packed);
        assert_true(reaches(&seen.come, 1));
        int half = kit_connect(&kit);
        post(half, buf_str(&body), is_packed);
        exchange(&kit, STR("small"), false);
        shutdown(half, SHUT_WR);
        for (int i = 0; i < 50; i++) /* rounds, in which the loop sees it */
            exchange(&kit, STR("small"), false);
        pthread_mutex_unlock(&seen.gate);
        assert_true(kit_recv_all(half, &out));
        assert_true(kit_has(&out, "HTTP/1.1 200"));
        assert_int_equal(seen.large, 2);
        close(first);
        close(half);
        buf_fini(&out);
        buf_fini(&body);
        kit_stop(&kit);
    }
}

/* Also when the loop has ended before a body has been dealt with. */
static void
a_stop_waits_for_what_is_under_way(void **state)
{
    (void)state;
    for (int is_packed = 0; is_packed < 2; is_packed++) {
        struct kit kit;
        struct buf body = {.cap_max = 0};
        int fds[3];

        begin(&kit, is_packed ? one_thread : any_thread);
        if (is_packed)
            add_packed(&body, 16 * ASIDE_PLAIN, 0);
        else
            add_plain(&body, 4 * ASIDE_PLAIN);
        for (int i = 0; i < 3; i++) {
            fds[i] = kit_connect(&kit);
            post(fds[i], buf_str(&body), is_packed);
        }
        server_stop(kit.server, 0);
        int large = atomic_load(&seen.large);
        usleep(20000);
        assert_int_equal(atomic_load(&seen.large), large);
        for (int i = 0; i < 3; i++)
            close(fds[i]);
        buf_fini(&body);
        kit_stop(&kit);
    }
}

/* Of two that wait, whose connection has had none of the time yet. */
static void
connections_take_turns(void **state)
{
    struct kit kit;
    struct buf body = {.cap_max = 0};
    struct buf out = {.cap_max = 0};

    (void)state;
    begin(&kit, any_thread);
    add_plain(&body, 2 * ASIDE_PLAIN);
    int greedy = kit_connect(&kit);
    int gate = kit_connect(&kit);
    int modest = kit_connect(&kit);
    post(greedy, buf_str(&body), false);
    kit_recv(greedy, &out, STR("done"), 1);
    pthread_mutex_lock(&seen.gate);
    post(gate, buf_str(&body), false);
    assert_true(reaches(&seen.come, 2));
    add_plain(&body, 1);
    post(greedy, buf_str(&body), false);
    exchange(&kit, STR("small"), false);
    body.len -= 2;
    post(modest, buf_str(&body), false);
    for (int i = 0; i < 20; i++) /* rounds, in which the loop reads them */
        exchange(&kit, STR("small"), false);
    pthread_mutex_unlock(&seen.gate);
    assert_true(reaches(&seen.large, 4));
    assert_int_equal(seen.body_len, 2 * ASIDE_PLAIN + 1);
    close(greedy);
    close(gate);
    close(modest);
    buf_fini(&out);
    buf_fini(&body);
    kit_stop(&kit);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_requests_are_answered_beside_large_ones),
        cmocka_unit_test(the_loop_has_what_is_small_enough),
        cmocka_unit_test(small_bodies_that_take_long_have_the_loop_once),
        cmocka_unit_test(what_becomes_unusually_much_is_not_for_the_loop),
        cmocka_unit_test(who_has_left_has_no_time_spent_on_it),
        cmocka_unit_test(who_has_shut_its_half_is_answered),
        cmocka_unit_test(a_stop_waits_for_what_is_under_way),
        cmocka_unit_test(connections_take_turns),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
