/*
 * Functions and endpoints as one graph (graph/joined.h): walked from the focus
 * as api/view_graph.c does, but over arcs that are in memory.  An observed arc
 * counts if it was seen within the window; its numbers are of all time, which
 * is all that is held of it here.
 */
#include <stdlib.h>
#include <string.h>

#include "api/view_impl.h"
#include "graph/code_find.h"
#include "graph/joined.h"

enum { CALLEES, CALLERS, STARTS_MAX = 200 };

struct code_run {
    struct view_run *run;
    const struct graph_ask *ask;
    const struct joined *joined;
    uint32_t *starts; /* places */
    size_t start_len;
    struct part part;
};

/* An arc that may be taken, with the place it was met at. */
struct step {
    uint32_t near;
    const struct joined_arc *arc;
};

/* ---- where to begin ---- */

static enum err
add_start(struct code_run *c, uint32_t place)
{
    if (!place || c->start_len == STARTS_MAX)
        return OK;
    if (!c->starts && !(c->starts = calloc(STARTS_MAX, sizeof(*c->starts))))
        return ERR_NOMEM;
    for (size_t i = 0; i < c->start_len; i++) {
        if (c->starts[i] == place)
            return OK;
    }
    c->starts[c->start_len++] = place;
    return OK;
}

/* A service is all that it serves, and itself if it calls. */
static enum err
start_at_node(struct code_run *c, uint32_t id)
{
    const struct query_find owned = {.owner = id};
    const struct joined *joined = c->joined;
    uint32_t place = joined_place(joined, id);
    bool is_service = query_node(c->run->view, id)->kind == NODE_SERVICE;
    struct ids ids = {0};
    enum err err = OK;

    if (!is_service || joined->out_at[place] != joined->out_at[place + 1] ||
        joined->in_at[place] != joined->in_at[place + 1])
        err = add_start(c, place);
    if (!err && is_service)
        err = query_find(c->run->view, &owned, &ids);
    for (size_t i = 0; i < ids.len && !err; i++)
        err = add_start(c, joined_place(c->joined, ids.ids[i]));
    ids_fini(&ids);
    return err;
}

static enum err
find_starts(struct code_run *c)
{
    str focus = c->ask->focus;
    bool is_code = str_starts(focus, STR("code:"));
    struct ids found = {0};
    struct ids nodes = {0};
    enum err err = OK;

    if (!is_code)
        err = view_find_nodes(c->run, focus, c->ask->env, &nodes);
    for (size_t i = 0; i < nodes.len && !err; i++)
        err = start_at_node(c, nodes.ids[i]);
    if (!err && c->start_len == 0)
        err = code_resolve(c->joined->code,
                           is_code ? str_cut(focus, 5, focus.len) : focus, 0,
                           &found);
    for (size_t i = 0; i < found.len && !err; i++)
        err = add_start(c, found.ids[i]);
    if (err == ERR_NOT_FOUND || (!err && c->start_len == 0))
        err = view_fail(c->run, ERR_NOT_FOUND, "nothing is called %.*s",
                        (int)(focus.len < 200 ? focus.len : 200), focus.ptr);
    ids_fini(&found);
    ids_fini(&nodes);
    return err;
}

/* ---- picking ---- */

static bool
is_wanted(const struct code_run *c, const struct joined_arc *arc)
{
    const struct graph_ask *ask = c->ask;

    /* That a function is registered for a route is told with the function. */
    if (!(JOINED_BIT(arc->type) & JOINED_CALLS) ||
        arc->type == CODE_HANDLES_ROUTE)
        return false;
    return arc->last_s == 0 || (arc->last_s >= ask->from_s &&
                                (ask->to_s == 0 || arc->first_s <= ask->to_s));
}

/* Busiest first; of those without traffic the surest. */
static int
compare_steps(const void *left, const void *right)
{
    const struct step *a = left;
    const struct step *b = right;

    if (a->arc->count != b->arc->count)
        return a->arc->count > b->arc->count ? -1 : 1;
    if (a->arc->permille != b->arc->permille)
        return a->arc->permille > b->arc->permille ? -1 : 1;
    if (a->near != b->near)
        return a->near < b->near ? -1 : 1;
    return (a->arc->place > b->arc->place) - (a->arc->place < b->arc->place);
}

static enum err
take_step(struct code_run *c, const struct step *step, int side, uint32_t depth)
{
    const struct joined_arc *arc = step->arc;
    struct part *part = &c->part;
    const struct part_edge edge = {
        .source = side == CALLEES ? step->near : arc->place,
        .target = side == CALLEES ? arc->place : step->near,
        .kind = arc->type,
        .evidence = arc->evidence,
        .count = arc->count,
        .errors = arc->errors,
        .first_s = arc->first_s,
        .last_s = arc->last_s,
    };
    struct part_node *near;
    struct part_node *far;
    enum err err;

    if (part_has_edge(part, &edge))
        return OK;
    err = part_add_node(part, step->near, depth - 1, &near);
    if (!err && !part_find(part, arc->place)) {
        if (near->brought[side] == VIEW_HUB) {
            part_miss(part, near, true);
            return OK;
        }
        near->brought[side]++;
        err = part_add_node(part, arc->place, depth, &far);
    }
    if (!err)
        err = part_add_edge(part, &edge);
    if (err == ERR_FULL) {
        part_miss(part, part_find(part, step->near), false);
        err = OK;
    }
    return err;
}

struct steps {
    struct step *rows;
    size_t len;
};

/* The arcs of |places| on one side, in the order in which they are taken. */
static enum err
gather(const struct code_run *c, const uint32_t *places, size_t place_len,
       int side, struct steps *out)
{
    const struct joined *joined = c->joined;
    const uint32_t *at = side == CALLEES ? joined->out_at : joined->in_at;
    const struct joined_arc *arcs = side == CALLEES ? joined->out : joined->in;
    size_t most = 0;

    for (size_t i = 0; i < place_len; i++)
        most += at[places[i] + 1] - at[places[i]];
    *out = (struct steps){.rows = calloc(most + 1, sizeof(*out->rows))};
    if (!out->rows)
        return ERR_NOMEM;
    for (size_t i = 0; i < place_len; i++) {
        for (uint32_t k = at[places[i]]; k < at[places[i] + 1]; k++) {
            if (is_wanted(c, &arcs[k]))
                out->rows[out->len++] = (struct step){places[i], &arcs[k]};
        }
    }
    if (out->len)
        qsort(out->rows, out->len, sizeof(*out->rows), compare_steps);
    return OK;
}

static enum err
take_side(struct code_run *c, const struct ids *near, int side, uint32_t depth)
{
    struct steps steps;
    enum err err = gather(c, near->ids, near->len, side, &steps);

    for (size_t i = 0; !err && i < steps.len; i++)
        err = take_step(c, &steps.rows[i], side, depth);
    free(steps.rows);
    return err;
}

static enum err
pick_around(struct code_run *c)
{
    struct part_node *node;
    enum err err = find_starts(c);

    for (size_t i = 0; i < c->start_len && !err; i++) {
        err = part_add_node(&c->part, c->starts[i], 0, &node);
        err = err == ERR_FULL ? OK : err;
    }
    for (uint32_t depth = 1; depth <= c->ask->depth && !err; depth++) {
        struct ids near = {0};

        for (size_t i = 0; i < c->part.len && !err; i++) {
            if (c->part.nodes[i].depth == depth - 1)
                err = ids_add(&near, c->part.nodes[i].id);
        }
        if (!err)
            err = take_side(c, &near, CALLEES, depth);
        if (!err)
            err = take_side(c, &near, CALLERS, depth);
        for (size_t i = 0; i < near.len; i++)
            part_find(&c->part, near.ids[i])->is_rim = false;
        ids_fini(&near);
    }
    return err;
}

/* Without a focus: the busiest arcs of all. */
static enum err
pick_busiest(struct code_run *c)
{
    uint32_t *places = calloc(c->joined->place_len, sizeof(*places));
    struct steps steps = {0};
    enum err err = places ? OK : ERR_NOMEM;

    for (uint32_t i = 1; !err && i < c->joined->place_len; i++)
        places[i - 1] = i;
    if (!err && c->joined->place_len > 1)
        err = gather(c, places, c->joined->place_len - 1, CALLEES, &steps);
    for (size_t i = 0; !err && i < steps.len; i++)
        err = take_step(c, &steps.rows[i], CALLEES, 1);
    for (size_t i = 0; i < c->part.len; i++)
        c->part.nodes[i].is_rim = false;
    free(steps.rows);
    free(places);
    return err;
}

/* ---- writing ---- */

static void
sum(struct code_run *c)
{
    for (size_t i = 0; i < c->part.len; i++) {
        struct part_node *node = &c->part.nodes[i];
        const struct joined *joined = c->joined;

        for (uint32_t k = joined->in_at[node->id];
             k < joined->in_at[node->id + 1]; k++) {
            node->in += joined->in[k].count;
            node->in_errors += joined->in[k].errors;
            if (node->last_s < joined->in[k].last_s)
                node->last_s = joined->in[k].last_s;
        }
        for (uint32_t k = joined->out_at[node->id];
             k < joined->out_at[node->id + 1]; k++) {
            node->out += joined->out[k].count;
            node->out_errors += joined->out[k].errors;
            if (node->last_s < joined->out[k].last_s)
                node->last_s = joined->out[k].last_s;
        }
    }
}

static void
write_vertex(struct code_run *c, uint32_t v)
{
    const struct code *code = c->joined->code;
    const struct code_vertex *vertex = code_node(code, v);
    struct buf *out = c->run->out;
    struct buf key = {0};
    uint32_t served_len;
    const uint32_t *served = join_served(c->joined->join, v, &served_len);

    buf_add(&key, STR("code:"));
    buf_add(&key, vertex->qualified);
    write_text(out, "key", buf_str(&key));
    write_text(out, "kind", str_of(code_kind_str(vertex->kind)));
    write_text(out, "name", vertex->name);
    write_text(out, "service",
               served_len ? query_node(c->run->view, served[0])->service
                          : vertex->package);
    write_text(out, "env", (str){0});
    if (vertex->file) {
        write_text(out, "file", code->files[vertex->file].path);
        write_int(out, "line", vertex->line);
    }
    if (served_len)
        write_text(out, "serves", query_node(c->run->view, served[0])->name);
    out->failed |= key.failed;
    buf_fini(&key);
}

static void
write_place(struct code_run *c, const struct part_node *node)
{
    struct buf *out = c->run->out;
    uint32_t vertex = joined_vertex(c->joined, node->id);
    uint32_t id = joined_node(c->joined, node->id);

    write_open(out, NULL, '{');
    write_int(out, "id", node->id);
    if (vertex)
        write_vertex(c, vertex);
    else
        view_write_names(c->run, id);
    view_write_counts(out, node);
    write_close(out, '}');
}

static void
write_code(struct code_run *c)
{
    struct buf *out = c->run->out;

    write_open(out, NULL, '{');
    write_text(out, "level", STR("symbol"));
    write_int(out, "now", query_now_s(c->run->view));
    write_time(out, "as_of", query_as_of_s(c->run->view));
    write_open(out, "window", '{');
    write_time(out, "from", c->ask->from_s);
    write_time(out, "to",
               c->ask->to_s ? c->ask->to_s : query_now_s(c->run->view));
    write_text(out, "unit", STR("seen"));
    write_close(out, '}');
    write_open(out, "focus", '[');
    for (size_t i = 0; i < c->start_len; i++)
        write_int(out, NULL, c->starts[i]);
    write_close(out, ']');
    view_write_has_code(c->run);
    write_open(out, "nodes", '[');
    for (size_t i = 0; i < c->part.len; i++)
        write_place(c, &c->part.nodes[i]);
    write_close(out, ']');
    write_open(out, "edges", '[');
    for (size_t i = 0; i < c->part.edge_len; i++)
        view_write_edge(out, &c->part.edges[i],
                        joined_type_str(c->part.edges[i].kind));
    write_close(out, ']');
    view_write_left_out(out, &c->part);
    write_close(out, '}');
}

enum err
view_code(struct view_run *run, const struct graph_ask *ask)
{
    struct code_run c = {.run = run, .ask = ask, .joined = run->joined};
    enum err err;

    if (!c.joined)
        return view_fail(run, ERR_STORE, "%s", buf_cstr(&run->joined_why));
    c.part.limit = ask->limit;
    err = ask->focus.len ? pick_around(&c) : pick_busiest(&c);
    if (!err) {
        sum(&c);
        write_code(&c);
    }
    part_fini(&c.part);
    free(c.starts);
    return err;
}
