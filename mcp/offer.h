/*
 * offer - what an MCP server has: tables of tools, resources, prompts.
 *
 * Filled by hand, constant, and printed once when the server starts.  The order
 * of a table is the order in which clients are shown it.
 *
 * Memory     All of it is borrowed by mcp_new until mcp_free.
 * Threads    The functions are called on several threads at once.
 */
#ifndef MCP_OFFER_H
#define MCP_OFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cjson/cJSON.h>

struct mcp_call;

/*
 * An mcp_tool_fn answers one tools/call.  |args| is an object, already checked
 * against the input schema's types and required members.  It returns the
 * structured content (an object, handed over), or after mcp_fail NULL or what
 * its output schema says of a failure.
 */
typedef cJSON *mcp_tool_fn(void *ctx, struct mcp_call *call, const cJSON *args);

struct mcp_tool {
    const char *name;
    const char *title;
    const char *description;
    const char *input_schema;  /* JSON text, 2020-12, an object */
    const char *output_schema; /* JSON text, or NULL */
    const char *example; /* JSON text of arguments, for whoever left some out;
                            or NULL */
    mcp_tool_fn *fn;
    /* What the output schema says of a call whose arguments are refused because
     * of |why| before |fn| sees them, handed over; NULL: only text is told. */
    cJSON *(*refused)(void *ctx, const cJSON *args, const char *why);
    void *ctx; /* of the two; NULL: the offer's */
    bool read_only;
    bool destructive;
    bool idempotent;
    bool raw_result; /* |fn| returns the whole result (`content`, ...) */
    bool may_keep;   /* the answer is as good a second later, while the data's
                        version stays; not with raw_result */
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
    /* How to have |name|, which is not among |tools|, offered; NULL: there is
     * no such tool.  May itself be NULL. */
    const char *(*tool_elsewhere)(const char *name);
    const struct mcp_resource *resources;
    size_t resource_len;
    const struct mcp_prompt *prompts;
    size_t prompt_len;
    /* completion/complete: an array of strings, best first, or NULL.  |ref| is
     * the name of a prompt or the URI of a resource or template; |chosen| an
     * object of the arguments that have a value already, or NULL. */
    cJSON *(*complete)(void *ctx, const char *ref, const char *argument,
                       const char *value, const cJSON *chosen);
    /* Changes when what tools answer from has changed, and costs nothing to
     * ask; NULL: that is not known, and no answer is kept. */
    uint64_t (*data_version)(void *ctx);
    void *ctx; /* of all the functions above */

    bool logging;      /* the tools use mcp_log */
    bool list_changed; /* the tools use mcp_list_changed */
    bool subscribe;    /* answer resources/subscribe, before 2026-07-28 */
};

#endif
