#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sqlite3.h>

#include "base/metrics.h"
#include "store/edge_rows.h"
#include "store/files.h"
#include "store/journal_rows.h"
#include "store/migrate.h"
#include "store/node_rows.h"
#include "store/schema.h"
#include "store/store.h"
#include "tests/support/dir.h"
#include "tests/support/fault_vfs.h"
#include "tests/support/stored.h"

static void
a_new_store_is_for_the_owner_alone(void **state)
{
    char deep[128];
    struct store *st = NULL;
    struct stat info;

    (void)state;
    snprintf(deep, sizeof(deep), "%s/a/b", stored.dir);
    assert_int_equal(
        store_open(&st, deep, STORE_SYNC_OS, STORED_NOW, &stored.why), OK);
    assert_int_equal(store_begin(st), OK);
    assert_int_equal(store_add_counter(st, STR("x"), 1), OK);
    assert_int_equal(store_commit(st), OK);
    assert_int_equal(stat(deep, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0700);
    static const char *const files[] = {"", "-wal", "-shm"};
    for (int i = 0; i < 3; i++) {
        snprintf(stored.path, sizeof(stored.path), "%s/" STORE_FILE "%s", deep,
                 files[i]);
        assert_int_equal(stat(stored.path, &info), 0);
        assert_int_equal(info.st_mode & 0777, 0600);
    }
    store_close(st);
}

static void
a_second_one_is_told_who_holds_it(void **state)
{
    struct store *st = stored_open(), *second = NULL;
    char number[32];

    (void)state;
    assert_int_equal(store_open(&second, stored.dir, STORE_SYNC_FULL,
                                STORED_NOW, &stored.why),
                     ERR_BUSY);
    assert_null(second);
    snprintf(number, sizeof(number), "%ld", (long)getpid());
    assert_non_null(strstr(buf_cstr(&stored.why), number));
    store_close(st);
    store_close(stored_open());
}

static void
a_dead_holder_does_not_hold(void **state)
{
    (void)state;
    pid_t child = fork();
    if (child == 0) {
        struct store *st = NULL;
        _exit(store_open(&st, stored.dir, STORE_SYNC_FULL, STORED_NOW,
                         &stored.why) != OK);
    }
    int status = 1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    store_close(stored_open());
}

static void
no_permission_is_denied(void **state)
{
    struct store *st = NULL;

    (void)state;
    if (geteuid() == 0)
        skip();
    assert_int_equal(chmod(stored.dir, 0500), 0);
    assert_int_equal(
        store_open(&st, stored.dir, STORE_SYNC_FULL, STORED_NOW, &stored.why),
        ERR_DENIED);
    assert_true(stored.why.len > 0);
    assert_int_equal(chmod(stored.dir, 0700), 0);
}

static void
a_link_in_place_of_the_database_is_not_followed(void **state)
{
    struct store *st = NULL;
    char target[128];

    (void)state;
    snprintf(target, sizeof(target), "%s/elsewhere", stored.dir);
    assert_int_equal(symlink(target, stored.path), 0);
    assert_int_equal(
        store_open(&st, stored.dir, STORE_SYNC_FULL, STORED_NOW, &stored.why),
        ERR_DENIED);
    assert_int_not_equal(access(target, F_OK), 0);
    assert_int_equal(unlink(stored.path), 0);
    assert_int_equal(mkdir(stored.path, 0700), 0);
    assert_int_equal(
        store_open(&st, stored.dir, STORE_SYNC_FULL, STORED_NOW, &stored.why),
        ERR_INVALID);
}

/* To open a FIFO would be to wait for whoever writes into it. */
static void
what_is_no_file_beside_the_database_is_refused(void **state)
{
    static const char *const suffixes[] = {"-wal", "-shm", "-journal"};
    enum { HANG_S = 20 };
    struct store *st = NULL;
    char beside[sizeof(stored.path) + sizeof("-journal")];

    (void)state;
    assert_int_equal(
        store_open(&st, stored.dir, STORE_SYNC_FULL, STORED_NOW, &stored.why),
        OK);
    store_close(st);
    alarm(HANG_S);
    for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
        snprintf(beside, sizeof(beside), "%s%s", stored.path, suffixes[i]);
        assert_true(unlink(beside) == 0 || errno == ENOENT);
        assert_int_equal(mkfifo(beside, 0600), 0);
        buf_reset(&stored.why);
        assert_int_equal(store_open(&st, stored.dir, STORE_SYNC_FULL,
                                    STORED_NOW, &stored.why),
                         ERR_INVALID);
        assert_non_null(strstr(buf_cstr(&stored.why), suffixes[i]));
        assert_int_equal(unlink(beside), 0);
    }
    alarm(0);
}

static void
a_file_in_place_of_the_directory_is_refused(void **state)
{
    struct store *st = NULL;
    char path[128];

    (void)state;
    snprintf(path, sizeof(path), "%s/file", stored.dir);
    close(open(path, O_CREAT | O_WRONLY, 0600));
    assert_int_equal(
        store_open(&st, path, STORE_SYNC_FULL, STORED_NOW, &stored.why),
        ERR_STORE);
    assert_int_equal(
        store_open(&st, "", STORE_SYNC_FULL, STORED_NOW, &stored.why),
        ERR_STORE);
}

static void
expect_set_aside(void)
{
    int64_t told = metrics_get(METRIC_DATABASES_DAMAGED);
    struct store *st = NULL;

    buf_reset(&stored.why);
    assert_int_equal(
        store_open(&st, stored.dir, STORE_SYNC_FULL, STORED_NOW, &stored.why),
        ERR_CORRUPT);
    assert_null(st);
    assert_int_equal(metrics_get(METRIC_DATABASES_DAMAGED), told + 1);
    assert_non_null(strstr(buf_cstr(&stored.why), ".corrupt-1700000000"));
    assert_int_not_equal(access(stored.path, F_OK), 0);
    store_close(stored_open());
}

static void
a_database_that_was_removed_takes_nothing(void **state)
{
    struct store *st = stored_open();
    struct stub_batch batch = stored_batch(3, STORED_NOW);
    char path[128];
    char away[128];
    uint64_t seq = 0;

    (void)state;
    snprintf(path, sizeof(path), "%s/" STORE_FILE, stored.dir);
    snprintf(away, sizeof(away), "%s/away", stored.dir);
    assert_int_equal(stored_append(st, 3, STORED_NOW, 1), 1);
    assert_int_equal(rename(path, away), 0);
    assert_int_equal(store_begin(st), ERR_STORE);
    store_rollback(st);
    assert_int_equal(store_begin_lazily(st), ERR_STORE);
    store_rollback(st);
    assert_int_equal(
        store_append_journal(st, &batch, (struct digest128){1, 2}, &seq), OK);
    assert_int_equal(store_commit_journal(st), ERR_STORE);
    assert_int_equal(rename(away, path), 0);
    assert_int_equal(stored_append(st, 3, STORED_NOW, 2), 2);
    store_close(st);
    assert_int_equal(stored_look().stubs, 6);
    free(batch.stubs);
}

static void
garbage_is_set_aside_and_the_next_open_is_empty(void **state)
{
    (void)state;
    for (int round = 1; round <= 3; round++) {
        FILE *out = fopen(stored.path, "wb");
        for (int i = 0; i < 4096; i++)
            fputc(i * 7 + 1, out);
        fclose(out);
        expect_set_aside();
        /* Every file goes to a name of its own. */
        assert_true(dir_count(stored.dir, STORE_FILE ".corrupt-") >= round);
    }
}

static void
the_database_of_another_program_is_set_aside(void **state)
{
    (void)state;
    stored_tell("CREATE TABLE cookies (a); PRAGMA application_id = 7");
    expect_set_aside();
}

static void
tables_that_are_not_ours_are_set_aside(void **state)
{
    (void)state;
    store_close(stored_open());
    stored_tell("DROP TABLE journal");
    expect_set_aside();
}

static void
a_format_that_sqlite_does_not_know_is_set_aside(void **state)
{
    /* In the header: of tables; how to write, that is: not at all; to read. */
    static const long format_at[] = {47, 18, 19};

    (void)state;
    for (size_t i = 0; i < sizeof(format_at) / sizeof(format_at[0]); i++) {
        store_close(stored_open());
        FILE *file = fopen(stored.path, "r+b");
        assert_non_null(file);
        assert_int_equal(fseek(file, format_at[i], SEEK_SET), 0);
        assert_int_equal(fputc(9, file), 9);
        assert_int_equal(fclose(file), 0);
        expect_set_aside();
    }
}

static void
a_newer_version_is_left_alone(void **state)
{
    struct store *st = NULL;
    char sql[128];

    (void)state;
    store_close(stored_open());
    snprintf(
        sql, sizeof(sql),
        "PRAGMA user_version = %zu; UPDATE schema_version SET version = %zu",
        schema_len + 1, schema_len + 1);
    stored_tell(sql);
    assert_int_equal(
        store_open(&st, stored.dir, STORE_SYNC_FULL, STORED_NOW, &stored.why),
        ERR_INVALID);
    assert_int_equal(stored_ask("PRAGMA user_version"),
                     (int64_t)schema_len + 1);
}

/* Whichever bit it is, and whether or not an earlier version wrote the file,
 * that did not say it twice. */
static void
a_damaged_version_is_not_taken_for_a_newer_one(void **state)
{
    enum { VERSION_AT = 60, BITS = 32 };
    static const char *const before[] = {"SELECT 1",
                                         "DROP TABLE schema_version"};

    (void)state;
    for (int bit = 0; bit < 2 * BITS; bit++) {
        stored_empty();
        store_close(stored_open());
        stored_tell(before[bit / BITS]);
        struct stored_bytes bytes = stored_read(STORE_FILE);
        int at = VERSION_AT + bit % BITS / 8;
        char was = bytes.ptr[at];
        bytes.ptr[at] = (char)(was ^ 1 << bit % 8);
        bool is_lower = (was & 1 << bit % 8) != 0;
        stored_write(STORE_FILE, bytes.ptr, bytes.len);
        free(bytes.ptr);
        if (!is_lower || bit < BITS) /* else its tables are there already */
            expect_set_aside();
    }
}

static void
what_an_earlier_program_wrote_says_its_version_twice_from_then_on(void **state)
{
    (void)state;
    store_close(stored_open());
    stored_tell("DROP TABLE schema_version");
    store_close(stored_open());
    assert_int_equal(stored_ask("SELECT version FROM schema_version"),
                     (int64_t)schema_len);
    assert_int_equal(dir_count(stored.dir, STORE_FILE ".v"), 0);
    /* It may have been there before, and gone on with the tables since. */
    stored_tell("UPDATE schema_version SET version = 1");
    store_close(stored_open());
    assert_int_equal(stored_ask("SELECT version FROM schema_version"),
                     (int64_t)schema_len);
}

static enum err
see_overflow(void *ctx, uint32_t node, str registers)
{
    assert_int_equal(node, 3);
    assert_true(str_eq(registers, STR("abc")));
    ++*(int *)ctx;
    return OK;
}

static void
a_file_of_version_1_is_brought_up_to_date(void **state)
{
    sqlite3 *db = NULL;
    int rows = 0;

    (void)state;
    assert_int_equal(sqlite3_open(stored.path, &db), SQLITE_OK);
    assert_int_equal(migrate_run(db, schema_migrations, 1, 0), SQLITE_OK);
    sqlite3_close(db);
    stored_tell("INSERT INTO node VALUES (1, 1, 0, 'a', '', 0, 0, x'', 5)");

    struct store *st = stored_open();
    assert_int_equal(stored_ask("PRAGMA user_version"), (int64_t)schema_len);
    assert_int_equal(stored_ask("SELECT count(*) FROM node"), 1);
    assert_int_equal(dir_count(stored.dir, STORE_FILE ".v1.bak"), 1);
    assert_int_equal(store_begin(st), OK);
    assert_int_equal(store_put_overflow(st, 3, 6, STR("x")), OK);
    assert_int_equal(store_put_overflow(st, 3, 7, STR("abc")), OK);
    assert_int_equal(store_commit(st), OK);
    assert_int_equal(store_each_overflow(st, see_overflow, &rows), OK);
    assert_int_equal(rows, 1);
    assert_int_equal(stored_ask("SELECT estimate FROM overflow"), 7);
    store_close(st);
}

static void
damage_found_later_is_set_aside_and_looked_for_at_the_next_start(void **state)
{
    struct store *st = stored_open();

    (void)state;
    stored_fill(st);
    store_set_aside(st, STORED_NOW, &stored.why);
    assert_int_not_equal(access(stored.path, F_OK), 0);
    assert_int_equal(dir_count(stored.dir, STORE_FILE ".corrupt-"), 4);
    assert_int_equal(dir_count(stored.dir, STORE_FILE "-seg"), 0);
    store_close(stored_open());
    files_mark_suspect(stored.dir, STORE_FILE);
    store_close(stored_open());
    assert_false(files_is_suspect(stored.dir, STORE_FILE));
}

static void
migrations_happen_whole_or_not_at_all(void **state)
{
    static const char *const steps[] = {
        "CREATE TABLE a (x)",
        "CREATE TABLE b (x); INSERT INTO b VALUES (1)",
        "CREATE TABLE c (x); INSERT INTO missing VALUES (1)",
    };
    sqlite3 *db = NULL;
    char backup[340];
    struct stat info;

    (void)state;
    assert_int_equal(sqlite3_open(stored.path, &db), SQLITE_OK);
    assert_int_equal(migrate_run(db, steps, 1, 0), SQLITE_OK);
    snprintf(backup, sizeof(backup), "%s.v1.bak", stored.path);
    assert_int_equal(migrate_backup(db, backup), SQLITE_OK);
    assert_int_equal(migrate_backup(db, backup), SQLITE_OK);
    assert_int_equal(stat(backup, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    assert_int_equal(migrate_run(db, steps, 3, 1), SQLITE_ERROR);
    assert_int_equal(sqlite3_get_autocommit(db), 1);
    sqlite3_close(db);
    assert_int_equal(stored_ask("PRAGMA user_version"), 2);
    assert_int_equal(stored_ask("SELECT count(*) FROM sqlite_schema"), 2 + 1);
    assert_int_equal(stored_ask("SELECT x FROM b"), 1);
    memcpy(stored.path + strlen(stored.path), ".v1.bak", 8);
    assert_int_equal(stored_ask("PRAGMA user_version"), 1);
    assert_int_equal(stored_ask("PRAGMA application_id"),
                     SCHEMA_APPLICATION_ID);
    assert_int_equal(dir_count(stored.dir, STORE_FILE ".v1.bak"), 1);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        STORED_TEST(a_new_store_is_for_the_owner_alone),
        STORED_TEST(a_second_one_is_told_who_holds_it),
        STORED_TEST(a_dead_holder_does_not_hold),
        STORED_TEST(no_permission_is_denied),
        STORED_TEST(a_link_in_place_of_the_database_is_not_followed),
        STORED_TEST(what_is_no_file_beside_the_database_is_refused),
        STORED_TEST(a_file_in_place_of_the_directory_is_refused),
        STORED_TEST(a_database_that_was_removed_takes_nothing),
        STORED_TEST(garbage_is_set_aside_and_the_next_open_is_empty),
        STORED_TEST(the_database_of_another_program_is_set_aside),
        STORED_TEST(tables_that_are_not_ours_are_set_aside),
        STORED_TEST(a_newer_version_is_left_alone),
        STORED_TEST(a_damaged_version_is_not_taken_for_a_newer_one),
        STORED_TEST(
            what_an_earlier_program_wrote_says_its_version_twice_from_then_on),
        STORED_TEST(a_file_of_version_1_is_brought_up_to_date),
        STORED_TEST(a_format_that_sqlite_does_not_know_is_set_aside),
        STORED_TEST(
            damage_found_later_is_set_aside_and_looked_for_at_the_next_start),
        STORED_TEST(migrations_happen_whole_or_not_at_all),
    };

    fault_vfs_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
