/*
 * ask_tools - call a tool as a client would, and look at what it says.
 *
 * Every reply is held to the output schema that its tool declares.
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
bool ask_hints(const cJSON *out, const char *words);

#endif
