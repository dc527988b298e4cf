#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/stay.h"

static void
assert_says(const struct stay *stay, const char *seconds)
{
    char text[STAY_TEXT_CAP];
    str told = stay_text(stay, text);

    assert_int_equal(told.len, strlen(seconds));
    assert_memory_equal(told.ptr, seconds, told.len);
}

static void
a_second_is_the_least(void **state)
{
    struct stay stay = {0};

    (void)state;
    assert_says(&stay, "1");
    stay_note(&stay, 1);
    assert_says(&stay, "1");
    for (int i = 0; i < 100; i++)
        stay_note(&stay, NS_PER_MS);
    assert_says(&stay, "1");
}

static void
it_follows_what_things_take(void **state)
{
    struct stay stay = {0};

    (void)state;
    for (int i = 0; i < 100; i++)
        stay_note(&stay, 7 * NS_PER_S);
    assert_says(&stay, "7");
    stay_note(&stay, NS_PER_MS);
    assert_says(&stay, "7");
    for (int i = 0; i < 100; i++)
        stay_note(&stay, 2 * NS_PER_S);
    assert_says(&stay, "3");
}

static void
a_minute_is_the_most(void **state)
{
    struct stay stay = {0};

    (void)state;
    for (int i = 0; i < 200; i++)
        stay_note(&stay, UINT64_MAX);
    assert_says(&stay, "60");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_second_is_the_least),
        cmocka_unit_test(it_follows_what_things_take),
        cmocka_unit_test(a_minute_is_the_most),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
