/*
 * The methods that run functions of the offer, but for tools/call, which is in
 * method_call.c.
 */
#include <string.h>

#include "base/metrics.h"
#include "base/utf8.h"
#include "mcp/call.h"
#include "mcp/json.h"
#include "mcp/method.h"
#include "mcp/schema.h"

enum { COMPLETIONS_MAX = 100 }; /* by the specification */

void
method_answer_raw(struct mcp_call *call, cJSON *result)
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

bool
method_is_refused(struct mcp_call *call)
{
    if (!call->refusal)
        return false;

    cJSON *data = call->refusal_data;
    call->refusal_data = NULL;
    call_error(call, call->refusal == RPC_MISSING_CAPABILITY ? 400 : 200,
               call->refusal, data, "%s", buf_cstr(&call->fault));
    return true;
}

const char *
method_fault(struct mcp_call *call)
{
    return call->fault.len ? buf_cstr(&call->fault)
                           : "internal error; try again or ask differently";
}

cJSON *
method_arguments(struct mcp_call *call)
{
    cJSON *args = json_member(call->msg.params, "arguments");

    if (args && !cJSON_IsNull(args))
        return cJSON_IsObject(args) ? args : NULL;
    cJSON_DeleteItemFromObjectCaseSensitive(call->msg.params, "arguments");
    return cJSON_AddObjectToObject(call->msg.params, "arguments");
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
    call_error(call, 200, code, data, "there is no such resource%s%s",
               call->fault.len ? ": "
                               : "; resources/list and "
                                 "resources/templates/list show what "
                                 "there is",
               call->fault.len ? buf_cstr(&call->fault) : "");
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
    bool refused = method_is_refused(call);
    if (call->failed && !refused)
        call_error(call, 200, RPC_INTERNAL_ERROR, NULL, "%s",
                   method_fault(call));
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
    method_answer_raw(call, result);
}

void
method_prompts_get(struct mcp_call *call)
{
    const struct mcp_offer *offer = call->mcp->offer;
    const char *name = json_text(call->msg.params, "name");
    cJSON *args = name ? method_arguments(call) : NULL;

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
    if (!method_is_refused(call))
        call_error(call, 200, RPC_INVALID_PARAMS, NULL, "%s",
                   method_fault(call));
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
