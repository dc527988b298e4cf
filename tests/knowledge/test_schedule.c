/*
 * When a source is due: intervals, words, and the fields of cron.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <time.h>

#include "knowledge/schedule.h"

static uint32_t
at(const char *text)
{
    struct tm tm = {0};

    assert_non_null(strptime(text, "%Y-%m-%d %H:%M:%S", &tm));
    return (uint32_t)timegm(&tm);
}

static void
the_next_time_is_found(void **state)
{
    static const struct {
        const char *schedule;
        const char *last;
        const char *next; /* NULL: never */
    } rows[] = {
        {"60s", "2026-01-01 00:00:00", "2026-01-01 00:01:00"},
        {"90m", "2026-01-01 00:00:00", "2026-01-01 01:30:00"},
        {"24h", "2026-01-01 00:00:07", "2026-01-02 00:00:07"},
        {"7d", "2026-01-01 00:00:00", "2026-01-08 00:00:00"},
        {"2w", "2026-01-01 00:00:00", "2026-01-15 00:00:00"},
        {"366d", "2026-01-01 00:00:00", "2027-01-02 00:00:00"},
        {"hourly", "2026-01-01 00:00:00", "2026-01-01 01:00:00"},
        {"@daily", "2026-01-01 00:00:00", "2026-01-02 00:00:00"},
        {" Weekly ", "2026-01-01 00:00:00", "2026-01-08 00:00:00"},
        {"@monthly", "2026-01-01 00:00:00", "2026-01-31 00:00:00"},
        {"* * * * *", "2026-01-01 00:00:00", "2026-01-01 00:01:00"},
        {"0 3 * * *", "2026-01-01 02:59:59", "2026-01-01 03:00:00"},
        {"0 3 * * *", "2026-01-01 03:00:00", "2026-01-02 03:00:00"},
        {"*/15 * * * *", "2026-01-01 00:46:00", "2026-01-01 01:00:00"},
        {"5/20 * * * *", "2026-01-01 00:06:00", "2026-01-01 00:25:00"},
        {"0 9-17/4 * * *", "2026-01-01 09:00:00", "2026-01-01 13:00:00"},
        {"30 4 1,15 * *", "2026-01-02 00:00:00", "2026-01-15 04:30:00"},
        {"0 0 * * 1", "2026-01-01 00:00:00", "2026-01-05 00:00:00"},
        {"0 0 * * mon-fri", "2026-01-02 00:00:00", "2026-01-05 00:00:00"},
        {"0 0 * * 7", "2026-01-01 00:00:00", "2026-01-04 00:00:00"},
        {"0 0 13 * 5", "2026-01-03 00:00:00", "2026-01-09 00:00:00"},
        {"0 0 29 2 *", "2026-01-01 00:00:00", "2028-02-29 00:00:00"},
        {"0 0 1 jan *", "2026-01-01 00:00:00", "2027-01-01 00:00:00"},
        {"0 0 30 2 *", "2026-01-01 00:00:00", NULL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct schedule schedule;
        uint32_t next = rows[i].next ? at(rows[i].next) : UINT32_MAX;

        if (schedule_parse(str_of(rows[i].schedule), &schedule))
            fail_msg("%s is refused", rows[i].schedule);
        if (schedule_next(&schedule, at(rows[i].last)) != next)
            fail_msg("%s after %s", rows[i].schedule, rows[i].last);
        assert_int_equal(schedule_next(&schedule, 0), 0);
    }
}

static void
what_is_no_schedule_is_refused(void **state)
{
    static const char *const rows[] = {
        "",
        "x",
        "1",
        "59s",
        "367d",
        "-1h",
        "1h30m",
        "1 h",
        "0m",
        "yearly",
        "* * * *",
        "* * * * * *",
        "60 * * * *",
        "* 24 * * *",
        "* * 0 * *",
        "* * 32 * *",
        "* * * 13 *",
        "* * * * 8",
        "5-1 * * * *",
        "*/0 * * * *",
        "a * * * *",
        "1, * * * *",
        "1- * * * *",
        "99999999999h",
        "* * * foo *",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct schedule schedule;

        if (schedule_parse(str_of(rows[i]), &schedule) == OK)
            fail_msg("%s is taken", rows[i]);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_next_time_is_found),
        cmocka_unit_test(what_is_no_schedule_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
