/*
 * context - what somebody should know who is about to touch some symbols.
 *
 * From the seeds the joined graph is ranked (graph/rank.h); what is within
 * CONTEXT_DEPTH arcs of them is a candidate, scored by
 *
 *     0.40 rank      square root of its share of the walk, of the highest
 *     0.25 nearness  1 / (1 + arcs to the nearest seed)
 *     0.20 traffic   logarithm of the calls it receives, halved by age as in
 *                    graph/rank.h, of the highest
 *     0.15 trust     weakest arc of the best way by which it calls a seed or is
 *                    called by one; 0.5 if it is neither; of a seed 1
 *
 * times 0.3 for tests unless asked for, 0.5 for generated code, and 0.5 to 1.5
 * by what users said (graph/feedback.h).
 *
 * Memory     context_fini; views are good as long as graph and view.
 * Threads    As the view.
 */
#ifndef GRAPH_CONTEXT_H
#define GRAPH_CONTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "graph/feedback.h"
#include "graph/joined.h"
#include "graph/query.h"
#include "graph/rank.h"

enum { CONTEXT_DEPTH = 4, CONTEXT_ROWS_MAX = 2000 };

/* What a symbol is to the seeds. */
enum context_relation {
    CONTEXT_TARGET, /* a seed */
    CONTEXT_CALLER,
    CONTEXT_CALLEE,
    CONTEXT_TYPE, /* a type near them */
    CONTEXT_RELATED,
};
const char *context_relation_str(uint8_t relation);

/* Of what a score is made, each from 0 to 1. */
enum context_part {
    CONTEXT_RANK,
    CONTEXT_NEARNESS,
    CONTEXT_TRAFFIC,
    CONTEXT_TRUST,
    CONTEXT_PARTS
};

/* Numbers of kinds: enum code_kind; of observed nodes that are not in the code,
 * CONTEXT_OBSERVED + enum node_kind. */
enum { CONTEXT_OBSERVED = 64 };

struct context_symbol {
    str qualified;
    str signature; /* may be empty, as path */
    str path;
    const char *kind;
    uint8_t kind_code;
    uint8_t relation; /* enum context_relation */
    uint8_t evidence; /* enum joined_evidence: from where it is known */
    uint8_t distance;
    uint32_t place;
    uint32_t line;
    uint32_t end_line;
    double score; /* at least 0 */
    double parts[CONTEXT_PARTS];
    int64_t calls; /* observed, into it */
    int64_t errors;
    uint32_t last_s; /* 0: never */
};

/* An arc between two rows.  One that is in the code and was observed stands
 * once, as the code has it. */
struct context_arc {
    uint32_t from; /* indexes of rows */
    uint32_t to;
    uint8_t type; /* enum code_edge or joined_type */
    uint8_t evidence;
    int64_t calls;
};

struct context {
    struct context_symbol *rows; /* best first */
    size_t len;
    struct context_arc *arcs; /* by source, then target */
    size_t arc_len;
    size_t
        available; /* candidates; those beyond CONTEXT_ROWS_MAX are no rows */
    char *names;
};

struct context_ask {
    const struct rank_seed *seeds;
    size_t seed_len;
    size_t target_len; /* the first so many are what it is about, the others
                          are one arc from it; 0: all */
    const struct feedback *feedback; /* NULL: none */
    double caller_weight;            /* factor on callers; 0: 1 */
    bool wants_tests;
};

/* context_make: ERR_NOMEM; ERR_INVALID: no seed. */
enum err context_make(const struct joined *joined, struct query_view *view,
                      const struct context_ask *ask, struct context *out);
void context_fini(struct context *context);

#endif
