/*
 * Copies of a database that has its journal beside it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sqlite3.h>

#include "store/backup.h"
#include "store/backup_journal.h"
#include "store/journal_rows.h"
#include "tests/support/fault_vfs.h"
#include "tests/support/stored.h"

static void
a_backup_has_the_journal_up_to_what_its_nodes_are_known(void **state)
{
    struct store *st = stored_open();
    char *copy = stored_name("copy.db");

    (void)state;
    stored_fill(st); /* 300 nodes and a row */
    for (uint32_t service = 299; service <= 302; service++)
        stored_append_of(st, service, 2);
    stored_append(st, 1, STORED_NOW, 8);
    assert_int_equal(backup_copy(stored.path, copy, &stored.why), OK);
    assert_int_equal(stored_ask_of(copy, "SELECT count(*) FROM journal"), 3);
    assert_int_equal(stored_ask_of(copy, "SELECT sum(stubs) FROM journal"), 44);
    static const char id[] = "SELECT value FROM meta WHERE key = 'store_id'";
    assert_true(stored_ask_of(copy, id) != stored_ask(id));
    store_close(st);
    free(copy);
}

static void
trim_all(struct store *st, uint64_t covered)
{
    const struct journal_trim old = {.before_ns = STORED_NOW + 1,
                                     .digest_before_ns = STORED_NOW + 1,
                                     .max_stubs = 0,
                                     .covered_seq = covered};
    bool more = true;

    while (more) {
        assert_int_equal(store_begin(st), OK);
        assert_int_equal(store_put_covered(st, covered, STORED_NOW), OK);
        assert_int_equal(store_trim_journal(st, &old, &more), OK);
        assert_int_equal(store_commit(st), OK);
    }
}

/* What was not counted is in no copy: it is said, not left out. */
static void
a_file_of_the_journal_that_is_missing_is_told(void **state)
{
    struct store *st = stored_open();
    char *copy = stored_name("copy.db");

    (void)state;
    stored_fill(st);
    stored_append(st, 1, STORED_NOW, 8);
    assert_int_equal(store_begin(st), OK);
    assert_int_equal(store_put_covered(st, 1, STORED_NOW), OK);
    assert_int_equal(store_commit(st), OK);
    store_close(st);
    stored_remove(STORE_FILE "-seg1");
    assert_int_equal(backup_copy(stored.path, copy, &stored.why), ERR_CORRUPT);
    assert_non_null(
        strstr(buf_cstr(&stored.why), STORE_FILE "-seg1 is missing"));
    assert_int_not_equal(access(copy, F_OK), 0);
    /* A start goes on without it, and so does a copy once that is covered. */
    st = stored_open();
    assert_int_equal(stored_append(st, 1, STORED_NOW, 8), 3);
    trim_all(st, 3);
    buf_reset(&stored.why);
    assert_int_equal(backup_copy(stored.path, copy, &stored.why), OK);
    store_close(st);
    free(copy);
}

/* A copy of the pages, before that of the journal. */
struct half_copy {
    char *path;
    sqlite3 *source;
    sqlite3 *copy;
    struct backup_journal *journal;
};

static void
copy_pages(struct half_copy *half)
{
    assert_int_equal(sqlite3_open(half->path, &half->copy), SQLITE_OK);
    sqlite3_backup *pages =
        sqlite3_backup_init(half->copy, "main", half->source, "main");
    assert_int_equal(sqlite3_backup_step(pages, -1), SQLITE_DONE);
    assert_int_equal(sqlite3_backup_finish(pages), SQLITE_OK);
}

static void
begin_copy(struct half_copy *half)
{
    *half = (struct half_copy){.path = stored_name("copy.db")};
    stored_remove("copy.db");
    assert_int_equal(sqlite3_open(stored.path, &half->source), SQLITE_OK);
    assert_int_equal(backup_journal_open(&half->journal, stored.path,
                                         half->source, &stored.why),
                     OK);
    copy_pages(half);
}

/* Returns how many rows the copy has. */
static int64_t
end_copy(struct half_copy *half)
{
    assert_int_equal(
        backup_journal_copy(half->journal, half->copy, &stored.why), OK);
    backup_journal_close(half->journal);
    sqlite3_close(half->copy);
    sqlite3_close(half->source);
    int64_t rows = stored_ask_of(half->path, "SELECT count(*) FROM journal");
    free(half->path);
    return rows;
}

/* |rows| rows come while it is copied, the first as |next|, and the first
 * |gone| of them go; returns how many rows the copy has. */
static int64_t
copy_meanwhile(struct store *st, uint64_t next, uint64_t rows, uint64_t gone)
{
    struct half_copy half;

    begin_copy(&half);
    for (uint64_t i = 0; i < rows; i++) {
        assert_int_equal(stored_append(st, 2, STORED_NOW, 1), next + i);
        stored_roll(st);
        if (i + 1 == gone)
            trim_all(st, next + i);
    }
    return end_copy(&half);
}

static void
a_backup_ends_before_what_came_and_went_meanwhile(void **state)
{
    struct store *st = stored_open();

    (void)state;
    for (uint64_t seq = 1; seq <= 2; seq++) {
        assert_int_equal(stored_append(st, 2, STORED_NOW, 1), seq);
        stored_roll(st);
    }
    assert_int_equal(copy_meanwhile(st, 3, 2, 0), 4);
    assert_int_equal(copy_meanwhile(st, 5, 3, 1), 4); /* 6 and 7 are behind */
    assert_int_equal(stored_journal(st).rows, 2);
    trim_all(st, 7);
    assert_int_equal(stored_journal(st).rows, 0);
    assert_int_equal(copy_meanwhile(st, 8, 2, 0), 2);
    trim_all(st, 9);
    assert_int_equal(copy_meanwhile(st, 10, 2, 1), 0);
    store_close(st);
}

/* The second look has the last word on what it has: a row that was refused
 * after the first is none. */
static void
a_backup_has_no_row_that_is_not_there_any_more(void **state)
{
    struct store *st = stored_open();
    struct half_copy half;

    (void)state;
    stored_append(st, 2, STORED_NOW, 1);
    struct stored_bytes first = stored_read(STORE_FILE "-seg1");
    stored_append(st, 2, STORED_NOW, 2);
    begin_copy(&half);
    stored_write(STORE_FILE "-seg1", first.ptr, first.len);
    assert_int_equal(end_copy(&half), 1);
    store_close(st);
    free(first.ptr);
}

/* Flips a byte of the rows of each group of the segment: of one row each, of
 * |size| bytes. */
static void
damage_each(size_t size)
{
    enum { BEHIND_ROWS = 32 + 8 };
    struct stored_bytes bytes = stored_read(STORE_FILE "-seg1");

    for (size_t end = size; end <= bytes.len; end += size)
        bytes.ptr[end - BEHIND_ROWS - 4] ^= 1;
    stored_write(STORE_FILE "-seg1", bytes.ptr, bytes.len);
    free(bytes.ptr);
}

/* Of two rows that are damaged the first was counted: a retry of that would
 * count twice, a retry of the other shall be heard. */
static void
a_backup_knows_again_what_was_counted(void **state)
{
    struct store *st = stored_open();
    char *copy = stored_name("copy.db");

    (void)state;
    stored_append(st, 2, STORED_NOW, 5);
    struct stored_bytes first = stored_read(STORE_FILE "-seg1");
    stored_append(st, 2, STORED_NOW, 6);
    assert_int_equal(store_begin(st), OK);
    assert_int_equal(store_put_covered(st, 1, STORED_NOW), OK);
    assert_int_equal(store_commit(st), OK);
    damage_each(first.len);
    assert_int_equal(backup_copy(stored.path, copy, &stored.why), OK);
    assert_int_equal(stored_ask_of(copy, "SELECT sum(length(data) = 0)"
                                         " FROM journal"),
                     2);
    assert_int_equal(stored_ask_of(copy, "SELECT seq FROM journal"
                                         " WHERE digest IS NOT NULL"),
                     1);
    assert_int_equal(stored_ask_of(copy, "SELECT count(*) FROM journal"
                                         " WHERE digest IS NULL"),
                     1);
    store_close(st);
    free(first.ptr);
    free(copy);
}

/* Returns how much is logged while it is copied. */
static long
said_by_backup(void)
{
    char *copy = stored_name("copy.db");
    FILE *said = tmpfile();
    int kept = dup(STDERR_FILENO);

    assert_non_null(said);
    assert_int_equal(dup2(fileno(said), STDERR_FILENO), STDERR_FILENO);
    enum err err = backup_copy(stored.path, copy, &stored.why);
    long len = lseek(fileno(said), 0, SEEK_CUR);
    assert_int_equal(dup2(kept, STDERR_FILENO), STDERR_FILENO);
    close(kept);
    fclose(said);
    stored_remove("copy.db");
    free(copy);
    assert_int_equal(err, OK);
    return len;
}

/* What is half there is no damage: it is being written. */
static void
a_backup_says_nothing_of_a_group_that_is_being_written(void **state)
{
    struct store *st = stored_open();

    (void)state;
    stored_append(st, 2, STORED_NOW, 1);
    struct stored_bytes first = stored_read(STORE_FILE "-seg1");
    stored_append(st, 2, STORED_NOW, 2);
    struct stored_bytes both = stored_read(STORE_FILE "-seg1");
    stored_write(STORE_FILE "-seg1", both.ptr, both.len - 1);
    assert_int_equal(said_by_backup(), 0);
    /* Of a file that is not named yet, too. */
    stored_tell("DELETE FROM meta WHERE key = 'journal_at'");
    stored_write(STORE_FILE "-seg1", first.ptr, first.len - 1);
    assert_int_equal(said_by_backup(), 0);
    store_close(st);
    free(first.ptr);
    free(both.ptr);
}

/* The copy is its one file, wherever the disk fails for good. */
static void
a_backup_that_succeeds_is_whole(void **state)
{
    static const int codes[] = {SQLITE_FULL, SQLITE_IOERR_WRITE,
                                SQLITE_IOERR_FSYNC};
    struct store *st = stored_open();
    char *path = stored_name("copy.db");
    int failed = 0, done = 0;

    (void)state;
    stored_fill(st);
    for (uint64_t i = 0; i < 20; i++)
        stored_append(st, 50, STORED_NOW, 10 + i);
    for (uint64_t at = 1; done < 9; at++) {
        int code = codes[at % 3];
        for (int stays = 0; stays < 2; stays++) {
            fault_vfs_heal();
            fault_vfs_fail_at((at + 2) / 3, code, stays);
            enum err err = backup_copy(stored.path, path, &stored.why);
            done += fault_vfs_count() < (at + 2) / 3;
            fault_vfs_heal();
            failed += err != OK;
            stored_remove("copy.db-wal");
            stored_remove("copy.db-shm");
            if (!err)
                assert_int_equal(
                    stored_ask_of(path, "SELECT count(*) FROM journal"), 21);
            stored_remove("copy.db");
        }
    }
    assert_true(failed > 20);
    store_close(st);
    free(path);
}

/* Whoever sent what was lost is heard by the copy, too. */
static void
a_backup_knows_what_was_lost_before_it_was_covered(void **state)
{
    enum { BEHIND_ROWS = 32 + 8 };
    struct store *st = stored_open();
    char *copy = stored_name("copy.db");

    (void)state;
    stored_append(st, 2, STORED_NOW, 1);
    stored_append(st, 3, STORED_NOW, 2);
    store_close(st);
    struct stored_bytes bytes = stored_read(STORE_FILE "-seg1");
    bytes.ptr[bytes.len - BEHIND_ROWS - 9] ^= 1;
    stored_write(STORE_FILE "-seg1", bytes.ptr, bytes.len);
    free(bytes.ptr);

    st = stored_open();
    assert_int_equal(stored_journal(st).digests, 1);
    assert_int_equal(store_begin(st), OK);
    assert_int_equal(store_put_covered(st, 2, STORED_NOW), OK);
    assert_int_equal(store_commit(st), OK);
    assert_int_equal(backup_copy(stored.path, copy, &stored.why), OK);
    assert_int_equal(stored_ask_of(copy, "SELECT count(*) FROM journal"), 2);
    assert_int_equal(stored_ask_of(copy,
                                   "SELECT coalesce(max(length(digest)), 0)"
                                   " FROM journal WHERE seq = 2"),
                     0);
    assert_int_equal(
        stored_ask_of(copy, "SELECT length(digest) FROM journal WHERE seq = 1"),
        16);
    store_close(st);
    free(copy);
}

/* The service is started for the first time while the copy is made. */
static void
a_backup_has_the_first_rows_of_a_store_that_is_being_made(void **state)
{
    struct half_copy half = {.path = stored_name("copy.db")};

    (void)state;
    stored_write(STORE_FILE, "", 0);
    assert_int_equal(sqlite3_open(stored.path, &half.source), SQLITE_OK);
    assert_int_equal(backup_journal_open(&half.journal, stored.path,
                                         half.source, &stored.why),
                     OK);
    struct store *st = stored_open();
    for (uint64_t i = 1; i <= 3; i++)
        assert_int_equal(stored_append(st, 2, STORED_NOW, i), i);
    copy_pages(&half);
    assert_int_equal(end_copy(&half), 3);
    store_close(st);
}

/* That it has no journal is said by the database, not by a disk that fails. */
static void
a_backup_that_cannot_be_read_fails(void **state)
{
    struct store *st = stored_open();
    char *path = stored_name("copy.db");
    bool was_whole = false;
    int failed = 0;

    (void)state;
    for (uint64_t i = 0; i < 20; i++)
        stored_append(st, 50, STORED_NOW, 10 + i);
    store_close(st);
    for (uint64_t at = 1; !was_whole; at++) {
        fault_vfs_heal();
        fault_vfs_fail_read_at(at, false);
        enum err err = backup_copy(stored.path, path, &stored.why);
        was_whole = fault_vfs_reads() < at;
        fault_vfs_heal();
        failed += err != OK;
        if (!err)
            assert_int_equal(
                stored_ask_of(path, "SELECT count(*) FROM journal"), 20);
        stored_remove("copy.db");
        stored_remove("copy.db-journal");
        assert_true(at < 10000);
    }
    assert_true(failed > 5);
    free(path);
}

/* What a start would know to be missing is so in the copy. */
static void
a_backup_says_what_is_missing_before_what_is_there(void **state)
{
    struct store *st = stored_open();
    char *copy = stored_name("copy.db");

    (void)state;
    for (uint64_t i = 1; i <= 4; i++) {
        stored_append(st, 2, STORED_NOW, i);
        if (i % 2 == 0)
            stored_roll(st);
    }
    store_close(st);
    stored_remove(STORE_FILE "-seg1"); /* and with it two rows */
    assert_int_equal(backup_copy(stored.path, copy, &stored.why), OK);
    struct stored_bytes bytes = stored_read("copy.db");
    stored_empty();
    stored_write(STORE_FILE, bytes.ptr, bytes.len);
    free(bytes.ptr);
    struct stored_journal seen = stored_look();
    assert_int_equal(seen.rows, 3);
    assert_int_equal(seen.damaged, 1);
    assert_int_equal(seen.told, 2 + 2 * 2);
    assert_int_equal(seen.digests, 3 + 4);
    free(copy);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        STORED_TEST(a_backup_has_the_journal_up_to_what_its_nodes_are_known),
        STORED_TEST(a_file_of_the_journal_that_is_missing_is_told),
        STORED_TEST(a_backup_ends_before_what_came_and_went_meanwhile),
        STORED_TEST(a_backup_has_no_row_that_is_not_there_any_more),
        STORED_TEST(a_backup_knows_again_what_was_counted),
        STORED_TEST(a_backup_says_nothing_of_a_group_that_is_being_written),
        STORED_TEST(a_backup_that_succeeds_is_whole),
        STORED_TEST(a_backup_knows_what_was_lost_before_it_was_covered),
        STORED_TEST(a_backup_has_the_first_rows_of_a_store_that_is_being_made),
        STORED_TEST(a_backup_that_cannot_be_read_fails),
        STORED_TEST(a_backup_says_what_is_missing_before_what_is_there),
    };

    fault_vfs_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
