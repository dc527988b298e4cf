/*
 * The arcs of a spot are put together from what each world knows of it, sorted,
 * and cut: of two arcs of one type to one spot the busier stays.  A route whose
 * handler is known is that function in the joined graph; here the route is a
 * spot of its own between its callers and the function, so that who asks about
 * a route is told about the route.
 */
#include "knowledge/near.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "graph/joined.h"
#include "knowledge/links.h"
#include "knowledge/near_calls.h"
#include "store/knowledge_store.h"

enum { SPOT_BITS = 56 };

struct near {
    struct moment *moment;
    struct near_calls calls;
};

/* ---- spots ---- */

static near_spot
spot_at(enum near_kind kind, uint64_t number)
{
    return number ? (uint64_t)kind << SPOT_BITS | number : 0;
}

static enum near_kind
spot_kind(near_spot spot)
{
    return (enum near_kind)(spot >> SPOT_BITS);
}

static uint64_t
spot_number(near_spot spot)
{
    return spot & ((UINT64_C(1) << SPOT_BITS) - 1);
}

near_spot
near_spot_of(const struct object *object)
{
    if (object->vertex)
        return spot_at(NEAR_VERTEX, object->vertex);
    if (object->node)
        return spot_at(NEAR_NODE, object->node);
    if (object->repo)
        return spot_at(NEAR_REPO, object->repo);
    return spot_at(NEAR_OID, (uint64_t)object->oid);
}

enum err
near_object(struct moment *moment, near_spot spot, struct object *out)
{
    uint64_t number = spot_number(spot);

    *out = (struct object){.world = WORLD_NONE};
    switch (spot_kind(spot)) {
    case NEAR_VERTEX:
        return object_of_vertex(moment, (uint32_t)number, out);
    case NEAR_NODE:
        return object_of_node(moment, (uint32_t)number, out);
    case NEAR_REPO:
        return object_of_repo(moment, (uint32_t)number, out);
    case NEAR_OID:
        return object_of_oid(moment, (int64_t)number, out);
    default:
        return OK;
    }
}

/* ---- arcs of one spot ---- */

struct gather {
    struct near *near;
    const struct near_types *types;
    struct near_arcs *out;
    enum near_way way;
    near_spot self;
    enum err err;
};

static void
add_arc(struct gather *g, const struct near_arc *arc)
{
    struct near_arcs *out = g->out;

    if (g->err || !arc->spot || arc->spot == g->self)
        return;
    if (!grow_room(out->items, out->len, out->cap)) {
        g->err = ERR_NOMEM;
        return;
    }
    out->items[out->len++] = *arc;
}

static bool
wants_type(const struct gather *g, uint8_t type)
{
    return g->types->arcs >> type & 1;
}

/* What is there without being a call: where things stand. */
static void
add_fixed(struct gather *g, near_spot spot, uint8_t type, bool is_out)
{
    const struct near_arc arc = {.spot = spot,
                                 .type = joined_type_str(type),
                                 .is_out = is_out,
                                 .evidence = BY_STATIC,
                                 .provenance = "",
                                 .confidence = 1};

    if (wants_type(g, type) && g->way & (is_out ? NEAR_OUT : NEAR_IN))
        add_arc(g, &arc);
}

/* The spot of a place; one observed endpoint that a function handles stands
 * for calls that were observed into it. */
static near_spot
spot_of_place(const struct joined *joined, uint32_t place, bool is_called)
{
    uint32_t vertex = joined_vertex(joined, place);
    uint32_t len = 0;

    if (!vertex)
        return spot_at(NEAR_NODE, joined_node(joined, place));
    const uint32_t *served = join_served(joined->join, vertex, &len);
    if (is_called && len == 1)
        return spot_at(NEAR_NODE, served[0]);
    return spot_at(NEAR_VERTEX, vertex);
}

static bool
is_whole(const struct gather *g, near_spot spot)
{
    return spot_kind(spot) == NEAR_NODE &&
           query_node(g->near->moment->view, (uint32_t)spot_number(spot))
                   ->kind == NODE_SERVICE;
}

static void
add_place(struct gather *g, uint32_t place, bool is_out)
{
    const struct joined *joined = g->near->moment->joined;
    const uint32_t *at = is_out ? joined->out_at : joined->in_at;
    const struct joined_arc *arcs = is_out ? joined->out : joined->in;

    if (!(g->way & (is_out ? NEAR_OUT : NEAR_IN)))
        return;
    for (uint32_t i = at[place]; i < at[place + 1] && !g->err; i++) {
        const struct joined_arc *arc = &arcs[i];
        bool is_seen = arc->type >= JOINED_RUNTIME_CALLS;
        const struct near_arc row = {
            .spot = spot_of_place(joined, arc->place, is_out && is_seen),
            .type = joined_type_str(arc->type),
            .is_out = is_out,
            .evidence = arc->evidence,
            .provenance = "",
            .confidence = arc->permille / 1000.0,
            .count = arc->count,
            .errors = arc->errors,
            .last_s = arc->last_s,
        };

        if (wants_type(g, arc->type) &&
            !(is_whole(g, row.spot) && is_whole(g, g->self)))
            add_arc(g, &row);
    }
}

struct edges_of {
    struct gather *g;
    uint32_t service;
};

static void
add_edge(void *ctx, const struct query_edge *edge)
{
    const struct edges_of *of = ctx;
    struct gather *g = of->g;
    bool is_out = edge->source == of->service;
    uint8_t type = joined_type_of_edge(
        edge->kind, query_node(g->near->moment->view, edge->target)->kind);
    const struct near_arc row = {
        .spot = spot_at(NEAR_NODE, is_out ? edge->target : edge->source),
        .type = joined_type_str(type),
        .is_out = is_out,
        .evidence = BY_OBSERVED,
        .provenance = "",
        .confidence = 1,
        .count = edge->count,
        .errors = edge->errors,
        .last_s = edge->last_s,
    };

    if ((is_out || edge->target == of->service) && wants_type(g, type) &&
        g->way & (is_out ? NEAR_OUT : NEAR_IN))
        add_arc(g, &row);
}

/* Calls of a service as a whole. */
static void
add_edges(struct gather *g, uint32_t service)
{
    struct edges_of of = {.g = g, .service = service};
    enum err err = near_calls_each(&g->near->calls, g->near->moment->view,
                                   service, add_edge, &of);

    if (!g->err)
        g->err = err;
}

static void
add_owned(struct gather *g, uint32_t service)
{
    const struct query_find find = {.kinds = 1U << NODE_ROUTE | 1U << NODE_RPC |
                                             1U << NODE_CONSUMER,
                                    .owner = service};
    struct ids ids = {0};

    if (g->err || !wants_type(g, CODE_CONTAINS) || !(g->way & NEAR_OUT))
        return;
    g->err = query_find(g->near->moment->view, &find, &ids);
    for (size_t i = 0; i < ids.len; i++)
        add_fixed(g, spot_at(NEAR_NODE, ids.ids[i]), CODE_CONTAINS, true);
    ids_fini(&ids);
}

static void
add_node(struct gather *g, uint32_t id)
{
    const struct moment *moment = g->near->moment;
    const struct query_node *node = query_node(moment->view, id);
    uint32_t place = moment->joined ? joined_place(moment->joined, id) : 0;

    if (node->kind == NODE_SERVICE) {
        add_owned(g, id);
        add_edges(g, id);
    } else {
        add_fixed(g, spot_at(NEAR_NODE, node->owner), CODE_CONTAINS, false);
    }
    if (!place)
        return;
    uint32_t vertex = joined_vertex(moment->joined, place);
    if (vertex)
        add_fixed(g, spot_at(NEAR_VERTEX, vertex), CODE_HANDLES_ROUTE, true);
    else
        add_place(g, place, true);
    add_place(g, place, false);
}

static void
add_vertex(struct gather *g, uint32_t vertex)
{
    const struct joined *joined = g->near->moment->joined;
    uint32_t len = 0;
    const uint32_t *served = join_served(joined->join, vertex, &len);

    for (uint32_t i = 0; i < len; i++)
        add_fixed(g, spot_at(NEAR_NODE, served[i]), CODE_HANDLES_ROUTE, false);
    if (joined->code->nodes[vertex].kind == CODE_FILE)
        add_fixed(g, spot_at(NEAR_REPO, joined->code->nodes[vertex].repo),
                  CODE_CONTAINS, false);
    add_place(g, vertex, true);
    add_place(g, vertex, false);
}

static void
add_repo(struct gather *g, uint32_t id)
{
    const struct code *code = g->near->moment->joined->code;
    const struct code_repo *repo = &code->repos[id];

    for (uint32_t i = repo->first; i < repo->last && !g->err; i++)
        if (code->nodes[i].kind == CODE_FILE)
            add_fixed(g, spot_at(NEAR_VERTEX, i), CODE_CONTAINS, true);
}

/* ---- links ---- */

static bool
wants_link(const struct near_types *types, const char *type)
{
    for (size_t i = 0; i < types->link_len; i++)
        if (types->links[i] == type || strcmp(types->links[i], type) == 0)
            return true;
    return false;
}

static void
add_link(struct gather *g, const struct link *link)
{
    struct object other = {0};

    g->err = object_of_oid(g->near->moment, link->other, &other);
    const struct near_arc row = {
        .spot = near_spot_of(&other),
        .type = link->type,
        .is_out = link->is_out,
        .provenance = strcmp(link->provenance, "declared") == 0    ? "declared"
                      : strcmp(link->provenance, "mention") == 0   ? "mention"
                      : strcmp(link->provenance, "lexical") == 0   ? "lexical"
                      : strcmp(link->provenance, "inherited") == 0 ? "inherited"
                                                                   : "derived",
        .confidence = link->weight,
    };
    /* What was derived of a graph says nothing of what is gone from it. */
    if (!g->err && other.world != WORLD_NONE &&
        !(other.is_gone && (other.world <= WORLD_COMMUNITY ||
                            strcmp(link->provenance, "derived") == 0)))
        add_arc(g, &row);
    object_fini(&other);
}

static void
add_links(struct gather *g)
{
    struct moment *moment = g->near->moment;
    struct object self = {0};
    struct link_list links = {0};

    if (g->err || !moment->store || !g->types->link_len)
        return;
    g->err = near_object(moment, g->self, &self);
    if (!g->err)
        g->err = object_look(moment, &self);
    if (!g->err && self.oid)
        g->err =
            links_of(moment, self.oid, (enum link_way)g->way, NULL, &links);
    for (size_t i = 0; i < links.len && !g->err; i++)
        if (wants_link(g->types, links.items[i].type))
            add_link(g, &links.items[i]);
    link_list_fini(&links);
    object_fini(&self);
}

/* ---- put together ---- */

static int
by_type(const void *a, const void *b)
{
    const struct near_arc *x = a;
    const struct near_arc *y = b;
    int order = strcmp(x->type, y->type);

    if (order)
        return order;
    if (x->is_out != y->is_out)
        return x->is_out ? -1 : 1;
    if (x->spot != y->spot)
        return x->spot < y->spot ? -1 : 1;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return (x->confidence < y->confidence) - (x->confidence > y->confidence);
}

static void
settle(struct near_arcs *arcs, size_t from)
{
    size_t len = from;

    if (arcs->len - from > 1)
        qsort(arcs->items + from, arcs->len - from, sizeof(*arcs->items),
              by_type);
    for (size_t i = from; i < arcs->len; i++) {
        const struct near_arc *last = len > from ? &arcs->items[len - 1] : NULL;
        const struct near_arc *arc = &arcs->items[i];

        if (last && last->spot == arc->spot && last->is_out == arc->is_out &&
            strcmp(last->type, arc->type) == 0)
            continue;
        arcs->items[len++] = *arc;
    }
    arcs->len = len;
    if (arcs->len - from > NEAR_FAN_MAX) {
        arcs->len = from + NEAR_FAN_MAX;
        arcs->is_truncated = true;
    }
}

enum err
near_arcs_of(struct near *near, near_spot spot, enum near_way way,
             const struct near_types *types, struct near_arcs *out)
{
    struct gather g = {
        .near = near, .types = types, .out = out, .way = way, .self = spot};
    size_t from = out->len;
    uint32_t number = (uint32_t)spot_number(spot);

    if (spot_kind(spot) == NEAR_NODE && near->moment->view)
        add_node(&g, number);
    else if (spot_kind(spot) == NEAR_VERTEX)
        add_vertex(&g, number);
    else if (spot_kind(spot) == NEAR_REPO)
        add_repo(&g, number);
    add_links(&g);
    if (!g.err)
        settle(out, from);
    return g.err;
}

void
near_arcs_fini(struct near_arcs *arcs)
{
    free(arcs->items);
    *arcs = (struct near_arcs){0};
}

enum err
near_open(struct near **out, struct moment *moment)
{
    *out = calloc(1, sizeof(**out));
    if (!*out)
        return ERR_NOMEM;
    (*out)->moment = moment;
    return OK;
}

void
near_close(struct near *near)
{
    if (!near)
        return;
    near_calls_fini(&near->calls);
    free(near);
}

enum err
near_each_added(struct moment *moment, near_added_fn *fn, void *ctx)
{
    const struct ks_value *row;

    if (!moment->store)
        return OK;
    ks_ask(moment->store, KS_OBJECTS, KS_ARGS(ks_text(STR(""))));
    while (ks_next(moment->store, KS_OBJECTS, &row))
        fn(ctx, row[0].num, row[3].text);
    return ks_end(moment->store, KS_OBJECTS);
}
