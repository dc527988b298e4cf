/*
 * Plain SQL over its own writing connection, which stays open: the reader sees
 * what a running service would show it.
 */
#include "tests/support/db_fixture.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <sqlite3.h>

#include "base/clock.h"
#include "base/hash.h"
#include "graph/sketch.h"
#include "model/stub.h"
#include "store/schema.h"
#include "tests/support/dir.h"

static void
run(struct db_fixture *f, const char *sql)
{
    char *error = NULL;

    if (sqlite3_exec(f->db, sql, NULL, NULL, &error) != SQLITE_OK) {
        fprintf(stderr, "fixture: %s: %s\n", sql, error);
        abort();
    }
}

void
db_fixture_sql(struct db_fixture *f, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    char *sql = sqlite3_vmprintf(format, args);
    va_end(args);
    run(f, sql);
    sqlite3_free(sql);
}

void
db_fixture_open(struct db_fixture *f)
{
    char path[128];
    sqlite3 *db = NULL;

    *f = (struct db_fixture){0};
    dir_make(f->dir);
    snprintf(path, sizeof(path), "%s/%s", f->dir, STORE_FILE);
    if (sqlite3_open(path, &db) != SQLITE_OK)
        abort();
    f->db = db;
    run(f, "PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF");
    for (size_t i = 0; i < schema_len; i++)
        run(f, schema_migrations[i]);
    db_fixture_sql(f, "PRAGMA application_id=%d; PRAGMA user_version=%d",
                   SCHEMA_APPLICATION_ID, (int)schema_len);
    db_fixture_sql(f, "UPDATE meta SET value = %lld WHERE key = 'added_ns'",
                   (long long)FIXTURE_NOW_S * (long long)NS_PER_S);
}

void
db_fixture_close(struct db_fixture *f)
{
    sqlite3_close(f->db);
    dir_remove(f->dir);
}

uint32_t
db_node(struct db_fixture *f, enum node_kind kind, uint32_t owner,
        const char *name, const char *env)
{
    char key[600];
    unsigned char hash[SHA256_LEN];
    struct buf hex = {0};
    uint32_t id = ++f->nodes;

    snprintf(key, sizeof(key), "%d/%u/%s/%s", (int)kind, owner, name, env);
    const str parts[] = {str_of(key)};
    hash_sha256(parts, 1, hash);
    buf_add_hex(&hex, (str){(const char *)hash, sizeof(hash)});
    db_fixture_sql(f,
                   "INSERT INTO node VALUES (%u, %d, %u, %Q, %Q, 0, %d, "
                   "x'%s', %u)",
                   id, (int)kind, owner, name, env,
                   kind == NODE_ROUTE ? ROUTE_SOURCE_ATTR : 0, buf_cstr(&hex),
                   FIXTURE_NOW_S - 100 * S_PER_DAY);
    buf_fini(&hex);
    return id;
}

uint32_t
db_service(struct db_fixture *f, const char *name)
{
    return db_node(f, NODE_SERVICE, 0, name, "");
}

uint32_t
db_route(struct db_fixture *f, uint32_t service, const char *name)
{
    return db_node(f, NODE_ROUTE, service, name, "");
}

void
db_source(struct db_fixture *f, uint32_t route, enum route_source source)
{
    db_fixture_sql(f, "UPDATE node SET source = %d WHERE id = %u", (int)source,
                   route);
}

uint32_t
db_edge(struct db_fixture *f, uint32_t src, uint32_t dst, enum edge_kind kind,
        int64_t count)
{
    uint32_t id = ++f->edges;

    db_fixture_sql(f,
                   "INSERT INTO edge VALUES (%u, %u, %u, %d, %lld, %lld, %lld, "
                   "0, %u, %u, 0, NULL)",
                   id, src, dst, (int)kind, (long long)count,
                   (long long)count * (long long)WEIGHT_ONE, (long long)count,
                   FIXTURE_NOW_S - S_PER_DAY, FIXTURE_NOW_S - 60);
    return id;
}

void
db_times(struct db_fixture *f, uint32_t edge, uint32_t first_s, uint32_t last_s)
{
    db_fixture_sql(f, "UPDATE edge SET first_s = %u, last_s = %u WHERE id = %u",
                   first_s, last_s, edge);
}

void
db_day(struct db_fixture *f, uint32_t edge, uint32_t day, int64_t count,
       uint32_t hours, uint64_t latency_ns)
{
    struct buf hex = {0};

    if (latency_ns) {
        const struct sketch_count all = {sketch_bucket(latency_ns), count};
        struct buf bytes = {0};

        (void)sketch_merge(STR(""), &all, 1, &bytes);
        buf_add_hex(&hex, buf_str(&bytes));
        buf_fini(&bytes);
    }
    db_fixture_sql(f,
                   "INSERT INTO edge_day VALUES (%u, %u, %lld, %lld, 0, %u, "
                   "x'%s')",
                   edge, day, (long long)count,
                   (long long)count * (long long)WEIGHT_ONE, hours,
                   buf_cstr(&hex));
    buf_fini(&hex);
}

void
db_daily(struct db_fixture *f, uint32_t edge, uint32_t first_day,
         uint32_t last_day, int64_t per_day, double weight)
{
    int64_t count = per_day * (last_day - first_day + 1);
    uint32_t last_s = last_day * S_PER_DAY + 12 * S_PER_H;
    double each = (weight > 0 ? weight : 1) * (double)WEIGHT_ONE;

    run(f, "BEGIN");
    for (uint32_t day = first_day; day <= last_day; day++)
        db_day(f, edge, day, per_day, 0xffffff, 0);
    db_fixture_sql(
        f,
        "UPDATE edge SET count = %lld, weighted = %lld, known = %lld, "
        "first_s = %u, last_s = %u WHERE id = %u",
        (long long)count, (long long)((double)count * each),
        weight > 0 ? (long long)count : 0LL, first_day * S_PER_DAY, last_s,
        edge);
    db_fixture_sql(f,
                   "UPDATE edge_day SET weighted = %lld "
                   "WHERE edge = %u AND day BETWEEN %u AND %u",
                   (long long)((double)per_day * each), edge, first_day,
                   last_day);
    run(f, "COMMIT");
}

void
db_declare(struct db_fixture *f, uint32_t service, const char *method,
           const char *pattern, uint32_t created_s)
{
    db_fixture_sql(f,
                   "INSERT INTO route (service, method, pattern, raw, origin, "
                   "node, created_s) VALUES (%u, %Q, %Q, %Q, 'list:t', 0, %u)",
                   service, method, pattern, pattern, created_s);
}
