#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "store/sqlite.h"

static void
versions_that_may_corrupt_are_known(void **state)
{
    static const struct {
        int number;
        bool may;
    } rows[] = {
        {3006023, false}, {3007000, true}, {3040001, true},  {3044005, true},
        {3044006, false}, {3045000, true}, {3050006, true},  {3050007, false},
        {3051000, true},  {3051002, true}, {3051003, false}, {3053000, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (sqlite_may_corrupt(rows[i].number) != rows[i].may)
            fail_msg("%d", rows[i].number);
}

static void
number_and_version_are_of_one_library(void **state)
{
    int number = sqlite_number();
    char text[32];

    (void)state;
    (void)snprintf(text, sizeof(text), "%d.%d.%d", number / 1000000,
                   number / 1000 % 1000, number % 1000);
    assert_string_equal(sqlite_version(), text);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(versions_that_may_corrupt_are_known),
        cmocka_unit_test(number_and_version_are_of_one_library),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
