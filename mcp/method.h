/*
 * method - the methods of the protocol, by the file that answers them.
 *
 * Threads    As the calls they answer.
 */
#ifndef MCP_METHOD_H
#define MCP_METHOD_H

#include <stdbool.h>

#include <cjson/cJSON.h>

struct mcp_call;

typedef void method_fn(struct mcp_call *call);

/* lists.c */
method_fn method_discover;
method_fn method_initialize;
method_fn method_tools_list;
method_fn method_resources_list;
method_fn method_templates_list;
method_fn method_prompts_list;

/* method_call.c */
method_fn method_tools_call;

/* method_answer_kept answers a tools/call with what is kept, on any thread and
 * at once; false: it has not, and the call must be run. */
bool method_answer_kept(struct mcp_call *call);

/* methods.c */
method_fn method_resources_read;
method_fn method_prompts_get;
method_fn method_complete;

/* For what functions of the offer return: method_answer_raw answers with a
 * result that one built whole, and frees it; method_is_refused answers with the
 * protocol error that one asked for, if it did; method_fault is what one says
 * is wrong. */
void method_answer_raw(struct mcp_call *call, cJSON *result);
bool method_is_refused(struct mcp_call *call);
const char *method_fault(struct mcp_call *call);
/* method_arguments is the member `arguments`, or an empty object in its place;
 * NULL when it is something else. */
cJSON *method_arguments(struct mcp_call *call);

/* extra.c */
method_fn method_set_level;

/* listen.c */
method_fn method_listen;

#endif
