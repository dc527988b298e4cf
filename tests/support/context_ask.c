#include "tests/support/context_ask.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/support/ask_tools.h"
#include "tests/support/context_shop.h"

cJSON *
context_ask_files(const char *files, const char *format, int budget)
{
    char args[200];

    snprintf(args, sizeof(args),
             "{\"files\":\"%s\",\"format\":\"%s\",\"token_budget\":%d}", files,
             format, budget);
    return ask(context_shop.tools, "context_for_files", args);
}

cJSON *
context_ask_content(cJSON *out)
{
    cJSON *json = cJSON_Parse(ask_text(out, "content"));

    assert_non_null(json);
    assert_int_equal(ask_len(json, "symbols"),
                     (int)ask_number(out, "symbols_included"));
    assert_int_equal(ask_len(json, "edges"),
                     (int)ask_number(out, "edges_included"));
    cJSON_Delete(out);
    return json;
}
