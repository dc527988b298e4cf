#include "tests/support/traffic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

#include <sqlite3.h>

#include "runtime/intake.h"
#include "tests/support/fault_vfs.h"

struct traffic traffic;

enum err
traffic_try_open(struct traffic *self, uint64_t now_ns)
{
    struct nodes_cfg nodes = {
        .max_nodes = 1000000, .max_routes = 3000, .max_symbols = 3000};

    self->store = stored_open();
    assert_int_equal(nodes_new(&self->nodes, nodes), OK);
    assert_int_equal(routes_new(&self->routes, self->nodes), OK);
    return engine_open(&self->engine, &self->cfg, self->store, self->nodes,
                       self->routes, now_ns);
}

void
traffic_open(struct traffic *self, uint64_t now_ns)
{
    if (self->cfg.max_edges == 0) {
        self->cfg = engine_cfg_default;
        self->cfg.pair.max_spans = 100000;
        self->cfg.pair.max_producers = 1000;
    }
    assert_int_equal(traffic_try_open(self, now_ns), OK);
}

void
traffic_close(struct traffic *self)
{
    engine_close(self->engine);
    routes_free(self->routes);
    nodes_free(self->nodes);
    store_close(self->store);
    *self = (struct traffic){.cfg = self->cfg};
}

void
traffic_reopen(struct traffic *self, uint64_t now_ns)
{
    traffic_close(self);
    traffic_open(self, now_ns);
}

int
traffic_setup(void **state)
{
    traffic = (struct traffic){0};
    return stored_setup(state);
}

int
traffic_teardown(void **state)
{
    fault_vfs_heal();
    traffic_close(&traffic);
    return stored_teardown(state);
}

static struct stub
stub_of(uint32_t number, uint32_t pair, uint64_t received_ns)
{
    return (struct stub){
        .trace_hi = 7,
        .trace_lo = ((uint64_t)number << 32) + pair + 1,
        .start_ns = received_ns - 5 * NS_PER_S,
        .duration_ns = (1 + number % 7) * NS_PER_MS,
        .weight = WEIGHT_ONE,
    };
}

struct stub_batch *
traffic_batch(struct traffic *self, uint32_t number, uint32_t pairs,
              enum traffic_half half, uint64_t received_ns)
{
    struct stub_batch *batch =
        calloc(1, sizeof(*batch) + 2 * (size_t)pairs * sizeof(struct stub));
    char text[32];
    str name = {text, 0};

    batch->stubs = (struct stub *)(batch + 1);
    batch->received_ns = received_ns;
    uint32_t shop =
        nodes_intern(self->nodes, NODE_SERVICE, 0, STR("shop"), STR("test"));
    name.len = (size_t)snprintf(text, sizeof(text), "cart%u", number % 4);
    uint32_t cart =
        nodes_intern(self->nodes, NODE_SERVICE, 0, name, STR("test"));
    uint32_t pay = nodes_intern(self->nodes, NODE_SYMBOL, shop, STR("pay"),
                                (str){NULL, 0});
    uint32_t serve = nodes_intern(self->nodes, NODE_SYMBOL, cart, STR("serve"),
                                  (str){NULL, 0});
    name.len = (size_t)snprintf(text, sizeof(text), "GET /%u", number);
    uint32_t route =
        nodes_intern_route(self->nodes, cart, name, ROUTE_SOURCE_ATTR);
    for (uint32_t i = 0; i < pairs; i++) {
        struct stub client = stub_of(number, i, received_ns);
        struct stub server = client;
        client.span_id = 2 * i + 1;
        client.service = shop;
        client.symbol = pay;
        client.peer = nodes_intern(self->nodes, NODE_EXTERNAL, 0,
                                   STR("outside"), (str){NULL, 0});
        client.kind = SPAN_CLIENT;
        client.flags = STUB_EGRESS;
        server.span_id = 2 * i + 2;
        server.parent_id = client.span_id;
        server.service = cart;
        server.symbol = serve;
        server.endpoint = route;
        server.kind = SPAN_SERVER;
        server.flags = STUB_INGRESS | (i % 5 ? 0 : STUB_FAILED);
        if (half != TRAFFIC_SERVERS)
            batch->stubs[batch->stub_len++] = client;
        if (half != TRAFFIC_CLIENTS)
            batch->stubs[batch->stub_len++] = server;
    }
    return batch;
}

struct digest128
traffic_digest(uint32_t number, enum traffic_half half)
{
    return (struct digest128){number + 1, half + 1};
}

void
traffic_note(void *ctx, enum err err)
{
    *(enum err *)ctx = err;
}

enum err
traffic_send(struct traffic *self, uint32_t number, uint32_t pairs,
             enum traffic_half half, uint64_t received_ns)
{
    struct stub_batch *batch =
        traffic_batch(self, number, pairs, half, received_ns);
    enum err err = ERR_CANCELLED;

    engine_submit(self->engine, batch, traffic_digest(number, half),
                  traffic_note, &err);
    return err;
}

void
traffic_flush_by(struct traffic *self, uint64_t at_ns)
{
    assert_int_equal(traffic_send(self, 999999, 0, TRAFFIC_BOTH, at_ns), OK);
}

static int64_t
count_of(uint32_t number, int kind, const char *and)
{
    char sql[256];

    snprintf(sql, sizeof(sql),
             "SELECT coalesce(sum(count), 0) FROM edge JOIN node ON"
             " node.id = dst WHERE node.name = 'GET /%u' AND edge.kind = %d %s",
             number, kind, and);
    return stored_ask(sql);
}

int64_t
traffic_stored(uint32_t number)
{
    return count_of(number, EDGE_TRAFFIC, "");
}

int64_t
traffic_calls(uint32_t number)
{
    int64_t calls =
        count_of(number, EDGE_CALL,
                 "AND src = (SELECT id FROM node WHERE name = 'shop')");

    assert_int_equal(
        count_of(number, EDGE_CODE_CALL,
                 "AND src = (SELECT id FROM node WHERE name = 'pay')"),
        calls);
    return calls;
}

int64_t
traffic_loss(const char *reason)
{
    char sql[128];

    snprintf(sql, sizeof(sql),
             "SELECT coalesce(sum(count), 0) FROM loss WHERE reason = '%s'",
             reason);
    return stored_ask(sql);
}

static int
dump_row(void *ctx, int columns, char **values, char **names)
{
    (void)names;
    for (int i = 0; i < columns; i++)
        buf_printf(ctx, "%s ", values[i] ? values[i] : "-");
    buf_add_char(ctx, '\n');
    return 0;
}

#define DUMP_EDGE                                                             \
    "SELECT coalesce(s.name, ''), d.name, e.kind, %s FROM edge e LEFT JOIN "  \
    "node s ON s.id = e.src JOIN node d ON d.id = e.dst %s WHERE %s <> 0 OR " \
    "%s <> 0 ORDER BY 1, 2, 3, 4"

void
traffic_dump(struct buf *out)
{
    static const char *const parts[][4] = {
        {"e.count, e.weighted, e.errors, e.known", "", "e.count", "e.errors"},
        {"b.hour, b.count, b.weighted, b.errors",
         "JOIN edge_hour b ON b.edge = e.id", "b.count", "b.errors"},
        {"b.day, b.count, b.weighted, b.errors, hex(b.latency)",
         "JOIN edge_day b ON b.edge = e.id", "b.count", "length(b.latency)"},
    };
    sqlite3 *db = NULL;
    char sql[512];

    assert_int_equal(
        sqlite3_open_v2(stored.path, &db, SQLITE_OPEN_READONLY, NULL),
        SQLITE_OK);
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        snprintf(sql, sizeof(sql), DUMP_EDGE, parts[i][0], parts[i][1],
                 parts[i][2], parts[i][3]);
        if (sqlite3_exec(db, sql, dump_row, out, NULL) != SQLITE_OK)
            fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    }
    sqlite3_close(db);
}
