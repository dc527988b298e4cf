/*
 * Edges flushed, rows a second, beside raw SQLite upserts of the same rows in
 * the same run; and what a span costs on its way through the journal, beside
 * writing the same bytes to a file and syncing it.
 *
 *     bench_store [edges, in thousands]
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sqlite3.h>

#include "base/clock.h"
#include "graph/edges.h"
#include "store/journal.h"
#include "store/journal_rows.h"
#include "tests/support/dir.h"
#include "tests/support/store_edges.h"

enum { BATCH = 512, BATCHES = 2000, GROUP = 4, AT_S = 1700000000 };

static void
check(bool ok, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "bench_store: %s failed\n", what);
    exit(1);
}

static double
seconds_since(uint64_t begin_ns)
{
    return (double)(clock_mono_ns() - begin_ns) / NS_PER_S;
}

/* ---- edges ---- */

static void
touch_edges(struct edges *edges, uint32_t count, uint16_t latency)
{
    for (uint32_t i = 0; i < count; i++) {
        struct edge_obs obs = {
            .key = {1 + i % 1000, 1 + i / 1000, EDGE_CALL},
            .count = 1,
            .weight = WEIGHT_ONE,
            .at_s = AT_S,
            .latency = latency,
        };
        edges_add(edges, &obs);
    }
}

/* Takes what was added and stores it, as one transaction. */
static double
flush_in(struct edges *edges, struct store *store, const struct nodes *nodes,
         struct edges_window window)
{
    uint64_t begin_ns = clock_mono_ns();

    check(!store_edges(edges, store, nodes, window), "flush");
    double took = seconds_since(begin_ns);
    (void)store_checkpoint(store);
    return took;
}

/* Hours and days that are too old to keep: edges alone, as in the raw table. */
static double
flush(struct edges *edges, struct store *store, const struct nodes *nodes)
{
    return flush_in(edges, store, nodes,
                    (struct edges_window){UINT32_MAX, UINT32_MAX});
}

static double
flush_all(struct edges *edges, struct store *store, const struct nodes *nodes)
{
    return flush_in(edges, store, nodes, (struct edges_window){0});
}

static void
bench_edges(struct store *store, uint32_t count)
{
    struct nodes *nodes = NULL;
    struct edges *edges = NULL;
    char name[16];

    check(!nodes_new(&nodes, (struct nodes_cfg){2000000, 3000, 3000}), "nodes");
    for (int i = 0; i < 1001; i++) {
        int len = snprintf(name, sizeof(name), "s%d", i);
        (void)nodes_intern(nodes, NODE_SERVICE, 0, (str){name, (size_t)len},
                           (str){NULL, 0});
    }
    check(!edges_open(&edges, (struct edges_cfg){.max_edges = 2000000}, store,
                      nodes),
          "edges");
    uint64_t begin_ns = clock_mono_ns();
    touch_edges(edges, count, EDGE_NO_LATENCY);
    printf("edges_add, new        %9.0f ns each\n",
           seconds_since(begin_ns) * 1e9 / count);
    double took = flush(edges, store, nodes);
    printf("edges, new rows       %9.0f rows/s\n", count / took);
    begin_ns = clock_mono_ns();
    touch_edges(edges, count, EDGE_NO_LATENCY);
    printf("edges_add, known      %9.0f ns each\n",
           seconds_since(begin_ns) * 1e9 / count);
    took = flush(edges, store, nodes);
    printf("edges, known rows     %9.0f rows/s\n", count / took);
    touch_edges(edges, count, 300);
    took = flush_all(edges, store, nodes);
    printf("edge, hour, day, new  %9.0f edges/s, %.0f rows/s\n", count / took,
           3 * count / took);
    touch_edges(edges, count, 301);
    took = flush_all(edges, store, nodes);
    printf("edge, hour, day       %9.0f edges/s, %.0f rows/s\n", count / took,
           3 * count / took);
    edges_free(edges);
    begin_ns = clock_mono_ns();
    check(!edges_open(&edges, (struct edges_cfg){.max_edges = 2000000}, store,
                      nodes),
          "edges");
    printf("edges loaded          %9.2f s\n", seconds_since(begin_ns));
    edges_free(edges);
    nodes_free(nodes);
}

static double
raw_pass(sqlite3 *db, sqlite3_stmt *stmt, uint32_t count)
{
    uint64_t begin_ns = clock_mono_ns();

    check(!sqlite3_exec(db, "BEGIN", NULL, NULL, NULL), "begin");
    for (uint32_t i = 0; i < count; i++) {
        sqlite3_bind_int64(stmt, 1, i + 1);
        for (int column = 2; column < 8; column++)
            sqlite3_bind_int64(stmt, column, AT_S);
        check(sqlite3_step(stmt) == SQLITE_DONE, "step");
        sqlite3_reset(stmt);
    }
    check(!sqlite3_exec(db, "COMMIT", NULL, NULL, NULL), "commit");
    return seconds_since(begin_ns);
}

/* The limit: a table of nothing but the key and the sums, no other index. */
static void
bench_raw(const char *dir, uint32_t count)
{
    char path[128];
    sqlite3 *db = NULL;
    sqlite3_stmt *stmt = NULL;

    snprintf(path, sizeof(path), "%s/raw.db", dir);
    check(!sqlite3_open(path, &db) &&
              !sqlite3_exec(db,
                            "PRAGMA journal_mode = WAL;"
                            "PRAGMA synchronous = FULL;"
                            "PRAGMA wal_autocheckpoint = 0;"
                            "PRAGMA cache_size = -8192;"
                            "CREATE TABLE raw (id INTEGER PRIMARY KEY, a, b, c,"
                            " d, e, f)",
                            NULL, NULL, NULL) &&
              !sqlite3_prepare_v2(
                  db,
                  "INSERT INTO raw VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)"
                  " ON CONFLICT (id) DO UPDATE SET a = a + ?2, b = b + ?3,"
                  " c = c + ?4, d = d + ?5, e = min(e, ?6), f = max(f, ?7)",
                  -1, &stmt, NULL),
          "raw table");
    printf("raw upserts, new      %9.0f rows/s\n",
           count / raw_pass(db, stmt, count));
    printf("raw upserts, known    %9.0f rows/s\n",
           count / raw_pass(db, stmt, count));
    sqlite3_finalize(stmt);
    sqlite3_close(db);
}

/* ---- journal ---- */

static void
fill(struct stub *stubs)
{
    for (uint32_t i = 0; i < BATCH; i++) {
        uint64_t r = hash_mix(i, 77);
        stubs[i] = (struct stub){
            .trace_hi = hash_mix(i / 8, 1),
            .trace_lo = hash_mix(i / 8, 2),
            .span_id = r,
            .parent_id = i % 8 ? hash_mix(i - 1, 77) : 0,
            .start_ns = AT_S * NS_PER_S + r % (50 * NS_PER_MS),
            .duration_ns = r % (20 * NS_PER_MS),
            .weight = WEIGHT_ONE,
            .service = 1 + i / 8 % 20,
            .version = 100 + i / 8 % 20,
            .scope = 200,
            .endpoint = i % 2 ? 1000 + (uint32_t)(r % 500) : 0,
            .peer = i % 4 ? 0 : 2000,
            .flags = i % 2 ? STUB_INGRESS : STUB_EGRESS,
            .kind = i % 2 ? SPAN_SERVER : SPAN_CLIENT,
        };
    }
}

static void
bench_pack(const struct stub_batch *batch)
{
    struct buf packed = {0};
    struct stub_batch back;
    uint64_t begin_ns = clock_mono_ns();

    for (int i = 0; i < BATCHES; i++) {
        buf_reset(&packed);
        journal_pack(batch, &packed);
    }
    double pack = seconds_since(begin_ns);
    begin_ns = clock_mono_ns();
    for (int i = 0; i < BATCHES; i++) {
        check(!journal_unpack(&back, buf_str(&packed)), "unpack");
        journal_batch_fini(&back);
    }
    double unpack = seconds_since(begin_ns);
    printf("stub in the journal   %9.1f bytes of %zu; pack %.0f ns,"
           " unpack %.0f ns\n",
           (double)packed.len / BATCH, sizeof(struct stub),
           pack * 1e9 / BATCH / BATCHES, unpack * 1e9 / BATCH / BATCHES);
    buf_fini(&packed);
}

static void
bench_journal(struct store *store, const struct stub_batch *batch)
{
    uint64_t begin_ns = clock_mono_ns();
    uint64_t seq = 0;

    for (uint64_t i = 0; i < BATCHES; i += GROUP) {
        check(!store_begin(store), "begin");
        for (uint64_t k = 0; k < GROUP; k++)
            check(!store_append_journal(store, batch,
                                        (struct digest128){i + 1, k}, &seq),
                  "append");
        check(!store_commit(store), "commit");
        if (i % 100 == 0)
            (void)store_checkpoint(store);
    }
    double took = seconds_since(begin_ns);
    printf("journal, %d a commit %9.0f spans/s, %.0f ns a span\n",
           GROUP * BATCH, BATCH * BATCHES / took, took * 1e9 / BATCH / BATCHES);
}

static void
bench_file(const char *dir, const struct stub_batch *batch)
{
    char path[128];
    struct buf packed = {0};

    snprintf(path, sizeof(path), "%s/file", dir);
    int fd = open(path, O_WRONLY | O_CREAT, 0600);
    check(fd >= 0, "open");
    uint64_t begin_ns = clock_mono_ns();
    for (int i = 0; i < BATCHES; i += GROUP) {
        buf_reset(&packed);
        for (int k = 0; k < GROUP; k++)
            journal_pack(batch, &packed);
        check(write(fd, packed.ptr, packed.len) == (ssize_t)packed.len &&
                  fdatasync(fd) == 0,
              "write");
    }
    double took = seconds_since(begin_ns);
    printf("the same to a file    %9.0f spans/s, %.0f ns a span\n",
           BATCH * BATCHES / took, took * 1e9 / BATCH / BATCHES);
    close(fd);
    buf_fini(&packed);
}

int
main(int argc, char **argv)
{
    uint32_t count = (argc > 1 ? (uint32_t)atoi(argv[1]) : 1000) * 1000;
    static struct stub stubs[BATCH];
    struct stub_batch batch = {
        .stubs = stubs, .stub_len = BATCH, .received_ns = AT_S * NS_PER_S};
    struct store *store = NULL;
    struct buf why = {0};
    char dir[64];

    dir_make(dir);
    fill(stubs);
    check(!store_open(&store, dir, STORE_SYNC_FULL, AT_S * NS_PER_S, &why),
          "store_open");
    bench_raw(dir, count);
    bench_edges(store, count);
    bench_pack(&batch);
    bench_file(dir, &batch);
    bench_journal(store, &batch);
    store_close(store);
    buf_fini(&why);
    dir_remove(dir);
    return 0;
}
