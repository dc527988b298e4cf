#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "store/spool.h"
#include "tests/support/dir.h"
#include "tests/support/fault_vfs.h"
#include "tests/support/size.h"

#define NOW (UINT64_C(1700000000) * NS_PER_S)

enum { MAX = 4000, BATCH = 1000 };

static struct {
    char dir[64];
    char path[128];
    struct buf why;
    struct spool *spool;
    uint64_t lost; /* of what was set aside */
} t;

static const struct spool_cfg usual = {.max_bytes = MAX,
                                       .batch_bytes = BATCH,
                                       .batch_age_ns = NS_PER_S,
                                       .is_durable = true};

static enum err
try_open(uint64_t now_ns)
{
    buf_reset(&t.why);
    return spool_open(&t.spool, t.dir, &usual, now_ns, &t.why);
}

static void
reopen(uint64_t now_ns)
{
    spool_close(t.spool);
    if (try_open(now_ns))
        fail_msg("%s", buf_cstr(&t.why));
}

static int
set_up(void **state)
{
    (void)state;
    fault_vfs_heal();
    dir_make(t.dir);
    (void)snprintf(t.path, sizeof(t.path), "%s/" SPOOL_FILE, t.dir);
    t.spool = NULL;
    t.lost = 0;
    reopen(NOW);
    return 0;
}

static int
tear_down(void **state)
{
    (void)state;
    fault_vfs_heal();
    spool_close(t.spool);
    dir_remove(t.dir);
    buf_fini(&t.why);
    return 0;
}

/* A part of |len| bytes that begin with |name|, which stands for |raw|. */
static enum err
put(char name, size_t len, uint64_t raw, uint64_t now_ns)
{
    char *bytes = malloc(len + 1);
    uint64_t gone;

    memset(bytes, name, len + 1);
    enum err err = spool_begin(t.spool);
    if (!err)
        err = spool_put(t.spool, (str){bytes, len}, raw, 10, now_ns, &gone);
    if (!err)
        err = spool_commit(t.spool);
    if (err)
        spool_rollback(t.spool);
    else
        t.lost += gone;
    free(bytes);
    return err;
}

static bool
is_new(uint64_t digest, uint64_t now_ns)
{
    bool is_new = false;

    assert_int_equal(spool_begin(t.spool), OK);
    assert_int_equal(spool_note(t.spool, (struct digest128){digest, digest},
                                now_ns, &is_new),
                     OK);
    assert_int_equal(spool_commit(t.spool), OK);
    return is_new;
}

/* The names of the parts of the next batch, or "" if none is due. */
static const char *
next(uint64_t now_ns, bool is_last, struct spool_batch *out)
{
    static char names[64];
    size_t len = 0;

    enum err err = spool_next(t.spool, now_ns, is_last, out);
    assert_true(err == OK || err == ERR_NOT_FOUND);
    for (size_t i = 0; !err && i < out->bytes.len; i++)
        if (i == 0 || out->bytes.ptr[i] != out->bytes.ptr[i - 1])
            names[len++] = out->bytes.ptr[i];
    names[len] = '\0';
    return names;
}

static int64_t
count(const char *sql)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *stmt = NULL;

    assert_int_equal(sqlite3_open_v2(t.path, &db, SQLITE_OPEN_READONLY, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &stmt, NULL), SQLITE_OK);
    int64_t value =
        sqlite3_step(stmt) == SQLITE_ROW ? sqlite3_column_int64(stmt, 0) : -1;
    sqlite3_finalize(stmt);
    sqlite3_close(db);
    return value;
}

/* ---- batches ---- */

static void
parts_gather_until_a_batch_is_large_or_old(void **state)
{
    struct spool_batch batch = {0};

    (void)state;
    assert_int_equal(put('a', 10, 400, NOW), OK);
    assert_int_equal(put('b', 10, 600, NOW), OK); /* just fits */
    assert_string_equal(next(NOW, false, &batch), "ab");
    assert_int_equal(batch.raw_len, 1000);
    assert_int_equal(batch.spans, 20);
    assert_true(batch.at_ns == NOW);
    assert_int_equal(put('c', 10, 1, NOW), OK); /* a batch of its own now */
    assert_string_equal(next(NOW, false, &batch), "ab");
    assert_int_equal(spool_drop(t.spool, batch.id), OK);
    assert_string_equal(next(NOW + NS_PER_S - 1, false, &batch), "");
    assert_true(spool_get_stats(t.spool).due_ns == NOW + NS_PER_S);
    assert_string_equal(next(NOW + NS_PER_S, false, &batch), "c");
    assert_int_equal(spool_drop(t.spool, batch.id), OK);
    assert_int_equal(put('d', 10, 1001, NOW), OK); /* large by itself */
    assert_string_equal(next(NOW, false, &batch), "d");
    assert_int_equal(spool_drop(t.spool, batch.id), OK);
    assert_int_equal(put('e', 10, 1, NOW), OK);
    assert_string_equal(next(NOW, true, &batch), "e"); /* the last */
    assert_int_equal(spool_drop(t.spool, batch.id), OK);
    assert_string_equal(next(NOW + 9 * NS_PER_S, true, &batch), "");
    assert_int_equal(spool_get_stats(t.spool).bytes, 0);
    assert_int_equal(spool_get_stats(t.spool).batches, 0);
    assert_true(spool_get_stats(t.spool).oldest_ns == 0);
    buf_fini(&batch.bytes);
}

/* A clock that was set back does not hold up what waits. */
static void
a_batch_from_the_future_is_old_enough(void **state)
{
    struct spool_batch batch = {0};

    (void)state;
    assert_int_equal(put('a', 10, 1, NOW), OK);
    assert_string_equal(next(NOW - 1, false, &batch), "a");
    buf_fini(&batch.bytes);
}

static void
a_batch_is_the_same_however_often_it_is_read(void **state)
{
    struct spool_batch batch = {0};
    struct buf first = {0};

    (void)state;
    assert_int_equal(put('a', 10, 1, NOW), OK);
    assert_int_equal(put('b', 20, 1, NOW), OK);
    assert_string_equal(next(NOW + NS_PER_S, false, &batch), "ab");
    buf_add(&first, buf_str(&batch.bytes));
    /* What comes now does not belong to it, nor what an heir is given. */
    assert_int_equal(put('c', 10, 1, NOW), OK);
    assert_string_equal(next(NOW, true, &batch), "ab");
    reopen(NOW);
    assert_int_equal(put('d', 10, 1, NOW), OK);
    assert_string_equal(next(NOW, true, &batch), "ab");
    assert_true(str_eq(buf_str(&first), buf_str(&batch.bytes)));
    assert_int_equal(spool_get_stats(t.spool).batches, 3);
    assert_int_equal(spool_get_stats(t.spool).bytes, 50);
    assert_int_equal(spool_drop(t.spool, batch.id), OK);
    assert_string_equal(next(NOW, true, &batch), "c");
    assert_int_equal(spool_drop(t.spool, batch.id), OK);
    assert_string_equal(next(NOW, true, &batch), "d");
    buf_fini(&batch.bytes);
    buf_fini(&first);
}

static void
the_limit_holds_to_the_byte(void **state)
{
    struct spool_batch batch = {0};

    (void)state;
    assert_int_equal(put('a', MAX + 1, 1, NOW), ERR_TOO_LARGE);
    assert_int_equal(put('b', MAX - 10, 1, NOW), OK);
    assert_int_equal(put('c', 11, 1, NOW), ERR_FULL);
    assert_true(spool_has_room(t.spool, 10));
    assert_false(spool_has_room(t.spool, 11));
    assert_int_equal(put('d', 10, 1, NOW), OK);
    assert_int_equal(put('e', 1, 1, NOW), ERR_FULL);
    assert_false(spool_has_room(t.spool, 1));
    assert_int_equal(spool_get_stats(t.spool).bytes, MAX);
    reopen(NOW);
    assert_int_equal(put('e', 1, 1, NOW), ERR_FULL);
    assert_string_equal(next(NOW, true, &batch), "bd");
    assert_int_equal(spool_drop(t.spool, batch.id), OK);
    assert_int_equal(put('f', MAX, 1, NOW), OK);
    buf_fini(&batch.bytes);
}

static void
a_transaction_that_is_given_up_leaves_nothing(void **state)
{
    struct spool_batch batch = {0};
    bool is_fresh;

    (void)state;
    assert_int_equal(put('a', 10, 1, NOW), OK);
    assert_int_equal(spool_begin(t.spool), OK);
    assert_int_equal(
        spool_note(t.spool, (struct digest128){7, 7}, NOW, &is_fresh), OK);
    uint64_t lost;
    assert_int_equal(spool_put(t.spool, STR("bbb"), 1, 1, NOW, &lost), OK);
    spool_rollback(t.spool);
    assert_int_equal(spool_get_stats(t.spool).bytes, 10);
    assert_int_equal(spool_get_stats(t.spool).batches, 1);
    assert_true(is_new(7, NOW));
    assert_string_equal(next(NOW, true, &batch), "a");
    buf_fini(&batch.bytes);
}

/* ---- what came before ---- */

static void
a_request_is_known_for_fifteen_minutes(void **state)
{
    (void)state;
    assert_true(is_new(1, NOW));
    assert_false(is_new(1, NOW));
    reopen(NOW);
    assert_false(is_new(1, NOW + SPOOL_SEEN_NS));
    assert_true(is_new(1, NOW + SPOOL_SEEN_NS + 1));
    assert_false(is_new(1, NOW + SPOOL_SEEN_NS + 2)); /* known anew */
    assert_true(is_new(2, NOW));
}

static void
what_was_known_is_forgotten(void **state)
{
    (void)state;
    for (uint64_t i = 1; i <= 100; i++)
        assert_true(is_new(i, NOW));
    for (uint64_t i = 1; i <= 40; i++)
        assert_true(is_new(1000 + i, NOW + 2 * SPOOL_SEEN_NS));
    assert_int_equal(count("SELECT count(*) FROM seen"), 40);
}

static void
no_more_are_known_than_the_limit(void **state)
{
    bool is_fresh;

    (void)state;
    assert_int_equal(spool_begin(t.spool), OK);
    for (uint64_t i = 1; i <= SPOOL_SEEN_MAX + 1; i++)
        assert_int_equal(
            spool_note(t.spool, (struct digest128){i, i}, NOW, &is_fresh), OK);
    assert_int_equal(spool_commit(t.spool), OK);
    assert_int_equal(count("SELECT count(*) FROM seen"), SPOOL_SEEN_MAX);
    assert_false(is_new(2, NOW));
    assert_true(is_new(1, NOW)); /* the oldest had to go */
}

/* ---- what nobody takes ---- */

static void
what_is_set_aside_is_out_of_the_way_and_comes_back(void **state)
{
    struct spool_batch batch = {0};
    uint64_t back = 0;

    (void)state;
    assert_int_equal(put('a', 10, BATCH, NOW), OK);
    assert_int_equal(put('b', 10, BATCH, NOW), OK);
    assert_string_equal(next(NOW, true, &batch), "a");
    assert_int_equal(spool_set_aside(t.spool, batch.id), OK);
    assert_int_equal(spool_get_stats(t.spool).bytes, 10);
    assert_int_equal(spool_get_stats(t.spool).aside_bytes, 10);
    assert_string_equal(next(NOW, true, &batch), "b");
    reopen(NOW);
    assert_int_equal(spool_get_stats(t.spool).aside_bytes, 10);
    assert_int_equal(put('c', 10, 1, NOW), OK);
    assert_int_equal(spool_take_back(t.spool, &back), OK);
    assert_int_equal(back, 1);
    assert_int_equal(spool_get_stats(t.spool).aside_bytes, 0);
    assert_int_equal(spool_get_stats(t.spool).bytes, 30);
    assert_string_equal(next(NOW, true, &batch), "a");
    assert_int_equal(spool_take_back(t.spool, &back), OK);
    assert_int_equal(back, 0);
    buf_fini(&batch.bytes);
}

static void
what_is_set_aside_makes_room_the_oldest_first(void **state)
{
    struct spool_batch batch = {0};
    uint64_t back;

    (void)state;
    for (char name = 'a'; name < 'd'; name++) {
        assert_int_equal(put(name, MAX / 4, BATCH, NOW), OK);
        assert_int_equal(spool_next(t.spool, NOW, true, &batch), OK);
        assert_int_equal(spool_set_aside(t.spool, batch.id), OK);
    }
    assert_int_equal(put('e', MAX / 4, BATCH, NOW), OK); /* just fits */
    assert_int_equal(t.lost, 0);
    assert_int_equal(spool_get_stats(t.spool).aside_bytes, MAX / 4 * 3);
    assert_int_equal(put('f', 1, BATCH, NOW), OK);
    assert_int_equal(t.lost, 10); /* a */
    assert_int_equal(spool_get_stats(t.spool).aside_bytes, MAX / 4 * 2);
    reopen(NOW);
    assert_int_equal(put('g', MAX / 2 - 1, BATCH, NOW), OK);
    assert_int_equal(t.lost, 20); /* b */
    assert_int_equal(spool_take_back(t.spool, &back), OK);
    assert_int_equal(back, 1);
    assert_true(spool_get_stats(t.spool).bytes <= MAX);
    assert_string_equal(next(NOW, true, &batch), "c");
    assert_int_equal(put('h', MAX / 2, BATCH, NOW), ERR_FULL);
    assert_int_equal(t.lost, 20);
    buf_fini(&batch.bytes);
}

/* What a transaction that fails would have dropped stays. */
static void
a_transaction_that_is_given_up_drops_nothing(void **state)
{
    struct spool_batch batch = {0};
    uint64_t lost;

    (void)state;
    assert_int_equal(put('a', MAX, BATCH, NOW), OK);
    assert_int_equal(spool_next(t.spool, NOW, true, &batch), OK);
    assert_int_equal(spool_set_aside(t.spool, batch.id), OK);
    assert_int_equal(spool_begin(t.spool), OK);
    assert_int_equal(spool_put(t.spool, STR("b"), 1, 1, NOW, &lost), OK);
    assert_int_equal(lost, 10);
    spool_rollback(t.spool);
    assert_int_equal(spool_get_stats(t.spool).aside_bytes, MAX);
    assert_int_equal(count("SELECT count(*) FROM aside"), 1);
    buf_fini(&batch.bytes);
}

/* ---- damage ---- */

static void
a_part_with_another_byte_in_it_is_noticed(void **state)
{
    struct spool_batch batch = {0};
    sqlite3 *db = NULL;

    (void)state;
    assert_int_equal(put('a', 10, BATCH, NOW), OK);
    assert_int_equal(put('b', 10, BATCH, NOW), OK);
    spool_close(t.spool);
    assert_int_equal(sqlite3_open(t.path, &db), SQLITE_OK);
    assert_int_equal(
        sqlite3_exec(db, "UPDATE part SET data = x'616162' WHERE seq = 1", NULL,
                     NULL, NULL),
        SQLITE_OK);
    sqlite3_close(db);
    assert_int_equal(try_open(NOW), OK);
    assert_int_equal(spool_next(t.spool, NOW, true, &batch), ERR_CORRUPT);
    assert_int_equal(batch.id, 1);
    assert_int_equal(batch.spans, 10);
    assert_int_equal(spool_set_aside(t.spool, batch.id), OK);
    assert_string_equal(next(NOW, true, &batch), "b");
    buf_fini(&batch.bytes);
}

static void
flip(uint64_t *random)
{
    FILE *file = fopen(t.path, "r+b");
    struct stat info;

    assert_non_null(file);
    assert_int_equal(fstat(fileno(file), &info), 0);
    for (int i = 0; i < 8; i++) {
        long at = (long)(size_roll(random) % (uint64_t)info.st_size);
        (void)fseek(file, at, SEEK_SET);
        (void)fputc((int)(size_roll(random) & 0xff), file);
    }
    assert_int_equal(fclose(file), 0);
}

/* Whatever happened to the file: what is handed out is what was put in, or it
 * is said that it is not. */
static void
no_damage_is_handed_out(void **state)
{
    struct seeds seeds = size_seeds(300, 5000, 20000);
    int damaged = 0;

    (void)state;
    for (uint64_t seed = seeds.first; seed <= seeds.last; seed++) {
        uint64_t random = seed;
        struct spool_batch batch = {0};
        spool_close(t.spool);
        t.spool = NULL;
        dir_remove(t.dir);
        assert_int_equal(mkdir(t.dir, 0700), 0);
        assert_int_equal(try_open(NOW), OK);
        for (char name = 'a'; name < 'e'; name++)
            assert_int_equal(put(name, 900, BATCH, NOW), OK);
        spool_close(t.spool);
        flip(&random);
        enum err err = try_open(NOW);
        damaged += err != OK;
        if (err) {
            assert_true(err == ERR_CORRUPT || err == ERR_INVALID ||
                        err == ERR_STORE);
            assert_true(t.why.len > 0);
            continue;
        }
        for (int i = 0; i < 8; i++) {
            err = spool_next(t.spool, NOW, true, &batch);
            if (!err) {
                assert_int_equal(batch.bytes.len % 900, 0);
                for (size_t n = 0; n < batch.bytes.len; n++)
                    assert_int_equal(batch.bytes.ptr[n],
                                     batch.bytes.ptr[n / 900 * 900]);
                err = spool_drop(t.spool, batch.id);
            }
            damaged += err && err != ERR_NOT_FOUND;
            if (err)
                break;
        }
        buf_fini(&batch.bytes);
    }
    assert_true(size_is_one() || damaged > 10);
}

/* ---- disks that fail ---- */

static void
every_failing_operation_leaves_all_or_nothing(void **state)
{
    static const int codes[] = {SQLITE_IOERR_WRITE, SQLITE_FULL,
                                SQLITE_IOERR_FSYNC};
    struct spool_batch batch = {0};
    int64_t parts = 0;

    (void)state;
    for (int round = 0; round < 6; round++) {
        bool clean = false;
        for (uint64_t at = 1; !clean; at++) {
            fault_vfs_heal();
            fault_vfs_fail_at(at, codes[round % 3], round >= 3);
            enum err err = put('x', 10, 1, NOW);
            clean = fault_vfs_count() < at;
            fault_vfs_heal();
            assert_true(!err || err == ERR_STORE);
            parts += err == OK;
            assert_int_equal(put('y', 10, 1, NOW), OK);
            parts++;
            assert_int_equal(spool_get_stats(t.spool).bytes, 10 * parts);
            assert_int_equal(count("SELECT count(*) FROM part"), parts);
        }
        while (spool_next(t.spool, NOW, true, &batch) == OK)
            assert_int_equal(spool_drop(t.spool, batch.id), OK);
        parts = 0;
    }
    buf_fini(&batch.bytes);
}

/* What was acknowledged is there after any loss of power, in the order in which
 * it came; what was handed on may be there again, but nothing in part. */
static void
acknowledged_parts_survive_a_loss_of_power(void **state)
{
    struct seeds seeds = size_seeds(200, 5000, 20000);

    (void)state;
    for (uint64_t seed = seeds.first; seed <= seeds.last; seed++) {
        struct spool_batch batch = {0};
        uint64_t random = seed;
        int acked = 0;
        int sent = 0;
        int dropped = 0;
        spool_close(t.spool);
        t.spool = NULL;
        dir_remove(t.dir);
        assert_int_equal(mkdir(t.dir, 0700), 0);
        fault_vfs_heal();
        fault_vfs_record();
        assert_int_equal(try_open(NOW), OK);
        fault_vfs_fail_at(fault_vfs_count() + 1 + seed * 7 % 90,
                          SQLITE_IOERR_WRITE, true);
        for (enum err err = OK; !err && sent < 20;) {
            sent++;
            err = put((char)('a' + sent), 10, BATCH, NOW);
            acked += err == OK;
            if (!err && size_one_in(&random, 3) &&
                !(err = spool_next(t.spool, NOW, true, &batch)))
                dropped += !(err = spool_drop(t.spool, batch.id));
        }
        spool_close(t.spool);
        fault_vfs_heal();
        fault_vfs_lose_power(seed);
        assert_int_equal(try_open(NOW), OK);
        int first = 0;
        int last = 0;
        while (spool_next(t.spool, NOW, true, &batch) == OK) {
            int name = batch.bytes.ptr[0] - 'a';
            if (batch.bytes.len != 10 || (last && name != last + 1))
                fail_msg("SEED=%d: %d behind %d", (int)seed, name, last);
            first = first ? first : name;
            last = name;
            assert_int_equal(spool_drop(t.spool, batch.id), OK);
        }
        if ((first && first > dropped + 2) || (first && last < acked) ||
            (!first && dropped + 1 < acked))
            fail_msg("SEED=%d: %d to %d of %d, %d dropped", (int)seed, first,
                     last, acked, dropped);
        buf_fini(&batch.bytes);
    }
}

static void
a_spool_has_one_owner(void **state)
{
    struct spool *other = NULL;

    (void)state;
    assert_int_equal(spool_open(&other, t.dir, &usual, NOW, &t.why), ERR_BUSY);
    assert_null(other);
}

/* What is forgotten makes room for what comes, and the log is cut. */
static void
the_files_do_not_grow(void **state)
{
    struct spool_batch batch = {0};
    struct stat info;
    char wal[160];

    (void)state;
    for (int i = 0; i < 4000; i++) {
        assert_int_equal(put('a', MAX, BATCH, NOW), OK);
        assert_int_equal(spool_next(t.spool, NOW, true, &batch), OK);
        assert_int_equal(spool_drop(t.spool, batch.id), OK);
    }
    assert_int_equal(stat(t.path, &info), 0);
    assert_true(info.st_size < 200 << 10);
    (void)snprintf(wal, sizeof(wal), "%s-wal", t.path);
    assert_int_equal(stat(wal, &info), 0);
    assert_true(info.st_size < 8 << 20);
    buf_fini(&batch.bytes);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        TEST(parts_gather_until_a_batch_is_large_or_old),
        TEST(a_batch_from_the_future_is_old_enough),
        TEST(a_batch_is_the_same_however_often_it_is_read),
        TEST(the_limit_holds_to_the_byte),
        TEST(a_transaction_that_is_given_up_leaves_nothing),
        TEST(a_request_is_known_for_fifteen_minutes),
        TEST(what_was_known_is_forgotten),
        TEST(no_more_are_known_than_the_limit),
        TEST(what_is_set_aside_is_out_of_the_way_and_comes_back),
        TEST(what_is_set_aside_makes_room_the_oldest_first),
        TEST(a_transaction_that_is_given_up_drops_nothing),
        TEST(a_part_with_another_byte_in_it_is_noticed),
        TEST(no_damage_is_handed_out),
        TEST(every_failing_operation_leaves_all_or_nothing),
        TEST(acknowledged_parts_survive_a_loss_of_power),
        TEST(a_spool_has_one_owner),
        TEST(the_files_do_not_grow),
    };

    size_args(argc, argv);
    fault_vfs_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
