/*
 * Marks spread breadth first over the static arcs.  Guessed calls keep alive
 * and never condemn; a handler is reached by calls only, because every handler
 * is passed to its router by something that runs.
 */
#include "graph/closure.h"

#include <stdlib.h>
#include <string.h>

#include "graph/audit_parts.h"
#include "graph/closure_impl.h"
#include "graph/code_build.h"
#include "graph/code_find.h"
#include "graph/query_stop.h"

struct closing {
    struct closure *closure;
    const struct code *code;
    const struct joined *joined;
    struct query_view *view;
    struct audit *audit;
    const struct audit *whole; /* of all services: what lives in one lives */
    uint32_t *queue;
    uint32_t len;
};

/* ---- spreading ---- */

bool
closure_carries(const struct closure *closure, uint32_t from,
                const struct joined_arc *arc, bool sure)
{
    const struct code *code = closure->joined->code;

    if (arc->place >= code->node_len)
        return false;
    if (closure_calls(arc))
        return true;
    if (arc->type == CODE_HANDLES_ROUTE)
        return !sure; /* the route is asked for somewhere */
    if (closure->marks[arc->place] & CLOSURE_HANDLER)
        return false;
    switch (arc->type) {
    case CODE_REFERENCES:
    case CODE_MAY_DISPATCH:
        return true;
    case CODE_MAY_CALL:
    case CODE_PUBLISHES:
    case CODE_SUBSCRIBES:
        return !sure;
    case CODE_CONTAINS: /* a function within one */
        return closure_is_function(code, from) &&
               closure_is_function(code, arc->place);
    default:
        return false;
    }
}

static void
start(struct closing *c, uint32_t vertex, uint8_t mark)
{
    if (vertex == 0 || c->closure->marks[vertex] & mark)
        return;
    c->closure->marks[vertex] |= mark;
    c->queue[c->len++] = vertex;
}

/* From what was started.  |barred| marks are not entered. */
static void
spread(struct closing *c, uint8_t mark, uint8_t barred, bool sure)
{
    struct closure *closure = c->closure;
    const struct joined *joined = c->joined;

    for (uint32_t i = 0; i < c->len; i++) {
        uint32_t from = c->queue[i];
        for (uint32_t k = joined->out_at[from]; k < joined->out_at[from + 1];
             k++) {
            const struct joined_arc *arc = &joined->out[k];
            if (!closure_carries(closure, from, arc, sure) ||
                closure->marks[arc->place] & (mark | barred))
                continue;
            if (mark == CLOSURE_LIVE &&
                code_node(c->code, arc->place)->flags & CODE_TEST)
                continue;
            if (mark == CLOSURE_LIVE)
                closure->parents[arc->place] = from;
            start(c, arc->place, mark);
        }
    }
    c->len = 0;
}

/* ---- handlers ---- */

static bool
is_served(const struct closing *c, const struct code_route *route)
{
    return !(route->flags & ROUTE_IS_CLIENT) &&
           code_node(c->code, route->handler)->kind != CODE_NONE;
}

/* What joins |route| of an audit to the code. */
static const struct join_row *
join_route(const struct closing *c, const struct audit_route *route)
{
    return join_of(c->joined->join, query_node(c->view, route->node)->target);
}

static void
fill_row(struct closing *c, size_t i)
{
    struct closure_row *row = &c->closure->rows[i];
    const struct join_row *join = join_route(c, &c->audit->routes[i]);

    *row = (struct closure_row){
        .route = join->route,
        .handler = join->vertex,
        .permille = join->permille,
        .how = join->how,
    };
}

static enum err
fill_rows(struct closing *c)
{
    struct closure *closure = c->closure;

    free(closure->rows);
    closure->len = c->audit->len;
    closure->rows = calloc(closure->len + 1, sizeof(*closure->rows));
    if (!closure->rows)
        return ERR_NOMEM;
    for (size_t i = 0; i < closure->len; i++)
        fill_row(c, i);
    return OK;
}

/* A handler is dead if the whole audit has routes of it, and all are: one code
 * may run in several environments, or as several services. */
static void
mark_handlers(struct closing *c)
{
    const struct code *code = c->code;
    struct closure *closure = c->closure;
    uint8_t *marks = closure->marks;

    for (uint32_t i = 0; i < code->route_len; i++)
        if (is_served(c, &code->routes[i]))
            marks[code->routes[i].handler] |= CLOSURE_HANDLER;
    for (size_t i = 0; i < c->whole->len; i++)
        marks[join_route(c, &c->whole->routes[i])->vertex] |=
            CLOSURE_HANDLER | CLOSURE_DEAD;
    for (size_t i = 0; i < c->whole->len; i++)
        if (!verdict_is_dead(c->whole->routes[i].verdict))
            marks[join_route(c, &c->whole->routes[i])->vertex] &=
                (uint8_t)~CLOSURE_DEAD;
    /* What else it handles that the audit cannot judge. */
    for (uint32_t i = 0; i < code->route_len; i++) {
        const struct code_route *route = &code->routes[i];
        if (is_served(c, route) &&
            (code_node(code, route->node)->kind == CODE_TOPIC ||
             (route->flags & ROUTE_PREFIX_UNKNOWN &&
              c->joined->join->route_nodes[i] == 0)))
            marks[route->handler] &= (uint8_t)~CLOSURE_DEAD;
    }
    marks[0] = 0;
}

/* ---- what runs ---- */

static bool
is_main(const struct code_vertex *vertex)
{
    str name = vertex->name;

    return str_eq(name, STR("main")) || str_eq(name, STR("init")) ||
           (name.len > 5 &&
            str_eq(str_cut(name, name.len - 5, name.len), STR(".main"))) ||
           (name.len > 5 &&
            str_eq(str_cut(name, name.len - 5, name.len), STR(".Main")));
}

/* Code outside of functions runs when its file or type is loaded. */
static bool
runs_by_itself(const struct code_vertex *vertex)
{
    switch ((enum code_kind)vertex->kind) {
    case CODE_FILE:
    case CODE_PACKAGE:
    case CODE_TYPE:
    case CODE_INTERFACE:
    case CODE_CONST:
    case CODE_VAR:
    case CODE_FIELD:
        return true;
    case CODE_FUNCTION:
    case CODE_METHOD:
        return is_main(vertex);
    default:
        return false;
    }
}

static void
mark_live(struct closing *c)
{
    const struct join *join = c->joined->join;
    uint8_t *marks = c->closure->marks;

    for (uint32_t v = 1; v < c->code->node_len; v++) {
        const struct code_vertex *vertex = code_node(c->code, v);
        bool is_live_handler =
            marks[v] & CLOSURE_HANDLER && !(marks[v] & CLOSURE_DEAD);
        if (!(vertex->flags & CODE_TEST) &&
            (is_live_handler || runs_by_itself(vertex)))
            start(c, v, CLOSURE_LIVE);
    }
    for (uint32_t i = 0; i < join->call_len; i++)
        if (join->calls[i].last_s >= c->audit->from_s &&
            !(marks[join->calls[i].vertex] & CLOSURE_DEAD))
            start(c, join->calls[i].vertex, CLOSURE_LIVE);
    spread(c, CLOSURE_LIVE, 0, false);
}

static void
mark_tested(struct closing *c)
{
    for (uint32_t v = 1; v < c->code->node_len; v++)
        if (code_node(c->code, v)->flags & CODE_TEST)
            start(c, v, CLOSURE_TESTED);
    spread(c, CLOSURE_TESTED, 0, false);
}

static bool
is_called(const struct closing *c, uint32_t vertex)
{
    const struct joined *joined = c->joined;

    for (uint32_t k = joined->in_at[vertex]; k < joined->in_at[vertex + 1];
         k++) {
        struct joined_arc arc = joined->in[k];
        uint32_t from = arc.place;
        if (from >= c->code->node_len ||
            code_node(c->code, from)->flags & CODE_TEST)
            continue;
        arc.place = vertex;
        if (closure_carries(c->closure, from, &arc, false))
            return true;
    }
    return false;
}

/* What is offered to others, who are not seen here. */
static void
mark_open(struct closing *c)
{
    for (uint32_t v = 1; v < c->code->node_len; v++) {
        uint32_t flags = code_node(c->code, v)->flags;
        if (closure_is_function(c->code, v) && flags & CODE_EXPORTED &&
            !(flags & CODE_TEST) && !(c->closure->marks[v] & CLOSURE_HANDLER) &&
            !is_called(c, v))
            start(c, v, CLOSURE_OPEN);
    }
    spread(c, CLOSURE_OPEN, CLOSURE_LIVE, false);
}

static void
mark_gone(struct closing *c)
{
    struct closure *closure = c->closure;

    for (size_t i = 0; i < closure->len; i++) {
        uint32_t handler = closure->rows[i].handler;
        if (closure->marks[handler] & CLOSURE_DEAD &&
            !(closure->marks[handler] & CLOSURE_LIVE))
            start(c, handler, CLOSURE_GONE);
    }
    spread(c, CLOSURE_GONE, CLOSURE_LIVE, true);
    for (uint32_t v = 1; v < c->code->node_len; v++) {
        const struct code_vertex *vertex = code_node(c->code, v);
        if (!closure_is_told(closure, v))
            continue;
        closure->dead_functions++;
        if (vertex->line && vertex->end_line >= vertex->line)
            closure->dead_lines += vertex->end_line - vertex->line + 1;
    }
}

/* ---- what that says of the audit ---- */

static void
look_at_callers(struct closing *c, size_t i)
{
    const struct joined *joined = c->joined;
    struct closure_row *row = &c->closure->rows[i];
    bool is_dead = verdict_is_dead(c->audit->routes[i].verdict);
    uint32_t last = 0;

    if (row->handler == 0)
        return;
    for (uint32_t k = joined->in_at[row->handler];
         k < joined->in_at[row->handler + 1]; k++) {
        const struct joined_arc *arc = &joined->in[k];
        if (!closure_calls(arc) || arc->place >= c->code->node_len ||
            arc->place == last)
            continue;
        last = arc->place;
        row->caller_len++;
        if (is_dead && row->caller == 0 &&
            c->closure->marks[arc->place] & CLOSURE_LIVE)
            row->caller = arc->place;
    }
}

/* Spans were seen of it, and the code of its service has no such route. */
static bool
is_unknown(const struct closing *c, size_t i)
{
    const struct audit_route *route = &c->audit->routes[i];
    const struct join *join = c->joined->join;

    if (route->total == 0 || c->closure->rows[i].route)
        return false;
    for (uint32_t k = 0; k < join->folder_len; k++)
        if (str_eq(query_node(c->view, join->folders[k].service)->name,
                   query_node(c->view, route->service)->name))
            return true;
    return false;
}

static void
look_at_rows(struct closing *c)
{
    for (size_t i = 0; i < c->closure->len; i++) {
        look_at_callers(c, i);
        c->closure->rows[i].is_unknown = is_unknown(c, i);
    }
}

/* Whether the order may have changed. */
static bool
change_audit(struct closing *c)
{
    bool is_changed = false;

    for (size_t i = 0; i < c->closure->len; i++) {
        const struct closure_row *row = &c->closure->rows[i];
        struct audit_route *route = &c->audit->routes[i];

        if (row->is_unknown)
            route->reasons |= UINT32_C(1) << AUDIT_UNKNOWN;
        if (row->caller == 0)
            continue;
        route->reasons |= UINT32_C(1) << AUDIT_CALLED;
        is_changed |= route->trust > TRUST_LOW;
        if (route->trust > TRUST_LOW)
            route->trust = TRUST_LOW;
    }
    return is_changed;
}

/* Each is one walk over the graph, and nobody may be waiting any more. */
static enum err
mark_all(struct closing *c)
{
    static void (*const marks[])(struct closing *) = {
        mark_handlers, mark_live, mark_tested, mark_open, mark_gone};
    enum err err = OK;

    for (size_t i = 0; !err && i < sizeof(marks) / sizeof(marks[0]); i++)
        if (!(err = query_check(c->view)))
            marks[i](c);
    return err ? err : query_check(c->view);
}

/* Where |cfg| asked for some routes alone, the others are judged as well. */
static enum err
widen(struct closing *c, const struct audit_cfg *cfg, struct audit *whole)
{
    struct audit_cfg all = *cfg;
    enum err err;

    if (!cfg->services && !cfg->nodes && cfg->env.len == 0)
        return OK;
    all.services = all.nodes = NULL;
    all.env = (str){"", 0};
    if (!(err = audit_run(c->view, &all, whole)))
        c->whole = whole;
    return err;
}

static enum err
gate(struct closing *c, struct audit *whole)
{
    enum err err = closure_gate(c->joined, c->view, c->whole, c->audit);

    if (!err && c->whole == whole)
        err = closure_gate(c->joined, c->view, whole, whole);
    return err;
}

enum err
closure_make(struct closure **out, const struct joined *joined,
             struct query_view *view, struct audit *audit,
             const struct audit_cfg *cfg)
{
    struct closure *closure = calloc(1, sizeof(*closure));
    struct audit whole = {0};
    struct closing c = {closure, joined->code, joined, view,
                        audit,   audit,        NULL,   0};
    size_t len = joined->code->node_len;
    enum err err = ERR_NOMEM;

    *out = NULL;
    if (!closure)
        return err;
    closure->joined = joined;
    closure->marks = calloc(len + 1, sizeof(*closure->marks));
    closure->parents = calloc(len + 1, sizeof(*closure->parents));
    closure->scratch = calloc(len + 1, sizeof(*closure->scratch));
    c.queue = calloc(len + 1, sizeof(*c.queue));
    if (!closure->marks || !closure->parents || !closure->scratch || !c.queue)
        goto out;
    if ((err = widen(&c, cfg, &whole)) || (err = gate(&c, &whole)) ||
        (err = fill_rows(&c)) || (err = mark_all(&c)))
        goto out;
    err = ERR_NOMEM;
    look_at_rows(&c);
    if (change_audit(&c)) {
        audit_sort(audit, view);
        if (fill_rows(&c))
            goto out;
        look_at_rows(&c);
    }
    *out = closure;
    closure = NULL;
    err = OK;
out:
    free(c.queue);
    audit_fini(&whole);
    closure_free(closure);
    return err;
}

void
closure_free(struct closure *closure)
{
    if (!closure)
        return;
    free(closure->rows);
    free(closure->marks);
    free(closure->parents);
    free(closure->scratch);
    free(closure);
}
