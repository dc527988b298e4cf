/*
 * tools_search - rows of the tool search.
 *
 * Threads    A run belongs to one thread.
 */
#ifndef MCP_TOOLS_SEARCH_H
#define MCP_TOOLS_SEARCH_H

#include "knowledge/search.h"
#include "mcp/tools_explore.h"

struct search_row {
    const struct search_hits *hits;
    const struct search_hit *hit; /* NULL: of a list */
    const struct object *object;
    double score;
};

/* search_put adds a result; |is_full|: the reply takes no more. */
enum err
search_put(struct explore *e, const struct search_row *of, bool *is_full);

/* search_deadline is when a search that begins now is over; search_fail tells
 * why it failed, unless that has been told or |err| is OK. */
uint64_t search_deadline(const struct tool_run *run);
void search_fail(struct near_run *n, enum err err);

bool search_is_document(const struct object *object);

#endif
