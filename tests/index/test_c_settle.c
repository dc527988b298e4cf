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

#include "index/c_macro.h"
#include "index/c_settle.h"
#include "index/facts.h"

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
    assert_int_equal(c_settle(buf_str(source), LANG_C, &out), OK);
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

static void
macros_in_front_of_a_type_are_blank(void **state)
{
    (void)state;

    assert_false(is_kept("LIB_API int f(void);\n", "LIB_API"));
    assert_false(is_kept("}\nLIB_API static inline T f();\n", "LIB_API"));
    assert_false(is_kept("LIB_API a::b<c, d> *f();\n", "LIB_API"));
    assert_false(is_kept("NO_WARNING\nOLD(\"so: f()\")\nT f();\n", "N"));
    assert_false(is_kept("NO_WARNING\nOLD(\"so: f()\")\nT f();\n", "OLD"));
    assert_false(is_kept("OPS(eq, ==)\n#undef OPS\n// b\nT f();\n", "(eq"));
    assert_true(is_kept("HANDLE f(void);\n", "HANDLE"));
    assert_true(is_kept("HANDLE WINAPI f(void);\n", "HANDLE"));
    assert_true(is_kept("HANDLE const h = 1;\n", "HANDLE"));
    assert_true(is_kept("BOOL is GUARDED_BY(m);\n", "BOOL"));
    assert_true(is_kept("BOOL is __attribute__((unused));\n", "BOOL"));
    assert_true(is_kept("CHECK(a)\n  return b;\n", "CHECK"));
    assert_true(is_kept("CHECK(a)\nb;\n", "CHECK"));
    assert_true(is_kept("x =\nLIB_API\nint;\n", "LIB_API"));
}

static void
macros_in_front_of_a_class_are_blank(void **state)
{
    (void)state;

    assert_false(is_kept("class LIB_API Foo {\n", "LIB_API"));
    assert_false(is_kept("class LIB_API Foo : public Bar {\n", "LIB_API"));
    assert_false(is_kept("struct AA(\"x\") BB Foo final {\n", "AA(\"x\") BB"));
    assert_true(is_kept("struct FOO foo = {1};\n", "FOO"));
    assert_true(is_kept("struct FOO {\n", "FOO"));
    assert_true(is_kept("struct FOO : BAR {\n", "FOO"));
    assert_true(is_kept("class LIB_API Foo::Bar x;\n", "LIB_API"));
    assert_true(is_kept("subclass LIB_API Foo {\n", "LIB_API"));
    assert_true(is_kept("class", "class"));
}

/* |macros| in front of a declaration, the first given |len| bytes. */
static bool
is_first_kept(uint32_t macros, uint32_t len)
{
    struct buf source = {0};

    buf_add(&source, STR("FIRST("));
    add_times(&source, "x", len - 2);
    buf_add(&source, STR(")\n"));
    add_times(&source, "MM ", macros - 1);
    buf_add(&source, STR("int f();\n"));
    bool is_left = is_left_with(&source, "FIRST");
    buf_fini(&source);
    return is_left;
}

static void
so_many_macros_and_arguments_are_looked_at(void **state)
{
    (void)state;

    assert_false(is_first_kept(C_MACRO_CHAIN_MAX, 3));
    assert_true(is_first_kept(C_MACRO_CHAIN_MAX + 1, 3));
    assert_false(is_first_kept(1, C_MACRO_ARGUMENTS_MAX));
    assert_true(is_first_kept(1, C_MACRO_ARGUMENTS_MAX + 1));
}

/* A comment behind a directive may go on for lines. */
static void
a_directive_ends_behind_its_comment(void **state)
{
    (void)state;

    assert_true(is_kept("{\n#if A\n f();\n#else /* !(A ||\n  B) */\n g();\n"
                        "#endif /* A ||\n  B */\n}\n",
                        "#else"));
    assert_true(is_kept("#if A /* (\n ( */\nint f();\n#endif\n", "#if"));
    assert_true(is_kept("#if A /* never closed\nint f();\n#endif", "#if"));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_in_front_counts_however_long_the_comment),
        cmocka_unit_test(what_is_within_counts_at_each_level),
        cmocka_unit_test(brackets_on_both_sides_of_a_conditional_are_pairs),
        cmocka_unit_test(macros_named_like_brackets_are_blank_alone_on_a_line),
        cmocka_unit_test(macros_in_front_of_a_type_are_blank),
        cmocka_unit_test(macros_in_front_of_a_class_are_blank),
        cmocka_unit_test(so_many_macros_and_arguments_are_looked_at),
        cmocka_unit_test(a_directive_ends_behind_its_comment),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
