/*
 * fixture - the offer the conformance suite wants to see: test_* tools,
 * resources and prompts on our library.  Never part of the product.
 */
#ifndef TESTS_MCP_FIXTURE_H
#define TESTS_MCP_FIXTURE_H

#include <stdbool.h>
#include <stddef.h>

#include <cjson/cJSON.h>

#include "mcp/extra.h"
#include "mcp/mcp.h"

#define NO_ARGS "{\"type\":\"object\",\"additionalProperties\":false}"

#define PNG                                                                    \
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIA" \
    "X8jx0gAAAABJRU5ErkJggg=="
#define WAV "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQIAAAAAAA=="

/* fixture_offer is the whole offer; it lives as long as the program. */
const struct mcp_offer *fixture_offer(void);

/* The tools by file. */
extern const struct mcp_tool fixture_plain_tools[];
extern const size_t fixture_plain_tool_len;
extern const struct mcp_tool fixture_ask_tools[];
extern const size_t fixture_ask_tool_len;
extern const struct mcp_tool fixture_round_tools[];
extern const size_t fixture_round_tool_len;
extern const struct mcp_resource fixture_resources[];
extern const size_t fixture_resource_len;
extern const struct mcp_prompt fixture_prompts[];
extern const size_t fixture_prompt_len;

/* fixture_json parses |text|, which is ours and therefore JSON. */
cJSON *fixture_json(const char *text);

/* fixture_text is a whole tool result of one text block. */
cJSON *
fixture_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* fixture_round_prompt is the prompt that asks for input. */
cJSON *
fixture_round_prompt(void *ctx, struct mcp_call *call, const cJSON *args);

#endif
