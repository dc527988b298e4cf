/*
 * Segments by their names, in a directory that may be hard to have: its own
 * name is long, it cannot be synced, no descriptor is left.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "store/journal_rows.h"
#include "store/segment_file.h"
#include "tests/support/dir.h"
#include "tests/support/fault_vfs.h"
#include "tests/support/stored.h"

#define SEGMENT(n) STORE_FILE "-seg" #n

static bool
append_one(void)
{
    struct store *st = stored_open();
    bool done = stored_try_append(st, 3, 1) == OK;

    store_close(st);
    return done;
}

static int
count_rows(void)
{
    struct store *st = stored_open();
    struct stored_journal seen = stored_journal(st);

    store_close(st);
    assert_int_equal(seen.damaged, 0);
    return seen.rows;
}

static void
the_last_number_is_used_and_none_behind_it(void **state)
{
    (void)state;
    store_close(stored_open());
    stored_write(SEGMENT(999999999999999998), "", 0);
    assert_true(append_one());
    assert_int_equal(count_rows(), 1);
    stored_empty();
    store_close(stored_open());
    stored_write(SEGMENT(999999999999999999), "", 0);
    assert_false(append_one());
}

/* What is appended to the directory's name, and the longest that SQLite takes.
 */
enum { NAME_REST = sizeof("/" STORE_FILE "-seg") - 1 + 18, NAME_MAX_LEN = 512 };

static enum err
open_with_name_of(size_t len)
{
    struct store *st = NULL;
    char dir[NAME_MAX_LEN + 2];
    size_t at = strlen(stored.dir);

    memcpy(dir, stored.dir, at);
    for (len -= NAME_REST; at < len; at++)
        dir[at] = at % 2 == len % 2 ? '/' : '.';
    dir[len] = '\0';
    enum err err =
        store_open(&st, dir, STORE_SYNC_FULL, STORED_NOW, &stored.why);
    if (!err)
        stored_append(st, 1, STORED_NOW, 1);
    store_close(st);
    return err;
}

static void
a_name_that_is_too_long_is_refused(void **state)
{
    (void)state;
    assert_int_equal(open_with_name_of(NAME_MAX_LEN), OK);
    assert_int_equal(open_with_name_of(NAME_MAX_LEN + 1), ERR_STORE);
}

/* ---- the directory ---- */

static int fsync_code; /* with which it fails; 0: it does not */

int __real_fsync(int fd);
int __wrap_fsync(int fd);

int
__wrap_fsync(int fd)
{
    if (!fsync_code)
        return __real_fsync(fd);
    errno = fsync_code;
    return -1;
}

/* A name that is not on the disk may be gone with what is behind it. */
static void
a_new_segment_counts_once_its_name_is_on_the_disk(void **state)
{
    struct store *st = stored_open();

    (void)state;
    fsync_code = EIO;
    assert_true(stored_try_append(st, 3, 1) != OK);
    fsync_code = 0;
    assert_int_equal(stored_try_append(st, 3, 1), OK);
    fsync_code = EIO;
    assert_int_equal(stored_try_append(st, 3, 1), OK); /* it is there */
    fsync_code = 0;
    store_close(st);
    assert_int_equal(count_rows(), 2);
}

/* As files_sync_name has it: nothing better can be done. */
static void
a_directory_that_cannot_be_synced_is_left_alone(void **state)
{
    struct store *st = stored_open();

    (void)state;
    fsync_code = ENOTSUP;
    assert_int_equal(stored_try_append(st, 3, 1), OK);
    fsync_code = 0;
    store_close(st);
    assert_int_equal(count_rows(), 1);
}

/* Rows go on, and segments go, when others have taken all descriptors. */
static void
segments_come_and_go_without_a_descriptor_left(void **state)
{
    const struct journal_trim trim = {.before_ns = STORED_NOW + 1,
                                      .digest_before_ns = STORED_NOW,
                                      .max_stubs = 0,
                                      .covered_seq = UINT32_MAX};
    struct store *st = stored_open();
    struct rlimit before, none;
    bool more;

    (void)state;
    assert_int_equal(stored_try_append(st, 3, 1), OK);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    none = before;
    int next = dup(STDIN_FILENO);
    none.rlim_cur = (rlim_t)next;
    (void)close(next);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    assert_int_equal(open("/dev/null", O_RDONLY | O_CLOEXEC), -1);
    for (int i = 0; i < 20; i++) {
        assert_int_equal(store_begin(st), OK);
        assert_int_equal(store_trim_journal(st, &trim, &more), OK);
        assert_int_equal(store_commit(st), OK);
        assert_int_equal(stored_try_append(st, 3, 1), OK);
    }
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    store_close(st);
    assert_true(dir_count(stored.dir, STORE_FILE "-seg") < 3);
}

/* ---- a file that goes as it is opened ---- */

static sqlite3_vfs hasty;
static sqlite3_vfs *below;

static int
open_too_late(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags,
              int *out_flags)
{
    (void)vfs;
    (void)unlink(name);
    return below->xOpen(below, name, file, flags, out_flags);
}

static void
what_goes_as_it_is_opened_is_not_there(void **state)
{
    sqlite3_file *file = NULL;

    (void)state;
    stored_write(SEGMENT(7), "x", 1);
    below = sqlite3_vfs_find(NULL);
    hasty = *below;
    hasty.zName = "hasty";
    hasty.xOpen = open_too_late;
    sqlite3_vfs_register(&hasty, 1);
    enum err err =
        segment_file_open(&file, stored.dir, STORE_FILE, 7, SEGMENT_READ);
    sqlite3_vfs_unregister(&hasty);
    sqlite3_vfs_register(below, 1);
    assert_int_equal(err, ERR_NOT_FOUND);
    assert_null(file);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        STORED_TEST(the_last_number_is_used_and_none_behind_it),
        STORED_TEST(a_name_that_is_too_long_is_refused),
        STORED_TEST(a_new_segment_counts_once_its_name_is_on_the_disk),
        STORED_TEST(a_directory_that_cannot_be_synced_is_left_alone),
        STORED_TEST(segments_come_and_go_without_a_descriptor_left),
        STORED_TEST(what_goes_as_it_is_opened_is_not_there),
    };

    fault_vfs_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
