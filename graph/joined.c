/*
 * Arcs are gathered in one list, then counted into two arrays by source and by
 * target.  Pairs of places that have both a static call and an observed one are
 * marked afterwards, by walking each place's arcs, which are sorted by the
 * other end.
 */
#include "graph/joined.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/grow.h"
#include "graph/code_build.h"
#include "graph/confidence.h"
#include "graph/query_view.h"
#include "store/edge_rows.h"

static const char *const joined_types[] = {
    "hands_on",         "runtime_calls",    "runtime_rpc",
    "runtime_produces", "runtime_consumes", "runtime_queries"};

const char *
joined_type_str(uint8_t type)
{
    if (type >= JOINED_HANDS_ON && type < JOINED_TYPE_END)
        return joined_types[type - JOINED_HANDS_ON];
    return code_edge_str(type);
}

uint8_t
joined_type_of_edge(uint8_t kind, uint8_t target)
{
    switch ((enum edge_kind)kind) {
    case EDGE_DB:
        return JOINED_RUNTIME_QUERIES;
    case EDGE_MSG:
    case EDGE_MSG_PUB:
        return JOINED_RUNTIME_PRODUCES;
    case EDGE_MSG_SUB:
        return JOINED_RUNTIME_CONSUMES;
    default:
        return target == NODE_RPC ? JOINED_RUNTIME_RPC : JOINED_RUNTIME_CALLS;
    }
}

uint8_t
joined_type_of(str word)
{
    for (int i = JOINED_HANDS_ON; i < JOINED_TYPE_END; i++)
        if (str_eq(word, str_of(joined_types[i - JOINED_HANDS_ON])))
            return (uint8_t)i;
    return code_edge_of(word);
}

uint32_t
joined_place(const struct joined *joined, uint32_t id)
{
    return id < joined->node_len ? joined->place_of[id] : 0;
}

uint32_t
joined_vertex(const struct joined *joined, uint32_t place)
{
    return place < joined->code->node_len ? place : 0;
}

uint32_t
joined_node(const struct joined *joined, uint32_t place)
{
    return place < joined->code->node_len || place >= joined->place_len
               ? 0
               : place - joined->code->node_len;
}

/* ---- gathering ---- */

struct raw_arc {
    uint32_t from;
    struct joined_arc arc;
};

struct gathering {
    struct joined *joined;
    struct query_view *view;
    struct raw_arc *arcs;
    uint32_t len;
    uint32_t cap;
};

static enum err
add_arc(struct gathering *g, uint32_t from, const struct joined_arc *arc)
{
    if (from == 0 || arc->place == 0 || from == arc->place)
        return OK;
    if (!grow_room(g->arcs, g->len, g->cap))
        return ERR_NOMEM;
    g->arcs[g->len++] = (struct raw_arc){from, *arc};
    return OK;
}

/* A nameless function is written to be run by what it is passed to, on behalf
 * of the function that passes it: `rows.map(x => f(x))`.  A handler is run for
 * its route or topic instead, and what a file passes while it is loaded is run
 * for whatever comes later. */
static bool
is_handed_on(const struct code *code, uint32_t from,
             const struct code_link *link)
{
    uint8_t kind = code_node(code, from)->kind;

    if (link->type != CODE_REFERENCES ||
        (kind != CODE_FUNCTION && kind != CODE_METHOD) ||
        !(code_node(code, link->node)->flags & CODE_ANONYMOUS))
        return false;
    for (uint32_t i = code->in_at[link->node]; i < code->in_at[link->node + 1];
         i++)
        if (code->in[i].type == CODE_HANDLES_ROUTE ||
            code->in[i].type == CODE_SUBSCRIBES)
            return false;
    return true;
}

static enum err
add_link(struct gathering *g, uint32_t from, uint32_t i)
{
    const struct code_link *link = &g->joined->code->out[i];
    struct joined_arc arc = {.place = link->node,
                             .link = i,
                             .type = link->type,
                             .evidence = BY_STATIC,
                             .provenance = link->provenance,
                             .permille = link->permille};
    enum err err = add_arc(g, from, &arc);

    if (err || !is_handed_on(g->joined->code, from, link))
        return err;
    arc.type = JOINED_HANDS_ON;
    arc.permille = 900; /* what it is passed to may not run it */
    return add_arc(g, from, &arc);
}

static enum err
add_static(struct gathering *g)
{
    const struct code *code = g->joined->code;
    enum err err = OK;

    for (uint32_t v = 1; v < code->node_len; v++)
        for (uint32_t i = code->out_at[v]; i < code->out_at[v + 1] && !err; i++)
            err = add_link(g, v, i);
    return err;
}

/* `api.shop`, `http://cart:8080` begin with the name of who is asked. */
static str
host_of(str raw)
{
    const char *at = raw.len ? memmem(raw.ptr, raw.len, "://", 3) : NULL;

    if (!at)
        return (str){"", 0};
    raw = str_cut(raw, (size_t)(at + 3 - raw.ptr), raw.len);
    size_t len = 0;
    while (len < raw.len && !strchr("/:.", raw.ptr[len]))
        len++;
    return str_cut(raw, 0, len);
}

static bool
is_of_service(const struct joined *joined, struct query_view *view,
              const struct code_route *route, str host)
{
    const struct join *join = joined->join;

    for (uint32_t i = 0; i < join->folder_len; i++) {
        str name = query_node(view, join->folders[i].service)->name;
        const char *slash = name.len ? memrchr(name.ptr, '/', name.len) : NULL;
        if (slash)
            name = str_cut(name, (size_t)(slash + 1 - name.ptr), name.len);
        if (str_eq(name, host) &&
            join_holds(join, join->folders[i].service, route->file))
            return true;
    }
    return false;
}

/* A route asked for in the code and one that is served: by the name of the
 * host where it is a service of ours, else only if no other is the same. */
static uint32_t
served_for(const struct gathering *g, const struct code_route *client)
{
    const struct code *code = g->joined->code;
    str host = host_of(client->raw);
    uint32_t found = 0;

    for (uint32_t i = 0; i < code->route_len; i++) {
        const struct code_route *route = &code->routes[i];
        if (route->flags & ROUTE_IS_CLIENT || route->handler == 0 ||
            !str_eq(route->canonical, client->canonical) ||
            !(str_eq(route->method, client->method) ||
              str_eq(route->method, STR("ANY")) ||
              str_eq(client->method, STR("ANY"))))
            continue;
        if (host.len && is_of_service(g->joined, g->view, route, host))
            return route->handler;
        if (found && found != route->handler)
            return 0;
        found = route->handler;
    }
    return found;
}

static enum err
add_clients(struct gathering *g)
{
    const struct code *code = g->joined->code;
    enum err err = OK;

    for (uint32_t i = 0; i < code->route_len && !err; i++) {
        const struct code_route *route = &code->routes[i];
        if (!(route->flags & ROUTE_IS_CLIENT) || route->handler == 0 ||
            route->canonical.len < 2)
            continue;
        err = add_arc(g, route->handler,
                      &(struct joined_arc){.place = served_for(g, route),
                                           .type = CODE_CONSUMES,
                                           .evidence = BY_STATIC,
                                           .provenance = CODE_BY_FRAMEWORK,
                                           .permille = 800});
    }
    return err;
}

/* As graph/confidence.h has it: by the calls of the days in which an edge
 * counts as active. */
static enum err
trust_edge(const struct gathering *g, const struct reader_edge *edge,
           uint16_t *out)
{
    const struct confidence_cfg *ages = &g->view->ages;
    uint32_t today = g->view->now_s / S_PER_DAY;
    uint32_t back = ages->active_days < today ? ages->active_days : today;
    struct bucket_delta sum = {0};
    enum err err = OK;

    if (confidence_age(ages, edge->last_s, g->view->now_s) == AGE_ACTIVE)
        err = reader_sum(g->view->reader, edge->id,
                         (struct reader_span){READER_DAYS, today - back, today},
                         &sum);
    *out = (uint16_t)(1000 * confidence(ages, sum.count, edge->last_s,
                                        g->view->now_s));
    return err;
}

static enum err
take_edge(void *ctx, const struct reader_edge *edge)
{
    struct gathering *g = ctx;
    uint32_t src = query_node(g->view, edge->key.src)->target;
    uint32_t dst = query_node(g->view, edge->key.dst)->target;
    uint16_t permille;

    if (edge->count <= 0)
        return OK;
    enum err err = trust_edge(g, edge, &permille);
    if (err)
        return err;
    return add_arc(
        g, joined_place(g->joined, src),
        &(struct joined_arc){
            .place = joined_place(g->joined, dst),
            .type = joined_type_of_edge(
                edge->key.kind, query_node(g->view, edge->key.dst)->kind),
            .evidence = BY_OBSERVED,
            .permille = permille,
            .first_s = edge->first_s,
            .last_s = edge->last_s,
            .count = edge->count,
            .errors = edge->errors,
        });
}

/* Calls that spans tell to be made in functions deeper than the handler. */
static enum err
add_told(struct gathering *g)
{
    const struct join *join = g->joined->join;
    enum err err = OK;

    for (uint32_t i = 0; i < join->call_len && !err; i++) {
        const struct join_call *call = &join->calls[i];
        uint8_t kind = query_node(g->view, call->target)->kind;
        uint8_t type = kind == NODE_RPC        ? JOINED_RUNTIME_RPC
                       : kind == NODE_DATABASE ? JOINED_RUNTIME_QUERIES
                       : kind == NODE_TOPIC    ? JOINED_RUNTIME_PRODUCES
                                               : JOINED_RUNTIME_CALLS;
        err = add_arc(g, call->vertex,
                      &(struct joined_arc){
                          .place = joined_place(g->joined, call->target),
                          .type = type,
                          .evidence = BY_OBSERVED,
                          .permille = 990,
                          .first_s = call->first_s,
                          .last_s = call->last_s,
                          .count = call->count,
                          .errors = call->errors,
                      });
    }
    return err;
}

/* ---- the two arrays ---- */

static int
compare_arcs(const void *left, const void *right)
{
    const struct raw_arc *a = left;
    const struct raw_arc *b = right;

    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    if (a->arc.place != b->arc.place)
        return a->arc.place < b->arc.place ? -1 : 1;
    return (a->arc.type > b->arc.type) - (a->arc.type < b->arc.type);
}

/* Observed arcs of one pair and type become one; static ones are one already.
 */
static void
sum_arcs(struct gathering *g)
{
    uint32_t kept = 0;

    for (uint32_t i = 1; i < g->len; i++) {
        struct joined_arc *to = &g->arcs[kept].arc;
        const struct joined_arc *from = &g->arcs[i].arc;

        if (compare_arcs(&g->arcs[kept], &g->arcs[i]) != 0 ||
            (to->evidence == BY_STATIC && to->provenance != from->provenance)) {
            g->arcs[++kept] = g->arcs[i];
            continue;
        }
        to->count += from->count;
        to->errors += from->errors;
        if (from->first_s && (to->first_s == 0 || from->first_s < to->first_s))
            to->first_s = from->first_s;
        to->last_s = from->last_s > to->last_s ? from->last_s : to->last_s;
        if (from->permille > to->permille)
            to->permille = from->permille;
    }
    g->len = g->len ? kept + 1 : 0;
}

/* What tells of a call, on either side. */
static bool
tells_call(uint8_t type)
{
    return JOINED_BIT(type) & JOINED_CALLS && type != CODE_HANDLES_ROUTE;
}

static void
mark_both(struct gathering *g)
{
    for (uint32_t from = 0; from < g->len;) {
        uint32_t to = from;
        uint8_t evidence = 0;

        for (; to < g->len && g->arcs[to].from == g->arcs[from].from &&
               g->arcs[to].arc.place == g->arcs[from].arc.place;
             to++)
            if (tells_call(g->arcs[to].arc.type))
                evidence |= g->arcs[to].arc.evidence;
        for (; from < to; from++)
            if (evidence == BY_BOTH && tells_call(g->arcs[from].arc.type))
                g->arcs[from].arc.evidence = BY_BOTH;
    }
}

static enum err
lay_out(struct gathering *g)
{
    struct joined *joined = g->joined;
    size_t places = (size_t)joined->place_len + 2;

    joined->arc_len = g->len;
    joined->out = calloc((size_t)g->len + 1, sizeof(*joined->out));
    joined->in = calloc((size_t)g->len + 1, sizeof(*joined->in));
    joined->out_at = calloc(places, sizeof(*joined->out_at));
    joined->in_at = calloc(places, sizeof(*joined->in_at));
    if (!joined->out || !joined->in || !joined->out_at || !joined->in_at)
        return ERR_NOMEM;
    for (uint32_t i = 0; i < g->len; i++) {
        joined->out_at[g->arcs[i].from + 1]++;
        joined->in_at[g->arcs[i].arc.place + 1]++;
        joined->out[i] = g->arcs[i].arc;
    }
    for (size_t i = 1; i < places; i++) {
        joined->out_at[i] += joined->out_at[i - 1];
        joined->in_at[i] += joined->in_at[i - 1];
    }
    uint32_t *next = malloc(places * sizeof(*next));
    if (!next)
        return ERR_NOMEM;
    memcpy(next, joined->in_at, places * sizeof(*next));
    for (uint32_t i = 0; i < g->len; i++) {
        struct joined_arc arc = g->arcs[i].arc;
        uint32_t at = next[arc.place]++;
        arc.place = g->arcs[i].from;
        joined->in[at] = arc;
    }
    free(next);
    return OK;
}

static enum err
place_nodes(struct joined *joined, struct query_view *view)
{
    joined->node_len = catalog_len(view->catalog) + 1;
    joined->place_len = joined->code->node_len + joined->node_len;
    joined->place_of = calloc(joined->node_len, sizeof(*joined->place_of));
    if (!joined->place_of)
        return ERR_NOMEM;
    for (uint32_t id = 1; id < joined->node_len; id++) {
        uint32_t target = query_node(view, id)->target;
        uint32_t vertex = join_of(joined->join, target)->vertex;
        joined->place_of[id] =
            vertex ? vertex : joined->code->node_len + target;
    }
    return OK;
}

static enum err
gather(struct gathering *g)
{
    const struct reader_edges shown = {.from_kind = EDGE_CALL,
                                       .to_kind = EDGE_KIND_SHOWN_END - 1};
    enum err err;

    if ((err = add_static(g)) || (err = add_clients(g)) ||
        (err = reader_each_edge(g->view->reader, &shown, take_edge, g)) ||
        (err = add_told(g)))
        return err;
    if (g->len)
        qsort(g->arcs, g->len, sizeof(*g->arcs), compare_arcs);
    sum_arcs(g);
    mark_both(g);
    return lay_out(g);
}

enum err
joined_make(struct joined **out, struct query_view *view,
            const struct code *code)
{
    struct joined *joined = calloc(1, sizeof(*joined));
    struct gathering g = {.joined = joined, .view = view};
    enum err err = ERR_NOMEM;

    *out = NULL;
    if (!joined)
        return err;
    joined->code = code_hold(code);
    if ((err = join_make(&joined->join, view, code)) ||
        (err = place_nodes(joined, view)) || (err = gather(&g)))
        goto out;
    *out = joined;
    joined = NULL;
out:
    free(g.arcs);
    joined_free(joined);
    return err;
}

void
joined_free(struct joined *joined)
{
    if (!joined)
        return;
    join_free(joined->join);
    code_drop(joined->code);
    free(joined->out);
    free(joined->in);
    free(joined->out_at);
    free(joined->in_at);
    free(joined->place_of);
    free(joined);
}
