/*
 * Adjacency by counting: a stable pass over the far end, one over the type and
 * one over the near end put all links of a vertex next to each other, sorted.
 * Names and hashes are open tables of ids.
 */
#include <stdlib.h>
#include <string.h>

#include "graph/code_load.h"

enum pass { BY_SRC, BY_DST, BY_TYPE };

static uint32_t
pass_key(const struct code_arc *arc, enum pass pass)
{
    return pass == BY_SRC ? arc->src : pass == BY_DST ? arc->dst : arc->type;
}

/* One pass; |at| has keys + 1 places and ends as where each key begins. */
static void
sort_by(const struct code_arc *from, struct code_arc *to, uint32_t len,
        enum pass pass, uint32_t *at, uint32_t keys)
{
    memset(at, 0, ((size_t)keys + 1) * sizeof(*at));
    for (uint32_t i = 0; i < len; i++)
        at[pass_key(&from[i], pass) + 1]++;
    for (uint32_t k = 1; k <= keys; k++)
        at[k] += at[k - 1];
    for (uint32_t i = 0; i < len; i++)
        to[at[pass_key(&from[i], pass)]++] = from[i];
    memmove(at + 1, at, (size_t)keys * sizeof(*at));
    at[0] = 0;
}

static struct code_link *
make_links(struct code_graph *graph, const struct code_arc *arcs, uint32_t len,
           enum pass near_end)
{
    struct code_link *links = code_graph_alloc(graph, len, sizeof(*links));

    for (uint32_t i = 0; links && i < len; i++)
        links[i] = (struct code_link){
            .node = near_end == BY_SRC ? arcs[i].dst : arcs[i].src,
            .site_at = arcs[i].site_at,
            .site_len = arcs[i].site_len,
            .permille = arcs[i].permille,
            .type = arcs[i].type,
            .provenance = arcs[i].provenance,
        };
    return links;
}

enum err
code_graph_link(struct code_graph *graph, struct code_arc *arcs, uint32_t len)
{
    uint32_t keys = graph->code.node_len;
    struct code_arc *work = calloc((size_t)len + 1, sizeof(*work));
    uint32_t *out_at =
        code_graph_alloc(graph, (size_t)keys + 1, sizeof(*out_at));
    uint32_t *in_at = code_graph_alloc(graph, (size_t)keys + 1, sizeof(*in_at));
    uint32_t type_at[CODE_EDGE_END + 1];
    enum err err = ERR_NOMEM;

    if (!work || !out_at || !in_at)
        goto out;
    sort_by(arcs, work, len, BY_DST, out_at, keys);
    sort_by(work, arcs, len, BY_TYPE, type_at, CODE_EDGE_END);
    sort_by(arcs, work, len, BY_SRC, out_at, keys);
    graph->code.out = make_links(graph, work, len, BY_SRC);
    /* Sorted by source already, so two passes are left. */
    sort_by(work, arcs, len, BY_TYPE, type_at, CODE_EDGE_END);
    sort_by(arcs, work, len, BY_DST, in_at, keys);
    graph->code.in = make_links(graph, work, len, BY_DST);
    if (!graph->code.out || !graph->code.in)
        goto out;
    graph->code.out_at = out_at;
    graph->code.in_at = in_at;
    graph->code.edge_len = len;
    err = OK;
out:
    free(work);
    return err;
}

/* ---- index ---- */

str
code_name_plain(str name)
{
    size_t digits = 0;

    while (digits < name.len && name.ptr[name.len - 1 - digits] >= '0' &&
           name.ptr[name.len - 1 - digits] <= '9')
        digits++;
    if (digits > 0 && digits + 1 < name.len &&
        name.ptr[name.len - 1 - digits] == '#')
        name.len -= digits + 1;
    return name;
}

str
code_name_last(str name)
{
    for (size_t i = name.len; i-- > 0;)
        if (code_is_separator(name.ptr[i]) && i + 1 < name.len)
            return str_cut(name, i + 1, name.len);
    return name;
}

static void
index_names(struct code_graph *graph)
{
    struct code_index *index = &graph->index;

    /* From the end, so that lists rise. */
    for (uint32_t id = graph->code.node_len; id-- > 1;) {
        const struct code_vertex *node = &graph->code.nodes[id];
        uint32_t at = code_hash_slot(index, node->hash);
        while (index->by_hash[at])
            at = (at + 1) & index->mask;
        index->by_hash[at] = id;
        at = code_name_slot(index, code_name_last(code_name_plain(node->name)));
        index->next[id] = index->by_name[at];
        index->by_name[at] = id;
    }
}

static int
compare_lines(const void *a, const void *b, void *ctx)
{
    const struct code *code = ctx;
    uint32_t x = *(const uint32_t *)a;
    uint32_t y = *(const uint32_t *)b;

    if (code->nodes[x].line != code->nodes[y].line)
        return code->nodes[x].line < code->nodes[y].line ? -1 : 1;
    return x < y ? -1 : x > y;
}

static void
index_files(struct code_graph *graph)
{
    const struct code *code = &graph->code;
    uint32_t *at = graph->index.file_at;
    uint32_t *nodes = graph->index.file_nodes;

    for (uint32_t id = 1; id < code->node_len; id++)
        at[code->nodes[id].file + 1]++;
    for (uint32_t file = 1; file <= code->file_len; file++)
        at[file] += at[file - 1];
    for (uint32_t id = 1; id < code->node_len; id++)
        nodes[at[code->nodes[id].file]++] = id;
    memmove(at + 1, at, code->file_len * sizeof(*at));
    at[0] = 0;
    for (uint32_t file = 1; file < code->file_len; file++)
        qsort_r(nodes + at[file], at[file + 1] - at[file], sizeof(*nodes),
                compare_lines, &graph->code);
}

enum err
code_graph_index(struct code_graph *graph)
{
    const struct code *code = &graph->code;
    struct code_index *index = &graph->index;
    uint32_t cap = 16;

    while (cap < 2 * code->node_len)
        cap *= 2;
    index->mask = cap - 1;
    index->by_hash = code_graph_alloc(graph, cap, sizeof(uint32_t));
    index->by_name = code_graph_alloc(graph, cap, sizeof(uint32_t));
    index->next = code_graph_alloc(graph, code->node_len, sizeof(uint32_t));
    index->file_at =
        code_graph_alloc(graph, (size_t)code->file_len + 1, sizeof(uint32_t));
    index->file_nodes =
        code_graph_alloc(graph, code->node_len, sizeof(uint32_t));
    if (!index->by_hash || !index->by_name || !index->next || !index->file_at ||
        !index->file_nodes)
        return ERR_NOMEM;
    index_names(graph);
    index_files(graph);
    index->graph = graph;
    graph->code.index = index;
    return OK;
}
