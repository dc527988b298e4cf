#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mcp/json.h"
#include "mcp/schema.h"
#include "mcp/synonyms.h"

static const char schema_text[] =
    "{\"type\":\"object\",\"properties\":{"
    "\"service\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":3,"
    "\"description\":\"exact name\"},"
    "\"limit\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":500,"
    "\"default\":20},"
    "\"format\":{\"enum\":[\"concise\",\"detailed\"],\"default\":\"concise\"},"
    "\"since\":{\"type\":[\"string\",\"null\"]},"
    "\"ratio\":{\"type\":\"number\"},\"deep\":{\"type\":\"boolean\"},"
    "\"kinds\":{\"type\":\"array\",\"maxItems\":2,\"items\":{\"type\":"
    "\"string\"}},\"where\":{\"type\":\"object\"},\"v\":{\"const\":1}},"
    "\"required\":[\"service\"],\"additionalProperties\":false}";

static cJSON *schema;

static int
setup(void **state)
{
    (void)state;
    schema = cJSON_Parse(schema_text);
    return schema ? 0 : -1;
}

static int
teardown(void **state)
{
    (void)state;
    cJSON_Delete(schema);
    return 0;
}

/* The complaint about |text|, "" if there is none. */
static const char *
complaint(const char *text)
{
    static char said[4096];
    cJSON *args = cJSON_Parse(text);
    struct buf why = {0};

    assert_non_null(args);
    bool ok = schema_check(schema, args, &why);
    assert_int_equal(ok, why.len == 0);
    (void)snprintf(said, sizeof(said), "%s", buf_cstr(&why));
    buf_fini(&why);
    cJSON_Delete(args);
    return said;
}

#define FITS(text) assert_string_equal(complaint(text), "")
#define SAYS(text, words)                   \
    do {                                    \
        const char *said = complaint(text); \
        if (!strstr(said, words))           \
            fail_msg("%s: %s", text, said); \
    } while (0)

static void
types_are_held(void **state)
{
    (void)state;
    FITS("{\"service\":\"a\",\"limit\":5,\"since\":null,\"ratio\":0.5,"
         "\"deep\":true,\"kinds\":[\"x\"],\"where\":{},\"v\":1}");
    FITS("{\"service\":\"a\",\"limit\":5.0,\"since\":\"1h\",\"ratio\":2}");
    SAYS("{\"service\":1}", "argument \"service\" takes string");
    SAYS("{\"service\":\"a\",\"limit\":\"5\"}",
         "\"limit\" takes integer at least 1 at most 500, default 20; it was "
         "\"5\"");
    SAYS("{\"service\":\"a\",\"limit\":1.5}", "it was 1.5");
    SAYS("{\"service\":\"a\",\"limit\":null}", "it was null");
    SAYS("{\"service\":\"a\",\"since\":5}", "takes string or null");
    SAYS("{\"service\":\"a\",\"deep\":\"yes\"}", "takes boolean");
    SAYS("{\"service\":\"a\",\"ratio\":\"1\"}", "takes number");
    SAYS("{\"service\":\"a\",\"where\":[]}", "takes object");
    SAYS("{\"service\":\"a\",\"kinds\":\"x\"}", "takes array");
    SAYS("{\"service\":\"a\",\"kinds\":[\"x\",1]}",
         "takes items that are string; one was 1");
    SAYS("{\"service\":\"a\",\"v\":2}", "takes 1; it was 2");
}

static void
bounds_hold_at_and_one_past(void **state)
{
    (void)state;
    FITS("{\"service\":\"abc\",\"limit\":1}");
    FITS("{\"service\":\"\xc3\xa9\xc3\xa9\xc3\xa9\",\"limit\":500}");
    SAYS("{\"service\":\"\"}", "at least 1 characters");
    SAYS("{\"service\":\"abcd\"}", "at most 3 characters");
    SAYS("{\"service\":\"a\",\"limit\":0}", "at least 1");
    SAYS("{\"service\":\"a\",\"limit\":501}", "at most 500");
    SAYS("{\"service\":\"a\",\"limit\":1e999}", "at most 500");
    FITS("{\"service\":\"a\",\"kinds\":[\"x\",\"y\"]}");
    SAYS("{\"service\":\"a\",\"kinds\":[\"x\",\"y\",\"z\"]}",
         "at most 2 items");
}

static void
choices_are_named(void **state)
{
    (void)state;
    FITS("{\"service\":\"a\",\"format\":\"detailed\"}");
    SAYS("{\"service\":\"a\",\"format\":\"long\"}",
         "takes one of \"concise\", \"detailed\", default \"concise\"; it was "
         "\"long\"");
}

static void
an_unknown_argument_names_the_nearest(void **state)
{
    (void)state;
    SAYS("{\"service\":\"a\",\"limt\":1}", "did you mean \"limit\"?");
    SAYS("{\"srevice\":\"a\"}", "did you mean \"service\"?");
    SAYS("{\"service\":\"a\",\"service_name\":\"a\"}",
         "did you mean \"service\"?");
    SAYS("{\"service\":\"a\",\"colour\":1}",
         "is unknown; it takes service, limit, format");
    SAYS("{\"service\":\"a\",\"Limit\":1}", "\"Limit\" is unknown");
}

static void
a_missing_argument_is_explained(void **state)
{
    (void)state;
    SAYS("{}", "argument \"service\" is missing; it takes string of at least 1 "
               "characters of at most 3 characters (exact name)");
}

static void
an_argument_given_twice_is_refused(void **state)
{
    (void)state;
    SAYS("{\"service\":\"a\",\"service\":\"b\"}", "is given twice");
}

static void
several_faults_are_told_at_once_but_not_all(void **state)
{
    char text[2048] = "{\"limit\":0";
    size_t said = 1;

    (void)state;
    for (int i = 0; i < 20; i++)
        (void)snprintf(text + strlen(text), sizeof(text) - strlen(text),
                       ",\"unknown%d\":1", i);
    (void)strcat(text, "}");
    const char *complaints = complaint(text);
    for (const char *at = complaints; (at = strstr(at, "; argument")); at++)
        said++;
    assert_int_equal(said, 5);
}

static void
a_long_or_hostile_value_is_cut_and_cleaned(void **state)
{
    char text[4096];
    char value[2000];

    (void)state;
    memset(value, 'x', sizeof(value) - 1);
    value[sizeof(value) - 1] = '\0';
    (void)snprintf(text, sizeof(text), "{\"service\":\"%s\"}", value);
    assert_true(strlen(complaint(text)) < 300);
    SAYS("{\"service\":\"\xe2\x80\xae!!!\"}", "\xef\xbf\xbd!!!");
}

static void
defaults_are_added_only_when_all_fits(void **state)
{
    cJSON *args = cJSON_Parse("{\"service\":\"a\"}");
    struct buf why = {0};

    (void)state;
    assert_true(schema_check(schema, args, &why));
    assert_int_equal(json_member(args, "limit")->valueint, 20);
    assert_string_equal(json_text(args, "format"), "concise");
    assert_null(json_member(args, "since"));
    cJSON_Delete(args);

    args = cJSON_Parse("{}");
    assert_false(schema_check(schema, args, &why));
    assert_null(json_member(args, "limit"));
    cJSON_Delete(args);
    buf_fini(&why);
    assert_int_equal(
        json_member(json_member(json_member(schema, "properties"), "limit"),
                    "default")
            ->valueint,
        20);
}

static void
a_schema_without_properties_takes_nothing(void **state)
{
    cJSON *empty = cJSON_Parse("{\"type\":\"object\","
                               "\"additionalProperties\":false}");
    cJSON *args = cJSON_Parse("{\"a\":1}");
    struct buf why = {0};

    (void)state;
    assert_false(schema_check(empty, args, &why));
    assert_non_null(strstr(buf_cstr(&why), "takes no arguments"));
    buf_fini(&why);
    cJSON_Delete(args);
    cJSON_Delete(empty);
}

static void
names_are_taken_in_other_spellings(void **state)
{
    cJSON *takes = cJSON_Parse("{\"type\":\"object\",\"properties\":{"
                               "\"maxNodes\":{\"type\":\"integer\"},"
                               "\"service_name\":{\"type\":\"string\"}},"
                               "\"additionalProperties\":false}");
    static const char *const cases[][2] = {
        {"{\"max_nodes\":1}", "{\"maxNodes\":1}"},
        {"{\"MaxNodes\":1,\"serviceName\":\"x\"}",
         "{\"maxNodes\":1,\"service_name\":\"x\"}"},
        {"{\"maxNodes\":1,\"max_nodes\":2}",
         "{\"maxNodes\":1,\"max_nodes\":2}"},
        {"{\"maxNode\":1}", "{\"maxNode\":1}"},
        {"{\"service\":\"x\"}", "{\"service_name\":\"x\"}"},
        {"{\"service\":\"x\",\"service_name\":\"y\"}",
         "{\"service\":\"x\",\"service_name\":\"y\"}"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        cJSON *args = cJSON_Parse(cases[i][0]);
        cJSON *want = cJSON_Parse(cases[i][1]);

        schema_spell(takes, args);
        assert_true(cJSON_Compare(args, want, true));
        cJSON_Delete(args);
        cJSON_Delete(want);
    }
    cJSON_Delete(takes);
}

/* Of two that it may mean it is neither. */
static void
a_name_of_another_tool_is_taken_where_it_can_mean_one(void **state)
{
    static const char *const cases[][3] = {
        {"{\"target_hash\":{}}", "symbol", "target_hash"},
        {"{\"target_hash\":{}}", "target", "target_hash"},
        {"{\"source_symbol\":{},\"target_symbol\":{}}", "from",
         "source_symbol"},
        {"{\"source_symbol\":{},\"target_symbol\":{}}", "target",
         "target_symbol"},
        {"{\"source_symbol\":{},\"target_symbol\":{}}", "symbol", NULL},
        {"{\"source_hash\":{},\"target_hash\":{}}", "symbol", NULL},
        {"{\"service\":{}}", "service_name", "service"},
        {"{\"service\":{}}", "limit", NULL},
        {"{\"files\":{},\"repo_url\":{}}", "repo", "repo_url"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        cJSON *properties = cJSON_Parse(cases[i][0]);
        const cJSON *found = synonym_of(properties, cases[i][1]);

        if (cases[i][2])
            assert_string_equal(found->string, cases[i][2]);
        else
            assert_null(found);
        cJSON_Delete(properties);
    }
}

/* Left out, but where it is asked for, means something, or is no name of ours:
 * {"limit":null} is {}. */
static void
null_is_left_out_of_what_is_optional(void **state)
{
    static const char *const cases[][2] = {
        {"{\"service\":\"a\",\"limit\":null,\"format\":null,"
         "\"kinds\":null,\"Deep\":null}",
         "{\"service\":\"a\"}"},
        {"{\"since\":null}", "{\"since\":null}"},
        {"{\"service\":null}", "{\"service\":null}"},
        {"{\"servce\":null}", "{\"servce\":null}"},
        {"{\"where\":{\"a\":null}}", "{\"where\":{\"a\":null}}"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        cJSON *args = cJSON_Parse(cases[i][0]);
        cJSON *want = cJSON_Parse(cases[i][1]);

        schema_spell(schema, args);
        assert_true(cJSON_Compare(args, want, true));
        cJSON_Delete(args);
        cJSON_Delete(want);
    }
}

/* A word of a choice in any case; none where there must be one. */
static void
words_of_a_choice_are_taken_in_any_case(void **state)
{
    static const char *const cases[][2] = {
        {"{\"format\":\" Concise \"}", "{\"format\":\"concise\"}"},
        {"{\"FORMAT\":\"DETAILED\"}", "{\"format\":\"detailed\"}"},
        {"{\"format\":\"short\"}", "{\"format\":\"short\"}"},
        {"{\"format\":\" \",\"since\":\"\"}", "{\"since\":\"\"}"},
        {"{\"service\":\"\"}", "{\"service\":\"\"}"},
        {"{\"format\":[\"Concise\"]}", "{\"format\":[\"Concise\"]}"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        cJSON *args = cJSON_Parse(cases[i][0]);
        cJSON *want = cJSON_Parse(cases[i][1]);

        schema_spell(schema, args);
        if (!cJSON_Compare(args, want, true))
            fail_msg("%s", cases[i][0]);
        cJSON_Delete(args);
        cJSON_Delete(want);
    }
    SAYS("{\"service\":\"a\",\"kinds\":\"db\"}", "takes array of string");
}

static void
distance_counts_edits(void **state)
{
    (void)state;
    assert_int_equal(schema_distance(STR(""), STR("")), 0);
    assert_int_equal(schema_distance(STR("abc"), STR("")), 3);
    assert_int_equal(schema_distance(STR("abc"), STR("abd")), 1);
    assert_int_equal(schema_distance(STR("abc"), STR("acb")), 1);
    assert_int_equal(schema_distance(STR("checkout"), STR("chekout")), 1);
    assert_int_equal(schema_distance(STR("kitten"), STR("sitting")), 3);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_are_held),
        cmocka_unit_test(bounds_hold_at_and_one_past),
        cmocka_unit_test(choices_are_named),
        cmocka_unit_test(an_unknown_argument_names_the_nearest),
        cmocka_unit_test(a_missing_argument_is_explained),
        cmocka_unit_test(an_argument_given_twice_is_refused),
        cmocka_unit_test(several_faults_are_told_at_once_but_not_all),
        cmocka_unit_test(a_long_or_hostile_value_is_cut_and_cleaned),
        cmocka_unit_test(defaults_are_added_only_when_all_fits),
        cmocka_unit_test(a_schema_without_properties_takes_nothing),
        cmocka_unit_test(names_are_taken_in_other_spellings),
        cmocka_unit_test(a_name_of_another_tool_is_taken_where_it_can_mean_one),
        cmocka_unit_test(null_is_left_out_of_what_is_optional),
        cmocka_unit_test(words_of_a_choice_are_taken_in_any_case),
        cmocka_unit_test(distance_counts_edits),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
