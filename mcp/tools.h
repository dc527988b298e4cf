/*
 * tools - what our MCP server offers: questions to the graph.
 *
 * Each tool takes names and gives names, says of what window and moment its
 * answer is, what was left out and how to get it, and, when it has nothing to
 * show, whether that means "no traffic" or "no telemetry".  All are read-only.
 *
 *     tools_new(&tools, &cfg, &why);
 *     mcp_new(&mcp, tools_offer(tools), &cfg);
 *
 * Bound      A reply is at most TOOLS_REPLY_BYTES of JSON; lists are cut there
 *            and give a cursor.  The context tools have their budget of
 *            tokens instead.  A text that is asked with is at most
 *            TOOLS_TEXT_BYTES.
 * Threads    After tools_new, any.
 */
#ifndef MCP_TOOLS_H
#define MCP_TOOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cjson/cJSON.h>

#include "base/buf.h"
#include "base/err.h"
#include "graph/query.h"
#include "graph/world.h"
#include "mcp/mcp.h"

enum {
    TOOLS_REPLY_BYTES = 32000,
    TOOLS_TEXT_BYTES = 200000, /* what `add` may need for 50,000 characters */
};

struct knowledge;
struct tools;

/* What the tools answer from; all of it outlives them. */
enum { SEARCH_LIMIT_S = 30 };

struct tools_cfg {
    struct query *query;
    struct world *world;         /* NULL: no code; tools about code say so */
    struct knowledge *knowledge; /* NULL: none is kept; its tools say so */
    const char *data;            /* directory of the store, for index_repo */
    bool index_anywhere; /* its clients may name any folder; else none but */
    const char *const *index_paths; /* those below these, if there are any */
    size_t index_path_len;
    uint64_t search_limit_ns; /* of one search; 0: SEARCH_LIMIT_S */
    bool is_efold; /* age counts 1/e after temporal_decay_days, not half */
    const char *receives; /* where spans are taken, in words; NULL: unknown */
    const char *version;
    const char *toolsets; /* words with commas: runtime, graph, context,
                             knowledge, xplor, sibyl, knowing, all;
                             NULL: those that answer most questions */
    const char *only;     /* names of tools with commas: these, whatever the
                             toolsets; NULL or empty: those of the toolsets */
    const char *without;  /* likewise: these not */
    bool read_only;       /* of them none that writes */
    uint64_t (*changes)(
        void *ctx); /* mcp_offer.data_version; NULL: not known */
    void *changes_ctx;
};

/* tools_clock_fn is the time now, in seconds since the epoch. */
typedef uint32_t tools_clock_fn(void *ctx);

/* tools_new: ERR_INVALID, no such toolset or tool, and |why| names them;
 * ERR_NOMEM. */
enum err
tools_new(struct tools **out, const struct tools_cfg *cfg, struct buf *why);
void tools_free(struct tools *tools);

/* tools_set_clock replaces the wall clock, before the first call. */
void tools_set_clock(struct tools *tools, tools_clock_fn *clock, void *ctx);

/* tools_set_ignore names routes (globs) that dead_routes lists as suppressed.
 * Before the first call; |ignore| must outlive |tools|. */
void
tools_set_ignore(struct tools *tools, const char *const *ignore, size_t len);

/* tools_offer is valid as long as |tools|. */
const struct mcp_offer *tools_offer(struct tools *tools);

/*
 * tools_call runs tool |name| without a client.  |out| is its structured
 * content, the caller's; after a failure NULL, and |why| says what would work.
 *
 * ERR_NOT_FOUND  no such tool
 * ERR_INVALID    the arguments, or what they name, are wrong
 * others         as graph/query.h
 */
enum err tools_call(struct tools *tools, const char *name, const cJSON *args,
                    cJSON **out, struct buf *why);

/* tools_check_sets: ERR_INVALID, and |why| says so, if |toolsets| names one
 * that is none. */
enum err tools_check_sets(const char *toolsets, struct buf *why);

/* tools_check_names: ERR_INVALID, and |why| says so, if |names|, with commas,
 * has one that is no tool. */
enum err tools_check_names(const char *names, struct buf *why);

/* tools_help describes |tool| and its arguments for people; if it is none, all
 * tools in a line each. */
void tools_help(const char *tool, struct buf *out);

/* tools_has: some toolset has a tool |name|. */
bool tools_has(const char *name);

/* tools_argument adds `key=value` to |args|, typed as the tool's input schema
 * says.  ERR_NOT_FOUND: no such tool; ERR_INVALID: not such a pair, or its key
 * is there already. */
enum err tools_argument(const char *tool, const char *pair, cJSON *args,
                        struct buf *why);

#endif
