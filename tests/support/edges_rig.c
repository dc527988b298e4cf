#include "tests/support/edges_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "store/edge_rows.h"
#include "tests/support/stored.h"

const struct edges_window rig_keep_all;
struct edges_rig rig;

static void
open_edges(uint32_t max_edges)
{
    struct edges_cfg cfg = {.max_edges = max_edges};

    assert_int_equal(edges_open(&rig.edges, cfg, rig.store, rig.nodes), OK);
    assert_int_equal(edge_writer_new(&rig.writer, rig.store, rig.nodes), OK);
}

static void
close_edges(void)
{
    edge_writer_free(rig.writer);
    edges_free(rig.edges);
    edge_parts_fini(&rig.taken);
    rig.taken_at = 0;
}

int
edges_rig_setup(void **state)
{
    stored_setup(state);
    rig.store = stored_open();
    nodes_new(&rig.nodes, (struct nodes_cfg){100000, 100, 100});
    for (uint32_t i = 0; i < 8; i++) {
        char name[] = {'s', (char)('0' + i), '\0'};
        rig.service[i] =
            nodes_intern(rig.nodes, NODE_SERVICE, 0, (str){name, 2}, STR(""));
        rig.route[i] = nodes_intern_route(rig.nodes, rig.service[i],
                                          STR("GET /"), ROUTE_SOURCE_ATTR);
    }
    open_edges(1000);
    return 0;
}

int
edges_rig_teardown(void **state)
{
    close_edges();
    store_close(rig.store);
    nodes_free(rig.nodes);
    return stored_teardown(state);
}

struct edge_obs
rig_obs(uint32_t src, uint32_t dst, int count, uint32_t at_s)
{
    return (struct edge_obs){
        .key = {src, dst, EDGE_CALL},
        .count = count,
        .weight = count * (int64_t)3,
        .at_s = at_s,
        .latency = EDGE_NO_LATENCY,
    };
}

void
rig_add(struct edge_obs obs)
{
    edges_add(rig.edges, &obs);
}

enum err
rig_try(struct edges_window window)
{
    enum err err = OK;

    while (!err && rig.taken_at < edge_parts_len(&rig.taken)) {
        if (!(err = store_begin(rig.store)) &&
            !(err = edge_writer_add(rig.writer,
                                    edge_parts_get(&rig.taken, rig.taken_at),
                                    window)))
            err = store_commit(rig.store);
        store_rollback(rig.store);
        rig.taken_at += err == OK;
    }
    return err;
}

/* What was taken, this time or before. */
static void
store_taken(struct edges_window window)
{
    assert_int_equal(rig_try(window), OK);
    edge_parts_fini(&rig.taken);
    rig.taken_at = 0;
}

void
rig_flush_in(struct edges_window window)
{
    store_taken(window);
    assert_int_equal(edges_take(rig.edges, RIG_PART, &rig.taken), OK);
    assert_int_equal(edges_stats(rig.edges).dirty, 0);
    store_taken(window);
}

void
rig_flush(void)
{
    rig_flush_in(rig_keep_all);
}

void
rig_reopen(uint32_t max_edges)
{
    close_edges();
    store_close(rig.store);
    rig.store = stored_open();
    open_edges(max_edges);
}

void
rig_sketch(struct sketch *out, uint32_t edge, uint32_t day)
{
    struct buf bytes = {0};

    memset(out, 0, sizeof(*out));
    assert_int_equal(store_get_latency(rig.store, edge, day, &bytes), OK);
    assert_int_equal(sketch_add_encoded(out, buf_str(&bytes)), OK);
    buf_fini(&bytes);
}
