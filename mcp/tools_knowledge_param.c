/*
 * Parameters of manage: beside the action, or within `data`.
 */
#include "mcp/json.h"
#include "mcp/tools_knowledge_manage.h"

/* A parameter: flat, or in data, or there under its other name. */
static const cJSON *
param(const struct managing *m, const char *name, const char *other)
{
    const cJSON *value = json_member(m->run->args, name);

    if (!value || cJSON_IsNull(value))
        value = json_member(m->data, name);
    if ((!value || cJSON_IsNull(value)) && other)
        value = json_member(m->data, other);
    return value && !cJSON_IsNull(value) ? value : NULL;
}

enum err
managing_text(const struct managing *m, const char *name, const char *other,
              str *out)
{
    const cJSON *value = param(m, name, other);

    *out = STR("");
    if (value && !cJSON_IsString(value))
        return moment_fail(m->moment, ERR_INVALID, "%s must be a string", name);
    if (value)
        *out = str_of(value->valuestring);
    return OK;
}

enum err
managing_number(const struct managing *m, const char *name, const char *other,
                double *value)
{
    const cJSON *item = param(m, name, other);

    if (!item)
        return OK;
    if (!cJSON_IsNumber(item) || !(item->valuedouble >= 0) ||
        item->valuedouble > 1e6)
        return moment_fail(m->moment, ERR_INVALID,
                           "%s must be a number from 0 to 1000000", name);
    *value = item->valuedouble;
    return OK;
}

enum err
managing_list(const struct managing *m, const char *name, const char *other,
              const cJSON **out)
{
    const cJSON *item;

    *out = param(m, name, other);
    if (*out && !cJSON_IsArray(*out))
        return moment_fail(m->moment, ERR_INVALID,
                           "%s must be an array of strings", name);
    cJSON_ArrayForEach(item, *out) if (
        !cJSON_IsString(
            item)) return moment_fail(m->moment, ERR_INVALID,
                                      "%s must be an array of strings", name);
    return OK;
}
