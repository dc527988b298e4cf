/*
 * tools_plan_rules - the words of a task that speak of a tool.
 *
 * Threads    Any; literals.
 */
#ifndef MCP_TOOLS_PLAN_RULES_H
#define MCP_TOOLS_PLAN_RULES_H

#include <stddef.h>

struct plan_rule {
    const char *tool;
    const char *words;
    const char *reason; /* to call it, as the suggestion says */
    const char *extra;  /* an argument, name=value; NULL: none */
};

/* Of two tools that a task speaks of as much, the first is suggested first. */
extern const struct plan_rule plan_rules[];
extern const size_t plan_rule_len;

#endif
