/* Frames over a pipe: whole, in pieces, too large, cut off. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "index/frame.h"

struct ends {
    int read;
    int write;
};

static struct ends
open_pipe(void)
{
    int fds[2];

    assert_int_equal(pipe(fds), 0);
    return (struct ends){fds[0], fds[1]};
}

static void
write_raw(int fd, const void *bytes, size_t len)
{
    assert_int_equal(write(fd, bytes, len), (ssize_t)len);
}

static void
what_is_written_is_read(void **state)
{
    (void)state;
    struct ends p = open_pipe();
    struct frame_reader in = {0};
    struct frame out;
    enum err err;

    assert_int_equal(frame_write(p.write, &(struct frame){1, 77, STR("hello")}),
                     OK);
    assert_int_equal(
        frame_write(p.write, &(struct frame){255, UINT32_MAX, {NULL, 0}}), OK);
    assert_int_equal(frame_fill(&in, p.read), OK);
    assert_true(frame_next(&in, &out, &err));
    assert_int_equal(out.kind, 1);
    assert_int_equal(out.number, 77);
    assert_true(str_eq(out.payload, STR("hello")));
    assert_true(frame_next(&in, &out, &err));
    assert_int_equal(out.kind, 255);
    assert_int_equal(out.number, UINT32_MAX);
    assert_int_equal(out.payload.len, 0);
    assert_false(frame_next(&in, &out, &err));
    assert_int_equal(err, OK);
    close(p.write);
    assert_false(in.is_over);
    assert_int_equal(frame_fill(&in, p.read), OK);
    assert_true(in.is_over);
    frame_reader_fini(&in);
    close(p.read);
}

static void
a_frame_that_comes_byte_by_byte_is_whole_at_the_last(void **state)
{
    (void)state;
    struct ends p = open_pipe();
    struct frame_reader in = {0};
    unsigned char bytes[9 + 3] = {7, 1, 0, 0, 0, 3, 0, 0, 0, 'a', 'b', 'c'};
    struct frame out;
    enum err err;

    for (int round = 0; round < 3; round++)
        for (size_t i = 0; i < sizeof(bytes); i++) {
            write_raw(p.write, &bytes[i], 1);
            assert_int_equal(frame_fill(&in, p.read), OK);
            assert_int_equal(frame_next(&in, &out, &err),
                             i == sizeof(bytes) - 1);
            assert_int_equal(err, OK);
        }
    assert_true(str_eq(out.payload, STR("abc")));
    frame_reader_fini(&in);
    close(p.read);
    close(p.write);
}

static void
many_frames_and_large_ones_pass_a_small_pipe(void **state)
{
    (void)state;
    enum { COUNT = 40, STEP = 50021 };
    struct ends p = open_pipe();
    struct frame_reader in = {0};
    struct frame out;
    enum err err = OK;
    uint32_t seen = 0;
    pid_t pid = fork();

    if (pid == 0) {
        char *bytes = malloc(COUNT * STEP);
        for (uint32_t i = 0; bytes && i < COUNT; i++) {
            memset(bytes, (int)i, (size_t)i * STEP);
            if (frame_write(p.write,
                            &(struct frame){3, i, {bytes, (size_t)i * STEP}}))
                _exit(1);
        }
        _exit(0);
    }
    close(p.write);
    while (!in.is_over) {
        assert_int_equal(frame_fill(&in, p.read), OK);
        while (frame_next(&in, &out, &err)) {
            assert_int_equal(out.number, seen);
            assert_int_equal(out.payload.len, (size_t)seen * STEP);
            for (size_t i = 0; i < out.payload.len; i += 997)
                assert_int_equal((unsigned char)out.payload.ptr[i], seen);
            seen++;
        }
        assert_int_equal(err, OK);
    }
    assert_int_equal(seen, COUNT);
    frame_reader_fini(&in);
    close(p.read);
}

static void
a_length_at_the_limit_is_waited_for_and_one_past_it_refused(void **state)
{
    (void)state;
    struct ends p = open_pipe();
    struct frame_reader in = {.max = 100};
    unsigned char head[9] = {1, 0, 0, 0, 0, 100, 0, 0, 0};
    char body[100] = {0};
    struct frame out;
    enum err err;

    write_raw(p.write, head, sizeof(head));
    write_raw(p.write, body, sizeof(body));
    assert_int_equal(frame_fill(&in, p.read), OK);
    assert_true(frame_next(&in, &out, &err));
    head[5] = 101;
    write_raw(p.write, head, sizeof(head));
    assert_int_equal(frame_fill(&in, p.read), OK);
    assert_false(frame_next(&in, &out, &err));
    assert_int_equal(err, ERR_CORRUPT);
    frame_reader_fini(&in);
    memset(head + 5, 0xff, 4);
    write_raw(p.write, head, sizeof(head));
    assert_int_equal(frame_fill(&in, p.read), OK);
    assert_false(frame_next(&in, &out, &err));
    assert_int_equal(err, ERR_CORRUPT);
    frame_reader_fini(&in);
    close(p.read);
    close(p.write);
}

static void
a_side_that_is_gone_is_an_error_and_no_signal(void **state)
{
    (void)state;
    struct ends p = open_pipe();
    struct frame_reader in = {0};

    (void)signal(SIGPIPE, SIG_IGN);
    close(p.read);
    assert_int_equal(frame_write(p.write, &(struct frame){1, 2, STR("x")}),
                     ERR_IO);
    assert_int_equal(frame_fill(&in, p.read), ERR_IO);
    assert_int_equal(
        frame_write(p.write,
                    &(struct frame){1, 2, {"x", (size_t)FRAME_MAX + 1}}),
        ERR_TOO_LARGE);
    frame_reader_fini(&in);
    close(p.write);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(a_frame_that_comes_byte_by_byte_is_whole_at_the_last),
        cmocka_unit_test(many_frames_and_large_ones_pass_a_small_pipe),
        cmocka_unit_test(
            a_length_at_the_limit_is_waited_for_and_one_past_it_refused),
        cmocka_unit_test(a_side_that_is_gone_is_an_error_and_no_signal),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
