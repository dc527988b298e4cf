/* Which paths lie in a folder. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/path.h"
#include "tests/support/dir.h"

static void
a_folder_holds_itself_and_what_is_below(void **state)
{
    static const struct {
        const char *real;
        bool is_within;
    } rows[] = {
        {"/in", true},   {"/in/x", true}, {"/in/x/y", true},
        {"/inn", false}, {"", false},     {"/out/in", false},
    };
    char made[64];
    char dir[PATH_MAX];
    char top[PATH_MAX + 8];
    char link[PATH_MAX + 8];
    char real[PATH_MAX + 8];

    (void)state;
    dir_make(made);
    assert_non_null(realpath(made, dir));
    (void)snprintf(top, sizeof(top), "%s/in", dir);
    (void)snprintf(link, sizeof(link), "%s/link", dir);
    assert_int_equal(mkdir(top, 0755), 0);
    assert_int_equal(symlink("in", link), 0);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        (void)snprintf(real, sizeof(real), "%s%s", dir, rows[i].real);
        assert_int_equal(path_is_within(real, top), rows[i].is_within);
        assert_int_equal(path_is_within(real, link), rows[i].is_within);
        assert_true(path_is_within(real, "/"));
    }
    assert_int_equal(rmdir(top), 0);
    (void)snprintf(real, sizeof(real), "%s/in", dir);
    assert_false(path_is_within(real, top)); /* there is no such folder */
    assert_false(path_is_within(real, link));
    dir_remove(made);
}

static void
only_what_is_no_regular_file_may_block(void **state)
{
    char dir[64];
    char path[80];

    (void)state;
    dir_make(dir);
    (void)snprintf(path, sizeof(path), "%s/at", dir);
    assert_false(path_may_block(path)); /* there is nothing */
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fclose(file), 0);
    assert_false(path_may_block(path));
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_true(path_may_block(path));
    assert_true(path_may_block(dir));
    dir_remove(dir);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_folder_holds_itself_and_what_is_below),
        cmocka_unit_test(only_what_is_no_regular_file_may_block),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
