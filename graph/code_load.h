/*
 * code_load - from rows to the arrays of graph/code.h.  Not for others than
 * graph/code*.c.
 *
 * Threads    None; the result may be shared.
 */
#ifndef GRAPH_CODE_LOAD_H
#define GRAPH_CODE_LOAD_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/err.h"
#include "base/hash.h"
#include "base/str.h"
#include "graph/code.h"
#include "store/code_store.h"

struct code_graph;
struct code_runs_made;
struct code_terms_made;
struct code_index {
    struct code_graph *graph; /* that it is of */
    uint32_t mask;            /* of the two tables of ids */
    uint32_t *by_hash;
    uint32_t *by_name; /* the first of each last name */
    uint32_t *next;    /* by id: the next with that last name */
    uint32_t *file_at; /* by file: its vertices, by line */
    uint32_t *file_nodes;
};

/* Memory that is freed at once. */
struct code_block {
    struct code_block *next;
    size_t len;
    size_t cap;
    _Alignas(16) char bytes[];
};

struct code_graph {
    struct code code; /* the first: a struct code is one of these */
    struct code_index index;
    struct code_repo *repos; /* those of code, while they are made */
    atomic_uint holders;
    uint64_t turn; /* which load of its database made it; 0: of a past */
    _Atomic(struct code_terms_made *) terms; /* graph/code_terms.c */
    _Atomic(struct code_runs_made *) runs;   /* graph/code_runs.c */
    struct code_block *blocks;
};

/* code_graph_alloc gives zeroed memory, NULL without. */
void *code_graph_alloc(struct code_graph *graph, size_t count, size_t size);
/* code_graph_text keeps the parts as one text; NULL without memory. */
const char *
code_graph_text(struct code_graph *graph, const str *parts, size_t len);
void code_graph_free(struct code_graph *graph);

/* code_graph_load reads |when|, within a transaction; cs NULL gives the empty
 * graph.  ERR_CORRUPT, ERR_STORE, ERR_NOMEM. */
enum err code_graph_load(struct code_graph **out, struct code_store *cs,
                         struct code_when when);

/* code_graph_date says that the one repository is as of |generation|. */
void code_graph_date(struct code_graph *graph, uint32_t generation);

/* code_graph_index fills graph->index.  ERR_NOMEM. */
enum err code_graph_index(struct code_graph *graph);

/* One edge, on its way to out and in. */
struct code_arc {
    uint32_t src;
    uint32_t dst;
    uint32_t site_at;
    uint32_t site_len;
    uint16_t permille;
    uint8_t type;
    uint8_t provenance;
};
/* code_graph_link makes out and in of |arcs|, which it reorders.  ERR_NOMEM. */
enum err
code_graph_link(struct code_graph *graph, struct code_arc *arcs, uint32_t len);

/* What names are looked up by: without `#2`, and the part behind the last
 * separator. */
str code_name_plain(str name);
str code_name_last(str name);

static inline bool
code_is_separator(char byte)
{
    return byte == '.' || byte == '/' || byte == ':' || byte == '#' ||
           byte == ' ';
}

static inline uint32_t
code_name_slot(const struct code_index *index, str last)
{
    return (uint32_t)hash_bytes(last, 0) & index->mask;
}

static inline uint32_t
code_hash_slot(const struct code_index *index, const unsigned char *hash)
{
    uint32_t word;

    memcpy(&word, hash, sizeof(word));
    return word & index->mask;
}

#endif
