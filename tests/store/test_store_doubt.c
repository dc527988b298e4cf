/*
 * A sync that fails takes with it what was committed before, lazily: the system
 * takes those pages for clean.  What is done after it must not stand on them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include <sqlite3.h>

#include "store/edge_rows.h"
#include "store/flush_rows.h"
#include "store/store.h"
#include "tests/support/fault_vfs.h"
#include "tests/support/size.h"
#include "tests/support/stored.h"

enum {
    BEFORE = 20, /* transactions: of over 64 KiB of log */
    MANY = 300,  /* enough for a checkpoint */
};

/* An edge, and so much that the log grows by two pages. */
static enum err
put(struct store *st, uint32_t id, enum err begun)
{
    static const char part[4000];
    struct edge_delta delta = stored_edge(id, 1, 5, 5);
    enum err err = begun;

    if (!err && !(err = store_add_edge(st, &delta)) &&
        !(err = store_put_part(st, 1, id, (str){part, sizeof(part)})))
        err = store_commit(st);
    if (err)
        store_rollback(st);
    return err;
}

static enum err
put_synced(struct store *st, uint32_t id)
{
    return put(st, id, store_begin(st));
}

static enum err
put_lazily(struct store *st, uint32_t id)
{
    return put(st, id, store_begin_lazily(st));
}

/* A disk that remembers, with |len| edges in the database, and as many in the
 * log of which nobody has asked that they are on it. */
static struct store *
begin(uint32_t len)
{
    stored_empty();
    fault_vfs_heal();
    struct store *st = stored_open();

    for (uint32_t id = 1; id <= len; id++)
        assert_int_equal(put_lazily(st, id), OK);
    store_close(st);
    fault_vfs_record();
    st = stored_open();
    for (uint32_t id = len + 1; id <= 2 * len; id++)
        assert_int_equal(put_lazily(st, id), OK);
    return st;
}

static void
fail_to_put(struct store *st, uint32_t id, uint64_t seed)
{
    fault_vfs_seed(seed);
    fault_vfs_fail_sync(seed % 2 ? SQLITE_FULL : SQLITE_IOERR_FSYNC);
    assert_int_equal(put_synced(st, id), ERR_STORE);
}

static void
lose_power(struct store *st, uint64_t seed)
{
    fault_vfs_die_at(1);
    store_close(st);
    fault_vfs_heal();
    fault_vfs_lose_power(seed);
}

static void
what_follows_a_failed_sync_outlives_the_power(void **state)
{
    struct seeds seeds = size_seeds(40, 2000, 10000);

    (void)state;
    for (uint64_t seed = seeds.first; seed <= seeds.last; seed++) {
        struct store *st = begin(BEFORE);

        fail_to_put(st, 2 * BEFORE + 1, seed);
        assert_int_equal(put_synced(st, 2 * BEFORE + 1), OK);
        lose_power(st, seed);

        st = stored_open();
        int64_t edges = stored_ask("SELECT count(*) FROM edge");
        if (edges != 2 * BEFORE + 1)
            fail_msg("SEED=%lu: %ld of the edges are left", seed, edges);
        store_close(st);
    }
}

/* The log that is in doubt goes into the database, in a step or as it is
 * closed, and the machine dies over it. */
static void
a_log_in_doubt_does_not_spoil_the_database(void **state)
{
    struct seeds seeds = size_seeds(24, 1000, 5000);

    (void)state;
    for (uint64_t seed = seeds.first; seed <= seeds.last; seed++) {
        struct store *st = begin(MANY);

        fail_to_put(st, 2 * MANY + 1, seed);
        fault_vfs_die_at(fault_vfs_count() + 2 + seed * 37 % 400);
        if (seed / 2 % 2) {
            (void)store_checkpoint_step(st);
            lose_power(st, seed);
        } else {
            store_close(st);
            fault_vfs_heal();
            fault_vfs_lose_power(seed);
        }

        st = stored_open();
        int64_t bad = stored_ask("SELECT count(*) FROM pragma_integrity_check"
                                 " WHERE integrity_check <> 'ok'");
        if (bad > 0)
            fail_msg("SEED=%lu: the database is damaged", seed);
        store_close(st);
    }
}

/* A row is written, its sync fails, and the process ends.  The next one finds
 * it, and from there on a retry is known: so it stays. */
static void
a_refused_row_that_was_found_outlives_the_power(void **state)
{
    struct seeds seeds = size_seeds(60, 2000, 10000);
    int found = 0;

    (void)state;
    for (uint64_t seed = seeds.first; seed <= seeds.last; seed++) {
        stored_empty();
        fault_vfs_heal();
        fault_vfs_record();
        struct store *st = stored_open();
        fault_vfs_seed(seed);
        assert_int_equal(stored_try_append(st, 200, 1), OK);
        fault_vfs_fail_sync(SQLITE_IOERR_FSYNC);
        assert_int_equal(stored_try_append(st, 200, 2), ERR_STORE);
        fault_vfs_die_at(1);
        store_close(st);
        fault_vfs_heal();

        st = stored_open();
        int rows = stored_journal(st).rows;
        found += rows == 2;
        lose_power(st, seed);

        struct stored_journal seen = stored_look();
        if (seen.rows != rows || seen.damaged > 0)
            fail_msg("SEED=%lu: %d rows were found, %d are left", seed, rows,
                     seen.rows);
    }
    assert_true(size_is_one() || found > 0);
}

/* A disk may be full for hours: the log is written again once, not with each
 * request that is refused. */
static void
on_a_full_disk_the_log_is_settled_once(void **state)
{
    struct store *st = begin(BEFORE);
    uint64_t took[4];

    (void)state;
    fault_vfs_fill();
    for (int i = 0; i < 4; i++) {
        uint64_t before = fault_vfs_count();
        assert_int_equal(put_synced(st, 2 * BEFORE + 1), ERR_STORE);
        took[i] = fault_vfs_count() - before;
    }
    assert_true(took[1] > took[0] + 1);
    assert_int_equal(took[2], took[0]);
    assert_int_equal(took[3], took[0]);
    fault_vfs_heal();

    /* What is committed now is not settled. */
    assert_int_equal(put_lazily(st, 2 * BEFORE + 1), OK);
    fault_vfs_fill();
    assert_int_equal(put_synced(st, 2 * BEFORE + 2), ERR_STORE);
    uint64_t before = fault_vfs_count();
    assert_int_equal(put_synced(st, 2 * BEFORE + 2), ERR_STORE);
    assert_true(fault_vfs_count() - before > took[0] + 1);
    fault_vfs_heal();
    store_close(st);
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        STORED_TEST(what_follows_a_failed_sync_outlives_the_power),
        STORED_TEST(a_log_in_doubt_does_not_spoil_the_database),
        STORED_TEST(a_refused_row_that_was_found_outlives_the_power),
        STORED_TEST(on_a_full_disk_the_log_is_settled_once),
    };

    size_args(argc, argv);
    fault_vfs_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
