/*
 * method - the methods of the protocol, by the file that answers them.
 *
 * Threads    As the calls they answer.
 */
#ifndef MCP_METHOD_H
#define MCP_METHOD_H

struct mcp_call;

typedef void method_fn(struct mcp_call *call);

/* lists.c */
method_fn method_discover;
method_fn method_initialize;
method_fn method_tools_list;
method_fn method_resources_list;
method_fn method_templates_list;
method_fn method_prompts_list;

/* methods.c */
method_fn method_tools_call;
method_fn method_resources_read;
method_fn method_prompts_get;
method_fn method_complete;

/* extra.c */
method_fn method_set_level;

/* listen.c */
method_fn method_listen;

#endif
