/*
 * Names, words and schemas of the tools that say what to read, what belongs
 * together and what changed.  Names, parameters, defaults and fields are those
 * of knowing; compare and migration_progress are ours.
 */
#include "mcp/tools_context.h"
#include "mcp/tools_schema.h"

/* clang-format off */
#define CONTEXT_HOW(budget) \
    COUNT("token_budget", budget, "200000") "," \
    CHOICE("format", "\"xml\",\"json\",\"markdown\",\"gcf\",\"gcb\"")
#define CONTEXT_OUTPUT OUTPUT( \
    MEMBER("content", STRING) "," MEMBER("token_count", INTEGER) "," \
    MEMBER("symbols_included", INTEGER) "," \
    MEMBER("symbols_available", INTEGER) "," \
    MEMBER("edges_included", INTEGER) "," MEMBER("format", STRING), \
    "\"content\",\"token_count\",\"symbols_included\"," \
    "\"symbols_available\"")
#define FILES TEXT("files", "paths from the top of the repository, with commas")
#define REPO_URL TEXT("repo_url", "when several repositories are indexed")

static const struct tool tools[] = {
    {
        .sets = TOOLSET_CONTEXT,
        .name = "context_for_task",
        .title = "What to know for a task",
        .description =
            "The symbols that matter for a task in plain words, ranked by a "
            "walk over code and observed calls from what the words name, and "
            "packed to token_budget: names, signatures, file and line, "
            "traffic, and how they are connected. Name files, symbols or "
            "routes where you know them. Next: blast_radius, feedback.",
        .input_schema = INPUT_WITH("task_description",
            MEMBER("task_description", STRING) "," CONTEXT_HOW("50000")),
        .output_schema = CONTEXT_OUTPUT,
        .example = "{\"task_description\":\"why is checkout slow\"}",
        .fn = tool_context_for_task,
    },
    {
        .sets = TOOLSET_CONTEXT,
        .name = "context_for_files",
        .title = "What changed files reach",
        .description =
            "Symbols of the files you change and what such a change can "
            "reach: callers before callees, busy ones before idle ones, "
            "packed to token_budget. Next: test_scope, pr_impact.",
        .input_schema = INPUT_WITH("files",
            FILES "," REPO_URL "," CONTEXT_HOW("50000")),
        .output_schema = CONTEXT_OUTPUT,
        .example = "{\"files\":\"src/cart.go\"}",
        .fn = tool_context_for_files,
    },
    {
        .sets = TOOLSET_CONTEXT,
        .name = "context_for_pr",
        .title = "What to know for a review",
        .description =
            "Symbols of the files of a pull request with their callers, "
            "callees and types, ranked and packed to token_budget, in one "
            "call. Next: pr_impact, test_scope.",
        .input_schema = INPUT_WITH("files",
            FILES "," REPO_URL "," CONTEXT_HOW("8000")),
        .output_schema = CONTEXT_OUTPUT,
        .example = "{\"files\":\"src/cart.go\"}",
        .fn = tool_context_for_pr,
    },
    {
        .sets = TOOLSET_CONTEXT,
        .name = "communities",
        .title = "What belongs together",
        .description =
            "Groups of symbols, services and topics with more between them "
            "than chance (Louvain, over calls in the code and observed ones), "
            "largest first; action=for_symbol gives the group of one symbol "
            "and those next to it. Ids stay the same while the group does. "
            "cohesion: weight within, of all that touches it.",
        .input_schema = INPUT(
            CHOICE("action", "\"list\",\"for_symbol\"") ","
            TEXT("repo_url", "only of repositories that begin so") ","
            TEXT("symbol", "for for_symbol") ","
            CHOICE("evidence", "\"static\",\"observed\",\"both\"") ","
            COUNT("limit", "50", "500") "," CURSOR),
        .output_schema = OUTPUT(
            ROWS("communities", "\"id\",\"size\",\"top_symbols\","
                 "\"cohesion\",\"dominant_package\"") ","
            MEMBER("symbol", STRING) ","
            MEMBER("community", OR_NULL("object")) ","
            MEMBER("neighbors", ARRAY) "," MEMBER("node_count", INTEGER) ","
            MEMBER("edge_count", INTEGER),
            "\"node_count\",\"edge_count\",\"observed_edge_count\""),
        .example = "{}",
        .fn = tool_communities,
    },
};
/* clang-format on */

const struct tool_list tool_list_context = {
    tools,
    sizeof(tools) / sizeof(tools[0]),
};
