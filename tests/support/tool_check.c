#include "tests/support/tool_check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mcp/tools_parts.h"
#include "tests/support/fits_schema.h"

__attribute__((weak)) void
mcp_fail(struct mcp_call *call, const char *format, ...)
{
    (void)call;
    (void)format;
}

__attribute__((weak)) void
mcp_progress(struct mcp_call *call, double done, double total,
             const char *message)
{
    (void)call;
    (void)done;
    (void)total;
    (void)message;
}

__attribute__((weak)) bool
mcp_is_cancelled(const struct mcp_call *call)
{
    (void)call;
    return false;
}

cJSON *
tool_reply(struct tools *tools, const char *name, const char *args)
{
    cJSON *schema = cJSON_Parse(tool_find(name)->output_schema);
    cJSON *given = cJSON_Parse(args);
    struct buf why = {0};
    cJSON *out = NULL;

    assert_non_null(schema);
    assert_non_null(given);
    if (tools_call(tools, name, given, &out, &why))
        fail_msg("%s%s: %s", name, args, buf_cstr(&why));
    assert_fits_schema(out, schema, name);
    char *text = cJSON_PrintUnformatted(out);
    assert_true(strlen(text) <= TOOLS_REPLY_BYTES);
    cJSON_free(text);
    cJSON_Delete(given);
    cJSON_Delete(schema);
    buf_fini(&why);
    return out;
}

void
tool_refusal(struct tools *tools, const char *name, const char *args,
             const char *says)
{
    cJSON *given = cJSON_Parse(args);
    struct buf why = {0};
    cJSON *out = NULL;

    assert_non_null(given);
    assert_true(tools_call(tools, name, given, &out, &why) != OK);
    assert_null(out);
    if (!strstr(buf_cstr(&why), says))
        fail_msg("%s%s: '%s' does not say '%s'", name, args, buf_cstr(&why),
                 says);
    cJSON_Delete(given);
    buf_fini(&why);
}

const cJSON *
at(const cJSON *json, const char *path)
{
    const char *rest = path;
    char name[128];

    while (*rest && json) {
        size_t len = strcspn(rest, "|");

        snprintf(name, sizeof(name), "%.*s", (int)len, rest);
        rest += len + (rest[len] == '|');
        json = cJSON_IsArray(json)
                   ? cJSON_GetArrayItem(json, (int)strtol(name, NULL, 10))
                   : cJSON_GetObjectItemCaseSensitive(json, name);
    }
    if (!json)
        fail_msg("there is no %s", path);
    return json;
}

const char *
text_at(const cJSON *json, const char *path)
{
    assert_true(cJSON_IsString(at(json, path)));
    return at(json, path)->valuestring;
}

double
number_at(const cJSON *json, const char *path)
{
    assert_true(cJSON_IsNumber(at(json, path)));
    return at(json, path)->valuedouble;
}

int
len_at(const cJSON *json, const char *path)
{
    return cJSON_GetArraySize(at(json, path));
}

bool
hints_have(const cJSON *reply, const char *words)
{
    const cJSON *hint;

    cJSON_ArrayForEach(hint, at(reply, "hints"))
    {
        if (strstr(hint->valuestring, words))
            return true;
    }
    return false;
}
