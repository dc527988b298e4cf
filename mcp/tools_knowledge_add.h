/*
 * tools_knowledge_add - the parts of one call of `add`.
 *
 * Threads    A run belongs to one thread.
 */
#ifndef MCP_TOOLS_KNOWLEDGE_ADD_H
#define MCP_TOOLS_KNOWLEDGE_ADD_H

#include "knowledge/entity.h"
#include "mcp/tools_knowledge.h"

struct adding {
    struct tool_run *run;
    struct moment *moment;
    const char *type;
    struct object object; /* what is added */
    int64_t project;      /* oid; 0: none */
    int64_t epic;
    size_t linked;
    cJSON *links;      /* of the reply */
    cJSON *unresolved; /* of the reply */
    bool is_task;      /* or epic */
};

/* adding_relate makes the links that were asked for, adding_mention those that
 * the content asks for. */
enum err adding_relate(struct adding *adding);
enum err adding_mention(struct adding *adding, str title, str content);

#endif
