#include "tests/support/store_edges.h"

enum { PART_EDGES = 256 };

enum err
store_edges(struct edges *edges, struct store *store, const struct nodes *nodes,
            struct edges_window window)
{
    struct edge_parts parts = {0};
    struct edge_writer *writer = NULL;
    enum err err = edge_writer_new(&writer, store, nodes);

    if (!err)
        err = edges_take(edges, PART_EDGES, &parts);
    if (!err)
        err = store_begin(store);
    for (uint32_t i = 0; i < edge_parts_len(&parts) && !err; i++)
        err = edge_writer_add(writer, edge_parts_get(&parts, i), window);
    if (!err)
        err = store_commit(store);
    edge_writer_free(writer);
    edge_parts_fini(&parts);
    return err;
}

void
store_no_edges(struct edges *edges)
{
    struct edge_parts parts = {0};

    (void)edges_take(edges, PART_EDGES, &parts);
    edge_parts_fini(&parts);
}
