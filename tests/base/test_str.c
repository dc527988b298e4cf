/* Views in order, and bytes written in hexadecimal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"

static int
sign(int value)
{
    return (value > 0) - (value < 0);
}

static void
order_is_by_bytes_and_then_by_length(void **state)
{
    static const str sorted[] = {STR_INIT(""),    STR_INIT("A"),  STR_INIT("a"),
                                 STR_INIT("a/"),  STR_INIT("ab"), STR_INIT("b"),
                                 STR_INIT("\xff")};
    const int len = (int)(sizeof(sorted) / sizeof(sorted[0]));

    (void)state;
    for (int i = 0; i < len; i++)
        for (int j = 0; j < len; j++)
            assert_int_equal(sign(str_order(sorted[i], sorted[j])),
                             sign(i - j));
    assert_int_equal(str_order((str){NULL, 0}, STR("")), 0);
    assert_true(str_order((str){NULL, 0}, STR("a")) < 0);
}

static void
a_hexadecimal_digit_is_one_of_22_characters(void **state)
{
    static const char digits[] = "0123456789abcdefABCDEF";
    int found = 0;

    (void)state;
    for (int c = -128; c < 128; c++) {
        const char *at = c ? strchr(digits, (char)c) : NULL;
        int value = at ? (int)(at - digits) : -1;

        found += at != NULL;
        assert_int_equal(str_hex_digit((char)c),
                         value > 15 ? value - 6 : value);
    }
    assert_int_equal(found, 22);
}

static void
only_digits_of_the_right_number_are_read(void **state)
{
    unsigned char out[2] = {0};

    (void)state;
    assert_true(str_read_hex(STR("0aFf"), out, 2));
    assert_int_equal(out[0], 0x0a);
    assert_int_equal(out[1], 0xff);
    assert_true(str_read_hex(STR(""), out, 0));
    assert_false(str_read_hex(STR("0aF"), out, 2));
    assert_false(str_read_hex(STR("0aFf0"), out, 2));
    assert_false(str_read_hex(STR("0agf"), out, 2));
    assert_false(str_read_hex(STR("0a f"), out, 2));
    assert_false(str_read_hex(STR("0aF\xe6"), out, 2));
}

static void
what_is_stripped_is_at_the_ends(void **state)
{
    (void)state;
    assert_true(str_eq(str_strip(STR("//a/b/"), '/'), STR("a/b")));
    assert_true(str_eq(str_strip(STR(" a"), '/'), STR(" a")));
    assert_true(str_eq(str_strip(STR("///"), '/'), STR("")));
    assert_true(str_eq(str_strip(STR(""), '/'), STR("")));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_is_by_bytes_and_then_by_length),
        cmocka_unit_test(a_hexadecimal_digit_is_one_of_22_characters),
        cmocka_unit_test(only_digits_of_the_right_number_are_read),
        cmocka_unit_test(what_is_stripped_is_at_the_ends),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
