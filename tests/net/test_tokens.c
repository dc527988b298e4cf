/* Who is let in by what the header says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "net/tokens.h"

static const char *const two[] = {"first", "a:b c"};

static struct tokens *
begin(void)
{
    struct tokens *tokens = tokens_new();

    assert_non_null(tokens);
    assert_int_equal(tokens_set(tokens, two, 2), OK);
    return tokens;
}

static void
a_token_lets_in_and_nothing_else_does(void **state)
{
    struct tokens *tokens = begin();

    (void)state;
    assert_true(tokens_allow(tokens, STR("Bearer first")));
    assert_true(tokens_allow(tokens, STR("bearer   a:b c ")));
    assert_false(tokens_allow(tokens, STR("Bearer firs")));
    assert_false(tokens_allow(tokens, STR("Bearer ")));
    assert_false(tokens_allow(tokens, STR("first")));
    assert_false(tokens_allow(tokens, STR("")));
    tokens_free(tokens);
}

static void
a_token_is_the_password_of_any_name(void **state)
{
    struct tokens *tokens = begin();

    (void)state;
    /* collector:first, :first, x:a:b c */
    assert_true(tokens_allow(tokens, STR("Basic Y29sbGVjdG9yOmZpcnN0")));
    assert_true(tokens_allow(tokens, STR("basic OmZpcnN0")));
    assert_true(tokens_allow(tokens, STR("BASIC  eDphOmIgYw== ")));
    tokens_free(tokens);
}

static void
what_is_no_password_does_not_let_in(void **state)
{
    static const char *const wrong[] = {
        "Basic Zmlyc3Q=",     /* first */
        "Basic Zmlyc3Q6",     /* first: */
        "Basic eDpmaXJz",     /* x:firs */
        "Basic eDpmaXJzdAA=", /* x:first and a zero */
        "Basic eDpmaXJzdA",   /* x:first, not padded */
        "Basic first",        /* not base64 */
        "Basic ====",         "Basic ", "Basic", "Bearer Y29sbGVjdG9yOmZpcnN0",
    };
    struct tokens *tokens = begin();
    char large[8192] = "Basic ";

    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        if (tokens_allow(tokens, str_of(wrong[i])))
            fail_msg("%s", wrong[i]);
    }
    memset(large + 6, 'A', sizeof(large) - 6);
    assert_false(tokens_allow(tokens, (str){large, sizeof(large)}));
    tokens_free(tokens);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_token_lets_in_and_nothing_else_does),
        cmocka_unit_test(a_token_is_the_password_of_any_name),
        cmocka_unit_test(what_is_no_password_does_not_let_in),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
