/*
 * Stored edges are walked, each end is rolled up, and what falls on the same
 * (source, target, kind) is summed, once for each window.  Rows are dense; an
 * open-addressed table of index + 1 finds them, with their hashes, so that most
 * steps of a search need not look at a row.  Each row keeps a list of the
 * stored edges in it, so that latencies and versions, which cost a look-up
 * each, are read only for rows that are shown.
 *
 * A question about some nodes walks only the edges at those nodes, unless they
 * are so many that one walk over all is cheaper.  What is asked of a node is
 * asked once, before the walk, and not at each of its edges, of which all come
 * in an order that is none of the nodes'.  Likewise its name, where rows are
 * many: they are sorted by the places of their names.
 */
#include "graph/query_edges.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/hash.h"
#include "base/match.h"
#include "graph/query_view.h"
#include "store/edge_rows.h"

enum { WALK_MAX = 4096 }; /* nodes that are asked one by one */

/* The lists of nodes in a filter. */
enum { SERVICES = 1, SOURCES = 2, TARGETS = 4 };

struct fold {
    struct query_view *view;
    const struct query_filter *filter;
    unsigned char *map;  /* by node id: in which of the lists it is */
    unsigned char *in;   /* the same of itself or its service */
    uint32_t *rolled;    /* by node id, at the level; NULL: few are looked at */
    unsigned char asked; /* which lists there are */
    struct side {
        struct query_edges *out;
        struct reader_span span;
        size_t member_len;
        size_t member_cap;
        bool is_windowed;
    } sides[2]; /* windows; rows[i] of either is the same edge */
    size_t sides_len;
    size_t row_cap;
    struct slot {
        uint32_t row; /* + 1; 0: free */
        uint32_t hash;
    } * slots;
    size_t slot_cap;
    bool is_second; /* the services' outgoing edges were walked before */
};

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

/* Before a walk over all edges, and where what a node rolls up to is not of it
 * alone. */
static enum err
roll_up(struct fold *fold)
{
    const struct catalog *catalog = fold->view->catalog;
    uint32_t len = catalog_len(catalog);

    if (fold->rolled)
        return OK;
    fold->rolled = malloc(((size_t)len + 1) * sizeof(*fold->rolled));
    if (!fold->rolled)
        return ERR_NOMEM;
    for (uint32_t id = 0; id <= len; id++)
        fold->rolled[id] = catalog_rollup(catalog, id, fold->filter->level);
    return fold->filter->by_name ? query_one_of_name(fold->view, fold->rolled)
                                 : OK;
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

static uint32_t
hash_of(struct edge_key key)
{
    return (uint32_t)hash_mix((uint64_t)key.src << 32 | key.dst, key.kind);
}

/* The slot of |key|, or the free one where it would go. */
static struct slot *
find_slot(const struct fold *fold, struct edge_key key, uint32_t hash)
{
    const struct query_edge *rows = fold->sides[0].out->rows;
    size_t mask = fold->slot_cap - 1;
    size_t i = hash & mask;

    for (; fold->slots[i].row; i = (i + 1) & mask) {
        if (fold->slots[i].hash != hash)
            continue;
        const struct query_edge *row = &rows[fold->slots[i].row - 1];

        if (row->source == key.src && row->target == key.dst &&
            row->kind == key.kind)
            break;
    }
    return &fold->slots[i];
}

/* Slots know where they go without a look at their rows. */
static enum err
grow_slots(struct fold *fold, size_t cap)
{
    struct slot *slots = calloc(cap, sizeof(*slots));

    if (!slots)
        return ERR_NOMEM;
    for (size_t old = 0; old < fold->slot_cap; old++) {
        size_t i = fold->slots[old].hash & (cap - 1);

        if (fold->slots[old].row == 0)
            continue;
        while (slots[i].row)
            i = (i + 1) & (cap - 1);
        slots[i] = fold->slots[old];
    }
    free(fold->slots);
    fold->slots = slots;
    fold->slot_cap = cap;
    return OK;
}

static enum err
grow_rows(struct fold *fold)
{
    size_t cap = fold->row_cap ? 2 * fold->row_cap : 64;

    for (size_t i = 0; i < fold->sides_len; i++) {
        struct query_edges *out = fold->sides[i].out;
        struct query_edge *rows = realloc(out->rows, cap * sizeof(*out->rows));

        if (!rows)
            return ERR_NOMEM;
        out->rows = rows;
    }
    fold->row_cap = cap;
    return grow_slots(fold, 2 * cap);
}

static enum err
find_row(struct fold *fold, struct edge_key key, size_t *index)
{
    size_t len = fold->sides[0].out->len;
    uint32_t hash = hash_of(key);
    enum err err = len == fold->row_cap ? grow_rows(fold) : OK;

    if (err)
        return err;
    struct slot *slot = find_slot(fold, key, hash);
    if (slot->row == 0) {
        *slot = (struct slot){(uint32_t)len + 1, hash};
        for (size_t i = 0; i < fold->sides_len; i++)
            fold->sides[i].out->rows[fold->sides[i].out->len++] =
                (struct query_edge){
                    .source = key.src,
                    .target = key.dst,
                    .kind = key.kind,
                    .first_s = UINT32_MAX,
                    .member = UINT32_MAX,
                };
    }
    *index = slot->row - 1;
    return OK;
}

static enum err
add_member(struct side *side, struct query_edge *row, uint32_t edge)
{
    if (!grow_room(side->out->members, side->member_len, side->member_cap))
        return ERR_NOMEM;
    side->out->members[side->member_len] =
        (struct query_member){.edge = edge, .next = row->member};
    row->member = (uint32_t)side->member_len++;
    return OK;
}

static enum err
add_calls(struct side *side, size_t index, const struct reader_edge *edge,
          const struct bucket_delta *sum)
{
    struct query_edge *row = &side->out->rows[index];

    row->known += edge->known;
    if (row->first_s > edge->first_s)
        row->first_s = edge->first_s;
    if (row->last_s < edge->last_s)
        row->last_s = edge->last_s;
    if (sum->count <= 0)
        return OK;
    row->count += sum->count;
    row->weighted = weights_add(row->weighted, sum->weighted);
    row->errors += sum->errors;
    return add_member(side, row, edge->id);
}

static enum err
add_edge(void *ctx, const struct reader_edge *edge)
{
    struct fold *fold = ctx;
    struct edge_key key = {rolled_up(fold, edge->key.src),
                           rolled_up(fold, edge->key.dst), edge->key.kind};
    size_t index = 0;
    enum err err = OK;

    if (key.src == 0 || key.dst == 0 || !is_wanted(fold, edge))
        return OK;
    /* An edge between two of the services was met when it left the first. */
    if (fold->is_second && is_in(fold, SERVICES, edge->key.src))
        return OK;
    if (fold->filter->by_pair && key.src == key.dst)
        return OK;
    if (fold->filter->by_pair)
        key.kind = EDGE_CALL;
    if (fold->filter->by_target)
        key.src = 0;
    err = find_row(fold, key, &index);
    for (size_t i = 0; !err && i < fold->sides_len; i++) {
        struct side *side = &fold->sides[i];
        struct bucket_delta sum = {.count = edge->count,
                                   .weighted = edge->weighted,
                                   .errors = edge->errors};

        if (side->is_windowed)
            err = reader_sum(fold->view->reader, edge->id, side->span, &sum);
        if (!err)
            err = add_calls(side, index, edge, &sum);
    }
    return err;
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

/* A row that had no call in a window was made for what is of all time, should
 * another edge of it have had one. */
static bool
is_silent(const struct fold *fold, size_t index)
{
    bool is_none = true;

    for (size_t i = 0; i < fold->sides_len; i++) {
        assert(fold->sides[i].out->rows);
        is_none &= fold->sides[i].out->rows[index].member == UINT32_MAX;
    }
    return is_none;
}

static void
drop_silent(struct fold *fold)
{
    size_t len = fold->sides[0].out->len;
    size_t kept = 0;

    for (size_t i = 0; i < len; i++) {
        if (is_silent(fold, i))
            continue;
        for (size_t side = 0; side < fold->sides_len; side++)
            fold->sides[side].out->rows[kept] = fold->sides[side].out->rows[i];
        kept++;
    }
    for (size_t side = 0; side < fold->sides_len; side++)
        fold->sides[side].out->len = kept;
}

static void
set_side(struct fold *fold, uint32_t since_s, uint32_t until_s,
         struct query_edges *out)
{
    fold->sides[fold->sides_len++] = (struct side){
        .out = out,
        .is_windowed = since_s != 0 || until_s != 0,
        .span = query_span(fold->view, since_s, until_s),
    };
    *out = (struct query_edges){
        .window = query_window_until(fold->view, since_s, until_s)};
}

/* Fills the sides. */
static enum err
fold_edges(struct fold *fold)
{
    const struct query_filter *filter = fold->filter;
    size_t nodes = (size_t)catalog_len(fold->view->catalog) + 1;
    enum err err = ERR_NOMEM;

    fold->map = calloc(nodes, 2);
    if (!fold->map)
        goto out;
    fold->in = fold->map + nodes;
    add_list(fold, filter->services, SERVICES);
    add_list(fold, filter->sources, SOURCES);
    add_list(fold, filter->targets, TARGETS);
    note_lists(fold);
    err = filter->by_name ? roll_up(fold) : OK;
    if (!err)
        err = walk(fold);
    drop_silent(fold);
    if (!err)
        err = query_check(fold->view);
out:
    free(fold->map);
    free(fold->rolled);
    free(fold->slots);
    return err;
}

enum err
query_edges(struct query_view *view, const struct query_filter *filter,
            struct query_edges *out)
{
    struct fold fold = {.view = view, .filter = filter};

    set_side(&fold, filter->since_s, filter->until_s, out);
    enum err err = fold_edges(&fold);
    if (!err)
        err = query_edges_sort(view, out, filter->first);
    if (err)
        query_edges_fini(out);
    return err;
}

enum err
query_edges_twice(struct query_view *view, const struct query_filter *filter,
                  const struct query_times *times, struct query_edges out[2])
{
    struct fold fold = {.view = view, .filter = filter};

    for (size_t i = 0; i < 2; i++)
        set_side(&fold, times[i].since_s, times[i].until_s, &out[i]);
    enum err err = fold_edges(&fold);
    for (size_t i = 0; i < 2 && err; i++)
        query_edges_fini(&out[i]);
    return err;
}

void
query_edges_fini(struct query_edges *edges)
{
    free(edges->rows);
    free(edges->members);
    *edges = (struct query_edges){0};
}
