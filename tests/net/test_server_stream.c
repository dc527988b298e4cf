#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "net/answer.h"
#include "tests/support/h2_kit.h"

#define HOLD "GET /hold HTTP/1.1\r\nHost: h\r\n\r\n"

static const struct reply head = {
    .status = 200,
    .content_type = {"text/event-stream", 17},
    .body = {"first\n", 6},
};

static void
pieces_are_chunks_as_they_come(void **state)
{
    struct kit kit;

    (void)state;
    kit_session(&kit, http1_new, NULL);
    kit_feed(&kit, STR(HOLD));
    struct request *req = kit.held[0];
    request_stream_open(req, &head);
    kit_pass(&kit, 0);
    assert_true(kit_has(&kit.out, "transfer-encoding: chunked\r\n"));
    assert_true(kit_has(&kit.out, "content-type: text/event-stream\r\n"));
    assert_true(kit_has(&kit.out, "\r\n\r\n6\r\nfirst\n\r\n"));
    buf_reset(&kit.out);
    assert_true(request_stream_write(req, STR("second piece")));
    assert_true(request_stream_write(req, STR("")));
    kit_pass(&kit, 60000);
    assert_string_equal(buf_cstr(&kit.out), "c\r\nsecond piece\r\n");
    buf_reset(&kit.out);
    request_stream_close(req);
    kit_feed(&kit, STR("GET /echo HTTP/1.1\r\nHost: h\r\n\r\n"));
    assert_true(str_starts(buf_str(&kit.out), STR("0\r\n\r\nHTTP/1.1 200")));
    kit_session_fini(&kit);
}

static void
http10_gets_the_bytes_and_the_end(void **state)
{
    struct kit kit;

    (void)state;
    kit_session(&kit, http1_new, NULL);
    kit_feed(&kit, STR("GET /hold HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"));
    request_stream_open(kit.held[0], &head);
    request_stream_write(kit.held[0], STR("second"));
    kit_pass(&kit, 0);
    request_stream_close(kit.held[0]);
    kit_pass(&kit, 0);
    assert_true(kit_has(&kit.out, "connection: close\r\n"));
    assert_true(kit_has(&kit.out, "\r\n\r\nfirst\nsecond"));
    assert_true(kit.session->is_over);
    kit_session_fini(&kit);
}

static void
http2_gets_data_frames(void **state)
{
    struct kit kit;
    struct h2_kit *h2 = calloc(1, sizeof(*h2));

    (void)state;
    assert_non_null(h2);
    kit_session(&kit, http2_new, NULL);
    h2_begin(h2, &kit);
    int32_t id = h2_call(h2, "GET", "/hold", NULL);
    h2_move(h2, id);
    request_stream_open(kit.held[0],
                        &(struct reply){.status = 200}); /* no piece yet */
    h2_move(h2, id);
    assert_int_equal(h2_answer(h2, id)->heads, 1);
    assert_true(request_stream_write(kit.held[0], STR("one ")));
    h2_move(h2, id);
    assert_string_equal(buf_cstr(&h2_answer(h2, id)->body), "one ");
    assert_true(request_stream_write(kit.held[0], STR("two")));
    request_stream_close(kit.held[0]);
    h2_move(h2, id);
    assert_string_equal(buf_cstr(&h2_answer(h2, id)->body), "one two");
    assert_true(h2_answer(h2, id)->is_closed);
    assert_int_equal(h2_answer(h2, id)->error, 0);
    h2_end(h2);
    free(h2);
    kit_session_fini(&kit);
}

static void
grpc_gets_a_message_each_and_trailers(void **state)
{
    struct kit kit;
    struct h2_kit *h2 = calloc(1, sizeof(*h2));

    (void)state;
    assert_non_null(h2);
    kit_session(&kit, http2_new, NULL);
    h2_begin(h2, &kit);
    int32_t id = h2_post(h2, "/hold", "content-type: application/grpc\n",
                         STR("\0\0\0\0\0"), false);
    h2_move(h2, id);
    request_stream_open(kit.held[0], &(struct reply){.status = 0});
    request_stream_write(kit.held[0], STR("one"));
    request_stream_write(kit.held[0], STR("two"));
    request_stream_close(kit.held[0]);
    h2_move(h2, id);
    assert_int_equal(h2_answer(h2, id)->body.len, 16);
    assert_memory_equal(h2_answer(h2, id)->body.ptr,
                        "\0\0\0\0\3one\0\0\0\0\3two", 16);
    assert_true(kit_has(&h2_answer(h2, id)->head, "grpc-status: 0\n"));
    h2_end(h2);
    free(h2);
    kit_session_fini(&kit);
}

static void
a_stream_holds_a_mebibyte_and_no_more(void **state)
{
    struct kit kit;
    char *piece = calloc(1, EXCHANGE_QUEUE_MAX);

    (void)state;
    assert_non_null(piece);
    kit_session(&kit, http1_new, NULL);
    kit_feed(&kit, STR(HOLD));
    request_stream_open(kit.held[0], &(struct reply){.status = 200});
    /* exactly the bound, none of it taken */
    assert_true(request_stream_write(kit.held[0],
                                     (str){piece, EXCHANGE_QUEUE_MAX - 10}));
    assert_true(request_stream_write(kit.held[0], (str){piece, 10}));
    /* taken: there is room again */
    kit_pass(&kit, 0);
    assert_true(
        request_stream_write(kit.held[0], (str){piece, EXCHANGE_QUEUE_MAX}));
    /* one byte past it */
    assert_false(request_stream_write(kit.held[0], (str){piece, 1}));
    assert_false(request_stream_write(kit.held[0], (str){piece, 1}));
    buf_reset(&kit.out);
    request_stream_close(kit.held[0]);
    kit_pass(&kit, 0);
    /* and what was cut short does not look whole */
    assert_true(kit.session->is_over);
    assert_false(kit_has(&kit.out, "\r\n0\r\n\r\n"));
    free(piece);
    kit_session_fini(&kit);
}

static void
an_http2_stream_cut_short_is_reset(void **state)
{
    struct kit kit;
    struct h2_kit *h2 = calloc(1, sizeof(*h2));
    char *piece = calloc(1, EXCHANGE_QUEUE_MAX + 1);

    (void)state;
    assert_non_null(h2);
    assert_non_null(piece);
    kit_session(&kit, http2_new, NULL);
    h2_begin(h2, &kit);
    int32_t id = h2_call(h2, "GET", "/hold", NULL);
    h2_move(h2, id);
    request_stream_open(kit.held[0], &head);
    assert_false(request_stream_write(kit.held[0],
                                      (str){piece, EXCHANGE_QUEUE_MAX + 1}));
    request_stream_close(kit.held[0]);
    h2_move(h2, id);
    assert_true(h2_answer(h2, id)->is_closed);
    assert_int_equal(h2_answer(h2, id)->error, NGHTTP2_INTERNAL_ERROR);
    free(piece);
    h2_end(h2);
    free(h2);
    kit_session_fini(&kit);
}

static void
a_peer_that_leaves_ends_the_stream(void **state)
{
    struct kit kit;

    (void)state;
    kit_session(&kit, http1_new, NULL);
    kit_feed(&kit, STR(HOLD));
    request_stream_open(kit.held[0], &head);
    kit_pass(&kit, 0);
    session_eof(kit.session, kit.now_ms);
    assert_int_equal(kit.cancels, 1);
    assert_false(request_stream_write(kit.held[0], STR("x")));
    request_stream_close(kit.held[0]);
    kit_pass(&kit, 0);
    assert_true(kit.session->is_over);
    kit_session_fini(&kit);
}

/* With sockets. */

struct writer {
    struct request *req;
    int pieces;
    int done;
};

static void *
write_pieces(void *ctx)
{
    struct writer *writer = ctx;

    request_stream_open(writer->req, &head);
    for (int i = 0; i < writer->pieces; i++) {
        if (!request_stream_write(writer->req, STR("piece\n")))
            break;
        writer->done++;
        usleep(10);
    }
    request_stream_close(writer->req);
    return NULL;
}

static void
another_thread_streams_while_requests_are_served(void **state)
{
    enum { STREAMS = 4, PIECES = 500 };
    struct kit kit;
    struct writer writers[STREAMS];
    pthread_t threads[STREAMS];
    int fds[STREAMS];
    struct buf out = {.cap_max = 0};

    (void)state;
    kit_start(&kit, NULL);
    for (size_t i = 0; i < STREAMS; i++) {
        fds[i] = kit_connect(&kit);
        kit_send(fds[i], STR(HOLD));
        writers[i] =
            (struct writer){.req = kit_held(&kit, i + 1), .pieces = PIECES};
        assert_int_equal(
            pthread_create(&threads[i], NULL, write_pieces, &writers[i]), 0);
    }
    int fd = kit_connect(&kit);
    for (size_t i = 1; i <= 50; i++) {
        kit_send(fd, STR("GET /later HTTP/1.1\r\nHost: h\r\n\r\n"));
        kit_recv(fd, &out, STR("GET /later"), i);
    }
    assert_int_equal(kit_count(&out, STR("GET /later")), 50);
    for (size_t i = 0; i < STREAMS; i++) {
        struct buf got = {.cap_max = 0};

        kit_recv(fds[i], &got, STR("\r\n0\r\n\r\n"), 1);
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(writers[i].done, PIECES);
        assert_int_equal(kit_count(&got, STR("piece\n")), PIECES);
        buf_fini(&got);
        close(fds[i]);
    }
    close(fd);
    buf_fini(&out);
    kit_stop(&kit);
}

static void
a_writer_learns_that_the_peer_is_gone(void **state)
{
    struct kit kit;
    struct writer writer = {.pieces = 1000000};
    pthread_t thread;

    (void)state;
    kit_start(&kit, NULL);
    int fd = kit_connect(&kit);
    kit_send(fd, STR(HOLD));
    writer.req = kit_held(&kit, 1);
    pthread_create(&thread, NULL, write_pieces, &writer);
    usleep(20000);
    close(fd);
    pthread_join(thread, NULL);
    /* It may also have been stopped for running ahead of a reader. */
    assert_true(writer.done < writer.pieces);
    kit_stop(&kit);
}

static void
stopping_waits_for_answers_and_only_so_long(void **state)
{
    struct kit kit;
    struct buf out = {.cap_max = 0};
    struct writer writer = {.pieces = 200};
    pthread_t thread;

    (void)state;
    kit_start(&kit, NULL);
    int fd = kit_connect(&kit);
    int idle = kit_connect(&kit);
    kit_send(fd, STR(HOLD));
    writer.req = kit_held(&kit, 1);
    pthread_create(&thread, NULL, write_pieces, &writer);
    usleep(5000);
    server_stop(kit.server, 5000);
    pthread_join(thread, NULL);
    assert_int_equal(writer.done, writer.pieces);
    assert_true(kit_recv_all(fd, &out));
    assert_int_equal(kit_count(&out, STR("piece\n")), writer.pieces);
    assert_true(kit_recv_all(idle, &out));
    server_stop(kit.server, 5000); /* again is nothing */
    close(fd);
    close(idle);
    kit_stop(&kit);

    kit_start(&kit, NULL);
    fd = kit_connect(&kit);
    kit_send(fd, STR(HOLD));
    struct request *req = kit_held(&kit, 1);
    uint64_t start = clock_mono_ns();
    server_stop(kit.server, 200);
    uint64_t took = clock_mono_ns() - start;
    assert_true(took >= 190 * NS_PER_MS && took < 2 * NS_PER_S);
    assert_int_equal(kit.cancels, 1);
    close(fd);
    kit_stop(&kit);
    /* later than everything: still no harm */
    request_reply(req, &(struct reply){.status = 200});
    buf_fini(&out);
}

static void
work_on(void *ctx)
{
    atomic_int *left = ctx;

    atomic_fetch_sub(left, 1);
}

static void
block_on(void *ctx)
{
    pthread_mutex_t *gate = ctx;

    pthread_mutex_lock(gate);
    pthread_mutex_unlock(gate);
}

static void
work_is_done_once_and_bounded(void **state)
{
    struct kit kit;
    pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    int taken = 0;

    (void)state;
    kit_start(&kit, NULL);
    int fd = kit_connect(&kit); /* the loop runs once this is answered */
    struct buf out = {.cap_max = 0};
    kit_send(fd, STR("GET /echo HTTP/1.1\r\nHost: h\r\n\r\n"));
    kit_recv(fd, &out, STR("GET /echo"), 1);
    pthread_mutex_lock(&gate);
    while (taken < 2000 && server_work(kit.server, 0, block_on, &gate) == OK)
        taken++;
    assert_int_equal(taken, 1024);
    assert_int_equal(server_work(kit.server, 0, block_on, &gate), ERR_FULL);
    for (taken = 0; taken < 64; taken++)
        assert_int_equal(server_work_short(kit.server, block_on, &gate), OK);
    assert_int_equal(server_work_short(kit.server, block_on, &gate), ERR_FULL);
    pthread_mutex_unlock(&gate);
    close(fd);
    buf_fini(&out);
    kit_stop(&kit);
}

/* A thread is kept from what takes long, however much of that there is. */
static void
short_work_does_not_wait_for_long(void **state)
{
    enum { LONG = 100, SHORT = 10 };
    struct kit kit;
    pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    atomic_int left = SHORT;
    atomic_int long_left = LONG;
    struct buf out = {.cap_max = 0};

    (void)state;
    kit_start(&kit, NULL);
    int fd = kit_connect(&kit);
    kit_send(fd, STR("GET /echo HTTP/1.1\r\nHost: h\r\n\r\n"));
    kit_recv(fd, &out, STR("GET /echo"), 1);
    pthread_mutex_lock(&gate);
    for (int i = 0; i < LONG; i++)
        assert_int_equal(server_work(kit.server, 0, block_on, &gate), OK);
    for (int i = 0; i < LONG; i++)
        assert_int_equal(server_work(kit.server, 0, work_on, &long_left), OK);
    for (int i = 0; i < SHORT; i++)
        assert_int_equal(server_work_short(kit.server, work_on, &left), OK);
    for (int i = 0; i < KIT_WAIT_MS && left; i++)
        usleep(1000);
    assert_int_equal(left, 0);
    assert_int_equal(long_left, LONG);
    pthread_mutex_unlock(&gate);
    close(fd);
    buf_fini(&out);
    kit_stop(&kit);
    assert_int_equal(long_left, 0);
}

static void
work_accepted_before_the_stop_is_done(void **state)
{
    struct kit kit;
    atomic_int left = 500;
    struct buf out = {.cap_max = 0};

    (void)state;
    kit_start(&kit, NULL);
    int fd = kit_connect(&kit);
    kit_send(fd, STR("GET /echo HTTP/1.1\r\nHost: h\r\n\r\n"));
    kit_recv(fd, &out, STR("GET /echo"), 1);
    for (int i = 0; i < 500; i++)
        assert_int_equal(server_work(kit.server, 0, work_on, &left), OK);
    server_stop(kit.server, 0);
    assert_int_equal(left, 0);
    assert_int_equal(server_work(kit.server, 0, work_on, &left), ERR_FULL);
    close(fd);
    buf_fini(&out);
    kit_stop(&kit);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_are_chunks_as_they_come),
        cmocka_unit_test(http10_gets_the_bytes_and_the_end),
        cmocka_unit_test(http2_gets_data_frames),
        cmocka_unit_test(grpc_gets_a_message_each_and_trailers),
        cmocka_unit_test(a_stream_holds_a_mebibyte_and_no_more),
        cmocka_unit_test(an_http2_stream_cut_short_is_reset),
        cmocka_unit_test(a_peer_that_leaves_ends_the_stream),
        cmocka_unit_test(another_thread_streams_while_requests_are_served),
        cmocka_unit_test(a_writer_learns_that_the_peer_is_gone),
        cmocka_unit_test(stopping_waits_for_answers_and_only_so_long),
        cmocka_unit_test(work_is_done_once_and_bounded),
        cmocka_unit_test(short_work_does_not_wait_for_long),
        cmocka_unit_test(work_accepted_before_the_stop_is_done),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
