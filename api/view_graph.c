/*
 * Around a focus the graph is read step by step: the edges at the nodes met so
 * far, busiest first, so the work is that of the part shown and not of the
 * whole.  Without a focus all edges of the level are summed once and the
 * busiest taken.
 */
#include <stdlib.h>
#include <string.h>

#include "api/view_impl.h"
#include "base/clock.h"
#include "graph/joined.h"
#include "graph/query_edges.h"

enum { CALLEES, CALLERS };

struct graph_run {
    struct view_run *run;
    const struct graph_ask *ask;
    struct query_filter filter; /* of level, window and env */
    struct query_window window;
    struct ids starts;
    struct part part;
    struct static_calls statics;
};

/* ---- where to begin ---- */

/* A service at service level, whatever of it was named. */
static enum err
add_start(struct graph_run *g, uint32_t id)
{
    const struct query_node *node = query_node(g->run->view, id);

    if (g->ask->level == LEVEL_SERVICE && node->owner)
        id = node->owner;
    return ids_has(&g->starts, id) ? OK : ids_add(&g->starts, id);
}

static enum err
find_starts(struct graph_run *g)
{
    struct ids found = {0};
    enum err err = view_find_nodes(g->run, g->ask->focus, g->ask->env, &found);

    for (size_t i = 0; i < found.len && !err; i++)
        err = add_start(g, found.ids[i]);
    if (!err && g->starts.len == 0)
        err =
            view_fail(g->run, ERR_NOT_FOUND, "nothing is called %.*s",
                      (int)(g->ask->focus.len < 200 ? g->ask->focus.len : 200),
                      g->ask->focus.ptr);
    ids_fini(&found);
    return err;
}

/* ---- picking ---- */

static struct part_edge
edge_of(const struct query_edge *row)
{
    return (struct part_edge){
        .source = row->source,
        .target = row->target,
        .kind = row->kind,
        .evidence = BY_OBSERVED,
        .count = row->count,
        .errors = row->errors,
        .first_s = row->first_s,
        .last_s = row->last_s,
    };
}

static enum err
add_detail(struct graph_run *g, const struct query_edges *edges, size_t i,
           struct part_edge *edge)
{
    struct query_detail detail;
    enum err err = query_detail(g->run->view, edges, i, &detail);

    if (err)
        return err;
    edge->p50_ns = detail.p50_ns;
    edge->p95_ns = detail.p95_ns;
    edge->p99_ns = detail.p99_ns;
    err = query_exemplars(g->run->view, edges, i, edge->exemplars,
                          &edge->exemplar_len);
    return err ? err : part_add_edge(&g->part, edge);
}

/* Whether the code tells of the call too; which is then no more only told by
 * the code. */
static uint8_t
mark_static(struct graph_run *g, const struct part_edge *edge)
{
    const struct query_node *source = query_node(g->run->view, edge->source);
    struct static_call *call = static_calls_find(
        &g->statics, source->owner ? source->owner : source->id, edge->target);

    if (!call)
        return BY_OBSERVED;
    call->is_seen = true;
    return BY_BOTH;
}

/* Takes one edge between |near|, which is looked at, and what lies beyond. */
static enum err
take_step(struct graph_run *g, const struct query_edges *edges, size_t i,
          int side, uint32_t depth)
{
    struct part *part = &g->part;
    struct part_edge edge = edge_of(&edges->rows[i]);
    uint32_t near_id = side == CALLEES ? edge.source : edge.target;
    uint32_t far_id = side == CALLEES ? edge.target : edge.source;
    struct part_node *near;
    struct part_node *far;
    enum err err;

    edge.evidence = mark_static(g, &edge);
    if (part_has_edge(part, &edge))
        return OK;
    err = part_add_node(part, near_id, depth - 1, &near);
    if (!err)
        near->is_rim = false;
    if (!err && !part_find(part, far_id)) {
        if (near->brought[side] == VIEW_HUB) {
            part_miss(part, near, true);
            return OK;
        }
        near->brought[side]++;
        err = part_add_node(part, far_id, depth, &far);
    }
    if (!err)
        err = add_detail(g, edges, i, &edge);
    if (err == ERR_FULL) {
        part_miss(part, part_find(part, near_id), false);
        err = OK;
    }
    return err;
}

/* The busier of two edges, of those that are left on each side. */
static int
busier(const struct query_edges sides[2], const size_t at[2])
{
    if (at[CALLEES] == sides[CALLEES].len)
        return CALLERS;
    if (at[CALLERS] == sides[CALLERS].len)
        return CALLEES;
    return sides[CALLERS].rows[at[CALLERS]].count >
                   sides[CALLEES].rows[at[CALLEES]].count
               ? CALLERS
               : CALLEES;
}

static enum err
take_depth(struct graph_run *g, const struct ids *near, uint32_t depth)
{
    struct query_edges sides[2] = {0};
    size_t at[2] = {0, 0};
    struct query_filter filter = g->filter;
    enum err err;

    filter.sources = near;
    err = query_edges(g->run->view, &filter, &sides[CALLEES]);
    filter.sources = NULL;
    filter.targets = near;
    if (!err)
        err = query_edges(g->run->view, &filter, &sides[CALLERS]);
    while (!err && at[0] + at[1] < sides[0].len + sides[1].len) {
        int side = busier(sides, at);

        err = take_step(g, &sides[side], at[side]++, side, depth);
    }
    query_edges_fini(&sides[CALLEES]);
    query_edges_fini(&sides[CALLERS]);
    return err;
}

static bool
is_near(const struct part *part, uint32_t id, uint32_t depth)
{
    const struct part_node *node = part_find(part, id);

    return node && node->depth < depth;
}

/* Calls that only the code tells of, at the nodes that were looked at. */
static enum err
take_static(struct graph_run *g, uint32_t depth)
{
    struct part *part = &g->part;
    enum err err = OK;

    for (size_t i = 0; i < g->statics.len && !err; i++) {
        const struct static_call *call = &g->statics.rows[i];
        const struct part_edge edge = {.source = call->source,
                                       .target = call->target,
                                       .kind = call->kind,
                                       .evidence = BY_STATIC};
        struct part_node *node;

        if (call->is_seen || part_has_edge(part, &edge) ||
            (!is_near(part, call->source, depth) &&
             !is_near(part, call->target, depth)))
            continue;
        err = part_add_node(part, call->source, depth, &node);
        if (!err)
            err = part_add_node(part, call->target, depth, &node);
        if (!err)
            err = part_add_edge(part, &edge);
        if (err == ERR_FULL) {
            part_miss(part, NULL, false);
            err = OK;
        }
    }
    return err;
}

static enum err
pick_around(struct graph_run *g)
{
    struct part_node *node;
    enum err err = find_starts(g);

    for (size_t i = 0; i < g->starts.len && !err; i++) {
        err = part_add_node(&g->part, g->starts.ids[i], 0, &node);
        err = err == ERR_FULL ? OK : err;
    }
    for (uint32_t depth = 1; depth <= g->ask->depth && !err; depth++) {
        struct ids near = {0};

        for (size_t i = 0; i < g->part.len && !err; i++) {
            if (g->part.nodes[i].depth == depth - 1 && g->part.nodes[i].is_rim)
                err = ids_add(&near, g->part.nodes[i].id);
        }
        if (!err && near.len)
            err = take_depth(g, &near, depth);
        if (!err)
            err = take_static(g, depth);
        for (size_t i = 0; i < near.len; i++)
            part_find(&g->part, near.ids[i])->is_rim = false;
        ids_fini(&near);
    }
    return err;
}

static enum err
take_busy(struct graph_run *g, const struct query_edges *edges, size_t i)
{
    struct part_edge edge = edge_of(&edges->rows[i]);
    struct part_node *node;
    enum err err;

    edge.evidence = mark_static(g, &edge);
    err = part_add_node(&g->part, edge.source, 0, &node);
    if (!err)
        err = part_add_node(&g->part, edge.target, 0, &node);
    if (!err)
        err = add_detail(g, edges, i, &edge);
    if (err == ERR_FULL) {
        part_miss(&g->part, part_find(&g->part, edge.source), false);
        part_miss(&g->part, part_find(&g->part, edge.target), false);
        g->part.left_out--; /* it was one edge */
        err = OK;
    }
    return err;
}

/* ---- totals of the nodes that are shown ---- */

static void
sum_out(struct part *part)
{
    for (size_t i = 0; i < part->edge_len; i++) {
        const struct part_edge *edge = &part->edges[i];
        struct part_node *source = part_find(part, edge->source);
        struct part_node *target = part_find(part, edge->target);

        source->has_edge = true;
        target->has_edge = true;
        source->out += edge->count;
        source->out_errors += edge->errors;
        if (source->last_s < edge->last_s)
            source->last_s = edge->last_s;
        if (target->last_s < edge->last_s)
            target->last_s = edge->last_s;
    }
}

/* Of all edges that were read, those to nodes that are shown. */
static void
keep_shown(const struct part *part, struct query_edges *edges)
{
    size_t len = 0;

    for (size_t i = 0; i < edges->len; i++) {
        if (part_find(part, edges->rows[i].target))
            edges->rows[len++] = edges->rows[i];
    }
    edges->len = len;
}

/* What came in, from callers that are not shown, too.  A message is told by
 * its topic and from end to end, and counts once.  Rows are busiest first: the
 * first of a node that has durations says how long it takes. */
static enum err
sum_in(struct graph_run *g, struct query_edges *edges)
{
    enum err err = OK;

    keep_shown(&g->part, edges);
    query_edges_by_target(edges);
    for (size_t i = 0; i < edges->len; i++) {
        if (edges->rows[i].kind == EDGE_MSG_SUB)
            part_find(&g->part, edges->rows[i].target)->has_topic = true;
    }
    for (size_t i = 0; i < edges->len && !err; i++) {
        const struct query_edge *row = &edges->rows[i];
        struct part_node *node = part_find(&g->part, row->target);
        struct query_detail detail = {0};

        if (row->kind == EDGE_MSG && node->has_topic)
            continue;
        if (node->p95_ns == 0)
            err = query_detail(g->run->view, edges, i, &detail);
        node->p95_ns = node->p95_ns ? node->p95_ns : detail.p95_ns;
        node->in += row->count;
        node->in_errors += row->errors;
        if (node->last_s < row->last_s)
            node->last_s = row->last_s;
    }
    return err;
}

static enum err
read_in(struct graph_run *g)
{
    struct query_filter filter = g->filter;
    struct query_edges edges = {0};
    struct ids ids = {0};
    enum err err = OK;

    for (size_t i = 0; i < g->part.len && !err; i++)
        err = ids_add(&ids, g->part.nodes[i].id);
    filter.targets = &ids;
    if (!err && ids.len)
        err = query_edges(g->run->view, &filter, &edges);
    if (!err)
        err = sum_in(g, &edges);
    query_edges_fini(&edges);
    ids_fini(&ids);
    return err;
}

static enum err
pick_busiest(struct graph_run *g)
{
    struct query_edges edges = {0};
    enum err err = query_edges(g->run->view, &g->filter, &edges);

    for (size_t i = 0; i < edges.len && !err; i++)
        err = take_busy(g, &edges, i);
    for (size_t i = 0; i < g->part.len; i++)
        g->part.nodes[i].is_rim = false;
    if (!err)
        err = take_static(g, 1);
    if (!err)
        err = sum_in(g, &edges);
    query_edges_fini(&edges);
    return err;
}

/* ---- writing ---- */

static void
write_node(struct graph_run *g, const struct part_node *node)
{
    struct buf *out = g->run->out;

    write_open(out, NULL, '{');
    write_int(out, "id", node->id);
    view_write_names(g->run, node->id);
    view_write_counts(out, node);
    write_close(out, '}');
}

/* A service that was asked for and is shown by its endpoints alone. */
static bool
is_folded(const struct graph_run *g, const struct part_node *node)
{
    return g->ask->level == LEVEL_ENDPOINT && node->depth == 0 &&
           g->part.edge_len &&
           query_node(g->run->view, node->id)->kind == NODE_SERVICE &&
           !node->has_edge;
}

static void
write_graph(struct graph_run *g)
{
    struct buf *out = g->run->out;
    const struct query_window *window = &g->window;

    write_open(out, NULL, '{');
    write_text(out, "level",
               g->ask->level == LEVEL_SERVICE ? STR("service")
                                              : STR("endpoint"));
    write_int(out, "now", query_now_s(g->run->view));
    write_time(out, "as_of", query_as_of_s(g->run->view));
    write_open(out, "window", '{');
    write_time(out, "from", window->from_s);
    write_time(out, "to", window->to_s);
    write_text(out, "unit", str_of(window->unit));
    write_close(out, '}');
    write_open(out, "focus", '[');
    for (size_t i = 0; i < g->part.len; i++) {
        const struct part_node *node = &g->part.nodes[i];

        if (g->starts.len && node->depth == 0 && !is_folded(g, node))
            write_int(out, NULL, node->id);
    }
    write_close(out, ']');
    view_write_has_code(g->run);
    write_open(out, "nodes", '[');
    for (size_t i = 0; i < g->part.len; i++) {
        if (!is_folded(g, &g->part.nodes[i]))
            write_node(g, &g->part.nodes[i]);
    }
    write_close(out, ']');
    write_open(out, "edges", '[');
    for (size_t i = 0; i < g->part.edge_len; i++)
        view_write_edge(out, &g->part.edges[i],
                        edge_kind_str(g->part.edges[i].kind));
    write_close(out, ']');
    view_write_left_out(out, &g->part);
    write_close(out, '}');
}

static enum err
answer(struct graph_run *g)
{
    enum err err = static_calls_read(g->run, g->ask->level, &g->statics);

    if (!err)
        err = g->ask->focus.len ? pick_around(g) : pick_busiest(g);
    if (!err)
        sum_out(&g->part);
    if (!err && g->ask->focus.len)
        err = read_in(g);
    if (!err)
        write_graph(g);
    return err;
}

/* The hour or the day that the end lies in is told whole, as is that of the
 * beginning; 0: until now. */
static uint32_t
whole_until_s(const struct query_view *view, const struct graph_ask *ask)
{
    bool hours = ask->from_s >= query_hours_from_s(view);
    uint32_t unit_s = hours ? S_PER_H : S_PER_DAY;
    uint64_t end_s = ((uint64_t)ask->to_s + unit_s - 1) / unit_s * unit_s;

    return end_s < query_now_s(view) ? (uint32_t)end_s : 0;
}

enum err
view_graph(struct view_run *run)
{
    struct graph_ask ask = {.level = LEVEL_SERVICE};
    struct graph_run g = {.run = run, .ask = &ask};
    enum err err = view_read_ask(run, &ask);

    if (err)
        return err;
    if (ask.level == LEVEL_SYMBOL) {
        view_join(run);
        return view_code(run, &ask);
    }
    view_join_code(run);
    g.part.limit = ask.limit;
    g.filter = (struct query_filter){.level = ask.level,
                                     .since_s = ask.from_s,
                                     .until_s = whole_until_s(run->view, &ask),
                                     .env = ask.env};
    g.window =
        query_window_until(run->view, g.filter.since_s, g.filter.until_s);
    err = answer(&g);
    part_fini(&g.part);
    static_calls_fini(&g.statics);
    ids_fini(&g.starts);
    return err;
}
