/* Messages over gRPC core that do not become whole. */
#include "net/grpc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>
#include <unistd.h>

#include <sys/socket.h>

#include "base/metrics.h"
#include "tests/support/echo_server.h"

#define NOT_BEGUN UINT32_MAX

/* Appends DATA of stream 1: the prefix of a message of |says| bytes, and |len|
 * of those. */
static void
add_part(struct buf *out, uint32_t says, size_t len)
{
    enum { FRAME_MAX = 16384, PREFIX = 5 };
    const char prefix[PREFIX] = {0, (char)(says >> 24), (char)(says >> 16),
                                 (char)(says >> 8), (char)says};

    for (size_t left = len + PREFIX; left > 0;) {
        size_t part = left < FRAME_MAX ? left : FRAME_MAX;
        const char head[9] = {0, (char)(part >> 8), (char)part, 0, 0, 0, 0, 0,
                              1};

        buf_add(out, (str){head, sizeof(head)});
        if (left == len + PREFIX)
            buf_add(out, (str){prefix, sizeof(prefix)});
        for (size_t i = left == len + PREFIX ? PREFIX : 0; i < part; i++)
            buf_add_char(out, 'x');
        left -= part;
    }
}

/* A call of |path| whose message of |says| bytes, if it is begun, breaks off
 * after |len|; the stream stays open.  False when the connection is closed
 * already. */
static bool
begin_call(int fd, const char *path, uint32_t says, size_t len)
{
    static const str greeting = STR_INIT("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
                                         "\0\0\0\4\0\0\0\0\0");
    static const str fields = STR_INIT("\x83\x86\0\x0a:authority\1h"
                                       "\0\x0c"
                                       "content-type\x10"
                                       "application/grpc"
                                       "\0\2te\x08trailers\4");
    struct buf out = {.cap_max = 0};
    size_t path_len = strlen(path);

    buf_add(&out, greeting);
    buf_add(&out, STR("\0\0"));
    buf_add_char(&out, (char)(fields.len + 1 + path_len));
    buf_add(&out, STR("\1\4\0\0\0\1"));
    buf_add(&out, fields);
    buf_add_char(&out, (char)path_len);
    buf_add(&out, str_of(path));
    if (says != NOT_BEGUN)
        add_part(&out, says, len);
    ssize_t sent = send(fd, out.ptr, out.len, MSG_NOSIGNAL);
    bool is_sent = sent == (ssize_t)out.len;
    buf_fini(&out);
    return is_sent;
}

/* What it had begun to send is no request, and not refused as one. */
static void
a_peer_that_leaves_within_its_message_has_asked_nothing(void **state)
{
    enum { READ_US = 100000 };
    static const str reset = STR_INIT("\0\0\4\3\0\0\0\0\1\0\0\0\x08");
    static const char *const paths[] = {EXPORT_PATH, OTHER_PATH};
    struct echo_server fix = echo_server_with(ECHO_BACK);

    (void)state;
    echo_server_open(&fix);
    for (int i = 0; i < 4; i++) {
        int fd = echo_server_dial(&fix);

        assert_true(begin_call(fd, paths[i % 2], 100, 4));
        usleep(READ_US);
        if (i / 2)
            assert_int_equal(send(fd, reset.ptr, reset.len, MSG_NOSIGNAL),
                             (ssize_t)reset.len);
        else
            shutdown(fd, SHUT_RDWR);
        usleep(READ_US);
        close(fd);
    }
    for (int i = 0; i < 2; i++) {
        struct grpc_answer answer =
            echo_server_call(&fix, paths[i], STR("whole"), false);
        assert_int_equal(answer.status, 0);
        assert_int_equal(fix.handled, i + 1);
        grpc_answer_fini(&answer);
    }
    echo_server_close(&fix);
}

/* Reads until |what| has come; false: not in time. */
static bool
is_told(int fd, str what)
{
    const struct timeval wait = {.tv_sec = 5};
    struct buf in = {.cap_max = 0};
    char room[4096];
    bool is_there = false;
    ssize_t got;

    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
    while (!is_there && (got = recv(fd, room, sizeof(room), 0)) > 0) {
        buf_add(&in, (str){room, (size_t)got});
        is_there = memmem(in.ptr, in.len, what.ptr, what.len) != NULL;
    }
    buf_fini(&in);
    return is_there;
}

/* A trailer makes core take it for a peer that has left. */
static void
who_ends_within_the_message_by_a_trailer_is_told(void **state)
{
    static const str trailer = STR_INIT("\0\0\5\1\5\0\0\0\1\0\1x\1y");
    static const char *const paths[] = {EXPORT_PATH, OTHER_PATH};
    struct echo_server fix = echo_server_with(ECHO_BACK);

    (void)state;
    echo_server_open(&fix);
    for (int i = 0; i < 2; i++) {
        int fd = echo_server_dial(&fix);

        assert_true(begin_call(fd, paths[i], 100, 4));
        assert_int_equal(send(fd, trailer.ptr, trailer.len, MSG_NOSIGNAL),
                         (ssize_t)trailer.len);
        assert_true(is_told(fd, STR("grpc-status\0013")));
        close(fd);
    }
    echo_server_close(&fix);
    assert_int_equal(fix.handled, 0);
}

/* Reads what is there, frame by frame, and says whether a stream was reset with
 * ENHANCE_YOUR_CALM. */
static bool
has_calm_reset(int fd)
{
    enum { RST_STREAM = 3, ENHANCE_YOUR_CALM = 11, HEAD = 9 };
    unsigned char in[4096];
    ssize_t len = recv(fd, in, sizeof(in), MSG_DONTWAIT | MSG_PEEK);

    for (size_t at = 0; len > 0 && at + HEAD <= (size_t)len;) {
        size_t part =
            (size_t)in[at] << 16 | (size_t)in[at + 1] << 8 | in[at + 2];
        if (in[at + 3] == RST_STREAM && at + HEAD + part <= (size_t)len &&
            in[at + HEAD + 3] == ENHANCE_YOUR_CALM)
            return true;
        at += HEAD + part;
    }
    return false;
}

/* More is begun than core has memory for.  It ends calls then, and each that
 * its peer sees ended is counted, but is no request. */
static void
what_core_ends_for_want_of_memory_is_counted(void **state)
{
    enum { CONNECTIONS = 40, SAYS = 200000, PART = 65000, LOOKS = 500 };
    static const char *const paths[] = {EXPORT_PATH, OTHER_PATH};
    struct echo_server fix = echo_server_with(ECHO_BACK);
    int64_t before = metrics_get(METRIC_REFUSED_FULL);
    int fds[CONNECTIONS];
    int64_t ended = 0;
    int64_t counted = 0;

    (void)state;
    fix.listener.limits.body_bytes = MIB / 4;
    fix.listener.limits.budget_bytes = MIB;
    echo_server_open(&fix);
    for (int i = 0; i < CONNECTIONS; i++) {
        fds[i] = echo_server_dial(&fix);
        (void)begin_call(fds[i], paths[i % 2], SAYS, PART);
    }
    for (int i = 0; i < LOOKS && (ended == 0 || counted != ended); i++) {
        usleep(10000);
        ended = 0;
        for (int at = 0; at < CONNECTIONS; at++)
            ended += has_calm_reset(fds[at]);
        counted = metrics_get(METRIC_REFUSED_FULL) - before;
    }
    assert_true(ended > 0);
    assert_int_equal(counted, ended);
    for (int i = 0; i < CONNECTIONS; i++)
        close(fds[i]);
    echo_server_close(&fix);
    assert_int_equal(fix.handled, 0);
}

/* ---- messages that are none ---- */

/* A call of |path| with |frames| of DATA, the last of which ends it. */
static void
send_call(int fd, const char *path, const str *frames, size_t len)
{
    enum { END_STREAM = 1 };
    struct buf out = {.cap_max = 0};

    assert_true(begin_call(fd, path, NOT_BEGUN, 0));
    for (size_t i = 0; i < len; i++)
        grpc_raw_frame(&out, 0, i + 1 == len ? END_STREAM : 0, 1, frames[i]);
    assert_int_equal(send(fd, out.ptr, out.len, MSG_NOSIGNAL),
                     (ssize_t)out.len);
    buf_fini(&out);
}

static void
what_is_no_message_is_a_problem(void **state)
{
    static const struct {
        str frames[3];
        size_t len;
        enum request_problem problem;
    } rows[] = {
        {{STR_INIT("\0\0\0\0\3abc")}, 1, REQUEST_WHOLE},
        {{STR_INIT("\0\0\0"), STR_INIT("\0\3abc")}, 2, REQUEST_WHOLE},
        {{STR_INIT("\0\0\0\0\3a"), STR_INIT("bc"), STR_INIT("")},
         3,
         REQUEST_WHOLE},
        {{STR_INIT("\7\0\0\0\3abc")}, 1, REQUEST_BAD_FRAME},
        {{STR_INIT("\2"), STR_INIT("\0\0\0\0")}, 2, REQUEST_BAD_FRAME},
        {{STR_INIT("\xff\0\0"), STR_INIT("\0\3abc")}, 2, REQUEST_BAD_FRAME},
    };
    static const char *const paths[] = {EXPORT_PATH, OTHER_PATH};
    struct echo_server fix = echo_server_with(ECHO_BACK);
    int handled = 0;

    (void)state;
    echo_server_open(&fix);
    for (size_t i = 0; i < 2 * sizeof(rows) / sizeof(*rows); i++) {
        int fd = echo_server_dial(&fix);

        send_call(fd, paths[i % 2], rows[i / 2].frames, rows[i / 2].len);
        assert_true(echo_server_reaches(&fix.handled, ++handled));
        if (fix.problem != (int)rows[i / 2].problem)
            fail_msg("row %zu: problem %d", i / 2, fix.problem);
        assert_int_equal(fix.echo.len, rows[i / 2].problem ? 0 : 3);
        close(fd);
    }
    echo_server_close(&fix);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            a_peer_that_leaves_within_its_message_has_asked_nothing),
        cmocka_unit_test(who_ends_within_the_message_by_a_trailer_is_told),
        cmocka_unit_test(what_core_ends_for_want_of_memory_is_counted),
        cmocka_unit_test(what_is_no_message_is_a_problem),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
