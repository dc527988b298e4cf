/*
 * Two things a build may leave open.  Several vertices may have one name (an
 * `init` in each file, overloads, a function defined twice): all but the first
 * in the order of the files get a number.  And one relation may be told twice:
 * its places are put together.  Both are decided by what the build says, not by
 * the order in which it says it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/code_write_impl.h"

/* ---- names ---- */

struct same_name {
    const struct code_build *build;
    uint64_t seed;
    uint32_t *slots;
    uint32_t mask;
};

static bool
is_same_name(const struct build_node *a, const struct build_node *b)
{
    return a->name == b->name && a->package == b->package && a->kind == b->kind;
}

/* The slot of the first vertex seen with the name of |node|, or an empty one.
 */
static uint32_t
find_name(const struct same_name *names, const struct build_node *node)
{
    uint64_t hash = hash_mix(names->seed ^ node->name,
                             (uint64_t)node->package << 8 | node->kind);
    uint32_t at = (uint32_t)hash & names->mask;

    while (names->slots[at] &&
           !is_same_name(&names->build->nodes[names->slots[at]], node))
        at = (at + 1) & names->mask;
    return at;
}

static int
compare_numbers(uint32_t a, uint32_t b)
{
    return (a > b) - (a < b);
}

/* qsort_r: by place, then by what else the build says of them. */
static int
compare_places(const void *a, const void *b, void *ctx)
{
    const struct code_writer *w = ctx;
    const struct code_build *build = w->build;
    const struct build_node *x = &build->nodes[*(const uint32_t *)a];
    const struct build_node *y = &build->nodes[*(const uint32_t *)b];
    int order;

    if (x->name != y->name)
        return compare_numbers(x->name, y->name);
    if (x->package != y->package)
        return compare_numbers(x->package, y->package);
    if (x->kind != y->kind)
        return compare_numbers(x->kind, y->kind);
    if ((order =
             str_order(texts_get(&build->texts, build->files[x->file].path),
                       texts_get(&build->texts, build->files[y->file].path))) ||
        (order = compare_numbers(x->line, y->line)) ||
        (order = compare_numbers(x->col, y->col)) ||
        (order = compare_numbers(x->end_line, y->end_line)))
        return order;
    return str_order(texts_get(&build->texts, x->signature),
                     texts_get(&build->texts, y->signature));
}

static enum err
number_names(struct code_writer *w, uint32_t *twins, uint32_t len)
{
    const struct code_build *build = w->build;
    struct buf name = {0};
    uint32_t number = 1;

    qsort_r(twins, len, sizeof(*twins), compare_places, w);
    for (uint32_t i = 1; i < len; i++) {
        const struct build_node *node = &build->nodes[twins[i]];
        if (!is_same_name(node, &build->nodes[twins[i - 1]])) {
            number = 1;
            continue;
        }
        buf_reset(&name);
        buf_add(&name, texts_get(&build->texts, node->name));
        buf_printf(&name, "#%u", ++number);
        w->other_name[twins[i]] = texts_add(&w->names, buf_str(&name));
    }
    bool failed = name.failed || w->names.failed;
    buf_fini(&name);
    return failed ? ERR_NOMEM : OK;
}

/* Collects all vertices whose name is not theirs alone. */
static enum err
plan_names(struct code_writer *w)
{
    const struct code_build *build = w->build;
    struct same_name names = {.build = build, .seed = hash_seed()};
    uint32_t *twins = calloc((size_t)build->node_len + 1, sizeof(*twins));
    bool *is_twin = calloc((size_t)build->node_len + 1, sizeof(*is_twin));
    uint32_t cap = 64;
    uint32_t len = 0;
    enum err err = ERR_NOMEM;

    while (cap < 2 * build->node_len)
        cap *= 2;
    names.mask = cap - 1;
    names.slots = calloc(cap, sizeof(*names.slots));
    if (!names.slots || !twins || !is_twin)
        goto out;
    for (uint32_t i = 1; i < build->node_len; i++) {
        uint32_t *slot = &names.slots[find_name(&names, &build->nodes[i])];
        if (*slot)
            is_twin[*slot] = is_twin[i] = true;
        else
            *slot = i;
    }
    for (uint32_t i = 1; i < build->node_len; i++)
        if (is_twin[i])
            twins[len++] = i;
    err = number_names(w, twins, len);
out:
    free(names.slots);
    free(twins);
    free(is_twin);
    return err;
}

/* ---- edges ---- */

static int
compare_edges(const void *a, const void *b)
{
    const struct build_edge *x = a;
    const struct build_edge *y = b;
    int order;

    if ((order = compare_numbers(x->dst, y->dst)) ||
        (order = compare_numbers(x->type, y->type)))
        return order;
    return compare_numbers(x->provenance, y->provenance);
}

static int
compare_sites(const void *a, const void *b)
{
    const struct code_site *x = a;
    const struct code_site *y = b;
    int order = compare_numbers(x->line, y->line);

    return order ? order : compare_numbers(x->col, y->col);
}

/* Puts the edges of each source next to each other, and sorts those. */
static enum err
sort_edges(struct code_writer *w)
{
    const struct code_build *build = w->build;
    uint32_t *at = calloc((size_t)build->node_len + 1, sizeof(*at));

    if (!at)
        return ERR_NOMEM;
    for (uint32_t i = 0; i < build->edge_len; i++)
        at[build->edges[i].src + 1]++;
    for (uint32_t i = 1; i <= build->node_len; i++)
        at[i] += at[i - 1];
    for (uint32_t i = 0; i < build->edge_len; i++)
        w->edges[at[build->edges[i].src]++] = build->edges[i];
    for (uint32_t i = 0, from = 0; i < build->node_len; i++) {
        qsort(w->edges + from, at[i] - from, sizeof(*w->edges), compare_edges);
        from = at[i];
    }
    free(at);
    return OK;
}

static uint32_t
sort_sites(struct code_site *sites, uint32_t len)
{
    uint32_t kept = 0;

    qsort(sites, len, sizeof(*sites), compare_sites);
    for (uint32_t i = 0; i < len; i++)
        if (kept == 0 || compare_sites(&sites[kept - 1], &sites[i]) != 0)
            sites[kept++] = sites[i];
    return kept;
}

/* How many sites the edges name, which may name some twice. */
static size_t
count_sites(const struct code_build *build)
{
    size_t len = 0;

    for (uint32_t i = 0; i < build->edge_len; i++)
        len += build->edges[i].site_len;
    return len;
}

static enum err
plan_edges(struct code_writer *w)
{
    const struct code_build *build = w->build;
    size_t site_cap = count_sites(build);
    uint32_t site_len = 0;
    uint32_t len = 0;

    if (site_cap > BUILD_ROWS_MAX)
        return ERR_INVALID;
    w->edges = calloc((size_t)build->edge_len + 1, sizeof(*w->edges));
    w->sites = calloc(site_cap + 1, sizeof(*w->sites));
    if (!w->edges || !w->sites || sort_edges(w))
        return ERR_NOMEM;
    for (uint32_t i = 0; i < build->edge_len;) {
        struct build_edge edge = w->edges[i];
        uint32_t from = site_len;
        for (; i < build->edge_len && w->edges[i].src == edge.src &&
               compare_edges(&w->edges[i], &edge) == 0;
             i++) {
            const struct build_edge *part = &w->edges[i];
            if (part->permille > edge.permille)
                edge.permille = part->permille;
            if (part->site_len)
                memcpy(w->sites + site_len, build->sites + part->site_at,
                       part->site_len * sizeof(*w->sites));
            site_len += part->site_len;
        }
        edge.site_at = from;
        edge.site_len = sort_sites(w->sites + from, site_len - from);
        w->edges[len++] = edge;
    }
    w->edge_len = len;
    return OK;
}

enum err
code_plan(struct code_writer *w)
{
    size_t nodes = (size_t)w->build->node_len + 1;
    enum err err;

    w->other_name = calloc(nodes, sizeof(*w->other_name));
    w->node_num = calloc(nodes, sizeof(*w->node_num));
    w->node_hash = calloc(nodes, SHA256_LEN);
    w->node_hex = calloc(nodes, IDENTITY_HEX_LEN);
    w->file_num = calloc((size_t)w->build->file_len + 1, sizeof(*w->file_num));
    if (!w->other_name || !w->node_num || !w->node_hash || !w->node_hex ||
        !w->file_num)
        return ERR_NOMEM;
    if ((err = texts_init(&w->names, 0)) || (err = plan_names(w)) ||
        (err = plan_edges(w)))
        return err;
    w->edge_hash = calloc((size_t)w->edge_len + 1, SHA256_LEN);
    return w->edge_hash ? OK : ERR_NOMEM;
}
