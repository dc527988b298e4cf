#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "base/buf.h"
#include "cmd/feed.h"
#include "net/request.h"

enum { MOST = 4096, NO_STEP = 1 << 24, NEVER = 1 << 30 };

/* A stream, and what was made of it: "J{...}|P...|". */
static struct {
    str stream;
    size_t read; /* bytes of it */
    size_t step; /* bytes at a time */
    size_t fail_at;
    struct buf taken;
    size_t requests;
    size_t longest;
    size_t stop_at; /* this request is refused */
    size_t read_at_first;
    unsigned behind; /* the sum of what is behind requests */
    struct feed_fault fault;
} it;

static ssize_t
read_stream(void *ctx, char *to, size_t len)
{
    size_t left = it.stream.len - it.read;

    (void)ctx;
    if (it.read >= it.fail_at)
        return -1;
    len = len < it.step ? len : it.step;
    len = len < left ? len : left;
    memcpy(to, it.stream.ptr + it.read, len);
    it.read += len;
    return (ssize_t)len;
}

static enum err
take(void *ctx, str request, bool is_json)
{
    (void)ctx;
    if (++it.requests == it.stop_at)
        return ERR_STORE;
    if (it.requests == 1)
        it.read_at_first = it.read;
    for (size_t i = 0; i < REQUEST_PAD; i++)
        it.behind += (unsigned char)request.ptr[request.len + i];
    if (request.len > it.longest)
        it.longest = request.len;
    if (request.len <= MOST) {
        buf_add_char(&it.taken, is_json ? 'J' : 'P');
        buf_add(&it.taken, request);
        buf_add_char(&it.taken, '|');
    }
    return OK;
}

static enum err
feed_bound(str stream, size_t step, size_t most)
{
    const struct feed_io io = {read_stream, take, NULL};

    it.stream = stream;
    it.step = step;
    it.read = it.requests = it.longest = it.read_at_first = 0;
    buf_reset(&it.taken);
    return feed_run(&io, most, &it.fault);
}

static enum err
feed(str stream, size_t step)
{
    return feed_bound(stream, step, MOST);
}

/* |stream| gives |wanted| and |err|, in pieces of whatever length. */
static void
expect(str stream, str wanted, enum err err)
{
    static const size_t steps[] = {1, 2, 3, 5, 64, NO_STEP};

    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        enum err got = feed(stream, steps[i]);
        if (got != err || !str_eq(buf_str(&it.taken), wanted))
            fail_msg("in steps of %zu: %d, %s", steps[i], got,
                     buf_cstr(&it.taken));
    }
}

static int
set_up(void **state)
{
    (void)state;
    it.fail_at = it.stop_at = NEVER;
    return 0;
}

static int
tear_down(void **state)
{
    (void)state;
    buf_fini(&it.taken);
    return 0;
}

static void
lines_are_requests_and_blank_ones_are_not(void **state)
{
    (void)state;
    expect(STR("{\"a\":1}\n{\"b\":2}\n"), STR("J{\"a\":1}|J{\"b\":2}|"), OK);
    expect(STR("{\"a\":1}\n\n \t\r\n{\"b\":2}"), STR("J{\"a\":1}|J{\"b\":2}|"),
           OK);
    expect(STR("\n\n  {\"a\":1}  \n{}\n"), STR("J{\"a\":1}  |J{}|"), OK);
    expect(STR("{\"a\":1}\r\n{\"b\":2}\r\n"), STR("J{\"a\":1}\r|J{\"b\":2}\r|"),
           OK);
    expect(STR(""), STR(""), OK);
    expect(STR(" \n\n\t\r\n"), STR(""), OK);
    expect(STR("\n"), STR(""), OK);
}

static void
a_broken_line_costs_no_other(void **state)
{
    (void)state;
    expect(STR("{\"a\":1}\n{\"b\n{\"c\":3}\n"),
           STR("J{\"a\":1}|J{\"b|J{\"c\":3}|"), OK);
    expect(STR("{\"a\":[{\"x\":1]}\n{\"c\":3}\n"),
           STR("J{\"a\":[{\"x\":1]}|J{\"c\":3}|"), OK);
    expect(STR("{\"a\":1}\n}}}\n{\"c\":3}\n"),
           STR("J{\"a\":1}|J}}}|J{\"c\":3}|"), OK);
    expect(STR("{\"a\":1}\n{\"c\":"), STR("J{\"a\":1}|J{\"c\":|"), OK);
    /* the first, cut within a string */
    expect(STR("{\"a\":[{\"b\n{\"c\":3}\n{\"d\":4}\n"),
           STR("J{\"a\":[{\"b|J{\"c\":3}|J{\"d\":4}|"), OK);
    expect(STR("{\"a\":\"}\\\"\n\n{\"c\":3}"),
           STR("J{\"a\":\"}\\\"|J{\"c\":3}|"), OK);
    expect(STR("{\"a"), STR("J{\"a|"), OK);
}

static void
objects_of_many_lines_end_with_their_braces(void **state)
{
    (void)state;
    expect(STR("{\n \"a\": {\"b\": 1}\n}\n{\n}\n"),
           STR("J{\n \"a\": {\"b\": 1}\n}|J{\n}|"), OK);
    expect(STR("{\"a\":{\"b\":1}\n,\"c\":2}"),
           STR("J{\"a\":{\"b\":1}\n,\"c\":2}|"), OK);
    expect(STR("{\"a\":\"}{\\\"}\\\\\"}{\"b\":[]}"),
           STR("J{\"a\":\"}{\\\"}\\\\\"}|J{\"b\":[]}|"), OK);
    expect(STR("{\"a\":1} {\"b\":2}\n\n"), STR("J{\"a\":1}|J{\"b\":2}|"), OK);
    /* What has no end is for the decoder to complain of. */
    expect(STR("{\"resourceSpans\":[\n"), STR("J{\"resourceSpans\":[\n|"), OK);
    expect(STR("{"), STR("J{|"), OK);
    expect(STR("{\n}\nx"), STR("J{\n}|"), ERR_INVALID);
    assert_int_equal(it.fault.at_bytes, 4);
    assert_string_equal(it.fault.what, "neither an object nor the end");
}

static void
an_array_has_a_request_in_each_place(void **state)
{
    (void)state;
    expect(STR("[{\"a\":1},\n {\"b\":2} , {}]\n"),
           STR("J{\"a\":1}|J{\"b\":2}|J{}|"), OK);
    expect(STR(" [ ] "), STR(""), OK);
    expect(STR("\n[{}]"), STR("J{}|"), OK);
    expect(STR("[{},]"), STR("J{}|"), ERR_INVALID);
    expect(STR("[{}{}]"), STR("J{}|"), ERR_INVALID);
    expect(STR("[{},7]"), STR("J{}|"), ERR_INVALID);
    expect(STR("[7]"), STR(""), ERR_INVALID);
    expect(STR("[{}"), STR("J{}|"), ERR_INVALID);
    expect(STR("[{}] {}"), STR("J{}|"), ERR_INVALID);
    expect(STR("[{},"), STR("J{}|"), ERR_INVALID);
}

/* A request of one ResourceSpans of |len| bytes, that has one Resource. */
static str
message(char *to, size_t len)
{
    memset(to, 'x', len + 2);
    to[0] = 0x0a;
    to[1] = (char)len;
    if (len >= 2) {
        to[2] = 0x0a;
        to[3] = (char)(len - 2);
    }
    return (str){to, len + 2};
}

static void
a_message_may_begin_as_text_does(void **state)
{
    char bytes[2 * 130];
    struct buf wanted = {0};

    (void)state;
    for (size_t len = 2; len <= 127; len++) {
        for (int twice = 0; twice < 2; twice++) {
            str one = message(bytes, len);
            str all = one;
            if (twice)
                all.len += message(bytes + one.len, len).len;
            buf_reset(&wanted);
            buf_printf(&wanted, "P");
            buf_add(&wanted, all);
            buf_add_char(&wanted, '|');
            expect(all, buf_str(&wanted), OK);
        }
    }
    buf_fini(&wanted);
}

static void
text_may_begin_as_a_message_does(void **state)
{
    char bytes[256];

    (void)state;
    expect(STR("\n{\n  \"a\": 1\n}\n"), STR("J{\n  \"a\": 1\n}|"), OK);
    expect(STR("\n\n\n{\"a\":1}\n{\"b\":1}\n"), STR("J{\"a\":1}|J{\"b\":1}|"),
           OK);
    expect(STR("\n          {\"a\":1}\n"), STR("J{\"a\":1}|"), OK);
    /* No newline is where the ResourceSpans of '{' bytes would end. */
    memset(bytes, ' ', sizeof(bytes));
    memcpy(bytes, "\n{\n", 3);
    bytes[199] = '}';
    assert_int_equal(feed((str){bytes, 200}, 1), OK);
    assert_int_equal(it.requests, 1);
    assert_int_equal(it.taken.ptr[0], 'J');
}

static str
frame(struct buf *to, size_t len)
{
    buf_reset(to);
    for (int shift = 24; shift >= 0; shift -= 8)
        buf_add_char(to, (char)(len >> shift & 0xff));
    for (size_t i = 0; i < len; i++)
        buf_add_char(to, i ? 'x' : '\n');
    return buf_str(to);
}

static void
frames_are_told_whatever_their_first_length(void **state)
{
    /* '{', '[' and newlines in each place of the length */
    static const size_t lens[] = {1,      0x0a,   0x20,   0x5b,   0x7b,  0xff,
                                  0x0a0a, 0x207b, 0x7b00, 0x7b7b, 0x5b0a};
    struct buf bytes = {0};

    (void)state;
    for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
        str one = frame(&bytes, lens[i]);
        assert_int_equal(feed_bound(one, 7, 0x8000), OK);
        assert_int_equal(it.requests, 1);
        assert_int_equal(it.longest, lens[i]);
    }
    buf_fini(&bytes);
}

static void
frames_may_be_empty_and_must_be_whole(void **state)
{
    (void)state;
    expect((str){"\0\0\0\2\n\0\0\0\0\0\0\0\0\2\n\0", 16},
           (str){"P\n\0|P|P\n\0|", 10}, OK);
    expect((str){"\0\0\0\0\0\0\0\2\n\0", 10}, (str){"P|P\n\0|", 6}, OK);
    expect((str){"\0\0\0\2\n\0\0\0\0\5\n", 11}, (str){"P\n\0|", 4},
           ERR_INVALID);
    assert_string_equal(it.fault.what, "cut off");
    expect((str){"\0\0\0\2\n\0\0\0\0", 9}, (str){"P\n\0|", 4}, ERR_INVALID);
    assert_string_equal(it.fault.what, "cut off in a length");
    assert_int_equal(it.fault.at_bytes, 6);
    /* What is none of all that is one message, for the decoder to refuse. */
    expect(STR("hello, world"), STR("Phello, world|"), OK);
}

/* A request of |len| bytes in each form, alone, and its form. */
static str
of_length(int form, size_t len, struct buf *to)
{
    buf_reset(to);
    switch (form) {
    case 0: /* a line */
    case 1: /* an object without one */
        buf_add_char(to, '{');
        while (to->len < len - 1)
            buf_add_char(to, form || to->len % 2 ? ' ' : ':');
        buf_add(to, form ? STR("}") : STR("}\n{}\n"));
        break;
    case 2:
        frame(to, len);
        break;
    default:
        buf_add(to, (str){"\x0a\xf0\x1f\x0a", 4});
        while (to->len < len)
            buf_add_char(to, 'x');
        break;
    }
    return buf_str(to);
}

static void
a_request_of_the_bound_is_taken_and_a_longer_one_is_not(void **state)
{
    static const size_t steps[] = {1, 1000, NO_STEP};
    struct buf bytes = {0};

    (void)state;
    for (int form = 0; form < 4; form++)
        for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
            assert_int_equal(feed(of_length(form, MOST, &bytes), steps[i]), OK);
            assert_int_equal(it.longest, MOST);
            assert_int_equal(it.requests, form ? 1 : 2);
            assert_int_equal(feed(of_length(form, MOST + 1, &bytes), steps[i]),
                             ERR_TOO_LARGE);
            assert_int_equal(it.requests, 0);
        }
    buf_fini(&bytes);
}

static void
a_request_is_handed_on_with_its_last_byte(void **state)
{
    (void)state;
    assert_int_equal(feed(STR("{\"a\":1}\n{\"b\":2}\n{\"c\":3}\n"), 1), OK);
    assert_int_equal(it.read_at_first, 8); /* the newline */
    assert_int_equal(feed(STR("{\"ab\n{\"b\":2}\n{\"c\":3}\n"), 1), OK);
    assert_int_equal(it.read_at_first, 5);
    assert_int_equal(feed(STR("[{\"a\":1},{\"b\":2}]"), 1), OK);
    assert_int_equal(it.read_at_first, 8); /* the brace */
    assert_int_equal(feed((str){"\0\0\0\1\n\0\0\0\1\n", 10}, 1), OK);
    assert_int_equal(it.read_at_first, 5);
}

static void
what_a_taker_or_a_reader_says_ends_it(void **state)
{
    (void)state;
    it.stop_at = 2;
    expect(STR("{\"a\":1}\n{\"b\":2}\n{\"c\":3}\n"), STR("J{\"a\":1}|"),
           ERR_STORE);
    it.stop_at = NEVER;
    it.fail_at = 10;
    assert_int_equal(feed(STR("{\"a\":1}\n{\"b\":2}\n"), 1), ERR_IO);
    assert_int_equal(it.requests, 1);
    it.fail_at = 0;
    assert_int_equal(feed(STR("{}"), 1), ERR_IO);
}

/* |plain| as one gzip member or zstd frame, behind |to|. */
static void
pack(struct buf *to, str plain, bool is_gzip)
{
    size_t room = compressBound(plain.len) + ZSTD_compressBound(plain.len) + 64;
    char *out = buf_grow(to, room);

    assert_non_null(out);
    if (is_gzip) {
        z_stream z = {.next_in = (Bytef *)(uintptr_t)plain.ptr,
                      .avail_in = (uInt)plain.len,
                      .next_out = (Bytef *)out,
                      .avail_out = (uInt)room};
        assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, 31, 9, 0), Z_OK);
        assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
        to->len += z.total_out;
        deflateEnd(&z);
    } else {
        size_t len = ZSTD_compress(out, room, plain.ptr, plain.len, 3);
        assert_false(ZSTD_isError(len));
        to->len += len;
    }
}

static void
compressed_streams_are_as_plain_ones(void **state)
{
    (void)state;
    for (int is_gzip = 0; is_gzip < 2; is_gzip++) {
        struct buf bytes = {0};
        pack(&bytes, STR("{\"a\":1}\n{\"b\""), is_gzip);
        size_t first = bytes.len;
        pack(&bytes, STR(":2}\n{\"c\":3}\n"), is_gzip); /* a member more */
        expect(buf_str(&bytes), STR("J{\"a\":1}|J{\"b\":2}|J{\"c\":3}|"), OK);
        expect(str_cut(buf_str(&bytes), 0, first), STR("J{\"a\":1}|J{\"b\"|"),
               OK);
        for (size_t len = 4; len < bytes.len; len++)
            if (len != first)
                assert_int_equal(feed(str_cut(buf_str(&bytes), 0, len), 3),
                                 ERR_INVALID);
        assert_string_equal(it.fault.what, "does not decompress");
        buf_add(&bytes, STR("more"));
        assert_int_equal(feed(buf_str(&bytes), 3), ERR_INVALID);
        buf_fini(&bytes);
    }
}

static void
zeros_behind_a_member_are_padding(void **state)
{
    struct buf bytes = {0};

    (void)state;
    pack(&bytes, STR("{\"a\":1}\n{\"b\":2}"), true);
    size_t whole = bytes.len;
    buf_add(&bytes, (str){"\0\0\0\0\0", 5});
    for (size_t len = whole; len <= bytes.len; len++)
        expect(str_cut(buf_str(&bytes), 0, len), STR("J{\"a\":1}|J{\"b\":2}|"),
               OK);
    pack(&bytes, STR("\n{\"c\":3}"), true);
    expect(buf_str(&bytes), STR("J{\"a\":1}|J{\"b\":2}|J{\"c\":3}|"), OK);
    buf_add(&bytes, STR("more"));
    expect(buf_str(&bytes), STR("J{\"a\":1}|J{\"b\":2}|J{\"c\":3}|"),
           ERR_INVALID);
    buf_reset(&bytes);
    pack(&bytes, STR("{\"a\":1}\n{\"b\":"), true);
    buf_add(&bytes, STR("more"));
    expect(buf_str(&bytes), STR("J{\"a\":1}|"), ERR_INVALID);
    buf_fini(&bytes);
}

static void
a_bomb_costs_its_ratio_and_many_requests_are_none(void **state)
{
    enum { LEN = 8 << 20, LINES = 1 << 20 };
    char *plain = malloc(LEN);
    struct buf bytes = {0};

    (void)state;
    assert_non_null(plain);
    memset(plain, ' ', LEN);
    plain[0] = '{';
    for (int is_gzip = 0; is_gzip < 2; is_gzip++) {
        buf_reset(&bytes);
        pack(&bytes, (str){plain, LEN}, is_gzip);
        assert_int_equal(feed_bound(buf_str(&bytes), NO_STEP, FEED_REQUEST_MAX),
                         ERR_TOO_LARGE);
        assert_int_equal(it.requests, 0);
    }
    for (size_t i = 0; i < LINES; i++)
        memcpy(plain + 8 * i, "{\"a\":1}\n", 8);
    buf_reset(&bytes);
    pack(&bytes, (str){plain, LEN}, false);
    assert_true(bytes.len * 1000 < LEN);
    assert_int_equal(feed_bound(buf_str(&bytes), NO_STEP, FEED_REQUEST_MAX),
                     OK);
    assert_int_equal(it.requests, LINES);
    free(plain);
    buf_fini(&bytes);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(lines_are_requests_and_blank_ones_are_not,
                               set_up),
        cmocka_unit_test_setup(a_broken_line_costs_no_other, set_up),
        cmocka_unit_test_setup(objects_of_many_lines_end_with_their_braces,
                               set_up),
        cmocka_unit_test_setup(an_array_has_a_request_in_each_place, set_up),
        cmocka_unit_test_setup(a_message_may_begin_as_text_does, set_up),
        cmocka_unit_test_setup(text_may_begin_as_a_message_does, set_up),
        cmocka_unit_test_setup(frames_are_told_whatever_their_first_length,
                               set_up),
        cmocka_unit_test_setup(frames_may_be_empty_and_must_be_whole, set_up),
        cmocka_unit_test_setup(
            a_request_of_the_bound_is_taken_and_a_longer_one_is_not, set_up),
        cmocka_unit_test_setup(a_request_is_handed_on_with_its_last_byte,
                               set_up),
        cmocka_unit_test_setup(what_a_taker_or_a_reader_says_ends_it, set_up),
        cmocka_unit_test_setup(compressed_streams_are_as_plain_ones, set_up),
        cmocka_unit_test_setup(zeros_behind_a_member_are_padding, set_up),
        cmocka_unit_test_setup(
            a_bomb_costs_its_ratio_and_many_requests_are_none, set_up),
    };

    return cmocka_run_group_tests(tests, NULL, tear_down);
}
