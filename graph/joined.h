/*
 * joined - one graph of both worlds: what the code says and what was observed.
 *
 * Places are the vertices of the code and the nodes that traces name.  An
 * endpoint whose function is known (graph/join.h) is that function: so an
 * observed call runs from the function that calls to the function that
 * handles.  Everything that walks - callers, paths, blast radius, ranking,
 * communities - walks this one adjacency, and says which evidence it wants.
 *
 * Places     1 .. code->node_len - 1 are vertices of |code|; beyond, observed
 *            nodes (joined_node).
 * Memory     joined_free; holds its code.  About 32 bytes an arc and direction.
 * Threads    joined_make: as the view.  Made: any.
 */
#ifndef GRAPH_JOINED_H
#define GRAPH_JOINED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/ids.h"
#include "graph/code.h"
#include "graph/join.h"
#include "graph/query.h"

/* Bits. */
enum joined_evidence { BY_STATIC = 1, BY_OBSERVED = 2, BY_BOTH = 3 };

/* Types of arcs beyond those of enum code_edge. */
enum joined_type {
    /* Static: function to a nameless one that it passes. */
    JOINED_HANDS_ON = 31,
    /* Observed, to the end. */
    JOINED_RUNTIME_CALLS = 32, /* HTTP and whatever is no other */
    JOINED_RUNTIME_RPC = 33,
    JOINED_RUNTIME_PRODUCES = 34,
    JOINED_RUNTIME_CONSUMES = 35,
    JOINED_RUNTIME_QUERIES = 36, /* databases */
    JOINED_TYPE_END = 37,
};
const char *joined_type_str(uint8_t type);
/* joined_type_of is the inverse, code edges too; 0 for any other word. */
uint8_t joined_type_of(str word);
/* joined_type_of_edge is that of an observed edge of |kind| to a node of kind
 * |target|. */
uint8_t joined_type_of_edge(uint8_t kind, uint8_t target);

#define JOINED_BIT(type) (UINT64_C(1) << (type))
#define JOINED_RUNTIME                                                   \
    (JOINED_BIT(JOINED_RUNTIME_CALLS) | JOINED_BIT(JOINED_RUNTIME_RPC) | \
     JOINED_BIT(JOINED_RUNTIME_PRODUCES) |                               \
     JOINED_BIT(JOINED_RUNTIME_CONSUMES) | JOINED_BIT(JOINED_RUNTIME_QUERIES))
/* What a change of the target can reach: the default of walks. */
#define JOINED_CALLS                                                        \
    (JOINED_RUNTIME | JOINED_BIT(CODE_CALLS) | JOINED_BIT(CODE_PUBLISHES) | \
     JOINED_BIT(CODE_SUBSCRIBES) | JOINED_BIT(CODE_CONSUMES) |              \
     JOINED_BIT(CODE_HANDLES_ROUTE) | JOINED_BIT(JOINED_HANDS_ON))

struct joined_arc {
    uint32_t place;     /* the other end */
    uint32_t link;      /* static: index in code->out of the edge; else 0 */
    uint8_t type;       /* enum code_edge or joined_type */
    uint8_t evidence;   /* enum joined_evidence of this pair of places */
    uint8_t provenance; /* enum code_provenance; of an observed one 0 */
    uint16_t permille;  /* confidence */
    uint32_t first_s;   /* observed: of all time */
    uint32_t last_s;
    int64_t count;
    int64_t errors;
};

struct joined {
    const struct code *code; /* held */
    struct join *join;
    uint32_t place_len; /* one more than the last */
    uint32_t *out_at;   /* of place p: out[out_at[p]..out_at[p + 1]) */
    struct joined_arc *out;
    uint32_t *in_at;
    struct joined_arc *in;
    uint32_t arc_len;
    uint32_t *place_of; /* by observed node id */
    uint32_t node_len;
    void *shared; /* of graph/world.c */
};

/* joined_make: ERR_STORE, ERR_CORRUPT, ERR_NOMEM. */
enum err joined_make(struct joined **out, struct query_view *view,
                     const struct code *code);
void joined_free(struct joined *joined);

/* joined_place is where observed node |id| stands: its function, or itself. */
uint32_t joined_place(const struct joined *joined, uint32_t id);
/* joined_vertex is the vertex that |place| is; 0: an observed node. */
uint32_t joined_vertex(const struct joined *joined, uint32_t place);
/* joined_node is the observed node that |place| is; 0: a vertex. */
uint32_t joined_node(const struct joined *joined, uint32_t place);

/* ---- walks ---- */

struct joined_ask {
    const uint32_t *from; /* places */
    size_t from_len;
    bool is_backward; /* callers; else callees */
    uint8_t evidence; /* which arcs; 0: both */
    uint64_t types;   /* JOINED_BIT(...); 0: JOINED_CALLS */
    uint32_t max_depth;
    uint32_t max_places;           /* 0: no bound */
    const struct query_view *view; /* whose question it is; NULL: nobody's */
};

/* A place that was reached, by its shortest way. */
struct joined_step {
    uint32_t place;
    uint32_t depth;    /* 0: a start */
    uint32_t parent;   /* index of the step before */
    uint32_t arc;      /* index in out or in, by which it was reached */
    uint16_t permille; /* the best way's weakest arc */
};

struct joined_walk {
    struct joined_step *steps; /* by depth, then place; each place once */
    size_t len;
    bool is_truncated; /* by max_places; depth is no truncation */
    bool has_more;     /* something lies beyond max_depth */
};

/* joined_reach: ERR_NOMEM; ERR_CANCELLED by query_stop of the view. */
enum err joined_reach(const struct joined *joined, const struct joined_ask *ask,
                      struct joined_walk *out);
void joined_walk_fini(struct joined_walk *walk);

/*
 * joined_paths gives up to |max| shortest paths of different places from those
 * of |ask| to the first of |to|, each a list of places; none longer than
 * max_depth arcs.
 * |is_truncated|: there are more.  Errors as joined_reach.
 */
struct joined_paths {
    uint32_t *places; /* of path i: places[at[i]..at[i + 1]) */
    uint32_t *at;
    size_t len;
    bool is_truncated;
};
enum err
joined_find_paths(const struct joined *joined, const struct joined_ask *ask,
                  const struct ids *to, size_t max, struct joined_paths *out);
void joined_paths_fini(struct joined_paths *paths);

/* joined_arc_between is the best arc from one place to another among |types|
 * and |evidence|; NULL: none. */
const struct joined_arc *
joined_arc_between(const struct joined *joined, uint32_t from, uint32_t to,
                   uint64_t types, uint8_t evidence);

#endif
