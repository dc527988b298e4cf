/*
 * Names, words and schemas of the tools over knowledge; as
 * mcp/tools_table.c.
 */
#include "mcp/tools_parts.h"
#include "mcp/tools_schema.h"

/* clang-format off */
#define FLAG(name, otherwise) \
    MEMBER(name, "{\"type\":\"boolean\",\"default\":" otherwise "}")
#define LIST_OF(name, words) \
    MEMBER(name, "{\"type\":\"array\",\"items\":{\"type\":\"string\"}," \
           "\"description\":\"" words "\"}")

static const struct tool tools[] = {
    {
        .sets = TOOLSET_KNOWLEDGE | TOOLSET_SIBYL,
        .writes = true,
        .name = "add",
        .title = "Add knowledge",
        .description =
            "Keep knowledge: a learning (episode, the default), pattern, "
            "rule, template, topic, procedure, project, epic, task, "
            "source, document, error_pattern and others. Routes, services, "
            "symbols and files that content names are linked (auto_link). "
            "Tasks need a project; one to remove a dead route names it in "
            "related_to (touches:route:api:GET /old) and keeps the "
            "evidence of today. Characters: title 200, content 50000. "
            "Next: explore, manage.",
        .input_schema =
            "{\"type\":\"object\",\"required\":[\"title\",\"content\"],"
            "\"properties\":{"
            MEMBER("title", STRING) ","
            TEXT("content", "of a source its URL or folder") ","
            MEMBER("entity_type",
                   "{\"type\":\"string\",\"default\":\"episode\"}") ","
            TEXT("project", "id; tasks need one") ","
            TEXT("epic", "id, of a task") ","
            MEMBER("source", STRING) ","
            MEMBER("category", STRING) ","
            TEXTS("tags") ","
            TEXTS("languages") ","
            CHOICE("priority", "\"critical\",\"high\",\"medium\",\"low\","
                   "\"someday\"") ","
            MEMBER("complexity", STRING) "," MEMBER("feature", STRING) ","
            TEXTS("assignees") ","
            TEXT("due_date", "ISO date") ","
            TEXTS("technologies") ","
            LIST_OF("depends_on", "ids of tasks") ","
            LIST_OF("related_to",
                    "ids of anything, or predicate:id (supersedes, "
                    "contradicts, requires, supports, decides, touches)") ","
            FLAG("auto_link", "true") "," FLAG("check_conflicts", "true") ","
            MEMBER("valid_from", STRING) "," MEMBER("valid_until", STRING)
            "," MEMBER("metadata", OBJECT)
            "},\"additionalProperties\":false}",
        .output_schema = OUTPUT(
            MEMBER("success", BOOLEAN) "," MEMBER("id", STRING) ","
            MEMBER("message", STRING) "," MEMBER("conflicts", ARRAY) ","
            MEMBER("links", ARRAY) "," MEMBER("unresolved_links", ARRAY) ","
            MEMBER("tags", ARRAY) "," MEMBER("timestamp", STRING),
            "\"success\",\"id\",\"message\",\"conflicts\",\"timestamp\""),
        .example = "{\"title\":\"Pool size\",\"content\":\"The connection "
                   "pool must be larger than the number of workers.\"}",
        .fn = tool_add,
        .tell = tool_add_tell,
    },
    {
        .sets = TOOLSET_KNOWLEDGE | TOOLSET_SIBYL,
        .writes = true,
        .name = "manage",
        .title = "Workflow, sources, upkeep",
        .description =
            "Tasks (entity_id): start_task, block_task (blocker), "
            "unblock_task, submit_review (commits, pr_url), complete_task "
            "(hours, learnings), archive, update_task, "
            "add_note (data). Epics: start_epic, complete_epic, "
            "archive_epic, update_epic. Sources: crawl (url or entity_id; "
            "depth 1-5, 2), sync, refresh, link_graph, link_graph_status. "
            "Analysis: estimate, prioritize (project), detect_cycles "
            "(project; data.graph tasks, runtime, static), suggest. "
            "Upkeep: health, stats, rebuild_index.",
        .input_schema =
            "{\"type\":\"object\",\"required\":[\"action\"],\"properties\":{"
            MEMBER("action", STRING) ","
            MEMBER("entity_id", STRING) ","
            MEMBER("project", STRING) "," MEMBER("assignee", STRING) ","
            MEMBER("blocker", STRING) "," TEXTS("commits") ","
            MEMBER("pr_url", STRING) ","
            MEMBER("hours", "{\"type\":\"number\",\"minimum\":0}") ","
            MEMBER("learnings", STRING) "," MEMBER("url", STRING) ","
            MEMBER("depth", INTEGER) ","
            MEMBER("data", OBJECT)
            "},\"additionalProperties\":false}",
        .output_schema = OUTPUT(
            MEMBER("success", BOOLEAN) "," MEMBER("action", STRING) ","
            MEMBER("entity_id", OR_NULL("string")) ","
            MEMBER("message", STRING) "," MEMBER("data", OBJECT) ","
            MEMBER("timestamp", STRING),
            "\"success\",\"action\",\"entity_id\",\"message\",\"data\","
            "\"timestamp\""),
        .example = "{\"action\":\"health\"}",
        .fn = tool_manage,
        .tell = tool_manage_tell,
    },
};
/* clang-format on */

const struct tool_list tool_list_knowledge = {
    tools,
    sizeof(tools) / sizeof(tools[0]),
};
