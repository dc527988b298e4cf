/*
 * question - the bytes that two calls of a tool share when they ask the same.
 *
 * The tool, the revision that shapes the answer, and the arguments, whatever
 * their order.  What else a message holds (its id, who asks, a progressToken)
 * does not change what is true.
 *
 * Threads    Any.
 */
#ifndef MCP_QUESTION_H
#define MCP_QUESTION_H

#include <cjson/cJSON.h>

#include "base/buf.h"
#include "mcp/state.h"

/* question_add appends them; out->failed: there is no memory, or the arguments
 * are more than QUESTION_BYTES_MAX. */
enum { QUESTION_BYTES_MAX = 8 << 10 };
void question_add(struct buf *out, const char *tool, enum mcp_rev rev,
                  const cJSON *args);

#endif
