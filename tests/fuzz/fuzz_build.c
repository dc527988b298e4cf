/*
 * Any bytes as a packed graph, as a worker gone wrong may send it: what is
 * accepted packs to the same bytes twice, and every text can be read.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "graph/code_build.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
require(bool condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "%s\n", what);
    abort();
}

/* Every index is followed, for the sanitizers to see. */
static size_t
walk(const struct code_build *b)
{
    size_t sum = 0;

    for (uint32_t i = 0; i < b->file_len; i++)
        sum += texts_get(&b->texts, b->files[i].path).len;
    for (uint32_t i = 0; i < b->node_len; i++)
        sum += texts_get(&b->texts, b->nodes[i].name).len +
               b->files[b->nodes[i].file].lang;
    for (uint32_t i = 0; i < b->edge_len; i++) {
        const struct build_edge *e = &b->edges[i];
        sum += b->nodes[e->src].line + b->nodes[e->dst].line;
        for (uint32_t k = 0; k < e->site_len; k++)
            sum += b->sites[e->site_at + k].line;
    }
    for (uint32_t i = 0; i < b->route_len; i++)
        sum += b->nodes[b->routes[i].node].line +
               b->nodes[b->routes[i].handler].line +
               texts_get(&b->texts, b->routes[i].raw).len;
    for (uint32_t i = 0; i < b->author_len; i++)
        sum += b->files[b->authors[i].file].bytes;
    return sum;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct code_build build;
    struct code_build again;
    struct buf once = {0};
    struct buf twice = {0};

    if (code_build_unpack(&build, (str){(const char *)data, size}) != OK)
        return 0;
    size_t sum = walk(&build);
    require(code_build_pack(&build, &once) == OK, "it does not pack");
    require(code_build_unpack(&again, buf_str(&once)) == OK,
            "what was packed is refused");
    require(walk(&again) == sum, "what was packed says something else");
    require(code_build_pack(&again, &twice) == OK &&
                str_eq(buf_str(&once), buf_str(&twice)),
            "it packs to other bytes");
    code_build_fini(&build);
    code_build_fini(&again);
    buf_fini(&once);
    buf_fini(&twice);
    return 0;
}
