/* Tools that ask the client in the middle of a call, before 2026-07-28. */
#include "tests/mcp/fixture.h"

static cJSON *
result_text(const char *words, cJSON *answer)
{
    const char *action = cJSON_GetStringValue(
        cJSON_GetObjectItemCaseSensitive(answer, "action"));
    char *content = cJSON_PrintUnformatted(
        cJSON_GetObjectItemCaseSensitive(answer, "content"));
    cJSON *result =
        fixture_text("%s: action=%s, content=%s", words,
                     action ? action : "none", content ? content : "{}");

    cJSON_free(content);
    cJSON_Delete(answer);
    return result;
}

static cJSON *
elicit(struct mcp_call *call, const char *words, const char *message,
       const char *schema)
{
    cJSON *params = cJSON_CreateObject();

    cJSON_AddStringToObject(params, "message", message);
    cJSON_AddItemToObject(params, "requestedSchema", fixture_json(schema));
    cJSON *answer = mcp_ask(call, "elicitation/create", params);
    return answer ? result_text(words, answer) : NULL;
}

static cJSON *
sampling(void *ctx, struct mcp_call *call, const cJSON *args)
{
    const char *prompt =
        cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(args, "prompt"));
    cJSON *params = fixture_json("{\"messages\":[{\"role\":\"user\","
                                 "\"content\":{\"type\":\"text\"}}],"
                                 "\"maxTokens\":100}");
    cJSON *message = cJSON_GetArrayItem(
        cJSON_GetObjectItemCaseSensitive(params, "messages"), 0);

    (void)ctx;
    cJSON_AddStringToObject(
        cJSON_GetObjectItemCaseSensitive(message, "content"), "text", prompt);
    cJSON *answer = mcp_ask(call, "sampling/createMessage", params);
    if (!answer)
        return NULL;
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(
        cJSON_GetObjectItemCaseSensitive(answer, "content"), "text"));
    cJSON *result = fixture_text("LLM response: %s", text ? text : "none");
    cJSON_Delete(answer);
    return result;
}

static cJSON *
elicitation(void *ctx, struct mcp_call *call, const cJSON *args)
{
    (void)ctx;
    return elicit(
        call, "User response",
        cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(args, "message")),
        "{\"type\":\"object\",\"properties\":{\"username\":{\"type\":"
        "\"string\",\"description\":\"User's response\"},\"email\":{\"type\":"
        "\"string\",\"description\":\"User's email address\"}},"
        "\"required\":[\"username\",\"email\"]}");
}

static cJSON *
elicit_defaults(void *ctx, struct mcp_call *call, const cJSON *args)
{
    (void)ctx, (void)args;
    return elicit(
        call, "Elicitation completed", "Please review these values",
        "{\"type\":\"object\",\"properties\":{"
        "\"name\":{\"type\":\"string\",\"default\":\"John Doe\"},"
        "\"age\":{\"type\":\"integer\",\"default\":30},"
        "\"score\":{\"type\":\"number\",\"default\":95.5},"
        "\"status\":{\"type\":\"string\",\"enum\":[\"active\",\"inactive\","
        "\"pending\"],\"default\":\"active\"},"
        "\"verified\":{\"type\":\"boolean\",\"default\":true}}}");
}

static cJSON *
elicit_enums(void *ctx, struct mcp_call *call, const cJSON *args)
{
    (void)ctx, (void)args;
    return elicit(
        call, "Elicitation completed", "Please choose",
        "{\"type\":\"object\",\"properties\":{"
        "\"untitledSingle\":{\"type\":\"string\",\"enum\":[\"option1\","
        "\"option2\",\"option3\"]},"
        "\"titledSingle\":{\"type\":\"string\",\"oneOf\":["
        "{\"const\":\"value1\",\"title\":\"First Option\"},"
        "{\"const\":\"value2\",\"title\":\"Second Option\"},"
        "{\"const\":\"value3\",\"title\":\"Third Option\"}]},"
        "\"legacyEnum\":{\"type\":\"string\",\"enum\":[\"opt1\",\"opt2\","
        "\"opt3\"],\"enumNames\":[\"Option One\",\"Option Two\","
        "\"Option Three\"]},"
        "\"untitledMulti\":{\"type\":\"array\",\"items\":{\"type\":\"string\","
        "\"enum\":[\"option1\",\"option2\",\"option3\"]}},"
        "\"titledMulti\":{\"type\":\"array\",\"items\":{\"anyOf\":["
        "{\"const\":\"value1\",\"title\":\"First Choice\"},"
        "{\"const\":\"value2\",\"title\":\"Second Choice\"},"
        "{\"const\":\"value3\",\"title\":\"Third Choice\"}]}}}}");
}

const struct mcp_tool fixture_ask_tools[] = {
    {
        .name = "test_sampling",
        .description = "Asks the client's model.",
        .input_schema = "{\"type\":\"object\",\"properties\":{\"prompt\":{"
                        "\"type\":\"string\"}},\"required\":[\"prompt\"]}",
        .raw_result = true,
        .fn = sampling,
    },
    {
        .name = "test_elicitation",
        .description = "Asks the client's user.",
        .input_schema = "{\"type\":\"object\",\"properties\":{\"message\":{"
                        "\"type\":\"string\"}},\"required\":[\"message\"]}",
        .raw_result = true,
        .fn = elicitation,
    },
    {
        .name = "test_elicitation_sep1034_defaults",
        .description = "Asks with default values.",
        .input_schema = NO_ARGS,
        .raw_result = true,
        .fn = elicit_defaults,
    },
    {
        .name = "test_elicitation_sep1330_enums",
        .description = "Asks with choices of all forms.",
        .input_schema = NO_ARGS,
        .raw_result = true,
        .fn = elicit_enums,
    },
};
const size_t fixture_ask_tool_len =
    sizeof(fixture_ask_tools) / sizeof(fixture_ask_tools[0]);
