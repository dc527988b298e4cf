/*
 * extra - what a tool may do beside answering; the product does without.
 *
 * The protocol lets a server ask its client for input, send log lines and say
 * that its lists have changed.  The conformance suite wants to see all of it;
 * the fixture uses it through this header.
 *
 * Threads    As the tool functions of mcp/mcp.h.
 */
#ifndef MCP_EXTRA_H
#define MCP_EXTRA_H

#include <stdbool.h>

#include <cjson/cJSON.h>

#include "mcp/mcp.h"

enum { MCP_ASK_TIMEOUT_MS = 60000 };

/* mcp_params is the whole `params` of the request, never NULL. */
const cJSON *mcp_params(const struct mcp_call *call);

/* mcp_is_stateless says whether the request came under 2026-07-28 or later,
 * where input is asked for by an `input_required` result. */
bool mcp_is_stateless(const struct mcp_call *call);

/* mcp_client_can says whether the client declared the capability |name|.  The
 * older revisions declare it in another request, so there the answer is yes. */
bool mcp_client_can(const struct mcp_call *call, const char *name);

/* mcp_need says whether the client declared the capability |name|; if not, the
 * call's answer is the protocol error for that. */
bool mcp_need(struct mcp_call *call, const char *name);

/* mcp_refuse makes the answer a protocol error (invalid params) that says
 * |message|. */
void mcp_refuse(struct mcp_call *call, const char *message);

/* mcp_log sends a log line, |level| one of the eight of RFC 5424, unless the
 * client does not want it. */
void mcp_log(struct mcp_call *call, const char *level, const char *text);

/*
 * mcp_ask sends the client a request and waits for its result, handed over.
 * |params| is taken.  NULL after mcp_fail: the client answered an error, is
 * gone or mute, did not answer in MCP_ASK_TIMEOUT_MS, or cannot be asked.
 */
cJSON *mcp_ask(struct mcp_call *call, const char *method, cJSON *params);

enum mcp_list { MCP_LIST_TOOLS, MCP_LIST_PROMPTS, MCP_LIST_RESOURCES };

/* mcp_list_changed tells those who subscribed that |list| has changed. */
void mcp_list_changed(struct mcp_call *call, enum mcp_list list);

#endif
