/*
 * communities - parts of the joined graph that hang together.
 *
 * Functions, methods, types, routes and the like, with the services, endpoints
 * and topics that traces name, grouped by graph/louvain.h over static and
 * observed arcs; files and packages are left out, because they would tell what
 * is known already.  The id of a community comes from the hash of one of its
 * members, the least: it stays the same over runs, and mostly over commits.
 *
 * Memory     communities_fini; names are views into the graph and the view.
 * Threads    As the view.
 */
#ifndef GRAPH_COMMUNITIES_H
#define GRAPH_COMMUNITIES_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "graph/joined.h"
#include "graph/query.h"

/* Ids are below 2^COMMUNITY_ID_BITS, so that a JSON number holds them. */
enum { COMMUNITY_ID_BITS = 48 };

struct community {
    uint64_t id;
    uint32_t member_at; /* its places: members[member_at..+size), by weight of
                           their arcs within, heaviest first */
    uint32_t size;
    uint32_t edges;    /* arcs within */
    uint32_t observed; /* of them */
    double cohesion;   /* weight of arcs within / of all that touch it */
    str package;       /* that most members are in; empty: of no package */
    uint32_t packages; /* how many there are */
};

struct communities {
    struct community *rows; /* largest first, then by id */
    uint32_t len;
    uint32_t *members;   /* places */
    uint32_t member_len; /* all places that were looked at */
    uint32_t *group_of;  /* by place: index in rows + 1; 0: in none */
    uint32_t edges;
    uint32_t observed;
    double modularity;
};

/* Which part of the graph. */
struct communities_ask {
    str repo_url;     /* prefix of the code's repository; empty: all, with what
                         traces name */
    uint8_t evidence; /* enum joined_evidence; 0: both */
};

/* communities_make leaves out places without an arc.  ERR_NOMEM; ERR_CANCELLED
 * by query_stop of |view|. */
enum err
communities_make(const struct joined *joined, struct query_view *view,
                 const struct communities_ask *ask, struct communities *out);
void communities_fini(struct communities *communities);

/* communities_between is the weight of arcs from members of rows[index] to
 * those of each row: an array of communities->len that the caller frees.
 * ERR_NOMEM. */
enum err
communities_between(const struct joined *joined, struct query_view *view,
                    const struct communities *communities, uint32_t index,
                    uint8_t evidence, double **out);

#endif
