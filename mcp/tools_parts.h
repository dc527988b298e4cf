/*
 * tools_parts - what the tools share: those that are offered, and one call of
 * one (mcp/tools_list.h says what a tool is).
 *
 * Its arguments are read by mcp/tools_args.h, its reply is filled by
 * mcp/tools_reply.h.
 *
 * Threads    A run belongs to one thread.
 */
#ifndef MCP_TOOLS_PARTS_H
#define MCP_TOOLS_PARTS_H

#include <stdbool.h>

#include "mcp/tools.h"
#include "mcp/tools_list.h"

/* A tool of these tools, as its function is given it by the server. */
struct tool_bound {
    struct tools *tools;
    const struct tool *tool;
    char *shape; /* of its answers, as the list has it */
};

struct tools {
    struct tools_cfg cfg;
    tools_clock_fn *clock;
    void *clock_ctx;
    const char *const *ignore;
    size_t ignore_len;
    struct mcp_offer offer;
    struct mcp_tool *list; /* those that are offered */
    struct tool_bound *bound;
    size_t len;
};

/* One call of one tool. */
struct tool_run {
    struct tools *tools;
    const struct tool *tool;
    const cJSON *args;
    struct query_view *view;
    struct mcp_call *call;       /* NULL: without a client */
    const struct joined *joined; /* see tool_joined */
    bool is_code_known;          /* tool_has_code: it was asked */
    bool has_code;
    cJSON *reply; /* the envelope being filled */
    cJSON *hints;
    struct buf *why; /* what is wrong, and what would work */
    cJSON *failure;  /* what a client is told of it beside that, or NULL */
    enum err err;
    bool is_detailed;
};

enum { TOOLS_MAX = 64 };
/* tools_bind fills the list of those that are offered; ERR_NOMEM. */
enum err tools_bind(struct tools *tools, uint32_t sets);

/* tool_run_call runs |tool|, for |call| or NULL; as tools_call, but after a
 * failure of a tool that tells of it |out| is what it tells. */
enum err tool_run_call(struct tools *tools, const struct tool *tool,
                       struct mcp_call *call, const cJSON *args, cJSON **out,
                       struct buf *why);

/* tool_told_refusal is what |tool|, which has |tell|, tells of arguments that
 * were refused because of |why|. */
cJSON *tool_told_refusal(struct tools *tools, const struct tool *tool,
                         const cJSON *args, const char *why);

/* tool_joined is the graph of code and traces, for the run; NULL: it could not
 * be had, and the run has failed. */
const struct joined *tool_joined(struct tool_run *run);
/* tool_has_code: functions of code were indexed, so that it is worth asking for
 * tool_joined, which of a large graph takes seconds. */
bool tool_has_code(struct tool_run *run);
/* tool_look_at_code fills run->joined, if it can: where it is a help and no
 * need. */
void tool_look_at_code(struct tool_run *run);

/* tool_receives says where spans are to be sent. */
const char *tool_receives(const struct tool_run *run);

/* tool_fail ends the run with a message; later ones are not heard. */
void tool_fail(struct tool_run *run, enum err err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void tool_hint(struct tool_run *run, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* put_dead_code adds what the code says of row |i| of dead_routes: handler,
 * file, line and owners always. */
struct closure;
void put_dead_code(struct tool_run *run, cJSON *row, struct closure *closure,
                   size_t i);

#endif
