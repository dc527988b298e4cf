/*
 * What a client is offered beside the answers: the list of tools, resources,
 * prompts and completions, and arguments as a command line gives them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "mcp/tools.h"
#include "mcp/tools_extra.h"
#include "mcp/tools_parts.h"
#include "mcp/tools_reply.h"
#include "tests/support/ask_tools.h"
#include "tests/support/tool_shop.h"

static char failure[4096];

/* The protocol's half of a failed call, for tools run through the offer. */
void
mcp_fail(struct mcp_call *call, const char *format, ...)
{
    va_list args;

    (void)call;
    va_start(args, format);
    vsnprintf(failure, sizeof(failure), format, args);
    va_end(args);
}

/* The length of |tool| in a tools/list of the newest revision. */
static size_t
listed_size(const struct mcp_tool *tool)
{
    cJSON *json = cJSON_CreateObject();
    cJSON *hints;
    size_t size;

    cJSON_AddStringToObject(json, "name", tool->name);
    cJSON_AddStringToObject(json, "title", tool->title);
    cJSON_AddStringToObject(json, "description", tool->description);
    cJSON_AddItemToObject(json, "inputSchema", cJSON_Parse(tool->input_schema));
    cJSON_AddItemToObject(json, "outputSchema",
                          cJSON_Parse(tool->output_schema));
    hints = cJSON_AddObjectToObject(json, "annotations");
    cJSON_AddBoolToObject(hints, "readOnlyHint", tool->read_only);
    cJSON_AddBoolToObject(hints, "destructiveHint", tool->destructive);
    cJSON_AddBoolToObject(hints, "idempotentHint", tool->idempotent);
    cJSON_AddBoolToObject(hints, "openWorldHint", false);
    char *text = cJSON_PrintUnformatted(json);
    size = strlen(text) + 1;
    cJSON_free(text);
    cJSON_Delete(json);
    return size;
}

/* What tools/list will be: every client pays for it in each session. */
static void
the_list_of_tools_keeps_its_budget(void **state)
{
    const struct mcp_offer *offer = tools_offer(tool_shop.tools);
    size_t total = 300; /* what is around the tools */

    (void)state;
    assert_int_equal(offer->tool_len, tool_select(&(struct tools_cfg){0},
                                                  TOOLSET_DEFAULT, NULL));
    assert_true(strlen(offer->instructions) <= 2000);
    for (size_t i = 0; i < offer->tool_len; i++) {
        const struct mcp_tool *tool = &offer->tools[i];
        cJSON *input = cJSON_Parse(tool->input_schema);
        cJSON *output = cJSON_Parse(tool->output_schema);
        size_t size = listed_size(tool);

        assert_non_null(input);
        assert_non_null(output);
        assert_non_null(tool_find(tool->name));
        assert_true(strlen(tool->description) <= 1000);
        assert_true(strlen(tool->name) <= 32);
        assert_true(tool->read_only && tool->idempotent && !tool->destructive);
        assert_true(
            cJSON_IsFalse(cJSON_GetObjectItem(input, "additionalProperties")));
        cJSON *example = cJSON_Parse(offer->tools[i].example);
        assert_non_null(example);
        cJSON_Delete(ask(tool_shop.tools, tool->name, offer->tools[i].example));
        total += size;
        cJSON_Delete(example);
        cJSON_Delete(input);
        cJSON_Delete(output);
    }
    if (total > 7168)
        fail_msg("tools/list would be %zu bytes", total);
}

/* 24 KiB were meant for 28 tools; these are more, and no larger each.  A tool
 * may be large only for the many parameters that it has. */
static void
the_list_of_all_tools_keeps_its_budget(void **state)
{
    enum { TOOL_BYTES = 1229, INPUT_BYTES = 520, ALL_BYTES = 32 * 1024 };
    const struct tools_cfg cfg = {.toolsets = "all"};
    struct tools *tools = NULL;
    struct buf why = {0};
    size_t total = 300; /* what is around the tools */

    (void)state;
    assert_int_equal(tools_new(&tools, &cfg, &why), OK);
    const struct mcp_offer *offer = tools_offer(tools);
    for (size_t i = 0; i < offer->tool_len; i++) {
        const struct mcp_tool *tool = &offer->tools[i];
        size_t size = listed_size(tool);

        total += size;
        if (size > TOOL_BYTES && strlen(tool->input_schema) <= INPUT_BYTES)
            fail_msg("%s would be %zu bytes", tool->name, size);
    }
    if (total > ALL_BYTES)
        fail_msg("tools/list would be %zu bytes", total);
    tools_free(tools);
    buf_fini(&why);
}

/* explore takes several priorities, with commas. */
static bool
takes_a_list(const struct mcp_tool *tool, const char *name)
{
    return strcmp(tool->name, "explore") == 0 && strcmp(name, "priority") == 0;
}

/* A model that sees the words does not have to be refused to learn them. */
static void
parameters_that_take_few_words_name_them(void **state)
{
    static const char *const names[] = {
        "kind",   "level",  "mode",   "direction",       "evidence", "by",
        "change", "output", "format", "response_format", "priority"};
    const struct tools_cfg cfg = {.toolsets = "all"};
    struct tools *tools = NULL;
    struct buf why = {0};

    (void)state;
    assert_int_equal(tools_new(&tools, &cfg, &why), OK);
    const struct mcp_offer *offer = tools_offer(tools);
    for (size_t i = 0; i < offer->tool_len; i++)
        for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
            const struct mcp_tool *tool = &offer->tools[i];
            cJSON *input = cJSON_Parse(tool->input_schema);
            const cJSON *property = cJSON_GetObjectItem(
                cJSON_GetObjectItem(input, "properties"), names[k]);

            if (property && !takes_a_list(tool, names[k]) &&
                !cJSON_GetObjectItem(property, "enum"))
                fail_msg("%s: %s", tool->name, names[k]);
            cJSON_Delete(input);
        }
    tools_free(tools);
    buf_fini(&why);
}

/* What fits the whole schema fits the listed one: it asks for some of the same
 * members, and of them for all that are the tool's own. */
static void
a_listed_schema_is_the_whole_one_without_what_all_have(void **state)
{
    static const char *const common[] = {
        "summary",  "data_as_of", "hints",      "total",
        "returned", "truncated",  "next_cursor"};
    const struct mcp_offer *offer = tools_offer(tool_shop.tools);

    (void)state;
    for (size_t i = 0; i < offer->tool_len; i++) {
        cJSON *listed = cJSON_Parse(offer->tools[i].output_schema);
        char uri[80];
        const cJSON *name = NULL;
        cJSON *names = cJSON_GetObjectItem(listed, "required");

        (void)snprintf(uri, sizeof(uri), "graph://schema/%s",
                       offer->tools[i].name);
        cJSON *whole = NULL;
        assert_int_equal(
            tools_resource(tool_shop.tools, uri, &whole, &tool_shop.why), OK);
        assert_string_equal(ask_text(listed, "type"), "object");
        assert_non_null(cJSON_GetObjectItem(whole, "properties"));
        cJSON_ArrayForEach(name, cJSON_GetObjectItem(whole, "required"))
        {
            bool is_common = false;
            bool is_listed = false;
            const cJSON *other = NULL;

            for (size_t k = 0; k < sizeof(common) / sizeof(common[0]); k++)
                is_common |= strcmp(common[k], name->valuestring) == 0;
            cJSON_ArrayForEach(other, names)
            {
                is_listed |= strcmp(other->valuestring, name->valuestring) == 0;
            }
            assert_int_equal(is_listed, !is_common);
        }
        cJSON_Delete(listed);
        cJSON_Delete(whole);
    }
}

static void
the_offer_runs_tools_and_passes_failures_on(void **state)
{
    const struct mcp_offer *offer = tools_offer(tool_shop.tools);
    cJSON *args = cJSON_CreateObject();

    (void)state;
    for (size_t i = 0; i < offer->tool_len; i++) {
        cJSON *good = cJSON_Parse(offer->tools[i].example);
        cJSON *out = offer->tools[i].fn(offer->tools[i].ctx, NULL, good);

        assert_non_null(out);
        cJSON_Delete(out);
        cJSON_Delete(good);
    }
    assert_null(offer->tools[0].fn(offer->tools[0].ctx, NULL, args));
    assert_non_null(strstr(failure, "service_name is required"));
    cJSON_Delete(args);
}

static void
a_tool_of_another_set_is_told_from_none(void **state)
{
    const struct mcp_offer *offer = tools_offer(tool_shop.tools);

    (void)state;
    assert_non_null(
        strstr(offer->tool_elsewhere("plan_turn"), "query.toolsets"));
    assert_null(offer->tool_elsewhere("no_such"));
}

static void
read_only_leaves_out_all_that_writes_and_nothing_else(void **state)
{
    const uint32_t all = UINT32_MAX;
    const struct tool *tools[TOOLS_MAX];
    size_t len = tool_select(&(struct tools_cfg){0}, all, tools);
    size_t writing = 0;

    (void)state;
    for (size_t i = 0; i < len; i++)
        writing += tools[i]->writes;
    assert_true(writing > 0);
    assert_int_equal(
        tool_select(&(struct tools_cfg){.read_only = true}, all, tools),
        len - writing);
    for (size_t i = 0; i < len - writing; i++)
        assert_false(tools[i]->writes);
}

static void
tools_are_offered_and_left_out_by_name(void **state)
{
    static const struct {
        struct tools_cfg cfg;
        const char *offered; /* in the order of the tables */
    } rows[] = {
        {{.only = "explain,trace_stats"}, " trace_stats explain"},
        {{.only = ",explain,,"}, " explain"},
        {{.only = " explain , add ", .without = "who_calls, add"}, " explain"},
        {{.only = "add", .toolsets = "runtime"}, " add"},
        {{.only = "add,explain", .read_only = true}, " explain"},
        {{.only = "add,explain", .without = "add"}, " explain"},
        {{.only = "add", .without = "explain,add"}, ""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct tool *tools[TOOLS_MAX];
        struct buf names = {0};
        size_t len = tool_select(&rows[i].cfg, TOOLSET_RUNTIME, tools);

        for (size_t k = 0; k < len; k++)
            buf_printf(&names, " %s", tools[k]->name);
        assert_string_equal(buf_cstr(&names), rows[i].offered);
        buf_fini(&names);
    }
    const struct tool *tools[TOOLS_MAX];
    const struct tools_cfg less = {.only = " ,",
                                   .without = "dead_routes, graph_query"};
    assert_int_equal(
        tool_select(&less, TOOLSET_RUNTIME, tools) + 1,
        tool_select(&(struct tools_cfg){0}, TOOLSET_RUNTIME, NULL));
    assert_string_equal(tools[1]->name, "trace_stats");
}

static void
names_that_are_no_tools_are_told(void **state)
{
    struct tools *tools;
    struct tools_cfg cfg = {.query = tool_shop.query, .only = "explain,add"};

    (void)state;
    assert_int_equal(tools_check_names(NULL, &tool_shop.why), OK);
    assert_int_equal(tools_check_names("", &tool_shop.why), OK);
    assert_int_equal(tools_check_names("explain,add", &tool_shop.why), OK);
    assert_int_equal(tools_check_names("explain,dead_rout", &tool_shop.why),
                     ERR_INVALID);
    assert_string_equal(buf_cstr(&tool_shop.why),
                        "no tool \"dead_rout\"; closest: \"dead_routes\"");
    buf_reset(&tool_shop.why);
    cfg.without = "a_name_that_is_longer_than_any_of_a_tool_could_be_or_"
                  "than_is_kept_anywhere";
    assert_int_equal(tools_new(&tools, &cfg, &tool_shop.why), ERR_INVALID);
    cfg.without = "add";
    assert_int_equal(tools_new(&tools, &cfg, &tool_shop.why), OK);
    assert_int_equal(tools_offer(tools)->tool_len, 1);
    tools_free(tools);
}

static void
pairs_take_the_type_of_the_schema(void **state)
{
    cJSON *args = cJSON_CreateObject();

    (void)state;
    assert_int_equal(
        tools_argument("dead_routes", "stale_days=60", args, &tool_shop.why),
        OK);
    assert_int_equal(
        tools_argument("dead_routes", "service=60", args, &tool_shop.why), OK);
    assert_true(cJSON_IsNumber(cJSON_GetObjectItem(args, "stale_days")));
    assert_true(cJSON_IsString(cJSON_GetObjectItem(args, "service")));
    assert_int_equal(
        tools_argument("dead_routes", "stale_days=x", args, &tool_shop.why),
        ERR_INVALID);
    /* The second would be dropped, and another question answered. */
    assert_int_equal(
        tools_argument("dead_routes", "service=61", args, &tool_shop.why),
        ERR_INVALID);
    assert_non_null(strstr(buf_cstr(&tool_shop.why), "service is given twice"));
    assert_int_equal(
        tools_argument("dead_routes", "novalue", args, &tool_shop.why),
        ERR_INVALID);
    assert_int_equal(tools_argument("nothing", "a=b", args, &tool_shop.why),
                     ERR_NOT_FOUND);
    cJSON_Delete(args);
}

static void
what_is_not_a_number_is_out_of_range(void **state)
{
    cJSON *args = cJSON_CreateObject();
    cJSON *out = NULL;

    (void)state;
    assert_int_equal(
        tools_argument("dead_routes", "stale_days=nan", args, &tool_shop.why),
        OK);
    assert_int_equal(
        tools_call(tool_shop.tools, "dead_routes", args, &out, &tool_shop.why),
        ERR_INVALID);
    assert_null(out);
    cJSON_Delete(args);
}

static void
prompts_fill_in_their_arguments(void **state)
{
    cJSON *args = cJSON_CreateObject();
    cJSON *none = cJSON_CreateObject();
    struct buf out = {0};

    (void)state;
    assert_true(tools_prompt("dead_route_review", none, &out));
    assert_non_null(strstr(buf_cstr(&out), "stale_days=30."));
    assert_false(tools_prompt("incident_impact", none, &out));
    assert_false(tools_prompt("nothing", none, &out));
    buf_reset(&out);
    cJSON_AddStringToObject(args, "service", "pay {route}");
    assert_true(tools_prompt("change_risk", args, &out));
    assert_non_null(strstr(buf_cstr(&out), "changing pay {route}."));
    cJSON *array = tools_prompts[0].get(tool_shop.tools, NULL, args);
    assert_string_equal(ask_text(cJSON_GetArrayItem(array, 0), "role"), "user");
    cJSON_Delete(array);
    assert_null(tools_prompts[1].get(tool_shop.tools, NULL, none));
    assert_non_null(strstr(failure, "service"));
    buf_fini(&out);
    cJSON_Delete(args);
    cJSON_Delete(none);
}

static void
completion_knows_services_and_routes(void **state)
{
    (void)state;
    cJSON *days = tools_complete(tool_shop.tools, "p", "stale_days", "", NULL);
    assert_int_equal(cJSON_GetArraySize(days), 6);
    cJSON_Delete(days);
    days = tools_complete(tool_shop.tools, "p", "stale_days", "x", NULL);
    assert_int_equal(cJSON_GetArraySize(days), 0);
    cJSON_Delete(days);
    cJSON *names = tools_complete(tool_shop.tools, "p", "service", "ch", NULL);
    assert_int_equal(cJSON_GetArraySize(names), 1);
    assert_string_equal(cJSON_GetArrayItem(names, 0)->valuestring, "checkout");
    cJSON_Delete(names);
    names = tools_complete(tool_shop.tools, "p", "route", "POST", NULL);
    assert_int_equal(cJSON_GetArraySize(names), 1);
    cJSON_Delete(names);
    assert_null(tools_complete(tool_shop.tools, "p", "verdict", "", NULL));
    for (uint32_t i = 0; i < 150; i++) {
        char name[32];

        snprintf(name, sizeof(name), "many-%u", i);
        db_service(&tool_shop.db, name);
    }
    names = tools_complete(tool_shop.tools, "p", "service", "many", NULL);
    assert_int_equal(cJSON_GetArraySize(names), 100);
    cJSON_Delete(names);
}

static void
routes_are_completed_of_the_chosen_service(void **state)
{
    static const struct {
        const char *chosen, *value;
        const char *first;
        int count;
    } cases[] = {
        {"{\"service\":\"checkout\"}", "", "POST /buy", 1},
        {"{\"service_name\":\"checkout\"}", "POST", "POST /buy", 1},
        {"{\"service\":\"web\"}", "", "GET /cart/{}", 1},
        {"{\"service\":\"web\"}", "POST", "GET /cart/{}", 1},
        {"{\"service\":\"pay\"}", "pay", "pay.Pay/Charge", 1},
        {"{\"service\":\"nobody\"}", "", NULL, 0},
        {"{\"service\":7}", "POST", "POST /buy", 1},
        {"{}", "", NULL, 3},
    };

    (void)state;
    db_route(&tool_shop.db,
             db_node(&tool_shop.db, NODE_SERVICE, 0, "web", "prod"),
             "GET /cart/{}");
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        cJSON *chosen = cJSON_Parse(cases[i].chosen);
        cJSON *names = tools_complete(tool_shop.tools, "p", "route",
                                      cases[i].value, chosen);
        assert_int_equal(cJSON_GetArraySize(names), cases[i].count);
        if (cases[i].first)
            assert_string_equal(cJSON_GetArrayItem(names, 0)->valuestring,
                                cases[i].first);
        cJSON_Delete(names);
        cJSON_Delete(chosen);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TOOL_SHOP(the_list_of_tools_keeps_its_budget),
        TOOL_SHOP(the_list_of_all_tools_keeps_its_budget),
        TOOL_SHOP(parameters_that_take_few_words_name_them),
        TOOL_SHOP(a_listed_schema_is_the_whole_one_without_what_all_have),
        TOOL_SHOP(the_offer_runs_tools_and_passes_failures_on),
        TOOL_SHOP(a_tool_of_another_set_is_told_from_none),
        TOOL_SHOP(read_only_leaves_out_all_that_writes_and_nothing_else),
        TOOL_SHOP(tools_are_offered_and_left_out_by_name),
        TOOL_SHOP(names_that_are_no_tools_are_told),
        TOOL_SHOP(pairs_take_the_type_of_the_schema),
        TOOL_SHOP(what_is_not_a_number_is_out_of_range),
        TOOL_SHOP(prompts_fill_in_their_arguments),
        TOOL_SHOP(completion_knows_services_and_routes),
        TOOL_SHOP(routes_are_completed_of_the_chosen_service),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
