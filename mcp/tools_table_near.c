/*
 * Names, words and schemas of the tools over all worlds.  Names, parameters and
 * defaults are those of Sibyl and Xplor.
 */
#include "mcp/tools_near.h"
#include "mcp/tools_schema.h"

/* clang-format off */
#define WHOLE(name, words) \
    MEMBER(name, "{\"type\":\"integer\",\"description\":\"" words "\"}")

static const struct tool tools[] = {
    {
        .sets = TOOLSET_KNOWLEDGE | TOOLSET_SIBYL,
        .name = "search",
        .title = "Find anything by words",
        .description =
            "Symbols, routes, services, files, tasks, patterns, documents "
            "by words, identifiers or an error string, best first. An "
            "empty query with filters lists, newest first. Flags are true by "
            "default; boost_recent halves by age every temporal_decay_days "
            "(365). Next: graph_node with level 4, explore.",
        .input_schema = INPUT_WITH("query",
            MEMBER("query", STRING) "," TEXTS("types") ","
            MEMBER("language", STRING) "," MEMBER("category", STRING) ","
            TEXT("status", "with commas") "," MEMBER("project", STRING) ","
            MEMBER("assignee", STRING) "," MEMBER("source", STRING) ","
            MEMBER("source_name", STRING) ","
            MEMBER("source_id", STRING) "," SINCE ","
            MEMBER("boost_recent", BOOLEAN) ","
            MEMBER("temporal_decay_days", INTEGER) ","
            MEMBER("include_content", BOOLEAN) ","
            MEMBER("include_documents", BOOLEAN) ","
            MEMBER("include_graph", BOOLEAN) ","
            MEMBER("use_enhanced", BOOLEAN) ","
            WHOLE("limit", "10, at most 50") "," MEMBER("offset", INTEGER)),
        .output_schema = OUTPUT(
            ROWS("results", "\"id\",\"type\",\"name\",\"score\"") ","
            MEMBER("total", INTEGER) "," MEMBER("filters", OBJECT) ","
            MEMBER("graph_count", INTEGER) ","
            MEMBER("document_count", INTEGER),
            "\"results\",\"total\",\"query\",\"filters\",\"graph_count\","
            "\"document_count\",\"limit\",\"has_more\",\"usage_hint\""),
        .example = "{\"query\":\"checkout timeout\"}",
        .fn = tool_search,
    },
    {
        .sets = TOOLSET_KNOWLEDGE | TOOLSET_SIBYL,
        .name = "explore",
        .title = "List and walk what there is",
        .description =
            "list: services, routes, functions, files, tasks, patterns, "
            "... by types and filters (status also takes live, stale, "
            "dead, never_seen, unknown of what is observed). related: "
            "neighbours of entity_id. traverse: to depth, with distances. "
            "dependencies: what is needed first, with cycles. "
            "Begin with types [project] or [service]. Next: graph_node.",
        .input_schema = INPUT(
            MEMBER("mode", "{\"type\":\"string\",\"enum\":[\"list\","
                   "\"related\",\"traverse\",\"dependencies\"],"
                   "\"default\":\"list\"}") ","
            TEXTS("types") "," MEMBER("entity_id", STRING) ","
            TEXTS("relationship_types") "," WHOLE("depth", "1, at most 3") ","
            MEMBER("language", STRING) "," MEMBER("category", STRING) ","
            MEMBER("project", STRING) "," TEXT("status", "with commas") ","
            MEMBER("source", STRING) "," MEMBER("epic", STRING) ","
            MEMBER("no_epic", BOOLEAN) "," MEMBER("priority", STRING) ","
            MEMBER("complexity", STRING) "," MEMBER("feature", STRING) ","
            TEXTS("tags") "," MEMBER("include_archived", BOOLEAN) ","
            WHOLE("limit", "50, at most 200") "," MEMBER("offset", INTEGER)),
        .output_schema = OUTPUT(
            MEMBER("mode", STRING) ","
            ROWS("entities", "\"id\",\"type\",\"name\"") ","
            MEMBER("total", INTEGER) "," MEMBER("filters", OBJECT) ","
            MEMBER("limit", INTEGER) "," MEMBER("offset", INTEGER) ","
            MEMBER("has_more", BOOLEAN),
            "\"mode\",\"entities\",\"total\",\"filters\",\"limit\","
            "\"offset\",\"has_more\""),
        .example = "{\"types\":[\"service\"]}",
        .fn = tool_explore,
    },
    {
        .sets = TOOLSET_XPLOR,
        .name = "graph_traverse",
        .title = "Walk from one object",
        .description =
            "What is reached from an object of any kind, nearest first, "
            "with the edges gone over; CALLS covers code and traffic, each "
            "edge tells its evidence. For callers, direction incoming. "
            "Next: graph_node.",
        .input_schema = INPUT_WITH("seedNodeId",
            TEXT("seedNodeId", "id, name or hash") ","
            TEXTS("edgeTypes") ","
            MEMBER("direction", "{\"type\":\"string\",\"enum\":["
                   "\"outgoing\",\"incoming\",\"both\"],"
                   "\"default\":\"outgoing\"}") ","
            WHOLE("maxDepth", "3, at most 10") ","
            COUNT("disclosureLevel", "1", "4")),
        .output_schema = OUTPUT(
            ROWS("path", "\"id\",\"type\",\"level\",\"hop\"") ","
            MEMBER("depth", INTEGER) "," MEMBER("nodeCount", INTEGER) ","
            ROWS("edgesTraversed", "\"source\",\"target\",\"type\"") ","
            MEMBER("truncated", BOOLEAN),
            "\"path\",\"depth\",\"nodeCount\",\"edgesTraversed\","
            "\"truncated\""),
        .example = "{\"seedNodeId\":\"service:checkout\"}",
        .fn = tool_graph_traverse,
    },
    {
        .sets = TOOLSET_XPLOR,
        .name = "graph_search",
        .title = "Find objects by words",
        .description =
            "Objects of any kind by words or identifiers, best first "
            "(search has more filters); "
            "nodeTypes (service, route, function, task, ...) and domain "
            "(service or package) narrow it. Next: graph_node, "
            "graph_traverse.",
        .input_schema = INPUT_WITH("query",
            MEMBER("query", STRING) "," TEXTS("nodeTypes") ","
            MEMBER("domain", STRING) "," WHOLE("maxResults", "10, at most 100")),
        .output_schema = OUTPUT(
            ROWS("results", "\"id\",\"type\",\"name\",\"score\"") ","
            MEMBER("total", INTEGER) "," MEMBER("method", STRING),
            "\"results\",\"total\",\"method\""),
        .example = "{\"query\":\"checkout\"}",
        .fn = tool_graph_search,
    },
    {
        .sets = TOOLSET_XPLOR,
        .name = "graph_score",
        .title = "How far a graph can be trusted",
        .description =
            "Score of a graph, 0 to 100: what is wrong in it, what to mend "
            "first. graphId: runtime, service:x or a "
            "repository (can a dead-route audit rely on it: endpoints "
            "without code, routes nobody handles, stale edges); knowledge, "
            "a project or a source (broken links, orphans, missing "
            "descriptions). Next: dead_routes, graph_node.",
        .input_schema = INPUT_WITH("graphId", MEMBER("graphId", STRING) ","
            WHOLE("limit", "issues shown: 50, at most 200")),
        .output_schema = OUTPUT(
            MEMBER("score", "{\"type\":\"number\"}") ","
            MEMBER("grade", STRING) "," MEMBER("bonuses", OBJECT) ","
            ROWS("penalties", "\"type\",\"weight\",\"count\",\"penalty\"")
            ","
            ROWS("issues", "\"severity\",\"type\",\"message\",\"node\","
                 "\"penalty\"") ","
            ROWS("recommendations", "\"type\",\"action\",\"gain\""),
            "\"graphId\",\"profile\",\"score\",\"grade\",\"penalties\","
            "\"bonuses\",\"issues\",\"recommendations\",\"raw\""),
        .example = "{\"graphId\":\"runtime\"}",
        .fn = tool_graph_score,
    },
};
/* clang-format on */

const struct tool_list tool_list_near = {
    tools,
    sizeof(tools) / sizeof(tools[0]),
};
