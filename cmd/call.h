/*
 * call - run one MCP tool on a store, without a client.
 *
 * Threads    The main thread.
 */
#ifndef CMD_CALL_H
#define CMD_CALL_H

#include <stdio.h>

#include <cjson/cJSON.h>

#include "cmd/ask.h"
#include "cmd/wording.h"

/* call_tool opens the store of |ask|, runs |tool| and gives its structured
 * content.  An exit code; not EXIT_CLEAN: it was said on standard error, by
 * |words|; NULL: as the tool says it. */
int call_tool(struct ask *ask, const char *tool, const cJSON *args,
              const struct wording *words, cJSON **out);

/* call_print prints |text|, which |tool| said, as a line of |to|. */
void call_print(FILE *to, const struct wording *words, const char *tool,
                const char *text);

/* call_text and call_number read a member of an answer; "" or 0 if it is none.
 */
const char *call_text(const cJSON *object, const char *name);
double call_number(const cJSON *object, const char *name);

#endif
