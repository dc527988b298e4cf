/*
 * resolve_graph - between the files that write vertices and edges.
 *
 * Edges are gathered in any order, each with one place, then sorted, and equal
 * ones become one with several places.
 *
 * Threads    None.
 */
#ifndef INDEX_RESOLVE_GRAPH_H
#define INDEX_RESOLVE_GRAPH_H

#include "index/resolve_impl.h"

struct raw_edge {
    uint32_t src;
    uint32_t dst;
    uint8_t type;
    uint8_t provenance;
    uint16_t permille;
    struct code_site site; /* line 0: none */
};

struct gathering {
    struct resolver *r;
    struct code_build *build;
    struct raw_edge *edges;
    uint32_t len;
    uint32_t cap;
    uint32_t *packages; /* vertex of each unit */
    uint32_t *parents;  /* of each global def: in which it stands */
    /* Of each global def without a body: how many give it one (two is many),
     * and the last of them. */
    uint8_t *implementations;
    uint32_t *implementation;
    uint32_t fits;
    struct map nodes; /* package, name, kind -> vertex */
    bool failed;
};

/* edge_add takes its confidence from the provenance. */
void edge_add(struct gathering *g, struct raw_edge edge);

/* graph_nodes appends the vertices, and who contains whom. */
void graph_nodes(struct gathering *g);
/* graph_owner is the vertex that code in a scope belongs to. */
uint32_t graph_owner(const struct resolver *r, uint32_t file, uint32_t def);

void graph_calls(struct gathering *g);      /* calls, tests, references */
void graph_imports(struct gathering *g);    /* imports */
void graph_hierarchy(struct gathering *g);  /* extends ... may_dispatch */
void graph_structural(struct gathering *g); /* Go: implements */
void graph_guesses(struct gathering *g);    /* may_call */

#endif
