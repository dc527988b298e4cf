/*
 * Stored edges are walked, each end is rolled up, and what falls on the same
 * (source, target, kind) is summed.  Rows are dense; an open-addressed table of
 * index + 1 finds them.  Each row keeps a list of the stored edges in it, so
 * that latencies and versions, which cost a look-up each, are read only for
 * rows that are shown.
 *
 * A question about some nodes walks only the edges at those nodes, unless they
 * are so many that one walk over all is cheaper.  What is asked of a node is
 * asked once, before the walk, and not at each of its edges, of which all come
 * in an order that is none of the nodes'.  Likewise its name, where rows are
 * many: they are sorted by the places of their names.
 */
#include "graph/query_edges.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/grow.h"
#include "base/hash.h"
#include "base/match.h"
#include "graph/query_view.h"
#include "store/edge_rows.h"

enum {
    HOURS_MAX = 47,  /* of a window that is answered by hours */
    WALK_MAX = 4096, /* nodes that are asked one by one */
};

/* The lists of nodes in a filter. */
enum { SERVICES = 1, SOURCES = 2, TARGETS = 4 };

struct fold {
    struct query_view *view;
    const struct query_filter *filter;
    unsigned char *map;  /* by node id: in which of the lists it is */
    unsigned char *in;   /* the same of itself or its service */
    uint32_t *rolled;    /* by node id, at the level; NULL: few are looked at */
    unsigned char asked; /* which lists there are */
    struct query_edges *out;
    struct reader_span span;
    size_t row_cap;
    size_t member_len;
    size_t member_cap;
    uint32_t *slots; /* row + 1 */
    size_t slot_cap;
    bool is_windowed;
    bool is_second; /* the services' outgoing edges were walked before */
};

uint32_t
query_hours_from_s(const struct query_view *view)
{
    uint32_t len_s = HOURS_MAX * S_PER_H;
    uint32_t from_s = view->now_s > len_s ? view->now_s - len_s : 0;
    uint64_t kept_s = (uint64_t)view->kept.hour * S_PER_H;

    if (kept_s > UINT32_MAX)
        return UINT32_MAX;
    return kept_s > from_s ? (uint32_t)kept_s : from_s;
}

struct reader_span
query_span(const struct query_view *view, uint32_t since_s, uint32_t until_s)
{
    uint32_t now_s = view->now_s;
    bool hours = since_s >= query_hours_from_s(view);
    uint32_t unit = hours ? S_PER_H : S_PER_DAY;
    /* Spans may be some minutes ahead of us: take in the hour that begins. */
    uint32_t end = until_s ? until_s / unit : (now_s + S_PER_H) / unit + 1;
    struct reader_span span = {
        .unit = hours ? READER_HOURS : READER_DAYS,
        .from = since_s / unit,
        .to = end ? end - 1 : 0,
    };

    /* A window begins where there is something to count. */
    if (!hours && span.from < view->kept.day)
        span.from = view->kept.day < span.to ? view->kept.day : span.to;
    return span;
}

struct query_window
query_window_until(const struct query_view *view, uint32_t since_s,
                   uint32_t until_s)
{
    struct reader_span span = query_span(view, since_s, until_s);
    bool hours = span.unit == READER_HOURS;
    uint32_t unit = hours ? S_PER_H : S_PER_DAY;

    if (since_s == 0 && until_s == 0)
        return (struct query_window){0, view->now_s, "all"};
    return (struct query_window){
        .from_s = span.from * unit,
        .to_s = until_s ? (span.to + 1) * unit : view->now_s,
        .unit = hours ? "hour" : "day",
    };
}

struct query_window
query_window(const struct query_view *view, uint32_t since_s)
{
    return query_window_until(view, since_s, 0);
}

static void
add_list(struct fold *fold, const struct ids *ids, unsigned char list)
{
    uint32_t len = catalog_len(fold->view->catalog);

    if (!ids)
        return;
    fold->asked |= list;
    for (size_t i = 0; i < ids->len; i++) {
        if (ids->ids[i] <= len)
            fold->map[ids->ids[i]] |= list;
    }
}

static void
note_lists(struct fold *fold)
{
    const struct catalog *catalog = fold->view->catalog;
    uint32_t len = catalog_len(catalog);

    for (uint32_t id = 1; fold->asked && id <= len; id++)
        fold->in[id] = fold->map[catalog_rollup(catalog, id, LEVEL_SYMBOL)] |
                       fold->map[catalog_rollup(catalog, id, LEVEL_SERVICE)];
}

/* Whether |id|, or what owns it, is in |list|. */
static bool
is_in(const struct fold *fold, unsigned char list, uint32_t id)
{
    return id <= catalog_len(fold->view->catalog) && fold->in[id] & list;
}

/* Before a walk over all edges. */
static enum err
roll_up(struct fold *fold)
{
    const struct catalog *catalog = fold->view->catalog;
    uint32_t len = catalog_len(catalog);

    fold->rolled = malloc(((size_t)len + 1) * sizeof(*fold->rolled));
    if (!fold->rolled)
        return ERR_NOMEM;
    for (uint32_t id = 0; id <= len; id++)
        fold->rolled[id] = catalog_rollup(catalog, id, fold->filter->level);
    return OK;
}

static uint32_t
rolled_up(const struct fold *fold, uint32_t id)
{
    const struct catalog *catalog = fold->view->catalog;

    if (!fold->rolled)
        return catalog_rollup(catalog, id, fold->filter->level);
    return id <= catalog_len(catalog) ? fold->rolled[id] : 0;
}

static bool
is_asked(const struct fold *fold, unsigned char list)
{
    return fold->asked & list;
}

static bool
fits_like(const struct fold *fold, uint32_t id)
{
    const struct query_view *view = fold->view;
    str name =
        query_node(view, catalog_rollup(view->catalog, id, LEVEL_ENDPOINT))
            ->name;
    const char *space = name.len ? memchr(name.ptr, ' ', name.len) : NULL;

    if (match_like(fold->filter->target_like, name))
        return true;
    return space &&
           match_like(fold->filter->target_like,
                      str_cut(name, (size_t)(space - name.ptr) + 1, name.len));
}

static bool
is_wanted(const struct fold *fold, const struct reader_edge *edge)
{
    const struct query_filter *filter = fold->filter;
    const struct query_view *view = fold->view;
    uint32_t src = edge->key.src;
    uint32_t dst = edge->key.dst;

    if (filter->kinds && !(filter->kinds >> edge->key.kind & 1))
        return false;
    if (is_asked(fold, SOURCES) && !is_in(fold, SOURCES, src))
        return false;
    if (is_asked(fold, TARGETS) && !is_in(fold, TARGETS, dst))
        return false;
    if (is_asked(fold, SERVICES) && !is_in(fold, SERVICES, src) &&
        !is_in(fold, SERVICES, dst))
        return false;
    if (filter->env.len && !str_eq(query_node(view, src)->env, filter->env) &&
        !str_eq(query_node(view, dst)->env, filter->env))
        return false;
    return filter->target_like.len == 0 || fits_like(fold, dst);
}

static size_t
slot_of(const struct fold *fold, struct edge_key key)
{
    size_t mask = fold->slot_cap - 1;
    size_t i = (size_t)hash_mix((uint64_t)key.src << 32 | key.dst, key.kind);

    for (i &= mask; fold->slots[i] != 0; i = (i + 1) & mask) {
        const struct query_edge *row = &fold->out->rows[fold->slots[i] - 1];

        if (row->source == key.src && row->target == key.dst &&
            row->kind == key.kind)
            break;
    }
    return i;
}

static struct edge_key
key_of(const struct query_edge *row)
{
    return (struct edge_key){row->source, row->target, row->kind};
}

static enum err
grow_rows(struct fold *fold)
{
    size_t cap = fold->row_cap ? 2 * fold->row_cap : 64;
    struct query_edge *rows =
        realloc(fold->out->rows, cap * sizeof(*fold->out->rows));

    if (!rows)
        return ERR_NOMEM;
    fold->out->rows = rows;
    fold->row_cap = cap;
    free(fold->slots);
    fold->slot_cap = 2 * cap;
    fold->slots = calloc(fold->slot_cap, sizeof(*fold->slots));
    if (!fold->slots)
        return ERR_NOMEM;
    for (size_t i = 0; i < fold->out->len; i++)
        fold->slots[slot_of(fold, key_of(&fold->out->rows[i]))] =
            (uint32_t)(i + 1);
    return OK;
}

static enum err
find_row(struct fold *fold, struct edge_key key, struct query_edge **out)
{
    enum err err = OK;

    if (fold->out->len == fold->row_cap)
        err = grow_rows(fold);
    if (err)
        return err;
    uint32_t *slot = &fold->slots[slot_of(fold, key)];
    if (*slot == 0) {
        fold->out->rows[fold->out->len++] = (struct query_edge){
            .source = key.src,
            .target = key.dst,
            .kind = key.kind,
            .first_s = UINT32_MAX,
            .member = UINT32_MAX,
        };
        *slot = (uint32_t)fold->out->len;
    }
    *out = &fold->out->rows[*slot - 1];
    return OK;
}

static enum err
add_member(struct fold *fold, struct query_edge *row, uint32_t edge)
{
    if (!grow_room(fold->out->members, fold->member_len, fold->member_cap))
        return ERR_NOMEM;
    fold->out->members[fold->member_len] =
        (struct query_member){.edge = edge, .next = row->member};
    row->member = (uint32_t)fold->member_len++;
    return OK;
}

static enum err
add_edge(void *ctx, const struct reader_edge *edge)
{
    struct fold *fold = ctx;
    struct bucket_delta sum = {.count = edge->count,
                               .weighted = edge->weighted,
                               .errors = edge->errors};
    struct edge_key key = {rolled_up(fold, edge->key.src),
                           rolled_up(fold, edge->key.dst), edge->key.kind};
    struct query_edge *row;
    enum err err = OK;

    if (key.src == 0 || key.dst == 0 || !is_wanted(fold, edge))
        return OK;
    /* An edge between two of the services was met when it left the first. */
    if (fold->is_second && is_in(fold, SERVICES, edge->key.src))
        return OK;
    if (fold->is_windowed)
        err = reader_sum(fold->view->reader, edge->id, fold->span, &sum);
    if (err || (err = find_row(fold, key, &row)))
        return err;
    row->known += edge->known;
    if (row->first_s > edge->first_s)
        row->first_s = edge->first_s;
    if (row->last_s < edge->last_s)
        row->last_s = edge->last_s;
    if (sum.count <= 0)
        return OK;
    row->count += sum.count;
    row->weighted = weights_add(row->weighted, sum.weighted);
    row->errors += sum.errors;
    return add_member(fold, row, edge->id);
}

static enum err
walk_side(struct fold *fold, unsigned char list, enum reader_side side)
{
    struct reader_edges what = {.side = side,
                                .from_kind = EDGE_CALL,
                                .to_kind = EDGE_KIND_SHOWN_END - 1};
    uint32_t len = catalog_len(fold->view->catalog);
    enum err err = OK;

    for (uint32_t id = 1; !err && id <= len; id++) {
        if (!is_in(fold, list, id))
            continue;
        what.node = id;
        err = reader_each_edge(fold->view->reader, &what, add_edge, fold);
    }
    return err;
}

static bool
is_few(const struct fold *fold, unsigned char list)
{
    uint32_t len = catalog_len(fold->view->catalog);
    size_t found = 0;

    for (uint32_t id = 1; id <= len && found <= WALK_MAX; id++)
        found += is_in(fold, list, id);
    return found <= WALK_MAX;
}

static enum err
walk(struct fold *fold)
{
    const struct reader_edges all = {.side = READER_ALL,
                                     .from_kind = EDGE_CALL,
                                     .to_kind = EDGE_KIND_SHOWN_END - 1};
    enum err err;

    if (is_asked(fold, TARGETS) && is_few(fold, TARGETS))
        return walk_side(fold, TARGETS, READER_TO);
    if (is_asked(fold, SOURCES) && is_few(fold, SOURCES))
        return walk_side(fold, SOURCES, READER_FROM);
    if (is_asked(fold, SERVICES) && is_few(fold, SERVICES)) {
        err = walk_side(fold, SERVICES, READER_FROM);
        fold->is_second = true;
        return err ? err : walk_side(fold, SERVICES, READER_TO);
    }
    err = roll_up(fold);
    return err ? err
               : reader_each_edge(fold->view->reader, &all, add_edge, fold);
}

/* A row that had no call in the window was made for what is of all time, should
 * another edge of it have had one. */
static void
drop_silent(struct query_edges *out)
{
    size_t kept = 0;

    for (size_t i = 0; i < out->len; i++)
        if (out->rows[i].member != UINT32_MAX)
            out->rows[kept++] = out->rows[i];
    out->len = kept;
}

enum err
query_edges(struct query_view *view, const struct query_filter *filter,
            struct query_edges *out)
{
    size_t nodes = (size_t)catalog_len(view->catalog) + 1;
    unsigned char *map = calloc(nodes, 2);
    struct fold fold = {
        .view = view,
        .filter = filter,
        .out = out,
        .map = map,
        .in = map ? map + nodes : NULL,
        .is_windowed = filter->since_s != 0 || filter->until_s != 0,
        .span = query_span(view, filter->since_s, filter->until_s),
    };
    enum err err = ERR_NOMEM;

    *out = (struct query_edges){
        .window = query_window_until(view, filter->since_s, filter->until_s)};
    if (!map)
        goto out;
    add_list(&fold, filter->services, SERVICES);
    add_list(&fold, filter->sources, SOURCES);
    add_list(&fold, filter->targets, TARGETS);
    note_lists(&fold);
    err = walk(&fold);
    drop_silent(out);
    if (!err)
        err = query_check(view);
    if (!err)
        err = query_edges_sort(view, out, filter->first);
out:
    free(map);
    free(fold.rolled);
    free(fold.slots);
    if (err)
        query_edges_fini(out);
    return err;
}

void
query_edges_fini(struct query_edges *edges)
{
    free(edges->rows);
    free(edges->members);
    *edges = (struct query_edges){0};
}
