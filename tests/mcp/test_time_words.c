/*
 * Windows of time in the words of people, and of other tools.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/support/ask_tools.h"
#include "tests/support/tool_shop.h"

enum { HOUR = 3600, DAY = 24 * HOUR };

/* Where the window of |tool| begins that is asked with |words|. */
static uint32_t
begins(const char *words)
{
    char args[120];

    (void)snprintf(args, sizeof(args), "{\"since\":\"%s\"}", words);
    cJSON *out = ask(tool_shop.tools, "service_map", args);
    uint32_t from =
        (uint32_t)ask_number(cJSON_GetObjectItem(out, "window"), "from");
    cJSON_Delete(out);
    return from;
}

static void
a_length_in_words_is_that_of_letters(void **state)
{
    static const char *const same[][2] = {
        {"1h", "1 hour"},          {"1h", "last hour"},
        {"1h", "the past hour"},   {"1h", "an hour ago"},
        {"1h", "now-1h"},          {"1h", "1 hr"},
        {"24h", "last 24 hours"},  {"24h", "24 Hours Ago"},
        {"15m", "15 min"},         {"15m", " 15m "},
        {"15m", "15 minutes ago"}, {"7d", "last week"},
        {"7d", "past 7 days"},     {"2w", "2 weeks"},
        {"30d", "last month"},     {"30d", "now-1M"},
        {"365d", "1 year"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++)
        if (begins(same[i][0]) != begins(same[i][1]))
            fail_msg("%s: %u", same[i][1], begins(same[i][1]));
}

static void
a_day_begins_at_midnight(void **state)
{
    (void)state;
    assert_int_equal(begins("today"), FIXTURE_DAY * DAY);
    assert_int_equal(begins("Yesterday"), FIXTURE_DAY * DAY - DAY);
    assert_in_range(begins("now"), FIXTURE_NOW_S - HOUR, FIXTURE_NOW_S);
}

static void
what_is_no_time_is_refused(void **state)
{
    static const char *const bad[] = {
        "soon",
        "hour",
        "last",
        "last soon",
        "ago",
        "5 ago",
        "1 parsec",
        "1h later",
        "now-",
        "-1h",
        "1 2h",
        "h1",
        "99999999999999999999h",
        "5000000 days",
        "tomorrow",
    };
    char args[120];

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        (void)snprintf(args, sizeof(args), "{\"since\":\"%s\"}", bad[i]);
        ask_refused(tool_shop.tools, "service_map", args, "is no time");
    }
    ask_refused(tool_shop.tools, "compare", "{\"span\":\"last hour\"}",
                "is no duration");
    cJSON_Delete(ask(tool_shop.tools, "compare",
                     "{\"span\":\"2 hours\",\"at\":\"yesterday\"}"));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TOOL_SHOP(a_length_in_words_is_that_of_letters),
        TOOL_SHOP(a_day_begins_at_midnight),
        TOOL_SHOP(what_is_no_time_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
