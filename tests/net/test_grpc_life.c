#include "net/grpc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <grpc/support/sync.h>

#include "base/clock.h"
#include "tests/support/dir.h"
#include "tests/support/echo_server.h"

static void
a_peer_that_leaves_is_told_once_and_a_late_answer_is_harmless(void **state)
{
    static const char *const paths[] = {EXPORT_PATH, OTHER_PATH};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct echo_server fix = echo_server_with(ECHO_NEVER);
        struct grpc_client client;
        echo_server_open(&fix);
        grpc_client_open(&client, fix.target, NULL, false);
        struct grpc_answer answer =
            grpc_client_call(&client, paths[i], STR("x"), NULL, 0, 500);
        assert_int_equal(answer.status, 4);
        assert_true(echo_server_reaches(&fix.cancelled, 1));
        struct request *req = atomic_load(&fix.held);
        assert_true(str_eq(req->body, STR("x")));
        assert_true(str_eq(req->path, str_of(paths[i])));
        echo_server_echo(req);
        grpc_answer_fini(&answer);
        grpc_client_close(&client);
        echo_server_close(&fix);
        assert_int_equal(fix.cancelled, 1);
    }
}

static void
a_connection_is_left_when_silent_idle_or_old(void **state)
{
    static const struct {
        uint32_t header_ms;
        uint32_t idle_ms;
        uint32_t max_age_ms;
        bool speaks;
        bool is_left;
    } cases[] = {
        {200, 60000, 0, false, true},
        {10000, 200, 0, true, true},
        {10000, 60000, 200, true, true},
        {10000, 60000, 0, true, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct echo_server fix = echo_server_with(ECHO_BACK);
        fix.listener.limits.header_ms = cases[i].header_ms;
        fix.listener.limits.idle_ms = cases[i].idle_ms;
        fix.listener.limits.max_age_ms = cases[i].max_age_ms;
        echo_server_open(&fix);
        assert_int_equal(grpc_raw_is_left(grpc_endpoint_port(fix.endpoint),
                                          cases[i].speaks,
                                          cases[i].is_left ? 5000 : 600),
                         cases[i].is_left);
        echo_server_close(&fix);
    }
}

/* Core looks twice in that time: with a call before the first look, the second
 * is the first to find none. */
static void
an_idle_connection_is_left_after_half_to_all_of_its_time(void **state)
{
    enum { IDLE_MS = 2000, LATE_MS = 1500, WAIT_MS = 10000 };
    struct echo_server fix = echo_server_with(ECHO_BACK);
    struct grpc_client client;

    (void)state;
    fix.listener.limits.idle_ms = IDLE_MS;
    echo_server_open(&fix);
    grpc_client_open(&client, fix.target, NULL, false);
    struct grpc_answer answer =
        grpc_client_call(&client, EXPORT_PATH, STR("x"), NULL, 0, WAIT_MS);
    uint64_t begin_ns = clock_mono_ns();
    assert_int_equal(answer.status, 0);
    grpc_channel_watch_connectivity_state(
        client.channel, GRPC_CHANNEL_READY,
        gpr_time_from_millis(WAIT_MS, GPR_TIMESPAN), client.queue, &client);
    grpc_event event = grpc_completion_queue_pluck(
        client.queue, &client, gpr_inf_future(GPR_CLOCK_MONOTONIC), NULL);
    uint64_t took_ms = (clock_mono_ns() - begin_ns) / NS_PER_MS;
    assert_int_equal(event.success, 1);
    assert_in_range(took_ms, IDLE_MS / 2 - 100, IDLE_MS + LATE_MS);
    grpc_answer_fini(&answer);
    grpc_client_close(&client);
    echo_server_close(&fix);
}

struct caller {
    struct echo_server *fix;
    struct grpc_answer answer;
};

static void *
call_in_thread(void *ctx)
{
    struct caller *caller = ctx;

    caller->answer =
        echo_server_call(caller->fix, EXPORT_PATH, STR("x"), false);
    return NULL;
}

static void *
answer_when_stopping(void *ctx)
{
    struct echo_server *fix = ctx;

    usleep(100000);
    echo_server_echo(atomic_load(&fix->held));
    return NULL;
}

static void
stopping_waits_for_the_answers_of_accepted_calls(void **state)
{
    struct echo_server fix = echo_server_with(ECHO_NEVER);
    struct caller caller = {.fix = &fix};
    pthread_t threads[2];

    (void)state;
    echo_server_open(&fix);
    pthread_create(&threads[0], NULL, call_in_thread, &caller);
    assert_true(echo_server_reaches(&fix.handled, 1));
    pthread_create(&threads[1], NULL, answer_when_stopping, &fix);
    grpc_endpoint_stop(fix.endpoint, 5000);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert_int_equal(caller.answer.status, 0);
    assert_true(str_eq(buf_str(&caller.answer.body), STR("x")));
    assert_int_equal(fix.cancelled, 0);
    grpc_answer_fini(&caller.answer);
    echo_server_close(&fix);
}

static void
stopping_does_not_wait_longer_than_it_is_told(void **state)
{
    struct echo_server fix = echo_server_with(ECHO_NEVER);
    struct caller caller = {.fix = &fix};
    pthread_t thread;

    (void)state;
    echo_server_open(&fix);
    pthread_create(&thread, NULL, call_in_thread, &caller);
    assert_true(echo_server_reaches(&fix.handled, 1));
    uint64_t start_ns = clock_mono_ns();
    grpc_endpoint_stop(fix.endpoint, 100);
    assert_true(clock_mono_ns() - start_ns < 2 * NS_PER_S);
    pthread_join(thread, NULL);
    assert_int_not_equal(caller.answer.status, 0);
    assert_int_equal(fix.cancelled, 1);
    grpc_endpoint_free(fix.endpoint);
    fix.endpoint = NULL;
    echo_server_echo(atomic_load(&fix.held)); /* to nobody */
    grpc_answer_fini(&caller.answer);
    echo_server_close(&fix);
}

static enum err
new_error(struct server_listener *listener, const char *said)
{
    struct grpc_endpoint *endpoint = NULL;
    struct buf why = {.cap_max = 1024};
    enum err err = grpc_endpoint_new(&endpoint, listener, &why);

    assert_true(err == OK || endpoint == NULL);
    if (err && !strstr(buf_cstr(&why), said))
        fail_msg("\"%s\" does not say \"%s\"", buf_cstr(&why), said);
    grpc_endpoint_free(endpoint);
    buf_fini(&why);
    return err;
}

static void
a_listener_that_cannot_be_says_why(void **state)
{
    struct echo_server fix = echo_server_with(ECHO_BACK);
    struct server_listener other;

    (void)state;
    echo_server_open(&fix);
    other = fix.listener;
    other.port = grpc_endpoint_port(fix.endpoint);
    assert_int_equal(new_error(&other, "in use"), ERR_BUSY);
    other.address = "no.such.address";
    assert_int_equal(new_error(&other, "no address"), ERR_INVALID);
    other.address = "192.0.2.1";
    assert_int_equal(new_error(&other, "192.0.2.1"), ERR_INVALID);
    other.address = "unix:";
    assert_int_equal(new_error(&other, "no address"), ERR_INVALID);
    other.address = "unix:/no/such/folder/socket";
    assert_int_equal(new_error(&other, "No such file"), ERR_INVALID);
    other.address = "127.0.0.1";
    other.port = 0;
    assert_int_equal(new_error(&other, ""), OK); /* never started */
    echo_server_close(&fix);
}

static void
a_unix_socket_serves_and_is_not_taken_from_its_owner(void **state)
{
    struct echo_server fix = echo_server_with(ECHO_BACK);
    char dir[64];
    char address[128];
    struct sockaddr_un stale = {.sun_family = AF_UNIX};

    (void)state;
    dir_make(dir);
    snprintf(address, sizeof(address), "unix:%s/s", dir);
    snprintf(stale.sun_path, sizeof(stale.sun_path), "%s/s", dir);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&stale, sizeof(stale)), 0);
    close(fd); /* leaves the file of a server that crashed */
    fix.listener.address = address;
    echo_server_open(&fix);
    snprintf(fix.target, sizeof(fix.target), "%s", address);
    struct server_listener other = fix.listener;
    assert_int_equal(new_error(&other, "another process"), ERR_BUSY);
    struct grpc_answer answer =
        echo_server_call(&fix, EXPORT_PATH, STR("x"), false);
    assert_int_equal(answer.status, 0);
    assert_int_equal(fix.problem, REQUEST_WHOLE);
    assert_true(fix.is_loopback);
    assert_int_equal(grpc_endpoint_port(fix.endpoint), 0);
    grpc_answer_fini(&answer);
    echo_server_close(&fix);
    unlink(stale.sun_path);
    assert_int_equal(mkdir(stale.sun_path, 0700), 0);
    assert_int_equal(new_error(&other, "no socket"), ERR_BUSY);
    dir_remove(dir);
}

/* Abseil ends the process here while it minds the order, as Debian builds it
 * and core would have it. */
static void
locks_of_core_may_be_taken_in_any_order(void **state)
{
    struct echo_server fix = echo_server_with(ECHO_BACK);
    gpr_mu locks[2];

    (void)state;
    echo_server_open(&fix);
    for (int i = 0; i < 2; i++)
        gpr_mu_init(&locks[i]);
    for (int i = 0; i < 2; i++) {
        gpr_mu_lock(&locks[i]);
        gpr_mu_lock(&locks[!i]);
        gpr_mu_unlock(&locks[!i]);
        gpr_mu_unlock(&locks[i]);
    }
    for (int i = 0; i < 2; i++)
        gpr_mu_destroy(&locks[i]);
    struct grpc_answer answer =
        echo_server_call(&fix, EXPORT_PATH, STR("x"), false);
    assert_int_equal(answer.status, 0);
    grpc_answer_fini(&answer);
    echo_server_close(&fix);
}

/* A handler that keeps large messages at the gate. */
static struct {
    pthread_mutex_t gate;
    atomic_int small;
    atomic_int large;
} seen = {.gate = PTHREAD_MUTEX_INITIALIZER};

static void
stop_at_the_gate(void *ctx, struct request *req)
{
    (void)ctx;
    if (req->body.len < MIB) {
        atomic_fetch_add(&seen.small, 1);
    } else {
        assert_int_equal(req->problem, REQUEST_WHOLE);
        pthread_mutex_lock(&seen.gate);
        atomic_fetch_add(&seen.large, req->body.len == 2 * MIB);
        pthread_mutex_unlock(&seen.gate);
    }
    request_reply(req, &(struct reply){.status = GRPC_CODE_OK});
}

struct large_call {
    struct echo_server *fix;
    bool is_packed;
};

static void *
call_large(void *ctx)
{
    const struct large_call *call = ctx;
    struct buf body = {.cap_max = 0};

    for (size_t i = 0; i < 2 * MIB; i++)
        buf_add_char(&body, (char)(i / 50 * 2654435761U >> 13));
    struct grpc_answer answer = echo_server_call(
        call->fix, EXPORT_PATH, buf_str(&body), call->is_packed);
    assert_int_equal(answer.status, 0);
    grpc_answer_fini(&answer);
    buf_fini(&body);
    return NULL;
}

static void
small_calls_are_answered_beside_large_ones(void **state)
{
    (void)state;
    for (int round = 0; round < 2; round++) {
        struct echo_server fix = echo_server_with(ECHO_BACK);
        struct large_call call = {&fix, round == 1};
        pthread_t thread;

        fix.listener.is_any_thread = true;
        fix.listener.handler = stop_at_the_gate;
        echo_server_open(&fix);
        atomic_store(&seen.small, 0);
        atomic_store(&seen.large, 0);
        pthread_mutex_lock(&seen.gate);
        assert_int_equal(pthread_create(&thread, NULL, call_large, &call), 0);
        usleep(300000); /* for it to be there; no time would prove nothing */
        struct grpc_answer answer =
            echo_server_call(&fix, EXPORT_PATH, STR("x"), false);
        assert_int_equal(answer.status, 0);
        grpc_answer_fini(&answer);
        assert_int_equal(seen.small, 1);
        pthread_mutex_unlock(&seen.gate);
        pthread_join(thread, NULL);
        assert_int_equal(seen.large, 1);
        echo_server_close(&fix);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            a_peer_that_leaves_is_told_once_and_a_late_answer_is_harmless),
        cmocka_unit_test(a_connection_is_left_when_silent_idle_or_old),
        cmocka_unit_test(
            an_idle_connection_is_left_after_half_to_all_of_its_time),
        cmocka_unit_test(stopping_waits_for_the_answers_of_accepted_calls),
        cmocka_unit_test(stopping_does_not_wait_longer_than_it_is_told),
        cmocka_unit_test(small_calls_are_answered_beside_large_ones),
        cmocka_unit_test(locks_of_core_may_be_taken_in_any_order),
        cmocka_unit_test(a_listener_that_cannot_be_says_why),
        cmocka_unit_test(a_unix_socket_serves_and_is_not_taken_from_its_owner),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
