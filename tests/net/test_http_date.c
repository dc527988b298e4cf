/* The Date of an answer, against the C library's calendar. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/clock.h"
#include "net/http_date.h"

static void
check(uint64_t second)
{
    char text[64];
    struct buf out = {.cap_max = HTTP_DATE_LEN};
    time_t when = (time_t)second;
    struct tm tm;

    gmtime_r(&when, &tm);
    size_t len = strftime(text, sizeof(text), "%a, %d %b %Y %H:%M:%S GMT", &tm);
    http_date_add(&out, second * NS_PER_S + NS_PER_S - 1);
    assert_false(out.failed);
    assert_int_equal(out.len, HTTP_DATE_LEN);
    assert_int_equal(len, HTTP_DATE_LEN);
    assert_memory_equal(out.ptr, text, len);
    buf_fini(&out);
}

static void
the_example_of_the_standard_is_written_as_there(void **state)
{
    (void)state;
    struct buf out = {.ptr = NULL};

    http_date_add(&out, UINT64_C(784111777) * NS_PER_S);
    assert_string_equal(buf_cstr(&out), "Sun, 06 Nov 1994 08:49:37 GMT");
    buf_fini(&out);
}

/* To the last day that nanoseconds can tell, in the year 2554. */
static void
every_day_is_that_of_the_calendar(void **state)
{
    (void)state;
    uint64_t last = UINT64_MAX / NS_PER_S / S_PER_DAY;

    for (uint64_t day = 0; day < last; day++)
        check(day * S_PER_DAY + day * 7919 % S_PER_DAY);
}

static void
every_second_of_a_day_is_told(void **state)
{
    (void)state;
    const uint64_t leap_day = UINT64_C(951782400); /* 29 February 2000 */

    for (uint64_t second = 0; second <= S_PER_DAY; second++)
        check(leap_day + second);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_example_of_the_standard_is_written_as_there),
        cmocka_unit_test(every_day_is_that_of_the_calendar),
        cmocka_unit_test(every_second_of_a_day_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
