/*
 * Three walks: the ranking; breadth first in any direction, for the distance;
 * and forward and backward along calls, for what a place is to the seeds and
 * how sure that is.  Candidates are then scored, and the best become rows.
 */
#include "graph/context.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

enum { WALK_MAX = 20000, FAR = UINT8_MAX };

struct making {
    const struct joined *joined;
    struct query_view *view;
    const struct context_ask *ask;
    double *ranks;      /* by place */
    uint8_t *distances; /* by place; FAR: not reached */
    struct joined_walk callers;
    struct joined_walk callees;
    uint16_t *trust[2]; /* by place: permille + 1 as caller, as callee */
    struct context_symbol *found;
    size_t found_len;
    double rank_max;
    double traffic_max;
};

const char *
context_relation_str(uint8_t relation)
{
    static const char *const words[] = {
        [CONTEXT_TARGET] = "target",   [CONTEXT_CALLER] = "caller",
        [CONTEXT_CALLEE] = "callee",   [CONTEXT_TYPE] = "type",
        [CONTEXT_RELATED] = "related",
    };

    return relation <= CONTEXT_RELATED ? words[relation] : "related";
}

/* ---- the walks ---- */

/* The places of the next ring that are not in one yet; how many there are. */
static size_t
add_ring(struct making *m, const uint32_t *ring, size_t len, uint8_t distance,
         uint32_t *next)
{
    const struct joined *j = m->joined;
    size_t found = 0;

    for (size_t i = 0; i < len; i++) {
        uint32_t p = ring[i];
        uint32_t outs = j->out_at[p + 1] - j->out_at[p];
        uint32_t all = outs + j->in_at[p + 1] - j->in_at[p];
        for (uint32_t k = 0; k < all; k++) {
            const struct joined_arc *arc = k < outs
                                               ? &j->out[j->out_at[p] + k]
                                               : &j->in[j->in_at[p] + k - outs];
            if (m->distances[arc->place] != FAR ||
                rank_arc_weight(arc, query_now_s(m->view), 0) <= 0)
                continue;
            m->distances[arc->place] = distance;
            next[found++] = arc->place;
        }
    }
    return found;
}

/* Without a word on it, all seeds are targets. */
static size_t
target_len(const struct making *m)
{
    return m->ask->target_len ? m->ask->target_len : m->ask->seed_len;
}

static size_t
add_seeds(struct making *m, size_t from, size_t to, uint8_t distance,
          uint32_t *ring)
{
    size_t len = 0;

    for (size_t i = from; i < to; i++) {
        uint32_t p = m->ask->seeds[i].place;
        if (p == 0 || p >= m->joined->place_len || m->distances[p] != FAR)
            continue;
        m->distances[p] = distance;
        ring[len++] = p;
    }
    return len;
}

static enum err
measure_distances(struct making *m)
{
    size_t places = (size_t)m->joined->place_len + 1;
    uint32_t *ring = calloc(places, sizeof(*ring));
    uint32_t *next = calloc(places, sizeof(*next));
    size_t len = 0;

    m->distances = malloc(places);
    if (!ring || !next || !m->distances) {
        free(ring);
        free(next);
        return ERR_NOMEM;
    }
    memset(m->distances, FAR, places);
    len = add_seeds(m, 0, target_len(m), 0, ring);
    for (int d = 1; d <= CONTEXT_DEPTH; d++) {
        len = add_ring(m, ring, len, (uint8_t)d, next);
        if (d == 1)
            len += add_seeds(m, target_len(m), m->ask->seed_len, 1, next + len);
        uint32_t *swap = ring;
        ring = next;
        next = swap;
    }
    free(ring);
    free(next);
    return OK;
}

static enum err
walk_calls(struct making *m, bool is_backward, struct joined_walk *out)
{
    uint32_t *from = calloc(m->ask->seed_len + 1, sizeof(*from));
    struct joined_ask ask = {
        .from = from,
        .is_backward = is_backward,
        .types = JOINED_CALLS | JOINED_BIT(CODE_TESTS),
        .max_depth = CONTEXT_DEPTH,
        .max_places = WALK_MAX,
        .view = m->view,
    };

    uint16_t *trust = calloc((size_t)m->joined->place_len + 1, sizeof(*trust));
    m->trust[is_backward ? 0 : 1] = trust;
    if (!from || !trust) {
        free(from);
        return ERR_NOMEM;
    }
    for (size_t i = 0; i < target_len(m); i++)
        if (m->ask->seeds[i].place > 0 &&
            m->ask->seeds[i].place < m->joined->place_len)
            from[ask.from_len++] = m->ask->seeds[i].place;
    enum err err = joined_reach(m->joined, &ask, out);
    free(from);
    for (size_t i = 0; !err && i < out->len; i++)
        trust[out->steps[i].place] = (uint16_t)(out->steps[i].permille + 1);
    return err;
}

/* ---- candidates ---- */

static bool
is_shown(const struct making *m, uint32_t place)
{
    uint32_t vertex = joined_vertex(m->joined, place);
    uint32_t id = joined_node(m->joined, place);

    if (m->distances[place] == FAR || m->ranks[place] <= 0)
        return false;
    if (vertex) {
        uint8_t kind = code_node(m->joined->code, vertex)->kind;
        return kind != CODE_NONE && kind != CODE_FILE && kind != CODE_PACKAGE &&
               kind != CODE_EXTERNAL;
    }
    uint8_t kind = query_node(m->view, id)->kind;
    return kind != NODE_NONE && kind <= NODE_SYMBOL;
}

static void
describe(const struct making *m, struct context_symbol *row)
{
    uint32_t vertex = joined_vertex(m->joined, row->place);
    const struct code *code = m->joined->code;

    if (!vertex) {
        uint8_t kind =
            query_node(m->view, joined_node(m->joined, row->place))->kind;
        row->kind = node_kind_str(kind);
        row->kind_code = (uint8_t)(CONTEXT_OBSERVED + kind);
        return;
    }
    const struct code_vertex *node = code_node(code, vertex);
    row->qualified = node->qualified;
    row->signature = node->signature;
    row->kind = code_kind_str(node->kind);
    row->kind_code = node->kind;
    row->line = node->line;
    row->end_line = node->end_line;
    row->evidence = BY_STATIC;
    if (node->file)
        row->path = code->files[node->file].path;
}

/* What was observed at |row|; the calls are those into it. */
static double
sum_traffic(const struct making *m, struct context_symbol *row)
{
    const struct joined *j = m->joined;
    uint32_t now_s = query_now_s(m->view);
    double traffic = 0;

    for (uint32_t i = j->in_at[row->place]; i < j->in_at[row->place + 1]; i++) {
        const struct joined_arc *arc = &j->in[i];
        if (arc->type < JOINED_RUNTIME_CALLS)
            continue;
        row->evidence |= BY_OBSERVED;
        row->calls += arc->count;
        row->errors += arc->errors;
        row->last_s = arc->last_s > row->last_s ? arc->last_s : row->last_s;
    }
    for (uint32_t i = j->out_at[row->place]; i < j->out_at[row->place + 1]; i++)
        if (j->out[i].type >= JOINED_RUNTIME_CALLS)
            row->evidence |= BY_OBSERVED;
    if (row->calls > 0) {
        double age_s = row->last_s < now_s ? (double)(now_s - row->last_s) : 0;
        traffic = log10(1 + (double)row->calls) *
                  exp2(-age_s / (double)RANK_HALF_LIFE_S);
    }
    return traffic;
}

static void
relate(const struct making *m, struct context_symbol *row)
{
    uint16_t caller = m->trust[0][row->place];
    uint16_t callee = m->trust[1][row->place];
    uint16_t trust = caller ? caller : callee;

    row->parts[CONTEXT_TRUST] = trust ? (trust - 1) / 1000.0 : 0.5;
    if (row->distance == 0) {
        row->relation = CONTEXT_TARGET;
        row->parts[CONTEXT_TRUST] = 1;
    } else if (caller) {
        row->relation = CONTEXT_CALLER;
    } else if (callee) {
        row->relation = CONTEXT_CALLEE;
    } else if (row->kind_code == CODE_TYPE ||
               row->kind_code == CODE_INTERFACE) {
        row->relation = CONTEXT_TYPE;
    } else {
        row->relation = CONTEXT_RELATED;
    }
}

static enum err
find_candidates(struct making *m)
{
    size_t len = 0;

    for (uint32_t p = 1; p < m->joined->place_len; p++)
        len += is_shown(m, p);
    m->found = calloc(len + 1, sizeof(*m->found));
    if (!m->found)
        return ERR_NOMEM;
    for (uint32_t p = 1; p < m->joined->place_len; p++) {
        if (!is_shown(m, p))
            continue;
        struct context_symbol *row = &m->found[m->found_len++];
        *row = (struct context_symbol){
            .place = p,
            .evidence = joined_vertex(m->joined, p) ? BY_STATIC : BY_OBSERVED,
            .distance = m->distances[p],
        };
        describe(m, row);
        relate(m, row);
        row->parts[CONTEXT_RANK] = m->ranks[p];
        row->parts[CONTEXT_NEARNESS] = 1.0 / (1 + row->distance);
        row->parts[CONTEXT_TRAFFIC] = sum_traffic(m, row);
        m->rank_max = fmax(m->rank_max, row->parts[CONTEXT_RANK]);
        m->traffic_max = fmax(m->traffic_max, row->parts[CONTEXT_TRAFFIC]);
    }
    return OK;
}

static double
factor_of(const struct making *m, const struct context_symbol *row)
{
    uint32_t vertex = joined_vertex(m->joined, row->place);
    uint32_t flags = code_node(m->joined->code, vertex)->flags;
    const struct feedback_sum *said =
        vertex && m->ask->feedback ? feedback_of(m->ask->feedback, vertex)
                                   : NULL;
    double factor = 1;

    if (flags & CODE_TEST && !m->ask->wants_tests && row->distance > 0)
        factor *= 0.3;
    if (flags & CODE_GENERATED)
        factor *= 0.5;
    if (row->relation == CONTEXT_CALLER && m->ask->caller_weight > 0)
        factor *= m->ask->caller_weight;
    if (said) {
        double all = (double)said->useful + said->not_useful;
        factor *=
            1 + 0.5 * ((double)said->useful - said->not_useful) / (all + 1);
    }
    return factor;
}

static void
score(struct making *m)
{
    for (size_t i = 0; i < m->found_len; i++) {
        struct context_symbol *row = &m->found[i];
        double *parts = row->parts;

        parts[CONTEXT_RANK] = sqrt(parts[CONTEXT_RANK] / m->rank_max);
        if (m->traffic_max > 0)
            parts[CONTEXT_TRAFFIC] /= m->traffic_max;
        row->score =
            (0.40 * parts[CONTEXT_RANK] + 0.25 * parts[CONTEXT_NEARNESS] +
             0.20 * parts[CONTEXT_TRAFFIC] + 0.15 * parts[CONTEXT_TRUST]) *
            factor_of(m, row);
    }
}

static int
compare_symbols(const void *left, const void *right)
{
    const struct context_symbol *a = left;
    const struct context_symbol *b = right;

    if (a->score != b->score)
        return a->score > b->score ? -1 : 1;
    return (a->place > b->place) - (a->place < b->place);
}

/* ---- the result ---- */

/* Names of observed nodes are put together, after the rows are known. */
static enum err
name_rows(const struct making *m, struct context *out)
{
    struct buf names = {0};
    size_t at = 0;

    for (size_t i = 0; i < out->len; i++)
        if (!joined_vertex(m->joined, out->rows[i].place)) {
            size_t before = names.len;
            query_qualified(m->view, joined_node(m->joined, out->rows[i].place),
                            &names);
            out->rows[i].qualified.len = names.len - before;
        }
    if (names.failed) {
        buf_fini(&names);
        return ERR_NOMEM;
    }
    out->names = names.ptr;
    for (size_t i = 0; i < out->len; i++)
        if (!joined_vertex(m->joined, out->rows[i].place)) {
            out->rows[i].qualified.ptr = names.ptr ? names.ptr + at : "";
            at += out->rows[i].qualified.len;
        }
    return OK;
}

static bool
is_told(uint8_t type)
{
    return type != CODE_IMPORTS && type != CODE_MAY_CALL &&
           type != CODE_MAY_DISPATCH && type != CODE_EDGE_NONE;
}

static enum err /* NOLINTNEXTLINE(readability-non-const-parameter) */
add_arc(struct context *out, size_t *cap, const struct context_arc *arc,
        bool is_runtime)
{
    struct context_arc *last =
        out->arc_len ? &out->arcs[out->arc_len - 1] : NULL;

    /* Its observation stands right behind what the code says. */
    if (last && is_runtime && arc->evidence == BY_BOTH &&
        last->evidence == BY_BOTH && last->from == arc->from &&
        last->to == arc->to) {
        last->calls += arc->calls;
        return OK;
    }
    if (!grow_room(out->arcs, out->arc_len, *cap))
        return ERR_NOMEM;
    out->arcs[out->arc_len++] = *arc;
    return OK;
}

static enum err
add_arcs(const struct making *m, struct context *out, const uint32_t *row_of)
{
    const struct joined *j = m->joined;
    size_t cap = 0;
    enum err err = OK;

    for (uint32_t from = 0; from < out->len; from++) {
        uint32_t p = out->rows[from].place;
        for (uint32_t i = j->out_at[p]; i < j->out_at[p + 1] && !err; i++) {
            const struct joined_arc *arc = &j->out[i];
            if (row_of[arc->place] == 0 || !is_told(arc->type))
                continue;
            err = add_arc(out, &cap,
                          &(struct context_arc){from, row_of[arc->place] - 1,
                                                arc->type, arc->evidence,
                                                arc->count},
                          arc->type >= JOINED_RUNTIME_CALLS);
        }
    }
    return err;
}

static enum err
finish(struct making *m, struct context *out)
{
    uint32_t *row_of = NULL;
    enum err err = ERR_NOMEM;

    if (m->found_len)
        qsort(m->found, m->found_len, sizeof(*m->found), compare_symbols);
    out->rows = m->found;
    m->found = NULL;
    out->available = m->found_len;
    out->len =
        m->found_len < CONTEXT_ROWS_MAX ? m->found_len : CONTEXT_ROWS_MAX;
    row_of = calloc((size_t)m->joined->place_len + 1, sizeof(*row_of));
    if (!row_of || (err = name_rows(m, out)))
        goto out;
    for (uint32_t i = 0; i < out->len; i++)
        row_of[out->rows[i].place] = i + 1;
    err = add_arcs(m, out, row_of);
out:
    free(row_of);
    return err;
}

enum err
context_make(const struct joined *joined, struct query_view *view,
             const struct context_ask *ask, struct context *out)
{
    struct making m = {.joined = joined, .view = view, .ask = ask};
    struct rank_cfg cfg = rank_cfg_default;
    enum err err;

    *out = (struct context){0};
    cfg.now_s = query_now_s(view);
    if ((err = rank_walk(joined, ask->seeds, ask->seed_len, &cfg, &m.ranks,
                         NULL)) ||
        (err = measure_distances(&m)) ||
        (err = walk_calls(&m, true, &m.callers)) ||
        (err = walk_calls(&m, false, &m.callees)) ||
        (err = find_candidates(&m)))
        goto out;
    score(&m);
    err = finish(&m, out);
out:
    free(m.ranks);
    free(m.distances);
    free(m.trust[0]);
    free(m.trust[1]);
    free(m.found);
    joined_walk_fini(&m.callers);
    joined_walk_fini(&m.callees);
    if (err)
        context_fini(out);
    return err;
}

void
context_fini(struct context *context)
{
    free(context->rows);
    free(context->arcs);
    free(context->names);
    *context = (struct context){0};
}
