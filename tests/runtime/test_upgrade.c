/*
 * A store that any earlier version of the program has left, with a journal
 * that its edges do not cover: the present one brings it up to date, keeps a
 * copy, counts what is left to be counted and goes on.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include <sqlite3.h>

#include "store/migrate.h"
#include "store/schema.h"
#include "tests/support/dir.h"
#include "tests/support/traffic.h"

enum { REQUESTS = 20, COVERED = 12 };

static void
configure(void)
{
    traffic.cfg = engine_cfg_default;
    traffic.cfg.pair.max_spans = 10000;
    traffic.cfg.pair.max_producers = 100;
}

/* What the present program writes, some of it in the journal only. */
static void
fill(void)
{
    configure();
    traffic.cfg.flush_ms = 0;
    traffic_open(&traffic, STORED_NOW);
    for (uint32_t n = 0; n < REQUESTS; n++) {
        uint64_t at = STORED_NOW + n * NS_PER_S;
        if (n == COVERED) {
            traffic_close(&traffic);
            traffic.cfg.flush_ms = 1 << 30;
            traffic_open(&traffic, at);
        }
        assert_int_equal(traffic_send(&traffic, n, 3, TRAFFIC_BOTH, at), OK);
    }
    traffic_close(&traffic);
}

static void
run_sql(sqlite3 *db, char *sql)
{
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    sqlite3_free(sql);
}

/* Copies the columns that the older table has. */
static int
copy_table(void *ctx, int columns, char **values, char **names)
{
    (void)columns;
    (void)names;
    run_sql(ctx, sqlite3_mprintf("REPLACE INTO main.\"%w\" (%s) SELECT %s FROM"
                                 " present.\"%w\"",
                                 values[0], values[1], values[1], values[0]));
    return 0;
}

/* Makes the database again as |version| of the program would have. */
static void
age_to(size_t version)
{
    char present[320];
    sqlite3 *db = NULL;

    if (version < 4) /* which had no files for it */
        stored_into_table();
    snprintf(present, sizeof(present), "%s.present", stored.path);
    assert_int_equal(rename(stored.path, present), 0);
    assert_int_equal(sqlite3_open(stored.path, &db), SQLITE_OK);
    assert_int_equal(migrate_run(db, schema_migrations, version, 0), SQLITE_OK);
    run_sql(db, sqlite3_mprintf("ATTACH %Q AS present", present));
    assert_int_equal(
        sqlite3_exec(db,
                     "SELECT m.name, (SELECT group_concat('\"' || name ||"
                     " '\"') FROM pragma_table_info(m.name)) FROM"
                     " main.sqlite_schema m WHERE m.type = 'table' AND"
                     " m.name NOT LIKE 'sqlite%'",
                     copy_table, db, NULL),
        SQLITE_OK);
    if (version < 3) /* a row that came with table flush_part */
        run_sql(db, sqlite3_mprintf("DELETE FROM meta WHERE key = 'added_ns'"));
    if (version < 4)
        run_sql(db, sqlite3_mprintf("DELETE FROM meta WHERE key = 'store_id'"));
    /* None of them said it there. */
    run_sql(db, sqlite3_mprintf("DROP TABLE main.schema_version"));
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    assert_int_equal(remove(present), 0);
    assert_int_equal(stored_ask("PRAGMA user_version"), (int64_t)version);
}

static void
expect_all(uint32_t requests)
{
    for (uint32_t n = 0; n < requests; n++) {
        assert_int_equal(traffic_stored(n), 3);
        assert_int_equal(traffic_calls(n), 3);
    }
    assert_int_equal(stored_counter("spans"), requests * 6);
}

static void
use_and_leave(void)
{
    uint64_t later = STORED_NOW + 60 * NS_PER_S;

    configure();
    traffic_open(&traffic, later);
    assert_int_equal(traffic_send(&traffic, 0, 3, TRAFFIC_BOTH, later), OK);
    assert_int_equal(traffic_send(&traffic, REQUESTS, 3, TRAFFIC_BOTH, later),
                     OK);
    assert_int_equal(engine_finish(traffic.engine), OK);
    assert_int_equal(stored_counter("requests_duplicate"), 1);
    expect_all(REQUESTS + 1);
    traffic_close(&traffic);
}

static void
the_store_of_any_earlier_version_is_taken_over(void **state)
{
    (void)state;
    for (size_t version = 1; version <= schema_len; version++) {
        char backup[64];
        stored_empty();
        fill();
        age_to(version);
        snprintf(backup, sizeof(backup), STORE_FILE ".v%zu.bak", version);
        use_and_leave();
        assert_int_equal(stored_ask("PRAGMA user_version"),
                         (int64_t)schema_len);
        assert_int_equal(dir_count(stored.dir, backup), version < schema_len);
        assert_int_equal(dir_count(stored.dir, STORE_FILE ".corrupt-"), 0);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TRAFFIC_TEST(the_store_of_any_earlier_version_is_taken_over),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
