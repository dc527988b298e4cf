/*
 * tools_code_snapshot - the repository, and the state of it, that an argument
 * of a tool names.  What is not there is a failure of the run that tells which
 * there are.
 *
 * Memory     What tool_snapshot_load gives is the world's; it is dropped with
 *            code_drop.
 * Threads    The run's.
 */
#ifndef MCP_TOOLS_CODE_SNAPSHOT_H
#define MCP_TOOLS_CODE_SNAPSHOT_H

#include <stdint.h>

#include "graph/code.h"
#include "mcp/tools_parts.h"

/* tool_repo finds the repository that the required argument |name| names by
 * url, the end of it, or hash; without one, the only one there is. */
uint32_t
tool_repo(struct tool_run *run, const struct code *code, const char *name);
/* tool_snapshot is the index in code->snapshots of what the required argument
 * |name| names: a hash or commit, or the front of one, `latest`, `previous`. */
uint32_t
tool_snapshot(struct tool_run *run, const struct code *code, const char *name);
/* tool_snapshot_load loads it, to be dropped; NULL: the run has failed. */
const struct code *tool_snapshot_load(struct tool_run *run,
                                      const struct code *code, uint32_t index);

#endif
