/*
 * The methods that run functions of the offer.
 *
 * A tool's structured content is printed once; the same bytes go out as they
 * are, and again escaped as the text block that older clients read.
 */
#include <string.h>

#include "base/metrics.h"
#include "base/utf8.h"
#include "mcp/call.h"
#include "mcp/json.h"
#include "mcp/method.h"
#include "mcp/schema.h"

enum {
    FAULT_MAX = 10000,     /* bytes of an error; clients cut near 11,000 */
    COMPLETIONS_MAX = 100, /* by the specification */
};

/* Answers with the object |result|, which a function of the offer built whole,
 * and frees it. */
static void
answer_raw(struct mcp_call *call, cJSON *result)
{
    cJSON *type = cJSON_DetachItemFromObjectCaseSensitive(result, "resultType");
    const char *name = cJSON_GetStringValue(type);
    struct buf object = {.cap_max = call->mcp->reply_bytes};

    json_add_tree(&object, result);
    if (object.failed || object.len < 2)
        call_error(call, 200, RPC_INTERNAL_ERROR, NULL,
                   "the answer is larger than this server sends");
    else
        call_result_as(call, name ? name : "complete",
                       str_cut(buf_str(&object), 1, object.len - 1));
    buf_fini(&object);
    cJSON_Delete(type);
    cJSON_Delete(result);
}

/* Answers the protocol error that the function of the offer asked for. */
static bool
is_refused(struct mcp_call *call)
{
    if (!call->refusal)
        return false;

    cJSON *data = call->refusal_data;
    call->refusal_data = NULL;
    call_error(call, call->refusal == RPC_MISSING_CAPABILITY ? 400 : 200,
               call->refusal, data, "%s", buf_cstr(&call->fault));
    return true;
}

static const char *
fault_text(struct mcp_call *call)
{
    return call->fault.len ? buf_cstr(&call->fault)
                           : "internal error; try again or ask differently";
}

/* ---- tools/call ---- */

static void
answer_fault(struct mcp_call *call, const cJSON *content)
{
    str text = str_cut(str_of(fault_text(call)), 0, FAULT_MAX);
    struct buf out = {0};

    metrics_add(METRIC_MCP_ERRORS, 1);
    buf_add(&out, STR("\"content\":[{\"type\":\"text\",\"text\":"));
    json_add_string(&out, text);
    buf_add(&out, STR("}],\"isError\":true"));
    if (cJSON_IsObject(content) && call->rev >= REV_2025_06_18) {
        buf_add(&out, STR(",\"structuredContent\":"));
        json_add_tree(&out, content);
    }
    call_result(call, buf_str(&out));
    buf_fini(&out);
}

/* What an answer needs besides the content and its escaped copy. */
enum { ENVELOPE_BYTES = 1024 };

static void
answer_structured(struct mcp_call *call, const cJSON *content)
{
    size_t room = call->mcp->reply_bytes > ENVELOPE_BYTES
                      ? call->mcp->reply_bytes - ENVELOPE_BYTES
                      : 1;
    struct buf json = {.cap_max = room};
    struct buf out = {.cap_max = room};

    json_add_tree(&json, content);
    buf_add(&out, STR("\"content\":[{\"type\":\"text\",\"text\":"));
    json_add_string(&out, buf_str(&json));
    buf_add(&out, STR("}]"));
    if (call->rev >= REV_2025_06_18) {
        buf_add(&out, STR(",\"structuredContent\":"));
        buf_add(&out, buf_str(&json));
    }
    if (json.failed || out.failed) {
        mcp_fail(call,
                 "the answer is over %zu bytes; ask for less: a smaller "
                 "\"limit\", a narrower filter or time window",
                 call->mcp->reply_bytes);
        answer_fault(call, NULL);
    } else {
        metrics_add(METRIC_MCP_CALLS, 1);
        call_result(call, buf_str(&out));
    }
    buf_fini(&out);
    buf_fini(&json);
}

static int
find_tool(const struct mcp_offer *offer, const char *name)
{
    for (size_t i = 0; i < offer->tool_len; i++)
        if (strcmp(offer->tools[i].name, name) == 0)
            return (int)i;
    return -1;
}

static void
refuse_tool(struct mcp_call *call, const char *name)
{
    cJSON *names = cJSON_CreateObject();

    for (size_t i = 0; i < call->mcp->offer->tool_len; i++)
        cJSON_AddNullToObject(names, call->mcp->offer->tools[i].name);
    const char *nearest = schema_nearest(names, name);
    call_error(call, 200, RPC_INVALID_PARAMS, NULL,
               "unknown tool \"%.64s\"%s%s%s", name,
               nearest ? "; did you mean \"" : "", nearest ? nearest : "",
               nearest ? "\"?" : "");
    cJSON_Delete(names);
}

static void
run_tool(struct mcp_call *call, const struct mcp_tool *tool, const cJSON *args)
{
    cJSON *content =
        tool->fn(tool->ctx ? tool->ctx : call->mcp->offer->ctx, call, args);

    if (is_refused(call)) {
        cJSON_Delete(content);
    } else if (call->failed || !cJSON_IsObject(content)) {
        answer_fault(call, content);
        cJSON_Delete(content);
    } else if (tool->raw_result) {
        metrics_add(METRIC_MCP_CALLS, 1);
        answer_raw(call, content);
    } else {
        answer_structured(call, content);
        cJSON_Delete(content);
    }
}

/* The member `arguments`, or an empty object in its place; NULL when it is
 * something else. */
static cJSON *
arguments_of(struct mcp_call *call)
{
    cJSON *args = json_member(call->msg.params, "arguments");

    if (args && !cJSON_IsNull(args))
        return cJSON_IsObject(args) ? args : NULL;
    cJSON_DeleteItemFromObjectCaseSensitive(call->msg.params, "arguments");
    return cJSON_AddObjectToObject(call->msg.params, "arguments");
}

/* Whoever leaves out what is required does not know the tool: show a call. */
static void
add_example(struct mcp_call *call, const struct mcp_tool *tool,
            const cJSON *schema, const cJSON *args)
{
    const cJSON *name = NULL;

    cJSON_ArrayForEach(name, json_member(schema, "required"))
    {
        if (!tool->example || !cJSON_IsString(name) ||
            json_member(args, name->valuestring))
            continue;
        buf_printf(&call->fault, "; try %s%s", tool->name, tool->example);
        return;
    }
}

void
method_tools_call(struct mcp_call *call)
{
    const struct mcp *mcp = call->mcp;
    const char *name = json_text(call->msg.params, "name");
    cJSON *args = name ? arguments_of(call) : NULL;

    if (!name || !args || !json_is_unique(call->msg.params, "name") ||
        !json_is_unique(call->msg.params, "arguments")) {
        call_error(call, 200, RPC_INVALID_PARAMS, NULL,
                   "tools/call takes {\"name\": string, "
                   "\"arguments\": object}");
        return;
    }
    int index = find_tool(mcp->offer, name);
    if (index < 0) {
        refuse_tool(call, name);
        return;
    }
    const struct mcp_tool *tool = &mcp->offer->tools[index];
    const cJSON *schema = mcp->inputs[index].schema;
    schema_spell(schema, args);
    if (schema_check(schema, args, &call->fault)) {
        run_tool(call, tool, args);
        return;
    }
    add_example(call, tool, schema, args);
    cJSON *content =
        tool->refused ? tool->refused(tool->ctx ? tool->ctx : mcp->offer->ctx,
                                      args, fault_text(call))
                      : NULL;
    answer_fault(call, content);
    cJSON_Delete(content);
}

/* ---- resources/read ---- */

/* Does |uri| fit |pattern|, in which {name} stands for a part without '/'. */
static bool
fits_template(const char *pattern, const char *uri)
{
    while (*pattern) {
        if (*pattern != '{') {
            if (*pattern++ != *uri++)
                return false;
            continue;
        }
        const char *close = strchr(pattern, '}');
        size_t part = strcspn(uri, "/");
        if (!close || part == 0)
            return false;
        pattern = close + 1;
        uri += part;
    }
    return *uri == '\0';
}

static const struct mcp_resource *
find_resource(const struct mcp_offer *offer, const char *uri)
{
    for (size_t i = 0; i < offer->resource_len; i++) {
        const struct mcp_resource *resource = &offer->resources[i];
        if (resource->is_template ? fits_template(resource->uri, uri)
                                  : strcmp(resource->uri, uri) == 0)
            return resource;
    }
    return NULL;
}

static void
refuse_resource(struct mcp_call *call, const char *uri)
{
    enum rpc_code code = call->rev >= REV_FIRST_STATELESS
                             ? RPC_INVALID_PARAMS
                             : RPC_RESOURCE_NOT_FOUND;
    cJSON *data = cJSON_CreateObject();

    cJSON_AddStringToObject(data, "uri", uri);
    call_error(call, 200, code, data,
               "there is no such resource; resources/list and "
               "resources/templates/list show what there is");
}

static void
answer_contents(struct mcp_call *call, const cJSON *contents)
{
    struct buf out = {.cap_max = call->mcp->reply_bytes};

    buf_add(&out, STR("\"contents\":"));
    json_add_tree(&out, contents);
    /* The graph lives: what was read is old as soon as it is read. */
    if (call->rev >= REV_FIRST_STATELESS)
        buf_add(&out, STR(",\"ttlMs\":0,\"cacheScope\":\"private\""));
    if (out.failed)
        call_error(call, 200, RPC_INTERNAL_ERROR, NULL,
                   "this resource is larger than this server sends");
    else
        call_result(call, buf_str(&out));
    buf_fini(&out);
}

void
method_resources_read(struct mcp_call *call)
{
    const struct mcp_offer *offer = call->mcp->offer;
    const char *uri = json_text(call->msg.params, "uri");

    if (!uri || !json_is_unique(call->msg.params, "uri")) {
        call_error(call, 200, RPC_INVALID_PARAMS, NULL,
                   "resources/read takes {\"uri\": string}");
        return;
    }
    const struct mcp_resource *resource = find_resource(offer, uri);
    cJSON *contents = resource ? resource->read(offer->ctx, call, uri) : NULL;
    bool refused = is_refused(call);
    if (call->failed && !refused)
        call_error(call, 200, RPC_INTERNAL_ERROR, NULL, "%s", fault_text(call));
    else if (!refused && cJSON_GetArraySize(contents) == 0)
        refuse_resource(call, uri);
    else if (!refused)
        answer_contents(call, contents);
    cJSON_Delete(contents);
}

/* ---- prompts/get ---- */

static const struct mcp_prompt *
find_prompt(const struct mcp_offer *offer, const char *name)
{
    for (size_t i = 0; i < offer->prompt_len; i++)
        if (strcmp(offer->prompts[i].name, name) == 0)
            return &offer->prompts[i];
    return NULL;
}

/* Says what is wrong with the arguments in call->fault, or returns true. */
static bool
check_prompt_args(struct mcp_call *call, const struct mcp_prompt *prompt,
                  const cJSON *args)
{
    const cJSON *arg = NULL;

    for (size_t i = 0; i < prompt->arg_len; i++) {
        const struct mcp_prompt_arg *known = &prompt->args[i];
        if (!known->required || json_member(args, known->name))
            continue;
        mcp_fail(call, "prompt \"%s\" needs the argument \"%s\": %s",
                 prompt->name, known->name,
                 known->description ? known->description : "a string");
        return false;
    }
    cJSON_ArrayForEach(arg, args)
    {
        if (cJSON_IsString(arg))
            continue;
        mcp_fail(call,
                 "the arguments of a prompt are strings; \"%.64s\" is "
                 "none",
                 arg->string);
        return false;
    }
    return true;
}

static void
answer_prompt(struct mcp_call *call, const struct mcp_prompt *prompt,
              cJSON *messages)
{
    cJSON *result = messages;

    if (!prompt->raw_result) {
        result = cJSON_CreateObject();
        if (prompt->description)
            cJSON_AddStringToObject(result, "description", prompt->description);
        json_give(result, "messages", messages);
    }
    answer_raw(call, result);
}

void
method_prompts_get(struct mcp_call *call)
{
    const struct mcp_offer *offer = call->mcp->offer;
    const char *name = json_text(call->msg.params, "name");
    cJSON *args = name ? arguments_of(call) : NULL;

    if (!name || !args || !json_is_unique(call->msg.params, "name")) {
        call_error(call, 200, RPC_INVALID_PARAMS, NULL,
                   "prompts/get takes {\"name\": string, "
                   "\"arguments\": object}");
        return;
    }
    const struct mcp_prompt *prompt = find_prompt(offer, name);
    if (!prompt) {
        call_error(call, 200, RPC_INVALID_PARAMS, NULL,
                   "unknown prompt \"%.64s\"; prompts/list shows what there is",
                   name);
        return;
    }
    bool ok = check_prompt_args(call, prompt, args);
    cJSON *messages = ok ? prompt->get(offer->ctx, call, args) : NULL;
    if (messages && !call->failed && !call->refusal) {
        answer_prompt(call, prompt, messages);
        return;
    }
    cJSON_Delete(messages);
    if (!is_refused(call))
        call_error(call, 200, RPC_INVALID_PARAMS, NULL, "%s", fault_text(call));
}

/* ---- completion/complete ---- */

/* The prompt or resource that is completed, if it is ours. */
static const char *
reference_of(const struct mcp_call *call)
{
    const struct mcp_offer *offer = call->mcp->offer;
    const cJSON *ref = json_member(call->msg.params, "ref");
    const char *type = json_text(ref, "type");
    const char *name = json_text(ref, "name");
    const char *uri = json_text(ref, "uri");

    if (type && name && strcmp(type, "ref/prompt") == 0)
        return find_prompt(offer, name) ? name : NULL;
    if (!type || !uri || strcmp(type, "ref/resource") != 0)
        return NULL;
    for (size_t i = 0; i < offer->resource_len; i++)
        if (strcmp(offer->resources[i].uri, uri) == 0)
            return uri;
    return NULL;
}

static void
answer_completion(struct mcp_call *call, const cJSON *values)
{
    struct buf out = {.cap_max = call->mcp->reply_bytes};
    int total = cJSON_GetArraySize(values);
    int listed = 0;
    const cJSON *value = NULL;

    buf_add(&out, STR("\"completion\":{\"values\":["));
    cJSON_ArrayForEach(value, values)
    {
        if (listed == COMPLETIONS_MAX)
            break;
        buf_add(&out, listed++ ? STR(",") : STR(""));
        json_add_string(&out, str_of(cJSON_GetStringValue(value)));
    }
    buf_printf(&out, "],\"total\":%d,\"hasMore\":%s}", total,
               total > listed ? "true" : "false");
    if (out.failed)
        call_error(call, 200, RPC_INTERNAL_ERROR, NULL,
                   "the answer is larger than this server sends");
    else
        call_result(call, buf_str(&out));
    buf_fini(&out);
}

void
method_complete(struct mcp_call *call)
{
    const struct mcp_offer *offer = call->mcp->offer;
    const cJSON *argument = json_member(call->msg.params, "argument");
    const char *ref = reference_of(call);
    const char *name = json_text(argument, "name");
    const char *value = json_text(argument, "value");
    const cJSON *chosen =
        json_member(json_member(call->msg.params, "context"), "arguments");

    if (!ref || !name || !value) {
        call_error(call, 200, RPC_INVALID_PARAMS, NULL,
                   "completion/complete takes a \"ref\" to one of our prompts "
                   "or resources and an \"argument\" with name and value");
        return;
    }
    cJSON *values = offer->complete(offer->ctx, ref, name, value,
                                    cJSON_IsObject(chosen) ? chosen : NULL);
    answer_completion(call, values);
    cJSON_Delete(values);
}
