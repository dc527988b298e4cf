/*
 * The spool on a disk that damages, fails or loses power.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "tests/support/dir.h"
#include "tests/support/fault_vfs.h"
#include "tests/support/size.h"
#include "tests/support/spooled.h"
#include "tests/support/stored.h"

/* ---- damage ---- */

static void
a_part_with_another_byte_in_it_is_noticed(void **state)
{
    struct spool_batch batch = {0};
    sqlite3 *db = NULL;

    (void)state;
    assert_int_equal(spooled_put('a', 10, SPOOLED_BATCH, SPOOLED_NOW), OK);
    assert_int_equal(spooled_put('b', 10, SPOOLED_BATCH, SPOOLED_NOW), OK);
    spool_close(spooled.spool);
    assert_int_equal(sqlite3_open(spooled.path, &db), SQLITE_OK);
    assert_int_equal(
        sqlite3_exec(db, "UPDATE part SET data = x'616162' WHERE seq = 1", NULL,
                     NULL, NULL),
        SQLITE_OK);
    sqlite3_close(db);
    assert_int_equal(spooled_try_open(SPOOLED_NOW), OK);
    assert_int_equal(spool_next(spooled.spool, SPOOLED_NOW, true, &batch),
                     ERR_CORRUPT);
    assert_int_equal(batch.id, 1);
    assert_int_equal(batch.spans, 10);
    assert_int_equal(spool_set_aside(spooled.spool, batch.id), OK);
    assert_string_equal(spooled_next(SPOOLED_NOW, true, &batch), "b");
    buf_fini(&batch.bytes);
}

static void
flip(uint64_t *random)
{
    FILE *file = fopen(spooled.path, "r+b");
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
        spool_close(spooled.spool);
        spooled.spool = NULL;
        dir_remove(spooled.dir);
        assert_int_equal(mkdir(spooled.dir, 0700), 0);
        assert_int_equal(spooled_try_open(SPOOLED_NOW), OK);
        for (char name = 'a'; name < 'e'; name++)
            assert_int_equal(spooled_put(name, 900, SPOOLED_BATCH, SPOOLED_NOW),
                             OK);
        spool_close(spooled.spool);
        flip(&random);
        enum err err = spooled_try_open(SPOOLED_NOW);
        damaged += err != OK;
        if (err) {
            assert_true(err == ERR_CORRUPT || err == ERR_INVALID ||
                        err == ERR_STORE);
            assert_true(spooled.why.len > 0);
            continue;
        }
        for (int i = 0; i < 8; i++) {
            err = spool_next(spooled.spool, SPOOLED_NOW, true, &batch);
            if (!err) {
                assert_int_equal(batch.bytes.len % 900, 0);
                for (size_t n = 0; n < batch.bytes.len; n++)
                    assert_int_equal(batch.bytes.ptr[n],
                                     batch.bytes.ptr[n / 900 * 900]);
                err = spool_drop(spooled.spool, batch.id);
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
            enum err err = spooled_put('x', 10, 1, SPOOLED_NOW);
            clean = fault_vfs_count() < at;
            fault_vfs_heal();
            assert_true(!err || err == ERR_STORE);
            parts += err == OK;
            assert_int_equal(spooled_put('y', 10, 1, SPOOLED_NOW), OK);
            parts++;
            assert_int_equal(spool_get_stats(spooled.spool).bytes, 10 * parts);
            assert_int_equal(
                stored_ask_of(spooled.path, "SELECT count(*) FROM part"),
                parts);
        }
        while (spool_next(spooled.spool, SPOOLED_NOW, true, &batch) == OK)
            assert_int_equal(spool_drop(spooled.spool, batch.id), OK);
        parts = 0;
    }
    buf_fini(&batch.bytes);
}

/* What failed stays in the log behind what came then: that is not damage. */
static void
what_failed_is_not_taken_for_damage(void **state)
{
    static const size_t lens[] = {3000, 2000, 1000};
    struct spool_batch batch = {0};

    (void)state;
    assert_int_equal(spooled_put('a', 10, SPOOLED_BATCH, SPOOLED_NOW), OK);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(spool_begin(spooled.spool), OK);
        for (size_t n = 0; n < lens[i]; n++) {
            bool is_new;
            assert_int_equal(spool_note(spooled.spool, (struct digest128){n, i},
                                        SPOOLED_NOW, &is_new),
                             OK);
        }
        fault_vfs_fail_sync(SQLITE_IOERR_FSYNC);
        assert_int_equal(spool_commit(spooled.spool), ERR_STORE);
        spool_rollback(spooled.spool);
        fault_vfs_heal();
    }
    assert_int_equal(spooled_put('b', 10, SPOOLED_BATCH, SPOOLED_NOW), OK);
    fault_vfs_heal();
    fault_vfs_die_at(1);
    spool_close(spooled.spool);
    spooled.spool = NULL;
    fault_vfs_heal();
    assert_int_equal(spooled_try_open(SPOOLED_NOW), OK);
    assert_string_equal(spooled_next(SPOOLED_NOW, true, &batch), "a");
    assert_int_equal(spool_drop(spooled.spool, batch.id), OK);
    assert_string_equal(spooled_next(SPOOLED_NOW, true, &batch), "b");
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
        spool_close(spooled.spool);
        spooled.spool = NULL;
        dir_remove(spooled.dir);
        assert_int_equal(mkdir(spooled.dir, 0700), 0);
        fault_vfs_heal();
        fault_vfs_record();
        assert_int_equal(spooled_try_open(SPOOLED_NOW), OK);
        fault_vfs_fail_at(fault_vfs_count() + 1 + seed * 7 % 90,
                          SQLITE_IOERR_WRITE, true);
        for (enum err err = OK; !err && sent < 20;) {
            sent++;
            err =
                spooled_put((char)('a' + sent), 10, SPOOLED_BATCH, SPOOLED_NOW);
            acked += err == OK;
            if (!err && size_one_in(&random, 3) &&
                !(err = spool_next(spooled.spool, SPOOLED_NOW, true, &batch)))
                dropped += !(err = spool_drop(spooled.spool, batch.id));
        }
        spool_close(spooled.spool);
        fault_vfs_heal();
        fault_vfs_lose_power(seed);
        assert_int_equal(spooled_try_open(SPOOLED_NOW), OK);
        int first = 0;
        int last = 0;
        while (spool_next(spooled.spool, SPOOLED_NOW, true, &batch) == OK) {
            int name = batch.bytes.ptr[0] - 'a';
            if (batch.bytes.len != 10 || (last && name != last + 1))
                fail_msg("SEED=%d: %d behind %d", (int)seed, name, last);
            first = first ? first : name;
            last = name;
            assert_int_equal(spool_drop(spooled.spool, batch.id), OK);
        }
        if ((first && first > dropped + 2) || (first && last < acked) ||
            (!first && dropped + 1 < acked))
            fail_msg("SEED=%d: %d to %d of %d, %d dropped", (int)seed, first,
                     last, acked, dropped);
        buf_fini(&batch.bytes);
    }
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        SPOOLED_TEST(a_part_with_another_byte_in_it_is_noticed),
        SPOOLED_TEST(no_damage_is_handed_out),
        SPOOLED_TEST(every_failing_operation_leaves_all_or_nothing),
        SPOOLED_TEST(what_failed_is_not_taken_for_damage),
        SPOOLED_TEST(acknowledged_parts_survive_a_loss_of_power),
    };

    size_args(argc, argv);
    fault_vfs_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
