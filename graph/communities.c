/*
 * Places that count are numbered in their order, which for the code is that of
 * qualified names; arcs between them become the edges of louvain, which sums
 * what stands twice.  The rows are then made by walking members and arcs once.
 */
#include "graph/communities.h"

#include <stdbool.h>
#include <stdlib.h>

#include "graph/louvain.h"
#include "graph/rank.h"

struct sorting {
    const struct joined *joined;
    struct query_view *view;
    const struct communities_ask *ask;
    struct communities *out;
    uint32_t *number; /* by place: + 1; 0: does not count */
    uint32_t *places; /* by number */
    double *within;   /* by number: weight of arcs within the group */
    uint32_t places_len;
    struct louvain_edge *edges;
    const struct louvain *louvain;
};

static void
sorting_fini(struct sorting *s)
{
    free(s->number);
    free(s->places);
    free(s->edges);
    free(s->within);
}

/* ---- which places, which arcs ---- */

static bool
is_of_code(const struct sorting *s, uint32_t vertex)
{
    const struct code *code = s->joined->code;
    const struct code_vertex *node = code_node(code, vertex);

    if (node->kind == CODE_FILE || node->kind == CODE_PACKAGE ||
        node->kind == CODE_EXTERNAL)
        return false;
    return s->ask->repo_url.len == 0 ||
           (node->repo < code->repo_len &&
            str_starts(code->repos[node->repo].url, s->ask->repo_url));
}

static bool
counts(const struct sorting *s, uint32_t place)
{
    uint32_t vertex = joined_vertex(s->joined, place);

    if (vertex)
        return is_of_code(s, vertex);
    uint32_t id = joined_node(s->joined, place);
    return s->ask->repo_url.len == 0 && id &&
           joined_place(s->joined, id) == place &&
           query_node(s->view, id)->kind != NODE_NONE &&
           query_node(s->view, id)->kind <= NODE_SYMBOL;
}

static double
weight_of(const struct sorting *s, uint32_t from, const struct joined_arc *arc)
{
    if (arc->place >= s->joined->place_len || !counts(s, from) ||
        !counts(s, arc->place))
        return 0;
    return rank_arc_weight(arc, query_now_s(s->view), s->ask->evidence);
}

static enum err
find_places(struct sorting *s)
{
    const struct joined *j = s->joined;

    s->number = calloc((size_t)j->place_len + 1, sizeof(*s->number));
    s->places = calloc((size_t)j->place_len + 1, sizeof(*s->places));
    s->edges = calloc((size_t)j->arc_len + 1, sizeof(*s->edges));
    if (!s->number || !s->places || !s->edges)
        return ERR_NOMEM;
    for (uint32_t p = 1; p < j->place_len; p++) {
        bool has_arc = false;
        if (!counts(s, p))
            continue;
        for (uint32_t i = j->out_at[p]; i < j->out_at[p + 1] && !has_arc; i++)
            has_arc = weight_of(s, p, &j->out[i]) > 0;
        for (uint32_t i = j->in_at[p]; i < j->in_at[p + 1] && !has_arc; i++)
            has_arc = weight_of(s, p, &j->in[i]) > 0;
        if (!has_arc)
            continue;
        s->places[s->places_len++] = p;
        s->number[p] = s->places_len;
    }
    return OK;
}

static void
find_edges(struct sorting *s)
{
    const struct joined *j = s->joined;

    for (uint32_t n = 0; n < s->places_len; n++) {
        uint32_t p = s->places[n];
        for (uint32_t i = j->out_at[p]; i < j->out_at[p + 1]; i++) {
            double weight = weight_of(s, p, &j->out[i]);
            if (weight <= 0)
                continue;
            s->edges[s->out->edges++] = (struct louvain_edge){
                n, s->number[j->out[i].place] - 1, weight};
            s->out->observed += j->out[i].type >= JOINED_RUNTIME_CALLS;
        }
    }
}

/* ---- rows ---- */

static uint64_t
id_of(const struct sorting *s, uint32_t place)
{
    uint32_t vertex = joined_vertex(s->joined, place);
    const unsigned char *hash =
        vertex ? code_node(s->joined->code, vertex)->hash
               : query_node(s->view, joined_node(s->joined, place))->hash;
    uint64_t id = 0;

    for (int i = 0; i < COMMUNITY_ID_BITS / 8; i++)
        id = id << 8 | hash[i];
    return id;
}

static void
sum_arc(struct sorting *s, uint32_t from, const struct joined_arc *arc,
        double *touching)
{
    const uint32_t *group_of = s->louvain->group_of;
    double weight = weight_of(s, s->places[from], arc);

    if (weight <= 0)
        return;
    uint32_t to = s->number[arc->place] - 1;
    touching[group_of[from]] += weight;
    if (group_of[to] != group_of[from]) {
        touching[group_of[to]] += weight;
        return;
    }
    struct community *row = &s->out->rows[group_of[from]];
    row->edges++;
    row->observed += arc->type >= JOINED_RUNTIME_CALLS;
    row->cohesion += weight;
    s->within[from] += weight;
    s->within[to] += weight;
}

static void
sum_arcs(struct sorting *s, double *touching)
{
    const struct joined *j = s->joined;

    for (uint32_t n = 0; n < s->places_len; n++) {
        uint32_t p = s->places[n];
        for (uint32_t i = j->out_at[p]; i < j->out_at[p + 1]; i++)
            sum_arc(s, n, &j->out[i], touching);
    }
    for (uint32_t g = 0; g < s->out->len; g++)
        if (touching[g] > 0)
            s->out->rows[g].cohesion /= touching[g];
}

static int
compare_members(const void *left, const void *right, void *ctx)
{
    const struct sorting *s = ctx;
    uint32_t a = s->number[*(const uint32_t *)left] - 1;
    uint32_t b = s->number[*(const uint32_t *)right] - 1;

    if (s->within[a] != s->within[b])
        return s->within[a] > s->within[b] ? -1 : 1;
    return (a > b) - (a < b);
}

static int
compare_views(const void *left, const void *right)
{
    return str_order(*(const str *)left, *(const str *)right);
}

static str
package_of(const struct sorting *s, uint32_t place)
{
    uint32_t vertex = joined_vertex(s->joined, place);

    return vertex ? code_node(s->joined->code, vertex)->package
                  : query_node(s->view, joined_node(s->joined, place))->service;
}

/* The most frequent of sorted names; of as many, the first. */
static void
name_package(const struct sorting *s, struct community *row, str *names)
{
    uint32_t most = 0;
    uint32_t run = 0;

    for (uint32_t i = 0; i < row->size; i++)
        names[i] = package_of(s, s->out->members[row->member_at + i]);
    qsort(names, row->size, sizeof(*names), compare_views);
    for (uint32_t i = 0; i < row->size; i++) {
        bool is_next = i == 0 || !str_eq(names[i], names[i - 1]);
        row->packages += is_next;
        run = is_next ? 1 : run + 1;
        if (run > most) {
            most = run;
            row->package = names[i];
        }
    }
}

static int
compare_rows(const void *left, const void *right)
{
    const struct community *a = left;
    const struct community *b = right;

    if (a->size != b->size)
        return a->size > b->size ? -1 : 1;
    return (a->id > b->id) - (a->id < b->id);
}

static enum err
fill_rows(struct sorting *s)
{
    struct communities *out = s->out;
    str *names = calloc((size_t)s->places_len + 1, sizeof(*names));
    uint32_t at = 0;

    if (!names)
        return ERR_NOMEM;
    for (uint32_t g = 0; g < out->len; g++) {
        out->rows[g].member_at = at;
        at += out->rows[g].size;
        out->rows[g].size = 0;
        out->rows[g].id = UINT64_MAX;
    }
    for (uint32_t n = 0; n < s->places_len; n++) {
        struct community *row = &out->rows[s->louvain->group_of[n]];
        uint64_t id = id_of(s, s->places[n]);
        out->members[row->member_at + row->size++] = s->places[n];
        row->id = id < row->id ? id : row->id;
    }
    for (uint32_t g = 0; g < out->len; g++) {
        struct community *row = &out->rows[g];
        qsort_r(out->members + row->member_at, row->size, sizeof(*out->members),
                compare_members, s);
        name_package(s, row, names);
    }
    if (out->len)
        qsort(out->rows, out->len, sizeof(*out->rows), compare_rows);
    for (uint32_t g = 0; g < out->len; g++)
        for (uint32_t i = 0; i < out->rows[g].size; i++)
            out->group_of[out->members[out->rows[g].member_at + i]] = g + 1;
    free(names);
    return OK;
}

static enum err
make_rows(struct sorting *s)
{
    struct communities *out = s->out;
    size_t groups = (size_t)s->louvain->group_len + 1;
    double *touching = calloc(groups, sizeof(*touching));
    enum err err = ERR_NOMEM;

    out->len = s->louvain->group_len;
    out->member_len = s->places_len;
    out->modularity = s->louvain->modularity;
    out->rows = calloc(groups, sizeof(*out->rows));
    out->members = calloc((size_t)s->places_len + 1, sizeof(*out->members));
    out->group_of =
        calloc((size_t)s->joined->place_len + 1, sizeof(*out->group_of));
    s->within = calloc((size_t)s->places_len + 1, sizeof(*s->within));
    if (!touching || !out->rows || !out->members || !out->group_of ||
        !s->within)
        goto out;
    for (uint32_t n = 0; n < s->places_len; n++)
        out->rows[s->louvain->group_of[n]].size++;
    sum_arcs(s, touching);
    err = fill_rows(s);
out:
    free(touching);
    return err;
}

enum err
communities_make(const struct joined *joined, struct query_view *view,
                 const struct communities_ask *ask, struct communities *out)
{
    struct louvain louvain = {0};
    struct sorting s = {.joined = joined,
                        .view = view,
                        .ask = ask,
                        .out = out,
                        .louvain = &louvain};
    enum err err;

    *out = (struct communities){0};
    if ((err = find_places(&s)))
        goto out;
    find_edges(&s);
    err = louvain_make(s.places_len, s.edges, out->edges, view, &louvain);
    if (!err)
        err = make_rows(&s);
out:
    sorting_fini(&s);
    louvain_fini(&louvain);
    if (err)
        communities_fini(out);
    return err;
}

void
communities_fini(struct communities *communities)
{
    free(communities->rows);
    free(communities->members);
    free(communities->group_of);
    *communities = (struct communities){0};
}

static void
add_between(const struct communities *c, uint32_t index,
            const struct joined_arc *arcs, uint32_t len, double *sums,
            struct rank_cfg by)
{
    for (uint32_t i = 0; i < len; i++) {
        uint32_t group = c->group_of[arcs[i].place];
        if (group && group - 1 != index)
            sums[group - 1] += rank_arc_weight(&arcs[i], by.now_s, by.evidence);
    }
}

enum err
communities_between(const struct joined *joined, struct query_view *view,
                    const struct communities *communities, uint32_t index,
                    uint8_t evidence, double **out)
{
    const struct community *row = &communities->rows[index];
    const struct joined *j = joined;
    const struct rank_cfg by = {.now_s = query_now_s(view),
                                .evidence = evidence};

    *out = calloc((size_t)communities->len + 1, sizeof(**out));
    if (!*out)
        return ERR_NOMEM;
    for (uint32_t m = 0; m < row->size; m++) {
        uint32_t p = communities->members[row->member_at + m];
        add_between(communities, index, j->out + j->out_at[p],
                    j->out_at[p + 1] - j->out_at[p], *out, by);
        add_between(communities, index, j->in + j->in_at[p],
                    j->in_at[p + 1] - j->in_at[p], *out, by);
    }
    return OK;
}
