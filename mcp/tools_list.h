/*
 * tools_list - what a tool is, and the tables of all that there are.
 *
 * Memory     Nothing of it changes or goes.
 * Threads    Any.
 */
#ifndef MCP_TOOLS_LIST_H
#define MCP_TOOLS_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

struct tool_run; /* mcp/tools_parts.h */
typedef void tool_fn(struct tool_run *run);

/* Bits of tool.sets; a word of --toolsets each. */
enum toolset {
    TOOLSET_DEFAULT = 1, /* offered where nothing is said */
    TOOLSET_RUNTIME = 2,
    TOOLSET_GRAPH = 4,   /* of the code, and both worlds */
    TOOLSET_CONTEXT = 8, /* for a task, files, a pull request */
    TOOLSET_KNOWLEDGE = 16,
    TOOLSET_XPLOR = 32,
    TOOLSET_SIBYL = 64,
    TOOLSET_KNOWING = 128, /* the 22 of that name */
};

struct tool {
    uint32_t sets; /* enum toolset */
    bool writes;   /* else it only reads */
    const char *name;
    const char *title;
    const char *description;
    const char *input_schema;
    const char *output_schema;
    const char *example; /* arguments of a call that works on any graph */
    tool_fn *fn;
    tool_fn *tell; /* of a failure, into run->failure, when |fn| has not */
};

/* All tools, a table a family (mcp/tools_table*.c). */
struct tool_list {
    const struct tool *tools;
    size_t len;
};
extern const struct tool_list tool_list_runtime;
extern const struct tool_list tool_list_graph;
extern const struct tool_list tool_list_context;
extern const struct tool_list tool_list_knowledge;
extern const struct tool_list tool_list_near;
extern const struct tool_list *const tool_lists[]; /* NULL ends them */
const struct tool *tool_find(const char *name);
/* tool_sets_of reads the words of --toolsets.  ERR_INVALID; |why| names them.
 */
enum err tool_sets_of(const char *text, uint32_t *sets, struct buf *why);
/* tool_select gives the tools that |cfg| asks for, of |sets| if it names none,
 * in order; |out| may be NULL. */
size_t tool_select(const struct tools_cfg *cfg, uint32_t sets,
                   const struct tool **out);

/* The tools. */
tool_fn tool_runtime_traffic;
tool_fn tool_service_map;
tool_fn tool_who_calls;
tool_fn tool_dead_routes;
tool_fn tool_trace_stats;
tool_fn tool_graph_query;
tool_fn tool_graph_node;
tool_fn tool_explain;
tool_fn tool_add, tool_add_tell;
tool_fn tool_manage, tool_manage_tell;

#endif
