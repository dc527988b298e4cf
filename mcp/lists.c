/*
 * What a server says about itself does not change while it runs, so it is
 * printed once, at the start, for each revision; answering a list is a copy.
 *
 * All fits on one page.  The only cursor there is, is the one before the first
 * item: "".
 */
#include <stdlib.h>
#include <string.h>

#include "mcp/call.h"
#include "mcp/json.h"
#include "mcp/method.h"

/* How long a client may keep a list, in milliseconds. */
#define FRESH ",\"ttlMs\":300000,\"cacheScope\":\"public\""

enum { NAME_LEN_MAX = 128 };

static bool
is_name(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz"
                                  "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
    size_t len = name ? strlen(name) : 0;

    return len >= 1 && len <= NAME_LEN_MAX && strspn(name, letters) == len;
}

/* Starts or goes on with an object: `{"key":` or `,"key":`. */
static void
add_key(struct buf *out, const char *key)
{
    bool starts = out->len == 0 || strchr("{[:", out->ptr[out->len - 1]);

    if (!starts)
        buf_add_char(out, ',');
    buf_printf(out, "\"%s\":", key);
}

static void
add_text(struct buf *out, const char *key, const char *text)
{
    if (!text)
        return;
    add_key(out, key);
    json_add_string(out, str_of(text));
}

static void
add_flag(struct buf *out, const char *key, bool value)
{
    add_key(out, key);
    buf_add(out, value ? STR("true") : STR("false"));
}

static void
open_item(struct buf *out, size_t index)
{
    buf_add(out, index ? STR(",{") : STR("{"));
}

static bool
is_titled(enum mcp_rev rev)
{
    return rev >= REV_2025_06_18;
}

/* Appends the schema |text| compactly as |key|; ERR_INVALID if it is none. */
static enum err
add_schema(struct buf *out, const char *key, const char *text)
{
    const char *why = NULL;
    cJSON *schema = json_parse(str_of(text), &why);
    enum err err = ERR_INVALID;

    if (cJSON_IsObject(schema)) {
        add_key(out, key);
        json_add_tree(out, schema);
        err = OK;
    }
    cJSON_Delete(schema);
    return err;
}

static enum err
add_tool(struct buf *out, const struct mcp_tool *tool, enum mcp_rev rev)
{
    enum err err = OK;

    add_text(out, "name", tool->name);
    if (is_titled(rev))
        add_text(out, "title", tool->title);
    add_text(out, "description", tool->description);
    if ((err = add_schema(out, "inputSchema", tool->input_schema)))
        return err;
    if (tool->output_schema && rev >= REV_2025_06_18)
        err = add_schema(out, "outputSchema", tool->output_schema);
    if (rev == REV_2024_11_05)
        return err;
    add_key(out, "annotations");
    buf_add_char(out, '{');
    /* Later revisions have it beside the name. */
    if (!is_titled(rev))
        add_text(out, "title", tool->title);
    add_flag(out, "readOnlyHint", tool->read_only);
    add_flag(out, "destructiveHint", tool->destructive);
    add_flag(out, "idempotentHint", tool->idempotent);
    add_flag(out, "openWorldHint", false);
    buf_add_char(out, '}');
    return err;
}

static enum err
list_tools(const struct mcp *mcp, struct buf *out, enum mcp_rev rev)
{
    enum err err = OK;

    buf_add(out, STR("\"tools\":["));
    for (size_t i = 0; i < mcp->offer->tool_len && !err; i++) {
        open_item(out, i);
        err = add_tool(out, &mcp->offer->tools[i], rev);
        buf_add_char(out, '}');
    }
    buf_add_char(out, ']');
    return err;
}

static void
list_resources(const struct mcp *mcp, struct buf *out, enum mcp_rev rev,
               bool templates)
{
    size_t listed = 0;

    buf_add(out, templates ? STR("\"resourceTemplates\":[")
                           : STR("\"resources\":["));
    for (size_t i = 0; i < mcp->offer->resource_len; i++) {
        const struct mcp_resource *resource = &mcp->offer->resources[i];
        if (resource->is_template != templates)
            continue;
        open_item(out, listed++);
        add_text(out, templates ? "uriTemplate" : "uri", resource->uri);
        add_text(out, "name", resource->name);
        if (is_titled(rev))
            add_text(out, "title", resource->title);
        add_text(out, "description", resource->description);
        add_text(out, "mimeType", resource->mime_type);
        buf_add_char(out, '}');
    }
    buf_add_char(out, ']');
}

static void
list_prompts(const struct mcp *mcp, struct buf *out, enum mcp_rev rev)
{
    buf_add(out, STR("\"prompts\":["));
    for (size_t i = 0; i < mcp->offer->prompt_len; i++) {
        const struct mcp_prompt *prompt = &mcp->offer->prompts[i];
        open_item(out, i);
        add_text(out, "name", prompt->name);
        if (is_titled(rev))
            add_text(out, "title", prompt->title);
        add_text(out, "description", prompt->description);
        add_key(out, "arguments");
        buf_add_char(out, '[');
        for (size_t j = 0; j < prompt->arg_len; j++) {
            open_item(out, j);
            add_text(out, "name", prompt->args[j].name);
            add_text(out, "description", prompt->args[j].description);
            add_flag(out, "required", prompt->args[j].required);
            buf_add_char(out, '}');
        }
        buf_add(out, STR("]}"));
    }
    buf_add_char(out, ']');
}

static void
add_server_info(const struct mcp *mcp, struct buf *out, enum mcp_rev rev)
{
    buf_add_char(out, '{');
    add_text(out, "name", mcp->offer->name);
    if (is_titled(rev))
        add_text(out, "title", mcp->offer->title);
    add_text(out, "version", mcp->offer->version);
    buf_add_char(out, '}');
}

static void
add_capabilities(const struct mcp *mcp, struct buf *out, enum mcp_rev rev)
{
    bool changes = mcp->offered & OFFERS_CHANGES && rev >= REV_FIRST_STATELESS;
    bool subscribe =
        mcp->offered & OFFERS_SUBSCRIBE && rev < REV_FIRST_STATELESS;
    str changed = changes ? STR("{\"listChanged\":true}") : STR("{}");

    add_key(out, "capabilities");
    buf_add_char(out, '{');
    if (mcp->offered & OFFERS_TOOLS) {
        add_key(out, "tools");
        buf_add(out, changed);
    }
    if (mcp->offered & OFFERS_RESOURCES) {
        add_key(out, "resources");
        buf_add(out, subscribe ? STR("{\"subscribe\":true}") : changed);
    }
    if (mcp->offered & OFFERS_PROMPTS) {
        add_key(out, "prompts");
        buf_add(out, changed);
    }
    if (mcp->offered & OFFERS_COMPLETIONS && rev > REV_2024_11_05) {
        add_key(out, "completions");
        buf_add(out, STR("{}"));
    }
    if (mcp->offered & OFFERS_LOGGING) {
        add_key(out, "logging");
        buf_add(out, STR("{}"));
    }
    buf_add_char(out, '}');
}

static void
add_about(const struct mcp *mcp, struct buf *out, enum mcp_rev rev)
{
    if (rev >= REV_FIRST_STATELESS)
        buf_printf(out, "\"supportedVersions\":[\"%s\"]", rev_name(rev));
    else
        buf_printf(out, "\"protocolVersion\":\"%s\"", rev_name(rev));
    add_capabilities(mcp, out, rev);
    if (rev < REV_FIRST_STATELESS) {
        add_key(out, "serverInfo");
        add_server_info(mcp, out, rev);
    }
    add_text(out, "instructions", mcp->offer->instructions);
    if (rev >= REV_FIRST_STATELESS)
        buf_add(out, STR(FRESH));
}

static enum err
prepare_rev(const struct mcp *mcp, struct prepared *to, enum mcp_rev rev)
{
    enum err err = list_tools(mcp, &to->lists[LIST_TOOLS], rev);
    bool failed = false;

    list_resources(mcp, &to->lists[LIST_RESOURCES], rev, false);
    list_resources(mcp, &to->lists[LIST_TEMPLATES], rev, true);
    list_prompts(mcp, &to->lists[LIST_PROMPTS], rev);
    add_about(mcp, &to->about, rev);
    if (rev >= REV_FIRST_STATELESS) {
        for (size_t i = 0; i < LISTS; i++)
            buf_add(&to->lists[i], STR(FRESH));
        buf_add(&to->tail, STR("\"_meta\":{\"io.modelcontextprotocol/"
                               "serverInfo\":"));
        add_server_info(mcp, &to->tail, rev);
        buf_add_char(&to->tail, '}');
    }
    for (size_t i = 0; i < LISTS; i++)
        failed = failed || to->lists[i].failed;
    failed = failed || to->about.failed || to->tail.failed;
    return err ? err : failed ? ERR_NOMEM : OK;
}

static bool
has_mirrors(const cJSON *schema)
{
    const cJSON *property = NULL;

    cJSON_ArrayForEach(property, json_member(schema, "properties"))
    {
        if (json_text(property, "x-mcp-header"))
            return true;
    }
    return false;
}

static enum err
prepare_inputs(struct mcp *mcp)
{
    size_t len = mcp->offer->tool_len;

    mcp->inputs = calloc(len + 1, sizeof(*mcp->inputs));
    if (!mcp->inputs)
        return ERR_NOMEM;
    for (size_t i = 0; i < len; i++) {
        const struct mcp_tool *tool = &mcp->offer->tools[i];
        const char *why = NULL;
        cJSON *schema = json_parse(str_of(tool->input_schema), &why);
        const char *type = json_text(schema, "type");
        mcp->inputs[i].schema = schema;
        if (!is_name(tool->name) || !type || strcmp(type, "object") != 0)
            return ERR_INVALID;
        mcp->inputs[i].has_mirrors = has_mirrors(schema);
    }
    return OK;
}

enum err
state_prepare(struct mcp *mcp)
{
    enum err err = prepare_inputs(mcp);

    for (int rev = 0; rev < REV_COUNT && !err; rev++)
        err = prepare_rev(mcp, &mcp->prepared[rev], (enum mcp_rev)rev);
    return err;
}

static void
answer_list(struct mcp_call *call, enum list list)
{
    const cJSON *cursor = json_member(call->msg.params, "cursor");

    if (cursor && !(cJSON_IsString(cursor) && cursor->valuestring[0] == '\0'))
        call_error(call, 200, RPC_INVALID_PARAMS, NULL,
                   "this cursor is not one of ours; the list has one page");
    else
        call_result(call, buf_str(&call->mcp->prepared[call->rev].lists[list]));
}

void
method_tools_list(struct mcp_call *call)
{
    answer_list(call, LIST_TOOLS);
}

void
method_resources_list(struct mcp_call *call)
{
    answer_list(call, LIST_RESOURCES);
}

void
method_templates_list(struct mcp_call *call)
{
    answer_list(call, LIST_TEMPLATES);
}

void
method_prompts_list(struct mcp_call *call)
{
    answer_list(call, LIST_PROMPTS);
}

void
method_discover(struct mcp_call *call)
{
    call_result(call, buf_str(&call->mcp->prepared[call->rev].about));
}

/* Never an error: a client that asks for what we do not have is told what we
 * have, and decides. */
void
method_initialize(struct mcp_call *call)
{
    const char *wanted = json_text(call->msg.params, "protocolVersion");
    int rev = wanted ? rev_of(wanted) : -1;

    call->rev = rev >= 0 && rev < REV_FIRST_STATELESS ? (enum mcp_rev)rev
                                                      : REV_NEWEST_LEGACY;
    call_result(call, buf_str(&call->mcp->prepared[call->rev].about));
}
