#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "store/edge_rows.h"
#include "store/flush_rows.h"
#include "store/node_rows.h"
#include "store/store.h"
#include "tests/support/fault_vfs.h"
#include "tests/support/stored.h"

static enum err
check_node(void *ctx, const struct node *node)
{
    int *seen = ctx;

    ++*seen;
    assert_int_equal(node->id, *seen);
    if (node->id == 2) {
        assert_true(str_eq(node->name, STR("GET /a")));
        assert_int_equal(node->owner, 1);
        assert_int_equal(node->alias, 9);
        assert_int_equal(node->source, ROUTE_SOURCE_ATTR);
    } else {
        assert_true(str_eq(node->env, STR("prod")));
    }
    return OK;
}

static enum err
refuse_node(void *ctx, const struct node *node)
{
    (void)node;
    ++*(int *)ctx;
    return ERR_NOMEM;
}

static void
nodes_come_back_as_they_were_last_put(void **state)
{
    struct store *st = stored_open();
    struct node service = {
        .id = 1, .kind = NODE_SERVICE, .name = STR("a"), .env = STR("prod")};
    struct node route = {.id = 2,
                         .kind = NODE_ROUTE,
                         .owner = 1,
                         .source = ROUTE_SOURCE_HEURISTIC,
                         .name = STR("GET /a")};
    int seen = 0;

    (void)state;
    assert_int_equal(store_begin(st), OK);
    assert_int_equal(store_put_node(st, &service, stored_hash, 5), OK);
    assert_int_equal(store_put_node(st, &route, stored_hash, 5), OK);
    route.source = ROUTE_SOURCE_ATTR;
    route.alias = 9;
    assert_int_equal(store_put_node(st, &route, stored_hash, 6), OK);
    assert_int_equal(store_commit(st), OK);
    assert_int_equal(store_each_node(st, check_node, &seen), OK);
    assert_int_equal(seen, 2);
    seen = 0;
    assert_int_equal(store_each_node(st, refuse_node, &seen), ERR_NOMEM);
    assert_int_equal(seen, 1);
    assert_int_equal(stored_ask("SELECT created_s FROM node WHERE id = 2"), 5);
    assert_int_equal(stored_ask("SELECT length(hash) FROM node WHERE id = 2"),
                     32);
    store_close(st);
}

static int64_t
nodes_version(void)
{
    return stored_ask("SELECT value FROM meta WHERE key = 'nodes_version'");
}

static int64_t
graph_version(void)
{
    return stored_ask("SELECT value FROM meta WHERE key = 'graph_version'");
}

/* So that readers know what they need not read again. */
static void
what_is_put_makes_another_version_of_its_kind(void **state)
{
    const struct edge_delta edge = {
        .id = 1, .key = {1, 1, EDGE_CALL}, .count = 1};
    struct store *st = stored_open();

    (void)state;
    stored_put_node(st, 1);
    int64_t nodes = nodes_version();
    int64_t graph = graph_version();
    assert_true(nodes > 0 && graph > 0);

    assert_int_equal(store_begin(st), OK);
    assert_int_equal(store_add_counter(st, STR("spans"), 1), OK);
    assert_int_equal(store_put_uptime(st, 1, 2), OK);
    assert_int_equal(store_commit(st), OK);
    assert_int_equal(nodes_version(), nodes);
    assert_int_equal(graph_version(), graph);

    assert_int_equal(store_begin(st), OK);
    assert_int_equal(store_add_edge(st, &edge), OK);
    assert_int_equal(store_commit(st), OK);
    assert_int_equal(nodes_version(), nodes);
    assert_true(graph_version() > graph);

    graph = graph_version();
    stored_put_node(st, 1); /* what it is may have changed */
    assert_true(nodes_version() > nodes);
    assert_true(graph_version() > graph);
    store_close(st);
}

static enum err
count_edge(void *ctx, const struct edge_delta *delta)
{
    (void)delta;
    ++*(int *)ctx;
    return OK;
}

static void
edges_add_up_first_only_falls_and_last_only_rises(void **state)
{
    struct store *st = stored_open();
    struct edge_delta deltas[] = {
        stored_edge(1, 4, 100, 200), stored_edge(1, 2, 150, 300),
        stored_edge(1, -1, 0, 0),    stored_edge(1, 2, 50, 60),
        stored_edge(2, 1, 0, 0),     stored_edge(2, 1, 70, 70)};

    (void)state;
    deltas[0].is_new = true;
    deltas[1].is_new = true; /* a wrong guess is no harm */
    deltas[4].hash = NULL;
    assert_int_equal(store_begin(st), OK);
    for (int i = 0; i < 6; i++)
        assert_int_equal(store_add_edge(st, &deltas[i]), OK);
    assert_int_equal(store_commit(st), OK);
    assert_int_equal(stored_ask("SELECT count FROM edge WHERE id = 1"), 7);
    assert_int_equal(stored_ask("SELECT weighted FROM edge WHERE id = 1"), 70);
    assert_int_equal(stored_ask("SELECT errors FROM edge WHERE id = 1"), 4);
    assert_int_equal(stored_ask("SELECT first_s FROM edge WHERE id = 1"), 50);
    assert_int_equal(stored_ask("SELECT last_s FROM edge WHERE id = 1"), 300);
    assert_int_equal(stored_ask("SELECT length(hash) FROM edge WHERE id = 1"),
                     32);
    assert_int_equal(stored_ask("SELECT hash IS NULL FROM edge WHERE id = 2"),
                     1);
    assert_int_equal(stored_ask("SELECT first_s FROM edge WHERE id = 2"), 70);
    int rows = 0;
    assert_int_equal(store_each_edge(st, count_edge, &rows), OK);
    assert_int_equal(rows, 2);
    store_close(st);
}

static void
add_bucket(struct store *st, uint32_t number, int64_t count, uint32_t hours,
           str latency)
{
    struct bucket_delta delta = {.edge = 1,
                                 .number = number,
                                 .count = count,
                                 .weighted = count,
                                 .errors = count,
                                 .hours = hours,
                                 .latency = latency};

    assert_int_equal(store_add_hour(st, &delta), OK);
    assert_int_equal(store_add_day(st, &delta), OK);
}

static void
buckets_add_up_and_are_pruned(void **state)
{
    struct store *st = stored_open();
    struct buf latency = {0};

    (void)state;
    assert_int_equal(store_begin(st), OK);
    add_bucket(st, 10, 3, 1, STR("old"));
    add_bucket(st, 10, -1, 4, (str){NULL, 0});
    add_bucket(st, 20, 5, 2, STR("x"));
    assert_int_equal(store_get_latency(st, 1, 10, &latency), OK);
    assert_true(str_eq(buf_str(&latency), STR("old")));
    buf_reset(&latency);
    assert_int_equal(store_get_latency(st, 1, 11, &latency), OK);
    assert_int_equal(latency.len, 0);
    assert_int_equal(store_commit(st), OK);
    assert_int_equal(stored_ask("SELECT count FROM edge_hour WHERE hour = 10"),
                     2);
    assert_int_equal(stored_ask("SELECT hours FROM edge_day WHERE day = 10"),
                     5);

    struct store_prune other = {.hour = 99, .day = 99, .first = 2, .last = 9};
    struct store_prune ours = {.hour = 20, .day = 11, .first = 1, .last = 1};
    bool more;
    assert_int_equal(store_begin(st), OK);
    assert_int_equal(store_prune(st, &other, &more), OK);
    assert_int_equal(store_prune(st, &ours, &more), OK);
    assert_false(more);
    assert_int_equal(store_commit(st), OK);
    assert_int_equal(stored_ask("SELECT count(*) FROM edge_hour"), 1);
    assert_int_equal(stored_ask("SELECT day FROM edge_day"), 20);
    buf_fini(&latency);
    store_close(st);
}

static void
versions_are_pruned_so_many_at_once(void **state)
{
    struct store *st = stored_open();
    struct store_prune what = {.day = 10, .first = 1, .last = 2};
    bool more;

    (void)state;
    stored_tell("WITH RECURSIVE v(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM v"
                " WHERE n < 5002) INSERT INTO edge_version"
                " SELECT 1, 0, n, 1, n FROM v");
    stored_tell("INSERT INTO edge_version VALUES (2, 1, 1, 1, 10),"
                " (2, 1, 2, 1, 863999), (2, 1, 3, 1, 864000)");
    assert_int_equal(store_begin(st), OK);
    assert_int_equal(store_prune(st, &what, &more), OK);
    assert_false(more);
    assert_int_equal(store_commit(st), OK);
    assert_int_equal(stored_ask("SELECT count(*) FROM edge_version"), 5005);
    what.versions = true;
    assert_int_equal(store_begin(st), OK);
    assert_int_equal(store_prune(st, &what, &more), OK);
    assert_true(more);
    assert_int_equal(store_commit(st), OK);
    assert_int_equal(stored_ask("SELECT count(*) FROM edge_version"), 5);
    assert_int_equal(store_begin(st), OK);
    assert_int_equal(store_prune(st, &what, &more), OK);
    assert_false(more);
    assert_int_equal(store_commit(st), OK);
    assert_int_equal(stored_ask("SELECT sum(edge * 10000 + version)"
                                " FROM edge_version"),
                     10000 + 5002 + 20000 + 3);
    store_close(st);
}

static void
put_exemplar(struct store *st, uint32_t edge, bool failed, uint64_t trace,
             uint32_t at_s)
{
    const struct exemplar exemplar = {1, trace, at_s, failed};

    assert_int_equal(store_put_exemplar(st, edge, &exemplar), OK);
}

static void
an_edge_keeps_its_latest_traces_and_those_before(void **state)
{
    struct store *st = stored_open();
    struct store_prune what = {.day = 1, .first = 1, .last = 2};
    bool more;

    (void)state;
    assert_int_equal(store_begin(st), OK);
    put_exemplar(st, 1, false, 5, 100);
    put_exemplar(st, 1, false, 6, 100000);
    put_exemplar(st, 1, false, 6, 100001); /* the same again */
    put_exemplar(st, 1, false, 7, 99);     /* older than both */
    put_exemplar(st, 1, true, 8, 100);
    put_exemplar(st, 3, true, 9, 100);
    put_exemplar(st, 4, true, 2, 200000); /* a late one is the one before */
    put_exemplar(st, 4, true, 1, 150000);
    put_exemplar(st, 4, true, 3, 140000);
    put_exemplar(st, 4, true, 4, 160000);
    put_exemplar(st, 4, true, 4, 170000);
    assert_int_equal(store_commit(st), OK);
    assert_int_equal(stored_ask("SELECT hex(before) LIKE '%4' AND before_s ="
                                " 160000 AND hex(trace) LIKE '%2' AND at_s ="
                                " 200000 FROM edge_exemplar WHERE edge = 4"),
                     1);
    assert_int_equal(stored_ask("SELECT hex(before) = '0000000000000001"
                                "0000000000000005' AND before_s = 100 AND"
                                " hex(trace) = '0000000000000001"
                                "0000000000000006' AND at_s = 100000"
                                " FROM edge_exemplar WHERE edge = 1"
                                " AND failed = 0"),
                     1);
    assert_int_equal(stored_ask("SELECT before IS NULL FROM edge_exemplar"
                                " WHERE edge = 1 AND failed = 1"),
                     1);
    assert_int_equal(store_begin(st), OK);
    assert_int_equal(store_prune(st, &what, &more), OK);
    assert_int_equal(store_commit(st), OK);
    assert_int_equal(stored_ask("SELECT sum(edge * 10 + failed)"
                                " FROM edge_exemplar"),
                     10 + 31 + 41);
    store_close(st);
}

static void
small_tables_add_and_extend(void **state)
{
    struct store *st = stored_open();
    struct version_delta version = {
        .edge = 1, .version = 7, .side = 1, .first_s = 50, .last_s = 60};

    (void)state;
    assert_int_equal(store_begin(st), OK);
    assert_int_equal(store_add_version(st, &version), OK);
    version.first_s = 40;
    version.last_s = 55;
    assert_int_equal(store_add_version(st, &version), OK);
    assert_int_equal(store_add_counter(st, STR("spans"), 5), OK);
    assert_int_equal(store_add_counter(st, STR("spans"), 6), OK);
    assert_int_equal(store_add_loss(st, 3, STR("evicted"), 1), OK);
    assert_int_equal(store_add_loss(st, 3, STR("evicted"), 2), OK);
    assert_int_equal(store_put_uptime(st, 100, 110), OK);
    assert_int_equal(store_put_uptime(st, 100, 120), OK);
    assert_int_equal(store_put_uptime(st, 100, 115), OK);
    assert_int_equal(store_commit(st), OK);
    assert_int_equal(stored_ask("SELECT first_s FROM edge_version"), 40);
    assert_int_equal(stored_ask("SELECT last_s FROM edge_version"), 60);
    assert_int_equal(stored_counter("spans"), 11);
    assert_int_equal(stored_ask("SELECT count FROM loss WHERE day = 3"), 3);
    assert_int_equal(stored_ask("SELECT end_s FROM uptime WHERE start_s = 100"),
                     120);
    store_close(st);
}

static enum err
check_route(void *ctx, const struct route_row *row)
{
    *(struct route_row *)ctx = *row;
    assert_true(str_eq(row->pattern, STR("/a/{}")));
    assert_true(str_eq(row->raw, STR("/a/:id")));
    return OK;
}

static void
routes_are_renewed_and_removed(void **state)
{
    struct store *st = stored_open();
    struct route_row row = {.service = 1,
                            .node = 2,
                            .created_s = 5,
                            .method = STR("GET"),
                            .pattern = STR("/a/{}"),
                            .raw = STR("/a/{id}"),
                            .origin = STR("list:a")};
    struct route_row found = {0};

    (void)state;
    assert_int_equal(store_put_route(st, &row), OK);
    row.raw = STR("/a/:id");
    row.created_s = 9;
    assert_int_equal(store_put_route(st, &row), OK);
    assert_int_equal(store_each_route(st, check_route, &found), OK);
    assert_int_equal(found.created_s, 5);
    assert_int_equal(found.node, 2);
    assert_int_equal(store_remove_route(st, found.id, 77), OK);
    assert_int_equal(store_each_route(st, check_route, &found), OK);
    assert_int_equal(found.removed_s, 77);
    assert_int_equal(store_put_route(st, &row), OK);
    assert_int_equal(store_each_route(st, check_route, &found), OK);
    assert_int_equal(found.removed_s, 0);
    assert_int_equal(found.created_s, 5);
    store_close(st);
}

/* Else it is accused of its silence in the time in which nothing served it. */
static void
a_route_that_was_gone_for_a_week_is_new_again(void **state)
{
    struct store *st = stored_open();
    struct route_row row = {.service = 1,
                            .created_s = 5,
                            .method = STR("GET"),
                            .pattern = STR("/a/{}"),
                            .raw = STR("/a/:id")};
    struct route_row found = {0};

    (void)state;
    for (int i = 0; i < 3; i++) {
        const uint32_t back_s[] = {5, 77 + 6 * 86400, 77 + 7 * 86400};

        row.created_s = back_s[i];
        assert_int_equal(store_put_route(st, &row), OK);
        assert_int_equal(store_each_route(st, check_route, &found), OK);
        assert_int_equal(found.created_s, i < 2 ? 5 : back_s[2]);
        assert_int_equal(store_remove_route(st, found.id, 77), OK);
    }
    store_close(st);
}

static void
sweeping_drops_buckets_and_keeps_first_and_last(void **state)
{
    struct store *st = stored_open();
    uint32_t swept = 0;

    (void)state;
    assert_int_equal(store_begin(st), OK);
    for (uint32_t id = 1; id <= 5; id++) {
        struct edge_delta delta = stored_edge(id, 1, 10, id * 10);
        assert_int_equal(store_add_edge(st, &delta), OK);
    }
    add_bucket(st, 10, 3, 1, STR("old"));
    put_exemplar(st, 3, true, 7, 30);
    put_exemplar(st, 4, true, 7, 40);
    assert_int_equal(store_sweep(st, 35, 99, 2, &swept), OK);
    assert_int_equal(swept, 2);
    assert_int_equal(store_sweep(st, 35, 99, 2, &swept), OK);
    assert_int_equal(swept, 1);
    assert_int_equal(store_sweep(st, 35, 99, 2, &swept), OK);
    assert_int_equal(swept, 0);
    assert_int_equal(store_commit(st), OK);
    assert_int_equal(stored_ask("SELECT count(*) FROM edge_hour"), 0);
    assert_int_equal(stored_ask("SELECT sum(edge) FROM edge_exemplar"), 4);
    assert_int_equal(stored_ask("SELECT count(*) FROM edge WHERE swept_s = 99"),
                     3);
    assert_int_equal(stored_ask("SELECT last_s FROM edge WHERE id = 3"), 30);
    struct edge_delta again = stored_edge(3, 1, 40, 40);
    assert_int_equal(store_add_edge(st, &again), OK);
    assert_int_equal(stored_ask("SELECT swept_s FROM edge WHERE id = 3"), 0);
    store_close(st);
}

/* ---- flushes under way ---- */

static enum err
note_part(void *ctx, uint64_t seq, str data)
{
    struct buf *seen = ctx;

    buf_printf(seen, "%d%.*s ", (int)seq, (int)data.len, data.ptr);
    return OK;
}

static void
expect_parts(struct store *st, uint64_t flush, const char *should)
{
    struct buf seen = {0};

    assert_int_equal(store_each_part(st, flush, note_part, &seen), OK);
    assert_string_equal(buf_cstr(&seen), should);
    buf_fini(&seen);
}

static void
parts_of_a_flush_are_kept_until_they_are_dropped(void **state)
{
    struct store *st = stored_open();
    uint64_t flush = 7;

    (void)state;
    assert_int_equal(store_get_flush(st, &flush), OK);
    assert_int_equal(flush, 0);
    for (uint64_t seq = 1; seq < 5; seq++)
        assert_int_equal(store_put_part(st, 1, seq, STR("x")), OK);
    assert_int_equal(store_put_flush(st, 1), OK);
    store_close(st);
    st = stored_open();
    assert_int_equal(store_get_flush(st, &flush), OK);
    assert_int_equal(flush, 1);
    expect_parts(st, 1, "1x 2x 3x 4x ");
    expect_parts(st, 2, "");
    assert_int_equal(store_drop_parts(st, 2), OK);
    expect_parts(st, 1, "3x 4x ");
    assert_int_equal(store_drop_all_parts(st), OK);
    expect_parts(st, 1, "");
    store_close(st);
}

static enum err
join_blob(void *ctx, str data)
{
    buf_add(ctx, data);
    return OK;
}

static void
put_producers(struct store *st, str data, uint32_t count, uint64_t until_ns)
{
    const struct producers_row row = {data, count, until_ns};

    assert_int_equal(store_put_producers(st, &row), OK);
}

static void
expect_producers(struct store *st, str expected)
{
    struct buf all = {0};

    assert_int_equal(store_each_producers(st, join_blob, &all), OK);
    assert_true(str_eq(buf_str(&all), expected));
    buf_fini(&all);
}

static void
producers_come_in_order_until_they_end(void **state)
{
    struct store *st = stored_open();

    (void)state;
    assert_int_equal(store_trim_producers(st, 1000, 1), OK); /* none */
    put_producers(st, STR("one "), 1, 100);
    put_producers(st, STR("two "), 1, 200);
    put_producers(st, STR("three "), 1, 150);
    put_producers(st, STR("four"), 1, 300);
    assert_int_equal(store_trim_producers(st, 100, 4), OK);
    expect_producers(st, STR("one two three four"));
    assert_int_equal(store_trim_producers(st, 101, 4), OK);
    expect_producers(st, STR("two three four"));
    assert_int_equal(store_trim_producers(st, 151, 4), OK);
    expect_producers(st, STR("two four"));
    assert_int_equal(store_trim_producers(st, 201, 4), OK);
    expect_producers(st, STR("four"));
    assert_int_equal(store_trim_producers(st, 301, 4), OK);
    expect_producers(st, STR(""));
    put_producers(st, STR("five"), 1, 400);
    expect_producers(st, STR("five"));
    store_close(st);
}

static void
of_producers_only_the_newest_are_kept(void **state)
{
    struct store *st = stored_open();

    (void)state;
    put_producers(st, STR("1-5 "), 5, 900);
    put_producers(st, STR("6-7 "), 2, 900);
    put_producers(st, STR("8-17 "), 10, 900);
    assert_int_equal(store_trim_producers(st, 1, 13), OK);
    expect_producers(st, STR("1-5 6-7 8-17 "));
    assert_int_equal(store_trim_producers(st, 1, 12), OK);
    expect_producers(st, STR("6-7 8-17 "));
    put_producers(st, STR("18"), 1, 900);
    assert_int_equal(store_trim_producers(st, 1, 12), OK);
    expect_producers(st, STR("6-7 8-17 18"));
    assert_int_equal(store_trim_producers(st, 1, 11), OK);
    expect_producers(st, STR("8-17 18"));
    assert_int_equal(store_trim_producers(st, 1, 1), OK);
    expect_producers(st, STR("18"));
    store_close(st);
}

/* Whether time or number is over; and none but the oldest are looked at. */
static void
a_trim_of_producers_drops_a_few_rows(void **state)
{
    struct store *st = stored_open();

    (void)state;
    for (int i = 0; i < 20; i++)
        put_producers(st, STR("x"), 1, 100);
    assert_int_equal(store_trim_producers(st, 101, 20), OK);
    expect_producers(st, STR("xxxxxxxxxxxx"));
    assert_int_equal(store_trim_producers(st, 1, 1), OK);
    expect_producers(st, STR("xxxx"));
    assert_int_equal(store_trim_producers(st, 1, 1), OK);
    expect_producers(st, STR("x"));
    for (int i = 0; i < 7; i++)
        put_producers(st, STR("y"), 1, 900);
    put_producers(st, STR("z"), 1, 100);
    assert_int_equal(store_trim_producers(st, 100, 20), OK);
    expect_producers(st, STR("xyyyyyyyz"));
    assert_int_equal(store_trim_producers(st, 101, 20), OK);
    expect_producers(st, STR("yyyyyyyz"));
    assert_int_equal(store_trim_producers(st, 101, 20), OK);
    expect_producers(st, STR("yyyyyyy"));
    store_close(st);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        STORED_TEST(nodes_come_back_as_they_were_last_put),
        STORED_TEST(what_is_put_makes_another_version_of_its_kind),
        STORED_TEST(edges_add_up_first_only_falls_and_last_only_rises),
        STORED_TEST(buckets_add_up_and_are_pruned),
        STORED_TEST(versions_are_pruned_so_many_at_once),
        STORED_TEST(an_edge_keeps_its_latest_traces_and_those_before),
        STORED_TEST(small_tables_add_and_extend),
        STORED_TEST(routes_are_renewed_and_removed),
        STORED_TEST(a_route_that_was_gone_for_a_week_is_new_again),
        STORED_TEST(sweeping_drops_buckets_and_keeps_first_and_last),
        STORED_TEST(parts_of_a_flush_are_kept_until_they_are_dropped),
        STORED_TEST(producers_come_in_order_until_they_end),
        STORED_TEST(of_producers_only_the_newest_are_kept),
        STORED_TEST(a_trim_of_producers_drops_a_few_rows),
    };

    fault_vfs_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
