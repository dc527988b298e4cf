/*
 * c_settle: which conditionals are settled, at and past what it has room for.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
/* after what it needs */
#include <cmocka.h>

#include "index/c_settle.h"

static void
add_times(struct buf *out, const char *line, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        buf_add(out, str_of(line));
}

static bool
is_left_with(const struct buf *source, const char *word)
{
    struct buf out = {0};

    assert_false(source->failed);
    assert_int_equal(c_settle(buf_str(source), &out), OK);
    assert_int_equal(out.len, source->len);
    bool is_left = memmem(out.ptr, out.len, word, strlen(word)) != NULL;
    buf_fini(&out);
    return is_left;
}

/* Whether a conditional is settled that has a comment of |len| in front. */
static bool
is_settled_behind(const char *before, uint32_t len)
{
    struct buf source = {0};

    buf_add(&source, str_of(before));
    buf_add(&source, STR("/*"));
    add_times(&source, "-", len);
    buf_add(&source, STR("*/\n#if A\n one();\n#else\n two();\n#endif\n"));
    assert_true(is_left_with(&source, "one"));
    bool is_settled = !is_left_with(&source, "two");
    buf_fini(&source);
    return is_settled;
}

static void
what_is_in_front_counts_however_long_the_comment(void **state)
{
    (void)state;
    static const uint32_t lens[] = {1, 4090, 4096, 5000, 100000};

    for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
        assert_true(is_settled_behind("int x = 1 +\n", lens[i]));
        assert_false(is_settled_behind("int x = 1;\n", lens[i]));
    }
}

/* Half a block in so many conditionals of which each is all of the next. */
static bool
is_settled_within(uint32_t depth)
{
    struct buf source = {0};

    add_times(&source, "#if A\n", depth);
    buf_add(&source, STR("if (one) {\n#else\nif (two) {\n"));
    add_times(&source, "#endif\n", depth);
    assert_true(is_left_with(&source, "one"));
    bool is_settled =
        !is_left_with(&source, "two") && !is_left_with(&source, "#");
    buf_fini(&source);
    return is_settled;
}

static void
what_is_within_counts_at_each_level(void **state)
{
    (void)state;

    assert_true(is_settled_within(1));
    assert_true(is_settled_within(2));
    assert_true(is_settled_within(64));
    assert_false(is_settled_within(65));
}

static void
brackets_on_both_sides_of_a_conditional_are_pairs(void **state)
{
    (void)state;
    struct buf whole = {0};
    struct buf half = {0};

    buf_add(&whole, STR("#if A\nvoid f(void) {\n#if B\nb();\n#endif\n}\n"
                        "#else\nint two;\n#endif\n"));
    assert_true(is_left_with(&whole, "two"));
    assert_true(is_left_with(&whole, "#if B"));
    buf_add(&half, STR("#if A\nvoid f(void) {\n#if B\nb(); }\n#endif\n}\n"
                       "#else\nint two;\n#endif\n"));
    assert_false(is_left_with(&half, "two"));
    buf_fini(&whole);
    buf_fini(&half);
}

static bool
is_kept(const char *text, const char *word)
{
    struct buf source = {0};

    buf_add(&source, str_of(text));
    bool is_left = is_left_with(&source, word);
    buf_fini(&source);
    return is_left;
}

static void
macros_named_like_brackets_are_blank_alone_on_a_line(void **state)
{
    (void)state;

    assert_false(is_kept("namespace a {\nNS_BEGIN // b\nclass C;\n", "BEGIN"));
    assert_false(is_kept("};\n  NS_END\n}\n", "END"));
    assert_false(is_kept("__BEGIN_DECLS\nint f();\n", "BEGIN"));
    assert_true(is_kept("int x =\nNS_BEGIN\n;\n", "BEGIN"));
    assert_true(is_kept("BEGIN(x)\nBEGIN;\n", "BEGIN(x)\nBEGIN"));
    assert_true(is_kept("VOID\nf();\nAPPEND\ng();\n", "APPEND"));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_in_front_counts_however_long_the_comment),
        cmocka_unit_test(what_is_within_counts_at_each_level),
        cmocka_unit_test(brackets_on_both_sides_of_a_conditional_are_pairs),
        cmocka_unit_test(macros_named_like_brackets_are_blank_alone_on_a_line),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
