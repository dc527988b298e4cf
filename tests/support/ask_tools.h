/*
 * ask_tools - call a tool as a client would, and look at what it says.
 *
 * Every reply is held to the output schema that its tool declares, and to the
 * size of a reply, unless it was asked for with a budget of tokens.  Holds the
 * protocol's half of a call (mcp_fail and the like) as well, for programs that
 * have tools without a server.
 *
 * Threads    None.
 */
#ifndef TESTS_SUPPORT_ASK_TOOLS_H
#define TESTS_SUPPORT_ASK_TOOLS_H

#include <stdbool.h>

#include <cjson/cJSON.h>

#include "mcp/tools.h"

/* ask calls tool |name|, which must succeed; the caller deletes the reply. */
cJSON *ask(struct tools *tools, const char *name, const char *args);
/* ask_refused calls it, and it must fail with a message that holds |says|. */
void ask_refused(struct tools *tools, const char *name, const char *args,
                 const char *says);

double ask_number(const cJSON *object, const char *name);
const char *ask_text(const cJSON *object, const char *name);
const cJSON *ask_row(const cJSON *out, const char *list, int i);
int ask_len(const cJSON *out, const char *list);

/* A member by its path: `callers|0|Node|Kind`; it must be there. */
const cJSON *at(const cJSON *json, const char *path);
const char *text_at(const cJSON *json, const char *path);
double number_at(const cJSON *json, const char *path);
int len_at(const cJSON *json, const char *path);

bool ask_hints(const cJSON *out, const char *words);

#endif
