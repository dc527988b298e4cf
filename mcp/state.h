/*
 * state - what one MCP server holds between requests.
 *
 * Nothing about clients, but for the sessions of the oldest transport: the
 * offer, what of it is printed already, and the few tables of what is under
 * way.
 *
 * Threads    Read only after mcp_new, but for the tables, which have locks.
 */
#ifndef MCP_STATE_H
#define MCP_STATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include <cjson/cJSON.h>

#include "base/buf.h"
#include "base/stay.h"
#include "mcp/listen.h"
#include "mcp/mcp.h"
#include "mcp/pending.h"
#include "mcp/sse.h"
#include "net/tokens.h"

/* Revisions in the order of their age. */
enum mcp_rev {
    REV_2024_11_05,
    REV_2025_03_26,
    REV_2025_06_18,
    REV_2025_11_25,
    REV_2026_07_28,
    REV_COUNT,
    REV_NEWEST_LEGACY = REV_2025_11_25,
    REV_FIRST_STATELESS = REV_2026_07_28,
};

/* rev_name is "2025-11-25"; rev_of is its inverse, or -1. */
const char *rev_name(enum mcp_rev rev);
int rev_of(const char *name);

/* What is offered; the methods of what is not do not exist. */
enum offered {
    OFFERS_NOTHING = 0,
    OFFERS_TOOLS = 1 << 0,
    OFFERS_RESOURCES = 1 << 1,
    OFFERS_PROMPTS = 1 << 2,
    OFFERS_COMPLETIONS = 1 << 3,
    OFFERS_LOGGING = 1 << 4,
    OFFERS_CHANGES = 1 << 5,
    OFFERS_SUBSCRIBE = 1 << 6,
};

enum list { LIST_TOOLS, LIST_RESOURCES, LIST_TEMPLATES, LIST_PROMPTS, LISTS };

/* JSON that is the same in every answer: members without the braces around. */
struct prepared {
    struct buf lists[LISTS];
    struct buf about; /* what discover or initialize answers */
    struct buf tail;  /* _meta; empty in the older revisions */
};

struct tool_input {
    cJSON *schema;
    bool has_mirrors; /* arguments that are repeated in headers */
};

enum { MCP_CALLS_MAX = 1024 };

struct mcp {
    struct mcp_offer own_offer;
    struct mcp_cfg own_cfg;
    const struct mcp_offer *offer; /* the copies above */
    const struct mcp_cfg *cfg;
    struct server *server; /* NULL: everything runs where it arrives */
    size_t reply_bytes;
    unsigned offered;             /* enum offered */
    struct tool_input *inputs;    /* of each tool of the offer */
    struct tokens *tokens;        /* of callers over HTTP */
    struct kept *kept;            /* NULL: no answer is kept */
    atomic_uint_fast64_t effects; /* calls of tools that do not only read */
    struct prepared prepared[REV_COUNT];
    atomic_uint calls; /* under way, at most MCP_CALLS_MAX */
    struct stay stay;  /* of calls that waited for a thread */
    struct live live;
    struct pending pending;
    struct listen listen;
    struct sse sse;
};

/* state_prepare fills prepared and inputs; ERR_INVALID, ERR_NOMEM. */
enum err state_prepare(struct mcp *mcp);

#endif
