/*
 * A level is a graph in compressed rows: each edge stands with both its ends, a
 * loop once, with what lies within the nodes it was made from.  Moving a node
 * gathers the weights to the groups around it in an array by group, which is
 * cleared by walking the neighbours again; so a pass costs what the edges cost.
 */
#include "graph/louvain.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "graph/query_stop.h"

/* Less is noise of the sums: a move must gain more than this part of all. */
#define GAIN_MIN 1e-10

enum { PASSES_MAX = 50, LEVELS_MAX = 32 };

struct half {
    uint32_t from;
    uint32_t to;
    double weight;
};

struct level {
    uint32_t len;
    size_t *at; /* halves of node n: at[n]..at[n + 1) */
    struct half *halves;
    double *loops;   /* within the node, each edge once */
    double *degrees; /* with loops twice */
    double total;    /* of all degrees */
};

static void
level_fini(struct level *level)
{
    free(level->at);
    free(level->halves);
    free(level->loops);
    free(level->degrees);
    *level = (struct level){0};
}

static int
compare_halves(const void *left, const void *right)
{
    const struct half *a = left;
    const struct half *b = right;

    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    if (a->to != b->to)
        return a->to < b->to ? -1 : 1;
    /* Sums of floats depend on their order. */
    return (a->weight > b->weight) - (a->weight < b->weight);
}

/* Puts |halves| in order: each to its node, where few are to be sorted. */
static enum err
sort_halves(struct half **halves, size_t len, uint32_t nodes)
{
    size_t *at = calloc((size_t)nodes + 2, sizeof(*at));
    struct half *sorted = calloc(len + 1, sizeof(*sorted));
    enum err err = ERR_NOMEM;

    if (!at || !sorted)
        goto out;
    for (size_t i = 0; i < len; i++)
        at[(*halves)[i].from + 2]++;
    for (size_t n = 2; n < (size_t)nodes + 2; n++)
        at[n] += at[n - 1];
    for (size_t i = 0; i < len; i++)
        sorted[at[(*halves)[i].from + 1]++] = (*halves)[i];
    for (uint32_t n = 0; n < nodes; n++)
        if (at[n + 1] - at[n] > 1)
            qsort(sorted + at[n], at[n + 1] - at[n], sizeof(*sorted),
                  compare_halves);
    free(*halves);
    *halves = sorted;
    sorted = NULL;
    err = OK;
out:
    free(at);
    free(sorted);
    return err;
}

/* Adds up what stands twice; how many are left. */
static size_t
sum_halves(struct half *halves, size_t len)
{
    size_t kept = 0;

    if (len == 0)
        return 0;
    for (size_t i = 1; i < len; i++) {
        if (halves[i].from == halves[kept].from &&
            halves[i].to == halves[kept].to)
            halves[kept].weight += halves[i].weight;
        else
            halves[++kept] = halves[i];
    }
    return kept + 1;
}

/* Takes |halves|; loops are in them once. */
static enum err
level_make(struct level *out, uint32_t len, struct half *halves, size_t halved)
{
    size_t nodes = (size_t)len + 2;
    size_t kept = 0;

    *out = (struct level){.len = len, .halves = halves};
    out->at = calloc(nodes, sizeof(*out->at));
    out->loops = calloc(nodes, sizeof(*out->loops));
    out->degrees = calloc(nodes, sizeof(*out->degrees));
    if (!out->at || !out->loops || !out->degrees ||
        sort_halves(&out->halves, halved, len))
        return ERR_NOMEM;
    halves = out->halves;
    halved = sum_halves(halves, halved);
    for (size_t i = 0; i < halved; i++) {
        struct half half = halves[i];
        if (half.from == half.to) {
            out->loops[half.from] += half.weight;
            out->degrees[half.from] += 2 * half.weight;
            continue;
        }
        out->degrees[half.from] += half.weight;
        out->at[half.from + 1]++;
        halves[kept++] = half;
    }
    for (uint32_t n = 0; n < len; n++) {
        out->at[n + 1] += out->at[n];
        out->total += out->degrees[n];
    }
    return OK;
}

static enum err
first_level(struct level *out, uint32_t nodes, const struct louvain_edge *edges,
            size_t edge_len)
{
    struct half *halves = malloc((2 * edge_len + 1) * sizeof(*halves));
    size_t len = 0;

    *out = (struct level){0};
    if (!halves)
        return ERR_NOMEM;
    for (size_t i = 0; i < edge_len; i++) {
        const struct louvain_edge *edge = &edges[i];
        if (edge->a >= nodes || edge->b >= nodes || !(edge->weight > 0))
            continue;
        halves[len++] = (struct half){edge->a, edge->b, edge->weight};
        if (edge->a != edge->b)
            halves[len++] = (struct half){edge->b, edge->a, edge->weight};
    }
    return level_make(out, nodes, halves, len);
}

/* ---- moving ---- */

struct moving {
    const struct level *level;
    uint32_t *group_of;
    double *degrees; /* by group */
    double *towards; /* from the node that moves, by group; else 0 */
};

/* What |node| would add to the modularity of |group|, without constants. */
static double
gain_of(const struct moving *m, uint32_t node, uint32_t group)
{
    return m->towards[group] -
           m->level->degrees[node] * m->degrees[group] / m->level->total;
}

static bool
move_node(struct moving *m, uint32_t node)
{
    const struct level *level = m->level;
    uint32_t home = m->group_of[node];
    uint32_t best = home;

    for (size_t i = level->at[node]; i < level->at[node + 1]; i++)
        m->towards[m->group_of[level->halves[i].to]] += level->halves[i].weight;
    m->degrees[home] -= level->degrees[node];
    double most = gain_of(m, node, home) + GAIN_MIN * level->total;
    for (size_t i = level->at[node]; i < level->at[node + 1]; i++) {
        uint32_t group = m->group_of[level->halves[i].to];
        double gain = gain_of(m, node, group);
        if (group == home || gain < most ||
            (gain <= most && best != home && group >= best))
            continue;
        best = group;
        most = gain;
    }
    for (size_t i = level->at[node]; i < level->at[node + 1]; i++)
        m->towards[m->group_of[level->halves[i].to]] = 0;
    m->degrees[best] += level->degrees[node];
    m->group_of[node] = best;
    return best != home;
}

static enum err
move_all(const struct level *level, const struct query_view *view,
         uint32_t *group_of, bool *has_moved)
{
    struct moving m = {.level = level, .group_of = group_of};
    bool is_moving = true;
    enum err err = ERR_NOMEM;

    *has_moved = false;
    m.degrees = calloc((size_t)level->len + 1, sizeof(*m.degrees));
    m.towards = calloc((size_t)level->len + 1, sizeof(*m.towards));
    if (!m.degrees || !m.towards)
        goto out;
    for (uint32_t n = 0; n < level->len; n++) {
        group_of[n] = n;
        m.degrees[n] = level->degrees[n];
    }
    err = OK;
    for (int pass = 0; !err && is_moving && pass < PASSES_MAX; pass++) {
        is_moving = false;
        for (uint32_t n = 0; n < level->len; n++) {
            if ((err = query_check_at(view, n)))
                break;
            is_moving |= move_node(&m, n);
        }
        *has_moved |= is_moving;
    }
out:
    free(m.degrees);
    free(m.towards);
    return err;
}

/* Numbers groups by their least node; how many there are. */
static uint32_t
number_groups(uint32_t *group_of, uint32_t len, uint32_t *numbers)
{
    uint32_t groups = 0;

    for (uint32_t n = 0; n < len; n++)
        numbers[n] = UINT32_MAX;
    for (uint32_t n = 0; n < len; n++) {
        uint32_t *number = &numbers[group_of[n]];
        if (*number == UINT32_MAX)
            *number = groups++;
        group_of[n] = *number;
    }
    return groups;
}

/* The graph whose nodes are the groups of |level|. */
static enum err
fold_level(const struct level *level, const uint32_t *group_of, uint32_t groups,
           struct level *out)
{
    size_t len = 0;
    size_t most = level->at[level->len] + level->len + 1;
    struct half *halves = malloc(most * sizeof(*halves));

    *out = (struct level){0};
    if (!halves)
        return ERR_NOMEM;
    for (uint32_t n = 0; n < level->len; n++) {
        uint32_t from = group_of[n];
        if (level->loops[n] > 0)
            halves[len++] = (struct half){from, from, level->loops[n]};
        for (size_t i = level->at[n]; i < level->at[n + 1]; i++) {
            uint32_t to = group_of[level->halves[i].to];
            double weight = level->halves[i].weight;
            /* Within a group it stands with both ends: once is enough. */
            if (from != to || n < level->halves[i].to)
                halves[len++] = (struct half){from, to, weight};
        }
    }
    return level_make(out, groups, halves, len);
}

/* ---- in one piece ---- */

/* Calls all that hangs together with |node| in its group by its number. */
static void
number_part(const struct level *first, const uint32_t *group_of, uint32_t node,
            uint32_t *part_of, uint32_t *stack)
{
    size_t depth = 0;

    part_of[node] = node;
    stack[depth++] = node;
    while (depth > 0) {
        uint32_t at = stack[--depth];
        for (size_t i = first->at[at]; i < first->at[at + 1]; i++) {
            uint32_t to = first->halves[i].to;
            if (part_of[to] != UINT32_MAX || group_of[to] != group_of[node])
                continue;
            part_of[to] = node;
            stack[depth++] = to;
        }
    }
}

/* Gives each connected part of a group a number of its own. */
static enum err
split_groups(const struct level *first, uint32_t *group_of)
{
    uint32_t *part_of = malloc(((size_t)first->len + 1) * sizeof(*part_of));
    uint32_t *stack = malloc(((size_t)first->len + 1) * sizeof(*stack));
    enum err err = ERR_NOMEM;

    if (!part_of || !stack)
        goto out;
    for (uint32_t n = 0; n < first->len; n++)
        part_of[n] = UINT32_MAX;
    for (uint32_t n = 0; n < first->len; n++)
        if (part_of[n] == UINT32_MAX)
            number_part(first, group_of, n, part_of, stack);
    memcpy(group_of, part_of, first->len * sizeof(*group_of));
    err = OK;
out:
    free(part_of);
    free(stack);
    return err;
}

static enum err
measure(const struct level *first, const uint32_t *group_of, double *out)
{
    double *degrees = calloc((size_t)first->len + 1, sizeof(*degrees));
    double within = 0;
    double chance = 0;

    *out = 0;
    if (!degrees)
        return ERR_NOMEM;
    for (uint32_t n = 0; n < first->len; n++) {
        degrees[group_of[n]] += first->degrees[n];
        within += 2 * first->loops[n];
        for (size_t i = first->at[n]; i < first->at[n + 1]; i++)
            if (group_of[first->halves[i].to] == group_of[n])
                within += first->halves[i].weight;
    }
    for (uint32_t n = 0; n < first->len && first->total > 0; n++)
        chance += degrees[n] / first->total * (degrees[n] / first->total);
    if (first->total > 0)
        *out = within / first->total - chance;
    free(degrees);
    return OK;
}

/* ---- all levels ---- */

struct climb {
    struct louvain *out;
    const struct query_view *view;
    const struct level *level; /* the first, or |above| */
    struct level above;
    uint32_t *moved; /* group of each node of the level */
    uint32_t *numbers;
};

/* Moves, and folds; |is_done| when nothing moved. */
static enum err
climb_level(struct climb *c, bool *is_done)
{
    struct louvain *out = c->out;
    struct level next;
    bool has_moved;
    enum err err = move_all(c->level, c->view, c->moved, &has_moved);

    *is_done = true;
    if (err || !has_moved)
        return err;
    uint32_t groups = number_groups(c->moved, c->level->len, c->numbers);
    for (uint32_t n = 0; n < out->node_len; n++)
        out->group_of[n] = c->moved[out->group_of[n]];
    out->levels++;
    *is_done = groups == c->level->len || out->levels == LEVELS_MAX;
    err = fold_level(c->level, c->moved, groups, &next);
    level_fini(&c->above);
    c->above = next;
    c->level = &c->above;
    return err;
}

enum err
louvain_make(uint32_t node_len, const struct louvain_edge *edges,
             size_t edge_len, const struct query_view *view,
             struct louvain *out)
{
    size_t nodes = (size_t)node_len + 1;
    struct level first = {0};
    struct climb c = {.out = out, .view = view, .level = &first};
    bool is_done = node_len == 0;
    enum err err = ERR_NOMEM;

    *out = (struct louvain){.node_len = node_len};
    out->group_of = calloc(nodes, sizeof(*out->group_of));
    c.moved = calloc(nodes, sizeof(*c.moved));
    c.numbers = calloc(nodes, sizeof(*c.numbers));
    if (!out->group_of || !c.moved || !c.numbers)
        goto out;
    for (uint32_t n = 0; n < node_len; n++)
        out->group_of[n] = n;
    if ((err = first_level(&first, node_len, edges, edge_len)))
        goto out;
    while (!err && !is_done)
        err = climb_level(&c, &is_done);
    if (err || (err = split_groups(&first, out->group_of)))
        goto out;
    out->group_len = number_groups(out->group_of, node_len, c.numbers);
    err = measure(&first, out->group_of, &out->modularity);
out:
    level_fini(&first);
    level_fini(&c.above);
    free(c.moved);
    free(c.numbers);
    if (err)
        louvain_fini(out);
    return err;
}

void
louvain_fini(struct louvain *louvain)
{
    free(louvain->group_of);
    *louvain = (struct louvain){0};
}
