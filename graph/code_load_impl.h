/*
 * code_load_impl - what graph/code_load.c and graph/code_load_rows.c share.
 * Not for others.
 *
 * Threads    None.
 */
#ifndef GRAPH_CODE_LOAD_IMPL_H
#define GRAPH_CODE_LOAD_IMPL_H

#include "graph/code_load.h"

/* From (repository, number) to id. */
struct numbers {
    struct number {
        uint64_t key;
        uint32_t id;
    } * slots;
    uint32_t mask;
};

struct list {
    void *rows;
    uint32_t len;
    uint32_t cap;
};

/* Rows on their way to being sorted. */
struct loaded_repo {
    struct code_repo repo;
    uint32_t id;
};
struct loaded_file {
    struct code_file file;
    uint64_t key;
};
struct loaded_node {
    struct code_vertex node;
    uint64_t key;
};
struct loaded_owner {
    struct code_owner owner;
    uint32_t position;
};

struct load {
    struct code_graph *graph;
    struct code_store *store;
    struct code_when when;
    enum err err;       /* of the row that ended a walk */
    uint32_t *repo_ids; /* by repository: its id in the store */
    uint32_t repo_at;   /* that of the last row */
    struct list repos, files, nodes, arcs, sites, snapshots;
    struct list rest[CODE_TABLES];
    struct numbers file_ids;
    struct numbers node_ids;
};

/* list_add appends a zeroed row; NULL without memory, or at BUILD_ROWS_MAX. */
void *list_add(struct list *list, size_t size);

/* load_number is what |numbers| says of |key|; an empty place if nothing. */
struct number *load_number(const struct numbers *numbers, uint64_t key);
uint64_t load_key(const struct code_row *row, int64_t num);

/* One callback for each table; |ctx| is the load. */
extern code_row_fn *const load_rows[CODE_TABLES];
repo_row_fn load_repo;
snapshot_row_fn load_snapshot;

#endif
