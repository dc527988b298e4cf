/*
 * Whether a file was looked through shows in what becomes of damage: where it
 * does not stand in the way of opening, only a look finds it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/files.h"
#include "store/flush_rows.h"
#include "store/store.h"
#include "tests/support/dir.h"
#include "tests/support/fault_vfs.h"
#include "tests/support/sealed.h"

/* ---- sealed ---- */

static void
a_closed_file_is_sealed(void **state)
{
    struct stat info;

    (void)state;
    store_close(stored_open());
    sealed_assert(true);
    assert_int_equal(stat(sealed.path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);

    struct store *st = stored_open();
    stored_fill(st);
    assert_int_equal(store_checkpoint(st), OK);
    store_close(st);
    sealed_assert(true);
}

/* Some 20 KB. */
static void
put_part(struct store *st, uint64_t seq)
{
    static const char part[20000];

    assert_int_equal(store_put_part(st, 1, seq, (str){part, sizeof(part)}), OK);
}

static void
a_file_of_several_chunks_is_sealed(void **state)
{
    (void)state;
    for (int round = 0; round < 2; round++) {
        struct store *st = stored_open();
        for (uint32_t i = 0; i < 40; i++)
            put_part(st, 40U * (unsigned)round + i);
        store_close(st);
        sealed_assert(true);
    }
    struct stored_bytes bytes = sealed_read(stored.path);
    assert_true(bytes.len > (size_t)2 * SEALED_CHUNK);
    free(bytes.ptr);
}

/* Forged by hand, since nothing of ours would seal damage. */
static void
sealed_bytes_are_not_looked_through(void **state)
{
    char seal[SEALED_CAP];
    struct stored_bytes damaged = sealed_make_damaged(seal);

    (void)state;
    sealed_write_text(sealed.path, seal);
    assert_int_equal(sealed_try_open(), OK);
    assert_false(files_is_suspect(stored.dir, STORE_FILE));
    assert_int_equal(sealed_try_open(), OK); /* nor when closed as they were */
    sealed_assert(true);

    assert_int_equal(unlink(sealed.path), 0);
    assert_int_equal(sealed_try_open(), ERR_CORRUPT);
    assert_int_equal(dir_count(stored.dir, STORE_FILE ".corrupt-"), 4);
    assert_int_equal(sealed_try_open(), OK); /* begun anew */
    sealed_assert(true);
    free(damaged.ptr);
}

/* ---- not to be believed ---- */

static void
expect_a_look(const char *what, struct stored_bytes damaged)
{
    sealed_write(stored.path, damaged);
    enum err err = sealed_try_open();
    if (err != ERR_CORRUPT)
        fail_msg("a seal was believed: %s", what);
    assert_int_not_equal(access(stored.path, F_OK), 0);
    stored_empty();
}

static void
a_seal_that_is_torn_or_wrong_is_not_believed(void **state)
{
    char seal[SEALED_CAP], other[SEALED_CAP + 8];
    struct stored_bytes damaged = sealed_make_damaged(seal);

    (void)state;
    expect_a_look("that of before", damaged);
    expect_a_look("none", damaged);
    for (size_t len = 0; len < strlen(seal); len++) {
        snprintf(other, sizeof(other), "%.*s", (int)len, seal);
        sealed_write_text(sealed.path, other);
        expect_a_look(other, damaged);
        memcpy(other, seal, strlen(seal) + 1);
        other[len] ^= 1;
        sealed_write_text(sealed.path, other);
        expect_a_look(other, damaged);
    }
    snprintf(other, sizeof(other), "%s\n", seal);
    sealed_write_text(sealed.path, other);
    expect_a_look(other, damaged);
    free(damaged.ptr);
}

static void
a_seal_that_is_no_file_is_not_believed(void **state)
{
    char seal[SEALED_CAP], elsewhere[320];
    struct stored_bytes damaged = sealed_make_damaged(seal);

    (void)state;
    stored_empty();
    assert_int_equal(mkdir(sealed.path, 0700), 0);
    expect_a_look("a directory", damaged);
    assert_int_equal(mkfifo(sealed.path, 0600), 0);
    expect_a_look("a pipe", damaged);
    snprintf(elsewhere, sizeof(elsewhere), "%s/elsewhere", stored.dir);
    sealed_write_text(elsewhere, seal);
    assert_int_equal(symlink(elsewhere, sealed.path), 0);
    expect_a_look("a link", damaged);
    free(damaged.ptr);
}

static void
damage_behind_a_seal_is_found(void **state)
{
    (void)state;
    sealed_make_filled();
    struct stored_bytes bytes = sealed_read(stored.path);
    struct stored_bytes seal = sealed_read(sealed.path);
    char *page = bytes.ptr + (sealed_odd_page() - 1) * SEALED_PAGE;
    struct stored_bytes shorter = {bytes.ptr, bytes.len - SEALED_PAGE};

    sealed_write(sealed.path, seal);
    expect_a_look("of a longer file", shorter);
    page[0] ^= 4; /* the kind of the page */
    sealed_write(sealed.path, seal);
    expect_a_look("of a file with another bit", bytes);
    free(bytes.ptr);
    free(seal.ptr);
}

static void
a_log_beside_the_file_makes_the_seal_void(void **state)
{
    char seal[SEALED_CAP];
    struct stored_bytes damaged = sealed_make_damaged(seal);

    (void)state;
    sealed_write_text(sealed.path, seal);
    sealed_write_text(sealed.log, "whatever");
    expect_a_look("with a log", damaged);
    free(damaged.ptr);
}

static void
who_is_suspect_is_looked_through_and_not_sealed(void **state)
{
    char seal[SEALED_CAP];
    struct stored_bytes damaged = sealed_make_damaged(seal);

    (void)state;
    sealed_write_text(sealed.path, seal);
    files_mark_suspect(stored.dir, STORE_FILE);
    expect_a_look("of a suspect", damaged);
    free(damaged.ptr);

    struct store *st = stored_open();
    stored_fill(st);
    files_mark_suspect(stored.dir, STORE_FILE);
    store_close(st);
    sealed_assert(false);
    assert_int_equal(sealed_try_open(), OK); /* looked through */
    assert_false(files_is_suspect(stored.dir, STORE_FILE));
    sealed_assert(true);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        SEALED_TEST(a_closed_file_is_sealed),
        SEALED_TEST(a_file_of_several_chunks_is_sealed),
        SEALED_TEST(sealed_bytes_are_not_looked_through),
        SEALED_TEST(a_seal_that_is_torn_or_wrong_is_not_believed),
        SEALED_TEST(a_seal_that_is_no_file_is_not_believed),
        SEALED_TEST(damage_behind_a_seal_is_found),
        SEALED_TEST(a_log_beside_the_file_makes_the_seal_void),
        SEALED_TEST(who_is_suspect_is_looked_through_and_not_sealed),
    };

    fault_vfs_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
