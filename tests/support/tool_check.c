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

/* ---- the part of JSON Schema that our schemas use ---- */

static bool
is_type(const cJSON *value, const char *type)
{
    return (strcmp(type, "object") == 0 && cJSON_IsObject(value)) ||
           (strcmp(type, "array") == 0 && cJSON_IsArray(value)) ||
           (strcmp(type, "string") == 0 && cJSON_IsString(value)) ||
           (strcmp(type, "boolean") == 0 && cJSON_IsBool(value)) ||
           (strcmp(type, "null") == 0 && cJSON_IsNull(value)) ||
           (strcmp(type, "number") == 0 && cJSON_IsNumber(value)) ||
           (strcmp(type, "integer") == 0 && cJSON_IsNumber(value) &&
            value->valuedouble == (double)(long long)value->valuedouble);
}

static bool
fits_type(const cJSON *value, const cJSON *type)
{
    const cJSON *one;

    if (!type)
        return true;
    if (cJSON_IsString(type))
        return is_type(value, type->valuestring);
    cJSON_ArrayForEach(one, type)
    {
        if (is_type(value, one->valuestring))
            return true;
    }
    return false;
}

static void
check_value(const cJSON *value, const cJSON *schema, const char *where)
{
    const cJSON *item;
    const cJSON *items = cJSON_GetObjectItem(schema, "items");

    if (!fits_type(value, cJSON_GetObjectItem(schema, "type")))
        fail_msg("%s has the wrong type: %s", where,
                 cJSON_PrintUnformatted(value));
    cJSON_ArrayForEach(item, cJSON_GetObjectItem(schema, "required"))
    {
        if (!cJSON_GetObjectItemCaseSensitive(value, item->valuestring))
            fail_msg("%s lacks %s", where, item->valuestring);
    }
    cJSON_ArrayForEach(item, cJSON_GetObjectItem(schema, "properties"))
    {
        const cJSON *member =
            cJSON_GetObjectItemCaseSensitive(value, item->string);

        if (member)
            check_value(member, item, item->string);
    }
    if (items) {
        cJSON_ArrayForEach(item, value) check_value(item, items, where);
    }
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
    check_value(out, schema, name);
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
