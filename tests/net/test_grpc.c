#include "net/grpc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <zlib.h>
#include <zstd.h>

#include "base/clock.h"
#include "tests/support/grpc_client.h"

#define OTHER_PATH "/some.Service/Method"
#define MIB        ((size_t)1 << 20)

/* Over core's own default limit of 4 MiB; the thread sanitizer, which has to
 * explain away each of core's accesses, would need minutes for that. */
#ifdef __SANITIZE_THREAD__
#define BIG (MIB / 8)
#else
#define BIG (5 * MIB)
#endif

enum mode { ECHO, REFUSE, REFUSE_ENCODING, LATER, NEVER, STREAM };

/* A server whose handler notes what it was given and answers by |mode|. */
struct fixture {
    struct grpc_endpoint *endpoint;
    struct server_listener listener;
    char target[64];
    atomic_int mode; /* enum mode */
    atomic_int handled;
    atomic_int cancelled;
    _Atomic(struct request *) held;
    atomic_int problem;
    struct buf path;
    struct buf header;
    struct buf echo;
    bool is_loopback;
    bool is_padded;
    size_t wire_len;
};

static void
nap(void)
{
    usleep(2000);
}

static bool
comes_true(atomic_int *value, int wanted)
{
    for (int i = 0; i < 2500 && atomic_load(value) != wanted; i++)
        nap();
    return atomic_load(value) == wanted;
}

static void
on_cancel(void *ctx, struct request *req)
{
    struct fixture *fix = ctx;

    (void)req;
    atomic_fetch_add(&fix->cancelled, 1);
}

static void
note(struct fixture *fix, const struct request *req)
{
    buf_reset(&fix->path);
    buf_reset(&fix->header);
    buf_reset(&fix->echo);
    buf_add(&fix->path, req->path);
    for (size_t i = 0; i < req->header_len; i++)
        if (str_eq(req->headers[i].name, STR("authorization")))
            buf_add(&fix->header, req->headers[i].value);
    buf_add(&fix->echo, req->body);
    fix->is_loopback = req->is_loopback;
    fix->wire_len = req->wire_len;
    fix->is_padded = true;
    for (size_t i = 0; req->body.ptr && i < REQUEST_PAD; i++)
        fix->is_padded &= req->body.ptr[req->body.len + i] == 0;
    atomic_store(&fix->problem, (int)req->problem);
}

static void
echo(struct request *req)
{
    req->ops->reply(req,
                    &(struct reply){.status = GRPC_CODE_OK, .body = req->body});
}

static void *
answer_later(void *req)
{
    nap();
    echo(req);
    return NULL;
}

static void
handle(void *ctx, struct request *req)
{
    static const struct header headers[] = {
        {{"x-note", 6}, {"kept", 4}},
        {{"grpc-encoding", 13}, {"dropped", 7}},
        {{"Not Legal", 9}, {"dropped", 7}},
    };
    static const struct header accepted = {{"grpc-accept-encoding", 20},
                                           {"gzip, deflate, zstd", 19}};
    struct fixture *fix = ctx;
    pthread_t thread;

    note(fix, req);
    atomic_fetch_add(&fix->handled, 1);
    switch (atomic_load(&fix->mode)) {
    case ECHO:
        echo(req);
        break;
    case REFUSE:
        req->ops->reply(req,
                        &(struct reply){.status = GRPC_CODE_INVALID_ARGUMENT,
                                        .grpc_message = STR("50% \xc3\xbc no"),
                                        .grpc_details = {"\0\1\xff", 3},
                                        .headers = headers,
                                        .header_len = 3});
        break;
    case REFUSE_ENCODING:
        req->ops->reply(req, &(struct reply){.status = GRPC_CODE_UNIMPLEMENTED,
                                             .headers = &accepted,
                                             .header_len = 1});
        break;
    case LATER:
        assert_int_equal(pthread_create(&thread, NULL, answer_later, req), 0);
        pthread_detach(thread);
        break;
    case NEVER:
        req->on_cancel_ctx = fix;
        req->on_cancel = on_cancel;
        atomic_store(&fix->held, req);
        break;
    case STREAM:
        req->ops->stream_open(req, &(struct reply){.status = 0});
        break;
    }
}

static void
open_fixture(struct fixture *fix)
{
    struct buf why = {.cap_max = 1024};

    fix->listener.handler = handle;
    fix->listener.ctx = fix;
    if (!fix->listener.address)
        fix->listener.address = "127.0.0.1";
    assert_int_equal(grpc_endpoint_new(&fix->endpoint, &fix->listener, &why),
                     OK);
    assert_int_equal(grpc_endpoint_start(fix->endpoint), OK);
    snprintf(fix->target, sizeof(fix->target), "127.0.0.1:%u",
             grpc_endpoint_port(fix->endpoint));
    buf_fini(&why);
}

static struct fixture
fixture_with(enum mode mode)
{
    return (struct fixture){.mode = mode,
                            .listener.limits = {
                                .body_bytes = 64 * MIB,
                                .header_bytes = 16384,
                                .budget_bytes = 512 * MIB,
                                .connections = 100,
                                .streams = 128,
                                .header_ms = 10000,
                                .idle_ms = 60000,
                                .write_ms = 30000,
                            }};
}

static void
close_fixture(struct fixture *fix)
{
    if (fix->endpoint)
        grpc_endpoint_stop(fix->endpoint, 2000);
    grpc_endpoint_free(fix->endpoint);
    buf_fini(&fix->path);
    buf_fini(&fix->header);
    buf_fini(&fix->echo);
}

static struct grpc_answer
call_once(struct fixture *fix, const char *path, str body, bool gzip)
{
    struct grpc_client client;
    static const struct header headers[] = {
        {{"authorization", 13}, {"Bearer t", 8}}};

    grpc_client_open(&client, fix->target, NULL, gzip);
    struct grpc_answer answer =
        grpc_client_call(&client, path, body, headers, 1, 10000);
    grpc_client_close(&client);
    return answer;
}

static bool
has(const struct buf *buf, const char *needle)
{
    return memmem(buf->ptr, buf->len, needle, strlen(needle)) != NULL;
}

static void
a_call_reaches_the_handler_whole_and_its_answer_the_caller(void **state)
{
    static const char *const paths[] = {EXPORT_PATH, OTHER_PATH};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct fixture fix = fixture_with(ECHO);
        open_fixture(&fix);
        struct grpc_answer answer =
            call_once(&fix, paths[i], STR("hello"), false);
        assert_int_equal(answer.status, 0);
        assert_true(str_eq(buf_str(&answer.body), STR("hello")));
        assert_int_equal(fix.problem, REQUEST_WHOLE);
        assert_true(str_eq(buf_str(&fix.path), str_of(paths[i])));
        assert_true(str_eq(buf_str(&fix.header), STR("Bearer t")));
        assert_true(fix.is_loopback);
        assert_true(fix.is_padded);
        assert_int_equal(fix.wire_len, 5);
        grpc_answer_fini(&answer);
        close_fixture(&fix);
    }
}

static void
an_empty_message_is_a_message(void **state)
{
    struct fixture fix = fixture_with(ECHO);

    (void)state;
    open_fixture(&fix);
    struct grpc_answer answer = call_once(&fix, EXPORT_PATH, STR(""), false);
    assert_int_equal(answer.status, 0);
    assert_int_equal(answer.body.len, 0);
    assert_int_equal(fix.problem, REQUEST_WHOLE);
    grpc_answer_fini(&answer);
    close_fixture(&fix);
}

static void
a_refusal_carries_status_message_and_details(void **state)
{
    struct fixture fix = fixture_with(REFUSE);

    (void)state;
    open_fixture(&fix);
    struct grpc_answer answer = call_once(&fix, EXPORT_PATH, STR("x"), false);
    assert_int_equal(answer.status, GRPC_CODE_INVALID_ARGUMENT);
    assert_true(str_eq(buf_str(&answer.message), STR("50% \xc3\xbc no")));
    assert_true(str_eq(buf_str(&answer.details), (str){"\0\1\xff", 3}));
    assert_true(has(&answer.headers, "x-note: kept"));
    assert_false(has(&answer.headers, "dropped"));
    grpc_answer_fini(&answer);
    close_fixture(&fix);
}

static void
an_answer_may_come_later_from_another_thread(void **state)
{
    struct fixture fix = fixture_with(LATER);
    struct grpc_client client;

    (void)state;
    open_fixture(&fix);
    grpc_client_open(&client, fix.target, NULL, false);
    for (int i = 0; i < 50; i++) {
        struct grpc_answer answer =
            grpc_client_call(&client, EXPORT_PATH, STR("late"), NULL, 0, 5000);
        assert_int_equal(answer.status, 0);
        assert_true(str_eq(buf_str(&answer.body), STR("late")));
        grpc_answer_fini(&answer);
    }
    grpc_client_close(&client);
    close_fixture(&fix);
}

static void
a_stream_is_refused_as_unimplemented(void **state)
{
    struct fixture fix = fixture_with(STREAM);

    (void)state;
    open_fixture(&fix);
    struct grpc_answer answer = call_once(&fix, OTHER_PATH, STR("x"), false);
    assert_int_equal(answer.status, GRPC_CODE_UNIMPLEMENTED);
    grpc_answer_fini(&answer);
    close_fixture(&fix);
}

static void
a_gzip_message_is_decompressed_and_counted_on_the_wire(void **state)
{
    struct fixture fix = fixture_with(ECHO);
    struct buf body = {.cap_max = 0};

    (void)state;
    for (int i = 0; i < 20000; i++)
        buf_add(&body, STR("ab"));
    open_fixture(&fix);
    struct grpc_answer answer =
        call_once(&fix, EXPORT_PATH, buf_str(&body), true);
    assert_int_equal(answer.status, 0);
    assert_true(str_eq(buf_str(&answer.body), buf_str(&body)));
    assert_int_equal(fix.problem, REQUEST_WHOLE);
    assert_true(fix.wire_len < 1000);
    assert_true(fix.is_padded);
    grpc_answer_fini(&answer);
    close_fixture(&fix);
    buf_fini(&body);
}

/* Sends |message| raw; returns the problem that the handler was told. */
static int
problem_of(const char *path, const char *encoding, int flag, str message)
{
    struct fixture fix = fixture_with(ECHO);
    struct buf frame = {.cap_max = 0};

    fix.listener.limits.body_bytes = MIB;
    open_fixture(&fix);
    grpc_frame(&frame, flag, message);
    struct grpc_answer answer = grpc_raw_call(grpc_endpoint_port(fix.endpoint),
                                              path, encoding, buf_str(&frame));
    int problem = atomic_load(&fix.handled) ? (int)fix.problem : -1;
    grpc_answer_fini(&answer);
    buf_fini(&frame);
    close_fixture(&fix);
    return problem;
}

static void
an_encoding_is_known_by_name_or_by_its_first_bytes(void **state)
{
    char zstd[256];
    size_t zstd_len = ZSTD_compress(zstd, sizeof(zstd), "hello hello", 11, 1);

    (void)state;
    assert_int_equal(problem_of(EXPORT_PATH, "zstd", 1, (str){zstd, zstd_len}),
                     REQUEST_WHOLE);
    assert_int_equal(problem_of(EXPORT_PATH, "snappy", 1,
                                STR("\xff\x06\x00\x00sNaPpY rest")),
                     REQUEST_UNSUPPORTED_ENCODING);
    assert_int_equal(
        problem_of(EXPORT_PATH, "lz4", 1, STR("\x04\x22\x4d\x18 rest")),
        REQUEST_UNSUPPORTED_ENCODING);
    assert_int_equal(problem_of(EXPORT_PATH, "gzip", 0, STR("plain")),
                     REQUEST_WHOLE);
}

static void
bytes_that_do_not_decompress_are_told(void **state)
{
    (void)state;
    assert_int_equal(problem_of(EXPORT_PATH, "gzip", 1, STR("not gzip")),
                     REQUEST_BAD_ENCODING);
    assert_int_equal(problem_of(OTHER_PATH, "deflate", 1, STR("not zlib")),
                     REQUEST_BAD_ENCODING);
    assert_int_equal(
        problem_of(OTHER_PATH, "zstd", 1, STR("\x28\xb5\x2f\xfd junk")),
        REQUEST_BAD_ENCODING);
}

static void
a_bomb_is_too_large(void **state)
{
    static char plain[4 << 20];
    static unsigned char packed[1 << 16];
    uLongf len = sizeof(packed);

    (void)state;
    assert_int_equal(compress2(packed, &len, (Bytef *)plain, sizeof(plain), 9),
                     Z_OK);
    assert_int_equal(
        problem_of(EXPORT_PATH, "deflate", 1, (str){(const char *)packed, len}),
        REQUEST_TOO_LARGE);
}

static void
a_call_without_a_message_is_a_bad_frame(void **state)
{
    static const char *const paths[] = {EXPORT_PATH, OTHER_PATH};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct fixture fix = fixture_with(REFUSE);
        open_fixture(&fix);
        struct grpc_answer answer = grpc_raw_call(
            grpc_endpoint_port(fix.endpoint), paths[i], NULL, STR(""));
        assert_int_equal(fix.problem, REQUEST_BAD_FRAME);
        assert_int_equal(answer.status, GRPC_CODE_INVALID_ARGUMENT);
        grpc_answer_fini(&answer);
        close_fixture(&fix);
    }
}

static void
a_message_cut_off_is_a_bad_frame(void **state)
{
    struct fixture fix = fixture_with(REFUSE);

    (void)state;
    open_fixture(&fix);
    for (size_t i = 0; i < 2; i++) {
        struct grpc_answer cut = grpc_raw_call(
            grpc_endpoint_port(fix.endpoint), i ? EXPORT_PATH : OTHER_PATH,
            NULL, (str){"\0\0\0\0\x09half", 9});
        assert_int_equal(fix.problem, REQUEST_BAD_FRAME);
        assert_int_equal(cut.status, GRPC_CODE_INVALID_ARGUMENT);
        grpc_answer_fini(&cut);
    }
    fix.mode = ECHO;
    struct grpc_answer answer = call_once(&fix, EXPORT_PATH, STR("ok"), false);
    assert_int_equal(answer.status, 0);
    grpc_answer_fini(&answer);
    close_fixture(&fix);
}

static void
a_body_at_the_limit_passes_and_one_past_is_exhausted_for_good(void **state)
{
    static const char *const paths[] = {EXPORT_PATH, OTHER_PATH};
    size_t limit = BIG;
    char *body = calloc(1, limit + 1);

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct fixture fix = fixture_with(ECHO);
        fix.listener.limits.body_bytes = limit;
        open_fixture(&fix);
        struct grpc_answer good =
            call_once(&fix, paths[i], (str){body, limit}, false);
        /* The client's own limit refuses the echo; the server took it. */
        assert_int_equal(fix.problem, REQUEST_WHOLE);
        assert_int_equal(fix.wire_len, limit);
        struct grpc_answer bad =
            call_once(&fix, paths[i], (str){body, limit + 1}, false);
        assert_int_equal(bad.status, GRPC_CODE_RESOURCE_EXHAUSTED);
        assert_int_equal(bad.details.len, 0);
        assert_int_equal(fix.handled, 1);
        grpc_answer_fini(&good);
        grpc_answer_fini(&bad);
        close_fixture(&fix);
    }
    free(body);
}

static void
over_the_budget_a_call_is_told_no_room_until_one_is_answered(void **state)
{
    struct fixture fix = fixture_with(NEVER);
    struct grpc_client client;
    char *body = calloc(1, BIG);

    (void)state;
    fix.listener.limits.budget_bytes = BIG + 4096;
    open_fixture(&fix);
    grpc_client_open(&client, fix.target, NULL, false);
    struct grpc_answer first =
        grpc_client_call(&client, EXPORT_PATH, (str){body, BIG}, NULL, 0, 1500);
    assert_int_equal(first.status, 4); /* its deadline */
    assert_int_equal(fix.handled, 1);
    assert_int_equal(fix.problem, REQUEST_WHOLE);
    fix.mode = REFUSE;
    struct grpc_answer second =
        grpc_client_call(&client, EXPORT_PATH, STR("x"), NULL, 0, 5000);
    assert_int_equal(fix.problem, REQUEST_NO_ROOM);
    echo(atomic_load(&fix.held));
    struct grpc_answer third =
        grpc_client_call(&client, EXPORT_PATH, STR("x"), NULL, 0, 5000);
    assert_int_equal(fix.problem, REQUEST_WHOLE);
    grpc_answer_fini(&first);
    grpc_answer_fini(&second);
    grpc_answer_fini(&third);
    grpc_client_close(&client);
    close_fixture(&fix);
    free(body);
}

static void
a_peer_that_leaves_is_told_once_and_a_late_answer_is_harmless(void **state)
{
    static const char *const paths[] = {EXPORT_PATH, OTHER_PATH};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct fixture fix = fixture_with(NEVER);
        struct grpc_client client;
        open_fixture(&fix);
        grpc_client_open(&client, fix.target, NULL, false);
        struct grpc_answer answer =
            grpc_client_call(&client, paths[i], STR("x"), NULL, 0, 500);
        assert_int_equal(answer.status, 4);
        assert_true(comes_true(&fix.cancelled, 1));
        struct request *req = atomic_load(&fix.held);
        assert_true(str_eq(req->body, STR("x")));
        assert_true(str_eq(req->path, str_of(paths[i])));
        echo(req);
        grpc_answer_fini(&answer);
        grpc_client_close(&client);
        close_fixture(&fix);
        assert_int_equal(fix.cancelled, 1);
    }
}

static void
a_refusal_of_an_encoding_names_what_core_accepts(void **state)
{
    static const char *const paths[] = {EXPORT_PATH, OTHER_PATH};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct fixture fix = fixture_with(REFUSE_ENCODING);
        struct buf frame = {.cap_max = 0};
        open_fixture(&fix);
        grpc_frame(&frame, 1, STR("\x04\x22\x4d\x18 rest"));
        struct grpc_answer answer = grpc_raw_call(
            grpc_endpoint_port(fix.endpoint), paths[i], "lz4", buf_str(&frame));
        assert_int_equal(answer.status, GRPC_CODE_UNIMPLEMENTED);
        assert_true(has(&answer.headers, "grpc-accept-encoding: "));
        assert_true(has(&answer.headers, "gzip"));
        grpc_answer_fini(&answer);
        buf_fini(&frame);
        close_fixture(&fix);
    }
}

static void
headers_over_the_limit_are_refused(void **state)
{
    struct fixture fix = fixture_with(ECHO);
    struct grpc_client client;
    static char value[20000];
    const struct header big = {STR("x-big"), {value, sizeof(value)}};

    (void)state;
    memset(value, 'a', sizeof(value));
    open_fixture(&fix);
    grpc_client_open(&client, fix.target, NULL, false);
    struct grpc_answer answer =
        grpc_client_call(&client, EXPORT_PATH, STR("x"), &big, 1, 5000);
    assert_int_equal(answer.status, GRPC_CODE_RESOURCE_EXHAUSTED);
    assert_int_equal(fix.handled, 0);
    grpc_answer_fini(&answer);
    grpc_client_close(&client);
    close_fixture(&fix);
}

struct caller {
    struct fixture *fix;
    struct grpc_answer answer;
};

static void *
call_in_thread(void *ctx)
{
    struct caller *caller = ctx;

    caller->answer = call_once(caller->fix, EXPORT_PATH, STR("x"), false);
    return NULL;
}

static void *
answer_when_stopping(void *ctx)
{
    struct fixture *fix = ctx;

    usleep(100000);
    echo(atomic_load(&fix->held));
    return NULL;
}

static void
stopping_waits_for_the_answers_of_accepted_calls(void **state)
{
    struct fixture fix = fixture_with(NEVER);
    struct caller caller = {.fix = &fix};
    pthread_t threads[2];

    (void)state;
    open_fixture(&fix);
    pthread_create(&threads[0], NULL, call_in_thread, &caller);
    assert_true(comes_true(&fix.handled, 1));
    pthread_create(&threads[1], NULL, answer_when_stopping, &fix);
    grpc_endpoint_stop(fix.endpoint, 5000);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert_int_equal(caller.answer.status, 0);
    assert_true(str_eq(buf_str(&caller.answer.body), STR("x")));
    assert_int_equal(fix.cancelled, 0);
    grpc_answer_fini(&caller.answer);
    close_fixture(&fix);
}

static void
stopping_does_not_wait_longer_than_it_is_told(void **state)
{
    struct fixture fix = fixture_with(NEVER);
    struct caller caller = {.fix = &fix};
    pthread_t thread;

    (void)state;
    open_fixture(&fix);
    pthread_create(&thread, NULL, call_in_thread, &caller);
    assert_true(comes_true(&fix.handled, 1));
    uint64_t start_ns = clock_mono_ns();
    grpc_endpoint_stop(fix.endpoint, 100);
    assert_true(clock_mono_ns() - start_ns < 2 * NS_PER_S);
    pthread_join(thread, NULL);
    assert_int_not_equal(caller.answer.status, 0);
    assert_int_equal(fix.cancelled, 1);
    grpc_endpoint_free(fix.endpoint);
    fix.endpoint = NULL;
    echo(atomic_load(&fix.held)); /* to nobody */
    grpc_answer_fini(&caller.answer);
    close_fixture(&fix);
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
    struct fixture fix = fixture_with(ECHO);
    struct server_listener other;

    (void)state;
    open_fixture(&fix);
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
    close_fixture(&fix);
}

static void
a_unix_socket_serves_and_is_not_taken_from_its_owner(void **state)
{
    struct fixture fix = fixture_with(ECHO);
    char path[] = "/tmp/test_grpc_XXXXXX";
    char address[64];
    struct sockaddr_un stale = {.sun_family = AF_UNIX};

    (void)state;
    assert_non_null(mkdtemp(path));
    snprintf(address, sizeof(address), "unix:%s/s", path);
    snprintf(stale.sun_path, sizeof(stale.sun_path), "%s/s", path);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&stale, sizeof(stale)), 0);
    close(fd); /* leaves the file of a server that crashed */
    fix.listener.address = address;
    open_fixture(&fix);
    snprintf(fix.target, sizeof(fix.target), "%s", address);
    struct server_listener other = fix.listener;
    assert_int_equal(new_error(&other, "another process"), ERR_BUSY);
    struct grpc_answer answer = call_once(&fix, EXPORT_PATH, STR("x"), false);
    assert_int_equal(answer.status, 0);
    assert_int_equal(fix.problem, REQUEST_WHOLE);
    assert_true(fix.is_loopback);
    assert_int_equal(grpc_endpoint_port(fix.endpoint), 0);
    grpc_answer_fini(&answer);
    close_fixture(&fix);
    unlink(stale.sun_path);
    assert_int_equal(mkdir(stale.sun_path, 0700), 0);
    assert_int_equal(new_error(&other, "no socket"), ERR_BUSY);
    rmdir(stale.sun_path);
    rmdir(path);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            a_call_reaches_the_handler_whole_and_its_answer_the_caller),
        cmocka_unit_test(an_empty_message_is_a_message),
        cmocka_unit_test(a_refusal_carries_status_message_and_details),
        cmocka_unit_test(an_answer_may_come_later_from_another_thread),
        cmocka_unit_test(a_stream_is_refused_as_unimplemented),
        cmocka_unit_test(
            a_gzip_message_is_decompressed_and_counted_on_the_wire),
        cmocka_unit_test(an_encoding_is_known_by_name_or_by_its_first_bytes),
        cmocka_unit_test(bytes_that_do_not_decompress_are_told),
        cmocka_unit_test(a_bomb_is_too_large),
        cmocka_unit_test(a_call_without_a_message_is_a_bad_frame),
        cmocka_unit_test(a_message_cut_off_is_a_bad_frame),
        cmocka_unit_test(
            a_body_at_the_limit_passes_and_one_past_is_exhausted_for_good),
        cmocka_unit_test(
            over_the_budget_a_call_is_told_no_room_until_one_is_answered),
        cmocka_unit_test(
            a_peer_that_leaves_is_told_once_and_a_late_answer_is_harmless),
        cmocka_unit_test(a_refusal_of_an_encoding_names_what_core_accepts),
        cmocka_unit_test(headers_over_the_limit_are_refused),
        cmocka_unit_test(stopping_waits_for_the_answers_of_accepted_calls),
        cmocka_unit_test(stopping_does_not_wait_longer_than_it_is_told),
        cmocka_unit_test(a_listener_that_cannot_be_says_why),
        cmocka_unit_test(a_unix_socket_serves_and_is_not_taken_from_its_owner),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
