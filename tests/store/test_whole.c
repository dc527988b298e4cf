/*
 * Whether a file was looked through shows in what becomes of damage: where it
 * does not stand in the way of opening, only a look finds it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sqlite3.h>

#include "base/hash.h"
#include "store/dbfile.h"
#include "store/files.h"
#include "store/schema.h"
#include "store/store.h"
#include "tests/support/dir.h"
#include "tests/support/fault_vfs.h"
#include "tests/support/stored.h"

enum { CHUNK = 1 << 18, PAGE = 4096, SEAL_CAP = 128, BYTES_MAX = 4 << 20 };

struct bytes {
    char *ptr;
    size_t len;
};

static char seal_path[320];
static char log_path[320];

static int
setup(void **state)
{
    stored_setup(state);
    snprintf(seal_path, sizeof(seal_path), "%s.seal", stored.path);
    snprintf(log_path, sizeof(log_path), "%s-wal", stored.path);
    return 0;
}

static struct bytes
read_bytes(const char *path)
{
    struct bytes out = {malloc(BYTES_MAX), 0};
    FILE *file = fopen(path, "rb");

    assert_non_null(out.ptr);
    if (file) {
        out.len = fread(out.ptr, 1, BYTES_MAX, file);
        (void)fclose(file);
    }
    assert_true(out.len < BYTES_MAX);
    return out;
}

static void
write_bytes(const char *path, struct bytes bytes)
{
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(bytes.ptr, 1, bytes.len, file), bytes.len);
    assert_int_equal(fclose(file), 0);
}

static void
write_text(const char *path, const char *text)
{
    char *copy = strdup(text);

    assert_non_null(copy);
    write_bytes(path, (struct bytes){copy, strlen(copy)});
    free(copy);
}

/* What the seal of |bytes| should say, made up here once more. */
static void
seal_of(struct bytes bytes, char out[SEAL_CAP])
{
    struct digest128 digest = {0, 0};
    char *chain = malloc(sizeof(digest) + CHUNK);

    assert_non_null(chain);
    for (size_t at = 0; at < bytes.len; at += CHUNK) {
        size_t some = bytes.len - at < CHUNK ? bytes.len - at : CHUNK;
        memcpy(chain, &digest, sizeof(digest));
        memcpy(chain + sizeof(digest), bytes.ptr + at, some);
        digest = hash_digest((str){chain, sizeof(digest) + some});
    }
    free(chain);
    snprintf(out, SEAL_CAP, "whole 1: %zu bytes %016llx%016llx\n", bytes.len,
             (unsigned long long)digest.hi, (unsigned long long)digest.lo);
}

static void
assert_sealed(bool expected)
{
    struct bytes bytes = read_bytes(stored.path);
    struct bytes seal = read_bytes(seal_path);
    char should[SEAL_CAP];

    seal_of(bytes, should);
    bool is_sealed =
        seal.len == strlen(should) && memcmp(seal.ptr, should, seal.len) == 0;
    assert_int_equal(is_sealed, expected);
    free(bytes.ptr);
    free(seal.ptr);
}

static enum err
try_open(void)
{
    struct store *st = NULL;

    buf_reset(&stored.why);
    enum err err =
        store_open(&st, stored.dir, STORE_SYNC_FULL, STORED_NOW, &stored.why);
    store_close(st);
    return err;
}

static void
make_filled(void)
{
    struct store *st = stored_open();

    stored_fill(st);
    store_close(st);
}

/* A page of an index that nobody reads when a store is opened. */
static int64_t
odd_page(void)
{
    return stored_ask("SELECT rootpage FROM sqlite_schema"
                      " WHERE name = 'edge_dst'");
}

static void
zero_page(int64_t page)
{
    static const char zeros[PAGE];
    int fd = open(stored.path, O_WRONLY | O_CLOEXEC);

    assert_int_equal(pwrite(fd, zeros, PAGE, (page - 1) * PAGE), PAGE);
    assert_int_equal(close(fd), 0);
}

/* A closed store with damage, whose bytes are returned with |seal| of them. */
static struct bytes
make_damaged(char seal[SEAL_CAP])
{
    make_filled();
    zero_page(odd_page());
    struct bytes bytes = read_bytes(stored.path);
    seal_of(bytes, seal);
    return bytes;
}

/* ---- sealed ---- */

static void
a_closed_file_is_sealed(void **state)
{
    struct stat info;

    (void)state;
    store_close(stored_open());
    assert_sealed(true);
    assert_int_equal(stat(seal_path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);

    struct store *st = stored_open();
    stored_fill(st);
    assert_int_equal(store_checkpoint(st), OK);
    store_close(st);
    assert_sealed(true);
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
        assert_sealed(true);
    }
    struct bytes bytes = read_bytes(stored.path);
    assert_true(bytes.len > (size_t)2 * CHUNK);
    free(bytes.ptr);
}

/* Forged by hand, since nothing of ours would seal damage. */
static void
sealed_bytes_are_not_looked_through(void **state)
{
    char seal[SEAL_CAP];
    struct bytes damaged = make_damaged(seal);

    (void)state;
    write_text(seal_path, seal);
    assert_int_equal(try_open(), OK);
    assert_false(files_is_suspect(stored.dir, STORE_FILE));
    assert_int_equal(try_open(), OK); /* nor when closed as they were */
    assert_sealed(true);

    assert_int_equal(unlink(seal_path), 0);
    assert_int_equal(try_open(), ERR_CORRUPT);
    assert_int_equal(dir_count(stored.dir, STORE_FILE ".corrupt-"), 4);
    assert_int_equal(try_open(), OK); /* begun anew */
    assert_sealed(true);
    free(damaged.ptr);
}

/* ---- not to be believed ---- */

static void
expect_a_look(const char *what, struct bytes damaged)
{
    write_bytes(stored.path, damaged);
    enum err err = try_open();
    if (err != ERR_CORRUPT)
        fail_msg("a seal was believed: %s", what);
    assert_int_not_equal(access(stored.path, F_OK), 0);
    stored_empty();
}

static void
a_seal_that_is_torn_or_wrong_is_not_believed(void **state)
{
    char seal[SEAL_CAP], other[SEAL_CAP + 8];
    struct bytes damaged = make_damaged(seal);

    (void)state;
    expect_a_look("that of before", damaged);
    expect_a_look("none", damaged);
    for (size_t len = 0; len < strlen(seal); len++) {
        snprintf(other, sizeof(other), "%.*s", (int)len, seal);
        write_text(seal_path, other);
        expect_a_look(other, damaged);
        memcpy(other, seal, strlen(seal) + 1);
        other[len] ^= 1;
        write_text(seal_path, other);
        expect_a_look(other, damaged);
    }
    snprintf(other, sizeof(other), "%s\n", seal);
    write_text(seal_path, other);
    expect_a_look(other, damaged);
    free(damaged.ptr);
}

static void
a_seal_that_is_no_file_is_not_believed(void **state)
{
    char seal[SEAL_CAP], elsewhere[320];
    struct bytes damaged = make_damaged(seal);

    (void)state;
    stored_empty();
    assert_int_equal(mkdir(seal_path, 0700), 0);
    expect_a_look("a directory", damaged);
    assert_int_equal(mkfifo(seal_path, 0600), 0);
    expect_a_look("a pipe", damaged);
    snprintf(elsewhere, sizeof(elsewhere), "%s/elsewhere", stored.dir);
    write_text(elsewhere, seal);
    assert_int_equal(symlink(elsewhere, seal_path), 0);
    expect_a_look("a link", damaged);
    free(damaged.ptr);
}

static void
damage_behind_a_seal_is_found(void **state)
{
    (void)state;
    make_filled();
    struct bytes bytes = read_bytes(stored.path);
    struct bytes seal = read_bytes(seal_path);
    char *page = bytes.ptr + (odd_page() - 1) * PAGE;
    struct bytes shorter = {bytes.ptr, bytes.len - PAGE};

    write_bytes(seal_path, seal);
    expect_a_look("of a longer file", shorter);
    page[0] ^= 4; /* the kind of the page */
    write_bytes(seal_path, seal);
    expect_a_look("of a file with another bit", bytes);
    free(bytes.ptr);
    free(seal.ptr);
}

static void
a_log_beside_the_file_makes_the_seal_void(void **state)
{
    char seal[SEAL_CAP];
    struct bytes damaged = make_damaged(seal);

    (void)state;
    write_text(seal_path, seal);
    write_text(log_path, "whatever");
    expect_a_look("with a log", damaged);
    free(damaged.ptr);
}

static void
who_is_suspect_is_looked_through_and_not_sealed(void **state)
{
    char seal[SEAL_CAP];
    struct bytes damaged = make_damaged(seal);

    (void)state;
    write_text(seal_path, seal);
    files_mark_suspect(stored.dir, STORE_FILE);
    expect_a_look("of a suspect", damaged);
    free(damaged.ptr);

    struct store *st = stored_open();
    stored_fill(st);
    files_mark_suspect(stored.dir, STORE_FILE);
    store_close(st);
    assert_sealed(false);
    assert_int_equal(try_open(), OK); /* looked through */
    assert_false(files_is_suspect(stored.dir, STORE_FILE));
    assert_sealed(true);
}

/* ---- closing ---- */

static void
damage_met_when_closing_is_not_sealed(void **state)
{
    (void)state;
    make_filled();
    int64_t page = odd_page();
    struct store *st = stored_open();
    zero_page(page);
    store_close(st);
    assert_sealed(false);
    assert_true(files_is_suspect(stored.dir, STORE_FILE));
    assert_int_equal(try_open(), ERR_CORRUPT);
    assert_false(files_is_suspect(stored.dir, STORE_FILE));
}

static void
a_reader_that_holds_the_log_leaves_the_file_unsealed(void **state)
{
    sqlite3 *reader = NULL;

    (void)state;
    make_filled();
    struct store *st = stored_open();
    assert_int_equal(
        sqlite3_open_v2(stored.path, &reader, SQLITE_OPEN_READONLY, NULL),
        SQLITE_OK);
    assert_int_equal(
        sqlite3_exec(reader, "BEGIN; SELECT * FROM edge", NULL, NULL, NULL),
        SQLITE_OK);
    stored_append(st, 100, STORED_NOW, 7);
    struct bytes before = read_bytes(seal_path);
    store_close(st);
    struct bytes after = read_bytes(seal_path);
    assert_int_equal(before.len, after.len);
    assert_memory_equal(before.ptr, after.ptr, after.len);
    sqlite3_close(reader);
    free(before.ptr);
    free(after.ptr);
    assert_int_equal(try_open(), OK);
    assert_sealed(true);
    assert_int_equal(stored_ask("SELECT count(*) FROM journal"), 2);
}

static void
a_seal_that_cannot_be_written_costs_a_look(void **state)
{
    (void)state;
    assert_int_equal(mkdir(seal_path, 0700), 0);
    make_filled();
    assert_int_equal(try_open(), OK);
    assert_int_equal(rmdir(seal_path), 0);
    assert_int_equal(try_open(), OK);
    assert_sealed(true);
}

/* Reads that fail, when it is opened and when it is closed, are neither damage
 * nor is a seal made of what was not read. */
static void
fail_read(uint64_t at, bool stays)
{
    struct bytes before = read_bytes(seal_path);
    struct store *st = NULL;

    fault_vfs_fail_read_at(at, stays);
    enum err err =
        store_open(&st, stored.dir, STORE_SYNC_FULL, STORED_NOW, &stored.why);
    if (!err && !store_begin(st)) {
        struct edge_delta delta = stored_edge(400, 1, 5, 5);
        (void)store_add_edge(st, &delta);
        (void)store_commit(st);
    }
    store_close(st);
    assert_true(!err || err == ERR_STORE || err == ERR_NOMEM);
    assert_int_equal(dir_count(stored.dir, STORE_FILE ".corrupt-"), 0);
    assert_false(files_is_suspect(stored.dir, STORE_FILE));
    struct bytes after = read_bytes(seal_path);
    if (before.len != after.len ||
        memcmp(before.ptr, after.ptr, after.len) != 0)
        assert_sealed(true);
    free(before.ptr);
    free(after.ptr);
}

static void
a_read_that_fails_is_no_damage(void **state)
{
    (void)state;
    make_filled();
    for (int stays = 0; stays < 2; stays++) {
        bool clean = false;
        for (uint64_t at = 1; !clean; at++) {
            fault_vfs_heal();
            fail_read(at, stays);
            clean = fault_vfs_reads() < at;
            fault_vfs_heal();
            assert_int_equal(try_open(), OK);
            assert_sealed(true);
        }
    }
}

/* ---- bounds ---- */

static struct dbfile_spec
spec_of(int64_t check_max, bool is_sealed)
{
    return (struct dbfile_spec){
        .file = STORE_FILE,
        .lock = STORE_LOCK,
        .migrations = schema_migrations,
        .migration_len = schema_len,
        .check_max = check_max,
        .is_sealed = is_sealed,
    };
}

static void
open_and_close(int64_t check_max, bool is_sealed, enum err expected)
{
    const struct dbfile_spec spec = spec_of(check_max, is_sealed);
    struct dbfile file;

    enum err err =
        dbfile_open(&file, stored.dir, &spec, DBFILE_SYNC_FULL, &stored.why);
    assert_int_equal(err, expected);
    if (err)
        dbfile_drop(&file);
    else
        dbfile_close(&file);
}

static void
a_file_over_its_bound_is_neither_looked_through_nor_sealed(void **state)
{
    (void)state;
    make_filled();
    int64_t size = files_size(stored.path);
    assert_int_equal(unlink(seal_path), 0);
    open_and_close(size - 1, true, OK);
    assert_sealed(false);
    open_and_close(size, true, OK);
    assert_sealed(true);
    zero_page(odd_page());
    open_and_close(size - 1, true, OK);
    open_and_close(size, true, ERR_CORRUPT);
}

static void
seals_are_for_whom_they_are_meant(void **state)
{
    char seal[SEAL_CAP];

    (void)state;
    make_filled();
    assert_int_equal(unlink(seal_path), 0);
    open_and_close(BYTES_MAX, false, OK);
    assert_int_not_equal(access(seal_path, F_OK), 0);
    struct bytes damaged = make_damaged(seal);
    write_text(seal_path, seal);
    open_and_close(BYTES_MAX, false, ERR_CORRUPT);
    free(damaged.ptr);
}

/* A page that the connection still remembers is looked at as it is on disk. */
static void
damage_under_the_cache_is_not_sealed(void **state)
{
    const struct dbfile_spec spec = spec_of(BYTES_MAX, true);
    struct dbfile file;

    (void)state;
    make_filled();
    int64_t page = odd_page();
    assert_int_equal(
        dbfile_open(&file, stored.dir, &spec, DBFILE_SYNC_FULL, &stored.why),
        OK);
    assert_int_equal(
        dbfile_exec(&file, "SELECT dst FROM edge INDEXED BY edge_dst"), OK);
    zero_page(page);
    dbfile_close(&file);
    assert_sealed(false);
    assert_true(files_is_suspect(stored.dir, STORE_FILE));
    assert_int_equal(try_open(), ERR_CORRUPT);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, stored_teardown)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_closed_file_is_sealed),
        TEST(a_file_of_several_chunks_is_sealed),
        TEST(sealed_bytes_are_not_looked_through),
        TEST(a_seal_that_is_torn_or_wrong_is_not_believed),
        TEST(a_seal_that_is_no_file_is_not_believed),
        TEST(damage_behind_a_seal_is_found),
        TEST(a_log_beside_the_file_makes_the_seal_void),
        TEST(who_is_suspect_is_looked_through_and_not_sealed),
        TEST(damage_met_when_closing_is_not_sealed),
        TEST(damage_under_the_cache_is_not_sealed),
        TEST(a_reader_that_holds_the_log_leaves_the_file_unsealed),
        TEST(a_seal_that_cannot_be_written_costs_a_look),
        TEST(a_read_that_fails_is_no_damage),
        TEST(a_file_over_its_bound_is_neither_looked_through_nor_sealed),
        TEST(seals_are_for_whom_they_are_meant),
    };

    fault_vfs_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
