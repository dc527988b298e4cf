/*
 * tool_check - tools called as a client calls them: every reply fits the output
 * schema of its tool, and its size.
 *
 * Holds the protocol's half of a call (mcp_fail and the like) as well, for
 * programs that have tools without a server.
 *
 * Threads    None.
 */
#ifndef TESTS_SUPPORT_TOOL_CHECK_H
#define TESTS_SUPPORT_TOOL_CHECK_H

#include <stdbool.h>

#include "mcp/tools.h"

/* tool_reply calls a tool, which must succeed. */
cJSON *tool_reply(struct tools *tools, const char *name, const char *args);
/* tool_refusal calls a tool, which must fail and say |says|. */
void tool_refusal(struct tools *tools, const char *name, const char *args,
                  const char *says);

/* A member by its path: `callers|0|Node|Kind`; it must be there. */
const cJSON *at(const cJSON *json, const char *path);
const char *text_at(const cJSON *json, const char *path);
double number_at(const cJSON *json, const char *path);
int len_at(const cJSON *json, const char *path);
bool hints_have(const cJSON *reply, const char *words);

#endif
