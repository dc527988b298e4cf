/*
 * mcp - a Model Context Protocol server: protocol, no knowledge of graphs.
 *
 * Speaks revisions 2026-07-28 (stateless, `_meta` in each request) and
 * 2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05 (initialize) from one
 * endpoint, over stdio, Streamable HTTP and the HTTP with SSE that was before
 * it (mcp/sse.h); spec/mcp.md says how each row is met.  What it offers is a
 * struct mcp_offer of tables: tools, resources, prompts, completions.  Our
 * product and the conformance fixture are two such tables.
 *
 * It keeps no session but those of HTTP with SSE: every other HTTP request
 * stands for itself.
 *
 * Memory     Replies are bounded by reply_bytes.  What the offer and the
 *            configuration point to is borrowed until mcp_free.
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

#include "base/err.h"
#include "mcp/offer.h"
#include "net/server.h"

struct mcp;

struct mcp_cfg {
    size_t reply_bytes; /* 4 MiB */
    size_t kept_bytes;  /* of answers kept (mcp/kept.h); 0: none */
    const char *const *allowed_hosts; /* besides loopback names */
    size_t allowed_host_len;
    const char *const *allowed_origins; /* besides loopback origins */
    size_t allowed_origin_len;
    const char *const *tokens; /* see mcp_set_tokens; copied */
    size_t token_len;
    uint64_t answer_ms;   /* longest question; 0: no bound */
    uint64_t sse_idle_ms; /* ends a session of /sse; 0: /sse is not served */
};

/* mcp_new: ERR_NOMEM; ERR_INVALID: a schema in |offer| is no JSON object
 * schema, or a name is none. */
enum err mcp_new(struct mcp **out, const struct mcp_offer *offer,
                 const struct mcp_cfg *cfg);

/* mcp_stop ends what stays open, subscriptions and questions to clients.  Call
 * it before server_stop; mcp_free, after it, when no request is left. */
void mcp_stop(struct mcp *mcp);
void mcp_free(struct mcp *mcp);

/* mcp_set_tokens replaces the bearer tokens that callers over HTTP may have;
 * none lets everyone in.  ERR_INVALID: an empty one; ERR_NOMEM.  On failure the
 * old ones stay.  Any thread. */
enum err mcp_set_tokens(struct mcp *mcp, const char *const *tokens, size_t len);

/* mcp_set_server tells where calls may block (server_work). */
void mcp_set_server(struct mcp *mcp, struct server *server);

/* Bytes of a message over HTTP. */
enum { MCP_BODY_MAX = 4 << 20 };

/* mcp_http_handle is the request_handler of the path it is mounted on. */
void mcp_http_handle(void *ctx, struct request *req);

/* mcp_sse_handle is that of the path /sse, the transport of 2024-11-05. */
bool mcp_is_sse(str path);
void mcp_sse_handle(void *ctx, struct request *req);

/* mcp_rest_handle answers POST /api/search and /api/search/explore: the body is
 * the arguments of the tool, the answer its structured content, or with 400 or
 * 404 {"error": ...}.  Host, Origin and token as above. */
bool mcp_is_rest(str path);
void mcp_rest_handle(void *ctx, struct request *req);

/* mcp_stdio_run serves one client on two file descriptors until the input
 * ends, answering all it has read.  OK at the end of input; ERR_IO: one of the
 * two failed; ERR_NOMEM. */
enum err mcp_stdio_run(struct mcp *mcp, int in_fd, int out_fd);

/* mcp_has_method: some revision has a method |name|. */
bool mcp_has_method(const char *name);

/* ---- for tool functions ---- */

/* mcp_fail makes the call's result an error (isError) that says |format|; a
 * good one shows a call that would work. */
void mcp_fail(struct mcp_call *call, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* mcp_missing says, where a resource is not there, |why| or what is instead;
 * without it the answer names the lists. */
void mcp_missing(struct mcp_call *call, str why);

/* mcp_progress tells the client, if it asked to be told. */
void mcp_progress(struct mcp_call *call, double done, double total,
                  const char *message);

/* mcp_is_cancelled says whether the client has gone or cancelled. */
bool mcp_is_cancelled(const struct mcp_call *call);

/* mcp_is_over says that nobody waits for the answer of what only reads: the
 * client has gone, in any revision, or cancelled, or waited answer_ms. */
bool mcp_is_over(const struct mcp_call *call);

#endif
