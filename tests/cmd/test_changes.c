/*
 * The version of the data: another one after each change, and else the same.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "cmd/changes.h"
#include "tests/support/dir.h"

static char dir[64];
static const char *const files[] = {"code.db", "code.db-wal", "knowledge.db",
                                    "knowledge.db-wal"};
static struct changes *changes;

static int
setup(void **state)
{
    (void)state;
    dir_make(dir);
    changes = changes_new(dir);
    return changes ? 0 : -1;
}

static void
path_of(char path[96], size_t file)
{
    (void)snprintf(path, 96, "%s/%s", dir, files[file]);
}

static int
teardown(void **state)
{
    (void)state;
    changes_free(changes);
    dir_remove(dir);
    return 0;
}

/* Longer than a file's clock ticks, and than it is not looked at. */
static uint64_t
later_version(void)
{
    (void)nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    return changes_version(changes);
}

static void
append(size_t file, char byte)
{
    char path[96];

    path_of(path, file);
    FILE *to = fopen(path, "a");
    assert_non_null(to);
    assert_int_not_equal(fputc(byte, to), EOF);
    assert_int_equal(fclose(to), 0);
}

static void
overwrite(size_t file)
{
    char path[96];

    path_of(path, file);
    FILE *to = fopen(path, "r+");
    assert_non_null(to);
    assert_int_not_equal(fputc('z', to), EOF);
    assert_int_equal(fclose(to), 0);
}

static void
without_a_change_it_stays(void **state)
{
    (void)state;
    uint64_t first = later_version();

    assert_int_equal(later_version(), first);
    append(1, 'x');
    first = later_version();
    assert_int_equal(later_version(), first);
}

static void
what_is_noted_changes_it_at_once(void **state)
{
    uint64_t seen[3];

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        seen[i] = changes_version(changes);
        changes_note(changes);
    }
    assert_int_not_equal(seen[0], seen[1]);
    assert_int_not_equal(seen[1], seen[2]);
    assert_int_not_equal(seen[0], seen[2]);
    changes_note(NULL);
}

static void
each_file_changes_it(void **state)
{
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        uint64_t before = later_version();

        append(i, 'x'); /* made */
        uint64_t made = later_version();
        assert_int_not_equal(made, before);
        append(i, 'y'); /* longer */
        uint64_t longer = later_version();
        assert_int_not_equal(longer, made);
        overwrite(i); /* as long */
        uint64_t written = later_version();
        assert_int_not_equal(written, longer);
        char path[96];
        path_of(path, i);
        assert_int_equal(unlink(path), 0);
        assert_int_not_equal(later_version(), written);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(without_a_change_it_stays, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(what_is_noted_changes_it_at_once, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(each_file_changes_it, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
