/*
 * The folder of a store is there after a loss of power: its name is synced, as
 * are those of what had to be made above it.  A lock is on the file that others
 * will find, and who is refused leaves nothing.
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
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/backup.h"
#include "store/code_store.h"
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

/* A file system that tells of no names, and others that remove |removed| as
 * often as it is locked. */
static struct {
    bool has_no_names;
    const char *removed;
    int removals; /* left to do */
} odd;

int __real_fstat(int fd, struct stat *st);
int __wrap_fstat(int fd, struct stat *st);
int __real_flock(int fd, int how);
int __wrap_flock(int fd, int how);

int
__wrap_fstat(int fd, struct stat *st)
{
    int rc = __real_fstat(fd, st);

    if (odd.has_no_names)
        st->st_nlink = 0;
    return rc;
}

int
__wrap_flock(int fd, int how)
{
    if (odd.removals > 0) {
        odd.removals--;
        assert_int_equal(unlink(odd.removed), 0);
    }
    return __real_flock(fd, how);
}

static int
setup(void **state)
{
    memset(&odd, 0, sizeof(odd));
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

static void
a_lock_is_on_the_file_that_others_find(void **state)
{
    char *path = below("a.lock");
    int fd;
    int other;

    (void)state;
    odd.removed = path;
    odd.removals = 3;
    assert_int_equal(files_lock(stored.dir, "a.lock", &fd, &stored.why), OK);
    assert_int_equal(odd.removals, 0);
    assert_int_equal(files_lock(stored.dir, "a.lock", &other, &stored.why),
                     ERR_BUSY);
    close(fd);
    odd.removals = INT_MAX;
    assert_int_equal(files_lock(stored.dir, "a.lock", &fd, &stored.why),
                     ERR_BUSY);
    assert_int_equal(fd, -1);
    odd.removals = 0;
    odd.has_no_names = true;
    assert_int_equal(files_lock(stored.dir, "a.lock", &fd, &stored.why), OK);
    close(fd);
    unlink(path);
    free(path);
}

static void
what_was_made_of_a_path_goes_again(void **state)
{
    const char *const names[] = {"a/b/c", "a//b/c/", "a/b/../c"};
    char *a = below("a");

    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char *path = below(names[i]);
        size_t there = files_there(path);

        assert_int_equal(make(path), OK);
        assert_int_equal(files_there(path), strlen(path));
        files_remove_made(path, strlen(path));
        assert_int_equal(access(path, F_OK), 0);
        files_remove_made(path, there);
        assert_int_equal(access(a, F_OK), -1);
        assert_int_equal(access(stored.dir, F_OK), 0);
        free(path);
    }
    free(a);
}

/* Of the locks that are taken one after the other, a later one is held. */
static void
who_cannot_lock_all_leaves_nothing(void **state)
{
    struct backup_locks locks;
    char *above = below("a");
    char *dir = below("a/b");
    char *held = below("a/b/" CODE_STORE_LOCK);
    char *first = below("a/b/" STORE_LOCK);
    int fd;

    (void)state;
    assert_int_equal(make(dir), OK);
    assert_int_equal(files_lock(dir, CODE_STORE_LOCK, &fd, &stored.why), OK);
    assert_int_equal(backup_dir_lock(dir, &locks, &stored.why), ERR_BUSY);
    assert_int_equal(access(first, F_OK), -1);
    assert_int_equal(access(held, F_OK), 0);
    close(fd);
    assert_int_equal(unlink(held), 0);
    files_remove_made(dir, strlen(stored.dir));
    synced.len = 0;
    assert_int_equal(backup_dir_lock(dir, &locks, &stored.why), OK);
    assert_int_equal(access(first, F_OK), 0);
    backup_dir_abandon(dir, &locks);
    assert_int_equal(access(above, F_OK), -1);
    free(first);
    free(held);
    free(dir);
    free(above);
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
        cmocka_unit_test_setup_teardown(a_lock_is_on_the_file_that_others_find,
                                        setup, stored_teardown),
        cmocka_unit_test_setup_teardown(what_was_made_of_a_path_goes_again,
                                        setup, stored_teardown),
        cmocka_unit_test_setup_teardown(who_cannot_lock_all_leaves_nothing,
                                        setup, stored_teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
