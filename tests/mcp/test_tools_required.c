/*
 * What a tool requires stands in its schema, where a client and a model look,
 * as the documents of Sibyl, Xplor and knowing have it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "mcp/tools.h"
#include "tests/support/ask_tools.h"
#include "tests/support/tool_shop.h"

/* Only repo_hash may be empty, where there is one repository.  graph_query has
 * two shapes, by `prefix` and by `query`. */
static const struct {
    const char *tool;
    const char *required; /* as JSON has it */
} documented[] = {
    {"search", "[\"query\"]"},
    {"add", "[\"title\",\"content\"]"},
    {"manage", "[\"action\"]"},
    {"graph_traverse", "[\"seedNodeId\"]"},
    {"graph_node", "[\"nodeId\"]"},
    {"graph_search", "[\"query\"]"},
    {"graph_score", "[\"graphId\"]"},
    {"index_repo", "[\"repo_url\",\"repo_path\"]"},
    {"cross_repo_callers", "[\"target_hash\"]"},
    {"blast_radius", "[\"target_hash\"]"},
    {"stale_edges", "[\"snapshot_hash\"]"},
    {"repo_graph", "[\"repo_hash\"]"},
    {"snapshot_diff", "[\"old_snapshot\",\"new_snapshot\"]"},
    {"runtime_traffic", "[\"service_name\"]"},
    {"semantic_diff", "[\"old_snapshot\",\"new_snapshot\"]"},
    {"pr_impact", "[\"old_snapshot\",\"new_snapshot\"]"},
    {"trace_dataflow", "[\"source_hash\"]"},
    {"ownership", "[\"repo_hash\"]"},
    {"context_for_task", "[\"task_description\"]"},
    {"context_for_files", "[\"files\"]"},
    {"context_for_pr", "[\"files\"]"},
    {"feedback", "[\"action\",\"symbol_hash\"]"},
    {"test_scope", "[\"files\"]"},
    {"flow_between", "[\"source_symbol\",\"target_symbol\"]"},
    {"plan_turn", "[\"task\"]"},
    {"explore", NULL},
    {"graph_query", NULL},
    {"dead_routes", NULL},
    {"trace_stats", NULL},
    {"communities", NULL},
};

static void
check_required(const struct mcp_tool *tool, const char *required)
{
    cJSON *schema = cJSON_Parse(tool->input_schema);
    const cJSON *names = cJSON_GetObjectItem(schema, "required");
    char *text = names ? cJSON_PrintUnformatted(names) : NULL;

    if (required ? !text || strcmp(text, required) != 0 : text != NULL)
        fail_msg("%s requires %s, not %s", tool->name, text ? text : "nothing",
                 required ? required : "nothing");
    cJSON_free(text);
    cJSON_Delete(schema);
}

static void
schemas_require_what_the_documents_do(void **state)
{
    const struct tools_cfg cfg = {.toolsets = "all"};
    struct tools *tools = NULL;
    size_t seen = 0;

    (void)state;
    assert_int_equal(tools_new(&tools, &cfg, &tool_shop.why), OK);
    const struct mcp_offer *offer = tools_offer(tools);
    for (size_t i = 0; i < offer->tool_len; i++)
        for (size_t k = 0; k < sizeof(documented) / sizeof(documented[0]); k++)
            if (strcmp(offer->tools[i].name, documented[k].tool) == 0) {
                check_required(&offer->tools[i], documented[k].required);
                seen++;
            }
    assert_int_equal(seen, sizeof(documented) / sizeof(documented[0]));
    tools_free(tools);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TOOL_SHOP(schemas_require_what_the_documents_do),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
