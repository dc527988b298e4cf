#include "mcp/tools_knowledge.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "mcp/json.h"
#include "mcp/tools_args.h"

bool
know_begin(struct know_run *know, struct tool_run *run, bool writes)
{
    struct knowledge *knowledge = run->tools->cfg.knowledge;
    enum err err;

    *know = (struct know_run){.run = run};
    if (run->err)
        return false;
    if (!knowledge) {
        tool_fail(run, ERR_NOT_FOUND, "this server keeps no knowledge");
        return false;
    }
    tool_look_at_code(run);
    know->moment = (struct moment){
        .view = run->view,
        .joined = run->joined,
        .now_s = run->tools->clock(run->tools->clock_ctx),
        .why = &know->why,
    };
    err = writes ? knowledge_write(knowledge, &know->moment)
                 : knowledge_read(knowledge, &know->moment);
    know->is_begun = !err;
    if (err == ERR_BUSY)
        tool_fail(run, err,
                  "another process writes the knowledge: %s; add and manage "
                  "through it, reading works here",
                  buf_cstr(&know->why));
    else if (err)
        tool_fail(run, err, "the knowledge cannot be %s: %s",
                  writes ? "written" : "read",
                  know->why.len ? buf_cstr(&know->why) : err_str(err));
    return know->is_begun;
}

void
know_end(struct know_run *know, enum err err)
{
    struct tool_run *run = know->run;

    if (!err)
        err = run->err;
    if (know->is_begun)
        err = knowledge_end(run->tools->cfg.knowledge, &know->moment, err);
    if (err && know->why.len)
        tool_fail(run, err, "%s", buf_cstr(&know->why));
    else if (err)
        tool_fail(run, err, "the knowledge cannot be used now (%s); try again",
                  err_str(err));
    buf_fini(&know->why);
}

const cJSON *
know_array(struct tool_run *run, const char *name)
{
    const cJSON *array = json_member(run->args, name);
    const cJSON *item;

    if (!array || cJSON_IsNull(array) || run->err)
        return NULL;
    if (!cJSON_IsArray(array)) {
        tool_fail(run, ERR_INVALID, "%s must be an array of strings", name);
        return NULL;
    }
    cJSON_ArrayForEach(item, array) if (!cJSON_IsString(item))
    {
        tool_fail(run, ERR_INVALID, "%s must be an array of strings", name);
        return NULL;
    }
    return array;
}

bool
know_bool(struct tool_run *run, const char *name, bool otherwise)
{
    const cJSON *value = json_member(run->args, name);

    if (!value || cJSON_IsNull(value))
        return otherwise;
    if (!cJSON_IsBool(value))
        tool_fail(run, ERR_INVALID, "%s must be true or false", name);
    return cJSON_IsTrue(value);
}

uint32_t
know_time(struct tool_run *run, const char *name)
{
    str text = tool_str(run, name);
    struct tm tm = {0};
    const char *end;

    if (text.len == 0 || run->err)
        return 0;
    end = strptime(text.ptr, "%Y-%m-%d", &tm);
    if (end && *end == 'T')
        end = strptime(end, "T%H:%M:%S", &tm);
    if (end && *end == '.')
        end += 1 + strspn(end + 1, "0123456789");
    if (end &&
        (*end == '\0' || strcmp(end, "Z") == 0 || strcmp(end, "+00:00") == 0)) {
        time_t at = timegm(&tm);

        if (at > 0 && at < UINT32_MAX)
            return (uint32_t)at;
    }
    tool_fail(run, ERR_INVALID,
              "%s \"%.40s\" is no ISO date; use 2026-01-31 or "
              "2026-01-31T12:00:00Z",
              name, text.ptr);
    return 0;
}

void
know_put_timestamp(struct tool_run *run, cJSON *object)
{
    time_t now = run->tools->clock(run->tools->clock_ctx);
    struct tm tm;
    char text[32];

    gmtime_r(&now, &tm);
    strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm);
    cJSON_AddStringToObject(object, "timestamp", text);
}

cJSON *
know_failure(struct tool_run *run)
{
    cJSON_Delete(run->failure);
    run->failure = cJSON_CreateObject();
    know_put_timestamp(run, run->failure);
    return run->failure;
}
