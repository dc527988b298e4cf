/*
 * Resources are short answers that need no arguments.
 */
#include "mcp/tools_extra.h"

#include <string.h>

#include "graph/query_stats.h"
#include "mcp/json.h"
#include "mcp/tools_args.h"
#include "mcp/tools_parts.h"
#include "mcp/tools_reply.h"
#include "mcp/tools_shape.h"

enum { SERVICES_MAX = 200 };

#define SERVICE_URI "graph://service/"
#define UPKEEP_URI  "spangraph://"

static const char schema_text[] =
    "{\"node_kinds\":{\"service\":\"name or namespace/name, with env\","
    "\"route\":\"METHOD /pattern of a service\","
    "\"rpc\":\"pkg.Service/Method of a service\","
    "\"consumer\":\"consumption of a topic by a service\","
    "\"topic\":\"system:destination\",\"database\":\"peer or address:port\","
    "\"external\":\"a party that sends no spans; user is an unnamed caller\","
    "\"symbol\":\"a function of a service\"},"
    "\"edge_kinds\":{\"call\":\"between services, both seen or inferred\","
    "\"virtual_in\":\"an outside caller\","
    "\"virtual_out\":\"a named peer that sent no span\","
    "\"db\":\"a database\",\"msg\":\"producer to consumer\","
    "\"msg_pub\":\"service to topic\",\"msg_sub\":\"topic to service\"},"
    "\"node_id\":\"kind:qualified name, e.g. route:checkout POST /buy\","
    "\"times\":\"Unix seconds, UTC\","
    "\"weighted\":\"count corrected for sampling\","
    "\"verdicts\":[\"never_observed\",\"stopped\",\"zombie\","
    "\"synthetic_only\",\"probe_only\",\"undocumented\",\"low\",\"seasonal\","
    "\"too_new\",\"insufficient_window\",\"not_observable\",\"suppressed\","
    "\"active\"]}";

static void
put_service(struct tool_run *run, cJSON *array, uint32_t id)
{
    struct query_seen seen;
    cJSON *row;

    if (run->err || (run->err = query_seen(run->view, id, &seen)))
        return;
    row = cJSON_CreateObject();
    put_name(run, row, "name", id);
    put_str(row, "env", query_node(run->view, id)->env);
    put_num(row, "spans", (double)seen.spans);
    put_time(row, "first_observed", seen.first_s);
    put_time(row, "last_observed", seen.last_s);
    json_push(array, row);
}

static enum err
read_services(struct tools *tools, cJSON **out)
{
    const struct query_find find = {.kinds = TOOL_SERVICE};
    struct tool_run run = {.tools = tools};
    struct ids ids = {0};
    cJSON *object = cJSON_CreateObject();
    cJSON *array = cJSON_AddArrayToObject(object, "services");

    run.err = query_begin(tools->cfg.query, tools->clock(tools->clock_ctx),
                          &run.view);
    if (!run.err)
        run.err = query_find(run.view, &find, &ids);
    for (size_t i = 0; i < ids.len && i < SERVICES_MAX; i++)
        put_service(&run, array, ids.ids[i]);
    put_num(object, "total", (double)ids.len);
    cJSON_AddBoolToObject(object, "truncated", ids.len > SERVICES_MAX);
    ids_fini(&ids);
    query_end(run.view);
    if (run.err)
        cJSON_Delete(object);
    else
        *out = object;
    return run.err;
}

/* |argument| NULL: there is none. */
static enum err
call_tool(struct tools *tools, const char *name, const char *argument,
          const char *value, cJSON **out, struct buf *why)
{
    cJSON *args = cJSON_CreateObject();

    if (argument)
        cJSON_AddStringToObject(args, argument, value);
    enum err err = tools_call(tools, name, args, out, why);
    cJSON_Delete(args);
    return err;
}

/* What manage says of the knowledge and the traces beside it. */
static enum err
read_upkeep(struct tools *tools, const char *action, cJSON **out,
            struct buf *why)
{
    cJSON *reply = NULL;
    enum err err = call_tool(tools, "manage", "action", action, &reply, why);

    *out = cJSON_DetachItemFromObjectCaseSensitive(reply, "data");
    cJSON_Delete(reply);
    return err;
}

/* Names in a URI are percent-encoded. */
static void
decode(const char *text, struct buf *out)
{
    static const char digits[] = "0123456789abcdef";

    for (; *text; text++) {
        const char *high =
            text[0] == '%' && text[1] ? strchr(digits, text[1] | 0x20) : NULL;
        const char *low =
            high && text[2] ? strchr(digits, text[2] | 0x20) : NULL;

        if (low) {
            buf_add_char(out, (char)((high - digits) << 4 | (low - digits)));
            text += 2;
        } else {
            buf_add_char(out, *text);
        }
    }
}

/* A service that is not there is no mistake in a call, but no resource. */
static enum err
read_service(struct tools *tools, const char *encoded, cJSON **out,
             struct buf *why)
{
    struct buf name = {0};
    enum err err = ERR_NOT_FOUND;

    decode(encoded, &name);
    if (name.len)
        err = call_tool(tools, "explain", "service", buf_cstr(&name), out, why);
    buf_fini(&name);
    return err == ERR_INVALID || err == ERR_AMBIGUOUS ? ERR_NOT_FOUND : err;
}

static enum err
found(cJSON *json, cJSON **out)
{
    *out = json;
    return json ? OK : ERR_NOT_FOUND;
}

enum err
tools_resource(struct tools *tools, const char *uri, cJSON **out,
               struct buf *why)
{
    *out = NULL;
    if (strcmp(uri, "graph://schema") == 0)
        return found(cJSON_Parse(schema_text), out);
    if (strcmp(uri, "graph://services") == 0)
        return read_services(tools, out);
    if (strcmp(uri, "graph://health") == 0)
        return call_tool(tools, "trace_stats", NULL, NULL, out, why);
    if (strcmp(uri, UPKEEP_URI "health") == 0 ||
        strcmp(uri, UPKEEP_URI "stats") == 0)
        return read_upkeep(tools, uri + strlen(UPKEEP_URI), out, why);
    if (strncmp(uri, TOOL_SHAPE_URI, strlen(TOOL_SHAPE_URI)) == 0)
        return found(tool_whole_shape(uri + strlen(TOOL_SHAPE_URI)), out);
    if (strncmp(uri, SERVICE_URI, strlen(SERVICE_URI)) == 0)
        return read_service(tools, uri + strlen(SERVICE_URI), out, why);
    return ERR_NOT_FOUND;
}

static cJSON *
read_resource(void *ctx, struct mcp_call *call, const char *uri)
{
    struct buf why = {0};
    cJSON *json = NULL;
    enum err err = tools_resource(ctx, uri, &json, &why);
    char *text = json ? cJSON_PrintUnformatted(json) : NULL;
    cJSON *contents = NULL;

    if (err == ERR_NOT_FOUND)
        mcp_missing(call, buf_str(&why));
    else if (err)
        mcp_fail(call, "%s", why.len ? buf_cstr(&why) : err_str(err));
    if (text) {
        cJSON *content = cJSON_CreateObject();

        contents = cJSON_CreateArray();
        cJSON_AddStringToObject(content, "uri", uri);
        cJSON_AddStringToObject(content, "mimeType", "application/json");
        cJSON_AddStringToObject(content, "text", text);
        json_push(contents, content);
    }
    cJSON_free(text);
    cJSON_Delete(json);
    buf_fini(&why);
    return contents;
}

const struct mcp_resource tools_resources[TOOLS_RESOURCE_LEN] = {
    {
        .uri = "graph://schema",
        .name = "schema",
        .title = "Kinds of nodes, edges and verdicts",
        .description = "What the words in the answers mean.",
        .mime_type = "application/json",
        .read = read_resource,
    },
    {
        .uri = "graph://services",
        .name = "services",
        .title = "Services and when each was last heard of",
        .description = "All services with their environments, at most 200.",
        .mime_type = "application/json",
        .read = read_resource,
    },
    {
        .uri = "graph://health",
        .name = "health",
        .title = "Totals and freshness",
        .description = "As the tool trace_stats.",
        .mime_type = "application/json",
        .read = read_resource,
    },
    {
        .uri = UPKEEP_URI "health",
        .name = "upkeep-health",
        .title = "Is everything well",
        .description =
            "As manage health: integrity, uptime, what came in and waits.",
        .mime_type = "application/json",
        .read = read_resource,
    },
    {
        .uri = UPKEEP_URI "stats",
        .name = "upkeep-stats",
        .title = "How much there is",
        .description = "As manage stats: entities, relationships, storage.",
        .mime_type = "application/json",
        .read = read_resource,
    },
    {
        .uri = SERVICE_URI "{name}",
        .name = "service",
        .title = "One service",
        .description = "Its edges, and what became of its spans.",
        .mime_type = "application/json",
        .is_template = true,
        .read = read_resource,
    },
    {
        .uri = TOOL_SHAPE_URI "{tool}",
        .name = "answer",
        .title = "What a tool answers",
        .description = "The whole JSON schema of one tool's answers; the "
                       "list of tools has just the names of its members.",
        .mime_type = "application/json",
        .is_template = true,
        .read = read_resource,
    },
};
