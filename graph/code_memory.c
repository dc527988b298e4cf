/*
 * Blocks that are freed together; pieces are cut from the first.
 */
#include <stdlib.h>
#include <string.h>

#include "graph/code_load.h"
#include "graph/code_runs.h"
#include "graph/code_terms.h"

enum { BLOCK_MIN = 1 << 18 };

static void *
take(struct code_graph *graph, size_t len)
{
    struct code_block *block = graph->blocks;

    if (!block || block->cap - block->len < len) {
        size_t cap = len > BLOCK_MIN / 4 ? len : BLOCK_MIN;
        block = calloc(1, sizeof(*block) + cap);
        if (!block)
            return NULL;
        block->cap = cap;
        /* A large piece goes behind, and leaves the room in front. */
        struct code_block **at =
            cap == len && graph->blocks ? &graph->blocks->next : &graph->blocks;
        block->next = *at;
        *at = block;
        graph->code.bytes += sizeof(*block) + cap;
    }
    void *piece = block->bytes + block->len;
    block->len += len;
    return piece;
}

void *
code_graph_alloc(struct code_graph *graph, size_t count, size_t size)
{
    count = count ? count : 1;
    if (count > SIZE_MAX / 2 / size)
        return NULL;
    if (graph->blocks)
        graph->blocks->len = (graph->blocks->len + 15) & ~(size_t)15;
    if (graph->blocks && graph->blocks->len > graph->blocks->cap)
        graph->blocks->len = graph->blocks->cap;
    return take(graph, count * size);
}

const char *
code_graph_text(struct code_graph *graph, const str *parts, size_t len)
{
    size_t total = 0;
    size_t at = 0;

    for (size_t i = 0; i < len; i++)
        total += parts[i].len;
    char *text = take(graph, total);
    for (size_t i = 0; text && i < len; i++) {
        if (parts[i].len)
            memcpy(text + at, parts[i].ptr, parts[i].len);
        at += parts[i].len;
    }
    return text;
}

void
code_graph_free(struct code_graph *graph)
{
    if (!graph)
        return;
    code_terms_free(atomic_load(&graph->terms));
    code_runs_free(atomic_load(&graph->runs));
    while (graph->blocks) {
        struct code_block *next = graph->blocks->next;
        free(graph->blocks);
        graph->blocks = next;
    }
    free(graph);
}
