/*
 * What only starting needed is given back, and what is needed comes back.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "cmd/lean.h"
#include "cmd/version.h"

/* kB that are resident of files. */
static long
resident_files(void)
{
    char line[128];
    long kb = -1;
    FILE *file = fopen("/proc/self/status", "r");

    assert_non_null(file);
    while (kb < 0 && fgets(line, sizeof(line), file))
        if (strncmp(line, "RssFile:", 8) == 0)
            kb = strtol(line + 8, NULL, 10);
    fclose(file);
    return kb;
}

static void
pages_of_files_are_given_back(void **state)
{
    (void)state;
    long before = resident_files();
    assert_true(lean_start() > (size_t)1 << 20);
    assert_in_range(resident_files(), 1, before - 1);
}

static int written = 7; /* a page of the program that was written to */
static const char *const texts[] = {"a", "b"}; /* relocated at start */

static void
what_was_written_and_relocated_stays(void **state)
{
    unsigned char before[SHA256_LEN];
    unsigned char after[SHA256_LEN];

    (void)state;
    written++;
    hash_sha256(&STR("x"), 1, before);
    for (int i = 0; i < 3; i++)
        (void)lean_start();
    hash_sha256(&STR("x"), 1, after);
    assert_memory_equal(before, after, sizeof(before));
    assert_int_equal(written, 8);
    assert_string_equal(texts[1], "b");
    assert_non_null(strstr(SPANGRAPH_VERSION, "."));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_of_files_are_given_back),
        cmocka_unit_test(what_was_written_and_relocated_stays),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
