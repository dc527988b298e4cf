#include "net/grpc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include <zlib.h>
#include <zstd.h>

#include "tests/support/echo_server.h"

/* Over core's own default limit of 4 MiB; the thread sanitizer, which has to
 * explain away each of core's accesses, would need minutes for that. */
#ifdef __SANITIZE_THREAD__
#define BIG (MIB / 8)
#else
#define BIG (5 * MIB)
#endif

static void
a_call_reaches_the_handler_whole_and_its_answer_the_caller(void **state)
{
    static const char *const paths[] = {EXPORT_PATH, OTHER_PATH};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct echo_server fix = echo_server_with(ECHO_BACK);
        echo_server_open(&fix);
        struct grpc_answer answer =
            echo_server_call(&fix, paths[i], STR("hello"), false);
        assert_int_equal(answer.status, 0);
        assert_true(str_eq(buf_str(&answer.body), STR("hello")));
        assert_int_equal(fix.problem, REQUEST_WHOLE);
        assert_true(str_eq(buf_str(&fix.path), str_of(paths[i])));
        assert_true(str_eq(buf_str(&fix.header), STR("Bearer t")));
        assert_true(fix.is_loopback);
        assert_true(fix.is_padded);
        assert_int_equal(fix.wire_len, 5);
        grpc_answer_fini(&answer);
        echo_server_close(&fix);
    }
}

static void
an_empty_message_is_a_message(void **state)
{
    struct echo_server fix = echo_server_with(ECHO_BACK);

    (void)state;
    echo_server_open(&fix);
    struct grpc_answer answer =
        echo_server_call(&fix, EXPORT_PATH, STR(""), false);
    assert_int_equal(answer.status, 0);
    assert_int_equal(answer.body.len, 0);
    assert_int_equal(fix.problem, REQUEST_WHOLE);
    grpc_answer_fini(&answer);
    echo_server_close(&fix);
}

static void
a_refusal_carries_status_message_and_details(void **state)
{
    struct echo_server fix = echo_server_with(ECHO_REFUSE);

    (void)state;
    echo_server_open(&fix);
    struct grpc_answer answer =
        echo_server_call(&fix, EXPORT_PATH, STR("x"), false);
    assert_int_equal(answer.status, GRPC_CODE_INVALID_ARGUMENT);
    assert_true(str_eq(buf_str(&answer.message), STR("50% \xc3\xbc no")));
    assert_true(str_eq(buf_str(&answer.details), (str){"\0\1\xff", 3}));
    assert_true(grpc_answer_has(&answer.headers, "x-note: kept"));
    assert_false(grpc_answer_has(&answer.headers, "dropped"));
    grpc_answer_fini(&answer);
    echo_server_close(&fix);
}

static void
an_answer_may_come_later_from_another_thread(void **state)
{
    struct echo_server fix = echo_server_with(ECHO_LATER);
    struct grpc_client client;

    (void)state;
    echo_server_open(&fix);
    grpc_client_open(&client, fix.target, NULL, false);
    for (int i = 0; i < 50; i++) {
        struct grpc_answer answer =
            grpc_client_call(&client, EXPORT_PATH, STR("late"), NULL, 0, 5000);
        assert_int_equal(answer.status, 0);
        assert_true(str_eq(buf_str(&answer.body), STR("late")));
        grpc_answer_fini(&answer);
    }
    grpc_client_close(&client);
    echo_server_close(&fix);
}

static void
a_stream_is_refused_as_unimplemented(void **state)
{
    struct echo_server fix = echo_server_with(ECHO_STREAM);

    (void)state;
    echo_server_open(&fix);
    struct grpc_answer answer =
        echo_server_call(&fix, OTHER_PATH, STR("x"), false);
    assert_int_equal(answer.status, GRPC_CODE_UNIMPLEMENTED);
    grpc_answer_fini(&answer);
    echo_server_close(&fix);
}

static void
a_gzip_message_is_decompressed_and_counted_on_the_wire(void **state)
{
    struct echo_server fix = echo_server_with(ECHO_BACK);
    struct buf body = {.cap_max = 0};

    (void)state;
    for (int i = 0; i < 20000; i++)
        buf_add(&body, STR("ab"));
    echo_server_open(&fix);
    struct grpc_answer answer =
        echo_server_call(&fix, EXPORT_PATH, buf_str(&body), true);
    assert_int_equal(answer.status, 0);
    assert_true(str_eq(buf_str(&answer.body), buf_str(&body)));
    assert_int_equal(fix.problem, REQUEST_WHOLE);
    assert_true(fix.wire_len < 1000);
    assert_true(fix.is_padded);
    grpc_answer_fini(&answer);
    echo_server_close(&fix);
    buf_fini(&body);
}

/* Sends |message| raw; returns the problem that the handler was told, with
 * which there is no body. */
static int
problem_of(const char *path, const char *encoding, int flag, str message)
{
    struct echo_server fix = echo_server_with(ECHO_BACK);
    struct buf frame = {.cap_max = 0};

    fix.listener.limits.body_bytes = MIB;
    echo_server_open(&fix);
    grpc_frame(&frame, flag, message);
    struct grpc_answer answer = grpc_raw_call(grpc_endpoint_port(fix.endpoint),
                                              path, encoding, buf_str(&frame));
    int problem = atomic_load(&fix.handled) ? (int)fix.problem : -1;
    if (problem != REQUEST_WHOLE)
        assert_int_equal(fix.echo.len, 0);
    grpc_answer_fini(&answer);
    buf_fini(&frame);
    echo_server_close(&fix);
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
        struct echo_server fix = echo_server_with(ECHO_REFUSE);
        echo_server_open(&fix);
        struct grpc_answer answer = grpc_raw_call(
            grpc_endpoint_port(fix.endpoint), paths[i], NULL, STR(""));
        assert_int_equal(fix.problem, REQUEST_BAD_FRAME);
        assert_int_equal(answer.status, GRPC_CODE_INVALID_ARGUMENT);
        grpc_answer_fini(&answer);
        echo_server_close(&fix);
    }
}

static void
a_message_cut_off_is_a_bad_frame(void **state)
{
    struct echo_server fix = echo_server_with(ECHO_REFUSE);

    (void)state;
    echo_server_open(&fix);
    for (size_t i = 0; i < 2; i++) {
        struct grpc_answer cut = grpc_raw_call(
            grpc_endpoint_port(fix.endpoint), i ? EXPORT_PATH : OTHER_PATH,
            NULL, (str){"\0\0\0\0\x09half", 9});
        assert_int_equal(fix.problem, REQUEST_BAD_FRAME);
        assert_int_equal(cut.status, GRPC_CODE_INVALID_ARGUMENT);
        grpc_answer_fini(&cut);
    }
    fix.mode = ECHO_BACK;
    struct grpc_answer answer =
        echo_server_call(&fix, EXPORT_PATH, STR("ok"), false);
    assert_int_equal(answer.status, 0);
    grpc_answer_fini(&answer);
    echo_server_close(&fix);
}

/* What is too large is handed on as that, up to where core refuses it. */
static void
a_body_at_the_limit_passes_and_one_past_is_too_large(void **state)
{
    static const char *const paths[] = {EXPORT_PATH, OTHER_PATH};
    size_t limit = BIG;
    const size_t over[] = {limit + 1, 2 * limit};
    char *body = calloc(1, 2 * limit + 1);

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct echo_server fix = echo_server_with(ECHO_BACK);
        fix.listener.limits.body_bytes = limit;
        fix.listener.limits.budget_bytes = 8 * limit;
        echo_server_open(&fix);
        struct grpc_answer good =
            echo_server_call(&fix, paths[i], (str){body, limit}, false);
        /* The client's own limit refuses the echo; the server took it. */
        assert_int_equal(fix.problem, REQUEST_WHOLE);
        assert_int_equal(fix.wire_len, limit);
        grpc_answer_fini(&good);
        for (size_t k = 0; k < 2; k++) {
            struct grpc_answer bad =
                echo_server_call(&fix, paths[i], (str){body, over[k]}, false);
            assert_int_equal(fix.problem, REQUEST_TOO_LARGE);
            assert_int_equal(fix.wire_len, over[k]);
            assert_int_equal(fix.handled, 2 + k);
            grpc_answer_fini(&bad);
        }
        struct grpc_answer worst =
            echo_server_call(&fix, paths[i], (str){body, 2 * limit + 1}, false);
        assert_int_equal(worst.status, GRPC_CODE_RESOURCE_EXHAUSTED);
        assert_int_equal(worst.details.len, 0);
        assert_int_equal(fix.handled, 3);
        grpc_answer_fini(&worst);
        echo_server_close(&fix);
    }
    free(body);
}

static void
over_the_budget_a_call_is_told_no_room_until_one_is_answered(void **state)
{
    struct echo_server fix = echo_server_with(ECHO_NEVER);
    struct grpc_client client;
    char *body = calloc(1, BIG);

    (void)state;
    fix.listener.limits.budget_bytes = BIG + 4096;
    echo_server_open(&fix);
    grpc_client_open(&client, fix.target, NULL, false);
    struct grpc_answer first =
        grpc_client_call(&client, EXPORT_PATH, (str){body, BIG}, NULL, 0, 1500);
    assert_int_equal(first.status, 4); /* its deadline */
    assert_int_equal(fix.handled, 1);
    assert_int_equal(fix.problem, REQUEST_WHOLE);
    fix.mode = ECHO_REFUSE;
    struct grpc_answer second =
        grpc_client_call(&client, EXPORT_PATH, STR("x"), NULL, 0, 5000);
    assert_int_equal(fix.problem, REQUEST_NO_ROOM);
    echo_server_echo(atomic_load(&fix.held));
    struct grpc_answer third =
        grpc_client_call(&client, EXPORT_PATH, STR("x"), NULL, 0, 5000);
    assert_int_equal(fix.problem, REQUEST_WHOLE);
    grpc_answer_fini(&first);
    grpc_answer_fini(&second);
    grpc_answer_fini(&third);
    grpc_client_close(&client);
    echo_server_close(&fix);
    free(body);
}

static void
an_address_with_a_zone_is_not_taken(void **state)
{
    static const struct {
        const char *address;
        bool is_taken;
    } all[] = {{"127.0.0.1", true},
               {"fe80::1", true},
               {"fe80::1%lo", false},
               {"unix:/run/a", true}};

    (void)state;
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        const struct server_listener listener = {.address = all[i].address};
        assert_int_equal(grpc_endpoint_takes(&listener), all[i].is_taken);
    }
}

/* To come again would be of no use. */
static void
what_the_whole_budget_cannot_hold_is_too_large(void **state)
{
    static char plain[100000];
    static unsigned char packed[1 << 12];
    uLongf len = sizeof(packed);
    struct buf frames[2] = {{.cap_max = 0}, {.cap_max = 0}};

    (void)state;
    assert_int_equal(compress2(packed, &len, (Bytef *)plain, sizeof(plain), 9),
                     Z_OK);
    grpc_frame(&frames[0], 0, (str){plain, sizeof(plain)});
    grpc_frame(&frames[1], 1, (str){(const char *)packed, len});
    for (size_t i = 0; i < 2; i++)
        for (size_t missing = 0; missing < 2; missing++) {
            struct echo_server fix = echo_server_with(ECHO_REFUSE);
            /* What is packed is there, too, while it is unpacked. */
            fix.listener.limits.budget_bytes =
                4096 + sizeof(plain) + (i ? len + REQUEST_PAD : 0) - missing;
            echo_server_open(&fix);
            struct grpc_answer answer =
                grpc_raw_call(grpc_endpoint_port(fix.endpoint), EXPORT_PATH,
                              i ? "deflate" : NULL, buf_str(&frames[i]));
            assert_int_equal(fix.problem,
                             missing ? REQUEST_TOO_LARGE : REQUEST_WHOLE);
            grpc_answer_fini(&answer);
            echo_server_close(&fix);
        }
    buf_fini(&frames[0]);
    buf_fini(&frames[1]);
}

static size_t
no_others(void *ctx, const struct request *req)
{
    (void)ctx;
    assert_true(
        str_eq(request_header(req, STR("authorization")), STR("Bearer t")));
    return str_eq(req->path, STR(EXPORT_PATH)) ? SIZE_MAX : 0;
}

/* The gate is what is worth asking about, as it came. */
static void
what_a_handler_would_not_read_is_too_large(void **state)
{
    struct echo_server fix = echo_server_with(ECHO_BACK);
    char *body = calloc(1, REQUEST_SMALL + 1);

    (void)state;
    fix.listener.body_most = no_others;
    echo_server_open(&fix);
    for (size_t over = 0; over < 2; over++) {
        static const char *const paths[] = {EXPORT_PATH, OTHER_PATH};

        for (size_t i = 0; i < 2; i++) {
            struct grpc_answer answer = echo_server_call(
                &fix, paths[i], (str){body, REQUEST_SMALL + over}, false);
            assert_int_equal(fix.problem,
                             over && i ? REQUEST_TOO_LARGE : REQUEST_WHOLE);
            grpc_answer_fini(&answer);
        }
    }
    echo_server_close(&fix);
    free(body);
}

static void
a_refusal_of_an_encoding_names_what_core_accepts(void **state)
{
    static const char *const paths[] = {EXPORT_PATH, OTHER_PATH};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct echo_server fix = echo_server_with(ECHO_REFUSE_ENCODING);
        struct buf frame = {.cap_max = 0};
        echo_server_open(&fix);
        grpc_frame(&frame, 1, STR("\x04\x22\x4d\x18 rest"));
        struct grpc_answer answer = grpc_raw_call(
            grpc_endpoint_port(fix.endpoint), paths[i], "lz4", buf_str(&frame));
        assert_int_equal(answer.status, GRPC_CODE_UNIMPLEMENTED);
        assert_true(grpc_answer_has(&answer.headers, "grpc-accept-encoding: "));
        assert_true(grpc_answer_has(&answer.headers, "gzip"));
        grpc_answer_fini(&answer);
        buf_fini(&frame);
        echo_server_close(&fix);
    }
}

static void
headers_over_the_limit_are_refused(void **state)
{
    struct echo_server fix = echo_server_with(ECHO_BACK);
    struct grpc_client client;
    static char value[20000];
    const struct header big = {STR("x-big"), {value, sizeof(value)}};

    (void)state;
    memset(value, 'a', sizeof(value));
    echo_server_open(&fix);
    grpc_client_open(&client, fix.target, NULL, false);
    struct grpc_answer answer =
        grpc_client_call(&client, EXPORT_PATH, STR("x"), &big, 1, 5000);
    assert_int_equal(answer.status, GRPC_CODE_RESOURCE_EXHAUSTED);
    assert_int_equal(fix.handled, 0);
    grpc_answer_fini(&answer);
    grpc_client_close(&client);
    echo_server_close(&fix);
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
        cmocka_unit_test(a_body_at_the_limit_passes_and_one_past_is_too_large),
        cmocka_unit_test(
            over_the_budget_a_call_is_told_no_room_until_one_is_answered),
        cmocka_unit_test(an_address_with_a_zone_is_not_taken),
        cmocka_unit_test(what_the_whole_budget_cannot_hold_is_too_large),
        cmocka_unit_test(what_a_handler_would_not_read_is_too_large),
        cmocka_unit_test(a_refusal_of_an_encoding_names_what_core_accepts),
        cmocka_unit_test(headers_over_the_limit_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
