/*
 * near - the one adjacency of all worlds: what the code says, what was
 * observed, and what was linked here, each from a spot to the next.
 *
 * A spot is anything that has an id (knowledge/object.h).  Between spots run
 * the arcs of the joined graph (graph/joined.h), calls between whole services,
 * services that contain endpoints, endpoints and the functions that handle
 * them, repositories and their files, and links.  Everything that explores
 * walks this.
 *
 *     near_open(&near, moment);
 *     near_types_of(moment, words, &types);
 *     near_walk(near, &ask, &walk);
 *     ...
 *     near_close(near);
 *
 * Order      By type, then the id of the other end: the same graph gives the
 *            same answer.
 * Errors     As knowledge/knowledge.h.
 * Threads    As the moment.
 */
#ifndef KNOWLEDGE_NEAR_H
#define KNOWLEDGE_NEAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cjson/cJSON.h>

#include "knowledge/object.h"

/* A spot is a kind and a number of that kind, good within the moment. */
typedef uint64_t near_spot;
enum near_kind {
    NEAR_NONE,
    NEAR_VERTEX, /* of the code */
    NEAR_NODE,   /* observed */
    NEAR_REPO,
    NEAR_OID, /* what was added here, or is gone from the graphs */
};
near_spot near_spot_of(const struct object *object);
/* near_object is what stands at |spot|. */
enum err near_object(struct moment *moment, near_spot spot, struct object *out);

enum { NEAR_LINKS_MAX = 64, NEAR_FAN_MAX = 500 };

/* Which arcs: bits of graph/joined.h, and names of links. */
struct near_types {
    uint64_t arcs;
    const char *links[NEAR_LINKS_MAX]; /* of link_types */
    size_t link_len;
};
/* near_types_of reads an array of words, in any case; NULL or empty: all but
 * guesses.  ERR_INVALID: an unknown one; moment->why lists those there are. */
enum err near_types_of(struct moment *moment, const cJSON *words,
                       struct near_types *out);

struct near_arc {
    near_spot spot;
    const char *type;
    bool is_out;
    uint8_t evidence;       /* enum joined_evidence; 0: neither */
    const char *provenance; /* of a link; else "" */
    double confidence;
    int64_t count; /* observed: of all time */
    int64_t errors;
    uint32_t last_s;
};

enum near_way { NEAR_OUT = 1, NEAR_IN = 2, NEAR_BOTH = 3 };

struct near_ask {
    near_spot from;
    enum near_way way;
    const struct near_types *types;
    const struct near_types *first; /* of the arcs at |from|; NULL: |types| */
    uint32_t max_depth;
    size_t max_spots; /* with the first */
};

/* A spot reached, by a shortest way. */
struct near_step {
    struct near_arc arc; /* by which; the first has none */
    uint32_t depth;
    uint32_t parent; /* index of the step before */
};
struct near_walk {
    struct near_step *steps; /* by depth; each spot once; [0] is the start */
    size_t len;
    size_t cap;
    bool is_truncated; /* by max_spots, or a fan beyond NEAR_FAN_MAX */
};

struct near;
/* near_open: ERR_NOMEM. */
enum err near_open(struct near **out, struct moment *moment);
void near_close(struct near *near);
enum err
near_walk(struct near *near, const struct near_ask *ask, struct near_walk *out);
void near_walk_fini(struct near_walk *walk);

/* near_arcs appends the arcs at |spot|. */
struct near_arcs {
    struct near_arc *items;
    size_t len;
    size_t cap;
    bool is_truncated;
};
enum err near_arcs_of(struct near *near, near_spot spot, enum near_way way,
                      const struct near_types *types, struct near_arcs *out);
void near_arcs_fini(struct near_arcs *arcs);

/* near_each_added calls |fn| for each object that was added here, newest
 * first.  |fn| must not ask the moment. */
typedef void near_added_fn(void *ctx, int64_t oid, str type);
enum err near_each_added(struct moment *moment, near_added_fn *fn, void *ctx);

#endif
