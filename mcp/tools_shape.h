/*
 * tools_shape - an output schema as the list of tools has it.
 *
 * Every client pays for the list in each session, and the whole schemas of all
 * answers would be a third of it.  So the list names the members that are a
 * tool's own and always there; what every answer has (summary, hints, ...) is
 * told once, in the instructions, and the whole schema of one tool is the
 * resource TOOL_SHAPE_URI and its name.
 *
 *     {"type":"object","required":["edges","window"]}
 *
 * Whatever fits the whole schema fits this one.
 *
 * Threads    Any; a tool is only read.
 */
#ifndef MCP_TOOLS_SHAPE_H
#define MCP_TOOLS_SHAPE_H

#include <cjson/cJSON.h>

#include "mcp/tools.h"
#include "mcp/tools_list.h"

#define TOOL_SHAPE_URI "graph://schema/"

/* tool_shape is the short schema of |tool|'s answers as JSON text, the caller's
 * to cJSON_free; NULL: no memory. */
char *tool_shape(const struct tool *tool);

/* tool_whole_shape is the whole schema, the caller's; NULL: there is no tool
 * |name|, or no memory. */
cJSON *tool_whole_shape(const char *name);

#endif
