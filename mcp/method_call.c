/*
 * tools/call.
 *
 * A tool's structured content is printed once; the same bytes go out as they
 * are, and again escaped as the text block that older clients read.  Where the
 * offer tells versions of its data, both are kept as they were printed
 * (mcp/kept.h), and the same question is answered with them, on the thread that
 * read it.
 */
#include <stdatomic.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/metrics.h"
#include "mcp/call.h"
#include "mcp/json.h"
#include "mcp/kept.h"
#include "mcp/method.h"
#include "mcp/question.h"
#include "mcp/schema.h"

enum { FAULT_MAX = 10000 }; /* bytes of an error; clients cut near 11,000 */

/* ---- tools/call ---- */

static void
answer_fault(struct mcp_call *call, const cJSON *content)
{
    str text = str_cut(str_of(method_fault(call)), 0, FAULT_MAX);
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

/* Keeps |members| for the question that found no answer, if it may have one.
 * What nobody waited for may lack what was still to be read. */
static void
keep(struct mcp_call *call, str members)
{
    if (call->question.len == 0 || call->question.failed || mcp_is_over(call))
        return;
    kept_add(call->mcp->kept, &(struct kept_item){
                                  .question = buf_str(&call->question),
                                  .answer = members,
                                  .version = call->asked_version,
                                  .asked_ns = call->asked_ns,
                              });
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
        keep(call, buf_str(&out));
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
    const struct mcp_offer *offer = call->mcp->offer;
    const char *elsewhere =
        offer->tool_elsewhere ? offer->tool_elsewhere(name) : NULL;
    if (elsewhere) {
        call_error(call, 200, RPC_INVALID_PARAMS, NULL,
                   "unknown tool \"%.64s\": %s", name, elsewhere);
        return;
    }

    cJSON *names = cJSON_CreateObject();

    for (size_t i = 0; i < offer->tool_len; i++)
        cJSON_AddNullToObject(names, offer->tools[i].name);
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

    /* Whatever it did was done before this, and is not told before it. */
    if (!tool->read_only)
        atomic_fetch_add(&call->mcp->effects, 1);
    if (method_is_refused(call)) {
        cJSON_Delete(content);
    } else if (call->failed || !cJSON_IsObject(content)) {
        answer_fault(call, content);
        cJSON_Delete(content);
    } else if (tool->raw_result) {
        metrics_add(METRIC_MCP_CALLS, 1);
        method_answer_raw(call, content);
    } else {
        answer_structured(call, content);
        cJSON_Delete(content);
    }
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

/* Fills |args|; false: no call of a tool can be made of it. */
static bool
read_params(struct mcp_call *call, const char **name, cJSON **args)
{
    *name = json_text(call->msg.params, "name");
    *args = *name ? method_arguments(call) : NULL;
    return *args && json_is_unique(call->msg.params, "name") &&
           json_is_unique(call->msg.params, "arguments");
}

static uint64_t
data_version(const struct mcp *mcp)
{
    return hash_mix(mcp->offer->data_version(mcp->offer->ctx),
                    atomic_load(&mcp->effects));
}

/* Fills call->question; false: its answer is not one to keep. */
static bool
ask(struct mcp_call *call)
{
    const struct mcp *mcp = call->mcp;
    const char *name = NULL;
    cJSON *args = NULL;

    if (!mcp->kept || call->question.failed || call->renews)
        return false;
    if (call->question.len)
        return true;
    int index =
        read_params(call, &name, &args) ? find_tool(mcp->offer, name) : -1;
    if (index < 0 || !mcp->offer->tools[index].may_keep)
        return false;
    schema_spell(mcp->inputs[index].schema, args);
    question_add(&call->question, name, call->rev, args);
    return !call->question.failed;
}

bool
method_answer_kept(struct mcp_call *call)
{
    struct mcp *mcp = call->mcp;

    if (!ask(call))
        return false;
    call->asked_ns = clock_mono_ns();
    call->asked_version = data_version(mcp);
    struct kept_answer *kept =
        kept_find(mcp->kept, buf_str(&call->question), call->asked_version,
                  call->asked_ns, &call->renews);
    if (!kept)
        return false;
    metrics_add(METRIC_MCP_CALLS, 1);
    metrics_add(METRIC_MCP_KEPT, 1);
    call_result(call, kept_text(kept));
    kept_drop(kept);
    return true;
}

void
method_tools_call(struct mcp_call *call)
{
    const struct mcp *mcp = call->mcp;
    const char *name = NULL;
    cJSON *args = NULL;

    if (!read_params(call, &name, &args)) {
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
                                      args, method_fault(call))
                      : NULL;
    answer_fault(call, content);
    cJSON_Delete(content);
}
