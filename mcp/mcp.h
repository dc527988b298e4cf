/*
 * mcp - a Model Context Protocol server: protocol, no knowledge of graphs.
 *
 * Speaks revisions 2026-07-28 (stateless, `_meta` in each request) and
 * 2025-11-25, 2025-06-18, 2025-03-26 (initialize) from one endpoint, over
 * stdio and Streamable HTTP; spec/mcp.md says how each row is met.  What it
 * offers is a struct mcp_offer of tables: tools, resources, prompts,
 * completions.  Our product and the conformance fixture are two such tables.
 *
 * It keeps no session: every HTTP request stands for itself.
 *
 * Memory     Replies are bounded by reply_bytes.  The offer, the configuration
 *            and all they point to are borrowed until mcp_free.
 * Bound      1,024 calls under way; more are answered "busy".
 * Threads    mcp_http_handle: a request_handler; what may block runs on the
 *            server's work threads.  mcp_stdio_run: the caller's thread reads,
 *            one of its own calls.  Handlers must be safe to run at once on
 *            several threads.
 */
#ifndef MCP_MCP_H
#define MCP_MCP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cjson/cJSON.h>

#include "base/err.h"
#include "base/str.h"
#include "net/server.h"

struct mcp;
struct mcp_call;

/*
 * An mcp_tool_fn answers one tools/call.  |args| is an object, already checked
 * against the input schema's types and required members.  It returns the
 * structured content (an object, handed over), or after mcp_fail NULL.
 */
typedef cJSON *mcp_tool_fn(void *ctx, struct mcp_call *call, const cJSON *args);

struct mcp_tool {
    const char *name;
    const char *title;
    const char *description;
    const char *input_schema;  /* JSON text, 2020-12, an object */
    const char *output_schema; /* JSON text, or NULL */
    bool read_only;
    bool destructive;
    bool idempotent;
    mcp_tool_fn *fn;
    bool raw_result; /* |fn| returns the whole result (`content`, ...) */
};

struct mcp_resource {
    const char *uri; /* or a template, RFC 6570 level 1 */
    const char *name;
    const char *title;
    const char *description;
    const char *mime_type;
    bool is_template;
    /* Returns the `contents` array, handed over; NULL: not found, or what
     * mcp_fail says. */
    cJSON *(*read)(void *ctx, struct mcp_call *call, const char *uri);
};

struct mcp_prompt_arg {
    const char *name;
    const char *description;
    bool required;
};

struct mcp_prompt {
    const char *name;
    const char *title;
    const char *description;
    const struct mcp_prompt_arg *args;
    size_t arg_len;
    /* Returns the `messages` array, handed over; after mcp_fail NULL. */
    cJSON *(*get)(void *ctx, struct mcp_call *call, const cJSON *args);
    bool raw_result; /* |get| returns the whole result (`messages`, ...) */
};

struct mcp_offer {
    const char *name; /* serverInfo */
    const char *title;
    const char *version;
    const char *instructions; /* at most 2,000 characters */
    const struct mcp_tool *tools;
    size_t tool_len;
    const struct mcp_resource *resources;
    size_t resource_len;
    const struct mcp_prompt *prompts;
    size_t prompt_len;
    /* completion/complete: an array of strings, best first, or NULL.  |ref| is
     * the name of a prompt or the URI of a resource or template. */
    cJSON *(*complete)(void *ctx, const char *ref, const char *argument,
                       const char *value);
    void *ctx; /* of all the functions above */

    bool logging;      /* the tools use mcp_log */
    bool list_changed; /* the tools use mcp_list_changed */
    bool subscribe;    /* answer resources/subscribe, before 2026-07-28 */
};

struct mcp_cfg {
    size_t reply_bytes;               /* 4 MiB */
    const char *const *allowed_hosts; /* besides loopback names */
    size_t allowed_host_len;
    const char *const *allowed_origins; /* besides loopback origins */
    size_t allowed_origin_len;
    const char *const *tokens; /* bearer; none: no check */
    size_t token_len;
};

/* mcp_new: ERR_NOMEM; ERR_INVALID: a schema in |offer| is no JSON object
 * schema, or a name is none. */
enum err mcp_new(struct mcp **out, const struct mcp_offer *offer,
                 const struct mcp_cfg *cfg);

/* mcp_stop ends what stays open, subscriptions and questions to clients.  Call
 * it before server_stop; mcp_free, after it, when no request is left. */
void mcp_stop(struct mcp *mcp);
void mcp_free(struct mcp *mcp);

/* mcp_set_server tells where calls may block (server_work). */
void mcp_set_server(struct mcp *mcp, struct server *server);

/* mcp_http_handle is the request_handler of the path it is mounted on. */
void mcp_http_handle(void *ctx, struct request *req);

/* mcp_stdio_run serves one client on two file descriptors until the input
 * ends, answering all it has read.  OK at the end of input; ERR_IO: one of the
 * two failed; ERR_NOMEM. */
enum err mcp_stdio_run(struct mcp *mcp, int in_fd, int out_fd);

/* ---- for tool functions ---- */

/* mcp_fail makes the call's result an error (isError) that says |format|; a
 * good one shows a call that would work. */
void mcp_fail(struct mcp_call *call, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* mcp_progress tells the client, if it asked to be told. */
void mcp_progress(struct mcp_call *call, double done, double total,
                  const char *message);

/* mcp_is_cancelled says whether the client has gone or cancelled. */
bool mcp_is_cancelled(const struct mcp_call *call);

#endif
