/*
 * The prompts are the three jobs people come with, as a plan of tool calls;
 * completion gives the names that their arguments take.
 */
#include <string.h>

#include "mcp/json.h"
#include "mcp/tools_args.h"
#include "mcp/tools_extra.h"
#include "mcp/tools_parts.h"
#include "mcp/tools_reply.h"

enum { COMPLETE_MAX = 100 };
enum { ROUTES = 1 << NODE_ROUTE | 1 << NODE_RPC };

static const struct mcp_prompt_arg review_args[] = {
    {"service", "Name of the service; all if left out", false},
    {"stale_days", "Days without traffic; 30 if left out", false},
};
static const struct mcp_prompt_arg incident_args[] = {
    {"service", "The service in trouble", true},
};
static const struct mcp_prompt_arg change_args[] = {
    {"service", "The service that changes", true},
    {"route", "The route that changes; the whole service if left out", false},
};

static const char review_text[] =
    "Review routes that may be dead{in service}.\n"
    "1. trace_stats: is the data fresh? If last_observed is old, stop and say "
    "so.\n"
    "2. dead_routes with stale_days={stale_days}{and service}. Read not_judged "
    "first: services without telemetry prove nothing; name them as blind "
    "spots.\n"
    "3. For each candidate of high or medium confidence: who_calls, and look "
    "for references in the code and in API documents that traffic cannot "
    "show.\n"
    "4. Report a table: route, verdict, confidence, last seen, last caller, "
    "reasons, and what would make you sure. Recommend a brownout or a "
    "tombstone before removal; never removal at once.\n"
    "5. If add and manage are offered: graph_score runtime says how far the "
    "graph can be trusted; for what shall go, explore types=[project], then "
    "add entity_type=task with that project and related_to="
    "[touches:route:<service>:<route>], which keeps the evidence of today.";

static const char incident_text[] =
    "Find out whom trouble in {service} reaches.\n"
    "1. who_calls {service} with since=24h: its callers, errors, p99. These "
    "feel it first.\n"
    "2. service_map with service={service}, level=endpoint, since=24h, "
    "detailed: on what it depends; look for a dependency with errors or a "
    "p99 that fits.\n"
    "3. Follow the callers up to virtual_in edges: those are users.\n"
    "4. explain {service}: orphans and evictions mean callers that cannot be "
    "seen.\n"
    "5. If search is offered: search the error text for runbooks and known "
    "error patterns, explore mode=related from what it finds; afterwards add "
    "entity_type=error_pattern with root_cause and solution.\n"
    "Report: who is hit, by which path, how many calls an hour, and the most "
    "likely cause upstream or downstream, with the numbers.";

static const char change_text[] =
    "Judge the risk of changing {service}{route}.\n"
    "1. who_calls {service}{route} without since, then with since=7d: who "
    "depends on it now, and who did.\n"
    "2. Compare caller_versions: old versions still calling need the old "
    "contract.\n"
    "3. dead_routes service={service} verdict=all: is it watched well enough "
    "to trust silence?\n"
    "4. explain {service}: callers that are not instrumented show as "
    "orphan_ingress.\n"
    "5. If explore is offered: mode=related from the service or route shows "
    "tasks, rules and documents about it; mode=traverse depth=2 what hangs on "
    "them.\n"
    "Report: callers in order of calls, what breaks if the contract changes, "
    "what cannot be seen, and a plan (additive change, notice, removal).";

static const char *
arg_of(const cJSON *args, const char *name)
{
    const cJSON *arg = cJSON_GetObjectItemCaseSensitive(args, name);

    return cJSON_IsString(arg) && *arg->valuestring ? arg->valuestring : NULL;
}

/* What stands for {|name|} in a prompt. */
static void
add_value(const cJSON *args, str name, struct buf *out)
{
    const char *service = arg_of(args, "service");
    const char *route = arg_of(args, "route");
    const char *days = arg_of(args, "stale_days");

    if (str_eq(name, STR("stale_days")))
        buf_add(out, str_of(days ? days : "30"));
    else if (str_eq(name, STR("service")) && service)
        buf_add(out, str_of(service));
    else if (str_eq(name, STR("in service")) && service)
        buf_printf(out, " in %s", service);
    else if (str_eq(name, STR("and service")) && service)
        buf_printf(out, " and service=%s", service);
    else if (str_eq(name, STR("route")) && route)
        buf_printf(out, " route=\"%s\"", route);
}

static void
expand(const char *text, const cJSON *args, struct buf *out)
{
    for (;;) {
        const char *open = strchr(text, '{');
        const char *close = open ? strchr(open, '}') : NULL;

        if (!close) {
            buf_add(out, str_of(text));
            return;
        }
        buf_add(out, (str){text, (size_t)(open - text)});
        add_value(args, (str){open + 1, (size_t)(close - open - 1)}, out);
        text = close + 1;
    }
}

bool
tools_prompt(const char *name, const cJSON *args, struct buf *out)
{
    static const struct {
        const char *name;
        const char *text;
        bool needs_service;
    } texts[] = {
        {"dead_route_review", review_text, false},
        {"incident_impact", incident_text, true},
        {"change_risk", change_text, true},
    };

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        if (strcmp(texts[i].name, name) != 0)
            continue;
        if (texts[i].needs_service && !arg_of(args, "service")) {
            buf_printf(out, "argument service is required");
            return false;
        }
        expand(texts[i].text, args, out);
        return true;
    }
    buf_printf(out, "no such prompt");
    return false;
}

static cJSON *
messages(struct mcp_call *call, const char *name, const cJSON *args)
{
    struct buf text = {0};
    cJSON *array = NULL;

    if (!tools_prompt(name, args, &text)) {
        mcp_fail(call, "%s", buf_cstr(&text));
    } else {
        cJSON *message = cJSON_CreateObject();
        cJSON *content;

        array = cJSON_CreateArray();
        cJSON_AddStringToObject(message, "role", "user");
        content = cJSON_AddObjectToObject(message, "content");
        cJSON_AddStringToObject(content, "type", "text");
        cJSON_AddStringToObject(content, "text", buf_cstr(&text));
        json_push(array, message);
    }
    buf_fini(&text);
    return array;
}

static cJSON *
get_review(void *ctx, struct mcp_call *call, const cJSON *args)
{
    (void)ctx;
    return messages(call, "dead_route_review", args);
}

static cJSON *
get_incident(void *ctx, struct mcp_call *call, const cJSON *args)
{
    (void)ctx;
    return messages(call, "incident_impact", args);
}

static cJSON *
get_change(void *ctx, struct mcp_call *call, const cJSON *args)
{
    (void)ctx;
    return messages(call, "change_risk", args);
}

const struct mcp_prompt tools_prompts[TOOLS_PROMPT_LEN] = {
    {
        .name = "dead_route_review",
        .title = "Review dead routes",
        .description = "Candidates for removal, with their evidence.",
        .args = review_args,
        .arg_len = 2,
        .get = get_review,
    },
    {
        .name = "incident_impact",
        .title = "Impact of an incident",
        .description = "Whom trouble in a service reaches, and whence it came.",
        .args = incident_args,
        .arg_len = 1,
        .get = get_incident,
    },
    {
        .name = "change_risk",
        .title = "Risk of a change",
        .description = "Who depends on a service or route, and who cannot be "
                       "seen.",
        .args = change_args,
        .arg_len = 2,
        .get = get_change,
    },
};

/* Names that begin like |value|, or else those most like it. */
static enum err
find_names(struct query_view *view, uint32_t kinds, str value, struct ids *out)
{
    const struct query_find find = {.kinds = kinds, .prefix = value};
    enum err err = query_find(view, &find, out);

    if (!err && out->len == 0 && value.len > 0)
        err = query_nearest(view, kinds, value, 10, out);
    return err;
}

/* Of the services called |service|: those that begin like |value|, or else
 * all, which are few enough to choose from. */
static enum err
find_routes_of(struct query_view *view, const char *service, str value,
               struct ids *out)
{
    const struct query_find named = {.kinds = TOOL_SERVICE,
                                     .name = str_of(service)};
    struct ids services = {0};
    enum err err = query_find(view, &named, &services);

    for (int all = 0; all < 2 && out->len == 0; all++) {
        for (size_t i = 0; !err && i < services.len; i++) {
            const struct query_find find = {.kinds = ROUTES,
                                            .prefix = all ? STR("") : value,
                                            .owner = services.ids[i]};
            err = query_find(view, &find, out);
        }
    }
    ids_fini(&services);
    return err;
}

/* One service in two environments is one name. */
static bool
is_listed(const cJSON *array, str name)
{
    const cJSON *listed = NULL;

    cJSON_ArrayForEach(listed, array)
    {
        if (str_eq(str_of(listed->valuestring), name))
            return true;
    }
    return false;
}

static cJSON *
complete_days(const char *value)
{
    static const char *const days[] = {"30", "7", "14", "60", "90", "180"};
    cJSON *array = cJSON_CreateArray();

    for (size_t i = 0; i < sizeof(days) / sizeof(days[0]); i++)
        if (strncmp(days[i], value, strlen(value)) == 0)
            json_push(array, cJSON_CreateString(days[i]));
    return array;
}

static cJSON *
complete_tools(const struct tools *tools, const char *value)
{
    cJSON *array = cJSON_CreateArray();

    for (size_t i = 0; i < tools->len; i++)
        if (strncmp(tools->list[i].name, value, strlen(value)) == 0)
            json_push(array, cJSON_CreateString(tools->list[i].name));
    return array;
}

cJSON *
tools_complete(void *ctx, const char *ref, const char *argument,
               const char *value, const cJSON *chosen)
{
    struct tools *tools = ctx;
    bool is_route = strcmp(argument, "route") == 0;
    const char *service = arg_of(chosen, "service");
    struct ids ids = {0};
    struct query_view *view = NULL;
    cJSON *array = NULL;

    (void)ref;
    if (strcmp(argument, "stale_days") == 0)
        return complete_days(value);
    if (strcmp(argument, "tool") == 0)
        return complete_tools(tools, value);
    if (!service)
        service = arg_of(chosen, "service_name");
    if (!is_route && strcmp(argument, "service") != 0 &&
        strcmp(argument, "name") != 0)
        return NULL;
    if (query_begin(tools->cfg.query, tools->clock(tools->clock_ctx), &view))
        goto out;
    if (is_route && service ? find_routes_of(view, service, str_of(value), &ids)
                            : find_names(view, is_route ? ROUTES : TOOL_SERVICE,
                                         str_of(value), &ids))
        goto out;
    array = cJSON_CreateArray();
    for (size_t i = 0; i < ids.len && cJSON_GetArraySize(array) < COMPLETE_MAX;
         i++) {
        str name = query_node(view, ids.ids[i])->name;

        if (!is_listed(array, name))
            json_push(array, json_str(name));
    }
out:
    ids_fini(&ids);
    query_end(view);
    return array;
}
