/*
 * tools_ask - the parts of one question to graph_query.
 *
 * Threads    A run belongs to one thread.
 */
#ifndef MCP_TOOLS_ASK_H
#define MCP_TOOLS_ASK_H

#include <stdbool.h>

#include "knowledge/intent.h"
#include "mcp/tools_near.h"

enum {
    NODES = 20,
    NODES_MAX = 100,
    SPOTS_MAX = 2000,
    FAR = 10,
    MARGIN = 9000,
    SEVERAL = 5, /* that are told of those a name fits */
};

struct ask {
    struct near_run n;
    struct tool_run *run;
    struct intent intent;
    int64_t level;
    size_t max;
    str prefix;
    cJSON *nodes;
    cJSON *edges;
    cJSON *facts; /* the numbers of the summary, by name */
    size_t shown;
    size_t above; /* of these, communities told first */
    size_t total;
    size_t bytes;
    bool is_full;
};

/* ask_put shows |object|, or counts it where no more can be shown. */
enum err ask_put(struct ask *a, const struct object *object, double score);
/* ask_types: those of calls, or all. */
enum err ask_types(struct ask *a, bool is_calls, struct near_types *out);

/* ask_dead shows the dead routes of |service|, or where that is none of all. */
enum err ask_dead(struct ask *a, const struct object *service);

/* ask_communities shows what the graph falls into; ask_overview, of |seed|,
 * only what contains it or what it serves. */
enum err ask_communities(struct ask *a);
enum err ask_overview(struct ask *a, const struct object *seed);

#endif
