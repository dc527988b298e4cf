/* Tools that only answer, some of them with messages on the way. */
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

#include "tests/mcp/fixture.h"

enum { STEP_MS = 50, SLOW_MS = 5000 };

static void
pause_ms(long ms)
{
    struct timespec time = {.tv_sec = ms / 1000,
                            .tv_nsec = ms % 1000 * 1000000};

    (void)nanosleep(&time, NULL);
}

cJSON *
fixture_json(const char *text)
{
    return cJSON_Parse(text);
}

cJSON *
fixture_text(const char *format, ...)
{
    char text[2048];
    va_list args;
    cJSON *result = cJSON_CreateObject();
    cJSON *content = cJSON_AddArrayToObject(result, "content");
    cJSON *block = cJSON_CreateObject();

    va_start(args, format);
    (void)vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    cJSON_AddStringToObject(block, "type", "text");
    cJSON_AddStringToObject(block, "text", text);
    cJSON_AddItemToArray(content, block);
    return result;
}

static cJSON *
simple_text(void *ctx, struct mcp_call *call, const cJSON *args)
{
    (void)ctx, (void)call, (void)args;
    return fixture_text("This is a simple text response for testing.");
}

static cJSON *
image_content(void *ctx, struct mcp_call *call, const cJSON *args)
{
    (void)ctx, (void)call, (void)args;
    return fixture_json("{\"content\":[{\"type\":\"image\",\"data\":\"" PNG
                        "\",\"mimeType\":\"image/png\"}]}");
}

static cJSON *
audio_content(void *ctx, struct mcp_call *call, const cJSON *args)
{
    (void)ctx, (void)call, (void)args;
    return fixture_json("{\"content\":[{\"type\":\"audio\",\"data\":\"" WAV
                        "\",\"mimeType\":\"audio/wav\"}]}");
}

static cJSON *
embedded_resource(void *ctx, struct mcp_call *call, const cJSON *args)
{
    (void)ctx, (void)call, (void)args;
    return fixture_json(
        "{\"content\":[{\"type\":\"resource\",\"resource\":{"
        "\"uri\":\"test://embedded-resource\",\"mimeType\":\"text/plain\","
        "\"text\":\"This is an embedded resource content.\"}}]}");
}

static cJSON *
mixed_content(void *ctx, struct mcp_call *call, const cJSON *args)
{
    (void)ctx, (void)call, (void)args;
    return fixture_json(
        "{\"content\":[{\"type\":\"text\",\"text\":\"Multiple content types "
        "test:\"},{\"type\":\"image\",\"data\":\"" PNG
        "\",\"mimeType\":\"image/png\"},{\"type\":\"resource\",\"resource\":{"
        "\"uri\":\"test://mixed-content-resource\","
        "\"mimeType\":\"application/json\","
        "\"text\":\"{\\\"test\\\":\\\"data\\\",\\\"value\\\":123}\"}}]}");
}

static cJSON *
with_logging(void *ctx, struct mcp_call *call, const cJSON *args)
{
    (void)ctx, (void)args;
    mcp_log(call, "info", "Tool execution started");
    pause_ms(STEP_MS);
    mcp_log(call, "info", "Tool processing data");
    pause_ms(STEP_MS);
    mcp_log(call, "info", "Tool execution completed");
    return fixture_text("Tool with logging executed successfully");
}

static cJSON *
with_progress(void *ctx, struct mcp_call *call, const cJSON *args)
{
    (void)ctx, (void)args;
    mcp_progress(call, 0, 100, NULL);
    pause_ms(STEP_MS);
    mcp_progress(call, 50, 100, "half way");
    pause_ms(STEP_MS);
    mcp_progress(call, 100, 100, NULL);
    return fixture_text("Tool with progress executed successfully");
}

static cJSON *
error_handling(void *ctx, struct mcp_call *call, const cJSON *args)
{
    (void)ctx, (void)args;
    mcp_fail(call, "This tool intentionally returns an error for testing");
    return NULL;
}

static cJSON *
mirrored(void *ctx, struct mcp_call *call, const cJSON *args)
{
    const char *region =
        cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(args, "region"));

    (void)ctx, (void)call;
    return fixture_text("region: %s", region ? region : "none");
}

static cJSON *
missing_capability(void *ctx, struct mcp_call *call, const cJSON *args)
{
    (void)ctx, (void)args;
    if (!mcp_need(call, "sampling"))
        return NULL;
    return fixture_text("The client can sample.");
}

static cJSON *
change_tools(void *ctx, struct mcp_call *call, const cJSON *args)
{
    (void)ctx, (void)args;
    mcp_list_changed(call, MCP_LIST_TOOLS);
    return fixture_text("The list of tools has changed.");
}

static cJSON *
change_prompts(void *ctx, struct mcp_call *call, const cJSON *args)
{
    (void)ctx, (void)args;
    mcp_list_changed(call, MCP_LIST_PROMPTS);
    return fixture_text("The list of prompts has changed.");
}

/* Not from the suite: as the product's tools answer. */
static cJSON *
structured(void *ctx, struct mcp_call *call, const cJSON *args)
{
    cJSON *result = cJSON_CreateObject();
    const cJSON *limit = cJSON_GetObjectItemCaseSensitive(args, "limit");
    const char *name =
        cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(args, "name"));

    (void)ctx, (void)call;
    cJSON_AddStringToObject(result, "name", name);
    cJSON_AddNumberToObject(result, "limit", limit->valuedouble);
    return result;
}

/* Not from the suite: waits to be cancelled. */
static cJSON *
slow(void *ctx, struct mcp_call *call, const cJSON *args)
{
    (void)ctx, (void)args;
    for (int waited = 0; waited < SLOW_MS; waited += 10) {
        if (mcp_is_cancelled(call))
            return fixture_text("cancelled");
        pause_ms(10);
    }
    return fixture_text("not cancelled");
}

static const char schema_2020_12[] =
    "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\","
    "\"type\":\"object\",\"$defs\":{\"address\":{\"$anchor\":\"addressDef\","
    "\"type\":\"object\",\"properties\":{\"street\":{\"type\":\"string\"},"
    "\"city\":{\"type\":\"string\"}}}},\"properties\":{"
    "\"name\":{\"type\":\"string\"},"
    "\"address\":{\"$ref\":\"#/$defs/address\"},"
    "\"contactMethod\":{\"type\":\"string\",\"enum\":[\"phone\",\"email\"]},"
    "\"phone\":{\"type\":\"string\"},\"email\":{\"type\":\"string\"}},"
    "\"allOf\":[{\"anyOf\":[{\"required\":[\"phone\"]},"
    "{\"required\":[\"email\"]}]}],\"if\":{\"properties\":{"
    "\"contactMethod\":{\"const\":\"phone\"}},"
    "\"required\":[\"contactMethod\"]},\"then\":{\"required\":[\"phone\"]},"
    "\"else\":{\"required\":[\"email\"]},\"additionalProperties\":false}";

static const char mirror_schema[] =
    "{\"type\":\"object\",\"properties\":{\"region\":{\"type\":\"string\","
    "\"x-mcp-header\":\"Region\"}},\"additionalProperties\":false}";

static const char structured_schema[] =
    "{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\","
    "\"maxLength\":8},\"limit\":{\"type\":\"integer\",\"minimum\":1,"
    "\"maximum\":500,\"default\":20}},\"required\":[\"name\"],"
    "\"additionalProperties\":false}";

static const char structured_output[] =
    "{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"},"
    "\"limit\":{\"type\":\"integer\"}},\"required\":[\"name\",\"limit\"],"
    "\"additionalProperties\":false}";

#define PLAIN(tool_name, words, function)                                     \
    {                                                                         \
        .name = (tool_name), .description = (words), .input_schema = NO_ARGS, \
        .read_only = true, .idempotent = true, .raw_result = true,            \
        .fn = (function)                                                      \
    }

const struct mcp_tool fixture_plain_tools[] = {
    PLAIN("test_simple_text", "Answers with text.", simple_text),
    PLAIN("test_image_content", "Answers with an image.", image_content),
    PLAIN("test_audio_content", "Answers with audio.", audio_content),
    PLAIN("test_embedded_resource", "Embeds a resource.", embedded_resource),
    PLAIN("test_multiple_content_types", "Answers with several blocks.",
          mixed_content),
    PLAIN("test_tool_with_logging", "Logs while it runs.", with_logging),
    PLAIN("test_logging_tool", "Logs while it runs.", with_logging),
    PLAIN("test_tool_with_progress", "Tells its progress.", with_progress),
    PLAIN("test_error_handling", "Fails.", error_handling),
    PLAIN("test_missing_capability", "Needs sampling.", missing_capability),
    PLAIN("test_trigger_tool_change", "Changes the tools.", change_tools),
    PLAIN("test_trigger_prompt_change", "Changes the prompts.", change_prompts),
    PLAIN("test_slow", "Takes five seconds unless cancelled.", slow),
    {
        .name = "json_schema_2020_12_tool",
        .description = "Tool with JSON Schema 2020-12 features",
        .input_schema = schema_2020_12,
        .raw_result = true,
        .fn = simple_text,
    },
    {
        .name = "test_mirrored_header",
        .description = "Has an argument that is repeated in a header.",
        .input_schema = mirror_schema,
        .raw_result = true,
        .fn = mirrored,
    },
    {
        .name = "test_structured",
        .title = "Structured",
        .description = "Answers with structured content.",
        .input_schema = structured_schema,
        .output_schema = structured_output,
        .read_only = true,
        .fn = structured,
    },
};
const size_t fixture_plain_tool_len =
    sizeof(fixture_plain_tools) / sizeof(fixture_plain_tools[0]);
