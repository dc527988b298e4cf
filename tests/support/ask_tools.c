#include "tests/support/ask_tools.h"

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
mcp_missing(struct mcp_call *call, str why)
{
    (void)call;
    (void)why;
}

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

__attribute__((weak)) bool
mcp_is_over(const struct mcp_call *call)
{
    (void)call;
    return false;
}

static enum err
try(struct tools *tools, const char *name, const char *text, cJSON **out,
    struct buf *why)
{
    cJSON *args = cJSON_Parse(text);

    assert_non_null(args);
    enum err err = tools_call(tools, name, args, out, why);
    cJSON_Delete(args);
    return err;
}

cJSON *
ask(struct tools *tools, const char *name, const char *args)
{
    struct buf why = {0};
    cJSON *out = NULL;

    assert_non_null(tool_find(name));
    cJSON *schema = cJSON_Parse(tool_find(name)->output_schema);
    assert_non_null(schema);
    if (try(tools, name, args, &out, &why))
        fail_msg("%s%s: %s", name, args, buf_cstr(&why));
    assert_fits_schema(out, schema, name);
    assert_named_once(out, name);
    if (!strstr(args, "token_budget")) {
        char *printed = cJSON_PrintUnformatted(out);

        assert_true(strlen(printed) <= TOOLS_REPLY_BYTES);
        cJSON_free(printed);
    }
    cJSON_Delete(schema);
    buf_fini(&why);
    return out;
}

void
ask_refused(struct tools *tools, const char *name, const char *args,
            const char *says)
{
    struct buf why = {0};
    cJSON *out = NULL;

    if (!try(tools, name, args, &out, &why))
        fail_msg("%s%s succeeds: %s", name, args, cJSON_PrintUnformatted(out));
    assert_null(out);
    if (!strstr(buf_cstr(&why), says))
        fail_msg("'%s' does not say '%s'", buf_cstr(&why), says);
    buf_fini(&why);
}

double
ask_number(const cJSON *object, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);

    assert_true(cJSON_IsNumber(item));
    return item->valuedouble;
}

const char *
ask_text(const cJSON *object, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);

    assert_true(cJSON_IsString(item));
    return item->valuestring;
}

const cJSON *
ask_row(const cJSON *out, const char *list, int i)
{
    const cJSON *item = cJSON_GetArrayItem(cJSON_GetObjectItem(out, list), i);

    assert_non_null(item);
    return item;
}

int
ask_len(const cJSON *out, const char *list)
{
    return cJSON_GetArraySize(cJSON_GetObjectItem(out, list));
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
ask_hints(const cJSON *out, const char *words)
{
    const cJSON *hint;

    cJSON_ArrayForEach(hint, cJSON_GetObjectItem(out, "hints"))
    {
        if (strstr(hint->valuestring, words))
            return true;
    }
    return false;
}
