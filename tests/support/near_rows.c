/*
 * Ids of tasks are put into the arguments and into what is wanted.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mcp/tools.h"
#include "mcp/tools_parts.h"
#include "tests/support/near_rows.h"
#include "tests/support/near_shop.h"

static const cJSON *
point(const cJSON *at, const char *pointer)
{
    char part[64];

    while (at && *pointer == '/') {
        size_t len = strcspn(++pointer, "/");

        snprintf(part, sizeof(part), "%.*s", (int)len, pointer);
        at = cJSON_IsArray(at) ? cJSON_GetArrayItem(at, atoi(part))
                               : cJSON_GetObjectItemCaseSensitive(at, part);
        pointer += len;
    }
    return at;
}

static void
put_ids(const char *text, struct buf *out)
{
    for (; *text; text++)
        if (*text == '$' && text[1] >= '0' && text[1] <= '2')
            buf_add(out, str_of(near_shop.task[*++text - '0']));
        else
            buf_add_char(out, *text);
}

static void
judge(const struct near_row *row, const cJSON *reply, const char *whole)
{
    const cJSON *at = point(reply, row->pointer);
    char *text = at ? cJSON_PrintUnformatted(at) : NULL;
    struct buf want = {0};
    bool is_good;

    put_ids(row->want, &want);
    if (*row->want == '#')
        is_good = cJSON_GetArraySize(at) == atoi(row->want + 1);
    else if (*row->want == '-')
        is_good = at == NULL;
    else if (*row->want == '?')
        is_good = at != NULL;
    else
        is_good = text && strcmp(text, buf_cstr(&want)) == 0;
    if (!is_good)
        fail_msg("%s: %s%s %s is %s, not %s; all: %s", row->id, row->tool,
                 row->args, row->pointer, text ? text : "(none)",
                 buf_cstr(&want), whole);
    cJSON_free(text);
    buf_fini(&want);
}

void
near_row_run(const struct near_row *row)
{
    struct buf args_text = {0};
    cJSON *reply = NULL;

    put_ids(row->args, &args_text);
    cJSON *args = cJSON_Parse(buf_cstr(&args_text));
    if (!args)
        fail_msg("%s: %s", row->id, buf_cstr(&args_text));
    buf_reset(&near_shop.why);
    enum err err =
        tools_call(near_shop.tools, row->tool, args, &reply, &near_shop.why);
    if (*row->want == '~') {
        if (!err || !strstr(buf_cstr(&near_shop.why), row->want + 1))
            fail_msg("%s: %s%s: error \"%s\"", row->id, row->tool, row->args,
                     buf_cstr(&near_shop.why));
    } else if (err) {
        fail_msg("%s: %s%s: %s", row->id, row->tool, row->args,
                 buf_cstr(&near_shop.why));
    } else {
        char *whole = cJSON_PrintUnformatted(reply);

        assert_true(strlen(whole) <= TOOLS_REPLY_BYTES);
        judge(row, reply, whole);
        cJSON_free(whole);
    }
    cJSON_Delete(reply);
    cJSON_Delete(args);
    buf_fini(&args_text);
}
