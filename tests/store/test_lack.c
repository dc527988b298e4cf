/*
 * No room, said by the system in other words than SQLite knows: a limit on the
 * size of files, which is real here, and a quota, which is put in below SQLite.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <sqlite3.h>

#include "store/lack.h"
#include "tests/support/fault_vfs.h"
#include "tests/support/stored.h"

#define SEGMENT STORE_FILE "-seg1"

enum { STUBS = 3 };

/* ---- a disk of which |left| writes more succeed ---- */

static struct {
    const char *name; /* of the call in SQLite's table */
    int left;         /* < 0: all */
    int refused;
} quota;

static ssize_t
write_or_refuse(int fd, const void *bytes, size_t len, off_t at)
{
    if (quota.left == 0) {
        quota.refused++;
        errno = EDQUOT;
        return -1;
    }
    if (quota.left > 0)
        quota.left--;
    return pwrite(fd, bytes, len, at);
}

/* The file system below the one that counts failures. */
static sqlite3_vfs *
unix_vfs(void)
{
    sqlite3_vfs *vfs = sqlite3_vfs_find("unix");

    assert_non_null(vfs);
    return vfs;
}

static void
quota_install(void)
{
    static const char *const names[] = {"pwrite64", "pwrite"};
    sqlite3_vfs *vfs = unix_vfs();

    quota.left = -1;
    quota.refused = 0;
    quota.name = NULL;
    for (int i = 0; i < 2 && !quota.name; i++)
        if (vfs->xGetSystemCall(vfs, names[i]))
            quota.name = names[i];
    assert_non_null(quota.name);
    assert_int_equal(vfs->xSetSystemCall(vfs, quota.name,
                                         (sqlite3_syscall_ptr)write_or_refuse),
                     SQLITE_OK);
}

static int
quota_remove(void **state)
{
    sqlite3_vfs *vfs = unix_vfs();

    vfs->xSetSystemCall(vfs, quota.name, NULL);
    return stored_teardown(state);
}

/* ---- what the log says ---- */

static struct {
    int kept;
    char *path;
} said;

static void
listen(void)
{
    said.path = stored_name("said");
    said.kept = dup(STDERR_FILENO);
    int to = open(said.path, O_CREAT | O_RDWR | O_TRUNC, 0600);
    assert_true(said.kept >= 0 && to >= 0);
    assert_int_equal(dup2(to, STDERR_FILENO), STDERR_FILENO);
    close(to);
}

static struct stored_bytes
hear(void)
{
    assert_int_equal(dup2(said.kept, STDERR_FILENO), STDERR_FILENO);
    close(said.kept);
    struct stored_bytes bytes = stored_read("said");
    remove(said.path);
    free(said.path);
    return bytes;
}

static bool
mentions(const struct stored_bytes *bytes, const char *text)
{
    return memmem(bytes->ptr, bytes->len, text, strlen(text)) != NULL;
}

/* ---- a limit on the size of files ---- */

static void
limit_files(rlim_t bytes)
{
    struct rlimit limit;

    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes < limit.rlim_max ? bytes : limit.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static int
unlimited(void **state)
{
    limit_files(RLIM_INFINITY);
    return stored_teardown(state);
}

/* Room for all but the last byte of what comes, then for less than a file of
 * its own: nothing of it counts, and the log says which limit it was. */
static void
a_limit_on_files_refuses_the_group_that_passes_it(void **state)
{
    struct store *st = stored_open();

    (void)state;
    stored_append(st, STUBS, STORED_NOW, 1);
    struct stored_bytes one = stored_read(SEGMENT);
    free(one.ptr);
    listen();
    limit_files((rlim_t)one.len * 2 - 1);
    enum err err = stored_try_append(st, STUBS, 2);
    enum err again = stored_try_append(st, 100 * STUBS, 3);
    limit_files(RLIM_INFINITY);
    struct stored_bytes log = hear();
    assert_int_equal(err, ERR_STORE);
    assert_int_equal(again, ERR_STORE);
    assert_true(mentions(&log, "the journal cannot be written"));
    assert_true(mentions(&log, strerror(EFBIG)));
    free(log.ptr);
    assert_int_equal(stored_try_append(st, STUBS, 4), OK);
    store_close(st);
    struct stored_journal seen = stored_look();
    assert_int_equal(seen.rows, 2);
    assert_int_equal(seen.stubs, 2 * STUBS);
    assert_int_equal(seen.digests, 1 + 4);
    assert_int_equal(seen.damaged, 0);
}

/* At the limit it fits. */
static void
a_limit_on_files_is_used_up(void **state)
{
    struct store *st = stored_open();

    (void)state;
    stored_append(st, STUBS, STORED_NOW, 1);
    struct stored_bytes one = stored_read(SEGMENT);
    free(one.ptr);
    limit_files((rlim_t)one.len * 2);
    enum err err = stored_try_append(st, STUBS, 2);
    limit_files(RLIM_INFINITY);
    assert_int_equal(err, OK);
    store_close(st);
    assert_int_equal(stored_look().rows, 2);
}

/* A store that is not opened under a limit says what to do, and is whole. */
static void
what_is_opened_under_a_limit_says_what_to_do(void **state)
{
    static const rlim_t limits[] = {0, 1, 4096, 32767};
    struct store *st = stored_open();

    (void)state;
    stored_put_node(st, 1);
    stored_append(st, STUBS, STORED_NOW, 1);
    store_close(st);
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
        stored_remove(STORE_FILE "-shm");
        buf_reset(&stored.why);
        limit_files(limits[i]);
        enum err err = store_open(&st, stored.dir, STORE_SYNC_FULL, STORED_NOW,
                                  &stored.why);
        limit_files(RLIM_INFINITY);
        assert_int_equal(err, ERR_STORE);
        assert_non_null(strstr(buf_cstr(&stored.why), strerror(EFBIG)));
        assert_non_null(strstr(buf_cstr(&stored.why), "ulimit -f"));
        assert_int_equal(stored_look().rows, 1);
    }
}

/* ---- a quota ---- */

/* An edge, so that the database is written, and then a row. */
static enum err
one_of_each(struct store *st, uint64_t digest)
{
    struct edge_delta delta = stored_edge(1, 1, 5, 5);
    enum err err;

    if (!(err = store_begin(st)) && !(err = store_add_edge(st, &delta)))
        err = store_commit(st);
    if (err)
        store_rollback(st);
    return err ? err : stored_try_append(st, STUBS, digest);
}

/* The quota is used up before each write in turn. */
static void
a_quota_refuses_what_it_has_no_room_for(void **state)
{
    bool all = false;

    (void)state;
    quota_install();
    for (int left = 0; !all; left++) {
        stored_empty();
        struct store *st = stored_open();
        stored_append(st, STUBS, STORED_NOW, 1);
        listen();
        quota.left = left;
        quota.refused = 0;
        enum err err = one_of_each(st, 2);
        quota.left = -1;
        struct stored_bytes log = hear();
        all = quota.refused == 0;
        assert_int_equal(err, all ? OK : ERR_STORE);
        assert_int_equal(mentions(&log, strerror(EDQUOT)), !all);
        free(log.ptr);
        assert_int_equal(one_of_each(st, 4), OK);
        store_close(st);
        struct stored_journal seen = stored_look();
        assert_int_equal(seen.digests, all ? 1 + 2 + 4 : 1 + 4);
        assert_int_equal(seen.damaged, 0);
        assert_true(left < 100);
    }
}

/* ---- words ---- */

static void
only_want_of_room_is_want_of_room(void **state)
{
    static const int lacks[] = {ENOSPC, EDQUOT, EFBIG};
    static const int others[] = {0, EIO, EROFS, EACCES, ENOENT, EINTR};
    static const int silent[] = {SQLITE_OK,         SQLITE_FULL,
                                 SQLITE_CORRUPT,    SQLITE_BUSY,
                                 SQLITE_IOERR_READ, SQLITE_IOERR_SHORT_READ};
    char text[LACK_TEXT_CAP];

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        errno = lacks[i];
        assert_int_equal(lack_of(SQLITE_IOERR_WRITE), lacks[i]);
        assert_int_equal(lack_of(SQLITE_CANTOPEN), lacks[i]);
        assert_non_null(
            strstr(lack_text(SQLITE_IOERR_FSYNC, text), strerror(lacks[i])));
        for (size_t k = 0; k < sizeof(silent) / sizeof(silent[0]); k++)
            assert_int_equal(lack_of(silent[k]), 0);
    }
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        errno = others[i];
        assert_false(lack_is(others[i]));
        assert_int_equal(lack_of(SQLITE_IOERR_WRITE), 0);
        assert_string_equal(lack_text(SQLITE_IOERR_WRITE, text), "");
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            a_limit_on_files_refuses_the_group_that_passes_it, stored_setup,
            unlimited),
        cmocka_unit_test_setup_teardown(a_limit_on_files_is_used_up,
                                        stored_setup, unlimited),
        cmocka_unit_test_setup_teardown(
            what_is_opened_under_a_limit_says_what_to_do, stored_setup,
            unlimited),
        cmocka_unit_test_setup_teardown(a_quota_refuses_what_it_has_no_room_for,
                                        stored_setup, quota_remove),
        cmocka_unit_test(only_want_of_room_is_want_of_room),
    };

    (void)signal(SIGXFSZ, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
