/*
 * The order of rows: most calls first, then by the names of their ends.  Few
 * rows are compared as they are.  Of many, most have as many calls as others,
 * and their names would be looked up and compared some twenty times each: then
 * all nodes are put in the order of their names, once for each load of them,
 * and what is sorted are keys with the places of both ends.  Who shows a page
 * needs its rows and no more: the first of them are kept in a heap while all
 * others pass.  That order also says which nodes have one name.
 */
#include <stdlib.h>
#include <string.h>

#include "graph/query_view.h"

struct row_key {
    int64_t count;
    uint64_t ends; /* places of the source and the target */
    uint32_t row;
    uint8_t kind;
};

static int
compare_names(const struct query_view *view, uint32_t a, uint32_t b)
{
    str left = query_node(view, a)->name;
    str right = query_node(view, b)->name;
    size_t len = left.len < right.len ? left.len : right.len;
    int order = len ? memcmp(left.ptr, right.ptr, len) : 0;

    if (!order)
        order = (left.len > right.len) - (left.len < right.len);
    return order ? order : (a > b) - (a < b);
}

static int
compare_rows(const void *a, const void *b, void *ctx)
{
    const struct query_edge *left = a;
    const struct query_edge *right = b;
    int order;

    if (left->count != right->count)
        return left->count > right->count ? -1 : 1;
    order = compare_names(ctx, left->source, right->source);
    if (!order)
        order = compare_names(ctx, left->target, right->target);
    return order ? order : left->kind - right->kind;
}

static int
compare_nodes(const void *a, const void *b, void *ctx)
{
    const uint32_t *left = a;
    const uint32_t *right = b;

    return compare_names(ctx, *left, *right);
}

static int
compare_keys(const void *a, const void *b)
{
    const struct row_key *left = a;
    const struct row_key *right = b;

    if (left->count != right->count)
        return left->count > right->count ? -1 : 1;
    if (left->ends != right->ends)
        return left->ends < right->ends ? -1 : 1;
    return left->kind - right->kind;
}

static int
compare_backwards(const void *a, const void *b)
{
    return compare_keys(b, a);
}

/* places[id] is where the name of node |id| stands among all. */
static enum err
find_places(struct query_view *view, uint32_t *places)
{
    uint32_t len = catalog_len(view->catalog);
    const uint32_t *order =
        catalog_order(view->catalog, ORDER_NAME, compare_nodes, view);

    if (!order)
        return ERR_NOMEM;
    places[0] = 0; /* of none: before all */
    for (uint32_t i = 0; i < len; i++)
        places[order[i]] = i + 1;
    return OK;
}

/* What stands for itself is told its first, and then what stands for that. */
enum err
query_one_of_name(struct query_view *view, uint32_t *rolled)
{
    uint32_t len = catalog_len(view->catalog);
    const uint32_t *order =
        catalog_order(view->catalog, ORDER_NAME, compare_nodes, view);
    uint32_t first = 0; /* of the name at hand */

    if (!order)
        return ERR_NOMEM;
    for (uint32_t i = 0; i < len; i++) {
        uint32_t id = order[i];

        if (rolled[id] != id)
            continue;
        if (!first ||
            !str_eq(query_node(view, first)->name, query_node(view, id)->name))
            first = id;
        rolled[id] = first;
    }
    for (uint32_t id = 1; id <= len; id++)
        rolled[id] = rolled[rolled[id]];
    return OK;
}

static struct row_key
key_of(const struct query_edge *row, const uint32_t *places, size_t i)
{
    return (struct row_key){
        .count = row->count,
        .ends = (uint64_t)places[row->source] << 32 | places[row->target],
        .row = (uint32_t)i,
        .kind = row->kind,
    };
}

/* Puts |key| into a heap, the last of its order on top, in place of the top. */
static void
replace_top(struct row_key *heap, size_t len, struct row_key key)
{
    size_t at = 0;

    for (size_t child = 1; child < len; child = 2 * at + 1) {
        if (child + 1 < len && compare_keys(&heap[child], &heap[child + 1]) < 0)
            child++;
        if (compare_keys(&key, &heap[child]) >= 0)
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = key;
}

/* The |first| keys of all rows, in order: as long as they are no heap, a sorted
 * array from the last to the first is one. */
static void
find_first(const struct query_edges *edges, const uint32_t *places,
           struct row_key *keys, size_t first)
{
    for (size_t i = 0; i < first; i++)
        keys[i] = key_of(&edges->rows[i], places, i);
    if (first < edges->len) {
        qsort(keys, first, sizeof(*keys), compare_backwards);
        for (size_t i = first; i < edges->len; i++) {
            struct row_key key = key_of(&edges->rows[i], places, i);

            if (compare_keys(&key, &keys[0]) < 0)
                replace_top(keys, first, key);
        }
    }
    qsort(keys, first, sizeof(*keys), compare_keys);
}

/* Each of the first rows to where its key is, by changing places with what is
 * there: a row that had to go has gone to where the key at its place says. */
static void
move_rows(struct query_edge *rows, struct row_key *keys, size_t first)
{
    for (size_t i = 0; i < first; i++) {
        size_t from = keys[i].row;
        struct query_edge row = rows[i];

        while (from < i)
            from = keys[from].row;
        keys[i].row = (uint32_t)from;
        rows[i] = rows[from];
        rows[from] = row;
    }
}

static enum err
sort_many(struct query_view *view, struct query_edges *edges, size_t first)
{
    size_t nodes = (size_t)catalog_len(view->catalog) + 1;
    uint32_t *places = malloc(nodes * sizeof(*places));
    struct row_key *keys = malloc(first * sizeof(*keys));
    enum err err = places && keys ? find_places(view, places) : ERR_NOMEM;

    if (!err) {
        find_first(edges, places, keys, first);
        move_rows(edges->rows, keys, first);
    }
    free(places);
    free(keys);
    return err;
}

enum err
query_edges_sort(struct query_view *view, struct query_edges *edges,
                 size_t first)
{
    if (edges->len > QUERY_SORT_FEW &&
        edges->len > catalog_len(view->catalog) / 4)
        return sort_many(view, edges,
                         first && first < edges->len ? first : edges->len);
    if (edges->len)
        qsort_r(edges->rows, edges->len, sizeof(*edges->rows), compare_rows,
                view);
    return OK;
}
