/*
 * Tarjan's algorithm with its own stack, because a chain of calls may be longer
 * than that of the machine.
 */
#include "knowledge/cycles.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct walk {
    const struct arcs *arcs;
    uint32_t *index; /* order of discovery, from 1; 0: not seen */
    uint32_t *low;
    uint32_t *next;  /* arc to look at */
    uint32_t *stack; /* of vertices without a part */
    uint32_t *path;  /* from the root to where we are */
    bool *is_stacked;
    uint32_t stack_len;
    uint32_t path_len;
    uint32_t count;
    uint32_t *part;
    uint32_t parts;
};

static void
enter(struct walk *walk, uint32_t vertex)
{
    walk->index[vertex] = walk->low[vertex] = ++walk->count;
    walk->next[vertex] = walk->arcs->at[vertex];
    walk->stack[walk->stack_len++] = vertex;
    walk->is_stacked[vertex] = true;
    walk->path[walk->path_len++] = vertex;
}

static void
leave(struct walk *walk, uint32_t vertex)
{
    uint32_t member = vertex;

    walk->path_len--;
    if (walk->path_len) {
        uint32_t parent = walk->path[walk->path_len - 1];

        if (walk->low[vertex] < walk->low[parent])
            walk->low[parent] = walk->low[vertex];
    }
    if (walk->low[vertex] != walk->index[vertex])
        return;
    do {
        member = walk->stack[--walk->stack_len];
        walk->is_stacked[member] = false;
        walk->part[member] = walk->parts;
    } while (member != vertex);
    walk->parts++;
}

static void
run(struct walk *walk, uint32_t root)
{
    enter(walk, root);
    while (walk->path_len) {
        uint32_t vertex = walk->path[walk->path_len - 1];

        if (walk->next[vertex] == walk->arcs->at[vertex + 1]) {
            leave(walk, vertex);
            continue;
        }
        uint32_t to = walk->arcs->to[walk->next[vertex]++];
        if (!walk->index[to])
            enter(walk, to);
        else if (walk->is_stacked[to] && walk->index[to] < walk->low[vertex])
            walk->low[vertex] = walk->index[to];
    }
}

enum err
cycles_parts(const struct arcs *arcs, uint32_t *part, uint32_t *part_len)
{
    size_t len = arcs->len ? arcs->len : 1;
    uint32_t *words = calloc(5 * len, sizeof(*words));
    bool *is_stacked = calloc(len, sizeof(*is_stacked));
    struct walk walk = {.arcs = arcs, .is_stacked = is_stacked};

    *part_len = 0;
    if (words && is_stacked) {
        walk.index = words;
        walk.part = part;
        walk.low = words + len;
        walk.next = words + 2 * len;
        walk.stack = words + 3 * len;
        walk.path = words + 4 * len;
        for (uint32_t v = 0; v < arcs->len; v++)
            if (!walk.index[v])
                run(&walk, v);
        *part_len = walk.parts;
    }
    enum err err = words && is_stacked ? OK : ERR_NOMEM;
    free(words);
    free(is_stacked);
    return err;
}

/* Breadth first; |parent| is one more than the vertex before. */
static uint32_t
search(const struct arcs *arcs, const uint32_t *part, uint32_t start,
       uint32_t *queue, uint32_t *parent)
{
    uint32_t len = 0;

    queue[len++] = start;
    for (uint32_t i = 0; i < len; i++) {
        uint32_t v = queue[i];

        for (uint32_t k = arcs->at[v]; k < arcs->at[v + 1]; k++) {
            uint32_t to = arcs->to[k];

            if (to == start)
                return v + 1;
            if (part[to] != part[start] || parent[to])
                continue;
            parent[to] = v + 1;
            queue[len++] = to;
        }
    }
    return 0;
}

enum err
cycles_way(const struct arcs *arcs, const uint32_t *part, uint32_t start,
           uint32_t *way, uint32_t *way_len)
{
    uint32_t *queue = calloc(arcs->len, sizeof(*queue));
    uint32_t *parent = calloc(arcs->len, sizeof(*parent));

    *way_len = 0;
    if (!queue || !parent) {
        free(queue);
        free(parent);
        return ERR_NOMEM;
    }
    uint32_t last = search(arcs, part, start, queue, parent);
    for (uint32_t v = last; v; v = v - 1 == start ? 0 : parent[v - 1])
        way[(*way_len)++] = v - 1;
    for (uint32_t i = 0; i < *way_len / 2; i++) {
        uint32_t other = way[i];

        way[i] = way[*way_len - 1 - i];
        way[*way_len - 1 - i] = other;
    }
    free(queue);
    free(parent);
    return OK;
}
