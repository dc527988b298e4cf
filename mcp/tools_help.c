/*
 * What `spangraph call --help` says: the tools, or one of them with its
 * arguments, from the schema that clients are given.
 */
#include <string.h>

#include <cjson/cJSON.h>

#include "mcp/tools.h"
#include "mcp/tools_parts.h"

static void
list_tools(struct buf *out)
{
    buf_add(out, STR("\ntools (`spangraph call TOOL --help` has the arguments):"
                     "\n"));
    for (size_t k = 0; tool_lists[k]; k++)
        for (size_t i = 0; i < tool_lists[k]->len; i++)
            buf_printf(out, "  %-20s %s\n", tool_lists[k]->tools[i].name,
                       tool_lists[k]->tools[i].title);
}

static bool
is_required(const cJSON *schema, const char *name)
{
    const cJSON *item;

    cJSON_ArrayForEach(item,
                       cJSON_GetObjectItemCaseSensitive(schema, "required"))
    {
        if (cJSON_IsString(item) && strcmp(item->valuestring, name) == 0)
            return true;
    }
    return false;
}

/* What a value may be: its words, or its type and bounds. */
static void
add_values(const cJSON *is, struct buf *out)
{
    const cJSON *type = cJSON_GetObjectItemCaseSensitive(is, "type");
    const cJSON *words = cJSON_GetObjectItemCaseSensitive(is, "enum");
    const cJSON *text = cJSON_GetObjectItemCaseSensitive(is, "description");
    const cJSON *otherwise = cJSON_GetObjectItemCaseSensitive(is, "default");
    const cJSON *most = cJSON_GetObjectItemCaseSensitive(is, "maximum");
    const char *between = "";
    const cJSON *word;

    cJSON_ArrayForEach(word, words)
    {
        buf_printf(out, "%s%s", between, cJSON_GetStringValue(word));
        between = ", ";
    }
    if (!words && cJSON_IsString(type))
        buf_add(out, str_of(type->valuestring));
    if (cJSON_IsString(text))
        buf_printf(out, ": %s", text->valuestring);
    if (cJSON_IsNumber(most))
        buf_printf(out, ", at most %.0f", most->valuedouble);
    if (cJSON_IsNumber(otherwise))
        buf_printf(out, " (default %.0f)", otherwise->valuedouble);
}

static void
describe(const struct tool *tool, struct buf *out)
{
    cJSON *schema = cJSON_Parse(tool->input_schema);
    const cJSON *is;

    buf_printf(out, "\n%s: %s\n\narguments:\n", tool->name, tool->description);
    cJSON_ArrayForEach(is,
                       cJSON_GetObjectItemCaseSensitive(schema, "properties"))
    {
        buf_printf(out, "  %-20s ", is->string);
        add_values(is, out);
        buf_add(out, is_required(schema, is->string) ? STR("; required\n")
                                                     : STR("\n"));
    }
    cJSON_Delete(schema);
}

void
tools_help(const char *tool, struct buf *out)
{
    const struct tool *one = tool_find(tool);

    if (one)
        describe(one, out);
    else
        list_tools(out);
}
