/*
 * A run: check that no argument is misspelt, take a view, fill the envelope,
 * give the view back.  Members of the reply stand in one order for all tools:
 * the summary first, because a reader may be cut off; then the rows.
 */
#include "mcp/tools.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/match.h"
#include "graph/query_stop.h"
#include "mcp/json.h"
#include "mcp/schema.h"
#include "mcp/tools_args.h"
#include "mcp/tools_parts.h"
#include "mcp/tools_reply.h"

static uint32_t
wall_clock(void *ctx)
{
    (void)ctx;
    return (uint32_t)(clock_wall_ns() / NS_PER_S);
}

enum err
tools_new(struct tools **out, const struct tools_cfg *cfg, struct buf *why)
{
    struct tools *tools = NULL;
    uint32_t sets;
    enum err err = tool_sets_of(cfg->toolsets, &sets, why);

    json_count_failures();
    *out = NULL;
    if (err || (err = tools_check_names(cfg->only, why)) ||
        (err = tools_check_names(cfg->without, why)))
        return err;
    size_t len = tool_select(cfg, sets, NULL);
    tools = calloc(1, sizeof(*tools));
    if (!tools)
        return ERR_NOMEM;
    *tools = (struct tools){.cfg = *cfg, .clock = wall_clock, .len = len};
    tools->list = calloc(len + 1, sizeof(*tools->list));
    tools->bound = calloc(len + 1, sizeof(*tools->bound));
    if (!tools->list || !tools->bound) {
        tools_free(tools);
        return ERR_NOMEM;
    }
    if ((err = tools_bind(tools, sets))) {
        tools_free(tools);
        return err;
    }
    *out = tools;
    return OK;
}

void
tools_free(struct tools *tools)
{
    if (!tools)
        return;
    for (size_t i = 0; tools->bound && i < tools->len; i++)
        cJSON_free(tools->bound[i].shape);
    free(tools->list);
    free(tools->bound);
    free(tools);
}

void
tools_set_clock(struct tools *tools, tools_clock_fn *clock, void *ctx)
{
    tools->clock = clock;
    tools->clock_ctx = ctx;
}

void
tools_set_ignore(struct tools *tools, const char *const *ignore, size_t len)
{
    tools->ignore = ignore;
    tools->ignore_len = len;
}

void
tool_fail(struct tool_run *run, enum err err, const char *format, ...)
{
    va_list args;

    if (run->err)
        return;
    run->err = err;
    va_start(args, format);
    buf_vprintf(run->why, format, args);
    va_end(args);
}

const char *
tool_receives(const struct tool_run *run)
{
    const char *told = run->tools->cfg.receives;

    return told ? told : "the receivers of `spangraph serve`";
}

void
tool_hint(struct tool_run *run, const char *format, ...)
{
    struct buf text = {0};
    va_list args;

    va_start(args, format);
    buf_vprintf(&text, format, args);
    va_end(args);
    json_push(run->hints, cJSON_CreateString(buf_cstr(&text)));
    buf_fini(&text);
}

static void
hint_behind(struct tool_run *run)
{
    if (world_is_behind(run->tools->cfg.world, run->joined))
        tool_hint(run, "the code was indexed again and is being loaded: this "
                       "answers by the index before; ask again in seconds");
}

const struct joined *
tool_joined(struct tool_run *run)
{
    struct buf why = {0};

    if (run->joined || run->err)
        return run->joined;
    if (!run->tools->cfg.world) {
        tool_fail(run, ERR_NOT_FOUND,
                  "this server has no graph of code; run `spangraph index` on "
                  "the same data directory");
        return NULL;
    }
    enum err err =
        world_hold(run->tools->cfg.world, run->view, &run->joined, &why);
    if (err)
        tool_fail(run, err, "%s", buf_cstr(&why));
    else
        hint_behind(run);
    buf_fini(&why);
    return run->joined;
}

void
tool_look_at_code(struct tool_run *run)
{
    struct buf why = {0};

    if (run->err || run->joined || !run->tools->cfg.world)
        return;
    if (!world_hold(run->tools->cfg.world, run->view, &run->joined, &why)) {
        hint_behind(run);
    } else {
        run->joined = NULL;
        tool_hint(run, "the graph of code cannot be read: %s", buf_cstr(&why));
    }
    buf_fini(&why);
}

/* The properties that |tool| takes. */
static cJSON *
schema_properties(const struct tool *tool, cJSON **schema)
{
    *schema = cJSON_Parse(tool->input_schema);
    return cJSON_GetObjectItemCaseSensitive(*schema, "properties");
}

/* A copy of |args| with names as the schema spells them. */
static cJSON *
spell_names(const struct tool *tool, const cJSON *args)
{
    cJSON *out = cJSON_Duplicate(args, true);
    cJSON *schema = cJSON_Parse(tool->input_schema);

    schema_spell(schema, out);
    cJSON_Delete(schema);
    return out;
}

/* Long texts are told again, and looked through word by word. */
static void
check_length(struct tool_run *run, const cJSON *arg)
{
    if (cJSON_IsString(arg) && strlen(arg->valuestring) > TOOLS_TEXT_BYTES)
        tool_fail(run, ERR_INVALID,
                  "argument '%.60s' has %zu bytes; at most %d are read",
                  arg->string, strlen(arg->valuestring), TOOLS_TEXT_BYTES);
}

static void
check_names(struct tool_run *run)
{
    cJSON *schema;
    cJSON *properties = schema_properties(run->tool, &schema);

    for (const cJSON *arg = run->args->child; arg && !run->err;
         arg = arg->next) {
        check_length(run, arg);
        if (run->err ||
            cJSON_GetObjectItemCaseSensitive(properties, arg->string))
            continue;
        const char *near = schema_nearest(properties, arg->string);
        tool_fail(run, ERR_INVALID,
                  "%s takes no argument '%.60s'%s%s%s; try "
                  "%s%s",
                  run->tool->name, arg->string, near ? "; did you mean '" : "",
                  near ? near : "", near ? "'" : "", run->tool->name,
                  run->tool->example);
    }
    cJSON_Delete(schema);
}

static void
explain_failure(struct tool_run *run)
{
    if (run->err == ERR_CANCELLED && !run->tool->writes) {
        buf_reset(run->why); /* whatever was being read then */
        buf_printf(run->why,
                   "%s took longer than query.timeout allows; ask for less: "
                   "name a service, a shorter since, or level=service",
                   run->tool->name);
    }
    if (run->why->len)
        return;
    buf_printf(run->why, "%s could not read the graph (%s)%s", run->tool->name,
               err_str(run->err),
               run->err == ERR_CORRUPT
                   ? "; the store is damaged: see the service's log"
                   : "; try again in a moment");
}

/* What the output schema asks of every reply. */
static cJSON *
failure_reply(struct tool_run *run)
{
    if (!run->failure && run->tool->tell)
        run->tool->tell(run);

    cJSON *out = run->failure;
    if (!out)
        return NULL;
    run->failure = NULL;
    cJSON_AddStringToObject(out, "summary", buf_cstr(run->why));
    cJSON_AddFalseToObject(out, "success");
    cJSON_AddStringToObject(out, "message", buf_cstr(run->why));
    put_time(out, "data_as_of", run->view ? query_as_of_s(run->view) : 0);
    cJSON_AddArrayToObject(out, "hints");
    return out;
}

cJSON *
tool_told_refusal(struct tools *tools, const struct tool *tool,
                  const cJSON *args, const char *why)
{
    struct buf text = {0};
    struct tool_run run = {
        .tools = tools,
        .tool = tool,
        .args = args,
        .why = &text,
        .err = ERR_INVALID,
    };

    buf_add(&text, str_of(why));
    cJSON *out = failure_reply(&run);
    buf_fini(&text);
    return out;
}

static void
fill(struct tool_run *run)
{
    str format = tool_str(run, "response_format");

    run->is_detailed = !str_eq(format, STR("concise"));
    if (format.len && run->is_detailed && !str_eq(format, STR("detailed")))
        tool_fail(run, ERR_INVALID,
                  "response_format is \"concise\" or \"detailed\"");
    cJSON_AddStringToObject(run->reply, "summary", "");
    if (!run->err)
        run->tool->fn(run);
    put_time(run->reply, "data_as_of",
             run->view ? query_as_of_s(run->view) : 0);
    json_give(run->reply, "hints", run->hints);
    run->hints = NULL;
}

static bool
is_over(void *ctx)
{
    return mcp_is_over(ctx);
}

/* What only reads ends when nobody waits for it any more, also before it has
 * begun: it may have been waiting for its turn. */
static enum err
begin(struct tool_run *run)
{
    const struct tools *tools = run->tools;
    const struct query_stop stop = {is_over, run->call};
    bool may_stop = run->call && !run->tool->writes;

    if (may_stop && is_over(run->call))
        return ERR_CANCELLED;
    enum err err = query_begin(tools->cfg.query, tools->clock(tools->clock_ctx),
                               &run->view);
    if (!err && may_stop)
        query_stop_when(run->view, stop);
    return err;
}

enum err
tool_run_call(struct tools *tools, const struct tool *tool,
              struct mcp_call *call, const cJSON *args, cJSON **out,
              struct buf *why)
{
    cJSON *none =
        cJSON_IsObject(args) ? spell_names(tool, args) : cJSON_CreateObject();
    struct tool_run run = {
        .tools = tools,
        .tool = tool,
        .call = call,
        .args = none,
        .reply = cJSON_CreateObject(),
        .hints = cJSON_CreateArray(),
        .why = why,
    };

    uint64_t failures = json_failures();

    *out = NULL;
    if (!none || !run.reply || !run.hints) {
        run.err = ERR_NOMEM;
        goto out;
    }
    check_names(&run);
    if (run.err)
        goto out;
    run.err = begin(&run);
    if (run.err)
        goto out;
    fill(&run);
    if (!run.err && json_failures() != failures)
        run.err = ERR_NOMEM; /* who knows what is missing */
    if (!run.err) {
        *out = run.reply;
        run.reply = NULL;
    }
out:
    if (run.err) {
        explain_failure(&run);
        *out = failure_reply(&run);
    }
    cJSON_Delete(run.failure);
    world_drop(run.joined);
    query_end(run.view);
    cJSON_Delete(run.hints);
    cJSON_Delete(run.reply);
    cJSON_Delete(none);
    return run.err;
}

enum err
tools_call(struct tools *tools, const char *name, const cJSON *args,
           cJSON **out, struct buf *why)
{
    const struct tool *tool = tool_find(name);
    const char *best = tool_lists[0]->tools[0].name;
    unsigned least = UINT32_MAX;

    *out = NULL;
    if (tool) {
        enum err err = tool_run_call(tools, tool, NULL, args, out, why);

        if (err) {
            cJSON_Delete(*out);
            *out = NULL;
        }
        return err;
    }
    for (size_t k = 0; tool_lists[k]; k++)
        for (size_t i = 0; i < tool_lists[k]->len; i++) {
            const char *is = tool_lists[k]->tools[i].name;
            unsigned far = match_distance(str_of(is), str_of(name));

            best = far < least ? is : best;
            least = far < least ? far : least;
        }
    buf_printf(why, "no tool '%.60s'; closest: %s; all:", name, best);
    for (size_t k = 0; tool_lists[k]; k++)
        for (size_t i = 0; i < tool_lists[k]->len; i++)
            buf_printf(why, " %s", tool_lists[k]->tools[i].name);
    return ERR_NOT_FOUND;
}

static cJSON *
typed_value(const char *type, const char *text)
{
    char *end = NULL;
    double number;

    if (strcmp(type, "string") == 0)
        return cJSON_CreateString(text);
    if (strcmp(type, "boolean") == 0) {
        if (strcmp(text, "true") != 0 && strcmp(text, "false") != 0)
            return NULL;
        return cJSON_CreateBool(*text == 't');
    }
    if (strcmp(type, "array") == 0 || strcmp(type, "object") == 0) {
        cJSON *value = cJSON_Parse(text);

        if (!value && *type == 'a') /* one text is a list of one */
            cJSON_AddItemToArray(value = cJSON_CreateArray(),
                                 cJSON_CreateString(text));
        return value;
    }
    number = strtod(text, &end);
    return *text && end && *end == '\0' ? cJSON_CreateNumber(number) : NULL;
}

bool
tools_has(const char *name)
{
    return tool_find(name) != NULL;
}

enum err
tools_argument(const char *tool_name, const char *pair, cJSON *args,
               struct buf *why)
{
    const struct tool *tool = tool_find(tool_name);
    const char *equals = strchr(pair, '=');
    struct buf key = {0};
    cJSON *schema = NULL;
    cJSON *value = NULL;
    enum err err = ERR_INVALID;

    if (!tool)
        return ERR_NOT_FOUND;
    if (!equals || equals == pair) {
        buf_printf(why, "'%s' is no key=value", pair);
        return err;
    }
    buf_add(&key, (str){pair, (size_t)(equals - pair)});
    if (json_member(args, buf_cstr(&key))) {
        buf_printf(why, "%s is given twice", buf_cstr(&key));
        goto out;
    }
    const cJSON *property = cJSON_GetObjectItemCaseSensitive(
        schema_properties(tool, &schema), buf_cstr(&key));
    const cJSON *type = cJSON_GetObjectItemCaseSensitive(property, "type");

    value = typed_value(cJSON_IsString(type) ? type->valuestring : "string",
                        equals + 1);
    if (!value) {
        buf_printf(why, "%s must be of type %s", buf_cstr(&key),
                   type->valuestring);
        goto out;
    }
    json_give(args, buf_cstr(&key), value);
    err = OK;
out:
    cJSON_Delete(schema);
    buf_fini(&key);
    return err;
}
