/*
 * look: what is said of a directory without opening, migrating or changing it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "store/files.h"
#include "store/look.h"
#include "store/store.h"
#include "tests/support/dir.h"

static char dir[64];

static int
make(void **state)
{
    (void)state;
    dir_make(dir);
    return 0;
}

static int
drop(void **state)
{
    (void)state;
    dir_remove(dir);
    return 0;
}

static void
look(struct look out[LOOK_FILES], enum err expected)
{
    struct buf why = {0};

    assert_int_equal(look_at(dir, out, &why), expected);
    assert_int_equal(why.len != 0, expected != OK);
    buf_fini(&why);
}

static void
write_store(const char *sql)
{
    struct buf path = {0};
    sqlite3 *db = NULL;

    buf_printf(&path, "%s/%s", dir, STORE_FILE);
    assert_int_equal(sqlite3_open(buf_cstr(&path), &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    buf_fini(&path);
}

static void
an_empty_directory_holds_no_store(void **state)
{
    struct look out[LOOK_FILES];
    struct buf why = {0};

    (void)state;
    look(out, ERR_NOT_FOUND);
    assert_int_equal(look_at("/no/such/place", out, &why), ERR_NOT_FOUND);
    assert_non_null(strstr(buf_cstr(&why), "/no/such/place"));
    buf_fini(&why);
    assert_int_equal(dir_count(dir, ""), 2); /* . and .. */
}

static void
a_store_that_is_open_is_locked_by_its_process(void **state)
{
    struct look out[LOOK_FILES];
    struct store *store = NULL;
    struct buf why = {0};

    (void)state;
    assert_int_equal(store_open(&store, dir, STORE_SYNC_OS, 1, &why), OK);
    look(out, OK);
    assert_true(out[0].is_there && out[0].is_readable && out[0].is_locked);
    assert_int_equal(out[0].holder, getpid());
    assert_int_equal(out[0].schema, out[0].schema_known);
    assert_false(out[1].is_there || out[2].is_there || out[1].is_locked);
    store_close(store);
    look(out, OK);
    assert_false(out[0].is_locked);
    assert_true(out[0].bytes > 0);
    /* to look is not to hold */
    assert_int_equal(store_open(&store, dir, STORE_SYNC_OS, 1, &why), OK);
    store_close(store);
    buf_fini(&why);
}

static void
versions_are_told_whichever_they_are(void **state)
{
    struct look out[LOOK_FILES];

    (void)state;
    write_store("PRAGMA user_version = 999");
    look(out, OK);
    assert_true(out[0].is_readable);
    assert_int_equal(out[0].schema, 999);
    assert_true(out[0].schema_known < 999);
}

static void
what_is_no_database_is_there_but_unreadable(void **state)
{
    struct look out[LOOK_FILES];
    struct buf path = {0};

    (void)state;
    buf_printf(&path, "%s/%s", dir, STORE_FILE);
    FILE *file = fopen(buf_cstr(&path), "w");
    assert_non_null(file);
    for (int i = 0; i < 4096; i++)
        fputc('x', file);
    fclose(file);
    look(out, OK);
    assert_true(out[0].is_there);
    assert_false(out[0].is_readable);
    assert_int_equal(out[0].bytes, 4096);
    buf_fini(&path);
}

static void
damage_that_was_met_is_told(void **state)
{
    struct look out[LOOK_FILES];

    (void)state;
    write_store("CREATE TABLE t(x); PRAGMA user_version = 1");
    files_mark_suspect(dir, STORE_FILE);
    look(out, OK);
    assert_true(out[0].is_suspect);
    files_clear_suspect(dir, STORE_FILE);
}

int
main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make, drop)
    const struct CMUnitTest tests[] = {
        TEST(an_empty_directory_holds_no_store),
        TEST(a_store_that_is_open_is_locked_by_its_process),
        TEST(versions_are_told_whichever_they_are),
        TEST(what_is_no_database_is_there_but_unreadable),
        TEST(damage_that_was_met_is_told),
    };
#undef TEST

    return cmocka_run_group_tests(tests, NULL, NULL);
}
