/*
 * tools_explore_list - which objects explore lists: what was asked, and what
 * passes.
 *
 * Threads    A run belongs to one thread.
 */
#ifndef MCP_TOOLS_EXPLORE_LIST_H
#define MCP_TOOLS_EXPLORE_LIST_H

#include "mcp/tools_explore.h"

enum { TYPES_MAX = 32 };

/* What words of `types` mean in each world. */
struct wanted {
    bool is_all;
    uint32_t nodes; /* bits of enum node_kind */
    uint32_t codes; /* bits of enum code_kind */
    bool repos;
    bool tests;
    const char *added[TYPES_MAX]; /* of entity_types */
    size_t added_len;
};

struct asked {
    struct wanted types;
    str language, category, status, priority, complexity, feature, source,
        source_id, assignee;
    int64_t project;
    int64_t epic;
    bool no_epic;
    bool archived;
    const cJSON *tags;
    bool is_added_only; /* a filter that only what was added can pass */
};

struct listed {
    int64_t oid;
    uint32_t node;
    uint32_t vertex;
    uint32_t repo;
    size_t declared; /* index in the audit + 1 */
};

/* A list in the making; |err| ends it. */
struct listing {
    struct explore *e;
    struct asked asked;
    struct listed *rows;
    size_t len;
    size_t cap;
    enum err err;
};

/* list_read reads all filters; list_read_types only types, of argument |name|.
 */
void list_read_types(struct listing *l, const char *name);
void list_read(struct listing *l);
/* list_passes says whether what was added passes them. */
bool list_passes(struct listing *l, int64_t oid);
/* list_from says whether |object| comes from the source that was asked for: of
 * code the repository, of what is observed the service. */
bool list_from(struct listing *l, const struct object *object);
/* list_takes says whether |object| of any world passes. */
bool list_takes(struct listing *l, const struct object *object);
/* list_gather fills the rows with all that passes, and list_object makes the
 * object of one. */
void list_gather(struct listing *l);
enum err
list_object(struct listing *l, const struct listed *listed, struct object *out);
/* list_explain_empty hints why nothing is told: |fit| objects fit |query| or
 * are near one that does, and none passes what was asked.  |is_all|: no part of
 * the search failed or came too late. */
void list_explain_empty(struct listing *l, str query, size_t fit, bool is_all);
/* list_has: |word| is one of a list with commas, in any case. */
bool list_has(str list, str word);

#define NODE_BIT(kind) (UINT32_C(1) << (kind))

#endif
