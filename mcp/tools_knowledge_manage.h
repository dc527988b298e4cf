/*
 * tools_knowledge_manage - one call of `manage`, and its parameters.
 *
 * Threads    A run belongs to one thread.
 */
#ifndef MCP_TOOLS_KNOWLEDGE_MANAGE_H
#define MCP_TOOLS_KNOWLEDGE_MANAGE_H

#include "knowledge/work.h"
#include "mcp/tools_knowledge.h"

struct managing {
    struct tool_run *run;
    struct moment *moment;
    struct work work;
    const cJSON *data;    /* argument `data`; may be NULL */
    struct object object; /* entity_id, where it is needed */
    struct task task;     /* NEED_TASK and NEED_EPIC */
    struct buf message;
    void (*long_work)(struct managing *m); /* when the moment is over */
};

/* Crawling m->object, or all sources, in moments of their own. */
void managing_crawl(struct managing *m);
void managing_refresh(struct managing *m);

/* A parameter |name|: flat, or in data, or there as |other| (or NULL).  What is
 * not there leaves |out| empty, a number as it was; ERR_INVALID says what it
 * must be. */
enum err managing_text(const struct managing *m, const char *name,
                       const char *other, str *out);
enum err managing_number(const struct managing *m, const char *name,
                         const char *other, double *value);
enum err managing_list(const struct managing *m, const char *name,
                       const char *other, const cJSON **out);

#endif
