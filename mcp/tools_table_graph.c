/*
 * Names, words and schemas of the tools about code and both worlds.  Names,
 * parameters, defaults and fields are those of knowing; `evidence` is ours.
 */
#include "mcp/tools_code.h"
#include "mcp/tools_schema.h"

/* clang-format off */
#define SYMBOL(name) \
    TEXT(name, "hash, qualified name or its end, file:line, or route")
#define EVIDENCE CHOICE("evidence", "\"static\",\"observed\",\"both\"")
#define LIMIT    COUNT("limit", "50", "500")
#define SNAPSHOT(name) \
    TEXT(name, "hash or commit (or its front), latest, previous")
#define REPO     TEXT("repo_hash", "hash or url; needless if there is one")
#define NODE "\"NodeHash\",\"FileHash\",\"QualifiedName\",\"Kind\"," \
             "\"Line\",\"Signature\""

static const struct tool tools[] = {
    {
        .sets = TOOLSET_GRAPH,
        .name = "cross_repo_callers",
        .title = "Callers of a symbol",
        .description =
            "All that reaches a symbol or route, in any repository, nearest "
            "first, each once: calls in the code and calls observed at run "
            "time (evidence). Next: blast_radius, flow_between.",
        .input_schema = INPUT_WITH("target_hash",
            SYMBOL("target_hash") "," COUNT("max_depth", "5", "100") ","
            EVIDENCE "," LIMIT "," CURSOR),
        .output_schema = LIST(
            ROWS("callers", "\"Node\",\"Depth\",\"Confidence\",\"evidence\"")
            "," MEMBER("target", OBJECT), "\"callers\",\"target\""),
        .example = "{\"target_hash\":\"GET /users/{}\"}",
        .fn = tool_cross_repo_callers,
    },
    {
        .sets = TOOLSET_GRAPH,
        .name = "trace_dataflow",
        .title = "Callees of a symbol",
        .description =
            "All that a symbol or route reaches, nearest first, each once: "
            "calls in the code, over the network, to topics and databases. "
            "Next: flow_between.",
        .input_schema = INPUT_WITH("source_hash",
            SYMBOL("source_hash") "," COUNT("max_depth", "5", "100") ","
            EVIDENCE "," LIMIT "," CURSOR),
        .output_schema = LIST(
            ROWS("callees", "\"Node\",\"Depth\",\"Confidence\",\"evidence\"")
            "," MEMBER("source", OBJECT), "\"callees\",\"source\""),
        .example = "{\"source_hash\":\"GET /users/{}\"}",
        .fn = tool_trace_dataflow,
    },
    {
        .sets = TOOLSET_GRAPH,
        .name = "blast_radius",
        .title = "What a change can reach",
        .description =
            "Everything that reaches a symbol or route, at any distance, by "
            "repository: Confidence is that of the weakest call on the best "
            "way, Provenance tells each call of it. snapshot_hash asks the "
            "code as it was. Next: test_scope.",
        .input_schema = INPUT_WITH("target_hash",
            SYMBOL("target_hash") "," SNAPSHOT("snapshot_hash") ","
            EVIDENCE "," LIMIT "," CURSOR),
        .output_schema = LIST(
            MEMBER("Target", OBJECT) "," MEMBER("ByRepo", OBJECT) ","
            MEMBER("TotalCount", INTEGER) "," MEMBER("Truncated", BOOLEAN),
            "\"Target\",\"ByRepo\",\"TotalCount\",\"Truncated\""),
        .example = "{\"target_hash\":\"GET /users/{}\"}",
        .fn = tool_blast_radius,
    },
    {
        .sets = TOOLSET_GRAPH,
        .name = "flow_between",
        .title = "Ways from one symbol to another",
        .description =
            "Up to 10 shortest ways from one symbol or route to another, "
            "through code and network. Next: trace_dataflow.",
        .input_schema =
            "{\"type\":\"object\",\"required\":[\"source_symbol\","
            "\"target_symbol\"],\"properties\":{"
            SYMBOL("source_symbol") "," SYMBOL("target_symbol") ","
            COUNT("max_depth", "5", "20") "," EVIDENCE
            "},\"additionalProperties\":false}",
        .output_schema = OUTPUT(
            MEMBER("source", STRING) "," MEMBER("target", STRING) ","
            ROWS("paths", "\"steps\"") "," MEMBER("path_count", INTEGER) ","
            MEMBER("truncated", BOOLEAN),
            "\"source\",\"target\",\"paths\",\"path_count\",\"truncated\""),
        .example = "{\"source_symbol\":\"GET /users/{}\","
                   "\"target_symbol\":\"db.Query\"}",
        .fn = tool_flow_between,
    },
};
/* clang-format on */

const struct tool_list tool_list_graph = {
    tools,
    sizeof(tools) / sizeof(tools[0]),
};
