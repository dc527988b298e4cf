/*
 * The tools over all worlds, row by row of their checklist: a call, a JSON
 * pointer into the reply, and what stands there.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "knowledge/resolve.h"
#include "mcp/tools.h"
#include "tests/support/near_rows.h"
#include "tests/support/near_shop.h"

static const struct near_row explore_rows[] = {
    {"E1", "explore", "{}", "/mode", "\"list\""},
    {"E1", "explore", "{}", "/limit", "50"},
    {"E1", "explore", "{}", "/offset", "0"},
    {"E1", "explore", "{\"mode\":\"fly\"}", "", "~none of list, related"},
    {"E2", "explore", "{\"types\":[\"Service\"]}", "/entities", "#3"},
    {"E2", "explore", "{\"types\":[\"service\"]}", "/entities/0/type",
     "\"service\""},
    {"E2", "explore", "{\"types\":[\"service\",\"nix\"]}",
     "/filters/unknown_types/0", "\"nix\""},
    {"E2", "explore", "{\"types\":[\"nix\"]}", "", "~none of types is known"},
    {"E2", "explore", "{\"types\":[\"route\"],\"status\":\"live\"}",
     "/entities/0/metadata/state", "\"live\""},
    {"E2", "explore", "{\"types\":[\"service\"],\"limit\":1}", "/actual_total",
     "3"},
    {"E3", "explore", "{\"types\":[\"task\"],\"status\":\"todo,doing\"}",
     "/entities", "#3"},
    {"E3", "explore", "{\"types\":[\"task\"],\"status\":\"done\"}", "/entities",
     "#0"},
    {"E3", "explore", "{\"types\":[\"route\"],\"status\":\"never_seen\"}",
     "/entities/0/id", "\"route:checkout:GET /old\""},
    {"E3", "explore", "{\"types\":[\"service\"],\"status\":\"dead\"}",
     "/hints/0",
     "\"nothing that fits has this status; what is observed is live, stale, "
     "dead (no longer called), never_seen, unknown or unresolved; dead_routes "
     "judges routes of both dead and never_seen\""},
    {"E3", "explore", "{\"types\":[\"task\"],\"project\":\"Shop\"}",
     "/entities", "#3"},
    {"E3", "explore", "{\"types\":[\"task\"],\"project\":\"Nobody\"}", "",
     "~Entity not found"},
    {"E4", "explore", "{\"types\":[\"task\"],\"priority\":\"low\"}",
     "/entities", "#0"},
    {"E4", "explore", "{\"types\":[\"task\"],\"no_epic\":true,\"offset\":2}",
     "/entities", "#1"},
    {"E5", "explore", "{\"mode\":\"related\"}", "", "~entity_id required"},
    {"E5", "explore",
     "{\"mode\":\"related\",\"entity_id\":\"service:chekout\"}", "",
     "~Entity not found: service:chekout"},
    {"E5", "explore",
     "{\"mode\":\"related\",\"entity_id\":\"route:checkout:POST /buy\"}",
     "/entities/0/distance", "1"},
    {"E5", "explore",
     "{\"mode\":\"related\",\"entity_id\":\"route:checkout:POST /buy\","
     "\"relationship_types\":[\"TOUCHES\"]}",
     "/entities/0/id", "\"$0\""},
    {"E5", "explore",
     "{\"mode\":\"related\",\"entity_id\":\"$0\","
     "\"relationship_types\":[\"touches\"]}",
     "/entities/0/id", "\"route:checkout:POST /buy\""},
    {"E6", "explore",
     "{\"mode\":\"traverse\",\"entity_id\":\"$0\",\"depth\":2,"
     "\"relationship_types\":[\"DEPENDS_ON\"]}",
     "/entities/1/distance", "2"},
    {"E6", "explore",
     "{\"mode\":\"traverse\",\"entity_id\":\"route:web:GET /cart/{}\","
     "\"depth\":2,\"relationship_types\":[\"CALLS\"]}",
     "/entities/1/distance", "2"},
    {"E7", "explore", "{\"mode\":\"dependencies\",\"entity_id\":\"$0\"}",
     "/entities/0/id", "\"$2\""},
    {"E7", "explore", "{\"mode\":\"dependencies\",\"entity_id\":\"$0\"}",
     "/entities/2/metadata/is_root", "true"},
    {"E7", "explore", "{\"mode\":\"dependencies\",\"entity_id\":\"$0\"}",
     "/entities/1/metadata/is_root", "false"},
    {"E7", "explore",
     "{\"mode\":\"dependencies\",\"entity_id\":\"service:web\"}",
     "/entities/0/id", "\"service:pay\""},
    {"E8", "explore", "{\"mode\":\"dependencies\",\"entity_id\":\"$0\"}",
     "/entities/2/metadata/blocked_by/0", "\"$1\""},
    {"E9", "explore", "{\"mode\":\"dependencies\",\"entity_id\":\"$0\"}",
     "/filters/warning", "-"},
    {"E10", "explore", "{\"limit\":9999}", "/limit", "200"},
    {"E11", "explore",
     "{\"mode\":\"related\",\"entity_id\":\"service:web\","
     "\"relationship_types\":[\"FLIES\"]}",
     "", "~unknown relationship type 'FLIES'"},
    {"X2", "graph_traverse",
     "{\"seedNodeId\":\"route:web:GET /cart/{}\",\"maxDepth\":2,"
     "\"edgeTypes\":[\"CALLS\"]}",
     "/path/2/id", "\"rpc:pay:pay.Pay/Charge\""},
    {"X2", "graph_traverse",
     "{\"seedNodeId\":\"route:web:GET /cart/{}\",\"maxDepth\":2,"
     "\"edgeTypes\":[\"CALLS\"]}",
     "/path/2/hop", "2"},
    {"X2", "graph_traverse",
     "{\"seedNodeId\":\"route:checkout:POST /buy\","
     "\"direction\":\"incoming\",\"edgeTypes\":[\"CALLS\"]}",
     "/path/1/id", "\"route:web:GET /cart/{}\""},
    {"X2", "graph_traverse",
     "{\"seedNodeId\":\"route:checkout:POST /buy\",\"edgeTypes\":[\"CALLS\"]}",
     "/edgesTraversed/0/evidence", "\"observed\""},
    {"X2", "graph_traverse",
     "{\"seedNodeId\":\"service:web\",\"direction\":\"up\"}", "",
     "~none of outgoing, incoming, both"},
    {"X2", "graph_traverse", "{}", "", "~seedNodeId required"},
    {"X3", "graph_traverse",
     "{\"seedNodeId\":\"service:web\",\"disclosureLevel\":0}", "/path/0/name",
     "-"},
    {"X3", "graph_traverse",
     "{\"seedNodeId\":\"service:web\",\"disclosureLevel\":1}",
     "/path/0/description", "?"},
};

static void
each_row_of_explore_and_traverse_holds(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(explore_rows) / sizeof(explore_rows[0]); i++)
        near_row_run(&explore_rows[i]);
}

static const struct near_row search_rows[] = {
    {"S1", "search", "{\"query\":\"POST /buy\"}", "/results/0/id",
     "\"route:checkout:POST /buy\""},
    {"S1", "search", "{\"query\":\"retry care\",\"types\":[\"pattern\"]}",
     "/total", "?"},
    {"S2", "search", "{\"query\":\"checkout\"}", "/results/0/score", "0.716"},
    {"S2", "search", "{\"query\":\"checkout\"}",
     "/results/0/metadata/lanes/ident", "1"},
    {"S3", "search", "{\"query\":\"\",\"types\":[\"task\"]}", "/results", "#3"},
    {"S3", "search", "{\"query\":\"\",\"types\":[\"task\"]}", "/document_count",
     "0"},
    {"S3", "search", "{\"query\":\"\",\"types\":[\"nix\"]}", "",
     "~none of types is known"},
    {"S4", "search",
     "{\"query\":\"\",\"types\":[\"task\"],\"status\":\"doing\"}", "/results",
     "#0"},
    {"S4", "search",
     "{\"query\":\"\",\"types\":[\"task\"],\"assignee\":\"alice\"}", "/results",
     "#0"},
    {"S5", "search", "{\"query\":\"\",\"source\":\"checkout\"}", "/results",
     "#3"},
    {"S5", "search", "{\"query\":\"buy\",\"source\":\"nobody\"}", "/results",
     "#0"},
    {"S5", "search", "{\"query\":\"buy\",\"source_id\":\"source_1\"}",
     "/filters/source_id", "\"source_1\""},
    {"S13", "search", "{\"query\":\"what sets PAY_URL_X\"}", "/filters/keys/0",
     "\"PAY_URL_X\""},
    {"S6", "search", "{\"query\":\"x\",\"since\":\"never\"}", "", "~since"},
    {"S7", "search", "{\"query\":\"x\"}", "/filters/temporal/half_life_days",
     "365"},
    {"S7", "search", "{\"query\":\"x\",\"temporal_decay_days\":0}", "",
     "~temporal_decay_days"},
    {"S8", "search", "{\"query\":\"x\",\"limit\":500}", "/limit", "50"},
    {"S9", "search", "{\"query\":\"checkout\",\"include_graph\":false}",
     "/graph_count", "0"},
    {"S9", "search",
     "{\"query\":\"x\",\"include_graph\":false,"
     "\"include_documents\":false}",
     "", "~nothing is left to search"},
    {"S10", "search", "{\"query\":\"checkout\",\"use_enhanced\":false}",
     "/filters/lanes", "#2"},
    {"S10", "search", "{\"query\":\"checkout\"}", "/filters/lanes", "#6"},
    {"S10", "search", "{\"query\":\"checkout\"}", "/filters/degraded", "#0"},
    {"S12", "search", "{\"query\":\"checkout\"}", "/usage_hint",
     "\"Results are previews. To get full content, use: "
     "graph_node(nodeId=<id>, disclosureLevel=4)\""},
};

static const struct near_row ask_rows[] = {
    {"X1", "graph_query", "{\"query\":\"who calls POST /buy?\"}", "/nodes/1/id",
     "\"route:web:GET /cart/{}\""},
    {"X1", "graph_query", "{\"query\":\"Who calls POST /buy\"}",
     "/interpretation/intent", "\"callers\""},
    {"X1", "graph_query", "{\"query\":\"what does POST /buy call\"}",
     "/edges/0/target", "\"rpc:pay:pay.Pay/Charge\""},
    {"X1", "graph_query",
     "{\"query\":\"path from GET /cart/{} to pay.Pay/Charge\"}", "/summary",
     "\"route:web:GET /cart/{} reaches rpc:pay:pay.Pay/Charge in 2 steps\""},
    {"X1", "graph_query", "{\"query\":\"path from web to pay.Pay/Charge\"}",
     "/summary", "\"service:web reaches rpc:pay:pay.Pay/Charge in 3 steps\""},
    {"X1", "graph_query", "{\"query\":\"path from GET /cart/{} to pay\"}",
     "/summary", "\"route:web:GET /cart/{} reaches service:pay in 2 steps\""},
    {"X1", "graph_query", "{\"query\":\"path from pay to web\"}", "/summary",
     "\"no way from service:pay to service:web within 10 steps\""},
    {"X1", "graph_query", "{\"query\":\"blast radius of pay.Pay/Charge\"}",
     "/nodes", "#3"},
    {"X1", "graph_query", "{\"query\":\"dead routes\"}", "/summary",
     "\"1 candidate for removal\""},
    {"X1", "graph_query", "{\"query\":\"dead routes\"}", "/nodes/0/id",
     "\"route:checkout:GET /old\""},
    {"X1", "graph_query", "{\"query\":\"dead routes of web\"}", "/summary",
     "\"0 candidates for removal in service:web\""},
    {"X1", "graph_query", "{\"query\":\"dead routes of GET /old\"}", "/hints/0",
     "\"'GET /old' names no service, so its words are searched; ids are "
     "unique\""},
    {"X1", "graph_query", "{\"query\":\"checkout stuff\"}", "/modeUsed",
     "\"search\""},
    {"X1", "graph_query", "{\"query\":\"who calls nobody\"}",
     "/interpretation/intent", "\"search\""},
    {"X9", "graph_query",
     "{\"query\":\"overview of service:web\",\"maxNodes\":1}", "/nodes", "#1"},
    {"X1", "graph_query", "{\"query\":\"what is service:web\"}",
     "/nodes/0/level", "2"},
    {"X1", "graph_query", "{\"query\":\"callers of the pay service\"}",
     "/interpretation/about", "\"service:pay\""},
    {"X1", "graph_query", "{\"query\":\"checkout\",\"maxNodes\":1}", "/hints/0",
     "\"read as words to search; questions are: who calls X, what does X "
     "call, path from A to B, what breaks if I change X, what does X depend "
     "on, dead routes of X, overview of X\""},
    {"X1", "graph_query",
     "{\"query\":\"overview of service:web\",\"maxNodes\":1}", "/hints/0",
     "\"2 more: raise maxNodes (at most 100)\""},
    {"E2", "explore", "{\"types\":[\"service\"],\"limit\":2}", "/hints/0",
     "\"1 more: go on with offset=2, or narrow types\""},
    {"M1", "manage", "{\"action\":\"start_task\"}", "",
     "~entity_id required for start_task; explore{\"types\":[\"task\"]} lists"},
    {"M3", "manage", "{\"action\":\"start_epic\"}", "",
     "~explore{\"types\":[\"epic\"]} lists ids"},
    {"M13", "manage", "{\"action\":\"prioritize\"}", "",
     "~explore{\"types\":[\"project\"]} lists ids"},
    {"S8", "search",
     "{\"query\":\"\",\"types\":[\"service\"],\"limit\":1,\"offset\":1}",
     "/hints/0", "\"1 more: go on with offset=2, or narrow types\""},
    {"X9", "graph_query",
     "{\"query\":\"overview of service:web\",\"max_nodes\":1}", "/nodes", "#1"},
    {"X9", "graph_node", "{\"node_id\":\"$0\",\"disclosure_level\":0}", "/node",
     "{\"id\":\"$0\",\"type\":\"task\",\"level\":0}"},
    {"X3", "graph_node", "{\"nodeId\":\"service:web\",\"disclosureLevel\":0}",
     "/node", "{\"id\":\"service:web\",\"type\":\"service\",\"level\":0}"},
    {"X3", "graph_node", "{\"nodeId\":\"$0\",\"disclosureLevel\":2}",
     "/node/sections", "-"},
    {"X3", "graph_node", "{\"nodeId\":\"$0\",\"disclosureLevel\":2}",
     "/node/links/out_count", "2"},
    {"X3", "graph_node", "{\"nodeId\":\"$0\",\"disclosureLevel\":3}",
     "/node/content", "-"},
    {"X3", "graph_node", "{\"nodeId\":\"$0\",\"disclosureLevel\":4}",
     "/node/content", "\"What it is about.\""},
    {"X3", "graph_node",
     "{\"nodeId\":\"route:checkout:POST /buy\",\"disclosureLevel\":2}",
     "/node/state", "\"live\""},
    {"X3", "graph_node", "{\"nodeId\":\"nobody\"}", "", "~unknown"},
    {"X4", "graph_search", "{\"query\":\"checkout\",\"nodeTypes\":[\"route\"]}",
     "/results/0/type", "\"route\""},
    {"X4", "graph_search", "{\"query\":\"zzqqy\"}", "/results", "#0"},
    {"X4", "graph_search", "{}", "", "~query required"},
    {"X4", "graph_search", "{\"query\":\"\"}", "/method", "\"degree\""},
    {"X4", "graph_search", "{\"query\":\"\"}", "/results/0/score", "1"},
    {"X4", "graph_search", "{\"query\":\"\",\"maxResults\":2}", "/results",
     "#2"},
    {"X4", "graph_search", "{\"query\":\"buy\"}", "/method", "\"hybrid\""},
    {"D1", "graph_query", "{}", "", "~missing required argument: prefix (or"},
    {"D1", "graph_query", "{\"prefix\":\"\"}", "/nodes/0/NodeHash", "?"},
    {"D1", "graph_query",
     "{\"query\":\"overview of service:web\",\"prefix\":\"checkout\"}",
     "/nodes/0/id", "\"service:checkout\""},
};

static void
each_row_of_plain_questions_holds(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(ask_rows) / sizeof(ask_rows[0]); i++)
        near_row_run(&ask_rows[i]);
}

static void
each_row_of_search_holds(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(search_rows) / sizeof(search_rows[0]); i++)
        near_row_run(&search_rows[i]);
}

/* Any search is longer than a nanosecond. */
static void
a_search_that_takes_too_long_fails_and_says_so(void **state)
{
    const struct tools_cfg cfg = {.query = near_shop.query,
                                  .world = near_shop.world,
                                  .knowledge = near_shop.knowledge,
                                  .toolsets = "all",
                                  .search_limit_ns = 1,
                                  .version = "1.0"};
    const struct near_row rows[] = {
        {"S11", "search", "{\"query\":\"checkout\"}", "",
         "~Search failed: timeout after 1e-09 s; ask for less"},
        {"S11", "search", "{\"query\":\"\"}", "", "~Search failed: timeout"},
        {"S11", "graph_search", "{\"query\":\"checkout\"}", "",
         "~Search failed: timeout"},
        {"S11", "explore", "{\"limit\":1}", "/limit", "1"},
    };
    struct tools *tools = near_shop.tools;
    struct buf why = {0};

    (void)state;
    assert_int_equal(tools_new(&near_shop.tools, &cfg, &why), OK);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        near_row_run(&rows[i]);
    tools_free(near_shop.tools);
    near_shop.tools = tools;
}

static void
a_cycle_is_told_by_the_arc_that_closes_it(void **state)
{
    struct query_view *view;
    struct object ends[2];
    const struct near_row rows[] = {
        {"E9", "explore", "{\"mode\":\"dependencies\",\"entity_id\":\"$0\"}",
         "/filters/warning", "\"Circular dependencies detected\""},
        {"E9", "explore", "{\"mode\":\"dependencies\",\"entity_id\":\"$0\"}",
         "/filters/circular_dependencies/0/from", "\"$2\""},
        {"E9", "explore", "{\"mode\":\"dependencies\",\"entity_id\":\"$0\"}",
         "/filters/circular_dependencies/0/to", "\"$1\""},
    };

    (void)state;
    assert_int_equal(query_begin(near_shop.query, FIXTURE_NOW_S, &view), OK);
    struct moment moment = {
        .view = view, .now_s = FIXTURE_NOW_S, .why = &near_shop.why};
    assert_int_equal(knowledge_write(near_shop.knowledge, &moment), OK);
    for (int i = 0; i < 2; i++)
        assert_int_equal(object_resolve(&moment, str_of(near_shop.task[i + 1]),
                                        IN_KNOWLEDGE, &ends[i]),
                         OK);
    near_shop_link(&moment, ends[1].oid, ends[0].oid, "DEPENDS_ON");
    object_fini(&ends[0]);
    object_fini(&ends[1]);
    assert_int_equal(knowledge_end(near_shop.knowledge, &moment, OK), OK);
    query_end(view);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        near_row_run(&rows[i]);
}

/* All call all, so that nearly each arc closes a cycle: run_row holds the
 * reply to its size. */
static void
cycles_are_told_as_far_as_they_fit(void **state)
{
    enum { ROUTES = 30 };
    const char *const args =
        "{\"mode\":\"dependencies\",\"entity_id\":\"GET /ring/0\"}";
    const struct near_row rows[] = {
        {"E9", "explore", args, "/filters/circular_dependencies/0/path/0",
         "\"route:ring:GET /ring/0\""},
        {"E9", "explore", args, "/filters/circular_dependencies/9/to", "?"},
        {"E9", "explore", args, "/actual_total", "30"},
        {"E9", "explore", args, "/has_more", "false"},
        {"E9", "explore", args, "/hints/0",
         "\"414 more cycles were found: begin at an object on the way of "
         "one\""},
    };
    struct db_fixture *db = &near_shop.db;
    uint32_t service = db_service(db, "ring");
    uint32_t routes[ROUTES];
    char name[32];

    (void)state;
    for (int i = 0; i < ROUTES; i++) {
        snprintf(name, sizeof(name), "GET /ring/%d", i);
        routes[i] = db_route(db, service, name);
    }
    for (int i = 0; i < ROUTES; i++)
        for (int k = 0; k < ROUTES; k++)
            if (i != k)
                db_edge(db, routes[i], routes[k], EDGE_CALL, 1 + i + k);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        near_row_run(&rows[i]);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        NEAR_SHOP(each_row_of_explore_and_traverse_holds),
        NEAR_SHOP(each_row_of_search_holds),
        NEAR_SHOP(each_row_of_plain_questions_holds),
        NEAR_SHOP(a_search_that_takes_too_long_fails_and_says_so),
        NEAR_SHOP(a_cycle_is_told_by_the_arc_that_closes_it),
        NEAR_SHOP(cycles_are_told_as_far_as_they_fit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
