#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "tests/support/feed_tape.h"

static void
lines_are_requests_and_blank_ones_are_not(void **state)
{
    (void)state;
    tape_expect(STR("{\"a\":1}\n{\"b\":2}\n"), STR("J{\"a\":1}|J{\"b\":2}|"),
                OK);
    tape_expect(STR("{\"a\":1}\n\n \t\r\n{\"b\":2}"),
                STR("J{\"a\":1}|J{\"b\":2}|"), OK);
    tape_expect(STR("\n\n  {\"a\":1}  \n{}\n"), STR("J{\"a\":1}  |J{}|"), OK);
    tape_expect(STR("{\"a\":1}\r\n{\"b\":2}\r\n"),
                STR("J{\"a\":1}\r|J{\"b\":2}\r|"), OK);
    tape_expect(STR(""), STR(""), OK);
    tape_expect(STR(" \n\n\t\r\n"), STR(""), OK);
    tape_expect(STR("\n"), STR(""), OK);
}

/* What Windows puts before a text is no part of it. */
static void
a_mark_of_the_encoding_is_passed(void **state)
{
    (void)state;
    tape_expect(STR("\xef\xbb\xbf{\"a\":1}\n{\"b\":2}\n"),
                STR("J{\"a\":1}|J{\"b\":2}|"), OK);
    tape_expect(STR("\xef\xbb\xbf[{\"a\":1}]"), STR("J{\"a\":1}|"), OK);
    tape_expect(STR("\xef\xbb\xbf"), STR(""), OK);
    tape_expect(STR("\xff\xfe{\0}\0"), STR(""), ERR_INVALID);
    tape_expect(STR("\xfe\xff\0{\0}"), STR(""), ERR_INVALID);
}

static void
a_broken_line_costs_no_other(void **state)
{
    (void)state;
    tape_expect(STR("{\"a\":1}\n{\"b\n{\"c\":3}\n"),
                STR("J{\"a\":1}|J{\"b|J{\"c\":3}|"), OK);
    tape_expect(STR("{\"a\":[{\"x\":1]}\n{\"c\":3}\n"),
                STR("J{\"a\":[{\"x\":1]}|J{\"c\":3}|"), OK);
    tape_expect(STR("{\"a\":1}\n}}}\n{\"c\":3}\n"),
                STR("J{\"a\":1}|J}}}|J{\"c\":3}|"), OK);
    tape_expect(STR("{\"a\":1}\n{\"c\":"), STR("J{\"a\":1}|J{\"c\":|"), OK);
    assert_true(tape.is_at_end);
    tape_expect(STR("{\"a\":1}\n{\"c\":\n"), STR("J{\"a\":1}|J{\"c\":|"), OK);
    assert_false(tape.is_at_end);
    /* the first, cut within a string */
    tape_expect(STR("{\"a\":[{\"b\n{\"c\":3}\n{\"d\":4}\n"),
                STR("J{\"a\":[{\"b|J{\"c\":3}|J{\"d\":4}|"), OK);
    tape_expect(STR("{\"a\":\"}\\\"\n\n{\"c\":3}"),
                STR("J{\"a\":\"}\\\"|J{\"c\":3}|"), OK);
    tape_expect(STR("{\"a"), STR("J{\"a|"), OK);
}

static void
objects_of_many_lines_end_with_their_braces(void **state)
{
    (void)state;
    tape_expect(STR("{\n \"a\": {\"b\": 1}\n}\n{\n}\n"),
                STR("J{\n \"a\": {\"b\": 1}\n}|J{\n}|"), OK);
    tape_expect(STR("{\"a\":{\"b\":1}\n,\"c\":2}"),
                STR("J{\"a\":{\"b\":1}\n,\"c\":2}|"), OK);
    tape_expect(STR("{\"a\":\"}{\\\"}\\\\\"}{\"b\":[]}"),
                STR("J{\"a\":\"}{\\\"}\\\\\"}|J{\"b\":[]}|"), OK);
    tape_expect(STR("{\"a\":1} {\"b\":2}\n\n"), STR("J{\"a\":1}|J{\"b\":2}|"),
                OK);
    /* What has no end is for the decoder to complain of. */
    tape_expect(STR("{\"resourceSpans\":[\n"), STR("J{\"resourceSpans\":[\n|"),
                OK);
    tape_expect(STR("{"), STR("J{|"), OK);
    tape_expect(STR("{\n}\nx"), STR("J{\n}|"), ERR_INVALID);
    assert_int_equal(tape.fault.at_bytes, 4);
    assert_string_equal(tape.fault.what, "neither an object nor the end");
}

static void
an_array_has_a_request_in_each_place(void **state)
{
    (void)state;
    tape_expect(STR("[{\"a\":1},\n {\"b\":2} , {}]\n"),
                STR("J{\"a\":1}|J{\"b\":2}|J{}|"), OK);
    tape_expect(STR(" [ ] "), STR(""), OK);
    tape_expect(STR("\n[{}]"), STR("J{}|"), OK);
    tape_expect(STR("[{},]"), STR("J{}|"), ERR_INVALID);
    tape_expect(STR("[{}{}]"), STR("J{}|"), ERR_INVALID);
    tape_expect(STR("[{},7]"), STR("J{}|"), ERR_INVALID);
    tape_expect(STR("[7]"), STR(""), ERR_INVALID);
    tape_expect(STR("[{}"), STR("J{}|"), ERR_INVALID);
    tape_expect(STR("[{}] {}"), STR("J{}|"), ERR_INVALID);
    tape_expect(STR("[{},"), STR("J{}|"), ERR_INVALID);
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
            tape_expect(all, buf_str(&wanted), OK);
        }
    }
    buf_fini(&wanted);
}

static void
text_may_begin_as_a_message_does(void **state)
{
    char bytes[256];

    (void)state;
    tape_expect(STR("\n{\n  \"a\": 1\n}\n"), STR("J{\n  \"a\": 1\n}|"), OK);
    tape_expect(STR("\n\n\n{\"a\":1}\n{\"b\":1}\n"),
                STR("J{\"a\":1}|J{\"b\":1}|"), OK);
    tape_expect(STR("\n          {\"a\":1}\n"), STR("J{\"a\":1}|"), OK);
    /* No newline is where the ResourceSpans of '{' bytes would end. */
    memset(bytes, ' ', sizeof(bytes));
    memcpy(bytes, "\n{\n", 3);
    bytes[199] = '}';
    assert_int_equal(tape_feed((str){bytes, 200}, 1), OK);
    assert_int_equal(tape.requests, 1);
    assert_int_equal(tape.taken.ptr[0], 'J');
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
        tape_frame(to, len);
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
    static const size_t steps[] = {1, 1000, TAPE_NO_STEP};
    struct buf bytes = {0};

    (void)state;
    for (int form = 0; form < 4; form++)
        for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
            assert_int_equal(
                tape_feed(of_length(form, TAPE_MOST, &bytes), steps[i]), OK);
            assert_int_equal(tape.longest, TAPE_MOST);
            assert_int_equal(tape.requests, form ? 1 : 2);
            assert_int_equal(
                tape_feed(of_length(form, TAPE_MOST + 1, &bytes), steps[i]),
                ERR_TOO_LARGE);
            assert_int_equal(tape.requests, 0);
        }
    buf_fini(&bytes);
}

static void
a_request_is_handed_on_with_its_last_byte(void **state)
{
    (void)state;
    assert_int_equal(tape_feed(STR("{\"a\":1}\n{\"b\":2}\n{\"c\":3}\n"), 1),
                     OK);
    assert_int_equal(tape.read_at_first, 8); /* the newline */
    assert_int_equal(tape_feed(STR("{\"ab\n{\"b\":2}\n{\"c\":3}\n"), 1), OK);
    assert_int_equal(tape.read_at_first, 5);
    assert_int_equal(tape_feed(STR("[{\"a\":1},{\"b\":2}]"), 1), OK);
    assert_int_equal(tape.read_at_first, 8); /* the brace */
    assert_int_equal(tape_feed((str){"\0\0\0\1\n\0\0\0\1\n", 10}, 1), OK);
    assert_int_equal(tape.read_at_first, 5);
}

static void
what_a_taker_or_a_reader_says_ends_it(void **state)
{
    (void)state;
    tape.stop_at = 2;
    tape_expect(STR("{\"a\":1}\n{\"b\":2}\n{\"c\":3}\n"), STR("J{\"a\":1}|"),
                ERR_STORE);
    tape.stop_at = TAPE_NEVER;
    tape.fail_at = 10;
    assert_int_equal(tape_feed(STR("{\"a\":1}\n{\"b\":2}\n"), 1), ERR_IO);
    assert_int_equal(tape.requests, 1);
    tape.fail_at = 0;
    assert_int_equal(tape_feed(STR("{}"), 1), ERR_IO);
}

static void
compressed_streams_are_as_plain_ones(void **state)
{
    (void)state;
    for (int is_gzip = 0; is_gzip < 2; is_gzip++) {
        struct buf bytes = {0};
        tape_pack(&bytes, STR("{\"a\":1}\n{\"b\""), is_gzip);
        size_t first = bytes.len;
        tape_pack(&bytes, STR(":2}\n{\"c\":3}\n"), is_gzip); /* a member more */
        tape_expect(buf_str(&bytes), STR("J{\"a\":1}|J{\"b\":2}|J{\"c\":3}|"),
                    OK);
        tape_expect(str_cut(buf_str(&bytes), 0, first),
                    STR("J{\"a\":1}|J{\"b\"|"), OK);
        for (size_t len = 4; len < bytes.len; len++)
            if (len != first)
                assert_int_equal(tape_feed(str_cut(buf_str(&bytes), 0, len), 3),
                                 ERR_INVALID);
        assert_string_equal(tape.fault.what, TAPE_CUT_OFF);
        buf_add(&bytes, STR("more"));
        assert_int_equal(tape_feed(buf_str(&bytes), 3), ERR_INVALID);
        assert_string_equal(tape.fault.what, "does not decompress");
        buf_fini(&bytes);
    }
}

static void
zeros_behind_a_member_are_padding(void **state)
{
    struct buf bytes = {0};

    (void)state;
    tape_pack(&bytes, STR("{\"a\":1}\n{\"b\":2}"), true);
    size_t whole = bytes.len;
    buf_add(&bytes, (str){"\0\0\0\0\0", 5});
    for (size_t len = whole; len <= bytes.len; len++)
        tape_expect(str_cut(buf_str(&bytes), 0, len),
                    STR("J{\"a\":1}|J{\"b\":2}|"), OK);
    tape_pack(&bytes, STR("\n{\"c\":3}"), true);
    tape_expect(buf_str(&bytes), STR("J{\"a\":1}|J{\"b\":2}|J{\"c\":3}|"), OK);
    buf_add(&bytes, STR("more"));
    tape_expect(buf_str(&bytes), STR("J{\"a\":1}|J{\"b\":2}|J{\"c\":3}|"),
                ERR_INVALID);
    buf_reset(&bytes);
    tape_pack(&bytes, STR("{\"a\":1}\n{\"b\":"), true);
    buf_add(&bytes, STR("more"));
    tape_expect(buf_str(&bytes), STR("J{\"a\":1}|"), ERR_INVALID);
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
        tape_pack(&bytes, (str){plain, LEN}, is_gzip);
        assert_int_equal(
            tape_feed_bound(buf_str(&bytes), TAPE_NO_STEP, FEED_REQUEST_MAX),
            ERR_TOO_LARGE);
        assert_int_equal(tape.requests, 0);
    }
    for (size_t i = 0; i < LINES; i++)
        memcpy(plain + 8 * i, "{\"a\":1}\n", 8);
    buf_reset(&bytes);
    tape_pack(&bytes, (str){plain, LEN}, false);
    assert_true(bytes.len * 1000 < LEN);
    assert_int_equal(
        tape_feed_bound(buf_str(&bytes), TAPE_NO_STEP, FEED_REQUEST_MAX), OK);
    assert_int_equal(tape.requests, LINES);
    free(plain);
    buf_fini(&bytes);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(lines_are_requests_and_blank_ones_are_not,
                               tape_set_up),
        cmocka_unit_test_setup(a_mark_of_the_encoding_is_passed, tape_set_up),
        cmocka_unit_test_setup(a_broken_line_costs_no_other, tape_set_up),
        cmocka_unit_test_setup(objects_of_many_lines_end_with_their_braces,
                               tape_set_up),
        cmocka_unit_test_setup(an_array_has_a_request_in_each_place,
                               tape_set_up),
        cmocka_unit_test_setup(a_message_may_begin_as_text_does, tape_set_up),
        cmocka_unit_test_setup(text_may_begin_as_a_message_does, tape_set_up),
        cmocka_unit_test_setup(
            a_request_of_the_bound_is_taken_and_a_longer_one_is_not,
            tape_set_up),
        cmocka_unit_test_setup(a_request_is_handed_on_with_its_last_byte,
                               tape_set_up),
        cmocka_unit_test_setup(what_a_taker_or_a_reader_says_ends_it,
                               tape_set_up),
        cmocka_unit_test_setup(compressed_streams_are_as_plain_ones,
                               tape_set_up),
        cmocka_unit_test_setup(zeros_behind_a_member_are_padding, tape_set_up),
        cmocka_unit_test_setup(
            a_bomb_costs_its_ratio_and_many_requests_are_none, tape_set_up),
    };

    return cmocka_run_group_tests(tests, NULL, tape_tear_down);
}
