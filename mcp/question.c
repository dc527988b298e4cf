/*
 * Each value is its type and its bytes with their length, so that no text can
 * look like another value.  Strings are not cleaned: names that differ in what
 * a reader cannot see are different names.
 */
#include "mcp/question.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Arguments are few; an object with more members keeps their order. */
enum { SORTED_MAX = 32, MEMBER = 'm' /* no type of cJSON */ };

static void
add_bytes(struct buf *out, str bytes)
{
    uint32_t len = (uint32_t)bytes.len;

    buf_add(out, (str){(const char *)&len, sizeof(len)});
    buf_add(out, bytes);
}

/* By name, then by place: of two equal names the first counts. */
static size_t
sort_members(const cJSON *object, const cJSON **sorted)
{
    size_t len = 0;

    for (const cJSON *item = object->child; item; item = item->next) {
        size_t at = len;

        if (len++ == SORTED_MAX)
            return 0;
        for (; at > 0 && strcmp(sorted[at - 1]->string, item->string) > 0; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = item;
    }
    return len;
}

/* NOLINTNEXTLINE(misc-no-recursion): as deep as json_scan lets through */
static void
add_value(struct buf *out, const cJSON *value)
{
    const cJSON *sorted[SORTED_MAX];
    char type = (char)(value->type & 0xff);
    size_t len = cJSON_IsObject(value) ? sort_members(value, sorted) : 0;

    buf_add_char(out, type);
    if (cJSON_IsString(value)) {
        add_bytes(out, str_of(value->valuestring));
    } else if (cJSON_IsNumber(value)) {
        buf_add(out, (str){(const char *)&value->valuedouble,
                           sizeof(value->valuedouble)});
    }
    const cJSON *item = value->child;
    for (size_t i = 0; (len ? i < len : item != NULL) && !out->failed; i++) {
        const cJSON *next = len ? sorted[i] : item;

        if (next->string) {
            buf_add_char(out, MEMBER);
            add_bytes(out, str_of(next->string));
        }
        add_value(out, next);
        item = item ? item->next : NULL;
    }
    buf_add_char(out, '\0');
}

void
question_add(struct buf *out, const char *tool, enum mcp_rev rev,
             const cJSON *args)
{
    out->cap_max = QUESTION_BYTES_MAX;
    buf_add_char(out, (char)('0' + (int)rev));
    add_bytes(out, str_of(tool));
    add_value(out, args);
}
