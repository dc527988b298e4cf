/*
 * Names, words and schemas of the tools about code and both worlds.  Names,
 * parameters, defaults and fields are those of knowing; `evidence` is ours.
 */
#include "mcp/tools_code.h"
#include "mcp/tools_schema.h"

/* clang-format off */
#define SYMBOL(name) \
    TEXT(name, "name or its end, file:line, route or hash")
#define EVIDENCE CHOICE("evidence", "\"static\",\"observed\",\"both\"")
#define LIMIT    COUNT("limit", "50", "500")
#define SNAPSHOT(name) \
    TEXT(name, "commit, hash, latest or previous")
#define DEPTH "\"depth\":{\"type\":\"number\",\"default\":3," \
              "\"maximum\":50}"
#define REPO     TEXT("repo_hash", "url or its end, or hash; empty: the only one")
#define NODE "\"NodeHash\",\"FileHash\",\"QualifiedName\",\"Kind\"," \
             "\"Line\",\"Signature\""

#define URL      TEXT("repo_url", "if there are several")
#define SNAPSHOTS \
    "{\"type\":\"object\",\"required\":[\"old_snapshot\"," \
    "\"new_snapshot\"],\"properties\":{" SNAPSHOT("old_snapshot") "," \
    SNAPSHOT("new_snapshot") "," URL "," LIMIT "," CURSOR \
    "},\"additionalProperties\":false}"
#define EXAMPLE_SNAPSHOTS \
    "{\"old_snapshot\":\"previous\",\"new_snapshot\":\"latest\"}"
#define CHANGED "\"qualified_name\",\"kind\",\"file\",\"line\"," \
                "\"signature\",\"node_hash\""
#define EDGE "\"source_name\",\"target_name\",\"edge_type\",\"confidence\""
/* A list whose summary is an object of counts, as knowing has it. */
#define COUNTED(properties, required) \
    "{\"type\":\"object\",\"properties\":{" MEMBER("summary", OBJECT) "," \
    MEMBER("old_snapshot", STRING) "," MEMBER("new_snapshot", STRING) "," \
    properties "," MEMBER("data_as_of", OR_NULL("integer")) "," \
    MEMBER("hints", ARRAY) "," MEMBER("total", INTEGER) "," \
    MEMBER("truncated", BOOLEAN) "," \
    MEMBER("next_cursor", OR_NULL("string")) \
    "},\"required\":[\"summary\",\"old_snapshot\",\"new_snapshot\"," \
    required ",\"data_as_of\",\"hints\",\"total\",\"returned\"," \
    "\"truncated\",\"next_cursor\"]}"

static const struct tool tools[] = {
    {
        .sets = TOOLSET_GRAPH | TOOLSET_KNOWING,
        .name = "cross_repo_callers",
        .title = "Callers of a symbol",
        .description =
            "All that reaches a symbol or route, in any repository, "
            "nearest first, each once: calls in the code and observed ones "
            "(evidence). Next: blast_radius, flow_between.",
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
        .sets = TOOLSET_GRAPH | TOOLSET_KNOWING,
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
        .sets = TOOLSET_GRAPH | TOOLSET_KNOWING,
        .name = "blast_radius",
        .title = "What a change can reach",
        .description =
            "Everything that reaches a symbol or route, at any distance, "
            "by repository: Confidence is that of the weakest call on the "
            "best way, Provenance tells each call. snapshot_hash asks the "
            "code as it was. Next: test_scope.",
        .input_schema = INPUT_WITH("target_hash",
            SYMBOL("target_hash") "," SNAPSHOT("snapshot_hash") "," URL ","
            EVIDENCE "," LIMIT "," CURSOR),
        .output_schema = LIST(
            MEMBER("Target", OBJECT) "," MEMBER("ByRepo", OBJECT) ","
            MEMBER("TotalCount", INTEGER) "," MEMBER("Truncated", BOOLEAN),
            "\"Target\",\"ByRepo\",\"TotalCount\",\"Truncated\""),
        .example = "{\"target_hash\":\"GET /users/{}\"}",
        .fn = tool_blast_radius,
    },
    {
        .sets = TOOLSET_GRAPH | TOOLSET_KNOWING,
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
    {
        .sets = TOOLSET_GRAPH | TOOLSET_KNOWING,
        .name = "repo_graph",
        .title = "Files and symbols of a repository",
        .description =
            "All files of a repository, each with its symbols. Next: "
            "ownership, blast_radius.",
        .input_schema = INPUT_WITH("repo_hash", REPO "," LIMIT "," CURSOR),
        .output_schema = LIST(
            ROWS("files", "\"FileHash\",\"RepoHash\",\"Path\","
                 "\"ContentHash\",\"nodes\"") ","
            MEMBER("repo_url", STRING), "\"files\",\"repo_url\""),
        .example = "{\"repo_hash\":\"github.com/org/repo\"}",
        .fn = tool_repo_graph,
    },
    {
        .sets = TOOLSET_GRAPH | TOOLSET_KNOWING,
        .name = "ownership",
        .title = "Who owns which file",
        .description =
            "All files of a repository with their top-level symbols, owners "
            "(CODEOWNERS) and authors (git). Next: blast_radius.",
        .input_schema = INPUT_WITH("repo_hash", REPO "," LIMIT "," CURSOR),
        .output_schema = LIST(
            ROWS("files", "\"file\",\"nodes\",\"owners\",\"authors\"") ","
            MEMBER("repo_url", STRING), "\"files\",\"repo_url\""),
        .example = "{\"repo_hash\":\"github.com/org/repo\"}",
        .fn = tool_ownership,
    },
    {
        .sets = TOOLSET_GRAPH | TOOLSET_KNOWING,
        .name = "stale_edges",
        .title = "Edges that are gone",
        .description =
            "Edges of older snapshots that are not in the one asked, latest "
            "first, with the last commit that had them. Next: "
            "semantic_diff.",
        .input_schema = INPUT_WITH("snapshot_hash",
            SNAPSHOT("snapshot_hash") "," URL "," LIMIT "," CURSOR),
        .output_schema = LIST(
            ROWS("edges", "\"EdgeHash\",\"SourceHash\",\"TargetHash\","
                 "\"EdgeType\",\"Confidence\",\"Provenance\""),
            "\"edges\""),
        .example = "{\"snapshot_hash\":\"latest\"}",
        .fn = tool_stale_edges,
    },
    {
        .sets = TOOLSET_GRAPH | TOOLSET_KNOWING,
        .name = "snapshot_diff",
        .title = "Nodes and edges between two snapshots",
        .description =
            "What was added and removed between two snapshots of a "
            "repository, by hash. Next: semantic_diff for what was "
            "modified.",
        .input_schema = SNAPSHOTS,
        .output_schema = LIST(
            ROWS("NodesAdded", NODE) "," ROWS("NodesRemoved", NODE) ","
            MEMBER("EdgesAdded", ARRAY) "," MEMBER("EdgesRemoved", ARRAY)
            "," MEMBER("OldSnapshot", STRING) ","
            MEMBER("NewSnapshot", STRING),
            "\"OldSnapshot\",\"NewSnapshot\",\"EdgesAdded\","
            "\"EdgesRemoved\",\"NodesAdded\",\"NodesRemoved\""),
        .example = EXAMPLE_SNAPSHOTS,
        .fn = tool_snapshot_diff,
    },
    {
        .sets = TOOLSET_GRAPH | TOOLSET_KNOWING,
        .name = "semantic_diff",
        .title = "What has changed between two snapshots",
        .description =
            "Symbols added, removed and modified (signature, edges, body) "
            "between two snapshots of a repository, and their edges, by "
            "name. Next: pr_impact.",
        .input_schema = SNAPSHOTS,
        .output_schema = COUNTED(
            ROWS("nodes_added", CHANGED) "," ROWS("nodes_removed", CHANGED)
            "," ROWS("nodes_modified", CHANGED ",\"edges_added\","
                     "\"edges_removed\"") ","
            ROWS("edges_added", EDGE) "," ROWS("edges_removed", EDGE),
            "\"nodes_added\",\"nodes_removed\",\"nodes_modified\","
            "\"edges_added\",\"edges_removed\""),
        .example = EXAMPLE_SNAPSHOTS,
        .fn = tool_semantic_diff,
    },
    {
        .sets = TOOLSET_GRAPH | TOOLSET_KNOWING,
        .name = "pr_impact",
        .title = "Risk of a change",
        .description =
            "Symbols that changed between two snapshots, each with who "
            "reaches it and what it calls, and a risk level by the rule that "
            "the reply states. Next: test_scope.",
        .input_schema = SNAPSHOTS,
        .output_schema = COUNTED(
            ROWS("changed_symbols", "\"symbol\",\"change_type\","
                 "\"callers\",\"callees\",\"caller_count\","
                 "\"callee_count\"") ","
            ROWS("affected_edges", EDGE),
            "\"changed_symbols\",\"affected_edges\""),
        .example = EXAMPLE_SNAPSHOTS,
        .fn = tool_pr_impact,
    },
    {
        .sets = TOOLSET_GRAPH | TOOLSET_KNOWING,
        .name = "test_scope",
        .title = "Tests that a change can reach",
        .description =
            "Tests that reach what is in the files, by calls "
            "backward: packages, functions, or the command that runs just "
            "them (run).",
        .input_schema = INPUT_WITH("files",
            TEXT("files", "paths from the top, with commas") ","
            "\"output\":{\"type\":\"string\",\"enum\":[\"packages\","
            "\"functions\",\"run\"],\"default\":\"packages\"},"
            DEPTH "," URL "," EVIDENCE),
        .output_schema = OUTPUT(
            MEMBER("mode", STRING) "," MEMBER("results", ARRAY) ","
            MEMBER("count", INTEGER) "," MEMBER("truncated", BOOLEAN),
            "\"mode\",\"results\",\"count\",\"truncated\""),
        .example = "{\"files\":\"src/app.js\"}",
        .fn = tool_test_scope,
    },
    {
        .sets = TOOLSET_GRAPH,
        .name = "drift",
        .title = "Where code and traffic disagree",
        .description =
            "Observed calls that the caller's code does not say "
            "(undocumented), and calls in the code that were never observed, "
            "by service, with file and line. Next: who_calls, explain.",
        .input_schema = INPUT(
            MEMBER("service", STRING) "," ENV ","
            CHOICE("kind", "\"undocumented\",\"never_observed\"") ","
            LIMIT "," CURSOR),
        .output_schema = LIST(
            ROWS("drift", "\"kind\",\"service\",\"source\",\"target\","
                 "\"type\",\"count\"") ","
            MEMBER("undocumented", INTEGER) ","
            MEMBER("never_observed", INTEGER),
            "\"drift\",\"undocumented\",\"never_observed\""),
        .example = "{}",
        .fn = tool_drift,
    },
    {
        .sets = TOOLSET_GRAPH | TOOLSET_KNOWING,
        .writes = true,
        .name = "index_repo",
        .title = "Index a repository",
        .description =
            "Read a repository on the server's machine: calls, routes, "
            "services. Tells its progress, can be cancelled; what was "
            "indexed before stays until it is done. Next: graph_query.",
        .input_schema =
            "{\"type\":\"object\",\"required\":[\"repo_url\",\"repo_path\"],"
            "\"properties\":{" TEXT("repo_url", "where it comes from") ","
            TEXT("repo_path", "folder there") ","
            TEXT("commit_hash", "commit, branch or tag; else HEAD")
            "},\"additionalProperties\":false}",
        .output_schema = OUTPUT(
            MEMBER("repo_url", STRING) "," MEMBER("repo_path", STRING) ","
            MEMBER("commit", STRING) "," MEMBER("snapshot_hash", STRING),
            "\"repo_url\",\"repo_path\",\"commit\",\"snapshot_hash\""),
        .example = "{\"repo_url\":\"https://github.com/org/repo\","
                   "\"repo_path\":\"/src/repo\"}",
        .fn = tool_index_repo,
    },
};
/* clang-format on */

const struct tool_list tool_list_graph = {
    tools,
    sizeof(tools) / sizeof(tools[0]),
};
