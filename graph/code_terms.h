/*
 * code_terms - the words of a static graph, and where each stands.
 *
 * An inverted index over what is written about each vertex
 * (graph/code_fields.h), split into parts as graph/words.h does.  It is made
 * when it is first asked for and lives as long as its graph, so a question
 * costs what its words cost and not a pass over all names.
 *
 * Memory     Of the graph; about 8 bytes a part and vertex.
 * Threads    Any.
 */
#ifndef GRAPH_CODE_TERMS_H
#define GRAPH_CODE_TERMS_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "graph/code.h"
#include "graph/code_fields.h"

/* A part stands at a vertex; |worth| is the sum over the fields it is in. */
struct code_term_at {
    uint32_t node;
    float worth;
};

struct code_terms {
    uint32_t len;
    const str *terms;                  /* rising, each once */
    const uint64_t *marks;             /* code_terms_mark of each */
    const uint32_t *at;                /* of term t: places[at[t]..at[t + 1]) */
    const struct code_term_at *places; /* by node */
    const uint16_t *lengths;           /* by node: parts; 0: is not searched */
    const struct code_fields *fields;
    uint32_t counted; /* nodes that are */
    double mean;      /* of their lengths */
};

/* code_terms_of gives the index of |code|, good as long as it is held.
 * ERR_NOMEM. */
enum err code_terms_of(const struct code *code, const struct code_terms **out);

/* code_terms_find gives the terms [first, end) that begin with |text|; the one
 * that is |text| is the first of them, if there is one. */
void code_terms_find(const struct code_terms *terms, str text, uint32_t *first,
                     uint32_t *end);

/* code_terms_mark has a bit for each run of three letters of |text|, hashed:
 * texts without a common bit have no common run. */
uint64_t code_terms_mark(str text);

struct code_terms_made;
void code_terms_free(struct code_terms_made *made);

#endif
