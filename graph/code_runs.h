/*
 * code_runs - which words and strings of a static graph have which runs of
 * three letters.
 *
 * A question asks which words are like its own, and which messages could be
 * it; without an index it would have to look at each.  Made when it is first
 * asked for, like graph/code_terms.h, and lives as long as its graph.
 *
 * Memory     Of the graph: 4 bytes a term and run of it, 8 a literal.
 * Threads    Any.
 */
#ifndef GRAPH_CODE_RUNS_H
#define GRAPH_CODE_RUNS_H

#include <stdint.h>

#include "base/err.h"
#include "graph/code_terms.h"

struct code_runs {
    uint32_t len;
    const uint32_t *runs;  /* rising: three bytes, the first highest */
    const uint32_t *at;    /* of run r: terms[at[r]..at[r + 1]) */
    const uint32_t *terms; /* rising, each once a run */
    const uint64_t *said;  /* by literal: code_terms_mark of its text */
};

/* code_runs_of gives that of |code|, whose words are |terms|.  ERR_NOMEM. */
enum err code_runs_of(const struct code *code, const struct code_terms *terms,
                      const struct code_runs **out);

/* code_runs_count adds one to |counts|, by term, for each run of |word| that
 * the term has; a run that stands in |word| twice counts twice. */
void code_runs_count(const struct code_runs *runs, str word, uint8_t *counts);

struct code_runs_made;
void code_runs_free(struct code_runs_made *made);

#endif
