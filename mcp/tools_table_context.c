/*
 * Names, words and schemas of the tools that say what to read, what belongs
 * together and what changed.  Names, parameters, defaults and fields are those
 * of knowing; compare and migration_progress are ours.
 */
#include "mcp/tools_context.h"
#include "mcp/tools_schema.h"

/* clang-format off */
#define CONTEXT_HOW \
    COUNT("token_budget", "8000", "200000") "," \
    CHOICE("format", "\"xml\",\"json\",\"markdown\",\"gcf\",\"gcb\"")
#define CONTEXT_OUTPUT OUTPUT( \
    MEMBER("content", STRING) "," MEMBER("token_count", INTEGER) "," \
    MEMBER("symbols_included", INTEGER) "," \
    MEMBER("symbols_available", INTEGER) "," \
    MEMBER("edges_included", INTEGER) "," MEMBER("format", STRING), \
    "\"content\",\"token_count\",\"symbols_included\"," \
    "\"symbols_available\"")
#define FILES TEXT("files", "paths from the top, with commas")
#define REPO_URL TEXT("repo_url", "if there are several")

static const struct tool tools[] = {
    {
        .sets = TOOLSET_CONTEXT | TOOLSET_KNOWING,
        .name = "context_for_task",
        .title = "What to know for a task",
        .description =
            "The symbols that matter for a task in plain words, ranked by "
            "a walk over code and observed calls from what the words name, "
            "and packed to token_budget: signatures, file and line, "
            "traffic, connections. Name files, symbols or routes where you "
            "know them. Next: blast_radius, feedback.",
        .input_schema = INPUT_WITH("task_description",
            MEMBER("task_description", STRING) "," CONTEXT_HOW),
        .output_schema = CONTEXT_OUTPUT,
        .example = "{\"task_description\":\"why is checkout slow\"}",
        .fn = tool_context_for_task,
    },
    {
        .sets = TOOLSET_CONTEXT | TOOLSET_KNOWING,
        .name = "context_for_files",
        .title = "What changed files reach",
        .description =
            "Symbols of the files you change and what such a change can "
            "reach: callers before callees, busy ones before idle ones, "
            "packed to token_budget. Next: test_scope, pr_impact.",
        .input_schema = INPUT_WITH("files",
            FILES "," REPO_URL "," CONTEXT_HOW),
        .output_schema = CONTEXT_OUTPUT,
        .example = "{\"files\":\"src/cart.go\"}",
        .fn = tool_context_for_files,
    },
    {
        .sets = TOOLSET_CONTEXT | TOOLSET_KNOWING,
        .name = "context_for_pr",
        .title = "What to know for a review",
        .description =
            "Symbols of the files of a pull request with their callers, "
            "callees and types, ranked and packed to token_budget, in one "
            "call. Next: pr_impact, test_scope.",
        .input_schema = INPUT_WITH("files",
            FILES "," REPO_URL "," CONTEXT_HOW),
        .output_schema = CONTEXT_OUTPUT,
        .example = "{\"files\":\"src/cart.go\"}",
        .fn = tool_context_for_pr,
    },
    {
        .sets = TOOLSET_CONTEXT | TOOLSET_KNOWING,
        .name = "communities",
        .title = "What belongs together",
        .description =
            "Groups of symbols, services and topics with more between them "
            "than chance (Louvain, over code and observed calls), largest "
            "first; action=for_symbol gives the group of one symbol and "
            "those next to it. Ids stay the same while the group does. "
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
    {
        .sets = TOOLSET_CONTEXT | TOOLSET_KNOWING,
        .writes = true,
        .name = "feedback",
        .title = "Was a symbol useful",
        .description =
            "Records whether a symbol was useful to you, or asks what was "
            "recorded. It counts in the ranking of context until the "
            "symbol's code changes; of one session the last word counts.",
        .input_schema =
            "{\"type\":\"object\",\"required\":[\"action\","
            "\"symbol_hash\"],\"properties\":{"
            CHOICE("action", "\"record\",\"query\"") ","
            TEXT("symbol_hash", "hash, qualified name or its end") ","
            TEXT("session_id", "required to record") ","
            MEMBER("useful", BOOLEAN)
            "},\"additionalProperties\":false}",
        .output_schema = OUTPUT(
            MEMBER("symbol_hash", STRING) "," MEMBER("status", STRING) ","
            MEMBER("useful_count", INTEGER) ","
            MEMBER("not_useful_count", INTEGER),
            "\"symbol_hash\""),
        .example = "{\"action\":\"query\",\"symbol_hash\":\"Cart.Add\"}",
        .fn = tool_feedback,
    },
    {
        .sets = TOOLSET_CONTEXT | TOOLSET_KNOWING,
        .name = "plan_turn",
        .title = "Which tool to call",
        .description =
            "For a task in plain words, up to four tools that answer it, "
            "likeliest first, with arguments filled in from the task, or "
            "marked <fill: ...>.",
        .input_schema = INPUT_WITH("task", MEMBER("task", STRING)),
        .output_schema = OUTPUT(
            ROWS("suggestions", "\"tool\",\"reason\",\"args\""),
            "\"suggestions\""),
        .example = "{\"task\":\"which routes are dead\"}",
        .fn = tool_plan_turn,
    },
    {
        .sets = TOOLSET_CONTEXT | TOOLSET_RUNTIME,
        .name = "compare",
        .title = "Traffic before and after",
        .description =
            "Two windows of observed traffic, by edge or by "
            "route: calls, error rate, p95; what is new, vanished or "
            "changed. after begins at `at` (default: span ago), before "
            "ends at baseline (default: at); each is span long. For "
            "deploys and regressions. Next: who_calls.",
        .input_schema = INPUT(
            TEXT("at", "instant, or how long ago") ","
            TEXT("span", "1h, 24h (default), 7d") ","
            MEMBER("baseline", STRING) ","
            CHOICE("by", "\"edge\",\"route\"") "," LEVEL ","
            CHOICE("change", "\"new\",\"vanished\",\"changed\",\"same\","
                   "\"all\"") ","
            TEXT("service", "one end, or with *") "," ENV "," KIND ","
            COUNT("limit", "50", "500") "," CURSOR),
        .output_schema = LIST(
            ROWS("rows", "\"change\",\"in\",\"source\",\"target\",\"kind\","
                 "\"before\",\"after\"") ","
            MEMBER("by_change", OBJECT) "," MEMBER("before", OBJECT) ","
            MEMBER("after", OBJECT),
            "\"rows\",\"by_change\",\"before\",\"after\""),
        .example = "{\"span\":\"24h\"}",
        .fn = tool_compare,
    },
    {
        .sets = TOOLSET_CONTEXT | TOOLSET_RUNTIME,
        .name = "migration_progress",
        .title = "From old to new",
        .description =
            "How far callers have moved from an old route, service or topic "
            "to a new one: calls and share of both by day, the last caller of "
            "old, who still calls it, at run time and in the code. Next: "
            "dead_routes.",
        .input_schema =
            "{\"type\":\"object\",\"required\":[\"old\",\"new\"],"
            "\"properties\":{"
            TEXT("old", "name (checkout POST /buy), or with *") ","
            TEXT("new", "the same") "," SINCE "," ENV ","
            COUNT("limit", "20", "500") "," CURSOR
            "},\"additionalProperties\":false}",
        .output_schema = LIST(
            ROWS("old_callers", "\"caller\",\"target\",\"calls\","
                 "\"last_observed\"") ","
            ROWS("days", "\"date\",\"old_calls\",\"new_calls\",\"share\"")
            "," MEMBER("state", STRING) ","
            MEMBER("last_caller", OR_NULL("object")) ","
            MEMBER("code_callers", ARRAY) ","
            MEMBER("share", OR_NULL("number")),
            "\"state\",\"share\",\"days\",\"old_callers\",\"last_caller\","
            "\"code_callers\",\"window\""),
        .example = "{\"old\":\"GET /v1/*\",\"new\":\"GET /v2/*\"}",
        .fn = tool_migration_progress,
    },
};
/* clang-format on */

const struct tool_list tool_list_context = {
    tools,
    sizeof(tools) / sizeof(tools[0]),
};
