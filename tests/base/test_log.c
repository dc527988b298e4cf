/*
 * log: a flood writes a bounded number of lines, loses no count and silences
 * nobody else; what comes from outside breaks no line.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include <cjson/cJSON.h>

#include "base/log.h"

enum { FLOOD = 5000, TEXT_CAP = 1 << 20 };

static char text[TEXT_CAP];
static FILE *to;
static int real;

static int
begin(void **state)
{
    (void)state;
    to = tmpfile();
    real = dup(STDERR_FILENO);
    if (!to || real < 0 || dup2(fileno(to), STDERR_FILENO) < 0)
        return -1;
    return 0;
}

static int
end(void **state)
{
    (void)state;
    log_configure((struct log_cfg){.level = LOG_INFO});
    log_flush(); /* what this test held back is none of the next one's */
    (void)dup2(real, STDERR_FILENO);
    close(real);
    return fclose(to);
}

/* All lines so far. */
static const char *
written(void)
{
    ssize_t got = pread(fileno(to), text, sizeof(text) - 1, 0);

    text[got > 0 ? got : 0] = '\0';
    return text;
}

static size_t
count(const char *part)
{
    size_t found = 0;

    for (const char *at = written(); (at = strstr(at, part)); at++)
        found++;
    return found;
}

/* The sum of what lines say was held back. */
static long
sum_held_back(void)
{
    static const char field[] = " held_back=\"";
    long sum = 0;

    for (const char *at = written(); (at = strstr(at, field)); at++)
        sum += strtol(at + strlen(field), NULL, 10);
    return sum;
}

static void
a_flood_writes_a_burst_and_then_a_line_a_second(void **state)
{
    time_t before = time(NULL);

    (void)state;
    for (int i = 0; i < FLOOD; i++)
        log_warn("flood", "number", "%d", i);
    long seconds = (long)(time(NULL) - before) + 1;
    assert_true(count("msg=\"flood\"") >= LOG_BURST);
    assert_true((long)count("msg=\"flood\"") <=
                LOG_BURST + LOG_A_SECOND * seconds);
}

static void
what_was_held_back_is_counted_to_the_last(void **state)
{
    const struct timespec pause = {.tv_sec = 1, .tv_nsec = 100000000};

    (void)state;
    for (int i = 0; i < FLOOD; i++)
        log_warn("counted", NULL, NULL);
    nanosleep(&pause, NULL);
    log_warn("counted", NULL, NULL);
    for (int i = 0; i < FLOOD; i++)
        log_warn("counted", NULL, NULL);
    log_flush();
    log_flush();
    long lines = (long)count("msg=\"counted\"");
    assert_true(count("held_back") >= 2);
    /* the line of log_flush stands for none */
    assert_int_equal(lines - 1 + sum_held_back(), 2 * FLOOD + 1);
}

static void
a_flood_silences_no_other_message(void **state)
{
    /* Constants to it: they stay. */
    static char names[128][32];

    (void)state;
    for (int i = 0; i < 128; i++)
        (void)snprintf(names[i], sizeof(names[i]), "other %d.", i);
    for (int i = 0; i < 128; i++) {
        for (int j = 0; j < 50; j++)
            log_warn("loud", NULL, NULL);
        log_warn(names[i], NULL, NULL);
    }
    assert_true(count("msg=\"loud\"") <= LOG_BURST + 2 * LOG_A_SECOND);
    for (int i = 0; i < 128; i++) {
        char line[64];

        (void)snprintf(line, sizeof(line), "msg=\"other %d.\"", i);
        assert_int_equal(count(line), 1);
    }
}

static void
two_that_alternate_are_each_held_back(void **state)
{
    (void)state;
    for (int i = 0; i < FLOOD; i++) {
        log_warn("this", NULL, NULL);
        log_warn("that", NULL, NULL);
    }
    assert_true(count("msg=\"th") <= 2 * (LOG_BURST + 2 * LOG_A_SECOND));
}

static void
a_value_breaks_no_line(void **state)
{
    (void)state;
    log_warn("odd", "value", "%s", "a\nb\"c\\d\x1b[2J");
    assert_non_null(strstr(
        written(), "msg=\"odd\" value=\"a\\u000ab\\\"c\\\\d\\u001b[2J\"\n"));
    assert_int_equal(count("\n"), 1);
}

static void
json_is_json_with_what_was_held_back(void **state)
{
    char *huge = malloc(100000);

    (void)state;
    assert_non_null(huge);
    memset(huge, '"', 99999);
    huge[99999] = '\0';
    log_configure((struct log_cfg){.level = LOG_INFO, .json = true});
    for (int i = 0; i < FLOOD; i++)
        log_info("structured", "value", "%s", huge);
    log_flush();
    size_t lines = 0;
    char *save = NULL;
    (void)written();
    for (char *line = strtok_r(text, "\n", &save); line;
         line = strtok_r(NULL, "\n", &save), lines++) {
        cJSON *json = cJSON_Parse(line);

        assert_non_null(json);
        assert_string_equal(
            cJSON_GetStringValue(cJSON_GetObjectItem(json, "msg")),
            "structured");
        cJSON_Delete(json);
    }
    assert_true(lines >= LOG_BURST && lines <= LOG_BURST + 4);
    free(huge);
}

static void
what_is_below_the_level_is_not_even_counted(void **state)
{
    (void)state;
    for (int i = 0; i < FLOOD; i++)
        log_debug("detail", NULL, NULL);
    log_flush();
    assert_int_equal(count("detail"), 0);
}

int
main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(a_flood_writes_a_burst_and_then_a_line_a_second),
        TEST(what_was_held_back_is_counted_to_the_last),
        TEST(a_flood_silences_no_other_message),
        TEST(two_that_alternate_are_each_held_back),
        TEST(a_value_breaks_no_line),
        TEST(json_is_json_with_what_was_held_back),
        TEST(what_is_below_the_level_is_not_even_counted),
    };
#undef TEST

    return cmocka_run_group_tests(tests, NULL, NULL);
}
