/* Texts kept once, also when they are parts of each other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/texts.h"

static void
each_text_is_held_once(void **state)
{
    (void)state;
    struct texts texts;

    assert_int_equal(texts_init(&texts, 0), OK);
    text_id a = texts_add(&texts, STR("a"));
    text_id b = texts_add(&texts, STR("b"));
    assert_int_not_equal(a, b);
    assert_int_equal(texts_add(&texts, STR("a")), a);
    assert_int_equal(texts_find(&texts, STR("b")), b);
    assert_int_equal(texts_find(&texts, STR("c")), 0);
    assert_int_equal(texts_add(&texts, STR("")), 0);
    assert_int_equal(texts.len, 3);
    texts_fini(&texts);
}

static void
a_part_of_a_text_that_is_held_may_be_added(void **state)
{
    (void)state;
    enum { COUNT = 3000 };
    struct texts texts;
    char word[32];

    assert_int_equal(texts_init(&texts, 0), OK);
    for (unsigned i = 0; i < COUNT; i++) {
        (void)snprintf(word, sizeof(word), "folder/%07u", i);
        str whole = texts_get(&texts, texts_add(&texts, str_of(word)));
        text_id part = texts_add(&texts, str_cut(whole, 7, whole.len));
        assert_true(str_eq(texts_get(&texts, part), str_of(word + 7)));
    }
    assert_int_equal(texts.len, 2 * COUNT + 1);
    texts_fini(&texts);
}

static void
past_its_limit_it_fails_and_stays_readable(void **state)
{
    (void)state;
    struct texts texts;

    assert_int_equal(texts_init(&texts, 8), OK);
    text_id a = texts_add(&texts, STR("12345678"));
    assert_int_not_equal(a, 0);
    assert_int_equal(texts_add(&texts, STR("much more")), 0);
    assert_true(texts.failed);
    assert_true(str_eq(texts_get(&texts, a), STR("12345678")));
    texts_fini(&texts);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_text_is_held_once),
        cmocka_unit_test(a_part_of_a_text_that_is_held_may_be_added),
        cmocka_unit_test(past_its_limit_it_fails_and_stays_readable),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
