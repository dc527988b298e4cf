#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cmd/header_lines.h"

static void
a_line_is_cut(void **state)
{
    static const char *const bad[] = {
        "",           "X-A",       ": b",    "X A: b",
        " X-A: b",    "X-A : b",   "X\n: b", "X-A: b\r\nX-B: c",
        "X-A: b\x7f", "X-A: \x01", "(X): b",
    };
    struct header header;

    (void)state;
    assert_true(header_lines_cut("X-A:  b c:d \t", &header));
    assert_true(str_eq(header.name, STR("X-A")));
    assert_true(str_eq(header.value, STR("b c:d")));
    assert_true(header_lines_cut("X-A:", &header));
    assert_int_equal(header.value.len, 0);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_false(header_lines_cut(bad[i], &header));
}

static enum err
check(enum err (*how)(const struct config_list *, const char *, struct buf *),
      const char *second, struct buf *why)
{
    const char *items[] = {"X-A: b", second};
    const struct config_list list = {items, 2};

    buf_reset(why);
    return how(&list, "some.key", why);
}

static void
what_is_wrong_is_told_without_it(void **state)
{
    struct buf why = {0};

    (void)state;
    assert_int_equal(check(header_lines_check, "X-B: c", &why), OK);
    assert_int_equal(check(header_lines_check, "Content-Type: c", &why), OK);
    assert_int_equal(check(header_lines_check, "secret", &why), ERR_INVALID);
    assert_string_equal(buf_cstr(&why),
                        "some.key: number 2 is not \"Name: value\"");
    assert_int_equal(check(header_lines_check_answer, "secret", &why),
                     ERR_INVALID);
    assert_null(strstr(buf_cstr(&why), "secret"));
    buf_fini(&why);
}

static void
an_answer_says_some_by_itself(void **state)
{
    static const char *const ours[] = {
        "content-length: 1", "Transfer-Encoding: chunked", "Connection: close",
        "Access-Control-Allow-Origin: *", "date: now"};
    struct buf why = {0};

    (void)state;
    for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
        assert_int_equal(check(header_lines_check_answer, ours[i], &why),
                         ERR_INVALID);
    assert_int_equal(
        check(header_lines_check_answer, "Strict-Transport-Security: a", &why),
        OK);
    assert_int_equal(check(header_lines_check_answer, "Content: a", &why), OK);
    buf_fini(&why);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_is_cut),
        cmocka_unit_test(what_is_wrong_is_told_without_it),
        cmocka_unit_test(an_answer_says_some_by_itself),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
