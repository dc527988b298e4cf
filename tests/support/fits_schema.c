#include "tests/support/fits_schema.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

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

void
assert_fits_schema(const cJSON *value, const cJSON *schema, const char *where)
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
            assert_fits_schema(member, item, item->string);
    }
    if (items) {
        cJSON_ArrayForEach(item, value) assert_fits_schema(item, items, where);
    }
}

void
assert_named_once(const cJSON *value, const char *where)
{
    const cJSON *item;

    cJSON_ArrayForEach(item, value)
    {
        for (const cJSON *next = item->next; cJSON_IsObject(value) && next;
             next = next->next)
            if (strcmp(next->string, item->string) == 0)
                fail_msg("%s has two members %s", where, item->string);
        assert_named_once(item, cJSON_IsObject(value) ? item->string : where);
    }
}
