/*
 * tools_near - what the tools share that list, walk and show objects of all
 * worlds (knowledge/object.h).
 *
 * Threads    A run belongs to one thread.
 */
#ifndef MCP_TOOLS_NEAR_H
#define MCP_TOOLS_NEAR_H

#include "base/ids.h"
#include "graph/audit.h"
#include "knowledge/near.h"
#include "mcp/tools_knowledge.h"

/* A state of what is observed; NULL beyond the last. */
enum near_state {
    STATE_NONE,
    STATE_LIVE,       /* called within the window of dead_routes */
    STATE_STALE,      /* silent, and it may only be its rhythm */
    STATE_DEAD,       /* dead_routes would list it */
    STATE_NEVER_SEEN, /* declared, and would have been seen */
    STATE_UNKNOWN,    /* its service was not observed enough to say */
    STATE_UNRESOLVED, /* a party that sends no spans itself */
    STATE_COUNT,
};
const char *near_state_str(enum near_state state);

/* What was observed of nodes, of as many as were asked for. */
struct near_facts {
    bool is_all;      /* of all; only then with |audit| */
    uint32_t len;     /* of the arrays, by node */
    uint8_t *known;   /* what was read: mcp/tools_near_facts.c */
    uint32_t *last_s; /* 0: never */
    int64_t *calls;   /* within 30 days */
    uint8_t *states;  /* enum near_state */
    struct audit audit;
};

struct near_run {
    struct know_run know;
    struct tool_run *run;
    struct near *near;
    struct near_facts facts;
};

/* near_begin begins a moment that reads; false: the run has failed.  After
 * either, near_end. */
bool near_begin(struct near_run *n, struct tool_run *run);
void near_end(struct near_run *n, enum err err);

/* near_seed resolves the required argument |name|. */
enum err near_seed(struct near_run *n, const char *name, struct object *out);
/* near_read_facts fills n->facts by a walk over all edges; near_read_facts_of
 * of those of |nodes| that are not known yet, best of many at once, and
 * near_read_last only last_s of them. */
enum err near_read_facts(struct near_run *n);
enum err near_read_facts_of(struct near_run *n, const struct ids *nodes);
enum err near_read_last(struct near_run *n, const struct ids *nodes);
void near_facts_fini(struct near_facts *facts);
/* near_knows says whether the facts of |node| were read. */
bool near_knows(const struct near_run *n, uint32_t node);
enum near_state near_state_of(const struct near_run *n, uint32_t node);
/* near_observed adds the nodes whose facts a row of |object| tells, on level 1
 * and above: itself, or those that a function serves. */
enum err near_observed(const struct near_run *n, const struct object *object,
                       struct ids *out);

/* near_row is id, type, name, description and metadata of |object|. */
enum err near_row(struct near_run *n, const struct object *object, cJSON **out);
/* near_put_facts adds what is known of |object| by name: its metadata. */
enum err
near_put_facts(struct near_run *n, const struct object *object, cJSON *row);
/* near_code is the code of the moment, or NULL. */
const struct code *near_code(const struct near_run *n);
/* near_disclose adds to |row| what disclosure |level| shows of |object|, and
 * nothing that it does not. */
enum err near_disclose(struct near_run *n, const struct object *object,
                       int64_t level, cJSON *row);
/* near_put_source adds `source`: the lines of |vertex|, if the file can be read
 * in a folder that the configuration names, and is the one that was indexed. */
void near_put_source(struct near_run *n, uint32_t vertex, cJSON *row);
/* near_describe appends one line about |object|; near_preview up to |max| bytes
 * of what was added. */
enum err
near_describe(struct near_run *n, const struct object *object, struct buf *out);
enum err near_preview(struct near_run *n, const struct object *object,
                      size_t max, struct buf *out);

tool_fn tool_explore;
tool_fn tool_graph_traverse;
tool_fn tool_search;
tool_fn tool_graph_search;
tool_fn tool_graph_score;
/* tool_graph_ask answers |query| in plain words. */
void tool_graph_ask(struct tool_run *run, str query);

#endif
