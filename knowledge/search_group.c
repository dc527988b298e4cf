/*
 * Several results may stand for one thing: a route, its declaration, the
 * function that handles it, and that route as traces tell it; a function and
 * those without a name in it.  Each tells of the others, so once the best is
 * told the others come after what is new.
 */
#include <stdlib.h>
#include <string.h>

#include "knowledge/search_parts.h"

#define AGAIN 0.8

enum { GROUPED = 60 };

/* What a hit stands for. */
struct thing {
    uint32_t vertex; /* the function, or the route that has none */

    struct object object;
};

struct grouping {
    const struct lane *lane;
    const struct code *code;
    struct thing things[GROUPED];
    size_t len;
};

/* The function that handles a route, if it is known. */
static uint32_t
handler_of(const struct grouping *g, uint32_t vertex)
{
    const struct code_fields *f = g->lane->terms->fields;

    for (uint32_t i = f->route_at[vertex]; i < f->route_at[vertex + 1]; i++) {
        const struct code_route *route = &g->code->routes[f->routes[i]];

        if (route->node == vertex && route->handler)
            return route->handler;
    }
    return vertex;
}

static bool
is_function(const struct code_vertex *node)
{
    return node->kind == CODE_FUNCTION || node->kind == CODE_METHOD;
}

static bool
is_inside(const struct code_vertex *inner, const struct code_vertex *outer)
{
    return is_function(inner) && is_function(outer) &&
           inner->file == outer->file && inner->name.len > outer->name.len &&
           inner->name.ptr[outer->name.len] == '.' &&
           str_starts(inner->name, outer->name);
}

/* `pkg.Cart/Add` and `Cart.Add` of the .proto file. */
static bool
is_declared(str rpc, str method)
{
    const char *slash = memchr(rpc.ptr, '/', rpc.len);
    size_t at = slash ? (size_t)(slash - rpc.ptr) : 0;
    const char *dot = at ? memrchr(rpc.ptr, '.', at) : NULL;
    size_t from = dot ? (size_t)(dot - rpc.ptr) + 1 : 0;

    return at > from && method.len == rpc.len - from &&
           method.ptr[at - from] == '.' &&
           memcmp(method.ptr, rpc.ptr + from, at - from) == 0 &&
           memcmp(method.ptr + at - from + 1, slash + 1, rpc.len - at - 1) == 0;
}

static bool
is_same_rpc(const struct object *a, const struct object *b)
{
    bool is_rpc = strcmp(a->type, "rpc") == 0;

    return (is_rpc && strcmp(b->type, "method") == 0 &&
            is_declared(buf_str(&a->name), buf_str(&b->name))) ||
           (is_rpc && strcmp(b->type, "rpc") == 0 &&
            str_eq(buf_str(&a->name), buf_str(&b->name)));
}

static bool
is_same(const struct grouping *g, const struct thing *a, const struct thing *b)
{
    const struct code_vertex *nodes = g->code->nodes;

    if (a->vertex && a->vertex == b->vertex)
        return true;
    if (a->vertex && b->vertex &&
        (is_inside(&nodes[a->vertex], &nodes[b->vertex]) ||
         is_inside(&nodes[b->vertex], &nodes[a->vertex])))
        return true;
    return is_same_rpc(&a->object, &b->object) ||
           is_same_rpc(&b->object, &a->object);
}

static enum err
look_at(struct grouping *g, const struct search_hit *hit)
{
    struct moment *moment = g->lane->moment;
    struct thing *thing = &g->things[g->len];
    enum err err = near_object(moment, hit->spot, &thing->object);

    thing->vertex = thing->object.vertex;
    if (!err && thing->object.node)
        thing->vertex = joined_vertex(
            moment->joined, joined_place(moment->joined, thing->object.node));
    else if (!err && thing->vertex)
        thing->vertex = handler_of(g, thing->vertex);
    g->len++;
    return err;
}

/* The last of the things is one that came before it in other words. */
static bool
is_again(const struct grouping *g)
{
    for (size_t i = 0; i + 1 < g->len; i++)
        if (is_same(g, &g->things[g->len - 1], &g->things[i]))
            return true;
    return false;
}

enum err
search_group(const struct lane *lane)
{
    struct search_hits *hits = lane->hits;
    struct grouping *g = calloc(1, sizeof(*g));
    enum err err = g ? OK : ERR_NOMEM;

    if (g && lane->terms) {
        g->lane = lane;
        g->code = lane->moment->joined->code;
        for (size_t i = 0; i < hits->len && i < GROUPED && !err; i++) {
            err = look_at(g, &hits->rows[i]);
            if (!err && is_again(g))
                hits->rows[i].score *= AGAIN;
        }
        if (!err && hits->len > 1)
            qsort(hits->rows, hits->len, sizeof(*hits->rows), search_by_score);
    }
    for (size_t i = 0; g && i < g->len; i++)
        object_fini(&g->things[i].object);
    free(g);
    return err;
}
