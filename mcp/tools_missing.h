/*
 * tools_missing - hints of what the rows of a reply do not tell: calls that
 * were not sampled, and those by nobody known.
 *
 * Whoever reads a count, or finds no row, shall know that there were more
 * calls.
 *
 * Errors     What fails is the run's.
 * Threads    The run's.
 */
#ifndef MCP_TOOLS_MISSING_H
#define MCP_TOOLS_MISSING_H

#include <stddef.h>
#include <stdint.h>

#include "base/ids.h"
#include "graph/query_edges.h"
#include "mcp/tools_parts.h"

/* missing_sampled hints how much more the calls of |len| lists of edges stand
 * for, if it is a twentieth at least; |words| say which numbers are which. */
void missing_sampled(struct tool_run *run, const struct query_edges *edges,
                     size_t len, const char *words);

/* missing_orphans hints which of |services| were called, last since |from_s|,
 * by whom is not known; of all services (NULL) how often that was, ever. */
void missing_orphans(struct tool_run *run, const struct ids *services,
                     uint32_t from_s);

#endif
