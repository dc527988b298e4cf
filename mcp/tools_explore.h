/*
 * tools_explore - the modes of explore.
 *
 * Threads    A run belongs to one thread.
 */
#ifndef MCP_TOOLS_EXPLORE_H
#define MCP_TOOLS_EXPLORE_H

#include <stdbool.h>

#include "mcp/tools_near.h"

struct explore {
    struct near_run n;
    struct tool_run *run;
    const char *mode;
    int64_t limit;
    int64_t offset;
    cJSON *filters; /* of the reply */
    cJSON *entities;
    size_t bytes; /* of the entities so far */
};

/* explore_clamp is a whole number, brought between |least| and |most|. */
int64_t explore_clamp(struct tool_run *run, const char *name, int64_t otherwise,
                      int64_t least, int64_t most);
/* explore_push adds a row, the reply's; false: that was the last that fits. */
bool explore_push(struct explore *e, cJSON *row);
/* explore_total adds total, has_more and actual_total. */
void explore_total(struct explore *e, size_t shown, size_t matching);

enum err explore_list(struct explore *e);
enum err explore_walk(struct explore *e, uint32_t depth);
enum err explore_depends(struct explore *e);

#endif
