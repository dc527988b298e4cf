/*
 * Which tool a task in plain words is answered by, and with what arguments.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "graph/words_exact.h"
#include "mcp/tools_parts.h"
#include "tests/support/ask_tools.h"
#include "tests/support/context_shop.h"

/* All that is suggested can be called as it is, once it is filled. */
static void
check_suggestions(const cJSON *out)
{
    const cJSON *row;
    const cJSON *arg;
    const cJSON *required;

    assert_true(ask_len(out, "suggestions") >= 1 &&
                ask_len(out, "suggestions") <= 4);
    cJSON_ArrayForEach(row, cJSON_GetObjectItem(out, "suggestions"))
    {
        const struct tool *tool = tool_find(ask_text(row, "tool"));
        assert_non_null(tool);
        assert_true(strlen(ask_text(row, "reason")) > 5);
        cJSON *schema = cJSON_Parse(tool->input_schema);
        const cJSON *args = cJSON_GetObjectItem(row, "args");
        cJSON_ArrayForEach(arg, args)
        {
            assert_true(cJSON_IsString(arg) && *arg->valuestring);
            assert_non_null(cJSON_GetObjectItemCaseSensitive(
                cJSON_GetObjectItem(schema, "properties"), arg->string));
        }
        cJSON_ArrayForEach(required, cJSON_GetObjectItem(schema, "required"))
        {
            assert_non_null(
                cJSON_GetObjectItemCaseSensitive(args, required->valuestring));
        }
        cJSON_Delete(schema);
    }
}

static cJSON *
plan(const char *task)
{
    char args[400];

    snprintf(args, sizeof(args), "{\"task\":\"%s\"}", task);
    cJSON *out = ask(context_shop.tools, "plan_turn", args);
    check_suggestions(out);
    return out;
}

static void
a_task_gets_the_tool_that_answers_it(void **state)
{
    static const struct {
        const char *task, *tool, *key, *value;
    } cases[] = {
        {"which routes are dead", "dead_routes", NULL, NULL},
        {"find routes nobody uses", "dead_routes", NULL, NULL},
        {"who calls checkout on /buy", "who_calls", "service", "checkout"},
        {"who calls checkout on /buy", "who_calls", "route", "/buy"},
        {"is checkout slower since the deploy? compare before and after",
         "compare", "service", "checkout"},
        {"blast radius of renaming Cart.Add", "blast_radius", "target_hash",
         "Cart.Add"},
        {"how far is the migration from /v1/users to /v2/users",
         "migration_progress", "old", "/v1/users"},
        {"how far is the migration from /v1/users to /v2/users",
         "migration_progress", "new", "/v2/users"},
        {"find the path between web.ShowCart and pay.Charge", "flow_between",
         "target_symbol", "pay.Charge"},
        {"I edit the files src/a.go and src/b.go", "context_for_files", "files",
         "src/a.go,src/b.go"},
        {"review this pull request, it changed src/a.go", "context_for_pr",
         "files", "src/a.go"},
        {"show the architecture as a map of services", "service_map", NULL,
         NULL},
        {"which modules belong together? communities", "communities", "action",
         "list"},
        {"why is checkout slow since Tuesday", "compare", "service",
         "checkout"},
        {"who calls pay.Charge in production and how often",
         "cross_repo_callers", "target_hash", "pay.Charge"},
        {"how does a request get from web to checkout", "flow_between",
         "target_symbol", "checkout"},
        {"which services have the most errors", "runtime_traffic",
         "service_name", "*"},
        {"which calls in code never happen at runtime", "drift", NULL, NULL},
        {"why do I see no calls from web to checkout", "explain", "peer",
         "checkout"},
        {"find the code that handles POST /orders", "graph_node", "nodeId",
         "POST /orders"},
        {"where is the code behind POST /buy?", "graph_node", "nodeId",
         "POST /buy"},
        {"is GET /legacy/cart dead?", "dead_routes", NULL, NULL},
        {"who calls POST /buy of checkout", "who_calls", "route", "POST /buy"},
        {"who calls checkout, and does it post /buy", "who_calls", "route",
         "/buy"},
        {"what breaks if I delete POST /buy", "blast_radius", "target_hash",
         "POST /buy"},
        /* Of two repositories there is no latest. */
        {"what breaks if I delete POST /buy", "blast_radius", "snapshot_hash",
         NULL},
        {"find tests affected by changes to the store layer", "test_scope",
         "output", "run"},
        {"is there any traffic data", "trace_stats", NULL, NULL},
        {"create a task to remove /legacy/cart", "add", NULL, NULL},
        {"add retries to the pool", "context_for_task", NULL, NULL},
        {"add a rule that pools have at most ten connections", "add", NULL,
         NULL},
        {"index the repository at /src/shop", "index_repo", NULL, NULL},
        {"list all services", "explore", NULL, NULL},
        {"detect circular dependencies", "manage", NULL, NULL},
        {"what are the clusters of code", "communities", "action", "list"},
        {"which observed calls are not in the code", "drift", NULL, NULL},
        {"stale edges in the latest snapshot", "stale_edges", "snapshot_hash",
         "latest"},
        {"remember that the pool has 20", "add", "content",
         "remember that the pool has 20"},
        {"hello", "context_for_task", "task_description", "hello"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        cJSON *out = plan(cases[i].task);
        const cJSON *first = ask_row(out, "suggestions", 0);
        if (strcmp(ask_text(first, "tool"), cases[i].tool) != 0)
            fail_msg("'%s' gets %s", cases[i].task, ask_text(first, "tool"));
        const cJSON *args = cJSON_GetObjectItem(first, "args");
        if (cases[i].key && cases[i].value)
            assert_string_equal(ask_text(args, cases[i].key), cases[i].value);
        else if (cases[i].key)
            assert_null(cJSON_GetObjectItem(args, cases[i].key));
        cJSON_Delete(out);
    }
}

/* The last word that is looked up, and the one behind it. */
static void
a_task_names_things_in_its_first_words(void **state)
{
    (void)state;
    for (size_t more = 0; more < 2; more++) {
        struct buf args = {0};

        buf_add(&args, STR("{\"task\":\"calls"));
        for (size_t i = 2; i < WORDS_READ_MAX + more; i++)
            buf_add(&args, STR(" x"));
        buf_add(&args, STR(" /buy\"}"));
        cJSON *out = ask(context_shop.tools, "plan_turn", buf_cstr(&args));
        char *said = cJSON_PrintUnformatted(out);
        assert_true(!strstr(said, "\"/buy\"") == (more == 1));
        cJSON_free(said);
        cJSON_Delete(out);
        buf_fini(&args);
    }
}

/* Asked in the words of its own title and name, each tool is suggested. */
static void
every_tool_can_be_suggested(void **state)
{
    (void)state;
    for (size_t k = 0; tool_lists[k]; k++)
        for (size_t i = 0; i < tool_lists[k]->len; i++) {
            const struct tool *tool = &tool_lists[k]->tools[i];
            char task[200];
            bool is_there = false;
            const cJSON *row;
            if (strcmp(tool->name, "plan_turn") == 0)
                continue;
            snprintf(task, sizeof(task), "%s %s", tool->name, tool->name);
            for (char *c = task; *c; c++)
                if (*c == '_')
                    *c = ' ';
            snprintf(task + strlen(task), sizeof(task) - strlen(task), " %s",
                     tool->title);
            cJSON *out = plan(task);
            cJSON_ArrayForEach(row, cJSON_GetObjectItem(out, "suggestions"))
            {
                is_there |= strcmp(ask_text(row, "tool"), tool->name) == 0;
            }
            if (!is_there)
                fail_msg("%s is never suggested: %s", tool->name,
                         cJSON_PrintUnformatted(out));
            cJSON_Delete(out);
        }
}

static void
what_is_not_offered_is_said(void **state)
{
    struct buf why = {0};
    struct tools *few;
    const struct tools_cfg cfg = {.query = context_shop.query,
                                  .world = context_shop.world,
                                  .version = "1",
                                  .toolsets = "context"};

    (void)state;
    assert_int_equal(tools_new(&few, &cfg, &why), OK);
    cJSON *out = ask(few, "plan_turn", "{\"task\":\"dead routes\"}");
    assert_true(ask_hints(out, "dead_routes is not offered"));
    cJSON_Delete(out);
    tools_free(few);
    ask_refused(context_shop.tools, "plan_turn", "{}", "task is required");
}

static void
of_an_empty_graph_a_tool_is_told_too(void **state)
{
    (void)state;
    cJSON_Delete(plan("dead routes"));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        CONTEXT_SHOP(a_task_gets_the_tool_that_answers_it),
        CONTEXT_SHOP(a_task_names_things_in_its_first_words),
        CONTEXT_SHOP(every_tool_can_be_suggested),
        CONTEXT_SHOP(what_is_not_offered_is_said),
        CONTEXT_EMPTY(of_an_empty_graph_a_tool_is_told_too),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
