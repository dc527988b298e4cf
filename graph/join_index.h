/*
 * join_index - the few routes of the code that an observed endpoint may be.
 *
 * Two orders of all that is served: by its end, read backward, in which those
 * with a prefix more or less stand together; and by its beginning, along which
 * templates are walked segment by segment.  What is found is a superset of what
 * fits (graph/join_find.c decides); nothing that fits is left out.
 *
 * Memory     join_index_make, join_index_fini.
 * Threads    None.
 */
#ifndef GRAPH_JOIN_INDEX_H
#define GRAPH_JOIN_INDEX_H

#include "base/buf.h"
#include "base/ids.h"
#include "graph/code_find.h"
#include "graph/query.h"

struct join_index {
    const struct code *code;
    uint32_t *by_end; /* indices in code->routes */
    uint32_t *by_start;
    uint32_t len;
    uint32_t *literals; /* names of spans, in code->literals, by text */
    uint32_t literal_len;
    uint32_t *files; /* in code->files, by the ends of their paths */
    uint32_t file_len;
};

/* join_index_make: ERR_NOMEM. */
enum err join_index_make(struct join_index *index, const struct code *code);
void join_index_fini(struct join_index *index);

/* join_index_find puts what |endpoint| may be into |out|, rising, each once.
 * |text| is scratch.  ERR_NOMEM. */
enum err join_index_find(const struct join_index *index,
                         const struct query_node *endpoint, struct ids *out,
                         struct buf *text);

/* join_index_literals gives those equal to |text|: index->literals[first..end).
 */
void join_index_literals(const struct join_index *index, str text,
                         uint32_t *first, uint32_t *end);

/* join_index_file is the index in index->files of the first that is not before
 * |path|, read backward: those that end with it stand there, itself first. */
uint32_t join_index_file(const struct join_index *index, str path);

#endif
