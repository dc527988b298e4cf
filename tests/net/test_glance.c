#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <pthread.h>
#include <unistd.h>

#include <cmocka.h>

#include "net/glance.h"
#include "tests/support/h2_kit.h"
#include "tests/support/net_kit.h"

enum { WAIT_MS = 5000, ROWS = 8 };

static void
test_tells_each_connection(void **state)
{
    struct kit kit = {0};
    struct glance_conn rows[ROWS];
    size_t len, total;

    (void)state;
    kit_start(&kit, NULL);
    int silent = kit_connect(&kit);
    int busy = kit_connect(&kit);
    kit_send(busy, STR("GET /hold HTTP/1.1\r\nHost: h\r\n\r\n"));
    struct request *held = kit_held(&kit, 1);
    assert_int_equal(
        glance_conns(kit.server, WAIT_MS, rows, ROWS, &len, &total), OK);
    assert_int_equal(len, 2);
    assert_int_equal(total, 2);
    /* The newest first. */
    assert_string_equal(rows[0].protocol, "HTTP/1.1");
    assert_int_equal(rows[0].requests, 1);
    assert_memory_equal(rows[0].peer, "127.0.0.1:", 10);
    assert_int_equal(rows[0].listener, 0);
    assert_false(rows[0].is_tls);
    assert_false(rows[0].is_ending);
    assert_string_equal(rows[1].protocol, "");
    assert_int_equal(rows[1].requests, 0);

    /* No more than there is room for, and it is known how many there are. */
    assert_int_equal(glance_conns(kit.server, WAIT_MS, rows, 1, &len, &total),
                     OK);
    assert_int_equal(len, 1);
    assert_int_equal(total, 2);

    struct buf answer = {0};
    request_reply(held, &(struct reply){.status = 204});
    kit_recv(busy, &answer, STR("\r\n\r\n"), 1);
    assert_int_equal(glance_conns(kit.server, WAIT_MS, rows, 1, &len, &total),
                     OK);
    assert_int_equal(rows[0].requests, 0);
    buf_fini(&answer);
    close(busy);
    close(silent);
    kit_stop(&kit);
}

/* Without waiting for the answers, as h2_move would. */
static void
send_all(struct h2_kit *h2)
{
    const uint8_t *bytes;
    ssize_t len;

    while ((len = nghttp2_session_mem_send(h2->ng, &bytes)) > 0)
        kit_send(h2->fd, (str){(const char *)bytes, (size_t)len});
}

static void
test_knows_streams_of_http2(void **state)
{
    struct kit kit = {0};
    struct h2_kit *h2 = calloc(1, sizeof(*h2));
    struct glance_conn row;
    size_t len, total;

    (void)state;
    assert_non_null(h2);
    kit_start(&kit, NULL);
    h2_begin(h2, &kit);
    (void)h2_call(h2, "GET", "/hold", NULL);
    (void)h2_call(h2, "GET", "/hold", NULL);
    send_all(h2);
    (void)kit_held(&kit, 2);
    assert_int_equal(glance_conns(kit.server, WAIT_MS, &row, 1, &len, &total),
                     OK);
    assert_string_equal(row.protocol, "HTTP/2");
    assert_int_equal(row.requests, 2);
    for (size_t i = 0; i < 2; i++)
        request_reply(kit.held[i], &(struct reply){.status = 204});
    h2_end(h2);
    free(h2);
    kit_stop(&kit);
}

/* A handler that hangs, on the loop. */
struct hang {
    pthread_mutex_t mutex;
    pthread_cond_t cond;
    bool is_in;
    bool may_go;
};

static void
hang_handler(void *ctx, struct request *req)
{
    struct hang *hang = ctx;

    pthread_mutex_lock(&hang->mutex);
    hang->is_in = true;
    pthread_cond_broadcast(&hang->cond);
    while (!hang->may_go)
        pthread_cond_wait(&hang->cond, &hang->mutex);
    pthread_mutex_unlock(&hang->mutex);
    request_reply(req, &(struct reply){.status = 204});
}

static struct hang hang = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER,
                           false, false};

static void
use_hang(struct server_listener *listener)
{
    listener->handler = hang_handler;
    listener->ctx = &hang;
}

static void
test_does_not_wait_for_a_loop_that_hangs(void **state)
{
    struct kit kit = {0};
    struct glance_conn row;
    size_t len, total;

    (void)state;
    kit_start(&kit, use_hang);
    int fd = kit_connect(&kit);
    kit_send(fd, STR("GET / HTTP/1.1\r\nHost: h\r\n\r\n"));
    pthread_mutex_lock(&hang.mutex);
    while (!hang.is_in)
        pthread_cond_wait(&hang.cond, &hang.mutex);
    pthread_mutex_unlock(&hang.mutex);
    assert_int_equal(glance_conns(kit.server, 50, &row, 1, &len, &total),
                     ERR_BUSY);
    assert_int_equal(len, 0);

    pthread_mutex_lock(&hang.mutex);
    hang.may_go = true;
    pthread_cond_broadcast(&hang.cond);
    pthread_mutex_unlock(&hang.mutex);
    /* The question that nobody waits for any more harms nobody. */
    assert_int_equal(glance_conns(kit.server, WAIT_MS, &row, 1, &len, &total),
                     OK);
    assert_int_equal(total, 1);
    close(fd);
    kit_stop(&kit);
}

static void
test_needs_a_server_that_runs(void **state)
{
    struct server *server;
    struct glance_conn row;
    size_t len, total;

    (void)state;
    assert_int_equal(server_new(&server), OK);
    assert_int_equal(glance_conns(server, 50, &row, 1, &len, &total),
                     ERR_CANCELLED);
    assert_int_equal(server_start(server), OK);
    server_stop(server, 0);
    assert_int_equal(glance_conns(server, 50, &row, 1, &len, &total),
                     ERR_CANCELLED);
    server_free(server);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tells_each_connection),
        cmocka_unit_test(test_knows_streams_of_http2),
        cmocka_unit_test(test_does_not_wait_for_a_loop_that_hangs),
        cmocka_unit_test(test_needs_a_server_that_runs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
