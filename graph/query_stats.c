/*
 * Totals, and the accounts that say why an edge is not there.  An account is a
 * row of the edge table like any other, so one walk over all edges counts both.
 * Of some services only the edges at their nodes are walked, unless these are
 * so many that one walk over all is cheaper.
 */
#include "graph/query_stats.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/idset.h"
#include "graph/query_view.h"

enum { WALK_MAX = 4096 }; /* nodes that are asked one by one */

struct tally {
    struct query_view *view;
    const struct idset *services; /* NULL: all */
    struct query_totals *out;
    bool is_second; /* the services' outgoing edges were counted before */
};

static bool
is_of(const struct tally *tally, uint32_t id)
{
    return idset_has(tally->services,
                     catalog_rollup(tally->view->catalog, id, LEVEL_SERVICE));
}

static enum err
tally_edge(void *ctx, const struct reader_edge *edge)
{
    struct tally *tally = ctx;
    struct query_stats *out = &tally->out->stats;
    uint32_t now_s = tally->view->now_s;

    tally->out->rows++;
    tally->out->account[edge->key.kind] += edge->count;
    if (tally->is_second && is_of(tally, edge->key.src))
        return OK;
    if (tally->services && !is_of(tally, edge->key.src) &&
        !is_of(tally, edge->key.dst))
        return OK;
    if (edge->key.kind == EDGE_SEEN) {
        if (out->first_s == 0 || edge->first_s < out->first_s)
            out->first_s = edge->first_s;
        if (out->last_s < edge->last_s)
            out->last_s = edge->last_s;
    }
    if (edge->key.kind >= EDGE_KIND_SHOWN_END)
        return OK;
    out->edges++;
    out->by_kind[edge->key.kind]++;
    out->by_age[confidence_age(&tally->view->ages, edge->last_s, now_s)]++;
    return OK;
}

static bool
is_few(const struct tally *tally)
{
    uint32_t len = catalog_len(tally->view->catalog);
    size_t found = 0;

    for (uint32_t id = 1; id <= len && found <= WALK_MAX; id++)
        found += is_of(tally, id);
    return found <= WALK_MAX;
}

static enum err
walk_side(struct tally *tally, enum reader_side side)
{
    struct reader_edges what = {
        .side = side, .from_kind = EDGE_CALL, .to_kind = UINT8_MAX};
    uint32_t len = catalog_len(tally->view->catalog);
    enum err err = OK;

    for (what.node = 1; !err && what.node <= len; what.node++) {
        if (is_of(tally, what.node))
            err =
                reader_each_edge(tally->view->reader, &what, tally_edge, tally);
    }
    return err;
}

static enum err
walk(struct tally *tally)
{
    enum err err;

    if (!tally->services)
        return reader_each_tally(tally->view->reader, tally_edge, tally);
    if (!is_few(tally)) {
        const struct reader_edges all = {.from_kind = EDGE_CALL,
                                         .to_kind = UINT8_MAX};

        return reader_each_edge(tally->view->reader, &all, tally_edge, tally);
    }
    err = walk_side(tally, READER_FROM);
    tally->is_second = true;
    return err ? err : walk_side(tally, READER_TO);
}

/* Of all, or of |services| alone, whose accounts then mean nothing. */
static enum err
count_all(struct query_view *view, const struct idset *services,
          struct query_totals *out)
{
    struct tally tally = {.view = view, .services = services, .out = out};
    uint32_t len = catalog_len(view->catalog);

    *out = (struct query_totals){.now_s = view->now_s};
    for (uint32_t id = 1; id <= len; id++) {
        const struct query_node *node = query_node(view, id);

        if (node->kind == NODE_NONE || node->kind > NODE_SYMBOL ||
            node->target != id || (services && !is_of(&tally, id)))
            continue;
        out->stats.nodes++;
        out->stats.services += node->kind == NODE_SERVICE;
    }
    return walk(&tally);
}

static enum err
count_some(struct query_view *view, const struct ids *services,
           struct query_totals *out)
{
    struct idset set = {0};
    enum err err = idset_add_all(&set, services);

    if (!err)
        err = count_all(view, &set, out);
    idset_fini(&set);
    return err;
}

/* Counts once a loan, and a large graph once a second. */
static enum err
take_totals(struct query_view *view)
{
    if (view->totals.rows > 0 || query_totals_find(view, &view->totals))
        return OK;
    enum err err = count_all(view, NULL, &view->totals);
    if (err)
        view->totals.rows = 0;
    else
        query_totals_keep(view, &view->totals);
    return err;
}

enum err
query_stats(struct query_view *view, const struct ids *services,
            struct query_stats *out)
{
    struct query_totals some;
    enum err err =
        services ? count_some(view, services, &some) : take_totals(view);

    *out = (struct query_stats){0};
    if (!err)
        *out = services ? some.stats : view->totals.stats;
    return err;
}

/* A counter the store keeps goes before the account of the same thing, which
 * does not know what was refused before it was paired. */
static const struct fixed {
    const char *name;
    uint8_t kind;
} fixed[] = {
    {"spans", EDGE_SEEN},
    {"duplicates", EDGE_DUPLICATE},
    {"rejected", EDGE_NONE},
    {"orphan_ingress", EDGE_ORPHAN},
    {"unresolved_egress", EDGE_UNRESOLVED},
    {"unresolved_links", EDGE_UNRESOLVED_LINK},
    {"inproc_db", EDGE_INPROC_DB},
    {"evicted", EDGE_EVICTED},
    {"synthetic", EDGE_SYNTHETIC},
};

enum { FIXED_LEN = sizeof(fixed) / sizeof(fixed[0]) };

struct counters {
    int64_t stored[FIXED_LEN];
    bool is_stored[FIXED_LEN];
    query_counter_fn *fn;
    void *ctx;
};

static size_t
fixed_of(str name)
{
    size_t i = 0;

    while (i < FIXED_LEN && !str_eq(str_of(fixed[i].name), name))
        i++;
    return i;
}

static enum err
take_stored(void *ctx, str name, int64_t value)
{
    struct counters *counters = ctx;
    size_t i = fixed_of(name);

    if (i < FIXED_LEN) {
        counters->stored[i] = value;
        counters->is_stored[i] = true;
    }
    return OK;
}

static enum err
tell_other(void *ctx, str name, int64_t value)
{
    const struct counters *counters = ctx;

    return fixed_of(name) < FIXED_LEN
               ? OK
               : counters->fn(counters->ctx, name, value);
}

enum err
query_counters(struct query_view *view, query_counter_fn *fn, void *ctx)
{
    struct counters counters = {.fn = fn, .ctx = ctx};
    enum err err = take_totals(view);

    if (!err)
        err = reader_each_counter(view->reader, take_stored, &counters);
    for (size_t i = 0; !err && i < FIXED_LEN; i++)
        err = fn(ctx, str_of(fixed[i].name),
                 counters.is_stored[i] ? counters.stored[i]
                                       : view->totals.account[fixed[i].kind]);
    return err ? err : reader_each_counter(view->reader, tell_other, &counters);
}

static enum err
take_seen(void *ctx, const struct reader_edge *edge)
{
    struct query_seen *out = ctx;

    if (edge->key.kind == EDGE_SYNTHETIC) {
        out->synthetic += edge->count;
    } else {
        out->spans += edge->count;
        if (out->first_s == 0 || edge->first_s < out->first_s)
            out->first_s = edge->first_s;
        if (out->last_s < edge->last_s)
            out->last_s = edge->last_s;
    }
    return OK;
}

enum err
query_seen(struct query_view *view, uint32_t service, struct query_seen *out)
{
    struct reader_edges what = {.side = READER_TO,
                                .node = service,
                                .from_kind = EDGE_SYNTHETIC,
                                .to_kind = EDGE_SYNTHETIC};
    enum err err;

    *out = (struct query_seen){0};
    err = reader_each_edge(view->reader, &what, take_seen, out);
    what.from_kind = what.to_kind = EDGE_SEEN;
    return err ? err : reader_each_edge(view->reader, &what, take_seen, out);
}

static enum err
take_reason(void *ctx, const struct reader_edge *edge)
{
    struct query_reasons *out = ctx;

    if (edge->key.kind != EDGE_SEEN_BY && edge->key.kind < EDGE_ORPHAN)
        return OK;
    if (!grow_room(out->rows, out->len, out->cap))
        return ERR_NOMEM;
    out->rows[out->len++] = (struct query_reason){
        .kind = edge->key.kind,
        .scope = edge->key.src,
        .count = edge->count,
        .first_s = edge->first_s,
        .last_s = edge->last_s,
    };
    return OK;
}

static int
compare_reasons(const void *a, const void *b)
{
    const struct query_reason *left = a;
    const struct query_reason *right = b;

    if (left->count != right->count)
        return left->count > right->count ? -1 : 1;
    if (left->kind != right->kind)
        return left->kind - right->kind;
    return (left->scope > right->scope) - (left->scope < right->scope);
}

enum err
query_explain(struct query_view *view, uint32_t service,
              struct query_reasons *out)
{
    const struct reader_edges what = {.side = READER_TO,
                                      .node = service,
                                      .from_kind = EDGE_SEEN_BY,
                                      .to_kind = UINT8_MAX};
    enum err err;

    *out = (struct query_reasons){0};
    err = reader_each_edge(view->reader, &what, take_reason, out);
    if (err)
        query_reasons_fini(out);
    else if (out->len)
        qsort(out->rows, out->len, sizeof(*out->rows), compare_reasons);
    return err;
}

void
query_reasons_fini(struct query_reasons *reasons)
{
    free(reasons->rows);
    *reasons = (struct query_reasons){0};
}

const char *
query_reason_str(uint8_t kind)
{
    switch (kind) {
    case EDGE_SEEN_BY:
        return "spans";
    case EDGE_ORPHAN:
        return "orphan_ingress";
    case EDGE_UNRESOLVED:
        return "unresolved_egress";
    case EDGE_UNRESOLVED_LINK:
        return "unresolved_links";
    case EDGE_INPROC_DB:
        return "inproc_db";
    case EDGE_EVICTED:
        return "evicted";
    case EDGE_DUPLICATE:
        return "duplicates";
    default:
        return "other";
    }
}
