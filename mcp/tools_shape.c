/*
 * The short schema is made of the whole one, so there is one place where the
 * members of an answer are written down, and the tests hold answers to that.
 */
#include "mcp/tools_shape.h"

#include <stdbool.h>
#include <string.h>

/* The members that mcp/tools_reply.h gives every answer, and every list. */
static bool
is_common(const char *name)
{
    static const char *const common[] = {
        "summary",  "data_as_of", "hints",      "total",
        "returned", "truncated",  "next_cursor"};

    for (size_t i = 0; i < sizeof(common) / sizeof(common[0]); i++)
        if (strcmp(name, common[i]) == 0)
            return true;
    return false;
}

char *
tool_shape(const struct tool *tool)
{
    cJSON *schema = cJSON_Parse(tool->output_schema);
    cJSON *required = cJSON_GetObjectItemCaseSensitive(schema, "required");
    cJSON *next;
    char *text = NULL;

    if (!schema)
        return NULL;
    cJSON_DeleteItemFromObjectCaseSensitive(schema, "properties");
    for (cJSON *name = required ? required->child : NULL; name; name = next) {
        next = name->next;
        if (is_common(name->valuestring))
            cJSON_Delete(cJSON_DetachItemViaPointer(required, name));
    }
    text = cJSON_PrintUnformatted(schema);
    cJSON_Delete(schema);
    return text;
}

cJSON *
tool_whole_shape(const char *name)
{
    const struct tool *tool = tool_find(name);

    return tool ? cJSON_Parse(tool->output_schema) : NULL;
}
