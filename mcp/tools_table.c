/*
 * Names, words and schemas of the tools.  A description begins with what the
 * tool is for and ends with what to call next; the whole list has a budget
 * (tests/mcp/test_tools.c), because every client pays for it in each session.
 */
#include "mcp/tools_parts.h"

#define STRING        "{\"type\":\"string\"}"
#define INTEGER       "{\"type\":\"integer\"}"
#define NUMBER        "{\"type\":\"number\"}"
#define OBJECT        "{\"type\":\"object\"}"
#define OBJECTS       "{\"type\":\"array\",\"items\":{\"type\":\"object\"}}"
#define STRINGS       "{\"type\":\"array\",\"items\":{\"type\":\"string\"}}"
#define OR_NULL(type) "{\"type\":[\"" type "\",\"null\"]}"

#define INPUT(properties, required)                    \
    "{\"type\":\"object\",\"properties\":{" properties \
    "},\"required\":[" required "],\"additionalProperties\":false}"
#define TEXT(name, words) \
    "\"" name "\":{\"type\":\"string\",\"description\":\"" words "\"}"
#define CHOICE(name, words) \
    "\"" name "\":{\"type\":\"string\",\"enum\":[" words "]}"
#define COUNT(name, otherwise, least, most)                     \
    "\"" name "\":{\"type\":\"integer\",\"default\":" otherwise \
    ",\"minimum\":" least ",\"maximum\":" most "}"
#define SINCE \
    TEXT("since", "window: 15m, 24h, 7d or RFC 3339; all time if left out")
#define ENV    "\"env\":" STRING
#define CURSOR "\"cursor\":" STRING
#define FORMAT CHOICE("response_format", "\"concise\",\"detailed\"")
#define LEVEL  CHOICE("level", "\"service\",\"endpoint\",\"symbol\"")
#define KIND                                                                 \
    CHOICE("kind", "\"call\",\"virtual_in\",\"virtual_out\",\"db\",\"msg\"," \
                   "\"msg_pub\",\"msg_sub\"")

/* The envelope: what every reply has, and what lists have too. */
#define OUTPUT(properties, required)                                          \
    "{\"type\":\"object\",\"properties\":{\"summary\":" STRING "," properties \
    ",\"data_as_of\":" OR_NULL(                                               \
        "integer") ",\"hints\":" STRINGS                                      \
                   "},\"required\":[\"summary\"," required                    \
                   ",\"data_as_of\",\"hints\"]}"
#define WINDOW "\"window\":" OBJECT
#define LIST                                      \
    "\"total\":" INTEGER ",\"returned\":" INTEGER \
    ",\"truncated\":{\"type\":\"boolean\"},\"next_cursor\":" OR_NULL("string")
#define LIST_REQUIRED "\"total\",\"returned\",\"truncated\",\"next_cursor\""
#define ROWS(name, properties, required)                               \
    "\"" name "\":{\"type\":\"array\",\"items\":{\"type\":\"object\"," \
    "\"properties\":{" properties "},\"required\":[" required "]}}"

const struct tool tool_table[TOOL_LEN] = {
    {
        .name = "runtime_traffic",
        .title = "Observed edges of a service",
        .description =
            "Edges observed in traces into and out of a service, optionally "
            "to routes fitting an SQL LIKE pattern (\"/api/%\"): both ends by "
            "name and hash, counts, errors, latency, first and last seen, "
            "confidence. Use it for raw evidence; who_calls is shorter for "
            "\"who uses this\".",
        .input_schema = INPUT(
            TEXT("service_name", "name; * fits any text") "," TEXT(
                "route_pattern",
                "SQL LIKE on the target's route") "," COUNT("limit", "100", "1",
                                                            "500") "," SINCE
                                                                   "," KIND
                                                                   "," ENV
                                                                   "," FORMAT
                                                                   "," CURSOR,
            "\"service_name\""),
        .output_schema = OUTPUT(
            ROWS("edges",
                 "\"EdgeHash\":" STRING ",\"SourceHash\":" STRING
                 ",\"TargetHash\":" STRING ",\"EdgeType\":" STRING
                 ",\"Confidence\":" NUMBER ",\"ObservationCount\":" INTEGER
                 ",\"LastObserved\":" INTEGER ",\"source\":" STRING
                 ",\"target\":" STRING,
                 "\"EdgeType\",\"Confidence\",\"Provenance\","
                 "\"ObservationCount\",\"LastObserved\",\"source\","
                 "\"target\"") "," LIST "," WINDOW,
            "\"edges\"," LIST_REQUIRED ",\"window\""),
        .example = "{\"service_name\":\"*\"}",
        .fn = tool_runtime_traffic,
    },
    {
        .name = "dead_routes",
        .title = "Routes that nobody calls",
        .description =
            "Routes without traffic for stale_days, with evidence: verdict, "
            "confidence, reasons, coverage, sampling, first and last seen. "
            "Lists candidates (never_observed, stopped); verdict=all lists "
            "every route. not_judged tells which services could not be "
            "observed: silence there means nothing. Check a candidate with "
            "who_calls.",
        .input_schema = INPUT(
            COUNT("stale_days", "30", "1", "400") "," TEXT(
                "service",
                "name; * fits any text") "," ENV
                                         "," TEXT("verdict", "dead, all, or "
                                                             "one verdict") "," COUNT(
                                             "limit", "20", "1",
                                             "500") "," FORMAT "," CURSOR,
            ""),
        .output_schema = OUTPUT(ROWS("routes",
                                     "\"ServiceName\":" STRING
                                     ",\"RoutePattern\":" STRING
                                     ",\"MappingType\":" STRING
                                     ",\"NodeHash\":" STRING
                                     ",\"CreatedAt\":" INTEGER
                                     ",\"method\":" STRING
                                     ",\"verdict\":" STRING
                                     ",\"confidence\":" STRING
                                     ",\"reasons\":" STRINGS
                                     ",\"last_observed\":" OR_NULL(
                                         "integer") ",\"coverage\":" NUMBER,
                                     "\"ServiceName\",\"RoutePattern\","
                                     "\"MappingType\","
                                     "\"CreatedAt\",\"verdict\",\"confidence\","
                                     "\"reasons\"") "," LIST
                                                    ",\"by_verdict\":" OBJECT
                                                    ",\"not_judged\":" OBJECTS
                                                    "," WINDOW,
                                "\"routes\"," LIST_REQUIRED
                                ",\"by_verdict\",\"not_judged\",\"window\""),
        .example = "{\"stale_days\":30}",
        .fn = tool_dead_routes,
    },
    {
        .name = "trace_stats",
        .title = "Totals and freshness",
        .description =
            "How many edges were observed, by age (active: last 7 days, "
            "stale: not for 30, GC-eligible: not for 90) and type, and what "
            "became of the spans (counters: orphans, unresolved, evicted). "
            "Call it first to see whether there is data and how fresh; then "
            "service_map.",
        .input_schema = INPUT("\"service\":" STRING "," ENV, ""),
        .output_schema =
            OUTPUT("\"TotalEdges\":" INTEGER ",\"ActiveEdges\":" INTEGER
                   ",\"StaleEdges\":" INTEGER ",\"GCEligible\":" INTEGER
                   ",\"ByEdgeType\":" OBJECT ",\"counters\":" OBJECT
                   ",\"last_observed\":" OR_NULL("integer") "," WINDOW,
                   "\"TotalEdges\",\"ActiveEdges\",\"StaleEdges\","
                   "\"GCEligible\",\"ByEdgeType\",\"counters\",\"window\""),
        .example = "{}",
        .fn = tool_trace_stats,
    },
    {
        .name = "service_map",
        .title = "Map of services",
        .description =
            "Who talks to whom: one row an edge, busiest first, between "
            "services (default), endpoints or symbols, with topics, databases "
            "and outside parties. Narrow it by service, kind, env and since. "
            "columns names the values of each row; detailed adds latency and "
            "nodes. Next: who_calls for one target.",
        .input_schema =
            INPUT(LEVEL "," KIND "," TEXT(
                      "service",
                      "one end; * fits any text") "," ENV "," SINCE
                                                  "," COUNT("limit", "50", "1",
                                                            "500") "," FORMAT
                                                                   "," CURSOR,
                  ""),
        .output_schema =
            OUTPUT("\"columns\":" STRINGS
                   ",\"rows\":{\"type\":\"array\",\"items\":{\"type\":"
                   "\"array\"}},\"nodes\":" OBJECTS "," LIST "," WINDOW,
                   "\"columns\",\"rows\"," LIST_REQUIRED ",\"window\""),
        .example = "{\"level\":\"service\"}",
        .fn = tool_service_map,
    },
    {
        .name = "who_calls",
        .title = "Callers of a service or route",
        .description =
            "Callers of a service, route, topic, database or outside party, "
            "busiest first: counts, errors, p50/p95/p99, first and last "
            "seen, versions on both sides. route is a name (\"GET "
            "/users/{}\"), a path, or a pattern with *. Next: explain when a "
            "caller you expect is missing.",
        .input_schema = INPUT(
            TEXT("service", "what is called; * fits any text") "," TEXT(
                "route", "one of its routes") "," LEVEL "," ENV "," SINCE
                                              "," COUNT("limit", "20", "1",
                                                        "500") "," FORMAT
                                                               "," CURSOR,
            "\"service\""),
        .output_schema =
            OUTPUT(ROWS("callers",
                        "\"caller\":" STRING ",\"target\":" STRING
                        ",\"kind\":" STRING ",\"count\":" INTEGER
                        ",\"errors\":" INTEGER ",\"p95_ms\":" OR_NULL(
                            "number") ",\"last_observed\":" OR_NULL("integer"),
                        "\"caller\",\"target\",\"kind\",\"count\"") "," LIST
                                                                    "," WINDOW,
                   "\"callers\"," LIST_REQUIRED ",\"window\""),
        .example = "{\"service\":\"*\"}",
        .fn = tool_who_calls,
    },
    {
        .name = "explain",
        .title = "Why an edge is or is not there",
        .description =
            "Edges at a service, or between two (peer), and what became of "
            "spans that made none: orphans, unresolved, evicted, duplicates, "
            "by instrumentation scope, with what each means. Use it when "
            "who_calls or service_map lacks an edge you expect.",
        .input_schema = INPUT("\"service\":" STRING
                              "," TEXT("peer", "the other end") "," ENV,
                              "\"service\""),
        .output_schema = OUTPUT(
            "\"edges\":" OBJECTS ",\"services\":" OBJECTS "," ROWS(
                "reasons",
                "\"service\":" STRING ",\"reason\":" STRING ",\"scope\":" STRING
                ",\"count\":" INTEGER ",\"meaning\":" STRING,
                "\"reason\",\"scope\",\"count\"") ",\"total\":" INTEGER
                                                  ",\"truncated\":{\"type\":"
                                                  "\"boolean\"}," WINDOW,
            "\"edges\",\"services\",\"reasons\",\"total\","
            "\"truncated\",\"window\""),
        .example = "{\"service\":\"*\"}",
        .fn = tool_explain,
    },
    {
        .name = "graph_query",
        .title = "Find nodes by prefix",
        .description =
            "Nodes whose qualified name (\"checkout\", \"checkout POST "
            "/buy\", \"kafka:orders\") or own name begins with prefix, in "
            "order; an empty prefix lists all. Next: graph_node or who_calls "
            "with what it finds.",
        .input_schema = INPUT("\"prefix\":" STRING
                              "," COUNT("limit", "50", "1", "500") "," CURSOR,
                              "\"prefix\""),
        .output_schema =
            OUTPUT(ROWS("nodes",
                        "\"NodeHash\":" STRING ",\"FileHash\":" STRING
                        ",\"QualifiedName\":" STRING ",\"Kind\":" STRING
                        ",\"Line\":" INTEGER ",\"Signature\":" STRING,
                        "\"NodeHash\",\"FileHash\",\"QualifiedName\",\"Kind\","
                        "\"Line\",\"Signature\"") "," LIST,
                   "\"nodes\"," LIST_REQUIRED),
        .example = "{\"prefix\":\"\"}",
        .fn = tool_graph_query,
    },
    {
        .name = "graph_node",
        .title = "One node",
        .description =
            "One node by id (\"service:checkout\", \"route:checkout POST "
            "/buy\"), name or hash. disclosureLevel: 0 id, 1 name, 2 service "
            "and environment, 3 busiest callers and callees, 4 hash and age. "
            "Next: who_calls for all callers.",
        .input_schema = INPUT("\"nodeId\":" STRING "," COUNT(
                                  "disclosureLevel", "3", "0", "4") "," ENV,
                              "\"nodeId\""),
        .output_schema = OUTPUT(
            "\"node\":{\"type\":\"object\",\"properties\":{\"id\":" STRING
            ",\"type\":" STRING ",\"level\":" INTEGER ",\"name\":" STRING
            ",\"callers\":" OBJECT ",\"callees\":" OBJECT
            "},\"required\":[\"id\",\"type\",\"level\"]}",
            "\"node\""),
        .example = "{\"nodeId\":\"service:checkout\"}",
        .fn = tool_graph_node,
    },
};
