/* Resources, prompts, completion, and all of it as one offer. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/mcp/fixture.h"

enum { TOOLS_MAX = 64 };

static cJSON *
contents_of(const char *uri, const char *type, const char *key,
            const char *value)
{
    cJSON *contents = cJSON_CreateArray();
    cJSON *item = cJSON_CreateObject();

    cJSON_AddStringToObject(item, "uri", uri);
    cJSON_AddStringToObject(item, "mimeType", type);
    cJSON_AddStringToObject(item, key, value);
    cJSON_AddItemToArray(contents, item);
    return contents;
}

static cJSON *
read_text(void *ctx, struct mcp_call *call, const char *uri)
{
    (void)ctx, (void)call;
    return contents_of(uri, "text/plain", "text",
                       "This is the content of the static text resource.");
}

static cJSON *
read_binary(void *ctx, struct mcp_call *call, const char *uri)
{
    (void)ctx, (void)call;
    return contents_of(uri, "image/png", "blob", PNG);
}

static cJSON *
read_watched(void *ctx, struct mcp_call *call, const char *uri)
{
    (void)ctx, (void)call;
    return contents_of(uri, "text/plain", "text", "Watched resource content");
}

static cJSON *
read_template(void *ctx, struct mcp_call *call, const char *uri)
{
    const char *id = uri + strlen("test://template/");
    char text[512];

    (void)ctx, (void)call;
    int len = (int)strcspn(id, "/\"\\");
    (void)snprintf(text, sizeof(text),
                   "{\"id\":\"%.*s\",\"templateTest\":true,"
                   "\"data\":\"Data for ID: %.*s\"}",
                   len < 64 ? len : 64, id, len < 64 ? len : 64, id);
    return contents_of(uri, "application/json", "text", text);
}

const struct mcp_resource fixture_resources[] = {
    {
        .uri = "test://static-text",
        .name = "static-text",
        .title = "Static Text Resource",
        .description = "A static text resource for testing",
        .mime_type = "text/plain",
        .read = read_text,
    },
    {
        .uri = "test://static-binary",
        .name = "static-binary",
        .title = "Static Binary Resource",
        .description = "A static binary resource (image) for testing",
        .mime_type = "image/png",
        .read = read_binary,
    },
    {
        .uri = "test://watched-resource",
        .name = "watched-resource",
        .mime_type = "text/plain",
        .read = read_watched,
    },
    {
        .uri = "test://template/{id}/data",
        .name = "template",
        .description = "A resource template with parameter substitution",
        .mime_type = "application/json",
        .is_template = true,
        .read = read_template,
    },
};
const size_t fixture_resource_len =
    sizeof(fixture_resources) / sizeof(fixture_resources[0]);

/* ---- prompts ---- */

static const char *
arg(const cJSON *args, const char *name)
{
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(args, name));
}

static cJSON *
message_of(cJSON *content)
{
    cJSON *message = cJSON_CreateObject();

    cJSON_AddStringToObject(message, "role", "user");
    cJSON_AddItemToObject(message, "content", content);
    return message;
}

static cJSON *
text_message(const char *text)
{
    cJSON *content = cJSON_CreateObject();

    cJSON_AddStringToObject(content, "type", "text");
    cJSON_AddStringToObject(content, "text", text);
    return message_of(content);
}

static cJSON *
get_simple(void *ctx, struct mcp_call *call, const cJSON *args)
{
    cJSON *messages = cJSON_CreateArray();

    (void)ctx, (void)call, (void)args;
    cJSON_AddItemToArray(messages,
                         text_message("This is a simple prompt for testing."));
    return messages;
}

static cJSON *
get_with_arguments(void *ctx, struct mcp_call *call, const cJSON *args)
{
    cJSON *messages = cJSON_CreateArray();
    char text[256];

    (void)ctx, (void)call;
    (void)snprintf(text, sizeof(text),
                   "Prompt with arguments: arg1='%.80s', arg2='%.80s'",
                   arg(args, "arg1"), arg(args, "arg2"));
    cJSON_AddItemToArray(messages, text_message(text));
    return messages;
}

static cJSON *
get_with_resource(void *ctx, struct mcp_call *call, const cJSON *args)
{
    cJSON *messages = cJSON_CreateArray();
    cJSON *content = fixture_json(
        "{\"type\":\"resource\",\"resource\":{\"mimeType\":\"text/plain\","
        "\"text\":\"Embedded resource content for testing.\"}}");

    (void)ctx, (void)call;
    cJSON_AddStringToObject(
        cJSON_GetObjectItemCaseSensitive(content, "resource"), "uri",
        arg(args, "resourceUri"));
    cJSON_AddItemToArray(messages, message_of(content));
    cJSON_AddItemToArray(
        messages, text_message("Please process the embedded resource above."));
    return messages;
}

static cJSON *
get_with_image(void *ctx, struct mcp_call *call, const cJSON *args)
{
    cJSON *messages = cJSON_CreateArray();

    (void)ctx, (void)call, (void)args;
    cJSON_AddItemToArray(
        messages, message_of(fixture_json("{\"type\":\"image\",\"data\":\"" PNG
                                          "\",\"mimeType\":\"image/png\"}")));
    cJSON_AddItemToArray(messages,
                         text_message("Please analyze the image above."));
    return messages;
}

static const struct mcp_prompt_arg two_args[] = {
    {"arg1", "First test argument", true},
    {"arg2", "Second test argument", true},
};
static const struct mcp_prompt_arg resource_args[] = {
    {"resourceUri", "URI of the resource to embed", true},
};

const struct mcp_prompt fixture_prompts[] = {
    {
        .name = "test_simple_prompt",
        .description = "A simple prompt without arguments",
        .get = get_simple,
    },
    {
        .name = "test_prompt_with_arguments",
        .description = "A prompt with required arguments",
        .args = two_args,
        .arg_len = 2,
        .get = get_with_arguments,
    },
    {
        .name = "test_prompt_with_embedded_resource",
        .description = "A prompt that includes an embedded resource",
        .args = resource_args,
        .arg_len = 1,
        .get = get_with_resource,
    },
    {
        .name = "test_prompt_with_image",
        .description = "A prompt that includes image content",
        .get = get_with_image,
    },
    {
        .name = "test_input_required_result_prompt",
        .description = "A prompt that asks for input",
        .get = fixture_round_prompt,
        .raw_result = true,
    },
};
const size_t fixture_prompt_len =
    sizeof(fixture_prompts) / sizeof(fixture_prompts[0]);

/* ---- all of it ---- */

static cJSON *
complete(void *ctx, const char *ref, const char *argument, const char *value,
         const cJSON *chosen)
{
    static const char *const words[] = {"paris", "park", "party", "test",
                                        "testing"};
    cJSON *values = cJSON_CreateArray();

    (void)ctx, (void)ref, (void)argument, (void)chosen;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strncmp(words[i], value, strlen(value)) == 0)
            cJSON_AddItemToArray(values, cJSON_CreateString(words[i]));
    return values;
}

static size_t
add(struct mcp_tool *to, size_t len, const struct mcp_tool *tools, size_t count)
{
    for (size_t i = 0; i < count && len < TOOLS_MAX; i++)
        to[len++] = tools[i];
    return len;
}

const struct mcp_offer *
fixture_offer(void)
{
    static struct mcp_tool tools[TOOLS_MAX];
    static struct mcp_offer offer;
    size_t len = 0;

    len = add(tools, len, fixture_plain_tools, fixture_plain_tool_len);
    len = add(tools, len, fixture_ask_tools, fixture_ask_tool_len);
    len = add(tools, len, fixture_round_tools, fixture_round_tool_len);
    offer = (struct mcp_offer){
        .name = "mcp-conformance-fixture",
        .title = "Conformance fixture",
        .version = "1.0.0",
        .instructions = "Tools for the conformance suite.",
        .tools = tools,
        .tool_len = len,
        .resources = fixture_resources,
        .resource_len = fixture_resource_len,
        .prompts = fixture_prompts,
        .prompt_len = fixture_prompt_len,
        .complete = complete,
        .logging = true,
        .list_changed = true,
        .subscribe = true,
    };
    return &offer;
}
