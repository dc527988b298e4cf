/*
 * tools_code_diff - two snapshots, and what is between them.
 *
 * Threads    As mcp/tools_parts.h.
 */
#ifndef MCP_TOOLS_CODE_DIFF_H
#define MCP_TOOLS_CODE_DIFF_H

#include "mcp/tools_code.h"

struct tool_diff {
    struct tool_run *run;
    const struct code *old_code;
    const struct code *new_code;
    const struct code_snapshot *old_snapshot;
    const struct code_snapshot *new_snapshot;
    struct code_diff diff;
};

/* tool_diff_open reads `old_snapshot`, `new_snapshot` and compares the two; to
 * be closed even after the run has failed. */
void tool_diff_open(struct tool_diff *d, struct tool_run *run);
void tool_diff_close(struct tool_diff *d);

/* tool_diff_link is the edge that was added or removed, as |code| has it;
 * never NULL. */
const struct code_link *
tool_diff_link(const struct code *code, const struct code_edge_change *edge);
/* put_symbol adds what semantic_diff tells of a vertex. */
void put_symbol(const struct code *code, cJSON *row, uint32_t id);
/* edge_change_row is an edge by the names of its ends. */
cJSON *
edge_change_row(const struct code *code, const struct code_edge_change *edge);
/* reply_counts makes `summary` an object of knowing's counts; |text| says the
 * same in words. */
cJSON *reply_counts(struct tool_run *run, const char *text);

#endif
