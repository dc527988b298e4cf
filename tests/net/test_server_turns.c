/* Clients take turns where work may take long. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>
#include <semaphore.h>
#include <stdatomic.h>

#include "base/buf.h"
#include "net/hub.h"
#include "net/server.h"
#include "tests/support/h2_kit.h"
#include "tests/support/net_kit.h"

/* Of one client. */
enum { AT_ONCE = SERVER_WORK_THREADS - 2 };

static struct kit kit;
static sem_t gate;
static atomic_int begun; /* slow ones */
static atomic_int whose; /* the last one */
static atomic_int asked; /* for quick ones */
static atomic_int seen;  /* of them, when the quick one ran; -1: not yet */

static void
slow(void *ctx)
{
    struct request *req = ctx;

    atomic_fetch_add(&begun, 1);
    sem_wait(&gate);
    if (req)
        request_reply(req, &(struct reply){.status = 200});
}

static void
quick(void *ctx)
{
    struct request *req = ctx;

    atomic_store(&seen, atomic_load(&begun));
    if (req)
        request_reply(req, &(struct reply){.status = 200});
}

static void
handle(void *ctx, struct request *req)
{
    bool is_slow = str_eq(req->path, STR("/slow"));

    (void)ctx;
    atomic_store(&whose, (int)req->share);
    if (server_work(kit.server, req->share, is_slow ? slow : quick, req))
        request_reply(req, &(struct reply){.status = 503});
    atomic_fetch_add(&asked, !is_slow);
}

static void
with_handler(struct server_listener *listener)
{
    listener->handler = handle;
}

static void
wait_for(atomic_int *what, int least)
{
    for (int i = 0; i < KIT_WAIT_MS && atomic_load(what) < least; i++)
        usleep(1000);
    assert_true(atomic_load(what) >= least);
}

/* When it returns the loop runs. */
static int
setup(void **state)
{
    struct buf out = {.cap_max = 0};

    (void)state;
    sem_init(&gate, 0, 0);
    atomic_store(&begun, 0);
    atomic_store(&asked, 0);
    atomic_store(&seen, -1);
    kit_start(&kit, with_handler);
    int fd = kit_connect(&kit);
    kit_send(fd, STR("GET /quick HTTP/1.1\r\nHost: h\r\n\r\n"));
    kit_recv(fd, &out, STR("HTTP/1.1 200"), 1);
    assert_int_equal(kit_count(&out, STR("200")), 1);
    wait_for(&asked, 1);
    close(fd);
    buf_fini(&out);
    atomic_store(&seen, -1);
    atomic_store(&asked, 0);
    return 0;
}

static void
release(int count)
{
    while (count--)
        sem_post(&gate);
}

static int
teardown(void **state)
{
    (void)state;
    release(2000);
    kit_stop(&kit);
    sem_destroy(&gate);
    return 0;
}

static void
note(void *ctx)
{
    atomic_store((atomic_int *)ctx, 1);
}

/* The loop has taken all that was posted before. */
static void
wait_for_loop(void)
{
    atomic_int done = 0;

    assert_int_equal(server_work_short(kit.server, note, &done), OK);
    wait_for(&done, 1);
}

/* 300 of one client wait, and a quick one of another runs. */
static void
a_newcomer_does_not_wait_for_what_waits(void **state)
{
    (void)state;
    for (int i = 0; i < 300; i++)
        assert_int_equal(server_work(kit.server, 1, slow, NULL), OK);
    wait_for(&begun, AT_ONCE);
    wait_for_loop();
    assert_int_equal(server_work(kit.server, 2, quick, NULL), OK);
    wait_for(&seen, 0);
    assert_int_equal(seen, AT_ONCE);
}

/* As requests say whose they are: here each connection is somebody. */
static void
requests_are_of_their_connection(void **state)
{
    struct h2_kit *h2 = calloc(1, sizeof(*h2));
    struct buf out = {.cap_max = 0};
    int32_t last = 0;

    (void)state;
    assert_non_null(h2);
    h2_begin(h2, &kit);
    int32_t first = h2_call(h2, "GET", "/slow", NULL);
    for (int i = 1; i < 20; i++)
        last = h2_call(h2, "GET", "/slow", NULL);
    release(1);
    h2_move(h2, first);
    wait_for(&begun, AT_ONCE + 1);
    int fd = kit_connect(&kit);
    kit_send(fd, STR("GET /quick HTTP/1.1\r\nHost: h\r\n\r\n"));
    kit_recv(fd, &out, STR("HTTP/1.1 200"), 1);
    assert_int_equal(seen, AT_ONCE + 1);
    release(19);
    h2_move(h2, last);
    assert_true(h2_answer(h2, last)->is_closed);
    close(fd);
    buf_fini(&out);
    h2_end(h2);
    free(h2);
}

/* What is known of one that has gone is not held against who comes next, though
 * it may well have its memory. */
static void
a_connection_is_not_taken_for_one_that_has_gone(void **state)
{
    int before = 0;

    (void)state;
    for (int i = 0; i < HUB_SHARES + 1; i++) {
        struct buf out = {.cap_max = 0};
        int fd = kit_connect(&kit);

        kit_send(fd, STR("GET /quick HTTP/1.1\r\nHost: h\r\n\r\n"));
        kit_recv(fd, &out, STR("HTTP/1.1 200"), 1);
        assert_int_equal(kit_count(&out, STR("200")), 1);
        close(fd);
        buf_fini(&out);
        assert_in_range(whose, 1, HUB_SHARES - 1);
        if (i)
            assert_int_equal(whose, before % (HUB_SHARES - 1) + 1);
        before = whose;
    }
}

static int
fill(uint32_t share)
{
    int taken = 0;

    while (taken < 2000 && server_work(kit.server, share, slow, NULL) == OK)
        taken++;
    return taken;
}

/* Nobody has more than is left for all others, and at the end each one. */
static void
one_client_does_not_take_all_places(void **state)
{
    (void)state;
    assert_int_equal(fill(1), 512);
    assert_int_equal(fill(1), 0);
    assert_int_equal(fill(2), 256);
    assert_int_equal(fill(3), 128);
    assert_int_equal(server_work(kit.server, 4, quick, NULL), OK);
    assert_int_equal(fill(0), 127);
    assert_int_equal(server_work(kit.server, 5, quick, NULL), ERR_FULL);
    /* What is done has its place back. */
    release(1024);
    wait_for(&begun, 1023);
    for (int i = 0; i < KIT_WAIT_MS && server_work(kit.server, 1, slow, NULL);
         i++)
        usleep(1000);
    wait_for(&begun, 1024);
}

#define TURNS(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TURNS(a_newcomer_does_not_wait_for_what_waits),
        TURNS(requests_are_of_their_connection),
        TURNS(a_connection_is_not_taken_for_one_that_has_gone),
        TURNS(one_client_does_not_take_all_places),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
