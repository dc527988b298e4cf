/*
 * The group commit belongs to the engine's thread; here its two steps are
 * called in its place, so that a group is what the simulator says it is.
 */
#include "tests/support/sim_core.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sqlite3.h>

#include "graph/sketch.h"
#include "runtime/engine_impl.h"
#include "tests/support/fault_vfs.h"
#include "tests/support/pair_forest.h"

enum { GROUP_MAX = 16 };

enum err
sim_core_open(struct sim_core *core, uint64_t now_ns)
{
    struct nodes_cfg nodes = {
        .max_nodes = 10000, .max_routes = 3000, .max_symbols = 3000};
    enum err err;

    buf_reset(&stored.why);
    err = store_open(&core->store, stored.dir, core->sync, now_ns, &stored.why);
    if (err)
        return err;
    assert_int_equal(nodes_new(&core->nodes, nodes), OK);
    assert_int_equal(routes_new(&core->routes, core->nodes), OK);
    return engine_open(&core->engine, &core->cfg, core->store, core->nodes,
                       core->routes, now_ns);
}

void
sim_core_end(struct sim_core *core, uint64_t power_seed)
{
    fault_vfs_die_at(1);
    engine_close(core->engine);
    routes_free(core->routes);
    nodes_free(core->nodes);
    store_close(core->store);
    *core = (struct sim_core){.cfg = core->cfg, .sync = core->sync};
    fault_vfs_heal();
    if (power_seed && core->sync == STORE_SYNC_FULL) {
        fault_vfs_lose_power(power_seed);
        fault_vfs_record();
    }
}

/* ---- names ---- */

static str
name_of(uint32_t number, char *out)
{
    return (str){out, (size_t)snprintf(out, 16, "n%u", number)};
}

static uint32_t
intern(const struct sim_core *core, enum node_kind kind, uint32_t owner,
       uint32_t number)
{
    char name[16];

    if (number == 0)
        return 0;
    if (kind == NODE_ROUTE)
        return nodes_intern_route(core->nodes, owner, name_of(number, name),
                                  ROUTE_SOURCE_ATTR);
    return nodes_intern(core->nodes, kind, owner, name_of(number, name),
                        STR(""));
}

static void
name_all(const struct sim_core *core, struct stub *stub)
{
    uint32_t service = intern(core, NODE_SERVICE, 0, stub->service);

    stub->service = service;
    stub->endpoint = intern(core, NODE_ROUTE, service, stub->endpoint);
    stub->symbol = intern(core, NODE_SYMBOL, service, stub->symbol);
    stub->version = intern(core, NODE_VERSION, service, stub->version);
    stub->scope = intern(core, NODE_SCOPE, 0, stub->scope);
    stub->peer = intern(core, NODE_EXTERNAL, 0, stub->peer);
}

/* ---- requests ---- */

static struct stub_batch *
batch_of(const struct sim_core *core, const struct sim_request *in)
{
    uint32_t links = 0;

    for (uint32_t i = 0; i < in->len; i++)
        links += in->spans[i].link_len;
    struct stub_batch *batch =
        calloc(1, sizeof(*batch) + in->len * sizeof(struct stub) +
                      links * sizeof(struct span_link));
    batch->stubs = (struct stub *)(batch + 1);
    batch->links = (struct span_link *)(batch->stubs + in->len);
    batch->stub_len = in->len;
    for (uint32_t i = 0; i < in->len; i++) {
        struct stub *stub = &batch->stubs[i];
        *stub = in->spans[i];
        name_all(core, stub);
        stub->link_at = batch->link_len;
        for (uint32_t n = 0; n < stub->link_len; n++)
            batch->links[batch->link_len++] = in->links[i][n];
    }
    return batch;
}

static void
answered(void *ctx, enum err err)
{
    *(enum err *)ctx = err;
}

void
sim_core_take(struct sim_core *core, struct sim_request *requests, uint32_t len,
              uint64_t now_ns)
{
    struct engine *engine = core->engine;
    struct request *list = NULL;
    struct request **end = &list;

    assert_true(len <= GROUP_MAX);
    for (uint32_t i = 0; i < len; i++) {
        struct request *it = malloc(sizeof(*it));
        *it = (struct request){
            .batch = batch_of(core, &requests[i]),
            .digest = requests[i].digest,
            .done = answered,
            .ctx = &requests[i].answer,
            .cost = requests[i].len ? requests[i].len : 1,
        };
        requests[i].answer = ERR_CANCELLED;
        atomic_fetch_add(&engine->queued, it->cost);
        *end = it;
        end = &it->next;
    }
    if (engine->now_ns < now_ns)
        engine->now_ns = now_ns;
    engine_commit(engine, list);
    (void)store_checkpoint_step(core->store);
    if (engine->now_ns - engine->flushed_ns >= core->cfg.flush_ms * NS_PER_MS)
        (void)engine_flush(engine);
}

uint64_t
sim_core_now(const struct sim_core *core)
{
    return core->engine->now_ns;
}

bool
sim_core_is_flushed(const struct sim_core *core)
{
    return core->engine->covered_seq == core->engine->seq &&
           core->engine->flushed_ns == core->engine->now_ns &&
           core->engine->flush.phase == FLUSH_NONE &&
           engine_is_writable(core->engine);
}

/* ---- what is stored ---- */

static struct pair_sum *
sum_of(struct pair_sums *sums, struct edge_key key)
{
    struct edge_obs nothing = {.key = key, .latency = EDGE_NO_LATENCY};

    pair_sums_add(sums, &nothing);
    for (uint32_t i = 0; i < sums->len; i++) {
        if (edge_key_eq(sums->sum[i].key, key))
            return &sums->sum[i];
    }
    return NULL;
}

static uint32_t
number_of(sqlite3_stmt *row, int column)
{
    const char *name = (const char *)sqlite3_column_text(row, column);

    if (!name)
        return 0;
    if (strcmp(name, NODE_NAME_USER) == 0)
        return PAIR_FOREST_USER;
    assert_int_equal(name[0], 'n');
    return (uint32_t)strtoul(name + 1, NULL, 10);
}

static struct pair_sum *
row_sum(struct pair_sums *sums, sqlite3_stmt *row)
{
    struct edge_key key = {number_of(row, 0), number_of(row, 1),
                           (uint8_t)sqlite3_column_int(row, 2)};

    return sum_of(sums, key);
}

#define EACH(columns, from)                                        \
    "SELECT s.name, d.name, e.kind, " columns " FROM edge e " from \
    " LEFT JOIN node s ON s.id = e.src JOIN node d ON d.id = e.dst"

static void
read_edges(sqlite3 *db, struct pair_sums *out)
{
    sqlite3_stmt *row = NULL;

    assert_int_equal(
        sqlite3_prepare_v2(db,
                           EACH("count, errors, known, weighted,"
                                " (SELECT coalesce(sum(count), 0) FROM"
                                " edge_hour WHERE edge = e.id),"
                                " (SELECT coalesce(sum(count), 0) FROM"
                                " edge_day WHERE edge = e.id),"
                                " e.first_s, e.last_s",
                                ""),
                           -1, &row, NULL),
        SQLITE_OK);
    while (sqlite3_step(row) == SQLITE_ROW) {
        struct pair_sum *sum = row_sum(out, row);
        assert_non_null(sum);
        sum->count += sqlite3_column_int64(row, 3);
        sum->errors += sqlite3_column_int64(row, 4);
        sum->known += sqlite3_column_int64(row, 5);
        sum->weight += sqlite3_column_int64(row, 6);
        /* No bucket is so old that it would have been dropped. */
        assert_int_equal(sqlite3_column_int64(row, 7),
                         sqlite3_column_int64(row, 3));
        assert_int_equal(sqlite3_column_int64(row, 8),
                         sqlite3_column_int64(row, 3));
        if (sum->key.kind != EDGE_SEEN && sum->key.kind != EDGE_SEEN_BY)
            continue; /* of others some may have been taken back */
        sum->first_s = (uint32_t)sqlite3_column_int64(row, 9);
        sum->last_s = (uint32_t)sqlite3_column_int64(row, 10);
    }
    assert_int_equal(sqlite3_finalize(row), SQLITE_OK);
}

static void
read_latencies(sqlite3 *db, struct pair_sums *out)
{
    static struct sketch sketch;
    sqlite3_stmt *row = NULL;

    assert_int_equal(
        sqlite3_prepare_v2(db, EACH("latency", "JOIN edge_day ON edge = e.id"),
                           -1, &row, NULL),
        SQLITE_OK);
    while (sqlite3_step(row) == SQLITE_ROW) {
        struct pair_sum *sum = row_sum(out, row);
        const void *bytes = sqlite3_column_blob(row, 3);
        if (!bytes)
            continue;
        memset(&sketch, 0, sizeof(sketch));
        str coded = {bytes, (size_t)sqlite3_column_bytes(row, 3)};
        assert_int_equal(sketch_add_encoded(&sketch, coded), OK);
        for (int64_t i = 0; i < SKETCH_BUCKETS; i++) {
            sum->samples += sketch.count[i];
            sum->latency += sketch.count[i] * i;
            sum->squares += sketch.count[i] * i * i;
        }
    }
    assert_int_equal(sqlite3_finalize(row), SQLITE_OK);
}

void
sim_core_read(struct pair_sums *out)
{
    sqlite3 *db = NULL;

    out->len = 0;
    out->went_below = false;
    assert_int_equal(
        sqlite3_open_v2(stored.path, &db, SQLITE_OPEN_READONLY, NULL),
        SQLITE_OK);
    read_edges(db, out);
    read_latencies(db, out);
    sqlite3_close(db);
}

void
sim_core_journal(sim_row_fn *fn)
{
    sqlite3 *db = stored_connect();
    sqlite3_stmt *row = NULL;
    struct digest128 digest;

    assert_int_equal(sqlite3_prepare_v2(db,
                                        "SELECT digest, received_ns FROM"
                                        " journal WHERE digest IS NOT NULL"
                                        " ORDER BY seq",
                                        -1, &row, NULL),
                     SQLITE_OK);
    while (sqlite3_step(row) == SQLITE_ROW) {
        assert_int_equal(sqlite3_column_bytes(row, 0), sizeof(digest));
        memcpy(&digest, sqlite3_column_blob(row, 0), sizeof(digest));
        fn(digest, (uint64_t)sqlite3_column_int64(row, 1));
    }
    assert_int_equal(sqlite3_finalize(row), SQLITE_OK);
    sqlite3_close(db);
}
