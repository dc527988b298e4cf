/*
 * The folder of a store is there after a loss of power: its name is synced, as
 * are those of what had to be made above it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/files.h"
#include "tests/support/stored.h"

enum { SYNCS_MAX = 16 };

/* What was synced, and the code with which the next one fails. */
static struct {
    ino_t inode[SYNCS_MAX];
    size_t len;
    int code;
} synced;

int __real_fsync(int fd);
int __wrap_fsync(int fd);

int
__wrap_fsync(int fd)
{
    struct stat st;

    if (synced.code) {
        errno = synced.code;
        return -1;
    }
    assert_int_equal(fstat(fd, &st), 0);
    assert_true(synced.len < SYNCS_MAX);
    synced.inode[synced.len++] = st.st_ino;
    return 0;
}

static int
setup(void **state)
{
    memset(&synced, 0, sizeof(synced));
    return stored_setup(state);
}

static char *
below(const char *name)
{
    char *path = stored_name(name);

    assert_non_null(path);
    return path;
}

static void
expect_synced(size_t i, const char *path)
{
    struct stat st;

    assert_int_equal(stat(path, &st), 0);
    assert_true(i < synced.len);
    assert_true(synced.inode[i] == st.st_ino);
}

static enum err
make(const char *path)
{
    synced.len = 0;
    buf_reset(&stored.why);
    return files_make_dir(path, &stored.why);
}

static void
each_folder_that_is_made_has_its_name_synced(void **state)
{
    char *a = below("a");
    char *b = below("a/b");

    (void)state;
    assert_int_equal(make(b), OK);
    assert_int_equal(synced.len, 2);
    expect_synced(0, stored.dir);
    expect_synced(1, a);
    assert_int_equal(make(b), OK);
    assert_int_equal(synced.len, 0); /* it was there */
    rmdir(b);
    rmdir(a);
    free(a);
    free(b);
}

static void
names_without_a_folder_are_of_the_one_we_are_in(void **state)
{
    char before[PATH_MAX];

    (void)state;
    assert_non_null(getcwd(before, sizeof(before)));
    assert_int_equal(chdir(stored.dir), 0);
    assert_int_equal(make("here"), OK);
    assert_int_equal(synced.len, 1);
    expect_synced(0, ".");
    assert_int_equal(make("there/"), OK);
    assert_int_equal(synced.len, 1);
    expect_synced(0, ".");
    synced.len = 0;
    assert_int_equal(files_sync_name("/tmp"), 0);
    expect_synced(0, "/");
    rmdir("here");
    rmdir("there");
    assert_int_equal(chdir(before), 0);
}

/* The next attempt syncs it, too. */
static void
a_folder_whose_name_is_in_doubt_is_not_kept(void **state)
{
    char *path = below("a");

    (void)state;
    synced.code = EIO;
    assert_int_equal(make(path), ERR_STORE);
    assert_non_null(strstr(buf_cstr(&stored.why), strerror(EIO)));
    assert_int_equal(access(path, F_OK), -1);
    synced.code = 0;
    assert_int_equal(make(path), OK);
    assert_int_equal(synced.len, 1);
    rmdir(path);
    free(path);
}

static void
a_file_system_without_such_a_sync_is_left_alone(void **state)
{
    const int codes[] = {EINVAL, ENOTSUP, ENOSYS};
    char *path = below("a");

    (void)state;
    for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
        synced.code = codes[i];
        assert_int_equal(make(path), OK);
        assert_int_equal(rmdir(path), 0);
    }
    assert_int_equal(files_sync_name("/no/such/folder"), 0);
    synced.code = EIO;
    assert_int_equal(files_sync_name(path), EIO);
    free(path);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            each_folder_that_is_made_has_its_name_synced, setup,
            stored_teardown),
        cmocka_unit_test_setup_teardown(
            names_without_a_folder_are_of_the_one_we_are_in, setup,
            stored_teardown),
        cmocka_unit_test_setup_teardown(
            a_folder_whose_name_is_in_doubt_is_not_kept, setup,
            stored_teardown),
        cmocka_unit_test_setup_teardown(
            a_file_system_without_such_a_sync_is_left_alone, setup,
            stored_teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
