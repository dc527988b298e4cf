/*
 * Tools that need input, since 2026-07-28: they answer what they need, and the
 * client asks again with it.  What they must remember goes through the client,
 * signed: the tool, the step, and until when it holds.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/crypto.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include "base/clock.h"
#include "tests/mcp/fixture.h"

enum { KEY_LEN = 32, MAC_LEN = 32, STATE_MAX = 256, STATE_S = 600 };

#define ASK_NAME                                                           \
    "{\"method\":\"elicitation/create\",\"params\":{"                      \
    "\"message\":\"What is your name?\",\"requestedSchema\":{"             \
    "\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"}}," \
    "\"required\":[\"name\"]}}}"
#define ASK_CAPITAL                                                      \
    "{\"method\":\"sampling/createMessage\",\"params\":{\"messages\":[{" \
    "\"role\":\"user\",\"content\":{\"type\":\"text\","                  \
    "\"text\":\"What is the capital of France?\"}}],\"maxTokens\":100}}"
#define ASK_ROOTS "{\"method\":\"roots/list\",\"params\":{}}"
#define ASK_OK                                                            \
    "{\"method\":\"elicitation/create\",\"params\":{"                     \
    "\"message\":\"Please confirm\",\"requestedSchema\":{"                \
    "\"type\":\"object\",\"properties\":{\"ok\":{\"type\":\"boolean\"}}," \
    "\"required\":[\"ok\"]}}}"
#define ASK_COLOR                                               \
    "{\"method\":\"elicitation/create\",\"params\":{"           \
    "\"message\":\"Step 2: What is your favorite color?\","     \
    "\"requestedSchema\":{\"type\":\"object\",\"properties\":{" \
    "\"color\":{\"type\":\"string\"}},\"required\":[\"color\"]}}}"
#define ASK_CONTEXT                                             \
    "{\"method\":\"elicitation/create\",\"params\":{"           \
    "\"message\":\"What context should the prompt use?\","      \
    "\"requestedSchema\":{\"type\":\"object\",\"properties\":{" \
    "\"context\":{\"type\":\"string\"}},\"required\":[\"context\"]}}}"

/* ---- state that travels through the client ---- */

static const unsigned char *
secret(void)
{
    static unsigned char key[KEY_LEN];
    static bool is_set;

    if (!is_set)
        is_set = RAND_bytes(key, KEY_LEN) == 1;
    return key;
}

static void
sign(char *hex, const char *text)
{
    unsigned char mac[MAC_LEN];
    unsigned len = MAC_LEN;

    HMAC(EVP_sha256(), secret(), KEY_LEN, (const unsigned char *)text,
         strlen(text), mac, &len);
    for (size_t i = 0; i < MAC_LEN; i++)
        (void)sprintf(hex + 2 * i, "%02x", mac[i]);
}

static void
make_state(char *out, const char *tool, int step)
{
    char mac[2 * MAC_LEN + 1];
    unsigned long long until = clock_wall_ns() / NS_PER_S + STATE_S;

    (void)snprintf(out, STATE_MAX, "%s.%d.%llu", tool, step, until);
    sign(mac, out);
    (void)strcat(out, ".");
    (void)strcat(out, mac);
}

/* The step that |state| holds for |tool|, or -1 when we did not sign it. */
static int
open_state(const char *state, const char *tool)
{
    char copy[STATE_MAX];
    char mac[2 * MAC_LEN + 1];
    const char *dot = strrchr(state, '.');
    size_t tool_len = strlen(tool);
    size_t len = dot ? (size_t)(dot - state) : 0;

    if (!dot || strlen(dot + 1) != 2 * MAC_LEN || len >= sizeof(copy))
        return -1;
    memcpy(copy, state, len);
    copy[len] = '\0';
    sign(mac, copy);
    if (CRYPTO_memcmp(mac, dot + 1, 2 * MAC_LEN) != 0 ||
        strncmp(copy, tool, tool_len) != 0 || copy[tool_len] != '.')
        return -1;
    char *end = NULL;
    long step = strtol(copy + tool_len + 1, &end, 10);
    unsigned long long until = strtoull(end + 1, NULL, 10);
    return until < clock_wall_ns() / NS_PER_S ? -1 : (int)step;
}

/* ---- questions and answers ---- */

/* The object that the client answers to the question |key|, or NULL. */
static const cJSON *
response(const struct mcp_call *call, const char *key)
{
    const cJSON *responses =
        cJSON_GetObjectItemCaseSensitive(mcp_params(call), "inputResponses");
    const cJSON *one = cJSON_GetObjectItemCaseSensitive(responses, key);

    return cJSON_IsObject(one) ? one : NULL;
}

static const char *
content_text(const cJSON *one, const char *name)
{
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(
        cJSON_GetObjectItemCaseSensitive(one, "content"), name));
}

static cJSON *
need(const char *questions, const char *state)
{
    cJSON *result = cJSON_CreateObject();

    cJSON_AddStringToObject(result, "resultType", "input_required");
    cJSON_AddItemToObject(result, "inputRequests", fixture_json(questions));
    if (state)
        cJSON_AddStringToObject(result, "requestState", state);
    return result;
}

/* The state the client sent: its step, 0 if it sent none, -1 and a refusal if
 * it was changed on the way. */
static int
state_step(struct mcp_call *call, const char *tool)
{
    const cJSON *state =
        cJSON_GetObjectItemCaseSensitive(mcp_params(call), "requestState");
    int step = -1;

    if (!state)
        return 0;
    if (cJSON_IsString(state))
        step = open_state(state->valuestring, tool);
    if (step < 0)
        mcp_refuse(call, "requestState is not one that this server made");
    return step;
}

static cJSON *
ask_name(void *ctx, struct mcp_call *call, const cJSON *args)
{
    const char *name = content_text(response(call, "user_name"), "name");

    (void)ctx, (void)args;
    if (!name)
        return need("{\"user_name\":" ASK_NAME "}", NULL);
    return fixture_text("Hello, %s!", name);
}

static cJSON *
ask_model(void *ctx, struct mcp_call *call, const cJSON *args)
{
    const char *text = content_text(response(call, "capital_question"), "text");

    (void)ctx, (void)args;
    if (!text)
        return need("{\"capital_question\":" ASK_CAPITAL "}", NULL);
    return fixture_text("LLM response: %s", text);
}

static cJSON *
ask_roots(void *ctx, struct mcp_call *call, const cJSON *args)
{
    const cJSON *roots = cJSON_GetObjectItemCaseSensitive(
        response(call, "client_roots"), "roots");

    (void)ctx, (void)args;
    if (!cJSON_IsArray(roots))
        return need("{\"client_roots\":" ASK_ROOTS "}", NULL);
    const char *uri = cJSON_GetStringValue(
        cJSON_GetObjectItemCaseSensitive(cJSON_GetArrayItem(roots, 0), "uri"));
    return fixture_text("%d roots, the first is %s", cJSON_GetArraySize(roots),
                        uri ? uri : "none");
}

static cJSON *
confirm(struct mcp_call *call, const char *tool, const char *words)
{
    char state[STATE_MAX];
    int step = state_step(call, tool);

    if (step < 0)
        return NULL;
    if (step == 1 && response(call, "confirm"))
        return fixture_text("%s", words);
    make_state(state, tool, 1);
    return need("{\"confirm\":" ASK_OK "}", state);
}

static cJSON *
ask_with_state(void *ctx, struct mcp_call *call, const cJSON *args)
{
    (void)ctx, (void)args;
    return confirm(call, "test_input_required_result_request_state",
                   "state-ok");
}

static cJSON *
ask_tampered(void *ctx, struct mcp_call *call, const cJSON *args)
{
    (void)ctx, (void)args;
    return confirm(call, "test_input_required_result_tampered_state",
                   "The state came back as it was.");
}

static cJSON *
ask_several(void *ctx, struct mcp_call *call, const cJSON *args)
{
    static const char tool[] = "test_input_required_result_multiple_inputs";
    char state[STATE_MAX];
    int step = state_step(call, tool);
    const char *name = content_text(response(call, "user_name"), "name");
    const char *greeting = content_text(response(call, "greeting"), "text");

    (void)ctx, (void)args;
    if (step < 0)
        return NULL;
    if (step == 1 && name && greeting && response(call, "client_roots"))
        return fixture_text("%s, %s", greeting, name);
    make_state(state, tool, 1);
    return need("{\"user_name\":" ASK_NAME ",\"greeting\":" ASK_CAPITAL
                ",\"client_roots\":" ASK_ROOTS "}",
                state);
}

static cJSON *
ask_rounds(void *ctx, struct mcp_call *call, const cJSON *args)
{
    static const char tool[] = "test_input_required_result_multi_round";
    char state[STATE_MAX];
    int step = state_step(call, tool);
    const char *color = content_text(response(call, "step2"), "color");

    (void)ctx, (void)args;
    if (step < 0)
        return NULL;
    if (step == 2 && color)
        return fixture_text("Your favorite color is %s.", color);
    if (step == 2 || (step == 1 && response(call, "step1"))) {
        make_state(state, tool, 2);
        return need("{\"step2\":" ASK_COLOR "}", state);
    }
    make_state(state, tool, 1);
    return need("{\"step1\":" ASK_NAME "}", state);
}

static cJSON *
ask_what_it_can(void *ctx, struct mcp_call *call, const cJSON *args)
{
    (void)ctx, (void)args;
    if (mcp_client_can(call, "sampling") && !response(call, "question"))
        return need("{\"question\":" ASK_CAPITAL "}", NULL);
    if (mcp_client_can(call, "elicitation") && !response(call, "user_name") &&
        !response(call, "question"))
        return need("{\"user_name\":" ASK_NAME "}", NULL);
    return fixture_text("Nothing more to ask.");
}

static cJSON *
stream_elicitation(void *ctx, struct mcp_call *call, const cJSON *args)
{
    if (!mcp_need(call, "elicitation"))
        return NULL;
    mcp_progress(call, 1, 2, NULL);
    return ask_name(ctx, call, args);
}

cJSON *
fixture_round_prompt(void *ctx, struct mcp_call *call, const cJSON *args)
{
    const char *context =
        content_text(response(call, "user_context"), "context");

    (void)ctx, (void)args;
    if (!context)
        return need("{\"user_context\":" ASK_CONTEXT "}", NULL);
    cJSON *result =
        fixture_json("{\"messages\":[{\"role\":\"user\",\"content\":"
                     "{\"type\":\"text\"}}]}");
    cJSON *message = cJSON_GetArrayItem(
        cJSON_GetObjectItemCaseSensitive(result, "messages"), 0);
    cJSON_AddStringToObject(
        cJSON_GetObjectItemCaseSensitive(message, "content"), "text", context);
    return result;
}

#define ROUND(tool_name, function)                                    \
    {                                                                 \
        .name = (tool_name), .description = "Asks for input.",        \
        .input_schema = NO_ARGS, .raw_result = true, .fn = (function) \
    }

const struct mcp_tool fixture_round_tools[] = {
    ROUND("test_input_required_result_elicitation", ask_name),
    ROUND("test_input_required_result_sampling", ask_model),
    ROUND("test_input_required_result_list_roots", ask_roots),
    ROUND("test_input_required_result_request_state", ask_with_state),
    ROUND("test_input_required_result_multiple_inputs", ask_several),
    ROUND("test_input_required_result_multi_round", ask_rounds),
    ROUND("test_input_required_result_tampered_state", ask_tampered),
    ROUND("test_input_required_result_capabilities", ask_what_it_can),
    ROUND("test_streaming_elicitation", stream_elicitation),
};
const size_t fixture_round_tool_len =
    sizeof(fixture_round_tools) / sizeof(fixture_round_tools[0]);
