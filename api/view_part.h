/*
 * view_part - the part of a graph that is shown: nodes and edges as they are
 * picked, each once, and what was left out.
 *
 * Memory     part_fini.
 * Bound      part.limit nodes; edges as api/view.h says.
 * Threads    None.
 */
#ifndef API_VIEW_PART_H
#define API_VIEW_PART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "graph/query_edges.h"

struct part_node {
    uint32_t id; /* observed node, or place */
    uint32_t depth;
    uint32_t hidden; /* edges at it that are not shown, as far as looked at */
    bool is_rim;     /* what lies beyond was not looked at */
    bool has_edge;   /* among those shown */
    bool has_topic;  /* is told of messages by a topic, too */
    uint16_t brought[2]; /* nodes taken for it: callees, callers */
    int64_t in, in_errors;
    int64_t out, out_errors;
    uint32_t last_s;
    uint64_t p95_ns;
};

struct part_edge {
    uint32_t source; /* ids as of nodes */
    uint32_t target;
    uint8_t kind;     /* enum edge_kind, or joined_type */
    uint8_t evidence; /* enum joined_evidence */
    int64_t count;
    int64_t errors;
    uint32_t first_s;
    uint32_t last_s;
    uint64_t p50_ns, p95_ns, p99_ns;
    struct exemplar exemplars[QUERY_EXEMPLARS_MAX];
    size_t exemplar_len;
};

struct part {
    struct part_node *nodes; /* in the order in which they were met */
    size_t len, cap;
    struct part_edge *edges;
    size_t edge_len, edge_cap;
    uint32_t *at; /* by id: index + 1 of the node */
    size_t at_cap;
    uint32_t *slots; /* of edges: index + 1 */
    size_t slot_cap;
    size_t limit;    /* nodes */
    size_t left_out; /* edges that were met and not taken */
    bool by_hub;     /* some of them because a node has too many */
    bool by_limit;   /* or because there were enough */
};

void part_fini(struct part *part);
/* part_find is NULL if |id| is not in it. */
struct part_node *part_find(const struct part *part, uint32_t id);
/* part_add_node adds |id|, or finds it; ERR_FULL: the limit is reached. */
enum err part_add_node(struct part *part, uint32_t id, uint32_t depth,
                       struct part_node **out);
bool part_has_edge(const struct part *part, const struct part_edge *edge);
/* part_add_edge adds one whose ends are there; ERR_FULL: there are enough
 * (api/view.h). */
enum err part_add_edge(struct part *part, const struct part_edge *edge);
/* part_miss counts an edge that is not taken, at |node| if not NULL. */
void part_miss(struct part *part, struct part_node *node, bool by_hub);

/* What both kinds of graph write alike. */
void view_write_counts(struct buf *out, const struct part_node *node);
void view_write_edge(struct buf *out, const struct part_edge *edge,
                     const char *kind);
void view_write_left_out(struct buf *out, const struct part *part);

#endif
