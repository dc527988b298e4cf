/*
 * tools_knowledge - what the tools over knowledge share.
 *
 * Threads    A run belongs to one thread.
 */
#ifndef MCP_TOOLS_KNOWLEDGE_H
#define MCP_TOOLS_KNOWLEDGE_H

#include <stdbool.h>

#include "knowledge/knowledge.h"
#include "knowledge/object.h"
#include "mcp/tools_parts.h"

/* A call that works on knowledge. */
struct know_run {
    struct tool_run *run;
    struct moment moment;
    struct buf why;
    bool is_begun;
};

/* know_begin begins a moment that reads, or writes; false: the run has failed.
 * After either, know_end. */
bool know_begin(struct know_run *know, struct tool_run *run, bool writes);
/* know_end ends it; the run fails with |err|. */
void know_end(struct know_run *know, enum err err);

/* know_array is an argument that is an array of texts, or one text; NULL: it
 * is not there, or the run has failed. */
const cJSON *know_array(struct tool_run *run, const char *name);
/* know_bool: |otherwise| if it is not there. */
bool know_bool(struct tool_run *run, const char *name, bool otherwise);
/* know_time reads an ISO date or instant; 0 if it is not there. */
uint32_t know_time(struct tool_run *run, const char *name);

/* know_put_timestamp adds `timestamp`, RFC 3339. */
void know_put_timestamp(struct tool_run *run, cJSON *object);
/* know_failure is what a client is told of a failure, to be filled with what
 * the tool has; run->failure. */
cJSON *know_failure(struct tool_run *run);

#endif
