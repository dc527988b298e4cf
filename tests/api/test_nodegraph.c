/*
 * How much of a graph Grafana's panel is told, and that it is told so.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <cjson/cJSON.h>

#include "api/nodegraph.h"
#include "tests/support/query_shop.h"

/* The answer for |len| edges: all from one node to others, or among |nodes|. */
static cJSON *
tell(size_t len, uint32_t nodes)
{
    struct query_edge *rows = calloc(len + 1, sizeof(*rows));
    const struct query_edges edges = {.rows = rows, .len = len};
    struct buf out = {0};

    assert_non_null(rows);
    for (size_t i = 0; i < len; i++)
        rows[i] = (struct query_edge){
            .source = 1 + (uint32_t)i / nodes,
            .target = 2000 + (uint32_t)i % nodes,
            .kind = EDGE_CALL,
            .count = 1,
        };
    assert_int_equal(nodegraph_data(query_shop.view, &edges, &out), OK);
    cJSON *json = cJSON_Parse(buf_cstr(&out));
    assert_non_null(json);
    buf_fini(&out);
    free(rows);
    return json;
}

static void
expect(cJSON *json, int nodes, int edges, int total)
{
    const cJSON *said = cJSON_GetObjectItem(json, "total");

    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(json, "nodes")),
                     nodes);
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(json, "edges")),
                     edges);
    assert_true((said != NULL) == (total != 0));
    assert_true(cJSON_IsTrue(cJSON_GetObjectItem(json, "truncated")) ==
                (total != 0));
    if (said)
        assert_int_equal(said->valueint, total);
    cJSON_Delete(json);
}

static void
edges_are_told_up_to_their_bound(void **state)
{
    (void)state;
    expect(tell(NODEGRAPH_EDGES_MAX, 100), 150, NODEGRAPH_EDGES_MAX, 0);
    expect(tell(NODEGRAPH_EDGES_MAX + 1, 100), 150, NODEGRAPH_EDGES_MAX,
           NODEGRAPH_EDGES_MAX + 1);
}

static void
nodes_are_told_up_to_theirs(void **state)
{
    const int most = NODEGRAPH_NODES_MAX - 2;
    const uint32_t apart = NODEGRAPH_NODES_MAX;

    (void)state;
    /* One more edge might bring two nodes. */
    expect(tell((size_t)most, apart), most + 1, most, 0);
    expect(tell((size_t)most + 1, apart), most + 1, most, most + 1);
}

static void
a_graph_without_edges_is_whole(void **state)
{
    (void)state;
    expect(tell(0, 1), 0, 0, 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        QUERY_SHOP(edges_are_told_up_to_their_bound),
        QUERY_SHOP(nodes_are_told_up_to_theirs),
        QUERY_SHOP(a_graph_without_edges_is_whole),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
