/*
 * What resources there are, and what is said of those there are not.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "mcp/tools.h"
#include "mcp/tools_extra.h"
#include "tests/support/ask_tools.h"
#include "tests/support/tool_shop.h"

static char missing[512];

/* The protocol's half of a resource that is not there, and of one that cannot
 * be read. */
void
mcp_missing(struct mcp_call *call, str why)
{
    (void)call;
    memcpy(missing, why.len ? why.ptr : "",
           why.len < sizeof(missing) ? why.len : sizeof(missing) - 1);
    missing[why.len < sizeof(missing) ? why.len : sizeof(missing) - 1] = '\0';
}

void
mcp_fail(struct mcp_call *call, const char *format, ...)
{
    (void)call;
    fail_msg("%s", format);
}

static void
every_resource_is_there_and_no_other(void **state)
{
    static const char *const uris[] = {
        "graph://schema", "graph://services", "graph://health",
        "graph://service/che%63kout", "graph://schema/who_calls"};
    static const char *const none[] = {"graph://service/nobody",
                                       "graph://service/", "graph://other",
                                       "graph://schema/none"};
    cJSON *json = NULL;

    (void)state;
    for (size_t i = 0; i < sizeof(uris) / sizeof(uris[0]); i++) {
        assert_int_equal(
            tools_resource(tool_shop.tools, uris[i], &json, &tool_shop.why),
            OK);
        assert_non_null(json);
        cJSON_Delete(json);
    }
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
        assert_int_equal(
            tools_resource(tool_shop.tools, none[i], &json, &tool_shop.why),
            ERR_NOT_FOUND);
        assert_null(json);
    }
    cJSON *contents =
        tools_resources[1].read(tool_shop.tools, NULL, "graph://services");
    assert_int_equal(cJSON_GetArraySize(contents), 1);
    assert_non_null(strstr(ask_text(cJSON_GetArrayItem(contents, 0), "text"),
                           "\"checkout\""));
    cJSON_Delete(contents);
}

static void
a_service_that_is_not_there_is_told_what_is(void **state)
{
    (void)state;
    for (size_t i = 0; i < TOOLS_RESOURCE_LEN; i++) {
        if (strcmp(tools_resources[i].name, "service") != 0)
            continue;
        assert_null(tools_resources[i].read(tool_shop.tools, NULL,
                                            "graph://service/chekout"));
        assert_non_null(
            strstr(missing, "'chekout' unknown; closest: checkout"));
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TOOL_SHOP(every_resource_is_there_and_no_other),
        TOOL_SHOP(a_service_that_is_not_there_is_told_what_is),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
