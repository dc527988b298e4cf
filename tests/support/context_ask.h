/*
 * context_ask - ask the tools of context about the one context_shop.
 *
 * Threads    None.
 */
#ifndef TESTS_SUPPORT_CONTEXT_ASK_H
#define TESTS_SUPPORT_CONTEXT_ASK_H

#include <cjson/cJSON.h>

/* context_ask_files asks context_for_files, which must answer; the caller
 * deletes the reply. */
cJSON *context_ask_files(const char *files, const char *format, int budget);
/* context_ask_content returns what stands in a reply of format json, held to
 * the numbers the reply tells; deletes the reply. */
cJSON *context_ask_content(cJSON *out);

#endif
