/*
 * join_impl - what the files of graph/join share.
 *
 * Threads    None.
 */
#ifndef GRAPH_JOIN_IMPL_H
#define GRAPH_JOIN_IMPL_H

#include "base/ids.h"
#include "graph/code_find.h"
#include "graph/join.h"
#include "graph/join_index.h"
#include "graph/query_view.h"

/* What a symbol was found to be. */
struct join_told {
    uint32_t vertex;
    uint16_t permille;
    bool is_known; /* it was looked for */
};

struct joining {
    struct join *join;
    struct query_view *view;
    const struct code *code;
    struct join_index index;
    struct ids scratch;
    struct buf text;
    struct buf path;
    struct buf built; /* path of what may be the source of a built script */
    uint32_t call_cap;
    struct join_told *told; /* by node */
    int64_t *handled; /* by observed endpoint: most spans of one function */
};

/* join_function finds the vertex that a NODE_SYMBOL is; 0 if none, or several
 * fit.  |permille| says how sure. */
enum err join_function(struct joining *j, const struct query_node *symbol,
                       uint32_t *vertex, uint16_t *permille);

/* join_place is join_function for `path/file.ext:12` and
 * `path/file.ext:name`.  |is_path|: it names a file, so what it is in no file
 * of ours is nothing of ours. */
enum err join_place(struct joining *j, const struct query_node *symbol,
                    uint32_t *vertex, bool *is_path);

/* join_by_end finds the function of |service| that ends as |name| does from
 * |at| on; 0 if none, or several. */
enum err join_by_end(struct joining *j, uint32_t service, str name, size_t at,
                     uint32_t *vertex);

/* join_is_root: |root|, the last part before the name of |vertex|, says where
 * that is: the program itself, its package, or its file. */
bool join_is_root(const struct joining *j, uint32_t service, uint32_t vertex,
                  str root);

bool join_ends_with(str s, str end);
/* join_read_line: |text| is a number. */
bool join_read_line(str text, uint32_t *line);

/* join_endpoint finds the route of an observed endpoint. */
enum err join_endpoint(struct joining *j, const struct query_node *endpoint,
                       struct join_row *row);

/* join_has_folder: some folder is known to be |service|. */
bool join_has_folder(const struct join *join, uint32_t service);

/* join_stem is the last part of |path| up to its first dot. */
str join_stem(str path);

#endif
