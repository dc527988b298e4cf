/*
 * tools_extra - resources, prompts and completion of the product's offer.
 *
 * Threads    As mcp/tools.h.
 */
#ifndef MCP_TOOLS_EXTRA_H
#define MCP_TOOLS_EXTRA_H

#include <stdbool.h>

#include "base/buf.h"
#include "mcp/mcp.h"
#include "mcp/tools.h"

enum { TOOLS_RESOURCE_LEN = 7, TOOLS_PROMPT_LEN = 3 };
extern const struct mcp_resource tools_resources[TOOLS_RESOURCE_LEN];
extern const struct mcp_prompt tools_prompts[TOOLS_PROMPT_LEN];

/* tools_complete gives names of services or routes that begin like |value|,
 * at most 100; routes of the service that is |chosen|, if one is. */
cJSON *tools_complete(void *ctx, const char *ref, const char *argument,
                      const char *value, const cJSON *chosen);

/*
 * tools_resource is the content of |uri| as JSON, the caller's; after a failure
 * NULL, and |why| says what is meant, where that is known.
 *
 * ERR_NOT_FOUND  there is no such resource.
 * Another        it cannot be read now: as tools_call.
 */
enum err tools_resource(struct tools *tools, const char *uri, cJSON **out,
                        struct buf *why);

/* tools_prompt is the text of prompt |name|; false: a required argument is
 * missing, and |out| says which. */
bool tools_prompt(const char *name, const cJSON *args, struct buf *out);

#endif
