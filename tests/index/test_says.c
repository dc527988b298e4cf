#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "index/says.h"

static void
words_to_a_person_are_a_message(void **state)
{
    (void)state;
    assert_true(says_is_message(STR("cannot open %s")));
    assert_true(says_is_message(STR("nicht gefunden")));
    assert_false(says_is_message(STR("open")));
    assert_false(says_is_message(STR("a b c d e")));
    assert_false(says_is_message(STR("application/json")));
    assert_false(says_is_message(STR("is it"))); /* too short */
    assert_false(says_is_message(STR("")));
}

static void
what_nobody_writes_for_anything_else_is_a_key(void **state)
{
    static const char *const keys[] = {"DATABASE_URL", "ECONNRESET",
                                       "E1001",        "--no-cache",
                                       "X-Request-Id", "PT2024"};
    static const char *const others[] = {
        "GET", "name",  "user_id", "Name", "post", "--",
        "a-b", "Title", "",        "x y",  "1234", "AKIAIOSFODNN7EXAMPLE"};

    (void)state;
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        if (!says_is_key(str_of(keys[i])))
            fail_msg("%s", keys[i]);
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        if (says_is_key(str_of(others[i])))
            fail_msg("%s", others[i]);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_to_a_person_are_a_message),
        cmocka_unit_test(what_nobody_writes_for_anything_else_is_a_key),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
