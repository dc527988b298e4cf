#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sqlite3.h>

#include "base/clock.h"
#include "store/code_store.h"
#include "store/store.h"
#include "tests/support/dir.h"
#include "tests/support/fault_vfs.h"

static struct {
    char dir[64];
    char path[128];
    struct buf why;
} it;

static int
setup(void **state)
{
    (void)state;
    fault_vfs_heal();
    dir_make(it.dir);
    snprintf(it.path, sizeof(it.path), "%s/" CODE_STORE_FILE, it.dir);
    buf_reset(&it.why);
    return 0;
}

static int
teardown(void **state)
{
    (void)state;
    fault_vfs_heal();
    dir_remove(it.dir);
    buf_fini(&it.why);
    return 0;
}

static struct code_store *
open_store(void)
{
    struct code_store *cs = NULL;
    enum err err = code_store_open(&cs, it.dir, NS_PER_S, &it.why);

    if (err)
        fail_msg("%s %s", err_str(err), buf_cstr(&it.why));
    return cs;
}

static const unsigned char some_hash[SHA256_LEN] = {7};

static struct code_row
node_row(uint32_t repo, uint32_t n, uint32_t born)
{
    struct code_row row = {
        .id = (uint64_t)repo << CODE_ID_BITS | n,
        .born = born,
        .ints = {[SYMBOL_NUM] = n, [SYMBOL_KIND] = 3},
    };

    row.texts[SYMBOL_HASH] = (str){(const char *)some_hash, SHA256_LEN};
    row.texts[SYMBOL_NAME] = STR("f");
    return row;
}

static enum err
count_row(void *ctx, const struct code_row *row)
{
    (void)row;
    ++*(int *)ctx;
    return OK;
}

static int
count(struct code_store *cs, uint32_t repo, uint32_t generation)
{
    int rows = 0;
    struct code_when when = {repo, generation};

    assert_int_equal(code_store_each(cs, CODE_NODES, when, count_row, &rows),
                     OK);
    return rows;
}

static enum err
add_nodes(struct code_store *cs, uint32_t repo, uint32_t first, uint32_t len)
{
    enum err err = code_store_begin(cs);

    for (uint32_t i = first; i < first + len && !err; i++) {
        struct code_row row = node_row(repo, i, 1);
        err = code_store_add(cs, CODE_NODES, &row);
    }
    if (!err)
        err = code_store_commit(cs);
    if (err)
        code_store_rollback(cs);
    return err;
}

static void
rows_are_good_from_birth_to_death(void **state)
{
    struct code_store *cs = open_store();
    struct code_row row = node_row(2, 5, 3);

    (void)state;
    assert_int_equal(add_nodes(cs, 1, 1, 10), OK);
    assert_int_equal(code_store_begin(cs), OK);
    assert_int_equal(code_store_add(cs, CODE_NODES, &row), OK);
    assert_int_equal(code_store_end(cs, CODE_NODES, row.id, 6), OK);
    assert_int_equal(code_store_commit(cs), OK);
    assert_int_equal(count(cs, 0, 0), 10);
    assert_int_equal(count(cs, 2, 0), 0);
    assert_int_equal(count(cs, 2, 2), 0);
    assert_int_equal(count(cs, 2, 3), 1);
    assert_int_equal(count(cs, 2, 5), 1);
    assert_int_equal(count(cs, 2, 6), 0);
    assert_int_equal(count(cs, 2, CODE_ALL), 1);
    assert_int_equal(code_store_drop_before(cs, 2, 5), OK);
    assert_int_equal(count(cs, 2, CODE_ALL), 1);
    assert_int_equal(code_store_drop_before(cs, 2, 6), OK);
    assert_int_equal(count(cs, 2, CODE_ALL), 0);
    assert_int_equal(
        code_store_remove(cs, CODE_NODES, (uint64_t)1 << CODE_ID_BITS | 3), OK);
    assert_int_equal(count(cs, 1, 0), 9);
    code_store_close(cs);
}

static void
it_is_locked_apart_from_the_store_of_traces(void **state)
{
    struct code_store *cs = open_store(), *second = NULL;
    struct store *st = NULL;

    (void)state;
    assert_int_equal(store_open(&st, it.dir, STORE_SYNC_OS, NS_PER_S, &it.why),
                     OK);
    assert_int_equal(code_store_open(&second, it.dir, NS_PER_S, &it.why),
                     ERR_BUSY);
    assert_null(second);
    assert_non_null(strstr(buf_cstr(&it.why), "in use by another process"));
    store_close(st);
    code_store_close(cs);
    code_store_close(open_store());
}

static void
a_reader_sees_one_moment_while_another_writes(void **state)
{
    struct code_store *cs = open_store(), *reader = NULL;
    int64_t before = 0, after = 0;

    (void)state;
    assert_int_equal(add_nodes(cs, 1, 1, 10), OK);
    assert_int_equal(code_store_open_read(&reader, it.dir, &it.why), OK);
    assert_int_equal(code_store_version(reader, &before), OK);
    assert_int_equal(code_store_begin(reader), OK);
    assert_int_equal(count(reader, 0, 0), 10);
    assert_int_equal(add_nodes(cs, 1, 11, 5000), OK);
    assert_int_equal(count(reader, 0, 0), 10);
    code_store_rollback(reader);
    assert_int_equal(count(reader, 0, 0), 5010);
    assert_int_equal(code_store_version(reader, &after), OK);
    assert_true(before != after);
    code_store_close(cs); /* with a reader left */
    assert_int_equal(count(reader, 0, 0), 5010);
    code_store_close(reader);
}

static void
nothing_to_read_is_not_found(void **state)
{
    struct code_store *reader = NULL;

    (void)state;
    assert_int_equal(code_store_open_read(&reader, it.dir, &it.why),
                     ERR_NOT_FOUND);
    FILE *empty = fopen(it.path, "w");
    fclose(empty);
    assert_int_equal(code_store_open_read(&reader, it.dir, &it.why),
                     ERR_NOT_FOUND);
    assert_null(reader);
}

static void
tell(const char *sql)
{
    sqlite3 *db = NULL;

    assert_int_equal(sqlite3_open(it.path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

static void
a_file_of_a_newer_program_is_left_alone(void **state)
{
    struct code_store *cs = open_store(), *reader = NULL;

    (void)state;
    code_store_close(cs);
    tell("PRAGMA user_version = 99; UPDATE schema_version SET version = 99");
    assert_int_equal(code_store_open(&cs, it.dir, NS_PER_S, &it.why),
                     ERR_INVALID);
    assert_int_equal(code_store_open_read(&reader, it.dir, &it.why),
                     ERR_INVALID);
    assert_int_equal(dir_count(it.dir, CODE_STORE_FILE ".corrupt-"), 0);
}

static void
what_is_not_ours_is_set_aside(void **state)
{
    struct code_store *cs = NULL;

    (void)state;
    FILE *other = fopen(it.path, "w");
    for (int i = 0; i < 1000; i++)
        fputs("this is no database", other);
    fclose(other);
    assert_int_equal(code_store_open_read(&cs, it.dir, &it.why), ERR_CORRUPT);
    assert_int_equal(code_store_open(&cs, it.dir, NS_PER_S, &it.why),
                     ERR_CORRUPT);
    assert_null(cs);
    assert_int_equal(dir_count(it.dir, CODE_STORE_FILE ".corrupt-1"), 1);
    code_store_close(open_store());
    /* The tables of the other store, under this name. */
    tell("DROP TABLE edge");
    assert_int_equal(code_store_open(&cs, it.dir, NS_PER_S, &it.why),
                     ERR_CORRUPT);
    code_store_close(open_store());
}

static void
damage_that_a_reader_meets_is_found_by_the_next_writer(void **state)
{
    struct code_store *cs = open_store(), *reader = NULL;
    struct stat info;
    int rows = 0;

    (void)state;
    assert_int_equal(add_nodes(cs, 1, 1, 5000), OK);
    code_store_close(cs);
    assert_int_equal(stat(it.path, &info), 0);
    FILE *file = fopen(it.path, "r+");
    for (long at = 4096 * 30; at < info.st_size; at += 4096 * 3) {
        fseek(file, at, SEEK_SET);
        for (int i = 0; i < 512; i++)
            fputc(0xee, file);
    }
    fclose(file);
    assert_int_equal(code_store_open_read(&reader, it.dir, &it.why), OK);
    assert_int_equal(code_store_each(reader, CODE_NODES, (struct code_when){0},
                                     count_row, &rows),
                     ERR_CORRUPT);
    code_store_close(reader);
    assert_int_equal(code_store_open(&cs, it.dir, NS_PER_S, &it.why),
                     ERR_CORRUPT);
    cs = open_store();
    assert_int_equal(count(cs, 0, CODE_ALL), 0);
    code_store_close(cs);
}

static void
a_writer_killed_in_a_transaction_leaves_what_was(void **state)
{
    int pipes[2];
    char byte;

    (void)state;
    struct code_store *cs = open_store();
    assert_int_equal(add_nodes(cs, 1, 1, 100), OK);
    code_store_close(cs);
    assert_int_equal(pipe(pipes), 0);
    pid_t child = fork();
    if (child == 0) {
        cs = open_store();
        if (code_store_begin(cs))
            _exit(1);
        for (uint32_t i = 0;; i++) { /* more than any cache holds */
            struct code_row row = node_row(1, 1000 + i, 2);
            (void)code_store_end(
                cs, CODE_NODES, (uint64_t)1 << CODE_ID_BITS | (i % 100 + 1), 2);
            if (code_store_add(cs, CODE_NODES, &row))
                _exit(1);
            if (i == 200000)
                (void)!write(pipes[1], "x", 1);
        }
    }
    assert_int_equal(read(pipes[0], &byte, 1), 1);
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    close(pipes[0]);
    close(pipes[1]);
    cs = open_store();
    assert_int_equal(count(cs, 1, 0), 100);
    assert_int_equal(count(cs, 1, CODE_ALL), 100);
    code_store_close(cs);
}

static void
every_failing_operation_leaves_all_or_nothing(void **state)
{
    static const int codes[] = {SQLITE_IOERR_WRITE, SQLITE_FULL,
                                SQLITE_IOERR_FSYNC};
    struct code_store *cs = open_store();
    uint32_t next = 1;
    int done = 0;

    (void)state;
    for (int round = 0; round < 6; round++) {
        bool clean = false;
        for (uint64_t at = 1; !clean && at < 200; at++) {
            fault_vfs_heal();
            fault_vfs_fail_at(at, codes[round % 3], round >= 3);
            enum err err = add_nodes(cs, 1, next, 20);
            clean = fault_vfs_count() < at;
            fault_vfs_heal();
            assert_true(!err || err == ERR_STORE);
            next += 20;
            done += err ? 0 : 20;
            assert_int_equal(count(cs, 1, 0), done);
        }
        assert_true(clean);
    }
    code_store_close(cs);
}

static enum err
count_feedback(void *ctx, const struct feedback_row *row)
{
    int *useful = ctx;

    assert_true(str_eq(row->session, STR("s")));
    *useful += row->useful ? 1 : 100;
    return OK;
}

static void
facts_and_feedback_are_kept(void **state)
{
    static const unsigned char blob[FACT_BLOB_LEN] = {1, 2, 3};
    struct code_store *cs = open_store();
    struct fact_key key = {blob, 1, 7};
    struct buf out = {0};
    int seen = 0;

    (void)state;
    assert_int_equal(code_store_get_fact(cs, key, &out), ERR_NOT_FOUND);
    assert_int_equal(code_store_put_fact(cs, key, STR("old")), OK);
    assert_int_equal(code_store_put_fact(cs, key, STR("new")), OK);
    assert_int_equal(code_store_get_fact(cs, key, &out), OK);
    assert_true(str_eq(buf_str(&out), STR("new")));
    key.version = 8;
    assert_int_equal(code_store_get_fact(cs, key, &out), ERR_NOT_FOUND);
    key.version = 7;
    key.lang = 2;
    assert_int_equal(code_store_get_fact(cs, key, &out), ERR_NOT_FOUND);
    key.lang = 1;

    struct feedback_row row = {
        .hash = {7}, .session = STR("s"), .useful = true, .at_s = 9};
    assert_int_equal(code_store_add_feedback(cs, &row), OK);
    row.useful = false;
    assert_int_equal(code_store_add_feedback(cs, &row), OK);
    row.hash[0] = 8;
    assert_int_equal(code_store_add_feedback(cs, &row), OK);
    assert_int_equal(
        code_store_each_feedback(cs, some_hash, count_feedback, &seen), OK);
    assert_int_equal(seen, 101);
    assert_int_equal(code_store_each_feedback(cs, NULL, count_feedback, &seen),
                     OK);
    assert_int_equal(seen, 302);

    /* Facts live as long as a file of a kept snapshot has them. */
    struct code_row file = {.id = (uint64_t)1 << CODE_ID_BITS | 1,
                            .born = 1,
                            .ints = {[FILE_NUM] = 1}};
    file.texts[FILE_PATH] = STR("a.go");
    file.texts[FILE_BLOB] = (str){(const char *)blob, FACT_BLOB_LEN};
    assert_int_equal(code_store_add(cs, CODE_FILES, &file), OK);
    assert_int_equal(code_store_drop_before(cs, 1, 9), OK);
    buf_reset(&out);
    assert_int_equal(code_store_get_fact(cs, key, &out), OK);
    assert_int_equal(code_store_end(cs, CODE_FILES, file.id, 9), OK);
    assert_int_equal(code_store_drop_before(cs, 1, 9), OK);
    assert_int_equal(code_store_get_fact(cs, key, &out), ERR_NOT_FOUND);
    buf_fini(&out);
    code_store_close(cs);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int
main(void)
{
    fault_vfs_install();
    const struct CMUnitTest tests[] = {
        TEST(rows_are_good_from_birth_to_death),
        TEST(it_is_locked_apart_from_the_store_of_traces),
        TEST(a_reader_sees_one_moment_while_another_writes),
        TEST(nothing_to_read_is_not_found),
        TEST(a_file_of_a_newer_program_is_left_alone),
        TEST(what_is_not_ours_is_set_aside),
        TEST(damage_that_a_reader_meets_is_found_by_the_next_writer),
        TEST(a_writer_killed_in_a_transaction_leaves_what_was),
        TEST(every_failing_operation_leaves_all_or_nothing),
        TEST(facts_and_feedback_are_kept),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
