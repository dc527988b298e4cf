/*
 * tools_context - the tools that say what to read, what belongs together, and
 * what changed; and where they are bound to be extended.
 *
 * Threads    As mcp/tools_parts.h.
 */
#ifndef MCP_TOOLS_CONTEXT_H
#define MCP_TOOLS_CONTEXT_H

#include "mcp/tools_parts.h"

tool_fn tool_context_for_task;
tool_fn tool_context_for_files;
tool_fn tool_context_for_pr;
tool_fn tool_communities;
tool_fn tool_feedback;
tool_fn tool_plan_turn;
tool_fn tool_compare;
tool_fn tool_migration_progress;

#endif
