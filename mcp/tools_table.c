/*
 * Names, words and schemas of the tools.  A description begins with what the
 * tool is for and ends with what to call next; the whole list has a budget
 * (tests/mcp/test_tools.c), because every client pays for it in each session.
 * So a schema says of a row which members are always there, and no more.
 */
#include "mcp/tools_parts.h"
#include "mcp/tools_schema.h"

/* clang-format off */
static const struct tool tools[] = {
    {
        .sets = TOOLSET_DEFAULT | TOOLSET_RUNTIME | TOOLSET_KNOWING,
        .name = "runtime_traffic",
        .title = "Observed edges of a service",
        .description =
            "Edges into and out of a service, optionally to routes "
            "fitting an SQL LIKE pattern (\"/api/%\"): names, hashes, counts, "
            "errors, latency, first and last seen, confidence. Next: "
            "who_calls.",
        .input_schema = INPUT_WITH("service_name",
            TEXT("service_name", "name, or with *") ","
            TEXT("route_pattern", "SQL LIKE on the target's route") ","
            COUNT("limit", "100", "500") "," SINCE "," KIND "," ENV "," FORMAT "," CURSOR),
        .output_schema = LIST(
            ROWS("edges", "\"EdgeType\",\"Confidence\",\"Provenance\","
                 "\"ObservationCount\",\"LastObserved\",\"source\","
                 "\"target\""),
            "\"edges\",\"window\""),
        .example = "{\"service_name\":\"*\"}",
        .fn = tool_runtime_traffic,
    },
    {
        .sets = TOOLSET_DEFAULT | TOOLSET_RUNTIME | TOOLSET_KNOWING,
        .name = "dead_routes",
        .title = "Routes nobody calls",
        .description =
            "Routes without traffic for stale_days, with verdict, confidence, "
            "reasons, coverage, last seen; with code, handler, file, line, "
            "owners, static_callers, only_dead. Lists candidates; verdict=all "
            "lists all. not_judged: services that could not be observed, whose "
            "silence means nothing. Next: who_calls for a candidate.",
        .input_schema = INPUT(
            COUNT("stale_days", "30", "400") ","
            TEXT("service", "name, or with *") "," ENV ","
            MEMBER("owner", STRING) ","
            TEXT("verdict", "dead, all, or one verdict") ","
            COUNT("limit", "20", "500") "," FORMAT "," CURSOR),
        .output_schema = LIST(
            ROWS("routes", "\"ServiceName\",\"RoutePattern\",\"MappingType\","
                 "\"CreatedAt\",\"method\",\"verdict\",\"confidence\","
                 "\"reasons\",\"last_observed\",\"coverage\"") ","
            MEMBER("by_verdict", OBJECT) "," MEMBER("not_judged", ARRAY),
            "\"routes\",\"by_verdict\",\"not_judged\",\"window\""),
        .example = "{\"stale_days\":30}",
        .fn = tool_dead_routes,
    },
    {
        .sets = TOOLSET_DEFAULT | TOOLSET_RUNTIME | TOOLSET_KNOWING,
        .name = "trace_stats",
        .title = "Totals and freshness",
        .description =
            "Edges observed, by age (active: last 7 days, stale: not for 30, "
            "GC-eligible: not for 90) and type, and what became of the spans "
            "(counters). Call it first: is there data, how fresh. Next: "
            "service_map.",
        .input_schema = INPUT(MEMBER("service", STRING) "," ENV),
        .output_schema = OUTPUT(
            MEMBER("TotalEdges", INTEGER) "," MEMBER("ActiveEdges", INTEGER)
            "," MEMBER("StaleEdges", INTEGER) "," MEMBER("GCEligible", INTEGER)
            "," MEMBER("ByEdgeType", OBJECT) "," MEMBER("counters", OBJECT)
            "," MEMBER("last_observed", OR_NULL("integer")),
            "\"TotalEdges\",\"ActiveEdges\",\"StaleEdges\",\"GCEligible\","
            "\"ByEdgeType\",\"counters\",\"window\""),
        .example = "{}",
        .fn = tool_trace_stats,
    },
    {
        .sets = TOOLSET_DEFAULT | TOOLSET_RUNTIME,
        .name = "service_map",
        .title = "Map of services",
        .description =
            "Who talks to whom, busiest first, between services (default), "
            "endpoints or symbols, topics, databases and outside parties. "
            "columns names the values of a row; detailed adds latency and "
            "nodes. Next: who_calls for one target.",
        .input_schema = INPUT(
            LEVEL "," KIND "," TEXT("service", "one end, or with *") ","
            ENV "," SINCE "," COUNT("limit", "50", "500") "," FORMAT ","
            CURSOR),
        .output_schema = LIST(
            MEMBER("columns", ARRAY) "," MEMBER("rows",
                "{\"type\":\"array\",\"items\":{\"type\":\"array\"}}") ","
            MEMBER("nodes", ARRAY),
            "\"columns\",\"rows\",\"window\""),
        .example = "{\"level\":\"service\"}",
        .fn = tool_service_map,
    },
    {
        .sets = TOOLSET_DEFAULT | TOOLSET_RUNTIME,
        .name = "who_calls",
        .title = "Callers of a service or route",
        .description =
            "Callers of a service, route, topic, database or outside party, "
            "busiest first: counts, errors, latency, first and last seen, "
            "versions. route is a name (\"GET /users/{}\"), a path, or a "
            "pattern with *. Next: explain when a caller is missing.",
        .input_schema = INPUT_WITH("service",
            TEXT("service", "what is called, or with *") ","
            TEXT("route", "one of its routes") "," LEVEL "," ENV "," SINCE ","
            COUNT("limit", "20", "500") "," FORMAT "," CURSOR),
        .output_schema = LIST(
            ROWS("callers", "\"caller\",\"target\",\"kind\",\"count\","
                 "\"errors\",\"p95_ms\",\"last_observed\""),
            "\"callers\",\"window\""),
        .example = "{\"service\":\"*\"}",
        .fn = tool_who_calls,
    },
    {
        .sets = TOOLSET_DEFAULT | TOOLSET_RUNTIME,
        .name = "explain",
        .title = "Why an edge is or is not there",
        .description =
            "Why an edge is or is not there: edges at a service, or between "
            "two (peer), and spans that made none (orphans, unresolved, "
            "evicted, duplicates) by instrumentation scope, with what each "
            "means. Next: who_calls.",
        .input_schema = INPUT_WITH("service",
            MEMBER("service", STRING) "," TEXT("peer", "the other end") ","
            ENV),
        .output_schema = OUTPUT(
            MEMBER("edges", ARRAY) "," MEMBER("services", ARRAY) ","
            ROWS("reasons", "\"reason\",\"scope\",\"count\",\"meaning\"") ","
            MEMBER("total", INTEGER) "," MEMBER("truncated", BOOLEAN),
            "\"edges\",\"services\",\"reasons\",\"total\",\"truncated\","
            "\"window\""),
        .example = "{\"service\":\"*\"}",
        .fn = tool_explain,
    },
    {
        .sets = TOOLSET_DEFAULT | TOOLSET_GRAPH | TOOLSET_XPLOR | TOOLSET_KNOWING,
        .name = "graph_query",
        .title = "Ask, or find by prefix",
        .description =
            "Nodes whose name (\"POST /buy\") or qualified name (\"checkout "
            "POST /buy\", \"github.com/org/repo://pkg.Func\") begins with "
            "prefix; empty: all. Or query in words: who calls X, path from A "
            "to B, dead routes. Next: graph_node.",
        .input_schema = INPUT(
            MEMBER("prefix", STRING) "," MEMBER("query", STRING) ","
            CHOICE("mode", "\"auto\",\"document\",\"code\",\"skill\"") ","
            MEMBER("maxNodes", INTEGER) ","
            MEMBER("disclosureLevel", INTEGER) "," COUNT("limit", "50", "500") ","
            CURSOR),
        .output_schema = LIST(
            MEMBER("nodes", ARRAY), "\"nodes\""),
        .example = "{\"prefix\":\"\"}",
        .fn = tool_graph_query,
    },
    {
        .sets = TOOLSET_DEFAULT | TOOLSET_GRAPH | TOOLSET_XPLOR,
        .name = "graph_node",
        .title = "One node",
        .description =
            "One object of any kind by id (\"route:checkout POST /buy\", "
            "\"func:name\"), name or hash. disclosureLevel: 0 id, 1 name, 2 "
            "links, 3 callers, callees, sections, 4 all. Next: who_calls.",
        .input_schema = INPUT_WITH("nodeId",
            MEMBER("nodeId", STRING) "," COUNT("disclosureLevel", "3", "4") ","
            ENV),
        .output_schema = OUTPUT(
            MEMBER("node", "{\"type\":\"object\",\"required\":[\"id\","
                   "\"type\",\"level\"]}"),
            "\"node\""),
        .example = "{\"nodeId\":\"service:checkout\"}",
        .fn = tool_graph_node,
    },
};
/* clang-format on */

const struct tool_list tool_list_runtime = {
    tools,
    sizeof(tools) / sizeof(tools[0]),
};
