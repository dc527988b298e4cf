/*
 * tools_parts - what the tools share: arguments in, an envelope out.
 *
 * Threads    A run belongs to one thread.
 */
#ifndef MCP_TOOLS_PARTS_H
#define MCP_TOOLS_PARTS_H

#include <stdbool.h>

#include "graph/query_edges.h"
#include "mcp/tools.h"

/* A tool of these tools, as its function is given it by the server. */
struct tool_bound {
    struct tools *tools;
    const struct tool *tool;
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
    cJSON *reply;                /* the envelope being filled */
    cJSON *hints;
    struct buf *why; /* what is wrong, and what would work */
    cJSON *failure;  /* what a client is told of it beside that, or NULL */
    enum err err;
    bool is_detailed;
};

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
/* tool_select gives the tools of |sets|, in order; |out| may be NULL. */
size_t tool_select(uint32_t sets, const struct tool **out);

enum { TOOLS_MAX = 64 };
/* tools_bind fills the list of those that are offered. */
void tools_bind(struct tools *tools, uint32_t sets);

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
/* tool_look_at_code fills run->joined, if it can: where it is a help and no
 * need. */
void tool_look_at_code(struct tool_run *run);

/* tool_fail ends the run with a message; later ones are not heard. */
void tool_fail(struct tool_run *run, enum err err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void tool_hint(struct tool_run *run, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* ---- arguments; on a wrong one the run has failed ---- */

str tool_str(struct tool_run *run, const char *name);
int64_t tool_int(struct tool_run *run, const char *name, int64_t otherwise,
                 int64_t least, int64_t most);
/* tool_since is when a window of calls begins; one that is yet to come is
 * refused.  Read as tool_time does. */
uint32_t tool_since(struct tool_run *run);
/* tool_time reads "15m", "24h", "7d", "2w", RFC 3339 or Unix seconds; 0: all
 * time.  tool_duration reads a length. */
uint32_t tool_time(struct tool_run *run, const char *name);
uint32_t
tool_duration(struct tool_run *run, const char *name, uint32_t otherwise);
enum query_level tool_level(struct tool_run *run, enum query_level otherwise);
uint32_t tool_kinds(struct tool_run *run);
/* tool_services finds the services (or other |kinds|, bits) that argument
 * |name| names in |env|; all fitting it if it holds a `*`.  None is a failure
 * that names the nearest. */
void tool_services(struct tool_run *run, const char *name, uint32_t kinds,
                   struct query_ids *out);
#define TOOL_SERVICE (UINT32_C(1) << NODE_SERVICE)
#define TOOL_PARTY                                                             \
    (TOOL_SERVICE | UINT32_C(1) << NODE_TOPIC | UINT32_C(1) << NODE_DATABASE | \
     UINT32_C(1) << NODE_EXTERNAL)

/* tool_scope is what the optional arguments `service` (of |kinds|) and `env`
 * leave over: |out|, or NULL for all.  An unknown name is a failure. */
const struct query_ids *
tool_scope(struct tool_run *run, uint32_t kinds, struct query_ids *out);

/* ---- the envelope ---- */

/* A list of |total| rows, from which one page is shown.  |key| tells rows
 * apart, whatever their order becomes. */
struct tool_page {
    struct tool_run *run;
    const char *name; /* of the array in the reply */
    cJSON *array;
    size_t total;
    size_t at;
    size_t end; /* by the limit */
    size_t first;
    size_t bytes; /* so far; at the start, what is kept for other members */
    uint64_t (*key)(const void *ctx, size_t i);
    const void *ctx;
};
/* page_open reads limit and cursor. */
void page_open(struct tool_page *page, int64_t limit);
/* page_more: row page->at is to be shown. */
bool page_more(const struct tool_page *page);
/* page_add shows it; |row| is the page's. */
void page_add(struct tool_page *page, cJSON *row);
/* page_close adds total, returned, truncated and next_cursor. */
void page_close(struct tool_page *page);

uint64_t edge_row_key(const void *edges, size_t i);

/* reply_window adds what part of time was asked. */
void reply_window(struct tool_run *run, struct query_window window);
/* many is the ending of a word for |count| of its kind. */
static inline const char *
many(int64_t count)
{
    return count == 1 ? "" : "s";
}

void reply_summary(struct tool_run *run, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* reply_silence hints why there is nothing to show of |services|. */
void reply_silence(struct tool_run *run, const struct query_ids *services);
/* reply_last returns when the last span came; none is hinted, and 0. */
uint32_t reply_last(struct tool_run *run);
/* reply_blind hints which of |services| send no spans. */
void reply_blind(struct tool_run *run, const struct query_ids *services);

/* ---- values ---- */

cJSON *json_str(str value);
void put_str(cJSON *object, const char *name, str value);
void put_num(cJSON *object, const char *name, double value);
/* put_round keeps three significant digits; < 0 is null. */
void put_round(cJSON *object, const char *name, double value);
/* put_time adds Unix seconds, or null for 0. */
void put_time(cJSON *object, const char *name, uint32_t at_s);
void put_hash(cJSON *object, const char *name, const unsigned char hash[32]);
void
put_name(struct tool_run *run, cJSON *object, const char *name, uint32_t node);
/* put_qualified adds `service name`. */
void put_qualified(struct tool_run *run, cJSON *object, const char *name,
                   uint32_t node);
void put_versions(struct tool_run *run, cJSON *object, const char *name,
                  const uint32_t versions[QUERY_VERSIONS_MAX]);
/* put_code adds what function |node| is, where that is known: its name, where
 * it stands, how it was found. */
void
put_code(struct tool_run *run, cJSON *object, const char *name, uint32_t node);
void put_latency(cJSON *object, const struct query_detail *detail);

/* put_dead_code adds what the code says of row |i| of dead_routes. */
struct closure;
void put_dead_code(struct tool_run *run, cJSON *row, struct closure *closure,
                   size_t i);

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
