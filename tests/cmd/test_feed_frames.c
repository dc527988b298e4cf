#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "net/inflate.h"
#include "tests/support/feed_tape.h"

/* A frame of |content| behind |to|. */
static void
add_frame(struct buf *to, str content)
{
    for (int shift = 24; shift >= 0; shift -= 8)
        buf_add_char(to, (char)(content.len >> shift & 0xff));
    buf_add(to, content);
}

/* A frame of |plain|, compressed, behind |to|. */
static void
add_packed(struct buf *to, str plain)
{
    struct buf packed = {0};

    tape_pack(&packed, plain, false);
    add_frame(to, buf_str(&packed));
    buf_fini(&packed);
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
        str one = tape_frame(&bytes, lens[i]);
        assert_int_equal(tape_feed_bound(one, 7, 0x8000), OK);
        assert_int_equal(tape.requests, 1);
        assert_int_equal(tape.longest, lens[i]);
    }
    buf_fini(&bytes);
}

static void
frames_may_be_empty_and_must_be_whole(void **state)
{
    (void)state;
    tape_expect((str){"\0\0\0\2\n\0\0\0\0\0\0\0\0\2\n\0", 16},
                (str){"P\n\0|P|P\n\0|", 10}, OK);
    tape_expect((str){"\0\0\0\0\0\0\0\2\n\0", 10}, (str){"P|P\n\0|", 6}, OK);
    tape_expect((str){"\0\0\0\2\n\0\0\0\0\5\n", 11}, (str){"P\n\0|", 4},
                ERR_INVALID);
    assert_string_equal(tape.fault.what, TAPE_CUT_OFF);
    assert_int_equal(tape.fault.at_bytes, 10);
    tape_expect((str){"\0\0\0\2\n\0\0\0\0", 9}, (str){"P\n\0|", 4},
                ERR_INVALID);
    assert_string_equal(tape.fault.what, TAPE_CUT_OFF);
    assert_int_equal(tape.fault.at_bytes, 6);
    /* What is none of all that is one message, for the decoder to refuse. */
    tape_expect(STR("hello, world"), STR("Phello, world|"), OK);
}

static void
frames_may_be_compressed_or_json_each_by_itself(void **state)
{
    struct buf bytes = {0};

    (void)state;
    add_packed(&bytes, STR("{\"a\":1}"));
    size_t second = bytes.len + 4;
    add_packed(&bytes, STR("\n\1x"));
    tape_expect(buf_str(&bytes), STR("J{\"a\":1}|P\n\1x|"), OK);
    assert_int_equal(tape.at_last, second);
    add_frame(&bytes, STR("{\"b\":2}"));
    add_frame(&bytes, STR("\n\1y"));
    add_frame(&bytes, STR(""));
    add_packed(&bytes, STR(""));
    tape_expect(buf_str(&bytes),
                STR("J{\"a\":1}|P\n\1x|J{\"b\":2}|P\n\1y|P|P|"), OK);
    buf_reset(&bytes);
    add_frame(&bytes, STR("{\"b\":2}"));
    add_packed(&bytes, STR("{\"a\":1}"));
    tape_expect(buf_str(&bytes), STR("J{\"b\":2}|J{\"a\":1}|"), OK);
    /* around them all */
    struct buf packed = {0};
    tape_pack(&packed, buf_str(&bytes), false);
    tape_expect(buf_str(&packed), STR("J{\"b\":2}|J{\"a\":1}|"), OK);
    buf_fini(&packed);
    buf_fini(&bytes);
}

/* Nothing is taken of a frame whose last byte is not there. */
static void
frames_before_a_cut_are_taken(void **state)
{
    struct buf bytes = {0};

    (void)state;
    add_packed(&bytes, STR("{\"a\":1}"));
    size_t first = bytes.len;
    add_packed(&bytes, STR("{\"b\":2}"));
    for (size_t len = first + 1; len < bytes.len; len++) {
        tape_expect(str_cut(buf_str(&bytes), 0, len), STR("J{\"a\":1}|"),
                    ERR_INVALID);
        assert_string_equal(tape.fault.what, TAPE_CUT_OFF);
        assert_int_equal(tape.fault.at_bytes,
                         len < first + 4 ? first : first + 4);
    }
    for (size_t len = 8; len < first; len++)
        tape_expect(str_cut(buf_str(&bytes), 0, len), STR(""), ERR_INVALID);
    buf_fini(&bytes);
}

static void
a_frame_that_does_not_decompress_costs_no_other(void **state)
{
    struct buf bytes = {0};

    (void)state;
    add_frame(&bytes, STR("\x28\xb5\x2f\xfdnothing"));
    add_packed(&bytes, STR("{\"a\":1}"));
    tape_expect(buf_str(&bytes), STR("J{\"a\":1}|"), OK);
    assert_int_equal(tape.skipped, 1);
    assert_string_equal(tape.skipped_why, "does not decompress");
    buf_reset(&bytes);
    add_packed(&bytes, STR("{\"a\":1}"));
    size_t second = bytes.len + 4;
    struct buf packed = {0};
    tape_pack(&packed, STR("{\"b\":2}"), false);
    add_frame(&bytes, str_cut(buf_str(&packed), 0, packed.len - 1));
    tape_expect(buf_str(&bytes), STR("J{\"a\":1}|"), OK);
    assert_int_equal(tape.skipped, 1);
    assert_int_equal(tape.at_last, second);
    buf_fini(&packed);
    buf_fini(&bytes);
}

/* A frame is bounded by what a request may be, and by the ratio, as at the
 * door. */
static void
a_compressed_frame_is_bounded(void **state)
{
    enum { LEN = 8 << 20 };
    char *plain = malloc(LEN);
    struct buf bytes = {0};

    (void)state;
    assert_non_null(plain);
    memset(plain, ' ', LEN);
    plain[0] = '{';
    for (size_t over = 0; over < 2; over++) {
        buf_reset(&bytes);
        add_packed(&bytes, (str){plain, TAPE_MOST + over});
        add_packed(&bytes, STR("{\"a\":1}"));
        assert_int_equal(tape_feed(buf_str(&bytes), 7), OK);
        assert_int_equal(tape.requests, 2 - over);
        assert_int_equal(tape.skipped, over);
        assert_int_equal(tape.longest, over ? 7 : TAPE_MOST);
    }
    buf_reset(&bytes);
    add_packed(&bytes, (str){plain, LEN});
    assert_true(inflate_bound(bytes.len) < LEN);
    add_packed(&bytes, STR("{\"a\":1}"));
    assert_int_equal(
        tape_feed_bound(buf_str(&bytes), TAPE_NO_STEP, FEED_REQUEST_MAX), OK);
    assert_int_equal(tape.skipped, 1);
    assert_string_equal(tape.skipped_why, "decompresses to more than is taken");
    assert_string_equal(buf_cstr(&tape.taken), "J{\"a\":1}|");
    free(plain);
    buf_fini(&bytes);
}

/* A frame of zstd with one block that is not compressed, which needs a window
 * of 2^|log| bytes, as its second byte behind the magic says. */
static void
add_wide(struct buf *to, int log, str plain)
{
    struct buf packed = {0};

    buf_add(&packed, STR("\x28\xb5\x2f\xfd"));
    buf_add_char(&packed, 0);
    buf_add_char(&packed, (char)((log - 10) << 3));
    buf_add_char(&packed, (char)(plain.len << 3 | 1));
    buf_add(&packed, STR("\0\0"));
    buf_add(&packed, plain);
    add_frame(to, buf_str(&packed));
    buf_fini(&packed);
}

/* As around the whole file: what zstd --long makes is taken. */
static void
the_window_of_a_compressed_frame_is_128_mib_at_most(void **state)
{
    struct buf bytes = {0};

    (void)state;
    add_wide(&bytes, 27, STR("{\"a\":1}"));
    add_wide(&bytes, 28, STR("{\"b\":1}"));
    add_packed(&bytes, STR("{\"c\":1}"));
    tape_expect(buf_str(&bytes), STR("J{\"a\":1}|J{\"c\":1}|"), OK);
    assert_int_equal(tape.skipped, 1);
    assert_string_equal(tape.skipped_why, "does not decompress");
    buf_fini(&bytes);
}

static void
what_the_taker_of_a_compressed_frame_says_ends_it(void **state)
{
    struct buf bytes = {0};

    (void)state;
    for (int i = 0; i < 3; i++)
        add_packed(&bytes, STR("{\"a\":1}"));
    tape.stop_at = 2;
    tape_expect(buf_str(&bytes), STR("J{\"a\":1}|"), ERR_STORE);
    buf_fini(&bytes);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(frames_are_told_whatever_their_first_length,
                               tape_set_up),
        cmocka_unit_test_setup(frames_may_be_empty_and_must_be_whole,
                               tape_set_up),
        cmocka_unit_test_setup(frames_may_be_compressed_or_json_each_by_itself,
                               tape_set_up),
        cmocka_unit_test_setup(frames_before_a_cut_are_taken, tape_set_up),
        cmocka_unit_test_setup(a_frame_that_does_not_decompress_costs_no_other,
                               tape_set_up),
        cmocka_unit_test_setup(a_compressed_frame_is_bounded, tape_set_up),
        cmocka_unit_test_setup(
            the_window_of_a_compressed_frame_is_128_mib_at_most, tape_set_up),
        cmocka_unit_test_setup(
            what_the_taker_of_a_compressed_frame_says_ends_it, tape_set_up),
    };

    return cmocka_run_group_tests(tests, NULL, tape_tear_down);
}
