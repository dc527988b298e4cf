/*
 * cycles - what of a directed graph hangs together in circles.
 *
 * Threads    Any; pure functions.
 */
#ifndef KNOWLEDGE_CYCLES_H
#define KNOWLEDGE_CYCLES_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* Arcs of vertex v: to[at[v]..at[v + 1]); vertices are 0..len - 1. */
struct arcs {
    const uint32_t *at;
    const uint32_t *to;
    uint32_t len;
};

/* cycles_parts gives each vertex the number of its strongly connected part;
 * parts are numbered so that an arc never leads to a higher number: what a
 * vertex points at comes first.  |part| has arcs->len places.  ERR_NOMEM. */
enum err
cycles_parts(const struct arcs *arcs, uint32_t *part, uint32_t *part_len);

/* cycles_way gives a shortest way from |start| back to itself within its part:
 * *way_len vertices, |start| first and not repeated; 0: there is none.  |way|
 * has arcs->len places.  ERR_NOMEM. */
enum err cycles_way(const struct arcs *arcs, const uint32_t *part,
                    uint32_t start, uint32_t *way, uint32_t *way_len);

#endif
